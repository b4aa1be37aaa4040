"""The page that is sent around: one HTML file that asks nothing of the network."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from capcurve.report.head import foot, head, notes
from capcurve.report.kept import keep
from capcurve.report.panels import charts
from capcurve.report.payload import Bands, Detail, drawn_by_chance, payload
from capcurve.report.svg import draw, shortened
from capcurve.report.tables import differences, rows_html, segment_rows, table_html
from capcurve.report.template import document
from capcurve.report.words import escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.report.content import Content
    from capcurve.report.kept import Kept

# From the finest down: the first that keeps the page within its size is written.
DETAILS = (
    Detail(5e-4, 400, 2e-3, 200),
    Detail(5e-4, 400, 1e-2, 200),
    Detail(5e-4, 200, 1e-2, 100),
    Detail(1e-3, 200, 1e-2, 60),
    Detail(2e-3, 100, None, 60),
    Detail(5e-3, 50, None, 20),
)
ONE_SCORE, SEVERAL = 200_000, 500_000
MOST_ROWS = 100
LONGEST_TITLE = 200
FINEST = DETAILS[0]


def render_page(content: Content) -> str:
    """Return the whole report as one HTML document.

    Every name in it (scores, files, grades, segments) is escaped; nothing is loaded. It holds
    exact counts at some cut-offs, never rows, and fewer of them rather than grow too large.
    """
    several = len(content.summaries) > 1 or content.segments
    limit = SEVERAL if several else ONE_SCORE
    kept, last = _kept(content, FINEST), FINEST
    bands = drawn_by_chance(content, kept)
    for detail in DETAILS:
        if (detail.tolerance, detail.steps) != (last.tolerance, last.steps):
            kept, last = _kept(content, detail), detail
        page = _page(content, kept, detail, bands)
        if len(page.encode("utf-8")) <= limit:
            break
    return page


def _kept(content: Content, detail: Detail) -> dict[str, Kept]:
    return {
        name: keep(content, name, detail.tolerance, detail.steps)
        for name, summary in content.summaries.items()
        if summary.accuracy_ratio is not None
    }


def _page(content: Content, kept: Mapping[str, Kept], detail: Detail, bands: Bands) -> str:
    today = datetime.now(UTC).date().isoformat()
    drawn = {**content.counts, **{name: found.counts for name, found in kept.items()}}
    return document(
        title=escape(shortened(content.title, LONGEST_TITLE)),
        head=head(content, today),
        still=_charts(replace(content, counts=drawn)),
        notes=notes(content),
        tables=_tables(content),
        foot=foot(content, _coarsened(content, detail)),
        data=payload(content, kept, detail, bands, today),
    )


def _coarsened(content: Content, detail: Detail) -> Sequence[str]:
    """Return what was left out to keep the page small."""
    notes = []
    if detail.tolerance > FINEST.tolerance or detail.steps < FINEST.steps:
        notes.append(
            "To keep this page small, curves are drawn to within "
            f"{100 * detail.tolerance:g}% of the height, with fewer cut-offs to stop at"
        )
    most = max((len(parts) for parts in content.segments.values()), default=0)
    if most > detail.segments:
        notes.append(f"of {most:,} segments the first {detail.segments} are shown")
    if detail.segment_tolerance is None and most:
        notes.append("the curves of segments are left out")
    return notes


def _charts(content: Content) -> str:
    figures_ = "".join(
        f"<figure class=card><figcaption>{escape(chart.title)}</figcaption>{draw(chart)}</figure>"
        for chart in charts(content)
    )
    return f"<h2>Curves</h2><div class=gallery>{figures_}</div>" if figures_ else ""


def _tables(content: Content) -> str:
    parts = [
        table_html(summary.gains, f"Gains table of {name}, most likely positive first")
        for name, summary in content.summaries.items()
        if summary.gains is not None
    ]
    for name, segments in content.segments.items():
        first = dict(list(segments.items())[:MOST_ROWS])
        parts.append(rows_html(segment_rows(first), f"{name} by {content.by}"))
    if content.comparison is not None and len(content.comparison.pairs) > 1:
        parts.append(differences(content))
    return f"<h2>Tables</h2>{''.join(parts)}" if parts else ""
