"""A change in words, as a picture and with its findings: each says what the numbers are."""

import re
from dataclasses import replace

import numpy as np
import pytest

import capcurve as cap
from capcurve.inference import Interval, Test
from capcurve.show.table import Table
from capcurve.studies.change import Attribution
from capcurve.studies.change.shown import findings_of_change, mix_of, plural
from results_shown import in_words

NAN = float("nan")
BETTER = [
    ("card", 1000, 100, 900, 80, 0.5, 0.52, -0.02, 0.0, 0.0, 0.0),
    ("loan", 500, 60, 700, 90, 0.4, 0.45, -0.018, 0.0, 0.0, 0.0),
    ("new", 0, 0, 700, 90, NAN, 0.1, -0.018, 0.0, 0.0, 0.0),
]
COMING = [
    ("card", 1000, 100, 900, 80, 0.5, 0.4, 0.0, 0.0, 0.0, 0.0),
    ("new", 0, 0, 100, 50, NAN, 0.4, 0.0, 0.0, 0.0, 0.0),
    ("gone", 250, 50, 0, 0, 0.4, NAN, 0.0, 0.0, 0.0, 0.0),
    ("empty", 50, 0, 60, 20, NAN, 0.4, 0.0, 0.0, 0.0, 0.0),
    ("tiny", 500, 9, 600, 20, 0.4, 0.4, 0.0, 0.0, 0.0, 0.0),
    (None, 500, 490, 600, 591, 0.4, 0.4, 0.0, 0.0, 0.0, 0.0),
]


def part(size, se=0.01):
    low, high = (NAN, NAN) if se is None else (size - 1.96 * se, size + 1.96 * se)
    return Interval(low, size, high, 0.95, "influence functions, normal", se)


def segments(rows):
    names = ("segment", "n_before", "n1_before", "n_after", "n1_after")
    names += ("ratio_before", "ratio_after", "mix", "within", "between", "total")
    return Table("s", {n: np.array(c) for n, c in zip(names, zip(*rows, strict=True), strict=True)})


USUAL = segments(
    [
        ("card", 1000, 100, 900, 80, 0.5, 0.4, -0.02, -0.006, -0.002, -0.028),
        ("loan", 500, 60, 700, 90, 0.4, 0.45, -0.018, -0.005, -0.002, -0.025),
    ]
)


def why(before=0.484, after=0.431, parts=(-0.038, -0.011, -0.004), p=0.003, **options):
    names = ("ranking", "prevalence") if len(parts) == 2 else ("mix", "within", "between")
    found = {name: part(size) for name, size in zip(names, parts, strict=True)}
    found |= {name: part(size) for name, size in options.pop("halves", {}).items()}
    change = after - before
    test = Test(
        name="after - before",
        statistic=-3.0,
        p_value=p,
        method="delong",
        estimate=change,
        se=0.018,
        low=change - 0.035,
        high=change + 0.035,
        level=0.95,
    )
    options = {"metric": "accuracy_ratio", "level": 0.95, "segments": USUAL, **options}
    if len(parts) == 2:
        options["segments"] = None
    given = Attribution(before=before, after=after, change=test, parts=found, **options)
    return replace(given, findings=findings_of_change(given))


ONE = segments([("all", 1000, 100, 900, 80, 0.5, 0.4, 0.0, -0.1, 0.0, -0.1)])


def untested():
    given = why()
    test = replace(given.change, p_value=NAN, low=None, high=None, se=None, notes=("too few",))
    given = replace(given, change=test, parts={n: part(-0.01, None) for n in given.parts})
    return replace(given, findings=findings_of_change(given))


