"""One cut-off: typed, dragged, by keys and by slider, the same in every picture, exact."""

import numpy as np
import pytest
from asking import loans, matrix, matrix_of, rates, type_into

import capcurve as cap

PICTURES = (
    "cap",
    "roc",
    "lift",
    "local-lift",
    "captured",
    "gap",
    "precision-recall",
    "scores",
    "profit",
)


@pytest.fixture
def page(opened):
    return opened(loans(value=1000, cost=60))


@pytest.fixture(scope="module")
def counts():
    return cap.count_scores("y", "int_rate", data="examples/lending_club.csv")


def test_the_numbers_are_the_summarys(page):
    summary = loans().summaries["int_rate"]
    head = page.inner_text("header")
    for number in (summary.accuracy_ratio, summary.roc_auc, summary.ks.statistic):
        assert f"{number:.3f}" in head
    interval = summary.intervals["accuracy_ratio"]
    assert f"{interval.low:.3f} to {interval.high:.3f}" in head
    gap = summary.intervals["ks"]
    assert f"{gap.low:.3f} to {gap.high:.3f}" in head
    top = summary.intervals["captured_10"]
    assert f"{100 * top.low:.1f}% to {100 * top.high:.1f}%" in head
    assert "95% intervals" in head
    assert summary.verdict.sentence[1:] in head
    assert summary.digest[:16] in page.inner_text("footer")
    assert summary.sentence in head
    assert page.told.errors == []


def test_every_picture_is_there_and_nothing_still_is(page):
    for name in PICTURES:
        assert page.is_visible(f"#{name} svg"), name
    assert page.query_selector("#still") is None


@pytest.mark.parametrize("score", ["5", "13.99", "14", "19.885", "30"])
def test_a_typed_score_gives_the_exact_matrix(page, counts, score):
    type_into(page, "#cut", score)
    point = cap.operating_point(counts, threshold=float(score))
    assert matrix(page) == matrix_of(point)


def test_a_typed_share_stops_at_the_nearest_cut_off(page, counts):
    type_into(page, "#share", "20")
    q = cap.threshold_table(counts)["q"]
    nearest = cap.operating_point(counts, q=float(q[np.abs(q - 0.2).argmin()]) + 1e-9)
    assert matrix(page) == matrix_of(nearest)
    assert rates(page)["positives captured (TPR, recall)"] == f"{100 * nearest.captured:.1f}%"


def test_nonsense_is_marked_and_changes_nothing(page):
    before = matrix(page)
    type_into(page, "#cut", "abc")
    assert page.get_attribute("#cut", "aria-invalid") == "true"
    assert matrix(page) == before


def test_each_key_is_one_true_cut_off(page, counts):
    table = cap.threshold_table(counts)
    page.focus("#slider")
    page.keyboard.press("Home")
    assert matrix(page)["tp"] == 0
    assert "Nobody is selected" in page.inner_text(".sentence")
    for place in range(1, 12):
        page.keyboard.press("ArrowRight")
        expected = {name: int(table[name][place]) for name in ("tp", "fp", "fn", "tn")}
        assert matrix(page) == expected
    page.keyboard.press("End")
    assert matrix(page)["fn"] == 0


def test_keys_work_in_the_pictures_too(page):
    page.focus("#gap svg")
    before = matrix(page)
    page.keyboard.press("PageUp")
    assert matrix(page)["tp"] > before["tp"]


@pytest.mark.parametrize("name", PICTURES)
def test_dragging_in_any_picture_moves_all(page, name, counts):
    page.locator(f"#{name} svg").scroll_into_view_if_needed()
    box = page.locator(f"#{name} svg").bounding_box()
    scale = box["width"] / 420
    across, down = box["x"] + 230 * scale, box["y"] + 80 * scale
    page.mouse.move(across - 40, down)
    page.mouse.down()
    page.mouse.move(across, down, steps=3)
    page.mouse.up()
    now = {page.get_attribute(f"#{one} svg", "aria-valuenow") for one in PICTURES}
    assert len(now) == 1
    share = float(now.pop()) / 100
    point = cap.operating_point(counts, q=share + 1e-4)
    assert matrix(page) == matrix_of(point)
    if name == "cap":  # 230 of 420 is (230 - 52) / 354 of the way along the axis
        assert share == pytest.approx((230 - 52) / 354, abs=0.03)


def test_the_slider_moves_by_its_place(page):
    page.evaluate(
        "() => { const s = document.getElementById('slider'); s.value = 500;"
        " s.dispatchEvent(new Event('input')); }"
    )
    assert page.get_attribute("#slider", "aria-valuetext").startswith("top 5")


def test_the_sentence_says_what_the_matrix_shows(page):
    type_into(page, "#share", "10")
    told, shown = page.inner_text(".sentence"), matrix(page)
    assert f"{shown['tp']} of the {shown['tp'] + shown['fp']} selected are positive" in told


def test_the_profit_is_that_of_the_curve(page, counts):
    type_into(page, "#cut", "13.99")
    expected = cap.profit_curve(counts, value=1000, cost=60)
    point = cap.operating_point(counts, threshold=13.99)
    assert rates(page)["profit"] == f"{expected.at(point.q):,.0f}"


def test_grades_are_named_and_typed(opened):
    counts = cap.ScoreCounts.from_counts(
        ["C", "B", "A"], [30, 20, 10], [70, 180, 290], levels=["C", "B", "A"]
    )
    page = opened(cap.evaluate(counts))
    type_into(page, "#cut", "B")
    assert matrix(page) == {"tp": 50, "fp": 250, "fn": 10, "tn": 290}
    assert "grades down to B" in page.inner_text("#matrix")


def test_ten_million_cases_are_counted_exactly(opened):
    rng = np.random.default_rng(3)
    counts = cap.ScoreCounts.from_counts(
        np.arange(3000), rng.integers(1, 500, 3000), rng.integers(1000, 9000, 3000)
    )
    page = opened(cap.evaluate(counts))
    table = cap.threshold_table(counts)
    page.focus("#slider")
    for key in ("Home", "ArrowRight", "PageUp", "PageUp", "ArrowLeft"):
        page.keyboard.press(key)
        shown = matrix(page)
        place = int(np.searchsorted(table["tp"], shown["tp"]))
        assert shown == {name: int(table[name][place]) for name in ("tp", "fp", "fn", "tn")}
