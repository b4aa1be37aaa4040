"""CAP and ROC: the points end where the ROC has them, the ratio stays, still people see it jump."""

import pytest
from asking import loans, points, type_into

import capcurve as cap

OWN = "#morphing svg path.line.m0"


@pytest.fixture
def page(opened):
    return opened(loans())


def shares(page):
    """Return the moving curve in shares of the axes."""
    drawn = points(page.get_attribute(OWN, "d"))
    (left, bottom), (right, top) = drawn[0], drawn[-1]
    return [((x - left) / (right - left), (y - bottom) / (top - bottom)) for x, y in drawn]


def slide_to(page, part):
    page.evaluate(
        "part => { const s = document.getElementById('morph'); s.value = 1000 * part;"
        " s.dispatchEvent(new Event('input')); }",
        part,
    )


def test_it_begins_at_the_cap_and_ends_at_the_rocs_points(page):
    table = cap.threshold_table(loans().counts["int_rate"])
    expected = {0: "q", 1: "fpr"}
    for part, along in expected.items():
        slide_to(page, part)
        found = shares(page)
        assert len(found) == len(table[along])
        for (x, y), q, tpr in zip(found, table[along], table["tpr"], strict=True):
            assert (x, y) == (pytest.approx(q, abs=1e-4), pytest.approx(tpr, abs=1e-4))


def test_the_ratio_does_not_move_and_is_said_not_to(page):
    for part in (0, 0.3, 1):
        slide_to(page, part)
        told = page.inner_text("#ratio")
        assert "= 0.484" in told
        assert "It stays the same" in told


def test_the_shift_at_the_cut_off_is_printed(page):
    type_into(page, "#cut", "13.99")
    counts = loans().counts["int_rate"]
    point = cap.operating_point(counts, threshold=13.99)
    shift = counts.n1 / counts.n * (point.captured - point.fpr)
    assert f"= {100 * shift:.1f}".rstrip("0").rstrip(".") in page.inner_text("#moved")


@pytest.mark.merge
def test_the_button_plays_it_to_the_end(page, kept):
    kept(page, "morph-cap", full=False)
    page.click("#play")
    page.locator("#stage:has-text('ROC: x counts')").wait_for()
    assert page.input_value("#morph") == "1000"
    kept(page, "morph-roc")
    page.click("#play")
    page.locator("#stage:has-text('CAP: x counts')").wait_for()


def test_it_jumps_for_those_who_want_no_motion(opened):
    page = opened(loans(), reduced_motion="reduce")
    page.click("#play")
    assert page.inner_text("#stage").startswith("ROC")


def test_five_cases_show_the_steps_standing_up(page, kept):
    page.check("#teach")
    expected = {
        0: [(0, 0), (0.2, 0.5), (0.4, 0.5), (0.6, 1), (0.8, 1), (1, 1)],
        1: [(0, 0), (0, 0.5), (1 / 3, 0.5), (1 / 3, 1), (2 / 3, 1), (1, 1)],
    }
    for part, steps in expected.items():
        slide_to(page, part)
        assert shares(page) == [pytest.approx(step, abs=1e-4) for step in steps]
        assert "= 0.667" in page.inner_text("#ratio")
        kept(page, f"five-cases-{part}")
    assert "now vertical" in page.inner_text("#explained")
