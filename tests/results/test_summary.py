"""Summary: the same numbers as the metrics, and findings that are true."""

import json

import numpy as np
import pytest
from scipy.stats import norm

import capcurve as cap
from results_shown import in_words

LOANS = "src/capcurve/datasets/loans.csv"


def loans(score="grade_rank", **keywords):
    return cap.count_scores("y", score, data=LOANS, **keywords)


def codes(counts):
    return {finding.code: finding for finding in cap.summarize(counts).findings}


def test_every_number_is_the_metrics_number():
    counts = loans()
    summary = cap.summarize(counts)
    for name in (
        *("accuracy_ratio", "roc_auc", "ks", "tie_mass", "somers_d", "kendall_tau_b"),
        *("pietra_index", "bayesian_error_rate", "information_value"),
        "conditional_information_entropy_ratio",
    ):
        assert getattr(summary, name) == getattr(cap, name)(counts), name
    bounds = cap.accuracy_ratio_bounds(counts)
    assert (summary.accuracy_ratio_tie_low, summary.accuracy_ratio_tie_high) == (
        bounds.low,
        bounds.high,
    )
    for q in (0.1, 0.2, 0.5):
        assert summary.captured[q] == cap.captured_response(counts, q)
        assert summary.lift[q] == cap.lift(counts, q)
    assert summary.gains.to_dict() == cap.gains_table(counts).to_dict()
    assert summary.digest == counts.digest()


def test_a_stated_prevalence_moves_what_depends_on_it_and_nothing_else():
    counts = loans()
    plain, stated = cap.summarize(counts), cap.summarize(counts, prevalence=0.01)
    assert stated.prevalence == 0.01
    assert stated.captured[0.1] == cap.captured_response(counts, 0.1, prevalence=0.01)
    assert stated.captured[0.1] != plain.captured[0.1]
    assert stated.bayesian_error_rate == 0.01
    assert (stated.accuracy_ratio, stated.roc_auc) == (plain.accuracy_ratio, plain.roc_auc)
    assert stated.ks.statistic == plain.ks.statistic


def test_the_dictionary_is_strict_json_with_a_schema():
    counts = cap.count_scores([1, 0, 1, 0], [np.inf, 2.0, -np.inf, 2**60])
    text = json.dumps(cap.summarize(counts).to_dict(), allow_nan=False)
    read = json.loads(text)
    assert read["schema_version"] == 1
    assert read["ks"]["threshold"] == "inf"
    assert read["information_value"] is None
    assert read["infinite"] == ["information_value"]


@pytest.mark.parametrize(
    ("target", "lacking"), [([1, 1], "negatives"), ([0, 0], "positives"), ([], "cases")]
)
def test_an_undefined_summary_says_why_and_raises_nothing(target, lacking):
    summary = cap.summarize(cap.count_scores(target, [0.1, 0.2][: len(target)]))
    assert summary.accuracy_ratio is None
    assert summary.ks is None
    assert lacking in summary.undefined
    assert lacking in summary.sentence
    assert summary.findings[0].severity == "error"


