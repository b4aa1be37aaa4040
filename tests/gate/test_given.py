"""Functions of counts take columns, their names, or an evaluation, in place of counts."""

import inspect
import re
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap

Y = np.array([1, 0, 1, 0, 1, 0, 0, 0])
P = np.array([0.9, 0.2, 0.4, 0.5, 0.7, 0.7, 0.1, 0.3])
WORSE = P[::-1].copy()
AMOUNT = np.array([7, 0, 2, 0, 5, 0, 0, 1])
YEARS = np.array([1, 2, 1, 1, 3, 1, 1, 2])
SEVERAL = {"p": P, "worse": WORSE}
PART = np.array(["2024", "2025", "2025", "2024"] * 2)
START, END = np.array([3, 1, 2, 2, 3, 3, 1, 1]), np.array([3, 1, 3, 2, 2, 3, 1, 1])
OPEN = np.array([1, 0, 1, 0, 1, 0, 2, 2])
ARM = np.array([1, 1, 0, 0, 0, 1, 1, 0])
COLUMNS = {
    "y": Y,
    "p": P,
    "worse": WORSE,
    "amount": AMOUNT,
    "years": YEARS,
    "part": PART,
    "start": START,
    "end": END,
    "open": OPEN,
    "arm": ARM,
}
FRAMES = (pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS))


def of_counts():
    for name in cap.__all__:
        function = getattr(cap, name)
        if inspect.isfunction(function):
            first = next(iter(inspect.signature(function).parameters))
            if first == "counts" and name != "write_counts":  # which takes counts alone
                yield name


NAMES = sorted(of_counts())
NEEDS = {
    "best_thresholds": {},
    "best_share": {"value": 5, "cost": 1},
    "captured_between": {"q1": 0.1, "q2": 0.5},
    "confidence_interval": {"metric": "roc_auc"},
    "control_chart": {"initial": (0.6, 30, 50), "horizon": 2, "limit": 2.5},
    "operating_point": {"q": 0.5},
    "partial_auc": {"max_fpr": 0.5},
    "plot_profit": {"value": 3, "cost": 1},
    "profit_curve": {"value": 3, "cost": 1},
    "test_against_initial": {"initial": 0.9},
    "cap_band": {"seed": 1},
    "roc_band": {"seed": 1},
    "difference_band": {"seed": 1, "replicates": 100},
    "heterogeneity_test": {"seed": 1, "replicates": 100},
    "tipping_point": {"minimum": 0.2},
    "net_benefit": {"threshold": 0.3},
    "kappa": {"threshold": 0.5},
    "hit_rate": {"k": 3},
    **{name: {"q": 0.5} for name in ("captured_response", "lift", "local_lift", "precision")},
    "partial_accuracy_ratio": {"max_q": 0.5},
    "selective_risk": {"coverage": 0.5},
    "certified_cutoff": {"max_risk": 0.5},
    **{name: {"q": 0.5} for name in ("specificity", "false_positive_rate")},
}


def in_arms(y, p, *, treatment):
    return cap.count_uplift(y, treatment, p)


# By what the first argument is called: columns, what else is said of them, and what counts them.
TAKEN = {
    "counts": (("y", "p"), {}, cap.count_scores),
    "values": (("amount", "p"), {}, cap.count_values),
    "joint": (("y", ["p", "worse"]), {}, cap.count_joint),
    "segments": (("y", "start"), {"by": "part"}, cap.count_segments),
    "periods": (("y", "start"), {"by": "part"}, cap.count_segments),
    "partial": (("open", "p"), {"unknown_label": 2}, cap.count_partial),
    "trial": (("y", "p"), {"treatment": "arm"}, in_arms),
    "table": (("years", "p"), {"classes": "values"}, cap.count_classes),
}
# These are given otherwise; they have tests of their own below.
OTHERWISE = {
    "attribute_change",
    "population_stability",
    "psi",
    "grade_concentration",
    "migration_table",
    "compare_independent",
    "xauc",
    "abroca",
    "decompose",
    "mean_over",
    "segment_table",
    "validate",
}
# Functions that take no counts.
NOT_OF_COLUMNS = {
    "effect_scores",  # of columns alone
    "ecb_lgd",
    "audit_table",
    "read_counts",
    "write_counts",
    "censoring_test",  # of times, as those of horizons
    "detectable_drop",
    "evaluate",
    "horizon_table",
    "integrated_accuracy_ratio",
    "master_scale",
    "plot_horizons",
    "power",
    "rate_interval",
    "reading",
    "sample_size",
    "simulate_random_cap",
}
FUNCTIONS = {
    name: next(iter(inspect.signature(getattr(cap, name)).parameters))
    for name in cap.__all__
    if inspect.isfunction(getattr(cap, name)) and not name.startswith("count_")
}
EVALUATION = cap.evaluate(Y, P)


def held(given):
    """Return the column of a name, or the columns of several."""
    if isinstance(given, list):
        return {name: COLUMNS[name] for name in given}
    return COLUMNS.get(given, given) if isinstance(given, str) else given


def shown(found):
    """Return what can be compared of a result, also of a picture."""
    if not hasattr(found, "lines"):
        return repr(found)
    lines = [np.round(line.get_xydata().astype(float), 12).tolist() for line in found.lines]
    texts = [text.get_text() for text in found.texts]
    labels = found.get_legend_handles_labels()[1]
    plt.close(found.figure)
    return lines, texts, labels


