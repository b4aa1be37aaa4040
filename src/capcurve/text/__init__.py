"""Numbers as text: cards and tables for people, and csv, Markdown or strict JSON."""

from capcurve.text.card import card
from capcurve.text.columns import defused, to_csv, to_json, to_text, width_of
from capcurve.text.results import result_markdown, result_text
from capcurve.view.format import printable
from capcurve.view.markup import heading, to_markdown

__all__ = [
    "card",
    "defused",
    "heading",
    "printable",
    "result_markdown",
    "result_text",
    "to_csv",
    "to_json",
    "to_markdown",
    "to_text",
    "width_of",
]