def test_what_summaries_say(golden):
    levels = [f"{letter}{number}" for letter in "ABCDEFG" for number in range(1, 6)]
    of_grades = cap.ScoreCounts.from_counts
    falling = [10, 0, 0, 0, 10, 10, 10, 0, 0, 0]
    good = list(range(7, 0, -1)), [983, 6, 4, 3, 2, 1, 1], [1880, *[2850] * 6]
    weighted = {"weight": [1.5, 1, 2, 1], "missing": "drop"}
    cases = {
        "loans": loans(),
        "reversed": loans(higher_is="negative"),
        "reversed levels": loans("sub_grade", levels=levels),
        "floored": loans("int_rate", resolution=5),
        "one class": cap.count_scores([1, 1], [0.1, 0.2]),
        "no cases": cap.count_scores([], []),
        "constant": cap.count_scores([1, 0] * 60, [7] * 120),
        "few": cap.count_scores([1] * 49 + [0] * 50, range(99)),
        "few of great weight": cap.count_scores([1] * 3 + [0] * 97, range(100), weight=[1e6] * 100),
        "in order": cap.count_scores([0] * 100 + [1] * 100, range(200)),
        "a kind unseen": cap.count_scores([1] * 19 + [0, 1] + [0] * 29, range(50, 0, -1)),
        "rates that rise": of_grades(range(10, 0, -1), falling, [10 - p for p in falling]),
        "rising and falling": of_grades([4, 3, 2, 1], [20, 4, 20, 4], [80, 96, 80, 96]),
        "a leak": of_grades(*good),
        "a leak above others": of_grades(
            range(7, 0, -1), [200, 100, 80, 60, 40, 15, 5], [0, 500, 1000, 1500, 2000, 2500, 2500]
        ),
        "crowded": of_grades([3, 2, 1], [10, 30, 2], [40, 850, 68]),
        "a flag": of_grades([2, 1], [30, 12], [100, 858]),
        "dropped rows": cap.count_scores([1, 0, 1, None], [0.3, None, 0.2, 0.1], **weighted),
        "better": cap.count_scores([1] * 4 + [0] * 4, range(8, 0, -1)),
        "worse": cap.count_scores([0] * 4 + [1] * 4, range(8, 0, -1)),
        "by chance": cap.count_scores([1, 0, 1, 0], [4, 3, 2, 1]),
        "alike, but outside the band": of_grades([3, 2, 1], [0, 40, 0], [30, 10, 30]),
        "better, but inside the band": of_grades(
            [5, 4, 3, 2, 1], [11, 10, 8, 7, 5], [5, 7, 8, 10, 11]
        ),
    }
    shown = {name: cap.summarize(counts) for name, counts in cases.items()}
    shown["a stated prevalence"] = cap.summarize(loans(), prevalence=0.02)
    golden("Summary, in cases", in_words(shown))


def test_a_score_that_is_not_reversed_is_not_called_so():
    assert codes(loans(higher_is="negative"))["reversed"].severity == "warning"
    assert "reversed" not in codes(loans())


def test_a_constant_score_is_a_warning_and_its_accuracy_ratio_zero():
    counts = cap.count_scores([1, 0] * 60, [7] * 120)
    assert codes(counts)["constant_score"].severity == "warning"
    assert cap.summarize(counts).accuracy_ratio == 0


def test_a_score_too_good_to_be_true_and_one_just_below():
    assert "too_good" in codes(cap.count_scores([0] * 100 + [1] * 100, range(200)))
    below = cap.count_scores([0] * 85 + [0, 1] * 15 + [1] * 85, range(200))
    assert 0.97 < cap.accuracy_ratio(below) <= 0.98
    assert "too_good" not in codes(below)
    assert "too_good" not in codes(loans())


def test_what_few_cases_of_a_strong_score_leave_open_is_said_with_its_number():
    # Of 20 the share 1 - 0.025^(1/20) = 0.168, one in 6, may be of a kind that was not seen: an AR
    # of 1 - 2/600 is then 2·(1 - 1/600)·0.832 - 1 = 0.660. With 50 of each class nothing is said.
    labels = [1] * 19 + [0] + [1] + [0] * 29
    said = codes(cap.count_scores(labels, range(50, 0, -1)))["kind_unseen"]
    assert said.message.endswith("the accuracy ratio could be 0.660")
    turned = codes(cap.count_scores([1 - each for each in labels], range(50)))["kind_unseen"]
    assert turned.message == said.message.replace("positives", "x").replace(
        "negatives", "positives"
    ).replace("x", "negatives").replace("below", "above")
    many = [1] * 49 + [0] + [1] + [0] * 49
    assert "kind_unseen" not in codes(cap.count_scores(many, range(100, 0, -1)))


def test_ties_that_are_not_heavy_are_not_told():
    assert "heavy_ties" not in codes(cap.count_scores([0, 1] * 100, range(200)))


