"""Card and page: the summary's numbers, nothing loaded, every name escaped."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import capcurve as cap

LOANS = "examples/lending_club.csv"
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


def loans(**keywords):
    return cap.evaluate("y", ["grade_rank", "int_rate"], data=LOANS, **keywords)


@pytest.mark.parametrize("render", ["to_html", "_repr_html_"])
def test_the_numbers_are_the_summarys(render):
    found = loans()
    words = " ".join(Reader(getattr(found, render)()).words)
    for summary in found.summaries.values():
        assert f"{summary.accuracy_ratio:.3f}" in words
        assert f"{summary.roc_auc:.3f}" in words
        assert f"{summary.ks.statistic:.3f}" in words
        assert summary.sentence in words


def test_a_card_runs_and_loads_nothing():
    card = Reader(loans()._repr_html_())
    assert "script" not in card.tags
    assert_nothing_is_loaded(card)


def test_a_page_runs_its_own_script_and_loads_nothing():
    page = Reader(loans().to_html())
    assert page.tags.count("script") == 2  # the slot of values, and what draws them
    assert_nothing_is_loaded(page)


def assert_nothing_is_loaded(page):
    assert not {"link", "img", "iframe", "object", "embed"} & set(page.tags)
    names = {name for _, name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not {"src", "href", "xlink:href", "action"} & names


def test_the_page_forbids_everything_to_itself():
    page = Reader(loans().to_html())
    policy = [v for tag, name, v in page.attributes if tag == "meta" and name == "content"]
    assert any(text.startswith("default-src 'none'") for text in policy)


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("render", ["to_html", "_repr_html_"])
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


def test_a_page_of_many_rows_stays_small():
    rng = np.random.default_rng(2)
    y = rng.random(300_000) < 0.1
    page = cap.evaluate(y, rng.standard_normal(300_000) + y).to_html()
    assert len(page) < 200_000


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
    counts = cap.count_scores("y", "int_rate", data=LOANS)
    model = slot(cap.evaluate(counts).to_html())["models"][0]
    table = cap.threshold_table(counts)
    assert np.cumsum(model["tp"]).tolist() == table["tp"].tolist()
    assert np.cumsum(model["fp"]).tolist() == table["fp"].tolist()
    assert model["score"] == table["threshold"][1:].tolist()
    assert model["score"][model["ks"] - 1] == cap.ks(counts).threshold


@pytest.mark.parametrize("scale", [1, 10_000])
def test_a_page_about_any_number_of_cases_stays_below_its_size(scale):
    rng = np.random.default_rng(8)
    score = rng.standard_normal(50_000)
    p = rng.binomial(scale, 1 / (1 + np.exp(3 - score)))
    counts = cap.ScoreCounts.from_counts(score, p, scale - p)
    page = cap.evaluate(counts, value=1000, cost=60).to_html()
    assert len(page.encode()) <= 200_000
    assert slot(page)["tolerance"] == 5e-4


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


def test_a_page_gets_coarser_rather_than_larger_and_says_so():
    rng = np.random.default_rng(10)
    y, p = rng.random(6000) < 0.3, rng.random(6000)
    page = cap.evaluate(y, p, by=[f"branch {i % 900} of the far north" for i in range(6000)])
    text = page.to_html()
    assert len(text.encode()) <= 500_000
    assert "of 900 segments the first" in text


def test_the_scores_of_each_class_are_counted_exactly():
    rng = np.random.default_rng(11)
    y, p = rng.random(5000) < 0.3, rng.standard_normal(5000)
    for higher_is in ("positive", "negative"):
        spread = slot(cap.evaluate(y, p, higher_is=higher_is).to_html())["models"][0]["spread"]
        inner = spread["edges"][1:-1]
        for name, of_class in (("positives", p[y]), ("negatives", p[~y])):
            place = np.searchsorted(inner, of_class, side="right")
            assert spread[name] == np.bincount(place, minlength=24).tolist()


def test_profit_needs_both_value_and_cost():
    with pytest.raises(ValueError, match="both value and cost"):
        loans(value=10)
    with pytest.raises(ValueError, match="finite"):
        loans(value=10, cost=float("inf"))
