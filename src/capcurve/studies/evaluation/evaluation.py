"""evaluate: from data to everything about its scores, as a card, a page, pictures and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capcurve import inference
from capcurve.counts import (
    Amounts,
    JointCounts,
    JointUplift,
    JointValues,
    Ranking,
    ScoreCounts,
    UpliftCounts,
    ValueCounts,
    WeightKind,
)
from capcurve.counts.digest import sealed
from capcurve.counts.joint import PdColumn
from capcurve.counts.rank_totals import refuse_small_cells
from capcurve.counts.times import Competing, as_horizons, taken_by
from capcurve.gate.alike import refuse_mixed_kinds
from capcurve.gate.given import are_counts, is_amounts, refuse_word_of_amounts
from capcurve.input import (
    Query,
    at_horizons,
    count_followed,
    count_repeats,
    count_together,
    count_with_pds,
    counts_by_score,
    crossed_names,
    named_scores,
    of_table,
    refuse_row_keywords,
    source_of,
)
from capcurve.input.arrays import Missing, Rest, Rules
from capcurve.input.query import name_of, pds_beside
from capcurve.numbers.arguments import as_name
from capcurve.numbers.frame import Backend, backend_of, data_frame
from capcurve.numbers.nouns import Noun
from capcurve.numbers.periods import by_time
from capcurve.numbers.plain import plain
from capcurve.numbers.threads import each_at_once
from capcurve.results import SUMMARY_SCHEMA, Summary, ValueSummary, summarize
from capcurve.results.findings import (
    ScoresOfPDs,
    refuse_many_segments,
    repeated_ids,
    row_count as rows_counted,
    scores_of_pds,
)
from capcurve.results.horizon import horizon_rows, horizons_said, name_alone
from capcurve.results.segments import glances, summaries_of_segments
from capcurve.results.several import (
    HORIZONS_APART,
    about_segments,
    at_share,
    compared_scores,
    tests_of_segments,
)
from capcurve.results.summary import must_know
from capcurve.show.format import joined, printable
from capcurve.show.result import Result
from capcurve.show.wording import in_words
from capcurve.studies.evaluation.content import Content, Money
from capcurve.studies.evaluation.shown import presentation_of, rows_of_scores
from capcurve.studies.evaluation.trials import evaluation_of_trial, or_of_trials
from capcurve.tables import gains_table

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes

    from capcurve.curves.kinds import Errors
    from capcurve.inference import Comparison
    from capcurve.input.arrays.groups import Period
    from capcurve.input.columns import ColumnLike, Data, Directions, Levels, ScoreLike
    from capcurve.results.groups import GroupComparison
    from capcurve.results.trials import UpliftEvaluation
    from capcurve.show.presentation import Finding, Presentation
    from capcurve.show.table import Table

__all__ = ["Evaluation", "evaluate", "judge", "rows_of_clusters", "rows_sharing"]

FEW_SCORES_SHOWN = 10  # what a short answer has room for
MOST_SCORES_IN_TITLE = 5  # names of more scores would be no title
_INTERNAL = """
about_alike about_all about_profit first_sentences held level ranked repeated signed speaks
time_unit told
"""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Content, Result):
    """How well one or several scores rank, ready to be looked at, saved and quoted.

    In a notebook it shows as a card without script; `show()` opens the page, `save()` writes
    it.

    Attributes
    ----------
    counts
        `ScoreCounts`, or with an amount `ValueCounts`, by score.
    segments
        The same by score and segment; empty without `by`.
    summaries
        `Summary`, or `ValueSummary`, by score.
    segment_summaries
        The same by score and segment.
    comparison
        The paired tests of several scores of the same rows; None for one score, and where
        `not_compared` says why.
    not_compared
        The finding that says why several scores are not compared; else none.
    title, source, by, prevalence
        What it is called, where the data came from, what the segments are, and the stated
        prevalence.
    about_rows, about_segments
        Findings about the rows that were counted (ids that repeat), and about segments.
    money
        What a captured positive (a unit of the amount) brings and selecting a case (a unit of
        exposure) costs, or None.
    min_cell
        How many cases a point of a perfect CAP of amounts stands for at least, or None.
    joint
        Several scores counted together, or None.
    control_charts
        By score, the control charts that `monitored` made.
    alike
        By score, the test that all segments rank alike, where it is made.
    horizons
        Of each score by each horizon its rows by what became of them, and its accuracy ratio by
        what is assumed of the censored ones; empty where none is censored.
    at_share
        What several scores of the same rows select at the top 10%, and the swap set of the first
        score and the best of the others; None where that is not known.
    best_profits
        By score, how many to select for the largest profit, with limits; empty without `money`,
        and under a stated prevalence.
    clusters
        How many rows belong together, as the reports say it; None where rows are independent.
    crossed
        The columns that were crossed to segments; none where one column has the segments.
    backend
        Which kind of data frame the rows came in; None for another kind, and for counts.
    """

    _internal = frozenset(_INTERNAL.split())

    def __getitem__(self, score: str) -> Ranking | Amounts:
        """Return the counts of a score, which every function of counts takes."""
        return self.counts[self._named(score)]

    def __iter__(self) -> Iterator[str]:
        """Return the names of the scores."""
        return iter(self.counts)

    def __len__(self) -> int:
        return len(self.counts)

    def __contains__(self, score: object) -> bool:
        return score in self.counts

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.counts)

    def _named(self, score: str | None) -> str:
        """Return which score is meant; there is one, or it is named."""
        names = ", ".join(map(repr, self.counts))
        if score is None and len(self.counts) > 1:
            raise ValueError(f"there are several scores; pass score=, one of {names}")
        name = next(iter(self.counts)) if score is None else score
        if name not in self.counts:
            raise KeyError(f"there is no score {name!r}; there is {names}")
        return name

    def gains(self, score: str | None = None, *, bins: Any = 10) -> Table:
        """Return the gains table of a score, as `gains_table` does.

        Parameters
        ----------
        score
            Which one; the only one when left out.
        bins
            As in `gains_table`.

        Examples
        --------
        >>> evaluate([1, 0, 1, 0], [4, 3, 2, 1]).gains(bins=2)["captured"].tolist()
        [0.5, 1.0]
        """
        return gains_table(self[self._named(score)], bins=bins, prevalence=self.prevalence)

    def compare(self, **options: Any) -> Comparison:
        """Return the paired tests of the scores, as `compare` does with the same options.

        Raises `ValueError` for one score, and where the scores were not counted together.
        """
        if self.joint is None:
            why = "; ".join(found.message for found in self.not_compared)
            raise ValueError(why or "there is one score; comparing needs two, counted together")
        return inference.compare(self.joint, **{"level": self.level, **options})

    def compare_groups(self, score: str | None = None, **options: Any) -> GroupComparison:
        """Return the gaps between the segments, as `compare_groups` does with the same options.

        Raises `ValueError` without segments, and where `compare_groups` does.

        Parameters
        ----------
        score
            Which one; the only one when left out.
        **options
            Those of `compare_groups`, such as `threshold`, `q` and `against`.

        Examples
        --------
        >>> found = evaluate([1, 0, 0, 1, 0], [5, 4, 3, 2, 1], by=["a", "a", "b", "b", "b"])
        >>> found.compare_groups(threshold=4).groups["captured_response"].tolist()
        [1.0, 0.0]
        """
        from capcurve.results.groups import compare_groups

        name = self._named(score)
        if name not in self.segments:
            raise ValueError("there are no segments; evaluate with by=, the column of the groups")
        usual = {"by": self.by or "segment", "level": self.level, "all_segments": True}
        segments: Any = self.segments[name]
        return compare_groups(segments, **{**usual, **options})

    def monitored(self, initial: Any, *, score: str | None = None, **options: Any) -> Evaluation:
        """Return the evaluation with a control chart of its periods, which the page then shows.

        Raises `ValueError` without segments, and where `control_chart` does.

        Parameters
        ----------
        initial
            The initial sample, as `control_chart` takes it.
        score
            Which score; the only one when left out.
        **options
            Those of `control_chart`, such as `horizon` and `limit`.
        """
        from capcurve.studies.monitoring import control_chart

        name = self._named(score)
        where = f"the periods in {self.by!r}" if self.by else "the periods"
        periods = by_time(self.segments.get(name, {}), where)
        chart = control_chart(periods, initial, **options)
        return replace(self, control_charts={**self.control_charts, name: chart})

    def plot(  # type: ignore[override]  # the first argument says which picture
        self, kind: str = "cap", *, score: str | None = None, **options: Any
    ) -> Axes:
        """Draw all scores, or one of them.

        Parameters
        ----------
        kind
            "cap" (or "gains"), "roc", "lorenz", "lift", "mean-amount", "captured-response", "ks",
            "precision-recall", "score-distributions" or "profit"; of amounts "cap", "lorenz",
            "lift", "mean-amount" or "profit".
        score
            Which one; all when left out.
        **options
            Those of the function that draws it, such as `plot_cap`.
        """
        from capcurve.plots import PICTURE_ALIASES, PICTURE_KINDS

        draw = PICTURE_KINDS[as_name(kind, "kind", PICTURE_KINDS, PICTURE_ALIASES)]
        known = signature(draw).parameters
        if self.prevalence is not None and "prevalence" in known:
            options.setdefault("prevalence", self.prevalence)
        if "absolute" in known:  # of amounts below zero a share says nothing
            options.setdefault("absolute", self.signed)
        if self.money is not None and "cost" in known:
            options = {"value": self.money.value, "cost": self.money.cost, **options}
        return draw(self.counts if score is None else self[score], **options)

    def presentation(self) -> Presentation:
        """Return what the evaluation shows, in the order in which it is read."""
        return presentation_of(self)

    def to_html(self) -> str:
        """Return the page: one HTML document that loads nothing."""
        from capcurve.studies.evaluation.page import render_page  # who reads numbers waits for none

        return render_page(self, self.speaks)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that strict JSON can hold, with a seal that shows changes."""
        segments = {
            name: [
                {"segment": key, **summary.to_row(), "undefined": summary.undefined}
                for key, summary in glances(parts).items()
            ]
            for name, parts in self.segment_summaries.items()
        }
        written = {
            "schema_version": SUMMARY_SCHEMA,
            "title": self.title,
            "source": self.source,
            "by": self.by,
            "findings": self.about_all(),
            "scores": list(self.summaries.values()),
            "segments": segments,
            "comparison": self.comparison,
            "control_charts": self.control_charts,
            "segments_alike": self.alike,
            "at_share": self.at_share,
            "horizons": self.horizons,
            "best_profits": self.best_profits,
            "clusters": self.clusters,
        }
        return sealed(plain(written))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the evaluation to a file; its suffix says as what.

        The file is complete, or not there at all. Raises `ValueError` for another suffix, and in a
        workbook for weights beyond a spreadsheet's range.

        Parameters
        ----------
        path
            Ends in .html (the page), .json (the numbers), .xlsx (a workbook with live formulas),
            .md or .txt (the text), .csv (a row per score and segment), or .png, .svg, .pdf (the
            CAP).
        """
        target = Path(path)
        of_classes = not any(map(is_amounts, self.counts.values()))
        if target.suffix.lower() == ".xlsx" and self.money is not None and of_classes:
            raise ValueError(
                f"{target.name} is a workbook, which shows no profit; evaluate without value and "
                "cost"
            )
        return super(Evaluation, self).save(target)

    def _writers(self) -> dict[str, Callable[[Path], None]]:
        from capcurve.studies.evaluation.workbook import write_workbook

        # A class with slots is made anew, and a bare super() knows the first one only.
        usual = super(Evaluation, self)._writers()
        first = {".html": usual[".html"], ".json": usual[".json"]}
        xlsx = {".xlsx": lambda file: write_workbook(self, file, speaks=self.speaks)}
        return first | xlsx | usual

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with a row for each score, or for each score and segment.

        Its columns are those of `save("x.csv")`: every number of a summary, the accuracy ratio with
        its limits.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; when left out the kind that the rows came in, else the
            first of these that is installed.

        Examples
        --------
        >>> found = evaluate([1, 0, 1, 0], {"new": [4, 3, 2, 1], "old": [4, 2, 3, 1]})
        >>> found.to_frame("polars").select("score", "n", "accuracy_ratio").rows()
        [('new', 4, 0.5), ('old', 4, 1.0)]
        """
        return data_frame(self._columns(), backend or self.backend)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return rows_of_scores(self)

    def __repr__(self) -> str:
        first = [sentence for sentence, _ in self.first_sentences]
        several = len(self.summaries) > 1
        own = []
        for name, summary in list(self.summaries.items())[:FEW_SCORES_SHOWN]:
            own += [f"{printable(name)}: {summary.sentence}"]
            own += must_know(summary.findings, name if several else "")
        left = len(self.summaries) - FEW_SCORES_SHOWN
        more = [f"and {left} more scores"] if left > 0 else []
        said = [*first, *own, *more, *self.about_profit, *self.about_alike]
        return "\n".join(in_words(said, self.speaks))


