"""Scores of 32 bits and the decimals they were written from give the same numbers everywhere."""

import contextlib
import math
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import capcurve as cap
from capcurve import write_counts
from capcurve.show.format import cutoff_text

DECIMALS = st.integers(1, 999).map(lambda k: k / 1000)
WIDTHS = [np.float32, np.float16]
NEAR = [0.0, 1e-10, -1e-10]
DIRECTIONS = st.sampled_from(["positive", "negative"])


def rows(least=4):
    return st.lists(st.tuples(st.integers(0, 1), DECIMALS), min_size=least, max_size=40).filter(
        lambda found: len({y for y, _ in found}) > 1
    )


def both(data, dtype=np.float32, **options):
    """Count rows as they were written, and as a narrow column holds them."""
    y, s = zip(*data, strict=True)
    return cap.count_scores(y, s, **options), cap.count_scores(y, np.array(s, dtype), **options)


@given(rows(), DECIMALS, DIRECTIONS)
def test_a_cut_off_selects_the_same_cases(data, cut, higher_is):
    wide, narrow = both(data, higher_is=higher_is)
    one, other = (cap.operating_point(counts, threshold=cut) for counts in (wide, narrow))
    assert (one.tp, one.fp) == (other.tp, other.fp)
    one, other = (cap.gains_table(counts, bins=[cut]) for counts in (wide, narrow))
    assert one["n"].tolist() == other["n"].tolist()
    scale = cap.master_scale([cut])
    graded = both(data, higher_is=higher_is, levels=scale)
    assert graded[0] == graded[1]


@given(rows(), st.lists(DECIMALS, min_size=1, max_size=2))
def test_net_benefits_are_those_of_the_decimals(data, cuts):
    wide, narrow = both(data)
    for cut in cuts:
        expected = cap.net_benefit(wide, cut)
        assert cap.net_benefit(narrow, cut) == pytest.approx(expected, abs=1e-12)
        limits = [cap.confidence_interval(c, "net_benefit", threshold=cut) for c in (wide, narrow)]
        assert limits[1].low == pytest.approx(limits[0].low, abs=1e-9)
    curves = [cap.decision_curve(counts, cuts) for counts in (wide, narrow)]
    assert curves[0]["selected"].tolist() == pytest.approx(curves[1]["selected"].tolist())
    usual = [cap.decision_curve(counts)["threshold"] for counts in (wide, narrow)]
    assert usual[0].tolist() == pytest.approx(usual[1].tolist())


@given(rows(), rows(), DIRECTIONS, st.sampled_from([None, 3, "score", [0.25, 0.7]]))
def test_the_stability_of_two_samples_is_that_of_the_decimals(before, after, higher_is, bins):
    (one, narrow), (other, again) = (both(data, higher_is=higher_is) for data in (before, after))
    expected = cap.population_stability(one, other, bins=bins)
    for first, second in ((narrow, again), (one, again), (narrow, other)):
        found = cap.population_stability(first, second, bins=bins)
        assert found.table["before"].tolist() == expected.table["before"].tolist()
        assert found.table["after"].tolist() == expected.table["after"].tolist()
        assert (found.psi, found.psi_half, found.p_value) == (
            expected.psi,
            expected.psi_half,
            expected.p_value,
        )


@pytest.mark.parametrize("dtype", WIDTHS)
@given(one=rows(), other=rows())
def test_shards_of_any_width_have_as_many_scores_as_the_decimals(dtype, one, other):
    (a, narrow), (b, short) = both(one, dtype), both(other, dtype)
    expected = a + b
    for parts in ([narrow, b], [b, narrow], [a, short], [narrow, short]):
        total = cap.ScoreCounts.merge(parts)
        assert len(total) == len(expected)
        assert total.positives.tolist() == expected.positives.tolist()
        assert total == cap.ScoreCounts.merge(parts[::-1])
    assert (narrow + b) - short == narrow
    assert (narrow + b) + a == narrow + (b + a)


# Halfway between two scores of 16 bits, or as near to it as 64 bits come.
HALFWAY = st.builds(
    lambda k, moved: (k + 0.5) * 2.0**-11 + moved, st.integers(1024, 2046), st.sampled_from(NEAR)
)


@given(
    st.lists(st.lists(DECIMALS | HALFWAY, min_size=1, max_size=4), min_size=3, max_size=3),
    st.permutations([np.float64, np.float32, np.float16]),
)
def test_three_widths_meet_in_one_way_or_are_refused(samples, dtypes):
    a, b, c = (
        cap.count_scores([1, *[0] * len(s)], np.array([*s, 2.0], dtype))
        for s, dtype in zip(samples, dtypes, strict=True)
    )
    found = []
    for meets in (
        lambda: cap.ScoreCounts.merge([a, b, c]),
        lambda: (a + b) + c,
        lambda: a + (b + c),
        lambda: (a + c) + b,
    ):
        with contextlib.suppress(ValueError):
            found.append(meets())
    assert all(each == found[0] for each in found)


