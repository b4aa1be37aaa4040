"""Claims beside a table: possible, impossible, something else; alone and together."""

from fractions import Fraction

import pytest
from audit_cases import auc_of, audited, ends, fractions, gaps_of, named, rankings
from hypothesis import assume, given, settings, strategies as st

import capcurve as cap
from capcurve.studies.audit.claims import Stated, given_share, ks_given_ratio, ratio_given_ks
from capcurve.studies.audit.printed import Window

LENDING = {
    "n": [954, 989, 1165, 643, 1207, 793, 1178, 980, 1062, 886],
    "positives": [145, 101, 92, 38, 50, 28, 32, 14, 13, 4],
}
TWO = {"n": [3, 3], "positives": [2, 1]}


@pytest.mark.parametrize("case", **named("exact"))
def test_claims_agree_with_exact_answers(case):
    claims = case["expected"].get("claims", [])
    together = {}
    for claim in claims:
        together.setdefault(claim["metric"], []).append(claim["value"])
    found = {(c.metric, c.said): c.possible for c in audited(case, claims=together).claims}
    metrics = {"auc": "roc_auc"}
    assert found == {
        (metrics.get(c["metric"], c["metric"]), c["value"]): c["possible"] for c in claims
    }


@pytest.mark.parametrize("case", **named("exact"))
def test_accuracy_ratios_given_ks_agree_with_exact_answers(case):
    allowed = audited(case).allowed
    for gap, answer in case["expected"].get("accuracy_ratio_given_ks", {}).items():
        found = ratio_given_ks(allowed, Window(Fraction(gap), Fraction(gap)))
        assert (None if found is None else list(found)) == (
            None if answer is None else fractions(answer)
        )


SMALL = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), min_size=1, max_size=3
)


@settings(max_examples=settings.default.max_examples // 2)
@given(SMALL)
def test_ranges_together_with_ks_hold_every_ranking(table):
    positives = [p for p, _ in table]
    n = [p + m for p, m in table]
    assume(0 < sum(positives) < sum(n))
    allowed = cap.audit_table({"n": n, "positives": positives}, cases=sum(n)).allowed
    by_gap = {}
    for order in rankings(n, positives):
        by_gap.setdefault(max(gaps_of(order)), []).append(2 * auc_of(order) - 1)
    one_case = Fraction(2, min(sum(positives), sum(n) - sum(positives)))
    for gap, ratios in by_gap.items():
        found = ratio_given_ks(allowed, Window(gap, gap))
        assert found.low <= min(ratios) <= max(ratios) <= found.high
        # Large counts can have any gap, rankings of a few cases only some: those a case away count.
        near = [r for other in by_gap if abs(other - gap) <= one_case / 2 for r in by_gap[other]]
        assert min(near) - found.low <= one_case
        assert found.high - max(near) <= one_case
        ks = ks_given_ratio(allowed, Window(max(ratios), max(ratios)))
        assert ks.low - Fraction(1, 10**9) <= gap <= ks.high + Fraction(1, 10**9)
    wide = ratio_given_ks(allowed, Window(min(by_gap), max(by_gap)))
    everything = [ratio for ratios in by_gap.values() for ratio in ratios]
    assert wide.low <= min(everything) <= max(everything) <= wide.high


@given(SMALL, st.data())
def test_ranges_together_with_a_share_captured_are_those_of_every_ranking(table, data):
    positives = [p for p, _ in table]
    n = [p + m for p, m in table]
    assume(0 < sum(positives) < sum(n))
    orders = list(rankings(n, positives))
    t = data.draw(st.integers(1, sum(n)))
    order = data.draw(st.sampled_from(orders))
    said = f"{sum(order[:t])}/{sum(order)}"
    q, share = Fraction(t, sum(n)), Fraction(said)
    allowed = cap.audit_table({"n": n, "positives": positives}, cases=sum(n)).allowed
    left = given_share(allowed, Stated("captured", q, said, Window(share, share)))
    fitting = [each for each in orders if sum(each[:t]) == sum(order[:t])]
    ratios = [2 * auc_of(each) - 1 for each in fitting]
    assert ends(left.accuracy_ratio()) == [min(ratios), max(ratios)]
    assert left.ks().exact[2] == max(max(gaps_of(each)) for each in fitting)


def test_shares_captured_and_accuracy_ratio_are_judged_together():
    claims = {"captured@0.25": "90%", "ar": "0.40", "lift@0.75": "1.01"}
    audit = cap.audit_table({"n": [40], "positives": [10]}, claims=claims)
    assert all(claim.possible for claim in audit.claims)
    # With 9 of 10 positives among the first 10 cases the accuracy ratio is 0.74 at least.
    assert [claim.together for claim in audit.claims] == [False, False, False]
    assert audit.claims[1].message == (
        "The claimed accuracy ratio of 0.40 is possible: the table allows −1.000 to 1.000. It "
        "cannot be true together with the claimed captured share at 0.25 of 90%."
    )


def test_ratio_is_at_most_what_ks_alone_allows():
    # One bin says nothing: AR <= KS·(2 - KS), at any KS.
    audit = cap.audit_table({"n": [200], "positives": [100]})
    for gap in (Fraction(1, 10), Fraction(37, 100), Fraction(9, 10)):
        found = ratio_given_ks(audit.allowed, Window(gap, gap))
        assert found.high == gap * (2 - gap)
        assert found.low == -gap * (2 - gap)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("0.7378", "the AUC of the table"),
        ("0.4506", "the Gini coefficient of the table's Lorenz curve, (1 - prevalence)·AR"),
        ("74.48%", "the area under the CAP over that under the perfect CAP"),
        ("0.7253", "the area under the CAP"),
        ("0.4469", "the accuracy ratio with the curve's start at the origin left out"),
        ("0.5740", "what positives first in every bin give"),
        ("0.3771", "what negatives first in every bin give"),
        ("0.4755", None),
        ("47.6%", None),
        ("0.5", None),
        ("0.484", None),
    ],
)
def test_what_is_taken_for_the_accuracy_ratio_is_named(said, words):
    (claim,) = cap.audit_table(LENDING, claims={"gini": said}).claims
    assert claim.mistake == words
    assert claim.message.endswith(f"It is {words}.") == (words is not None)


