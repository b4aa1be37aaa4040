"""The same table in every kind of file gives the same counts and the same refusals."""

import datetime as dt
import gzip
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import duckdb
import openpyxl
import polars as pl
import pyarrow as pa
import pytest
import xlsxwriter
from files_reading import fails, listed, read
from pyarrow import feather
from pyarrow.parquet import write_table

import capcurve as cap
from capcurve.cli.proposing import list_columns
from capcurve.input.files import Files, sources, unpacking
from capcurve.input.files.reading import column_names

zstd = unpacking.import_module(
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
)


NAMES = ["y", "pd", "grade", "day", "loss", "id"]
ROWS = [
    [1, 0.75, "C", dt.date(2024, 1, 31), 12.5, 2**53],
    [0, 0.125, "A", dt.date(2024, 1, 31), 0.0, 3],
    [0, 0.25, "B", dt.date(2024, 2, 1), 0.0, 3],
    [1, 0.5, "B", dt.date(2024, 2, 29), 7.0, 5],
    [0, 0.5, "C", dt.date(2024, 3, 1), 0.0, 6],
]


def as_csv(path, rows=ROWS, names=NAMES):
    lines = [names, *rows]
    text = "".join(",".join("" if x is None else str(x) for x in line) + "\n" for line in lines)
    path.write_text(text)


def as_excel(path, rows=ROWS, names=NAMES):
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet("Loans")
        for place, row in enumerate([names, *rows]):
            sheet.write_row(place, 0, row)


def as_sqlite(path, rows=ROWS, names=NAMES):
    connection = sqlite3.connect(path)
    quoted = ", ".join('"{}"'.format(name.replace('"', '""')) for name in names)
    connection.execute(f"CREATE TABLE loans ({quoted})")
    values = [[str(x) if isinstance(x, dt.date) else x for x in row] for row in rows]
    connection.executemany(f"INSERT INTO loans VALUES ({','.join('?' * len(names))})", values)  # noqa: S608
    connection.commit()
    connection.close()


def arrow(rows=ROWS, names=NAMES):
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def as_duckdb(path, rows=ROWS, names=NAMES):
    with duckdb.connect(str(path)) as connection:
        connection.register("given", arrow(rows, names))
        connection.execute("CREATE TABLE loans AS FROM given")


def as_zip(path, rows=ROWS, names=NAMES):
    inside = path.with_name("inside.csv")
    as_csv(inside, rows, names)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(inside, "month 1/loans.csv")
        archive.writestr("__MACOSX/month 1/._loans.csv", b"\0\1")
    inside.unlink()


def as_zst(path, rows=ROWS, names=NAMES):
    as_csv(path, rows, names)
    path.write_bytes(zstd.compress(path.read_bytes()))


def as_stream(path, rows=ROWS, names=NAMES):
    with pa.ipc.new_stream(path, arrow(rows, names).schema) as file:
        file.write_table(arrow(rows, names), max_chunksize=2)


KINDS = {
    "a.csv": as_csv,
    "a.xlsx": as_excel,
    "a.db": as_sqlite,
    "a.sqlite3": as_sqlite,
    "a.duckdb": as_duckdb,
    "b.db": as_duckdb,
    "a.zip": as_zip,
    "a.csv.zst": as_zst,
    "a.parquet": lambda path, *given: write_table(arrow(*given), path),
    "a.feather": lambda path, *given: feather.write_feather(arrow(*given), path),
    "b.feather": lambda path, *given: pl.from_arrow(arrow(*given)).write_ipc(path),
    "a.arrow": as_stream,
}
OF_CSV = ["a.csv", "a.zip", "a.csv.zst"]  # whose cells have no types
TEXT = [*OF_CSV, "a.xlsx", "a.db"]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def made(folder, kind, *given):
    path = folder / kind
    KINDS[kind](path, *given)
    return path


