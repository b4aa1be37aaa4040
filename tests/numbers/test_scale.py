"""What is done to be quick or lean changes no number: keys, tallies, threads, blocks, outlines."""

import json

import duckdb
import numpy as np
import pytest

import capcurve as cap
from capcurve.inference import designs, variances
from capcurve.inference.variances import variance_parts
from capcurve.input.arrays import counting, keys
from capcurve.input.files import Files, read_columns
from capcurve.metrics import ranking, separation
from capcurve.numbers import exact, order, threads, totals as sums
from capcurve.results import known

TYPES = [np.float64, np.float32, np.float16, np.int64, np.uint64, np.int32, np.uint32]
TYPES += [np.int16, np.uint8, np.bool_, np.dtype(">f8"), np.dtype(">i4")]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324, 1e300, -1e300, 2.0, -2.0, 0.1]


def plainly(score, positive, higher_is="positive"):
    """Count by a dictionary, as one would by hand."""
    cells = {}
    for value, one in zip(score.tolist(), positive.tolist(), strict=True):
        cells.setdefault(value + 0, [0, 0])[0 if one else 1] += 1
    ordered = sorted(cells.items(), reverse=higher_is == "positive")
    return [(value, *pair) for value, pair in ordered]


def listed(counts):
    columns = (counts.score, counts.positives, counts.negatives)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def split(interval):
    """Return what of an interval are floats, and the rest."""
    floats = {key: value for key, value in interval.items() if isinstance(value, float)}
    return floats, {key: value for key, value in interval.items() if key not in floats}


def scores(rng, dtype, kind, size):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(size) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        spans = {"narrow": (0, 5), "wide": (info.min // 4, info.max // 4)}
        low, high = spans.get(kind, (info.min, info.max))
        found = rng.integers(low, high, size, dtype=dtype.newbyteorder("="), endpoint=True)
        return found.astype(dtype)
    values = {
        "narrow": lambda: rng.integers(-3, 3, size) * 1.0,
        "wide": lambda: rng.standard_normal(size) * 10.0 ** rng.integers(-3, 3),
        "special": lambda: rng.choice(SPECIAL, size),
        "positive": lambda: rng.random(size),
        "negative": lambda: -rng.random(size) - 0.5,
    }[kind]()
    with np.errstate(over="ignore"):
        return values.astype(dtype)


# Every pair of a type, a kind of scores and a way of counting.
WAYS = [
    (dtype, kind, (0, 4096)[(place + turn) % 2])
    for place, dtype in enumerate(TYPES)
    for turn, kind in enumerate(("narrow", "wide", "special", "positive", "negative"))
]


@pytest.mark.turns(3)
@pytest.mark.parametrize(("dtype", "kind", "few"), WAYS, ids=str)
def test_every_way_of_counting_counts_the_same(monkeypatch, dtype, kind, few):
    monkeypatch.setattr(counting, "FEW_ROWS", few)
    rng = np.random.default_rng(7)
    for size in (1, 2, 3, 200):
        for rate in (0.0, 0.3, 1.0):
            score = scores(rng, dtype, kind, size)
            positive = rng.random(size) < rate
            for direction in ("positive", "negative"):
                found = cap.count_scores(positive, score, higher_is=direction)
                assert listed(found) == plainly(score, positive, direction)
                assert found.score.dtype == score.dtype
                assert "-0.0" not in map(str, found.score.tolist())


@pytest.mark.parametrize("make", [np.sort, lambda s: np.sort(s)[::-1], lambda s: s[::-1]])
def test_any_order_and_layout_gives_the_same_and_stays_unchanged(make):
    rng = np.random.default_rng(8)
    table = rng.standard_normal((5000, 3)).round(2)
    score, positive = table[:, 1], rng.random(5000) < 0.2
    whole = cap.count_scores(positive, score)
    order = np.argsort(make(score)[:2500])
    for held in (score, np.asfortranarray(table)[:, 1], score[::-1][::-1]):
        layout = held.view()
        layout.flags.writeable = False
        assert cap.count_scores(positive, layout) == whole
    assert np.array_equal(table[:, 1], score)
    rearranged = np.concatenate([order, np.arange(2500, 5000)])
    assert cap.count_scores(positive[rearranged], score[rearranged]).digest() == whole.digest()
    kept = score.copy()
    cap.count_scores(positive, kept)
    assert np.array_equal(kept, score)


def test_whole_numbers_beyond_floats_keep_their_digits(monkeypatch):
    monkeypatch.setattr(counting, "FEW_ROWS", 0)
    score = np.array([2**63 - 1, 2**63 - 2, -(2**63), 5], dtype=np.int64)
    assert listed(cap.count_scores([1, 0, 1, 0], score)) == plainly(score, np.array([1, 0, 1, 0]))
    near = np.array([2**60 + 1, 2**60 + 2, 2**60 + 1, 2**60], dtype=np.int64)
    assert listed(cap.count_scores([1, 0, 0, 0], near))[1] == (2**60 + 1, 1, 1)
    top = np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], dtype=np.uint64)
    assert listed(cap.count_scores([1, 0, 0], top)) == [(2**64 - 1, 1, 1), (2**64 - 2, 0, 1)]


