"""Text, numbers and tables as pieces of HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.results.comparing import difference_columns, difference_sentence
from capcurve.results.figures import headlines, pd_sentence, verdict_sentence
from capcurve.show.elements import LONGEST_NAME, LOOKS, NOTHING, escape, found_list, table_html
from capcurve.show.format import shortened, stated_percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capcurve.results import Summary, ValueSummary
    from capcurve.show.finding import Finding
    from capcurve.studies.evaluation.content import Content


def figures_table(summaries: Mapping[str, Summary | ValueSummary]) -> str:
    """Return the headline numbers of a card, one column per score, with its own looks."""
    columns = {name: _numbers(summary) for name, summary in summaries.items()}
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
        + "".join(column.get(label, _number(NOTHING, "")) for column in columns.values())
        + "</tr>"
        for label in labels
    )
    return (
        f'<div style="overflow-x:auto"><table style="{LOOKS["table"]}">'
        f"{caption if level else ''}{head}<tbody>{rows}</tbody></table></div>"
    )


def _numbers(summary: Summary | ValueSummary) -> dict[str, str]:
    """Return the cells of one score by label; where KS is reached has a row of its own."""
    cells = {}
    for figure in headlines(summary):
        cells[figure.label] = _number(figure.text, figure.limits)
        if figure.metric == "ks":
            place = f'<td colspan="2" style="{LOOKS["limits"]}"><b>{escape(figure.note)}</b></td>'
            cells["KS is reached"] = place
    return cells


def _number(value: str, limits: str) -> str:
    return (
        f'<td style="{LOOKS["number"]}"><b>{escape(value)}</b></td>'
        f'<td style="{LOOKS["limits"]}">{escape(limits)}</td>'
    )


def sentences(content: Content, begin: Callable[[str], str], longest: int = LONGEST_NAME) -> str:
    """Return the sentence and the verdict on each score; `begin` is how the name stands there."""
    return "".join(
        f"{begin(escape(shortened(name, longest)))}"
        f"{escape(' '.join(filter(None, _said(summary))))}</p>"
        for name, summary in content.summaries.items()
    )


def _said(summary: Summary | ValueSummary) -> tuple[str, ...]:
    return summary.sentence, verdict_sentence(summary), pd_sentence(summary)


def differences(content: Content) -> str:
    """Return the paired tests of several scores: a sentence for two, a table for more."""
    if content.comparison is None:
        return ""
    if len(content.comparison.pairs) == 1:
        pair = content.comparison.pairs[0]
        sentence = difference_sentence(pair)
        for name in pair.estimates:
            sentence = sentence.replace(name, shortened(name))
        return f"<p>{escape(sentence)}.</p>"
    caption = "Differences between the scores, on the same rows"
    return table_html(difference_columns(content.comparison), caption)


def findings_list(content: Content, *, grave: bool | None = None, style: str = "") -> str:
    """Return findings: all, the grave ones only, or the notes only."""
    several = len(content.summaries) > 1
    found: list[tuple[str, Finding]] = [("", finding) for finding in content.about_all()]
    found += [
        (f"{name}: " if several else "", finding)
        for name, summary in content.summaries.items()
        for finding in summary.findings
    ]
    wanted = ((n, f) for n, f in found if grave is None or (f.severity != "info") == grave)
    return found_list(wanted, style)
