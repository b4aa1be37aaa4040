"""What stands where: labels beside curves, full rows, and each number with its score."""

import numpy as np
import pytest
from asking import boxes, loans, rates, three_by_month, type_into

import capcurve as cap
from validation_sheets import sheet

# Labels of which a point of a curve lies inside their box; curves are walked along.
COVERED = """() => [...document.querySelectorAll('figure svg.picture')].flatMap(svg => {
    const labels = [...svg.querySelectorAll('.told')].map(t => [t.textContent, t.getBBox()]);
    const found = new Set();
    for (const path of svg.querySelectorAll('[clip-path] path.line, #morphing path.line')) {
        const length = path.getTotalLength();
        for (let at = 0; at <= length; at += 1) {
            const { x, y } = path.getPointAtLength(at);
            for (const [text, b] of labels)
                if (x > b.x && x < b.x + b.width && y > b.y + 2 && y < b.y + b.height - 2)
                    found.add(`${svg.closest('[id]').id}: ${text}`);
        }
    }
    return [...found];
})"""
# What is wrong with a number that is shown: broken into lines, cut off, beyond the screen or its
# picture, or under another text. Wide tables scroll; digits among letters are those of a digest.
FAULTS = r"""() => {
  const faults = new Set();
  const number = /(?<!\w)[-−+]?\d[\d.,]*(-\d+)*(?<=\d)%?(?!\w)/g;
  const hidden = "script, style, .unseen, .tight .full, table.tests caption";
  const screen = document.documentElement.clientWidth;
  const scrolls = (element) => element.matches(".wide") && !element.closest("#matrix");
  const cuts = (element) => !element.ownerSVGElement && element.tagName !== "svg"
    && getComputedStyle(element).overflowX !== "visible";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const [node, parent] = [walker.currentNode, walker.currentNode.parentElement];
    if (parent.closest(hidden) || !parent.checkVisibility()) continue;
    for (const { 0: text, index } of node.data.matchAll(number)) {
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      const box = range.getBoundingClientRect();
      const lines = [...range.getClientRects()].filter((rect) => rect.width > 0);
      const tops = new Set(lines.map((rect) => Math.round(rect.top)));
      if (tops.size > 1) faults.add(`broken: ${text}`);
      let free = !lines.length;
      for (let over = parent; over !== document.body && !free; over = over.parentElement) {
        free = scrolls(over);
        const { left, right } = over.getBoundingClientRect();
        const inside = box.left >= left - 1 && box.right <= right + 1;
        if (!free && !inside && cuts(over)) faults.add(`cut: ${text}`);
      }
      const beyond = box.left < 0 || box.right > screen + 1;
      if (!free && beyond) faults.add(`beyond the screen: ${text}`);
    }
  }
  for (const box of document.querySelectorAll("input[type=text]")) {
    if (box.scrollWidth > box.clientWidth + 1) faults.add(`cut: ${box.value}`);
  }
  if (document.documentElement.scrollWidth > screen) faults.add("wider than the screen");
  for (const svg of document.querySelectorAll("figure svg")) {
    const frame = (svg.closest(".card") ?? svg).getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")]
      .map((each) => [each.textContent, each.getBoundingClientRect()])
      .filter(([, box]) => box.width);
    texts.forEach(([text, box], place) => {
      const outside = box.left < frame.left || box.right > frame.right;
      if (outside) faults.add(`outside its picture: ${text}`);
      for (const [other, { left, right, top, bottom }] of texts.slice(place + 1)) {
        const across = Math.min(box.right, right) - Math.max(box.left, left);
        const down = Math.min(box.bottom, bottom) - Math.max(box.top, top);
        if (across > 1.5 && down > 4) faults.add(`over each other: ${text} | ${other}`);
      }
    });
  }
  return [...faults];
}"""
THREE_FRAMES = """() => new Promise((done) => {
  const next = (left) => (left ? requestAnimationFrame(() => next(left - 1)) : done());
  next(3);
})"""
LOOKS = """() => Object.fromEntries([...document.querySelectorAll('#cap svg.picture path.line')]
    .map(e => [e.getAttribute('class'), getComputedStyle(e)])
    .map(([name, look]) => [name, [look.stroke, look.strokeDasharray]]))"""


