"""The limits of the user: read and checked, and the light that follows from each."""

from __future__ import annotations

import math
import os
import tomllib
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from capcurve.counts.arguments import as_finite, told
from capcurve.studies.validation.records import (
    CHALLENGER,
    KINDS,
    By,
    SheetTest,
    TestLimits,
    kind_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from capcurve.studies.validation.records import Better, Kind, Light

LimitsGiven: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | None"

# What people write for the tests that most have limits for.
SHORT = {
    "accuracy_ratio": "discrimination.accuracy_ratio",
    "roc_auc": "discrimination.roc_auc",
    "ks": "discrimination.ks",
    "drop": "initial.drop",
    "psi": "stability.psi",
    "effective_grades": "concentration.effective_grades",
    "override_rate": "overrides.rate",
}
GLOBAL = "sheet"
TOML = "it holds tables such as [psi] with lines such as green = 0.1, with a 0 before the point"
KEYS = ("green", "red", "by")
CHOICES = ("limit", "estimate")
NO_INTERVAL = "no confidence interval: the light judges the estimate"


def read_limits(limits: LimitsGiven) -> dict[str, TestLimits]:
    """Return the limits of each test by its id, checked.

    Parameters
    ----------
    limits
        A TOML file, or a mapping of the same form: `{"psi": {"green": 0.1, "red": 0.25}}`. Keys
        are ids of tests or the short names accuracy_ratio, roc_auc, ks, drop, psi,
        effective_grades and override_rate. `{"sheet": {"by": "estimate"}}` judges every number
        without an own `by` by the estimate; None sets no limits.

    Raises
    ------
    ValueError
        For a test that does not exist, a missing, infinite or impossible number, and green and red
        in the wrong order.

    Examples
    --------
    >>> read_limits({"psi": {"green": 0.1, "red": 0.25}})
    {'stability.psi': TestLimits(green=0.1, red=0.25, by='limit')}
    """
    if limits is None:
        return {}
    given, source = _given(limits)
    by = _global_by(given.get(GLOBAL), source)
    found: dict[str, TestLimits] = {}
    for name, said in _tables({k: v for k, v in given.items() if k != GLOBAL}, source):
        test_id, where = SHORT.get(name, name), f"{source}[{name}]"
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


def _global_by(said: Any, source: str) -> By:
    if said is None:
        return "limit"
    where = f"{source}[{GLOBAL}]"
    if not hasattr(said, "keys") or set(said) - {"by"}:
        raise ValueError(f'{where} may hold only by = "limit" or by = "estimate"')
    return _by(said.get("by", "limit"), CHOICES, where)


def _by(said: Any, choices: tuple[str, ...], where: str) -> By:
    for each in get_args(By):
        if said == each and each in choices:
            found: By = each
            return found
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
    known = {each.rpartition(".")[2]: each for each in (*KINDS, *SHORT)}
    known |= {each: each for each in known.values()}
    found = get_close_matches(name, known, n=1) or get_close_matches(name.rpartition(".")[2], known)
    if found:
        return f"; did you mean {known[found[0]]}?"
    return f"; known are {', '.join((*SHORT, *KINDS, f'{CHALLENGER}NAME'))}"


def _checked(said: Mapping[str, Any], kind: Kind, by: By, where: str) -> TestLimits:
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


def _number(value: Any, key: str, kind: Kind, where: str) -> float:
    number = as_finite(value, f"{where}: {key}")
    least, most = (0.0, 1.0) if kind.by_p else kind.ends
    if not least <= number <= most:
        what = "a p-value" if kind.by_p else kind.name
        beyond = f"below {least:g}" if number < least else f"above {most:g}"
        raise ValueError(f"{where}: {key} = {number:g}, but {what} is never {beyond}")
    return number


def lit(test: SheetTest, limits: Mapping[str, TestLimits]) -> SheetTest:
    """Return the test with its limits and its light; a test without limits has no light.

    Judged by confidence limits, a light is green when the adverse one keeps green, red when the
    favourable one breaks red, and amber ("not shown") otherwise. Judged by the estimate or the
    p-value it is green or red on that side of the limit, and amber between. What is undefined is
    grey.

    Examples
    --------
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
    return replace(test, limits=own, light=_light(low, high, own, test.better), notes=notes)


def judged_between(test: SheetTest, by: By) -> tuple[float | None, float | None]:
    """Return the lower and upper value that limits judge; None, None where they are undefined."""
    if by == "p_value":
        p_value = test.p_value if test.p_adjusted is None else test.p_adjusted
        return (p_value, p_value) if _known(p_value) else (None, None)
    if by == "limit" and _known(test.low, test.high):
        low = test.low if _known(test.low) else -math.inf
        return low, test.high if _known(test.high) else math.inf
    return (test.estimate, test.estimate) if _known(test.estimate) else (None, None)


def _known(*values: float | None) -> bool:
    """Tell whether one of the values is a number."""
    return any(value is not None and not math.isnan(value) for value in values)


def _light(low: float | None, high: float | None, own: TestLimits, better: Better) -> Light:
    if low is None or high is None:
        return "grey"
    if better == "higher":
        return "green" if low >= own.green else "red" if high < own.red else "amber"
    return "green" if high <= own.green else "red" if low > own.red else "amber"


def untested(limits: Mapping[str, TestLimits], tests: Iterable[SheetTest]) -> tuple[str, ...]:
    """Return the ids for which there are limits, but no test in the sheet."""
    done = {test.id for test in tests}
    return tuple(test_id for test_id in limits if test_id not in done)
