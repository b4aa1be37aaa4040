"""What a validation sheet is made from: checked to be of one scale, told in words and tables."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import CaseCounts, JointCounts, PartialCounts, ScoreCounts
from capcurve.counts.digest import DIGITS_OF_DIGEST
from capcurve.gate.alike import EVERY_SETTING, OUTCOME, SETTINGS_OF_CASES, refuse_unlike
from capcurve.gate.given import as_ranking
from capcurve.inference.monotone import MOST_GRADES
from capcurve.numbers.arguments import arg, as_finite, as_open_share, refused, spoken, told
from capcurve.numbers.periods import by_time
from capcurve.show.format import capitalised, counted, listed, percent, plain_text
from capcurve.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Input:
    """Counts that the sheet was made from.

    Attributes
    ----------
    role
        What they were used as: "now", "initial", "period 2026-01" and so on.
    digest
        Fingerprint of the counts; None of a plain number.
    n, n1, n0
        Cases, positives and negatives; None where unknown.
    levels
        The grades in order, or None for numbers.
    left_out
        Rows that were left out, for lack of a value or by name; None where that is not recorded.

    Examples
    --------
    >>> from capcurve import ScoreCounts, validate
    >>> now = ScoreCounts.from_counts([3, 2, 1], [4, 2, 1], [1, 3, 9])
    >>> given = validate(now, limits={"accuracy_ratio": {"green": 0.6, "red": 0.5}}).inputs[0]
    >>> given.role, given.n, given.n1, given.n0
    ('now', 20, 7, 13)
    """

    role: str
    digest: str | None
    n: float | None = None
    n1: float | None = None
    n0: float | None = None
    levels: tuple[Any, ...] | None = None
    left_out: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The samples of a validation, by the part that they play; `validate` says what each is."""

    now: ScoreCounts
    initial: ScoreCounts | float | None = None
    periods: Mapping[Any, ScoreCounts]
    segments: Mapping[Any, ScoreCounts]
    joint: JointCounts | None = None
    start: str | None = None
    end: str | None = None
    final: str | None = None
    outside: tuple[object, ...] = ()
    partial: PartialCounts | None = None
    before: ScoreCounts | CaseCounts | None = None
    chart: Any = None
    level: float = 0.95
    seed: int = 1
    pd: Any = None
    asset_correlation: float = 0.0

    @property
    def initial_counts(self) -> ScoreCounts | None:
        """The initial sample, where there is one."""
        return self.initial if isinstance(self.initial, ScoreCounts) else None

    @property
    def earlier(self) -> ScoreCounts | CaseCounts | None:
        """The portfolio that today's is compared with: the earlier one, else the initial."""
        return self.initial_counts if self.before is None else self.before

    @property
    def score(self) -> str:
        """What the score is called."""
        return "score" if self.joint is None else self.joint.names[0]

    @property
    def challengers(self) -> tuple[str, ...]:
        """The scores that are neither the score itself nor another grade of it."""
        if self.joint is None:
            return ()
        others = (self.start, self.end, self.final, self.pd if self.has_own_pds else None)
        return tuple(name for name in self.joint.names[1:] if name not in others)

    @property
    def moves(self) -> tuple[str, str] | None:
        """The grades at the beginning and at the end of the period, where both are known."""
        if self.end is not None:
            return self.score, self.end
        return None if self.start is None else (self.start, self.score)

    @property
    def has_own_pds(self) -> bool:
        """Whether the PDs are another score of the same cases."""
        return self.joint is not None and isinstance(self.pd, str) and self.pd != "score"

    @property
    def is_graded(self) -> bool:
        """Whether the distinct scores are few enough to be grades."""
        return len(self.now) <= MOST_GRADES

    @property
    def samples(self) -> dict[str, ScoreCounts | None]:
        """The samples by role; None of an initial sample of which only a number is known."""
        found = {"now": self.now, "initial": self.initial_counts}
        if self.initial is None:
            del found["initial"]
        for role, parts in (("period", self.periods), ("segment", self.segments)):
            found |= {f"{role} {segment_called(name)}": each for name, each in parts.items()}
        return found

    def inputs(self) -> Iterator[Input]:
        """Yield all counts that the sheet is made from, by the part that they play."""
        yield from (_input(role, counts) for role, counts in self.samples.items())
        others = {
            "scores of the same rows": self.joint,
            "with unknown outcomes": self.partial,
            "before": self.before,
        }
        yield from (_input(role, each) for role, each in others.items() if each is not None)


