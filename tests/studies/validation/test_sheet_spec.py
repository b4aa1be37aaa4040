"""A validation sheet as a validator, an auditor and a build server rely on it."""

import datetime as dt
import importlib
import json
import re
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from math import comb

import jsonschema
import numpy as np
import pytest
from scipy import stats

import capcurve as cap
from capcurve.show.format import statistic
from capcurve.studies.validation.judgement import (
    SheetTest,
    estimate_text,
    lit,
    meaning_of,
    read_limits,
)
from capcurve.studies.validation.sheet import schema
from cli_calls import call

GRADES = ["F", "E", "D", "C", "B", "A"]  # the riskiest first
TRUE_RATES = {"F": 0.40, "E": 0.25, "D": 0.15, "C": 0.09, "B": 0.05, "A": 0.02}
SCALE = {"levels": GRADES}


def rows(seed, n=1500):
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 6, n)
    moved = np.clip(place + rng.choice([-1, 0, 1], n, p=[0.06, 0.9, 0.04]), 0, 5)
    begun = np.clip(place + rng.choice([-1, 0, 1], n, p=[0.1, 0.8, 0.1]), 0, 5)
    grade = np.array(GRADES)[place]
    return {
        "default": (rng.random(n) < [TRUE_RATES[each] for each in grade]).astype(int),
        "grade": grade,
        "final": np.array(GRADES)[moved],
        "start": np.array(GRADES)[begun],
        "gbm": -place + rng.normal(size=n),
        "month": np.sort(rng.integers(1, 5, n)),
        "product": rng.choice(["loans", "cards"], n),
        "client": rng.integers(0, n // 4, n),
        "weight": rng.uniform(0.5, 2, n),
    }


NOW, INITIAL = rows(1), rows(2)


def counts(data=NOW, **options):
    return cap.count_scores("default", "grade", data=data, **SCALE, **options)


def parts(by, data=NOW, **options):
    return cap.count_segments("default", "grade", data=data, by=by, **SCALE, **options)


def joint(data=NOW, names=("grade", "start", "final", "gbm"), **options):
    levels = dict.fromkeys((each for each in names if each != "gbm"), GRADES)
    return cap.count_joint("default", list(names), data=data, levels=levels, **options)


def partial(data=NOW):
    outcome = data["default"].astype(object)
    outcome[::50] = None
    return cap.count_partial(outcome, data["grade"], **SCALE)


def everything():
    return {
        "initial": counts(INITIAL),
        "periods": parts("month"),
        "segments": parts("product"),
        "joint": joint(),
        "start": "start",
        "final": "final",
        "partial": partial(),
    }


WHOLE = cap.validate(counts(), **everything())


def findings(sheet, code):
    return [found.message for found in sheet.findings if found.code == code]


# What the numbers mean


def test_overrides_to_better_grades_are_towards_fewer_positives():
    place = {grade: at for at, grade in enumerate(GRADES)}
    before, after = ([place[each] for each in NOW[name]] for name in ("grade", "final"))
    up, down = np.greater(after, before), np.less(after, before)
    found = WHOLE.tests
    assert found["overrides.up"].estimate == pytest.approx(up.mean(), abs=1e-12)
    assert found["overrides.down"].estimate == pytest.approx(down.mean(), abs=1e-12)
    assert found["overrides.rate"].estimate == pytest.approx((up | down).mean(), abs=1e-12)
    share = NOW["default"][up].mean()
    assert found["overrides.up"].reference == f"{share:.1%} of these are positives"


def test_a_fall_is_positive_and_a_lead_over_a_challenger_too():
    ratio = cap.accuracy_ratio(counts())
    found = WHOLE.tests
    initial = cap.accuracy_ratio(counts(INITIAL))
    assert found["initial.drop"].estimate == pytest.approx(initial - ratio, abs=1e-12)
    gbm = cap.accuracy_ratio(joint().margin("gbm"))
    assert found["challenger.gbm"].estimate == pytest.approx(ratio - gbm, abs=1e-12)
    final = cap.accuracy_ratio(joint().margin("final"))
    assert found["overrides.ranking"].estimate == pytest.approx(final - ratio, abs=1e-12)


def test_what_kept_its_grade_has_the_limits_of_what_moved():
    found = WHOLE.tests["migration.unchanged"]
    kept = (NOW["grade"] == NOW["start"]).mean()
    assert found.estimate == pytest.approx(kept, abs=1e-12)
    assert found.low < kept < found.high
    half = 1.96 * np.sqrt(kept * (1 - kept) / 1500)
    assert (found.low, found.high) == pytest.approx((kept - half, kept + half), abs=0.003)


@pytest.mark.parametrize(("most", "grown"), [(0.9, True), (1 / 6, False)])
def test_concentration_is_tested_for_growth_alone(most, grown):
    share = np.array([most, *[(1 - most) / 5] * 5])
    now = cap.ScoreCounts.from_counts(range(6, 0, -1), [5] * 6, (1e4 * share).round())
    before = cap.ScoreCounts.from_counts(range(6, 0, -1), [5] * 6, [4000, 2000, *[1000] * 4])
    found = cap.validate(now, before=before).tests
    assert found["concentration.change"].name == "Growth of concentration"
    assert (found["concentration.change"].p_value < 0.05) is grown
    effective = found["concentration.effective_grades"]
    assert effective.low <= effective.estimate <= effective.high


def test_of_neighbours_a_low_p_value_is_good_and_the_sheet_says_so():
    apart = cap.ScoreCounts.from_counts([3, 2, 1], [300, 100, 10], [700, 900, 990])
    alike = cap.ScoreCounts.from_counts([3, 2, 1], [100, 101, 99], [900, 899, 901])
    limits = {"grades.neighbours": {"green": 0.05, "red": 0.2}}
    for sample, light in ((apart, "green"), (alike, "red")):
        found = cap.validate(sample, limits=limits).tests["grades.neighbours"]
        assert found.light == light
        assert "low p is good" in found.name


# The control chart


def as_low(first, second):
    """Return how often dealing the positives leaves as few with the first; equal counts half."""
    (p, n), (q, m) = first, second
    ways = {at: comb(n, at) * comb(m, p + q - at) for at in range(max(0, p + q - m), p + q + 1)}
    below = sum(count for at, count in ways.items() if at < p)
    return Fraction(2 * below + ways[p], 2 * sum(ways.values()))


@pytest.mark.parametrize(
    ("cells", "least"),
    [
        ([(30, 100), (20, 100), (18, 100)], ["b and a"]),  # Holm's values are all 1
        ([(30, 100), (20, 100), (30, 100)], ["b and a"]),
        ([(3, 10), (3, 10), (3, 10)], ["c and b", "b and a"]),
    ],
)
def test_the_pair_that_is_named_has_the_least_chance_of_its_own(cells, least):
    positives, negatives = zip(*((p, n - p) for p, n in cells), strict=True)
    now = cap.ScoreCounts.from_counts(list("cba"), positives, negatives, levels=list("cba"))
    found = cap.validate(now).tests["grades.reversed"]
    chances = [as_low(*pair) for pair in pairwise(cells)]
    assert found.p_value == pytest.approx(float(min(chances)), rel=1e-9)
    assert found.p_adjusted == pytest.approx(min(1.0, 2 * float(min(chances))), rel=1e-9)
    assert found.method == f"mid-p of each pair, Holm; the smallest is that of {', '.join(least)}"


def test_one_sided_p_values_are_said_to_be_one_sided():
    one_sided = {
        "initial.drop": "the current one is lower",
        "initial.ecb": "the current one is lower",
        "grades.neighbours": "the riskier grade has the higher rate",
        "grades.reversed": "the riskier grade has the lower rate",
        "grades.monotone": "some rate rises",
        "concentration.change": "concentration has grown",
    }
    for test_id, test in WHOLE.tests.items():
        expected = one_sided.get(test_id, None if test.p_value is None else "two-sided")
        assert test.alternative == expected, test_id
    drop = WHOLE.tests["initial.drop"]
    both = cap.compare_independent(counts(INITIAL), counts())
    half = both.p_value / 2
    assert drop.p_value == pytest.approx(half if drop.estimate > 0 else 1 - half, rel=1e-6)
    said = "; intervals at 95%; p-values with * are one-sided."
    assert f"not adjusted for their number except where marked{said}" in WHOLE.to_text()
    front, _, behind = WHOLE.to_html().partition("</article>")
    assert said in front
    assert f"<td>{drop.p_value:.3f}*</td>" in front
    assert f"{WHOLE.tests['grades.reversed'].p_adjusted:.3f}* adj." in WHOLE.to_text()
    assert f"p {drop.p_value:.3f}; one-sided: the current one is lower" in behind
    alone = cap.validate(ONE_CLASS)
    assert "with * are one-sided" not in alone.to_text()


def fallen_and_back():
    good = cap.ScoreCounts.from_counts([3, 2, 1], [60, 20, 5], [200, 400, 900])
    bad = cap.ScoreCounts.from_counts([3, 2, 1], [20, 40, 25], [200, 400, 900])
    return good, {f"2025-{at}": bad if at in (3, 4) else good for at in range(1, 9)}


def test_an_alarm_of_an_earlier_period_stays_red():
    initial, periods = fallen_and_back()
    limits = {"monitoring.chart": {"green": 1, "red": 1}}
    sheet = cap.validate(initial, initial=initial, periods=periods, limits=limits)
    chart = cap.control_chart(periods, initial)
    reached = chart.table["cusum"]
    assert chart.alarm == "2025-4"
    assert reached[-1] < reached.max()
    found = sheet.tests["monitoring.chart"]
    assert found.estimate == pytest.approx(reached.max() / chart.limit, rel=1e-12)
    assert (found.light, found.alarm) == ("red", "2025-4")


def test_an_alarm_comes_first_whatever_the_limits():
    initial, periods = fallen_and_back()
    limits = {"accuracy_ratio": {"green": 0, "red": -1}}
    shown = cap.validate(initial, initial=initial, periods=periods, limits=limits)
    said = shown.presentation()
    assert said.sentences[0].startswith("ALARM since 2025-4: accuracy ratio ")
    assert said.sentences[1].endswith(" 0 red.")
    assert "alarm" in {each.code for each in shown.findings}
    assert "alarm" not in {each.code for each in said.findings}  # it is the headline
    assert (said.light, shown.lights["red"]) == ("red", 0)
    front = shown.to_html().partition("</article>")[0]
    row = re.search(r"<tr class=alarm>.*?</tr>", front)[0]
    assert re.search(r"Control chart: peak / limit .*mark-red.*ALARM in 2025-4", row)
    assert front.count("ALARM in") == 1
    assert "<b>0</b> red" in front
    quiet = cap.validate(initial, initial=initial, periods={"2025-1": initial}, limits=limits)
    assert quiet.presentation().light == "green"
    assert "<small>no alarm</small>" in quiet.to_html()


def test_the_fall_and_the_test_of_the_ecb_say_why_they_differ():
    assert WHOLE.tests["initial.ecb"].name == (
        "ECB test: AUC below initial AUC (§2.5.4, initial value taken as exact)"
    )


@pytest.mark.parametrize(
    ("estimate", "said"),
    [
        (0.34, "estimate red, not shown at 95%"),
        (0.40, "inconclusive: could be red"),
        (0.46, "inconclusive: could be green or red"),
    ],
)
def test_an_estimate_beyond_a_limit_that_its_interval_does_not_break_is_called_that(estimate, said):
    limits = read_limits({"accuracy_ratio": {"green": 0.48, "red": 0.35}})
    high = 0.47 if estimate < 0.45 else 0.5
    numbers = {"estimate": estimate, "low": 0.3, "high": high, "level": 0.95}
    test = lit(SheetTest.of("discrimination.accuracy_ratio", **numbers), limits)
    assert (test.light, meaning_of(test)) == ("amber", said)


@pytest.mark.parametrize("seed", range(6))
def test_the_fall_is_the_difference_of_the_numbers_beside_the_picture(seed):
    now, initial = (counts(rows(seed + shift, 700)) for shift in (0, 40))
    made = cap.validate(now, initial=initial)
    test = made.tests["initial.drop"]
    seen = [Fraction(f"{cap.accuracy_ratio(each):.3f}") for each in (initial, now)]
    assert Fraction(estimate_text(test).replace("−", "-")) == seen[0] - seen[1]
    saved = made.to_dict()["tests"]
    assert "shown" not in saved[0]
    (full,) = (each["estimate"] for each in saved if each["id"] == "initial.drop")
    assert full == pytest.approx(cap.accuracy_ratio(initial) - cap.accuracy_ratio(now), abs=1e-12)


def test_the_level_of_pds_shows_positives_against_those_predicted():
    scores = [0.1, 0.2, 0.3] * 100
    found = cap.validate(cap.count_scores([1, 0, 0] * 100, scores), pd="score")
    assert estimate_text(found.tests["calibration.portfolio"]) == "100 against 60"


def test_rows_without_a_challenger_are_told_by_its_name():
    data = rows(3, 1400)
    score = np.arange(1400) % 7
    other = np.where(np.arange(1400) < 5, np.nan, score)
    joint = cap.count_joint(data["default"], {"mine": score, "old": other}, missing="drop")
    sheet = cap.validate(cap.count_scores(data["default"], score), joint=joint)
    assert findings(sheet, "other_cases") == [
        "old is missing in 5 of the 1,400 rows; the comparison with it is of the other 1,395"
    ]


def test_of_segments_the_mean_is_no_value_of_the_test():
    table = WHOLE.presentation().tables[0]
    place = table["test"].tolist().index("AR alike in all segments")
    test = WHOLE.tests["segments.accuracy_ratio"]
    assert table["value"][place] == f"χ² {statistic(test.statistic)}"
    assert test.estimate is not None


def test_first_page_names_the_data():
    front = re.sub(r"<[^>]*>", " ", WHOLE.to_html().partition("</article>")[0])
    front = " ".join(front.split())
    assert re.search(r"Score \S+ ?\S*: .* \(most likely positive\), ", front)
    for said in ("Sample ", "Initial sample ", "Periods ", "Segments "):
        assert said in front


def test_first_page_counts_grades_that_have_no_room():
    scale = cap.master_scale([0.01, 0.02, 0.04, 0.08])
    page = cap.validate(
        cap.count_scores([1, 0, 1, 0, 0], [0.1, 0.05, 0.03, 0.015, 0.001], levels=scale)
    ).to_html()
    assert ">score: 5 grades<" in page


@pytest.mark.parametrize("limit", [lambda saved: saved, lambda saved: saved["limit"]])
def test_a_stored_limit_keeps_verdicts_whatever_the_seed(limit):
    whole = {"initial": counts(INITIAL), "periods": dict(parts("month"))}
    whole["periods"][5] = counts({**NOW, "grade": NOW["grade"][::-1]})
    first = cap.validate(counts(), **whole, seed=5)
    saved = first.to_dict()["settings"]["control_chart"]
    again = cap.validate(counts(), **whole, seed=6, chart=limit(saved))
    one, two = (each.tests["monitoring.chart"] for each in (first, again))
    assert one.estimate == two.estimate
    other = cap.validate(counts(), **whole, seed=6)
    assert other.tests["monitoring.chart"].estimate != one.estimate


def test_a_stored_limit_of_another_sample_is_refused_by_the_name_of_its_argument():
    saved = WHOLE.to_dict()["settings"]["control_chart"]
    with pytest.raises(ValueError, match=r"is for another initial sample.*leave chart= out"):
        cap.validate(counts(), initial=counts(), periods=parts("month"), chart=saved)


# Segments


def test_a_segment_that_is_reversed_is_among_the_findings_of_the_sheet():
    well, turned = ([60, 25, 10, 5], [300, 400, 600, 700]), ([5, 10, 25, 60], [300, 400, 600, 700])
    parts = {
        name: cap.ScoreCounts.from_counts([4, 3, 2, 1], *columns)
        for name, columns in (("a", well), ("b", well), ("c", turned))
    }
    sheet = cap.validate(parts["a"] + parts["b"] + parts["c"], segments=parts)
    (said,) = findings(sheet, "segment_reversed")
    assert said.startswith("segment c: the score looks reversed")
    (said,) = findings(sheet, "unlike_segments")
    p_value = sheet.tests["segments.accuracy_ratio"].p_value
    assert p_value < 0.001
    assert "p < 0.001" in said


# Parts that cannot be had leave the others


ONE_CLASS = cap.ScoreCounts.from_counts(GRADES, [0] * 6, [9] * 6, **SCALE)
MANY = {at: counts(cluster="client") for at in range(21)}


@pytest.mark.parametrize(
    ("changes", "undefined", "why"),
    [
        ({"periods": MANY}, "monitoring.chart", "how clustered periods vary together"),
        ({"periods": {1: ONE_CLASS}}, "monitoring.chart", "needs a period with positives and neg"),
        ({"periods": parts("month"), "initial": 1}, "monitoring.chart", "initial must be an acc"),
        ({"before": ONE_CLASS}, "stability.psi_positives", "no positives in before"),
        ({"segments": {"a": ONE_CLASS}}, "homogeneity.grades", "at least two"),
        ({"initial": ONE_CLASS}, "initial.drop", "no positives"),
        ({"initial": ONE_CLASS}, "power.detectable_drop", "no positives"),
    ],
)
def test_what_cannot_be_tested_is_undefined_and_the_rest_stands(changes, undefined, why):
    limits = {undefined: {"green": 0.5, "red": 0.5}}
    sheet = cap.validate(counts(), **{"initial": counts(INITIAL), **changes}, limits=limits)
    found = sheet.tests[undefined]
    assert (found.estimate, found.p_value, found.light) == (None, None, "grey")
    assert why in found.notes[0]
    assert sheet.tests["discrimination.accuracy_ratio"].estimate > 0.3
    jsonschema.validate(sheet.to_dict(), schema())


@pytest.mark.parametrize("kind", ["frequency", "sampling", "exposure", None])
def test_weights_of_any_kind_have_a_sheet(kind):
    weight = np.ceil(NOW["weight"]) if kind == "frequency" else NOW["weight"]
    data = {**NOW, "weight": weight}
    options = {"weight": "weight"} | ({} if kind is None else {"weight_kind": kind})
    sheet = cap.validate(
        counts(data, **options),
        initial=counts({**INITIAL, "weight": weight}, **options),
        periods=parts("month", data, **options),
        segments=parts("product", data, **options),
        joint=joint(data, **options),
        start="start",
        final="final",
    )
    expected = cap.accuracy_ratio(counts(data, **options))
    assert sheet.tests["discrimination.accuracy_ratio"].estimate == expected
    chart = sheet.tests["monitoring.chart"]
    assert (chart.estimate is not None) is (kind == "frequency")
    assert not findings(sheet, "other_cases")


# What is refused, and what is warned of


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"initial": "0.5"}, "initial takes counts, got str: pass count_scores(y, p)"),
        ({"initial": True}, "initial takes counts, got bool"),
        (
            {"initial": cap.count_scores([0, 1], [1, 2])},
            "now has grades and initial has numbers",
        ),
        ({"segments": {"a": [1]}}, "segments['a'] takes counts, got list: pass count_scores(y, p)"),
        ({"segments": [1]}, "segments must be counts by name"),
        ({"before": cap.ScoreCounts.from_counts([], [], [], **SCALE)}, "before has no cases"),
        ({"outside": ["default"]}, "name the grades at that end too"),
        ({"chart": 3.0}, "needs periods and initial"),
        ({"level": 0.5}, "level must be above 0.5"),
        (
            {"joint": joint(names=("gbm", "grade"))},
            "now has grades and 'gbm' of joint has numbers",
        ),
        ({"joint": joint(), "start": "grade"}, "start must be a score of joint other than the fi"),
        ({"joint": joint(), "start": "final", "final": "final"}, "start and final are both"),
        ({"seed": None}, "seed must be a whole number"),
        ({"now": None}, "validate takes counts, got NoneType"),
        ({"now": parts("product")}, "validate takes the counts of one score"),
    ],
)
def test_refusals_take_one_line(changes, said):
    with pytest.raises((TypeError, ValueError)) as caught:
        cap.validate(**{"now": counts(), **changes})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("number", [0.5, np.float64(0.5), np.float32(0.5), 1, 0, np.int64(0), -1])
