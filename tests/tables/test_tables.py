"""Tables: what they hold, how they print, and the cut-offs they offer."""

import io

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap
from capcurve.numbers.meeting import as_written
from capcurve.tables.gains import gains_presentation

GRADES = cap.ScoreCounts.from_counts(
    ["C", "B", "A"], [6, 3, 1], [4, 17, 69], levels=["C", "B", "A"]
)
FIVE = cap.count_scores([1, 0, 1, 0, 0], [100, 200, 300, 400, 500], higher_is="negative")


def test_gains_by_score_show_the_grade_names():
    table = cap.gains_table(GRADES, bins="score")
    assert table["score_from"].tolist() == table["score_to"].tolist() == ["C", "B", "A"]
    assert table["n"].tolist() == [10, 20, 70]
    assert table["rate"].tolist() == pytest.approx([0.6, 0.15, 1 / 70])
    assert table["cum_lift"].tolist() == pytest.approx([6, 3, 1])
    assert table["ks"].tolist() == pytest.approx([0.6 - 4 / 90, 0.9 - 21 / 90, 0])
    assert table.note is None


def test_gains_at_cut_points():
    counts = cap.count_scores([1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1])
    table = cap.gains_table(counts, bins=[4, 2.5])
    assert table["n"].tolist() == [3, 1, 2]
    assert table["score_to"].tolist() == [4, 3, 1]
    low = cap.gains_table(FIVE, bins=[200])
    assert low["score_from"].tolist() == [100, 300]
    named = cap.gains_table(GRADES, bins=["B"])
    assert named["score_to"].tolist() == ["B", "A"]


def test_a_bin_between_cut_points_may_be_empty():
    table = cap.gains_table(cap.count_scores([1, 0], [9, 1]), bins=[8, 5])
    assert table["n"].tolist() == [1, 0, 1]
    assert list(table.rows())[1]["rate"] is None
    np.testing.assert_array_equal(table["score_from"], [9, np.nan, 1])
    assert [row["score_from"] for row in table.rows()] == [9, None, 1]


def test_fewer_bins_than_asked_are_told():
    table = cap.gains_table(GRADES, bins=10)
    assert len(table) == 3
    assert "3 bins instead of 10" in table.note
    uneven = cap.gains_table(cap.count_scores([1, 0, 0, 0, 1], [3, 3, 3, 3, 1]), bins=2)
    assert "differ in size" in uneven.note


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        (0, "from 1 to"),
        (-3, "from 1 to"),
        (2.5, "whole number"),
        (True, "whole number"),
        ("deciles", "'deciles'"),
        (["D"], "not among the grades"),
        (["B", "B"], "twice"),
    ],
)
def test_bins_that_make_no_sense(bins, message):
    with pytest.raises(ValueError, match=message):
        cap.gains_table(GRADES, bins=bins)


def test_a_stated_prevalence_moves_rates_but_not_cases():
    stated = cap.gains_table(GRADES, bins="score", prevalence=0.01)
    assert stated["n"].tolist() == [10, 20, 70]
    odds = 6 / 4 * (0.01 / 0.99) / (10 / 90)
    assert stated["rate"][0] == pytest.approx(odds / (1 + odds))


def test_thresholds_are_intervals_between_scores():
    table = cap.threshold_table(FIVE)
    rows = list(table.rows())
    assert [row["threshold"] for row in rows] == [None, 100, 200, 300, 400, 500]
    assert [row["next_score"] for row in rows] == [100, 200, 300, 400, 500, None]
    assert [row["tp"] for row in rows] == [0, 1, 1, 2, 2, 2]
    assert [row["fp"] for row in rows] == [0, 0, 1, 1, 2, 3]
    assert rows[0]["precision"] is rows[0]["lift"] is None
    assert "<=" in table.note


