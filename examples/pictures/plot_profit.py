"""
Profit
======

The profit of selecting the riskiest cases, if a bad loan found saves 1,000 and a review costs 60.
"""

import capcurve as cap

loans = cap.count_scores("y", "int_rate", data=cap.datasets.path("loans"))
cap.plot_profit({"interest rate": loans}, value=1000, cost=60)
