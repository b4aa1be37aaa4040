"""How the ECB's table is saved and shown, and that the sheet it is of stays as it was."""

import csv
import json
import math
import re

import jsonschema
import openpyxl
import pytest

import capcurve as cap
from capcurve.studies.validation.ecb import WORKBOOK_WIDTHS
from capcurve.studies.validation.sheet import schema
from ecb_samples import COLUMNS, counts, ecb, exposure, initial_rows, lgd, lines, sheet, whole_sheet

PD, LGD = ecb(), lgd()
TABLES = {"pd": PD, "lgd": LGD, "with gaps": ecb(exposure=None, statuses=None)}
SETTINGS = {
    *("level", "seed", "power", "score", "start", "final", "higher_is", "limits"),
    "asset_correlation",
}


def cell(row, name):
    """Return a cell of a line as a file without types has it: text, or nothing."""
    value = row[name]
    if isinstance(value, float):
        return "" if math.isnan(value) else value
    return value


def rows_of(path, tab=None):
    """Return the rows of a workbook's sheet below its heads, nothing as empty text."""
    book = openpyxl.load_workbook(path, data_only=True)
    found = book[tab] if tab else book.worksheets[0]
    rows = [["" if value is None else value for value in row] for row in found.values]
    heads = [[str(value).lower() for value in row] for row in rows]
    top = next(at for at, row in enumerate(heads) if {"section", "item", "missing"} <= set(row))
    places = [heads[top].index(name) for name in COLUMNS]
    below = rows[top + 1 :]
    end = next((at for at, row in enumerate(below) if not row[places[1]]), len(below))
    return [[row[place] for place in places] for row in below[:end]]


def same_cell(found, expected):
    """Tell whether a cell of a workbook is what a line has; a number in a name may be one."""
    if isinstance(expected, float) or isinstance(found, int | float):
        return found != "" and float(found) == pytest.approx(float(expected), rel=1e-14)
    return str(found).lstrip("'") == expected