@pytest.mark.turns(3)
def test_every_kind_gives_the_same_counts(tmp_path, kind):
    path = made(tmp_path, kind)
    frame = pl.DataFrame(ROWS, schema=NAMES, orient="row")
    assert column_names(Files.of(path)) == NAMES
    for given in ("pd", "id"):
        assert cap.count_scores("y", given, data=path) == cap.count_scores("y", given, data=frame)
    grades = {"levels": ["C", "B", "A"], "by": "day", "period": "month"}
    found = cap.count_segments("y", "grade", data=path, **grades)
    assert found == cap.count_segments("y", "grade", data=frame, **grades)
    assert {key: (part.n1, part.n) for key, part in found.items()} == {
        "2024-01": (1, 2),
        "2024-02": (1, 2),
        "2024-03": (0, 1),
    }
    amounts = cap.count_values("loss", "pd", data=path)
    assert amounts == cap.count_values("loss", "pd", data=frame)
    assert cap.captured_response(amounts, 0.2) == 12.5 / 19.5
    together = cap.count_joint("y", ["pd", "id"], data=path, cluster="grade")
    assert together == cap.count_joint("y", ["pd", "id"], data=frame, cluster="grade")
    assert cap.evaluate("y", "pd", path).counts["pd"] == cap.count_scores("y", "pd", data=path)


@pytest.mark.turns(3)
def test_every_kind_is_counted_within_a_memory_limit_and_beside_csv(tmp_path, kind):
    path, rest = made(tmp_path, kind), tmp_path / "rest.csv"
    as_csv(rest)
    once = cap.count_scores("y", "pd", data=path)
    assert cap.count_scores("y", "pd", data=path, memory_limit="300MB") == once
    assert cap.count_scores("y", "pd", data=[path, rest]) == once.merge([once, once])


def test_missing_values_are_those_of_every_kind(tmp_path, kind):
    rows = [[1, 0.75], [0, None], [0, 0.25], [None, 0.5]]
    path = made(tmp_path, kind, rows, ["y", "pd"])
    told = (
        "y is missing (null or NaN) in 1 of 4 rows, first in row 3; pd is missing (null or NaN) in "
        '1 of 4 rows, first in row 1; pass missing="drop" to leave such rows out'
    )
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - all of it is compared
        cap.count_scores("y", "pd", data=path)
    assert str(refused.value) == told
    left = cap.count_scores("y", "pd", data=path, missing="drop")
    assert (left.n1, left.n0, left.dropped.rows) == (1, 1, 2)


@pytest.mark.parametrize("text", TEXT)
def test_text_among_numbers_is_refused_as_in_csv(tmp_path, text):
    path = made(tmp_path, text, [[1, 0.75], [0, 0.5], [1, "none"], [0, 0.25]], ["y", "pd"])
    with pytest.raises(TypeError) as refused:
        cap.count_scores("y", "pd", data=path)
    as_csv(tmp_path / "b.csv", [[1, 0.75], [0, 0.5], [1, "none"], [0, 0.25]], ["y", "pd"])
    with pytest.raises(TypeError, match="'none' in row 2") as of_csv:
        cap.count_scores("y", "pd", data=tmp_path / "b.csv")
    assert str(refused.value) == str(of_csv.value)
    assert (
        cap.count_scores(
            "y", "pd", data=Files.of(path, null_values=["none"]), missing="drop"
        ).dropped.rows
        == 1
    )


@pytest.mark.parametrize("text", TEXT)
def test_words_for_no_value_and_numbers_as_text_are_read_as_in_csv(tmp_path, text):
    rows = [["1", "0.50", "1.5"], ["0", "NA", "1.250"], ["1", ".", "#N/A"], ["0", "", "2.5"]]
    path = made(tmp_path, text, rows, ["y", "pd", "x"])
    y, pd, x = read(path, "y", "pd", "x")
    assert (listed(y), listed(pd)) == ([1, 0, 1, 0], [0.5, None, None, None])
    assert listed(x) == [1.5, 1.25, None, 2.5]
    assert y.values.dtype == "int64"


