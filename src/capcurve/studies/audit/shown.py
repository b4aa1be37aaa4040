"""What an audit shows: sentences, ranges with their intervals, the band of curves, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from capcurve.show.chart import BLUE, Axis, Band, Chart, Line, Marker, Style, reference
from capcurve.show.figure import Figure
from capcurve.show.format import (
    Worded,
    capitalised,
    certain,
    form_of,
    joined,
    shortened,
    stated_percent,
)
from capcurve.show.presentation import Presentation
from capcurve.show.table import Table
from capcurve.studies.audit.records import RangeInWords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from capcurve.counts.types import Array, Floats
    from capcurve.show.finding import Finding
    from capcurve.studies.audit.audited import Audited
    from capcurve.studies.audit.records import Claim, Range

DEPTHS = (0.05, 0.1, 0.2)
ASSUMED = {
    None: "",
    "concave": "if the rate never rises with the rank, ",
    "random": "if no bin ranks worse than at random, ",
}
NAMES = {
    "accuracy_ratio": "accuracy ratio",
    "roc_auc": "AUC",
    "ks": "KS",
    "ks_positive": "KS, positives ahead",
    "ks_negative": "KS, negatives ahead",
}
FACTS = (
    "The ranges hold every score whose cases give this table: the order inside the bins is open"
    "{digits}. Straight lines between the points give each bin one score."
)
DIGITS = ", and so are the digits that were not printed"
ONLY = "no other numbers of cases give what is printed"
CHANCE = (
    "In brackets: with chance, from the low end less its error to the high end plus its error "
    "(DeLong), at {level}."
)
NOT_SHARP = "sharp: both ends are reached by some cases; else the true range may be narrower"
MOST_NAMED = 3
# Findings that are said in the sentences.
SAID = {"contradiction", "misprint", "impossible_claim", "mistaken_claim"}
# How many points of the band are computed inside each bin, and how many at most in all.
INSIDE, MOST_POINTS = 6, 400
ASSUMED_IN_LEGEND = {None: "", "concave": ", rates falling", "random": ", no bin worse than random"}


def presentation_of(audit: Audited, at: Sequence[float] = ()) -> Presentation:
    """Return what an audit shows, with the shares captured at some depths."""
    title = "Audit of " + (audit.table.source or "a table of bins")
    if not audit.fits:
        return Presentation(
            title=title,
            sentences=tuple(_contradiction(audit)),
            source=audit.table.source,
            findings=_not_said(audit),
            tables=tuple(_tables_of_conflicts(audit)),
        )
    depths = tuple(at) or DEPTHS
    figures = tuple(_figures(audit, at or DEPTHS[1:2]))
    chance = any(figure.limits for figure in figures)
    said = [CHANCE.format(level=stated_percent(audit.level))] if chance else []
    return Presentation(
        title=title,
        sentences=(*_answer(audit), *(claim.message for claim in audit.claims)),
        source=audit.table.source,
        figures=figures,
        level=audit.level if chance else None,
        findings=_not_said(audit),
        charts=tuple(_pictures(audit)),
        tables=(_ranges(audit, depths), *_tables_of_fit(audit)),
        notes=(FACTS.format(digits=DIGITS if _is_rounded(audit) else ""), *said),
    )


def _is_rounded(audit: Audited) -> bool:
    """Tell whether digits are missing from the table."""
    cells = (cell for column in audit.table.columns for cell in column.cells)
    return any(cell is not None and cell.unit for cell in cells)


def _not_said(audit: Audited) -> tuple[Finding, ...]:
    """Return the findings that the sentences do not hold."""
    return tuple(each for each in audit.findings if each.code not in SAID)


def _pictures(audit: Audited) -> Iterator[Chart]:
    if audit.least is not None and audit.greatest is not None:
        yield picture(audit, audit.least, audit.greatest)


def _answer(audit: Audited) -> Iterator[str]:
    """Say what the table allows."""
    found = audit.accuracy_ratio
    if found is None:
        return
    assumed = capitalised(f"{ASSUMED[audit.assume]}the table allows")
    words = RangeInWords.of(found)
    if found.low == found.high:
        yield f"{assumed} one accuracy ratio only: {words.low}."
        return
    about = "" if found.sharp else "about "
    open_ = len(set(words.straight)) > 1
    yield (
        f"{assumed} an accuracy ratio from {about}{words.low} to {words.high}; straight lines "
        f"between its points give {words.between}{', as its digits allow' if open_ else ''}."
    )


def _contradiction(audit: Audited) -> Iterator[str]:
    """Say that the table is impossible, and what is wrong with it."""
    if audit.impossible:
        yield f"The table is impossible: no whole cases give {_listed(audit.impossible)}."
    else:
        yield "The table contradicts itself: no whole cases give all its columns."
    for columns in audit.conflicts[:MOST_NAMED]:
        if len(columns) > 1:
            yield f"{capitalised(_listed(columns))} cannot be true together."
    if audit.cells:
        some = "; or ".join(cell.message.rstrip(".") for cell in audit.cells[:MOST_NAMED])
        yield f"One number put right makes all fit: {some}."


def _listed(names: Sequence[str]) -> str:
    return joined(map(shortened, names))


def _figures(audit: Audited, depths: Sequence[float]) -> Iterator[Figure]:
    """Return the headline numbers: ranges, with chance where it is known."""
    for metric in ("accuracy_ratio", "roc_auc", "ks"):
        found: Range | None = getattr(audit, metric)
        if found is None:
            continue
        low, high = (None, None) if metric == "ks" else _with_chance(audit, metric)
        note, name = f"straight lines {RangeInWords.of(found).between}", NAMES[metric]
        yield Figure(metric, name, name, (found.low, found.high), "ratio", low, high, note)
    for q in depths:
        name = f"captured at {stated_percent(q)}"
        found = audit.captured(q)
        yield Figure(f"captured_{100 * q:g}", name, name, (found.low, found.high), "share")


def _with_chance(audit: Audited, metric: str) -> tuple[float | None, float | None]:
    """Return the range with chance; None where it is not known how many cases there are."""
    if audit.within_sd is None:
        return None, None
    found = audit.interval(metric)
    return found.low, found.high


def _ranges(audit: Audited, depths: Sequence[float]) -> Table:
    """Return every range, a row each."""
    rows = [(name, getattr(audit, metric)) for metric, name in NAMES.items()]
    at: dict[str, Callable[[float], Range]] = {
        "captured": audit.captured,
        "lift": audit.lift,
        "precision": audit.precision,
    }
    rows += [
        (f"{name} at {stated_percent(q)}", number_at(q))
        for name, number_at in at.items()
        for q in depths
    ]
    held: list[tuple[str, Range]] = [(name, found) for name, found in rows if found is not None]
    columns: dict[str, Array] = {
        "number": np.array([name for name, _ in held]),
        **_in_columns([_Row.of(found, name.partition(" ")[0]) for name, found in held]),
    }
    if all(found.sharp for _, found in held):
        return Table("What the table allows", columns)
    columns["sharp"] = np.array(["yes" if found.sharp else "no" for _, found in held])
    return Table("What the table allows", columns, NOT_SHARP)


class _Row(NamedTuple):
    """The ends of a range, and of its straight lines, with the words that they have everywhere."""

    lowest: Worded
    straight_low: Worded
    straight_high: Worded
    highest: Worded

    @classmethod
    def of(cls, found: Range, metric: str) -> _Row:
        """Return the row of a range, in per cent if it is one of shares."""
        words = RangeInWords.of(found, share=form_of(metric) == "share")
        numbers = (found.low, *found.straight, found.high)
        texts = (words.low, *words.straight, words.high)
        return cls(*(Worded(each, text) for each, text in zip(numbers, texts, strict=True)))


def _in_columns(rows: Sequence[_Row]) -> dict[str, Array]:
    """Return ranges by column, with one for straight lines where both ends are the same."""
    columns: dict[str, Array] = {}
    for name, values in zip(_Row._fields, zip(*rows, strict=True), strict=True):
        columns[name] = _as_objects(values)
    if all(row.straight_low == row.straight_high for row in rows):
        straight = {"straight_low": "straight_lines", "straight_high": None}
        names = {name: straight.get(name, name) for name in columns}
        return {new: columns[name] for name, new in names.items() if new is not None}
    return columns


def _as_objects(values: Sequence[float]) -> Array:
    """Return numbers as a column that keeps how each is written."""
    return np.array(values, dtype=object)


def _tables_of_fit(audit: Audited) -> Iterator[Table]:
    if audit.claims:
        yield _claims(audit.claims)
    if audit.least is not None and audit.greatest is not None:
        yield _bins(audit, audit.least, audit.greatest)


def _claims(claims: Sequence[Claim]) -> Table:
    columns: dict[str, Array] = {
        "claim": np.array([_metric(claim.metric) for claim in claims]),
        "stated": np.array([claim.said for claim in claims]),
        "possible": np.array(["yes" if claim.possible else "no" for claim in claims]),
    }
    ranges = _in_columns([_Row.of(claim.range, claim.metric.partition("@")[0]) for claim in claims])
    columns |= {name: ranges[name] for name in ("lowest", "highest")}
    if any(claim.mistake for claim in claims):
        columns["mistake"] = np.array([claim.mistake or "" for claim in claims])
    return Table("Claims", columns)


def _metric(metric: str) -> str:
    """Return what a claim is about, as in captured at 10%."""
    name, _, depth = metric.partition("@")
    said = NAMES.get(name, name)
    return f"{said} at {stated_percent(float(depth))}" if depth else said


def _bins(audit: Audited, least: Table, greatest: Table) -> Table:
    """Return of each bin what the least and the greatest table that fit have down to its end."""
    names = ("bin", "n", "selected", "positives", "rate", "captured")
    low, high = least["captured"], greatest["captured"]
    if (low == high).all():
        columns = {name: least[name] for name in names if name in least.columns}
        return Table("The bins", columns, ONLY if _is_rounded(audit) else None)
    columns = {name: least[name] for name in names[:3] if name in least.columns}
    ends = [certain(a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    columns["captured_low"] = _as_objects([first for first, _ in ends])
    said_so = (c for c in audit.table.columns if c.quantity == "captured" and not c.from_below)
    printed = next(said_so, None)
    if printed is not None:
        cells = (printed.cells[b] for b in audit.bins)
        said = ["" if cell is None else cell.text for cell in cells]
        columns["printed"] = np.array(said, dtype=np.str_)
    columns["captured_high"] = _as_objects([last for _, last in ends])
    return Table("The bins", columns, "captured: between the least and the most of all that fit")


def _tables_of_conflicts(audit: Audited) -> Iterator[Table]:
    alone = [(name,) for name in audit.impossible]
    sets = list(dict.fromkeys([*alone, *audit.conflicts]))
    if audit.cells:
        columns = {
            "column": [cell.column for cell in audit.cells],
            "bin": [cell.bin for cell in audit.cells],
            "printed": [cell.text for cell in audit.cells],
            "would_fit": [cell.would_fit for cell in audit.cells],
        }
        arrays = {name: np.array(values) for name, values in columns.items()}
        yield Table("Numbers of which one, put right, makes all fit", arrays)
    if sets:
        said = np.array([_listed(each) for each in sets])
        yield Table("Columns that cannot all be true", {"columns": said})


def picture(audit: Audited, least: Table, greatest: Table) -> Chart:
    """Return the band between the lowest and the highest CAP that fit."""
    edges = _column(least, "selected")
    depths = _depths(edges, least, greatest)
    found = [audit.captured(float(q)) for q in depths]
    own = [sum(audit.captured(float(q)).straight) / 2 for q in edges]
    ratio = audit.accuracy_ratio
    x, low, high = (
        np.array([0.0, *values])
        for values in (depths, [each.low for each in found], [each.high for each in found])
    )
    return Chart(
        title="CAP curves that the table allows",
        x=Axis("Share of cases", "percent", 1.0),
        y=Axis("Share of positives captured", "percent", 1.0),
        lines=[_own(edges, own, ratio), *_references(least)],
        bands=[Band(x, low, high, _label(ratio, audit.assume), BLUE)],
        corner="upper left" if ratio is not None and ratio.high < 0 else "lower right",
    )


def _column(table: Table, name: str) -> Floats:
    return np.array(table[name].tolist(), dtype=np.float64)


def _depths(edges: Floats, least: Table, greatest: Table) -> Floats:
    """Return where the band is computed: at the ends of bins, its corners inside, and between."""
    starts = np.concatenate([[0.0], edges[:-1]])
    width = edges - starts
    found = [edges]
    for table in (least, greatest):
        positives = np.nan_to_num(_column(table, "rate")) * width
        found += [starts + positives, edges - positives]
    if INSIDE * len(edges) <= MOST_POINTS:
        found += [starts + width * each / INSIDE for each in range(1, INSIDE)]
    depths = np.unique(np.concatenate(found))
    return depths[(depths > 0) & (depths <= 1)]


def _own(edges: Floats, own: list[float], ratio: Range | None) -> Line:
    x, y = np.concatenate([[0.0], edges]), np.array([0.0, *own])
    said = "" if ratio is None else f"  AR {RangeInWords.of(ratio).between}"
    marker = Marker("o", 0.5) if len(edges) <= MOST_POINTS / INSIDE else None
    return Line(x, y, f"Straight lines between its points{said}", Style(BLUE), marker=marker)


def _label(ratio: Range | None, assume: str | None) -> str:
    words = None if ratio is None else RangeInWords.of(ratio)
    said = "" if words is None else f"  AR {words.low} to {words.high}"
    return f"Curves that fit{ASSUMED_IN_LEGEND[assume]}{said}"


def _references(table: Table) -> list[Line]:
    share = float(
        np.nansum(_column(table, "rate") * np.diff(_column(table, "selected"), prepend=0))
    )
    return [
        reference([0, share, 1], [0, 1, 1], "Perfect", dashed=False),
        reference([0, 1], [0, 1], "Random"),
    ]
