"""
Decision curve
==============

The net benefit of acting on PDs by cut-off, beside acting on all loans and on none.
"""

import capcurve as cap

loans = cap.count_scores("y", "grade_rank", data=cap.datasets.path("loans"))
pds = {grade: 0.01 * 1.12 ** (grade - 1) for grade in range(1, 36)}  # an invented master scale
cap.plot_decision_curve(loans, pd=pds)
