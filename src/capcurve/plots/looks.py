"""How a caller wants a picture to look: its title, colours, labels, and the lines of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeAlias

from capcurve.counts.arguments import told
from capcurve.show.chart import NEGATIVES, POSITIVES, SCORES, Chart, Style

if TYPE_CHECKING:
    from matplotlib.typing import ColorType

    from capcurve.plots.models import Model

Colours: TypeAlias = "ColorType | Sequence[ColorType] | Mapping[str, ColorType] | None"
Labels: TypeAlias = "str | Sequence[str] | Mapping[str, str] | None"
BOTH = ("positives", "negatives")
STYLES = tuple(zip((POSITIVES, NEGATIVES), BOTH, strict=True))


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
        looks = iter(zip(self._colours(names), self._labels(names), strict=True))
        return [model if model.grey else _dressed(model, *next(looks)) for model in models]

    def of_classes(self, chart: Chart, names: Sequence[str] = BOTH) -> Chart:
        """Return a chart whose lines or bars, of a score or of classes, look as they should."""
        colours, labels = self._colours(names), iter(self._labels(names))
        own = iter(colours)
        # What belongs to a class, such as a mark on its curve, has its colour.
        by_name = dict(zip(names, colours, strict=True))
        others = {style.colour: by_name.get(name) for style, name in STYLES}
        lines = [
            replace(line, style=_coloured(line.style, next(own)), label=next(labels) or line.label)
            if line.level == SCORES
            else replace(line, style=_coloured(line.style, others.get(line.style.colour)))
            for line in chart.lines
        ]
        bars = [
            replace(each, style=_coloured(each.style, next(own)), label=next(labels) or each.label)
            if each.style
            else each
            for each in chart.bars
        ]
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


def _dressed(model: Model, colour: str | None, label: str | None) -> Model:
    return replace(model, style=_coloured(model.style, colour), entry=label)


def _coloured(style: Style, colour: str | None) -> Style:
    return style if colour is None else replace(style, colour=colour)
