"""
Mean CAP of the folds of a cross-validation
===========================================

The mean of five folds with its band, and each fold as a thin line behind it.
"""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import capcurve as cap

X, y = make_classification(n_samples=2000, weights=[0.8], flip_y=0.1, random_state=1)
folds = StratifiedKFold(5)
score = cross_val_predict(LogisticRegression(), X, y, cv=folds, method="predict_proba")[:, 1]
fold = np.empty(len(y), dtype=int)
for number, (_, rows) in enumerate(folds.split(X, y), 1):
    fold[rows] = number
cap.plot_cap(cap.count_segments(y, score, by=fold), mean=True)
