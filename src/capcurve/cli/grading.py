"""`capcurve grades`: the best grade scale of a score, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import click

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.notations import DESIGN, FIXED, LISTED, Cuts
from capcurve.cli.options import DETAILS, ONE_HORIZON, OPEN_SHARE, SHARE, TIMED, option, seed_option
from capcurve.cli.output import RESULTS, WITH_WORKBOOK, Destination, Formats, waiting
from capcurve.cli.reading import tallied

MOST_SPLITS = 10_000
SPARE_OF_GRADES = ("p_reversed", "p_value", "p_adjusted", "lift", "rate_low", "rate_high")
WITH_SQL = Formats(
    {**WITH_WORKBOOK.suffixes, ".sql": "sql"},
    f"{RESULTS.more} sql is an expression that gives the grade of a score.",
)


@command(
    "grades",
    columns=("target", "amount", "exposure", "score", *TIMED),
    details=DETAILS,
    writes=WITH_SQL,
    refuses={"scores": "a grade scale is for one score; pass one --score", **ONE_HORIZON},
)
@dataclass(frozen=True, kw_only=True)
class DesignGrades(ShowsResult):
    """Design the grade scale that ranks best.

    Finds the cut-offs with the highest accuracy ratio that fulfil your conditions, and shows what
    they lose against the score, also on halves of the cases held out from the design. The csv that
    it writes is a master scale for --cuts.
    """

    design: int | tuple[int, int] = option(
        "Largest number of grades; or the smallest and the largest, between which the accuracy "
        "ratio on held-out cases decides.",
        "N|LEAST:MOST",
        type=DESIGN,
        default="7",
    )
    min_share: float | None = option(
        "Least share of the cases (of the exposure) in a grade.", "SHARE", type=SHARE
    )
    max_share: float | None = option(
        "Largest share of the cases (of the exposure) in a grade.", "SHARE", type=SHARE
    )
    min_positives: int | None = option(
        "Least positives in a grade; of amounts, rows with an amount.",
        "N",
        type=click.IntRange(min=1),
    )
    falling: bool | None = option(
        "Whether rates must fall from each grade to the next (default: falling).",
        flags=("--falling/--no-falling",),
        default=None,
    )
    distinct: float | None = option(
        "Rates of neighbouring grades must differ at this level, by a one-sided mid-p test.",
        "LEVEL",
        type=OPEN_SHARE,
    )
    fixed: Cuts | None = option("Cut-offs that the scale must contain.", "CUTS", type=FIXED)
    rounded: float | None = option("Cut-offs are multiples of this number.", "STEP")
    labels: list[str] | None = option(
        "Names of the grades, most likely positive first (default: 1,2,...).",
        "A,B,C,...",
        type=LISTED,
    )
    splits: int | None = option(
        "Number of random splits into halves that test the scale, 0 for none (default: 20).",
        "N",
        type=click.IntRange(0, MOST_SPLITS),
    )
    seed: int | None = seed_option("Seed of the halves (default: always the same).")
    choose: Literal["one-se", "best"] = option(
        "Of LEAST:MOST grades: the fewest within one standard error of the best, or the best.",
        default="one-se",
    )

    def result(self) -> Output:
        """Return the scale."""
        grades, labels = self.design, self.labels
        if self.choose == "best" and isinstance(grades, int):
            raise click.UsageError("--choose is for several numbers of grades, as in --design 3:12")
        most = grades if isinstance(grades, int) else grades[1]
        if labels and len(set(labels)) != most:
            raise click.UsageError(f"--labels must be {most} different names, as --design has it")
        ((name, counts),) = (found := tallied(self.request)).whole.items()
        with waiting("designing"):
            from capcurve.studies.grades import design_grades

            asked = self.options("min_share", "max_share", "min_positives", "falling", "distinct")
            asked |= self.options("rounded", "splits", "seed")
            asked |= {"labels": labels or None, "choose": self.choose.replace("-", "_")}
            if self.fixed is not None:
                asked["fixed"] = self.fixed.among(counts.levels)
            given = {name: value for name, value in asked.items() if value is not None}
            scale = design_grades(counts, grades, **given)
        shown = self.request.about([name], scale.presentation())
        output = of_result(scale.to_dict, shown, SPARE_OF_GRADES, counted=[found])

        def text(to: Destination) -> str:
            return f"{scale.sql(name)}\n" if to.form == "sql" else output.text(to)

        return replace(output, text=text)
