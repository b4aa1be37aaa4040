"""For someone who has not said which columns to read: the columns, and the likely pair."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import click

from capcurve.cli.errors import UNUSABLE, Failure, on_screen
from capcurve.cli.options import STDIN, Request
from capcurve.cli.output import note, styled, terminal_width, waiting, wrapped
from capcurve.input.arrays.labels import (
    CONTROLS,
    MOST_LABELS_SHOWN,
    NO_TREATMENT,
    all_or_nothing,
    is_called_control,
    likely_event,
)
from capcurve.input.files.engine import (
    FileTable,
    Relation,
    file_in_one_line,
    has_duckdb,
    one_of,
    select,
)
from capcurve.input.files.reading import FIRST_ROWS, column_names, open_files, open_plainly
from capcurve.input.files.textvalues import ANY_NUMBER, PLAIN_GRAMMAR, matches
from capcurve.input.frames import check_names
from capcurve.input.query import matching
from capcurve.numbers.censoring import is_called_censoring
from capcurve.numbers.rankable import PERCENTAGE
from capcurve.show.format import joined, listed, percent, printable
from capcurve.show.text import to_text

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterator,
        Mapping,
        Sequence,
        Set as AbstractSet,
    )

    from capcurve.input.files import Files
    from capcurve.input.files.plain_csv import PlainCsv


def _ranked(*words: str) -> list[list[str]]:
    """Return words of names, the most telling first."""
    return [each.split() for each in words]


_TARGETS = _ranked(
    "default target y label bad churn fraud event outcome class exited attrition response respond "
    "bought ausfall",
    "defaulted churned responded converted conversion delinquent late deny denied died death dead "
    "spam purchase purchased claim lapse creditability diagnosis storno",
    "good status flag survived clicked true risk visit subscribed renewed approve approved "
    "readmitted arrest bankrupt",
)
_SCORES = _ranked(
    "score pd prob proba probability p pred prediction predicted",
    "rating risk scorecard phat yhat propensity logit likelihood hat fico",
    "points grade model punkte",
)
_TREATMENTS = _ranked(
    "treatment treat treated trt",
    "arm group variant exposed campaign rx assigned mailed contacted",
)
_IDS = {"id", "ids", "rownum", "rownames", "uuid", "idx", "unnamed", "custid"}
# Identifiers where no value comes twice.
_NUMBERED = {"key", "index", "row", "number", "no", "nr", "account", "customer", "loan", "member"}
_NUMBERED |= {"client", "policy", "seq", "seqn"}
_AMOUNTS = {"loss", "losses", "cost", "costs", "claim", "claims", "revenue", "recovery", "spend"}
_AMOUNTS |= {"sales", "profit", "donation"}
_EXPOSURES = {"ead", "exposure", "premium", "years"}
_NO_AMOUNTS = {"loan", "credit", "limit", "requested", "funded", "weight", "wt"}
_TRAITS = {"sex", "gender", "male", "female", "married", "student", "smoker", "stage"}
_EARLIER = {"pre", "baseline", "before"}  # known before the outcome is
_NO_SCORES = {"age", "year", "month", "day", "date", "time", "zip"}
_LATER = {"after", "post", "later", "future"}  # known when the outcome is
_EVENTS = {"event", "status", "death", "died", "dead", "arrest", "observed"}
_FOLLOWED = {"time", "days", "in", "week", "weeks", "stop", "survival", "followup", "lenfol"}
_DURATIONS = {"duration", "durat"}  # or of a loan, which may be a score
_MORE_SCORES = "Other columns that may be scores"
MOST_OTHERS = 8
_PAIR = 2
_BINARY = ({"0", "1"}, {"-1", "1"}, {"true", "false"}, {"0.0", "1.0"}, {"-1.0", "1.0"})


def propose_columns(
    request: Request, files: Files, others: Mapping[str, str | None] | None = None
) -> NoReturn:
    """List the columns on stderr, propose the command to run, and end with exit code 2."""
    # `others` are columns that the command needs beside target and score, by their flags.
    columns, others = list_columns(files), others or {}
    width = terminal_width(err=True)
    outcome = request.target or request.amount or request.time
    said = {"--target": outcome, "--score": request.score or None, **others}
    asked = [flag for flag, column in said.items() if column is None]
    where = "standard input" if request.file == (STDIN,) else ", ".join(request.file)
    roles = f"{joined(flag[2:] for flag in asked)} column{'s' if len(asked) > 1 else ''}"
    asks = f"name the {roles} with {joined(asked)}"
    error = styled("capcurve: error:", "red", err=True) if outcome or request.score else "capcurve:"
    click.echo(f"{error} {asks}", err=True)
    click.echo("\n" + on_screen(f"The columns of {where}:") + "\n", err=True)
    click.echo(to_text(_listing(columns, width), width=width), err=True)
    rows = columns[0].first_rows if columns else None
    if rows:
        click.echo(f"\nDistinct and missing values are those of the first {rows:,} rows.", err=True)
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
    taken = 30 + max((len(column.name) for column in columns), default=0)
    room = max(20, (width or 100) - taken - 8)
    texts = [", ".join(map(printable, column.examples)) for column in columns]
    return {
        "column": [printable(column.name) for column in columns],
        "type": [column.type for column in columns],
        "distinct": [column.distinct for column in columns],
        "missing": [column.nulls for column in columns],
        "examples": [t if len(t) <= room else t[: room - 1] + "…" for t in texts],
    }


def _proposal(
    request: Request, columns: Sequence[ColumnInfo], others: Mapping[str, str | None]
) -> str:
    """Say what was recognised, the command that takes it, and what else there is to choose."""
    roles = ("target", "amount", "exposure", "time", "event", "stratum", "cluster", "weight")
    typed = {getattr(request, role) for role in roles}.union(request.by, request.score)
    typed.update(others.values())
    asked = [flag[2:] for flag, column in others.items() if column is None]
    asked += [] if request.target or request.amount or request.time else ["target"]
    asked += [] if request.score else ["score"]
    found = propose([column for column in columns if column.name not in typed], asked)
    if takes("amount"):
        found = found.of_an_amount()
    told = "; ".join(f"{role} {_about(column)}" for role, column in found.likely.items())
    said = [f"Likely: {told}."] if told else []
    if found.lacking:
        judge = ", or judge a column of numbers" if found.lacking == ["score"] else ""
        name = "name one" if len(found.lacking) == 1 else "name them"
        said.append(f"No column looks like a {' or a '.join(found.lacking)}; {name}{judge}.")
    commands = _commands(request, columns, found, others)
    which = " the one whose labels are right" if len(commands) > 1 else ""
    said += [f"Then run{which}:"] if commands else []
    shown = "\n".join(f"  {command}" for command in commands)
    treatment = {column.name: column for column in columns}.get(others.get("--treatment") or "")
    asks = _which_control(found.likely.get("treatment", treatment))
    sentence, *besides = (
        wrapped(on_screen(line), err=True) for line in (" ".join(said), *asks, *_besides(found))
    )
    return "\n\n".join(filter(None, [sentence, shown, "\n".join(besides)]))


def takes(option: str) -> bool:
    """Whether the command has an option, and not only to say why it does not go there."""
    options = click.get_current_context().command.params
    return option in {each.name for each in options if not getattr(each, "hidden", False)}


def _about(column: ColumnInfo) -> str:
    """Name a column, with its values and the share of the likely positives where it has two."""
    if len(column.cases) != _PAIR:
        return repr(column.name)
    label = _labels(column)[0]
    share = percent(column.cases[column.examples.index(label)] / sum(column.cases))
    called = "ones" if label in {"1", "1.0"} else label
    rows = f" in the first {column.first_rows:,} rows" if column.first_rows else ""
    return f"{column.name!r} ({'/'.join(column.examples)}, {share} {called}{rows})"


def _commands(
    request: Request,
    columns: Sequence[ColumnInfo],
    found: Proposal,
    others: Mapping[str, str | None],
) -> list[str]:
    """Return what was typed with what it lacks, once for each label that may be meant."""
    chosen = dict(found.likely)
    if found.lacking == ["score"] and found.numbers:
        chosen["score"] = found.numbers[0]
    elif found.lacking:
        return []
    by_name = {column.name: column for column in columns}
    typed = {"target": request.target, "treatment": others.get("--treatment")}
    known = {role: by_name[name] for role, name in typed.items() if name in by_name} | chosen
    scores = [by_name[name] for name in request.score if name in by_name]
    flags = [word for role, column in chosen.items() for word in (f"--{role}", column.name)]
    said = click.get_current_context().params
    if said.get("missing", "") is None and any(each.nulls for each in (*known.values(), *scores)):
        flags += ["--missing", "drop"]
    labels = [
        [[flag, label] for label in _to_be_named(known[role])] or [[]]
        for role, flag in (("treatment", "--treated-label"), ("target", "--pos-label"))
        if role in known and not said.get(flag[2:].replace("-", "_"), flag)
    ]
    if "treatment" in known:
        arms = _arms(known["treatment"], said["treated_label"], said["control_label"])
        labels = [arms or [[]], *labels]
    typed_more = ([*flags, *chain.from_iterable(words)] for words in product(*labels))
    return [command_with(" ".join(map(shell_word, words))) for words in typed_more]


def _besides(found: Proposal) -> Iterator[str]:
    roles = (*found.likely, *found.lacking)
    named = [shell_word(column.name) for column in found.pairs[:MOST_OTHERS]]
    if named and {"target", "treatment"}.intersection(found.lacking):
        yield f"Columns of two values: {', '.join(named)}"
    flags = " ".join(f"-s {shell_word(column.name)}" for column in found.numbers[:MOST_OTHERS])
    if flags and "score" in roles:
        yield f"{'Columns of numbers' if 'score' in found.lacking else _MORE_SCORES}: {flags}"
    if found.manifold and "target" in found.lacking:
        names = joined([shell_word(column.name) for column in found.manifold[:MOST_OTHERS]])
        have = "has" if len(found.manifold) == 1 else "have"
        yield (
            f"{names} {have} more than two values; for a target keep two, or name those of "
            "positives with --pos-label, and the others with --neg-label or --rest-negative"
        )
    if takes("time") and found.followed is not None:
        time, event = (shell_word(column.name) for column in found.followed)
        yield (
            f"If {time} is how long each row was followed, take it into account with --time "
            f"{time} --event {event} --horizon TIME in place of --target"
        )
    exposures = _either("--exposure", found.exposures)
    if "amount" in found.likely and exposures:
        yield f"The size of each row may be {exposures}"
    elif takes("amount") and found.amounts and {"target", "score"}.intersection(roles):
        amounts = _either("--amount", found.amounts)
        perhaps = f", perhaps with {exposures}" if exposures else ""
        yield f"To rank an amount in place of a target: {amounts}{perhaps}"


def _either(flag: str, columns: Sequence[ColumnInfo]) -> str:
    return " or ".join(f"{flag} {shell_word(column.name)}" for column in columns[:MOST_OTHERS])


def _labels(column: ColumnInfo) -> list[str]:
    """Return the values of a column of two, the likely positive or treated one first."""
    shares = all_or_nothing(column.examples)
    if shares is not None:
        of_label = dict(zip(column.examples, shares.tolist(), strict=True))
        return sorted(of_label, key=of_label.__getitem__, reverse=True)
    return sorted(sorted(column.examples), key=_likely_label)


def _likely_label(label: str) -> tuple[bool, int]:
    return label.strip().lower() in CONTROLS, likely_event(label)


def _to_be_named(column: ColumnInfo) -> list[str]:
    """Return what an option has to name: a label by its usual word, else either of the two.

    Nothing where labels speak for themselves, or are not known as they are.
    """
    labels = _labels(column)
    speak = any({label.strip().lower() for label in labels} == pair for pair in _BINARY)
    speak = speak or all_or_nothing(labels) is not None
    cut = any(len(label) == WIDTH for label in labels)
    if not column.distinct == len(labels) == _PAIR or speak or cut:
        return []
    first, second = map(_likely_label, labels)
    codes = column.type in {"integer", "number"}  # 1 and 2 are coded either way
    return labels if codes or first == second else labels[:1]


def _arms(column: ColumnInfo, treated: Sequence[str], control: Sequence[str]) -> list[list[str]]:
    """Return what names an arm of several and its control, once for each that may be meant."""
    if not _has_arms(column):
        return []
    called = [label for label in column.labels if is_called_control(label)]
    controls = list(control or called or column.labels)
    first, second = ["--treated-label"], ["--control-label"]
    arms = list(treated) or [label for label in column.labels if label not in controls]
    if treated:
        return [] if control else [[*second, each] for each in controls if each not in arms]
    if control or len(controls) == 1:
        named = [] if control else [*second, *controls]
        return [[*first, arm, *named] for arm in arms]
    return [  # the first arm that is another one is compared with each
        [*first, next(arm for arm in arms or controls if arm != each), *second, each]
        for each in controls
    ]


def _has_arms(column: ColumnInfo) -> bool:
    """Whether a column has a few words more than two."""
    return column.type == "text" and column.distinct > _PAIR and bool(column.labels)


def _which_control(column: ColumnInfo | None) -> Iterator[str]:
    """Ask which of several arms is the control, where none or more than one is called so."""
    named = click.get_current_context().params.get("control_label")
    if column is not None and _lacks_control(column) and not named:
        yield (
            f"The arms of {column.name!r} are {joined(list(map(repr, column.labels)))}; which of "
            "them is the control? Name it with --control-label, and the arm that is compared with "
            "it with --treated-label."
        )


def command_with(flags: str) -> str:
    """Return the command that was typed, with more flags as a shell takes them."""
    words = list(click.get_current_context().find_root().obj or [])
    return " ".join(["capcurve", *map(shell_word, words), *filter(None, [flags])])


def shell_word(word: str) -> str:
    r"""Return a word as a shell takes it, also one that would act on a terminal.

    >>> print(shell_word("pd"), shell_word("it is"), shell_word("a\x1b[2J"))
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
    """The likely columns by role, the roles without one, and the columns that are left."""

    likely: Mapping[str, ColumnInfo]
    lacking: Sequence[str]
    left: Sequence[ColumnInfo]

    @property
    def pairs(self) -> list[ColumnInfo]:
        """The columns left with two values."""
        return [column for column in self.left if _has_two_values(column)]

    @property
    def numbers(self) -> list[ColumnInfo]:
        """The columns left that can be judged as scores, those that are likeliest one first."""
        others = (*self.amounts, *self.exposures)
        found = [each for each in self.left if _is_rankable(each) and each not in others]
        return sorted(found, key=_unlikely)

    @property
    def manifold(self) -> list[ColumnInfo]:
        """The columns left that are called like a target, and have a few labels more than two."""
        few = [column for column in self.left if _PAIR < column.distinct <= MOST_LABELS_SHOWN]
        return [each for each in few if each.type == "text" and _is_called(each, *_TARGETS)]

    @property
    def followed(self) -> tuple[ColumnInfo, ColumnInfo] | None:
        """The columns that may say how long rows were followed, and how that ended."""
        ended = [self.likely["target"]] if "target" in self.likely else self.left
        events = [column for column in ended if _is_ending(column)]
        times = [column for column in self.left if _is_how_long(column)]
        times += [column for column in self.left if _is_called(column, _DURATIONS)]
        return (times[0], events[0]) if times and events else None

    @property
    def amounts(self) -> list[ColumnInfo]:
        """The columns left that are amounts by their names, and none that was lent."""
        found = [each for each in self.left if _is_rankable(each) and _is_called(each, _AMOUNTS)]
        return [each for each in found if not _is_called(each, _NO_AMOUNTS, *_SCORES[:2])]

    @property
    def exposures(self) -> list[ColumnInfo]:
        """The columns left that are exposures by their names."""
        return [each for each in self.left if _is_rankable(each) and _is_called(each, _EXPOSURES)]

    def of_an_amount(self) -> Proposal:
        """Return it with the one amount in place of a target, where there is that and no target."""
        if "target" not in self.lacking or len(self.amounts) != 1:
            return self
        found = {"amount": self.amounts[0]}
        found |= {"exposure": self.exposures[0]} if len(self.exposures) == 1 else {}
        left = [column for column in self.left if column not in found.values()]
        lacking = [role for role in self.lacking if role != "target"]
        return Proposal({**found, **self.likely}, lacking, left)