def test_there_are_such_functions():
    assert len(NAMES) > 40
    assert {FUNCTIONS[name] for name in set(FUNCTIONS) - NOT_OF_COLUMNS - OTHERWISE} == set(TAKEN)


def in_turn(whole):
    """Yield each function and the ways to give it columns: all of them, or one each in turns."""
    seen = dict.fromkeys(TAKEN, 0)
    for name in sorted(set(FUNCTIONS) - NOT_OF_COLUMNS - OTHERWISE):
        first = FUNCTIONS[name]
        alone = sum(each == first for each in FUNCTIONS.values()) < len(WAYS)
        yield name, WAYS if whole or alone else (WAYS[seen[first] % len(WAYS)],)
        seen[first] += 1


# Columns themselves, and their names beside frames; every kind of counts is given in all ways.
WAYS = (None, *FRAMES)


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        pytest.param(*each, id=f"{each[0]} {when}", marks=marks)
        for when, marks in (("once", ()), ("in all ways", pytest.mark.merge))
        for each in in_turn(bool(marks))
    ],
)
def test_columns_and_their_names_stand_for_counts(name, ways):
    columns, said, count = TAKEN[FUNCTIONS[name]]
    function, needs = getattr(cap, name), NEEDS.get(name, {})
    apart = [held(each) for each in columns]
    given = {word: held(value) for word, value in said.items()}
    expected = shown(function(count(*apart, **given), **needs))
    for frame in ways:
        if frame is None:
            found = function(*apart, **given, **needs)
        else:
            found = function(*columns, data=frame, **said, **needs)
        assert shown(found) == expected


def test_arguments_may_follow_by_position():
    counts = cap.count_scores(Y, P)
    assert cap.captured_response(Y, P, 0.25) == cap.captured_response(counts, 0.25)
    assert cap.captured_response("y", "p", 0.25, data=COLUMNS) == cap.captured_response(
        counts, 0.25
    )
    assert cap.confidence_interval(Y, P, "ar") == cap.confidence_interval(counts, "ar")
    assert cap.confidence_interval(Y, P, cap.ks) == cap.confidence_interval(counts, cap.ks)
    assert repr(cap.best_thresholds(Y, P, "closest")) == repr(
        cap.best_thresholds(counts, "closest")
    )
    assert cap.test_against_initial(Y, P, 0.9) == cap.test_against_initial(counts, 0.9)
    found = cap.test_against_initial(Y, P, cap.count_scores(Y, WORSE))
    assert found == cap.test_against_initial(counts, cap.count_scores(Y, WORSE))


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ({"pos_label": "bad"}, (np.where(Y, "bad", "good"), P)),
        ({"higher_is": "negative"}, (Y, P)),
        ({"weight": YEARS, "weight_kind": "frequency"}, (Y, P)),
        ({"resolution": 0.25}, (Y, P)),
        ({"levels": ["C", "B", "A"]}, (Y, np.array(["", "A", "B", "C"])[START])),
        ({"missing": "drop"}, (Y, np.where(P > 0.5, np.nan, P))),
    ],
)
def test_keywords_of_counting_are_taken(words, given):
    counts = cap.count_scores(*given, **words)
    assert cap.accuracy_ratio(*given, **words) == cap.accuracy_ratio(counts)
    assert cap.captured_response(*given, q=0.5, **words) == cap.captured_response(counts, 0.5)
    assert shown(cap.plot_roc(*given, interval=None, **words)) == shown(
        cap.plot_roc(counts, interval=None)
    )


def test_clusters_widen_the_limits_of_columns_too():
    ids = np.arange(400) // 4
    y, p = (ids % 3 == 0).astype(int), np.sin(ids.astype(float)) + (ids % 3 == 0)
    alone = cap.confidence_interval(y, p, "ar")
    clustered = cap.confidence_interval(y, p, "ar", cluster=ids)
    assert clustered == cap.confidence_interval(cap.count_scores(y, p, cluster=ids), "ar")
    assert clustered.high - clustered.low > 1.3 * (alone.high - alone.low)


def test_an_exposure_makes_the_first_column_an_amount():
    values = cap.count_values(AMOUNT, P, exposure=YEARS)
    assert cap.accuracy_ratio(AMOUNT, P, exposure=YEARS) == cap.accuracy_ratio(values)
    both = cap.count_joint_values(AMOUNT, {"p": P, "worse": WORSE}, exposure=YEARS)
    named = cap.compare("amount", ["p", "worse"], exposure="years", data=FRAMES[0])
    assert repr(named) == repr(cap.compare(both))
    drawn = shown(cap.plot_cap("amount", ["p", "worse"], exposure="years", data=FRAMES[1]))
    assert drawn == shown(cap.plot_cap({name: both.margin(name) for name in both.names}))
    with pytest.raises(TypeError, match="roc_auc is about two classes"):
        cap.roc_auc(AMOUNT, P, exposure=YEARS)


