"""A change in words, as a picture and with its findings: each says what the numbers are."""

import re
from dataclasses import replace

import numpy as np
import pytest

import capcurve as cap
from capcurve.inference import Interval, Test
from capcurve.show.table import Table
from capcurve.studies.change import Attribution
from capcurve.studies.change.shown import findings_of, mix_of, plural

NAN = float("nan")


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
    return replace(given, findings=findings_of(given))


def said(*args, **options):
    return why(*args, **options).presentation().sentences[0]


def test_the_sentence_that_a_validator_quotes():
    assert said(by="product") == (
        "AR fell from 0.484 to 0.431: product mix −0.038, ranking within products −0.011, ranking "
        "between products −0.004; the fall is statistically significant (p = 0.003)."
    )
    assert "segment mix −0.038, ranking within segments −0.011" in said()


def test_parts_of_opposite_signs_have_their_own():
    assert said(0.484, 0.470, (-0.018, 0.0041, -0.0001), 0.4, by="product") == (
        "AR fell from 0.484 to 0.470: product mix −0.018, ranking within products +0.004, ranking "
        "between products 0.000; the fall is not statistically significant (p = 0.400)."
    )


def test_a_rise_is_a_rise():
    text = said(0.431, 0.484, (0.038, 0.011, 0.004))
    assert text.startswith("AR rose from 0.431 to 0.484: segment mix +0.038, ")
    assert "; the rise is statistically significant" in text
    mixed = said(0.431, 0.484, (-0.01, 0.06, 0.003))
    assert "segment mix −0.010, ranking within segments +0.060, " in mixed


def test_what_does_not_move_stays():
    text = said(0.484, 0.4842, (0.02, -0.0198, 0.0), 0.9)
    assert text == (
        "AR stayed at 0.484: segment mix +0.020, ranking within segments −0.020, ranking between "
        "segments 0.000; the difference is not statistically significant (p = 0.900)."
    )
    assert said(0.5, 0.5, (0, 0, 0), 1.0).startswith("AR stayed at 0.500: no part moved it; ")
    assert why(0.484, 0.4842).presentation().title.startswith("Why the accuracy ratio stayed")


def test_one_segment_is_all_ranking():
    one = segments([("all", 1000, 100, 900, 80, 0.5, 0.4, 0.0, -0.1, 0.0, -0.1)])
    text = said(0.5, 0.4, (0.0, -0.1, 0.0), segments=one)
    assert text.startswith("AR fell from 0.500 to 0.400, all of it ranking, since there is one")


def test_chance_is_judged_at_the_level():
    assert "is statistically significant (p = 0.040)" in said(p=0.04)
    assert "is not statistically significant (p = 0.040)" in said(p=0.04, level=0.99)


def test_without_a_test_nothing_is_said_of_chance():
    given = why()
    test = replace(given.change, p_value=NAN, low=None, high=None, se=None, notes=("too few",))
    given = replace(given, change=test, parts={n: part(-0.01, None) for n in given.parts})
    shown = replace(given, findings=findings_of(given)).presentation()
    assert shown.sentences[0].endswith("; the fall is not tested: too few.")
    assert [figure.limits for figure in shown.figures] == [""] * len(shown.figures)
    assert shown.charts[0].head == ""
    assert "not_tested" in {finding.code for finding in shown.findings}


@pytest.mark.parametrize(
    ("metric", "before", "after", "parts", "text"),
    [
        (
            "captured_response",
            0.312,
            0.28,
            (-0.031, -0.001),
            (
                "Captured response at 10% fell from 31.2% to 28.0%: ranking −3.1 pp, prevalence "
                "−0.1 pp; "
            ),
        ),
        (
            "lift",
            2.5,
            2.75,
            (0.5, -0.25),
            "Lift at 10% rose from 2.50 to 2.75: ranking +0.50, prevalence −0.25; ",
        ),
        (
            "precision",
            0.2,
            0.25,
            (0.01, 0.04),
            ("Precision at 10% rose from 20.0% to 25.0%: ranking +1.0 pp, prevalence +4.0 pp; "),
        ),
    ],
)
def test_at_a_depth_ranking_and_prevalence(metric, before, after, parts, text):
    assert said(before, after, parts, metric=metric, q=0.1).startswith(text)