def test_an_accuracy_ratio_stated_as_auc_is_named():
    (claim,) = cap.audit_table(LENDING, claims={"auc": "0.4755"}).claims
    assert (claim.possible, claim.mistake) == (False, "the accuracy ratio of the table")


def test_sentences():
    audit = cap.audit_table(
        LENDING, claims={"ks": "0.37", "ar": ["0.58", "0.56"], "captured@0.1": "29%"}
    )
    beside = "cannot be true together with the claimed"
    assert [claim.message for claim in audit.claims] == [
        (
            "The claimed KS of 0.37 lies in what the table allows: 0.365 to 0.473. "
            f"It {beside} accuracy ratio of 0.56."
        ),
        "The claimed accuracy ratio of 0.58 is impossible: the table allows 0.377 to 0.574.",
        (
            "The claimed accuracy ratio of 0.56 is possible: the table allows 0.377 to 0.574. "
            f"It {beside} KS of 0.37."
        ),
        ("The claimed captured share at 0.1 of 29% lies in what the table allows: 28.0% to 34.2%."),
    ]
    assert [(claim.possible, claim.together) for claim in audit.claims] == [
        (True, False),
        (False, True),
        (True, False),
        (True, True),
    ]
    codes = [finding.code for finding in audit.findings]
    assert codes == ["claims_conflict", "impossible_claim", "claims_conflict", "ks_at_bin_ends"]


def test_no_number_of_pairs_falls_into_a_claim():
    (claim,) = cap.audit_table(TWO, claims={"accuracy_ratio": "0.50"}).claims
    assert not claim.possible
    assert claim.message == (
        "The claimed accuracy ratio of 0.50 is impossible: with 3 positives and 3 negatives it "
        "moves in steps of about 0.11, and none falls there."
    )


def test_depths_lifts_and_digits():
    audit = cap.audit_table(
        TWO,
        claims={
            ("captured", 0.5): "66.7%",
            "captured@50%": "0.66",
            "lift@0.5": 1.33,
            "precision@0.5": ["67%", "0.6"],
        },
    )
    assert [claim.possible for claim in audit.claims] == [True, False, True, True, False]
    assert audit.claims[0].metric == "captured@0.5"


def test_claims_that_are_not_understood():
    for claims, match in (
        ({"brier": 1}, "what is claimed must be one of"),
        ({"ks@0.1": 1}, "is not understood: write ks"),
        ({"captured": 1}, "is not understood: write ks"),
        ({"captured@2": 1}, "must lie in"),
        ({"ks": "high"}, "must be a number such as 0.37, got 'high'"),
    ):
        with pytest.raises(ValueError, match=match):
            cap.audit_table(TWO, claims=claims)
    with pytest.raises(TypeError, match="claims must map metrics to numbers"):
        cap.audit_table(TWO, claims=["ks"])


def test_claims_beside_rounded_tables_and_unknown_positives():
    captured = ["28%", "48%", "65%", "73%", "82%", "88%", "94%", "97%", "99%", "100%"]
    table = {"n": LENDING["n"], "captured": captured}
    for positives in (517, None):
        audit = cap.audit_table(table, positives=positives, claims={"ks": "0.37", "ar": "0.47"})
        assert [claim.possible for claim in audit.claims] == [True, True]
    (claim,) = cap.audit_table(table, positives=517, claims={"ks": "0.34"}).claims
    assert not claim.possible


def test_an_audit_is_written_as_json():
    import json

    audit = cap.audit_table(LENDING, claims={"ks": "0.37"}, assume="concave")
    written = json.loads(json.dumps(audit.to_dict(), allow_nan=False))
    assert written["schema_version"] == 1
    assert written["accuracy_ratio"]["exact"][0] == "1148131/2414390"
    assert written["claims"][0]["possible"] is True
    assert written["least"]["columns"]["cum_positives"][-1] == 517
    broken = cap.audit_table({"n": [3, 3], "positives": [2, 1]}, positives=4).to_dict()
    assert json.loads(json.dumps(broken, allow_nan=False))["impossible"] == ["positives"]


def test_a_claim_beside_a_single_number_of_positives_is_judged():
    table = {"n": [5, 1], "captured": ["75%", "100%"]}  # 4 positives alone give three quarters
    (claim,) = cap.audit_table(table, claims={"ar": "0.05"}).claims
    assert claim.message.endswith(
        "with 4 positives and 2 negatives it moves in steps of 0.125, and none falls there."
    )


def test_claims_of_scores_that_cases_share_are_possible_together():
    # One score for both bins' halves: two ninths of the positives stand in the top quarter.
    table = {"n": [3, 1], "positives": [2, 1]}
    claims = {"captured@0.25": "22.2%", "ar": "-0.33"}
    for claim in cap.audit_table(table, claims=claims).claims:
        assert claim.possible
        assert claim.together


def test_claims_beside_rounded_sizes_are_not_refuted_by_each_other():
    shares = {"% of cases": ["0.5%", "49.5%", "50%"], "% of goods": ["0%", "0%", "100%"]}
    audit = cap.audit_table(shares, cases=1000, positives=500, claims={"ks": "0.990", "ar": "0.99"})
    assert all(claim.together for claim in audit.claims if claim.possible)
