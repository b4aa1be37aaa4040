"""
Uplift curve and TOC of a trial
===============================

The gain per case of the list from treating the top of a score, beside treating as many at random.
Then how far the uplift of the top is above the effect on all, and Radcliffe's Qini curve.
"""

import numpy as np

import capcurve as cap

random = np.random.default_rng(3)
score = random.normal(size=4000).round(2)
mailed = random.random(4000) < 0.5
moved = np.clip(0.1 * (1 + score) / 2, 0, None)
bought = random.random(4000) < 0.1 + mailed * moved
trial = cap.count_uplift(bought, mailed, score)
cap.plot_uplift(trial)
cap.plot_toc(trial)
cap.plot_qini(trial)
