"""
What a decile table allows
==========================

The band of all CAPs that give the same table as the printed one, after rounding.
"""

import capcurve as cap

cap.audit_table(cap.datasets.path("deciles")).plot()
