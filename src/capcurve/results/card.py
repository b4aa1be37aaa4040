"""The card: one summary for a screen, every headline number beside its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.results.figures import figures
from capcurve.show.format import printable, stated_percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capcurve.results import Summary, ValueSummary
    from capcurve.show.figure import Figure

# These have no interval, so that their notes may stand under that heading.
SUMS = ("n", "n1", "m", "exposure", "amount", "mean_amount")


def card(summary: Summary | ValueSummary, emphasis: Callable[[str], str] = str) -> str:
    """Return one summary as a card: what was found, how much, its interval, and where."""
    found = {figure.metric: figure for figure in figures(summary)}
    head = [found[key] for key in SUMS if key in found]
    body = [
        figure
        for key, figure in found.items()
        if figure not in head
        and figure.value is not None
        and not key.startswith(("prevalence", "lift_"))
    ]
    left = max(len(figure.label) for figure in head + body)
    right = max(len(figure.text) for figure in head + body)
    middle = max((len(figure.limits) for figure in body), default=0)
    gap = " " * (left + right + 4)
    lines = [
        f"{figure.label.ljust(left)}  {figure.text.rjust(right)}  {_note(figure, found)}"
        for figure in head
    ]
    if summary.intervals:
        lines.append(f"{gap}{stated_percent(summary.level)} interval")
    lines += [
        f"{figure.label.ljust(left)}  {figure.text.rjust(right)}  "
        f"{figure.limits.ljust(middle)}  {_note(figure, found)}"
        for figure in body
    ]
    if summary.verdict is not None:
        said = summary.verdict.sentence.replace(", ", f",\n{' ' * left}  ")
        lines.append(f"{'against chance'.ljust(left)}  {said}")
    return "\n".join([emphasis(printable(summary.name)), *(line.rstrip() for line in lines)])


def _note(figure: Figure, found: Mapping[str, Figure]) -> str:
    """Return what stands behind a number: the rate of positives, the lift of what is captured."""
    if figure.metric == "n1" and "prevalence" in found:
        rate = found["prevalence"]
        stated = rate.label.removeprefix("prevalence").replace(",", "")
        return f"{rate.text} of cases{stated}"
    lift = found.get(figure.metric.replace("captured", "lift"))
    if figure.metric.startswith("captured") and lift is not None:
        return f"lift {lift.text} {lift.limits}"
    return figure.note
