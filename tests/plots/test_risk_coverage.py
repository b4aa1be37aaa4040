"""The picture of risk and coverage, and the curve that it draws."""

import numpy as np
import pytest
from reading import legend, points

import capcurve as cap
from capcurve.show.format import percent
from cli_calls import call

RNG = np.random.default_rng(5)
RIGHT = (RNG.random(400) < 0.7).astype(int)
SAID = np.round(RNG.normal(size=400) + 1.2 * RIGHT, 1)


def test_the_curve_is_the_selective_risk():
    counts = cap.count_scores(RIGHT, SAID)
    curve = cap.risk_coverage_curve(counts, errors="negatives")
    share = np.linspace(0.02, 1, 50)
    expected = [cap.selective_risk(counts, c, errors="negatives") for c in share]
    assert curve.at(share) == pytest.approx(expected, rel=1e-12)
    of_all = cap.risk_coverage_curve(counts, errors="negatives", generalised=True)
    assert of_all.at(share) == pytest.approx(np.array(expected) * share, rel=1e-12)
    assert of_all.area == pytest.approx(cap.augrc(counts, errors="negatives"), rel=1e-12)
    assert curve.thresholds.tolist() == counts.thresholds.tolist()
    errors = cap.count_scores(1 - RIGHT, SAID, higher_is="negative")
    assert cap.risk_coverage_curve(errors).at(share) == pytest.approx(expected, rel=1e-12)
    assert cap.risk_coverage_curve(errors).thresholds.tolist() == curve.thresholds.tolist()


def test_what_the_picture_shows(ax):
    counts = cap.count_scores(RIGHT, SAID)
    cap.plot_risk_coverage({"said": counts}, ax=ax, errors="negatives", max_risk=0.2)
    x, y = points(ax, "said").T
    found = [cap.selective_risk(counts, c, errors="negatives") for c in x[::40]]
    assert y[::40] == pytest.approx(found)
    sure = cap.certified_cutoff(counts, 0.2, errors="negatives")
    texts = legend(ax)
    assert f"At most 20.0% errors, certified: {percent(sure.coverage)}" in texts
    rate = 1 - RIGHT.mean()
    assert f"Random: {100 * rate:.1f}% errors" in texts
    perfect = points(ax, "Perfect order: all errors last")
    assert perfect[-1] == pytest.approx([1, rate])
    (band,) = ax.collections
    low, high = cap.confidence_interval(counts, "selective_risk", coverage=1, errors="negatives")
    ends = band.get_paths()[0].vertices
    assert np.isclose(ends[ends[:, 0] > 0.999, 1], low).any()
    assert np.isclose(ends[ends[:, 0] > 0.999, 1], high).any()


def test_several_scores_have_no_bands(ax):
    two = {
        "a": cap.count_scores(1 - RIGHT, -SAID),
        "b": cap.count_scores(1 - RIGHT, RNG.random(400)),
    }
    cap.plot_risk_coverage(two, ax=ax)
    assert not ax.collections
    assert {text.split()[0] for text in legend(ax)} >= {"a", "b"}


@pytest.mark.merge
def test_the_command_line_draws_it_and_writes_its_points(tmp_path):
    path, picture = tmp_path / "answers.csv", tmp_path / "risk.svg"
    rows = [f"{y},{s}" for y, s in zip(RIGHT, SAID, strict=True)]
    path.write_text("\n".join(["right,said", *rows]))
    asked = (str(path), "-t", "right", "-s", "said", "--kind", "risk-coverage")
    written = call("curve", *asked, "--errors", "negatives", "-f", "csv")
    last = written.stdout.splitlines()[-1].split(",")
    assert [float(each) for each in last[:2]] == pytest.approx([1, 1 - RIGHT.mean()])
    sure = ("--errors", "negatives", "--max-risk", "0.2")
    drawn = call("plot", *asked, *sure, "-o", str(picture))
    assert drawn.exit_code == 0
    assert "certified" in picture.read_text()
    wrong = call("plot", str(path), "-t", "right", "-s", "said", *sure, "-o", str(picture))
    assert wrong.exit_code == 2
    assert "--errors is for --kind risk-coverage" in wrong.stderr
