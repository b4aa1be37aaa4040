"""`evaluate` of a trial: the library's own numbers, every format, and what is refused."""

import json

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest

import capcurve as cap
from capcurve.show.svg import draw

RNG = np.random.default_rng(8)
N = 700
NEW = RNG.normal(size=N).round(1)
OLD = (NEW + 2 * RNG.normal(size=N)).round(1)
ARM = (RNG.random(N) < 0.5).astype(int)
BOUGHT = (RNG.random(N) < 0.2 + 0.2 * ARM * (NEW > 0)).astype(int)
SPENT = BOUGHT * RNG.integers(1, 60, N)
SCORES = {"new": NEW, "old": OLD}
COLUMNS = {"bought": BOUGHT, "spent": SPENT, "arm": ARM, **SCORES}
ROWS = {"target": "bought", "score": "new", "data": pd.DataFrame(COLUMNS), "treatment": "arm"}
TRIAL = cap.count_uplift(BOUGHT, ARM, NEW)
JOINT = cap.count_joint_uplift(BOUGHT, ARM, SCORES)


def test_one_score_has_the_numbers_of_its_counts():
    found = cap.evaluate(BOUGHT, NEW, treatment=ARM, level=0.9)
    summary = found.summaries["score"]
    assert summary.qini == cap.confidence_interval(TRIAL, "qini", level=0.9)
    assert summary.autoc == cap.confidence_interval(TRIAL, "autoc", level=0.9)
    assert summary.top == cap.confidence_interval(TRIAL, "uplift", q=0.3, level=0.9)
    assert summary.test == cap.qini_test(TRIAL)
    assert found.comparison is None
    assert found.title == "Uplift by score"
    assert repr(found).startswith("Treating the top 30% by score gains ")
    assert cap.evaluate(TRIAL, level=0.9) == found


def test_several_scores_are_compared_by_their_qini():
    found = cap.evaluate(BOUGHT, SCORES, treatment=ARM)
    expected = cap.compare(JOINT, metric="qini")
    assert found.comparison == expected
    assert found.sentence.startswith("new ranks better than old by ")
    assert found.sentence.endswith(f" (p = {expected.p_value:.3f}).")
    for name in SCORES:
        assert found.summaries[name].qini.estimate == cap.qini(JOINT.margin(name))
    table = found.to_frame("polars")
    assert table["score"].to_list() == ["new", "old"]
    assert table["qini"].to_list() == [cap.qini(JOINT.margin(name)) for name in SCORES]
    assert table["p_balance"][0] == cap.balance_test(TRIAL).p_value
    assert cap.evaluate(JOINT) == found
    lines = found.presentation().charts[0].lines
    assert [line.label for line in lines] == ["new", "old", "Treated at random"]
    gains = 100 * cap.uplift_curve(JOINT.margin("old")).y
    assert lines[1].y[1:].tolist() == gains[1:].tolist()


def test_the_worst_of_several_scores_is_told_to_be_turned():
    found = cap.evaluate(BOUGHT, {**SCORES, "turned": -NEW}, treatment=ARM).presentation()
    assert found.sentences[0].startswith("new ranks best: Qini ")
    assert "turned ranks those first whom the treatment moves least (p < 0.001)." in found.sentences
    assert any("turned ranks worse than a random score" in note for note in found.notes)
    assert any("If low scores mean large effects" in note for note in found.notes)


def curve_of(chart):
    return chart.lines[0]


def test_the_profit_curve_peaks_at_the_best_share_within_the_limits_of_the_profit():
    found = cap.evaluate(BOUGHT, NEW, treatment=ARM, value=30, cost=2).summaries["score"]
    chart = found.charts[0]
    assert chart.y.title == "Profit per 100 customers"
    curve, may, best, nobody = chart.lines
    assert curve.y.max() == pytest.approx(100 * found.best.profit)
    assert curve.x[curve.y.argmax()] == found.best.estimate
    expected = 100 * cap.profit_curve(TRIAL, value=30, cost=2).y
    assert curve.y.tolist() == pytest.approx(expected.tolist())
    assert [*best.x, *best.y] == [found.best.estimate, 100 * found.best.profit]
    assert [*may.x] == [found.best.low, found.best.high]
    assert [*nobody.y] == [0, 0]
    (band,) = chart.bands
    at = np.isclose(band.x, found.best.estimate).nonzero()[0][0]
    assert band.low[at] < 100 * found.best.profit < band.high[at]
    assert band.low[0] == band.high[0] == 0  # treating nobody costs and brings nothing
    figures = {figure.metric: figure for figure in found.presentation().figures}
    assert figures["total_profit"].value == pytest.approx(N * found.best.profit)
    assert figures["profit"].value == pytest.approx(100 * found.best.profit)


