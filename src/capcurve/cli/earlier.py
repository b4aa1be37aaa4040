"""The one reader of an earlier sample: rows, counts, a summary or a number, for every command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from capcurve.cli.errors import Failure
from capcurve.cli.notations import number_or
from capcurve.cli.options import LABEL_OPTIONS, OF_FILES, STDIN, Request
from capcurve.cli.output import note
from capcurve.cli.reading import CountsByScore, counted_cases, files_of, tallied
from capcurve.counts.digest import is_sealed
from capcurve.counts.saved import FORMATS
from capcurve.gate.alike import (
    EVERY_SETTING,
    OF_NO_KIND,
    RANKED_CLASSES,
    levels_told,
    refuse_unlike,
)
from capcurve.numbers.arguments import as_finite, as_number, as_open_share
from capcurve.show.format import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from capcurve.counts import Amounts, Ranking
    from capcurve.studies.validation.gates import Baseline, Earlier

# The columns of tables of counts, and those that may stand beside them.
CELLS = (
    {"score", "positives", "negatives"},
    {"score", "positives", "n"},
    {"score", "amount", "n"},
    {"score", "time", "event", "n"},
    {"score", "n"},
)
BESIDE_COUNTS = {"segment", "exposure", "stratum", "cluster_group", "settings"}
BESIDE_COUNTS |= {"positive_roots", "negative_roots"}
TIMES = "capcurve/time-counts"
# How labels are read of which nothing is said, and a file.
NO_LABELS: dict[str, Any] = {name: getattr(Request(), name) for name in LABEL_OPTIONS}
PLAIN: dict[str, Any] = {name: getattr(Request(), name) for name in OF_FILES if name != "missing"}
NEAR = 1e-9  # how far numbers of one summary may lie apart
# What a summary may leave out, in words.
SAID = {
    "kind": "target",
    "horizon": "horizon",
    "higher_is": "direction",
    "levels": "grades",
    "resolution": "resolution",
    "weight_kind": "weights",
}


def earlier_samples(
    flag: str,
    said: str,
    request: Request,
    now: Mapping[str, Ranking | Amounts],
    count: Callable[[Request], CountsByScore] = tallied,
    about: Sequence[str] = EVERY_SETTING,
) -> dict[str, Baseline]:
    """Return the earlier sample of each score, which was counted as the one of now."""
    from capcurve.studies.validation.gates import Earlier

    whose, found = f"{flag} {said}", _found(flag, said, request, count)
    if len(found) == 1 < len(now):
        raise Failure(f"{whose} is for one score, and there are {', '.join(now)}; pass one --score")
    # A single one serves a score of any name, saved counts of times one at each horizon.
    if len(found) == 1 or (len(found) == len(now) and not found.keys() & now.keys()):
        found = dict(zip(now, found.values(), strict=True))
    for name, counts in now.items():
        if name not in found:
            raise Failure(f"{whose} has {', '.join(found)}, but not {name}")
        sample = found[name]
        known = sample.counted if isinstance(sample, Earlier) else sample
        refuse_unlike([known, counts], [whose, "this sample"], about)
        silent = [] if known is sample else [SAID[each] for each in SAID if each not in known]
        if silent:
            how = f"its {joined(silent)}, which it does not state"
            if len(silent) == len(SAID):
                how = "every setting, as it gives only an accuracy ratio"
            note(f"{whose} is assumed to match this sample in {how}")
    return {name: found[name] for name in now}


def initial_of(sample: Baseline) -> Any:
    """Return an earlier sample as a control chart takes it: counts, or what a summary tells."""
    from capcurve.studies.validation.gates import Earlier

    if not isinstance(sample, Earlier):
        return sample
    if sample.interval is None or sample.sizes is None:
        return sample.value
    return (sample.value, *sample.sizes)


def _found(
    flag: str, said: str, request: Request, count: Callable[[Request], CountsByScore]
) -> Mapping[str, Any]:
    """Return what there is by score: counts, or what a summary or a number says."""
    from capcurve.studies.validation.gates import Earlier

    value = number_or(said, lambda _: None)
    if value is not None:
        if not -1 <= value <= 1:
            raise Failure(f"{flag} must be a file or an accuracy ratio in [-1, 1], got {value}")
        return {request.name: Earlier(value)}
    if (read := _summaries_in(said)) is not None:
        return _of_summaries(f"{flag} {said}", read)
    found = sample_in(flag, said, replace(request, by=(), by_period=None), count).whole
    tell_rows_left_out(f"{flag} {said}", found)
    return found


def tell_rows_left_out(whose: str, samples: Mapping[str, Any]) -> None:
    """Say which rows an earlier sample goes without, which the counts of now do not show."""
    from capcurve.results.findings import about_rows_left_out

    of_scores = [about_rows_left_out(getattr(each, "dropped", None)) for each in samples.values()]
    for each in {each.message: each for found in of_scores for each in found}.values():
        kind: Literal["note", "warning"] = "warning" if each.severity == "warning" else "note"
        note(f"{whose}: {each.message}; {each.advice}", kind)


def has_cases(said: str) -> bool:
    """Whether it is of rows or counts, and no number or summary."""
    return number_or(said, lambda _: None) is None and _summaries_in(said) is None


def _summaries_in(path: str) -> Mapping[str, Any] | None:
    """Return what a .json file says that holds no counts."""
    read = _json_in(path)
    return None if read is None or str(read.get("format")).startswith(FORMATS) else read


def _json_in(path: str) -> Mapping[str, Any] | None:
    """Return what a .json file says by name, nothing where it is damaged; None for rows."""
    if not path.lower().endswith(".json"):
        return None
    try:
        read = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        return None if str(error).startswith("Extra data") else {}  # rows, one a line
    return read if isinstance(read, Mapping) else None


# Rows and counts


def sample_in(
    flag: str,
    path: str,
    request: Request,
    count: Callable[[Request], CountsByScore] = tallied,
    *,
    cases: bool = False,
) -> CountsByScore:
    """Return counts of rows if a file has the columns of a request, else those that it holds.

    With `cases` it may be without outcomes.
    """
    whose, other = f"{flag} {path}", replace(request, file=(path,))
    if path == STDIN:  # which is read once, so that nobody can look first
        return count(other)
    other, table = _looked_at(whose, other)
    outcome, names = request.event or request.target or request.amount, table.names
    of_rows = bool(request.score) and {*request.score} <= {*names} and not request.counts
    if (
        not of_rows
        or table.is_saved
        or (table.is_called(request, outcome) and table.differs(request))
    ):
        return _saved(whose, other, table, cases=cases)
    if outcome in names:
        try:
            return count(other)
        except (ValueError, TypeError) as error:
            raise Failure(f"{whose}: {error}") from None
    if not cases:
        raise Failure(
            f"{whose} has no column {outcome!r}; it must have the columns of FILE, or hold counts "
            "saved by capcurve counts"
        )
    if request.memory_limit is not None:
        why = "has no outcomes, and all its rows are counted in memory"
        raise Failure(f"{whose} {why}; leave out --memory-limit")
    # Labels of a target that is not there.
    return counted_cases(replace(other, **NO_LABELS))


@dataclass(frozen=True, slots=True)
class EarlierTable:
    """The columns of a file, and whether it says by itself that it holds counts, and how counted.

    Without columns it is a .json file, which says that.
    """

    names: tuple[str, ...] = ()
    is_saved: bool = True

    @classmethod
    def of(cls, request: Request) -> Self:
        """Look at the one file of a request."""
        from capcurve.input.files.cells import header_of
        from capcurve.input.files.engine import has_duckdb
        from capcurve.input.files.reading import open_files, open_plainly

        if not has_duckdb():
            with open_plainly(files_of(request)) as table:
                table.refuse_headless()
                return cls(table.names, is_saved=False)
        with open_files(files_of(request), checked=False) as tables:
            tables[0].refuse_headless()
            return cls(tables[0].names, header_of(tables[0]) is not None)

    def is_called(self, request: Request, outcome: str | None) -> bool:
        """Whether its columns are called as those of counts."""
        from capcurve.input.files.cells import CASE_HEADINGS, NEGATIVE_HEADINGS, POSITIVE_HEADINGS

        held = {*self.names} - BESIDE_COUNTS
        roles: dict[str, Sequence[str]] = {"positives": POSITIVE_HEADINGS}
        roles |= {"negatives": NEGATIVE_HEADINGS, "n": CASE_HEADINGS, "score": request.score}
        role_of = {name: role for role, names in roles.items() for name in names}
        called = {role_of.get(name, name) for name in held}
        return held in CELLS or (
            outcome not in held
            and (called in CELLS or (outcome is not None and "positives" in called))
        )

    def differs(self, request: Request) -> bool:
        """Whether it has other columns than FILE, which is read as it is asked for."""
        file = request.file[-1]
        return file == STDIN or EarlierTable.of(replace(request, file=(file,))).names != self.names


def _looked_at(whose: str, request: Request) -> tuple[Request, EarlierTable]:
    """Return what a file holds, and how to read it: what is said of FILE is of no saved table."""
    from capcurve.input.files.reading import idle_options
    from capcurve.input.files.savedcells import TIMES_BY

    (path,), plain = request.file, replace(request, **PLAIN)
    read = _json_in(path)
    if number_or(path, lambda _: None) is not None or "scores" in (read or ()):
        raise Failure(
            f"{whose} does not give the cases at each score; give rows, or counts saved by "
            "capcurve counts"
        )
    if read is not None:
        if read.get("format") == TIMES and not request.horizon:
            raise Failure(f"{whose} holds {TIMES_BY}")
        return plain, EarlierTable()
    if plain != request:
        with suppress(ValueError):  # where it is written otherwise
            table = EarlierTable.of(plain)
            if table.is_saved:
                return plain, table
        # What is said of FILE holds here too, unless it is about another kind of file.
        idle = idle_options(files_of(request))
        names = ["na" if name == "null_values" else name for name in idle]
        request = replace(request, **{name: PLAIN[name] for name in names})
    return request, EarlierTable.of(request)


def _saved(whose: str, request: Request, table: EarlierTable, *, cases: bool) -> CountsByScore:
    """Return the counts of one score that a file holds, under any name."""
    # Its columns may be called as those asked for. Saved counts have their grades; their events are
    # numbers, whatever the labels of rows.
    how: dict[str, Any] = {"levels": (), "higher_is": (), "resolution": None, "cuts": ()}
    how |= dict.fromkeys(("event_label", "censored_label", "competing_labels"))
    if not table.is_saved:
        how["resolution"] = request.resolution
        for name in ("levels", "higher_is"):  # of one score alone, whatever it is called there
            said = getattr(request, name)
            how[name] = tuple(word.partition("=")[2] or word for word in said)
    for name in ("target", "amount", "exposure"):
        how[name] = getattr(request, name) if getattr(request, name) in table.names else None
    score, by = (
        tuple(name for name in each if name in table.names) for each in (request.score, request.by)
    )
    held = replace(request, counts=True, score=score, by=by, **how)
    try:
        if cases and not (request.horizon or held.target):
            return counted_cases(held)
        found = tallied(held)
    except (ValueError, TypeError) as error:
        (path,) = request.file
        why = str(error).removeprefix(f"{path}: ").removeprefix(f"{path} ")
        if table.is_saved or table.is_called(request, None):
            raise Failure(f"{whose}: {why}") from None
        neither = "has neither the columns of FILE nor counts saved by capcurve counts"
        raise Failure(f"{whose} {neither}: {why}") from None
    if request.by and not found.segments:
        advice = f"save them with capcurve counts --by {request.by_called}"
        raise Failure(f"{whose} holds counts without segments; {advice}")
    return found


# Summaries


def _of_summaries(whose: str, read: Mapping[str, Any]) -> dict[str, Earlier]:
    """Return what summaries say of their accuracy ratios, else raise Failure."""
    if "seal" in read and not is_sealed(read):
        raise Failure(
            f"{whose} was changed after it was written; write it again with capcurve summary "
            "--format json"
        )
    found: dict[str, Earlier] = {}
    try:
        for each in read["scores"]:
            name = each["name"]
            if each["accuracy_ratio"] is None:
                why = each.get("undefined") or "nothing says why"
                raise Failure(f"{whose}: the accuracy ratio of {name} is undefined: {why}")
            if name in found:
                raise Failure(f"{whose} has two scores called {name}")
            found[name] = _earlier(each)
            for damage in _damage(each, found[name]):
                raise Failure(f"{whose} gives {name} {damage}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Failure(
            f"{whose} is not a summary; write one with capcurve summary --format json"
        ) from None
    if not found:
        raise Failure(f"{whose} has no scores")
    return found


def _earlier(read: Mapping[str, Any]) -> Earlier:
    """Return what the summary of one score says of its accuracy ratio, and how it was counted."""
    from capcurve.inference import Interval
    from capcurve.studies.validation.gates import Earlier

    value, limits = as_number(read["accuracy_ratio"], "accuracy_ratio"), None
    if read.get("intervals"):
        said = read["intervals"]["accuracy_ratio"]
        low, high, level = (as_number(said[key], key) for key in ("low", "high", "level"))
        limits = Interval(
            low, value, high, as_open_share(level, "level"), said["method"], said["se"]
        )
    sizes = None
    if "n1" in read and "n0" in read:
        n1, n0 = (max(round(as_finite(read[name], name)), 1) for name in ("n1", "n0"))
        sizes = n1, n0
    return Earlier(value, limits, read.get("digest"), sizes, dict(_counted(read)))


def _counted(read: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield what a summary says of what was counted and how."""
    if read.get("kind") == "amounts":
        yield "kind", f"amounts by {'exposure' if read['has_exposure'] else 'case'}"
        yield from (("horizon", None), ("weight_kind", None))
    elif "n1" in read:
        yield "kind", RANKED_CLASSES
    yield from ((name, read[name]) for name in ("horizon", "competing") if name in read)
    yield from ((name, read[name]) for name in ("higher_is", "resolution") if name in read)
    if "levels" in read:
        yield from levels_told(read["levels"]).items()
    if "weighted" in read:
        weighted = read["weighted"] and read.get("horizon") is None
        yield "weight_kind", (read["weight_kind"] or OF_NO_KIND) if weighted else None


