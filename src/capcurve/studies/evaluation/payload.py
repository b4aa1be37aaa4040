"""What the script of the page is given: counts at cut-offs, numbers and names, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import Amounts, JointCounts, ScoreCounts, ValueSums
from capcurve.counts.digest import DIGITS_OF_DIGEST
from capcurve.counts.settings import Words, as_words
from capcurve.counts.times import HorizonCounts
from capcurve.curves import perfect_cap
from capcurve.curves.shares import bin_ends
from capcurve.curves.simplify import kept_points, stops as stops_within, stops_of_amounts
from capcurve.gate.given import is_amounts
from capcurve.inference import Band, Comparison, cap_band, difference_band, null_band
from capcurve.inference.paired import difference_columns
from capcurve.metrics import METRICS
from capcurve.numbers.exact import cumulated
from capcurve.numbers.periods import in_time
from capcurve.numbers.plain import plain
from capcurve.numbers.threads import each_at_once
from capcurve.plots.cap import SEED
from capcurve.results.segments import SegmentSummaries
from capcurve.results.selective import certified_share
from capcurve.show.columns import form_of
from capcurve.show.elements import LONGEST_IN_PAGE, file_names
from capcurve.show.format import NO_SEGMENT, cutoff_text, shortened, writable
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from capcurve.numbers.types import Array
    from capcurve.results import Summary, ValueSummary
    from capcurve.studies.evaluation.content import Content
    from capcurve.studies.evaluation.stops import Stops

DIGITS_OF_WEIGHTS = 12
LARGEST_WHOLE = 2.0**53
LONGEST_WORD = 40
# The columns of the table of cut-offs, and what is called otherwise on a page than its column is.
CUTOFF_COLUMNS: dict[str, tuple[str, ...]] = {
    "classes": ("score", "q", "tp", "fp", "fn", "tn", "tpr", "fpr", "precision", "lift"),
    "amounts": ("score", "q", "n", "exposure", "amount", "captured", "mean_amount", "lift"),
}
PAGE_HEADINGS: dict[str, dict[str, str]] = {
    "classes": {
        "n": "cases",
        "q": "selected",
        "ks": "KS",
        "rate": "positive rate",
        "tp": "true positives",
        "fp": "false positives",
        "fn": "false negatives",
        "tn": "true negatives",
        "tpr": "TPR (recall)",
        "fpr": "FPR",
    },
    "amounts": {"n": "cases", "q": "selected"},
}
GRID = 10_000
DIGITS_OF_SEGMENTS = 5
DIGITS_OF_MEANS = 7
# Enough for levels up to .998; above them the page says that there is no band.
PAGE_REPLICATES = 500
# More groups of scores would not be seen, and take long to leave clusters out of.
MOST_GROUPS = 400
MOST_PAIRS = 4
# A long table has so many rows; where there is room for little of each score, more scores than so
# many have no bands.
MOST_ROWS_OF_PAGE, MOST_WITH_BANDS = 100, 20
# Of a band with more points than these every fourth is written.
MANY_POINTS, EVERY = 202, 4
PAGE_DIGITS = 4
OF_MANY = "bands are for fewer scores at once, so none is drawn"
# So many scores are written in full; of more, so many have curves of segments.
SCORES_IN_FULL, FEW_SCORES = 2, 6
# How much a segment holds.
SIZES: dict[str, tuple[str, ...]] = {"classes": ("n", "n1"), "amounts": ("n", "exposure", "amount")}


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of each curve is written."""

    tolerance: float  # how far a drawn curve may lie from the full one
    steps: int  # how many steps of the share selected have a cut-off of their own
    # The same distance for the curves of segments; None to leave these curves out.
    segment_tolerance: float | None
    segments: int  # how many segments are listed at most
    # Whether there is room for little of each score: cut-offs at few round scores, tables of the
    # first scores alone where no script runs, and bands only of a moderate number of scores.
    sparse: bool = False


