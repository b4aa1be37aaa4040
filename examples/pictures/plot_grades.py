"""
Grade scale
===========

The CAP of a score, and the polygon of the seven grades that rank best, with their cut-offs.
"""

import capcurve as cap

loans = cap.datasets.path("loans")
cap.design_grades("y", "int_rate", 7, min_share=0.05, data=loans).plot()
