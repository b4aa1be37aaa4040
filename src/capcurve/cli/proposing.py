"""For someone who has not said which columns to read: the columns, and the likely pair."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import click

from capcurve.cli.errors import UNUSABLE, Failure, on_screen
from capcurve.cli.options import STDIN, Request
from capcurve.cli.output import note, styled, waiting, width_of, wrapped
from capcurve.counts.settings import PERCENTAGE
from capcurve.input.arrays.labels import all_or_nothing, likely_event
from capcurve.input.files.engine import FileTable, Relation, one_line, one_of, select
from capcurve.input.files.reading import column_names, open_files
from capcurve.input.files.textvalues import ANY_NUMBER, PLAIN, matches
from capcurve.input.frames import check_names
from capcurve.input.query import matching
from capcurve.show.format import joined, listed, printable
from capcurve.show.text import to_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.input.files import Files

_TARGETS = (
    ("default", "target", "y", "label", "bad", "churn", "fraud", "event", "outcome", "class"),
    ("defaulted", "churned", "response", "responded", "converted", "conversion", "delinquent"),
    ("good", "status", "flag", "survived", "died", "attrition", "purchased", "clicked", "true"),
)
_SCORES = (
    ("score", "pd", "prob", "proba", "probability", "p", "pred", "prediction", "predicted"),
    ("rating", "risk", "scorecard", "phat", "yhat", "propensity", "logit", "likelihood", "hat"),
    ("points", "fico", "grade", "model"),
)
_IDS = {"id", "ids", "key", "index", "row", "rownum", "number", "no", "nr", "uuid", "account"}
_IDS |= {"customer", "loan", "member", "client", "idx", "unnamed"}
_AMOUNTS = {"loss", "losses", "amount", "cost", "costs", "claims", "revenue", "recovery"}
_EXPOSURES = {"ead", "exposure", "premium", "balance", "limit", "weight", "age", "year", "years"}
MOST_OTHERS = 8
_PAIR = 2
_BINARY = ({"0", "1"}, {"-1", "1"}, {"true", "false"}, {"0.0", "1.0"}, {"-1.0", "1.0"})


def propose_columns(
    request: Request, files: Files, others: Mapping[str, str | None] | None = None
) -> NoReturn:
    """List the columns on stderr, propose the command to run, and end with exit code 2."""
    # `others` are columns that the command needs beside target and score, by their flags.
    columns, others = list_columns(files), others or {}
    width = width_of(err=True)
    outcome = request.target or request.amount or request.time
    said = {"--target": outcome, "--score": request.score or None, **others}
    asked = [flag for flag, column in said.items() if column is None]
    where = "standard input" if request.file == (STDIN,) else ", ".join(request.file)
    roles = f"{joined(flag[2:] for flag in asked)} column{'s' if len(asked) > 1 else ''}"
    asks = f"name the {roles} with {joined(asked)}"
    click.echo(f"{styled('capcurve: error:', 'red', err=True)} {asks}", err=True)
    click.echo("\n" + on_screen(f"The columns of {where}:") + "\n", err=True)
    click.echo(to_text(_listing(columns, width), width=width), err=True)
    rows = columns[0].first_rows if columns else None
    if rows:
        click.echo(f"\nDistinct and missing values are of the first {rows:,} rows.", err=True)
    click.echo("\n" + _proposal(request, columns, others), err=True)
    click.get_current_context().exit(UNUSABLE)


def scores_meant(request: Request, files: Files, others: Sequence[str | None]) -> list[str]:
    """Return the scores that patterns stand for, or all columns of numbers but the `others`."""
    names = column_names(files)
    if not request.scores_except:
        return matching(request.score, names, others)
    check_names(request.scores_except, names)
    with waiting("looking at the columns"):
        left = [each for each in list_columns(files) if each.name not in others]
    found = [each.name for each in left if each.type in ("integer", "number")]
    if not found:
        raise Failure("--scores-except leaves no column of numbers; name the scores with --score")
    if texts := [each.name for each in left if each.name not in found]:
        note(f"no scores, for they do not hold numbers: {listed(texts, MOST_OTHERS)}")
    return found


def _listing(columns: Sequence[ColumnInfo], width: int | None) -> dict[str, list[object]]:
    listing: dict[str, list[object]] = {
        "column": [printable(column.name) for column in columns],
        "type": [column.type for column in columns],
        "distinct": [column.distinct for column in columns],
        "missing": [column.nulls for column in columns],
    }
    taken = 30 + max((len(column.name) for column in columns), default=0)
    room = max(20, (width or 100) - taken - 8)
    texts = [", ".join(map(printable, column.examples)) for column in columns]
    listing["examples"] = [t if len(t) <= room else t[: room - 1] + "…" for t in texts]
    return listing


def _proposal(
    request: Request, columns: Sequence[ColumnInfo], others: Mapping[str, str | None]
) -> str:
    more = [word for flag, column in others.items() if column is None for word in (flag, "COLUMN")]
    if request.amount or request.time or (request.target and request.score):
        score = [] if request.score else ["--score", "COLUMN"]
        return f"Then run:\n\n  {_command([*score, *more])}"
    fixed = {request.target, *request.score, *others.values()}
    found = propose([column for column in columns if column.name not in fixed] or columns)
    if request.target is not None or request.score:
        found = propose(columns) or found
    flags, reasons = [], []
    if request.target is None:
        flags += ["--target", "COLUMN" if found is None else found.target]
        reasons += [] if found is None else [f"{found.target!r} {found.target_reason}"]
    if not request.score:
        flags += ["--score", "COLUMN" if found is None else found.score]
        reasons += [] if found is None else [f"{found.score!r} {found.score_reason}"]
    flags += more
    target = request.target or (None if found is None else found.target)
    labels = [] if request.pos_label else _positive_labels(columns, target)
    commands = [_command([*flags, "--pos-label", label]) for label in labels] or [_command(flags)]
    shown = "\n".join(f"  {command}" for command in commands)
    if found is None and not request.target and (told := _of_an_amount(request, columns, more)):
        return told
    if found is None:
        why = "Could not guess the target and score; name them:"
        return "\n\n".join([why, shown, *_besides(request, columns, None)])
    run = "run" if len(commands) == 1 else "run the one that names the positives"
    why = wrapped(on_screen(f"Likely: {'; '.join(reasons)}. Then {run}:"), err=True)
    return "\n\n".join([why, shown, *_besides(request, columns, found)])


def _of_an_amount(
    request: Request, columns: Sequence[ColumnInfo], also: Sequence[str]
) -> str | None:
    """Propose to rank the one amount of a file, or return None where none is clear."""
    amounts, exposures, scores = _numbers(columns)
    takes = {each.name for each in click.get_current_context().command.params}
    if "amount" not in takes or len(amounts) != 1 or not (request.score or scores):
        return None
    flags = ["--amount", amounts[0].name]
    flags += ["--exposure", exposures[0].name] if len(exposures) == 1 else []
    flags += [*([] if request.score else ["--score", scores[0].name]), *also]
    said = [
        "No column is a target, but one is an amount. To rank that, run:",
        f"  {_command(flags)}",
    ]
    more = [] if request.score else _more_scores(scores[1:])
    if len(exposures) > 1:
        more.append(f"What rows count for may be {_exposures(exposures)}")
    return "\n\n".join([*said, *(wrapped(on_screen(line), err=True) for line in more)])


def _exposures(columns: Sequence[ColumnInfo]) -> str:
    return " or ".join(f"--exposure {quoted(each.name)}" for each in columns[:MOST_OTHERS])


def _more_scores(others: Sequence[ColumnInfo]) -> list[str]:
    """Say which other columns may be scores, where there are any."""
    flags = " ".join(f"-s {quoted(each.name)}" for each in others[:MOST_OTHERS])
    return [f"Other columns that may be scores: {flags}"] if flags else []


def _numbers(columns: Sequence[ColumnInfo]) -> tuple[list[ColumnInfo], ...]:
    """Return which columns of many numbers are amounts, exposures and neither, by their names."""
    numbers = [(each, set(_words(each.name))) for each in columns if _many_numbers(each)]
    return (
        [each for each, words in numbers if words & _AMOUNTS],
        [each for each, words in numbers if words & _EXPOSURES],
        [each for each, words in numbers if not words & (_AMOUNTS | _EXPOSURES)],
    )


def _besides(
    request: Request, columns: Sequence[ColumnInfo], found: Proposal | None
) -> Iterator[str]:
    """Yield which other columns may be scores, and which amounts."""
    chosen = {request.target, *request.score}
    chosen |= set() if found is None else {found.target, found.score}
    amounts, known, others = _numbers([each for each in columns if each.name not in chosen])
    said = [] if request.score else _more_scores(others)
    if amounts and request.target is None:
        flags = " or ".join(f"--amount {quoted(each.name)}" for each in amounts[:MOST_OTHERS])
        of = _exposures(known)
        said.append(
            f"To rank an amount in place of a target: {flags}{of and f', perhaps with {of}'}"
        )
    if said:
        yield "\n".join(wrapped(on_screen(line), err=True) for line in said)


def _positive_labels(columns: Sequence[ColumnInfo], target: str | None) -> list[str]:
    """Return what --pos-label has to name: an event by its usual word, else either of two labels.

    Nothing where labels speak for themselves, or are not known as they are.
    """
    for column in columns:
        labels = sorted(sorted(column.examples), key=likely_event)
        speak = any({label.strip().lower() for label in labels} == pair for pair in _BINARY)
        speak = speak or all_or_nothing(labels) is not None
        cut = any(len(label) == WIDTH for label in labels)
        if column.name == target and column.distinct == len(labels) == _PAIR and not speak | cut:
            first, second = map(likely_event, labels)
            return labels if first == second else labels[:1]
    return []


def _command(flags: Sequence[str]) -> str:
    """Return the command that was typed, with more flags."""
    words = list(click.get_current_context().find_root().obj or [])
    return " ".join(["capcurve", *map(quoted, [*words, *flags])])


def quoted(word: str) -> str:
    r"""Return a word as a shell takes it, also one that would act on a terminal.

    >>> print(quoted("pd"), quoted("it is"), quoted("a\x1b[2J"))
    pd 'it is' $'a\x1b[2J'
    """
    if word.isprintable():
        return shlex.quote(word)
    inside = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{''.join(c if c.isprintable() else _escaped(c) for c in inside)}'"


def _escaped(letter: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(letter))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A likely pair of columns, each with a phrase that says why."""

    target: str
    score: str
    target_reason: str
    score_reason: str

    @property
    def reason(self) -> str:
        """Both reasons as one sentence part."""
        return f"{self.target!r} {self.target_reason}; {self.score!r} {self.score_reason}"


