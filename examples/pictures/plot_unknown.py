"""
Bounds with unknown outcomes
============================

The lowest and the highest possible CAP if some outcomes are missing. The riskiest ten grades play
the rejected applicants.
"""

import pandas as pd

import capcurve as cap

loans = pd.read_csv(cap.datasets.path("loans"))
loans.loc[loans["grade_rank"] >= 26, "y"] = None
cap.unknown_bounds(cap.count_partial("y", "grade_rank", data=loans)).plot()
