"""Any headline number with the range that chance leaves it: confidence_interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve import metrics
from capcurve.counts import Ranked, RankTotals, ScoreCounts
from capcurve.curves import profit_curve
from capcurve.curves.shares import best_cutoffs, every_score
from capcurve.inference.auc_intervals import Ranking, accuracy_ratio_interval, auc_interval
from capcurve.inference.bootstrap_intervals import (
    ks_interval,
    partial_auc_interval,
    profit_interval,
)
from capcurve.inference.clustered_intervals import IGNORED, clustered_interval
from capcurve.inference.cutoff_intervals import cutoff_interval
from capcurve.inference.interval import Confidence, Interval, with_notes
from capcurve.inference.interval_request import DEFAULTS, IntervalRequest, checked
from capcurve.inference.share_intervals import share_interval
from capcurve.inference.sizes import require_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.inference.interval import Side
    from capcurve.inference.variances import Variance

OF_A_SELECTION = ("captured_response", "lift", "precision")
NAMES: dict[Callable[..., Any], str] = {
    metrics.accuracy_ratio: "accuracy_ratio",
    metrics.roc_auc: "roc_auc",
    metrics.captured_response: "captured_response",
    metrics.lift: "lift",
    metrics.precision: "precision",
    metrics.ks: "ks",
    metrics.partial_auc: "partial_auc",
    profit_curve: "profit",
}
METHODS = {
    "captured_response at a share": ("envelope", "logit", "wald", "bootstrap"),
    "captured_response at a threshold": ("wilson", "clopper_pearson", "jeffreys"),
    "lift at a share": ("envelope", "logit", "wald", "bootstrap"),
    "lift at a threshold": ("log_delta",),
    "precision at a share": ("envelope", "logit", "wald", "bootstrap"),
    "precision at a threshold": ("wilson", "clopper_pearson", "jeffreys"),
    "ks": ("hybrid", "bootstrap"),
    "partial_auc": ("bootstrap_logit", "bootstrap"),
    "profit": ("bootstrap",),
}
RANKING_METHODS = (
    *("envelope", "logit_t", "logit", "wald", "newcombe"),
    *("bootstrap", "bootstrap_bca"),
)


def confidence_interval(
    counts: Ranked,
    metric: str | Callable[..., Any],
    *,
    variance: Variance = "delong",
    method: str | None = None,
    level: float = 0.95,
    side: Side = "both",
    q: float | None = None,
    threshold: Any = None,
    max_fpr: float | None = None,
    value: float | None = None,
    cost: float | None = None,
    prevalence: float | None = None,
    replicates: int = 2000,
    seed: Any = None,
) -> Interval:
    """Return a number with the range in which its true value lies, as far as chance goes.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    metric
        "accuracy_ratio" (or "gini"), "roc_auc", "captured_response", "lift", "precision",
        "ks", "partial_auc", "profit" (of the best cut-off), or the function of that name.
    variance
        For AR and AUC: "delong", "unbiased", "ij", "hanley_mcneil", "hanley_mcneil_table".
    method
        AR, AUC: "wald", "logit", "logit_t" (Student's t with Satterthwaite's degrees of
        freedom; with weights moved out by what unseen heavy cases could do), "newcombe",
        "envelope" (of the last two), "bootstrap" (percentiles), "bootstrap_bca"; left out,
        the envelope below 200 cases of the rarer class and logit_t from there on. At a share
        q: "envelope" (of the next two), "logit", "wald", "bootstrap". At a threshold:
        "wilson", "clopper_pearson", "jeffreys"; for lift "log_delta". KS: "hybrid",
        "bootstrap". Partial AUC: "bootstrap_logit", "bootstrap". Profit: "bootstrap". Left
        out, the first. With clusters, "jackknife" for every metric, which leaves out groups
        of clusters in turn; any other method then treats the rows as independent, and says
        so in its notes.
    level
        How often such intervals hold the true value, in (0, 1).
    side
        "both", "lower" for a lower limit only, "upper" for an upper one.
    q
        Which share of all cases is selected, in another sample too: its cut-off then moves.
    threshold
        Which score is the cut-off, in another sample too: the share it selects then moves.
    max_fpr
        Where the partial AUC stops.
    value, cost
        What a captured positive brings and what selecting a case costs.
    prevalence
        At a share q: re-weight the classes to a population in which this share is positive.
    replicates, seed
        Of the bootstrap; the same whole number as seed gives the same interval. The hybrid
        limits of KS take only the bias from it, for which a quarter of the replicates is
        drawn, and are the same without a seed too.

    Returns
    -------
    Interval
        Within the range of the metric. Where a method has no answer (an AUC of 0 or 1, one
        positive, nothing captured) another one stands in, and `method` and `notes` say so.

    Raises
    ------
    ValueError
        When a class is missing, an option is unknown or not used by this metric and method,
        or it is not known what one case is: weights without a `weight_kind`, fractions.

    Notes
    -----
    DeLong et al. (1988); Newcombe (2006), Stat. Med. 25; Perme & Manevski (2019); Jiang & Zhao
    (2015), JASA 110. Defaults were chosen by simulated coverage.

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
    if not isinstance(counts, ScoreCounts | RankTotals):
        raise TypeError(f"counts must be ScoreCounts or RankTotals, got {type(counts).__name__}")
    require_rows(counts)
    options = (variance, q, threshold, max_fpr, value, cost, prevalence, replicates, seed)
    given = checked(dict(zip(DEFAULTS, options, strict=True)))
    request = IntervalRequest(counts, _name(metric), method, Confidence(level, side), given)
    if method == "jackknife" and counts.groups is None:
        raise ValueError(
            'method="jackknife" leaves out groups of clusters; count the rows with cluster='
        )
    if counts.groups is None:
        return _of_rows(request)
    if method in {None, "jackknife"}:
        return _of_clusters(request)
    return with_notes(_of_rows(request), IGNORED.format(method))