def test_floored_scores_give_the_bound():
    found = codes(loans("int_rate", resolution=5))
    low, high = (
        float(word) for word in found["floored_scores"].message.split() if word[:2] == "0."
    )
    assert low < cap.accuracy_ratio(loans("int_rate")) < high
    assert "heavy_ties" not in found


def test_rates_that_rise_by_more_than_chance_are_a_warning_that_names_the_grades():
    lifts = [10, 0, 0, 0, 10, 10, 10, 0, 0, 0]
    counts = cap.ScoreCounts.from_counts(range(10, 0, -1), lifts, [10 - p for p in lifts])
    found = codes(counts)["not_concave"]
    assert found.severity == "warning"
    # Falling, 30 of 60 would be positive in the grades 9 to 4, and all in 10: the rest falls.
    assert "from grade 9 to 4" in found.message
    concave = cap.ScoreCounts.from_counts([3, 2, 1], [80, 50, 20], [20, 50, 80])
    assert "not_concave" not in codes(concave)


def test_rates_that_rise_by_chance_are_not_told():
    # The upper of two grades has 10 in 100, the lower 12 in 100.
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [30, 10, 12], [70, 90, 88])
    assert cap.monotonicity_test(counts).p_value > 0.2
    assert "not_concave" not in codes(counts)
    assert "not_concave" not in codes(loans())


def test_of_a_score_that_rises_and_falls_nobody_says_it_is_random():
    counts = cap.ScoreCounts.from_counts([4, 3, 2, 1], [20, 4, 20, 4], [80, 96, 80, 96])
    summary = cap.summarize(counts, level=0.999)
    assert summary.verdict.ranks == "alike"
    assert not summary.verdict.outside_band
    assert "not_concave" in codes(counts)


def test_a_worthless_score_is_not_called_reversed():
    # 17 of 36 pairs are won: as many dealings are as far from half as not.
    counts = cap.count_scores([0, 1] * 6, range(12, 0, -1))
    assert cap.accuracy_ratio(counts) < 0
    assert "reversed" not in codes(counts)


@pytest.mark.parametrize(("level", "told"), [(0.95, True), (0.99, False)])
def test_a_score_is_called_reversed_where_the_verdict_says_worse(level, told):
    # All 4 positives behind all 4 negatives: 2 of 70 dealings are as extreme, p = 0.029.
    counts = cap.count_scores([1] * 4 + [0] * 4, range(8))
    summary = cap.summarize(counts, level=level)
    assert (summary.verdict.ranks == "worse") == told
    assert ("reversed" in {finding.code for finding in summary.findings}) == told


def test_few_cases_that_happen_to_be_in_order_are_not_too_good():
    assert "too_good" not in codes(cap.count_scores([0] * 100 + [1] * 5, range(105)))
    assert "too_good" in codes(cap.count_scores([0] * 400 + [1] * 40, range(440)))


def ordered(placements, negatives=10_000):
    """Return counts of positives that have these shares of the negatives above them."""
    score = np.concatenate([-np.asarray(placements), -(np.arange(negatives) + 0.5) / negatives])
    return cap.count_scores(np.arange(len(score)) < len(placements), score)


EVENLY = (np.arange(500) + 0.5) / 500


@pytest.mark.turns(3)
@pytest.mark.parametrize("auc", [0.6, 0.75, 0.95, 0.99])
@pytest.mark.parametrize("spread", [1, 3])
def test_the_top_of_scores_that_are_powers_or_normal_is_no_surprise(auc, spread):
    assert "pure_top" not in codes(ordered(EVENLY ** (auc / (1 - auc))))
    if spread == 1 or auc >= 0.95:
        scores = norm.ppf(auc) * np.hypot(1, spread) + spread * norm.ppf(EVENLY)
        assert "pure_top" not in codes(ordered(norm.sf(scores)))


