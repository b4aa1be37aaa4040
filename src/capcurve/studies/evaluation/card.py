"""The card of an evaluation: an HTML fragment that notebooks show whether trusted or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.results.several import share_tables
from capcurve.results.summary import comparison, headlines
from capcurve.show.elements import LOOKS, NOTHING, escape, lead_on_card
from capcurve.show.format import shortened, stated_percent
from capcurve.show.html import CARD
from capcurve.show.markup import to_html
from capcurve.show.svg import image
from capcurve.studies.evaluation.page import (
    cap_chart,
    differences,
    findings_list,
    first_sentences,
    models,
    sentences,
)
from capcurve.studies.evaluation.payload import some_segments
from capcurve.studies.evaluation.trend import trend_chart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.results import Summary, ValueSummary
    from capcurve.studies.evaluation.content import Content

# The parts of a card: one over its whole width, a picture, and what stands beside one.
WIDE = "flex:1 1 100%;min-width:0;overflow-x:auto"
PICTURE, BESIDE = "flex:1 1 320px;max-width:400px", "flex:1 1 320px;min-width:0"
WIDE_SMALL = f"{WIDE};font-size:.9em"
BESIDE_SMALL = f"{BESIDE};font-size:.85em;white-space:nowrap;overflow-x:auto"
# What the table of segments on a card leaves out.
SPARE = {
    *("prevalence", "roc_auc", "ks", "ks_q", "AP", "captured_10", "lift_10"),
    *("exposure", "mean_amount", "index", "concentration_index", "mean_of_top_10"),
}


def render_card(evaluation: Content) -> str:
    """Return the evaluation as an HTML fragment that notebooks show whether trusted or not."""
    # It has no script, style sheet, frame or SVG element, and no outside links.
    scores = models(evaluation)
    picture = image(cap_chart(evaluation, scores)) if scores else ""
    said = "" if len(evaluation.summaries) > 1 else sentences(evaluation, "<p>", 60)
    first = first_sentences(evaluation, lead_on_card)
    first += "".join(map(lead_on_card, evaluation.about_alike))
    first += "" if evaluation.clusters is None else f"<p>{escape(evaluation.clusters)}.</p>"
    numbers = figures_table(evaluation.summaries) + said
    # Two names and four numbers are wider than the place beside a picture.
    tests = differences(evaluation).replace(" minus ", " minus<br>")
    compared = f"{tests}{_swap_set(evaluation)}"
    shown = (
        _box(compared, BESIDE_SMALL) + _box(numbers, WIDE_SMALL)
        if compared
        else _box(numbers, BESIDE)
    )
    return (
        f'<div style="{CARD}">{_box(first, WIDE)}{_box(picture, PICTURE)}{shown}'
        f"{_segments_on_card(evaluation)}"
        f"{_box(findings_list(evaluation, style=LOOKS['findings']), WIDE)}</div>"
    )


def _swap_set(evaluation: Content) -> str:
    """Return what two scores would exchange, as it stands on a card."""
    if evaluation.at_share is None:
        return ""
    level = next(iter(evaluation.summaries.values())).level
    *_, (caption, swap) = share_tables(evaluation.at_share, level).items()
    return to_html(swap, caption.partition(":")[0])


def _box(html: str, style: str) -> str:
    """Return a part of a card with its place in it."""
    return f'<div style="{style}">{html}</div>' if html else ""


def _segments_on_card(evaluation: Content) -> str:
    """Return the picture and the table of segments, of many the last or the first ones."""
    chart = trend_chart(evaluation)
    if chart is None:
        return ""
    shown = some_segments(evaluation)
    columns = comparison(evaluation.summaries, shown)
    few = {name: column for name, column in columns.items() if name not in SPARE}
    return _box(image(chart), PICTURE) + _box(to_html(few), BESIDE_SMALL)


def figures_table(summaries: Mapping[str, Summary | ValueSummary]) -> str:
    """Return the headline numbers of a card, one column per score, with its own looks."""
    columns = {name: _cells_of(summary) for name, summary in summaries.items()}
    labels = list(dict.fromkeys(label for column in columns.values() for label in column))
    names = "".join(
        f'<th scope="colgroup" colspan="2" style="{LOOKS["name"]}">{escape(shortened(name))}</th>'
        for name in columns
    )
    head = f"<thead><tr><td></td>{names}</tr></thead>" if len(columns) > 1 else ""
    level = next((stated_percent(s.level) for s in summaries.values() if s.intervals), "")
    caption = f'<caption style="{LOOKS["caption"]}">In brackets: {level} intervals</caption>'
    rows = "".join(
        f'<tr><th scope="row" style="{LOOKS["label"]}">{escape(label)}</th>'
        + "".join(column.get(label, _number_cells(NOTHING, "")) for column in columns.values())
        + "</tr>"
        for label in labels
    )
    return (
        f'<div style="overflow-x:auto"><table style="{LOOKS["table"]}">'
        f"{caption if level else ''}{head}<tbody>{rows}</tbody></table></div>"
    )


def _cells_of(summary: Summary | ValueSummary) -> dict[str, str]:
    """Return the cells of one score by label; where KS is reached has a row of its own."""
    cells = {}
    for figure in headlines(summary):
        cells[figure.label] = _number_cells(figure.text, figure.limits)
        if figure.metric == "ks":
            place = f'<td colspan="2" style="{LOOKS["limits"]}">{escape(figure.note)}</td>'
            cells["KS is reached"] = place
    return cells


def _number_cells(value: str, limits: str) -> str:
    return (
        f'<td style="{LOOKS["number"]}"><b>{escape(value)}</b></td>'
        f'<td style="{LOOKS["limits"]}">{escape(limits)}</td>'
    )