@pytest.mark.parametrize("ties", [None, 1, 3, 0])
def test_blocks_threads_and_wide_tallies_change_nothing(monkeypatch, ties):
    rng = np.random.default_rng(9)
    score = rng.standard_normal(9_000)
    score = score if ties is None else score.round(ties)
    score[:3] = 0.0, -0.0, -np.inf
    positive = rng.random(9_000) < 0.1
    expected = listed(counting._count_by_order(positive, score, {"higher_is": "positive"}))
    assert expected == plainly(score, positive)
    for block in (1 << 16, 1000, 7):
        for worth in (1 << 18, 10):
            monkeypatch.setattr(keys, "BLOCK", block)
            monkeypatch.setattr(order, "BLOCK", block)
            monkeypatch.setattr(threads, "WORTH_A_THREAD", worth)
            monkeypatch.setattr(threads, "processors", lambda: 3)
            assert listed(cap.count_scores(positive, score)) == expected


def looped(p, n):
    """Return the sums of a ranking by its definitions, one cell after the other."""
    n1, n0, tp, fp = sum(p), sum(n), 0, 0
    found = dict.fromkeys(("won", "tied", "positive_squares", "negative_squares"), 0)
    gaps = [0]
    for here, other in zip(p, n, strict=True):
        found["won"] += here * (n0 - fp - other)
        found["tied"] += here * other
        found["positive_squares"] += here * (2 * (n0 - fp) - other) ** 2
        found["negative_squares"] += other * (2 * tp + here) ** 2
        tp, fp = tp + here, fp + other
        gaps.append(tp * n0 - fp * n1)
    cases = [here + other for here, other in zip(p, n, strict=True)]
    found |= {"case_squares": sum(t**2 for t in cases), "case_cubes": sum(t**3 for t in cases)}
    found |= {"small_cells": sum(t < 5 for t in cases), "smallest_cell": min(cases)}
    highest = max(map(abs, gaps))
    places = [place for place, gap in enumerate(gaps) if abs(gap) == highest]
    return found, highest, places


TABLES = {
    "single cases": lambda rng, p: (p := (rng.random(300) < p).astype(int), 1 - p),
    "few tied": lambda rng, p: (rng.random(300) < p, rng.poisson(1, 300)),
    "some positives alone": lambda rng, p: (rng.poisson(p, 300), rng.random(300) < 0.5),
    "many in each": lambda rng, p: (rng.poisson(10 * p, 300), rng.integers(0, 400, 300)),
    "very many in each": lambda rng, _: rng.integers(0, 2**40, (2, 300)),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("block", [1 << 16, 7, 1])
def test_sums_and_ks_are_those_of_plain_loops(monkeypatch, kind, block):
    rng = np.random.default_rng(31)
    for module in (sums, separation):
        monkeypatch.setattr(module, "BLOCK", block)
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 10)
    monkeypatch.setattr(threads, "processors", lambda: 3)
    for rate in (0.02, 0.3, 0.95):
        p, n = (np.asarray(column).astype(int) for column in TABLES[kind](rng, rate))
        counts = cap.ScoreCounts.from_counts(range(300, 0, -1), p, n)
        p, n = counts.positives.tolist(), counts.negatives.tolist()
        found, highest, places = looped(p, n)
        totals = counts.totals()
        assert {name: getattr(totals, name) for name in found} == found
        ks = cap.ks(counts)
        assert ks.statistic == highest / (sum(p) * sum(n))
        selected = [0 if x.threshold is None else list(counts.score).index(x.threshold) + 1
                    for x in ks.places]  # fmt: skip
        assert selected == places


