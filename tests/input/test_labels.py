"""Several labels as positives, labels that are neither, and trials of several arms, by hand."""

import datetime as dt
import json
import re
import shlex
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import capcurve as cap
from capcurve import write_counts
from capcurve.cli.flags import Flags
from capcurve.counts import Dropped
from capcurve.input.files import Files, read_cells
from capcurve.input.trials import arms_of_segments
from capcurve.numbers.arguments import worded_by
from cli_calls import call, done

ROWS = np.arange(600)
STATUS = np.array(["Fully Paid", "Current", "Charged Off", "Late", "Grace Period", "Fully Paid"])[
    ROWS * ROWS % 23 % 6
]
LOANS = pd.DataFrame(
    {
        "status": STATUS,
        "pd": (ROWS * 7 % 41 + 5 * np.isin(STATUS, ["Charged Off", "Late"])) / 64,
        "points": 700 - ROWS * 11 % 53,
        "month": np.array(["2024-01", "2024-02", "2024-03"])[ROWS % 3],
        "w": ROWS % 4 + 1,
        "obligor": ROWS // 3,
    }
)
BAD, OPEN = ["Charged Off", "Late"], ["Current", "Grace Period"]
SAID = {"pos_label": BAD, "rest": "negative", "drop_label": OPEN}
NAMED = {"pos_label": BAD, "neg_label": ["Fully Paid"], "drop_label": OPEN}
FLAGS = [
    *("-t", "status", "-s", "pd"),
    *(word for label in BAD for word in ("--pos-label", label)),
    *(word for label in OPEN for word in ("--drop-label", label)),
]
# The same by hand: a column of 0 and 1, without the rows that are neither.
CLOSED = LOANS[~LOANS.status.isin(OPEN)].assign(y=lambda rows: rows.status.isin(BAD).astype(int))
CURRENT, GRACE = "status is 'Current'", "status is 'Grace Period'"
LEFT_OUT = {f"status is {label!r}": int((LOANS.status == label).sum()) for label in OPEN}


