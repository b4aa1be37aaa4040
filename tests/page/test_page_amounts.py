"""The page of amounts: numbers of the library at every cut-off, in the words of the columns."""

import csv
import functools
import io
import re

import numpy as np
import pytest
from asking import boxes, page_of, rates, type_into
from test_page_looks import open_everything, violations
from test_page_safety import NASTY
from test_page_tables import downloaded

import capcurve as cap
from capcurve.show.format import money, number, quantity

PICTURES = ("cap", "mean-amount", "lift", "profit", "scores")
# Grades of twelve cases, the best first, with their amounts: ties, and cases without an amount.
SCORES = [9, 9, 7, 7, 7, 5, 5, 4, 2, 2, 1, 1]
AMOUNTS = [120, 0, 30, 250, 0, 10, 0, 0, 40, 0, 0, 5]


def policies(rows=3000):
    """Return two scores of policies as columns, with insured years and claims, over months."""
    rng = np.random.default_rng(13)
    risk = rng.standard_normal(rows)
    claims = rng.random(rows) < 0.1 * np.exp(0.8 * risk)
    return {
        "tariff": np.round(risk + 0.5 * rng.standard_normal(rows), 1),
        "old": np.round(risk + 1.5 * rng.standard_normal(rows), 1),
        "claims": np.where(claims, np.round(rng.lognormal(6, 1, rows), 2), 0.0),
        "years": np.round(rng.uniform(0.1, 1, rows), 2),
        "month": np.array([f"2024-{1 + row % 12:02d}" for row in range(rows)]),
    }


@functools.cache
def evaluated(*scores, **asked):
    return _evaluated(scores or ("tariff",), **asked)


def _evaluated(scores, *, names=("claims", "years"), **asked):
    columns = policies()
    amount, exposure = names
    data = {**columns, amount: columns["claims"], exposure: columns["years"]}
    score = scores[0] if len(scores) == 1 else list(scores)
    return cap.evaluate(amount=amount, exposure=exposure, score=score, data=data, **asked)


@functools.cache
def twelve():
    return cap.evaluate(amount=AMOUNTS, score=SCORES)


@functools.cache
def signed():
    columns = policies()
    profit = columns["claims"] - 300 * columns["years"]
    return cap.evaluate(
        amount="result",
        exposure="years",
        score="tariff",
        data={**columns, "result": profit},
        value=1,
        cost=2,
    )


def held(page, name):
    """Return what the card shows of a sum: selected, not selected, all."""
    return [page.inner_text(f"#{name}-{side}") for side in ("in", "out", "all")]


def texts(page, place):
    return page.locator(place).all_text_contents()


@pytest.fixture
def page(opened):
    return opened(evaluated(value=1, cost=200))


@pytest.mark.parametrize("score", ["2.5", "1", "0.05", "-3"])
def test_a_typed_score_gives_the_sums_of_the_rows(page, score):
    type_into(page, "#cut", score)
    rows = policies()
    chosen = rows["tariff"] >= float(score)
    sides = (chosen, ~chosen, np.ones(len(chosen), dtype=bool))
    claims, years = ([rows[name][side].sum() for side in sides] for name in ("claims", "years"))
    assert held(page, "cases") == [f"{int(side.sum()):,}" for side in sides]
    assert held(page, "captured") == [quantity(float(round(sum_, 2))) for sum_ in claims]
    assert held(page, "selected") == [quantity(float(round(sum_, 2))) for sum_ in years]
    means = [a / e for a, e in zip(claims, years, strict=True)]
    assert held(page, "mean") == [quantity(float(mean)) for mean in means]
    shown = rates(page)
    assert shown["years selected"] == f"{100 * years[0] / years[2]:.1f}%"
    assert shown["claims captured"] == f"{100 * claims[0] / claims[2]:.1f}%"
    assert shown["lift"] == f"{means[0] / means[2]:.2f}"
    assert shown["profit"] == money(claims[0] - 200 * years[0])


def test_the_numbers_are_the_librarys(page):
    found = evaluated(value=1, cost=200)
    summary = found.summaries["tariff"]
    shown = ("header", ".figures", "#further", "#more-numbers")
    head = " ".join(map(page.inner_text, shown)).replace("\N{NO-BREAK SPACE}", " ")
    for key in ("accuracy_ratio", "concentration_index"):
        interval = cap.confidence_interval(found["tariff"], key)
        assert f"{interval.estimate:.3f}" in head
        assert f"[{interval.low:.3f}, {interval.high:.3f}]" in head
    assert all(said in head for said in summary.sentence.removesuffix(".").split(". "))
    assert summary.verdict.sentence[1:] in head
    (entry, *_) = texts(page, "#cap .legend")
    ratio = cap.confidence_interval(found["tariff"], "accuracy_ratio")
    assert entry == f"tariff  AR {ratio.estimate:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
    assert page.told.errors == []


