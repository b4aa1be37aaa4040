"""Tables of counts: saved ones, and those that anybody counted, with or without outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from capcurve.counts import (
    CaseCounts,
    Direction,
    PartialCounts,
    ScoreCounts,
    SegmentCounts,
    TimeCounts,
    UpliftCounts,
)
from capcurve.counts.saved import FORMATS, GROUP, ROOTS, Node
from capcurve.counts.table import as_tallies, wide
from capcurve.counts.trials import ARMS
from capcurve.input.arrays import Rules, count_clustered, split_rows
from capcurve.input.arrays.checks import ColumnsByRole
from capcurve.input.columns import InputColumn, Values, absent_rows, quoted_names
from capcurve.input.files.engine import FileTable, Relation, literal_path
from capcurve.input.files.reading import column_names, open_files, read_opened
from capcurve.input.files.savedcells import (
    HEADER_KEY,
    PART,
    TIMES_BY,
    Counted,
    changed,
    columns_of,
    counts_in,
    header_in,
    key_text,
    merged,
)
from capcurve.numbers.arguments import arg, spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from capcurve.input.files.sources import Files


# What the columns of a table that somebody else wrote may be called.
SCORE_HEADINGS = ("score", "grade", "rating", "class")
POSITIVE_HEADINGS = ("positives", "positive", "bad", "bads", "defaults", "events", "n1")
NEGATIVE_HEADINGS = ("negatives", "negative", "good", "goods", "nondefaults", "nonevents", "n0")
CASE_HEADINGS = ("n", "cases", "total", "count", "obligors", "accounts")
ARMS_HEADING = "treatment"
SEGMENT_HEADINGS = ("segment", ARMS_HEADING)
UNKNOWN_HEADINGS = ("unknown", "unknowns", "indeterminate", "indeterminates", "rejected", "rejects")
AMOUNT_HEADING, EXPOSURE_HEADING, TIMES_HEADING = "amount", "exposure", "n"
# By role: what the column may be called, what it is, and how to say which it is.
HEADINGS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "score": (SCORE_HEADINGS, "the score", "call it 'score'"),
    "positives": (POSITIVE_HEADINGS, "the positives", "call it 'positives'"),
    "unknown": (UNKNOWN_HEADINGS, "the unknown outcomes", "call it 'unknown'"),
}
# By role: the column of it where counts are saved.
COLUMNS_OF_SAVED = {"score": "score", "positives": "positives", "by": "segment"} | {
    name: name for name in ("amount", "exposure", "unknown")
}
# What a csv of an earlier version had: settings in a column, of these formats.
OLD, OLD_FORMATS = "settings", (b"capcurve/cells", b"capcurve/amount-cells")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class AskedOfTable:
    """Which column has each role, and how the scores are to be read; None where nothing is said."""

    score: str | None = None
    positives: str | None = None
    by: str | None = None
    amount: str | None = None
    exposure: str | None = None
    unknown: str | None = None
    higher_is: Direction | None = None
    levels: Sequence[object] | None = None
    resolution: float | None = None

    @property
    def settings(self) -> Node:
        """What is said of how the scores are to be read."""
        said = {name: getattr(self, name) for name in ("higher_is", "levels", "resolution")}
        return {name: value for name, value in said.items() if value is not None}

    def refuse_other_columns(self, names: Collection[str]) -> None:
        """Refuse columns that saved counts do not have, or have in another role."""
        for role, own in COLUMNS_OF_SAVED.items():
            said = getattr(self, role)
            if said is None or (said == own and own in names):
                continue
            if role == "by" and own in names:
                raise ValueError(
                    f"the segments of saved counts are in the column {own!r}; pass "
                    f"{arg(by=own)} or leave it out"
                )
            flag = arg("target" if role == "positives" else role)
            raise ValueError(f"saved counts record what they contain; leave out {flag}")


@dataclass(frozen=True, slots=True)
class OpenTable:
    """One table that is open, and what is asked of it."""

    file: FileTable
    files: Files  # it and others, and how their text is written
    asked: AskedOfTable

    @property
    def names(self) -> tuple[str, ...]:
        """What its columns are called."""
        return self.file.names

    def column_of(self, role: str, among: Sequence[str] | None = None) -> str:
        """Return the column that was named for a role, or the one of a known name."""
        named: str | None = getattr(self.asked, role)
        return named or _must(self.names if among is None else among, *HEADINGS[role], self.names)

    def read(self, names: Sequence[str], as_text: Sequence[str] = ()) -> dict[str, InputColumn]:
        """Read columns by their exact names, some of them as text without asking."""
        return read_opened([self.file], self.files, names, as_text=as_text)

    def columns(self, full: Sequence[str], *others: str | None) -> dict[str, InputColumn]:
        """Read columns, of which the first ones must have a value in every row."""
        found = self.read([*full, *(name for name in others if name is not None)])
        for name in full:
            refuse_missing(found[name])
        return found

    def settings_for(self, scores: Values) -> Node:
        """Return the settings asked for, with grades as the values that were found."""
        asked = self.asked.settings
        if "levels" in asked:
            asked["levels"] = match_levels(asked["levels"], scores.tolist())
        return asked


def read_cells(files: Files, **asked: Any) -> Any:
    """Take counts back from tables: saved ones exactly, or anybody's own."""
    found = added(_each_table(files, _counts_in, asked))
    if asked.get("by") is None and isinstance(found, dict) and {*found} == {*ARMS}:
        return UpliftCounts(*(found[arm] for arm in ARMS)) if of_arms(found, files) else found
    return found


