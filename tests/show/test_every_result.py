"""Whatever a call returns shows and saves itself in the same ways."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import capcurve
from capcurve.show import PICTURES
from capcurve.show.result import Result
from results_shown import EXAMPLES, POSITIVE, SCORES, example, jointly, one_score, said

# These are a few numbers without limits.
WITHOUT_PICTURE = {
    *(
        "Decomposition",
        "EcbTable",
        "GradeHomogeneity",
        "Recalibration",
        "SampleSize",
        "Test",
        "TippingPoint",
    )
}
# These write something of their own; what writes a presentation writes any, so that of the others
# one kind of picture shows that their charts can be drawn.
IN_EVERY_FORM = {"Attribution", "Evaluation", "Summary", "UpliftEvaluation", "ValidationSheet"}


def offered():
    """Return every public kind of result."""
    found = {name: getattr(capcurve, name) for name in capcurve.__all__}
    return {n: c for n, c in found.items() if isinstance(c, type) and issubclass(c, Result)}


def suffixes(result):
    """Return the suffixes in which a result is saved here: pictures of most take turns."""
    name = type(result).__name__
    own = PICTURES[[*EXAMPLES].index(name) % len(PICTURES)]
    every = name in IN_EVERY_FORM
    return [each for each in result._writers() if every or each not in PICTURES or each == own]


def strict(text):
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))


class _Loads(HTMLParser):
    """What a page runs, or loads from elsewhere."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        if tag in {"script", "iframe", "link", "object", "embed"}:
            self.found.append(tag)
        self.found += [
            value
            for name, value in attrs
            if name in {"src", "href"} and not value.startswith(("data:", "#"))
        ]


def loaded(html):
    reader = _Loads()
    reader.feed(html)
    return reader.found + re.findall(r"@import|url\((?!['\"]?(?:data:|#))", html)


def test_every_public_result_has_an_example():
    assert set(EXAMPLES) == set(offered())


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_result_shows_and_saves_itself(name, tmp_path):
    result = example(name)
    assert type(result) is offered()[name]
    shown = result.presentation()
    assert shown.title
    assert result.sentence.startswith(shown.sentences[0])
    assert result.to_text().strip()
    assert result.to_markdown().strip()
    assert shown.sentences[0].split()[0] in result.to_html()
    # The page of an evaluation is the one that readers work with; it brings its script along.
    assert set(loaded(result.to_html())) <= ({"script"} if name == "Evaluation" else set())
    assert result._repr_html_().lstrip().startswith("<")
    assert not loaded(result._repr_html_())
    written = json.dumps(result.to_dict(), allow_nan=False)
    assert strict(written) == result.to_dict()
    drawn = bool(shown.charts)
    assert drawn == (name not in WITHOUT_PICTURE)
    for suffix in suffixes(result):
        target = tmp_path / f"found{suffix}"
        if suffix in PICTURES and not drawn:
            with pytest.raises(ValueError, match="there is nothing to draw"):
                result.save(target)
            assert not target.exists()
        else:
            assert result.save(target).stat().st_size
    assert strict((tmp_path / "found.json").read_text("utf-8")) == result.to_dict()


def is_one_dot(chart):
    """Return whether nothing but a single point is drawn on axes of full size."""
    values = [value for line in chart.lines if not line.shared for value in line.x]
    return not (chart.flat or chart.bars or chart.bands or chart.areas) and len(set(values)) < 2


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_single_number_is_drawn_as_one_dot_on_large_axes(name):
    for chart in example(name).presentation().charts:
        # The only period of a control chart is drawn beside its limit.
        assert name == "ControlChart" or not is_one_dot(chart), chart.title
        assert chart.title
        assert chart.flat == (chart.y.ends == (0.0, 1.0) and not chart.y.title)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_result_says_what_was_read_in_review(name, golden):
    """What is shown of each result is in `golden`; after a change `make golden` writes it anew."""
    golden(name, said(name))


def test_every_golden_text_is_asked_for():
    tests = Path(__file__).parents[1]
    asked = "".join(path.read_text("utf-8") for path in tests.rglob("test_*.py"))
    found = {path.stem for path in (tests / "golden").iterdir()}
    assert {name for name in found if f'golden("{name}"' not in asked} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_repr_is_a_few_lines(name):
    result = example(name)
    assert len(repr(result).splitlines()) <= 10
    assert len(repr(result)) <= 700
    assert "array(" not in repr(result)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_frame_has_what_a_file_of_csv_has(name, tmp_path):
    result = example(name)
    with result.save(tmp_path / "found.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    frame = result.to_frame("polars")
    assert frame.columns == head
    assert len(frame) == len(rows)


def test_names_of_scores_stay_as_typed():
    test = capcurve.compare(jointly()).overall
    assert test.presentation().title == "new minus old"
    assert test.sentence.startswith("new minus old: ")
    assert capcurve.discrimination_test(one_score()).presentation().title == "AUC = 1/2"


def test_a_comparison_says_with_its_margin_what_it_shows():
    asked = {"alternative": "non-inferior", "margin": 0.5, "metric": "roc_auc"}
    found = capcurve.compare(jointly(), **asked)
    assert "is not worse than old by more than 0.5 AUC" in found.sentence
    assert "margin" not in found.to_dict()


def test_a_summary_says_what_its_report_says_and_its_csv_is_the_row_of_the_report(tmp_path):
    one = {"new": SCORES["new"]}
    report = capcurve.evaluate(POSITIVE, one)
    summary = report.summaries["new"]
    # But for their titles they say the same, in one layout.
    assert report.to_text().partition("\n")[2] == summary.to_text().partition("\n")[2]
    assert summary.save(tmp_path / "a.csv").read_text("utf-8") == report.save(
        tmp_path / "b.csv"
    ).read_text("utf-8")


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_the_picture_of_a_summary_stands_on_the_cap(prevalence):
    counts = one_score()
    chart = capcurve.summarize(counts, prevalence=prevalence).presentation().charts[0]
    curve = capcurve.cap_curve(counts, prevalence=prevalence)
    points = chart.lines[0]
    assert points.y == pytest.approx(np.interp(points.x, curve.x, curve.y).tolist())
