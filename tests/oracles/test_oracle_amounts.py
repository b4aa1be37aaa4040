"""Rankings of amounts, as exact fractions, R and a textbook have them."""

import functools
import json
from fractions import Fraction

import numpy as np
import pytest
from oracle_files import DATA, oracle

import capcurve as cap
from capcurve.input.arrays import cluster_groups
from capcurve.input.columns import as_column

EXPECTED = json.loads((DATA / "amounts.json").read_text())
# What the cases call their columns, where it is not the name of one.
MADE = {
    "-score": lambda c: -c["score"],
    "[3,3,6,10,12]/premium": lambda c: np.array([3, 3, 6, 10, 12]) / c["premium"],
    "y*funded_amnt": lambda c: c["y"] * c["funded_amnt"],
    "amount - 30*exposure": lambda c: c["amount"] - 30 * c["exposure"],
    "max(realised,0)": lambda c: np.maximum(c["realised"], 0),
    "max(realised,0)*ead": lambda c: np.maximum(c["realised"], 0) * c["ead"],
    "realised*ead": lambda c: c["realised"] * c["ead"],
}
RANKINGS = [name for name, case in EXPECTED.items() if "accuracy_ratio" in case and "file" in case]
WHOLE = [name for name in RANKINGS if "amount_total" in EXPECTED[name]]
ON_PAPER = [name for name in RANKINGS if "points" in EXPECTED[name]]
INTERVALS = [name for name in WHOLE if "captured_interval95" in EXPECTED[name]]
BINARY = [name for name in RANKINGS if "se_delong" in EXPECTED[name]]


def column(file, asked):
    if asked is None:
        return None
    columns = oracle(file)
    return columns[asked] if asked in columns else MADE[asked](columns)


@functools.cache
def counted(name):
    case = EXPECTED[name]
    roles = [column(case["file"], case.get(role)) for role in ("amount", "score", "exposure")]
    return cap.count_values(roles[0], roles[1], exposure=roles[2])


def close(value):
    return pytest.approx(float(value), rel=1e-12, abs=1e-15)


def limits(interval):
    return pytest.approx(interval, rel=1e-9, abs=1e-9)


def interval(name, metric, **options):
    return cap.confidence_interval(counted(name), metric, **options)


def test_every_case_is_tested():
    assert (len(RANKINGS), len(WHOLE), len(INTERVALS), len(BINARY)) == (21, 16, 16, 2)
    others = {
        "small, best profit",
        "loans, grade_rank - int_rate, cases",
        "loans, int_rate, delete-a-group jackknife, group = row number mod 16",
        "policies, model_a - model_b, years",
        "policies, model_a, best profit, years",
    }
    assert others == set(EXPECTED) - set(RANKINGS)


@pytest.mark.parametrize("name", RANKINGS)
def test_accuracy_ratio(name):
    expected, values = EXPECTED[name], counted(name)
    assert cap.accuracy_ratio(values) == close(expected["accuracy_ratio"])
    assert cap.gini(values) == cap.accuracy_ratio(values)
    if "total" in expected:
        assert values.amount == close(expected["total"])


@pytest.mark.parametrize("name", [n for n in RANKINGS if "concentration_index" in EXPECTED[n]])
def test_concentration_index(name):
    expected = EXPECTED[name]["concentration_index"]
    assert cap.concentration_index(counted(name)) == close(expected)
    assert 2 * cap.cap_curve(counted(name)).area - 1 == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", WHOLE)
def test_sizes(name):
    expected, values = EXPECTED[name], counted(name)
    assert (values.n, len(values)) == (expected["n"], expected["distinct_scores"])
    assert values.amount == close(expected["amount_total"])
    assert values.exposure == close(expected["exposure_total"])
    assert values.has_exposure is (expected["exposure"] is not None)


@pytest.mark.parametrize("name", WHOLE)
def test_the_perfect_curve(name):
    index = 2 * cap.perfect_cap(counted(name)).area - 1
    assert index == pytest.approx(EXPECTED[name]["perfect_index"], abs=1e-12)


@pytest.mark.parametrize("name", WHOLE)
def test_what_the_top_holds(name):
    expected, values = EXPECTED[name], counted(name)
    for share, captured in expected["captured"].items():
        q = float(Fraction(share))
        assert cap.captured_response(values, q) == close(captured)
        assert cap.captured_between(values, 0, q) == close(captured)
        assert cap.cap_curve(values).at(q) == close(captured)
        assert cap.lorenz_curve(values).at(1 - q) == pytest.approx(1 - captured, rel=1e-12)
        assert cap.lift(values, q) == close(expected["lift"][share])
        assert cap.lift_curve(values).at(q) == close(expected["lift"][share])
        assert cap.mean_amount(values, q) == close(expected["mean_of_top"][share])
    assert cap.mean_amount(values) == close(expected["amount_total"] / expected["exposure_total"])


