"""Bounds in words, pictures, tables and findings; and what is refused, in one line."""

import json
import re

import numpy as np
import pytest
from every_outcome import joint_of, partial_of

import capcurve as cap
from results_shown import in_words

TABLE = ([4, 2, 1], [1, 3, 9], [2, 2, 2])
PARTIAL = partial_of(*TABLE)


def said(partial=PARTIAL, **options):
    return cap.unknown_bounds(partial, **options).presentation().sentences[0]


def codes(found):
    return {finding.code: finding for finding in found.findings}


def test_what_bounds_say(golden):
    one, infinite = partial_of([4, 1], [1, 9], [1, 0]), float("inf")
    asked = [
        *({}, {"metric": "auc"}, {"metric": "captured", "q": 0.2}, {"level": 0.9}),
        *({"positives": each} for each in [(1, 2), 2, 1, 0]),
        *({"odds": 1}, {"odds": (0.5, 2)}, {"ordered": True}),
        {"ordered": True, "positives": (0, 3)},
    ]
    of_one = [{}, *({"positives": each} for each in [1, 0, (0, 1)]), {"odds": (1, infinite)}]
    of_others = {
        "none unknown": partial_of([4, 1], [1, 9], [0, 0]),
        "no negative known": partial_of([4, 1], [0, 0], [1, 3]),
        "a class that only the unknown have": partial_of([0, 0], [3, 3], [2, 1]),
        "two scores": joint_of([3, 2, 1], [1, 3, 2], *TABLE),
        "13 against 70 positives": partial_of([40, 20, 10], [10, 30, 90], [5, 3, 5]),
        "13 against 35 negatives": partial_of([90, 30, 10], [10, 20, 5], [5, 3, 5]),
        "wide": partial_of([4, 2, 2], [2, 3, 4], [9, 9, 9]),
        "standing elsewhere": partial_of([0, 40, 20, 10], [0, 100, 300, 900], [60, 1, 0, 0]),
        "weights": partial_of([0.5, 1.5], [0.5, 3], [2, 1.5]),
    }
    cases = {f"{how}": cap.unknown_bounds(PARTIAL, **how) for how in asked}
    cases |= {f"one unknown, {how}": cap.unknown_bounds(one, **how) for how in of_one}
    cases |= {name: cap.unknown_bounds(counts) for name, counts in of_others.items()}
    golden("Bounds, in cases", in_words(cases))


def test_ends_are_rounded_outward():
    # 0.2875.. and 0.7278.. to three digits that hold them.
    found = cap.unknown_bounds(PARTIAL)
    low, high = re.search(r"between (\S+) and (\S+)", said()).groups()
    assert float(low) <= found.low < float(low) + 0.001
    assert float(high) - 0.001 < found.high <= float(high)


def test_limits_at_the_ends_are_those_of_their_counts():
    for metric, options in (("accuracy_ratio", {}), ("captured_response", {"q": 0.2})):
        found = cap.unknown_bounds(PARTIAL, metric, level=0.9, **options)
        sides = [("lower", found.low_counts), ("upper", found.high_counts)]
        expected = [
            cap.confidence_interval(counts, metric, side=side, level=0.9, **options)
            for side, counts in sides
        ]
        assert (found.low_limit, found.high_limit) == (expected[0].low, expected[1].high)
        assert found.low_limit < found.low < found.high < found.high_limit
    two = cap.unknown_bounds(joint_of([3, 2, 1], [1, 3, 2], *TABLE), level=0.95)
    pairs = [
        cap.compare(counts, level=0.9).pairs[0] for counts in (two.low_counts, two.high_counts)
    ]
    assert (two.low_limit, two.high_limit) == pytest.approx((pairs[0].low, pairs[1].high))


def test_expected_outcomes_have_limits_near_those_of_whole_ones():
    many = partial_of(*([50 * each for each in column] for column in TABLE))
    found = cap.unknown_bounds(many, odds=1)
    whole = cap.ScoreCounts.from_counts(
        [3, 2, 1],
        np.rint(found.low_counts.positives).astype(int),
        np.rint(found.low_counts.negatives).astype(int),
    )
    limit = cap.confidence_interval(whole, "accuracy_ratio", side="lower").low
    assert found.low_limit == pytest.approx(limit, abs=0.005)


def test_an_end_reads_alike_wherever_it_is_and_tables_show_both():
    found = cap.unknown_bounds(PARTIAL)
    shown = found.presentation()
    for end in ("0.287", "0.728"):  # in the sentence, the tile, the table and the legend
        assert str(found).count(end) == 3
        assert any(end in line.label for line in shown.charts[0].lines)
    ends, scores = shown.tables
    assert ends["case"].tolist() == ["lowest", "known only", "same odds", "highest"]
    assert scores["unknown"].tolist() == [2, 2, 2]
    assert scores["at_low"].sum() == found.positives_at_low
    assert scores["at_high"].tolist() == [2, 2, 0]
    assert found.positives_at_high == 4


