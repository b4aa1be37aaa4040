"""From a request to counts: the one way in for every command."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
import numpy as np

from capcurve.cli.errors import Failure
from capcurve.cli.notations import number_in, words_in
from capcurve.cli.options import DIRECTIONS, STDIN, Request
from capcurve.cli.output import AsTyped, note, waiting
from capcurve.numbers.arguments import arg, reworded
from capcurve.show.format import NO_SEGMENT, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from capcurve.counts import Direction, PartialCounts
    from capcurve.counts.master_scale import MasterScale
    from capcurve.input import Query
    from capcurve.input.arrays import Rules
    from capcurve.input.columns import InputColumn
    from capcurve.input.files import Files
    from capcurve.show.presentation import Finding

Made = TypeVar("Made")

MOST_SAID = 8
SHEET_SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
NO_SCORE = "--pd {} is none of the scores, {}; name scores that are PDs, or one column beside them"
ONE_BESIDE = "--pd in a column beside the score is for one score at a horizon; pass one --score"
ROLES_OF_TIMES = ("time", "event", "stratum", "cluster")
ONE_SCORE_A_TABLE = "a table of counts contains one score; pass one --score"


@dataclass(frozen=True, slots=True)
class CountsByScore:
    """Counts by score, with segments also by score and segment, and of all scores together."""

    whole: Mapping[str, Any]
    segments: Mapping[str, Mapping[Any, Any]] = field(default_factory=dict)
    joint: Any = None  # or why there are no joint counts
    pds: Mapping[str, Any] = field(default_factory=dict)  # of each score, in a column beside it

    def parts(self) -> Iterator[tuple[dict[str, object], Any]]:
        """Yield all counts, each with the columns that say whose they are."""
        several = len(self.whole) > 1
        for name, whole in self.whole.items():
            of_score: dict[str, object] = {"score": name} if several else {}
            if name not in self.segments:
                yield of_score, whole
            for key, part in self.segments.get(name, {}).items():
                yield {**of_score, "segment": key}, part

    def pd_of(self, whose: Mapping[str, object]) -> Any:
        """Return the PDs of a part, which are its scores where no column beside them has any."""
        from capcurve.gate.pds import pd_in_segment

        pd = self.pds.get(str(whose.get("score", next(iter(self.whole)))), "score")
        return pd_in_segment(pd, whose["segment"]) if "segment" in whose else pd

    def always(self) -> dict[str, Sequence[Finding]]:
        """Return what must be known whatever is asked for: rows left out, a reversed score."""
        from capcurve.results.findings import told_always

        return {name: told_always(counts) for name, counts in self.whole.items()}

    def made(
        self, make: Callable[[Any], Made]
    ) -> tuple[list[tuple[dict[str, object], Made]], dict[str, str]]:
        """Return what is made of every part, with whose it is, and why segments are left out."""
        # Those are segments without positives or negatives, or of whose amounts it cannot be made.
        made: list[tuple[dict[str, object], Made]] = []
        left_out: dict[str, str] = {}
        for whose, counts in self.parts():
            try:
                made.append((whose, make(counts)))
            except ValueError as error:
                from capcurve.results.findings import has_accuracy_ratio

                if "segment" not in whose or has_accuracy_ratio(counts):
                    raise
                left_out[part_called(whose)] = str(error)
        if not made and left_out:
            name, why = next(iter(left_out.items()))
            raise Failure(f"no segment can be shown; {name}: {why}")
        return made, left_out


def part_called(whose: Mapping[str, object]) -> str:
    """Name a part in a legend or a message."""
    return " ".join(NO_SEGMENT if value is None else str(value) for value in whose.values())


def notes_on(left_out: Mapping[str, str]) -> list[str]:
    """Say which segments are not shown, and why."""
    notes = [f"segment {name} is left out: {why}" for name, why in left_out.items()]
    more = f"{len(notes) - MOST_SAID:,} more segments are left out for such reasons"
    return [*notes[:MOST_SAID], *([more] if len(notes) > MOST_SAID else [])]


def files_of(request: Request) -> Files:
    """Return the files of a request, with the words that mean no value."""
    from capcurve.input.files import Files
    from capcurve.input.files.sources import NULL_VALUES

    words = tuple(dict.fromkeys([*NULL_VALUES, *request.na]))
    said = ("delimiter", "decimal", "encoding", "skip_lines", "comment", "sheet", "table")
    return Files(request.file, **{n: getattr(request, n) for n in said}, null_values=words)


def tallied(request: Request, *, together: bool = False, pd: Sequence[str] = ()) -> CountsByScore:
    """Count rows or a table, `together` several scores jointly, with PDs that `pd` names."""
    if is_timed(request):
        found = _by_horizons(request, pd=pd)
    elif request.counts:
        found = _from_counts(request)
    else:
        with query_of(request) as query:
            from capcurve import input as rows

            count: Any = rows.count_together if together else rows.count_each
            if (beside := _beside(pd, query.scores)) is not None:
                count = partial(rows.count_with_pds, pd=beside)
            found = CountsByScore(*count(query))
    return checked(found, request)


def _beside(pd: Sequence[str], scores: Mapping[str, Any]) -> str | None:
    """Return the column of PDs that is none of the scores, or None."""
    other = next((name for name in pd if name not in scores), None)
    if other is not None and len(set(pd)) > 1:
        raise click.UsageError(NO_SCORE.format(other, ", ".join(scores)))
    return other


def counted_to_show(request: Request, **asked: Any) -> CountsByScore:
    """Count as `tallied` does, and refuse more segments than anybody reads, such as people."""
    found = tallied(request, **asked)
    for segments in found.segments.values():
        refuse_people(request, segments)
    return found


def checked(found: CountsByScore, request: Request) -> CountsByScore:
    """Return what was counted; refuse none at all, and cells that are smaller than allowed."""
    from capcurve.counts.rank_totals import refuse_small_cells
    from capcurve.gate.given import refuse_word_of_amounts

    if not found.whole or not all(map(len, found.segments.values())):
        where = " and ".join("standard input" if path == STDIN else path for path in request.file)
        raise Failure(f"there are no rows in {where}, and so no segments")
    refuse_small_cells(request.min_cell, found.whole, found.segments)
    if AsTyped.asked().noun is not None:  # of saved amounts no option told
        refuse_word_of_amounts(found.whole)
    return found


def refuse_people(request: Request, segments: Mapping[Any, Any]) -> None:
    """Refuse to show segments that are too many, or people, unless they are insisted on."""
    from capcurve.results.findings import refuse_many_segments

    if not request.all_segments:
        refuse_many_segments(segments, request.by_called or "segment")


def counted_jointly(request: Request) -> CountsByScore:
    """Count several scores together, by segment where it is asked, and each on its own."""
    if request.counts:
        raise Failure("a table of counts contains one score; compare needs the rows")
    if request.memory_limit is not None:
        raise Failure("compare needs all rows in memory; leave out --memory-limit")
    if is_timed(request):
        joint = followed(request).at(request.horizon[0], competing=request.competing or "negative")
    else:
        with query_of(request) as query:
            from capcurve.input.query import count_all_together, count_by_segment

            joint = (count_by_segment if request.by else count_all_together)(query)
    names = joint.settings.get("names", ()) if request.by else joint.names
    found = {name: joint.margin(name) for name in names}
    if not request.by:
        return checked(CountsByScore(found, joint=joint), request)
    whole = {name: segments.whole() for name, segments in found.items()}
    return checked(CountsByScore(whole, found, joint), request)


def counted_partially(
    request: Request, unknown_label: Sequence[str] = (), unknown: str | None = None
) -> dict[Any, PartialCounts]:
    """Count rows of which some have no outcome, or read such counts: by segment, or under None."""
    # Several scores are counted together. `unknown` is the column of a counted table.
    from capcurve.counts import PartialCounts

    by = request.segmented_by
    if is_timed(request):
        if len(set(request.score)) > 1:
            raise click.UsageError("bounds at a horizon are for one score; pass one --score")
        horizon, competing = request.horizon[0], request.competing or "negative"
        found = {None: followed(request).known_at(horizon, competing=competing)}
    elif request.counts:
        from capcurve.input.files import read_partial_cells
        from capcurve.input.files.cells import saved_partial

        found = _from_table(request, read_partial_cells, saved_partial, unknown=unknown, by=by)
        found = found if by else {None: PartialCounts.merge(found.values())}
    else:
        from capcurve.input import partial_by_segment

        with query_of(request, again=bool(unknown_label)) as query:
            labels = unknown_labels(query, unknown_label)
            for word in unknown_label:
                if word not in labels:
                    note(f"no row of {query.target} holds the label {word} of --unknown-label")
            found = partial_by_segment(query, list(labels.values()))
    if not found:
        checked(CountsByScore({}), request)
    for part in found.values():
        margins = counts_of_each(part, request).whole
        checked(CountsByScore({name: m.cases.held for name, m in margins.items()}), request)
    return found


def counts_of_each(partial: PartialCounts, request: Request) -> CountsByScore:
    """Return counts of which some cases have no outcome by score."""
    margins = {name: partial.margin(name) for name in partial.names}
    return CountsByScore(margins or {request.name: partial})


def counted_cases(request: Request) -> CountsByScore:
    """Count the cases of one score, whatever became of them, or read such counts from a table."""
    from capcurve.counts import CaseCounts, ScoreCounts

    name, by = request.name, request.segmented_by
    if request.counts:
        from capcurve.input.files import read_case_cells
        from capcurve.input.files.cells import as_cases

        read = _from_table(request, read_case_cells, as_cases, by=by)
        parts = read if isinstance(read, Mapping) else {None: read}
        if by is not None and parts is not read:
            raise Failure(f"{request.file[0]} holds counts without segments")
        held = {name: {key: part.held for key, part in parts.items()}}
        whole = {name: ScoreCounts.merge(held[name].values())} if parts else {}
        found = CountsByScore(whole, {} if by is None else held)
    else:
        with rereadable(request, again=False) as files, waiting("counting"):
            from capcurve.input import Query, count_each

            roles: Any = {"weight": request.weight, "by": by, "cluster": request.cluster}
            rules = rules_of(request, files, cases=True)
            query = Query(None, {name: name}, rules, files, **roles, period=request.by_period)
            found = CountsByScore(*count_each(replace(query, without_outcome=True)))
    checked(found, request)
    segments = {key: CaseCounts(part) for key, part in found.segments.get(name, {}).items()}
    cases = {name: CaseCounts(found.whole[name])}
    return CountsByScore(cases, {name: segments} if segments else {})


# Outcomes that take time


def is_timed(request: Request) -> bool:
    """Whether outcomes take time; refuse times without a horizon."""
    if request.time is not None and not request.horizon:
        raise click.UsageError("--time needs --horizon, such as --horizon 365")
    return bool(request.horizon)


def followed(request: Request, beside: str | None = None) -> Any:
    """Count the times of one score or several, and of PDs beside them, or read such counts."""
    if request.counts:
        return _saved_times(request)
    if not request.score:
        from capcurve.cli.proposing import propose_columns

        propose_columns(request, files_of(request))
    with rereadable(request, again=request.event_label is not None) as files, waiting("counting"):
        return _following(request, files, beside)(files)


def _following(request: Request, files: Files, beside: str | None = None) -> Callable[[Any], Any]:
    """Return what counts the times of rows that are read as those of some files."""
    from capcurve.input import count_followed

    rules = rules_of(request, files)
    words = _labels_of_event(request, files, request.event or "")
    names = ("higher_is", "levels", "missing", "resolution")
    words |= {"time_unit": request.time_unit, **{name: getattr(rules, name) for name in names}}
    rows = {name: getattr(request, name) for name in ROLES_OF_TIMES}
    scores = list(dict.fromkeys([*request.score, *([] if beside is None else [beside])]))
    return lambda data: count_followed(rows, scores, data=data, **words)


def _saved_times(request: Request) -> Any:
    """Read counts of times: files that `capcurve counts` saved, or tables of anybody's."""
    if len(request.score) > 1:
        raise click.UsageError(ONE_SCORE_A_TABLE)
    words = _said_of_one(request)
    said = ((name, getattr(request, name)) for name in ("event_label", "time_unit"))
    words |= {name: word for name, word in said if word is not None}
    if (found := _saved_as_json(request, words)) is None:
        found = _times_of_tables(request, words)
    if isinstance(found, Mapping) and all(hasattr(part, "known_at") for part in found.values()):
        raise Failure(
            f"{request.file[0]} has counts of times by segment, and --horizon reads counts of all "
            "rows; save these without segments, or one segment alone"
        )
    if not hasattr(found, "known_at"):
        raise Failure(f"{request.file[0]} holds no counts of times; leave out --horizon")
    return found


