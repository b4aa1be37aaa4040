"""
CAP and ROC side by side
========================

Every function draws on the axes you pass, here two of one figure.
"""

import matplotlib.pyplot as plt

import capcurve as cap

loans = {"interest rate": cap.count_scores("y", "int_rate", data=cap.datasets.path("loans"))}
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
cap.plot_cap(loans, ax=left)
cap.plot_roc(loans, ax=right)