def of_arms(parts: Mapping[Any, Any], files: Files) -> bool:
    """Whether segments are told apart by who was treated, and of a kind that trials have."""
    named = (segment_heading(column_names(files)) or "").strip().lower() == ARMS_HEADING
    return named and {type(part) for part in parts.values()} <= {*UpliftCounts.KINDS}


def _each_table(
    files: Files, read: Callable[[OpenTable], Found], asked: Mapping[str, Any]
) -> list[Found]:
    """Read every table on its own; errors name the file."""
    parts, wanted = [], AskedOfTable(**asked)
    with open_files(files) as tables:
        for file in tables:
            try:
                parts.append(read(OpenTable(file, files, wanted)))
            except (ValueError, TypeError) as error:
                kind = ValueError if isinstance(error, ValueError) else TypeError
                named = file.label in str(error)
                raise kind(str(error) if named else f"{file.label}: {error}") from None
    return parts


def _counts_in(table: OpenTable) -> Any:
    """Return the counts in one table: saved ones as they are, else those that its columns name."""
    if (saved := _saved_in(table)) is not None:
        return saved
    found, asked = table.names, table.asked
    head = table.file.head
    if table.file.kind == "csv" and not (table.file.more or head.endswith((b"\n", b"\r"))):
        raise ValueError("the file ends within its first line, as if it was cut off; save it again")
    of_amounts = asked.amount is not None or (
        AMOUNT_HEADING in found
        and asked.positives is None
        and not _perhaps(found, POSITIVE_HEADINGS)
    )
    if of_amounts:
        return _amounts_of_table(table)
    named = (asked.score, asked.positives, asked.by)
    rest = [name for name in found if name not in named]
    # Whoever takes only known outcomes says so, as of such counts that were saved.
    some_unknown = _perhaps(rest, *HEADINGS["unknown"]) is not None
    return _partial_of_table(table) if some_unknown else _counts_of_table(table)


def _saved_in(table: OpenTable) -> Any:
    """Return the counts of any kind that a parquet file has with their header, else None."""
    if (said := header_of(table.file)) is None:
        _refuse_columns_of_settings(table)
        return None
    header = header_in(said)
    if any(table.names.count(name) != 1 for name in columns_of(header)):
        raise changed()
    table.asked.refuse_other_columns(columns_of(header))
    return counts_in(header, table.read(columns_of(header)), table.asked.settings)


def _refuse_columns_of_settings(table: OpenTable) -> None:
    """Refuse columns that counts were saved with, and that mean nothing without their header."""
    ours = [name for name in (*ROOTS, GROUP, PART) if name in table.names]
    if ours and table.asked.by not in ours:
        raise ValueError(
            f"the settings of the saved counts are missing, and {quoted_names(ours)} cannot be "
            "read without; save them again, or leave these columns out"
        )