def test_scores_that_may_have_been_rounded_are_not_rounded_again_halfway():
    one = cap.count_scores([1, 0], [0.69995117187, 0.5])
    two, three = (cap.count_scores([1, 0], np.array([0.25, 0.5], d)) for d in WIDTHS)
    assert one + (two + three) == (one + three) + two
    said = r"float16 and float32 do not meet: 0\.6999512 is halfway between two scores in float16;"
    with pytest.raises(ValueError, match=said):
        (one + two) + three


def test_clustered_and_weighted_shards_meet_too():
    rng = np.random.default_rng(1)
    y, s = rng.integers(0, 2, 400), rng.integers(1, 60, 400) / 100
    for options in (
        {"cluster": rng.integers(0, 90, 400)},
        {"weight": rng.integers(1, 4, 400) * 0.5, "weight_kind": "sampling"},
    ):

        def shard(scores, picked, options=options):
            held = {name: v if isinstance(v, str) else v[picked] for name, v in options.items()}
            return cap.count_scores(y[picked], scores[picked], **held)

        halves = slice(0, 200), slice(200, None)
        whole = shard(s, halves[0]) + shard(s, halves[1])
        mixed = shard(s.astype(np.float32), halves[0]) + shard(s, halves[1])
        assert len(mixed) == len(whole)
        for metric in ("accuracy_ratio", "average_precision"):
            one, two = (cap.confidence_interval(c, metric) for c in (whole, mixed))
            assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-12)


def test_times_trials_values_and_joint_counts_meet():
    y, s, t, a = [1, 0, 1, 0], [0.7, 0.1, 0.3, 0.7], [1, 0, 0, 1], [5.0, 0.0, 2.0, 0.0]
    narrow = np.array(s, np.float32)
    makers = {
        "times": lambda x: cap.count_times(time=[1, 2, 3, 4], event=y, score=x),
        "trials": lambda x: cap.count_uplift(y, t, x),
        "values": lambda x: cap.count_values(a, x),
        "joint": lambda x: cap.count_joint(y, {"s": x, "one": [1, 2, 1, 2]}),
        "cases": cap.count_cases,
        "joint values": lambda x: cap.count_joint_values(a, {"s": x, "one": [1, 2, 1, 2]}),
    }
    for make in makers.values():
        mixed, alike = make(narrow) + make(s), make(narrow) + make(narrow)
        assert mixed == alike
        assert make(s) + make(narrow) == alike


def test_scores_that_one_type_does_not_keep_apart_are_refused():
    near = cap.count_scores([1, 0], [0.7, 0.700000000001])
    short = cap.count_scores([1, 0], np.array([0.7, 0.1], np.float32))
    said = (
        r"scores of types float32 and float64 do not meet: 0\.7 and 0\.700000000001 are one score "
        r"in float32; cast them to one type before counting, or count with resolution="
    )
    for meets in (lambda: near + short, lambda: short - near, lambda: cap.psi(short, near)):
        with pytest.raises(ValueError, match=said):
            meets()
    huge = cap.count_scores([1, 0], [1e300, 0.5])
    with pytest.raises(ValueError, match="a score is beyond the largest float32"):
        huge + short
    rows = [0.7, 0.1], np.array([0.7, 0.1], np.float32)
    floored = [cap.count_scores([1, 0], each, resolution=1e-4) for each in rows]
    assert len(floored[0] + floored[1]) == 2


@given(st.lists(st.integers(-10_000, 10_000), min_size=2, max_size=30), st.integers(1, 4))
def test_a_grid_has_the_cells_of_the_decimals(parts, digits):
    s = np.array(parts) / 10**digits
    y = np.arange(len(s)) % 2
    resolution = 10.0**-digits
    wide = cap.count_scores(y, s, resolution=resolution)
    narrow = s.astype(np.float32)
    assert cap.count_scores(y, narrow, resolution=resolution) == wide
    lazy = pl.DataFrame({"y": y, "s": narrow}).lazy()
    assert cap.count_scores("y", "s", data=lazy, resolution=resolution) == wide
    amounts = [cap.count_values(y * 1.0, each, resolution=resolution) for each in (s, narrow)]
    assert amounts[0] == amounts[1]


def test_whole_scores_meet_numbers_as_they_are():
    counts = cap.count_scores([1, 0, 1, 0], np.array([0, 1, 2, 3], np.int8))
    assert cap.operating_point(counts, threshold=0.5).q == 0.75
    assert cap.gains_table(counts, bins=[1.5])["n"].tolist() == [2, 2]


