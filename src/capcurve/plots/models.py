"""The scores of a chart: names, numbers and looks, and few points of their curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from capcurve.counts.settings import CLASSES, Words
from capcurve.counts.times import HorizonCounts
from capcurve.curves.simplify import between_levels, few_cells
from capcurve.gate.given import as_ranking, is_amounts
from capcurve.metrics import KS, METRICS, accuracy_ratio, ks, lift
from capcurve.numbers.arguments import as_open_share, told
from capcurve.numbers.exact import cumulated
from capcurve.numbers.periods import in_time
from capcurve.results.findings import rows_of_classes
from capcurve.results.known import interval_or_none
from capcurve.show.chart import (
    BEHIND,
    GREY,
    SCORES,
    STYLE_OF_NEGATIVES,
    STYLE_OF_POSITIVES,
    THIN,
    Chart,
    Line,
    Marker,
    Style,
    model_style,
)
from capcurve.show.format import (
    amount,
    cut_off,
    number,
    percent,
    plain_names,
    quantity,
    stated_percent,
)
from capcurve.tables.thresholds import as_shown

if TYPE_CHECKING:
    from matplotlib.typing import ColorType

    from capcurve.counts import Amounts, Ranking, ScoreCounts
    from capcurve.counts.sums import ValueSums
    from capcurve.curves import Curve
    from capcurve.curves.shares import OfClass
    from capcurve.inference import Interval
    from capcurve.numbers.types import Floats
    from capcurve.results import Summary, ValueSummary

# Of segments: more than so many are told apart by colour no longer; their look.
MOST_COLOURED = 5
BACKGROUND, FAINT_CURVE = Style(GREY), 0.6
# Of so many samples each has a line of its own above the legend.
MOST_SAMPLES = 3
# How sure the interval is that stands in charts which do not let one choose.
LEVEL = 0.95
TOP_TENTH = 0.10
LONGEST_IN_LEGEND, SHORT_NAME = 30, 18
# Beyond so many points a curve is simplified, to within this share of its height. A chart is a few
# thousand pixels wide: of 5e-4 a fifth is spent on the cells, the rest on the line through them.
MOST_CURVE_POINTS = 500
DRAWN_TOLERANCE = 4e-4
Drawable: TypeAlias = "Ranking | Amounts | Mapping[str, Ranking | Amounts]"
Value = TypeVar("Value")


class DrawnSegments(dict[str, Any]):
    """Counts of segments by name: of more than five, two are drawn in colour and the others grey.

    These are the first and the last of periods, else those that rank best and worst.
    """


@dataclass(frozen=True, slots=True)
class Model:
    """One score of a chart."""

    counts: Ranking | Amounts  # what its curves are drawn through
    name: str | None  # what it is called; None when it has no name
    style: Style  # how it is drawn
    narrow: bool = False  # whether there is little room for text: limits then have two decimals
    write: Callable[[str], str] = field(default=str)  # what else a name needs where it is shown
    summary: Summary | ValueSummary | None = None  # its numbers, where they have been read already
    grey: bool = False  # whether it is only what others are seen against
    key: str | None = None  # its name as it was given, which may be longer
    entry: str | None = None  # what a legend says of it in place of its name and numbers

    @property
    def label(self) -> str:
        """The name in legends."""
        return self.name or "Model"

    def value(self, metric: Callable[..., Any]) -> float:
        """Return a number of the score by the function of its metric."""
        known = METRICS[metric.__name__]
        found = None if self.summary is None else self.summary.value(known.name)
        if found is not None:
            return found
        if len(known.of) > 1:
            return known.value(self.counts)
        return known.value(self.classes if "classes" in known.of else self.amounts)

    @property
    def ks(self) -> KS:
        """Where and how far the classes lie apart most."""
        read = self.summary
        found = None if read is None or read.kind == "amounts" else read.ks
        return ks(self.classes) if found is None else found

    @property
    def words(self) -> Words:
        """What is selected and captured."""
        return self.counts.words if is_amounts(self.counts) else CLASSES

    @property
    def classes(self) -> Ranking:
        """Its counts of positives and negatives, or ValueError where it ranks amounts."""
        if is_amounts(self.counts):
            raise ValueError(f"{self.label} ranks amounts, not positives and negatives")
        return self.counts

    @property
    def amounts(self) -> Amounts:
        """Its amounts, or ValueError where it ranks positives and negatives."""
        if is_amounts(self.counts):
            return self.counts
        raise ValueError(f"{self.label} ranks positives and negatives, not amounts")

    def lift(self, prevalence: float | None) -> float | None:
        """Return the lift in the top 10%; None where a summary of totals lacks it."""
        if self.summary is not None:
            return self.summary.lift.get(TOP_TENTH)
        return lift(self.counts, TOP_TENTH, prevalence=prevalence)

    def interval(self, metric: Callable[..., Any], level: float | None) -> Interval | None:
        """Return what chance leaves of a number; None where it is not known what one case is."""
        if level is None:
            return None
        level = as_open_share(level, "interval")
        if self.summary is not None:
            return self.summary.intervals.get(metric.__name__)
        return interval_or_none(self.counts, metric, level=level)

    def with_limits(
        self, metric: Callable[..., Any], level: float | None, formula: str = ""
    ) -> str:
        """Return the accuracy ratio, AUC or concentration index with its limits, for a legend."""
        value, found = self.value(metric), self.interval(metric, level)
        if found is None:
            return f"{number(value)}{formula}"
        low, value_text, high = (
            number(each, 2 if self.narrow else 3) for each in (found.low, value, found.high)
        )
        return f"{value_text}{formula} [{low}, {high}]"

    def cut_off(self, threshold: object) -> str:
        """Say which cases a cut-off selects, as one may type it."""
        graded = self.counts.levels is not None
        if graded and threshold is not None:
            threshold = self.write(plain_names([threshold])[0])
        elif threshold is not None:
            threshold = as_shown(self.counts, threshold)
        return cut_off(threshold, self.counts.higher_is, graded=graded, name=self.name)

    def line(self, x: Floats, y: Floats, label: str, marker: Marker | None = None) -> Line:
        """Return a line of it, with this entry in the legend unless another one is asked for."""
        return Line(x, y, label if self.entry is None else self.entry, self.style, marker=marker)

    def few(self) -> ScoreCounts | ValueSums:
        """Return its counts in so few cells as a chart can show."""
        if not is_amounts(self.counts):
            return self.few_classes()
        # Their curves differ by at most 1/10,000 of the amount.
        sums = self.counts.by_score()
        ends = between_levels(cumulated(np.abs(sums.amounts)), cumulated(sums.exposures))
        return sums if len(ends) > len(sums) else sums.joined(ends[1:])

    def few_classes(self) -> ScoreCounts:
        """Return its positives and negatives in so few cells as a chart can show."""
        return few_cells(self.classes)


def models_of(
    counts: Drawable, first: int = 0, *, narrow: bool = False, write: Callable[[str], str] = str
) -> list[Model]:
    """Return the scores to draw, in the order given; `first` so many are drawn already."""
    if not isinstance(counts, Mapping):
        return [Model(counts, None, model_style(first), narrow, write)]
    if not counts:
        raise ValueError("there is nothing to draw: the mapping of counts is empty")
    held = {
        name: value if is_amounts(value) else as_ranking(value, f"the picture of {name!r}")
        for name, value in counts.items()
    }
    if len({is_amounts(value) for value in held.values()}) > 1:
        raise ValueError("some scores rank amounts and others positives; draw them apart")
    coloured = _coloured(held) if isinstance(counts, DrawnSegments) else set(held)
    names = plain_names(list(held), SHORT_NAME if narrow else LONGEST_IN_LEGEND)
    places = count(first)
    return [
        Model(
            value,
            write(name),
            model_style(next(places)) if key in coloured else BACKGROUND,
            narrow,
            write,
            grey=key not in coloured,
            key=key,
        )
        for name, (key, value) in zip(names, held.items(), strict=True)
    ]


def _coloured(counts: Mapping[str, Ranking | Amounts]) -> set[str]:
    """Return the segments to draw in colour: all up to five, else two of them."""
    names = list(counts)
    if len(names) <= MOST_COLOURED:
        return set(names)
    if timed := in_time(names):
        return {timed[0], timed[-1]}
    ratio = {name: METRICS["accuracy_ratio"].value(held) for name, held in counts.items()}
    return {min(names, key=ratio.__getitem__), max(names, key=ratio.__getitem__)}


def against_grey(chart: Chart, models: Sequence[Model], metric: Callable[..., Any]) -> Chart:
    """Return a chart whose grey curves are thin, behind the others, with one label for all."""
    grey = [model for model in models if model.grey]
    if not grey:
        return chart
    values = [model.value(metric) for model in grey]
    ends = f"{number(min(values))} to {number(max(values))}"
    label = f"{len(grey)} others  {METRICS[metric.__name__].short} {ends}"
    lines = []
    for line in chart.lines:
        if line.style.colour != GREY:
            lines.append(line)
        elif line.level == SCORES:
            behind = replace(line, width=THIN, opacity=FAINT_CURVE, level=BEHIND, shared=True)
            lines.append(replace(behind, label=label))
            label = ""
    return replace(chart, lines=lines)


def refuse_several(models: Sequence[object], what: str) -> None:
    """Raise ValueError, saying that `what` shows one score."""
    if len(models) > 1:
        raise ValueError(f"{what} shows one score, got {len(models)}; pass one of them")


def refuse_amounts(models: Sequence[Model], what: str) -> None:
    """Raise ValueError where scores rank amounts, saying which pictures there are of these."""
    if models and is_amounts(models[0].counts):
        raise ValueError(
            f"{what} is of positives and negatives; of amounts draw cap, lorenz, lift, mean-amount "
            "or profit"
        )


def check_few(counts: Ranking | Amounts, most: int, what: str) -> None:
    """Raise ValueError when there are too many distinct scores to tell apart."""
    if len(counts) > most:
        raise ValueError(f"{what} is for up to {most} distinct scores, got {len(counts)}")


def sample_text(models: Sequence[Model], prevalence: float | None = None) -> str:
    """Say how many cases and positives the chart stands on: a range when samples differ."""
    if is_amounts(models[0].counts):
        return _sample_of_amounts([model.amounts for model in models])
    samples = [model.classes for model in models]
    if 1 < len(models) <= MOST_SAMPLES and len({(each.n, each.n1) for each in samples}) > 1:
        each = [f"{model.label}: {sample_text([model])}" for model in models]
        return "\n".join([*each, *_shown_at(prevalence)])
    rows = [rows_of_classes(counts) for counts in samples]
    rates = [counts.n1 / counts.n for counts in samples]
    total, positive = _range(map(sum, rows), amount), _range([row[0] for row in rows], amount)
    weighted = " by weight" if any(counts.weights is not None for counts in samples) else ""
    text = f"n = {total}, {positive} positives ({_range(rates, percent)}{weighted})"
    if len(samples) == 1 and isinstance(at := samples[0], HorizonCounts):
        total, by = amount(at.times.n), at.by
        gone = percent(at.unknown / at.times.n)
        text = f"n = {total}, {percent(rates[0])} positives within {by}, {gone} censored before"
    return "\n".join([text, *_shown_at(prevalence)])


def _shown_at(prevalence: float | None) -> list[str]:
    return [] if prevalence is None else [f"shown at {stated_percent(prevalence)} positives"]


def _sample_of_amounts(samples: Sequence[Amounts]) -> str:
    """Say how many cases there are, how many with an amount, and what these add up to."""
    words = samples[0].words
    first = f"n = {_range([values.n for values in samples], amount)}"
    if any(values.m < values.n for values in samples):
        some = _range([values.m for values in samples], amount)
        rate = _range([values.m / values.n for values in samples], percent)
        first += f", {some} with {words.a_captured} ({rate})"
    total = f"{words.captured} {_range([values.amount for values in samples], quantity)}"
    if samples[0].has_exposure:
        exposures = _range([values.exposure for values in samples], quantity)
        total += f", {words.selected} {exposures}"
    return f"{first}\n{total}"


def sample_with_level(
    models: Sequence[Model],
    metric: Callable[..., Any],
    level: float | None,
    prevalence: float | None = None,
) -> str:
    """Say what the chart stands on, and of which level the intervals in its legend are."""
    head = sample_text(models, prevalence)
    told = (model for model in models if model.entry is None)
    some = any(model.interval(metric, level) is not None for model in told)
    return f"{head}\n{stated_percent(level)} intervals in brackets" if level and some else head


def sample_with_ratio(model: Model, prevalence: float | None = None) -> str:
    """Say what a chart of one score stands on, and its accuracy ratio with the interval."""
    ratio = model.with_limits(accuracy_ratio, LEVEL)
    level = f", {stated_percent(LEVEL)} interval" if "[" in ratio else ""
    return f"{sample_text([model], prevalence)}\nAR {ratio}{level}"


def _range(values: Iterable[float], write: Callable[[float], str]) -> str:
    listed = list(values)
    low, high = write(min(listed)), write(max(listed))
    return low if low == high else f"{low}–{high}"


def as_drawn(curve: Curve) -> Curve:
    """Return the curve with no more points than the eye can use."""
    if len(curve) <= MOST_CURVE_POINTS:
        return curve
    return curve.simplify(DRAWN_TOLERANCE * (float(np.ptp(curve.y)) or 1.0))


Colours: TypeAlias = "ColorType | Sequence[ColorType] | Mapping[str, ColorType] | None"
Labels: TypeAlias = "str | Sequence[str] | Mapping[str, str] | None"
CLASS_NAMES: tuple[OfClass, OfClass] = ("positives", "negatives")
CLASS_STYLES = tuple(zip((STYLE_OF_POSITIVES, STYLE_OF_NEGATIVES), CLASS_NAMES, strict=True))


@dataclass(frozen=True, slots=True)
class Look:
    """What a caller says of how a picture looks; what is left out is None."""

    title: str | None
    color: Any  # one, several in the order of the scores, or by name
    label: Any
    line: Mapping[str, Any]  # matplotlib's keywords of lines, each by its full name

    @classmethod
    def of(
        cls,
        picture: Callable[..., Any],
        title: str | None,
        color: Any,
        label: Any,
        line: Mapping[str, Any],
    ) -> Look:
        """Sort the keywords of a picture, or raise TypeError for one that no line has."""
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        if title is not None and not isinstance(title, str):
            raise TypeError(f"title must be text, got {told(title)}")
        named = {"color": color, "label": label}
        given = {word: each for word, each in named.items() if each is not None}
        found: dict[str, Any] = normalize_kwargs({**given, **line}, Line2D)
        first = found.pop("color", None), found.pop("label", None)
        for word, value in found.items():
            if not hasattr(Line2D, f"set_{word}"):
                _, *own, _ = signature(picture).parameters
                raise TypeError(
                    f"{picture.__name__}() got an unexpected keyword argument {word!r}; it takes "
                    f"{', '.join(own)}, and keywords of matplotlib's lines, such as linestyle, "
                    "linewidth and alpha"
                )
            try:
                Line2D([], []).set(**{word: value})
            except (TypeError, ValueError) as error:
                raise ValueError(f"{word}={told(value)} is of no line: {error}") from None
        return cls(title, *first, found)

    def models(self, models: Sequence[Model]) -> list[Model]:
        """Return the scores in the colours and with the entries in the legend that are given."""
        shown = [model for model in models if not model.grey]
        names = [model.key or model.label for model in shown]
        styles, entries = iter(self._colours(names)), iter(self._labels(names))
        return [
            model
            if model.grey
            else replace(model, style=_in_colour(model.style, next(styles)), entry=next(entries))
            for model in models
        ]

    def of_classes(self, chart: Chart, names: Sequence[str] = CLASS_NAMES) -> Chart:
        """Return a chart whose lines or bars, of a score or of classes, look as they should."""
        colours, labels = self._colours(names), iter(self._labels(names))
        own = iter(colours)
        # What belongs to a class, such as a mark on its curve, has its colour.
        by_name = dict(zip(names, colours, strict=True))
        others = {style.colour: by_name.get(name) for style, name in CLASS_STYLES}

        def dressed(each: Any) -> Any:
            style, label = _in_colour(each.style, next(own)), next(labels) or each.label
            return replace(each, style=style, label=label)

        lines = [
            dressed(line)
            if line.level == SCORES
            else replace(line, style=_in_colour(line.style, others.get(line.style.colour)))
            for line in chart.lines
        ]
        bars = [dressed(each) if each.style else each for each in chart.bars]
        return replace(chart, lines=lines, bars=bars)

    def _colours(self, names: Sequence[str]) -> list[str | None]:
        from matplotlib.colors import is_color_like, to_hex

        def is_one(given: Any) -> bool:
            return isinstance(given, str) or is_color_like(given)

        found = _of_each(self.color, names, "color", is_one)
        for each in found:
            if each is not None and not is_color_like(each):
                raise ValueError(
                    f"color={told(each)} is no colour that matplotlib knows, such as 'red', "
                    "'tab:blue' or '#0072B2'"
                )
        # With its opacity, no colour is taken for the grey of what others are seen against.
        return [None if each is None else to_hex(each, keep_alpha=True) for each in found]

    def _labels(self, names: Sequence[str]) -> list[str | None]:
        if isinstance(self.label, str) and len(names) > 1:
            raise ValueError(
                f"label is one text, and the picture shows {_listed(names)}: give a list of texts, "
                "or {name: text}"
            )
        return _of_each(self.label, names, "label", lambda given: isinstance(given, str))


def _of_each(
    given: Any, names: Sequence[str], what: str, is_one: Callable[[Any], bool]
) -> list[Any]:
    """Return what is given for each name: one for all, several in their order, or by name."""
    if given is None or is_one(given):
        return [given] * len(names)
    if isinstance(given, Mapping):
        for key in given:
            if key not in names:
                raise ValueError(f"{what} names {key!r}, and the picture shows {_listed(names)}")
        return [given.get(name) for name in names]
    if not isinstance(given, Iterable):
        raise TypeError(
            f"{what} takes one, several in a list, or {{name: {what}}}; got {told(given)}"
        )
    several = list(given)
    if len(several) != len(names):
        raise ValueError(
            f"{what} has {len(several)} entries, and the picture shows {_listed(names)}"
        )
    return several


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def _in_colour(style: Style, colour: str | None) -> Style:
    return style if colour is None else replace(style, colour=colour)
