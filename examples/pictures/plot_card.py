"""
Card in a notebook
==================

A notebook shows an evaluation as this card, with its CAP.
"""

import capcurve as cap

loans = cap.evaluate("y", "grade_rank", data=cap.datasets.path("loans"))
loans.plot("cap", q=0.1)
loans