def of_pds():
    rng = np.random.default_rng(1)
    pd = np.round(1 / (1 + np.exp(rng.normal(3.5, 1, 4000))), 6)
    names = {"behavioural_pd": pd}
    return cap.evaluate(rng.random(4000) < pd, names, pd=True).to_html()


def of_a_million():
    rng = np.random.default_rng(2)
    positives = rng.binomial(250, 0.01 + 0.1 * np.linspace(1, 0, 4000))
    counts = cap.ScoreCounts.from_counts(-np.sort(-rng.random(4000)), positives, 250 - positives)
    return cap.evaluate(counts).to_html()


def of_amounts():
    rng = np.random.default_rng(3)
    rates = {name: np.round(rng.lognormal(6, 0.5, 5000), 1) for name in ("glm_2025", "gbm_2026")}
    claims = np.where(rng.random(5000) < 0.1, np.round(rng.lognormal(9, 1, 5000), 2), 0.0)
    years = np.round(rng.uniform(0.1, 1, 5000), 3)
    data = {"claim_cost": claims, "earned_years": years, **rates}
    return cap.evaluate(
        amount="claim_cost", exposure="earned_years", score=list(rates), data=data
    ).to_html()


def of_unknown():
    rng = np.random.default_rng(4)
    risk = rng.standard_normal(3000)
    y = np.where(rng.random(3000) < 0.05, np.nan, rng.random(3000) < 0.1 * np.exp(risk / 2))
    scores = {"behavioural_pd": risk + rng.standard_normal(3000), "gbm_challenger": risk}
    return cap.unknown_bounds(cap.count_partial(y, scores)).to_html()


def of_a_change():
    rng = np.random.default_rng(5)
    y, score = rng.random((2, 3000)) < 0.1, rng.standard_normal((2, 3000))
    by = np.resize(["Mortgage", "Credit card", "SME term loan"], 3000)
    old, new = (cap.count_segments(*each, by=by) for each in zip(y, score + y, strict=True))
    return cap.attribute_change(old, new, by="product", labels=("2024-01", "2024-06")).to_html()


def of_grades():
    before, after = (
        cap.ScoreCounts.from_counts(list("DCBA"), [30, 20, 10, 5], cases, levels=list("DCBA"))
        for cases in ([70, 180, 290, 900], [9_070, 12_180, 11_290, 70_900])
    )
    return cap.population_stability(before, after).to_html()


def of_a_table():
    return cap.audit_table("src/capcurve/datasets/deciles.csv").to_html()


