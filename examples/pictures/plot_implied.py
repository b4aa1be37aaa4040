"""
Accuracy ratio implied by the PDs
=================================

The accuracy ratio that would result if every PD were right, beside the realised one.
"""

import capcurve as cap

loans = cap.count_scores("y", "grade_rank", data=cap.datasets.path("loans"))
pds = {grade: 0.01 * 1.12 ** (grade - 1) for grade in range(1, 36)}  # an invented master scale
cap.implied_accuracy_ratio(loans, pd=pds).plot()
