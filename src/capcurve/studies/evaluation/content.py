"""What is known of scores that were evaluated: counts, summaries and segments by score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from capcurve.counts.settings import as_words
from capcurve.counts.times import taken_by, within
from capcurve.inference.paired import MOST_IN_PAIRS, ranking_sentences
from capcurve.results.findings import CHANCE
from capcurve.results.horizon import HorizonRow, over_horizons
from capcurve.results.several import AtShare, segments_sentence
from capcurve.results.summary import of_errors
from capcurve.show.format import listed, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import (
        Amounts,
        JointCounts,
        JointValues,
        Ranking,
        ScoreCounts,
        ValueCounts,
        ValueSums,
    )
    from capcurve.inference import Comparison, Test
    from capcurve.numbers.frame import Backend
    from capcurve.results import Summary, ValueSummary
    from capcurve.results.profits import BestProfit
    from capcurve.show.presentation import Finding, Light
    from capcurve.studies.monitoring import ControlChart


# Findings that the table of horizons shows, and those that a later horizon makes graver.
SHOWN_BY_HORIZONS, WORSENING = ("censored_before",), ("assumption_decides", "few_followed")


@dataclass(frozen=True, slots=True)
class Money:
    """What a captured positive, or unit of the amount, brings, and what selecting costs."""

    value: float
    cost: float

    def best_profits(
        self,
        counts: Mapping[str, Ranking | Amounts],
        summaries: Mapping[str, Summary | ValueSummary],
    ) -> dict[str, BestProfit]:
        """Return the best profit of each score that ranks."""
        from capcurve.results.profits import best_profits

        return best_profits(counts, summaries, self.value, self.cost)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Content:
    """What a card, a page or a workbook shows; `Evaluation` says what each attribute is."""

    counts: Mapping[str, Ranking | Amounts]
    segments: Mapping[str, Mapping[Any, ScoreCounts | ValueCounts]] = field(default_factory=dict)
    summaries: Mapping[str, Summary | ValueSummary] = field(default_factory=dict)
    segment_summaries: Mapping[str, Mapping[Any, Summary | ValueSummary]] = field(
        default_factory=dict
    )
    comparison: Comparison | None = None
    not_compared: tuple[Finding, ...] = ()
    title: str = "How well the score ranks"
    source: str | None = None
    by: str | None = None
    prevalence: float | None = None
    about_rows: tuple[Finding, ...] = ()
    about_segments: tuple[Finding, ...] = ()
    money: Money | None = None
    min_cell: int | None = None
    joint: JointCounts | JointValues | None = None
    control_charts: Mapping[str, ControlChart] = field(default_factory=dict)
    alike: Mapping[str, Test] = field(default_factory=dict)
    at_share: AtShare | None = None
    horizons: tuple[HorizonRow, ...] = ()
    best_profits: Mapping[str, BestProfit] = field(default_factory=dict)
    clusters: str | None = None
    crossed: tuple[str, ...] = ()
    backend: Backend | None = field(default=None, compare=False)

    @property
    def signed(self) -> bool:
        """Whether amounts are below zero too, so that only curves in their own units are drawn."""
        found = self.summaries.values()
        return any(summary.kind == "amounts" and summary.signed for summary in found)

    @property
    def time_unit(self) -> str | None:
        """What the times behind the scores are counted in, where that is known."""
        taken = map(taken_by, self.counts.values())
        return next((found[0].time_unit for found in taken if found), None)

    @property
    def level(self) -> float:
        """The confidence level of all intervals."""
        return next((summary.level for summary in self.summaries.values()), 0.95)

    @property
    def first_sentences(self) -> tuple[tuple[str, Light | None], ...]:
        """What is said before all else, with its light: alarms, and which score ranks best."""
        found: list[tuple[str, Light | None]] = []
        for name, chart in self.control_charts.items():
            shown = chart.presentation()
            found.append((self._of(name, shown.sentences[0]), shown.light))
        if self.comparison is not None:
            found += [(printable(said), None) for said in ranking_sentences(self.comparison)]
        if len(self.summaries) > 1:
            for name, summary in self.summaries.items():
                found += [
                    (self._of(name, printable(said)), None) for said in of_errors(summary)[:1]
                ]
        found += [(printable(told), None) for told in over_horizons(self.horizons, self.time_unit)]
        return tuple(found)

    @property
    def about_profit(self) -> tuple[str, ...]:
        """How many to select by which score for the largest profit."""
        if not self.best_profits:
            return ()
        name, best = max(self.best_profits.items(), key=lambda each: each[1].profit)
        return tuple(self._of(name, printable(said)) for said in best.sentences)

    @property
    def about_alike(self) -> tuple[str, ...]:
        """Whether segments differ in how well each score ranks."""
        by = as_words(self.by or "segment")
        if len(self.alike) > MOST_IN_PAIRS:
            differ = [name for name, test in self.alike.items() if test.p_value <= CHANCE]
            said = f"{len(differ) or 'none'} of {len(self.alike)} scores"
            which = f": {listed(map(printable, differ), MOST_IN_PAIRS)}" if differ else ""
            explained = f"differs by {by} more than chance explains (each at 5%)"
            return (f"The accuracy ratio of {said} {explained}{which}.",)
        return tuple(
            self._of(name, printable(segments_sentence(test, by)))
            for name, test in self.alike.items()
        )

    def _of(self, name: str, sentence: str) -> str:
        """Return a sentence with the score that it is about, where there are several."""
        return f"{printable(name)}: {sentence}" if len(self.summaries) > 1 else sentence

    @property
    def ranked(self) -> list[str]:
        """The scores that have curves."""
        return [n for n, found in self.summaries.items() if found.accuracy_ratio is not None]

    def held(self, name: str) -> ScoreCounts | ValueSums:
        """Return the counts of a score; totals are drawn through the cut-offs that they hold."""
        return self.counts[name].vertices

    def about_all(self) -> tuple[Finding, ...]:
        """Return the findings that are not of a whole score: on rows, tests and segments."""
        return (*self.about_rows, *self.not_compared, *self.about_segments)

    def told(self) -> dict[str, list[Finding]]:
        """Return what is said below the numbers: of no score, or of all of them alike, and of each.

        What a sentence says is not said again: whether segments differ, how right PDs are.
        """
        of_each = {name: list(summary.findings) for name, summary in self.summaries.items()}
        first, *others = of_each.values()
        alike = [each for each in first if all(each in other for other in others)]
        whole = [each for each in self.about_all() if each.code != "unlike_segments"]
        said = (*self.repeated, *self._in_words)
        own = {
            name: [each for each in found if each not in (*alike, *said)]
            for name, found in of_each.items()
        }
        alike = [each for each in alike if each not in said]
        return {"": [*whole, *alike], **{name: found for name, found in own.items() if found}}

    @property
    def _in_words(self) -> tuple[Finding, ...]:
        """Findings about the PDs of a single score that a sentence of its calibration says."""
        first, *others = self.summaries.values()
        if others or first.kind != "classes" or first.calibration is None:
            return ()
        shown = first.calibration.presentation().findings
        return tuple(each for each in first.calibration.findings if each not in shown)

    @property
    def repeated(self) -> tuple[Finding, ...]:
        """Findings that a first sentence or the table of horizons says, or an earlier horizon."""
        of_errors = (getattr(s, "selective", None) for s in self.summaries.values())
        found = [f for each in of_errors if each and each.certified for f in each.findings]
        earlier = set()
        for row in self.horizons:
            names = (within(row["score"], row["horizon"], self.time_unit), row["score"])
            summary = next(self.summaries[name] for name in names if name in self.summaries)
            for finding in summary.findings:
                of_score = (row["score"], finding.code)
                if finding.code in SHOWN_BY_HORIZONS or (
                    finding.code in WORSENING and of_score in earlier
                ):
                    found.append(finding)
                earlier.add(of_score)
        return tuple(found)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to know about the scores and the segments."""
        own = tuple(f for summary in self.summaries.values() for f in summary.findings)
        return (*self.about_all(), *own)
