"""A number is written one way wherever a result shows it: in words, as a figure and in tables."""

import copy
import html
import math
import pickle
import re
from collections import defaultdict

import numpy as np
import pytest

import capcurve as cap

GRADES = list("EDCBA")
# Usual limits of a PSI, which a note quotes, and half the fall that a chart looks for.
QUOTED = {"0.10", "0.25", "0.025"}
TOKEN = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?:%|(?![\w%]))")


def rows(seed, n, rates=(0.45, 0.31, 0.17, 0.11, 0.04), shares=(0.1, 0.2, 0.4, 0.2, 0.1)):
    rng = np.random.default_rng(seed)
    place = rng.choice(5, n, p=shares)
    return {
        "y": (rng.random(n) < np.array(rates)[place]).astype(int),
        "grade": np.array(GRADES)[place],
        "end": np.array(GRADES)[
            np.clip(place + rng.choice([-1, 0, 1], n, p=[0.1, 0.8, 0.1]), 0, 4)
        ],
        "score": -place + 2 * rng.normal(size=n),
        "segment": rng.choice(["retail", "corporate", "public"], n, p=[0.5, 0.3, 0.2]),
        "month": np.sort(rng.integers(1, 5, n)),
    }


NOW, BEFORE = (
    rows(3, 1700, (0.33, 0.36, 0.2, 0.11, 0.06), [0.15, 0.3, 0.25, 0.2, 0.1]),
    rows(4, 1300),
)
SCALE = {"levels": GRADES}


def counts(data=NOW, score="grade"):
    return cap.count_scores("y", score, data=data, **(SCALE if score == "grade" else {}))


def segments(data, by="segment"):
    return cap.count_segments("y", "grade", data=data, by=by, **SCALE)


def partial():
    y = NOW["y"].astype(object)
    y[np.random.default_rng(5).random(len(y)) < np.where(NOW["grade"] == "E", 0.3, 0.02)] = None
    return cap.count_partial(y, NOW["grade"], **SCALE)


def joint():
    names = ["grade", "end"]
    return cap.count_joint("y", names, data=NOW, levels=dict.fromkeys(names, GRADES))


def audited():
    """Return an audit of bins so wide that no end of a range is that of another, too."""
    claims = {"ks": "0.37", "captured@0.1": "12.9%", "ar": "0.738", "lift@0.2": "1.33"}
    table = {"n": [954, 989, 1165, 643], "positives": [145, 113, 92, 38]}
    return cap.audit_table(table, claims=claims)


RESULTS = {
    "audit": audited,
    "audit of rounded shares": lambda: cap.audit_table(
        {"n": [954, 989, 1165, 643], "captured": ["38%", "65%", "90%", "100%"]},
        positives=376,
        claims={"captured@0.1": "29.3%", "precision@0.3": "20%"},
    ),
    "bounds": lambda: cap.unknown_bounds(partial()),
    "bounds, if so many are positive": lambda: cap.unknown_bounds(partial(), positives=(0.1, 0.4)),
    "bounds of the AUC": lambda: cap.unknown_bounds(partial(), "roc_auc", odds=(1, 3)),
    "bounds of captured": lambda: cap.unknown_bounds(partial(), "captured_response", q=0.25),
    "stability": lambda: cap.population_stability(counts(BEFORE), counts()),
    "stability of positives": lambda: cap.population_stability(
        counts(BEFORE), counts(), of="positives"
    ),
    "migration": lambda: cap.migration_table(joint(), "grade", "end"),
    "change": lambda: cap.attribute_change(segments(BEFORE), segments(NOW)),
    "change of precision": lambda: cap.attribute_change(
        counts(BEFORE, "score"), counts(NOW, "score"), metric="precision", q=0.1
    ),
    "split": lambda: cap.decompose(segments(NOW)),
    "chart": lambda: cap.control_chart(segments(NOW, "month"), counts(BEFORE), limit=2.35),
    "summary": lambda: cap.evaluate("y", ["grade"], data=NOW, levels={"grade": GRADES}),
    "sheet": lambda: cap.validate(
        counts(),
        initial=counts(BEFORE),
        periods=segments(NOW, "month"),
        segments=segments(NOW),
        joint=joint(),
        final="end",
        partial=partial(),
        chart=2.35,
    ),
}