def test_positives_above_every_negative_that_the_others_do_not_explain_are_told():
    # 200 of 500 stand on top, and 12 more above all but 100 of 10,000 negatives: in a power law
    # 212² / 500 = 90 would.
    leaked = np.append(np.zeros(200), EVENLY[:300] ** 0.8)
    found = codes(ordered(leaked))["pure_top"]
    assert found.severity == "warning"
    assert found.message.startswith("40.0% of all positives (200) rank above every negative")
    # So do grades, of which the best holds these alone.
    best, others = [200, 0], ([100, 80, 60, 40, 15, 5], [500, 1000, 1500, 2000, 2500, 2500])
    grades = cap.ScoreCounts.from_counts(
        range(7, 0, -1), [best[0], *others[0]], [best[1], *others[1]]
    )
    assert "pure_top" in codes(grades)
    some = cap.ScoreCounts.from_counts(range(6, 0, -1), *others)
    assert "pure_top" not in codes(some)


def test_grades_are_too_good_where_they_rank_as_normal_scores_of_that_ratio():
    # In ten equal grades, ties leave an accuracy ratio of 0.95 at most.
    shares = np.arange(1, 11) / 10
    for auc, told in ((0.97, False), (0.995, True)):
        captured = norm.cdf(norm.ppf(auc) * np.sqrt(2) + norm.ppf(shares))
        positives = np.diff(np.round(1000 * captured), prepend=0).astype(int)
        counts = cap.ScoreCounts.from_counts(range(10, 0, -1), positives, [1900] * 10)
        assert cap.accuracy_ratio(counts) < 0.95
        assert ("too_good" in codes(counts)) == told
    # The best of seven equal grades holds 98.3% of the positives, the others the rest in order.
    leaked = cap.ScoreCounts.from_counts(
        range(7, 0, -1), [983, 6, 4, 3, 2, 1, 1], [1880, *[2850] * 6]
    )
    assert cap.accuracy_ratio(leaked) < 0.9
    assert "too_good" in codes(leaked)


def test_most_cases_in_one_of_several_grades_are_a_warning():
    crowded = codes(cap.ScoreCounts.from_counts([3, 2, 1], [10, 30, 2], [40, 850, 68]))
    assert crowded["heavy_ties"].severity == "warning"
    # Half is not more than half, and of a flag one value has to have most cases.
    assert codes(loans("grade_rank"))["heavy_ties"].severity == "info"
    flag = cap.ScoreCounts.from_counts([2, 1], [30, 12], [100, 858])
    assert codes(flag)["heavy_ties"].severity == "info"


@pytest.mark.parametrize("together", [False, True])
def test_other_outcomes_of_dropped_rows_are_told(together):
    # Of 40 rows without the second score 2 are positives, of the other 60 are 24.
    y = [1] * 24 + [0] * 36 + [1, 1] + [0] * 38
    one, two = [i % 7 for i in range(100)], [i % 5 for i in range(60)] + [None] * 40
    data = {"y": [*y, None], "a": [*one, 1], "b": [*two, None], "g": [1, 2] * 50 + [1]}
    if together:
        joint = cap.count_joint("y", ["a", "b"], data=data, missing="drop")
        counts = joint.margin("a")
    else:
        counts = cap.count_scores("y", "b", data=data, missing="drop")
    said = codes(counts)["dropped_rows"].message
    assert said == (
        "41 rows without a value were left out (y in 1, b in 41); 5.0% of the 40 with an outcome "
        "are positives, against 40.0% of the rows kept"
    )
    # Segments add up to the same.
    parts = cap.count_segments("y", "b", data=data, by="g", missing="drop")
    whole = cap.ScoreCounts.merge(list(parts.values()))
    assert codes(whole)["dropped_rows"].message == said
    # What chance explains is not told: 16 of the 40 are positives as of all rows.
    even = [1] * 24 + [0] * 36 + [1] * 16 + [0] * 24
    alike = cap.count_scores(even, two, missing="drop")
    assert codes(alike)["dropped_rows"].message == (
        "40 rows without a value were left out (score in 40)"
    )


