"""
CAP in numbers of cases
=======================

With ``absolute=True`` the axes count cases and positives instead of shares.
"""

import capcurve as cap

loans = cap.count_scores("y", "grade_rank", data=cap.datasets.path("loans"))
cap.plot_cap({"grade": loans}, absolute=True)