def segment_called(key: object) -> str:
    """Return what a period or segment is called; rows without one have the key None."""
    return "(none)" if key is None else str(key)


def _input(role: str, counts: Any) -> Input:
    if counts is None:
        return Input(role, None)
    levels = counts.levels if isinstance(counts, ScoreCounts | CaseCounts) else None
    if isinstance(counts, CaseCounts | PartialCounts):
        return Input(role, counts.digest(), counts.n, levels=levels)
    dropped = counts.dropped.rows if isinstance(counts, ScoreCounts) and counts.dropped else None
    n = counts.n1 + counts.n0
    return Input(role, counts.digest(), n, counts.n1, counts.n0, levels, dropped)


def checked_samples(given: Given) -> Given:
    """Return the samples of a validation, or raise saying which one does not fit and why."""
    now, before = given.now, given.before
    is_portfolio = before is None or isinstance(before, CaseCounts)
    found = replace(
        given,
        initial=_initial(given.initial),
        periods=by_time(_parts(given.periods, now, "periods")),
        segments=_in_order(_parts(given.segments, now, "segments")),
        joint=_joint(given),
        partial=_partial(given.partial),
        before=before if is_portfolio else _counted(before, "before"),
    )
    held = {"now": now, "initial": found.initial_counts, "before": found.before}
    for role, each in held.items():
        if each is not None and not each.n > 0:
            raise ValueError(f"{role} has no cases; pass counts of a sample that has some")
    if as_open_share(found.level, "level") <= 0.5:  # noqa: PLR2004 - one-sided limits would cross
        raise ValueError(f"{refused('level')} be above 0.5, such as 0.95; got {told(found.level)}")
    if found.outside and found.end is None:
        raise ValueError(
            f"{arg(outside=...)} lists what became of cases by the end of the period; name the "
            f"grades at that end too, with {spoken('end=')}"
        )
    if found.pd is None and found.asset_correlation:
        raise ValueError("asset_correlation= is for PDs; pass pd=, or leave it out")
    if found.pd is not None and now.times is not None:
        raise ValueError(
            "pd= adds tests of PDs, which do not allow for censored rows; leave it out, and take "
            "observed to expected from assess_calibration"
        )
    if found.chart is not None and (not found.periods or found.initial is None):
        raise ValueError(
            "chart is the limit of a control chart, which needs periods and initial; pass these too"
        )
    _refuse_unlike(found)
    return found


def _refuse_unlike(given: Given) -> None:
    """Raise ValueError unless the samples beside the one that is validated were counted as it."""
    now, before, partial = given.now, given.before, given.partial
    with_outcome = (*OUTCOME, *SETTINGS_OF_CASES)
    of_cases = SETTINGS_OF_CASES if isinstance(before, CaseCounts) else with_outcome
    for role, other, about in (
        ("initial", given.initial_counts, EVERY_SETTING),
        ("before", before, of_cases),
        ("partial", None if partial is None else partial.unknown, SETTINGS_OF_CASES),
    ):
        if other is not None:
            refuse_unlike([now, other], ["now", role], about)
    if given.joint is not None:
        own = given.joint.margin(given.score)
        refuse_unlike([now, own], ["now", f"{given.score!r} of joint"], with_outcome)