def propose(columns: Sequence[ColumnInfo]) -> Proposal | None:
    """Propose a target of two values and a numeric score, or nothing where that is a guess.

    Those that are named so are taken, else the only candidates there are.

    >>> from capcurve.cli.proposing import ColumnInfo
    >>> bad = ColumnInfo("default", "integer", 2, 0, ("0", "1"))
    >>> pd = ColumnInfo("pd", "number", 812, 0, ("0.02", "0.3", "0.11"))
    >>> found = propose([bad, pd])
    >>> found.target, found.target_reason
    ('default', 'holds only 0 and 1 and is named like a target')
    >>> found.score, found.score_reason
    ('pd', 'holds numbers and is named like a score')
    """
    targets = [(column, why) for column in columns if (why := _two_values(column))]
    target = _pick(targets, _TARGETS, "target")
    scores = [(column, why) for column in columns if (why := _many_numbers(column))]
    if target:
        scores = [pair for pair in scores if pair[0].name != target[0]]
    score = _pick(scores, _SCORES, "score")
    if target is None or score is None:
        return None
    return Proposal(target[0], score[0], target[1], score[1])


def _two_values(column: ColumnInfo) -> str:
    """Say why a column may be a target, or nothing."""
    values = {value.strip().lower() for value in column.examples}
    if (
        column.type in {"integer", "number", "yes/no", "text"}
        and column.distinct == len(values) == _PAIR
    ):
        shown = " and ".join(column.examples)
        if any(values == pair for pair in _BINARY) or column.type == "text":
            rows = column.first_rows
            return f"holds only {shown}{f' in the first {rows:,} rows' if rows else ''}"
    return ""


