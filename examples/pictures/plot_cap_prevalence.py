"""
CAP in another population
=========================

The sample contains 5% bad loans. In a population with 20% bad loans the same score has this CAP;
its accuracy ratio does not change.
"""

import capcurve as cap

loans = cap.count_scores("y", "int_rate", data=cap.datasets.path("loans"))
cap.plot_cap({"interest rate": loans}, prevalence=0.2, q=0.1)
