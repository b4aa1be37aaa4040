"""The generalised AUC of outcomes with several classes: its standard error, limits and test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.ordinal import OrdinalTable, table_of
from capcurve.gate.taking import ORDINAL_CLASSES, of_two_columns
from capcurve.inference.differences import Question, Spread, difference_test
from capcurve.inference.independent import KNOWN_INITIAL
from capcurve.inference.limits import ByError, envelope
from capcurve.inference.records import Confidence, Test
from capcurve.metrics.association import Conditioning, OrdinalPairs, check_given, ordinal_pairs
from capcurve.numbers.arguments import as_share
from capcurve.show.chart import Chart, interval_chart
from capcurve.show.format import number, stated_percent
from capcurve.show.presentation import Figure, Presentation, as_sentences
from capcurve.show.result import OneRow

if TYPE_CHECKING:
    from capcurve.numbers.types import Ints

HALF = 0.5
NO_SPREAD_OF_PAIRS = (
    "every pair of cases is alike, which shows no spread, so intervals and tests take the standard "
    "error of the table with one more case at the wrong end"
)


@dataclass(frozen=True, slots=True)
class GeneralisedAUC(OneRow):
    """The generalised AUC of estimates of several classes, such as LGDs, and how sure it is.

    Attributes
    ----------
    estimate
        (Somers' D + 1)/2, in [0, 1].
    se
        Its standard error, by the delta method.
    low, high, level
        Its two-sided confidence limits and their level.
    somers_d
        Pairs in order less pairs out of order, over the pairs that differ in what is given.
    given
        "estimate" (the ECB's) or "target" (the AUC's generalisation).
    n
        Cases.
    concordant, discordant, differing
        Ordered pairs in order, out of order, and that differ in what is given: each pair twice.
    test_se
        The standard error that `test` takes: `se`, unless that is 0.
    notes
        What a reader must know.
    """

    estimate: float
    se: float
    low: float
    high: float
    level: float
    somers_d: float
    given: Conditioning
    n: int
    concordant: int
    discordant: int
    differing: int
    test_se: float
    notes: tuple[str, ...] = ()

    def presentation(self) -> Presentation:
        """Return what the generalised AUC shows: the number between its limits, and its pairs."""
        title, shown = "Generalised AUC", ", where 0.5 is chance and 1 is perfect"
        if self.low <= HALF <= self.high:
            shown = ", which does not show that the estimates rank better than chance (0.5)"
        low, value, high = (number(each) for each in (self.low, self.estimate, self.high))
        differ = "estimate" if self.given == "estimate" else "outcome"
        of = f"pairs that differ in the {differ}"
        d, se = "Somers' D", "standard error"
        figures = (
            Figure("generalised_auc", title, title, self.estimate, "ratio", self.low, self.high),
            Figure("somers_d", d, d, self.somers_d, "ratio", note="0 is chance"),
            Figure("se", se, se, self.se, "ratio"),
            Figure("n", "cases", "cases", self.n, "count"),
            Figure("concordant", "pairs in order", "in order", self.concordant, "count"),
            Figure("discordant", "pairs out of order", "out of order", self.discordant, "count"),
            Figure("differing", of, "differing pairs", self.differing, "count"),
        )
        return Presentation(
            title=title,
            sentences=(f"The generalised AUC is {value} [{low}, {high}]{shown}.",),
            figures=figures,
            level=self.level,
            charts=generalised_auc_chart(self),
            notes=(f"Only {of} count; ties in the other count half.", *as_sentences(self.notes)),
        )

    def test(self, initial: float | GeneralisedAUC) -> Test:
        """Test whether estimates rank worse today than at the first validation.

        `estimate` is the loss, initial less current; a small p-value says it is not chance.

        Parameters
        ----------
        initial
            The generalised AUC at first validation, taken as known, as the ECB prescribes; or
            that of the initial sample, whose own chance is then taken into account.

        Notes
        -----
        ECB (2019), Instructions for reporting the validation results of internal models, annex
        3.2: S = (gAUC_init - gAUC_curr)/s with s from the current sample, p = 1 - Φ(S).

        Examples
        --------
        >>> found = generalised_auc([[80, 5], [10, 5]]).test(0.75)
        >>> round(found.statistic, 4), round(found.p_value, 4)
        (1.8132, 0.0349)
        """
        if isinstance(initial, GeneralisedAUC):
            if initial.given != self.given:
                raise ValueError(
                    f"the initial number is given the {initial.given}, this one the {self.given}: "
                    "they are two measures; compute both with the same given="
                )
            before, variance = initial.estimate, self.test_se**2 + initial.test_se**2
            samples, notes = "two samples", self.notes
        else:
            before, variance = as_share(initial, "initial"), self.test_se**2
            samples, notes = "initial value known (ECB)", (*self.notes, KNOWN_INITIAL)
        values = {"initial": before, "current": self.estimate}
        fall, spread = before - self.estimate, Spread(variance, None, "delta method", notes)
        asked, how = Question("superior"), f"{samples}, delta method, normal"
        found = difference_test("initial - current", values, fall, spread, asked, how)
        return replace(found, metric=None, alternative="the current one is lower")


def generalised_auc_chart(found: GeneralisedAUC, initial: float | None = None) -> tuple[Chart, ...]:
    """Return the picture of the number between its limits, and the one at first validation."""
    title, limits = "Generalised AUC", (found.low, found.estimate, found.high)
    before = {} if initial is None else {f"Initial value, {number(initial)}": (initial,)}
    label, of = f"{stated_percent(found.level)} interval", f"{title} (0.5 is chance, 1 is perfect)"
    return interval_chart(title, {title: limits}, label, of, whole=(0.5, 1.0), references=before)


@of_two_columns(ORDINAL_CLASSES)
def generalised_auc(
    table: OrdinalTable, *, given: Conditioning = "estimate", level: float = 0.95
) -> GeneralisedAUC:
    """Return the generalised AUC: how often estimates such as LGDs order two cases rightly.

    `.test(initial)` compares it with an earlier value. Raises `ValueError` when there are no cases,
    or when no pair differs in what is given.

    Parameters
    ----------
    table
        Result of `count_classes`; or a table of counts whose rows are the estimated and whose
        columns are the realised classes, both ascending.
    given
        Which pairs are looked at. "estimate": those that differ in the estimate, as in the ECB's
        annex; where grades tie this is not the AUC. "target": those that differ in the outcome;
        of a yes/no outcome this is the AUC.
    level
        Confidence level of the two-sided limits.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, annex 3.2;
    Goodman & Kruskal (1963), JASA 58, 310-364. The standard error treats cases as independent.
    The limits are the widest of estimate ± t·se, the same on the scale ln(A/(1 - A)), and the
    estimates with one unseen case at the wrong or the right end; t has the degrees of freedom
    that the influences of the cases leave.

    Examples
    --------
    80·5 = 400 pairs in order and 10·5 = 50 out of it. 85·15 = 1,275 pairs differ in the estimate,
    90·10 = 900 in the outcome: (350/1275 + 1)/2 and (350/900 + 1)/2.

    >>> table = [[80, 5], [10, 5]]
    >>> round(generalised_auc(table).estimate, 6)
    0.637255
    >>> round(generalised_auc(table, given="target").estimate, 6)
    0.694444
    """
    counts, given, confidence = table_of(table), check_given(given), Confidence(level)
    pairs, unseen = ordinal_pairs(counts, given), _with_one_more(counts, given)
    test_se = pairs.se or max(more.se for more in unseen)
    # The widest limits: on the plain scale, on that of the log odds, with one more case.
    found = ByError(pairs.won, test_se, confidence.t(pairs.freedom), lack=pairs.lost)
    low, high = envelope(found.plain, found.scaled or found.plain)
    worse, better = (more.won for more in unseen)
    return GeneralisedAUC(
        estimate=pairs.won,
        se=pairs.se,
        low=max(min(low, worse), 0.0),
        high=min(max(high, better), 1.0),
        level=confidence.level,
        somers_d=pairs.somers_d,
        given=given,
        n=pairs.cases,
        concordant=pairs.concordant,
        discordant=pairs.discordant,
        differing=pairs.differing,
        test_se=test_se,
        notes=() if pairs.se else (NO_SPREAD_OF_PAIRS,),
    )


def _with_one_more(table: Ints, given: Conditioning) -> list[OrdinalPairs]:
    """Return the pairs with one more case at the wrong end, and with one at the right end."""
    # The estimate of the first is below all others, that of the second above; both have the highest
    # outcome.
    found = []
    for row in (0, -1):
        more = np.zeros((table.shape[0] + 2, table.shape[1] + 1), dtype=np.int64)
        more[1:-1, :-1] = table
        more[row, -1] = 1
        found.append(ordinal_pairs(more, given))
    return found