def test_one_coordinate_gives_one_operating_point():
    assert cap.operating_point(FIVE, threshold=350).threshold == 300
    assert cap.operating_point(FIVE, threshold=0).threshold is None
    assert cap.operating_point(GRADES, threshold="B").tp == 9
    assert cap.operating_point(FIVE, q=0.5).q == 0.4
    assert cap.operating_point(FIVE, fpr=0.3).fpr == 0
    assert cap.operating_point(FIVE, fpr=1 / 3).captured == 1
    assert cap.operating_point(FIVE, precision=0.6).threshold == 300
    assert cap.operating_point(FIVE, captured=0.5).threshold == 100
    assert cap.operating_point(FIVE, captured=0.51).threshold == 300
    assert cap.operating_point(FIVE, captured=0).threshold is None


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "exactly one of q, k, captured, precision, fpr, threshold; got none"),
        ({"q": 0.1, "fpr": 0.1}, "got q, fpr"),
        ({"q": 1.5}, "q must be between 0 and 1"),
        ({"captured": np.nan}, "captured must be between"),
        ({"threshold": "D"}, "threshold must be a score"),
        ({"threshold": np.nan}, "threshold must be a score"),
    ],
)
def test_coordinates_that_make_no_sense(asked, message):
    with pytest.raises(ValueError, match=message):
        cap.operating_point(FIVE, **asked)


def test_a_precision_nobody_reaches():
    with pytest.raises(ValueError, match=r"the best has 0\.6"):
        cap.operating_point(GRADES, precision=0.7)


def test_rules_return_all_their_optima():
    even = cap.ScoreCounts.from_counts([4, 3, 2, 1], [2, 0, 2, 0], [0, 2, 0, 2])
    assert [p.threshold for p in cap.best_thresholds(even)] == [4, 2]
    flat = cap.ScoreCounts.from_counts([2, 1], [1, 1], [1, 1])
    assert [p.threshold for p in cap.best_thresholds(flat)] == [None, 2, 1]


def test_rules_by_hand():
    def chosen(rule, **numbers):
        return [p.threshold for p in cap.best_thresholds(GRADES, rule, **numbers)]

    # fn and fp at each cut-off: none 10, 0; C 4, 4; B 1, 21; A 0, 90
    assert chosen("cost", cost_fn=1, cost_fp=1) == ["C"]
    assert chosen("cost", cost_fn=20, cost_fp=1) == ["B"]
    assert chosen("cost", cost_fn=1, cost_fp=100) == [None]
    assert chosen("f_beta") == ["C"]  # F1: C 0.6, B 18/40, A 20/110
    assert chosen("f_beta", beta=3) == ["B"]
    assert chosen("profit", value=10, cost=1) == ["B"]  # C 60 - 10, B 90 - 30, A 100 - 100
    assert chosen("profit", value=10, cost=2) == ["C"]  # C 60 - 20, B 90 - 60
    assert chosen("closest") == ["B"]


@pytest.mark.parametrize(
    ("rule", "numbers", "message"),
    [
        ("best", {}, "rule must be one of 'youden'"),
        ("cost", {"cost_fn": 1}, "needs cost_fp"),
        ("youden", {"beta": 1}, "does not use beta"),
        ("f_beta", {"beta": 0}, "more than zero"),
        ("cost", {"cost_fn": -1, "cost_fp": 1}, "from 0 to"),
        ("profit", {"value": np.inf, "cost": 1}, "from -1e\\+100 to"),
    ],
)
def test_rules_that_make_no_sense(rule, numbers, message):
    with pytest.raises(ValueError, match=message):
        cap.best_thresholds(GRADES, rule, **numbers)


def test_steps_of_the_perfect_ordering():
    table = cap.step_table(cap.count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]), ideal=True)
    np.testing.assert_array_equal(table["score"], [np.nan, 0.8, 0.7, 0.2, 0.6, 0.4])
    assert table["target"].tolist() == [0, 1, 1, 1, 0, 0]
    assert table["positives"].tolist() == [0, 1, 2, 3, 3, 3]
    assert table["q"].tolist() == [0, 0.2, 0.4, 0.6, 0.8, 1]


@pytest.mark.parametrize(
    ("point", "sentence"),
    [
        ((0.4, 2 / 3), "the top 40% of cases contain 66.7% of all positives"),
        ((0, 0), "the top 0% of cases contain 0.0% of all positives"),
        ((1, 1), "the top 100% of cases contain 100.0% of all positives"),
        ((0.00004, 0.99996), "the top 0.004% of cases contain 99.996% of all positives"),
        ({"q": 0.5, "captured": 0.25}, "the top 50% of cases contain 25.0% of all positives"),
        (cap.operating_point(FIVE, q=0.2), "the top 20% of cases contain 50.0% of all positives"),
    ],
)
def test_readings(point, sentence):
    assert cap.reading(point) == sentence


