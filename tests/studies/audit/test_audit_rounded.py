"""Rounded columns: the oracles, every table of whole numbers, and laws of rounding."""

import itertools
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from audit_cases import audited, ends, fractions, named, tables
from hypothesis import assume, example, given, strategies as st

import capcurve as cap
from capcurve.studies.audit.audit import audit_printed
from capcurve.studies.audit.bins import Bins, ks_side, ratio_of_bins
from capcurve.studies.audit.printed import Cell, PrintedColumn, PrintedTable
from capcurve.studies.audit.reading import other_readings

LENDING = [954, 989, 1165, 643, 1207, 793, 1178, 980, 1062, 886]
POSITIVES = [145, 101, 92, 38, 50, 28, 32, 14, 13, 4]


@pytest.mark.parametrize("case", **named("rounded", "rounded_down", "rates_only", "shares_only"))
def test_ranges_agree_with_exact_answers(case):
    audit, expected = audited(case), case["expected"]
    assert audit.fits == expected["feasible"]
    if not audit.fits:
        return
    if "least" in expected:
        assert audit.least["cum_positives"].tolist() == expected["least"]
        assert audit.greatest["cum_positives"].tolist() == expected["greatest"]
        assert (audit.allowed.tables.only is not None) == expected["only_one_table"]
    if "positives" in expected:
        totals = [each.least.n1 for each in audit.allowed.tables.each()]
        assert [totals[0], totals[-1]] == expected["positives"]
    answers = {"auc": "roc_auc", "accuracy_ratio": "accuracy_ratio"}
    for name, metric in {**answers, "ks_positive_side": "ks_positive"}.items():
        if name in expected:
            assert ends(getattr(audit, metric)) == fractions(expected[name])
    straight = [float(each) for each in fractions(expected["table_accuracy_ratio"])]
    assert list(audit.accuracy_ratio.straight) == straight
    for q, answer in expected.get("captured", {}).items():
        assert ends(audit.captured(Fraction(q))) == fractions(answer)
    assert audit.accuracy_ratio.sharp


@pytest.mark.parametrize("case", **named("rounded"))
def test_contradictions_agree_with_exact_answers(case):
    audit, expected = audited(case), case["expected"]
    if expected["feasible"]:
        assert (audit.conflicts, audit.impossible, audit.cells) == ((), (), ())
        return
    assert list(audit.impossible) == expected["columns_impossible_alone"]
    found = sorted(sorted(each) for each in audit.conflicts)
    assert found == sorted(sorted(each) for each in expected["smallest_conflicting_sets"])
    answers = expected["cells_that_alone_explain_it"]
    assert [(cell.column, cell.bin, cell.text) for cell in audit.cells] == [
        (each["column"], str(each["bin"]), each["printed"]) for each in answers
    ]
    for cell, answer in zip(audit.cells, answers, strict=True):
        scale = 100 if "%" in cell.text else 1
        assert [cell.low / scale, cell.high / scale] == fractions(answer["would_fit"])


def test_the_misprint_is_named_with_the_number_that_would_fit():
    captured = [
        "28.0%",
        "47.6%",
        "65.4%",
        "73.7%",
        "82.4%",
        "87.8%",
        "94.0%",
        "96.7%",
        "99.2%",
        "100.0%",
    ]
    lift = ["2.90", "1.95", "1.51", "1.13", "0.79", "0.67", "0.52", "0.27", "0.23", "0.09"]
    audit = cap.audit_table({"n": LENDING, "captured": captured, "lift": lift}, positives=517)
    assert [cell.message for cell in audit.cells] == [
        "captured in bin 4 reads 73.7%; the rest needs 72.7%"
    ]
    assert [finding.code for finding in audit.findings] == ["contradiction", "misprint"]
    assert audit.conflicts == (("captured", "lift"),)
    assert audit.accuracy_ratio is None
    with pytest.raises(ValueError, match="the table contradicts itself"):
        audit.captured(0.1)


