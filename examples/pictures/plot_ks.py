"""
KS gap along the cases selected
===============================

How far the positives are ahead of the negatives, with every place where KS is reached.
"""

import capcurve as cap

DATA = cap.datasets.path("loans")
scores = {
    "grade": cap.count_scores("y", "grade_rank", data=DATA),
    "interest rate": cap.count_scores("y", "int_rate", data=DATA),
    "income": cap.count_scores("y", "annual_inc", data=DATA, higher_is="negative"),
}
cap.plot_ks(scores)