def test_findings_come_gravest_first():
    order = {"error": 0, "warning": 1, "info": 2}
    found = cap.summarize(cap.count_scores([1, 0], [1, 1])).findings
    ranks = [order[finding.severity] for finding in found]
    assert len(ranks) >= 2
    assert ranks == sorted(ranks)


def test_every_headline_number_bears_the_interval_of_its_metric():
    counts = loans()
    summary = cap.summarize(counts, level=0.9)
    assert summary.level == 0.9
    assert summary.intervals_undefined is None
    asked = {
        "accuracy_ratio": ("accuracy_ratio", {}),
        "roc_auc": ("roc_auc", {}),
        "average_precision": ("average_precision", {}),
        "ks": ("ks", {}),
        "captured_10": ("captured_response", {"q": 0.1}),
        "captured_20": ("captured_response", {"q": 0.2}),
        "captured_50": ("captured_response", {"q": 0.5}),
        "lift_10": ("lift", {"q": 0.1}),
    }
    assert set(summary.intervals) == set(asked)
    for name, (metric, options) in asked.items():
        expected = cap.confidence_interval(counts, metric, level=0.9, **options)
        found = summary.intervals[name]
        for part in ("low", "estimate", "high", "se", "level"):
            assert getattr(found, part) == pytest.approx(getattr(expected, part), rel=1e-12), name
    assert summary.intervals["accuracy_ratio"].estimate == summary.accuracy_ratio
    assert summary.intervals["captured_10"].estimate == summary.captured[0.1]
    assert summary.intervals["lift_10"].estimate == pytest.approx(summary.lift[0.1], rel=1e-12)
    narrow, wide = (cap.summarize(counts, level=level).intervals["ks"] for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_a_stated_prevalence_moves_the_intervals_of_shares_and_no_others():
    counts = loans()
    plain, stated = (cap.summarize(counts, prevalence=pi).intervals for pi in (None, 0.01))
    for name in ("accuracy_ratio", "roc_auc", "ks"):
        assert stated[name] == plain[name]
    for name, q in (("captured_10", 0.1), ("captured_50", 0.5)):
        assert stated[name].estimate == cap.captured_response(counts, q, prevalence=0.01)
        assert stated[name].low < stated[name].estimate < stated[name].high
        assert stated[name].low != plain[name].low


def test_what_has_no_intervals_says_why():
    weighted = cap.count_scores([1, 0, 1, 0], [4, 3, 2, 1], weight=[1.0, 2.0, 0.5, 1.0])
    summary = cap.summarize(weighted)
    assert summary.accuracy_ratio is not None
    assert (summary.intervals, summary.verdict) == ({}, None)
    assert "weight_kind" in summary.intervals_undefined
    lacking = cap.summarize(cap.count_scores([1, 1], [0.1, 0.2]))
    assert (lacking.intervals, lacking.verdict) == ({}, None)
    assert "negatives" in lacking.intervals_undefined
    assert lacking.to_row()["accuracy_ratio_low"] is None
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        cap.summarize(weighted, level=95)


@pytest.mark.parametrize(
    ("target", "score", "ranks", "p_value"),
    [
        ([1, 1, 1, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1], "better", 2 / 70),
        ([0, 0, 0, 0, 1, 1, 1, 1], [8, 7, 6, 5, 4, 3, 2, 1], "worse", 2 / 70),
        ([1, 0, 1, 0], [4, 3, 2, 1], "alike", 4 / 6),
        ([1, 0, 1, 0], [1, 1, 1, 1], "alike", 1),
    ],
)
def test_the_verdict(target, score, ranks, p_value):
    # Of the C(8, 4) = 70 orders two are as extreme as the first; of C(4, 2) = 6 four.
    counts = cap.count_scores(target, score)
    verdict = cap.summarize(counts).verdict
    assert (verdict.ranks, verdict.p_value) == (ranks, pytest.approx(p_value))
    assert verdict.p_value == cap.discrimination_test(counts).p_value
    assert verdict.outside_band == (cap.ks_test(counts).p_value <= 0.05)


def test_a_verdict_says_where_order_and_band_differ():
    # The middle third holds all positives: the AR is 0, and the classes differ all the same.
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [0, 40, 0], [30, 10, 30])
    verdict = cap.summarize(counts).verdict
    assert (verdict.ranks, verdict.outside_band) == ("alike", True)
    # A little better all along: no single cut-off shows it, all together do.
    p, n = [11, 10, 8, 7, 5], [5, 7, 8, 10, 11]
    counts = cap.ScoreCounts.from_counts([5, 4, 3, 2, 1], p, n)
    verdict = cap.summarize(counts).verdict
    assert (verdict.ranks, verdict.outside_band) == ("better", False)


