"""Verdict: whether a score ranks better than chance, in one plain sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from capcurve.gate.given import is_amounts
from capcurve.inference import Test, discrimination_test
from capcurve.inference.discrimination import leads_somewhere
from capcurve.show.format import chance_text, stated_percent
from capcurve.show.result import Record

if TYPE_CHECKING:
    from capcurve.counts import Amounts, Ranking

VERDICT_OF_CLUSTERS = (
    "the band assumes independent rows, and these are clustered: a random score leaves it more "
    "often than stated, so the sentence does not mention it"
)
VERDICT_OF_WEIGHTS = (
    "the rows are weighted, and the law of the largest gap is not known for them, so the sentence "
    "does not mention the band of random scores"
)
Ranks = Literal["better", "worse", "alike"]


@dataclass(frozen=True, slots=True)
class Verdict(Record):
    """Whether a score ranks better than chance.

    Attributes
    ----------
    ranks
        "better" or "worse" than chance, or "alike": not distinguishable from a random score.
    p_value
        How often a random score with the same ties has an accuracy ratio as far from zero.
    outside_band
        Whether the CAP somewhere leaves the simultaneous band of random scores; None of weighted
        rows and of amounts, for which that band is not known.
    band_p_value
        How often a random score with the same ties opens as wide a gap between the classes (KS).
        Where the law of large samples without ties already says less than 1 - level it is that one,
        which is too large rather than too small. None of weighted rows and of amounts.
    level
        The test is at 1 - level, the band at level.
    method
        How the p-value came about.
    sentence
        The one plain sentence.
    notes
        What a reader must know about it.

    Examples
    --------
    Two positives stand in any two of four places with the same chance, one in six: so they do on
    the first two, and on the last two, which is as far from zero. p = 2/6.

    >>> from capcurve import count_scores, summarize
    >>> verdict = summarize(count_scores([1, 1, 0, 0], [4, 3, 2, 1])).verdict
    >>> verdict.ranks, round(verdict.p_value, 3)
    ('alike', 0.333)
    """

    ranks: Ranks
    p_value: float
    outside_band: bool | None
    band_p_value: float | None
    level: float
    method: str
    sentence: str
    notes: tuple[str, ...] = ()


def _tested(counts: Ranking | Amounts) -> Test:
    """Return the test that the accuracy ratio is 0."""
    if is_amounts(counts):
        from capcurve.inference.amount_limits import ratio_test

        return ratio_test(counts)
    return discrimination_test(counts)


def ranks_of(counts: Ranking | Amounts, alpha: float, among: int = 1) -> tuple[Ranks | None, str]:
    """Return how a score ranks by a two-sided test, and its p-value in words; None without one."""
    # The p-value is adjusted for as many segments as were looked at (Bonferroni).
    try:
        found = _tested(counts)
    except ValueError:
        return None, ""
    found = replace(found, p_value=min(1.0, among * found.p_value))
    return _ranks(found, alpha), chance_among(found.p_value, among)


def chance_among(p_value: float, among: int) -> str:
    """Return an adjusted p-value in words, and for how many segments it was adjusted."""
    return chance_text(p_value) + (f", adjusted for {among} segments" if among > 1 else "")


def _ranks(found: Test, alpha: float) -> Ranks:
    if found.p_value > alpha:
        return "alike"
    return "better" if found.statistic > 0 else "worse"


def verdict_of(counts: Ranking | Amounts, level: float, *, rising: bool = False) -> Verdict | None:
    """Return whether a score ranks better than chance; None where nobody said what a case is."""
    # The p-value is that of AR = 0, of classes under labels dealt at random over the ties that were
    # seen: the interval of AR speaks of the same question. The CAP leaves the band of random scores
    # where the KS test of the same law rejects. `rising` says that a test found rates of positives
    # to rise somewhere, as those of a random score do not: then it is not called one.
    try:
        found = _tested(counts)
    except ValueError:
        return None
    alpha, band, notes = 1 - level, None, found.notes
    clustered = not is_amounts(counts) and counts.groups is not None
    if not is_amounts(counts) and counts.weights is not None:
        notes += (VERDICT_OF_WEIGHTS,)
    elif not is_amounts(counts):
        band = leads_somewhere(counts, alpha).p_value
        notes += (VERDICT_OF_CLUSTERS,) if clustered else ()
    outside = None if band is None else band <= alpha
    leaves = None if clustered else outside
    ranks = _ranks(found, alpha)
    said = _sentence(ranks, leaves, found.p_value, level, rising=rising)
    return Verdict(ranks, found.p_value, outside, band, level, found.method, said, notes)


def _sentence(
    ranks: Ranks, outside: bool | None, p_value: float, level: float, *, rising: bool
) -> str:
    said, band = chance_text(p_value), f"the {stated_percent(level)} band of random scores"
    if ranks != "alike":
        first = f"{ranks} than chance ({said})"
        return f"{first}, but the CAP stays in {band}" if outside is False else first
    if not (outside or rising):
        return f"not distinguishable from a random score ({said})"
    but = f"the CAP leaves {band}" if outside else "rates of positives differ"
    return f"overall no better than chance ({said}), but {but}"