@or_of_trials
def evaluate(
    target: ColumnLike = None,
    score: ScoreLike = None,
    data: Data = None,
    *,
    table: str | None = None,
    amount: ColumnLike = None,
    exposure: ColumnLike = None,
    by: ColumnLike = None,
    period: Period | None = None,
    all_segments: bool = False,
    weight: ColumnLike = None,
    weight_kind: WeightKind | None = None,
    pos_label: object = None,
    neg_label: object = None,
    rest: Rest = "raise",
    drop_label: object = None,
    higher_is: Directions = "positive",
    levels: Levels = None,
    missing: Missing = "raise",
    resolution: float | None = None,
    cluster: ColumnLike = None,
    id: ColumnLike = None,  # noqa: A002 - what the column is called
    prevalence: float | None = None,
    value: float | None = None,
    cost: float | None = None,
    title: str | None = None,
    positive_word: str | None = None,
    level: float = 0.95,
    memory_limit: str | int | None = None,
    min_cell: int | None = None,
    pd: ScoresOfPDs = None,
    selective: bool = False,
    errors: Errors = "positives",
    max_risk: float | None = None,
    time: ColumnLike = None,
    event: ColumnLike = None,
    horizon: float | Sequence[float] | None = None,
    stratum: ColumnLike = None,
    event_label: object = None,
    censored_label: object = None,
    competing_labels: object = None,
    competing: Competing = "negative",
    time_unit: str | None = None,
    treatment: ColumnLike = None,
    treated_label: object = None,
    control_label: object = None,
) -> Evaluation | UpliftEvaluation:
    """Evaluate how well one or several scores rank, or of a trial whom a treatment moves.

    Parameters
    ----------
    target
        Outcome, one label per row, or its column in `data`. Or ready counts:
        `ScoreCounts` or `ValueCounts`, a mapping of name to these, or `JointCounts` or
        `JointValues`, or of a trial `UpliftCounts` or `JointUplift`; then leave out `score` and
        everything about rows.
    score
        The score; for several a list of columns, or of their names in `data`, or a mapping of name
        to column. In a name * is any text: "s*" are all columns that begin with s, but those that
        are something else, such as the target.
    amount
        In place of a target: the amount of each row, such as its loss or claim cost, or its column.
    exposure
        With an amount: what each row counts on the axis of cases, such as insured years, the
        exposure at default or the premium, or its column; left out, each row counts one.
    by
        Segment of each row, or its column: months, products, regions. Several columns, or names,
        in a list are crossed.
    period
        For dates in `by`: "day", "week", "month", "quarter" or "year", so that the segments are
        called 2024-05-13, 2024-W20, 2024-05, 2024-Q2 or 2024.
    all_segments
        Whether to show more than 60 segments, or more than 12 where half have under 5 cases.
    higher_is
        "positive" if a higher score means a more likely positive, "negative" if a less likely one;
        for several scores also a mapping of those that differ, as {"points": "negative"}.
    levels
        Grades of scores that are names, most likely positive first, as ["C", "B", "A"]; for several
        scores also a mapping of score to grades.
    id
        An id per row, or its column: a finding warns if ids repeat, since rows that share one
        are not independent, and the column should be passed as `cluster`.
    prevalence
        Re-weight the classes to a population in which this share is positive.
    value, cost
        Gain per captured positive (per unit of the amount) and cost per selected case (per unit
        of exposure), in the same unit of money: how many to select for the largest profit is then
        said first, and the page opens there. Give both or none.
    title
        Heading of the page.
    positive_word
        What people read in place of "positives", such as "defaults"; "person/people" for one and
        several. Amounts are called by their column.
    level
        Confidence level of all intervals.
    min_cell
        Refuse if any distinct score, in any segment, has fewer cases, which may identify people.
    pd
        Which scores are PDs: True (or "score") for all, the name of one, or names; or the PDs of
        grades, as a mapping of grade to PD, or by score; or a column of PDs beside the scores, or
        its name in `data`. Summaries then have the accuracy ratio that these PDs imply for this
        portfolio, its test as in `implied_accuracy_ratio`, and their calibration. It is never
        guessed.
    selective, errors, max_risk
        Whether to show how many errors are left among the surest cases, as in `summarize`.
    time, event, stratum, event_label, censored_label, competing_labels, time_unit
        In place of a target: how long each row was followed and how that ended, as in
        `count_times`. Several horizons, and several scores, are beside each other, and several
        scores by one horizon are compared.
    horizon, competing
        With these: the time or times by which the event may have come, as in `TimeCounts.at`.
    treatment, treated_label, control_label
        Of a randomised trial: whether each row was treated, or its column, as in `count_uplift`.
        The evaluation is then an `UpliftEvaluation`: of a target or an amount how much treating the
        top of each score gains, of several scores with a paired test of their Qini coefficients.
        `value` and `cost` are those of one more positive (unit of the amount) and of treating one
        case.
    pos_label, neg_label, rest, drop_label
        As in `count_scores`.
    data, table, weight, weight_kind, missing, resolution, cluster, memory_limit
        As in `count_scores`. Rows that lack any named column are left out for all scores.

    Examples
    --------
    >>> evaluate([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    score: 2 negatives among 5 cases are too few to show how well the score ranks. The accuracy
    ratio is 0.333.
    >>> evaluate(amount=[20, 0, 50, 30, 0], score=[0.2, 0.6, 0.8, 0.7, 0.4])
    score: Only 3 of 5 cases have an amount, too few to show how well the score ranks. The accuracy
    ratio is 0.692 for 5 cases.
    >>> bought, mailed, score = [1, 1, 0, 1, 0, 0], [1, 1, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1]
    >>> evaluate(bought, score, treatment=mailed).summaries["score"].top.estimate
    1.0
    """
    noun = None if positive_word is None else Noun.of(positive_word)
    if noun is not None:
        refuse_word_of_amounts(target, amount)
    of_arms = isinstance(target, UpliftCounts | JointUplift)
    if of_arms or any(each is not None for each in (treatment, treated_label, control_label)):
        found = evaluation_of_trial(locals(), signature(evaluate).parameters)
        return replace(found, speaks=noun)
    others: Any = {"neg_label": neg_label, "rest": rest, "drop_label": drop_label}
    rules = Rules(pos_label, higher_is, levels, missing, resolution, weight_kind, **others)
    about_rows: tuple[Finding, ...] = ()
    data = of_table(data, table)
    origin, given, backend = data, target, backend_of(data, target, amount, score)
    outcome = given if time is None else event
    besides = {"by": by, "period": period, "weight": weight, "id": id, "amount": amount}
    besides |= {"exposure": exposure, "memory_limit": memory_limit}
    timed = {"time": time, "event": event, "horizon": horizon, "stratum": stratum}
    timed |= {"event_label": event_label, "censored_label": censored_label}
    timed |= {"competing_labels": competing_labels, "time_unit": time_unit}
    if any(each is not None for each in timed.values()):
        besides |= {"target": target, "weight_kind": weight_kind, "pos_label": pos_label, **others}
        besides["rest"] = None if rest == "raise" else rest
        timed |= {"cluster": cluster, "competing": competing}
        target, pd = _at_horizons(timed, besides, score, rules, data, pd)
        score = data = cluster = None
        rules = Rules()
    elif competing != "negative":
        raise ValueError("competing= goes with time=, event= and horizon=; leave it out")
    if are_counts(target) and score is None:
        if time is None:
            usual = {field.name: field.default for field in fields(rules)}
            said = {n: getattr(rules, n) for n in usual if getattr(rules, n) != usual[n]}
            refuse_row_keywords(data=data, cluster=cluster, **besides, **said)
        whole: Mapping[str, Any] = counts_by_score(target)
        parts: Mapping[str, Mapping[Any, Any]] = {}
        joint: Any = target if isinstance(target, JointCounts | JointValues) else None
        if time is not None and joint is None and len(whole) > 1:
            joint = HORIZONS_APART
    else:
        besides["pd"] = pd
        counted = _counted(target, score, rules, data, cluster, besides)
        whole, parts, joint, pd, about_rows = counted
    refuse_small_cells(min_cell, whole, parts)
    return judge(
        whole,
        parts,
        joint,
        title=title or title_of(outcome if amount is None else amount, whole, time),
        source=source_of(origin),
        by=segments_called(by, period, data),
        crossed=crossed_names(by, data),
        prevalence=prevalence,
        level=level,
        about_rows=about_rows,
        money=money_of(value, cost),
        min_cell=min_cell,
        pd=pd,
        of_selection={"selective": selective, "errors": errors, "max_risk": max_risk},
        all_segments=all_segments,
        clusters=rows_of_clusters(whole, cluster, None if memory_limit else data),
        backend=backend,
        speaks=noun,
    )


