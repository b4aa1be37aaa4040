"""Risks of amounts: what rows in the order of their scores have, at any coverage, with limits."""

import numpy as np
import pytest

import capcurve as cap

RNG = np.random.default_rng(3)
N = 150
SCORE = RNG.integers(0, 12, N)
LOSS = np.where(RNG.random(N) < 0.4, RNG.lognormal(0, 1, N) * (1 + SCORE / 6), 0.0)
YEARS = RNG.uniform(0.5, 2, N).round(1)
NUMBERS = {"aurc": {}, "excess_aurc": {}, "augrc": {}, "selective_risk": {"coverage": 0.6}}


def mean_over_orders(loss, score, orders=4000):
    rng, found = np.random.default_rng(1), []
    for _ in range(orders):
        order = np.lexsort((rng.random(len(loss)), score))
        found.append((np.cumsum(loss[order]) / np.arange(1, len(loss) + 1)).mean())
    return np.mean(found), np.std(found) / np.sqrt(orders)


def test_the_area_is_the_mean_over_all_orders_inside_ties():
    expected, se = mean_over_orders(LOSS, SCORE)
    assert cap.aurc(cap.count_values(LOSS, SCORE)) == pytest.approx(expected, abs=4 * se)
    best = (np.cumsum(np.sort(LOSS)) / np.arange(1, N + 1)).mean()
    excess = cap.excess_aurc(cap.count_values(LOSS, SCORE))
    assert excess == pytest.approx(cap.aurc(cap.count_values(LOSS, SCORE)) - best)
    assert cap.excess_aurc(cap.count_values(LOSS, LOSS)) == pytest.approx(0, abs=1e-12)


def test_risks_are_means_of_the_surest_and_integrate_to_the_augrc():
    values = cap.count_values(LOSS, SCORE, exposure=YEARS)
    safe = SCORE <= 4
    coverage = YEARS[safe].sum() / YEARS.sum()
    expected = LOSS[safe].sum() / YEARS[safe].sum()
    assert cap.selective_risk(values, coverage) == pytest.approx(expected)
    assert cap.selective_risk(values, 1) == pytest.approx(LOSS.sum() / YEARS.sum())
    share = (np.arange(400) + 0.5) / 400
    risks = [cap.selective_risk(values, c, generalised=True) for c in share]
    assert cap.augrc(values) == pytest.approx(np.mean(risks), rel=1e-4)


@pytest.mark.parametrize("name", NUMBERS)
def test_amounts_of_one_size_are_classes_and_units_scale(name):
    asked, failed = NUMBERS[name], (LOSS > 0).astype(int)
    classes, ones = cap.count_scores(failed, SCORE), cap.count_values(failed, SCORE)
    threes = cap.count_values(3 * failed, SCORE, exposure=np.full(N, 2))
    function, limits = getattr(cap, name), cap.confidence_interval(classes, name, **asked)
    assert function(ones, **asked) == pytest.approx(function(classes, **asked))
    assert cap.confidence_interval(ones, name, **asked).limits == pytest.approx(limits.limits)
    scaled = cap.confidence_interval(threes, name, **asked)
    assert np.array(scaled.limits) / 1.5 == pytest.approx(limits.limits)
    huge = cap.count_values(LOSS * 1e300, SCORE, exposure=YEARS)
    usual = cap.count_values(LOSS, SCORE, exposure=YEARS)
    found, own = (cap.confidence_interval(v, name, **asked) for v in (huge, usual))
    assert found.estimate / 1e300 == pytest.approx(own.estimate)
    assert np.array(found.limits) / 1e300 == pytest.approx(own.limits)


