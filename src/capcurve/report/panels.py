"""Which lines each chart of the page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve import curves
from capcurve.report.svg import (
    COLOURS,
    GREY,
    NEGATIVES,
    NEGATIVES_DASH,
    Chart,
    Line,
    Mark,
    line_of,
    shortened,
    styles,
)

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.report.content import Content
    from capcurve.summary import Summary

SHORT_NAME = 18
DIAGONAL = np.array([0.0, 1.0])
# A lift over a handful of cases is large by chance and would flatten the rest.
LEAST_SHARE, LEAST_CASES = 0.01, 100


def defined(content: Content) -> list[tuple[str, ScoreCounts, Summary]]:
    """Return the scores that have curves."""
    return [
        (name, content.counts[name], summary)
        for name, summary in content.summaries.items()
        if summary.accuracy_ratio is not None
    ]


def charts(content: Content) -> list[Chart]:
    """Return the charts of a page; none when no score has both classes."""
    if not defined(content):
        return []
    return [cap_chart(content), roc_chart(content), captured_chart(content), lift_chart(content)]


def cap_chart(content: Content) -> Chart:
    """Return the CAP of every score, with the perfect and the random one."""
    scores = defined(content)
    lines = [
        line_of(
            _with_ratio(name, summary),
            curves.cap_curve(counts, prevalence=content.prevalence),
            *style,
        )
        for (name, counts, summary), style in zip(scores, styles(len(scores)), strict=True)
    ]
    first = scores[0][1]
    perfect = curves.perfect_cap(first, prevalence=content.prevalence)
    lines += [
        Line("perfect", perfect.x, perfect.y, GREY, "", 1.2),
        Line("random", DIAGONAL, DIAGONAL, GREY, "3 3", 1.2),
    ]
    return Chart("CAP", "cases selected", "positives captured", tuple(lines))


def _with_ratio(name: str, summary: Summary) -> str:
    """Return the name in the legend of the CAP: with the accuracy ratio and its interval."""
    found = summary.intervals.get("accuracy_ratio")
    limits = "" if found is None else f" [{found.low:.3f}, {found.high:.3f}]"
    return f"{shortened(name, SHORT_NAME)}  AR {summary.accuracy_ratio:.3f}{limits}"


def roc_chart(content: Content) -> Chart:
    """Return the ROC of every score."""
    scores = defined(content)
    lines = [
        line_of(f"{name}  AUC {summary.roc_auc:.3f}", curves.roc_curve(counts), *style)
        for (name, counts, summary), style in zip(scores, styles(len(scores)), strict=True)
    ]
    lines.append(Line("random", DIAGONAL, DIAGONAL, GREY, "3 3", 1.2))
    return Chart("ROC", "false positive rate", "true positive rate", tuple(lines))


def captured_chart(content: Content) -> Chart:
    """Return what the first score captures of each class, and the KS segment."""
    name, counts, summary = defined(content)[0]
    both = [
        curves.captured_response_curve(counts, of=which, prevalence=content.prevalence)
        for which in ("positives", "negatives")
    ]
    found = summary.ks
    mark = None
    if found is not None:
        q = found.q
        if content.prevalence is not None:
            gap = curves.ks_curve(counts, prevalence=content.prevalence)
            q = float(gap.x[int(np.argmax(np.abs(gap.y)))])
        low, high = sorted(curve.at(q) for curve in both)
        mark = Mark(q, low, high, f"KS {found.statistic:.3f}")
    lines = (
        line_of(f"positives, {name}", both[0], COLOURS[0]),
        line_of(f"negatives, {name}", both[1], NEGATIVES, NEGATIVES_DASH),
        Line("random", DIAGONAL, DIAGONAL, GREY, "3 3", 1.2),
    )
    return Chart("Captured response and KS", "cases selected", "captured", lines, mark=mark)


def lift_chart(content: Content) -> Chart:
    """Return the cumulative lift of every score, from a share of cases that means something."""
    scores = defined(content)
    start = min(0.5, max(LEAST_SHARE, LEAST_CASES / max(float(scores[0][1].n), 1.0)))
    along = np.linspace(start, 1.0, 200)
    lines = []
    for (name, counts, summary), (colour, dash) in zip(scores, styles(len(scores)), strict=True):
        heights = np.asarray(curves.lift_curve(counts, prevalence=content.prevalence).at(along))
        at_top = summary.lift.get(0.1)  # totals may not tell it
        label = name if at_top is None else f"{name}  {at_top:.2f} at 10%"
        lines.append(Line(label, along, heights, colour, dash))
    lines.append(Line("random", DIAGONAL, np.ones(2), GREY, "3 3", 1.2))
    top = max(float(line.y.max()) for line in lines) * 1.08
    return Chart(
        "Cumulative lift",
        "cases selected",
        "times a random selection",
        tuple(lines),
        top=top,
        percent=False,
    )
