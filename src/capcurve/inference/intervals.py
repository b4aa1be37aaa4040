"""Any headline number with the range that chance leaves it: confidence_interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from capcurve import metrics
from capcurve.counts.arguments import as_name, as_number, as_open_share, as_share, told
from capcurve.counts.given import is_amounts, takes_rankings
from capcurve.curves import profit_curve
from capcurve.curves.shares import best_cutoffs
from capcurve.inference.amount_limits import amounts_interval, best_profit_interval
from capcurve.inference.designs import Resampling, check_replicates
from capcurve.inference.maxima import (
    ks_interval,
    partial_auc_interval,
    profit_interval,
)
from capcurve.inference.ranking import auc_interval
from capcurve.inference.records import Confidence, Interval
from capcurve.inference.selections import (
    cutoff_interval,
    share_interval,
)
from capcurve.inference.sizes import require_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Amounts, Ranking, ScoreCounts
    from capcurve.inference.ranking import Method as RankingMethod
    from capcurve.inference.records import Side
    from capcurve.inference.samples import OfShare
    from capcurve.inference.selections import CutoffMethod, ShareMethod
    from capcurve.inference.variances import Variance

OF_A_RANKING = ("accuracy_ratio", "roc_auc")
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
    metrics.concentration_index: "concentration_index",
    metrics.mean_amount: "mean_amount",
}
ALSO_CALLED = {
    **dict.fromkeys(("ar", "gini"), "accuracy_ratio"),
    **dict.fromkeys(("auc", "auroc", "c_statistic"), "roc_auc"),
    **dict.fromkeys(("captured", "capture_rate", "recall", "tpr"), "captured_response"),
    "pauc": "partial_auc",
}
RANKING_METHODS = (
    *("envelope", "logit_t", "logit", "wald", "newcombe"),
    *("bootstrap", "bootstrap_bca"),
)
RATE_METHODS = ("envelope", "wilson", "mid_p", "clopper_pearson", "jeffreys")
METHODS = {
    "accuracy_ratio": RANKING_METHODS,
    "roc_auc": RANKING_METHODS,
    "captured_response at a share": ("profile", "logit", "wald", "bootstrap"),
    "captured_response at a threshold": RATE_METHODS,
    "lift at a share": ("profile", "logit", "wald", "bootstrap"),
    "lift at a threshold": ("mover", "log_delta"),
    "precision at a share": ("profile", "logit", "wald", "bootstrap"),
    "precision at a threshold": RATE_METHODS,
    "ks": ("hybrid", "bootstrap"),
    "partial_auc": ("profile", "bootstrap"),
    "profit": ("bootstrap",),
}
OF_AMOUNTS = {
    "accuracy_ratio": ("envelope", "wald", "fisher", "bootstrap"),
    "concentration_index": ("envelope", "wald", "fisher", "bootstrap"),
    "captured_response": ("envelope", "wald", "logit", "bootstrap"),
    "lift": ("envelope", "wald", "logit", "bootstrap"),
    "mean_amount": ("envelope", "wald", "log", "bootstrap"),
    "profit": ("multiplier_bootstrap",),
}
MAXIMA: dict[str, Callable[..., Interval]] = {
    "ks": ks_interval,
    "partial_auc": partial_auc_interval,
    "profit": profit_interval,
}
NEEDS: dict[str, tuple[str, ...]] = {
    "ks": (),
    "partial_auc": ("max_fpr",),
    "profit": ("value", "cost"),
}
DEFAULTS: dict[str, Any] = {
    "variance": "delong",
    "q": None,
    "threshold": None,
    "max_fpr": None,
    "value": None,
    "cost": None,
    "prevalence": None,
    "replicates": 2000,
    "seed": None,
}
BOOTSTRAPS = {"replicates", "seed"}
# Squares of it are floats.
LARGEST_MONEY = 1e100
IGNORED = (
    "the rows are clustered, and method={!r} treats them as independent: the limits are too "
    'narrow; method="jackknife" leaves out whole clusters'
)


@takes_rankings
def confidence_interval(
    counts: Ranking | Amounts,
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
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    metric
        "accuracy_ratio" (or "ar", "gini"), "roc_auc" (or "auc"), "captured_response" (or
        "captured"), "lift", "precision", "ks", "partial_auc", "profit" (of the best cut-off), or
        the function of that name. Of amounts: "accuracy_ratio", "concentration_index",
        "captured_response", "lift", "mean_amount", "profit".
    variance
        For AR and AUC: "delong", "unbiased", "ij", "hanley_mcneil", "hanley_mcneil_table".
    method
        AR, AUC: "wald", "logit", "logit_t" (Student's t with Satterthwaite's degrees of
        freedom; with weights moved out by what unseen heavy cases could do), "newcombe",
        "envelope" (of logit_t with one more degree of freedom and the AUCs that lie as many of
        their own standard errors away, which are Hanley & McNeil's the more, the fewer cases show
        how the scores vary, moved out to what the AUC is if a kind of cases of the rarer class was
        not seen at all),
        "bootstrap" (percentiles), "bootstrap_bca"; left out, the envelope. At a share
        q: "profile" (what is not too unlikely at some place of the cut-off; inside a large grade
        of the next two), "logit", "wald", "bootstrap". At a threshold: "envelope" (of the next
        two), "wilson", "mid_p", "clopper_pearson", "jeffreys"; for lift "mover" (of the limits of
        three rates), "log_delta". KS: "hybrid", "bootstrap". Partial AUC: "profile" (as at a
        share), "bootstrap". Profit: "bootstrap". Left out, the first. Of amounts: "envelope" (of
        the next two, moved out by what unseen rows could do), "wald", and "fisher" (AR,
        concentration index: symmetric on the scale of the inverse hyperbolic tangent), "logit"
        (shares) or "log" (mean amount), or "bootstrap"; profit: "multiplier_bootstrap". With
        clusters, "jackknife" for every metric, which leaves out groups of clusters in turn; any
        other method then treats the rows as independent, and says so in its notes.
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
        Of the bootstrap; the same whole number as seed gives the same interval, and so does none.
        The hybrid limits of KS take from it how far to lower the lower one, for which a quarter of
        the replicates is drawn.

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
    (2015), JASA 110; Claeskens et al. (2003), Can. J. Stat. 31. Defaults were chosen by simulated
    coverage.

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
    options = (variance, q, threshold, max_fpr, value, cost, prevalence, replicates, seed)
    given = _checked(dict(zip(DEFAULTS, options, strict=True)))
    confidence = Confidence(level, side)
    if side != "both" and confidence.level < 0.5:  # noqa: PLR2004 - the median
        raise ValueError(f"the level of a one-sided limit must be 0.5 or more, got {told(level)}")
    name = _name(metric)
    if is_amounts(counts):
        return _of_amounts(counts, name, method, confidence, given)
    require_rows(counts)
    if name not in METHODS and name not in OF_A_SELECTION:
        raise ValueError(f"{name} is of amounts; count them with count_values")
    request = _Request(counts, name, method, confidence, given)
    if method == "jackknife" and counts.groups is None:
        raise ValueError(
            'method="jackknife" leaves out groups of clusters; count the rows with cluster='
        )
    ignored = counts.groups is not None and method not in {None, "jackknife"}
    found = _interval(request)
    return found.with_notes(IGNORED.format(method)) if ignored else found


def _seed(given: dict[str, Any]) -> Any:
    """Return what random numbers start from: left out, the same counts give the same interval."""
    return 0 if given["seed"] is None else given["seed"]


def _name(metric: object) -> str:
    functions = {id(function): name for function, name in NAMES.items()}
    return as_name(functions.get(id(metric), metric), "metric", NAMES.values(), ALSO_CALLED)


def _checked(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options as plain numbers, or raise ValueError for one out of its range."""
    check_replicates(given["replicates"])
    found = dict(given)
    for name in ("q", "max_fpr"):
        if given[name] is not None:
            found[name] = as_share(given[name], name, some=True)
    for name in ("value", "cost"):
        if given[name] is not None:
            found[name] = as_number(given[name], name)
            if not abs(found[name]) <= LARGEST_MONEY:
                raise ValueError(
                    f"{name} must lie from -{LARGEST_MONEY:g} to {LARGEST_MONEY:g}, "
                    f"got {told(given[name])}"
                )
    if given["prevalence"] is not None:
        found["prevalence"] = as_open_share(given["prevalence"], "prevalence")
    return found


