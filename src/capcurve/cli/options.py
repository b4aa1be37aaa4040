"""How options are declared, and what every command is asked: which files, columns and rows."""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import click
from click.core import ParameterSource

from capcurve.cli.notations import BINS, Time

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence, Set as AbstractSet

    from capcurve.show.presentation import Presentation

STDIN = "-"
DIRECTIONS = ("positive", "negative")
SHARE = click.FloatRange(0, 1, min_open=True)
OPEN_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
# The headings under which help lists options, in this order.
SECTIONS = (
    *("What to compute", "Columns and rows", "Grades", "Censored outcomes", "Reading the file"),
    "Output",
)
COMPUTED, OF_COLUMNS, OF_GRADES, OF_CENSORED, READ_FROM, WRITTEN = SECTIONS

ONE_HORIZON = {"horizons": "this command is for one horizon; pass one --horizon"}
ROWS_ONLY = "{flag} is for rows, and --counts reads counts; leave one out"
LABEL_OPTIONS = ("pos_label", "neg_label", "rest_negative", "drop_label")


def not_with(*names: str) -> dict[str, str]:
    """Say that some options do not go with another one."""
    said = "--{} does not go with {{flag}}; leave it out"
    return {name: said.format(name.replace("_", "-")) for name in names}


# What does not go with outcomes that take time.
_NOT_TIMED = {
    "target": "--target does not go with {flag}: the outcome is --event; leave it out",
    **not_with("amount", "by", "all_segments", "weight", "weight_kind", *LABEL_OPTIONS, "cuts"),
    **not_with("memory_limit", "min_cell", "unknown", "unknown_label"),
    "row_id": "--id does not go with {flag}; leave it out",
}
_TIMED_ROWS = {"time": "{flag} goes with --time; name the column of the times"}
_TIMED_OR_COUNTS = {"time|counts": _TIMED_ROWS["time"]}


def of_classes(shown: str, instead: str) -> str:
    """Say that only positives and negatives can be shown."""
    return f"{shown} for positives and negatives, not for --amount; {instead}"


def untimed(why: str) -> dict[str, str]:
    """Say why outcomes that take time cannot be taken."""
    return {"|".join(TIMED): f"{why}; leave out --time and --horizon"}


def without_clusters(shown: str) -> str:
    """Say that nothing that is shown depends on clusters."""
    return f"--cluster affects only intervals and tests, and {shown} has none; leave it out"


def _not_amounts(instead: str) -> dict[str, str]:
    return {"amount": f"{{flag}} does not go with --amount: {instead}"}


_SCALED = _not_amounts("a weight scales both, so multiply amount and exposure by it")
_OF_CLASSES = {"counts": ROWS_ONLY, **_not_amounts("it names one of two classes; leave it out")}
_WITH_POSITIVES = {"pos_label": "{flag} goes with --pos-label; name the label of the positives"}


def metric_named(word: str) -> Any:
    """Return the name of a metric by how it is typed, such as "ar" or "captured-response"."""
    from capcurve.metrics import METRICS

    flags = {metric.flag: name for name, metric in METRICS.items()}
    return METRICS.aliases.get(word) or flags.get(word, word.replace("-", "_"))


def metric_words(*names: str) -> tuple[str, ...]:
    """Return how metrics are typed, the other way round."""
    from capcurve.metrics import METRICS

    known = [METRICS[name] for name in names]
    return tuple(m.flag if m.in_summary else m.name.replace("_", "-") for m in known)


class MetricChoice(click.Choice[str]):
    """A metric by any of its names, which may end in a depth, as recall@10 does."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the one way to type the metric; one at a depth as it stands."""
        from capcurve.metrics import METRICS
        from capcurve.metrics.depth import at_depth

        try:
            typed, k = at_depth(value)
        except ValueError as error:
            raise click.UsageError(f"--metric: {error}", ctx) from None
        name = metric_named(typed)
        found = super().convert(metric_words(name)[0] if name in METRICS else typed, param, ctx)
        return found if k is None else str(value)