EMPTY = {
    "last": ([6, 6, 0], [1, 1, 0], "Cum lift", ["1.00", "1.00", "{}"]),
    "last of two": ([22, 0], [5, 0], "Cum lift", ["1.00", "{}"]),
    "first": ([0, 10, 10], [0, 6, 2], "Cum lift", ["{}", "1.50", "1.00"]),
    "own lift": ([10, 0, 12], [3, 0, 3], "Lift", ["1.1", "{}", "0.9"]),
    "own rate": ([10, 0, 12], [3, 0, 3], "Bad rate", ["0.30", "{}", "0.25"]),
    "own share of goods": ([10, 0, 12], [3, 0, 3], "Good rate", ["0.70", "{}", "0.75"]),
}


@pytest.mark.parametrize("name", EMPTY)
def test_of_no_cases_no_rate_and_no_lift_is_a_number(name):
    """Of them 0, nan or nothing is printed, since a tool has to print something."""
    cases, bads, heading, cells = EMPTY[name]

    def audit(said):
        column = [cell.format(said) for cell in cells]
        return cap.audit_table({"Cases": cases, "Bads": bads, heading: column})

    assert all(audit(said).fits for said in ("0.00", "-", "nan", ""))
    found = audit("0.92")
    assert not found.fits
    assert (heading, cells.index("{}"), "0.92") in [
        (c.column, c.place, c.text) for c in found.cells
    ]


def test_of_no_cases_no_rate_is_a_number_where_sizes_are_rounded():
    table = {"% cases": ["0.00%", "45%", "55%"]}
    known = {"cases": 1000, "positives": 470}
    assert cap.audit_table({**table, "Bad rate": ["0%", "60%", "36%"]}, **known).fits
    found = cap.audit_table({**table, "Bad rate": ["10%", "60%", "36%"]}, **known)
    assert [(cell.column, cell.place) for cell in found.cells] == [("Bad rate", 0)]


def test_digits_cut_off_are_recognised():
    rates = ["15.1%", "10.2%", "7.8%", "5.9%", "4.1%", "3.5%", "2.7%", "1.4%", "1.2%", "0.4%"]
    audit = cap.audit_table({"n": LENDING, "rate": rates}, positives=517)
    assert not audit.fits
    (advice,) = [finding.advice for finding in audit.findings if finding.code == "cut_off"]
    assert advice == 'audit the table with rounding="down"'
    for rounding in ("down", "any"):
        assert cap.audit_table({"n": LENDING, "rate": rates}, positives=517, rounding=rounding).fits


def test_sums_and_totals_that_do_not_agree():
    audit = cap.audit_table({"n": [3, 3], "positives": [2, 1]}, positives=4)
    assert audit.impossible == ("positives",)
    audit = cap.audit_table({"n": [3, 3], "cum_n": [3, 7], "positives": [2, 1]})
    assert audit.conflicts == (("n", "cum_n"),)
    audit = cap.audit_table({"n": [3, 3], "captured": ["60%", "90%"]}, positives=5)
    assert not audit.fits
    assert [(cell.bin, cell.would_fit) for cell in audit.cells] == [("2", "100%")]


SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=4)
KINDS = ("rate", "captured", "lift", "cum_lift", "ks", "fpr", "share_of_negatives", "cum_rate")


@st.composite
def printed_tables(draw):
    """Draw sizes, positives and what a person prints of them, to a few decimals."""
    n = draw(SIZES)
    positives = [draw(st.integers(0, size)) for size in n]
    assume(0 < sum(positives) < sum(n))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=2, unique=True))
    decimals = draw(st.integers(0, 3))
    return n, positives, [printed(kind, n, positives, decimals) for kind in kinds]


