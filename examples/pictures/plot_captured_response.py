"""
Captured response of both classes
=================================

The shares of positives and of negatives among the riskiest cases. Their largest gap is KS.
"""

import capcurve as cap

loans = cap.count_scores("y", "int_rate", data=cap.datasets.path("loans"))
cap.plot_captured_response({"interest rate": loans})