class _HowLabelled(click.Choice[str]):
    """How labels were chosen, with hyphens as typed and without as functions take it."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the words."""
        return super().convert(value, param, ctx).replace("-", " ")


def labelled_option(text: str, **rules: Any) -> Any:
    """Declare --labelled, where only some cases have a label."""
    how = " Any case was as likely to get one (at-random), or any other of its score (by-score)."
    return option(text + how, type=_HowLabelled(["at-random", "by-score"]), **rules)


class ListedOption(click.Option):
    """An option, and the heading under which help lists it."""

    def __init__(self, *args: Any, section: str, **how: Any) -> None:
        super().__init__(*args, **how)
        self.section = section


class _WithoutBin(click.Choice[str]):
    """What to do with missing values, where they cannot be a bin."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the word, or say which command has the one that is asked for."""
        if value == "bin":
            raise click.UsageError(
                "--missing bin goes with capcurve stability; take raise or drop", ctx
            )
        return super().convert(value, param, ctx)


def option(
    text: str,
    metavar: str | None = None,
    *,
    section: str | None = None,
    flags: tuple[str, ...] = (),
    default: Any = None,
    needs: Mapping[str, str] | None = None,
    excludes: Mapping[str, str] | None = None,
    **how: Any,
) -> Any:
    """Declare a field that is an option of the command line, with its help text."""
    # It has the name and the type of the field, unless `flags` and `type` say otherwise. `needs`
    # and `excludes` hold conditions, such as "period", "by|counts" or "kind=cap|lift", and what is
    # said where one does not hold, or does: with {flag}, and other options by their names. A PATH
    # in the metavar is a file that is read, or in the section WRITTEN written, so that no output
    # overwrites an input. The `section` of its help, where none is named, tells columns and labels
    # from all else.
    how |= {"help": text, "metavar": metavar}
    how["section"] = section or (OF_COLUMNS if metavar in ("COLUMN", "LABEL") else COMPUTED)
    how |= {} if default is None else {"default": default}
    rules = {False: excludes or {}, True: needs or {}}
    return field(default=default, metadata={"flags": flags, "how": how, "rules": rules})


def options_of(
    record: type,
    names: Iterable[str] | None = None,
    texts: Mapping[str, str] | None = None,
    hidden: AbstractSet[str] = frozenset(),
) -> list[click.Parameter]:
    """Return the options of a record's fields, or of some; `texts` replace their help."""
    declared = {each.name: each for each in fields(record) if each.metadata}
    types = get_type_hints(record)
    found: list[click.Parameter] = []
    for name in declared if names is None else names:
        how = _typed(types[name]) | declared[name].metadata["how"]
        how["help"] = (texts or {}).get(name, how["help"])
        needed = [name, *declared[name].metadata["rules"][True]]
        how["hidden"] = any(hidden >= set(each.split("|")) for each in needed)
        how["show_default"] = bool(how.get("default"))
        found.append(ListedOption([*flags_of(declared[name]), name], **how))
    return found


def flags_of(option: Field[Any]) -> tuple[str, ...]:
    """Return how an option is typed."""
    return option.metadata["flags"] or (f"--{option.name.replace('_', '-')}",)


def _typed(kind: Any) -> dict[str, Any]:
    """Return what the type of a field says of its option."""
    if get_origin(kind) in (Union, UnionType):  # with None
        return {**_typed(get_args(kind)[0]), "default": None}
    if kind is bool:
        return {"is_flag": True, "default": False}
    if get_args(kind)[1:] == (...,):
        return {"multiple": True, "type": get_args(kind)[0]}
    return {"type": click.Choice(get_args(kind)) if get_origin(kind) is Literal else kind}


