"""Comparing scores on the same rows: their AUCs, other numbers, and means over segments."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.counts import JointCounts, JointUplift, JointValues, PartialCounts, SegmentCounts
from capcurve.counts.labels import Labelled, LabelPlan, refuse_labels
from capcurve.curves.shares import require
from capcurve.gate.pds import pds_of
from capcurve.gate.taking import takes_joint_rankings
from capcurve.inference import records, variances
from capcurve.inference.amounts import compared_ratios
from capcurve.inference.designs import Estimates, LeftOut, require_rows
from capcurve.inference.differences import (
    NO_SPREAD_OF_GROUPS,
    Alternative,
    BySigns,
    Question,
    Spread,
    as_contrast,
    ask,
    difference_test,
    quadratic_test,
    spread_along,
)
from capcurve.inference.family import Family
from capcurve.inference.horizon import horizon_estimates
from capcurve.inference.independent import ALL_POSSIBLE, law_of_spread
from capcurve.inference.labels import compared_by_labels
from capcurve.inference.means import (
    SegmentEstimates,
    SegmentNumbers,
    SegmentQuestion,
    mean_estimates,
    mean_interval,
)
from capcurve.inference.net_benefit import ActedOn, benefit_difference, distinct_pairs
from capcurve.inference.paired import EQUAL, RANKED_ALIKE, Comparison, MeansCompared
from capcurve.inference.ranking import default_interval
from capcurve.inference.records import Confidence, Interval, Test
from capcurve.inference.risks import metric_at_coverage
from capcurve.inference.top_share import metric_at_share
from capcurve.inference.trials import trial_estimates
from capcurve.metrics import METRICS, Metric
from capcurve.metrics.areas import OPTION_CHECKS
from capcurve.metrics.calibration import as_threshold
from capcurve.numbers.arguments import arg, as_open_share, as_word, refused, told, word
from capcurve.show.format import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from capcurve.counts import ScoreCounts
    from capcurve.curves.kinds import Errors
    from capcurve.inference.means import SegmentLaw, SegmentWeights
    from capcurve.metrics.depth import Gain
    from capcurve.metrics.retrieval import Ties
    from capcurve.numbers.types import Floats


PairedLaw = Literal["t", "normal"]
# What the metric is told, and what is said of a mean over segments.
METRIC_OPTIONS = ("q", "threshold", "ties", "errors", "coverage", "alpha", "max_q")
MEAN_OPTIONS = ("segments", "weights", "lacking", "k", "gain")
USUAL_MEAN = {"segments": "drawn", "weights": "equal", "lacking": "leave_out"}
# Simulated: without them differences of two judges hold in as few as 86%.
ADDED_LABELS = 2.0
MORE_LABELS = (
    "limits and the p-value count two labels more in each cell, as pure ones show no spread"
)
CELLS_OF_FIRST = (
    "each label stands for other cases with such scores of {}; name the score first that labels "
    "were chosen by"
)
ALL_ALIKE = "the scores rank all cases identically, so nothing differs"
NO_SPREAD_OF_DIFFERENCE = (
    "the sample shows no spread around the difference, so the standard error is that of "
    "Hanley & McNeil half a pair from the end, as if on different rows"
)
NO_SPREAD_ALONG = (
    "the sample shows no spread in a direction that differs, so variances are those of Hanley & "
    "McNeil half a pair from the end, as if on different rows"
)


@takes_joint_rankings
def compare(
    joint: JointCounts | JointValues | JointUplift | SegmentCounts | PartialCounts,
    *,
    contrast: ArrayLike | None = None,
    metric: str = "accuracy_ratio",
    q: float | None = None,
    threshold: float | None = None,
    ties: Ties | None = None,
    errors: Errors | None = None,
    coverage: float | None = None,
    alpha: float | None = None,
    max_q: float | None = None,
    level: float = 0.95,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    law: PairedLaw = "t",
    together: bool = True,
    against: str | None = None,
    segments: SegmentLaw | None = None,
    weights: SegmentWeights | Mapping[Any, float] | None = None,
    lacking: Any = None,
    k: int | None = None,
    gain: Gain | None = None,
    labelled: Labelled | None = None,
) -> Comparison:
    """Compare scores on the same cases: which ranks best, which may, and by how much they differ.

    Every pair is tested, and all together. Of more than two scores the limits and adjusted p-values
    hold for all pairs at once, and so do the ranks that they leave open.

    Parameters
    ----------
    joint
        Two or more scores of the same rows, from `count_joint` or `count_joint_values`, or of one
        trial, from `count_joint_uplift`. With clusters the covariance is that of leaving out groups
        of them in turn. Or, from `count_segments` of several scores, by segment: the mean of the
        metric over segments, any as in `mean_over`, is then compared. Or two scores of
        `count_partial`, where only some cases have a label.
    contrast
        Rows of weights over the scores, each adding up to zero; the overall test is then that
        all rows are zero. All scores equal when left out.
    metric
        "accuracy_ratio", or "roc_auc": differences, standard errors, limits and `margin` are
        then half as large, statistics and p-values the same. Or another metric that tells how far
        each case moves it, or "captured_response" or "lift" with `q`, "selective_risk" with
        `coverage`, or "net_benefit" with `threshold`. Of a trial, and of effect scores, "qini" or
        "autoc". Of "brier_score", "log_loss" and "net_benefit" the scores are PDs.
    q
        The share of cases to select, such as how many can be contacted: each score selects its own
        top share.
    threshold
        The PD from which on one acts, for "net_benefit", in [0, 1).
    ties, errors, coverage, alpha, max_q
        What the metric is told, as its function is: `errors` for "aurc", "alpha" for "bedroc".
    level
        Confidence level of the two-sided limits of the differences, of all pairs at once.
    margin
        The difference that matters, in `metric`, zero or more.
    alternative
        What to show of the first score of a pair against the second: "two-sided" that they
        differ, "superior" that it is better (by more than `margin`), "inferior" that it is
        worse (by more than `margin`), "non-inferior" that it is not worse by `margin`,
        "equivalent" that they differ by less than `margin`.
    law
        "t": Student's, and Hotelling's of several differences, with one degree of freedom less
        than the rarer class has cases (groups of clusters, rows with an amount) or fewer;
        "normal": the normal law and chi-square, as DeLong and R's pROC have them.
    together
        Whether limits hold for all pairs at once. False is for a pair that was named beforehand:
        each pair is then tested as if alone, and nothing is ranked.
    against
        A score that each of the others is compared with, such as today's champion: fewer
        differences, so their limits are narrower. Other pairs are left out, and nothing is ranked.
    segments, weights, lacking, k, gain
        Of counts by segment, as in `mean_over`: left out, segments are "drawn" and count alike.
    labelled
        Where only some cases have a label, how these were chosen, as in `confidence_interval`: each
        then stands for its cell of the first score. Name the score first that they were chosen by.

    Raises
    ------
    ValueError, TypeError
        For fewer than two scores, fewer than two cases in a class, a contrast that does not
        fit, a margin that fits no alternative, an unknown law or score, or weights of unknown kind.

    Notes
    -----
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44; Engelmann, Hayden & Tasche (2003)
    have the same statistic for accuracy ratios. Of K pairs `p_adjusted` is how often chance alone
    gives a smallest p-value of the pair's or less, from the covariance of the scores, and limits
    are of the level at which that is 1 - level: Westfall & Young (1993); Hothorn, Bretz & Westfall
    (2008), Biom. J. 50. So they leave out 0 exactly where `p_adjusted` is at most 1 - level. Of
    net benefit that covariance is not known: it is K times the p-value, at most 1 (Bonferroni).
    Of one-sided alternatives it is at most that of the two-sided test with twice the p-value. Ranks
    are those of Klein, Wright & Wieczorek (2020), JRSS A 183. The normal law rejects equally good
    scores in up to 10% of samples of 5 or 10 positives, at 5%. Scores fitted on these very rows,
    one with all inputs of the other, are compared too cautiously: Demler, Pencina & D'Agostino
    (2012).

    Examples
    --------
    The old score swaps a positive and a negative; with so few cases that shows nothing.

    >>> from capcurve import count_joint
    >>> joint = count_joint(
    ...     [1, 1, 0, 0], {"new": [4, 3, 2, 1], "old": [4, 2, 3, 1]}
    ... )
    >>> found = compare(joint).pairs[0]
    >>> found.name, found.estimate, round(found.se**2, 12)
    ('new minus old', 0.5, 0.5)
    """
    every = locals()
    options = {name: every[name] for name in METRIC_OPTIONS}
    said = {name: every[name] for name in MEAN_OPTIONS if every[name] is not None}
    as_word(law, "law", get_args(PairedLaw), either=True)
    level = as_open_share(level, "level")
    if not isinstance(joint, PartialCounts):
        refuse_labels(labelled)
    if isinstance(joint, SegmentCounts):
        mean = SegmentQuestion.ask(metric, **{**USUAL_MEAN, **said}, **options)
        numbers, names = SegmentNumbers.of(joint, mean), joint.settings["names"]
        question = replace(ask(alternative, margin, "roc_auc", level), metric=mean.name)
        if numbers.question.law == "fixed" and numbers.units == 1 and mean.k is None:
            joint = numbers.counts.at(int(numbers.weights.argmax()))  # the mean is its own number
    else:
        for name in said:
            raise ValueError(f"{arg(name)} is about a mean over segments: pass {arg('by')}")
        question = ask(alternative, margin, metric, level, at_share=True)
        names = joint.names
    if len(names) < 2:  # noqa: PLR2004 - a pair
        raise ValueError("comparing needs at least two scores; count them together")
    asked = PairedQuestion(question, law, contrast, _pairs_of(names, against), _as_flag(together))
    if against is not None and contrast is not None:
        raise ValueError(f"{arg('against')} compares pairs alone; leave {arg('contrast')} out")
    given = None if margin is None else float(margin)
    if isinstance(joint, SegmentCounts):
        found = _over_segments(numbers, names, asked)
    elif isinstance(joint, PartialCounts):
        found = _of_labels(joint, asked, labelled, options)
    else:
        found = _over_all_rows(joint, asked, options)
    return replace(found, margin=given, against=against)


def _over_all_rows(joint: Any, asked: PairedQuestion, options: Mapping[str, Any]) -> Comparison:
    """Return the tests of scores on all rows together, and the interval of each score."""
    question, alone = asked.question, list[Interval]()
    if isinstance(joint, JointUplift) or METRICS[question.metric].compared_at == "trial":
        found = _of_trials(joint, asked, options.values())
    else:
        if not isinstance(joint, JointCounts) and question.metric != "accuracy_ratio":
            raise ValueError(
                f"amounts are compared by {word(metric='accuracy_ratio')}, got {question.metric!r}"
            )
        known, place = _metric_of(question.metric, options)
        if isinstance(joint, JointCounts) and METRICS[question.metric].of_pds:
            instead = f"or give {word(metric='auc')}"
            for name in joint.names:
                pds_of(joint.margin(name), "score", f"leave {told(name)} out, {instead}")
        if "threshold" in place:
            found = _benefits(joint, asked, place["threshold"])
        else:
            own = _interval_alone(joint, question, options)
            seen = variances.unseen if own is None else lambda counts: alone.append(own(counts))
            found = _tested(_estimates(joint, question.metric, known, seen), joint.names, asked)
        found = replace(found, q=place.get("q"), threshold=place.get("threshold"))
    return replace(found, alone=tuple(alone))


def _of_labels(
    partial: PartialCounts, asked: PairedQuestion, labelled: Any, options: Mapping[str, Any]
) -> Comparison:
    """Return the test of two scores of which only some cases have a label."""
    plan, names = LabelPlan.ask(labelled), partial.names
    if len(names) > 2:  # noqa: PLR2004 - a pair
        raise ValueError(
            f"with labels on some cases two scores are compared, and these are {len(names)}"
        )
    ranking = asked.question.metric in get_args(records.RankingMetric)
    if not ranking or any(each is not None for each in options.values()):
        raise ValueError(
            "with labels on some cases accuracy ratios are compared, or AUCs, and these take no "
            "other options"
        )
    if not partial.unknown.n > 0:
        return _over_all_rows(partial.known, asked, options)
    plain = _tested(compared_by_labels(partial, plan), names, asked).overall
    found = _tested(compared_by_labels(partial, plan, ADDED_LABELS), names, asked)
    notes = (*found.overall.notes, MORE_LABELS, CELLS_OF_FIRST.format(names[0]))
    pair = replace(found.overall, se=plain.se, notes=notes)
    return replace(found, pairs=(pair,), overall=pair)


def _over_segments(
    numbers: SegmentNumbers, names: tuple[str, ...], asked: PairedQuestion
) -> Comparison:
    """Return the tests of means over segments, of which each score has the same."""
    if numbers.units == 1 and numbers.question.law == "drawn":
        raise ValueError(
            "one segment says nothing of others; compare the scores without segments, or take "
            f"{word(segments='fixed')}"
        )
    found = mean_estimates(numbers)
    if asked.question.metric == "accuracy_ratio":  # which are tested as AUCs
        moves = tuple(each / 2 for each in found.moves)
        found = replace(found, values=(found.values + 1) / 2, moves=moves)
    if asked.question.metric in get_args(records.RankingMetric):
        found = replace(found, width=None)
    at = Confidence(asked.question.level or 0.95)
    alone = (mean_interval(numbers.of_score(score), at)[0] for score in range(len(names)))
    compared = _tested(found, names, asked)
    means = MeansCompared(
        *(numbers.called, numbers.question.law, numbers.question.weights, len(numbers.used)),
        *(numbers.left_out, numbers.how, numbers.counts.names),
        dict(zip(names, numbers.values, strict=True)),
    )
    return replace(compared, alone=tuple(alone), means=means)


def _pairs_of(names: Sequence[str], against: str | None) -> list[tuple[int, int]]:
    """Return the places of the scores of each pair: all, or each other one and that score."""
    if against is None:
        return [*combinations(range(len(names)), 2)]
    if not isinstance(against, str):
        raise TypeError(f"{refused('against')} be the name of a score, got {told(against)}")
    if against not in names:
        raise ValueError(f"{refused('against')} be one of {listed(names, 8)}, got {told(against)}")
    last = [*names].index(against)
    return [(place, last) for place in range(len(names)) if place != last]


def _as_flag(together: object) -> bool:
    if not isinstance(together, bool | np.bool_):
        raise TypeError(f"{refused('together')} be True or False, got {told(together)}")
    return bool(together)


def _interval_alone(
    joint: Any, question: Question, options: Mapping[str, Any]
) -> Callable[[ScoreCounts], Interval] | None:
    """Return what finds the interval of a score; None where the metric is told an option."""
    metric, level = question.metric, question.level or 0.95
    known = records.influenced(metric)
    told_more = any(each is not None for each in options.values())
    limited = known is not None or metric in get_args(records.RankingMetric)
    if told_more or not limited or not isinstance(joint, JointCounts):
        return None

    def alone(counts: ScoreCounts) -> Interval:
        found = default_interval(counts, metric=known)(Confidence(level))
        return found if metric != "accuracy_ratio" else found.as_ratio(2 * found.estimate - 1)

    return alone


def _of_trials(joint: Any, asked: PairedQuestion, options: Iterable[object]) -> Comparison:
    """Return the tests of scores of one trial, or of effect scores, by the wider of two ways."""
    metric = asked.question.metric
    if METRICS[metric].compared_at != "trial":
        raise ValueError(
            f'scores of a trial are compared by {word(metric="qini")} or "autoc", got {metric!r}'
        )
    if isinstance(joint, JointCounts):
        raise TypeError(f"{metric} is of a trial: count_joint_uplift(y, treatment, scores)")
    if any(given is not None for given in options):
        raise ValueError(f"{word(metric=metric)} takes no {arg('q')} or other options")
    return _tested(max(trial_estimates(joint, metric), key=_widest), joint.names, asked)


def _widest(found: Estimates) -> float:
    """Return the largest variance of a difference of two of the numbers."""
    covariance = found.covariance()
    own = np.diag(covariance)
    return float((own[:, None] + own - 2 * covariance).max())


def _tested(found: Estimates, names: tuple[str, ...], asked: PairedQuestion) -> Comparison:
    """Return the tests of all pairs and the overall one, of estimates."""
    metric = asked.question.metric
    factor, covariance = records.factor_of(metric, or_influenced=True), found.covariance()
    pairs, pair_level = asked.tests(found, names, covariance)
    single = asked.contrast is None and len(names) == 2  # noqa: PLR2004 - a pair
    overall = pairs[0] if single else _overall(found, asked)
    return Comparison(
        names,
        metric,
        tuple(records.in_metric(float(auc), metric) for auc in found.values),
        tuple(map(tuple, (factor**2 * covariance).tolist())),
        pairs,
        overall,
        pair_level=pair_level,
        together=asked.together,
    )


def _benefits(joint: Any, asked: PairedQuestion, threshold: float) -> Comparison:
    """Return the tests of net benefits, with limits that join those of the cases that differ."""
    require(joint, "positives", "negatives")
    require_rows(joint)
    if asked.contrast is not None:
        raise ValueError("net benefits are compared pair by pair; leave contrast= out")
    named = [(joint.names[first], joint.names[second]) for first, second in asked.pairs]
    acted, full = ActedOn.at(joint, threshold), [each for each in joint.groups or () if len(each)]
    groups = [ActedOn.at(each, threshold, groups=True) for each in full]
    pairs, pair_level = asked.answers(
        [benefit_difference(acted, groups, names, threshold) for names in named],
        lambda way, law: f"same rows, {way}, {law}",
        # How they vary together is not known.
        lambda: Family(distinct_pairs(acted, named)),
    )
    return Comparison(
        joint.names,
        "net_benefit",
        tuple(acted.values.values()),
        (),
        pairs,
        min(pairs, key=lambda pair: pair.p_value),
        pair_level=pair_level,
        together=asked.together,
    )


def _metric_of(metric: str, options: Mapping[str, Any]) -> tuple[Metric | None, dict[str, Any]]:
    """Return the metric that is compared, None of the AUC's, and what it is told."""
    known, checks = METRICS[metric], {**OPTION_CHECKS, "q": as_open_share}
    checks["threshold"] = lambda threshold, _: as_threshold(threshold)
    given = {name: value for name, value in options.items() if value is not None}
    for name in given.keys() - {*known.needs, *known.options}:
        raise ValueError(f"{arg(name)} is not used by {word(metric=metric)}; leave it out")
    for name in known.needs:
        if name not in given:
            raise ValueError(f"{word(metric=metric)} needs {arg(name)}")
    given |= {name: checks[name](given[name], name) for name in given.keys() & checks.keys()}
    ways: dict[str, Callable[..., Metric]] = {
        "q": partial(metric_at_share, metric),
        "coverage": metric_at_coverage,
    }
    if way := ways.get(known.compared_at):
        return way(**given), given
    influences = records.influenced(metric)
    return influences and influences.given(**given), given