@pytest.mark.turns(3)
@pytest.mark.parametrize("text", [kind for kind in KINDS if kind not in OF_CSV])
def test_ids_of_text_keep_their_noughts(tmp_path, text):
    rows = [[1, 0.9, "07"], [0, 0.2, "7"], [1, 0.4, "7"], [0, 0.1, "07"], [0, 0.3, None]]
    path = made(tmp_path, text, rows, ["y", "pd", "01"])
    segments = cap.count_segments("y", "pd", data=path, by="01")
    assert {key: counts.n for key, counts in segments.items()} == {"07": 2, "7": 2, None: 1}
    assert {info.name: info.type for info in list_columns(Files.of(path))}["01"] == "text"
    (tmp_path / "n").mkdir()
    numbers = made(tmp_path / "n", text, [[1, 0.9, 7], [0, 0.2, 12]], ["y", "pd", "01"])
    assert list(cap.count_segments("y", "pd", data=numbers, by="01")) == [7, 12]


@pytest.mark.parametrize("text", TEXT)
def test_numbers_keep_their_digits(tmp_path, text):
    rows = [[0.1, 1.234, 1.5, -0.5], [1e-300, 2.345, 3, 7.0], [1 / 3, 12.125, -1, 1e22]]
    path = made(tmp_path, text, rows, ["a", "three", "mixed", "wide"])
    found = [listed(column) for column in read(path, "a", "three", "mixed", "wide")]
    assert [list(row) for row in zip(*found, strict=True)] == rows
    assert all(isinstance(x, float) for x in found[1])


def test_booleans_are_booleans(tmp_path):
    for name, make in {"a.xlsx": as_excel, "a.duckdb": as_duckdb}.items():
        make(tmp_path / name, [[True, 0.5], [False, 0.25]], ["y", "pd"])
        assert listed(read(tmp_path / name, "y")) == [True, False]
        assert cap.roc_auc("y", "pd", data=tmp_path / name) == 1.0


# Spreadsheets


@pytest.fixture
def book(tmp_path):
    """Make a workbook of sheets, each a list of rows."""

    def book(name="book.xlsx", hidden=(), **sheets):
        made = openpyxl.Workbook()
        made.remove(made.active)
        for title, rows in sheets.items():
            sheet = made.create_sheet(title)
            for row in rows:
                sheet.append(row)
            sheet.sheet_state = "hidden" if title in hidden else "visible"
        made.save(tmp_path / name)
        return str(tmp_path / name)

    return book


PLAIN = [["y", "pd"], [1, 0.5], [0, 0.25]]


def test_the_first_sheet_that_is_shown_is_read_or_one_by_name(book):
    path = book(hidden=["Notes"], Notes=[["y"], [7]], Loans=PLAIN, Old=[["y"], [5], [6]])
    assert listed(read(path, "y")) == [1, 0]
    assert listed(read(path, "y", sheet="Old")) == [5, 6]
    assert listed(read(path, "y", sheet="Notes")) == [7]
    told = fails(path, "y", match="no sheet 'old'", sheet="old")
    assert told.endswith("; did you mean 'Old'? Its sheets are 'Notes', 'Loans', 'Old'")
    told = fails(path, "x", match="has no column 'x'")
    assert told.endswith(
        "; its other sheets are 'Notes', 'Old': name one with Files.of(path, sheet='Notes')"
    )


def test_titles_above_a_table_are_passed_over_when_asked(book):
    path = book(Loans=[["Loans of 2024"], [], *PLAIN])
    told = fails(path, "pd", match="has one column, 'Loans of 2024'")
    assert told.endswith("; if row 3 has its column names, pass Files.of(path, skip_lines=2)")
    for lines in (1, 2):
        assert listed(read(path, "pd", skip_lines=lines)) == [0.5, 0.25]
    fails(path, "pd", match="sheet 'Loans' of .* has no column names and no rows", skip_lines=9)
    fails(book(Loans=[]), "pd", match="has no column names and no rows")


def test_blank_rows_at_the_end_are_no_rows_and_others_lack_values(book):
    path = book(Loans=[["y", "pd"], [1, 0.5], [], [0, 0.25], [None, None], ["", ""]])
    assert [listed(column) for column in read(path, "y", "pd")] == [[1, None, 0], [0.5, None, 0.25]]


