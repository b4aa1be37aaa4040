"""The sheet that says what each number is, in a sentence and in a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.studies.evaluation.workbook.book import lines_of

if TYPE_CHECKING:
    from capcurve.studies.evaluation.workbook.book import Book
    from capcurve.studies.evaluation.workbook.classes import OfClasses

TERMS = (
    (
        "cases, positives, negatives",
        "Cases, and how many of each class; a positive is a case of the class one looks for.",
        "n = n1 + n0",
    ),
    ("prevalence", "Share of cases that are positive.", "n1 / n"),
    ("cut-off", "The lowest-ranked score still selected; equal scores are selected together.", ""),
    (
        "share of cases",
        "Share of all cases that a cut-off selects.",
        "(cum. positives + cum. negatives) / n",
    ),
    (
        "captured",
        (
            "Share of all positives among the selected: true positive rate, recall."
            " Against the share of cases it is the CAP."
        ),
        "cum. positives / n1",
    ),
    ("false positive rate", "Share of all negatives among the selected.", "cum. negatives / n0"),
    (
        "precision",
        "Share of the selected cases that are positive.",
        "cum. positives / selected cases",
    ),
    (
        "lift",
        (
            "How many times more positives the selected hold than as many random cases;"
            " in a gains table that of the bin alone, and cum. lift that of all bins so far."
        ),
        "captured / share of cases",
    ),
    (
        "gap",
        "Share of positives captured less share of negatives captured.",
        "captured - false positive rate",
    ),
    (
        "KS",
        "How far apart the classes lie at the cut-off that separates them best.",
        "largest gap, whatever its sign",
    ),
    (
        "accuracy ratio (Gini)",
        (
            "Share of the pairs of a positive and a negative ranked rightly less that ranked"
            " wrongly; also the area between CAP and diagonal over that of a perfect score."
        ),
        "(pairs won - pairs lost) / (n1 · n0)",
    ),
    (
        "ROC AUC",
        "Chance that a random positive ranks above a random negative, a tie counting half.",
        "(accuracy ratio + 1) / 2",
    ),
    (
        "pairs inside",
        "Pairs won less pairs lost among the cases of a row that holds several scores.",
        "part of the accuracy ratio",
    ),
    (
        "interval",
        "Confidence interval as capcurve computed it; it does not follow changed cells.",
        "",
    ),
    (
        "perfect, random",
        "The CAP of a score that ranks all positives first, and of one without information.",
        "",
    ),
)
LETTERS = 84
HEADS = ("term", "what it is", "formula")


def write_definitions(book: Book, content: OfClasses) -> None:
    """Write what every number is, and what tells whether two workbooks rest on the same data."""
    sheet = book.sheet("Definitions")
    sheet.text(0, 0, "Definitions", "title")
    sheet.heads(2, HEADS, 3)
    row = 3
    for term in TERMS:
        for column, words in enumerate(term):
            sheet.text(row, column, words, "wrapped")
        sheet.high(row, lines_of(term[1], LETTERS))
        row += 1
    row += 1
    sheet.text(row, 0, "The data", "bold")
    for name, words in about_data(content):
        row += 1
        sheet.text(row, 0, name, "wrapped")
        sheet.text(row, 1, words, "wrapped")
        sheet.high(row, lines_of(words, LETTERS))
    sheet.widths(28, 90, 46)
    sheet.raw.freeze_panes(3, 0)
    sheet.printed(repeated=2)


def about_data(content: OfClasses) -> list[tuple[str, str]]:
    """Return what the counts are and where they came from."""
    found = [("source", content.source)] if content.source else []
    for name, summary in content.summaries.items():
        sign = "higher" if summary.higher_is == "positive" else "lower"
        rule = f"{sign} scores are more likely positive"
        if summary.levels is not None:
            rule = "grades, most likely positive first"
        parts = [rule, f"{summary.distinct_scores:,} distinct scores"]
        if summary.resolution is not None:
            parts.append(f"rounded down to a grid of {summary.resolution:g}")
        if summary.weighted:
            parts.append(f"weighted ({summary.weight_kind or 'of unknown kind'})")
        if summary.digest:
            parts.append(f"digest {summary.digest}")
        found.append((name, "; ".join(parts)))
    found.append(("capcurve", next(iter(content.summaries.values())).version))
    return found
