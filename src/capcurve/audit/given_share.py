"""What a share captured at one depth leaves of all other numbers: it splits a bin in two."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING

from capcurve.audit.bins import Bins, captured_cases
from capcurve.audit.known_sizes import KnownSizes
from capcurve.audit.ranges import Allowed
from capcurve.audit.tables import Tables
from capcurve.audit.windows import Window

if TYPE_CHECKING:
    from capcurve.audit.stated import Stated


def given_share(allowed: Allowed, claim: Stated) -> Allowed | bool:
    """Return what is allowed where a share captured is as claimed.

    False where no ranking captures it, True where nothing is known: several tables fit, or the
    depth lies inside a case.
    """
    only, q = allowed.tables.only, claim.q
    if only is None or q is None or not only.counted or (q * only.n).denominator > 1:
        return True
    t, window = int(q * only.n), _captured(claim, q, only)
    low = max(ceil(captured_cases(only, t, "low")), ceil(window.low * only.n1))
    high = min(floor(captured_cases(only, t, "high")), floor(window.high * only.n1))
    if low > high:
        return False
    return _allowed(_with_point(only, t, low), _with_point(only, t, high))


def _captured(claim: Stated, q: Fraction, bins: Bins) -> Window:
    """Return where the share captured lies, of that or of a lift or precision."""
    prevalence = Fraction(bins.n1, bins.n)
    factor = {"captured": Fraction(1), "lift": q, "precision": q / prevalence}[claim.metric]
    return Window(claim.window.low * factor, claim.window.high * factor)


def _with_point(bins: Bins, t: int, positives: int) -> Bins:
    """Return a table with one more point, so many positives among the first t cases."""
    ends = {p + m: p for p, m in zip(bins.positives, bins.negatives, strict=True)}
    running = dict(sorted((ends | {t: positives}).items()))
    return Bins.of(tuple(running), tuple(running.values()))


def _allowed(least: Bins, greatest: Bins) -> Allowed:
    """Return all rankings between two tables that differ at one point."""
    cases = [p + m for p, m in zip(least.positives, least.negatives, strict=True)]
    sizes = tuple(b - a for a, b in pairwise([0, *cases]))
    problem = KnownSizes(sizes, (), range(least.n1, least.n1 + 1), whole=True)
    return Allowed(problem, Tables(least, greatest, (0,) * len(sizes), sizes))