@dataclass(frozen=True, slots=True)
class Said:
    """The values of all options, and which of them were given."""

    values: Mapping[str, Any]
    # "scores" and "horizons" stand for several of them, "stdin" for "-".
    given: frozenset[str]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Said:
        """Return what was said to the command that runs, and was not left at its default."""
        source = click.get_current_context().get_parameter_source
        given = {name for name in values if source(name) is ParameterSource.COMMANDLINE}
        given |= {f"{name}s" for name in ("score", "horizon") if len(set(values.get(name, ()))) > 1}
        given |= {"stdin"} if STDIN in values.get("file", ()) else set()
        return cls(dict(values), frozenset(given))

    def holds(self, condition: str) -> bool:
        """Whether one of some options was given, or an option has one of some values."""
        name, sign, wanted = condition.partition("=")
        if sign:
            return self.values[name] in wanted.split("|")
        return not self.given.isdisjoint(condition.split("|"))

    def refuse(self, rules: Mapping[str, str], flag: str = "", *, wanted: bool = False) -> None:
        """Raise UsageError where a condition holds, or where one that is wanted does not."""
        for condition, message in rules.items():
            if self.holds(condition) is not wanted:
                raise click.UsageError(message.format(flag=flag, **self.values))

    def refuse_by(self, record: type, names: Collection[str]) -> None:
        """Raise UsageError where an option given, of those named, does not go with the others."""
        for each in fields(record):
            if each.name in self.given.intersection(names) and each.metadata:
                first, _, second = flags_of(each)[0].partition("/")
                flag = second if self.values[each.name] is False else first
                for wanted, rules in each.metadata["rules"].items():
                    self.refuse(rules, flag, wanted=wanted)


# Options that are given several times, on how files are read, and on outcomes that take time.
_several = partial(option, default=())
_of_file, _of_time = partial(option, section=READ_FROM), partial(option, section=OF_CENSORED)


