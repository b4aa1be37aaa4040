"""Whether numbers stated beside a table can be true, or are something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from capcurve.metrics import METRICS
from capcurve.numbers.arguments import as_name, told
from capcurve.show.columns import form_of
from capcurve.show.format import certain, number, percent
from capcurve.studies.audit.bins import Bins, auc, ratio_of_bins
from capcurve.studies.audit.printed import Rounding, Window, decimals_of, window
from capcurve.studies.audit.reading.texts import cell_in
from capcurve.studies.audit.records import WHOLE_TABLE, Claim, Range, metric_in_words

if TYPE_CHECKING:
    from capcurve.studies.audit.ranges import AllowedRankings
    from capcurve.studies.audit.tables import Tables

AT_A_DEPTH = ("captured", "lift", "precision")
CLAIM_ALIASES = {**METRICS.some(WHOLE_TABLE).aliases, "captured_response": "captured"}
LEAST_DECIMALS = 3
MOST_TOTALS_OF_A_MISTAKE = 50
# A claim to fewer digits meets most numbers by chance.
MOST_OF_A_DIGIT = Fraction(1, 100)


@dataclass(frozen=True, slots=True)
class Stated:
    """A number that somebody states beside a table."""

    metric: str  # what it is a number of
    q: Fraction | None  # at which share of cases, or None
    said: str  # the number as stated
    window: Window  # where the number behind it lies

    @property
    def name(self) -> str:
        """The metric with its depth, such as "captured@0.1"."""
        return self.metric if self.q is None else f"{self.metric}@{float(self.q):g}"


def stated(claims: Any, rounding: Rounding) -> tuple[Stated, ...]:
    """Return claims as they were stated, else raise ValueError."""
    if claims is None:
        return ()
    if not isinstance(claims, Mapping):
        raise TypeError(
            f'claims must map metrics to numbers, as {{"ks": "0.37"}}, got {told(claims)}'
        )
    found: list[Stated] = []
    for name, said in claims.items():
        metric, q = _metric_and_depth(name)
        every = said if isinstance(said, list | tuple) else [said]
        found += [Stated(metric, q, str(one), _window(metric, one, rounding)) for one in every]
    return tuple(found)


def _metric_and_depth(name: Any) -> tuple[str, Fraction | None]:
    """Return a metric and its depth, of "ks", "captured@0.1" or ("captured", 0.1)."""
    parts = name if isinstance(name, tuple) else str(name).split("@")
    metric = as_name(parts[0], "what is claimed", (*WHOLE_TABLE, *AT_A_DEPTH), CLAIM_ALIASES)
    if metric in WHOLE_TABLE and len(parts) == 1:
        return metric, None
    depth = cell_in(parts[1]) if len(parts) == 2 else None  # noqa: PLR2004 - metric and depth
    if depth is None or metric in WHOLE_TABLE:
        raise ValueError(
            f"{told(name)} is not understood: write ks, accuracy_ratio or roc_auc, or captured, "
            "lift or precision with a share of cases, as captured@0.1"
        )
    q = depth.stated
    if not 0 < q <= 1:
        raise ValueError(f"the share of cases in {told(name)} must be in (0, 1]")
    return metric, q


def _window(metric: str, said: Any, rounding: Rounding) -> Window:
    """Return where a claimed number lies; beyond 1 all but a lift is in per cent."""
    comma = isinstance(said, str) and "," in said and "." not in said
    found = cell_in(said, "," if comma else ".")
    if found is None:
        raise ValueError(f"the claimed {metric} must be a number such as 0.37, got {told(said)}")
    in_percent = found.percent or (metric != "lift" and abs(found.value) > 1)
    signed = metric in {"accuracy_ratio", "ks"}
    return window(found, rounding, Fraction(1, 100 if in_percent else 1), signed=signed)


def judged(claim: Stated, allowed: AllowedRankings, assumed: AllowedRankings | None) -> Claim:
    """Return a claim judged by what a table allows, and beside what a population allows."""
    found = _range_of(claim, allowed)
    possible = _meets(claim, _window_of(found), allowed)
    wrong = mistake(claim.metric, claim.window, allowed.tables, possible=possible)
    words = [_message(claim, found, allowed, possible=possible)]
    # What is assumed of the population a sample need not meet: that is mentioned, not refuted.
    if assumed is not None and possible:
        wider = _range_of(claim, assumed)
        if _window_of(wider).cut(claim.window).is_empty:
            words.append(
                f"A population with a concave curve has {_allowed_words(wider)}; chance inside the "
                "bins can take a sample beyond that."
            )
    if wrong is not None:
        words.append(f"It is {wrong}.")
    return Claim(
        metric=claim.name,
        said=claim.said,
        low=float(claim.window.low),
        high=float(claim.window.high),
        possible=possible,
        range=found,
        mistake=wrong,
        message=" ".join(words),
    )


def _range_of(claim: Stated, allowed: AllowedRankings) -> Range:
    """Return the range of what a claim is about."""
    number_of = getattr(allowed, claim.metric)
    found: Range = number_of() if claim.q is None else number_of(claim.q)
    return found


def _window_of(found: Range) -> Window:
    """Return the ends of a range, exactly where they are known so."""
    if found.exact is None:
        return Window(Fraction(found.low), Fraction(found.high))
    return Window(found.exact[0], found.exact[2])


def _meets(claim: Stated, ends: Window, allowed: AllowedRankings) -> bool:
    """Tell whether a claim meets a range and, of one table, holds a number that pairs give."""
    both = ends.cut(claim.window)
    if both.is_empty:
        return False
    step = _step_of(claim, allowed)
    return step is None or floor(both.high / step) >= ceil(both.low / step)


def _step_of(claim: Stated, allowed: AllowedRankings) -> Fraction | None:
    """Return what half a pair of one positive and one negative is worth, where it is known."""
    only = allowed.tables.only
    if only is None or claim.metric not in {"accuracy_ratio", "roc_auc"} or not only.counted:
        return None
    return Fraction(1, (1 if claim.metric == "accuracy_ratio" else 2) * only.n1 * only.n0)


def _message(claim: Stated, found: Range, allowed: AllowedRankings, *, possible: bool) -> str:
    """Return the judgement in one sentence."""
    start = f"The claimed {metric_in_words(claim.name)} of {claim.said}"
    step, words = _step_of(claim, allowed), _allowed_words(found, claim)
    if possible:
        # Not every number inside a range need be that of some ranking.
        exact = step is not None or found.low == found.high
        verdict = "is possible" if exact else "is within the range"
        return f"{start} {verdict} (the table allows {words})."
    if _window_of(found).cut(claim.window).is_empty:
        return f"{start} is impossible (the table allows {words})."
    least = allowed.tables.at(0).least
    return (
        f"{start} is impossible: with {least.n1:,} positives and {least.n0:,} negatives it moves "
        f"in steps of {_step_in_words(step or Fraction(0))}, none of which gives it."
    )


def _step_in_words(step: Fraction) -> str:
    """Return a step in full where few digits hold it.

    >>> _step_in_words(Fraction(1, 16)), _step_in_words(Fraction(1, 9))
    ('0.0625', 'about 0.11')
    """
    text = f"{float(step):.4g}"
    return text if Fraction(text) == step else f"about {float(step):.2g}"


def _allowed_words(found: Range, claim: Stated | None = None) -> str:
    """Return a range in words, with digits enough to tell its ends from a claim."""
    ends, digits = _window_of(found), LEAST_DECIMALS
    if claim is not None:
        apart = zip(ends, claim.window[::-1], strict=True)
        digits = max(digits, *(decimals_of(abs(a - b) or 1) for a, b in apart))
    share = claim is not None and (form_of(claim.metric) == "share" or claim.said.endswith("%"))
    low, high = (
        percent(end, digits - 2) if share else number(end, digits)
        for end in certain(found.low, found.high)
    )
    return f"{low} alone" if ends.low == ends.high else f"{low} to {high}"


def cap_area(bins: Bins) -> Fraction:
    """Return the area under the CAP, straight between the table's points."""
    twice = sum((p + p0) * (p - p0 + m - m0) for p0, p, m0, m in bins.each())
    return Fraction(twice, 2 * bins.n * bins.n1)