def test_names_of_columns_are_what_their_cells_hold(book):
    path = book(Loans=[["y", 2024, None, "y", "a\nb"], [1, 2, 3, 4, 5]])
    assert column_names(Files.of(path)) == ["y", "2024", "", "y", "a\nb"]
    assert listed(read(path, "a\nb")) == [5]
    fails(path, "y", match="has 2 columns named 'y'")
    fails(book(Loans=[[0.5, 1], [0.25, 0]]), "y", match="has no column names: its first line is")


def test_dates_times_and_errors_are_what_csv_would_hold(book):
    moment = dt.datetime.fromisoformat("2024-02-29 13:30")
    rows = [["day", "at", "x", "e"], [dt.date(2024, 1, 31), moment, 0.5, "#DIV/0!"]]
    path = book(Loans=[*rows, [dt.datetime.fromisoformat("2024-02-01"), None, "#N/A", "=1/0"]])
    day, at, x, e = read(path, "day", "at", "x", "e")
    assert listed(day) == ["2024-01-31", "2024-02-01"]
    assert listed(at) == ["2024-02-29 13:30:00", None]
    assert (listed(x), listed(e)) == ([0.5, None], [None, None])


def test_a_decimal_comma_is_of_numbers_stored_as_text(book):
    path = book(Loans=[["a", "b"], ["0,5", 0.5], ["1,25", 1.234]])
    assert [listed(column) for column in read(path, "a", "b")] == [[0.5, 1.25], [0.5, 1.234]]
    found = read(path, "a", "b", decimal=",")
    assert [listed(column) for column in found] == [[0.5, 1.25], [0.5, 1.234]]
    unclear = book(Loans=[["a"], ["1,234"]])
    fails(unclear, "a", match="the decimal mark is not clear")
    assert listed(read(unclear, "a", decimal=",")) == [1.234]


def test_damaged_and_protected_workbooks(book, write, monkeypatch):
    whole = Path(book(Loans=PLAIN)).read_bytes()
    for cut in (100, len(whole) // 2, len(whole) - 1):
        fails(write("cut.xlsx", whole[:cut]), "y", match=r"cut\.xlsx is damaged, or is no spreads")
    fails(write("text.xlsx", "y,pd\n1,0.5\n"), "y", match="is not a spreadsheet")
    fails(write("a.xlsx.gz", gzip.compress(whole)), "y", match="a spreadsheet inside gzip")
    assert listed(read(write("named.csv", whole), "pd")) == [0.5, 0.25]
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ModuleNotFoundError, match=r'book\.xlsx: pip install "capcurve\[excel\]"'):
        read(book(Loans=PLAIN), "y")


@pytest.mark.turns(3)
@pytest.mark.needs("LibreOffice")
@pytest.mark.parametrize("form", ["xlsx", "ods", "xls"])
def test_sheets_of_libreoffice_give_the_same_counts(tmp_path, form):
    as_csv(tmp_path / "loans.csv")
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    call = [shutil.which("soffice"), profile, "--headless", "--convert-to", form, "loans.csv"]
    subprocess.run(call, check=True, capture_output=True, timeout=200, cwd=tmp_path)
    path = tmp_path / f"loans.{form}"
    csv = tmp_path / "loans.csv"
    assert cap.count_scores("y", "pd", data=path) == cap.count_scores("y", "pd", data=csv)
    by = {"by": "day", "period": "month"}
    months = cap.count_segments("y", "pd", data=path, **by)
    assert months == cap.count_segments("y", "pd", data=csv, **by)
    shutil.rmtree(tmp_path / "profile")


# Databases


def test_tables_of_sqlite_are_listed_and_views_are_tables(tmp_path):
    path = tmp_path / "bank.db"
    connection = sqlite3.connect(path)
    connection.executescript(
        'CREATE TABLE loans (y, pd); CREATE TABLE "my ""odd"" table" (y, pd);'
        "INSERT INTO loans VALUES (1, 0.5), (0, 0.25); CREATE VIEW good AS SELECT * FROM loans "
        'WHERE y = 0; INSERT INTO "my ""odd"" table" VALUES (1, 3)'
    )
    connection.close()
    names = "'good', 'loans', 'my \"odd\" table'"
    told = fails(path, "y", match="has 3 tables")
    assert told == f"{path} has 3 tables, {names}; name one, such as Files.of(path, table='good')"
    told = fails(path, "y", match="no table 'loan'", table="loan")
    assert told == f"{path} has no table 'loan'; did you mean 'loans'? Its tables are {names}"
    assert listed(read(path, "pd", table="good")) == [0.25]
    assert listed(read(path, "pd", table='my "odd" table')) == [3]
    assert listed(read(path, "pd", table="main.loans")) == [0.5, 0.25]