@dataclass(frozen=True, slots=True)
class Request:
    """The files, globs or "-" of one call, their columns, and how to read them, as typed."""

    file: tuple[str, ...] = ()
    target: str | None = option(
        "Column of the outcome: 1 for a positive, 0 for a negative.",
        "COLUMN",
        flags=("--target", "-t"),
        excludes=_not_amounts("name one of the two"),
    )
    amount: str | None = option(
        "Column of an amount in place of the outcome: losses, claim costs, revenue.", "COLUMN"
    )
    exposure: str | None = option(
        "With --amount: column of the size of each row, such as insured years, EAD or premium; the "
        "axis of cases then counts this.",
        "COLUMN",
        needs={"amount": "--exposure goes with --amount; name the column of the amount"},
    )
    score: tuple[str, ...] = _several(
        "Column of the score; repeat for several, or quote a pattern such as 's*'.",
        "COLUMN",
        flags=("--score", "-s"),
    )
    scores_except: tuple[str, ...] = _several(
        "Take every other column of numbers as a score, but not this; repeat for several.",
        "COLUMN",
        excludes={"score": "--score and --scores-except both name the scores; leave one out"},
    )
    by: tuple[str, ...] = _several(
        "Column of the segments, such as months or products; repeat to cross several.", "COLUMN"
    )
    by_period: Literal["day", "week", "month", "quarter", "year"] | None = option(
        "If segments or periods are dates: group them by day, week, month, quarter or year.",
        needs={"by|period|periods": "--by-period goes with --by; name the column of the dates"},
        excludes={"counts": ROWS_ONLY},
        section=OF_COLUMNS,
    )
    all_segments: bool = option(
        "Show all segments, even more than 60, or many of few cases that may be people.",
        section=OF_COLUMNS,
    )
    higher_is: tuple[str, ...] = _several(
        "Class a higher score points to (default: positive); SCORE=negative for one of several.",
        "|".join(DIRECTIONS),
        section=OF_COLUMNS,
    )
    pos_label: tuple[str, ...] = _several(
        "Label of the positives, if it is not 1 or true; repeat for several.",
        "LABEL",
        excludes=_OF_CLASSES,
    )
    neg_label: tuple[str, ...] = _several(
        "With --pos-label: label of the negatives, if several labels are left; repeat for several.",
        "LABEL",
        needs=_WITH_POSITIVES,
        excludes=_OF_CLASSES,
    )
    rest_negative: bool = option(
        "With --pos-label: all other labels are negatives.",
        section=OF_COLUMNS,
        needs=_WITH_POSITIVES,
        excludes={
            **_OF_CLASSES,
            "neg_label": "--neg-label and --rest-negative both say what the negatives are; leave "
            "one out",
        },
    )
    drop_label: tuple[str, ...] = _several(
        "Label of rows to leave out, such as unfinished loans; repeat for several.",
        "LABEL",
        excludes=_OF_CLASSES,
    )
    levels: tuple[str, ...] = _several(
        "Grades, most likely positive first; SCORE=G,F,E for one of several scores.",
        "G,F,E,...",
        section=OF_GRADES,
    )
    cuts: tuple[str, ...] = _several(
        "Cut-offs that make grades of a continuous score, or the file of a master scale (grades "
        "with lower or upper bounds); SCORE=... for one of several scores.",
        "0.01,0.02,...|PATH",
        excludes={
            "counts": ROWS_ONLY,
            "resolution": "--cuts makes grades, which have no --resolution; leave one out",
            "memory_limit": "--cuts makes grades, which are few; leave out --memory-limit",
        },
        section=OF_GRADES,
    )
    missing: Literal["raise", "drop"] | None = _of_file(
        "Stop at rows with a missing value (the default), or drop them and say how many.",
        excludes={"counts": ROWS_ONLY},
        type=_WithoutBin(("raise", "drop")),
    )
    cluster: str | None = option(
        "Column of the id that dependent rows share, such as the months of an obligor; intervals "
        "and tests then allow for the dependence.",
        "COLUMN",
        excludes={"counts": ROWS_ONLY},
    )
    weight: str | None = option(
        "Column of the row weights.", "COLUMN", excludes={"counts": ROWS_ONLY, **_SCALED}
    )
    weight_kind: Literal["frequency", "sampling", "exposure"] | None = option(
        "What a weight is: a number of equal rows (frequency), a number of cases in the population "
        "(sampling) or a size, such as money (exposure).",
        excludes={"counts": ROWS_ONLY, **_SCALED},
        section=OF_COLUMNS,
    )
    resolution: float | None = option("Round scores down to a grid of this width.", "WIDTH")
    memory_limit: str | None = _of_file(
        "Approximate memory to use, e.g. 1GB; scores are then sorted on disk.",
        "SIZE",
        excludes={
            "counts": ROWS_ONLY,
            **_not_amounts("it is for two classes; pass --resolution instead"),
        },
    )
    min_cell: int | None = option(
        "Stop if any distinct score, in any segment, has fewer than N cases.",
        "N",
        type=click.IntRange(min=1),
    )
    counts: bool = _of_file(
        "FILE contains counts: score, positives, negatives (or n), optionally segment; for amounts "
        "score, amount, exposure, n; for times score, time, event, n, with --horizon. --score, "
        "--target and --by name columns that have other names."
    )
    time: str | None = _of_time(
        "Column of the time each row was followed; --time and --event replace --target.",
        "COLUMN",
        needs={"event": "{flag} needs --event, the column of how that ended"},
        excludes={"counts": ROWS_ONLY, **_NOT_TIMED},
    )
    event: str | None = _of_time(
        "With --time: column of the status at that time: 0 censored, 1 the event, 2 or more a "
        "competing event, after which the event cannot happen.",
        "COLUMN",
        needs=_TIMED_ROWS,
    )
    horizon: tuple[float, ...] = _of_time(
        "Rows with the event by this time, such as 365, are the positives; repeat to compare "
        "several.",
        "TIME",
        type=Time(),
        default=(),
        needs=_TIMED_OR_COUNTS,
        excludes=_NOT_TIMED,
    )
    stratum: str | None = _of_time(
        "With --time: column that censoring depends on, such as the vintage.",
        "COLUMN",
        needs=_TIMED_ROWS,
    )
    time_unit: str | None = _of_time(
        "What times are counted in, such as days (default: the unit in the name of their column).",
        "UNIT",
        needs=_TIMED_OR_COUNTS,
    )
    event_label: str | None = _of_time(
        "Label of the event, if it is not 1 or true.",
        "LABEL",
        needs={**_TIMED_OR_COUNTS, "censored_label": "{flag} needs --censored-label; name both"},
    )
    censored_label: str | None = _of_time(
        "Label of a censored row, if it is not 0 or false; all other labels are competing events.",
        "LABEL",
        needs={**_TIMED_OR_COUNTS, "event_label": "{flag} needs --event-label; name both"},
    )
    competing_labels: str | None = _of_time(
        "All labels of competing events, separated by commas; the labels of the event and of "
        "censored rows may then be absent from the data.",
        "LABELS",
        needs={"event_label": "{flag} needs --event-label; name both"},
    )
    competing: Literal["negative", "excluded"] | None = _of_time(
        "How rows with a competing event by the horizon are counted (default: negative).",
        needs={"horizon": "{flag} goes with --horizon; name a time"},
    )
    delimiter: str | None = _of_file(
        "CSV field separator (detected if omitted); ' ' for blanks and tabs.", "CHAR"
    )
    decimal: Literal[".", ","] | None = _of_file("CSV decimal mark (detected if omitted).")
    encoding: str = _of_file("Text encoding, e.g. cp1252.", "NAME", default="utf-8")
    skip_lines: int = _of_file(
        "Lines to skip before the column names of a CSV file or a sheet, such as titles.",
        "N",
        type=click.IntRange(min=0),
        default=0,
    )
    comment: str | None = _of_file(
        "Start of lines of a CSV file that are comments, e.g. '#'.", "TEXT"
    )
    sheet: str | None = _of_file("Sheet of a spreadsheet (the first if omitted).", "NAME")
    table: str | None = _of_file(
        "Table or view of an SQLite or DuckDB database (the only one if omitted).", "NAME"
    )
    na: tuple[str, ...] = _of_file(
        "Another text that means a missing value; repeat for several.", "TEXT", default=()
    )

    @property
    def source(self) -> str:
        """The names of the files without their folders, which are nobody's business in a report."""
        return ", ".join("standard input" if f == STDIN else Path(f).name for f in self.file)

    @property
    def segmented_by(self) -> str | list[str] | None:
        """The column of the segments, the several that are crossed, or None."""
        names = list(dict.fromkeys(self.by))
        return names if len(names) > 1 else next(iter(names), None)

    @property
    def by_called(self) -> str | None:
        """What the segments are called, as `evaluate` calls them."""
        from capcurve.studies.evaluation.evaluation import segments_called

        return segments_called(self.segmented_by, self.by_period, dict.fromkeys(self.by))

    @property
    def within(self) -> str:
        """The horizons as they end a title, such as " within 180 and 365 days", or nothing."""
        from capcurve.counts.times import unit_in
        from capcurve.results.horizon import horizons_said

        unit = self.time_unit or unit_in(self.time)
        return f" within {horizons_said(self.horizon, unit, self.time)}" if self.horizon else ""

    def titled(self, shown: Presentation) -> Presentation:
        """Return what is shown with the horizons in its title, and where it is from."""
        return replace(shown, title=shown.title + self.within, source=self.source)

    def about(self, scores: Iterable[str], shown: Presentation) -> Presentation:
        """Return what is shown with its scores and its target in the title, and its source."""
        from capcurve.show.format import joined, plain_names

        outcome = None if self.counts else self.amount or self.target or self.event
        names = plain_names([*dict.fromkeys(self.score)] if self.horizon else [*scores])
        about = " for ".join(filter(None, [joined(names) if names else None, outcome]))
        title = f"{shown.title} ({about})" if about else shown.title
        return self.titled(replace(shown, title=title))

    @property
    def name(self) -> str:
        """What the score of a table of counts is called."""
        return self.score[0] if self.score else "score"

    @property
    def before_and_after(self) -> tuple[str, str]:
        """What two files are called: before and after, where their names do not differ."""
        names = ["standard input" if f == STDIN else Path(f).stem for f in self.file]
        return (names[0], names[-1]) if len(set(names)) == len(names) else ("before", "after")


