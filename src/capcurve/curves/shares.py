"""Running sums behind every curve, the classes and rates they need, and where bins of them end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts import Amounts, Ranking, ScoreCounts, ValueSums
from capcurve.counts.table import wide
from capcurve.counts.times import other_horizon
from capcurve.gate.given import is_amounts
from capcurve.numbers.arguments import arg, as_open_share, as_whole, as_word
from capcurve.numbers.exact import cumulated
from capcurve.numbers.order import frozen
from capcurve.numbers.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.numbers.types import Array, Floats, Places

OfClass = Literal["positives", "negatives"]
MOST_BINS = 1_000_000
# A share of a class below this, times a rate, may have lost digits.
LEAST_SHARE_OF_CLASS = 1e-290
# Running sums take memory: of more distinct scores they are added up anew each time. A summary asks
# plain counts of so many scores for them once, weighted and clustered ones dozens of times.
MOST_REMEMBERED, MOST_REMEMBERED_PLAIN = 1 << 20, 1 << 17
NO_CASES = "there are no cases to rank: the counts are empty"


@dataclass(frozen=True, slots=True)
class RunningSums:
    """Running sums and what they add up to; their ratio is a share from 0 to 1."""

    sums: Array  # shape (K + 1,), 0 first
    total: Any

    @classmethod
    def of(cls, column: Array) -> RunningSums:
        """Add up what each score holds."""
        sums = cumulated(column)
        return cls(sums, _last(sums))

    @property
    def in_units(self) -> RunningSums:
        """The sums themselves in place of shares."""
        return RunningSums(self.sums, 1)

    @property
    def from_the_end(self) -> RunningSums:
        """The sums taken from the other end."""
        return RunningSums((self.sums[-1] - self.sums)[::-1], self.total)


@dataclass(frozen=True, slots=True)
class Shares:
    """Running sums of cases, positives and negatives from the most likely positive down."""

    cases: RunningSums
    positives: RunningSums
    negatives: RunningSums

    def of(self, which: OfClass) -> RunningSums:
        """Return the running sums of one class."""
        return self.positives if which == "positives" else self.negatives


def shares(counts: ScoreCounts, prevalence: float | None = None) -> Shares:
    """Return running sums over the distinct scores, 0 first, shape (K + 1,)."""
    # With `prevalence` the cases are those of a population in which that share is positive.
    found: Shares = _remembered(counts, "running sums", lambda: _added_up(counts))
    if prevalence is None:
        return found
    require(counts, "positives", "negatives")
    rate = as_open_share(prevalence, "prevalence")
    for column, axis in ((counts.positives, found.positives), (counts.negatives, found.negatives)):
        least = LEAST_SHARE_OF_CLASS * axis.total
        if column.dtype.kind == "f" and column.min(where=column > 0, initial=axis.total) < least:
            raise ValueError(
                "weights differ by too much: one score holds less than "
                f"{LEAST_SHARE_OF_CLASS:g} of its class; leave such weights out"
            )
    of1, of0 = (axis.sums / axis.total for axis in (found.positives, found.negatives))
    # rate + (1 - rate) is 1 in floats too
    return replace(found, cases=RunningSums(rate * of1 + (1 - rate) * of0, 1.0))


def _added_up(counts: ScoreCounts) -> Shares:
    """Return running sums of both classes, and of all cases."""
    sums = at_once(cumulated, (counts.positives, counts.negatives), len(counts))
    every = (sums[0] + sums[1], *sums)
    return Shares(*(RunningSums(frozen(each), _last(each)) for each in every))


def cutoff_shares(counts: ScoreCounts) -> tuple[Floats, Floats, Floats]:
    """Return which share of cases, positives and negatives each cut-off selects, 0 first."""
    found = shares(counts)
    axes = (found.cases, found.positives, found.negatives)

    def points() -> tuple[Floats, ...]:
        return tuple(frozen(np.asarray(axis.sums / axis.total, np.float64)) for axis in axes)

    of_axes: tuple[Floats, Floats, Floats] = _remembered(counts, "points", points)
    return of_axes


def _remembered(counts: ScoreCounts, name: str, find: Callable[[], Any]) -> Any:
    """Return what was found before of counts that are not too long to remember it."""
    plain = counts.is_whole and counts.groups is None
    most = MOST_REMEMBERED_PLAIN if plain else MOST_REMEMBERED
    return find() if len(counts) > most else counts.known(name, find)


def cases_at(counts: ScoreCounts, found: Shares, prevalence: float | None) -> Array:
    """Return the cases at each distinct score, in units of the running sums of them."""
    # Added up at each, as running sums have lost a small weight beside a large one.
    p, n = wide(counts.positives), wide(counts.negatives)
    if prevalence is None:
        return p + n
    rate = as_open_share(prevalence, "prevalence")
    of1, of0 = (part / axis.total for part, axis in ((p, found.positives), (n, found.negatives)))
    cases: Array = rate * of1 + (1 - rate) * of0
    return cases


@dataclass(frozen=True, slots=True)
class Gained:
    """What is captured along what is selected, best score first: positives, or amounts."""

    cells: ScoreCounts | ValueSums  # the counts, or sums of amounts, at the cut-offs
    selected: RunningSums  # selected, captured: running sums over them, 0 first, shape (K + 1,)
    captured: RunningSums


def gained(
    counts: Ranking | Amounts, prevalence: float | None = None, *, absolute: bool = False
) -> Gained:
    """Return running sums of what is selected and captured, of classes or amounts."""
    # Raises ValueError where there is nothing to capture; in `absolute` numbers amounts may be
    # below zero and add up to nothing.
    if is_amounts(counts):
        refuse_prevalence(prevalence)
        require_amount(counts, absolute=absolute)
        sums = counts.vertices
        return Gained(sums, RunningSums.of(sums.exposures), RunningSums.of(sums.amounts))
    cells, found = held_shares(counts, "positives", prevalence=prevalence)
    return Gained(cells, found.cases, found.positives)


def refuse_prevalence(prevalence: float | None) -> None:
    """Raise ValueError when a prevalence is stated for amounts."""
    if prevalence is not None:
        raise ValueError(
            f"{arg('prevalence')} re-weights two classes, and amounts have none; leave it out"
        )


def require_amount(values: Amounts, *, absolute: bool = False) -> None:
    """Raise ValueError when shares of the amount say nothing, or there are no rows."""
    if not values.n:
        raise ValueError(NO_CASES)
    _ = values.amount  # refused here where it is more than a float holds
    if absolute:
        return
    if values.signed:
        raise ValueError(
            f"some amounts are below zero, so shares of {values.words.all_captured} leave 0 to "
            f"100%; curves with {arg(absolute=True)} and the accuracy ratio remain"
        )
    if not values.m:
        raise ValueError(f"none of the {values.n} rows holds an amount, so this is undefined")


def _last(sums: Array) -> Any:
    return sums[-1].item()


def require(counts: Ranking, *classes: OfClass) -> None:
    """Raise ValueError when a class that a result needs has no cases."""
    if not len(counts):
        raise ValueError(NO_CASES)
    for name in classes:
        total = counts.n1 if name == "positives" else counts.n0
        if not total > 0:
            cases = counts.n if isinstance(counts.n, int) else f"{counts.n:.12g}"
            among = "the only case" if cases == 1 else f"the {cases} cases"
            instead = other_horizon(counts, name)
            raise ValueError(f"no {name} among {among}, so this is undefined{instead}")


def held_shares(
    counts: Ranking, *classes: OfClass, prevalence: float | None = None
) -> tuple[ScoreCounts, Shares]:
    """Return the cut-offs that are held, and running sums over them; classes must have cases."""
    require(counts, *classes)
    return counts.vertices, shares(counts.vertices, prevalence)


def best_cutoffs(counts: Ranking) -> ScoreCounts:
    """Return counts among whose cut-offs every best one is: the corners of the CAP at least."""
    return counts.vertices if counts.corners else counts.every_score()


def check_class(of: object, counts: Ranking | Amounts) -> OfClass:
    """Return the name of a class, of amounts that of the positives, else raise ValueError."""
    which: OfClass = as_word(of, "of", ("positives", "negatives"), either=True)
    if which != "positives" and is_amounts(counts):
        raise ValueError(f"of={of!r} is a class, and amounts have none; leave it out")
    return which


def sample_rate(counts: Ranking, prevalence: float | None = None) -> float:
    """Return the stated prevalence, or else the share of positives in the counts."""
    if prevalence is not None:
        return as_open_share(prevalence, "prevalence")
    require(counts)
    return float(counts.n1 / counts.n)


def nearest_ends(sums: Array, bins: int) -> tuple[Places, Places]:
    """Return the cells that reach each boundary of even bins, and the ends nearest to these."""
    total = _last(sums)
    if sums.dtype.kind == "f":  # as the least floats cannot be divided
        exponent = -int(np.frexp(total)[1])
        sums, total = np.ldexp(sums, exponent), float(np.ldexp(total, exponent))
    wanted = np.arange(1, bins) * (total / bins)
    # Of the sums' own type, so that searching them does not convert all of them.
    reach = wanted if sums.dtype.kind == "f" else np.ceil(wanted).astype(sums.dtype)
    after = np.searchsorted(sums, reach)
    before_is_near = wanted - sums[after - 1] <= sums[after] - wanted
    return after, np.append(after - before_is_near, len(sums) - 1)


def bin_ends(counts: Ranking | Amounts, bins: int) -> Places:
    """Return how many cells each bin and those before it hold; of totals, how many vertices."""
    # The boundary of bin b lies at the end of the tie nearest to the share b/bins of all cases (the
    # earlier of two equally near). Ties are never split, so there may be fewer bins.
    bins = as_whole(bins, "bins", 1, MOST_BINS)
    if not len(counts):
        raise ValueError(NO_CASES)
    held = counts.vertices
    sums = shares(held).cases.sums if isinstance(held, ScoreCounts) else cumulated(held.exposures)
    after, ends = nearest_ends(sums, bins)
    if not is_amounts(counts) and not counts.is_complete:
        # The nearest end is known when no score stands unseen about the boundary, and the first
        # score of a bin when it is a cut-off of its own.
        firsts = np.append(0, np.unique(ends[ends > 0])[:-1])
        single = counts.single
        if not (single[after - 1].all() and single[firsts].all()):
            counts.every_score()
    return np.unique(ends[ends > 0])
