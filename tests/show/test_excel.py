"""Workbooks: formulas give the library's numbers, and no name becomes a formula or a reference."""

import datetime as dt
import functools
import math
import re
import sys

import numpy as np
import openpyxl
import pytest

import capcurve as cap
from capcurve.inference.variances import auc_variance
from capcurve.show.workbook import LETTERS_ON_A_PAGE, MOST_PRINTED, WIDEST, write_table
from capcurve.studies.evaluation.workbook import write_workbook
from capcurve.studies.evaluation.workbook.cutoff_sheet import MOST_CUTOFF_ROWS, rows_of
from spreadsheets import cells_of, formulas_of, found_in, parts_of, recalculated

LOANS = "src/capcurve/datasets/loans.csv"
ODD = [
    *("=1+1", "+A1", "-x", "@SUM(A1)", "{=1}", "<r>raw</r>", "_x0041_", "http://a.b", "a\x00b"),
    *("internal:'Gains'!A1", "[1]Sheet!A1", "'quoted'", "x" * 40, "Cut-offs", "Cases", "1e5"),
    *(
        "TRUE",
        "#REF!",
        " lead",
        "two\nlines",
        "\ud800",
        "&A&P",
        "名前",
        "%",
        '=HYPERLINK("http://a")',
    ),
]
SAMPLES = (
    "loans",
    "five",
    "reversed",
    "grades",
    "many",
    "stated",
    "totals",
    "weighted",
    "clustered",
)
HEADLINES = {
    "accuracy ratio (Gini)": lambda summary: summary.accuracy_ratio,
    "ROC AUC": lambda summary: summary.roc_auc,
    "KS": lambda summary: summary.ks.statistic,
    "captured in the top 10%": lambda summary: summary.captured[0.1],
    "captured in the top 50%": lambda summary: summary.captured[0.5],
    "lift in the top 20%": lambda summary: summary.lift[0.2],
}


stored = functools.cache(cells_of)


def planted(value):
    return value * 3 + 17


def continuous(cases, seed=5):
    """Return counts in which nearly every case has a score of its own."""
    rng = np.random.default_rng(seed)
    y = rng.random(cases) < 0.1
    return y, rng.standard_normal(cases) + y


