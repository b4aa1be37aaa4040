"""The samples of a validation sheet: what is asked for on the command line becomes counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from capcurve.cli.changing import IN_TIME
from capcurve.cli.errors import Failure
from capcurve.cli.options import ROW_OPTIONS
from capcurve.cli.output import note, waiting
from capcurve.cli.reading import (
    Counted,
    counted,
    counted_cases,
    counted_jointly,
    counted_to_show,
    files_of,
    picked,
    query_of,
    refuse_people,
    unknown_labels,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.cli.options import Request
    from capcurve.input.files import Files


@dataclass(frozen=True, slots=True)
class Roles:
    """Which columns and files play which part beside the score, as typed."""

    initial: str | None
    before: str | None
    period: str | None
    start_grade: str | None
    final_grade: str | None
    challenger: tuple[str, ...]
    unknown: bool
    unknown_label: tuple[str, ...]

    @property
    def grades(self) -> tuple[str, ...]:
        """The columns on the scale of the score."""
        return tuple(name for name in (self.start_grade, self.final_grade) if name is not None)

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that are counted together with the score."""
        return (*self.grades, *self.challenger)

    @property
    def partly_unknown(self) -> bool:
        """Whether there are outcomes that are not known."""
        return self.unknown or bool(self.unknown_label)


def samples_of(request: Request, asked: Roles) -> tuple[dict[str, Any], Counted]:
    """Return the samples by their parts, and what was counted first."""
    base = _of_scores(request, request.score, asked)
    make = _with_unknown if asked.partly_unknown else _with_outcomes
    samples, found = make(request, base, asked)
    names = {"start": asked.start_grade, "final": asked.final_grade}
    samples |= {role: name for role, name in names.items() if name is not None}
    if asked.initial is not None:
        known = _number(asked.initial)
        found_there = _sample("--initial", asked.initial, base, asked) if known is None else known
        samples["initial"] = found_there
    if asked.before is not None:
        samples["before"] = _sample("--before", asked.before, base, asked)
    return samples, found


def _with_outcomes(request: Request, base: Request, asked: Roles) -> tuple[dict[str, Any], Counted]:
    """Count rows that all have an outcome."""
    found = counted_to_show(base)
    samples: dict[str, Any] = {"now": _of_one(found.whole)}
    if base.by is not None:
        samples["segments"] = _of_one(found.segments)
    if asked.period is not None:
        parts = counted(replace(base, by=asked.period)).segments
        samples["periods"] = _in_time(_of_one(parts), asked.period)
    if asked.others:
        together = _of_scores(request, (*base.score, *asked.others), asked)
        samples["joint"] = counted_jointly(replace(together, by=None))[1]
    return samples, found


def _with_unknown(request: Request, base: Request, asked: Roles) -> tuple[dict[str, Any], Counted]:
    """Count rows of which some have no outcome yet; all else is of those that have one."""
    from capcurve.input import count_partially

    together = _of_scores(request, (*base.score, *asked.others), asked)
    with query_of(replace(together, by=None)) as query:
        found = unknown_labels(query, asked.unknown_label)
        if idle := [word for word in asked.unknown_label if word not in found]:
            raise Failure(f"--unknown-label {idle[0]} is not a label of {query.target!r}")
        labels = list(found.values())
        both = count_partially(query, labels)
    samples: dict[str, Any] = {"partial": both}
    if asked.others:
        samples = {"joint": both.known, "partial": both.margin(base.score[0])}
    samples["now"] = samples["partial"].known
    for role, name in (("segments", base.by), ("periods", asked.period)):
        if name is not None:
            parts = _known_by(replace(base, by=name), labels)
            if role == "segments":
                refuse_people(base, parts)
            samples[role] = parts if role == "segments" else _in_time(parts, name)
    return samples, Counted({base.score[0]: samples["now"]})


def _of_one(by_score: Mapping[str, Any]) -> Any:
    """Return what there is of the one score."""
    if len(by_score) > 1:
        raise Failure(f"validate takes one score, and there are {', '.join(by_score)}; name it")
    return next(iter(by_score.values()), {})