def test_what_is_about_classes_is_not_there(page):
    for name in (*PICTURES, "matrix", "gains", "thresholds"):
        assert page.is_visible(f"#{name}"), name
    for name in ("roc", "captured", "gap", "precision-recall", "local-lift", "morphing"):
        assert page.query_selector(f"#{name}") is None, name
    words = page.inner_text("main")
    for word in ("positive", "negative", "prevalence", "ROC", "KS", "precision", "amount"):
        assert not re.search(rf"\b{word}", words), word


def test_every_picture_says_years_and_claims(page):
    assert texts(page, "#cap .name") == [
        "share of all years selected",
        "share of all claims captured",
    ]
    assert texts(page, "#mean-amount .name")[1] == "claims per unit of years"
    assert texts(page, "#lift .name")[1:] == [
        "lift: times a random selection",
        "claims per unit of years",
    ]
    assert texts(page, "#scores .legend") == ["claims, tariff", "years, tariff"]
    told = page.inner_text(".sentence")
    sums = r"\([\d,.]+ of [\d,.]+\)"
    assert re.match(
        rf"By tariff, the top [\d.]+% of years {sums} contain [\d.]+% of all claims {sums}, ", told
    )


def test_without_exposure_cases_contain_the_amount(opened):
    page = opened(twelve())
    type_into(page, "#cut", "7")
    assert page.inner_text(".sentence") == (
        "By score, the top 41.7% of cases (5 of 12) contain 87.9% of the amount (400 of 455), "
        "2.11 times as much as a random selection of that size, a mean of 80 per case "
        "(score\N{NO-BREAK SPACE}≥\N{NO-BREAK SPACE}7)."
    )
    assert held(page, "selected") == ["5", "7", "12"]
    assert held(page, "mean") == ["80", "7.86", "37.92"]
    assert page.query_selector("#cases-in") is None
    assert texts(page, "#mean-amount .name")[1] == "mean amount per case"
    page.click("#mean-amount button:has-text('Numbers')")
    rows = page.locator("#mean-amount .numbers tbody tr").all_inner_texts()
    assert [row.split("\t")[2:] for row in rows] == [
        ["9", "60"],
        ["7", "93.33"],
        ["5", "5"],
        ["4", "0"],
        ["2", "20"],
        ["1", "2.50"],
    ]
    page.click("#steps summary")
    assert "The top 16.7% of cases contain 26.4% of the amount." in page.inner_text("#steps")


def test_one_cut_off_moves_through_all_pictures(page):
    places = {}
    for key in ("Home", "PageUp", "ArrowRight", "PageUp", "End"):
        page.focus("#slider")
        page.keyboard.press(key)
        now = {page.get_attribute(f"#{name} svg", "aria-valuenow") for name in PICTURES}
        assert len(now) == 1
        places[key] = now.pop()
    assert float(places["Home"]) == 0
    assert float(places["End"]) == 100
    for name in PICTURES:
        page.locator(f"#{name} svg").scroll_into_view_if_needed()
        box = page.locator(f"#{name} .axis >> nth=0").bounding_box()
        page.mouse.click(box["x"] + 0.45 * box["width"], box["y"] + 0.3 * box["height"])
        now = {page.get_attribute(f"#{one} svg", "aria-valuenow") for one in PICTURES}
        assert len(now) == 1, name
        if name in {"cap", "lift", "mean-amount"}:
            assert float(now.pop()) == pytest.approx(45, abs=3)


def test_the_axes_turn_into_years_and_claims_and_back(page):
    counts = evaluated(value=1, cost=200)["tariff"]
    drawn = page.get_attribute("#cap path.line.m0", "d")
    page.check("text=Show years and claims instead of shares")
    assert texts(page, "#cap .name") == ["years selected", "claims captured"]
    type_into(page, "#cut", "1")
    point = cap.operating_point(counts, threshold=1)
    assert texts(page, "#cap .told") == [quantity(point.amount)]
    page.click("#cap button:has-text('Numbers')")
    last = page.locator("#cap .numbers tbody tr").last.locator("td").all_inner_texts()
    assert last[2:] == [quantity(counts.amount)] * 2
    page.uncheck("text=Show years and claims instead of shares")
    assert page.get_attribute("#cap path.line.m0", "d") == drawn


def test_bands_have_the_means_of_the_gains_table(page):
    table = evaluated(value=1, cost=200).summaries["tariff"].gains
    page.click("#mean-amount button:has-text('Numbers')")
    rows = page.locator("#mean-amount .numbers tbody tr").all_inner_texts()
    found = [row.split("\t")[-1] for row in rows]
    assert found == [quantity(mean) for mean in table["mean_amount"].tolist()]
    type_into(page, "#cut", str(table["score_to"][1]))
    assert texts(page, "#mean-amount .told") in ([], [found[1]])


