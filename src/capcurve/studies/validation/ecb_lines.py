"""The lines of the ECB on a PD model, from a validation sheet, and on an LGD model: ecb_lgd."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import ScoreCounts
from capcurve.counts.ordinal import LGD_SEGMENTS, ClassEdges, OrdinalCounts
from capcurve.gate.given import counts_alike
from capcurve.inference import calibration_test, generalised_auc, pd_tests, test_against_initial
from capcurve.inference.calibration import mean_pds
from capcurve.inference.comparing import MOST_GRADES_COMPARED, spread_of_one
from capcurve.inference.implied import cases_of_cells, pd_sample
from capcurve.metrics import roc_auc
from capcurve.numbers.arguments import arg, as_finite, as_share, renamed, spoken, told
from capcurve.numbers.exact import quotient
from capcurve.results.findings import MOST_NAMED
from capcurve.show.format import cutoff_text, first_of
from capcurve.show.presentation import Finding
from capcurve.studies.grades import grade_concentration, migration_table, pool_periods
from capcurve.studies.grades.concentration import ecb_p_value, measures_of_shares
from capcurve.studies.grades.migration import shares_of_began
from capcurve.studies.grades.scales import shares_of
from capcurve.studies.grades.stability import shift_of
from capcurve.studies.validation.ecb import (
    NOT_DEFINED,
    EcbTable,
    ecb_lines,
    lines_yours_to_add,
    table_of_lines,
    with_dates,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from capcurve.input.columns import ColumnLike, Data
    from capcurve.numbers.types import Array, Bools, Floats
    from capcurve.studies.grades import Migration
    from capcurve.studies.validation.given import Given

    EcbLines: TypeAlias = Iterator[dict[str, Any]]

STATUSES = ("default", "other model", "terminated")
POOLED_PERIODS = 3
KNOWN_INITIAL_VALUE = Finding(
    "initial_known",
    "info",
    "the ECB's tests take the initial value as known, so that of models that have not changed 11% "
    "to 12% fall below p = 5% where both samples are alike in size",
    "read the test of two samples beside it",
)
OTHER_SCALE = Finding(
    "other_scale",
    "info",
    "the initial sample has {} grades and now has {}, and concentration depends on their number",
    "read both indices beside each other, and the p-value as it stands",
)
SCALE_SEEN = Finding(
    "scale_seen",
    "info",
    "the scale is taken to be the grades seen, so that one without customers is no line",
    "count with all grades",
)
OF_WHOLE = "it is of whole customers, and these are weighted"
ABOVE_ALL = "above"
OF_CURRENT = ("auc_initial", "auc_current", "variance", "statistic", "p_value")
OF_GAUC = ("gauc_initial", "gauc_current", "variance", "statistic", "p_value")
OF_LOSSES = ("n", "mean_estimated", "mean_realised", "statistic", "variance", "p_value")

# PD models, section 2.5


def ecb_of_pds(
    given: Given,
    *,
    exposure: Mapping[Any, float] | None = None,
    statuses: Mapping[Any, str] | None = None,
    best_first: bool = False,
    initial_dates: Any = None,
    periods: int = 1,
) -> EcbTable:
    """Return the table of what a sheet was made from; `ValidationSheet.ecb` says what is given."""
    now = given.now
    if now.times is not None:
        raise ValueError(
            "these are counts at a horizon, and in the ECB's table the year is the horizon: count "
            "the defaults of one year by a target"
        )
    graded = now.levels is not None or len(now) <= MOST_GRADES_COMPARED
    grades = (now.levels or tuple(now.thresholds.tolist())) if graded else ()
    words, amounts = _statuses(statuses, given.outside), _exposures(exposure, grades, now)
    pooled, order = _pooled(given, periods), grades[::-1] if best_first else grades
    lines = (
        *_of_portfolio_sizes(given, len(grades)),
        *_of_grades(given, order, amounts),
        *_of_auc(given, pooled, _why_empty(given, grades), periods, initial_dates),
        *_of_migration(given, order, words, best_first=best_first),
        *_of_concentration(given, _why_empty(given, grades), amounts, initial_dates),
    )
    return table_of_lines("ECB 2019, section 2.5: PD", lines, _findings(given, grades))


def _findings(given: Given, grades: Sequence[Any]) -> Iterator[Finding]:
    """Yield what a reader of the lines must know."""
    if given.initial is not None:
        yield KNOWN_INITIAL_VALUE
    if grades and given.now.levels is None:
        yield replace(SCALE_SEEN, advice=f"count with {arg('levels')}, all grades")
    before = given.initial_counts
    if grades and before is not None and (first := _scale_of(before)) != len(grades):
        yield replace(OTHER_SCALE, message=OTHER_SCALE.message.format(first, len(grades)))


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
                f"{spoken('statuses=')} names {label!r}, which is no label of the grades at the "
                f"end; {spoken('outside=')} lists {', '.join(map(repr, outside)) or 'none'}"
            )
        if status not in STATUSES:
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
    for grade, amount in exposure.items():
        if grade not in grades:
            raise ValueError(f"exposure has an amount for {grade!r}, which is no grade of now")
        if as_finite(amount, f"the exposure of {grade!r}") < 0:
            raise ValueError(f"the exposure of {grade!r} must not be below 0, got {told(amount)}")
    lacking = [grade for grade in now.thresholds.tolist() if grade not in exposure]
    if lacking:
        named = first_of(map(repr, lacking), MOST_NAMED)
        raise ValueError(f"exposure has no amount for {named}, and customers have that grade")
    return {grade: float(exposure.get(grade, 0.0)) for grade in grades}


def _pooled(given: Given, periods: object) -> ScoreCounts:
    """Return the counts whose AUC is tested: those of now, or of three periods pooled."""
    if isinstance(periods, bool) or periods not in (1, POOLED_PERIODS):
        raise ValueError(f"periods must be 1, or 3 where three are pooled, got {told(periods)}")
    if periods == 1 or not given.periods:  # now may have been pooled before
        return given.now
    if len(given.periods) != POOLED_PERIODS:
        raise ValueError(
            f"periods=3 pools the periods of the sheet, which are {len(given.periods)}; make the "
            "sheet with three"
        )
    return pool_periods(given.periods)


def _why_empty(given: Given, grades: Sequence[Any]) -> str:
    """Return why tests of rating grades are empty: there are none, or they know the outcome."""
    if not grades:
        return spoken("levels=master_scale(...)")
    if given.start is None:
        return ""
    return f"now holds grades at the end of the period; pass them as {spoken('end=')}"


def _of_portfolio_sizes(given: Given, grades: int) -> EcbLines:
    """Yield the sizes of the portfolio, and how many ratings were overridden."""
    sizes = {"n": given.now.n, "grades": grades or None, "defaults": given.now.n1}
    yield from ecb_lines("2.4.3", sizes, spoken("levels=master_scale(...)"))
    yield from lines_yours_to_add("2.4.3")
    yield from lines_yours_to_add("2.5.2.1")
    changed = None
    if given.joint is not None and given.final is not None:
        matrix = migration_table(given.joint, given.score, given.final).matrix
        changed = matrix.sum() - np.trace(matrix)
    yield from ecb_lines("2.5.2.2", {"overrides": changed}, spoken("final="))
    yield from lines_yours_to_add("2.5.2.3")


def _of_grades(given: Given, grades: Sequence[Any], exposure: dict[Any, float] | None) -> EcbLines:
    """Yield Jeffreys' test of every grade and of the portfolio."""
    now, late = given.now, "" if given.start is None else _why_empty(given, [given.start])
    tested, no_pd = {}, spoken("pd=") if given.pd is None else ""
    if not late and not no_pd:
        tested = _tested(given)
    needs = {"pd": no_pd, "p_value": no_pd, "original_exposure": spoken("exposure=")}
    if not counts_alike(now):
        needs |= {"p_value": no_pd or OF_WHOLE}
    columns = (now.thresholds.tolist(), cases_of_cells(now).tolist(), now.positives.tolist())
    sizes = {grade: own for grade, *own in zip(*columns, strict=True)} | {None: (now.n, now.n1)}
    for grade in (*grades, None):
        n, defaults = sizes.get(grade, (0, 0))
        amounts = (exposure or {}).items()
        values = {
            **dict.fromkeys(("pd", "n", "defaults", "p_value")),
            **({} if late else {"n": n, "defaults": defaults}),
            **tested.get(grade, _of_nobody(given, grade)),
            "original_exposure": sum(own for name, own in amounts if grade in (None, name)),
        }
        if late or exposure is None:
            values["original_exposure"] = None
        of = "" if grade is None else cutoff_text(grade)
        yield from ecb_lines("2.5.3.1", values, late or needs, grade=of)