def numbers(kind, n, positives):
    """Return what a column holds, exactly."""
    n1, all_cases = sum(positives), sum(n)
    n0 = all_cases - n1
    running = list(itertools.accumulate(positives))
    cases = list(itertools.accumulate(n))
    steps, sums = zip(n, positives, strict=True), zip(cases, running, strict=True)
    rows = steps if kind in {"rate", "lift", "share_of_negatives"} else sums
    holds = {
        "rate": lambda c, p: Fraction(p, c),
        "cum_rate": lambda c, p: Fraction(p, c),
        "lift": lambda c, p: Fraction(p * all_cases, c * n1),
        "cum_lift": lambda c, p: Fraction(p * all_cases, c * n1),
        "captured": lambda _, p: Fraction(p, n1),
        "fpr": lambda c, p: Fraction(c - p, n0),
        "share_of_negatives": lambda c, p: Fraction(c - p, n0),
        "ks": lambda c, p: Fraction(p, n1) - Fraction(c - p, n0),
        "ks_absolute": lambda c, p: abs(Fraction(p, n1) - Fraction(c - p, n0)),
    }
    return [holds[kind](c, p) for c, p in rows]


def printed(kind, n, positives, decimals):
    """Return a column rounded half up to some decimals."""
    unit = Fraction(1, 10**decimals)
    values = [floor(x / unit + Fraction(1, 2)) * unit for x in numbers(kind, n, positives)]
    cells = tuple(Cell(value, unit, str(float(value))) for value in values)
    return PrintedColumn(kind, kind, cells, Fraction(1))


def table_of(n, columns, **known):
    sizes = PrintedColumn(
        "n", "n", tuple(Cell(Fraction(x), Fraction(0), str(x)) for x in n), Fraction(1)
    )
    return PrintedTable((sizes, *columns), tuple(map(str, range(1, len(n) + 1))), **known)


def fitting(n, totals, columns):
    """Return every table of whole numbers that shows the columns."""
    found = []
    for n1 in totals:
        for positives in tables(n, n1):
            if all(shows(column, n, positives) for column in columns):
                found += [positives]
    return found


def shows(column, n, positives):
    way = -1 if column.from_below else 1
    numbers_there = numbers(column.quantity, n[::way], positives[::way])[::way]
    if column.flipped:
        numbers_there = [-x for x in numbers_there]
    return all(
        abs(cell.value - x) <= cell.unit / 2
        for cell, x in zip(column.cells, numbers_there, strict=True)
    )


def bins_of(n, positives):
    running = tuple(itertools.accumulate(positives))
    return Bins.of(tuple(itertools.accumulate(n)), running)


# The second bin has half or all of the negatives, which no running number says.
IN_ONE_BIN = tuple(Cell(Fraction(value), Fraction(1), str(value)) for value in (0, 1, 0))
OF_NEGATIVES = PrintedColumn("share_of_negatives", "share_of_negatives", IN_ONE_BIN, Fraction(1))


@example(([2, 1, 2], [2, 0, 2], [OF_NEGATIVES]), False)
@given(printed_tables(), st.booleans())
def test_ends_are_those_of_every_whole_table(drawn, known):
    n, positives, columns = drawn
    total = sum(positives)
    read = table_of(n, columns, positives=total if known else None)
    audit = audit_printed(read)
    found = fitting(n, [total] if known else range(1, sum(n)), columns)
    everything = [bins_of(n, each) for each in found]
    assert ends(audit.accuracy_ratio) == [
        min(ratio_of_bins(each, "low") for each in everything),
        max(ratio_of_bins(each, "high") for each in everything),
    ]
    gaps = [max(ks_side(each, "low"), ks_side(each.swapped, "low")) for each in everything]
    highs = [max(ks_side(each, "high"), ks_side(each.swapped, "high")) for each in everything]
    assert ends(audit.ks) == [min(gaps), max(highs)]
    if known:
        assert audit.least["cum_positives"].tolist() == np.cumsum(found, axis=1).min(0).tolist()
        assert audit.greatest["cum_positives"].tolist() == np.cumsum(found, axis=1).max(0).tolist()


