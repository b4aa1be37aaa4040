"""What stands above a picture: what it shows of its scores, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.metrics import average_precision, captured_response, lift, roc_auc, selective_risk
from capcurve.plots.models import TOP_TENTH, Drawable, Model, models_of
from capcurve.show.format import joined, number, percent, stated_percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.curves.kinds import Errors

# Of more scores, the title says only what is drawn.
MOST_IN_TITLE = 3
# Errors are looked at in this share of the cases, the surest first.
SUREST_SHARE = 0.8
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
    models, top = models_of(counts), stated_percent(share)
    names = joined([m.label for m in models])
    if len(models) > MOST_IN_TITLE:
        return drawn_title(kind, f"{len(models)} scores")
    if kind in {"cap", "captured-response"}:
        held = [percent(captured_response(m.counts, share, prevalence=prevalence)) for m in models]
        others = [f", {m.label} {part}" for m, part in zip(models[1:], held[1:], strict=True)]
        first = f"{models[0].label} finds {held[0]} of {models[0].words.captured} in its top {top}"
        return "".join([first, *others])
    numbers: dict[str, tuple[str, Callable[[Model], str]]] = {
        "roc": ("AUC", lambda m: number(roc_auc(m.classes))),
        "ks": ("KS", lambda m: number(m.ks.statistic)),
        "precision-recall": ("Average precision", lambda m: number(average_precision(m.classes))),
        "lift": (
            f"Lift in the top {top}",
            lambda m: number(lift(m.counts, share, prevalence=prevalence), 2),
        ),
        "risk-coverage": (
            f"Error rate of the surest {stated_percent(SUREST_SHARE)}",
            lambda m: percent(selective_risk(m.counts, SUREST_SHARE, errors=errors)),
        ),
    }
    if kind not in numbers:
        return drawn_title(kind, names)
    called, value = numbers[kind]
    return f"{called} is {', '.join(f'{value(m)} for {m.label}' for m in models)}"
