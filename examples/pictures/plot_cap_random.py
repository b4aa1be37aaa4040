"""
CAPs of random scores
=====================

Twenty scores without information on 200 cases with 20 positives: how far chance alone strays
from the diagonal.
"""

import capcurve as cap

sample = cap.ScoreCounts.from_counts(
    [5, 4, 3, 2, 1], positives=[9, 5, 3, 2, 1], negatives=[20, 30, 40, 45, 45]
)
random = cap.simulate_random_cap(sample.n, sample.prevalence, curves=20, seed=1)
cap.plot_cap({"rating": sample}, random=random)