def test_the_picture_has_the_caps_of_both_ends():
    found = cap.unknown_bounds(PARTIAL)
    (chart,) = found.presentation().charts
    labels = [line.label for line in chart.lines]
    assert [label.split("  ")[0] for label in labels] == [
        *("Lowest", "Highest", "Unknown at the same odds", "Known outcomes only", "Random")
    ]
    for line, counts in zip(chart.lines, (found.low_counts, found.high_counts), strict=False):
        curve = cap.cap_curve(counts)
        assert line.x == pytest.approx(curve.x)
        assert line.y == pytest.approx(curve.y)
    (band,) = chart.bands
    assert (band.low <= band.high).all()
    assert band.high == pytest.approx(cap.cap_curve(found.high_counts).y)


def test_the_picture_of_a_difference():
    found = cap.unknown_bounds(joint_of([3, 2, 1], [1, 3, 2], *TABLE))
    (chart,) = found.presentation().charts
    low = chart.lines[0]
    caps = [cap.cap_curve(found.low_counts.margin(name)) for name in ("new", "old")]
    assert low.y == pytest.approx([caps[0].at(x) - caps[1].at(x) for x in low.x])
    assert [line.label.split("  ")[1][:13] for line in chart.lines[:3]] == ["AR difference"] * 3
    assert found.presentation().figures[0].label == "difference"
    assert found.same_odds is None
    assert len(found.presentation().tables) == 1


@pytest.mark.parametrize(
    "suffix",
    [".html", ".json", ".md", ".txt", ".csv", pytest.param(".png", marks=pytest.mark.merge)],
)
def test_bounds_are_saved(tmp_path, suffix):
    for found in (
        cap.unknown_bounds(PARTIAL),
        cap.unknown_bounds(partial_of([0, 0], [0, 0], [2, 1])),
        cap.unknown_bounds(joint_of([3, 2, 1], [1, 3, 2], *TABLE)),
    ):
        saved = found.save(tmp_path / f"bounds{suffix}")
        assert saved.stat().st_size > 90


def test_json_has_all_numbers():
    found = cap.unknown_bounds(PARTIAL, odds=(0.5, float("inf")), positives=(0.0, 0.5))
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert written["low"] == found.low
    assumed = {"positives": [0, 3], "odds": [0.5, "inf"], "ordered": False, "pooled": False}
    assert written["assumptions"] == assumed
    assert written["sentence"] == found.presentation().sentences[0]
    assert written["n_unknown"] == 6
    tipped = cap.tipping_point(PARTIAL, 0.6)
    assert json.loads(json.dumps(tipped.to_dict()))["positives"] == tipped.positives


def test_what_is_found_depends_on_the_unknown():
    few = cap.unknown_bounds(partial_of([40, 20, 10], [10, 30, 90], [1, 1, 1]))
    assert few.findings == ()
    rejected = partial_of([0, 40, 20, 10], [0, 100, 300, 900], [60, 1, 0, 0])
    assumed = codes(cap.unknown_bounds(rejected, odds=(1, 3)))
    assert assumed["beyond_known_scores"].severity == "warning"
    alike = partial_of([40, 20, 10], [100, 300, 900], [14, 32, 91])
    # A handful of unknown cases may stand anywhere by chance.
    chance = partial_of([40, 20, 10], [100, 300, 900], [1, 1, 1])
    for partial in (alike, chance):
        told = codes(cap.unknown_bounds(partial))
        assert not {"unknown_elsewhere", "beyond_known_scores"} & told.keys()


def test_it_is_found_that_the_known_were_selected_by_one_score():
    rng = np.random.default_rng(7)
    truth = rng.normal(size=4000)
    old, new = truth + rng.normal(size=4000), truth + rng.normal(size=4000)
    y = (rng.random(4000) < 1 / (1 + np.exp(2.5 - truth))).astype(int)
    target = [None if score > 1 else int(each) for each, score in zip(y, old, strict=True)]
    scores = {"new": new.round(1), "old": old.round(1)}
    found = cap.unknown_bounds(cap.count_partial(target, scores))
    warned = codes(found)["selected_by_one"].message
    assert warned.startswith("whether an outcome is known depends more on old (AUC 1.00)")
    assert warned.endswith("favours new")
    # The two are equally good, and the known alone say that new is better.
    full = cap.compare(cap.count_joint(y, scores)).pairs[0]
    assert full.low < 0 < full.high
    assert found.known_only > full.high
    assert found.low < 0 < found.high
    turned = cap.unknown_bounds(cap.count_partial(target, dict(reversed(scores.items()))))
    assert codes(turned)["selected_by_one"].message.endswith("favours new")
    random = [None if rng.random() < 0.2 else int(each) for each in y]
    apart = cap.unknown_bounds(cap.count_partial(random, scores))
    assert "selected_by_one" not in codes(apart)