def shown(result):
    """Return all that the result says: as text, as Markdown, and on its page or card."""
    if isinstance(result, cap.Evaluation):
        return f"{words_of(result._repr_html_())}\n{result.summaries['grade']!s}\n{result}"
    return f"{result.to_text()}\n{result.to_markdown()}\n{words_of(result.to_html())}"


def words_of(page):
    page = re.sub(r"<(style|script|svg).*?</\1>", " ", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


def numbers_in(value):
    """Yield every number of a result that is not whole."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from numbers_in(each)
    elif isinstance(value, float) and math.isfinite(value) and not value.is_integer():
        yield abs(value)


def stands_for(token, value):
    """Tell whether a number may be rounded, in either direction, to what is written."""
    text = token.replace(",", "").removesuffix("%")
    number = float(text) / (100 if token.endswith("%") else 1)
    decimals = len(text.partition(".")[2]) + (2 if token.endswith("%") else 0)
    return abs(number - value) < 0.999 * 10.0**-decimals


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", RESULTS)
def test_no_number_is_written_in_two_ways(name):
    result = RESULTS[name]()
    values = sorted(set(numbers_in(result.to_dict())))
    found = defaultdict(set)
    for token in set(TOKEN.findall(shown(result))) - QUOTED:
        meant = [value for value in values if stands_for(token, value)]
        # What stands for several numbers, or has few digits, may be another number.
        if len(meant) == 1 and ("%" in token or re.search(r"\.\d\d", token)):
            found[meant[0], "%" in token].add(token)
    twice = {value: tokens for value, tokens in found.items() if len(tokens) > 1}
    assert not twice
    assert sum(map(bool, found.values())) > 4


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", RESULTS)
def test_what_is_shown_can_be_copied_and_pickled(name):
    made = RESULTS[name]()
    shown = made.presentation() if hasattr(made, "presentation") else made.summaries
    for again in (copy.deepcopy(shown), pickle.loads(pickle.dumps(shown))):  # noqa: S301
        assert repr(again) == repr(shown)
    if isinstance(made, cap.Audit):
        texts = [[str(row) for row in table.rows()] for table in shown.tables]
        assert [[str(row) for row in table.rows()] for table in again.tables] == texts


def test_bounds_are_rounded_outward_and_limits_to_the_nearest_digit():
    counts = cap.PartialCounts.from_counts([3, 2, 1], [4, 3, 1], [2, 5, 9], [1, 1, 0])
    found = cap.unknown_bounds(counts)
    # The lowest and the highest of 8 or 9 positives among 26 cases, or 8 of 17 and 88 of 153.
    ends, limits = ["0.470", "0.576"], [f"{found.low_limit:.3f}", f"{found.high_limit:.3f}"]
    assert (found.low, found.high) == (8 / 17, 88 / 153)
    shown = found.presentation()
    (figure,) = (each for each in shown.figures if each.metric == "accuracy_ratio")
    assert figure.text == "–".join(ends)
    assert figure.limits == f"[{', '.join(limits)}]"
    assert f"between {' and '.join(ends)} whatever" in found.to_text()
    lines = found.to_markdown().splitlines()
    cells = [next(line for line in lines if line.startswith(f"| {end}")) for end in ("low", "high")]
    assert [cell.split(" | ")[1] for cell in cells] == ends
    assert [cell.split(" | ")[3].removesuffix(" |") for cell in cells] == limits
    labels = [line.label for line in shown.charts[0].lines[:2]]
    assert labels == [f"Lowest  AR {ends[0]}", f"Highest  AR {ends[1]}"]
    # What machines read has all digits.
    assert next(shown.tables[0].rows())["accuracy_ratio"] == found.low
    assert shown.tables[0].to_frame("polars")["accuracy_ratio"].to_list()[0] == found.low
    sheet = cap.validate(counts.known, partial=counts).tests["unknown.accuracy_ratio"]
    assert f"bounds {' to '.join(ends)} whatever" in sheet.method


@pytest.mark.parametrize(
    ("share", "written"),
    [(0.29, "29.0%"), (0.08, "8.0%"), (1.0, "100.0%"), (0.0, "0.0%"), (0.00021, "0.02%")],
)
def test_shares_that_are_measured_have_one_decimal(share, written):
    from capcurve.show.columns import show
    from capcurve.show.format import percent

    assert percent(share) == show("captured", share) == written