@pytest.fixture
def loans(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    LOANS.to_csv("loans.csv", index=False)
    LOANS.astype({"status": "category"}).to_parquet("loans.parquet", index=False)
    CLOSED.to_csv("closed.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("said", [SAID, NAMED])
def test_every_function_that_counts_takes_the_labels(said):
    assert LEFT_OUT.keys() == {CURRENT, GRACE}
    for more in ({}, {"weight": "w", "weight_kind": "frequency"}, {"cluster": "obligor"}):
        found = cap.count_scores("status", "pd", data=LOANS, **said, **more)
        assert found == cap.count_scores("y", "pd", data=CLOSED, **more)
        assert found.dropped.columns == {}
        assert set(found.dropped.labels) == set(LEFT_OUT)
    plain = cap.count_scores("status", "pd", data=LOANS, **said)
    assert plain.dropped == Dropped(sum(LEFT_OUT.values()), {}, None, LEFT_OUT)
    scores = ["pd", "points"]
    joint = cap.count_joint("status", scores, data=LOANS, **said)
    assert joint == cap.count_joint("y", scores, data=CLOSED)
    assert joint.dropped.labels == LEFT_OUT
    months = cap.count_segments("status", "pd", by="month", data=LOANS, **said)
    assert months == cap.count_segments("y", "pd", by="month", data=CLOSED)
    merged = cap.ScoreCounts.merge(months.values())
    assert merged == plain
    assert merged.dropped == plain.dropped
    assert merged - months["2024-01"] == cap.ScoreCounts.merge(
        [months["2024-02"], months["2024-03"]]
    )
    partial = cap.count_partial(
        "status", "pd", data=LOANS, **{**said, "drop_label": OPEN[0]}, unknown_label=OPEN[1]
    )
    assert (partial.known.n, partial.cases.n) == (len(CLOSED), len(CLOSED) + LEFT_OUT[GRACE])
    assert partial.dropped.labels == {CURRENT: LEFT_OUT[CURRENT]}


@pytest.mark.parametrize(
    "data",
    [
        pl.from_pandas(LOANS),
        pl.from_pandas(LOANS).lazy(),
        LOANS.astype({"status": "category"}),
        pa.Table.from_pandas(LOANS.astype({"status": "category"})),
        {name: LOANS[name].to_list() for name in LOANS},
    ],
)
def test_whatever_holds_the_rows(data):
    found = cap.count_scores("status", "pd", data=data, **SAID)
    assert found == cap.count_scores("y", "pd", data=CLOSED)
    assert found.dropped.labels == LEFT_OUT


def test_a_relation_of_duckdb_with_more_scores_than_are_fetched(monkeypatch):
    monkeypatch.setattr("capcurve.input.engines.combinations.MOST_CELLS", 3)
    frame = LOANS.astype({"status": "object"})
    data = duckdb.connect().from_arrow(pa.Table.from_pandas(frame, preserve_index=False))
    found = cap.count_scores("status", "pd", data=data, **SAID)
    expected = cap.count_scores("y", "pd", data=CLOSED)
    assert isinstance(found, cap.RankTotals)
    assert (found.n1, found.n0) == (expected.n1, expected.n0)
    assert cap.accuracy_ratio(found) == cap.accuracy_ratio(expected)
    assert found.dropped.labels == LEFT_OUT


@pytest.mark.parametrize("file", ["loans.csv", "loans.parquet"])
@pytest.mark.usefixtures("loans")
def test_files_within_a_memory_limit(file):
    expected = cap.count_scores("y", "pd", data=CLOSED)
    for said in (SAID, NAMED):
        for more in ({}, {"memory_limit": "1GB"}):
            found = cap.count_scores("status", "pd", data=file, **said, **more)
            assert found == expected
            assert found.dropped == Dropped(sum(LEFT_OUT.values()), {}, None, LEFT_OUT)
    with pytest.raises(ValueError, match=r"'Charged Off' \(\d+\).*; choose rest=\"negative\""):
        cap.count_scores("status", "pd", data=file, pos_label="Late", memory_limit="1GB")


@pytest.mark.merge
@pytest.mark.usefixtures("loans")
def test_rows_that_are_neither_need_no_score_and_no_weight():
    gaps = LOANS.assign(
        pd=LOANS.pd.where(~LOANS.status.isin(OPEN)),
        w=LOANS.w.where(LOANS.status != "Current").astype(float),
    )
    gaps.to_csv("gaps.csv", index=False)
    expected = cap.count_scores("y", "pd", data=CLOSED, weight="w", weight_kind="frequency")
    how = {**SAID, "weight": "w", "weight_kind": "frequency"}
    for data, more in ((gaps, {}), ("gaps.csv", {}), ("gaps.csv", {"memory_limit": "1GB"})):
        found = cap.count_scores("status", "pd", data=data, **how, **more)
        assert found == expected
        assert found.dropped.columns == {}
        assert set(found.dropped.labels) == set(LEFT_OUT)
    # A row that is counted and lacks its score is another matter, and told apart.
    first = int(np.flatnonzero(LOANS.status == "Late")[0])
    gaps.loc[first, "pd"] = np.nan
    gaps.to_csv("gaps.csv", index=False)
    for data, more in ((gaps, {}), ("gaps.csv", {"memory_limit": "1GB"})):
        with pytest.raises(ValueError, match=r"pd is missing .* in 1 of 600 rows"):
            cap.count_scores("status", "pd", data=data, **how, **more)
        found = cap.count_scores("status", "pd", data=data, missing="drop", **SAID, **more)
        assert found.dropped == Dropped(1 + sum(LEFT_OUT.values()), {"pd": 1}, None, LEFT_OUT)
        assert found.dropped.outcomes == (1, 1)


@pytest.mark.parametrize(
    ("labels", "said", "expected"),
    [
        ([0, 1, 9, 1], {"drop_label": 9}, [0, 1, None, 1]),
        ([-1, 1, 0, 1], {"drop_label": [0]}, [0, 1, None, 1]),
        (["0%", "100%", "open", "100%"], {"drop_label": "open"}, [0, 1, None, 1]),
        ([True, False, None, True], {"pos_label": True, "neg_label": False}, [1, 0, None, 1]),
        (np.float32([0.1, 0.2, 0.3, 0.1]), {"pos_label": np.float32(0.1), "rest": "negative"},
         [1, 0, 0, 1]),
        ([1, 2, 3, 4], {"pos_label": [Decimal(4), 3.0], "rest": "negative"}, [0, 0, 1, 1]),
        ([1, 2, 3, 4], {"pos_label": (4, 3), "neg_label": {1, 2, 77}}, [0, 0, 1, 1]),
        (
            [dt.date(2024, 1, day) for day in (1, 2, 3, 4)],
            {"pos_label": [pd.Timestamp("2024-01-01")], "neg_label": dt.date(2024, 1, 2),
             "drop_label": [dt.date(2024, 1, 3), dt.date(2024, 1, 4)]},
            [1, 0, None, None],
        ),
        (["a", "b", "c", None], {"pos_label": ["c", "b"], "neg_label": "a"}, [0, 1, 1, None]),
        (["a", "b", "b", "a"], {"pos_label": "a", "rest": "negative"}, [1, 0, 0, 1]),
    ],
)  # fmt: skip
def test_labels_go_by_value(labels, said, expected):
    found = cap.count_scores(labels, [1, 2, 3, 4], missing="drop", **said)
    by_hand = cap.count_scores(expected, [1, 2, 3, 4], missing="drop")
    assert found == by_hand
    assert found.dropped.rows == by_hand.dropped.rows


FOUR = ["late", "good", "open", "bad"]
LISTED = r"'bad' \(1\), 'good' \(1\), 'late' \(1\), 'open' \(1\)"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"pos_label": "bad"}, rf'{LISTED}; choose rest="negative", or neg_label=\[\'good\''),
        ({"pos_label": ["bad", "late"]}, r"or neg_label=\['good', 'open'\]; drop_label= leaves"),
        ({}, rf"two classes, .*{LISTED}; choose pos_label=\['bad', 'late'\], rest=\"negative\""),
        (
            {"pos_label": "bad", "neg_label": "good"},
            rf"{LISTED}; add to .* what is not named: 'late', 'open'$",
        ),
        ({"pos_label": ["bad", "lost"], "rest": "negative"}, rf"{LISTED}, and pos_label='lost' is"),
        ({"pos_label": "bad", "rest": "negative", "drop_label": "opne"}, "drop_label='opne' is"),
        ({"pos_label": "bad", "neg_label": 1}, "neg_label=1 is of another type"),
        ({"pos_label": "bad", "neg_label": ["good", "bad"]}, "both name 'bad'; name it once"),
        ({"pos_label": "bad", "drop_label": "bad"}, "both name 'bad'; name it once"),
        ({"neg_label": "good"}, "neg_label= goes with pos_label="),
        ({"rest": "negative"}, r"rest= goes with pos_label="),
        ({"pos_label": "bad", "neg_label": "good", "rest": "negative"}, "takes all other labels"),
        ({"pos_label": "bad", "rest": "positive"}, 'rest must be "raise" or "negative"'),
        ({"pos_label": []}, r"pos_label=\[\] names no label"),
        ({"pos_label": ["bad", None]}, "names no label; a missing value is none"),
        ({"drop_label": ["open", "late"]}, "pos_label='bad' or pos_label='good'"),
    ],
)
def test_what_is_not_clear_is_refused_with_what_to_write(said, message):
    with pytest.raises(ValueError, match=message):
        cap.count_scores(FOUR, [1, 2, 3, 4], **said)