def _of_rows(request: IntervalRequest) -> Interval:
    if request.name in {"accuracy_ratio", "roc_auc"}:
        return _of_ranking(request)
    if request.name in OF_A_SELECTION:
        return _of_selection(request)
    return _of_replicates(request)


def _name(metric: object) -> str:
    if metric == "gini":
        return "accuracy_ratio"
    name = metric if isinstance(metric, str) else NAMES.get(metric)  # type: ignore[call-overload]  # any object may be asked for
    if name not in NAMES.values():
        names = ", ".join(repr(known) for known in NAMES.values())
        raise ValueError(f"there is no interval for {metric!r}; there is one for {names}")
    return str(name)


def _of_clusters(request: IntervalRequest) -> Interval:
    needs = {"partial_auc": ["max_fpr"], "profit": ["value", "cost"]}.get(request.name, [])
    uses = {*needs}
    if request.name in OF_A_SELECTION:
        _check_place(request)
        uses = {"threshold"} if request.given["q"] is None else {"q", "prevalence"}
    request.check(f"{request.name} of clustered rows", ("jackknife",), uses)
    request.need(*needs)
    return clustered_interval(
        every_score(request.counts), request.name, request.given, request.confidence
    )


def _check_place(request: IntervalRequest) -> None:
    if (request.given["q"] is None) == (request.given["threshold"] is None):
        raise ValueError(
            f"the interval of {request.name} needs q= (a fixed share of all cases) or "
            "threshold= (a fixed cut-off), and not both: these are different questions"
        )


def _of_ranking(request: IntervalRequest) -> Interval:
    request.check(request.name, RANKING_METHODS, {"variance"})
    given = request.given
    ranking = Ranking(
        request.counts, request.confidence, given["variance"], given["replicates"], given["seed"]
    )
    found = accuracy_ratio_interval if request.name == "accuracy_ratio" else auc_interval
    return found(ranking, request.method)  # type: ignore[arg-type]  # checked above


def _of_selection(request: IntervalRequest) -> Interval:
    q, threshold = request.given["q"], request.given["threshold"]
    _check_place(request)
    where = "a share" if q is not None else "a threshold"
    what = f"{request.name} at {where}"
    method = request.check(
        what, METHODS[what], {"q"} | ({"threshold"} if q is None else {"prevalence"})
    )
    which: Any = request.name
    if q is None:
        return cutoff_interval(
            every_score(request.counts), which, threshold, request.confidence, method
        )
    return share_interval(
        _top(request.counts, q) if method != "bootstrap" else every_score(request.counts),
        which,
        q,
        request.confidence,
        method=method,  # type: ignore[arg-type]  # checked above
        prevalence=request.given["prevalence"],
        replicates=request.given["replicates"],
        seed=request.given["seed"],
    )


def _top(counts: Ranked, q: float) -> ScoreCounts:
    """Return counts that tell the top share and the local rate there, as totals may."""
    metrics.captured_response(counts, q)
    return best_cutoffs(counts)


def _of_replicates(request: IntervalRequest) -> Interval:
    name = request.name
    needs = {"ks": (), "partial_auc": ("max_fpr",), "profit": ("value", "cost")}[name]
    method = request.check(name, METHODS[name], set(needs))
    options = request.need(*needs)
    if name == "ks" and method == "hybrid":
        # Groups of scores suffice, so the cut-offs that totals hold do too.
        return ks_interval(request.resampling(request.counts.vertices), method)
    resampling = request.resampling(every_score(request.counts))
    if name == "ks":
        return ks_interval(resampling, method)
    if name == "partial_auc":
        return partial_auc_interval(resampling, options[0], method)
    return profit_interval(resampling, options[0], options[1])
