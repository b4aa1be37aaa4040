"""
Ordered Lorenz curve
====================

The share of all losses that is lost on the loans a score ranks as the safest.
"""

import numpy as np

import capcurve as cap

loans = np.genfromtxt(cap.datasets.path("loans"), delimiter=",", names=True)
lost = loans["y"] * loans["funded_amnt"]
scores = {
    name: cap.count_values(lost, loans[column], exposure=loans["funded_amnt"])
    for name, column in {"grade": "grade_rank", "interest rate": "int_rate"}.items()
}
named = {
    name: values.named(amount="losses", exposure="money lent") for name, values in scores.items()
}
cap.plot_lorenz(named)