def test_the_advice_works_when_it_is_followed():
    for keywords in ({"rest": "negative"}, {"neg_label": ["good", "open"]}):
        found = cap.count_scores(FOUR, [1, 2, 3, 4], pos_label=["bad", "late"], **keywords)
        assert (found.n1, found.n0) == (2, 2)
    with worded_by(Flags()) as flags, pytest.raises(ValueError, match="more than two") as raised:
        cap.count_scores([*FOUR, "it is"], [1, 2, 3, 4, 5], pos_label=["bad", "late"])
    words = "choose --rest-negative, or --neg-label good --neg-label 'it is' --neg-label open;"
    assert words in flags.reworded(str(raised.value))


def test_as_many_labels_as_a_register_of_loans_has_are_all_listed():
    labels = [*BAD, *OPEN, "Default", "Fully Paid", "Issued", "Late (16-30 days)", "In Recovery"]
    with pytest.raises(ValueError, match="two classes") as raised:
        cap.count_scores(labels, range(len(labels)))
    assert all(f"{label!r} (1)" in str(raised.value) for label in labels)
    said = "choose pos_label=['Charged Off', 'Default', 'Late'], rest=\"negative\", or pos_label=["
    assert said in str(raised.value)
    with worded_by(Flags()) as flags, pytest.raises(ValueError, match="two classes") as named:
        cap.count_scores(labels, range(len(labels)))
    assert "--neg-label 'Late (16-30 days)'" in flags.reworded(str(named.value))
    shown = "holds 'a0' (1), 'a1' (1), 'a10' (1), and 17 more labels; keep two, or name those of"
    with pytest.raises(ValueError, match=re.escape(shown)):
        cap.count_scores([f"a{i}" for i in range(20)], range(20))


def test_a_classifier_of_two_classes_takes_one_label():
    from capcurve.sklearn import accuracy_ratio_score

    both = np.column_stack([[0.9, 0.2, 0.4], [0.1, 0.8, 0.6]])
    with pytest.raises(ValueError, match="pos_label names one of two classes"):
        accuracy_ratio_score(["a", "b", "b"], both, pos_label=["a", "b"])
    with pytest.raises(ValueError, match=r"more than two classes.*; keep two, or make a column"):
        accuracy_ratio_score(["a", "b", "c"], [1, 2, 3], pos_label=["a", "b"])