def _times_of_tables(request: Request, words: dict[str, Any]) -> Any:
    """Read counts of times from tables, with labels of the type that their columns hold."""
    with rereadable(request, again=True) as files, waiting("reading counts"):
        from capcurve.input import read_times
        from capcurve.input.files.reading import column_names

        named = (name for name in column_names(files) if name.strip().lower() == "event")
        words |= _labels_of_event(request, files, next(named, "event"))
        return read_times(files, next(iter(request.score), None), **words)


def _saved_as_json(request: Request, words: Mapping[str, Any], **columns: Any) -> Any:
    """Return the sum of counts that .json files have; None where there are tables."""
    saved = [path for path in request.file if path.lower().endswith(".json")]
    if not saved:
        return None
    if words or request.score:
        said = arg(next(iter(words), "score"))
        raise Failure(f"{saved[0]} says by itself what it holds; leave out {said}")
    from capcurve.input.files.cells import AskedOfTable, added
    from capcurve.input.files.reading import refuse_idle

    refuse_idle(files_of(request), saved[0], "counts saved as JSON")
    if len(set(saved)) < len(request.file):
        raise Failure(f"{saved[0]} stands beside itself or a table; add different .json files")
    from capcurve.input.saving import read_json

    found = added([read_json(path, {}) for path in saved])
    try:
        AskedOfTable(**columns).refuse_other_columns(
            ["segment"] if isinstance(found, Mapping) else []
        )
    except ValueError as error:
        raise Failure(f"{saved[0]}: {error}") from None
    return found