def test_tipping_points_in_words(golden):
    two = joint_of([3, 2, 1], [1, 3, 2], *TABLE)
    complete = partial_of([4, 1], [1, 9], [0, 0])
    one = partial_of([4, 1], [1, 9], [0, 1])
    asked = {
        "six unknown": (PARTIAL, [(0.7, "auc"), (0.2,), (0.9,)]),
        "two scores": (two, [(0.4, "auc")]),
        "none unknown": (complete, [(0.7,), (0.71,)]),
        "one unknown": (one, [(0.5,), (0.6,), (1,)]),
    }
    cases = {
        f"{name}, {how}": cap.tipping_point(counts, *how)
        for name, (counts, minima) in asked.items()
        for how in minima
    }
    golden("TippingPoint, in cases", in_words(cases))


def test_a_tipping_point_is_the_first_number_that_takes_the_minimum():
    tipped = cap.tipping_point(PARTIAL, 0.7, "auc")
    low = cap.unknown_bounds(PARTIAL, positives=tipped.positives).low
    assert (1 + low) / 2 < 0.7
    fewer = cap.unknown_bounds(PARTIAL, positives=(0, tipped.positives - 1)).low
    assert (1 + fewer) / 2 >= 0.7
    never, already = (cap.tipping_point(PARTIAL, minimum) for minimum in (0.2, 0.9))
    assert (never.positives, never.share) == (None, None)
    assert (already.positives, already.share) == (0, 0.0)


REFUSED = [
    ({"metric": "ks"}, ValueError, "metric must be one of 'accuracy_ratio', 'roc_auc', 'captured_"),
    ({"metric": "captured"}, ValueError, "captured_response is read at a depth; pass q="),
    ({"q": 0.1}, ValueError, "q is for captured_response; accuracy_ratio has no depth"),
    ({"level": 0.5}, ValueError, "the level of a one-sided limit must be above 0.5, got 0.5"),
    ({"ordered": 1}, TypeError, "ordered must be True or False, got 1"),
    ({"odds": (2, 1)}, ValueError, "odds must run from the least to the greatest, got"),
]


@pytest.mark.parametrize(("options", "kind", "words"), REFUSED)
def test_what_makes_no_sense_is_refused_in_one_line(options, kind, words):
    with pytest.raises(kind, match=words):
        cap.unknown_bounds(PARTIAL, **options)


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (([0, 0], [0, 0], [1, 0]), {}, "no positives among the only case whatever the unknown are"),
        (([3, 0], [0, 0], [0, 0]), {}, "no negatives among the 3 cases whatever the unknown are"),
        (
            ([3, 0], [0, 0], [2, 1]),
            {"positives": 3},
            "asks for 3 .* a case of each class there must be 0 to 2",
        ),
        (([0, 0], [3, 3], [2, 1]), {"odds": 2}, "the known have no positives, so their odds show"),
        (([0, 0], [0.5, 3], [2, 1.5]), {}, "the known cases of a class weigh nothing"),
        (([], [], []), {}, "there are no cases, known or unknown"),
    ],
)
def test_what_is_undefined_is_refused_with_the_reason(table, options, words):
    with pytest.raises(ValueError, match=words):
        cap.unknown_bounds(partial_of(*table), **options)


def test_a_class_that_only_the_unknown_have_is_there_at_least_once():
    found = cap.unknown_bounds(partial_of([0, 0], [3, 3], [2, 1]))
    assert min(found.positives_at_low, found.positives_at_high) >= 1
    assert found.known_only is None
    assert found.same_odds is None
    top = cap.unknown_bounds(partial_of([0, 0], [3, 3], [2, 1]), "captured_response", q=0.2)
    assert (top.low, top.known_only) == (0.0, None)
    weighed = cap.unknown_bounds(partial_of([0, 0], [0.5, 3], [2, 1.5]), positives=(0.2, 0.4))
    assert weighed.low < weighed.high


@pytest.mark.parametrize("function", [cap.unknown_bounds, cap.tipping_point])
@pytest.mark.parametrize(
    "given", [[1, 0], None, cap.count_scores([1, 0], [2, 1]), cap.evaluate([1, 0], [2, 1])]
)
def test_anything_else_is_answered_with_the_call_to_make(function, given):
    more = {"minimum": 0.5} if function is cap.tipping_point else {}
    with pytest.raises(TypeError, match=rf"write {function.__name__}\(y, p\)"):
        function(given, **more)


def test_a_difference_takes_what_is_about_two_scores():
    joint = joint_of([3, 2, 1], [1, 3, 2], *TABLE)
    for options in ({"odds": 2}, {"ordered": True}):
        with pytest.raises(ValueError, match=r"or bound one score: partial\.margin\('new'\)"):
            cap.unknown_bounds(joint, **options)
    three = cap.count_partial([1, 0, None], {"a": [1, 2, 3], "b": [3, 2, 1], "c": [1, 1, 1]})
    with pytest.raises(ValueError, match=r"these counts have 3; .* partial\.margin\('a'\)"):
        cap.unknown_bounds(three)
    with pytest.raises(ValueError, match="several scores have no completed form"):
        joint.completed("worst")
    for how in ("worse", -1, [1], None):
        with pytest.raises(ValueError, match="how must be"):
            PARTIAL.completed(how)
    with pytest.raises(ValueError, match="no outcome is known"):
        partial_of([0, 0], [0, 0], [1, 1]).completed(1)
