"""What a summary says of the PDs behind a score: what they promise, and whether it is kept."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeAlias

from capcurve.counts.arguments import told
from capcurve.results.findings import CHANCE
from capcurve.show.finding import Finding
from capcurve.show.format import chance_text, number

if TYPE_CHECKING:
    from capcurve.inference import Test

ScoresOfPDs: TypeAlias = bool | str | Collection[str] | None
TOO_GOOD = (
    "risks differ more than the PDs: those of the worst are too low, or those of the best too high"
)
CORRELATED = (
    " if defaults are independent, and within it if one factor moves them all (assets correlated "
    "by 12%)"
)
TOO_BAD = "the PDs differ more than the risks do: look for inputs that no longer tell cases apart"


def implied_sentence(test: Test) -> str:
    """Return what the test of the implied accuracy ratio says, in one plain sentence.

    Examples
    --------
    >>> from capcurve import count_scores, implied_accuracy_ratio
    >>> print(implied_sentence(implied_accuracy_ratio(count_scores([1, 0, 0], [0.5, 0.25, 0.1]))))
    The PDs promise an accuracy ratio of 0.615 for this portfolio; it is 1.000: higher by 0.385,
    within chance (p = 0.433).
    """
    if "implied" not in test.estimates:
        return "The PDs promise no accuracy ratio for this portfolio."
    promise = f"The PDs promise an accuracy ratio of {number(test.estimates['implied'])}"
    if test.estimate is None:
        return f"{promise} for this portfolio; without both classes there is none to test."
    found = f"{promise} for this portfolio; it is {number(test.estimates['realised'])}"
    said = f"({chance_text(test.p_value)})"
    if not test.se and not test.estimate:
        return f"{found}, the same {said}."
    way = "lower" if test.estimate < 0 else "higher"
    size = number(abs(test.estimate))
    if not float(size):
        return f"{found}, as promised {said}."
    beyond = "more than chance" if test.p_value <= _alpha(test) else "within chance"
    return f"{found}: {way} by {size}, {beyond} {said}."


def _alpha(test: Test) -> float:
    """Return the p-value up to which more than chance is said."""
    return min(1 - (test.level or 0.95), CHANCE)


def about_pds(test: Test | None) -> tuple[Finding, ...]:
    """Return a finding where PDs promise nothing, or another ranking by more than chance."""
    if test is None:
        return ()
    if "implied" not in test.estimates:
        why = f"there is no implied accuracy ratio: {test.notes[-1]}"
        return (Finding("implied_undefined", "info", why, "look at the PDs and at the outcomes"),)
    if test.estimate is None or not test.p_value <= _alpha(test):
        return ()
    below, chance = test.estimate < 0, chance_text(test.p_value)
    correlated = _within_correlated(test)
    return (
        Finding(
            "below_implied" if below else "above_implied",
            "warning" if below and not correlated else "info",
            f"the accuracy ratio is {number(test.estimates['realised'])}, "
            f"{'below' if below else 'above'} the {number(test.estimates['implied'])} that the PDs "
            f"promise by more than chance explains ({chance})" + (CORRELATED if correlated else ""),
            f"{TOO_BAD if below else TOO_GOOD}; correlated defaults leave more to chance",
        ),
    )


def _within_correlated(test: Test) -> bool:
    """Return whether usual correlation of defaults would explain the difference."""
    from scipy.special import ndtri

    reach = -float(ndtri(_alpha(test) / 2)) * test.estimates.get("se_if_correlated", 0.0)
    return abs(test.estimate or 0.0) <= reach


def scores_of_pds(asked: ScoresOfPDs, names: Collection[str]) -> dict[str, Any]:
    """Return for each score the `pd` of its summary: whether the score is one of PDs.

    Examples
    --------
    >>> scores_of_pds("pd", ["pd", "rating"])
    {'pd': 'score', 'rating': None}
    """
    if asked is None or asked is False:
        return dict.fromkeys(names)
    if asked is True or (isinstance(asked, str) and asked == "score" and asked not in names):
        return dict.fromkeys(names, "score")
    several = isinstance(asked, Collection) and not isinstance(asked, str)
    chosen: list[Any] = list(asked) if several else [asked]
    for name in chosen:
        if not isinstance(name, str) or name not in names:
            raise ValueError(
                f"pd={told(name)} is none of the scores, {', '.join(map(repr, names))}; pd takes "
                "the name of a score; for PDs from another column pass count_joint(...) to "
                "implied_accuracy_ratio"
            )
    return {name: "score" if name in chosen else None for name in names}