def _labels_of_event(request: Request, files: Files, name: str) -> dict[str, object]:
    """Return the labels that were typed for how rows ended, of the type that a column holds."""
    if request.event_label is None:
        return {}
    labels = labels_in(files, name)
    words = {"event_label": request.event_label, "censored_label": request.censored_label or ""}
    found: dict[str, object] = {}
    if request.competing_labels is None:
        for key, word in words.items():
            found[key] = label_among(labels, name, word, f"--{key.replace('_', '-')}")
    else:
        found |= {key: label_like(labels, word) for key, word in words.items()}
        competing = words_in(request.competing_labels)
        found["competing_labels"] = [label_like(labels, word) for word in competing]
    if found["event_label"] == found["censored_label"]:
        raise click.UsageError(
            f"--event-label and --censored-label are both {found['event_label']}"
        )
    return found


def _by_horizons(request: Request, times: Any = None, pd: Sequence[str] = ()) -> CountsByScore:
    """Return counts of each score by each horizon, of all rows or of the times of some."""
    from capcurve.counts import JointCounts
    from capcurve.counts.joint import PdColumn
    from capcurve.input import at_horizons
    from capcurve.input.count import counts_by_score
    from capcurve.results.several import HORIZONS_APART

    beside = None if request.counts else _beside(pd, dict.fromkeys(request.score))
    times = followed(request, beside) if times is None else times
    horizons = list(dict.fromkeys(request.horizon))
    found: Any = at_horizons(times, horizons, request.name, request.competing or "negative")
    if beside is not None:
        name, *more = (each for each in times.names if each != beside)
        if more:
            raise click.UsageError(ONE_BESIDE)
        return CountsByScore({name: found.margin(name)}, pds={name: PdColumn(found, name, beside)})
    if isinstance(found, JointCounts):
        return CountsByScore(counts_by_score(found), joint=found)
    return CountsByScore(found, joint=HORIZONS_APART if len(found) > 1 else None)


