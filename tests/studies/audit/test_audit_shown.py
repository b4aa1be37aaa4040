"""What an audit shows: sentences that hold its numbers, a band that holds the truth, tables."""

import json
import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as some

import capcurve as cap
from capcurve.show.format import outward
from capcurve.show.text import result_text
from results_shown import in_words

N = [954, 989, 1165, 643, 1207, 793, 1178, 980, 1062, 886]
P = [145, 101, 92, 38, 50, 28, 32, 14, 13, 4]
WHOLE = ["28%", "48%", "65%", "73%", "82%", "88%", "94%", "97%", "99%", "100%"]
TENTHS = ["28.0%", "47.6%", "65.4%", "72.7%", "82.4%", "87.8%", "94.0%", "96.7%", "99.2%", "100%"]
RATES = ["15.2%", "10.2%", "7.9%", "5.9%", "4.1%", "3.5%", "2.7%", "1.4%", "1.2%", "0.5%"]
WRONG = [*TENTHS[:3], "73.7%", *TENTHS[4:]]
EXACT = {"n": N, "positives": P}
ROUNDED = {"n": N, "captured": WHOLE}
# 25 positives and 100 negatives: captured 10, 18, 22, 25 of 25, fpr 10, 30, 60, 100 of 100.
DISAGREEING = {
    "Accts": [20, 28, 34, 43],
    "Bads": [10, 8, 4, 3],
    "Cum % Bads": ["40.0%", "72.1%", "88.0%", "100.0%"],
    "K-S": ["30.0%", "42.0%", "28.2%", "0.0%"],
}
SHARES = {"selected": ["10%", "50%", "100%"], "captured": ["28%", "82%", "100%"]}
LOANS = cap.count_scores("y", "int_rate", data="src/capcurve/datasets/loans.csv")


def shown(table, **how):
    return cap.audit_table(table, **how).presentation()


def table_of(presentation, name):
    (found,) = [table for table in presentation.tables if table.name == name]
    return found


def test_what_an_audit_says(golden):
    claims = {"ks": "0.37", "ar": ["0.48", "0.738"], "captured@0.1": "29%"}
    asked = {
        "counts": (EXACT, {}),
        "a concave curve": (EXACT, {"assume": "concave"}),
        "no bin worse than at random": (EXACT, {"assume": "random"}),
        "rounded": (ROUNDED, {"positives": 517}),
        "claims": (EXACT, {"claims": claims}),
        "a wrong cell": ({"Cases": N, "Cum % bads": WRONG, "Bad rate": RATES}, {"positives": 517}),
        "cells that disagree": (DISAGREEING, {"claims": {"ks": "42.0%", "ar": "0.10"}}),
        "impossible": ({"n": [5, 5], "rate": ["33%", "20%"]}, {"positives": 3}),
        "shares alone": (SHARES, {"prevalence": "5.2%"}),
        "the example": ("src/capcurve/datasets/deciles.csv", {"claims": {"ks": "0.37"}}),
    }
    cases = {name: cap.audit_table(table, **how) for name, (table, how) in asked.items()}
    golden("Audit, in cases", in_words(cases))


def test_the_loans_in_tenths_show_what_is_known_of_them():
    """The range, straight lines, the concave maximum and the truth between them."""
    concave = cap.audit_table(EXACT, assume="concave")
    ratios = cap.audit_table(EXACT).accuracy_ratio
    found = [ratios.low, ratios.table, ratios.high, concave.accuracy_ratio.high]
    assert [round(each, 4) for each in found] == [0.3771, 0.4755, 0.5740, 0.4909]
    truth = cap.accuracy_ratio(LOANS)
    assert round(truth, 4) == 0.4839
    assert concave.accuracy_ratio.low < truth < concave.accuracy_ratio.high
    rounded = shown(ROUNDED, positives=517)
    assert {"straight_low", "straight_high"} <= set(rounded.tables[0].columns)


def test_a_claim_that_is_wrong_is_said_first_and_each_is_said_once():
    found = shown(EXACT, claims={"ks": "0.37", "ar": ["0.48", "0.738"], "captured@0.1": "29%"})
    wrong, answer, *right = found.sentences
    assert wrong.endswith("It is the AUC of the table.")
    assert answer.startswith("The table allows an accuracy ratio between ")
    assert [each.split(" of ")[1].split(" is ")[0] for each in right] == ["0.37", "0.48", "29%"]
    assert [each.name for each in found.tables] == ["What the table allows", "The bins"]


