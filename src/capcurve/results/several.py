"""Several scores or segments in one report: how they differ, and what is amiss in one of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve import inference
from capcurve.counts import Amounts, JointCounts, JointValues, Ranking, ScoreCounts, ValueCounts
from capcurve.counts.times import taken_by
from capcurve.gate.given import is_amounts
from capcurve.numbers.arguments import arg
from capcurve.results.findings import (
    CHANCE,
    MANY_SEGMENTS,
    MOST_NAMED,
    has_accuracy_ratio,
    order_in_segment,
    ratio_or_none,
)
from capcurve.results.known import LIFT_SHARE, interval_or_none, outline
from capcurve.show.columns import ColumnName
from capcurve.show.format import (
    MISSING,
    NO_SEGMENT,
    Worded,
    chance_text,
    counted,
    limits,
    listed,
    number,
    percent,
    shortened,
    stated_percent,
    written,
)
from capcurve.show.presentation import Finding, gravest_first
from capcurve.show.result import Record
from capcurve.tables.thresholds import as_shown, nearest_point

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from capcurve.inference import Comparison, Test
    from capcurve.numbers.types import Array, Bools
    from capcurve.results.summary import Summary, ValueSummary

# Resampling takes most of a second; a report does without where the textbook law is this far away.
FAR_FROM_DIFFERENT = 0.2
CHANCE_OF_UNLIKE_SEGMENTS = 0.01  # a report warns of much else; from here to 5% it only informs
NEAREST = (
    "each score selects whole groups of tied cases, so its cut-off is the one nearest to this "
    "share; intervals are for the share captured"
)
# The findings about the order of the cases, the gravest first.
ORDERS = ("reversed", "too_good", "pure_top", "constant_score", "not_concave")
TURNED = "look at how the score is made there; a direction, unit or default value may differ"
HORIZONS_APART = "numbers by several horizons are not compared"
COUNT_TOGETHER = (
    "count them together (`count_joint`, or `count_joint_values` for amounts, perhaps with {}) and "
    "pass that to `compare`"
)
COUNTED_APART = (
    "the scores were counted separately, so the rows they share are unknown and no paired test is "
    "possible"
)


def compared_scores(
    whole: Mapping[str, Ranking | Amounts],
    joint: JointCounts | JointValues | str | None,
    level: float,
) -> tuple[Comparison | None, tuple[Finding, ...]]:
    """Return the paired tests of the scores of a report, or why there are none."""
    taken = [taken_by(counts) for counts in whole.values()]
    by_horizons = all(taken) and len({id(found[0]) for found in taken if found}) == 1
    if len(whole) < 2 or by_horizons:  # noqa: PLR2004 - a pair
        return None, ()
    if joint is None or isinstance(joint, str):
        return None, (_left_out(joint or COUNTED_APART),)
    try:
        return inference.compare(joint, metric="accuracy_ratio", level=level), ()
    except ValueError as error:
        return None, (_left_out(f"the scores are not compared: {error}"),)


def _left_out(why: str) -> Finding:
    advice = COUNT_TOGETHER.format(arg(resolution=1e-4))
    if why == HORIZONS_APART:
        advice = "ask for one horizon, by which several scores are compared"
    return Finding("not_compared", "info", why, advice)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtShare(Record):
    """What several scores of the same rows select at one share of the cases.

    Attributes
    ----------
    share
        The share that was asked for; each score selects the whole groups of tied cases that come
        nearest to it.
    scores
        A row per score: its cut-off, what it selects and captures there.
    swap_set
        A row for what both of two scores select, and one for what each selects alone: the first
        score and the best of the others.
    """

    share: float
    scores: tuple[Mapping[str, Any], ...]
    swap_set: tuple[Mapping[str, Any], ...]


def at_share(
    joint: JointCounts | JointValues | str | None,
    summaries: Mapping[str, Summary | ValueSummary],
    whole: Mapping[str, Ranking | Amounts],
    money: tuple[float, float] | None = None,
) -> AtShare | None:
    """Return what scores counted together select at the top 10%; None where it is not known."""
    # Of a stated prevalence it is not, nor of amounts below 0. `whole` are the counts of each
    # score, perhaps of more rows; `money` are value and cost.
    first = next(iter(summaries.values()), None)
    if joint is None or isinstance(joint, str) or len(summaries) == 1 or first is None:
        return None
    if any(each.accuracy_ratio is None for each in summaries.values()) or (
        first.signed if first.kind == "amounts" else first.stated_prevalence is not None
    ):
        return None
    rows: list[dict[str, Any]] = []
    selected = {}
    for name, summary in summaries.items():
        counts = _margin(joint, name, whole[name])
        cells = counts.by_score() if is_amounts(counts) else counts
        place, point = nearest_point(cells, LIFT_SHARE)
        scores = joint.scores[joint.names.index(name)]
        selected[name] = _among_first(scores, cells, place)
        at = {"q": point.q, "level": summary.level}
        near = counts if is_amounts(counts) else outline(counts, [point.q], bins=1)
        low, high = interval_or_none(near, "captured_response", **at) or (None, None)
        rows.append(
            {
                "score": name,
                "higher_is": summary.higher_is,
                "threshold": as_shown(cells, point.threshold),
                "selected": point.q,
                **_parts(joint, selected[name]),
                "captured": point.captured,
                "captured_low": low,
                "captured_high": high,
                "lift": point.lift,
            }
        )
    if money is not None:
        (value, cost), of_classes = money, isinstance(joint, JointCounts)
        brings, costs = ("positives", "n") if of_classes else ("amount", "exposure")
        for row in rows:
            row["profit"] = value * float(row[brings]) - cost * float(row[costs])
    first_name, *others = summaries
    best = max(others, key=lambda name: summaries[name].accuracy_ratio or 0.0)
    one, other = selected[first_name], selected[best]
    swap = {"both": one & other, first_name: one & ~other, best: other & ~one}
    parts = tuple({"selected_by": who, **_parts(joint, cells)} for who, cells in swap.items())
    return AtShare(share=LIFT_SHARE, scores=tuple(rows), swap_set=parts)


def _margin(joint: JointCounts | JointValues, name: str, own: Ranking | Amounts) -> Any:
    """Return the counts of one score in the joint rows: its own, if they are of the same rows."""
    plain = type(own) is ScoreCounts and own.weights is None and own.taken is None
    if plain and (own.n, own.resolution) == (joint.n, joint.resolution):
        return own
    return joint.margin(name)


def _among_first(scores: Array, cells: Any, place: int) -> Bools:
    """Return which scores are among the first ones of their counts."""
    if place == 0:
        return np.zeros(len(scores), dtype=np.bool_)
    last = cells.score[place - 1]
    return np.asarray(scores >= last if cells.higher_is == "positive" else scores <= last)


def share_tables(
    found: AtShare, level: float, captured: str = "amount"
) -> dict[str, dict[str, list[object]]]:
    """Return what scores select at one share, and what two of them would exchange, by caption."""
    # `captured` is what an amount is called.
    heads = {"n": "cases", "amount": ColumnName(captured, "quantity")}
    heads["mean_amount"] = ColumnName(f"mean {captured}", "quantity")
    digits = 3 if any(_reads_whole(each["selected"]) for each in found.scores) else 1
    within = f"{stated_percent(level)} interval"
    rows: list[dict[str, object]] = []
    for each in found.scores:
        row = {heads.get(key, key): value for key, value in each.items()}
        row["threshold"] = _rule(each["threshold"], row.pop("higher_is"))
        row["selected"] = Worded(each["selected"], percent(each["selected"], digits))
        low, high = row.pop("captured_low"), row.pop("captured_high")
        interval = limits("share", low, high) or MISSING
        at = list(row).index("captured") + 1
        rows.append(dict([*[*row.items()][:at], (within, interval), *[*row.items()][at:]]))
    heads |= {"precision": "rate", "selected_by": "selected by"}
    names = [each["selected_by"] for each in found.swap_set[1:]]
    whose = ("both", *(f"{name} only" for name in names))
    parts = [
        {heads.get(key, key): value for key, value in {**each, "selected_by": who}.items()}
        for who, each in zip(whose, found.swap_set, strict=True)
    ]
    share = stated_percent(found.share)
    return {
        f"At the cut-off nearest to the top {share}": _by_column(rows),
        f"Selected there by only one of {' and '.join(names)}, or by both": _by_column(parts),
    }


def _reads_whole(share: float) -> bool:
    """Return whether a share would read as a whole percent, which it is not.

    >>> _reads_whole(0.1), _reads_whole(0.10004), _reads_whole(0.123)
    (False, True, False)
    """
    return percent(share).endswith(".0%") and not percent(share, 3).endswith("000%")


def _rule(threshold: object, higher_is: object) -> object:
    """Return a cut-off with the side that it selects; a grade and none as they are."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.number):
        return threshold
    return f"{'≥' if higher_is == 'positive' else '≤'} {written('score', threshold)}"


