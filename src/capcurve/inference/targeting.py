"""Whether a score tells whom a treatment moves, and whether treatment went with the score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from capcurve.counts.arguments import as_word
from capcurve.curves.trials import points_of
from capcurve.inference.differences import law_of
from capcurve.inference.discrimination import Tail, discrimination_test
from capcurve.inference.records import Test
from capcurve.inference.trials import estimates, left_out_of, rows_of
from capcurve.metrics.trials import NUMBERS
from capcurve.show.format import chance_text, number
from capcurve.taking import takes_arms, takes_trials

if TYPE_CHECKING:
    from capcurve.counts import Trial, UpliftCounts

UNBALANCED = 0.01  # a p-value below which treatment is said to have gone with the score


@takes_trials
def qini_test(trial: Trial, *, alternative: Tail = "two-sided") -> Test:
    """Test whether a score ranks the effect of a treatment at all: whether its Qini is 0.

    That is true where the treatment moves nobody and where it moves all alike, so a score may well
    fail because effects do not differ. With clusters by leaving out groups of them.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`, or of `count_values` on effect scores.
    alternative
        "two-sided": the Qini coefficient is not 0; "greater": it is above, "less": below.

    Notes
    -----
    The coefficient over its standard error, by Student's t with the degrees of freedom of its
    interval.

    Examples
    --------
    >>> from capcurve import UpliftCounts
    >>> trial = UpliftCounts.from_counts([2, 1], [30, 10], [10, 30], [10, 10], [30, 30])
    >>> found = qini_test(trial)
    >>> found.estimate, found.p_value < 0.01
    (0.0625, True)
    """
    as_word(alternative, "alternative", get_args(Tail), quote="'")
    if trial.groups is not None:
        found: Any = left_out_of(trial, NUMBERS["qini"])
    else:
        (found,) = estimates([(points_of(trial), rows_of(trial))], "qini")
    value, se, df = float(found.values[0]), found.se(), found.freedom()
    shows = se > 0 and not found.too_few
    statistic = value / se if shows else 0.0
    below = law_of(df)[0]
    tails = {
        "two-sided": 2 * below(-abs(statistic)),
        "greater": below(-statistic),
        "less": below(statistic),
    }
    return Test(
        name="Qini = 0",
        statistic=statistic,
        p_value=tails[alternative],
        method=f"{found.method}, t",
        alternative=alternative,
        df=df,
        estimate=value,
        se=se,
        metric="qini",
        notes=found.few() if shows else (*found.few(), "the sample shows no spread: p is 1"),
    )


@takes_arms
def balance_test(trial: UpliftCounts) -> Test:
    """Test whether treatment was balanced along the score: a check of the randomisation.

    Whether treated cases rank higher, or lower, than control cases: `discrimination_test` of the
    arms. Where they do, treatment went with the score, and differences are no effects.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`.

    Examples
    --------
    >>> from capcurve import UpliftCounts
    >>> trial = UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [3, 3])
    >>> found = balance_test(trial)
    >>> found.estimate, found.p_value
    (0.5, 1.0)
    """
    found = discrimination_test(trial.arms)
    if found.p_value >= UNBALANCED or found.estimate is None:
        return replace(found, name="treatment is balanced along the score")
    side = "higher" if found.estimate > 0.5 else "lower"  # noqa: PLR2004 - no order
    note = (
        f"treated cases rank {side} than controls (AUC {number(found.estimate)}, "
        f"{chance_text(found.p_value)}): treatment went with the score, so differences are not "
        "effects; where propensities are known, take effect_scores"
    )
    name = "treatment is balanced along the score"
    return replace(found, name=name, notes=(*found.notes, note))