@functools.cache
def samples():
    y, score = continuous(30_000)
    totals = cap.count_sorted(
        [(np.sort(score)[::-1], *(np.where(side, 1, 0) for side in _sides(y, score)))],
        n1=int(y.sum()),
        n0=int((~y).sum()),
    )
    rng = np.random.default_rng(8)
    weight = rng.random(2000) * 4
    month = [dt.date(2024, month, 1) for month in rng.integers(1, 5, 2000)]
    few, points = continuous(2000, seed=9)
    grades = cap.ScoreCounts.from_counts(
        ["C", "B", "A"], [9, 3, 1], [10, 30, 90], levels=["C", "B", "A"]
    )
    return {
        "loans": cap.evaluate("y", ["int_rate", "grade_rank"], data=LOANS),
        "five": cap.evaluate([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]),
        "reversed": cap.evaluate([1, 1, 0, 0, 0], [9, 8, 3, 5, 1], higher_is="negative"),
        "grades": cap.evaluate({"rating": grades}),
        "many": cap.evaluate(y, score),
        "stated": cap.evaluate(few, np.round(points, 1), prevalence=0.4),
        "totals": cap.evaluate({"pd": totals}),
        "weighted": cap.evaluate(
            few, np.round(points, 1), weight=weight, weight_kind="sampling", by=month
        ),
        "clustered": cap.evaluate(few, np.round(points, 1), cluster=np.arange(2000) // 5),
    }


def _sides(y, score):
    sorted_y = y[np.argsort(score)[::-1]]
    return sorted_y, ~sorted_y


@pytest.fixture(scope="module")
def books(tmp_path_factory):
    """Return each workbook as it is written, and as LibreOffice calculates it anew."""
    folder = tmp_path_factory.mktemp("books")
    honest = {name: folder / f"{name}.xlsx" for name in samples()}
    wrong = {name: folder / "wrong" / f"{name}.xlsx" for name in samples()}
    (folder / "wrong").mkdir()
    for name, evaluation in samples().items():
        write_workbook(evaluation, honest[name])
        write_workbook(evaluation, wrong[name], cached=planted)
    anew = dict(zip(wrong, recalculated(list(wrong.values()), folder), strict=True))
    return {name: (honest[name], wrong[name], anew[name]) for name in honest}


@pytest.mark.merge
@pytest.mark.xdist_group("books")
@pytest.mark.parametrize("name", SAMPLES)
def test_libreoffice_calculates_what_is_stored(books, name):
    honest, wrong, anew = (stored(path) for path in books[name])
    formulas = formulas_of(books[name][0])
    assert len(formulas) > 40
    numbers = {where for where in formulas if isinstance(honest.get(where), int | float)}
    assert all(wrong[where] == pytest.approx(planted(honest[where])) for where in numbers)
    for where in numbers:
        assert anew[where] == pytest.approx(honest[where], rel=1e-14, abs=1e-14), where
    for where in formulas.keys() - numbers:
        assert (anew.get(where) or "") == (honest.get(where) or "")


@pytest.mark.merge
@pytest.mark.xdist_group("books")
@pytest.mark.parametrize("name", SAMPLES)
def test_calculated_headlines_are_those_of_the_library(books, name):
    cells = stored(books[name][2])
    summary = next(iter(samples()[name].summaries.values()))
    for label, number in HEADLINES.items():
        found, told = (found_in(cells, "Summary", label, column) for column in "BC")
        assert found == pytest.approx(number(summary), rel=1e-14, abs=1e-14)
        assert told == pytest.approx(number(summary), rel=1e-14)
    low, high = (found_in(cells, "Summary", "accuracy ratio (Gini)", column) for column in "DE")
    interval = summary.intervals["accuracy_ratio"]
    assert (low, high) == pytest.approx((interval.low, interval.high))


@pytest.mark.merge
@pytest.mark.xdist_group("books")
@pytest.mark.parametrize("name", ["five", "many", "stated"])
def test_the_gains_table_is_that_of_the_library(books, name):
    cells = stored(books[name][2])
    table = samples()[name].gains()
    for place, row in enumerate(table.rows(), start=4):
        for column, value in zip("ABCDEFGHIJKL", row.values(), strict=True):
            assert cells["Gains", f"{column}{place}"] == pytest.approx(value, rel=1e-14, abs=1e-14)


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", ["loans", "weighted", "clustered"])
def test_the_numbers_for_the_test_against_the_initial_auc(tmp_path, name):
    evaluation = samples()[name]
    score, counts = next(iter(evaluation.counts.items()))
    evaluation.save(path := tmp_path / "book.xlsx")
    cells = cells_of(path)
    assert found_in(cells, "Validation", "number", "B") == score
    labels = ("AUC", "variance of the AUC", "positives", "negatives", "degrees of freedom")
    auc, variance, n1, n0, df = (found_in(cells, "Validation", label, "B") for label in labels)
    assert (auc, n1, n0) == pytest.approx((cap.roc_auc(counts), counts.n1, counts.n0), rel=1e-13)
    if name == "loans":
        assert variance == pytest.approx(auc_variance(counts), rel=1e-13)
        with pytest.warns(UserWarning, match="rating grades"):
            expected = cap.test_against_initial(counts, 0.77)
        assert (0.77 - auc) / variance**0.5 == pytest.approx(expected.statistic, rel=1e-9)
    assert (df == "normal law") is (name != "clustered")
    assert not [where for where in formulas_of(path) if where[0] == "Validation"]


def test_previews_show_the_library_s_numbers(tmp_path):
    path = tmp_path / "book.xlsx"
    evaluation = samples()["loans"]
    evaluation.save(path)
    cells = cells_of(path)
    summary = evaluation.summaries["int_rate"]
    for label, number in HEADLINES.items():
        assert found_in(cells, "Summary", label, "B") == pytest.approx(number(summary), rel=1e-14)
    names = ["Summary", "Gains", "Cut-offs", "Cut-offs 2", "Comparison", "Validation"]
    assert list(dict.fromkeys(sheet for sheet, _ in cells)) == [*names, "Definitions"]
    test = evaluation.comparison.pairs[0]
    assert found_in(cells, "Comparison", test.name, "G") == pytest.approx(test.p_value, rel=1e-14)


def test_more_scores_than_rows_keep_every_headline():
    for cases in (2000, 2001, 50_000):
        y, score = continuous(cases)
        counts = cap.count_scores(y, score)
        rows = rows_of(counts, [0.1, 0.2, 0.5])
        assert len(rows) <= MOST_CUTOFF_ROWS
        assert (rows.inside is None) is (cases <= MOST_CUTOFF_ROWS)
        assert rows.accuracy_ratio == cap.accuracy_ratio(counts)
        tp, fp = np.cumsum(rows.positives), np.cumsum(rows.negatives)
        assert np.abs(tp / tp[-1] - fp / fp[-1]).max() == pytest.approx(cap.ks(counts).statistic)
        for q in (0.1, 0.2, 0.5):
            held = np.interp(q, np.append(0, tp + fp) / cases, np.append(0, tp) / tp[-1])
            assert held == pytest.approx(cap.captured_response(counts, q), rel=1e-14)


def test_equal_evaluations_are_equal_files(tmp_path):
    for name in ("one", "two"):
        cap.evaluate([1, 0, 1], [3, 2, 1]).save(tmp_path / f"{name}.xlsx")
    assert (tmp_path / "one.xlsx").read_bytes() == (tmp_path / "two.xlsx").read_bytes()


@pytest.fixture(scope="module")
def odd_books(tmp_path_factory):
    """Return workbooks with odd names of scores and of segments, each with one of plain names."""
    folder = tmp_path_factory.mktemp("odd")
    return [
        [
            written(folder / f"{kind} {scores}.xlsx", names, scores, segments)
            for kind, names in KINDS
        ]
        for scores, segments in ((6, 2), (1, len(ODD)))
    ]


KINDS = (("odd", ODD), ("plain", [f"name {i}" for i in range(len(ODD))]))


def written(path, names, scores, segments):
    rng = np.random.default_rng(1)
    y = rng.random(150) < 0.3
    named = {name: rng.integers(0, 6, 150) + y for name in names[:scores]}
    by = np.array(names, dtype=object)[np.arange(150) % segments]
    cap.evaluate(y, named, by=by, title=names[0]).save(path)
    return path


@pytest.mark.merge
@pytest.mark.xdist_group("odd books")
@pytest.mark.parametrize("which", [0, 1])
def test_no_name_becomes_a_formula_or_a_reference(odd_books, which):
    odd, plain = odd_books[which]
    assert formulas_of(odd) == formulas_of(plain)
    assert _references(odd) == _references(plain)
    assert "hyperlink" not in "".join(parts_of(odd, "sheet").values())
    assert not parts_of(odd, "externalLink|rels/sheet.*drawing.*http")
    names = re.findall(
        r"<definedName .*?</definedName>", parts_of(odd, "workbook.xml$").popitem()[1]
    )
    assert not [name for name in names if "HYPERLINK" in name]


def _references(path):
    """Return all that the charts of a workbook refer to."""
    return {
        name: re.findall(r"<c:f>(.*?)</c:f>", text)
        for name, text in parts_of(path, "charts/").items()
    }


@pytest.mark.merge
@pytest.mark.needs("LibreOffice")
@pytest.mark.xdist_group("odd books")
def test_libreoffice_shows_every_name_as_it_is(odd_books, tmp_path):
    of_scores, cells = map(cells_of, recalculated([odd for odd, _ in odd_books], tmp_path))
    shown = {value for (sheet, _), value in cells.items() if sheet == "Segments"}
    for name in ODD:
        held = name.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
        assert held in shown or f"{held} " in shown, name
    titles = [of_scores[sheet, "A1"] for sheet in ("Summary", "Cut-offs", "Cut-offs 2")]
    assert titles == ["=1+1", "Cut-offs of =1+1", "Cut-offs of +A1"]


@pytest.mark.merge
def test_numbers_that_a_spreadsheet_would_change_are_text(tmp_path):
    path = tmp_path / "book.xlsx"
    scores = [2**60 + 2, 2**60 + 1, 2**60]
    cap.evaluate({"id": cap.ScoreCounts.from_counts(scores, [2, 1, 1], [1, 1, 2])}).save(path)
    cells = cells_of(path)
    assert [cells["Cut-offs", f"A{row}"] for row in (6, 7, 8)] == [str(score) for score in scores]
    close = [0.1, np.nextafter(0.1, 1), math.inf]
    cap.evaluate({"pd": cap.ScoreCounts.from_counts(close, [2, 1, 1], [1, 1, 2])}).save(path)
    found = [cells_of(path)["Cut-offs", f"A{row}"] for row in (6, 7, 8)]
    assert found == ["inf", "0.10000000000000002", "0.1"]


@pytest.mark.merge
def test_grades_and_moments_are_text(tmp_path):
    path = tmp_path / "book.xlsx"
    zoned = [dt.datetime(2024, month, 1, 12, tzinfo=dt.UTC) for month in (1, 2, 1, 2)]
    cap.evaluate([1, 0, 0, 1], [4, 3, 2, 1], by=zoned).save(path)
    assert cells_of(path)["Segments", "A4"] == "2024-01-01T12:00:00+00:00"
    counts = cap.ScoreCounts.from_counts(["10", "9"], [1, 1], [1, 2], levels=["10", "9"])
    cap.evaluate({"grade": counts}).save(path)
    assert cells_of(path)["Cut-offs", "A6"] == "10"


def test_without_a_class_the_workbook_says_why(tmp_path):
    path = tmp_path / "book.xlsx"
    cap.evaluate([0, 0], [1, 2]).save(path)
    cells = cells_of(path)
    assert {sheet for sheet, _ in cells} == {"Summary", "Gains", "Definitions"}
    told = "There are no positives among the 2 cases"
    assert cells["Gains", "A2"] == told
    assert any("there are no positives" in str(value) for value in cells.values())


def test_scores_counted_apart_are_not_compared(tmp_path):
    path = tmp_path / "book.xlsx"
    few, more = cap.count_scores([1, 0], [2, 1]), cap.count_scores([1, 0, 0], [3, 2, 1])
    cap.evaluate({"a": few, "b": more}).save(path)
    assert "counted separately" in cells_of(path)["Comparison", "A2"]
    names = parts_of(path, "workbook.xml$").popitem()[1]
    assert re.findall(r"definedName name=\"Cases\"(.*?)>(.*?)<", names) == [
        (' localSheetId="3"', "'Cut-offs 2'!$O$5"),
        ("", "'Cut-offs'!$O$5"),
    ]


def test_weights_beyond_a_spreadsheet_are_refused_in_one_line(tmp_path):
    evaluation = cap.evaluate([1, 0], [2, 1], weight=[1e200, 1e200], weight_kind="sampling")
    with pytest.raises(ValueError, match=r"positives weigh 1e\+200.*scale the weights"):
        evaluation.save(tmp_path / "book.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_without_the_writer_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "capcurve\[excel\]"'):
        cap.evaluate([1, 0], [2, 1]).save(tmp_path / "book.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_profit_is_refused_and_not_dropped(tmp_path):
    evaluation = cap.evaluate([1, 0, 1, 0], [4, 3, 2, 1], value=3, cost=1)
    with pytest.raises(ValueError, match=r"x\.xlsx is a workbook, which shows no profit"):
        evaluation.save(tmp_path / "x.xlsx")
    assert list(tmp_path.iterdir()) == []


# Numbers that no spreadsheet holds

EXTREME_SCORES = {
    "infinite": [math.inf, 1.0, -math.inf, 0.0],
    "infinite alone": [math.inf, math.inf, -math.inf, -math.inf],
    "huge": [1.7e308, 1e308, 5e-324, -1.7e308],
    "beyond 15 digits": [2**60 + 1, 2**60, 2**53 + 1, 3],
}


@pytest.mark.parametrize("scores", EXTREME_SCORES)
@pytest.mark.parametrize("labels", [[1, 0, 1, 0], [0, 1, 0, 1]])
def test_every_number_that_is_stored_is_one_a_spreadsheet_reads(tmp_path, scores, labels):
    path = tmp_path / "x.xlsx"
    cap.evaluate(labels, EXTREME_SCORES[scores]).save(path)
    numbers = [
        float(value)
        for part in parts_of(path, r"worksheets/sheet\d+\.xml").values()
        for kind, value in re.findall(r"<c ([^>]*)>(?:<f>[^<]*</f>)?<v>([^<]+)</v></c>", part)
        if 't="' not in kind
    ]
    assert len(numbers) > 40
    assert all(abs(number) < 1e308 for number in numbers)


def test_the_place_of_ks_at_an_infinite_score_is_stored_as_its_text(tmp_path):
    path = tmp_path / "x.xlsx"
    cap.evaluate([1, 0, 1, 0], EXTREME_SCORES["infinite"]).save(path)
    sheet = parts_of(path, "worksheets/sheet3")["xl/worksheets/sheet3.xml"]
    assert re.search(r'<c r="O12"[^>]* t="str"><f>IF\(MAX[^<]*</f><v>inf</v>', sheet)


@pytest.fixture
def in_gains(tmp_path):
    """Return a workbook of gains, its sheet and its table."""
    counts = cap.count_scores([1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1])
    table = cap.gains_table(counts, bins=3)
    path = tmp_path / "gains.xlsx"
    write_table("Gains table of pd", table.values(), path, source="a.csv", added_up=True)
    return path, table


def test_a_gains_table_has_title_source_total_and_chart(in_gains, tmp_path):
    path, table = in_gains
    cells, formulas = cells_of(path), formulas_of(path)
    assert [cells["Table", place] for place in ("A1", "A2", "A4")] == [
        *("Gains table of pd", "Source: a.csv", "bin"),
    ]
    last = 5 + len(table)
    heads = {cells["Table", f"{letter}4"]: letter for letter in "ABCDEFGHIJKL"}
    n, positives, rate = (f"{heads[name]}{last}" for name in ("cases", "positives", "rate"))
    assert formulas["Table", n] == f"=SUM({n[0]}5:{n[0]}{last - 1})"
    assert formulas["Table", rate] == f"={positives}/{n}"
    (again,) = recalculated([path], tmp_path)
    found = cells_of(again)
    assert [found["Table", place] for place in (n, positives, rate)] == [6, 3, 0.5]
    (chart,) = parts_of(path, r"charts/chart\d+\.xml").values()
    assert f"Table!${rate[0]}$5:${rate[0]}${last - 1}" in chart


def test_at_a_stated_prevalence_the_rate_of_all_bins_is_left_open(tmp_path):
    counts = cap.count_scores([1, 0, 1, 0], [4, 3, 2, 1])
    table = cap.gains_table(counts, bins=2, prevalence=0.1)
    write_table("t", table.values(), tmp_path / "t.xlsx", added_up=True)
    assert not [words for words in formulas_of(tmp_path / "t.xlsx").values() if "/" in words]


def test_of_a_long_table_the_first_rows_are_printed_under_repeated_heads(tmp_path):
    write_table("Cut-offs", {"threshold": list(range(5000))}, tmp_path / "long.xlsx")
    (book,) = parts_of(tmp_path / "long.xlsx", r"/workbook\.xml$").values()
    assert f"Table!$A$1:$A${4 + MOST_PRINTED}<" in book
    assert "Table!$4:$4<" in book
    (sheet,) = parts_of(tmp_path / "long.xlsx", r"sheet1\.xml$").values()
    assert f"the first {MOST_PRINTED} of 5,000 rows" in sheet


def test_a_wide_table_is_printed_over_several_pages_with_its_first_column_on_each(tmp_path):
    wide = {f"note {place}": ["words " * 9] for place in range(10)}
    write_table("Tests", wide, tmp_path / "wide.xlsx")
    (sheet,) = parts_of(tmp_path / "wide.xlsx", r"sheet1\.xml$").values()
    pages = int(re.search(r'fitToWidth="(\d+)"', sheet)[1])
    assert pages == math.ceil(10 * WIDEST / LETTERS_ON_A_PAGE)
    (book,) = parts_of(tmp_path / "wide.xlsx", r"/workbook\.xml$").values()
    assert "Table!$A:$A,Table!$4:$4<" in book


def test_text_stands_apart_from_the_number_before_it(tmp_path):
    write_table("t", {"bin": [1], "score_from": ["G"]}, tmp_path / "t.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    for place in ("B4", "B5"):
        assert (sheet[place].alignment.horizontal, sheet[place].alignment.indent) == ("left", 1)


def test_the_chart_of_a_summary_stands_below_its_numbers_on_an_upright_page(tmp_path):
    path = tmp_path / "summary.xlsx"
    cap.evaluate([1, 0, 1, 0], [4, 3, 2, 1]).save(path)
    drawn = parts_of(path, r"drawings/drawing1\.xml$")
    (place,) = re.findall(
        r"<xdr:from><xdr:col>(\d+)</xdr:col>.*?<xdr:row>(\d+)</xdr:row>", *drawn.values()
    )
    filled = openpyxl.load_workbook(path)["Summary"].max_row
    assert (int(place[0]), int(place[1]) >= filled) == (0, True)
    (sheet,) = parts_of(path, r"sheet1\.xml$").values()
    assert 'orientation="portrait"' in sheet