def _estimates(
    joint: Any, metric: str, known: Metric | None, seen: variances.Seen = variances.unseen
) -> Estimates:
    """Return the AUC of each score, or what is that of amounts: (1 + AR)/2."""
    if isinstance(joint, JointCounts):
        if known is None and joint.times is not None:
            for name in joint.names:
                seen(joint.margin(name))
            return horizon_estimates(joint)
        found = variances.metric_estimates(joint, known, seen)
        if METRICS[metric].compared_at == "q" and joint.groups is None:
            return replace(found, method="influences of a fixed share", of_rows=None)
        return found
    if joint.m < 2:  # noqa: PLR2004 - one row shows no spread
        raise ValueError(f"comparing needs at least two rows with an amount; there is {joint.m}")
    classes = joint.as_classes()
    return compared_ratios(joint) if classes is None else variances.metric_estimates(classes)


@dataclass(frozen=True, slots=True)
class PairedQuestion:
    """Which pairs of scores are tested for what, and whether their limits hold together."""

    question: Question
    law: PairedLaw
    contrast: ArrayLike | None
    pairs: Sequence[tuple[int, int]]
    together: bool = True

    def tests(
        self, found: Estimates, names: Sequence[str], covariance: Floats
    ) -> tuple[tuple[Test, ...], float]:
        """Return the tests of all pairs, and at which level each has limits."""
        several, variances_of = [], found.pair_variances(covariance)
        for places in self.pairs:
            aucs = {names[place]: float(found.values[place]) for place in places}
            variance = float(variances_of[places])
            several.append((aucs, *_difference(found, places, self.law, variance)))
        careful = [spread.careful for _, _, spread in several]
        return self.answers(
            several,
            lambda _, law: found.on_same_rows(law),
            lambda: Family.of_scores(found, self.pairs, careful, covariance),
        )

    def answers(
        self,
        several: Sequence[tuple[Mapping[str, float], float, Spread]],
        method_of: Callable[[str, str], str],
        family: Callable[[], Family],
    ) -> tuple[tuple[Test, ...], float]:
        """Return the tests of differences, whose limits hold together if they are to."""
        question, level = self.question, self.question.level or 0.95
        if self.together and len(several) > 1:
            question = question.of_family(family())
        tests = []
        for values, difference, spread in several:
            method = method_of(spread.method, law_of_spread(spread))
            name = records.LESS.join(values)
            tests.append(difference_test(name, values, difference, spread, question, method))
        return tuple(tests), question.confidence.level if question.confidence else level


