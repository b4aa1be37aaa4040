"""What is taken along: pictures that say what they are, plain numbers, no formulas."""

import csv
import io
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from asking import loans, three_by_month
from test_page_tables import downloaded

import capcurve as cap

SVG = "{http://www.w3.org/2000/svg}"
ODD = ["=1+1", "inf", "constructor", "__proto__", "@SUM(A1)", "toString", "-x", "plain, simple"]


def odd_grades():
    rng = np.random.default_rng(4)
    positives = rng.integers(5, 50, len(ODD))
    return cap.ScoreCounts.from_counts(ODD, positives, positives[::-1] * 9, levels=ODD)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_stands_alone_on_white(opened, scheme):
    page = opened(loans(), color_scheme=scheme)
    name, data = downloaded(page, "#cap button:has-text('SVG')")
    root = ET.fromstring(data)  # noqa: S314 - a file of our own
    words = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    assert name == "cap-int_rate.svg"
    for part in (
        "How well int_rate ranks y",
        "int_rate: n = 9,857, positives 517, accuracy ratio 0.484 [0.442, 0.524]",
        f"digest {loans().summaries['int_rate'].digest[:16]}",
        "loans.csv",
        datetime.now(UTC).date().isoformat(),
    ):
        assert part in words
    assert root[0].get("fill") == "#ffffff"
    strokes = {path.get("stroke") for path in root.iter(f"{SVG}path")}
    assert "rgb(0, 102, 168)" in strokes  # the blue of paper
    assert b"var(--" not in data


def test_nothing_in_a_saved_picture_is_clipped(opened):
    page = opened(three_by_month())
    for place in ("cap", "roc", "captured", "scores", "lift", "trend-ar"):
        _, data = downloaded(page, f"#{place} button:has-text('SVG')")
        alone = opened(f"<!doctype html><body>{data.decode()}</body>")
        outside = alone.evaluate("""() => {
            const frame = document.querySelector('svg').getBoundingClientRect();
            return [...document.querySelectorAll('text')].filter(t => t.textContent).filter(t => {
                const b = t.getBoundingClientRect();
                return b.left < frame.left || b.right > frame.right || b.top < frame.top ||
                    b.bottom > frame.bottom;
            }).map(t => t.textContent);
        }""")
        assert outside == [], place


def test_a_saved_picture_names_every_score_in_it(opened):
    page = opened(three_by_month())
    page.uncheck(".legend-bar label:nth-child(2) input")
    _, data = downloaded(page, "#roc button:has-text('SVG')")
    words = data.decode()
    for name in ("challenger_gbm", "scorecard_2019"):
        assert three_by_month().summaries[name].digest[:16] in words
    assert "champion_lr:" not in words
    _, data = downloaded(page, "#captured button:has-text('SVG')")
    assert "Captured by class, with KS: challenger_gbm" in data.decode()


@pytest.mark.merge
def test_a_png_is_white_in_the_dark(opened):
    page = opened(loans(), color_scheme="dark")
    name, data = downloaded(page, "#roc button:has-text('PNG')")
    assert name == "roc-int_rate.png"
    corner = page.evaluate(
        """async bytes => {
            const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            return [...context.getImageData(3, 3, 1, 1).data];
        }""",
        list(data),
    )
    assert corner == [255, 255, 255, 255]


def test_copied_tables_hold_plain_numbers_and_their_score(opened):
    page = opened(loans())
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#gains button:has-text('Copy as text')")
    page.locator("#said:has-text('Copied')").wait_for(state="attached")
    title, head, *rows = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert title == "Gains table of int_rate"
    table = loans().summaries["int_rate"].gains
    columns = zip(*(row.split("\t") for row in rows), strict=True)
    assert head.split("\t")[3:6] == ["cases", "positives", "positive rate"]
    for values, shown in zip(table.values().values(), columns, strict=True):
        assert [float(cell) for cell in shown] == pytest.approx(list(values), rel=1e-5)


def test_tables_are_taken_along_with_the_decimal_mark_of_the_reader(opened):
    page = opened(loans(), locale="de-DE")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    assert page.input_value("#decimal") == ","
    table = loans().summaries["int_rate"].gains.values()

    def numbers(text, between, decimal):
        head, *rows = [line.split(between) for line in text.splitlines()]
        cells = [[float(cell.replace(decimal, ".")) for cell in row] for row in rows]
        return dict(zip(head, zip(*cells, strict=True), strict=True)), text.count(decimal)

    _, data = downloaded(page, "#gains button:has-text('CSV')")
    found, commas = numbers(data.decode(), ";", ",")
    assert commas > 50
    assert "." not in data.decode()
    assert found == {name: tuple(values) for name, values in table.items()}
    page.click("#gains button:has-text('Copy for spreadsheet')")
    page.locator("#said:has-text('Copied')").wait_for(state="attached")
    copied = page.evaluate("navigator.clipboard.readText()").split("\n", 1)[1]
    found, commas = numbers(copied, "\t", ",")
    assert commas > 50
    assert found["cumulative lift"] == pytest.approx(table["cum_lift"], rel=1e-5)
    page.select_option("#decimal", ".")
    _, data = downloaded(page, "#gains button:has-text('CSV')")
    assert numbers(data.decode(), ",", ".")[0] == {n: tuple(v) for n, v in table.items()}
    assert page.told.errors == []


def test_odd_grades_are_names_and_no_formulas(opened):
    page = opened(cap.evaluate(odd_grades()))
    assert page.told.errors == []
    cells = page.locator("#thresholds tbody td:first-child").all_inner_texts()
    assert cells == ["–", *ODD]
    for place, grade in enumerate(ODD, start=1):
        page.fill("#cut", grade)
        page.press("#cut", "Enter")
        assert page.inner_text("#tp") == str(odd_grades().positives[:place].sum())
    _, data = downloaded(page, "#thresholds button:has-text('CSV')")
    found = [row["score"] for row in csv.DictReader(io.StringIO(data.decode()))]
    risky = {"=1+1", "@SUM(A1)", "-x"}
    assert found == ["", *(f"'{grade}" if grade in risky else grade for grade in ODD)]


@pytest.mark.merge
@pytest.mark.parametrize("kind", ["floats", "small", "large"])
@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_a_printed_cut_off_selects_the_same_cases_when_typed(opened, kind, higher_is):
    rng = np.random.default_rng(6)
    scores = {
        "floats": 0.1 + np.arange(30) * 2.0**-50,
        "small": 10.0 ** np.arange(-9, 21),
        "large": 2**53 + np.arange(30),
    }[kind]
    counts = cap.ScoreCounts.from_counts(
        scores, rng.integers(1, 9, 30), rng.integers(1, 9, 30), higher_is=higher_is
    )
    page = opened(cap.evaluate(counts))
    page.click("#thresholds button:has-text('Show all')")
    rows = page.locator("#thresholds tbody tr").all_inner_texts()[1:]
    assert len(rows) == 30
    for row in rows[::3]:
        score, _, tp, *_ = row.split("\t")
        page.fill("#cut", "-1")
        page.press("#cut", "Enter")
        page.fill("#cut", score)
        page.press("#cut", "Enter")
        assert page.inner_text("#tp") == tp
        assert page.input_value("#cut") == score