def test_rates_of_both_arms_are_drawn_beside_each_other_as_counted_by_hand():
    found = cap.evaluate(BOUGHT, NEW, treatment=ARM).summaries["score"]
    treated, control = found.charts[-1].bars
    order, start = np.argsort(-NEW, kind="stable"), 0
    for place, n in enumerate(found.table["n"].tolist()):
        rows = order[start : start + n]
        start += n
        for bars, arm in ((treated, 1), (control, 0)):
            own = BOUGHT[rows][ARM[rows] == arm]
            assert bars.shares[place] == pytest.approx(own.mean())
            around = cap.rate_interval(int(own.sum()), len(own), method="wilson")
            assert [bars.low[place], bars.high[place]] == pytest.approx([*around])
    assert (treated.label, control.label) == ("Treated", "Control")
    ids = np.arange(N) // 2
    clustered = cap.evaluate(BOUGHT, NEW, treatment=ARM, cluster=ids).summaries["score"].charts[-1]
    assert clustered.bars[0].low is None  # Wilson's limits do not know clusters
    assert clustered.head == ""


def test_the_first_bin_has_one_interval_and_not_two():
    table = cap.evaluate(BOUGHT, NEW, treatment=ARM).summaries["score"].table
    for one, other in (
        ("uplift", "cum_uplift"),
        ("uplift_low", "cum_low"),
        ("uplift_high", "cum_high"),
    ):
        assert table[one][0] == table[other][0]


def test_curves_of_two_scores_have_limits_and_both_arms_are_drawn_for_each():
    found = cap.evaluate(BOUGHT, SCORES, treatment=ARM, value=30, cost=2).presentation()
    profit, uplift, new, old = found.charts
    assert (new.title, old.title) == (
        "Treated beside control, by new",
        "Treated beside control, by old",
    )
    for chart in (profit, uplift):
        assert len(chart.bands) == 2
        assert chart.bands[0].colour != chart.bands[1].colour
        assert [band.label for band in chart.bands] == ["95% interval at each share", ""]
        assert draw(chart).count('stroke-opacity=".6"') == 3  # around each band, and in the legend
    named = [line.label for line in profit.lines if line.label.startswith("Best share")]
    best = {
        n: cap.best_share(cap.count_uplift(BOUGHT, ARM, s), value=30, cost=2)
        for n, s in SCORES.items()
    }
    assert named == [f"Best share by {n}, {100 * each.estimate:.1f}%" for n, each in best.items()]
    several = cap.evaluate(BOUGHT, {**SCORES, "turned": -NEW}, treatment=ARM).presentation()
    assert not several.charts[0].bands


def test_where_nothing_is_shown_to_pay_the_trial_says_so():
    noise = RNG.normal(size=N)
    found = cap.evaluate(BOUGHT, noise, treatment=ARM, value=10, cost=1).summaries["score"]
    assert found.best.profit_low <= 0 < found.best.profit
    assert found.sentence.startswith(
        "This trial does not show that treating by score pays at value"
    )
    assert "brings the largest profit" not in " ".join(found.sentences)
    said = "This trial does not show that score ranks whom the treatment moves (p = "
    assert any(each.startswith(said) for each in found.sentences)


def test_amounts_labels_and_money():
    words = np.where(ARM == 1, "mail", "none")
    found = cap.evaluate(
        amount=SPENT, score=NEW, treatment=words, treated_label="mail", value=1, cost=2
    )
    trial = cap.count_uplift_values(SPENT, ARM, NEW)
    assert found.summaries["score"].qini.estimate == cap.qini(trial)
    assert found.summaries["score"].best == cap.best_share(trial, value=1, cost=2)
    assert " per 100 customers [" in str(found)


@pytest.mark.parametrize("kind", ["pandas", "polars", "file"])
def test_what_holds_the_rows_never_matters(kind, tmp_path):
    path = tmp_path / "trial.csv"
    pd.DataFrame(COLUMNS).to_csv(path, index=False)
    data = {"pandas": pd.DataFrame, "polars": pl.DataFrame}.get(kind, lambda _: path)(COLUMNS)
    found = cap.evaluate("bought", ["new", "old"], data, treatment="arm")
    assert found.comparison == cap.compare(JOINT, metric="qini")
    assert found.source == ("trial.csv" if kind == "file" else None)