@given(printed_tables(), st.data())
def test_a_wrong_number_is_found_as_every_whole_table_says(drawn, data):
    n, positives, columns = drawn
    i = data.draw(st.integers(0, len(columns) - 1))
    b = data.draw(st.integers(0, len(n) - 1))
    cells = list(columns[i].cells)
    cells[b] = Cell(
        cells[b].value + data.draw(st.integers(-3, 3)) * cells[b].unit, cells[b].unit, "x"
    )
    columns[i] = PrintedColumn(columns[i].quantity, columns[i].heading, tuple(cells), Fraction(1))
    read = table_of(n, columns, positives=sum(positives))
    audit = audit_printed(read)
    totals = [sum(positives)]
    # A table that fits only if its columns are read otherwise is read so.
    readings = [columns, *(each.columns[1:] for each in other_readings(read))]
    assert audit.fits == any(fitting(n, totals, each) for each in readings)
    if audit.fits:
        return
    bad = {column.heading for column in columns if not fitting(n, totals, [column])}
    assert set(audit.impossible) == bad
    if len(columns) == 2 and not bad:
        assert [set(each) for each in audit.conflicts] == [{c.heading for c in columns}]
    assert {(c.column, c.place): (c.low, c.high) for c in audit.cells} == lone_cells(
        n, totals, columns
    )


def lone_cells(n, totals, columns):
    """Return each cell whose removal lets a table fit, with its numbers in those tables."""
    found = {}
    for i, column in enumerate(columns):
        for b in range(len(n)):
            cells = list(column.cells)
            cells[b] = Cell(Fraction(0), Fraction(1000), "")
            without = PrintedColumn(column.quantity, column.heading, tuple(cells), Fraction(1))
            fit = fitting(n, totals, [*columns[:i], without, *columns[i + 1 :]])
            values = [numbers(column.quantity, n, each)[b] for each in fit]
            if values:
                found[column.heading, b] = (min(values), max(values))
    return found


def test_one_wrong_number_among_columns_of_large_bins_is_named_alone():
    audit = cap.audit_table(
        {
            "n": [2598, 3851, 2638, 1436, 4645, 2550],
            "lift": ["0.12", "0.54", "1.19", "0.04", "1.72", "1.61"],
            "negative_rate": ["0.93", "0.70", "0.34", "0.98", "0.05", "0.11"],
            "negatives": [2428, 2697, 906, 1409, 220, 280],
        }
    )
    assert [(cell.column, cell.bin) for cell in audit.cells] == [("negatives", "4")]


# Columns of each bin by itself: their last digit, and the positives that a number stands for.
OF_BINS = {
    "lift": (Fraction(1, 100), lambda x, size, share: x * size * share),
    "negative_rate": (Fraction(1, 100), lambda x, size, _: size * (1 - x)),
    "negatives": (Fraction(0), lambda x, size, _: size - x),
}


@st.composite
def with_a_wrong_number(draw):
    """Draw sizes, and columns of each bin by itself of which one number is wrong."""
    n = draw(st.lists(st.integers(20, 90), min_size=2, max_size=4))
    positives = [draw(st.integers(1, size - 1)) for size in n]
    share = Fraction(sum(positives), sum(n))
    exact = [
        {"lift": p / (c * share), "negative_rate": Fraction(c - p, c), "negatives": Fraction(c - p)}
        for c, p in zip(n, positives, strict=True)
    ]
    columns = {
        kind: [floor(x[kind] * 100 + Fraction(1, 2)) / Fraction(100) for x in exact]
        for kind in draw(st.permutations(list(OF_BINS)))[: draw(st.integers(2, 3))]
    }
    kind, place = draw(st.sampled_from(list(columns))), draw(st.integers(0, len(n) - 1))
    columns[kind][place] += draw(st.integers(1, 9)) * (OF_BINS[kind][0] or 1)
    return n, columns


