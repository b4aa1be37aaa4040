"""
Are the PDs right?
==================

Rates that came out against PDs, with limits, the rates nearest to them that do not fall as PDs
rise, and where rates lie if the PDs are right.
"""

import capcurve as cap

loans = cap.count_scores("y", "grade_rank", data=cap.datasets.path("loans"))
pds = {grade: 0.01 * 1.12 ** (grade - 1) for grade in range(1, 36)}  # an invented master scale
cap.plot_calibration(loans, pd=pds)
