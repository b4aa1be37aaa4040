"""What every kind of summary has: the limits of its accuracy ratio, and how it becomes JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from capcurve.counts.plain import plain

if TYPE_CHECKING:
    from capcurve.inference import Interval

SCHEMA_VERSION = 1


class Written:
    """A summary that tells the limits of its accuracy ratio, and can be written as JSON."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def intervals(self) -> Mapping[str, Interval]:
            """What chance leaves of the headline numbers."""

    @property
    def accuracy_ratio_low(self) -> float | None:
        """Return the lower limit of the accuracy ratio, at `level`; None without an interval."""
        found = self.intervals.get("accuracy_ratio")
        return None if found is None else found.low

    @property
    def accuracy_ratio_high(self) -> float | None:
        """Return the upper limit of the accuracy ratio, at `level`; None without an interval."""
        found = self.intervals.get("accuracy_ratio")
        return None if found is None else found.high

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as values that strict JSON can hold."""
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]  # of dataclasses
        names += ["accuracy_ratio_low", "accuracy_ratio_high"]
        written: dict[str, Any] = plain({name: _plain(getattr(self, name)) for name in names})
        return {"schema_version": SCHEMA_VERSION, **written}


def _plain(value: Any) -> Any:
    """Return a record as a mapping, and what holds records with these as mappings."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
