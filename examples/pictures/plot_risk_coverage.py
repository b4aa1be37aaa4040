"""
Risk and coverage
=================

The error rate among each share of the surest cases, with limits at each coverage; of loans, the bad
rate by the share accepted. The mark is the most that can be accepted with at most 3% bad loans, at
95% confidence although the cut-off is chosen from these loans.
"""

import capcurve as cap

DATA = cap.datasets.path("loans")
loans = cap.count_scores("y", "int_rate", data=DATA)
cap.plot_risk_coverage({"interest rate": loans}, max_risk=0.03)