@pytest.mark.merge
def test_a_picture_takes_several_scores_by_name():
    expected = shown(cap.plot_cap(cap.evaluate(Y, {"p": P, "worse": WORSE})))
    assert shown(cap.plot_cap(Y, {"p": P, "worse": WORSE})) == expected
    assert shown(cap.plot_cap(Y, [pd.Series(P, name="p"), pl.Series("worse", WORSE)])) == expected
    assert shown(cap.plot_cap(Y, FRAMES[0][["p", "worse"]])) == expected
    assert shown(cap.plot_cap("y", ["p", "worse"], data=FRAMES[1])) == expected
    only = FRAMES[1].select("y", "p", "worse", "years")
    weighed = shown(cap.plot_cap("y", ["p", "worse"], data=only, weight="years", interval=None))
    assert shown(cap.plot_cap("y", "*", data=only, weight="years", interval=None)) == weighed
    assert any(label.startswith("worse ") for label in expected[2])
    assert any("new " in label for label in shown(cap.plot_cap(Y, {"new": P}))[2])


def test_the_best_cutoffs_of_several_scores_are_those_of_each_by_name():
    asked = {"rule": "profit", "value": 3, "cost": 1}
    words = {word: number for word, number in asked.items() if word != "rule"}
    of_each = {"p": cap.count_scores(Y, P), "worse": cap.count_scores(Y, WORSE)}
    expected = {name: cap.best_thresholds(counts, **asked) for name, counts in of_each.items()}
    assert expected["p"] != expected["worse"]
    both = {"p": P, "worse": WORSE}
    assert cap.best_thresholds(of_each, **asked) == expected
    assert cap.best_thresholds(cap.evaluate(Y, both), **asked) == expected
    assert cap.best_thresholds(Y, both, "profit", **words) == expected
    for frame in FRAMES:
        found = cap.best_thresholds("y", ["p", "worse"], "profit", data=frame, **words)
        assert list(found.items()) == list(expected.items())
    assert cap.best_thresholds({"p": of_each["p"]}, **asked) == {"p": expected["p"]}
    assert cap.best_thresholds(cap.evaluate(Y, P), **asked) == expected["p"]


def test_the_best_cutoffs_of_amounts_by_several_scores_are_those_of_each():
    both, paid = {"p": P, "worse": WORSE}, {"value": 2, "cost": 1}
    found = cap.best_thresholds(AMOUNT, both, "profit", exposure=YEARS, **paid)
    for name, score in both.items():
        values = cap.count_values(AMOUNT, score, exposure=YEARS)
        assert found[name] == cap.best_thresholds(values, "profit", **paid)
    with pytest.raises(ValueError, match="rule 'youden' needs positives and negatives"):
        cap.best_thresholds(AMOUNT, both, exposure=YEARS)


def test_a_row_that_lacks_one_score_is_left_out_of_a_picture_for_all():
    gap = np.where(P > 0.8, np.nan, WORSE)
    drawn = shown(cap.plot_roc(Y, {"p": P, "gap": gap}, missing="drop"))
    assert drawn == shown(cap.plot_roc(cap.evaluate(Y, {"p": P, "gap": gap}, missing="drop")))


def test_psi_takes_two_columns():
    expected = cap.psi(cap.count_cases(START), cap.count_cases(END), bins="score")
    assert repr(cap.psi(START, END, bins="score")) == repr(expected)
    assert repr(cap.population_stability(START.tolist(), cap.count_cases(END), bins="score")) == (
        repr(expected)
    )
    for frame in FRAMES:
        assert repr(cap.psi("start", "end", data=frame, bins="score")) == repr(expected)
    scale = [3, 2, 1, 0]
    graded = cap.psi(START, END[:5], levels=scale)
    assert graded.bins == ("3", "2", "1", "0")
    assert graded.n_after == 5
    now = cap.count_cases(START, levels=scale)
    assert repr(cap.grade_concentration(START, levels=scale)) == repr(cap.grade_concentration(now))
    found = cap.grade_concentration("end", "start", data=FRAMES[0])
    assert repr(found) == repr(
        cap.grade_concentration(cap.count_cases(END), cap.count_cases(START))
    )


def test_grades_of_two_dates_are_two_columns():
    joint = cap.count_joint_cases({"start": START, "end": END})
    expected = cap.migration_table(joint, "start", "end")
    columns = [pd.Series(START, name="start"), pd.Series(END, name="end")]
    assert repr(cap.migration_table(*columns)) == repr(expected)
    for frame in FRAMES:
        assert repr(cap.migration_table("start", "end", data=frame)) == repr(expected)


def test_two_samples_are_four_columns():
    few = slice(0, 6)
    first, second = cap.count_scores(Y, P), cap.count_scores(Y[few], WORSE[few])
    expected = cap.compare_independent(first, second)
    assert cap.compare_independent(Y, P, Y[few], WORSE[few]) == expected
    assert cap.compare_independent(Y, P, second) == expected
    with pytest.raises(TypeError, match="required positional argument: 'second'"):
        cap.compare_independent(Y, P)


def test_keywords_of_two_samples_are_pairs():
    few = slice(0, 6)
    after = {name: column[few] for name, column in COLUMNS.items()}
    words = {"weight": "years", "weight_kind": "sampling"}
    counts = [cap.count_scores("y", "p", data=each, **words) for each in (COLUMNS, after)]
    expected = cap.compare_independent(*counts)
    weighted = words | {"weight": (YEARS, YEARS[few])}
    assert cap.compare_independent(Y, P, Y[few], P[few], **weighted) == expected
    for frame in FRAMES:
        words["data"] = frame, frame[few]
        assert cap.compare_independent("y", "p", **words) == expected
        assert cap.compare_independent("y", "p", "y", "p", **words) == expected


