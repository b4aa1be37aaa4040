"""The periods of a control chart: which of them say something, and how many cases they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.counts.given import as_ranking
from capcurve.counts.settings import settings_of
from capcurve.monitoring.initial import refuse_weights
from capcurve.monitoring.limits import MOST_PERIODS

if TYPE_CHECKING:
    from capcurve.counts import Ranking
    from capcurve.monitoring.initial import Initial

# With more periods the covariance that groups of clusters show is too rough.
MOST_CLUSTERED = 20


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
        refuse_weights(counts, f"period {key}")
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
