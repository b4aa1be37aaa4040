"""What is drawn: one score or several, each with its name, and the cases they stand on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from capcurve.counts import ScoreCounts
from capcurve.plots.style import Style, amount, model_style, percent, plain_names

Drawable = ScoreCounts | Mapping[str, ScoreCounts]


@dataclass(frozen=True, slots=True)
class Model:
    """One score: its counts, its name (None when it was given none) and how it is drawn."""

    counts: ScoreCounts
    name: str | None
    style: Style

    @property
    def label(self) -> str:
        """The name in legends."""
        return self.name or "Model"


def models_of(counts: Drawable, first_style: int = 0) -> list[Model]:
    """Return the models to draw, in the order given.

    Raises
    ------
    TypeError
        When something other than counts is given.
    ValueError
        When there is nothing to draw.
    """
    if isinstance(counts, ScoreCounts):
        return [Model(counts, None, model_style(first_style))]
    if not isinstance(counts, Mapping):
        found = type(counts).__name__
        raise TypeError(f"expected ScoreCounts or {{name: ScoreCounts}}, got {found}")
    if not counts:
        raise ValueError("there is nothing to draw: the mapping of counts is empty")
    wrong = [name for name, value in counts.items() if not isinstance(value, ScoreCounts)]
    if wrong:
        found = type(counts[wrong[0]]).__name__
        raise TypeError(f"expected ScoreCounts for {wrong[0]!r}, got {found}")
    names = plain_names(list(counts))
    return [
        Model(value, name, model_style(first_style + position))
        for position, (name, value) in enumerate(zip(names, counts.values(), strict=True))
    ]


def one_model(counts: Drawable, what: str) -> Model:
    """Return the only model, or raise ValueError saying that `what` shows one."""
    models = models_of(counts)
    if len(models) > 1:
        raise ValueError(f"{what} shows one score, got {len(models)}; pass one of them")
    return models[0]


def check_few(counts: ScoreCounts, most: int, what: str) -> None:
    """Raise ValueError when there are too many distinct scores to tell apart."""
    if len(counts) > most:
        raise ValueError(f"{what} is for up to {most} distinct scores, got {len(counts)}")


def sample_text(models: list[Model], prevalence: float | None = None) -> str:
    """Say how many cases and positives the picture stands on, one line per different sample."""
    lines = list(dict.fromkeys(_sample(model.counts) for model in models))
    if len(lines) > 1:
        lines = [f"{model.label}: {_sample(model.counts)}" for model in models]
    if prevalence is not None:
        lines.append(f"shown at {percent(prevalence)} positives")
    return "\n".join(lines)


def _sample(counts: ScoreCounts) -> str:
    rate = percent(counts.n1 / counts.n) if counts.n else "none"
    if counts.weights is None:
        return f"n = {amount(counts.n)}, {amount(counts.n1)} positives ({rate})"
    rows = counts.weights.positive_rows + counts.weights.negative_rows
    positive = counts.weights.positive_rows
    return f"n = {amount(rows)}, {amount(positive)} positives ({rate} by weight)"
