"""True tables in every form in which people print them are never called impossible."""

import io
import itertools
import random
from decimal import ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pandas as pd
import pytest
from audit_cases import captured, ranges

import capcurve as cap

COUNTS = ("n", "positives", "negatives", "cum_n", "cum_positives", "cum_negatives")
OF_CASES = ("n", "cum_n", "share_of_cases", "selected")
FROM_EITHER_END = {"captured", "fpr", "ks", "ks_absolute", "selected"}
NEVER_IN_PERCENT = {*COUNTS, "lift", "cum_lift"}
HEADINGS = {
    "n": ("n", "Cases", "# Accounts", "Population¹", "Customers 1)"),
    "positives": ("positives", "Bads", "# Events", "Defaults²"),
    "negatives": ("negatives", "Goods", "# Non-events"),
    "cum_n": ("cum_n", "Cum cases"),
    "cum_positives": ("cum_positives", "Cum bads"),
    "cum_negatives": ("cum_negatives", "Cum goods"),
    "share_of_cases": ("share_of_cases", "% of cases"),
    "selected": ("selected", "Cum % cases"),
    "share_of_positives": ("share_of_positives", "% of bads"),
    "share_of_negatives": ("share_of_negatives", "% of goods", "Good %"),
    "captured": ("captured", "Cum % of bads", "Cum % bads", "Captured"),
    "fpr": ("fpr", "Cum % of goods", "Cum % goods"),
    "rate": ("rate", "Bad rate", "Event rate"),
    "negative_rate": ("negative_rate", "Good rate", "Good %"),
    "cum_rate": ("cum_rate", "Cum bad rate"),
    "lift": ("lift", "Lift"),
    "cum_lift": ("cum_lift", "Cum lift"),
    "ks": ("ks", "KS", "Cum % bads - cum % goods"),
    "ks_absolute": ("ks_absolute", "Absolute KS", "KS"),
}
TO_THE_NEAREST = (ROUND_HALF_UP, ROUND_HALF_EVEN)
CUT_OFF = (ROUND_DOWN, ROUND_FLOOR)
# What a table may lack, so that it is not audited at all.
LACKS = (
    "no column says how many positives",
    "fits as shares and in per cent",
    "the number of positives is not known",
    "does not tell how many cases there are",
    "say so with prevalence=",
    "say how many there are with cases=",
)


def true_number(quantity, n, p, b, from_below):
    """Return what a column reads in bin b, or None where that is nothing: no case has a rate."""
    down = quantity.startswith("cum_") or quantity in FROM_EITHER_END
    if not down:
        part = slice(b, b + 1)
    else:
        part = slice(b, None) if from_below else slice(b + 1)
    cases, positives, n1, total = sum(n[part]), sum(p[part]), sum(p), sum(n)
    negatives, n0 = cases - positives, total - n1
    kind = quantity.removeprefix("cum_")
    if kind in {"rate", "negative_rate", "lift"} and not cases:
        return None
    return {
        "n": lambda: Fraction(cases),
        "positives": lambda: Fraction(positives),
        "negatives": lambda: Fraction(negatives),
        "share_of_cases": lambda: Fraction(cases, total),
        "selected": lambda: Fraction(cases, total),
        "share_of_positives": lambda: Fraction(positives, n1),
        "captured": lambda: Fraction(positives, n1),
        "share_of_negatives": lambda: Fraction(negatives, n0),
        "fpr": lambda: Fraction(negatives, n0),
        "rate": lambda: Fraction(positives, cases),
        "negative_rate": lambda: Fraction(negatives, cases),
        "lift": lambda: Fraction(positives * total, cases * n1),
        "ks": lambda: Fraction(positives, n1) - Fraction(negatives, n0),
        "ks_absolute": lambda: abs(Fraction(positives, n1) - Fraction(negatives, n0)),
    }[kind]()


