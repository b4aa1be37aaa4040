"""
Displays of scikit-learn
========================

CAP, KS and lift in scikit-learn's own form, of one model.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from capcurve.sklearn import CAPCurveDisplay, KSDisplay, LiftCurveDisplay

X, y = make_classification(n_samples=2000, weights=[0.8], flip_y=0.1, random_state=1)
model = LogisticRegression().fit(X, y)
figure, axes = plt.subplots(1, 3, figsize=(13, 4.5), layout="constrained")
for display, ax in zip((CAPCurveDisplay, KSDisplay, LiftCurveDisplay), axes, strict=True):
    display.from_estimator(model, X, y, ax=ax)
