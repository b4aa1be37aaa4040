"""The workbook and its sheets beside those of cut-offs: headlines, gains, tests, definitions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from capcurve.inference.independent import spread_of_one
from capcurve.inference.paired import ranking_sentences
from capcurve.results.segments import glances
from capcurve.results.summary import figures, segment_name, sentences
from capcurve.show.chart import COLOURS, GREY
from capcurve.show.columns import form_of, heading
from capcurve.show.format import capitalised, stated_percent
from capcurve.show.workbook import (
    Book,
    Worksheet,
    letters,
    lines_of,
    place_chart,
    series,
    style_of,
    write_total,
    written_scores,
)
from capcurve.studies.evaluation.shown import rows_of_scores
from capcurve.studies.evaluation.workbook.cutoff_sheet import (
    CAPTURED,
    LABEL,
    NAME_CELL,
    NOBODY,
    REFERENCE,
    SHARE_OF_CASES,
    LiveScore,
    write_cutoffs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.inference import Comparison
    from capcurve.inference.differences import Spread
    from capcurve.numbers.types import Array
    from capcurve.results import Summary
    from capcurve.show.presentation import Figure, Finding, Presentation
    from capcurve.show.table import Speaks, Table
    from capcurve.studies.evaluation.content import Content

    class ClassEvaluation(Content):
        """An evaluation of positives and negatives."""

        counts: Mapping[str, Ranking]
        segments: Mapping[str, Mapping[Any, ScoreCounts]]
        summaries: Mapping[str, Summary]
        segment_summaries: Mapping[str, Mapping[Any, Summary]]


def write_workbook(
    content: Content,
    path: Path,
    *,
    cached: Callable[[float], float] = float,
    speaks: Speaks | None = None,
) -> None:
    """Write an evaluation of positives and negatives; ValueError for amounts."""
    if any(summary.kind == "amounts" for summary in content.summaries.values()):
        raise ValueError(
            "the formulas of a workbook are of positives and negatives; of amounts save .html, "
            ".json or a picture, or a table such as the gains"
        )
    shown = cast("ClassEvaluation", content)
    book = Book.begun(shown.title, cached, speaks)
    first = book.sheet("Summary")
    write_gains(book, shown.summaries)
    defined = [name for name, s in shown.summaries.items() if s.accuracy_ratio is not None]
    live = {
        name: write_cutoffs(book, name, shown.counts[name], shown.summaries[name], place)
        for place, name in enumerate(defined)
    }
    write_summary(book, first, shown, live)
    if any(summary.calibration for summary in shown.summaries.values()):
        write_calibration(book, shown.summaries.values())
    if any(each.summary.selective for each in live.values()):
        write_risks(book, list(live.values()))
    if len(shown.summaries) > 1:
        write_comparison(book, shown)
    if any(shown.segment_summaries.values()):
        write_segments(book, shown)
    if live:
        write_validation(book, list(live.values()))
    write_definitions(book, shown)
    path.write_bytes(book.finished())


# The summary

# Columns besides the first, and the letters that they hold.
SUMMARY_COLUMNS, SUMMARY_LETTERS = 5, 116
SCORES_ON_A_PAGE = 2
SHEET_DASHES = ("solid", "long_dash", "dash_dot", "square_dot", "long_dash_dot", "dash")


def write_summary(
    book: Book, sheet: Worksheet, content: ClassEvaluation, several: Mapping[str, LiveScore]
) -> None:
    """Write every headline number as a formula, with the library's value and interval beside."""
    sheet.text(0, 0, content.title, "title")
    first = next(iter(content.summaries.values()))
    made = f"{first.version} computed the values beside them."
    live = f"Formulas follow from the counts on the sheets of cut-offs; capcurve {made}"
    row = 1
    for words in (*([f"Source: {content.source}"] if content.source else []), live):
        row = sheet.paragraph(row, words, SUMMARY_COLUMNS, SUMMARY_LETTERS, "note")
    tops = []
    for name, summary in content.summaries.items():
        tops.append(row)
        row = _score(sheet, summary, several.get(name), row + 1)
    row = _findings(sheet, content.about_all(), "All scores", row)
    last = [row] if len(tops) > 1 else []
    sheet.raw.set_h_pagebreaks([*tops[SCORES_ON_A_PAGE::SCORES_ON_A_PAGE], *last])
    if several:
        name, lines = "Cumulative accuracy profile (CAP)", _cap_lines(list(several.values()))
        chart = book.chart_of_shares(name, lines, "share of positives captured")
        said = "The CAP of each score against the share of cases."
        place_chart(sheet, chart, (row, 0), (620, 470), said, x_offset=0)
    sheet.widths(30, 13, 13, 11, 11, 34)
    sheet.printed(upright=True)