@pytest.mark.parametrize("asked", [{}, {"least": 2}, {"metric": "lift", "q": 0.5}])
def test_a_change_is_that_of_columns_of_two_samples(asked):
    few = slice(0, 6)
    after = {name: column[few] for name, column in COLUMNS.items()}
    words = {} if "q" in asked else {"by": "part"}
    count = cap.count_segments if words else cap.count_scores
    counts = [count("y", "start", data=each, **words) for each in (COLUMNS, after)]
    expected = cap.attribute_change(*counts, **words, **asked)
    for frame in FRAMES:
        found = cap.attribute_change("y", "start", data=(frame, frame[few]), **words, **asked)
        assert repr(found) == repr(expected)
    by = {"by": (PART, PART[few])} if words else {}
    found = cap.attribute_change(Y, START, Y[few], START[few], **by, **asked)
    assert repr(found) == repr(cap.attribute_change(*counts, **asked))
    with pytest.raises(TypeError, match="required positional argument: 'after'"):
        cap.attribute_change(Y, START, **by, **asked)


def test_segments_of_two_samples_may_be_crossed_and_dates():
    days = pd.date_range("2024-01-30", periods=8)
    frame = FRAMES[0].assign(day=days)
    counts = cap.count_segments("y", "p", by=["part", "day"], period="year", data=frame)
    words = {"by": ["part", "day"], "period": "year", "data": (frame, frame)}
    expected = repr(cap.attribute_change(counts, counts))
    assert repr(cap.attribute_change("y", "p", **words)) == expected
    by = ([PART, days], [PART, days])
    assert repr(cap.attribute_change(Y, P, Y, P, by=by, period="year")) == expected


def test_a_sheet_takes_columns_of_the_sample_that_is_validated():
    found = cap.validate("y", "p", data=FRAMES[0], initial=0.9)
    assert found.to_dict() == cap.validate(cap.count_scores(Y, P), initial=0.9).to_dict()


def test_an_implied_accuracy_ratio_takes_one_score_or_the_pd_beside_it():
    one = cap.implied_accuracy_ratio(Y, P)
    assert one == cap.implied_accuracy_ratio(cap.count_scores(Y, P))
    asked = {"score": "worse", "pd": "p"}
    joint = cap.implied_accuracy_ratio(cap.count_joint(Y, {"worse": WORSE, "p": P}), **asked)
    assert cap.implied_accuracy_ratio("y", ["worse", "p"], data=FRAMES[0], **asked) == joint
    assert cap.implied_accuracy_ratio(Y, {"worse": WORSE, "p": P}, **asked) == joint


OF_PDS = {
    "brier_score": {},
    "log_loss": {},
    "observed_to_expected": {},
    "net_benefit": {"threshold": 0.25},
    "decision_curve": {},
    "score_decomposition": {},
    "calibration_table": {"bins": 3},
    "calibration_test": {"method": "spiegelhalter"},
    "logistic_recalibration": {},
    "confidence_interval": {"metric": "brier_score"},
    "pd_tests": {},
    "implied_accuracy_ratio": {},
    "assess_calibration": {},
}
BY_SCORE = ("pd_tests", "implied_accuracy_ratio", "assess_calibration")
TWO_GROUPS = np.array(list("aabbccdd"))


@pytest.mark.turns(5)
@pytest.mark.parametrize("higher_is", ["positive", "negative"])
@pytest.mark.parametrize("name", OF_PDS)
def test_pds_in_a_column_are_those_of_the_rows(name, higher_is):
    function, asked = getattr(cap, name), {**OF_PDS[name], "higher_is": higher_is}
    own, by = [function(Y, START, pd=P, **asked)], {"score": "start"} if name in BY_SCORE else {}
    if name == "confidence_interval":
        of_joint = function(Y, P, **OF_PDS[name])
    else:
        both = {"higher_is": {"start": higher_is}}
        of_joint = function(Y, {"start": START, "p": P}, pd="p", **by, **OF_PDS[name], **both)
        # Several scores and a column of PDs are counted together, too.
        more = {"start": START, "pd": WORSE}
        own.append(function(Y, more, pd=P, **by, **asked))
    if name not in BY_SCORE:
        assert repr(function(Y, P, **OF_PDS[name])) == repr(of_joint)
    for frame in FRAMES:
        own.append(function("y", "start", data=frame, pd="p", **asked))
        own.append(function(frame["y"], frame["start"], pd=frame["p"], **asked))
        own.append(function("y", "p", data=frame, pd="p", **OF_PDS[name]))
        if name in BY_SCORE:
            own.pop()
    assert {repr(each) for each in own} == {repr(of_joint)}


