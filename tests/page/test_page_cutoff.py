"""One cut-off: typed, dragged, by keys and by slider, the same in every picture, exact."""

import re

import numpy as np
import pytest
from asking import loans, matrix, matrix_of, rates, type_into, whole

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
    return cap.count_scores("y", "int_rate", data="src/capcurve/datasets/loans.csv")


def test_the_numbers_are_the_summarys(page):
    summary = loans().summaries["int_rate"]
    shown = map(page.inner_text, ("header", ".figures", "#further"))
    head = " ".join(shown).replace("\N{NO-BREAK SPACE}", " ")
    for number in (summary.accuracy_ratio, summary.roc_auc, summary.ks.statistic):
        assert f"{number:.3f}" in head
    interval = summary.intervals["accuracy_ratio"]
    assert f"[{interval.low:.3f}, {interval.high:.3f}]" in head
    gap = summary.intervals["ks"]
    assert f"[{gap.low:.3f}, {gap.high:.3f}]" in head
    top = summary.intervals["captured_10"]
    assert f"[{100 * top.low:.1f}%, {100 * top.high:.1f}%]" in head
    assert "95% intervals" in head
    assert summary.verdict.sentence[1:] in head
    assert summary.digest[:16] in page.inner_text("footer")
    assert all(said in head for said in summary.sentence.removesuffix(".").split(". "))
    assert page.told.errors == []


def test_every_picture_is_there_and_nothing_still_is(page):
    for name in PICTURES:
        assert page.is_visible(f"#{name} svg"), name
    assert page.query_selector(".still") is None


@pytest.mark.parametrize("score", ["5", "13.99", "14", "19.885", "30"])
def test_a_typed_score_gives_the_exact_matrix(page, counts, score):
    type_into(page, "#cut", score)
    point = cap.operating_point(counts, threshold=float(score))
    assert matrix(page) == matrix_of(point)


def test_a_typed_share_stops_at_the_deepest_cut_off_within(page, counts):
    type_into(page, "#share", "20")
    within = cap.operating_point(counts, q=0.2)
    assert matrix(page) == matrix_of(within)
    assert rates(page)["positives captured (TPR, recall)"] == f"{100 * within.captured:.1f}%"
    type_into(page, "#share", "10.8")
    type_into(page, "#share", page.input_value("#share"))
    assert matrix(page) == matrix_of(cap.operating_point(counts, q=0.108))


def test_a_page_with_value_and_cost_opens_at_its_largest_profit(opened, page, counts):
    (best,) = cap.best_thresholds(counts, "profit", value=1000, cost=60)
    assert matrix(page) == matrix_of(best)
    assert "if you select the top 32.8% of cases, int_rate" in page.inner_text("header")
    type_into(page, "#share", "10")
    assert matrix(page) != matrix_of(best)
    page.click("button:has-text('Largest profit')")
    assert matrix(page) == matrix_of(best)
    assert opened(loans(value=60, cost=1000)).input_value("#share") == "9.7"


def test_of_several_scores_the_most_profitable_is_shown_first(opened):
    found = loans(("funded_amnt", "grade_rank"), value=1000, cost=60)
    page = opened(found)
    assert page.locator("#score").input_value() == "1"
    assert (
        matrix(page)["tp"]
        == cap.best_thresholds(found["grade_rank"], "profit", value=1000, cost=60)[0].tp
    )
    assert "grade_rank: Profit is highest if you select the top" in page.inner_text("header")


def test_the_first_cut_off_is_the_headlines_top_tenth(opened, counts):
    page = opened(loans())
    point, summary = cap.operating_point(counts, q=0.1), loans().summaries["int_rate"]
    assert matrix(page) == matrix_of(point)
    told = page.inner_text(".besides")
    assert f"exactly 10.0%. The nearest select {100 * point.q:.1f}%" in told
    assert f"the CAP gives {100 * summary.captured[0.1]:.1f}% captured at 10.0%" in told
    page.click("button[aria-label*='select more']")
    assert not page.is_visible(".besides")


def test_the_headlines_top_tenth_of_many_scores_is_a_cut_off(opened):
    rng = np.random.default_rng(21)
    y = rng.random(20_000) < 0.2
    found = cap.evaluate(y, rng.standard_normal(20_000) + y)
    page = opened(found)
    captured = f"{100 * found.summaries['score'].captured[0.1]:.1f}%"
    assert rates(page)["selected"] == "10.0%"
    assert rates(page)["positives captured (TPR, recall)"] == captured
    assert not page.is_visible(".besides")


TYPED = """texts => texts.map((text) => {
  const box = document.getElementById("cut");
  box.value = text;
  box.dispatchEvent(new Event("change"));
  const cells = ["tp", "fp", "fn", "tn"].map((id) => document.getElementById(id).textContent);
  return [box.value, document.querySelector(".besides").textContent, ...cells];
})"""


