"""Print many numbers about made-up data, one line of JSON each, to be held against another Python.

Each line is {"name": ..., "value": ...}: a number, a text, or the line of a refusal or an error. Of
a long column some places are shown. Nothing here needs a process, a thread, a file or DuckDB, and
all data come from `Generator.random`, whose numbers are the same everywhere.
"""

import dataclasses
import hashlib
import json
import sys
import time
import warnings
from collections.abc import Mapping

import numpy as np

import capcurve as cap
from capcurve.metrics import METRICS

SIZES = (3_000, 100_000, 400_000)
FEW = 200_000  # what is slow is asked of fewer rows only
PLACES = 4  # so many of a long column are shown
NEEDED = {
    "max_fpr": 0.3,
    "max_q": 0.2,
    "coverage": 0.4,
    "q": 0.1,
    "value": 3.0,
    "cost": 1.0,
    "k": 50,
    "captured": 0.8,
}
LIMITS = (
    "accuracy_ratio",
    "roc_auc",
    "ks",
    "average_precision",
    "captured_response",
    "lift",
    "precision",
    "partial_auc",
    "profit",
    "aurc",
    "selective_risk",
    "kappa",
)
KNOWN = ("accuracy_ratio", "roc_auc", "captured_response", "precision", "kappa", "prevalence")
CURVES = (
    "cap_curve",
    "roc_curve",
    "ks_curve",
    "lift_curve",
    "local_lift_curve",
    "lorenz_curve",
    "captured_response_curve",
    "precision_recall_curve",
    "risk_coverage_curve",
)
CURVE_COLUMNS = ("x_sums", "y_sums", "x", "y", "thresholds", "over_sums")
SECONDS = {}


def some(length):
    """Return the places of a column of this length that are shown."""
    return sorted({round(at * (length - 1) / (PLACES - 1)) for at in range(PLACES) if length})


def said(name, value):
    """Print one line."""
    sys.stdout.write(json.dumps({"name": name, "value": value}) + "\n")


