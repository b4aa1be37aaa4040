"""Names of columns and tables: bare where the engine can read them so, in quotes elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from capcurve.sql.reserved import RESERVED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.sql.dialects import Dialect

SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Around the name of a column, and around that of a table, as it is often copied from a query.
OF_COLUMNS = {'"': '"'}
OF_TABLES = {'"': '"', "`": "`", "[": "]"}
# A part of a table's name: in quotes of one of three kinds, or all up to the next dot.
PART = re.compile(r'"(?:[^"]|"")+"|`(?:[^`]|``)+`|\[(?:[^\]]|\]\])+\]|[^.]*')
PARTS = ("catalog", "schema", "table")


def identifier(
    word: object, what: str, dialect: Dialect, quotes: Mapping[str, str] = OF_COLUMNS
) -> exp.Identifier:
    r"""Return a name as the dialect has to have it.

    A simple name stays bare, so that the engine folds its letters as it does everywhere: in
    Snowflake `bad` is the column BAD, and "bad" is none. What stands in double quotes is taken as
    it is. Brackets and backticks are part of a column's name, which may have them.

    >>> from capcurve.sql.dialects import dialect_of
    >>> names = ["bad", "Order", "my bad", '"bad"', '"[a]"', "[a]"]
    >>> [identifier(name, "target", dialect_of("snowflake")).sql("snowflake") for name in names]
    ['bad', '"ORDER"', '"my bad"', '"bad"', '"[a]"', '"[a]"']
    """
    if not isinstance(word, str):
        raise TypeError(f"{what} must be a name, got {word!r}")
    if not word.strip() or "\0" in word:
        raise ValueError(f"{what} must be a name, got {word!r}")
    closing = quotes.get(word[0])
    if closing and len(word) > len(word[0] + closing) and word.endswith(closing):
        return exp.to_identifier(word[1:-1].replace(2 * closing, closing), quoted=True)
    if not SIMPLE.fullmatch(word) or (dialect.name == "oracle" and word.startswith("_")):
        return exp.to_identifier(word, quoted=True)
    if word.lower() in RESERVED:
        return exp.to_identifier(dialect.folded(word), quoted=True)
    return exp.to_identifier(word, quoted=False)


def table_of(name: object, dialect: Dialect) -> exp.Table:
    """Return a table by its name of one to three parts, under a name for its columns.

    >>> from capcurve.sql.dialects import dialect_of
    >>> table_of('risk."scored.2024"', dialect_of("postgres")).sql("postgres")
    'risk."scored.2024" AS capcurve_table'
    >>> table_of("main.loans", dialect_of("sqlite")).sql("sqlite")
    'main.loans AS loans'
    """
    if not isinstance(name, str):
        raise TypeError(f"table must be the name of a table, got {name!r}")
    words = _parts(name)
    if len(words) > dialect.parts:
        known = ".".join(PARTS[-dialect.parts :])
        raise ValueError(
            f"table={name!r} has {len(words)} parts, and {dialect.name} names a table by at most "
            f"{dialect.parts}, {known}; put a part that holds a dot in double quotes"
        )
    found = [identifier(word, "table", dialect, OF_TABLES) for word in words]
    padded = [None] * (len(PARTS) - len(found)) + found
    own = found[-1].copy() if SIMPLE.fullmatch(words[-1]) else exp.to_identifier("capcurve_table")
    return exp.Table(
        **dict(zip(("catalog", "db", "this"), padded, strict=True)), alias=exp.TableAlias(this=own)
    )


def _parts(name: str) -> list[str]:
    """Split a name at its dots, but not at those in quotes."""
    words, place = [], 0
    while True:
        found = PART.match(name, place)
        word = found[0] if found else ""
        place += len(word)
        if not word.strip() or name[place : place + 1] not in {"", "."}:
            raise ValueError(
                f"table={name!r} is no name of a table; write catalog.schema.table, "
                "schema.table or table"
            )
        words.append(word)
        if place == len(name):
            return words
        place += 1
