"""What PDs promise in summaries, cards, pages and workbooks: asked for, never guessed."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from openpyxl import load_workbook

import capcurve as cap
from capcurve.results.findings import implied_sentence
from capcurve.results.summary import figures

RNG = np.random.default_rng(5)
PD = np.round(RNG.beta(1, 5, 500), 3)
Y = (RNG.random(500) < PD).astype(int)
TOO_WIDE = PD**2 * 3 / (1 - PD**2 + 3 * PD**2)
COUNTS = cap.count_scores(Y, PD)
TEST = cap.implied_accuracy_ratio(COUNTS)


def key_figure(summary):
    found = [f for f in figures(summary) if f.metric == "implied_accuracy_ratio"]
    return found[0] if found else None


def test_nothing_is_guessed():
    for summary in (cap.summarize(COUNTS), cap.evaluate(Y, PD).summaries["score"]):
        assert summary.implied is None
        assert key_figure(summary) is None
        assert summary.to_dict()["implied"] is None
        assert "implied_p" not in summary.to_row()
    assert "implied AR" not in cap.evaluate(Y, PD).to_html()


@pytest.mark.merge
def test_a_summary_has_the_test_and_its_figure():
    summary = cap.summarize(COUNTS, pd="score")
    assert summary.implied == TEST
    figure = key_figure(summary)
    assert figure.text == f"{TEST.estimates['implied']:.3f}"
    low, high = map(float, figure.limits.strip("[]").split(", "))
    half = 1.959963984540054 * TEST.se
    assert (low, high) == pytest.approx(
        (TEST.estimates["implied"] - half, TEST.estimates["implied"] + half), abs=6e-4
    )
    assert figure.note == f"if the PDs are right (p = {TEST.p_value:.3f})"
    assert summary.findings == cap.summarize(COUNTS).findings
    scale = {p: p / 2 for p in COUNTS.thresholds.tolist()}
    halved = cap.summarize(COUNTS, pd=scale, level=0.9).implied
    assert halved == cap.implied_accuracy_ratio(COUNTS, pd=scale, level=0.9)


@pytest.mark.merge
def test_more_than_chance_is_a_finding():
    counts = cap.count_scores(Y, TOO_WIDE)
    below = cap.summarize(counts, pd="score")
    assert below.findings[0].code == "below_implied" or below.findings[0].severity == "error"
    (finding,) = [f for f in below.findings if f.code == "below_implied"]
    assert finding.severity == "warning"
    realised, implied = (below.implied.estimates[name] for name in ("realised", "implied"))
    assert f"is {realised:.3f}, below the {implied:.3f} that" in finding.message
    narrow = {s: 0.5 + s / 100 for s in counts.thresholds.tolist()}
    above = cap.summarize(counts, pd=narrow)
    (finding,) = [f for f in above.findings if f.code == "above_implied"]
    assert finding.severity == "info"
    order = ["error", "warning", "info"]
    places = [order.index(f.severity) for f in above.findings]
    assert places == sorted(places)
    lenient = cap.summarize(counts, pd="score", level=1 - below.implied.p_value / 2)
    assert not [f for f in lenient.findings if f.code == "below_implied"]


def test_below_within_what_correlation_explains_is_no_warning():
    pds = 0.002 * 1.5 ** np.arange(12)[::-1]
    cases = np.full(12, 5000)
    for flatter, severity in ((0.85, "info"), (0.4, "warning")):
        positives = np.rint(cases * pds.mean() * (pds / pds.mean()) ** flatter).astype(int)
        counts = cap.ScoreCounts.from_counts(pds, positives, cases - positives)
        (found,) = [f for f in cap.summarize(counts, pd="score").findings if "below" in f.code]
        assert found.severity == severity
        assert ("asset correlation 12%" in found.message) == (severity == "info")


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("y", "s", "said"),
    [
        ([0, 0, 0], [0.1, 0.2, 0.3], "but one class is missing to test it"),
        ([1, 1], [0.1, 0.2], "but one class is missing to test it"),
        ([1], [0.5], "The PDs imply no accuracy ratio"),
        ([1, 0, 0], [1, 1, 0.5], "The PDs imply no accuracy ratio"),
        ([1, 0], [0.2, 0.2], "The accuracy ratio is 0.000, as the PDs imply (p = 1.000)"),
        (
            [1, 0, 0],
            [0.5, 0.25, 0.1],
            "from the 0.615 that the PDs imply (+0.385, p = 0.433)",
        ),
    ],
)
def test_a_month_that_promises_nothing_stops_no_report(y, s, said):
    summary = cap.summarize(cap.count_scores(y, s), pd="score")
    assert said in implied_sentence(summary.implied)
    json.dumps(summary.to_dict(), allow_nan=False)
    if "no accuracy ratio" in said:
        (finding,) = [f for f in summary.findings if f.code == "implied_undefined"]
        assert finding.message.startswith("there is no implied accuracy ratio: ")
    html = cap.evaluate(cap.count_scores(y, s), pd=True).to_html()
    assert "nan" not in re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL).lower()


@pytest.mark.merge
def test_an_evaluation_asks_for_all_or_for_some():
    scores = {"pd": PD, "wide": TOO_WIDE, "rating": PD * 1000}
    one = cap.evaluate(Y, scores, pd="pd")
    assert [s.implied is not None for s in one.summaries.values()] == [True, False, False]
    two = cap.evaluate(Y, scores, pd=["pd", "wide"], by=["a", "b"] * 250)
    assert [s.implied is not None for s in two.summaries.values()] == [True, True, False]
    part = two.segment_summaries["pd"]["a"]
    assert part.implied == cap.implied_accuracy_ratio(two.segments["pd"]["a"])
    for everything in (True, "score"):
        alone = cap.evaluate(Y, PD, pd=everything).summaries["score"]
        assert alone.implied == TEST
    assert cap.evaluate(Y, PD, pd=False).summaries["score"].implied is None
    named = cap.evaluate(Y, {"score": PD, "other": PD * 1000}, pd="score")
    assert named.summaries["other"].implied is None


def test_what_is_no_pd_is_refused_in_one_line():
    with pytest.raises(ValueError, match=r"that of score \d+(\.\d+)? is"):
        cap.evaluate(Y, PD * 1000, pd=True)
    with pytest.raises(ValueError, match="pd='x' is none of the scores, 'score'"):
        cap.evaluate(Y, PD, pd="x")
    with pytest.raises(ValueError, match="is none of the scores, 'score'; pd takes the name of"):
        cap.evaluate(Y, PD, pd=5)
    with pytest.raises(ValueError, match="pd='x' is none of the scores, 'score'"):
        cap.evaluate(COUNTS, pd="x")
    for odd in ([0.1], np.array([0.1, 0.2]), [["score"]]):
        with pytest.raises(ValueError, match="500 rows"):
            cap.evaluate(Y, PD, pd=odd)
    with pytest.raises(ValueError, match="these are amounts; leave it out"):
        cap.evaluate(amount=Y * 100, score=PD, pd=True)
    with pytest.raises(ValueError, match="needs whole cases"):
        cap.evaluate(Y, PD, weight=PD + 0.5, weight_kind="sampling", pd=True)
    # Nobody gave weights at a horizon, so that none can be left out.
    year = cap.count_times(time=np.arange(1, 501), event=Y, score=PD).at(400)
    for ask in (cap.implied_accuracy_ratio, cap.pd_tests):
        with pytest.raises(ValueError, match="censored rows; observed to expected does: assess_"):
            ask(year)


@pytest.mark.turns(4)
@pytest.mark.parametrize("held", ["columns", "pandas", "polars", "duckdb"])
def test_pds_may_be_a_column_beside_the_scores(held):
    grade = np.digitize(PD, [0.1, 0.25])
    rows = {"y": Y, "grade": grade, "other": PD * 1000, "p": PD}
    if held == "columns":
        asked = {"target": Y, "score": {"grade": grade, "other": PD * 1000}, "pd": PD}
    else:
        data = pd.DataFrame(rows)
        if held == "polars":
            data = pytest.importorskip("polars").DataFrame(rows)
        if held == "duckdb":
            data = pytest.importorskip("duckdb").from_df(data)
        asked = {"target": "y", "score": ["grade", "other"], "data": data, "pd": "p"}
    found = cap.evaluate(**asked)
    assert list(found.summaries) == ["grade", "other"]
    calibration = found.summaries["grade"].calibration
    assert calibration.observed_to_expected.estimate == pytest.approx(Y.sum() / PD.sum())
    joint = cap.count_joint(Y, {"grade": grade, "p": PD})
    own = cap.assess_calibration(joint, pd="p", score="grade")
    assert calibration.to_dict() == own.to_dict()
    assert found.summaries["other"].implied.estimate == pytest.approx(0, abs=0.2)
    assert [pair.name for pair in found.comparison.pairs] == ["grade minus other"]


def test_a_row_without_its_pd_is_left_out_of_everything():
    lacking = PD.copy()
    lacking[:3] = np.nan
    found = cap.evaluate(Y, PD * 1000, pd=lacking, missing="drop").summaries["score"]
    assert (found.n, found.dropped["columns"]) == (497, {"pd": 3})
    observed = found.calibration.observed_to_expected.estimate
    assert observed == pytest.approx(Y[3:].sum() / PD[3:].sum())
    with pytest.raises(ValueError, match="pd is missing"):
        cap.evaluate(Y, PD * 1000, pd=lacking)


@pytest.mark.merge
def test_page_card_and_workbook_show_it(tmp_path):
    found = cap.evaluate(Y, PD, pd=True)
    sentence = implied_sentence(TEST)
    for shown in (found.to_html(), found._repr_html_()):
        assert sentence in shown.replace("\N{NO-BREAK SPACE}", " ")
    assert "<dt>implied AR</dt>" in found.to_html()
    assert ">implied accuracy ratio<" in found._repr_html_()
    found.save(tmp_path / "x.xlsx")
    rows = load_workbook(tmp_path / "x.xlsx").worksheets[0].iter_rows(values_only=True)
    (row,) = [row for row in rows if row[0] == "implied accuracy ratio"]
    assert row[2] == pytest.approx(TEST.estimates["implied"])
    assert row[3] == pytest.approx(TEST.estimates["implied"] - (TEST.high - TEST.low) / 2)
