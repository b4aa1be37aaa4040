"""
ROC
===

Each grade is one point. The cut-off with the largest TPR - FPR (Youden, KS) is marked.
"""

import capcurve as cap

loans = cap.count_scores("y", "grade_rank", data=cap.datasets.path("loans"))
cap.plot_roc({"grade": loans}, points=True, best="youden")
