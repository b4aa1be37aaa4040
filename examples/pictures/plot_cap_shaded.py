"""
Accuracy ratio as two areas
===========================

The accuracy ratio is the area A between model and random over the area A + B between perfect
and random.
"""

import capcurve as cap

loans = cap.count_scores("y", "int_rate", data=cap.datasets.path("loans"))
cap.plot_cap({"interest rate": loans}, shade=True)