def test_both_axes_of_the_lift_agree(page):
    counts = evaluated(value=1, cost=200)["tariff"]
    axes = [texts(page, f"#lift .axis >> nth={place} >> .tick text") for place in (1, 2)]
    heights = [
        [top for _, top, _, _ in boxes(page, f"#lift .axis:nth-child({place}) .tick text")]
        for place in (2, 3)
    ]
    lifts = [float(text) for text in axes[0]]
    means = [1000 * float(t[:-1]) if t.endswith("K") else float(t) for t in axes[1]]
    down = np.polyfit(heights[0], lifts, 1)
    for top, mean in zip(heights[1], means, strict=True):
        expected = np.polyval(down, top) * cap.mean_amount(counts)
        assert mean == pytest.approx(expected, abs=0.01 * max(means))


def test_tables_have_the_sums_and_are_headed_by_their_names(page):
    counts = evaluated(value=1, cost=200)["tariff"]
    heads = page.locator("#thresholds thead th").all_inner_texts()
    assert heads == [
        "score",
        "selected",
        "cases",
        "years",
        "claims",
        "captured",
        "mean claims",
        "lift",
    ]
    _, data = downloaded(page, "#thresholds button:has-text('CSV')")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8"))))
    assert len(rows) > 50
    for row in rows[1::9]:
        point = cap.operating_point(counts, threshold=float(row["score"]))
        assert int(row["n"]) == point.n
        for name in ("exposure", "amount", "captured", "mean_amount", "lift"):
            assert float(row[name]) == pytest.approx(getattr(point, name), rel=1e-9), name
    gains = evaluated(value=1, cost=200).summaries["tariff"].gains
    assert page.locator("#gains tbody tr").count() == len(gains["bin"])
    assert "mean claims" in page.inner_text("#gains thead")


def test_several_scores_are_tested_on_the_same_rows(opened):
    found = evaluated("tariff", "old")
    page = opened(found)
    (pair,) = found.comparison.pairs
    told = page.inner_text("#compare table")
    assert "tariff minus old" in told
    assert f"{pair.estimate:+.3f}" in told
    assert f"{pair.estimate:+.3f}" in page.inner_text("header")
    entries = texts(page, "#cap .legend")
    assert [entry.split()[0] for entry in entries] == ["tariff", "old", "perfect", "random"]
    page.select_option("#score", label="old")
    for place in ("#mean-amount", "#scores", "#matrix", "#gains", "#thresholds", ".sentence"):
        assert "old" in page.inner_text(place), place
    shared = page.inner_text("#more-numbers .level")
    assert f"claims {quantity(found['old'].amount)}" in shared


def test_months_show_each_ratio_with_its_interval_and_the_mean(opened):
    found = evaluated("tariff", "old", by="month")
    page = opened(found)
    assert page.locator("#trend-ar path.line.thin.m0").count() == 12
    assert page.locator("#trend-ar path.line.thin.m1").count() == 12
    assert page.locator("#trend-mean circle").count() == 12
    months = found.segment_summaries["tariff"]
    rows = [row.split("\t") for row in page.locator("#segments tbody tr").all_inner_texts()]
    for row, (month, summary) in zip(rows, months.items(), strict=True):
        low, high = summary.accuracy_ratio_low, summary.accuracy_ratio_high
        assert row == [
            month,
            f"{summary.n:,}",
            quantity(summary.exposure),
            quantity(summary.amount),
            quantity(summary.mean_amount),
            f"{number(summary.accuracy_ratio)} [{number(low)}, {number(high)}]",
        ]
    page.click(".picker-of-segments summary")
    page.check(".chips label:nth-child(3) input")
    assert page.locator("#cap svg.picture path.line.s0").count() == 2  # the curve and its legend
    page.check("text=Show years and claims instead of shares")
    assert page.locator("#cap svg.picture path.line.s0").count() == 0


def test_amounts_below_zero_are_drawn_in_their_units_alone(opened, kept):
    page = opened(signed())
    assert page.told.errors == []
    assert texts(page, "#cap .name") == ["years selected", "result captured"]
    assert page.query_selector("#absolute") is None
    assert page.query_selector("#lift") is None
    assert page.query_selector("#log") is None
    type_into(page, "#cut", "1")
    point = cap.operating_point(signed()["tariff"], threshold=1)
    told = page.inner_text(".sentence")
    assert f"contain {quantity(point.amount)} of {quantity(signed()['tariff'].amount)}" in told
    assert texts(page, "#top-mean .told") == [quantity(point.mean_amount)]
    bars = boxes(page, "#mean-amount rect.bar")[:10]
    assert len({round(bottom) for _, _, _, bottom in bars}) > 1  # some hang below zero
    kept(page, "amounts-signed")


