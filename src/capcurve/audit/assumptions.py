"""What is assumed of the order inside bins, and whether a table leaves room for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.audit.concave import rises
from capcurve.audit.concave_windows import lowest_concave, passes
from capcurve.audit.known_sizes import KnownSizes
from capcurve.audit.ranges import Allowed, Curves
from capcurve.counts.arguments import told
from capcurve.view.format import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.audit.ranges import Assumption
    from capcurve.audit.tables import Problem, Tables

# Each number of positives has a programme of its own to solve.
MOST_TOTALS = 25


def check_assumption(assume: object) -> Assumption | None:
    """Return what is assumed, else raise ValueError."""
    if assume is None or assume == "random" or assume == "concave":  # noqa: PLR1714 - narrows the type
        return assume
    raise ValueError(f'assume must be "random", "concave" or None, got {told(assume)}')


def allowed_under(
    problem: Problem, tables: Tables, assume: Assumption | None, names: Sequence[str]
) -> Allowed:
    """Return all rankings that fit under an assumption.

    Raises
    ------
    ValueError
        When the rate of positives rises, so that no curve through the table is concave.
    """
    if assume != "concave":
        return Allowed(problem, tables, assume)
    sized = isinstance(problem, KnownSizes)
    if not sized:
        raise ValueError(
            'assume="concave" needs the number or the exact share of the cases in each bin'
        )
    if len(tables) > MOST_TOTALS:
        raise ValueError(
            f'assume="concave" with {len(tables):,} possible numbers of positives takes too long: '
            "say how many there are with positives="
        )
    curves = [Curves(each, lowest_concave(each)) for each in tables.each()]
    fitting = [each for each in curves if passes(each.lowest, each.tables) is None]
    if not fitting:
        raise ValueError(_rise(curves[0], names))
    return Allowed(problem, tables, assume, tuple(fitting))


def _rise(curves: Curves, names: Sequence[str]) -> str:
    """Return where the rate rises, in one line."""
    only = curves.tables.only
    where = [] if only is None else rises(only)
    said = f"at the end of bin {names[passes(curves.lowest, curves.tables) or 0]}"
    if only is not None and where:
        ends = list(only.each())
        rates = [float((p - p0) / (p - p0 + m - m0)) for p0, p, m0, m in ends]
        b = where[0]
        said = (
            f"from bin {names[b]} to bin {names[b + 1]} "
            f"({percent(rates[b])} to {percent(rates[b + 1])})"
        )
    return (
        f"no curve through the table is concave, since the rate of positives rises {said}: "
        'leave assume="concave" out, or join bins'
    )