# Tables of counts


def _from_counts(request: Request) -> CountsByScore:
    from capcurve.input.files import read_cells
    from capcurve.input.files.savedcells import as_cells, merged

    by = request.segmented_by
    roles = {"by": by, "amount": request.amount, "exposure": request.exposure}
    found = _from_table(request, read_cells, as_cells, **roles)
    if not isinstance(found, Mapping):
        return CountsByScore({request.name: found})
    parts = list(found.values())
    return CountsByScore({request.name: merged(parts)} if parts else {}, {request.name: found})


def _from_table(
    request: Request, read: Callable[..., Any], kind: Callable[[Any], Any], **columns: Any
) -> Any:
    """Read counts of one score, of some kind, from tables or .json files."""
    if isinstance(by := columns.get("by"), list):
        raise click.UsageError(
            f"--counts reads segments from one column, and --by names {', '.join(by)}; name one"
        )
    if len(request.score) > 1:
        raise click.UsageError(ONE_SCORE_A_TABLE)
    columns |= {"score": request.score[0] if request.score else None, "positives": request.target}
    with in_words_of(request), waiting("reading counts"):
        words = _said_of_one(request)
        found = _saved_as_json(request, words, **columns)
        if found is None:
            found = read(files_of(request), **words, **columns)
        try:
            return kind(found)
        except ValueError as error:
            raise ValueError(f"{request.file[0]}: {error}") from None


