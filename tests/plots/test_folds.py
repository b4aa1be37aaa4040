"""The mean of the curves of folds, and the band over them."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from reading import legend
from scipy.stats import t

import capcurve as cap
from capcurve.inference.curve_band import MOST_BAND_PLACES, fold_band

# Of the first two of four cases these hold 2, 1 and 0 of 2 positives.
LABELS = ([1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1])
FOLDS = {f"fold {k}": cap.count_scores(y, [4, 3, 2, 1]) for k, y in enumerate(LABELS, 1)}


def shaded(ax):
    (band,) = ax.collections
    return band.get_paths()[0].vertices


def test_the_mean_and_the_band_by_hand(ax):
    cap.plot_cap(FOLDS, mean=True, ax=ax)
    mean = ax.lines[0].get_xydata()
    np.testing.assert_allclose(mean[:, 0], [0, 0.25, 0.5, 0.75, 1], rtol=1e-15)
    np.testing.assert_allclose(mean[:, 1], [0, 1 / 3, 1 / 2, 5 / 6, 1], rtol=1e-12)
    # At 75% they hold 1, 1 and 1/2: s² = 1/12, so s/√3 = 1/6. At half, 1, 1/2 and 0: s = 1/2.
    low = 5 / 6 - t.ppf(0.975, 2) / 6
    edges = shaded(ax)
    assert np.isclose(edges[np.isclose(edges[:, 0], 0.75), 1].min(), low)
    heights = edges[np.isclose(edges[:, 0], 0.5), 1]
    assert (heights.min(), heights.max()) == (0, 1)
    assert [text for text in legend(ax) if "fold" in text or "band" in text] == [
        "Mean of 3 folds  AR 0.167",
        "Each fold  AR −1.000 to 1.000",
        "95% band of the mean",
    ]
    each = [line for line in ax.lines if line.get_alpha() == 0.6]
    assert len(each) == 3


def test_the_mean_roc_rises_where_folds_do_and_its_area_is_their_mean_auc():
    rng = np.random.default_rng(3)
    folds = {}
    for k in range(4):
        y = rng.random(30) < 0.4
        folds[k] = cap.count_scores(y, y + 2 * rng.random(30).round(1))
    x, y = cap.plot_roc(folds, mean=True).lines[0].get_data()
    assert (np.diff(x) == 0).any()
    area = float((np.diff(x) * (y[1:] + y[:-1])).sum() / 2)
    assert np.isclose(area, np.mean([cap.roc_auc(each) for each in folds.values()]), rtol=1e-12)
    x, y = cap.plot_roc(FOLDS, mean=True).lines[0].get_data()
    np.testing.assert_allclose(np.column_stack([x, y])[:2], [[0, 0], [0, 1 / 2]])


def test_many_places_are_thinned_to_those_that_one_can_see():
    x = np.linspace(0, 1, 5000)
    band = fold_band([(x, x**power) for power in (0.5, 1.0, 1.5)])
    assert len(band.q) == MOST_BAND_PLACES
    expected = np.mean([x**power for power in (0.5, 1.0, 1.5)], axis=0)
    np.testing.assert_allclose(np.interp(x, band.q, band.estimate), expected, atol=0.005)
    assert (band.q[0], band.q[-1]) == (0, 1)


def test_the_level_and_the_look_are_as_wished(ax):
    cap.plot_cap(FOLDS, mean=True, interval=0.5, color="red", label="mine", ax=ax, linestyle=":")
    assert {"mine", "50% band of the mean"} < set(legend(ax))
    assert (ax.lines[0].get_color(), ax.lines[0].get_linestyle()) == ("#ff0000ff", ":")
    assert ax.lines[1].get_linestyle() == "-"
    low = 5 / 6 - t.ppf(0.75, 2) / 6
    edges = shaded(ax)
    assert np.isclose(edges[np.isclose(edges[:, 0], 0.75), 1].min(), low)
    assert not cap.plot_cap(FOLDS, mean=True, interval=None).collections


def test_amounts_have_a_mean_too():
    folds = {k: cap.count_values(np.roll([8, 4, 2, 0], k), [4, 3, 2, 1]) for k in range(3)}
    x, y = cap.plot_cap(folds, mean=True).lines[0].get_data()
    # The first half of the cases holds 12, 8 and 2 of 14.
    assert np.isclose(np.interp(0.5, x, y), 22 / 42)


@pytest.mark.parametrize(
    ("draw", "how", "found"),
    [
        (cap.plot_cap, {"q": 0.1}, "leave out q"),
        (cap.plot_cap, {"band": True}, "leave out band"),
        (cap.plot_cap, {"absolute": True}, "leave out absolute"),
        (cap.plot_cap, {"interval": 95}, "interval"),
        (cap.plot_roc, {"points": True}, "leave out points"),
        (cap.plot_roc, {"best": "youden"}, "leave out best"),
    ],
)
def test_what_a_mean_does_not_have_is_refused(draw, how, found):
    with pytest.raises(ValueError, match=found):
        draw(FOLDS, mean=True, **how)
    assert plt.get_fignums() == []


def test_fewer_than_three_folds_are_refused():
    two = {name: FOLDS[name] for name in ("fold 1", "fold 2")}
    for few, size in ((two, 2), (FOLDS["fold 1"], 1)):
        with pytest.raises(ValueError, match=f"3 or more folds, got {size}"):
            cap.plot_cap(few, mean=True)
    assert plt.get_fignums() == []
