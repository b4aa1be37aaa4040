"""scikit-learn's own tests, shipped with it, of our displays and of our AUC in place of its own."""

import importlib
import importlib.util
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import sklearn

from capcurve import roc_auc
from capcurve.metrics import partial_auc
from capcurve.sklearn import CAPCurveDisplay
from capcurve.sklearn.scores import counts_of_rows

mpl.use("Agg")
if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9):
    # Earlier ones name and draw some things otherwise.
    pytest.skip("these are tests of scikit-learn 1.9", allow_module_level=True)


class RocCurveDisplay(CAPCurveDisplay):
    """Our display under the name of theirs, and with its defaults: no lines to compare with."""

    def plot(self, ax=None, *, plot_chance_level=False, plot_perfect=False, **how):
        shown = {"plot_chance_level": plot_chance_level, "plot_perfect": plot_perfect}
        return super().plot(ax, **shown, **how)


# What they have for the ROC, and what the CAP has for it: its accuracy ratio is 2·AUC - 1.
NAMES = {
    "fpr": "cumulative_total",
    "tpr": "y_true_cumulative",
    "roc_auc": "accuracy_ratio",
    "AUC": "AR",
    "(AR = 0.5)": "(AR = 0)",
    "chance_level_kw=": "chance_level_kwargs=",
    "[0.96, 1.00, 1.00]": "[0.92, 1.00, 1.00]",
    "AR = 0.64 +/- 0.04": "AR = 0.28 +/- 0.08",
    "AR = 0.61 +/- 0.05": "AR = 0.22 +/- 0.09",
    "0.95679": "2 * 0.9567901234567902 - 1",
    "[0.97007, 0.985915, 0.980952]": "[0.9401408, 0.97183099, 0.9619048]",
    "False Positive Rate (Positive label: {expected_pos_label})": "Share of all cases selected",
    "True Positive Rate (Positive": "Share of all positives captured (positive",
    "drop_intermediate=drop_intermediate,": "",  # a CAP has none to drop
    "data_binary": "data_of_two",  # two files have fixtures of that name
}
OTHER_FIXTURE = {"data_of_two": "data_of_roc"}


def source_of(module):
    return Path(importlib.util.find_spec(module).origin).read_text(encoding="utf-8")


def shipped(module, *names, **space):
    """Return what a module of tests defines with other names, for our display."""
    source = source_of(f"sklearn.metrics._plot.tests.{module}")
    for theirs, ours in (pair for each in names for pair in each.items()):
        source = source.replace(theirs, ours)
    space["__name__"] = module
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sklearn.metrics.RocCurveDisplay", RocCurveDisplay)
        exec(compile(source, module, "exec"), space)  # noqa: S102 - their tests, of our display
    return space


def cap_points(y_true, y_score, sample_weight=None, pos_label=None):
    """Return running cases and positives, found otherwise than the library finds them."""
    weight = np.ones(len(y_true)) if sample_weight is None else sample_weight
    positive = np.asarray(y_true) == (1 if pos_label is None else pos_label)
    last_of_ties = np.unique(y_score)[::-1]
    cases = [weight[y_score >= score].sum() for score in last_of_ties]
    found = [weight[(y_score >= score) & positive].sum() for score in last_of_ties]
    return np.append(0, cases), np.append(0, found), last_of_ties


def ratio_of_areas(cases, positives):
    """Return the accuracy ratio as it is defined: areas above the diagonal."""
    x, y, rate = cases / cases[-1], positives / positives[-1], positives[-1] / cases[-1]
    return (np.trapezoid(y, x) - 0.5) / (0.5 - rate / 2)


def of_our_display(space, *marks):
    """Return the tests that take the display, or name it, without the cases of other displays."""
    for name, test in space.items():
        if name.startswith("test_") and "RocCurveDisplay" in ids_and_source(test):
            test.pytestmark = [*map(kept, getattr(test, "pytestmark", [])), *marks]
            yield name, test


def ids_and_source(test):
    return f"{getattr(test, 'pytestmark', '')} {test.__code__.co_names}"


def kept(mark):
    """Return a parametrization without the other displays, and of what a CAP has none of, once."""
    names, cases, *more = mark.args
    if names == "drop_intermediate":
        cases = cases[:1]
    ours = [case for case in cases if "RocCurveDisplay'>" in str(case)]
    return getattr(pytest.mark, mark.name)(names, ours or cases, *more, **mark.kwargs).mark


COMMON = shipped("test_common_curve_display", NAMES)
globals().update(of_our_display(COMMON, pytest.mark.merge.mark))
data, data_of_two = COMMON["data"], COMMON["data_of_two"]
ROC = shipped("test_roc_curve_display", NAMES, OTHER_FIXTURE)
ROC |= {"roc_curve": cap_points, "auc": ratio_of_areas}
ROC["trapezoid"] = lambda positives, cases: ratio_of_areas(cases, positives)
globals().update(of_our_display(ROC, pytest.mark.merge.mark))
data_of_roc = ROC["data_of_roc"]


@pytest.fixture
def pyplot():
    return importlib.import_module("matplotlib.pyplot")


@pytest.fixture
def global_random_seed():
    return 42


def our_auc(y_true, y_score, sample_weight=None, max_fpr=None):
    counts = counts_of_rows(y_true, y_score, sample_weight)
    if max_fpr is None or max_fpr == 1:
        return roc_auc(counts)
    return partial_auc(counts, max_fpr, standardized=True)


@pytest.fixture
def with_our_auc(monkeypatch):
    """Put our AUC of two classes where scikit-learn takes its own, also for more classes."""
    theirs = sklearn.metrics._ranking._binary_roc_auc_score

    def auc(y_true, y_score, sample_weight=None, max_fpr=None):
        if len(np.unique(y_true)) == 1:  # they warn of it in words of their own
            return theirs(y_true, y_score, sample_weight, max_fpr)
        return our_auc(y_true, y_score, sample_weight, max_fpr)

    monkeypatch.setattr("sklearn.metrics._ranking._binary_roc_auc_score", auc)


def those_of_auc():
    from sklearn.metrics.tests import test_ranking

    for name, test in vars(test_ranking).items():
        if name.startswith("test_") and "roc_auc_score" in test.__code__.co_names:
            test.pytestmark = [
                *getattr(test, "pytestmark", []),
                pytest.mark.usefixtures("with_our_auc").mark,
            ]
            yield name, test


globals().update(those_of_auc())


def test_the_tests_are_found():
    found = {name for name in globals() if name.startswith("test_")}
    assert len(found & set(COMMON)) >= 16
    assert len(found & set(ROC)) >= 9
    assert len(found - set(COMMON) - set(ROC)) >= 13