def _said_of_one(request: Request) -> dict[str, Any]:
    """Return what is said of how one score is to be read."""
    name, step = request.name, request.resolution
    higher_is = _directions(request.higher_is, [name]).get(name)
    said = {"higher_is": higher_is, "levels": _grade_names(request.levels, [name]).get(name)}
    return {key: each for key, each in {**said, "resolution": step}.items() if each is not None}


# Rows


@contextmanager
def query_of(request: Request, *, again: bool = False) -> Iterator[Query]:
    """Yield what is to be counted, while its files can be read: more than once with `again`."""
    if (request.target is None and request.amount is None) or not request.score:
        from capcurve.cli.proposing import propose_columns

        propose_columns(request, files_of(request))
    with rereadable(request, again) as files, waiting("counting") as through:
        from capcurve.input import Query, named_scores

        yield Query(
            request.target,
            named_scores(request.score, files),
            rules_of(request, files),
            files,
            request.weight,
            request.segmented_by,
            request.cluster,
            request.memory_limit,
            request.amount,
            request.exposure,
            period=request.by_period,
            through=through,
        )


@dataclass(frozen=True, slots=True)
class LoadedRows:
    """What is to be counted with its columns in memory, of which rows are chosen."""

    count: Callable[[Mapping[str, Any]], CountsByScore]  # of columns by name
    columns: Mapping[str, InputColumn]

    def counted(self, rows: Any) -> CountsByScore:
        """Count some rows."""

        def picked(column: InputColumn) -> Any:
            values, missing = column.values[rows], column.missing
            return values if missing is None else np.ma.array(values, mask=missing[rows])

        return self.count({name: picked(column) for name, column in self.columns.items()})


