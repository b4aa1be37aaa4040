"""Counts of times tell the same however their rows came, and weights keep what they stand for."""

import copy

import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st

import capcurve as cap

few = st.integers(0, 6)
# Statuses as labels, of which few rows may lack any.
STATUSES = {"event_label": 1, "censored_label": 0, "competing_labels": [2]}


@st.composite
def followed(draw, largest=9, statuses=3):
    """Draw (time, status, score, stratum) with ties of every kind."""
    cell = st.tuples(st.integers(0, largest), st.integers(0, statuses - 1), few, st.integers(0, 1))
    rows = draw(st.lists(cell, min_size=1, max_size=30))
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def counted(rows, **words):
    time, status, score, stratum = rows
    if words.pop("stratified", False):
        words["stratum"] = stratum
    return cap.count_times(time, status, score, **STATUSES, **words)


def horizons(times):
    return [t for t in (1, 2.5, 4, 7, 12) if t <= times.last_followed]


def surviving(time, gone, horizon):
    """Return Kaplan-Meier's curve of whatever takes rows away, by its definition."""
    share = 1.0
    for moment in sorted(set(time[gone & (time <= horizon)])):
        share *= 1 - (gone & (time == moment)).sum() / (time >= moment).sum()
    return share


def incidence(time, status, horizon):
    """Return Aalen & Johansen's incidence of the event, by its definition."""
    share, found = 1.0, 0.0
    for moment in sorted(set(time[time <= horizon])):
        at_risk = (time >= moment).sum()
        here = time == moment
        found += share * (here & (status == 1)).sum() / at_risk
        share *= 1 - (here & (status > 0)).sum() / at_risk
    return found


@given(followed())
def test_weights_add_up_to_the_rows_and_positives_to_the_incidence(rows):
    times = counted(rows)
    for horizon in horizons(times):
        found = times.at(horizon)
        assert found.n == pytest.approx(len(rows[0]))
        assert found.prevalence == pytest.approx(incidence(rows[0], rows[1], horizon))


@given(followed(statuses=2))
def test_without_competing_events_the_incidence_is_that_of_kaplan_and_meier(rows):
    times = counted(rows)
    for horizon in horizons(times):
        survival = surviving(rows[0], rows[1] == 1, horizon)
        assert times.at(horizon).prevalence == pytest.approx(1 - survival)


@given(followed())
def test_within_strata_weights_add_up_to_the_rows_of_each(rows):
    times = counted(rows, stratified=True)
    for horizon in horizons(times):
        expected = 0.0
        for stratum in (0, 1):
            time, status = (column[rows[3] == stratum] for column in rows[:2])
            expected += len(time) * incidence(time, status, horizon) if len(time) else 0.0
        assert times.at(horizon).n1 == pytest.approx(expected)