def _score(sheet: Worksheet, summary: Summary, live: LiveScore | None, row: int) -> int:
    """Write the numbers of a score; return the next free row."""
    sheet.text(row, 0, summary.name, "subtitle")
    row += 1
    for said in sentences(summary):
        row = sheet.paragraph(row, said, SUMMARY_COLUMNS, SUMMARY_LETTERS)
    if live is not None:
        level = stated_percent(summary.level)
        sheet.heads(row, ["number", "formula", "capcurve", f"{level} low", f"{level} high"])
        sheet.text(row, SUMMARY_COLUMNS, "note", "head indented")
        for figure in figures(summary):
            row += 1
            _figure(sheet, row, figure, live, weighted=summary.weighted)
        row += 2
    return _findings(sheet, summary.findings, "What to know", row) + 1


def _figure(sheet: Worksheet, row: int, figure: Figure, live: LiveScore, *, weighted: bool) -> None:
    key, style = figure.metric, "weight" if figure.form == "count" and weighted else figure.form
    sheet.text(row, 0, figure.label)
    if key in live.cells:  # what PDs promise follows from every PD, not from cut-offs
        sheet.formula(row, 1, live.linked(key), live.cells[key][1], style)
    limits = () if figure.low is None else (figure.low, figure.high)
    for column, value in enumerate((figure.value, *limits), 2):
        sheet.put(row, column, value, style)
    if figure.note:
        sheet.text(row, SUMMARY_COLUMNS, figure.note, "note indented")


def _findings(sheet: Worksheet, found: Sequence[Finding], head: str, row: int) -> int:
    if not found:
        return row
    sheet.text(row, 0, head, "bold")
    row += 1
    for finding in found:
        words = f"{capitalised(finding.message)}. {capitalised(finding.advice)}."
        row = sheet.paragraph(row, words, SUMMARY_COLUMNS, SUMMARY_LETTERS, "note")
    return row


def _cap_lines(several: Sequence[LiveScore]) -> list[dict[str, Any]]:
    """Return the CAP of each score, with the perfect and the random ones."""
    points, thin = (REFERENCE + 1, REFERENCE + 3), {"color": GREY, "width": 1.25}
    by_rate: dict[float, LiveScore] = {}
    for live in several:
        by_rate.setdefault(live.cells["prevalence"][1], live)
    dashed, dotted = ({**thin, "dash_type": kind} for kind in ("dash", "round_dot"))
    place = (points, LABEL, LABEL + 1)
    found = [series("perfect", live.sheet, *place, line=dashed) for live in by_rate.values()]
    sheet = several[0].sheet
    found.append(series("random", sheet, points, LABEL, LABEL + 2, line=dotted))
    for live in several:
        turn, colour = divmod(live.place, len(COLOURS))
        dash = SHEET_DASHES[(live.place + turn) % len(SHEET_DASHES)]
        look = {"color": COLOURS[colour], "width": 2, "dash_type": dash}
        name, rows = [live.sheet, *NAME_CELL], (NOBODY, live.last)
        found.append(series(name, live.sheet, rows, SHARE_OF_CASES, CAPTURED, line=look))
    return found


# Gains tables