def test_an_initial_ratio_may_be_any_number(number):
    found = cap.validate(counts(), initial=number).tests["initial.drop"]
    assert found.estimate == pytest.approx(float(number) - cap.accuracy_ratio(counts()))


@pytest.mark.parametrize(
    ("changes", "who"),
    [
        ({"joint": joint(rows(3, 1400))}, "scores beside grade"),
        ({"partial": partial(rows(3, 1400))}, "cases with a known outcome"),
        ({"segments": parts("product", rows(3, 1400))}, "segments"),
    ],
)
def test_parts_of_other_cases_are_warned_of(changes, who):
    (said,) = findings(cap.validate(counts(), **changes), "other_cases")
    assert said.startswith(f"the {who} are of other cases than the sample: 1,")


def test_parts_of_the_same_cases_are_not():
    told = findings(cap.validate(counts(), joint=joint(), segments=parts("product")), "other_cases")
    assert told == []


# The same input, the same bytes


def shuffled(data):
    order = np.random.default_rng(9).permutation(len(data["default"]))
    return {name: column[order] for name, column in data.items()}


@pytest.mark.parametrize(
    "engine",
    [
        "pandas",
        *(pytest.param(engine, marks=pytest.mark.merge) for engine in ("arrays", "polars")),
    ],
)
def test_row_order_and_engine_change_no_byte(engine):
    data = shuffled(NOW)
    held = data if engine == "arrays" else importlib.import_module(engine).DataFrame(data)
    given = {
        **everything(),
        "periods": parts("month", held),
        "segments": parts("product", held),
        "joint": joint(held),
    }
    assert cap.validate(counts(held), **given).to_json() == WHOLE.to_json()


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": {"model": "A"}},
        {"level": 0.9},
        {"seed": 2},
        {"limits": {"psi": {"green": 0.1, "red": 0.2}}},
        {"segments": {}},
        *(
            pytest.param(change, marks=pytest.mark.merge)
            for change in (
                {"final": None},
                {"initial": 0.5},
                {"before": counts(INITIAL).cases},
                {"partial": None},
            )
        ),
    ],
)
def test_another_input_is_another_digest(changes):
    assert cap.validate(counts(), **{**everything(), **changes}).digest() != WHOLE.digest()


