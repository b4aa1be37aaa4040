"""Figure: one headline number, as it is written wherever it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One number."""

    key: str  # a stable name, such as "accuracy_ratio"
    label: str  # label, short: what it is, and the same where there is little room
    short: str
    value: str  # the number
    limits: str = ""  # its interval, "[low, high]"; empty where there is none
    note: str = ""  # what else there is to know of it, or nothing