def _counted(
    target: Any,
    score: Any,
    rules: Rules,
    data: Data,
    cluster: ColumnLike,
    others: Mapping[str, Any],
) -> tuple[Any, Any, Any, Any, tuple[Finding, ...]]:
    """Return counts of each score, by segment, and together; their PDs; and whether ids repeat."""
    by = others["by"]
    if isinstance(score, str) and hasattr(target, "columns"):
        raise TypeError("the data comes third: evaluate(target, score, data)")
    if score is None or (target is None and others["amount"] is None):
        raise TypeError(
            "evaluate needs a target and a score, or an amount and a score, or ready counts"
        )
    if others["period"] is not None and by is None:
        raise ValueError("period= goes with by=; name the column of the dates")
    about_rows = rows_sharing(others["id"], cluster, data)
    roles = {name: value for name, value in others.items() if name not in ("id", "pd")}
    no_scores = [others[name] for name in ("weight", "amount", "exposure", "id")]
    no_scores += by if isinstance(by, list | tuple) else [by]
    named = named_scores(score, data, target, cluster, *no_scores)
    query, pd = Query(target, named, rules, data, cluster=cluster, **roles), others["pd"]
    if _are_beside(pd, named, data):
        return (*count_with_pds(query, pd), about_rows)
    return (*count_together(query), pd, about_rows)