@contextmanager
def loaded(request: Request, *more: str, as_text: Sequence[str] = ()) -> Iterator[LoadedRows]:
    """Yield what is to be counted with its columns in memory, and with `more` of them."""
    from capcurve.input import count_each
    from capcurve.input.arrays.labels import by_value
    from capcurve.input.files import read_columns

    if is_timed(request):
        with rereadable(request, again=True) as files:
            roles = (getattr(request, name) for name in ROLES_OF_TIMES)
            columns = read_columns(files, [*filter(None, roles), *request.score, *more])
            count = _following(request, files)
            yield LoadedRows(lambda data: _by_horizons(request, count(data)), columns)
        return
    with query_of(request) as query:
        names = [query.target, *query.scores.values(), *query.extra, *more]
        columns = read_columns(cast("Files", query.data), names, as_text=as_text)
        rules = query.rules
        if rules.rest == "negative":  # a part of the rows may lack a label that is named
            found = labels_of(columns[str(query.target)])
            others = [label for label in found if by_value(label) not in rules.labels.named]
            rules = replace(rules, rest="raise", neg_label=others or None)
        read = replace(query, rules=rules)
        yield LoadedRows(lambda data: CountsByScore(*count_each(replace(read, data=data))), columns)


@contextmanager
def rereadable(request: Request, again: bool) -> Iterator[Files]:
    """Keep standard input in a file when its labels or grades have to be looked at first."""
    files = files_of(request)
    again = again or bool(request.pos_label or request.drop_label or request.levels)
    if STDIN not in request.file or not again:
        with in_words_of(request):
            yield files
        return
    if sys.stdin is None:
        raise Failure("standard input is closed; name a file")
    with tempfile.TemporaryDirectory(prefix="capcurve-") as scratch:
        copy = Path(scratch, "standard input")
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        paths = tuple(str(copy) if path == STDIN else path for path in files.paths)
        try:
            with in_words_of(request):
                yield replace(files, paths=paths)
        except (ValueError, TypeError, OSError) as error:
            raise ValueError(str(error).replace(str(copy), "standard input")) from None


@contextmanager
def in_words_of(request: Request) -> Iterator[None]:
    """Name the lines of the file in errors about rows, and the options that may be meant."""
    try:
        yield
    except (ValueError, TypeError) as error:
        said = _without_horizon(with_lines(request, _with_commands(error)))
        if said.startswith(f"{request.target} is missing"):
            from capcurve.cli.proposing import takes

            known = "; for outcomes that are not known yet use capcurve bounds, else pass missing="
            if takes("labelled"):
                known = "; if only some cases are labelled say how with --labelled" + known
            said = said.replace("; pass missing=", known)
        if f"{request.target} must have two classes" in said and " more labels" in said:
            said += f"; for an amount pass --amount {request.target} in place of --target"
        files = [name for name in request.score if Path(name).is_file()]
        if files and (len(request.file) > 1 or "no column" in said):
            said += f"; --score {files[0]} is a file: quote a pattern of columns, as in -s 's*'"
        raise ValueError(said) from error


def _without_horizon(said: str) -> str:
    """Return what is said of counts of times without advice that the command does not take."""
    from capcurve.cli.proposing import takes
    from capcurve.input.files.savedcells import TIMES_BY

    context = click.get_current_context(silent=True)
    if TIMES_BY not in said or context is None or takes("horizon"):
        return said
    unread = f"counts of times, which capcurve {context.info_name} does not read"
    return said.replace(TIMES_BY, unread)


def _with_commands(error: Exception) -> str:
    """Return what is said of labels with whole commands in place of the keywords to choose from."""
    from capcurve.cli.proposing import command_with
    from capcurve.input.arrays.labels import CHOOSE, ways_out

    said = str(error)
    if click.get_current_context(silent=True) is not None:
        for way in ways_out(error):
            said = said.replace(way, command_with(reworded(way))).replace(CHOOSE, "; run ")
    return said


def with_lines(request: Request, said: str) -> str:
    """Return what is said of rows with the lines of the file in place of their numbers."""
    return re.sub(r"\bin row (\d+)", lambda row: _place(request, int(row[1])), said)


