"""design_grades: the best grade scale of a score under a rule book, and what it is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts import ScoreCounts
from capcurve.counts.arguments import as_finite, as_open_share, as_share, as_whole, as_word, told
from capcurve.counts.exact import exponent_of
from capcurve.counts.given import counts_alike, is_amounts
from capcurve.counts.grading import halved
from capcurve.counts.order import places_in
from capcurve.counts.plain import LARGEST_SAFE_INTEGER
from capcurve.curves.shares import require
from capcurve.metrics.ranking import advantages
from capcurve.show.format import counted, joined, number
from capcurve.studies.grades.cutoffs import between, hold_multiples
from capcurve.studies.grades.grade_scale import GradeScale, HeldOut, scale_of
from capcurve.studies.grades.optimum import CapPoints, Demands, best_scales, equal_sized
from capcurve.studies.grades.scales import MOST_GRADES
from capcurve.tables.thresholds import selected_at
from capcurve.taking import takes_rankings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.counts import Amounts, Ranking
    from capcurve.counts.types import Array, Places
    from capcurve.inference.designs import Seed
    from capcurve.studies.grades.optimum import BestScales

MOST_SPLITS = 10_000
# Halves are designed on so many cut-offs; numpy deals fewer cases than these.
IN_HALVES, MOST_DEALT = 300, 10**9
NO_CUTOFF = "no cut-off of this score separates positives from negatives; is higher_is right?"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSample:
    """Counts of a score as the optimiser takes them, and the unit of its areas."""

    counts: Ranking | Amounts  # from which the counts by grade are made
    scores: Any  # at every distinct score
    points: CapPoints
    perfect: Any  # twice the area between the best CAP and the diagonal

    @classmethod
    def of(cls, counts: Ranking | Amounts) -> ScoreSample:
        """Return the sample, or raise where there is no accuracy ratio."""
        if is_amounts(counts):
            sums = counts.by_score()
            columns = (sums.exposures, sums.amounts, sums.holding)
            return cls(counts, sums, *_points(columns, advantages(counts)[1]))
        require(counts, "positives", "negatives")
        every = counts.every_score()
        p, n = every.positives, every.negatives
        if every.is_whole:
            p, n = p.astype(np.int64), n.astype(np.int64)
        pairs = Fraction(every.n1) * Fraction(every.n0)
        return cls(every, every, *_points((p + n, p, p), pairs))

    def ratio(self, area: Any) -> float:
        """Return the accuracy ratio of twice an area under the CAP."""
        x, y = (column.tolist()[-1] for column in (self.points.x[-1:], self.points.y[-1:]))
        return float((Fraction(area) - Fraction(x) * Fraction(y)) / Fraction(self.perfect))

    def place(self, cut: Any) -> int:
        """Return how many scores lie above a cut-off; a grade begins with the level it names."""
        return selected_at(self.scores, cut, "fixed cut-off") - (self.scores.levels is not None)

    def demands(self, asked: Mapping[str, Any], *, half: bool = False) -> Demands:
        """Return what is asked by the names of arguments, in cases and positions of this sample."""
        held, step = asked.get("min_positives"), asked.get("rounded")
        places = {self.place(cut) for cut in asked.get("fixed", ())}
        names, direction = self.scores.thresholds, self.scores.higher_is
        return Demands(
            least=self._part(asked.get("min_share"), math.ceil),
            most=self._part(asked.get("max_share"), math.floor),
            least_held=held / 2 if held and half else held,
            fixed=tuple(sorted(place for place in places if 0 < place < len(names))),
            open=step and 1 + np.flatnonzero(hold_multiples(names, step, direction)),
            falling=asked.get("falling", False),
            distinct=asked.get("distinct"),
        )

    def _part(self, share: float | None, whole: Any) -> Any:
        """Return a share of all cases: that of whole cases exactly, of exposure within rounding."""
        total = self.points.x[-1]
        if share is None:
            return None
        if self.points.x.dtype.kind == "f":
            return share * total * (1 + (1e-12 if whole is math.floor else -1e-12))
        return whole(Fraction(repr(share)) * int(total))


def _points(columns: Sequence[Array], perfect: Fraction) -> tuple[CapPoints, Fraction]:
    """Return the points of cases, positives and what is held, and the unit of their areas."""
    cases, found, held = columns
    if "f" in cases.dtype.kind + found.dtype.kind:
        # Scaled by powers of two near 1: 1e300 times 1e300 has no float.
        scales = [exponent_of(column) for column in (cases, found)]
        cases, found = (np.ldexp(c, -scale) for c, scale in zip(columns, scales, strict=False))
        perfect /= Fraction(2) ** sum(scales)
    return CapPoints.of(cases, found, held), perfect


@takes_rankings
def design_grades(
    counts: Ranking | Amounts,
    grades: int | tuple[int, int] = 7,
    *,
    min_share: float | None = None,
    min_positives: float | None = None,
    max_share: float | None = None,
    falling: bool = True,
    distinct: float | None = None,
    fixed: Iterable[Any] = (),
    rounded: float | None = None,
    labels: Iterable[str] | None = None,
    splits: int = 20,
    seed: Seed = 0,
    choose: Literal["one_se", "best"] = "one_se",
) -> GradeScale:
    """Return the grade scale that ranks best: the exact optimum of the accuracy ratio.

    Of all scales of at most so many grades that fulfil what is asked, the one with the highest
    accuracy ratio; of equal ones the one with the fewest grades. What it loses against the score,
    and what is left of it in cases that it was not designed on, comes with it.

    Raises `ValueError` when a class is missing, when there are more grades than distinct scores,
    when no cut-off separates positives from negatives, and when what is asked contradicts itself,
    naming what does.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    grades
        The most grades there may be; or the fewest and the most, (3, 12), of which the held-out
        accuracy ratio chooses.
    min_share, max_share
        Least and largest share of the cases (of the exposure) in a grade.
    min_positives
        Least number of positives in a grade; of amounts, of rows with an amount.
    falling
        Whether rates must fall strictly from grade to grade.
    distinct
        Neighbouring grades differ: the one-sided mid-p of `adjacent_grades` is at most this level.
    fixed
        Cut-offs that must be among those of the scale: scores, or levels that begin a grade.
    rounded
        All cut-offs are multiples of this number.
    labels
        Names of the grades, most likely positive first; 1, 2, ... when left out. A scale of fewer
        grades has the first of them and the last.
    splits
        How often the cases are dealt into halves for the held-out numbers; 0 for none.
    seed
        Anything `numpy.random.default_rng` takes; the same whole number gives the same result.
    choose
        Of several numbers of grades, "one_se" takes the fewest whose held-out loss is within one
        standard error, "best" the one that ranks best held out.

    Notes
    -----
    The area under the CAP of a scale is a sum over its grades, so that dynamic programming finds
    the best cut-offs (Bellman); without demands they are corners of the concave majorant. Beyond
    2,000 cut-offs under demands, or 150 with neighbours compared, `loss_at_most` bounds what a
    better scale could gain. Held out: positives and negatives are dealt into halves, each half
    designs a scale that the other half measures. The standard error of a paired loss over R halves
    is s·√(1/R + 1), since halves overlap: Nadeau & Bengio (2003), Machine Learning 52; one standard
    error: Breiman et al. (1984), Classification and Regression Trees.

    Examples
    --------
    Of three scores the two lower ones have one rate, so that two grades rank as well as the score.

    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([3, 2, 1], [6, 1, 1], [2, 4, 4])
    >>> scale = design_grades(counts, 3, splits=0)
    >>> scale.cutoffs, scale.accuracy_ratio == scale.ungrouped, scale.apply([3, 2, 1]).tolist()
    ((3,), True, ['1', '2', '2'])
    """
    fewest, most = _numbers_of_grades(grades)
    choose = as_word(choose, "choose", ("one_se", "best"), either=True)
    splits = as_whole(splits, "splits", 0, MOST_SPLITS)
    shares = {"min_share": min_share, "max_share": max_share, "distinct": distinct}
    asked = {
        **_asked(shares, min_positives, rounded, fixed),
        "falling": as_word(falling, "falling", (True, False), either=True, quote=""),
    }
    names = _labels(labels, most)
    sample = ScoreSample.of(counts)
    why = _why_not_dealt(sample.scores, splits)
    _check(sample, asked, most)
    if isinstance(grades, tuple | list) and why:
        raise ValueError(f"the number of grades is chosen held out, and {why}; give one number")
    if len(sample.points.corners) <= 2 and "fixed" not in asked:  # noqa: PLR2004 - both ends
        raise ValueError(NO_CUTOFF)
    least = fewest if isinstance(grades, tuple | list) else most
    if least > (scores := len(sample.scores)):
        raise ValueError(
            f"{counted(scores, 'distinct score')} cannot make {least} grades; ask for fewer"
        )
    best = best_scales(sample.points, sample.demands(asked), min(most, scores))
    sizes = best.sizes(most)
    if not sizes:
        raise ValueError(_contradiction(sample, asked, min(most, scores)))
    held = None if why else _held_out(sample, asked, sizes, splits, seed)
    among = [size for size in sizes if size >= fewest] or sizes[-1:]
    chosen = among[-1]
    if isinstance(grades, tuple | list):
        if held is None:
            raise ValueError("no half of the cases allows such a scale; give one number of grades")
        chosen = held.chosen(among, choose)
    return _result(sample, asked, best, (chosen, most), names, held or why)


def _result(
    sample: ScoreSample,
    asked: dict[str, Any],
    best: BestScales,
    numbers: tuple[int, int],
    names: tuple[str, ...] | None,
    held: HeldOut | str,
) -> GradeScale:
    """Return the best scale of at most so many grades, of at most so many asked for."""
    size = best.at_most(numbers[0]) or 1
    positions, points, reached = best.positions[size - 1], sample.points, best.reached(size)
    if "fixed" not in asked and sample.ratio(reached) <= 0:
        raise ValueError(
            f"the best scale that {_said(asked)} allows ranks no better than chance, with an "
            f"accuracy ratio of {number(sample.ratio(reached))}; loosen it"
        )
    cuts = list(_printed(sample, asked, positions[1:-1].tolist()))
    return scale_of(
        counts=sample.counts,
        scores=sample.scores,
        points=points,
        positions=positions,
        labels=_used(names, size),
        cutoffs=tuple(cut for cut, _ in cuts),
        bounds=tuple(bound for _, bound in cuts if bound is not None),
        ceiling=sample.ratio(points.area(points.corners)),
        loss_at_most=max(sample.ratio(best.bound(numbers[0])) - sample.ratio(reached), 0.0),
        in_sample={
            each: sample.ratio(best.reached(best.at_most(each) or 1))
            for each in best.sizes(numbers[1])
        },
        numbers=numbers,
        held=held,
        demands=asked,
    )


def _printed(
    sample: ScoreSample, asked: Mapping[str, Any], inner: Sequence[int]
) -> Iterator[tuple[Any, float | None]]:
    """Yield each cut-off as it is typed, and as the bound of a half-open grade; of levels None."""
    scores, names = sample.scores, sample.scores.thresholds
    fixed = {sample.place(cut): cut for cut in asked.get("fixed", ())}
    for place in inner:
        last, following = names[place - 1], names[place]
        if scores.levels is not None:
            yield following, None
            continue
        cut = fixed.get(place)
        if cut is None:
            cut = between(last, following, step=asked.get("rounded"))
        # A bound belongs to the grade of higher scores.
        inside = scores.higher_is == "positive" or cut != last
        yield cut, float(cut if inside else between(last, following, closed=False))


def _check(sample: ScoreSample, asked: Mapping[str, Any], most: int) -> None:
    """Raise ValueError for what these counts, or scales of at most so many grades, cannot have."""
    scores, fixed, step = sample.scores, asked.get("fixed", ()), asked.get("rounded")
    share = asked.get("max_share")
    alike = isinstance(scores, ScoreCounts) and counts_alike(scores)
    if "distinct" in asked and not alike:
        raise ValueError("distinct deals cases that count alike, and these do not; leave it out")
    if step is not None and scores.levels is not None:
        raise ValueError("rounded is about numbers, and these scores are names of grades")
    places: dict[int, Any] = {}
    for cut in fixed:
        place, said = sample.place(cut), f"fixed cut-off {told(cut)}"
        if not 0 < place < len(scores):
            raise ValueError(f"{said} has all cases on one side; leave it out")
        if place in places:
            raise ValueError(
                f"{said} selects the same cases as {told(places[place])}; leave it out"
            )
        if step is not None and Fraction(str(cut)) % Fraction(str(step)):
            raise ValueError(f"{said} is no multiple of rounded={step:g}; change one of them")
        places[place] = cut
    if len(fixed) >= most:
        parts = f"{len(fixed)} fixed cut-offs make {len(fixed) + 1} grades"
        raise ValueError(f"{parts}, and at most {most} are asked for")
    if share is not None and Fraction(repr(share)) * most < 1:
        least = f"max_share={share:g} takes at least {math.ceil(1 / Fraction(repr(share)))} grades"
        raise ValueError(f"{least}, and at most {most} are asked for")


def _said(asked: Mapping[str, Any], names: Iterable[str] | None = None) -> str:
    said = [f"{name}={told(asked[name])}" for name in names or asked if asked[name] is not False]
    return joined(said)


def _contradiction(sample: ScoreSample, asked: Mapping[str, Any], most: int) -> str:
    """Say which demands allow no scale of two grades, alone or together."""

    def fit(names: Iterable[str]) -> int:
        demands = sample.demands({name: asked[name] for name in names})
        return best_scales(sample.points, demands, most).at_most(most) or 0

    names = [name for name, value in asked.items() if value is not False]
    many = f"2 to {most} grades" if most > 2 else "2 grades"  # noqa: PLR2004 - as said
    for name in names:
        if not fit([name]):
            return f"{_said(asked, [name])} allows no scale of {many}; loosen it"
    others = {name: fit(each for each in names if each != name) for name in names}
    without = (
        f"without {_said(asked, [name])}, {size or 'no'} grades fit"
        for name, size in others.items()
    )
    return f"{_said(asked, names)} together allow no scale of {many}; {'; '.join(without)}"


# Held out: each half of the cases designs a scale, and the other half measures it


def _why_not_dealt(counts: Any, splits: int) -> str:
    """Return why cases are not dealt into halves; nothing where they are."""
    if not splits:
        return "splits is 0"
    if not isinstance(counts, ScoreCounts):
        return "amounts are not dealt into halves"
    if not counts_alike(counts):
        return "weighted rows are not dealt into halves"
    if min(counts.n1, counts.n0) < 2:  # noqa: PLR2004 - one in each half
        return "halves need two positives and two negatives"
    return "there are too many cases to deal" if max(counts.n1, counts.n0) >= MOST_DEALT else ""


def _held_out(
    sample: ScoreSample, asked: Mapping[str, Any], sizes: Sequence[int], splits: int, seed: Seed
) -> HeldOut | None:
    """Return accuracy ratios held out; None where hardly a half allows such a scale."""
    rng, rows, skipped = np.random.default_rng(seed), [], 0
    for _ in range(splits):
        halves = [each for each in halved(sample.scores, rng) if each.n1 and each.n0]
        held = [(ScoreSample.of(each), places_in(sample.scores, each.score)) for each in halves]
        pairs = (held, held[::-1]) if len(held) > 1 else ()
        found = [_one_half(asked, first, second, sizes) for first, second in pairs]
        rows += [row for row in found if row is not None]
        skipped += 2 - sum(row is not None for row in found)
    if len(rows) < 2:  # noqa: PLR2004 - for a spread
        return None
    designed, equal = (np.array(each) for each in zip(*rows, strict=True))
    return HeldOut(tuple(sizes), designed, equal, skipped)


def _one_half(
    asked: Mapping[str, Any],
    design: tuple[ScoreSample, Places],
    test: tuple[ScoreSample, Places],
    sizes: Sequence[int],
) -> tuple[list[float], list[float]] | None:
    """Return what scales and equal-sized grades of one half reach in the other, by their number."""
    half, places = design
    if len(half.points.corners) <= 2 and "fixed" not in asked:  # noqa: PLR2004 - both ends
        return [0.0] * len(sizes), [0.0] * len(sizes)
    demands = half.demands(asked, half=True)
    best = best_scales(half.points, demands, min(sizes[-1], len(places)), IN_HALVES)
    chosen = [best.at_most(size) for size in sizes]
    if None in chosen:
        return None

    def reached(ends: Places) -> float:
        """Return the accuracy ratio in the other half of grades that end after so many scores."""
        # The lowest score of each grade in this half is the cut-off in the other.
        cuts = np.searchsorted(test[1], places[ends[1:] - 1], side="right")
        cuts = np.array([0, *cuts[:-1], len(test[1])])
        return test[0].ratio(test[0].points.area(cuts))

    equal = [reached(equal_sized(half.points, size)) for size in sizes]
    return [reached(best.positions[size - 1]) for size in chosen if size], equal


# What users pass


def _numbers_of_grades(grades: Any) -> tuple[int, int]:
    """Return the fewest and the most grades."""
    if not isinstance(grades, tuple | list):
        return 2, as_whole(grades, "grades", 2, MOST_GRADES)
    both = [as_whole(each, "grades", 2, MOST_GRADES) for each in grades]
    if len(both) != 2 or both[0] > both[1]:  # noqa: PLR2004 - the fewest and the most
        raise ValueError(f"grades must be a number, or the fewest and the most, got {told(grades)}")
    return both[0], both[1]


def _asked(shares: Mapping[str, Any], positives: Any, step: Any, fixed: Any) -> dict[str, Any]:
    """Return what is asked by the names of arguments, without those that ask nothing."""
    found = {
        name: as_open_share(each, name) if name == "distinct" else as_share(each, name, some=True)
        for name, each in shares.items()
        if each is not None
    }
    for name, value in {"min_positives": positives, "rounded": step}.items():
        if value is not None:
            given = as_finite(value, name)
            whole = given.is_integer() and abs(given) < LARGEST_SAFE_INTEGER
            found[name] = int(given) if whole else given
            if found[name] < 0 or (name == "rounded" and not found[name]):
                raise ValueError(f"{name} must be above 0, got {told(value)}")
    if isinstance(fixed, str | Mapping) or not isinstance(fixed, Iterable):
        raise TypeError(f"fixed must list cut-offs, got {told(fixed)}")
    cuts = tuple(each.item() if isinstance(each, np.generic) else each for each in fixed)
    return {**found, **({"fixed": cuts} if cuts else {})}


def _labels(labels: Any, most: int) -> tuple[str, ...] | None:
    if labels is None:
        return None
    names = tuple(map(str, labels)) if isinstance(labels, Iterable) else ()
    if len(names) != most or len(set(names)) < most:
        raise ValueError(f"labels must be {most} different names, got {told(labels)}")
    return names


def _used(names: tuple[str, ...] | None, size: int) -> tuple[str, ...]:
    """Return the names of a scale that may have fewer grades: the first ones and the last."""
    if names is None:
        return tuple(str(place) for place in range(1, size + 1))
    return (*names[: size - 1], names[-1])