def test_readings_in_numbers():
    # Of the five cases of the textbook these are its five sentences.
    steps = cap.step_table(cap.count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]))
    assert [cap.reading(row, absolute=True) for row in steps.rows()] == [
        "the top 0 cases contain 0 positives",
        "the top 1 case contains 1 positive",
        "the top 2 cases contain 2 positives",
        "the top 3 cases contain 2 positives",
        "the top 4 cases contain 2 positives",
        "the top 5 cases contain 3 positives",
    ]
    point = cap.operating_point(GRADES, threshold=GRADES.thresholds[1])
    said = f"the top {point.tp + point.fp} cases contain {point.tp} positives"
    assert cap.reading(point, absolute=True) == said
    values = cap.count_values([90, 0, 10, 0], [4, 3, 2, 1])
    best = cap.operating_point(values, q=0.5)
    assert cap.reading(best, absolute=True) == "the top 2 cases contain 90 of the amount"
    with pytest.raises(ValueError, match=r"step_table.* got \(0.4, 0.6\), which has no numbers"):
        cap.reading((0.4, 0.6), absolute=True)


@pytest.mark.parametrize(
    "given",
    [
        ([1, 0, 1],),
        ([1, 0, 1], [0.1, 0.2, 0.3]),
        (None,),
        ("ab",),
        (("0.1", 0.3),),
        ((np.nan, 0.3),),
        ({"q": 0.1},),
        (GRADES,),
    ],
)
def test_what_is_no_point_is_refused_in_one_line(given):
    with pytest.raises(TypeError, match=r"^reading takes one point") as error:
        cap.reading(*given)
    assert "\n" not in str(error.value)


def test_a_point_and_words_that_are_none():
    with pytest.raises(TypeError, match=r"words such as counts\.words; got \[0\.1, 0\.2\] as"):
        cap.reading([1, 0], [0.1, 0.2])


def test_tables_feed_data_frames():
    table = cap.gains_table(GRADES, bins="score")
    assert pd.DataFrame(table.columns)["n"].tolist() == [10, 20, 70]
    assert pl.DataFrame(dict(table.columns))["n"].to_list() == [10, 20, 70]


def test_long_tables_print_their_beginning():
    table = cap.threshold_table(cap.count_scores([1, 0] * 100, range(200)))
    lines = repr(table).splitlines()
    assert lines[-2] == "... 141 more rows"
    assert len({len(line) for line in lines[:-2]}) == 1
    assert len(table) == 201


def test_a_table_prints_its_scores_so_that_they_can_be_typed_back():
    counts = cap.count_scores([1, 0], [0.12346, 0.12345])
    assert "0.12346" in repr(cap.threshold_table(counts))
    assert "0.12345 " in repr(cap.gains_table(counts, bins="score"))


BEYOND = cap.count_scores([1, 0, 1], [2**53 + 1, 2**53, 5])
SCORED = {
    "floats": (cap.count_scores([1, 0, 1], [0.5, 0.25, 1.0]), pl.Float64),
    "float32": (cap.count_scores([1, 0], np.array([0.5, 0.1], dtype=np.float32)), pl.Float64),
    "integers": (FIVE, pl.Float64),
    "grades": (GRADES, pl.String),
    "grades that are numbers": (
        cap.ScoreCounts.from_counts([3, 1], [5, 1], [2, 9], levels=[3, 1]),
        pl.Float64,
    ),
}


@pytest.mark.parametrize("kind", SCORED)
def test_every_table_is_a_frame_of_typed_columns_that_parquet_takes(kind):
    counts, expected = SCORED[kind]
    tables = [
        *(cap.threshold_table(counts), cap.step_table(counts), cap.step_table(counts, ideal=True)),
        *(cap.gains_table(counts, bins="score"), cap.rate_table(counts)),
    ]
    for table in tables:
        frame = pl.DataFrame(dict(table.columns))
        assert pl.Object not in frame.dtypes
        named = set(frame.columns) & {"threshold", "next_score", "score"}
        assert {frame[name].dtype for name in named} <= {expected}
        for made in (frame.write_parquet, pd.DataFrame(dict(table.columns)).to_parquet):
            made(written := io.BytesIO())
            read = pl.read_parquet(io.BytesIO(written.getvalue()))
            assert read.columns == list(table.columns)
    assert [row["threshold"] for row in tables[0].rows()] == [None, *as_written(counts.thresholds)]
    assert tables[0].to_dict()["columns"]["next_score"][-1] is None