def propose(columns: Sequence[ColumnInfo], roles: Sequence[str] = ("target", "score")) -> Proposal:
    """Propose a column for each role, or none where that is a guess.

    Those that are named so are taken, else the only column that may be a target.

    >>> from capcurve.cli.proposing import ColumnInfo
    >>> bad = ColumnInfo("default", "integer", 2, 0, ("0", "1"))
    >>> pd = ColumnInfo("pd", "number", 812, 0, ("0.02", "0.3", "0.11"))
    >>> {role: column.name for role, column in propose([bad, pd]).likely.items()}
    {'target': 'default', 'score': 'pd'}
    """
    likely: dict[str, ColumnInfo] = {}
    left = list(columns)
    for role in roles:
        if (column := _pick(role, left)) is not None:
            likely[role] = column
            left.remove(column)
    return Proposal(likely, [role for role in roles if role not in likely], left)


def _pick(role: str, columns: Sequence[ColumnInfo]) -> ColumnInfo | None:
    """Take the candidate with the most telling name; the only target without a telling name."""
    may_be, names = _ROLES[role]
    candidates = [column for column in columns if may_be(column)]
    ranked = [
        (rank, len(_words(column.name)), place)
        for place, column in enumerate(candidates)
        for rank, known in enumerate(names)
        if _is_called(column, known) or (role == "treatment" and _has_controls(column))
    ]
    if role == "treatment":  # words that are also those of outcomes say less than all others
        weak = [place for place, column in enumerate(candidates) if _has_no_treatment(column)]
        ranked += [(len(names), 0, place) for place in weak]
        unsure = {place for place, each in enumerate(candidates) if _lacks_control(each)}
        ranked = [(rank + 1 + len(names) if p in unsure else rank, n, p) for rank, n, p in ranked]
    if ranked:
        return candidates[min(ranked)[2]]
    only = [column for column in candidates if role == "target" and _is_plain(column)]
    return only[0] if len(only) == 1 else None


