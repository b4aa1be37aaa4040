"""Control charts: the samples by period, and the control limit, found by simulation or stored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.digest import is_sealed, sealed
from capcurve.counts.times import as_text, taken_by
from capcurve.curves.shares import require
from capcurve.curves.simplify import grouped_neighbours
from capcurve.gate.alike import refuse_unlike
from capcurve.gate.given import Segmented, as_ranking, counts_alike, segments
from capcurve.inference.designs import require_two
from capcurve.inference.planning import normal_spreads
from capcurve.inference.samples import aucs, placements
from capcurve.inference.variances import groups_left_out, variance_parts
from capcurve.metrics import accuracy_ratio
from capcurve.numbers.arguments import (
    arg,
    as_finite,
    as_number,
    as_typed,
    as_whole,
    refused,
    told,
    word,
)
from capcurve.numbers.order import LARGEST_TOTAL
from capcurve.numbers.periods import by_time
from capcurve.show.result import Record

if TYPE_CHECKING:
    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.numbers.types import Floats

# Samples are simulated from at most so many cells: ties this fine change no limit.
MOST_CELLS_SIMULATED = 200
# Beyond it there is next to no chance left in normal scores.
MOST_KNOWN = 0.9999
A_RATIO = "an accuracy ratio, or (accuracy ratio, positives, negatives)"
PERFECT_INITIAL = (
    "the initial sample ranks every pair alike and so does not show how chance moves its accuracy "
    "ratio; take an initial sample with more cases"
)
MOST_PERIODS = 1000
# With more periods the covariance that groups of clusters show is too rough.
MOST_CLUSTERED = 20


@dataclass(frozen=True, slots=True, eq=False)
class CellShares:
    """The shares of positives and of negatives in each cell, the riskiest first; (K,) each."""

    positives: Floats
    negatives: Floats

    @property
    def auc(self) -> float:
        """The AUC of cases with these shares."""
        below = 1 - np.cumsum(self.negatives) + self.negatives / 2
        return float(self.positives @ below)

    def lowered_to(self, auc: float, *, rarer: str) -> CellShares:
        """Return cells of at most this AUC: some of the rarer class stand where they are worst.

        >>> lowered = CellShares(np.array([0.5, 0.5]), np.array([0.0, 1.0])).lowered_to(
        ...     0.6, rarer="positives"
        ... )
        >>> lowered.positives.round(6).tolist(), round(lowered.auc, 6)
        ([0.0, 0.4, 0.4, 0.2], 0.6)
        """
        share = max(1 - auc / self.auc, 0.0) if self.auc > 0 else 0.0
        positives, negatives = (share, 0.0) if rarer == "positives" else (0.0, share)
        return CellShares(
            np.concatenate([[0.0], (1 - positives) * self.positives, [positives]]),
            np.concatenate([[negatives], (1 - negatives) * self.negatives, [0.0]]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Initial:
    """What periods are compared with."""

    ratio: float
    sizes: tuple[int, int] | None  # positives and negatives; None for a value known without error
    spreads: tuple[float, float]  # variances of their placements, without counts of normal scores
    counts: Ranking | None = None

    @property
    def auc(self) -> float:
        """The AUC of the initial sample."""
        return (1 + self.ratio) / 2

    @property
    def digest(self) -> str | None:
        """The fingerprint of the counts, if there are counts that have one."""
        return None if self.counts is None else self.counts.digest()

    def variance(self, n1: int, n0: int) -> float:
        """Return the variance that the accuracy ratio of so many cases has; NaN without a class."""
        if not (n1 and n0):
            return math.nan
        return 4 * (self.spreads[0] / n1 + self.spreads[1] / n0)


def as_initial(given: Any) -> Initial:
    """Return the initial sample, of counts or of a value, else raise TypeError or ValueError."""
    if isinstance(given, tuple | list):
        return _of_sizes(given)
    if isinstance(given, int | float | np.number) and not isinstance(given, bool):
        return _of_value(given, None)
    try:
        counts = as_ranking(given, "control_chart")
    except TypeError:
        raise TypeError(
            f"{refused('initial')} be the counts of the initial sample, {A_RATIO}; "
            f"got {told(given)}"
        ) from None
    _refuse_weights(counts, "the initial sample")
    require(counts, "positives", "negatives")
    require_two(counts, "the initial sample of a control chart")
    parts = variance_parts(counts)
    if not sum(parts) > 0:
        raise ValueError(PERFECT_INITIAL)
    n1, n0 = int(counts.n1), int(counts.n0)
    return Initial(accuracy_ratio(counts), (n1, n0), (parts[0] * n1, parts[1] * n0), counts)


def _refuse_weights(counts: Ranking, whose: str) -> None:
    """Raise ValueError where samples cannot be simulated, as cases are weighted."""
    if counts_alike(counts):
        return
    if taken := taken_by(counts):
        raise ValueError(
            f"a control chart simulates samples of cases of which all is known, and {whose} has "
            f"{as_typed(horizon=as_text(taken[1]))}, before which some are censored; take a "
            "horizon to which all are followed"
        )
    raise ValueError(
        f"a control chart simulates samples of cases, and {whose} has weights; count without "
        f"{arg('weight')}, or with {word(weight_kind='frequency')}"
    )


def _of_sizes(given: tuple[Any, ...] | list[Any]) -> Initial:
    if len(given) != 3:  # noqa: PLR2004 - the ratio and both sizes
        raise TypeError(f"{refused('initial')} be counts, {A_RATIO}; got {told(given)}")
    ratio, n1, n0 = given
    n1 = as_whole(n1, "the positives of initial", 1, LARGEST_TOTAL)
    n0 = as_whole(n0, "the negatives of initial", 1, LARGEST_TOTAL)
    return _of_value(ratio, (n1, n0))


def _of_value(given: Any, sizes: tuple[int, int] | None) -> Initial:
    ratio = as_number(given, "initial")
    if not abs(ratio) <= MOST_KNOWN:
        raise ValueError(
            f"{refused('initial')} be an accuracy ratio from {-MOST_KNOWN:g} to "
            f"{MOST_KNOWN:g}, got {told(given)}"
        )
    spread = float(normal_spreads((1 + ratio) / 2)[0])
    return Initial(ratio, sizes, (spread, spread))


@dataclass(frozen=True, slots=True, eq=False)
class Periods:
    """Counts by period in order of time; rows without a period are apart."""

    counts: Mapping[Any, Ranking]
    without: int = 0

    @property
    def known(self) -> list[Ranking]:
        """Return the periods that have both classes."""
        return [each for each in self.counts.values() if each.n1 > 0 and each.n0 > 0]

    @property
    def clustered(self) -> bool:
        """Whether rows are clustered."""
        return any(counts.groups is not None for counts in self.counts.values())

    @property
    def mean_size(self) -> tuple[int, int]:
        """How many positives and negatives a period holds in the mean of those with both."""
        known = self.known
        n1, n0 = sum(int(each.n1) for each in known), sum(int(each.n0) for each in known)
        return max(round(n1 / len(known)), 1), max(round(n0 / len(known)), 1)

    def sizes(self, horizon: int) -> list[tuple[int, int]]:
        """Return positives and negatives of each period, with those to come of the mean size."""
        found = [(int(each.n1), int(each.n0)) for each in self.known]
        return found + [self.mean_size] * (horizon - len(self.counts))


OF_PERIODS = Segmented(
    "control_chart takes counts by period, got {kind}: write control_chart(y, p, initial, "
    "by=month)",
    "there are no periods; count them with count_segments(y, p, by=month)",
    "periods has those of several scores, {names}; pass evaluation.segments[score]",
)


def as_periods(given: Any, initial: Initial) -> Periods:
    """Return counts by period, else raise TypeError or ValueError in one line."""
    held = segments(given, "control_chart", OF_PERIODS)
    found: dict[Any, Ranking] = {}
    for key, counts in held.items():
        try:
            found[key] = as_ranking(counts, "control_chart")
        except TypeError as error:
            raise TypeError(f"periods[{key!r}]: {error}") from None
    found = by_time(found)
    without = found.pop(None, None)
    periods = Periods(found, 0 if without is None else int(without.n))
    if len(found) > MOST_PERIODS:
        raise ValueError(f"{len(found)} periods are more than {MOST_PERIODS}; put some together")
    named: dict[str, Any] = {f"period {key}": counts for key, counts in found.items()}
    for whose, counts in named.items():
        _refuse_weights(counts, whose)
    if initial.counts is not None:
        named = {"the initial sample": initial.counts, **named}
    refuse_unlike(list(named.values()), list(named))
    if not periods.known:
        raise ValueError("a control chart needs a period with positives and negatives; none has")
    _check_clusters(periods, initial)
    return periods


def _check_clusters(periods: Periods, initial: Initial) -> None:
    """Raise ValueError where clusters are known of some samples and not of others."""
    several = {counts.groups is not None for counts in periods.known}
    if len(several) > 1:
        raise ValueError(
            f"some periods have clusters and some have none; count all with {arg('cluster')}"
        )
    of_initial = initial.counts is not None and initial.counts.groups is not None
    if of_initial and not periods.clustered:
        raise ValueError(
            "the initial sample has clusters and the periods have none; count both with "
            f"{arg('cluster')}"
        )


def quiet_cells(initial: Initial, periods: Periods) -> CellShares:
    """Return the cells that samples are drawn from while nothing changes."""
    # They are those of the initial sample. Where only its accuracy ratio is known they are those of
    # all periods together: a value does not tell how chance moves it. If these rank better than the
    # value says, they lack cases that rank badly; so many of the rarer class are placed worst.
    if initial.counts is not None:
        return _cells_of(initial.counts.vertices)
    known = [each.vertices for each in periods.known]
    together = type(known[0]).merge(known)
    require_two(together, "a control chart without the counts of an initial sample")
    rarer = "positives" if together.n1 <= together.n0 else "negatives"
    return _cells_of(together).lowered_to(initial.auc, rarer=rarer)


def _cells_of(counts: ScoreCounts) -> CellShares:
    few = grouped_neighbours(counts, MOST_CELLS_SIMULATED)
    return CellShares(few.positives / int(counts.n1), few.negatives / int(counts.n0))


# What a fall is looked for, and how often there may be a false alarm, if nothing is said.
USUAL_DROP, USUAL_ALARMS = 0.05, 0.05
LARGEST_SEED = 2**63 - 1
NEVER_SAVED = "{} be a number, or what saved_limit of a control chart holds"
CHART_REPLICATES = 4000
# So many of the series are simulated at once.
SERIES = 1000
# Up to the first number of cases each is drawn by itself, which is quickest. Beyond the second a
# period is drawn from the normal law of all its cells, which is as good and ten times as quick: an
# AUC is linear in the cells of each class, so that its mean and variance stay the same. The initial
# sample is always drawn case by case or cell by cell.
FEW_CASES_DRAWN, MANY_CASES = 200, 400


class LimitError(ValueError):
    """A limit that was given is none, or is that of another chart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlLimit(Record):
    """A limit, and what it was made for; None where that is not known."""

    _schema_version = 1

    limit: float
    drop: float
    alarms: float | None = None
    horizon: int | None = None
    seed: int | None = None
    replicates: int | None = None
    initial_ar: float | None = None
    initial_digest: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the limit as values that strict JSON can hold, sealed."""
        return sealed(super(ControlLimit, self).to_dict())


def as_limit(given: Any, initial: Initial, asked: Mapping[str, Any]) -> ControlLimit:
    """Return a limit that was given, else raise LimitError or TypeError where it does not fit."""
    if not isinstance(given, Mapping):
        if asked["alarms"] is not None:
            raise LimitError(
                f"alarms makes a limit, and {arg('limit')} gives one; leave one of the two out"
            )
        drop = USUAL_DROP if asked["drop"] is None else asked["drop"]
        return ControlLimit(limit=_as_height(given), drop=drop, horizon=asked["horizon"])
    saved = _read(given)
    for name, value in asked.items():
        known = getattr(saved, name)
        if value is not None and known is not None and not math.isclose(value, known):
            stored, other = (as_typed(**{name: f"{each:g}"}) for each in (known, value))
            raise LimitError(
                f"the stored limit is for {stored}, and {other} is asked for; "
                f"pass {stored}, or leave {arg('limit')} out for a new limit"
            )
    ratio, both = saved.initial_ar, (saved.initial_digest, initial.digest)
    alike = ratio is None or math.isclose(ratio, initial.ratio, abs_tol=1e-9)
    if not (alike if None in both else both[0] == both[1]):
        was = "" if saved.initial_ar is None else f" of accuracy ratio {saved.initial_ar:.4f}"
        raise LimitError(
            f"the stored limit is for another initial sample{was}, and this one has "
            f"{initial.ratio:.4f}; pass that sample, or leave {arg('limit')} out for a new limit"
        )
    return saved


def _read(given: Mapping[Any, Any]) -> ControlLimit:
    """Return what was stored, else raise LimitError that says what is wrong."""
    names = [each.name for each in fields(ControlLimit)]
    if missing := [name for name in names if name not in given]:
        raise LimitError(f"{NEVER_SAVED.format(refused('limit'))}: it has no {missing[0]!r}")
    if not is_sealed(given):
        raise LimitError(
            "the stored limit is damaged or was changed after it was saved; take a copy that was "
            f"not, or leave {arg('limit')} out for a new limit"
        )
    return ControlLimit(**{name: given[name] for name in names})


def _as_height(given: Any) -> float:
    try:
        found = as_finite(given, "limit")
    except ValueError:
        raise TypeError(f"{NEVER_SAVED.format(refused('limit'))}; got {told(given)}") from None
    if found < 0:
        raise LimitError(f"{refused('limit')} be 0 or more, got {told(given)}")
    return found


def cusum_of(ratios: Floats, initial: Floats | float, variances: Floats, drop: float) -> Floats:
    """Return the likelihood-ratio CUSUM along the first axis.

    C = max(0, C + drop·(initial - ratio - drop/2)/variance): the log-likelihood ratio of normal
    accuracy ratios that fell by `drop` against those that did not, begun again at 0 (Page 1954,
    Biometrika 41). It stays where it is in a period without an accuracy ratio, which is NaN.

    >>> cusum_of(np.array([0.5, np.nan, 0.6]), 0.6, np.array([0.01, np.nan, 0.01]), 0.1)
    array([0.5, 0.5, 0. ])
    """
    steps = drop * (initial - ratios - drop / 2) / variances
    found = np.zeros(steps.shape)
    reached = np.zeros(steps.shape[1:])
    for place, step in enumerate(np.where(np.isnan(steps), 0.0, steps)):
        reached = np.maximum(reached + step, 0.0)
        found[place] = reached
    return found


def simulated(
    initial: Initial, cells: CellShares, sizes: Sequence[tuple[int, int]], drop: float, seed: int
) -> Floats:
    """Return C in 4,000 series of periods in which nothing has changed, shape (periods, series)."""
    # In every series the initial sample, if it is one, and each period are drawn from the cells.
    rng = np.random.default_rng(seed)
    first, (of_positives, of_negatives) = _initial_samples(rng, initial, cells)
    ratios = np.empty((len(sizes), CHART_REPLICATES))
    variances = np.empty((len(sizes), CHART_REPLICATES))
    for place, (n1, n0) in enumerate(sizes):
        ratios[place] = 2 * _aucs(rng, cells, n1, n0) - 1
        variances[place] = 4 * (of_positives / n1 + of_negatives / n0)
    return cusum_of(ratios, first, variances, drop)


def simulated_clustered(
    initial: Initial, periods: Sequence[ScoreCounts], drop: float, seed: int
) -> Floats:
    """Return the same for clustered periods, from the normal law that the jackknife finds."""
    # Groups of clusters are left out of all periods at once, and of the initial sample if that has
    # clusters too, so that obligors may be in several.
    whole = initial.counts
    together = [whole.every_score()] if whole is not None and whole.groups is not None else []
    left = groups_left_out([*together, *periods])
    if left.too_few:
        raise ValueError(
            "in a clustered period fewer than two groups of clusters hold a class, so how it "
            "varies is not known; put periods together"
        )
    rng = np.random.default_rng(seed)
    moved = np.sqrt(left.masses[0]) * left.moves[0]
    drawn = 2 * (rng.standard_normal((CHART_REPLICATES, moved.shape[1])) @ moved.T).T
    own = np.zeros(CHART_REPLICATES)
    if not together and initial.sizes is not None:
        own = rng.standard_normal(CHART_REPLICATES) * initial.variance(*initial.sizes) ** 0.5
    first, ratios = (drawn[0], drawn[1:]) if together else (own, drawn)
    variances = np.array([initial.variance(int(c.n1), int(c.n0)) for c in periods])
    return cusum_of(ratios, first, variances[:, None], drop)


def simulated_limit(
    initial: Initial, periods: Periods, asked: Mapping[str, Any], seed: int
) -> ControlLimit:
    """Return the limit that so many alarms go with, found by simulation."""
    given = len(periods.counts)
    usual: dict[str, Any] = {"drop": USUAL_DROP, "alarms": USUAL_ALARMS, "horizon": given}
    drop, alarms, horizon = (usual[k] if v is None else v for k, v in asked.items())
    if horizon < given:
        raise ValueError(
            f"{refused('horizon')} be at least the {given} periods given, got {horizon}; or "
            "pass the limit that was stored for it"
        )
    if periods.clustered:
        if given > MOST_CLUSTERED:
            raise ValueError(
                f"how clustered periods vary together is known for at most {MOST_CLUSTERED}, "
                f"and there are {given}; join periods, such as months into quarters"
            )
        if horizon > given:
            raise ValueError(
                "how clustered periods to come vary together with these is not known; leave out "
                "horizon, and make the limit anew when there are more periods"
            )
        known = [each.every_score() for each in periods.known]
        charts = simulated_clustered(initial, known, drop, seed)
    else:
        cells = quiet_cells(initial, periods)
        charts = simulated(initial, cells, periods.sizes(horizon), drop, seed)
    # A share `alarms` of the series goes above it in any period.
    limit = float(np.quantile(charts.max(axis=0), 1 - alarms, method="higher"))
    return ControlLimit(
        limit=limit,
        drop=drop,
        alarms=alarms,
        horizon=horizon,
        seed=seed,
        replicates=CHART_REPLICATES,
        initial_ar=initial.ratio,
        initial_digest=initial.digest,
    )


def _initial_samples(
    rng: np.random.Generator, initial: Initial, cells: CellShares
) -> tuple[Floats | float, tuple[Floats | float, Floats | float]]:
    """Return the accuracy ratios of simulated initial samples, and how their placements vary."""
    from scipy.special import expit, logit as log_odds

    if initial.sizes is None:
        return 2 * cells.auc - 1, initial.spreads
    n1, n0 = initial.sizes
    if initial.counts is None:
        drawn, inside = _aucs(rng, cells, n1, n0), 0.5 / n1 / n0
        # About the initial value, on the scale of log-odds: what the periods show may be far off.
        moved = log_odds(np.clip(drawn, inside, 1 - inside)) - log_odds(cells.auc)
        about = expit(log_odds(np.clip(initial.auc, inside, 1 - inside)) + moved)
        return 2 * drawn - 1, normal_spreads(np.clip(about, inside, 1 - inside))
    found = [_placed(rng, cells, n1, n0) for _ in range(CHART_REPLICATES // SERIES)]
    drawn, of_positives, of_negatives = (np.concatenate(each) for each in zip(*found, strict=True))
    return 2 * drawn - 1, (of_positives, of_negatives)


def _placed(
    rng: np.random.Generator, cells: CellShares, n1: int, n0: int
) -> tuple[Floats, Floats, Floats]:
    """Return the AUCs of simulated samples, and the variances of the placements in each class."""
    # A sample without any variance has that of half a case in the rarest place.
    p, n = _drawn(rng, cells.positives, n1), _drawn(rng, cells.negatives, n0)
    found, over_positives, over_negatives = placements(p, n)
    spreads = []
    for shares, over, size in ((p, over_positives, n1), (n, over_negatives, n0)):
        square = np.einsum("ij,ij->i", shares, (over - found[:, None]) ** 2)
        spreads.append(np.maximum(square * size / (size - 1), 1 / (4 * n1 * n0)))
    return found, spreads[0], spreads[1]


def _aucs(rng: np.random.Generator, cells: CellShares, n1: int, n0: int) -> Floats:
    """Return the AUCs of samples of this size, one for each series."""
    found = (
        aucs(_shares(rng, cells.positives, n1), _shares(rng, cells.negatives, n0))
        for _ in range(CHART_REPLICATES // SERIES)
    )
    return np.concatenate([*found])


def _drawn(rng: np.random.Generator, chances: Floats, size: int) -> Floats:
    """Return which share of `size` cases falls into each cell, shape (series, K)."""
    if size <= FEW_CASES_DRAWN:
        upto = np.cumsum(chances)
        cells = np.searchsorted(upto / upto[-1], rng.random((SERIES, size)), side="right")
        cells += len(chances) * np.arange(SERIES)[:, None]
        sums = np.bincount(cells.ravel(), minlength=SERIES * len(chances))
        return sums.reshape(SERIES, -1) / size
    return rng.multinomial(size, chances / chances.sum(), size=SERIES) / size


def _shares(rng: np.random.Generator, chances: Floats, size: int) -> Floats:
    """Return the same, by the normal law where cases are many."""
    if size <= MANY_CASES:
        return _drawn(rng, chances, size)
    roots = np.sqrt(chances)
    normal = rng.standard_normal((SERIES, len(chances)))
    # Not by matrix products: on a busy machine the threads behind them wait for each other.
    total = np.einsum("ij,j->i", normal, roots)
    shares: Floats = chances + (roots * normal - chances * total[:, None]) / size**0.5
    return shares