GAINS_COLUMNS = (
    *("bin", "score_from", "score_to", "n", "positives", "rate"),
    *("cum_n", "cum_positives", "captured", "lift", "cum_lift", "ks"),
)
GAINS_HEADS = (
    *("bin", "score from", "score to", "cases", "positives", "rate of positives", "cum. cases"),
    *("cum. positives", "captured", "lift", "cum. lift", "gap (KS)"),
)
OF_GAINS = {"bin": "text", "score_from": "general", "score_to": "general"}
CHART_ROWS = 16
PLACE = {name: letters(column) for column, name in enumerate(GAINS_COLUMNS)}


def write_gains(book: Book, summaries: Mapping[str, Summary]) -> None:
    """Write the gains table of every score below each other, each with its chart."""
    sheet = book.sheet("Gains")
    row, tops = 0, []
    for summary in summaries.values():
        tops.append(row)
        sheet.text(row, 0, f"Gains table of {summary.name}", "title")
        if summary.gains is None:
            why = summary.undefined or "the totals that were kept do not give bins"
            sheet.text(row + 1, 0, capitalised(why), "note")
            row += 3
        else:
            row = _write_gains_of(book, sheet, summary, summary.gains, row + 1)
    sheet.widths(7, 13, 13, *[11] * 9)
    sheet.raw.set_h_pagebreaks(tops[1:])
    sheet.printed()


def _write_gains_of(book: Book, sheet: Worksheet, summary: Summary, table: Table, row: int) -> int:
    """Write one table; return the first row after its chart."""
    stated = summary.stated_prevalence
    said = capitalised(f"{table.note}.") if table.note else ""
    if stated is not None:
        said += f" Rates and lift at the stated prevalence of {stated:g}."
    sheet.text(row, 0, said.strip(), "note")
    values = table.values()
    cells: dict[str, Sequence[Any]] = {
        n: written_scores(v) if form_of(n) == "score" else v for n, v in values.items()
    }
    graded = any(isinstance(score, str) for score in cells["score_from"])
    sheet.heads(row + 1, GAINS_HEADS, 3 if graded else 1)
    sheet.raw.set_row(row + 1, 30)
    first, end = row + 2, row + 2 + len(table)
    count = "weight" if summary.weighted else "count"
    cells = {name: cells[name] for name in GAINS_COLUMNS}
    _write_bins(sheet, first, cells, stated, count)
    write_total(book, sheet, cells, first, count)
    if stated is not None:
        sheet.put(end, GAINS_COLUMNS.index("rate"), stated, "total share")
    return end + 2 + CHART_ROWS


def _write_bins(
    sheet: Worksheet, first: int, cells: dict[str, Sequence[Any]], stated: float | None, count: str
) -> None:
    """Write bins, as formulas what follows from their cases and positives."""
    end = first + len(cells["bin"])
    for row, values in enumerate(zip(*cells.values(), strict=True), start=first):
        formulas = formulas_of_bin(first, row, end, stated)
        for column, (name, value) in enumerate(zip(cells, values, strict=True)):
            style = OF_GAINS.get(name) or style_of(name, value, count)
            if name in formulas and value is not None:
                sheet.formula(row, column, formulas[name], value, style)
            else:
                sheet.put(row, column, value, style)


