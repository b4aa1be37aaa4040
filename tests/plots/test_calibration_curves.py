"""The pictures of PDs: reliability and decision curve."""

import numpy as np
import pytest

import capcurve as cap

RNG = np.random.default_rng(4)
P = np.round(RNG.beta(1, 6, 2000), 3)
Y = (RNG.random(2000) < P).astype(int)
COUNTS = cap.count_scores(Y, P)


def lines_of(ax):
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def test_reliability_draws_what_the_table_holds(ax):
    table = cap.calibration_table(COUNTS, bins=5)
    assert cap.plot_calibration(COUNTS, bins=5, ax=ax) is ax
    lines = lines_of(ax)
    points = lines["Observed rate with 95% interval"]
    assert points[:, 0] == pytest.approx(table["pd"][::-1])
    assert points[:, 1] == pytest.approx(table["rate"][::-1])
    steps = lines["Recalibrated"]
    assert (np.diff(steps[:, 1]) >= 0).all()
    assert {*np.round(steps[:, 1], 9)} == {*np.round(table["recalibrated"], 9)}
    assert np.ptp(lines["Perfect calibration"], axis=1) == pytest.approx(0)
    assert not ax.patches  # bins of as many cases each, which need no bars of cases
    assert ax.get_xlim()[1] == pytest.approx(1.05 * table["pd"].max())


def test_bins_of_unequal_size_show_how_many_cases_each_has(ax):
    counts = cap.ScoreCounts.from_counts([0.3, 0.1, 0.02], [30, 10, 2], [70, 90, 598])
    cap.plot_calibration(counts, bins="score", ax=ax)
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == pytest.approx(np.array([600, 100, 100]) / 600 * max(heights))


def test_decision_curve_draws_the_model_all_and_none(ax):
    table = cap.decision_curve(COUNTS, [0.05, 0.1, 0.2, 0.3])
    cap.plot_decision_curve(COUNTS, [0.05, 0.1, 0.2, 0.3], ax=ax)
    lines = lines_of(ax)
    assert lines["Using the PDs"][:, 1] == pytest.approx(table["net_benefit"])
    assert lines["Act on no one"][:, 1].tolist() == [0, 0]
    all_of_them = lines["Act on everyone"]  # as far as it is in the picture
    assert (np.diff(all_of_them[:, 1]) < 0).all()
    assert all_of_them[:, 1] == pytest.approx(table["treat_all"][: len(all_of_them)])
    (band,) = ax.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(table["high"].max())


def test_several_models_share_the_axes(ax):
    cap.plot_decision_curve(Y, {"right": P, "flat": P**2}, ax=ax)
    assert {"right", "flat", "Act on everyone", "Act on no one"} <= {*lines_of(ax)}
    assert not ax.collections


def test_grades_have_their_pds_beside_them(ax):
    grade = np.digitize(P, [0.05, 0.2])
    cap.plot_calibration(Y, grade, pd={0: 0.02, 1: 0.1, 2: 0.3}, bins="score", ax=ax)
    assert lines_of(ax)["Observed rate with 95% interval"][:, 0].tolist() == [0.02, 0.1, 0.3]
