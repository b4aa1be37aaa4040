"""
Risk and coverage
=================

The error rate among each share of the surest cases, with 95% intervals. For loans it is the bad
rate by share accepted. The mark is the largest share with at most 3% bad loans, at 95%
confidence; it allows for the cut-off having been chosen on the same loans.
"""

import capcurve as cap

DATA = cap.datasets.path("loans")
loans = cap.count_scores("y", "int_rate", data=DATA)
cap.plot_risk_coverage({"interest rate": loans}, max_risk=0.03)