def test_what_is_said_of_each_kind_of_change(golden):
    segmented = {"segments": segments(BETTER), "by": "product"}
    worse = [(*row[:5], row[6], row[5], *row[7:]) for row in BETTER]
    halves = {"mix_positives": -0.097, "mix_negatives": 0.079}
    none = {"mix_positives": 0.0, "mix_negatives": 0.0}
    depth = {"q": 0.1}
    few = [(f"s{i}", 50, 5, 60, 9, 0.5, 0.4, 0.0, 0.0, 0.0, 0.0) for i in range(12)]
    many = {"segments": segments(few), "small": tuple(f"s{i}" for i in range(12))}
    coming = {"segments": segments(COMING), "small": ("empty", "tiny", None)}
    cases = {
        "by product": why(by="product"),
        "by segments, mostly ranking": why(0.484, 0.431, (-0.011, -0.038, -0.004)),
        "parts of opposite signs": why(0.484, 0.470, (-0.018, 0.0041, -0.0001), 0.4, by="product"),
        "a rise": why(0.431, 0.484, (0.038, 0.011, 0.004)),
        "a rise of mixed parts": why(0.431, 0.484, (-0.01, 0.06, 0.003)),
        "what does not move": why(0.484, 0.4842, (0.02, -0.0198, 0.0), 0.9),
        "what no part moves": why(0.5, 0.5, (0, 0, 0), 1.0),
        "one segment": why(0.5, 0.4, (0.0, -0.1, 0.0), segments=ONE, small=("all",)),
        "within chance at 99%": why(p=0.04, level=0.99),
        "within chance": why(p=0.2),
        "without a test": untested(),
        "captured": why(0.312, 0.28, (-0.031, -0.001), metric="captured_response", **depth),
        "lift": why(2.5, 2.75, (0.5, -0.25), metric="lift", **depth),
        "precision": why(0.2, 0.25, (0.01, 0.04), metric="precision", **depth),
        "precision, by chance": why(0.3, 0.25, (-0.02, -0.03), 0.2, metric="precision", **depth),
        "opposite halves": why(0.484, 0.455, (-0.018, -0.007, -0.004), halves=halves),
        "halves of nothing, periods named": why(halves=none, labels=("May", "June")),
        "every segment better": why(**segmented),
        "every segment worse": why(0.431, 0.484, (0.038, 0.011, 0.004), segments=segments(worse)),
        "segments that come and go": why(labels=("May", "June"), **coming),
        "many small segments": why(**many),
    }
    golden("Attribution, in cases", in_words(cases))


def test_chance_is_judged_at_the_level():
    assert "is statistically significant (p = 0.040)" in why(p=0.04).sentence
    assert "within_chance" not in codes(why(p=0.05))


@pytest.mark.parametrize(
    ("by", "several"),
    [
        ("product", "products"),
        ("country", "countries"),
        ("day", "days"),
        ("branch", "branches"),
        ("class", "classes"),
        ("sales", "sales"),
        ("Region", "Regions"),
    ],
)
def test_a_word_has_a_plural(by, several):
    assert plural(by) == several
    assert mix_of(by) == f"{by} mix"


@pytest.mark.parametrize("by", ["grade_rank", "PD", "2024", "a b", "", "<b>"])
def test_what_is_no_word_has_none(by):
    assert plural(by) == "segments"
    assert mix_of(by) == f"mix by {by.replace('_', ' ')}"


def test_the_table_is_that_of_the_segments():
    (table,) = why(by="product").presentation().tables
    assert table.name == "Change of AR by product, before to after"
    assert table.columns.keys() == USUAL.columns.keys()
    assert table["segment"].tolist()[-1] == "all"
    assert table["total"].tolist() == pytest.approx([-0.028, -0.025, -0.053])
    assert (table["ratio_before"][-1], table["ratio_after"][-1]) == (0.484, 0.431)
    (table,) = why(2.5, 2.75, (0.5, -0.25), metric="lift", q=0.1).presentation().tables
    assert table["part"].tolist() == ["ranking", "prevalence", "all"]
    assert table["change"].tolist() == [0.5, -0.25, 0.25]


# The picture


def test_bars_lead_from_before_to_after():
    chart = why().presentation().charts[0]
    (bars,) = chart.bars
    assert bars.base.tolist() == pytest.approx([0.484, 0.446, 0.435])
    assert (bars.base + bars.shares).tolist() == pytest.approx([0.446, 0.435, 0.431])
    assert bars.at.tolist() == [1, 2, 3]
    assert (bars.high - bars.low).tolist() == pytest.approx([2 * 1.96 * 0.01] * 3)
    assert ((bars.high + bars.low) / 2).tolist() == pytest.approx([0.446, 0.435, 0.431])
    ends = [(line.x[0], line.y[0]) for line in chart.lines if line.width > 1]
    assert [y for _, y in ends] == [0.484, 0.431]


def test_gains_and_losses_differ_in_more_than_colour():
    chart = why(0.484, 0.475, (-0.02, 0.011, 0.0)).presentation().charts[0]
    looks = {bars.label: (bars.style, bars.hatch) for bars in chart.bars}
    assert looks.keys() == {"raised AR", "lowered AR", ""}
    assert len({hatch for _, hatch in (looks["raised AR"], looks["lowered AR"])}) == 2
    assert looks[""][0] is None
    written = [text for text, _, _ in chart.above]
    assert written == ["0.484", "−0.020", "+0.011", "0.000", "0.475"]
    assert (
        chart.description == "before 0.484; mix −0.020; within +0.011; between 0.000; after 0.475"
    )