def _difference(
    found: Estimates, places: tuple[int, int], law: PairedLaw, variance: float
) -> tuple[float, Spread]:
    """Return the difference of two scores and how it varies, where its variance may be known."""
    if not math.isnan(variance):
        first, second = found.values[[*places]].tolist()
        difference = first - second if abs(first - second) > found.rounding else 0.0
        df = None if law == "normal" else found.freedom()
        return difference, Spread(variance, df, found.method, found.few())
    weights = np.zeros(len(found.values))
    weights[[*places]] = 1.0, -1.0
    note = _without_spread(found, NO_SPREAD_OF_DIFFERENCE)
    difference, spread = spread_along(found, weights.tolist(), note)
    if spread.careful and isinstance(found, SegmentEstimates) and found.segments:
        return difference, BySigns.of(found.segments, found.few())
    if spread.variance == 0:
        spread = replace(spread, notes=(*spread.notes, RANKED_ALIKE))
    return difference, replace(spread, df=None) if law == "normal" else spread


def against(
    joint: JointCounts, first: str, others: Sequence[str], level: float
) -> tuple[Test, ...]:
    """Return the tests of one score against several others, which hold for all at once."""
    question = Question("two-sided", 0.0, "accuracy_ratio", level)
    found, names = _estimates(joint, question.metric, None), joint.names
    places = [(names.index(first), names.index(each)) for each in others]
    return PairedQuestion(question, "t", None, places).tests(found, names, found.covariance())[0]


def _without_spread(found: Estimates, alone: str) -> str:
    """Return what to note where a sample shows no spread."""
    if found.width is not None:
        return ALL_POSSIBLE
    return NO_SPREAD_OF_GROUPS if isinstance(found, LeftOut) else alone


def _overall(found: Estimates, asked: PairedQuestion) -> Test:
    """Return the test that all scores are equal, or every row of the contrast zero."""
    contrast, metric = asked.contrast, asked.question.metric
    quadratic = quadratic_test(
        found, as_contrast(contrast, len(found.values)), normal=asked.law == "normal"
    )
    notes: tuple[str, ...] = ()
    if not quadratic.spreads:
        notes = (_without_spread(found, NO_SPREAD_ALONG),)
    elif not quadratic.rank:
        notes = (ALL_ALIKE,)
    factor = records.factor_of(metric, or_influenced=True)
    return Test(
        name=EQUAL if contrast is None else "all contrasts zero",
        statistic=quadratic.statistic,
        p_value=quadratic.p_value,
        method=found.on_same_rows(quadratic.law),
        df=float(quadratic.rank),
        metric=metric,
        estimates={f"row {i + 1}": factor * float(e) for i, e in enumerate(quadratic.effects)},
        notes=notes,
    )