def skewed(rng, rows):
    return np.round(np.exp(rng.normal(10, 1, rows))), "negative"


def pds(rng, rows):
    return np.round(1 / (1 + np.exp(rng.normal(3.5, 1.2, rows))), 6), "positive"


def points(rng, rows):
    return rng.normal(600, 40, rows).round(1), "negative"


@pytest.mark.parametrize("made", [skewed, pds, points])
def test_a_typed_score_is_answered_exactly_or_with_a_note(opened, made):
    rng = np.random.default_rng(4)
    score, side = made(rng, 20_000)
    y = rng.random(len(score)) < 0.1
    counts = cap.count_scores(y, score, higher_is=side)
    page = opened(cap.evaluate(counts))
    some = rng.choice(score, 20)
    # Scores of the data, numbers beside them and between two of them, round ones, and the ends.
    asked = [*some, *(some + 3e-7), *((some[1:] + some[:-1]) / 2).round(6)]
    asked += [score.min(), score.max(), score.min() - 1, score.max() + 1]
    round_ones = [float(f"{value:.1e}") for value in some]
    texts = [f"{value:.15g}" for value in (*asked, *round_ones)]
    for text, (shown, told, *cells) in zip(texts, page.evaluate(TYPED, texts), strict=True):
        point = cap.operating_point(counts, threshold=float(text))
        if "is not a cut-off of this page" in told:
            few, many = (
                whole(n) for n in re.findall(r"([\d,]+) cases", told.replace("nobody", "0 cases"))
            )
            assert few < point.tp + point.fp < many
            assert float(text) not in round_ones
        else:
            assert dict(zip(matrix_of(point), map(whole, cells), strict=True)) == matrix_of(point)
            assert point.tp + point.fp == 0 or float(shown) == float(text)
    assert page.told.errors == []


def test_a_typed_score_between_two_stays_as_it_was_typed(opened):
    counts = cap.count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    page = opened(cap.evaluate(counts))
    for text, shown in (("50%", "0.5"), ("0,65", "0.65"), ("0.6", "0.6")):
        type_into(page, "#cut", text)
        assert page.input_value("#cut") == shown
        point = cap.operating_point(counts, threshold=float(shown))
        assert matrix(page) == matrix_of(point)
        told = f"{shown} selects the same cases as {point.threshold}: no score lies between."
        assert page.text_content(".besides") == ("" if shown == "0.6" else told)
    page.focus("#slider")
    page.keyboard.press("ArrowRight")
    assert page.text_content(".besides") == ""


@pytest.mark.parametrize(
    ("box", "text", "told"),
    [
        ("#cut", "abc", "is not a score: type a number"),
        ("#cut", "2%", "type it without the %"),
        ("#cut", "14,500", "can be read in two ways"),
        ("#share", "abc", "is not a share: type a percentage from 0 to 100"),
        ("#share", "120", "is not a share"),
    ],
)
def test_nonsense_is_marked_answered_and_changes_nothing(page, box, text, told):
    before = matrix(page)
    type_into(page, box, text)
    assert page.get_attribute(box, "aria-invalid") == "true"
    assert told in page.inner_text(".besides[role=status]")
    assert matrix(page) == before
    type_into(page, box, "10")
    assert page.get_attribute(box, "aria-invalid") == "false"
    assert told not in page.text_content(".besides")


def test_each_key_is_one_true_cut_off(page, counts):
    table = cap.threshold_table(counts)
    page.focus("#slider")
    page.keyboard.press("Home")
    assert matrix(page)["tp"] == 0
    assert "nobody is selected" in page.inner_text(".sentence")
    for place in range(1, 12):
        page.keyboard.press("Shift+ArrowRight")
        expected = {name: int(table[name][place]) for name in ("tp", "fp", "fn", "tn")}
        assert matrix(page) == expected
    page.keyboard.press("End")
    assert matrix(page)["fn"] == 0


def test_an_arrow_is_a_tenth_of_a_percent_and_says_what_is_captured(opened):
    rng = np.random.default_rng(5)
    y = rng.random(30_000) < 0.1
    page = opened(cap.evaluate(y, rng.standard_normal(30_000) + y))
    page.focus("#slider")
    for key, rise in (("ArrowRight", 0.1), ("PageUp", 5), ("ArrowLeft", -0.1), ("PageDown", -5)):
        before = float(page.get_attribute("#cap svg", "aria-valuenow"))
        page.keyboard.press(key)
        assert float(page.get_attribute("#cap svg", "aria-valuenow")) - before == pytest.approx(
            rise, abs=0.1
        )
    captured = rates(page)["positives captured (TPR, recall)"]
    for place in ("#slider", "#cap svg"):
        assert f", {captured} captured, score" in page.get_attribute(place, "aria-valuetext")