def lone_numbers(n, columns):
    """Return each number without which a table of whole numbers shows all others."""
    numbers = [(kind, b) for kind in columns for b in range(len(n))]
    found = set()
    for n1 in range(1, sum(n)):
        ends = {}
        for kind, b in numbers:
            unit, positives = OF_BINS[kind]
            x, share = columns[kind][b], Fraction(n1, sum(n))
            both = [positives(x + end * unit / 2, n[b], share) for end in (-1, 1)]
            ends[kind, b] = max(ceil(min(both)), 0), min(floor(max(both)), n[b])
        for left_out in numbers:
            held = [[ends[k, b] for k in columns if (k, b) != left_out] for b in range(len(n))]
            low = [max(least for least, _ in each) for each in held]
            high = [min(most for _, most in each) for each in held]
            inside = all(a <= b for a, b in zip(low, high, strict=True))
            if inside and sum(low) <= n1 <= sum(high):
                found.add(left_out)
    return found


@given(with_a_wrong_number())
def test_a_wrong_number_of_large_bins_is_found_by_leaving_each_out(drawn):
    n, columns = drawn
    printed_columns = [
        PrintedColumn(
            kind,
            kind,
            tuple(Cell(x, OF_BINS[kind][0], str(float(x))) for x in values),
            Fraction(1),
        )
        for kind, values in columns.items()
    ]
    audit = audit_printed(table_of(n, printed_columns))
    if not audit.fits:
        assert {(cell.column, cell.place) for cell in audit.cells} == lone_numbers(n, columns)


@st.composite
def counted(draw):
    """Draw counts by score with both classes."""
    rows = draw(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=2, max_size=60))
    assume(0 < sum(label for label, _ in rows) < len(rows))
    return cap.count_scores([label for label, _ in rows], [score for _, score in rows])


@given(
    counted(),
    st.integers(1, 5),
    st.integers(0, 4),
    st.lists(
        st.sampled_from(["rate", "captured", "lift", "cum_lift", "ks"]), min_size=1, unique=True
    ),
)
def test_any_gains_table_however_rounded_holds_the_exact_numbers(counts, bins, digits, kinds):
    table = cap.gains_table(counts, bins=bins)
    columns = {"n": table["n"].tolist()}
    # Alone, a column called lift may be read as the cumulative one.
    kinds += ["cum_lift"] if "lift" in kinds and "cum_lift" not in kinds else []
    columns |= {kind: [f"{x:.{digits}f}" for x in table[kind].tolist()] for kind in kinds}
    audit = cap.audit_table(columns, positives=int(counts.n1), rounding="any")
    holds_the_truth(audit, counts)


def holds_the_truth(audit, counts):
    near = 1e-12
    truth = {"accuracy_ratio": cap.accuracy_ratio(counts), "ks": cap.ks(counts).statistic}
    for name, value in truth.items():
        found = getattr(audit, name)
        assert found.low - near <= value <= found.high + near
    for q in (0.1, 0.35, 0.8):
        found = audit.captured(q)
        assert found.low - near <= cap.captured_response(counts, q) <= found.high + near


@given(counted(), st.integers(1, 6))
def test_a_gains_table_as_it_is_holds_the_exact_numbers(counts, bins):
    audit = cap.audit_table(cap.gains_table(counts, bins=bins))
    assert audit.fits
    holds_the_truth(audit, counts)
    if len(counts) <= bins:
        one = cap.audit_table(cap.gains_table(counts, bins="score"))
        assert one.accuracy_ratio.table == cap.accuracy_ratio(counts)
        assert one.accuracy_ratio.low == cap.accuracy_ratio_bounds(counts).low


