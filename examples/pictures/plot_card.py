"""
Card in a notebook
==================

What a notebook shows of an evaluation, and the CAP in it.
"""

import capcurve as cap

loans = cap.evaluate("y", "grade_rank", data=cap.datasets.path("loans"))
loans.plot("cap", q=0.1)
loans