@pytest.mark.parametrize("name", TABLES)
def test_csv_read_back_is_the_table(tmp_path, name):
    table = TABLES[name]
    with table.save(tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    assert tuple(found[0]) == COLUMNS
    expected = list(lines(table).values())
    assert len(found) == len(expected)
    for read, row in zip(found, expected, strict=True):
        for column in COLUMNS:
            if isinstance(row[column], float) and not math.isnan(row[column]):
                assert float(read[column]) == row[column]
            else:
                assert read[column] == cell(row, column)


@pytest.mark.parametrize("name", TABLES)
def test_a_workbook_holds_the_table(tmp_path, name):
    table = TABLES[name]
    found = rows_of(table.save(tmp_path / "t.xlsx"))
    expected = list(lines(table).values())
    assert len(found) == len(expected)
    for read, row in zip(found, expected, strict=True):
        for value, column in zip(read, COLUMNS, strict=True):
            assert same_cell(value, cell(row, column)), (column, value, row)


@pytest.mark.parametrize("name", TABLES)
def test_json_holds_the_lines(tmp_path, name):
    table = TABLES[name]
    saved = json.loads(table.save(tmp_path / "t.json").read_text(encoding="utf-8"))
    assert (saved["schema"], saved["schema_version"]) == ("capcurve.ecb", 1)
    expected = list(lines(table).values())
    assert len(saved["lines"]) == len(expected)
    for read, row in zip(saved["lines"], expected, strict=True):
        assert set(read) == set(COLUMNS)
        for column in COLUMNS:
            value = (
                None if isinstance(row[column], float) and math.isnan(row[column]) else row[column]
            )
            assert read[column] == value or (value == "" and read[column] is None)


def test_a_data_frame_holds_the_table():
    frame = PD.table.to_frame("pandas")
    assert tuple(frame.columns) == COLUMNS
    assert len(frame) == len(PD.table)
    assert frame["value"].tolist()[0] == PD.table["value"].tolist()[0]


@pytest.mark.parametrize("name", TABLES)
def test_the_text_has_the_portfolio_and_counts_each_section(name):
    table = TABLES[name]
    said = table.to_text()
    assert table.sentence in " ".join(said.split())
    for section in dict.fromkeys(table.table["section"].tolist()):
        assert section in said
    assert len(said.splitlines()) < len(table.table)  # no cell of the matrix


def test_the_text_says_what_the_tests_take_as_known():
    assert "known" in PD.to_html()
    assert "unverified" not in PD.to_html()
    assert "compliant" not in PD.to_html()


def test_the_page_of_the_table_has_every_section():
    page = PD.to_html()
    for section in dict.fromkeys(PD.table["section"].tolist()):
        assert section in page
    assert page.count("<html") == 1


# The sheet


def test_the_workbook_of_a_sheet_has_the_table_in_a_tab(tmp_path):
    made = whole_sheet()
    found = rows_of(made.save(tmp_path / "sheet.xlsx"), "ECB 2.5")
    expected = list(lines(made.ecb()).values())
    assert len(found) == len(expected) == 231
    for read, row in zip(found, expected, strict=True):
        for value, column in zip(read, COLUMNS, strict=True):
            assert same_cell(value, cell(row, column)), (column, value, row)


@pytest.mark.parametrize(
    ("left_out", "has_it"),
    [
        ((), True),
        (("end", "outside", "final", "joint"), True),
        (("pd",), True),
        (("pd", "end", "outside", "final", "joint"), False),
    ],
    ids=["both", "PDs", "migration", "neither"],
)
def test_the_table_is_behind_a_sheet_of_pds_or_migration(tmp_path, left_out, has_it):
    made = sheet(**dict.fromkeys(left_out))
    book = openpyxl.load_workbook(made.save(tmp_path / "sheet.xlsx"), read_only=True)
    assert ("ECB 2.5" in book.sheetnames) is has_it
    page = made.to_html()
    # No other table of the sheet has this clause.
    assert ("2.5.2.3" in page) is has_it


def test_the_table_changes_neither_the_digest_nor_the_json_of_a_sheet():
    made = sheet()
    digest, said, page = made.digest(), made.to_json(), made.to_html()
    made.ecb(exposure=exposure())
    made.ecb(best_first=True)
    assert (made.digest(), made.to_json(), made.to_html()) == (digest, said, page)
    assert sheet().to_json() == said
    saved = json.loads(said)
    jsonschema.validate(saved, schema())
    assert "given" not in saved
    assert not any("ecb 2.5" in str(table["name"]).lower() for table in saved["tables"])


def test_a_sheet_without_an_end_is_saved_as_before():
    """Kept samples are no part of what is signed, so an earlier sheet keeps its digest."""
    made = cap.validate(counts(), initial=counts(initial_rows()))
    saved = made.to_dict()
    assert set(saved) == {
        *("digest", "findings", "inputs", "not_covered", "not_done", "schema", "schema_version"),
        *("sections", "settings", "subject", "tables", "tests", "version"),
    }
    assert set(saved["settings"]) | {"asset_correlation"} == SETTINGS


def test_the_table_is_computed_when_it_is_asked_for():
    made = whole_sheet()
    first, again = made.ecb(), made.ecb()
    assert first.table["value"].tolist() == pytest.approx(
        again.table["value"].tolist(), nan_ok=True, rel=0, abs=0
    )
    assert first.missing > ecb().missing


def test_pages_escape_the_names_of_grades():
    names = ["<i>", "b&b"]
    target = [1, 0, 1, 0, 0, 0]
    grades = ["<i>", "<i>", "b&b", "b&b", "b&b", "<i>"]
    joint = cap.count_joint(target, {"a": grades, "b": grades[::-1]}, levels=names)
    found = cap.validate(joint.margin("a"), joint=joint, end="b").ecb()
    assert "<i>" not in found.to_html()
    assert ("2.5.3.1", "n", "<i>", "") in lines(found)


def test_a_name_that_is_a_formula_is_text_in_a_spreadsheet(tmp_path):
    names = ["=1+1", "A"]
    now = cap.count_scores([1, 0, 1, 0], ["=1+1", "=1+1", "A", "A"], levels=names)
    text = cap.validate(now).ecb().save(tmp_path / "t.csv").read_text()
    assert not re.search(r"(^|,)=1\+1", text)
    assert "'=1+1" in text


def test_the_page_says_what_is_missing_and_which_argument_fills_it():
    page = sheet(final=None).to_html()
    part = page[page.index("ECB 2019, section 2.5: PD") :]
    assert "lines filled; missing: overrides (final=)" in part
    assert "yours to add" in part
    for argument in ("final=", "exposure=", "initial_dates="):
        assert f">{argument}</td>" in part
    assert "take the initial value as known" in part


def test_a_phone_shows_the_value_before_the_words():
    assert list(PD.presentation().tables[0].columns) == ["section", "value", "what", "unit", "from"]


def test_the_matrix_of_shares_is_shaded_and_those_of_its_tests_are_not():
    shaded = {table.name.split(": ")[-1]: table.square for table in PD.presentation().more}
    assert shaded["share of the grade's customers"]
    assert sum(shaded.values()) == 1


def test_the_words_of_a_line_fit_their_column_of_a_workbook():
    for table in TABLES.values():
        assert max(map(len, table.table["what"].tolist())) <= WORKBOOK_WIDTHS[COLUMNS.index("what")]