def test_what_has_no_classes_takes_no_labels():
    for said in ({"drop_label": "a"}, {"pos_label": ["a"], "neg_label": "b"}):
        with pytest.raises(ValueError, match="does not go with amount="):
            cap.evaluate(amount=[1, 2], score=[1, 2], **said)
        with pytest.raises(ValueError, match="does not go with time="):
            cap.evaluate(score=[1, 2], time=[1, 2], event=[0, 1], horizon=1, **said)
    with pytest.raises(ValueError, match="is among the unknown labels too"):
        cap.count_partial(FOUR, [1, 2, 3, 4], drop_label="open", unknown_label="open")


@pytest.mark.merge
def test_functions_of_columns_and_evaluations_take_the_labels():
    expected = cap.count_scores("y", "pd", data=CLOSED)
    assert cap.accuracy_ratio("status", "pd", data=LOANS, **SAID) == cap.accuracy_ratio(expected)
    assert cap.roc_auc([0, 9, 1], [1, 2, 3], drop_label=9) == 1
    found = cap.evaluate("status", ["pd", "points"], LOANS, by="month", **SAID)
    by_hand = cap.evaluate("y", ["pd", "points"], CLOSED, by="month")
    assert found.counts == by_hand.counts
    assert found.segments == by_hand.segments
    said = (
        f"{sum(LEFT_OUT.values())} rows were left out because status is 'Current' "
        f"({LEFT_OUT[CURRENT]}) or status is 'Grace Period' ({LEFT_OUT[GRACE]})"
    )
    assert said in found.summaries["pd"].to_text()
    assert said.replace("'", "&#x27;") in found.to_html() or said in found.to_html()
    alone = cap.evaluate([0, 1, 9, 1], [1, 2, 3, 4], drop_label=9)
    assert "1 row was left out because target is 9; the numbers describe" in repr(alone)


def test_saved_counts_keep_what_was_left_out(tmp_path):
    counts = cap.count_scores("status", "pd", data=LOANS, **SAID)
    again = cap.ScoreCounts.from_dict(json.loads(json.dumps(counts.to_dict())))
    assert again == counts
    assert again.dropped == counts.dropped
    months = cap.count_segments("status", "pd", by="month", data=LOANS, **SAID)
    path = tmp_path / "cells.parquet"
    write_counts(months, path)
    for month, part in read_cells(Files.of(path)).items():
        assert part.dropped == months[month].dropped
        assert sum(part.dropped.labels.values()) > 0


# At the command line


def scores_in(*words, data=None):
    return json.loads(done(*words, "--format", "json", data=data).stdout)["scores"]


@pytest.mark.turns(2)
@pytest.mark.parametrize("more", [("--rest-negative",), ("--neg-label", "Fully Paid")])
@pytest.mark.usefixtures("loans")
def test_commands_take_the_labels(more):
    flags = [*FLAGS, *more]
    ((expected,), (found,)) = (
        scores_in("summary", "closed.csv", "-t", "y", "-s", "pd"),
        scores_in("summary", "loans.csv", *flags),
    )
    assert found["digest"] == expected["digest"]
    assert found["dropped"] == {"rows": sum(LEFT_OUT.values()), "columns": {}, "labels": LEFT_OUT}
    text = LOANS.to_csv(index=False)
    assert scores_in("summary", "-", *flags, data=text)[0]["digest"] == expected["digest"]
    for limit in ((), ("--memory-limit", "1GB")):
        (read,) = scores_in("summary", "loans.parquet", *flags, *limit)
        assert read["digest"] == expected["digest"]
    result = done("counts", "loans.csv", *flags, "-o", "cells.csv")
    assert "rows were left out because status is 'Current'" in result.stderr
    assert scores_in("summary", "cells.csv", "--counts")[0]["digest"] == expected["digest"]


@pytest.mark.merge
def test_other_commands_take_the_labels_of_every_sample(loans):
    flags = [*FLAGS, "--rest-negative"]
    for command, *words in (
        ("gains",),
        ("thresholds",),
        ("compare", "-s", "points"),
        ("report", "-o", "page.html"),
        ("check", "--min-ar", "-1", "--max-drop", "2", "--baseline", "loans.csv"),
        ("validate", "--initial", "loans.csv"),
        ("change", "--period", "month", "--by", "w"),
        ("bounds", "--unknown-label", "nothing"),
    ):
        result = call(command, "loans.csv", *flags, *words)
        assert result.exit_code in (0, 1), (command, result.stderr)
        assert "error" not in result.stderr, (command, result.stderr)
    assert "rows were left out because status is" in (loans / "page.html").read_text()
    changed = done("change", "loans.csv", "loans.csv", *flags, "--by", "month").stdout
    closed = done("change", "closed.csv", "closed.csv", "-t", "y", "-s", "pd", "--by", "month")
    assert changed.replace("for status", "for y") == closed.stdout