@dataclass(frozen=True, slots=True)
class _Request:
    """What was asked for: which options it uses, which it needs, and none ignored."""

    counts: Ranking
    name: str
    method: str | None
    confidence: Confidence
    given: dict[str, Any]

    @property
    def at_share(self) -> bool:
        """Whether the cases that a metric is about are a fixed share of all."""
        return self.given["q"] is not None

    def uses(self) -> set[str]:
        """Return the options that the metric uses, or raise ValueError without a place."""
        if self.name not in OF_A_SELECTION:
            return set(NEEDS.get(self.name, ()))
        if (self.given["q"] is None) == (self.given["threshold"] is None):
            raise ValueError(
                f"the interval of {self.name} needs q= (a fixed share of all cases) or "
                "threshold= (a fixed cut-off), and not both: these are different questions"
            )
        return {"q", "prevalence"} if self.at_share else {"threshold"}

    def check(self, what: str, methods: tuple[str, ...], uses: set[str]) -> str:
        """Return the method, or raise ValueError for one, or an option, that is not for this."""
        method = self.method or methods[0]
        if method not in methods:
            names = ", ".join(repr(name) for name in methods)
            raise ValueError(f"the method for {what} must be one of {names}; got {method!r}")
        used = uses | (BOOTSTRAPS if "bootstrap" in method or method == "hybrid" else set())
        for option, default in DEFAULTS.items():
            if option not in used and self.given[option] != default:
                by = f"{what} with method={method!r}" if option in BOOTSTRAPS else what
                raise ValueError(f"{option}={self.given[option]!r} is not used by {by}")
        for option in NEEDS.get(self.name, ()):
            if self.given[option] is None:
                raise ValueError(f"the interval of {self.name} needs {option}=")
        return method

    def resampling(self, counts: ScoreCounts) -> Resampling:
        """Return how to resample these counts."""
        return Resampling(counts, self.given["replicates"], _seed(self.given))