def test_whole_scores_that_no_float_holds_stay_exact():
    rows = list(cap.threshold_table(BEYOND).rows())
    assert [row["threshold"] for row in rows] == [None, 2**53 + 1, 2**53, 5]


def test_two_bins_of_grades_may_be_empty():
    counts = cap.ScoreCounts.from_counts(["D", "A"], [6, 3], [4, 17], levels=["D", "C", "B", "A"])
    table = cap.gains_table(counts, bins=["D", "C", "B"])
    assert [row["score_from"] for row in table.rows()] == ["D", None, None, "A"]


@pytest.mark.parametrize("prevalence", [None, 0.07, 0.5])
def test_a_bin_of_positives_only_has_a_rate_of_exactly_one(prevalence):
    for n in range(1, 60):
        counts = cap.ScoreCounts.from_counts([2, 1], [3, 1], [0, n])
        rates = cap.gains_table(counts, bins="score", prevalence=prevalence)["rate"]
        assert rates[0] == 1
        assert 0 < rates[1] < 1


def test_the_place_of_ks_is_the_rule_of_youden():
    counts = cap.ScoreCounts.from_counts([4, 3, 2, 1], [4, 2, 2, 1], [1, 3, 9, 18])
    point = cap.best_thresholds(counts, "ks")[0]
    assert point == cap.best_thresholds(counts, "youden")[0]
    assert point.captured - point.fpr == cap.ks(counts).statistic


@pytest.fixture
def table():
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [2, 1, 0], [1, 2, 4])
    return cap.threshold_table(counts)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_table_becomes_a_frame_of_numbers(table, backend):
    frame = table.to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    whole = nw.from_native(frame)
    assert whole.columns == list(table.columns)
    assert all(dtype.is_numeric() for dtype in whole.schema.values())
    assert whole["tp"].to_list() == table["tp"].tolist()
    if backend != "pandas":
        assert whole["threshold"].to_list() == [
            value or None for value in table.values()["threshold"]
        ]


def test_a_frame_is_refused_of_what_is_none(table):
    with pytest.raises(ValueError, match="backend must be one of pandas, polars, pyarrow"):
        table.to_frame("dask")


def test_a_table_is_written_for_papers_and_pages():
    table = cap.Table(
        "odd", {"grade": np.array(["A&B_<|>", "50%"]), "rate": np.array([0.25, np.nan])}, "a < b"
    )
    assert r"A\&B\_\textless{}\textbar{}\textgreater{} & 25.0\% \\" in table.to_latex()
    assert table.to_latex().endswith(r"{\footnotesize a \textless{} b}")
    assert table.to_html().endswith("<p>a &lt; b</p>")
    assert r"50\% & - \\" in table.to_latex()
    assert r"\caption{R\&D}" in table.to_latex("R&D")
    assert "A&amp;B_&lt;|&gt;" in table.to_html()
    assert "<caption>R&amp;D</caption>" in table.to_html("R&D")
    assert "| A&B_<\\|> | 25.0% |" in table.to_markdown()
    assert table.to_markdown().endswith("\n\na < b")
    assert table._repr_html_().endswith("<p>a &lt; b</p>")
    long = cap.Table("long", {"n": np.arange(100)})
    assert "... 40 more rows" in long._repr_html_()
    assert long._repr_html_().count("<td") == 60


def test_the_line_in_the_picture_of_gains_is_the_rate_of_all_cases():
    counts = cap.count_scores([1, 1, 0, 0, 1, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    for prevalence, mean in ((None, 3 / 8), (0.05, 0.05)):
        table = cap.gains_table(counts, bins=4, prevalence=prevalence)
        (chart,) = gains_presentation({"": table}).charts
        (line,) = chart.lines
        assert list(line.y) == pytest.approx([mean, mean])
        assert line.label == f"All cases  {mean:.1%}"
    amounts = cap.count_values([9, 5, 0, 1], [4, 3, 2, 1], exposure=[1, 2, 3, 4])
    (chart,) = gains_presentation({"": cap.gains_table(amounts, bins=2)}).charts
    assert list(chart.lines[0].y) == pytest.approx([1.5, 1.5])
