"""What is known of a control chart, before it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.show.finding import Finding
    from capcurve.show.table import Table


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Monitored:
    """A control chart; `ControlChart` says what each attribute is."""

    initial_ar: float
    initial_sizes: tuple[int, int] | None
    drop: float
    limit: float
    alarms: float | None
    horizon: int | None
    level: float
    table: Table
    alarm: Any
    run_start: Any
    run_mean: float | None
    detectable: float | None
    method: str
    saved_limit: Mapping[str, Any]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def alarmed(self) -> bool:
        """Whether the chart went above its limit in any period."""
        return self.alarm is not None
