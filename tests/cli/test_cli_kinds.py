"""Commands on sheets, databases, zip, zst, Arrow files and folders, as on csv."""

import json
import sqlite3
import zipfile

import duckdb
import openpyxl
import pytest

from cli_calls import call, done, refused

ROWS = [
    ["y", "pd", "grade", "day"],
    ["1", "0.75", "C", "2024-01-31"],
    ["0", "0.125", "A", "2024-01-30"],
    ["0", "0.25", "B", "2024-02-01"],
    ["1", "0.5", "B", "2024-02-29"],
    ["0", "0.5", "C", "2024-02-28"],
]
PAIR = ("-t", "y", "-s", "pd")


def number(word):
    try:
        return float(word)
    except ValueError:
        return word


def as_book(path, rows, above=()):
    book = openpyxl.Workbook()
    book.active.title = "Loans"
    for row in [*above, rows[0], *(map(number, row) for row in rows[1:])]:
        book.active.append(list(row))
    book.create_sheet("Notes").append(["nothing"])
    book.save(path)


def as_sqlite(path, rows, table="loans"):
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE TABLE {table} ({', '.join(rows[0])})")
    marks = ",".join("?" * len(rows[0]))
    values = [list(map(number, row)) for row in rows[1:]]
    connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)  # noqa: S608
    connection.commit()
    connection.close()


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "".join(",".join(row) + "\n" for row in ROWS)
    (tmp_path / "loans.csv").write_text(text)
    as_book("loans.xlsx", ROWS)
    as_book("titled.xlsx", ROWS, above=[["Loans of 2024"], [None]])
    as_sqlite("loans.db", ROWS)
    as_sqlite("bank.db", ROWS)
    as_sqlite("bank.db", ROWS[:1], "other")
    with duckdb.connect("loans.duckdb") as connection:
        connection.execute("CREATE TABLE loans AS FROM 'loans.csv'; CREATE VIEW v AS FROM loans")
    with zipfile.ZipFile("loans.zip", "w") as archive:
        archive.write("loans.csv")
    for month in ("2024-01", "2024-02"):
        folder = tmp_path / "parts" / f"month={month}"
        folder.mkdir(parents=True)
        kept = [ROWS[0], *(row for row in ROWS[1:] if row[3].startswith(month))]
        (folder / "part-0.csv").write_text("".join(",".join(row) + "\n" for row in kept))


KINDS = {
    "loans.xlsx": (),
    "titled.xlsx": ("--skip-lines", 2, "--sheet", "Loans"),
    "loans.db": (),
    "bank.db": ("--table", "loans"),
    "loans.duckdb": ("--table", "main.loans"),
    "loans.zip": (),
    "parts": (),
}


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    "words",
    [
        ("summary", *PAIR, "--by", "day", "--by-period", "month", "-f", "json"),
        ("gains", *PAIR, "-f", "csv"),
        ("gains", "-t", "y", "-s", "grade", "--levels", "C,B,A", "-f", "csv"),
        ("gains", *PAIR, "--pos-label", "0", "-f", "csv"),
        ("gains", *PAIR, "--memory-limit", "300MB", "-f", "csv"),
    ],
    ids=" ".join,
)
def test_commands_say_the_same_of_every_kind(words):
    command, *rest = words
    told = done(command, "loans.csv", *rest).stdout
    for name, options in KINDS.items():
        found = done(command, name, *rest, *options).stdout
        if "json" in rest:
            assert json.loads(found)["scores"] == json.loads(told)["scores"], name
        else:
            assert found == told, name


@pytest.mark.parametrize("name", KINDS)
def test_columns_are_proposed_with_the_options_that_were_typed(name):
    options = KINDS[name]
    told = call("summary", name, *options)
    assert told.exit_code == 2
    line = told.stderr.split("Then run:")[1].split("\n\n")[1].strip()
    typed = " ".join(map(str, ("capcurve", "summary", name, *options)))
    assert line == f"{typed} --target y --score pd"