def _are_beside(pd: Any, scores: Mapping[str, Any], data: Data) -> bool:
    """Tell whether PDs are in a column of their own, rather than scores or grades that have PDs."""
    if isinstance(pd, str):
        return data is not None and pd != "score" and pd not in scores
    named = isinstance(pd, Collection) and all(isinstance(each, str) for each in pd)
    return hasattr(pd, "__len__") and not (named or isinstance(pd, Mapping))


def _at_horizons(
    timed: Mapping[str, Any],
    others: Mapping[str, Any],
    score: Any,
    rules: Rules,
    data: Data,
    pd: Any,
) -> tuple[Any, Any]:
    """Return counts at the horizons of rows with a time, and PDs; refuse what is of other rows."""
    for name, value in others.items():
        if value is not None:
            raise ValueError(f"{name}= does not go with time=, event= and horizon=; leave it out")
    for name in ("time", "event", "horizon"):
        if timed[name] is None:
            raise TypeError("evaluate needs time=, event= and horizon= together")
    if score is None:
        raise TypeError("evaluate needs a score beside time= and event=")
    columns = {name: timed[name] for name in ("time", "event", "stratum", "cluster")}
    horizons = as_horizons(timed["horizon"])
    named = named_scores(score, data, *columns.values())
    name = next(iter(named))
    if len(horizons) > 1 and not (pd is None or pd is False):
        raise ValueError("pd= is for one horizon; pass one")
    beside = _are_beside(pd, named, data)
    if beside:
        if len(named) > 1:
            raise ValueError("pd= in a column of its own is of one score at a horizon; pass one")
        own, rules = pds_beside([name], rules, pd)
        score = {**named, own: pd}
    labels = ("event_label", "censored_label", "competing_labels")
    words = {n: timed[n] for n in (*labels, "time_unit")}
    words |= {n: getattr(rules, n) for n in ("higher_is", "levels", "missing", "resolution")}
    times = count_followed(columns, score, data=data, **words)
    found: Any = at_horizons(times, horizons, name, timed["competing"])
    if beside:
        return {name: found.margin(name)}, {name: PdColumn(found, name, own)}
    return found, pd


