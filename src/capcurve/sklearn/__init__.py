"""At home in scikit-learn: metrics, scorers and displays with the arguments its own have.

scikit-learn is imported when one of them is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.sklearn import scores
from capcurve.sklearn.displays import CAPCurveDisplay, KSDisplay, LiftCurveDisplay
from capcurve.sklearn.scores import (
    accuracy_ratio_score,
    auarc_score,
    bedroc_score,
    captured_response_score,
    ks_score,
    lift_score,
    net_benefit_score,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    accuracy_ratio_scorer: Callable[..., float]
    auarc_scorer: Callable[..., float]
    bedroc_scorer: Callable[..., float]
    captured_response_scorer: Callable[..., float]
    ks_scorer: Callable[..., float]
    lift_scorer: Callable[..., float]

__all__ = [
    "CAPCurveDisplay",
    "KSDisplay",
    "LiftCurveDisplay",
    "accuracy_ratio_score",
    "accuracy_ratio_scorer",
    "auarc_score",
    "auarc_scorer",
    "bedroc_score",
    "bedroc_scorer",
    "captured_response_score",
    "captured_response_scorer",
    "ks_score",
    "ks_scorer",
    "lift_score",
    "lift_scorer",
    "net_benefit_score",
]


def __getattr__(name: str) -> Any:
    if name in scores.SCORERS:
        return scores.scorer(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
