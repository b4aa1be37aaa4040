"""What stands above and below the pictures: title, sentence, headline numbers, findings, origin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from capcurve.counts.totals import SMALL_CELL
from capcurve.report.svg import shortened
from capcurve.report.tables import (
    amount,
    differences,
    findings_list,
    framed,
    headline,
    limits_of,
    place_of_ks,
    shown,
    verdict_of,
)
from capcurve.report.words import escape, file_names
from capcurve.summary.chance import TOP
from capcurve.tables.steps import percent
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capcurve.report.content import Content
    from capcurve.summary import Summary

DEFINITION = (
    "Ties are grouped: one point per distinct score, joined by straight segments, so AR = "
    "2·AUC − 1 and nothing depends on the order of the rows."
)
LONGEST_NAME = 200
CASES = ("cases", "positives", "prevalence")


def head(content: Content, today: str) -> str:
    """Return heading, origin, numbers and what must be known before they are read."""
    source = (
        ""
        if content.source is None
        else f"{escape(shortened(file_names(content.source), LONGEST_NAME))} · "
    )
    only = next(iter(content.summaries.values())).digest if len(content.summaries) == 1 else None
    digest = "" if only is None else f"digest {only[:16]} · "
    origin = f"<p class='soft source'>{source}{digest}{today} · capcurve {__version__}</p>"
    leads = _sentences(content, "lead") if len(content.summaries) == 1 else ""
    title = escape(shortened(content.title, LONGEST_NAME))
    return (
        f"<h1>{title}</h1>{origin}{leads}{_numbers(content)}{_difference(content)}"
        f"{findings_list(content, grave=True)}"
    )


def notes(content: Content) -> str:
    """Return what may be read after the pictures: sentences of several scores, notes, terms."""
    several = len(content.summaries) > 1
    return (
        "<section id=notes class=notes><h2>Notes</h2>"
        f"{_sentences(content, 'one-of') if several else ''}{findings_list(content, grave=False)}"
        f"{_directions(content)}{_small_cells(content)}<p class=soft>{DEFINITION}</p></section>"
    )


def foot(content: Content, left_out: Sequence[str]) -> str:
    """Return where the numbers come from, and what was left out."""
    digests = "; ".join(
        f"{escape(shortened(name))} {(summary.digest or 'not known')[:16]}"
        for name, summary in content.summaries.items()
    )
    said = f"<p>{escape('; '.join(left_out))}.</p>" if left_out else ""
    return (
        f"{said}<p>Digest of the counts: {digests}. This page contains counts only, no individual "
        f"rows, and makes no network requests. Written by capcurve {__version__}.</p>"
    )


def _sentences(content: Content, look: str) -> str:
    return "".join(
        f"<p class={look}><b>{escape(shortened(name, LONGEST_NAME))}:</b> "
        f"{escape(summary.sentence + verdict_of(summary))}</p>"
        for name, summary in content.summaries.items()
    )


def _directions(content: Content) -> str:
    """Return what a high score means: once, or for each score where they differ."""
    found = {name: _direction(summary) for name, summary in content.summaries.items()}
    if len(set(found.values())) == 1:
        words = next(iter(found.values()))
        return f"<p class=soft>{escape(words[0].upper() + words[1:])}.</p>"
    lines = (f"{shortened(name)}: {words}" for name, words in found.items())
    return f"<p class=soft>{escape('; '.join(lines))}.</p>"


def _direction(summary: Summary) -> str:
    if summary.levels is not None:
        names = ", ".join(shortened(str(level)) for level in summary.levels)
        return f"grades, most likely positive first: {names}"
    return f"a higher score makes a case more likely {summary.higher_is}"


def _difference(content: Content) -> str:
    """Return the one difference between two scores; of more there is a table further down."""
    tests = content.comparison
    return differences(content) if tests is not None and len(tests.pairs) == 1 else ""


def _numbers(content: Content) -> str:
    """Return tiles for one score, a line for each of several."""
    summaries = content.summaries
    if len(summaries) > 1:
        level = percent(next(iter(summaries.values())).level)
        return _table(summaries.values(), f"The scores, with {level} intervals")
    summary = next(iter(summaries.values()))
    tiles = "".join(
        f"<div><dt>{escape(label)}</dt><dd>{escape(value)}"
        + (f"<small>{escape(more)}</small>" if more else "")
        + "</dd></div>"
        for label, value, more in tiles_of(summary)
    )
    found = f"<p class='soft level'>In brackets: {percent(summary.level)} intervals.</p>"
    return f"<dl class=figures>{tiles}</dl>{found if summary.intervals else ''}"


def _table(summaries: Iterable[Summary], caption: str) -> str:
    """Return a row of headline numbers for each score, the interval below its number."""
    lines = {summary.name: _line(summary) for summary in summaries}
    found = list(dict.fromkeys(label for line in lines.values() for label in line))
    # A narrow screen shows the first columns: how well each score ranks.
    labels = sorted(found, key=lambda label: label.startswith(CASES))
    heads = "".join(f"<th scope=col>{escape(_short(n))}</th>" for n in ("score", *labels))
    rows = "".join(
        f"<tr><th scope=row>{escape(shortened(name))}</th>"
        + "".join(f"<td>{line.get(label, '–')}</td>" for label in labels)
        + "</tr>"
        for name, line in lines.items()
    )
    return (
        f"{framed(caption)}<table class=scores><caption>{escape(caption)}</caption><thead><tr>"
        f"{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _short(label: str) -> str:
    """Return a label as a column has room for it."""
    return label.replace(" in top ", " at ").replace(" (Gini)", "")


def _line(summary: Summary) -> dict[str, str]:
    """Return the headline numbers of one of several scores by label, as markup."""
    return {
        label: escape(value) + (f"<small>{escape(limits)}</small>" if limits else "")
        for label, value, limits in headline(summary)
        if limits is not None
    }


def tiles_of(summary: Summary) -> list[tuple[str, str, str]]:
    """Return label, value and remark of each headline number."""
    stated = summary.stated_prevalence is not None
    rate = "" if summary.prevalence is None else percent(summary.prevalence)
    weighted = not isinstance(summary.n, int)
    distinct = f"{summary.distinct_scores:,} distinct scores"
    tiles = [
        ("total weight" if weighted else "cases", amount(summary.n), distinct),
        ("weight of positives" if weighted else "positives", amount(summary.n1), ""),
        ("prevalence, as stated" if stated else "prevalence", rate or "–", ""),
    ]
    if summary.accuracy_ratio is None or summary.roc_auc is None or summary.ks is None:
        return [*tiles, ("accuracy ratio", "undefined", "")]
    place = f"at {_unbroken(summary)}, top {percent(summary.ks.q)}"
    ratio, ks = summary.accuracy_ratio, summary.ks.statistic

    def limits(name: str) -> str:
        return limits_of(summary, name)

    return [
        ("accuracy ratio", shown("accuracy_ratio", ratio), limits("accuracy_ratio")),
        ("AUC", shown("roc_auc", summary.roc_auc), limits("roc_auc")),
        ("KS", shown("ks", ks), f"{limits('ks')} {place}".strip()),
        *(
            (
                f"captured at {percent(q)}",
                shown("captured", share),
                limits(f"captured_{100 * q:.0f}"),
            )
            for q, share in summary.captured.items()
        ),
        *(
            (f"lift at {percent(q)}", shown("lift", lift), limits("lift_10"))
            for q, lift in summary.lift.items()
            if q == TOP
        ),
        *tiles,
    ]


def _unbroken(summary: Summary) -> str:
    """Return the place of KS, its sign and score kept on one line."""
    return re.sub(" ([≥≤]) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", place_of_ks(summary))


def _small_cells(content: Content) -> str:
    """Return how many distinct scores show single cases."""
    parts = {
        name: "all" if summary.small_cells == 1 else percent(summary.small_cells)
        for name, summary in content.summaries.items()
        if summary.small_cells
    }
    if not parts:
        return ""
    told = ", ".join(f"{part} ({shortened(name)})" for name, part in parts.items())
    return f"<p class=soft>{escape(f'Distinct scores with under {SMALL_CELL} cases: {told}')}.</p>"