TIMED_ROWS = ("time", "event", "stratum", "event_label", "censored_label")
TIMED = ("time", "event", "horizon", *TIMED_ROWS[2:], "competing_labels", "competing", "time_unit")
COLUMNS = (
    *("target", "amount", "exposure", "score", "scores_except"),
    *("by", "by_period", "all_segments", *TIMED),
)
DETAILS = tuple(each.name for each in fields(Request)[1:] if each.name not in COLUMNS)
# Of cases whatever became of them: what is missing and what counts hold depends on the command.
OF_CASES = (
    "counts",
    "missing",
    *(each for each in DETAILS if each not in ("missing", "memory_limit", "counts")),
)
OF_FILES = (
    *("missing", "delimiter", "decimal", "encoding", "skip_lines", "comment", "sheet", "table"),
    "na",
)


def output_option(text: str, **how: Any) -> Any:
    """Declare --output, the file that is written."""
    return option(text, "PATH", flags=("--output", "-o"), section=WRITTEN, **how)


def prevalence_option(**rules: Any) -> Any:
    """Declare --prevalence, which some commands refuse with others."""
    text = "Show the numbers for a population with this share of positives."
    return option(text, "SHARE", **rules)


def level_option(lowest: float = 0, of: str = "intervals", **rules: Any) -> Any:
    """Declare --level, the confidence level of what is shown."""
    levels = click.FloatRange(lowest, 1, min_open=True, max_open=True)
    text = f"Confidence level of the {of}."
    return option(text, "LEVEL", type=levels, default=0.95, **rules)


