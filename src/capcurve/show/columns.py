"""Columns of a table: each knows how its numbers are written, and what stands above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypeVar, cast

from capcurve.show.format import MISSING, Form, written

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")


class ColumnName(str):
    """The name of a column that knows its form and its heading, for keys of a table's columns."""

    __slots__ = ("form", "heading")

    form: Form
    heading: str

    def __new__(cls, name: str, form: Form, heading: str | None = None) -> Self:
        """Return a name; words of the heading are those of the name where it is left out."""
        column = super().__new__(cls, name)
        column.form = form
        column.heading = name.replace("_", " ") if heading is None else heading
        return column

    def __getnewargs__(self) -> tuple[str, Form, str]:  # type: ignore[override]  # of a text one
        """Return what copies and pickles are made from."""
        return str(self), self.form, self.heading


def known_columns(headings: Mapping[str, str] | None = None, **names: str) -> dict[str, ColumnName]:
    """Return columns by name: of each form, the keyword, and some with a heading of their own."""
    heads = headings or {}
    every = ((name, form) for form, listed in names.items() for name in listed.split())
    return {name: ColumnName(name, cast("Form", form), heads.get(name)) for name, form in every}


def formed(
    columns: Mapping[str, T], headings: Mapping[str, str] | None = None, **names: str
) -> dict[str, T]:
    """Return the columns of a table, with names that know their form and heading.

    >>> found = formed({"n": [9], "psi": [0.1]}, {"psi": "PSI"}, fine="psi psi_low")
    >>> [(name, form_of(name), heading(name)) for name in found]
    [('n', 'count', 'cases'), ('psi', 'fine', 'PSI')]
    """
    known = known_columns(headings, **names)
    return {known.get(name, name): column for name, column in columns.items()}


# What is called alike in tables of several packages: counts, cut-offs and headline numbers.
USUAL_COLUMNS = known_columns(
    {
        "n": "cases",
        "cum_n": "cum cases",
        "q": "selected",
        "n1": "positives",
        "n0": "negatives",
        "prevalence": "rate",
        "pd": "PD",
        "accuracy_ratio": "AR",
        "roc_auc": "AUC",
        "ks": "KS",
        "ks_threshold": "KS cut-off",
        "mean_amount": "mean",
        "cum_mean_amount": "cum mean",
    },
    count="n n1 n0 cum_n cum_positives",
    name="segment",
    score="score threshold next_score score_from score_to ks_threshold",
    share="rate q captured precision tpr fpr selected share pd prevalence",
    ratio="accuracy_ratio roc_auc ks",
    lift="lift cum_lift",
    quantity="exposure amount cum_amount mean_amount cum_mean_amount",
    p="p_value p_adjusted",
)


def form_of(column: str) -> Form:
    """Return how the numbers of a column are written: as cases where nothing else is known.

    >>> form_of(ColumnName("rate", "fine")), form_of("rate"), form_of("n")
    ('fine', 'share', 'count')
    """
    known = column if isinstance(column, ColumnName) else USUAL_COLUMNS.get(column)
    return "count" if known is None else known.form


def heading(column: str) -> str:
    """Return what stands above a column."""
    known = column if isinstance(column, ColumnName) else USUAL_COLUMNS.get(column)
    return column if known is None else known.heading


def show(column: str, value: object) -> str:
    """Return one value as a risk manager reads it, in the form of its column.

    Examples
    --------
    >>> show("rate", 0.0312), show("ks", 0.41236), show("n", 12345), show("threshold", 0.031)
    ('3.1%', '0.412', '12,345', '0.031')
    """
    return MISSING if value is None else written(form_of(column), value)
