"""What is found about grades: records that carry no page of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capcurve.inference.stability import Of
    from capcurve.tables import Table


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Stable:
    """How far a portfolio moved over the bins; `Stability` says what each attribute is."""

    psi: float
    psi_half: float | None
    low: float | None
    high: float | None
    expected_if_unchanged: float | None
    chi2: float | None
    df: int
    p_value: float | None
    of: Of
    level: float
    bins: tuple[str, ...]
    empty: tuple[str, ...]
    table: Table
    n_before: float
    n_after: float
    labels: tuple[str, str] = ("before", "after")
    notes: tuple[str, ...] = ()
