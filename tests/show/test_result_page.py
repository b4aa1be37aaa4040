"""The page, card, text and files of a result: one Presentation, however it is shown."""

import base64
import csv
import hashlib
import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np
import pytest

from capcurve.show.chart import Axis, Bars, Chart, ChartBand, Line, ScoreTicks, Style
from capcurve.show.elements import table_html
from capcurve.show.format import shortened
from capcurve.show.presentation import Figure, Finding, Presentation
from capcurve.show.result import Result
from capcurve.show.svg import draw
from capcurve.show.table import Table

NASTY = "</title><script>alert(1)</script><img src=x onerror=alert(1)>\"'&"


def chart(**options):
    bars = Bars(
        np.array([0.2, -0.1]),
        "moved",
        Style("#0072B2"),
        at=np.array([0.0, 1.0]),
        width=0.6,
        hatch="///",
        base=np.array([0.3, 0.5]),
        low=np.array([0.4, np.nan]),
        high=np.array([0.6, np.nan]),
    )
    given = {
        "title": "Bars",
        "x": Axis("", "score", ends=(-0.5, 1.5)),
        "y": Axis("AR", "number", ends=(0.2, 0.7)),
        "bars": [bars],
        "scores": ScoreTicks(np.array([0.0, 1.0]), ["first\nline", "second"]),
        "above": [("+0.200", 0.0, 0.6)],
        "description": "first +0.200; second -0.100",
    }
    return Chart(**given | options)


def usual(**options):
    given = {
        "title": "Why it fell",
        "sentences": ("It fell.", "By much."),
        "source": "/secret/folder/loans.csv",
        "figures": (Figure("a", "accuracy ratio", "AR", 0.5, "ratio", 0.4, 0.6, "p = 0.010"),),
        "level": 0.95,
        "findings": (
            Finding("w", "warning", "few cases", "wait"),
            Finding("i", "info", "mostly mix", "look"),
        ),
        "charts": (chart(),),
        "tables": (
            Table("Segments", {"segment": np.array(["=A1", "b"]), "rate": np.array([0.1, np.nan])}),
        ),
        "notes": ("Defined so.",),
    }
    return Presentation(**given | options)


@dataclass(frozen=True, slots=True, repr=False)
class Result(Result):
    shown: Presentation

    def presentation(self):
        return self.shown

    def to_dict(self):
        return {"schema_version": 1, "title": self.shown.title}


def page(**options):
    return Result(usual(**options)).to_html()


