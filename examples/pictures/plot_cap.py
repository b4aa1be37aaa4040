"""
CAP
===

The share of all positives among the riskiest cases, with the perfect and the random score.
Guide lines show what the top 10% and the top half capture.
"""

import capcurve as cap

loans = cap.count_scores("y", "int_rate", data=cap.datasets.path("loans"))
cap.plot_cap({"interest rate": loans}, q=[0.1, 0.5])
