"""What stands above a picture: what it shows of its scores, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.metrics import (
    average_precision,
    captured_response,
    ks,
    lift,
    roc_auc,
    selective_risk,
)
from capcurve.plots.models import TOP_TENTH, Drawable, Model, models_of
from capcurve.show.format import joined, number, percent, stated_percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.curves.kinds import Errors

# Of more scores, the title says only what is drawn.
MOST_IN_TITLE = 3
# Errors are looked at in this share of the cases, the surest first.
SUREST = 0.8
KIND_NAMES = {
    "cap": "CAP",
    "roc": "ROC",
    "ks": "KS",
    "lorenz": "Lorenz curve",
    "precision-recall": "Precision and recall",
    "risk-coverage": "Risk and coverage",
    "score-distributions": "Distribution",
    "mean-amount": "Mean amount by band",
    "calibration": "Observed rates beside PDs",
    "decision": "Net benefit",
}
NUMBERS: Mapping[str, tuple[str, Any]] = {
    "roc": ("AUC", roc_auc),
    "ks": ("KS", ks),
    "precision-recall": ("Average precision", average_precision),
}


def drawn_title(kind: str, names: str, where: str = "") -> str:
    """Return which curve is drawn of which scores.

    >>> drawn_title("cap", "pd", " by product"), drawn_title("mean-amount", "pd")
    ('CAP of pd by product', 'Mean amount by band of pd')
    """
    called = KIND_NAMES.get(kind, kind.replace("-", " ").capitalize())
    return f"{called} of {names}{where}" if names else f"{called}{where}"


def finding_title(
    kind: str,
    counts: Drawable,
    *,
    share: float = TOP_TENTH,
    prevalence: float | None = None,
    errors: Errors = "positives",
) -> str:
    """Return what a picture shows of up to three scores; of more, which curve is drawn.

    >>> from capcurve import count_scores
    >>> counts = {"pd": count_scores([1, 0, 1, 0], [4, 3, 2, 1])}
    >>> finding_title("cap", counts, share=0.5), finding_title("roc", counts)
    ('pd finds 50.0% of positives in its top 50%', 'AUC is 0.750 for pd')
    """
    models = models_of(counts)
    named = [model.label for model in models]
    if len(models) <= MOST_IN_TITLE:
        if kind in NUMBERS:
            called, metric = NUMBERS[kind]
            return f"{called} is {_each(models, [number(m.value(metric)) for m in models])}"
        if kind == "lift":
            lifts = [number(lift(m.counts, share, prevalence=prevalence), 2) for m in models]
            return f"Lift in the top {stated_percent(share)} is {_each(models, lifts)}"
        if kind == "risk-coverage":
            risks = [percent(selective_risk(m.counts, SUREST, errors=errors)) for m in models]
            return f"Error rate of the surest {stated_percent(SUREST)} is {_each(models, risks)}"
        if kind in {"cap", "captured-response"}:
            held = [
                percent(captured_response(m.counts, share, prevalence=prevalence)) for m in models
            ]
            first = f"{named[0]} finds {held[0]} of {models[0].words.captured}"
            others = [f"{name} {part}" for name, part in zip(named[1:], held[1:], strict=True)]
            return ", ".join([f"{first} in its top {stated_percent(share)}", *others])
    return drawn_title(
        kind, joined(named) if len(named) <= MOST_IN_TITLE else f"{len(named)} scores"
    )


def _each(models: list[Model], values: list[str]) -> str:
    """Name each value's score, unless there is one without a name."""
    if len(models) == 1 and models[0].name is None:
        return values[0]
    return ", ".join(f"{value} for {m.label}" for m, value in zip(models, values, strict=True))