@pytest.mark.usefixtures("loans")
def test_periods_of_which_one_lacks_a_label():
    rare = LOANS.assign(
        status=LOANS.status.where((LOANS.status != "Late") | (LOANS.month != "2024-01"), "Current")
    )
    rare.to_csv("rare.csv", index=False)
    words = ("--period", "month", "--by", "w", "--format", "json")
    found = done("change", "rare.csv", *FLAGS, "--rest-negative", *words).stdout
    closed = rare[~rare.status.isin(OPEN)]
    closed.assign(status=closed.status.isin(BAD).astype(int)).to_csv("by-hand.csv", index=False)
    by_hand = done("change", "by-hand.csv", "-t", "status", "-s", "pd", *words).stdout
    assert json.loads(found)["before"] == json.loads(by_hand)["before"]


@pytest.mark.usefixtures("loans")
def test_two_commands_to_copy_are_given():
    said = call("summary", "loans.csv", "-t", "status", "-s", "pd", "--pos-label", "Late").stderr
    assert "'Charged Off' (" in said
    assert "'Grace Period' (" in said
    first, second = re.findall(r"capcurve (summary .*?)(?:, or |; )", said)
    for command in (first, second):
        found = scores_in(*shlex.split(command))
        assert found[0]["n1"] == (LOANS.status == "Late").sum()
        assert found[0]["n0"] == (LOANS.status != "Late").sum()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--neg-label", "Current"), "--neg-label goes with --pos-label"),
        (("--rest-negative",), "--rest-negative goes with --pos-label"),
        (("--pos-label", "Late", "--neg-label", "Current", "--rest-negative"), "leave one out"),
        (("--pos-label", "Late", "--rest-negative", "--drop-label", "Curent"),
         "--drop-label Curent is not a label of 'status', which holds 'Charged Off' ("),
        (("--pos-label", "Late", "--pos-label", "Bad", "--rest-negative"),
         "--pos-label Bad is not a label of 'status'"),
        (("--pos-label", "Late", "--drop-label", "Late"), "both name 'Late'; name it once"),
        (("--drop-label", "Late", "--counts"), "--drop-label is for rows"),
        (("--rest-negative", "--pos-label", "Late", "--counts"), "is for rows"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("loans")
def test_bad_labels_are_one_line(words, said):
    result = call("summary", "loans.csv", "-t", "status", "-s", "pd", *words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


# Trials of several arms

ARMS = np.array(["Mens E-Mail", "Womens E-Mail", "No E-Mail"])[ROWS * 7 % 11 % 3]
TRIAL = pd.DataFrame(
    {
        "segment": ARMS,
        "visit": ((ROWS * 5 % 17 < 6) & (ARMS != "No E-Mail") | (ROWS * 3 % 19 < 4)).astype(int),
        "spend": (ROWS * ROWS % 29 % 7) * 1.5,
        "score": ROWS * 13 % 37 / 32,
        "other": ROWS % 9,
        "id": ROWS // 2,
    }
)
MENS = {"treated_label": "Mens E-Mail", "control_label": "No E-Mail"}
BOTH = {"treated_label": ["Mens E-Mail", "Womens E-Mail"], "control_label": ["No E-Mail"]}
TWO_ARMS = TRIAL[TRIAL.segment != "Womens E-Mail"].assign(
    t=lambda rows: (rows.segment == "Mens E-Mail").astype(int)
)
WOMENS = {"segment is 'Womens E-Mail'": int((ARMS == "Womens E-Mail").sum())}
ARM_WORDS = ("--treated-label", "Mens E-Mail", "--control-label", "No E-Mail")


@pytest.mark.parametrize("more", [{}, {"cluster": "id"}, {"resolution": 0.25}])
def test_rows_of_other_arms_are_left_out_and_counted(more):
    for count, outcome in ((cap.count_uplift, "visit"), (cap.count_uplift_values, "spend")):
        found = count(outcome, "segment", "score", data=TRIAL, **MENS, **more)
        assert found == count(outcome, "t", "score", data=TWO_ARMS, **more)
        assert found.dropped.labels == WOMENS
        assert found.dropped.rows == WOMENS["segment is 'Womens E-Mail'"]
        every = count(outcome, "segment", "score", data=TRIAL, **BOTH, **more)
        mailed = TRIAL.assign(t=(TRIAL.segment != "No E-Mail").astype(int))
        assert every == count(outcome, "t", "score", data=mailed, **more)
    scores = ["score", "other"]
    joint = cap.count_joint_uplift("visit", "segment", scores, data=TRIAL, **MENS, **more)
    assert joint == cap.count_joint_uplift("visit", "t", scores, data=TWO_ARMS, **more)
    values = cap.count_joint_uplift_values("spend", "segment", scores, data=TRIAL, **MENS, **more)
    assert values == cap.count_joint_uplift_values("spend", "t", scores, data=TWO_ARMS, **more)


def test_labels_of_outcome_and_of_treatment_go_together():
    words = TRIAL.assign(visit=np.where(TRIAL.visit == 1, "visit", "none"))
    words.loc[::10, "visit"] = "bot"
    kept = TWO_ARMS[TWO_ARMS.index % 10 != 0]
    said = {**MENS, "pos_label": "visit", "rest": "negative", "drop_label": "bot"}
    found = cap.count_uplift("visit", "segment", "score", data=words, **said)
    assert found == cap.count_uplift("visit", "t", "score", data=kept)
    bots = int(((ARMS != "Womens E-Mail") & (ROWS % 10 == 0)).sum())
    assert found.dropped.labels == {**WOMENS, "visit is 'bot'": bots}
    # What is missing in other arms is not missed.
    gaps = TRIAL.assign(score=TRIAL.score.where(TRIAL.segment != "Womens E-Mail"))
    assert cap.count_uplift("visit", "segment", "score", data=gaps, **MENS) == cap.count_uplift(
        "visit", "t", "score", data=TWO_ARMS
    )


def test_trials_are_evaluated_by_the_labels():
    found = cap.evaluate("visit", ["score", "other"], TRIAL, treatment="segment", **MENS)
    by_hand = cap.evaluate("visit", ["score", "other"], TWO_ARMS, treatment="t")
    for name, summary in found.summaries.items():
        assert summary.qini.estimate == by_hand.summaries[name].qini.estimate
    assert "were left out because segment is 'Womens E-Mail'" in repr(found)
    assert cap.qini("visit", "score", treatment="segment", data=TRIAL, **MENS) == cap.qini(
        "visit", "score", treatment="t", data=TWO_ARMS
    )


ARMS_LISTED = r"'Mens E-Mail' \(\d+\), 'No E-Mail' \(\d+\), 'Womens E-Mail' \(\d+\)"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({}, f"{ARMS_LISTED}; choose treated_label='Mens E-Mail', control_label='No E-Mail', or"),
        ({"treated_label": "Mens E-Mail"}, f"{ARMS_LISTED}; choose control_label='No E-Mail', or"),
        ({"control_label": "No E-Mail"}, "control_label= goes with treated_label="),
        ({**MENS, "treated_label": "Men"}, f"{ARMS_LISTED}, and treated_label='Men' is not among"),
        ({**MENS, "control_label": "None"}, "control_label='None' is not among them"),
        ({**MENS, "control_label": "Mens E-Mail"}, "both name 'Mens E-Mail'; name it once"),
    ],
)
def test_arms_that_are_not_clear_are_listed(said, message):
    with pytest.raises(ValueError, match=message):
        cap.count_uplift("visit", "segment", "score", data=TRIAL, **said)


