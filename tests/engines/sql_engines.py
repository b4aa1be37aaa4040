"""Five engines under one roof for the tests of SQL: make a table, run a query on it."""

import csv
import duckdb
import sqlite3

from capcurve.input.files import Files, read_cells

WHOLE, REAL, TEXT, TRUTH = "BIGINT", "DOUBLE", "TEXT", "BOOLEAN"


class Engine:
    """An engine with a connection of Python's usual kind."""

    has_nan = True
    quote = '"'
    mark = "?"
    types = {}

    def __init__(self, dialect, connection):
        self.dialect = dialect
        self.connection = connection

    def quoted(self, name):
        return self.quote + name.replace(self.quote, 2 * self.quote) + self.quote

    def make(self, table, columns, rows):
        """Make a table, `columns` being names with types, and fill it."""
        cursor = self.connection.cursor()
        cursor.execute(f"DROP TABLE IF EXISTS {self.quoted(table)}")
        declared = [f"{self.quoted(c)} {self.types.get(t, t)}" for c, t in columns.items()]
        cursor.execute(f"CREATE TABLE {self.quoted(table)} ({', '.join(declared)})")
        marks = ", ".join([self.mark] * len(columns))
        if rows:
            cursor.executemany(f"INSERT INTO {self.quoted(table)} VALUES ({marks})", rows)
        cursor.close()

    def ask(self, query):
        """Return the names of a result and its rows."""
        cursor = self.connection.cursor()
        cursor.execute(query)
        found = [each[0] for each in cursor.description], [tuple(r) for r in cursor.fetchall()]
        cursor.close()
        return found


class Postgres(Engine):
    mark = "%s"
    types = {REAL: "DOUBLE PRECISION"}


class MariaDB(Engine):
    has_nan = False
    quote = "`"
    mark = "%s"


class Spark:
    dialect = "spark"
    has_nan = True
    types = {WHOLE: "bigint", REAL: "double", TEXT: "string", TRUTH: "boolean"}

    def __init__(self, session):
        self.session = session

    def quoted(self, name):
        return "`" + name.replace("`", "``") + "`"

    def make(self, table, columns, rows):
        schema = ", ".join(f"{self.quoted(name)} {self.types[t]}" for name, t in columns.items())
        self.session.createDataFrame(rows, schema).createOrReplaceTempView(self.quoted(table))

    def ask(self, query):
        found = self.session.sql(query)
        return found.columns, [tuple(row) for row in found.collect()]


def sqlite():
    connection = sqlite3.connect(":memory:")
    engine = Engine("sqlite", connection)
    engine.has_nan = False
    return engine


def in_duckdb():
    return Engine("duckdb", duckdb.connect())


def read_back(found, path, **options):
    """Save a result as people do, with the csv of their tool, and read it as --counts does."""
    names, rows = found
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    return read_cells(Files.of(path), **options)