SCRIPT = """
import capcurve as cap
now = cap.ScoreCounts.from_counts([3, 2, 1], [40, 20, 5], [100, 200, 300])
parts = {name: now for name in ("2024-01", "2024-02", None)}
print(cap.validate(now, initial=now, segments=parts, periods=parts).digest())
"""


@pytest.mark.merge
def test_processes_with_other_hashes_agree():
    found = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            capture_output=True,
            check=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
        ).stdout
        for seed in ("0", "1")
    }
    assert len(found) == 1


# On paper and in files


NASTY = '<script>alert(1)</script> =1+1 "&" \u05e9\u05dc\u05d5\u05dd \u202eabc\nnew ' + "x" * 300


def test_names_of_any_kind_are_text():
    data = {**NOW, NASTY: NOW["gbm"]}
    levels = {"grade": GRADES}
    sheet = cap.validate(
        counts(),
        initial=counts(INITIAL),
        joint=cap.count_joint("default", ["grade", NASTY], data=data, levels=levels),
        segments={NASTY + name: part for name, part in parts("product").items()},
        periods={dt.date(2025, at, 1): part for at, part in parts("month").items()},
        subject={"model": NASTY, "=1+1": "@x"},
    )
    page = sheet.to_html()
    assert "<script" not in page
    assert "x" * 100 not in page.partition("class=tables")[2].partition("class=details")[0]
    assert f"challenger.{NASTY}" in sheet.tests
    assert json.loads(sheet.to_json())["digest"] == sheet.digest()
    jsonschema.validate(sheet.to_dict(), schema())
    assert not any(line.startswith(("=", "@")) for line in sheet.to_csv().splitlines())