def test_the_range_beside_a_claim_in_per_cent_is_in_per_cent():
    for said, ends in (("37%", "36.5% to 47.3%"), ("0.37", "0.365 to 0.473")):
        (_, claimed) = shown(EXACT, claims={"ks": said}).sentences
        assert claimed == f"The claimed KS of {said} is within the range (the table allows {ends})."


def test_a_contradiction_names_columns_and_the_cell():
    found = shown({"Cases": N, "Cum % bads": WRONG, "Bad rate": RATES}, positives=517)
    assert found.sentences[2].endswith("the rest needs 72.7%.")
    assert found.charts == ()
    assert found.figures == ()
    assert found.tables[0]["would_fit"].tolist() == ["72.7%"]
    assert found.tables[1]["columns"].tolist() == ["Cum % bads and Bad rate"]


def test_counts_say_which_cells_of_an_inconsistent_table_are_off():
    audit = cap.audit_table(DISAGREEING, claims={"ks": "42.0%", "ar": "0.10"})
    assert not audit.fits
    assert audit.units_off == 2
    assert [cell.message for cell in audit.disagreeing] == [
        "bin 3, K-S: printed 28.2%, counts give 28.0%",
        "bin 2, Cum % Bads: printed 72.1%, counts give 72.0%",
    ]
    found = audit.presentation()
    assert [claim.possible for claim in audit.claims] == [True, False]
    assert found.tables[0]["recomputed"].tolist() == ["28.0%", "72.0%"]
    assert found.tables[2].name == "The bins, from Accts and Bads alone"
    (chart,) = found.charts
    assert chart.head == "From Accts and Bads alone"


def test_a_column_that_is_impossible_alone_is_named():
    found = shown({"n": [5, 5], "rate": ["33%", "20%"]}, positives=3)
    assert found.tables[-1]["columns"].tolist() == ["rate"]


@pytest.mark.parametrize("assume", [None, "random", "concave"])
@pytest.mark.parametrize("table", [EXACT, ROUNDED])
def test_the_band_holds_the_straight_lines_and_the_ranges(table, assume):
    audit = cap.audit_table(table, positives=517, assume=assume)
    (chart,) = audit.presentation().charts
    (band,) = chart.bands
    own = chart.lines[0]
    assert (band.x[0], band.x[-1]) == (0, 1)
    assert np.all(np.diff(band.x) > 0)
    middle = np.interp(band.x, own.x, own.y)
    assert np.all(band.low <= middle + 1e-12)
    assert np.all(middle <= band.high + 1e-12)
    for x, low, high in zip(band.x[1:], band.low[1:], band.high[1:], strict=True):
        found = audit.captured(float(x))
        assert (low, high) == (found.low, found.high)


def test_the_band_holds_the_curve_behind_the_table():
    (chart,) = shown(cap.gains_table(LOANS)).charts
    band, curve = chart.bands[0], cap.cap_curve(LOANS)
    low, high = (np.interp(curve.x, band.x, ends) for ends in (band.low, band.high))
    assert np.all(low <= curve.y + 1e-9)
    assert np.all(curve.y <= high + 1e-9)
    # Its corners are drawn: no cut across them.
    audit = cap.audit_table(cap.gains_table(LOANS))
    area = np.trapezoid(band.high, band.x)
    ratio = (2 * area - 1) / (1 - LOANS.n1 / LOANS.n)
    assert ratio == pytest.approx(audit.accuracy_ratio.high, abs=1e-9)


@pytest.mark.merge
def test_many_bins_are_drawn_at_their_corners_alone():
    rng = np.random.default_rng(5)
    n = rng.integers(20, 60, 150)
    p = np.sort(rng.binomial(n, 0.3) / n)[::-1] * n
    (chart,) = shown({"n": n, "positives": np.rint(p).astype(int)}).charts
    assert len(chart.bands[0].x) <= 5 * 150 + 1
    assert chart.lines[0].marker is None


@given(some.floats(-1, 1), some.floats(1e-9, 0.5))
def test_ranges_are_written_so_that_the_text_holds_them(low, width):
    high = min(low + width, 1.0)
    below, above = (float(end.replace("−", "-")) for end in outward(low, high))
    assert below <= low + 1e-11
    assert high <= above + 1e-11
    assert below >= low - 0.0011
    assert above <= high + 0.0011


