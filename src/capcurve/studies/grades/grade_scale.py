"""GradeScale: the grades of a score with their rates, limits and cut-offs, and what they keep."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from capcurve.counts import ScoreCounts
from capcurve.counts.digest import is_sealed, sealed
from capcurve.counts.master_scale import MasterScale
from capcurve.counts.settings import CLASSES
from capcurve.gate.given import as_ranked, is_amounts
from capcurve.numbers.arguments import arg, as_typed
from capcurve.numbers.meeting import rounded_to
from capcurve.numbers.plain import number_from_plain as read_number
from capcurve.numbers.rankable import as_rankable, codes_of
from capcurve.show.chart import Axis, Chart, Line, Marker, model_style, reference
from capcurve.show.columns import formed
from capcurve.show.format import Form, capitalised, counted, cutoff_text, joined, listed, number
from capcurve.show.presentation import Figure, Finding, Presentation, as_sentences
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column
from capcurve.studies.grades.grading import graded
from capcurve.studies.grades.scales import stand_above

if TYPE_CHECKING:
    from capcurve.numbers.types import Array, Direction, Places

# Findings: what is held out falls short by more, a bound leaves more open, grades hold fewer.
MUCH_OPTIMISM, WIDE_BOUND, FEW_POSITIVES = 0.02, 0.001, 10
RATES_ALIKE = 0.05
MOST_BREACHES_NAMED = 12
FIGURES: dict[str, tuple[str, Form]] = {
    "held_out": ("AR on held-out data", "ratio"),
    "accuracy_ratio": ("AR on the design data", "ratio"),
    "ungrouped": ("AR of the score", "ratio"),
    "ceiling": ("highest AR of any grades", "ratio"),
    "loss_at_most": ("AR that a better scale may gain", "fine"),
    "equal_sized": ("AR of equal-sized grades, held-out data", "ratio"),
    "effective_grades": ("effective number of grades", "lift"),
}
MEANING_OF_P = "one-sided p-values, for a rate above the next grade's; reversed, for one below it"
CONSTRAINTS = {
    "min_share": "at least a share of {} in each grade",
    "max_share": "at most a share of {} in each grade",
    "min_positives": "at least {} positives in each grade",
    "distinct": "neighbours whose rates differ at the level {}",
    "fixed": "the cut-offs {}",
    "rounded": "cut-offs that are multiples of {}",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GradeScale(Result):
    """A grade scale: its cut-offs, rates and limits, and what it keeps of the accuracy ratio.

    Attributes
    ----------
    labels
        Names of the grades, most likely positive first.
    cutoffs
        Between the grades, from the top, in the fewest digits that select the same cases; of scores
        that are grades the first level of each further one.
    higher_is, levels
        Those of the score.
    accuracy_ratio, ungrouped, ceiling
        Of the grades, of the score, and of its concave majorant, which no grades exceed.
    loss_at_most
        By how much a better scale could be ahead: 0 where this one is proven to be the best.
    held_out, optimism, equal_sized
        The mean accuracy ratio of such scales in halves of the cases that did not design them, what
        `accuracy_ratio` lies above it, and the same mean for grades of equal share; None where it
        is not known.
    effective_grades
        1 over the sum of squared shares: so many grades of equal size are as concentrated.
    demands
        What was asked of the scale.
    table
        A row per grade: scores, cases, share, positives, rate with limits, lift, share captured,
        and tests against the next grade as in `adjacent_grades`.
    chosen
        A row per number of grades: accuracy ratio, held out, and of equal-sized grades.
    curves
        Points of the CAP of the score and of the scale.
    counts
        Counts by grade; None of a scale of amounts that was read from JSON.
    findings, notes
        What to know about the scale.
    """

    _left_out: ClassVar = frozenset({"counts"})
    _as_rows: ClassVar = frozenset({"table", "chosen"})

    labels: tuple[str, ...]
    cutoffs: tuple[Any, ...]
    higher_is: Direction
    levels: tuple[Any, ...] | None
    accuracy_ratio: float
    ungrouped: float
    ceiling: float
    loss_at_most: float
    held_out: float | None = None
    optimism: float | None = None
    equal_sized: float | None = None
    effective_grades: float
    demands: Mapping[str, Any]
    table: Table = field(repr=False)
    chosen: Table = field(repr=False)
    curves: Mapping[str, Sequence[Sequence[float]]] = field(repr=False)
    counts: Any = field(repr=False)
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def apply(self, scores: Any) -> Any:
        """Return the grade of each score, or counts by grade.

        Scores beyond those seen fall into the first and the last grade; a missing one has none.
        Raises `ValueError` for levels that are not those of the score, and for counts of another
        direction.

        Parameters
        ----------
        scores
            A column of any library, which becomes an array of labels with None where a score is
            missing; or counts of this score, which become counts by grade.

        Examples
        --------
        >>> from capcurve import ScoreCounts, design_grades
        >>> scale = design_grades(ScoreCounts.from_counts([2, 1], [3, 1], [1, 3]), 2, splits=0)
        >>> scale.apply([1.5, None, 9]).tolist()
        ['2', None, '1']
        """
        if hasattr(scores, "higher_is") or hasattr(scores, "counts"):
            return self._counts_by_grade(as_ranked(scores, "apply"))
        from capcurve.input.columns import as_column

        column = as_column(scores, "score")
        absent = np.zeros(len(column), bool) if column.missing is None else column.missing.copy()
        values = column.values
        if self.levels is None:
            values = as_rankable(values, "score", None, self.higher_is, absent)
        if values.dtype.kind == "f":
            absent |= np.isnan(values)
        found = np.full(len(values), None, dtype=object)
        names = np.array(self.labels, dtype=object)
        found[~absent] = names[self._places(values[~absent])]
        return found

    def _places(self, values: Array) -> Places:
        """Return the place of the grade of each score, 0 for the first."""
        if self.levels is not None:
            sizes = map(len, level_spans(self.levels, self.cutoffs))
            # The first level has the largest code.
            grades = np.repeat(np.arange(len(self.labels)), [*sizes])[::-1]
            return grades[codes_of(values, self.levels, "score")]
        beyond = np.less if self.higher_is == "positive" else np.greater
        places = np.zeros(len(values), dtype=np.intp)
        for cut in self.cutoffs:
            places += beyond(values, rounded_to(cut, values.dtype))
        return places

    def _counts_by_grade(self, counts: Any) -> Any:
        for name in ("higher_is", "levels"):
            own, other = getattr(self, name), getattr(counts, name)
            if own != other:
                raise ValueError(f"the scale has {name}={own!r}, these counts {name}={other!r}")
        every: Any = counts if is_amounts(counts) else counts.every_score()
        scores = every.by_score() if is_amounts(counts) else every
        ends = [stand_above(scores, cut, "cut-off") for cut in self.cutoffs]
        return graded(every, ends, self.labels)

    def master_scale(self) -> MasterScale:
        """Return the grades as whatever takes `levels` takes them.

        Raises `ValueError` where the scores are grades themselves.

        Examples
        --------
        >>> from capcurve import ScoreCounts, design_grades
        >>> scale = design_grades(ScoreCounts.from_counts([2, 1], [3, 1], [1, 3]), 2, splits=0)
        >>> scale.master_scale().bounds
        (2.0,)
        """
        if self.levels is not None:
            raise ValueError("the scores are grades, and a master scale is of numbers")
        bounds = sorted(b for b in self.table["score_from"].tolist() if not math.isnan(b))
        labels = self.labels if self.higher_is == "negative" else self.labels[::-1]
        return MasterScale(labels, tuple(bounds))

    def sql(self, score: str, dialect: str | None = None) -> str:
        """Return the grade of a column as an expression of SQL; NULL for no score and for NaN.

        Raises `ValueError` for a name that is none and for an unknown dialect.

        Parameters
        ----------
        score
            Name of the column, written as `cells_query` writes it.
        dialect
            One of those of `cells_query`. Left out, names have double quotes, and a condition on
            the sign finds NaN in any engine.

        Examples
        --------
        >>> from capcurve import ScoreCounts, design_grades
        >>> counts = ScoreCounts.from_counts([0.1, 0.03], [3, 1], [1, 3])
        >>> print(design_grades(counts, 2, labels="BA", splits=0).sql("pd", "mysql"))
        CASE WHEN pd IS NULL THEN NULL WHEN pd >= 0.07 THEN 'B' ELSE 'A' END
        """
        from capcurve.sql import grade_query

        above: list[Any] = [cutoff_text(cut) for cut in self.cutoffs]
        if self.levels is not None:
            above = level_spans(self.levels, self.cutoffs)
        sign = ">=" if self.higher_is == "positive" else "<="
        return grade_query(score, self.labels, above, sign, dialect)

    def to_dict(self) -> dict[str, Any]:
        """Return the scale as values that strict JSON can hold."""
        held = self.counts.to_dict() if isinstance(self.counts, ScoreCounts) else None
        return sealed({**super(GradeScale, self).to_dict(), "counts": held})

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Take a scale back from `to_dict`.

        Raises `ValueError` when it is no saved scale, or one of another version, and when it was
        changed after it was saved.
        """
        names = [each.name for each in fields(cls) if each.name != "speaks"]  # which is not saved
        held = saved if isinstance(saved, Mapping) else {}
        if missing := [name for name in ("schema_version", *names) if name not in held]:
            raise ValueError(f"this is no saved grade scale: it lacks {missing[0]}")
        if not is_sealed(saved):
            raise ValueError(
                "the grade scale is damaged or was changed after it was saved; take a copy that "
                "was not, or design it again"
            )
        if (version := saved["schema_version"]) != cls._schema_version:
            raise ValueError(
                f"expected a grade scale of version {cls._schema_version}, got {version}"
            )
        return cls(**_restored({name: saved[name] for name in names}))

    def presentation(self) -> Presentation:
        """Return what the scale shows: what it keeps, its cut-offs and rates, and the choice."""
        kept, cuts = _kept(self), listed(map(cutoff_text, self.cutoffs), MOST_BREACHES_NAMED)
        sign = "≥" if self.higher_is == "positive" else "≤"
        begin = "Grades begin at" if self.levels is not None else f"The cut-offs are score {sign}"
        figures = (
            Figure(name, label, label, getattr(self, name), form)
            for name, (label, form) in FIGURES.items()
        )
        asks = [
            CONSTRAINTS[name].format(joined(map(cutoff_text, x if np.iterable(x) else [x])))
            for name, x in self.demands.items()
            if name in CONSTRAINTS
        ]
        tests = MEANING_OF_P if "p_value" in self.table.columns else None
        asked = [f"The scale has, as asked, {joined(asks)}."] if asks else []
        return Presentation(
            title="Grade scale",
            sentences=(kept, f"{begin} {cuts}.", *asked),
            figures=tuple(
                each
                for each in figures
                if each.value is not None and (each.value or each.metric != "loss_at_most")
            ),
            findings=self.findings,
            charts=(_chart(self, kept),),
            tables=(
                replace(self.table, name="Grades", note=tests),
                replace(self.chosen, name="Accuracy ratio by number of grades"),
            ),
            notes=as_sentences(self.notes),
        )


