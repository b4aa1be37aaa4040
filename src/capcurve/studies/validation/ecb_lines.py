"""The ECB's lines on a PD model, from the samples of a validation sheet, and on an LGD model."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.ordinal import LGD_SEGMENTS, ClassEdges, OrdinalCounts
from capcurve.gate.given import counts_alike
from capcurve.inference import calibration_test, generalised_auc, pd_tests, test_against_initial
from capcurve.inference.calibration import mean_pds
from capcurve.inference.differences import p_value_of
from capcurve.inference.implied import cases_of_cells, pd_sample
from capcurve.inference.independent import MOST_GRADES_COMPARED, spread_of_one
from capcurve.metrics import roc_auc
from capcurve.numbers.arguments import arg, as_finite, as_share, renamed, spoken, told
from capcurve.numbers.exact import quotient
from capcurve.results.findings import MOST_NAMED
from capcurve.show.format import counted, cutoff_text, first_of, number
from capcurve.show.presentation import Finding
from capcurve.studies.grades import grade_concentration, migration_table, pool_periods
from capcurve.studies.grades.concentration import ecb_p_value, measures_of_shares
from capcurve.studies.grades.migration import shares_of_began, tests_of_cells
from capcurve.studies.grades.scales import shares_of
from capcurve.studies.grades.stability import shift_of
from capcurve.studies.validation.ecb import NOT_DEFINED, EcbLines, EcbTable, initial_days

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.inference import Test
    from capcurve.input.columns import ColumnLike, Data
    from capcurve.numbers.types import Array, Bools, Floats
    from capcurve.studies.grades import Migration
    from capcurve.studies.validation.ecb import EcbLine
    from capcurve.studies.validation.given import Given

STATUSES = ("default", "other model", "terminated")
POOLED_PERIODS = 3
UNGRADED = "levels=master_scale(...)"
ABOVE_ALL = "above"
OF_WHOLE = "the test is of whole customers, and these are weighted"
OF_CELLS = ("share", "z", "p_value")
OF_LOSSES = ("n", "mean_estimated", "mean_realised", "statistic", "variance", "p_value")
KNOWN_INITIAL_VALUE = Finding(
    "initial_known",
    "info",
    "the ECB's tests take the initial value as known, so of models that did not change 11% to 12% "
    "fall below p = 5% where both samples have the same size",
    "read the test of both samples beside it",
)


# PD models, section 2.5


def ecb_of_pds(
    given: Given, exposure: Any, statuses: Any, best_first: bool, initial_dates: Any, periods: int
) -> EcbTable:
    """Return the table of a sheet's samples; `ValidationSheet.ecb` describes the arguments."""
    now = given.now
    if now.times is not None:
        raise ValueError(
            "these are counts at a horizon, and in the ECB's table the year is the horizon: count "
            "the defaults of one year by a target"
        )
    graded = now.levels is not None or len(now) <= MOST_GRADES_COMPARED
    grades = (now.levels or tuple(now.thresholds.tolist())) if graded else ()
    words, amounts = _statuses(statuses, given.outside), _exposures(exposure, grades, now)
    tested, days = _pooled(given, periods), initial_days(initial_dates)
    sources = {name: getattr(given, name) for name in ("pd", "final", "initial")}
    sources |= {"end": given.moves, "initial counts": given.initial_counts}
    sources |= {"exposure": exposure, "initial_dates": initial_dates}
    made, late = EcbLines(_lacking(sources)), ""
    if given.start is not None:
        late = f"now holds grades at the end of the period; pass them as {spoken('end=')}"
    empty = late or ("" if grades else spoken(UNGRADED))
    order = grades[::-1] if best_first else grades
    lines = (
        *_of_portfolio(made, given, len(grades)),
        *_of_grades(made, given, order, amounts, late),
        *_of_auc(made, given, tested, empty),
        *made.of("2.5.4.1", {"periods": periods, **days}),
        *_of_migration(made, given, grades, words, best_first=best_first),
        *_of_concentration(made, given, amounts, empty),
        *made.of("2.5.5.3", days),
    )
    return made.table("ECB 2019, section 2.5: PD", lines, _findings(given, grades))


def _lacking(sources: Mapping[str, object]) -> dict[str, str]:
    """Return how the sources are named that were not given."""
    return {name: spoken(f"{name.split()[0]}=") for name, given in sources.items() if given is None}


