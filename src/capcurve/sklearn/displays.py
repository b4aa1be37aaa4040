"""The displays: the CAP, the lift, and the gap between the classes, whose maximum is KS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.metrics import accuracy_ratio, ks, lift
from capcurve.plots.charts import SELECTED, STEPS, first_share
from capcurve.show.canvas import SQUARE, WIDE
from capcurve.sklearn.curvedisplay import CurveDisplay
from capcurve.sklearn.scores import TOP

if TYPE_CHECKING:
    from capcurve.counts import Ranking
    from capcurve.counts.types import Floats
    from capcurve.sklearn.drawing import Sums

CASES = "Cases selected"


class CAPCurveDisplay(CurveDisplay):
    """The CAP: which share of all positives the top share of cases holds, with its accuracy ratio.

    Make it with `from_estimator`, `from_predictions`, `from_cv_results` or `from_counts`.

    Parameters
    ----------
    cumulative_total
        Running number of cases, most likely positive first, from 0; a list of arrays for several
        curves.
    y_true_cumulative
        Running number of positives among them.
    accuracy_ratio
        Accuracy ratio of each curve, for the legend.
    name
        What the legend calls the curve, or a list of names.
    pos_label
        The positive class, for the title of the axis.

    Attributes
    ----------
    line_
        The line of the curve, or a list of them.
    chance_level_, perfect_level_
        The lines of a score without information and of a perfect one; None when not drawn.
    ax_, figure_
        The axes and the figure drawn on.

    Examples
    --------
    >>> display = CAPCurveDisplay.from_predictions([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    >>> display.line_.get_label()
    'Classifier (AR = 0.33)'
    >>> display.y_true_cumulative
    array([0, 1, 2, 2, 2, 3])
    """

    _statistic, _called = "accuracy_ratio", "AR"
    _size, _corner = SQUARE, "lower right"
    _chance_label, _perfect_label = "Chance level (AR = 0)", "Perfect (AR = 1)"
    _shows_perfect, _is_square = True, True

    def __init__(
        self,
        *,
        cumulative_total: Sums,
        y_true_cumulative: Sums,
        accuracy_ratio: float | list[float] | None = None,
        name: str | list[str] | None = None,
        pos_label: object = None,
    ) -> None:
        super().__init__(cumulative_total, y_true_cumulative, name, pos_label)
        self.accuracy_ratio = accuracy_ratio

    @staticmethod
    def _value_of(counts: Ranking) -> float:
        """Return the accuracy ratio."""
        return accuracy_ratio(counts)

    @staticmethod
    def _titles(*, normalize_scale: bool) -> tuple[str, str]:
        """Return what the axes show."""
        if normalize_scale:
            return SELECTED, "Share of all positives captured"
        return CASES, "Positives captured"

    @staticmethod
    def _points(
        cases: Floats, positives: Floats, *, normalize_scale: bool
    ) -> tuple[Floats, Floats]:
        """Return the positives captured along the cases selected."""
        if normalize_scale:
            return _share(cases), _share(positives)
        return cases, positives


class LiftCurveDisplay(CurveDisplay):
    """The cumulative lift: how many times more positives the top share holds than a random one.

    Make it with `from_estimator`, `from_predictions`, `from_cv_results` or `from_counts`. The curve
    begins at 1% or 100 cases, whichever is more, but at most at 10%: before, it stands on too few.

    Parameters
    ----------
    cumulative_total
        Running number of cases, most likely positive first, from 0; a list of arrays for several
        curves.
    y_true_cumulative
        Running number of positives among them.
    lift
        Lift at 10% of the cases of each curve, for the legend.
    name
        What the legend calls the curve, or a list of names.
    pos_label
        The positive class, for the title of the axis.

    Attributes
    ----------
    line_
        The line of the curve, or a list of them.
    chance_level_, perfect_level_
        The lines of a score without information and of a perfect one; None when not drawn.
    ax_, figure_
        The axes and the figure drawn on.

    Examples
    --------
    The first of five cases is the only positive: the top tenth holds five times its share.

    >>> display = LiftCurveDisplay.from_predictions([1, 0, 0, 0, 0], [5, 4, 3, 2, 1])
    >>> display.line_.get_label()
    'Classifier (lift at 10% = 5.00)'
    """

    _statistic, _called = "lift", "lift at 10%"
    _size, _corner = WIDE, "upper right"
    _chance_label, _perfect_label = "Chance level (lift = 1)", "Perfect"

    def __init__(
        self,
        *,
        cumulative_total: Sums,
        y_true_cumulative: Sums,
        lift: float | list[float] | None = None,
        name: str | list[str] | None = None,
        pos_label: object = None,
    ) -> None:
        super().__init__(cumulative_total, y_true_cumulative, name, pos_label)
        self.lift = lift

    @staticmethod
    def _value_of(counts: Ranking) -> float:
        """Return the lift at 10% of the cases."""
        return lift(counts, TOP)

    @staticmethod
    def _titles(*, normalize_scale: bool) -> tuple[str, str]:
        """Return what the axes show."""
        return SELECTED if normalize_scale else CASES, "Cumulative lift"

    @staticmethod
    def _points(
        cases: Floats, positives: Floats, *, normalize_scale: bool
    ) -> tuple[Floats, Floats]:
        """Return the lift along the cases selected; it bends between points, so there are more."""
        share = _share(cases)
        if len(share) == 2:  # noqa: PLR2004 - one score for all, whose lift is 1 everywhere
            return (share if normalize_scale else cases), np.ones(2)
        start = first_share(float(cases[-1]))
        x = np.union1d(share[share > start], np.linspace(start, 1, STEPS + 1))
        y = np.interp(x, share, _share(positives)) / x
        return (x, y) if normalize_scale else (x * cases[-1], y)


class KSDisplay(CurveDisplay):
    """The gap between the shares of positives and of negatives selected; KS is its maximum.

    Make it with `from_estimator`, `from_predictions`, `from_cv_results` or `from_counts`. The
    maximum of a single curve is marked.

    Parameters
    ----------
    cumulative_total
        Running number of cases, most likely positive first, from 0; a list of arrays for several
        curves.
    y_true_cumulative
        Running number of positives among them.
    ks
        KS of each curve, for the legend.
    name
        What the legend calls the curve, or a list of names.
    pos_label
        The positive class, for the title of the axis.

    Attributes
    ----------
    line_
        The line of the curve, or a list of them.
    chance_level_, perfect_level_
        The lines of a score without information and of a perfect one; None when not drawn.
    ax_, figure_
        The axes and the figure drawn on.

    Examples
    --------
    The first two cases are two of three positives and no negative: 2/3 - 0.

    >>> display = KSDisplay.from_predictions([1, 1, 0, 1, 0], [5, 4, 3, 2, 1])
    >>> display.line_.get_label()
    'Classifier (KS = 0.67)'
    """

    _statistic, _called = "ks", "KS"
    _size, _corner = WIDE, "upper right"
    _chance_label, _perfect_label = "Chance level (KS = 0)", "Perfect (KS = 1)"

    def __init__(
        self,
        *,
        cumulative_total: Sums,
        y_true_cumulative: Sums,
        ks: float | list[float] | None = None,
        name: str | list[str] | None = None,
        pos_label: object = None,
    ) -> None:
        super().__init__(cumulative_total, y_true_cumulative, name, pos_label)
        self.ks = ks

    @staticmethod
    def _value_of(counts: Ranking) -> float:
        """Return KS."""
        return ks(counts).statistic

    @staticmethod
    def _titles(*, normalize_scale: bool) -> tuple[str, str]:
        """Return what the axes show."""
        return SELECTED if normalize_scale else CASES, "Gap TPR \N{MINUS SIGN} FPR"

    @staticmethod
    def _points(
        cases: Floats, positives: Floats, *, normalize_scale: bool
    ) -> tuple[Floats, Floats]:
        """Return the gap along the cases selected."""
        gap = _share(positives) - _share(cases - positives)
        return (_share(cases) if normalize_scale else cases), gap

    @staticmethod
    def _mark(heights: Floats) -> dict[str, Any]:
        """Mark the place of the largest gap."""
        if np.isnan(heights).any():
            return {}
        return {"marker": "o", "markevery": [int(np.argmax(np.abs(heights)))]}


def _share(sums: Floats) -> Floats:
    """Return running sums as shares of all; nan where there is nothing."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.asarray(sums) / sums[-1], dtype=np.float64)