def _has_controls(column: ColumnInfo) -> bool:
    """Whether one of two values is what a control is called."""
    return any(_likely_label(value)[0] for value in column.examples)


def _has_no_treatment(column: ColumnInfo) -> bool:
    """Whether one of few values says what was not done, such as "No E-Mail" among others."""
    if column.distinct == _PAIR and NO_TREATMENT.intersection(map(str.lower, column.labels)):
        return False
    return any(map(is_called_control, column.labels))


def _lacks_control(column: ColumnInfo) -> bool:
    """Whether several words are not called so that one of them is the control."""
    return _has_arms(column) and sum(map(is_called_control, column.labels)) != 1


def _may_be_treatment(column: ColumnInfo) -> bool:
    """Whether a column may be an arm: of two values, words with a control, or called so."""
    if not _lacks_control(column):
        return _has_two_values(column) or _has_arms(column)
    called = _is_called(column, _TREATMENTS[0], {"arm", "variant"})
    return called or (len(_words(column.name)) == 1 and _is_called(column, _TREATMENTS[1]))


def _may_be_target(column: ColumnInfo) -> bool:
    """Whether a column may be an outcome: not a prediction of it, an arm or a trait of people."""
    other = _is_called(column, _SCORES[0][1:], _TRAITS, _EARLIER) or _has_controls(column)
    return _has_two_values(column) and not other and not is_called_censoring(column.name)


