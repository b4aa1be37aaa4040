"""Numbers that somebody states beside a table, as they were stated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from capcurve.counts.arguments import as_name, told
from capcurve.studies.audit.printed import Window, window
from capcurve.studies.audit.reading.texts import number_in
from capcurve.studies.audit.records import metric_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.studies.audit.printed import Rounding

WHOLE_TABLE = ("accuracy_ratio", "roc_auc", "ks")
AT_A_DEPTH = ("captured", "lift", "precision")
ALSO = {
    "ar": "accuracy_ratio",
    "gini": "accuracy_ratio",
    "auc": "roc_auc",
    "auroc": "roc_auc",
    "captured_response": "captured",
}


@dataclass(frozen=True, slots=True)
class Stated:
    """A number as it was stated."""

    metric: str  # metric, q: what it is a number of, and at which share of cases, or None
    q: Fraction | None
    said: str  # said, window: the number as stated, and where the number behind it lies
    window: Window

    @property
    def name(self) -> str:
        """The metric with its depth, such as "captured@0.1"."""
        return self.metric if self.q is None else f"{self.metric}@{float(self.q):g}"

    @property
    def ratio(self) -> Window | None:
        """Where the accuracy ratio lies, if the number is that or the AUC."""
        if self.metric == "roc_auc":
            return Window(2 * self.window.low - 1, 2 * self.window.high - 1)
        return self.window if self.metric == "accuracy_ratio" else None

    @property
    def words(self) -> str:
        """The metric in words."""
        return metric_in_words(self.name)


def stated(claims: Any, rounding: Rounding) -> tuple[Stated, ...]:
    """Return claims as they were stated, else raise ValueError."""
    if claims is None:
        return ()
    if not isinstance(claims, Mapping):
        raise TypeError(
            f'claims must map metrics to numbers, as {{"ks": "0.37"}}, got {told(claims)}'
        )
    return tuple(_each(claims, rounding))


def _each(claims: Mapping[Any, Any], rounding: Rounding) -> Iterator[Stated]:
    for name, said in claims.items():
        metric, q = _metric(name)
        for one in said if isinstance(said, list | tuple) else [said]:
            yield Stated(metric, q, str(one), _window(metric, one, rounding))


def _metric(name: Any) -> tuple[str, Fraction | None]:
    """Return a metric and its depth, of "ks", "captured@0.1" or ("captured", 0.1)."""
    parts = name if isinstance(name, tuple) else str(name).split("@")
    metric = as_name(parts[0], "what is claimed", (*WHOLE_TABLE, *AT_A_DEPTH), ALSO)
    if metric in WHOLE_TABLE and len(parts) == 1:
        return metric, None
    depth = number_in(parts[1]) if len(parts) == 2 else None  # noqa: PLR2004 - metric and depth
    if depth is None or metric in WHOLE_TABLE:
        raise ValueError(
            f"{told(name)} is not understood: write ks, accuracy_ratio or roc_auc, or captured, "
            "lift or precision with a share of cases, as captured@0.1"
        )
    q = depth.cell.value / (100 if depth.percent else 1)
    if not 0 < q <= 1:
        raise ValueError(f"the share of cases in {told(name)} must lie in (0, 1]")
    return metric, q


def _window(metric: str, said: Any, rounding: Rounding) -> Window:
    """Return where a claimed number lies; beyond 1 all but a lift is in per cent."""
    comma = isinstance(said, str) and "," in said and "." not in said
    found = number_in(said, "," if comma else ".")
    if found is None:
        raise ValueError(f"the claimed {metric} must be a number such as 0.37, got {told(said)}")
    in_percent = found.percent or (metric != "lift" and abs(found.cell.value) > 1)
    signed = metric in {"accuracy_ratio", "ks"}
    return window(found.cell, rounding, Fraction(1, 100 if in_percent else 1), signed=signed)