def _of_nobody(given: Given, grade: Any) -> dict[str, Any]:
    """Return the PD of a grade without customers, where it is given."""
    return {"pd": given.pd.get(grade)} if isinstance(given.pd, Mapping) else {}


def _tested(given: Given) -> dict[Any, dict[str, float]]:
    """Return PD and p-value of each grade that has customers, and at None of all customers."""
    own = given.joint is not None and given.has_own_pds
    counts: Any = given.joint if own else given.now
    score = given.score if own else None
    sample = pd_sample(counts, given.pd, score, tested=False)
    cases, expected, mean = mean_pds(sample.cells)
    grades = sample.ranking.thresholds.tolist()
    found = {grade: {"pd": pd} for grade, pd in zip(grades, mean.tolist(), strict=True)}
    found[None] = {"pd": float(expected.sum() / cases.sum())}
    if counts_alike(given.now):
        table = pd_tests(counts, pd=given.pd, score=score)
        for grade, chance in zip(grades, table["p_value"].tolist(), strict=True):
            found[grade]["p_value"] = chance
        level = calibration_test(counts, method="jeffreys", pd=given.pd)
        found[None] = {"pd": level.estimates["mean_pd"], "p_value": level.p_value}
    return found


def _of_auc(given: Given, now: ScoreCounts, empty: str, periods: int, dates: Any) -> EcbLines:
    """Yield the test of the AUC against the initial one, and the initial sample."""
    before, known = given.initial_counts, dict.fromkeys(OF_CURRENT)
    text, no_initial = NOT_DEFINED, "" if given.initial is not None else spoken("initial=")
    weighted = "" if counts_alike(now) else OF_WHOLE
    try:
        known |= {} if empty else _auc_values(replace(now, groups=None), given.initial)
    except ValueError as error:  # such as a class that is missing
        text = str(error)
    needs = dict.fromkeys(OF_CURRENT, empty or no_initial or weighted)
    needs |= {"auc_initial": empty or no_initial, "auc_current": empty}
    needs |= {"variance": empty or weighted}
    yield from ecb_lines("2.5.4.1", known, needs, text=text)
    spread, why = None, empty or spoken("initial=")
    if before is not None and not empty:
        spread, why = _spread_of(before), "" if counts_alike(before) else OF_WHOLE
    values = {"initial_n": None if before is None else before.n, "initial_variance": spread}
    needs = {"initial_n": spoken("initial="), "initial_variance": why}
    yield from ecb_lines("2.5.4.1", **with_dates(dates, {"periods": periods, **values}, needs))