def _initial(given: Any) -> ScoreCounts | float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, numbers.Real):
        return _counted(given, "initial")
    if not -1 <= (ratio := as_finite(given, "initial")) <= 1:
        raise ValueError(
            f"{refused('initial')} be counts or an accuracy ratio in [-1, 1], got {told(given)}"
        )
    return ratio


def _counted(given: Any, role: str) -> ScoreCounts:
    """Return the counts that an argument holds, else raise TypeError saying what to pass."""
    try:
        return as_ranking(given, role).every_score()
    except TypeError as error:
        raise TypeError(str(error).replace(": write ", ": pass ", 1)) from None


def _parts(given: Any, now: ScoreCounts, name: str) -> Mapping[Any, ScoreCounts]:
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{name} must be counts by name, as count_segments returns them, got "
            f"{type(given).__name__}"
        )
    found = {}
    for key, counts in given.items():
        whose = f"{name}[{key!r}]"
        found[key] = _counted(counts, whose)
        refuse_unlike([now, found[key]], ["now", whose])
    return found


def _in_order(parts: Mapping[Any, ScoreCounts]) -> Mapping[Any, ScoreCounts]:
    """Return segments by name, those without one last: no number depends on how they came."""
    try:
        names = sorted(parts, key=lambda name: (name is None, name))
    except TypeError:  # of several types
        names = sorted(parts, key=lambda name: (name is None, type(name).__name__, str(name)))
    return {name: parts[name] for name in names}


def _joint(given: Given) -> JointCounts | None:
    start, end, final = given.start, given.end, given.final
    if start is not None and end is not None:
        raise ValueError(
            f"with {spoken('start=')} the score has the grades at the end of the period, with "
            f"{spoken('end=')} those at its beginning; leave one out"
        )
    instead = "count_joint(y, [p1, p2])"
    found: JointCounts | None = _of_kind(given.joint, JointCounts, "joint", instead)
    for role, name in (("start", start), ("end", end), ("final", final)):
        if name is None:
            continue
        if found is None:
            raise ValueError(f"{role}={name!r} names a score of joint; pass joint too")
        if name not in found.names[1:]:
            raise ValueError(
                f"{role} must be a score of joint other than the first, {found.names[0]!r}; got "
                f"{told(name)}, have {list(found.names[1:])}"
            )
    if final is not None and final in (start, end):
        role = "start" if final == start else "end"
        raise ValueError(f"{role} and final are both {final!r}; they are two grades of a case")
    return found


def _partial(given: Any) -> PartialCounts | None:
    found: PartialCounts | None = _of_kind(given, PartialCounts, "partial", "count_partial(y, p)")
    if found is not None and not isinstance(found.known, ScoreCounts):
        names = list(found.known.names)
        raise ValueError(
            f"partial has {len(names)} scores, {names}; pass partial.margin({names[0]!r}), the "
            "counts of the score that is validated"
        )
    return found


def _of_kind(given: Any, kind: type, name: str, instead: str) -> Any:
    if given is None or isinstance(given, kind):
        return given
    held = getattr(given, "joint", None)  # of an evaluation
    if isinstance(held, kind):
        return held
    raise TypeError(f"{name} must be {kind.__name__}, got {type(given).__name__}: pass {instead}")


# As it is told: in words, and as tables of inputs and of settings

# What the first page has room for.
MOST_SUBJECTS, MOST_SEGMENTS_NAMED, LONGEST_VALUE = 6, 6, 56


def inputs_table(inputs: Sequence[Input]) -> Table:
    """Return what the sheet was made from, one row each."""
    columns = {
        "input": [each.role for each in inputs],
        "cases": [each.n for each in inputs],
        "positives": [each.n1 for each in inputs],
        "negatives": [each.n0 for each in inputs],
        "grades": [None if each.levels is None else len(each.levels) for each in inputs],
        "digest": [each.digest and each.digest[:DIGITS_OF_DIGEST] for each in inputs],
    }
    return Table("Inputs", {name: np.array(each, dtype=object) for name, each in columns.items()})


