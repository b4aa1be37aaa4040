"""Reading what the open page shows."""

import functools
import re

import capcurve as cap

LOANS = "examples/lending_club.csv"
CELLS = ("tp", "fp", "fn", "tn")


def loans(score="int_rate", **keywords):
    return _evaluated(score if isinstance(score, str) else tuple(score), tuple(keywords.items()))


@functools.cache
def _evaluated(score, keywords):
    asked = score if isinstance(score, str) else list(score)
    return cap.evaluate("y", asked, data=LOANS, **dict(keywords))


@functools.cache
def page_of(evaluation):
    """Return the page of an evaluation, written once."""
    return evaluation.to_html()


def matrix(page):
    """Return the confusion matrix that is shown."""
    return {name: whole(page.inner_text(f"#{name}")) for name in CELLS}


def whole(text):
    return int(text.replace(",", ""))


def matrix_of(point):
    return {name: getattr(point, name) for name in CELLS}


def rates(page):
    """Return name and text of each rate beside the matrix."""
    rows = page.query_selector_all("#matrix .rates div")
    return dict(row.inner_text().split("\n", 1) for row in rows)


def points(path):
    """Return the points of an SVG path of straight lines."""
    return [tuple(map(float, pair)) for pair in re.findall(r"(-?[\d.e-]+),(-?[\d.e-]+)", path)]


def type_into(page, box, text):
    page.fill(box, text)
    page.press(box, "Enter")
