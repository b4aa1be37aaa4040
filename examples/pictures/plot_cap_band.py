"""
CAP with a confidence band
==========================

Such a band contains the whole CAP of the population in 95 of 100 samples.
"""

import capcurve as cap

loans = cap.count_scores("y", "int_rate", data=cap.datasets.path("loans"), resolution=0.5)
band = cap.cap_band(loans, seed=1, replicates=500)
cap.plot_cap({"interest rate": loans}, band=band)
