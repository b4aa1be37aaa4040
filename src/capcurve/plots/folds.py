"""What a chart of folds shows: their mean, the band over them, and each fold behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import as_open_share
from capcurve.inference.folds import fold_band
from capcurve.metrics import METRICS
from capcurve.plots.models import BACKGROUND, FAINT, LEVEL
from capcurve.show.chart import BEHIND, SCORES, THIN, ChartBand
from capcurve.show.format import number, stated_percent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.plots.looks import Look
    from capcurve.plots.models import Model
    from capcurve.show.chart import Chart


def refuse_beside_mean(**asked: bool) -> None:
    """Raise ValueError for what only the curve of one score has."""
    for name, given in asked.items():
        if given:
            raise ValueError(f"mean=True shows the mean of several folds; leave out {name}")


def over_folds(
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
    how: Any = {"style": BACKGROUND, "width": THIN, "opacity": FAINT, "level": BEHIND}
    behind = [
        replace(line, **how, label=each if line is curves[0] else "", shared=True)
        for line in curves
    ]
    shade = f"{stated_percent(band.level)} band of the mean"
    shaded = ChartBand(band.q, band.low, band.high, shade, mean.style.colour)
    others = [line for line in chart.lines if line.level != SCORES]
    return replace(
        chart,
        lines=[mean.line(band.q, band.estimate, label), *behind, *others],
        bands=() if level is None else [shaded],
    )