def _restored(saved: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a scale from how JSON holds them."""
    held, levels = saved["counts"], saved["levels"]
    cuts, rows = saved["cutoffs"], saved["table"]
    if levels is None:  # numbers that JSON has not are held as text
        cuts = [read_number(cut) for cut in cuts]
        ends = ("score_from", "score_to")
        rows = [{**row, **{name: read_number(row[name]) for name in ends}} for row in rows]
    return {
        **saved,
        **{name: tuple(saved[name]) for name in ("labels", "notes")},
        "cutoffs": tuple(cuts),
        "levels": None if levels is None else tuple(levels),
        "table": _read("grades", rows),
        "chosen": _read("numbers of grades", saved["chosen"]),
        "findings": tuple(Finding(**each) for each in saved["findings"]),
        "counts": None if held is None else ScoreCounts.from_dict(held),
    }


def _read(name: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table that was written row by row."""
    columns = {}
    for column in rows[0]:
        values = [math.nan if row[column] is None else row[column] for row in rows]
        columns[column] = label_column(values) if column == "grade" else np.array(values)
    return scale_table(name, columns)


def scale_table(name: str, columns: Mapping[str, Array]) -> Table:
    """Return a table of grades, or of numbers of grades."""
    heads = {
        "accuracy_ratio": "AR, design data",
        "held_out": "AR, held-out data",
        "equal_sized": "AR, equal-sized grades, held-out data",
        "p_value": "p, next grade",
        "p_adjusted": f"adjusted for {len(columns.get('p_adjusted', ())) - 1}",
        "p_reversed": "p, reversed",
    }
    known = formed(
        columns,
        heads,
        share="rate_low rate_high",
        ratio="accuracy_ratio held_out equal_sized",
        p="p_value p_adjusted p_reversed",
    )
    return Table(name, known)


def level_spans(levels: Sequence[Any], cutoffs: Sequence[Any]) -> list[Sequence[Any]]:
    """Return the levels of each grade, given those with which all but the first begin."""
    starts = [0, *map(levels.index, cutoffs), len(levels)]
    return [levels[start:end] for start, end in pairwise(starts)]


def findings_of_scale(scale: GradeScale, *, no_gain: bool, fewer: bool) -> Iterator[Finding]:
    """Yield what there is to know about a scale."""
    table, labels = scale.table.columns, scale.labels
    pairs = [f"{a} and {b}" for a, b in pairwise(labels)]
    ratio, held, equal = scale.accuracy_ratio, scale.held_out, scale.equal_sized
    if fewer:
        found = f"no scale of more than {counted(len(labels), 'grade')} ranks better"
        yield Finding("fewer_grades", "info", found, "use these, or ask less of each grade")
    if no_gain and held is not None and equal is not None:
        sizes = counted(len(labels), "equal-sized grade")
        found = f"on data not used to design them, {sizes} rank just as well ({number(equal)})"
        yield Finding("no_gain", "info", found, "round cut-offs will do")
    if held is not None and ratio - held > MUCH_OPTIMISM:
        found = f"the accuracy ratio falls from {number(ratio)} to {number(held)} on held-out data"
        yield Finding("optimistic", "warning", found, "expect the second number on new data")
    if scale.loss_at_most > WIDE_BOUND:
        found = f"a better scale may gain up to {number(scale.loss_at_most, 4)} in accuracy ratio"
        yield Finding("bound_only", "info", found, "round the scores if the third digit matters")
    rates = np.diff(table["rate"] if "rate" in table else table["mean_amount"])
    if rising := [pair for pair, step in zip(pairs, rates, strict=True) if step >= 0]:
        found = f"the rate does not fall between {listed(rising, MOST_BREACHES_NAMED)}"
        yield Finding(
            "rates_rise", "warning", found, f"use {arg(falling=True)}, or join these grades"
        )
    # The p-values of the column beside which this is read.
    chances = table.get("p_adjusted", np.zeros(len(labels)))[:-1]
    if alike := [pair for pair, p in zip(pairs, chances, strict=True) if p > RATES_ALIKE]:
        which = f"{listed(alike, MOST_BREACHES_NAMED)} (adjusted p above {RATES_ALIKE})"
        found = f"the data do not show different rates between grades {which}"
        stricter = "" if scale.demands.get("distinct") else f"{as_typed(distinct=RATES_ALIKE)} or "
        yield Finding("neighbours_alike", "warning", found, f"ask for {stricter}fewer grades")
    held_by = table.get("positives", np.full(len(labels), FEW_POSITIVES))
    if few := [name for name, p in zip(labels, held_by, strict=True) if p < FEW_POSITIVES]:
        names = listed(few, MOST_BREACHES_NAMED)
        who = f"grade {names} has" if len(few) == 1 else f"grades {names} have"
        found = f"{who} fewer than {FEW_POSITIVES} positives"
        advice = f"ask for {as_typed(min_positives=FEW_POSITIVES)} or fewer grades"
        yield Finding("few_positives", "warning", found, advice)
    if ratio > scale.ungrouped:
        found = "on design data, the grades rank better than the score only by smoothing noise"
        yield Finding("ceiling_above_score", "info", found, "do not expect it to last")


# What is shown


def _kept(scale: GradeScale) -> str:
    """Return the accuracy ratio of the grades, on data that did not design them if there are."""
    size, own, held = len(scale.labels), number(scale.ungrouped), scale.held_out
    have = f"{counted(size, 'grade')} have an accuracy ratio of"
    if held is None:
        return f"{have} {number(scale.accuracy_ratio)} (the score itself {own})."
    said = f"{have} {number(held)} on data not used to design them (the score itself {own})"
    best = scale.chosen["grades"][int(np.argmax(scale.chosen["held_out"]))]
    return f"{said}; {best} rank best there." if best > size else f"{said}."


def _chart(scale: GradeScale, said: str) -> Chart:
    """Return the CAP of the score with the polygon of its grades."""
    curves, words = scale.curves, getattr(scale.counts, "words", CLASSES)
    (all_x, all_y), (x, y), style = curves["score"], curves["scale"], model_style(1)
    lines = [
        Line(all_x, all_y, f"Score  AR {number(scale.ungrouped)}", model_style(0)),
        Line(x, y, f"{len(scale.labels)} grades  AR {number(scale.accuracy_ratio)}", style),
        Line(x, y, "", style, width=0, marker=Marker("o", 0.6)),
    ]
    up = Axis(capitalised(words.share_captured), whole=1.0)
    if all_y[-1] != 1:  # the sum of amounts, some of which are below zero
        up = Axis(capitalised(words.captured), "money")
    cuts = zip(map(cutoff_text, scale.cutoffs), x[1:-1], y[1:-1], strict=True)
    return Chart(
        title=f"CAP of the score and of its {len(scale.labels)} grades",
        x=Axis(capitalised(words.share_selected), whole=1.0),
        y=up,
        lines=[*lines, reference([0, 1], [0, all_y[-1]], "Random")],
        corner="lower right",
        numbers=tuple(cuts),
        description=said,
    )
