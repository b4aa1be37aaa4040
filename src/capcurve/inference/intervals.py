"""Any headline number with the range that chance leaves it: confidence_interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from capcurve import metrics
from capcurve.counts import PartialCounts
from capcurve.counts.labels import LabelPlan, refuse_labels
from capcurve.counts.rank_totals import Ranking
from capcurve.gate.given import is_amounts
from capcurve.gate.pds import counts_by_pd
from capcurve.gate.taking import takes_rankings_or_labels
from capcurve.inference.amount_limits import RISKS, amounts_interval, best_profit_interval
from capcurve.inference.calibration import ratio_interval
from capcurve.inference.designs import as_money, check_replicates, require_rows
from capcurve.inference.horizon import incidence_interval
from capcurve.inference.influence_limits import influences_interval
from capcurve.inference.labels import (
    OF_KINDS,
    RankingAsked,
    Target,
    interval_of_labels,
    kappa_interval,
)
from capcurve.inference.maxima import ks_interval, partial_auc_interval
from capcurve.inference.net_benefit import net_benefit_interval
from capcurve.inference.ranking import auc_interval
from capcurve.inference.records import (
    Confidence,
    Interval,
    IntervalRequest,
    RankingMetric,
    Side,
    Unseen,
    influenced,
)
from capcurve.inference.risks import risk_interval, saved_interval
from capcurve.inference.selections import (
    cutoff_interval,
    of_negatives,
    prevalence_interval,
    share_interval,
)
from capcurve.inference.targeting import trial_profit_interval
from capcurve.inference.trials import trial_interval
from capcurve.metrics import areas
from capcurve.metrics.depth import DEPTH_METRICS, as_depth, share_selected, with_depth
from capcurve.metrics.registry import Metrics
from capcurve.numbers.arguments import arg, as_name, as_open_share, as_share, as_word, told
from capcurve.numbers.threads import shared_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capcurve.counts import Amounts, UpliftCounts
    from capcurve.counts.labels import Labelled
    from capcurve.curves.kinds import Errors
    from capcurve.inference.variances import Variance
    from capcurve.metrics.calibration import Versus
    from capcurve.metrics.retrieval import Ties

RATES_OF_NEGATIVES = ("specificity", "false_positive_rate")
OF_A_SELECTION = ("captured_response", "lift", "precision", *RATES_OF_NEGATIVES)
# The metrics that have limits only as means over segments.
IN_MEANS = Metrics(DEPTH_METRICS)
# The metrics whose limits are found in ways of their own, in the order in which they are named.
INTERVAL_NAMES = (
    *("accuracy_ratio", "roc_auc", *OF_A_SELECTION, "ks", "partial_auc"),
    *("profit", "concentration_index", "mean_amount", "prevalence", "kappa"),
    *("observed_to_expected", "net_benefit"),
    *("selective_risk", "work_saved_over_sampling"),
)
BOOTSTRAPS = {"replicates", "seed"}
# The methods that allow for cases of a kind of which the sample has none.
ALLOWING = {"envelope", "profile", "jackknife"}
IGNORED = (
    "the rows are clustered, and method={!r} treats them as independent: the intervals are too "
    'narrow; method="jackknife" leaves out whole clusters'
)


@takes_rankings_or_labels
@shared_threads()
def confidence_interval(
    counts: Ranking | Amounts | UpliftCounts | PartialCounts,
    metric: str | Callable[..., Any],
    *,
    variance: Variance = "delong",
    unseen: Unseen | None = None,
    method: str | None = None,
    level: float = 0.95,
    side: Side = "both",
    q: float | None = None,
    k: int | None = None,
    threshold: Any = None,
    max_fpr: float | None = None,
    value: float | None = None,
    cost: float | None = None,
    prevalence: float | None = None,
    ties: Ties = "expected",
    pd: Any = "score",
    versus: Versus = "none",
    standardized: bool = False,
    errors: Errors = "positives",
    coverage: float | None = None,
    captured: float = 0.95,
    alpha: float = 20.0,
    max_q: float | None = None,
    replicates: int | None = None,
    seed: Any = None,
    labelled: Labelled | None = None,
    of: Target = "population",
) -> Interval:
    """Return the confidence interval of a metric, such as the accuracy ratio, KS or lift.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`; of a trial that
        of `count_uplift`, or of `count_values` on effect scores; where only some cases have a label
        that of `count_partial`.
    metric
        "accuracy_ratio" (or "ar", "gini", "prr"), "roc_auc" (or "auc"), "captured_response" (or
        "captured", "recall", "sensitivity", "tpr"), "specificity", "false_positive_rate" (or
        "fpr"), "lift" (or "ef", "enrichment_factor"), "precision", "prevalence", "ks",
        "partial_auc", "profit" (of the best cut-off), "selective_risk",
        "work_saved_over_sampling", another metric that tells how far each case moves it, or the
        function of that name. Of amounts: "accuracy_ratio", "concentration_index",
        "captured_response", "lift", "mean_amount", "profit", "aurc", "excess_aurc", "augrc",
        "selective_risk". Of a trial, and of effect scores: "qini", "auuc", "autoc" and "uplift".
        "recall@50" is the captured response with k=50.
    variance
        For AR and AUC: "delong", "ij" or "hanley_mcneil".
    unseen
        What the limits of areas allow for cases of a kind of which the sample has none: "worst",
        that such cases are ranked last; "none", nothing. Left out, what Notes say.
    method
        One of the metric's, the first if left out; Notes say what each does.

        ===================== =================================================================
        metric                method
        ===================== =================================================================
        AR, AUC               "envelope", "logit_t", "logit", "wald", "newcombe", "bootstrap"
        at a share q          "profile", "logit", "wald", "bootstrap"
        at a threshold        "envelope", "wilson", "mid_p", "clopper_pearson", "jeffreys"
        prevalence            the same
        lift at a threshold   "mover", "log_delta"
        KS                    "hybrid", "bootstrap"
        partial AUC           "profile", "bootstrap"
        profit                "multiplier_bootstrap"
        observed to expected  "jeffreys", of the rate over the mean PD
        net benefit           "mover"
        selective risk        "envelope", "wald"
        work saved            "profile"
        any other             "envelope", "logit_t", "wald", "bootstrap"
        AR of amounts         "envelope", "wald", "fisher", "bootstrap"; so the concentration index
        shares of amounts     "envelope", "wald", "logit", "bootstrap"
        mean amount           "envelope", "wald", "log", "bootstrap"
        AURC, risk of amounts "envelope", "wald", "log"; so the excess AURC and AUGRC
        profit of amounts     "multiplier_bootstrap"
        any, with clusters    "jackknife"; others treat the rows as independent, and notes say so
        kappa                 "fisher"
        at a horizon          as elsewhere; prevalence and observed to expected also "wald"
        of a trial            "envelope", "wald"
        ===================== =================================================================
    level
        Confidence level, in (0, 1).
    side
        "both", "lower" for a lower limit only, "upper" for an upper one.
    q
        Which share of all cases is selected, in another sample too: its cut-off then moves.
    k
        In place of q the number of cases; of another sample the same share.
    threshold
        Which score is the cut-off, in another sample too: the share it selects then moves.
    max_fpr
        Where the partial AUC stops.
    value, cost
        What a captured positive brings and what selecting a case costs.
    prevalence
        At a share q, and for the average precision: re-weight the classes to a population in
        which this share is positive.
    ties
        For the average precision, as there: "expected" or "threshold".
    pd
        For metrics of PDs, such as the Brier score: the PDs, as there.
    versus, standardized
        For the net benefit, as there.
    errors, coverage
        For AURC, AUARC, AUGRC and the selective risk, as there.
    captured
        For the work saved over sampling, as there.
    alpha, max_q
        For RIE and BEDROC, and for the partial accuracy ratio, as there.
    replicates, seed
        How many samples the bootstrap draws, 2,000 when left out; the same whole number as seed
        gives the same interval, and so does none. The hybrid limits of KS draw 500 when left out,
        to find how far to lower the lower one.
    labelled, of
        Where only some cases have a label: how these were chosen, "at random" or "by score" (as
        likely as any other case of its score), and whether the number is that of these "cases" or
        of the "population" that they are drawn from. There are AR, AUC, prevalence, kappa with
        `threshold`, captured response, lift and precision with either cut-off.

    Returns
    -------
    Interval
        Within the range of the metric. Where a method has no answer (an AUC of 0 or 1, one
        positive, nothing captured) another one stands in, and `method` and `notes` say so. With
        method="bootstrap" its `replicates` hold the metric in each sample.

    Raises
    ------
    ValueError
        When a class is missing, an option is unknown or not used by this metric and method,
        or it is not known what one case is: weights without a `weight_kind`, fractions.

    Notes
    -----
    Of AR and AUC, "logit_t" has Student's t with Satterthwaite's degrees of freedom; with weights
    it is moved out by what unseen heavy cases could do. Their "envelope" joins logit_t with one
    more degree of freedom and the AUCs that lie as many of their own standard errors away, which
    are Hanley & McNeil's the more, the fewer cases show how the scores vary. "bootstrap" takes
    percentiles.

    Limits of AR, AUC and partial AUC allow for a kind of cases of which none was seen: limits of
    two sides for one that ranks at random, one-sided ones, as certificates, for one ranked last,
    so large that samples lack it 1.5 times as often as the limit may miss. With unseen="worst" it
    is ranked last and as large as none of n cases allows, 1 - tail^(1/n), a fifth at most: the
    lower limit is then no higher than A·tail^(1/n). Where that decides, a note gives the number.

    "profile" holds what is not too unlikely at some place of the cut-off; inside a large grade it
    joins "logit" and "wald". At a threshold "envelope" joins "wilson" and "mid_p"; "mover" joins
    the limits of three rates.

    Of any other metric "envelope" joins "logit_t" (on the scale of the log odds between the ends of
    its range, or of the logarithm above its lower end) and "wald", with at least five degrees of
    freedom, moved out by a kind of cases that was not seen, and by the limits of a rate where next
    to nothing is won or lost; of the average precision, lower limits also around the one without
    the case itself. Such a kind ranks at random; in one-sided limits, and of "aurc", "excess_aurc"
    and "auarc", last, and then it may be missed 1.25 times as often as both limits. Of a
    selective risk it is Clopper-Pearson, moved out by what chance does to the cut-off. Of amounts
    it joins "wald" and "fisher" (symmetric on the scale of the inverse hyperbolic tangent), "logit"
    or "log", moved out by what unseen rows could do. "jackknife" leaves out groups of clusters in
    turn.

    DeLong et al. (1988); Newcombe (2006), Stat. Med. 25; Perme & Manevski (2019); Jiang & Zhao
    (2015), JASA 110; Claeskens et al. (2003), Can. J. Stat. 31. Defaults were chosen by simulated
    coverage.

    At a horizon (`TimeCounts.at`) limits are those of sampling weights, which take the weights as
    known. Those of AR, AUC, the prevalence, which is the incidence, and observed to expected allow
    for the censoring that is estimated from the same rows (Blanche, Dartigues & Jacqmin-Gadda 2013,
    Stat. Med. 32), by groups of clusters without each; those of the incidence are of as many rows
    as would vary as Greenwood has it. Standard errors of the AUC are .04 to .5% wider than those of
    riskRegression's `Score`, as each class has the variance of its rows less one, n/(n - 1).

    Of a trial limits are symmetric about the number, by the influences of rows that are drawn and
    fall into arms by chance, with Student's t (Welch). "envelope" joins for the uplift of yes/no
    outcomes Newcombe's (1998) limits of two rates; for the AUTOC both take the wider of its own
    influences and those of the AUTOC of effect scores.

    Of amounts the influences are those of Frees, Meyers & Cummings (2011), JASA 106, and Kakwani et
    al. (1997), J. Econometrics 77, with each row in the middle of its score; limits have Student's
    t with at most one degree of freedom less than the effective number of rows with an amount,
    (Σa)²/Σa². Amounts that are all of one size have the intervals of two classes.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> found = confidence_interval(counts, "roc_auc", method="wald")
    >>> found.estimate, round(found.se**2, 12), round(found.low, 4), found.high
    (0.75, 0.125, 0.057, 1.0)
    >>> found.notes[-1]
    'the upper limit of the AUC was 1.443; cut off at 1'
    """
    # Of the options that have defaults, which the signature alone declares.
    given = {option: asked for option, asked in locals().items() if option in DEFAULTS}
    if replicates is not None:
        check_replicates(replicates)
    for option, check in INTERVAL_CHECKS.items():
        if given[option] is not None:
            given[option] = check(given[option], option)
    metric, given["k"] = with_depth(metric, given["k"])
    confidence = Confidence(level, side).one_sided()
    if isinstance(counts, PartialCounts):
        given |= {"method": method, "pd": pd}
        return _of_labels(counts, metric, labelled, of, confidence, given)
    refuse_labels(labelled, of)
    name = _name_of(metric, counts)
    if method == "jackknife" and counts.groups is None:
        raise ValueError(
            'method="jackknife" leaves out groups of clusters; count the rows with cluster='
        )
    if metrics.METRICS[name].of_pds:
        counts = counts_by_pd(cast("Ranking", counts), pd)
    elif not isinstance(pd, str) or pd != "score":
        raise ValueError(f"pd= is not used by {name}")
    return _interval(IntervalRequest(counts, name, method, confidence, given))


# What every interval takes; all other options are of some metrics and methods.
OF_ALL = {"method", "level", "side", "pd", "labelled", "of"}
DEFAULTS = {
    option: declared.default
    for option, declared in signature(confidence_interval).parameters.items()
    if declared.kind is declared.KEYWORD_ONLY and option not in OF_ALL
}


OF_LABELS = (*get_args(RankingMetric)[::-1], *OF_KINDS, "prevalence")


def _of_labels(
    partial: PartialCounts,
    metric: object,
    labelled: Any,
    of: Any,
    confidence: Confidence,
    given: Mapping[str, Any],
) -> Interval:
    """Return the interval of a number of all cases of which some have a label."""
    known = metrics.METRICS
    name = as_name(known.name_of(metric), "metric", OF_LABELS, known.aliases)
    if partial.names:
        margin = f"partial.margin({partial.names[0]!r})"
        raise ValueError(f"{name} is of one score, and these are {len(partial.names)}: {margin}")
    q, threshold = (given[option] for option in ("q", "threshold"))
    plan = LabelPlan.ask(labelled, q, threshold)
    as_word(of, "of", get_args(Target), either=True)
    cut = q if name != "kappa" and q is not None else threshold
    if (cut is None) == (name in OF_KINDS) or (name == "kappa" and q is not None):
        verb = "needs" if name in OF_KINDS else "takes no"
        either = arg("threshold") if name == "kappa" else f"{arg('q')} or {arg('threshold')}"
        raise ValueError(f"with labels on some cases {name} {verb} {either}")
    for option, default in {**DEFAULTS, "method": None, "pd": "score"}.items():
        unused = given[option] is not default and given[option] != default
        if option not in {"q", "threshold"} and unused:
            raise ValueError(f"{option}= is not used with labels on some cases; leave it out")
    auc = name in get_args(RankingMetric)

    asked = RankingAsked("roc_auc" if auc else name, q, threshold)

    def usual(counts: Any) -> Interval:
        told = {**given, "unseen": None}
        return _interval(IntervalRequest(counts, asked.name, None, confidence, told))

    found = interval_of_labels(partial, asked, plan, of, confidence, usual)
    return found.as_ratio(2 * found.estimate - 1) if name == "accuracy_ratio" else found


def _name_of(metric: object, counts: Ranking | Amounts | UpliftCounts) -> str:
    """Return the name of a metric that such counts have, or raise ValueError."""
    _refuse_of_segments(metric)
    names = dict.fromkeys((*INTERVAL_NAMES, *filter(influenced, metrics.METRICS)))
    if not isinstance(counts, Ranking):
        names = dict.fromkeys(WAYS_OF_TRIALS) | (names if is_amounts(counts) else {})
    name = as_name(metrics.METRICS.name_of(metric), "metric", names, metrics.METRICS.aliases)
    if is_amounts(counts) and name not in {*WAYS_OF_AMOUNTS, *WAYS_OF_TRIALS}:
        raise ValueError(
            f"{name} is of two classes; of amounts there are {', '.join(WAYS_OF_AMOUNTS)}"
        )
    if isinstance(counts, Ranking) and name in {"concentration_index", "mean_amount"}:
        raise ValueError(f"{name} is of amounts; count them with count_values")
    return name


def _refuse_of_segments(metric: object) -> None:
    """Raise ValueError for a metric that has limits only over many segments."""
    try:
        name = as_name(metrics.METRICS.name_of(metric), "metric", IN_MEANS, IN_MEANS.aliases)
    except ValueError:
        return
    raise ValueError(
        f"one ranking does not show how {name} varies; its mean over segments has limits: "
        f'mean_over(segments, metric="{name}")'
    )


INTERVAL_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    **areas.OPTION_CHECKS,
    **dict.fromkeys(("q", "max_fpr"), partial(as_share, some=True)),
    **dict.fromkeys(("value", "cost"), as_money),
    "k": as_depth,
    "prevalence": as_open_share,
    "unseen": lambda given, name: as_word(given, name, get_args(Unseen), either=True),
}


@dataclass(frozen=True, slots=True)
class _Way:
    """How limits are found: by which methods, the first unless asked, from which options."""

    find: Callable[[IntervalRequest, str], Interval]
    methods: tuple[str, ...]
    uses: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def method(self, request: IntervalRequest, what: str) -> str:
        """Return the method, or raise ValueError for one, or an option, that is not for this."""
        method = request.method or self.methods[0]
        if method not in self.methods:
            names = ", ".join(map(repr, self.methods))
            raise ValueError(f"the method for {what} must be one of {names}; got {method!r}")
        draws = "bootstrap" in method or method == "hybrid"
        used = {*self.uses, *self.needs, *(BOOTSTRAPS if draws else ())}
        used -= set() if method in ALLOWING else {"unseen"}
        for option, default in DEFAULTS.items():
            given = getattr(request, option)
            if option not in used and given != default:
                exact = option in {*BOOTSTRAPS, *self.uses} or is_amounts(request.counts)
                by = f"{what} with method={method!r}" if exact else what
                raise ValueError(f"{option}={told(given)} is not used by {by}")
        for option in self.needs:
            if getattr(request, option) is None:
                raise ValueError(f"the interval of {request.name} needs {option}=")
        return method


def _interval(request: IntervalRequest) -> Interval:
    """Return the interval; of the first k cases that of the share that they are."""
    counts, k = request.counts, request.k
    if k is None:
        return _of_classes(request) if isinstance(counts, Ranking) else _of_amounts(request)
    if "k" not in metrics.METRICS[request.name].options:
        raise ValueError(f"k={k} is not used by {request.name}")
    share = share_selected(counts, request.q, k, request.prevalence)
    found = _interval(request.told(q=share, k=None))
    if request.name == "precision" and k > counts.n:  # it is out of k
        return found.over(k / counts.n, metrics.precision(counts, k=k))
    return found


def _of_classes(request: IntervalRequest) -> Interval:
    """Return the interval; of clustered rows, left to itself, by leaving out groups of clusters."""
    require_rows(request.counts)
    what = name = request.name
    if name in OF_A_SELECTION:
        if (request.q is None) == (request.threshold is None):
            raise ValueError(
                f"the interval of {name} needs q= (a fixed share of all cases) or "
                "threshold= (a fixed cut-off), and not both: these are different questions"
            )
        what = f"{name} at {'a threshold' if request.q is None else 'a share'}"
    if request.counts.times is not None and f"{name} at a horizon" in WAYS_OF_CLASSES:
        what = f"{name} at a horizon"
    known = metrics.METRICS[name]
    uses = (*known.options, "unseen")
    usual = _Way(influences_interval, INFLUENCE_METHODS, uses, known.needs)
    way = WAYS_OF_CLASSES.get(what) or usual
    clustered = request.counts.groups is not None
    if clustered and request.method in {None, "jackknife"}:
        uses = tuple(option for option in way.uses if option != "variance")
        alone = replace(way, methods=("jackknife",), uses=uses)
        return way.find(request, alone.method(request, f"{name} of clustered rows"))
    found = way.find(request, way.method(request, what))
    return found.with_notes(IGNORED.format(request.method)) if clustered else found


def _of_amounts(request: IntervalRequest) -> Interval:
    """Return the interval of a number of amounts, or a trial, whose units floats may not hold."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            return _in_floats(request)
    except ArithmeticError as error:
        raise ValueError(
            f"the limits of {request.name} are beyond what a float holds; give amounts and "
            "exposures in units that are nearer to 1"
        ) from error


def _in_floats(request: IntervalRequest) -> Interval:
    """Return the interval of amounts; of 0 and 1 that of the two classes."""
    of_amounts = is_amounts(request.counts) and request.name in WAYS_OF_AMOUNTS
    ways = WAYS_OF_AMOUNTS if of_amounts else WAYS_OF_TRIALS
    way, clustered = ways[request.name], request.counts.groups is not None
    asked = request
    if clustered:
        way = replace(way, methods=(*way.methods, "jackknife"))
        asked = replace(request, method=request.method or "jackknife")
    of = "amounts" if of_amounts else "a trial"
    method = way.method(asked, f"{request.name} of {of}")
    found = _of_two_classes(request) if of_amounts else None
    if found is None:
        found = way.find(request, method)
        if clustered and method != "jackknife":
            found = found.with_notes(IGNORED.format(method))
    return found


def _of_two_classes(request: IntervalRequest) -> Interval | None:
    """Return the interval of yes/no counts where amounts are one size or none, else None."""
    values, name = request.counts, request.name
    classes = values.as_classes()
    of_classes = "precision" if name == "mean_amount" and request.q is not None else name
    what = f"{of_classes} at a share" if of_classes in OF_A_SELECTION else of_classes
    methods = WAYS_OF_CLASSES[what].methods if what in WAYS_OF_CLASSES else INFLUENCE_METHODS
    if classes is None or (what not in WAYS_OF_CLASSES and name not in RISKS):
        return None
    if request.method not in {None, "jackknife", *methods}:
        return None
    if name in RISKS and not min(classes.n1, classes.n0):
        return None
    rate = float(values.largest), float(values.exposure / values.n)
    asked = replace(request, counts=classes, name=of_classes)
    if name == "profit":
        asked = asked.told(value=request.value * rate[0], cost=request.cost * rate[1])
    found = _of_classes(asked)
    if name == "selective_risk":
        risk = metrics.selective_risk(values, request.coverage)
        return found.over(rate[1] / rate[0], risk)
    if name not in {"mean_amount", *RISKS}:
        return found
    place = {"coverage": request.coverage} if name == "selective_risk" else request.place
    return found.over(rate[1] / rate[0], metrics.METRICS[name].value(values, **place))


INFLUENCE_METHODS = ("envelope", "logit_t", "wald", "bootstrap")
RANKING_METHODS = ("envelope", "logit_t", "logit", "wald", "newcombe", "bootstrap")
MEAN_METHODS = ("envelope", "wald", "log")
RATE_METHODS = ("envelope", "wilson", "mid_p", "clopper_pearson", "jeffreys")
_SHARE = _Way(share_interval, ("profile", "logit", "wald", "bootstrap"), ("q", "prevalence"))
_RATE = _Way(cutoff_interval, RATE_METHODS, ("threshold",))
_RANKING = _Way(auc_interval, RANKING_METHODS, ("variance", "unseen"))
WAYS_OF_CLASSES = {
    **dict.fromkeys(("accuracy_ratio", "roc_auc"), _RANKING),
    **{f"{name} at a share": _SHARE for name in OF_A_SELECTION},
    **{
        f"{name} at a {place}": replace(way, find=partial(of_negatives, way.find))
        for name in RATES_OF_NEGATIVES
        for place, way in (("share", _SHARE), ("threshold", _RATE))
    },
    "captured_response at a threshold": _RATE,
    "lift at a threshold": _Way(cutoff_interval, ("mover", "log_delta"), ("threshold",)),
    "precision at a threshold": _RATE,
    "ks": _Way(ks_interval, ("hybrid", "bootstrap")),
    "partial_auc": _Way(partial_auc_interval, ("profile", "bootstrap"), ("unseen",), ("max_fpr",)),
    "profit": _Way(best_profit_interval, ("multiplier_bootstrap",), needs=("value", "cost")),
    "prevalence": _Way(prevalence_interval, RATE_METHODS),
    "kappa": _Way(kappa_interval, ("fisher",), needs=("threshold",)),
    **{
        f"{name} at a horizon": _Way(incidence_interval, (*RATE_METHODS, "wald"))
        for name in ("prevalence", "observed_to_expected")
    },
    "observed_to_expected": _Way(ratio_interval, ("jeffreys",)),
    "net_benefit": _Way(
        net_benefit_interval, ("mover",), ("versus", "standardized", "prevalence"), ("threshold",)
    ),
    "selective_risk": _Way(risk_interval, ("envelope", "wald"), ("errors",), ("coverage",)),
    "work_saved_over_sampling": _Way(saved_interval, ("profile",), ("captured",)),
}
_RATIO = _Way(amounts_interval, ("envelope", "wald", "fisher", "bootstrap"))
_TOP = _Way(amounts_interval, ("envelope", "wald", "logit", "bootstrap"), needs=("q",))
WAYS_OF_AMOUNTS = {
    "accuracy_ratio": _RATIO,
    "concentration_index": _RATIO,
    "captured_response": _TOP,
    "lift": _TOP,
    "mean_amount": _Way(amounts_interval, (*MEAN_METHODS, "bootstrap"), ("q",)),
    "profit": _Way(best_profit_interval, ("multiplier_bootstrap",), needs=("value", "cost")),
    **dict.fromkeys(RISKS, _Way(amounts_interval, MEAN_METHODS)),
    "selective_risk": _Way(amounts_interval, MEAN_METHODS, needs=("coverage",)),
}
_TRIAL = _Way(trial_interval, ("envelope", "wald"))
WAYS_OF_TRIALS = {
    **dict.fromkeys(("qini", "auuc", "autoc"), _TRIAL),
    "uplift": replace(_TRIAL, uses=("q",)),
    "profit": _Way(trial_profit_interval, ("multiplier_bootstrap",), needs=("value", "cost")),
}
