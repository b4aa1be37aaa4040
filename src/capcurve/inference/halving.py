"""Numbers of samples of very many scores, of which only the parts that decide are dealt."""

# A sample is dealt to both halves of its scores, what each half holds to its own halves, and so on:
# the cases of a class in a half are binomial. So it has the law of a sample that is dealt to all
# scores at once, and a half in which the number cannot lie need not be dealt any further.

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from capcurve.inference.designs import GROUPED_CELLS, check_replicates
from capcurve.inference.samples import ks_statistics, rates_at_share
from capcurve.numbers.exact import cumulated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.inference.designs import Resampling
    from capcurve.inference.samples import Rate
    from capcurve.numbers.types import Array, Bools, Floats, Ints, Places

SAMPLES_HALVED_AT_ONCE = 200


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Runs of neighbouring scores, each of one sample; positives and negatives of shape (2, m)."""

    sample: Places
    start: Places
    end: Places
    above: Ints  # what the sample has at higher-ranked scores
    held: Ints  # and at these

    def halved(self, rng: np.random.Generator, sums: Ints) -> tuple[_Runs, _Runs]:
        """Deal what each run holds to its halves, as the running sums of all scores have it."""
        middle = (self.start + self.end) // 2
        first, last = sums[:, self.start], sums[:, self.end]
        upper = rng.binomial(self.held, (sums[:, middle] - first) / np.maximum(last - first, 1))
        return (
            _Runs(self.sample, self.start, middle, self.above, upper),
            _Runs(self.sample, middle, self.end, self.above + upper, self.held - upper),
        )

    def kept(self, some: Bools) -> _Runs:
        """Return some of the runs."""
        return _Runs(*(column[..., some] for column in self.columns))

    @property
    def columns(self) -> tuple[Array, ...]:
        """Its fields, in order."""
        return self.sample, self.start, self.end, self.above, self.held


def ks_of_samples(resampling: Resampling) -> Floats:
    """Return the two-sided KS statistic of each sample; each class keeps its size."""
    if not _halves(resampling):
        return resampling.draw(ks_statistics)
    sizes = np.array([[resampling.counts.n1], [resampling.counts.n0]])
    found = []
    for rng, sums, whole in _wholes(resampling, stratified=True):
        runs = whole
        best = np.zeros(len(whole.sample))
        while len(runs.sample):
            halves = runs.halved(rng, sums)
            tpr, fpr = halves[1].above / sizes
            np.maximum.at(best, runs.sample, np.abs(tpr - fpr))
            pairs = zip(*(half.columns for half in halves), strict=True)
            runs = _Runs(*(np.concatenate(pair, axis=-1) for pair in pairs))
            # Nowhere in a run is the gap wider than if all of one class came before the other.
            (tpr, fpr), (most1, most0) = runs.above / sizes, (runs.above + runs.held) / sizes
            widest = np.maximum(most1 - fpr, most0 - tpr)
            runs = runs.kept((widest > best[runs.sample]) & (runs.end - runs.start > 1))
        found.append(best)
    return np.concatenate(found)


def rates_of_samples(
    resampling: Resampling, q: float, which: Rate, prevalence: float | None
) -> Floats:
    """Return a rate of the top share q of each sample; to a prevalence classes keep their size."""
    statistic = partial(rates_at_share, q=q, which=which, prevalence=prevalence)
    stratified = prevalence is not None
    if not _halves(resampling):
        return resampling.draw(statistic, stratified=stratified)
    weights = np.ones(2)
    if prevalence is not None:
        sizes = resampling.counts.n1, resampling.counts.n0
        weights = np.array([prevalence, 1 - prevalence]) / np.array(sizes)
    found = []
    for rng, sums, whole in _wholes(resampling, stratified=stratified):
        runs, reach = whole, q * (weights @ whole.held)
        while int((runs.end - runs.start).max()) > 1:
            upper, lower = runs.halved(rng, sums)
            ended = weights @ lower.above >= reach
            pairs = zip(upper.columns, lower.columns, strict=True)
            runs = _Runs(*(np.where(ended, *pair) for pair in pairs))
        # The score in which the share ends, between those above it and those below.
        three = np.stack([runs.above, runs.held, whole.held - runs.above - runs.held], axis=-1)
        found.append(statistic(*three.astype(np.float64)))
    return np.concatenate(found)


def _halves(resampling: Resampling) -> bool:
    """Tell whether scores are so many that halves are dealt; weights of rows are no whole cases."""
    counts = resampling.counts
    return counts.weights is None and len(counts) > GROUPED_CELLS


def _wholes(
    resampling: Resampling, *, stratified: bool
) -> Iterator[tuple[np.random.Generator, Ints, _Runs]]:
    """Yield samples, some at a time, as one run of all scores each, and the sums to deal by."""
    check_replicates(resampling.replicates)
    counts, rng = resampling.counts, np.random.default_rng(resampling.seed)
    sums = np.array([cumulated(column.astype(np.int64)) for column in counts.sums])
    sizes = sums[:, -1:]
    for start in range(0, resampling.replicates, SAMPLES_HALVED_AT_ONCE):
        many = min(SAMPLES_HALVED_AT_ONCE, resampling.replicates - start)
        held = np.repeat(sizes, many, axis=1)
        if not stratified:
            positives = rng.binomial(sizes.sum(), sizes[0] / sizes.sum(), many)
            held = np.array([positives, sizes.sum() - positives])
        nothing = np.zeros(many, dtype=np.intp)
        yield rng, sums, _Runs(np.arange(many), nothing, nothing + len(counts), 0 * held, held)
