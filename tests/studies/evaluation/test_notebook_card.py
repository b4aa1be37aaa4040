"""The card and `show()` in notebooks: what a sanitizer leaves of them, and what a kernel shows."""

import base64
import sys
import types
import webbrowser
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import capcurve as cap
from capcurve.show.html import page_in_frame

SVG = "{http://www.w3.org/2000/svg}"
# Of what JupyterLab lets an untrusted notebook show, the elements a card is made of.
SAFE = {
    *("b", "br", "caption", "div", "i", "img", "span", "li", "p"),
    *("table", "tbody", "td", "th", "thead", "tr", "ul"),
}


class Fragment(HTMLParser):
    """The elements of some HTML, and the text that stays when all of them are dropped."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def three():
    rng = np.random.default_rng(11)
    target = (rng.random(500) < 0.2).astype(int)
    scores = {name: rng.normal(size=500) + k * target for k, name in enumerate("abc")}
    return cap.evaluate(target, scores)


def picture_of(card):
    (image,) = Fragment(card).all("img")
    kind, data = image["src"].split(",", 1)
    assert kind == "data:image/svg+xml;base64"
    return image, ET.fromstring(base64.b64decode(data))  # noqa: S314 - our own


def test_a_card_holds_only_what_untrusted_notebooks_show(three):
    for found in (three, cap.evaluate([1, 0, 1, 0], [4, 3, 2, 1]), cap.evaluate([1, 1], [2, 1])):
        assert {tag for tag, _ in Fragment(found._repr_html_()).elements} <= SAFE


def test_no_text_of_the_picture_stands_outside_it(three):
    text = " ".join(Fragment(three._repr_html_()).text)
    for tick in ("0%20%", "perfect", "cases selected", "positives captured"):
        assert tick not in text


def test_the_picture_is_an_image_on_its_own_ground_that_says_what_it_shows(three):
    image, svg = picture_of(three._repr_html_())
    assert image["alt"].startswith("CAP: a  AR ")
    assert "style" in image
    ground = next(svg.iter(f"{SVG}rect"))
    assert ground.attrib == {"width": "100%", "height": "100%"}
    look = next(svg.iter(f"{SVG}style")).text
    assert "svg>rect:first-of-type{fill:#fff}" in look
    assert "prefers-color-scheme:dark" in look
    drawn = [text.text for text in svg.iter(f"{SVG}text")]
    assert {"0%", "20%", "100%", "Share of all cases selected", "Perfect"} <= set(drawn)


@pytest.mark.parametrize("name", ["\">'<svg onload=x>", "a\x01\ud800b", "]]>", "שלום", "--&amp;"])
def test_names_of_any_kind_stay_inside_card_and_picture(name):
    card = cap.evaluate([1, 0, 1, 0], {name: [4, 3, 2, 1], "other": [1, 2, 3, 4]})._repr_html_()
    card.encode("utf-8")
    image, svg = picture_of(card)
    assert {tag for tag, _ in Fragment(card).elements} <= SAFE
    shown = name.replace("\x01", "\ufffd").replace("\ud800", "\ufffd")
    assert image["alt"].startswith(f"CAP: {shown}  AR")
    assert any((text.text or "").startswith(shown) for text in svg.iter(f"{SVG}text"))


def test_a_card_without_a_curve_has_no_picture():
    assert Fragment(cap.evaluate([1, 1], [2, 1])._repr_html_()).all("img") == []


def test_a_frame_that_is_dropped_leaves_one_line_that_says_what_to_do():
    html = page_in_frame("<p>the report</p>", 'a "title"')
    fragment = Fragment(html)
    (frame,) = fragment.all("iframe")
    assert frame["srcdoc"] == "<p>the report</p>"
    assert frame["sandbox"] == "allow-scripts allow-downloads"
    assert "".join(fragment.text) == (
        "No report here? Frames are shown in trusted notebooks only; "
        'save("report.html") writes it to a file.'
    )


def test_show_in_marimo_appends_to_the_cell_and_opens_no_browser(monkeypatch):
    shown = []
    marimo = types.ModuleType("marimo")
    marimo.running_in_notebook = lambda: True
    marimo.Html = str
    marimo.output = types.SimpleNamespace(append=shown.append)
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    monkeypatch.setattr(webbrowser, "open", lambda *_: pytest.fail("a browser was opened"))
    cap.evaluate([1, 0], [2, 1]).show()
    assert len(Fragment(shown[0]).all("iframe")) == 1


def test_marimo_in_a_script_is_no_notebook(monkeypatch, tmp_path):
    opened = []
    marimo = types.ModuleType("marimo")
    marimo.running_in_notebook = lambda: False
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cap.evaluate([1, 0], [2, 1]).show()
    assert len(opened) == 1


@pytest.mark.merge
@pytest.mark.needs("nbclient", "ipykernel")
def test_a_kernel_shows_card_and_page_and_warns_of_nothing():
    import nbclient
    import nbformat

    book = nbformat.v4.new_notebook()
    lines = ("import capcurve as cap", "found = cap.evaluate([1, 0, 1, 0], [4, 3, 2, 1])", "found")
    book.cells = [nbformat.v4.new_code_cell(text) for text in ("\n".join(lines), "found.show()")]
    nbclient.NotebookClient(book, timeout=100, kernel_name="python3").execute()
    card, page = ([dict(output) for output in cell.outputs] for cell in book.cells)
    assert [output["output_type"] for output in card + page] == ["execute_result", "display_data"]
    picture_of(card[0]["data"]["text/html"])
    assert len(Fragment(page[0]["data"]["text/html"]).all("iframe")) == 1