def test_a_light_by_an_estimate_is_between_limits_and_not_unshown():
    limits = {
        "power.detectable_drop": {"green": 0, "red": 1},
        "accuracy_ratio": {"green": 1, "red": -1},
    }
    table = cap.validate(counts(), limits=limits).presentation().tables[0]
    lights = dict(zip(table["test"], table["light"], strict=True))
    assert lights["Smallest detectable fall of AR"] == "amber (between the limits)"
    assert lights["Accuracy ratio"] == "amber (between the limits)"


@pytest.mark.parametrize(("fail_on", "code"), [((), 0), (("--fail-on", "amber"), 1)])
def test_a_limit_that_nothing_was_held_against_fails_on_amber(tmp_path, monkeypatch, fail_on, code):
    monkeypatch.chdir(tmp_path)
    lines = [
        "default,score",
        *(f"{y},{8 - g}" for y, g in zip(NOW["default"], NOW["month"], strict=True)),
    ]
    (tmp_path / "now.csv").write_text("\n".join(lines))
    (tmp_path / "limits.toml").write_text("[challenger.gmb]\ngreen = 0.1\nred = 0.0\n")
    words = ("now.csv", "-t", "default", "-s", "score", "--limits", "limits.toml")
    assert call("validate", *words, *fail_on).exit_code == code


