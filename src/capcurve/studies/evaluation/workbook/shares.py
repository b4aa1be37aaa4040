"""The values of the formulas of a sheet of cut-offs, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from capcurve.counts.types import Floats
    from capcurve.studies.evaluation.workbook.stretches import Rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shares:
    """The numbers of each row, the first of which selects nobody."""

    tp: list[Any]  # tp, fp: positives and negatives selected
    fp: list[Any]
    # Q, captured, fpr, gap: shares of cases, positives and negatives selected, and how far the last
    # two are apart.
    q: Floats
    captured: Floats
    fpr: Floats
    gap: Floats
    precision: Floats  # precision, lift: of the selected cases; 0 where there are none
    lift: Floats

    @classmethod
    def of(cls, rows: Rows, stated: float | None) -> Shares:
        """Return the numbers of some rows, at the stated prevalence if there is one."""
        tp, fp = (np.cumsum([0, *cases]) for cases in (rows.positives, rows.negatives))
        captured, fpr = tp / rows.n1, fp / rows.n0
        if stated is None:
            q, hit = (tp + fp) / (rows.n1 + rows.n0), tp[1:] / (tp + fp)[1:]
        else:
            q = stated * captured + (1 - stated) * fpr
            hit = stated * captured[1:] / q[1:]
        return cls(
            tp=tp.tolist(),
            fp=fp.tolist(),
            q=q,
            captured=captured,
            fpr=fpr,
            gap=captured - fpr,
            precision=np.append(0.0, hit),
            lift=np.append(0.0, captured[1:] / q[1:]),
        )

    def height(self, q: float) -> float:
        """Return the share of positives captured by a share of cases."""
        return float(np.interp(q, self.q, self.captured))

    @property
    def ks(self) -> float:
        """The largest gap, in either direction."""
        return float(max(self.gap.max(), -self.gap.min()))

    @property
    def place_of_ks(self) -> int:
        """The first row at which KS is reached."""
        leads = self.gap.max() >= -self.gap.min()
        return int(self.gap.argmax() if leads else self.gap.argmin())