def _many_numbers(column: ColumnInfo) -> str:
    """Say why a column may be a score, or nothing: an identifier is not one."""
    identifier = column.type == "integer" and (
        not column.name.strip() or bool(_IDS & set(_words(column.name)))
    )
    if column.distinct <= _PAIR or identifier:
        return ""
    if column.type in {"integer", "number"}:
        return "holds numbers"
    shares = column.type == "text" and all(map(PERCENTAGE.fullmatch, column.examples))
    return "holds percentages" if shares else ""


def _pick(
    candidates: Sequence[tuple[ColumnInfo, str]], names: Sequence[Sequence[str]], role: str
) -> tuple[str, str] | None:
    """Take the candidate with the most telling name; the only one without a telling name."""
    ranked = [
        (rank, len(words), place)
        for place, (column, _) in enumerate(candidates)
        if (words := _words(column.name))
        for rank, known in enumerate(names)
        if set(words) & set(known)
    ]
    if ranked:
        column, why = candidates[min(ranked)[2]]
        return column.name, f"{why} and is named like a {role}"
    if len(candidates) == 1:
        column, why = candidates[0]
        return column.name, f"{why}, as no other column does"
    return None


def _words(name: str) -> list[str]:
    """Split a name as people write them: y_true, LoanStatus, pd-2024."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W\d_]+", spaced.lower())


# What the columns hold, at a glance

ROWS = 200_000  # enough to tell the columns apart, within a second
_CELLS = 5_000_000  # fewer rows are looked at in a file of very many columns
_FIRST = 100
_FEW = 64  # up to so many distinct values are fetched
_EXAMPLES = 3
WIDTH = 40
_TYPES = {"VARCHAR": "text", "BOOLEAN": "yes/no", "DOUBLE": "number", "FLOAT": "number"}
_TYPES |= {"INTEGER": "integer", "UINTEGER": "integer", "ARRAY": "list", "OBJECT": "other"}
_COUNTS = [
    "count(*)",
    "count(v)",
    "count(DISTINCT v)",
    "[min(t), max(t)]",
    f"count_if({matches('v', PLAIN.whole)})",
    f"count_if({matches('v', ANY_NUMBER)})",
    "count_if(lower(trim(v)) IN ('true', 'false'))",
    "count(TRY_CAST(v AS TIMESTAMP))",
]
_ColumnCounts: TypeAlias = tuple[Any, ...]  # what _COUNTS gives


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """What a column looks like over the first 200,000 rows (fewer in very wide files)."""

    name: str  # its exact name
    type: str  # "integer", "number", "text", "yes/no", "date", "list", "empty" or "other"
    distinct: int  # how many different values
    nulls: int  # how many rows have no value
    # Up to three different values, as text: of few distinct ones the first, else from the first
    # rows.
    examples: tuple[str, ...]
    # How many rows this was read off where there may be more; None where it is all of them.
    first_rows: int | None = None


def list_columns(files: Files) -> tuple[ColumnInfo, ...]:
    r"""List the columns that every file has, in the order of the first file.

    Of a name that a file holds twice nothing is listed, for it cannot be read.

    >>> import pathlib, tempfile
    >>> from capcurve.input.files import Files
    >>> with tempfile.TemporaryDirectory() as place:
    ...     path = pathlib.Path(place, "loans.csv")
    ...     _ = path.write_text("default,pd\n0,0.1\n1,NA\n")
    ...     for column in list_columns(Files.of(path)):
    ...         print(column.name, column.type, column.distinct, column.nulls)
    default integer 2 0
    pd number 1 1
    """
    with open_files(files, checked=False) as tables:
        for table in tables:
            table.refuse_headless()
        names = [name for name in tables[0].names if all(t.names.count(name) == 1 for t in tables)]
        return _glance(tables, names, files.null_values) if names else ()


def _glance(
    tables: Sequence[FileTable], names: Sequence[str], null_values: Sequence[str]
) -> tuple[ColumnInfo, ...]:
    """Describe every column by the first rows: counts, few distinct values, examples."""
    label = tables[0].label + (f" and {len(tables) - 1} more" if len(tables) > 1 else "")
    limit = max(min(ROWS, _CELLS // len(names)), 1000)
    parts = " UNION ALL ".join(f"({_as_text(t, names, f)})" for f, t in enumerate(tables))
    connection = tables[0].connection
    with one_line(label):
        connection.execute(f"CREATE TEMP TABLE glance AS {parts} LIMIT {limit}")

    def cells(rows: str) -> Relation:
        return Relation(connection, label, _cells(rows, tables, null_values))

    every, by_column = cells("glance"), "GROUP BY i"
    counts = {i: tuple(found) for i, *found in every.rows(["i", *_COUNTS], by_column)}
    few = ", ".join(str(i) for i, found in counts.items() if found[2] <= _FEW)
    fields = ["i", "list_sort(list(DISTINCT v))"]
    values = dict(every.rows(fields, f"WHERE i IN ({few or -1}) {by_column}"))
    first: dict[int, list[str]] = {i: [] for i in counts}
    for i, value in cells(f"({select(['*'], 'glance', f'LIMIT {_FIRST}')})").rows(["i", "v"]):
        first[i] += [] if value is None else [value]
    read = [tables[f] for (f,) in Relation(connection, label, "glance").rows(["DISTINCT f"])]
    listed = [
        _describe(name, _types_of(read, name, counts[i][3]), counts[i], values.get(i), first[i])
        if i in counts
        else ColumnInfo(name, "empty", 0, 0, ())
        for i, name in enumerate(names)
    ]
    if not counts or counts[0][0] < limit:
        return tuple(listed)
    return tuple(replace(column, first_rows=limit) for column in listed)


def _cells(rows: str, tables: Sequence[FileTable], null_values: Sequence[str]) -> str:
    """Write the SQL that puts all columns below each other, the null words as nulls."""
    # Thousands of columns beside each other need thousands of expressions, which is slow.
    stored = [str(f) for f, table in enumerate(tables) if table.kind == "parquet"]
    text_only = f"f NOT IN ({', '.join(stored)}) AND " if stored else ""
    value = f"CASE WHEN NOT ({text_only}{one_of('trim(v)', null_values)}) THEN v END AS v"
    below = ["f", "generate_subscripts(v, 1) - 1 AS i", "unnest(v) AS v", "unnest(t) AS t"]
    return f"({select(['i', value, 't'], f'({select(below, rows)})')})"


def _as_text(table: FileTable, names: Sequence[str], number: int) -> str:
    """Write the SQL for a file's number, all columns as text, and the types json gives."""
    places = [table.position(name) for name in names]
    typed, cast = table.kind == "parquet", "CAST(c{} AS VARCHAR)"
    values = ", ".join((cast if typed else "c{}").format(place) for place in places)
    types = ", ".join(f"nullif(t{place}, 'NULL')" for place in places)
    shapes = f"[{types}]" if table.kind == "json" else "CAST(NULL AS VARCHAR[])"
    return select([f"{number} AS f", f"[{values}] AS v", f"{shapes} AS t"], table.relation)