def _auc_values(now: ScoreCounts, initial: ScoreCounts | float | None) -> dict[str, float | None]:
    """Return both AUCs, the variance of the current one, and the test."""
    found: dict[str, float | None] = {"auc_current": roc_auc(now), "variance": _spread_of(now)}
    if initial is None:
        return found
    value = roc_auc(initial) if isinstance(initial, ScoreCounts) else (1 + initial) / 2
    found["auc_initial"] = value
    if found["variance"] is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a scale of many grades
            test = test_against_initial(now, value)
        found |= {"statistic": test.statistic, "p_value": test.p_value}
    return found


def _spread_of(counts: ScoreCounts) -> float | None:
    """Return DeLong's variance of the AUC of customers, whatever their clusters."""
    if not counts_alike(counts) or not counts.n1 or not counts.n0:
        return None
    return spread_of_one(replace(counts, groups=None)).variance


def _of_migration(
    given: Given, grades: Sequence[Any], statuses: Mapping[Any, str], *, best_first: bool
) -> EcbLines:
    """Yield the bandwidths, and every cell of the migration matrix with its test."""
    found, needs = None, spoken("end=")
    if given.joint is not None and given.moves is not None:
        found = migration_table(given.joint, *given.moves, outside=given.outside)
        grades, needs = found.grades, ""
    upper, lower = (None, None) if found is None else (found.mwb_upper, found.mwb_lower)
    if best_first:
        upper, lower = lower, upper
    yield from ecb_lines("2.5.5.1", {"mwb_upper": upper, "mwb_lower": lower}, needs)
    if not grades:
        empty = dict.fromkeys(("share", "z", "p_value"))
        yield from ecb_lines("2.5.5.2", empty, _why_empty(given, ()), level="cell")
    needs = needs or _without_end(given)
    weighted = "" if given.joint is None or counts_alike(given.joint) else OF_WHOLE
    cells = None if found is None or needs else _cells(found, statuses)
    unsaid = STATUSES if {*given.outside} - {*statuses} else ()
    order = range(len(grades))[::-1] if best_first else range(len(grades))
    for row in order:
        of = {"grade": cutoff_text(grades[row])}
        for column in (*order, *range(len(grades), len(grades) + len(STATUSES))):
            status = STATUSES[column - len(grades)] if column >= len(grades) else ""
            items = ("share",) if status or column == row else ("share", "z", "p_value")
            values = {name: cells and cells[name][row, column] for name in items}
            why = dict.fromkeys(items, needs or weighted)
            why["share"] = needs or (spoken("statuses=") if status in unsaid else "")
            to = status or cutoff_text(grades[column])
            yield from ecb_lines("2.5.5.2", values, why, to=to, **of)


