"""PDs of distinct scores, as scores or beside them, and counts put in their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from capcurve.counts.joint import JointCounts, PdColumn
from capcurve.counts.scores import ScoreCounts
from capcurve.counts.table import built, summed, wide
from capcurve.counts.times import TimeCounts, taken_by
from capcurve.numbers.arguments import arg, as_number, refused, spoken, told
from capcurve.numbers.meeting import as_written, rounded_to
from capcurve.numbers.order import places_in

if TYPE_CHECKING:
    from capcurve.counts.rank_totals import Ranking
    from capcurve.numbers.types import Floats

MOST_SCORES_NAMED = 10


def pd_in_segment(pd: Any, segment: Any) -> Any:
    """Return the PDs of the cases of one segment, of those that are in a column of their own."""
    return replace(pd, joint=pd.segments[segment]) if isinstance(pd, PdColumn) else pd


def counts_by_pd(counts: Ranking | JointCounts, pd: Any) -> ScoreCounts:
    """Return the same cases by their PDs, the riskiest first; equal PDs are one score.

    >>> graded = ScoreCounts.from_counts(["B", "A"], [3, 1], [5, 9], levels=["B", "A"])
    >>> counts_by_pd(graded, {"B": 0.2, "A": 0.05}).thresholds
    array([0.2 , 0.05])
    """
    if isinstance(pd, PdColumn):
        counts, pd = pd.joint, pd.name
    if isinstance(counts, JointCounts):
        if not isinstance(pd, str) or pd not in counts.names:
            raise ValueError(
                "of joint counts name the score that holds the PDs, pd=, out of "
                f"{', '.join(map(repr, counts.names))}; got pd={told(pd)}"
            )
        return counts_by_pd(counts.margin(pd), "score")
    if counts.times is not None:
        return cast("ScoreCounts", _at_horizon(counts, pd))
    cells = counts.every_score()
    pds = pds_of(cells, pd)
    if isinstance(pd, str):
        return cells
    given = np.asarray(pd).dtype
    if given.kind == "f":  # as wide as they came, so that thresholds meet them
        pds = pds.astype(given)

    def moved(part: ScoreCounts) -> Any:
        return summed([pds[places_in(cells, part.score)]], [part])

    fields = {**cells.fields(), "higher_is": "positive", "levels": None, "resolution": None}
    groups = cells.groups and tuple(
        built(ScoreCounts, moved(part), None, {**fields, "dropped": part.dropped})
        for part in cells.groups
    )
    return built(ScoreCounts, moved(cells), groups, fields)


def all_cases(counts: Ranking) -> ScoreCounts:
    """Return the cases at each score, at a horizon also those that were censored before."""
    if counts.times is None or (taken := taken_by(counts)) is None:
        return counts.every_score()
    return cast("ScoreCounts", counts.times.known_at(taken[1]).cases.held)


def _at_horizon(counts: Any, pd: Any) -> Any:
    """Return the same rows by their PDs, which those that were censored before have too."""
    every = all_cases(counts)
    pds = pds_of(every, pd)
    if isinstance(pd, str):
        return counts

    def moved(times: TimeCounts) -> TimeCounts:
        keys = (pds[places_in(every, times.score)], *times.keys[1:])
        fields = {**times.fields(), "higher_is": "positive", "levels": None, "resolution": None}
        groups = times.groups and tuple(map(moved, times.groups))
        return times.of_rows(keys, wide(times.cases), **fields, strata=times.strata, groups=groups)

    return moved(counts.times).at(counts.horizon, competing=counts.competing)


def _elsewhere() -> str:
    return f"name or pass the PDs with {arg('pd')}"


def pds_of(counts: ScoreCounts, pd: Any, instead: str | None = None) -> Floats:
    """Return one PD per distinct score; errors tell what to do instead."""
    if isinstance(pd, str):
        if pd != "score":
            raise ValueError(
                f'pd must be "score", or one PD per distinct score; got {told(pd)}. For PDs from '
                'another column count both: count_joint(y, {"score": s, "pd": p}), with score= '
                "and pd="
            )
        if counts.higher_is != "positive":
            raise ValueError(
                f"the scores are no PDs: a higher one is less likely positive; "
                f"{instead or _elsewhere()}"
            )
        return checked_pds(numbers_of(counts, instead), counts.thresholds, instead)
    names = as_written(counts.thresholds).tolist()
    pd = _by_label(pd, names)
    if isinstance(pd, Mapping):
        refuse_unknown_grades(pd, counts)
        if counts.levels is None:
            dtype = counts.thresholds.dtype
            pd = {as_written(rounded_to(key, dtype)).item(): pd[key] for key in pd}
        lacking = [name for name in names if name not in pd]
        if lacking:
            raise ValueError(
                f"{spoken('pd has no PD for')} score {told(lacking[0])}"
                + (f" and {len(lacking) - 1} others" if len(lacking) > 1 else "")
            )
        pd = [pd[name] for name in names]
    found = _as_floats(pd)
    if found.shape != (len(names),):
        raise ValueError(
            f"{refused('pd')} hold one PD per distinct score, {len(names)} in the order of "
            f"counts.thresholds; got {told(pd) if found.ndim != 1 else len(found)}"
        )
    return checked_pds(found, names)


def _by_label(pd: Any, names: list[Any]) -> Any:
    """Return PDs whose index names the scores as a mapping, and others as they are."""
    if isinstance(pd, Mapping) or not (hasattr(pd, "items") and hasattr(pd, "index")):
        return pd
    labels = list(pd.index)
    numbered = labels == list(range(len(labels)))
    if labels == names or (numbered and set(labels) != set(names)):
        return pd
    if numbered or not pd.index.is_unique:
        raise ValueError(
            "the index of pd does not show which PD belongs to which score; pass {score: pd}, or "
            ".to_numpy() for the order of counts.thresholds"
        )
    return dict(pd.items())


def grades_of(*several: Ranking) -> list[Any]:
    """Return the names of the scores that there are, of grades those of the whole scale."""
    scales = (counts.levels or counts.every_score().thresholds for counts in several)
    return [name for scale in scales for name in scale]


def refuse_unknown_grades(
    pd: Mapping[Any, Any], *several: Ranking, called: Callable[[Any], Any] = lambda score: score
) -> None:
    """Raise ValueError for a PD of what is neither a score nor could be one.

    Of numbers a portfolio may have some only; levels name the whole scale.
    """
    known = dict.fromkeys(map(called, grades_of(*several)))
    numbered = any(counts.levels is None for counts in several)
    unknown = [name for name in pd if name not in known and not (numbered and _is_number(name))]
    if unknown:
        more = ", …" if len(known) > MOST_SCORES_NAMED else ""
        raise ValueError(
            f"{spoken('pd has a PD for')} {told(unknown[0])}, which is none of the scores, "
            f"{', '.join(map(told, list(known)[:MOST_SCORES_NAMED]))}{more}"
        )


def _is_number(name: Any) -> bool:
    try:
        float(name)
    except (TypeError, ValueError):
        return False
    return True


def numbers_of(counts: ScoreCounts, instead: str | None = None) -> Floats:
    """Return distinct scores as numbers, which no grid has made smaller."""
    if counts.levels is not None or counts.thresholds.dtype.kind not in "iuf":
        found = told(counts.thresholds.tolist()[0]) if len(counts) else "none"
        raise ValueError(
            f"these scores are no numbers, as PDs are, but {found}; {instead or _elsewhere()}"
        )
    if counts.resolution is not None:
        raise ValueError(
            f"the scores were rounded down to a grid of {counts.resolution:g}, so PDs read off "
            f"them are too low; count without {arg('resolution')}"
            + spoken(", or pass a PD per score")
        )
    return counts.thresholds.astype(np.float64)


def _as_floats(pd: Any) -> Floats:
    """Return what is given as floats; words and truth values are none."""
    try:
        found = np.asarray(pd)
        if found.dtype.kind in "iuf":
            return found.astype(np.float64)
        if found.dtype.kind == "O" and found.ndim == 1:
            return np.array([as_number(each, "a PD") for each in found], dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"{refused('pd')} hold numbers in [0, 1], one per distinct score; got {told(pd)}"
    )


def checked_pds(pds: Floats, scores: Any, instead: str | None = None) -> Floats:
    """Return PDs that all lie in [0, 1], else raise ValueError."""
    wrong = np.flatnonzero(~((pds >= 0) & (pds <= 1)))
    if len(wrong):
        found, score = float(pds[wrong[0]]), list(scores)[wrong[0]]
        others = "other" if len(wrong) == 2 else "others"  # noqa: PLR2004 - and the first
        more = f", as are {len(wrong) - 1:,} {others}" if len(wrong) > 1 else ""
        raise ValueError(
            f"a PD is in [0, 1], and that of score {told(score)} is {found:g}, outside{more}; "
            f"if the scores are no PDs, {instead or _elsewhere()}"
        )
    return pds
