"""A control chart in words, as pictures and pages, and what is found in it."""

import json
from datetime import date

import numpy as np
import pytest

import capcurve as cap
from results_shown import in_words

INITIAL = cap.ScoreCounts.from_counts([4, 3, 2, 1], [200, 150, 100, 50], [500, 1500, 3000, 4500])


def month(*positives, negatives=(40, 150, 310, 470)):
    return cap.ScoreCounts.from_counts([4, 3, 2, 1], positives, negatives)


SAME, WORSE = month(12, 9, 6, 3), month(6, 8, 9, 7)


def chart(*counts, names=None, **options):
    names = names or [f"2024-{place + 1:02d}" for place in range(len(counts))]
    options = {"limit": 1.0, "drop": 0.1, **options}
    return cap.control_chart(dict(zip(names, counts, strict=True)), INITIAL, **options)


STEP = float(chart(WORSE).table["cusum"][0])


def codes(found):
    return [each.code for each in found.findings]


def test_what_a_chart_says(golden):
    worst, best, without = month(1, 2, 3, 24), month(30, 0, 0, 0), month(0, 0, 0, 0)
    large = month(12000, 9000, 6000, 3000, negatives=(40000, 150000, 310000, 470000))
    rows = np.array([1, 0] * 6), np.arange(12.0)
    few = cap.count_scores(*rows, cluster=np.arange(12) // 2)
    limit = {"limit": 2.5 * STEP}
    cases = {
        "no alarm": chart(SAME, SAME),
        "an alarm after a good month": chart(WORSE, best, WORSE, WORSE, WORSE, **limit),
        "an alarm that ended": chart(WORSE, WORSE, WORSE, SAME, **limit),
        "an alarm that goes on": chart(SAME, *[WORSE] * 5, **limit),
        "an alarm in the first month": chart(worst, limit=0.5),
        "a month without positives": chart(SAME, without, WORSE),
        "small periods": chart(month(3, 2, 1, 1), SAME),
        "large periods": chart(large),
        "periods as they came": chart(SAME, SAME, names=["10", "9"]),
        "rows without a period": chart(SAME, WORSE, names=["2024-01", None]),
        "a ratio taken as known": cap.control_chart({"a": SAME}, 0.6, limit=1.0),
        "a ratio of so many": cap.control_chart({"a": SAME}, (0.6, 500, 9500), limit=1.0),
        "few clusters": cap.control_chart({"a": few}, INITIAL, limit=1.0),
    }
    golden("ControlChart, in cases", in_words(cases))


def test_the_table_is_written_for_people():
    found = chart(SAME, WORSE, WORSE, WORSE, WORSE, WORSE, limit=2.5 * STEP)
    shown = found.presentation()
    assert shown.tables[0]["alarm"].tolist() == ["", "", "", "alarm", "alarm", "alarm"]
    text = found.to_text()
    assert "False" not in text
    assert "<p class='soft source'>6 periods of 6,000 cases · " in found.to_html()
    heads = next(line for line in text.splitlines() if line.startswith("period ")).split()
    assert (heads[1:5], heads[-2:]) == (
        ["cases", "positives", "negatives", "AR"],
        ["CUSUM", "alarm"],
    )
    assert found.to_markdown().count("| alarm |") >= 3


def test_the_result_is_strict_json_and_saved(tmp_path):
    found = chart(SAME, month(0, 0, 0, 0), WORSE)
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert read["periods"][1]["accuracy_ratio"] is None
    assert read["periods"][2]["period"] == "2024-03"
    assert read["sentence"] == found.presentation().sentences[0]
    for suffix in ("html", "json", "md", "txt", "csv", "png"):
        assert found.save(tmp_path / f"chart.{suffix}").stat().st_size > 100
    rows = (tmp_path / "chart.csv").read_text().splitlines()
    assert rows[0] == "period,n,n1,n0,accuracy_ratio,low,high,cusum,alarm"
    assert len(rows) == 4


def test_pictures_show_the_limit_the_alarm_and_the_initial_value():
    found = chart(*[WORSE] * 5)
    sums, ratios = found.presentation().charts
    assert {line.label for line in sums.lines} == {"Limit 1.00", "CUSUM", "", "Above the limit"}
    (limit,) = (line for line in sums.lines if line.label == "Limit 1.00")
    assert list(limit.y) == [1.0, 1.0]
    (alarm,) = (line for line in sums.lines if line.label == "Above the limit")
    assert list(alarm.y) == [c for c in found.table["cusum"] if c > 1]
    assert "Initially 0.600" in {line.label for line in ratios.lines}
    assert found.plot().get_ylabel() == "CUSUM"
    assert "Above the limit" not in {
        line.label for line in chart(SAME).presentation().charts[0].lines
    }


def test_names_along_the_axis_do_not_touch_and_the_last_is_there():
    many = chart(*[SAME] * 60, names=[f"{2020 + m // 12}-{m % 12 + 1:02d}" for m in range(60)])
    names = many.presentation().charts[0].scores.names
    assert names[-1] == "2024-12"
    assert sum(len(name) + 2 for name in names if name) <= 60
    few = chart(SAME, SAME, SAME).presentation().charts[0].scores.names
    assert list(few) == ["2024-01", "2024-02", "2024-03"]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["2024-02", "2024-01"], False),  # what is read in time is put in order
        ([202402, 202401], False),
        ([date(2024, 2, 1), date(2024, 1, 1)], False),
        ([2, 1], True),  # what numbers mean is not known
        (["10", "9"], True),
        ([1, 2], False),
    ],
)
def test_periods_out_of_order_are_told(names, told):
    assert ("order" in codes(chart(SAME, SAME, names=names))) is told


