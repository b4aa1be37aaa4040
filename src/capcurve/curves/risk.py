"""The risk-coverage curve: how many errors are left among each share of the surest cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from capcurve.counts.arguments import as_word
from capcurve.curves.curve import Curve, curve_of
from capcurve.curves.shares import RunningSums, require, shares
from capcurve.taking import takes_counts

if TYPE_CHECKING:
    from capcurve.counts import Ranking

Errors = Literal["positives", "negatives"]
COVERAGE = "coverage: share of cases answered, the surest first"


def as_errors(counts: Ranking, errors: Errors) -> Ranking:
    """Return counts whose positives are the errors, the least sure case first."""
    as_word(errors, "errors", get_args(Errors), either=True)
    if errors == "positives":
        return counts
    cells = counts.every_score()
    return cells.known("errors", cells.turned)


@takes_counts
def risk_coverage_curve(
    counts: Ranking, *, errors: Errors = "positives", generalised: bool = False
) -> Curve:
    """Return the risk-coverage curve: the error rate among each share of the surest cases.

    Lenders call it strategy curve: the bad rate by the share accepted. x is the share of cases
    answered, y the errors among them; K + 1 points, between which cases are added in proportion.
    Raises `ValueError` for no cases.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`. The positives are the errors and
        the score is an uncertainty, or with `higher_is="negative"` a confidence.
    errors
        "negatives" where the positives are the right answers and the score is a confidence.
    generalised
        Divide by all cases in place of those answered.

    Examples
    --------
    Of the two surest of four, one is an error.

    >>> from capcurve import count_scores
    >>> curve = risk_coverage_curve(count_scores([0, 1, 0, 0], [0.9, 0.4, 0.5, 0.1]))
    >>> curve.at([0.25, 0.5, 1]).tolist()
    [0.0, 0.5, 0.25]
    """
    require(counts)
    held = as_errors(counts, errors).every_score()
    sums = shares(held)
    wrong = RunningSums(sums.positives.from_the_end.sums, sums.cases.total)
    accepted = sums.cases.from_the_end
    own = counts.every_score().thresholds
    thresholds = own if errors == "negatives" else own[::-1]
    of = "all" if generalised else "these"
    labels = (COVERAGE, f"risk: share of {of} cases that are errors")
    over = None if generalised else accepted
    return curve_of("risk-coverage", thresholds, accepted, wrong, labels, over)
