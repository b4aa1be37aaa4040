"""
KS gap along the cases selected
===============================

The gap between the shares of positives and negatives captured. Every place with the largest gap,
the KS, is marked.
"""

import capcurve as cap

DATA = cap.datasets.path("loans")
scores = {
    "grade": cap.count_scores("y", "grade_rank", data=DATA),
    "interest rate": cap.count_scores("y", "int_rate", data=DATA),
    "income": cap.count_scores("y", "annual_inc", data=DATA, higher_is="negative"),
}
cap.plot_ks(scores)
