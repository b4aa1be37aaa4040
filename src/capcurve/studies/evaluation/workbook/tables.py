"""The sheets that hold values alone: paired tests, segments, and any table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.results.comparing import difference_sentence
from capcurve.results.figures import segment_name
from capcurve.show.format import chance_text, form_of, heading, stated_percent
from capcurve.studies.evaluation.workbook.stretches import written_scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.inference import Comparison
    from capcurve.results import Summary
    from capcurve.studies.evaluation.workbook.book import Book, Sheet
    from capcurve.studies.evaluation.workbook.classes import OfClasses

LETTERS = 110
WIDEST, USUAL = 42, 13
WIDTHS = {"difference": 30}
OF_TESTS = {
    **dict.fromkeys(("estimate", "se", "low", "high"), "fine"),
    "statistic": "lift",
    **dict.fromkeys(("p_value", "p_adjusted"), "fine"),
}
# Of the forms that are written otherwise than numbers of cases.
OF_FORMS = {"share": "share", "ratio": "ratio", "lift": "lift"}
OF_FORMS |= dict.fromkeys(("score", "name", "coordinate"), "general")
OF_SEGMENTS = {
    "n": "cases",
    "prevalence": "rate of positives",
    "ks_q": "KS at share",
    "ks_threshold": "KS at score",
    "tie_mass": "tied pairs",
    "lift_10": "lift at 10%",
}
LONGEST_ROWS = 1_048_575


def write_comparison(book: Book, content: OfClasses) -> None:
    """Write the paired tests of the scores, or why there are none."""
    sheet = book.sheet("Comparison")
    sheet.text(0, 0, "Differences between the scores", "title")
    tests = content.comparison
    if tests is None:
        for row, found in enumerate(content.not_compared, start=1):
            sheet.paragraph(row, f"{found.message}; {found.advice}", 7, LETTERS)
    else:
        _tests(sheet, tests)
    sheet.widths(44, *[12] * 7)
    sheet.printed()


def _tests(sheet: Sheet, tests: Comparison) -> None:
    unit = heading(tests.metric)
    sheet.heads(2, ["score", unit])
    row = 2
    for name, estimate in zip(tests.names, tests.estimates, strict=True):
        row += 1
        sheet.text(row, 0, name)
        sheet.put(row, 1, estimate, "fine")
    row += 2
    table, level = tests.table, stated_percent(tests.pairs[0].level or 0.0)
    names = {"estimate": f"in {unit}", "se": "standard error", "low": f"{level} low"}
    names |= {"high": f"{level} high", "p_value": "p", "p_adjusted": "p (Holm)"}
    heads = [names.get(name, name) for name in table.columns]
    sheet.heads(row, heads)
    sheet.high(row, 2)
    for line in table.rows():
        row += 1
        for column, (name, value) in enumerate(line.items()):
            sheet.put(row, column, value, OF_TESTS.get(name, "text"))
    row += 2
    for said in _sentences(tests):
        sheet.paragraph(row, said, 7, LETTERS)
        row += 1


def _sentences(tests: Comparison) -> list[str]:
    notes = dict.fromkeys(note for pair in tests.pairs for note in pair.notes)
    overall = f"All equal: {chance_text(tests.p_value)}, {tests.overall.method}."
    return [
        *(f"{difference_sentence(pair)}." for pair in tests.pairs),
        *([overall] if len(tests.pairs) > 1 else [f"Test: {tests.overall.method}."]),
        *notes,
    ]


def write_segments(book: Book, content: OfClasses) -> None:
    """Write a row for each score and segment, with the interval of the accuracy ratio."""
    sheet = book.sheet("Segments")
    sheet.text(0, 0, f"By {content.by or 'segment'}", "title")
    several = len(content.summaries) > 1
    lines = [
        (name, segment_name(key), summary)
        for name, parts in content.segment_summaries.items()
        for key, summary in parts.items()
    ]
    level = stated_percent(lines[0][2].level)
    columns = segment_columns([summary for _, _, summary in lines])
    first: dict[str, list[Any]] = {"score": [name for name, _, _ in lines]} if several else {}
    first |= {"segment": [key for _, key, _ in lines]}
    why = [summary.undefined for _, _, summary in lines]
    if any(why):
        columns["undefined"] = why
    heads = [*first, *(_segment_head(name, level) for name in columns)]
    sheet.heads(2, heads, len(first))
    weighted = any(summary.weighted for _, _, summary in lines)
    _fill(sheet, 3, {**first, **columns}, "weight" if weighted else "count")
    sheet.raw.freeze_panes(3, len(first))
    sheet.raw.autofilter(2, 0, 2 + len(lines), len(heads) - 1)
    sheet.high(2, 2)
    names = [min(max(len(str(each)) for each in column) + 3, WIDEST) for column in first.values()]
    sheet.widths(*names, *(30 if name == "undefined" else 10 for name in columns))
    sheet.printed(repeated=2)


def segment_columns(summaries: Sequence[Summary]) -> dict[str, list[Any]]:
    """Return the numbers of segments by column."""
    rows = [s.to_row() for s in summaries]
    for row in rows:
        if row["ks_threshold"] is None:  # a KS of 0 is reached at no cut-off
            row["ks_q"] = None
    return {name: [row[name] for row in rows] for name in rows[0] if name != "score"}


def _segment_head(name: str, level: str) -> str:
    if name.startswith("accuracy_ratio_"):
        return f"AR {level} {name.rpartition('_')[2]}"
    return OF_SEGMENTS.get(name) or heading(name)


def write_columns(
    book: Book, name: str, columns: Mapping[str, Sequence[Any]], widths: Mapping[str, int] = WIDTHS
) -> None:
    """Write any table on a sheet of its own; `widths` are those of columns of these names."""
    rows = len(next(iter(columns.values()), ()))
    if rows > LONGEST_ROWS:
        raise ValueError(
            f"the table has {rows:,} rows and a sheet holds {LONGEST_ROWS:,}; write it as csv, or "
            "count with resolution="
        )
    sheet = book.sheet(name)
    numbers = [any(isinstance(v, int | float) for v in column) for column in columns.values()]
    for place, (head, right) in enumerate(zip(columns, numbers, strict=True)):
        sheet.text(0, place, heading(head), "head right" if right else "head")
    _fill(sheet, 1, columns, "count")
    sheet.raw.freeze_panes(1, 0)
    sheet.widths(*(widths.get(name, USUAL) for name in columns))
    sheet.printed(repeated=0)


def _fill(sheet: Sheet, top: int, columns: Mapping[str, Sequence[Any]], count: str) -> None:
    for place, (name, column) in enumerate(columns.items()):
        cells = written_scores(column) if form_of(name) == "score" else column
        for row, value in enumerate(cells, start=top):
            sheet.put(row, place, value, style_of(name, value, count))


def style_of(column: str, value: object, count: str = "count") -> str:
    """Return how a value of a column is shown.

    Examples
    --------
    >>> style_of("rate", 0.25), style_of("n", 12), style_of("n", 2.5), style_of("score", 0.5)
    ('share', 'count', 'weight', 'general')
    """
    if isinstance(value, str):
        return "text"
    if column in OF_TESTS:
        return OF_TESTS[column]
    form = form_of("accuracy_ratio" if column.startswith("accuracy_ratio") else column)
    if form in OF_FORMS or column == "bin":
        return OF_FORMS.get(form, "general")
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return count if whole else "weight"
