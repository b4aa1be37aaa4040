"""Several scores in one report: tested in pairs where they rank the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.inference import Comparison, compare
from capcurve.summary.findings import Finding
from capcurve.view.format import bare_chance, chance_text, stated_percent

if TYPE_CHECKING:
    from collections.abc import Collection

    from capcurve.counts import JointCounts, JointValues
    from capcurve.inference import Test

SMALL = 0.02
APART = (
    "the scores were counted apart, so nothing is known of the rows they share and no paired "
    "test is made"
)


def compared(
    names: Collection[str], joint: JointCounts | JointValues | str | None, level: float
) -> tuple[Comparison | None, tuple[Finding, ...]]:
    """Return the paired tests of the scores of a report, or why there are none.

    Parameters
    ----------
    names
        The scores of the report; one needs no comparison.
    joint
        All of them counted together, or why they were not; None when they came apart.
    level
        Confidence level of the differences.
    """
    if len(names) < 2:  # noqa: PLR2004 - a pair
        return None, ()
    if joint is None or isinstance(joint, str):
        return None, (_left_out(joint or APART),)
    try:
        return compare(joint, metric="accuracy_ratio", level=level), ()
    except ValueError as error:
        return None, (_left_out(f"the scores are not compared: {error}"),)


def _left_out(why: str) -> Finding:
    return Finding(
        "not_compared",
        "info",
        why,
        "count them together (`count_joint`, or `count_joint_values` for amounts, perhaps with "
        "resolution=1e-4) and pass that to `compare`",
    )


def difference_columns(comparison: Comparison) -> dict[str, list[Any]]:
    """Return one row per pair of scores: difference, interval and p-value.

    Examples
    --------
    >>> from capcurve import compare, count_joint
    >>> scores = {"new": [6, 5, 4, 3, 2, 1], "old": [6, 5, 3, 4, 2, 1]}
    >>> joint = count_joint([1, 1, 1, 0, 0, 0], scores)
    >>> difference_columns(compare(joint, metric="accuracy_ratio"))["95% interval"]
    ['[-1.130, 1.574]']
    """
    unit = "AR" if comparison.metric == "accuracy_ratio" else "AUC"
    pairs = comparison.pairs
    level = pairs[0].level or 0.0
    columns: dict[str, list[Any]] = {
        "difference": [pair.name for pair in pairs],
        f"in {unit}": [f"{pair.estimate:+.{_digits(pair)}f}" for pair in pairs],
        f"{stated_percent(level)} interval": [_limits(pair) for pair in pairs],
        "p": [bare_chance(pair.p_value) for pair in pairs],
    }
    if len(pairs) > 1:
        columns["p (Holm)"] = [bare_chance(pair.p_adjusted or 0.0) for pair in pairs]
    return columns


def _digits(pair: Test) -> int:
    """Return how many digits tell small limits from zero."""
    return 3 if max(abs(pair.low or 0.0), abs(pair.high or 0.0)) >= SMALL else 4


def _limits(pair: Test, sign: int = 1) -> str:
    low, high = sorted((sign * (pair.low or 0.0), sign * (pair.high or 0.0)))
    return f"[{low:.{_digits(pair)}f}, {high:.{_digits(pair)}f}]"


def difference_sentence(test: Test, margin: float | None = None) -> str:
    """Return what the test of a pair says, in one plain sentence.

    Examples
    --------
    >>> from capcurve import compare, count_joint
    >>> scores = {"new": [6, 5, 4, 3, 2, 1], "old": [6, 5, 3, 4, 2, 1]}
    >>> joint = count_joint([1, 1, 1, 0, 0, 0], scores)
    >>> difference_sentence(compare(joint, metric="accuracy_ratio").pairs[0])
    'No significant difference between new and old: +0.222 AR [-1.130, 1.574], p = 0.553'
    """
    first, second = test.estimates
    unit = "AR" if test.metric == "accuracy_ratio" else "AUC"
    p_value = test.p_value if test.p_adjusted is None else test.p_adjusted
    said = chance_text(p_value) + ("" if test.p_adjusted is None else " (Holm)")
    difference, digits = test.estimate or 0.0, _digits(test)
    shown = p_value <= 1 - (test.level or 0.95)
    if test.se == 0:
        return f"{first} and {second} rank all cases identically: no difference, {said}"
    if test.alternative == "two-sided" and shown:
        word, sign = ("better", 1) if difference > 0 else ("worse", -1)
        by = f"{abs(difference):.{digits}f} {unit} {_limits(test, sign)}"
        return f"{first} ranks {word} than {second} by {by}, {said}"
    numbers = f"{difference:+.{digits}f} {unit} {_limits(test)}, {said}"
    if test.alternative == "two-sided":
        return f"No significant difference between {first} and {second}: {numbers}"
    claim = _claim(test.alternative, first, second, f"{margin:g} {unit}" if margin else None)
    return f"{'Shown' if shown else 'Not shown'} that {claim}: {numbers}"


def _claim(alternative: str, first: str, second: str, margin: str | None) -> str:
    by = f" by more than {margin}" if margin else ""
    return {
        "superior": f"{first} ranks better than {second}{by}",
        "inferior": f"{first} ranks worse than {second}{by}",
        "non-inferior": f"{first} is not worse than {second} by more than {margin}",
        "equivalent": f"{first} and {second} differ by less than {margin}",
    }[alternative]
