"""What the page of an evaluation shows, all of it found before any of it is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from capcurve.counts.digest import DIGITS_OF_DIGEST
from capcurve.inference.paired import ranks_as_read
from capcurve.numbers.threads import each_at_once
from capcurve.numbers.totals import SMALL_CELL
from capcurve.results import Calibration, Summary, ValueSummary
from capcurve.results.findings import SMALL_SEGMENT, row_count
from capcurve.results.summary import results_of, rows_by_segment
from capcurve.show.elements import today
from capcurve.show.format import capitalised, counted, percent, shortened
from capcurve.show.table import labelled
from capcurve.studies.evaluation.payload import (
    MOST_ROWS_OF_PAGE,
    MOST_WITH_BANDS,
    Bands,
    Detail,
    bands_of,
    detail_of,
    payload,
)
from capcurve.studies.evaluation.pictures import curve_charts, horizon_charts
from capcurve.studies.evaluation.shown import (
    differences_table,
    horizon_tables,
    presentation_of,
    tables_at_share,
)
from capcurve.studies.evaluation.stops import Stops, stops_of
from capcurve.studies.evaluation.trend import by_text, trend_chart

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.show.chart import Chart
    from capcurve.show.presentation import Presentation
    from capcurve.show.table import Table
    from capcurve.studies.evaluation.content import Content

DEFINITION = (
    "Ties are grouped: one point per distinct score, joined by straight segments, so AR = "
    "2·AUC − 1 and nothing depends on the order of the rows."
)
AR_OF_AMOUNTS = (
    "Tied scores are joined by one straight segment, so nothing depends on the order of the rows. "
    "AR is the area between curve and diagonal over that of the perfect curve, in the order of "
    "{rate}."
)
OF_MANY = "bands are for fewer scores at once, so none is drawn"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What is on the page of an evaluation."""

    shown: Presentation  # its head, its numbers, and what there is to know
    about: tuple[str, ...]  # what is said beside the source
    by: str  # what the segments are
    ranks: tuple[Chart, Table] | None  # of many scores that were compared
    about_ranks: tuple[str, ...]
    horizons: tuple[Chart, ...]
    of_horizons: tuple[Table, ...]
    at_share: tuple[Table, ...]  # what two scores would exchange at one share
    curves: tuple[Chart, ...]
    trend: Chart | None
    # Its control charts, its other results by score with their tests, and why others are not there.
    monitored: tuple[tuple[str, Presentation], ...]
    parts: tuple[tuple[str, Presentation, tuple[Table, ...]], ...]
    parts_left_out: str
    tables: tuple[Table, ...]
    tables_left_out: str
    foot: tuple[str, ...]
    data: Mapping[str, object]  # what the script draws


def page_of(evaluation: Content) -> Page:
    """Return all that the page shows."""
    # It holds exact counts at some cut-offs, never rows, and fewer of them for each of many scores.
    names = evaluation.ranked
    kind = next(iter(evaluation.summaries.values())).kind
    detail = detail_of(len(names), kind)
    stops = _stops(evaluation, names, detail)
    first = FIRST_SCORES if detail.sparse else None
    shown = presentation_of(evaluation)
    said = tuple(each for each in shown.sentences if each != f"{evaluation.clusters}.")
    parts, parts_left_out = _parts(evaluation)
    left_out = len(evaluation.summaries) - len([*evaluation.summaries][:first])
    tables = tuple(_tables(evaluation, first))
    counts = {name: found.counts for name, found in stops.items()}
    if detail.sparse and len(stops) > MOST_WITH_BANDS:
        bands = Bands({name: {"why": OF_MANY} for name in stops}, [])
    else:
        bands = bands_of(evaluation, stops)
    notes = (_directions(evaluation), *_small_cells(evaluation), _definition(evaluation))
    return Page(
        shown=replace(shown, sentences=said, notes=notes),
        about=tuple(_about(evaluation)),
        by=by_text(evaluation),
        ranks=_ranks(evaluation),
        about_ranks=shown.notes,
        horizons=tuple(horizon_charts(evaluation)) if evaluation.horizons else (),
        of_horizons=tuple(horizon_tables(evaluation)),
        # What each score selects follows the cut-off.
        at_share=tuple(tables_at_share(evaluation))[1:],
        curves=tuple(curve_charts(evaluation, counts, first)),
        trend=trend_chart(evaluation),
        monitored=tuple((n, c.presentation()) for n, c in evaluation.control_charts.items()),
        parts=parts,
        parts_left_out=parts_left_out,
        tables=tables,
        tables_left_out=LEFT_OUT.format(left_out) if tables and left_out else "",
        foot=tuple(_foot(evaluation, detail)),
        data=payload(evaluation, stops, detail, bands, today()),
    )


def _stops(evaluation: Content, names: Sequence[str], detail: Detail) -> dict[str, Stops]:
    tolerance, steps = detail.tolerance, detail.steps
    cells = max((len(evaluation.held(name)) for name in names), default=0)
    found = each_at_once(
        lambda name: stops_of(evaluation, name, tolerance, steps, sparse=detail.sparse),
        names,
        cells,
    )
    return dict(zip(names, found, strict=True))


def _about(evaluation: Content) -> Iterator[str]:
    """Yield which rows belong together, and the digest of the counts of one score."""
    if evaluation.clusters is not None:
        yield evaluation.clusters
    first, *others = evaluation.summaries.values()
    if first.digest and not others:
        yield f"digest {first.digest[:DIGITS_OF_DIGEST]}"


def _parts(
    evaluation: Content,
) -> tuple[tuple[tuple[str, Presentation, tuple[Table, ...]], ...], str]:
    """Return how right the PDs are, and how many errors are left among the surest cases."""
    held = {name: results_of(summary) for name, summary in evaluation.summaries.items()}
    names = [name for name, found in held.items() if found]
    parts = (
        (name, part.presentation(), part.of_tests if isinstance(part, Calibration) else ())
        for name in names[:MOST_PARTS]
        for part in held[name]
    )
    others = len(names[MOST_PARTS:])
    return tuple(parts), PARTS_LEFT_OUT.format(others) if others else ""


def _tables(evaluation: Content, scores: int | None) -> Iterator[Table]:
    """Yield the tables that are seen without the script, of all scores or of the first ones."""
    for name, summary in [*evaluation.summaries.items()][:scores]:
        if summary.gains is not None:
            called = f"Gains table of {name}, {ranked_first(summary)} first"
            yield replace(summary.gains, name=called)
    for name, segments in [*evaluation.segment_summaries.items()][:scores]:
        rows = dict([*segments.items()][:MOST_ROWS_OF_PAGE])
        yield labelled(f"{name} by {by_text(evaluation)}", rows_by_segment(rows))
    # The difference of two scores is a sentence, and those of many are folded.
    compared = evaluation.comparison
    if compared is not None and len(compared.pairs) > 1 and not compared.many:
        yield differences_table(compared)


def _ranks(evaluation: Content) -> tuple[Chart, Table] | None:
    """Return the ranks that many scores may have, as a picture and as a table."""
    compared = evaluation.comparison
    if compared is None or not compared.many:
        return None
    return compared.rank_chart(), ranks_as_read(compared)


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
