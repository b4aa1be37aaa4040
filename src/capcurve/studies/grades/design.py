"""design_grades: the best grade scale of a score under a rule book, and what it is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts import Amounts, Ranking, ScoreCounts
from capcurve.counts.master_scale import MOST_GRADES_OF_SCALE
from capcurve.curves.shares import nearest_ends
from capcurve.curves.simplify import stops_of_amounts
from capcurve.gate.given import counts_alike
from capcurve.gate.taking import takes_rankings
from capcurve.inference.rates import rate_table
from capcurve.metrics import accuracy_ratio
from capcurve.numbers.arguments import (
    arg,
    as_finite,
    as_open_share,
    as_share,
    as_typed,
    as_whole,
    as_word,
    refused,
    spoken,
    told,
)
from capcurve.numbers.plain import LARGEST_SAFE_INTEGER
from capcurve.plots.models import DRAWN_TOLERANCE
from capcurve.show.format import counted, joined, number
from capcurve.show.presentation import gravest_first
from capcurve.show.table import Table, label_column
from capcurve.studies.grades.cutoffs import between, hold_multiples
from capcurve.studies.grades.grade_rates import adjacent_grades
from capcurve.studies.grades.grade_scale import (
    GradeScale,
    findings_of_scale,
    level_spans,
    scale_table,
)
from capcurve.studies.grades.grading import dealt_halves, graded
from capcurve.studies.grades.optimum import Demands, Optimum, ScoreCap, best_scales
from capcurve.studies.grades.scales import GRADES_OF_CLUSTERS, shares_of, stand_above
from capcurve.tables import gains_table

if TYPE_CHECKING:
    from capcurve.inference.designs import Seed
    from capcurve.numbers.types import Array, Floats, Places

MOST_SPLITS = 10_000
# Halves are designed on so many cut-offs; numpy deals fewer cases than these.
IN_HALVES, MOST_DEALT = 300, 10**9
NO_CUTOFF = "no cut-off of this score separates positives from negatives; is {} right?"
BOUNDS_OF_GRADES = "a grade contains its lower bound and not its upper one"
LEVELS_OF_GRADES = "a grade contains the levels from its first down to its last"
HALVES = (
    "held-out data: the mean over {} halves of the cases, each ranked by grades that the other "
    "half designed"
)
FLOORED = "scores were floored to a grid of {:g}: compare floored scores with the cut-offs"
DESIGN_COLUMNS = (
    *("exposure", "amount", "mean_amount", "positives", "rate", "rate_low", "rate_high"),
    *("lift", "captured"),
)
TESTS = ("p_value", "p_adjusted", "p_reversed")


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
    names, cap = _labels(labels, most), ScoreCap.of(counts)
    held: HeldOut | str = _why_not_dealt(cap.scores, splits)
    _check(cap, asked, most)
    if fewest and held:
        raise ValueError(f"the number of grades is chosen held out, and {held}; give one number")
    _check_scores(cap, asked, fewest or most)
    best = best_scales(cap, _demands(cap, asked), min(most, len(cap.scores)))
    if not best:
        raise ValueError(_contradiction(cap, asked, min(most, len(cap.scores))))
    held = held or _held_out(cap, asked, list(best), splits, seed)
    chosen = max(best)
    if fewest:
        if isinstance(held, str):
            raise ValueError(f"{held}; give one number of grades")
        chosen = held.chosen([size for size in best if size >= fewest] or [chosen], choose)
    ratio = cap.ratio(best[chosen].area)
    if "fixed" not in asked and ratio <= 0:
        raise ValueError(
            f"the best scale that {_said(asked)} allows ranks no better than chance, with an "
            f"accuracy ratio of {number(ratio)}; loosen it"
        )
    return _scale(cap, asked, best, (chosen, most), names, held)


def _scale(
    cap: ScoreCap,
    asked: dict[str, Any],
    best: Mapping[int, Optimum],
    numbers: tuple[int, int],
    names: tuple[str, ...] | None,
    held: HeldOut | str,
) -> GradeScale:
    """Return the best scale of at most so many grades, of at most so many asked for."""
    # `held` may be the reason why nothing is held out.
    found = best[numbers[0]]
    inner = found.positions[1:-1].tolist()
    labels, cutoffs = _used(names, found.grades), _cutoffs(cap, asked, inner)
    by_grade = graded(cap.counts, inner, labels)
    ratios = [cap.ratio(each.area) for each in best.values()]
    choice = {"grades": np.array([*best]), "accuracy_ratio": np.array(ratios)}
    own = accuracy_ratio(by_grade)
    reached: dict[str, Any] = {}
    if isinstance(held, HeldOut):
        choice, reached = choice | held.means(), held.reached(numbers[0], own)
    scale = GradeScale(
        labels=labels,
        cutoffs=cutoffs,
        higher_is=cap.scores.higher_is,
        levels=cap.scores.levels,
        accuracy_ratio=own,
        ungrouped=accuracy_ratio(cap.counts),
        ceiling=cap.ratio_of(cap.corners),
        loss_at_most=max(cap.ratio(found.bound) - cap.ratio(found.area), 0.0),
        **reached,
        effective_grades=1 / math.fsum(shares_of(np.diff(cap.x[found.positions])) ** 2),
        demands=asked,
        table=_table(by_grade, _ranges(cap.scores, cutoffs, inner)),
        chosen=scale_table("numbers of grades", choice),
        curves=_curves(cap, found.positions),
        counts=by_grade,
        notes=tuple(_notes(cap.scores, held)),
    )
    no_gain = isinstance(held, HeldOut) and held.gains_nothing(numbers[0])
    findings = findings_of_scale(scale, no_gain=no_gain, fewer=len(labels) < numbers[0])
    return replace(scale, findings=gravest_first(findings))


def _curves(cap: ScoreCap, positions: Places) -> dict[str, list[list[float]]]:
    """Return the CAP of the score, in as many points as are seen, and that of its grades."""
    x, y = (column.astype(np.float64) for column in (cap.x, cap.y))
    # Amounts below zero have no shares, so that their curve is of amounts.
    all_found = 1.0 if getattr(cap.counts, "signed", False) else y[-1]
    ends = {"score": stops_of_amounts(x, y, DRAWN_TOLERANCE, 0), "scale": positions}
    return {
        name: [(x[at] / x[-1]).tolist(), (y[at] / all_found).tolist()] for name, at in ends.items()
    }


def _cutoffs(cap: ScoreCap, asked: Mapping[str, Any], inner: Sequence[int]) -> tuple[Any, ...]:
    """Return the cut-offs after so many scores as they are typed."""
    names, step = cap.scores.thresholds, asked.get("rounded")
    known = _fixed(cap, asked)

    def typed(place: int) -> Any:
        if place in known or cap.scores.levels is not None:
            return known.get(place, names[place])
        return between(names[place - 1], names[place], step=step)

    return tuple(map(typed, inner))


def _ranges(scores: Any, cutoffs: Sequence[Any], inner: Sequence[int]) -> dict[str, Array]:
    """Return where each grade begins and ends: lower and upper bounds, or levels."""
    if scores.levels is not None:
        spans = level_spans(scores.levels, cutoffs)
        ends = zip(*((span[0], span[-1]) for span in spans), strict=True)
        return dict(zip(("score_from", "score_to"), map(label_column, ends), strict=True))
    names, falls = scores.thresholds, scores.higher_is == "positive"
    bounds = [
        # A bound belongs to the grade of higher scores.
        cut if falls or cut != names[at - 1] else between(names[at - 1], names[at], closed=False)
        for cut, at in zip(cutoffs, inner, strict=True)
    ]
    edges = np.array([np.nan, *bounds, np.nan], dtype=np.float64)
    low, high = (edges[1:], edges[:-1]) if falls else (edges[:-1], edges[1:])
    return {"score_from": low, "score_to": high}


def _table(counts: Any, ranges: Mapping[str, Array]) -> Table:
    """Return the grades with their scores, cases, rates, limits and tests against the next."""
    of_cases = isinstance(counts, ScoreCounts)
    alike = of_cases and counts_alike(counts)
    known = alike or (of_cases and counts.weight_kind is not None)
    gains = rate_table(counts) if known else gains_table(counts, bins="score")
    sizes = gains["n"] if of_cases else counts.by_score().exposures
    columns = {"grade": label_column(counts.levels), **ranges}
    columns |= {"n": gains["n"], "share": shares_of(sizes)}
    columns |= {name: gains[name] for name in DESIGN_COLUMNS if name in gains.columns}
    if alike:
        pairs = adjacent_grades(counts)
        columns |= {name: np.append(pairs[name], np.nan) for name in TESTS}
    return scale_table("grades", columns)


def _notes(scores: Any, held: HeldOut | str) -> Iterator[str]:
    yield BOUNDS_OF_GRADES if scores.levels is None else LEVELS_OF_GRADES
    yield "intervals and p-values take the cut-offs as given, though the same data chose them"
    if isinstance(scores, ScoreCounts) and scores.groups is not None:
        yield GRADES_OF_CLUSTERS
    if scores.resolution is not None:
        yield FLOORED.format(scores.resolution)
    if isinstance(held, str):
        yield f"nothing is held out: {held}"
        return
    yield HALVES.format(len(held.designed))
    if held.skipped:
        yield f"halves left out because they allow no such scale: {held.skipped}"


# What is asked


def _numbers_of_grades(grades: Any) -> tuple[int, int]:
    """Return the fewest grades, or 0 where there is one number, and the most."""
    if not isinstance(grades, tuple | list):
        return 0, as_whole(grades, "grades", 2, MOST_GRADES_OF_SCALE)
    both = [as_whole(each, "grades", 2, MOST_GRADES_OF_SCALE) for each in grades]
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
                raise ValueError(f"{refused(name)} be above 0, got {told(value)}")
    if isinstance(fixed, str | Mapping) or not isinstance(fixed, Iterable):
        raise TypeError(f"{refused('fixed')} list cut-offs, got {told(fixed)}")
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


def _demands(cap: ScoreCap, asked: Mapping[str, Any], *, half: bool = False) -> Demands:
    """Return what is asked by the names of arguments, in cases and positions of these counts."""
    held, step, scores = asked.get("min_positives"), asked.get("rounded"), cap.scores
    return Demands(
        least=_part(cap, asked.get("min_share"), math.ceil),
        most=_part(cap, asked.get("max_share"), math.floor),
        least_held=held / 2 if held and half else held,
        fixed=tuple(sorted(at for at in _fixed(cap, asked) if 0 < at < len(scores))),
        open=step and 1 + np.flatnonzero(hold_multiples(scores.thresholds, step, scores.higher_is)),
        falling=asked.get("falling", False),
        distinct=asked.get("distinct"),
    )


def _fixed(cap: ScoreCap, asked: Mapping[str, Any]) -> dict[int, Any]:
    """Return the cut-offs that there must be, by how many scores stand above them."""
    return {stand_above(cap.scores, cut, "fixed cut-off"): cut for cut in asked.get("fixed", ())}


def _part(cap: ScoreCap, share: float | None, whole: Any) -> Any:
    """Return a share of all cases: that of whole cases exactly, of exposure within rounding."""
    if share is None:
        return None
    if cap.x.dtype.kind == "f":
        return share * cap.x[-1] * (1 + (1e-12 if whole is math.floor else -1e-12))
    return whole(Fraction(repr(share)) * int(cap.x[-1]))


def _check(cap: ScoreCap, asked: Mapping[str, Any], most: int) -> None:
    """Raise ValueError for what these counts, or scales of at most so many grades, cannot have."""
    fixed, step, share = asked.get("fixed", ()), asked.get("rounded"), asked.get("max_share")
    alike = isinstance(cap.scores, ScoreCounts) and counts_alike(cap.scores)
    if "distinct" in asked and not alike:
        raise ValueError("distinct deals cases that count alike, and these do not; leave it out")
    if step is not None and cap.scores.levels is not None:
        raise ValueError("rounded is about numbers, and these scores are names of grades")
    places: dict[int, Any] = {}
    for cut in fixed:
        place, said = stand_above(cap.scores, cut, "fixed cut-off"), f"fixed cut-off {told(cut)}"
        if not 0 < place < len(cap.scores):
            raise ValueError(f"{said} has all cases on one side; leave it out")
        if place in places:
            same = f"{said} selects the same cases as {told(places[place])}"
            raise ValueError(f"{same}; leave it out")
        if step is not None and Fraction(str(cut)) % Fraction(str(step)):
            raise ValueError(
                f"{said} is no multiple of {as_typed(rounded=f'{step:g}')}; change one of them"
            )
        places[place] = cut
    parts, least = len(fixed) + 1, math.ceil(1 / Fraction(repr(share))) if share else 1
    if parts > most:
        said = f"{len(fixed)} fixed cut-offs make {parts} grades"
        raise ValueError(f"{said}, and at most {most} are asked for")
    if least > most:
        said = f"{as_typed(max_share=f'{share:g}')} takes at least {least} grades"
        raise ValueError(f"{said}, and at most {most} are asked for")


def _check_scores(cap: ScoreCap, asked: Mapping[str, Any], least: int) -> None:
    """Raise ValueError for scores that separate nothing, or are too few for so many grades."""
    if len(cap.corners) <= 2 and "fixed" not in asked:  # noqa: PLR2004 - both ends
        raise ValueError(NO_CUTOFF.format(spoken("higher_is")))
    if least > len(cap.scores):
        scores = counted(len(cap.scores), "distinct score")
        raise ValueError(f"{scores} cannot make {least} grades; ask for fewer")


def _said(asked: Mapping[str, Any], names: Iterable[str] | None = None) -> str:
    given = {name: asked[name] for name in names or asked if asked[name] is not False}
    as_list = {name: [*each] if isinstance(each, tuple) else each for name, each in given.items()}
    return joined([arg(**{name: each}) for name, each in as_list.items()])


def _contradiction(cap: ScoreCap, asked: Mapping[str, Any], most: int) -> str:
    """Say which demands allow no scale of two grades, alone or together."""

    def fit(names: Iterable[str]) -> int:
        demands = _demands(cap, {name: asked[name] for name in names})
        best = best_scales(cap, demands, most)
        return best[max(best)].grades if best else 0

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


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Accuracy ratios in halves that did not design the grades, shape (halves, sizes)."""

    sizes: tuple[int, ...]  # the most grades that there might be
    designed: Floats
    equal: Floats
    skipped: int  # halves that allow no such scale

    def means(self) -> dict[str, Floats]:
        """Return the mean accuracy ratio of scales of each size, and of equal-sized grades."""
        return {"held_out": self.designed.mean(axis=0), "equal_sized": self.equal.mean(axis=0)}

    def reached(self, size: int, ratio: float) -> dict[str, float]:
        """Return what is held out of scales of a size, one of which has a ratio in sample."""
        at = self.sizes.index(size)
        found = {name: float(means[at]) for name, means in self.means().items()}
        return {**found, "optimism": ratio - found["held_out"]}

    def chosen(self, among: Sequence[int], choose: str) -> int:
        """Return the number of grades that ranks best, or the fewest within a standard error."""
        columns = dict(zip(self.sizes, self.designed.T, strict=True))
        means = dict(zip(self.sizes, self.designed.mean(axis=0), strict=True))
        best = max(among, key=lambda size: (means[size], -size))
        near = (size for size in among if not _is_shown(columns[best] - columns[size]))
        return best if choose == "best" else next(near)

    def gains_nothing(self, size: int) -> bool:
        """Return whether grades of equal size rank as well, within one standard error."""
        column = self.sizes.index(size)
        return not _is_shown(self.designed[:, column] - self.equal[:, column])


