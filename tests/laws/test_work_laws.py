"""What public functions do does not grow faster than rows, nor by very many arrays as long.

Counted, not timed: calls of Python functions, and bytes of what is made, at two numbers of rows.
"""

import gc
import runpy
import sys
import tracemalloc
from pathlib import Path

import matplotlib as mpl
import pytest

SWEEP = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "sweep.py"))
CALLS, Rows, forgotten = (SWEEP[name] for name in ("CALLS", "Rows", "forgotten"))
FEW, MANY, LOADING = 2500, 10_000, 500
# Four times the rows make no more than so many times the calls, and so many of a thicker machinery.
MORE_CALLS, CALLS_OF_MACHINERY = 1.3, 1000
# Arrays of eight bytes for each further row that a call makes in all, one after another.
MOST_ARRAYS = 2500
# Of what grows by more: laws of small samples are exact, groups of clusters and points of curves
# are as many as the rows allow, each up to a number.
GROWING = {
    "confidence_interval accuracy_ratio (clustered)": 2,
    "evaluate with clusters": 2,
    "evaluate, page": 3,
    "evaluate of three, page": 1.8,
    "ks_test (counts)": 8,
    "null_band (counts)": 8,
    "simulate_random_cap": 4.2,
    "summarize with clusters (clustered)": 2,
    "unknown_bounds with odds (partial)": 3,
}
# Of what makes more: samples of few rows are dealt row by row, and curves of few points have limits
# at each, up to a number.
LONGER = {
    "compare_groups (parts)": 20_000,
    "confidence_interval average_precision, bootstrap": 9000,
    "control_chart of months": 4500,
    "evaluate, page": 5000,
    "evaluate of three, page": 5000,
    "heterogeneity_test by month (months)": 6000,
    "plot_risk_coverage (counts)": 4000,
    "plot_toc (trial)": 4000,
    "plot_uplift (trial)": 4000,
    "summarize selective (counts)": 4000,
}


def work(call, rows):
    """Return how many Python functions a call calls, and how many bytes it makes."""
    given, calls, made, held = Rows(rows), 0, 0, 0

    def seen(_frame, event, _arg):
        nonlocal calls, made, held
        calls += event == "call"
        now, peak = tracemalloc.get_traced_memory()
        made += max(peak - held, 0)
        held = now
        tracemalloc.reset_peak()

    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        sys.setprofile(seen)
        call(given)
    finally:
        sys.setprofile(None)
        tracemalloc.stop()
        gc.enable()
    return calls, made


@pytest.mark.turns(40)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_work_grows_as_rows_do(name):
    mpl.use("Agg")
    CALLS[name](Rows(LOADING))
    (few_calls, few), (many_calls, many) = (work(CALLS[name], rows) for rows in (FEW, MANY))
    assert many_calls <= GROWING.get(name, MORE_CALLS) * few_calls + CALLS_OF_MACHINERY
    assert (many - few) / (MANY - FEW) / 8 <= LONGER.get(name, MOST_ARRAYS)


def test_every_public_function_is_called():
    assert forgotten() == []
    assert not (GROWING.keys() | LONGER.keys()) - CALLS.keys()


def test_a_call_for_each_row_and_many_arrays_are_seen():
    def one(row):
        return row

    def by_row(given):
        return [one(row) for row in range(given.rows)]

    def longer(column):
        return column + 1

    def over_and_over(given):
        return [longer(given.s).sum() for _ in range(500)]

    (few, _), (many, _) = (work(by_row, rows) for rows in (FEW, MANY))
    assert many - few == MANY - FEW
    (_, few), (_, many) = (work(over_and_over, rows) for rows in (FEW, MANY))
    assert (many - few) / (MANY - FEW) / 8 == pytest.approx(500, rel=0.05)