def segments_called(by: ColumnLike, period: str | None, data: Data = None) -> str | None:
    """Return what the segments are, or None without any.

    >>> segments_called(["region", "day"], "month", {"region": [], "day": []})
    'month of region and day'
    """
    if by is None:
        return None
    names = " and ".join(crossed_names(by, data)) or (by if isinstance(by, str) else "segment")
    return names if period is None else f"{period} of {names}"


def money_of(value: float | None, cost: float | None) -> Money | None:
    """Return value and cost together, or None when neither is given."""
    if value is None and cost is None:
        return None
    if value is None or cost is None:
        raise ValueError("profit needs both value and cost; give both or none")
    if not (math.isfinite(value) and math.isfinite(cost)):
        raise ValueError(f"value and cost must be finite, got {value} and {cost}")
    return Money(float(value), float(cost))


def title_of(outcome: object, whole: Mapping[str, Any], time: object = None) -> str:
    """Return the heading of a report on these scores."""
    taken = {name: found for name, counts in whole.items() if (found := taken_by(counts))}
    scores = list(dict.fromkeys(name_alone(name, taken.get(name)) for name in whole))
    called = "the score" if scores == ["score"] else joined(scores)
    if len(scores) > MOST_SCORES_IN_TITLE:
        called = f"{len(scores)} scores"
    words = ["How well", called, "ranks" if len(scores) == 1 else "rank"]
    if (ranked := name_of(outcome)) is not None:
        words.append(ranked)
    if taken:
        unit = next(iter(taken.values()))[0].time_unit
        horizons = [horizon for _, horizon, _ in taken.values()]
        words.append(f"within {horizons_said(horizons, unit, name_of(time))}")
    return " ".join(words)


