"""The audit of tables, held against every table of whole numbers of a few cases."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from audit_cases import captured, ranges, running

import capcurve as cap
from needs import REQUIRED

FEWER = 1 if REQUIRED else 3  # all tables only where a merge is judged

COUNTS = ("positives", "negatives", "cum_positives", "cum_negatives")
SHARES = ("rate", "cum_rate", "captured", "share_of_positives", "fpr", "share_of_negatives", "ks")
LIFTS = ("lift", "cum_lift")
HALF, ONE = Fraction(1, 2), Fraction(1)


def number(quantity, n, p, b):
    """Return what a column reads in bin b, or down to its end."""
    down = quantity.startswith("cum_") or quantity in {"captured", "fpr", "ks", "ks_absolute"}
    cases, positives = (running(n)[b], running(p)[b]) if down else (n[b], p[b])
    n1, n0 = sum(p), sum(n) - sum(p)
    gap = Fraction(positives, n1) - Fraction(cases - positives, n0)
    return {
        "positives": Fraction(positives),
        "negatives": Fraction(cases - positives),
        "rate": Fraction(positives, cases),
        "lift": Fraction(positives * sum(n), cases * n1),
        "captured": Fraction(positives, n1),
        "share_of_positives": Fraction(positives, n1),
        "fpr": Fraction(cases - positives, n0),
        "share_of_negatives": Fraction(cases - positives, n0),
        "ks": gap,
        "ks_absolute": abs(gap),
    }[quantity.removeprefix("cum_")]


def printed(value, decimals, cut=round):
    """Return a number as printed, and the number that is printed."""
    whole = cut(value * 10**decimals)
    digits = str(abs(whole)).rjust(decimals + 1, "0")
    text = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return ("-" if whole < 0 else "") + text, Fraction(whole, 10**decimals)


def fitting(n, totals, windows):
    """Return all tables whose numbers lie inside all windows."""
    return [
        p
        for p in itertools.product(*(range(size + 1) for size in n))
        if sum(p) in totals
        and all(
            low <= number(quantity, n, p, b) <= high
            for (quantity, b), (low, high) in windows.items()
        )
    ]


def drawn(seed):
    """Return some bins, with both classes, and the generator that drew them."""
    chance = random.Random(seed)  # noqa: S311 - draws tables, not secrets
    n = [chance.randint(1, 7) for _ in range(chance.randint(1, 4))]
    p = [chance.randint(0, size) for size in n]
    return (n, p, chance) if 0 < sum(p) < sum(n) and n[-1] != sum(n[:-1]) else drawn(seed + 10**6)


def written(n, p, chance, quantities, rounding="half"):
    """Return a table as somebody may print it, and the windows of its numbers."""
    cuts = {"half": [round], "down": [math.floor, math.trunc]}
    cut = chance.choice(cuts.get(rounding, [round, math.floor, math.trunc, math.ceil]))
    table, windows = {"n": n}, {}
    for quantity in quantities:
        decimals = 0 if quantity in COUNTS else chance.randint(1, 3)
        percent = quantity in SHARES and chance.random() < HALF
        scale = 100 if percent else 1
        unit = Fraction(0) if quantity in COUNTS else Fraction(1, 10**decimals * scale)
        table[quantity] = []
        for b in range(len(n)):
            text, value = printed(number(quantity, n, p, b) * scale, decimals, cut)
            value /= scale
            table[quantity].append(text + "%" * percent)
            either = rounding == "any" or (rounding == "down" and value <= 0)
            below = HALF if rounding == "half" else ONE if either else 0
            above = HALF if rounding == "half" else ONE
            windows[quantity, b] = (value - below * unit, value + above * unit)
    return table, windows


@pytest.mark.parametrize("rounding", ["half", "down", "any"])
@pytest.mark.parametrize("seed", range(100 // FEWER))
def test_ranges_are_those_of_all_tables_that_fit(seed, rounding):
    n, p, chance = drawn(seed)
    columns = chance.sample(COUNTS + SHARES + LIFTS, chance.randint(1, 3))
    table, windows = written(n, p, chance, columns, rounding)
    tables = fitting(n, {sum(p)}, windows)
    audit = cap.audit_table(table, positives=sum(p), rounding=rounding)
    assert audit.fits
    ends = [ranges(n, each) for each in tables]
    for metric in ends[0]:
        low, _, high = getattr(audit, metric).exact
        assert low == min(each[metric][0] for each in ends)
        assert high == max(each[metric][1] for each in ends)
    for q in (Fraction(1, 10), Fraction(1, 3), Fraction(7, 8), ONE):
        shares = [captured(n, each, q) for each in tables]
        low, high = min(each[0] for each in shares), max(each[1] for each in shares)
        assert audit.captured(q).exact[::2] == (low, high)
        assert audit.lift(q).exact[::2] == (low / q, high / q)
        prevalence = Fraction(sum(p), sum(n))
        assert audit.precision(q).exact[::2] == (low * prevalence / q, high * prevalence / q)
    levels = list(zip(*map(running, tables), strict=True))
    assert running(audit.least["positives"].tolist()) == list(map(min, levels))
    assert running(audit.greatest["positives"].tolist()) == list(map(max, levels))


@pytest.mark.parametrize("seed", range(60 // FEWER))
def test_unknown_positives_leave_the_union_over_all_their_numbers(seed):
    n, p, chance = drawn(seed)
    table, windows = written(n, p, chance, chance.sample(("rate", "captured", "ks", "lift"), 2))
    ends = [ranges(n, each) for each in fitting(n, range(1, sum(n)), windows)]
    audit = cap.audit_table(table)
    for metric in ends[0]:
        low, _, high = getattr(audit, metric).exact
        assert low == min(each[metric][0] for each in ends)
        assert high == max(each[metric][1] for each in ends)


def smallest(sets):
    return {each for each in sets if not any(other < each for other in sets)}


@pytest.mark.parametrize("seed", range(80 // FEWER))
def test_conflicts_are_all_minimal_and_cells_are_told_with_what_fits(seed):
    n, p, chance = drawn(seed)
    columns = chance.sample(("rate", "cum_rate", "negatives", "share_of_positives"), 3)
    table, windows = written(n, p, chance, columns)
    if len(n) < 3:
        return
    for quantity in columns[:2]:  # misprint a number or two
        b = chance.randrange(len(n))
        percent, wrong = table[quantity][b].endswith("%"), number(quantity, n, p, b)
        step = ONE if quantity in COUNTS else Fraction(1, 4)
        wrong = wrong + step if wrong < step else wrong - step
        text, value = printed(wrong * 100 if percent else wrong, 0 if quantity in COUNTS else 2)
        value = value / 100 if percent else value
        table[quantity][b] = text + "%" * percent
        unit = 0 if quantity in COUNTS else Fraction(1, 10000 if percent else 100)
        windows[quantity, b] = (value - unit / 2, value + unit / 2)

    def fits(kept):
        return fitting(n, {sum(p)}, {at: w for at, w in windows.items() if at in kept})

    sets = [frozenset(s) for k in (1, 2, 3) for s in itertools.combinations(columns, k)]
    wrong_sets = [s for s in sets if not fits({at for at in windows if at[0] in s})]
    audit = cap.audit_table(table, positives=sum(p))
    assert audit.fits == (not wrong_sets)
    assert set(map(frozenset, audit.conflicts)) == smallest(wrong_sets)
    assert {frozenset({each}) for each in audit.impossible} == {
        s for s in wrong_sets if len(s) == 1
    }
    alone = {} if audit.fits else {at: fits(set(windows) - {at}) for at in windows}
    found = {(cell.column, cell.place): cell for cell in audit.cells}
    assert set(found) == {at for at, tables in alone.items() if tables}
    for (quantity, b), cell in found.items():
        scale = 100 if cell.text.endswith("%") else 1
        values = [number(quantity, n, each, b) * scale for each in alone[quantity, b]]
        assert (cell.low, cell.high) == (min(values), max(values))


def altered(table, windows, chance):
    """Alter one number of a table by some units of its last digit, and say which."""
    quantity, b = chance.choice(sorted(windows))
    text, (low, high) = table[quantity][b], windows[quantity, b]
    decimals, scale = len(text.rstrip("%").partition(".")[2]), 100 if text.endswith("%") else 1
    unit = Fraction(1, 10**decimals)
    value = Fraction(text.rstrip("%"))
    most = math.inf if quantity in COUNTS + LIFTS else scale  # beyond 1, shares are in per cent
    least = -scale if quantity == "ks" else 0
    steps = [by for by in (-9, -2, -1, 1, 2, 9) if least <= value + by * unit <= most]
    by = chance.choice(steps)
    said, _ = printed(value + by * unit, decimals)
    table[quantity][b] = said + "%" * (scale > 1)
    windows[quantity, b] = (low + by * unit / scale, high + by * unit / scale)


@pytest.mark.turns(3)
@pytest.mark.parametrize("seed", range(300 // FEWER))
def test_exactly_the_cells_without_which_some_cases_give_the_table_are_named(seed):
    """Each cell is left out, and all whole numbers of cases that give the others are counted."""
    n, p, chance = drawn(seed + 7000)
    columns = chance.sample(COUNTS + SHARES + LIFTS, chance.randint(1, 3))
    table, windows = written(n, p, chance, columns)
    altered(table, windows, chance)
    known = {"positives": sum(p)} if chance.random() < HALF else {}
    totals = {sum(p)} if known else range(1, sum(n))
    audit = cap.audit_table(table, **known)
    if "direction_settled" in {each.code for each in audit.findings}:
        return  # an altered end turned the column round
    assert audit.fits == bool(fitting(n, totals, windows))
    named = {(cell.column, cell.place): cell for cell in audit.cells}
    without = {
        at: fitting(n, totals, {other: w for other, w in windows.items() if other != at})
        for at in windows
        if not audit.fits
    }
    assert set(named) == {at for at, tables in without.items() if tables}
    for (quantity, b), cell in named.items():
        scale = 100 if cell.text.endswith("%") else 1
        values = [number(quantity, n, each, b) * scale for each in without[quantity, b]]
        assert (cell.low, cell.high) == (min(values), max(values))


@pytest.mark.turns(4)
@pytest.mark.parametrize("seed", range(60 // FEWER))
def test_any_gains_table_holds_the_numbers_of_its_score(seed):
    chance = random.Random(seed)  # noqa: S311 - draws tables, not secrets
    size = chance.choice([6, 15, 40])
    y = [1, 0, *(int(chance.random() < 0.3) for _ in range(size - 2))]
    scores = [chance.randint(1, size) + each * chance.choice([0, 3]) for each in y]
    ones = [s for s, each in zip(scores, y, strict=True) if each]
    noughts = [s for s, each in zip(scores, y, strict=True) if not each]
    pairs = [(a > b) + HALF * (a == b) for a in ones for b in noughts]
    gaps = [
        Fraction(sum(a >= cut for a in ones), len(ones))
        - Fraction(sum(b >= cut for b in noughts), len(noughts))
        for cut in scores
    ]
    true = {
        "accuracy_ratio": 2 * sum(pairs) / len(pairs) - 1,
        "ks": max(map(abs, gaps)),
        "ks_positive": max(0, *gaps),
        "ks_negative": max(0, *(-gap for gap in gaps)),
    }
    counts = cap.count_scores(y, scores)
    widths = []
    for bins in ("score", 6, 3, 1):
        gains = cap.gains_table(counts, bins=bins)
        n, p = gains["n"].tolist(), gains["positives"].tolist()
        text, _ = written(n, p, chance, ("captured", "lift", "ks", "rate"), "any")
        for audit in (
            cap.audit_table(gains),
            cap.audit_table({"n": n, "positives": p}, cases=size),
            cap.audit_table(text, positives=sum(y), rounding="any"),
        ):
            assert audit.fits, (audit.conflicts, audit.findings)
            for metric, value in true.items():
                low, _, high = getattr(audit, metric).exact
                assert low <= value <= high, metric
        widths.append(cap.audit_table({"n": n, "positives": p}, cases=size).accuracy_ratio)
        many = {"n": [k * 10**12 for k in n], "positives": [k * 10**12 for k in p]}
        many = cap.audit_table(many, cases=size * 10**12)
        assert many.accuracy_ratio.exact == widths[-1].exact
    assert widths[0].exact[1] == true["accuracy_ratio"]
    assert widths[0].low >= widths[3].low
    assert widths[0].high <= widths[3].high


def test_a_lift_of_1_in_the_last_bin_is_no_running_lift():
    gains = {"n": [8, 7, 9, 8, 8], "positives": [5, 2, 5, 3, 4]}
    lift = ["1.32", "0.60", "1.17", "0.79", "1.05"]
    assert cap.audit_table({**gains, "lift": lift}).fits
    assert cap.audit_table({"n": [3, 19, 18], "lift": ["2.7", "0.7", "1.0"]}, positives=15).fits


def test_a_last_bin_that_adds_up_the_others_is_kept_where_numbers_run_on():
    table = {"n": [1, 2, 3], "positives": [1, 0, 1]}
    assert len(cap.audit_table(table, positives=2).table.names) == 3
    assert len(cap.audit_table({**table, "cum_n": [1, 3, 6]}).table.names) == 3
    assert len(cap.audit_table({**table, "captured": ["50%", "50%", "100%"]}).table.names) == 3
    assert len(cap.audit_table(table, cases=6).table.names) == 3
    guessed = cap.audit_table({**table, "cum_n": [1, 3, 3]})
    assert len(guessed.table.names) == 2
    assert ("totals_row", "warning") in {(f.code, f.severity) for f in guessed.findings}


def test_negative_numbers_that_were_cut_off_may_have_been_cut_either_way():
    n, p = [20, 20], [10, 12]  # KS is 10/22 - 10/18 = -0.101
    for text in ("-0.11", "-0.10"):
        table = {"n": n, "positives": p, "KS": [text, "0.00"]}
        assert cap.audit_table(table, rounding="down").fits
    table = {"n": n, "positives": p, "KS": ["-0.12", "0.00"]}
    assert not cap.audit_table(table, rounding="down").fits


def test_a_first_gap_near_0_does_not_turn_the_column_round():
    table = {"n": [3, 2, 2, 2], "rate": ["0.3", "0.0", "0.5", "0.5"]}
    table["ks"] = ["0.0%", "-33.3%", "-16.7%", None]
    assert cap.audit_table(table, positives=3).fits


def test_a_misprinted_last_share_captured_is_named():
    audit = cap.audit_table({"n": [10] * 3, "captured": ["0.40", "0.70", "1.10"]}, positives=10)
    assert [cell.would_fit for cell in audit.cells] == ["1.00"]
    assert not audit.fits


def test_noughts_in_per_cent_are_no_wholes():
    audit = cap.audit_table({"n": [1, 1, 5], "share_of_negatives": [None, "0%", None]}, positives=3)
    assert audit.least["positives"].tolist() == [0, 1, 2]


def test_a_gap_without_sign_may_be_mended_on_both_sides():
    first = cap.audit_table({"n": [5, 3], "|KS|": ["28%", "0%"]}, positives=4).cells[0]
    assert (first.low, first.high) == (25, 75)


@pytest.mark.parametrize("said", ["48.4%", "0,484", ".484", "48.4", 0.484, "48,4%"])
def test_claims_are_read_as_people_write_them(said):
    table = {"n": [100, 100], "positives": [50, 20]}
    (claim,) = cap.audit_table(table, claims={"ar": said}).claims
    assert claim.possible
    assert 0.4835 <= claim.low <= claim.high <= 0.4845


def test_a_table_without_a_class_is_refused_in_one_line():
    for name in ("positives", "negatives"):
        with pytest.raises(ValueError, match=f"{name} is 0 in every bin: an audit needs") as told:
            cap.audit_table({"n": [10, 10], name: [0, 0]})
        assert "\n" not in str(told.value)


def test_text_that_a_spreadsheet_was_told_to_leave_alone_is_read(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        'bin;n;positives;rate\n1;10;5;="0.50"\n2;10;1;="0,10"\n'.replace("0,10", "0.10")
    )
    found = cap.audit_table(path)
    assert found.fits
    assert found.accuracy_ratio.sharp