def _damage(read: Mapping[str, Any], found: Earlier) -> Iterator[str]:
    """Yield what contradicts the accuracy ratio in the summary of a score."""
    value, interval = found.value, found.interval
    if not -1 <= value <= 1:
        yield f"{value!r} as the accuracy ratio"
    if interval is not None and not interval.low <= value <= interval.high:
        yield "an accuracy ratio outside its interval"
    same = {"AUC": (read.get("roc_auc"), (value + 1) / 2)}
    same["Somers' D"] = read.get("somers_d"), value
    if interval is not None:
        same["interval"] = (read["intervals"]["accuracy_ratio"].get("estimate"), value)
        same["lower limit"] = (read.get("accuracy_ratio_low"), interval.low)
        same["upper limit"] = (read.get("accuracy_ratio_high"), interval.high)
    for name, (said, meant) in same.items():
        if said is not None and not abs(as_number(said, name) - meant) <= NEAR:
            yield f"an accuracy ratio of {value:.6g} that its {name} contradicts"
    if {"n", "n1", "n0"} <= read.keys():
        n, n1, n0 = (as_number(read[name], name) for name in ("n", "n1", "n0"))
        if not abs(n1 + n0 - n) <= NEAR * max(n, 1):
            yield f"{n1:g} positives and {n0:g} negatives among {n:g} cases"