def _interval(request: _Request) -> Interval:
    """Return the interval; of clustered rows, left to itself, by leaving out groups of clusters."""
    name, given, what, uses = request.name, request.given, request.name, request.uses()
    if request.counts.groups is not None and request.method in {None, "jackknife"}:
        method = request.check(f"{name} of clustered rows", ("jackknife",), uses)
    else:
        if name in OF_A_SELECTION:
            what = f"{name} at {'a share' if request.at_share else 'a threshold'}"
        elif name in OF_A_RANKING:
            uses = {"variance"}
        method = request.check(what, METHODS[what], uses)
    if name in OF_A_RANKING:
        return _of_ranking(request, method)
    if name in OF_A_SELECTION:
        return _of_selection(request, method)
    counts = request.counts
    # Groups of scores suffice for hybrid limits, so the cut-offs that totals hold do too.
    held = counts.vertices if method == "hybrid" else counts.every_score()
    resampling, options = request.resampling(held), [given[each] for each in NEEDS[name]]
    return MAXIMA[name](resampling, request.confidence, method, *options)


def _of_amounts(
    values: Amounts, name: str, method: str | None, confidence: Confidence, given: dict[str, Any]
) -> Interval:
    """Return the interval of a number read off amounts; of 0 and 1 that of the two classes."""
    if name not in OF_AMOUNTS:
        raise ValueError(f"{name} is of two classes; of amounts there are {', '.join(OF_AMOUNTS)}")
    if values.groups is None:
        methods, default = OF_AMOUNTS[name], OF_AMOUNTS[name][0]
        if method == "jackknife":
            raise ValueError(
                'method="jackknife" leaves out groups of clusters; count the rows with cluster='
            )
    else:
        methods, default = (*OF_AMOUNTS[name], "jackknife"), "jackknife"
    chosen = method or default
    _check_options(name, chosen, methods, given)
    found = _of_two_classes(values, name, method, confidence, given)
    if found is not None:
        return found
    drawn = {"replicates": given["replicates"], "seed": _seed(given)}
    if name == "profit":
        money = given["value"], given["cost"]
        found = best_profit_interval(values, confidence, chosen, *money, **drawn)
    else:
        place = {} if given["q"] is None else {"q": given["q"]}
        found = amounts_interval(values, name, confidence, chosen, place, **drawn)
    ignored = values.groups is not None and chosen != "jackknife"
    return found.with_notes(IGNORED.format(chosen)) if ignored else found


