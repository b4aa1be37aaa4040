"""
Mean amount by band
===================

The money lost per unit lent, in ten bands of about equal exposure, from the riskiest down. The area
of a band is its loss.
"""

import numpy as np

import capcurve as cap

loans = np.genfromtxt(cap.datasets.path("loans"), delimiter=",", names=True)
lost = loans["y"] * loans["funded_amnt"]
values = cap.count_values(lost, loans["int_rate"], exposure=loans["funded_amnt"])
cap.plot_mean_amount({"interest rate": values.named(amount="losses", exposure="money lent")})
