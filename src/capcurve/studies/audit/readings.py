"""How columns are read that may mean several things: in every way in which they fit together."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, islice, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from capcurve.studies.audit.printed import Column, Windowed, windowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from capcurve.studies.audit.printed import Rounding
    from capcurve.studies.audit.tables import Problem

SCALES = (Fraction(1), Fraction(1, 100))
# How many readings of all columns together are tried, and how many where each is much work.
MOST_READINGS, LEAST_READINGS = 300, 8
# With more possible numbers of positives fewer readings are tried, and no misprints.
MUCH_WORK = 5_000
Scaled: TypeAlias = tuple[Column, Fraction]
ProblemWith: TypeAlias = "Callable[[tuple[Windowed, ...]], Problem]"


class Read(NamedTuple):
    """Columns as they are read: what each holds, in which direction, and at which scale.

    A reading that is not likely is thought of only where no likely one fits with other columns.
    """

    columns: tuple[Column, ...]
    windows: tuple[Windowed, ...]
    scales: dict[str, Fraction]
    likely: bool = True


class Readings(NamedTuple):
    """What tells whether columns fit when they are read in some way."""

    rounding: Rounding
    problem_with: ProblemWith

    def fits(self, scaled: Sequence[Scaled], skip: tuple[int, int] | None = None) -> bool:
        """Tell whether columns fit, one cell left out."""
        problem = self.problem_with(tuple(windowed(c, self.rounding, s) for c, s in scaled))
        return problem.solve(range(len(problem.columns)), skip) is not None

    def effort(self, scaled: Sequence[Scaled]) -> int:
        """Return how much work it is to tell whether columns fit."""
        return self.problem_with(tuple(windowed(c, self.rounding, s) for c, s in scaled)).effort

    def misprinted(self, scaled: Sequence[Scaled]) -> bool:
        """Tell whether columns fit but for one number of the last, unless that is much work."""
        last = len(scaled) - 1
        if self.effort(scaled[:-1]) > MUCH_WORK:
            return False
        return any(self.fits(scaled, (last, b)) for b in range(len(scaled[-1][0].cells)))

    def choices(self, columns: Sequence[Column]) -> list[list[Scaled]]:
        """Return the readings of each column that fit beside those that have but one.

        Where none does, the likeliest, or one with a single number misprinted. A column of which
        nothing is known is left out then.
        """
        every = [list(_scaled(column)) for column in columns]
        sure = [each[0] for each in every if len(each) == 1 and each[0][0].if_left_out is None]
        beside = sure if sure and len(sure) < len(every) and self.fits(sure) else []
        found = []
        for column, may_be in zip(columns, every, strict=True):
            certain = len(may_be) == 1 and column.if_left_out is None
            fitting = may_be if certain else [o for o in may_be if self.fits([*beside, o])]
            if not fitting and column.if_left_out is not None:
                continue
            if not fitting:
                fitting = [o for o in may_be if self.misprinted([*beside, o])][:1]
            found.append(fitting or [(column, _guessed(column))])
        return found

    def read(self, scaled: Sequence[Scaled], *, likely: bool = True) -> Read:
        """Return columns as they are read."""
        return Read(
            tuple(column for column, _ in scaled),
            tuple(windowed(column, self.rounding, scale) for column, scale in scaled),
            {column.heading: scale for column, scale in scaled},
            likely,
        )


def readings_together(
    columns: tuple[Column, ...], rounding: Rounding, problem_with: ProblemWith
) -> Iterator[Read]:
    """Yield columns in every reading in which all fit, the likeliest first; if none does, that.

    Another direction or sign than the usual one is not likely where that fits.
    """
    readings = Readings(rounding, problem_with)
    choices = readings.choices(columns)
    first = [each[0] for each in choices]
    if not any(len(each) > 1 for each in choices):
        yield readings.read(first)
        return
    most = max(LEAST_READINGS, MOST_READINGS * MUCH_WORK // max(MUCH_WORK, readings.effort(first)))
    tried = islice(product(*choices), most)
    found = next((list(each) for each in tried if readings.fits(each)), first)
    _refuse_two_scales(found, choices, readings)
    yield readings.read(found)
    meant = [
        [one for one in each if _means_more(one[0], read)] or [(read, scale)]
        for each, (read, scale) in zip(choices, found, strict=True)
    ]
    likely = list(islice(product(*meant), most))
    for other in islice(chain(likely, product(*choices)), 2 * most):
        if list(other) != found and readings.fits(other):
            yield readings.read(other, likely=other in likely)


def _means_more(column: Column, read: Column) -> bool:
    """Tell whether a reading is the one that was chosen, or as usual as that.

    That a gap has lost its sign is thought of only where it does not fit with it.
    """
    unsigned = (
        "ks_absolute" in {column.quantity, read.quantity} and column.quantity != read.quantity
    )
    return column is read or not (unsigned or column.turned)


def _scaled(column: Column) -> Iterator[Scaled]:
    """Yield each reading of a column with each scale that it may have."""
    for each in (column, *column.others):
        for scale in SCALES if each.scale is None else (each.scale,):
            yield each, scale


def _refuse_two_scales(
    found: Sequence[Scaled], choices: Sequence[Sequence[Scaled]], readings: Readings
) -> None:
    """Raise ValueError where the same reading of the columns fits at another scale, too."""
    same = [
        [one for one in each if one[0] is read]
        for (read, _), each in zip(found, choices, strict=True)
    ]
    for other in product(*same):
        if list(other) != list(found) and readings.fits(other):
            both = next(c for (c, s), (_, t) in zip(found, other, strict=True) if s != t)
            raise ValueError(
                f"{both.heading} fits as shares and in per cent: write a % behind its numbers, or "
                "give it in shares as text such as '0.10'"
            )


def _guessed(column: Column) -> Fraction:
    """Return the scale that is said, or that numbers have by their size, where none fits."""
    if column.scale is not None:
        return column.scale
    largest = max((abs(cell.value) for cell in column.cells if cell is not None), default=0)
    return SCALES[1] if largest > 1 else SCALES[0]