def test_findings_about_the_size_of_periods():
    assert "small_periods" in codes(chart(month(3, 2, 1, 1), SAME))
    assert "small_periods" not in codes(chart(SAME))
    large = month(12000, 9000, 6000, 3000, negatives=(40000, 150000, 310000, 470000))
    assert "tolerance" in codes(chart(large))
    assert "tolerance" not in codes(chart(SAME))


def test_rows_without_a_period_are_left_out():
    found = chart(SAME, WORSE, names=["2024-01", None])
    assert found.table["period"].tolist() == ["2024-01"]


def months_of_loans():
    rng = np.random.default_rng(5)
    y = rng.random(3000) < 0.1
    return (
        y,
        np.round(rng.normal(size=3000) + y),
        np.repeat(["2024-01", "2024-02", "2024-03"], 1000),
    )


@pytest.mark.merge
def test_an_evaluation_shows_the_chart_of_its_periods(tmp_path):
    y, score, by = months_of_loans()
    initial = cap.count_scores(y, score)
    evaluation = cap.evaluate(y, score, by=by)
    found = evaluation.monitored(initial, horizon=12)
    assert not evaluation.control_charts
    own = cap.control_chart(evaluation.segments["score"], initial, horizon=12)
    assert found.to_dict()["control_charts"] == {"score": own.to_dict()}
    page = found.to_html()
    assert page.count("<section id=monitoring>") == 1
    assert own.presentation().sentences[0] in page
    assert "<section id=monitoring>" not in evaluation.to_html()
    saved = json.loads(found.save(tmp_path / "e.json").read_text())
    assert saved["control_charts"]["score"]["limit"] == own.limit


@pytest.mark.merge
def test_an_evaluation_of_several_scores_charts_each_by_name():
    y, score, by = months_of_loans()
    evaluation = cap.evaluate(y, {"new": score, "<b>old": np.abs(score)}, by=by)
    with pytest.raises(ValueError, match="pass score="):
        evaluation.monitored(0.5)
    found = evaluation.monitored(0.5, score="new", horizon=12)
    found = found.monitored(0.4, score="<b>old", horizon=12)
    assert list(found.control_charts) == ["new", "<b>old"]
    assert "<h3>&lt;b&gt;old</h3>" in found.to_html()
    with pytest.raises(ValueError, match="there are no periods"):
        cap.evaluate(y, score).monitored(0.5)
