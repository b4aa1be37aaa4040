"""What the page of an evaluation shows of horizons: the accuracy ratio against them, in a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.plots.horizons import horizon_chart
from capcurve.results.horizon import CAPTION, horizon_columns
from capcurve.show.elements import escape, table_html
from capcurve.show.format import shortened
from capcurve.show.html import figure_html
from capcurve.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.show.chart import Chart
    from capcurve.studies.evaluation.content import Content

DRAWN = ("horizon", "at_risk", "unknown", "incidence", "accuracy_ratio", "low", "high")
ASSUMED = (
    "AR: rows that were followed for longer stand for those censored before. Nothing assumed: each "
    "censored row may or may not have the event, chance apart. Left out, or counted as negatives: "
    "what is often done instead, and is biased."
)


def horizons_html(evaluation: Content) -> str:
    """Return the accuracy ratio against the horizon as pictures, and the table of all of them."""
    if not evaluation.horizons:
        return ""
    pictures = "".join(map(figure_html, _charts(evaluation)))
    table = table_html(horizon_columns(evaluation.horizons, evaluation.level), CAPTION)
    said = f"<p class=soft>{escape(ASSUMED)}</p>"
    return f"<section id=horizons>{pictures}<div>{table}{said}</div></section>"


def _charts(evaluation: Content) -> Iterator[Chart]:
    """Yield the accuracy ratio and the incidence of each score by its horizons, if several."""
    names = list(dict.fromkeys(row["score"] for row in evaluation.horizons))
    for name in names:
        own = [row for row in evaluation.horizons if row["score"] == name]
        if len(own) > 1:
            columns = {column: [row[column] for row in own] for column in DRAWN}
            arrays = {column: np.array(each, dtype=float) for column, each in columns.items()}
            chart = horizon_chart(Table("Horizons", arrays), own[0]["rows"], evaluation.level)
            of = f" of {shortened(name)}" if len(names) > 1 else ""
            yield replace(chart, title=f"{chart.title}{of}")