def test_pds_in_a_column_do_not_depend_on_how_scores_are_ordered():
    y, s, p = [1, 0, 0, 1], [10, 20, 30, 5], [0.1, 0.2, 0.3, 0.05]
    assert cap.brier_score(y, s, pd=p) == pytest.approx(0.460625, rel=1e-12)
    found = cap.pd_tests(y, s, pd=p)
    assert dict(zip(found["score"], found["pd"], strict=True)) == dict(zip(s, p, strict=True))
    by_score = dict(zip(s, p, strict=True))
    assert cap.brier_score(y, s, pd=by_score) == cap.brier_score(y, s, pd=p)
    counts = cap.count_scores(y, s)
    assert cap.brier_score(counts, pd=[0.3, 0.2, 0.1, 0.05]) == cap.brier_score(y, s, pd=p)


@pytest.mark.parametrize(
    "words",
    [
        {"weight": AMOUNT + 1, "weight_kind": "frequency"},
        {"cluster": TWO_GROUPS},
        {"missing": "drop"},
    ],
)
def test_pds_in_a_column_go_with_what_is_said_of_rows(words):
    p = np.where(ARM == 1, P, np.nan) if "missing" in words else P
    kept = ~np.isnan(p)
    rows = {w: v[kept] if isinstance(v, np.ndarray) else v for w, v in words.items()}
    right = cap.confidence_interval(Y[kept], p[kept], "brier_score", **rows)
    found = cap.confidence_interval(Y, START, "brier_score", pd=p, **words)
    assert (found.estimate, found.low, found.high) == (right.estimate, right.low, right.high)
    letters = np.array(["c", "b", "a"])[START - 1]
    graded = {"levels": ["a", "b", "c"], **words}
    assert cap.brier_score(Y, letters, pd=p, **graded) == right.estimate


@pytest.mark.merge
def test_a_summary_and_a_sheet_take_pds_in_a_column():
    joint = cap.count_joint(Y, {"score": START, "pd": P})
    known = {"score": "score", "pd": "pd"}
    found = cap.summarize("y", "start", data=FRAMES[0], pd="p")
    assert found.implied == cap.implied_accuracy_ratio(joint, **known)
    assert repr(found.calibration) == repr(cap.assess_calibration(joint, **known))
    sheet = cap.validate(joint.margin("score"), joint=joint, pd="pd")
    assert cap.validate(Y, START, pd=P).to_dict() == sheet.to_dict()
    assert cap.validate("y", "start", data=FRAMES[1], pd="p").to_dict() == sheet.to_dict()
    named = cap.validate("y", "start", data=FRAMES[1], joint=joint, pd="pd")
    assert named.to_dict() == sheet.to_dict()


@pytest.mark.parametrize("draw", [cap.plot_calibration, cap.plot_decision_curve])
def test_pictures_of_pds_in_a_column_are_those_of_the_pds(draw):
    lines = []
    for of in ((Y, P, None), (Y, START, P)):
        ax = draw(*of[:2]) if of[2] is None else draw(*of[:2], pd=of[2])
        lines.append([line.get_xydata().tolist() for line in ax.lines])
        plt.close(ax.figure)
    assert lines[0] == lines[1]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: cap.brier_score(Y, START, pd=[0.3, 0.2, 0.1]),
            r"pd has 3 values for 8 rows; pass a PD per row, or by score: \{score: pd\}",
        ),
        (
            lambda: cap.brier_score("y", "start", data=FRAMES[0], pd=P),
            "columns are given by name, got ndarray for pd",
        ),
        (lambda: cap.brier_score("y", "start", data=FRAMES[0], pd="q"), "no column 'q'"),
        (
            lambda: cap.brier_score(FRAMES[0]["y"], START, pd=pd.Series(P, index=list("abcdefgh"))),
            "target and pd have different indexes",
        ),
        (lambda: cap.log_loss(Y, START, pd=P, resolution=0.25), "a grid of 0.25, so PDs read off"),
        (lambda: cap.brier_score(Y, START, pd=P, memory_limit="1GB"), "memory_limit= is for one"),
        (lambda: cap.confidence_interval(Y, START, "ks", pd=P), "pd= is not used by ks"),
        (
            lambda: cap.confidence_interval(Y, START, "qini", treatment=ARM, pd=P),
            "pd= is not used by qini",
        ),
        (lambda: cap.summarize(Y, START, exposure=YEARS, pd=P), "pd= is for positives"),
        (lambda: cap.attribute_change(Y, P, Y, P, pd=P), "an array fits the scores of one period"),
        (
            lambda: cap.validate(Y, START, pd=P, joint=cap.count_joint(Y, {"p": P, "s": P})),
            "pd= is a column, and joint= is given",
        ),
    ],
)
def test_pds_that_do_not_go_with_columns_are_told_in_one_line(call, said):
    with pytest.raises((TypeError, ValueError), match=said) as raised:
        call()
    assert "\n" not in str(raised.value)


HEAVY = np.array([1, 2, 3, 1, 2, 1, 1, 4])


