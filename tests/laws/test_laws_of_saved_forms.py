"""Every saved form that was changed anywhere is refused in one line, or is the same by value."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

import capcurve as cap
from capcurve.cli.earlier import earlier_samples
from capcurve.cli.errors import Failure
from capcurve.cli.options import Request

RNG = np.random.default_rng(11)
SIZE = 60
Y, ARM = RNG.random(SIZE) < 0.4, RNG.random(SIZE) < 0.5
SCORE = np.clip(RNG.integers(1, 4, SIZE) + Y, 1, 3)
IDS, WEIGHT, MONTH = RNG.integers(0, 9, SIZE), RNG.random(SIZE), RNG.integers(1, 9, SIZE)
GAPS, GRADES = np.where(SCORE == 2, np.nan, SCORE), np.array(["A", "B", "C"])[SCORE - 1]
AMOUNT = np.where(Y, RNG.random(SIZE) * 100, 0)
OUTCOME = [None if row % 5 == 0 else int(y) for row, y in enumerate(Y)]
ROWS = {"time": MONTH, "event": RNG.integers(0, 3, SIZE)}
LEVELS = {"levels": ["C", "B", "A"]}
STRATA = np.array(["x", "y"])[IDS % 2]
INITIAL = cap.count_scores(RNG.random(400) < 0.4, RNG.integers(1, 9, 400))


def design(counts, **words):
    return cap.design_grades(counts, 2, splits=2, **words)


FORMS = {
    "direction": lambda: cap.count_scores(Y, SCORE, higher_is="negative"),
    "grades": lambda: cap.count_scores(Y, GRADES, **LEVELS),
    "resolution": lambda: cap.count_scores(Y, SCORE / 7, resolution=0.25),
    "weights": lambda: cap.count_scores(Y, SCORE, weight=WEIGHT, weight_kind="sampling"),
    "clusters": lambda: cap.count_scores(Y, SCORE, cluster=IDS, weight=WEIGHT),
    "dropped": lambda: cap.count_scores(Y, GAPS, missing="drop"),
    "none": lambda: cap.count_scores(Y[:0], SCORE[:0], cluster=IDS[:0]),
    "amounts": lambda: cap.count_values(AMOUNT, SCORE, exposure=WEIGHT, cluster=IDS),
    "amounts dropped": lambda: cap.count_values(AMOUNT, GAPS, missing="drop"),
    "cases": lambda: cap.count_cases(SCORE, weight=WEIGHT),
    "cases clustered": lambda: cap.count_cases(GRADES, cluster=IDS, **LEVELS),
    "times": lambda: cap.count_times(**ROWS, score=GAPS, missing="drop"),
    "times clustered": lambda: cap.count_times(
        **ROWS, score=GRADES, cluster=IDS, stratum=STRATA, **LEVELS
    ),
    "partial": lambda: cap.count_partial(OUTCOME, SCORE, cluster=IDS),
    "trial": lambda: cap.count_uplift(Y, ARM, SCORE, cluster=IDS),
    "trial of amounts": lambda: cap.count_uplift_values(AMOUNT, ARM, GAPS, missing="drop"),
    "scale": lambda: design(cap.count_scores(~Y, SCORE, higher_is="negative"), labels="BA"),
    "scale of grades": lambda: design(FORMS["grades"]()),
    "scale of weights": lambda: design(FORMS["weights"]()),
    "scale of amounts": lambda: design(FORMS["amounts"]()),
    "limit": lambda: Limit(None),
}


class Limit:
    """The stored limit of a control chart, which a later chart takes back."""

    def __init__(self, limit):
        self.chart = cap.control_chart({"a": INITIAL}, INITIAL, limit=limit)

    def to_dict(self):
        return dict(self.chart.saved_limit)

    @classmethod
    def from_dict(cls, saved):
        return cls(saved)


@cache
def kept(name):
    """Return what reads a form back, and the form as text of JSON."""
    found = FORMS[name]()
    return type(found).from_dict, json.dumps(found.to_dict(), allow_nan=False)


LONG = 5_000  # characters of a form of which every seventh change is tried, some at each key
# What stands in for a value: other types, other sizes, what is no number, words that are known.
OTHERS = (True, None, -1, 2**70, "x", "positive", "negative", [], {}, [{}])
NO_NUMBERS = (float("nan"), float("inf"), "inf", "nan")


SAID = ("changed after", "expected format", "of version", "it lacks", "it has no")


def others_for(value):
    """Yield what a value may be changed into."""
    yield from OTHERS
    yield [value]
    if isinstance(value, str):
        yield from (value + " ", value.capitalize(), value[:-1])
    elif isinstance(value, int | float):
        yield from (*NO_NUMBERS, -value, value + 1, 2 * value, str(value))
    elif isinstance(value, list):
        yield from (value[:-1], value[1:], value[::-1], *([*value, x] for x in (None, 0, "x")))
        yield from ([*value, item] for item in value[:1])
    elif isinstance(value, dict):
        yield {**value, "x": 1}
        for key in value:
            rest = {name: item for name, item in value.items() if name != key}
            yield from (rest, {**rest, key.upper(): value[key]})


def changed_copies(value):
    """Yield copies of a form with one change each; of long lists the ends are changed alone."""
    yield from others_for(value)
    if isinstance(value, dict):
        for key, item in value.items():
            yield from ({**value, key: other} for other in changed_copies(item))
    elif isinstance(value, list):
        for place in {0, len(value) - 1} & set(range(len(value))):
            rest = value[:place], value[place + 1 :]
            yield from ([*rest[0], other, *rest[1]] for other in changed_copies(value[place]))


def by_value(value):
    """Return a form with 1 for 1.0, but True for True."""
    if isinstance(value, dict):
        return {key: by_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(by_value, value))
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return ("number", value) if number else value


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.merge)])
@pytest.mark.parametrize("name", FORMS)
def test_a_form_that_was_changed_anywhere_is_refused(name, step):
    read, text = kept(name)
    saved, refused = json.loads(text), 0
    assert json.loads(json.dumps(read(saved).to_dict())) == saved
    every = [each for each in changed_copies(saved) if isinstance(each, dict)]
    tried = every[:: step * (7 if len(text) > LONG else 1)]
    for changed in tried:
        try:
            read(changed)
        except (ValueError, TypeError) as error:
            said = str(error)
            assert "\n" not in said
            assert len(said) < 300
            assert any(word in said for word in SAID)
            refused += 1
        else:
            # Rows of amounts in another order are the same counts.
            again = json.loads(json.dumps(read(changed).to_dict()))
            assert by_value(changed) == by_value(saved) or again == saved
    assert refused > 0.8 * len(tried)


SUMMARIES = {
    "scores": lambda: cap.evaluate(Y, {"new": SCORE, "old": GAPS}, missing="drop", by=STRATA),
    "weights": lambda: cap.evaluate(Y, SCORE / 7, weight=WEIGHT, weight_kind="sampling"),
    "grades": lambda: cap.evaluate(Y, GRADES, cluster=IDS, **LEVELS),
    "horizon": lambda: cap.evaluate(**ROWS, score=SCORE, horizon=5),
    "amounts": lambda: cap.evaluate(amount=AMOUNT, score=SCORE, exposure=WEIGHT),
}


@pytest.mark.parametrize("most", [200, pytest.param(1000, marks=pytest.mark.merge)])
@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_that_was_changed_anywhere_is_refused_or_says_the_same(
    name, most, tmp_path, capsys
):
    found, path = SUMMARIES[name](), tmp_path / "baseline.json"
    found.save(path)
    asked = Request(file=("now.csv",), horizon=(5.0,) if name == "horizon" else ())

    def read():
        return earlier_samples("--baseline", str(path), asked, found.counts)

    saved, same, refused = json.loads(path.read_text("utf-8")), read(), 0
    assert {each: sample.value for each, sample in same.items()} == {
        each: summary.accuracy_ratio for each, summary in found.summaries.items()
    }
    every = [each for each in changed_copies(saved) if isinstance(each, dict)]
    tried = every[:: max(len(every) // most, 1)]
    for changed in tried:
        path.write_text(json.dumps(changed), "utf-8")
        try:
            again = read()
        except Failure as error:
            said = str(error)
            assert said.startswith("--baseline ")
            assert "\n" not in said
            refused += 1
        else:
            assert again == same
            assert "seal" not in changed or by_value(changed) == by_value(saved)
    assert refused > 0.9 * len(tried)
    del saved["seal"]  # as one writes it by hand
    path.write_text(json.dumps(saved), "utf-8")
    assert read() == same
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", [name for name in FORMS if name != "none"])
def test_a_form_from_a_writer_without_decimals_of_whole_numbers_is_the_same(name):
    read, text = kept(name)

    def whole(value):
        if isinstance(value, dict):
            return {key: whole(item) for key, item in sorted(value.items())}
        if isinstance(value, list):
            return list(map(whole, value))
        return int(value) if isinstance(value, float) and value.is_integer() else value

    again = read(whole(json.loads(text)))
    assert json.loads(json.dumps(again.to_dict())) == json.loads(text)


@pytest.mark.parametrize(
    "change",
    [
        *({"higher_is": word} for word in ("Positive", "positive", None, -1, "foo")),
        *({"cutoffs": cuts} for cuts in ([2, 3], [3, 2], [None], [], [0.5])),
        *({"labels": names} for names in (["x"], ["A", "B"], ["B", "B"], ["B", "A", "C"])),
        {"levels": ["C", "B", "A"]},
        {"counts": None},
    ],
)
def test_a_scale_that_would_grade_otherwise_is_refused(change):
    read, text = kept("scale")
    saved = json.loads(text)
    assert read(saved).apply([3, 2, 1]).tolist() == FORMS["scale"]().apply([3, 2, 1]).tolist()
    with pytest.raises(ValueError, match=r"^the grade scale is damaged or was changed after it "):
        read({**saved, **change})


def test_deeply_nested_values_are_refused():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for name in ("weights", "times", "partial", "scale", "limit"):
        read, text = kept(name)
        saved = json.loads(text)
        for key in saved:
            with pytest.raises(ValueError, match="|".join(SAID)):
                read({**saved, key: deep})
    while deep:  # let go level by level
        deep = deep.pop()
