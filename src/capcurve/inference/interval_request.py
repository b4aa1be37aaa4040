"""What an interval was asked for: which options it uses, which it needs, and none ignored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.counts.arguments import as_number, as_open_share, as_share, told
from capcurve.inference import bootstrap
from capcurve.inference.bootstrap_intervals import Resampling

if TYPE_CHECKING:
    from capcurve.counts import Ranked, ScoreCounts
    from capcurve.inference.interval import Confidence

DEFAULTS: dict[str, Any] = {
    "variance": "delong",
    "q": None,
    "threshold": None,
    "max_fpr": None,
    "value": None,
    "cost": None,
    "prevalence": None,
    "replicates": 2000,
    "seed": None,
}
# Squares of it are floats.
LARGEST_MONEY = 1e100
BOOTSTRAPS = {"replicates", "seed"}


def checked(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options as plain numbers, or raise ValueError for one out of its range."""
    bootstrap.check_replicates(given["replicates"])
    found = dict(given)
    for name in ("q", "max_fpr"):
        if given[name] is not None:
            found[name] = as_share(given[name], name, some=True)
    for name in ("value", "cost"):
        if given[name] is not None:
            found[name] = as_number(given[name], name)
            if not abs(found[name]) <= LARGEST_MONEY:
                raise ValueError(
                    f"{name} must lie from -{LARGEST_MONEY:g} to {LARGEST_MONEY:g}, "
                    f"got {told(given[name])}"
                )
    if given["prevalence"] is not None:
        found["prevalence"] = as_open_share(given["prevalence"], "prevalence")
    return found


@dataclass(frozen=True, slots=True)
class IntervalRequest:
    """What was asked for."""

    counts: Ranked
    name: str
    method: str | None
    confidence: Confidence
    given: dict[str, Any]

    def check(self, what: str, methods: tuple[str, ...], uses: set[str]) -> str:
        """Return the method, or raise ValueError for one, or an option, that is not for this."""
        method = self.method or methods[0]
        if method not in methods:
            names = ", ".join(repr(name) for name in methods)
            raise ValueError(f"the method for {what} must be one of {names}; got {method!r}")
        used = uses | (BOOTSTRAPS if "bootstrap" in method or method == "hybrid" else set())
        for option, default in DEFAULTS.items():
            if option not in used and self.given[option] != default:
                by = f"{what} with method={method!r}" if option in BOOTSTRAPS else what
                raise ValueError(f"{option}={self.given[option]!r} is not used by {by}")
        return method

    def need(self, *options: str) -> list[Any]:
        """Return the options, or raise ValueError when one was not given."""
        for option in options:
            if self.given[option] is None:
                raise ValueError(f"the interval of {self.name} needs {option}=")
        return [self.given[option] for option in options]

    def resampling(self, counts: ScoreCounts) -> Resampling:
        """Return how to resample these counts."""
        return Resampling(counts, self.confidence, self.given["replicates"], self.given["seed"])
