"""The samples of a control chart: the initial one, and the periods that are held against it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import as_number, as_whole, told
from capcurve.counts.given import as_ranking
from capcurve.counts.settings import settings_of
from capcurve.curves.shares import require
from capcurve.curves.simplify import grouped
from capcurve.inference.sizes import require_two
from capcurve.inference.variances import variance_parts
from capcurve.metrics import accuracy_ratio

if TYPE_CHECKING:
    from capcurve.counts import Ranking
    from capcurve.counts.types import Floats

# Samples are simulated from at most so many cells: ties this fine change no limit.
CELLS = 200
# Where normal scores are cut into cells: between these many places, this far out.
PLACES, FAR = 4001, 9.0
MOST_CASES = 2**62
# Beyond it there is next to no chance left in normal scores.
MOST_KNOWN = 0.9999
A_RATIO = "an accuracy ratio, or (accuracy ratio, positives, negatives)"
PERFECT = (
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


@dataclass(frozen=True, slots=True, eq=False)
class Initial:
    """What periods are compared with.

    `sizes` are the positives and negatives it was found on, None for a value known without error;
    `spreads` the variances of their placements.
    """

    ratio: float
    sizes: tuple[int, int] | None
    spreads: tuple[float, float]
    cells: CellShares
    counts: Ranking | None = None

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
            f"initial must be the counts of the initial sample, {A_RATIO}; got {told(given)}"
        ) from None
    return _of_counts(counts)


def _of_counts(counts: Ranking) -> Initial:
    _refuse_weights(counts, "the initial sample")
    require(counts, "positives", "negatives")
    require_two(counts, "the initial sample of a control chart")
    parts = variance_parts(counts)
    if not sum(parts) > 0:
        raise ValueError(PERFECT)
    n1, n0 = int(counts.n1), int(counts.n0)
    few = grouped(counts.vertices, CELLS)
    cells = CellShares(few.positives / n1, few.negatives / n0)
    spreads = (parts[0] * n1, parts[1] * n0)
    return Initial(accuracy_ratio(counts), (n1, n0), spreads, cells, counts)


def _refuse_weights(counts: Ranking, whose: str) -> None:
    """Raise ValueError where samples cannot be simulated, as cases are weighted."""
    if counts.weights is not None or not counts.is_whole:
        raise ValueError(
            f"a control chart simulates samples of cases, and {whose} has weights; count without "
            'weight=, or with weight_kind="frequency"'
        )


def _of_sizes(given: tuple[Any, ...] | list[Any]) -> Initial:
    if len(given) != 3:  # noqa: PLR2004 - the ratio and both sizes
        raise TypeError(f"initial must be counts, {A_RATIO}; got {told(given)}")
    ratio, n1, n0 = given
    sizes = (
        as_whole(n1, "the positives of initial", 1, MOST_CASES),
        as_whole(n0, "the negatives of initial", 1, MOST_CASES),
    )
    return _of_value(ratio, sizes)


def _of_value(given: Any, sizes: tuple[int, int] | None) -> Initial:
    ratio = as_number(given, "initial")
    if not abs(ratio) <= MOST_KNOWN:
        raise ValueError(
            f"initial must be an accuracy ratio from {-MOST_KNOWN:g} to {MOST_KNOWN:g}, got "
            f"{told(given)}"
        )
    spread = float(normal_spread(np.array((1 + ratio) / 2)))
    return Initial(ratio, sizes, (spread, spread), normal_cells(ratio))


def normal_spread(auc: Floats) -> Floats:
    """Return the variance of placements, in both classes, where scores are normal in each.

    Two cases of a class are both on the right side of one of the other when two normal
    differences of correlation 1/2 are below the same limit: Owen (1956), Annals of Mathematical
    Statistics 27.

    At 1/2 placements are uniform, with a variance of 1/12.

    >>> round(float(normal_spread(np.array(0.5))) * 12, 12)
    1.0
    """
    from scipy.special import ndtri, owens_t

    both: Floats = auc - 2 * owens_t(ndtri(auc), 3**-0.5)
    return both - auc**2


def normal_cells(ratio: float) -> CellShares:
    """Return cells of scores that are normal in both classes and have this accuracy ratio.

    >>> cells = normal_cells(0.6)
    >>> len(cells.positives), round(cells.auc, 3)
    (200, 0.8)
    """
    from scipy.special import ndtr, ndtri

    apart = math.sqrt(2) * float(ndtri((1 + ratio) / 2))
    places = np.linspace(min(apart, 0) - FAR, max(apart, 0) + FAR, PLACES)
    upto = (ndtr(places - apart) + ndtr(places)) / 2
    cuts = np.interp(np.arange(1, CELLS) / CELLS, upto, places)
    found = []
    for centre in (apart, 0.0):
        reached = np.concatenate([[0.0], ndtr(cuts - centre), [1.0]])
        found.append(np.diff(reached)[::-1])
    return CellShares(found[0], found[1])


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
        ahead = horizon - len(self.counts)
        return found + [self.mean_size] * ahead


def as_periods(given: Any, initial: Initial) -> Periods:
    """Return counts by period, else raise TypeError or ValueError in one line."""
    held = _held(given)
    found: dict[Any, Ranking] = {}
    for key, counts in held.items():
        try:
            found[key] = as_ranking(counts, "control_chart")
        except TypeError as error:
            raise TypeError(f"periods[{key!r}]: {error}") from None
    without = found.pop(None, None)
    periods = Periods(found, 0 if without is None else int(without.n))
    if len(found) > MOST_PERIODS:
        raise ValueError(f"{len(found)} periods are more than {MOST_PERIODS}; put some together")
    for key, counts in found.items():
        _refuse_weights(counts, f"period {key}")
        _refuse_unlike(counts, initial, key)
    if not periods.known:
        raise ValueError("a control chart needs a period with positives and negatives; none has")
    _check_clusters(periods, initial)
    return periods


def _held(given: Any) -> Mapping[Any, Any]:
    """Return counts by period, those of an evaluation of one score if that is given."""
    held = getattr(given, "segments", given)
    if isinstance(held, Mapping) and held and all(isinstance(v, Mapping) for v in held.values()):
        if len(held) > 1:
            names = ", ".join(map(repr, held))
            raise ValueError(
                f"periods has those of several scores, {names}; pass evaluation.segments[score]"
            )
        held = next(iter(held.values()))
    if not isinstance(held, Mapping):
        raise TypeError(
            f"control_chart takes counts by period, got {type(given).__name__}: write "
            "control_chart(count_segments(y, p, by=month), initial)"
        )
    if not held:
        raise ValueError("there are no periods; count them with count_segments(y, p, by=month)")
    return held


def _refuse_unlike(counts: Ranking, initial: Initial, key: Any) -> None:
    """Raise ValueError where a period was counted in another way than the initial sample."""
    if initial.counts is None or not len(counts):
        return
    for name, value in settings_of(initial.counts).items():
        other = settings_of(counts).get(name)
        if other != value:
            raise ValueError(
                f"the initial sample was counted with {name}={value!r} and period {key} with "
                f"{name}={other!r}; count both alike"
            )


def _check_clusters(periods: Periods, initial: Initial) -> None:
    """Raise ValueError where clusters are known of some samples and not of others."""
    several = {counts.groups is not None for counts in periods.known}
    if len(several) > 1:
        raise ValueError("some periods have clusters and some have none; count all with cluster=")
    of_initial = initial.counts is not None and initial.counts.groups is not None
    if of_initial and not periods.clustered:
        raise ValueError(
            "the initial sample has clusters and the periods have none; count both with cluster="
        )