def test_the_halves_of_the_mix_have_a_sentence_of_their_own():
    halves = {"mix_positives": -0.097, "mix_negatives": 0.079}
    given = why(halves=halves).presentation()
    assert given.sentences[1] == "Of the mix: mix of positives −0.097, mix of negatives +0.079."
    halves = {"mix_positives": 0.0, "mix_negatives": 0.0}
    assert len(why(halves=halves).presentation().sentences) == 1


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


def test_figures_are_the_numbers():
    given = why(halves={"mix_positives": -0.097, "mix_negatives": 0.059}, labels=("May", "June"))
    found = {figure.metric: figure for figure in given.presentation().figures}
    assert [found[key].text for key in ("before", "after", "change")] == [
        "0.484",
        "0.431",
        "−0.053",
    ]
    assert (found["before"].label, found["after"].label) == ("AR, May", "AR, June")
    assert found["change"].limits == "[−0.088, −0.018]"
    assert found["change"].note == "p = 0.003"
    assert found["mix"].limits == "[−0.058, −0.018]"
    assert found["mix_negatives"].text == "+0.059"


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


def message(given, code):
    (found,) = [finding for finding in given.findings if finding.code == code]
    assert found.advice
    assert not found.message.endswith(".")
    return found.message


def test_nothing_is_found_where_nothing_is():
    given = why(0.484, 0.431, (-0.011, -0.038, -0.004))
    assert given.findings == ()


def test_every_segment_better_and_the_whole_worse():
    rows = [
        ("card", 1000, 100, 900, 80, 0.5, 0.52, -0.02, 0.0, 0.0, 0.0),
        ("loan", 500, 60, 700, 90, 0.4, 0.45, -0.018, 0.0, 0.0, 0.0),
        ("new", 0, 0, 700, 90, NAN, 0.1, -0.018, 0.0, 0.0, 0.0),
    ]
    assert message(why(segments=segments(rows), by="product"), "simpson") == (
        "AR rose inside each of 2 products, and fell for all together by 0.053"
    )
    worse = [(*row[:5], row[6], row[5], *row[7:]) for row in rows]
    rise = why(0.431, 0.484, (0.038, 0.011, 0.004), segments=segments(worse))
    assert message(rise, "simpson").startswith("AR fell inside each of 2 segments, and rose")
    assert "simpson" not in codes(why(segments=segments(worse)))
    one = [rows[0], rows[2]]
    assert "simpson" not in codes(why(segments=segments(one)))


def test_mostly_mix_is_said_when_it_is():
    assert message(why(by="product"), "mostly_mix") == (
        "the product mix accounts for −0.038 of a change of −0.053"
    )
    assert "mostly_mix" not in codes(why(parts=(-0.02, -0.03, -0.003)))
    assert "mostly_mix" not in codes(why(0.484, 0.49, (-0.038, 0.03, 0.014)))


def test_a_net_mix_of_two_opposite_parts():
    halves = {"mix_positives": -0.097, "mix_negatives": 0.079}
    given = why(0.484, 0.455, (-0.018, -0.007, -0.004), halves=halves)
    assert message(given, "opposite_mixes") == (
        "the net mix of −0.018 is the sum of two opposite parts: −0.097 by positives and +0.079 by "
        "negatives"
    )
    small = {"mix_positives": -0.045, "mix_negatives": 0.007}
    assert "opposite_mixes" not in codes(why(halves=small))


