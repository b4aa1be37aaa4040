"""For someone who has not said which columns to read: the columns, and the likely pair."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import click

from capcurve.cli.errors import UNUSABLE, on_screen
from capcurve.cli.listing import WIDTH, list_columns
from capcurve.cli.options import STDIN
from capcurve.cli.output import width_of, wrapped
from capcurve.input.arrays.labels import likely_event
from capcurve.show.columns import to_text
from capcurve.show.format import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.cli.listing import ColumnInfo
    from capcurve.cli.options import Request
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
_PAIR = 2
_BINARY = ({"0", "1"}, {"-1", "1"}, {"true", "false"}, {"0.0", "1.0"}, {"-1.0", "1.0"})
PERCENTAGES = "has per cent signs"
ASKED = {
    "--target and --score": "name the target and score columns with --target and --score",
    "--target": "name the target column with --target",
    "--score": "name the score column with --score",
}


def propose_columns(request: Request, files: Files) -> NoReturn:
    """List the columns on stderr, propose the command to run, and end with exit code 2."""
    columns = list_columns(files)
    width = width_of(err=True)
    asked = [flag for flag, said in _said(request).items() if not said]
    where = "standard input" if request.file == (STDIN,) else ", ".join(request.file)
    asks = " and ".join(asked)
    click.echo(f"capcurve: error: {ASKED[asks]}", err=True)
    click.echo("\n" + on_screen(f"The columns of {where}:") + "\n", err=True)
    click.echo(to_text(_listing(columns, width), width=width), err=True)
    rows = columns[0].first_rows if columns else None
    if rows:
        click.echo(f"\nDistinct and missing values are of the first {rows:,} rows.", err=True)
    click.echo("\n" + _proposal(request, columns), err=True)
    click.get_current_context().exit(UNUSABLE)


def _said(request: Request) -> dict[str, bool]:
    outcome = request.target if request.amount is None else request.amount
    return {"--target": outcome is not None, "--score": bool(request.score)}


def _listing(columns: Sequence[ColumnInfo], width: int | None) -> dict[str, list[object]]:
    listing: dict[str, list[object]] = {
        "column": [printable(column.name) for column in columns],
        "type": [column.type for column in columns],
        "distinct": [column.distinct for column in columns],
        "missing": [column.nulls for column in columns],
    }
    taken = 30 + max((len(column.name) for column in columns), default=0)
    room = max(20, (width or 100) - taken - 8)
    listing["examples"] = [_short(", ".join(map(printable, c.examples)), room) for c in columns]
    return listing


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"


def _proposal(request: Request, columns: Sequence[ColumnInfo]) -> str:
    if request.amount is not None:
        return f"Then run:\n\n  {_command(['--score', 'COLUMN'])}"
    fixed = {request.target, *request.score}
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
    target = request.target or (None if found is None else found.target)
    labels = [] if request.pos_label else _positive_labels(columns, target)
    commands = [_command([*flags, "--pos-label", label]) for label in labels] or [_command(flags)]
    shown = "\n".join(f"  {command}" for command in commands)
    if found is None:
        signed = [printable(column.name) for column in columns if _are_percentages(column)]
        why = (
            f"; take the per cent signs out of {', '.join(signed)} to rank by it" if signed else ""
        )
        return f"Could not guess the target and score{why}; name them:\n\n{shown}"
    run = "run" if len(commands) == 1 else "run the one that names the positives"
    why = wrapped(on_screen(f"Likely: {'; '.join(reasons)}. Then {run}:"), err=True)
    return f"{why}\n\n{shown}"


def _positive_labels(columns: Sequence[ColumnInfo], target: str | None) -> list[str]:
    """Return what --pos-label has to name: an event by its usual word, else either of two labels.

    Nothing where labels speak for themselves, or are not known as they are.
    """
    for column in columns:
        labels = sorted(sorted(column.examples), key=likely_event)
        speak = any({label.strip().lower() for label in labels} == pair for pair in _BINARY)
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

    Examples
    --------
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

    Examples
    --------
    >>> from capcurve.cli.listing import ColumnInfo
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
    scores += [(column, PERCENTAGES) for column in columns if _are_percentages(column)]
    if target:
        scores = [pair for pair in scores if pair[0].name != target[0]]
    score = _pick(scores, _SCORES, "score")
    if target is None or score is None or PERCENTAGES in score[1]:
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
    many = column.type in {"integer", "number"} and column.distinct > _PAIR
    return "holds numbers" if many and not identifier else ""


def _are_percentages(column: ColumnInfo) -> bool:
    signed = [re.fullmatch(r"\s*[-+]?[0-9.,]+\s*%\s*", value) for value in column.examples]
    return column.type == "text" and column.distinct > _PAIR and all(signed)


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