def depth_option(metrics: Sequence[str]) -> Any:
    """Declare --at, the depth at which some metrics are read."""
    said = ", ".join(metrics)
    needs = {f"metric={'|'.join(metrics)}": f"--at is for --metric {said}, not {{metric}}"}
    return option(f"Share of all cases selected, for {said}.", "SHARE", type=SHARE, needs=needs)


def refuse_without_depth(metric: str, at: float | None, metrics: Sequence[str]) -> None:
    """Raise UsageError where a metric is read at a depth, and none is named."""
    if metric in metrics and at is None:
        raise click.UsageError(f"--metric {metric} is read at a depth; add --at, such as --at 0.1")


def errors_option(where: str, **rules: Any) -> Any:
    """Declare --errors: of which class the errors are that a confidence ranks."""
    text = "class that counts as an error; negatives if the score is a confidence in positives"
    return option(f"{where}: {text} (default: positives).", **rules)


def seed_option(text: str, **rules: Any) -> Any:
    """Declare --seed, of numbers that are drawn at random."""
    return option(text, "N", type=click.IntRange(min=0), **rules)


def bins_option(of_what: str = "", end: str = "", default: str | None = None) -> Any:
    """Declare --bins, into which the scores of some sample are put."""
    text = (
        f"Number of bins of about equal size{of_what}; score for one bin per distinct score; or "
        f"the scores at which bins end, e.g. 0.1,0.2{end}."
    )
    return option(text, "N|score|CUTS", type=BINS, default=default)
