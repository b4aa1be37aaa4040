"""Comparison: several scores on the same rows, pair by pair and all together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.plain import plain
from capcurve.tables import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.inference.record import Metric, Test


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Several scores on the same rows, compared.

    Attributes
    ----------
    names
        The scores.
    metric
        What all estimates and differences are measured in.
    estimates
        The metric of each score.
    covariance
        How the estimates vary together, a row per score.
    pairs
        One test per pair, first less second, in the order of `names`; with more than two
        scores `p_adjusted` holds Holm's adjustment.
    overall
        Two scores: the test of the pair. More: chi-square of all being equal, or of the
        contrast that was asked for.
    """

    names: tuple[str, ...]
    metric: Metric
    estimates: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    pairs: tuple[Test, ...]
    overall: Test

    @property
    def p_value(self) -> float:
        """The p-value of the overall test."""
        return self.overall.p_value

    @property
    def table(self) -> Table:
        """The pairs as a table."""
        shown = ("estimate", "se", "low", "high", "statistic", "p_value", "p_adjusted")
        columns: dict[str, NDArray[Any]] = {
            "difference": np.array([pair.name for pair in self.pairs], dtype=object)
        }
        for key in shown:
            found = [getattr(pair, key) for pair in self.pairs]
            if None not in found:
                columns[key] = np.array(found)
        note = f"differences in {self.metric}; {self.overall.method}: p = {self.p_value:.4g}"
        return Table("comparison", columns, note)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as values that strict JSON can hold."""
        return {
            "names": list(self.names),
            "metric": self.metric,
            "estimates": plain(self.estimates),
            "covariance": plain(self.covariance),
            "pairs": [pair.to_dict() for pair in self.pairs],
            "overall": self.overall.to_dict(),
        }

    def __repr__(self) -> str:
        return repr(self.table)
