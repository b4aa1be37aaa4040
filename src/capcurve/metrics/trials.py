"""Numbers of a trial: uplift, Qini coefficient, area under the uplift curve, and AUTOC."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from capcurve.curves.trials import uplift_points
from capcurve.gate.taking import takes_trials
from capcurve.metrics.registry import OF_TRIALS, Metric
from capcurve.numbers.arguments import as_share

if TYPE_CHECKING:
    from capcurve.counts import Trial


@takes_trials
def uplift(trial: Trial, q: float | None = None) -> float:
    """Return the uplift: how far the treatment moved the outcome among the top share q of cases.

    The rate, or mean amount, of the treated less that of the control cases; among all cases, which
    is the effect, when q is left out. Raises `ValueError` when an arm has no cases.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`, or of `count_values` on effect scores.
    q
        Which share of all cases is selected, in (0, 1].

    Examples
    --------
    Among the top half 3 of 4 treated buy, and 1 of 4 others; among all 4 of 8, and 2 of 8.

    >>> from capcurve import UpliftCounts
    >>> trial = UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [3, 3])
    >>> uplift(trial, 0.5), uplift(trial)
    (0.5, 0.25)
    """
    share = None if q is None else float(as_share(q, "q", some=True))
    return uplift_points(trial).uplift(share)


@takes_trials
def qini(trial: Trial) -> float:
    """Return the Qini coefficient: the area between the uplift curve and its chord, per case.

    0 for a score that orders whom the treatment moves no better than at random, whatever the order
    of tied rows; below 0 for a worse one. In units of the outcome. It is the mean over all shares q
    of what treating the top q gains over treating as many at random.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`, or of `count_values` on effect scores.

    Notes
    -----
    Six definitions are in use (Devriendt, Van Belle, Guns & Verbeke 2020, arXiv 2002.05897); this
    is that of the uplift curve of Gutierrez & Gérardy (2016), ∫ q·TOC(q) dq, the QINI of R's grf.
    No "perfect" curve divides it: the best order would need both outcomes of each case.

    Examples
    --------
    The curve is .25 at half of the cases and at all of them, its chord .125 at half.

    >>> from capcurve import UpliftCounts
    >>> qini(UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [3, 3]))
    0.0625
    """
    return uplift_points(trial).qini()


@takes_trials
def auuc(trial: Trial) -> float:
    """Return the area under the uplift curve (AUUC): the Qini coefficient and half the effect.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`, or of `count_values` on effect scores.

    Examples
    --------
    >>> from capcurve import UpliftCounts
    >>> auuc(UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [3, 3]))
    0.1875
    """
    return uplift_points(trial).auuc()


@takes_trials
def autoc(trial: Trial) -> float:
    """Return the area under the TOC (AUTOC): the mean uplift of the top q beyond the effect.

    Over all shares q alike, so that the very top counts for more than in the Qini coefficient; 0
    for a score that tells nothing. Where an arm has few cases it rests on a handful of them.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`, or of `count_values` on effect scores.

    Notes
    -----
    Yadlowsky, Fleming, Shah, Brunskill & Wager, arXiv 2111.07966. Exact along straight lines of the
    uplift curve; R's grf takes the mean over cases instead, which differs by about 1/n: 0.1900 for
    0.1991 with 50 cases, 0.00993 for 0.01037 with 999.

    Examples
    --------
    The uplift is .5 up to half of the cases, then .25/q: .25 + .25·ln 2 - .25.

    >>> from capcurve import UpliftCounts
    >>> round(autoc(UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [3, 3])), 6)
    0.173287
    """
    return uplift_points(trial).autoc()


_metric = partial(Metric, of=OF_TRIALS, form="fine", ends=(-math.inf, math.inf), requires=())
TRIAL_METRICS = (
    _metric(function=uplift, label="uplift", options=("q",)),
    _metric(function=qini, label="Qini coefficient", short="Qini", compared_at="trial"),
    _metric(function=auuc, label="area under the uplift curve", short="AUUC", worthless=None),
    _metric(function=autoc, label="area under the TOC", short="AUTOC", compared_at="trial"),
)
