"""A number is written one way wherever a result shows it: in words, as a figure and in tables."""

import html
import math
import re

import numpy as np
import pytest

import capcurve as cap

GRADES = list("EDCBA")
TOKEN = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?:%|(?![\w%]))")


def rows(seed, n, rates=(0.45, 0.31, 0.17, 0.11, 0.04)):
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 5, n)
    return {
        "y": (rng.random(n) < np.array(rates)[place]).astype(int),
        "grade": np.array(GRADES)[place],
        "end": np.array(GRADES)[np.clip(place + rng.choice([-1, 0, 1], n), 0, 4)],
        "score": -place + 2 * rng.normal(size=n),
        "segment": rng.choice(["retail", "corporate", "public"], n, p=[0.5, 0.3, 0.2]),
        "month": np.sort(rng.integers(1, 5, n)),
    }


NOW, BEFORE = rows(3, 1700, (0.33, 0.36, 0.2, 0.11, 0.06)), rows(4, 1300)
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


RESULTS = {
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
    "chart": lambda: cap.control_chart(segments(NOW, "month"), counts(BEFORE), limit=2.3456),
    "summary": lambda: cap.evaluate("y", ["grade"], data=NOW, levels={"grade": GRADES}),
    "sheet": lambda: cap.validate(
        counts(),
        initial=counts(BEFORE),
        periods=segments(NOW, "month"),
        segments=segments(NOW),
        joint=joint(),
        final="end",
        partial=partial(),
        chart=2.3456,
    ),
}


def shown(result):
    """Return all that the result says: as text, as Markdown, and on its page or card."""
    page = result._repr_html_() if isinstance(result, cap.Evaluation) else result.to_html()
    page = re.sub(r"<(style|script|svg).*?</\1>", " ", page, flags=re.DOTALL)
    words = html.unescape(re.sub(r"<[^>]*>", " ", page))
    return f"{result.to_text()}\n{result.to_markdown()}\n{words}"


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


@pytest.mark.parametrize("name", RESULTS)
def test_no_number_is_written_in_two_ways(name):
    result = RESULTS[name]()
    values = sorted(set(numbers_in(result.to_dict())))
    found = {value: set() for value in values}
    for token in set(TOKEN.findall(shown(result))):
        if "." not in token and "%" not in token:
            continue
        meant = [value for value in values if stands_for(token, value)]
        if len(meant) == 1:
            found[meant[0]].add(token)
    twice = {value: tokens for value, tokens in found.items() if len(tokens) > 1}
    assert not twice
    assert sum(map(bool, found.values())) > 4


def test_bounds_are_rounded_outward_and_limits_to_the_nearest_digit():
    found = cap.unknown_bounds(
        cap.PartialCounts.from_counts([3, 2, 1], [4, 3, 1], [2, 5, 9], [1, 1, 0])
    )
    outward = [
        f"{math.floor(1000 * found.low) / 1000:.3f}",
        f"{math.ceil(1000 * found.high) / 1000:.3f}",
    ]
    assert outward != [f"{found.low:.3f}", f"{found.high:.3f}"]
    (figure,) = (each for each in found.presentation().figures if each.key == "accuracy_ratio")
    assert figure.value == "–".join(outward)
    assert figure.limits == f"[{found.low_limit:.3f}, {found.high_limit:.3f}]"
    assert f"between {' and '.join(outward)} whatever" in found.to_text()
    lines = [
        line.split("|")
        for line in found.to_markdown().splitlines()
        if "lowest" in line or "highest" in line
    ]
    assert [cells[2].strip() for cells in lines] == outward
    assert [cells[4].strip() for cells in lines] == [
        f"{found.low_limit:.3f}",
        f"{found.high_limit:.3f}",
    ]
    labels = [line.label for line in found.presentation().charts[0].lines[:2]]
    assert labels == [f"Lowest  AR {outward[0]}", f"Highest  AR {outward[1]}"]
    # What machines read has all digits.
    assert found.presentation().tables[0].values()["accuracy_ratio"][0] == found.low
    assert (
        found.presentation().tables[0].to_frame("polars")["accuracy_ratio"].to_list()[0]
        == found.low
    )


@pytest.mark.parametrize(
    ("share", "written"),
    [(0.29, "29.0%"), (0.08, "8.0%"), (1.0, "100.0%"), (0.0, "0.0%"), (0.00021, "0.02%")],
)
def test_shares_that_are_measured_have_one_decimal(share, written):
    from capcurve.view.format import percent, show

    assert percent(share) == show("captured", share) == written