def test_pds_by_grade_meet_scores_and_are_met_by_thresholds():
    wide, narrow = both([(1, 0.7), (0, 0.1), (0, 0.3), (1, 0.7)])
    pds = {0.7: 0.5, 0.3: 0.2, 0.1: 0.1}
    assert cap.brier_score(narrow, pd=pds) == cap.brier_score(wide, pd=pds)
    for given_pd in (np.array([0.7, 0.2, 0.1], np.float32), [0.7, 0.2, 0.1]):
        assert cap.net_benefit(wide, 0.7, pd=given_pd) == 0.5


def test_a_migration_between_two_widths_keeps_who_stays():
    start = np.array([0.1, 0.7, 0.3, 0.7])
    joint = cap.count_joint([0, 1, 0, 1], {"then": start, "now": start.astype(np.float32)})
    moved = cap.migration_table(joint, "then", "now")
    assert len(moved.table) == 3
    assert moved.cells["n"].sum() == 0


@pytest.mark.parametrize("dtype", WIDTHS)
def test_a_narrow_cut_off_is_written_in_few_digits_and_typed_back(dtype):
    rng = np.random.default_rng(2)
    s = rng.random(300).astype(dtype)
    counts = cap.count_scores(rng.integers(0, 2, 300), s)
    found = cap.summarize(counts)
    text = cutoff_text(found.ks.threshold)
    assert text == str(dtype(found.ks.threshold))
    assert f"score ≥ {text}" in found.to_text()
    assert cap.operating_point(counts, threshold=float(text)).threshold == found.ks.threshold
    scale = cap.design_grades(counts, 4, splits=0)
    assert (scale.apply(s) == scale.apply(s.astype(str).astype(float))).all()
    assert math.isclose(scale.table["n"].sum(), 300)


def test_numbers_name_grades_of_any_width():
    s, levels = [0.7, 0.1, 0.3, 0.7], [0.7, 0.3, 0.1]
    y = [1, 0, 0, 1]
    wide = cap.count_scores(y, s, levels=levels)
    assert cap.count_scores(y, np.array(s, np.float32), levels=levels) == wide
    gone = pl.Series([0.7, None, 0.3, 0.7], dtype=pl.Float32)
    assert cap.count_scores(y, gone, levels=levels, missing="drop").n == 3


def test_files_of_two_widths_have_the_scores_of_the_decimals(tmp_path):
    rng = np.random.default_rng(3)
    rows = {"y": rng.integers(0, 2, 60), "s": rng.integers(1, 9, 60) / 10}
    single = {**rows, "s": rows["s"].astype(np.float32)}
    pl.DataFrame(single).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame(rows).write_csv(tmp_path / "b.csv")
    both_files = [tmp_path / "a.parquet", tmp_path / "b.csv"]
    alike = cap.count_scores(*single.values()) + cap.count_scores(*single.values())
    for files in (both_files, both_files[::-1]):
        assert cap.count_scores("y", "s", data=files) == alike


@pytest.mark.parametrize("suffix", ["json", "parquet"])
@pytest.mark.parametrize("cluster", [None, np.arange(60) % 7])
def test_saved_counts_keep_the_width_of_their_scores(suffix, cluster, tmp_path):
    rng = np.random.default_rng(4)
    y, s = rng.integers(0, 2, 60), rng.integers(1, 99, 60) / 100
    narrow = cap.count_scores(y, s.astype(np.float32), cluster=cluster)
    wide = cap.count_scores(y, s, cluster=cluster)
    write_counts(narrow, path := tmp_path / f"counts.{suffix}")
    back = cap.read_counts(path)
    assert back == narrow
    assert back.score.dtype == np.float32
    assert len(back + wide) == len(wide)
    assert cap.psi(back, wide).psi == 0


def test_tables_write_narrow_scores_in_few_digits():
    counts = cap.count_scores([1, 0, 1, 0], np.array([0.7, 0.1, 0.3, 0.7], np.float32))
    lines = repr(cap.threshold_table(counts)).splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["-", "0.7", "0.3", "0.1"]
    assert cap.psi(counts, counts).bins == ("0.7", "0.3", "0.1")


def _without_digests(found):
    """Return what a result holds, but for the digests of what it was made of."""
    held = found.to_dict() if hasattr(found, "to_dict") else found
    return re.sub(r"'([a-z_]*digest|seal)': '[0-9a-f]*'", "", repr(held))


def _two_samples():
    """Return outcomes, scores of two samples, and the names of six months."""
    rng = np.random.default_rng(5)
    now, before = rng.integers(1, 20, 600) / 20, rng.integers(1, 20, 600) / 20
    y = (rng.random(600) < now).astype(int)
    return y, now, before, [f"2021-{1 + k % 6:02d}" for k in range(600)]


