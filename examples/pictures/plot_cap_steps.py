"""
CAP of five cases, step by step
===============================

Points are numbered by the number of cases selected.
"""

import capcurve as cap

five = cap.count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
cap.plot_cap(five, absolute=True, point_numbers=True)