@given(printed_tables(), st.integers(1, 2))
def test_rounded_shares_of_cases_hold_every_table_that_shows_them(drawn, decimals):
    n, positives, _ = drawn
    total, unit = sum(n), Fraction(1, 10**decimals)
    running = [Fraction(x, total) for x in itertools.accumulate(n)]
    cells = tuple(
        Cell(floor(x / unit + Fraction(1, 2)) * unit, unit, str(float(x))) for x in running
    )
    columns = (
        PrintedColumn("selected", "selected", cells, Fraction(1)),
        printed("captured", n, positives, decimals),
    )
    read = PrintedTable(
        columns, tuple(map(str, range(len(n)))), positives=sum(positives), cases=total
    )
    audit = audit_printed(read)
    found = []
    for first in itertools.product(range(total + 1), repeat=len(n) - 1):
        sizes = (*first, total - sum(first))
        shares = [Fraction(x, total) for x in itertools.accumulate(sizes)]
        if sizes[-1] >= 0 and all(
            abs(c.value - x) <= unit / 2 for c, x in zip(cells, shares, strict=True)
        ):
            found += (
                [bins_of(sizes, each) for each in fitting(sizes, [sum(positives)], columns[1:])]
                if min(sizes)
                else []
            )
    assume(found)
    low, high = ends(audit.accuracy_ratio)
    assert low <= min(ratio_of_bins(each, "low") for each in found)
    assert high >= max(ratio_of_bins(each, "high") for each in found)
    assert audit.accuracy_ratio.sharp


@given(printed_tables())
def test_gaps_without_a_sign_hold_every_table_that_shows_them(drawn):
    n, positives, _ = drawn
    unit = Fraction(1, 100)
    gaps = [abs(gap) for gap in numbers("ks", n, positives)]
    cells = tuple(Cell(floor(x / unit + Fraction(1, 2)) * unit, unit, "") for x in gaps)
    column = PrintedColumn("ks_absolute", "|ks|", cells, Fraction(1))
    audit = audit_printed(table_of(n, [column], positives=sum(positives)))
    found = [
        bins_of(n, each)
        for each in tables(n, sum(positives))
        if all(
            abs(cell.value - abs(x)) <= unit / 2
            for cell, x in zip(cells, numbers("ks", n, each), strict=True)
        )
    ]
    low, high = ends(audit.accuracy_ratio)
    truth = [
        min(ratio_of_bins(each, "low") for each in found),
        max(ratio_of_bins(each, "high") for each in found),
    ]
    assert low <= truth[0] <= truth[1] <= high
    if audit.accuracy_ratio.sharp:
        assert [low, high] == truth


def test_per_cent_or_shares_is_tried_where_it_is_not_said():
    percent = cap.audit_table({"n": [40, 60], "rate": ["7.5", "1.7"]}, positives=4)
    assert percent.least["positives"].tolist() == [3, 1]
    shares = cap.audit_table({"n": [40, 60], "rate": ["0.075", "0.017"]}, positives=4)
    assert shares.least["positives"].tolist() == [3, 1]


def test_too_many_possible_numbers_of_positives_are_asked_for():
    with pytest.raises(ValueError, match="say how many there are with positives="):
        cap.audit_table({"n": [10**6, 10**6], "captured": ["60.0%", "100.0%"]})
    audit = cap.audit_table({"n": [50_000, 50_000], "captured": ["60.0%", "100.0%"]})
    codes = {finding.code for finding in audit.findings}
    assert "positives_unknown" in codes
    assert audit.captured(0.5).straight == pytest.approx((0.5995, 0.6005), abs=1e-4)


def test_a_scan_of_prevalences_is_called_about():
    audit = cap.audit_table(
        {"selected": [Fraction(1, 10), Fraction(1)], "captured": ["60%", "100%"]},
        prevalence=(Fraction(1, 10), Fraction(1, 4)),
    )
    assert not audit.accuracy_ratio.sharp
    assert "not_sharp" in {finding.code for finding in audit.findings}