def test_values_of_sqlite_are_judged_one_by_one(tmp_path):
    path = tmp_path / "bank.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (id INTEGER, x REAL, word TEXT, mixed, photo, big)")
    rows = [(2**53 + 1, 1.0, "01", 1, b"\0", 2**62), (3, math.inf, "2", 0.5, None, None)]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    found = read(path, "id", "x", "word", "mixed", "big")
    assert [listed(column) for column in found] == [
        [2**53 + 1, 3],
        [1.0, math.inf],
        ["01", "2"],
        [1.0, 0.5],
        [2**62, None],
    ]
    fails(path, "photo", match="column 'photo' of .* has binary values")


def test_text_of_sqlite_may_hold_anything(tmp_path):
    words = ["x\ry", "x\r\ny", "q\nz", '"', "\x1f", " a", "'", "a\x1fb", '"";', "é"]
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute('CREATE TABLE t (y, "a\rb")')
    connection.executemany("INSERT INTO t VALUES (1, ?)", [(word,) for word in words])
    connection.execute('CREATE VIEW alone AS SELECT y, "a\rb" FROM t')
    connection.execute("CREATE TABLE one (s)")
    connection.executemany("INSERT INTO one VALUES (?)", [(1,), (None,), ("",), (2,)])
    connection.commit()
    connection.close()
    for table in ("t", "alone"):
        assert listed(read(tmp_path / "a.db", "a\rb", table=table)) == words
    assert listed(read(tmp_path / "a.db", "s", table="one")) == [1, None, None, 2]


def test_a_locked_sqlite_database(tmp_path):
    path = tmp_path / "a.db"
    as_sqlite(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    fails(path, "y", match=r"a\.db is locked by a program that writes to it; run again when")
    other.execute("ROLLBACK")
    other.close()
    assert len(read(path, "y")) == 5


def test_sqlite_with_a_log_of_its_own_is_left_as_it_is(tmp_path):
    path = tmp_path / "a.db"
    as_sqlite(path)
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("INSERT INTO loans (y, pd) VALUES (1, 0.5)")
    writer.commit()
    assert len(read(path, "y")) == 6  # while the writer is there
    (tmp_path / "copy").mkdir()
    for ending in ("", "-wal"):  # which holds the sixth row
        shutil.copy(f"{path}{ending}", tmp_path / "copy")
    assert len(read(tmp_path / "copy" / "a.db", "y")) == 6
    assert {each.name for each in (tmp_path / "copy").iterdir()} == {"a.db", "a.db-wal"}
    writer.close()
    assert len(read(path, "y")) == 6
    assert [each.name for each in tmp_path.glob("a.db*")] == ["a.db"]


def test_a_python_without_sqlite(tmp_path, monkeypatch):
    as_sqlite(tmp_path / "a.db")
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with pytest.raises(ModuleNotFoundError, match=r"a\.db needs a Python that has its own mod"):
        read(tmp_path / "a.db", "y")


def test_sqlite_whose_writer_was_interrupted(tmp_path):
    path = tmp_path / "a.db"
    as_sqlite(path)
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA cache_size = 1")
    rows = [(1, 0.5)] * 10_000  # more than a page
    writer.executemany("INSERT INTO loans (y, pd) VALUES (?, ?)", rows)
    (tmp_path / "copy").mkdir()
    for ending in ("", "-journal"):
        shutil.copy(f"{path}{ending}", tmp_path / "copy")
    writer.close()
    fails(tmp_path / "copy" / "a.db", "y", match=r"a\.db has a write that did not end; open it in")


def test_damaged_databases(tmp_path, write):
    as_sqlite(tmp_path / "a.db")
    whole = (tmp_path / "a.db").read_bytes()
    for cut in (200, 4096, len(whole) - 100):
        fails(write("cut.db", whole[:cut]), "y", match=r"cut\.db is damaged or cut short")
    as_duckdb(tmp_path / "a.duckdb")
    whole = (tmp_path / "a.duckdb").read_bytes()
    for cut in (100, 20_000):
        fails(
            write("cut.duckdb", whole[:cut]), "y", match=r"cut\.duckdb is not a whole file: it is"
        )
    changed = whole[:20_000] + bytes(each ^ 90 for each in whole[20_000:])
    fails(write("cut.duckdb", changed), "y", match=r"cut\.duckdb is not a whole file")
    for name in ("text.db", "text.sqlite", "text.duckdb"):
        fails(write(name, "y,pd\n1,0.5\n"), "y", match="is not an? .* database: it does not begin")
    fails(write("none.db", b""), "y", match="is empty")
    sqlite3.connect(tmp_path / "new.db").executescript("VACUUM").close()
    fails(tmp_path / "new.db", "y", match="is empty|has no tables")


@pytest.mark.merge
def test_a_duckdb_database_that_is_open_elsewhere_for_writing(tmp_path):
    path = tmp_path / "a.duckdb"
    as_duckdb(path)
    waits = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); input()"
    )
    call = [sys.executable, "-c", waits, str(path)]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "open\n"
        told = fails(path, "y", match="is open for writing in another program; close it there")
        other.communicate("\n")
    assert told.startswith(str(path))
    assert len(read(path, "y")) == 5
    as_csv(tmp_path / "a.csv")
    read(tmp_path / "a.csv", "y")  # the DuckDB of these tests lets go of what it read before
    with duckdb.connect(str(path)) as here:
        fails(path, "y", match="is open in this program; close it, or pass its connection as data=")
        assert cap.count_scores("y", "pd", data=here).n == 5