def test_all_that_is_drawn_is_between_the_ends():
    for parts in ((-0.038, -0.011, -0.004), (0.3, -0.35, -0.003), (0.0, 0.0, 0.0)):
        after = 0.484 + sum(parts)
        chart = why(0.484, after, parts).presentation().charts[0]
        low, high = chart.y.ends
        for bars in chart.bars:
            for heights in (bars.base, bars.base + bars.shares, bars.low, bars.high):
                assert low < heights.min() <= heights.max() < high
        assert all(low < y < high for _, _, y in chart.above)


def test_names_stand_in_two_lines_and_are_not_too_long():
    chart = why(by="product", labels=("x" * 60, "2024-06")).presentation().charts[0]
    names = chart.scores.names
    assert names[1:] == ["Product\nmix", "Within\nproducts", "Between\nproducts", "2024-06"]
    assert len(names[0]) <= 12


def test_the_picture_shows_the_bars():
    ax = why().plot()
    heights = [(patch.get_y(), patch.get_height()) for patch in ax.patches]
    assert heights[0] == pytest.approx((0.484, -0.038))
    assert len(heights) == 3
    stems = ax.collections[0].get_segments()
    assert [stem[0][0] for stem in stems] == [1, 2, 3]
    assert stems[0][:, 1].tolist() == pytest.approx([0.446 - 0.0196, 0.446 + 0.0196])
    assert [t.get_text() for t in ax.get_xticklabels()][1] == "Segment\nmix"
    assert ax.get_xticklabels()[0].get_rotation() == 0


# Findings


def codes(given):
    return {finding.code for finding in given.findings}


def test_findings_are_of_what_they_name_alone():
    assert why(0.484, 0.431, (-0.011, -0.038, -0.004)).findings == ()
    worse = [(*row[:5], row[6], row[5], *row[7:]) for row in BETTER]
    assert "simpson" not in codes(why(segments=segments(worse)))
    assert "simpson" not in codes(why(segments=segments([BETTER[0], BETTER[2]])))
    assert "mostly_mix" not in codes(why(parts=(-0.02, -0.03, -0.003)))
    assert "mostly_mix" not in codes(why(0.484, 0.49, (-0.038, 0.03, 0.014)))
    small = {"mix_positives": -0.045, "mix_negatives": 0.007}
    assert "opposite_mixes" not in codes(why(halves=small))


# What it is put together from


def two_periods():
    """Inside each product the second sample ranks as the first, but the mix has changed."""
    rng = np.random.default_rng(5)
    samples = []
    for shares in ((300, 100), (100, 300)):
        y, score, by = [], [], []
        for name, size, shift in zip("ab", shares, (2.0, 0.5), strict=True):
            outcome = rng.random(size) < 0.3
            y += outcome.tolist()
            score += (rng.normal(size=size) + shift * outcome).tolist()
            by += [name] * size
        samples.append(cap.count_segments(y, score, by=by))
    return samples


def test_the_numbers_in_the_sentence_are_those_of_the_parts():
    found = cap.attribute_change(*two_periods(), by="product", labels=("May", "June"))
    shown = found.presentation()
    change, parted = shown.sentences[:2]
    numbers = re.findall(r"\d\.\d{3}", change)[:2] + re.findall(r"\d\.\d{3}", parted)
    parts = [found.parts[name].estimate for name in ("mix", "within", "between")]
    expected = [found.before, found.after, *map(abs, parts)]
    assert numbers == [f"{number:.3f}" for number in expected]
    assert shown.title == "Why the accuracy ratio fell: May to June"
    assert str(found) == found.to_text()
    for sentence in shown.sentences:
        assert sentence in found.to_text()
        assert sentence in found.to_markdown()


def test_a_decomposition_says_how_pairs_divide(golden):
    # Pairs: 1 in A (won), 4 in B (won 2 of 4), 4 between (A's positive wins 2, B's lose 2).
    by = ["A", "A", "B", "B", "B", "B"]
    counts = cap.count_segments([1, 0, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1], by=by)
    alone = cap.decompose(cap.count_segments([1, 0], [2, 1], by=["A", "A"]))
    cases = {"two": cap.decompose(counts, by="product", metric="roc_auc"), "alone": alone}
    golden("Decomposition, in cases", in_words(cases))
