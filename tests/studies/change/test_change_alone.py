"""The change of a number alone, without segments: that of two samples, and nothing beside it."""

import numpy as np
import pytest

import capcurve as cap
from capcurve.inference.designs import LeftOut
from capcurve.inference.horizon import horizon_estimates

RNG = np.random.default_rng(11)


def rows(size, strength):
    y = (RNG.random(size) < 0.2).astype(int)
    return y, np.round(RNG.normal(size=size) + strength * y, 1), RNG.integers(0, 80, size)


FIRST, LAST = rows(900, 1.5), rows(700, 0.8)
HOW = {
    "plain": {},
    "weighted": {"weight": (FIRST[2] + 1.0, LAST[2] + 1.0), "weight_kind": "sampling"},
    "clustered": {"cluster": (FIRST[2], LAST[2])},
}


def counted(how, by=None):
    words = [
        {name: each[i] if isinstance(each, tuple) else each for name, each in HOW[how].items()}
        for i in (0, 1)
    ]
    samples = zip((FIRST, LAST), words, strict=True)
    if by is None:
        return [cap.count_scores(y, s, **word) for (y, s, _), word in samples]
    return [cap.count_segments(y, s, by=g % 3, **word) for (y, s, g), word in samples]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("metric", ["accuracy_ratio", "roc_auc"])
def test_it_is_the_test_of_two_samples_and_that_of_all_segments(how, metric):
    before, after = counted(how)
    alone = cap.attribute_change(before, after, metric=metric)
    test = cap.compare_independent(after, before, metric=metric)
    split = cap.attribute_change(*counted(how, by=True), metric=metric)
    for name in ("estimate", "se", "low", "high", "p_value", "df", "method"):
        assert getattr(alone.change, name) == getattr(test, name)
        assert getattr(alone.change, name) == getattr(split.change, name)
    assert alone.intervals == split.intervals
    assert alone.intervals[0] == cap.confidence_interval(before, metric)
    assert (dict(alone.parts), alone.segments, alone.pooled) == ({}, None, ())


def test_columns_frames_and_evaluations_are_taken_without_segments():
    pl = pytest.importorskip("polars")
    expected = cap.attribute_change(*counted("plain")).change
    assert cap.attribute_change(*FIRST[:2], *LAST[:2]).change == expected
    frames = tuple(pl.DataFrame({"y": y, "s": s}) for y, s, _ in (FIRST, LAST))
    assert cap.attribute_change("y", "s", data=frames).change == expected
    evaluations = [cap.evaluate(y, s) for y, s, _ in (FIRST, LAST)]
    assert cap.attribute_change(*evaluations).change == expected


def test_the_sentence_gives_both_numbers_and_the_size_of_the_change():
    # Of 100 pairs 92.5 are won before, ties half, and 88 after.
    before = cap.ScoreCounts.from_counts([3, 2, 1], [9, 0, 1], [0, 5, 5])
    after = cap.ScoreCounts.from_counts([3, 2, 1], [4, 6, 0], [0, 4, 6])
    found = cap.attribute_change(before, before)
    assert "stayed at 0.850, with a difference of 0.000 [" in found.presentation().sentences[0]
    found = cap.attribute_change(before, after)
    fall = f"[{-found.change.high:.3f}, {-found.change.low:.3f}]".replace("-", "−")
    (said,) = found.presentation().sentences
    assert said == (
        f"The accuracy ratio fell from 0.850 to 0.760, by 0.090 {fall}; the fall is not "
        f"statistically significant (p = {found.change.p_value:.3f})."
    )
    (back,) = cap.attribute_change(after, before).presentation().sentences
    assert back.startswith(f"The accuracy ratio rose from 0.760 to 0.850, by 0.090 {fall}; ")
    (finding,) = found.findings
    assert finding.code == "within_chance"
    assert finding.advice == "wait for more cases, or pool periods"
    shown = found.presentation()
    assert [figure.metric for figure in shown.figures] == ["before", "after", "change"]
    assert shown.tables == ()
    (chart,) = shown.charts
    assert chart.scores.names == ["before", "after"]


def test_one_case_of_a_class_has_no_test_and_says_so():
    few = cap.count_scores([1, 0, 0], [3, 2, 1])
    found = cap.attribute_change(few, counted("plain")[1])
    assert np.isnan(found.change.p_value)
    assert [finding.code for finding in found.findings] == ["not_tested"]
    assert np.isnan(found.to_frame("pandas")["low"].iloc[-1])


def times(size, cluster=None):
    score = np.round(RNG.normal(size=size), 1)
    time, end = np.ceil(RNG.exponential(30 * np.exp(-score))), np.ceil(RNG.exponential(60, size))
    return cap.count_times(np.minimum(time, end), time <= end, score, cluster=cluster)


def test_clusters_of_both_samples_move_together_at_a_horizon():
    first, last = (times(600, RNG.integers(0, 100, 600)).at(30) for _ in range(2))
    change = cap.attribute_change(first, last).change
    moved = [horizon_estimates(each) for each in (first, last)]
    assert all(isinstance(each, LeftOut) for each in moved)
    groups = max(each.groups for each in moved)
    together = moved[1].moves[0][0] - moved[0].moves[0][0]
    variance = (groups - 1) / groups * float((together**2).sum())
    assert change.se == pytest.approx(2 * variance**0.5, rel=1e-12)
    same = cap.attribute_change(first, first).change
    assert (same.estimate, same.low, same.high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda a, b: cap.attribute_change(a, {"x": b}), "one sample has segments and the other"),
        (lambda a, b: cap.attribute_change(a, b, least=5), "least is of segments"),
        (
            lambda a, _: cap.attribute_change(a, cap.count_scores([1, 1], [2, 1])),
            "after: no negatives among the 2 cases",
        ),
        (lambda a, _: cap.attribute_change(a, times(90).at(20)), "horizon"),
    ],
)
def test_bad_input_is_answered_in_one_line(given, said):
    with pytest.raises((ValueError, TypeError), match=said) as raised:
        given(*counted("plain"))
    assert "\n" not in str(raised.value)
