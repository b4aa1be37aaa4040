"""Tables: sums, thresholds that select what they say, and cut-offs that are the best."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import strategies as some
from hypothesis import assume, given, strategies as st

import capcurve as cap
from capcurve.show.columns import show
from capcurve.show.format import cutoff_text, percent

DIRECTIONS = st.sampled_from(["positive", "negative"])


def close(values):
    return pytest.approx(values, rel=1e-12, abs=1e-14)


def selected(s, threshold, higher_is):
    if threshold is None:
        return np.zeros(len(s), dtype=bool)
    return s >= threshold if higher_is == "positive" else s <= threshold


def confusions(y, s, higher_is="positive"):
    """All (tp, fp) that some threshold gives, none selected first."""
    order = sorted(set(s.tolist()), reverse=higher_is == "positive")
    chosen = [selected(s, threshold, higher_is) for threshold in [None, *order]]
    return [(int(y[c].sum()), int((1 - y[c]).sum())) for c in chosen]


@given(some.rows(max_size=60), st.integers(1, 12), DIRECTIONS)
def test_gains_tables_sum_to_the_totals(data, bins, higher_is):
    y, s = data
    counts = cap.count_scores(y, s, higher_is=higher_is)
    table = cap.gains_table(counts, bins=bins)
    n, positives = np.array(table["n"]), np.array(table["positives"])
    assert n.sum() == len(y)
    assert positives.sum() == y.sum()
    assert (n > 0).all()
    assert len(table) <= min(bins, len(counts))
    assert list(table["cum_n"]) == np.cumsum(n).tolist()
    assert list(table["cum_positives"]) == np.cumsum(positives).tolist()
    assert list(table["rate"]) == close((positives / n).tolist())
    captured = np.cumsum(positives) / y.sum()
    assert list(table["captured"]) == close(captured.tolist())
    assert list(table["lift"]) == close((positives / n / y.mean()).tolist())
    q = np.cumsum(n) / len(y)
    assert list(table["cum_lift"]) == close((captured / q).tolist())
    negatives = np.cumsum(n - positives) / (1 - y).sum()
    assert np.abs(table["ks"]).tolist() == close(np.abs(captured - negatives).tolist())
    assert captured[-1] == 1


@given(some.rows(max_size=60), st.integers(1, 12), DIRECTIONS)
def test_gains_bins_never_split_a_tie(data, bins, higher_is):
    y, s = data
    table = cap.gains_table(cap.count_scores(y, s, higher_is=higher_is), bins=bins)
    inside = [
        (s >= min(a, b)) & (s <= max(a, b))
        for a, b in zip(table["score_from"], table["score_to"], strict=True)
    ]
    assert np.sum(inside, axis=0).tolist() == [1] * len(s)
    assert [int(rows.sum()) for rows in inside] == list(table["n"])
    assert [int(y[rows].sum()) for rows in inside] == list(table["positives"])


def test_bins_of_distinct_scores_are_even():
    counts = cap.count_scores(np.arange(100) % 3 == 0, np.arange(100) / 7)
    assert list(cap.gains_table(counts)["n"]) == [10] * 10
    assert list(cap.gains_table(counts, bins=20)["n"]) == [5] * 20


@given(some.rows(max_size=40), DIRECTIONS)
def test_every_threshold_selects_what_its_row_says(data, higher_is):
    y, s = data
    counts = cap.count_scores(y, s, higher_is=higher_is)
    table = cap.threshold_table(counts)
    assert len(table) == len(counts) + 1
    tp, fp = np.array(table["tp"]), np.array(table["fp"])
    assert list(zip(tp.tolist(), fp.tolist(), strict=True)) == confusions(y, s, higher_is)
    thresholds = [row["threshold"] for row in table.rows()]
    assert thresholds[0] is None
    for k, threshold in enumerate(thresholds):
        chosen = selected(s, threshold, higher_is)
        assert (tp[k], fp[k]) == (y[chosen].sum(), (1 - y[chosen]).sum())
    assert (tp + np.array(table["fn"])).tolist() == [y.sum()] * len(table)
    assert (fp + np.array(table["tn"])).tolist() == [(1 - y).sum()] * len(table)
    assert list(table["tpr"]) == close((tp / y.sum()).tolist())
    assert list(table["fpr"]) == close((fp / (1 - y).sum()).tolist())
    assert list(table["q"]) == close(((tp + fp) / len(y)).tolist())
    precision = tp[1:] / (tp + fp)[1:]
    assert list(table["precision"])[1:] == close(precision.tolist())
    assert list(table["lift"])[1:] == close((precision / y.mean()).tolist())


@given(some.rows(max_size=30), st.floats(0.05, 0.95), DIRECTIONS)
def test_operating_points_keep_their_promise_and_go_deepest(data, wanted, higher_is):
    y, s = data
    counts = cap.count_scores(y, s, higher_is=higher_is)
    n1, n0 = int(y.sum()), int((1 - y).sum())
    points = [
        {"q": Fraction(tp + fp, n1 + n0), "captured": Fraction(tp, n1), "fpr": Fraction(fp, n0)}
        for tp, fp in confusions(y, s, higher_is)
    ]
    # What is asked is a float, so shares are compared as floats: a third is within 1/3.
    for name in ("q", "fpr"):
        point = cap.operating_point(counts, **{name: wanted})
        allowed = [p for p in points if float(p[name]) <= wanted]
        assert point.q == close(float(allowed[-1]["q"]))
        assert getattr(point, name) <= wanted
    point = cap.operating_point(counts, captured=wanted)
    enough = [p for p in points if float(p["captured"]) >= wanted]
    assert point.captured >= wanted
    assert point.captured == close(float(enough[0]["captured"]))
    chosen = selected(s, point.threshold, higher_is)
    assert (point.tp, point.fp) == (y[chosen].sum(), (1 - y[chosen]).sum())
    assert (point.tp + point.fn, point.fp + point.tn) == (n1, n0)


@given(some.rows(max_size=30), st.floats(0.05, 0.95))
def test_a_precision_that_is_asked_is_attained_as_deep_as_possible(data, wanted):
    y, s = data
    counts = cap.count_scores(y, s)
    good = [(tp, fp) for tp, fp in confusions(y, s)[1:] if tp / (tp + fp) >= wanted]
    assume(good)
    point = cap.operating_point(counts, precision=wanted)
    assert point.precision >= wanted
    assert (point.tp, point.fp) == good[-1]


@given(some.rows(max_size=30), st.integers(0, 100), DIRECTIONS)
def test_an_operating_point_at_a_threshold_selects_it(data, where, higher_is):
    y, s = data
    threshold = s[where % len(s)]
    counts = cap.count_scores(y, s, higher_is=higher_is)
    point = cap.operating_point(counts, threshold=threshold)
    chosen = selected(s, threshold, higher_is)
    assert (point.tp, point.fp) == (y[chosen].sum(), (1 - y[chosen]).sum())


RULES = {
    "youden": ({}, lambda tp, fp, n1, n0: Fraction(tp, n1) - Fraction(fp, n0)),
    "closest": ({}, lambda tp, fp, n1, n0: -(Fraction(fp, n0) ** 2 + Fraction(n1 - tp, n1) ** 2)),
    "cost": (
        {"cost_fn": 5, "cost_fp": 2},
        lambda tp, fp, n1, _: Fraction(-5 * (n1 - tp) - 2 * fp),
    ),
    "f_beta": (
        {"beta": 2},
        lambda tp, fp, n1, _: Fraction(5 * tp, 5 * tp + 4 * (n1 - tp) + fp),
    ),
    "profit": ({"value": 3, "cost": 1}, lambda tp, fp, *_: Fraction(3 * tp - (tp + fp))),
}


@pytest.mark.parametrize("rule", RULES)
@given(some.rows(max_size=30), DIRECTIONS)
def test_best_thresholds_are_all_the_best_and_only_those(rule, data, higher_is):
    y, s = data
    keywords, worth = RULES[rule]
    n1, n0 = int(y.sum()), int((1 - y).sum())
    ranked = [(worth(tp, fp, n1, n0), (tp, fp)) for tp, fp in confusions(y, s, higher_is)]
    best = [pair for value, pair in ranked if value == max(v for v, _ in ranked)]
    points = cap.best_thresholds(cap.count_scores(y, s, higher_is=higher_is), rule, **keywords)
    assert sorted((point.tp, point.fp) for point in points) == sorted(best)


@given(some.rows(scores=st.integers(0, 5).map(float)))
def test_worked_steps_end_with_everything_captured(data):
    y, s = data
    for ideal in (False, True):
        table = cap.step_table(cap.count_scores(y, s), ideal=ideal)
        assert (table["q"][0], table["captured"][0]) == (0, 0)
        assert (table["q"][-1], table["captured"][-1]) == (1, 1)
        assert table["positives"][-1] == y.sum()
        assert (np.cumsum(table["target"]) == table["positives"]).all()
        assert (table["target"] <= np.diff(table["rank"], prepend=0)).all()
        assert (np.diff(np.array(table["captured"], dtype=float)) >= 0).all()


TYPED = {
    "float64": (st.floats(allow_nan=False, width=64), np.float64, float),
    "float32": (st.floats(allow_nan=False, width=32), np.float32, float),
    "near": (st.integers(-9, 9).map(lambda k: 0.1 + k * 2**-56), np.float64, float),
    "int64": (st.integers(2**53, 2**53 + 9) | st.integers(-(2**63), 2**63 - 1), np.int64, int),
    "uint64": (st.integers(2**64 - 9, 2**64 - 1), np.uint64, int),
    "bool": (st.booleans(), np.bool_, lambda text: bool(float(text))),
    "decimal": (st.decimals(-9, 9, places=5), lambda s: [Decimal(v) for v in s], float),
}


@pytest.mark.parametrize("kind", TYPED)
@given(data=st.data(), higher_is=DIRECTIONS)
def test_a_cut_off_that_is_typed_back_as_shown_selects_the_same_cases(kind, data, higher_is):
    drawn, as_column, parsed = TYPED[kind]
    scores = data.draw(st.lists(drawn, min_size=2, max_size=20))
    counts = cap.count_scores(
        [k % 2 for k in range(len(scores))], as_column(scores), higher_is=higher_is
    )
    for row in list(cap.threshold_table(counts).rows())[1:]:
        shown = show("threshold", row["threshold"])
        typed = parsed(shown.replace("\N{MINUS SIGN}", "-"))  # as commands read it
        point = cap.operating_point(counts, threshold=typed)
        assert (point.tp, point.fp) == (row["tp"], row["fp"])


@given(some.rows(), st.sampled_from([0.1, 1e-4, 0.3, 7]), DIRECTIONS)
def test_a_cut_off_of_a_grid_selects_the_same_cases_as_shown(data, resolution, higher_is):
    y, s = data
    s = np.clip(s, -1e3, 1e3)
    counts = cap.count_scores(y, s, resolution=resolution, higher_is=higher_is)
    for row in list(cap.threshold_table(counts).rows())[1:]:
        point = cap.operating_point(counts, threshold=float(cutoff_text(row["threshold"])))
        assert (point.tp, point.fp) == (row["tp"], row["fp"])


@given(st.lists(st.datetimes(), min_size=2, max_size=9, unique=True), st.booleans())
def test_grades_that_are_dates_are_written_as_iso(moments, whole_days):
    midnight = datetime(2024, 1, 1)  # noqa: DTZ001 - grades without a zone
    days = [midnight + timedelta(days=k) for k in range(len(moments))]
    grades = days if whole_days else moments
    for grade in grades:
        assert datetime.fromisoformat(cutoff_text(grade)) == grade
    assert cutoff_text(days[0]) == cutoff_text(date(2024, 1, 1)) == "2024-01-01"


@given(st.floats(0, 1) | st.sampled_from([1e-6, 5e-324, 1 - 2**-53, 1 - 1e-6]))
def test_only_nothing_reads_as_nothing_and_only_all_as_all(share):
    for text in (percent(share), show("rate", share)):
        shown = Fraction(text.removesuffix("%")) / 100
        assert (shown == 0) == (share == 0)
        assert (shown == 1) == (share == 1)
        assert 0 <= shown <= 1
        assert abs(shown - Fraction(share)) <= Fraction("0.000500001")


DOUBLES = st.lists(
    st.tuples(st.integers(0, 1), st.floats(-1e3, 1e3) | st.floats(-1e-6, 1e-6)),
    min_size=3,
    max_size=25,
)


@given(DOUBLES, st.integers(1, 4), DIRECTIONS)
def test_cutoffs_with_fewer_digits_select_the_same_cases(data, bins, higher_is):
    y, s = (np.array(column) for column in zip(*data, strict=True))
    assume(0 < y.sum() < len(y))
    counts = cap.count_scores(y, s, higher_is=higher_is)
    tables = (
        cap.gains_table(counts, bins=bins),
        cap.threshold_table(counts),
        cap.step_table(counts),
    )
    shown = [each for table in tables for each in table.cutoffs.items()]
    shown.append(((ks := cap.summarize(counts).ks.threshold), cutoff_text(ks)))
    for score, text in shown:
        if score is not None:
            assert (
                selected(s, float(text), higher_is).tolist()
                == selected(s, score, higher_is).tolist()
            )
            assert len(text) <= len(cutoff_text(float(score)))


def test_no_table_shows_the_noise_of_floats():
    steps = np.repeat(np.arange(3, -4, -1), 4)
    y, treated, score = np.arange(28) % 3 == 0, np.arange(28) % 2, steps * 0.1
    counts, trial = cap.count_scores(y, score), cap.count_uplift(y, treated, score)
    tables = [
        *(make(counts) for make in (cap.gains_table, cap.threshold_table, cap.step_table)),
        cap.banding_loss(counts, bins="score").table,
        cap.uplift_table(trial, bins="score"),
    ]
    for table in tables:
        assert "0.3 " in repr(table)
        assert "0.30000" not in repr(table)
        assert 0.1 * 3 in [value for row in table.rows() for value in row.values()]
    many = cap.count_scores(np.arange(2000) % 2, np.arange(2000) / 3)
    assert not cap.threshold_table(many).cutoffs


def test_people_read_few_digits_of_a_cutoff_and_files_hold_all():
    score = [0.9000000002184081, 0.8999990001151286, 0.5, 0.25]
    found = cap.summarize(cap.count_scores([1, 0, 1, 0], score))
    assert cutoff_text(found.ks.threshold) == "0.9"
    assert "at score ≥ 0.9," in found.to_text()
    assert "0.9 " in repr(found.gains)
    assert found.gains.rows().__next__()["score_to"] == score[0]
    assert found.to_dict()["ks"]["threshold"] == score[0]
    single = cap.count_scores([1, 0, 1, 0], np.array(score, dtype=np.float32))
    table = cap.gains_table(single, bins=2)  # narrow scores have few digits, in files too
    assert (table["score_from"][0], table["score_to"][0]) == (0.9, 0.899999)
