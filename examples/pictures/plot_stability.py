"""
Population stability
====================

The shares of cases in each grade at two dates. The PSI measures their difference.
"""

import capcurve as cap

scale = list("GFEDCBA")
before = cap.CaseCounts.from_counts(scale, [47, 163, 390, 736, 1421, 1442, 729], levels=scale)
after = cap.CaseCounts.from_counts(scale, [28, 103, 330, 504, 1236, 1512, 1216], levels=scale)
cap.population_stability(before, after).plot()
