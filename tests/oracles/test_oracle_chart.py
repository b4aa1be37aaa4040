"""Control charts against paths computed in R, and their climbs against the exact normal CUSUM."""

import json
import math
from collections import defaultdict

import numpy as np
import pytest
from oracle_files import DATA
from scipy.stats import norm

import capcurve as cap
from capcurve.studies.monitoring.control_limit import CellShares, as_initial, cusum_of, simulated

EXPECTED = json.loads((DATA / "cusum_path.json").read_text())
OF_COUNTS = [case for case in EXPECTED["cases"] if "placement_var_positives" in case]


def close(value):
    return pytest.approx(value, abs=1e-12, rel=1e-10)


def thirds():
    """Return the counts of each period; the quality is the better the higher it is."""
    cells = defaultdict(list)
    for cell in EXPECTED["cells"]:
        cells[cell["period"]].append((cell["quality"], cell["bad"], cell["n"] - cell["bad"]))
    return {
        period: cap.ScoreCounts.from_counts(*zip(*rows, strict=True), higher_is="negative")
        for period, rows in cells.items()
    }


@pytest.mark.parametrize("case", OF_COUNTS, ids=lambda case: f"drop {case['drop']}")
def test_the_chart_of_loans(case):
    periods = thirds()
    initial = periods.pop(1)
    found = as_initial(initial)
    assert found.ratio == close(case["initial_ar"])
    assert found.spreads == close(
        (case["placement_var_positives"], case["placement_var_negatives"])
    )
    sizes = [(part.n1, part.n0) for part in periods.values()]
    assert [found.variance(*size) for size in sizes] == close(case["variance"])
    chart = cap.control_chart(periods, initial, drop=case["drop"], limit=3)
    assert chart.table["accuracy_ratio"].tolist() == close(case["ar"])
    assert chart.table["cusum"].tolist() == close(case["cusum"])


@pytest.mark.parametrize("case", EXPECTED["cases"])
def test_paths(case):
    ratios, variances = np.array(case["ar"]), np.array(case["variance"])
    found = cusum_of(ratios, case["initial_ar"], variances, case["drop"])
    assert found.tolist() == close(case["cusum"])


def normal_cells():
    """Return cells of normal scores with an accuracy ratio of 0.6."""
    cuts = np.append(np.linspace(7, -6, 200), -np.inf)
    apart = math.sqrt(2) * norm.ppf(0.8)
    return CellShares(*(np.diff(norm.sf(cuts - centre), prepend=0) for centre in (apart, 0)))


KS = sorted({case["k"] for case in EXPECTED["normal"]})


@pytest.mark.parametrize("k", [KS[0], *(pytest.param(k, marks=pytest.mark.merge) for k in KS[1:])])
def test_large_periods_climb_as_the_cusum_of_normal_numbers(k):
    """With x = (initial - AR)/sd the chart is drop/sd times the CUSUM of x - k, k = drop/(2 sd)."""
    initial, n1, n0 = as_initial(0.6), 2000, 20000
    sd = math.sqrt(initial.variance(n1, n0))
    charts = simulated(initial, normal_cells(), [(n1, n0)] * 24, 2 * k * sd, seed=2) / (2 * k)
    for case in EXPECTED["normal"]:
        for expected in case["no_alarm_after"] if case["k"] == k else ():
            quiet = (charts[: expected["n"]].max(axis=0) <= case["h"]).mean()
            p = expected["p"]
            assert quiet == pytest.approx(p, abs=0.003 + 3 * math.sqrt(p * (1 - p) / 4000))