def _findings(given: Given, grades: Sequence[Any]) -> Iterator[Finding]:
    """Yield what a reader of the lines must know."""
    before = given.initial_counts
    if given.initial is not None:
        yield KNOWN_INITIAL_VALUE
    if grades and given.now.levels is None:
        found = "the scale has only the grades that customers have, so an empty grade has no line"
        yield Finding("scale_seen", "info", found, f"count with {arg('levels')}, all grades")
    if grades and before is not None and (first := _scale_of(before)) != len(grades):
        yield Finding(
            "other_scale",
            "info",
            f"the initial sample has {first} grades and now has {len(grades)}, and concentration "
            "depends on their number",
            "compare the two indices, and report the p-value as it is",
        )


def _scale_of(counts: ScoreCounts) -> int:
    """Return how many grades a sample has."""
    return len(counts.levels or counts.thresholds)


def _statuses(statuses: Any, outside: Sequence[object]) -> Mapping[Any, str]:
    """Return what became of customers by their label, else raise ValueError."""
    if statuses is not None and not isinstance(statuses, Mapping):
        raise TypeError(
            f"{spoken('statuses=')} must be a mapping of label to status, got {told(statuses)}"
        )
    for label, status in (statuses or {}).items():
        if label not in outside:
            raise ValueError(
                f"{spoken('statuses=')} names {label!r}, which is not a label of the grades at "
                f"the end; {spoken('outside=')} lists {', '.join(map(repr, outside)) or 'none'}"
            )
        if not isinstance(status, str) or status not in STATUSES:
            words = ", ".join(map(repr, STATUSES))
            raise ValueError(
                f"{spoken('statuses=')} of {label!r} must be one of {words}; got {told(status)}"
            )
    return statuses or {}


def _exposures(exposure: Any, grades: Sequence[Any], now: ScoreCounts) -> dict[Any, float] | None:
    """Return the exposure of every grade, else raise ValueError."""
    if exposure is None:
        return None
    if not isinstance(exposure, Mapping):
        raise TypeError(f"exposure must be a mapping of grade to amount, got {told(exposure)}")
    if not grades:
        raise ValueError(
            f"the exposure is by grade, and the score has {len(now):,} distinct values; count "
            f"grades, with {spoken('levels=master_scale(...)')}"
        )
    for grade, amount in exposure.items():
        if grade not in grades:
            raise ValueError(f"exposure has an amount for {grade!r}, which is not a grade of now")
        if as_finite(amount, f"the exposure of {grade!r}") < 0:
            raise ValueError(f"the exposure of {grade!r} must not be below 0, got {told(amount)}")
    if lacking := [grade for grade in now.thresholds.tolist() if grade not in exposure]:
        named = first_of(map(repr, lacking), MOST_NAMED)
        raise ValueError(f"exposure has no amount for {named}, and customers have that grade")
    amounts = {grade: float(exposure.get(grade, 0.0)) for grade in grades}
    as_finite(sum(amounts.values()), "the sum of exposure")
    return amounts


def _pooled(given: Given, periods: object) -> ScoreCounts:
    """Return the counts whose AUC is tested: those of now, or of three periods pooled."""
    if isinstance(periods, bool) or periods not in (1, POOLED_PERIODS):
        raise ValueError(f"periods must be 1, or 3 where three are pooled, got {told(periods)}")
    if periods == 1 or not given.periods:  # now may have been pooled before
        return given.now
    if len(given.periods) != POOLED_PERIODS:
        raise ValueError(
            f"periods=3 pools the periods of the sheet, which has {len(given.periods)}; validate "
            "three periods"
        )
    return pool_periods(given.periods)


def _of_portfolio(made: EcbLines, given: Given, grades: int) -> Iterator[EcbLine]:
    """Yield the sizes of the portfolio, and how many ratings were overridden."""
    sizes = {"n": given.now.n, "grades": grades or spoken(UNGRADED), "defaults": given.now.n1}
    yield from made.of("2.4.3", sizes)
    changed = None
    if given.joint is not None and given.final is not None:
        matrix = migration_table(given.joint, given.score, given.final).matrix
        changed = matrix.sum() - np.trace(matrix)
    yield from made.of("2.5.2.2", {"overrides": changed})


