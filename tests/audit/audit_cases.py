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