def header_of(file: FileTable) -> str | None:
    """Return what a parquet file that is open says of the counts in it, or None."""
    if file.kind != "parquet":
        if OLD in file.names and any(name in file.head for name in OLD_FORMATS):
            raise ValueError(
                "the table was saved by a version of capcurve whose csv had settings in a column; "
                "count the rows again, and save them as .parquet or .json"
            )
        return None
    kept = f"parquet_kv_metadata({literal_path(file.path)})"
    rows = Relation(file.connection, file.label, kept).rows(["key", "value"])
    notes = {bytes(key): bytes(value).decode("utf-8", "replace") for key, value in rows}
    found = notes.get(HEADER_KEY.encode())
    if found is None and any(f'"{FORMATS}' in said for said in notes.values()):
        raise changed()
    return found


def read_saved(files: Files, **asked: Any) -> Any:
    """Return the sum of counts that were saved with their header, or None where none was."""
    found = _each_table(files, _saved_in, asked)
    if all(each is None for each in found):
        return None
    if any(each is None for each in found):
        raise ValueError("some of these tables were saved with their settings and some without")
    return added(found)


def added(parts: Sequence[Any]) -> Any:
    """Return the sum of what several files have, by segment where they have segments."""
    if len(parts) == 1:
        return parts[0]
    whole = [part for part in parts if not isinstance(part, Mapping)]
    segmented = [part for part in parts if isinstance(part, Mapping)]
    if not segmented:
        return merged(whole)
    if whole:
        raise ValueError("some of these tables have segments and some have none")
    if all(isinstance(part, SegmentCounts) for part in segmented):
        return SegmentCounts.merge(cast("Sequence[SegmentCounts]", segmented))
    keys = dict.fromkeys(key for part in segmented for key in part)
    return {key: merged([p[key] for p in segmented if key in p]) for key in keys}


# Tables that somebody else wrote: score, n, bad; grade, positives, negatives


def _counts_of_table(table: OpenTable) -> Counted:
    """Read one counted table: a score, its positives, and its negatives or all its cases."""
    if table.asked.positives is None and {"time", "event"} <= set(table.names):
        raise ValueError(f"these are {TIMES_BY}")
    score, positives = table.column_of("score"), table.column_of("positives")
    rest = [name for name in table.names if name not in (score, positives)]
    negatives = _perhaps(rest, NEGATIVE_HEADINGS)
    cases = None if negatives else _perhaps(rest, CASE_HEADINGS)
    other = negatives or cases
    if other is None:
        raise ValueError(
            f"beside {positives!r} there must be a column negatives, or n for all cases; "
            f"the columns are {quoted_names(table.names)}"
        )
    by = table.asked.by or segment_heading(rest)
    columns = table.columns([score, positives, other], by)
    scores, n1 = columns[score].values, columns[positives].values
    n0 = columns[other].values if cases is None else _rest(columns[other], columns[positives])
    asked = table.settings_for(scores)
    segments = None if by is None else columns[by]
    found: Counted = _by_segment(ScoreCounts, segments, (scores, n1, n0), asked)
    return found


def _by_segment(kind: Any, by: InputColumn | None, cells: Sequence[Values], asked: Node) -> Any:
    """Return counts of a kind from columns of cells, in a dict where there are segments."""
    if by is None:
        return kind.from_counts(*cells, **asked)
    return {
        key: kind.from_counts(*(column[rows] for column in cells), **asked)
        for key, rows in split_rows(by)
    }


def _amounts_of_table(table: OpenTable) -> Counted:
    """Read rows of amounts: score, amount, perhaps exposure, and how often each occurs."""
    found, asked, score = table.names, table.asked, table.column_of("score")
    amount = asked.amount or AMOUNT_HEADING
    if amount in {*POSITIVE_HEADINGS, *NEGATIVE_HEADINGS} and _perhaps(found, POSITIVE_HEADINGS):
        raise ValueError(
            f"the columns are {quoted_names(found)}: these are counts of two classes, and "
            f"{amount!r} is no amount of single rows; leave out --amount"
        )
    exposure = asked.exposure or (EXPOSURE_HEADING if EXPOSURE_HEADING in found else None)
    times = TIMES_HEADING if TIMES_HEADING in found else None
    by = asked.by or segment_heading(found)
    columns = table.columns([], score, amount, exposure, times, by)
    rules = Rules(**table.settings_for(columns[score].values))
    given = ColumnsByRole(
        columns[amount],
        (columns[score],),
        by=None if by is None else columns[by],
        exposure=None if exposure is None else columns[exposure],
        amounts=True,
        repeats=None if times is None else whole_times(columns[times]),
    )
    if by is None:
        sample = given.complete(rules)
        return count_clustered(sample, sample.scores[0])
    return {key: count_clustered(s, s.scores[0]) for key, s in given.segments(rules)}


