"""Clustered rows: the same id in the same group from anywhere, and groups that add like counts."""

import itertools
import json
import re
import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st
from matplotlib.text import Text

import capcurve as cap
from capcurve import write_counts
from capcurve.counts.table import GROUPS
from capcurve.input.arrays import cluster_groups, groups as grouping
from capcurve.input.columns import as_column
from capcurve.input.files import Files, read_cells
from capcurve.studies.evaluation import payload
from cli_calls import done, refused

# Pinned: counts that were saved must merge with counts of later versions.
GOLDEN = {
    0: 56,
    1: 36,
    5: 24,
    -1: 57,
    123456789: 8,
    2**63 - 1: 10,
    2**64 - 1: 57,
    0.5: 61,
    "A-17": 29,
    "Müller": 47,
    "": 45,
    "00123": 1,
    date(2024, 2, 29): 5,
}


def group_of(ids):
    return cluster_groups(as_column(ids, "id"))[1].tolist()


def same_groups(one, other):
    return all(a == b for a, b in zip(one.groups, other.groups, strict=True))


@pytest.mark.parametrize(("name", "group"), GOLDEN.items(), ids=repr)
def test_groups_are_pinned(name, group):
    assert group_of([name]) == [group]


def test_splitmix_is_the_published_one():
    # The first output of the reference implementation from the seed 1234567.
    first = 6457827717110365317
    assert group_of([1234567]) == [first >> 58]


def test_the_same_id_is_the_same_whatever_held_it():
    whole = [0, 1, 5, 127, 12]
    expected = group_of(whole)
    for dtype in (np.int8, np.uint8, np.int32, np.uint64, np.float32, np.float64):
        assert group_of(np.array(whole, dtype=dtype)) == expected
    assert group_of([str(i) for i in whole]) == expected
    assert group_of([Decimal(i) for i in whole]) == expected
    assert group_of([Decimal(f"{i}.00") for i in whole]) == expected
    assert group_of(pd.Series(whole, dtype="Int64")) == expected
    assert group_of(pd.Categorical(whole)) == expected
    assert group_of(pl.Series(whole, dtype=pl.Decimal(10, 2))) == expected
    assert group_of([True, False]) == [expected[1], expected[0]]
    names = ["ab", "é", "b"]
    for held in (names, np.array(names), pd.Series(names, dtype="category"), pl.Series(names)):
        assert group_of(held) == group_of(names)
    days = [date(2024, 1, 31), date(2024, 2, 29)]
    moments = [datetime(2024, 1, 31), datetime(2024, 2, 29)]  # noqa: DTZ001 - no zone
    for held in (moments, np.array(days, "M8[D]"), np.array(days, "M8[ns]"), pl.Series(days)):
        assert group_of(held) == group_of(days)
    assert group_of(pl.Series([datetime(2024, 1, 31, tzinfo=UTC)])) == group_of(days[:1])


