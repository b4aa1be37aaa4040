"""Card and page: the summary's numbers, nothing loaded, every name escaped."""

import csv
import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap
from capcurve.results.summary import message
from capcurve.studies.evaluation.stops import stops_of

LOANS = Path("src", "capcurve", "datasets", "loans.csv")
SCORES = ["grade_rank", "int_rate"]
NASTY = [
    "</script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "a & b < c",
    "\u202ereversed\u202c",
    "🙂",
    "x" * 10_000,
    "{{7*7}}",
]


class Reader(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_data(self, data):
        self.words.append(data)


@cache
def some_loans():
    """Return a thousand of the loans: a page of so many is made quickly."""
    with LOANS.open(encoding="utf-8", newline="") as file:
        rows = list(islice(csv.DictReader(file), 1000))
    return {name: np.array([float(row[name]) for row in rows]) for name in [*SCORES, "y"]}


@cache
def loans(**keywords):
    return cap.evaluate("y", SCORES, data=some_loans(), **keywords)


@cache
def page_of_loans():
    return loans().to_html()


@pytest.mark.parametrize("render", ["to_html", "_repr_html_"])
def test_the_numbers_are_the_summarys(render):
    found = loans()
    text = page_of_loans() if render == "to_html" else found._repr_html_()
    words = " ".join(Reader(text).words).replace("\N{NO-BREAK SPACE}", " ")
    for summary in found.summaries.values():
        assert f"{summary.accuracy_ratio:.3f}" in words
        assert f"{summary.roc_auc:.3f}" in words
        assert f"{summary.ks.statistic:.3f}" in words
        # On a card of several scores only the table has the numbers of each.
        assert all((said in words) == (render == "to_html") for said in message(summary))


def test_a_card_runs_and_loads_nothing():
    card = Reader(loans()._repr_html_())
    assert "script" not in card.tags
    (source,) = (value for _, name, value in card.attributes if name == "src")
    assert source.startswith("data:image/svg+xml;base64,")
    card.tags.remove("img")
    card.attributes = [found for found in card.attributes if found[1] != "src"]
    assert_nothing_is_loaded(card)


def test_a_page_runs_its_own_script_and_loads_nothing():
    page = Reader(page_of_loans())
    assert page.tags.count("script") == 2  # the slot of values, and what draws them
    assert_nothing_is_loaded(page)


def assert_nothing_is_loaded(page):
    assert not {"link", "img", "iframe", "object", "embed"} & set(page.tags)
    names = {name for _, name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not {"src", "href", "xlink:href", "action"} & names


def test_the_page_forbids_everything_to_itself():
    page = Reader(page_of_loans())
    policy = [v for tag, name, v in page.attributes if tag == "meta" and name == "content"]
    assert any(text.startswith("default-src 'none'") for text in policy)


def in_turn(some, others):
    """Return all pairs; each of `some` with one of the `others` in turn is tested always."""
    return [
        pytest.param(one, other, marks=[] if place % len(others) == turn else pytest.mark.merge)
        for place, one in enumerate(some)
        for turn, other in enumerate(others)
    ]


@pytest.mark.turns(3)
@pytest.mark.parametrize(("name", "render"), in_turn(NASTY, ["to_html", "_repr_html_"]))
def test_every_name_is_escaped(name, render):
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 2, 200), rng.random(200)
    found = cap.evaluate(y, {name: p}, by=[name] * 200, title=name)
    plain = cap.evaluate(y, {"score": p}, by=["segment"] * 200, title="title")
    nasty, usual = Reader(getattr(found, render)()), Reader(getattr(plain, render)())
    assert nasty.tags == usual.tags
    assert [pair[:2] for pair in nasty.attributes] == [pair[:2] for pair in usual.attributes]


def test_grade_names_are_escaped():
    counts = cap.ScoreCounts.from_counts(["<b>", "&"], [3, 1], [1, 3], levels=["<b>", "&"])
    page = cap.evaluate(counts).to_html()
    assert "&lt;b&gt;" in page
    assert "<td><b></td>" not in page


@pytest.mark.merge
def test_a_page_of_many_rows_stays_small():
    rng = np.random.default_rng(2)
    y = rng.random(300_000) < 0.1
    page = cap.evaluate(y, rng.standard_normal(300_000) + y).to_html()
    assert len(page) < 250_000


def test_the_first_picture_shows_the_true_curve():
    counts = cap.count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    page = cap.evaluate(counts).to_html()
    path = re.search(r'<path d="(M[^"]*)" fill="none" stroke="#0072b2"', page).group(1)
    points = [tuple(map(float, pair.split())) for pair in path[1:].split("L")]
    (left, bottom), (right, top) = points[0], points[-1]
    shares = [((x - left) / (right - left), (y - bottom) / (top - bottom)) for x, y in points]
    expected = [(0, 0), (0.4, 2 / 3), (0.8, 2 / 3), (1, 1)]
    assert shares == [pytest.approx(pair, abs=2e-3) for pair in expected]


def test_a_score_without_both_classes_still_has_a_page():
    found = cap.evaluate([1, 1, 1], [1, 2, 3])
    assert "undefined" in found.to_html()
    assert "undefined" in found._repr_html_()
    assert "<svg" not in found.to_html()


def test_a_stated_prevalence_is_said():
    assert "prevalence, as stated" in loans(prevalence=0.02).to_html()


def test_segments_are_tabled_in_order():
    counts = cap.evaluate([1, 0, 1, 0], [1, 2, 3, 4], by=["b", "b", None, "a"])
    words = Reader(counts.to_html()).words
    places = [words.index(name) for name in ("a", "b", "(none)")]
    assert places == sorted(places)


def slot(page):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page).group(1)
    return json.loads(text)


