"""What notebooks show: a card without script, and the page in a frame of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.show.elements import LOOKS
from capcurve.show.notebook import CARD
from capcurve.show.svg import image
from capcurve.studies.evaluation.content import cap_chart, models
from capcurve.studies.evaluation.markup import differences, figures_table, findings_list, sentences

if TYPE_CHECKING:
    from capcurve.studies.evaluation.content import Content


def render_card(content: Content) -> str:
    """Return the evaluation as an HTML fragment that notebooks show whether trusted or not.

    It has no script, style sheet, frame or SVG element, and no outside links.
    """
    scores = models(content)
    picture = image(cap_chart(content, scores)) if scores else ""
    several = len(content.summaries) > 1
    said = sentences(content, lambda name: f"<p><b>{name}.</b> " if several else "<p>", 60)
    return (
        f'<div style="{CARD}"><div style="flex:1 1 320px;max-width:400px">{picture}</div>'
        f'<div style="flex:1 1 320px">{figures_table(content.summaries)}{said}'
        f"{differences(content)}{findings_list(content, style=LOOKS['findings'])}</div></div>"
    )