def _is_shown(losses: Floats) -> bool:
    """Return whether a mean loss over halves, which overlap, is above its standard error."""
    error = float(losses.std(ddof=1)) * math.sqrt(1 / len(losses) + 1)
    return float(losses.mean()) > error


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
    cap: ScoreCap, asked: Mapping[str, Any], sizes: Sequence[int], splits: int, seed: Seed
) -> HeldOut | str:
    """Return accuracy ratios held out, or why there are none."""
    rng, rows = np.random.default_rng(seed), []
    for _ in range(splits):
        halves = [half for half in dealt_halves(cap.scores, rng) if half[0].n1 and half[0].n0]
        held = [(ScoreCap.of(each), places) for each, places in halves]
        pairs = (held, held[::-1]) if len(held) > 1 else ()
        found = (_one_half(asked, first, second, sizes) for first, second in pairs)
        rows += [row for row in found if row is not None]
    if len(rows) < 2:  # noqa: PLR2004 - for a spread
        return "no half of the cases allows such a scale"
    designed, equal = (np.array(each) for each in zip(*rows, strict=True))
    return HeldOut(tuple(sizes), designed, equal, skipped=2 * splits - len(rows))


def _one_half(
    asked: Mapping[str, Any],
    design: tuple[ScoreCap, Places],
    test: tuple[ScoreCap, Places],
    sizes: Sequence[int],
) -> tuple[list[float], list[float]] | None:
    """Return what scales and equal-sized grades of one half reach in the other, by their number."""
    (half, places), (other, others) = design, test
    if len(half.corners) <= 2 and "fixed" not in asked:  # noqa: PLR2004 - both ends
        return [0.0] * len(sizes), [0.0] * len(sizes)
    demands = _demands(half, asked, half=True)
    best = best_scales(half, demands, min(sizes[-1], len(places)), IN_HALVES)
    chosen = [best.get(min(size, max(best, default=0))) for size in sizes]
    if None in chosen:
        return None

    def reached(ends: Places) -> float:
        """Return the accuracy ratio in the other half of grades that end after so many scores."""
        # The lowest score of each grade in this half is the cut-off in the other.
        cuts = np.searchsorted(others, places[ends[1:] - 1], side="right")
        return other.ratio_of(np.array([0, *cuts[:-1], len(others)]))

    equal = [reached(np.unique(np.append(0, nearest_ends(half.x, size)[1]))) for size in sizes]
    return [reached(each.positions) for each in chosen if each], equal
