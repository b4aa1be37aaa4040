"""The sheet of cut-offs of a score: counts as values, and all else as formulas on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.numbers.exact import cumulated, exact_dot
from capcurve.numbers.types import array_of
from capcurve.plots.models import SHORT_NAME
from capcurve.show.chart import COLOURS, RASPBERRY
from capcurve.show.format import amount, cutoff_text, shortened
from capcurve.show.workbook import (
    Book,
    Worksheet,
    address,
    is_number,
    letters,
    place_chart,
    safe_text,
    series,
    written_scores,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.numbers.types import Array, Floats, Places
    from capcurve.results import Summary

    PlacedCells = dict[str, tuple[str, float]]

MOST_CUTOFF_ROWS = 2000
# Cut-offs kept on each side of a share that is read off.
MARGIN = 1
# A spreadsheet's products of weights have to stay within the range of floats.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-100, 1e100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CutoffRows:
    """Cases of consecutive stretches of scores, most likely positive first, and their sums."""

    # Sums and shares begin with a row that selects nobody.

    score: list[object]  # the last score of each row, as it is written
    positives: list[Any]  # positives, negatives: cases of each class, or their weight
    negatives: list[Any]
    # Pairs won less pairs lost among the cases of each row; None where each row holds one score.
    inside: list[Any] | None
    rest: Any  # the same of all rows together, where it is not known row by row; else None
    stated: float | None  # the prevalence, where it is not that of the counts
    tp: list[Any]  # tp, fp: positives and negatives selected
    fp: list[Any]
    q: Floats  # q, captured, fpr: shares of cases, positives and negatives selected
    captured: Floats
    fpr: Floats
    precision: Floats  # precision, lift: of the selected cases; 0 where there are none
    lift: Floats

    def __len__(self) -> int:
        return len(self.score)

    @property
    def style(self) -> str:
        """How its numbers of cases are shown."""
        whole = all(isinstance(cases, int) for cases in (*self.positives, *self.negatives))
        return "count" if whole else "weight"

    @property
    def n1(self) -> Any:
        """All positives."""
        return self.tp[-1]

    @property
    def n0(self) -> Any:
        """All negatives."""
        return self.fp[-1]

    @property
    def gap(self) -> Floats:
        """How far apart the shares of positives and negatives selected are."""
        return self.captured - self.fpr

    @property
    def unseen(self) -> Any:
        """Pairs won less pairs lost inside rows; None where no row holds different scores."""
        return self.rest if self.inside is None else sum(self.inside)

    @property
    def accuracy_ratio(self) -> float:
        """The accuracy ratio, in the arithmetic of the sheet."""
        won = _between(self.positives, self.negatives) + (self.unseen or 0)
        return float(won / (self.n1 * self.n0))

    @property
    def place_of_ks(self) -> int:
        """The first row at which KS is reached."""
        leads = self.gap.max() >= -self.gap.min()
        return int(self.gap.argmax() if leads else self.gap.argmin())


def rows_of(
    counts: Ranking, shares: Sequence[float], prevalence: float | None = None
) -> CutoffRows:
    """Return at most 2,000 rows that stand for all distinct scores.

    >>> from capcurve import count_scores
    >>> found = rows_of(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), [0.1])
    >>> found.score, found.positives, found.accuracy_ratio
    ([4, 3, 2, 1], [1, 0, 1, 0], 0.5)
    """
    held = counts.vertices
    for name, weight in (("positives", held.n1), ("negatives", held.n0)):
        if not (counts.is_whole or SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT):
            raise ValueError(
                f"the {name} weigh {weight:g}, and a spreadsheet cannot multiply such numbers; "
                "scale the weights"
            )
    tp, fp = cumulated(held.positives), cumulated(held.negatives)
    ends = _kept(tp, fp, shares, prevalence)
    starts = np.concatenate([[0], ends[:-1]])
    positives, negatives = ((sums[ends] - sums[starts]).tolist() for sums in (tp, fp))
    inside = rest = None
    if not counts.is_complete:
        totals = counts.totals()
        won_less_lost = 2 * totals.won + totals.tied - held.n1 * held.n0
        rest = won_less_lost - _between(positives, negatives)
    elif len(ends) < len(held):
        inside = [_inside(held, a, b) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    return CutoffRows(
        score=written_scores(held.thresholds[ends - 1].tolist()),
        positives=positives,
        negatives=negatives,
        inside=inside,
        rest=rest,
        stated=prevalence,
        **_sums(positives, negatives, prevalence),
    )


def _sums(positives: list[Any], negatives: list[Any], stated: float | None) -> dict[str, Any]:
    """Return the running sums and shares of some rows."""
    tp, fp = (np.cumsum(array_of([0, *cases])) for cases in (positives, negatives))
    captured, fpr = tp / tp[-1], fp / fp[-1]
    q = _cases(tp, fp, stated)
    hit = tp[1:] / (tp + fp)[1:] if stated is None else stated * captured[1:] / q[1:]
    precision, lift = (np.append(0.0, each) for each in (hit, captured[1:] / q[1:]))
    sums = {"tp": tp.tolist(), "fp": fp.tolist(), "q": q, "captured": captured, "fpr": fpr}
    return {**sums, "precision": precision, "lift": lift}


def _kept(tp: Array, fp: Array, shares: Sequence[float], prevalence: float | None) -> Places:
    """Return how many scores each row and those before it hold; tp and fp begin with nobody."""
    last = len(tp) - 1
    if last <= MOST_CUTOFF_ROWS:
        return np.arange(1, last + 1)
    captured, passed = tp / tp[-1], fp / fp[-1]
    gap = captured - passed
    found = [last, int(gap.argmax()), int(gap.argmin())]
    for along in (_cases(tp, fp), _cases(tp, fp, prevalence)):
        near = np.add.outer(np.searchsorted(along, shares), np.arange(-MARGIN - 1, MARGIN + 1))
        found += near.ravel().tolist()
    wanted = np.linspace(0, 2, MOST_CUTOFF_ROWS - len(found))
    ends = np.unique(np.concatenate([found, np.searchsorted(captured + passed, wanted)]))
    return ends[(ends > 0) & (ends <= last)].astype(np.intp)


def _cases(tp: Array, fp: Array, prevalence: float | None = None) -> Floats:
    """Return the share of cases selected at each cut-off."""
    if prevalence is None:
        return np.asarray((tp + fp) / (tp[-1] + fp[-1]), dtype=np.float64)
    return np.asarray(prevalence * (tp / tp[-1]) + (1 - prevalence) * (fp / fp[-1]), np.float64)


def _inside(counts: ScoreCounts, start: int, end: int) -> Any:
    """Return the pairs won less the pairs lost among the cells of a stretch."""
    p, n = counts.positives[start:end], counts.negatives[start:end]
    if len(p) == 1:
        return 0
    above = cumulated(n)[:-1]
    if counts.is_whole:
        below = int(n.sum(dtype=np.int64))
        return int(p.sum(dtype=np.int64)) * below - 2 * exact_dot(p, above) - exact_dot(p, n)
    return float((p * (n.sum() - 2 * above - n)).sum())


def _between(positives: Sequence[Any], negatives: Sequence[Any]) -> Any:
    """Return the pairs won less the pairs lost between rows."""
    below, found = sum(negatives), 0
    above: Any = 0
    for p, n in zip(positives, negatives, strict=True):
        above += n
        found += p * (below - 2 * above + n)
    return found


# The columns of the table.
SCORE, POSITIVE, NEGATIVE, CUM_POSITIVE, CUM_NEGATIVE, SHARE_OF_CASES = range(6)
CAPTURED, FPR, GAP, PRECISION, LIFT, INSIDE = range(6, 12)
CUTOFF_HEADS = (
    *("score", "positives", "negatives", "cum. positives", "cum. negatives", "share of cases"),
    *("captured", "false positive rate", "gap (KS)", "precision", "lift"),
)
HEAD_ROW = 3
# The first row of the table selects nobody.
NOBODY = HEAD_ROW + 1
# Rows beyond this one are not printed.
LAST_PRINTED = NOBODY + 150
# Beside the table: numbers and their values, with the name of the score in a cell of its own.
LABEL, VALUE = 13, 14
NAME_CELL = (2, LABEL)
PREVALENCE = address(HEAD_ROW + 4, VALUE)
# The heads of the three points of the perfect and the random CAP.
REFERENCE = NOBODY + 21
FREE_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class LiveScore:
    """A score whose numbers are formulas on its sheet of cut-offs, and where they stand."""

    name: str
    counts: Ranking
    summary: Summary
    place: int  # which of the scores it is
    sheet: str  # the name of its sheet
    last: int  # the last row of its table
    cells: PlacedCells

    def linked(self, key: str) -> str:
        """Return a formula that repeats a number on another sheet."""
        return f"='{self.sheet}'!{self.cells[key][0]}"


def write_cutoffs(
    book: Book, name: str, counts: Ranking, summary: Summary, place: int
) -> LiveScore:
    """Write the sheet of a score and return where its numbers stand."""
    sheet = book.sheet(f"Cut-offs {place + 1}" if place else "Cut-offs")
    rows = rows_of(counts, list(summary.captured), summary.stated_prevalence)
    last = NOBODY + len(rows)
    _explain(sheet, name, counts, rows)
    _write_rows(sheet, rows)
    cells = _write_numbers(sheet, rows, summary)
    for key, said in (("n", "Cases"), ("n1", "Positives"), ("n0", "Negatives")):
        # The first score gives the workbook its names, further ones their own sheet.
        where = f"'{sheet.name}'!"
        book.raw.define_name(f"{where if place else ''}{said}", f"={where}{cells[key][0]}")
    _write_reference(sheet, cells["prevalence"][1])
    lines = ((CAPTURED, "positives", COLOURS[0]), (FPR, "negatives", RASPBERRY))
    along = sheet.name, (NOBODY, last), SHARE_OF_CASES
    drawn = [
        series(of, *along, column, line={"color": colour, "width": 2})
        for column, of, colour in lines
    ]
    title = "Captured of each class; KS is the largest gap"
    chart = book.chart_of_shares(title, drawn, "share captured")
    said = "Shares of both classes captured along the share of cases."
    place_chart(sheet, chart, (HEAD_ROW, 18), (480, 400), said, x_offset=0)
    sheet.widths(16, *[11] * 11, 3, 22, 12, 9, 7)
    sheet.high(HEAD_ROW, 2)
    sheet.raw.freeze_panes(NOBODY, 1)
    sheet.raw.ignore_errors({"number_stored_as_text": f"A{NOBODY + 1}:A{last + 1}"})
    # Of many cut-offs the first pages are printed.
    sheet.raw.print_area(0, 0, min(last, LAST_PRINTED), INSIDE)
    sheet.printed(repeated=HEAD_ROW)
    return LiveScore(name, counts, summary, place, sheet.name, last, cells)


def _explain(sheet: Worksheet, name: str, counts: Ranking, rows: CutoffRows) -> None:
    sign = "at or above" if counts.higher_is == "positive" else "at or below"
    rule = f"whose score is {sign} that of its row"
    if counts.levels is not None:
        rule = "down to the grade of its row"
    sheet.text(0, 0, f"Cut-offs of {name}", "title")
    sheet.text(*NAME_CELL, shortened(name, SHORT_NAME), "bold")
    sheet.text(1, 0, f"Each row selects the cases {rule}. Counts are values, all else formulas.")
    if len(rows) < len(counts):
        held = f"{amount(len(counts))} distinct scores in {amount(len(rows))} rows"
        told = "each holds a stretch of scores; pairs won less lost inside them keep AR exact"
        sheet.text(2, 0, f"{held}: {told}.", "note")


def _write_rows(sheet: Worksheet, rows: CutoffRows) -> None:
    graded = any(isinstance(score, str) for score in rows.score)
    inside = ["pairs inside"] if rows.inside is not None else []
    style = rows.style
    sheet.heads(HEAD_ROW, [*CUTOFF_HEADS, *inside], int(graded))
    sheet.text(NOBODY, SCORE, "none", "text" if graded else "general")
    for column in (POSITIVE, NEGATIVE, CUM_POSITIVE, CUM_NEGATIVE):
        sheet.put(NOBODY, column, 0, style)
    for place in range(len(rows) + 1):
        if place:
            _write_counts(sheet, rows, place, style)
        _write_shares(sheet, rows, place)


def _write_counts(sheet: Worksheet, rows: CutoffRows, place: int, style: str) -> None:
    """Write the score and the cases of a row, and their running sums."""
    row = NOBODY + place
    sheet.put(row, SCORE, rows.score[place - 1])
    for column, cases in ((POSITIVE, rows.positives), (NEGATIVE, rows.negatives)):
        sheet.put(row, column, cases[place - 1], style)
    for column, of, sums in ((CUM_POSITIVE, POSITIVE, rows.tp), (CUM_NEGATIVE, NEGATIVE, rows.fp)):
        words = f"={letters(column)}{row}+{letters(of)}{row + 1}"
        sheet.formula(row, column, words, sums[place], style)
    if rows.inside is not None:
        sheet.put(row, INSIDE, rows.inside[place - 1], style)


def _write_shares(sheet: Worksheet, rows: CutoffRows, place: int) -> None:
    """Write what follows from the running sums of a row."""
    row, read = NOBODY + place, (CUM_POSITIVE, CUM_NEGATIVE, SHARE_OF_CASES, CAPTURED, FPR)
    tp, fp, q, captured, fpr = (f"{letters(column)}{row + 1}" for column in read)
    share, hit = f"=({tp}+{fp})/Cases", f"={tp}/({tp}+{fp})"
    if rows.stated is not None:
        share = f"={PREVALENCE}*{captured}+(1-{PREVALENCE})*{fpr}"
        hit = f"={PREVALENCE}*{captured}/{q}"
    gap = f"=({tp}*Negatives-{fp}*Positives)/(Positives*Negatives)"
    sheet.formula(row, SHARE_OF_CASES, share, rows.q[place], "share")
    sheet.formula(row, CAPTURED, f"={tp}/Positives", rows.captured[place], "share")
    sheet.formula(row, FPR, f"={fp}/Negatives", rows.fpr[place], "share")
    sheet.formula(row, GAP, gap, rows.captured[place] - rows.fpr[place], "ratio")
    if place:
        sheet.formula(row, PRECISION, hit, rows.precision[place], "share")
        sheet.formula(row, LIFT, f"={captured}/{q}", rows.lift[place], "lift")


def column_of(rows: CutoffRows, column: int) -> str:
    """Return the range of a column of the table."""
    return f"{address(NOBODY, column)}:{address(NOBODY + len(rows), column)}"


def _write_numbers(sheet: Worksheet, rows: CutoffRows, summary: Summary) -> PlacedCells:
    """Write the numbers of a score beside the table; return where each stands, and its value."""
    sheet.heads(HEAD_ROW, ["number", "value"], start=LABEL)
    cells: PlacedCells = {}
    row = HEAD_ROW
    for key, label, formula, value, style in _numbers(rows):
        row += 1
        sheet.text(row, LABEL, label)
        if formula is None:
            sheet.put(row, VALUE, value, style)
        else:
            sheet.formula(row, VALUE, formula, value, style)
        cells[key] = address(row, VALUE), float(value)
    _write_place_of_ks(sheet, row + 1, rows)
    return cells | _write_captured(sheet, row + 3, rows, list(summary.captured))


def _numbers(rows: CutoffRows) -> list[tuple[Any, ...]]:
    """Return key, label, formula, value and style of the numbers of cases and of the ranking."""
    # The names Cases, Positives and Negatives stand for the first three elsewhere.
    style, read = rows.style, (POSITIVE, NEGATIVE, CUM_NEGATIVE, GAP)
    p, n, below, gap = (column_of(rows, column) for column in read)
    rate: tuple[Any, ...] = ("prevalence, as stated", None, rows.stated)
    if rows.stated is None:
        rate = ("prevalence", "=Positives/Cases", rows.n1 / (rows.n1 + rows.n0))
    found: list[tuple[Any, ...]] = [
        ("n", "cases", "=Positives+Negatives", rows.n1 + rows.n0, style),
        ("n1", "positives", f"=SUM({p})", rows.n1, style),
        ("n0", "negatives", f"=SUM({n})", rows.n0, style),
        ("prevalence", *rate, "share"),
    ]
    won = f"SUMPRODUCT({p},Negatives-2*{below}+{n})"
    if rows.unseen is not None:
        inside = None if rows.inside is None else f"=SUM({column_of(rows, INSIDE)})"
        found.append(("inside", "pairs inside rows", inside, rows.unseen, style))
        won = f"({won}+{address(HEAD_ROW + len(found), VALUE)})"
    ratio, auc = rows.accuracy_ratio, f"=({address(HEAD_ROW + len(found) + 1, VALUE)}+1)/2"
    ks, largest = f"=MAX(MAX({gap}),-MIN({gap}))", abs(rows.gap[rows.place_of_ks])
    return [
        *found,
        ("accuracy_ratio", "accuracy ratio", f"={won}/(Positives*Negatives)", ratio, "ratio"),
        ("roc_auc", "ROC AUC", auc, (ratio + 1) / 2, "ratio"),
        ("ks", "KS", ks, largest, "ratio"),
    ]


def _write_place_of_ks(sheet: Worksheet, row: int, rows: CutoffRows) -> None:
    gap, score = column_of(rows, GAP), column_of(rows, SCORE)
    high, low = (f"INDEX({score},MATCH({side}({gap}),{gap},0))" for side in ("MAX", "MIN"))
    place = rows.place_of_ks
    found: Any = rows.score[place - 1] if place else "none"
    if not is_number(found):  # as it stands in its column
        found = safe_text(cutoff_text(found))
    sheet.text(row, LABEL, "KS at score")
    sheet.formula(row, VALUE, f"=IF(MAX({gap})>=-MIN({gap}),{high},{low})", found)


def _write_captured(
    sheet: Worksheet, row: int, rows: CutoffRows, asked: list[float]
) -> PlacedCells:
    """Write what the top shares capture, and one share that the reader may change."""
    sheet.heads(row, ["top share", "captured", "lift", "row"], 0, LABEL)
    cells: PlacedCells = {}
    for q in asked:
        row += 1
        found = _write_share(sheet, row, rows, q, "share")
        cells[f"captured_{round(100 * q)}"] = address(row, VALUE), found
        cells[f"lift_{round(100 * q)}"] = address(row, VALUE + 1), found / q
    _write_share(sheet, row + 1, rows, FREE_SHARE, "input share")
    sheet.text(row + 2, LABEL, "The share in the coloured cell may be changed.", "note")
    return cells


def _write_share(sheet: Worksheet, row: int, rows: CutoffRows, q: float, style: str) -> float:
    """Write what a share of cases captures, and its lift."""
    share, captured, place = (f"{letters(LABEL + c)}{row + 1}" for c in (0, 1, 3))
    x, y = column_of(rows, SHARE_OF_CASES), column_of(rows, CAPTURED)
    # The row before the share, and the line to the next.
    run = f"({share}-INDEX({x},{place}))/(INDEX({x},{place}+1)-INDEX({x},{place}))"
    height = f"INDEX({y},{place})+{run}*(INDEX({y},{place}+1)-INDEX({y},{place}))"
    found = float(np.interp(q, rows.q, rows.captured))
    before = int(np.searchsorted(rows.q, q, side="right"))
    sheet.put(row, LABEL, q, style)
    sheet.formula(row, VALUE, f"=IF({share}>=1,1,{height})", found, "share")
    sheet.formula(row, VALUE + 1, f"={captured}/{share}", found / q, "lift")
    sheet.formula(row, VALUE + 2, f"=MATCH({share},{x},1)", before, "count")
    return found


def _write_reference(sheet: Worksheet, prevalence: float) -> None:
    """Write the points of the perfect and the random CAP."""
    sheet.heads(REFERENCE, ["share of cases", "perfect", "random"], 0, LABEL)
    points = ((0.0, 0.0), (prevalence, 1.0), (1.0, 1.0))
    for row, (x, height) in enumerate(points, start=REFERENCE + 1):
        sheet.put(row, LABEL, x, "share")
        sheet.put(row, LABEL + 1, height, "share")
        sheet.formula(row, LABEL + 2, f"={letters(LABEL)}{row + 1}", x, "share")
    sheet.formula(REFERENCE + 2, LABEL, f"={PREVALENCE}", prevalence, "share")