def _place(request: Request, row: int) -> str:
    """Say which line of a file a row is, counted from 0, or which row where lines do not tell."""
    path = Path(request.file[0])
    if path.suffix.lower() in SHEET_SUFFIXES and len(request.file) == 1 and path.is_file():
        from capcurve.input.files.converting import Sheet

        first = Sheet.of(str(path), path.name, files_of(request)).first
        return f"in row {first + row + 2:,} of the sheet"
    heading = 0 if path.suffix.lower() in (".jsonl", ".ndjson") else 1
    of_text = path.suffix.lower() in (".csv", ".tsv", ".txt", ".jsonl", ".ndjson")
    if of_text and len(request.file) == 1 and path.is_file():
        left_out = (b"sep=", *([request.comment.encode()] if request.comment else []))
        with path.open("rb") as file:
            every = enumerate(islice(file, request.skip_lines, None), request.skip_lines + 1)
            told = ((number, line) for number, line in every if not line.startswith(left_out))
            lines = list(islice(told, row + heading + 1))
        # A row of a blank line, or of several lines in quotes, would move all below it.
        if all(line.strip() and line.count(b'"') % 2 == 0 for _, line in lines):
            return f"in line {lines[-1][0]:,}"
    return f"in row {row + 1:,}"


def rules_of(request: Request, files: Files, *, cases: bool = False) -> Rules:
    """Return how the rows of a request are to be read, of `cases` whatever became of them."""
    from capcurve.input.arrays import CaseRules, Rules
    from capcurve.input.files import match_levels, read_columns

    scores = list(dict.fromkeys(request.score))
    levels: dict[str, Any] = {}
    if request.levels:
        said = _grade_names(request.levels, scores)
        columns = read_columns(files, list(said))
        levels = {name: match_levels(said[name], list(labels_of(columns[name]))) for name in said}
    scales = _master_scales(request.cuts, scores)
    if twice := [name for name in scales if name in levels]:
        raise click.UsageError(f"--levels and --cuts both say the grades of {twice[0]!r}")
    return (CaseRules if cases else Rules)(
        **_labels_said(request, files),
        higher_is=_directions(request.higher_is, scores),
        levels={**levels, **scales} or None,
        missing=request.missing or "raise",
        resolution=request.resolution,
        weight_kind=request.weight_kind,
    )


def _labels_said(request: Request, files: Files) -> dict[str, Any]:
    """Return which labels are positives, negatives and neither, of the type of the target."""
    from capcurve.input.arrays.labels import LABEL_KINDS

    words = {name: getattr(request, name) for name in LABEL_KINDS if getattr(request, name)}
    if not words:
        return {}
    target = request.target or ""
    labels = labels_in(files, target)
    said: dict[str, Any] = {"rest": "negative"} if request.rest_negative else {}
    for name, typed in words.items():
        # Where every label is named, one may be missing from a month or a shard.
        if request.rest_negative or (name == "pos_label" and not request.neg_label):
            flag = f"--{name.replace('_', '-')}"
            said[name] = [label_among(labels, target, word, flag) for word in typed]
        else:
            said[name] = [label_like(labels, word) for word in typed]
    return said


def labels_told(request: Request) -> str:
    """Say which labels of the target are which, as a record has it."""
    told = {"positive": request.pos_label or ("1",), "negative": request.neg_label}
    told["negative"] = ("all others",) if request.rest_negative else request.neg_label
    told["left out"] = request.drop_label
    return "; ".join(f"{what}: {', '.join(labels)}" for what, labels in told.items() if labels)


def unknown_labels(query: Query, words: Sequence[str]) -> dict[str, object]:
    """Return the labels of an unknown outcome that the target holds, by how they were typed."""
    if not words:
        return {}
    there = labels_in(query.data, query.target)
    found = {word: label_of(there, word) for word in words}
    return {word: label for word, label in found.items() if label is not None}


# Text of the command line as the values that the columns hold


