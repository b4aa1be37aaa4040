"""How the SQL dialects differ where a count could come out wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from capcurve.numbers.arguments import as_name

if TYPE_CHECKING:
    from collections.abc import Callable

_NAN_EQUALS_ITSELF = "CAST(it AS DOUBLE) = CAST('NaN' AS DOUBLE)"
# FLOOR takes no text: there these dialects raise, where a cast would read the text as numbers.
_NAN_OF_A_FLOOR = "CAST(FLOOR(it) AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)"


@dataclass(frozen=True, slots=True)
class Dialect:
    """One dialect, with conditions and expressions in its own words; `it` is the column."""

    name: str  # what sqlglot calls it
    # Whether our tests run its queries in an engine; if not, they only parse them.
    is_run: bool = False
    parts: int = 3  # into how many parts a table's name may have: catalog, schema, table
    # What the engine does with the letters of a name without quotes, if names in quotes differ by
    # case.
    folds: Literal["lower", "upper"] | None = None
    # Is_text, is_nan: conditions under which a score is text, or NaN, and therefore no number. None
    # where the engine has no such scores, or raises.
    is_text: str | None = None
    is_nan: str | None = None
    # Condition under which the column, as text, reads nan: it may be asked of any type.
    reads_nan: str | None = "LOWER(CAST(it AS VARCHAR)) = 'nan'"
    # The column as text of which no two different ones are equal: where the engine takes A for a.
    # None where equal text is the same text.
    exact: str | None = None
    key: str | None = None  # the same of a column of any type, for groups
    # Whether numbers are compared as text in quotes: MySQL takes any word for the number 0.
    quotes_numbers: bool = False
    product: str = "DECIMAL(19, 0)"  # the type in which two counts are multiplied
    text: str = "VARCHAR"  # the type of text as which segments of several columns are joined
    largest: str = "1.7976931348623157E+308"  # the largest double; beyond it lies infinity
    double: str = "CAST(it AS DOUBLE)"
    floor: str = "FLOOR(it)"  # of numbers below 2^53
    # Condition under which a column has whole numbers or decimals: a float loses the last digit of
    # 2^53 + 1. Where the type is known by name it is asked, as decimals of many places overflow.
    is_exact: str = "(it - it) + 9007199254740993 - 9007199254740992 = 1"
    # A number rounded to a float of 32 bits; None where the engine has none.
    narrowed: str | None = "CAST(it AS REAL)"
    # Condition under which a column of floats has 32 bits; None where sums of these have as many.
    is_narrow: str | None = None

    def folded(self, name: str) -> str:
        """Return a name as the engine reads it without quotes.

        >>> dialect_of("snowflake").folded("Order"), dialect_of("duckdb").folded("Order")
        ('ORDER', 'Order')
        """
        cases: dict[str | None, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper}
        return cases.get(self.folds, str)(name)


_ALL = (
    Dialect(
        "sqlite",
        is_run=True,
        parts=2,
        is_text="TYPEOF(it) NOT IN ('integer', 'real', 'null')",
        reads_nan=None,
        exact="it COLLATE BINARY",
        key="it COLLATE BINARY",
        product="BIGINT",  # there are no decimals, and whole numbers have 64 bits
        floor="CAST(it AS BIGINT) - CASE WHEN it < CAST(it AS BIGINT) THEN 1 ELSE 0 END",
        narrowed=None,
    ),
    Dialect(
        "duckdb",
        is_run=True,
        is_nan="ISNAN(FLOOR(it))",
        is_exact="TYPEOF(it) NOT IN ('FLOAT', 'DOUBLE')",
        is_narrow="TYPEOF(it) = 'FLOAT'",
    ),
    Dialect("postgres", is_run=True, folds="lower", is_nan=_NAN_OF_A_FLOOR),
    Dialect(
        "mysql",
        is_run=True,
        parts=2,
        is_text="CHARSET(it) <> 'binary'",
        reads_nan=None,
        exact="CAST(CONVERT(it USING utf8mb4) AS BINARY)",
        key="CAST(CONVERT(it USING utf8mb4) AS BINARY)",
        quotes_numbers=True,
        narrowed="CAST(it AS FLOAT)",
        # Floats are added as doubles, and written in fewer digits.
        is_narrow="CAST(CASE WHEN it <> it THEN it ELSE CAST(1E-1 AS FLOAT) END AS CHAR) = '0.1'",
    ),
    Dialect("spark", is_run=True, is_text="TYPEOF(it) = 'string'", is_nan=_NAN_EQUALS_ITSELF),
    Dialect(
        "snowflake",
        folds="upper",
        is_text="IS_VARCHAR(TO_VARIANT(it))",
        is_nan=_NAN_EQUALS_ITSELF,
        narrowed=None,
    ),
    Dialect("bigquery", is_nan="IS_NAN(FLOOR(it))", narrowed=None),
    Dialect("redshift", folds="lower", is_nan=_NAN_OF_A_FLOOR, text="VARCHAR(4000)"),
    Dialect("databricks", is_text="TYPEOF(it) = 'string'", is_nan=_NAN_EQUALS_ITSELF),
    Dialect(
        "tsql",
        is_text="CAST(SQL_VARIANT_PROPERTY(it, 'BaseType') AS VARCHAR(128)) LIKE '%char'",
        reads_nan=None,
        exact="it COLLATE Latin1_General_BIN2",
        key="CAST(it AS VARBINARY(8000))",
        text="NVARCHAR(4000)",
        narrowed="CAST(it AS FLOAT(24))",
    ),
    Dialect(
        "oracle",
        parts=2,
        folds="upper",
        is_text="DUMP(it) LIKE 'Typ=1 %' OR DUMP(it) LIKE 'Typ=96 %'",
        is_nan="it = BINARY_DOUBLE_NAN",
        reads_nan="LOWER(TO_CHAR(it)) = 'nan'",
        text="VARCHAR(4000)",
        # Without the letter, or of another type, a NUMBER, which is a decimal and ends at 1E+126.
        largest="1.7976931348623157E+308d",
        double="TO_BINARY_DOUBLE(it)",
        narrowed="TO_BINARY_FLOAT(it)",
    ),
    Dialect(
        "trino",
        is_nan="IS_NAN(CAST(FLOOR(it) AS DOUBLE))",
        is_exact="TYPEOF(it) NOT IN ('real', 'double')",
        is_narrow="TYPEOF(it) = 'real'",
    ),
)
# What any engine understands. NaN is above all numbers in some, its negative too, and in others
# neither above nor below any; a product with a double has room for the negative of all types.
ANY_ENGINE = Dialect("", is_nan="it > 0 AND -1E0 * it > 0 OR NOT (it >= 0 OR it < 0)")
DIALECTS = {each.name: each for each in _ALL}
DIALECT_ALIASES = {
    "postgresql": "postgres",
    "mariadb": "mysql",
    "spark_sql": "spark",
    "sql_server": "tsql",
    "sqlserver": "tsql",
    "mssql": "tsql",
}


def dialect_of(name: object) -> Dialect:
    """Return the dialect of a name, or one that people call it by as well.

    >>> dialect_of("PostgreSQL").name, dialect_of("mariadb").is_run
    ('postgres', True)
    """
    return DIALECTS[as_name(name, "dialect", DIALECTS, DIALECT_ALIASES)]
