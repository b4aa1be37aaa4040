"""Claims beside a table: possible, impossible, something else."""

from fractions import Fraction

import pytest
from audit_cases import audited, named

import capcurve as cap

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
    assert [claim.message for claim in audit.claims] == [
        "The claimed KS of 0.37 is within the range (the table allows 0.365 to 0.473).",
        "The claimed accuracy ratio of 0.58 is impossible (the table allows 0.377 to 0.574).",
        "The claimed accuracy ratio of 0.56 is possible (the table allows 0.377 to 0.574).",
        (
            "The claimed captured share at 10% of 29% is within the range (the table allows 28.0% "
            "to 34.2%)."
        ),
    ]
    assert [claim.possible for claim in audit.claims] == [True, False, True, True]
    codes = [finding.code for finding in audit.findings]
    assert codes == ["impossible_claim", "ks_at_bin_ends"]


def test_two_claims_are_judged_together_where_one_is_a_row_of_the_table():
    """9 of 10 positives among the first 10 of 40 cases outrank the 29 negatives below at least."""
    alone = cap.audit_table(
        {"n": [40], "positives": [10]}, claims={"captured@0.25": "90%", "ar": "0.40"}
    )
    assert [claim.possible for claim in alone.claims] == [True, True]
    table = {"n": [10, 30], "captured": ["90%", "100%"]}
    both = cap.audit_table(table, positives=10, claims={"ar": "0.40"})
    assert both.accuracy_ratio.exact[0] == Fraction(2 * 9 * 29, 10 * 30) - 1
    assert not both.claims[0].possible


def test_no_number_of_pairs_falls_into_a_claim():
    (claim,) = cap.audit_table(TWO, claims={"accuracy_ratio": "0.50"}).claims
    assert not claim.possible
    assert claim.message == (
        "The claimed accuracy ratio of 0.50 is impossible: with 3 positives and 3 negatives it "
        "moves in steps of about 0.11, none of which gives it."
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
        ({"captured@2": 1}, "must be in"),
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
        "with 4 positives and 2 negatives it moves in steps of 0.125, none of which gives it."
    )