def parts(value):
    """Return what a value consists of, by name; None of a number, a text or nothing."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, np.ndarray):
        value = value.ravel()
    if isinstance(value, np.ndarray | list | tuple):
        size = {"size": len(value)} if len(value) > PLACES else {}
        return size | {at: value[at] for at in some(len(value))}
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if dataclasses.is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    return None


def numbers(name, value):
    """Yield the numbers and texts that a value consists of, each with its own name."""
    inside = parts(value)
    if inside is not None:
        for key, each in inside.items():
            yield from numbers(f"{name}.{key}", each)
    elif isinstance(value, np.generic):
        yield name, value.item()
    elif value is None or isinstance(value, bool | int | float | str):
        yield name, value
    else:
        yield name, repr(value)


def ask(name, work):
    """Print what comes of some work, an error too."""
    start = time.perf_counter()
    try:
        found = list(numbers(name, work()))
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is to be the same
        found = [(f"{name}.error", f"{type(error).__name__}: {error}")]
    for at, value in found:
        said(at, value)
    kind = "/".join(name.split("/")[1:])
    SECONDS[kind] = SECONDS.get(kind, 0.0) + time.perf_counter() - start


def kinds_of_scores(n):
    """Return scores of each kind, and a number between 0 and 1 that outcomes follow."""
    draw = np.random.default_rng(n)
    latent, other = draw.random(n), draw.random(n)
    half = np.where(other < 0.5, latent, np.round(latent, 2))
    kinds = {
        "distinct": latent,
        "half tied": half,
        "1000 levels": np.floor(latent * 1000) / 1000,
        "20 levels": np.floor(latent * 20) / 20,
        "whole": np.floor(latent * latent * 90_000).astype(np.int64),
        "far whole": np.floor(latent * 10_000).astype(np.int64) * 1_000_003 - 2**40,
        "float32": latent.astype(np.float32),
    }
    return kinds, latent, draw


def curve(found):
    """Return the columns of a curve."""
    return {each: getattr(found, each, None) for each in CURVE_COLUMNS}


def saved(counts):
    """Return what a saved form consists of: its digest, and that of its text."""
    text = json.dumps(counts.to_dict(), default=str)
    return {"digest": counts.digest(), "text": hashlib.sha256(text.encode()).hexdigest()}


def options(metric):
    """Return what a metric needs, or may be told."""
    found = {each: NEEDED[each] for each in metric.needs if each in NEEDED}
    return found | ({"threshold": 0.4} if "threshold" in metric.needs else {})


def metrics(name, counts, of="classes", *, pds=False):
    """Ask every metric of some counts."""
    for metric in METRICS.values():
        if of in metric.of and (pds or not metric.of_pds):
            told = options(metric)
            ask(f"{name}/metric {metric.name}", lambda m=metric, t=told: m.function(counts, **t))


def limits(name, counts, names=LIMITS, **more):
    """Ask for limits of some metrics."""
    for each in names:
        told = options(METRICS[each]) | more
        ask(
            f"{name}/limits {each}",
            lambda e=each, t=told: cap.confidence_interval(counts, e, **t),
        )


def of_one_score(name, target, score, _):
    """Ask all about one score."""
    n = len(score)
    counts = cap.count_scores(target, score)
    ask(f"{name}/counts", lambda: [counts.n1, counts.n0, len(counts)])
    ask(f"{name}/cells", lambda: [counts.score, counts.positives, counts.negatives])
    ask(f"{name}/digest", counts.digest)
    metrics(name, counts)
    limits(name, counts)
    ask(
        f"{name}/binomial", lambda: cap.confidence_interval(counts, "auc", variance="hanley_mcneil")
    )
    for each in CURVES:
        ask(f"{name}/{each}", lambda e=each: curve(getattr(cap, e)(counts)))
    ask(f"{name}/profit", lambda: curve(cap.profit_curve(counts, value=3, cost=1)))
    ask(f"{name}/distributions", lambda: cap.score_distributions(counts))
    ask(f"{name}/gains", lambda: cap.gains_table(counts))
    ask(f"{name}/ks test", lambda: cap.ks_test(counts))
    ask(f"{name}/discrimination", lambda: cap.discrimination_test(counts))
    ask(f"{name}/monotone", lambda: cap.monotonicity_test(counts, bins=10))
    ask(f"{name}/best", lambda: cap.best_thresholds(counts))
    ask(f"{name}/point", lambda: cap.operating_point(counts, q=0.2))
    ask(f"{name}/between", lambda: cap.captured_between(counts, 0.1, 0.3))
    ask(f"{name}/exchanged", lambda: cap.accuracy_ratio(cap.count_scores(~target, score)))
    ask(f"{name}/falls", lambda: cap.ks(cap.count_scores(target, score, higher_is="negative")))
    ask(f"{name}/loss", lambda: cap.banding_loss(counts, bins=10))
    ask(f"{name}/summary", lambda: cap.summarize(counts, selective=n < FEW))
    if n < FEW:
        ask(f"{name}/cut-off", lambda: cap.certified_cutoff(counts, 0.6))
        ask(f"{name}/grades", lambda: cap.design_grades(counts, 5, splits=2))
        ask(f"{name}/rates", lambda: cap.rate_table(counts, bins=10))
    if len(counts) < 10_000:
        ask(f"{name}/thresholds", lambda: cap.threshold_table(counts))
        ask(f"{name}/steps", lambda: cap.step_table(counts))
    if n < 10_000:
        ask(f"{name}/null band", lambda: cap.null_band(counts, kind="pointwise"))
        ask(f"{name}/cap band", lambda: cap.cap_band(counts, replicates=100, seed=1))
        ask(f"{name}/roc band", lambda: cap.roc_band(counts, replicates=100, seed=1))
        told = {"method": "bootstrap", "replicates": 60, "seed": 1}
        limits(f"{name}/drawn", counts, ("ks", "accuracy_ratio"), **told)


def of_weights(name, target, score, draw):
    """Ask about rows that count several times, or have weights, or belong to clusters."""
    n = len(score)
    often = np.floor(draw.random(n) * 4).astype(np.int64)
    weighed = {
        "frequency": often,
        "sampling": 0.5 + 3 * draw.random(n),
        "exposure": 0.1 + draw.random(n),
    }
    for kind, weight in weighed.items():
        counts = cap.count_scores(target, score, weight=weight, weight_kind=kind)
        at = f"{name}/{kind}"
        ask(f"{at}/cells", lambda c=counts: [c.n1, c.n0, c.positives, c.negatives, c.digest()])
        metrics(at, counts)
        limits(at, counts)
        ask(f"{at}/gains", lambda c=counts: cap.gains_table(c))
        ask(f"{at}/summary", lambda c=counts: cap.summarize(c))
    for size in (3, 700):
        cluster = np.floor(draw.random(n) * n / size).astype(np.int64)
        counts = cap.count_scores(target, score, cluster=cluster)
        at = f"{name}/clusters of {size}"
        ask(f"{at}/digest", counts.digest)
        limits(at, counts)
        ask(f"{at}/summary", lambda c=counts: cap.summarize(c))
    weight = weighed["sampling"]
    counts = cap.count_scores(target, score, cluster=cluster, weight=weight, weight_kind="sampling")
    limits(f"{name}/weighted clusters", counts)


def of_pairs(name, target, latent, draw):
    """Ask about two scores of the same rows, and about two samples."""
    n = len(latent)
    other = np.round(latent + 0.3 * draw.random(n), 2)
    joint = cap.count_joint(target, {"a": latent, "b": other, "c": np.floor(latent * 9)})
    ask(f"{name}/joint digest", joint.digest)
    for metric in ("accuracy_ratio", "roc_auc", "aurc", "average_precision", "captured_response"):
        told = options(METRICS[metric])
        ask(f"{name}/compare {metric}", lambda m=metric, t=told: cap.compare(joint, metric=m, **t))
    first, second = cap.count_scores(target, latent), cap.count_scores(target, other)
    for law in ("mover", "welch"):
        ask(
            f"{name}/independent {law}", lambda w=law: cap.compare_independent(first, second, law=w)
        )
    ask(f"{name}/initial", lambda: cap.test_against_initial(first, 0.4))
    ask(f"{name}/initial counts", lambda: cap.test_against_initial(first, second))
    ask(f"{name}/merged", lambda: cap.accuracy_ratio(cap.ScoreCounts.merge([first, second])))
    if n < 10_000:
        ask(
            f"{name}/difference",
            lambda: cap.difference_band(joint, ["a", "b"], replicates=100, seed=1),
        )


def of_amounts(name, target, latent, draw):
    """Ask about amounts, with and without an exposure, and of clusters."""
    n = len(latent)
    amounts = {
        "all": np.round(1000 * latent) + 1,
        "some": np.where(target, np.floor(50_000 * draw.random(n) ** 4), 0.0),
        "cents": np.where(target, np.round(90_000 * draw.random(n) ** 4, 2), 0.0),
        "whole": np.where(target, np.floor(5_000_000 * draw.random(n) ** 2), 0).astype(np.int64),
    }
    given = {"none": {}, "exposure": {"exposure": np.round(0.01 + draw.random(n), 2)}}
    given["clusters"] = {"cluster": np.floor(draw.random(n) * n / 5).astype(np.int64)}
    names = ("accuracy_ratio", "captured_response", "lift", "mean_amount", "concentration_index")
    for kind, amount in amounts.items():
        for more, told in given.items():
            if more != "none" and (kind in ("all", "whole") or n > FEW):
                continue
            score = latent if kind != "cents" else np.floor(latent * 500)
            at = f"{name}/amount {kind}/{more}"
            try:
                counts = cap.count_values(amount, score, **told)
            except Exception as error:  # noqa: BLE001 - as in `ask`
                said(f"{at}.error", f"{type(error).__name__}: {error}")
                continue
            ask(f"{at}/digest", counts.digest)
            ask(f"{at}/counts", lambda c=counts: [c.n, c.m, len(c), c.amount])
            metrics(at, counts, "amounts")
            limits(at, counts, names)
            ask(f"{at}/curve", lambda c=counts: curve(cap.cap_curve(c)))
            ask(f"{at}/lorenz", lambda c=counts: curve(cap.lorenz_curve(c)))
            ask(f"{at}/gains", lambda c=counts: cap.gains_table(c))
            ask(f"{at}/summary", lambda c=counts: cap.summarize(c))
    if n < FEW:
        by = np.array(["n", "e", "s"])[np.floor(draw.random(n) * 3).astype(np.int64)]
        parts = cap.count_value_segments(amounts["some"], latent, by=by)
        ask(f"{name}/amounts by", lambda: cap.segment_table(parts))
        joint = cap.count_joint_values(amounts["some"], {"a": latent, "b": np.round(latent, 1)})
        ask(f"{name}/amounts compared", lambda: cap.compare(joint))


def of_times(name, latent, draw):
    """Ask about outcomes that take time, some of them censored, some competing."""
    n = len(latent)
    time_of = np.ceil((draw.random(n) ** 0.5) * (2000 - 900 * latent))
    event = np.floor(draw.random(n) * 3).astype(np.int64)
    strata = np.array(["x", "y"])[(draw.random(n) < 0.5).astype(np.int64)]
    score = np.round(latent, 3)
    made = {
        "plain": {"censored_label": 0, "event_label": 1},
        "stratum": {"censored_label": 0, "event_label": 1, "stratum": strata},
        "competing": {"censored_label": 0, "event_label": 1, "competing_labels": [2]},
    }
    for kind, told in made.items():
        known = event if kind == "competing" else np.minimum(event, 1)
        times = cap.count_times(time_of, known, score, **told)
        at = f"{name}/times {kind}"
        ask(f"{at}/digest", times.digest)
        counts = times.at(700)
        ask(f"{at}/cells", lambda c=counts: [c.n1, c.n0, c.positives, c.negatives])
        metrics(at, counts)
        limits(at, counts, ("accuracy_ratio", "roc_auc", "ks", "prevalence", "captured_response"))
        ask(f"{at}/table", lambda t=times: cap.horizon_table(t, [300, 700]))
        ask(f"{at}/censoring", lambda t=times: cap.censoring_test(t, 700))
        ask(f"{at}/integrated", lambda t=times: cap.integrated_accuracy_ratio(t, [300, 500, 700]))
    parts = cap.count_time_segments(time_of, np.minimum(event, 1), score, by=strata)
    ask(f"{name}/times by", lambda: cap.segment_table({key: parts[key].at(700) for key in parts}))
    joint = cap.count_joint_times(
        time_of, np.minimum(event, 1), {"a": score, "b": np.round(score, 1)}
    )
    ask(f"{name}/times compared", lambda: cap.compare(joint.at(700)))


def of_trials(name, latent, draw):
    """Ask about trials: of positives, of amounts, and of clusters."""
    n = len(latent)
    arm = (draw.random(n) < 0.4).astype(np.int64)
    outcome = draw.random(n) < 0.2 + 0.3 * latent * arm
    amounts = np.where(outcome, np.floor(1 + 900 * draw.random(n)), 0.0)
    cluster = np.floor(draw.random(n) * n / 4).astype(np.int64)
    score = np.round(latent, 3)
    made = {
        "positives": lambda: cap.count_uplift(outcome, arm, score),
        "distinct": lambda: cap.count_uplift(outcome, arm, latent),
        "amounts": lambda: cap.count_uplift_values(amounts, arm, score),
        "clusters": lambda: cap.count_uplift(outcome, arm, score, cluster=cluster),
    }
    for kind, make in made.items():
        trial, at = make(), f"{name}/trial {kind}"
        ask(f"{at}/digest", trial.digest)
        metrics(at, trial, "trials")
        limits(at, trial, ("uplift", "qini", "auuc", "autoc"))
        ask(f"{at}/curve", lambda t=trial: curve(cap.uplift_curve(t)))
        ask(f"{at}/qini", lambda t=trial: curve(cap.qini_curve(t)))
        ask(f"{at}/test", lambda t=trial: cap.qini_test(t))
        ask(f"{at}/balance", lambda t=trial: cap.balance_test(t))
        ask(f"{at}/table", lambda t=trial: cap.uplift_table(t))
        ask(f"{at}/share", lambda t=trial: cap.best_share(t, value=5, cost=1))
    joint = cap.count_joint_uplift(outcome, arm, {"a": score, "b": np.round(latent, 1)})
    ask(f"{name}/trials compared", lambda: cap.compare(joint, metric="qini"))


def of_segments(name, target, latent, draw):
    """Ask about segments, many and few, and what changed between two samples."""
    n = len(latent)
    few = np.array(["n", "e", "s", "w"])[np.floor(draw.random(n) * 4).astype(np.int64)]
    many = np.floor(draw.random(n) * n / 20).astype(np.int64)
    month = np.array(["2024-01", "2024-02", "2024-03"])[np.floor(draw.random(n) * 3).astype(int)]
    score = np.round(latent, 3)
    parts = cap.count_segments(target, score, by=few)
    ask(f"{name}/segments", lambda: cap.segment_table(parts))
    ask(f"{name}/decomposed", lambda: cap.decompose(parts))
    ask(f"{name}/heterogeneity", lambda: cap.heterogeneity_test(parts, seed=1))
    ask(f"{name}/groups", lambda: cap.compare_groups(parts, threshold=0.5, replicates=50))
    crowd = cap.count_segments(target, latent, by=many)
    for metric in ("accuracy_ratio", "roc_auc", "ndcg", "average_precision", "ks", "hit_rate"):
        told = {"k": 5} if metric in ("ndcg", "hit_rate") else {}
        ask(f"{name}/mean {metric}", lambda m=metric, t=told: cap.mean_over(crowd, metric=m, **t))
    ask(f"{name}/abroca", lambda: cap.abroca(parts["n"], parts["e"]))
    half = n // 2
    before = cap.count_segments(target[:half], score[:half], by=few[:half])
    after = cap.count_segments(target[half:], latent[half:], by=few[half:])
    for metric in ("accuracy_ratio", "captured_response", "precision")[: 1 if n > 10_000 else 3]:
        told = {} if metric == "accuracy_ratio" else {"q": 0.1}
        ask(
            f"{name}/change {metric}",
            lambda m=metric, t=told: cap.attribute_change(before, after, metric=m, **t),
        )
    periods = cap.count_segments(target, np.floor(latent * 8), by=month)
    ask(f"{name}/pooled", lambda: cap.pool_periods(periods))
    ask(f"{name}/homogeneous", lambda: cap.grade_homogeneity_test(periods))
    ask(f"{name}/stability by", lambda: cap.population_stability(periods))
    first = cap.count_scores(target, latent)
    ask(f"{name}/chart", lambda: cap.control_chart(dict(periods), first, drop=0.1, limit=2.5))


def of_grades(name, target, latent, draw):
    """Ask about grades, their stability, and estimated chances."""
    n = len(latent)
    names = np.array([f"g{number:02d}" for number in range(12)])
    grade = names[np.floor(latent * 12).astype(np.int64)]
    moved = names[np.clip(np.floor(latent * 12 + 3 * draw.random(n) - 1), 0, 11).astype(np.int64)]
    told = {"levels": names.tolist()}
    now, old = cap.count_scores(target, grade, **told), cap.count_scores(target, moved, **told)
    at = f"{name}/grades"
    ask(f"{at}/digest", now.digest)
    metrics(at, now)
    limits(at, now, ("accuracy_ratio", "ks", "captured_response"))
    ask(f"{at}/stability", lambda: cap.population_stability(now, old))
    ask(f"{at}/concentration", lambda: cap.grade_concentration(now, old))
    ask(f"{at}/adjacent", lambda: cap.adjacent_grades(now))
    ask(f"{at}/rates", lambda: cap.rate_table(now))
    ask(f"{at}/monotone", lambda: cap.monotonicity_test(now))
    ask(f"{at}/rank", lambda: cap.kendall_tau_b(now))
    joint = cap.count_joint(target, {"start": grade, "end": moved}, levels=names.tolist())
    ask(f"{at}/migration", lambda: cap.migration_table(joint, "start", "end"))
    cells = cap.count_cases(latent)
    ask(f"{at}/cases", lambda: [cells.n, len(cells), cells.digest()])
    ask(
        f"{at}/cases stability", lambda: cap.population_stability(cells, cap.count_cases(latent**2))
    )
    rows = {
        "n": [int(each) for each in now.positives + now.negatives],
        "positives": [int(each) for each in now.positives],
    }
    ask(f"{at}/audit", lambda: cap.audit_table(rows, claims={"ar": "0.48", "ks": "0.37"}))
    realised, estimated = draw.random(n), draw.random(n)
    ordinal = cap.count_classes(realised, (realised + estimated) / 2)
    ask(f"{at}/lgd", lambda: cap.generalised_auc(ordinal))
    for digits in (2, 12):
        pds = cap.count_scores(target, np.clip(latent, 0.01, 0.99).round(digits))
        at = f"{name}/pds of {digits} digits"
        metrics(at, pds, pds=True)
        ask(f"{at}/table", lambda c=pds: cap.calibration_table(c))
        ask(f"{at}/tests", lambda c=pds: cap.pd_tests(c))
        ask(f"{at}/recalibration", lambda c=pds: cap.logistic_recalibration(c))
        ask(f"{at}/decisions", lambda c=pds: cap.decision_curve(c, [0.1, 0.5]))
        ask(f"{at}/implied", lambda c=pds: cap.implied_accuracy_ratio(c))
        if n < FEW:
            ask(f"{at}/spiegelhalter", lambda c=pds: cap.calibration_test(c))
            ask(f"{at}/assessed", lambda c=pds: cap.assess_calibration(c))


def of_labels(name, target, latent, draw):
    """Ask about cases of which some have a label."""
    n = len(latent)
    known = draw.random(n) < 0.3 + 0.5 * latent
    outcome = np.where(known, target.astype(np.float64), np.nan)
    for kind, score in {"rounded": np.round(latent, 2), "distinct": latent}.items():
        partial, at = cap.count_partial(outcome, score), f"{name}/partial {kind}"
        ask(f"{at}/digest", partial.digest)
        for metric in ("accuracy_ratio", "roc_auc", "captured_response"):
            more = options(METRICS[metric])
            ask(
                f"{at}/bounds {metric}",
                lambda p=partial, m=metric, t=more: cap.unknown_bounds(p, m, **t),
            )
        ask(f"{at}/tipping", lambda p=partial: cap.tipping_point(p, 0.5))
        for labelled in ("at random", "by score"):
            ask(
                f"{at}/rate {labelled}",
                lambda p=partial, w=labelled: cap.estimate_rate(p, labelled=w),
            )
            told = {"labelled": labelled}
            limits(f"{at}/{labelled}", partial, KNOWN, **told)


def of_lists():
    """Ask about lists of whole numbers and other small columns, and what is saved of them."""
    rows = {
        "list": [3, 1, 2, 2, 5, 1],
        "floats": [3.0, 1.5, 2.0, 2.0, 5.0, 1.0],
        "bools": [True, False, True, True, False, False],
        "large": [2**40, 1, 2, 2, 5, 2**33],
        "tuple": (3, 1, 2, 2, 5, 1),
        "int32": np.array([3, 1, 2, 2, 5, 1], np.int32),
        "int64": np.array([3, 1, 2, 2, 5, 1], np.int64),
        "uint8": np.array([3, 1, 2, 2, 5, 1], np.uint8),
    }
    target, often = [1, 0, 1, 0, 1, 0], [1, 2, 3, 1, 1, 1]
    for kind, score in rows.items():
        at = f"lists/{kind}"
        ask(f"{at}/dtype", lambda s=score: str(cap.count_scores(target, s).score.dtype))
        ask(f"{at}/saved", lambda s=score: saved(cap.count_scores(target, s)))
        ask(f"{at}/weighted", lambda s=score: saved(cap.count_scores(target, s, weight=often)))
        joint = cap.count_joint(target, {"a": score, "b": often})
        ask(
            f"{at}/joint",
            lambda j=joint: [j.digest(), *(str(j.margin(each).score.dtype) for each in "ab")],
        )
        ask(f"{at}/values", lambda s=score: saved(cap.count_values(often, s)))
        ask(f"{at}/of amounts", lambda s=score: saved(cap.count_values(s, often)))
        ask(f"{at}/cases", lambda s=score: saved(cap.count_cases(s)))
        ask(f"{at}/times", lambda s=score: saved(cap.count_times(often, target, s)))
        ask(f"{at}/time", lambda s=score: saved(cap.count_times(s, target, often)))
        ask(f"{at}/uplift", lambda s=score: saved(cap.count_uplift(target, [1, 1, 0, 0, 1, 0], s)))
        ask(f"{at}/partial", lambda s=score: saved(cap.count_partial([1, 0, None, 1, 0, 0], s)))
        parts = cap.count_segments(target, often, by=score)
        ask(f"{at}/segments", lambda p=parts: [[repr(key), saved(p[key])] for key in p])
        ask(f"{at}/clusters", lambda s=score: saved(cap.count_scores(target, often, cluster=s)))
        ask(f"{at}/back", lambda s=score: back(cap.count_scores(target, s)))
        ask(f"{at}/of counts", lambda s=score: saved(made(s, often)))
    ask("lists/many cases", lambda: cap.accuracy_ratio(made([1, 2, 3], [2**31, 2**33, 5])))
    ask("lists/power", lambda: cap.power(0.7, 200_000, 3_000_000, versus=0.69))
    ask("lists/drop", lambda: cap.detectable_drop(200_000, 3_000_000, 0.5))
    ask("lists/rate", lambda: cap.rate_interval(70_000, 3_000_000_000))
    ask(
        "lists/simulated",
        lambda: [*map(saved, cap.simulate_random_cap(5000, 0.1, curves=2, seed=3))],
    )


def made(score, cases):
    """Return counts that are given as lists of cases."""
    score = [*dict.fromkeys(score)]
    return cap.ScoreCounts.from_counts(score, cases[: len(score)], cases[: len(score)])


def of_many_cases():
    """Ask about few cells that hold thousands of millions of cases, in whatever type they come."""
    low, high = 900_000_000, 1_800_000_000
    bad = [low + 40_000_000 * each for each in range(12)]
    good = [high - 90_000_000 * each for each in range(12)]
    odd = [1 + 83 * each % 1_000 for each in range(12)]
    for kind, (p, n) in {"many": (bad, good), "uint32": (bad, odd)}.items():
        made_of = {"list": list, "uint32": lambda each: np.array(each, np.uint32)}
        for how, of in made_of.items():
            name = f"many cases/{kind} of {how}"
            counts = cap.ScoreCounts.from_counts([*range(12)], of(p), of(n))
            ask(f"{name}/counts", lambda c=counts: [c.n1, c.n0, c.n, c.digest()])
            metrics(name, counts)
            limits(name, counts)
            for each in CURVES:
                ask(f"{name}/{each}", lambda e=each, c=counts: curve(getattr(cap, e)(c)))
            about = {
                "gains": cap.gains_table,
                "thresholds": cap.threshold_table,
                "steps": cap.step_table,
                "rates": cap.rate_table,
                "adjacent": cap.adjacent_grades,
                "ks test": cap.ks_test,
                "discrimination": cap.discrimination_test,
                "monotone": cap.monotonicity_test,
                "best": cap.best_thresholds,
                "loss": lambda c: cap.banding_loss(c, bins=5),
                "concentration": lambda c: cap.grade_concentration(c, c),
                "stability": lambda c: cap.population_stability(c, c),
                "initial": lambda c: cap.test_against_initial(c, 0.3),
                "summary": cap.summarize,
                "null band": lambda c: cap.null_band(c, kind="pointwise"),
                "cut-off": lambda c: cap.certified_cutoff(c, 0.6),
                "merged": lambda c: saved(cap.ScoreCounts.merge([c, c])),
            }
            for each, work in about.items():
                ask(f"{name}/{each}", lambda w=work, c=counts: w(c))
            pair = {
                "2024-01": counts,
                "2024-02": cap.ScoreCounts.from_counts([*range(12)], of(n), of(p)),
            }
            ask(f"{name}/independent", lambda two=pair: cap.compare_independent(*two.values()))
            ask(f"{name}/homogeneous", lambda two=pair: cap.grade_homogeneity_test(two))
            ask(f"{name}/pooled", lambda two=pair: cap.pool_periods(two))
            ask(f"{name}/by", lambda two=pair: cap.segment_table(two))
            ask(f"{name}/decomposed", lambda two=pair: cap.decompose(two))
            ask(f"{name}/chart", lambda two=pair: cap.control_chart(two, 0.2, drop=0.1, limit=2.5))
    table = {"n": [each + 7 for each in bad], "positives": odd}
    ask("many cases/audit", lambda: cap.audit_table(table, claims={"ar": "0.48"}))
    ordinal = [[low * (a + b) for a in range(4)] for b in range(4)]
    ask("many cases/lgd", lambda: cap.generalised_auc(ordinal))
    told = {"weight": np.full(400, low, np.int64), "weight_kind": "frequency"}
    rows = np.arange(400, dtype=np.int64)
    joint = {"a": rows // 20, "b": rows % 17}
    ask("many cases/joint", lambda: cap.compare(cap.count_joint(rows % 2, joint, **told)))
    few = cap.count_scores(rows % 2, rows // 20, **told)
    ask("many cases/often", lambda: [few.n, cap.accuracy_ratio(few), few.digest()])
    ask(
        "many cases/exact",
        lambda: cap.discrimination_test(made([3, 1, 2], [40_000, 70_000, 60_000])),
    )


def back(counts):
    """Return what is read again of what was saved."""
    again = type(counts).from_dict(json.loads(json.dumps(counts.to_dict())))
    return [again.digest(), str(again.score.dtype), again == counts]


def every(name, asked, *given):
    """Ask about one kind of data; what it cannot even count is printed as an error."""
    seed = [ord(each) for each in name]
    try:
        asked(name, *given, np.random.default_rng(seed))
    except Exception as error:  # noqa: BLE001 - as in `ask`
        said(f"{name}.error", f"{type(error).__name__}: {error}")


def main(sizes):
    """Print all numbers of these sizes."""
    if SIZES[0] in sizes:
        of_lists()
        of_many_cases()
    for n in sizes:
        kinds, latent, draw = kinds_of_scores(n)
        target = draw.random(n) < 0.05 + 0.5 * latent**2
        rare = draw.random(n) < 0.02 * latent
        for kind, score in kinds.items():
            if n > FEW and kind in ("half tied", "20 levels", "float32"):
                continue
            every(f"{n} {kind}", of_one_score, target, score)
        every(f"{n} rare", of_one_score, rare, latent)
        every(f"{n} tied weights", of_weights, target, kinds["1000 levels"])
        every(f"{n} pairs", of_pairs, target, latent)
        every(f"{n} amounts", of_amounts, target, latent)
        every(f"{n} trials", of_trials, latent)
        every(f"{n} segments", of_segments, target, latent)
        every(f"{n} grades", of_grades, target, latent)
        if n < FEW:
            every(f"{n} weights", of_weights, target, latent)
            every(f"{n} times", of_times, latent)
            every(f"{n} labels", of_labels, target, latent)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main([int(each) for each in sys.argv[1:]] or SIZES)
    slowest = sorted(SECONDS.items(), key=lambda each: -each[1])[:40]
    sys.stderr.write(json.dumps({"seconds": dict(slowest)}) + "\n")
