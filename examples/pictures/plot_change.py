"""
Why the accuracy ratio changed
==============================

A waterfall from the loans of low incomes to those of high ones: the mix of loan sizes, ranking
within them, ranking between them.
"""

import pandas as pd

import capcurve as cap

loans = cap.datasets.load_loans()
loans["size"] = pd.cut(
    loans["funded_amnt"], [0, 9000, 16000, 50000], labels=["small", "medium", "large"]
)
low = loans["annual_inc"] < loans["annual_inc"].median()
before, after = (
    cap.count_segments("y", "int_rate", by="size", data=part.astype({"size": str}))
    for part in (loans[low], loans[~low])
)
cap.attribute_change(before, after, by="size").plot()
