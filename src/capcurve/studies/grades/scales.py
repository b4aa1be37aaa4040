"""Samples on one scale: the grades of all of them, those without a case included."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import CaseCounts, ScoreCounts, ValueSums
from capcurve.counts.master_scale import MOST_GRADES_OF_SCALE
from capcurve.gate.alike import SCALE, refuse_other_order, refuse_unlike
from capcurve.gate.given import as_ranking
from capcurve.numbers.arguments import told
from capcurve.numbers.meeting import as_written, met, selected_at
from capcurve.results.findings import MOST_NAMED
from capcurve.show.format import first_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.numbers.types import Array, Floats, Ints, Places

    Graded = ScoreCounts | ValueSums

GRADES_OF_CLUSTERS = (
    "the rows are clustered, and tests and intervals treat them as independent: p-values are too "
    "small, and intervals too narrow"
)


@dataclass(frozen=True, slots=True)
class CommonScale:
    """The grades of several samples, most likely positive first, and where their cells stand."""

    # Every grade of the scale with `levels`, else every score that some sample holds.
    grades: tuple[Any, ...]
    places: tuple[Places, ...]  # of each sample the place of each of its cells among the grades

    def spread(self, sample: int, column: Array) -> Array:
        """Return a column of the cells of a sample by grade: 0 where it has no case."""
        kind = np.float64 if column.dtype.kind == "f" else np.int64
        dense = np.zeros(len(self.grades), dtype=kind)
        dense[self.places[sample]] = column
        return dense


def on_one_scale(
    samples: Sequence[Graded], names: Sequence[object], about: Sequence[str] = SCALE
) -> CommonScale:
    """Return the scale that samples have in common; `names` are what messages call them.

    A grade without a case in either sample has its place; one that was added has, too.

    >>> from capcurve import ScoreCounts
    >>> old = ScoreCounts.from_counts(["C", "A"], [1, 1], [5, 9], levels=["C", "B", "A"])
    >>> new = ScoreCounts.from_counts(["D", "A"], [1, 1], [5, 9], levels=["D", "C", "B", "A"])
    >>> scale = on_one_scale([old, new], ["old", "new"])
    >>> scale.grades, scale.spread(0, old.positives).tolist()
    (('D', 'C', 'B', 'A'), [0, 1, 0, 1])
    """
    refuse_unlike(samples, names, about)
    held = [as_written(each).tolist() for each in met([sample.thresholds for sample in samples])]
    if samples[0].levels is not None:
        grades = _of_levels([sample.levels or () for sample in samples], names)
    else:
        # Python compares numbers of all types exactly.
        scores = {score for each in held for score in each}
        grades = sorted(scores, reverse=samples[0].higher_is == "positive")
    if len(grades) > MOST_GRADES_OF_SCALE:
        raise ValueError(
            f"there are {len(grades):,} distinct scores, and at most {MOST_GRADES_OF_SCALE:,} are "
            "taken as grades; put scores together first with counts.joined or at_resolution"
        )
    place = {grade: k for k, grade in enumerate(grades)}
    places = ([place[grade] for grade in each] for each in held)
    return CommonScale(tuple(grades), tuple(np.array(each, dtype=np.intp) for each in places))


def in_one_type(samples: Sequence[ScoreCounts]) -> list[ScoreCounts]:
    """Return samples whose scores are of the type in which they meet."""
    scores = met([sample.score for sample in samples])
    return [
        sample if sample.score.dtype == score.dtype else replace(sample, score=score, groups=None)
        for sample, score in zip(samples, scores, strict=True)
    ]


def stand_above(scores: Graded, cut: Any, name: str) -> int:
    """Return how many scores stand above a cut-off; a grade begins with the level it names."""
    reached = selected_at(scores, cut, name)
    if scores.levels is None:
        return reached
    return int((scores.score > len(scores.levels) - 1 - scores.levels.index(cut)).sum())


def cases_of(given: Any, name: str) -> ScoreCounts:
    """Return counts of every score for the function of this name; unknown outcomes as negatives."""
    if isinstance(given, CaseCounts):
        gone = given.held.dropped
        if gone is not None and gone.unscored is not None and name != "population_stability":
            raise ValueError(
                f'cases were counted with missing="bin", which is for population_stability; for '
                f'{name} count them with missing="drop"'
            )
        return given.held
    return as_ranking(given, name).every_score()


def as_two_labels(given: Any) -> tuple[str, str]:
    """Return what two samples are called, else raise TypeError."""
    named = isinstance(given, tuple | list) and all(isinstance(each, str) for each in given)
    if not named or len(given) != 2:  # noqa: PLR2004 - before and after
        raise TypeError(f"labels must be two names, of before and after, got {told(given)}")
    return given[0], given[1]


def _of_levels(several: Sequence[tuple[Any, ...]], names: Sequence[object]) -> list[Any]:
    """Return the grades of all samples: one that another lacks follows the one before it."""
    order: list[Any] = list(several[0])
    for levels, name in zip(several[1:], names[1:], strict=True):
        shared = [grade for grade in levels if grade in order]
        if not shared and order and levels:
            raise ValueError(
                f"{names[0]} and {name} have no grade in common: "
                + " and ".join(first_of(map(str, each), MOST_NAMED) for each in (order, levels))
            )
        refuse_other_order((order, levels), (names[0], name))
        order = list(_woven(order, levels))
    return order


def _woven(order: Sequence[Any], levels: Sequence[Any]) -> Iterator[Any]:
    """Yield two orders as one; between shared grades those of the first come first."""
    known, ahead = set(order), list(levels)
    for grade in order:
        if grade in ahead:
            place = ahead.index(grade)
            yield from (each for each in ahead[:place] if each not in known)
            ahead = ahead[place + 1 :]
        yield grade
    yield from (each for each in ahead if each not in known)


def grade_sums(scale: CommonScale, samples: Sequence[ScoreCounts]) -> tuple[Ints, Ints]:
    """Return positives and cases of each sample by grade, shape (samples, grades)."""
    p = np.array([scale.spread(k, sample.positives) for k, sample in enumerate(samples)])
    return p, p + [scale.spread(k, sample.negatives) for k, sample in enumerate(samples)]


def shares_of(column: Array) -> Floats:
    """Return the share of each entry in the sum."""
    return np.asarray(column / column.sum(), dtype=np.float64)
