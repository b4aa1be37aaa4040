"""Every metric that is named anywhere is one that is declared beside its function."""

import math
import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import capcurve as cap
from capcurve import metrics
from capcurve.cli import main
from capcurve.cli.checking import RequiredBound
from capcurve.cli.options import metric_named
from capcurve.counts import SegmentCounts
from capcurve.metrics import METRICS, Metric
from capcurve.results.summary import figures
from capcurve.show.columns import form_of
from capcurve.studies.change.shown import ChangeMetric
from capcurve.studies.unknown.shown import BoundedMetric

GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"
# What follows from a metric, or is a metric of one bin alone, or of two groups.
FOLLOW = {"accuracy_ratio_bounds", "score_decomposition", "gini", "captured_between", "local_lift"}
FOLLOW |= {"xauc", "abroca"}
# Figures that are sizes of the data.
SIZES = {"n", "n1", "n0", "m", "exposure", "amount"}
COUNTS = cap.ScoreCounts.from_counts([0.9, 0.7, 0.4, 0.2, 0.1], [7, 4, 0, 2, 1], [1, 5, 2, 9, 20])
AMOUNTS = cap.count_values([9, 0, 5, 0, 1, 0], [6, 5, 4, 3, 2, 1], exposure=[1, 2, 1, 1, 3, 1])
GAINS = cap.count_values([9, 0, 5, 0, 1, 0], [6, 5, 4, 3, 2, 1])
NEEDED = {"q": 0.3, "max_fpr": 0.3, "value": 5, "cost": 1, "threshold": 0.3}
NEEDED |= {"coverage": 0.7, "max_q": 0.4, "k": 3}


def asked(metric):
    return {name: NEEDED[name] for name in metric.needs}


def held(counts, metric):
    """Return a metric of counts; of a curve it is the highest point."""
    return metric.value(counts, **asked(metric))


def test_every_number_that_is_read_off_counts_is_declared():
    functions = {name for name in metrics.__all__ if name[0].islower()} - FOLLOW
    assert functions <= {metric.function.__name__ for metric in METRICS.values()}
    for metric in METRICS.values():
        assert getattr(cap, metric.function.__name__) is metric.function


def test_no_name_stands_for_two_metrics():
    names = [*METRICS, *(alias for metric in METRICS.values() for alias in metric.aliases)]
    assert sorted(names) == sorted(set(names))
    for called in ("flag", "label", "short", "headline"):
        words = [getattr(metric, called) for metric in METRICS.values()]
        assert sorted(words) == sorted(set(words)), called


@pytest.mark.parametrize(("kind", "counts"), [("classes", COUNTS), ("amounts", AMOUNTS)])
def test_values_lie_between_the_ends(kind, counts):
    for metric in METRICS.values():
        if kind in metric.of:
            low, high = metric.ends
            cases = counts if metric.name != "ndcg" or counts is COUNTS else GAINS
            assert low <= held(cases, metric) <= high, metric.name


@pytest.mark.parametrize("lacking", ["positives", "negatives"])
def test_a_metric_requires_the_classes_without_which_it_is_not_defined(lacking):
    classes = {"positives": [3, 2], "negatives": [1, 4], lacking: [0, 0]}
    counts = cap.ScoreCounts.from_counts([0.9, 0.1], **classes)
    segments = SegmentCounts.of({"all": COUNTS, "lacking": counts})
    for metric in METRICS.values():
        if "classes" not in metric.of:
            assert metric.requires == (), metric.name
        elif lacking in metric.requires:
            with pytest.raises(ValueError, match=f"no {lacking} among the 5 cases"):
                held(counts, metric)
        else:
            assert math.isfinite(held(counts, metric)), metric.name
        if metric.of_segments:
            found = metric.of_segments(segments, **asked(metric))
            assert found[0] == pytest.approx(held(COUNTS, metric), rel=1e-15), metric.name
            assert np.isnan(found[1]) == (lacking in metric.requires), metric.name


def test_a_score_that_orders_nothing_has_the_value_of_a_worthless_one():
    one_score = cap.ScoreCounts.from_counts([1], [3], [5])
    for metric in METRICS.headlines():
        if metric.worthless is not None:
            assert held(one_score, metric) == pytest.approx(metric.worthless), metric.name


def test_an_influence_is_centred_and_moves_the_number_as_it_says():
    p, n = COUNTS.positives, COUNTS.negatives
    for metric in METRICS.values():
        if metric.influence is None:
            continue
        of_positives, of_negatives = metric.given(**asked(metric)).influence(COUNTS)
        means = np.array([of_positives @ p / p.sum(), of_negatives @ n / n.sum()])
        if metric.moved_by_prevalence:
            means = means.sum()
        assert means == pytest.approx(0, abs=1e-9), metric.name
        more = np.array([0.02, -0.01, 0.01, 0.01, -0.02])
        one, other = (
            held(
                cap.ScoreCounts.from_counts(COUNTS.score, p * (1 + s * more), n * (1 - s * more)),
                metric,
            )
            for s in (1, -1)
        )
        # Weights at each cell move by these shares, and with them what the cell counts for.
        expected = 2 * (of_positives @ (p * more) / p.sum() - of_negatives @ (n * more) / n.sum())
        assert one - other == pytest.approx(expected, rel=1e-2), metric.name


