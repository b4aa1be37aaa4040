"""The pictures of counts, one function each, and their names on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from capcurve.counts import JointCounts, Ranking
from capcurve.gate.given import is_amounts
from capcurve.gate.taking import draws_counts, takes_counts_or_joint
from capcurve.inference import Band, calibration_table, decision_curve
from capcurve.inference.curve_band import BandKind, fold_band
from capcurve.metrics import METRICS, accuracy_ratio, average_precision, ks, roc_auc
from capcurve.numbers.arguments import as_name, as_number, as_open_share, as_share, as_word
from capcurve.plots import charts
from capcurve.plots.cap import Scale, cap
from capcurve.plots.distributions import distributions, ks_along_score
from capcurve.plots.models import (
    BACKGROUND,
    CLASS_NAMES,
    FAINT_CURVE,
    LEVEL,
    Colours,
    Drawable,
    Labels,
    Look,
    Model,
    against_grey,
    models_of,
    refuse_amounts,
    refuse_several,
)
from capcurve.results.calibration import USING, decision_chart, reliability_chart
from capcurve.show.canvas import FIGURE_SIZE, SQUARE, Canvas, drawing, literal, plot_chart
from capcurve.show.chart import BEHIND, SCORES, THIN, Chart, ChartBand
from capcurve.show.format import number, plain_names, stated_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from capcurve.curves.kinds import Errors

Best = Literal["youden", "closest"]


@draws_counts
def plot_cap(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    q: float | Iterable[float] | None = None,
    shade: bool = False,
    point_numbers: bool = False,
    absolute: bool = False,
    prevalence: float | None = None,
    perfect: bool = True,
    random: bool | Iterable[Ranking] = True,
    band: Band | Iterable[Band] | BandKind | bool | None = None,
    mean: bool = False,
    interval: float | None = 0.95,
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
    **line: Any,
) -> Axes:
    """Draw the CAP: the share of all positives, or of the amount, in each top share of cases.

    Parameters
    ----------
    counts
        One score, or several as {name: counts}; positives and negatives, or amounts.
    ax
        Where to draw; a new figure when left out.
    q
        A share of cases, or several: guide lines, with what they capture in the legend.
    shade
        Shade the areas between random and model, A, and model and perfect, B: their
        accuracy ratio is A/(A + B). What lies below random is subtracted from A and has a
        colour of its own. One score only.
    point_numbers
        Number the points of up to 50 distinct scores from 0, with ticks at their heights.
        One score only.
    absolute
        Numbers of cases and positives, or exposure and amount, on the axes instead of shares;
        also for amounts below 0.
    prevalence
        Show the classes as in a population in which this share is positive.
    perfect
        Whether to draw the score that puts all positives first.
    random
        Whether to draw the score without information; or what `simulate_random_cap` returns,
        drawn thin around it: how far random scores of that many cases stray.
    band
        Bands from `null_band` or `cap_band`, shaded; the legend says of which kind. True, or
        "simultaneous" or "pointwise": the `cap_band` of each score, of 95%.
    mean
        Draw the mean of 3 or more folds of a cross-validation, given as {name: counts}, and a band
        over them; see the notes.
    interval
        Level of the interval behind the accuracy ratio in the legend, with mean=True of the band;
        None leaves it out.
    title
        Above the picture.
    color
        Of the line, as matplotlib knows colours; of several scores a list, or {name: colour}.
    label
        What the legend says of the score, in place of its name and numbers; of several scores a
        list, or {name: text}.
    **line
        Keywords of matplotlib's lines, such as linestyle, linewidth and alpha: for the lines of
        the scores.

    Raises
    ------
    ValueError
        When a class is missing, when several scores are given to shade or number, when a
        band, which is in shares as counted, is asked onto other axes or is of a ROC, when there
        are fewer than 3 folds to average, or when `q`, `band` or `absolute` is asked of their mean.

    Notes
    -----
    The mean of k folds is taken at each share of cases (vertical averaging, Fawcett 2006), and the
    band is mean ± t(k - 1) s/√k, within 0 and 1. Folds share training rows and so are not
    independent, and no estimate of the variance of their mean is unbiased (Bengio & Grandvalet
    2004): for the performance of the model in general the band is too narrow. The mean of a number,
    such as the AUC, with its limits is `mean_over(counts, metric="auc", segments="fixed")`.

    Examples
    --------
    >>> from capcurve import count_scores, plot_cap
    >>> ax = plot_cap(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> ax.get_ylabel()
    'Share of all positives captured'

    Among the first 2 of 4 cases three folds find 2, 1 and none of 2 positives: half of them.

    >>> folds = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1]]
    >>> counts = {f"fold {k}": count_scores(y, [4, 3, 2, 1]) for k, y in enumerate(folds)}
    >>> line = plot_cap(counts, mean=True).lines[0]
    >>> float(np.interp(0.5, *line.get_data()))
    0.5
    """
    many = [] if q is None else np.atleast_1d(np.asarray(q, dtype=object)).tolist()
    shares = [as_share(each, "q") for each in many]
    simulated = _simulated(random)
    if mean:
        _refuse_beside_mean(q=q is not None, band=bool(band), absolute=absolute)
    with drawing(ax, SQUARE) as canvas:
        look = Look.of(plot_cap, title, color, label, line)
        one = "shade=True" if shade else "point_numbers=True" if point_numbers else ""
        models = _models(counts, canvas, None if mean else look, one=one)
        chart = cap(
            models,
            Scale(absolute, prevalence),
            shares=shares,
            shade=shade,
            point_numbers=point_numbers,
            perfect=perfect,
            random=random is not False,
            simulated=simulated,
            bands=band,
            interval=None if mean else interval,
        )
        if mean:
            chart = _over_folds(chart, models, accuracy_ratio, look, interval)
            return canvas.draw(chart, look.title, look.line)
        return canvas.draw(against_grey(chart, models, accuracy_ratio), look.title, look.line)


def _simulated(random: bool | Iterable[Ranking]) -> list[Ranking]:
    """Return the simulated random scores to draw, or raise TypeError for anything else."""
    if isinstance(random, bool):
        return []
    several = isinstance(random, Iterable) and not isinstance(random, Ranking)
    found: list[Any] = list(random) if several else [random]
    for each in found:
        if not isinstance(each, Ranking):
            wrong = type(each).__name__
            raise TypeError(f"random must be True, False or ScoreCounts, got {wrong}")
    return found


@draws_counts
def plot_roc(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    points: bool = False,
    best: Best | None = None,
    band: Band | Iterable[Band] | BandKind | bool | None = None,
    mean: bool = False,
    interval: float | None = 0.95,
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
    **line: Any,
) -> Axes:
    """Draw the ROC: the true positive rate at each false positive rate.

    Raises `ValueError` when a class is missing, there are too many points to mark, a band is not
    of a ROC, there are fewer than 3 folds to average, or `points`, `best` or `band` is asked of
    their mean.

    Parameters
    ----------
    counts
        One score, or several as {name: counts}.
    ax
        Where to draw; a new figure when left out.
    points
        Mark the points of up to 200 distinct scores.
    best
        Mark the cut-offs that are best by this rule, with their scores in the legend.
    band
        Bands from `roc_band`, shaded; True, or "simultaneous" or "pointwise": the `roc_band` of
        each score, of 95%.
    mean
        Draw the mean of 3 or more folds and a band over them, as in `plot_cap`: the mean true
        positive rate at each false positive rate. For the mean AUC with limits see
        `mean_over(segments="fixed")`.
    interval
        Level of the interval behind the AUC in the legend, with mean=True of the band; None leaves
        it out.
    title, color, label, **line
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import count_scores, plot_roc
    >>> ax = plot_roc(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> ax.get_ylabel()
    'True positive rate'
    """
    if best is not None:
        best = cast("Best", as_name(best, "best", charts.ROC_RULES, {"ks": "youden"}))
    if mean:
        _refuse_beside_mean(points=points, best=best is not None, band=bool(band))
    with drawing(ax, SQUARE) as canvas:
        look = Look.of(plot_roc, title, color, label, line)
        models = _models(counts, canvas, None if mean else look, classes="ROC")
        level = None if mean else interval
        chart = charts.roc(models, points=points, best=best, bands=band, interval=level)
        if mean:
            chart = _over_folds(chart, models, roc_auc, look, interval)
            return canvas.draw(chart, look.title, look.line)
        return canvas.draw(against_grey(chart, models, roc_auc), look.title, look.line)


@draws_counts
def plot_lift(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    local: bool = False,
    cumulative: bool = True,
    start: float | None = None,
    prevalence: float | None = None,
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
    **line: Any,
) -> Axes:
    """Draw the lift: how many times more positives, or amount, than a random score's.

    Raises `ValueError` when a class is missing, several scores are given with local=True, or
    nothing is to draw.

    Parameters
    ----------
    counts, ax, prevalence
        As in `plot_cap`.
    local
        Also draw the lift of each score alone, for positives and negatives, as steps: of
        each grade up to 40 of them, with a mark where that of positives crosses 1, since KS is
        reached there, else of twenty bins. Of amounts there is one such line. One score only.
    cumulative
        Whether to draw the lift of all cases selected; may be left out where `local` is drawn.
    start
        Share of cases at which the curves begin. Left out: 0 for the lift of each score alone; for
        all cases selected 1% or 100 cases, whichever is more, at most 10%, for fewer are noise.
    title, color, label, **line
        As in `plot_cap`; with local=True also those of "positives" and "negatives", or of "amount",
        which come after the score.

    Examples
    --------
    >>> from capcurve import count_scores, plot_lift
    >>> ax = plot_lift(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> ax.get_ylabel()
    'Cumulative lift'
    """
    if not (local or cumulative):
        raise ValueError("cumulative=False leaves nothing to draw; give local=True with it")
    if start is not None and not 0 <= as_number(start, "start") < 1:
        raise ValueError(f"start must be a share of cases from 0 to below 1, got {start}")
    with drawing(ax, FIGURE_SIZE) as canvas:
        look = Look.of(plot_lift, title, color, label, line)
        models = _models(counts, canvas, None if local else look, one="local=True" if local else "")
        how = {"local": local, "cumulative": cumulative}
        chart = charts.lift_curves(models, **how, start=start, prevalence=prevalence)
        if local:
            parts = ("amount",) if is_amounts(models[0].counts) else CLASS_NAMES
            whole = [models[0].key or models[0].label] if cumulative else []
            chart = look.of_classes(chart, [*whole, *parts])
        return canvas.draw(against_grey(chart, models, accuracy_ratio), look.title, look.line)


@draws_counts
def plot_captured_response(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    prevalence: float | None = None,
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
    **line: Any,
) -> Axes:
    """Draw the captured response of both classes, and where KS is reached.

    One bracket is as high as KS, where it is reached. Raises `ValueError` when a class is missing,
    or several scores are given.

    Parameters
    ----------
    counts
        One score, also as {name: counts}.
    ax, prevalence
        As in `plot_cap`.
    title, color, label, **line
        As in `plot_cap`; colours and labels are those of "positives" and "negatives".

    Examples
    --------
    >>> from capcurve import count_scores, plot_captured_response
    >>> ax = plot_captured_response(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> ax.get_ylabel()
    'Share of each class captured'
    """
    with drawing(ax, SQUARE) as canvas:
        look = Look.of(plot_captured_response, title, color, label, line)
        what, one = "the captured response", "plot_captured_response"
        (model,) = _models(counts, canvas, classes=what, one=one)
        chart = look.of_classes(charts.captured_by_class(model, prevalence=prevalence))
        return canvas.draw(chart, look.title, look.line)


@draws_counts
def plot_ks(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    axis: Literal["q", "score"] = "q",
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
    **line: Any,
) -> Axes:
    """Draw KS: how far apart the two classes lie, and where the gap is largest.

    Raises `ValueError` when a class is missing, or several scores are given with axis="score".

    Parameters
    ----------
    counts
        One score, or several as {name: counts} with axis="q".
    ax
        Where to draw; a new figure when left out.
    axis
        "q": the gap CR1 - CR0 along the share of cases selected, with every place of its maximum
        marked. "score": the share of each class up to each score, with KS at its threshold.
    title, color, label, **line
        As in `plot_cap`; with axis="score" colours and labels are those of "positives" and
        "negatives".

    Examples
    --------
    >>> from capcurve import count_scores, plot_ks
    >>> ax = plot_ks(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> ax.get_xlabel()
    'Share of all cases selected'
    """
    as_word(axis, "axis", ("q", "score"), either=True)
    with drawing(ax, FIGURE_SIZE) as canvas:
        look = Look.of(plot_ks, title, color, label, line)
        if axis == "score":
            (model,) = _models(counts, canvas, classes="KS", one='axis="score"')
            return canvas.draw(look.of_classes(ks_along_score(model)), look.title, look.line)
        models = _models(counts, canvas, look, classes="KS")
        return canvas.draw(against_grey(charts.ks_gap(models), models, ks), look.title, look.line)


@draws_counts
def plot_precision_recall(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    interval: float | None = 0.95,
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
    **line: Any,
) -> Axes:
    """Draw the precision-recall curve: the precision at each share of positives captured.

    Raises `ValueError` when a class is missing.

    Parameters
    ----------
    counts, ax
        As in `plot_roc`.
    interval
        Level of the interval behind the average precision in the legend; None leaves it out.
    title, color, label, **line
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import count_scores, plot_precision_recall
    >>> ax = plot_precision_recall(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> ax.get_ylabel()
    'Precision'
    """
    with drawing(ax, FIGURE_SIZE) as canvas:
        look = Look.of(plot_precision_recall, title, color, label, line)
        models = _models(counts, canvas, look, classes="precision and recall")
        chart = charts.precision_recall(models, interval=interval)
        return canvas.draw(against_grey(chart, models, average_precision), look.title, look.line)


@draws_counts
def plot_risk_coverage(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    errors: Errors = "positives",
    max_risk: float | None = None,
    interval: float | None = 0.95,
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
    **line: Any,
) -> Axes:
    """Draw the risk-coverage curve: the error rate among each share of the surest cases.

    With that of the best order, all errors last, and of a random one. Raises `ValueError` when a
    class is missing.

    Parameters
    ----------
    counts, ax
        As in `plot_roc`.
    errors
        "negatives" where the positives are the right answers and the score is a confidence.
    max_risk
        Mark the deepest coverage with at most this error rate that `certified_cutoff` finds.
    interval
        Level of the limits at each coverage, shaded for one score; None leaves them out.
    title, color, label, **line
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import count_scores, plot_risk_coverage
    >>> ax = plot_risk_coverage(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> ax.get_ylabel()
    'Errors among them'
    """
    with drawing(ax, FIGURE_SIZE) as canvas:
        look = Look.of(plot_risk_coverage, title, color, label, line)
        models = _models(counts, canvas, look, classes="errors")
        chart = charts.risk_coverage(models, errors=errors, max_risk=max_risk, interval=interval)
        return canvas.draw(against_grey(chart, models, accuracy_ratio), look.title, look.line)


@draws_counts
def plot_score_distributions(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    bins: int | None = None,
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
) -> Axes:
    """Draw the score distributions of all cases, of positives and of negatives.

    Raises `ValueError` when a class is missing, several scores are given, or `bins` is not
    positive.

    Parameters
    ----------
    counts
        One score, also as {name: counts}.
    ax
        Where to draw; a new figure when left out.
    bins
        How many equally wide bins of more than 40 distinct scores; left out, at most about 40 with
        round edges. Fewer scores, and grades, are shown one by one. Infinite scores stand apart
        at the ends.
    title, color, label
        As in `plot_cap`; colours and labels are those of "positives" and "negatives".

    Examples
    --------
    >>> from capcurve import count_scores, plot_score_distributions
    >>> ax = plot_score_distributions(count_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> ax.get_ylabel()
    'Share in each score'
    """
    if bins is not None and (not isinstance(bins, int | np.integer) or bins < 1):
        raise ValueError(f"bins must be 1 or more, got {bins}")
    with drawing(ax, FIGURE_SIZE) as canvas:
        look = Look.of(plot_score_distributions, title, color, label, {})
        what, one = "a score distribution", "plot_score_distributions"
        (model,) = _models(counts, canvas, classes=what, one=one)
        chart = look.of_classes(distributions(model, bins=bins))
        return canvas.draw(chart, look.title)


@draws_counts
def plot_profit(
    counts: Drawable,
    *,
    value: float,
    cost: float,
    ax: Axes | None = None,
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
    **line: Any,
) -> Axes:
    """Draw the profit curve along the share of cases selected, with its best cut-off.

    Raises `ValueError` when a class is missing, or money is not finite.

    Parameters
    ----------
    counts
        One score, or several as {name: counts}.
    value
        What one captured positive, or one unit of the amount, brings.
    cost
        What selecting one case, or one unit of exposure, costs.
    ax
        Where to draw; a new figure when left out.
    title, color, label, **line
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import count_scores, plot_profit
    >>> ax = plot_profit(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), value=100, cost=20)
    >>> ax.get_ylabel()
    'Profit (value 100, cost 20 per case)'
    """
    with drawing(ax, FIGURE_SIZE) as canvas:
        look = Look.of(plot_profit, title, color, label, line)
        models = _models(counts, canvas, look)
        chart = charts.profit(models, value=value, cost=cost)
        return canvas.draw(against_grey(chart, models, accuracy_ratio), look.title, look.line)


@draws_counts
def plot_lorenz(
    counts: Drawable,
    *,
    ax: Axes | None = None,
    interval: float | None = 0.95,
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
    **line: Any,
) -> Axes:
    """Draw the ordered Lorenz curve: the share of positives, or amount, of the lowest-ranked cases.

    The ordered Lorenz curve: cases from the lowest-ranked up, beside equal shares and the lowest
    curve that any order has. Raises `ValueError` when a class is missing, or for amounts below 0.

    Parameters
    ----------
    counts, ax
        As in `plot_cap`.
    interval
        Level of the interval in the legend, of the concentration index of amounts, else of the
        accuracy ratio; None leaves it out.
    title, color, label, **line
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import count_values, plot_lorenz
    >>> ax = plot_lorenz(count_values([0, 30, 0, 10], [1, 4, 2, 3]))
    >>> ax.get_ylabel()
    'Share of the amount among them'
    """
    with drawing(ax, SQUARE) as canvas:
        look = Look.of(plot_lorenz, title, color, label, line)
        models = _models(counts, canvas, look)
        chart = charts.lorenz(models, interval=interval)
        return canvas.draw(against_grey(chart, models, accuracy_ratio), look.title, look.line)


@draws_counts
def plot_mean_amount(
    values: Drawable,
    *,
    ax: Axes | None = None,
    bins: int | Literal["score"] = 10,
    title: str | None = None,
    color: Colours = None,
    label: Labels = None,
    **line: Any,
) -> Axes:
    """Draw the mean amount in bins from the top down, each as wide as its share of the exposure.

    So the area of a bar is the amount that the bin holds; with premium as exposure its height is
    the loss ratio. Raises `ValueError` for counts of positives and negatives, and where no case has
    an amount.

    Parameters
    ----------
    values
        One score, or several as {name: values}: results of `count_values`.
    ax
        Where to draw; a new figure when left out.
    bins
        How many bins of about equal exposure, or "score" for one per distinct score.
    title, color, label, **line
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import count_values, plot_mean_amount
    >>> ax = plot_mean_amount(count_values([0, 30, 0, 10], [1, 4, 2, 3]))
    >>> ax.get_ylabel()
    'Mean amount per case'
    """
    with drawing(ax, FIGURE_SIZE) as canvas:
        look = Look.of(plot_mean_amount, title, color, label, line)
        models = _models(values, canvas, look)
        if models and not is_amounts(models[0].counts):
            raise ValueError(
                "a mean amount is of amounts, which count_values counts; draw lift instead"
            )
        chart = charts.mean_amount_by_bin(models, bins=bins)
        return canvas.draw(against_grey(chart, models, accuracy_ratio), look.title, look.line)


@takes_counts_or_joint
def plot_calibration(
    counts: Ranking | JointCounts,
    *,
    ax: Axes | None = None,
    pd: Any = "score",
    bins: int | str | Sequence[Any] = 10,
    level: float = 0.95,
    title: str | None = None,
) -> Axes:
    """Draw the reliability of PDs: rates with limits, recalibrated steps, and where right PDs lie.

    Raises `ValueError` as `calibration_table`.

    Parameters
    ----------
    counts, pd, bins, level
        As in `calibration_table`.
    ax, title
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import plot_calibration
    >>> plot_calibration([1, 0, 1, 0], [0.8, 0.4, 0.6, 0.1]).get_ylabel()
    'Rate of positives'
    """
    table = calibration_table(counts, pd=pd, bins=bins, level=level)
    return plot_chart(reliability_chart(table, level), ax, title)


@takes_counts_or_joint
def plot_decision_curve(
    counts: Ranking | JointCounts,
    thresholds: Sequence[float] | None = None,
    *,
    ax: Axes | None = None,
    pd: Any = "score",
    level: float = 0.95,
    title: str | None = None,
) -> Axes:
    """Draw the decision curve: net benefit of acting on PDs, beside acting on all and on none.

    Raises `ValueError` as `decision_curve`.

    Parameters
    ----------
    counts, thresholds, pd, level, ax, title
        As in `decision_curve`, and `plot_cap`; of joint counts without `pd` every score is drawn.

    Examples
    --------
    >>> from capcurve import plot_decision_curve
    >>> plot_decision_curve([1, 0, 1, 0], [0.8, 0.4, 0.6, 0.1]).get_ylabel()
    'Net benefit per case'
    """
    several = counts.names if isinstance(counts, JointCounts) and pd == "score" else (USING,)
    of = {name: name if len(several) > 1 else pd for name in several}
    curves = {
        plain_names([name])[0]: decision_curve(counts, thresholds, pd=one, level=level)
        for name, one in of.items()
    }
    return plot_chart(decision_chart(curves, level), ax, title)


def _models(
    counts: Drawable, canvas: Canvas, look: Look | None = None, *, classes: str = "", one: str = ""
) -> list[Model]:
    # `classes` is what only positives and negatives have, and `one` what shows one score alone.
    models = models_of(counts, canvas.first_style, narrow=canvas.narrow, write=literal)
    if classes:
        refuse_amounts(models, classes)
    if one:
        refuse_several(models, one)
    return models if look is None else look.models(models)


# The mean of folds, the band over them, and each fold behind it


def _refuse_beside_mean(**asked: bool) -> None:
    """Raise ValueError for what only the curve of one score has."""
    for name, given in asked.items():
        if given:
            raise ValueError(f"mean=True shows the mean of several folds; leave out {name}")


def _over_folds(
    chart: Chart,
    models: Sequence[Model],
    metric: Callable[..., Any],
    look: Look,
    level: float | None,
) -> Chart:
    """Return a chart whose curves stand behind their mean and the band over them."""
    curves = [line for line in chart.lines if line.level == SCORES]
    points = [(np.asarray(line.x), np.asarray(line.y)) for line in curves]
    band = fold_band(points, LEVEL if level is None else as_open_share(level, "interval"))
    values, short = [model.value(metric) for model in models], METRICS[metric.__name__].short
    coloured = next(model for model in models if not model.grey)
    named = replace(coloured, name=f"Mean of {len(models)} folds", key="mean")
    (mean,) = look.models([named])
    label = f"{named.label}  {short} {number(float(np.mean(values)))}"
    each = f"Each fold  {short} {number(min(values))} to {number(max(values))}"
    how: Any = {"style": BACKGROUND, "width": THIN, "opacity": FAINT_CURVE, "level": BEHIND}
    behind = [
        replace(line, **how, label=each if line is curves[0] else "", shared=True)
        for line in curves
    ]
    shade = f"{stated_percent(band.level)} band of the mean"
    shaded = ChartBand(band.q, band.low, band.high, shade, mean.style.colour)
    others = [line for line in chart.lines if line.level != SCORES]
    lines = [mean.line(band.q, band.estimate, label), *behind, *others]
    return replace(chart, lines=lines, bands=() if level is None else [shaded])


PICTURE_KINDS: Mapping[str, Callable[..., Axes]] = {
    "cap": plot_cap,
    "roc": plot_roc,
    "lorenz": plot_lorenz,
    "lift": plot_lift,
    "mean-amount": plot_mean_amount,
    "captured-response": plot_captured_response,
    "ks": plot_ks,
    "precision-recall": plot_precision_recall,
    "risk-coverage": plot_risk_coverage,
    "score-distributions": plot_score_distributions,
    "profit": plot_profit,
    "calibration": plot_calibration,
    "decision": plot_decision_curve,
}
PICTURE_ALIASES = {"gains": "cap", **{kind.replace("-", "_"): kind for kind in PICTURE_KINDS}}

# These draw one score; the others draw several on one axis.
OF_ONE = {"captured-response", "score-distributions", "calibration", "decision"}
FOR_SEVERAL = frozenset(PICTURE_KINDS) - OF_ONE
