"""The one reader of an earlier sample: rows, counts, a summary or a number, for every command."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from capcurve.cli.errors import Failure
from capcurve.cli.output import note
from capcurve.cli.reading import counted, counted_cases, files_of, number_or
from capcurve.counts.alike import CLASSES, EVERY, OF_NO_KIND, levels_told, refuse_unlike
from capcurve.counts.arguments import as_finite, as_number, as_open_share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from capcurve.cli.options import Request
    from capcurve.counts import Amounts, Ranking
    from capcurve.studies.validation.gates import Baseline, Earlier

# The columns of tables of counts, and those that may stand beside them.
CELLS = (
    {"score", "positives", "negatives"},
    {"score", "amount", "n"},
    {"score", "time", "event", "n"},
    {"score", "n"},
)
BESIDE = {"segment", "exposure", "stratum", "cluster_group", "settings"}
BESIDE |= {"positive_roots", "negative_roots"}
TIMES = "capcurve/time-counts"
NEAR = 1e-9  # how far numbers of one summary may lie apart
# What a summary may leave out, in words.
SAID = {
    "kind": "what it ranks",
    "horizon": "its horizon",
    "higher_is": "its direction",
    "levels": "its grades",
    "resolution": "its resolution",
    "weight_kind": "its weights",
}


def whole_of(request: Request) -> Mapping[str, Any]:
    """Count all rows of a request, by score."""
    return counted(request).whole


def earlier_samples(
    flag: str,
    said: str,
    request: Request,
    now: Mapping[str, Ranking | Amounts],
    count: Callable[[Request], Mapping[str, Any]] = whole_of,
    about: Sequence[str] = EVERY,
) -> dict[str, Baseline]:
    """Return the earlier sample of each score, which was counted as the one of now."""
    from capcurve.studies.validation.gates import Earlier

    whose, found = f"{flag} {said}", _found(flag, said, request, count)
    if len(found) == 1 < len(now):
        raise Failure(f"{whose} is of one score, and there are {', '.join(now)}; pass one --score")
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
            how = ", ".join(silent) if len(silent) < len(SAID) else "how it was counted"
            note(f"{whose} does not say {how}; it is taken to be as in this sample")
    return {name: found[name] for name in now}


def as_initial(sample: Baseline) -> Any:
    """Return an earlier sample as a control chart takes it: counts, or what a summary tells."""
    from capcurve.studies.validation.gates import Earlier

    if not isinstance(sample, Earlier):
        return sample
    if sample.interval is None or sample.sizes is None:
        return sample.value
    return (sample.value, *sample.sizes)


def _found(
    flag: str, said: str, request: Request, count: Callable[[Request], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return what there is by score: counts, or what a summary or a number says."""
    from capcurve.input.files.cells import READ_BY
    from capcurve.studies.validation.gates import Earlier

    value = number_or(said, lambda _: None)
    if value is not None:
        if not -1 <= value <= 1:
            raise Failure(f"{flag} must be a file or an accuracy ratio in [-1, 1], got {value}")
        return {request.name: Earlier(value)}
    if said.lower().endswith(".json"):
        read = _json_in(said)
        if read.get("format") != TIMES:
            return _of_summaries(f"{flag} {said}", read)
        if not request.horizon:
            raise Failure(f"{flag} {said} holds counts of times, {READ_BY}")
    return sample_in(flag, said, request, count)


def _json_in(path: str) -> Mapping[str, Any]:
    """Return what a file says by name; nothing where it holds something else."""
    try:
        read = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


# Rows and counts


def sample_in(
    flag: str,
    path: str,
    request: Request,
    count: Callable[[Request], Mapping[str, Any]] = whole_of,
    *,
    cases: bool = False,
) -> Mapping[str, Any]:
    """Return counts of rows if a file has the columns of a request, else those that it holds.

    With `cases` it may be without outcomes.
    """
    from capcurve.input.files.cells import POSITIVES

    other = replace(request, file=(path,), by=(), by_period=None)
    table = EarlierTable() if path.endswith(".json") else EarlierTable.of(other)
    outcome, names = request.event or request.target or request.amount, table.names
    of_rows = bool(request.score) and {*request.score} <= {*names} and not request.counts
    if not of_rows or table.holds_counts:
        return _saved(flag, path, other, table, cases=cases)
    if outcome in names:
        try:
            return count(other)
        except (ValueError, TypeError) as error:
            raise Failure(f"{flag} {path}: {error}") from None
    if {*POSITIVES} & {*names}:
        return _saved(flag, path, other, table, cases=cases)
    if not cases:
        raise Failure(
            f"{flag} {path} has no column {outcome!r}; it must have the columns of FILE, or hold "
            "counts saved by capcurve counts"
        )
    if request.memory_limit is not None:
        raise Failure(
            f"{flag} {path} has no outcomes, and all its rows are counted in memory; leave out "
            "--memory-limit"
        )
    # Labels of a target that is not there.
    return {request.name: counted_cases(replace(other, pos_label=None))}


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
        from capcurve.input.files.cells import is_saved
        from capcurve.input.files.reading import open_files

        with open_files(files_of(request), checked=False) as tables:
            tables[0].refuse_headless()
            return cls(tables[0].names, is_saved(tables[0]))

    @property
    def holds_counts(self) -> bool:
        """Whether it has the columns of counts and no others, though rows may be called so."""
        held = {*self.names} - BESIDE
        return self.is_saved or any(cells == held for cells in CELLS)


def _saved(
    flag: str, path: str, request: Request, table: EarlierTable, *, cases: bool
) -> Mapping[str, Any]:
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
    score = tuple(name for name in request.score if name in table.names)
    held = replace(request, counts=True, score=score, **how)
    try:
        if cases and {*table.names} - BESIDE == {"score", "n"}:
            return {held.name: counted_cases(held)}
        return counted(held).whole
    except (ValueError, TypeError) as error:
        why = str(error).removeprefix(f"{path}: ")
        if table.holds_counts:
            raise Failure(f"{flag} {path}: {why}") from None
        raise Failure(
            f"{flag} {path} has neither the columns of FILE nor counts saved by capcurve counts: "
            f"{why}"
        ) from None


# Summaries


def _of_summaries(whose: str, read: Mapping[str, Any]) -> dict[str, Earlier]:
    """Return what summaries say of their accuracy ratios, else raise Failure."""
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
        yield "kind", CLASSES
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
    same = {
        "AUC": (read.get("roc_auc"), (value + 1) / 2),
        "Somers' D": (read.get("somers_d"), value),
    }
    if interval is not None:
        own = read["intervals"]["accuracy_ratio"]
        same["interval"] = (own.get("estimate"), value)
        same["lower limit"] = (read.get("accuracy_ratio_low"), interval.low)
        same["upper limit"] = (read.get("accuracy_ratio_high"), interval.high)
    for name, (said, meant) in same.items():
        if said is not None and not abs(as_number(said, name) - meant) <= NEAR:
            yield f"an accuracy ratio of {value:.6g} that its {name} contradicts"
    if {"n", "n1", "n0"} <= read.keys():
        n, n1, n0 = (as_number(read[name], name) for name in ("n", "n1", "n0"))
        if not abs(n1 + n0 - n) <= NEAR * max(n, 1):
            yield f"{n1:g} positives and {n0:g} negatives among {n:g} cases"
