"""
Migration between grades
========================

The number of cases that moved from one grade to another. Here three in ten loans move by one grade
at random.
"""

import numpy as np
import pandas as pd

import capcurve as cap

scale = list("GFEDCBA")
before = pd.read_csv(cap.datasets.path("loans"))["sub_grade"].str[0]
moves = np.random.default_rng(1).choice([-1, 0, 1], len(before), p=[0.12, 0.7, 0.18])
after = [scale[min(max(scale.index(g) + m, 0), 6)] for g, m in zip(before, moves, strict=True)]
cases = cap.count_joint_cases({"before": before, "after": after}, levels=scale)
cap.migration_table(cases, "before", "after").plot()
