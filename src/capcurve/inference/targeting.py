"""Whether a score tells whom a treatment moves, and how many to treat at a cost."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from capcurve.counts.trials import ARMS, ArmRows, TrialRows
from capcurve.curves.trials import TrialPoints, curve_of_profits, points_of_arms, uplift_points
from capcurve.gate.taking import takes_arms, takes_trials
from capcurve.inference import trials
from capcurve.inference.designs import ERROR_ROUNDING, MAXIMUM_DRAWS, ClassSizes, as_money, left_out
from capcurve.inference.differences import p_value_of
from capcurve.inference.discrimination import Tail, discrimination_test
from capcurve.inference.family import symmetric_root
from capcurve.inference.limits import around
from capcurve.inference.rates import both_limits
from capcurve.inference.records import Confidence, Interval, IntervalRequest, Test
from capcurve.numbers.arguments import as_word
from capcurve.numbers.meeting import as_written, rounded_to
from capcurve.numbers.plain import plain
from capcurve.show.columns import formed
from capcurve.show.format import (
    Worded,
    chance_text,
    cut_off,
    money,
    number,
    percent,
    stated_percent,
)
from capcurve.show.presentation import Figure, Presentation
from capcurve.show.table import Table, score_column
from capcurve.tables.gains import ends_of_bins
from capcurve.tables.thresholds import with_cutoffs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.counts import Trial, UpliftCounts
    from capcurve.numbers.types import Bools, Floats, Places

# At so many cut-offs of each trial profits are drawn, and compared with each other.
MOST_TRIAL_CUTOFFS, MOST_COMPARED = 300, 100
# Where so much of the list may be the best share, the trial says next to nothing about it.
UNSETTLED = 0.5
ABOVE_NOTHING = 1e-300  # what keeps comparisons with nothing from passing
OF_BINS = ("rate_treated", "rate_control", "uplift", "uplift_low", "uplift_high")
# What stands above columns of which a page has no room for more.
SHORT = {"score_from": "from", "score_to": "to", "selected": "top", "cum_uplift": "cum uplift"}
SHORT |= {"uplift_low": "low", "uplift_high": "high", "cum_low": "cum low", "cum_high": "cum high"}
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
        found: Any = trials.left_out_of(trial, TrialPoints.qini)
    else:
        (found,) = trials.estimates([(uplift_points(trial), trials.trial_rows(trial))], "qini")
    value, se, df = float(found.values[0]), found.se(), found.freedom()
    shows = se > 0 and not found.too_few
    statistic = value / se if shows else 0.0
    return Test(
        name="Qini = 0",
        statistic=statistic,
        p_value=p_value_of(statistic, df, alternative),
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
    uplift_points(trial)  # which refuses an arm without cases
    found = replace(discrimination_test(trial.arms), name="treatment is balanced along the score")
    if found.p_value >= UNBALANCED or found.estimate is None:
        return found
    side = "higher" if found.estimate > 0.5 else "lower"  # noqa: PLR2004 - no order
    note = (
        f"treated cases rank {side} than controls (AUC {number(found.estimate)}, "
        f"{chance_text(found.p_value)}), so treatment followed the score and differences are not "
        "effects; where propensities are known, take effect_scores"
    )
    return replace(found, notes=(*found.notes, note))


@takes_arms
def uplift_table(trial: UpliftCounts, *, bins: Any = 10, level: float = 0.95) -> Table:
    """Return the uplift table: outcomes of both arms and the uplift, by bin and from the top down.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`.
    bins
        As in `gains_table`.
    level
        Confidence level of the limits.

    Returns
    -------
    Table
        Columns bin, score_from, score_to, n, treated, control, rate_treated, rate_control (mean
        amounts), uplift, uplift_low, uplift_high, cum_n, selected, cum_uplift, cum_low, cum_high,
        gain (per case of the list). NaN where an arm has no cases; of clusters, limits are found
        by leaving out groups of them, and NaN where an arm has cases of one group alone.

    Examples
    --------
    >>> from capcurve import UpliftCounts
    >>> trial = UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [3, 3])
    >>> uplift_table(trial, bins=2)["uplift"]
    array([0.5, 0. ])
    """
    confidence, rows, points = Confidence(level), trials.trial_rows(trial), uplift_points(trial)
    arms = trial.arms
    ends = np.asarray(ends_of_bins(arms, bins)[0])
    starts = np.append(0, ends[:-1])
    parts = [_between(rows, start, end) for start, end in zip(starts, ends, strict=True)]
    held = np.array([np.append(0, np.cumsum(arm.cases))[ends] for arm in rows.arms])
    cases, selected, full = np.diff(held, prepend=0), held.sum(axis=0), ends > starts
    columns: dict[str, Any] = {
        "bin": np.arange(1, len(ends) + 1),
        "score_from": score_column(rows.thresholds[starts[full]], full),
        "score_to": score_column(rows.thresholds[ends[full] - 1], full),
        "n": cases.sum(axis=0),
        **dict(zip(ARMS, cases, strict=True)),
    }
    own = np.array([_rates_and_uplift(part, confidence) for part in parts])
    down, known = np.full((len(ends), 3), np.nan), np.flatnonzero(held.min(axis=0))
    for place in known:
        share = float(selected[place] / points.n)
        found = trials.trial_limits(points, rows, "uplift", share, "envelope", confidence)
        down[place] = found.estimate, *found
    if trial.groups is not None:
        own[:, 3:] = _limits_of_bins(trial.groups, rows, ends, confidence)
        limits = np.array(trials.limits_along(trial, selected[known] / points.n, confidence)).T
        down[known, 1:] = np.where(np.isfinite(limits), limits, np.nan)
    own[0, 3:] = down[0, 1:]  # of the first bin both are the same number, which has one interval
    columns |= dict(zip(OF_BINS, own.T, strict=True))
    columns |= {"cum_n": selected, "selected": selected / points.n}
    columns |= dict(zip(("cum_uplift", "cum_low", "cum_high"), down.T, strict=True))
    columns["gain"] = columns["selected"] * columns["cum_uplift"]
    return with_cutoffs(uplift_columns(columns, level, yes_no=rows.yes_no), arms)


def uplift_columns(columns: Mapping[str, Any], level: float, *, yes_no: bool) -> Table:
    """Return a table of uplifts, whose numbers are shares, or means of amounts."""
    numbers = f"{' '.join(OF_BINS)} cum_uplift cum_low cum_high gain"
    kind, form = ("rate", "share") if yes_no else ("mean", "ratio")
    arms = {f"rate_{arm}": f"{arm} {kind}" for arm in ARMS}
    forms = {"score": "score_from score_to", "share": "selected"}
    forms[form] = f"{forms.get(form, '')} {numbers}"
    known = formed(columns, SHORT | arms, **forms)
    return Table("uplift", known, f"{stated_percent(level)} interval of each uplift by itself")


def _limits_of_bins(
    groups: Sequence[UpliftCounts], rows: TrialRows, ends: Places, confidence: Confidence
) -> Floats:
    """Return limits of the uplift of each bin by leaving out groups of clusters: shape (m, 2)."""
    at = {score: place for place, score in enumerate(rows.thresholds.tolist())}
    parts = np.array([_sums_of_bins(group.rows(), rows, at, ends) for group in groups if group.n])
    held, found = (parts[:, :, 0] > 0).sum(axis=0), np.full((len(ends), 2), np.nan)
    whole = parts.sum(axis=0)
    for place in np.flatnonzero((held > 1).all(axis=0)):
        value, rest = (
            (sums[..., 0, 1] / sums[..., 0, 0] - sums[..., 1, 1] / sums[..., 1, 0])
            for sums in (whole[..., place], (whole - parts)[..., place])
        )
        sizes = ClassSizes(*held[:, place].astype(np.float64).tolist())
        left = left_out(np.atleast_1d(value), (rest - value)[:, None], len(parts), sizes)
        reach = confidence.t(left.freedom()) * left.se()
        found[place] = value - reach, value + reach
    return found


def _sums_of_bins(part: TrialRows, rows: TrialRows, at: Mapping[Any, int], ends: Places) -> Floats:
    """Return cases and sums of outcomes of each arm of a group by bin: shape (2, 2, m)."""
    scores = rounded_to(part.thresholds, rows.thresholds.dtype)
    place = np.array([at[score] for score in scores.tolist()])
    bins, moved = np.searchsorted(ends, place, side="right"), part.centre - rows.centre
    columns = [(arm.cases, arm.totals + moved * arm.cases) for arm in part.arms]
    return np.array([[np.bincount(bins, each, len(ends)) for each in arm] for arm in columns])


def _between(rows: TrialRows, start: int, end: int) -> TrialRows:
    """Return the rows of some neighbouring scores, put together."""
    arms = []
    for arm in rows.arms:
        inside = (arm.place >= start) & (arm.place < end)
        place = np.zeros(int(inside.sum()), dtype=np.intp)
        sums = [column[start:end].sum(keepdims=True) for column in (arm.cases, arm.totals)]
        arms.append(ArmRows(place, arm.outcome[inside], arm.times[inside], *sums))
    return replace(rows, thresholds=rows.thresholds[end - 1 : end], arms=tuple(arms))


def _rates_and_uplift(rows: TrialRows, confidence: Confidence) -> list[float]:
    """Return both rates, or mean amounts, and the uplift with limits; NaN without cases."""
    rates = [float(a.totals.sum()) / a.n + rows.centre if a.n else np.nan for a in rows.arms]
    if not all(arm.n for arm in rows.arms):
        return [*rates, np.nan, np.nan, np.nan]
    points = points_of_arms(rows)
    if rows.yes_no:  # two rates of cases that no cut-off moves
        return [*rates, points.effect, *trials.newcombe_difference(points, 1.0, confidence)]
    found = trials.trial_limits(points, rows, "uplift", None, "envelope", confidence)
    return [*rates, found.estimate, *found]


def limits_of_arm(table: Table, arm: str, level: float) -> tuple[Floats, Floats]:
    """Return Wilson's limits of the rate of an arm in each bin of an uplift table of positives."""
    cases, sure = table[arm], Confidence(level)
    hits = np.minimum(np.nan_to_num(table[f"rate_{arm}"]), 1) * cases
    found = both_limits(hits, np.maximum(cases, 1), "wilson", sure)
    low, high = (np.where(cases > 0, each, np.nan) for each in found)
    return low, high


@dataclass(frozen=True, slots=True, eq=False)
class Profits:
    """Profits per case of the list at some cut-offs, that of treating nobody first."""

    places: Places  # how many cut-offs of the uplift curve each has, 0 for nobody, shape (m,)
    values: Floats
    covariance: Floats  # how they vary together, shape (m, m)
    df: float  # degrees of freedom of the variance of the largest
    known: bool = True  # whether the sample shows how they vary

    @property
    def best(self) -> int:
        """The last of the largest."""
        return int(np.flatnonzero(self.values == self.values.max())[-1])

    def limits(self, confidence: Confidence) -> tuple[Floats, Floats]:
        """Return the limits of each profit by itself."""
        reach = confidence.t(self.df) * np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return self.values - reach, self.values + reach

    def drawn(self) -> Floats:
        """Return normal numbers that vary together as these do, around 0: shape (DRAWS, m)."""
        normal = np.random.default_rng(0).normal(size=(MAXIMUM_DRAWS, len(self.values)))
        return np.asarray(normal @ symmetric_root(self.covariance))

    def largest_lead(self, told: Bools, se: Floats, tail: float) -> float:
        """Return what the largest error of these profits, in standard errors, rarely exceeds."""
        if not told.any():
            return 0.0
        spread = np.sqrt(np.random.default_rng(1).chisquare(self.df, MAXIMUM_DRAWS) / self.df)
        largest = (self.drawn()[:, told] / se[told]).max(axis=1) / spread
        return float(np.quantile(largest, 1 - tail))


def profits_at(trial: Trial, value: float, cost: float, most: int = MOST_COMPARED) -> Profits:
    """Return profits at about so many cut-offs, the best one and nobody among them."""
    points, rows = uplift_points(trial), trials.trial_rows(trial)
    curve = curve_of_profits(points, value, cost).y
    best = np.flatnonzero(curve == curve.max())
    places = np.union1d(np.linspace(0, len(curve) - 1, most).astype(np.intp), best[[0, -1]])
    if trial.groups is not None:
        shares = points.shares[places]
        left = trials.left_out_of(
            trial, lambda rest: curve_of_profits(rest, value, cost).at(shares)
        )
        freedom, known = left.most_freedom(), not left.too_few
        return Profits(places, curve[places], left.covariance(), freedom, known)
    found = np.zeros((len(places), len(places)))
    (moved,) = trials.estimates([(points, rows)], "uplift")
    try:
        with np.errstate(over="raise", invalid="raise"):
            found[1:, 1:] = _covariance(points, rows, places[1:] - 1, (value, cost))
    except FloatingPointError as error:
        raise ValueError(
            "the variance of these profits is beyond what a float holds; scale the money down"
        ) from error
    return Profits(places, curve[places], found, moved.freedom())


def _covariance(
    points: TrialPoints, rows: TrialRows, at: Places, money_of_each: tuple[float, float]
) -> Floats:
    """Return how the profits at some cut-offs vary together, of the influences of rows."""
    # A selected row moves the profit of a cut-off by slope·outcome + level + rest, any other row by
    # rest alone; sums over the rows that both of two cut-offs select are those of the earlier one.
    value, cost = money_of_each
    shares, gains = points.shares[1:][at], points.gains[1:][at]
    earlier = np.minimum.outer(np.arange(len(at)), np.arange(len(at)))
    found = np.zeros((len(at), len(at)))
    for sign, arm in zip((1, -1), rows.arms, strict=False):
        powers = (arm.times, arm.times * arm.outcome, arm.times * arm.outcome**2)
        sums = [np.bincount(arm.place, each, len(rows.thresholds)) for each in powers]
        m0, m1, m2 = (np.cumsum(each)[points.first + at] for each in sums)
        if points.arms:
            net = value * gains / shares - cost
            slope = sign * value * shares * (points.n / m0)
            level, rest = net - slope * (m1 / m0), -net * shares
        else:
            slope, level = np.full(len(at), value), np.full(len(at), value * rows.centre - cost)
            rest = cost * shares - value * gains
        whole = slope * m1 + level * m0
        crossed = np.outer(slope, level)
        found += (arm.n / max(arm.n - 1, 1)) * (
            m2[earlier] * np.outer(slope, slope)
            + m1[earlier] * (crossed + crossed.T)
            + m0[earlier] * np.outer(level, level)
            + np.outer(rest, whole)
            + np.outer(whole, rest)
            + arm.n * np.outer(rest, rest)
        )
    return found / points.n**2


def trial_profit_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of the profit per case of the best cut-off, which may treat nobody."""
    # The best cut-off is found in the same rows, so the lower limit is the highest of lower limits
    # that hold at all cut-offs together, each with a few cases of either arm; the upper one is the
    # highest at any cut-off by itself (Chernozhukov, Lee & Rosen 2013, "Intersection bounds").
    found = profits_at(request.counts, request.value, request.cost, MOST_TRIAL_CUTOFFS)
    confidence, best, ends = request.confidence, found.best, (0.0, np.inf)
    t, estimate = confidence.t(found.df), float(found.values[best])
    if not found.known:
        return confidence.interval(estimate, ends, ends, "definition", None, (trials.ONE_GROUP,))
    se = np.sqrt(np.maximum(np.diag(found.covariance), 0.0))
    told = (se > 0) & (_fewest_held(request.counts)[found.places] >= trials.FEW_IN_ARM)
    reach = max(t, found.largest_lead(told, se, confidence.tail))
    low = float((found.values - reach * se)[told].max(initial=0.0))
    limits = around((low, float((found.values + t * se).max())), estimate)
    note = (
        "the best cut-off of a sample looks better than it is; the lower end of the interval "
        "allows for this"
    )
    return confidence.interval(estimate, limits, ends, method, float(se[best]), (note,))


def _fewest_held(trial: Trial) -> Floats:
    """Return how many cases, or groups of clusters, of the smaller arm are above each cut-off."""
    # Groups are shared out among the cut-offs as cases are; that of treating nobody is first.
    points = uplift_points(trial)
    arms = [cases for cases, _ in points.arms] or [points.selected[1:]]
    held = [float(cases[-1]) for cases in arms]
    if trial.groups is not None:
        names = ARMS if points.arms else ("",)
        held = [float(sum(getattr(g, name, g).n > 0 for g in trial.groups)) for name in names]
    shares = [most * cases / cases[-1] for most, cases in zip(held, arms, strict=True)]
    return np.append(0.0, np.min(shares, axis=0))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BestShare(Interval):
    """The share of cases to treat that brings most, and the shares that may.

    Attributes
    ----------
    low, estimate, high
        The share that brings most in this sample, and between which shares it may lie.
    level, method, se, notes, replicates
        As in `Interval`; there is no standard error, and there are no replicates.
    threshold
        The lowest-ranked score that is still treated; None where it is best to treat nobody.
    profit, profit_low, profit_high
        The profit per case of the list, with its limits.
    value, cost
        What one more outcome brings, and treating one case costs.
    rule
        The cut-off as one may type it.
    """

    threshold: Any = None
    profit: float = 0.0
    profit_low: float = 0.0
    profit_high: float = 0.0
    value: float = 0.0
    cost: float = 0.0
    rule: str = ""

    @property
    def per_hundred(self) -> list[Worded]:
        """The profit per 100 customers of the list and its limits, with as many digits as tell."""
        found = [100 * each for each in (self.profit, self.profit_low, self.profit_high)]
        largest = max((abs(each) for each in found if math.isfinite(each)), default=0.0)
        decimals = max(1 - math.floor(math.log10(largest)), 0) if largest else 0
        return [Worded(each, number(each, decimals)) for each in found]

    def sentences_on(self, name: str) -> tuple[str, ...]:
        """Return how many to treat by a score and what it brings, and how sure the depth is."""
        terms = f"at value {money(self.value)} and cost {money(self.cost)}"
        profit, low, high = (each.text for each in self.per_hundred)
        brings = f"{profit} per 100 customers [{low}, {high}]"
        top, rule = percent(self.estimate), re.sub("^score ", f"{name} ", self.rule)
        if self.threshold is None:
            return (f"In this trial no share of the list brings a profit {terms}.",)
        if self.profit_low <= 0:
            said = f"This trial does not show that treating by {name} pays {terms}"
            return (f"{said} (at best the top {top}, {brings}).",)
        said = f"Treating the top {top} ({rule}) brings the largest profit, {brings}, {terms}."
        may = f"nywhere from {percent(self.low, 0)} to {percent(self.high, 0)} may be best"
        settled = self.high - self.low < UNSETTLED
        return said, f"A{may}." if settled else f"The data do not settle the depth: a{may}."

    def figures(self) -> tuple[Figure, Figure]:
        """Return the profit per 100 customers, and the share to treat."""
        label, share = "Profit per 100 customers", "Share to treat"
        value, low, high = self.per_hundred
        return (
            Figure("profit", label, label, value, "quantity", low, high),
            Figure("share", share, share, self.estimate, "share", self.low, self.high),
        )

    def presentation(self) -> Presentation:
        """Return what is said of the best share: how many to treat, and what it brings."""
        shown = Interval.presentation(self)
        about: Any = {"sentences": self.sentences_on("score"), "figures": self.figures()}
        return replace(shown, title="Best share to treat", **about)


@takes_trials
def best_share(trial: Trial, *, value: float, cost: float, level: float = 0.95) -> BestShare:
    """Return the best share of cases to treat at a cost, with all shares that may be best.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`, or of `count_values` on effect scores.
    value
        What one more outcome (one unit of the amount) brings, in any unit of money.
    cost
        What treating one case costs, in the same unit.
    level
        Confidence level of the limits of the share and of the profit.

    Returns
    -------
    BestShare
        Its limits are the smallest and the largest share for which it is not shown that another one
        brings more; they are wide, as profits hardly differ near the best one.

    Notes
    -----
    At each of about 100 cut-offs the largest lead of any other, in standard errors, is held against
    the quantile of 1,000 draws of profits that vary together as these do. The lower limit of the
    profit is the highest of those that hold at all cut-offs together (Chernozhukov, Lee & Rosen
    2013, "Intersection bounds"), with at least 10 cases of either arm, or groups of clusters.

    Examples
    --------
    Three of four buy where one would, at a cost of .3 each: .5·.5 - .5·.3 per case of the list.

    >>> from capcurve import UpliftCounts
    >>> trial = UpliftCounts.from_counts([2, 1], [30, 10], [10, 30], [10, 10], [30, 30])
    >>> found = best_share(trial, value=1, cost=0.3)
    >>> found.estimate, round(found.profit, 12), found.rule
    (0.5, 0.1, 'score ≥ 2')
    """
    value, cost = as_money(value, "value"), as_money(cost, "cost")
    confidence = Confidence(level)
    found, points = profits_at(trial, value, cost), uplift_points(trial)
    held = points.shares[found.places[_may_be_best(found, confidence)]]
    best = int(found.places[found.best])
    threshold = None if best == 0 else plain(as_written(points.thresholds[best - 1 : best]))[0]
    request = IntervalRequest(trial, "profit", None, confidence, {"value": value, "cost": cost})
    profit = trial_profit_interval(request, "multiplier_bootstrap")
    return BestShare(
        low=float(held.min()),
        estimate=float(points.shares[best]),
        high=float(held.max()),
        level=confidence.level,
        method="multiplier draws",
        se=None,
        notes=profit.notes,
        threshold=threshold,
        profit=profit.estimate,
        profit_low=profit.low,
        profit_high=profit.high,
        value=value,
        cost=cost,
        rule=cut_off(threshold, trial.higher_is, graded=getattr(trial, "levels", None) is not None),
    )


def _may_be_best(found: Profits, confidence: Confidence) -> Places:
    """Return which cut-offs none is shown to be better than."""
    drawn, v = found.drawn(), found.covariance
    kept = []
    for place, profit in enumerate(found.values):
        se = np.sqrt(np.maximum(np.diag(v) + v[place, place] - 2 * v[place], 0.0))
        differs = se > ERROR_ROUNDING * max(float(np.sqrt(np.diag(v).max())), ABOVE_NOTHING)
        if not differs.any():
            kept.append(place)
            continue
        lead = (found.values - profit)[differs] / se[differs]
        leads = (drawn[:, differs] - drawn[:, [place]]) / se[differs]
        if lead.max() <= np.quantile(leads.max(axis=1), confidence.level):
            kept.append(place)
    return np.array(kept, dtype=np.intp)
