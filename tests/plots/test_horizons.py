"""The accuracy ratio against the horizon, as table and picture."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import capcurve as cap

RANDOM = np.random.default_rng(11)
SCORE = RANDOM.normal(size=200).round(1)
EVENT_AT = np.ceil(RANDOM.exponential(90 / np.exp(SCORE)))
LEFT_AT = np.ceil(RANDOM.uniform(10, 200, 200))
TIMES = cap.count_times(np.minimum(EVENT_AT, LEFT_AT), EVENT_AT <= LEFT_AT, SCORE)
HORIZONS = [20, 50, 100]


def test_the_table_has_the_numbers_of_each_horizon_alone():
    table = cap.horizon_table(TIMES, HORIZONS, level=0.9)
    for row in table.rows():
        counts = TIMES.at(row["horizon"])
        interval = cap.confidence_interval(counts, "ar", level=0.9)
        shown = (row["low"], row["accuracy_ratio"], row["high"])
        assert shown == (interval.low, interval.estimate, interval.high)
        assert row["incidence"] == counts.prevalence
        followed = np.minimum(EVENT_AT, LEFT_AT) >= row["horizon"]
        assert row["at_risk"] == followed.sum()
        known = TIMES.known_at(row["horizon"])
        assert (row["positives"], row["unknown"]) == (known.known.n1, known.unknown.n)
        ended = [row[name] for name in ("followed", "positives", "competing", "unknown")]
        assert sum(ended) == TIMES.n


def test_a_horizon_without_an_event_has_no_ratio():
    table = cap.horizon_table(cap.count_times([2, 3, 5], [1, 1, 0], [3, 1, 2]), [1, 2])
    assert np.isnan(table["accuracy_ratio"]).tolist() == [True, False]
    assert table["incidence"].tolist() == [0, pytest.approx(1 / 3)]


def test_the_picture_has_the_ratio_alone_with_limits_and_says_incidence_and_censored(ax):
    assert cap.plot_horizons(TIMES, HORIZONS, ax=ax, title="By day") is ax
    table = cap.horizon_table(TIMES, HORIZONS)
    lines = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
    assert "Incidence" not in lines
    assert lines["Accuracy ratio"] == np.column_stack([HORIZONS, table["accuracy_ratio"]]).tolist()
    drawn = sorted(line.get_xydata().tolist() for line in ax.lines if len(line.get_xdata()) == 2)
    limits = zip(HORIZONS, table["low"], table["high"], strict=True)
    assert drawn == [[[t, low], [t, high]] for t, low, high in limits]
    ticks = [tick.get_text() for tick in ax.get_xticklabels()]
    held = zip(HORIZONS, table["incidence"], table["unknown"] / TIMES.n, strict=True)
    assert ticks == [f"{t}\n{rate:.1%}\n{gone:.1%}" for t, rate, gone in held]
    assert ax.get_title(loc="left") == "By day" or ax.get_title() == "By day"


def test_two_horizons_are_dots_that_no_line_joins(ax):
    named = cap.count_times(TIMES.time, TIMES.status == 1, TIMES.score, time_unit="days")
    cap.plot_horizons(named, HORIZONS[:2], ax=ax)
    (dots,) = [line for line in ax.lines if line.get_label() == "Accuracy ratio"]
    assert dots.get_linestyle() == "None"
    assert len(dots.get_xdata()) == 2
    assert ax.get_xlabel() == "Horizon (days), incidence, share censored before"


@pytest.mark.parametrize("score", ["s", ["s", "t"]])
def test_every_horizon_has_its_perfect_line(score):
    data = {"days": TIMES.time, "e": TIMES.status, "s": TIMES.score, "t": -TIMES.score}
    found = cap.evaluate(time="days", event="e", score=score, horizon=[100, 20, 50], data=data)
    chart = found.presentation().charts[0]
    perfect = {line.label: line.x[1] for line in chart.lines if line.label.startswith("Perfect")}
    times = cap.count_times("days", "e", "s", data=data)
    rates = [times.at(each).prevalence for each in HORIZONS]
    assert [*perfect] == [f"Perfect at {rate:.1%} positives" for rate in rates]
    assert [*perfect.values()] == pytest.approx(rates)
    one = cap.evaluate(time="days", event="e", score=["s", "t"], horizon=50, data=data)
    labels = [line.label for line in one.presentation().charts[0].lines]
    assert [label for label in labels if label.startswith("Perfect")] == ["Perfect"]


def test_one_line_says_what_is_wrong():
    with pytest.raises(ValueError, match=r"horizons must be numbers that ascend, got 50, 20"):
        cap.plot_horizons(TIMES, [50, 20])
    assert plt.get_fignums() == []
    joint = cap.count_joint_times([1, 2], [1, 0], {"a": [1, 2], "b": [2, 1]})
    with pytest.raises(TypeError, match=r'horizon_table\(joint\.margin\("a"\), \.\.\.\)'):
        cap.horizon_table(joint, [1])
    with pytest.raises(TypeError, match=r"write count_times\(time, event, score\)"):
        cap.censoring_test(TIMES.at(20))
    with pytest.raises(ValueError, match="nothing to test"):
        cap.censoring_test(cap.count_times([1, 2, 3], [1, 1, 0], [1, 2, 3]))
    with pytest.raises(ValueError, match="positives"):
        cap.integrated_accuracy_ratio(TIMES, [0.5, 20])


def test_a_score_that_goes_with_early_censoring_is_found():
    rate = np.random.default_rng(1).exponential(size=300)
    score = np.random.default_rng(2).normal(size=300)
    leaves = cap.count_times(rate / np.exp(score), np.zeros(300, dtype=int), score)
    found = cap.censoring_test(leaves)
    assert found.statistic > 5
    assert found.p_value < 1e-6
    turned = cap.count_times(
        rate / np.exp(score), np.zeros(300, dtype=int), score, higher_is="negative"
    )
    assert cap.censoring_test(turned).statistic == pytest.approx(-found.statistic)
