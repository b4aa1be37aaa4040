"""
Lift of single groups
=====================

The lift of each of twenty groups of loans, for positives and negatives. The KS is where it
crosses 1.
"""

import capcurve as cap

loans = cap.count_scores("y", "int_rate", data=cap.datasets.path("loans"))
cap.plot_lift({"interest rate": loans}, local=True)
