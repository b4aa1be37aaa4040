"""The words and digits of a change: one sentence that says what moved a number, and how far."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from capcurve.show.format import POINTS, capitalised, chance_text, stated_percent, written

if TYPE_CHECKING:
    from capcurve.inference.records import Test
    from capcurve.show.format import Form
    from capcurve.studies.change.records import Explained

SHORT = {"accuracy_ratio": "AR", "roc_auc": "AUC"}
LONG = {"accuracy_ratio": "accuracy ratio", "roc_auc": "AUC"}
AT_DEPTH = {
    "captured_response": "captured response",
    "lift": "lift",
    "precision": "precision",
}
SHARES = ("captured_response", "precision")
# Of the net mix, in the words of each way to split it.
SPLIT = {
    "mix_positives": "the positives",
    "mix_negatives": "the negatives",
    "mix_cases": "the shares of cases",
    "mix_rates": "the rates of positives",
}
# The parts that add up to a change, by what it is split by.
OF_SEGMENTS = ("mix", "within", "between")
OF_DEPTH = ("ranking", "prevalence")
OF_PDS = ("portfolio", "model")
ENDS_LIKE_BOX = ("s", "x", "z", "ch", "sh")


@dataclass(frozen=True, slots=True)
class Words:
    """How a metric is called and written."""

    metric: str  # what changed, as `attribute_change` calls it
    q: float | None = None  # the depth, or None

    @property
    def name(self) -> str:
        """What the metric is called in a sentence."""
        if self.q is None:
            return SHORT[self.metric]
        return f"{AT_DEPTH[self.metric]} at {stated_percent(self.q)}"

    @property
    def title(self) -> str:
        """What the metric is called in a heading."""
        return LONG.get(self.metric, self.name)

    @property
    def form(self) -> Form:
        """How the metric is written."""
        if self.metric in SHARES:
            return "share"
        return "lift" if self.metric == "lift" else "ratio"

    @property
    def form_of_change(self) -> Form:
        """How a change of the metric is written."""
        changes: dict[Form, Form] = {"share": "points", "lift": "signed lift", "ratio": "signed"}
        return changes[self.form]

    def value(self, value: float) -> str:
        """Return the metric itself.

        Examples
        --------
        >>> Words("roc_auc").value(0.75), Words("precision", 0.1).value(0.25)
        ('0.750', '25.0%')
        """
        return written(self.form, value)

    def size(self, change: float) -> str:
        """Return how large a change is, without its sign.

        Examples
        --------
        >>> Words("accuracy_ratio").size(-0.018), Words("precision", 0.1).size(0.031)
        ('0.018', '3.1 points')
        """
        return self.signed(abs(change)).removeprefix("+")

    def signed(self, change: float) -> str:
        """Return a change with its sign.

        Examples
        --------
        >>> Words("accuracy_ratio").signed(-0.018), Words("precision", 0.1).signed(0.031)
        ('-0.018', '+3.1 points')
        """
        return written(self.form_of_change, change)

    def direction(self, change: float) -> int:
        """Return -1, 0 or 1: 0 for a change of which no digit is shown."""
        shown = float(self.size(change).removesuffix(POINTS))
        return 0 if not shown else 1 if change > 0 else -1


def words_of(found: Explained) -> Words:
    """Return how the metric of a change is called and written."""
    return Words(found.metric, found.q)


def sentence(found: Explained) -> str:
    """Return in one sentence how far a number moved, why, and whether that is chance."""
    words, test = words_of(found), found.change
    difference = found.after - found.before
    way = words.direction(difference) if _moved(found) else 0
    verb = {-1: "fell", 0: "stayed", 1: "rose"}[way]
    before, after = words.value(found.before), words.value(found.after)
    numbers = f"from {before} to {after}" if way else f"at {before}"
    moved = f"{capitalised(words.name)} {verb} {numbers}"
    noun = {-1: "the fall itself", 0: "the difference itself", 1: "the rise itself"}[way]
    return f"{moved}{_reasons(found, way)}; {noun} {chance(test, found.level)}."


def _moved(found: Explained) -> bool:
    words = words_of(found)
    return words.value(found.before) != words.value(found.after)


def chance(test: Test, level: float) -> str:
    """Return whether a change is more than chance at a level, with its p-value."""
    if math.isnan(test.p_value):
        return f"is not tested: {'; '.join(test.notes) or 'there are too few cases'}"
    word = "more than" if test.p_value <= 1 - level else "within"
    return f"is {word} chance ({chance_text(test.p_value)})"


def _reasons(found: Explained, way: int) -> str:
    """Return what each part has in a change: shares of it, or gains and losses."""
    words = words_of(found)
    if found.segments is not None and len(found.segments) == 1:
        one = "small segments are put together" if found.pooled else "there is one segment"
        return f", all of it ranking, since {one}" if way else ""
    parts = [(name, found.parts[name].estimate) for name in shown_parts(found)]
    ways = {words.direction(size) for _, size in parts} - {0}
    if not ways:
        return ": no part moved it"
    if ways == {way}:
        of_it = [f"{words.size(size)}{' of it' * (not i)}" for i, (_, size) in enumerate(parts)]
        said = [
            f"{size} {_because(name, found)}" for size, (name, _) in zip(of_it, parts, strict=True)
        ]
        return f": {', '.join(said)}"
    return f": {gains_and_losses([(_who(name, found), size) for name, size in parts], words)}"


def shown_parts(found: Explained) -> list[str]:
    """Return the names of the parts that add up to a change, the mix as one."""
    return [name for name in (*OF_SEGMENTS, *OF_DEPTH, *OF_PDS) if name in found.parts]


def _because(part: str, found: Explained) -> str:
    return {
        "mix": f"because {mix_of(found.by)} changed",
        "within": "inside segments",
        "between": "between them",
        "ranking": "because the ranking changed",
        "prevalence": "because the prevalence changed",
        "portfolio": "because the portfolio changed",
        "model": "because the model ranks otherwise than its PDs promise",
    }[part]


def _who(part: str, found: Explained) -> str:
    return {
        "mix": mix_of(found.by),
        "within": "ranking inside segments",
        "between": "ranking between them",
        "ranking": "the ranking",
        "prevalence": "the prevalence",
        "portfolio": "the portfolio",
        "model": "the model, beside what its PDs promise,",
    }[part]


def gains_and_losses(parts: list[tuple[str, float]], words: Words) -> str:
    """Return what each part took or added.

    Examples
    --------
    >>> gains_and_losses([("mix", -0.018), ("ranking", 0.004)], Words("accuracy_ratio"))
    'mix took 0.018 and ranking added 0.004'
    """
    verbs = {-1: "took", 0: "added", 1: "added"}
    said = [f"{who} {verbs[words.direction(size)]} {words.size(size)}" for who, size in parts]
    return f"{', '.join(said[:-1])} and {said[-1]}" if len(said) > 1 else said[0]


def sentence_on_mix(found: Explained) -> str:
    """Return what the two halves of the mix have in it; nothing where neither moved it."""
    words = words_of(found)
    parts = [(SPLIT[name], part.estimate) for name, part in found.parts.items() if name in SPLIT]
    if not any(words.direction(size) for _, size in parts):
        return ""
    return f"Of the mix, {gains_and_losses(parts, words)}."


def mix_of(by: str) -> str:
    """Return the mix of segments in words.

    Examples
    --------
    >>> mix_of("product"), mix_of("grade_rank")
    ('the mix of products', 'the mix by grade_rank')
    """
    return f"the mix of {plural(by)}" if _is_word(by) else f"the mix by {by}"


def plural(by: str) -> str:
    """Return what several segments are called; those of a column that is no word, segments.

    Examples
    --------
    >>> plural("product"), plural("country"), plural("branch"), plural("grade_rank")
    ('products', 'countries', 'branches', 'segments')
    """
    if not _is_word(by):
        return "segments"
    if re.search("[^aeiou]y$", by):
        return f"{by[:-1]}ies"
    if by.endswith("s") and not by.endswith("ss"):
        return by
    return f"{by}es" if by.endswith(ENDS_LIKE_BOX) else f"{by}s"


def _is_word(by: str) -> bool:
    return re.fullmatch("[A-Za-z]?[a-z]+", by) is not None
