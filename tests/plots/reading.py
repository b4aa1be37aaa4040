"""Read a picture back: its lines by label, its legend, its notes, its ticks."""

import numpy as np
import pytest


def line(ax, label):
    (found,) = [drawn for drawn in ax.lines if drawn.get_label().strip().startswith(label)]
    return found


def points(ax, label):
    return np.asarray(line(ax, label).get_xydata(), dtype=float)


def legend(ax):
    return [text.get_text().strip() for text in ax.get_legend().get_texts()]


def head(ax):
    return ax.get_legend().get_title().get_text().split("\n")


def notes(ax):
    return [text.get_text() for text in ax.texts]


def ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def sample(ax):
    """Return the lines above a legend that say how many cases there are."""
    return [
        text for text in head(ax) if not text.startswith(("AR ", "KS ")) and "intervals" not in text
    ]


def pairs(some, others):
    """Return all pairs; those on the diagonals, where every value occurs, are tested always."""
    some, others = list(some), list(others)
    shorter = min(len(some), len(others))
    return [
        pytest.param(
            one, other, marks=[] if (place - other_place) % shorter == 0 else pytest.mark.merge
        )
        for place, one in enumerate(some)
        for other_place, other in enumerate(others)
    ]
