"""
KS along the score
==================

The share of each class at or below each score, with KS at its threshold.
"""

import capcurve as cap

loans = cap.count_scores("y", "int_rate", data=cap.datasets.path("loans"))
cap.plot_ks({"interest rate": loans}, axis="score")
