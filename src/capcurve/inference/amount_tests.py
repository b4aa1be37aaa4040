"""Whether a score ranks amounts better than chance, by the law that its interval has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from capcurve.inference.amount_limits import limited
from capcurve.inference.differences import distance_by_limits
from capcurve.inference.discrimination import discrimination_test
from capcurve.inference.records import Confidence, Test

if TYPE_CHECKING:
    from capcurve.counts import Amounts
    from capcurve.counts.types import Ints
    from capcurve.inference.records import Limits

BY_LIMITS = "level at which the limits of the accuracy ratio reach 0"


def ratio_test(values: Amounts) -> Test:
    """Return the test that the accuracy ratio of amounts is 0, two-sided.

    It rejects where the interval of the same level leaves out 0: the p-value is that of the level
    at which a limit just reaches it. Of a perfect order, which shows no spread, it is not below the
    chance that some order of these rows is perfect. Of amounts that are all alike it is that of the
    two classes which they stand for.
    """
    classes = values.as_classes()
    if classes is not None:
        return discrimination_test(classes, metric="accuracy_ratio")
    method = "envelope" if values.groups is None else "jackknife"

    interval = limited(values, "accuracy_ratio", method, {})

    def limits(confidence: Confidence) -> Limits:
        found = interval(confidence)
        return found.low, found.high

    usual = interval(Confidence())
    z = distance_by_limits(limits, usual.estimate, 0.0)
    p_value = math.erfc(abs(z) / math.sqrt(2))
    if abs(usual.estimate) == 1:
        p_value = max(p_value, _chance_of_a_perfect_order(values.by_score().rows))
    return Test(
        name="accuracy ratio against 0",
        statistic=z,
        p_value=min(p_value, 1.0),
        method=BY_LIMITS,
        estimate=usual.estimate,
        se=usual.se,
        metric="accuracy_ratio",
        notes=usual.notes,
    )


def _chance_of_a_perfect_order(rows: Ints) -> float:
    """Return how often orders of rows, so many at each score, are one of two that are perfect."""
    from scipy.special import gammaln

    ways = float(gammaln(rows.sum() + 1.0) - gammaln(rows + 1.0).sum())
    return min(1.0, 2 * float(np.exp(-ways)))