def _may_be_score(column: ColumnInfo) -> bool:
    """Whether a column may be a score, not an amount, an exposure, an age or a date."""
    usual = not _is_called(column, _AMOUNTS, _EXPOSURES, _NO_SCORES)
    return _is_rankable(column) and (usual or _is_called(column, *_SCORES[:2]))


def _unlikely(column: ColumnInfo) -> tuple[bool, bool, bool]:
    """Return a key that sorts scores by name first, and last those that most rows lack."""
    mostly_missing = 2 * column.nulls > column.rows
    return mostly_missing, not _is_called(column, *_SCORES), not _may_be_score(column)


def _has_two_values(column: ColumnInfo) -> bool:
    known = column.type in {"integer", "number", "yes/no", "text"}
    whole = all(len(value) < WIDTH for value in column.examples)
    return known and whole and column.distinct == len(set(column.examples)) == _PAIR


def _is_plain(column: ColumnInfo) -> bool:
    """Whether two values are those of an outcome, if their column is not called as arms are."""
    values = {value.strip().lower() for value in column.examples}
    plain = column.type == "text" or values in _BINARY
    return plain and not _is_called(column, *_TREATMENTS)


def _is_rankable(column: ColumnInfo) -> bool:
    """Whether a column has many numbers that could be a score; identifiers could not."""
    if column.distinct <= _PAIR or _is_identifier(column) or _is_how_long(column):
        return False
    if _is_called(column, _LATER):
        return False
    shares = column.type == "text" and all(map(PERCENTAGE.fullmatch, column.examples))
    return column.type in {"integer", "number"} or shares


