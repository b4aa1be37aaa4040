"""
Lift
====

The positives among the riskiest cases, as a multiple of those among as many random cases.
"""

import capcurve as cap

DATA = cap.datasets.path("loans")
scores = {
    "grade": cap.count_scores("y", "grade_rank", data=DATA),
    "interest rate": cap.count_scores("y", "int_rate", data=DATA),
    "income": cap.count_scores("y", "annual_inc", data=DATA, higher_is="negative"),
}
cap.plot_lift(scores)