def formulas_of_bin(first: int, row: int, end: int, stated: float | None) -> dict[str, str]:
    """Return the formula of each column of a bin that follows from cases and positives."""
    at = {name: f"{letter}{row + 1}" for name, letter in PLACE.items()}
    read = ("n", "positives", "cum_n", "cum_positives", "captured")
    n, p, cum_n, cum_p, captured = (at[name] for name in read)
    all_n, all_p = f"{PLACE['n']}${end + 1}", f"{PLACE['positives']}${end + 1}"
    passed = f"({cum_n}-{cum_p})/({all_n}-{all_p})"
    found = {
        "cum_n": f"=SUM({PLACE['n']}${first + 1}:{n})",
        "cum_positives": f"=SUM({PLACE['positives']}${first + 1}:{p})",
        "captured": f"={cum_p}/{all_p}",
        "ks": f"={captured}-{passed}",
    }
    if stated is None:
        return found | {
            "rate": f"={p}/{n}",
            "lift": f"=({p}/{all_p})/({n}/{all_n})",
            "cum_lift": f"={captured}/({cum_n}/{all_n})",
        }
    hit, missed = repr(stated), repr(1 - stated)
    own, other = f"{p}/{all_p}", f"({n}-{p})/({all_n}-{all_p})"
    selected = f"({hit}*{own}+{missed}*{other})"
    return found | {
        "rate": f"={hit}*{own}/{selected}",
        "lift": f"=({own})/{selected}",
        "cum_lift": f"={captured}/({hit}*{captured}+{missed}*{passed})",
    }


# Calibration, and risk and coverage

PART_COLUMNS = 9


def write_calibration(book: Book, summaries: Iterable[Summary]) -> None:
    """Write PDs beside rates, and what deciding by them brings."""
    sheet, row = book.sheet("Calibration"), 0
    for summary in summaries:
        if (found := summary.calibration) is not None:
            shown = replace(found.presentation(), title=f"Calibration of {summary.name}")
            count = "weight" if summary.weighted else "count"
            row = _write_said(sheet, row, shown)
            row = _write_columns(sheet, row, _with_all(found.table.values()), count)
            if found.observed_to_expected is not None:
                sheet.text(row - 1, 0, "observed to expected", "bold")
                sheet.put(row - 1, 2, found.observed_to_expected.estimate, "lift")
            row += 1
            if found.net_benefit is not None:
                columns = _with_positives(shown.tables[-1], found.table["n"])
                row = _write_columns(sheet, row - 1, columns, count)
    sheet.widths(*[12] * (PART_COLUMNS + 1))
    sheet.printed()


def write_risks(book: Book, several: Sequence[LiveScore]) -> None:
    """Write how many errors are left at each coverage, and draw it."""
    sheet, row, lines = book.sheet("Risk and coverage"), 0, []
    for live in several:
        if (found := live.summary.selective) is not None:
            title = f"Errors among the surest cases of {live.name}"
            shown = replace(found.presentation(), title=title)
            columns = _with_cases(shown.tables[0], live.summary.n)
            row = _write_columns(sheet, _write_said(sheet, row, shown), columns, "count")
            first, last = row - 1 - len(shown.tables[0]), row - 2
            look = {"color": COLOURS[live.place % len(COLOURS)], "width": 2}
            risk = list(columns).index("risk")
            lines.append(series(live.name, sheet.name, (first, last), 0, risk, line=look))
    chart = book.chart_of_shares("Risk and coverage", lines, "errors among those answered")
    said = "The share of errors at each share of the surest cases."
    place_chart(sheet, chart, (1, PART_COLUMNS + 2), (480, 400), said, x_offset=0)
    sheet.widths(*[12] * (PART_COLUMNS + 1))
    sheet.printed()


