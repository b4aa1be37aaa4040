"""Rows in memory: labels, scores and weights become counts.

Scores that leave a bit free carry their class in it through one sort (numpy sorts numbers with
vector instructions). Few rows, weighted rows and scores that leave no bit free take an argsort.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts import Dropped, ScoreCounts, ValueCounts, WeightKind, Weights
from capcurve.counts.settings import AMOUNTS, Words
from capcurve.counts.sums import ValueRows, arranged, arranged_scores
from capcurve.counts.weights import root_sums
from capcurve.input.arrays.keys import cells_of, key_code, tally
from capcurve.numbers.exact import in_blocks, run_sums
from capcurve.numbers.order import (
    add_up,
    grid_index,
    keep_in_place,
    order_of,
    picked,
    run_starts,
    sort_in_place,
)
from capcurve.numbers.threads import shared_threads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from capcurve.numbers.types import Array, Bools, Floats, Ints, Places

# Below this many rows the fewest calls are the quickest.
FEW_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Score:
    """One score of the sample: sortable numbers, and how to read them."""

    name: str
    values: Array
    higher_is: Literal["positive", "negative"]
    levels: tuple[object, ...] | None
    resolution: float | None


@dataclass(frozen=True, slots=True)
class Endings:
    """When each row ended and how, and the stratum it is in."""

    time: Floats
    status: Array
    stratum: Places  # its place among the strata
    label: Places  # which of `labels` each row has
    labels: tuple[str, ...]  # of competing events, after one for none
    settings: Mapping[str, Any]  # the names of the strata, and what times were cut to

    def take(self, rows: Any) -> Endings:
        """Return the picked rows."""
        picked = {n: getattr(self, n)[rows] for n in ("time", "status", "stratum", "label")}
        return replace(self, **picked)

    def competing(self, repeats: Ints | None) -> dict[str, int]:
        """Return the labels of competing events with their rows."""
        rows = np.bincount(self.label, repeats, len(self.labels)).astype(np.int64).tolist()
        found = sorted(zip(self.labels[1:], rows[1:], strict=True))
        return {label: held for label, held in found if held}


@dataclass(frozen=True, slots=True)
class Sample:
    """Complete, checked rows, ready to be counted."""

    positive: Bools  # whether each row is a positive; with amounts, whether its amount is not 0
    scores: tuple[Score, ...]  # one or several scores of the same rows
    weight: Floats | None = None  # weight of each row, or None
    weight_kind: WeightKind | None = None  # what the weights mean, or None
    repeats: Ints | None = None  # how many rows each row stands for, or None for one each
    dropped: Dropped | None = None  # rows already left out
    # Whether nobody else holds the scores, so that counting may write over them.
    owned: bool = False
    # Number of the group that each row's cluster is in, or None.
    groups: NDArray[np.uint8] | None = None
    # The amounts that are not 0, one for each of these rows; None when classes are counted.
    amount: Floats | None = None
    exposure: Floats | None = None  # exposure of each row, or None for one each
    words: Words = AMOUNTS  # what amount and exposure are called
    ended: Endings | None = None  # how outcomes that take time ended

    def times(self, rows: Any) -> Ints:
        """Return how many rows each picked row stands for."""
        if self.repeats is None:
            return np.ones(len(self.positive[rows]), dtype=np.int64)
        repeats: Ints = self.repeats[rows]
        return repeats

    def take(self, rows: Any, dropped: Dropped | None) -> Sample:
        """Return the picked rows."""

        def of(column: Any) -> Any:
            return None if column is None else column[rows]

        return replace(
            self,
            positive=self.positive[rows],
            scores=tuple(replace(score, values=score.values[rows]) for score in self.scores),
            weight=of(self.weight),
            repeats=of(self.repeats),
            dropped=dropped,
            owned=False,
            groups=of(self.groups),
            amount=None if self.amount is None else self._amounts(rows),
            exposure=of(self.exposure),
            ended=self.ended and self.ended.take(rows),
        )

    def _amounts(self, rows: Any) -> Floats:
        """Return the amounts that are not 0 of the picked rows."""
        amount: Floats = np.asarray(self.amount)
        if isinstance(rows, slice):  # all of them
            return amount
        if rows.dtype == np.bool_:
            picked: Any = rows[self.positive]
        else:
            place = np.cumsum(self.positive, dtype=np.intp)
            picked = place[rows][self.positive[rows]] - 1
        found: Floats = amount[picked]
        return found


@shared_threads()
def count_sample(sample: Sample, score: Score) -> ScoreCounts:
    """Count one score of the sample."""
    fields = {"higher_is": score.higher_is, "levels": score.levels, "dropped": sample.dropped}
    if sample.weight is not None or sample.repeats is not None:
        return _count_in_order(sample, score, fields)
    counts = _count_once(sample.positive, score.values, fields, owned=sample.owned)
    return counts if score.resolution is None else counts.at_resolution(score.resolution)


@shared_threads()
def count_amounts(sample: Sample, score: Score) -> ValueCounts:
    """Count the amounts of one score of the sample: rows that have one, and all others apart."""
    values = score.values
    if score.resolution is not None:
        values = grid_index(values, score.resolution)
    held, falls = sample.positive, score.higher_is == "positive"
    with_amount = values if held.all() else values[held]
    holding = _arranged(sample, with_amount, held, sample.amount, falls)
    owned = values is not score.values or (sample.owned and values.flags.writeable)
    left = keep_in_place(values, ~held) if owned else values[~held]
    return ValueCounts.from_parts(
        holding,
        _arranged(sample, left, ~held, None, falls),
        higher_is=score.higher_is,
        levels=score.levels,
        resolution=score.resolution,
        dropped=sample.dropped,
        words=sample.words,
    )


def _arranged(
    sample: Sample, score: Array, rows: Bools, amount: Floats | None, falls: bool
) -> ValueRows:
    """Put the rows in order; scores that are ours may be sorted where they stand."""
    if amount is None and sample.exposure is None and sample.repeats is None:
        return arranged_scores(score, falls=falls)
    exposure = None if sample.exposure is None else sample.exposure[rows]
    repeats = None if sample.repeats is None else sample.times(rows)
    return arranged(ValueRows(score, amount, exposure, repeats), falls=falls)


def _count_once(
    positive: Bools, score: Array, fields: dict[str, Any], *, owned: bool
) -> ScoreCounts:
    """Count where scores stand, by one sort of both classes, or in the order of the scores."""
    table = tally(score, positive)
    if table is not None:
        return ScoreCounts.from_ascending(*table, **fields)
    down = fields["higher_is"] == "positive"
    code = None if len(score) < FEW_ROWS else key_code(score, down=down)
    if code is not None:
        memory = score if owned and score.flags.writeable else np.empty_like(score)
        keys = memory.view(code.word)
        code.encode(score, positive, keys)
        sort_in_place(keys)
        cells = cells_of(keys, code)
        backwards = slice(None, None, -1 if down else 1)
        return ScoreCounts.from_ascending(*(column[backwards] for column in cells), **fields)
    return _count_by_order(positive, score, fields)


def _count_by_order(positive: Bools, score: Array, fields: dict[str, Any]) -> ScoreCounts:
    order = np.argsort(score)
    ordered = score[order]
    starts = run_starts(ordered)
    positives = add_up(positive[order].view(np.uint8), starts)
    negatives = np.diff(starts, append=len(score)) - positives
    return ScoreCounts.from_ascending(ordered[starts], positives, negatives, **fields)


def _count_in_order(sample: Sample, graded: Score, fields: dict[str, Any]) -> ScoreCounts:
    """Count rows with weights, or that stand for several, in the order of their scores."""
    score = graded.values
    if graded.resolution is not None:  # first: sums that are added up later are rounded twice
        score = grid_index(score, graded.resolution)
        fields = {**fields, "resolution": graded.resolution}
    # Laid out backwards, the order in which counts are mostly kept.
    order = order_of(score)
    backwards = order[::-1]
    ordered = picked(score, backwards)[::-1]
    weights: Weights | None
    if sample.repeats is None and (ordered[1:] != ordered[:-1]).all():
        # Without ties the root of a squared weight is that weight; its sign tells the class.
        weight, positive, rows = np.asarray(sample.weight), sample.positive, len(score)
        signed = in_blocks(rows, lambda part: weight[part] * (positive[part].view(np.int8) * 2 - 1))
        signed = picked(signed, backwards)
        of_positives = in_blocks(rows, lambda part: np.maximum(signed[part], 0.0) + 0.0)
        of_negatives = in_blocks(rows, lambda part: np.maximum(-signed[part], 0.0) + 0.0)
        sums = [of_positives[::-1], of_negatives[::-1]]
        of1, of0 = (int(np.count_nonzero(column > 0)) for column in sums)
        weights = Weights(sample.weight_kind, of1, of0, *sums)
    else:
        starts = run_starts(ordered)
        ordered = ordered[starts]
        sums, weights = class_sums(sample, order, starts)
    return ScoreCounts.from_ascending(ordered, *sums, weights=weights, **fields)


def class_sums(sample: Sample, order: Places, starts: Places) -> tuple[list[Array], Weights | None]:
    """Return sums of positives and of negatives over runs of ordered rows, and their weights."""
    # Weights add up to the same floats whatever the order of the rows, and whether equal rows come
    # one by one or once with how often they occur.
    positive = sample.positive[order]
    both = (positive, ~positive)
    if sample.weight is None:
        counted = sample.times(order)
        return [add_up(np.where(own, counted, 0), starts) for own in both], None
    weight = sample.weight[order]
    times = None if sample.repeats is None else sample.times(order)
    carries = weight > 0 if times is None else np.where(weight > 0, times, 0)
    of1, of0 = (int(carries[own].sum()) for own in both)
    sums, roots = [], []
    for own in both:
        part = np.where(own, weight, 0.0)
        sums.append(run_sums(part, starts, times))
        roots.append(root_sums(part, starts, times))
    return sums, Weights(sample.weight_kind, of1, of0, *roots)