def test_rows_left_out_are_told_and_what_holds_for_every_score_once():
    few = pd.DataFrame(COLUMNS).iloc[:60].astype({"new": float})
    few.loc[[3, 5], "new"] = np.nan
    found = cap.evaluate("bought", ["new", "old"], few, treatment="arm", missing="drop")
    codes = [each.code for each in found.findings]
    assert codes == ["dropped_rows", "few_in_arm"]
    assert found.findings[0].message.startswith("2 rows without a value were left out")


def test_a_score_that_treatment_follows_is_named():
    found = cap.evaluate(BOUGHT, {"new": NEW, "after": NEW + ARM}, treatment=ARM)
    (told,) = found.findings
    assert told.code == "treatment_follows_score"
    assert told.message.startswith("after: Treated cases rank higher than controls (AUC 0.7")


@pytest.mark.merge
def test_every_format(tmp_path):
    found = cap.evaluate(BOUGHT, SCORES, treatment=ARM, title="Spring <trial>")
    page = found.save(tmp_path / "page.html").read_text("utf-8")
    assert "Spring &lt;trial&gt;" in page
    written = json.loads(found.save(tmp_path / "numbers.json").read_text("utf-8"))
    assert written["title"] == "Spring <trial>"
    assert [each["name"] for each in written["scores"]] == ["new", "old"]
    assert written["comparison"]["pairs"][0]["estimate"] == found.comparison.pairs[0].estimate
    book = openpyxl.load_workbook(found.save(tmp_path / "book.xlsx"))
    assert book.sheetnames == ["Scores", "Differences", "Bins of new", "Bins of old"]
    assert book["Scores"]["E3"].value == pytest.approx(cap.qini(JOINT.margin("old")), rel=1e-14)
    for name in ("text.md", "text.txt", "text.tex", "table.csv", "picture.png", "picture.svg"):
        assert found.save(tmp_path / name).stat().st_size > 100
    alone = openpyxl.load_workbook(cap.evaluate(TRIAL).save(tmp_path / "alone.xlsx"))
    assert alone.sheetnames == ["Scores", "Bins of score"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"by": "old"}, "by= does not go with treatment=; leave it out"),
        ({"weight": "old"}, "weight= does not go with treatment=; leave it out"),
        ({"prevalence": 0.2}, "prevalence= does not go with treatment="),
        ({"selective": True}, "selective= does not go with treatment="),
        ({"competing": "excluded"}, "competing= does not go with treatment="),
        ({"amount": "spent", "target": None, "exposure": "old"}, "exposure= does not go with"),
        ({"time": "old", "event": "spent", "horizon": 1}, "time= does not go with treatment="),
        ({"min_cell": 3}, "min_cell= does not go with treatment="),
        ({"value": 3}, "value= and cost= go together"),
        ({"score": None}, "needs of a trial a score, and either a target or an amount"),
        ({"amount": "spent"}, "needs of a trial a score, and either a target or an amount"),
        ({"treatment": None, "treated_label": 1}, "treated_label= goes with treatment="),
        ({"treatment": "spent"}, "name them with treated_label= and control_label="),
        ({"treatment": "sold"}, "no column 'sold'"),
        ({"target": TRIAL, "data": None, "treatment": None}, "score is about rows"),
        (
            {"target": TRIAL, "data": None, "treatment": None, "score": None, "by": OLD},
            "by= does not go with counts of a trial",
        ),
    ],
)
def test_what_does_not_go_is_told_in_one_line(words, said):
    with pytest.raises((ValueError, TypeError), match=said) as told:
        cap.evaluate(**{**ROWS, **words})
    assert "\n" not in str(told.value)


@pytest.mark.merge
def test_notes_on_limits_that_differ_say_which_number_they_are_about():
    ids = np.arange(N) % 90
    notes = cap.evaluate(BOUGHT, NEW, treatment=ARM, cluster=ids).presentation().notes
    left_out = [note for note in notes if "groups of clusters left out in turn" in note]
    names = ("Uplift of the top 30%: ", "AUTOC: ")
    assert len(left_out) == len(names)
    for note, name in zip(left_out, names, strict=True):
        assert note.startswith(name)