def test_types_of_duckdb_are_kept(tmp_path):
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA risk; CREATE TYPE g AS ENUM ('C', 'B', 'A')")
        connection.execute(
            "CREATE TABLE risk.t AS SELECT 1::TINYINT AS y, 0.1::FLOAT AS pd, 'B'::g AS grade, "
            "1.25::DECIMAL(9, 2) AS loss, DATE '2024-01-31' AS d, 'x' AS \"odd \"\"name\""
        )
        connection.execute("CREATE VIEW only_view AS SELECT y + 1 AS z FROM risk.t")
    names = ["y", "pd", "grade", "loss", "d", 'odd "name']
    y, pd, grade, *_ = read(path, *names, table="risk.t")
    assert (y.values.dtype, pd.values.dtype) == ("int8", "float32")
    assert (grade.categories, grade.ordered) == (("C", "B", "A"), True)
    assert listed(read(path, "z", table="only_view")) == [2]
    assert fails(path, "y", match="'only_view', 'risk.t'; name one")


# Zip and zstd


def test_a_zip_has_one_file(tmp_path, write):
    def zipped(name, **files):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for inside, data in files.items():
                archive.writestr(inside.replace("_", "."), data)
        return str(tmp_path / name)

    told = fails(zipped("a.zip", a_csv="x\n1\n", b_csv="x\n2\n"), "x", match="has 2 files")
    assert "'a.csv', 'b.csv'; a zip must have one" in told
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.mkdir("nothing")
    fails(tmp_path / "b.zip", "x", match="has 0 files; a zip must have one")
    inner = (tmp_path / "a.zip").read_bytes()
    fails(zipped("c.zip", a_zip=inner), "x", match=r"c\.zip/a\.zip is a zip inside a zip")
    assert listed(read(zipped("d.zip", a_jsonl='{"x": 3}\n'), "x")) == [3]
    assert listed(read(zipped("e.zip", a_tsv="x\ty,z\n1\t2\n"), "y,z")) == [2]
    assert listed(read(zipped("f.zip", a_csv_gz=gzip.compress(b"x\n4\n")), "x")) == [4]
    write_table(pa.table({"x": [5]}), tmp_path / "p.parquet")
    data = (tmp_path / "p.parquet").read_bytes()
    assert listed(read(zipped("g.zip", p_parquet=data), "x")) == [5]
    as_sqlite(tmp_path / "s.db")
    assert len(read(zipped("h.zip", s_db=(tmp_path / "s.db").read_bytes()), "y")) == 5
    bad = (tmp_path / "d.zip").read_bytes()
    fails(write("i.zip", bad[:-10]), "x", match=r"i\.zip is damaged or cut short")
    fails(write("j.zip", bad.replace(b'{"x": 3}', b'{"x": 4}')), "x", match="damaged or cut short")
    locked = bytearray(bad)
    for sign in (b"PK\x03\x04", b"PK\x01\x02"):
        at = locked.index(sign) + (6 if sign[2] == 3 else 8)
        locked[at] |= 1
    fails(write("k.zip", bytes(locked)), "x", match="needs a password")
    told = fails(zipped("l.zip", a_csv="x,y\n1\n"), "x", match=r"l\.zip/a\.csv, line 2: 1 field ")


