"""
CAP and the band of random scores
=================================

A score without information stays inside this band in 95% of samples of this size. With
9,857 loans the band is narrow.
"""

import capcurve as cap

loans = cap.count_scores("y", "int_rate", data=cap.datasets.path("loans"))
cap.plot_cap({"interest rate": loans}, band=cap.null_band(loans))
