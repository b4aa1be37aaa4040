"""
What a decile table allows
==========================

The band of all CAPs whose table, rounded, would read as the printed one does.
"""

import capcurve as cap

cap.audit_table(cap.datasets.path("deciles")).plot()