def test_the_address_holds_the_cut_off(opened, counts):
    page = opened(loans(["grade_rank", "int_rate"]), address="#q=0.2&score=int_rate")
    point = cap.operating_point(counts, q=0.2)
    assert matrix(page) == matrix_of(point)
    page.focus("#slider")
    page.keyboard.press("PageUp")
    page.wait_for_timeout(600)
    there = opened(loans(["grade_rank", "int_rate"]), address=page.evaluate("location.hash"))
    assert matrix(there) == matrix(page) != matrix_of(point)


def test_all_scores_are_compared_at_the_share_of_one(opened):
    found = loans(["grade_rank", "int_rate"])
    page = opened(found)
    type_into(page, "#share", "30")
    lines = page.locator("#across tbody tr")
    rows = [lines.nth(i).locator("th, td").all_inner_texts() for i in range(2)]
    # The better one first, each with its limits.
    assert [name for name, *_ in rows] == ["grade_rank", "int_rate"]
    share = float(rows[0][2].rstrip("%")) / 100
    for name, ratio, *shown in rows:
        interval = found.summaries[name].intervals["accuracy_ratio"]
        assert ratio.split("[")[0].strip() == f"{interval.estimate:.3f}"
        assert f"[{interval.low:.3f}, {interval.high:.3f}]" in ratio
        near = min(
            (cap.operating_point(found.counts[name], threshold=score)
             for score in found.counts[name].thresholds.tolist()),
            key=lambda point: abs(point.q - share),
        )  # fmt: skip
        assert shown == [f"{100 * part:.1f}%" for part in (near.q, near.captured)]


def test_keys_work_in_the_pictures_too(page):
    page.focus("#gap svg")
    before = matrix(page)
    page.keyboard.press("PageUp")
    assert matrix(page)["tp"] > before["tp"]


@pytest.mark.parametrize("name", PICTURES)
def test_dragging_in_any_picture_moves_all(page, name, counts):
    page.locator(f"#{name} svg").scroll_into_view_if_needed()
    box = page.locator(f"#{name} .axis >> nth=0").bounding_box()
    across, down = box["x"] + 0.45 * box["width"], box["y"] + 0.3 * box["height"]
    page.mouse.move(across - 40, down)
    page.mouse.down()
    page.mouse.move(across, down, steps=3)
    page.mouse.up()
    now = {page.get_attribute(f"#{one} svg", "aria-valuenow") for one in PICTURES}
    assert len(now) == 1
    share = float(now.pop()) / 100
    point = cap.operating_point(counts, q=share + 1e-4)
    assert matrix(page) == matrix_of(point)
    if name == "cap":
        assert share == pytest.approx(0.45, abs=0.03)


def test_the_slider_moves_by_its_place(page):
    page.evaluate(
        "() => { const s = document.getElementById('slider'); s.value = 500;"
        " s.dispatchEvent(new Event('input')); }"
    )
    assert page.get_attribute("#slider", "aria-valuetext").startswith("top 5")


def test_the_sentence_says_what_the_matrix_shows(page):
    type_into(page, "#share", "10")
    told, shown = page.inner_text(".sentence"), matrix(page)
    assert f"of cases ({shown['tp'] + shown['fp']} of 9,857) contain" in told
    assert f"of all positives ({shown['tp']} of 517), " in told


def test_the_profit_is_that_of_the_curve(page, counts):
    type_into(page, "#cut", "13.99")
    expected = cap.profit_curve(counts, value=1000, cost=60)
    point = cap.operating_point(counts, threshold=13.99)
    assert rates(page)["profit"] == f"{expected.at(point.q):,.0f}"


def test_the_axes_of_the_cap_turn_into_cases_and_positives(page, counts):
    page.check("text=Show cases and positives instead of shares")
    names = page.locator("#cap .name").all_text_contents()
    assert names == ["cases selected", "positives captured"]
    type_into(page, "#cut", "13.99")
    point = cap.operating_point(counts, threshold=13.99)
    assert page.text_content("#cap .told") == str(point.tp)
    page.click("#cap button:has-text('Numbers')")
    last = page.locator("#cap .numbers tbody tr").last.locator("td").all_inner_texts()
    assert last[2:] == ["517", "517"]


def test_a_stated_prevalence_has_no_axes_in_cases(opened):
    page = opened(loans(prevalence=0.5))
    assert page.query_selector("#absolute") is None


def test_grades_are_named_and_typed(opened):
    counts = cap.ScoreCounts.from_counts(
        ["C", "B", "A"], [30, 20, 10], [70, 180, 290], levels=["C", "B", "A"]
    )
    page = opened(cap.evaluate(counts))
    type_into(page, "#cut", "B")
    assert matrix(page) == {"tp": 50, "fp": 250, "fn": 10, "tn": 290}
    assert "Selected: grades C to B" in page.inner_text("#matrix")
    type_into(page, "#cut", "C")
    assert page.inner_text(".sentence").endswith("(grade C).")


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
