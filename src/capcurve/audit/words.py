"""How ranges are written: so that the text holds the range."""

from __future__ import annotations

import math

from capcurve.view.format import number


def outward(low: float, high: float, decimals: int = 3) -> tuple[str, str]:
    """Return the ends of a range as text that holds it, rounded down and up.

    Examples
    --------
    >>> outward(0.37713, 0.57391), outward(0.5, 0.5)
    (('0.377', '0.574'), ('0.500', '0.500'))
    """
    scale, slack = 10**decimals, 1e-9
    below, above = math.floor(low * scale + slack), math.ceil(high * scale - slack)
    return number(below / scale, decimals), number(above / scale, decimals)