def test_a_tally_in_small_blocks_counts_as_sorting_does(monkeypatch):
    rng = np.random.default_rng(10)
    score = rng.integers(-300, 300, 5000)
    positive = rng.random(5000) < 0.4
    monkeypatch.setattr(keys, "BLOCK", 13)
    assert listed(cap.count_scores(positive, score)) == plainly(score, positive)
    far = score.astype(np.int64) + 2**62
    assert listed(cap.count_scores(positive, far)) == plainly(far, positive)


@pytest.mark.parametrize("digits", [9, 1])
def test_weighted_numbers_of_small_blocks_are_those_of_one(monkeypatch, digits):
    rng = np.random.default_rng(12)
    score, positive, weight = (
        rng.random(3000).round(digits),
        rng.random(3000) < 0.1,
        rng.random(3000),
    )

    def found():
        counts = cap.count_scores(positive, score, weight=weight, weight_kind="sampling")
        return cap.ks(counts), cap.confidence_interval(counts, "accuracy_ratio")

    at_once = found()
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 10)
    monkeypatch.setattr(threads, "FEWEST_AN_ITEM", 10)
    monkeypatch.setattr(threads, "processors", lambda: 3)
    for module in (exact, ranking, separation, variances, designs):
        monkeypatch.setattr(module, "BLOCK", 50)
    (ks, interval), (ks_at_once, at_once) = found(), at_once
    assert ks.threshold == ks_at_once.threshold
    assert ks.statistic == pytest.approx(ks_at_once.statistic, rel=1e-13)
    for name in ("estimate", "low", "high", "se"):
        assert getattr(interval, name) == pytest.approx(getattr(at_once, name), rel=1e-13), name


def test_moments_are_those_of_every_pair(monkeypatch):
    rng = np.random.default_rng(11)
    monkeypatch.setattr(sums, "BLOCK", 64)
    for digits in (9, 1):
        score = rng.standard_normal(700).round(digits)
        positive = rng.random(700) < 0.3
        counts = cap.count_scores(positive, score)
        less = score[positive][:, None] > score[~positive][None, :]
        even = score[positive][:, None] == score[~positive][None, :]
        placed = 2 * less.astype(int) + even
        found = counts.totals()
        assert (len(less) * len(less.T) - found.won, found.tied) == (
            int((~less).sum()),
            int(even.sum()),
        )
        assert (found.positive_squares, found.negative_squares) == (
            int((placed.sum(axis=1) ** 2).sum()),
            int((placed.sum(axis=0) ** 2).sum()),
        )


def test_moments_of_very_large_cells_do_not_overflow():
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [10**12, 5, 10**12], [10**12, 10**12, 7])
    p, n = [10**12, 5, 10**12], [10**12, 10**12, 7]
    v = [n[0] + 2 * (n[1] + n[2]), n[1] + 2 * n[2], n[2]]
    u = [p[0], 2 * p[0] + p[1], 2 * (p[0] + p[1]) + p[2]]
    expected = tuple(
        sum(c * x * x for c, x in zip(*pair, strict=True)) for pair in ((p, v), (n, u))
    )
    found = counts.totals()
    assert (found.positive_squares, found.negative_squares) == expected
    assert sum(variance_parts(counts)) > 0


def test_kinds_of_cells_have_the_entropy_of_the_cells(monkeypatch):
    rng = np.random.default_rng(12)
    counts = cap.count_scores(rng.random(9000) < 0.3, rng.standard_normal(9000).round(2))
    plain = cap.conditional_information_entropy_ratio(counts)
    monkeypatch.setattr(sums, "CELLS_PER_KIND", 10**9)
    again = cap.count_sorted(
        [(counts.score, counts.positives, counts.negatives)], n1=counts.n1, n0=counts.n0
    )
    assert cap.conditional_information_entropy_ratio(again) == pytest.approx(plain, rel=1e-15)