def test_the_verdict_of_weighted_rows_does_not_speak_of_a_band():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 200)
    weight = rng.exponential(1, 200)
    for shift, ranks in ((0, "alike"), (2, "better")):
        s = rng.normal(size=200) + shift * y
        counts = cap.count_scores(y, s, weight=weight, weight_kind="sampling")
        verdict = cap.summarize(counts).verdict
        assert (verdict.ranks, verdict.outside_band, verdict.band_p_value) == (ranks, None, None)
        assert "band" not in verdict.sentence
        assert "law of the largest gap is not known" in verdict.notes[-1]
        assert verdict.p_value == cap.discrimination_test(counts).p_value


@pytest.mark.merge
def test_a_summary_of_chance_is_strict_json_and_loads_no_statistics():
    import subprocess
    import sys

    code = (
        "import sys, json, capcurve as cap\n"
        f"s = cap.summarize(cap.count_scores('y', 'grade_rank', data={LOANS!r}))\n"
        "d = json.loads(json.dumps(s.to_dict(), allow_nan=False))\n"
        "assert d['intervals']['ks']['method'] == 'hybrid', d['intervals']\n"
        "assert d['verdict']['ranks'] == 'better'\n"
        "assert d['level'] == 0.95\n"
        "assert s.to_row()['accuracy_ratio_low'] == d['intervals']['accuracy_ratio']['low']\n"
        "print([name for name in ('scipy.stats', 'matplotlib') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.turns(3)
@pytest.mark.parametrize("higher_is", ["positive", "negative"])
@pytest.mark.parametrize("weights", [{}, {"weight_kind": "sampling"}])
def test_the_share_at_ks_is_that_of_the_stated_prevalence(higher_is, weights):
    draw = np.random.default_rng(8)
    y = draw.random(400) < 0.3
    weight = draw.random(400) * 5 if weights else None
    counts = cap.count_scores(
        y, draw.normal(size=400) + y, higher_is=higher_is, weight=weight, **weights
    )
    found = cap.summarize(counts, prevalence=0.03)
    point = cap.operating_point(counts, threshold=found.ks.threshold)
    share = 0.03 * point.captured + 0.97 * point.fpr
    assert found.share_at_ks == pytest.approx(share, abs=1e-12)
    assert found.to_row()["ks_q"] == found.share_at_ks
    assert f"top {share:.1%}" in cap.evaluate(counts, prevalence=0.03).to_text()
    assert cap.summarize(counts).share_at_ks == found.ks.q


def test_a_reversed_score_is_not_compared_with_what_its_pds_imply():
    rng = np.random.default_rng(3)
    pds = rng.uniform(0.01, 0.6, 2_000)
    defaulted = rng.random(2_000) < 1.5 * pds
    reversed_ = cap.evaluate(defaulted, -pds, pd=pds)
    (summary,) = reversed_.summaries.values()
    found = {finding.code for finding in summary.findings}
    assert {"reversed", "pds_too_low"} <= found
    assert not {"below_implied", "above_implied"} & found
    assert "imply" not in " ".join(reversed_.presentation().sentences)
    assert reversed_.sentence.startswith("The top 10% of cases")
    right = cap.evaluate(defaulted, pds, pd=pds)
    assert right.sentence.startswith("Positives are 1.")
