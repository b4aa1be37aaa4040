"""compare_groups: how one score ranks and selects in each group of cases, and the gaps between."""

from __future__ import annotations

from collections import Counter
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
    gaps_tested,
    pairs_of,
)
from capcurve.inference.paired import (
    chance_of,
    columns_of_tests,
    gap_within,
    is_shown,
    own_or_adjusted,
)
from capcurve.inference.records import REPLICATES, as_metric
from capcurve.metrics import METRICS
from capcurve.metrics.between import xauc
from capcurve.numbers.arguments import arg, as_open_share, as_share
from capcurve.numbers.meeting import selected_at
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
from capcurve.show.presentation import Finding, Presentation, as_sentences
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column, labelled
from capcurve.tables.thresholds import as_shown, nearest_point

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.inference import Test
    from capcurve.inference.designs import Seed

TWO, FEW_IN_A_CLASS = 2, 10
# Of more groups the largest gaps are shown, and neither a square of them nor their ROCs.
MOST_GROUPS_SHOWN, LARGEST_SHOWN, MOST_GAPS_DRAWN, MOST_ROCS = 12, 5, 15, 6
DRAWN_WITHIN = 5e-4  # how far an ROC may be from its points when it is drawn
GROUP_LABELS = {name: METRICS[name].short for name in GROUP_AREAS} | {
    "captured_response": "captured response",
    "false_positive_rate": "false positive rate",
    XAUC: "xAUC",
}
# What is said of a number of two groups; of areas they are listed.
OF_TWO_GROUPS = {
    "captured_response": "{one} of the positives are captured among {first}, {other} among "
    "{second}",
    "false_positive_rate": "the false positive rate is {one} among {first} and {other} among "
    "{second}",
    XAUC: "positives of {first} rank above negatives of {second} in {one} of pairs, those of "
    "{second} above negatives of {first} in {other} (xAUC)",
}


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
    by, threshold, level
        What the groups are, the cut-off or None, and the confidence level of all limits together.
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
        numbers = ("estimate", "se", "low", "high", "p_value", "p_adjusted")
        columns = {
            "number": label_column(test.metric for test in self.pairs),
            "gap": label_column(test.name for test in self.pairs),
            **columns_of_tests(self.pairs, numbers),
        }
        shown = formed(columns, text="number gap", ratio="estimate low high", fine="se")
        return Table("gaps", shown)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return self.table.values()

    def presentation(self) -> Presentation:
        """Return what the comparison shows: gaps that are shown, each group, xAUC and ABROCA."""
        square = [_square(self)] if len(self.counts) <= MOST_GROUPS_SHOWN else []
        also = [*square, _shown_areas(self)] if len(self.abroca) else square
        return Presentation(
            title=f"{capitalised(self.by)}: gaps between {counted(len(self.counts), 'group')}",
            sentences=tuple(_sentences(self)),
            findings=self.findings,
            charts=_charts(self),
            tables=(_gaps_table(self), _shown_groups(self), *also),
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
        q = as_share(q, "q", some=True)
        if threshold is not None:
            raise ValueError(f"{arg('threshold')} and {arg('q')} both say where to cut; give one")
        threshold = nearest_point(ScoreCounts.merge(given.values()), q)[1].threshold
    names = _names(given)
    groups = {
        key: Group(names[key], counts, selected_at(counts, threshold) if cut else None)
        for key, counts in given.items()
    }
    several, pairs = [*groups.values()], pairs_of(groups, against)
    gaps = [Gap(number, *pair) for number in asked for pair in pairs]
    tests, pair_level = gaps_tested([gap for gap in gaps if not gap.why_not], level)
    areas, why = areas_of_pairs(pairs, replicates, seed)
    found = GroupComparison(
        groups=_by_group(several, next((n for n in asked if n in GROUP_AREAS), metric), level),
        pairs=tests,
        pair_level=pair_level,
        xauc=_crossed(several),
        abroca=_areas(areas),
        by=by,
        threshold=threshold,
        level=level,
        findings=tuple(_findings(groups, tests)),
        counts={str(group.name): group.counts for group in several},
        q=q,
    )
    return replace(found, notes=tuple(_notes(found, gaps, why)))


def _names(groups: Mapping[Any, ScoreCounts]) -> dict[Any, Any]:
    """Return what each group is called; those that read alike, as 1 and "1", with their quotes."""
    named = {key: plain(segment_name(key)) for key in groups}
    often = Counter(map(str, named.values()))
    named = {key: name if often[str(name)] == 1 else repr(key) for key, name in named.items()}
    whole = (isinstance(name, float) and name.is_integer() for name in named.values())
    both = zip(named.items(), whole, strict=True)
    return {key: int(name) if is_whole else name for (key, name), is_whole in both}


def _held(segments: Mapping[Any, Any]) -> dict[Any, ScoreCounts]:
    """Return counts of positives and negatives of at least two groups, counted alike."""
    names = {key: str(segment_name(key)) for key in segments}
    for key, counts in segments.items():
        if not isinstance(counts, ScoreCounts | RankTotals) or counts.times is not None:
            timed = isinstance(counts, ScoreCounts)
            raise TypeError(
                f"compare_groups is of positives and negatives only, and group {names[key]} has "
                f"{'counts at a horizon' if timed else type(counts).__name__}"
            )
    if len(segments) < TWO:
        there = f"there is 1 ({', '.join(names.values())})" if segments else "there are 0"
        raise ValueError(f"comparing groups needs at least two groups; {there}")
    held = {key: counts.every_score() for key, counts in segments.items()}
    refuse_unlike([*held.values()], [f"group {name}" for name in names.values()])
    return held


def _by_group(groups: Sequence[Group], metric: str, level: float) -> Table:
    """Return a row for each group, NaN where a number is undefined."""
    rows = [_row(group, metric, level) for group in groups]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    names = {"group": label_column(group.name for group in groups)}
    heads = {"prevalence": "prevalence", "captured_response": "captured"}
    heads["false_positive_rate"] = "FPR"
    forms = {"name": "group", "ratio": "low high", "share": " ".join(heads)}
    return Table("groups", formed(names | columns, heads, **forms))


def _row(group: Group, metric: str, level: float) -> dict[str, float]:
    """Return the numbers of a group."""
    counts, ranked = group.counts, min(group.rows) > 0
    within = interval_or_none(counts, metric, level=level) if ranked else None
    row = {"n": counts.n, "positives": counts.n1, "prevalence": _part(counts.n1, counts.n)}
    row[metric] = METRICS[metric].value(counts) if ranked else np.nan
    row["low"], row["high"] = within.limits if within else (np.nan, np.nan)
    if group.selects is not None:
        tp, fp = (group.selected(side) for side in GROUP_RATES.values())
        row["selected"] = _part(tp + fp, counts.n)
        row |= dict(zip(GROUP_RATES, (_part(tp, counts.n1), _part(fp, counts.n0)), strict=True))
        row["precision"] = _part(tp, tp + fp)
    return row


def _part(some: float, whole: float) -> float:
    """Return a share, NaN of nothing."""
    return some / whole if whole else np.nan


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


def _areas(found: Sequence[tuple[Any, ...]]) -> Table:
    """Return ABROCA of pairs beside what chance gives."""
    pairs, (first, second) = len(found), ([row[place] for row in found] for place in (0, 1))
    columns = {"first": label_column(first), "second": label_column(second)}
    numbers = np.array([row[2:] for row in found], dtype=np.float64).reshape(pairs, 3)
    columns |= dict(zip(("abroca", "by_chance", "p_value"), numbers.T, strict=True))
    if pairs > 1:
        columns["p_adjusted"] = np.clip(pairs * numbers[:, 2], 0.0, 1.0)
    heads = {"abroca": "ABROCA", "p_value": "p", "p_adjusted": f"p ({pairs} pairs)"}
    forms = {"name": "first second", "ratio": "abroca by_chance", "p": "p_value p_adjusted"}
    return Table("abroca", formed(columns, heads, **forms))


def _findings(groups: Mapping[Any, Group], tests: Sequence[Test]) -> Iterator[Finding]:
    """Yield what there is to know about the groups."""
    small: dict[Any, str] = {}
    for group in groups.values():
        sizes = dict(zip(BOTH_CLASSES, group.rows, strict=True))
        lacking = [f"no {name}" for name, rows in sizes.items() if not rows]
        few = [counted(n, name[:-1]) for name, n in sizes.items() if 0 < n < FEW_IN_A_CLASS]
        if lacking:
            advice = "what needs them is missing there; its other numbers are compared"
            said = f"{group.name} has {' and '.join(lacking)}"
            yield Finding("lacks_class", "warning", said, advice)
        if few:
            small[group.name] = f"{group.name} has {' and '.join(few)}"
    advice = "limits are wide there; pool periods or wait for more cases"
    if len(small) > LARGEST_SHOWN:
        said = f"{len(small)} groups have fewer than {FEW_IN_A_CLASS} positives or negatives"
        said = f"{said}: {listed(map(str, small), LARGEST_SHOWN)}"
        yield Finding("few_cases", "info", said, advice)
    else:
        yield from (Finding("few_cases", "info", said, advice) for said in small.values())
    if None in groups:
        said = f"{counted(sum(groups[None].rows), 'row')} without a group are a group of their own"
        advice = "complete the column of the groups, or leave these rows out"
        yield Finding("no_group", "info", said, advice)
    ranked = {test.name: is_shown(test) for test in tests if test.metric in GROUP_AREAS}
    for test in tests:
        if test.metric == XAUC and is_shown(test) and ranked.get(test.name) is False:
            first, second = test.estimates
            lower = second if gap_within(test)[1] > 0 else first
            said = f"scores of {lower} rank lower given the outcome ({test.name})"
            advice = "inside each group ranking is not shown to differ; compare the levels"
            yield Finding("levels_differ", "info", said, advice)


def _texts(test: Test) -> tuple[str, str]:
    """Return a gap and its limits, rates in points, with digits that tell them from 0."""
    times, decimals, unit = (100, 1, " points") if test.metric in GROUP_RATES else (1, 3, "")
    low, gap, high = (told_apart(times * end, 0, decimals, signed) for end in gap_within(test))
    return f"{gap}{unit}", f"[{low}, {high}]"


def _by_number(tests: Sequence[Test]) -> dict[str, list[Test]]:
    """Return the gaps of each number."""
    found: dict[str, list[Test]] = {}
    for test in tests:
        found.setdefault(test.metric or "", []).append(test)
    return found


def _sentences(found: GroupComparison) -> Iterator[str]:
    """Yield what is shown of each number, how large gaps may be, and ABROCA."""
    groups, several = counted(len(found.counts), "group"), _by_number(found.pairs)
    shown, (first, tests) = any(map(is_shown, found.pairs)), next(iter(several.items()), ("", []))
    most = max((abs(end) for test in tests for end in gap_within(test)), default=0.0)
    rate = first in GROUP_RATES
    largest = f"{told_apart(100 * most, 0, 1)} points" if rate else told_apart(most, 0)
    if not several:
        yield f"No gap between {groups} can be tested: too few cases of a class are in them."
    elif not shown:
        yield (
            f"No gap between {groups} is shown; differences in {GROUP_LABELS[first]} up to "
            f"{largest} are compatible with these cases."
        )
    family = f" ({counted(len(found.pairs), 'gap')})" if len(found.pairs) > 1 else ""
    cut = _at_cutoff(found)
    for name, tests in several.items():
        said, gap = _said_of(tests, two=len(found.counts) == TWO, some=shown)
        rate = name in GROUP_RATES
        head = cut if rate else ""
        if head and said.startswith(GROUP_LABELS[name]):
            head = f"{head.rstrip()}, "
        yield capitalised(f"{head}{said}{gap}{family if gap else ''}.")
        family, cut = "" if gap else family, "" if rate else cut
    if shown:
        label = GROUP_LABELS[first]
        yield f"The largest difference in {label} that these limits allow is {largest}."
    if len(found.abroca) and not np.isnan(found.abroca["p_value"]).all():
        yield _about_areas(found.abroca)


def _said_of(tests: Sequence[Test], *, two: bool, some: bool) -> tuple[str, str]:
    """Return a number of each group, and the gap, of several groups the largest that is shown."""
    # `some` is whether any gap of any number is shown.
    name, shown = tests[0].metric or "", [test for test in tests if is_shown(test)]
    write = percent if name in GROUP_RATES else number
    values = {group: write(v) for test in tests for group, v in test.estimates.items()}
    # Names that begin with a digit or have a comma are in brackets.
    each = [
        f"{v} {f'({group})' if group[:1].isdigit() or ',' in group else group}"
        for group, v in values.items()
    ]
    said, top = [f"{GROUP_LABELS[name]} by group: {listed(each, MOST_ROCS)}"], tests[0]
    if two and name in OF_TWO_GROUPS:
        (first, one), (second, other) = values.items()
        said = [OF_TWO_GROUPS[name].format(first=first, one=one, second=second, other=other)]
    elif two:
        # Names that are a letter stay as they are typed.
        said.append(capitalised(top.name) if top.name.split()[0][1:] else top.name)
    else:
        said = [] if name == XAUC else said
        many = f"{len(tests)} gaps in {GROUP_LABELS[name]}"
        only = f"The gap in {GROUP_LABELS[name]} is" if len(tests) == 1 else ""
        if not shown:
            none = [f"{only} not shown" if only else f"None of {many} is shown"]
            none = none if some or not said else []
            return ". ".join([*said, *none]), ""
        top = max(shown, key=lambda test: abs(gap_within(test)[1]))
        largest = " is shown" if len(shown) == 1 else " are shown, the largest"
        said.append(f"{only} shown" if only else f"{len(shown)} of {many}{largest}")
    gap = f"{' '.join(_texts(top))}, {chance_of(top)}"
    return f"{'. '.join(said)}: ", gap if two else f"{top.name} {gap}"


def _at_cutoff(found: GroupComparison) -> str:
    """Return at which cut-off cases are selected, as a sentence begins; nothing without one."""
    if found.threshold is None:
        return ""
    counts = next(iter(found.counts.values()))
    if counts.levels is not None:
        return f"down to grade {_cutoff(found)} "
    return f"at {_cutoff(found)} and {'above' if counts.higher_is == 'positive' else 'below'} "


def _cutoff(found: GroupComparison) -> str:
    """Return the cut-off as text; one that was sought as short as selects the same cases."""
    if found.q is None:
        return cutoff_text(found.threshold)
    return cutoff_text(as_shown(ScoreCounts.merge(found.counts.values()), found.threshold))


def _about_areas(table: Table) -> str:
    """Return the ABROCA, or the largest of several, beside what chance gives."""
    top = max(table.rows(), key=lambda row: row["abroca"])
    both, chance = f"{top['first']} and {top['second']}", chance_text(top["p_value"])
    head = "ABROCA"
    if len(table) > 1:
        head = f"The largest ABROCA, of {both}, is"
        chance = f"{chance_text(top['p_adjusted'])}, {len(table)} pairs"
    return (
        f"{head} {number(top['abroca'])}; where {both} have one law of scores given the outcome, "
        f"chance alone gives {number(top['by_chance'])} on average ({chance})."
    )


def _notes(found: GroupComparison, gaps: Sequence[Gap], why: str) -> Iterator[str]:
    """Yield which gaps limits allow for, how numbers were found, and what is left out."""
    if len(found.pairs) > 1:
        yield (
            f"Limits and p-values allow for all {len(found.pairs):,} gaps: in "
            f"{stated_percent(found.level)} of samples all hold together (each alone is at "
            f"{percent(found.pair_level, 2)})."
        )
    if found.threshold is not None:
        yield "The cut-off is the same for all groups, and is taken as fixed."
        yield "Precision and the share selected also depend on the prevalence of a group."
    if found.q is not None:
        selected = found.groups["selected"] @ found.groups["n"] / found.groups["n"].sum()
        yield (
            f"The cut-off {_cutoff(found)} selects {percent(selected)} of all cases, as near to "
            f"{stated_percent(found.q)} as whole groups of tied scores come."
        )
    left_out: dict[str, dict[str, None]] = {}
    for gap in gaps:
        if gap.why_not:
            left_out.setdefault(gap.number, {})[gap.why_not] = None
    for name, reasons in left_out.items():
        yield f"Gaps in {GROUP_LABELS[name]} are left out: {listed(reasons, LARGEST_SHOWN)}."
    if not all(map(is_shown, found.pairs)):
        yield "Groups that are not shown to differ are not shown to be alike."
    yield (
        "Gaps in AR, AUC and xAUC have the joined limits of both samples (MOVER), gaps in rates "
        "those of Newcombe; where rows are clustered, groups of clusters are left out of all at "
        "once."
    )
    yield from as_sentences(dict.fromkeys(note for test in found.pairs for note in test.notes))
    if not len(found.abroca):
        return
    yield why or (
        "ABROCA is the area between two ROCs. What chance gives is its mean where labels of both "
        "groups are dealt anew within each outcome, and p how often that is as much."
    )


def _gaps_table(found: GroupComparison) -> Table:
    """Return the gaps as people read them; of many groups the largest of each number."""
    every, many = len(found.pairs), len(found.counts) > MOST_GROUPS_SHOWN
    tests = _largest(found.pairs, LARGEST_SHOWN) if many else found.pairs
    for_all = " (all gaps)" if every > 1 else ""
    within, gaps = f"{stated_percent(found.level)} interval{for_all}", [*map(_texts, tests)]
    columns = {
        "number": [GROUP_LABELS[test.metric or ""] for test in tests],
        "gap": [test.name for test in tests],
        "difference": [gap for gap, _ in gaps],
        within: [limited for _, limited in gaps],
        "p alone" if for_all else "p": [bare_chance(test.p_value) for test in tests],
    }
    if for_all:
        columns[f"p{for_all}"] = [bare_chance(own_or_adjusted(t), 1 - found.level) for t in tests]
    said = f"the {LARGEST_SHOWN} largest gaps of each number, of {every} gaps in all"
    return labelled("Gaps between groups", columns, said if every > len(tests) else None)


def _largest(tests: Sequence[Test], most: int) -> list[Test]:
    """Return the gaps of each number, of many the largest."""
    found: list[Test] = []
    for each in _by_number(tests).values():
        if len(each) > most:
            each.sort(key=lambda test: -abs(gap_within(test)[1]))
        found += each[:most]
    return found


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


def _shown_areas(found: GroupComparison) -> Table:
    """Return ABROCA beside what chance gives, of many groups the largest."""
    table = replace(found.abroca, name="ABROCA, beside what chance gives")
    if len(found.counts) <= MOST_GROUPS_SHOWN:
        return table
    largest = np.argsort(-table["abroca"], kind="stable")[:LARGEST_SHOWN]
    columns = {name: column[largest] for name, column in table.columns.items()}
    return replace(table, columns=columns, note=f"the {LARGEST_SHOWN} largest of {len(table):,}")


def _square(found: GroupComparison) -> Table:
    """Return cross AUCs: positives of the group of a row, negatives of that of a column."""
    names = plain_names([*found.counts])
    columns: dict[str, Any] = {"positives of": label_column(names)}
    heads = [ColumnName(name, "ratio", name) for name in names]
    columns |= zip(heads, found.xauc["roc_auc"].reshape(len(names), -1).T, strict=True)
    note = "each xAUC is the share of pairs in which the positive of its row ranks first"
    return Table("xAUC: positives of rows, negatives of columns", columns, note, square=True)


def _charts(found: GroupComparison) -> tuple[Chart, ...]:
    """Return the gaps of each number between their limits, and behind the first ones the ROCs."""
    level, gaps = f"{stated_percent(found.level)} interval", list[Chart]()
    for name, tests in _by_number(_largest(found.pairs, MOST_GAPS_DRAWN)).items():
        times, unit = (100, ", points") if name in GROUP_RATES else (1, "")
        of, called = f"Gap in {GROUP_LABELS[name]}{unit}", plain_names([t.name for t in tests])
        around = {
            gap: tuple(times * end for end in gap_within(test))
            for gap, test in zip(called, tests, strict=True)
        }
        title = f"{of}: {called[0]}" if len(called) == 1 else of
        gaps += interval_chart(title, around, level, of, references=NO_DIFFERENCE)
    return *gaps[:1], *_rocs(found.counts), *gaps[1:]


def _rocs(groups: Mapping[str, ScoreCounts]) -> Iterator[Chart]:
    """Yield the ROC of each group, of a few groups."""
    ranked = {name: counts for name, counts in groups.items() if counts.n1 and counts.n0}
    if not TWO <= len(ranked) <= MOST_ROCS:
        return
    curves = [roc_curve(counts).simplify(DRAWN_WITHIN) for counts in ranked.values()]
    lines = [
        Line(curve.x, curve.y, name, model_style(place))
        for place, (name, curve) in enumerate(zip(plain_names([*ranked]), curves, strict=True))
    ]
    yield Chart(
        title="ROC by group",
        x=Axis("False positive rate", whole=1),
        y=Axis("True positive rate", whole=1),
        lines=[*lines, reference([0, 1], [0, 1], "Random")],
        corner="lower right",
    )
