"""What stands above and below the pictures: title, sentence, headline numbers, findings, origin."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from capcurve.counts.totals import SMALL_CELL
from capcurve.results.figures import headlines
from capcurve.results.findings import SMALL_SEGMENT, rows_of
from capcurve.show.elements import LONGEST_NAME, NOTHING, escape, file_names, framed, tiles
from capcurve.show.format import capitalised, counted, percent, shortened, stated_percent
from capcurve.studies.evaluation.markup import differences, findings_list, sentences
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.results import Summary, ValueSummary
    from capcurve.show.figure import Figure
    from capcurve.studies.evaluation.content import Content

DEFINITION = (
    "Ties are grouped: one point per distinct score, joined by straight segments, so AR = "
    "2·AUC − 1 and nothing depends on the order of the rows."
)
OF_AMOUNTS = (
    "Tied scores are joined by one straight segment, so nothing depends on the order of the rows. "
    "AR is the area between curve and diagonal over that of the perfect curve, in the order of "
    "{rate}."
)
# They come last: how well a score ranks is what a narrow screen shows.
CASES = ("n", "n1", "prevalence", "m", "exposure", "amount", "mean_amount")
DIGITS_OF_DIGEST = 16


def head(content: Content, today: str) -> str:
    """Return heading, origin, numbers and what must be known before they are read."""
    only = next(iter(content.summaries.values())) if len(content.summaries) == 1 else None
    source = "" if content.source is None else shortened(file_names(content.source), LONGEST_NAME)
    digest = f"digest {only.digest[:DIGITS_OF_DIGEST]}" if only and only.digest else ""
    origin = " · ".join(filter(None, (source, digest, today, f"capcurve {__version__}")))
    leads = _sentences(content, "lead") if only else ""
    tests = content.comparison
    return (
        f"<h1>{escape(shortened(content.title, LONGEST_NAME))}</h1>"
        f"<p class='soft source'>{escape(origin)}</p>{leads}{_numbers(content)}"
        f"{differences(content) if tests is not None and len(tests.pairs) == 1 else ''}"
        f"{findings_list(content, grave=True)}"
    )


def notes(content: Content) -> str:
    """Return what may be read after the pictures: sentences of several scores, notes, terms."""
    several = len(content.summaries) > 1
    return (
        "<section id=notes class=notes><h2>Notes</h2>"
        f"{_sentences(content, 'one-of') if several else ''}{findings_list(content, grave=False)}"
        f"{_directions(content)}{_small_cells(content)}"
        f"<p class=soft>{escape(_definition(content))}</p></section>"
    )


def _definition(content: Content) -> str:
    """Return how ties are treated and what the accuracy ratio is."""
    first = next(iter(content.summaries.values()))
    if first.kind == "classes":
        return DEFINITION
    captured, selected = first.words.captured, first.words.selected
    per = f"{captured} per unit of {selected}" if first.has_exposure else captured
    return OF_AMOUNTS.format(rate=per)


def foot(content: Content, left_out: Sequence[str]) -> str:
    """Return where the numbers come from, and what was left out."""
    digests = "; ".join(
        f"{escape(shortened(name))} {(summary.digest or 'not known')[:DIGITS_OF_DIGEST]}"
        for name, summary in content.summaries.items()
    )
    said = f"<p>{escape('; '.join(left_out))}.</p>" if left_out else ""
    return (
        f"{said}<p>Digest of the counts: {digests}. {_contents(content)}, and it makes no network "
        f"requests. Written by capcurve {__version__}.</p>"
    )


def _contents(content: Content) -> str:
    """Return what the page lets be known of single rows."""
    sizes = [rows_of(part) for parts in content.segments.values() for part in parts.values()]
    few = [size for size in sizes if size < SMALL_SEGMENT]
    small = f"; segments with {counted(min(few), 'case')} are shown" if few else ""
    if all(summary.kind == "classes" for summary in content.summaries.values()):
        return f"This page contains counts only{small or ', no individual rows'}"
    if content.min_cell is not None:
        return f"This page contains sums only{small}"
    large = "of the perfect CAP the largest amounts can be read one by one"
    return f"This page contains sums; {large}{small}"


def _sentences(content: Content, look: str) -> str:
    return sentences(content, lambda name: f"<p class={look}><b>{name}:</b> ")


def _directions(content: Content) -> str:
    """Return what a high score means: once, or for each score where they differ."""
    found = {name: _direction(summary) for name, summary in content.summaries.items()}
    said = capitalised(next(iter(found.values())))
    if len(set(found.values())) > 1:
        said = "; ".join(f"{shortened(name)}: {words}" for name, words in found.items())
    return f"<p class=soft>{escape(said)}.</p>"


def _direction(summary: Summary | ValueSummary) -> str:
    if summary.levels is not None:
        names = ", ".join(shortened(str(level)) for level in summary.levels)
        return f"grades, {first_of(summary)} first: {names}"
    if summary.kind == "classes":
        return f"a higher score makes a case more likely {summary.higher_is}"
    more = "more" if summary.higher_is == "positive" else "less"
    captured = summary.words.captured
    if captured == "amount":
        more = "a larger" if more == "more" else "a smaller"
    return f"a higher score stands for {more} {captured}"


def first_of(summary: Summary | ValueSummary) -> str:
    """Return what stands first in the order of a score."""
    if summary.kind == "classes":
        return "most likely positive"
    return f"highest expected {summary.words.captured}"


def _numbers(content: Content) -> str:
    """Return tiles for one score, a line for each of several."""
    first, *others = content.summaries.values()
    if others:
        return _table([first, *others])
    return tiles(ordered(first), first.level if first.intervals else None)


def ordered(summary: Summary | ValueSummary) -> list[Figure]:
    """Return the headline numbers, how well the score ranks first."""
    return sorted(headlines(summary), key=lambda figure: figure.metric in CASES)


def _table(summaries: Sequence[Summary | ValueSummary]) -> str:
    """Return a row of headline numbers for each score, the interval below its number.

    What amounts add up to is the same for scores of the same rows, and said once below.
    """
    caption = f"The scores, with {stated_percent(summaries[0].level)} intervals"
    lines = [{figure.short: figure for figure in ordered(summary)} for summary in summaries]
    shared = _shared(lines) if summaries[0].kind == "amounts" else []
    told = {figure.short for figure in shared}
    labels = [label for label in dict.fromkeys(chain(*lines)) if label not in told]
    heads = "".join(f"<th scope=col>{_breakable(label)}</th>" for label in ("score", *labels))
    rows = "".join(
        f"<tr><th scope=row>{_breakable(shortened(summary.name))}</th>"
        + "".join(_cells(line.get(label) for label in labels))
        + "</tr>"
        for summary, line in zip(summaries, lines, strict=True)
    )
    said = " · ".join(f"{figure.short} {figure.text}" for figure in shared)
    return framed(
        caption,
        f"<table class=scores><caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table>",
    ) + (f"<p class='soft level'>{escape(said)}</p>" if said else "")


def _shared(lines: Sequence[Mapping[str, Figure]]) -> list[Figure]:
    """Return the sums that are the same for every score."""
    first, *others = lines
    return [
        figure
        for label, figure in first.items()
        if figure.metric in CASES
        and all(label in line and line[label].value == figure.value for line in others)
    ]


def _breakable(label: str) -> str:
    """Return a heading that may be broken where a reader would break it."""
    return escape(label).replace("concentration", "concen&shy;tration").replace("_", "_<wbr>")


def _cells(figures: Iterable[Figure | None]) -> Iterable[str]:
    for figure in figures:
        if figure is None:
            yield f"<td>{NOTHING}</td>"
        else:
            limits = f"<small>{escape(figure.limits)}</small>" if figure.limits else ""
            yield f"<td>{escape(figure.text)}{limits}</td>"


def _small_cells(content: Content) -> str:
    """Return how many distinct scores show single cases."""
    parts = ", ".join(
        f"{'all' if share == 1 else percent(share)} ({shortened(name)})"
        for name, share in ((n, s.small_cells) for n, s in content.summaries.items())
        if share
    )
    said = f"Distinct scores with under {SMALL_CELL} cases: {parts}"
    return f"<p class=soft>{escape(said)}.</p>" if parts else ""