def test_weights_of_two_samples_are_those_of_each():
    few, words = slice(0, 6), {"weight_kind": "frequency"}
    heavy = (HEAVY, HEAVY[::-1][few])
    first = cap.count_scores(Y, P, weight=heavy[0], **words)
    second = cap.count_scores(Y[few], WORSE[few], weight=heavy[1], **words)
    right = cap.compare_independent(first, second)
    assert cap.compare_independent(Y, P, Y[few], WORSE[few], weight=heavy, **words) == right
    frames = [
        pd.DataFrame({"y": y, "p": p, "heavy": each})
        for y, p, each in zip((Y, Y[few]), (P, WORSE[few]), heavy, strict=True)
    ]
    named = {"data": tuple(frames), "weight": "heavy", **words}
    assert cap.compare_independent("y", "p", **named) == right
    one = cap.compare_independent(first, cap.count_scores(Y, P))
    assert cap.compare_independent(Y, P, cap.count_scores(Y, P), weight=HEAVY, **words) == one
    cases = [
        cap.count_cases(p, weight=w, **words) for p, w in zip((P, WORSE[few]), heavy, strict=True)
    ]
    moved = repr(cap.population_stability(*cases, bins=2))
    assert repr(cap.population_stability(P, WORSE[few], bins=2, weight=heavy, **words)) == moved
    assert repr(cap.population_stability("p", "p", bins=2, **named)) == moved


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda **words: cap.compare_independent(Y, P, Y, WORSE, **words), "weight"),
        (lambda **words: cap.compare_independent(Y, P, Y[:6], WORSE[:6], **words), "cluster"),
        (lambda **words: cap.attribute_change(Y, P, Y, WORSE, **words), "by"),
        (lambda **words: cap.attribute_change(AMOUNT, P, AMOUNT, P, **words), "exposure"),
        (lambda **words: cap.population_stability(P, WORSE, **words), "weight"),
        (lambda **words: cap.grade_concentration(START, END, **words), "cluster"),
    ],
)
def test_one_column_is_not_taken_for_two_samples(call, word):
    with pytest.raises(TypeError) as raised:
        call(**{word: HEAVY})
    assert str(raised.value) == (
        f"{word}= is one column, and there are two samples; pass one for each: "
        f"{word}=({word}1, {word}2)"
    )


def test_counts_beside_names_are_no_data():
    initial = cap.count_scores(Y, WORSE)
    counts, words = cap.count_scores(Y, P), {"data": FRAMES[0]}
    assert cap.test_against_initial("y", "p", initial, **words) == cap.test_against_initial(
        counts, initial
    )
    assert cap.compare_independent("y", "p", initial, **words) == cap.compare_independent(
        counts, initial
    )
    periods = cap.count_segments(Y, P, by=PART)
    asked = {"horizon": 2, "limit": 2.5}
    found = cap.control_chart("y", "p", (0.6, 30, 50), by="part", **words, **asked)
    assert repr(found) == repr(cap.control_chart(periods, (0.6, 30, 50), **asked))
    twice = cap.count_scores(np.tile(Y, 9), np.tile(P, 9))
    found = cap.control_chart("y", "p", twice, by="part", **words, **asked)
    assert repr(found) == repr(cap.control_chart(periods, twice, **asked))


@pytest.mark.parametrize("frame", [None, *FRAMES], ids=lambda each: type(each).__module__)
def test_a_mean_over_segments_takes_columns(frame):
    y, p, part = (Y, P, PART) if frame is None else ("y", "p", "part")
    words = {} if frame is None else {"data": frame}
    counts = cap.count_segments(Y, P, by=PART)
    asked = {"metric": "average_precision", "segments": "fixed"}
    assert cap.mean_over(y, p, by=part, **words, **asked) == cap.mean_over(counts, **asked)
    assert cap.mean_over({**counts}, **asked) == cap.mean_over(counts, **asked)


def keywords(function):
    parameters = inspect.signature(function).parameters.values()
    return {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}


