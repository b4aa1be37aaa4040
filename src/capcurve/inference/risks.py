"""Intervals of the error rate among the surest cases, and of the work that a score saves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.curves.kinds import Errors, as_errors
from capcurve.curves.shares import cutoff_shares, sample_rate, shares
from capcurve.curves.simplify import grouped_neighbours
from capcurve.inference import designs
from capcurve.inference.influence_limits import metric_interval
from capcurve.inference.limits import ByError, around, crossing, cut_at_ends, envelope
from capcurve.inference.rates import both_limits
from capcurve.inference.selections import share_interval
from capcurve.inference.top_share import last_selected, majorant_slopes, own_slopes
from capcurve.metrics import METRICS, Metric
from capcurve.metrics.areas import by_class, share_needed
from capcurve.metrics.risk import moves_of_classes
from capcurve.numbers.arguments import as_share

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits
    from capcurve.metrics.risk import Moves
    from capcurve.numbers.types import Floats

SHARE_TOLERANCE = 1e-6  # how closely the share of cases is searched for


def metric_at_coverage(coverage: float, errors: Errors = "positives") -> Metric:
    """Return the selective risk at a coverage, which tells how far each case moves it."""
    known = METRICS["selective_risk"].given(coverage=coverage, errors=errors)

    def moves(counts: ScoreCounts) -> Moves:
        turned = as_errors(counts, errors).every_score()
        return moves_of_classes(errors, by_class(sample_rate(turned), _moves(turned, coverage)))

    return replace(known, influence=moves, needs=(), options=())


def _moves(counts: ScoreCounts, coverage: float) -> Moves:
    """Return how far each error, and each right answer, moves the risk at a coverage."""
    # Cases that push others out at the cut-off do so at the rate of errors there: that of the
    # majorant of the CAP, or of a score with enough cases of its own. The slope that gives more
    # counts.
    rate, inside, slopes = sample_rate(counts), np.ones(len(counts)), [0.0]
    if coverage < 1:
        x, y, _ = cutoff_shares(counts)
        cell, part = last_selected(shares(counts).cases, 1 - coverage)
        inside[:cell], inside[cell] = 0.0, 1 - part
        slopes = [*majorant_slopes(x, y, 1 - coverage), *own_slopes(counts, 1 - coverage)]
    held = float((counts.positives * inside).sum(dtype=np.float64)) / float(counts.n)
    found = []
    for slope in sorted(set(slopes)):
        pushed = -held - rate * slope * (inside - coverage)
        found.append(((inside + pushed) / coverage, pushed / coverage))
    return max(found, key=lambda each: float(_squares(counts, each).sum()))


def _squares(counts: ScoreCounts, moves: Moves) -> Floats:
    """Return what each class at each score adds to the variance of a mean of all cases."""
    by_mean = by_class(sample_rate(counts), moves)
    pairs = zip(designs.squared_masses(counts), by_mean, strict=True)
    return np.concatenate([mass * moved**2 for mass, moved in pairs])


def risk_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of the error rate among the surest cases."""
    # "envelope" limits are Clopper & Pearson's of the cases answered, moved out by what chance does
    # to the cut-off; "jackknife" leaves out groups of clusters, which may show hardly a spread of
    # few errors, and is never narrower than those.
    counts, sure, coverage = request.counts.every_score(), request.confidence, request.coverage
    metric = metric_at_coverage(coverage, request.errors)
    turned = replace(as_errors(counts, request.errors).every_score(), groups=None)
    risk, n = min(metric.value(counts), 1.0), designs.effective_cases(turned)
    se = None
    if min(turned.n1, turned.n0) > 0:
        squares = _squares(turned, _moves(turned, coverage)) * (n / max(n - 1, 1))
        se = float(np.sqrt(squares.sum()))
    limits = _with_cutoff(risk, se or 0.0, n, coverage, sure)
    if method == "wald" and se is not None:
        alike = np.concatenate(designs.equal_rows(turned))
        df = designs.freedom_of_squares(squares, n, max(n - 1, 1.0), alike)
        limits = ByError(risk, se, sure.t(df)).plain
    limits, notes = cut_at_ends(limits, (0.0, 1.0), "the selective risk")
    if method == "jackknife":
        found = metric_interval(counts, metric)(sure)
        if found.se is not None:
            low, high = envelope(found.limits, sure.opened(limits, (0.0, 1.0)))
            return replace(found, low=low, high=high)
        se = None
    return sure.interval(risk, around(limits, risk), (0.0, 1.0), method, se, notes)


def _with_cutoff(risk: float, se: float, n: float, coverage: float, sure: Confidence) -> Limits:
    """Return limits of a risk as of a rate of the cases answered, moved out by the cut-off."""
    # Chance moves the rate and which cases are answered: both distances are squared and added
    # (Zou & Donner 2008, Stat. Med. 27). Each grows, or stays, with the number of errors.
    low, high = both_limits(risk * coverage * n, coverage * n, "clopper_pearson", sure)
    of_rate = risk * (1 - risk) / coverage / max(n - 1, 1)
    moved = sure.z * np.sqrt(max(se**2 - of_rate, 0.0))
    return risk - float(np.hypot(risk - low, moved)), risk + float(np.hypot(high - risk, moved))


def saved_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of the work saved over sampling."""
    # The shares of cases that may be needed are those whose captured response may be as large.
    counts, sure = request.counts.every_score(), request.confidence
    wanted = float(as_share(request.captured, "captured", some=True))
    needed = share_needed(counts, wanted)
    both = replace(sure, side="both", missed=sure.tail)
    near = grouped_neighbours(counts, designs.LEFT_OUT_CELLS)
    at = replace(request, counts=near, name="captured_response", confidence=both)

    def limits(q: float) -> Limits:
        return share_interval(at.told(q=q), method).limits if q > 0 else (0.0, 0.0)

    fewest = crossing(lambda q: limits(q)[1] < wanted, needed, SHARE_TOLERANCE)
    most = 1 - crossing(lambda rest: limits(1 - rest)[0] > wanted, 1 - needed, SHARE_TOLERANCE)
    found, ends = wanted - needed, (wanted - 1, wanted)
    saved = around((wanted - most, wanted - fewest), found)
    return sure.interval(found, saved, ends, method, None)