def _types_of(read: Sequence[FileTable], name: str, found: Sequence[str | None]) -> set[str]:
    """Return the types of a column in the files that were read."""
    types = {each for each in found if each}
    for table in read:
        if table.kind != "json":
            types.add(table.types[table.position(name)] if table.types else "text")
    return types


def _describe(
    name: str,
    types: set[str],
    counts: _ColumnCounts,
    values: Sequence[str | None] | None,
    first: Sequence[str],
) -> ColumnInfo:
    rows, n, distinct = counts[:3]
    shown = [value for value in values or () if value is not None] or list(dict.fromkeys(first))
    examples = tuple(
        value if len(value) <= WIDTH else value[: WIDTH - 1] + "…" for value in shown[:_EXAMPLES]
    )
    kinds = {_word(each, n, counts[4:]) for each in types if n}
    kinds = {"number"} if kinds == {"integer", "number"} else kinds
    kind = kinds.pop() if len(kinds) == 1 else "text" if kinds else "empty"
    return ColumnInfo(name, kind, distinct, rows - n, examples)


def _word(kind: str, n: int, counts: Sequence[int]) -> str:
    """Say in one word what a type is; for csv text, what all its values look like."""
    if kind != "text":
        if kind.endswith("]"):
            return "list"
        if kind.startswith(("DATE", "TIMESTAMP")):
            return "date"
        if kind.startswith("DECIMAL"):
            return "number"
        return "integer" if kind.endswith("INT") else _TYPES.get(kind, "other")
    wholes, numbers, truths, dates = counts
    looks = {"integer": wholes, "number": numbers, "yes/no": truths, "date": dates}
    return next((word for word, count in looks.items() if count == n), "text")
