"""Where scores stand along an axis: grades at equal distances, numbers at their value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.plots.points import MOST_GRADES
from capcurve.plots.style import plain_names, score_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.curves import ScoreDistributions
    from capcurve.plots.canvas import Canvas
    from capcurve.plots.models import Model

LARGEST_EXACT = 2**53
PAD_FOR_INFINITY = 0.06
WIDTH_OF_A_LETTER = 0.62
LAST_DIGITS = 6


@dataclass(frozen=True, slots=True)
class ScorePlaces:
    """Where each score stands along the axis.

    Attributes
    ----------
    at
        Positions, ascending, one per distinct score.
    names
        What to write there when each score has a place of its own, else None.
    origin
        What position 0 stands for: whole numbers beyond 2^53 are drawn from their smallest.
    infinite
        Positions of infinite scores, with what to write there.
    graded
        Whether the scores are named grades.
    """

    at: NDArray[np.float64]
    names: list[str] | None = None
    origin: int = 0
    infinite: tuple[tuple[float, str], ...] = ()

    graded: bool = False

    def title(self, model: Model) -> str:
        """Return the name of the axis."""
        name = model.name or ("Grade" if self.graded else "Score")
        return f"{name}, above {self.origin}" if self.origin else name

    def moved(self, found: ScoreDistributions) -> ScoreDistributions:
        """Return the distributions with positions for scores."""
        return replace(found, score=self.at)


def score_places(counts: ScoreCounts, scores: NDArray[np.generic]) -> ScorePlaces:
    """Return positions for the distinct scores of some counts, given in ascending order."""
    items = scores.tolist()
    if counts.levels is not None:
        return ScorePlaces(np.arange(len(items), dtype=np.float64), plain_names(items), graded=True)
    if len(items) <= MOST_GRADES:
        return ScorePlaces(np.arange(len(items), dtype=np.float64), _number_names(items))
    if scores.dtype.kind in "iu" and max(abs(items[0]), abs(items[-1])) > LARGEST_EXACT:
        # Differences modulo 2^64 are exact, even between the ends of int64.
        lowest = scores.astype(np.uint64) - scores[:1].astype(np.uint64)
        return ScorePlaces(lowest.astype(np.float64), origin=items[0])
    return _with_infinity(scores.astype(np.float64))


def _number_names(items: list[Any]) -> list[str]:
    """Write numbers as short as they stay distinct; of long whole numbers the last digits."""
    for write in (score_text, _last_digits):
        names = [write(item) for item in items]
        if len(set(names)) == len(items):
            return names
    return [str(item) for item in items]


def _last_digits(item: Any) -> str:
    text = str(item)
    short = not isinstance(item, int) or len(text) <= LAST_DIGITS
    return text if short else f"…{text[-LAST_DIGITS:]}"


def _with_infinity(values: NDArray[np.float64]) -> ScorePlaces:
    finite = values[np.isfinite(values)]
    pad = PAD_FOR_INFINITY * float(finite[-1] - finite[0])
    ends = ((-np.inf, float(finite[0]) - pad, "−∞"), (np.inf, float(finite[-1]) + pad, "∞"))
    at, infinite = values.copy(), []
    for value, place, text in ends:
        if (values == value).any():
            at[values == value] = place
            infinite.append((place, text))
    return ScorePlaces(at, infinite=tuple(infinite))


def label_scores(canvas: Canvas, places: ScorePlaces) -> None:
    """Write names or numbers along x, as many as fit."""
    if places.names is not None:
        _label_names(canvas, places.at, places.names)
    elif places.infinite:
        low, high = (places.at[0], places.at[-1])
        marked = dict(places.infinite)
        inside = [
            t for t in canvas.ax.get_xticks() if low <= t <= high and _far(t, marked, high - low)
        ]
        canvas.ax.set_xticks(
            [*inside, *marked], [*(score_text(float(t)) for t in inside), *marked.values()]
        )


def _far(tick: float, marked: dict[float, str], width: float) -> bool:
    return all(abs(tick - place) > PAD_FOR_INFINITY * width for place in marked)


def _label_names(canvas: Canvas, at: NDArray[np.float64], names: list[str]) -> None:
    """Write all names level, else all upright, else every second, third, ... of them."""
    width = canvas.ax.bbox.width / canvas.ax.figure.dpi * 72 / len(names)
    longest = max(len(name.strip()) for name in names) + 1
    upright = longest * WIDTH_OF_A_LETTER * canvas.size > width
    each = int(np.ceil(1.2 * canvas.size / width)) if upright else 1
    canvas.ax.set_xticks(at[::each], names[::each], rotation=90 if upright else 0)
