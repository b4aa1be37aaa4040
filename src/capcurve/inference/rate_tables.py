"""The gains table with an interval around the rate of each bin or grade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.interval import Confidence
from capcurve.inference.rates import rate_limits
from capcurve.inference.sizes import require_rows
from capcurve.tables import Table, gains_table
from capcurve.tables.gains import ends_of_bins
from capcurve.view.format import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.inference.rates import RateMethod

CLUSTERED = (
    "the rows are clustered, and these intervals treat them as independent: they are too narrow"
)


def rate_table(
    counts: ScoreCounts,
    *,
    bins: int | str | Sequence[Any] = "score",
    method: RateMethod = "jeffreys",
    level: float = 0.95,
) -> Table:
    """Return the gains table with the range in which the true rate of each grade lies.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    bins
        As in `gains_table`; one per grade or distinct score when left out.
    method
        "jeffreys", "clopper_pearson" or "wilson", as in `rate_interval`.
    level
        Confidence level of each interval taken by itself.

    Returns
    -------
    Table
        The columns of `gains_table` and, beside the rate, rate_low and rate_high; NaN for a
        bin without cases.

    Raises
    ------
    ValueError
        As `gains_table` and `rate_interval`, and for weights without a `weight_kind`.

    Notes
    -----
    Rows of one cluster are treated as independent, and the table's note says so. Weighted rows
    count as (Σw)²/Σw² cases of their bin: Korn & Graubard (1998), Survey Methodology 24.

    Examples
    --------
    No positive among 3 cases of the lower grade: at most 1 - 0.025^(1/3) by Clopper-Pearson.

    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([2, 1], [2, 0], [2, 3])
    >>> table = rate_table(counts, method="clopper_pearson")
    >>> table["rate_low"].round(4).tolist(), table["rate_high"].round(4).tolist()
    ([0.0676, 0.0], [0.9324, 0.7076])
    """
    require_rows(counts)
    confidence = Confidence(level)
    table = gains_table(counts, bins=bins)
    cases = _cases(counts, ends_of_bins(counts, bins)[0], np.asarray(table["n"]))
    full = cases > 0
    low, high = (np.full(len(table), np.nan) for _ in range(2))
    rate = np.minimum(np.asarray(table["rate"])[full], 1.0)
    low[full], high[full] = rate_limits(rate * cases[full], cases[full], method, confidence)
    columns: dict[str, NDArray[Any]] = {}
    for name, column in table.columns.items():
        columns[name] = column
        if name == "rate":
            columns |= {"rate_low": low, "rate_high": high}
    said = f"rates with {percent(confidence.level)} {method.replace('_', '-')} intervals"
    if counts.groups is not None:
        said = f"{said}; {CLUSTERED}"
    return Table("rates", columns, said if table.note is None else f"{table.note}; {said}")


def _cases(counts: ScoreCounts, ends: NDArray[Any], sums: NDArray[Any]) -> NDArray[np.float64]:
    """Return how many equally weighted cases each bin is like."""
    if counts.weights is None:
        return sums.astype(np.float64)
    largest = float(max(counts.weights.positive_roots.max(), counts.weights.negative_roots.max()))
    roots = (counts.weights.positive_roots, counts.weights.negative_roots)
    squares = np.cumsum((roots[0] / largest) ** 2 + (roots[1] / largest) ** 2)
    of_bins = np.diff(np.append(0.0, squares)[np.append(0, ends)])
    cases = np.zeros(len(sums))
    np.divide((sums / largest) ** 2, of_bins, out=cases, where=of_bins > 0)
    return cases