def test_counts_by_arm_become_a_trial():
    parts = cap.count_segments("visit", "score", by="segment", data=TRIAL)
    found = arms_of_segments(parts, *MENS.values())
    assert found == cap.count_uplift("visit", "t", "score", data=TWO_ARMS)
    assert found.dropped.labels == {
        "treatment is 'Womens E-Mail'": WOMENS["segment is 'Womens E-Mail'"]
    }
    both = arms_of_segments(parts, *BOTH.values())
    assert both == cap.count_uplift("visit", "segment", "score", data=TRIAL, **BOTH)
    with pytest.raises(ValueError, match="treated_label='Mens E-Mail', control_label='No E-Mail'"):
        arms_of_segments(parts)


def test_effect_scores_need_the_rows_of_two_arms():
    with pytest.raises(ValueError, match="treatment is 'Womens E-Mail' in "):
        cap.effect_scores(TRIAL.visit, TRIAL.segment, 0.5, **MENS)
    every = cap.effect_scores(TRIAL.visit, TRIAL.segment, 0.6, **BOTH)
    assert np.array_equal(
        every, cap.effect_scores(TRIAL.visit, (TRIAL.segment != "No E-Mail").astype(int), 0.6)
    )


@pytest.fixture
def trial(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TRIAL.to_csv("trial.csv", index=False)
    TWO_ARMS.to_csv("two.csv", index=False)
    return tmp_path


@pytest.mark.merge
@pytest.mark.usefixtures("trial")
def test_uplift_takes_the_labels_of_arms():
    asked = ("-t", "visit", "-s", "score", "--treatment")
    found = done("uplift", "trial.csv", *asked, "segment", *ARM_WORDS, "--format", "json")
    by_hand = done("uplift", "two.csv", *asked, "t", "--format", "json")
    ours, theirs = (json.loads(each.stdout) for each in (found, by_hand))
    assert "were left out because segment is 'Womens E-Mail'" in found.stderr
    left_out = [each for each in ours.pop("findings") if each["code"] == "dropped_labels"]
    assert len(left_out) == 1
    assert ours["scores"][0]["qini"] == theirs["scores"][0]["qini"]
    known = ("--propensity", "0.5", "--format", "json")
    refused = call("uplift", "trial.csv", *asked, "segment", *ARM_WORDS, *known)
    assert refused.exit_code == 2
    assert "segment is 'Womens E-Mail' in " in refused.stderr
    assert refused.stderr.rstrip().endswith("take them out of the file")
    both = ("--treated-label", "Womens E-Mail", *ARM_WORDS)
    every = done("uplift", "trial.csv", *asked, "segment", *both, *known).stdout
    TRIAL.assign(t=(ARMS != "No E-Mail").astype(int)).to_csv("mailed.csv", index=False)
    mailed = done("uplift", "mailed.csv", *asked, "t", *known).stdout
    assert json.loads(every)["scores"][0]["qini"] == json.loads(mailed)["scores"][0]["qini"]


@pytest.mark.merge
def test_counts_of_several_arms(trial):
    asked = ("-t", "visit", "-s", "score", "--treatment", "segment")
    done("counts", "trial.csv", *asked, *ARM_WORDS, "-o", "cells.csv")
    saved = json.loads(done("uplift", "cells.csv", "--counts", "--format", "json").stdout)
    direct = json.loads(done("uplift", "trial.csv", *asked, *ARM_WORDS, "--format", "json").stdout)
    assert saved["scores"][0]["qini"] == direct["scores"][0]["qini"]
    # Counts of all arms, as SQL returns them.
    parts = cap.count_segments("visit", "score", by="segment", data=TRIAL)
    write_counts(parts, trial / "every.csv")
    text = (trial / "every.csv").read_text().replace("segment", "treatment", 1)
    (trial / "every.csv").write_text(text)
    read = done("uplift", "every.csv", "--counts", *ARM_WORDS, "--format", "json")
    assert json.loads(read.stdout)["scores"][0]["qini"] == direct["scores"][0]["qini"]
    assert "because treatment is 'Womens E-Mail'" in read.stderr


@pytest.mark.merge
@pytest.mark.usefixtures("trial")
def test_uplift_proposes_each_arm_against_the_control():
    said = call("uplift", "trial.csv").stderr
    commands = re.findall(r"^  capcurve (uplift .*)$", said, re.MULTILINE)
    assert len(commands) == 2
    for command, arm in zip(commands, ("Mens E-Mail", "Womens E-Mail"), strict=True):
        words = shlex.split(command)
        assert words[words.index("--treated-label") + 1] == arm
        assert words[words.index("--control-label") + 1] == "No E-Mail"
        assert done(*words).exit_code == 0
    listed = call("uplift", "trial.csv", "-t", "visit", "-s", "score", "--treatment", "segment")
    assert listed.exit_code == 2
    assert "--treated-label 'Mens E-Mail' --control-label 'No E-Mail'" in listed.stderr


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("name", "arms", "asked", "pairs"),
    [
        ("treatment", ("met", "rosi", "life"), (), ("met life", "life met", "life rosi")),
        ("Variant", ("B", "C", "A"), (), ("B A", "A B", "A C")),
        ("study_arm", ("none", "control", "x"), (), ("x control", "x none")),
        ("rx", ("met", "rosi", "life"), ("--treated-label", "met"), ("met life", "met rosi")),
        ("rx", ("placebo", "a", "b"), ("--treated-label", "b"), ("b placebo",)),
    ],
)
def test_uplift_asks_which_of_several_arms_is_the_control(tmp_path, name, arms, asked, pairs):
    path = tmp_path / "trial.csv"
    frame = pd.DataFrame({name: arms * 20, "outcome": ["no", "yes"] * 30, "score": range(60)})
    frame.to_csv(path, index=False)
    asked = ("--treatment", name, *asked) if asked else ()
    said = call("uplift", str(path), *asked).stderr
    commands = [shlex.split(each) for each in re.findall(r"^  capcurve (.*)$", said, re.MULTILINE)]
    for words, pair in zip(commands, pairs, strict=True):
        treated, control = pair.split()
        assert words[words.index("--treated-label") + 1] == treated
        assert words[words.index("--control-label") + 1] == control
        assert "left out because" in done(*words).stderr
    first, *rest = sorted(arms)
    listed = f"The arms of {name!r} are {first!r}, {rest[0]!r} and {rest[1]!r}; which of them is"
    assert (listed in said) is ("placebo" not in arms)


