"""TimeCounts and JointTimes: cases by score, time and status; HorizonCounts: weights by a time."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import numpy as np

from capcurve.counts import table
from capcurve.counts.digest import Fingerprint, digest_of
from capcurve.counts.joint import JointCounts
from capcurve.counts.partial import PartialCounts
from capcurve.counts.saved import SavedCounts
from capcurve.counts.scores import CaseCounts, ScoreCounts
from capcurve.counts.weights import Weights
from capcurve.numbers.arguments import as_finite, as_word, refused, told
from capcurve.numbers.censoring import (
    CENSORED,
    EVENT,
    FollowUp,
    Stratum,
    numbered,
    whole_where_all_are,
)
from capcurve.numbers.exact import in_blocks, run_sums
from capcurve.numbers.order import (
    add_up,
    frozen,
    grid_index,
    grid_value,
    narrow,
    order_of,
    picked,
    readable,
    run_starts,
    sorted_runs,
)
from capcurve.numbers.types import Array, Bools, Floats, Ints, Places, freeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.counts.settings import Dropped

Competing = Literal["negative", "excluded"]
# Whole numbers that stand for several keys at once are below this.
LARGEST_KEY = 2**62
SETTINGS = ("names", "higher_is", "levels", "resolution", "until", "time_resolution")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Followed(table.Counts):
    """Cases by scores, time, status and stratum, of one score or of several."""

    FIELDS: ClassVar[tuple[str, ...]] = (*SETTINGS, "time_unit", "competing_labels", "dropped")
    NONE: ClassVar[str] = "counts of times to add up, so it is not known of what"

    scores: tuple[Array, ...]
    time: Array
    status: Array
    stratum: Array
    cases: Ints
    strata: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    higher_is: Any = "positive"
    levels: Any = None
    resolution: float | None = None
    until: float | None = None
    time_resolution: float | None = None
    time_unit: str | None = None
    competing_labels: Mapping[str, int] = field(default_factory=dict)
    dropped: Dropped | None = None
    groups: tuple[Any, ...] | None = None
    remembered: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        freeze(self)
        object.__setattr__(self, "remembered", {})
        table.check_groups(self)

    @property
    def keys(self) -> tuple[Array, ...]:
        """What tells cells apart: scores, time, status and stratum."""
        return (*self.scores, self.time, self.status, self.stratum)

    @property
    def sums(self) -> tuple[Ints]:
        """What adds up where these are equal: cases."""
        return (self.cases,)

    @classmethod
    def of_rows(cls, keys: Sequence[Array], cases: Ints | None, **fields: Any) -> Self:
        """Build counts from rows in any order, as often as `cases` says: the last step of inputs.

        `keys` are the scores, time, status and the place of the stratum in `strata`, which may
        stand in any order and hold a name twice.
        """
        *scores, time, status, stratum = keys
        if names := fields.get("strata"):
            held = sorted({names[code] for code in np.unique(stratum).tolist()})
            place = {name: at for at, name in enumerate(held)}
            stratum = np.array([place.get(name, 0) for name in names], dtype=np.intp)[stratum]
        fields["strata"] = tuple(held) if names else ()
        scores = [s + s.dtype.type(0) if s.dtype.kind == "f" else s for s in scores]
        rest = (whole_where_all_are(time + 0.0), narrow(status), narrow(stratum))
        first = scores[0]
        if not fields.get("names") and fields.get("higher_is") == "positive":  # the best one first
            first = -first if first.dtype.kind == "f" else ~first
        order, starts = _arranged([first, *scores[1:], *rest])
        tallies = np.ones(len(order), dtype=np.uint8)
        if cases is not None:
            tallies = add_up(cases[order], starts)
        elif len(starts) < len(order):
            tallies = np.diff(starts, append=len(order))
        table.refuse_too_many(int(tallies.sum(dtype=np.int64)))
        first = order if len(starts) == len(order) else order[starts]
        *scores, time, status, stratum = (frozen(picked(each, first)) for each in (*scores, *rest))
        return cls(tuple(scores), time, narrow(status), narrow(stratum), narrow(tallies), **fields)

    @classmethod
    def added(cls, parts: Sequence[Self], **changed: Any) -> Self:
        """Return the sum of two or more counts with cells, all counted alike."""
        # A unit changes no number, and a csv file does not keep it.
        units = sorted({part.time_unit for part in parts if part.time_unit is not None})
        table.refuse_unequal([{"time_unit": unit} for unit in units] or [{}])
        changed["time_unit"] = next(iter(units), None)
        columns = table.joined_columns([part.keys for part in parts])
        cases = np.concatenate([table.wide(part.cases) for part in parts])
        before = np.cumsum([0, *(len(part.strata) for part in parts)])[:-1]
        columns[-1] = columns[-1] + np.repeat(before, [len(part) for part in parts])
        labels: dict[str, int] = {}
        for part in parts:
            for label, rows in part.competing_labels.items():
                labels[label] = labels.get(label, 0) + rows
        fields = {**parts[0].fields(), "competing_labels": dict(sorted(labels.items())), **changed}
        fields |= {"strata": [name for part in parts for name in part.strata]}
        return cls.of_rows(columns, cases, **fields, groups=table.merged_groups(parts))

    def settings(self) -> dict[str, object]:
        """Return what must be equal for counts to add."""
        return {**{n: getattr(self, n) for n in SETTINGS}, "stratified": bool(self.strata)}

    @property
    def n(self) -> int:
        """All rows."""
        return int(table.total(self.cases))

    @property
    def events(self) -> int:
        """Rows that had the event, whenever."""
        return self.rows(self.status == EVENT)

    @property
    def censored(self) -> int:
        """Rows that were censored, whenever."""
        return self.rows(self.status == CENSORED)

    @property
    def last_followed(self) -> float:
        """The latest horizon that can be asked for; the last time where no row is censored then."""
        limits = [each.last_censored() for each in self.by_stratum()]
        return min([*limits, float(self.time.max(initial=0))])

    def rows(self, cells: Array) -> int:
        """Return how many rows some cells hold."""
        return int((self.cases * cells).sum(dtype=np.int64))

    def ended(self, horizon: float) -> dict[str, int]:
        """Return how many rows were followed through a horizon, or ended: together all rows."""
        by = self.time <= horizon
        found = {
            "positives": self.rows(by & (self.status == EVENT)),
            "competing": self.rows(by & (self.status > EVENT)),
            "unknown": self.rows((self.time < horizon) & (self.status == CENSORED)),
        }
        return {"followed": self.n - sum(found.values()), **found}

    def by_stratum(self) -> list[Stratum]:
        """Return the cells within which censoring is estimated, together or by stratum."""
        return self.known("strata", self._by_stratum)

    def _by_stratum(self) -> list[Stratum]:
        every: list[Any] = [slice(None)]
        if len(self.strata) > 1:
            order = np.argsort(self.stratum, kind="stable")
            every = np.split(order, np.cumsum(np.bincount(self.stratum))[:-1])
        return [Stratum.of(rows, self.time, self.status) for rows in every]

    def follow_up(
        self, horizon: float, competing: str = "negative", cases: Array | None = None
    ) -> FollowUp:
        """Return what is known by a horizon, of these or of other numbers of cases."""

        def found(cases: Array) -> FollowUp:
            known = FollowUp.unweighted(self.time, self.status, horizon, competing)
            return known.weighted(self.by_stratum(), cases, horizon)

        if cases is not None:
            return found(cases)
        return self.known(f"by {horizon!r} {competing}", lambda: found(self.cases))

    def held_horizon(self, horizon: Any) -> float:
        """Return a horizon up to which times were kept, or raise ValueError."""
        found, step = as_horizon(horizon), self.time_resolution
        if self.until is not None and found > self.until:
            raise ValueError(
                f"the rows were counted until={as_text(self.until)}, before the horizon "
                f"{as_text(found)}; choose at most {as_text(self.until)}"
            )
        if step is not None and rounded_up(np.array([found]), step)[0] != found:
            raise ValueError(
                f"the times were rounded up to a grid of {as_text(step)}, which the horizon "
                f"{as_text(found)} is not on; choose a multiple of {as_text(step)}"
            )
        return found

    def check_horizon(self, horizon: Any, competing: Any) -> float:
        """Return a horizon by which it can be known who had the event, or raise ValueError."""
        as_word(competing, "competing", get_args(Competing), either=True)
        found = self.held_horizon(horizon)
        for stratum, name in zip(self.by_stratum(), self.strata or ("",), strict=False):
            if (last := stratum.last_censored()) < found:
                raise ValueError(
                    f"the last row{name and f' of stratum {name}'} was censored at "
                    f"{as_text(last)}, before the horizon {as_text(found)}; choose at most "
                    f"{as_text(last)}"
                )
        return found

    def _at(self, horizon: Any, competing: Any) -> Any:
        """Return counts of one score, or joint ones of several, by a checked horizon."""
        found = self.check_horizon(horizon, competing)
        return self.known(f"at {found!r} {competing}", lambda: self._counts(found, competing))

    def _counts(self, horizon: float, competing: Competing) -> Any:
        known = self.follow_up(horizon, competing)
        if not known.unknown.any():
            return self._whole(horizon, competing, taken=(self, horizon, competing))
        kind: Any = JointHorizonCounts if self.names else HorizonCounts
        more: dict[str, Any] = {"times": self, "horizon": horizon, "competing": competing}
        if not self.names:
            more["unknown"] = self.rows(known.unknown)
            more["largest_weight"] = float(known.weight.max(initial=0.0))
        if self.groups is not None:
            more["groups"] = tuple(
                group._weighted(kind.plain_kind(), known.of(cells))  # noqa: SLF001 - its like
                for group, cells in zip(self.groups, group_cells(self), strict=True)
            )
        return self._weighted(kind, known, **more)

    def _weighted(self, kind: Any, known: FollowUp, **more: Any) -> Any:
        """Return counts of a kind of weights, with what sampling weights remember of their rows."""
        classes = known.positive, known.negative
        sums = self._class_sums(*classes, self.cases, known.weight)
        roots = None  # where each row is alone at its score, the root of its square is the weight
        if len(self._runs()[1]) < self.n:
            squares = self._class_sums(*classes, self.cases, known.weight**2)
            roots = [np.sqrt(column, out=column) for column in squares]
        rows = self.rows(known.positive), self.rows(known.negative)
        return self._class_cells(kind, sums, rows, roots, **more)

    def _whole(
        self, horizon: float, competing: str, *, unknown: bool = False, taken: Any = None
    ) -> Any:
        """Return plain counts of the rows that are known, or of all others as negatives."""
        groups = self.groups and tuple(
            group._whole(horizon, competing, unknown=unknown)  # noqa: SLF001 - its like
            for group in self.groups
        )
        known = FollowUp.unweighted(self.time, self.status, horizon, competing)
        classes = known.positive, known.negative
        if unknown:
            classes = known.positive & known.unknown, known.unknown
        kind = JointCounts if self.names else ScoreCounts
        sums = self._class_sums(*classes, table.wide(self.cases))
        return self._class_cells(kind, sums, groups=groups, taken=taken)

    def _class_cells(
        self,
        kind: Any,
        sums: Sequence[Array],
        rows: tuple[int, int] | None = None,
        roots: Sequence[Floats] | None = None,
        **more: Any,
    ) -> Any:
        """Return counts of a kind: two classes at each score, or combination of several.

        Of weights `rows` are those of either class; roots of squares are the sums where left out.
        """
        order, starts = self._runs()
        full = np.flatnonzero(np.logical_or(*sums))
        places = full if len(starts) == len(self) else starts[full]
        scores = tuple(frozen(picked(score[order], places)) for score in self.scores)
        fields = {name: getattr(self, name) for name in kind.FIELDS}
        fields |= {"scores": scores} if self.names else {"score": scores[0]}
        tallies = [narrow(picked(column, full)) for column in sums]
        fields |= dict(zip(table.BOTH_CLASSES, tallies, strict=True))
        if rows is not None:
            held = tallies if roots is None else [picked(column, full) for column in roots]
            more["weights"] = Weights("sampling", *rows, *held)
        return kind(**fields, **more)

    def _runs(self) -> tuple[Any, Places]:
        """Return an order in which equal scores stand beside each other, and where each starts."""
        if len(self.scores) > 1:
            return self.known("runs", lambda: sorted_runs(self.scores))
        return slice(None), self.known("runs", lambda: run_starts(self.scores[0]))

    def _class_sums(
        self, positive: Bools, negative: Bools, cases: Array, weight: Floats | None = None
    ) -> list[Array]:
        """Return how many cases of either class each score has, 0 or more, or what they weigh."""
        order, starts = self._runs()

        def alone(own: Bools) -> Array:
            if weight is None:
                found: Array = (cases * own)[order]
            else:
                found = in_blocks(len(own), lambda at: weight[at] * cases[at] * own[at])[order]
            return found

        def together(own: Bools) -> Array:
            if weight is None:
                return np.add.reduceat(alone(own), starts)
            # To the bit the same if rows that weigh alike are in other cells.
            return run_sums((weight * own)[order], starts, cases[order])

        return [*map(alone if len(starts) == len(cases) else together, (positive, negative))]

    def readable_columns(self) -> dict[str, Array]:
        """Return scores as people read them, times, statuses, strata and cases, by column."""
        names, levels = self.names or ("score",), self.levels if self.names else (self.levels,)
        scores = zip(names, self.scores, levels, strict=True)
        found = {name: readable(score, named, self.resolution) for name, score, named in scores}
        found |= {"time": self.time, "event": self.status}
        if self.strata:
            found["stratum"] = np.array(self.strata, dtype=object)[self.stratum]
        return {**found, "n": self.cases}

    def digest(self) -> str:
        """Return a fingerprint of the counts: the same whatever the row order or the engine."""
        settings, alone = {**self.settings(), "strata": self.strata}, []
        for score in self.scores:
            found = Fingerprint("f8")
            found.add(score, self.time, self.status, self.stratum, self.cases)
            alone.append(found.hexdigest(settings))
        return digest_of("times", *alone)

    def __eq__(self, other: object) -> bool:
        same = table.Counts.__eq__(self, other)
        return same if same is not True else self.strata == getattr(other, "strata", None)

    def __hash__(self) -> int:
        return table.Counts.__hash__(self)

    def __len__(self) -> int:
        return len(self.cases)

    def __repr__(self) -> str:
        found = [f"n={self.n}", f"events={self.events}", f"censored={self.censored}"]
        if rest := self.rows(self.status > EVENT):
            labels = ", ".join(f"{label!r} ({n:,})" for label, n in self.competing_labels.items())
            found.append(f"competing={rest}{labels and f': {labels}'}")
        found += [f"strata={len(self.strata)}"] if self.strata else []
        names = f"{', '.join(self.names)}; " if self.names else ""
        return f"{type(self).__name__}({names}{', '.join([*found, *self.told_settings()])})"


def rounded_up(time: Floats, step: float) -> Floats:
    """Return times rounded up to a grid.

    >>> rounded_up(np.array([0.0, 0.1, 0.25, 0.3]), 0.1)
    array([0. , 0.1, 0.3, 0.3])
    """
    return grid_value(-grid_index(-time, step), step).astype(np.float64) + 0.0


def taken_by(counts: Any) -> tuple[Any, float, Competing] | None:
    """Return the times, the horizon and the rule that counts were taken by; None of all others."""
    if getattr(counts, "times", None) is not None:
        return counts.times, counts.horizon, counts.competing
    return getattr(counts, "taken", None)


def other_horizon(counts: Any, lacking: str) -> str:
    """Return by which horizon a class that is lacking has cases, as advice, or nothing."""
    if (taken := taken_by(counts)) is None or not taken[0].events:
        return ""
    times = taken[0]
    first, last = float(times.time[times.status == EVENT].min()), float(times.time.max())
    if lacking == "negatives":  # nobody is followed beyond the last time, when the event came
        return f"; choose a horizon below {as_text(last)}" if first < last else ""
    least = f"; choose a horizon of at least {as_text(first)}"
    return least if first <= times.last_followed else ""


def as_horizon(horizon: Any, name: str = "horizon") -> float:
    """Return a horizon as a float, or raise ValueError unless it is a number above 0."""
    found = 0.0
    with suppress(ValueError):
        found = as_finite(horizon, name)
    if not found > 0:
        raise ValueError(
            f"{refused(name)} be a number above 0, in the unit of the times, got {told(horizon)}"
        )
    if horizon % 1 == 0 and int(horizon) != int(found):
        raise ValueError(
            f"{name} is {told(horizon)}, which a float would round; scale it and the times to "
            "whole numbers up to 2^53"
        )
    return found


def as_text(horizon: float, unit: str | None = None) -> str:
    """Return a horizon as text that is read back as the same number, with its unit if there is one.

    >>> as_text(365.0), as_text(31536000.0), as_text(0.5, "years"), as_text(1, "years")
    ('365', '31536000', '0.5 years', '1 year')
    """
    of = "" if unit is None else f" {unit.removesuffix('s') if horizon == 1 else unit}"
    return repr(float(horizon)).removesuffix(".0") + of


def within(name: str, horizon: float, unit: str | None = None) -> str:
    """Return what a score is called by one of several horizons.

    >>> within("pd", 365.0), within("pd", 12.0, "months")
    ('pd within 365', 'pd within 12 months')
    """
    return f"{name} within {as_text(horizon, unit)}"


def unit_in(name: str | None) -> str | None:
    """Return the unit of times that the name of their column has as a word; none of several.

    >>> unit_in("days_to_default"), unit_in("TIME (months)"), unit_in("days_of_year"), unit_in("t")
    ('days', 'months', None, None)
    """
    words = {f"{word.removesuffix('s')}s" for word in re.findall("[a-z]+", (name or "").lower())}
    found = words & {"hours", "days", "weeks", "months", "quarters", "years"}
    return found.pop() if len(found) == 1 else None


def as_horizons(horizons: Any) -> list[float]:
    """Return one horizon or several, at least one and each once, or raise ValueError."""
    single = not hasattr(horizons, "__iter__") or isinstance(horizons, str)
    if single or getattr(horizons, "ndim", 1) == 0:
        return [as_horizon(horizons)]
    if not (found := list(dict.fromkeys(as_horizon(each) for each in horizons))):
        raise ValueError("horizon is empty; name at least one time")
    return found


def _arranged(keys: Sequence[Array]) -> tuple[Places, Places]:
    """Return the order that sorts by these keys, the first one first, and where runs start."""
    order = order_of(keys[0])
    starts = run_starts(picked(keys[0], order))
    if len(starts) == len(order):
        return order, starts
    several = [numbered(key) for key in keys]
    if np.prod([len(values) for values, _ in several], dtype=float) > LARGEST_KEY:
        return sorted_runs([places for _, places in several])
    one = np.zeros(len(order), dtype=np.int64)
    for values, places in several:
        one = one * len(values) + places
    order = order_of(one)
    return order, run_starts(picked(one, order))


class TimeCounts(SavedCounts, Followed):
    """Cases by score, time and status, from which counts at any horizon are taken; counts add.

    Neither a weight nor a curve of censoring is kept, so that files, engines and months add to one
    result, whatever their order. Make one with `count_times`.

    Attributes
    ----------
    score, time, status, stratum, cases
        Distinct combinations, best score first, then by time, status and stratum, shape (K,), and
        how many rows each has. A status of 0 is censored, 1 the event, 2 or more another event
        that keeps it from coming; `stratum` holds places in `strata`.
    strata
        The strata within which censoring is estimated; none where all rows are one.
    n, events, censored
        All rows, and how many of them had the event or were censored.
    last_followed
        The latest horizon that can be asked for.
    higher_is, levels, resolution, dropped, groups
        As in `ScoreCounts`.
    until, time_resolution, time_unit, competing_labels
        As `count_times` was told; and the labels of competing events, with their rows.

    Examples
    --------
    >>> from capcurve import count_times
    >>> times = count_times(time=[3, 5, 8, 8], event=[1, 0, 1, 0], score=[9, 5, 7, 2])
    >>> times
    TimeCounts(n=4, events=2, censored=2)
    >>> (times + times).n, times.last_followed
    (8, 8.0)
    """

    __slots__ = ()
    FORMAT: ClassVar[str] = "capcurve/time-counts"
    HEADER: ClassVar[tuple[str, ...]] = (*Followed.FIELDS[1:], "strata")

    @property
    def score(self) -> Array:
        """The score of each cell, best first."""
        return self.scores[0]

    def at(
        self, horizon: float, *, competing: Competing = "negative"
    ) -> ScoreCounts | HorizonCounts:
        """Return counts of who had the event by a horizon, as every number and curve takes them.

        Rows that were censored before are stood for by rows that were followed for longer: these
        weigh 1 over the estimated chance of being followed so far. That is right if censoring has
        nothing to do with score and outcome within a stratum; `known_at` assumes nothing.

        Parameters
        ----------
        horizon
            The time by which the event may have come, above 0, in the unit of the times.
        competing
            "negative": rows with a competing event by then are negatives, as the event will not
            come. "excluded": negatives are only those that are free of any event.

        Returns
        -------
        ScoreCounts or HorizonCounts
            Plain counts where no row was censored before the horizon.

        Raises
        ------
        ValueError
            For a horizon beyond the last row of a stratum that is censored: what became of that
            share cannot be known.

        Notes
        -----
        A row is positive if it had the event at or before the horizon, negative if it is known to
        be free of it through the horizon, also where it is censored exactly then. Known rows weigh
        1/Ĝ(min(T, t)-), Ĝ the Kaplan-Meier curve of censoring, events first at tied times. Weights
        add up to the number of rows, and their positive share is 1 less Kaplan-Meier's survival,
        with competing events the incidence of Aalen & Johansen. Uno et al. (2007), JASA 102;
        Blanche, Dartigues & Jacqmin-Gadda (2013), Stat. Med. 32. To riskRegression and
        scikit-survival a row censored exactly at the horizon is unknown: just after it all agree.
        An event at T takes the chance of being followed to just before T, scikit-survival to T.

        Examples
        --------
        The row censored at 5 is stood for by the two rows that were followed to 8.

        >>> from capcurve import count_times
        >>> times = count_times(time=[3, 5, 8, 8], event=[1, 0, 1, 0], score=[9, 5, 7, 2])
        >>> found = times.at(8)
        >>> found.positives, found.negatives, found.n
        (array([1. , 1.5, 0. ]), array([0. , 0. , 1.5]), 4.0)
        """
        found: ScoreCounts | HorizonCounts = self._at(horizon, competing)
        return found

    def class_sums(self, horizon: float, competing: str, cases: Array) -> ScoreCounts:
        """Return the weights of either class at each score of other numbers of cases."""
        known = self.follow_up(horizon, competing, cases)
        # Rounded, as it is asked for once for each group of clusters.
        sums = self._class_sums(known.positive, known.negative, known.weight * cases)
        found: ScoreCounts = self._class_cells(ScoreCounts, sums)
        return found

    def known_at(self, horizon: float, *, competing: Competing = "negative") -> PartialCounts:
        """Return positives, negatives and rows that were censored before a horizon, unweighted.

        `unknown_bounds` bounds a number by them without any assumption on censoring. `competing` is
        as in `at`: "excluded" leaves out rows that had a competing event by then.

        Examples
        --------
        >>> from capcurve import count_times
        >>> times = count_times(time=[3, 5, 8, 8], event=[1, 0, 1, 0], score=[9, 5, 7, 2])
        >>> times.known_at(8)
        PartialCounts(known=3, positives=2, unknown=1, distinct scores=4)
        """
        as_word(competing, "competing", get_args(Competing), either=True)
        found = self.held_horizon(horizon)
        unknown = CaseCounts(self._whole(found, competing, unknown=True))
        return PartialCounts(self._whole(found, competing), unknown)

    def at_resolution(self, resolution: float) -> Self:
        """Floor the scores to a grid, as `ScoreCounts.at_resolution` does."""
        step, width = table.check_step(self, resolution)
        groups = self.groups and tuple(each.at_resolution(step) for each in self.groups)
        fields = {**self.fields(), "strata": self.strata, "resolution": step, "groups": groups}
        keys = [grid_index(self.score, width), *self.keys[1:]]
        return self.of_rows(keys, table.wide(self.cases), **fields)

    def columns(self) -> dict[str, Array]:
        """Return the columns of a table that these counts are saved as."""
        return self.readable_columns()

    @classmethod
    def from_columns(cls, columns: Mapping[str, Array], **fields: Any) -> Self:
        """Build counts of times from such columns, whose rows may stand in any order."""
        place = {name: at for at, name in enumerate(fields["strata"])}
        stratum = [place[name] for name in columns.get("stratum", ())]
        keys = [columns[name] for name in ("score", "time", "event")]
        keys.append(np.array(stratum or [0] * len(keys[0]), dtype=np.intp))
        return cls.of_rows(keys, columns["n"], **fields)


class JointTimes(Followed):
    """Cases by several scores of the same rows, time and status, as comparing them needs; they add.

    Make one with `count_joint_times`.

    Attributes
    ----------
    names, scores, higher_is, levels
        The scores as they were asked for; and of each its value in every cell, shape (K,), its
        direction and the names of its grades.
    time, status, stratum, cases, strata, n, events, censored, last_followed
        As in `TimeCounts`, like all else.

    Examples
    --------
    >>> from capcurve import count_joint_times
    >>> rows = {"time": [3, 5, 8, 8], "event": [1, 0, 1, 0]}
    >>> joint = count_joint_times(**rows, scores={"new": [9, 5, 7, 2], "old": [1, 1, 2, 1]})
    >>> joint.margin("old").at(8).positives
    array([1.5, 1. ])
    """

    __slots__ = ()

    def margin(self, name: str) -> TimeCounts:
        """Return the counts of one score alone: the same as counting it by itself."""
        return self.known(f"margin {name}", lambda: self._margin(name))

    def _margin(self, name: str) -> TimeCounts:
        place = table.place_of(self.names, name)
        fields = {**self.fields(), "names": (), "strata": self.strata}
        fields |= {"higher_is": self.higher_is[place], "levels": self.levels[place]}
        groups = self.groups and tuple(group.margin(name) for group in self.groups)
        keys = (self.scores[place], self.time, self.status, self.stratum)
        return TimeCounts.of_rows(keys, table.wide(self.cases), **fields, groups=groups)

    def at(self, horizon: float, *, competing: Competing = "negative") -> JointCounts:
        """Return joint counts of who had the event by a horizon, as `TimeCounts.at` of one score.

        Examples
        --------
        >>> from capcurve import count_joint_times
        >>> rows = {"time": [3, 5, 8, 8], "event": [1, 0, 1, 0]}
        >>> joint = count_joint_times(**rows, scores={"new": [9, 5, 7, 2], "old": [1, 1, 2, 1]})
        >>> joint.at(8).n
        4.0
        """
        found: JointCounts = self._at(horizon, competing)
        return found


class AtHorizon(table.TwoClasses):
    """Weights of two classes by a horizon; put together, they lose the times behind them.

    Whatever takes sampling weights takes these, limits included.
    """

    __slots__ = ()

    @classmethod
    def merge(cls, many: Iterable[Any]) -> Any:  # noqa: ARG003 - the same for any
        """Raise `ValueError`: such weights do not add."""
        raise ValueError(
            "weights at a horizon do not add, since they depend on all rows; add the TimeCounts, "
            "then take .at(horizon)"
        )

    @classmethod
    def of_cells(cls, keys: Sequence[Array], **fields: Any) -> Any:
        """Build counts of sampling weights, which do not know the times."""
        return cls.plain_kind().of_cells(keys, **fields)

    @classmethod
    def plain_kind(cls) -> Any:
        """Return the kind of counts of sampling weights."""
        return JointCounts if issubclass(cls, JointCounts) else ScoreCounts

    def __radd__(self, other: object) -> Any:
        """Refuse to be added to other counts; the sum of one alone is itself."""
        return self if other == 0 else self.merge([])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HorizonCounts(AtHorizon, ScoreCounts):
    """Weights of positives and negatives by a horizon, at each distinct score.

    Every number, curve, table and picture takes them as it takes `ScoreCounts`. They do not add,
    since weights depend on all rows: add `TimeCounts`, whose `at` makes them.

    Attributes
    ----------
    score, positives, negatives
        Distinct scores, best first, and the weight of each class at each, shape (K,).
    times, horizon, competing
        The counts that they were taken from, and as in `TimeCounts.at`.
    weights, unknown
        What they remember of the known rows, and how many rows were censored before.
    largest_weight
        For how many rows one row stands at most.

    Examples
    --------
    >>> from capcurve import accuracy_ratio, count_times
    >>> times = count_times(time=[3, 5, 8, 8], event=[1, 0, 1, 0], score=[9, 5, 7, 2])
    >>> found = times.at(8)
    >>> found
    HorizonCounts(horizon=8, rows=4, positives=2, negatives=1, unknown=1, distinct scores=3)
    >>> accuracy_ratio(found), found.prevalence, found.largest_weight
    (1.0, 0.625, 1.5)
    """

    times: TimeCounts = field(kw_only=True)
    horizon: float = field(kw_only=True)
    competing: Competing = field(kw_only=True)
    weights: Weights = field(kw_only=True)
    unknown: int = field(kw_only=True)
    largest_weight: float = field(kw_only=True)

    @property
    def by(self) -> str:
        """The horizon with the unit of its times, if that is known."""
        return as_text(self.horizon, self.times.time_unit)

    @property
    def known_rows(self) -> tuple[int, int]:
        """How many rows are positives and how many negatives."""
        return self.weights.positive_rows, self.weights.negative_rows

    @property
    def effective_positives(self) -> float:
        """How many equally weighted positives would tell as much: (Σw)²/Σw²; 0 of none."""
        squares = float((self.weights.positive_roots**2).sum())
        return self.n1**2 / squares if squares else 0.0

    def at_resolution(self, resolution: float) -> Any:
        """Floor the scores to a grid, as `ScoreCounts.at_resolution` does."""
        floored = self.times.at_resolution(resolution)
        return floored.at(self.horizon, competing=self.competing)

    def digest(self) -> str:
        """Return a fingerprint of the times, the horizon and what competing events count as."""
        return digest_of("horizon", self.times.digest(), repr(self.horizon), self.competing)

    def columns(self) -> dict[str, Array]:
        """Refuse to save weights: what adds is saved."""
        raise ValueError("weights at a horizon are not saved; save .times, and take .at(horizon)")

    def __repr__(self) -> str:
        positives, negatives = self.known_rows
        return (
            f"HorizonCounts(horizon={as_text(self.horizon)}, rows={self.times.n}, "
            f"positives={positives}, negatives={negatives}, unknown={self.unknown}, "
            f"distinct scores={len(self)})"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointHorizonCounts(AtHorizon, JointCounts):
    """Weights of positives and negatives by a horizon, at each combination of several scores."""

    times: JointTimes = field(kw_only=True)
    horizon: float = field(kw_only=True)
    competing: Competing = field(kw_only=True)

    def margin(self, name: str) -> ScoreCounts:
        """Return the weights of one score alone."""
        return self.times.margin(name).at(self.horizon, competing=self.competing)


def group_cells(times: Any) -> list[Places]:
    """Return which cells of the whole those of each group of clusters are."""
    found: list[Places] = times.known("cells of groups", lambda: _group_cells(times))
    return found


def _group_cells(times: Any) -> list[Places]:
    parts = [times, *times.groups]
    codes = []
    for part in parts:
        at = np.array([times.strata.index(name) for name in part.strata] or [0])
        codes.append(at[part.stratum] if len(part) else np.zeros(0, dtype=np.intp))
    columns = [np.concatenate(column) for column in zip(*(p.keys[:-1] for p in parts), strict=True)]
    order, starts = sorted_runs([*columns, np.concatenate(codes)])
    cell = np.empty(len(order), dtype=np.intp)
    cell[order] = np.repeat(order[starts], np.diff(starts, append=len(order)))
    return np.split(cell, np.cumsum([len(part) for part in parts]))[1:-1]