def test_segments_that_come_go_lack_a_class_or_are_small():
    rows = [
        ("card", 1000, 100, 900, 80, 0.5, 0.4, 0.0, 0.0, 0.0, 0.0),
        ("new", 0, 0, 100, 50, NAN, 0.4, 0.0, 0.0, 0.0, 0.0),
        ("gone", 250, 50, 0, 0, 0.4, NAN, 0.0, 0.0, 0.0, 0.0),
        ("empty", 50, 0, 60, 20, NAN, 0.4, 0.0, 0.0, 0.0, 0.0),
        ("tiny", 500, 9, 600, 20, 0.4, 0.4, 0.0, 0.0, 0.0, 0.0),
        (None, 500, 490, 600, 591, 0.4, 0.4, 0.0, 0.0, 0.0, 0.0),
    ]
    small = ("empty", "tiny", None)
    given = why(segments=segments(rows), labels=("May", "June"), small=small)
    assert message(given, "new_segments") == "new: new (4.4% of cases in June)"
    assert message(given, "gone_segments") == "gone: gone (10.9% of cases in May)"
    assert message(given, "lacking_class").endswith(": empty")
    assert message(given, "small_segments") == (
        "fewer than 10 positives or negatives in a sample in 3 of 6 segments: empty, tiny, "
        "(missing)"
    )
    assert given.findings[0].severity == "warning"


def test_of_many_small_segments_some_are_named():
    rows = [(f"s{i}", 50, 5, 60, 9, 0.5, 0.4, 0.0, 0.0, 0.0, 0.0) for i in range(12)]
    text = message(
        why(segments=segments(rows), small=tuple(f"s{i}" for i in range(12))), "small_segments"
    )
    assert text.endswith("12 of 12 segments: s0, s1, s2, s3, s4 and 7 more")


def test_one_small_segment_is_not_told_to_be_pooled():
    one = segments([("all", 100, 5, 90, 8, 0.5, 0.4, 0.0, -0.1, 0.0, -0.1)])
    (found,) = why(0.5, 0.4, (0.0, -0.1, 0.0), segments=one, small=("all",)).findings
    assert found.code == "small_segments"
    assert "least" not in found.advice


def test_a_change_within_chance_is_no_warning():
    assert {f.severity for f in why(p=0.2).findings if f.code == "within_chance"} == {"info"}
    assert message(why(p=0.2), "within_chance") == (
        "the change of −0.053 is not statistically significant (p = 0.200)"
    )
    assert "within_chance" not in codes(why(p=0.05))
    depth = why(0.3, 0.25, (-0.02, -0.03), 0.2, metric="precision", q=0.1)
    assert message(depth, "within_chance").startswith("the change of −5.0 pp is not")
    assert message(depth, "mostly_prevalence").startswith("the prevalence accounts for −3.0 pp")


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
    numbers = re.findall(r"\d\.\d{3}", shown.sentences[0])
    parts = [found.parts[name].estimate for name in ("mix", "within", "between")]
    expected = [found.before, found.after, *map(abs, parts)]
    assert numbers[:5] == [f"{number:.3f}" for number in expected]
    assert shown.title == "Why the accuracy ratio fell: May to June"
    assert str(found) == found.to_text()
    for sentence in shown.sentences:
        assert sentence in found.to_text()
        assert sentence in found.to_markdown()


def test_a_decomposition_says_how_pairs_divide():
    found = cap.decompose(
        cap.count_segments(
            [1, 0, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1], by=["A", "A", "B", "B", "B", "B"]
        ),
        by="product",
        metric="roc_auc",
    )
    # Pairs: 1 in A (won), 4 in B (won 2 of 4), 4 between (A's positive wins 2, B's lose 2).
    (sentence,) = found.presentation().sentences
    assert sentence == (
        "Inside segments AUC is 0.600 (55.6% of pairs), between segments 0.500; for all cases it "
        "is 0.556."
    )
    assert "adjusted for products" in found.to_text()
    alone = cap.decompose(cap.count_segments([1, 0], [2, 1], by=["A", "A"]))
    assert (
        "(100.0% of pairs), between segments undefined; for all"
        in alone.presentation().sentences[0]
    )