def _without_end(given: Given) -> str:
    """Return why cells are empty: the grades at the end leave customers out."""
    if given.joint is None:
        return ""
    there, n = given.joint.margin(given.score).n, given.now.n
    if math.isclose(there, n):
        return ""
    return (
        f"{there:,.10g} of {n:,.10g} customers have a grade or label at the end; give the others "
        f"a label too, for {spoken('outside=')}"
    )


def _cells(found: Migration, statuses: Mapping[Any, str]) -> dict[str, Floats]:
    """Return shares, z and p-values of all cells; NaN where nobody knows or none is defined."""
    size, gone = len(found.grades), found.without_end
    known = {status: np.zeros(size) for status in statuses.values()}
    for label, status in statuses.items():
        known[status] = known[status] + gone[label]
    # A label of which nobody said what became of its cases may be any of the three.
    nobody = np.full(size, np.nan)
    unsaid = set(gone) != set(statuses)
    ends = [nobody if unsaid else known.get(status, np.zeros(size)) for status in STATUSES]
    columns = [found.matrix, *ends]
    shares = shares_of_began(np.column_stack(columns), found.table["n"])
    cells = {"share": shares}
    for name in ("z", "p_value"):
        cells[name] = np.full(shares.shape, np.nan)
        cells[name][:, :size][~np.eye(size, dtype=bool)] = found.cells[name]
    return cells


