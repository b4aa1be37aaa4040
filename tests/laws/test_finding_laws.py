"""No finding contradicts another one, or the verdict that stands above it."""

from hypothesis import example, given, strategies as st

import capcurve as cap

CELL = st.tuples(st.integers(0, 40), st.integers(0, 40)).filter(any)
TABLES = st.lists(CELL, min_size=1, max_size=8).filter(
    lambda table: sum(p for p, _ in table) and sum(n for _, n in table)
)
# Each class in order, all alike, the other way round, and a rate that rises and falls.
ORDERED, TURNED = [(30, 0)] * 2 + [(0, 30)] * 2, [(0, 30)] * 2 + [(30, 0)] * 2
WAVES = [(20, 80), (4, 96), (20, 80), (4, 96)]


@given(TABLES, st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.99999]))
@example(ORDERED, 0.95)
@example(TURNED, 0.95)
@example(WAVES, 0.999)
@example([(1, 0), (1, 0), (0, 1), (0, 1)], 0.95)
@example([(3, 0), (0, 3)], 1 - 1e-12)
def test_no_finding_contradicts_the_verdict(table, level):
    positives, negatives = zip(*table, strict=True)
    counts = cap.ScoreCounts.from_counts(range(len(table), 0, -1), list(positives), list(negatives))
    summary = cap.summarize(counts, level=level)
    codes = {finding.code for finding in summary.findings}
    ranks, ratio = summary.verdict.ranks, summary.accuracy_ratio
    assert "reversed" not in codes or (ranks == "worse" and ratio < 0)
    assert "too_good" not in codes or (
        ranks == "better" and (ratio > 0.98 or cap.tie_mass(counts) >= 0.02)
    )
    assert "pure_top" not in codes or (counts.positives[0] and not counts.negatives[0])
    assert not {"reversed", "pure_top"} <= codes
    assert not {"reversed", "too_good"} <= codes
    assert "constant_score" not in codes or not codes & {"reversed", "too_good", "not_concave"}
    if "not distinguishable from a random score" in summary.verdict.sentence:
        assert not codes & {"reversed", "too_good", "not_concave"}
    if "not_concave" in codes:
        assert cap.monotonicity_test(counts).p_value <= 0.05
    if level >= 0.95 and ranks == "worse":
        assert "reversed" in codes
