"""Partly labelled cases: what is refused, what is found, and what a rate shows and saves."""

import json
import math
import re
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import capcurve as cap
import labels_reference as by_hand
from capcurve.input.arrays import cluster_groups
from capcurve.input.columns import as_column

TABLE = [(5, 60, 12, 10), (4, 100, 14, 11), (3, 120, 20, 9), (2, 80, 12, 2), (1, 40, 12, 1)]


def partial_of(held, **how):
    return cap.PartialCounts.from_counts(*by_hand.columns_of(held), **how)


PARTIAL = partial_of(TABLE)
EMPTY_TOP = partial_of([(6, 30, 0, 0), *TABLE])
OF_ONE_CLASS = partial_of([(score, cases, n, n) for score, cases, n, _ in TABLE])
NO_LABEL = partial_of([(score, cases, 0, 0) for score, cases, _, _ in TABLE])
GRADES = partial_of(
    [(name, *each[1:]) for name, each in zip("ABCDE", TABLE, strict=True)], levels=[*"ABCDE"]
)


def of_scores(*names):
    label = [1, 0, None, 1, 0, None] * 20
    scores = {name: [(i * (7 + j)) % 5 for i in range(120)] for j, name in enumerate(names)}
    return cap.count_partial(label, scores)


def at_horizon():
    times = cap.count_times([3, 5, 8, 9] * 9, [1, 0, 1, 0] * 9, [4, 3, 2, 1] * 9)
    return times.at(6)


def of_clusters():
    label = [1, 0, None, 1, 0, None] * 20
    return cap.count_partial(label, [i % 5 for i in range(120)], cluster=[*range(120)])


def interval(metric, partial=PARTIAL, labelled="at random", **asked):
    return cap.confidence_interval(partial, metric, labelled=labelled, **asked)


