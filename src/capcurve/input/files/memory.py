"""How much memory a caller grants, as people write it: 1GB, 500 MB, 1.5GiB."""

from __future__ import annotations

import re

_UNITS = {"": 1, "b": 1}
_UNITS |= {f"{letter}b": 1000**power for power, letter in enumerate("kmgt", start=1)}
_UNITS |= {f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", start=1)}
_LIMIT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]?i?b?)\s*", re.IGNORECASE)
LEAST = 200 * 1000**2  # Python, NumPy and DuckDB themselves take about half of it


def memory_bytes(limit: str | int) -> int:
    """Return a memory limit in bytes.

    Parameters
    ----------
    limit
        A whole number of bytes, or text such as "1GB" (10^9) or "1GiB" (2^30).

    Raises
    ------
    ValueError
        When this is no size, or less than the program itself needs.

    Examples
    --------
    >>> memory_bytes("1.5GB"), memory_bytes("1 GiB")
    (1500000000, 1073741824)
    """
    found = _LIMIT.fullmatch(str(limit))
    unit = None if found is None else _UNITS.get(found[2].lower())
    if found is None or unit is None or isinstance(limit, bool):
        raise ValueError(f"memory_limit must be a size such as 1GB or 500MB, got {limit!r}")
    size = int(float(found[1]) * unit)
    if size < LEAST:
        raise ValueError(f"memory_limit must be at least {LEAST // 1000**2}MB, got {limit}")
    return size