@pytest.mark.merge
def test_the_hash_does_not_depend_on_the_process():
    code = (
        "from capcurve.input.arrays import cluster_groups as g;"
        "from capcurve.input.columns import as_column;"
        "print(g(as_column(['x', 'y', 3.5, 8], 'id'))[1].tolist())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(runs) == 1


def test_ids_spread_over_all_groups():
    for ids in (np.arange(64_000), np.arange(64_000) * 1000, [f"D{i}" for i in range(64_000)]):
        sizes = np.bincount(group_of(ids), minlength=GROUPS)
        assert len(sizes) == GROUPS
        assert sizes.min() > 850
        assert sizes.max() < 1150


def test_ids_without_a_value_of_their_own_are_refused():
    with pytest.raises(TypeError, match="id holds a list; ids are numbers, text or dates"):
        group_of(pd.Series([[1], [2], "x"], dtype=object))


@st.composite
def tables(draw):
    """Draw rows of label, score, other score, weight, id and segment."""
    row = st.tuples(*[st.integers(0, 1), st.integers(0, 5), st.integers(0, 3)], st.integers(1, 4))
    rows = draw(st.lists(st.tuples(row, st.integers(0, 30), st.booleans()), min_size=1))
    flat = np.array([[*values, ids, segment] for values, ids, segment in rows])
    return pd.DataFrame(flat, columns=["y", "s", "t", "w", "id", "by"])


KINDS = (
    {},
    {"weight": "w", "weight_kind": "sampling"},
    {"weight": "w", "weight_kind": "frequency"},
)


@settings(max_examples=settings.default.max_examples // 2)
@given(tables(), st.sampled_from(KINDS), st.sampled_from(["positive", "negative"]))
def test_groups_are_the_counts_of_their_rows_and_add_up_to_the_whole(data, kind, direction):
    how = {**kind, "higher_is": direction}
    counts = cap.count_scores("y", "s", data=data, cluster="id", **how)
    assert counts == cap.count_scores("y", "s", data=data, **how)
    assert cap.ScoreCounts.merge(counts.groups) == counts
    numbers = np.array(group_of(data["id"]))
    for number in set(numbers.tolist()):
        rows = data[numbers == number]
        assert counts.groups[number] == cap.count_scores("y", "s", data=rows, **how)
    assert sum(group.n for group in counts.groups) == counts.n


@settings(max_examples=settings.default.max_examples // 2)
@given(tables(), st.sampled_from(KINDS), st.randoms(use_true_random=False))
def test_shards_add_up_in_any_order(data, kind, random):
    whole = cap.count_scores("y", "s", data=data, cluster="id", **kind)
    parts = cap.count_segments("y", "s", data=data, by="by", cluster="id", **kind)
    shards = list(parts.values())
    random.shuffle(shards)
    merged = cap.ScoreCounts.merge(shards)
    assert merged == whole == sum(shards)
    assert same_groups(merged, whole)
    assert merged + cap.ScoreCounts.merge([]) == whole
    assert same_groups(merged + cap.ScoreCounts.merge([]), whole)
    if kind.get("weight_kind") != "sampling":
        left = whole - shards[0]
        assert cap.ScoreCounts.merge(left.groups) == left
        again = left + shards[0]
        assert again == whole
        assert same_groups(again, whole)


@settings(max_examples=settings.default.max_examples // 2)
@given(tables(), st.sampled_from(KINDS))
def test_floors_dictionaries_and_margins_keep_the_groups(data, kind):
    whole = cap.count_scores("y", "s", data=data, cluster="id", **kind)
    floored = whole.at_resolution(2.0)
    direct = cap.count_scores("y", "s", data=data, cluster="id", resolution=2.0, **kind)
    assert floored == direct
    assert same_groups(floored, direct)
    again = cap.ScoreCounts.from_dict(whole.to_dict())
    assert again == whole
    assert same_groups(again, whole)
    joint = cap.count_joint("y", ["s", "t"], data=data, cluster="id", **kind)
    assert joint.margin("s") == whole
    assert same_groups(joint.margin("s"), whole)


@pytest.fixture
def rows():
    rng = np.random.default_rng(2)
    ids = rng.integers(0, 70, 500)
    return pd.DataFrame(
        {
            "y": rng.integers(0, 2, 500),
            "s": np.round(rng.normal(size=500), 1),
            "w": np.round(rng.random(500) + 0.1, 3),
            "id": ids,
            "by": rng.choice(["x", "y"], 500),
        }
    )


@pytest.mark.merge
def test_every_input_gives_equal_groups(rows, tmp_path):
    import duckdb

    counts = cap.count_scores("y", "s", data=rows, cluster="id")
    frame = pl.from_pandas(rows)
    frame.write_parquet(tmp_path / "r.parquet")
    frame.write_csv(tmp_path / "r.csv")
    relation = duckdb.sql("SELECT * FROM frame")
    inputs = [frame, frame.lazy(), relation, str(tmp_path / "r.parquet"), str(tmp_path / "r.csv")]
    for data in inputs:
        found = cap.count_scores("y", "s", data=data, cluster="id")
        assert found == counts
        assert same_groups(found, counts)
    plain = cap.count_scores(rows["y"], rows["s"], cluster=rows["id"].astype(str))
    assert same_groups(plain, counts)
    evaluated = cap.evaluate("y", "s", data=rows, by="by", cluster="id")
    assert same_groups(evaluated.counts["s"], counts)


@pytest.mark.turns(3)
@pytest.mark.parametrize("suffix", [".json", ".parquet"])
@pytest.mark.parametrize("kind", [{}, {"weight": "w", "weight_kind": "sampling"}])
def test_saved_tables_give_the_groups_back(rows, tmp_path, suffix, kind):
    path = tmp_path / f"cells{suffix}"
    whole = cap.count_scores("y", "s", data=rows, cluster="id", **kind)
    write_counts(whole, path)
    found = cap.read_counts(path)
    assert found == whole
    assert same_groups(found, whole)
    parts = cap.count_segments("y", "s", data=rows, by="by", cluster="id", **kind)
    write_counts(parts, path)
    found = cap.read_counts(path)
    assert all(found[k] == parts[k] and same_groups(found[k], parts[k]) for k in parts)


def test_a_changed_group_is_noticed(rows, tmp_path):
    whole = cap.count_scores("y", "s", data=rows, cluster="id")
    saved = whole.to_dict()
    saved["groups"][3], saved["groups"][4] = saved["groups"][4], saved["groups"][4]
    with pytest.raises(ValueError, match="changed after they were saved"):
        cap.ScoreCounts.from_dict(saved)
    path = tmp_path / "cells.parquet"
    write_counts(whole, path)
    kept = pq.read_table(path)
    pq.write_table(kept.take([0, 1, *range(3, len(kept))]), path)
    with pytest.raises(ValueError, match="changed after it was saved"):
        read_cells(Files.of(path))


def test_clusters_and_none_do_not_add(rows):
    counts = cap.count_scores("y", "s", data=rows, cluster="id")
    plain = cap.count_scores("y", "s", data=rows)
    for add in (lambda: counts + plain, lambda: plain + counts, lambda: counts - plain):
        with pytest.raises(ValueError, match="counts with clusters and counts without do not add"):
            add()


def test_missing_ids_follow_the_missing_rule(rows):
    rows = rows.assign(id=rows["id"].astype("float64"))
    rows.loc[[3, 8], "id"] = np.nan
    with pytest.raises(
        ValueError, match=r"id is missing \(null or NaN\) in 2 of 500 rows, first i"
    ):
        cap.count_scores("y", "s", data=rows, cluster="id")
    for data in (rows, pl.from_pandas(rows).lazy()):
        found = cap.count_scores("y", "s", data=data, cluster="id", missing="drop")
        assert found.n == 498
        assert found.dropped.rows == 2
        assert found.dropped.columns["id"] == 2
        assert cap.ScoreCounts.merge(found.groups) == found
    with pytest.raises(ValueError, match="target has 500 rows and cluster has 3"):
        cap.count_scores(rows["y"], rows["s"], cluster=[1, 2, 3])


def test_too_many_combinations_are_refused(rows, monkeypatch):
    data = rows.assign(t=rows["s"] * 3.7 + rows["w"])
    cells = len(data[["s", "t"]].drop_duplicates())
    monkeypatch.setattr(grouping, "MOST_COMBINATIONS", cells)
    assert len(cap.count_joint("y", ["s", "t"], data=data)) == cells
    monkeypatch.setattr(grouping, "MOST_COMBINATIONS", cells - 1)
    message = rf"s and t have {cells} different combinations.*resolution="
    with pytest.raises(ValueError, match=message):
        cap.count_joint("y", ["s", "t"], data=data)
    with pytest.raises(ValueError, match=message):
        cap.count_joint("y", ["s", "t"], data=pl.from_pandas(data).lazy())
    assert len(cap.count_joint("y", ["s", "t"], data=data, resolution=1.0)) < cells
    lazy = cap.count_joint("y", ["s", "t"], data=pl.from_pandas(data).lazy(), resolution=1.0)
    assert len(lazy) < cells


@pytest.mark.merge
def test_repeated_ids_are_a_finding_when_an_id_is_given(rows, tmp_path):
    ids = rows["id"].astype(object)
    ids[[0, 1]] = [None, "alone"]
    data = pl.from_pandas(rows.assign(id=ids.astype("string")))
    sizes = data["id"].drop_nulls().value_counts()["count"]
    sharing, different = int(sizes.filter(sizes > 1).sum()), len(sizes)
    data.write_parquet(tmp_path / "r.parquet")
    for held in (data, data.lazy(), str(tmp_path / "r.parquet")):
        found = next(iter(cap.evaluate("y", "s", data=held, id="id").findings))
        assert found.code == "repeated_ids"
        assert found.severity == "warning"
        assert (
            f"{sharing} rows of 499 share an id with another row ({different} dis" in found.message
        )
        assert "cluster=" in found.advice
    alone = cap.evaluate("y", "s", data=data.with_row_index("number"), id="number")
    assert "repeated_ids" not in {f.code for f in alone.findings}
    with pytest.raises(ValueError, match="leave out id="):
        cap.evaluate("y", "s", data=data, id="id", cluster="id")
    with pytest.raises(ValueError, match="id is about rows"):
        cap.evaluate(cap.count_scores(rows["y"], rows["s"]), id="id")


@pytest.mark.merge
def test_the_command_line_counts_clusters_and_finds_ids(rows, tmp_path):
    file, saved = tmp_path / "r.csv", tmp_path / "c.parquet"
    rows.to_csv(file, index=False)
    columns = (file, "-t", "y", "-s", "s")
    told = done("summary", *columns, "--id", "id")
    assert "share an id with another row (70 distinct ids)" in told.stderr
    done("counts", *columns, "--cluster", "id", "-o", saved)
    found = read_cells(Files.of(saved))
    assert same_groups(found, cap.count_scores("y", "s", data=rows, cluster="id"))
    for words, message in (
        (("--counts", saved, "--cluster", "id"), "--cluster is for rows"),
        (("--counts", saved, "--id", "id"), "--id is for rows"),
        ((*columns, "--cluster", "id", "--id", "id"), "leave out --id"),
        ((*columns, "--cluster", "nobody"), "no column 'nobody'"),
    ):
        assert message in refused("summary", *words)


@pytest.mark.parametrize(
    "words",
    [["thresholds"], ["steps"], ["curve"], ["gains"], ["plot", "--kind", "lift", "-o", "x.png"]],
    ids=" ".join,
)
def test_clusters_are_refused_where_nothing_depends_on_them(rows, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    rows.to_csv("r.csv", index=False)
    told = refused(*words, "r.csv", "-t", "y", "-s", "s", "--cluster", "id")
    assert "--cluster affects only intervals and tests" in told
    assert not (tmp_path / "x.png").exists()


@settings(max_examples=settings.default.max_examples // 2)
@given(tables(), st.sampled_from(KINDS), st.sampled_from(["positive", "negative"]), st.data())
def test_joining_cells_is_counting_rows_with_joined_scores(data, kind, direction, draw):
    how = {**kind, "higher_is": direction, "cluster": "id"}
    counts = cap.count_scores("y", "s", data=data, **how)
    ends = joints(draw, len(counts))
    few = counts.joined(ends)
    rows = data.assign(s=relabelled(data["s"], counts, ends))
    direct = cap.count_scores("y", "s", data=rows, **how)
    assert few == direct
    assert few.digest() == direct.digest()
    assert same_groups(few, direct)
    joint = cap.count_joint("y", ["s", "t"], data=data, **how)
    other = joints(draw, len(joint.margin("t")))
    rows["t"] = relabelled(data["t"], joint.margin("t"), other)
    found = joint.joined({"t": other, "s": ends})
    direct = cap.count_joint("y", ["t", "s"], data=rows, **how)
    assert found == direct
    assert same_groups(found, direct)
    assert found.margin("s") == few
    assert same_groups(found.margin("s"), few)


def joints(draw, cells):
    if not cells:
        return []
    inner = draw.draw(st.sets(st.integers(1, cells)))
    return sorted(inner | {cells})


def relabelled(values, counts, ends):
    table = {}
    for start, end in zip([0, *ends], ends, strict=False):
        table |= dict.fromkeys(counts.score[start:end].tolist(), counts.score[end - 1])
    return values.map(table)


def test_joined_cells_keep_grades_resolution_and_what_was_dropped():
    grades = cap.count_scores([1, 0, 0], ["C", "A", "B"], levels=["C", "B", "A"])
    assert grades.joined([2, 3]).thresholds.tolist() == ["B", "A"]
    grid = cap.count_scores([1, 0, None], [0.31, 0.1, 3], missing="drop", resolution=0.1)
    found = grid.joined([2])
    assert (found.thresholds.tolist(), found.dropped) == ([0.1], grid.dropped)


@pytest.mark.parametrize("ends", [[], [0, 3], [2, 1, 3], [1, 1, 3], [2], [1, 4], [1.0, 3.0], [[3]]])
def test_ends_that_are_none_are_refused(ends):
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [1, 1, 0], [0, 1, 1])
    with pytest.raises(ValueError, match="ends must be whole numbers that ascend"):
        counts.joined(ends)
    joint = cap.count_joint([1, 0, 1], {"a": [1, 2, 3], "b": [3, 2, 1]})
    with pytest.raises(ValueError, match="ends must be whole numbers that ascend"):
        joint.joined({"a": ends})
    with pytest.raises(ValueError, match="no score 'c'"):
        joint.joined({"c": [3]})


def test_groups_that_do_not_add_up_cannot_be_made(rows):
    import dataclasses

    counts = cap.count_scores("y", "s", data=rows, cluster="id")
    coarse = counts.joined([3, len(counts)])
    joint = cap.count_joint("y", ["s", "w"], data=rows, cluster="id")
    few = joint.joined({"s": [3, len(counts)]})
    for whole, groups in ((coarse, counts.groups), (few, joint.groups), (joint, few.groups)):
        with pytest.raises(ValueError, match=r"do not add|count all parts alike"):
            dataclasses.replace(whole, groups=groups)
    with pytest.raises(ValueError, match="counts have 64 groups of clusters; these have 63"):
        dataclasses.replace(counts, groups=counts.groups[1:])


def few_large_clusters():
    """Return rows of 40 clusters that differ far more than their rows do."""
    rng = np.random.default_rng(0)
    ids = np.arange(40).repeat(60)
    effect, place = rng.normal(size=40)[ids], rng.normal(size=40)[ids]
    y = (rng.random(2400) < 1 / (1 + np.exp(2 - 1.5 * effect))).astype(int)
    return pd.DataFrame(
        {
            "y": y,
            "a": np.round(rng.normal(size=2400) + 2 * place + 0.5 * y, 3),
            "b": np.round(rng.normal(size=2400) + y, 3),
            "w": np.round(rng.random(2400) + 0.1, 3),
            "times": rng.integers(1, 4, 2400),
            "id": ids,
        }
    )


def payload_of(page):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page).group(1)
    return json.loads(text)


def reach(band):
    low, high = (np.array(band[side]) for side in ("low", "high"))
    return float((high - low).max() / 2)


WEIGHTS = {
    "rows": {},
    "frequencies": {"weight": "times", "weight_kind": "frequency"},
    "weights": {"weight": "w", "weight_kind": "sampling"},
}


@pytest.mark.merge
@pytest.mark.parametrize(
    ("form", "kind"),
    [
        *zip(
            ["positive", "negative", "grades", "prevalence"], itertools.cycle(WEIGHTS), strict=False
        )
    ],
)
def test_what_a_report_shows_of_clusters_is_the_jackknife_of_all_cells(form, kind):
    data, how, options = few_large_clusters(), WEIGHTS[kind], {}
    if form == "negative":
        data[["a", "b"]] *= -1
        options = {"higher_is": "negative"}
    if form == "grades":
        data[["a", "b"]] = data[["a", "b"]].round().astype(int).astype(str)
        grades = sorted({*data["a"], *data["b"]}, key=int, reverse=True)
        options = {"levels": grades}
    stated = {"prevalence": 0.3} if form == "prevalence" else {}
    columns = {"data": data, "cluster": "id", **how, **options}
    joint = cap.count_joint("y", ["a", "b"], **columns)
    found = cap.evaluate("y", ["a", "b"], **columns, **stated)
    page = payload_of(found.to_html())
    numbers = json.loads(json.dumps(found.to_dict()))["scores"]
    for name, shown, told in zip("ab", page["models"], numbers, strict=True):
        full = found.counts[name]
        assert kind == "weights" or full == joint.margin(name)
        ratio = cap.confidence_interval(full, "accuracy_ratio")
        top = cap.confidence_interval(full, "captured_response", q=0.2, **stated)
        for interval, key in ((ratio, "accuracy_ratio"), (top, "captured_20")):
            assert interval.method == "jackknife"
            assert told["intervals"][key]["se"] == interval.se
            assert told["intervals"][key]["low"] == interval.low
        limits = f"{ratio.low:.3f}".replace("-", ""), f"{ratio.high:.3f}".replace("-", "")
        text = str(found.summaries[name])
        assert all(limit in text and limit in found._repr_html_() for limit in limits)
        axes = cap.plot_cap({name: full}, interval=0.95)
        legend = " ".join(text.get_text() for text in axes.figure.findobj(Text))
        assert all(limit in legend for limit in limits)
        plt.close(axes.figure)
        if stated:
            assert "why" in shown["bands"]
            assert page["differences"] == []
        else:
            band = cap.cap_band(full, seed=1, replicates=payload.PAGE_REPLICATES).to_dict()
            assert "jackknife" in shown["bands"]["model"]["method"]
            assert reach(shown["bands"]["model"]) == pytest.approx(reach(band), rel=0.06)
    if not stated:
        band = cap.difference_band(joint, seed=1, replicates=payload.PAGE_REPLICATES).to_dict()
        assert reach(page["differences"][0]) == pytest.approx(reach(band), rel=0.06)
        assert "jackknife" in page["differences"][0]["method"]
        plain = cap.difference_band(without(joint), seed=1).to_dict()
        assert reach(band) > 1.5 * reach(plain)  # so that losing the clusters would be seen


def without(joint):
    import dataclasses

    return dataclasses.replace(joint, groups=None)


def test_an_outline_of_clustered_counts_has_the_jackknife_of_all_cells(monkeypatch):
    from capcurve.results import known

    rng = np.random.default_rng(1)
    ids = rng.integers(0, 300, 30_000)
    y = rng.random(30_000) < 1 / (1 + np.exp(2 - rng.normal(size=300)[ids]))
    counts = cap.count_scores(y, rng.normal(size=30_000) + y, cluster=ids)
    monkeypatch.setattr(known, "MANY_CLUSTERED_CELLS", 1000)
    monkeypatch.setattr(known, "STEPS_OF_CLUSTERS", 30_000 // 8)
    few = known.outline(counts, (0.1, 0.5), bins=10)
    assert len(few) < 10_000
    assert cap.ScoreCounts.merge(few.groups) == few
    for metric, options in (
        ("ks", {}),
        ("captured_response", {"q": 0.1}),
        ("captured_response", {"q": 0.5}),
    ):
        found = cap.confidence_interval(few, metric, **options)
        expected = cap.confidence_interval(counts, metric, **options)
        assert (found.method, found.estimate) == ("jackknife", expected.estimate)
        assert found.se == pytest.approx(expected.se, rel=0.02)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=0.02)
