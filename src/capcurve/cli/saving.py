"""`capcurve counts`, `sql` and `example`: what other commands read, from rows or a database."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np

from capcurve.cli.command import Command, command
from capcurve.cli.flags import Flags
from capcurve.cli.notations import number_in, words_in
from capcurve.cli.options import (
    LABEL_OPTIONS,
    OF_COLUMNS,
    TIMED_ROWS,
    Request,
    not_with,
    option,
    output_option,
)
from capcurve.cli.output import Destination, check_output, note, save, tell_all
from capcurve.cli.reading import ONE_SCORE_A_TABLE, CountsByScore, checked, followed, tallied
from capcurve.cli.targeting import CONTROL, TREATED_HELP, TREATMENT, WITH_TREATED, trial_of
from capcurve.show.format import percent
from capcurve.show.text import write_text

if TYPE_CHECKING:
    from pathlib import Path

    from capcurve.numbers.types import Array

SMALL_CELL = 5
MOSTLY = 0.5
EVERY_HORIZON = {
    "horizon|competing": "the counts contain every horizon; name one when you read them, and "
    "leave out --horizon and --competing"
}
_WITH_TREATMENT = {"treatment": "{flag} goes with --treatment; name the column of who was treated"}


@command("counts", refuses=EVERY_HORIZON)
@dataclass(frozen=True, kw_only=True)
class SaveCounts(Command):
    """Save the per-score counts behind every number.

    The table has the positives and negatives at each distinct score, with --by per segment.
    Every other command reads it with --counts. It contains no rows, but if nearly every case
    has its own score, each count is one case: --resolution groups scores. With --amount nearly
    every amount is that of one case. With --time the table has every different score, time and
    status, for any --horizon (.json also has grades, clusters and rows left out); with --treatment
    both arms of a trial, for capcurve uplift --counts. Text that a spreadsheet would take for a
    formula stays as it is.
    """

    treatment: str | None = option(
        f"Of a trial: {TREATMENT[0].lower()}{TREATMENT[1:]}",
        "COLUMN",
        excludes=not_with("by", "time", "exposure", "weight", "memory_limit", "all_segments"),
    )
    treated_label: tuple[str, ...] = option(
        f"With --treatment: {TREATED_HELP[0].lower()}{TREATED_HELP[1:]}",
        "LABEL",
        default=(),
        needs=_WITH_TREATMENT,
    )
    control_label: tuple[str, ...] = option(
        f"With --treatment: {CONTROL[0].lower()}{CONTROL[1:]}",
        "LABEL",
        default=(),
        needs={**_WITH_TREATMENT, **WITH_TREATED},
    )
    output: str = output_option(
        "File to write: .parquet and .json contain everything; .csv has plain numbers, and is "
        "refused if these would give other results.",
        required=True,
    )

    def run(self) -> None:
        """Count, and save the counts."""
        from capcurve.counts import UpliftCounts
        from capcurve.input.files.savedcells import Arms
        from capcurve.results.findings import about_rows_left_out

        request = self.request
        path = check_output(self.output, (".csv", ".parquet", ".json"))
        if len(set(request.score)) > 1:
            raise click.UsageError(ONE_SCORE_A_TABLE)
        if request.all_segments:
            raise click.UsageError("counts saves all segments; leave out --all-segments")
        found = self._counted()
        name, whole = next(iter(found.whole.items()))
        cells = _by_text(found.segments[name]) if found.segments else whole
        _refuse_small_rows(request.min_cell, [whole] if cells is whole else list(cells.values()))
        of_trial = self.treatment is not None or isinstance(found.segments.get(name), Arms)
        _save(UpliftCounts(**cells) if of_trial else cells, path)
        left_out = {"": tuple(about_rows_left_out(whole.dropped))}
        tell_all([left_out if of_trial or request.time is not None else found.always()])
        _tell_small_rows(request, path.name, whole)

    def _counted(self) -> CountsByScore:
        """Return the counts of rows, also those with times; of a trial both arms as segments."""
        if self.request.time is not None:
            return CountsByScore({self.request.name: followed(self.request)})
        if self.treatment is None:
            return tallied(self.request)
        trial = trial_of(self.request, self.treatment, self.treated_label, self.control_label)
        parts = {"treated": trial.treated, "control": trial.control}
        whole = type(trial.treated).merge(list(parts.values()))
        name = self.request.name
        return checked(CountsByScore({name: whole}, {name: parts}), self.request)


def _save(counts: Any, path: Path) -> None:
    """Save counts of any kind, and say what is to be said again where a csv file is read."""
    from capcurve.counts.settings import AMOUNTS, CLASSES, OF_EXPOSURE
    from capcurve.input import write_counts

    save(path, lambda to: write_counts(counts, to))
    one = next(iter(counts.values())) if isinstance(counts, Mapping) else counts
    if path.suffix.lower() == ".csv":
        if one.levels is not None:
            levels = Flags().passed({"levels": [*map(str, one.levels)]})
            note(f"{path.name} does not say the order of grades; read it with {levels}")
        if getattr(one, "words", CLASSES) not in (CLASSES, AMOUNTS, OF_EXPOSURE):
            note(f"{path.name} does not say what is an amount or exposure; .parquet and .json do")
        if unit := getattr(one, "time_unit", None):
            read = Flags().passed({"time_unit": unit})
            note(f"{path.name} does not say what times are counted in; read it with {read}")
        if one.dropped is not None and one.dropped.rows:
            note(f"{path.name} does not say which rows were left out; .parquet and .json do")


def _by_text(segments: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return crossed segments by how they read, as a table has one column for them."""
    named = {str(key) if isinstance(key, tuple) else key: part for key, part in segments.items()}
    if len(named) < len(segments):
        raise click.UsageError("two segments of the several --by read alike; name one --by")
    return named