def _by_column(rows: Sequence[Mapping[str, object]]) -> dict[str, list[object]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def _parts(joint: JointCounts | JointValues, cells: Bools) -> dict[str, Any]:
    """Return how many cases some cells hold, what they capture, and the rate of that."""
    if isinstance(joint, JointCounts):
        positives, negatives = (each[cells].sum() for each in joint.sums)
        n, captured = (positives + negatives).item(), positives.item()
        return {"n": n, "positives": captured, "precision": captured / n if n else None}
    times = joint.n[cells]
    n, captured = int(times.sum(dtype=np.int64)), float((joint.amount[cells] * times).sum())
    exposure = n if joint.exposure is None else float((joint.exposure[cells] * times).sum())
    found = {"n": n, "exposure": exposure, "amount": captured}
    return {**found, "mean_amount": captured / exposure if exposure else None}


def segments_alike(segments: Mapping[Any, ScoreCounts], seed: int) -> Test:
    """Return the test that all segments rank alike, by the textbook law where rows are weighted."""
    parts = segments.values()
    if all(part.groups is not None for part in parts):
        return inference.heterogeneity_test(segments, metric="accuracy_ratio")
    if any(part.weights is not None for part in parts):
        return inference.heterogeneity_test(segments, method="chi2", metric="accuracy_ratio")
    return inference.heterogeneity_test(segments, metric="accuracy_ratio", seed=seed)


def about_segments(
    segments: Mapping[str, Mapping[Any, ScoreCounts | ValueCounts]],
    summaries: Mapping[str, Summary | ValueSummary],
    tests: Mapping[str, Test],
) -> tuple[Finding, ...]:
    """Return what there is to know about segments of each score, beyond what its summary tells."""
    found: list[Finding] = []
    for name, parts in segments.items():
        unlike = unlike_segments(tests[name]) if name in tests else ()
        about = (*orders_of_segments(parts, summaries[name].findings), *unlike)
        whose = f"{name}: " if len(segments) > 1 else ""
        found += [replace(each, message=whose + each.message) for each in about]
    return gravest_first((*found, *undefined_segments(next(iter(segments.values()), {}))))


def tests_of_segments(
    segments: Mapping[str, Mapping[Any, ScoreCounts | ValueCounts]],
) -> dict[str, Test]:
    """Return for each score the test that its segments rank alike, where it is made."""
    found = {name: _alike(parts) for name, parts in segments.items()}
    return {name: test for name, test in found.items() if test is not None}


def _alike(segments: Mapping[Any, Any]) -> Test | None:
    """Return the test that segments rank alike; None where that is not tested."""
    if len(segments) > MANY_SEGMENTS or any(map(is_amounts, segments.values())):
        return None
    with suppress(ValueError):  # too few cases of a class in a segment
        found = inference.heterogeneity_test(segments, method="chi2", metric="accuracy_ratio")
        if found.p_value > FAR_FROM_DIFFERENT:
            return found
    try:
        return segments_alike(segments, 1)
    except ValueError:  # fewer than two segments with both classes
        return None


def segments_sentence(test: Test, by: str) -> str:
    """Return whether segments differ in how well the score ranks, in one sentence."""
    chance = chance_text(test.p_value)
    if not test.p_value <= CHANCE:
        return f"The accuracy ratio does not differ significantly by {by} ({chance})."
    said = f"The accuracy ratio differs by {by} more than chance explains ({chance})"
    return f"{said}, from {' to '.join(_lowest_and_highest(test))}."


def _lowest_and_highest(test: Test) -> list[str]:
    """Return the lowest and the highest accuracy ratio with their segments."""
    low, *_, high = sorted(test.estimates, key=lambda key: (test.estimates[key], key))
    return [f"{number(test.estimates[key])} in {_shown(key)}" for key in (low, high)]


def undefined_segments(segments: Mapping[object, Ranking | Amounts]) -> Iterator[Finding]:
    """Yield that some segments lack a class, or amounts that differ."""
    lacking = [_shown(key) for key, counts in segments.items() if not has_accuracy_ratio(counts)]
    if lacking:
        amounts = any(is_amounts(counts) for counts in segments.values())
        what = "no amounts that differ" if amounts else "only one class"
        shown, verb = listed(lacking, 5), "has" if len(lacking) == 1 else "have"
        said = f"{len(lacking)} of {len(segments)} segments {verb} {what}: {shown}"
        advice = "their accuracy ratio is undefined; their cases still count in the total"
        yield Finding("undefined_segments", "warning", said, advice)


def orders_of_segments(
    segments: Mapping[object, Ranking | Amounts], whole: Iterable[Finding] = ()
) -> tuple[Finding, ...]:
    """Return the gravest findings about the order inside segments, whose p-values are adjusted."""
    # What was found of the `whole` is not said of its segments again.
    known = {finding.code for finding in whole}
    parts = [(_shown(key), part) for key, part in segments.items() if has_accuracy_ratio(part)]
    found = [
        (ORDERS.index(each.code), ratio_or_none(counts) or 0.0, key, each)
        for key, counts in parts
        for each in order_in_segment(counts, len(parts))
        if each.code not in known
    ]
    shown = sorted(found, key=itemgetter(0, 1, 2))[:MOST_NAMED]
    left = len(found) - len(shown)
    more = f"; {counted(left, 'such finding')} not shown" if left else ""
    return tuple(
        replace(
            each,
            code=f"segment_{each.code}",
            message=f"segment {key}: {each.message}{more if place == len(shown) else ''}",
            advice=TURNED if each.code == "reversed" else each.advice,
        )
        for place, (_, _, key, each) in enumerate(shown, 1)
    )


def _shown(key: object) -> str:
    return NO_SEGMENT if key is None else shortened(str(key)) or repr("")


def unlike_segments(test: Test) -> tuple[Finding, ...]:
    """Return a finding when segments differ in how well the score ranks."""
    if not test.p_value <= CHANCE:
        return ()
    grave = test.p_value <= CHANCE_OF_UNLIKE_SEGMENTS
    said = "segments differ in how well the score ranks by more than chance explains"
    ends = f"the accuracy ratio is {' and '.join(_lowest_and_highest(test))}"
    said += f" ({chance_text(test.p_value)}): {ends}"
    advice = "quote the accuracy ratio of each segment; see how the score is made where it is low"
    return (Finding("unlike_segments", "warning" if grave else "info", said, advice),)
