"""The page of an evaluation: one HTML file that asks nothing of the network."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from capcurve.curves.simplify import thinned
from capcurve.gate.given import is_amounts
from capcurve.inference.records import difference_columns
from capcurve.numbers.plain import plain
from capcurve.numbers.threads import each_at_once
from capcurve.numbers.totals import SMALL_CELL
from capcurve.plots import charts
from capcurve.plots.cap import Scale, cap
from capcurve.plots.horizons import horizon_chart
from capcurve.plots.models import SHORT_NAME, Model
from capcurve.results import Calibration, SelectivePrediction, Summary, ValueSummary
from capcurve.results.findings import SMALL_SEGMENT, row_count
from capcurve.results.horizon import CAPTION, horizon_columns
from capcurve.results.several import NEAREST, share_tables
from capcurve.results.summary import (
    headlines,
    more_sentences,
    results_of,
    rows_by_segment,
    verdict_sentence,
)
from capcurve.show.chart import Chart, model_style
from capcurve.show.elements import (
    LONGEST_NAME,
    NOTHING,
    as_slot,
    document,
    escape,
    file_names,
    found_list,
    framed,
    lead,
    table_html,
    tiles,
)
from capcurve.show.format import (
    capitalised,
    counted,
    percent,
    plain_names,
    shortened,
    stated_percent,
)
from capcurve.show.html import figure_html, main_figure, render_part
from capcurve.show.svg import draw
from capcurve.show.table import Table
from capcurve.studies.evaluation.payload import (
    DIGITS_OF_DIGEST,
    MOST_ROWS,
    MOST_WITH_BANDS,
    Bands,
    Detail,
    bands_of,
    of_score,
    payload,
)
from capcurve.studies.evaluation.stops import Stops, stops_of
from capcurve.studies.evaluation.trend import by_text, trend_chart
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from capcurve.counts import Amounts, Ranking, ScoreCounts, ValueSums
    from capcurve.show.presentation import Figure, Light
    from capcurve.studies.evaluation.content import Content

    CutOffs: TypeAlias = Callable[[tuple[float, int, bool]], dict[str, Stops]]

# A still picture may lie this far from the full curve before it is simplified.
PICTURED = 5e-4
FEW = 400
DEFINITION = (
    "Ties are grouped: one point per distinct score, joined by straight segments, so AR = "
    "2·AUC − 1 and nothing depends on the order of the rows."
)
OF_AMOUNTS = (
    "Tied scores are joined by one straight segment, so nothing depends on the order of the rows. "
    "AR is the area between curve and diagonal over that of the perfect curve, in the order of "
    "{rate}."
)
# Of a horizon what its pictures show, and what its table assumes.
OF_HORIZONS = ("horizon", "at_risk", "unknown", "incidence", "accuracy_ratio", "low", "high")
ASSUMED = (
    "AR: rows that were followed for longer stand for those censored before. Nothing assumed: each "
    "censored row may or may not have the event, chance apart. Left out, or counted as negatives: "
    "what is often done instead, and is biased."
)
# They come last: how well a score ranks is what a narrow screen shows.
OF_MANY = "bands are for fewer scores at once, so none is drawn"
CASES = ("n", "n1", "prevalence", "m", "exposure", "amount", "mean_amount")
# The script fills the live part and removes what stands still.
MAIN = """<div id="live" hidden></div>
{pictures}
{notes}
{tables}"""
# From the finest down: the first that keeps the page within its size is written.
DETAILS = (
    Detail(5e-4, 400, 2e-3, 200),
    Detail(5e-4, 400, 1e-2, 200),
    Detail(5e-4, 200, 1e-2, 100),
    Detail(1e-3, 200, 1e-2, 60),
    Detail(2e-3, 100, 1e-2, 60),
    Detail(2e-3, 100, 2e-2, 60),
    Detail(2e-3, 100, None, 60),
    Detail(5e-3, 50, None, 20),
)
# And where not even the last does, which is that of many scores.
SPARSE = (
    Detail(2e-3, 100, None, 60, sparse=True),
    Detail(2e-3, 60, None, 20, sparse=True),
    Detail(3e-3, 40, None, 20, sparse=True),
    Detail(4e-3, 30, None, 20, sparse=True),
    Detail(5e-3, 20, None, 20, sparse=True),
    Detail(1e-2, 10, None, 5, sparse=True),
)
# Of more scores than these some tell whether all have room. About so many bytes a score takes then,
# and each step of the share selected.
FEW_SCORES, SAMPLED, EACH_SCORE, EACH_STEP = 5, 3, 3500, 80
# Then so many scores, as there are colours, have pictures and tables that are seen without the
# script.
FIRST_SCORES = 6
LEFT_OUT = (
    "Pictures and tables of the other {:,} scores are shown where the page may run its script."
)
MOST_PARTS = 4
PARTS_LEFT_OUT = (
    "Those of the other {:,} scores are in its workbook and JSON, to keep this page small."
)
ONE_SCORE, SEVERAL = 250_000, 500_000
FINEST = DETAILS[0]


def render_page(evaluation: Content) -> str:
    """Return the whole report as one HTML document."""
    # Every name in it (scores, files, grades, segments) is escaped; nothing is loaded. It holds
    # exact counts at some cut-offs, never rows, and fewer of them rather than grow too large.
    several = len(evaluation.summaries) > 1 or evaluation.segment_summaries
    limit = SEVERAL if several else ONE_SCORE
    cutoffs = cache(partial(_stops, evaluation, _ranked(evaluation)))
    text = "" if _are_many(evaluation, limit) else _full(evaluation, cutoffs, limit)
    return text if text and _size(text) <= limit else _sparse(evaluation, cutoffs, limit)


def _are_many(evaluation: Content, limit: int) -> bool:
    """Tell whether the first scores show that all of them have no room, however coarse."""
    names, coarsest = _ranked(evaluation), DETAILS[-1]
    if len(names) <= FEW_SCORES:
        return False
    first = _stops(evaluation, names[:SAMPLED], coarsest.cutoffs)
    written = (of_score(evaluation, *each, coarsest.tolerance) for each in first.items())
    sizes = [_size(as_slot(plain(each))) for each in written]
    return _shell() + len(names) * min(sizes) > limit


def _full(evaluation: Content, cutoffs: CutOffs, limit: int) -> str:
    """Return the page with all tables, as fine as fits; nothing where it surely does not."""
    always = _Always.of(evaluation, bands_of(evaluation, cutoffs(FINEST.cutoffs)))
    if always.size() > limit:
        return ""

    @cache
    def written(place: int) -> str:
        detail = DETAILS[place]
        return _page(evaluation, cutoffs(detail.cutoffs), detail, always)

    last = len(DETAILS) - 1
    return written(_first_that_fits(lambda place: _size(written(place)) <= limit, last))


def _sparse(evaluation: Content, cutoffs: CutOffs, limit: int) -> str:
    """Return the page with little of each score, as fine as fits."""
    names = _ranked(evaluation)
    few = len(names) <= MOST_WITH_BANDS
    bands = (
        bands_of(evaluation, cutoffs(FINEST.cutoffs))
        if few
        else Bands({name: {"why": OF_MANY} for name in names}, [])
    )
    always = _Always.of(evaluation, bands, FIRST_SCORES)
    room = (limit - _shell() - always.size()) / max(len(names), 1) - EACH_SCORE
    # Those that surely do not fit are not written; the last is, whether it does or not.
    details = [each for each in SPARSE[:-1] if each.steps * EACH_STEP <= room]
    for detail in details:
        text = _page(evaluation, cutoffs(detail.cutoffs), detail, always)
        if _size(text) <= limit:
            return text
    return _page(evaluation, cutoffs(SPARSE[-1].cutoffs), SPARSE[-1], always)


def _shell() -> int:
    """Return how large a page of nothing is."""
    return _size(document(title="", head="", main="", foot="", data={}))


def _first_that_fits(fits: Callable[[int], bool], last: int) -> int:
    """Return the first number from 0 that fits, or the last; what follows one fits as well.

    >>> [_first_that_fits(lambda number: number >= least, 7) for least in (0, 3, 7, 9)]
    [0, 3, 7, 7]
    """
    if fits(0):
        return 0
    return bisect_left(range(last), x=True, lo=1, key=fits) if fits(last) else last


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _ranked(evaluation: Content) -> list[str]:
    """Return the scores that have curves."""
    return [n for n, found in evaluation.summaries.items() if found.accuracy_ratio is not None]


def _stops(
    evaluation: Content, names: Sequence[str], wanted: tuple[float, int, bool]
) -> dict[str, Stops]:
    tolerance, steps, sparse = wanted
    cells = max((len(evaluation.held(name)) for name in names), default=0)
    found = each_at_once(
        lambda name: stops_of(evaluation, name, tolerance, steps, sparse=sparse), names, cells
    )
    return dict(zip(names, found, strict=True))


@dataclass(frozen=True, slots=True)
class _Always:
    """What is on the page however few cut-offs are."""

    head: str
    trend: str
    monitored: str
    notes: str
    tables: str
    bands: Bands
    today: str
    scores: int | None  # of how many scores there are tables and still pictures; None for all

    @classmethod
    def of(cls, evaluation: Content, bands: Bands, scores: int | None = None) -> _Always:
        """Return these parts of the page."""
        today, chart = datetime.now(UTC).date().isoformat(), trend_chart(evaluation)
        trend = chart and f"<h2>By {escape(by_text(evaluation))}</h2>{figure_html(chart)}"
        return cls(
            head(evaluation, today),
            _until_live(trend or ""),
            _monitored(evaluation),
            _more_parts(evaluation) + notes(evaluation),
            _until_live(_page_tables(evaluation, scores)),
            bands,
            today,
            scores,
        )

    def size(self) -> int:
        """Return how large they are together, at least."""
        parts = (self.head, self.trend, self.monitored, self.notes, self.tables)
        return sum(map(_size, parts)) + _size(as_slot(plain(list(self.bands.of_scores.values()))))


def _page(evaluation: Content, stops: Mapping[str, Stops], detail: Detail, always: _Always) -> str:
    return document(
        title=escape(shortened(evaluation.title, LONGEST_NAME)),
        head=always.head,
        main=MAIN.format(
            pictures=_pictures(evaluation, stops, always), notes=always.notes, tables=always.tables
        ),
        foot=foot(evaluation, _coarsened(evaluation, detail)),
        data=payload(evaluation, stops, detail, always.bands, always.today),
    )


def _pictures(evaluation: Content, stops: Mapping[str, Stops], always: _Always) -> str:
    """Return the pictures in order: under a control chart the trend of periods comes first."""
    curves = _until_live(_still(evaluation, stops, always.scores))
    if always.monitored:
        return f"{always.trend}{always.monitored}{curves}"
    return f"{curves}{always.trend}"


def _until_live(part: str) -> str:
    """Return a part of the page that the script takes away; nothing where there is none."""
    return f'<div class="still">{part}</div>' if part else ""


def _coarsened(evaluation: Content, detail: Detail) -> Sequence[str]:
    """Return what was left out to keep the page small."""
    notes = []
    if detail.tolerance > FINEST.tolerance or detail.steps < FINEST.steps:
        notes.append(
            "To keep this page small, curves are drawn to within "
            f"{100 * detail.tolerance:g}% of the height, with fewer cut-offs to stop at"
        )
    most = max((len(parts) for parts in evaluation.segment_summaries.values()), default=0)
    if most > detail.segments:
        notes.append(f"of {most:,} segments the first {detail.segments} are shown")
    if detail.sparse and len(_ranked(evaluation)) > MOST_WITH_BANDS:
        notes.append("bands around the curves are left out")
    tests = 0 if evaluation.comparison is None else len(evaluation.comparison.pairs)
    if detail.sparse and tests > MOST_ROWS:
        notes.append(f"of {tests:,} differences between scores the first {MOST_ROWS} are shown")
    if detail.segment_tolerance is None and most:
        notes.append("the curves of segments are left out")
    return notes


def _still(evaluation: Content, stops: Mapping[str, Stops], scores: int | None) -> str:
    """Return the pictures that are seen where the script does not run."""
    figures = "".join(
        f"<figure class=card><figcaption>{escape(chart.title)}</figcaption>{draw(chart)}</figure>"
        for chart in _page_charts(evaluation, stops, scores)
    )
    return f"<h2>Curves</h2><div class=gallery>{figures}</div>" if figures else ""


def _page_charts(evaluation: Content, stops: Mapping[str, Stops], most: int | None) -> list[Chart]:
    """Return the charts of a page, of so many scores; none when no score has both classes."""
    scores = models(evaluation, {name: found.counts for name, found in stops.items()})[:most]
    if not scores:
        return []
    first, prevalence = scores[0], evaluation.prevalence
    if is_amounts(first.counts):
        return _of_amounts(evaluation, scores)
    of_first = charts.captured_by_class(first, prevalence=prevalence)
    if len(scores) > 1:
        of_first = replace(of_first, title=f"{of_first.title} of {first.label}")
    return [
        cap_chart(evaluation, scores),
        charts.roc(scores, interval=next(iter(evaluation.summaries.values())).level),
        of_first,
        charts.lift_curves(scores, prevalence=prevalence),
    ]


def _of_amounts(evaluation: Content, scores: Sequence[Model]) -> list[Chart]:
    """Return the charts of amounts: those in shares only where no amount is below zero."""
    first, money = scores[0], evaluation.money
    of_first = [charts.mean_amount_by_bin([first])]
    if money is not None:
        of_first.append(charts.profit([first], value=money.value, cost=money.cost))
    if len(scores) > 1:
        of_first = [replace(chart, title=f"{chart.title} of {first.label}") for chart in of_first]
    shares = [] if evaluation.signed else [charts.lift_curves(scores)]
    return [cap_chart(evaluation, scores), *shares, *of_first]


def _monitored(evaluation: Content) -> str:
    """Return the control charts of the periods, which the script puts below their trend."""
    several = len(evaluation.counts) > 1
    parts = [
        render_part(chart.presentation(), f"<h3>{escape(shortened(name))}</h3>" if several else "")
        for name, chart in evaluation.control_charts.items()
    ]
    heading = f"<h2>Control chart by {escape(by_text(evaluation))}</h2>"
    return f"<section id=monitoring>{heading}{''.join(parts)}</section>" if parts else ""


def _more_parts(evaluation: Content) -> str:
    """Return how right the PDs are, and how many errors are left among the surest cases."""
    held = {name: results_of(summary) for name, summary in evaluation.summaries.items()}
    names = [name for name, found in held.items() if found]
    parts = [
        _part(name, found, first=name == names[0], top=not place)
        for name in names[:MOST_PARTS]
        for place, found in enumerate(held[name])
    ]
    if others := names[MOST_PARTS:]:
        parts.append(f"<p class=soft>{escape(PARTS_LEFT_OUT.format(len(others)))}</p>")
    return f"<section id=parts class=tables>{''.join(parts)}</section>" if parts else ""


def _part(name: str, found: Calibration | SelectivePrediction, *, first: bool, top: bool) -> str:
    """Return one of these, with small pictures but of the first score."""
    shown = found.presentation()
    heading = f"<h2>{escape(shown.title)} of {escape(shortened(name))}</h2>"
    large, small = (shown.charts, ()) if first else ((), shown.charts)
    if large and top:  # the script puts it, reliability or risk, beside the CAP
        heading, large = f"{heading}{main_figure(large[0])}", large[1:]
    tables = found.of_tests if isinstance(found, Calibration) else ()
    said = f"{heading}<p>{escape(shown.sentences[0])}</p>"
    part = render_part(replace(shown, findings=(), charts=large), said)
    more = "".join(map(figure_html, (*large[1:], *small)))
    listed = "".join(table_html(each.values(), each.name, each.note) for each in tables)
    return f"{part}<div class=gallery>{more}</div>{listed}" if more else f"{part}{listed}"


def _page_tables(evaluation: Content, scores: int | None) -> str:
    """Return the tables that are seen without the script, of all scores or of the first ones."""
    first = list(evaluation.summaries.items())[:scores]
    parts = [
        table_html(
            summary.gains.values(),
            f"Gains table of {name}, {first_of(summary)} first",
            summary.gains.note,
        )
        for name, summary in first
        if summary.gains is not None
    ]
    for name, segments in list(evaluation.segment_summaries.items())[:scores]:
        rows = dict(list(segments.items())[:MOST_ROWS])
        parts.append(table_html(rows_by_segment(rows), f"{name} by {by_text(evaluation)}"))
    left_out = len(evaluation.summaries) - len(first)
    if parts and left_out:
        parts.append(f"<p class=soft>{escape(LEFT_OUT.format(left_out))}</p>")
    parts.append(differences(evaluation, None if scores is None else MOST_ROWS))
    return f"<h2>Tables</h2>{''.join(parts)}" if parts else ""


def head(evaluation: Content, today: str) -> str:
    """Return heading, origin, numbers and what must be known before they are read."""
    only = next(iter(evaluation.summaries.values())) if len(evaluation.summaries) == 1 else None
    source = (
        "" if evaluation.source is None else shortened(file_names(evaluation.source), LONGEST_NAME)
    )
    digest = f"digest {only.digest[:DIGITS_OF_DIGEST]}" if only and only.digest else ""
    origin = " · ".join(
        filter(None, (shortened(source, LONGEST_NAME), digest, today, f"capcurve {__version__}"))
    )
    leads = sentences(evaluation, "<p class=lead><b>{}:</b> ") if only else ""
    grouped = "" if evaluation.clusters is None else f"{escape(evaluation.clusters)}."
    return (
        f"<h1>{escape(shortened(evaluation.title, LONGEST_NAME))}</h1>"
        f"<p class='soft source'>{escape(origin)}{grouped and '<br>'}{grouped}</p>"
        f"{first_sentences(evaluation, lead)}{leads}"
        f"{''.join(map(lead, evaluation.about_alike))}{_numbers(evaluation)}"
        f"{findings_list(evaluation, grave=True)}{_horizons_html(evaluation)}"
        f"{at_share_html(evaluation)}"
    )


def _horizons_html(evaluation: Content) -> str:
    """Return the accuracy ratio against the horizon as pictures, and the table of all of them."""
    if not evaluation.horizons:
        return ""
    pictures = "".join(map(figure_html, _of_horizons(evaluation)))
    table = table_html(horizon_columns(evaluation.horizons, evaluation.level), CAPTION)
    said = f"<p class=soft>{escape(ASSUMED)}</p>"
    return f"<section id=horizons>{pictures}<div>{table}{said}</div></section>"


def _of_horizons(evaluation: Content) -> Iterator[Chart]:
    """Yield the accuracy ratio and the incidence of each score by its horizons, if several."""
    names = list(dict.fromkeys(row["score"] for row in evaluation.horizons))
    for name in names:
        own = [row for row in evaluation.horizons if row["score"] == name]
        if len(own) > 1:
            columns = {column: [row[column] for row in own] for column in OF_HORIZONS}
            arrays = {column: np.array(each, dtype=float) for column, each in columns.items()}
            chart = horizon_chart(Table("Horizons", arrays), own[0]["rows"], evaluation.level)
            of = f" of {shortened(name)}" if len(names) > 1 else ""
            yield replace(chart, title=f"{chart.title}{of}")


def first_sentences(evaluation: Content, write: Callable[[str, Light | None], str]) -> str:
    """Return what is said before all else, with long names cut."""
    parts = []
    for told, light in evaluation.first_sentences:
        said = told
        for name in evaluation.summaries:
            said = said.replace(name, shortened(name))
        parts.append(write(said, light))
    return "".join(parts)


def at_share_html(evaluation: Content) -> str:
    """Return what several scores select at one share, and what two of them would exchange."""
    found = evaluation.at_share
    if found is None:
        return ""
    level = next(iter(evaluation.summaries.values())).level
    tables = [table_html(rows, caption) for caption, rows in share_tables(found, level).items()]
    return f"<section id=at-share>{''.join(tables)}<p class=soft>{escape(NEAREST)}</p></section>"


def notes(evaluation: Content) -> str:
    """Return what may be read after the pictures: sentences of several scores, notes, terms."""
    several = len(evaluation.summaries) > 1
    leads = sentences(evaluation, "<p class=one-of><b>{}:</b> ") if several else ""
    return (
        f"<section id=notes class=notes><h2>Notes</h2>{leads}"
        f"{findings_list(evaluation, grave=False)}"
        f"{_directions(evaluation)}{_small_cells(evaluation)}"
        f"<p class=soft>{escape(_definition(evaluation))}</p></section>"
    )


def _definition(evaluation: Content) -> str:
    """Return how ties are treated and what the accuracy ratio is."""
    first = next(iter(evaluation.summaries.values()))
    if first.kind == "classes":
        return DEFINITION
    captured, selected = first.words.captured, first.words.selected
    per = f"{captured} per unit of {selected}" if first.has_exposure else captured
    return OF_AMOUNTS.format(rate=per)


def foot(evaluation: Content, left_out: Sequence[str]) -> str:
    """Return where the numbers come from, and what was left out."""
    digests = "; ".join(
        f"{escape(shortened(name))} {(summary.digest or 'not known')[:DIGITS_OF_DIGEST]}"
        for name, summary in evaluation.summaries.items()
    )
    said = f"<p>{escape('; '.join(left_out))}.</p>" if left_out else ""
    return (
        f"{said}<p>Digest of the counts: {digests}. {_contents(evaluation)} "
        f"Written by capcurve {__version__}.</p>"
    )


def _contents(evaluation: Content) -> str:
    """Return what the page lets be known of single rows."""
    sizes = [row_count(part) for parts in evaluation.segments.values() for part in parts.values()]
    few = [size for size in sizes if size < SMALL_SEGMENT]
    small = f"; segments with {counted(min(few), 'case')} are shown" if few else ""
    held, besides = f"sums only{small}", ""
    if all(summary.kind == "classes" for summary in evaluation.summaries.values()):
        held = f"counts only{small or ', no individual rows'}"
    elif evaluation.min_cell is None:
        held = f"totals, not rows{small}"
        besides = " The largest single amounts can be read off the perfect curve."
    return f"This page contains {held}, and it makes no network requests.{besides}"


def _directions(evaluation: Content) -> str:
    """Return what a high score means: once, or for each score where they differ."""
    found = {name: _direction(summary) for name, summary in evaluation.summaries.items()}
    said = capitalised(next(iter(found.values())))
    if len(set(found.values())) > 1:
        said = "; ".join(f"{shortened(name)}: {words}" for name, words in found.items())
    return f"<p class=soft>{escape(said)}.</p>"


def _direction(summary: Summary | ValueSummary) -> str:
    if summary.levels is not None:
        names = ", ".join(shortened(str(level)) for level in summary.levels)
        return f"grades, {first_of(summary)} first: {names}"
    if summary.kind == "classes":
        return f"higher score = more likely {summary.higher_is}"
    more = "more" if summary.higher_is == "positive" else "less"
    captured = summary.words.captured
    if captured == "amount":
        more = "larger" if more == "more" else "smaller"
    return f"higher score = {more} {captured}"


def first_of(summary: Summary | ValueSummary) -> str:
    """Return what stands first in the order of a score."""
    if summary.kind == "classes":
        return "most likely positive"
    return f"highest expected {summary.words.captured}"


def _numbers(evaluation: Content) -> str:
    """Return tiles for one score, a line for each of several."""
    first, *others = evaluation.summaries.values()
    if others:
        return _scores_table([first, *others])
    return tiles(_on_tiles(first), first.level if first.intervals else None)


def _on_tiles(summary: Summary | ValueSummary) -> list[Figure]:
    """Return the headline numbers, positives and prevalence as the note of the cases."""
    found = {figure.metric: figure for figure in ordered(summary)}
    if "prevalence" in found:
        positives, rate = found.pop("n1"), found.pop("prevalence")
        stated = rate.label.removeprefix("prevalence, ")
        share = rate.text if stated == rate.label else f"prevalence {rate.text} {stated}"
        note = f"{positives.text} {positives.short} ({share}), {found['n'].note}"
        found["n"] = replace(found["n"], note=note)
    return [*found.values()]


def ordered(summary: Summary | ValueSummary) -> list[Figure]:
    """Return the headline numbers, how well the score ranks first."""
    return sorted(headlines(summary), key=lambda figure: figure.metric in CASES)


def _scores_table(summaries: Sequence[Summary | ValueSummary]) -> str:
    """Return a row of headline numbers for each score, the interval below its number."""
    # What amounts add up to is the same for scores of the same rows, and said once below.
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
        f'<table class="scores"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead>"
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


def _small_cells(evaluation: Content) -> str:
    """Return how many distinct scores show single cases."""
    several = len(evaluation.summaries) > 1
    parts = ", ".join(
        f"{'all' if share == 1 else percent(share)}{f' ({shortened(name)})' if several else ''}"
        for name, share in ((n, s.small_cells) for n, s in evaluation.summaries.items())
        if share
    )
    said = f"Distinct scores with fewer than {SMALL_CELL} cases (disclosure risk): {parts}"
    return f"<p class=soft>{escape(said)}.</p>" if parts else ""


def sentences(evaluation: Content, begin: str, longest: int = LONGEST_NAME) -> str:
    """Return the sentence and the verdict on each score; in `begin` the name replaces {}."""
    parts = []
    for name, each in evaluation.summaries.items():
        said = filter(None, (each.sentence, verdict_sentence(each), more_sentences(each)))
        parts.append(
            f"{begin.format(escape(shortened(name, longest)))}{escape(' '.join(said))}</p>"
        )
    return "".join(parts)


def differences(evaluation: Content, most: int | None = None) -> str:
    """Return paired tests of more than two scores, the first so many; that of two is a sentence."""
    if evaluation.comparison is None or len(evaluation.comparison.pairs) == 1:
        return ""
    caption = "Differences between the scores, on the same rows"
    columns = difference_columns(evaluation.comparison).items()
    return table_html({name: column[:most] for name, column in columns}, caption)


def findings_list(evaluation: Content, *, grave: bool | None = None, style: str = "") -> str:
    """Return findings: all, the grave ones only, or the notes only."""
    # Whether segments differ is said before all else, and what is true of all scores once.
    first, *others = evaluation.summaries.values()
    shared = [each for each in first.findings if all(each in other.findings for other in others)]
    about = (finding for finding in evaluation.about_all() if finding.code != "unlike_segments")
    found = [("", finding) for finding in (*about, *shared)]
    found += [
        (f"{name}: ", finding)
        for name, summary in evaluation.summaries.items()
        for finding in summary.findings
        if finding not in shared
    ]
    repeated = evaluation.repeated
    wanted = (
        (name, finding)
        for name, finding in found
        if (grave is None or (finding.severity != "info") == grave) and finding not in repeated
    )
    return found_list(wanted, style)


def models(
    evaluation: Content, counts: Mapping[str, ScoreCounts | ValueSums] | None = None
) -> list[Model]:
    """Return the scores that have curves, drawn through `counts` in fewer cells."""
    # Those of amounts are drawn through all: the perfect curve needs every row.
    names = _ranked(evaluation)
    shown = plain_names(names, SHORT_NAME)
    return [
        Model(
            _drawn(evaluation, name, counts),
            label,
            model_style(place),
            summary=evaluation.summaries[name],
        )
        for place, (name, label) in enumerate(zip(names, shown, strict=True))
    ]


def _drawn(
    evaluation: Content, name: str, counts: Mapping[str, ScoreCounts | ValueSums] | None
) -> Ranking | Amounts:
    held = evaluation.held(name)
    if is_amounts(held):
        return evaluation.counts[name]
    return thinned(held, PICTURED, FEW) if counts is None else counts[name]


def cap_chart(evaluation: Content, scores: Sequence[Model]) -> Chart:
    """Return the CAP of all scores."""
    level = next(iter(evaluation.summaries.values())).level
    scale = Scale(absolute=evaluation.signed, prevalence=evaluation.prevalence)
    return cap(scores, scale, interval=level)
