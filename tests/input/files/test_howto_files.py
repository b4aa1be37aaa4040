"""Every command and every `data=` of the page on files is run on such a file."""

import gzip
import json
import re
import shlex
import sqlite3
import sys
import zipfile
from importlib import import_module

import duckdb
import openpyxl
import polars as pl
import pytest

import capcurve as cap
from cli_calls import call
from howto import HOWTO

ROWS = pl.DataFrame(
    {"y": [1, 0, 0, 1, 0], "pd": [0.75, 0.125, 0.25, 0.5, 0.5], "month": ["a", "a", "b", "b", "b"]}
)
PAGE = (HOWTO / "files.md").read_text(encoding="utf-8")
LINES = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
TABLE = [cells for cells in LINES if cells[0] != "| your file"]
COMMANDS = [word for cells in TABLE for word in re.findall("`(capcurve [^`]*)`", cells[1])]
DATA = [word.strip("`") for cells in TABLE for word in re.findall("^`.*`$", cells[2])]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("files")
    csv = ROWS.write_csv()
    texts = {
        "loans.csv": csv,
        "2024-01.csv": csv,
        "2024-02.csv": csv,
        "comma.csv": csv.replace(",", ";").replace(".", ","),
        "sep.csv": "sep=;\n" + csv.replace(",", ";"),
        "titled.csv": "Loans of 2024\nfor validation\n" + csv,
        "notes.csv": csv.replace("\n", "\n# as delivered\n", 1),
        "blanks.txt": csv.replace(",", "   "),
    }
    for name, text in texts.items():
        (place / name).write_text(text)
    (place / "latin.csv").write_text(csv.replace("month", "größe"), encoding="cp1252")
    (place / "loans.csv.gz").write_bytes(gzip.compress(csv.encode()))
    named = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    (place / "loans.csv.zst").write_bytes(import_module(named).compress(csv.encode()))
    ROWS.write_ndjson(place / "loans.jsonl")
    ROWS.write_parquet(place / "loans.parquet")
    ROWS.write_ipc(place / "loans.feather")
    book = openpyxl.Workbook()
    book.active.title = "Loans"
    for row in [ROWS.columns, *ROWS.rows()]:
        book.active.append(row)
    book.save(place / "loans.xlsx")
    with zipfile.ZipFile(place / "loans.zip", "w") as archive:
        archive.writestr("loans.csv", csv)
    for (month,), rows in ROWS.group_by("month"):
        (place / "parts" / f"month={month}").mkdir(parents=True)
        rows.drop("month").write_csv(place / "parts" / f"month={month}" / "part-0.csv")
    connection = sqlite3.connect(place / "bank.db")
    connection.execute("CREATE TABLE loans (y, pd, month)")
    connection.execute("CREATE TABLE others (y)")
    connection.executemany("INSERT INTO loans VALUES (?, ?, ?)", ROWS.rows())
    connection.commit()
    connection.close()
    with duckdb.connect(place / "bank.duckdb") as database:
        database.execute("CREATE SCHEMA risk; CREATE TABLE others (y INT)")
        database.execute(f"CREATE TABLE risk.loans AS FROM '{place / 'loans.csv'}'")
    return place


@pytest.fixture(autouse=True)
def _there(folder, monkeypatch):
    monkeypatch.chdir(folder)


def test_the_page_has_them_all():
    assert len(COMMANDS) == len(set(COMMANDS)) == 20
    assert len(DATA) == 19
    assert all(word.startswith("capcurve summary ") for word in COMMANDS)


@pytest.mark.turns(4)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs(command, folder):
    words, _, given = command.partition(" < ")
    _, *words = shlex.split(words)
    data = (folder / given).read_bytes() if given else None
    again = ROWS if not re.search(r"2024-\*", command) else pl.concat([ROWS, ROWS])
    found = call(*words, "-f", "json", data=data)
    assert found.exit_code == 0, found.stderr
    (told,) = json.loads(found.stdout)["scores"]
    expected = cap.count_scores("y", "pd", data=again)
    assert (told["n1"], told["n0"]) == (expected.n1, expected.n0)
    assert told["accuracy_ratio"] == cap.accuracy_ratio(expected)


@pytest.mark.turns(3)
@pytest.mark.parametrize("said", DATA)
def test_every_way_to_name_data_in_python_is_understood(said):
    names = {"Files": cap.Files, "cap": cap, "frame": ROWS}
    names["connection"] = sqlite3.connect("bank.db")
    found = eval(f'cap.count_scores("y", "pd", data={said})', names)  # noqa: S307
    times = 2 if said.startswith("[") else 1
    assert found == cap.count_scores("y", "pd", data=pl.concat([ROWS] * times))
    names["connection"].close()


def test_two_tables_of_one_database_in_python():
    (call_,) = re.findall(r"`(population_stability\(.*?\))`\.", PAGE, re.DOTALL)
    bank = duckdb.connect(":memory:")
    bank.register("rows", ROWS.to_arrow())
    bank.execute("CREATE TABLE before AS FROM rows; CREATE TABLE after AS FROM rows LIMIT 3")
    bank.unregister("rows")
    found = eval(f"cap.{call_}", {"cap": cap, "bank": bank})  # noqa: S307
    assert found.psi > 0