def _of_grades(
    made: EcbLines,
    given: Given,
    grades: Sequence[Any],
    exposure: dict[Any, float] | None,
    late: str,
) -> Iterator[EcbLine]:
    """Yield Jeffreys' test of every grade and of the portfolio."""
    now, weighted, own = given.now, _weighted(given.now), given.pd
    sizes = zip(cases_of_cells(now).tolist(), now.positives.tolist(), strict=True)
    customers = dict(zip(now.thresholds.tolist(), sizes, strict=True)) | {None: (now.n, now.n1)}
    tested = {} if late or own is None else _tested(given)
    amounts = {**(exposure or {}), None: exposure and sum(exposure.values())}
    for grade, called in zip((*grades, None), (*_names(grades), ""), strict=True):
        n, defaults = customers.get(grade, (0, 0))
        # Of a grade without customers nothing is tested.
        alone = own.get(grade) if isinstance(own, Mapping) else None
        pd, chance = tested.get(grade, (alone, None))
        values = {"pd": pd, "n": n, "defaults": defaults, "p_value": weighted or chance}
        values |= {"original_exposure": amounts.get(grade)}
        yield from made.of("2.5.3.1", values, late, grade=called)


def _names(grades: Sequence[Any]) -> list[str]:
    """Return what lines call the grades; 1 and "1" stay apart, as do "default" and the status."""
    names = [*map(cutoff_text, grades)]
    apart = len({"", *STATUSES, *names}) == 1 + len(STATUSES) + len(names)
    return names if apart else [*map(repr, grades)]


def _weighted(counts: Any) -> str:
    """Return why tests are empty where cases are no customers."""
    return "" if counts is None or counts_alike(counts) else OF_WHOLE


def _tested(given: Given) -> dict[Any, tuple[Any, Any]]:
    """Return PD and p-value of each grade that has customers, and at None of all customers."""
    own = given.joint is not None and given.has_own_pds
    counts: Any = given.joint if own else given.now
    score = given.score if own else None
    sample = pd_sample(counts, given.pd, score, tested=False)
    cases, expected, mean = mean_pds(sample.cells)
    chances: Sequence[float | None] = [None] * len(mean)
    of_all: tuple[float, float | None] = (expected.sum().item() / cases.sum().item(), None)
    if not _weighted(given.now):
        chances = pd_tests(counts, pd=given.pd, score=score)["p_value"].tolist()
        level = calibration_test(counts, method="jeffreys", pd=given.pd)
        of_all = level.estimates["mean_pd"], level.p_value
    tests = zip(mean.tolist(), chances, strict=True)
    return dict(zip(sample.ranking.thresholds.tolist(), tests, strict=True)) | {None: of_all}


def _of_auc(made: EcbLines, given: Given, now: ScoreCounts, empty: str) -> Iterator[EcbLine]:
    """Yield the test of the AUC against the initial one, and the size of the initial sample."""
    before, initial, weighted = given.initial_counts, given.initial, _weighted(now)
    text, auc, value, variance, spread, test = NOT_DEFINED, None, None, None, None, None
    if not empty:
        try:
            auc, variance, spread = roc_auc(now), _spread_of(now), before and _spread_of(before)
            if initial is not None:
                value = (1 + initial) / 2 if isinstance(initial, float) else roc_auc(initial)
            test = _against_known(now, value)
        except ValueError as why:  # such as a class that is missing
            text = str(why)
    both = {"auc_initial": value, "auc_current": auc}
    yield from made.of("2.5.4.1", both, empty, text=text)
    chance = {"variance": variance, "statistic": test and test.statistic}
    chance["p_value"] = test and test.p_value
    yield from made.of("2.5.4.1", chance, empty or weighted, text=text)
    yield from made.of("2.5.4.1", {"initial_n": before and before.n})
    yield from made.of("2.5.4.1", {"initial_variance": spread}, empty or _weighted(before))


def _against_known(now: ScoreCounts, value: float | None) -> Test | None:
    """Return the ECB's test of the AUC of customers, whatever their clusters."""
    if value is None or not counts_alike(now):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a scale of many grades
        return test_against_initial(replace(now, groups=None), value)


def _spread_of(counts: ScoreCounts) -> float | None:
    """Return DeLong's variance of the AUC of customers, whatever their clusters."""
    if not counts_alike(counts) or not counts.n1 or not counts.n0:
        return None
    return spread_of_one(replace(counts, groups=None)).variance


