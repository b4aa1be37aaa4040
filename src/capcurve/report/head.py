"""What stands above and below the pictures: title, sentence, headline numbers, findings, origin."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from capcurve.report.ranges import range_of
from capcurve.report.svg import shortened
from capcurve.report.tables import (
    amount,
    differences,
    findings_list,
    framed,
    headline,
    place_of_ks,
    verdict_of,
)
from capcurve.report.words import escape
from capcurve.summary.chance import TOP
from capcurve.summary.known import SMALL_CELL
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


def head(content: Content) -> str:
    """Return heading, sentences, numbers and findings."""
    source = (
        "" if content.source is None else f"{escape(shortened(content.source, LONGEST_NAME))} · "
    )
    today = datetime.now(UTC).date().isoformat()
    only = next(iter(content.summaries.values())).digest if len(content.summaries) == 1 else None
    digest = "" if only is None else f"digest {only[:16]} · "
    origin = f"<p class='soft source'>{source}{digest}{today} · capcurve {__version__}</p>"
    look = "lead" if len(content.summaries) == 1 else "'lead one-of'"
    leads = "".join(
        f"<p class={look}>{_named(content, name)}"
        f"{escape(summary.sentence + verdict_of(summary))}</p>"
        for name, summary in content.summaries.items()
    )
    title = escape(shortened(content.title, LONGEST_NAME))
    return (
        f"<h1>{title}</h1>{origin}{leads}{_numbers(content)}{_difference(content)}"
        f"{findings_list(content)}"
        f"{_directions(content)}<p class=soft>{DEFINITION}</p>"
    )


def foot(content: Content, notes: Sequence[str]) -> str:
    """Return where the numbers come from, and what was left out."""
    digests = "; ".join(
        f"{escape(shortened(name))} {(summary.digest or 'not known')[:16]}"
        for name, summary in content.summaries.items()
    )
    left_out = f"<p>{escape('; '.join(notes))}.</p>" if notes else ""
    return (
        f"{left_out}<p>Digest of the counts: {digests}. The page holds counts at cut-offs and no "
        "rows, asks nothing of the network, and was written by capcurve "
        f"{__version__}.</p>"
    )


def _named(content: Content, name: str) -> str:
    several = len(content.summaries) > 1
    return f"<b>{escape(shortened(name, LONGEST_NAME))}.</b> " if several else ""


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
        return _table(summaries.values(), f"The scores in numbers, with their {level} intervals")
    summary = next(iter(summaries.values()))
    tiles = "".join(
        f"<div><dt>{escape(label)}</dt><dd>{escape(value)}"
        + (f"<small>{escape(more)}</small>" if more else "")
        + "</dd></div>"
        for label, value, more in tiles_of(summary)
    )
    found = f"<p class=soft>Ranges are {percent(summary.level)} intervals.</p>"
    return f"<dl class=figures>{tiles}</dl>{found if summary.intervals else ''}"


def _table(summaries: Iterable[Summary], caption: str) -> str:
    """Return a row of headline numbers for each score, the interval below its number."""
    lines = {summary.name: _line(summary) for summary in summaries}
    labels = dict.fromkeys(label for line in lines.values() for label in line)
    heads = "".join(f"<th scope=col>{escape(_short(n))}</th>" for n in ("score", *labels))
    rows = "".join(
        f"<tr><th scope=row>{escape(shortened(name))}</th>"
        + "".join(f"<td>{line.get(label, '–')}</td>" for label in labels)
        + "</tr>"
        for name, line in lines.items()
    )
    return (
        f"{framed(caption)}<table><caption>{escape(caption)}</caption><thead><tr>{heads}</tr>"
        f"</thead><tbody>{rows}</tbody></table></div>"
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
    tiles = [
        ("total weight" if weighted else "cases", amount(summary.n), _cells(summary)),
        ("weight of positives" if weighted else "positives", amount(summary.n1), ""),
        ("prevalence, as stated" if stated else "prevalence", rate or "–", ""),
    ]
    if summary.accuracy_ratio is None or summary.roc_auc is None or summary.ks is None:
        return [*tiles, ("accuracy ratio", "undefined", "")]
    return [
        (
            "accuracy ratio",
            f"{summary.accuracy_ratio:.3f}",
            _range(summary, "accuracy_ratio"),
        ),
        ("AUC", f"{summary.roc_auc:.3f}", _range(summary, "roc_auc")),
        (
            "KS",
            f"{summary.ks.statistic:.3f}",
            _joined(_range(summary, "ks"), f"at {_unbroken(summary)}, top {percent(summary.ks.q)}"),
        ),
        *(
            (
                f"captured at {percent(q)}",
                percent(share),
                _range(summary, f"captured_{100 * q:.0f}"),
            )
            for q, share in summary.captured.items()
        ),
        *(
            (f"lift at {percent(q)}", f"{lift:.2f}", _range(summary, "lift_10"))
            for q, lift in summary.lift.items()
            if q == TOP
        ),
        *tiles,
    ]


def _unbroken(summary: Summary) -> str:
    """Return the place of KS, its sign and score kept on one line."""
    return re.sub(" ([≥≤]) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", place_of_ks(summary))


def _cells(summary: Summary) -> str:
    """Return how many distinct scores there are, and how many of them show single cases."""
    told = f"{summary.distinct_scores:,} distinct scores"
    small = summary.small_cells
    if not small:
        return told
    part = "all" if small == 1 else percent(small)
    return _joined(told, f"{part} with under {SMALL_CELL} cases")


def _joined(*remarks: str) -> str:
    """Return remarks one after the other, without the empty ones."""
    return "; ".join(remark for remark in remarks if remark)


def _range(summary: Summary, key: str) -> str:
    low, high = range_of(summary, key)
    if low is None or high is None:
        return ""
    if key.startswith("captured"):
        return f"{100 * low:.1f}% to {100 * high:.1f}%"
    digits = 2 if key.startswith("lift") else 3
    return f"{low:.{digits}f} to {high:.{digits}f}".replace("-", "\N{MINUS SIGN}")