def test_the_slot_holds_exact_counts_at_true_cut_offs():
    counts = cap.count_scores("y", "int_rate", data=some_loans())
    model = slot(cap.evaluate(counts).to_html())["models"][0]
    table = cap.threshold_table(counts)
    assert np.cumsum(model["tp"]).tolist() == table["tp"].tolist()
    assert np.cumsum(model["fp"]).tolist() == table["fp"].tolist()
    assert model["score"] == table["threshold"][1:].tolist()
    assert model["score"][model["ks"] - 1] == cap.ks(counts).threshold


@pytest.mark.turns(3)
@pytest.mark.parametrize("side", ["positive", "negative"])
@pytest.mark.parametrize("kind", ["pd", "income", "single"])
def test_each_cut_off_reaches_as_far_as_the_page_says(kind, side):
    rng = np.random.default_rng(7)
    normal = rng.standard_normal(8000)
    scores = {
        "pd": np.round(1 / (1 + np.exp(3 - normal)), 6),
        "income": np.round(np.exp(10 + normal)).astype(int),
        "single": normal.astype(np.float32).astype(float),
    }
    score = scores[kind]
    counts = cap.count_scores(rng.random(8000) < 0.1, score, higher_is=side)
    found = stops_of(cap.evaluate(counts), "score", 5e-4, 400)
    held = found.sums["tp"] + found.sums["fp"]
    better = np.greater_equal if side == "positive" else np.less_equal

    def selected(cut):
        return int(better(score, cut).sum())

    for cases, reach, following in zip(held, found.reach, found.counts.thresholds, strict=False):
        if reach is None:  # the next score of the data is the next cut-off
            beyond = better(score, following) & (score != following)
            assert int(beyond.sum()) == cases
        else:
            assert selected(reach) == cases
    reaches = [reach for reach in found.reach if reach is not None]
    assert len(reaches) > 100
    assert len(found.counts) < len(counts)
    # A score of two digits selects what one of the cut-offs does, and is within its reach.
    for value in rng.choice(score, 50):
        cut = float(f"{value:.1e}")
        if score.min() <= cut <= score.max():
            assert selected(cut) in held
            reach = found.reach[held.tolist().index(selected(cut))]
            assert reach is None or better(cut, reach)


def test_of_a_few_thousand_scores_each_is_a_cut_off():
    y, score = [0, 1] * 1500, range(3000)
    found = stops_of(cap.evaluate(cap.count_scores(y, score)), "score", 5e-4, 400)
    assert found.counts.thresholds.tolist() == [*reversed(range(3000))]
    assert found.reach == []


