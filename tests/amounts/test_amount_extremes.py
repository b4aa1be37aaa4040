"""Amounts and exposures of any size: each number is that of its definition, or is refused."""

import inspect
import json
import math
from fractions import Fraction
from itertools import pairwise

import amount_strategies as some
import numpy as np
import pytest
from exact_amounts import at
from hypothesis import example, given, settings, strategies as st

import capcurve as cap

EPSILON, TINY = Fraction(1, 10**15), 8 * Fraction(5e-324)
SIZES = [5e-324, 1e-310, 1e-300, 1e-150, 0.1, 1.0, 7.0, 1e150, 1e300, 2.5e307, 1e308]
UNEVEN = [1e-8, 0.1, 1.0, 3.0, 1e9]
SCORE = [4.0, 3.0, 3.0, 2.0, 1.0, 1.0]
AMOUNTS = {
    "usual": [5.0, 0.0, 2.0, 0.0, 1.0, 3.0],
    "none": [0.0] * 6,
    "one": [0.0, 0.0, 7.0, 0.0, 0.0, 0.0],
    "alike": [2.0] * 6,
    "huge": [1e308, 1e308, 0.0, 1e308, 1.0, 0.0],
    "largest": [1.7e308, 0.0, 0.0, 0.0, 0.0, 5e-324],
    "least": [5e-324, 0.0, 5e-324, 1e-323, 0.0, 0.0],
    "both ends": [1e-300, 1e300, 0.0, 1.0, 1e-300, 1e300],
    "small after large": [1e9, 1.0, 0.0, 1e-8, 1e-8, 0.0],
    "signed": [5.0, -2.0, 0.0, 1.0, -7.0, 3.0],
    "signed and huge": [1e308, -1e308, 1e308, -1e308, 1e308, 1.0],
    "cancelling": [2.5e307, 0.0, -2.5e307, 1.0, 0.0, 0.0],
}
EXPOSURES = {
    "cases": None,
    "usual": [1.0, 2.0, 1.0, 0.5, 4.0, 1.0],
    "huge": [1e308] * 6,
    "least": [5e-324] * 6,
    "both ends": [1e-300, 1e300, 1.0, 1e-300, 1e300, 1.0],
    "small after large": [1e9, 1e-8, 1.0, 1e-8, 1e-8, 1e9],
}
# What functions need besides the counts.
NEEDED = {
    "design_grades": {"grades": 2},
    "captured_response": {"q": 0.3},
    "captured_between": {"q1": 0.1, "q2": 0.3},
    "lift": {"q": 0.3},
    "local_lift": {"q": 0.3},
    "mean_amount": {"q": 0.3},
    "operating_point": {"q": 0.3},
    "selective_risk": {"coverage": 0.7},
    "profit_curve": {"value": 1e100, "cost": 1e-100},
    "best_thresholds": {"rule": "profit", "value": 1e100, "cost": 1e-100},
    "confidence_interval": {"metric": "accuracy_ratio"},
}
MORE = [
    *(
        ("confidence_interval", {"metric": name, "q": 0.3})
        for name in ("captured_response", "lift")
    ),
    *(
        ("confidence_interval", {"metric": name})
        for name in ("concentration_index", "mean_amount", "aurc", "excess_aurc", "augrc")
    ),
    ("confidence_interval", {"metric": "selective_risk", "coverage": 0.7}),
    ("confidence_interval", {"metric": "mean_amount", "q": 0.3}),
    ("confidence_interval", {"metric": "profit", "value": 3.0, "cost": 1.0, "replicates": 10}),
    *(("gains_table", {"bins": bins}) for bins in ("score", 2, [3.0, 1.0])),
    *(("operating_point", {name: 0.3}) for name in ("captured", "mean_amount", "threshold")),
    *((name, {"absolute": True}) for name in ("cap_curve", "perfect_cap")),
    ("mean_amount", {}),
]


def takers():
    """Every public function whose first argument is counts of amounts, with what it needs."""
    for name in cap.__all__:
        function = getattr(cap, name)
        if not inspect.isfunction(function) or name.startswith(("plot_", "write_")):
            continue
        first = next(iter(inspect.signature(function).parameters), None)
        if first in {"counts", "values"} and takes_amounts(function, NEEDED.get(name, {})):
            yield name, NEEDED.get(name, {})


