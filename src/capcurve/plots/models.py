"""What is drawn: one score or several, each with its name, and the cases they stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from capcurve.counts import Ranked, ScoreCounts
from capcurve.metrics import accuracy_ratio
from capcurve.plots.style import (
    LONGEST_NAME,
    SHORT_NAME,
    Style,
    amount,
    model_style,
    number,
    plain_names,
)
from capcurve.tables.steps import percent

# How sure the interval is that stands in pictures which do not let one choose.
LEVEL = 0.95
Drawable = Ranked | Mapping[str, Ranked]


@dataclass(frozen=True, slots=True)
class Model:
    """One score: its counts or totals, its name (None when it has none) and how it is drawn."""

    counts: Any
    name: str | None
    style: Style

    @property
    def label(self) -> str:
        """The name in legends."""
        return self.name or "Model"


def models_of(counts: Drawable | Any, first_style: int = 0, *, narrow: bool = False) -> list[Model]:
    """Return the models to draw, in the order given.

    Raises
    ------
    TypeError
        When something other than counts is given.
    ValueError
        When there is nothing to draw.
    """
    if isinstance(counts, Ranked):
        return [Model(counts, None, model_style(first_style))]
    if not isinstance(counts, Mapping):
        found = type(counts).__name__
        raise TypeError(f"expected ScoreCounts or {{name: ScoreCounts}}, got {found}")
    if not counts:
        raise ValueError("there is nothing to draw: the mapping of counts is empty")
    wrong = [name for name, value in counts.items() if not isinstance(value, Ranked)]
    if wrong:
        found = type(counts[wrong[0]]).__name__
        raise TypeError(f"expected ScoreCounts for {wrong[0]!r}, got {found}")
    names = plain_names(list(counts), SHORT_NAME if narrow else LONGEST_NAME)
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


def interval_text(counts: ScoreCounts, metric: str, level: float | None, *, narrow: bool) -> str:
    """Return the limits behind a number in a legend; nothing where there are none.

    Counts of which it is not known what one case is have none.
    """
    if level is None:
        return ""
    from capcurve.inference import confidence_interval

    try:
        found = confidence_interval(counts, metric, level=level)
    except ValueError:
        return ""
    low, high = (number(limit, 2 if narrow else 3) for limit in (found.low, found.high))
    return f" [{low}, {high}]"


def interval_note(texts: Iterable[str], level: float | None) -> str:
    """Return the line that names the intervals, when some model of the legend has one."""
    return f"\nin brackets: {percent(level)} interval" if level and any(texts) else ""


def sample_text(models: list[Model], prevalence: float | None = None) -> str:
    """Say how many cases and positives the picture stands on: a range when samples differ."""
    rows = [_rows(model.counts) for model in models]
    rates = [model.counts.n1 / model.counts.n for model in models]
    total, positive = (_range([row[place] for row in rows], amount) for place in (0, 1))
    weighted = " by weight" if any(model.counts.weights is not None for model in models) else ""
    text = f"n = {total}, {positive} positives ({_range(rates, percent)}{weighted})"
    return text if prevalence is None else f"{text}\nshown at {percent(prevalence)} positives"


def single_text(model: Model, prevalence: float | None = None, *, narrow: bool) -> str:
    """Say what a picture of one score stands on, and its accuracy ratio with the interval."""
    limits = interval_text(model.counts, "accuracy_ratio", LEVEL, narrow=narrow)
    ratio = number(accuracy_ratio(model.counts), 2 if limits and narrow else 3)
    shown = limits.strip(" []").replace(", ", " to ")
    within = f" ({percent(LEVEL)}: {shown})" if shown else ""
    return f"{sample_text([model], prevalence)}\nAR {ratio}{within}"


def _rows(counts: ScoreCounts) -> tuple[Any, Any]:
    """Return how many cases and positives were observed, whatever they weigh."""
    if counts.weights is None:
        return counts.n, counts.n1
    positives = counts.weights.positive_rows
    return positives + counts.weights.negative_rows, positives


def _range(values: list[Any], write: Callable[[Any], str]) -> str:
    low, high = write(min(values)), write(max(values))
    return low if low == high else f"{low}–{high}"
