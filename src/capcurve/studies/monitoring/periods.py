"""The samples of a control chart: the initial one, and the periods that are held against it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import as_number, as_whole, told
from capcurve.counts.given import as_ranking, counts_alike, segments
from capcurve.counts.order import LARGEST_TOTAL
from capcurve.counts.settings import settings_of
from capcurve.curves.shares import require
from capcurve.curves.simplify import grouped
from capcurve.inference.designs import require_two
from capcurve.inference.planning import normal_spreads
from capcurve.inference.variances import variance_parts
from capcurve.metrics import accuracy_ratio

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.counts.types import Floats

# Samples are simulated from at most so many cells: ties this fine change no limit.
CELLS = 200
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

    # `sizes` are the positives and negatives it was found on, None for a value known without error;
    # `spreads` the variances of their placements, those of normal scores where there are no counts.

    ratio: float
    sizes: tuple[int, int] | None
    spreads: tuple[float, float]
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
    return Initial(accuracy_ratio(counts), (n1, n0), (parts[0] * n1, parts[1] * n0), counts)


def _refuse_weights(counts: Ranking, whose: str) -> None:
    """Raise ValueError where samples cannot be simulated, as cases are weighted."""
    if not counts_alike(counts):
        raise ValueError(
            f"a control chart simulates samples of cases, and {whose} has weights; count without "
            'weight=, or with weight_kind="frequency"'
        )


def _of_sizes(given: tuple[Any, ...] | list[Any]) -> Initial:
    if len(given) != 3:  # noqa: PLR2004 - the ratio and both sizes
        raise TypeError(f"initial must be counts, {A_RATIO}; got {told(given)}")
    ratio, n1, n0 = given
    sizes = (
        as_whole(n1, "the positives of initial", 1, LARGEST_TOTAL),
        as_whole(n0, "the negatives of initial", 1, LARGEST_TOTAL),
    )
    return _of_value(ratio, sizes)


def _of_value(given: Any, sizes: tuple[int, int] | None) -> Initial:
    ratio = as_number(given, "initial")
    if not abs(ratio) <= MOST_KNOWN:
        raise ValueError(
            f"initial must be an accuracy ratio from {-MOST_KNOWN:g} to {MOST_KNOWN:g}, got "
            f"{told(given)}"
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
        ahead = horizon - len(self.counts)
        return found + [self.mean_size] * ahead


def as_periods(given: Any, initial: Initial) -> Periods:
    """Return counts by period, else raise TypeError or ValueError in one line."""
    held = segments(given, "control_chart")
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


def _refuse_unlike(counts: Ranking, initial: Initial, key: Any) -> None:
    """Raise ValueError where a period was counted in another way than the initial sample."""
    if initial.counts is None or not len(counts):
        return
    found = settings_of(counts)
    for name, value in settings_of(initial.counts).items():
        if (other := found.get(name)) != value:
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
    few = grouped(counts, CELLS)
    return CellShares(few.positives / int(counts.n1), few.negatives / int(counts.n0))
