"""How often intervals and tests of clustered rows hold, counted over simulated obligor-months.

python benchmarks/clustered.py [intervals|tests] [--runs 2000] [--jobs 2]

Each obligor has twelve months. One effect of the obligor is in all its scores, another in all its
outcomes, and the two are correlated; the score of a month with default is shifted so that the AUC
is as stated. Samples hold as many obligors with a default as stated, and as many without.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

import capcurve as cap
from capcurve.inference import confidence_interval

MONTHS = 12
SCORE_SHARE = 0.7  # of the variance of a score that is the obligor's
OUTCOME_SPREAD = 1.5  # of the obligor's effect on the outcome, beside 1 of the month's
CORRELATION = 0.5  # of the two effects
POOL = 200_000


@dataclass(frozen=True)
class Population:
    """Obligors, how many of them default at all, and how well the score ranks their months."""

    obligors: int
    defaulting: int
    auc: float


@cache
def pool(population):
    """Return score without shift and outcome of many obligors, and the shift."""
    rng = np.random.default_rng(12345)
    effect = rng.normal(size=(POOL, 1))
    own = CORRELATION * effect + np.sqrt(1 - CORRELATION**2) * rng.normal(size=(POOL, 1))
    months = rng.normal(size=(POOL, MONTHS))
    latent = OUTCOME_SPREAD * own + rng.normal(size=(POOL, MONTHS))
    share = population.defaulting / population.obligors
    highest = latent.max(axis=1)
    cut = np.quantile(highest, 1 - share)
    outcome = latent > cut
    score = np.sqrt(SCORE_SHARE) * effect + np.sqrt(1 - SCORE_SHARE) * months
    return score, outcome, shift_of(score, outcome, population.auc), outcome.any(axis=1)


def shift_of(score, outcome, auc):
    """Return what to add to scores of positives for a stated AUC."""
    positives, negatives = score[outcome], np.sort(score[~outcome])

    def excess(shift):
        return np.searchsorted(negatives, positives + shift).mean() / len(negatives) - auc

    return brentq(excess, -5, 12, xtol=1e-6)


def draw(rng, population):
    """Return outcomes, scores and obligors of one sample."""
    score, outcome, shift, defaults = pool(population)
    yes, no = np.flatnonzero(defaults), np.flatnonzero(~defaults)
    picked = np.concatenate(
        [
            rng.choice(yes, population.defaulting),
            rng.choice(no, population.obligors - population.defaulting),
        ]
    )
    y, s = outcome[picked], score[picked] + shift * outcome[picked]
    ids = np.repeat(np.arange(population.obligors) + rng.integers(0, 10**9), MONTHS)
    return y.ravel(), s.ravel(), ids
