"""`capcurve sql`: a query that counts where the rows are, for people who have only SQL there."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.output import Destination, check_output, note
from capcurve.cli.reading import listed, number_in

if TYPE_CHECKING:
    from collections.abc import Iterable

TRUTHS = {"true": True, "false": False}
SUFFIXES = (".sql",)
NUMBERS_ONLY = "--what numbers"


def _only_one(_: click.Context, __: click.Parameter, scores: tuple[str, ...]) -> str:
    """Return the score; two would need two queries."""
    if len(scores) > 1:
        raise click.UsageError("a query counts one score; name one --score, and write one for each")
    return scores[0]


def _refuse_amount(_: click.Context, __: click.Parameter, amount: str | None) -> None:
    """Refuse amounts, whose rows a query would have to return."""
    if amount is not None:
        raise click.UsageError(
            "a query counts positives and negatives, not amounts; read the table itself with "
            "count_values(data=...) in Python (DuckDB, Ibis, Spark), or an export of it with "
            "capcurve counts --amount"
        )


@click.command("sql")
@click.option(
    "--dialect",
    required=True,
    metavar="NAME",
    help="sqlite, duckdb, postgres, mysql (also MariaDB) or spark, in which the queries are "
    "tested; or snowflake, bigquery, redshift, databricks, tsql, oracle or trino, for which "
    "only the text is checked.",
)
@click.option("--table", required=True, metavar="NAME", help="Table: [[CATALOG.]SCHEMA.]TABLE.")
@click.option(
    "--target",
    "-t",
    required=True,
    metavar="COLUMN",
    help="Column of the outcome: 1 for a positive, 0 for a negative.",
)
@click.option(
    "--score",
    "-s",
    required=True,
    multiple=True,
    callback=_only_one,
    metavar="COLUMN",
    help="Column of the score.",
)
@click.option("--by", metavar="COLUMN", help="Column of the segments, such as months or products.")
@click.option("--pos-label", metavar="LABEL", help="Label of the positives, if it is not 1.")
@click.option(
    "--neg-label",
    metavar="LABEL",
    help="Label of the negatives, if it is not 0. true and false are truth values and numbers are "
    "numbers; \"'1'\" is the text 1.",
)
@click.option("--where", metavar="SQL", help="Condition on the rows, in the words of the dialect.")
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Rows without a score or a label: let them make the counts NULL, so that they are "
    "noticed, or leave them out.",
)
@click.option(
    "--what",
    type=click.Choice(["cells", "numbers"]),
    default="cells",
    show_default=True,
    help="The counts at each score, which --counts reads; or cases, positives, accuracy ratio "
    "and KS of each segment.",
)
@click.option(
    "--higher-is",
    type=click.Choice(["positive", "negative"]),
    help="For --what numbers: what a higher score means (default: positive).",
)
@click.option(
    "--levels",
    metavar="G,F,E,...",
    help="For --what numbers: grades, most likely positive first.",
)
@click.option("--output", "-o", metavar="PATH", help="Write to this file (.sql).")
@click.option(
    "--amount",
    hidden=True,
    expose_value=False,
    is_eager=True,
    callback=_refuse_amount,
    help="Not for queries.",
)
def sql(
    what: Literal["cells", "numbers"],
    higher_is: Literal["positive", "negative"] | None,
    levels: str | None,
    output: str | None,
    pos_label: str | None,
    neg_label: str | None,
    **asked: Any,
) -> None:
    """Print a query that counts where the rows are.

    Run it with your own tools and save the result as csv: every other command reads it with
    --counts. The query has one GROUP BY, reads one table and changes nothing; its result has a
    row per distinct score and no rows of the table. --what numbers computes the accuracy ratio
    and KS right there, with window functions and without intervals.

    \b
    capcurve sql --dialect postgres --table risk.loans -t bad -s pd | psql --csv > cells.csv
    capcurve summary cells.csv --counts
    """  # noqa: D301 - \b keeps click from joining lines
    from capcurve.sql import cells_query, dialect_of, numbers_query

    _check_pairs(what, {"--higher-is": higher_is, "--levels": levels}, (pos_label, neg_label))
    if output is not None:
        check_output(output, (), SUFFIXES)
    to = Destination("sql", output)
    if pos_label is not None and neg_label is not None:
        asked |= {"pos_label": _value_of(pos_label), "neg_label": _value_of(neg_label)}
    if what == "cells":
        to.emit(cells_query(**asked))
    else:
        grades = None if levels is None else _grades(listed(levels))
        to.emit(numbers_query(**asked, higher_is=higher_is or "positive", levels=grades))
    _tell(dialect_of(asked["dialect"]).is_run, asked["dialect"], what)


def _check_pairs(
    what: str, numbers_only: dict[str, str | None], labels: tuple[str | None, str | None]
) -> None:
    for flag, value in numbers_only.items():
        if value is not None and what == "cells":
            raise click.UsageError(
                f"{flag} is for {NUMBERS_ONLY}; with cells, say it where they are read: "
                f"capcurve summary cells.csv --counts {flag} {shlex.quote(value)}"
            )
    if (labels[0] is None) != (labels[1] is None):
        given, other = ("--pos-label", "--neg-label")[:: 1 if labels[1] is None else -1]
        raise click.UsageError(
            f"{given} is given without {other}; name both, so that a third label is noticed"
        )


def _value_of(word: str) -> str | float | bool:
    """Return the label or grade that a word stands for; one in single quotes is text.

    >>> _value_of("2"), _value_of("'2'"), _value_of("true"), _value_of("bad")
    (2, '2', True, 'bad')
    """
    if len(word) > 1 and word[0] == word[-1] == "'":
        return word[1:-1]
    if word.lower() in TRUTHS:
        return TRUTHS[word.lower()]
    try:
        number = number_in(word)
    except ValueError:
        return word
    return number if word.strip()[-1:].isdigit() else word  # "nan" and "inf" are words here


def _grades(words: Iterable[str]) -> list[str | float | bool]:
    return [_value_of(word) for word in words]


def _tell(is_run: bool, dialect: str, what: str) -> None:
    """Say on stderr how to go on, and how far the query is tested."""
    if what == "cells":
        note("save its result as cells.csv and read that with: capcurve summary cells.csv --counts")
    if not is_run:
        note(f"queries for {dialect} are checked by a parser and were not run in that engine")