def test_numbers_without_a_0_before_the_point_are_explained(tmp_path):
    (tmp_path / "limits.toml").write_text("[psi]\ngreen = .1\n")
    with pytest.raises(
        ValueError, match=r"limits.toml is not a TOML file.*with a 0 before the poi"
    ):
        cap.validate(counts(), limits=tmp_path / "limits.toml")


SMALL = cap.ScoreCounts.from_counts([3, 2, 1], [40, 20, 10], [100, 200, 600])


def test_limits_of_a_fall_from_a_known_value_are_those_of_today_turned_round():
    sheet = cap.validate(SMALL, initial=0.7)
    today = cap.confidence_interval(SMALL, "accuracy_ratio")
    fall = sheet.tests["initial.drop"]
    assert (fall.low, fall.high) == pytest.approx((0.7 - today.high, 0.7 - today.low))
    assert fall.low < fall.estimate < fall.high


def test_each_limit_of_a_rate_is_one_sided_at_the_level_of_the_sheet():
    sheet = cap.validate(SMALL, level=0.9)
    grades = next(section for section in sheet.sections if section.title == "Grades")
    found = next(table for table in grades.tables if table.name == "Rates of grades")
    for place, (positives, cases) in enumerate([(40, 140), (20, 220), (10, 610)]):
        law = stats.beta(positives + 0.5, cases - positives + 0.5)
        assert found["rate_low"][place] == pytest.approx(law.ppf(0.1))
        assert found["rate_high"][place] == pytest.approx(law.ppf(0.9))