def test_words_of_other_groups_are_no_treatment(tmp_path):
    path = tmp_path / "people.csv"
    ages = {"age_group": ["young", "middle", "old"] * 20, "mailed": [0, 1] * 30}
    frame = pd.DataFrame({**ages, "outcome": ["no", "yes", "yes"] * 20, "score": range(60)})
    frame.to_csv(path, index=False)
    assert "treatment 'mailed' (0/1" in call("uplift", str(path)).stderr
    frame.rename(columns={"age_group": "group"}).to_csv(path, index=False)
    assert "treatment 'mailed' (0/1" in call("uplift", str(path)).stderr  # the surer one


@pytest.mark.turns(5)
@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("calibration", ()),
        ("gains", ()),
        ("implied", ()),
        ("grades", ()),
        ("compare", ("-s", "points")),
        ("check", ("--min-ar", "-1")),
        ("bounds", ("--unknown-label", "nothing")),
        ("stability", ("--by", "month", "--from", "{first}", "--of", "positives")),
        ("change", ("loans.csv",)),
        ("validate", ()),
    ],
)
def test_pages_say_which_rows_were_left_out(loans, command, more):
    first = str(LOANS.month.iloc[0])
    words = [each.format(first=first) for each in more]
    words.sort(key=lambda word: word != "loans.csv")  # BEFORE stands beside AFTER
    result = call(command, "loans.csv", *words, *FLAGS, "--rest-negative", "-o", "page.html")
    assert result.exit_code in (0, 1), result.stderr
    said = f"{sum(LEFT_OUT.values()):,} rows were left out because status is"
    assert said in result.stderr
    page = (loans / "page.html").read_text(encoding="utf-8")
    assert page.count(said) == (2 if command in ("compare", "change") else 1)
    if command not in ("gains", "check", "validate"):
        result = call(command, "loans.csv", *words, *FLAGS, "--rest-negative", "-o", "page.md")
        assert said in (loans / "page.md").read_text(encoding="utf-8")


