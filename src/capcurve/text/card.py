"""The card: one summary for a screen, every headline number beside its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.summary.chance import SHARES
from capcurve.tables.steps import percent
from capcurve.text.columns import MISSING, amount, printable, show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capcurve.inference import Interval
    from capcurve.metrics.separation import KS
    from capcurve.summary import Summary

Line = tuple[str, str, str, str]


def card(summary: Summary, emphasis: Callable[[str], str] = str) -> str:
    """Return one summary as a card: what was found, how much, its interval, and where.

    Parameters
    ----------
    summary
        The numbers.
    emphasis
        What makes the name stand out.
    """
    head, body = _cases(summary), [] if summary.undefined else _numbers(summary)
    left = max(len(label) for label, *_ in head + body)
    right = max(len(number) for _, number, *_ in head + body)
    middle = max((len(interval) for _, _, interval, _ in body), default=0)
    # The first lines have no interval, so that their notes may stand under that heading.
    lines = [
        f"{label.ljust(left)}  {number.rjust(right)}  {note}".rstrip()
        for label, number, _, note in head
    ]
    lines += [
        f"{label.ljust(left)}  {number.rjust(right)}  {interval.ljust(middle)}  {note}".rstrip()
        for label, number, interval, note in body
    ]
    if summary.verdict is not None:
        said = summary.verdict.sentence.replace(", ", f",\n{' ' * left}  ")
        lines.append(f"{'against chance'.ljust(left)}  {said}")
    return "\n".join([emphasis(printable(summary.name)), *lines])


def _cases(s: Summary) -> list[Line]:
    of_weight = " (weight)" if s.weighted else ""
    rate = "" if s.prevalence is None else f"{show('rate', s.prevalence)} of cases"
    if s.stated_prevalence is not None:
        rate += " as stated"
    return [
        (f"cases{of_weight}", amount(s.n), "", f"{amount(s.distinct_scores)} distinct scores"),
        (f"positives{of_weight}", amount(s.n1), "", rate),
    ]


def _numbers(s: Summary) -> list[Line]:
    ks: KS = s.ks  # type: ignore[assignment]  # defined whenever the numbers are
    heading = [("", "", f"{percent(s.level)} interval", "")] if s.intervals else []
    lines = [
        *heading,
        _line(s, "accuracy ratio (Gini)", "accuracy_ratio", s.accuracy_ratio, _envelope(s)),
        _line(s, "ROC AUC", "roc_auc", s.roc_auc),
        _line(s, "KS", "ks", ks.statistic, _ks_place(ks)),
    ]
    for q in filter(s.captured.__contains__, SHARES):  # totals may not tell them all
        name, of_lift = f"captured_{round(100 * q)}", f"lift_{round(100 * q)}"
        beside = f"lift {s.lift[q]:.2f} {interval_text(of_lift, s.intervals)}"
        label = f"captured in the top {percent(q)}"
        lines.append(_line(s, label, name, s.captured[q], beside.rstrip()))
    return lines


def _line(s: Summary, label: str, name: str, value: float | None, note: str = "") -> Line:
    number = MISSING if value is None else show(name, value)
    return (label, number, interval_text(name, s.intervals), note)


def interval_text(name: str, intervals: Mapping[str, Interval]) -> str:
    """Return the limits of a number as people read them, nothing where there are none.

    Examples
    --------
    >>> from capcurve.inference import rate_interval
    >>> interval_text("rate", {"rate": rate_interval(1, 2, "wilson")})
    '[9.5%, 90.5%]'
    """
    if name not in intervals:
        return ""
    found = intervals[name]
    return f"[{show(name, found.low)}, {show(name, found.high)}]"


def _ks_place(ks: KS) -> str:
    if ks.threshold is None:
        return "no cut-off separates the classes"
    return f"at score {show('threshold', ks.threshold)}, top {show('q', ks.q)}"


def _envelope(s: Summary) -> str:
    if not s.tie_mass or s.accuracy_ratio_low is None:
        return ""
    low, high = (show("accuracy_ratio", x) for x in (s.accuracy_ratio_low, s.accuracy_ratio_high))
    return f"{low} to {high} by tie order" if low != high else ""