def _of_migration(
    made: EcbLines,
    given: Given,
    grades: Sequence[Any],
    statuses: Mapping[Any, str],
    *,
    best_first: bool,
) -> Iterator[EcbLine]:
    """Yield the bandwidths, and every cell of the migration matrix with its test."""
    found = None
    if given.joint is not None and given.moves is not None:
        found = migration_table(given.joint, *given.moves, outside=given.outside)
        grades = found.grades
    upper, lower = found and found.mwb_upper, found and found.mwb_lower
    if best_first:
        upper, lower = lower, upper
    yield from made.of("2.5.5.1", {"mwb_upper": upper, "mwb_lower": lower})
    if not grades:
        yield from made.of("2.5.5.2", dict.fromkeys(OF_CELLS), spoken(UNGRADED), level="cell")
    few = "" if found is None else _without_end(given, found)
    cells = None if found is None or few else _cells(found, statuses)
    unsaid = spoken("statuses=") if {*given.outside} - {*statuses} else ""
    order = range(len(grades))[::-1] if best_first else range(len(grades))
    names = [*_names(grades), *STATUSES]
    for row in order:
        for column in (*order, *range(len(grades), len(names))):
            ends, moved = column >= len(grades), column != row
            why = {"share": few or unsaid * ends}
            if moved and not ends:
                why |= dict.fromkeys(("z", "p_value"), few or _weighted(given.joint))
            values = {name: why[name] or (cells and cells[name][row, column]) for name in why}
            yield from made.of("2.5.5.2", values, grade=names[row], to=names[column])


def _without_end(given: Given, found: Migration) -> str:
    """Return why cells are empty where the grades at the end leave customers out."""
    there, n = found.table["n"].sum().item(), given.now.n
    if math.isclose(there, n):
        return ""
    return (
        f"{there:,.10g} of {n:,.10g} customers have a grade or label at the end; give the others "
        f"a label too, for {spoken('outside=')}"
    )


def _cells(found: Migration, statuses: Mapping[Any, str]) -> dict[str, Floats]:
    """Return shares, z and p-values of all cells; NaN where nobody knows or none is defined."""
    size, gone = len(found.grades), found.without_end
    # A label of which nobody said what became of its cases may be any of the three.
    ends = np.full((size, len(STATUSES)), np.nan if {*gone} - {*statuses} else 0.0)
    for label, status in statuses.items():
        ends[:, STATUSES.index(status)] += gone[label]
    began = found.table["n"]
    z, p_value, _ = tests_of_cells(found.matrix, began)
    shares = shares_of_began(np.column_stack([found.matrix, ends]), began)
    return {"share": shares, "z": z, "p_value": p_value}


def _of_concentration(
    made: EcbLines, given: Given, exposure: dict[Any, float] | None, empty: str
) -> Iterator[EcbLine]:
    """Yield how concentrated customers and exposures are in the grades, and the ECB's test."""
    before, found, first, chance = given.initial_counts, None, None, None
    amounts, of_exposure = np.array([*(exposure or {}).values()]), None
    if not empty:
        found, first = grade_concentration(given.now), before and grade_concentration(before)
        chance = first and ecb_p_value(found.cv, first.cv, found.grades)
        if amounts.sum() > 0:
            of_exposure = measures_of_shares(shares_of(amounts))["herfindahl_index"]
    values = {"cv_current": found and found.cv, "cv_initial": first and first.cv}
    values |= {"hi_current": found and found.herfindahl_index}
    values |= {"hi_initial": first and first.herfindahl_index, "hi_exposure": of_exposure}
    yield from made.of("2.5.5.3", {**values, "p_value": _weighted(given.now) or chance}, empty)
    sizes = {"initial_n": before and before.n, "initial_grades": before and _scale_of(before)}
    yield from made.of("2.5.5.3", sizes)


# LGD models, section 2.6


