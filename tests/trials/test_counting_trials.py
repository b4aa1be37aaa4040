"""Counts of trials: from rows of any kind, added, and refused in one line."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap
from capcurve.sql import times_query, trials_query

RNG = np.random.default_rng(8)
N = 400
SCORE = RNG.normal(size=N).round(1)
TREATED = (RNG.random(N) < 0.4).astype(int)
BOUGHT = (RNG.random(N) < 0.2 + 0.15 * TREATED * (SCORE > 0)).astype(int)
SPENT = BOUGHT * RNG.integers(1, 60, N)
OLD = (SCORE + RNG.normal(size=N)).round(1)
CUSTOMER = np.arange(N) // 2
ROWS = {
    "bought": BOUGHT,
    "spent": SPENT,
    "mailed": TREATED,
    "score": SCORE,
    "old": OLD,
    "customer": CUSTOMER,
}
TRIAL = cap.count_uplift(BOUGHT, TREATED, SCORE)
NAMES = ("bought", "mailed", "score")


def test_arms_are_counted_as_score_counts_are():
    for arm, rows in ((TRIAL.treated, TREATED == 1), (TRIAL.control, TREATED == 0)):
        assert arm == cap.count_scores(BOUGHT[rows], SCORE[rows])
    assert TRIAL.arms == cap.count_scores(TREATED, SCORE)
    values = cap.count_uplift_values(SPENT, TREATED, SCORE)
    assert values.control == cap.count_values(SPENT[TREATED == 0], SCORE[TREATED == 0])
    assert values.arms == TRIAL.arms
    assert len(TRIAL) == len(np.unique(SCORE))


def test_no_number_depends_on_the_order_of_rows():
    order = RNG.permutation(N)
    assert cap.count_uplift(BOUGHT[order], TREATED[order], SCORE[order]) == TRIAL
    shuffled = cap.count_uplift_values(SPENT[order] / 7, TREATED[order], SCORE[order])
    straight = cap.count_uplift_values(SPENT / 7, TREATED, SCORE)
    for number in (cap.qini, cap.auuc, cap.autoc, cap.uplift):
        assert number(shuffled) == number(straight)


@pytest.mark.parametrize("seed", range(5))
def test_a_constant_score_orders_nothing(seed):
    order = np.random.default_rng(seed).permutation(N)
    one = cap.count_uplift(BOUGHT[order], TREATED[order], np.ones(N))
    assert cap.qini(one) == cap.autoc(one) == 0
    assert cap.uplift(one, 0.1) == pytest.approx(cap.uplift(one))


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        pl.DataFrame(ROWS).lazy(),
        duckdb.from_arrow(pl.DataFrame(ROWS).to_arrow()),
    ],
    ids=["mapping", "pandas", "polars", "lazy", "duckdb"],
)
def test_frames_and_engines_have_the_counts_of_arrays(data):
    assert cap.count_uplift(*NAMES, data=data) == TRIAL
    values = cap.count_uplift_values("spent", "mailed", "score", data=data)
    assert values == cap.count_uplift_values(SPENT, TREATED, SCORE)
    joint = cap.count_joint_uplift("bought", "mailed", ["score", "old"], data=data)
    assert joint.margin("score") == TRIAL
    joint = cap.count_joint_uplift_values("spent", "mailed", ["score", "old"], data=data)
    assert joint.margin("score") == values
    clustered = cap.count_uplift(*NAMES, data=data, cluster="customer")
    assert cap.UpliftCounts.merge(clustered.groups) == TRIAL


def test_files_have_the_counts_of_arrays(tmp_path):
    frame = pl.DataFrame(ROWS).with_columns(
        pl.when(pl.col("mailed") == 1).then(pl.lit("mail")).otherwise(pl.lit("none")).alias("arm")
    )
    frame.write_csv(tmp_path / "trial.csv")
    frame.write_parquet(tmp_path / "trial.parquet")
    for path in (tmp_path / "trial.csv", tmp_path / "trial.parquet"):
        found = cap.count_uplift("bought", "arm", "score", data=path, treated_label="mail")
        assert found == TRIAL


def test_parts_add_up_to_the_whole():
    parts = [cap.count_uplift(BOUGHT[k::3], TREATED[k::3], SCORE[k::3]) for k in range(3)]
    whole = parts[0] + parts[1] + parts[2]
    assert whole == TRIAL == cap.UpliftCounts.merge(parts)
    assert whole.digest() == TRIAL.digest() != parts[0].digest()
    assert TRIAL - parts[0] == parts[1] + parts[2]
    saved = cap.UpliftCounts.from_dict(TRIAL.to_dict())
    assert saved == TRIAL
    values = cap.count_uplift_values(SPENT, TREATED, SCORE)
    assert cap.UpliftCounts.from_dict(values.to_dict()) == values
    assert hash(whole) == hash(TRIAL)
    floored = cap.count_uplift(BOUGHT, TREATED, SCORE, resolution=0.5)
    assert TRIAL.at_resolution(0.5) == floored


def test_a_table_that_is_already_counted_is_taken():
    arms = TRIAL.treated, TRIAL.control
    score = np.unique(SCORE)
    columns = [
        [dict(zip(arm.score.tolist(), column, strict=True)).get(s, 0) for s in score.tolist()]
        for arm in arms
        for column in (arm.positives.tolist(), arm.negatives.tolist())
    ]
    assert cap.UpliftCounts.from_counts(score, *columns) == TRIAL
    with pytest.raises(ValueError, match="whole numbers, and these counts hold fractions"):
        cap.UpliftCounts.from_counts([1], [0.5], [1], [1], [1])


def test_rows_that_lack_a_value_are_dropped_with_an_account():
    treatment = pd.array(TREATED.tolist(), dtype="Int64")
    treatment[:3] = pd.NA
    score = np.where(np.arange(N) == 7, np.nan, SCORE)
    found = cap.count_uplift(BOUGHT, treatment, score, missing="drop")
    assert found.dropped.rows == 4
    assert dict(found.dropped.columns) == {"score": 1, "treatment": 3}
    with pytest.raises(ValueError, match=r"treatment is missing \(null or NaN\) in 3 of 400 rows"):
        cap.count_uplift(BOUGHT, treatment, SCORE)


def test_swapping_arms_or_classes_or_the_direction_turns_the_sign():
    assert cap.qini(cap.count_uplift(BOUGHT, 1 - TREATED, SCORE)) == pytest.approx(-cap.qini(TRIAL))
    assert cap.qini(cap.count_uplift(1 - BOUGHT, TREATED, SCORE)) == pytest.approx(-cap.qini(TRIAL))
    low = cap.count_uplift(BOUGHT, TREATED, -SCORE, higher_is="negative")
    assert cap.qini(low) == cap.qini(TRIAL)
    assert cap.autoc(low) == cap.autoc(TRIAL)


def test_a_constant_added_to_amounts_changes_nothing():
    plain = cap.count_uplift_values(SPENT, TREATED, SCORE)
    for constant in (-5, 1e9, 0.125):
        moved = cap.count_uplift_values(SPENT + constant, TREATED, SCORE)
        for number in (cap.qini, cap.auuc, cap.autoc, cap.uplift):
            assert number(moved) == pytest.approx(number(plain), rel=1e-9)
        curves = [cap.qini_curve(trial) for trial in (moved, plain)]
        assert curves[0].y == pytest.approx(curves[1].y, rel=1e-6, abs=1e-9)


def test_effect_scores_are_counts_of_amounts():
    """Γ = y·w/e - y·(1 - w)/(1 - e) of a trial with even arms has the gains of its sums."""
    effects = np.array([2.0, -2.0, 0.0, 2.0])
    values = cap.count_values(effects, [4, 3, 2, 1])
    assert cap.uplift_curve(values).y.tolist() == [0, 0.5, 0, 0, 0.5]
    assert cap.uplift(values) == 0.5
    assert cap.qini(values) == pytest.approx(0.25 * (0.5 + 0 + 0) + 0.25 * 0.5 / 2 - 0.25)
    assert cap.auuc(values) == pytest.approx(cap.qini(values) + 0.25)
    with pytest.raises(ValueError, match="one per case and take no exposure"):
        cap.qini(cap.count_values(effects, [4, 3, 2, 1], exposure=[1, 2, 1, 1]))
    with pytest.raises(TypeError, match=r"qini_curve takes counts of a trial, got ValueCounts"):
        cap.qini_curve(values)


def test_the_best_scores_of_one_arm_alone_are_joined_with_the_first_cut_off():
    trial = cap.count_uplift([1, 1, 0, 1, 0, 0], [1, 1, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1])
    curve = cap.uplift_curve(trial)
    assert curve.thresholds.tolist() == [3, 2, 1]
    assert curve.y.tolist() == pytest.approx([0, 4 / 6 * (2 / 3 - 1), 5 / 6 * (2 / 3 - 1 / 2), 0])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cap.qini(cap.count_uplift([1, 0], [1, 1], [2, 1])), "no control cases: the eff"),
        (lambda: cap.qini(cap.count_uplift([1, 0], [0, 0], [2, 1])), "no treated cases: the eff"),
        (lambda: cap.qini_curve(cap.count_uplift([], [], [])), "no treated cases"),
        (lambda: cap.count_uplift([1, 0, 1], [0, 1, 2], [3, 2, 1]), "treatment must have two val"),
        (lambda: cap.count_uplift([1, 0], ["mail", "no"], [2, 1]), "treated_label='mail' or"),
        (
            lambda: cap.count_uplift([1, 0], ["mail", "no"], [2, 1], treated_label="post"),
            "treated_label='post' is not among them",
        ),
        (lambda: cap.count_uplift([1, 0, 5], [0, 1, 1], [3, 2, 1]), "target must have two cl"),
        (lambda: cap.count_uplift([1, 0], [0, 1, 1], [3, 2, 1]), "target has 2 rows"),
        (lambda: cap.count_uplift(None, [0, 1], [2, 1]), "target must be a column"),
        (lambda: cap.count_uplift([1, 0], None, [2, 1]), "treatment must be a column"),
        (lambda: cap.count_uplift_values(None, [0, 1], [2, 1]), "amount must be a column"),
        (
            lambda: cap.count_uplift("bought", TREATED, "score", data=ROWS),
            "columns are given by name, got ndarray for treatment",
        ),
        (lambda: cap.qini(BOUGHT, SCORE), r"write qini\(y, p, treatment=t\)"),
        (lambda: cap.qini(cap.count_scores(BOUGHT, SCORE)), r"got ScoreCounts: write qini\(y, p"),
        (lambda: cap.accuracy_ratio(TRIAL), "these are counts of two arms; for one arm write acc"),
        (lambda: cap.ks(BOUGHT, SCORE, treatment=TREATED), "these are counts of two arms"),
        (
            lambda: cap.qini(cap.count_joint_uplift(BOUGHT, TREATED, {"a": SCORE, "b": OLD})),
            r"write qini\(joint.margin\(...\)\)",
        ),
        (
            lambda: cap.auuc(cap.count_uplift_values([1.7e308, -1.7e308], [1, 0], [2, 1])),
            "the gain is beyond what a float holds; give amounts in units",
        ),
        (lambda: cap.uplift(TRIAL, 0), "q must"),
        (lambda: cap.uplift(TRIAL, 1.5), "q must"),
        (
            lambda: cap.UpliftCounts(
                cap.count_scores([1, 0], [2, 1]), cap.count_values([1, 0], [2, 1])
            ),
            "got ScoreCounts and ValueCounts",
        ),
        (
            lambda: cap.UpliftCounts(
                cap.count_scores([1, 0], [2, 1]),
                cap.count_scores([1, 0], [2, 1], higher_is="negative"),
            ),
            "higher_is",
        ),
        (
            lambda: cap.UpliftCounts(
                *[cap.count_scores([1, 0], [2, 1], weight=[1, 2], weight_kind="sampling")] * 2
            ),
            "no weights and no exposure",
        ),
    ],
)
def test_what_cannot_be_counted_is_told_in_one_line(call, said):
    with pytest.raises((TypeError, ValueError), match=said) as raised:
        call()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("call", "both"),
    [
        (lambda: cap.count_uplift(BOUGHT, BOUGHT, SCORE), "the treatment and the target"),
        (
            lambda: cap.count_uplift(BOUGHT, TREATED, TREATED),
            "the treatment and the score are the same column",
        ),
        (
            lambda: cap.count_uplift("bought", "bought", "score", data=ROWS),
            "the treatment and the target are the same column, 'bought'",
        ),
        (
            lambda: cap.count_joint_uplift_values("spent", "score", ["old", "score"], data=ROWS),
            "the treatment and the score score are the same column, 'score'",
        ),
        (lambda: cap.qini(BOUGHT, SCORE, treatment=BOUGHT), "the treatment and the target"),
        (
            lambda: cap.evaluate("bought", "score", treatment="bought", data=ROWS),
            "the treatment and the target are the same column, 'bought'",
        ),
        (lambda: cap.effect_scores(BOUGHT, BOUGHT, 0.5), "the treatment and the outcome"),
        (
            lambda: trials_query("trial", "y", "y", "s", dialect="duckdb"),
            "the treatment and the outcome are the same column, 'y'",
        ),
        (
            lambda: times_query("loans", "d", "d", "s", dialect="duckdb"),
            "the event and the time are the same column, 'd'",
        ),
        (lambda: cap.count_values(OLD, SCORE, exposure=OLD), "the amount and the exposure"),
        (
            lambda: cap.evaluate(amount="spent", score="score", exposure="spent", data=ROWS),
            "the amount and the exposure are the same column, 'spent'",
        ),
        (lambda: cap.count_times(BOUGHT, BOUGHT, SCORE), "the event and the time"),
        (
            lambda: cap.count_times("bought", "bought", "score", data=ROWS),
            "the event and the time are the same column, 'bought'",
        ),
    ],
)
def test_one_column_is_not_taken_in_two_roles(call, both):
    with pytest.raises(ValueError, match=both) as raised:
        call()
    assert str(raised.value).endswith("; name two")
