"""Numbers of the card and the page as HTML tables and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.report.svg import shortened
from capcurve.report.words import escape
from capcurve.summary.summary import weight_text
from capcurve.tables.steps import percent
from capcurve.tables.table import cell_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.report.content import Content
    from capcurve.summary import Summary
    from capcurve.tables import Table

SHARES = frozenset({"rate", "captured", "q", "prevalence", "captured_10", "captured_20"})
PERCENT_COLUMNS = SHARES | {"captured_50", "ks_q", "tie_mass"}
FIGURES = "font:inherit;border-collapse:collapse;margin:.3em 0"
LABEL = 'style="text-align:left;font-weight:400;padding:.1em 1.2em .1em 0"'
CELL = 'style="text-align:right;padding:.1em .8em .1em 0;font-variant-numeric:tabular-nums"'
SEVERITY = {"error": "Problem", "warning": "Look at this", "info": "Note"}


def figures(summaries: Mapping[str, Summary]) -> str:
    """Return the headline numbers, one column per score."""
    columns = {name: dict(headline(summary)) for name, summary in summaries.items()}
    labels = list(dict.fromkeys(label for column in columns.values() for label in column))
    several = len(columns) > 1
    names = "".join(f'<th scope="col" {CELL}>{escape(shortened(n))}</th>' for n in columns)
    head = f"<thead><tr><td></td>{names}</tr></thead>" if several else ""
    rows = "".join(
        f'<tr><th scope="row" {LABEL}>{escape(label)}</th>'
        + "".join(f"<td {CELL}><b>{escape(c.get(label, '–'))}</b></td>" for c in columns.values())
        + "</tr>"
        for label in labels
    )
    return f'<table style="{FIGURES}">{head}<tbody>{rows}</tbody></table>'


def headline(summary: Summary) -> list[tuple[str, str]]:
    """Return label and value of each headline number."""
    pairs = [("cases", amount(summary.n)), ("positives", amount(summary.n1))]
    if summary.prevalence is not None:
        label = "prevalence" if summary.stated_prevalence is None else "prevalence, as stated"
        pairs.append((label, percent(summary.prevalence)))
    if summary.accuracy_ratio is None or summary.ks is None:
        return [*pairs, ("accuracy ratio", "undefined")]
    return [
        *pairs,
        ("accuracy ratio (Gini)", f"{summary.accuracy_ratio:.3f}"),
        ("AUC", f"{summary.roc_auc:.3f}"),
        ("KS", f"{summary.ks.statistic:.3f}"),
        ("KS is reached at", _place_of_ks(summary)),
        *((f"captured in top {percent(q)}", percent(v)) for q, v in summary.captured.items()),
        ("lift in top 10%", f"{summary.lift[0.1]:.2f}"),
    ]


def _place_of_ks(summary: Summary) -> str:
    if summary.ks is None or summary.ks.threshold is None:
        return "no case selected"
    place = cell_text(summary.ks.threshold)
    sign = {"positive": "≥", "negative": "≤"}[summary.higher_is]
    return f"score {sign} {place}" if summary.levels is None else f"grades down to {place}"


def amount(cases: float) -> str:
    """Return a number of cases, or a weight, as people read it."""
    return f"{cases:,}" if isinstance(cases, int) else weight_text(cases)


def findings_list(content: Content) -> str:
    """Return all findings, with the score they belong to when there are several."""
    several = len(content.summaries) > 1
    items = [("", finding) for finding in content.findings]
    items += [
        (f"{name}: " if several else "", finding)
        for name, summary in content.summaries.items()
        for finding in summary.findings
    ]
    if not items:
        return ""
    rows = "".join(
        f"<li><b>{SEVERITY[finding.severity]}.</b> {escape(label + finding.message)}; "
        f"<i>{escape(finding.advice)}</i>.</li>"
        for label, finding in items
    )
    return f'<ul style="padding-left:1.2em;margin:.4em 0">{rows}</ul>'


def table_html(table: Table, caption: str) -> str:
    """Return a table as HTML."""
    head = "".join(
        f'<th scope="col">{escape(name.replace("_", " "))}</th>' for name in table.columns
    )
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(shown(n, v))}</td>" for n, v in row.items()) + "</tr>"
        for row in table.rows()
    )
    note = "" if table.note is None else f"<p>{escape(table.note[0].upper() + table.note[1:])}.</p>"
    return (
        f'<div class="wide"><table><caption>{escape(caption)}</caption><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>{note}"
    )


def rows_html(rows: list[dict[str, Any]], caption: str) -> str:
    """Return rows that share their keys as an HTML table."""
    names = list(rows[0])
    head = "".join(f'<th scope="col">{escape(name.replace("_", " "))}</th>' for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(shown(n, row[n]))}</td>" for n in names) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide"><table><caption>{escape(caption)}</caption><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def shown(column: str, value: Any) -> str:
    """Return one cell as people read it."""
    if value is None:
        return "–"
    if column in PERCENT_COLUMNS and isinstance(value, float):
        return percent(value)
    if isinstance(value, int) and not isinstance(value, bool) and "score" not in column:
        return f"{value:,}" if column != "bin" else str(value)
    if isinstance(value, float) and column in {"accuracy_ratio", "roc_auc", "ks"}:
        return f"{value:.3f}"
    if isinstance(value, float) and "lift" in column:
        return f"{value:.2f}"
    return cell_text(value)
