"""SQL that counts where the rows are: the table that --counts reads, or the numbers themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from capcurve.numbers.arguments import arg, as_name, installing, refuse_same_column
from capcurve.numbers.censoring import is_called_censoring
from capcurve.sql.dialects import dialect_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

__all__ = ["cells_query", "dialect_of", "numbers_query", "times_query", "trials_query"]


def cells_query(
    table: str,
    target: str,
    score: str,
    *,
    dialect: str,
    by: str | Sequence[str] | None = None,
    period: Literal["day", "month", "quarter", "year"] | None = None,
    pos_label: Any = 1,
    neg_label: Any = 0,
    rest: Literal["raise", "negative"] = "raise",
    drop_label: Any = None,
    where: str | None = None,
    missing: Literal["raise", "drop"] = "raise",
    resolution: float | None = None,
) -> str:
    r"""Return a query of how many positives and negatives there are at each score.

    Its result, saved as csv, is what `capcurve ... --counts` reads: every number, interval and
    picture can be had from it, and it contains no rows. It is one GROUP BY without windows.

    The query has no semicolon at its end. Raises `ValueError` for an unknown dialect, a name that
    is none, a condition that is none, equal labels.

    Parameters
    ----------
    table
        Name of the table, "catalog.schema.table" or the last one or two of these.
    target, score, by
        Columns of the outcome, the score and, if wanted, the segments. A simple name is written
        bare, so that the engine reads it in any case; one that needs quotes gets them, and one
        in double quotes keeps its letters as they are: '"Bad"'. Brackets and backticks are part
        of a name. Several columns of segments, in a list, are crossed: "north, 2024-05".
    period
        The last column of `by` has a type of dates or times, which text such as `Mar-2018` is not:
        take the period of each.
    dialect
        One of sqlite, duckdb, postgres, mysql (also MariaDB) and spark, in which our tests run
        the queries; or of snowflake, bigquery, redshift, databricks, tsql, oracle and trino,
        for which the text is only checked by a parser of the dialect.
    pos_label, neg_label
        The two labels, or lists of labels; True and False for a column of truth values.
    rest
        "raise": rows of any other label stand in the way, as `missing` says. "negative": they are
        negatives; leave out `neg_label`. A query does not know whether a label is misspelt.
    drop_label
        The label, or a list, of rows that are neither and are left out, such as unfinished loans.
    where
        A condition of the dialect on the rows that are counted.
    missing
        "raise": where a score, a label or a third kind of label stands in the way, the counts
        are NULL and reading the table says so. "drop": rows without a score or a label are left
        out, those with a third label still stand in the way.
    resolution
        Floor scores to multiples of this number, as `count_scores` does. The counts are the same
        if they are read with the same resolution. A score of a column of integers or decimals that
        is 2^49 or more on a whole grid becomes NULL; one that is text too, or the engine raises.

    Examples
    --------
    Two cases of score 7, one of them positive, and a negative of score 5:

    >>> import duckdb
    >>> query = cells_query("loans", "bad", "points", dialect="duckdb")
    >>> loans = duckdb.sql("SELECT * FROM (VALUES (1, 7), (0, 7), (0, 5)) AS t (bad, points)")
    >>> sorted(loans.query("loans", query).fetchall())
    [(5, 0, 1), (7, 1, 1)]
    """
    queries = _queries()
    labels = queries.query_labels(pos_label, neg_label, rest, drop_label)
    rows = where, missing, resolution
    asked = queries.asked(table, target, score, dialect, by, period, labels, *rows)
    text: str = queries.cells(asked)
    return text


def numbers_query(
    table: str,
    target: str,
    score: str,
    *,
    dialect: str,
    by: str | Sequence[str] | None = None,
    period: Literal["day", "month", "quarter", "year"] | None = None,
    pos_label: Any = 1,
    neg_label: Any = 0,
    rest: Literal["raise", "negative"] = "raise",
    drop_label: Any = None,
    levels: Iterable[object] | None = None,
    where: str | None = None,
    missing: Literal["raise", "drop"] = "raise",
    resolution: float | None = None,
    higher_is: Literal["positive", "negative"] = "positive",
) -> str:
    r"""Return a query of the accuracy ratio and KS of each segment, for a dashboard or a check.

    The columns are segment (with `by`), n, positives, not_counted, accuracy_ratio and ks. Whole
    counts are summed and multiplied, and divided once, so that the digits are those of
    `accuracy_ratio` and `ks` while there are at most 2^53 pairs of a positive and a negative;
    beyond, the last digit may differ. Intervals need `cells_query`. Without `by`, Spark puts the
    counts of all scores into one partition for its running sums.

    The query has no semicolon at its end. Raises `ValueError` as `cells_query`, and for another
    `higher_is`.

    Parameters
    ----------
    table, target, score, dialect, by, period, pos_label, neg_label, rest, drop_label, where
        As in `cells_query`.
    resolution
        As in `cells_query`; grades have none.
    levels
        Names of grades, most likely positive first, when the score is a grade. (Counts are
        told the order where they are read.)
    missing
        "raise": both numbers are NULL where rows cannot be ranked, and not_counted says how many
        these are. "drop": rows without a score or a label are left out first, and not_counted
        are those with a third label.
    higher_is
        Whether a higher score means a more likely "positive" or "negative".

    Examples
    --------
    A positive of score 7 beats a negative of score 5 and ties with one of score 7: of two pairs
    one is won, none is lost.

    >>> import duckdb
    >>> query = numbers_query("loans", "bad", "points", dialect="duckdb")
    >>> loans = duckdb.sql("SELECT * FROM (VALUES (1, 7), (0, 7), (0, 5)) AS t (bad, points)")
    >>> loans.query("loans", query).fetchall()
    [(3, 1, 0, 0.5, 0.5)]
    """
    queries = _queries()
    labels = queries.query_labels(pos_label, neg_label, rest, drop_label)
    rows = where, missing, resolution
    asked = queries.asked(table, target, score, dialect, by, period, labels, *rows)
    direction = as_name(higher_is, "higher_is", ("positive", "negative"), {})
    text: str = queries.numbers(asked, direction, levels)
    return text


def times_query(
    table: str,
    time: str,
    event: str,
    score: str,
    *,
    dialect: str,
    stratum: str | None = None,
    cluster: str | None = None,
    event_label: Any = None,
    censored_label: Any = None,
    where: str | None = None,
    missing: Literal["raise", "drop"] = "raise",
    resolution: float | None = None,
) -> str:
    r"""Return a query of how many rows there are at each score, time and status.

    Its result, saved as csv, is what `capcurve ... --counts --horizon` reads: the counts at every
    horizon can be had from it. It is one GROUP BY, and the query has no semicolon at its end.
    Raises `ValueError` as `cells_query`.

    Parameters
    ----------
    time, event, stratum, cluster
        Columns as in `count_times`.
    event_label, censored_label
        The label of the event and that of a censored row; any other label competes, and is 2 in
        the result. None of the two: the column holds statuses.
    table, score, dialect, where, missing, resolution
        As in `cells_query`.

    Examples
    --------
    Two rows of score 7 that were followed for 30, one of which had the event:

    >>> import duckdb
    >>> query = times_query("loans", "days", "bad", "points", dialect="duckdb")
    >>> loans = duckdb.sql("SELECT * FROM (VALUES (30, 1, 7), (30, 0, 7)) AS t (days, bad, points)")
    >>> sorted(loans.query("loans", query).fetchall())
    [(7, 30, 0, 1), (7, 30, 1, 1)]
    """
    refuse_same_column(event=event, time=time)
    if (event_label is None) != (censored_label is None):
        raise ValueError(f"{arg('event_label')} and {arg('censored_label')} go together; pass both")
    if event_label is not None and str(event_label).rstrip() == str(censored_label).rstrip():
        both = f"{arg(event_label=event_label)} and {arg(censored_label=censored_label)}"
        raise ValueError(f"{both} are one label; name two")
    labelled, queries = event_label is not None, _queries()
    if not labelled and is_called_censoring(event):
        either = [arg(event_label=label, censored_label=1 - label) for label in (1, 0)]
        raise ValueError(
            f"{event!r} may hold 1 for the event or for a censored row; pass {' or '.join(either)}"
        )
    labels = queries.query_labels(*((event_label, censored_label) if labelled else (1, 0)))
    rows = where, missing, resolution
    asked = queries.asked(table, event, score, dialect, None, None, labels, *rows)
    others = {"time": time, "stratum": stratum, "cluster": cluster}
    text: str = queries.times(asked, others, labelled=labelled)
    return text


def trials_query(
    table: str,
    outcome: str,
    treatment: str,
    score: str,
    *,
    dialect: str,
    amounts: bool = False,
    pos_label: Any = 1,
    neg_label: Any = 0,
    rest: Literal["raise", "negative"] = "raise",
    drop_label: Any = None,
    where: str | None = None,
    missing: Literal["raise", "drop"] = "raise",
    resolution: float | None = None,
) -> str:
    r"""Return a query of how many cases of a trial there are at each treatment, score and outcome.

    Its result, saved as csv, is what `capcurve uplift ... --counts` reads: everything that is said
    of a trial can be had from it. It is one GROUP BY without windows, whose columns are treatment,
    score, positives and negatives, or of amounts treatment, score, amount and n, how often the
    three occur together. The query has no semicolon at its end. Raises `ValueError` as
    `cells_query`, and for labels of amounts.

    Parameters
    ----------
    outcome, treatment
        Columns of what happened and of who was treated. Labels of the treatment are handed over as
        they are; whose are the treated cases is said where the result is read.
    amounts
        Whether the outcome is an amount, such as revenue.
    table, score, dialect, pos_label, neg_label, rest, drop_label, where, resolution
        As in `cells_query`.
    missing
        As in `cells_query`; "drop" leaves out rows without a treatment too.

    Examples
    --------
    Of two cases of score 7 the treated one bought:

    >>> import duckdb
    >>> query = trials_query("trial", "bought", "mailed", "points", dialect="duckdb")
    >>> trial = duckdb.sql("SELECT 7 AS points, 1 AS bought, 1 AS mailed UNION ALL SELECT 7, 0, 0")
    >>> sorted(trial.query("trial", query).fetchall())
    [(0, 7, 0, 1), (1, 7, 1, 0)]
    """
    refuse_same_column(treatment=treatment, outcome=outcome, score=score)
    queries = _queries()
    labels = queries.query_labels(pos_label, neg_label, rest, drop_label)
    if amounts and (pos_label, neg_label, rest, drop_label) != (1, 0, "raise", None):
        raise ValueError(
            f"amounts have no labels; leave out {arg('pos_label')}, {arg('neg_label')}, "
            f"{arg('rest')} and {arg('drop_label')}"
        )
    rows = where, missing, resolution
    asked = queries.asked(table, outcome, score, dialect, None, None, labels, *rows)
    text: str = queries.trials(asked, treatment, amounts=amounts)
    return text


def grade_query(
    score: str,
    labels: Sequence[str],
    above: Sequence[str | Sequence[Any]],
    sign: str,
    dialect: str | None,
) -> str:
    """Return the grade of a score as an expression: labels by cut-offs, or by lists of levels."""
    text: str = _queries().case_of_grades(score, labels, above, sign, dialect)
    return text


def _queries() -> ModuleType:
    """Return the module that needs sqlglot, or raise saying what brings it."""
    try:
        import sqlglot  # noqa: F401 - so that only its own absence is said to be one
    except ImportError as error:
        raise ModuleNotFoundError(
            f"SQL needs sqlglot: {installing('sql')}", name="sqlglot"
        ) from error
    from capcurve.sql import queries

    return queries