def _refuse_small_rows(least: int | None, parts: list[Any]) -> None:
    """Refuse a table whose rows, finer than its scores, have too few cases."""
    if least is None:
        return
    finer = next((each for part in parts if (each := _finer_than_scores(part))), None)
    smallest = min((int(cases.min()) for cases in map(_cases, parts) if len(cases)), default=least)
    if finer is not None and smallest < least:
        what, remedy = finer
        raise click.UsageError(
            f"the table has a row per {what}, the smallest with {smallest} "
            f"{'case' if smallest == 1 else 'cases'}, and --min-cell is {least}; {remedy}, or "
            "group scores with --resolution"
        )


def _finer_than_scores(part: Any) -> tuple[str, str] | None:
    """Return what tells the rows of a table apart beside the score, and what to do about it."""
    from capcurve.counts import TimeCounts
    from capcurve.gate.given import is_amounts

    if is_amounts(part):
        return "score and amount", "round the amounts"
    if isinstance(part, TimeCounts):
        return "score, time and status", "round the times"
    if part.groups is not None:
        return "score and group of clusters", "leave out --cluster"
    return None


def _cases(part: Any) -> Array:
    """Return the cases of each row that is written."""
    from capcurve.counts import TimeCounts, ValueCounts
    from capcurve.counts.table import wide

    if part.groups is not None:
        return np.concatenate([_cases(group) for group in part.groups])
    if isinstance(part, ValueCounts):
        return np.concatenate([part.holding.times, part.empty.times])
    if isinstance(part, TimeCounts):
        return part.cases
    return wide(part.positives) + wide(part.negatives)


def _tell_small_rows(request: Request, file: str, whole: Any) -> None:
    cases = _cases(whole)
    if request.counts or getattr(whole, "weights", None) is not None or not len(cases):
        return
    share = float((cases < SMALL_CELL).mean())
    finer = _finer_than_scores(whole)
    rows = "scores" if finer is None else f"rows by {finer[0]}"
    if share > MOSTLY:
        note(
            f"{percent(share)} of the {rows} in {file} have fewer than {SMALL_CELL} cases, which "
            "may identify people; --resolution groups scores"
        )


# Counting where the rows are


def _only_one(_: click.Context, __: click.Parameter, scores: tuple[str, ...]) -> str:
    """Return the score; two would need two queries."""
    if len(scores) > 1:
        raise click.UsageError("a query counts one score; name one --score, and write one for each")
    return scores[0]


_NO_AMOUNT = (
    "a query counts positives and negatives, not amounts; read the table itself with "
    "count_values(data=...) in Python (DuckDB, Ibis, Spark), or an export of it with capcurve "
    "counts --amount; amounts of a trial are counted with --treatment"
)


