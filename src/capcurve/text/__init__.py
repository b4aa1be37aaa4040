"""Numbers as text: cards and tables for people, and csv, Markdown or strict JSON."""

from capcurve.text.card import card, interval_text
from capcurve.text.columns import (
    MISSING,
    amount,
    heading,
    printable,
    show,
    to_csv,
    to_json,
    to_markdown,
    to_text,
    width_of,
)
from capcurve.text.defusing import defused

__all__ = [
    "MISSING",
    "amount",
    "card",
    "defused",
    "heading",
    "interval_text",
    "printable",
    "show",
    "to_csv",
    "to_json",
    "to_markdown",
    "to_text",
    "width_of",
]