def _check_options(name: str, method: str, methods: tuple[str, ...], given: dict[str, Any]) -> None:
    """Raise ValueError for a method or an option that is not for amounts, or one that lacks."""
    if method not in methods:
        names = ", ".join(map(repr, methods))
        raise ValueError(f"the method for {name} of amounts must be one of {names}; got {method!r}")
    used = set(NEEDS.get(name, ())) | (BOOTSTRAPS if "bootstrap" in method else set())
    if name in {"captured_response", "lift", "mean_amount"}:
        used.add("q")
    for option, default in DEFAULTS.items():
        if option not in used and given[option] != default:
            by = f"{name} of amounts with method={method!r}"
            raise ValueError(f"{option}={told(given[option])} is not used by {by}")
    needed = ("q",) if name in {"captured_response", "lift"} else NEEDS.get(name, ())
    for option in needed:
        if given[option] is None:
            raise ValueError(f"the interval of {name} needs {option}=")


def _of_two_classes(
    values: Amounts, name: str, method: str | None, confidence: Confidence, given: dict[str, Any]
) -> Interval | None:
    """Return the interval of yes/no counts where amounts are one size or none, else None."""
    classes = values.as_classes()
    kinds = {"mean_amount": "precision"} if given["q"] is not None else {}
    which = {"accuracy_ratio": name, "profit": name, "captured_response": name, "lift": name}
    of_classes = (which | kinds).get(name)
    if classes is None or of_classes is None:
        return None
    what = f"{of_classes} at a share" if of_classes in OF_A_SELECTION else of_classes
    if method not in {None, "jackknife", *METHODS[what]}:
        return None
    rate = float(values.largest), float(values.exposure / values.n)
    asked = dict(given)
    if name == "profit":
        asked |= {"value": given["value"] * rate[0], "cost": given["cost"] * rate[1]}
    found = _interval(_Request(classes, of_classes, method, confidence, asked))
    if name != "mean_amount":
        return found
    return found.over(rate[1] / rate[0], metrics.mean_amount(values, given["q"]))


def _of_ranking(request: _Request, method: str) -> Interval:
    # Without a method the one to take depends on the formula of the variance.
    wanted = cast("RankingMethod | None", method if method == "jackknife" else request.method)
    options = {option: request.given[option] for option in ("variance", "replicates")}
    options["seed"] = _seed(request.given)
    found = auc_interval(request.counts, request.confidence, wanted, **options)
    if request.name == "roc_auc":
        return found
    return found.as_ratio(metrics.accuracy_ratio(request.counts))


def _of_selection(request: _Request, method: str) -> Interval:
    counts, q, which = request.counts, request.given["q"], cast("OfShare", request.name)
    if not request.at_share:
        threshold, by = request.given["threshold"], cast("CutoffMethod", method)
        return cutoff_interval(counts.every_score(), which, threshold, request.confidence, by)
    drawn = method in {"bootstrap", "jackknife"}
    resampling = request.resampling(counts.every_score() if drawn else _top(counts, q))
    how, prevalence = cast("ShareMethod", method), request.given["prevalence"]
    return share_interval(resampling, which, q, request.confidence, how, prevalence)


def _top(counts: Ranking, q: float) -> ScoreCounts:
    """Return counts that tell the top share and the local rate there, as totals may."""
    metrics.captured_response(counts, q)
    return best_cutoffs(counts)
