"""The tests of a validation sheet, the limits that users set, and the light that follows."""

from __future__ import annotations

import math
import os
import tomllib
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from capcurve.inference.rates import RATE_LIMITS
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import as_finite, told
from capcurve.show.format import (
    MISSING,
    Form,
    bare_chance,
    capitalised,
    stated_percent,
    statistic,
    told_apart,
    true_minus,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from capcurve.show.presentation import Light

Better = Literal["higher", "lower"]
By = Literal["limit", "estimate", "p_value"]
LimitsGiven: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | None"

RANKING, CHALLENGER, OVERRIDDEN = "discrimination.", "challenger.", "overrides.ranking"
CHART_TEST, SEGMENTS_TEST = "monitoring.chart", "segments.accuracy_ratio"
HEADLINE_METRICS = {metric.name: metric for metric in METRICS.headlines()}
# Between which values numbers lie: ratios, shares, differences of ratios, and all others.
RATIO_RANGE, SHARE_RANGE, DIFFERENCE_RANGE = (-1.0, 1.0), (0.0, 1.0), (-2.0, 2.0)
ANY_RANGE, GRADES_RANGE = (0.0, math.inf), (1.0, math.inf)


@dataclass(frozen=True, slots=True)
class SheetTestKind:
    """What is the same of a test in every sheet."""

    section: int  # number of the section in which it stands, where none is left out
    name: str  # what the test is called
    better: Better  # whether a higher or a lower value of the judged number is better
    by_p: bool = False  # whether the number that limits judge is the p-value, and not the estimate
    ends: tuple[float, float] = RATIO_RANGE  # between which values the estimate lies
    form: Form = "ratio"  # how the estimate is written


_higher = partial(SheetTestKind, better="higher")
_lower = partial(SheetTestKind, better="lower")
_tested = partial(_higher, by_p=True)  # a low p-value shows a fault

# In the order of the sheet.
TEST_KINDS: Mapping[str, SheetTestKind] = {
    # Headline numbers, without what stands in brackets behind their names.
    **{
        f"{RANKING}{name}": _higher(
            4, capitalised(each.headline.partition(" (")[0]), ends=each.ends, form=each.form
        )
        for name, each in HEADLINE_METRICS.items()
    },
    "initial.drop": _lower(5, "Fall of AR since the initial sample", ends=DIFFERENCE_RANGE),
    "initial.ecb": _tested(
        5, "ECB test: AUC below initial AUC (§2.5.4, initial value taken as exact)"
    ),
    CHART_TEST: _lower(
        5, "Control chart: peak / limit (alarm above 1)", ends=ANY_RANGE, form="lift"
    ),
    "grades.neighbours": _lower(6, "All neighbouring grades differ (low p is good)", by_p=True),
    "grades.reversed": _tested(6, "No neighbouring grades reversed"),
    "grades.monotone": _tested(6, "Rates fall with better grades"),
    "calibration.portfolio": _tested(7, "Level of all PDs"),
    "calibration.grades": _tested(7, "PDs of grades (smallest Holm p)"),
    "calibration.slope": _tested(7, "Calibration slope is 1"),
    "calibration.spiegelhalter": _tested(7, "Spiegelhalter's test"),
    "calibration.hosmer_lemeshow": _tested(7, "Hosmer-Lemeshow test"),
    "calibration.observed_expected": _lower(
        7, "Observed over expected positives", ends=ANY_RANGE, form="lift"
    ),
    "calibration.miscalibration": _lower(
        7, "Miscalibration over uncertainty (Brier)", ends=ANY_RANGE, form="fine"
    ),
    "homogeneity.grades": _tested(8, "Homogeneity within grades"),
    SEGMENTS_TEST: _tested(8, "AR alike in all segments"),
    "stability.psi": _lower(9, "PSI of all cases", ends=ANY_RANGE),
    "stability.psi_positives": _lower(9, "PSI of positives", ends=ANY_RANGE),
    "stability.psi_negatives": _lower(9, "PSI of negatives", ends=ANY_RANGE),
    "concentration.effective_grades": _higher(
        9, "Effective number of grades", ends=GRADES_RANGE, form="lift"
    ),
    "concentration.change": _tested(9, "Growth of concentration"),
    "migration.upper": _lower(9, "Migration, upper MWB", ends=SHARE_RANGE),
    "migration.lower": _lower(9, "Migration, lower MWB", ends=SHARE_RANGE),
    "migration.unchanged": _higher(9, "Migration, unchanged", ends=SHARE_RANGE, form="share"),
    "overrides.rate": _lower(10, "Overrides", ends=SHARE_RANGE, form="share"),
    "overrides.up": _lower(10, "Overrides to a better grade", ends=SHARE_RANGE, form="share"),
    "overrides.down": _lower(10, "Overrides to a worse grade", ends=SHARE_RANGE, form="share"),
    OVERRIDDEN: _higher(10, "Change of AR by overrides", ends=DIFFERENCE_RANGE),
    "power.detectable_drop": _lower(11, "Smallest detectable fall of AR", ends=DIFFERENCE_RANGE),
    "unknown.accuracy_ratio": _higher(11, "AR with unknown outcomes"),
}


def kind_of(test_id: str) -> SheetTestKind | None:
    """Return what is known of a test of this id, or None where there is no such test.

    >>> kind_of("stability.psi").better, kind_of("challenger.gbm").name, kind_of("psi")
    ('lower', 'AR minus that of gbm', None)
    """
    name = test_id.removeprefix(CHALLENGER)
    if name and name != test_id:
        return SheetTestKind(10, f"AR minus that of {name}", "higher", ends=DIFFERENCE_RANGE)
    return TEST_KINDS.get(test_id)


@dataclass(frozen=True, slots=True)
class TestLimits:
    """The limits that a user sets for a test.

    Attributes
    ----------
    green, red
        Where the judged number is good, and from where on it is bad.
    by
        "limit" judges the confidence limits, "estimate" the number itself, "p_value" the p-value.
    """

    __test__: ClassVar[bool] = False  # pytest would take the class for a test

    green: float
    red: float
    by: By = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetTest:
    """One test of the sheet.

    Attributes
    ----------
    id
        A stable name, such as "grades.monotone".
    section
        Number of the section in which it stands.
    name
        What the test is called.
    estimate, low, high, level
        The number, its confidence limits and their level; None where there is none.
    statistic, df, p_value, p_adjusted
        The test statistic, its degrees of freedom, the p-value, and the p-value adjusted for
        several comparisons; None where there is none.
    alternative
        What the p-value looks for: "two-sided", or in words the one direction that it asks about;
        None without a p-value. It does not speak of the confidence limits, which are two-sided
        unless `method` says otherwise.
    method
        How it was found.
    reference
        What it is compared with, or the source of the formula.
    limits, light
        The user's limits and what follows from them; None without limits.
    alarm
        The period in which the control chart alarms, whatever the user's limits; None without.
    notes
        What a reader must know.
    better
        Whether a higher or a lower value of the judged number is better; None where no limit
        makes sense.
    by_p
        Whether the number that limits judge is the p-value, and not the estimate.
    shown
        What people read as its value where that is not the estimate alone.
    """

    id: str
    section: int
    name: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    statistic: float | None = None
    df: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    alternative: str | None = None
    method: str = ""
    reference: str = ""
    limits: TestLimits | None = None
    light: Light | None = None
    alarm: str | None = None
    notes: tuple[str, ...] = ()
    better: Better | None = None
    by_p: bool = False
    shown: str = ""

    @property
    def one_sided(self) -> bool:
        """Whether the p-value asks about one direction alone."""
        return self.p_value is not None and self.alternative not in {None, "two-sided"}

    @classmethod
    def of(cls, test_id: str, **numbers: Any) -> SheetTest:
        """Return a test of a known id, with the section, name and direction of its kind.

        >>> SheetTest.of("stability.psi", estimate=0.04).section
        9
        """
        kind = kind_of(test_id)
        if kind is None:
            raise ValueError(f"there is no test {test_id!r} in the sheet")
        known = {name: getattr(kind, name) for name in ("section", "name", "better", "by_p")}
        return cls(id=test_id, **{**known, **numbers})


# What only the text for people has of a test.
NOT_SAVED = "shown"
# What people write for the tests that most have limits for.
SHORT_IDS = {
    **{name: f"{RANKING}{name}" for name in HEADLINE_METRICS},
    "drop": "initial.drop",
    "psi": "stability.psi",
    "effective_grades": "concentration.effective_grades",
    "override_rate": "overrides.rate",
}
GLOBAL = "sheet"
TOML = "it holds tables such as [psi] with lines such as green = 0.1, with a 0 before the point"
KEYS = ("green", "red", "by")
CHOICES: tuple[By, ...] = ("limit", "estimate")
NO_INTERVAL = "no confidence interval: the light judges the estimate"
BETWEEN_LIMITS, UNDEFINED_VALUE = "between the limits", "undefined"
NO_LIMIT, NO_ALARM = "no limit set", "no alarm"
# A p-value below this is told among tests without limits.
LOW_P = 0.05
# What methods are called on paper: of the AUC and the AR, and of other headlines.
OF_AUC = {"envelope": "logit-DeLong envelope", "logit_t": "logit, Student's t"}
OF_HEADLINE = {
    "envelope": "influence functions, envelope of logit and plain limits",
    "hybrid": "Newcombe's hybrid limits",
}


def read_limits(limits: LimitsGiven) -> dict[str, TestLimits]:
    """Return the limits of each test by its id, checked.

    Raises `ValueError` for a test that does not exist, a missing, infinite or impossible number,
    and green and red in the wrong order.

    Parameters
    ----------
    limits
        A TOML file, or a mapping of the same form: `{"psi": {"green": 0.1, "red": 0.25}}`. Keys
        are ids of tests or the short names accuracy_ratio, roc_auc, ks, drop, psi,
        effective_grades and override_rate. `{"sheet": {"by": "estimate"}}` judges every number
        without an own `by` by the estimate; None sets no limits.

    Examples
    --------
    >>> read_limits({"psi": {"green": 0.1, "red": 0.25}})
    {'stability.psi': TestLimits(green=0.1, red=0.25, by='limit')}
    """
    if limits is None:
        return {}
    given, source = _given(limits)
    by: By = "limit"
    if (said := given.get(GLOBAL)) is not None:
        where = f"{source}[{GLOBAL}]"
        if not hasattr(said, "keys") or set(said) - {"by"}:
            raise ValueError(f'{where} may hold only by = "limit" or by = "estimate"')
        by = _by(said.get("by", by), CHOICES, where)
    found: dict[str, TestLimits] = {}
    for name, said in _tables({k: v for k, v in given.items() if k != GLOBAL}, source):
        test_id, where = SHORT_IDS.get(name, name), f"{source}[{name}]"
        kind = kind_of(test_id)
        if kind is None:
            raise ValueError(f"{where}: there is no such test{_nearest(name)}")
        if test_id in found:
            raise ValueError(f"{where}: limits of {test_id} are given twice; keep one")
        found[test_id] = _checked(said, kind, by, where)
    return found


def _given(limits: Any) -> tuple[Mapping[str, Any], str]:
    """Return the limits as a mapping, and what errors begin with."""
    if isinstance(limits, str | os.PathLike):
        path = Path(limits)
        try:
            return tomllib.loads(path.read_text(encoding="utf-8-sig")), f"{path.name}: "
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path.name} is not a TOML file: {error}; {TOML}") from None
    if not hasattr(limits, "items"):
        raise ValueError(f"limits must be a TOML file or a mapping, got {told(limits)}")
    return limits, "limits: "