def data_of(
    subject: Mapping[str, str], inputs: Sequence[Input], settings: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Return what was validated on which data, in pairs that a reader of paper understands."""
    apart = {"model", "score"} if inputs else {"model"}
    pairs = ((name, value) for name, value in subject.items() if name not in apart)
    found = [(capitalised(name), value) for name, value in pairs][:MOST_SUBJECTS]
    if not inputs:
        return found
    named = {name.lower() for name, _ in found}
    groups: dict[str, list[Input]] = {}
    for each in inputs:
        groups.setdefault(each.role.partition(" ")[0], []).append(each)
    joint = groups.get("scores", [])
    if joint and joint[0].n == inputs[0].n:
        del groups["scores"]
    parts = [
        ("Score", _scale_of(subject, inputs, settings)),
        *(_of_group(*group) for group in groups.items()),
    ]
    if (left_out := inputs[0].left_out) is not None:
        parts.append(("Rows left out", f"{left_out:,}"))
    return [*found, *(part for part in parts if part[0].lower() not in named)]


def _scale_of(
    subject: Mapping[str, str], inputs: Sequence[Input], settings: Mapping[str, Any]
) -> str:
    """Return what the score is called and which of its values are the riskiest."""
    name = subject.get("score", settings.get("score", "score"))
    levels = inputs[0].levels
    if levels:
        first, *others = map(str, levels)
        found = f"{name}: {', '.join([f'{first} (most likely positive)', *others])}"
        return found if len(found) <= LONGEST_VALUE else f"{name}: {len(levels)} grades"
    return f"{name}: a higher score is more likely {settings.get('higher_is', 'positive')}"


# What parts of the data are called on paper, by the first word of their role.
SHEET_PARTS = {
    "now": "Sample",
    "initial": "Initial sample",
    "before": "Earlier portfolio",
    "period": "Periods",
    "segment": "Segments",
    "scores": "Rows with all scores",
    "with": "With unknown outcomes",
}


def _of_group(role: str, found: list[Input]) -> tuple[str, str]:
    """Return one part of the data: periods and segments by their names, all else by its size."""
    name = SHEET_PARTS.get(role, capitalised(role))
    if role in {"period", "segment"}:
        keys = [each.role.partition(" ")[2] for each in found]
        ends = f"{keys[0]} to {keys[-1]}" if len(keys) > 1 else keys[0]
        if role == "segment":
            ends = listed(keys, MOST_SEGMENTS_NAMED)
        return name, f"{len(keys)}: {ends}"
    only = found[0]
    if only.n is None:
        return name, "an accuracy ratio, taken as exact"
    positives = "" if only.n1 is None else f", {counted(only.n1, 'positive')}"
    rate = f" ({percent(only.n1 / only.n)})" if only.n1 is not None and only.n > 0 else ""
    return name, f"{counted(only.n, 'case')}{positives}{rate}"


def settings_table(given: Mapping[str, Any]) -> Table:
    """Return what the sheet was made with, one row each; parts of a setting have rows of theirs."""
    rows = [pair for name, value in given.items() for pair in _settings(str(name), value)]
    columns = {"setting": [name for name, _ in rows], "value": [value for _, value in rows]}
    return Table("Settings", {name: np.array(each, dtype=object) for name, each in columns.items()})


def _settings(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield a setting in words, of several together each."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _settings(f"{name}, {key}", each)
    elif value is not None:
        said = _setting(value)
        short = said[:DIGITS_OF_DIGEST] if "digest" in name else said
        yield capitalised(name.replace("_", " ")), short


def _setting(value: object) -> str:
    """Return a setting on one line."""
    if isinstance(value, float):
        return plain_text(value)
    return ", ".join(map(_setting, value)) if isinstance(value, list | tuple) else str(value)