ON_ONE = {
    "thresholds": cap.threshold_table,
    "gains": lambda y, s: cap.gains_table(y, s, bins=5),
    "rows": lambda y, s: cap.gains_table(y, s, bins="score"),
    "rates": cap.rate_table,
    "point": lambda y, s: cap.operating_point(y, s, q=0.3),
    "best": lambda y, s: cap.best_thresholds(y, s, "youden"),
    "ks": cap.ks,
    "curve": cap.roc_curve,
    "frame": lambda y, s: cap.cap_curve(y, s).to_frame("polars").rows(),
    "concentration": lambda y, s: cap.grade_concentration(cap.count_scores(y, s)),
    "neighbours": lambda y, s: cap.adjacent_grades(cap.count_scores(y, s)),
    "certified": lambda y, s: cap.certified_cutoff(cap.count_scores(y, s), max_risk=0.4),
    "uplift": lambda y, s: cap.uplift_table(cap.count_uplift(y, np.arange(len(y)) % 2, s)),
    "trial": lambda y, s: cap.best_thresholds(
        cap.count_uplift(y, np.arange(len(y)) % 2, s), "profit", value=5, cost=1
    ),
    "share": lambda y, s: cap.best_share(
        cap.count_uplift(y, np.arange(len(y)) % 2, s), value=5, cost=1
    ),
    "amounts": lambda y, s: cap.gains_table(cap.count_values(y * 2.0, s), bins=5),
    "evaluation": cap.evaluate,
}


@pytest.mark.parametrize("name", ON_ONE)
@pytest.mark.parametrize("dtype", WIDTHS)
def test_whatever_holds_scores_holds_the_decimals_of_narrow_ones(name, dtype):
    y, s, *_ = _two_samples()
    expected = _without_digests(ON_ONE[name](y, s))
    assert _without_digests(ON_ONE[name](y, s.astype(dtype))) == expected


def _validated(y, now, before, months):
    counts, initial = cap.count_scores(y, now), cap.count_scores(y, before)
    joint = cap.count_joint(y, {"now": now, "before": before})
    periods = cap.count_segments(y, now, by=months)
    return cap.validate(
        counts, initial=initial, periods=periods, joint=joint, final="before", before=initial
    )


ON_TWO = {
    "chart": lambda y, now, before, months: cap.control_chart(
        cap.count_segments(y, now, by=months), cap.count_scores(y, before), limit=5.0
    ),
    "change": lambda y, now, before, months: cap.attribute_change(
        cap.count_segments(y, before, by=months), cap.count_segments(y, now, by=months)
    ),
    "counts": lambda y, now, before, _: cap.attribute_change(
        cap.count_scores(y, before), cap.count_scores(y, now)
    ),
    "initial": lambda y, now, before, _: cap.test_against_initial(
        cap.count_scores(y, now), cap.count_scores(y, before)
    ),
    "independent": lambda y, now, before, _: cap.compare_independent(
        cap.count_scores(y, now), cap.count_scores(y, before)
    ),
    "stability": lambda y, now, before, _: cap.population_stability(
        cap.count_scores(y, before), cap.count_scores(y, now)
    ),
    "concentration": lambda y, now, before, _: cap.grade_concentration(
        cap.count_scores(y, now), cap.count_scores(y, before)
    ),
    "migration": lambda y, now, before, _: cap.migration_table(
        cap.count_joint(y, {"now": now, "before": np.minimum(before, before.dtype.type(0.9))}),
        *("before", "now"),
        outside=[0.95],
    ),
    "validation": _validated,
}


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", ON_TWO)
@pytest.mark.parametrize("narrow", [(0,), (1,), (0, 1)])
def test_two_samples_of_any_widths_give_the_numbers_of_the_decimals(name, narrow):
    y, *scores, months = _two_samples()
    expected = _without_digests(ON_TWO[name](y, *scores, months))
    for place in narrow:
        scores[place] = scores[place].astype(np.float32)
    assert _without_digests(ON_TWO[name](y, *scores, months)) == expected


def test_a_page_holds_narrow_scores_as_they_are_typed():
    y, s = [1, 0, 1, 0, 1, 0], np.array([0.7, 0.1, 0.3, 0.7, 0.9, 0.2], np.float32)
    page = cap.evaluate(y, s).to_html()
    assert '"score":[0.9,0.7,0.3,0.2,0.1]' in page


@pytest.mark.parametrize(("dtype", "width"), [(np.float16, 0.05), (np.float32, 1e-5)])
def test_a_grid_finer_than_the_type_moves_no_score(dtype, width):
    scores = np.array([300, 301, 302, 303] * 5)
    narrow, plain = (cap.count_cases(scores.astype(t), resolution=width) for t in (dtype, float))
    assert narrow == plain
    assert cap.population_stability(narrow, plain).psi == 0
    if dtype == np.float32:
        lazy = pl.LazyFrame({"s": scores.astype(dtype)})
        assert cap.count_cases("s", data=lazy, resolution=width) == plain