def test_one_word_alone_is_both_about_rows_and_about_a_result():
    """`by` says what segments are called; names of columns are that too."""
    counting = {
        first: keywords(count) | ({"exposure"} if count is cap.count_scores else set())
        for first, (_, _, count) in TAKEN.items()
    }
    shared = {
        (name, word)
        for name, first in FUNCTIONS.items()
        if first in counting
        for word in keywords(getattr(cap, name)) & counting[first]
    }
    assert shared == {("decompose", "by"), ("compare_groups", "by")}
    parts = cap.count_segments(Y, P, by=PART)
    assert repr(cap.decompose(Y, P, by=PART)) == repr(cap.decompose(parts))
    named = cap.decompose("y", "p", by="part", data=FRAMES[0])
    assert repr(named) == repr(cap.decompose(parts, by="part"))
    assert named.by == "part"
    for count in (cap.count_segments, cap.count_value_segments):
        assert not keywords(cap.mean_over) & keywords(count)
    sheet = set(inspect.signature(cap.validate).parameters)
    assert not sheet & (keywords(cap.count_scores) | {"exposure"})
    for name, count in (
        ("psi", cap.count_cases),
        ("grade_concentration", cap.count_cases),
        ("migration_table", cap.count_joint_cases),
        ("compare_independent", cap.count_scores),
    ):
        assert not keywords(getattr(cap, name)) & keywords(count), name


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cap.ks("y", "p"), "target must be a column of values, got text 'y'; to name"),
        (lambda: cap.ks(Y, P[:5]), "target has 8 rows and score has 5"),
        (lambda: cap.ks(Y, "p", data=COLUMNS), "columns are given by name, got ndarray for target"),
        (lambda: cap.ks("y", "q", data=COLUMNS), "no column 'q'; the data has 'y', 'p'"),
        (lambda: cap.gini(np.where(Y, "bad", "good"), P), "pos_label="),
        (lambda: cap.ks(Y, P, cut=3), "unexpected keyword argument 'cut'"),
        (lambda: cap.ks(Y, P, memory_limit="1GB"), "memory"),
        (lambda: cap.compare(Y, P), "two scores"),
        (lambda: cap.specificity(Y, 0.5), r"write specificity\(y, p, q=...\)"),
        (lambda: cap.specificity(Y, P), "required positional argument: 'q'"),
        (lambda: cap.lift(Y, P), r"give q= .a share of all cases. or k= .a number of"),
        (lambda: cap.ks(FRAMES[0], "y", "p"), r'write ks\("y", "p", data=...\)'),
        (lambda: cap.ks(EVALUATION, data=COLUMNS), "data is about rows, and these are counts"),
        (lambda: cap.ks("y", data=COLUMNS), r"data= goes with columns: write ks\(y, p\)"),
        (lambda: cap.heterogeneity_test(Y, P), r"write heterogeneity_test\(y, p, by=...\)"),
        (lambda: cap.concentration_index(None), r"write concentration_index\(amount, p\)"),
        (lambda: cap.ks("y", "p", FRAMES[0]), r"data by its name: write ks\(..., data=...\)"),
        (lambda: cap.compare("y", ["p", "worse"], FRAMES[1]), r"write compare\(..., data=...\)"),
        (lambda: cap.compare(Y, P, WORSE), r"got 3 arguments by place: write compare\(y, \[p1, p2"),
        (lambda: cap.evaluate("y", "p,worse", COLUMNS), "name each by itself: 'p', 'worse'"),
        (
            lambda: cap.brier_score(Y, SEVERAL, pd="p", memory_limit="1GB"),
            "^memory_limit= is for one score, and these are several; leave it out$",
        ),
        (lambda: cap.log_loss(AMOUNT, SEVERAL, pd="p", exposure=YEARS), "about two classes, and"),
        (
            lambda: cap.decision_curve("y", ["p", "worse"], treatment="arm", data=COLUMNS),
            "two arms",
        ),
        (lambda: cap.plot_cap(Y, SEVERAL, treatment=ARM), "about one outcome for all, and these"),
    ],
)
def test_a_wrong_call_with_columns_is_told_as_in_counting(call, said):
    with pytest.raises((TypeError, ValueError), match=said) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_the_help_says_that_columns_do():
    assert "`compare_independent(y1, p1, y2, p2)`" in inspect.getdoc(cap.compare_independent)
    said = " ".join(inspect.getdoc(cap.specificity).split())
    assert "Columns do as well: `specificity(y, p, q=...)`, or with `data=`" in said
    assert "the keywords of `count_scores`" in said
    for name in set(FUNCTIONS) - NOT_OF_COLUMNS:
        assert "Columns do as well: `" in inspect.getdoc(getattr(cap, name)), name
    assert "plot_mean_amount(amount, p)" in inspect.getdoc(cap.plot_mean_amount)


@pytest.mark.parametrize("given", [(Y,), (pd.DataFrame({"y": Y}),), (None,), (Fraction(1, 2),)])
def test_anything_else_is_answered_with_the_call_to_make(given):
    for name in NAMES:
        function = getattr(cap, name)
        with pytest.raises(TypeError) as raised:
            function(*given)
        said = str(raised.value)
        own = "accuracy_ratio" if name == "gini" else name
        assert f"{own}(y, p" in said or f'{own}("y", "p", data=...' in said, name
        parameters = inspect.signature(function).parameters
        for option in NEEDS.get(name, {}):
            if parameters[option].default is inspect.Parameter.empty:
                assert f", {option}=..." in said, name
        assert type(given[0]).__name__ in said, name
        assert "\n" not in said, name


@pytest.mark.merge
def test_an_evaluation_of_one_score_stands_for_its_counts():
    of_segments = {"mean_over", "segment_table"}
    for name in of_segments:
        with pytest.raises(ValueError, match="there are no segments"):
            getattr(cap, name)(EVALUATION)
    for name in NAMES:
        if name in of_segments:
            continue
        function, options = getattr(cap, name), NEEDS.get(name, {})
        one = function(EVALUATION, **options)
        if name.startswith("plot_"):
            assert one.has_data(), name
            plt.close()
        else:
            assert repr(one) == repr(function(EVALUATION["score"], **options)), name


@pytest.mark.parametrize("name", ["roc_auc", "cap_curve", "gains_table", "summarize"])
def test_one_of_several_scores_is_to_be_named(name):
    evaluation = cap.evaluate(Y, [P, WORSE])
    with pytest.raises(TypeError, match=rf"write {name}\(evaluation\['score 1'\]\)"):
        getattr(cap, name)(evaluation)
    with pytest.raises(TypeError, match=r"joint\.margin"):
        getattr(cap, name)(evaluation.joint)


def test_a_picture_takes_evaluations_by_name():
    evaluation = cap.evaluate(Y, P)
    legends = cap.plot_roc({"a": evaluation, "b": evaluation["score"]}).get_legend_handles_labels()
    assert sum(label.startswith(("a ", "b ")) for label in legends[1]) == 2
    with pytest.raises(TypeError, match=r"picture of 'a' takes counts, got ndarray"):
        cap.plot_cap({"a": P})