@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_huge_and_tiny_amounts_are_drawn_as_usual_ones(opened, unit):
    counts = cap.count_values([unit * amount for amount in AMOUNTS], SCORES)
    usual = cap.count_values(AMOUNTS, SCORES)
    pages = [opened(cap.evaluate(each)) for each in (counts, usual)]
    for place in ("#cap path.line.m0", "#cap path.line.perfect", "#lift path.line.m0"):
        drawn, expected = (page.get_attribute(place, "d") for page in pages)
        assert drawn == expected
    assert pages[0].told.errors == []
    widths = [right - left for left, _, right, _ in boxes(pages[0], ".tick text")]
    assert max(widths) < 60


def test_clusters_are_shown_like_rows(opened):
    columns = policies()
    found = cap.evaluate(
        amount="claims",
        exposure="years",
        score="tariff",
        data={**columns, "owner": np.arange(len(columns["years"])) // 5},
        cluster="owner",
    )
    page = opened(found)
    interval = found.summaries["tariff"].intervals["accuracy_ratio"]
    assert interval.method == "jackknife"
    assert f"[{interval.low:.3f}, {interval.high:.3f}]" in page.inner_text(".figures")
    type_into(page, "#cut", "1")
    chosen = columns["tariff"] >= 1
    assert page.inner_text("#cases-in") == str(int(chosen.sum()))


def test_hostile_names_of_columns_stay_names(opened):
    long = "y" * 3000
    found = _evaluated(("tariff", "old"), names=(NASTY, long), by="month")
    page = opened(found)
    page.check(".scale input")
    for button in page.query_selector_all("button[aria-expanded]"):
        button.click()
    assert page.evaluate("window.hacked") is None
    assert page.told.errors == []
    assert page.query_selector("img, main b script") is None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    height = page.evaluate("""() => Math.max(...[...document.querySelectorAll('.name')].map(
        e => e.getBoundingClientRect().height))""")
    assert height < 400


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.merge)])
@pytest.mark.parametrize("content", ["years", "months", "signed"])
def test_axe_finds_nothing(opened, axe, scheme, content):
    contents = {
        "years": lambda: evaluated(value=1, cost=200),
        "months": lambda: evaluated("tariff", "old", by="month"),
        "signed": signed,
    }
    page = opened(contents[content](), color_scheme=scheme)
    open_everything(page)
    assert violations(page, axe) == []


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("wide", 1280, "light"), ("dark", 1280, "dark"), ("phone", 390, "light")],
)
def test_nothing_hangs_over_the_edge_or_another_word(opened, kept, name, width, scheme):
    page = opened(
        evaluated("tariff", "old", by="month", value=1, cost=200),
        viewport={"width": width, "height": 844},
        color_scheme=scheme,
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    clashes = page.evaluate("""() => [...document.querySelectorAll('svg.picture')].flatMap(svg => {
        const texts = [...svg.querySelectorAll('.axis text, .name, .legend')]
            .filter(t => t.textContent).map(t => [t.textContent, t.getBoundingClientRect()]);
        return texts.flatMap(([a, r], i) => texts.slice(i + 1).filter(([, s]) =>
            r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 2 &&
            s.top < r.bottom - 2).map(([b]) => `${svg.closest('figure').id}: ${a} / ${b}`));
    })""")
    assert clashes == []
    kept(page, f"amounts-{name}")


def test_it_prints_on_two_sheets(opened):
    page = opened(evaluated("tariff", "old", by="month", value=1, cost=200))
    printed = page.pdf(format="A4")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") <= 2


def test_a_saved_picture_says_what_it_holds(page):
    name, data = downloaded(page, "#cap button:has-text('SVG')")
    text = data.decode("utf-8")
    rows = policies()
    assert name == "cap-tariff.svg"
    sums = [quantity(round(float(rows[name].sum()), 2)) for name in ("years", "claims")]
    assert f"tariff: years = {sums[0]}, claims {sums[1]}, accuracy ratio" in text


@pytest.mark.parametrize("content", [evaluated, signed])
def test_without_script_pictures_and_tables_remain(opened, content):
    page = opened(content(), java_script_enabled=False)
    assert page.locator(".still figure").count() >= 2
    assert "CAP" in page.inner_text(".still >> nth=0")
    assert "Gains table of tariff" in page.inner_text("main")
    assert not page.is_visible("#live")


@pytest.mark.merge
def test_a_page_of_many_rows_stays_small():
    rows = 100_000
    rng = np.random.default_rng(5)
    risk = rng.standard_normal(rows)
    amount = np.where(rng.random(rows) < 0.05 * np.exp(risk / 2), rng.lognormal(6, 1, rows), 0.0)
    found = cap.evaluate(amount=amount, score=risk, exposure=rng.uniform(0.1, 1, rows))
    assert len(page_of(found).encode()) <= 252_000
