"""Tables, downloads and copies; several scores and segments."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from asking import loans, matrix

import capcurve as cap


@pytest.fixture
def page(opened):
    return opened(loans())


def downloaded(page, click):
    with page.expect_download() as found:
        page.click(click)
    return found.value.suggested_filename, Path(found.value.path()).read_bytes()


def test_the_gains_table_is_the_summarys(page):
    table = loans().summaries["int_rate"].gains
    rows = page.locator("#gains tbody tr")
    assert rows.count() == len(table["bin"])
    cells = rows.nth(2).locator("td").all_inner_texts()
    assert cells[3] == f"{table['n'][2]:,}"
    assert cells[-2] == f"{table['cum_lift'][2]:.2f}"


def test_cut_offs_download_in_full(page):
    name, data = downloaded(page, "#thresholds button:has-text('CSV')")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8"))))
    table = cap.threshold_table(loans().counts["int_rate"])
    assert name.endswith(".csv")
    assert [int(row["tp"]) for row in rows] == table["tp"].tolist()
    assert [float(row["score"]) for row in rows[1:]] == table["threshold"][1:].tolist()


def test_tables_sort_both_ways(page):
    head = "#gains th:has-text('positives') >> nth=0"
    column = "#gains tbody td:nth-child(5)"
    page.click(f"{head} >> button")
    found = [int(text) for text in page.locator(column).all_inner_texts()]
    assert found == sorted(found, reverse=True)
    assert page.get_attribute(head, "aria-sort") == "descending"
    page.click(f"{head} >> button")
    found = [int(text) for text in page.locator(column).all_inner_texts()]
    assert found == sorted(found)


def test_the_gains_table_has_sums_bars_and_the_largest_ks(page):
    table = loans().summaries["int_rate"].gains
    total = page.locator("#gains tfoot td").all_inner_texts()
    assert (total[0], total[3], total[4], total[5]) == ("all", "9,857", "517", "5.2%")
    assert page.locator("#gains td.top").all_inner_texts() == [f"{max(table['ks']):.3f}"]
    assert page.locator("#gains td.barred").count() == sum(table["rate"] > 0)


def test_a_row_of_the_cut_offs_moves_the_cut_off(page):
    page.click("#thresholds tbody tr:nth-child(5) button")
    cells = page.locator("#thresholds tbody tr:nth-child(5) td").all_inner_texts()
    assert matrix(page)["tp"] == int(cells[2].replace(",", ""))


def test_all_cut_offs_can_be_shown(page):
    page.click("#thresholds button:has-text('Show all')")
    assert page.locator("#thresholds tbody tr").count() == 73


def test_pictures_are_saved_alone(page):
    name, data = downloaded(page, "#cap button:has-text('SVG')")
    text = data.decode("utf-8")
    assert name == "cap-int_rate.svg"
    assert "var(--" not in text
    assert "n = 9,857, positives 517, accuracy ratio 0.484 [0.442, 0.524]" in text
    assert 'stroke="rgb(0, 102, 168)"' in text
    name, data = downloaded(page, "#roc button:has-text('PNG')")
    assert name.endswith(".png")
    assert data.startswith(b"\x89PNG")
    assert len(data) > 20_000


def test_sentence_and_tables_are_copied(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("text=Copy sentence")
    sentence, origin = page.evaluate("navigator.clipboard.readText()").split(" [")
    assert sentence == page.inner_text(".sentence")
    assert origin.startswith("loans.csv, 20")
    assert f"digest {loans().summaries['int_rate'].digest[:16]}, " in origin
    page.click("#gains button:has-text('Copy for spreadsheet')")
    page.wait_for_timeout(200)
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.splitlines()[2].split("\t")[3] == "954"
    html = page.evaluate(
        "navigator.clipboard.read().then(items => items[0].getType('text/html'))"
        ".then(blob => blob.text())"
    )
    assert "<table>" in html


def test_numbers_stand_beside_each_picture(page):
    for name in ("cap", "roc", "lift", "local-lift", "captured", "gap", "precision-recall"):
        page.click(f"#{name} button:has-text('Numbers')")
        assert page.locator(f"#{name} .numbers tbody tr").count() > 5
    middle = page.locator("#cap .numbers tbody tr").nth(5).locator("td").all_inner_texts()
    counts = loans().counts["int_rate"]
    q = float(middle[0].rstrip("%")) / 100
    assert float(middle[2].rstrip("%")) / 100 == pytest.approx(
        cap.captured_response(counts, q), abs=1e-3
    )


def test_of_many_scores_the_six_best_are_drawn_until_others_are_chosen(opened):
    rng = np.random.default_rng(9)
    target = rng.random(2000) < 0.3
    scores = {f"s{i}": target * i / 4 + rng.normal(size=2000) for i in range(9)}
    page = opened(cap.evaluate(target, scores))
    page.wait_for_selector(".legend-bar")
    ticked = [box.is_checked() for box in page.locator(".legend-bar input").all()]
    assert ticked == [False] * 3 + [True] * 6
    assert page.input_value("#score") == "8"
    entries = page.locator("#cap .legend").all_text_contents()
    assert [entry.split()[0] for entry in entries][:6] == [f"s{i}" for i in range(3, 9)]
    page.select_option("#score", label="s1")
    assert page.locator(".legend-bar label:nth-child(2) input").is_checked()
    assert page.locator("#cap circle.mark").count() == 1


def test_scores_are_switched_on_and_off(opened):
    page = opened(loans(["grade_rank", "int_rate"]))
    assert page.locator("#cap svg.picture path.line.m1").count() == 2  # the curve and its legend
    page.uncheck(".legend-bar label:nth-child(2) input")
    assert page.locator("#cap svg.picture path.line.m1").count() == 0
    page.check(".legend-bar label:nth-child(2) input")
    assert page.locator("#cap svg.picture path.line.m1").count() == 2
    page.select_option("#score", label="int_rate")
    assert "int_rate" in page.inner_text("#gains caption")


def test_the_side_by_side_numbers_have_limits(opened):
    found = loans(["grade_rank", "int_rate"])
    page = opened(found)
    interval = found.summaries["grade_rank"].intervals["ks"]
    text = " ".join(page.inner_text(".scores tbody tr:nth-child(1)").split())
    assert re.search(
        rf"{interval.estimate:.3f}\s+\[{interval.low:.3f}, {interval.high:.3f}\]", text
    )


def test_segments_are_tabled_and_drawn_on_request(opened):
    found = loans(by="sub_grade")
    page = opened(found)
    assert page.locator("#segments tbody tr").count() == len(found.segments["int_rate"])
    page.click(".picker-of-segments summary")
    page.check(".chips label:nth-child(3) input")
    assert page.locator("#cap svg.picture path.line.s0").count() == 2  # the curve and its legend
    assert page.locator("#roc svg.picture path.line.s0").count() == 2
    assert page.is_visible("#trend-ar svg")


def test_every_step_of_five_cases_has_its_sentence(opened):
    counts = cap.count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    page = opened(cap.evaluate(counts))
    assert not page.is_visible("#steps table")
    page.click("#steps summary")
    rows = page.locator("#steps tbody tr")
    assert rows.count() == 6
    assert "The top 40.0% of cases contain 66.7% of all positives" in rows.nth(2).inner_text()