def whole_times(column: InputColumn) -> NDArray[np.int64]:
    """Return how often each row of a table occurs, once or more."""
    refuse_missing(column)
    times = as_tallies(column.values, column.name)
    if times.dtype.kind == "f" or (times == 0).any():
        raise ValueError(f"{column.name} says how often a row occurs: whole numbers from 1")
    return times.astype(np.int64)


def _must(
    found: Sequence[str], known: Sequence[str], what: str, how: str, every: Sequence[str]
) -> str:
    """Return the one column of a known name, or raise saying how to say which it is, and all."""
    name = _perhaps(found, known, what, how)
    if name is None:
        raise ValueError(
            f"no column is named like {what}; {spoken(how)}; the columns are {quoted_names(every)}"
        )
    return name


def segment_heading(found: Sequence[str]) -> str | None:
    """Return the column of segments, or arms, that a table has under a known name."""
    return _perhaps(found, SEGMENT_HEADINGS)


def _perhaps(
    found: Sequence[str], known: Sequence[str], what: str = "it", how: str = "leave out the others"
) -> str | None:
    """Return the one column of a known name, or None; several leave no choice but to ask."""
    named = [name for name in found if name.strip().lower().replace("_", "") in known]
    exact = [name for name in named if name == known[0]]
    if exact or len(named) <= 1:
        return next(iter(exact or named), None)
    raise ValueError(
        f"{quoted_names(named)} could all be {what}; {spoken(how)}; the columns are "
        f"{quoted_names(found)}"
    )


def refuse_missing(column: InputColumn) -> None:
    """Raise ValueError when a row of a table has no number."""
    absent = absent_rows(column, column.values)
    if absent is not None:
        raise ValueError(
            f"column {column.name!r} has no value in {int(absent.sum())} rows; fill them in"
        )


def _rest(cases: InputColumn, positives: InputColumn) -> Values:
    for column in (cases, positives):
        if column.values.dtype.kind not in "iuf":
            raise TypeError(f"column {column.name!r} must hold counts, got {column.values[0]!r}")
    left: Values = wide(cases.values) - wide(positives.values)
    if (left < 0).any():
        row = int(np.flatnonzero(left < 0)[0])
        raise ValueError(
            f"{positives.name} is larger than {cases.name} in row {row}: "
            f"{positives.values[row]} of {cases.values[row]}"
        )
    return left


def match_levels(levels: Iterable[object], found: Sequence[object]) -> tuple[object, ...]:
    """Return grade names as the values found: the text "3" stands for the number 3."""
    here = {key_text(value): value for value in found}
    return tuple(
        level if level in found else here.get(_alike(str(level), here), level) for level in levels
    )


def _alike(word: str, here: Mapping[str | None, object]) -> str:
    """Find what was found that a word stands for: the number 1 for "01", true for "TRUE"."""
    if word in here:
        return word
    if word.strip().lower() in {"true", "false"}:
        return word.strip().lower()
    number = _number(word)
    same = [] if number is None else [o for o in here if o is not None and _number(o) == number]
    return same[0] if len(same) == 1 else word


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


# Tables in which some cases, or all, have no outcome


def read_partial_cells(files: Files, **asked: Any) -> Any:
    """Take partial counts from tables with the columns score, positives, negatives and unknown."""
    return added(_each_table(files, _partial_in, asked))


def _partial_in(table: OpenTable) -> Any:
    return _partial_of_table(table) if (saved := _saved_in(table)) is None else saved