def takes_amounts(function, needed):
    try:
        function(cap.count_values([5.0, 0.0, 1.0], [3, 2, 1]), **needed)
    except TypeError as error:
        return "is about two classes" not in str(error) and "takes" not in str(error)
    return True


CALLS = [*takers(), *MORE]


def numbers_of(found):
    """Return every number of a result that is to be finite, by name."""
    if isinstance(found, cap.Table):
        whole = {n: c for n, c in found.columns.items() if not n.startswith("score")}
        columns = {n: c for n, c in whole.items() if c.dtype.kind in "fi"}
        return {name: column[~np.isnan(column)] for name, column in columns.items()}
    if isinstance(found, cap.Curve):
        return {"x": found.x, "y": found.y, "area": found.area}
    if isinstance(found, cap.Interval):  # nobody knows how large a mean may be
        return {"low": found.low, "estimate": found.estimate, "se": found.se or 0.0}
    if isinstance(found, cap.ValuePoint):
        names = ("q", "captured", "mean_amount", "lift", "exposure", "amount")
        return {name: getattr(found, name) or 0.0 for name in names}
    if isinstance(found, cap.ValueSummary):
        parts = {"gains": found.gains} if found.gains is not None else {}
        of_parts = [numbers_of(part) for part in (*parts.values(), *found.intervals.values())]
        own = {name: getattr(found, name) or 0.0 for name in ("mean_amount", "accuracy_ratio")}
        held = {**own, **dict(enumerate((*found.captured.values(), *found.lift.values())))}
        return {**held, **{(k, n): v for k, each in enumerate(of_parts) for n, v in each.items()}}
    if isinstance(found, cap.GradeScale):
        names = ("accuracy_ratio", "ungrouped", "ceiling", "loss_at_most", "effective_grades")
        return {name: getattr(found, name) for name in names} | numbers_of(found.table)
    if isinstance(found, tuple):
        return {(k, n): v for k, each in enumerate(found) for n, v in numbers_of(each).items()}
    return {"": found}


def finite_or_refused(call):
    """Return what a call gives, with finite numbers alone; or None where it refuses in a line."""
    try:
        found = call()
        numbers = numbers_of(found)
    except ValueError as refused:
        said = str(refused)
        known = type(refused) is ValueError and "\n" not in said and len(said) < 300
        return None if known else pytest.fail(said)
    for name, each in numbers.items():
        assert np.isfinite(np.asarray(each, dtype=float)).all(), (name, each)
    return found


def test_functions_that_take_amounts_are_known():
    names = {name for name, _ in CALLS}
    assert {"accuracy_ratio", "gains_table", "lift", "summarize", "perfect_cap"} <= names
    assert len(names) >= 18


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.merge)])
@pytest.mark.parametrize("exposure", EXPOSURES)
@pytest.mark.parametrize("amount", AMOUNTS)
def test_every_function_gives_finite_numbers_or_refuses(amount, exposure, whole):
    """Every pair of a function, an amount and an exposure is tried; all three where it is whole."""
    turn = [*AMOUNTS].index(amount) + [*EXPOSURES].index(exposure)
    for place, score in enumerate((SCORE, [1.0] * 6)):
        values = cap.count_values(AMOUNTS[amount], score, exposure=EXPOSURES[exposure])
        assert "ValueCounts(n=6" in repr(values)
        assert len(values) == len(set(score))
        for name, options in CALLS if whole else CALLS[(turn + place) % 3 :: 3]:
            finite_or_refused(lambda n=name, o=options, v=values: getattr(cap, n)(v, **o))


@pytest.mark.parametrize("name", ["captured_response", "captured_between", "lift", "cap_curve"])
@pytest.mark.parametrize("what", ["amounts", "exposures"])
def test_overflowing_sums_are_refused_in_the_same_words(name, what):
    columns = {"amounts": ([1e308] * 3 + [1.0], None), "exposures": ([1.0, 0, 0, 2], [1e308] * 4)}
    amount, exposure = columns[what]
    values = cap.count_values(amount, [4, 3, 2, 1], exposure=exposure)
    for ranked in (values, values + values):
        with pytest.raises(ValueError, match=f"the {what} add up to more than a float can hold"):
            getattr(cap, name)(ranked, **NEEDED.get(name, {}))
    assert "beyond what a float holds" in repr(values)