def _by_score(given: Sequence[str], scores: Sequence[str], flag: str) -> dict[str, str]:
    """Return what is said for each score: `VALUE` for all of them, `SCORE=VALUE` for one."""
    said: dict[str, str] = {}
    for word in given:
        name = max((each for each in scores if word.startswith(f"{each}=")), key=len, default="")
        value = word.removeprefix(f"{name}=")
        named = dict.fromkeys([name] if value != word else scores, value)
        if said.keys() & named.keys():
            raise click.UsageError(f"{flag} is given twice for {next(iter(named))!r}")
        said |= named
    return said


def _directions(given: Sequence[str], scores: Sequence[str]) -> dict[str, Direction]:
    said = _by_score(given, scores, "--higher-is")
    for value in said.values():
        if value not in DIRECTIONS:
            raise click.UsageError(
                f"--higher-is must be positive or negative, or SCORE=negative with one of the "
                f"scores {', '.join(scores)}; got {value!r}"
            )
    return cast("dict[str, Direction]", said)


def _grade_names(given: Sequence[str], scores: Sequence[str]) -> dict[str, list[str]]:
    said = _by_score(given, scores, "--levels")
    return {name: words_in(word) for name, word in said.items()}


def _master_scales(given: Sequence[str], scores: Sequence[str]) -> dict[str, MasterScale]:
    """Return the scale of each score for which cut values, or a table of bounds, are said."""
    if not given:
        return {}
    from capcurve.input.scales import master_scale

    found: dict[str, MasterScale] = {}
    for name, word in _by_score(given, scores, "--cuts").items():
        try:
            cuts = list(map(float, words_in(word)))
        except ValueError:
            if not Path(word).is_file():
                raise click.UsageError(
                    f"--cuts takes numbers such as 0.01,0.02 or the file of a master scale, got "
                    f"{word!r}"
                ) from None
            cuts = None
        try:
            found[name] = master_scale(word if cuts is None else cuts)
        except (ValueError, TypeError) as error:
            raise Failure(f"--cuts {word}: {error}") from None
    return found


def label_among(labels: Mapping[object, int], name: str, word: str, flag: str) -> object:
    """Return which of some labels, with how many cases have each, a word stands for."""
    known = label_of(labels, word)
    if known is not None:
        return known
    from capcurve.input.arrays.labels import MOST_LABELS_SHOWN as MOST, label_order

    found = [f"{label!r} ({labels[label]})" for label in sorted(labels, key=label_order)]
    raise ValueError(
        f"{flag} {shlex.quote(word)} is not a label of {name!r}, which holds {listed(found, MOST)}"
    )


def label_of(labels: Iterable[object], word: str) -> object:
    """Return the label that a word stands for, or None."""
    number = None
    with suppress(ValueError):
        number = number_in(word)
    for label in labels:
        same_truth = isinstance(label, bool) and str(label).lower() == word.lower()
        same_number = isinstance(label, int | float) and label == number
        if str(label) == word or same_truth or same_number:
            return label
    return None


def label_like(labels: Iterable[object], word: str) -> object:
    """Return the label that a word stands for, or would: a number among numbers.

    >>> label_like([0, 2], "2.0"), label_like([0, 2], "1"), label_like(["open"], "1")
    (2, 1, '1')
    """
    if (known := label_of(labels, word)) is None and all(
        isinstance(x, int | float) for x in labels
    ):
        with suppress(ValueError):
            return number_in(word)
    return word if known is None else known


def labels_in(data: Any, name: Any) -> dict[object, int]:
    """Return the distinct values of a column of some files, with how many rows hold each."""
    from capcurve.input.files import read_columns

    return labels_of(read_columns(data, [name])[name])


def labels_of(column: InputColumn) -> dict[object, int]:
    """Return the distinct values of a column, with how many rows hold each."""
    from capcurve.input.columns import python_values

    values = column.values if column.missing is None else column.values[~column.missing]
    if values.dtype.kind == "O":
        return dict(Counter(values.tolist()))
    distinct, counts = np.unique(values, return_counts=True)
    return dict(zip(python_values(distinct), counts.tolist(), strict=True))