@pytest.mark.turns(2)
@pytest.mark.parametrize("scale", [1, 10_000])
def test_a_page_about_any_number_of_cases_stays_below_its_size(scale):
    rng = np.random.default_rng(8)
    score = rng.standard_normal(50_000)
    p = rng.binomial(scale, 1 / (1 + np.exp(3 - score)))
    counts = cap.ScoreCounts.from_counts(score, p, scale - p)
    page = cap.evaluate(counts, value=1000, cost=60).to_html()
    assert len(page.encode()) <= 300_000
    assert slot(page)["tolerance"] == 5e-4


@pytest.mark.merge
def test_five_scores_over_24_months_stay_below_their_size():
    rng = np.random.default_rng(9)
    y = rng.random(24_000) < 0.1
    scores = {f"model {i}": rng.standard_normal(24_000) + y for i in range(5)}
    months = [f"20{24 + i // 12}-{i % 12 + 1:02d}" for i in range(24)]
    page = cap.evaluate(y, scores, by=np.tile(months, 1000)).to_html()
    assert len(page.encode()) <= 500_000
    values = slot(page)
    assert values["ordered"]
    assert [len(model["segments"]) for model in values["models"]] == [24] * 5
    assert all(s["cap"] for model in values["models"] for s in model["segments"])


@pytest.mark.merge
@pytest.mark.parametrize("many", [10, 45])
def test_many_scores_stay_below_their_size_with_exact_numbers(many):
    rng = np.random.default_rng(12)
    y = rng.random(5_000) < 0.1
    scores = {f"model {i}": rng.standard_normal(5_000) + y / (1 + i / 9) for i in range(many)}
    page = cap.evaluate(y, scores).to_html()
    assert len(page.encode()) <= 500_000
    found = slot(page)["models"]
    assert [model["name"] for model in found] == list(scores)
    for model in found:
        score = scores[model["name"]]
        tp, fp = np.cumsum(model["tp"]), np.cumsum(model["fp"])
        for stop, cut in enumerate(model["score"], 1):
            assert tp[stop] == (score[y] >= cut).sum()
            assert fp[stop] == (score[~y] >= cut).sum()
        assert len(model["score"]) >= 25
        assert ("model" in model["bands"]) == (many == 10)
        # The cut-offs of the gains table can be typed.
        assert set(model["gains"]["columns"]["score_to"]) <= set(model["score"])
    shown = page.count("<caption>Gains table of")
    assert shown == 6
    assert f"tables of the other {many - 6} scores" in page
    differences = f"of {many * (many - 1) // 2} differences between scores the first 100 are shown"
    assert (differences in page) == (many == 45)
    assert ("bands around the curves are left out" in page) == (many == 45)


@pytest.mark.merge
def test_of_four_scores_fewer_segments_are_listed_than_of_one_and_the_page_says_so():
    rng = np.random.default_rng(10)
    y, p = rng.random(1600) < 0.3, rng.random(1600)
    branches = [f"branch {i % 80} of the far north" for i in range(1600)]
    one = cap.evaluate(y, p, by=branches, all_segments=True).to_html()
    assert [len(model["segments"]) for model in slot(one)["models"]] == [80]
    assert "segments the first" not in one
    scores = {f"s{i}": p + rng.random(1600) for i in range(4)}
    four = cap.evaluate(y, scores, by=branches, all_segments=True).to_html()
    assert [len(model["segments"]) for model in slot(four)["models"]] == [75] * 4
    assert "of 80 segments the first 75 are shown" in four
    assert "curves are drawn to within 0.16% of the height" in four
    assert slot(four)["tolerance"] == pytest.approx(0.0016)