@command(
    "sql",
    files="",
    columns=("by", *TIMED_ROWS, "cluster", *LABEL_OPTIONS, "resolution"),
    details=(),
    texts={
        "neg_label": "Label of the negatives, if it is not 0; repeat for several. true and false "
        "are truth values and numbers are numbers; \"'1'\" is the text 1.",
        "resolution": "Round scores down to a grid of this width; read the result with it, too.",
    },
    refuses=EVERY_HORIZON,
)
@dataclass(frozen=True, kw_only=True)
class WriteQuery(Command):
    """Print a SQL query that counts inside a database.

    Run it and save the result as csv: every other command reads it with --counts. The query reads
    one table and changes nothing; its result has a row per distinct score, or cell of a grid, and
    none of the table. --what numbers computes the accuracy ratio and KS in the database, without
    intervals. --time and --event count by score, time and status, for any --horizon; --treatment
    counts both arms of a trial, for capcurve uplift --counts.
    """

    dialect: str = option(
        "sqlite, duckdb, postgres, mysql (also MariaDB) or spark, in which the queries are "
        "tested; or snowflake, bigquery, redshift, databricks, tsql, oracle or trino, for which "
        "only the text is checked.",
        "NAME",
        required=True,
    )
    table: str = option(
        "Table: [[CATALOG.]SCHEMA.]TABLE.", "NAME", required=True, section=OF_COLUMNS
    )
    target: str | None = option(
        "Column of the outcome: 1 for a positive, 0 for a negative.",
        "COLUMN",
        flags=("--target", "-t"),
    )
    treatment: str | None = option(
        "Of a trial: column of who was treated.",
        "COLUMN",
        excludes=not_with("time", "by", "what", "cluster"),
    )
    amount: str | None = option(
        "With --treatment: column of an amount, such as revenue, in place of --target.",
        "COLUMN",
        needs={"treatment": _NO_AMOUNT},
    )
    score: str = option(
        "Column of the score.",
        "COLUMN",
        flags=("--score", "-s"),
        required=True,
        multiple=True,
        callback=_only_one,
    )
    by_period: Literal["day", "month", "quarter", "year"] | None = option(
        "Group the dates of the last --by; they are dates, not text such as Mar-2018.",
        needs={"by": "--by-period goes with --by; name the column of the dates"},
    )
    where: str | None = option("Condition on the rows, in the SQL of the dialect.", "SQL")
    missing: Literal["raise", "drop"] = option(
        "Rows without a score or a label: return NULL counts, so that they are noticed (raise), or "
        "leave them out (drop).",
        default="raise",
    )
    what: Literal["cells", "numbers"] = option(
        "The counts at each score, which --counts reads; or cases, positives, accuracy ratio "
        "and KS of each segment.",
        default="cells",
        excludes={"time": "{flag} does not go with --time; leave it out"},
    )
    higher_is: Literal["positive", "negative"] | None = option(
        "For --what numbers: what a higher score means (default: positive)."
    )
    levels: str | None = option(
        "For --what numbers: grades, most likely positive first.", "G,F,E,..."
    )
    output: str | None = output_option("Write to this file (.sql).")

    def run(self) -> None:
        """Print the query, and say how to go on and how far it is tested."""
        from capcurve.counts.times import unit_in
        from capcurve.sql import dialect_of

        self._check()
        Destination("sql", self.output).emit(self._query())
        if self.what == "cells":
            more = "" if self.request.time is None else " --horizon TIME"
            if unit := unit_in(self.request.time):
                more += f" {Flags().passed({'time_unit': unit})}"
            if (step := self.request.resolution) is not None:
                width = int(step) if step.is_integer() else step
                more += f" {Flags().passed({'resolution': width})}"
            note(f"save its result as cells.csv and read that with: {self._reader}{more}")
        if not dialect_of(self.dialect).is_run:
            checked_alone = "are checked by a parser and were not run in that engine"
            note(f"queries for {self.dialect} {checked_alone}")

    def _query(self) -> str:
        from capcurve.sql import cells_query, numbers_query, times_query, trials_query

        asked = self.options("table", "score", "where", "missing", "dialect")
        asked["resolution"] = self.request.resolution
        names = (*LABEL_OPTIONS, *TIMED_ROWS, "cluster")
        words = {name: getattr(self.request, name) for name in names}
        if self.request.time is not None:
            labels = {name: words[name] for name in TIMED_ROWS[3:] if words[name] is not None}
            asked |= {name: _value_of(said) for name, said in labels.items()}
            roles = {each: words[each] for each in (*TIMED_ROWS[:3], "cluster")}
            return times_query(**asked, **roles)
        if words.pop("rest_negative"):
            asked["rest"] = "negative"
        said = {name: words[name] for name in LABEL_OPTIONS if words.get(name)}
        asked |= {name: list(map(_value_of, labels)) for name, labels in said.items()}
        if self.treatment is not None:
            amounts, outcome = self.amount is not None, self.amount or self.target or ""
            return trials_query(outcome=outcome, treatment=self.treatment, amounts=amounts, **asked)
        by = self.request.segmented_by
        asked |= {"target": self.target, "by": by, "period": self.by_period}
        if self.what == "cells":
            return cells_query(**asked)
        grades = None if self.levels is None else list(map(_value_of, words_in(self.levels)))
        return numbers_query(**asked, higher_is=self.higher_is or "positive", levels=grades)

    @property
    def _reader(self) -> str:
        return f"capcurve {'uplift' if self.treatment else 'summary'} cells.csv --counts"

    def _check(self) -> None:
        if self.target is None and self.request.time is None and self.amount is None:
            raise click.UsageError("Missing option '--target' / '-t'.")
        if self.target is not None and self.amount is not None:
            raise click.UsageError("--target does not go with --amount; name one of the two")
        if self.request.pos_label and not (self.request.neg_label or self.request.rest_negative):
            raise click.UsageError(
                "--pos-label is given without --neg-label; name both, so that a third label is "
                "noticed, or pass --rest-negative"
            )
        if self.request.cluster is not None and self.request.time is None:
            raise click.UsageError("--cluster goes with --time, in a query; leave it out")
        for flag, value in {"--higher-is": self.higher_is, "--levels": self.levels}.items():
            if value is not None and self.what == "cells":
                raise click.UsageError(
                    f"{flag} is for --what numbers; with cells, say it where they are read: "
                    f"{self._reader} {flag} {shlex.quote(value)}"
                )
        if self.output is not None:
            check_output(self.output, (".sql",))


