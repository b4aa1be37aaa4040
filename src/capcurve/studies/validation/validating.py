"""validate: everything a validator signs about how a score ranks, on one sheet."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from capcurve.counts.digest import same_scores
from capcurve.counts.joint import PdColumn
from capcurve.counts.times import taken_by
from capcurve.gate.given import as_ranking
from capcurve.gate.taking import as_given, taking_columns
from capcurve.inference.implied import as_correlation
from capcurve.inference.monotone import MOST_GRADES
from capcurve.inference.planning import POWER
from capcurve.numbers.arguments import as_whole, spoken, told
from capcurve.numbers.meeting import met
from capcurve.results.findings import looking_reversed, refuse_many_segments
from capcurve.show.presentation import Finding, gravest_first
from capcurve.studies.grades.migration import outside_labels
from capcurve.studies.monitoring.chart import INITIAL, OTHER_SCORE
from capcurve.studies.monitoring.control_limit import LARGEST_SEED
from capcurve.studies.validation.given import Given, checked_samples
from capcurve.studies.validation.judgement import LOW_P, SheetTest, TestLimits, lit, read_limits
from capcurve.studies.validation.sections import (
    Section,
    against_initial,
    alternatives,
    calibration,
    data,
    discrimination,
    grades,
    homogeneity,
    prospects,
    stability,
)
from capcurve.studies.validation.sheet import ValidationSheet

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from capcurve.counts import CaseCounts, JointCounts, PartialCounts, ScoreCounts
    from capcurve.studies.monitoring import ControlChart

NOT_COVERED = (
    "LGD and CCF",
    "data quality, and whether the sample represents the portfolio",
    "stability of single inputs (CSI)",
    "cases that were rejected and never had an outcome, other than by the bounds",
)
NO_PDS = "check that these are PDs, of the positives"
# From so many p-values on a low one among them is to be expected now and then.
SEVERAL_TESTS = 5


@taking_columns(as_given)
def validate(
    now: ScoreCounts,
    *,
    initial: ScoreCounts | float | None = None,
    periods: Mapping[Any, ScoreCounts] | None = None,
    segments: Mapping[Any, ScoreCounts] | None = None,
    joint: JointCounts | None = None,
    start: str | None = None,
    end: str | None = None,
    final: str | None = None,
    outside: Iterable[object] = (),
    partial: PartialCounts | None = None,
    before: ScoreCounts | CaseCounts | None = None,
    chart: Mapping[str, Any] | float | None = None,
    pd: Any = None,
    asset_correlation: float = 0.0,
    limits: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    subject: Mapping[str, object] | None = None,
    level: float = 0.95,
    seed: int = 1,
    all_segments: bool = False,
) -> ValidationSheet:
    """Return the validation sheet of a score: every test of its ranking, against the user's limits.

    Parts that nothing was given for are listed as not done. Raises `ValueError` for samples on
    another scale than `now`, limits that are none, and segments that are many.

    Parameters
    ----------
    now
        The sample that is validated, from `count_scores`; of grades where grades are tested.
    initial
        The sample of the first validation, or its accuracy ratio, which is then taken as known.
    periods
        Counts by period, as `count_segments` returns them, for the control chart against
        `initial`; their names are read in time, such as 2024-03, Mar-2024 or 31.03.2024.
    segments
        Counts by segment: whether grades mean the same in each, and the score ranks alike.
    joint
        Scores of the same cases, from `count_joint`: the first is the score of `now`, every other
        one but `start`, `end` and `final` a challenger.
    start, end
        Name in `joint`, for migration: the grade at the beginning of a period, or at its end;
        `now` has the other one. Grades must be older than the outcomes that test them. If the
        outcomes are of the same period, `now` has the grades at its beginning: pass `end`.
    final
        Name in `joint` of the grade after overrides.
    outside
        Labels of `end` that are not grades, such as "default", as in `migration_table`.
    partial
        Cases with and without an outcome, from `count_partial`: bounds of the accuracy ratio. At a
        horizon the rows censored before it are without one, if left out.
    before
        An earlier portfolio, with or without outcomes, for stability and concentration; `initial`
        when left out.
    chart
        The stored limit of an earlier control chart of the same initial sample, its `saved_limit`,
        so that verdicts on past periods stay; found by simulation when left out.
    pd
        "score" if the scores of `now` are PDs, one PD per grade, as in `implied_accuracy_ratio`,
        or the name of the score of `joint` that holds them: adds their calibration.
    asset_correlation
        Of the assets behind defaults, which tests of PDs then allow for.
    limits
        Path of a TOML file, or a mapping: `{"accuracy_ratio": {"green": 0.45, "red": 0.35}}`.
        There are none of our own: without limits there are no lights.
    subject
        What is validated, as given: model, version, period, definition of a positive, validator.
    level
        Confidence level of all limits.
    seed
        Whole number for what is drawn; the same inputs and seed give the same bytes.
    all_segments
        Whether to take more than 60 segments, or more than 12 where half have under 5 cases.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, 2.5; the sheet
    covers ranking and, with `pd`, calibration, and says what it does not cover.

    Examples
    --------
    The limits of 0.66 reach from below 0.5 to above it, so that neither light is shown.

    >>> from capcurve import ScoreCounts
    >>> now = ScoreCounts.from_counts([3, 2, 1], [4, 2, 1], [1, 3, 9])
    >>> sheet = validate(now, limits={"accuracy_ratio": {"green": 0.6, "red": 0.5}})
    >>> found = sheet.tests["discrimination.accuracy_ratio"]
    >>> round(found.estimate, 2), found.light
    (0.66, 'amber')
    """
    now = as_ranking(now, "validate").every_score()
    if partial is None and now.times is not None and (taken := taken_by(now)):
        # Those censored before the horizon have no outcome.
        times, horizon, competing = taken
        partial = times.known_at(horizon, competing=competing)
    if isinstance(pd, PdColumn):
        if joint is not None:
            raise ValueError(
                "pd= is a column, and joint= is given; count the PDs there, and name them"
            )
        joint, pd = pd.joint, pd.name
    asked = Given(
        now=now,
        initial=initial,
        periods={} if periods is None else periods,
        segments={} if segments is None else segments,
        joint=joint,
        start=start,
        end=end,
        final=final,
        outside=outside_labels(outside),
        partial=partial,
        before=before,
        chart=chart,
        pd=pd,
        asset_correlation=as_correlation(asset_correlation, "asset_correlation"),
        level=level,
        seed=as_whole(seed, "seed", 0, LARGEST_SEED),
    )
    given = checked_samples(asked)
    if subject is not None and not hasattr(subject, "items"):
        raise TypeError(f'subject must be a mapping such as {{"model": "A"}}, got {told(subject)}')
    if not all_segments:
        refuse_many_segments(given.segments, "segments")
    own = read_limits(limits)
    sections, charted, findings = _sections(given)
    numbered = enumerate(sections, 3)  # behind results and findings
    tests = [test for section in sections for test in section.tests]
    findings += _about_samples(given)
    findings += _about_tests(tests, own)
    return ValidationSheet(
        subject={str(name): str(value) for name, value in (subject or {}).items()},
        inputs=tuple(given.inputs()),
        sections=tuple(_judged(section, number, own) for number, section in numbered),
        findings=gravest_first(dict.fromkeys(findings)),
        not_done=tuple(_not_done(given)),
        not_covered=NOT_COVERED,
        settings=_settings(given, charted),
        level=given.level,
        seed=given.seed,
        limits=own,
        given=given,
    )


def _sections(given: Given) -> tuple[list[Section], ControlChart | None, list[Finding]]:
    ranking, whole = discrimination(given)
    found: list[tuple[Section, tuple[Finding, ...]]] = [(data(given), ()), (ranking, whole)]
    chart = None
    if given.initial is not None or given.periods:
        section, chart = against_initial(given)
        found.append((section, () if chart is None else chart.findings))
    if given.is_graded:
        found.append((grades(given), ()))
    if given.pd is not None:
        found.append(calibration(given))
    if given.segments:
        found.append(homogeneity(given, whole))
    if (section := stability(given)).tests:
        found.append((section, ()))
    if given.joint is not None and (given.final is not None or given.challengers):
        found.append((alternatives(given, given.joint), ()))
    sections, findings = zip(*found, prospects(given), strict=True)
    return [*sections], chart, [*chain.from_iterable(findings)]


def _judged(section: Section, number: int, limits: Mapping[str, TestLimits]) -> Section:
    """Return a section with its lights and the number of its place, which no absent one takes."""
    tests = tuple(replace(lit(test, limits), section=number) for test in section.tests)
    return replace(section, number=number, tests=tests)


def _about_samples(given: Given) -> Iterator[Finding]:
    """Warn of samples that rank worse than chance, and of parts that hold other cases."""
    joint, initial = given.joint, given.initial_counts
    if given.start is not None:
        yield Finding(
            "grades_at_the_end",
            "info",
            f"the grades in {given.score} are those at the end of the migration, and their tests "
            "are right only where the outcomes came later",
            f"if these are of the same period, validate {given.start}, and name {given.score} with "
            f"{spoken('end=')}",
        )
    if joint is not None:
        others = (given.start, given.end, given.pd)
        ranking = [name for name in joint.names[1:] if name not in others]
        yield from looking_reversed({name: joint.margin(name) for name in ranking})
        if given.has_own_pds:
            yield from looking_reversed({given.pd: joint.margin(given.pd)}, NO_PDS)
        if not _same_cases(joint.margin(given.score), given.now):
            yield _of_fewer_rows(given, joint)
    if initial is not None:
        yield from looking_reversed({INITIAL: initial}, OTHER_SCORE)
    # At a horizon those without an outcome are among the cases of `now`.
    if given.partial is not None and given.now.times is None:
        known = cast("ScoreCounts", given.partial.known)
        if not _same_cases(known, given.now):
            yield _other_cases("cases with a known outcome", known.n, given.now.n)
    n = sum(counts.n for counts in given.segments.values())
    if given.segments and not math.isclose(n, given.now.n):
        yield _other_cases("segments", n, given.now.n)


def _same_cases(counts: ScoreCounts, now: ScoreCounts) -> bool:
    """Tell whether counts of a part have the cases of the sample, score for score."""
    return same_scores(*met([counts.score, now.score])) and all(
        np.allclose(getattr(counts, side), getattr(now, side), rtol=1e-9)
        for side in ("positives", "negatives")
    )


def _of_fewer_rows(given: Given, joint: JointCounts) -> Finding:
    """Warn that scores beside the one that is validated are missing in some rows, if they are."""
    left = {} if joint.dropped is None else joint.dropped.columns
    n, rest = given.now.n, joint.margin(given.score).n
    lacking = [f"{name} in {left[name]:,}" for name in joint.names[1:] if left.get(name)]
    if not lacking or not rest < n:
        return _other_cases(f"scores beside {given.score}", rest, n)
    missing = ", ".join(lacking).replace(" in ", " is missing in ", 1)
    found = (
        f"{missing} of the {n:,.10g} rows; the comparison with "
        f"{'it' if len(lacking) == 1 else 'them'} is of the other {rest:,.10g}"
    )
    return Finding("other_cases", "warning", found, "fill these in if you can")


def _other_cases(who: str, n: float, expected: float) -> Finding:
    found = f"the {who} are of other cases than the sample: {n:,.10g} and {expected:,.10g}"
    return Finding("other_cases", "warning", found, "count both from the same rows")


def _about_tests(tests: Sequence[SheetTest], limits: Mapping[str, TestLimits]) -> Iterator[Finding]:
    """Say how many p-values there are, and warn of limits that nothing was held against."""
    tested = sum(test.p_value is not None for test in tests)
    if tested >= SEVERAL_TESTS:
        false = tested * LOW_P  # on average; below 1, at most the share of sheets that have one
        often = (
            f"about {false:.0f} will be below {LOW_P:g} by chance alone"
            if false >= 1
            else f"chance alone puts one below {LOW_P:g} in up to {false:.0%} of sheets"
        )
        advice = "read them together; no light is adjusted for their number"
        yield Finding("many_tests", "info", f"with {tested} p-values, {often}", advice)
    done = {test.id for test in tests}
    if unused := [test_id for test_id in limits if test_id not in done]:
        found = f"limits are set for {', '.join(unused)}, but the sheet has no such test"
        advice = "add what these tests need, or remove their limits"
        yield Finding("limits_unused", "warning", found, advice)


def _not_done(given: Given) -> Iterator[tuple[str, str]]:
    """Yield the parts that nothing was given for, and what they need."""
    compared = "comparison with the initial validation"
    no_grades = (
        f"the score has {len(given.now):,} distinct values, and grades are at most {MOST_GRADES}; "
        "needs grades, such as those of a master scale"
    )
    both, bounded = given.initial is not None and given.periods, given.partial is not None
    parts = (
        (given.initial is not None, compared, "needs an initial sample, or its accuracy ratio"),
        (both, "control chart", "needs periods and an initial sample"),
        (given.is_graded, "grades, their neighbours and concentration", no_grades),
        (given.pd is not None, "calibration of PDs", "needs the PDs"),
        (given.segments, "homogeneity within grades and segments", "needs segments"),
        (given.earlier, "stability of the portfolio", "needs an earlier or an initial sample"),
        (given.moves, "migration", "needs the grades at the start or at the end of the period"),
        (given.final is not None, "overrides", "needs the grades after overrides"),
        (given.challengers, "challengers", "needs other scores of the same cases"),
        (bounded, "bounds for unknown outcomes", "needs cases with unknown outcomes"),
    )
    yield from ((what, why) for done, what, why in parts if not done)


def _settings(given: Given, chart: ControlChart | None) -> dict[str, Any]:
    """Return what the numbers depend on beside the inputs."""
    found: dict[str, Any] = {
        "level": given.level,
        "seed": given.seed,
        "power": POWER,
        "score": given.score,
        "start": given.start,
        **({} if given.end is None else {"end": given.end}),
        "final": given.final,
        "higher_is": given.now.higher_is,
        **({} if given.pd is None else {"asset_correlation": given.asset_correlation}),
    }
    if chart is not None:
        found["control_chart"] = chart.saved_limit
    return found
