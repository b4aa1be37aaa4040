"""Cells of scores in which each label stands for all cases: post-stratification of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from capcurve.counts.table import BOTH_CLASSES, built
from capcurve.counts.weights import Weights
from capcurve.numbers.arguments import arg, as_share, as_word, spoken, told, word
from capcurve.numbers.meeting import selected_at
from capcurve.numbers.order import places_in, sorted_runs

if TYPE_CHECKING:
    from capcurve.counts.scores import ScoreCounts
    from capcurve.numbers.types import Bools, Floats, Places

Labelled: TypeAlias = Literal["at random", "by score"]
# Up to MOST_LEVELS distinct scores are a group each. More are put into groups, one for each
# LABELS_OF_GROUP labels: at most MOST_OF_ALL of all cases, MOST_OF_SIDE on each side of a cut-off.
MOST_LEVELS, LABELS_OF_GROUP, MOST_OF_ALL, MOST_OF_SIDE = 10, 10, 10, 5
# How many labels a cell must have; fewer where single scores are labelled at rates of their own,
# as joining them would mix these.
LEAST_LABELS, LEAST_OF_LEVEL = 10, 2
HEAVY_CELLS = 0.5
LONGEST_SHOWN = 40  # of cut-offs as they were typed


@dataclass(frozen=True, eq=False)
class LabelledCells:
    """Cells of neighbouring scores, most likely positive first; sums have shape (H,)."""

    cases: Floats
    weight: Floats  # of the labelled cases: their number, without weights
    labels: Floats  # how many labels of equal weight are as informative
    positives: Floats  # the weight of the labelled cases that are positive
    every: ScoreCounts  # all cases by score, held as negatives
    of_every: Places  # the cell of each of these scores
    # Of each group of clusters the cases, the labelled ones and the positives, (3, G, H).
    groups: Floats

    @property
    def shares(self) -> Floats:
        """The share of all cases in each cell."""
        found: Floats = self.cases / self.cases.sum()
        return found

    @property
    def rates(self) -> Floats:
        """The rate of positives among the labels of each cell."""
        return self.positives / self.weight

    @property
    def labelled(self) -> Floats:
        """Which share of its cases has a label, at most 1."""
        return np.minimum(self.weight / self.cases, 1.0)

    @property
    def factors(self) -> Floats:
        """How many cases each label stands for."""
        return np.maximum(self.cases / self.weight, 1.0)

    @property
    def n(self) -> float:
        """How many cases of equal weight are as informative as all."""
        every = self.every
        return float(every.n if every.weights is None else 1 / squares_of(every, every.n).sum())

    def left_to_chance(self) -> float:
        """Return the least part of the spread of labels that is left where these cases are given.

        It is 0 unless half of the cases are in cells whose labels, all alike, show no spread.
        """
        still = (self.rates * (1 - self.rates) <= 0) & (self.labelled < 1)
        if self.shares[still].sum() < HEAVY_CELLS:
            return 0.0
        spread = self.cases**2 / self.labels
        return float(np.sqrt(spread @ (1 - self.labelled) / spread.sum()))

    def of(self, counts: Any) -> Places:
        """Return the cell of each score of counts, or of each combination by its first score."""
        return self.of_every[places_in(self.every, counts.keys[0])]

    def without_groups(self, held: Bools) -> Floats:
        """Return the cases, labelled ones and positives without each of some groups, (3, G, H)."""
        # A cell that is left without a label keeps its rate.
        whole = np.array([self.cases, self.weight, self.positives])[:, None]
        left = whole - self.groups[:, held]
        left[1:] = np.where(left[1] > 0, left[1:], whole[1:])
        return left


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """How labels were chosen, and the cut-off at which cells end, if any."""

    labelled: Labelled
    q: float | None = None
    threshold: Any = None

    @classmethod
    def ask(cls, labelled: Any, q: Any = None, threshold: Any = None) -> LabelPlan:
        """Return the plan, or raise ValueError for an unknown word or two cut-offs."""
        if labelled is None:
            raise ValueError(
                f"say how labels were chosen: {word(labelled=get_args(Labelled))}; without that "
                "only bounds hold: unknown_bounds(partial)"
            )
        if q is not None and threshold is not None:
            raise ValueError(f"{arg('q')} and {arg('threshold')} are two cut-offs; give one")
        plan = as_word(labelled, "labelled", get_args(Labelled), either=True)
        return cls(plan, None if q is None else as_share(q, "q", some=True), threshold)

    @property
    def least_of_level(self) -> int:
        """How many labels a cell must have where each score is a group."""
        return LEAST_OF_LEVEL if self.labelled == "by score" else LEAST_LABELS

    def cells(self, partial: Any) -> LabelledCells:
        """Return the cells of partial counts, found from cases and labels, never from outcomes.

        Of several scores they are those of the first.
        """
        one: Any = partial.margin(partial.names[0]) if partial.names else partial
        known, every = one.known, one.cases.held
        at, columns = places_in(every, known.score), np.zeros((4, len(every)))
        # A weight such as 1e300 has no square in floating point.
        unit = 1.0 if known.weights is None or not known.n > 0 else float(known.n)
        columns[0] = every.negatives
        columns[1, at] = known.positives.astype(np.float64) + known.negatives
        columns[2, at] = squares_of(known, unit)
        columns[3, at] = known.positives
        if not columns[1].any():
            raise ValueError(
                "no case has a label, so nothing can be estimated; bounds still exist: "
                f"{spoken('unknown_bounds(partial)')}"
            )
        starts = np.concatenate(
            [*self._starts(every, columns[:3] / np.array([[1.0], [unit], [1.0]]))]
        )
        of_every = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(every)))
        cases, weight, squares, positives = np.add.reduceat(columns, starts, axis=1)
        groups = _sums_of_groups(one, every, of_every)
        return LabelledCells(
            cases, weight, (weight / unit) ** 2 / squares, positives, every, of_every, groups
        )

    def _starts(self, every: ScoreCounts, columns: Floats) -> Any:
        """Yield where the cells of each side of the cut-off start."""
        levels, whole = len(every) <= MOST_LEVELS, self.q is None and self.threshold is None
        least = self.least_of_level if levels else LEAST_LABELS
        most = MOST_OF_ALL if whole else MOST_OF_SIDE
        cut = 0 if whole else self._cut(every)
        for side in (slice(0, cut), slice(cut, len(every))):
            if side.start == side.stop:
                continue
            if not columns[1, side].any():
                better = "better" if side.start == 0 else "worse"
                raise ValueError(
                    f"no case on the {better} side of the cut-off has a label, so nothing can be "
                    "estimated there; label some, or move the cut-off"
                )
            yield side.start + _joined(columns[:, side], 0 if levels else most, least)

    def _cut(self, every: ScoreCounts) -> int:
        """Return how many scores the cut-off selects whole."""
        if self.q is not None:
            n = every.n
            nearest = round(self.q * n)
            reach = nearest if nearest / n == self.q else self.q * n
            return int(
                np.searchsorted(np.cumsum(every.negatives, dtype=np.float64), reach, "right")
            )
        return check_threshold(every, self.threshold)


def check_threshold(every: Any, threshold: Any) -> int:
    """Return how many scores a cut-off selects, or raise ValueError where these are all or none."""
    found, scores = selected_at(every, threshold), every.thresholds
    if not len(scores):
        raise ValueError("there are no cases, so a cut-off selects none")
    if 0 < found < len(scores):
        return found
    side = "all cases" if found else "no case"
    short = len(str(threshold)) <= LONGEST_SHOWN
    said = arg(threshold=threshold) if short else f"{arg('threshold')}{told(threshold)}"
    raise ValueError(
        f"{said} selects {side}: scores go from {told(scores[0])} to {told(scores[-1])}"
    )


def refuse_labels(labelled: object, of: object = "population") -> None:
    """Raise ValueError for options that are about labels on some cases, where all have one."""
    if labelled is not None or of != "population":
        raise ValueError(
            f"{arg('labelled')} and {arg('of')} are about labels on some cases, and in these "
            "counts all have one: count_partial(y, p), with y empty where there is none"
        )


def standing_for(known: Any, cells: LabelledCells) -> Any:
    """Return labelled cases, each weighted with how many cases of its cell it stands for."""
    factors = cells.factors[cells.of(known)]
    kind, rows = "sampling", (known.n1, known.n0)
    if (held := known.weights) is not None:
        kind, rows = held.kind, (held.positive_rows, held.negative_rows)
    weights = Weights(kind, *rows, *(root * factors for root in roots_of(known)))  # type: ignore[arg-type]  # of one kind
    groups = known.groups and tuple(standing_for(group, cells) for group in known.groups)
    order, _ = sorted_runs(list(known.keys))
    sums = {name: (getattr(known, name) * factors)[order] for name in BOTH_CLASSES}
    cut = [key[order] for key in known.keys], {**sums, "weights": weights.take(order)}
    return built(type(known), cut, groups, known.fields())


def roots_of(counts: Any) -> tuple[Floats, Floats]:
    """Return the root of the sum of squared weights at each score, of positives and negatives."""
    if counts.weights is not None:
        return counts.weights.positive_roots, counts.weights.negative_roots
    return np.sqrt(counts.positives, dtype=np.float64), np.sqrt(counts.negatives, dtype=np.float64)


def squares_of(counts: Any, unit: float) -> Floats:
    """Return the sum of the squared weights at each score, in units; whole cases stay whole."""
    if counts.weights is None:
        return np.asarray(counts.positives.astype(np.float64) + counts.negatives)
    return np.asarray(sum((roots / unit) ** 2 for roots in roots_of(counts)))


def _joined(columns: Floats, most: int, least: int) -> Places:
    """Return where cells start, of cases, weights of labels and their squares at each score."""
    # Each score is a group where there is no most; else groups have equal numbers of cases.
    cases, weight, squares = columns
    starts = np.arange(len(cases))
    if most:
        labels = weight.sum() ** 2 / squares.sum()
        starts = equal_groups(cases, max(1, min(most, int(labels // LABELS_OF_GROUP))))
    while len(starts) > 1:
        weights, roots = np.add.reduceat(weight, starts), np.add.reduceat(squares, starts)
        labels_of = np.divide(weights**2, roots, out=np.zeros(len(starts)), where=roots > 0)
        fewest = int(labels_of.argmin())
        if labels_of[fewest] >= least:
            break
        ahead, behind = (
            labels_of[each] if 0 <= each < len(starts) else np.inf
            for each in (fewest - 1, fewest + 1)
        )
        starts = np.delete(starts, fewest if ahead <= behind else fewest + 1)
    return starts


def equal_groups(cases: Floats, groups: int) -> Places:
    """Return where groups of scores start that have as equal numbers of cases as ties allow."""
    middle = 2 * np.cumsum(cases) - cases
    return np.flatnonzero(np.diff(groups * middle // (2 * cases.sum()), prepend=-1))


def _sums_of_groups(one: Any, every: ScoreCounts, of_every: Places) -> Floats:
    """Return what each group of clusters holds of each cell."""
    groups = every.groups or ()
    found = np.zeros((3, len(groups), of_every[-1] + 1))
    for place, (cases, known) in enumerate(zip(groups, one.known.groups or (), strict=True)):
        at = of_every[places_in(every, known.score)]
        np.add.at(found[0, place], of_every[places_in(every, cases.score)], cases.negatives)
        np.add.at(found[1, place], at, known.positives.astype(np.float64) + known.negatives)
        np.add.at(found[2, place], at, known.positives)
    return found