def bars_of(spread):
    """Return the lower and upper limit of each bar as it is labelled."""
    edges = [*([-np.inf] if spread["below"] else []), *spread["edges"]]
    edges += [np.inf] if spread["above"] else []
    return pairwise(edges)


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("kind", "higher_is"),
    in_turn(["normal", "pd", "whole", "infinite"], ["positive", "negative"]),
)
def test_each_bar_counts_what_its_label_says(kind, higher_is):
    rng = np.random.default_rng(11)
    score = rng.standard_normal(1000)
    if kind == "pd":
        score = 1 / (1 + np.exp(3.6 - 1.1 * score))
    elif kind == "whole":
        score = np.round(600 + 60 * score).astype(int)
    elif kind == "infinite":
        score[:9] = [np.inf, -np.inf, *[np.inf] * 7]
    y = rng.random(1000) < 0.3
    spread = slot(cap.evaluate(y, score, higher_is=higher_is).to_html())["models"][0]["spread"]
    for name, of_class in (("positives", score[y]), ("negatives", score[~y])):
        counted = [int(((of_class >= a) & (of_class < b)).sum()) for a, b in bars_of(spread)]
        if spread["above"]:
            counted[-1] += int((of_class == np.inf).sum())
        assert spread[name] == counted
        assert sum(counted) == len(of_class)
    finite = score[np.isfinite(score)]
    if not spread["above"]:
        assert finite.max() < spread["edges"][-1]
    if not spread["below"]:
        assert finite.min() >= spread["edges"][0]
    assert 10 < len(spread["edges"]) <= 42


@pytest.mark.merge
def test_far_scores_stand_in_a_bar_that_is_labelled_as_open():
    rng = np.random.default_rng(4)
    score = 1 / (1 + np.exp(3.6 - 1.1 * rng.standard_normal(200_000)))
    page = slot(cap.evaluate(rng.random(200_000) < score, {"pd": score}).to_html())
    spread = page["models"][0]["spread"]
    assert (spread["below"], spread["above"]) == (False, True)
    assert spread["edges"][-1] < 0.4 < score.max()


@pytest.mark.parametrize(
    ("path", "folder", "name"),
    [
        ("/home/loans-of-may/a.csv", "loans-of-may", "a.csv"),
        ("C:\\loans-of-may\\a.parquet, b.csv", "loans-of-may", "a.parquet, b.csv"),
    ],
)
def test_the_page_has_the_names_of_files_and_not_their_paths(path, folder, name):
    page = replace(cap.evaluate([1, 0, 1], [1, 2, 3]), source=path).to_html()
    assert slot(page)["source"] == name
    assert f"{name} · " in page
    assert folder not in page


def test_grades_are_texts_however_they_are_named():
    counts = cap.ScoreCounts.from_counts(
        [1.5, 2.0, True], [3, 2, 1], [1, 2, 3], levels=[1.5, 2.0, True]
    )
    model = slot(cap.evaluate(counts).to_html())["models"][0]
    assert model["grades"] == model["score"] == ["1.5", "2", "True"]
    assert (
        model["gains"]["columns"]["score_to"] == model["spread"]["labels"][::-1] == model["grades"]
    )


@pytest.mark.merge
def test_the_first_tenth_and_every_bin_end_at_a_cut_off_that_is_kept():
    rng = np.random.default_rng(3)
    y = rng.random(50_000) < 0.1
    found = cap.evaluate(y, rng.standard_normal(50_000) + y)
    model = slot(found.to_html())["models"][0]
    tp, cases = np.cumsum(model["tp"]), np.cumsum(model["tp"]) + np.cumsum(model["fp"])
    assert 5000 in cases.tolist()
    gains = found.summaries["score"].gains
    kept = dict(zip(model["score"], tp[1:].tolist(), strict=True))
    for score, captured in zip(gains["score_to"].tolist(), gains["cum_positives"], strict=True):
        assert kept[score] == captured


def test_legends_of_still_pictures_stand_below_the_axes():
    page = page_of_loans()
    for drawing in re.findall(r"<svg.*?</svg>", page):
        height = float(re.search(r'viewBox="0 0 \d+ (\d+)"', drawing).group(1))
        axis = max(float(y) for y in re.findall(r'<path d="M[\d.]+ 12V(\d+)"', drawing))
        entries = re.findall(r'<text x="\d+" y="(\d+)">', drawing)
        assert len(entries) >= 3
        assert all(axis + 40 < float(y) < height for y in entries)


def test_profit_needs_both_value_and_cost():
    with pytest.raises(ValueError, match="both value and cost"):
        loans(value=10)
    with pytest.raises(ValueError, match="finite"):
        loans(value=10, cost=float("inf"))