# What is refused, and what the one line names.
REFUSED = {
    "labels were chosen nobody knows how": (
        lambda: cap.confidence_interval(PARTIAL, "roc_auc"),
        ["how labels were chosen", "labelled=", "at random", "by score", "unknown_bounds"],
    ),
    "the same of a share": (
        lambda: cap.confidence_interval(PARTIAL, "prevalence"),
        ["labelled=", "at random", "by score"],
    ),
    "two scores, labels chosen nobody knows how": (lambda: cap.compare(of_scores("a", "b")), []),
    "another word for how": (
        lambda: cap.estimate_rate(PARTIAL, labelled="random"),
        ["'random'", "at random", "by score"],
    ),
    "another word for how, of a metric": (
        lambda: interval("auc", labelled="by chance"),
        ["'by chance'", "at random", "by score"],
    ),
    "another word for how, of weights": (
        lambda: PARTIAL.weighted(labelled="all"),
        ["'all'", "at random", "by score"],
    ),
    "another target": (
        lambda: cap.estimate_rate(PARTIAL, of="sample"),
        ["'sample'", "population", "cases"],
    ),
    "another target of a metric": (
        lambda: interval("auc", of="sample"),
        ["'sample'", "population", "cases"],
    ),
    "whole counts": (
        lambda: cap.estimate_rate(cap.count_scores([1, 0, 1], [3, 2, 1])),
        ["count_partial"],
    ),
    "no label": (lambda: cap.estimate_rate(NO_LABEL), ["unknown_bounds"]),
    "no label among columns": (lambda: cap.estimate_rate([None, None], [2, 1]), ["unknown_bounds"]),
    "no label to rank": (lambda: interval("auc", NO_LABEL), []),
    "no case": (lambda: cap.estimate_rate(cap.PartialCounts.from_counts([], [], [], [])), []),
    "no stratum": (lambda: cap.estimate_rate({}), []),
    "several scores": (lambda: cap.estimate_rate(of_scores("a", "b")), ["margin("]),
    "three scores to compare": (
        lambda: cap.compare(of_scores("a", "b", "c"), labelled="at random"),
        ["two"],
    ),
    "one score to compare": (lambda: cap.compare(PARTIAL, labelled="at random"), ["two"]),
    "one class to rank": (lambda: interval("accuracy_ratio", OF_ONE_CLASS), ["negatives"]),
    "a threshold above all scores": (lambda: interval("kappa", threshold=9), ["9", "1", "5"]),
    "a level that is none": (
        lambda: interval("kappa", GRADES, threshold="F"),
        ["'F'"],
    ),
    "kappa without a cut-off": (lambda: interval("kappa"), ["threshold="]),
    "kappa at a share": (lambda: interval("kappa", q=0.2), []),
    "captured without a share": (lambda: interval("captured_response"), ["q="]),
    "a share of a rate": (lambda: interval("prevalence", q=0.2), ["q="]),
    "another metric": (
        lambda: interval("ks"),
        ["ks", "accuracy_ratio", "roc_auc", "captured_response", "prevalence", "kappa"],
    ),
    "odds below 0": (lambda: cap.estimate_rate(PARTIAL, odds=(-1, 2)), ["-1", "odds"]),
    "odds that are one number": (lambda: cap.estimate_rate(PARTIAL, odds=2), ["odds", "two"]),
    "three odds": (lambda: cap.estimate_rate(PARTIAL, odds=(1, 2, 3)), ["odds", "two"]),
    "odds that are no number": (lambda: cap.estimate_rate(PARTIAL, odds=(1, math.nan)), ["odds"]),
    "odds that are text": (lambda: cap.estimate_rate(PARTIAL, odds="ab"), ["odds"]),
    "a level beyond 1": (lambda: cap.estimate_rate(PARTIAL, level=95), ["level", "95"]),
    "another side": (lambda: cap.estimate_rate(PARTIAL, side="left"), ["side", "left"]),
    "a side without labels": (
        lambda: interval("kappa", EMPTY_TOP, threshold=6),
        ["label"],
    ),
    "a side without labels at a share": (
        lambda: EMPTY_TOP.weighted(q=30 / 430),
        ["label"],
    ),
    "all judged and labelled alike": (
        lambda: cap.kappa(cap.ScoreCounts.from_counts([2, 1], [4, 3], [0, 0]), threshold=1),
        ["alike"],
    ),
    "fractions without a kind": (
        lambda: cap.estimate_rate(
            cap.PartialCounts.from_counts([2, 1], [12.5, 3.5], [2.5, 14.5], [9, 9])
        ),
        ["weight_kind"],
    ),
    "at a horizon": (lambda: cap.estimate_rate(at_horizon()), ["known_at"]),
    "more labels than cases": (
        lambda: cap.PartialCounts.from_counts([2, 1], [3, 4], [5, 6], [2, -1]),
        ["unknown holds -1"],
    ),
    "strata of several scores": (
        lambda: cap.estimate_rate({"a": PARTIAL, "b": of_scores("x", "y")}),
        ["margin("],
    ),
    "a stratum without labels": (
        lambda: cap.estimate_rate({"first": PARTIAL, "late": NO_LABEL}),
        ["label", "late"],
    ),
    "strata with clusters and without": (
        lambda: cap.estimate_rate({"first": PARTIAL, "late": of_clusters()}),
        ["cluster"],
    ),
    "whole counts as a stratum": (
        lambda: cap.estimate_rate({"a": PARTIAL, "b": PARTIAL.known}),
        ["count_partial"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_said_in_one_line(name):
    call, named = REFUSED[name]
    with pytest.raises((ValueError, TypeError)) as refused:
        call()
    said = str(refused.value)
    assert said
    assert "\n" not in said
    for each in named:
        assert each in said, said


def test_the_share_is_estimated_where_there_is_one_class():
    found = cap.estimate_rate(OF_ONE_CLASS)
    assert found.estimate == pytest.approx(1, abs=1e-12)
    assert found.high == 1
    assert 0 < found.low < 1


def test_columns_without_an_empty_label_are_all_labelled():
    found = cap.estimate_rate([1, 0, 0, 1, 1], [5, 4, 3, 2, 1])
    assert (found.n, found.labels) == (5, 5)
    assert found.estimate == pytest.approx(3 / 5)
    assert found.limits == pytest.approx(by_hand.wilson(3, 5, by_hand.z_of()))


def codes(found):
    return {finding.code: finding for finding in found.findings}


def rate_of(levels, **how):
    return cap.estimate_rate(partial_of(levels), **how)


def said(finding):
    return f"{finding.message}; {finding.advice}"


def test_nothing_is_found_where_labels_are_many_and_at_random():
    even = [(5 - place, 100, 20, 18 - 4 * place) for place in range(5)]
    assert codes(rate_of(even)) == {}
    assert codes(rate_of(even, labelled="by score")) == {}


UNSURE = [(5, 100, 10, 9), (4, 100, 10, 8), (3, 100, 60, 30), (2, 100, 10, 2), (1, 100, 10, 1)]
TOP_FIRST = [(5, 100, 40, 30), (4, 100, 30, 20), (3, 100, 20, 9), (2, 100, 11, 3), (1, 100, 10, 0)]


def test_labels_that_are_not_random_are_told():
    found = codes(rate_of(TOP_FIRST))["labels_not_random"]
    assert found.severity == "warning"
    assert re.search("labelled=.by score", said(found))
    assert "p < 0.001" in said(found)
    assert "labels_not_random" not in codes(rate_of(TOP_FIRST, labelled="by score"))


def test_the_estimate_is_not_switched_by_itself():
    continuous = [(30 - place, 10, 9 if place < 10 else 3, 2) for place in range(30)]
    one, other = rate_of(continuous), rate_of(continuous, labelled="by score")
    assert "labels_not_random" in codes(one)
    assert one.labelled == "at random"
    assert one.estimate == other.estimate  # beyond ten scores cells are the same


@pytest.mark.parametrize("seed", range(30))
def test_labels_are_not_random_from_a_p_value_of_one_in_a_hundred(seed):
    rng = np.random.default_rng(seed)
    chance = np.clip(0.3 + rng.normal(0, 0.03) * np.arange(-2, 3), 0.05, 0.95)
    labels = rng.binomial(150, chance)
    levels = [(5 - i, 150, int(n), int(n) // 2) for i, n in enumerate(labels)]
    unlabelled = [150 - n for _, _, n, _ in levels]
    counts = cap.ScoreCounts.from_counts([5, 4, 3, 2, 1], [n for _, _, n, _ in levels], unlabelled)
    to_one_side = cap.discrimination_test(counts, method="normal").p_value
    uneven = stats.chi2_contingency([labels, unlabelled], correction=False).pvalue
    expected = min(to_one_side, uneven) <= 0.01
    assert ("labels_not_random" in codes(rate_of(levels))) == expected


def test_labels_of_the_middle_are_not_random_either():
    levels = [
        (5, 150, 20, 18),
        (4, 150, 50, 30),
        (3, 150, 80, 40),
        (2, 150, 50, 20),
        (1, 150, 20, 2),
    ]
    (finding,) = [f for f in rate_of(levels).findings if f.code == "labels_not_random"]
    assert finding.severity == "warning"


def test_levels_with_few_labels_are_named_with_their_share():
    levels = [*TABLE[:4], (1, 90, 6, 0)]
    found = codes(rate_of(levels, labelled="by score"))["few_labels_here"]
    assert found.severity == "warning"
    share = 90 / sum(each[1] for each in levels)
    assert f"{100 * share:.0f}" in said(found)
    assert "ten" in said(found) or "10" in said(found)
    assert "bounds" in said(found)


@pytest.mark.parametrize(
    ("cases", "labels", "here"),
    [(20, 9, True), (19, 9, False), (20, 10, False), (300, 0, True), (300, 10, False)],
)
def test_few_labels_count_where_there_are_cases(cases, labels, here):
    # Levels of 20 cases are 5% of 400.
    others = [(5 - place, 95, 30, 12) for place in range(4)]
    found = codes(rate_of([*others, (1, cases, labels, 0)], labelled="by score"))
    assert ("few_labels_here" in found) == here


def test_tenths_of_continuous_scores_with_few_labels_are_named():
    levels = [(40 - place, 10, 0 if place < 4 else 5, 0 if place < 4 else 2) for place in range(40)]
    assert "few_labels_here" in codes(rate_of(levels, labelled="by score"))
    even = [(40 - place, 10, 5, 2) for place in range(40)]
    assert "few_labels_here" not in codes(rate_of(even, labelled="by score"))


@pytest.mark.parametrize(("labels", "few"), [(29, True), (30, False)])
def test_few_labels_in_all(labels, few):
    found = codes(rate_of([(2, 100, labels - 15, 5), (1, 100, 15, 5)]))
    assert ("few_labels" in found) == few
    if few:
        assert found["few_labels"].severity == "warning"
        assert "29" in said(found["few_labels"])


def test_labels_of_one_class():
    found = codes(cap.estimate_rate(OF_ONE_CLASS))
    assert found["one_class"].severity == "info"
    assert "one_class" not in codes(cap.estimate_rate(PARTIAL))


def test_scores_that_share_a_cell():
    levels = [(5, 60, 4, 3), (4, 60, 7, 5), *TABLE[2:]]
    found = codes(rate_of(levels))
    assert found["cells_merged"].severity == "info"
    assert re.search("[45]", said(found["cells_merged"]))
    assert "cells_merged" not in codes(rate_of(levels, labelled="by score"))


def everything_said(found):
    shown = found.presentation()
    return " ".join([*shown.sentences, *shown.notes, *map(said, found.findings), *found.notes])


@pytest.mark.parametrize("labelled", ["at random", "by score"])
def test_that_labels_are_random_is_never_claimed(labelled):
    text = everything_said(cap.estimate_rate(PARTIAL, labelled=labelled)).lower()
    claimed = re.findall(r"[^.;]*labels are (?:at )?random[^.;]*", text)
    assert all("cannot" in each for each in claimed)
    assert "cannot be tested" in text


def test_odds_of_nothing_and_without_end_reach_the_bounds():
    # In every cell there are labels of both classes.
    found = cap.estimate_rate(PARTIAL, odds=(0, math.inf))
    assert found.at_odds == pytest.approx(found.bounds, abs=1e-12)
    found = cap.estimate_rate(PARTIAL, odds=(1, 1))
    assert found.at_odds == pytest.approx([found.estimate] * 2, abs=1e-12)


def test_what_is_known_of_a_rate():
    found = cap.estimate_rate(PARTIAL, labelled="by score", of="cases", level=0.9)
    assert isinstance(found, cap.RateEstimate)
    assert (found.labelled, found.of, found.level) == ("by score", "cases", 0.9)
    assert (found.n, found.labels) == (400, 70)
    assert found.method == "post_stratified"
    low, high = found
    assert (low, high) == (found.low, found.high)
    alone = found.labels_alone
    assert isinstance(alone, cap.Interval)
    expected = by_hand.wilson(33, 70, by_hand.z_of(0.9))
    assert (alone.low, alone.estimate, alone.high) == pytest.approx(
        (expected[0], 33 / 70, expected[1])
    )
    assert found.bounds == pytest.approx((33 / 400, 363 / 400))
    assert found.at_odds is None
    columns = ["from", "to", "cases", "labels", "positives", "rate", "low", "high", "share"]
    assert [*found.cells.columns] == columns
    assert found.cells["share"].tolist() == pytest.approx([0.15, 0.25, 0.3, 0.2, 0.1])


def test_what_is_written_down_is_strict_json():
    found = cap.estimate_rate(PARTIAL, odds=(0.5, 2))
    saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    for field in ("estimate", "low", "high", "se", "level", "method", "of", "labelled"):
        assert saved[field] == getattr(found, field), field
    assert (saved["n"], saved["labels"]) == (400, 70)
    assert saved["bounds"] == pytest.approx(found.bounds)
    assert saved["at_odds"] == pytest.approx(found.at_odds)
    assert saved["labels_alone"]["low"] == found.labels_alone.low
    assert saved["findings"] == [finding.to_dict() for finding in found.findings]
    assert saved["notes"] == [*found.notes]
    columns = saved["cells"]
    if isinstance(columns, dict):
        cases = columns.get("columns", columns)["cases"]
    else:
        cases = [row["cases"] for row in columns]
    assert cases == [60, 100, 120, 80, 40]


NUMBERS = ["400", "70", "47.1%"]


@pytest.mark.parametrize("form", ["to_text", "to_html", "to_markdown", "to_latex"])
def test_a_rate_shows_its_numbers(form):
    found = cap.estimate_rate(PARTIAL)
    shown = getattr(found, form)().replace("\\%", "%")
    percents = [f"{100 * each:.1f}%" for each in (found.estimate, found.low, found.high)]
    for number in [*NUMBERS, *percents]:
        assert number in shown, number
    assert "at random" in shown


def test_whose_cases_are_meant_is_said():
    of_cases, of_all = (cap.estimate_rate(PARTIAL, of=of) for of in ("cases", "population"))
    assert of_cases.to_text() != of_all.to_text()
    assert everything_said(of_cases) != everything_said(of_all)


@pytest.mark.parametrize(
    "suffix", [".html", ".json", ".md", ".tex", ".txt", ".csv", ".png", ".svg"]
)
def test_a_rate_is_saved(tmp_path, suffix):
    for found in (
        cap.estimate_rate(PARTIAL),
        cap.estimate_rate(OF_ONE_CLASS, side="lower"),
        cap.estimate_rate({"one": PARTIAL, "two": OF_ONE_CLASS}, odds=(0, math.inf)),
        cap.estimate_rate(partial_of([(1, 2, 1, 1)])),
    ):
        saved = found.save(tmp_path / f"rate{suffix}")
        assert saved.stat().st_size > 100
    if suffix == ".json":
        json.loads(saved.read_text(encoding="utf-8"))


def test_a_rate_has_one_line_and_a_card():
    found = cap.estimate_rate(PARTIAL)
    assert f"{100 * found.estimate:.1f}%" in found.sentence
    assert "\n" not in found.sentence
    assert found._repr_html_()
    assert repr(found)
    assert f"{found:.3f}" == f"{found.estimate:.3f} [{found.low:.3f}, {found.high:.3f}]"


def test_the_picture_has_three_lines():
    found = cap.estimate_rate(PARTIAL)
    (chart, *_) = found.presentation().charts
    assert "labels alone" in repr(chart).lower()
    assert found.plot()


def test_kappa_is_told_with_its_agreement_and_what_moves_it():
    found = interval("kappa", threshold=4)
    cells = by_hand.cells_of(TABLE, better=2)
    agreement = by_hand.kappa(cells, 2)["agreement"]
    text = " ".join(found.notes)
    assert "agree" in text
    assert f"{100 * agreement:.0f}" in text or f"{agreement:.2f}" in text
    assert "positive" in text


def test_two_scores_are_told_which_has_the_cells():
    found = cap.compare(of_scores("a", "b"), labelled="at random")
    shown = found.presentation()
    notes = [*shown.notes, *found.pairs[0].notes]
    assert any("first" in note for note in notes)


def answers(seed, prompts=60, labelled=20, each=5):
    """Draw the answers of prompts, some prompts labelled: label, score, prompt."""
    rng = np.random.default_rng(seed)
    effect = np.repeat(rng.normal(size=prompts), each)
    score = np.clip(np.round(3 + effect + rng.normal(size=prompts * each)), 1, 5)
    label = (effect + rng.normal(size=prompts * each) > 0).astype(float)
    prompt = np.repeat(np.arange(prompts), each)
    return np.where(prompt < labelled, label, np.nan), score, prompt


def without_each_group(label, score, prompt, cells):
    """Return the share of positives without each group of labelled prompts, in the same cells."""
    groups = cluster_groups(as_column(prompt, "prompt"))[1]
    known, found = ~np.isnan(label), []
    for group in np.unique(groups[known]):
        kept, total = groups != group, 0.0
        for cell in cells:
            here = np.isin(score, [each[0] for each in cell]) & kept
            total += here.sum() * label[here & known].mean()
        found.append(total / kept.sum())
    return np.array(found)


@pytest.mark.parametrize("seed", range(4))
def test_clusters_have_the_spread_of_shares_without_each(seed):
    label, score, prompt = answers(seed)
    rows = [
        (s, None if math.isnan(y) else int(y))
        for s, y in zip(score.tolist(), label.tolist(), strict=True)
    ]
    cells = by_hand.cells_of(by_hand.levels_of(rows))
    left = without_each_group(label, score, prompt, cells)
    se = math.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum())
    clustered, alone = (cap.count_partial(label, score, **how) for how in ({"cluster": prompt}, {}))
    effect = max(1.0, (se / cap.estimate_rate(alone).se) ** 2)
    for of in ("population", "cases"):
        found, usual = (cap.estimate_rate(each, of=of) for each in (clustered, alone))
        assert found.estimate == pytest.approx(usual.estimate, abs=1e-12)
        # These cases are given: what clusters add is as many times the chance of their labels.
        expected = se if of == "population" else math.sqrt(effect) * usual.se
        assert found.se == pytest.approx(expected, abs=1e-9)
        assert found.low < usual.low
        assert usual.high < found.high
    limits = by_hand.limits_of_clusters(cells, found.se, len(left))
    assert found.limits == pytest.approx(limits, abs=1e-9)


def test_limits_of_these_cases_are_within_what_is_certain():
    # 195 of 200 cases have a label: whatever the others are, the share is 48.5 to 51%.
    label = np.r_[np.ones(100), np.zeros(100)]
    score = np.r_[np.repeat([2, 1], [80, 20]), np.repeat([2, 1], [20, 80])]
    label[::40] = np.nan
    partial = cap.count_partial(label, score, cluster=np.arange(200) // 5)
    found = cap.estimate_rate(partial, of="cases")
    assert found.bounds[0] <= found.low <= found.estimate <= found.high <= found.bounds[1]


def test_nothing_is_estimated_of_clusters_that_are_all_labelled():
    label, score, prompt = answers(1, labelled=60)
    found = cap.estimate_rate(cap.count_partial(label, score, cluster=prompt), of="cases")
    assert [*found] == pytest.approx([label.mean()] * 2, abs=1e-12)
    assert found.se == 0


def test_clusters_move_limits_of_ranking_out():
    label, score, prompt = answers(3, labelled=30)
    clustered = cap.count_partial(label, score, cluster=prompt)
    alone = cap.count_partial(label, score)
    for metric, asked in (("roc_auc", {}), ("kappa", {"threshold": 3})):
        found, usual = (interval(metric, each, **asked) for each in (clustered, alone))
        assert found.estimate == pytest.approx(usual.estimate, abs=1e-12)
        assert found.low <= found.estimate <= found.high


def test_coverage_by_cells_is_near_what_is_promised():
    # One design of many: 200 labels of 2,000 cases on a five-point judge.
    rng = np.random.default_rng(1)
    truth = np.array([0.9, 0.75, 0.5, 0.2, 0.05])
    cases = np.array([200, 500, 600, 400, 300])
    inside = 0
    for _ in range(200):
        positives = rng.binomial(cases, truth)
        ranks = np.concatenate([np.arange(n) < k for n, k in zip(cases, positives, strict=True)])
        level = np.repeat(np.arange(5), cases)
        taken = rng.choice(2000, 200, replace=False)
        labels, known = (
            np.bincount(level[taken], minlength=5),
            np.bincount(level[taken], weights=ranks[taken], minlength=5),
        )
        levels = [(5 - i, int(cases[i]), int(labels[i]), int(known[i])) for i in range(5)]
        found = rate_of(levels, of="cases")
        inside += found.low <= positives.sum() / 2000 <= found.high
    assert inside >= stats.binom.ppf(0.001, 200, 0.95)


def test_limits_fit_each_other():
    lows = [cap.estimate_rate(PARTIAL, level=level).low for level in (0.5, 0.8, 0.95, 0.999999)]
    assert all(wide < narrow for narrow, wide in pairwise(lows))


@pytest.mark.parametrize("seed", range(12))
def test_weighted_labels_of_one_class_have_a_share_of_one(seed):
    # A sum of weights, and the whole less the rest, may differ by a rounding.
    rng = np.random.default_rng(seed)
    label, weight = np.where(rng.random(40) < 0.5, 1.0, np.nan), rng.random(40)
    found = cap.estimate_rate(label, rng.integers(1, 6, 40), weight=weight, weight_kind="sampling")
    assert found.labels_alone.estimate == found.labels_alone.high == 1
    assert found.labels == 40 - np.isnan(label).sum()


def test_a_stratum_without_a_name_keeps_its_place():
    found = cap.estimate_rate({None: PARTIAL, "two": PARTIAL})
    assert set(found.cells["stratum"].tolist()) == {None, "two"}
    few = cap.PartialCounts.from_counts([1, 0], [2, 1], [1, 2], unknown=[9, 9])
    said = [finding.message for finding in cap.estimate_rate({None: few, "two": few}).findings]
    assert any("hardly any labels at (none): " in each for each in said)