def _is_identifier(column: ColumnInfo) -> bool:
    if column.type != "integer":
        return False
    if not column.name.strip() or _is_called(column, _IDS):
        return True
    if column.distinct < column.rows - column.nulls or _is_called(column, *_SCORES):
        return False
    # Of many values the examples are those of the first rows.
    first = list(map(int, column.examples)) if column.distinct > _FEW else [0]
    in_turn = len(first) > 1 and first == [*range(first[0], first[0] + len(first))]
    called = column.name.lower().endswith(("id", "nr", "num")) or _is_called(column, _NUMBERED)
    return in_turn or called


def _is_how_long(column: ColumnInfo) -> bool:
    """Whether a column is called as how long rows were followed, and nothing else."""
    words = _words(column.name)
    called = words and (set(words) <= _FOLLOWED or words[-1].endswith("time"))
    return column.type in {"integer", "number"} and bool(called)


def _is_ending(column: ColumnInfo) -> bool:
    """Whether a column is called as how the time of rows ended, and has few values."""
    called = _is_called(column, _EVENTS) or column.name.lower().endswith("stat")
    called = called or is_called_censoring(column.name)
    return called and _PAIR <= column.distinct <= MOST_OTHERS


def _is_called(column: ColumnInfo, *names: Collection[str]) -> bool:
    words = _words(column.name)
    # Of three words, "points" or "status" says little.
    weak = (_SCORES[-1], _TARGETS[-1]) if len(words) > _PAIR else ()
    telling = [known for known in names if known not in weak]
    return any(word in known for known in telling for word in words)