def _with_all(rates: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return PDs beside rates with a last row of all cases."""
    total: dict[str, Any] = {name: sum(rates[name]) for name in ("n", "positives", "expected")}
    total |= {next(iter(rates)): "all", "rate": total["positives"] / total["n"]}
    return {name: [*column, total.get(name)] for name, column in rates.items()}


def _with_positives(curve: Table, n: Array) -> dict[str, Sequence[Any]]:
    """Return a decision curve with how many of the selected are positive."""
    t, selected, benefit = (curve[name] for name in ("threshold", "selected", "net_benefit"))
    hits = n.sum() * (benefit * (1 - t) + t * selected)  # as the net benefit is defined
    known = (np.rint(hits) if n.dtype.kind in "iu" else hits).tolist()
    first, second, *others = curve.values().items()
    return dict([first, second, ("positives", known), *others])


def _with_cases(risks: Table, n: float) -> dict[str, Sequence[Any]]:
    """Return risks with how many cases are answered, and with how many errors."""
    answered = risks["coverage"] * n
    of_cases = {"cases answered": answered, "errors": risks["risk"] * answered}
    # Whole numbers as such, without what floats lose.
    counts = [(name, column.round(9).tolist()) for name, column in of_cases.items()]
    coverage, *others = risks.values().items()
    return dict([coverage, *counts, *others])


def _write_said(sheet: Worksheet, row: int, shown: Presentation) -> int:
    """Write title and sentences of a part of a summary; return the next free row."""
    sheet.text(row, 0, shown.title, "title")
    row += 1
    for said in shown.sentences:
        row = sheet.paragraph(row, said, PART_COLUMNS, TEST_ROW_LETTERS)
    return row


def _write_columns(
    sheet: Worksheet, row: int, columns: Mapping[str, Sequence[Any]], count: str
) -> int:
    """Write a table below an empty row; return the row after the one that follows it."""
    sheet.heads(row + 1, map(heading, columns), 0)
    sheet.high(row + 1, 2)
    sheet.fill(row + 2, columns, count)
    return row + 3 + len(next(iter(columns.values())))


# Paired tests, and segments

TEST_COLUMNS, TEST_ROW_LETTERS = 7, 110
WIDEST_SEGMENT = 42
SEGMENT_COLUMNS = {
    "n": "cases",
    "prevalence": "rate of positives",
    "ks_q": "KS at share",
    "ks_threshold": "KS at score",
    "tie_mass": "tied pairs",
    "lift_10": "lift at 10%",
}


def write_comparison(book: Book, content: ClassEvaluation) -> None:
    """Write the paired tests of the scores, or why there are none."""
    sheet = book.sheet("Comparison")
    sheet.text(0, 0, "Differences between the scores", "title")
    if content.comparison is None:
        for row, found in enumerate(content.not_compared, start=1):
            words = f"{found.message}; {found.advice}"
            sheet.paragraph(row, words, TEST_COLUMNS, TEST_ROW_LETTERS)
    else:
        _tests(sheet, content.comparison)
    sheet.widths(44, *[12] * TEST_COLUMNS)
    sheet.printed()


def _tests(sheet: Worksheet, tests: Comparison) -> None:
    """Write the scores with their ranks, and below them the tests of all pairs."""
    ranks, unit, several = tests.ranks, heading(tests.metric), len(tests.pairs) > 1
    shown: dict[str, Sequence[Any]] = {"score": tests.names, unit: tests.estimates}
    if several and ranks is not None:
        heads = ("score", unit, "rank from", "rank to", "tier")
        shown = dict(zip(heads, ranks.values().values(), strict=True))
    sheet.heads(2, shown)
    row = 2
    for name, estimate, *others in zip(*shown.values(), strict=True):
        row += 1
        sheet.text(row, 0, name)
        sheet.put(row, 1, estimate, "fine")
        for column, rank in enumerate(others, start=2):
            sheet.put(row, column, rank, "count")
    row += 2
    table, level = tests.table, stated_percent(tests.pairs[0].level or 0.0)
    names = {"estimate": f"in {unit}", "se": "standard error", "p_value": "p"}
    for_all = " (all pairs)" if several else ""
    names |= {end: f"{level} {end}{for_all}" for end in ("low", "high")}
    names["p_adjusted"] = f"p{for_all}"
    sheet.heads(row, [names.get(name, name) for name in table.columns])
    sheet.high(row, 2)
    for line in table.rows():
        row += 1
        for column, (name, value) in enumerate(line.items()):
            sheet.put(row, column, value, style_of(name, value))
    row += 2
    overall = f"Test: {tests.overall.method}."
    if several:
        overall = " ".join([*tests.about_overall(), f"{capitalised(tests.overall.method)}."])
    notes = dict.fromkeys(note for pair in tests.pairs for note in pair.notes)
    about = ranking_sentences(tests) if tests.many else tests.sentences_on_pairs
    for said in (*about, overall, *tests.about_family(), *notes):
        row = sheet.paragraph(row, said, TEST_COLUMNS, TEST_ROW_LETTERS)


def write_segments(book: Book, content: ClassEvaluation) -> None:
    """Write a row for each score and segment, with the interval of the accuracy ratio."""
    sheet = book.sheet("Segments")
    sheet.text(0, 0, f"By {content.by or 'segment'}", "title")
    seen = [glances(parts) for parts in content.segment_summaries.values()]
    summaries = [summary for parts in seen for summary in parts.values()]
    columns = rows_of_scores(content)
    # A KS of 0 is reached at no cut-off.
    reached = zip(columns["ks_q"], columns["ks_threshold"], strict=True)
    columns["ks_q"] = [None if threshold is None else q for q, threshold in reached]
    if any(summary.undefined for summary in summaries):
        columns["undefined"] = [summary.undefined for summary in summaries]
    scores = columns.pop("score")
    first = {"score": scores} if len(content.summaries) > 1 else {}
    for name in list(columns)[: len(content.crossed) or 1]:
        first[name] = [segment_name(key) for key in columns.pop(name)]
    level = stated_percent(summaries[0].level)
    limits = {f"accuracy_ratio_{end}": f"AR {level} {end}" for end in ("low", "high")}
    heads = [*first, *((limits | SEGMENT_COLUMNS).get(name) or heading(name) for name in columns)]
    sheet.heads(2, heads, len(first))
    weighted = any(summary.weighted for summary in content.summaries.values())
    sheet.fill(3, {**first, **columns}, "weight" if weighted else "count")
    sheet.raw.freeze_panes(3, len(first))
    sheet.raw.autofilter(2, 0, 2 + len(summaries), len(heads) - 1)
    sheet.high(2, 2)
    widest = [max(len(str(each)) for each in column) + 3 for column in first.values()]
    names = [min(width, WIDEST_SEGMENT) for width in widest]
    sheet.widths(*names, *(30 if name == "undefined" else 10 for name in columns))
    sheet.printed(repeated=2)


# What a test against the first validation needs

MOST_GRADES_IN_SHEET = 30
VALIDATION_LETTERS, NAME_LETTERS = 96, 15
VALIDATION_TOP = 3
HOW = (
    "capcurve validate --initial tests whether the AUC fell since the first validation, as "
    "test_against_initial does in Python. Elsewhere, divide the fall by the root of the sum of "
    "both variances, or of this one alone where the initial AUC is taken as known, as the ECB's "
    "instructions for reporting validation results (2019, section 2.5.4) do."
)


def write_validation(book: Book, several: Sequence[LiveScore]) -> None:
    """Write what a test of each AUC against that of the first validation needs."""
    sheet = book.sheet("Validation")
    sheet.text(0, 0, "For the test against the first validation", "title")
    sheet.heads(VALIDATION_TOP, ["number", *(live.name for live in several)])
    sheet.high(VALIDATION_TOP, max(lines_of(live.name, NAME_LETTERS) for live in several))
    told = []
    for place, live in enumerate(several, start=1):
        spread, notes = _spread(live.counts)
        for row, (label, value, style) in enumerate(_needed(live, spread), VALIDATION_TOP + 1):
            sheet.text(row, 0, label)
            sheet.put(row, place, value, style)
        told += [f"{live.name}: {note}." for note in notes]
    row, last = VALIDATION_TOP + 7, max(len(several), 4)
    for words in (HOW, *told):
        row = sheet.paragraph(row, words, last, VALIDATION_LETTERS, "note")
    sheet.widths(30, *[18] * last)
    sheet.printed()


def _needed(live: LiveScore, spread: Spread | None) -> list[tuple[str, object, str]]:
    """Return label, value and style of what the test needs."""
    cases = "weight" if live.summary.weighted else "count"
    df = None if spread is None or live.counts.groups is None else spread.df
    return [
        ("AUC", live.cells["roc_auc"][1], "fine"),
        ("positives", live.cells["n1"][1], cases),
        ("negatives", live.cells["n0"][1], cases),
        ("variance of the AUC", "unknown" if spread is None else spread.variance, "tiny"),
        ("degrees of freedom", df or "normal law", "right"),
    ]


def _spread(counts: Ranking) -> tuple[Spread | None, list[str]]:
    """Return how sure an AUC is, if that is known, and what to say of it."""
    notes = []
    if len(counts) > MOST_GRADES_IN_SHEET:
        notes.append(f"{len(counts):,} distinct scores; the ECB tests the AUC of rating grades")
    try:
        spread = spread_of_one(counts)
    except ValueError as error:
        return None, [str(error), *notes]
    method = "DeLong" if counts.groups is None else spread.method
    return spread, [f"variance: {method}", *spread.notes, *notes]


# Definitions

# Term, what it is, and its formula if there is one.
TERMS = """\
positive | A case of the class one looks for; all others are negatives. | n = n1 + n0
prevalence | Share of all cases that are positives. | n1 / n
cut-off | The lowest-ranked score still selected; equal scores are selected together.
share of cases | Share of all cases that a cut-off selects. | (cum. positives + cum. negatives) / n
captured | Share of all positives among the selected: true positive rate, recall. | \
cum. positives / n1
false positive rate | Share of all negatives among the selected. | cum. negatives / n0
precision | Share of the selected cases that are positives. | cum. positives / selected cases
lift | 2 means twice as many positives as among as many random cases. | captured / share of cases
gap | Share of positives captured less that of negatives. | captured - false positive rate
KS | The largest gap, whatever its sign. | largest |gap|
accuracy ratio (Gini) | Pairs ranked rightly less pairs ranked wrongly, over all pairs. | \
(pairs won - pairs lost) / (n1 · n0)
ROC AUC | Chance that a positive ranks above a negative, a tie counting half. | \
(accuracy ratio + 1) / 2
CAP | Captured against share of cases. Perfect ranks all positives first, random none.
pairs inside | Pairs won less pairs lost in a row that holds several scores. | \
part of the accuracy ratio
interval | As capcurve computed it; it does not follow changed cells.
"""
DEFINITIONS = [[*line.split(" | "), ""][:3] for line in TERMS.splitlines()]
DEFINITION_LETTERS = 84


def write_definitions(book: Book, content: ClassEvaluation) -> None:
    """Write what every number is, and what tells whether two workbooks rest on the same data."""
    sheet = book.sheet("Definitions")
    sheet.text(0, 0, "Definitions", "title")
    sheet.heads(2, ("term", "what it is", "formula"), 3)
    data = len(DEFINITIONS) + 4
    sheet.text(data - 1, 0, "The data", "bold")
    for first, lines in ((3, DEFINITIONS), (data, _about_data(content))):
        for row, line in enumerate(lines, first):
            for column, words in enumerate(line):
                sheet.text(row, column, words, "wrapped")
            sheet.high(row, lines_of(line[1], DEFINITION_LETTERS))
    sheet.widths(28, 90, 46)
    sheet.raw.freeze_panes(3, 0)
    sheet.printed(repeated=2)


def _about_data(content: ClassEvaluation) -> list[tuple[str, str]]:
    """Return what the counts are and where they came from."""
    found = [("source", content.source)] if content.source else []
    for name, summary in content.summaries.items():
        sign = "higher" if summary.higher_is == "positive" else "lower"
        rule = f"{sign} scores are more likely positive"
        if summary.levels is not None:
            rule = "grades, most likely positive first"
        parts = [rule, f"{summary.distinct_scores:,} distinct scores"]
        if summary.resolution is not None:
            parts.append(f"rounded down to a grid of {summary.resolution:g}")
        if summary.weighted:
            parts.append(f"weighted ({summary.weight_kind or 'of unknown kind'})")
        if summary.digest:
            parts.append(f"digest {summary.digest}")
        found.append((name, "; ".join(parts)))
    found.append(("capcurve", next(iter(content.summaries.values())).version))
    return found