@pytest.mark.merge
def test_intervals_take_every_name_and_alias_and_the_function():
    with pytest.raises(ValueError, match="metric must be one of") as refused:
        cap.confidence_interval(COUNTS, 0)
    offered = {*re.findall(r"'(\w+)'", str(refused.value))}
    assert len(offered) >= 10
    assert offered <= {*METRICS, *METRICS.aliases}
    for metric in METRICS.values():
        if metric.name not in offered:
            continue
        counts = COUNTS if "classes" in metric.of else AMOUNTS
        ways = (metric.name, *metric.aliases, metric.function)
        found = [cap.confidence_interval(counts, way, **asked(metric)) for way in ways]
        assert len({repr(each) for each in found}) == 1, metric.name


@pytest.mark.parametrize("counts", [COUNTS, AMOUNTS])
def test_figures_of_a_summary_are_metrics_in_their_form(counts):
    for figure in figures(cap.summarize(counts)):
        name = re.sub(r"(_of_top)?_\d+$", "", figure.metric)
        name = {"captured": "captured_response", "mean": "mean_amount"}.get(name, name)
        if name not in SIZES:
            assert METRICS[name].form == figure.form, figure.metric
    shown = {figure.metric for figure in figures(cap.summarize(counts))}
    kind = "classes" if counts is COUNTS else "amounts"
    assert {metric.name for metric in METRICS.headlines(kind)} <= shown


def test_columns_that_are_metrics_are_written_in_their_form():
    for name, metric in METRICS.items():
        assert form_of(name) in {metric.form, "count"}, name  # no table holds the others


def test_gates_are_of_metrics():
    options = {option.opts[0] for option in main.commands["check"].params}
    gates = {option.removeprefix("--min-") for option in options if option.startswith("--min-")}
    gates.discard("cell")  # the least cases of a cell
    assert gates <= {metric.flag for metric in METRICS.values()}
    assert {metric.flag for metric in METRICS.values() if metric.in_summary} <= gates


def test_the_glossary_explains_every_metric():
    text = GLOSSARY.read_text("utf-8")
    heads = {head.lower() for head in re.findall(r"(?m)^### (.*)$", text)}
    for name, metric in METRICS.items():
        assert re.search(rf"\b{metric.function.__name__}\b", text), name
        words = {metric.label.lower(), metric.short.lower(), f"{metric.label} curve".lower()}
        assert words & heads or name == "tie_mass", name


def test_ends_are_in_order():
    for metric in METRICS.values():
        low, high = metric.ends
        assert low < high
        assert metric.worthless is None or low <= metric.worthless <= high
        assert not math.isnan(low + high) or (low, high) == (-math.inf, math.inf)


def test_options_of_metrics_are_typed_as_their_flags():
    # A field has no hyphen; the option that it declares does.
    option = RequiredBound(Metric(function=cap.roc_auc, label="x", flag="two-words"))
    assert (option.field[0], option.flag) == ("min_two_words", "--min-two-words")


def test_a_headline_number_without_a_field_is_none_where_undefined(monkeypatch):
    own = Metric(name="own", function=cap.tie_mass, label="own", in_summary=True)
    monkeypatch.setitem(METRICS._metrics, "own", own)
    summary = cap.summarize(cap.count_scores([0, 0], [2, 1]))
    assert summary.value("own") is summary.to_dict()["own"] is summary.to_row()["own"] is None


INFLUENCED = [name for name, metric in METRICS.items() if metric.influence]
COMPARED = ("accuracy_ratio", "roc_auc", *INFLUENCED, "selective_risk", "net_benefit")
COMPARED += ("captured_response", "lift")
# What `capcurve mean` has no option for, and what is of a trial.
AVERAGED = tuple(
    name
    for name, metric in METRICS.items()
    if name not in ("partial_auc", "profit", "uplift", "qini", "auuc", "autoc")
)


@pytest.mark.parametrize(
    ("command", "taken"),
    [
        ("bounds", (*get_args(BoundedMetric), "prevalence", "lift", "precision", "kappa")),
        ("change", get_args(ChangeMetric)),
        ("compare", tuple(dict.fromkeys([*COMPARED, *AVERAGED]))),
        ("mean", AVERAGED),
    ],
)
def test_commands_take_the_metrics_of_their_functions(command, taken):
    (asked_for,) = [each for each in main.commands[command].params if each.name == "metric"]
    assert tuple(map(metric_named, asked_for.type.choices)) == taken


def test_the_page_of_numbers_says_range_and_direction_as_the_registry_does():
    page = Path(__file__).parents[2] / "docs" / "reference" / "numbers.md"
    rows = [line.split("|")[1:4] for line in page.read_text("utf-8").splitlines()]
    told = {row[0].strip(" `"): row[1:] for row in rows if row and row[0].startswith(" `")}
    assert set(INFLUENCED) - set(told) == {"accuracy_ratio", "roc_auc"} & set(INFLUENCED)
    for name, (ends, better) in told.items():
        low, high = (f"{end:g}".replace("inf", "∞").replace("-", "−") for end in METRICS[name].ends)
        assert ends.strip() == f"{low} to {high}", name
        assert better.strip() == ("higher" if METRICS[name].direction > 0 else "lower"), name
