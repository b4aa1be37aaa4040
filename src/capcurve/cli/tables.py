"""`capcurve gains`, `thresholds`, `steps`, `curve` and `plot`: a score's tables and curves."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np

from capcurve.cli.command import (
    Command,
    Output,
    ShowsResult,
    command,
    of_columns,
    page_and_picture,
    with_rows_left_out,
)
from capcurve.cli.notations import Cuts, bins_among
from capcurve.cli.options import (
    Request,
    bins_option,
    errors_option,
    level_option,
    of_classes,
    option,
    output_option,
    prevalence_option,
    without_clusters,
)
from capcurve.cli.output import TABLES, WITH_WORKBOOK, AsTyped, check_output, save, tell_all
from capcurve.cli.reading import counted_to_show, notes_on, part_called
from capcurve.show import PICTURES
from capcurve.show.columns import formed, show
from capcurve.show.format import counted, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from capcurve.counts import Amounts, ScoreCounts
    from capcurve.curves import Curve
    from capcurve.input.columns import Values
    from capcurve.show.presentation import Presentation
    from capcurve.show.table import Table

    PartTables = list[tuple[dict[str, object], Table]]

NO_TABLE = {"amount": of_classes("this table is", "use capcurve gains --bins score")}
NO_RATES = {"amount": of_classes("--prevalence is", "leave it out")}
CURVES = (
    *("cap", "roc", "lift", "local-lift", "captured-response", "precision-recall"),
    *("risk-coverage", "lorenz", "ks"),
)
CURVES_OF_AMOUNTS = ("cap", "lift", "local-lift", "captured-response", "lorenz")
OF_PDS = ("calibration", "decision")
MOST_POINTS = 1_000_000
TITLES = {"gains": "Gains table", "rates": "Gains table", "thresholds": "Cut-offs"}
DIGITS_OF_DIGEST = 16
CURVES_DRAWN = (
    *("cap", "roc", "lorenz", "lift", "mean-amount", "captured-response", "ks"),
    *("precision-recall", "risk-coverage", "score-distributions", "profit", "calibration"),
    "decision",
)
DRAWN_OF_AMOUNTS = ("cap", "lorenz", "lift", "mean-amount", "profit")


def _for_kind(*kinds: str) -> dict[str, str]:
    """Say which pictures an option is for."""
    return {f"kind={'|'.join(kinds)}": f"{{flag}} is for --kind {', '.join(kinds)}, not {{kind}}"}


@command("gains", writes=WITH_WORKBOOK)
@dataclass(frozen=True, kw_only=True)
class Gains(ShowsResult):
    """Show the gains table: cases, rates and lift by bin.

    From the most likely positive down: cases, positives, share captured, lift and KS. With
    --amount: cases, exposure, amount, its mean per unit of exposure, share captured and lift.
    Ties are never split between bins.
    """

    prevalence: float | None = prevalence_option(excludes=NO_RATES)
    bins: int | str | Cuts = bins_option(default="10")
    interval: str | None = option(
        "Add the confidence interval of each rate, by this method.",
        type=click.Choice(["jeffreys", "clopper-pearson", "wilson"]),
        excludes={
            "amount": of_classes("--interval is", "leave it out"),
            "prevalence": "--interval is for the observed rates; leave out --prevalence",
        },
    )
    level: float = level_option(
        needs={"interval": "--level is for --interval; add one, e.g. --interval jeffreys"}
    )

    def result(self) -> Output:
        """Return the table of every score and segment."""
        from capcurve.tables.gains import gains_presentation

        if self.interval is None and self.request.cluster is not None:
            raise click.UsageError(without_clusters("a gains table without --interval"))
        return _tables(self.request, self._table, gains_presentation)

    def _table(self, counts: ScoreCounts) -> Table:
        bins = bins_among(self.bins, counts.levels)
        if self.interval is None:
            from capcurve.tables import gains_table

            return gains_table(counts, bins=bins, prevalence=self.prevalence)
        from capcurve.inference import rate_table

        method: Any = self.interval.replace("-", "_")
        return rate_table(counts, bins=bins, method=method, level=self.level)


@command(
    "thresholds",
    writes=TABLES,
    refuses={**NO_TABLE, "cluster": without_clusters("a threshold table")},
)
class Thresholds(ShowsResult):
    """List every cut-off with its confusion matrix.

    Each cut-off has its counts (tp, fp, tn, fn), rates, precision and lift.
    """

    def result(self) -> Output:
        """Return the table of every score and segment."""
        from capcurve.tables import threshold_table

        return _tables(self.request, threshold_table)


@command("steps", writes=TABLES, refuses={**NO_TABLE, "cluster": without_clusters("a step table")})
@dataclass(frozen=True, kw_only=True)
class Steps(ShowsResult):
    """Show how the CAP is built, step by step.

    One row per distinct score: sort by score, number the cases, add up the positives.
    """

    ideal: bool = option("Show the perfect ranking: all positives before all negatives.")

    def result(self) -> Output:
        """Return the table of every score and segment."""
        from capcurve.tables import step_table

        return _tables(self.request, partial(step_table, ideal=self.ideal))


def _tables(
    request: Request,
    make: Callable[[ScoreCounts], Table],
    present: Callable[[Mapping[str, Table]], Presentation] | None = None,
) -> Output:
    """Return the tables of every score and segment; with `present` a page and a picture, too."""
    found = counted_to_show(request)
    parts, left_out = found.made(make)
    by_name = {part_called(whose): table for whose, table in parts}
    name = parts[0][1].name
    notes = dict.fromkeys(table.note for _, table in parts if table.note)
    scores = ", ".join(dict.fromkeys(request.score)) or request.name
    written = of_columns(
        f"{TITLES.get(name, name.capitalize())} of {scores}{request.within}",
        lambda: _stacked(parts),
        json=lambda: {
            "table": name,
            "parts": [{**whose, "note": t.note, "rows": list(t.rows())} for whose, t in parts],
        },
        told=[*notes, *notes_on(left_out), found.always()],
        source=request.source,
        added_up=present is not None and len(parts) == 1,
    )
    # Of several tables each has one sentence.
    said = present(by_name).sentences[: len(parts)] if present else _sizes(by_name)
    written = replace(written, headline=[(each, None) for each in said])
    if present is None:
        return written

    def shown() -> Presentation:
        return with_rows_left_out(request.about(found.whole, present(by_name)), [found.always()])

    return replace(written, files={**written.files, **page_and_picture(shown)})


def _sizes(tables: Mapping[str, Table]) -> list[str]:
    """Return how many cut-offs, or steps, the first few tables list, and from which score on."""
    from capcurve.tables.gains import FEW_TABLES

    said = []
    for name, table in list(tables.items())[:FEW_TABLES]:
        column, noun = ("score", "step") if "score" in table.columns else ("threshold", "cut-off")
        _, *scores = table.values()[column]  # the first row selects nobody
        first, last = (show(column, scores[at]) for at in (0, -1))
        begin = f"{name}: the" if len(tables) > 1 else "The"
        listed = f"{begin} table lists {counted(len(scores), noun)}"
        said.append(f"{listed}, from {first} to {last}.")
    return said


def _stacked(parts: PartTables) -> dict[str, list[object]]:
    """Put tables under each other, with columns that say whose rows they are."""
    names = dict.fromkeys(name for _, table in parts for name in table.columns)
    columns: dict[str, list[object]] = {}
    for whose, table in parts:
        for name, value in whose.items():
            free = "score_name" if name in names else name
            columns.setdefault(free, []).extend([value] * len(table))
        held = table.values()
        for name in names:  # rows are beside cases where some of them are censored
            columns.setdefault(name, []).extend(held.get(name, [None] * len(table)))
    return columns


@command("curve", writes=TABLES, refuses={"cluster": without_clusters("a curve")})
@dataclass(frozen=True, kw_only=True)
class Points(ShowsResult):
    """Export curve points.

    Each point has the score at the end of the segment before it.
    """

    prevalence: float | None = prevalence_option(
        excludes={
            **NO_RATES,
            "kind=roc": "a ROC does not depend on --prevalence; leave it out",
            "kind=risk-coverage": "risks are as counted; leave out --prevalence",
        }
    )
    kind: str = option(
        f"Curve: {', '.join(CURVES)}; of amounts {', '.join(CURVES_OF_AMOUNTS)}.",
        "KIND",
        type=click.Choice(CURVES),
        default="cap",
    )
    of: str | None = option(
        "Class of the response or lift, for captured-response and local-lift.",
        type=click.Choice(["positives", "negatives"]),
        excludes={"amount": of_classes("--of is", "leave it out")},
        needs={
            "kind=local-lift|captured-response": "--of is for --kind local-lift and "
            "captured-response"
        },
    )
    errors: Literal["positives", "negatives"] | None = errors_option(
        "For risk-coverage", needs=_for_kind("risk-coverage")
    )
    absolute: bool = option(
        "Cases and positives, or exposure and amount, instead of shares, for cap.",
        needs={"kind=cap": "--absolute is for --kind cap, not {kind}"},
    )
    points: int | None = option(
        "Evaluate the curve at N equal steps instead of at every score.",
        "N",
        type=click.IntRange(1, MOST_POINTS),
    )
    tolerance: float | None = option(
        "Drop points that change the curve by at most this much.",
        "HEIGHT",
        excludes={"points": "--points and --tolerance both thin the curve; give one"},
    )

    def result(self) -> Output:
        """Return the points for every score and segment."""
        _refuse_kind(self.request, self.kind, CURVES_OF_AMOUNTS)
        found = counted_to_show(self.request)
        lines, left_out = found.made(self._line)
        return of_columns(
            self.kind,
            lambda: _stacked([(whose, self._points(line)) for whose, line in lines]),
            json=lambda: {
                "curve": self.kind,
                "parts": [{**whose, **self._plain(line)} for whose, line in lines],
            },
            told=[*notes_on(left_out), found.always()],
            source=self.request.source,
        )

    def _line(self, counts: ScoreCounts) -> Curve:
        from capcurve import curves

        given = {**self.options("prevalence", "of", "errors"), "absolute": self.absolute or None}
        options = {name: said for name, said in given.items() if said is not None}
        make = getattr(curves, f"{self.kind.replace('-', '_')}_curve")
        line: Curve = make(counts, **options)
        return line if self.tolerance is None else line.simplify(self.tolerance)

    def _plain(self, line: Curve) -> dict[str, Any]:
        if self.points is None:
            return line.to_dict()
        columns: dict[str, Any] = self._points(line).to_dict()["columns"]
        return columns

    def _points(self, line: Curve) -> Table:
        from capcurve.show.table import Table, score_column

        columns: dict[str, Values] = {"x": line.x, "y": line.y}
        if self.points is not None:
            x = np.linspace(line.x[0], line.x[-1], self.points + 1)
            columns = {"x": x, "y": np.asarray(line.at(x))}
        elif line.thresholds is not None:
            columns["threshold"] = score_column(line.thresholds, np.arange(len(line.x)) > 0)
        return Table(line.name, formed(columns, coordinate="x y"))


def _refuse_kind(request: Request, kind: str, of_amounts: tuple[str, ...]) -> None:
    if request.amount is not None and kind not in of_amounts:
        raise click.UsageError(of_classes(f"--kind {kind} is", f"choose {', '.join(of_amounts)}"))


@command("plot", worded=True)
@dataclass(frozen=True, kw_only=True)
class Plot(Command):
    """Save a chart.

    Several scores or segments are drawn in one chart, or beside each other where the curve shows
    one score.
    """

    prevalence: float | None = prevalence_option(
        excludes=NO_RATES, needs=_for_kind("cap", "lift", "captured-response")
    )
    kind: str = option(
        f"Curve to draw: {', '.join(CURVES_DRAWN)}; of amounts {', '.join(DRAWN_OF_AMOUNTS)}.",
        "KIND",
        type=click.Choice(CURVES_DRAWN),
        default="cap",
    )
    at: tuple[float, ...] = option(
        "Guide lines at this share of cases, for cap; repeat for several.",
        "SHARE",
        needs=_for_kind("cap"),
    )
    absolute: bool = option(
        "Axes in cases and positives, or exposure and amount, instead of shares, for cap.",
        needs=_for_kind("cap"),
    )
    errors: Literal["positives", "negatives"] | None = errors_option(
        "For risk-coverage", needs=_for_kind("risk-coverage")
    )
    max_risk: float | None = option(
        "Mark the most cases that can be answered with at most this share of errors.",
        "SHARE",
        needs=_for_kind("risk-coverage"),
    )
    value: float | None = option(
        "Gain per captured positive, or unit of the amount, for profit.", needs=_for_kind("profit")
    )
    cost: float | None = option(
        "Cost per selected case, or unit of exposure, for profit.", needs=_for_kind("profit")
    )
    output: str = output_option(f"File to write: {', '.join(PICTURES)}.", required=True)

    def run(self) -> None:
        """Draw the picture, and say what it leaves out."""
        path = check_output(self.output, PICTURES)
        self._check()
        found = counted_to_show(self.request)
        from capcurve import plots
        from capcurve.gate.given import is_amounts
        from capcurve.gate.pds import pds_of
        from capcurve.plots.models import DrawnSegments

        drawn = dict(found.whole)
        (first, *_) = found.whole.values()
        if self.kind in OF_PDS and not is_amounts(first):  # those the picture refuses
            pds_of(first.every_score(), "score", "make the PDs the --score")
        left_out: dict[str, str] = {}
        if found.segments:
            parts, left_out = found.made(self._drawable)
            drawn = DrawnSegments({part_called(whose): counts for whose, counts in parts})
        source = self._source(found.whole)

        def draw(file: Path) -> None:  # the title is of numbers that the picture may refuse
            picture, title = self._picture(drawn), AsTyped.asked().said(self._title(found.whole))
            plots.save_picture(picture, file, title=title, source=source)

        save(path, draw)
        tell_all([*notes_on(left_out), found.always()])

    def _check(self) -> None:
        """Refuse pictures of amounts without one, and with one those of two classes."""
        _refuse_kind(self.request, self.kind, DRAWN_OF_AMOUNTS)
        if self.kind == "mean-amount" and self.request.amount is None and not self.request.counts:
            raise click.UsageError("--kind mean-amount needs --amount; without one draw lift")
        if self.kind in OF_PDS and self.request.horizon:
            raise click.UsageError(
                f"--kind {self.kind} is for PDs, which are not tested at a horizon yet; draw cap"
            )
        if self.kind == "lift" and self.request.cluster is not None:
            raise click.UsageError(without_clusters("a picture of lift"))
        money = {"--value": self.value, "--cost": self.cost}
        missing = [flag for flag, said in money.items() if said is None]
        if self.kind == "profit" and missing:
            raise click.UsageError(f"--kind profit needs {' and '.join(missing)}")

    def _title(self, scores: Mapping[str, Any]) -> str:
        """Return what stands above the picture: what it shows, or of which scores and segments."""
        from capcurve.counts.settings import as_words
        from capcurve.plots.titles import drawn_title, finding_title

        request, by = self.request, self.request.by_called
        if not (by or request.horizon):
            how: dict[str, Any] = {"share": self.at[0]} if self.at else {}
            how |= {"prevalence": self.prevalence, "errors": self.errors or "positives"}
            with suppress(ValueError):  # of amounts below 0 no share is captured
                return finding_title(self.kind, scores, **how)
        names = list(dict.fromkeys(request.score)) if request.horizon else list(scores)
        where = request.within + (f" by {as_words(by)}" if by else "")
        return drawn_title(self.kind, joined(names) if names else "", where)

    def _source(self, scores: Mapping[str, Any]) -> str:
        """Return where the picture came from, when, and the digest of its counts if it has one."""
        from capcurve.show.elements import origin

        said = origin(self.request.source)
        digests = {counts.digest() for counts in scores.values()}
        (only,) = digests if len(digests) == 1 else (None,)
        return f"{said} · digest {only[:DIGITS_OF_DIGEST]}" if only else said

    def _picture(self, counts: Any) -> Any:
        from capcurve import plots

        noun = AsTyped.asked().noun
        given = self.options("value", "cost", "prevalence", "errors", "max_risk")
        given |= {"q": self.at or None, "absolute": self.absolute or None}
        given |= {"positive_word": noun and f"{noun.one}/{noun.several}"}
        options = {name: said for name, said in given.items() if said is not None}
        return plots.draw_each(self.kind, counts, **options)

    def _drawable(self, counts: ScoreCounts | Amounts) -> ScoreCounts | Amounts:
        """Return counts that can be drawn; raise ValueError for others."""
        from capcurve.results.findings import has_accuracy_ratio

        if not has_accuracy_ratio(counts):
            self._picture(counts)
        return counts
