"""Two samples are compared only where both were counted alike, whatever compares them."""

import re

import numpy as np
import pytest

import capcurve as cap
from capcurve.gate.alike import RANKED_CLASSES
from capcurve.studies.validation.gates import Earlier, Gate, ruling_on


def rows(seed, n=240):
    rng = np.random.default_rng(seed)
    score = rng.integers(1, 5, n)
    event = np.where(rng.random(n) < 0.1 * score + 0.1, 1, np.where(rng.random(n) < 0.2, 2, 0))
    return {
        "y": (event == 1).astype(int),
        "score": score,
        "grade": np.array(list("ABCD"))[score - 1],
        "time": rng.integers(1, 9, n),
        "event": event,
        "weight": rng.integers(1, 4, n) / 2,
        "id": np.arange(n) // 2,
    }


NOW, BEFORE = rows(1), rows(2)


def counts(data, score="score", **how):
    return cap.count_scores("y", score, data=data, **how)


def at(data, horizon, competing="negative", **how):
    times = cap.count_times("time", "event", "score", data=data, **how)
    return times.at(horizon, competing=competing)


def complete(data):
    """Return counts at a horizon before which no row is censored."""
    return at({**data, "time": np.where(data["event"] == 0, 9, data["time"])}, 4)


PLAIN = "no horizon"
WEIGHTS = {"weight": "weight", "weight_kind": "sampling"}
# By difference: what is refused of it, and two samples that differ in nothing else, in words.
DIFFERENT = {
    "a horizon and none": (
        "outcome",
        (at(NOW, 4), "horizon=4"),
        (counts(BEFORE), PLAIN),
        "take both by the same horizon",
    ),
    "a horizon without censored rows and none": (
        "outcome",
        (complete(NOW), "horizon=4"),
        (counts(BEFORE, cluster="id"), PLAIN),
        "take both by the same horizon",
    ),
    "two horizons": (
        "outcome",
        (at(NOW, 4), "horizon=4"),
        (at(BEFORE, 6, cluster="id"), "horizon=6"),
        "take both by the same horizon",
    ),
    "competing events": (
        "outcome",
        (at(NOW, 4), "competing='negative'"),
        (at(BEFORE, 4, "excluded"), "competing='excluded'"),
        "count both with the same competing=",
    ),
    "competing events without censored rows": (
        "outcome",
        (complete(NOW), "competing='negative'"),
        (at(BEFORE, 4, "excluded"), "competing='excluded'"),
        "count both with the same competing=",
    ),
    "directions": (
        "scale",
        (counts(NOW), "higher_is='positive'"),
        (counts(BEFORE, higher_is="negative"), "higher_is='negative'"),
        "count both with the same higher_is=",
    ),
    "grades and numbers": (
        "scale",
        (counts(NOW, "grade", levels=list("DCBA")), "grades"),
        (counts(BEFORE), "numbers"),
        "count both with the same levels=",
    ),
    "resolutions": (
        "scale",
        (counts(NOW, resolution=2), "resolution=2.0"),
        (counts(BEFORE), "no resolution"),
        "count both with the same resolution=",
    ),
    "one grade more": (
        "levels",
        (counts(NOW, "grade", levels=list("DCBA")), "the grades D, C, B, A"),
        (counts(BEFORE, "grade", levels=list("EDCBA")), "the grades E, D, C, B, A"),
        "count both with the same levels=",
    ),
    "weights and none": (
        "levels",
        (counts(NOW, **WEIGHTS), "weight_kind='sampling'"),
        (counts(BEFORE), "no weights"),
        "count both with the same weight_kind=, with weights of 1 if each row counts once",
    ),
    "kinds of weights": (
        "levels",
        (counts(NOW, **WEIGHTS), "weight_kind='sampling'"),
        (counts(BEFORE, weight="weight"), "weights without a weight_kind"),
        "count both with the same weight_kind=, with weights of 1 if each row counts once",
    ),
}
OUTCOME, SAME_SCALE, EVERYTHING = (
    ("outcome",),
    ("scale",),
    ("outcome", "scale", "levels"),
)
DROP, PSI = (Gate(name, 0.1, 0.95) for name in ("accuracy_ratio", "psi"))


def gated(gate):
    def judge(now, before):
        return ruling_on(now, Gate(gate.metric, gate.bound, gate.confidence, baseline=before))

    return judge


# By function: what it refuses, and what it calls the one sample and the other.
FUNCTIONS = {
    "test_against_initial": (
        cap.test_against_initial,
        EVERYTHING,
        ("the current one", "the initial sample"),
    ),
    "heterogeneity_test": (
        lambda now, before: cap.heterogeneity_test({"a": now, "b": before}, method="chi2"),
        EVERYTHING,
        ("segment a", "segment b"),
    ),
    "validate initial": (
        lambda now, before: cap.validate(now, initial=before),
        EVERYTHING,
        ("now", "initial"),
    ),
    "validate segments": (
        lambda now, before: cap.validate(now, segments={"a": before}),
        EVERYTHING,
        ("now", "segments['a']"),
    ),
    "a gate on the drop": (gated(DROP), EVERYTHING, ("the sample", "the baseline")),
    "a gate on the PSI": (gated(PSI), SAME_SCALE, ("the sample", "the baseline")),
    "population_stability": (
        lambda now, before: cap.population_stability(before, now, bins="score"),
        SAME_SCALE,
        ("after", "before"),
    ),
    "population_stability of positives": (
        lambda now, before: cap.population_stability(before, now, of="positives", bins="score"),
        ("outcome", "scale"),
        ("after", "before"),
    ),
    "compare_independent": (cap.compare_independent, OUTCOME, ("first", "second")),
    "attribute_change": (
        lambda now, before: cap.attribute_change(before, now, metric="lift", q=0.3),
        OUTCOME,
        ("after (all)", "before (all)"),
    ),
}