class Elements(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found, self.text = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


# The page


def test_the_page_has_no_script_and_its_policy_allows_none():
    html = page()
    elements = Elements(html)
    assert not elements.all("script")
    (policy,) = [m["content"] for m in elements.all("meta") if "content" in m and "http-equiv" in m]
    style = re.search("<style>(.*?)</style>", html, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert not [a for _, attributes in elements.found for a in attributes if a.startswith("on")]


def test_the_page_loads_nothing_and_needs_no_inline_style():
    elements = Elements(page())
    for _, attributes in elements.found:
        assert not attributes.keys() & {"src", "style"}
        assert attributes.get("href", "data:image/svg+xml").startswith("data:image/svg+xml")
    assert "url(" not in page()


def test_a_chart_is_drawn_for_screens_of_two_widths_and_saved_by_a_link():
    html = page()
    broad, narrow = (float(w) for w in re.findall(r'-view" viewBox="0 0 (\d+) ', html))
    assert broad > 1.5 * narrow
    (link,) = Elements(html).all("a")
    assert link["download"] == "bars.svg"
    saved = base64.b64decode(link["href"].split(",")[1]).decode()
    assert "Bars: first +0.200" in saved
    assert "@media(prefers-color-scheme:dark)" in saved


def test_the_points_of_curves_are_listed_under_their_chart():
    x = np.linspace(0, 1, 500)
    curve = chart(
        bars=[],
        above=[],
        scores=None,
        x=Axis("Share", whole=1.0),
        y=Axis("Captured", whole=1.0),
        lines=[Line(x, x**0.5, "pd"), Line([0.0, 1.0], [0.0, 1.0], "Random", shared=True)],
    )
    html = page(charts=(curve,), tables=())
    (details,) = re.findall("<details>(.*?)</details>", html)
    cells = re.findall("<td.*?>(.*?)</td>", details)
    assert cells[:3] == ["pd", "0.0%", "0.0%"]
    assert cells[-3:] == ["pd", "100.0%", "100.0%"]
    assert len(cells) == 3 * 21
    assert "<details>" not in page()  # names stand along x, and the tables have their numbers


def test_names_stay_names():
    table = Table(NASTY, {"segment": np.array([NASTY]), NASTY: np.array([1])}, NASTY)
    finding = Finding("x", "warning", NASTY, NASTY)
    figure = Figure("a", NASTY, NASTY, NASTY, note=NASTY)
    given = {
        "title": NASTY,
        "sentences": (NASTY, NASTY),
        "source": NASTY,
        "figures": (figure,),
        "findings": (finding,),
        "charts": (
            chart(
                title=NASTY,
                description=NASTY,
                above=[(NASTY, 0.0, 0.6)],
                scores=ScoreTicks(np.array([0.0]), [NASTY]),
            ),
        ),
        "tables": (table,),
        "notes": (NASTY,),
    }
    for html in (page(**given), Result(usual(**given))._repr_html_()):
        tags = {tag for tag, _ in Elements(html).found}
        assert "script" not in tags
        assert "onerror" not in {a for _, attributes in Elements(html).found for a in attributes}
        assert "<img src=x" not in html


def test_the_page_shows_everything_in_the_order_in_which_it_is_read():
    text = " ".join(Elements(page().split("</style>")[1]).text)
    order = ["Why it fell", "loans.csv", "95% intervals in brackets", "It fell.", "By much."]
    order += ["few cases", "wait", "AR", "0.500", "[0.400, 0.600]", "mostly mix", "Bars"]
    order += ["Segments", "=A1", "10.0%", "Defined so."]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert "secret" not in page()


def test_the_number_of_the_message_is_the_first_of_the_page_and_of_the_card():
    figures = (
        Figure("n", "cases", "cases", 26, "count"),  # the digits of another number
        Figure("b", "KS", "KS", 0.3, "ratio"),
        Figure("c", "captured", "captured", 0.262, "share"),
    )
    given = {"sentences": ("The top 10% contain 26.2%.", "It is 0.300."), "figures": figures}
    for html in (page(**given), Result(usual(**given))._repr_html_()):
        shown = html[max(html.find("class=figures"), html.find("95% intervals in brackets")) :]
        assert shown.index("captured") < shown.index("cases") < shown.index("KS")


def test_who_does_not_see_is_told():
    elements = Elements(page())
    for picture in elements.all("svg"):  # of which a style sheet shows one
        assert picture["role"] == "img"
        assert picture["aria-label"] == "Bars: first +0.200; second -0.100"
    assert all(head["scope"] == "col" for head in elements.all("th"))
    assert [a["aria-label"] for a in elements.all("div") if "aria-label" in a] == ["Segments"]
    levels = [int(tag[1]) for tag, _ in elements.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert max(np.diff(levels)) <= 1


def test_a_long_table_is_cut_and_says_so():
    long = Table("T", {"segment": np.arange(2345), "n": np.arange(2345)}, "a note")
    html = page(tables=(long,))
    assert html.count("<tr>") == 101
    assert "A note; of 2,345 rows the first 100 are shown." in html
    assert "... 2,245 more rows" in Result(usual(tables=(long,))).to_text()
    assert "... 2,245 more rows" in Result(usual(tables=(long,))).to_markdown()


def test_what_there_is_not_leaves_no_trace():
    bare = Result(Presentation(title="T", sentences=("Only this.",)))
    elements = Elements(bare.to_html())
    found = {tag for tag, _ in elements.found}
    assert not found & {"svg", "figure", "table", "dl", "ul", "h2"}
    assert "None" not in " ".join(elements.text)
    assert bare.to_text() == "T\n\nOnly this."
    assert bare.to_markdown() == "# T\n\nOnly this."


# The card


def test_a_card_holds_only_what_untrusted_notebooks_show():
    safe = {"b", "caption", "div", "i", "img", "li", "p"}
    safe |= {"table", "tbody", "td", "th", "thead", "tr", "ul"}
    card = Result(usual())._repr_html_()
    elements = Elements(card)
    assert {tag for tag, _ in elements.found} <= safe
    (image,) = elements.all("img")
    assert image["alt"] == "Bars: first +0.200; second -0.100"
    assert image["src"].startswith("data:image/svg+xml;base64,")
    for words in ("It fell.", "0.500", "few cases", "10.0%"):
        assert words in card


# Text and files


def test_text_says_all():
    text = Result(usual()).to_text()
    assert text.splitlines()[0] == "Why it fell"
    for line in (
        "accuracy ratio  0.500  [0.400, 0.600]  p = 0.010",
        "Warning: few cases; wait.",
        "Note: mostly mix; look.",
        "=A1      10.0%",
        "Defined so.",
    ):
        assert line in text
    assert str(Result(usual())) == text
    assert repr(Result(usual())) == usual().sentences[0]


def test_markdown_is_markdown_and_names_do_not_act_in_it():
    text = Result(usual(sentences=("a *b* <i> [x](y) _z_ p < 1",))).to_markdown()
    assert "a \\*b* \\<i> [x\\](y) \\_z_ p < 1" in text
    assert "- **Warning:** few cases; wait." in text
    assert "| accuracy ratio | 0.500 | [0.400, 0.600] | p = 0.010 |" in text
    assert "## Segments" in text


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    "suffix", [".html", ".json", ".md", ".txt", ".csv", ".png", ".svg", ".pdf"]
)
def test_every_suffix_is_written(tmp_path, suffix):
    result = Result(usual())
    path = result.save(tmp_path / f"result{suffix}")
    data = path.read_bytes()
    expected = {
        ".html": result.to_html().encode(),
        ".md": result.to_markdown().encode(),
        ".txt": result.to_text().encode(),
    }
    if suffix in expected:
        assert data.strip() == expected[suffix].strip()
    elif suffix == ".json":
        assert json.loads(data) == result.to_dict()
    elif suffix == ".csv":
        rows = list(csv.reader(data.decode().splitlines()))
        assert rows == [["segment", "rate"], ["'=A1", "0.1"], ["b", ""]]
    else:
        begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
        assert data.startswith(begins[suffix])


def test_what_cannot_be_written_leaves_no_file(tmp_path):
    bare = Result(Presentation(title="T", sentences=("Only this.",)))
    with pytest.raises(ValueError, match="no table"):
        bare.save(tmp_path / "x.csv")
    with pytest.raises(ValueError, match="nothing to draw: Only this"):
        bare.save(tmp_path / "x.png")
    with pytest.raises(ValueError, match=r"must end in \.html, \.json"):
        bare.save(tmp_path / "x.docx")
    assert list(tmp_path.iterdir()) == []


# Charts in SVG


def paths(svg, attribute):
    return re.findall(rf'<path d="([^"]*)"[^>]*{attribute}', svg)


def test_bars_float_and_go_down_below_their_base():
    svg = draw(chart())
    found = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', svg)
    (left, top, width, height), (other, below, _, small) = [map(float, f) for f in found[:2]]
    # 264 pixels stand for 0.5 from 0.2 up, 354 for 2 from -0.5 on.
    assert (top, height) == pytest.approx((276 - 264 * 0.3 / 0.5, 264 * 0.2 / 0.5), abs=0.15)
    assert (below, small) == pytest.approx((276 - 264 * 0.3 / 0.5, 264 * 0.1 / 0.5), abs=0.15)
    assert (left, width) == pytest.approx((46 + 354 * 0.2 / 2, 354 * 0.6 / 2), abs=0.15)
    assert other - left == pytest.approx(177, abs=0.15)


def test_a_hatch_stays_inside_its_bar():
    svg = draw(chart())
    left, top, width, height = map(
        float,
        re.search(
            r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', svg
        ).groups(),
    )
    hatch = paths(svg, 'stroke-width="1.2"')[0]
    points = np.array(re.findall(r"([\d.]+) ([\d.]+)", hatch), dtype=float)
    assert len(points) > 10
    assert points[:, 0].min() >= left - 0.1
    assert points[:, 0].max() <= left + width + 0.1
    assert points[:, 1].min() >= top - 0.1
    assert points[:, 1].max() <= top + height + 0.1


def test_a_whisker_is_drawn_where_there_is_one():
    svg = draw(chart())
    (whisker,) = paths(svg, 'stroke-width="1.2" fill="none"')
    heights = [float(y) for y in re.findall(r"M[\d.]+ ([\d.]+)h", whisker)]
    assert heights == pytest.approx([276 - 264 * 0.2 / 0.5, 276 - 264 * 0.4 / 0.5], abs=0.15)


def test_names_and_numbers_stand_where_they_belong():
    svg = draw(chart())
    lines = re.findall(
        r'<text x="([\d.]+)" y="(\d+)" text-anchor="middle">(first|line)</text>', svg
    )
    assert [y for _, y, _ in lines] == ["290", "303"]
    assert "+0.200</text>" in svg
    assert ">moved</text>" in svg


def test_the_name_of_y_stands_clear_of_its_numbers():
    losses = np.array([-123.456, 0.0])
    bars = [Bars(losses, "", style=None, at=np.arange(2.0))]
    svg = draw(chart(y=Axis("x" * 60), bars=bars, scores=None, above=[], description=""))
    numbers = re.findall(r'x="(\d+)" y="[\d.]+" text-anchor="end">([^<]+)<', svg)
    assert "−10000%" in [text for _, text in numbers]
    for right, text in numbers:
        assert int(right) - 7 * len(text) > 14  # the name stands at 11, its letters around it
    (name,) = re.findall(r'rotate\(-90\)" text-anchor="middle">([^<]+)<', svg)
    assert "…" in name
    assert 7 * len(name) <= 320


def test_a_band_fills_what_lies_between():
    x = np.array([0.0, 0.5, 1.0])
    band = ChartBand(
        x, np.array([0.0, 0.4, 1.0]), np.array([0.0, 0.8, 1.0]), "all that fit", "#0072B2"
    )
    shares = {"x": Axis("x", whole=1.0), "y": Axis("y", whole=1.0)}
    svg = draw(chart(**shares, bands=[band], bars=[], scores=None, above=[], description=""))
    (area,) = paths(svg, 'fill="#0072b2" fill-opacity=".28"')
    points = [tuple(map(float, p)) for p in re.findall(r"([\d.]+) ([\d.]+)", area)]
    assert len(points) == 6
    (left, _), *_, (right, _) = sorted(points)
    middle = [y for at, y in points if at == pytest.approx((left + right) / 2)]
    assert middle == pytest.approx([276 - 0.8 * 264, 276 - 0.4 * 264], abs=0.1)
    assert "Bars: all that fit" in svg
    assert ">all that fit</text>" in svg


def test_axes_that_do_not_begin_at_0_hold_what_is_drawn():
    line = Line([0.0, 1.0], [0.3, 0.6], "l")
    svg = draw(chart(lines=[line], bars=[], above=[]))
    (path,) = paths(svg, 'stroke-linejoin="round"')
    assert re.findall(r"[ML][\d.]+ ([\d.]+)", path) == ["223.2", "64.8"]
    ticks = re.findall(r'text-anchor="end">([\d.]+)<', svg)
    assert ticks == ["0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]


def test_the_same_chart_is_drawn_by_matplotlib():
    ax = Result(usual()).plot()
    assert ax.get_ylim() == pytest.approx((0.2, 0.7))
    assert ax.get_xlim() == pytest.approx((-0.5, 1.5))
    assert [(p.get_y(), p.get_height()) for p in ax.patches] == [
        pytest.approx((0.3, 0.2)),
        pytest.approx((0.5, -0.1)),
    ]
    assert "+0.200" in [text.get_text() for text in ax.texts]


def test_a_picture_without_labels_has_no_legend_to_fail_over():
    plain = chart(bars=[], lines=[Line([0.0, 1.0], [0.3, 0.6])])
    ax = Result(usual(charts=(plain,))).plot()
    assert ax.get_legend().get_texts() == []


def test_a_name_with_dollars_is_no_formula(tmp_path):
    named = chart(scores=ScoreTicks(np.array([0.0, 1.0]), ["$\\frac$", "_hidden"]))
    result = Result(usual(charts=(named,)))
    assert result.save(tmp_path / "dollars.png").stat().st_size > 0
    assert [t.get_text() for t in result.plot().get_xticklabels()] == ["\\$\\frac\\$", " _hidden"]


def names_drawn(names):
    drawn = draw(chart(scores=ScoreTicks(np.linspace(0, 1, len(names)), names)))
    return re.findall(r"<text ([^>]*)>(?:<title>([^<]*)</title>)?([^<]*)</text>", drawn)


def test_names_that_would_overlap_are_turned_and_then_thinned():
    level = [place for place, _, name in names_drawn(["a", "b", "c"]) if name in "abc"]
    assert not any("rotate" in place for place in level)
    months = [f"2025-{month + 1:02}" for month in range(12)]
    turned = {name: place for place, _, name in names_drawn(months) if name in months}
    assert [*turned] == months
    assert all("rotate" in place for place in turned.values())
    many = [f"name {place}" for place in range(60)]
    kept = {name: place for place, _, name in names_drawn(many) if name in many}
    at = [float(re.search(r"translate\(([\d.]+) ", place)[1]) for place in kept.values()]
    assert 11 <= np.diff(at).min() <= np.diff(at).max() < 26
    assert [*kept] == many[:: many.index([*kept][1])]


def test_long_names_are_cut_by_both_painters():
    long = "a very long name " * 9
    (cut,) = ((full, name) for _, full, name in names_drawn(["a", long]) if full)
    assert cut[0] == long
    assert cut[1] == shortened(long, 24)
    named = chart(scores=ScoreTicks(np.array([0.0, 1.0]), ["a", long]))
    shown = [t.get_text() for t in Result(usual(charts=(named,))).plot().get_xticklabels()]
    assert shown == ["a", cut[1]]


def test_text_stands_left_in_tables_and_grades_have_one_column():
    bins = {"bin": [1, 2], "score_from": ["C", "B"], "score_to": ["C", "A"], "rate": [0.1, 0.2]}
    shown = table_html(bins, "Bins")
    heads = re.findall(r'<th scope="col"(.*?)>(.*?)</th>', shown)
    assert heads == [("", "bin"), (" class=left", "grade"), ("", "rate")]
    assert "<td>2</td><td class=left>B to A</td><td>20.0%</td>" in shown
    numbers = {"score_from": [0.1], "score_to": [0.2]}
    assert "score from" in table_html(numbers, "Bins")