def test_every_form_of_it_is_made(tmp_path):
    audit = cap.audit_table(EXACT, claims={"ks": "0.37"})
    text = str(audit)
    assert "0.377–0.574" in text
    page = audit.to_html()
    assert "<svg" in page
    assert "<script" not in page
    assert "The claimed KS of 0.37 is within the range (the table allows" in page
    assert audit.to_markdown().count("## ") == 2
    assert "<img" in audit._repr_html_()
    written = json.loads(audit.save(tmp_path / "audit.json").read_text(encoding="utf-8"))
    assert written["accuracy_ratio"]["exact"] == [str(each) for each in audit.accuracy_ratio.exact]
    wrong = cap.audit_table({"n": [5, 5], "rate": ["33%", "20%"]}, positives=3)
    for form in ("html", "md", "txt", "json", "csv"):
        assert wrong.save(tmp_path / f"wrong.{form}").stat().st_size > 20
    with pytest.raises(ValueError, match="there is nothing to draw"):
        wrong.plot()
    labels = audit.plot().get_legend_handles_labels()[1]
    assert "Linear interpolation  AR 0.476" in labels
    assert "Curves that fit  AR 0.377 to 0.574" in labels


def test_names_in_a_table_are_escaped():
    table = {"<b>bin</b>": ["<script>", "b"], "n": [5, 5], "Bads <i>": [3, 1], "<u>": [1, 2]}
    page = cap.audit_table(table, columns={"Bads <i>": "positives"}).to_html()
    assert "<script" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.merge
def test_shares_alone_have_no_chance_beside_them():
    found = shown(SHARES, prevalence="5.2%")
    assert found.level is None
    assert all(not figure.limits for figure in found.figures)
    assert "Bins" not in [table.name for table in found.tables]
    ratio = re.search(r"between (?:about )?([\d.]+) and ([\d.]+)", found.sentences[0])
    assert 0 < float(ratio[1]) < float(ratio[2]) < 1


ODD = [
    *(10**400, 1e300, math.inf, -math.inf, math.nan, -1, -0.0, 0, 1, 2, 0.5, 5e-324, 1e-300),
    *(True, "0.5", "x", "", b"1", 1j, [0.5], np.float64("nan"), np.int64(1), object()),
    *(Fraction(1, 3), Decimal("0.5"), ("x", 1), {"n": "x"}),
]
OPTIONS = ("positives", "cases", "prevalence", "decimals", "level", "rounding", "order", "assume")


def refused_or(function, *given, **how):
    """Return what a function returns, or None when it refuses in one line."""
    try:
        return function(*given, **how)
    except (ValueError, TypeError) as error:
        said = str(error)
    assert "\n" not in said
    assert len(said) < 400
    return None


@pytest.mark.turns(3)
@pytest.mark.parametrize("option", [*OPTIONS, "claims"])
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: str(odd)[:20])
def test_odd_options_give_ranges_or_one_line(option, odd):
    given = {"claims": {"ar": odd}} if option == "claims" else {option: odd}
    for table in (EXACT, {"n": [5, 5], "rate": [0.4, 0.2]}):
        found = refused_or(cap.audit_table, table, **given)
        if found is not None and found.fits:
            assert -1 <= found.accuracy_ratio.low <= found.accuracy_ratio.high <= 1
        assert found is None or found.presentation().sentences


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: str(odd)[:20])
def test_odd_depths_give_ranges_or_one_line(odd):
    audit = cap.audit_table(EXACT)
    for number in (audit.captured, audit.lift, audit.precision, audit.tpr):
        found = refused_or(number, odd)
        assert found is None or found.low <= found.high


def test_a_number_reads_the_same_wherever_it_stands():
    audit = cap.audit_table(
        "src/capcurve/datasets/deciles.csv", claims={"ks": "0.37", "captured@0.1": "28.5%"}
    )
    shown = audit.presentation()
    text = " ".join(result_text(shown).split())
    assert "KS 0.365 0.365 0.473" in text
    assert "captured at 10% 28.0% 28.7% 34.2%" in text
    assert "allows 28.0% to 34.2%)" in text
    assert "KS of 0.365 is a gap at the end of a bin; inside a bin it may reach 0.473" in text
    assert "Fraction" not in repr(audit.ks)
    ranges = shown.tables[0].values()
    assert ranges["lowest"][2] == audit.ks.low  # in full where it is read by programs
