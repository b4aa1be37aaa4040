"""Limits of control charts as they are stored, and whether one goes with what is monitored."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from capcurve.counts.arguments import as_finite, as_open_share, as_whole, told

if TYPE_CHECKING:
    from capcurve.monitoring.initial import Initial

SCHEMA_VERSION = 1
# What a fall is looked for, and how often there may be a false alarm, if nothing is said.
DROP, ALARMS = 0.05, 0.05
MOST_PERIODS = 1000
LARGEST_SEED = 2**63 - 1
NEVER_SAVED = "limit must be a number, or what saved_limit of a control chart holds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit, and what it was made for; None where that is not known."""

    limit: float
    drop: float
    alarms: float | None = None
    horizon: int | None = None
    seed: int | None = None
    replicates: int | None = None
    initial_ar: float | None = None
    initial_digest: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the limit as values that strict JSON can hold; `limit=` takes it back."""
        return {"schema_version": SCHEMA_VERSION, **asdict(self)}


def as_limit(
    given: Any, initial: Initial, drop: float | None, alarms: float | None, horizon: int | None
) -> Limit:
    """Return a limit that was given, else raise ValueError or TypeError where it does not fit."""
    if not isinstance(given, Mapping):
        if alarms is not None:
            raise ValueError("alarms makes a limit, and limit= gives one; leave one of the two out")
        found = _as_height(given)
        return Limit(limit=found, drop=DROP if drop is None else drop, horizon=horizon)
    saved = _read(given)
    asked = {"drop": drop, "alarms": alarms, "horizon": horizon}
    for name, value in asked.items():
        known = getattr(saved, name)
        if value is not None and known is not None and not math.isclose(value, known):
            raise ValueError(
                f"the stored limit is for {name}={known:g}, and {name}={value:g} is asked for; "
                f"pass {name}={known:g}, or leave limit= out for a new limit"
            )
    _refuse_another(saved, initial)
    return saved


def _refuse_another(saved: Limit, initial: Initial) -> None:
    """Raise ValueError where a stored limit is of another initial sample."""
    both = (saved.initial_digest, initial.digest)
    alike = both[0] == both[1] if None not in both else _near(saved.initial_ar, initial.ratio)
    if not alike:
        was = "" if saved.initial_ar is None else f" of accuracy ratio {saved.initial_ar:.4f}"
        raise ValueError(
            f"the stored limit is for another initial sample{was}, and this one has "
            f"{initial.ratio:.4f}; pass that sample, or leave limit= out for a new limit"
        )


def _near(saved: float | None, found: float) -> bool:
    return saved is None or math.isclose(saved, found, abs_tol=1e-9)


def _read(given: Mapping[Any, Any]) -> Limit:
    """Return what was stored, else raise ValueError that says which entry is wrong."""
    for name in ("limit", "drop"):
        if name not in given:
            raise ValueError(f"{NEVER_SAVED}: it has no {name!r}")
    digest, alarms = given.get("initial_digest"), given.get("alarms")
    ratio = given.get("initial_ar")
    if not (digest is None or isinstance(digest, str)):
        raise ValueError(f"{NEVER_SAVED}: its initial_digest is {told(digest)}")
    return Limit(
        limit=_as_height(given["limit"]),
        drop=as_open_share(given["drop"], "drop of the stored limit"),
        alarms=None if alarms is None else as_open_share(alarms, "alarms of the stored limit"),
        horizon=_whole(given, "horizon", MOST_PERIODS),
        seed=_whole(given, "seed", LARGEST_SEED),
        replicates=_whole(given, "replicates", LARGEST_SEED),
        initial_ar=None if ratio is None else as_finite(ratio, "initial_ar of the stored limit"),
        initial_digest=digest,
    )


def _whole(given: Mapping[Any, Any], name: str, most: int) -> int | None:
    found = given.get(name)
    return None if found is None else as_whole(found, f"{name} of the stored limit", 0, most)


def _as_height(given: Any) -> float:
    try:
        found = as_finite(given, "limit")
    except ValueError:
        raise TypeError(f"{NEVER_SAVED}; got {told(given)}") from None
    if found < 0:
        raise ValueError(f"limit must be 0 or more, got {told(given)}")
    return found