def _of_scores(request: Request, scores: Sequence[str], asked: Roles) -> Request:
    """Return the request for these scores alone, with what is said of them.

    Levels that are said of no score by name are those of the score and of the grades beside it.
    """
    known = (*request.score, *asked.others)
    own = (*request.score, *asked.grades)

    def said(words: Sequence[str], of: Sequence[str]) -> tuple[str, ...]:
        found: list[str] = []
        for word in words:
            name, sign, _ = word.partition("=")
            if sign and name in known:
                found += [word] if name in scores else []
            else:
                found += [f"{each}={word}" for each in of if each in scores] or [word]
        return tuple(found)

    levels, higher_is = said(request.levels, own), said(request.higher_is, known)
    return replace(request, score=tuple(scores), levels=levels, higher_is=higher_is)


def _known_by(request: Request, labels: Sequence[object]) -> Any:
    """Count the rows that have an outcome, by segment."""
    import numpy as np

    from capcurve.input import count_each
    from capcurve.input.files import read_columns

    with query_of(request) as query, waiting("counting"):
        names: list[Any] = [query.target, *query.scores.values(), *query.extra]
        columns = read_columns(cast("Files", query.data), names)
        target = columns[query.target]
        rows = np.array([value not in labels for value in target.values.tolist()], dtype=bool)
        if target.missing is not None:
            rows &= ~target.missing
        data = {name: picked(column, rows) for name, column in columns.items()}
        return _of_one(count_each(replace(query, data=data))[1])


def _in_time(periods: Mapping[Any, Any], column: str) -> dict[Any, Any]:
    """Return periods in order of time; rows without one are left out."""
    from capcurve.show.format import counted as told

    known = {key: counts for key, counts in periods.items() if key is not None}
    texts = [key for key in known if isinstance(key, str)]
    if wrong := [key for key in texts if not IN_TIME.fullmatch(key)]:
        raise Failure(
            f"the periods in {column!r} do not sort in time, such as {wrong[0]!r}; write them like "
            "2026-01 or 2026-Q1"
        )
    if None in periods:
        note(f"left out for lack of a {column}: {told(periods[None].n, 'row')}")
    return {key: known[key] for key in sorted(known)}


# Other samples


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _sample(flag: str, path: str, request: Request, asked: Roles) -> Any:
    """Return the counts of another file: of its rows if it has the columns, else saved ones.

    Of --before rows do without the target. Rows whose outcome is not known are left out.
    """
    other = replace(request, file=(path,), by=None)
    names = _names_in(other)
    if request.counts or request.score[0] not in names or _are_counts(names, request):
        return _saved(flag, path, other, names)
    if request.target in names and asked.partly_unknown:
        from capcurve.input import count_partially

        with query_of(other) as query:
            labels = unknown_labels(query, asked.unknown_label)
            return count_partially(query, list(labels.values())).known
    if request.target in names:
        return _of_one(counted(other).whole)
    if flag == "--before":
        if request.memory_limit is not None:
            raise Failure(
                f"{flag} {path} has no outcomes, and all its rows are counted in memory; leave out "
                "--memory-limit"
            )
        # Labels of a target that is not there.
        return counted_cases(replace(other, pos_label=None))
    raise Failure(
        f"{flag} {path} has no column {request.target!r}; it must have the columns of FILE, or "
        "hold counts saved by capcurve counts"
    )


def _names_in(request: Request) -> tuple[str, ...]:
    from capcurve.input.files.reading import open_files

    with open_files(files_of(request), checked=False) as tables:
        tables[0].refuse_headless()
        return tables[0].names


def _are_counts(names: Sequence[str], request: Request) -> bool:
    """Tell whether a table whose score is called as that of FILE holds counts all the same."""
    return request.target not in names and "positives" in names


def _saved(flag: str, path: str, request: Request, names: Sequence[str]) -> Any:
    """Return saved counts; their columns may be called as those of FILE."""
    changes: dict[str, Any] = dict.fromkeys(ROW_OPTIONS)
    changes |= {"score": tuple(name for name in request.score if name in names)}
    changes |= {"target": request.target if request.target in names else None}
    for option in ("levels", "higher_is"):
        # Of one score alone, whatever it is called there.
        changes[option] = tuple(w.partition("=")[2] or w for w in getattr(request, option))
    try:
        return _of_one(counted(replace(request, counts=True, **changes)).whole)
    except (ValueError, TypeError) as error:
        why = str(error).removeprefix(f"{path}: ")
        raise Failure(
            f"{flag} {path} has neither the columns of FILE nor counts saved by capcurve counts: "
            f"{why}"
        ) from None
