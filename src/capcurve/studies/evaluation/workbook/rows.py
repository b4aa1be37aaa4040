"""The rows of a sheet of cut-offs: every score, or stretches of scores that keep AR exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.exact import cumulated, exact_dot
from capcurve.show.workbook import written_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.counts.types import Array, Floats, Places

MOST_ROWS = 2000
# Cut-offs kept on each side of a share that is read off.
MARGIN = 1
# A spreadsheet's products of weights have to stay within the range of floats.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-100, 1e100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CutoffRows:
    """Cases of consecutive stretches of scores, most likely positive first, and their sums."""

    # Sums and shares begin with a row that selects nobody.

    score: list[object]  # the last score of each row, as it is written
    positives: list[Any]  # positives, negatives: cases of each class, or their weight
    negatives: list[Any]
    # Pairs won less pairs lost among the cases of each row; None where each row holds one score.
    inside: list[Any] | None
    rest: Any  # the same of all rows together, where it is not known row by row; else None
    scores: int  # how many distinct scores there are
    stated: float | None  # the prevalence, where it is not that of the counts
    tp: list[Any]  # tp, fp: positives and negatives selected
    fp: list[Any]
    q: Floats  # q, captured, fpr: shares of cases, positives and negatives selected
    captured: Floats
    fpr: Floats
    precision: Floats  # precision, lift: of the selected cases; 0 where there are none
    lift: Floats

    def __len__(self) -> int:
        return len(self.score)

    @property
    def style(self) -> str:
        """How its numbers of cases are shown."""
        whole = all(isinstance(cases, int) for cases in (*self.positives, *self.negatives))
        return "count" if whole else "weight"

    @property
    def n1(self) -> Any:
        """All positives."""
        return self.tp[-1]

    @property
    def n0(self) -> Any:
        """All negatives."""
        return self.fp[-1]

    @property
    def gap(self) -> Floats:
        """How far apart the shares of positives and negatives selected are."""
        return self.captured - self.fpr

    @property
    def has_unseen_pairs(self) -> bool:
        """Whether rows hold pairs of different scores."""
        return self.inside is not None or self.rest is not None

    @property
    def unseen(self) -> Any:
        """Pairs won less pairs lost inside rows."""
        return self.rest if self.rest is not None else sum(self.inside or [])

    @property
    def accuracy_ratio(self) -> float:
        """The accuracy ratio, in the arithmetic of the sheet."""
        return float((_between(self.positives, self.negatives) + self.unseen) / (self.n1 * self.n0))

    @property
    def ks(self) -> float:
        """The largest gap, in either direction."""
        return float(max(self.gap.max(), -self.gap.min()))

    @property
    def place_of_ks(self) -> int:
        """The first row at which KS is reached."""
        leads = self.gap.max() >= -self.gap.min()
        return int(self.gap.argmax() if leads else self.gap.argmin())

    def height(self, q: float) -> float:
        """Return the share of positives captured by a share of cases."""
        return float(np.interp(q, self.q, self.captured))


def rows_of(
    counts: Ranking, shares: Sequence[float], prevalence: float | None = None
) -> CutoffRows:
    """Return at most 2,000 rows that stand for all distinct scores.

    >>> from capcurve import count_scores
    >>> found = rows_of(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), [0.1])
    >>> found.score, found.positives, found.accuracy_ratio
    ([4, 3, 2, 1], [1, 0, 1, 0], 0.5)
    """
    held = counts.vertices
    if not counts.is_whole:
        _refuse_extreme(held)
    tp, fp = cumulated(held.positives), cumulated(held.negatives)
    ends = _kept(tp, fp, shares, prevalence)
    starts = np.concatenate([[0], ends[:-1]])
    positives, negatives = ((sums[ends] - sums[starts]).tolist() for sums in (tp, fp))
    inside = rest = None
    if not counts.is_complete:
        totals = counts.totals()
        won_less_lost = 2 * totals.won + totals.tied - held.n1 * held.n0
        rest = won_less_lost - _between(positives, negatives)
    elif len(ends) < len(held):
        inside = [_inside(held, a, b) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    return CutoffRows(
        score=written_scores(held.thresholds[ends - 1].tolist()),
        positives=positives,
        negatives=negatives,
        inside=inside,
        rest=rest,
        scores=len(counts),
        stated=prevalence,
        **_sums(positives, negatives, prevalence),
    )


def _sums(positives: list[Any], negatives: list[Any], stated: float | None) -> dict[str, Any]:
    """Return the running sums and shares of some rows."""
    tp, fp = (np.cumsum([0, *cases]) for cases in (positives, negatives))
    captured, fpr = tp / tp[-1], fp / fp[-1]
    q = _cases(tp, fp, stated)
    hit = tp[1:] / (tp + fp)[1:] if stated is None else stated * captured[1:] / q[1:]
    lift = captured[1:] / q[1:]
    return {
        "tp": tp.tolist(),
        "fp": fp.tolist(),
        "q": q,
        "captured": captured,
        "fpr": fpr,
        "precision": np.append(0.0, hit),
        "lift": np.append(0.0, lift),
    }


def _refuse_extreme(counts: ScoreCounts) -> None:
    for name, weight in (("positives", counts.n1), ("negatives", counts.n0)):
        if not SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT:
            raise ValueError(
                f"the {name} weigh {weight:g}, and a spreadsheet cannot multiply such numbers; "
                "scale the weights"
            )


def _kept(tp: Array, fp: Array, shares: Sequence[float], prevalence: float | None) -> Places:
    """Return how many scores each row and those before it hold; tp and fp begin with nobody."""
    last = len(tp) - 1
    if last <= MOST_ROWS:
        return np.arange(1, last + 1)
    captured, passed = tp / tp[-1], fp / fp[-1]
    gap = captured - passed
    found = np.concatenate(
        [
            [last, int(gap.argmax()), int(gap.argmin())],
            *(_about(along, shares) for along in (_cases(tp, fp), _cases(tp, fp, prevalence))),
        ]
    )
    wanted = np.linspace(0, 2, MOST_ROWS - len(found))
    ends = np.unique(np.concatenate([found, np.searchsorted(captured + passed, wanted)]))
    kept: Places = ends[(ends > 0) & (ends <= last)].astype(np.intp)
    return kept


def _cases(tp: Array, fp: Array, prevalence: float | None = None) -> Floats:
    """Return the share of cases selected at each cut-off."""
    if prevalence is None:
        return np.asarray((tp + fp) / (tp[-1] + fp[-1]), dtype=np.float64)
    return np.asarray(prevalence * (tp / tp[-1]) + (1 - prevalence) * (fp / fp[-1]), np.float64)


def _about(along: Floats, shares: Sequence[float]) -> Places:
    places = np.searchsorted(along, shares)
    return np.add.outer(places, np.arange(-MARGIN - 1, MARGIN + 1)).ravel()


def _inside(counts: ScoreCounts, start: int, end: int) -> Any:
    """Return the pairs won less the pairs lost among the cells of a stretch."""
    p, n = counts.positives[start:end], counts.negatives[start:end]
    if len(p) == 1:
        return 0
    above = cumulated(n)[:-1]
    if counts.is_whole:
        below = int(n.sum(dtype=np.int64))
        return int(p.sum(dtype=np.int64)) * below - 2 * exact_dot(p, above) - exact_dot(p, n)
    return float((p * (n.sum() - 2 * above - n)).sum())


def _between(positives: Sequence[Any], negatives: Sequence[Any]) -> Any:
    """Return the pairs won less the pairs lost between rows."""
    below, found = sum(negatives), 0
    above: Any = 0
    for p, n in zip(positives, negatives, strict=True):
        above += n
        found += p * (below - 2 * above + n)
    return found
