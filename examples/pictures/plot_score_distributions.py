"""
Score distributions
===================

How all cases, the positives and the negatives are spread over the grades.
"""

import capcurve as cap

loans = cap.count_scores("y", "grade_rank", data=cap.datasets.path("loans"))
cap.plot_score_distributions({"grade": loans})