@pytest.mark.turns(3)
@pytest.mark.parametrize("swapped", [False, True], ids=["", "the other way round"])
@pytest.mark.parametrize("difference", DIFFERENT)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_samples_that_were_counted_otherwise_are_refused(function, difference, swapped):
    call, refused, names = FUNCTIONS[function]
    kind, *both, advice = DIFFERENT[difference]
    now, before = both[::-1] if swapped else both
    of_weights = kind == "levels" and "weight" in difference
    if kind not in refused:
        if not of_weights:  # of weights of no kind nothing has limits
            assert call(now[0], before[0]) is not None
        return
    with pytest.raises(ValueError, match=re.escape(advice)) as raised:
        call(now[0], before[0])
    said = {name: f"{name} has {told}" for name, told in zip(names, (now[1], before[1]))}  # noqa: B905 - two
    either = [" and ".join(order) for order in (said.values(), reversed(said.values()))]
    assert str(raised.value) in [f"{each}; {advice}" for each in either]


@pytest.mark.parametrize("function", [*FUNCTIONS])
def test_grades_in_another_order_are_refused_by_all(function):
    call, _, names = FUNCTIONS[function]
    now, before = (counts(NOW, "grade", levels=list(order)) for order in ("DCBA", "DBCA"))
    with pytest.raises(
        ValueError, match="the other way round; declare levels= in the same"
    ) as told:
        call(now, before)
    assert all(name in str(told.value) for name in names)


CHARTED = [each for each in DIFFERENT if "weight" not in each]


@pytest.mark.parametrize("difference", CHARTED)
def test_a_control_chart_takes_samples_that_were_counted_alike(difference):
    _, (now, _), (before, _), advice = DIFFERENT[difference]
    with pytest.raises(ValueError, match=re.escape(advice) + "|of which all is known"):
        cap.control_chart({"2024": now, "2025": now}, before)
    # Where only a number is known the periods are compared with each other.
    with pytest.raises(ValueError, match=re.escape(advice) + "|of which all is known"):
        cap.control_chart({"2024": now, "2025": before}, (0.4, 50, 200))


@pytest.mark.parametrize("how", [{}, {"cluster": "id"}, {"higher_is": "negative"}, WEIGHTS])
def test_samples_that_were_counted_alike_are_compared(how):
    now, before = counts(NOW, **how), counts(BEFORE, **how)
    expected = cap.accuracy_ratio(before) - cap.accuracy_ratio(now)
    for function in ("test_against_initial", "a gate on the drop"):
        found = FUNCTIONS[function][0](now, before)
        drop = found.values["estimate"] if function.startswith("a gate") else 2 * found.estimate
        assert drop == pytest.approx(expected, abs=1e-12)
    empty = cap.ScoreCounts.from_counts([], [], [])  # has no cases that could be of another kind
    found = cap.heterogeneity_test({"a": now, "b": before, "none": empty}, method="chi2")
    assert found.estimates.keys() == {"a", "b"}


def test_a_horizon_is_known_of_counts_that_are_put_together_or_kept_alone():
    for sample in (at(NOW, 4), complete(NOW)):
        alone = cap.ScoreCounts.merge([sample])
        with pytest.raises(ValueError, match="has horizon=4 and second has no horizon"):
            cap.compare_independent(alone, counts(BEFORE))


def test_what_is_known_of_an_earlier_sample_is_compared():
    """What nobody said is taken to be alike; what was said is not."""
    gate = Gate("accuracy_ratio", 0.1, 0.95, baseline=Earlier(0.5))
    assert ruling_on(counts(NOW), gate).values["estimate"] == pytest.approx(
        0.5 - cap.accuracy_ratio(counts(NOW))
    )
    known = Earlier(0.5, counted={"kind": RANKED_CLASSES, "horizon": 4.0, "competing": "negative"})
    gate = Gate("accuracy_ratio", 0.1, 0.95, baseline=known)
    with pytest.raises(ValueError, match="the baseline has horizon=4 and the sample has no horiz"):
        ruling_on(counts(NOW), gate)
    with pytest.raises(ValueError, match="competing='negative' and Feb has competing='excluded'"):
        ruling_on(at(NOW, 4, "excluded"), gate, "Feb")
    assert ruling_on(at(NOW, 4), gate).values["estimate"] == pytest.approx(
        0.5 - cap.accuracy_ratio(at(NOW, 4))
    )
    of_amounts = cap.count_values(NOW["score"], NOW["score"])
    with pytest.raises(ValueError, match=r"is of positives and neg.* is of amounts by case: their"):
        ruling_on(of_amounts, gate)