_ROLES = {
    "treatment": (_may_be_treatment, _TREATMENTS),
    "target": (_may_be_target, _TARGETS),
    "score": (_may_be_score, _SCORES),
}


def _words(name: str) -> list[str]:
    """Split a name as people write them: y_true, LoanStatus, pd-2024."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z]|scores?(?![a-z]))", " ", name)
    return re.findall(r"[^\W\d_]+", spaced.lower())


# What the columns hold, at a glance

ROWS_LOOKED_AT = FIRST_ROWS  # enough to tell the columns apart, within a second
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
    f"count_if({matches('v', PLAIN_GRAMMAR.whole)})",
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
    rows: int = 0
    cases: tuple[int, ...] = ()  # how many rows have each of two values
    labels: tuple[str, ...] = ()  # all values, where they are few and short


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
    if not has_duckdb():
        with open_plainly(files) as only:
            only.refuse_headless()
            return _plain_glance(only)
    with open_files(files, checked=False) as tables:
        for table in tables:
            table.refuse_headless()
        blobs = {name for table in tables for name in table.unusable}
        each = [name for name in tables[0].names if name not in blobs]
        names = [name for name in each if all(t.names.count(name) == 1 for t in tables)]
        return _glance(tables, names, files.null_values) if names else ()


def _glance(
    tables: Sequence[FileTable], names: Sequence[str], null_values: Sequence[str]
) -> tuple[ColumnInfo, ...]:
    """Describe every column by the first rows: counts, few distinct values, examples."""
    label = tables[0].label + (f" and {len(tables) - 1} more" if len(tables) > 1 else "")
    limit = _most_rows(names)
    parts = " UNION ALL ".join(f"({_as_text(t, names, f)})" for f, t in enumerate(tables))
    connection = tables[0].connection
    with file_in_one_line(label):
        connection.execute(f"CREATE TEMP TABLE glance AS {parts} LIMIT {limit}")

    def cells(rows: str) -> Relation:
        return Relation(connection, label, _cells(rows, tables, null_values))

    every, by_column = cells("glance"), "GROUP BY i"
    counts = {i: tuple(found) for i, *found in every.rows(["i", *_COUNTS], by_column)}
    few = ", ".join(str(i) for i, found in counts.items() if found[2] <= _FEW)
    fields = ["i", "histogram(v)"]
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
    return _with_first_rows(listed, limit)


def _most_rows(names: Sequence[str]) -> int:
    return max(min(ROWS_LOOKED_AT, _CELLS // len(names)), 1000)


def _with_first_rows(listed: Sequence[ColumnInfo], limit: int) -> tuple[ColumnInfo, ...]:
    """Say of columns that they were read off the first rows, where there may be more."""
    if listed[0].rows < limit:
        return tuple(listed)
    return tuple(replace(column, first_rows=limit) for column in listed)


def _plain_glance(table: PlainCsv) -> tuple[ColumnInfo, ...]:
    """Describe every column that has a name of its own, as `_glance` does."""
    from capcurve.input.files.plain_csv import looks

    names = [name for name in table.names if table.names.count(name) == 1]
    if not names:
        return ()
    limit = _most_rows(names)
    words = table.listed([table.position(name) for name in names], limit)
    listed = [_counted(name, next(words), looks) for name in names]
    return _with_first_rows(listed, limit)


def _counted(
    name: str,
    words: Sequence[str | None],
    looks: Callable[[AbstractSet[str]], Sequence[bool]],
) -> ColumnInfo:
    """Count what `_COUNTS` counts, of which what the words look like is of all or of none."""
    present = [word for word in words if word is not None]
    distinct, n = Counter(present), len(present)
    counts = (len(words), n, len(distinct), None, *(n * each for each in looks(distinct.keys())))
    values = distinct if 0 < len(distinct) <= _FEW else None
    first = [word for word in words[:_FIRST] if word is not None]
    return _describe(name, {"text"}, counts, values, first)


def _cells(rows: str, tables: Sequence[FileTable], null_values: Sequence[str]) -> str:
    """Write the SQL that puts all columns below each other, the null words as nulls."""
    # Thousands of columns beside each other need thousands of expressions, which is slow.
    stored = [str(f) for f, table in enumerate(tables) if table.is_typed]
    text_only = f"f NOT IN ({', '.join(stored)}) AND " if stored else ""
    value = f"CASE WHEN NOT ({text_only}{one_of('trim(v)', null_values)}) THEN v END AS v"
    below = ["f", "generate_subscripts(v, 1) - 1 AS i", "unnest(v) AS v", "unnest(t) AS t"]
    return f"({select(['i', value, 't'], f'({select(below, rows)})')})"


def _as_text(table: FileTable, names: Sequence[str], number: int) -> str:
    """Write the SQL for a file's number, all columns as text, and the types json gives."""
    places = [table.position(name) for name in names]
    typed, cast = table.is_typed, "CAST(c{} AS VARCHAR)"
    values = ", ".join((cast if typed else "c{}").format(place) for place in places)
    types = ", ".join(f"nullif(t{place}, 'NULL')" for place in places)
    shapes = f"[{types}]" if table.kind == "json" else "CAST(NULL AS VARCHAR[])"
    return select([f"{number} AS f", f"[{values}] AS v", f"{shapes} AS t"], table.relation)


