"""Numbers of the card and the page as HTML tables and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.report.svg import shortened
from capcurve.report.words import escape
from capcurve.summary.chance import TOP
from capcurve.summary.comparing import difference_columns, difference_sentence
from capcurve.summary.summary import weight_text
from capcurve.tables.shown import SCORES, cutoff_text
from capcurve.tables.steps import percent
from capcurve.tables.table import cell_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.report.content import Content
    from capcurve.summary import Summary
    from capcurve.tables import Table

SHARES = frozenset({"rate", "captured", "q", "prevalence", "captured_10", "captured_20"})
PERCENT_COLUMNS = SHARES | {"captured_50", "ks_q", "tie_mass"}
# A card stands in pages of others, so it brings its looks along; a page has a style sheet.
FIGURES = "font:inherit;border-collapse:collapse;margin:.3em 0"
LABEL = "text-align:left;font-weight:400;padding:.1em 1.2em .1em 0;white-space:nowrap"
CELL = "text-align:right;padding:.1em .8em .1em 0;font-variant-numeric:tabular-nums"
LIMITS = (
    "text-align:left;padding:.1em 1.2em .1em 0;font-variant-numeric:tabular-nums;white-space:nowrap"
)
NAME = "text-align:left;padding:.1em .8em .1em 0"
CAPTION = "caption-side:bottom;text-align:left;font-size:.85em;padding-top:.2em"
FINDINGS = "padding-left:1.2em;margin:.4em 0"
SEVERITY = {"error": "Problem", "warning": "Warning", "info": "Note"}


def figures(summaries: Mapping[str, Summary], *, styled: bool = False) -> str:
    """Return the headline numbers, one column per score; `styled` for where no style sheet is."""

    def look(rules: str) -> str:
        return f' style="{rules}"' if styled else ""

    def figure(value: str, limits: str | None) -> str:
        if limits is None:  # words rather than a number
            return f'<td colspan="2"{look(LIMITS)}><b>{escape(value)}</b></td>'
        number = f"<td{look(CELL)}><b>{escape(value)}</b></td>"
        return f"{number}<td{look(LIMITS)}>{escape(limits)}</td>"

    columns: dict[str, dict[str, tuple[str, str | None]]] = {
        name: {label: (value, limits) for label, value, limits in headline(summary)}
        for name, summary in summaries.items()
    }
    labels = list(dict.fromkeys(label for column in columns.values() for label in column))
    names = "".join(
        f'<th scope="colgroup" colspan="2"{look(NAME)}>{escape(shortened(n))}</th>' for n in columns
    )
    head = f"<thead><tr><td></td>{names}</tr></thead>" if len(columns) > 1 else ""
    level = next((f"{percent(s.level)} intervals" for s in summaries.values() if s.intervals), "")
    caption = f"<caption{look(CAPTION)}>In brackets: {level}</caption>" if level else ""
    rows = "".join(
        f'<tr><th scope="row"{look(LABEL)}>{escape(label)}</th>'
        + "".join(figure(*column.get(label, ("–", ""))) for column in columns.values())
        + "</tr>"
        for label in labels
    )
    table = f"<table{look(FIGURES)}>{caption}{head}<tbody>{rows}</tbody></table>"
    return f'<div style="overflow-x:auto">{table}</div>' if styled else table


def headline(summary: Summary) -> list[tuple[str, str, str | None]]:
    """Return label, value and interval of each headline number; no text where there is none."""
    lines: list[tuple[str, str, str | None]] = [
        ("cases", amount(summary.n), ""),
        ("positives", amount(summary.n1), ""),
    ]
    if summary.prevalence is not None:
        label = "prevalence" if summary.stated_prevalence is None else "prevalence, as stated"
        lines.append((label, percent(summary.prevalence), ""))
    if summary.accuracy_ratio is None or summary.ks is None:
        return [*lines, ("accuracy ratio", "undefined", "")]
    numbers = {
        "accuracy_ratio": ("accuracy ratio (Gini)", summary.accuracy_ratio),
        "roc_auc": ("AUC", summary.roc_auc),
        "ks": ("KS", summary.ks.statistic),
        **{
            f"captured_{round(100 * q)}": (f"captured in top {percent(q)}", captured)
            for q, captured in summary.captured.items()
        },
        **{
            f"lift_{round(100 * q)}": (f"lift in top {percent(q)}", lift)
            for q, lift in summary.lift.items()
            if q == TOP
        },
    }
    for name, (label, value) in numbers.items():
        lines.append((label, shown(name, value), limits_of(summary, name)))
        if name == "ks":
            lines.append(("KS is reached at", place_of_ks(summary), None))
    return lines


def limits_of(summary: Summary, name: str) -> str:
    """Return the interval of a headline number as people read it, or nothing."""
    found = summary.intervals.get(name)
    if found is None:
        return ""
    if name in PERCENT_COLUMNS:
        return f"[{100 * found.low:.1f}%, {100 * found.high:.1f}%]"
    return f"[{shown(name, found.low)}, {shown(name, found.high)}]"


def place_of_ks(summary: Summary) -> str:
    """Return the cut-off at which KS is reached."""
    if summary.ks is None or summary.ks.threshold is None:
        return "no case selected"
    place = cutoff_text(summary.ks.threshold)
    sign = {"positive": "≥", "negative": "≤"}[summary.higher_is]
    return f"score {sign} {place}" if summary.levels is None else f"grades down to {place}"


def amount(cases: float) -> str:
    """Return a number of cases, or a weight, as people read it."""
    return f"{cases:,}" if isinstance(cases, int) else weight_text(cases)


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
    columns = difference_columns(content.comparison)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return rows_html(rows, "Differences between the scores, on the same rows")


def findings_list(content: Content, *, styled: bool = False, grave: bool | None = None) -> str:
    """Return findings: all, the grave ones only, or the notes only."""
    several = len(content.summaries) > 1
    items = [("", finding) for finding in content.findings]
    items += [
        (f"{name}: " if several else "", finding)
        for name, summary in content.summaries.items()
        for finding in summary.findings
    ]
    if grave is not None:
        items = [item for item in items if (item[1].severity != "info") == grave]
    if not items:
        return ""
    rows = "".join(
        f"<li><b>{SEVERITY[finding.severity]}.</b> {escape(label + finding.message)}; "
        f"<i>{escape(finding.advice)}</i>.</li>"
        for label, finding in items
    )
    look = f' style="{FINDINGS}"' if styled else ""
    return f"<ul class=findings{look}>{rows}</ul>"


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
        f"{framed(caption)}<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr>"
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
        f"{framed(caption)}<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr>"
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def verdict_of(summary: Summary) -> str:
    """Return the verdict as a sentence of its own, or nothing."""
    if summary.verdict is None:
        return ""
    said = summary.verdict.sentence
    return f" {said[0].upper()}{said[1:]}."


def segment_rows(segments: Mapping[Any, Summary]) -> list[dict[str, Any]]:
    """Return what a table of segments shows, the interval of the accuracy ratio beside it."""
    rows = []
    for key, summary in segments.items():
        row: dict[str, Any] = {"segment": "(none)" if key is None else key}
        for name, value in summary.to_row().items():
            if name == "accuracy_ratio_ci_low":
                limits = limits_of(summary, "accuracy_ratio")
                row[f"{percent(summary.level)} interval"] = limits or None
            elif name not in {"score", "accuracy_ratio_ci_high"}:
                row[name] = value
        rows.append(row)
    return rows


def shown(column: str, value: Any) -> str:
    """Return one cell as people read it."""
    if value is None:
        return "–"
    if column in PERCENT_COLUMNS and isinstance(value, float):
        text = percent(value)  # one decimal at least, so that points stand below each other
        return text if "." in text else text.replace("%", ".0%")
    if column in SCORES:
        return cutoff_text(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}" if column != "bin" else str(value)
    if isinstance(value, float) and column in {"accuracy_ratio", "roc_auc", "ks"}:
        return f"{value:.3f}"
    if isinstance(value, float) and "lift" in column:
        return f"{value:.2f}"
    return cell_text(value)


def framed(caption: str) -> str:
    """Return the start of a frame that scrolls sideways, by keyboard too."""
    label = escape(shortened(caption, 80))
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">'
