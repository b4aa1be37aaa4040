"""Which columns are likely the target and the score, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.input.files.listing import ColumnInfo

_TARGETS = (
    ("default", "target", "y", "label", "bad", "churn", "fraud", "event", "outcome", "class"),
    ("defaulted", "churned", "response", "responded", "converted", "conversion", "delinquent"),
    ("good", "status", "flag", "survived", "died", "attrition", "purchased", "clicked", "true"),
)
_SCORES = (
    ("score", "pd", "prob", "proba", "probability", "p", "pred", "prediction", "predicted"),
    ("rating", "risk", "scorecard", "phat", "yhat", "propensity", "logit", "likelihood", "hat"),
    ("points", "fico", "grade", "model"),
)
_IDS = {"id", "ids", "key", "index", "row", "rownum", "number", "no", "nr", "uuid", "account"}
_IDS |= {"customer", "loan", "member", "client", "idx", "unnamed"}
_PAIR = 2
_BINARY = ({"0", "1"}, {"-1", "1"}, {"true", "false"}, {"0.0", "1.0"}, {"-1.0", "1.0"})


@dataclass(frozen=True, slots=True)
class Proposal:
    """A likely pair of columns, each with a phrase that says why."""

    target: str
    score: str
    target_reason: str
    score_reason: str

    @property
    def reason(self) -> str:
        """Both reasons as one sentence part."""
        return f"{self.target!r} {self.target_reason}; {self.score!r} {self.score_reason}"


def propose(columns: Sequence[ColumnInfo]) -> Proposal | None:
    """Propose the target and the score, or nothing where that would be a guess.

    Parameters
    ----------
    columns
        What the columns look like.

    Returns
    -------
    Proposal or None
        A target of two values and a numeric score: the ones named so, else the only
        candidates there are.

    Examples
    --------
    >>> from capcurve.input.files import ColumnInfo
    >>> bad = ColumnInfo("default", "integer", 2, 0, ("0", "1"))
    >>> pd = ColumnInfo("pd", "number", 812, 0, ("0.02", "0.3", "0.11"))
    >>> found = propose([bad, pd])
    >>> found.target, found.target_reason
    ('default', 'holds only 0 and 1 and is named like a target')
    >>> found.score, found.score_reason
    ('pd', 'holds numbers and is named like a score')
    """
    targets = [(column, why) for column in columns if (why := _two_values(column))]
    target = _pick(targets, _TARGETS, "target")
    scores = [(column, why) for column in columns if (why := _many_numbers(column))]
    if target:
        scores = [pair for pair in scores if pair[0].name != target[0]]
    score = _pick(scores, _SCORES, "score")
    if target is None or score is None:
        return None
    return Proposal(target[0], score[0], target[1], score[1])


def _two_values(column: ColumnInfo) -> str:
    """Say why a column may be a target, or nothing."""
    values = {value.strip().lower() for value in column.examples}
    if (
        column.type in {"integer", "number", "yes/no", "text"}
        and column.distinct == len(values) == _PAIR
    ):
        shown = " and ".join(column.examples)
        if any(values == pair for pair in _BINARY) or column.type == "text":
            rows = column.first_rows
            return f"holds only {shown}{f' in the first {rows:,} rows' if rows else ''}"
    return ""


def _many_numbers(column: ColumnInfo) -> str:
    """Say why a column may be a score, or nothing: an identifier is not one."""
    identifier = column.type == "integer" and (
        not column.name.strip() or bool(_IDS & set(_words(column.name)))
    )
    many = column.type in {"integer", "number"} and column.distinct > _PAIR
    return "holds numbers" if many and not identifier else ""


def _pick(
    candidates: Sequence[tuple[ColumnInfo, str]], names: Sequence[Sequence[str]], role: str
) -> tuple[str, str] | None:
    """Take the candidate with the most telling name; the only one without a telling name."""
    ranked = [
        (rank, len(words), place)
        for place, (column, _) in enumerate(candidates)
        if (words := _words(column.name))
        for rank, known in enumerate(names)
        if set(words) & set(known)
    ]
    if ranked:
        column, why = candidates[min(ranked)[2]]
        return column.name, f"{why} and is named like a {role}"
    if len(candidates) == 1:
        column, why = candidates[0]
        return column.name, f"{why}, as no other column does"
    return None


def _words(name: str) -> list[str]:
    """Split a name as people write them: y_true, LoanStatus, pd-2024."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W\d_]+", spaced.lower())
