"""Cases with PDs: what was given as counts and as PDs, checked and brought together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from capcurve.counts import JointCounts
from capcurve.counts.arguments import as_number, told
from capcurve.inference.promises import Cells
from capcurve.inference.sizes import require_rows
from capcurve.show.format import counted

if TYPE_CHECKING:
    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.counts.types import Array, Floats

CLUSTERED = (
    "the rows are clustered, and this test treats them as independent: the p-value is too small"
)


@dataclass(frozen=True, slots=True, eq=False)
class PdSample:
    """Cases with PDs, in the order of a score, and how they came out."""

    ranking: ScoreCounts
    cells: Cells
    notes: tuple[str, ...]

    @property
    def one_class(self) -> str | None:
        """The class that there are no cases of, or None."""
        sizes = {"positives": self.ranking.n1, "negatives": self.ranking.n0}
        return next((name for name, cases in sizes.items() if not cases), None)


def sample_of(counts: Ranking | JointCounts, pd: Any, score: str | None) -> PdSample:
    """Return the cases with their PDs, or raise ValueError where they are none."""
    require_rows(counts)
    if counts.weights is not None:
        raise ValueError(
            f"these cases are weighted by {counts.weights.kind} weights, and the test of PDs "
            'needs whole cases: count them without weights, or with weight_kind="frequency"'
        )
    held: ScoreCounts | JointCounts
    if isinstance(counts, JointCounts):
        held, ranking, column, cells = _of_joint(counts, pd, score)
    else:
        if score is not None:
            raise ValueError(f"score={told(score)} is for joint counts; these rank by one score")
        held = ranking = column = counts.every_score()
        cells = Cells(np.arange(len(ranking)), _pds_of(ranking, pd), _cases(ranking))
    notes = (*_about(ranking), *_about_the_grid(column), *_ruled_out(held, cells))
    return PdSample(ranking, cells, notes)


def _of_joint(
    joint: JointCounts, pd: Any, score: str | None
) -> tuple[JointCounts, ScoreCounts, ScoreCounts, Cells]:
    """Return the cells of the score that ranks and of the PDs, and the counts of each."""
    for said, given in (("score", score), ("pd", pd)):
        if not isinstance(given, str) or given not in joint.names:
            raise ValueError(
                "of joint counts name the score that ranks and the one that holds the PDs, score= "
                f"and pd=, out of {', '.join(map(repr, joint.names))}; got {said}={told(given)}"
            )
    ranking, held = joint.margin(cast("str", score)), joint.margin(pd)
    values = _checked(_numbers_of(held, pd), held.thresholds)
    # Other scores would split cells, and move the last digit.
    kept = {cast("str", score): ranking, pd: held}
    two = joint.joined({name: np.arange(1, len(each) + 1) for name, each in kept.items()})
    place, of_pd = (
        _places(kept[name].score, two.scores[two.names.index(name)])
        for name in (cast("str", score), pd)
    )
    return two, ranking, held, Cells(place, values[of_pd], _cases(two))


def _places(distinct: Array, values: Array) -> Array:
    """Return the place of each value among distinct ones in any order."""
    order = np.argsort(distinct, kind="stable")
    return cast("Array", order[np.searchsorted(distinct[order], values)])


def _cases(counts: ScoreCounts | JointCounts) -> Floats:
    return counts.positives.astype(np.float64) + counts.negatives.astype(np.float64)


def _pds_of(counts: ScoreCounts, pd: Any) -> Floats:
    """Return one PD per distinct score."""
    if isinstance(pd, str):
        if pd != "score":
            raise ValueError(
                f'pd must be "score", or one PD per distinct score; got {told(pd)}. For PDs from '
                'another column count both: count_joint(y, {"score": s, "pd": p}), with score= '
                "and pd="
            )
        if counts.higher_is != "positive":
            raise ValueError(
                "the scores are no PDs: a higher one is less likely positive; name or pass the PDs "
                "with pd="
            )
        return _checked(_numbers_of(counts, pd), counts.thresholds)
    names = counts.thresholds.tolist()
    if isinstance(pd, Mapping):
        lacking = [name for name in names if name not in pd]
        if lacking:
            raise ValueError(
                f"pd has no PD for score {told(lacking[0])}"
                + (f" and {len(lacking) - 1} others" if len(lacking) > 1 else "")
            )
        pd = [pd[name] for name in names]
    found = _as_floats(pd)
    if found.shape != (len(names),):
        raise ValueError(
            f"pd must hold one PD per distinct score, {len(names)} in the order of "
            f"counts.thresholds; got {told(pd) if found.ndim != 1 else len(found)}"
        )
    return _checked(found, names)


def _numbers_of(counts: ScoreCounts, name: object) -> Floats:
    """Return distinct scores as numbers."""
    if counts.levels is not None or counts.thresholds.dtype.kind not in "iuf":
        found = told(counts.thresholds.tolist()[0]) if len(counts) else "none"
        raise ValueError(
            f"pd={told(name)}: these scores are no numbers, as PDs are, but {found}; name or "
            "pass the PDs with pd="
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
    raise ValueError(f"pd must hold numbers in [0, 1], one per distinct score; got {told(pd)}")


def _checked(pds: Floats, scores: Any) -> Floats:
    """Return PDs that all lie in [0, 1], else raise ValueError."""
    wrong = np.flatnonzero(~((pds >= 0) & (pds <= 1)))
    if len(wrong):
        _refuse(float(pds[wrong[0]]), list(scores)[wrong[0]], len(wrong))
    return pds


def _refuse(found: float, score: object, wrong: int) -> NoReturn:
    more = f", as are {counted(wrong - 1, 'other')}" if wrong > 1 else ""
    raise ValueError(
        f"a PD lies in [0, 1], and that of score {told(score)} is {found:g}, outside{more}; "
        "if the scores are no PDs, name or pass these with pd="
    )


def _about(counts: ScoreCounts) -> tuple[str, ...]:
    return () if counts.groups is None else (CLUSTERED,)


def _about_the_grid(pds: ScoreCounts) -> tuple[str, ...]:
    if pds.resolution is None:
        return ()
    return (f"scores were rounded down to a grid of {pds.resolution:g}, and so were the PDs",)


def _ruled_out(held: ScoreCounts | JointCounts, cells: Cells) -> tuple[str, ...]:
    """Say how many cases came out as their PD of 0 or 1 does not allow."""
    positives, negatives = held.positives[cells.pd == 0].sum(), held.negatives[cells.pd == 1].sum()
    wrong = {"0 came out positive": int(positives), "1 came out negative": int(negatives)}
    return tuple(
        f"{counted(cases, 'case')} with a PD of {how}, which such a PD rules out"
        for how, cases in wrong.items()
        if cases
    )