@given(followed(), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_shards_matter(rows, random):
    order = list(range(len(rows[0])))
    random.shuffle(order)
    half = len(order) // 2
    whole = counted(rows, stratified=True)
    shards = [
        counted([column[order[part]] for column in rows], stratified=True)
        for part in (slice(half), slice(half, None))
        if len(order[part])
    ]
    merged = cap.TimeCounts.merge(shards)
    assert merged == whole
    assert merged.digest() == whole.digest()
    for horizon in horizons(whole):
        one, other = whole.at(horizon), merged.at(horizon)
        assert one == other
        assert one.digest() == other.digest()


@given(followed(), st.integers(2, 4))
def test_rows_that_occur_several_times_change_no_estimate(rows, often):
    times, more = counted(rows), counted([np.repeat(column, often) for column in rows])
    for horizon in horizons(times):
        one, other = times.at(horizon), more.at(horizon)
        assert other.positives / often == pytest.approx(one.positives)
        assert other.negatives / often == pytest.approx(one.negatives)


# Time, status, score and stratum of rows that weigh the same, but are fewer cells once cut off.
SPLIT = [
    ("00012333", "00001001", "00000111", "01100010"),
    ("01133", "00001", "00000", "10111"),
]


def columns_of(digits):
    return tuple(np.array([int(digit) for digit in column]) for column in digits)


@example(columns_of(SPLIT[0]), 2.5)
@example(columns_of(SPLIT[1]), 2.5)
@given(followed(), st.sampled_from([2.5, 4, 7]))
def test_what_is_cut_off_changes_no_number_up_to_there(rows, until):
    times, cut = counted(rows, stratified=True), counted(rows, stratified=True, until=until)
    for horizon in horizons(times):
        if horizon <= until:
            assert cut.at(horizon) == times.at(horizon)
            assert cut.known_at(horizon).known == times.known_at(horizon).known
        else:
            with pytest.raises(ValueError, match="were counted until"):
                cut.at(horizon)


@given(followed(), st.sampled_from(["negative", "excluded"]))
def test_the_direction_of_the_score_turns_nothing_else(rows, competing):
    time, status, score, stratum = rows
    times = counted(rows)
    turned = counted((time, status, -score, stratum), higher_is="negative")
    for horizon in horizons(times):
        one = times.at(horizon, competing=competing)
        other = turned.at(horizon, competing=competing)
        assert other.positives.tolist() == one.positives.tolist()
        assert other.negatives.tolist() == one.negatives.tolist()
        assert (other.score == -one.score.astype(float)).all()


@given(followed())
def test_where_nothing_is_censored_counts_are_plain(rows):
    time, status, score, stratum = rows
    status = np.where(status == 0, 1, status)
    times = counted((time, status, score, stratum), stratified=True, cluster=np.arange(len(time)))
    for horizon in (1, 4, 20):
        found = times.at(horizon)
        target = (time <= horizon) & (status == 1)
        plain = cap.count_scores(target, score, cluster=np.arange(len(time)))
        assert type(found) is cap.ScoreCounts
        assert found == plain
        assert found.groups == plain.groups


@given(followed())
def test_known_and_unknown_rows_are_counted_apart(rows):
    time, status, score, _ = rows
    times = counted(rows)
    for horizon in (1, 4, 7):
        label = np.where(status == 1, 1, 0).astype(object)
        label[time > horizon] = 0
        label[(time < horizon) & (status == 0)] = None
        expected = cap.count_partial(label, score)
        found = times.known_at(horizon)
        assert (found.known, found.unknown.held) == (expected.known, expected.unknown.held)
        ended = times.ended(horizon)
        assert (ended["positives"], ended["unknown"]) == (found.known.n1, found.unknown.n)
        assert ended["followed"] + ended["competing"] == found.known.n0
        assert ended["competing"] == ((time <= horizon) & (status == 2)).sum()


@given(followed(), followed())
def test_margins_of_joint_times_are_counted_alone(rows, others):
    size = min(len(rows[0]), len(others[0]))
    time, status, score, stratum = (column[:size] for column in rows)
    old = others[2][:size]
    words = {"stratum": stratum, "higher_is": {"new": "positive", "old": "negative"}, **STATUSES}
    joint = cap.count_joint_times(time, status, {"new": score, "old": old}, **words)
    newer = counted((time, status, score, stratum), stratified=True)
    alone = counted((time, status, old, stratum), stratified=True, higher_is="negative")
    for name, expected in (("new", newer), ("old", alone)):
        assert joint.margin(name) == expected
        assert joint.margin(name).digest() == expected.digest()
    for horizon in horizons(alone):
        both = joint.at(horizon)
        assert both.margin("old") == alone.at(horizon)
        assert both.n1 == pytest.approx(alone.at(horizon).n1)


@given(followed())
def test_times_are_saved_and_copied_whole(rows):
    times = counted(rows, stratified=True, cluster=np.arange(len(rows[0])) % 5, until=8)
    for again in (cap.TimeCounts.from_dict(times.to_dict()), copy.deepcopy(times)):
        assert again == times
        assert again.digest() == times.digest()
        assert again.groups == times.groups


@given(followed(largest=30), st.sampled_from([3, 5]))
def test_times_on_a_grid_keep_the_positives_on_it(rows, step):
    times, rounded = counted(rows), counted(rows, time_resolution=step)
    for horizon in (step, 2 * step, 6 * step):
        both = (times.known_at(horizon).known.n1, rounded.known_at(horizon).known.n1)
        assert both[0] == both[1]
    assume(step * 2 <= rounded.last_followed)
    with pytest.raises(ValueError, match="not on"):
        rounded.at(step + 1)