def test_means_beyond_a_float_are_refused_wherever_they_are_asked_for():
    values = cap.count_values([1, 1, 2, 3.0], [4, 3, 2, 1], exposure=[5e-324] * 4)
    calls = [
        lambda: cap.mean_amount(values),
        lambda: cap.mean_amount(values, 0.3),
        lambda: cap.operating_point(values, q=0.3),
        lambda: cap.gains_table(values, bins=2),
        lambda: cap.evaluate(values),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"mean amount.* is beyond what a float holds"):
            call()
    assert cap.captured_response(values, 0.5) == pytest.approx(2 / 7, rel=1e-15)


LIMIT = "^a limit of the mean amount is beyond what a float holds; scale the amounts down$"


def test_a_limit_beyond_a_float_is_refused():
    values = cap.count_values([1.7e308, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    for place in ({}, {"q": 0.1}):
        with pytest.raises(ValueError, match=LIMIT):
            cap.confidence_interval(values, "mean_amount", **place)
    found = cap.confidence_interval(values, "mean_amount", q=0.1, method="wald")
    assert found.low <= 1.7e308 <= found.high < math.inf
    summary = cap.summarize(values)
    assert summary.intervals == {}
    assert summary.intervals_undefined == LIMIT[1:-1]
    json.dumps(summary.to_dict(), allow_nan=False)


@pytest.mark.turns(3)
@pytest.mark.parametrize("exposure", [None, [2.0, 1, 1, 3, 1, 1]])
@pytest.mark.parametrize("method", ["envelope", "log", "wald", "bootstrap"])
@pytest.mark.parametrize("place", [{}, {"q": 0.4}])
def test_limits_of_a_mean_move_with_the_money(exposure, method, place):
    asked = {"method": method, **place, **({"seed": 1} if method == "bootstrap" else {})}
    amounts = np.array([3.0, 5, 2, 0, 4, 1])
    plain, *others = (
        cap.confidence_interval(
            cap.count_values(amounts * scale, SCORE, exposure=exposure), "mean_amount", **asked
        )
        for scale in (1.0, 2.0**-1000, 2.0**1000)
    )
    assert plain.low < plain.estimate < plain.high
    for found, scale in zip(others, (2.0**-1000, 2.0**1000), strict=True):
        assert type(found.high) is float
        assert found.low / scale == pytest.approx(plain.low, rel=1e-12)
        assert found.high / scale == pytest.approx(plain.high, rel=1e-12)


def test_why_no_order_is_better_than_another_is_true():
    scores = [6, 5, 4, 3, 2, 1]
    for exposure, why in (
        ([1e308] + [1] * 5, "all but next to none of the exposure has the same amount per unit"),
        ([0.3, 0.1, 0.2, 0.7, 0.6, 0.9], "all rows have the same amount per unit of exposure"),
    ):
        amount = [1e308, 0, 0, 0, 0, 0] if exposure[1] == 1 else 3 * np.array(exposure)
        values = cap.count_values(amount, scores, exposure=exposure)
        with pytest.raises(ValueError, match=f"^{why}, so no order is better than another"):
            cap.accuracy_ratio(values)


def test_a_share_too_small_for_a_float_has_no_lift():
    exposure = [1e-300, 1e300, 1e-300, 1e300]
    values = cap.count_values([1, 1, 2, 3.0], [4, 3, 2, 1], exposure=exposure)
    for call in (
        lambda: cap.operating_point(values, captured=0.1),
        lambda: cap.gains_table(values, bins="score"),
        lambda: cap.lift_curve(values).y,
        lambda: cap.local_lift_curve(values).y,
    ):
        with pytest.raises(ValueError, match="is beyond what a float holds"):
            call()
    found = cap.confidence_interval(values, "captured_response", q=0.3)
    assert 0 <= found.low <= found.estimate <= found.high <= 1


# Against fractions


def references(exact, q):
    """Return each number by name: how it is asked for, what it is, and how near it must come.

    Sums and quotients come within 1e-12 of themselves; what is read at a share, and differences,
    within rounding of the share, or of the whole, of which an accuracy ratio may be a small part.
    """
    points, amount, exposure = exact.points, exact.amount, exact.exposure
    shares = exact.share_points(points)
    meant = Fraction(q)
    # Shares nearer than rounding are one share, however much lies between them.
    lowest, captured, highest = (at(shares, meant + turned * EPSILON) for turned in (-1, 0, 1))
    steep = highest - lowest
    steps, overall = list(pairwise(points)), amount / exposure
    found = {
        "ar": (
            cap.accuracy_ratio,
            lambda: exact.accuracy_ratio,
            EPSILON / (exact.perfect_index or 1),
        ),
        "index": (cap.concentration_index, lambda: exact.concentration_index, EPSILON),
        "captured": (lambda v: cap.captured_response(v, q), lambda: captured, steep + EPSILON),
        "lift": (lambda v: cap.lift(v, q), lambda: captured / meant, (steep + EPSILON) / meant),
        "mean": (cap.mean_amount, lambda: amount / exposure, 0),
        "amount": (lambda v: v.amount, lambda: amount, 0),
        "exposure": (lambda v: v.exposure, lambda: exposure, 0),
    }
    for place, ((x0, y0), (x, y)) in enumerate(steps):

        def table(name, place=place):
            return lambda v: cap.gains_table(v, bins="score")[name][place]

        here, below = (y - y0) / (x - x0), y / x
        rows = {
            "amount": y - y0,
            "mean_amount": here,
            "cum_mean_amount": below,
            "selected": x / exposure,
            "captured": y / amount,
            "lift": here / overall,
            "cum_lift": below / overall,
        }
        found |= {f"{n} {place}": (table(n), lambda r=r: r, 0) for n, r in rows.items()}
        found[f"local lift {place}"] = (
            lambda v, place=place: cap.local_lift_curve(v).y[place + 1],
            lambda here=here: here / overall,
            0,
        )
        found[f"lift at {place}"] = (
            lambda v, place=place: cap.lift_curve(v).y[place + 1],
            lambda below=below: below / overall,
            0,
        )
    return found


def compare_with_fractions(rows, q):
    values, exact = rows.count(), rows.exact()
    for name, (call, reference, near) in references(exact, q).items():
        found = finite_or_refused(lambda call=call: call(values))
        if found is None:
            continue
        expected = reference()
        allowed = Fraction(1, 10**12) * abs(expected) + near + TINY
        assert abs(Fraction(float(found)) - expected) <= allowed, (name, found, float(expected))


sizes = st.sampled_from(SIZES)
uneven = st.sampled_from(UNEVEN)
shares = st.sampled_from([0.1, 0.25, 0.5, 0.9])
held = st.one_of(some.nothing, sizes)
rows_of_any_size = st.one_of(
    some.rows(held, sizes, max_size=6),
    some.rows(held, None, max_size=6),
    some.rows(st.one_of(some.nothing, uneven), uneven, max_size=6),
)


# Half the exposure is selected at the first cut-off and, as a float, at the second, which has all
# of the amount.
TWO_CUTOFFS_AT_HALF = some.Rows(
    amount=np.array([0.0, 5e-324, 0.0]),
    score=np.array([0.25, 0.0, -0.25]),
    exposure=np.array([1e-300, 2e-323, 1e-300]),
)


def test_of_cutoffs_at_one_share_the_deepest_is_meant():
    values = TWO_CUTOFFS_AT_HALF.count()
    assert cap.captured_response(values, 0.5) == 1.0
    assert cap.operating_point(values, q=0.5).threshold == 0.0
    assert cap.operating_point(values, q=0.5).captured == 1.0


@settings(max_examples=40)
@given(rows_of_any_size, shares)
def test_numbers_are_those_of_fractions_or_refused(rows, q):
    compare_with_fractions(rows, q)


@pytest.mark.merge
@settings(max_examples=300)
@given(rows_of_any_size, shares)
@example(TWO_CUTOFFS_AT_HALF, 0.5)
def test_many_numbers_are_those_of_fractions_or_refused(rows, q):
    compare_with_fractions(rows, q)


@pytest.mark.merge
@settings(max_examples=40)
@given(rows_of_any_size)
def test_every_function_of_rows_of_any_size(rows):
    values = rows.count()
    assert math.isfinite(len(repr(values)))
    for name, options in CALLS:
        finite_or_refused(lambda n=name, o=options: getattr(cap, n)(values, **o))