@pytest.mark.parametrize("name", ON_PAPER)
def test_whole_sums_stay_whole(name):
    expected, values = EXPECTED[name], counted(name)
    for key, curve in (("points", cap.cap_curve), ("perfect_points", cap.perfect_cap)):
        drawn = curve(values, absolute=True)
        points = [[float(Fraction(v)) for v in point] for point in expected[key]]
        assert [list(point) for point in zip(drawn.x, drawn.y, strict=True)] == points


@pytest.mark.parametrize("name", ON_PAPER)
def test_ratios_of_whole_sums_are_the_nearest_floats(name):
    expected, values = EXPECTED[name], counted(name)
    assert cap.accuracy_ratio(values) == float(Fraction(expected["accuracy_ratio_fraction"]))
    if "concentration_index_fraction" in expected:
        exact = Fraction(expected["concentration_index_fraction"])
        assert cap.concentration_index(values) == float(exact)
        for share, captured in expected["captured_fraction"].items():
            exact = float(Fraction(captured))
            assert cap.captured_response(values, float(Fraction(share))) == close(exact)


def test_the_textbooks_ordered_lorenz_curve():
    name = "five policies, score and exposure = premium"
    points = [[float(Fraction(v)) for v in p] for p in EXPECTED[name]["lorenz_points"]]
    curve = cap.lorenz_curve(counted(name))
    found = [list(point) for point in zip(curve.x, curve.y, strict=True)]
    assert found == [pytest.approx(point, rel=1e-15) for point in points]
    new = "five policies, ordered Lorenz of a new score 3,3,6,10,12 over premium"
    assert cap.concentration_index(counted(new)) == pytest.approx(-5 / 153, rel=1e-14)


@pytest.mark.parametrize("name", INTERVALS)
@pytest.mark.parametrize("metric", ["accuracy_ratio", "concentration_index"])
def test_intervals_of_the_whole_ranking(name, metric):
    expected, found = EXPECTED[name], interval(name, metric)
    assert found.estimate == close(expected[metric])
    assert found.se == pytest.approx(expected[f"{metric}_se"], rel=1e-12, abs=1e-12)
    # Of the end that is nearer to 0 the reference knows no rows that the sample may lack.
    low, high = expected[f"{metric}_interval95"]
    far, same = (found.low, low) if found.estimate < 0 else (found.high, high)
    assert far == pytest.approx(same, rel=1e-9, abs=1e-9)
    if found.estimate == 0:
        assert [found.low, found.high] == limits([low, high])
    assert (found.level, found.method) == (0.95, "envelope")


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals_of_what_the_top_holds(name):
    for share, expected in EXPECTED[name]["captured_interval95"].items():
        q = float(Fraction(share))
        found = interval(name, "captured_response", q=q)
        assert found.estimate == close(EXPECTED[name]["captured"][share])
        assert found.se == close(expected["se"])
        assert [found.low, found.high] == limits(expected["interval"])
        lift = interval(name, "lift", q=q)
        assert lift.estimate == close(EXPECTED[name]["lift"][share])
        assert lift.se == close(expected["se"] / q)
        assert [lift.low, lift.high] == limits([limit / q for limit in expected["interval"]])


@pytest.mark.parametrize("name", ["small, profit = amount - 30 exposure"])
def test_an_interval_of_signed_amounts(name):
    expected, found = EXPECTED[name], interval(name, "accuracy_ratio")
    same = EXPECTED[expected["same_as"]]
    # One factor for all rows, since with amounts below zero none is apart: 12/11.
    assert found.se == close(expected["accuracy_ratio_se_ij"] * (12 / 11) ** 0.5)
    assert expected["accuracy_ratio_se_ij"] == same["accuracy_ratio_se_ij"]
    assert found.estimate == close(same["accuracy_ratio"])


def test_an_interval_of_signed_losses():
    name = "lgd, signed losses by EAD: accuracy ratio only"
    found = interval(name, "accuracy_ratio")
    assert found.se == close(EXPECTED[name]["accuracy_ratio_se_ij"] * (150 / 149) ** 0.5)


