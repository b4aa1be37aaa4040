"""Whether PDs are right: rates beside them, and tests of grades and of portfolios."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.curves.shares import require, sample_rate
from capcurve.gate.taking import takes_counts_or_joint
from capcurve.inference import designs
from capcurve.inference.differences import holm
from capcurve.inference.implied import (
    as_correlation,
    cases_of_cells,
    pd_sample,
    pds_under,
    refuse_weights,
    said_of_pds,
)
from capcurve.inference.limits import around
from capcurve.inference.rates import RATE_LIMITS, both_limits, cases_in_bins, mid_p, rate_limits
from capcurve.inference.records import Confidence, Interval, IntervalRequest, Test
from capcurve.metrics.calibration import (
    brier_score,
    cases_by_pd,
    observed_to_expected,
    pds,
    recalibrated,
    score_decomposition,
    shares_of_all,
)
from capcurve.numbers.arguments import as_word, told
from capcurve.show.columns import formed
from capcurve.show.format import counted, number, stated_percent
from capcurve.show.presentation import Figure, Presentation, as_sentences
from capcurve.show.result import OneRow
from capcurve.show.table import Table, score_column
from capcurve.tables.gains import ends_of_bins, sum_of_each

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.counts import JointCounts, Ranking, ScoreCounts
    from capcurve.inference.implied import PdCells
    from capcurve.numbers.types import Floats

MID_P_OF_ALL = "all grades together by mid-p values (Holm)"
RateTest = Literal["jeffreys", "binomial", "mid_p", "normal"]
ShapeTest = Literal["spiegelhalter", "hosmer_lemeshow", "cox", "miscalibration"]
PdSide = Literal["too_low", "too_high", "two-sided"]
# Bands hold up to so many rows; more PDs than these are tested in so many bins.
MOST_PDS, PD_BINS = 50, 10
# With fewer expected cases in a row chi-square rejects too often, so outcomes are drawn.
LEAST_EXPECTED, OUTCOME_DRAWS = 5.0, 9999
# Miscalibration is drawn so often, of at most so many groups of neighbouring PDs.
FEWER_DRAWS, MOST_DRAWN = 999, 1000
FACTOR_GRID = np.linspace(-8.0, 8.0, 1601)  # where the factor that moves all defaults is looked at
SAME_STATISTIC = 1e-13  # statistics that differ by rounding alone are equal
REJECTED = 0.05
DEFAULTS_INDEPENDENT = (
    "these tests assume independent defaults. With an asset correlation of 5%, a 5% test raises a "
    "false alarm in 16% to 22% of portfolios of 1,000 cases, and in 28% to 33% of 10,000. Repeat "
    "the tests with an asset correlation (for example 0.05), or over several years"
)
FACTOR_ALLOWED = "one factor moves all defaults, with an asset correlation of {:g}"
SIDES = {"too_low": "PDs too low", "too_high": "PDs too high", "two-sided": "two-sided"}


@takes_counts_or_joint
def calibration_table(
    counts: Ranking | JointCounts,
    *,
    pd: Any = "score",
    bins: int | str | Sequence[Any] = 10,
    level: float = 0.95,
) -> Table:
    """Return PDs beside the rates that came out, in bins with the riskiest first.

    Raises `ValueError` as `brier_score`, for weights without a `weight_kind`, and for `bins` that
    make no sense.

    Parameters
    ----------
    counts, pd
        As in `brier_score`.
    bins
        As in `gains_table`, of the PDs; those without cases are left out.
    level
        Confidence level of each limit, and of the whole band.

    Returns
    -------
    Table
        Columns pd (mean), n, positives, expected, rate, rate_low and rate_high (Jeffreys),
        recalibrated (mean of the rates nearest to those seen that do not fall as PDs rise),
        band_low and band_high (hold the true rates of all rows together; NaN beyond 50 rows),
        consistent_low and consistent_high (between which the rate lies if PDs are right).

    Notes
    -----
    The band has Clopper-Pearson interval at level^(1/rows), which also hold for riskier, or safer,
    rows. Weighted rows count as (Σw)²/Σw² cases, clustered ones as many as vary alike: Korn &
    Graubard (1998), Survey Methodology 24.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([0.5, 0.1], [6, 1], [4, 9])
    >>> table = calibration_table(counts, bins="score")
    >>> table["expected"].tolist(), table["rate"].tolist()
    ([5.0, 1.0], [0.6, 0.1])
    """
    cells, confidence = cases_by_pd(counts, pd), Confidence(level)
    designs.require_rows(cells)
    ends = np.unique(ends_of_bins(cells, bins)[0])
    ends, cases = ends[ends > 0], cases_of_cells(cells)
    columns = (cases, cases * pds(cells), cases * recalibrated(cells), cells.positives)
    n, expected, pooled, positives = (_in_bins(column, ends) for column in columns)
    mean, rate, like = expected / n, positives / n, cases_in_bins(cells, ends, n)
    note = f"{stated_percent(confidence.level)} Jeffreys interval of each rate"
    if cells.groups is not None:
        like = _like_clusters(cells, ends, rate, like)
        note += "; clustered rows count as many cases as vary alike"
    hits = np.minimum(rate, 1.0) * like
    found = {
        "pd": mean,
        "n": _in_bins(cases.astype(positives.dtype), ends),
        "positives": positives,
        "expected": expected,
        "rate": rate,
        **_ends("rate", rate_limits(hits, like, "jeffreys", confidence)),
        "recalibrated": np.minimum.accumulate(pooled / n),
        **_ends("band", _band(hits, like, confidence)),
        **_ends("consistent", _consistent(mean, like, confidence)),
    }
    limits = "rate_low rate_high band_low band_high consistent_low consistent_high"
    return Table("Calibration", formed(found, share=f"recalibrated {limits}"), note)


def _ends(name: str, limits: tuple[Floats, Floats]) -> dict[str, Floats]:
    return {f"{name}_low": limits[0], f"{name}_high": limits[1]}


def _in_bins(column: Any, ends: Any) -> Any:
    """Return the sum of each bin, given how many cells it and those before it hold."""
    return sum_of_each(column, np.append(0, ends[:-1]), ends)


def _like_clusters(cells: ScoreCounts, ends: Any, rate: Floats, most: Floats) -> Floats:
    """Return of how many independent cases rates vary as much as they do over clusters."""
    starts = np.append(0, ends[:-1])

    def rates(p: Floats, n: Floats) -> Floats:
        hit, missed = (np.add.reduceat(column, starts, axis=1) for column in (p, n))
        whole = hit + missed
        return np.where(whole > 0, hit / np.where(whole > 0, whole, 1.0), rate)

    variance = designs.leave_out(cells, rates).variances()
    some = variance > designs.ERROR_ROUNDING**2
    like = np.where(some, rate * (1 - rate) / np.where(some, variance, 1.0), most)
    return np.clip(like, np.minimum(most, 1.0), most)


def _band(hits: Floats, cases: Floats, confidence: Confidence) -> tuple[Floats, Floats]:
    """Return limits that hold the rates of all rows, the riskiest first; NaN of too many rows."""
    rows = len(cases)
    if rows > MOST_PDS:
        none = np.full(rows, np.nan)
        return none, none
    missed = -math.expm1(math.log(confidence.level) / rows) / 2
    low, high = both_limits(hits, cases, "clopper_pearson", Confidence(missed=missed))
    return np.maximum.accumulate(low[::-1])[::-1], np.minimum.accumulate(high)


def _consistent(p: Floats, cases: Floats, confidence: Confidence) -> tuple[Floats, Floats]:
    """Return between which rates samples lie if PDs are right: quantiles of the binomial law."""
    from scipy.special import bdtrik, betainc

    n, inside = np.maximum(np.floor(cases * (1 + SAME_STATISTIC)), 1.0), (p > 0) & (p < 1)
    at = np.where(inside, p, 0.5)

    def quantile(chance: float) -> Floats:
        found = np.ceil(bdtrik(chance, n, at))
        less = np.maximum(found - 1, 0)
        reached = betainc(n - less, less + 1, 1 - at) >= chance
        found = np.where(reached, less, found) / n
        return np.where(inside, found, p)

    return quantile(confidence.tail), quantile(1 - confidence.tail)


@takes_counts_or_joint
def pd_tests(
    counts: Ranking | JointCounts,
    *,
    pd: Any = "score",
    score: str | None = None,
    method: RateTest | None = None,
    alternative: PdSide = "too_low",
    asset_correlation: float = 0.0,
) -> Table:
    """Test the PD of every grade: whether more of its cases came out positive than chance allows.

    Raises `ValueError` for PDs outside [0, 1] or that fit no score, for weights other than
    frequencies, and for a method that does not allow for a correlation.

    Parameters
    ----------
    counts, pd, score
        As in `implied_accuracy_ratio`: the PDs are the scores, or stand beside them.
    method
        "jeffreys" (the ECB's), "binomial", "mid_p" or "normal". Left out, the first, and "mid_p"
        where assets are correlated.
    alternative
        What to show of each PD: "too_low", "too_high", or "two-sided" either.
    asset_correlation
        Of the assets behind defaults that one factor moves, in [0, 1); 0 says that defaults are
        independent.

    Returns
    -------
    Table
        A row per distinct score: score, pd, n, positives, expected, rate, p_value, and p_adjusted,
        which allows for all these tests (Holm): of "jeffreys" by the mid-p of each, since Jeffreys'
        own are too small where few positives are expected in many grades.

    Notes
    -----
    Of D positives among N at PD p, "jeffreys" is I_p(D + 1/2, N - D + 1/2), ECB (2019),
    Instructions for reporting the validation results of internal models, 2.5.3; "binomial" is
    P(X ≥ D), "mid_p" P(X > D) + P(D)/2; correlated, its mean over the factor of Vasicek (2002).

    Examples
    --------
    One positive of two cases at a PD of 10%: 1 - 0.9² of samples have as many.

    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([0.1], [1], [1])
    >>> pd_tests(counts, method="binomial")["p_value"].round(12).tolist()
    [0.19]
    """
    sample = pd_sample(counts, pd, score)
    ranking, cells = sample.ranking, sample.cells
    require(ranking)
    rho, how, side = _asked(method, alternative, asset_correlation)
    cases, expected, mean = mean_pds(cells)
    positives = ranking.positives.astype(np.float64)
    spread = cases * mean * (1 - mean)
    if rho:
        tails = _over_factors(positives, cases, mean, lambda factor: pds_under(mean, rho, factor))
    else:
        tails = _tails(positives, cases, mean, spread, how)
    p_value = together = _chances(tails, side)
    if how == "jeffreys":
        together = _chances(_tails(positives, cases, mean, spread, "mid_p"), side)
    columns = {
        "score": score_column(ranking.thresholds),
        "pd": mean,
        "n": cases.astype(np.int64),
        "positives": ranking.positives.astype(np.int64),
        "expected": expected,
        "rate": positives / cases,
        "p_value": p_value,
        "p_adjusted": np.array(holm(together.tolist())),
    }
    notes = (
        f"{RATE_LIMITS.get(how, how)} test of each PD, {SIDES[side]}",
        *((MID_P_OF_ALL,) if how == "jeffreys" else ()),
        *_of_factor(rho, p_value),
        *sample.notes,
    )
    return Table("PD tests", columns, "; ".join(notes))


def mean_pds(cells: PdCells) -> tuple[Floats, Floats, Floats]:
    """Return the cases at each score, the positives that their PDs predict, and the mean PD."""
    cases = np.asarray(np.bincount(cells.place, cells.cases), dtype=np.float64)
    expected = np.asarray(np.bincount(cells.place, cells.cases * cells.pd), dtype=np.float64)
    mean = np.minimum(expected / cases, 1.0)
    if len(mean) == len(cells.pd):
        mean[cells.place] = cells.pd
    return cases, expected, mean


def _asked(
    method: object, alternative: object, asset_correlation: float
) -> tuple[float, RateTest, PdSide]:
    """Return the correlation, how to test and for what, or raise ValueError."""
    rho = as_correlation(asset_correlation, "asset_correlation")
    usual = "mid_p" if rho else "jeffreys"
    how = as_word(usual if method is None else method, "method", get_args(RateTest))
    if rho and how != "mid_p":
        raise ValueError(f'asset_correlation= goes with method="mid_p", got {told(method)}')
    return rho, how, as_word(alternative, "alternative", get_args(PdSide))


def _of_factor(rho: float, p_values: Any) -> tuple[str, ...]:
    """Return what to say of correlated defaults."""
    if rho:
        return (FACTOR_ALLOWED.format(rho),)
    return (DEFAULTS_INDEPENDENT,) if (np.asarray(p_values) < REJECTED).any() else ()


def _tails(
    positives: Floats, cases: Floats, p: Floats, variance: Floats, method: RateTest
) -> list[Floats]:
    """Return how often chance alone gives so many positives or more, and so many or fewer."""
    from scipy.special import betainc, ndtr

    found = []
    for hits, rate in ((positives, p), (cases - positives, 1 - p)):
        if method == "mid_p":
            chance = mid_p(hits, cases, rate)
        elif method == "normal":
            chance = ndtr(-_deviates(hits - cases * rate, variance))
        elif method == "jeffreys":
            chance = betainc(hits + 0.5, cases - hits + 0.5, rate)
        else:
            some = np.where(hits > 0, hits, 1.0)
            chance = np.where(hits > 0, betainc(some, cases - hits + 1, rate), 1.0)
        found.append(_where_certain(chance, hits, rate))
    return found


def _where_certain(chance: Floats, hits: Floats, rate: Floats) -> Floats:
    """Return chances of so many or more, without halves where a PD of 0 or 1 leaves none."""
    return np.where(rate > 0, np.where(rate < 1, chance, 1.0), np.where(hits > 0, 0.0, 1.0))


def _chances(tails: Sequence[Any], side: PdSide) -> Any:
    """Return the p-values of one side, or of both."""
    if side == "two-sided":
        return np.minimum(1.0, 2 * np.minimum(*tails))
    return tails[0] if side == "too_low" else tails[1]


def _deviates(surplus: Any, variance: Any) -> Floats:
    """Return a surplus in standard deviations; 0 where neither is any."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = surplus / np.sqrt(variance)
    return np.where(np.isnan(found), 0.0, found)


def _over_factors(
    positives: Floats, cases: Floats, p: Floats, pds_at: Callable[[float], Floats]
) -> list[Floats]:
    """Return the same by mid-p over a normal factor, given the PDs that each value of it makes."""
    more = np.zeros(len(positives))
    step = (FACTOR_GRID[1] - FACTOR_GRID[0]) / math.sqrt(2 * math.pi)
    for factor in FACTOR_GRID.tolist():
        more += step * math.exp(-(factor**2) / 2) * mid_p(positives, cases, pds_at(factor))
    safe = cases - positives
    return [_where_certain(more, positives, p), _where_certain(1 - more, safe, 1 - p)]


def _mean_pd(p: Floats, shares: Floats, rho: float) -> Callable[[float], float]:
    """Return the mean PD that each value of the factor makes."""
    # Of many PDs a polynomial has it within 1e-12, of a degree that √ρ/√(1 - ρ) raises.
    from numpy.polynomial import Chebyshev

    def exact(factor: float) -> float:
        return float(shares @ pds_under(p, rho, factor))

    degree = round(24 + 75 * math.sqrt(rho / (1 - rho)))
    if len(p) <= MOST_DRAWN or degree >= len(FACTOR_GRID):
        return exact
    ends = [float(FACTOR_GRID[0]), float(FACTOR_GRID[-1])]
    near = Chebyshev.interpolate(np.vectorize(exact, otypes=[float]), degree, domain=ends)
    return lambda factor: min(max(float(near(factor)), 0.0), 1.0)


@takes_counts_or_joint
def calibration_test(
    counts: Ranking | JointCounts,
    *,
    method: RateTest | ShapeTest = "spiegelhalter",
    pd: Any = "score",
    alternative: PdSide | None = None,
    asset_correlation: float = 0.0,
    fitted: bool = False,
    seed: Any = 0,
) -> Test:
    """Test the PDs of a portfolio: their level, or whether all of them are right.

    Raises `ValueError` for PDs outside [0, 1] or that fit no score, for weights other than
    frequencies, for options that a method does not take, and where a fit has no answer.

    Parameters
    ----------
    counts, pd
        As in `brier_score`.
    method
        Of the level, by the mean PD: "jeffreys" (the ECB's), "binomial", "mid_p", "normal"
        (variance Σp(1 - p)). Of all PDs: "spiegelhalter", "hosmer_lemeshow" (chi-square of the
        distinct PDs, beyond 50 of ten bins), "cox" (intercept 0 and slope 1), "miscalibration"
        (that of the Brier score, against outcomes drawn from the PDs).
    alternative
        For the level: "too_low", also when left out, "too_high" or "two-sided".
    asset_correlation
        For the level by "mid_p", as in `pd_tests`.
    fitted
        For Hosmer & Lemeshow's: whether the PDs were fitted on these cases, which costs two
        degrees of freedom.
    seed
        Of draws, which also stand for chi-square where fewer than 5 positives or negatives are
        expected in a row.

    Notes
    -----
    Spiegelhalter (1986), Stat. Med. 5; Hosmer & Lemeshow (1980), Comm. Stat. A 9; Cox (1958),
    Biometrika 45; Dimitriadis, Gneiting & Jordan (2021), PNAS 118.

    Examples
    --------
    Two positives at PDs of 10%: P(X ≥ 2) = 0.01.

    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([0.1], [2], [0])
    >>> round(calibration_test(counts, method="binomial").p_value, 12)
    0.01
    """
    how = as_word(method, "method", (*get_args(RateTest), *get_args(ShapeTest)))
    cells, of_level = cases_by_pd(counts, pd), how in get_args(RateTest)
    designs.require_rows(cells)
    refuse_weights(cells)
    given = {"alternative": alternative, "asset_correlation": asset_correlation, "fitted": fitted}
    used = ("alternative", "asset_correlation") if of_level else ("fitted",)
    for option, value in given.items():
        if value and option not in used[: None if of_level or how == "hosmer_lemeshow" else 0]:
            raise ValueError(f"{option}= is not used by method={told(how)}; leave it out")
    if of_level:
        found = _level_test(cells, how, alternative or "too_low", asset_correlation)
    elif how == "hosmer_lemeshow":
        found = _hosmer_lemeshow(cells, seed, fitted=fitted)
    elif how == "miscalibration":
        found = _miscalibration(cells, seed)
    else:
        found = (_cox if how == "cox" else _spiegelhalter)(cells)
    return replace(found, notes=(*found.notes, *said_of_pds(cells, pds(cells))))


def _tested(name: str, statistic: Any, p_value: float, method: str, **more: Any) -> Test:
    return Test(name=name, statistic=float(statistic), p_value=p_value, method=method, **more)


def _level_test(
    cells: ScoreCounts, method: Any, alternative: PdSide, asset_correlation: float
) -> Test:
    """Return the test of the mean PD."""
    rho, how, side = _asked(method, alternative, asset_correlation)
    p, cases, n, positives = pds(cells), cases_of_cells(cells), float(cells.n), float(cells.n1)
    expected, variance = float(cases @ p), np.array([cases @ (p * (1 - p))])
    one, mean = (np.array([positives]), np.array([n])), np.array([min(expected / n, 1.0)])
    if rho:
        mean_under = _mean_pd(p, cases / n, rho)
        tails = _over_factors(*one, mean, lambda factor: np.array([mean_under(factor)]))
    else:
        tails = _tails(*one, mean, variance, how)
    chance = float(_chances(tails, side)[0])
    return _tested(
        "level of the PDs",
        _deviates(positives - expected, variance)[0],
        chance,
        f"{RATE_LIMITS.get(how, how)} test of the mean PD",
        alternative=SIDES[side],
        estimates={"positives": positives, "expected": expected, "mean_pd": float(mean[0])},
        notes=_of_factor(rho, chance),
    )


def _spiegelhalter(cells: ScoreCounts) -> Test:
    """Return the test whether the Brier score is what the PDs make it."""
    from scipy.special import ndtr

    p, cases = pds(cells), cases_of_cells(cells)
    surplus = (cells.positives - cases * p) @ (1 - 2 * p)
    z = float(_deviates(surplus, cases @ ((1 - 2 * p) ** 2 * p * (1 - p))))
    right = float(cases @ (p * (1 - p))) / float(cells.n)
    known = {"brier_score": brier_score(cells), "mean_if_right": right}
    chance = 2 * float(ndtr(-abs(z)))
    return _tested("Spiegelhalter's test of the PDs", z, chance, "normal", estimates=known)


def _hosmer_lemeshow(cells: ScoreCounts, seed: Any, *, fitted: bool) -> Test:
    """Return chi-square of the distinct PDs, or of ten bins of many."""
    from scipy.special import chdtrc

    p, positives, cases = _grouped(cells, MOST_PDS, PD_BINS)

    def chi_square(found: Floats) -> Floats:
        return np.asarray((_deviates(found - cases * p, cases * p * (1 - p)) ** 2).sum(axis=-1))

    statistic, df = float(chi_square(positives)), float(len(p) - 2 * fitted)
    if df < 1:
        raise ValueError(f"{counted(len(p), 'PD')} fitted on these cases leave nothing to test")
    chance = float(chdtrc(df, statistic)) if math.isfinite(statistic) else 0.0
    method, by_law = f"chi-square({df:g})", chance
    if not fitted and float((cases * np.minimum(p, 1 - p)).min()) < LEAST_EXPECTED:
        rng = np.random.default_rng(seed)
        drawn = rng.binomial(cases.astype(np.int64), p, (OUTCOME_DRAWS, len(p)))
        reached = chi_square(drawn.astype(np.float64)) >= statistic * (1 - SAME_STATISTIC)
        chance = (1 + int(reached.sum())) / (1 + OUTCOME_DRAWS)
        method = f"{OUTCOME_DRAWS:,} draws from the PDs"
    name, known = "Hosmer-Lemeshow test of the PDs", {"chi_square_p": by_law}
    return _tested(name, statistic, chance, method, df=df, estimates=known)


def _grouped(cells: ScoreCounts, most: int, bins: int) -> tuple[Floats, Floats, Floats]:
    """Return mean PD, positives and cases of each PD, of too many in bins."""
    each, positives, cases = pds(cells), cells.positives.astype(np.float64), cases_of_cells(cells)
    if len(cells) <= most:
        return each, positives, cases
    ends, columns = ends_of_bins(cells, bins)[0], (positives, cases, cases * each)
    positives, cases, expected = (_in_bins(column, ends) for column in columns)
    return expected / cases, positives, cases


def _cox(cells: ScoreCounts) -> Test:
    """Return the test of intercept 0 and slope 1."""
    from scipy.special import chdtrc

    fit = LogisticFit.of(cells)
    statistic = max(2 * (fit.likelihood(fit.line) - fit.likelihood(np.array([0.0, 1.0]))), 0.0)
    known = dict(zip(("intercept", "slope"), fit.line.tolist(), strict=True))
    name, method = "Cox's test of intercept 0 and slope 1", "likelihood ratio, chi-square(2)"
    return _tested(name, statistic, float(chdtrc(2, statistic)), method, df=2.0, estimates=known)


def _miscalibration(cells: ScoreCounts, seed: Any) -> Test:
    """Return the test of the miscalibration of the Brier score."""
    from scipy.optimize import isotonic_regression

    p, positives, cases = _grouped(cells, MOST_DRAWN, MOST_DRAWN)

    def missed(rates: Floats) -> float:
        nearest = isotonic_regression(rates, weights=cases, increasing=False).x
        return float(cases @ ((rates - p) ** 2 - (rates - nearest) ** 2))

    rng = np.random.default_rng(seed)
    drawn = rng.binomial(cases.astype(np.int64), p, (FEWER_DRAWS, len(p)))
    seen, others = missed(positives / cases), [missed(rates) for rates in drawn / cases]
    reached = sum(other >= seen * (1 - SAME_STATISTIC) for other in others)
    estimate = score_decomposition(cells).miscalibration
    usual = float(np.mean(others)) / float(cells.n)
    return _tested(
        "miscalibration of the Brier score",
        estimate,
        (1 + reached) / (1 + FEWER_DRAWS),
        f"{FEWER_DRAWS} draws from the PDs",
        alternative="more than right PDs have",
        estimate=estimate,
        estimates={"miscalibration": estimate, "mean_if_right": usual},
    )


def ratio_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of observed to expected: Jeffreys' of the rate over the mean PD."""
    cells, confidence, each = request.counts, request.confidence, pds(request.counts)
    ratio, rate = observed_to_expected(cells), sample_rate(cells)
    like = designs.effective_cases(cells)
    of1, of0 = shares_of_all(cells)
    times = 1 / float((of1 + of0) @ each)
    notes: tuple[str, ...] = ()
    if method == "jackknife":
        left = designs.leave_out(cells, lambda p, n: p.sum(axis=1) / ((p + n) @ each))
        spread, notes = left.se() / times, left.notes(left.most_freedom(), left.groups)
        like = max(min(like, rate * (1 - rate) / spread**2), 1.0) if spread > 0 else like
    limits = rate_limits(rate * like, like, "jeffreys", confidence)
    low, high = (float(limit) * times for limit in limits)
    se, ends = math.sqrt(rate * (1 - rate) / like) * times, (0.0, math.inf)
    return confidence.interval(ratio, around((low, high), ratio), ends, method, se or None, notes)


MOST_STEPS, FIT_TOLERANCE = 100, 1e-13
# Of each number of a recalibration what it is called, and what it would be if PDs were right.
PARAMETER_LABELS = {
    "intercept": ("Intercept", ""),
    "slope": ("Calibration slope", "ideal 1"),
    "in_the_large": ("Intercept at slope 1", "to be added to all log-odds, ideal 0"),
}


@dataclass(frozen=True, slots=True, repr=False)
class Recalibration(OneRow):
    """How PDs would have to be moved to be right: log-odds times slope plus intercept.

    Attributes
    ----------
    intercept, slope
        Of the logistic regression of outcomes on the log-odds of the PDs; below a slope of 1 PDs
        lie further apart than rates, above it they lie nearer.
    in_the_large
        The intercept where the slope is 1: by how much all log-odds are too low.
    """

    intercept: Interval
    slope: Interval
    in_the_large: Interval

    def presentation(self) -> Presentation:
        """Return what the recalibration shows: slope and intercepts between their limits."""
        numbers = [getattr(self, name) for name in PARAMETER_LABELS]
        notes = dict.fromkeys(note for each in numbers for note in each.notes)
        slope, added = self.slope.estimate, self.intercept.estimate
        by = f"{number(slope)} and add {number(added)}"
        named = zip(PARAMETER_LABELS.items(), numbers, strict=True)
        return Presentation(
            title="Logistic recalibration",
            sentences=(f"To recalibrate the PDs, multiply their log-odds by {by}.",),
            figures=tuple(
                Figure(name, label, label, each.estimate, "ratio", each.low, each.high, note)
                for (name, (label, note)), each in named
            ),
            level=self.slope.level,
            notes=as_sentences(notes),
        )


@takes_counts_or_joint
def logistic_recalibration(
    counts: Ranking | JointCounts, *, pd: Any = "score", level: float = 0.95
) -> Recalibration:
    """Return the intercept and slope that would make PDs right: their level, and how they spread.

    Raises `ValueError` as `brier_score`, with fewer than two cases in a class, for PDs of 0 or 1,
    for PDs that are all alike or separate the classes, and for weights without a `weight_kind`.

    Parameters
    ----------
    counts, pd
        As in `brier_score`.
    level
        Confidence level of the Wald limits: of weighted rows by the sandwich variance, of clustered
        ones by leaving out groups of clusters.

    Notes
    -----
    Cox (1958), Biometrika 45; Steyerberg et al. (2010), Epidemiology 21.

    Examples
    --------
    Rates of 3/4 and 1/4 where the odds of the PDs are 9 and 1/9: half as far apart in log-odds.

    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([0.9, 0.1], [30, 10], [10, 30])
    >>> round(logistic_recalibration(counts).slope.estimate, 6)
    0.5
    """
    cells, confidence = cases_by_pd(counts, pd), Confidence(level)
    designs.require_two(cells, "recalibration")
    fit = LogisticFit.of(cells)
    ses, reach, method = fit.errors(cells), confidence.z, "wald"
    notes: tuple[str, ...] = ()
    if cells.groups is not None:
        left = designs.leave_out(cells, fit.of_samples)
        ses, reach = np.sqrt(left.variances()), confidence.t(left.most_freedom())
        method, notes = "jackknife", left.notes(left.most_freedom(), left.sizes.rarer)
    found, whole = [], (-math.inf, math.inf)
    for value, se in zip(fit.numbers(), ses.tolist(), strict=True):
        limits = value - reach * se, value + reach * se
        found.append(confidence.interval(value, limits, whole, method, se, notes))
    return Recalibration(*found)


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """The logistic regression of outcomes on log-odds of PDs."""

    x: Floats  # log-odds of each PD
    p: Floats  # positives and negatives there
    n: Floats
    line: Floats  # intercept and slope of the largest likelihood

    @classmethod
    def of(cls, cells: ScoreCounts) -> LogisticFit:
        """Return the fit, or raise ValueError where there is none."""
        from scipy.special import logit

        require(cells, "positives", "negatives")
        each = pds(cells)
        if not ((each > 0) & (each < 1)).all():
            raise ValueError("PDs of 0 or 1 have no log-odds; floor them, such as at 0.0003")
        if len(each) == 1:
            raise ValueError("all PDs are alike, so there is no slope")
        hit, missed = each[cells.positives > 0], each[cells.negatives > 0]
        if hit.min() >= missed.max() or hit.max() <= missed.min():
            raise ValueError("the PDs separate positives from negatives, so no slope is finite")
        p, n = (column.astype(np.float64) for column in cells.sums)
        return cls(logit(each), p, n, np.array([0.0, 1.0])).fitted()

    def fitted(self) -> LogisticFit:
        """Return the fit with the line of the largest likelihood."""
        return replace(self, line=self._climbed(self.line, slice(None)))

    def likelihood(self, line: Floats) -> float:
        """Return the logarithm of the likelihood at an intercept and a slope."""
        eta = line[0] + line[1] * self.x
        # The logarithm of 1 + e^|η|, less |η|, is that of either class at the likelier outcome.
        short, far = np.log1p(np.exp(-np.abs(eta))), np.where(eta > 0, self.n, -self.p) * eta
        return -float((self.p + self.n) @ short + far.sum())

    def _derivatives(self, line: Floats) -> tuple[Floats, Floats]:
        """Return the first derivatives of the log-likelihood, and less the second ones."""
        from scipy.special import expit

        cases, rate = self.p + self.n, expit(line[0] + line[1] * self.x)
        missed = self.p - cases * rate
        first = np.array([missed.sum(), missed @ self.x])
        return first, self._squares(cases * rate * (1 - rate))

    def _squares(self, weights: Floats) -> Floats:
        """Return the sums of weights, and of their products with x and with its square."""
        across = weights * self.x
        mixed = across.sum()
        return np.array([[weights.sum(), mixed], [mixed, across @ self.x]])

    def _climbed(self, start: Floats, free: slice) -> Floats:
        """Return the line of the largest likelihood by Newton's steps, in its free numbers."""
        line, now = start.copy(), self.likelihood(start)
        for _ in range(MOST_STEPS):
            first, second = self._derivatives(line)
            step = np.zeros(2)
            try:
                step[free] = np.linalg.solve(second[free, free], first[free])
            except np.linalg.LinAlgError as why:
                raise ValueError("these cases do not tell a slope of the PDs") from why
            while (then := self.likelihood(line + step)) < now * (1 + FIT_TOLERANCE):
                step /= 2
            line, now = line + step, then
            if np.abs(step).max() <= FIT_TOLERANCE * (1 + np.abs(line).max()):
                break
        return line

    @property
    def _in_the_large(self) -> Floats:
        return self._climbed(np.array([0.0, 1.0]), slice(0, 1))

    def numbers(self) -> list[float]:
        """Return intercept, slope, and the intercept at slope 1."""
        return [*self.line.tolist(), float(self._in_the_large[0])]

    def errors(self, cells: ScoreCounts) -> Floats:
        """Return the standard errors of these; of weights by the sandwich variance."""
        from scipy.special import expit

        large = self._in_the_large
        inverse = np.linalg.inv(self._derivatives(self.line)[1])
        alone = np.diag([1 / self._derivatives(large)[1][0, 0], 0.0])
        if cells.weights is not None:
            masses, sums = designs.squared_masses(cells), (self.p.sum(), self.n.sum())
            of1, of0 = (mass * whole**2 for mass, whole in zip(masses, sums, strict=True))

            def between(bread: Any, line: Floats) -> Any:
                rate: Floats = expit(line[0] + line[1] * self.x)
                return bread @ self._squares(of1 * (1 - rate) ** 2 + of0 * rate**2) @ bread

            inverse, alone = between(inverse, self.line), between(alone, large)
        return np.sqrt([*np.diag(inverse), alone[0, 0]])

    def of_samples(self, p: Floats, n: Floats) -> Floats:
        """Return the same numbers of samples at the same PDs."""
        rows = zip(p, n, strict=True)
        return np.array([replace(self, p=a, n=b).fitted().numbers() for a, b in rows])
