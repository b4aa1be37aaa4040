"""Colours, dashes and words of the pictures: readable by everybody, also in grey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import ScoreCounts

Dashes = str | tuple[float, tuple[float, ...]]

# Okabe & Ito (2008), the strongest on white first.
BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
COLOURS = (BLUE, VERMILLION, GREEN, "#CC79A7", "#E69F00", "#56B4E9")
DASHES: tuple[Dashes, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.4, 1.4)),
    (0, (7, 1.6, 1.4, 1.6)),
    (0, (2.8, 1.2)),
    (0, (7, 1.4, 1.4, 1.4, 1.4, 1.4)),
)
REFERENCE_DASHES: Dashes = (0, (3.5, 2.5))
GUIDE_DASHES: Dashes = (0, (2, 2))
MARKERS = "osD^vP"
LONGEST_NAME = 30
SHORT_NAME = 18
MANY_DIGITS = 10**12


@dataclass(frozen=True, slots=True)
class Style:
    """What tells one line from the others: never its colour alone."""

    colour: str
    dashes: Dashes


POSITIVES = Style(BLUE, DASHES[0])
NEGATIVES = Style(VERMILLION, DASHES[1])


def model_style(position: int) -> Style:
    """Return the style of the model at this position; 36 differ before one returns."""
    colours, dashes = len(COLOURS), len(DASHES)
    return Style(COLOURS[position % colours], DASHES[(position + position // colours) % dashes])


def number(value: float, digits: int = 3) -> str:
    """Write a number with a true minus sign.

    Examples
    --------
    >>> number(-1 / 3)
    '−0.333'
    """
    return f"{value:.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """Write a share in percent, never as 0% or 100% when it is not.

    Examples
    --------
    >>> percent(2 / 3), percent(0.4), percent(0.0002)
    ('66.7%', '40%', '0.02%')
    """
    for digits in (1, 2, 3):
        text = f"{100 * share:.{digits}f}".rstrip("0").rstrip(".")
        if share in {0, 1} or text not in {"0", "100"}:
            break
    return f"{text}%"


def amount(value: Any) -> str:
    """Write a number of cases: whole ones in full, weights to four digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def plain_names(names: Sequence[object], longest: int = LONGEST_NAME) -> list[str]:
    """Return names that a legend shows as they are: on one line, not too long, still distinct."""
    full = ["(missing)" if name is None else " ".join(str(name).split()) for name in names]
    short = [_shortened(name, longest) for name in full]
    chosen = short if len(set(short)) == len(set(full)) else full
    return [_as_text(name) for name in chosen]


def capitalised(text: str) -> str:
    """Return text with a capital first letter, the rest as it is."""
    return text[:1].upper() + text[1:]


def cut_off(counts: ScoreCounts, threshold: Any, name: str | None = None) -> str:
    """Say which cases a cut-off selects, for instance "pd ≥ 0.12"."""
    if threshold is None:
        return "nobody selected"
    if counts.levels is not None:
        return f"down to {plain_names([threshold])[0]}"
    sign = "≥" if counts.higher_is == "positive" else "≤"
    return f"{name or 'score'} {sign} {score_text(threshold)}"


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
    """Keep matplotlib from reading dollar signs as formulas, or a first underscore as "hide"."""
    shown = name.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") or not shown else shown
