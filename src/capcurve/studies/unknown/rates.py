"""estimate_rate: which share of all cases is positive, from labels on some, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.counts.completing import OutcomeCells, at_odds
from capcurve.counts.labels import LEAST_LABELS, MOST_LEVELS, LabelPlan, equal_groups, squares_of
from capcurve.gate.taking import PARTIAL, of_two_columns
from capcurve.inference import discrimination_test
from capcurve.inference.designs import require_rows, rows_per_class
from capcurve.inference.labels import STANDING, TARGETS, CellRates, Target
from capcurve.inference.rates import both_limits, limits_of_rate, rate_se
from capcurve.inference.records import Confidence, Interval
from capcurve.numbers.arguments import as_word, refused, spoken, told, word
from capcurve.numbers.order import places_in
from capcurve.show.chart import (
    BLUE,
    GREY,
    Axis,
    Bars,
    Chart,
    Marker,
    ScoreTicks,
    Style,
    marks,
    whiskers,
)
from capcurve.show.columns import formed
from capcurve.show.format import (
    NO_SEGMENT,
    amount,
    certain,
    chance_text,
    counted,
    limits,
    listed,
    percent,
    plain_names,
    stated_percent,
    written,
)
from capcurve.show.presentation import Figure, Finding, Presentation, as_sentences, gravest_first
from capcurve.show.table import Table, label_column
from capcurve.studies.unknown.bounds import as_odds_range, as_partial

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from capcurve.counts import PartialCounts
    from capcurve.counts.labels import Labelled, LabelledCells
    from capcurve.inference.records import Side
    from capcurve.numbers.types import Array, Floats

FEW_LABELS, SHARE_TO_NAME, TENTHS = 30, 0.05, 10
MOST_SCANT, HALF_WAY = 4, 0.5
# Labels whose places chance alone gives no more often than this are not at random.
NOT_BY_CHANCE = 0.01
NOT_TESTED = (
    "with weights or clusters it is not tested whether labels lie at other scores than the rest"
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RateEstimate(Interval):
    """The share of all cases that is positive, from labels on some, with its confidence interval.

    It unpacks into its limits, as every interval does.

    Attributes
    ----------
    low, estimate, high, level, method, se, notes
        As in `Interval`.
    of
        Whether limits are those of the "population" that cases are drawn from, or of these "cases".
    labelled
        How labels were chosen: "at random" or "by score".
    n, labels
        All cases, and those with a label.
    cells
        A row per cell of scores, most likely positive first: its first and last score, cases,
        labels and positives among them, their rate with Wilson's limits, and its share of cases.
    labels_alone
        The share of positives among the labels, with Wilson's limits.
    bounds
        The share if none and if all of the unlabelled cases are positive.
    at_odds
        The share if the unlabelled of each cell have the least and most of the odds asked for.
    findings
        What a careful reader would notice.
    """

    _as_rows = frozenset({"cells"})
    _left_out = frozenset({"replicates"})

    _: KW_ONLY
    of: Target
    labelled: Labelled
    n: Any
    labels: int
    cells: Table
    labels_alone: Interval
    bounds: tuple[float, float]
    at_odds: tuple[float, float] | None = None
    findings: tuple[Finding, ...] = ()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.sentence

    def presentation(self) -> Presentation:
        """Return what the estimate shows: itself beside the labels alone and the bounds."""
        alone, beside = self.labels_alone, ("labels alone", "labels alone")
        own = "share of positives", "positive"
        figures = [
            Figure("estimate", *own, self.estimate, "share", *self),
            Figure("labels_alone", *beside, alone.estimate, "share", *alone),
            Figure("bounds", "whatever the rest are", "bounds", self.bounds, "share"),
        ]
        if self.at_odds is not None:
            figures.append(Figure("at_odds", "at these odds", "odds", self.at_odds, "share"))
        return Presentation(
            title="Share of positives, from labels on some cases",
            sentences=tuple(self._sentences()),
            figures=tuple(figures),
            level=self.level,
            findings=self.findings,
            charts=(self._chart(), *self._of_cells()),
            tables=(self.cells,),
            notes=as_sentences((*self.notes, f"method: {self.method}")),
        )

    def _sentences(self) -> Iterator[str]:
        """Yield the estimate beside the labels alone and the bounds."""
        cases = counted(self.n, "case")
        own, alone = (
            f"{percent(each.estimate)} {limits('share', *each)}"
            for each in (self, self.labels_alone)
        )
        if self.bounds[0] == self.bounds[1]:
            yield f"Of {cases}, all labelled, {own} are positive."
            return
        yield (
            f"Of {cases} {own} are positive, from {counted(self.labels, 'label')} {self.labelled}; "
            f"the labels alone {alone}; whatever the rest are: {_range(self.bounds)}."
        )
        if self.at_odds is not None:
            yield f"At the odds asked for, {_range(self.at_odds)} are positive."

    def _chart(self) -> Chart:
        """Return the picture of the bounds, the labels alone, and the estimate."""
        alone, share = self.labels_alone, "Share of positives"
        names, at = ["Bounds", "Labels alone", "Labels and scores"], np.arange(3.0)
        low, high = np.array([self.bounds, alone.limits, self.limits]).T
        interval = f"{stated_percent(self.level)} interval, or bounds"
        dots = marks(at[1:], [alone.estimate, self.estimate], share, BLUE, Marker("o", 0.9))
        return Chart(
            title=share,
            x=Axis("", "score", ends=(-0.6, 2.6)),
            y=Axis(share, "percent", 1.0),
            lines=[*whiskers(at, low, high, interval), dots],
            scores=ScoreTicks(at, names),
            corner="lower right" if self.low > HALF_WAY else "upper right",
            description=" ".join(self._sentences()),
        )

    def _of_cells(self) -> Iterator[Chart]:
        """Yield the picture of how many cases each cell has, and its rate."""
        cells, at = self.cells, np.arange(float(len(self.cells)))
        if len(at) < 2:  # noqa: PLR2004 - nothing to compare
            return
        interval = f"{stated_percent(self.level)} interval"
        dots = marks(at, cells["rate"], "Rate of positives", BLUE, Marker("o", 0.9))
        yield Chart(
            title="Cases and rate of positives by cell of scores",
            x=Axis("Scores, most likely positive first", "score", ends=(-0.6, len(cells) - 0.4)),
            y=Axis("Share", "percent", 1.0),
            bars=[Bars(cells["share"], "Share of cases", Style(GREY), at=at, width=0.8)],
            lines=[*whiskers(at, cells["low"], cells["high"], interval), dots],
            scores=ScoreTicks(at, plain_names([*map(_named, cells["from"], cells["to"])])),
        )


def _range(ends: tuple[float, float]) -> str:
    """Return between which shares something lies."""
    return " to ".join(written("share", end) for end in certain(*ends))


def _named(first: Any, last: Any) -> str:
    """Return what a cell is called: its first and its last score."""
    ends = (amount(each) if isinstance(each, float) else str(each) for each in (first, last))
    return " to ".join(dict.fromkeys(ends))


@of_two_columns(PARTIAL)
def estimate_rate(
    partial: PartialCounts | Mapping[Any, PartialCounts],
    *,
    labelled: Labelled = "at random",
    of: Target = "population",
    odds: Any = None,
    level: float = 0.95,
    side: Side = "both",
) -> RateEstimate:
    """Return which share of all cases is positive where only some have a label, with limits.

    Each label stands for the cases of its cell of scores, so limits are narrower than those of the
    labels alone if the score ranks well, and right where labels were chosen by score.

    Parameters
    ----------
    partial
        Counts with unknown outcomes, from `count_partial`; or a mapping of several, such as batches
        labelled at different rates, each of which has cells of its own.
    labelled
        "at random": any case is as likely to have a label as any other; "by score": as likely as
        any other of its score.
    of
        Whether limits are for the "population" that the cases are drawn from, or for these "cases".
    odds
        Two multiples, such as (0.5, 2): also give the share if the unlabelled of each cell have
        between so many times the odds of its labels.
    level, side
        Confidence level, and "both", "lower" or "upper".

    Raises
    ------
    ValueError, TypeError
        Without a case or a label, for an unknown word, and for counts that are no partial ones.

    Notes
    -----
    Σ W·k/n over cells with n labels of N cases, W their share of all, and variance
    Σ W²(1 - n/N)·p(1 - p)/(n - 1), of the population θ(1 - θ)/N more: Holt & Smith (1979), JRSS A
    142. Limits are Wilson's for such a sum: the shares that are within so many standard errors,
    with the rates that fit the labels best at each. Of clusters they take the jackknife's variance.

    Examples
    --------
    Half of the ten better cases are positive by their labels, and none of the thirty others: 5/40.

    >>> from capcurve import PartialCounts
    >>> partial = PartialCounts.from_counts([2, 1], [2, 0], [2, 4], unknown=[6, 26])
    >>> found = estimate_rate(partial, labelled="by score")
    >>> found.estimate, found.labels_alone.estimate, found.bounds
    (0.125, 0.25, (0.05, 0.85))
    """
    confidence = Confidence(level, side).one_sided()
    as_word(of, "of", get_args(Target), either=True)
    plan, asked = LabelPlan.ask(labelled), None if odds is None else _as_odds(odds)
    several = isinstance(partial, Mapping)
    strata: Mapping[Any, Any] = partial if isinstance(partial, Mapping) else {None: partial}
    strata = {key: _of_one_score(each) for key, each in strata.items()}
    totals = ("n", "known.n", "known.n1", "unknown.n")
    n, known, k, unknown = (sum(map(attrgetter(total), strata.values())) for total in totals)
    if not n > 0:
        raise ValueError("there are no cases, so there is no share")
    cells = [_cells(f"{_called(key)}: " * several, each, plan) for key, each in strata.items()]
    rates, labels = CellRates.of(cells), sum(sum(rows_per_class(c.known)) for c in strata.values())
    found, alone = rates.interval(of, confidence), float(k / known)
    alike = sum(1 / ((each.weight / each.weight.sum()) ** 2 / each.labels).sum() for each in cells)
    own = confidence.opened(limits_of_rate(alone, float(alike), "wilson", confidence), (0.0, 1.0))
    notes = (STANDING, TARGETS[of]) if unknown > 0 else ()
    if unknown > 0 and labelled == "at random" and not all(map(_tells_places, strata.values())):
        notes = (*notes, NOT_TESTED)
    return RateEstimate(
        *(found.low, found.estimate, found.high, confidence.level, found.method, found.se),
        (*notes, *found.notes),
        of=of,
        labelled=plan.labelled,
        n=n,
        labels=labels,
        cells=_table(strata if several else (), cells, confidence),
        labels_alone=Interval(
            own[0], alone, own[1], confidence.level, "wilson", rate_se(alone, alike)
        ),
        bounds=(float(k / n), float((k + unknown) / n)),
        at_odds=asked and (_at_odds(rates, asked[0]), _at_odds(rates, asked[1])),
        findings=gravest_first(
            [
                *_of_labels(labels, alone, cells, plan.least_of_level),
                *_of_places(strata, plan, several=several),
            ]
            if unknown > 0
            else ()
        ),
    )


def _of_one_score(given: Any) -> PartialCounts:
    """Return partial counts of one score whose rows are known, else raise."""
    partial = as_partial(given, "estimate_rate")
    if partial.names:
        raise ValueError(
            f"a share is of one score, and these counts have {len(partial.names)}: both estimate "
            f"the same share, so take one: partial.margin({partial.names[0]!r})"
        )
    require_rows(partial.known)
    return partial


def _called(key: object) -> str:
    return NO_SEGMENT if key is None else str(key)


def _cells(whose: str, partial: PartialCounts, plan: LabelPlan) -> LabelledCells:
    """Return the cells of a stratum, or raise an error that names it."""
    try:
        return plan.cells(partial)
    except ValueError as error:
        raise ValueError(f"{whose}{error}") from None


def _as_odds(given: Any) -> tuple[float, float]:
    """Return the least and the greatest multiple of the odds of labels."""
    pair = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(pair, list | tuple) or len(pair) != 2:  # noqa: PLR2004 - a pair
        raise ValueError(
            f"{refused('odds')} be two multiples, such as {spoken('(0.5, 2)')}; got "
            f"{spoken(told(given))}"
        )
    return as_odds_range(pair)


def _at_odds(cells: CellRates, odds: float) -> float:
    """Return the share if the unlabelled have so many times the odds of labels of their cell."""
    labelled = cells.shares * (1 - cells.left) * cells.rates
    return float((labelled + at_odds(cells.shares * cells.left, cells.rates, odds)).sum())


def _table(
    strata: Collection[object], cells: Sequence[LabelledCells], confidence: Confidence
) -> Table:
    """Return the cells of one sample, or of all strata, as a table."""
    parts = [_columns(each, confidence) for each in cells]
    keys = [key for key, part in zip(strata, parts, strict=False) for _ in part["rate"]]
    columns = {"stratum": label_column(keys)} if strata else {}
    columns |= {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    columns["share"] = columns["cases"] / columns["cases"].sum()
    form = "count" if columns["cases"].dtype.kind == "i" else "quantity"
    forms = {form: "cases labels positives", "share": "rate low high share", "score": "from to"}
    return Table("Cells of scores", formed(columns, None, **forms))


def _columns(cells: LabelledCells, confidence: Confidence) -> dict[str, Array]:
    """Return the columns of the cells of one stratum."""
    last = np.append(np.flatnonzero(np.diff(cells.of_every)), len(cells.of_every) - 1)
    scores, rates = cells.every.thresholds, cells.rates
    low, high = both_limits(np.minimum(rates, 1) * cells.labels, cells.labels, "wilson", confidence)
    sums = {"cases": cells.cases, "labels": cells.labels, "positives": rates * cells.labels}
    if cells.every.is_whole:
        sums = {name: np.rint(column).astype(np.int64) for name, column in sums.items()}
    ends = {"from": scores[np.append(0, last[:-1] + 1)], "to": scores[last]}
    return {**ends, **sums, "rate": rates, "low": low, "high": high}


def _of_labels(
    labels: int, alone: float, cells: Sequence[LabelledCells], least: int
) -> Iterator[Finding]:
    """Yield that labels are few, all alike, or too few for a cell of each score."""
    if labels < FEW_LABELS:
        said = f"there are only {counted(labels, 'label')}"
        yield Finding("few_labels", "warning", said, f"label {FEW_LABELS} or more")
    if alone in {0, 1}:
        said = f"all labels are {'positive' if alone else 'negative'}"
        yield Finding("one_class", "info", said, "the limits show which share the others may have")
    joined = [each for each in cells if len(each.every) <= MOST_LEVELS]
    scores, held = sum(len(each.every) for each in joined), sum(len(each.cases) for each in joined)
    if held < scores:
        said = f"{scores} scores share {counted(held, 'cell')}, as some have few labels"
        yield Finding("cells_merged", "info", said, f"label {least} of each score")


def _of_places(
    strata: Mapping[Any, PartialCounts], plan: LabelPlan, *, several: bool
) -> Iterator[Finding]:
    """Yield at which scores there are more labels than at random, or hardly any."""
    places = {key: PlacesOfLabels.of(each) for key, each in strata.items()}
    chances = {key: found.chance(strata[key]) for key, found in places.items()}
    elsewhere = [key for key, p in chances.items() if p is not None and p <= NOT_BY_CHANCE]
    chosen = plan.labelled == "by score"
    if elsewhere and not chosen:
        chosen = True
        of = f" of {listed(map(_called, elsewhere), MOST_SCANT)}" if several else ""
        least = chance_text(min(chances[key] or 0.0 for key in elsewhere))
        said = (
            f"labelled cases{of} have other scores than the rest ({least}), so labels are not "
            "random"
        )
        advice = f"if they are random within a score, say {word(labelled='by score')}"
        yield Finding("labels_not_random", "warning", said, advice)
    # Of labels at random there are some everywhere in the end; of others limits may fail.
    named = ((f"{_called(key)}: " * several, found) for key, found in places.items())
    scant = [f"{whose}{place}" for whose, found in named for place in found.scant()]
    if scant:
        severity: Literal["info", "warning"] = "warning" if chosen else "info"
        said = f"hardly any labels at {listed(scant, MOST_SCANT)}"
        yield Finding("few_labels_here", severity, said, "label ten there, or quote the bounds")


@dataclass(frozen=True, slots=True)
class PlacesOfLabels:
    """The scores of up to ten levels, or the tenths of more, with their cases and labels."""

    names: list[str]
    cases: Floats
    labels: Floats  # as many as tell as much, all weighing alike

    @classmethod
    def of(cls, partial: Any) -> PlacesOfLabels:
        """Return the places of partial counts of one score."""
        every, known = partial.cases, partial.known
        scores, at = every.thresholds, places_in(every, known.score)
        columns = np.zeros((3, len(scores)))
        unit = 1.0 if known.weights is None else float(known.n) or 1.0
        columns[0], columns[1, at] = every.cases, known.cases.cases / unit
        columns[2, at] = squares_of(known, unit)
        many = len(scores) > MOST_LEVELS
        starts = equal_groups(columns[0], TENTHS) if many else np.arange(len(scores))
        last = np.append(starts[1:], len(scores)) - 1
        names = [_named(scores[a], scores[b]) for a, b in zip(starts, last, strict=True)]
        cases, weight, squares = np.add.reduceat(columns, starts, axis=1)
        alike = np.divide(weight**2, squares, out=np.zeros(len(starts)), where=squares > 0)
        return cls(names, cases, alike)

    def scant(self) -> Iterator[str]:
        """Yield the places that matter and have hardly any labels."""
        shares = self.cases / self.cases.sum()
        for at in np.flatnonzero((shares >= SHARE_TO_NAME) & (self.labels < LEAST_LABELS)).tolist():
            few = counted(round(float(self.labels[at])), "label")
            yield f"{self.names[at]} ({percent(shares[at], 0)} of cases, {few})"

    def chance(self, partial: Any) -> float | None:
        """Return how often chance puts labels so far away; None where rows do not tell."""
        # Of all to one side, or at some places more than at others.
        from scipy.stats import chi2_contingency

        if not _tells_places(partial):
            return None
        apart = OutcomeCells.of(partial.known, partial.unknown.held).told_apart()
        to_one_side = discrimination_test(apart, method="normal").p_value
        if len(self.names) < 2:  # noqa: PLR2004 - nowhere else
            return to_one_side
        uneven = chi2_contingency([self.labels, self.cases - self.labels], correction=False).pvalue
        return min(to_one_side, float(uneven))


def _tells_places(partial: Any) -> bool:
    """Return whether rows are independent and weigh alike, and some have a label, some none."""
    rows = partial.is_whole and partial.known.groups is None
    return rows and partial.known.n > 0 and partial.unknown.n > 0
