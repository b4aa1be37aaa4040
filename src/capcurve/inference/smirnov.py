"""Kolmogorov and Smirnov: whether positives and negatives are told apart at any cut-off."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.curves.shares import every_score
from capcurve.inference.lattice import EXACT_CASES, MOST_CASES, Alternative, gap_chances
from capcurve.inference.record import Test, check_open
from capcurve.inference.sizes import effective_sizes, require_rows
from capcurve.metrics import ks

if TYPE_CHECKING:
    from capcurve.counts import Ranked, ScoreCounts

# As many candidates are looked at together, so that a search needs few walks.
CANDIDATES = 16
# Beyond this the limiting law has set in, and that of one sample takes seconds.
FEW_AGAINST_MANY = 2000
TIES_IGNORED = "ties are ignored, which makes the p-value too large, never too small"
CLUSTERED = (
    "the rows are clustered, and this law treats them as independent: the p-value is too small; "
    "confidence_interval(counts, 'ks') and discrimination_test leave out whole clusters"
)
WEIGHTED = "rows are weighted: the p-value uses the effective number of cases per class, (Σw)²/Σw²"


def ks_test(
    counts: Ranked,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
) -> Test:
    """Test whether any cut-off separates positives from negatives by more than chance.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    alternative
        "two-sided": either class leads somewhere, by the statistic `ks` gives; "greater":
        positives lead; "less": negatives do.
    method
        "exact": the law of labels dealt at random over the very ties that were seen;
        "asymptotic": the law of large samples without ties; "auto": exact up to 10,000
        unweighted cases.

    Returns
    -------
    Test
        The statistic is the largest gap between the classes on that side.

    Raises
    ------
    ValueError
        When a class is missing, for weights of unknown kind, or when "exact" is asked of
        weighted rows or of more than 100,000.

    Notes
    -----
    Exact: Schröer & Trenkler (1995), as R's psmirnov since 4.2. Tools that ignore ties in
    their exact law give other numbers for tied data. Asymptotic: 2·Σ(-1)^(k-1)·exp(-2k²D²N)
    with N = n1·n0/n; one side exp(-2D²N).

    Examples
    --------
    The two positives lead all three negatives; 2 of the 10 orders separate the classes.

    >>> from capcurve import count_scores
    >>> found = ks_test(count_scores([1, 1, 0, 0, 0], [5, 4, 3, 2, 1]))
    >>> found.statistic, round(found.p_value, 12), found.method
    (1.0, 0.2, 'exact, given the ties')
    """
    _check(alternative, ("two-sided", "greater", "less"), "alternative")
    _check(method, ("auto", "exact", "asymptotic"), "method")
    require_rows(counts)
    found = ks(counts)
    sides = {"greater": found.positive_side, "less": found.negative_side}
    gap = sides.get(alternative, found.statistic)
    weighted = counts.weights is not None
    if method == "exact":
        _refuse_exact(weighted, counts.n)
    if method == "exact" or (method == "auto" and not weighted and counts.n <= EXACT_CASES):
        p_value, name = _exact(every_score(counts), gap, alternative), "exact, given the ties"
        notes: tuple[str, ...] = ()
    else:
        p_value, name = _asymptotic(counts, gap, alternative), "asymptotic"
        tied = len(counts) < counts.n or weighted
        notes = (*((TIES_IGNORED,) if tied else ()), *((WEIGHTED,) if weighted else ()))
    if counts.groups is not None:
        notes = (*notes, CLUSTERED)
    return Test(
        name="Kolmogorov-Smirnov",
        statistic=gap,
        p_value=p_value,
        method=name,
        alternative=alternative,
        estimate=gap,
        estimates={"positives lead by": sides["greater"], "negatives lead by": sides["less"]},
        notes=notes,
    )


def _refuse_exact(weighted: bool, cases: float) -> None:
    if weighted:
        raise ValueError("the exact law deals labels to cases, and these are weighted")
    if cases > MOST_CASES:
        raise ValueError(
            f"{cases:,} cases are too many for the exact law ({MOST_CASES:,} at most); "
            'method="asymptotic" is then very close'
        )


def _exact(counts: ScoreCounts, gap: float, alternative: Alternative) -> float:
    pairs = counts.n1 * counts.n0
    if gap == 0:
        return 1.0
    ties = counts.positives.astype(np.int64) + counts.negatives.astype(np.int64)
    return min(1.0, float(gap_chances(ties, counts.n1, [round(gap * pairs)], alternative)[0]))


def _asymptotic(counts: Ranked, gap: float, alternative: Alternative) -> float:
    from scipy.special import kolmogorov

    sizes = effective_sizes(counts)
    n1, n0 = sizes.positives, sizes.negatives
    wide = gap * math.sqrt(n1 * n0 / (n1 + n0))
    return float(kolmogorov(wide)) if alternative == "two-sided" else math.exp(-2 * wide**2)


def _check(value: object, known: tuple[str, ...], name: str) -> None:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def smirnov_critical_value(n: int, n1: int, alpha: float = 0.05) -> float | None:
    """Return the smallest gap between classes that chance reaches at most that often.

    Parameters
    ----------
    n
        All cases; none tied.
    n1
        Positives among them.
    alpha
        How often labels dealt at random may open such a gap or a wider one.

    Returns
    -------
    float or None
        A value of the two-sided KS statistic; exact up to 10,000 cases, from the asymptotic
        law beyond. None when even perfect separation is more frequent than alpha.

    Raises
    ------
    ValueError
        When a class has no cases or alpha lies outside (0, 1).

    Notes
    -----
    Smirnov's two-sample law. With ties the true frequency is at most alpha.

    Examples
    --------
    Of the 10 orders of 3 positives and 2 negatives, 2 separate them perfectly: 20%.

    >>> print(smirnov_critical_value(5, 3, 0.05))
    None
    >>> smirnov_critical_value(20, 6, 0.05) == 9 / 14
    True
    """
    check_open(alpha, "alpha")
    if not 0 < n1 < n:
        raise ValueError(f"need cases of both classes, got {n1} positives among {n}")
    n0 = n - n1
    if n > EXACT_CASES:
        return _asymptotic_critical_value(n1, n0, alpha)
    gap = _critical_gap(n1, n0, alpha)
    return None if gap is None else gap / (n1 * n0)


def _asymptotic_critical_value(n1: int, n0: int, alpha: float) -> float | None:
    """Return the smaller of two bounds: Kolmogorov's, and that of few cases against very many."""
    from scipy.special import kolmogi, smirnovi

    size = n1 * n0 / (n1 + n0)
    many = float(kolmogi(alpha)) / math.sqrt(size)
    if size > FEW_AGAINST_MANY:
        return many
    few = float(smirnovi(max(1, math.floor(size)), alpha / 2)) + 2 / max(n1, n0)
    gap = min(many, few)
    return gap if gap <= 1 else None


