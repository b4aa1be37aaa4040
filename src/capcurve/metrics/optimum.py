"""All cut-offs at which something is largest, found in floats and settled in exact numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

# Far wider than any rounding of the float values, so that no true optimum is missed.
NEAR = 1e-11


def all_largest(
    values: NDArray[np.floating[Any]], exact: Callable[[int], Fraction | float]
) -> tuple[list[int], Any]:
    """Return every place where a value is largest, and that value.

    Parameters
    ----------
    values
        The values in floating point, shape (m,).
    exact
        The same value at one place, without rounding where that is possible.
    """
    top = values.max()
    reach = NEAR * max(1.0, abs(top)) if np.isfinite(top) else 0.0
    near = np.flatnonzero(values >= top - reach)
    settled = [exact(int(place)) for place in near]
    best = max(settled)
    return [int(p) for p, value in zip(near, settled, strict=True) if value == best], best
