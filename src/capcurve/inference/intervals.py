"""Any headline number with the range that chance leaves it: confidence_interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from capcurve import metrics
from capcurve.counts.arguments import as_name, as_number, as_open_share, as_share, told
from capcurve.counts.given import is_amounts, takes_rankings
from capcurve.curves.shares import best_cutoffs
from capcurve.curves.simplify import grouped
from capcurve.inference.amount_limits import amounts_interval, best_profit_interval
from capcurve.inference.designs import Resampling, check_replicates, require_rows
from capcurve.inference.maxima import MOST_CELLS, ks_interval, partial_auc_interval, profit_interval
from capcurve.inference.ranking import auc_interval, metric_interval, resampled_interval
from capcurve.inference.records import Confidence, Interval, influenced
from capcurve.inference.selections import cutoff_interval, share_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Amounts, Ranking
    from capcurve.inference.ranking import Method as RankingMethod
    from capcurve.inference.records import Side
    from capcurve.inference.samples import OfShare
    from capcurve.inference.selections import CutoffMethod, ShareMethod
    from capcurve.inference.variances import Variance

OF_A_SELECTION = ("captured_response", "lift", "precision")
# The metrics whose limits are found in ways of their own, in the order in which they are named.
NAMES = (
    *("accuracy_ratio", "roc_auc", "captured_response", "lift", "precision", "ks", "partial_auc"),
    *("profit", "concentration_index", "mean_amount"),
)
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
        "captured"), "lift", "precision", "ks", "partial_auc", "profit" (of the best
        cut-off), another metric that tells how far each case moves it, or the function of
        that name. Of amounts: "accuracy_ratio", "concentration_index", "captured_response",
        "lift", "mean_amount", "profit".
    variance
        For AR and AUC: "delong", "unbiased", "ij", "hanley_mcneil", "hanley_mcneil_table".
    method
        AR, AUC: "wald", "logit", "logit_t" (Student's t with Satterthwaite's degrees of freedom;
        with weights moved out by what unseen heavy cases could do), "newcombe", "envelope"
        (of logit_t with one more degree of freedom and the AUCs that lie as many of their
        own standard errors away, which are Hanley & McNeil's the more, the fewer cases show
        how the scores vary, moved out to what the AUC is if a kind of cases of the rarer
        class was not seen at all), "bootstrap" (percentiles), "bootstrap_bca"; left out,
        the envelope. At a share q: "profile" (what is not too unlikely at some place of the
        cut-off; inside a large grade of the next two), "logit", "wald", "bootstrap". At a
        threshold: "envelope" (of the next two), "wilson", "mid_p", "clopper_pearson",
        "jeffreys"; for lift "mover" (of the limits of three rates), "log_delta". KS:
        "hybrid", "bootstrap". Partial AUC: "profile" (as at a share), "bootstrap". Profit:
        "bootstrap". Others: "logit_t" (on the scale of the log odds between the ends of
        their range, or of the logarithm above its lower end), "wald", "bootstrap". Left
        out, the first. Of amounts: "envelope" (of the next two, moved out by what unseen
        rows could do), "wald", and "fisher" (AR, concentration index: symmetric on the
        scale of the inverse hyperbolic tangent), "logit" (shares) or "log" (mean amount),
        or "bootstrap"; profit: "multiplier_bootstrap". With clusters, "jackknife" for every
        metric, which leaves out groups of clusters in turn; any other method then treats
        the rows as independent, and says so in its notes.
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
    names = dict.fromkeys((*NAMES, *filter(influenced, metrics.METRICS)))
    name = as_name(metrics.METRICS.name_of(metric), "metric", names, metrics.METRICS.aliases)
    if is_amounts(counts):
        if name not in AMOUNTS:
            raise ValueError(f"{name} is of two classes; of amounts there are {', '.join(AMOUNTS)}")
    else:
        require_rows(counts)
        if name in {"concentration_index", "mean_amount"}:
            raise ValueError(f"{name} is of amounts; count them with count_values")
    if method == "jackknife" and counts.groups is None:
        raise ValueError(
            'method="jackknife" leaves out groups of clusters; count the rows with cluster='
        )
    request = _Request(counts, name, method, confidence, given)
    return _of_amounts(request) if is_amounts(counts) else _of_classes(request)


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
    """An interval that was asked for."""

    counts: Any  # of classes or amounts
    name: str
    method: str | None
    confidence: Confidence
    given: dict[str, Any]  # the options

    @property
    def drawn(self) -> dict[str, Any]:
        """How to resample: without a seed the same counts give the same interval."""
        seed = self.given["seed"]
        return {"replicates": self.given["replicates"], "seed": 0 if seed is None else seed}

    def checked(self, way: _Way, what: str) -> str:
        """Return the method, or raise ValueError for one, or an option, that is not for this."""
        method = self.method or way.methods[0]
        if method not in way.methods:
            names = ", ".join(map(repr, way.methods))
            raise ValueError(f"the method for {what} must be one of {names}; got {method!r}")
        draws = "bootstrap" in method or method == "hybrid"
        used = {*way.uses, *way.needs, *(BOOTSTRAPS if draws else ())}
        for option, default in DEFAULTS.items():
            if option not in used and self.given[option] != default:
                exact = option in BOOTSTRAPS or is_amounts(self.counts)
                by = f"{what} with method={method!r}" if exact else what
                raise ValueError(f"{option}={told(self.given[option])} is not used by {by}")
        for option in way.needs:
            if self.given[option] is None:
                raise ValueError(f"the interval of {self.name} needs {option}=")
        return method


@dataclass(frozen=True, slots=True)
class _Way:
    """How limits are found: by which methods, the first unless asked, from which options."""

    find: Callable[[_Request, str], Interval]
    methods: tuple[str, ...]
    uses: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def _of_classes(request: _Request) -> Interval:
    """Return the interval; of clustered rows, left to itself, by leaving out groups of clusters."""
    what = name = request.name
    if name in OF_A_SELECTION:
        if (request.given["q"] is None) == (request.given["threshold"] is None):
            raise ValueError(
                f"the interval of {name} needs q= (a fixed share of all cases) or "
                "threshold= (a fixed cut-off), and not both: these are different questions"
            )
        what = f"{name} at {'a threshold' if request.given['q'] is None else 'a share'}"
    way = CLASSES.get(what) or _Way(_influences, INFLUENCE_METHODS)
    clustered = request.counts.groups is not None
    if clustered and request.method in {None, "jackknife"}:
        uses = tuple(option for option in way.uses if option != "variance")
        alone = replace(way, methods=("jackknife",), uses=uses)
        return way.find(request, request.checked(alone, f"{name} of clustered rows"))
    found = way.find(request, request.checked(way, what))
    return found.with_notes(IGNORED.format(request.method)) if clustered else found


def _of_amounts(request: _Request) -> Interval:
    """Return the interval of a number read off amounts; of 0 and 1 that of the two classes."""
    way, clustered = AMOUNTS[request.name], request.counts.groups is not None
    asked = request
    if clustered:
        way = replace(way, methods=(*way.methods, "jackknife"))
        asked = replace(request, method=request.method or "jackknife")
    method = asked.checked(way, f"{request.name} of amounts")
    found = _of_two_classes(request)
    if found is None:
        found = way.find(request, method)
        if clustered and method != "jackknife":
            found = found.with_notes(IGNORED.format(method))
    return found


def _of_two_classes(request: _Request) -> Interval | None:
    """Return the interval of yes/no counts where amounts are one size or none, else None."""
    values, name, given = request.counts, request.name, dict(request.given)
    classes = values.as_classes()
    of_classes = "precision" if name == "mean_amount" and given["q"] is not None else name
    what = f"{of_classes} at a share" if of_classes in OF_A_SELECTION else of_classes
    if classes is None or what not in CLASSES:
        return None
    if request.method not in {None, "jackknife", *CLASSES[what].methods}:
        return None
    rate = float(values.largest), float(values.exposure / values.n)
    if name == "profit":
        given |= {"value": given["value"] * rate[0], "cost": given["cost"] * rate[1]}
    found = _of_classes(replace(request, counts=classes, name=of_classes, given=given))
    if name != "mean_amount":
        return found
    return found.over(rate[1] / rate[0], metrics.mean_amount(values, given["q"]))


def _ranking(request: _Request, method: str) -> Interval:
    # Without a method the one to take depends on the formula of the variance.
    wanted = cast("RankingMethod | None", method if method == "jackknife" else request.method)
    options = {"variance": request.given["variance"], **request.drawn}
    found = auc_interval(request.counts, request.confidence, wanted, **options)
    if request.name == "roc_auc":
        return found
    return found.as_ratio(metrics.accuracy_ratio(request.counts))


def _at_share(request: _Request, method: str) -> Interval:
    counts, q, prevalence = request.counts, request.given["q"], request.given["prevalence"]
    if method in {"bootstrap", "jackknife"}:
        held = counts.every_score()
    else:
        metrics.captured_response(counts, q)  # refuses totals that do not tell it
        held = best_cutoffs(counts)
    which, how = cast("OfShare", request.name), cast("ShareMethod", method)
    resampling = Resampling(held, **request.drawn)
    return share_interval(resampling, which, q, request.confidence, how, prevalence)


def _at_cutoff(request: _Request, method: str) -> Interval:
    which, by = cast("OfShare", request.name), cast("CutoffMethod", method)
    counts, threshold = request.counts.every_score(), request.given["threshold"]
    return cutoff_interval(counts, which, threshold, request.confidence, by)


def _maximum(find: Callable[..., Interval], request: _Request, method: str) -> Interval:
    counts = request.counts
    # Groups of scores suffice for hybrid limits, so the cut-offs that totals hold do too.
    held = counts.vertices if method == "hybrid" else counts.every_score()
    options = [request.given[option] for option in CLASSES[request.name].needs]
    return find(Resampling(held, **request.drawn), request.confidence, method, *options)


def _influences(request: _Request, method: str) -> Interval:
    """Return the interval of any metric that tells how far each case moves it."""
    counts, metric = request.counts.every_score(), metrics.METRICS[request.name]
    if method == "jackknife":
        return metric_interval(counts, metric)(request.confidence)
    alone = replace(counts, groups=None) if counts.groups is not None else counts
    if method == "bootstrap":
        few = grouped(alone, MOST_CELLS)
        return resampled_interval(Resampling(few, **request.drawn), metric, request.confidence)
    return metric_interval(alone, metric, method)(request.confidence)


def _read_off(request: _Request, method: str) -> Interval:
    counts, q = request.counts, request.given["q"]
    place = {} if q is None else {"q": q}
    name, confidence = request.name, request.confidence
    return amounts_interval(counts, name, confidence, method, place, **request.drawn)


def _best_profit(request: _Request, method: str) -> Interval:
    money = request.given["value"], request.given["cost"]
    return best_profit_interval(request.counts, request.confidence, method, *money, **request.drawn)


INFLUENCE_METHODS = ("logit_t", "wald", "bootstrap")
RANKING_METHODS = (
    *("envelope", "logit_t", "logit", "wald", "newcombe"),
    *("bootstrap", "bootstrap_bca"),
)
RATE_METHODS = ("envelope", "wilson", "mid_p", "clopper_pearson", "jeffreys")
_SHARE = _Way(_at_share, ("profile", "logit", "wald", "bootstrap"), ("q", "prevalence"))
_RATE = _Way(_at_cutoff, RATE_METHODS, ("threshold",))
CLASSES = {
    **dict.fromkeys(("accuracy_ratio", "roc_auc"), _Way(_ranking, RANKING_METHODS, ("variance",))),
    **{f"{name} at a share": _SHARE for name in OF_A_SELECTION},
    "captured_response at a threshold": _RATE,
    "lift at a threshold": _Way(_at_cutoff, ("mover", "log_delta"), ("threshold",)),
    "precision at a threshold": _RATE,
    "ks": _Way(partial(_maximum, ks_interval), ("hybrid", "bootstrap")),
    "partial_auc": _Way(
        partial(_maximum, partial_auc_interval), ("profile", "bootstrap"), needs=("max_fpr",)
    ),
    "profit": _Way(partial(_maximum, profit_interval), ("bootstrap",), needs=("value", "cost")),
}
_RATIO = _Way(_read_off, ("envelope", "wald", "fisher", "bootstrap"))
_TOP = _Way(_read_off, ("envelope", "wald", "logit", "bootstrap"), needs=("q",))
AMOUNTS = {
    "accuracy_ratio": _RATIO,
    "concentration_index": _RATIO,
    "captured_response": _TOP,
    "lift": _TOP,
    "mean_amount": _Way(_read_off, ("envelope", "wald", "log", "bootstrap"), ("q",)),
    "profit": _Way(_best_profit, ("multiplier_bootstrap",), needs=("value", "cost")),
}
