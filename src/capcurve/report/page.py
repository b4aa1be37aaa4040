"""The page that is sent around: one HTML file that asks nothing of the network."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from capcurve.report.panels import charts
from capcurve.report.svg import draw, shortened
from capcurve.report.tables import (
    differences,
    figures,
    findings_list,
    rows_html,
    segment_rows,
    table_html,
    verdict_of,
)
from capcurve.report.words import escape
from capcurve.version import __version__

if TYPE_CHECKING:
    from capcurve.report.content import Content
    from capcurve.summary import Summary

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
DEFINITION = (
    "Ties are grouped: one point per distinct score, joined by straight lines, so the accuracy "
    "ratio is 2·AUC − 1 and does not depend on the order of the rows."
)
STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--soft:#57606a;--line:#d0d7de}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--soft:#9aa4ae;--line:#30363d}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
margin:0 auto;padding:1.5rem;max-width:62rem}
h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 .4rem}
p{margin:.4rem 0}.lead{font-size:1.1rem}.soft,footer{color:var(--soft);font-size:.85rem}
.soft,footer{overflow-wrap:anywhere}
.charts{display:grid;gap:1.5rem;
grid-template-columns:repeat(auto-fit,minmax(min(24rem,100%),1fr))}
figure{margin:0}figcaption{font-weight:600}
.wide{overflow-x:auto}
.wide table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
.wide caption{text-align:left;font-weight:600;padding:.3rem 0}
.wide th,.wide td{padding:.2rem .5rem;text-align:right;border-bottom:1px solid var(--line);
white-space:nowrap}
footer{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:.6rem}
@media print{body{max-width:none;padding:0;font-size:9.5pt}figure,tr{break-inside:avoid}
h2,caption{break-after:avoid}.charts{display:block}figure{display:inline-block;width:45%}
.wide{overflow:visible}.wide table{font-size:7.5pt}.wide th,.wide td{padding:.1rem .3rem}}
"""


def render_page(content: Content) -> str:
    """Return the whole report as one HTML document.

    Every name in it (scores, files, grades, segments) is escaped; nothing is loaded.
    """
    title = escape(shortened(content.title, 200))
    body = [_head(content), _scores(content), _charts(content), _tables(content), _foot(content)]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in body if part)
        + "\n</body>\n</html>\n"
    )


def _head(content: Content) -> str:
    source = "" if content.source is None else f"<p class=soft>{escape(content.source)}</p>"
    leads = "".join(
        f"<p class=lead>{_named(content, name)}{escape(summary.sentence + verdict_of(summary))}</p>"
        for name, summary in content.summaries.items()
    )
    return f"<header><h1>{escape(content.title)}</h1>{source}{leads}</header>"


def _named(content: Content, name: str) -> str:
    return f"<b>{escape(name)}.</b> " if len(content.summaries) > 1 else ""


def _scores(content: Content) -> str:
    directions = {_direction(summary): None for summary in content.summaries.values()}
    tested = differences(content)
    return f"{figures(content.summaries)}{tested}{''.join(directions)}{findings_list(content)}"


def _direction(summary: Summary) -> str:
    if summary.levels is not None:
        names = ", ".join(str(level) for level in summary.levels)
        return f"<p class=soft>grades, most likely positive first: {escape(names)}</p>"
    return f"<p class=soft>a higher score makes a case more likely {summary.higher_is}</p>"


def _charts(content: Content) -> str:
    figures_ = "".join(
        f"<figure><figcaption>{escape(chart.title)}</figcaption>{draw(chart)}</figure>"
        for chart in charts(content)
    )
    return f"<h2>Curves</h2><div class=charts>{figures_}</div>" if figures_ else ""


def _tables(content: Content) -> str:
    parts = [
        table_html(summary.gains, f"Gains table of {name}, most likely positive first")
        for name, summary in content.summaries.items()
        if summary.gains is not None
    ]
    for name, segments in content.segments.items():
        parts.append(rows_html(segment_rows(segments), f"{name} by {content.by}"))
    return f"<h2>Tables</h2>{''.join(parts)}" if parts else ""


def _foot(content: Content) -> str:
    digests = "; ".join(
        f"{escape(name)} {(summary.digest or 'not known')[:16]}"
        for name, summary in content.summaries.items()
    )
    today = datetime.now(UTC).date().isoformat()
    return (
        f"<footer><p>{DEFINITION}</p><p>capcurve {__version__}, {today}. "
        f"Digest of the counts: {digests}.</p></footer>"
    )
