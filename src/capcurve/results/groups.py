"""compare_groups: how one score ranks and selects in each group of cases, and the gaps between."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals, ScoreCounts
from capcurve.counts.table import BOTH_CLASSES
from capcurve.curves import roc_curve
from capcurve.gate.alike import refuse_unlike
from capcurve.gate.given import segments as counts_by_segment
from capcurve.gate.taking import taking_segments
from capcurve.inference.designs import check_replicates
from capcurve.inference.groups import (
    GROUP_AREAS,
    GROUP_RATES,
    XAUC,
    Gap,
    Group,
    areas_of_pairs,
    as_group_numbers,
    gaps_of,
    gaps_tested,
    pairs_of,
)
from capcurve.inference.records import REPLICATES, as_metric
from capcurve.metrics import METRICS
from capcurve.metrics.between import xauc
from capcurve.numbers.arguments import arg, as_open_share, as_share, refused, told
from capcurve.numbers.plain import plain
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
    limits,
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

TWO, FEW_IN_A_CLASS = 2, 10
# Of more groups the largest gaps are shown, and neither a square of them nor their ROCs.
# How far an ROC may be from its points when it is drawn.
DRAWN_WITHIN = 5e-4
MOST_GROUPS_SHOWN, LARGEST_SHOWN, MOST_GAPS_DRAWN, MOST_ROCS = 12, 5, 15, 6
GROUP_LABELS = {name: METRICS[name].short for name in GROUP_AREAS} | {
    "captured_response": "captured response",
    "false_positive_rate": "false positive rate",
    XAUC: "xAUC",
}
CUT_OFF_IS_FIXED = "The cut-off is the same for all groups, and is taken as fixed."
NOT_ALIKE = "Groups that are not shown to differ are not shown to be alike."
WITH_PREVALENCE = "Precision and the share selected also depend on the prevalence of a group."
HYPOTHESIS = (
    "ABROCA is the area between two ROCs. What chance gives is its mean where labels of both "
    "groups are dealt anew within each outcome, and p how often that is as much."
)
HOW_GAPS_ARE_LIMITED = (
    "Gaps in AR, AUC and xAUC have the joined limits of both samples (MOVER), gaps in rates those "
    "of Newcombe; where rows are clustered, groups of clusters are left out of all at once."
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
    ABROCA: Gardner, Brooks & Baker (2019), LAK 9; labels are dealt within each outcome, among
    300 groups of neighbouring scores where there are more, so a low p-value speaks against one law
    of scores in both groups given the outcome. Which gap matters, and why it is there, no number
    says.

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
    asked = as_group_numbers(numbers, metric, cut=cut)
    if not cut and (rates := [each for each in asked if each in GROUP_RATES]):
        raise ValueError(f"{rates[0]} is of a cut-off: give {arg('threshold')} or {arg('q')}")
    if q is not None:
        threshold = _nearest(given, threshold, as_share(q, "q", some=True))
    groups = {
        key: Group(
            plain(segment_name(key)), counts, selected_at(counts, threshold) if cut else None
        )
        for key, counts in given.items()
    }
    several, base = [*groups.values()], _named(groups, against)
    gaps, left_out = gaps_of(several, asked, base)
    tests, pair_level = gaps_tested(gaps, level)
    areas, why = areas_of_pairs(pairs_of(several, base), replicates, seed)
    found = GroupComparison(
        groups=_by_group(several, next((n for n in asked if n in GROUP_AREAS), metric), level),
        pairs=tests,
        pair_level=pair_level,
        xauc=_crossed(several),
        abroca=_areas(areas),
        by=by,
        threshold=threshold,
        level=level,
        counts={str(group.name): group.counts for group in several},
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
    if len(segments) < TWO:
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
        names = listed([str(group.name) for group in groups.values()], 8)
        raise ValueError(f"{refused('against')} be one of {names}, got {told(against)}")
    return groups[against]


def _by_group(groups: Sequence[Group], metric: str, level: float) -> Table:
    """Return a row for each group, NaN where a number is undefined."""
    rows = [_row(group, metric, level) for group in groups]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    names = {"group": label_column(group.name for group in groups)}
    heads = {"captured_response": "captured", "false_positive_rate": "FPR"}
    heads["prevalence"] = "prevalence"
    shares = "prevalence captured_response false_positive_rate"
    shown = formed(names | columns, heads, name="group", ratio="low high", share=shares)
    return Table("groups", shown)


def _row(group: Group, metric: str, level: float) -> dict[str, float]:
    """Return the numbers of a group."""
    counts, ranked = group.counts, min(group.rows) > 0
    within = interval_or_none(counts, metric, level=level) if ranked else None
    row = {"n": counts.n, "positives": counts.n1}
    row["prevalence"] = counts.n1 / counts.n if counts.n else np.nan
    row[metric] = METRICS[metric].value(counts) if ranked else np.nan
    row["low"], row["high"] = within.limits if within else (np.nan, np.nan)
    if group.selects is not None:
        tp, fp = (group.selected(side) for side in GROUP_RATES.values())
        row["selected"] = (tp + fp) / counts.n if counts.n else np.nan
        for name, side in GROUP_RATES.items():
            row[name] = group.rate(side) if group.rows[side] else np.nan
        row["precision"] = tp / (tp + fp) if tp + fp else np.nan
    return row


def _crossed(groups: Sequence[Group]) -> Table:
    """Return the cross AUC of each pair of groups, of a group and itself its AUC."""
    pairs = [(a, b) for a in groups for b in groups]
    aucs = [xauc(a.counts, b.counts) if a.rows[0] and b.rows[1] else np.nan for a, b in pairs]
    columns = {
        "positives_of": label_column(a.name for a, _ in pairs),
        "negatives_of": label_column(b.name for _, b in pairs),
        "roc_auc": np.array(aucs),
    }
    return Table("xauc", formed(columns, name="positives_of negatives_of"))


def _areas(found: Mapping[str, list[Any]]) -> Table:
    """Return ABROCA beside what chance gives."""
    form = {"name": "first second", "ratio": "abroca by_chance", "p": "p_value p_adjusted"}
    columns = {
        name: np.array(column) if name in form["ratio"] + form["p"] else label_column(column)
        for name, column in found.items()
    }
    pairs = len(found["abroca"])
    if pairs > 1:
        columns["p_adjusted"] = np.clip(pairs * np.array(found["p_value"]), 0.0, 1.0)
    heads = {"abroca": "ABROCA", "p_value": "p", "p_adjusted": f"p ({pairs} pairs)"}
    return Table("abroca", formed(columns, heads, **form))


def _findings(groups: Mapping[Any, Group], tests: Sequence[Test]) -> Iterator[Finding]:
    """Yield what there is to know about the groups."""
    for group in groups.values():
        sizes = dict(zip(BOTH_CLASSES, group.rows, strict=True))
        lacking = " and ".join(f"no {name}" for name, rows in sizes.items() if not rows)
        few = [counted(n, name[:-1]) for name, n in sizes.items() if 0 < n < FEW_IN_A_CLASS]
        if lacking:
            advice = "what needs them is missing there; its other numbers are compared"
            yield Finding("lacks_class", "warning", f"{group.name} has {lacking}", advice)
        if few:
            advice = "its limits are wide; pool periods or wait for more cases"
            yield Finding("few_cases", "info", f"{group.name} has {' and '.join(few)}", advice)
    if None in groups:
        said = f"{counted(sum(groups[None].rows), 'row')} without a group are a group of their own"
        advice = "complete the column of the groups, or leave these rows out"
        yield Finding("no_group", "info", said, advice)
    ranked = {test.name: _is_shown(test) for test in tests if test.metric in GROUP_AREAS}
    for test in tests:
        if test.metric == XAUC and _is_shown(test) and ranked.get(test.name) is False:
            first, second = test.estimates
            lower = second if (test.estimate or 0.0) > 0 else first
            said = f"scores of {lower} rank lower given the outcome ({test.name})"
            advice = "inside each group ranking is not shown to differ; compare the levels"
            yield Finding("levels_differ", "info", said, advice)


def _is_shown(test: Test) -> bool:
    """Return whether 0 is outside the limits of a gap."""
    return (test.low or 0.0) > 0 or (test.high or 0.0) < 0


def _p(test: Test) -> float:
    """Return the p-value that goes with the limits of a gap."""
    return test.p_value if test.p_adjusted is None else test.p_adjusted


def _texts(test: Test) -> tuple[str, str]:
    """Return a gap and its limits, rates in points, with digits that tell them from 0."""
    rate = test.metric in GROUP_RATES
    times, decimals = (100, 1) if rate else (1, 3)
    gap, low, high = (
        told_apart(times * (each or 0.0), 0, decimals, signed)
        for each in (test.estimate, test.low, test.high)
    )
    return f"{gap} points" if rate else gap, f"[{low}, {high}]"


def _with_limits(test: Test) -> str:
    """Return a gap with its limits and p-value."""
    chance = chance_text(_p(test), 1 - (test.level or 0.95))
    return f"{' '.join(_texts(test))}, {chance}"


def _by_number(tests: Sequence[Test]) -> dict[str, list[Test]]:
    """Return the gaps of each number."""
    found: dict[str, list[Test]] = {}
    for test in tests:
        found.setdefault(test.metric or "", []).append(test)
    return found


def _sentences(found: GroupComparison) -> Iterator[str]:
    """Yield what is shown of each number, how large gaps may be, and ABROCA."""
    groups, several = counted(len(found.counts), "group"), _by_number(found.pairs)
    shown = any(map(_is_shown, found.pairs))
    if not several:
        yield f"No gap between {groups} can be tested: too few cases of a class are in them."
    for name, tests in [*several.items()][:1]:
        most = max(abs(limit or 0.0) for test in tests for limit in (test.low, test.high))
        label, largest = GROUP_LABELS[name], number(most)
        if name in GROUP_RATES:
            largest = f"{number(100 * most, 1)} points"
        allowed = f"The largest difference in {label} that these limits allow is {largest}."
        if not shown:
            yield (
                f"No gap between {groups} is shown; differences in {label} up to {largest} are "
                "compatible with these cases."
            )
    family = f" ({counted(len(found.pairs), 'gap')})" if len(found.pairs) > 1 else ""
    cut = _at_cutoff(found)
    for name, tests in several.items():
        said, gap = (
            _of_two(tests[0]) if len(found.counts) == TWO else _of_several(tests, some=shown)
        )
        yield capitalised(
            f"{cut if name in GROUP_RATES else ''}{said}{gap}{family if gap else ''}."
        )
        family, cut = "" if gap else family, "" if name in GROUP_RATES else cut
    if shown:
        yield allowed
    if len(found.abroca) and not np.isnan(found.abroca["p_value"]).all():
        yield _about_areas(found.abroca)


def _of_two(test: Test) -> tuple[str, str]:
    """Return a number of both groups, and its gap."""
    write = percent if test.metric in GROUP_RATES else number
    (first, one), (second, other) = ((k, write(v)) for k, v in test.estimates.items())
    said = {
        "captured_response": f"{one} of the positives are captured among {first}, {other} among "
        f"{second}: ",
        "false_positive_rate": f"the false positive rate is {one} among {first} and {other} among "
        f"{second}: ",
        XAUC: f"positives of {first} rank above negatives of {second} in {one} of pairs, those of "
        f"{second} above negatives of {first} in {other} (xAUC): ",
    }.get(test.metric or "")
    each = _listed_values(test.metric, test.estimates)
    return said or f"{each}. {capitalised(test.name)}: ", _with_limits(test)


def _of_several(tests: Sequence[Test], *, some: bool) -> tuple[str, str]:
    """Return a number of each group, and the largest gap that is shown; `some` is of any number."""
    name, shown = tests[0].metric or "", [test for test in tests if _is_shown(test)]
    values = {group: value for test in tests for group, value in test.estimates.items()}
    many = f"{counted(len(tests), 'gap')} in {GROUP_LABELS[name]}"
    said = [] if name == XAUC else [_listed_values(name, values)]
    if not shown:
        return ". ".join([*said, *([f"None of {many} is shown"] if some or not said else [])]), ""
    top = max(shown, key=lambda test: abs(test.estimate or 0.0))
    count = f"{len(shown)} of {many} {'is' if len(shown) == 1 else 'are'} shown"
    said.append(f"{count}{', the largest' if len(shown) > 1 else ''}: ")
    return ". ".join(said), f"{top.name} {_with_limits(top)}"


def _listed_values(name: str | None, values: Mapping[str, float]) -> str:
    """Return a number of each group; names that begin with a digit are in brackets."""
    write = percent if name in GROUP_RATES else number
    each = [
        f"{write(value)} {f'({group})' if group[:1].isdigit() else group}"
        for group, value in values.items()
    ]
    return f"{GROUP_LABELS[name or '']} by group: {listed(each, MOST_ROCS)}"


def _at_cutoff(found: GroupComparison) -> str:
    """Return at which cut-off cases are selected, as a sentence begins; nothing without one."""
    if found.threshold is None:
        return ""
    counts, text = next(iter(found.counts.values())), _cutoff(found)
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
    both, several = f"{top['first']} and {top['second']}", len(rows) > 1
    head = f"The largest ABROCA, of {both}, is" if several else "ABROCA"
    chance = chance_text(top["p_adjusted"] if several else top["p_value"])
    return (
        f"{head} {number(top['abroca'])}; where {both} have one law of scores given the outcome, "
        f"chance alone gives {number(top['by_chance'])} on average "
        f"({chance}{f', {len(rows)} pairs' if several else ''})."
    )


def _notes(found: GroupComparison, left_out: Sequence[Gap], why: str) -> Iterator[str]:
    """Yield which gaps limits allow for, how numbers were found, and what is left out."""
    if len(found.pairs) > 1:
        yield (
            f"Limits and p-values allow for all {len(found.pairs)} gaps: in "
            f"{stated_percent(found.level)} of samples all hold together (each alone is at "
            f"{100 * found.pair_level:.4g}%)."
        )
    if found.threshold is not None:
        yield CUT_OFF_IS_FIXED
        yield WITH_PREVALENCE
    if found.q is not None:
        selected = found.groups["selected"] @ found.groups["n"] / found.groups["n"].sum()
        yield (
            f"The cut-off {_cutoff(found)} selects {percent(selected)} of all cases: whole groups "
            f"of tied scores come no nearer to {stated_percent(found.q)}."
        )
    reasons = dict.fromkeys((gap.number, gap.why_not) for gap in left_out)
    for name in dict.fromkeys(name for name, _ in reasons):
        said = "; ".join(reason for each, reason in reasons if each == name)
        yield f"Gaps in {GROUP_LABELS[name]} are left out: {said}."
    if not all(map(_is_shown, found.pairs)):
        yield NOT_ALIKE
    yield HOW_GAPS_ARE_LIMITED
    for note in dict.fromkeys(note for test in found.pairs for note in test.notes):
        yield f"{capitalised(note)}."
    yield why or HYPOTHESIS


def _gaps_table(found: GroupComparison) -> Table:
    """Return the gaps as people read them; of many groups the largest of each number."""
    many = len(found.counts) > MOST_GROUPS_SHOWN
    tests = _largest(found.pairs, LARGEST_SHOWN) if many else found.pairs
    left = len(found.pairs) > len(tests)
    several = f" for all {len(found.pairs)} gaps" if len(found.pairs) > 1 else ""
    columns = {
        "number": [GROUP_LABELS[test.metric or ""] for test in tests],
        "gap": [test.name for test in tests],
        "difference": [_texts(test)[0] for test in tests],
        f"{stated_percent(found.level)} interval{several}": [_texts(test)[1] for test in tests],
        "p alone" if several else "p": [bare_chance(test.p_value) for test in tests],
    }
    if several:
        columns[f"p{several}"] = [bare_chance(_p(test), 1 - found.level) for test in tests]
    said = f"the {LARGEST_SHOWN} largest gaps of each number, of {len(found.pairs)} gaps in all"
    return labelled("Gaps between groups", columns, said if left else None)


def _largest(tests: Sequence[Test], most: int) -> list[Test]:
    """Return the gaps of each number, of many the largest."""
    ordered = (
        sorted(each, key=lambda test: -abs(test.estimate or 0.0)) if len(each) > most else each
        for each in _by_number(tests).values()
    )
    return [test for each in ordered for test in each[:most]]


def _shown_groups(found: GroupComparison) -> Table:
    """Return the numbers by group, the limits in brackets."""
    within = f"{stated_percent(found.level)} interval"
    ends = zip(found.groups["low"], found.groups["high"], strict=True)
    texts = label_column(limits("ratio", *each) for each in ends)
    columns = {
        within if name == "high" else name: texts if name == "high" else column
        for name, column in found.groups.columns.items()
        if name != "low"
    }
    note = "intervals by group are those of each group alone"
    return Table(f"Numbers by {found.by}", columns, note)


def _square(found: GroupComparison) -> Table:
    """Return cross AUCs: positives of the group of a row, negatives of that of a column."""
    names = plain_names([*found.counts])
    columns: dict[str, Any] = {"positives of": label_column(names)}
    heads = [ColumnName(name, "ratio", name) for name in names]
    columns |= zip(heads, found.xauc["roc_auc"].reshape(len(names), -1).T, strict=True)
    note = "each xAUC is the share of pairs in which the positive of its row ranks first"
    return Table("xAUC: positives of rows, negatives of columns", columns, note, square=True)


def _charts(found: GroupComparison) -> Iterator[Chart]:
    """Yield the gaps of each number between their limits, and the ROCs of a few groups."""
    level = f"{stated_percent(found.level)} interval"
    for name, tests in _by_number(_largest(found.pairs, MOST_GAPS_DRAWN)).items():
        times, unit = (100, ", points") if name in GROUP_RATES else (1, "")
        of = f"Gap in {GROUP_LABELS[name]}{unit}"
        ends = [(test.low, test.estimate, test.high) for test in tests]
        around = {
            called: tuple(times * (end or 0.0) for end in each)
            for called, each in zip(plain_names([t.name for t in tests]), ends, strict=True)
        }
        title = f"{of}: {next(iter(around))}" if len(around) == 1 else of
        yield from interval_chart(title, around, level, of, references=NO_DIFFERENCE)
    ranked = [(name, counts) for name, counts in found.counts.items() if counts.n1 and counts.n0]
    if TWO <= len(ranked) <= MOST_ROCS:
        yield _rocs(ranked)


def _rocs(groups: Sequence[tuple[str, ScoreCounts]]) -> Chart:
    """Return the ROC of each group."""
    called = plain_names([name for name, _ in groups])
    curves = [roc_curve(counts).simplify(DRAWN_WITHIN) for _, counts in groups]
    lines = [
        Line(curve.x, curve.y, name, model_style(place))
        for place, (name, curve) in enumerate(zip(called, curves, strict=True))
    ]
    return Chart(
        title="ROC by group",
        x=Axis("False positive rate", whole=1),
        y=Axis("True positive rate", whole=1),
        lines=[*lines, reference([0, 1], [0, 1], "Random")],
        corner="lower right",
    )