@pytest.mark.turns(5)
@pytest.mark.parametrize(
    ("command", "flag", "more"),
    [
        ("check", "--baseline", ("--max-drop", "2")),
        ("check", "--baseline", ("--max-psi", "2", "-s", "points")),
        ("validate", "--initial", ()),
        ("validate", "--before", ()),
        ("report", "--initial", ("--by", "month", "-o", "page.html")),
    ],
)
def test_rows_left_out_of_earlier_samples_are_said(loans, command, flag, more):
    LOANS[:300].assign(pd=LOANS.pd.where(ROWS % 60 > 0)[:300]).to_csv(loans / "old.csv")
    flags = [*FLAGS, "--rest-negative", "--missing", "drop"]
    left = int(LOANS.status[:300].isin(OPEN).sum())
    lacking = int((ROWS[:300] % 60 == 0)[~LOANS.status[:300].isin(OPEN)].sum())
    said = (
        f"note: {flag} old.csv: {left} rows were left out because status is 'Current' (",
        f"warning: {flag} old.csv: {lacking} rows without a value were left out (pd in {lacking})",
    )
    result = call(command, "loans.csv", *flags, flag, "old.csv", *more)
    assert [result.stderr.count(each) for each in said] == [1, 1], result.stderr
    for saved in ("saved.parquet", "saved.json"):
        done("counts", "old.csv", *flags, "-o", saved)
        result = call(command, "loans.csv", *flags[:-2], flag, saved, *more)
        if "points" not in more:
            assert result.stderr.count(said[0].replace("old.csv", saved)) == 1, result.stderr


@pytest.mark.parametrize("command", ["summary", "gains", "validate", "uplift", "bounds"])
@pytest.mark.usefixtures("loans")
def test_missing_values_are_a_bin_in_stability_alone(command):
    result = call(command, "loans.csv", "--missing", "bin")
    assert result.exit_code == 2
    assert "--missing bin goes with capcurve stability; take raise or drop" in result.stderr


@pytest.mark.parametrize("label", ["", "Default "])
@pytest.mark.usefixtures("loans")
def test_labels_are_quoted_where_one_would_not_see_them(label):
    result = call("summary", "loans.csv", *FLAGS[:4], "--pos-label", label, "--rest-negative")
    assert f"--pos-label '{label}' is not a label of 'status'" in result.stderr
    months = ("--by", "month", "--from", label)
    assert (
        f"--from '{label}' is not in 'month'"
        in call("stability", "loans.csv", "-s", "pd", *months).stderr
    )


def test_categories_of_parquet_files_are_labels(tmp_path):
    path = tmp_path / "arms.parquet"
    table = pa.Table.from_pandas(TRIAL.astype({"segment": "category"}), preserve_index=False)
    pq.write_table(table, path)
    found = cap.count_uplift("visit", "segment", "score", data=path, **MENS)
    assert found == cap.count_uplift("visit", "t", "score", data=TWO_ARMS)
