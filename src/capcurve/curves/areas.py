"""Areas under broken lines, steps and ratios: closed forms, exact where counts are whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import exact_dot

if TYPE_CHECKING:
    from numpy.typing import NDArray

SERIES_BELOW = 1e-4


def under_line(x_sums: NDArray[Any], x_total: Any, y_sums: NDArray[Any], y_total: Any) -> float:
    """Return the area under a broken line; whole sums give a result rounded once."""
    whole = x_sums.dtype.kind != "f" and y_sums.dtype.kind != "f"
    if whole and y_sums.min(initial=0) >= 0:
        width = np.diff(x_sums)
        twice = exact_dot(width, y_sums[1:]) + exact_dot(width, y_sums[:-1])
        return float(twice / (2 * int(x_total) * int(y_total)))
    width, height = np.diff(x_sums) / x_total, y_sums / y_total
    return float((width * (height[1:] + height[:-1])).sum() / 2)


def under_steps(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the area under a curve that holds each segment's end value."""
    return float((np.diff(x) * y[1:]).sum())


def under_ratio(
    x: NDArray[np.float64], numerator: NDArray[np.float64], denominator: NDArray[np.float64]
) -> float:
    """Return the area under the ratio of two broken lines.

    On a segment of width h with numerator n + t*dn and denominator d + t*dd, t in [0, 1]:
    h * (dn/dd + (n*dd - d*dn)/dd^2 * ln(1 + dd/d)).
    """
    h = np.diff(x)
    n, dn = numerator[:-1], np.diff(numerator)
    d, dd = denominator[:-1], np.diff(denominator)
    origin = d == 0
    safe = np.where(origin, 1.0, d)
    u = dd / safe
    small = np.abs(u) < SERIES_BELOW
    steady = np.where(small, 1.0, u)
    # With u = dd/d the mean of 1/(1 + t*u) is ln(1+u)/u, and of t/(1 + t*u) is (1 - that)/u.
    log_mean = np.where(small, 1 - u / 2 + u**2 / 3 - u**3 / 4, np.log1p(steady) / steady)
    t_mean = np.where(small, 0.5 - u / 3 + u**2 / 4 - u**3 / 5, (1 - log_mean) / steady)
    mean = (n * log_mean + dn * t_mean) / safe
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(dd != 0, dn / dd, 0.0)
    return float((h * np.where(origin, first, mean)).sum())