def _types_of(read: Sequence[FileTable], name: str, found: Sequence[str | None]) -> set[str]:
    types = {each for each in found if each}
    for table in read:
        if table.kind != "json":
            judged = "VARCHAR" if name in table.texts else "text"
            types.add(table.types[table.position(name)] if table.types else judged)
    return types


def _describe(
    name: str,
    types: set[str],
    counts: _ColumnCounts,
    values: Mapping[str, int] | None,
    first: Sequence[str],
) -> ColumnInfo:
    rows, n, distinct = counts[:3]
    shown = sorted(values or ()) or list(dict.fromkeys(first))
    examples = tuple(
        value if len(value) <= WIDTH else value[: WIDTH - 1] + "…" for value in shown[:_EXAMPLES]
    )
    kinds = {_word(each, n, counts[4:]) for each in types if n}
    kinds = {"number"} if kinds == {"integer", "number"} else kinds
    kind = kinds.pop() if len(kinds) == 1 else "text" if kinds else "empty"
    cases = tuple((values or {})[value] for value in shown) if distinct == _PAIR else ()
    few = values is not None and distinct <= MOST_OTHERS and all(len(v) < WIDTH for v in shown)
    labels = tuple(shown) if few else ()
    return ColumnInfo(name, kind, distinct, rows - n, examples, None, rows, cases, labels)


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
