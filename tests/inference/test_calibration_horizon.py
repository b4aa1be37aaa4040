"""PDs against what came by a horizon: observed to expected where rows are censored."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap
from cli_calls import done, refused

# At 8 the survival is 3/4 · 1/2, so that 2.5 of 4 rows have the event; the PDs add up to 1.2.
ROWS = {"time": [3, 5, 8, 8], "event": [1, 0, 1, 0]}
PDS = [0.5, 0.1, 0.4, 0.2]
GRADES = ["C", "A", "B", "B"]
WITHIN = cap.count_times(**ROWS, score=PDS).at(8)


def test_the_incidence_stands_beside_the_pds_of_all_rows():
    assert cap.observed_to_expected(WITHIN) == pytest.approx(2.5 / 1.2, rel=1e-14)
    graded = cap.count_times(**ROWS, score=GRADES, levels=["C", "B", "A"]).at(8)
    # The only row of A is censored, and counts among the expected: 0.5 + 0.1 + 0.3 + 0.3.
    found = cap.observed_to_expected(graded, pd={"A": 0.1, "B": 0.3, "C": 0.5})
    assert found == pytest.approx(2.5 / 1.2, rel=1e-14)
    joint = cap.count_joint_times(**ROWS, scores={"s": [9, 5, 7, 2], "p": PDS}).at(8)
    assert cap.observed_to_expected(joint, pd="p") == pytest.approx(2.5 / 1.2, rel=1e-14)


def followed(size, *, seed=3, factor=1.0, **more):
    rng = np.random.default_rng(seed)
    pd = 1 / (1 + np.exp(2.2 - rng.normal(size=size)))
    time = rng.exponential(-1 / np.log(1 - np.minimum(factor * pd, 0.99)))
    end = np.minimum(rng.exponential(1 / 0.7, size), 3.0)
    more = {name: rng.integers(0, most, size) for name, most in more.items()}
    return cap.count_times(np.minimum(time, end), time <= end, pd.round(3), **more).at(1)


@pytest.mark.parametrize("more", [{}, {"stratum": 3}, {"cluster": 60}])
def test_limits_are_those_of_the_incidence_over_the_mean_pd(more):
    counts = followed(400, **more)
    times = counts.times
    mean = float(times.score @ times.cases) / times.n
    found = cap.confidence_interval(counts, "observed_to_expected", level=0.9)
    rate = cap.confidence_interval(counts, "prevalence", level=0.9)
    assert (found.low, found.estimate, found.high, found.se) == pytest.approx(
        (rate.low / mean, rate.estimate / mean, rate.high / mean, rate.se / mean)
    )
    scale = {pd: 2 * pd for pd in np.unique(times.score).tolist() if pd <= 0.5}
    scale |= {pd: 1.0 for pd in np.unique(times.score).tolist() if pd > 0.5}
    doubled = cap.confidence_interval(counts, "observed_to_expected", pd=scale, level=0.9)
    mean = float(np.minimum(2 * times.score, 1.0) @ times.cases) / times.n
    assert doubled.high == pytest.approx(rate.high / mean)


@pytest.mark.turns(2)
@pytest.mark.parametrize("factor", [1.0, 1.5])
def test_limits_contain_what_is_true(factor):
    contained = 0
    for seed in range(100):
        counts = followed(500, seed=seed, factor=factor)
        found = cap.confidence_interval(counts, "observed_to_expected")
        contained += found.low <= factor <= found.high
    assert contained >= 90


def test_all_else_is_left_out_with_one_note():
    found = cap.assess_calibration(followed(2000, factor=1.5))
    assert found.brier_score is found.decomposition is found.recalibration is found.grades is None
    assert found.observed_to_expected.low > 1
    assert [each.code for each in found.findings] == ["pds_too_low", "pds_and_censoring"]
    (row,) = found.to_frame("pandas").to_dict("records")
    assert row["positives"] / row["expected"] == found.observed_to_expected.estimate
    (said,) = found.presentation().sentences
    assert said.endswith(", more than chance explains.")
    with pytest.raises(ValueError, match="leave out bins, thresholds and asset_correlation"):
        cap.assess_calibration(WITHIN, thresholds=[0.1])
    for name in ("brier_score", "log_loss"):
        limits = cap.confidence_interval(WITHIN, name)
        assert limits.low < limits.estimate < limits.high
    with pytest.raises(ValueError, match="tests of PDs, which do not allow for censored rows"):
        cap.validate(WITHIN, pd="score")


def test_where_nobody_is_censored_before_all_is_known():
    assert cap.assess_calibration(cap.count_times(**ROWS, score=PDS).at(4)).brier_score is not None


def test_pds_count_rows_whose_event_cannot_come_any_more():
    rows = {"time": [3, 5, 8, 8], "event": [1, 0, 2, 0], "score": PDS}
    times = cap.count_times(**rows)
    # Aalen and Johansen: 1/4 by then, and the row with the competing event has a PD too.
    assert cap.observed_to_expected(times.at(8)) == pytest.approx(1 / 1.2)
    with pytest.raises(ValueError, match='competing="excluded" leaves out those'):
        cap.observed_to_expected(times.at(8, competing="excluded"))
    alike = cap.count_times(**ROWS, score=PDS).at(8, competing="excluded")
    assert cap.observed_to_expected(alike) == pytest.approx(2.5 / 1.2)


@pytest.fixture(autouse=True)
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {**ROWS, "p": PDS, "g": GRADES, "s": [9, 5, 7, 2]}
    with Path("rows.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    return columns


ASKED = ("rows.csv", "--time", "time", "--event", "event", "--horizon", "8")


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    "words",
    [
        ("-s", "p", "--pd", "p"),
        ("-s", "s", "--pd", "p"),
        ("-s", "g", "--levels", "C,B,A", "--pd", "p"),
        ("-s", "g", "--levels", "C,B,A", "--grade-pd", "A=0.1,B=0.3,C=0.5"),
    ],
)
@pytest.mark.parametrize("name", ["summary", "report", "calibration", "check"])
def test_every_command_has_the_number(name, words):
    more = {"report": ("-o", "r.json"), "check": ("--max-oe", "9")}.get(name, ())
    text = done(name, *ASKED, *words, *more, *(() if name == "report" else ("-f", "json"))).stdout
    found = json.loads(Path("r.json").read_text() if name == "report" else text)
    if name in ("summary", "report"):
        assert found["scores"][0]["implied"] is None
        found = found["scores"][0]["calibration"]
    found = found["checks"][0] if name == "check" else found["observed_to_expected"]
    assert found["estimate"] == pytest.approx(2.5 / 1.2)


def test_evaluate_takes_a_column_of_pds_at_a_horizon(rows):
    timed = {"time": "time", "event": "event", "data": rows}
    asked = {**timed, "score": "s", "horizon": 8, "pd": "p"}
    found = cap.evaluate(**asked).summaries["s"].calibration
    assert found.observed_to_expected.estimate == pytest.approx(2.5 / 1.2)
    columns = {**ROWS, "score": rows["s"], "horizon": 8, "pd": PDS}
    same = cap.evaluate(**columns).summaries["score"].calibration
    assert same.to_dict() == found.to_dict()
    with pytest.raises(ValueError, match="pd= is for one horizon"):
        cap.evaluate(**{**asked, "horizon": [3, 8]})
    with pytest.raises(ValueError, match="one score at a horizon"):
        cap.evaluate(**{**asked, "score": ["s", "time"]})
    said = refused("summary", *ASKED, "-s", "s", "-s", "event", "--pd", "p")
    assert (
        said == "--pd in a column beside the score is for one score at a horizon; pass one --score"
    )
    said = refused("summary", *ASKED, "-s", "s", "--pd", "s")
    assert "a PD is in [0, 1]" in said
