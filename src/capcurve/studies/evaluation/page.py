"""The page that is sent around: one HTML file that asks nothing of the network."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from capcurve.counts.given import is_amounts
from capcurve.plots import charts
from capcurve.results.figures import by_segment
from capcurve.show.document import document
from capcurve.show.elements import LONGEST_NAME, escape, table_html
from capcurve.show.format import shortened
from capcurve.show.html import render_part
from capcurve.show.svg import draw
from capcurve.studies.evaluation.bands import Bands, bands_of
from capcurve.studies.evaluation.content import cap_chart, models
from capcurve.studies.evaluation.head import first_of, foot, head, notes
from capcurve.studies.evaluation.markup import differences
from capcurve.studies.evaluation.payload import Detail, payload
from capcurve.studies.evaluation.stops import Stops, stops_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.plots.models import Model
    from capcurve.show.chart import Chart
    from capcurve.studies.evaluation.content import Content

# The script fills the live part and removes what stands still.
MAIN = """<div id="live" hidden></div>
<div class="still">
{still}
</div>
{notes}
{monitored}
<div class="still">
{tables}
</div>"""
# From the finest down: the first that keeps the page within its size is written.
DETAILS = (
    Detail(5e-4, 400, 2e-3, 200),
    Detail(5e-4, 400, 1e-2, 200),
    Detail(5e-4, 200, 1e-2, 100),
    Detail(1e-3, 200, 1e-2, 60),
    Detail(2e-3, 100, 1e-2, 60),
    Detail(2e-3, 100, None, 60),
    Detail(5e-3, 50, None, 20),
)
ONE_SCORE, SEVERAL = 250_000, 500_000
MOST_ROWS = 100
FINEST = DETAILS[0]


def render_page(content: Content) -> str:
    """Return the whole report as one HTML document.

    Every name in it (scores, files, grades, segments) is escaped; nothing is loaded. It holds
    exact counts at some cut-offs, never rows, and fewer of them rather than grow too large.
    """
    several = len(content.summaries) > 1 or content.segment_summaries
    limit = SEVERAL if several else ONE_SCORE
    stops, last = _stops(content, FINEST), FINEST
    bands = bands_of(content, stops)
    for detail in DETAILS:
        if (detail.tolerance, detail.steps) != (last.tolerance, last.steps):
            stops, last = _stops(content, detail), detail
        page = _page(content, stops, detail, bands)
        if len(page.encode("utf-8")) <= limit:
            break
    return page


def _stops(content: Content, detail: Detail) -> dict[str, Stops]:
    return {
        name: stops_of(content, name, detail.tolerance, detail.steps)
        for name, summary in content.summaries.items()
        if summary.accuracy_ratio is not None
    }


def _page(content: Content, stops: Mapping[str, Stops], detail: Detail, bands: Bands) -> str:
    today = datetime.now(UTC).date().isoformat()
    return document(
        title=escape(shortened(content.title, LONGEST_NAME)),
        head=head(content, today),
        main=MAIN.format(
            still=_still(content, stops),
            notes=notes(content),
            monitored=_monitored(content),
            tables=_tables(content),
        ),
        foot=foot(content, _coarsened(content, detail)),
        data=payload(content, stops, detail, bands, today),
    )


def _coarsened(content: Content, detail: Detail) -> Sequence[str]:
    """Return what was left out to keep the page small."""
    notes = []
    if detail.tolerance > FINEST.tolerance or detail.steps < FINEST.steps:
        notes.append(
            "To keep this page small, curves are drawn to within "
            f"{100 * detail.tolerance:g}% of the height, with fewer cut-offs to stop at"
        )
    most = max((len(parts) for parts in content.segment_summaries.values()), default=0)
    if most > detail.segments:
        notes.append(f"of {most:,} segments the first {detail.segments} are shown")
    if detail.segment_tolerance is None and most:
        notes.append("the curves of segments are left out")
    return notes


def _still(content: Content, stops: Mapping[str, Stops]) -> str:
    """Return the pictures that are seen where the script does not run."""
    figures = "".join(
        f"<figure class=card><figcaption>{escape(chart.title)}</figcaption>{draw(chart)}</figure>"
        for chart in _charts(content, stops)
    )
    return f"<h2>Curves</h2><div class=gallery>{figures}</div>" if figures else ""


def _charts(content: Content, stops: Mapping[str, Stops]) -> list[Chart]:
    """Return the charts of a page; none when no score has both classes."""
    scores = models(content, {name: found.counts for name, found in stops.items()})
    if not scores:
        return []
    first, prevalence = scores[0], content.prevalence
    if is_amounts(first.counts):
        return _of_amounts(content, scores)
    of_first = charts.captured(first, prevalence=prevalence)
    if len(scores) > 1:
        of_first = replace(of_first, title=f"{of_first.title} of {first.label}")
    return [
        cap_chart(content, scores),
        charts.roc(scores, interval=next(iter(content.summaries.values())).level),
        of_first,
        charts.lift(scores, prevalence=prevalence),
    ]


def _of_amounts(content: Content, scores: Sequence[Model]) -> list[Chart]:
    """Return the charts of amounts: those in shares only where no amount is below zero."""
    first, money = scores[0], content.money
    of_first = [charts.mean_amount([first])]
    if money is not None:
        of_first.append(charts.profit(first, value=money.value, cost=money.cost))
    if len(scores) > 1:
        of_first = [replace(chart, title=f"{chart.title} of {first.label}") for chart in of_first]
    shares = [] if content.signed else [charts.lift(scores)]
    return [cap_chart(content, scores), *shares, *of_first]


def _monitored(content: Content) -> str:
    """Return the control charts of the periods, which the script puts below their trend."""
    several = len(content.counts) > 1
    parts = [
        render_part(chart.presentation(), f"<h3>{escape(shortened(name))}</h3>" if several else "")
        for name, chart in content.control_charts.items()
    ]
    heading = f"<h2>Control chart by {escape(shortened(content.by or 'period'))}</h2>"
    return f"<section id=monitoring>{heading}{''.join(parts)}</section>" if parts else ""


def _tables(content: Content) -> str:
    parts = [
        table_html(
            summary.gains.values(),
            f"Gains table of {name}, {first_of(summary)} first",
            summary.gains.note,
        )
        for name, summary in content.summaries.items()
        if summary.gains is not None
    ]
    for name, segments in content.segment_summaries.items():
        first = dict(list(segments.items())[:MOST_ROWS])
        parts.append(table_html(by_segment(first), f"{name} by {content.by}"))
    if content.comparison is not None and len(content.comparison.pairs) > 1:
        parts.append(differences(content))
    return f"<h2>Tables</h2>{''.join(parts)}" if parts else ""
