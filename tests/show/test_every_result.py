"""Whatever a call returns shows and saves itself in the same ways."""

import csv
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import capcurve
from capcurve import ScoreCounts
from capcurve.show import PICTURES
from capcurve.show.result import Result

RNG = np.random.default_rng(1)
POSITIVE = RNG.random(300) < 0.3
SCORES = {name: POSITIVE + RNG.normal(size=300).round(1) for name in ("new", "old")}
SCALE = ["C", "B", "A"]


def one_score():
    return capcurve.count_scores(POSITIVE, SCORES["new"])


def jointly():
    return capcurve.count_joint(POSITIVE, SCORES)


def by_region():
    region = np.repeat(["north", "south"], 150)
    return capcurve.count_segments(POSITIVE, SCORES["new"], by=region)


def of_pds():
    return capcurve.count_scores(POSITIVE, np.clip(SCORES["new"] / 6 + 0.3, 0.01, 0.9).round(2))


def graded(*positives):
    return ScoreCounts.from_counts(SCALE, positives, [10, 20, 70], levels=SCALE)


def regraded():
    start, end = np.repeat(SCALE, 10), np.tile(SCALE, 10)
    outcomes = np.arange(30) % 7 == 0
    return capcurve.count_joint(outcomes, {"start": start, "end": end}, levels=SCALE)


def partly_known():
    return capcurve.count_partial([1, 0, None, 1, 0, 0, None], [7, 6, 5, 4, 3, 2, 1])


def of_amounts():
    amounts = np.where(POSITIVE, RNG.integers(1, 50, 300), 0)
    return capcurve.summarize(capcurve.count_values(amounts, SCORES["new"]))


def in_arms():
    return capcurve.count_uplift(POSITIVE, np.arange(300) % 2, SCORES["new"])


EXAMPLES = {
    "Attribution": lambda: capcurve.attribute_change(by_region(), by_region()),
    "Audit": lambda: capcurve.audit_table({"n": [3, 3], "positives": [2, 1]}),
    "Band": lambda: capcurve.null_band((100, 50)),
    "BandingLoss": lambda: capcurve.banding_loss(one_score(), bins=5),
    "BestShare": lambda: capcurve.best_share(in_arms(), value=5, cost=1),
    "Bounds": lambda: capcurve.unknown_bounds(partly_known()),
    "Calibration": lambda: capcurve.assess_calibration(of_pds()),
    "CertifiedCutoff": lambda: capcurve.certified_cutoff(one_score(), 0.6),
    "Comparison": lambda: capcurve.compare(jointly()),
    "Concentration": lambda: capcurve.grade_concentration(graded(5, 4, 3), graded(3, 3, 3)),
    "ControlChart": lambda: capcurve.control_chart(
        {"2024": one_score()}, one_score(), drop=0.1, limit=2.5
    ),
    "Decomposition": lambda: capcurve.decompose(by_region()),
    "Evaluation": lambda: capcurve.evaluate(POSITIVE, SCORES),
    "GeneralisedAUC": lambda: capcurve.generalised_auc([[80, 5], [10, 5]]),
    "GradeHomogeneity": lambda: capcurve.grade_homogeneity_test(
        {"new": graded(5, 4, 3), "old": graded(3, 3, 3)}
    ),
    "GradeScale": lambda: capcurve.design_grades(one_score(), 4),
    "Interval": lambda: capcurve.confidence_interval(one_score(), "accuracy_ratio"),
    "Migration": lambda: capcurve.migration_table(regraded(), "start", "end"),
    "Recalibration": lambda: capcurve.logistic_recalibration(of_pds()),
    "SampleSize": lambda: capcurve.sample_size(0.7, prevalence=0.5),
    "StabilityByPeriod": lambda: capcurve.population_stability(
        {"2024-01": graded(5, 4, 3), "2024-02": graded(3, 3, 3), "2024-03": graded(1, 0, 9)}
    ),
    "Stability": lambda: capcurve.population_stability(graded(5, 4, 3), graded(3, 3, 3)),
    "SelectivePrediction": lambda: (
        capcurve.summarize(one_score(), selective=True, max_risk=0.2).selective
    ),
    "Summary": lambda: capcurve.summarize(one_score()),
    "Test": lambda: capcurve.discrimination_test(one_score()),
    "TippingPoint": lambda: capcurve.tipping_point(partly_known(), 0.5),
    "UpliftEvaluation": lambda: capcurve.evaluate(in_arms()),
    "UpliftSummary": lambda: capcurve.evaluate(in_arms()).summaries["score"],
    "ValidationSheet": lambda: capcurve.validate(one_score()),
    "ValueSummary": of_amounts,
}
# These are a few numbers without limits.
WITHOUT_PICTURE = {
    *("Decomposition", "GradeHomogeneity", "Recalibration", "SampleSize", "Test", "TippingPoint")
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
    result = EXAMPLES[name]()
    assert type(result) is offered()[name]
    shown = result.presentation()
    assert shown.title
    assert shown.sentences[0] == result.sentence
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


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_repr_is_a_few_lines(name):
    result = EXAMPLES[name]()
    assert len(repr(result).splitlines()) <= 10
    assert len(repr(result)) <= 700
    assert "array(" not in repr(result)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_frame_has_what_a_file_of_csv_has(name, tmp_path):
    result = EXAMPLES[name]()
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


def test_a_summary_is_the_card_and_its_csv_the_row_of_the_report(tmp_path):
    one = {"new": SCORES["new"]}
    report = capcurve.evaluate(POSITIVE, one)
    summary = report.summaries["new"]
    assert report.to_text().startswith(summary.to_text())
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
