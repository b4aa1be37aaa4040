"""
Accuracy ratio by horizon
=========================

How well a score ranks events by several horizons, with 95% intervals, if some rows are censored
before. Below each horizon is the number of rows that were followed to it.
"""

import numpy as np

import capcurve as cap

random = np.random.default_rng(7)
score = random.normal(size=1000).round(1)
event_at = np.ceil(random.exponential(700 / np.exp(0.9 * score)))
left_at = np.ceil(random.uniform(100, 1095, size=1000))
times = cap.count_times(np.minimum(event_at, left_at), event_at <= left_at, score)
cap.plot_horizons(times, [90, 180, 365, 540, 730])