def _partial_of_table(table: OpenTable) -> Any:
    """Return partial counts of one table, by segment where it has segments."""
    wanted = _classes_and_unknown(table)
    rest = [name for name in table.names if name not in wanted]
    by = table.asked.by or segment_heading(rest)
    columns = table.columns(wanted, by)
    cells = [columns[name].values for name in wanted]
    asked = table.settings_for(cells[0])
    return _by_segment(PartialCounts, None if by is None else columns[by], cells, asked)


def _classes_and_unknown(table: OpenTable) -> list[str]:
    """Return the columns of the score, the positives, the negatives and the unknown."""
    score, positives = table.column_of("score"), table.column_of("positives")
    rest = [name for name in table.names if name not in (score, positives)]
    unknown = table.column_of("unknown", rest)
    negatives = _perhaps([name for name in rest if name != unknown], NEGATIVE_HEADINGS)
    if negatives is None:
        cases = _perhaps(rest, CASE_HEADINGS)
        unclear = "" if cases is None else f", as {cases!r} may count the unknown or not"
        raise ValueError(
            f"beside {positives!r} and {unknown!r} there must be a column negatives{unclear}; the "
            f"columns are {quoted_names(table.names)}"
        )
    return [score, positives, negatives, unknown]


def read_case_cells(files: Files, **asked: Any) -> CaseCounts | dict[Any, CaseCounts]:
    """Take cases by score from tables with the columns score and n, or saved counts of classes.

    With `by` they are by segment.
    """
    parts = _each_table(files, _cases_in, asked)
    keys = dict.fromkeys(key for part in parts for key in part)
    found = {key: CaseCounts.merge([part[key] for part in parts if key in part]) for key in keys}
    return found if asked.get("by") is not None else CaseCounts.merge(found.values())


def _cases_in(table: OpenTable) -> dict[Any, CaseCounts]:
    """Return cases by segment, those of a table without segments under None."""
    saved, found = header_of(table.file) is not None, table.names
    classes = [name for name in found if name != table.asked.score]
    if saved or table.asked.positives or _perhaps(classes, POSITIVE_HEADINGS):
        return _of_classes(table)
    _refuse_columns_of_settings(table)
    score = table.column_of("score")
    rest = [name for name in found if name != score]
    cases = _must(rest, CASE_HEADINGS, "the cases", "call it 'n'", found)
    by = table.asked.by
    columns = table.columns([score, cases], by)
    scores, tallies = (columns[name].values for name in (score, cases))
    asked = table.settings_for(scores)
    rows = [(None, slice(None))] if by is None else split_rows(columns[by])
    return {key: CaseCounts.from_counts(scores[at], tallies[at], **asked) for key, at in rows}


def _of_classes(table: OpenTable) -> dict[Any, CaseCounts]:
    """Return the cases of both classes by segment."""
    found: Any = as_cases(_counts_in(table))
    if table.asked.by is not None and not isinstance(found, dict):
        raise ValueError(f"{table.file.label} holds counts without segments")
    return found if isinstance(found, dict) else {None: found}


def as_cases(counts: Any) -> Any:
    """Return the cases of both classes, by segment where there are segments, or raise."""
    if isinstance(counts, Mapping):
        return {key: as_cases(part) for key, part in counts.items()}
    if isinstance(counts, UpliftCounts):
        return CaseCounts.merge([as_cases(getattr(counts, arm)) for arm in ARMS])
    found = counts if isinstance(counts, CaseCounts) else getattr(counts, "cases", None)
    if not isinstance(found, CaseCounts):
        what = "times" if isinstance(counts, TimeCounts) else "amounts"
        raise ValueError(  # noqa: TRY004 - of a file
            f"it holds {what}, and shares of cases need cases"
        )
    return found


def saved_partial(counts: Any) -> dict[Any, PartialCounts]:
    """Return counts by segment, else under None, if some cases have no outcome, or raise."""
    parts = dict(counts) if isinstance(counts, Mapping) else {None: counts}
    if not all(isinstance(part, PartialCounts) for part in parts.values()):
        raise ValueError(
            "these are counts without unknown outcomes, so there is nothing to bound; give the "
            "rows, in which unknown outcomes are empty, or counts of them"
        )
    return parts
