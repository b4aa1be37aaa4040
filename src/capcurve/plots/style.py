"""Colours, dashes and words of the pictures: readable by everybody, also in grey."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional

from capcurve.tables.shown import cutoff_text, writable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import ScoreCounts

Dashes = str | tuple[float, tuple[float, ...]]

# Okabe & Ito (2008), the strongest on white first.
BLUE = "#0072B2"
COLOURS = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
# Of negatives alone, whatever the picture.
RASPBERRY = "#B3245D"
DASHES: tuple[Dashes, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.4, 1.4)),
    (0, (7, 1.6, 1.4, 1.6)),
    (0, (2.8, 1.2)),
    (0, (1, 2.6)),
)
NEGATIVE_DASHES: Dashes = (0, (8, 2, 2, 2, 2, 2))
REFERENCE_DASHES: Dashes = (0, (3.5, 2.5))
GUIDE_DASHES: Dashes = (0, (2, 2))
MARKERS = "osD^vP"
LONGEST_NAME = 30
SHORT_NAME = 18
MANY_DIGITS = 10**12
FROM_THE_LEFT = "\u200e"


@dataclass(frozen=True, slots=True)
class Style:
    """What tells one line from the others: never its colour alone."""

    colour: str
    dashes: Dashes


POSITIVES = Style(BLUE, DASHES[0])
NEGATIVES = Style(RASPBERRY, NEGATIVE_DASHES)


def model_style(position: int) -> Style:
    """Return the style of the model at this position; 36 differ before one returns."""
    colours, dashes = len(COLOURS), len(DASHES)
    return Style(COLOURS[position % colours], DASHES[(position + position // colours) % dashes])


def number(value: float, digits: int = 3) -> str:
    """Write a number as tables, page and terminal do; only ticks have a true minus sign.

    Examples
    --------
    >>> number(-1 / 3)
    '-0.333'
    """
    return f"{value:.{digits}f}"


def amount(value: Any) -> str:
    """Write a number of cases: whole ones in full, weights to four digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def plain_names(names: Sequence[object], longest: int = LONGEST_NAME) -> list[str]:
    r"""Return names that a picture shows as they are: on one line, not too long, distinct.

    Examples
    --------
    >>> plain_names(["a\nb", "a\x00b", None, "a b"])
    ['a b #1', 'a\ufffdb', '(missing)', 'a b #2']
    """
    short = [_shortened(_plain(name), longest) for name in names]
    often, seen = Counter(short), Counter[str]()
    shown = []
    for name in short:
        seen[name] += 1
        shown.append(_as_text(f"{name} #{seen[name]}" if often[name] > 1 else name))
    return shown


def _plain(name: object) -> str:
    if name is None:
        return "(missing)"
    return " ".join(writable(str(name)).split()) or "(empty)"


def capitalised(text: str) -> str:
    """Return text with a capital first letter, the rest as it is."""
    return text[:1].upper() + text[1:]


def cut_off(counts: ScoreCounts, threshold: Any, name: str | None = None) -> str:
    """Say which cases a cut-off selects, as one may type it: "pd ≥ 0.12"."""
    if threshold is None:
        return "nobody selected"
    if counts.levels is not None:
        return f"down to {plain_names([threshold])[0]}"
    sign = "≥" if counts.higher_is == "positive" else "≤"
    return f"{name or 'score'} {sign} {cutoff_text(threshold)}"


def score_text(score: Any) -> str:
    """Write one score: whole numbers of up to 12 digits in full, others to six digits."""
    rounded = isinstance(score, float) or (isinstance(score, int) and abs(score) >= MANY_DIGITS)
    text = f"{score:.6g}" if rounded else str(score)
    return text.replace("-", "−").replace("inf", "∞")


def _shortened(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    kept = longest // 2
    return f"{name[:kept]}…{name[1 - kept :]}"


def _as_text(name: str) -> str:
    """Keep matplotlib from reading dollar signs as formulas, or a first underscore as "hide".

    Names written from right to left are marked off, or the numbers beside them would move.
    """
    shown = name.replace("$", r"\$")
    if any(bidirectional(letter) in {"R", "AL"} for letter in shown):
        return f"{FROM_THE_LEFT}{shown}{FROM_THE_LEFT}"
    return f" {shown}" if shown.startswith("_") else shown