def ecb_lgd(
    realised: ColumnLike | OrdinalCounts,
    estimated: ColumnLike = None,
    *,
    data: Data = None,
    initial: OrdinalCounts | float | None = None,
    initial_dates: tuple[object, object] | None = None,
    begin: ColumnLike = None,
    end: ColumnLike = None,
) -> EcbTable:
    """Return each number that the ECB asks for in an LGD model's yearly validation.

    Raises `ValueError` for what is no number, and for an estimate of `begin` or `end` that is none
    of the grades.

    Parameters
    ----------
    realised, estimated, data
        The LGDs of the facilities whose recovery closed in the year, as in `count_classes`, or its
        result alone. Up to 20 different estimates are grades; else there are 12 segments.
    initial
        Result of `count_classes` of the initial sample, put into such classes as well, or its
        generalised AUC.
    initial_dates
        Its first and its last day, such as ("2021-01-01", "2021-12-31").
    begin, end
        Estimated LGDs of the portfolio at the beginning and at the end of the year, one per
        facility.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, 2.6 and annex
    3.2. T = √N times the mean of realised less estimated LGDs, over their standard deviation;
    p = 1 - S(T), where S is Student's distribution with N - 1 degrees of freedom.

    Examples
    --------
    Differences of .1, .2 and .3: their mean is .2, their variance .01, and T is √3·.2/.1.

    >>> found = ecb_lgd([0.3, 0.4, 0.5], [0.2, 0.2, 0.2])
    >>> lines = [row for row in found.table.rows() if row["section"] == "2.6.2.1"]
    >>> rows = {row["item"]: row["value"] for row in lines if not row["grade"]}
    >>> round(rows["variance"], 12), round(rows["statistic"] ** 2, 12)
    (0.01, 12.0)
    """
    from capcurve.input import count_classes, refuse_row_keywords

    counts = realised
    if isinstance(counts, OrdinalCounts):
        refuse_row_keywords(estimated=estimated, data=data)
    else:
        counts = count_classes(realised, estimated, data=data)
    if not counts.n:
        raise ValueError("there is no facility whose recovery closed in the year")
    counts = _in_ecb_classes(counts)
    if isinstance(initial, OrdinalCounts):
        initial = _in_ecb_classes(initial, " of initial")
    rows, days = counts.axes[0], initial_days(initial_dates)
    before = initial if isinstance(initial, OrdinalCounts) else None
    given = {"begin": begin, "end": end}
    both = {name: _estimates(name, column, rows) for name, column in given.items()}
    sources = {"initial": initial, "initial counts": before, "initial_dates": initial_dates}
    made = EcbLines(_lacking({**given, **sources}))
    lines = (
        *_of_losses(made, counts),
        *_of_ordering(made, counts, initial),
        *made.of("2.6.3.1", days),
        *_of_shift(made, rows, both),
    )
    findings = () if initial is None else (KNOWN_INITIAL_VALUE,)
    return made.table("ECB 2019, section 2.6: LGD", lines, (*findings, *_one_sided(rows, both)))


def _in_ecb_classes(counts: OrdinalCounts, whose: str = "") -> OrdinalCounts:
    """Return counts in the classes of the instructions, else raise ValueError for percentages."""
    counts.refuse_percent(whose)
    return replace(counts, classes="ecb", closed=None)


def _lgd_names(classes: ClassEdges) -> list[str]:
    """Return what classes are called: grades by their number, segments by their place."""
    if len(classes.edges) == len(LGD_SEGMENTS) and classes.closed == "left":
        return [str(place) for place in range(1, len(classes) + 1)]
    return [*map(repr, classes.edges.tolist()), *([] if classes.each else [ABOVE_ALL])]


def _estimates(name: str, given: Any, rows: ClassEdges) -> OrdinalCounts | None:
    """Return the estimates of a portfolio, else raise ValueError for one that is no grade."""
    if given is None:
        return None
    from capcurve.input import count_classes

    # A generator gives its values once, and both columns are this one.
    column = list(given) if isinstance(given, Iterator) else given
    with renamed(realised=name, estimated=name):
        found = count_classes(name, name, data={name: column}, missing="drop")
    if found.dropped and found.dropped.rows:
        rest = counted(found.dropped.rows, "row")
        raise ValueError(f"{name} has {rest} without an estimate; leave these out, or fill them in")
    if not found.n:
        raise ValueError(f"{name} has no facilities; leave it out, or pass their estimated LGDs")
    found.refuse_percent(f" of {name}")
    other = found.estimated[~np.isin(found.estimated, rows.edges)]
    if rows.each and len(other):
        grades = first_of(map(repr, rows.edges.tolist()), MOST_NAMED)
        raise ValueError(
            f"{name} has the estimate {other[0].item()!r}, which is none of the grades {grades}"
        )
    return found


def _of_losses(made: EcbLines, counts: OrdinalCounts) -> Iterator[EcbLine]:
    """Yield the t-test of every grade and of all facilities, and the contingency table."""
    rows, columns = counts.axes
    place, names = rows.places(counts.estimated), _lgd_names(rows)
    for row, grade in enumerate(names):
        yield from made.of("2.6.2.1", _t_test(counts, place == row), grade=grade)
    yield from made.of("2.6.2.1", _t_test(counts, place >= 0))
    for grade, cases in zip(names, counts.table.tolist(), strict=True):
        for to, frequency in zip(_lgd_names(columns), cases, strict=True):
            yield from made.of("2.6.2.1", {"frequency": frequency}, grade=grade, to=to)


