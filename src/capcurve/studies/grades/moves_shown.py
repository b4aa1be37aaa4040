"""What cases that moved between grades show: sentences, numbers, picture and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.show.chart import BLUE, COLOURS, GREY, Axis, Bars, Chart, ScoreTicks, Style
from capcurve.show.figure import Figure
from capcurve.show.format import (
    MISSING,
    amount,
    bare_chance,
    capitalised,
    counted,
    limits,
    percent,
    plain_names,
    stated_percent,
    tick_text,
)
from capcurve.show.presentation import Presentation
from capcurve.show.table import Table
from capcurve.studies.grades.moves import headings, shares_by_row, ways_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.counts.types import Array, Floats
    from capcurve.studies.grades.moves import Migrated

BAR_WIDTH = 0.72
# From the middle of the first bar to the axis.
HALF_STEP = 0.6
LONGEST_NAME = 12
# So many letters stand beside each other below the bars.
ROOM = 56
CHANCE = 0.05
ON_MWB = (
    "The MWB (matrix-weighted bandwidth, ECB 2019, 2.5.5.1) is how far cases moved that way, in "
    "units of the farthest that they could have moved."
)
ON_CELLS = (
    "share: of the cases that began in the grade; p value: one-sided, how likely so many more "
    "moves to this grade than to the one before it are, if both are equally likely; p adjusted: "
    "Holm's, over all cells"
)
ON_DIRECTION = "Grades run from the riskiest to the best: an upgrade is a move to a less risky one."


def presentation_of(found: Migrated) -> Presentation:
    """Return what moves between grades show."""
    start, end = plain_names((found.start, found.end))
    return Presentation(
        title=f"Migration from {start} to {end}",
        sentences=tuple(_sentences(found)),
        figures=tuple(_figures(found)),
        level=found.level,
        charts=(_chart(found),),
        tables=tuple(_tables(found)),
        notes=(ON_DIRECTION, ON_MWB, *(f"{capitalised(note)}." for note in found.notes)),
    )


def _sentences(found: Migrated) -> Iterator[str]:
    cases = counted(found.matrix.sum().item(), "case")
    yield (
        f"{percent(found.unchanged)} of {cases} kept their grade, {percent(found.within_one)} "
        f"moved by one grade at most; {percent(found.upgraded)} were upgraded and "
        f"{percent(found.downgraded)} downgraded."
    )
    beside = [f"{amount(cases.sum().item())} {label}" for label, cases in found.without_end.items()]
    if beside:
        yield f"Counted beside, without a grade at the end: {', '.join(beside)}."
    adjusted = found.cells["p_adjusted"]
    tested, farther = int((~np.isnan(adjusted)).sum()), int((adjusted < CHANCE).sum())
    if tested:
        where = f"In {farther} of {tested} cells" if farther else "In no cell"
        method = "Holm" if farther else f"Holm, {counted(tested, 'cell')}"
        yield (
            f"{where} significantly more cases moved to a grade than to the one before it "
            f"({stated_percent(CHANCE)}, {method})."
        )


def _figures(found: Migrated) -> Iterator[Figure]:
    yield Figure("unchanged", "kept their grade", "unchanged", found.unchanged, "share")
    yield Figure("within_one", "within one grade", "within one", found.within_one, "share")
    moved = (
        ("upgraded", found.upgraded, found.up),
        ("downgraded", found.downgraded, found.down),
    )
    for key, share, interval in moved:
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        yield Figure(key, key, key, share, "share", low, high)
    upper, lower = found.mwb_upper, found.mwb_lower
    yield Figure("mwb_upper", "upper MWB", "upper MWB", upper, "ratio", note="upgrades")
    yield Figure("mwb_lower", "lower MWB", "lower MWB", lower, "ratio", note="downgrades")
    yield Figure("tau_b", "Kendall's tau-b", "tau-b", found.tau_b, "ratio")


def _tables(found: Migrated) -> Iterator[Table]:
    start, end = plain_names((found.start, found.end))
    yield Table(f"Cases by grade in {start} and in {end}", found.table.columns)
    names = headings(found.grades)
    shares = shares_by_row(found.matrix)
    columns = {"from": found.table["from"]}
    columns |= {name: _percents(each) for name, each in zip(names, shares.T, strict=True)}
    yield Table("Where the cases of each grade went", columns)
    yield _moves(found)
    farther = _farther(found)
    if len(farther):
        yield farther


def _percents(shares: Floats) -> Array:
    """Return shares as text, where nobody went empty-handed as a dash."""
    return np.array([percent(each) if each > 0 else MISSING for each in shares.tolist()])


def _moves(found: Migrated) -> Table:
    """Return how many cases moved each way and, if there are any, the rates of positives."""
    moves = found.moves
    columns: dict[str, Array] = {"move": moves["move"], "n": moves["n"]}
    outcomes = found.positives is not None and found.positives.any()
    for name in ("share", "rate") if outcomes else ("share",):
        if name == "rate":
            columns["positives"] = moves["positives"]
        columns[name] = _percents_or_gaps(moves[name])
        if not np.isnan(moves[f"{name}_low"]).all():
            ends = zip(moves[f"{name}_low"].tolist(), moves[f"{name}_high"].tolist(), strict=True)
            columns[f"{stated_percent(found.level)} limits of the {name}"] = np.array(
                [limits("share", low, high) or MISSING for low, high in ends]
            )
    return Table("Cases that moved and that stayed", columns)


def _percents_or_gaps(shares: Floats) -> Array:
    return np.array([MISSING if np.isnan(each) else percent(each) for each in shares])


def _farther(found: Migrated) -> Table:
    """Return the cells that more cases moved to than to the grade before them."""
    cells = found.cells
    which = np.flatnonzero(cells["p_value"] < 1 / 2)
    which = which[np.argsort(cells["p_value"][which], kind="stable")]
    columns = {name: cells[name][which] for name in ("from", "to", "n")}
    columns["share"] = _percents_or_gaps(cells["share"][which])
    for name in ("p_value", "p_adjusted"):
        columns[name] = np.array([bare_chance(each) for each in cells[name][which]])
    return Table("Grades that more cases moved to than to the one before", columns, ON_CELLS)


def _chart(found: Migrated) -> Chart:
    """Return bars of what became of the cases of each grade, side by side."""
    sums = found.matrix.sum(axis=1)
    full = np.flatnonzero(sums > 0)
    parts = [
        np.where(way, found.matrix, 0).sum(axis=1)[full] / sums[full] for way in ways_of(len(sums))
    ]
    better, same, worse = parts
    bars = (
        (worse, np.zeros(len(full)), "downgraded", COLOURS[1], "///"),
        (same, worse, "unchanged", GREY, ""),
        (better, worse + same, "upgraded", BLUE, "..."),
    )
    return Chart(
        title="What became of the cases of each grade",
        x=Axis(
            f"grade in {plain_names([found.start])[0]}, riskiest first",
            "score",
            ends=(-HALF_STEP, len(sums) - 1 + HALF_STEP),
        ),
        y=Axis("share of the grade's cases", "share", ends=(0.0, 1.0)),
        bars=[
            Bars(
                shares,
                label,
                Style(colour),
                at=full.astype(np.float64),
                width=BAR_WIDTH,
                hatch=hatch,
                base=base,
            )
            for shares, base, label, colour, hatch in bars
        ],
        scores=_ticks(_names(found)),
        columns=3,
        description=_described(found, full, parts),
    )


def _ticks(names: list[str]) -> ScoreTicks:
    """Return the names of the grades below their bars, or of every second or third one."""
    most = max(ROOM // (max(map(len, names)) + 2), 2)
    step = -(-len(names) // most)
    return ScoreTicks(np.arange(0, len(names), step, dtype=np.float64), names[::step])


def _names(found: Migrated) -> list[str]:
    named = [each if isinstance(each, str) else tick_text(each) for each in found.grades]
    return plain_names(named, LONGEST_NAME)


def _described(found: Migrated, full: Array, parts: list[Floats]) -> str:
    """Return what the picture shows in words."""
    names = [_names(found)[place] for place in full.tolist()]
    said = [
        f"{name}: {percent(same)} unchanged, {percent(better)} upgraded, "
        f"{percent(worse)} downgraded"
        for name, better, same, worse in zip(names, *(part.tolist() for part in parts), strict=True)
    ]
    return "; ".join(said)
