"""
Difference of two CAPs
======================

How much more one score captures than another, with a confidence band of the whole difference.
"""

import capcurve as cap

loans = cap.count_joint(
    "y",
    ["int_rate", "annual_inc"],
    data=cap.datasets.path("loans"),
    higher_is={"annual_inc": "negative"},
)
cap.difference_band(loans, seed=1, replicates=500).plot()
