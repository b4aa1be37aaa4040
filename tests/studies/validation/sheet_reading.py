"""What a validation sheet says of each test, read off its page and its Markdown."""

import math
import re

from capcurve.show.format import statistic
from capcurve.studies.validation.judgement import SEGMENTS_TEST, kind_of

NUMBERS = ("estimate", "low", "high", "statistic", "df", "p_value", "p_adjusted")


def known(value):
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def written(value, form):
    """Return a number as the sheet writes it."""
    if not known(value):
        return "-"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if form == "share":
        digits = next(d for d in range(1, 9) if value in {0, 1} or 0 < round(value, d + 2) < 1)
        return f"{100 * value:.{digits}f}%"
    text = f"{value:.{2 if form == 'lift' else 3}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def in_words(test_id, test):
    """Return the value, limits and p-value of a test of the JSON as a page has them."""
    form = kind_of(test_id).form
    as_number = {name: float(test[name]) if known(test[name]) else None for name in NUMBERS}
    p_value = as_number["p_value" if test["p_adjusted"] is None else "p_adjusted"]
    value = written(as_number["estimate"], form)
    if (value == "-" or test_id == SEGMENTS_TEST) and as_number["p_value"] is not None:
        sign = "z" if test["df"] is None else "χ²"
        value = "" if test["statistic"] is None else f"{sign} {statistic(test['statistic'])}"
    ends = [as_number["low"], as_number["high"]]
    limits = ""
    if any(map(known, ends)):
        open_ = ("−∞", "∞")
        said = [written(e, form) if known(e) else o for e, o in zip(ends, open_, strict=True)]
        limits = f"[{', '.join(said)}]"
    p_text = ""
    if p_value is not None:
        p_text = "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
        p_text += "" if test["alternative"] == "two-sided" else "*"
        p_text += "" if test["p_adjusted"] is None else " adj."
    return value, limits, p_text


def cells_of(page):
    """Return value, interval and p-value of each test by name from the first page."""
    table = page.partition("<table class=tests>")[2].partition("</table>")[0]
    found = {}
    for row in re.findall(r"<tr[^>]*><th scope=row>(.*?)</th>(.*?)</tr>", table):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row[1])
        found[row[0]] = tuple(cell.replace("&lt;", "<") for cell in cells[1:4])
    return found


def rows_of(markdown):
    """Return the first table of Markdown, a dictionary per row."""
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    split = [[cell.strip() for cell in line[1:-1].split(" | ")] for line in lines]
    end = next((at for at, row in enumerate(split[1:], 1) if len(row) != len(split[0])), None)
    return [dict(zip(split[0], row, strict=True)) for row in split[2:end]]