def _of_concentration(
    given: Given, empty: str, exposure: dict[Any, float] | None, dates: Any
) -> EcbLines:
    """Yield how concentrated customers and exposures are in the grades, and the ECB's test."""
    before = given.initial_counts
    found = None if empty else grade_concentration(given.now)
    first = None if empty or before is None else grade_concentration(before)  # on its own scale
    amounts, hi_exposure = np.array([*(exposure or {}).values()]), None
    if amounts.sum() > 0 and not empty:
        hi_exposure = measures_of_shares(shares_of(amounts))["herfindahl_index"]
    values = {
        "cv_current": found and found.cv,
        "cv_initial": first and first.cv,
        "hi_current": found and found.herfindahl_index,
        "hi_initial": first and first.herfindahl_index,
        "p_value": found and first and ecb_p_value(found.cv, first.cv, found.grades),
        "hi_exposure": hi_exposure,
        "initial_n": None if before is None else before.n,
        "initial_grades": None if before is None else _scale_of(before),
    }
    initial = "" if before is not None else spoken("initial=")
    needs = dict.fromkeys(values, empty) | dict.fromkeys(("initial_n", "initial_grades"), initial)
    needs |= dict.fromkeys(("cv_initial", "hi_initial", "p_value"), empty or initial)
    needs["hi_exposure"] = empty or ("" if exposure is not None else spoken("exposure="))
    if not counts_alike(given.now):
        needs["p_value"] = empty or initial or OF_WHOLE
        values["p_value"] = None
    yield from ecb_lines("2.5.5.3", **with_dates(dates, values, needs))


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
    """Return each number that the ECB asks of an LGD model's yearly validation.

    Raises `ValueError` for what is no number, and for an estimate of `begin` or `end` that is none
    of the grades.

    Parameters
    ----------
    realised, estimated, data
        The LGDs of the facilities whose recovery closed in the year, as in `count_classes`, or its
        result alone. Up to 20 different estimates are grades; else there are 12 segments.
    initial
        Result of `count_classes` of the initial sample, or its generalised AUC.
    initial_dates
        Its first and its last day, such as ("2021-01-01", "2021-12-31").
    begin, end
        Estimated LGDs of the portfolio at the beginning and at the end of the year, one per
        facility.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, 2.6 and annex
    3.2. T = √N times the mean of realised less estimated LGDs, over their standard deviation;
    p = 1 - S(T), S the law of Student with N - 1 degrees of freedom.

    Examples
    --------
    Differences of .1, .2 and .3: their mean is .2, their variance .01, and T is √3·.2/.1.

    >>> found = ecb_lgd([0.3, 0.4, 0.5], [0.2, 0.2, 0.2])
    >>> lines = [row for row in found.table.rows() if row["section"] == "2.6.2.1"]
    >>> rows = {row["item"]: row["value"] for row in lines if not row["grade"]}
    >>> round(rows["variance"], 12), round(rows["statistic"] ** 2, 12)
    (0.01, 12.0)
    """
    counts = realised
    if not isinstance(counts, OrdinalCounts):
        from capcurve.input import count_classes

        counts = count_classes(realised, estimated, data=data)
    if not counts.n:
        raise ValueError("there is no facility whose recovery closed in the year")
    counts = replace(counts, classes="ecb", closed=None)
    rows, columns = counts.axes
    names, classes = _lgd_names(rows), _lgd_names(columns)
    given = {"begin": begin, "end": end}
    both = {name: _estimates(name, column, rows) for name, column in given.items()}
    lines = (
        *_of_losses(counts, names, classes),
        *_of_ordering(counts, initial, initial_dates),
        *lines_yours_to_add("2.6.4.1"),
        *_of_shift(names, rows, both),
        *lines_yours_to_add("2.6.4.2"),
        *lines_yours_to_add("2.6.4.3"),
        *lines_yours_to_add("2.6.4.4"),
    )
    findings = () if initial is None else (KNOWN_INITIAL_VALUE,)
    return table_of_lines("ECB 2019, section 2.6: LGD", lines, findings)


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

    with renamed(realised=name, estimated=name):
        found = count_classes(given, given)
    other = found.estimated[~np.isin(found.estimated, rows.edges)]
    if rows.each and len(other):
        grades = first_of(map(repr, rows.edges.tolist()), MOST_NAMED)
        raise ValueError(
            f"{name} has the estimate {other[0].item()!r}, which is none of the grades {grades}"
        )
    return found


