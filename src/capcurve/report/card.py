"""The notebook card: picture, numbers and one sentence, safe where scripts are not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.report.content import thin
from capcurve.report.panels import cap_chart, defined
from capcurve.report.svg import image, shortened
from capcurve.report.tables import differences, figures, findings_list, verdict_of
from capcurve.report.words import escape

if TYPE_CHECKING:
    from capcurve.report.content import Content

CARD = (
    "font:14px/1.45 system-ui,sans-serif;display:flex;flex-wrap:wrap;gap:1.2em;"
    "align-items:flex-start;max-width:860px"
)


def render_card(content: Content) -> str:
    """Return the evaluation as an HTML fragment that notebooks show whether trusted or not.

    It has no script, style sheet, frame or SVG element, and no outside links.
    """
    picture = image(cap_chart(thin(content))) if defined(content) else ""
    several = len(content.summaries) > 1
    sentences = "".join(
        f"<p>{f'<b>{escape(shortened(name, 60))}.</b> ' if several else ''}"
        f"{escape(summary.sentence + verdict_of(summary))}</p>"
        for name, summary in content.summaries.items()
    )
    return (
        f'<div style="{CARD}"><div style="flex:1 1 320px;max-width:400px">{picture}</div>'
        f'<div style="flex:1 1 320px">{figures(content.summaries, styled=True)}{sentences}'
        f"{differences(content)}{findings_list(content, styled=True)}</div></div>"
    )