def test_sheets_and_tables_are_listed_where_none_is_meant():
    told = refused("summary", "bank.db", *PAIR)
    assert told == "bank.db has 2 tables, 'loans', 'other'; name one, such as --table loans"
    told = refused("summary", "loans.xlsx", *PAIR, "--sheet", "loans")
    assert told == (
        "loans.xlsx has no sheet 'loans'; did you mean 'Loans'? Its sheets are 'Loans', 'Notes'"
    )
    told = refused("summary", "titled.xlsx", *PAIR)
    assert told.endswith("; if row 3 has its column names, pass --skip-lines 2")
    told = refused("summary", "loans.xlsx", "-t", "y", "-s", "nothing")
    assert told.endswith("; its other sheets are 'Notes': name one with --sheet Notes")
    told = refused("summary", "loans.csv", *PAIR, "--sheet", "Loans")
    assert told == "--sheet names a sheet of a spreadsheet, and loans.csv is csv; leave it out"
    told = refused("summary", "loans.xlsx", *PAIR, "--table", "loans")
    assert told.startswith("--table names a table of a database, and loans.xlsx is a spreadsheet")
    told = refused("summary", "loans.xlsx", *PAIR, "--delimiter", ";")
    assert told.startswith("--delimiter says how csv is written, and loans.xlsx is a spreadsheet")


def test_rows_of_a_sheet_are_called_as_it_shows_them():
    rows = [*ROWS, ["0", "x", "A", "2024-03-01"]]
    as_book("text.xlsx", rows)
    assert "pd holds 'x' in row 7 of the sheet" in refused("summary", "text.xlsx", *PAIR)
    as_book("below.xlsx", rows, above=[["Loans of 2024"], [None]])
    told = refused("summary", "below.xlsx", *PAIR, "--skip-lines", 1)
    assert "pd holds 'x' in row 9 of the sheet" in told


@pytest.mark.merge
def test_saved_counts_are_read_from_sheets_and_databases():
    done("counts", "loans.csv", *PAIR, "-o", "counts.csv")
    with open("counts.csv") as file:  # noqa: PTH123 - as its reader sees it
        rows = [line.rstrip("\n").split(",") for line in file]
    as_book("counts.xlsx", rows)
    as_sqlite("counts.db", rows, "cells")
    told = done("summary", "loans.csv", *PAIR, "-f", "csv").stdout
    for name in ("counts.xlsx", "counts.db"):
        assert (
            done("summary", name, "--counts", "-s", "score", "-f", "csv").stdout.split(",")[-8:]
            == (told.split(",")[-8:])
        )


@pytest.mark.merge
def test_earlier_samples_of_every_kind():
    for name, options in KINDS.items():
        if "--skip-lines" in options:  # which holds for every csv file and sheet that is read
            continue
        check = ("check", "loans.csv", *PAIR, "--baseline", name, "--max-drop", "0.01")
        told = refused(*check) if options else done(*check).stdout
        assert ("the same counts as the baseline" in told) is (not options)
        # What is said of FILE is not about a BEFORE of another kind.
        check = ("check", name, *options, *PAIR, "--baseline", "loans.csv", "--max-drop", "0.01")
        assert "the same counts as the baseline" in done(*check).stdout
    both = ("stability", "loans.db", "bank.db", "--table", "loans", "-s", "pd")
    assert "PSI is 0.000" in done(*both).stdout


@pytest.mark.merge
def test_standard_input_may_be_of_any_kind(tmp_path):
    told = done("summary", "loans.csv", *PAIR, "-f", "csv").stdout
    for name in ("loans.xlsx", "loans.db", "loans.zip"):
        data = (tmp_path / name).read_bytes()
        assert done("summary", "-", *PAIR, "-f", "csv", data=data).stdout == told
        by = ("--pos-label", "1", "-f", "csv")
        assert done("summary", "-", *PAIR, *by, data=data).stdout == told


def test_no_output_overwrites_what_is_in_a_folder_that_is_read():
    place = "parts/month=2024-01/part-0.csv"
    told = refused("gains", "parts", *PAIR, "-o", place)
    assert told == f"--output {place} is also an input; it would be overwritten"
    told = refused("gains", "loans.xlsx", *PAIR, "-o", "loans.xlsx")
    assert told == "--output loans.xlsx is also an input; it would be overwritten"


def test_segments_by_the_folders_of_files():
    told = done("summary", "parts", *PAIR, "--by", "month", "-f", "csv").stdout
    assert [line.split(",")[1] for line in told.splitlines()] == ["segment", "2024-01", "2024-02"]