def test_zst(tmp_path, write, monkeypatch):
    whole = zstd.compress(b"x\n" + b"".join(b"%d\n" % i for i in range(50_000)))
    assert len(read(write("a.csv.zst", whole), "x")) == 50_000
    assert listed(read(write("a.tsv.zst", zstd.compress(b"x\ty,z\n1\t2\n")), "y,z")) == [2]
    assert listed(read(write("a.json.zst", zstd.compress(b'{"x": 3}')), "x")) == [3]
    fails(write("b.csv.zst", whole[: len(whole) // 2]), "x", match="zstd stream does not end")
    write_table(pa.table({"x": [5]}), tmp_path / "p.parquet")
    packed = zstd.compress((tmp_path / "p.parquet").read_bytes())
    fails(write("p.parquet.zst", packed), "x", match="a parquet file inside zst; unpack it first")
    for module in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, module, None)
    assert listed(read(str(tmp_path / "a.json.zst"), "x")) == [3]  # by pyarrow
    fails(str(tmp_path / "b.csv.zst"), "x", match="zstd stream does not end")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"\.zst files before Python 3.14: pip install"):
        read(str(tmp_path / "a.json.zst"), "x")


# Arrow


def test_arrow_files_by_polars_alone_and_without_either(tmp_path, monkeypatch):
    for name in ("a.feather", "a.arrow"):
        KINDS[name](tmp_path / name)
    expected = cap.count_scores("y", "pd", data=tmp_path / "a.feather")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in ("a.feather", "a.arrow"):
        assert cap.count_scores("y", "pd", data=tmp_path / name) == expected
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ModuleNotFoundError, match=r"a\.feather: pip install pyarrow, or polars"):
        read(tmp_path / "a.feather", "y")


def test_categories_as_polars_writes_them(tmp_path, monkeypatch):
    order = ["c", "b", "a"]
    words = ["b", None, "a", "c"]
    frame = pl.DataFrame(
        {
            "word": pl.Series(words, dtype=pl.Categorical),
            "grade": pl.Series(words, dtype=pl.Enum(order)),
            "x": [0.1, 0.2, 0.3, 0.4],
        }
    )
    frame.write_ipc(tmp_path / "a.feather")
    frame.write_ipc_stream(tmp_path / "a.arrow")
    for absent in ("no package", "pyarrow"):
        monkeypatch.setitem(sys.modules, absent, None)
        for name in ("a.feather", "a.arrow"):
            assert listed(read(tmp_path / name, "word")) == words
            assert listed(read(tmp_path / name, "grade")) == words
            assert listed(read(tmp_path / name, "x")) == [0.1, 0.2, 0.3, 0.4]


def test_arrow_types_that_cannot_be_read(tmp_path):
    spans = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    feather.write_feather(pa.table({"x": [1], "span": spans}), tmp_path / "a.feather")
    fails(
        tmp_path / "a.feather", "x", match=r"a\.feather has a column of a type that cannot be read"
    )


