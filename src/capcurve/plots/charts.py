"""What the other charts show: ROC, lift, captured response, KS, precision and recall, profit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.curves import (
    Curve,
    cap_curve,
    captured_response_curve,
    ks_curve,
    lift_curve,
    local_lift_curve,
    lorenz_curve,
    perfect_cap,
    profit_curve,
    roc_curve,
)
from capcurve.curves.kinds import Errors, as_errors, precision_curve, risk_coverage_curve
from capcurve.curves.shares import bin_ends, require, sample_rate
from capcurve.curves.simplify import few_cells
from capcurve.gate.given import is_amounts
from capcurve.inference.certified import certified_cutoff
from capcurve.metrics import (
    KSPlace,
    accuracy_ratio,
    aurc,
    average_precision,
    concentration_index,
    mean_amount as mean_of,
    prevalence as prevalence_of,
    roc_auc,
)
from capcurve.plots.cap import BandsAsked, bands_to_shade
from capcurve.plots.models import (
    CLASS_STYLES,
    TOP_TENTH,
    Model,
    as_drawn,
    check_few,
    sample_text,
    sample_with_level,
    sample_with_ratio,
)
from capcurve.results.selective import (
    certified_mark,
    coverage_points,
    risk_band,
    risk_chart,
    risk_table,
)
from capcurve.show.chart import (
    GUIDES,
    MARKER_SHAPES,
    STYLE_OF_POSITIVES,
    Axis,
    Bars,
    Chart,
    Line,
    Marker,
    Style,
    guide,
    marks,
    reference,
)
from capcurve.show.format import (
    capitalised,
    listed,
    money,
    number,
    percent,
    quantity,
    stated_percent,
)
from capcurve.tables import best_thresholds, gains_table, operating_point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.counts.sums import ValueSums
    from capcurve.numbers.types import Floats
    from capcurve.tables import OperatingPoint, ValuePoint

CASES_SELECTED = "Share of all cases selected"
ROC_RULES = {"youden": "Youden", "closest": "Nearest to the corner"}
MOST_MARKED, MOST_PLACES_LISTED = 200, 3
# Lift of fewer cases, or of a smaller share, is large by chance and would flatten the rest.
FEWEST_CASES, SMALLEST_START, LARGEST_START = 100, 0.01, 0.10
CURVE_STEPS = 400
MOST_GRADES_DRAWN = 40
LIFT_BINS = 20
# In widths of a line of a score.
BRACKET = 0.8


def roc(
    models: Sequence[Model],
    *,
    points: bool = False,
    best: Literal["youden", "closest"] | None = None,
    bands: BandsAsked = None,
    interval: float | None = None,
) -> Chart:
    """Return the ROC of each score."""
    lines = []
    for model in models:
        if points:
            check_few(model.counts, MOST_MARKED, "points=True")
        label = f"{model.label}  AUC {model.with_limits(roc_auc, interval)}"
        dots = Marker("o", 0.35) if points else None
        curve = as_drawn(roc_curve(model.few_classes()))
        lines.append(model.line(curve.x, curve.y, label, dots))
    for model in models if best is not None else ():
        lines += _best_cut_offs(model, best or "youden", named=len(models) == 1)
    usual = np.mean([model.value(roc_auc) for model in models]) >= 0.5  # noqa: PLR2004 - the diagonal
    return Chart(
        title="ROC",
        x=Axis("False positive rate", whole=1),
        y=Axis("True positive rate", whole=1),
        lines=[*lines, reference([0, 1], [0, 1], "Random")],
        bands=bands_to_shade(bands, models, "roc"),
        head=sample_with_level(models, roc_auc, interval),
        corner="lower right" if usual else "upper left",
    )


def _best_cut_offs(model: Model, rule: Literal["youden", "closest"], *, named: bool) -> list[Line]:
    """Return marks at the cut-offs; with one score the legend gives each, else the rule alone."""
    lines = []
    for place, point in enumerate(best_thresholds(model.classes, rule)):
        rates = f"TPR {percent(point.captured)}, FPR {percent(point.fpr)}"
        text = f"{ROC_RULES[rule]}: {model.cut_off(point.threshold)}\n{rates}"
        marker = Marker(MARKER_SHAPES[(place + 2) % len(MARKER_SHAPES)], 1.0, hollow=True, edge=1.0)
        label = text if named else ROC_RULES[rule]
        at = [point.fpr], [point.captured]
        lines.append(marks(*at, label, model.style.colour, marker, shared=not named))
    return lines


def lift_curves(
    models: Sequence[Model],
    *,
    local: bool = False,
    cumulative: bool = True,
    start: float | None = None,
    prevalence: float | None = None,
) -> Chart:
    """Return the lift of each score, of all cases selected or of each score alone."""
    lines: list[Line] = []
    for model in models:
        if cumulative:
            begin = first_share(float(model.counts.n)) if start is None else start
            lines.append(_cumulative_lift(model, begin, prevalence))
        if local and is_amounts(model.counts):
            lines.append(_lift_of_each(model.counts.by_score(), start or 0.0, STYLE_OF_POSITIVES))
        elif local:
            lines += _local_lift(model.classes.every_score(), start or 0.0, prevalence)
    alone = local and not cumulative  # the cumulative one's label has the accuracy ratio
    return Chart(
        title="Lift" if local else "Cumulative lift",
        x=Axis(capitalised(models[0].words.share_selected), whole=1),
        y=Axis("Lift" if local else "Cumulative lift", "number", from_zero=True),
        lines=[*lines, reference([0, 1], [1, 1], "Random, lift 1")],
        head=sample_with_ratio(models[0], prevalence) if alone else sample_text(models, prevalence),
        rising=True,
    )


def first_share(cases: float) -> float:
    """Return the share from which a ratio to the cases selected is drawn: few cases are noise.

    >>> first_share(100), first_share(2000), first_share(1e6)
    (0.1, 0.05, 0.01)
    """
    return min(LARGEST_START, max(SMALLEST_START, FEWEST_CASES / max(1.0, cases)))


def _along(curve: Curve, start: float) -> Floats:
    """Return the points of a curve and close steps between: a ratio bends there."""
    x = np.linspace(start, 1, CURVE_STEPS + 1)
    if len(curve) <= CURVE_STEPS:
        x = np.union1d(x, curve.x[(curve.x > start) & (curve.x < 1)])
    return x


def _cumulative_lift(model: Model, start: float, prevalence: float | None) -> Line:
    curve = lift_curve(model.few(), prevalence=prevalence)
    x, at_top = _along(curve, start), model.lift(prevalence)
    label = f"{model.label}  AR {number(model.value(accuracy_ratio))}"
    if at_top is not None:
        label += f", lift {number(at_top, 2)} at {stated_percent(TOP_TENTH)}"
    return model.line(x, np.asarray(curve.at(x)), label)


def _local_lift(counts: ScoreCounts, start: float, prevalence: float | None) -> list[Line]:
    """Return the lift of each score alone as steps, and where that of positives crosses 1."""
    lines = [
        _lift_of_each(counts, start, style, of, of=of, prevalence=prevalence)
        for style, of in CLASS_STYLES
    ]
    if len(counts) > MOST_GRADES_DRAWN:  # bins do not end where it crosses
        return lines
    x, side = np.asarray(lines[0].x)[1:], np.sign(np.asarray(lines[0].y)[1:] - 1)
    sided = np.flatnonzero(side)
    crossings = x[sided[np.flatnonzero(np.diff(side[sided]))]]
    label = "Lift crosses 1" + (f" at {percent(crossings[0])}" if len(crossings) == 1 else "")
    marker = Marker("o", 0.6, hollow=True)
    heights = np.ones(len(crossings))
    return [*lines, marks(crossings, heights, label, STYLE_OF_POSITIVES.colour, marker)]


def _lift_of_each(
    counts: ScoreCounts | ValueSums, start: float, style: Style, what: str = "", **options: Any
) -> Line:
    """Return the lift of each score alone as steps, of many scores that of bins."""
    graded = len(counts) <= MOST_GRADES_DRAWN
    shown = counts if graded else counts.joined(bin_ends(counts, LIFT_BINS))
    per = "score" if graded else stated_percent(1 / LIFT_BINS)
    curve = local_lift_curve(shown, **options)
    after = int(np.searchsorted(curve.x, start, side="right"))
    x, y = np.append(start, curve.x[after:]), np.append(curve.y[after], curve.y[after:])
    return Line(x, y, f"Lift per {per}{what and f', {what}'}", style, width=0.6, steps="pre")


def captured_by_class(model: Model, *, prevalence: float | None = None) -> Chart:
    """Return what is captured of each class, with a bracket where they are KS apart."""
    few, lines = model.few(), []
    for style, of in CLASS_STYLES:
        curve = as_drawn(captured_response_curve(few, of=of, prevalence=prevalence))
        lines.append(Line(curve.x, curve.y, capitalised(of), style, shared=True))
    found = model.ks
    if found.statistic > 0:
        lines.append(_ks_bracket(model, prevalence))
    return Chart(
        title="Captured response and KS",
        x=Axis(CASES_SELECTED, whole=1),
        y=Axis("Share of each class captured", whole=1),
        lines=[*lines, reference([0, 1], [0, 1], "Random")],
        head=sample_with_ratio(model, prevalence),
        corner="lower right" if found.side == "+" else "upper left",
    )


def _ks_bracket(model: Model, prevalence: float | None) -> Line:
    """Return a bracket between the classes where they are furthest apart."""
    point, q = operating_point(model.classes.vertices, threshold=model.ks.threshold), model.ks.q
    if prevalence is not None:
        q = prevalence * point.captured + (1 - prevalence) * point.fpr
    label = f"KS {number(model.ks.statistic)} at the top {percent(q)}"
    ends = [point.fpr, point.captured]
    return Line([q, q], ends, label, width=BRACKET, marker=Marker("_", 0.8), level=GUIDES)


def ks_gap(models: Sequence[Model]) -> Chart:
    """Return the gap between the classes along the share selected, its maxima marked."""
    lines = [line for model in models for line in _gap(model, alone=len(models) == 1)]
    return Chart(
        title="KS",
        x=Axis(CASES_SELECTED, whole=1),
        y=Axis("Positives minus\nnegatives captured", "gap"),
        lines=[*lines, reference([0, 1], [0, 0], "")],
        head=sample_text(models) if len(models) > 1 else sample_with_ratio(models[0]),
        rising=True,
    )


def _gap(model: Model, *, alone: bool) -> list[Line]:
    curve, found = as_drawn(ks_curve(model.few_classes())), model.ks
    places = [place for place in found.places if found.statistic > 0]
    label = f"{model.label}  KS {number(found.statistic)}"
    if places:
        label += f" at {listed((percent(place.q) for place in places), MOST_PLACES_LISTED)}"

    def cut(place: KSPlace) -> str:
        listed = alone and place in places[:MOST_PLACES_LISTED]
        return model.cut_off(place.threshold) if listed else ""

    stems = [_stem(model, place.q, place.gap, cut(place)) for place in places]
    return [model.line(curve.x, curve.y, label), *stems]


def _stem(model: Model, x: float, y: float, label: str) -> Line:
    """Return a mark on a curve, with a line down to 0."""
    return guide([x, x], [0, y], label, model.style.colour, Marker("o", 0.6, (1,)))


def precision_recall(models: Sequence[Model], *, interval: float | None = None) -> Chart:
    """Return the precision of each score at each share of positives captured."""
    lines = []
    for model in models:
        # Both rates along the share selected: between points precision bends.
        cells = model.few_classes()
        recall, precision = cap_curve(cells), precision_curve(cells)
        q = _along(recall, first_share(float(model.counts.n)))
        label = f"{model.label}  AP {model.with_limits(average_precision, interval)}"
        x, y = np.asarray(recall.at(q)), np.asarray(precision.at(q))
        lines.append(model.line(x, y, label))
    lines += [
        reference([0, 1], [rate, rate], f"Random, prevalence {percent(rate)}")
        for rate in dict.fromkeys(prevalence_of(model.classes) for model in models)
    ]
    return Chart(
        title="Precision and recall",
        x=Axis("Share of positives captured (recall)", whole=1),
        # It seldom comes near 100%.
        y=Axis("Precision", "share", from_zero=True),
        lines=lines,
        head=sample_with_level(models, average_precision, interval),
        rising=True,
    )


def risk_coverage(
    models: Sequence[Model],
    *,
    errors: Errors = "positives",
    max_risk: float | None = None,
    interval: float | None = None,
) -> Chart:
    """Return the error rate of each score at each share of the surest cases."""
    lines, bands = [], []
    for model in models:
        counts = model.classes.every_score()
        require(counts, "positives", "negatives")
        few = few_cells(counts)
        label = f"{model.label}  AURC {number(aurc(counts, errors=errors))}"
        lines.append(model.line(*coverage_points(risk_coverage_curve(few, errors=errors)), label))
        if len(models) == 1 and interval is not None:
            bands = [risk_band(risk_table(few, errors, interval), interval, model.style.colour)]
        if max_risk is not None:
            sure = certified_cutoff(counts, max_risk, errors=errors)
            lines += certified_mark(sure, model.style.colour)
    rate = sample_rate(as_errors(models[0].classes, errors))
    head = sample_with_level(models, accuracy_ratio, None)
    return replace(risk_chart(lines, bands, rate), head=head)


def profit(models: Sequence[Model], *, value: float, cost: float) -> Chart:
    """Return the profit of each score along the share selected, with its best cut-offs."""
    alone, first = len(models) == 1, models[0]
    exposed = is_amounts(first.counts) and first.counts.has_exposure
    named = profit_curve(first.few(), value=value, cost=cost)
    unit = f"unit of {first.words.selected}" if exposed else "case"
    lines = [line for model in models for line in _profit(model, value, cost, alone=alone)]
    return Chart(
        title="Profit",
        x=Axis(capitalised(named.x_label), whole=1),
        y=Axis(f"Profit (value {money(value)}, cost {money(cost)} per {unit})", "money"),
        lines=[*lines, reference([0, 1], [0, 0], "")],
        head=sample_with_ratio(first) if alone else sample_text(models),
        rising=True,
    )


def _profit(model: Model, value: float, cost: float, *, alone: bool) -> list[Line]:
    """Return the profit of one score with its best cut-offs; the legend has the first."""
    full = profit_curve(model.counts, value=value, cost=cost)
    drawn = as_drawn(profit_curve(model.few(), value=value, cost=cost))
    best: Sequence[OperatingPoint | ValuePoint] = best_thresholds(
        model.counts, "profit", value=value, cost=cost
    )
    more = f" (1 of {len(best)} best)" if len(best) > 1 else ""
    gains = [float(full.at(point.q)) for point in best]
    said = f"best {money(gains[0])} at {percent(best[0].q)}{more}"
    label = model.label if alone else f"{model.label}  {said}"
    cut = f"{capitalised(said)}\n{model.cut_off(best[0].threshold)}" if alone else ""
    stems = [
        _stem(model, point.q, gain, "" if place else cut)
        for place, (point, gain) in enumerate(zip(best, gains, strict=True))
    ]
    return [model.line(drawn.x, drawn.y, label), *stems]


def lorenz(models: Sequence[Model], *, interval: float | None = None) -> Chart:
    """Return which share is held by those whom a score ranks lowest: the ordered Lorenz curve."""
    amounts, lines = is_amounts(models[0].counts), []
    metric, short = (concentration_index, "G") if amounts else (accuracy_ratio, "AR")
    for model in models:
        curve = as_drawn(lorenz_curve(model.few()))
        label = f"{model.label}  {short} {model.with_limits(metric, interval)}"
        lines.append(model.line(curve.x, curve.y, label))
    named = lorenz_curve(models[0].few())
    return Chart(
        title="Lorenz curve",
        x=Axis(capitalised(named.x_label), whole=1),
        y=Axis(capitalised(named.y_label), whole=1),
        lines=[*lines, *_perfect_lorenz(models), reference([0, 1], [0, 1], "Equal shares")],
        head=sample_with_level(models, metric, interval),
        corner="upper left",
    )


def _perfect_lorenz(models: Sequence[Model]) -> list[Line]:
    """Return the Lorenz curve of the amounts themselves, the lowest there is."""
    curves = [as_drawn(perfect_cap(model.counts)) for model in models]
    turned = ((1 - curve.x[::-1], 1 - curve.y[::-1]) for curve in curves)
    found = [reference(x, y, "Lowest possible", dashed=False) for x, y in turned]
    return list({(line.label, *line.x, *line.y): line for line in found}.values())


def mean_amount_by_bin(models: Sequence[Model], *, bins: int | str = 10) -> Chart:
    """Return the mean amount in bins from the top down, each as wide as its exposure."""
    tables = [gains_table(model.amounts, bins=bins) for model in models]
    edges = [np.append(0.0, table["selected"]) for table in tables]
    means = [np.nan_to_num(table["mean_amount"]) for table in tables]
    lines = [
        model.line(
            np.repeat(x, 2),
            np.concatenate([[0], np.repeat(heights, 2), [0]]),
            f"{model.label}, {'each score' if bins == 'score' else f'{len(heights)} bins'}  "
            f"AR {number(model.value(accuracy_ratio))}",
        )
        for model, x, heights in zip(models, edges, means, strict=True)
    ]
    overall = dict.fromkeys(mean_of(model.amounts) for model in models)
    if len(overall) == 1:  # else nobody could tell whose means they are
        mean = next(iter(overall))
        lines.append(reference([0, 1], [mean, mean], f"All {quantity(mean)}"))
    words = models[0].words
    unit = f"unit of {words.selected}" if models[0].amounts.has_exposure else "case"
    upwards = min(float(heights.min()) for heights in means) >= 0
    what = "Mean amount" if words.captured == "amount" else capitalised(words.captured)
    return Chart(
        title="Mean amount by band",
        x=Axis(capitalised(words.share_selected), whole=1),
        y=Axis(f"{what} per {unit}", "money", from_zero=upwards),
        lines=lines,
        bars=[Bars(means[0], "", None, edges[0])] if len(models) == 1 else (),
        head=sample_text(models),
        rising=True,
    )