def rows_sharing(row_id: ColumnLike, cluster: ColumnLike, data: Data) -> tuple[Finding, ...]:
    """Return a finding when ids repeat and nothing says which rows belong together."""
    if row_id is None:
        return ()
    if cluster is not None:
        raise ValueError("id= only looks for repeated ids, cluster= uses them; leave out id=")
    found = count_repeats(row_id, data=data)
    return tuple(repeated_ids(found.rows, found.ids, found.sharing))


def rows_of_clusters(
    whole: Mapping[str, Ranking | Amounts], cluster: ColumnLike, data: Data
) -> str | None:
    """Return how many rows belong to how many clusters; None where rows are independent."""
    counts = next(iter(whole.values()))
    if counts.groups is None:
        return None
    called = cluster if isinstance(cluster, str) else "cluster"
    rows, of = rows_counted(counts), "clusters"
    # What was counted elsewhere, or leaves rows out, does not tell its clusters.
    with suppress(ValueError, TypeError):
        found = count_repeats(cluster, data=data) if cluster is not None else None
        if found is not None and found.rows == rows:
            of = f"{found.ids:,} clusters"
    where = f" ({called})" if called != "cluster" else ""
    return f"{rows:,} rows of {of}{where}; intervals allow for repeated clusters"


def judge(
    whole: Mapping[str, Ranking | Amounts],
    parts: Mapping[str, Mapping[Any, ScoreCounts | ValueCounts]],
    joint: JointCounts | JointValues | str | None,
    *,
    by: str | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    pd: ScoresOfPDs = None,
    of_selection: Mapping[str, Any] | None = None,
    all_segments: bool = False,
    through: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    **about: Any,
) -> Evaluation:
    """Return the evaluation of what was counted; `joint` may say why it is not there."""
    # `level`, `pd` and `all_segments` are as in `evaluate`, the others as in an `Evaluation`. What
    # goes `through` the scores may show how many are done. `of_selection` goes to their summaries.
    refuse_mixed_kinds(whole)
    if parts and not all_segments:
        refuse_many_segments(next(iter(parts.values())), by or "by")
    asked: Any = {"prevalence": prevalence, "level": level}
    pds = scores_of_pds(pd, whole)
    tests, not_compared = compared_scores(whole, joint, level)

    def summarized(name: str) -> Summary | ValueSummary:
        try:
            more = of_selection or {}
            return summarize(whole[name], name=name, pd=pds[name], **asked, **more)
        except ValueError as error:
            raise (ValueError(f"{name}: {error}") if len(whole) > 1 else error) from None

    cells = max(map(len, whole.values()), default=0)
    summaries = dict(zip(whole, each_at_once(summarized, whole, cells, through), strict=True))
    alike = tests_of_segments(parts)
    money = about.get("money")
    return Evaluation(
        counts=whole,
        segments=parts,
        summaries=summaries,
        segment_summaries={
            name: summaries_of_segments(segments, name=name, pd=pds[name], **asked)
            for name, segments in parts.items()
        },
        comparison=tests,
        not_compared=not_compared,
        by=by,
        prevalence=prevalence,
        about_segments=about_segments(parts, summaries, alike),
        alike=alike,
        horizons=horizon_rows(whole, summaries),
        at_share=at_share(joint, summaries, whole, money and (money.value, money.cost)),
        best_profits=money.best_profits(whole, summaries) if money else {},
        joint=None if isinstance(joint, str) else joint,
        **about,
    )
