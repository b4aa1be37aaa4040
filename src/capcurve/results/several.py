"""Several scores or segments in one report: how they differ, and what is amiss in one of them."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from capcurve.counts.given import is_amounts
from capcurve.inference import Comparison, compare, heterogeneity_test
from capcurve.results.findings import (
    CHANCE,
    MANY_SEGMENTS,
    MOST_NAMED,
    is_defined,
    order_in_segment,
    ratio_or_none,
)
from capcurve.show.finding import Finding, gravest_first
from capcurve.show.format import (
    NO_SEGMENT,
    chance_text,
    counted,
    listed,
    number,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from capcurve.counts import Amounts, JointCounts, JointValues, Ranking, ScoreCounts, ValueCounts
    from capcurve.inference import Test
    from capcurve.results.summary import Summary, ValueSummary

# Resampling takes most of a second; a report does without where the textbook law is this far away.
FAR_FROM_DIFFERENT = 0.2
# A report warns of much else; from here to 5% it only informs.
CHANCE_OF_UNLIKE_SEGMENTS = 0.01
# The findings about the order of the cases, the gravest first.
ORDERS = ("reversed", "too_good", "pure_top", "constant_score", "not_concave")
TURNED = "look at how the score is made there: a direction, a unit or a default value may differ"
APART = (
    "the scores were counted apart, so nothing is known of the rows they share and no paired "
    "test is made"
)


def compared(
    names: Collection[str], joint: JointCounts | JointValues | str | None, level: float
) -> tuple[Comparison | None, tuple[Finding, ...]]:
    """Return the paired tests of the scores of a report, or why there are none."""
    if len(names) < 2:  # noqa: PLR2004 - a pair
        return None, ()
    if joint is None or isinstance(joint, str):
        return None, (_left_out(joint or APART),)
    try:
        return compare(joint, metric="accuracy_ratio", level=level), ()
    except ValueError as error:
        return None, (_left_out(f"the scores are not compared: {error}"),)


def _left_out(why: str) -> Finding:
    return Finding(
        "not_compared",
        "info",
        why,
        "count them together (`count_joint`, or `count_joint_values` for amounts, perhaps with "
        "resolution=1e-4) and pass that to `compare`",
    )


def segments_alike(segments: Mapping[Any, ScoreCounts], seed: int) -> Test:
    """Return the test that all segments rank alike, by the textbook law where rows are weighted."""
    parts = segments.values()
    if all(part.groups is not None for part in parts):
        return heterogeneity_test(segments, metric="accuracy_ratio")
    if any(part.weights is not None for part in parts):
        return heterogeneity_test(segments, method="chi2", metric="accuracy_ratio")
    return heterogeneity_test(segments, metric="accuracy_ratio", seed=seed)


def about_segments(
    segments: Mapping[str, Mapping[Any, ScoreCounts | ValueCounts]],
    summaries: Mapping[str, Summary | ValueSummary],
) -> tuple[Finding, ...]:
    """Return what there is to know about segments of each score, beyond what its summary tells."""
    found: list[Finding] = []
    for name, parts in segments.items():
        about = (*orders_of_segments(parts, summaries[name].findings), *_unlike(parts))
        whose = f"{name}: " if len(segments) > 1 else ""
        found += [replace(each, message=whose + each.message) for each in about]
    return gravest_first((*found, *undefined_segments(next(iter(segments.values()), {}))))


def _unlike(segments: Mapping[Any, Any]) -> tuple[Finding, ...]:
    """Return a finding when segments rank unlike; none where that is not tested."""
    if len(segments) > MANY_SEGMENTS or any(map(is_amounts, segments.values())):
        return ()
    try:
        return unlike_segments(segments_alike(segments, 1)) if _may_differ(segments) else ()
    except ValueError:  # fewer than two segments with both classes
        return ()


def _may_differ(segments: Mapping[Any, ScoreCounts]) -> bool:
    """Tell whether the textbook law leaves it open that segments differ."""
    try:
        found = heterogeneity_test(segments, method="chi2", metric="accuracy_ratio")
    except ValueError:  # too few cases of a class in a segment
        return True
    return found.p_value <= FAR_FROM_DIFFERENT


def undefined_segments(segments: Mapping[object, Ranking | Amounts]) -> tuple[Finding, ...]:
    """Return a finding when some segments lack a class, or amounts that differ."""
    lacking = [str(key) for key, counts in segments.items() if not is_defined(counts)]
    if not lacking:
        return ()
    amounts = any(is_amounts(counts) for counts in segments.values())
    what = "no amounts that differ" if amounts else "only one class"
    shown = listed(lacking, 5)
    return (
        Finding(
            "undefined_segments",
            "warning",
            f"{len(lacking)} of {len(segments)} segments have {what}: {shown}",
            "their accuracy ratio is undefined; their cases still count in the total",
        ),
    )


def orders_of_segments(
    segments: Mapping[object, Ranking | Amounts], whole: Iterable[Finding] = ()
) -> tuple[Finding, ...]:
    """Return the gravest findings about the order inside segments, whose p-values are adjusted."""
    # What was found of the `whole` is not said of its segments again.
    known = {finding.code for finding in whole}
    parts = [(_shown(key), counts) for key, counts in segments.items() if is_defined(counts)]
    found = [
        (ORDERS.index(each.code), ratio_or_none(counts) or 0.0, key, each)
        for key, counts in parts
        for each in order_in_segment(counts, len(parts))
        if each.code not in known
    ]
    shown = sorted(found, key=itemgetter(0, 1, 2))[:MOST_NAMED]
    left = len(found) - len(shown)
    ends = [""] * (len(shown) - 1) + [
        f"; {counted(left, 'such finding')} not shown" if left else ""
    ]
    return tuple(
        replace(
            each,
            code=f"segment_{each.code}",
            message=f"segment {key}: {each.message}{end}",
            advice=TURNED if each.code == "reversed" else each.advice,
        )
        for (_, _, key, each), end in zip(shown, ends, strict=False)
    )


def _shown(key: object) -> str:
    return NO_SEGMENT if key is None else shortened(str(key)) or repr("")


def unlike_segments(test: Test) -> tuple[Finding, ...]:
    """Return a finding when segments differ in how well the score ranks."""
    if not test.p_value <= CHANCE:
        return ()
    low, *_, high = sorted(test.estimates, key=lambda key: (test.estimates[key], key))
    ratios = [f"{number(test.estimates[key])} in {_shown(key)}" for key in (low, high)]
    return (
        Finding(
            "unlike_segments",
            "warning" if test.p_value <= CHANCE_OF_UNLIKE_SEGMENTS else "info",
            "segments differ in how well the score ranks by more than chance explains "
            f"({chance_text(test.p_value)}): the accuracy ratio is {' and '.join(ratios)}",
            "quote the accuracy ratio of each segment; see how the score is made where it is low",
        ),
    )