def _t_test(counts: OrdinalCounts, which: Bools) -> dict[str, Any]:
    """Return the paired t-test of realised against estimated LGDs of some facilities."""
    columns = counts.cases, counts.estimated, counts.realised
    cases, estimated, realised = (column[which] for column in columns)
    n = int(cases.sum())
    found: dict[str, Any] = dict.fromkeys(OF_LOSSES) | {"n": n}
    if not n:
        return found
    gap = realised - estimated
    mean = (cases @ gap) / n
    found |= {"mean_estimated": cases @ estimated / n, "mean_realised": cases @ realised / n}
    if n > 1:
        rounding = np.finfo(float).eps * max(np.abs(realised).max(), np.abs(estimated).max())
        spread = np.ptp(gap) > 2 * rounding
        found["variance"] = cases @ (gap - mean) ** 2 / (n - 1) if spread else 0.0
    if found.get("variance"):
        statistic = mean / math.sqrt(found["variance"] / n)
        found |= {"statistic": statistic, "p_value": p_value_of(float(statistic), n - 1, "greater")}
    return found


def _of_ordering(
    made: EcbLines, counts: OrdinalCounts, initial: OrdinalCounts | float | None
) -> Iterator[EcbLine]:
    """Yield the test of the generalised AUC against the initial one, and the initial sample."""
    found, text = _gauc(counts)
    before, unknown, n, value = None, "", None, None
    if isinstance(initial, OrdinalCounts):
        (before, unknown), n = _gauc(initial), initial.n
        value = before and before.estimate
    elif initial is not None:
        value = as_share(initial, "initial")
    yield from made.of("2.6.3.1", {"gauc_initial": value}, text=unknown)
    own = {"gauc_current": found and found.estimate, "variance": found and found.test_se**2}
    yield from made.of("2.6.3.1", own, text=text)
    test = None if found is None or value is None else found.test(value)
    chance = {"statistic": test and test.statistic, "p_value": test and test.p_value}
    yield from made.of("2.6.3.1", chance, text=text or unknown or NOT_DEFINED)
    sample = {"initial_n": n, "initial_variance": before and before.test_se**2}
    yield from made.of("2.6.3.1", sample, text=unknown)


def _gauc(counts: OrdinalCounts) -> tuple[Any, str]:
    """Return the generalised AUC, or why there is none, such as one class alone."""
    try:
        return generalised_auc(counts), ""
    except ValueError as why:
        return None, str(why)


def _of_shift(
    made: EcbLines, rows: ClassEdges, both: Mapping[str, OrdinalCounts | None]
) -> Iterator[EcbLine]:
    """Yield the portfolio by grade at the beginning and at the end of the year, and its PSI."""
    names = _lgd_names(rows)
    sizes: dict[str, Array] = {}
    for name, counts in both.items():
        n = sums = np.full(len(names), np.nan)
        if counts is not None:
            n = sizes[name] = _sizes(rows, counts)
            place = rows.places(counts.estimated)
            sums = np.bincount(place, counts.cases * counts.estimated, len(names))
        means = quotient(sums, n, np.nan)
        for grade, cases, mean in zip(names, n.tolist(), means.tolist(), strict=True):
            values = {f"n_{name}": cases, f"mean_estimated_{name}": mean}
            yield from made.of("2.6.4.2", values, grade=grade)
    psi = None
    if len(sizes) == len(both):
        psi = shift_of(sizes["begin"], sizes["end"], 0.95).psi
    yield from made.of("2.6.4.2", {"psi": psi})


def _sizes(rows: ClassEdges, counts: OrdinalCounts) -> Array:
    """Return how many facilities have each grade."""
    return np.bincount(rows.places(counts.estimated), counts.cases, len(rows))


def _one_sided(rows: ClassEdges, both: Mapping[str, OrdinalCounts | None]) -> Iterator[Finding]:
    """Say which grades make the PSI infinite, and what it is with half a case added."""
    sizes = [_sizes(rows, counts) for counts in both.values() if counts is not None]
    if len(sizes) < len(both):
        return
    shift = shift_of(sizes[0], sizes[1], 0.95)
    alone = np.flatnonzero((sizes[0] > 0) != (sizes[1] > 0))
    if len(alone):
        named = first_of([_lgd_names(rows)[place] for place in alone], MOST_NAMED)
        half = number(shift.psi_half or 0.0)
        yield Finding(
            "psi_infinite",
            "info",
            f"the PSI is infinite, because {named} has facilities at one end of the year only; "
            f"with half a case added to every count it is {half}",
            "report both",
        )
