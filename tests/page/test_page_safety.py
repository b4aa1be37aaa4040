"""Offline, without script, with hostile names, on paper: the page stays a page."""

import numpy as np
import pytest
from asking import loans, matrix

import capcurve as cap

NASTY = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u202e\"'🙂"


def hostile():
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 2, 300), rng.integers(0, 6, 300)
    names = np.array(["<b>A</b>", NASTY, "C" * 10_000, "`${window.hacked=1}`", "&amp;", "--><x"])
    segments = np.where(rng.random(300) < 0.5, NASTY, "x" * 10_000)
    return cap.evaluate(
        y,
        {NASTY: names[p], "y" * 10_000: names[p]},
        by=list(segments),
        levels=list(names),
        title=NASTY * 50,
    )


def test_no_request_leaves_and_nothing_is_refused(opened):
    page = opened(loans(["grade_rank", "int_rate"], by="sub_grade"))
    page.click("#play")
    page.wait_for_timeout(300)
    assert page.told.requests == []
    assert page.told.errors == []


def test_the_policy_stops_what_was_not_written_by_us(opened):
    page = opened(loans().to_html().replace("</body>", "<script>window.hacked=1</script></body>"))
    assert page.evaluate("window.hacked") is None
    assert any("Content Security Policy" in error for error in page.told.errors)
    assert page.is_visible("#cap svg")


def test_hostile_names_stay_names(opened, kept):
    page = opened(hostile())
    page.select_option("#score", "1")
    page.click(".picker-of-segments summary")
    page.check(".chips input >> nth=0")
    for button in page.query_selector_all("button[aria-expanded]"):
        button.click()
    assert page.evaluate("window.hacked") is None
    assert page.told.errors == []
    assert page.told.requests == []
    assert page.query_selector("img, main b script") is None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    kept(page, "hostile-names")


def test_without_script_pictures_and_tables_remain(opened, kept):
    page = opened(loans(), java_script_enabled=False)
    assert page.is_visible(".still svg >> nth=0")
    assert page.locator(".still figure").count() == 4
    assert "Gains table of int_rate" in page.inner_text("main")
    assert not page.is_visible("#live")
    kept(page, "without-script")


def test_a_frame_of_a_notebook_runs_it_and_nothing_else(opened):
    from capcurve.show.html import page_in_frame

    page = opened("<!doctype html><body>" + page_in_frame(loans().to_html(), "loans"))
    frame = page.frames[1]
    frame.wait_for_selector("#cap svg")
    assert frame.evaluate("window.origin") == "null"
    assert frame.inner_text("#tp") == "145"


def test_it_prints_on_two_sheets(opened):
    page = opened(loans(value=1000, cost=60))
    printed = page.pdf(format="A4")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") <= 2


def test_one_class_is_said_and_shows_no_pictures(opened):
    page = opened(cap.evaluate([1, 1, 1], [1, 2, 3]))
    assert "undefined" in page.inner_text("header")
    assert page.query_selector("svg") is None
    assert page.told.errors == []


def test_weights_are_shown_as_weights(opened):
    rng = np.random.default_rng(5)
    y, p, w = rng.integers(0, 2, 400), rng.random(400), rng.random(400) * 10
    page = opened(cap.evaluate(y, p, weight=w, weight_kind="exposure"))
    assert "Confusion matrix, weighted" in page.inner_text("#matrix")
    page.focus("#slider")
    page.keyboard.press("End")
    assert float(page.inner_text("#in").replace(",", "")) == pytest.approx(w.sum(), rel=1e-4)


def test_a_stated_prevalence_moves_shares_and_not_cases(opened):
    page = opened(loans(prevalence=0.5))
    page.focus("#slider")
    page.keyboard.press("End")
    assert matrix(page) == {"tp": 517, "fp": 9340, "fn": 0, "tn": 0}
    assert "prevalence of 50.0%" in page.inner_text("#matrix")
    page.fill("#share", "50")
    page.press("#share", "Enter")
    counts = loans().counts["int_rate"]
    shown = page.inner_text("#matrix .rates dd >> nth=1")
    at = float(page.inner_text("#matrix .rates dd >> nth=0").rstrip("%")) / 100
    assert float(shown.rstrip("%")) / 100 == pytest.approx(
        cap.cap_curve(counts, prevalence=0.5).at(at), abs=2e-3
    )
