"""What every kind of summary has: the limits of its accuracy ratio, and how it becomes JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from capcurve.show.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.inference import Interval

SCHEMA_VERSION = 1


class Written(Record):
    """A summary that tells the limits of its accuracy ratio, and can be written as JSON."""

    __slots__ = ()

    _added: ClassVar[tuple[str, ...]] = ("accuracy_ratio_low", "accuracy_ratio_high")

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