@pytest.mark.merge
def test_an_evaluation_is_a_collection_of_scores():
    evaluation = cap.evaluate(Y, {"new": P, "old": WORSE})
    assert (list(evaluation), len(evaluation), "old" in evaluation) == (["new", "old"], 2, True)
    assert 0 not in evaluation
    assert evaluation.plot("captured-response", score="old") is not None


@pytest.mark.merge
def test_scores_may_be_a_list_of_columns():
    joint = cap.count_joint(Y, [P, WORSE])
    assert joint == cap.count_joint(Y, {"score 1": P, "score 2": WORSE})
    both = cap.evaluate(Y, [pd.Series(P, name="new"), pl.Series("old", WORSE)])
    assert list(both.counts) == ["new", "old"]
    for frame in (pd.DataFrame({"new": P, "old": WORSE}), pl.DataFrame({"new": P, "old": WORSE})):
        assert cap.evaluate(Y, frame).counts == both.counts
        assert cap.count_joint(Y, frame) == both.joint
    assert list(cap.evaluate(Y, {0: P, 1: WORSE}).counts) == ["0", "1"]
    assert both["old"] == cap.count_scores(Y, WORSE)
    assert cap.evaluate(Y.tolist(), P.tolist())["score"] == cap.count_scores(Y, P)


def test_comparing_takes_an_evaluation_of_several_scores():
    evaluation = cap.evaluate(Y, [P, WORSE])
    assert repr(cap.compare(evaluation)) == repr(cap.compare(evaluation.joint))
    for given in (cap.evaluate(Y, P), Y, (Y, P)):
        with pytest.raises(TypeError, match=r"write compare\(y, \[p1, p2\]\)"):
            cap.compare(given)


@pytest.mark.merge
def test_an_evaluation_answers_the_next_questions():
    one = cap.evaluate(Y, P, by=["a", "b"] * 4)
    assert one.gains(bins=2).to_dict() == cap.gains_table(one["score"], bins=2).to_dict()
    assert set(one.segments["score"]) == {"a", "b"}
    two = cap.evaluate(Y, {"new": P, "old": WORSE}, level=0.9)
    assert two.gains("old").to_dict() == cap.gains_table(two["old"]).to_dict()
    found = two.compare(alternative="superior")
    assert found.pairs[0].name == "new minus old"
    assert (found.pairs[0].level, found.pairs[0].alternative) == (0.9, "superior")
    assert {"gains", "compare", "plot", "segments"} <= set(dir(two))
    assert two._ipython_key_completions_() == ["new", "old"]
    labels = two.plot("roc").get_legend_handles_labels()[1]
    assert any("new" in label for label in labels)
    assert any("old" in label for label in labels)
    assert two.plot("Precision recall") is not None


def test_completion_offers_what_people_use_and_not_what_the_library_asks():
    offered = [name for name in dir(cap.count_scores(Y, P)) if not name.startswith("_")]
    assert offered == [
        *("at_resolution", "cases", "digest", "dropped", "from_ascending", "from_counts"),
        *("from_dict", "groups", "higher_is", "joined", "known", "levels", "merge", "n", "n0"),
        *("n1", "negatives", "positives", "prevalence", "resolution", "score", "thresholds"),
        *("times", "to_dict", "to_frame", "weight_kind", "weights", "words"),
    ]
    counts = [cap.count_scores(Y, P), cap.count_values(P, P), cap.count_times(P, Y, P)]
    for each in (*counts, cap.evaluate(Y, P)):
        documented = re.findall(r"^    (\w+(?:, \w+)*)$", type(each).__doc__, re.MULTILINE)
        named = {name for line in documented for name in line.split(", ")} - {
            "Attributes",
            "remembered",
        }
        assert named & set(type(each).__dict__) <= set(dir(each))
        assert not {"HEADER", "of_none", "first_sentences", "told"} & set(dir(each))


@pytest.mark.merge
def test_an_evaluation_says_what_it_lacks():
    one, two = cap.evaluate(Y, P), cap.evaluate(Y, [P, WORSE])
    with pytest.raises(ValueError, match="one of 'score 1', 'score 2'"):
        two.gains()
    with pytest.raises(KeyError, match="there is no score 'x'"):
        two["x"]
    with pytest.raises(ValueError, match="there is one score"):
        one.compare()
    with pytest.raises(ValueError, match="kind must be one of 'cap', 'roc'"):
        one.plot("capp")
    apart = cap.evaluate({"a": one["score"], "b": one["score"]})
    with pytest.raises(ValueError, match="counted separately"):
        apart.compare()


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    "function",
    [
        cap.pool_periods,
        cap.grade_homogeneity_test,
        cap.heterogeneity_test,
        lambda given: cap.control_chart(given, 0.2),
    ],
)
def test_segments_are_those_of_one_score(function):
    y, score = [1, 1, 0, 1, 0, 0] * 8, [3, 2, 3, 1, 1, 2] * 8
    by = [2024, 2025] * 24
    one = cap.evaluate(y, score, by=by)
    two = cap.evaluate(y, {"new": score, "old": score[::-1]}, by=by)
    assert repr(function(one)) == repr(function(one.segments["score"]))
    for given in (two, two.segments):
        with pytest.raises(ValueError, match=r"'new', 'old'[:;] pass evaluation.segments\[score\]"):
            function(given)