def detail_of(scores: int, kind: str) -> Detail:
    """Return how much a page of so many scores writes of each, which share the room of many.

    >>> [detail_of(scores, "classes").steps for scores in (1, 2, 6, 100)]
    [400, 200, 50, 10]
    """
    if scores <= SCORES_IN_FULL:
        # Sums of amounts take twice the room of numbers of cases.
        tolerance = 5e-4 if kind == "classes" else 1e-3
        return Detail(tolerance, 400 // max(scores, 1), 1e-2, 200)
    few = scores <= FEW_SCORES
    steps, segments = max(300 // scores, 10), max(300 // scores, 20)
    return Detail(min(4e-4 * scores, 1e-2), steps, 1e-2 if few else None, segments, sparse=True)


def payload(
    evaluation: Content, stops: Mapping[str, Stops], detail: Detail, today: str
) -> dict[str, object]:
    """Return all that the pictures and tables of a page are drawn from."""
    first = next(iter(evaluation.summaries.values()))
    source = None if evaluation.source is None else file_names(evaluation.source)
    words = _words(next(iter(evaluation.counts.values())).words)
    # Of so many scores there are none.
    stripped = detail.sparse and len(stops) > MOST_WITH_BANDS
    bands = {} if stripped else _bands_of(evaluation, stops)
    values = {
        "kind": first.kind,
        "words": words,
        "columns": _forms(evaluation, words),
        "exposed": first.kind == "amounts" and first.has_exposure,
        "title": evaluation.title,
        "source": " · ".join(filter(None, (source, evaluation.clusters))) or None,
        "date": today,
        "version": __version__,
        "prevalence": evaluation.prevalence,
        "money": evaluation.money,
        "opens": certified_share(first),
        "by": evaluation.by and as_words(evaluation.by),
        "ordered": are_ordered(evaluation),
        "tolerance": detail.tolerance,
        "models": [
            {
                **of_score(evaluation, name, found, detail.tolerance),
                "bands": bands.get(name, {"why": OF_MANY}),
                "segments": _segments(evaluation, name, detail),
                "initial": getattr(evaluation.control_charts.get(name), "initial_ar", None),
            }
            for name, found in stops.items()
        ],
        "comparison": None
        if evaluation.comparison is None
        else _tests(evaluation.comparison, MOST_ROWS_OF_PAGE if detail.sparse else None),
        "notCompared": "; ".join(found.message for found in evaluation.not_compared),
        "differences": [] if stripped else differences(evaluation),
    }
    return {key: _clean(value) for key, value in plain(values).items()}


def _words(words: Words) -> dict[str, str]:
    """Return what is selected and captured, alone and as all of it."""
    short = Words(*(shortened(word, LONGEST_WORD) for word in (words.selected, words.captured)))
    return {
        "selected": short.selected,
        "captured": short.captured,
        "allSelected": short.all_selected,
        "allCaptured": short.all_captured,
        "hold": words.contain,
    }


def _forms(evaluation: Content, words: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the form and the heading of each column of the gains tables and of the cut-offs."""
    summaries = evaluation.summaries.values()
    of_gains = (each.gains.columns for each in summaries if each.gains is not None)
    kind = next(iter(summaries)).kind
    own = PAGE_HEADINGS[kind]
    if kind == "amounts":
        captured = words["captured"]
        money = {"exposure": words["selected"], "amount": captured}
        own = {**own, **money, "mean_amount": f"mean {captured}"}
    found: dict[str, tuple[str, str]] = {}
    names = (*CUTOFF_COLUMNS[kind], *(name for each in of_gains for name in each))
    for name in dict.fromkeys(names):
        column = name.removeprefix("cum_")
        before = "" if column == name else "cumulative "
        found[name] = (form_of(name), before + own.get(column, column.replace("_", " ")))
    return found


def _tests(comparison: Comparison, most: int | None) -> dict[str, object]:
    """Return the first so many paired tests, or all, as texts, the same as in a terminal."""
    columns = difference_columns(comparison)
    return {
        "method": comparison.overall.method,
        "folded": f"All {len(comparison.pairs):,} pairs" if comparison.many else None,
        "names": list(columns),
        "rows": [list(row) for row in zip(*columns.values(), strict=True)][:most],
    }


def _clean(value: object) -> object:
    """Return the values with names cut to a length that a screen has use for."""
    if isinstance(value, str):
        return shortened(writable(value), LONGEST_IN_PAGE)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    return value


def of_score(evaluation: Content, name: str, stops: Stops, tolerance: float) -> dict[str, object]:
    """Return one score that has an accuracy ratio as plain values and arrays."""
    counts, summary = evaluation.held(name), evaluation.summaries[name]
    return {
        "name": name,
        "higher": summary.higher_is == "positive",
        "grades": None if summary.levels is None else _written(counts, summary.levels),
        "whole": counts.is_whole,
        "estimated": isinstance(evaluation.counts[name], HorizonCounts),
        "distinct": summary.distinct_scores,
        "level": summary.level,
        "numbers": _numbers(summary),
        **{sums: _rises(running) for sums, running in stops.sums.items()},
        "score": _written(counts, stops.counts.thresholds),
        "reach": stops.reach,
        **_of_kind(evaluation, name, stops, tolerance),
        "best": list(stops.best),
        "spread": None if stops.spread is None else _columns(counts, stops.spread),
        "gains": None
        if summary.gains is None
        else {
            "columns": _columns(counts, summary.gains.columns),
            "note": summary.gains.note,
            "cutoffs": list(summary.gains.cutoffs.items()),
        },
        "digest": (summary.digest or "")[:DIGITS_OF_DIGEST],
    }


def _of_kind(evaluation: Content, name: str, stops: Stops, tolerance: float) -> dict[str, object]:
    """Return what only scores of classes or only those of amounts have."""
    summary = evaluation.summaries[name]
    if summary.kind == "classes":
        return {"ks": stops.ks}
    best = perfect_cap(evaluation.counts[name], absolute=True)
    height = best.y / (float(np.ptp(best.y)) or 1.0)
    places = kept_points(best.x / best.x[-1], height, height, None, tolerance)
    if evaluation.min_cell is not None:  # else the largest amounts could be read off one by one
        places = np.unique(
            np.append(np.arange(0, len(best.x), evaluation.min_cell), len(best.x) - 1)
        )
    return {"signed": summary.signed, "perfect": [_rises(best.x[places]), _rises(best.y[places])]}


def _numbers(summary: Summary | ValueSummary) -> dict[str, list[float | None]]:
    """Return the headline numbers, each with its limits where it has them."""
    if summary.kind == "classes":
        named = {each.name: summary.value(each.name) for each in METRICS.headlines()}
    else:
        named = {"accuracy_ratio": summary.accuracy_ratio, "mean_amount": summary.mean_amount}
    limits = {key: summary.intervals.get(key) or (None, None) for key in named}
    return {key: [value, *limits[key]] for key, value in named.items()}


def _rises(sums: Array) -> list[float]:
    """Return running sums as the rises between them, which are shorter to write."""
    if sums.dtype.kind != "f":
        return [int(sums[0]), *np.diff(sums).tolist()]
    rises = np.diff(sums, prepend=0.0)
    if (rises == np.rint(rises)).all() and np.abs(sums).max() < LARGEST_WHOLE:
        return [int(value) for value in rises]
    return [float(f"{value:.{DIGITS_OF_WEIGHTS}g}") for value in rises]


def _written(counts: ScoreCounts | ValueSums, scores: Iterable[object]) -> Iterable[object]:
    """Return scores as they are, narrow ones as they are typed, and grades as they are named."""
    kind = counts.thresholds.dtype
    if kind.kind == "f" and kind != np.float64:
        return [None if each is None else float(str(kind.type(each))) for each in scores]
    if counts.levels is None:
        return scores
    return [None if grade is None else cutoff_text(grade) for grade in scores]


def _columns(counts: ScoreCounts | ValueSums, columns: Mapping[str, Any]) -> dict[str, object]:
    """Return columns with their scores as they are written."""
    return {
        name: _written(counts, column) if name == "labels" or form_of(name) == "score" else column
        for name, column in columns.items()
    }


def are_ordered(evaluation: Content) -> bool:
    """Tell whether segments follow each other, as months do, so that a line joins them."""
    # Numbers and dates do; names do where they are read in time.
    keys = [key for key in next(iter(evaluation.segment_summaries.values()), {}) if key is not None]
    if any(isinstance(key, tuple) for key in keys):
        return False
    names = any(isinstance(key, str) for key in keys)
    return len(keys) > 1 and (not names or in_time(keys) is not None)


def _segments(evaluation: Content, name: str, detail: Detail) -> list[dict[str, object]]:
    """Return the segments of one score, as many as there is room for."""
    counts = evaluation.segments.get(name, {})
    found = evaluation.segment_summaries.get(name, {})
    limits = found.with_limits if isinstance(found, SegmentSummaries) else found.__getitem__
    summaries = [(key, limits(key)) for key in [*found][: detail.segments]]
    return [
        {
            "key": NO_SEGMENT if key is None else str(key),
            **{name: getattr(summary, name) for name in SIZES[summary.kind]},
            "why": summary.undefined,
            **_rounded(summary),
            "cap": _curve(counts.get(key), summary, detail.segment_tolerance),
        }
        for key, summary in summaries
    ]


def _rounded(summary: Summary | ValueSummary) -> dict[str, list[float | None]]:
    """Return the headline numbers of a segment, short to write."""
    found = _numbers(summary).items()
    return {
        METRICS[key].flag: [None if each is None else _short(each) for each in values]
        for key, values in found
    }


def _short(value: float) -> float:
    """Return a number with as many digits as a table shows."""
    if abs(value) <= 1:
        return round(value, DIGITS_OF_SEGMENTS)
    return float(f"{value:.{DIGITS_OF_MEANS}g}")


def _curve(
    counts: ScoreCounts | Amounts | None, summary: Summary | ValueSummary, tolerance: float | None
) -> list[list[int]] | None:
    """Return the ROC, or CAP of amounts, of a segment: rises of both shares in 1/10,000."""
    if counts is None or tolerance is None or summary.undefined is not None:
        return None
    if is_amounts(counts):
        if counts.signed:
            return None
        sums = counts.vertices
        across, up = cumulated(sums.exposures), cumulated(sums.amounts)
        places = stops_of_amounts(across, up, tolerance, 0)
    else:
        across, up = cumulated(counts.negatives), cumulated(counts.positives)
        places = stops_within(up, across, tolerance, 0)
    shares = (sums[places] / sums[-1] for sums in (across, up))
    return [np.diff(np.rint(GRID * share), prepend=0).astype(int).tolist() for share in shares]


def _bands_of(evaluation: Content, stops: Mapping[str, Stops]) -> dict[str, dict[str, object]]:
    """Return null band and own band of each score, or why there is none."""
    # One of scores that rank at random, for all scores of the same rows.
    chance = cache(lambda n, n1, level: _values(null_band((n, n1), level=level)))

    def found(name: str) -> dict[str, object]:
        return _bands_of_score(evaluation, name, stops[name].counts, chance)

    cells = max((len(each.counts) for each in stops.values()), default=0)
    return dict(zip(stops, each_at_once(found, stops, cells * PAGE_REPLICATES), strict=True))


def _bands_of_score(
    evaluation: Content,
    name: str,
    few: ScoreCounts | ValueSums,
    chance: Callable[[int, int, float], dict[str, object]],
) -> dict[str, object]:
    """Return the null band, where there is one, and the model's own, or why there is none."""
    # `few` are the same cases in fewer cells.
    counts, level = evaluation.held(name), evaluation.summaries[name].level
    if is_amounts(counts) or is_amounts(few):
        return {"why": "bands are for classes, and these are amounts, so none is drawn"}
    if evaluation.prevalence is not None:
        return {"why": "bands are for the prevalence as counted, so none is drawn"}
    try:
        own = cap_band(few, level=level, replicates=PAGE_REPLICATES, seed=SEED)
    except ValueError as error:
        return {"why": str(error)}
    # Labels are dealt to whole cases only.
    dealt = {"chance": chance(counts.n, counts.n1, level)} if counts.is_whole else {}
    return {**dealt, "model": _values(own)}


def _values(band: Band) -> dict[str, object]:
    """Return a band at every few shares, to as many digits as a picture has."""
    step = EVERY if len(band.q) > MANY_POINTS else 1
    kept = np.unique(np.append(np.arange(0, len(band.q), step), len(band.q) - 1))
    told = {name: getattr(band, name) for name in ("name", "kind", "level", "method", "notes")}
    drawn = ("q", "low", "estimate", "high")
    return told | {name: np.round(getattr(band, name)[kept], PAGE_DIGITS) for name in drawn}


def differences(evaluation: Content) -> list[dict[str, object]]:
    """Return the bands of the first score against the others, each with both names."""
    joint = evaluation.joint
    if not isinstance(joint, JointCounts) or evaluation.prevalence is not None:
        return []
    defined = [n for n in joint.names if evaluation.summaries[n].accuracy_ratio is not None]
    if not defined:
        return []
    pairs = [(defined[0], other) for other in defined[1 : 1 + MOST_PAIRS]]
    level = evaluation.summaries[defined[0]].level
    groups = (joined_groups(joint, pair) for pair in pairs)
    try:
        found = [
            difference_band(each, level=level, replicates=PAGE_REPLICATES, seed=SEED)
            for each in groups
        ]
    except ValueError:  # the band of each CAP says why
        return []
    return [
        {**_values(band), "first": first, "second": second}
        for band, (first, second) in zip(found, pairs, strict=True)
    ]


def joined_groups(joint: JointCounts, pair: tuple[str, str]) -> JointCounts:
    """Return the joint counts of two scores, each in no more groups than can be seen."""
    ends = {}
    for name in pair:
        counts = joint.margin(name)
        many = len(counts) > MOST_GROUPS
        ends[name] = bin_ends(counts, MOST_GROUPS) if many else np.arange(len(counts)) + 1
    return joint.joined(ends)