def _value_of(word: str) -> str | float | bool:
    """Return the label or grade that a word stands for; one in single quotes is text.

    >>> _value_of("2"), _value_of("'2'"), _value_of("true"), _value_of("bad")
    (2, '2', True, 'bad')
    """
    if len(word) > 1 and word[0] == word[-1] == "'":
        return word[1:-1]
    if word.lower() in ("true", "false"):
        return word.lower() == "true"
    try:
        number = number_in(word)
    except ValueError:
        return word
    return number if word.strip()[-1:].isdigit() else word  # "nan" and "inf" are words here


# What to try on each file, which stands for {}.
TRIED = {
    "loans": "report {} -t y -s grade_rank",
    "claims": "report {} --amount claims --exposure years -s model_a -s model_b",
    "visits": "summary {} --amount mdvis -s disea",
    "lgd": "generalised-auc {} --realised realised --estimated estimated",
    "applicants": "bounds {} --counts --positives 0.1:0.4",
    "deciles": "audit {} --claim ks=0.37",
    "followup": "report {} --time days --event status -s pd --horizon 180 --horizon 365",
    "judge": "bounds {} -t label -s judge --metric prevalence --labelled at-random",
}


@command("example", files="NAME", columns=(), details=())
@dataclass(frozen=True, kw_only=True)
class WriteExample(Command):
    """Write a file to try commands on, such as loans.csv.

    NAME is loans (9,857 real loans), claims (400 simulated policies), visits (3,000 people and
    their visits to a doctor), lgd (150 losses given default), applicants (the loans counted by
    grade, some outcomes hidden), deciles (a printed table), followup (600 simulated loans, some
    of them censored) or judge (780 answers rated by language models, with labels on some).
    """

    output: str | None = output_option("File to write (default: NAME.csv in this folder).")

    def run(self) -> None:
        """Copy the file, unless something else has its name, and say what to do with it."""
        from capcurve.datasets import path

        try:
            file = path(self.request.file[0])
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        written = check_output(self.output or file.name, (".csv",))
        if written.exists() and written.read_bytes() != file.read_bytes():
            raise click.UsageError(f"{written} is already there; name another file with --output")
        save(written, lambda to: write_text(to, file.read_text("utf-8")))
        note(f"try it with: capcurve {TRIED[file.stem].format(shlex.quote(str(written)))}")