@pytest.mark.parametrize("name", BINARY)
def test_amounts_of_0_and_1_have_the_yes_no_numbers(name):
    expected, values = EXPECTED[name], counted(name)
    columns = oracle(EXPECTED[name]["file"])
    counts = cap.count_scores(columns["y"], columns[expected["score"]])
    found = interval(name, "accuracy_ratio")
    assert found == cap.confidence_interval(counts, "accuracy_ratio")
    wald = [
        cap.confidence_interval(values, "accuracy_ratio", method="wald").se,
        cap.confidence_interval(counts, "accuracy_ratio", method="wald").se,
    ]
    assert wald == [close(expected["se_delong"])] * 2
    assert cap.captured_response(values, 0.1) == close(expected["captured"]["1/10"])
    assert cap.captured_response(values, 0.1) == cap.captured_response(counts, 0.1)


@pytest.mark.parametrize(
    ("name", "file", "amount", "scores", "exposure"),
    [
        (
            "loans, grade_rank - int_rate, cases",
            "lending_club_scores.csv",
            "y*funded_amnt",
            ("grade_rank", "int_rate"),
            None,
        ),
        (
            "policies, model_a - model_b, years",
            "amounts_policies.csv",
            "claims",
            ("model_a", "model_b"),
            "years",
        ),
    ],
)
def test_two_scores_of_the_same_rows(name, file, amount, scores, exposure):
    expected = EXPECTED[name]
    joint = cap.count_joint_values(
        column(file, amount),
        {score: column(file, score) for score in scores},
        exposure=column(file, exposure),
    )
    (pair,) = cap.compare(joint).pairs
    assert pair.name == " minus ".join(scores)
    assert pair.estimate == pytest.approx(expected["difference_ar"], rel=1e-11)
    assert pair.se == pytest.approx(expected["se"], rel=1e-11)
    assert pair.df == pytest.approx(expected["df"], rel=1e-9)
    # The reference takes the variance at the difference, the test that at 0: rows are many here.
    assert pair.p_value == pytest.approx(expected["p_value"], rel=0.05)
    assert cap.compare(joint).p_value == pair.p_value
    if "interval95" in expected:
        wide = expected["interval95"][1] - expected["interval95"][0]
        assert [pair.low, pair.high] == pytest.approx(expected["interval95"], abs=0.05 * wide)


def ids_in_groups_of_their_own(many):
    """Return ids of which each falls into another group of clusters."""
    groups = cluster_groups(as_column(np.arange(400), "id"))[1].tolist()
    first = {group: i for i, group in reversed(list(enumerate(groups)))}
    return np.array(sorted(first.values())[:many])


def test_leaving_out_groups():
    name = "loans, int_rate, delete-a-group jackknife, group = row number mod 16"
    columns = oracle("lending_club_scores.csv")
    ids = ids_in_groups_of_their_own(16)[np.arange(len(columns["y"])) % 16]
    amount = columns["y"] * columns["funded_amnt"]
    values = cap.count_values(amount, columns["int_rate"], cluster=ids)
    asked = {
        "concentration_index": {},
        "accuracy_ratio": {},
        "captured_response": {"q": 0.1},
    }
    for metric, options in asked.items():
        found = cap.confidence_interval(values, metric, **options)
        key = "captured_1/10" if options else metric
        assert found.estimate == close(EXPECTED[name][key]["whole"])
        assert found.se == pytest.approx(EXPECTED[name][key]["se"], rel=1e-11)
        assert found.method == "jackknife"


PROFITS = [
    *(("small, best profit", key, case) for key in ("cases", "exposure") for case in range(4)),
    *(("policies, model_a, best profit, years", None, case) for case in range(2)),
]


@pytest.mark.parametrize(("name", "key", "case"), PROFITS)
def test_the_best_profit(name, key, case):
    expected = EXPECTED[name][key][case] if key else EXPECTED[name][case]
    values = counted(f"small, {key}" if key else "policies, model_a, years")
    money = {"value": expected["value"], "cost": expected["cost"]}
    best, *others = cap.best_thresholds(values, "profit", **money)
    assert best.q == pytest.approx(expected["q"], rel=1e-12)
    assert best.threshold == expected["last_score_selected"]
    curve = cap.profit_curve(values, **money)
    assert curve.y.max() == pytest.approx(expected["profit"], rel=1e-12, abs=1e-9)
    for point in (best, *others):  # of equal ones the shallowest first
        assert curve.at(point.q) == pytest.approx(expected["profit"], rel=1e-9, abs=1e-9)
        assert point.q >= best.q