def _by(said: Any, choices: tuple[By, ...], where: str) -> By:
    for each in choices:
        if said == each:
            return each
    options = " or ".join(f'"{each}"' for each in choices)
    raise ValueError(f"{where}: by must be {options}, got {told(said)}")


def _tables(given: Mapping[str, Any], source: str, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the limits of each test with its full name: TOML nests dotted headings."""
    for key, value in given.items():
        name = f"{above}{key}"
        if isinstance(value, TestLimits):
            yield name, {"green": value.green, "red": value.red, "by": value.by}
        elif not hasattr(value, "items"):
            raise ValueError(
                f"{source}{name} must be a table with green and red, got {told(value)}"
            )
        elif any(not hasattr(value[own], "items") for own in KEYS if own in value) or not value:
            yield name, value
        else:
            yield from _tables(value, source, f"{name}.")


def _nearest(name: str) -> str:
    """Return the known name that looks most like this one, as words."""
    known = {each.rpartition(".")[2]: each for each in (*TEST_KINDS, *SHORT_IDS)}
    known |= {each: each for each in known.values()}
    found = get_close_matches(name, known, n=1) or get_close_matches(name.rpartition(".")[2], known)
    if found:
        return f"; did you mean {known[found[0]]}?"
    return f"; known are {', '.join((*SHORT_IDS, *TEST_KINDS, f'{CHALLENGER}NAME'))}"


def _checked(said: Mapping[str, Any], kind: SheetTestKind, by: By, where: str) -> TestLimits:
    if unknown := sorted(set(said) - set(KEYS)):
        raise ValueError(f"{where}: {unknown[0]} is unknown; it may hold {', '.join(KEYS)}")
    if missing := [key for key in ("green", "red") if key not in said]:
        raise ValueError(f"{where}: {missing[0]} is missing; set both green and red")
    green, red = (_number(said[key], key, kind, where) for key in ("green", "red"))
    if green < red if kind.better == "higher" else green > red:
        side, good = ("below", "high") if kind.better == "higher" else ("above", "low")
        raise ValueError(
            f"{where}: green {green:g} must not be {side} red {red:g}, as {good} values are good"
        )
    if kind.by_p:
        _by(said.get("by", "p_value"), ("p_value",), where)
        return TestLimits(green, red, "p_value")
    return TestLimits(green, red, _by(said.get("by", by), CHOICES, where))


def _number(value: Any, key: str, kind: SheetTestKind, where: str) -> float:
    found = as_finite(value, f"{where}: {key}")
    least, most = (0.0, 1.0) if kind.by_p else kind.ends
    if not least <= found <= most:
        what = "a p-value" if kind.by_p else kind.name
        beyond = f"below {least:g}" if found < least else f"above {most:g}"
        raise ValueError(f"{where}: {key} = {found:g}, but {what} is never {beyond}")
    return found


def lit(test: SheetTest, limits: Mapping[str, TestLimits]) -> SheetTest:
    """Return the test with its limits and its light; a test without limits has no light.

    Judged by confidence limits, a light is green when the adverse one keeps green, red when the
    favourable one breaks red, and amber otherwise: between the limits, or inconclusive where the
    interval reaches beyond one. Judged by the estimate or the p-value it is green or red on that
    side of the limit, and amber between. What is undefined is grey.

    >>> limits = read_limits({"accuracy_ratio": {"green": 0.45, "red": 0.35}})
    >>> test = SheetTest.of("discrimination.accuracy_ratio", estimate=0.5, low=0.44, high=0.56)
    >>> lit(test, limits).light
    'amber'
    """
    own = limits.get(test.id)
    if own is None or test.better is None:
        return replace(test, limits=None, light=None)
    low, high = judged_between(test, own.by)
    notes = test.notes
    if own.by == "limit" and low is not None and not _known(test.low, test.high):
        notes = tuple(dict.fromkeys((*notes, NO_INTERVAL)))
    return replace(test, limits=own, light=light_between(low, high, own, test.better), notes=notes)


def judged_between(test: SheetTest, by: By) -> tuple[float | None, float | None]:
    """Return the lower and upper value that limits judge; None, None where they are undefined."""
    if by == "limit" and _known(test.low, test.high):
        low = test.low if _known(test.low) else -math.inf
        return low, test.high if _known(test.high) else math.inf
    judged = _p_value(test) if by == "p_value" else test.estimate
    return (judged, judged) if _known(judged) else (None, None)


def _p_value(test: SheetTest) -> float | None:
    """Return the p-value of a test, adjusted where it is."""
    return test.p_value if test.p_adjusted is None else test.p_adjusted


def _known(*values: float | None) -> bool:
    """Tell whether one of the values is a number."""
    return any(value is not None and not math.isnan(value) for value in values)


def light_between(low: float | None, high: float | None, own: TestLimits, better: Better) -> Light:
    """Return the light of a number that lies between these ends, grey where there is none."""
    if low is None or high is None:
        return "grey"
    if better == "higher":
        return "green" if low >= own.green else "red" if high < own.red else "amber"
    return "green" if high <= own.green else "red" if low > own.red else "amber"


# Tests as people read them


def value_text(test: SheetTest, value: float | None) -> str:
    """Return the estimate of a test, or a limit of it, as people read it.

    >>> value_text(SheetTest.of("overrides.rate"), 0.041)
    '4.1%'
    """
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    kind = kind_of(test.id)
    return written("ratio" if kind is None else kind.form, value)


def estimate_text(test: SheetTest) -> str:
    """Return the value of a test as people read it: its estimate, else its statistic.

    >>> estimate_text(SheetTest.of("homogeneity.grades", statistic=33.4, df=2, p_value=0.001))
    'χ² 33.40'
    """
    # The mean of the segments is no value of the test whether they are alike.
    only_p = test.estimate is None or test.id == SEGMENTS_TEST
    if test.shown or not only_p or test.p_value is None:
        return test.shown or value_text(test, test.estimate)
    if test.statistic is None:
        return ""
    return f"{'z' if test.df is None else 'χ²'} {statistic(test.statistic)}"


def interval_text(test: SheetTest) -> str:
    """Return the confidence limits of a test; an open side is infinite."""
    if test.low is None and test.high is None:
        return ""
    low = -math.inf if test.low is None else test.low
    high = math.inf if test.high is None else test.high
    return f"[{_end_text(test, low)}, {_end_text(test, high)}]"


def _end_text(test: SheetTest, value: float) -> str:
    """Return a limit, of a difference with a digit more where it would read as 0."""
    of_difference = test.id == OVERRIDDEN or test.id.startswith(CHALLENGER)
    return (
        told_apart(value, 0) if of_difference and math.isfinite(value) else value_text(test, value)
    )


def p_text(test: SheetTest) -> str:
    """Return the p-value of a test, adjusted where it is, with a mark if it is one-sided."""
    p_value = _p_value(test)
    if p_value is None or math.isnan(p_value):
        return ""
    adjusted = "" if test.p_adjusted is None else " adj."
    chance = bare_chance(p_value, 1 - (test.level or 0.95))
    return f"{chance}{'*' * test.one_sided}{adjusted}"


def limits_text(test: SheetTest) -> str:
    """Return the user's limits of a test, green and red; empty without limits.

    >>> limits_text(SheetTest.of("stability.psi", limits=TestLimits(0.1, 0.25)))
    'green ≤ 0.1, red > 0.25'
    """
    own = test.limits
    if own is None:
        return ""
    keeps, breaks = ("≥", "<") if test.better == "higher" else ("≤", ">")
    kind = kind_of(test.id)
    if own.by != "p_value" and kind is not None and kind.form == "share":
        green, red = (stated_percent(value) for value in (own.green, own.red))
    else:
        green, red = (true_minus(f"{value:.6g}") for value in (own.green, own.red))
    of = "p " if own.by == "p_value" else ""
    return f"green {of}{keeps} {green}, red {breaks} {red}"


def light_of(test: SheetTest) -> Light | None:
    """Return the colour that a test is shown in: an alarm is red, whatever the user's limits."""
    return "red" if test.alarm is not None else test.light


def method_text(test: SheetTest) -> str:
    """Return what the method of a test is called on paper."""
    names = RATE_LIMITS
    if test.id.startswith(RANKING):
        of_auc = test.id.removeprefix(RANKING) in ("accuracy_ratio", "roc_auc")
        names = OF_AUC if of_auc else OF_HEADLINE
    return names.get(test.method, test.method)


def status_of(test: SheetTest) -> str:
    """Return what stands in the column of lights: an alarm, a light, or why there is none.

    >>> alarmed = SheetTest.of(CHART_TEST, alarm="2025-12")
    >>> status_of(SheetTest.of("stability.psi")), status_of(alarmed)
    ('no limit set', 'ALARM in 2025-12')
    """
    if test.alarm is not None:
        return f"ALARM in {test.alarm}"
    if test.light is not None:
        return test.light
    return NO_ALARM if test.id == CHART_TEST and test.estimate is not None else NO_LIMIT


def light_text(test: SheetTest) -> str:
    """Return the status of a test, and of a light what it means."""
    meaning = meaning_of(test)
    return f"{status_of(test)} ({meaning})" if meaning else status_of(test)


def meaning_of(test: SheetTest) -> str:
    """Return what must be said beside the name of a light.

    An interval inside the amber zone is between the limits; one that reaches beyond a limit is
    inconclusive, or shows too little for the light of its estimate.

    >>> limits = read_limits({"accuracy_ratio": {"green": 0.45, "red": 0.35}})
    >>> test = SheetTest.of("discrimination.accuracy_ratio", estimate=0.42, low=0.38, high=0.46)
    >>> meaning_of(lit(test, limits))
    'inconclusive: could be green'
    """
    own = test.limits
    if test.alarm is not None:
        return f"by the limits {test.light}" if test.light else ""
    if test.light == "grey":
        return UNDEFINED_VALUE
    if test.light != "amber" or own is None or test.better is None:
        return ""
    low, high = judged_between(test, own.by)
    if low is None or high is None:
        return ""
    ends = (low, high) if test.better == "higher" else (high, low)
    reached = [light_between(end, end, own, test.better) for end in ends[::-1]]
    could = [light for light in reached if light != "amber"]
    estimate = test.estimate
    found = None if estimate is None else light_between(estimate, estimate, own, test.better)
    if found in could and test.level is not None:
        return f"estimate {found}, not shown at {stated_percent(test.level)}"
    return f"inconclusive: could be {' or '.join(could)}" if could else BETWEEN_LIMITS


def favours_other(test: SheetTest) -> bool:
    """Tell whether a test shows that another score ranks better than the one that is signed."""
    if test.id == OVERRIDDEN:
        return test.low is not None and test.low > 0
    return test.id.startswith(CHALLENGER) and test.high is not None and test.high < 0


def favours_score(test: SheetTest) -> bool:
    """Tell whether a low p-value of a test speaks for the score."""
    return test.id.startswith(CHALLENGER) and test.estimate is not None and test.estimate > 0


def favour_text(test: SheetTest, score: str, final: str | None) -> str:
    """Return by how much another score ranks better than the one that is signed."""
    overridden, ends = test.id == OVERRIDDEN, (test.estimate, test.low, test.high)
    other = (final or "the final grade") if overridden else test.id.removeprefix(CHALLENGER)
    turned = ends if overridden else [value and -value for value in (ends[0], *ends[:0:-1])]
    by, low, high = (MISSING if value is None else _end_text(test, value) for value in turned)
    return f"{other} ranks better than {score} by {by} [{low}, {high}]."


def low_without_limits(tests: Iterable[SheetTest]) -> list[SheetTest]:
    """Return the tests without limits whose p-value is low, where that shows a fault or a gap."""
    shows_fault = (test for test in tests if not (test.by_p and test.better == "lower"))
    unjudged = ((test, _p_value(test)) for test in shows_fault if test.limits is None)
    return [test for test, p_value in unjudged if p_value is not None and p_value < LOW_P]


# What csv and workbooks hold of a test as it stands.
IN_FULL = [
    each.name
    for each in fields(SheetTest)
    if each.name not in {"limits", "alarm", "notes", "better", "by_p", NOT_SAVED}
]


def in_full(tests: Sequence[SheetTest]) -> dict[str, list[object]]:
    """Return tests by column, numbers in full."""
    columns = {name: [_full(getattr(test, name)) for test in tests] for name in IN_FULL}
    for name in ("green", "red", "by"):
        columns[name] = [test.limits and getattr(test.limits, name) for test in tests]
    return columns | {"notes": ["; ".join(filter(None, test.notes)) or None for test in tests]}


def _full(value: object) -> object:
    if isinstance(value, float) and math.isnan(value):
        return None
    return value or None if isinstance(value, str) else value
