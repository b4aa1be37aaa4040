"""Names for the arrays that all of the library handles, and for what has two classes of them."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

# Scores keep their type, and counts are whole numbers of any width, or floats for weights.
Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]
# A number of cases or their weight: an integer of Python, or a float.
Amount: TypeAlias = Any


class ClassSums(Protocol):
    """What holds positives and negatives of some cells."""

    @property
    def positives(self) -> Array:
        """Cases of the positive class in each cell."""

    @property
    def negatives(self) -> Array:
        """Cases of the negative class in each cell."""
