"""Whether samples were counted alike, which they must have been for their numbers to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from capcurve.counts.scores import CaseCounts
from capcurve.counts.times import as_text, taken_by
from capcurve.gate.given import counts_alike, is_amounts
from capcurve.numbers.arguments import Word, arg, told

if TYPE_CHECKING:
    from capcurve.counts.rank_totals import Ranking
    from capcurve.counts.values import Amounts

RANKED_CLASSES = "positives and negatives"
# What became of the cases, and on which scale they are ranked; one scale may lack some grades.
OUTCOME = ("kind", "horizon", "competing")
SCALE = ("higher_is", "graded", "resolution")
SETTINGS_OF_CASES = (*SCALE, "levels")
EVERY_SETTING = (*OUTCOME, *SETTINGS_OF_CASES, "weight_kind")
OF_NO_KIND = "not said"  # the kind of weights of which nobody said what they mean
ADVICE = {
    "kind": ": their accuracy ratios do not compare",
    "horizon": "; take both by the same horizon",
    "weight_kind": "; count both with the same {}, with weights of 1 if each row counts once",
}


def refuse_unlike(
    samples: Sequence[Any], names: Sequence[object], about: Sequence[str] = EVERY_SETTING
) -> None:
    """Raise ValueError unless samples were counted alike; `names` are what messages call them.

    >>> from capcurve import ScoreCounts
    >>> now = ScoreCounts.from_counts([2, 1], [3, 1], [1, 3])
    >>> refuse_unlike([{"horizon": 365.0}, now], ["before", "now"])
    Traceback (most recent call last):
    ValueError: before has horizon=365 and now has no horizon; take both by the same horizon
    """
    pairs = zip(names, samples, strict=True)
    held = [(whose, each) for whose, each in pairs if isinstance(each, Mapping) or each.n]
    known = [(whose, counted_with(sample)) for whose, sample in held]
    for (first, found), (whose, other) in zip(known[:1] * len(known), known, strict=True):
        levels = [each.get("levels") or () for each in (found, other)]
        refuse_other_order(levels, (first, whose))  # not even where scales may differ
        for name in about:
            if name in found and name in other and found[name] != other[name]:
                advice = ADVICE.get(name, "; count both with the same {}")
                advice = advice.format(arg("levels" if name == "graded" else name))
                one, two = (_said(name, each[name]) for each in (found, other))
                raise ValueError(f"{first} {one} and {whose} {two}{advice}")


def counted_with(sample: Any) -> Mapping[str, object]:
    """Return what was counted and how; a mapping is that already, of what is known of a sample."""
    if isinstance(sample, Mapping):
        return sample
    counts = sample.held if isinstance(sample, CaseCounts) else sample
    _, horizon, competing = taken_by(counts) or (None, None, None)
    same = is_amounts(counts) or horizon is not None or counts_alike(counts)
    return {
        "kind": what_is_ranked(counts),
        "horizon": horizon,
        "competing": competing,
        "higher_is": counts.higher_is,
        **levels_told(counts.levels),
        "resolution": counts.resolution,
        "weight_kind": None if same else counts.weight_kind or OF_NO_KIND,
    }


def levels_told(levels: Sequence[object] | None) -> dict[str, object]:
    """Return which grades there are, as text, whatever their type where they were read."""
    names = None if levels is None else tuple(map(str, levels))
    return {"graded": names is not None, "levels": names}


def what_is_ranked(counts: Ranking | Amounts) -> str:
    """Say what is ranked."""
    if not is_amounts(counts):
        return RANKED_CLASSES
    return f"amounts by {'exposure' if counts.has_exposure else 'case'}"


def refuse_other_order(levels: Sequence[Any], names: Sequence[object]) -> None:
    """Raise ValueError where two samples have grades in another order."""
    order, other = ([*each] for each in levels)
    for one, next_one in pairwise(grade for grade in other if grade in order):
        if order.index(one) > order.index(next_one):
            raise ValueError(
                f"{names[0]} ranks grade {next_one!r} before {one!r}, {names[1]} the other way "
                f"round; declare {arg('levels')} in the same order"
            )


def refuse_mixed_kinds(whole: Mapping[str, Ranking | Amounts]) -> None:
    """Raise ValueError where scores do not rank the same kind of thing."""
    kinds = {name: what_is_ranked(counts) for name, counts in whole.items()}
    if len(set(kinds.values())) > 1:
        found = ", ".join(f"{name!r} ranks {kind}" for name, kind in kinds.items())
        raise ValueError(f"{found}: these do not compare; evaluate them apart")


def _said(name: str, value: Any) -> str:
    """Return what a sample has, after its name."""
    if name == "kind":
        return f"is of {value}"
    if name == "graded":
        return "has grades" if value else "has numbers"
    if name == "levels" and value is not None:
        return f"has the grades {', '.join(value)}"
    if value is None:
        return f"has no {'weights' if name == 'weight_kind' else name}"
    if value == OF_NO_KIND:
        return "has weights without a weight_kind"
    text = as_text(value) if name == "horizon" else told(value)
    return f"has {arg(**{name: value if isinstance(value, str) else Word(text, '')})}"
