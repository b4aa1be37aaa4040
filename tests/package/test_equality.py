"""Every record that the package gives equals its own copy and itself unpickled, and no other."""

import copy
import dataclasses
import pickle
from collections.abc import Mapping

import numpy as np
import pytest

import capcurve as cap
from capcurve.numbers.totals import Totals

Y = np.array([1, 0, 0, 1, 0, 1, 0, 0, 1, 0] * 6)
S = (np.arange(60) * 7) % 11 + 4 * Y
GRADES = np.array(list("abcd"))[np.minimum(S // 4, 3)]
LEVELS = ["d", "c", "b", "a"]
COUNTS = cap.count_scores(Y, S)
GRADED = cap.count_scores(Y, GRADES, levels=LEVELS)
VALUES = cap.count_values(S * Y * 1.5, S, exposure=S + 1.0)
JOINT = cap.count_joint(Y, {"a": S, "b": -S})
SEGMENTS = cap.count_segments(Y, S, by=GRADES)
PARTIAL = cap.count_partial([None if k % 3 == 0 else y for k, y in enumerate(Y.tolist())], S)
ONE, OTHER = (cap.count_segments(Y[h], S[h], by=GRADES[h]) for h in (slice(30), slice(30, None)))
MOVES = cap.count_joint(Y, {"a": GRADES, "b": GRADES[::-1]}, levels={"a": LEVELS, "b": LEVELS})
TABLE = {"n": [10, 20], "positives": [5, 2]}
RESULTS = {
    "counts": lambda: (COUNTS, VALUES, VALUES.by_score(), JOINT, PARTIAL, GRADED),
    "more counts": lambda: (
        cap.count_joint_values(S * 1.5, {"a": S, "b": -S}),
        cap.count_cases(S),
        cap.count_classes(S / 15, Y * 1.0),
    ),
    "summaries": lambda: (cap.summarize(COUNTS), cap.summarize(VALUES)),
    "curves": lambda: (cap.cap_curve(COUNTS), cap.local_lift_curve(VALUES), cap.ks(COUNTS)),
    "tables": lambda: (
        cap.gains_table(VALUES),
        cap.threshold_table(COUNTS),
        cap.score_distributions(COUNTS),
        cap.operating_point(COUNTS, q=0.3),
        cap.operating_point(VALUES, q=0.3),
    ),
    "inference": lambda: (
        cap.confidence_interval(COUNTS, "accuracy_ratio"),
        cap.discrimination_test(COUNTS),
        cap.compare(JOINT),
        cap.null_band(COUNTS),
        cap.sample_size(0.7, prevalence=0.3),
        cap.generalised_auc([[9, 4, 1], [3, 5, 3], [0, 2, 8]]),
    ),
    "audit": lambda: (cap.audit_table(TABLE, claims={"ar": "0.3"}), cap.banding_loss(COUNTS)),
    "groups": lambda: cap.compare_groups(SEGMENTS, replicates=20),
    "change": lambda: (cap.attribute_change(ONE, OTHER), cap.decompose(SEGMENTS)),
    "unknown": lambda: (cap.unknown_bounds(PARTIAL), cap.tipping_point(PARTIAL, minimum=0.2)),
    "grades": lambda: (
        cap.population_stability(GRADED, GRADED),
        cap.migration_table(MOVES, start="a", end="b"),
        cap.grade_concentration(GRADED),
        cap.grade_homogeneity_test(cap.count_segments(Y, GRADES, by=S % 2, levels=LEVELS)),
    ),
    "monitoring": lambda: cap.control_chart({"1": COUNTS, "2": COUNTS}, initial=COUNTS),
    "validation": lambda: (cap.validate(COUNTS, initial=0.5), cap.validate(GRADED)),
    "evaluation": lambda: cap.evaluate(Y, S),
}


def records_in(found, name):
    """Yield every record inside a result, with where it stands."""
    if dataclasses.is_dataclass(found) and not isinstance(found, type):
        yield name, found
        parts = {
            f.name: getattr(found, f.name) for f in dataclasses.fields(found) if f.init
        }.items()
    elif isinstance(found, Mapping):
        parts = found.items()
    elif isinstance(found, tuple | list):
        parts = enumerate(found)
    else:
        return
    for part, value in parts:
        yield from records_in(value, f"{name}.{part}")


@pytest.mark.parametrize("name", RESULTS)
def test_records_equal_their_copies(name):
    for place, record in records_in(RESULTS[name](), name):
        if isinstance(record, Totals):
            continue  # sums that counts remember, not shown to anybody
        pickled = pickle.loads(pickle.dumps(record))  # noqa: S301 - our own
        for same in (copy.copy(record), copy.deepcopy(record), pickled):
            assert same == record, f"{place}: {type(record).__name__}"


def test_results_that_differ_are_not_equal():
    other = cap.count_scores(Y, S + (np.arange(60) == 3))
    for function in (cap.summarize, cap.gains_table, cap.cap_curve, cap.banding_loss):
        assert function(COUNTS) == function(COUNTS)
        assert function(COUNTS) != function(other)
    assert cap.cap_curve(COUNTS) != cap.lift_curve(COUNTS)
    assert cap.cap_curve(COUNTS) != "cap"
    assert len({cap.cap_curve(COUNTS), cap.cap_curve(COUNTS), cap.lift_curve(COUNTS)}) == 2


def test_numbers_that_are_missing_are_equal_to_themselves():
    signed = cap.count_values([5.0, -2.0, 1.0], [3, 2, 1])
    one, other = cap.gains_table(signed, bins=2), cap.gains_table(signed, bins=2)
    assert np.isnan(one["captured"]).all()
    assert one == other
