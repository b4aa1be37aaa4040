"""
ROC with a confidence band
==========================

Such a band contains the whole ROC of the population in 95 of 100 samples.
"""

import capcurve as cap

loans = cap.count_scores("y", "grade_rank", data=cap.datasets.path("loans"))
band = cap.roc_band(loans, seed=1, replicates=500)
cap.plot_roc({"grade": loans}, band=band)
