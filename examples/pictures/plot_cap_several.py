"""
CAPs of several scores
======================

Scores of the same rows, drawn together with the interval of each accuracy ratio.
"""

import capcurve as cap

DATA = cap.datasets.path("loans")
scores = {
    "grade": cap.count_scores("y", "grade_rank", data=DATA),
    "interest rate": cap.count_scores("y", "int_rate", data=DATA),
    "income": cap.count_scores("y", "annual_inc", data=DATA, higher_is="negative"),
}
cap.plot_cap(scores)
