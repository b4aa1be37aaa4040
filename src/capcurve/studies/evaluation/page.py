"""The page of an evaluation: one HTML file that asks nothing of the network."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from capcurve.counts.digest import DIGITS_OF_DIGEST
from capcurve.inference.paired import ranks_as_read
from capcurve.numbers.threads import each_at_once
from capcurve.numbers.totals import SMALL_CELL
from capcurve.results import Calibration
from capcurve.results.findings import SMALL_SEGMENT, row_count
from capcurve.results.segments import glances
from capcurve.results.summary import results_of, rows_by_segment
from capcurve.show.elements import LONGEST_IN_PAGE, document, escape, tiles, today
from capcurve.show.format import capitalised, counted, percent, shortened
from capcurve.show.html import (
    MOST_TILES,
    figure_html,
    folded_html,
    further,
    grave_list,
    head,
    in_section,
    listed_table,
    main_figure,
    more_numbers,
    notes_html,
    remark_list,
    render_part,
    scores_table,
    tile_figures,
)
from capcurve.show.svg import draw
from capcurve.show.table import labelled
from capcurve.show.wording import in_words
from capcurve.studies.evaluation.payload import (
    MOST_ROWS_OF_PAGE,
    MOST_WITH_BANDS,
    Detail,
    detail_of,
    payload,
)
from capcurve.studies.evaluation.pictures import (
    by_text,
    curve_charts,
    horizon_charts,
    trend_chart,
)
from capcurve.studies.evaluation.shown import (
    differences_table,
    horizon_tables,
    presentation_of,
    tables_at_share,
)
from capcurve.studies.evaluation.stops import Stops, stops_of
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from capcurve.results import SelectivePrediction, Summary, ValueSummary
    from capcurve.show.presentation import Presentation
    from capcurve.show.table import Speaks, Table
    from capcurve.studies.evaluation.content import Content

    # Puts what is shown in the words of the page, before any of it is HTML.
    Say: TypeAlias = Callable[[Any], Any]

DEFINITION = (
    "Ties are grouped: one point per distinct score, joined by straight segments, so AR = "
    "2·AUC − 1 and nothing depends on the order of the rows."
)
AR_OF_AMOUNTS = (
    "Tied scores are joined by one straight segment, so nothing depends on the order of the rows. "
    "AR is the area between curve and diagonal over that of the perfect curve, in the order of "
    "{rate}."
)
# Of many scores so many, as there are colours, have pictures and tables that are seen without the
# script.
FIRST_SCORES = 6
LEFT_OUT = (
    "Pictures and tables of the other {:,} scores are shown where the page may run its script."
)
MOST_PARTS = 4
PARTS_LEFT_OUT = (
    "Those of the other {:,} scores are in its workbook and JSON, to keep this page small."
)
# More ranks than these are folded, for the curves come below them.
MOST_RANKS_SEEN = 25


def render_page(evaluation: Content, speaks: Speaks | None = None) -> str:
    """Return the whole report as one HTML document, in some words."""
    # It holds exact counts at some cut-offs, never rows, and fewer of them for each of many scores.
    # Every name in it (scores, files, grades, segments) is escaped; nothing is loaded. The script
    # fills the live part and removes what stands still.
    say = partial(in_words, speaks=speaks)
    kind = next(iter(evaluation.summaries.values())).kind
    detail = detail_of(len(evaluation.ranked), kind)
    stops = _stops(evaluation, detail)
    data = payload(evaluation, stops, detail, today())
    shown, most = say(_presented(evaluation)), FIRST_SCORES if detail.sparse else None
    *left_out, origin = map(escape, say([*_foot(evaluation, detail)]))
    return document(
        title=escape(shortened(shown.title, LONGEST_IN_PAGE)),
        head=f"{head(shown, *say(_about(evaluation)))}{grave_list(shown)}",
        main="\n".join(_main(evaluation, say, shown, stops, most)),
        foot=f"{''.join(f'<p>{each}</p>' for each in left_out)}<p>{origin} "
        f"Written by capcurve {__version__}.</p>",
        data=data if speaks is None else _data_in_words(data, speaks),
    )


def _main(
    evaluation: Content, say: Say, shown: Presentation, stops: Mapping[str, Stops], most: int | None
) -> Sequence[str]:
    """Return the parts of the page in their order, of so many scores where no script runs."""
    trend = _until_live(_trend(evaluation, say))
    curves = _until_live(_curves(evaluation, say, shown, stops, most))
    # Under a control chart the trend of periods comes first.
    monitored = _monitored(evaluation, say)
    charts = (trend, monitored, curves) if monitored else (curves, trend)
    at_share = say([*tables_at_share(evaluation)][1:])  # what each selects follows the cut-off
    return (
        tiles(tile_figures(shown)[:MOST_TILES]) if shown.brief is None else "",
        _ranks(evaluation, say),
        '<div id="live" hidden></div>',
        *charts,
        further(shown),
        _horizons(evaluation, say),
        _section("at-share", "".join(map(listed_table, at_share))),
        _parts(evaluation, say),
        _section("more-numbers", more_numbers(shown)),
        notes_html(shown, "id=notes class=notes", remark_list(shown)),
        _until_live(_tables(evaluation, say, most)),
        _until_live("".join(map(folded_html, shown.folded))),
    )


def _presented(evaluation: Content) -> Presentation:
    """Return what the page shows as any result does; which rows belong together stands above."""
    shown = presentation_of(evaluation)
    said = tuple(each for each in shown.sentences if each != f"{evaluation.clusters}.")
    notes = (_directions(evaluation), *_small_cells(evaluation), _definition(evaluation))
    return replace(shown, sentences=said, notes=notes)


def _stops(evaluation: Content, detail: Detail) -> dict[str, Stops]:
    def found(name: str) -> Stops:
        tolerance, steps = detail.tolerance, detail.steps
        return stops_of(evaluation, name, tolerance, steps, sparse=detail.sparse)

    names = evaluation.ranked
    cells = max((len(evaluation.held(name)) for name in names), default=0)
    return dict(zip(names, each_at_once(found, names, cells), strict=True))


def _data_in_words(data: Mapping[str, Any], speaks: Speaks) -> Mapping[str, Any]:
    """Return what the script draws, with the noun that it says in place of positives."""
    noun = [speaks.said("positive"), speaks.said("positives")]
    if noun[1] == "positives":
        return data
    return {**data, "words": {n: speaks.said(t) for n, t in data["words"].items()}, "noun": noun}


def _until_live(part: str) -> str:
    """Return a part of the page that the script takes away; nothing where there is none."""
    return f'<div class="still">{part}</div>' if part else ""


def _section(name: str, tables: str) -> str:
    """Return tables in a section of the page; nothing where there are none."""
    return f"<section id={name} class=tables>{tables}</section>" if tables else ""


def _horizons(evaluation: Content, say: Say) -> str:
    """Return the accuracy ratio against the horizon as pictures, and the table of all of them."""
    pictures = "".join(map(figure_html, say([*horizon_charts(evaluation)])))
    tables = "".join(map(listed_table, say([*horizon_tables(evaluation)])))
    return f"<section id=horizons>{pictures}<div>{tables}</div></section>" if tables else ""


def _ranks(evaluation: Content, say: Say) -> str:
    """Return the ranks that many scores may have, as a picture with its numbers beside it."""
    compared = evaluation.comparison
    if compared is None or not compared.many:
        return ""
    chart, table = say((compared.rank_chart(), ranks_as_read(compared)))
    said = "".join(f"<p class=soft>{escape(say(note))}</p>" for note in compared.about_family())
    shown = listed_table(table) if len(table) <= MOST_RANKS_SEEN else folded_html(table)
    beside = f"<div>{shown}{said}</div>"
    return _section("ranks", f"<div class=pair>{figure_html(chart)}{beside}</div>")


def _curves(
    evaluation: Content, say: Say, shown: Presentation, stops: Mapping[str, Stops], most: int | None
) -> str:
    """Return the pictures that are seen where the script does not run."""
    counts = {name: found.counts for name, found in stops.items()}
    cards = [
        f"<figure class=card><figcaption>{escape(chart.title)}</figcaption>{draw(chart)}</figure>"
        for chart in say(curve_charts(evaluation, counts, most))
    ]
    if shown.brief is not None:
        cards.insert(1, f"<div>{scores_table(shown)}</div>")
    look = "grid" if len(cards) % 2 else "gallery"
    return f"<h2 class=unseen>Curves</h2><div class={look}>{''.join(cards)}</div>" if cards else ""


def _trend(evaluation: Content, say: Say) -> str:
    trend, by = trend_chart(evaluation), say(by_text(evaluation))
    return "" if trend is None else f"<h2>By {escape(by)}</h2>{figure_html(say(trend))}"


def _monitored(evaluation: Content, say: Say) -> str:
    """Return the control charts of the periods, which the script puts below their trend."""
    several = len(evaluation.summaries) > 1
    parts = "".join(
        render_part(
            say(chart.presentation()),
            f"<h3>{escape(shortened(say(name)))}</h3>" if several else "",
        )
        for name, chart in evaluation.control_charts.items()
    )
    heading = f"<h2>Control chart by {escape(say(by_text(evaluation)))}</h2>"
    return f"<section id=monitoring>{heading}{parts}</section>" if parts else ""


def _parts(evaluation: Content, say: Say) -> str:
    """Return how right the PDs are, and how many errors are left among the surest cases."""
    held = {name: results_of(summary) for name, summary in evaluation.summaries.items()}
    names = [name for name, found in held.items() if found]
    parts = ""
    for name in names[:MOST_PARTS]:
        for part in held[name]:
            first = name == names[0]
            parts += _part(say(name), part, say, first=first, top=not parts)
    left = PARTS_LEFT_OUT.format(len(names) - MOST_PARTS) if len(names) > MOST_PARTS else ""
    return _section("parts", f"{parts}{_soft(left)}")


def _part(
    name: str, found: Calibration | SelectivePrediction, say: Say, *, first: bool, top: bool
) -> str:
    """Return one of these, with small pictures but of the first score."""
    shown = say(found.presentation())
    tests = say(found.of_tests) if isinstance(found, Calibration) else ()
    heading = f"<h2>{escape(shown.title)} of {escape(shortened(name))}</h2>"
    large, small = (shown.charts, ()) if first else ((), shown.charts)
    if large and top:  # the script puts it, reliability or risk, beside the CAP
        heading, large = f"{heading}{main_figure(large[0])}", large[1:]
    said = f"{heading}<p>{escape(shown.sentences[0])}</p>"
    part = render_part(replace(shown, findings=(), charts=large), said)
    more = "".join(map(figure_html, (*large[1:], *small)))
    gallery = f"<div class=gallery>{more}</div>" if more else ""
    return f"{part}{gallery}{''.join(map(listed_table, tests))}"


def _soft(said: str) -> str:
    """Return what was left out, in a paragraph of its own; nothing where nothing was."""
    return said and f"<p class=soft>{escape(said)}</p>"


def _tables(evaluation: Content, say: Say, most: int | None) -> str:
    """Return the tables that are seen without the script."""
    tables = "".join(map(listed_table, say([*_tables_of(evaluation, most)])))
    left = len(evaluation.summaries) - len([*evaluation.summaries][:most])
    said = LEFT_OUT.format(left) if tables and left else ""
    return f"{in_section(tables)}{_soft(said)}"


def _about(evaluation: Content) -> list[str]:
    """Return which rows belong together, and the digest of the counts of one score."""
    first, *others = evaluation.summaries.values()
    digest = f"digest {first.digest[:DIGITS_OF_DIGEST]}" if first.digest and not others else ""
    return [evaluation.clusters or "", digest]


def _tables_of(evaluation: Content, scores: int | None) -> Iterator[Table]:
    """Yield the tables that are seen without the script, of all scores or of the first ones."""
    for name, summary in [*evaluation.summaries.items()][:scores]:
        if summary.gains is not None:
            called = f"Gains table of {name}, {ranked_first(summary)} first"
            yield replace(summary.gains, name=called)
    for name, segments in [*evaluation.segment_summaries.items()][:scores]:
        rows = dict([*glances(segments).items()][:MOST_ROWS_OF_PAGE])
        yield labelled(f"{name} by {by_text(evaluation)}", rows_by_segment(rows))
    # The difference of two scores is a sentence, and those of many are folded.
    compared = evaluation.comparison
    if compared is not None and len(compared.pairs) > 1 and not compared.many:
        yield differences_table(compared)


def _definition(evaluation: Content) -> str:
    """Return how ties are treated and what the accuracy ratio is."""
    first = next(iter(evaluation.summaries.values()))
    if first.kind == "classes":
        return DEFINITION
    captured, selected = first.words.captured, first.words.selected
    per = f"{captured} per unit of {selected}" if first.has_exposure else captured
    return AR_OF_AMOUNTS.format(rate=per)


def _foot(evaluation: Content, detail: Detail) -> Iterator[str]:
    """Yield what was left out, and where the numbers come from."""
    if left_out := _coarsened(evaluation, detail):
        yield f"{'; '.join(left_out)}."
    digests = "; ".join(
        f"{shortened(name)} {(summary.digest or 'not known')[:DIGITS_OF_DIGEST]}"
        for name, summary in evaluation.summaries.items()
    )
    yield f"Digest of the counts: {digests}. {_contents(evaluation)}"


def _coarsened(evaluation: Content, detail: Detail) -> Sequence[str]:
    """Return what was left out to keep the page small."""
    notes = []
    if detail.sparse:
        notes.append(
            "To keep this page small, curves are drawn to within "
            f"{100 * detail.tolerance:g}% of the height, with fewer cut-offs to stop at"
        )
    most = max((len(parts) for parts in evaluation.segment_summaries.values()), default=0)
    if most > detail.segments:
        notes.append(f"of {most:,} segments the first {detail.segments} are shown")
    if detail.sparse and len(evaluation.ranked) > MOST_WITH_BANDS:
        notes.append("bands around the curves are left out")
    tests = 0 if evaluation.comparison is None else len(evaluation.comparison.pairs)
    if detail.sparse and tests > MOST_ROWS_OF_PAGE:
        notes.append(
            f"of {tests:,} differences between scores the first {MOST_ROWS_OF_PAGE} are shown"
        )
    if detail.segment_tolerance is None and most:
        notes.append("the curves of segments are left out")
    return notes


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
    return f"{said}."


def _direction(summary: Summary | ValueSummary) -> str:
    if summary.levels is not None:
        names = ", ".join(shortened(str(level)) for level in summary.levels)
        return f"grades, {ranked_first(summary)} first: {names}"
    if summary.kind == "classes":
        return f"higher score = more likely {summary.higher_is}"
    more = "more" if summary.higher_is == "positive" else "less"
    captured = summary.words.captured
    if captured == "amount":
        more = "larger" if more == "more" else "smaller"
    return f"higher score = {more} {captured}"


def ranked_first(summary: Summary | ValueSummary) -> str:
    """Return what stands first in the order of a score."""
    if summary.kind == "classes":
        return "most likely positive"
    return f"highest expected {summary.words.captured}"


def _small_cells(evaluation: Content) -> Iterator[str]:
    """Yield how many distinct scores show single cases."""
    several = len(evaluation.summaries) > 1
    parts = ", ".join(
        f"{'all' if share == 1 else percent(share)}{f' ({shortened(name)})' if several else ''}"
        for name, share in ((n, s.small_cells) for n, s in evaluation.summaries.items())
        if share
    )
    if parts:
        yield f"Distinct scores with fewer than {SMALL_CELL} cases (disclosure risk): {parts}."