def rounded(value, decimals, how):
    """Return a number as a decimal, rounded exactly: the fraction itself, not a float of it."""
    scaled = value * 10**decimals
    whole = Decimal(scaled.numerator // scaled.denominator)
    rest = scaled - int(whole)
    # Halves, and what lies on either side of them, are all that rounding looks at.
    tail = (
        Decimal("0.5")
        if rest == Fraction(1, 2)
        else Decimal("0.25" if rest < Fraction(1, 2) else "0.75")
    )
    tail = tail if rest else Decimal(0)
    return (whole + tail).to_integral_value(rounding=how).scaleb(-decimals)


class Printed:
    """A true table as somebody prints it, drawn at random."""

    def __init__(self, seed, most=10**9):
        self.chance = chance = random.Random(seed)  # noqa: S311 - draws tables, not secrets
        self.n, self.p = self.bins(most)
        self.ascending = chance.random() < 0.25
        self.rounding = chance.choice(["half", "half", "half", "down", "any"])
        quantities = chance.sample(sorted(set(HEADINGS) - set(OF_CASES)), chance.randint(1, 5))
        both = {"positives", "negatives"} <= set(quantities)
        if not both or chance.random() < 0.5:
            quantities += chance.sample(OF_CASES, chance.choice([1, 1, 2]))
        chance.shuffle(quantities)
        if {"share_of_cases", "selected"} & set(quantities) and not {"n", "cum_n"} & set(
            quantities
        ):
            quantities.append("n")
        self.from_below = self.ascending and chance.random() < 0.5
        self.columns = {}  # heading: quantity, texts, windows
        self.told = {}
        for quantity in quantities:
            heading = chance.choice(HEADINGS[quantity])
            of_classes = len(set(quantities) - set(OF_CASES))
            if heading == "KS" and of_classes < 3:  # with its sign, unless others tell
                heading = quantity
            if heading not in self.columns:
                self.columns[heading] = self.column(quantity, heading)
        if not self.told and chance.random() < 0.6:
            self.told = {"positives": sum(self.p)}
        if any(self.needs_cases(q) for q, *_ in self.columns.values()):
            self.told["cases"] = sum(self.n)

    def bins(self, most):
        """Return cases and positives of some bins, with ties of rates and empty bins."""
        chance = self.chance
        while True:
            large = chance.choice([3, 6, 15, 200, 5_000])
            count = chance.choice([1, 2, 3, 4, 5, 10])
            n = [chance.choice([0, 1, large, chance.randint(0, large)]) for _ in range(count)]
            rate = chance.random()
            p = [
                chance.choice([0, size, round(size * rate), chance.randint(0, size)]) for size in n
            ]
            possible = 1
            for size in n:
                possible *= size + 1
            if 0 < sum(p) < sum(n) and possible <= most:
                return n, p

    def needs_cases(self, quantity):
        return False

    def column(self, quantity, heading):
        """Return a column as printed, and from where to where its numbers lie."""
        chance = self.chance
        count = quantity in COUNTS
        decimals = 0 if count else chance.choice([0, 1, 1, 2, 2, 3, 4])
        percent = quantity not in NEVER_IN_PERCENT and chance.choice(["", "%"])
        scale = 100 if percent else 1
        if not count and not percent and quantity not in {"lift", "cum_lift"}:
            decimals += 1
        how = chance.choice(TO_THE_NEAREST if self.rounding == "half" else CUT_OFF)
        if self.rounding == "any":
            how = chance.choice([*TO_THE_NEAREST, *CUT_OFF])
        texts = []
        for b in range(len(self.n)):
            value = true_number(quantity, self.n, self.p, b, self.from_below)
            if value is None:
                texts.append(chance.choice(["", "-", "nan", "0"]))
                continue
            # A KS from below is that of the negatives less the positives as well as its reverse.
            texts.append(f"{rounded(value * scale, decimals, how)}{percent or ''}")
        return quantity, texts

    def table(self):
        """Return the table in one of the forms that are read."""
        chance = self.chance
        order = slice(None, None, -1) if self.ascending else slice(None)
        columns = {heading: texts[order] for heading, (_, texts) in self.columns.items()}
        form = chance.choice(["columns", "csv", "markdown", "frame", "decimal comma"])
        if form == "frame":
            return pd.DataFrame(columns)
        if form == "columns":
            return columns
        named = chance.random() < 0.7
        rows = [list(row) for row in zip(*columns.values(), strict=True)]
        if form == "decimal comma":
            rows = [[self.with_comma(text) for text in row] for row in rows]
        headings = list(columns)
        if named:
            headings = ["Bin", *headings]
            rows = [[f"{at}.", *row] for at, row in enumerate(rows, 1)]
            if chance.random() < 0.4:
                sums = [self.total(quantity) for quantity, _ in self.columns.values()]
                rows.append(["Total", *sums])
        if form == "markdown":
            lines = [headings, ["---"] * len(headings), *rows]
            return io.StringIO("\n".join(f"| {' | '.join(line)} |" for line in lines))
        mark = chance.choice([";", "\t"])
        return io.StringIO("\n".join(mark.join(line) for line in [headings, *rows]))

    def total(self, quantity):
        sums = {"n": sum(self.n), "positives": sum(self.p), "negatives": sum(self.n) - sum(self.p)}
        return str(sums.get(quantity, ""))

    def with_comma(self, text):
        whole, point, rest = text.partition(".")
        if len(whole) > 3 and whole.isdigit() and self.chance.random() < 0.5:
            whole = f"{int(whole):,}".replace(",", self.chance.choice([" ", ".", "\u202f"]))
        return whole + ("," if point else "") + rest

    def asked(self):
        order = "ascending" if self.ascending else "descending"
        return {"order": order, "rounding": self.rounding, **self.told}

    def shown(self):
        return f"{self.n} {self.p} {self.asked()} {self.columns}"

    def claims(self):
        """Return true numbers of the table, each bin being of one score, as somebody states them."""
        n, p = self.n, self.p
        n1, n0 = sum(p), sum(n) - sum(p)
        pairs = sum(
            p[a] * (n[b] - p[b]) * (2 if a < b else 1)
            for a in range(len(n))
            for b in range(a, len(n))
        )
        auc = Fraction(pairs, 2 * n1 * n0)
        gaps = [true_number("ks_absolute", n, p, b, False) for b in range(len(n))]
        numbers = {"accuracy_ratio": 2 * auc - 1, "roc_auc": auc, "ks": max(gaps)}
        name = self.chance.choice(sorted(numbers))
        how = self.chance.choice(TO_THE_NEAREST if self.rounding != "down" else [ROUND_DOWN])
        return {name: str(rounded(numbers[name], self.chance.choice([2, 3, 4]), how))}


def held(audit, n, p):
    """Tell whether the ranges hold all rankings with these cases."""
    kept = [b for b in range(len(n)) if n[b]]
    n, p = [n[b] for b in kept], [p[b] for b in kept]
    for metric, (low, high) in ranges(n, p).items():
        found = getattr(audit, metric)
        if not (found.exact[0] <= low and high <= found.exact[2]):
            return False
    for q in (Fraction(1, 10), Fraction(1, 3), Fraction(1)):
        low, high = captured(n, p, q)
        found = audit.captured(q).exact
        if not (found[0] <= low and high <= found[2]):
            return False
    return True


def problem_with_true(seed):
    """Return what is wrong with the audit of a true table, or None."""
    true = Printed(seed)
    try:
        audit = cap.audit_table(true.table(), claims=true.claims(), **true.asked())
    except ValueError as error:
        return None if any(said in str(error) for said in LACKS) else f"refused: {error}"
    if not audit.fits:
        return f"impossible: {audit.findings[0].message}"
    if not all(claim.possible and claim.together for claim in audit.claims):
        return f"{audit.claims[0].message}"
    # Of a table that can be read in several ways the ranges are those of one; that is told.
    told = {"last_row", "heading_open"} & {each.code for each in audit.findings}
    return None if told or held(audit, true.n, true.p) else "the truth is outside"


def tables_that_fit(n, totals, columns):
    """Return all positives of bins whose numbers are within half a unit of those printed."""
    windows = []
    for quantity, (texts, from_below) in columns.items():
        for b, text in enumerate(texts):
            number = Decimal(text.removesuffix("%"))
            scale = 100 if text.endswith("%") else 1
            half = 0 if quantity in COUNTS else Fraction(10) ** number.as_tuple().exponent / 2
            ends = Fraction(number) - half, Fraction(number) + half
            windows.append((quantity, b, from_below, *(end / scale for end in ends)))

    def fits(p):
        if sum(p) not in totals:
            return False
        values = (true_number(quantity, n, p, b, below) for quantity, b, below, _, _ in windows)
        return all(
            value is None or low <= value <= high
            for value, (*_, low, high) in zip(values, windows, strict=True)
        )

    return [p for p in itertools.product(*(range(size + 1) for size in n)) if fits(p)]


def altered(seed):
    """Return a small table with one number altered, all that is said of it, and what fits it."""
    true = Printed(seed, most=1500)
    chance, n, p = true.chance, true.n, true.p
    true.rounding, true.from_below = "half", False
    classes = sorted(set(HEADINGS) - set(OF_CASES) - {"ks_absolute"})
    columns = {}
    for quantity in chance.sample(classes, chance.randint(1, 3)):
        _, texts = true.column(quantity, quantity)
        columns[quantity] = [text if any(map(str.isdigit, text)) else "0" for text in texts], False
    quantity = chance.choice(list(columns))
    texts = columns[quantity][0]
    known = [b for b in range(len(n)) if true_number(quantity, n, p, b, False) is not None]
    b = chance.choice(known)
    sign = "%" * texts[b].endswith("%")
    number = Decimal(texts[b].removesuffix("%"))
    step = Decimal(1).scaleb(number.as_tuple().exponent) * chance.choice([1, 1, 2, 5, 20, 100])
    number += step if chance.random() < 0.5 or (number < step and quantity != "ks") else -step
    texts[b] = f"{number}{sign}"
    told = {"positives": sum(p)} if chance.random() < 0.5 else {}
    totals = {sum(p)} if told else range(1, sum(n))
    table = {"n": n} | {quantity: texts for quantity, (texts, _) in columns.items()}
    return quantity, table, told, tables_that_fit(n, totals, columns)


def problem_with_altered(seed):
    """Return what is wrong with the audit of a table with one number altered, or None."""
    column, table, told, fitting = altered(seed)
    try:
        audit = cap.audit_table(table, **told)
    except ValueError as error:
        refused = any(said in str(error) for said in (*LACKS, "and cases", "positives among"))
        return None if refused or "has no cases and" in str(error) or "0 in every bin" in str(error) else f"refused: {error}"
    n = table["n"]
    named = {c.heading for c in audit.table.columns if c.told} | {
        heading
        for heading in table
        if any(repr(heading) in each.message for each in audit.findings)
    }
    if "last_row" in {f.code for f in audit.findings} or len(audit.table.names) < len(n):
        return None
    if not fitting:
        return None if not audit.fits or column in named else "explained away"
    if not audit.fits:
        return f"impossible: {audit.findings[0].message}"
    if named or all(held(audit, n, p) for p in fitting):
        return None
    return "the truth is outside"


if __name__ == "__main__":
    import sys, collections, time

    first, last = map(int, sys.argv[1:3]); alt = len(sys.argv)>3
    t = time.process_time()
    kinds = collections.Counter()
    for seed in range(first, last):
        try:
            said = (problem_with_altered if alt else problem_with_true)(seed)
        except Exception as e:
            said = f"CRASH {type(e).__name__} {e}"
        if said:
            kinds[said[:20]] += 1
            if kinds[said[:20]] <= 6:
                print(seed, said[:300], "|", altered(seed) if alt else Printed(seed).shown()[:700], "\n")
    print(kinds, time.process_time() - t)
