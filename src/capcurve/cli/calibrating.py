"""`capcurve calibration`: whether PDs are right, and what deciding by them brings."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.errors import Failure
from capcurve.cli.notations import ACTED_UPON, words_in
from capcurve.cli.options import (
    OF_GRADES,
    ONE_HORIZON,
    STDIN,
    Request,
    level_option,
    of_classes,
    option,
    untimed,
)
from capcurve.cli.output import WITH_WORKBOOK, waiting
from capcurve.cli.reading import CountsByScore, counted_to_show, files_of
from capcurve.gate.given import is_amounts
from capcurve.gate.pds import all_cases, grades_of, refuse_unknown_grades
from capcurve.input.files.reading import column_names
from capcurve.input.query import columns_of_roles, names_in
from capcurve.numbers.arguments import renamed
from capcurve.show.format import cutoff_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from capcurve.counts import Ranking
    from capcurve.input.columns import InputColumn


INSTEAD = "make the PDs the --score, or leave it out"
UNTIMED_PDS = untimed("PDs are not tested at a horizon yet")
COLUMN = "SCORE|COLUMN"
BY_ONE = {"horizons": "{flag} is for one horizon; pass one --horizon"}
_NOT_CENSORED = {"horizon": "{flag} does not allow for censored rows; leave it out"}
_TWICE = "--grade-pd has the PDs, and --pd names a column of them; leave one out"


def pd_option(what: str, excludes: Mapping[str, str] = BY_ONE, **rules: Any) -> Any:
    """Return the option that names the column of the PDs."""
    text = f"Column of the PDs, from 0 to 1: {what}"
    refused = {"grade_pd": _TWICE, "amount": of_classes("--pd is", "leave it out"), **excludes}
    return option(text, COLUMN, excludes=refused, **rules)


def grade_pd_option(excludes: Mapping[str, str] = BY_ONE, **rules: Any) -> Any:
    """Return the option of PDs by grade."""
    text = "PDs of grades: A=0.001,B=0.004, or a file of grades and PDs."
    refused = {"amount": of_classes("--grade-pd is", "leave it out"), **excludes}
    return option(text, "PDS|PATH", excludes=refused, section=OF_GRADES, **rules)


def correlation_option(**rules: Any) -> Any:
    """Return the option of correlated assets."""
    return option(
        "Asset correlation of the defaults, which tests of PDs then allow for.",
        "RHO",
        type=click.FloatRange(0, 1, max_open=True),
        default=0.0,
        **rules,
    )


def score_meant(pd: str, request: Request) -> str:
    """Return the name of the only score where `score`, which is no column, says that it has PDs."""
    if pd != "score" or len(request.score) != 1 or request.counts or STDIN in request.file:
        return pd
    return pd if pd in column_names(files_of(request)) else request.score[0]


def pds_of_scores(
    names: Collection[str], grade_pd: str | None, found: CountsByScore
) -> dict[str, Any]:
    """Return the PDs of each score that has any, as functions of the library take them."""
    whole: Mapping[str, Ranking] = found.whole
    if found.pds:
        return dict(found.pds)
    if unknown := [name for name in names if name not in whole]:
        raise click.UsageError(
            f"--pd {unknown[0]} is none of the scores, {', '.join(whole)}, and --counts reads "
            "counts; PDs from another column need the rows"
        )
    if grade_pd is None:
        return dict.fromkeys(names, "score")
    held = _read_grades(grade_pd, whole.values())
    pds = {name: _pds_in(counts, held) for name, counts in whole.items()}
    return {name: each for name, each in pds.items() if each or len(whole) == 1}


def pds_of_grades(said: str, counts: Ranking) -> dict[Any, float]:
    """Return PDs by distinct score."""
    return _pds_in(counts, _read_grades(said, [counts]))


def _pds_in(counts: Ranking, held: Mapping[str, float]) -> dict[Any, float]:
    scores = all_cases(counts).thresholds
    return {score: held[name] for score in scores if (name := cutoff_text(score)) in held}


def _read_grades(said: str, several: Collection[Ranking]) -> dict[str, float]:
    """Return PDs by the names of grades, each of which one of the scores has or could have."""
    if any(map(is_amounts, several)):  # saved ones, which no option told of
        raise Failure(of_classes("--grade-pd is", "leave it out"))
    pairs = [word.rpartition("=")[::2] for word in words_in(said)]
    if "=" not in said:
        pairs = _pairs_in(said)
    scores = set(map(cutoff_text, grades_of(*several)))
    held: dict[str, float] = {}
    for place, (grade, pd) in enumerate(pairs):
        name = grade if grade in scores else grade.strip()
        if name in held:
            raise Failure(f"--grade-pd has two PDs of {name}; leave one out")
        try:
            held[name] = float(pd)
        except ValueError:
            if place or "=" in said:  # else the heading of a file
                raise Failure(f"--grade-pd: the PD of {name} is no number: {pd}") from None
    refuse_unknown_grades(held, *several, called=cutoff_text)
    return held


def _pairs_in(path: str) -> list[tuple[str, str]]:
    """Return the grades and PDs of a file of any kind, as text; the first may be its heading."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            pairs = [(row[0], row[1]) for row in csv.reader(file) if len(row) > 1]
        if pairs and ";" not in pairs[0][0]:
            return pairs
    except OSError as error:
        raise Failure(f"--grade-pd {path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error):
        pass  # it is of another kind
    names = names_in(path)[:2]
    if len(names) == 1:
        raise Failure(f"--grade-pd {path}: one column, and grades and PDs are two")
    found, _ = columns_of_roles(dict(zip(("grade", "pd"), names, strict=True)), path)
    return list(
        zip(*([name, *_texts(each)] for name, each in zip(names, found, strict=True)), strict=True)
    )


def _texts(column: InputColumn) -> list[str]:
    """Return values as text, and nothing for missing ones."""
    lacks = [False] * len(column) if column.missing is None else column.missing.tolist()
    return ["" if no else cutoff_text(x) for x, no in zip(column.values, lacks, strict=True)]


def counted_with_pds(request: Request, pd: str | None) -> CountsByScore:
    """Count the scores, together with PDs that are in a column of their own."""
    if pd is None:
        return counted_to_show(request)
    pd = score_meant(pd, request)
    others = tuple(name for name in request.score if name != pd)
    if others and request.counts:
        raise click.UsageError(f"--pd needs the rows, and --counts reads counts; {INSTEAD}")
    if request.counts and pd == "score":  # the scores of the table, whatever they are called
        return counted_to_show(request, pd=[pd])
    with renamed(score="pd"):
        return counted_to_show(replace(request, score=others or (pd,)), pd=[pd])


@command(
    "calibration",
    writes=WITH_WORKBOOK,
    refuses={
        "amount": of_classes("PDs are", "name a --target"),
        "scores": "calibration takes one --score, the PDs",
        "by": "calibration uses all rows together; leave out --by",
        "by_period": "calibration uses all rows together; leave out --by-period",
        **ONE_HORIZON,
    },
)
@dataclass(frozen=True, kw_only=True)
class CalibrationOfPds(ShowsResult):
    """Test whether PDs are right.

    Shows observed rates beside the PDs, tests of each grade and of the portfolio, Brier score and
    log loss, calibration slope, and the net benefit of deciding by the PDs.
    """

    pd: str | None = pd_option("the score itself, also when left out, or one beside it.")
    grade_pd: str | None = grade_pd_option()
    at: list[float] | None = option(
        "PD cut-offs for the net benefit, such as 0.1,0.2.",
        "PDS",
        type=ACTED_UPON,
        excludes=_NOT_CENSORED,
    )
    method: Literal["jeffreys", "binomial", "mid_p", "normal"] | None = option(
        "Test of each PD (default: jeffreys, or mid_p with --asset-correlation).",
        excludes=_NOT_CENSORED,
    )
    asset_correlation: float = correlation_option(excludes=_NOT_CENSORED)
    level: float = level_option()

    def result(self) -> Output:
        """Return the calibration of the score."""
        if self.asset_correlation and self.method not in (None, "mid_p"):
            raise click.UsageError(
                "--asset-correlation goes with --method mid_p; leave one of the two out"
            )
        found = counted_with_pds(self.request, self.pd)
        name, counts = next(iter(found.whole.items()))
        with waiting("testing the PDs"):
            from capcurve.inference import pd_tests
            from capcurve.results import assess_calibration

            pd = found.pds.get(name, "score")
            if self.grade_pd is not None:
                pd = pds_of_grades(self.grade_pd, counts)
            asked = self.options("asset_correlation", "level")
            with renamed(threshold="at"):
                made = assess_calibration(counts, pd=pd, thresholds=self.at, **asked)
            if self.method is not None:
                if made.grades is None:
                    raise Failure(
                        "--method tests each grade, and there are none: the rows are weighted or "
                        "have more than 50 distinct scores; leave it out"
                    )
                rho = self.asset_correlation
                tests = pd_tests(counts, pd=pd, method=self.method, asset_correlation=rho)
                made = replace(made, grades=tests)
        of = self.pd if self.pd not in (None, "score") else name
        shown = self.request.titled(replace(made.presentation(), title=f"Calibration of {of}"))
        if self.request.target is not None:
            shown = replace(shown, title=f"{shown.title} for {self.request.target}")
        return of_result(made.to_dict, shown, counted=[found])
