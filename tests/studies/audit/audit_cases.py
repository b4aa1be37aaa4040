"""Tables with known answers, and every ranking and every table of a few cases."""

import functools
import itertools
import json
from fractions import Fraction
from pathlib import Path

from capcurve import audit_table

METRICS = {"auc": "roc_auc"}


@functools.cache
def cases(*kinds):
    """Return the cases of some kinds with known answers."""
    found = json.loads((Path(__file__).parent / "cases.json").read_text("utf-8"))
    return [case for case in found if case["kind"] in kinds]


def named(*kinds):
    """Return cases and their names, as pytest takes them."""
    found = cases(*kinds)
    return {"argvalues": found, "ids": [case["name"] for case in found]}


def audited(case, **more):
    """Return the audit of a case."""
    given = dict(case["input"])
    settings = {"positives": given.pop("n1", None), **more}
    if "prevalence" in given:
        settings["prevalence"] = tuple(map(Fraction, given.pop("prevalence")))
    if "cum_share_of_cases" in given:
        shares = given.pop("cum_share_of_cases")
        given = {"selected": [Fraction(share) for share in shares], **given}
    columns = given.pop("columns", {})
    if case["kind"] == "rounded_down":
        settings["rounding"] = "down"
    return audit_table({**given, **columns}, **settings)


def fractions(values):
    """Return fractions written as text."""
    return [None if value is None else Fraction(value) for value in values]


def ends(found):
    """Return the exact ends of a range."""
    return [found.exact[0], found.exact[2]]


def rankings(n, positives):
    """Yield every ranking whose bins hold these cases, as lists of 1 and 0 from the top."""
    inside = [
        [
            [1 if i in chosen else 0 for i in range(size)]
            for chosen in itertools.combinations(range(size), p)
        ]
        for size, p in zip(n, positives, strict=True)
    ]
    for parts in itertools.product(*inside):
        yield [label for part in parts for label in part]


def auc_of(labels):
    """Return the AUC of a ranking without ties."""
    won = below = 0
    for label in reversed(labels):
        won += below if label else 0
        below += 1 - label
    return Fraction(won, below * (len(labels) - below))


def gaps_of(labels):
    """Return the largest gap of a ranking on the side of the positives, and on the other."""
    n1, n0 = sum(labels), len(labels) - sum(labels)
    p = m = 0
    gaps = [Fraction(0)]
    for label in labels:
        p, m = p + label, m + 1 - label
        gaps.append(Fraction(p, n1) - Fraction(m, n0))
    return max(gaps), -min(gaps)


def captured_by(labels, t):
    """Return the share of positives among the first t cases, straight between two cases."""
    whole = int(t)
    part = (t - whole) * labels[whole] if whole < len(labels) else 0
    return Fraction(sum(labels[:whole]) + part) / sum(labels)


def tables(n, n1):
    """Yield every way to put n1 positives into bins."""
    for found in itertools.product(*(range(size + 1) for size in n)):
        if sum(found) == n1:
            yield found


def running(values):
    return list(itertools.accumulate(values))


def ranges(n, p):
    """Return the ends of each number over all orders inside the bins, by the bins alone."""
    down, up = [0, *running(p)], [0, *running([k - a for k, a in zip(n, p, strict=True)])]
    n1, n0, bins = down[-1], up[-1], range(1, len(down))
    low = Fraction(sum(p[b - 1] * (n0 - up[b]) for b in bins), n1 * n0)
    high = Fraction(sum(p[b - 1] * (n0 - up[b - 1]) for b in bins), n1 * n0)
    ends = [Fraction(down[b], n1) - Fraction(up[b], n0) for b in bins]
    ahead = max(Fraction(down[b], n1) - Fraction(up[b - 1], n0) for b in bins)
    behind = max(Fraction(up[b], n0) - Fraction(down[b - 1], n1) for b in bins)
    return {
        "accuracy_ratio": (2 * low - 1, 2 * high - 1),
        "roc_auc": (low, high),
        "ks": (max(map(abs, ends)), max(ahead, behind)),
        "ks_positive": (max(ends), ahead),
        "ks_negative": (-min(ends), behind),
    }


def captured(n, p, q):
    """Return the least and the most that may be captured at a depth."""
    left, before = q * sum(n), 0
    for size, positives in zip(n, p, strict=True):
        if left <= size:
            least = before + max(0, left - (size - positives))
            return Fraction(least) / sum(p), Fraction(before + min(positives, left)) / sum(p)
        left, before = left - size, before + positives
    raise AssertionError
