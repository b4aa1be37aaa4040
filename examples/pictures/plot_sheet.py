"""
Validation sheet
================

Every test of a ranking against your own limits, on one page to sign. Above it is the CAP of each
segment.
"""

import numpy as np
import pandas as pd

import capcurve as cap

scale = list("GFEDCBA")
loans = pd.read_csv(cap.datasets.path("loans"))
loans["grade"] = loans["sub_grade"].str[0]
loans["size"] = np.where(loans["funded_amnt"] < 12000, "small loans", "large loans")
grades = cap.count_scores("y", "grade", data=loans, levels=scale)
sizes = cap.count_segments("y", "grade", by="size", data=loans, levels=scale)
limits = {"accuracy_ratio": {"green": 0.4, "red": 0.3}}
cap.plot_cap(sizes)
cap.validate(grades, segments=sizes, limits=limits)
