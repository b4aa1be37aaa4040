"""`capcurve calibration`: whether PDs are right, and what deciding by them brings."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.command import ShowsResult, command, of_result
from capcurve.cli.errors import Failure
from capcurve.cli.options import level_option, of_classes, option
from capcurve.cli.output import WITH_WORKBOOK, waiting
from capcurve.cli.reading import counted_to_show
from capcurve.show.format import cutoff_text

if TYPE_CHECKING:
    from capcurve.cli.command import Output
    from capcurve.counts import Ranking


def grade_pd_option() -> Any:
    """Return the option of PDs by grade."""
    return option("PDs of grades: A=0.001,B=0.004, or a csv file of grades and PDs.", "PDS|PATH")


def correlation_option() -> Any:
    """Return the option of correlated assets."""
    return option(
        "Correlation of the assets behind defaults, which tests of PDs then allow for.",
        "RHO",
        type=click.FloatRange(0, 1, max_open=True),
        default=0.0,
    )


def pds_of_grades(said: str | None, counts: Ranking) -> Any:
    """Return PDs by distinct score, "score" where none are given."""
    if said is None:
        return "score"
    pairs = [word.partition("=")[::2] for word in said.split(",")]
    if "=" not in said:
        try:
            with Path(said).open(encoding="utf-8-sig", newline="") as file:
                pairs = [(row[0], row[1]) for row in csv.reader(file) if len(row) > 1]
        except OSError as error:
            raise Failure(f"--grade-pd {said}: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise Failure(f"--grade-pd {said}: no table of text in UTF-8") from None
    held = {}
    for place, (grade, pd) in enumerate(pairs):
        try:
            held[grade.strip()] = float(pd)
        except ValueError:
            if place or "=" in said:  # else the heading of a file
                raise Failure(f"--grade-pd: the PD of {grade.strip()} is no number: {pd}") from None
    scores = counts.every_score().thresholds.tolist()
    return {score: held[name] for score in scores if (name := cutoff_text(score)) in held}


@command(
    "calibration",
    writes=WITH_WORKBOOK,
    refuses={
        "amount": of_classes("PDs are", "name a --target"),
        "scores": "calibration takes one --score, the PDs",
        "by": "calibration uses all rows together; leave out --by",
    },
)
@dataclass(frozen=True, kw_only=True)
class CalibrationOfPds(ShowsResult):
    """Test whether PDs are right.

    Rates that came out beside the PDs, tests of each grade and of the portfolio, Brier score and
    log loss, calibration slope, and the net benefit of deciding by the PDs.
    """

    grade_pd: str | None = grade_pd_option()
    at: str | None = option("PDs from which on one acts, such as 0.1,0.2.", "PDS")
    method: Literal["jeffreys", "binomial", "mid_p", "normal"] | None = option(
        "Test of each PD (default: jeffreys, or mid_p with --asset-correlation)."
    )
    asset_correlation: float = correlation_option()
    level: float = level_option()

    def result(self) -> Output:
        """Return the calibration of the score."""
        found = counted_to_show(self.request)
        (counts,) = found.whole.values()
        with waiting("testing the PDs"):
            from capcurve.inference import pd_tests
            from capcurve.results import assess_calibration

            pd = pds_of_grades(self.grade_pd, counts)
            asked = self.options("asset_correlation", "level")
            cuts = None if self.at is None else _thresholds(self.at)
            made = assess_calibration(counts, pd=pd, thresholds=cuts, **asked)
            if self.method is not None:
                if made.grades is None:
                    raise Failure(
                        "--method tests each grade, and there are none: the rows are weighted or "
                        "have more than 50 distinct scores; leave it out"
                    )
                rho = self.asset_correlation
                tests = pd_tests(counts, pd=pd, method=self.method, asset_correlation=rho)
                made = replace(made, grades=tests)
        shown = replace(made.presentation(), source=self.request.source)
        return of_result(made.to_dict, shown, counted=[found])


def _thresholds(said: str) -> list[float]:
    """Return the PDs that are typed with commas between them."""
    try:
        return [float(each) for each in said.split(",")]
    except ValueError:
        raise click.UsageError(f"--at takes PDs such as 0.1,0.2; got {said}") from None