def _critical_gap(n1: int, n0: int, alpha: float) -> int | None:
    """Return the smallest gap in pairs, that some cut-off can have, of chance <= alpha."""
    step = math.gcd(n1, n0)
    ties = np.ones(n1 + n0, dtype=np.int64)
    below, above = 0, n1 * n0 // step  # in steps: too frequent; rare enough, if any is
    if gap_chances(ties, n1, [above * step], "two-sided")[0] > alpha:
        return None
    # The large-sample law is near: looking there first keeps paths, and so work, few.
    near = (_asymptotic_critical_value(n1, n0, alpha) or 1.0) * above
    ends = (max(1.0, 0.8 * near), min(1.05 * near, above - 1.0))
    while above - below > 1:
        middle = np.unique(np.linspace(*ends, CANDIDATES).astype(np.int64))
        middle = middle[(middle > below) & (middle < above)]
        rare = gap_chances(ties, n1, (middle * step).tolist(), "two-sided") <= alpha
        first = int(np.argmax(rare)) if rare.any() else len(rare)
        above = int(middle[first]) if rare.any() else above
        below = int(middle[first - 1]) if first else below
        ends = (below + 1.0, above - 1.0)
    return _next_gap(above * step, n1, n0)


def _next_gap(gap: int, n1: int, n0: int) -> int:
    """Return the smallest c·n0 - d·n1 of at least `gap` with c <= n1 and d <= n0."""
    captured = np.arange(n1 + 1, dtype=np.int64)
    passed = (captured * n0 - gap) // n1
    possible = (passed >= 0) & (passed <= n0)
    return int((captured * n0 - passed * n1)[possible].min())