def test_sections_leave_no_gap_and_what_is_undefined_says_why():
    outcomes, scores = [0, 1, 1, 0] * 20, range(80)
    parts = cap.count_segments(outcomes, scores, by=["A", "B"] * 40)
    sheet = cap.validate(cap.count_scores(outcomes, scores), segments=parts)
    assert [(each.number, each.title) for each in sheet.sections] == [
        (3, "Data"),
        (4, "Discrimination"),
        (5, "Homogeneity and segments"),
        (6, "What the sample can show"),
    ]
    assert sheet.tests["homogeneity.grades"].section == 5
    assert "5. Homogeneity and segments" in sheet.to_html()
    why = "Homogeneity within grades is undefined: the score has 80 distinct values and no grade"
    assert why in sheet.to_text()
    assert why in sheet.to_html()


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_fall_that_is_detectable_is_one_sided_at_the_level_of_the_sheet(level):
    initial = cap.ScoreCounts.from_counts([3, 2, 1], [45, 15, 10], [100, 200, 600])
    cases = ((initial, cap.accuracy_ratio(initial), (70, 900)), (0.7, 0.7, None))
    for given, versus, sizes in cases:
        found = cap.validate(SMALL, initial=given, level=level).tests["power.detectable_drop"]
        drop = cap.detectable_drop(70, 900, versus, alpha=1 - level, initial=sizes)
        assert found.estimate == pytest.approx(drop)


def test_people_are_no_segments_of_a_sheet_unless_insisted_on():
    outcomes, scores = [0, 1, 1, 0] * 10, [1, 2, 3, 4] * 10
    segments = cap.count_segments(outcomes, scores, by=[row // 2 for row in range(40)])
    now = cap.count_scores(outcomes, scores)
    with pytest.raises(ValueError, match=r"^segments has 20 values and looks like an id;"):
        cap.validate(now, segments=segments)
    assert cap.validate(now, segments=segments, all_segments=True).sections