LATER = [(None, "rounded"), (0.02, "reversed"), (None, "tied"), (0.02, "rare")]


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("prevalence", "case"),
    [
        *((None, "plain"), (0.02, "plain"), (0.02, "rounded"), (None, "reversed")),
        *((0.02, "tied"), (None, "rare")),
        *(pytest.param(*each, marks=pytest.mark.merge) for each in LATER),
    ],
)
def test_an_outline_gives_the_summary_of_all_cells(monkeypatch, case, prevalence):
    rng = np.random.default_rng(13)
    score = rng.standard_normal(50_000)
    positive = rng.random(50_000) < 1 / (1 + np.exp(2.5 - score))
    if case == "rounded":
        score = score.round(4)
    if case == "tied":
        score[rng.random(50_000) < 0.25] = 0.5
    if case == "rare":
        positive = rng.random(50_000) < 0.002
    counts = cap.count_scores(positive, -score if case == "reversed" else score)
    whole = cap.summarize(counts, prevalence=prevalence)
    shares = {q: cap.confidence_interval(counts, "captured_response", q=q) for q in (0.1, 0.5)}
    monkeypatch.setattr(known, "MANY_CELLS", 1000)
    near = known.outline(counts, (0.1, 0.2, 0.5), bins=10)
    assert len(near) < 8000
    assert (near.n1, near.n0) == (counts.n1, counts.n0)
    for q, expected in shares.items():
        found = cap.confidence_interval(near, "captured_response", q=q)
        assert found.estimate == expected.estimate
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    found, expected = cap.summarize(counts, prevalence=prevalence).to_dict(), whole.to_dict()
    # Standard errors add up fewer terms, in another order.
    intervals = [(one.pop("intervals", {})) for one in (found, expected)]
    assert json.dumps(found) == json.dumps(expected)
    assert intervals[0].keys() == intervals[1].keys()
    for name, interval in intervals[0].items():
        numbers, others = split(interval), split(intervals[1][name])
        assert numbers[0] == pytest.approx(others[0], rel=1e-11)
        assert numbers[1] == others[1]


KINDS = {
    "TINYINT": "(range % 100)::TINYINT",
    "USMALLINT": "(range % 60000)::USMALLINT",
    "BIGINT": "9007199254740993 + range",
    "UBIGINT": "18446744073709551615 - range::UBIGINT",
    "FLOAT": "(range / 7)::FLOAT",
    "DOUBLE": "range / 7",
    "BOOLEAN": "range % 3 = 0",
}


NULLS = ["range < 0", "range % 5 = 2"]


@pytest.mark.parametrize(
    ("kind", "nulls"),
    [
        *zip(KINDS, NULLS * len(KINDS), strict=False),
        *(
            pytest.param(*each, marks=pytest.mark.merge)
            for each in zip(KINDS, NULLS[::-1] * len(KINDS), strict=False)
        ),
    ],
)
def test_columns_arrive_batch_by_batch_as_they_would_at_once(tmp_path, kind, nulls):
    path = str(tmp_path / "rows.parquet")
    rows = f"SELECT CASE WHEN NOT ({nulls}) THEN {KINDS[kind]} END AS v FROM range(100000)"  # noqa: S608 - of this file
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 20000)")
        whole = connection.execute("SELECT v FROM read_parquet(?)", [path]).fetchnumpy()["v"]
    column = read_columns(Files.of(path), ["v"])["v"]
    assert column.values.dtype == whole.dtype
    absent = np.ma.getmaskarray(whole)
    assert (column.missing is not None) == absent.any()
    if column.missing is not None:
        assert np.array_equal(column.missing, absent)
    assert np.array_equal(column.values[~absent], np.ma.getdata(whole)[~absent])


@pytest.mark.merge
def test_files_count_as_their_columns_do_in_memory(tmp_path):
    rng = np.random.default_rng(14)
    score, positive = rng.standard_normal(50_000).astype(np.float32), rng.random(50_000) < 0.1
    path = str(tmp_path / "rows.parquet")
    with duckdb.connect() as connection:
        connection.register("kept", {"s": score, "y": positive.astype(np.int8), "z": -score})
        connection.execute(f"COPY (FROM kept) TO '{path}' (FORMAT parquet)")
    expected = cap.count_scores(positive, score)
    for missing in ("raise", "drop"):
        found = cap.count_scores("y", "s", data=path, missing=missing)
        assert found == expected
        assert found.digest() == expected.digest()
    both = cap.evaluate("y", {"a": "s", "b": "s", "c": "z"}, data=path).counts
    assert both["a"] == both["b"] == expected
    assert both["c"] == cap.count_scores(positive, -score)


def test_a_file_cut_short_is_one_line_and_no_number(tmp_path):
    path = tmp_path / "rows.parquet"
    with duckdb.connect() as connection:
        rows = "SELECT random()::FLOAT AS s, (range % 9 = 0)::TINYINT AS y FROM range(400000)"
        connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    whole = path.read_bytes()
    broken = bytearray(whole)
    broken[1000:200_000] = bytes(199_000)
    path.write_bytes(bytes(broken))
    with pytest.raises(ValueError, match=r"rows\.parquet") as caught:
        cap.count_scores("y", "s", data=str(path))
    assert "\n" not in str(caught.value)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="damaged or cut short"):
        cap.count_scores("y", "s", data=str(path))