def test_damaged_arrow_files(tmp_path, write):
    KINDS["a.feather"](tmp_path / "a.feather")
    whole = (tmp_path / "a.feather").read_bytes()
    for cut in (20, len(whole) // 2, len(whole) - 8):
        fails(write("cut.feather", whole[:cut]), "y", match="is damaged, or is no Arrow file")
    fails(write("b.feather", "y,pd\n1,0.5\n"), "y", match="is not an Arrow file")


# Folders that name columns


@pytest.mark.merge
def test_partitions_are_columns(tmp_path, write, stored):
    for root, form in (("p", "parquet"), ("j", "json")):
        for month, year, x in (("2024-01", 2024, 1), ("2024-02", 2023, 2)):
            stored(f"{root}/year={year}/m%20o={month}/a.{form}", f"SELECT {x} AS x, {x % 2} AS y")
        last = f"{root}/year=__HIVE_DEFAULT_PARTITION__/m%20o=a%2Fb/a.{form}"
        stored(last, "SELECT 3 AS x, 1 AS y")
    for month, year, x in (("2024-01", 2024, 1), ("2024-02", 2023, 2)):
        write(f"c/year={year}/m%20o={month}/a.csv", f"x,y\n{x},{x % 2}\n")
    write("c/year=__HIVE_DEFAULT_PARTITION__/m%20o=a%2Fb/a.csv", "x,y\n3,1\n")
    for root in ("p", "c", "j"):
        for path in (tmp_path / root, f"{root}/**/*.*", f"{root}/y*", f"{root}/**"):
            year, month, x = read(path, "year", "m o", "x")
            found = sorted(zip(map(str, listed(year)), listed(month), listed(x), strict=True))
            assert found == [
                ("2023", "2024-02", 2),
                ("2024", "2024-01", 1),
                ("None", "a/b", 3),
            ]
        months = cap.count_segments("y", "x", by="m o", data=tmp_path / root)
        assert {key: part.n1 for key, part in months.items()} == {
            "2024-01": 1,
            "2024-02": 0,
            "a/b": 1,
        }
    assert read(tmp_path / "p", "year").values.dtype == "int64"
    limited = cap.count_scores("y", "x", data=tmp_path / "p", memory_limit="300MB")
    assert limited == cap.count_scores("y", "x", data=tmp_path / "p")


def test_a_column_of_the_file_counts_for_more_than_its_folder(write):
    path = write("m=1/a.csv", "m,x\n7,2\n")
    assert [listed(column) for column in read(path, "m", "x")] == [[7], [2]]


# What goes together, and what does not


def test_words_that_say_nothing_of_a_file_are_refused(tmp_path):
    for name, make in KINDS.items():
        make(tmp_path / name)
    say = {
        "a.csv": {"sheet": "Loans", "table": "loans"},
        "a.xlsx": {"table": "loans", "delimiter": ";", "comment": "#", "encoding": "cp1252"},
        "a.db": {"sheet": "Loans", "skip_lines": 1, "delimiter": ";", "encoding": "cp1252"},
        "a.duckdb": {"sheet": "Loans", "decimal": ",", "null_values": ["none"]},
        "a.feather": {"table": "loans", "decimal": ",", "null_values": ["none"]},
    }
    for name, options in say.items():
        for word, value in options.items():
            fails(tmp_path / name, "y", match=f"^{word}= .*; leave it out$", **{word: value})
    both = [tmp_path / "a.csv", tmp_path / "a.xlsx", tmp_path / "a.db"]
    assert len(read(both, "y", table="loans", sheet="Loans", delimiter=",")) == 15


def test_a_database_that_changes_while_it_is_read(tmp_path, monkeypatch):
    as_sqlite(tmp_path / "a.db")
    real = sources.unpacked

    def changing(path, label, scratch):
        found = real(path, label, scratch)
        os.utime(path, ns=(1, 1))
        return found

    monkeypatch.setattr(sources, "unpacked", changing)
    fails(tmp_path / "a.db", "y", match="changed while it was read")
    fails([tmp_path / "a.db", tmp_path / "a.db"], "y", match="named more than once")
