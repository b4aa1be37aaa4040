"""Reading what the open page shows."""

import functools
import re

import numpy as np

import capcurve as cap

LOANS = "src/capcurve/datasets/loans.csv"
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
    """Return the confusion matrix that is shown; what is shown in short is there in full, too."""
    return {name: whole(page.inner_text(f"#{name}").split("\n")[0]) for name in CELLS}


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


@functools.cache
def three_by_month(*, months=True):
    """Return three scores that rank differently well, over twelve months or over all."""
    rng = np.random.default_rng(9)
    y = rng.random(6000) < 0.12
    noise = rng.standard_normal(6000)
    strengths = {"challenger_gbm": 1.9, "champion_lr": 1.4, "scorecard_2019": 0.9}
    scores = {
        name: noise + strength * y + rng.standard_normal(6000) / 2
        for name, strength in strengths.items()
    }
    by = [f"2024-{month:02d}" for month in range(1, 13)] * 500 if months else None
    return cap.evaluate(y, scores, by=by)


def boxes(page, selector):
    """Return left, top, right and bottom of every element that is shown."""
    return page.evaluate(
        """selector => [...document.querySelectorAll(selector)].map(e => e.getBoundingClientRect())
            .filter(b => b.width).map(b => [b.left, b.top, b.right, b.bottom])""",
        selector,
    )
