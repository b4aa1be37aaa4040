"""Samples that are dealt only where a number is decided have the law of full samples."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

import capcurve as cap
from capcurve.inference.designs import GROUPED_CELLS, Resampling
from capcurve.inference.halving import ks_of_samples, rates_of_samples
from capcurve.inference.samples import ks_statistics, rates_at_share

close = pytest.approx
REPLICATES = 3000
# Two samples of so many from one law differ by more than this once in 10,000 times.
APART = 2.23 * (2 / REPLICATES) ** 0.5


def population(shift, rows=2400, digits=3, **options):
    """Return counts of more distinct scores than are dealt at once, some of them tied."""
    rng = np.random.default_rng(11)
    y = rng.random(rows) < 0.2
    return cap.count_scores(y, np.round(rng.standard_normal(rows) + shift * y, digits), **options)


COUNTS = {
    "good": population(1.2),
    "worthless": population(0.0),
    "reversed": population(-0.8),
    "low scores": population(-1.0, higher_is="negative"),
    "one large tie": cap.ScoreCounts.merge(
        [population(1.0), cap.ScoreCounts.from_counts([0.5], [150], [700])]
    ),
}


def distance(first, second):
    """Return how far two distributions are apart, values that differ by rounding taken as one."""
    return ks_2samp(first.round(12), second.round(12), method="asymp").statistic


def test_the_populations_are_halved():
    assert min(map(len, COUNTS.values())) > GROUPED_CELLS


@pytest.mark.parametrize("name", COUNTS)
def test_ks_of_halved_samples_has_the_law_of_full_ones(name):
    full = Resampling(COUNTS[name], REPLICATES, 1).draw(ks_statistics)
    found = ks_of_samples(Resampling(COUNTS[name], REPLICATES, 2))
    assert distance(full, found) < APART
    assert found.mean() == close(full.mean(), abs=4 * full.std() * (2 / REPLICATES) ** 0.5)


@pytest.mark.turns(5)
@pytest.mark.parametrize("prevalence", [None, 0.4])
@pytest.mark.parametrize("which", ["captured_response", "precision"])
@pytest.mark.parametrize("name", COUNTS)
def test_rates_of_halved_samples_have_the_law_of_full_ones(name, which, prevalence):
    for q in (0.0007, 0.1):
        asked = {"q": q, "which": which, "prevalence": prevalence}
        full = Resampling(COUNTS[name], REPLICATES, 1).draw(
            lambda p, n, asked=asked: rates_at_share(p, n, **asked),
            stratified=prevalence is not None,
        )
        found = rates_of_samples(Resampling(COUNTS[name], REPLICATES, 2), **asked)
        assert distance(full, found) < APART
        spread = full.std() * (2 / REPLICATES) ** 0.5
        assert found.mean() == close(full.mean(), abs=4 * spread + 1e-12)


def apart(best_first=True):
    """Return 300 positives and 1,200 negatives, each class above the other as a whole."""
    score = np.arange(1500, 0, -1)
    return cap.count_scores(score > 1200 if best_first else score <= 300, score)


def test_classes_that_do_not_mix_do_not_mix_in_samples():
    for counts in (apart(), apart(best_first=False)):
        assert ks_of_samples(Resampling(counts, 300, 1)) == close(np.ones(300))
    # All of the first 120 of 1,500 cases are positive, whoever is drawn.
    few = Resampling(apart(), 300, 1)
    assert rates_of_samples(few, 0.08, "precision", None) == close(np.ones(300))
    # Each class keeps its size, so the first 120 are 120 of 300; to a prevalence of 1/2, 8/50.
    for prevalence, held in ((0.2, 0.4), (0.5, 0.16)):
        found = rates_of_samples(few, 0.08, "captured_response", prevalence)
        assert found == close(np.full(300, held))
    last = Resampling(apart(best_first=False), 300, 1)
    found = rates_of_samples(last, 0.5, "captured_response", 0.2)
    assert found == close(np.zeros(300), abs=1e-12)
    assert rates_of_samples(last, 1.0, "precision", 0.2) == close(np.full(300, 0.2))


def test_samples_without_positives_have_no_captured_response():
    counts = cap.count_scores(np.arange(1500) == 7, np.arange(1500))
    found = rates_of_samples(Resampling(counts, 2000, 1), 0.3, "captured_response", None)
    assert np.isnan(found).mean() == close((1 - 1 / 1500) ** 1500, abs=0.04)


def test_few_scores_and_weights_are_dealt_as_a_whole():
    few = population(1.0, digits=1)
    weighted = population(1.0, weight=np.ones(2400), weight_kind="sampling")
    for counts in (few, weighted):
        resampling = Resampling(counts, 50, 1)
        assert (ks_of_samples(resampling) == resampling.draw(ks_statistics)).all()


@pytest.mark.parametrize("metric", ["ks", "captured_response"])
def test_intervals_of_many_scores_take_halved_samples(metric):
    asked = {} if metric == "ks" else {"q": 0.1}
    found = cap.confidence_interval(COUNTS["good"], metric, method="bootstrap", seed=2, **asked)
    resampling = Resampling(COUNTS["good"], 2000, 2)
    drawn = ks_of_samples(resampling) if metric == "ks" else None
    drawn = rates_of_samples(resampling, 0.1, metric, None) if drawn is None else drawn
    assert (found.replicates == drawn).all()
