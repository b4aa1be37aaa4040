"""Five engines under one roof for the tests of SQL: make a table, run a query on it."""

import csv
import sqlite3
from dataclasses import dataclass
from typing import Any

import duckdb

from capcurve import count_segments
from capcurve.input.files import Files, read_cells

WHOLE, REAL, TEXT, TRUTH = "BIGINT", "DOUBLE PRECISION", "TEXT", "BOOLEAN"


@dataclass(frozen=True)
class Engine:
    """An engine with a connection of Python's usual kind."""

    dialect: str
    connection: Any
    has_nan: bool = True
    quote: str = '"'
    mark: str = "%s"

    def quoted(self, name):
        return self.quote + name.replace(self.quote, 2 * self.quote) + self.quote

    def make(self, table, columns, rows):
        """Make a table, `columns` being names with types, and fill it."""
        cursor = self.connection.cursor()
        cursor.execute(f"DROP TABLE IF EXISTS {self.quoted(table)}")
        declared = ", ".join(f"{self.quoted(name)} {kind}" for name, kind in columns.items())
        cursor.execute(f"CREATE TABLE {self.quoted(table)} ({declared})")
        marks = ", ".join([self.mark] * len(columns))
        if rows:
            cursor.executemany(f"INSERT INTO {self.quoted(table)} VALUES ({marks})", rows)  # noqa: S608 - the tests' own
        cursor.close()

    def ask(self, query):
        """Return the names of a result and its rows."""
        cursor = self.connection.cursor()
        cursor.execute(query)
        found = [each[0] for each in cursor.description], list(map(tuple, cursor.fetchall()))
        cursor.close()
        return found


@dataclass(frozen=True)
class Spark:
    """Spark, whose tables are frames under a name."""

    session: Any
    dialect: str = "spark"
    has_nan: bool = True

    def quoted(self, name):
        return "`" + name.replace("`", "``") + "`"

    def make(self, table, columns, rows):
        kinds = {WHOLE: "bigint", REAL: "double", TEXT: "string", TRUTH: "boolean"}
        schema = ", ".join(f"{self.quoted(name)} {kinds[kind]}" for name, kind in columns.items())
        self.session.createDataFrame(rows, schema).createOrReplaceTempView(self.quoted(table))

    def ask(self, query):
        found = self.session.sql(query)
        return found.columns, [tuple(row) for row in found.collect()]


def sqlite():
    return Engine("sqlite", sqlite3.connect(":memory:"), has_nan=False, mark="?")


def in_duckdb():
    return Engine("duckdb", duckdb.connect(), mark="?")


def postgres(connection):
    return Engine("postgres", connection)


def mariadb(connection):
    return Engine("mysql", connection, has_nan=False, quote="`")


def read_back(found, path, **options):
    """Save a result as people do, with the csv of their tool, and read it as --counts does."""
    names, rows = found
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    return read_cells(Files.of(path), **options)


# Rows with two segments and a day, of which some are not known

DAYS = ["2023-12-31", "2024-02-29", "2024-05-13", "2024-05-31", "2024-11-01", None]
KINDS = {"y": WHOLE, "s": WHOLE, "k": WHOLE, "q": TEXT, "day": TEXT}
PERIODS = [None, "day", "month", "quarter", "year"]
ROWS = [
    (row % 3 % 2, row % 7, row % 2 + 1, "nörth" if row % 5 else None, DAYS[row % 6])
    for row in range(60)
]


def by_segment(period, by):
    """Return what the library finds in these rows: the classes at each segment and score."""
    data = {name: [row[i] for row in ROWS] for i, name in enumerate(KINDS)}
    found = count_segments("y", "s", data=data, by=by, period=period)
    return {
        (None if key is None else str(key), score): (positives, negatives)
        for key, part in found.items()
        for score, positives, negatives in zip(
            *(column.tolist() for column in (part.score, part.positives, part.negatives)),
            strict=True,
        )
    }