def _of_losses(counts: OrdinalCounts, names: Sequence[str], classes: Sequence[str]) -> EcbLines:
    """Yield the t-test of every grade and of all facilities, and the contingency table."""
    place, table = counts.axes[0].places(counts.estimated), counts.table
    for row, grade in enumerate(names):
        yield from ecb_lines("2.6.2.1", _t_test(counts, place == row), grade=grade)
    yield from ecb_lines("2.6.2.1", _t_test(counts, place >= 0))
    for grade, cases in zip(names, table.tolist(), strict=True):
        for to, frequency in zip(classes, cases, strict=True):
            yield from ecb_lines("2.6.2.1", {"frequency": frequency}, grade=grade, to=to)


def _t_test(counts: OrdinalCounts, which: Bools) -> dict[str, Any]:
    """Return the paired t-test of realised against estimated LGDs of some facilities."""
    from scipy.special import stdtr

    cases, estimated, realised = (
        column[which] for column in (counts.cases, counts.estimated, counts.realised)
    )
    n = int(cases.sum())
    found: dict[str, Any] = dict.fromkeys(OF_LOSSES)
    if not n:
        return found | {"n": 0}
    gap = realised - estimated
    mean = (cases @ gap) / n
    found |= {
        "n": n,
        "mean_estimated": cases @ estimated / n,
        "mean_realised": cases @ realised / n,
    }
    if n > 1:
        rounding = np.finfo(float).eps * max(np.abs(realised).max(), np.abs(estimated).max())
        spread = np.ptp(gap) > 2 * rounding
        found["variance"] = cases @ (gap - mean) ** 2 / (n - 1) if spread else 0.0
    if found.get("variance"):
        statistic = mean / math.sqrt(found["variance"] / n)
        found |= {"statistic": statistic, "p_value": stdtr(n - 1, -statistic)}
    return found


def _of_ordering(
    counts: OrdinalCounts, initial: OrdinalCounts | float | None, dates: Any
) -> EcbLines:
    """Yield the test of the generalised AUC against the initial one, and the initial sample."""
    values: dict[str, Any] = dict.fromkeys(OF_GAUC)
    text, before = NOT_DEFINED, None
    if isinstance(initial, OrdinalCounts):
        before = generalised_auc(initial)
    value = before.estimate if before else initial
    if value is not None:
        value = as_share(value, "initial")
    try:
        found = generalised_auc(counts)
        values |= {"gauc_current": found.estimate, "variance": found.test_se**2}
        if value is not None:
            test = found.test(value)
            values |= {"gauc_initial": value, "statistic": test.statistic, "p_value": test.p_value}
    except ValueError as error:  # such as one class alone
        text = str(error)
    needs = dict.fromkeys(("gauc_initial", "statistic", "p_value"), spoken("initial="))
    needs = {} if value is not None else needs
    yield from ecb_lines("2.6.3.1", values, needs, text=text)
    sample = {"initial_n": before and before.n, "initial_variance": before and before.test_se**2}
    needs = dict.fromkeys(sample, spoken("initial="))
    yield from ecb_lines("2.6.3.1", **with_dates(dates, sample, needs))


def _of_shift(
    names: Sequence[str], rows: ClassEdges, both: Mapping[str, OrdinalCounts | None]
) -> EcbLines:
    """Yield the portfolio by grade at the beginning and at the end of the year, and its PSI."""
    sizes: dict[str, Array] = {}
    for name, counts in both.items():
        n = sums = np.full(len(names), np.nan)
        if counts is not None:
            place = rows.places(counts.estimated)
            n = np.bincount(place, counts.cases, len(names))
            sums = np.bincount(place, counts.cases * counts.estimated, len(names))
            sizes[name] = n
        means, empty = quotient(sums, n, np.nan), "" if counts is not None else spoken(f"{name}=")
        for grade, cases, mean in zip(names, n.tolist(), means.tolist(), strict=True):
            values = {f"n_{name}": cases, f"mean_estimated_{name}": mean}
            yield from ecb_lines("2.6.4.2", values, empty, grade=grade)
    lacking = next((spoken(f"{name}=") for name in both if name not in sizes), "")
    psi = None if lacking else shift_of(sizes["begin"], sizes["end"], 0.95).psi
    yield from ecb_lines("2.6.4.2", {"psi": psi}, lacking)