@pytest.mark.parametrize(
    "made",
    [
        *(of_pds, of_a_million, of_amounts, of_unknown, of_a_change, of_grades, of_a_table),
        lambda: three_by_month().to_html(),
        lambda: sheet().to_html(),
    ],
    ids=lambda made: made.__name__,
)
def test_no_number_is_broken_or_cut(opened, made):
    page = opened(made())
    for width in (1440, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(THREE_FRAMES)
        assert page.evaluate(FAULTS) == [], width


@pytest.fixture
def three(opened):
    return opened(three_by_month())


@pytest.mark.parametrize(("content", "seen"), [(loans, 900), (three_by_month, 1400)])
def test_cap_and_matrix_are_seen_early(opened, content, seen):
    page = opened(content())
    (_, top, right, bottom), *_ = boxes(page, "#cap svg.picture")
    (left, beside, _, end), *_ = boxes(page, "#matrix")
    assert bottom <= seen
    assert end <= seen
    assert left > right
    assert beside < bottom
    assert bottom - top > 400
    assert boxes(page, "#notes")[0][1] > seen


@pytest.mark.parametrize("keywords", [{}, {"value": 1000, "cost": 60}])
@pytest.mark.parametrize("width", [1440, 1000])
def test_every_row_of_pictures_is_full(opened, keywords, width):
    page = opened(loans(**keywords), viewport={"width": width, "height": 900})
    (left, _, right, _), *_ = boxes(page, "#pictures .grid")
    rows = {}
    for start, top, end, _ in boxes(page, "#pictures .grid > figure"):
        rows.setdefault(round(top), []).append((start, end))
    for row in rows.values():
        assert min(start for start, _ in row) == pytest.approx(left, abs=1)
        assert max(end for _, end in row) == pytest.approx(right, abs=1)
        assert sum(end - start for start, end in row) > 0.95 * (right - left)


def test_tables_are_as_wide_as_the_page(three):
    (left, _, right, _), *_ = boxes(three, "main")
    for start, _, end, _ in boxes(three, "#tables table"):
        assert (start, end) == (pytest.approx(left, abs=1), pytest.approx(right, abs=1))
    # Of few columns none is so far from its label that the eye must travel.
    for start, _, end, _ in boxes(three, "#compare .side > :first-child table, #segments table"):
        assert start == pytest.approx(left, abs=1)
        assert end <= right + 1
    # How scores differ and what two would exchange stand beside each other.
    tests, exchanged = boxes(three, ".side .wide")
    assert tests[1] == pytest.approx(exchanged[1], abs=1)
    assert tests[2] <= exchanged[0] < exchanged[2] <= right + 1


def test_segments_stand_below_the_cap_and_their_captions_are_whole_on_a_phone(opened):
    wide = opened(three_by_month())
    tops = [boxes(wide, place)[0][1] for place in ("#first", "#segments", "#pictures")]
    assert tops == sorted(tops)
    phone = opened(three_by_month(), viewport={"width": 390, "height": 844})
    for _, _, end, _ in boxes(phone, "#at-share caption, #segments caption, #compare caption"):
        assert end <= 390


@pytest.mark.parametrize("width", [970, 1100, 1440])
@pytest.mark.parametrize("of_amounts", [False, True])
def test_the_profit_of_each_score_is_not_cut(opened, width, of_amounts):
    found = loans(("grade_rank", "int_rate"), value=2000, cost=100)
    if of_amounts:
        rng = np.random.default_rng(4)
        scores = {"s": rng.normal(size=4000), "s2": rng.normal(size=4000)}
        found = cap.evaluate(None, scores, amount=rng.gamma(0.2, 1e4, 4000), value=1, cost=1000)
    page = opened(found, viewport={"width": width, "height": 900})
    assert page.locator("#across thead th").all_inner_texts()[-1] == "profit"
    ((_, _, end, _),) = boxes(page, ".wide:has(> #across)")
    for _, _, right, _ in boxes(page, "#across tr > *"):
        assert right <= end + 1


def test_a_phone_shows_how_well_each_score_ranks(opened):
    page = opened(three_by_month(), viewport={"width": 390, "height": 844})
    heads = page.locator("#across thead th").all_inner_texts()
    assert heads == ["score", "AR", "selected", "captured"]
    for _, _, right, _ in boxes(page, "#across tr > *"):
        assert right <= 390
    assert page.locator("#more-numbers thead th").all_inner_texts()[1:3] == [
        "KS",
        "average precision",
    ]


@pytest.mark.parametrize("content", [loans, three_by_month])
def test_no_label_covers_a_curve(opened, content):
    page = opened(content())
    for share in ("1", "10", "60"):
        type_into(page, "#share", share)
        assert page.evaluate(COVERED) == []
        assert page.locator("#cap .told").count() == 1
    page.check("#teach")
    assert page.locator("#morphing g .told").count() == 5
    assert page.evaluate(COVERED) == []


def test_every_picture_sentence_and_table_names_its_score(three):
    three.select_option("#score", label="champion_lr")
    named = ["#captured", "#local-lift", "#scores", "#lift", "#matrix", "#morphing", "#gains"]
    for place in (*named, "#thresholds", ".sentence"):
        assert "champion_lr" in three.inner_text(place), place
    assert "challenger_gbm" not in three.inner_text("#scores")
    for place in ("#cap", "#roc", "#gap", "#precision-recall", "#trend-ar", "#trend-ks"):
        text = three.inner_text(place)
        assert all(n in text for n in ("challenger_gbm", "champion_lr", "scorecard_2019")), place
    assert "champion_lr\N{NO-BREAK SPACE}≥" in three.inner_text("#matrix")


def test_paper_keeps_what_was_chosen(three):
    three.select_option("#score", label="scorecard_2019")
    three.emulate_media(media="print")
    assert "By scorecard_2019, the top" in three.inner_text(".sentence")
    for place in (".sentence", "#matrix", "#gains caption", "#scores .legend >> nth=0"):
        assert three.is_visible(place)
        assert "scorecard_2019" in three.text_content(place)
    assert not three.is_visible("#slider")


@pytest.mark.parametrize(("content", "sheets"), [(loans, 1), (three_by_month, 3)])
def test_it_prints_on_few_sheets(opened, content, sheets):
    printed = opened(content(), folded=True).pdf(format="A4")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") <= sheets


def test_legends_begin_with_the_scores(three):
    entries = three.locator("#cap .legend").all_text_contents()
    assert [entry.split()[0] for entry in entries[:3]] == [
        "challenger_gbm",
        "champion_lr",
        "scorecard_2019",
    ]
    assert "AR 0." in entries[0]
    assert entries[-2:] == ["perfect", "random"]


def test_segments_look_like_nothing_else(three):
    three.click(".picker-of-segments summary")
    for place in range(1, 13):
        three.check(f".chips label:nth-child({place}) input")
    looks = three.evaluate(LOOKS)
    segments = {name: tuple(look) for name, look in looks.items() if name.startswith("line s")}
    others = {name: look for name, look in looks.items() if name not in segments}
    others["negatives"] = three.evaluate("""() => {
        const look = getComputedStyle(document.querySelector('#captured path.line.negatives'));
        return [look.stroke, look.strokeDasharray];
    }""")
    assert len(segments) == len(set(segments.values())) == 12
    for place in (0, 1):
        theirs = {look[place] for look in others.values()}
        assert not theirs & {look[place] for look in segments.values()}
    assert boxes(three, ".chips")[0][1] < boxes(three, "#pictures .grid")[0][1]


def test_a_band_hides_with_its_curve(three):
    assert three.locator("#cap path.band").count() == 2
    three.uncheck(".legend-bar label:nth-child(1) input")
    assert three.locator("#cap path.band, #cap circle.mark, #roc circle.mark").count() == 0
    assert three.locator("#captured circle.mark").count() == 2  # it shows one score: this one


def test_trends_have_every_interval_and_name_lines_at_their_ends(three):
    assert three.locator("#segments figure").count() == 2
    for look in ("m0", "m1", "m2"):
        assert three.locator(f"#trend-ar path.line.thin.{look}").count() == 12
    names = three.locator("#trend-ar text.told").all_text_contents()
    assert sorted(names) == ["challenger_gbm", "champion_lr", "scorecard_2019"]
    assert three.locator("#trend-ar .legend").count() == 0
    drawn = boxes(three, "#trend-ar text.told")
    right = max(right for _, _, right, _ in boxes(three, "#trend-ar circle"))
    tops = sorted(top for _, top, _, _ in drawn)
    assert all(left > right for left, *_ in drawn)
    assert min(np.diff(tops)) > 12


def test_what_repeats_or_teaches_is_folded_away(opened):
    page = opened(loans(), folded=True)
    for name in ("roc", "captured", "lift"):
        assert page.is_visible(f"#{name} circle.mark >> nth=0"), name
    for name in ("gap", "local-lift", "precision-recall", "scores", "play", "thresholds"):
        assert not page.is_visible(f"#{name}"), name
    type_into(page, "#share", "25")
    page.click("text=More curves")
    page.wait_for_selector("#gap circle.mark")
    now = page.get_attribute("#cap svg", "aria-valuenow")
    assert page.get_attribute("#gap svg", "aria-valuenow") == now


def test_the_bar_shrinks_on_a_phone_and_nothing_moves_by_that(opened):
    page = opened(three_by_month(), folded=True, viewport={"width": 390, "height": 844})
    bar, place = "document.querySelector('.bar')", "document.getElementById('cap')"
    before = page.evaluate(f"[{bar}.offsetHeight, {place}.getBoundingClientRect().top]")
    page.mouse.wheel(0, before[1])
    page.wait_for_selector(".bar.held")
    page.evaluate(THREE_FRAMES)
    after = page.evaluate(f"[{bar}.offsetHeight, {place}.getBoundingClientRect().top + scrollY]")
    assert after[0] < before[0] / 2
    assert after[1] == pytest.approx(before[1], abs=3)
    assert page.is_visible("#slider")
    assert "captured" in page.inner_text(".brief")
    page.locator("#roc button >> nth=0").focus()
    for _ in range(12):
        page.keyboard.press("Shift+Tab")
        hidden = page.evaluate(
            f"(() => {{ const e = document.activeElement; return !{bar}.contains(e)"
            f" && e.getBoundingClientRect().top < {bar}.getBoundingClientRect().bottom - 1; }})()"
        )
        assert not hidden


@pytest.mark.parametrize("width", [1280, 1100, 390])
def test_the_reliability_of_pds_stands_beside_the_cap(opened, width):
    scale = {grade: 0.01 * 1.12 ** (grade - 1) for grade in range(1, 36)}
    found = cap.evaluate("y", "grade_rank", cap.datasets.load_loans(), pd=scale)
    page = opened(found, folded=True, viewport={"width": width, "height": 900})
    (left, top, right, bottom), *_ = boxes(page, "#cap")
    (beside, same, end, _), *_ = boxes(page, ".stage > .main")
    assert (right < beside and same == top) if width > 1000 else (same > bottom and beside == left)
    assert end <= width
    assert page.locator(".stage > .main svg:visible").count() == 1
    (_, below, *_), *_ = boxes(page, "#parts")
    assert below > bottom
    assert page.locator("#parts figure").count() == 1
    assert "Spiegelhalter" in page.locator("#parts").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    still = opened(found, java_script_enabled=False)
    assert still.locator("#parts figure").count() == 2
    assert boxes(still, "#parts figure")[0][1] > boxes(still, ".gallery figure")[0][3]


def test_the_risk_stands_beside_the_cap_unless_the_reliability_does(opened):
    loans = cap.datasets.load_loans()
    scale = {grade: 0.01 * 1.12 ** (grade - 1) for grade in range(1, 36)}
    for pd, first, left in ((None, "Risk and coverage", 0), (scale, "Reliability", 2)):
        page = opened(cap.evaluate("y", "grade_rank", loans, pd=pd, selective=True), folded=True)
        assert page.locator(".stage > .main figcaption").inner_text().startswith(first)
        assert page.locator("#parts figure").count() == left


@pytest.mark.parametrize("script", [True, False])
def test_a_control_chart_stands_below_the_trend(opened, script):
    found = three_by_month().monitored(0.6, score="scorecard_2019", limit=3.0)
    page = opened(found, java_script_enabled=script)
    (_, top, _, bottom), *_ = boxes(page, "#monitoring")
    (_, above, _, below), *_ = boxes(page, "#segments" if script else ".still")
    assert above < below <= top < bottom
    (_, cap, *_), *_ = boxes(page, "#pictures" if script else "#notes")
    assert bottom <= cap
    assert page.locator("#monitoring h3").all_inner_texts() == ["scorecard_2019"]
    assert page.locator("#monitoring figure svg:visible").count() == 1
    assert "Limit 3.0" in page.locator("#monitoring").inner_text()


@pytest.mark.merge
def test_negatives_have_one_colour(opened):
    page = opened(loans(["grade_rank", "int_rate"]))
    colours = page.evaluate("""() => [...new Set([...document.querySelectorAll(
        '#live path.negatives, #live circle.negatives')].map(e => getComputedStyle(e).stroke))]""")
    still = opened(loans(["grade_rank", "int_rate"]), java_script_enabled=False)
    text = still.content()
    assert colours == ["rgb(179, 36, 93)"]
    assert 'stroke="#b3245d"' in text[text.index("Captured response and KS") :]


def test_the_difference_names_the_better_score(three):
    told = three.inner_text("#compare figure >> nth=0")
    assert "challenger_gbm captures significantly more from the top" in told
    assert "Beyond chance" not in three.inner_text("body")


def test_the_matrix_says_what_is_not_selected(opened):
    page = opened(loans())
    heads = page.locator("#matrix tbody th").all_inner_texts()
    assert heads == ["selected", "not selected"]
    assert "gap TPR − FPR" in rates(page)
    assert "19 of 73 cut-offs shown." in page.inner_text("#thresholds")
