"""
Are the PDs right?
==================

Observed default rates against PDs, with 95% intervals. The steps are the closest rates that do not
fall as PDs rise. The band is the 95% range of rates if the PDs are right.
"""

import capcurve as cap

loans = cap.count_scores("y", "grade_rank", data=cap.datasets.path("loans"))
pds = {grade: 0.01 * 1.12 ** (grade - 1) for grade in range(1, 36)}  # an invented master scale
cap.plot_calibration(loans, pd=pds)