def of_the_ratio(bins: Bins) -> Iterator[tuple[str, Fraction]]:
    """Yield what passes for the accuracy ratio of a table, in words and as a number."""
    prevalence, area = Fraction(bins.n1, bins.n), cap_area(bins)
    first = bins.positives[0] * (bins.positives[0] + bins.negatives[0])
    rest = 2 * area - Fraction(first, bins.n * bins.n1)
    yield "the AUC of the table", auc(bins, "table")
    lorenz = "the Gini coefficient of the table's Lorenz curve, (1 - prevalence)·AR"
    yield lorenz, (1 - prevalence) * ratio_of_bins(bins, "table")
    yield "the area under the CAP over that under the perfect CAP", area / (1 - prevalence / 2)
    yield "the area under the CAP", area
    cut = "the accuracy ratio with the curve's start at the origin left out"
    yield cut, Fraction((rest - 1) * bins.n, bins.n0)
    yield "what positives first in every bin give", ratio_of_bins(bins, "high")
    yield "what negatives first in every bin give", ratio_of_bins(bins, "low")


def of_the_auc(bins: Bins) -> Iterator[tuple[str, Fraction]]:
    """Yield what passes for the AUC of a table, in words and as a number."""
    yield "the accuracy ratio of the table", ratio_of_bins(bins, "table")
    yield "the area under the CAP", cap_area(bins)
    yield "what positives first in every bin give", auc(bins, "high")
    yield "what negatives first in every bin give", auc(bins, "low")


def mistake(metric: str, window: Window, tables: Tables, *, possible: bool) -> str | None:
    """Return what a claimed accuracy ratio or AUC is instead, in words, or None."""
    known = {"accuracy_ratio": (ratio_of_bins, of_the_ratio), "roc_auc": (auc, of_the_auc)}
    if metric not in known:
        return None
    right, wrong = known[metric]
    pairs = [(each.least, each.greatest) for each in tables.each(MOST_TOTALS_OF_A_MISTAKE)]
    spans = (Window(right(low, "table"), right(high, "table")) for low, high in pairs)
    if not all(span.cut(window).is_empty for span in spans):
        return None
    if window.high - window.low > MOST_OF_A_DIGIT and possible:
        return None
    for low, high in pairs:
        for (words, first), (_, last) in zip(wrong(low), wrong(high), strict=True):
            if not Window(min(first, last), max(first, last)).cut(window).is_empty:
                return words
    return None
