"""compare_groups: how one score ranks and selects in each group of cases, and the gaps between."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals, ScoreCounts
from capcurve.curves import roc_curve
from capcurve.gate.alike import refuse_unlike
from capcurve.gate.given import segments as counts_by_segment
from capcurve.gate.taking import taking_segments
from capcurve.inference.designs import check_replicates
from capcurve.inference.groups import (
    AREAS,
    RATES,
    XAUC,
    Gap,
    Group,
    areas_of_pairs,
    as_numbers,
    gaps_of,
    pairs_of,
    tests_of_gaps,
)
from capcurve.inference.records import REPLICATES, as_metric
from capcurve.metrics import METRICS
from capcurve.metrics.between import xauc
from capcurve.numbers.arguments import arg, as_open_share, as_share, refused, told
from capcurve.results.findings import refuse_many_segments
from capcurve.results.known import interval_or_none
from capcurve.results.summary import segment_name
from capcurve.show.chart import (
    NO_DIFFERENCE,
    Axis,
    Chart,
    Line,
    interval_chart,
    model_style,
    reference,
)
from capcurve.show.columns import ColumnName, formed
from capcurve.show.format import (
    bare_chance,
    capitalised,
    chance_text,
    counted,
    cutoff_text,
    listed,
    number,
    percent,
    plain_names,
    signed,
    stated_percent,
    told_apart,
)
from capcurve.show.presentation import Finding, Presentation
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column, labelled
from capcurve.tables.thresholds import as_shown, nearest_point, selected_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.inference import Test
    from capcurve.inference.designs import Seed

LEAST_GROUPS_COMPARED, FEW_IN_A_CLASS = 2, 10
# Of more groups the largest gaps are shown, and neither a square of them nor their ROCs.
MOST_GROUPS_SHOWN, LARGEST_SHOWN, MOST_GAPS_DRAWN, MOST_ROCS = 12, 5, 15, 6
LABELS = {name: METRICS[name].short for name in AREAS} | {
    "captured_response": "captured response",
    "false_positive_rate": "false positive rate",
    XAUC: "xAUC",
}
FIXED = "The cut-off is the same for all groups and is taken as fixed."
NOT_ALIKE = "Groups that are not shown to differ are not shown to be alike."
WITH_PREVALENCE = (
    "Precision and the share selected depend on prevalence too, whatever the score does."
)
HYPOTHESIS = (
    "ABROCA is the area between two ROCs; by chance is its mean where labels of both groups are "
    "dealt anew within each outcome, and p how often that gives as much"
)
HOW = (
    "Gaps in AR, AUC and xAUC join the limits of both samples (MOVER), gaps in rates Wilson's "
    "(Newcombe)"
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GroupComparison(Result):
    """How a score ranks in each group and whom it selects there, and all gaps between groups.

    Attributes
    ----------
    groups
        A row per group: cases, positives, prevalence, the accuracy ratio or AUC inside it with its
        limits; with a cut-off the share of its cases that is selected, of its positives
        (`captured_response`), of its negatives (`false_positive_rate`), and the precision.
    pairs
        A test per number and pair of groups, first less second: `metric` is the number, `p_value`
        that of the gap alone. Limits, and `p_adjusted` of several gaps, hold for all at once.
    pair_level
        The level at which each gap has limits by itself, so that all hold together.
    xauc
        A row per pair of groups: how often positives of one rank above negatives of the other.
    abroca
        A row per pair of groups: the area between their ROCs, what chance alone gives on average
        (`by_chance`) and its p-value, of several pairs also times their number (`p_adjusted`).
    by
        What the groups are.
    threshold
        The cut-off, or None.
    level
        Confidence level of all limits together.
    findings, notes
        What there is to know about the groups, and how the numbers were found.
    counts, q
        Counts by the name of each group, and the share of cases that the cut-off came from; not in
        `to_dict`.
    """

    _as_rows = frozenset({"groups", "xauc", "abroca"})
    _left_out = frozenset({"counts", "q"})

    groups: Table
    pairs: tuple[Test, ...]
    pair_level: float
    xauc: Table
    abroca: Table
    by: str
    threshold: Any
    level: float
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    counts: Mapping[str, ScoreCounts] = field(repr=False)
    q: float | None = None

    @property
    def table(self) -> Table:
        """The gaps as a table."""
        columns = {
            "number": label_column(test.metric for test in self.pairs),
            "gap": label_column(test.name for test in self.pairs),
        }
        for name in ("estimate", "se", "low", "high", "p_value", "p_adjusted"):
            found = [getattr(test, name) for test in self.pairs]
            if None not in found:
                columns[name] = np.array(found, dtype=np.float64)
        return Table(
            "gaps", formed(columns, text="number gap", ratio="estimate low high", fine="se")
        )

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return self.table.values()

    def presentation(self) -> Presentation:
        """Return what the comparison shows: gaps that are shown, each group, xAUC and ABROCA."""
        few = len(self.counts) <= MOST_GROUPS_SHOWN
        named = capitalised(self.by)
        tables = [_gaps_table(self), _shown_groups(self)]
        if few:
            tables.append(_square(self))
        if len(self.abroca):
            tables.append(replace(self.abroca, name="ABROCA, beside what chance gives"))
        return Presentation(
            title=f"{named}: gaps between {counted(len(self.counts), 'group')}",
            sentences=tuple(_sentences(self)),
            findings=self.findings,
            charts=tuple(_charts(self)),
            tables=tuple(tables),
            notes=self.notes,
        )


@taking_segments
def compare_groups(
    segments: Mapping[Any, ScoreCounts],
    *,
    threshold: Any = None,
    q: float | None = None,
    metric: str = "accuracy_ratio",
    numbers: str | Sequence[str] | None = None,
    against: Any = None,
    by: str = "group",
    level: float = 0.95,
    replicates: int = REPLICATES,
    seed: Seed = 0,
    all_segments: bool = False,
) -> GroupComparison:
    """Compare groups of cases: how well one score ranks in each, and whom one cut-off selects.

    Every number has its gap between groups, with limits and p-values that allow for all gaps.

    Parameters
    ----------
    segments
        Counts by group, as `count_segments` returns them.
    threshold
        A score or grade: cases on its side are selected, in all groups alike.
    q
        In place of it a share of all cases: the cut-off is where whole groups of tied scores select
        nearest to it.
    metric
        "accuracy_ratio" or "roc_auc" ("auc"): what ranking inside groups is measured in.
    numbers
        Numbers whose gaps are tested, of "accuracy_ratio", "roc_auc", "captured_response" ("tpr"),
        "false_positive_rate" ("fpr") and "xauc"; when left out `metric`, and with a cut-off both
        rates.
    against
        A group that each of the others is compared with: fewer gaps, so narrower limits.
    by
        What the groups are called together, such as "sex".
    level
        Confidence level at which all limits hold together.
    replicates, seed
        How often labels are dealt anew for the p-value of ABROCA, and what
        `numpy.random.default_rng` takes.
    all_segments
        Whether to compare even more than 60 groups, or many of few cases that may be people.

    Raises
    ------
    ValueError, TypeError
        For fewer than two groups, both of `threshold` and `q`, rates without either, unknown
        numbers or groups, and counts of anything but positives and negatives.

    Notes
    -----
    Groups are different rows: gaps of AR, AUC and xAUC are those of `compare_independent`, gaps of
    rates have limits by Newcombe (1998), Stat. Med. 17, method 10. With clusters in all groups
    groups of clusters are left out of all at once. The law of all gaps is that of `compare`.
    ABROCA: Gardner, Brooks & Baker (2019), LAK 9; labels are dealt within each outcome, so a low
    p-value speaks against one law of scores in both groups given the outcome. Which gap matters,
    and why it is there, no number says.

    Examples
    --------
    >>> from capcurve import count_segments
    >>> scores, sex = [6, 5, 3, 4, 2, 1, 6, 4, 2, 5, 3, 1], ["men"] * 6 + ["women"] * 6
    >>> segments = count_segments([1, 1, 1, 0, 0, 0] * 2, scores, by=sex)
    >>> found = compare_groups(segments, threshold=4, metric="auc")
    >>> [(pair.metric, pair.name, round(pair.estimate, 9)) for pair in found.pairs][:2]
    [('roc_auc', 'men minus women', 0.222222222), ('captured_response', 'men minus women', 0.0)]
    """
    metric, level = as_metric(metric), as_open_share(level, "level")
    check_replicates(replicates)
    given = _held(counts_by_segment(segments, "compare_groups"))
    if not all_segments:
        refuse_many_segments(given, by)
    cut = threshold is not None or q is not None
    asked = as_numbers(numbers, metric, cut=cut)
    if not cut and (rates := [each for each in asked if each in RATES]):
        raise ValueError(f"{rates[0]} is of a cut-off: give {arg('threshold')} or {arg('q')}")
    if q is not None:
        threshold = _nearest(given, threshold, as_share(q, "q", some=True))
    groups = {
        key: Group(str(segment_name(key)), counts, selected_at(counts, threshold) if cut else None)
        for key, counts in given.items()
    }
    several, base = [*groups.values()], _named(groups, against)
    gaps, left_out = gaps_of(several, asked, base)
    tests, pair_level = tests_of_gaps(gaps, level)
    areas, why = areas_of_pairs(pairs_of(several, base), replicates, seed)
    found = GroupComparison(
        groups=_by_group(several, next((n for n in asked if n in AREAS), metric), level),
        pairs=tests,
        pair_level=pair_level,
        xauc=_crossed(several),
        abroca=_areas(areas),
        by=by,
        threshold=threshold,
        level=level,
        counts={group.name: group.counts for group in several},
        q=q,
    )
    findings = tuple(_findings(groups, tests))
    return replace(found, findings=findings, notes=tuple(_notes(found, left_out, why)))


def _held(segments: Mapping[Any, Any]) -> dict[Any, ScoreCounts]:
    """Return counts of positives and negatives of at least two groups, counted alike."""
    for key, counts in segments.items():
        if not isinstance(counts, ScoreCounts | RankTotals) or counts.times is not None:
            what = (
                "counts at a horizon" if isinstance(counts, ScoreCounts) else type(counts).__name__
            )
            raise TypeError(
                "compare_groups is of positives and negatives only, and group "
                f"{segment_name(key)} has {what}"
            )
    if len(segments) < LEAST_GROUPS_COMPARED:
        names = f" ({', '.join(str(segment_name(key)) for key in segments)})" if segments else ""
        there = f"there {'is' if segments else 'are'} {len(segments)}{names}"
        raise ValueError(f"comparing groups needs at least two groups; {there}")
    held = {key: counts.every_score() for key, counts in segments.items()}
    refuse_unlike([*held.values()], [f"group {segment_name(key)}" for key in held])
    return held


def _nearest(groups: Mapping[Any, ScoreCounts], threshold: Any, q: float) -> Any:
    """Return the cut-off that selects nearest to a share of all cases."""
    if threshold is not None:
        raise ValueError(f"{arg('threshold')} and {arg('q')} both say where to cut; give one")
    return nearest_point(ScoreCounts.merge(groups.values()), q)[1].threshold


def _named(groups: Mapping[Any, Group], against: Any) -> Group | None:
    """Return the group that the others are compared with, if any."""
    if against is None:
        return None
    if against not in groups:
        names = listed([group.name for group in groups.values()], 8)
        raise ValueError(f"{refused('against')} be one of {names}, got {told(against)}")
    return groups[against]


def _by_group(groups: Sequence[Group], metric: str, level: float) -> Table:
    """Return a row for each group, NaN where a number is undefined."""
    rows = []
    for group in groups:
        counts, within = group.counts, None
        if min(group.rows):
            within = interval_or_none(counts, metric, level=level)
        low, high = within.limits if within else (np.nan, np.nan)
        value = METRICS[metric].value(counts) if min(group.rows) else np.nan
        row = {"group": group.name, "n": counts.n, "positives": counts.n1}
        row |= {"prevalence": counts.prevalence, metric: value, "low": low, "high": high}
        if group.selects is not None:
            tp, fp = (group.selected(side) for side in RATES.values())
            row |= {"selected": (tp + fp) / counts.n}
            row |= {
                name: group.rate(side) if group.rows[side] else np.nan
                for name, side in RATES.items()
            }
            row |= {"precision": tp / (tp + fp) if tp + fp else np.nan}
        rows.append(row)
    columns: dict[str, Any] = {"group": label_column(row["group"] for row in rows)}
    columns |= {name: np.array([row[name] for row in rows]) for name in [*rows[0]][1:]}
    heads = {"captured_response": "captured", "false_positive_rate": "FPR"}
    heads["prevalence"] = "prevalence"
    return Table(
        "groups",
        formed(
            columns,
            heads,
            text="group",
            ratio="low high",
            share="prevalence captured_response false_positive_rate",
        ),
    )


def _crossed(groups: Sequence[Group]) -> Table:
    """Return the cross AUC of each pair of groups, of a group and itself its AUC."""
    pairs = [(a, b) for a in groups for b in groups]
    aucs = [xauc(a.counts, b.counts) if a.rows[0] and b.rows[1] else np.nan for a, b in pairs]
    columns = {
        "positives_of": label_column(a.name for a, _ in pairs),
        "negatives_of": label_column(b.name for _, b in pairs),
        "roc_auc": np.array(aucs),
    }
    return Table("xauc", formed(columns, text="positives_of negatives_of"))


def _areas(found: Mapping[str, list[Any]]) -> Table:
    """Return ABROCA beside what chance gives."""
    columns = {
        n: label_column(v) if n in ("first", "second") else np.array(v, dtype=np.float64)
        for n, v in found.items()
    }
    pairs = len(columns["abroca"])
    if pairs > 1:
        columns["p_adjusted"] = np.minimum(columns["p_value"] * pairs, 1.0)
    heads = {"abroca": "ABROCA", "p_value": "p", "p_adjusted": f"p ({pairs} pairs)"}
    return Table(
        "abroca",
        formed(
            columns, heads, text="first second", ratio="abroca by_chance", p="p_value p_adjusted"
        ),
    )


def _findings(groups: Mapping[Any, Group], tests: Sequence[Test]) -> Iterator[Finding]:
    """Yield what there is to know about the groups."""
    for group in groups.values():
        sizes = dict(zip(("positives", "negatives"), group.rows, strict=True))
        lacking = [name for name, rows in sizes.items() if not rows]
        few = [f"{rows} {name}" for name, rows in sizes.items() if 0 < rows < FEW_IN_A_CLASS]
        if lacking:
            yield Finding(
                "lacks_class",
                "warning",
                f"{group.name} has no {' and no '.join(lacking)}",
                "what needs them is missing there; its other numbers are compared",
            )
        if few:
            yield Finding(
                "few_cases",
                "info",
                f"{group.name} has {' and '.join(few)}",
                "its limits are wide; pool periods or wait for more cases",
            )
    if None in groups:
        yield Finding(
            "no_group",
            "info",
            f"{counted(sum(groups[None].rows), 'row')} without a group are one of their own",
            "complete the column of the groups, or leave these rows out",
        )
    shown = {
        kind: {frozenset(t.estimates) for t in tests if t.metric in of and _is_shown(t)}
        for kind, of in ((XAUC, (XAUC,)), ("area", AREAS))
    }
    for test in tests:
        if test.metric == XAUC and frozenset(test.estimates) in shown[XAUC] - shown["area"]:
            first, second = test.estimates
            lower = second if (test.estimate or 0.0) > 0 else first
            yield Finding(
                "levels_differ",
                "info",
                f"scores of {lower} rank lower given the outcome ({test.name})",
                "inside each group ranking is not shown to differ; compare the levels",
            )


def _is_shown(test: Test) -> bool:
    """Return whether 0 is outside the limits of a gap."""
    return (test.low or 0.0) > 0 or (test.high or 0.0) < 0


def _p(test: Test) -> float:
    """Return the p-value that goes with the limits of a gap."""
    return test.p_value if test.p_adjusted is None else test.p_adjusted


def _written(test: Test, value: float) -> str:
    """Return a gap or a limit of it, rates in points, with digits that tell it from 0."""
    if test.metric in RATES:
        return told_apart(100 * value, 0, 1, signed)
    return told_apart(value, 0, 3, signed)


def _with_limits(test: Test) -> str:
    """Return a gap with its limits and p-value."""
    points = " points" if test.metric in RATES else ""
    low, high = (_written(test, limit) for limit in (test.low or 0.0, test.high or 0.0))
    chance = chance_text(_p(test), 1 - (test.level or 0.95))
    return f"{_written(test, test.estimate or 0.0)}{points} [{low}, {high}], {chance}"


def _of_each(test: Test) -> list[str]:
    """Return a number of both groups."""
    write = percent if test.metric in RATES else number
    return [write(value) for value in test.estimates.values()]


def _sentences(found: GroupComparison) -> Iterator[str]:
    """Yield what is shown of each number, how large gaps may be, and ABROCA."""
    shown = [test for test in found.pairs if _is_shown(test)]
    largest = _largest_allowed(found.pairs)
    groups = counted(len(found.counts), "group")
    if not found.pairs:
        yield f"No gap between {groups} can be tested, as too few cases of a class are in them."
    elif not shown:
        label, size = largest
        yield (
            f"No gap between {groups} is shown; differences in {label} up to {size} are compatible "
            "with these cases."
        )
    cut = _at_cutoff(found)
    for name in dict.fromkeys(test.metric for test in found.pairs):
        tests = [test for test in found.pairs if test.metric == name]
        yield _about_number(found, tests, cut if name in RATES else "")
        cut = "" if name in RATES else cut
    if shown:
        yield "The largest difference in {} that these limits allow is {}.".format(*largest)
    if len(found.abroca) and not np.isnan(found.abroca["p_value"]).all():
        yield _about_areas(found.abroca)


def _largest_allowed(pairs: Sequence[Test]) -> tuple[str, str]:
    """Return of the first number what it is called, and the largest gap in its limits."""
    tests = [test for test in pairs if test.metric == pairs[0].metric]
    if not tests:
        return "", ""
    size = max(max(abs(test.low or 0.0), abs(test.high or 0.0)) for test in tests)
    name = tests[0].metric or ""
    return LABELS[name], percent(size) if name in RATES else number(size)


def _about_number(found: GroupComparison, tests: Sequence[Test], cut: str) -> str:
    """Return a number of each group, and its gap or the largest one that is shown."""
    name, every = tests[0].metric or "", len(found.pairs)
    family = f" ({counted(every, 'gap')})" if every > 1 else ""
    if len(tests) == 1:
        (first, second), (one, other) = tests[0].estimates, _of_each(tests[0])
        gap = f"{_with_limits(tests[0])}{family}"
        if name == XAUC:
            said = f"xAUC: positives of {first} rank above negatives of {second} in {one} of pairs"
            return f"{said}, those of {second} above negatives of {first} in {other}: {gap}."
        if name == "captured_response":
            said = f"{one} of the positives are captured among {first}, {other} among {second}"
            return capitalised(f"{cut}{said}: {gap}.")
        if name == "false_positive_rate":
            said = f"the false positive rate is {one} among {first} and {other} among {second}"
            return capitalised(f"{cut}{said}: {gap}.")
        said = f"{LABELS[name]} by group: {one} {first}, {other} {second}"
        return f"{said}. {capitalised(tests[0].name)}: {gap}."
    shown = [test for test in tests if _is_shown(test)]
    values = {} if name == XAUC else {k: v for t in tests for k, v in t.estimates.items()}
    write = percent if name in RATES else number
    each = listed([f"{write(value)} {group}" for group, value in values.items()], MOST_ROCS)
    said = capitalised(f"{cut}{LABELS[name]} by group: {each}. ") if values else ""
    if not shown:
        return f"{said}None of {len(tests)} gaps in {LABELS[name]} is shown{family}."
    top = max(shown, key=lambda test: abs(test.estimate or 0.0))
    are = (
        f"{len(shown)} of {len(tests)} gaps in {LABELS[name]} {'is' if len(shown) == 1 else 'are'}"
    )
    return f"{said}{are} shown, the largest {top.name}: {_with_limits(top)}{family}."


def _at_cutoff(found: GroupComparison) -> str:
    """Return at which cut-off cases are selected, as a sentence begins; nothing without one."""
    if found.threshold is None:
        return ""
    counts = next(iter(found.counts.values()))
    text = _cutoff(found)
    if counts.levels is not None:
        return f"down to grade {text} "
    return f"at {text} and {'above' if counts.higher_is == 'positive' else 'below'} "


def _cutoff(found: GroupComparison) -> str:
    """Return the cut-off as text; one that was sought as short as selects the same cases."""
    if found.q is None:
        return cutoff_text(found.threshold)
    return cutoff_text(as_shown(ScoreCounts.merge(found.counts.values()), found.threshold))


def _about_areas(table: Table) -> str:
    """Return the ABROCA, or the largest of several, beside what chance gives."""
    rows = [*table.rows()]
    top = max(rows, key=lambda row: row["abroca"])
    first, second = top["first"], top["second"]
    several = len(rows) > 1
    head = f"The largest ABROCA, of {first} and {second}, is" if several else "ABROCA"
    chance = chance_text(top["p_adjusted"] if several else top["p_value"])
    return (
        f"{head} {number(top['abroca'])}; where {first} and {second} have one law of scores given "
        f"the outcome, chance alone gives {number(top['by_chance'])} on average ({chance}"
        f"{f', {len(rows)} pairs' if several else ''})."
    )


def _notes(found: GroupComparison, left_out: Sequence[Gap], why: str) -> Iterator[str]:
    """Yield which family limits allow for, how numbers were found, and what is left out."""
    gaps, level = len(found.pairs), stated_percent(found.level)
    if gaps > 1:
        yield (
            f"Limits and p-values allow for all {gaps} gaps: in {level} of samples all hold "
            f"together (each alone is at {100 * found.pair_level:.4g}%)."
        )
    if found.threshold is not None:
        yield FIXED
    if found.q is not None:
        cases = [(counts, selected_at(counts, found.threshold)) for counts in found.counts.values()]
        chosen = sum((c.positives[:k].sum() + c.negatives[:k].sum()).item() for c, k in cases)
        share = percent(chosen / sum(c.n for c, _ in cases))
        yield (
            f"The cut-off {_cutoff(found)} selects {share} of all cases, the whole groups of tied "
            f"scores that come nearest to {stated_percent(found.q)}."
        )
    for number_, reasons in _by_number(left_out).items():
        yield f"Gaps in {LABELS[number_]} are left out: {'; '.join(reasons)}."
    if any(not _is_shown(test) for test in found.pairs):
        yield NOT_ALIKE
    if found.threshold is not None:
        yield WITH_PREVALENCE
    yield f"{HOW}."
    for note in dict.fromkeys(note for test in found.pairs for note in test.notes):
        yield f"{capitalised(note)}."
    yield f"{why or HYPOTHESIS}."


def _by_number(left_out: Sequence[Gap]) -> dict[str, list[str]]:
    """Return why gaps of each number are left out."""
    found: dict[str, dict[str, None]] = {}
    for gap in left_out:
        found.setdefault(gap.number, {})[gap.why_not] = None
    return {name: [*reasons] for name, reasons in found.items()}


def _gaps_table(found: GroupComparison) -> Table:
    """Return the gaps as people read them; of many groups the largest of each number."""
    tests, note = _to_show(found, LARGEST_SHOWN if len(found.counts) > MOST_GROUPS_SHOWN else None)
    level, bound = stated_percent(found.level), 1 - found.level
    several = f" for all {len(found.pairs)} gaps" if len(found.pairs) > 1 else ""
    columns = {
        "number": [LABELS[test.metric or ""] for test in tests],
        "gap": [test.name for test in tests],
        "difference": [_with_limits(test).partition(" [")[0] for test in tests],
        f"{level} interval{several}": [
            f"[{_written(test, test.low or 0.0)}, {_written(test, test.high or 0.0)}]"
            for test in tests
        ],
        "p alone" if several else "p": [bare_chance(test.p_value) for test in tests],
    }
    if several:
        columns[f"p{several}"] = [bare_chance(_p(test), bound) for test in tests]
    return labelled("Gaps between groups", columns, note)


def _to_show(found: GroupComparison, most: int | None) -> tuple[list[Test], str | None]:
    """Return gaps to show, of each number the largest if there are more."""
    if most is None:
        return [*found.pairs], None
    kept = []
    for name in dict.fromkeys(test.metric for test in found.pairs):
        tests = [test for test in found.pairs if test.metric == name]
        kept += sorted(tests, key=lambda test: -abs(test.estimate or 0.0))[:most]
    said = f"of {len(found.pairs)} gaps the {most} largest of each number are shown"
    return kept, said if len(kept) < len(found.pairs) else None


def _shown_groups(found: GroupComparison) -> Table:
    """Return the numbers by group, the limits in brackets."""
    columns: dict[Any, Any] = {}
    for name, column in found.groups.columns.items():
        if name == "low":
            ends = zip(column.tolist(), found.groups["high"].tolist(), strict=True)
            text = ["" if low != low else f"[{number(low)}, {number(high)}]" for low, high in ends]  # noqa: PLR0124 - NaN
            columns[f"{stated_percent(found.level)} interval"] = label_column(text)
        elif name != "high":
            columns[name] = column
    note = "intervals here are those of each group alone"
    return Table(f"Numbers by {found.by}", columns, note)


def _square(found: GroupComparison) -> Table:
    """Return cross AUCs: positives of the group of a row above negatives of that of a column."""
    names = [*found.counts]
    aucs = found.xauc["roc_auc"].reshape(len(names), len(names))
    shown = plain_names(names)
    heads = [ColumnName(name, "ratio", name) for name in shown]
    columns: dict[str, Any] = {
        "positives of": label_column(shown),
        **dict(zip(heads, aucs.T, strict=True)),
    }
    note = "share of pairs in which a positive of the row ranks above a negative of the column"
    named = "xAUC: positives of rows above negatives of columns"
    return Table(named, columns, note, square=True)


def _charts(found: GroupComparison) -> Iterator[Chart]:
    """Yield the gaps of each number between their limits, and the ROCs of a few groups."""
    tests, _ = _to_show(found, MOST_GAPS_DRAWN)
    level = f"{stated_percent(found.level)} interval"
    for name in dict.fromkeys(test.metric or "" for test in tests):
        of = f"Gap in {LABELS[name]}{', points' if name in RATES else ''}"
        times = 100 if name in RATES else 1
        around = {
            label: tuple(times * (each or 0.0) for each in (test.low, test.estimate, test.high))
            for label, test in zip(
                plain_names([t.name for t in tests if t.metric == name]),
                [t for t in tests if t.metric == name],
                strict=True,
            )
        }
        title = f"{of}: {next(iter(around))}" if len(around) == 1 else of
        yield from interval_chart(title, around, level, of, references=NO_DIFFERENCE)
    ranked = {name: counts for name, counts in found.counts.items() if counts.n1 and counts.n0}
    if LEAST_GROUPS_COMPARED <= len(ranked) <= MOST_ROCS:
        yield _rocs(ranked)


def _rocs(groups: Mapping[str, ScoreCounts]) -> Chart:
    """Return the ROC of each group."""
    lines = []
    for place, (name, counts) in enumerate(
        zip(plain_names([*groups]), groups.values(), strict=True)
    ):
        curve = roc_curve(counts).simplify(1e-3)
        lines.append(Line(curve.x, curve.y, name, model_style(place)))
    return Chart(
        title="ROC by group",
        x=Axis("False positive rate", whole=1),
        y=Axis("True positive rate", whole=1),
        lines=[*lines, reference([0, 1], [0, 1], "Random")],
        corner="lower right",
    )
