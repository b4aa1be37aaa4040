"""What a reader of bounds must know: how much is unknown, of whom, and what the known hide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import table
from capcurve.counts.completing import at_odds, known_rates
from capcurve.counts.outcomes import Cells
from capcurve.inference import discrimination_test
from capcurve.metrics import roc_auc
from capcurve.show.finding import Finding
from capcurve.show.format import amount, chance_text, counted, number, percent, shortened
from capcurve.studies.unknown.records import called

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.studies.unknown.records import Bounded

# The unknown matter by their number beside that of the rarer class.
MANY = 0.1
# An AUC of unknown against known beyond this far from 1/2, and more than chance, is no accident.
ELSEWHERE, CHANCE = 0.05, 0.05
# How much further from 1/2 it must be along one of two scores.
MORE_SELECTED = 0.05
GRAVITY = ("error", "warning", "info")
NARROW = "narrow the bounds with positives={}, or wait for outcomes"


def findings_of(found: Bounded, cells: Cells) -> tuple[Finding, ...]:
    """Return what there is to know about bounds, the gravest first."""
    if not found.n_unknown > 0:
        return ()
    all_found = [*_of_size(found), *_of_use(found), *_of_odds(found, cells)]
    all_found += _of_one_outcome(found, cells)
    all_found += _of_selection(found) if found.names else _of_place(cells)
    return tuple(sorted(all_found, key=lambda finding: GRAVITY.index(finding.severity)))


def _of_size(found: Bounded) -> Iterator[Finding]:
    """Yield that the unknown weigh against the positives, or negatives where these are rarer."""
    positives, negatives = found.known_positives, found.n_known - found.known_positives
    rarer, name = min((positives, "positives"), (negatives, "negatives"), key=lambda each: each[0])
    if found.n_unknown < MANY * rarer:
        return
    share = percent(found.n_unknown / (found.n_known + found.n_unknown))
    yield Finding(
        "many_unknown",
        "info",
        f"{counted(found.n_unknown, 'unknown outcome')} against {amount(rarer)} known {name}: how "
        f"wide the bounds are depends on that, not on the {share} of cases that are unknown",
        "judge by the bounds whether the outcomes are complete enough, not by the share of cases",
    )


def _of_use(found: Bounded) -> Iterator[Finding]:
    """Yield that the bounds hold what a score without any information, or no difference, shows."""
    nothing = 0.0
    if not found.names:
        nothing = {"roc_auc": 0.5, "captured_response": found.q or 0.0}.get(found.metric, 0.0)
    if not found.low < nothing < found.high:
        return
    name = called(found.metric, found.q, found.names)
    if found.names:
        message = f"the unknown decide which score ranks better: {name} may be of either sign"
        yield Finding("bounds_too_wide", "warning", message, NARROW.format(""))
    elif found.known_only is None or found.known_only > nothing:
        message = f"the bounds are too wide to use: {name} may be that of a random score"
        yield Finding("bounds_too_wide", "warning", message, NARROW.format(" or odds="))


def _of_odds(found: Bounded, cells: Cells) -> Iterator[Finding]:
    """Yield that odds of the known are carried beyond the scores that the known have."""
    beyond = 0 if found.names or not len(cells.known) else cells.beyond_known()
    if not beyond or (found.same_odds is None and found.assumptions.odds is None):
        return
    verb = "stands" if beyond == 1 else "stand"
    yield Finding(
        "beyond_known_scores",
        "warning" if found.assumptions.odds is not None else "info",
        f"{amount(beyond)} of {counted(found.n_unknown, 'unknown case')} {verb} beyond the scores "
        "of all known cases; there the odds are those of the nearest known scores",
        "no known case shows what such cases do; rely on bounds without odds= there",
    )


def _of_one_outcome(found: Bounded, cells: Cells) -> Iterator[Finding]:
    """Yield that no odds ratio moves the unknown where all known cases have one outcome."""
    odds, pooled = found.assumptions.odds, found.assumptions.pooled
    if odds is None or odds == (1, 1):
        return
    fixed = _fixed(cells, odds, pooled=pooled)
    if not fixed > 0:
        return
    helps = not pooled and _fixed(cells, odds, pooled=True) < fixed
    which, verb = "pooled rate" if pooled else "rate", "stands" if fixed == 1 else "stand"
    yield Finding(
        "known_of_one_outcome",
        "warning",
        f"{amount(fixed)} of {counted(found.n_unknown, 'unknown case')} {verb} at scores where the "
        f"{which} of positives among the known is 0 or 1; no odds ratio moves that",
        "take rates pooled with neighbouring scores: pooled=True"
        if helps
        else "a rate of 0 or 1 among few known cases is no certainty; rely on bounds without odds=",
    )


def _fixed(cells: Cells, odds: tuple[float, float], *, pooled: bool) -> Any:
    """Return how many unknown have a rate of 0 or 1 at all of these odds."""
    rates = known_rates(cells, pooled=pooled)
    still = np.full(len(cells), True)
    for each in odds:
        still &= at_odds(cells, rates, each) == cells.unknown * rates
    found = table.total(cells.unknown[still & ((rates == 0) | (rates == 1))])
    return found if cells.unit == 1 else found * cells.unit


def _of_place(cells: Cells) -> Iterator[Finding]:
    """Yield that the unknown stand at other scores than the known."""
    auc, chance = _placed(cells)
    if auc is None:
        return
    side = "more" if auc > 1 / 2 else "less"
    yield Finding(
        "unknown_elsewhere",
        "warning",
        f"the unknown stand at other scores than the known: a random one ranks as {side} likely "
        f"positive than a random known case in {percent(max(auc, 1 - auc))} of pairs{chance}",
        "do not take the known for a sample of all cases: quote the bounds beside their number",
    )


def _placed(cells: Cells) -> tuple[float | None, str]:
    """Return how often the unknown outrank the known, None if by chance, and the p-value."""
    if not (len(cells.known) and len(cells.held)):
        return None, ""
    apart = cells.told_apart()
    auc = roc_auc(apart)
    if abs(auc - 1 / 2) < ELSEWHERE:
        return None, ""
    if not apart.is_whole or cells.known.groups is not None:
        return auc, ""
    p_value = discrimination_test(apart, method="normal").p_value
    return (auc, f" ({chance_text(p_value)})") if p_value <= CHANCE else (None, "")


def _of_selection(found: Bounded) -> Iterator[Finding]:
    """Yield that one of two scores decided more than the other whose outcomes are known."""
    margins = [found.partial.margin(name) for name in found.names]
    placed = [_placed(Cells.of(each.known, each.unknown.held))[0] or 1 / 2 for each in margins]
    far = [abs(auc - 1 / 2) for auc in placed]
    if abs(far[0] - far[1]) < MORE_SELECTED:
        return
    selecting = 0 if far[0] > far[1] else 1
    by, favoured = (shortened(found.names[place]) for place in (selecting, 1 - selecting))
    rates = [percent(max(placed[place], 1 - placed[place])) for place in (selecting, 1 - selecting)]
    known = "" if found.known_only is None else f", {number(found.known_only)},"
    yield Finding(
        "selected_by_one",
        "warning",
        f"whose outcome is known depends more on {by} than on {favoured} (it tells known from "
        f"unknown in {rates[0]} of pairs, {favoured} in {rates[1]}): a score ranks worse on cases "
        f"that it selected, so that the difference of the known alone{known} favours {favoured}",
        "compare the scores on cases that neither selected, or quote the bounds",
    )
