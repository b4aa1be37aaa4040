"""A table as somebody printed it: its columns by what they mean, and every number as it stood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from fractions import Fraction

    from capcurve.summary import Finding

OfCases = Literal["n", "cum_n", "share_of_cases", "selected"]
OfPositives = Literal["positives", "cum_positives", "share_of_positives", "captured"]
OfNegatives = Literal["negatives", "cum_negatives", "share_of_negatives", "fpr"]
OfBoth = Literal["rate", "cum_rate", "lift", "cum_lift", "ks", "ks_absolute"]
Quantity = OfCases | OfPositives | OfNegatives | OfBoth


@dataclass(frozen=True, slots=True)
class Cell:
    """One number as it was printed.

    Attributes
    ----------
    value
        The number as printed, without per cent signs and separators, and not rescaled.
    unit
        What one step of its last digit is worth; 0 for an exact number.
    text
        The number as printed, for messages.
    """

    value: Fraction
    unit: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """One column as it was printed.

    Attributes
    ----------
    quantity
        What it holds. Of each bin: n, positives, negatives, share_of_cases, share_of_positives,
        share_of_negatives, rate, lift. Down to the end of each bin: cum_n, cum_positives,
        cum_negatives, selected (share of cases), captured (of positives), fpr (of negatives),
        cum_rate, cum_lift, and ks (captured less fpr; ks_absolute if it has no sign).
    heading
        What the source calls it.
    cells
        One per bin; None where nothing stands.
    scale
        What the numbers are to be multiplied by: 1, or 1/100 for per cent; None if not known.
    """

    quantity: Quantity
    heading: str
    cells: tuple[Cell | None, ...]
    scale: Fraction | None


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A binned table as it was printed, the bin of the most likely positives first.

    Attributes
    ----------
    columns
        The columns that were understood.
    names
        What each bin is called.
    positives, cases
        Their numbers in the whole table, where they were given or stand in a row of totals.
    prevalence
        From which to which share of all cases the positives are, or None.
    edges
        The scores from which to which each bin goes, where the table has them.
    remarks
        What a reader must know about the reading: rows and columns left out.
    source
        Where the table came from, such as the name of its file.
    """

    columns: tuple[Column, ...]
    names: tuple[str, ...]
    positives: int | None = None
    cases: int | None = None
    prevalence: tuple[Fraction, Fraction] | None = None
    edges: tuple[tuple[object, object], ...] | None = None
    remarks: tuple[Finding, ...] = ()
    source: str | None = None
