"""
Control chart
=============

The CUSUM of the shortfall of the accuracy ratio against its initial value, month by month,
with its limit. From the ninth month on, half of the loans get the median interest rate.
"""

import numpy as np
import pandas as pd

import capcurve as cap

loans = pd.read_csv(cap.datasets.path("loans"))
initial, later = loans[:3285], loans[3285:].copy()
month = np.arange(len(later)) * 12 // len(later) + 1
later["month"] = [f"2024-{each:02d}" for each in month]
failed = (month >= 9) & (np.arange(len(later)) % 2 == 0)
later.loc[failed, "int_rate"] = loans["int_rate"].median()
months = cap.count_segments("y", "int_rate", by="month", data=later)
cap.control_chart(months, cap.count_scores("y", "int_rate", data=initial)).plot()