@pytest.mark.turns(4)
@pytest.mark.parametrize("exposure", [{}, {"exposure": YEARS}], ids=["rows", "exposure"])
@pytest.mark.parametrize("name", NUMBERS)
def test_standard_errors_are_those_of_leaving_out_each_row(name, exposure):
    asked, rows = NUMBERS[name], np.arange(N)
    values = cap.count_values(LOSS, SCORE, **exposure)

    def without(place):
        kept = rows != place
        some = {key: column[kept] for key, column in exposure.items()}
        return getattr(cap, name)(cap.count_values(LOSS[kept], SCORE[kept], **some), **asked)

    left = np.array([without(place) for place in rows])
    expected = np.sqrt((N - 1) / N * ((left - left.mean()) ** 2).sum())
    found = cap.confidence_interval(values, name, **asked)
    # The place of a risk moves at the slope of the majorant, which may be steeper.
    most = 0.25 if name == "selective_risk" else 0.03
    assert expected * 0.97 < found.se < expected * (1 + most)
    assert 0 <= found.low < found.estimate < found.high
    clustered = cap.count_values(LOSS, SCORE, cluster=rows // 2, **exposure)
    left_out = cap.confidence_interval(clustered, name, **asked)
    assert left_out.method == "jackknife"
    assert left_out.se == pytest.approx(found.se, rel=0.35)


def test_what_amounts_do_not_have_is_refused():
    values = cap.count_values(LOSS, SCORE)
    for asked, said in (
        ({"errors": "negatives"}, "errors= is for positives and negatives"),
        ({}, "some amounts are below zero"),
    ):
        some = values if asked else cap.count_values(LOSS - 1, SCORE)
        for name, more in NUMBERS.items():
            with pytest.raises(ValueError, match=said):
                getattr(cap, name)(some, **asked, **more)
    with pytest.raises(cap.NotHeldError):
        cap.excess_aurc(values.by_score())
    assert cap.aurc(values.by_score()) == cap.aurc(values)


def test_limits_beyond_floats_are_refused_in_one_line():
    values = cap.count_values(
        [5e-324, 0, 0, 0, 5e-324],
        [0, 0, 0, 0.25, 0],
        exposure=[1, 5e-324, 5e-324, 2.5e307, 5e-324],
    )
    said = r"^the limits of aurc are beyond what a float holds; give amounts and exposures in units"
    with pytest.raises(ValueError, match=said):
        cap.confidence_interval(values, "aurc")


def test_risk_coverage_areas_of_amounts_allow_for_large_rows_among_the_surest():
    # Ten amounts of 1 and ten of 3, least sure of 200: κ is 40²/100 = 16, the mean 0.2.
    amounts, scores = [0.0] * 180 + [1.0, 3.0] * 10, np.arange(200.0)
    values = cap.count_values(amounts, scores)
    share = 1 - 0.0625 ** (1 / 16)
    for name in ("aurc", "excess_aurc"):
        found = cap.confidence_interval(values, name)
        more = share * (0.2 * (1 - np.log(share * 20 / 200)) - cap.aurc(values))
        assert found.high == pytest.approx(found.estimate + more, rel=1e-12)
        assert any("15.9% of the amount that rank first of all" in note for note in found.notes)
        alone = cap.confidence_interval(values, name, method="wald")
        assert alone.high < found.high
        assert cap.confidence_interval(values, name, side="upper").high == found.high
    # Equal amounts are classes, whose own rule says nearly the same.
    equal = cap.count_values(np.sign(amounts) * 2.0, scores)
    share = 1 - 0.0625**0.05
    more = share * (0.2 * (1 - np.log(share * 20 / 200)) - cap.aurc(equal))
    found = cap.confidence_interval(equal, "aurc")
    assert found.high == pytest.approx(found.estimate + more, rel=0.02)


def test_amounts_that_are_nearly_one_size_have_no_endless_limits():
    # The mean of the surest is next to nothing beside its standard error, so that the limits on
    # the scale of the logarithm ran to 3e11; those of the two classes end at 0.16.
    rng = np.random.default_rng(1)
    scores = np.r_[rng.normal(size=8) + 2, rng.normal(size=31)]
    amounts = np.r_[1.0001, np.ones(7), np.zeros(31)]
    found = cap.confidence_interval(
        cap.count_values(amounts, scores), "selective_risk", coverage=0.7
    )
    assert found.low == 0
    assert 0.16 < found.high < 0.3
