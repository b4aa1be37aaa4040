"""Every number that other tools print on the shipped data, beside what is computed here."""

import functools
import json
import math
from fractions import Fraction

import numpy as np
from oracle_files import DATA, oracle

import capcurve as cap
from capcurve.inference import ks_test, smirnov_critical_value
from capcurve.inference.variances import auc_variance, metric_estimates

# In AUC, as the independent numbers are.
compare = functools.partial(cap.compare, metric="roc_auc", law="normal")

LOANS, GERMAN, CREDIT = "lending_club_scores", "german_credit_scores", "credit_data_numeric"
CANCER, TWO_CLASS = "sklearn_breast_cancer_3scores", "two_class_example"
HANLEY, OVARIAN, TIES = "hanley_mcneil_1982", "delong1988_ovarian_sas", "scipy6435_ks_ties"
TARGETS = {HANLEY: "disease", OVARIAN: "popind"}


@functools.cache
def counted(file, score, higher_is="positive"):
    columns = oracle(f"{file}.csv")
    return cap.count_scores(columns[TARGETS.get(file, "y")], columns[score], higher_is=higher_is)


@functools.cache
def compared(file, *scores):
    columns = oracle(f"{file}.csv")
    scores = {name: columns[name] for name in scores}
    return compare(cap.count_joint(columns[TARGETS.get(file, "y")], scores))


def by_score():
    """Yield what expected.json has for every data set and score."""
    for case in json.loads((DATA / "expected.json").read_text()):
        file = case["data"].removesuffix(".csv")
        direction = {"event": "positive", "non-event": "negative"}[case["higher_is"]]
        counts, name = counted(file, case["score"], direction), f"{file} {case['score']}"
        wald = cap.confidence_interval(counts, "accuracy_ratio", method="wald")
        for key, found in (
            ("n", counts.n),
            ("n1", counts.n1),
            ("distinct", len(counts)),
            ("auc_exact", cap.roc_auc(counts)),
            ("auc", cap.roc_auc(counts)),
            ("ar_exact", cap.accuracy_ratio(counts)),
            ("ar", cap.accuracy_ratio(counts)),
            ("delong_var_auc", auc_variance(counts)),
            ("delong_var_ar", wald.se**2),
            ("ij_var_auc", auc_variance(counts, "ij")),
            ("ks", cap.ks(counts).statistic),
        ):
            group = "variances" if "var" in key else "AUC, AR, KS, sizes"
            yield group, f"{name} {key}", found, float(Fraction(case[key]))


def variances():
    """Yield variances and standard errors printed beside the data."""
    for file, score, variance in (
        (CREDIT, "Seniority", 8.7261434493335913e-05),
        (CREDIT, "Income", 0.00010711195234883632),
        (CREDIT, "Amount", 0.00010893975942078657),
        (CREDIT, "Debt", 4.826955110256464e-05),
        (LOANS, "int_rate", 0.00010804597851282072),
    ):
        yield "variances", f"{file} {score}", auc_variance(counted(file, score)), variance
    for kind, se in (
        ("delong", 0.030724408379381115),
        ("hanley_mcneil", 0.032486579607342143),
    ):
        found = math.sqrt(auc_variance(counted(HANLEY, "rating"), kind))
        yield "Hanley-McNeil", f"standard error, {kind}", found, se
    for n1, n0, name, share in (
        (10**9, 2, "Q1", 0.80696395846059865),
        (2, 10**9, "Q2", 0.84277069448469044),
    ):
        yield "Hanley-McNeil", name, exponential_share(1321 / 1479, n1, n0), share


def exponential_share(auc, n1, n0):
    """Return Q1, with very many positives, or Q2, as the library's variance has it."""
    from capcurve.inference.variances import exponential_variance

    few, many = min(n1, n0), max(n1, n0)
    # [A(1 - A) + (n1 - 1)(Q1 - A²) + (n0 - 1)(Q2 - A²)]/n1/n0 at two sizes of the larger class.
    sizes = [(many, few), (many // 2, few)] if n1 > n0 else [(few, many), (few, many // 2)]
    one, half = (exponential_variance(auc, *size) * size[0] * size[1] for size in sizes)
    return (one - half) / (many - many // 2) + auc**2


def weighted():
    """Yield the exposure-weighted AUC and its robust variance."""
    columns = oracle(f"{LOANS}.csv")
    options = {"weight": columns["funded_amnt"], "weight_kind": "exposure"}
    counts = cap.count_scores(columns["y"], columns["grade_rank"], **options)
    joint = cap.count_joint(columns["y"], {"grade_rank": columns["grade_rank"]}, **options)
    for name, found in (
        ("variance", auc_variance(counts)),
        ("interval", cap.confidence_interval(counts, "roc_auc").se ** 2),
        ("joint", metric_estimates(joint).covariance()[0, 0]),
    ):
        yield "weighted variance", name, found, 0.00013150146084947868
    yield "weighted variance", "AUC", cap.roc_auc(counts), 0.75057038780848451


def intervals():
    """Yield Wald limits of the AUC, and those of the AR."""
    for file, score, low, high in (
        (LOANS, "grade_rank", 0.72238590777439227, 0.76322888519608900),
        (GERMAN, "pd1", 0.72729789297712255, 0.79126401178478223),
        (TWO_CLASS, "Class1", 0.92026511888613316, 0.95836259589380168),
        (HANLEY, "rating", 0.83295232765817184, 0.95338979539794710),
    ):
        auc = cap.confidence_interval(counted(file, score), "roc_auc", method="wald")
        ar = cap.confidence_interval(counted(file, score), "accuracy_ratio", method="wald")
        for name, found, expected in (
            ("AUC low", auc.low, low),
            ("AUC high", auc.high, high),
            ("AR low", ar.low, 2 * low - 1),
            ("AR high", ar.high, 2 * high - 1),
        ):
            yield "intervals", f"{file} {score} {name}", found, expected
    pair = compared(CANCER, "radius", "concave").pairs[0]
    yield "intervals", f"{CANCER} difference low", pair.low, -0.0488967455881363158
    yield "intervals", f"{CANCER} difference high", pair.high, -0.0049455460454984265


def paired():
    """Yield covariances, Z and p values of scores on the same rows."""
    for file, scores, covariance, z, p in (
        (
            *(LOANS, ("grade_rank", "int_rate")),
            *(0.00010815041758419132, 1.534749757844138, 0.12484530836764132),
        ),
        (GERMAN, ("pd1", "pd2"), 0.00015078521251116192, 6.6427508192530667, None),
        (
            *(GERMAN, ("pd1", "grade")),
            *(0.00026432972971225898, 2.5067229255156196, 0.012185619036093042),
        ),
        (
            *(CANCER, ("radius", "concave")),
            *(1.6431063812170418e-05, -2.40104828867414, 0.016348179006262852),
        ),
    ):
        found, name = compared(file, *scores), f"{file} {' - '.join(scores)}"
        yield "covariances", name, found.covariance[0][1], covariance
        yield "Z and p", f"{name} Z", found.pairs[0].statistic, z
        if p is not None:
            yield "Z and p", f"{name} p", found.pairs[0].p_value, p


def delong_1988():
    """Yield the matrix, the contrast and one difference of the ovarian data."""
    found = compared(OVARIAN, "alb", "tp", "totscore")
    matrix = [
        [0.0085922417900825797, 0.0077445292764621587, 0.0050370598107330675],
        [0.0077445292764621587, 0.0100094773611943220, 0.0048192972913316309],
        [0.0050370598107330675, 0.0048192972913316309, 0.0105722832732458114],
    ]
    for i, j in np.ndindex(3, 3):
        yield "DeLong 1988", f"covariance {i} {j}", found.covariance[i][j], matrix[i][j]
    for place, auc in enumerate((0.73655913978494625, 0.64784946236559138, 0.72580645161290325)):
        yield "DeLong 1988", f"AUC {place}", found.estimates[place], auc
    pair = found.pairs[1]
    for name, value, expected in (
        ("chi2(2)", found.overall.statistic, 2.5339779262141442),
        ("p of chi2(2)", found.overall.p_value, 0.28167849048888721),
        ("se of alb - totscore", pair.se, 0.095343617730093796),
        ("chi2 of alb - totscore", pair.statistic**2, 0.012718937968679593),
    ):
        yield "DeLong 1988", name, value, expected


def kolmogorov_smirnov():
    """Yield the exact p-value with ties and critical values of the null band."""
    found = ks_test(counted(TIES, "score"))
    yield "KS", "statistic", found.statistic, 0.17101894521249361
    yield "KS", "exact p with ties", found.p_value, 0.19749044920010206
    for n, n1, critical in (
        (20, 6, 9 / 14),
        (100, 10, 4 / 9),
        (500, 250, 0.124),
        (1000, 40, 0.215625),
    ):
        yield "null band", f"{n1} of {n}", smirnov_critical_value(n, n1, 0.05), critical


def working_paper_14():
    """Yield the widths 2·z·sqrt(.1875/n1) of its table 2, for an AUC of 3/4."""
    quantiles = {0.8: 1.2815515655446004, 0.9: 1.6448536269514722, 0.95: 1.959963984540054}
    quantiles |= {0.98: 2.3263478740408408, 0.99: 2.5758293035489004}
    from capcurve.inference.records import Confidence

    for n1 in (10, 20, 40, 50, 100, 200, 500, 1000):
        # Three of four positives above all negatives, one below: no score of AUC 3/4 varies more.
        # Four times as many positives divide into four, and vary a quarter as much.
        counts = cap.ScoreCounts.from_counts([3, 2, 1], [3 * n1, 0, n1], [0, 100 * n1, 0])
        for level, z in quantiles.items():
            width = 2 * Confidence(level).z * math.sqrt(4 * auc_variance(counts, "ij"))
            yield "WP14 table 2", f"{n1} at {level}", width, 2 * z * math.sqrt(0.1875 / n1)


def basel():
    """Yield Basel's measures of grade tables; uncertainty and resolution are those of Brier."""
    for case in json.loads((DATA / "basel_measures.json").read_text()):
        counts = graded(case["name"])
        sizes = (counts.positives + counts.negatives) / counts.n
        lifts = counts.positives / counts.n1 / sizes
        prevalence = cap.prevalence(counts)
        shares = np.array([prevalence, 1 - prevalence])
        entropy = -(shares * np.log(shares)).sum()
        cier = cap.conditional_information_entropy_ratio(counts)
        for key, found in (
            ("n", counts.n),
            ("bad", counts.n1),
            *((key, cap.roc_auc(counts)) for key in ("auc", "auc_f")),
            *((key, cap.accuracy_ratio(counts)) for key in ("ar", "ar_f")),
            *((key, cap.ks(counts).statistic) for key in ("ks", "ks_f")),
            ("pietra_wp14_sqrt2_4", cap.pietra_index(counts)),
            ("pietra_half_ks", cap.pietra_index(counts, convention="half_ks")),
            *((key, cap.bayesian_error_rate(counts)) for key in ("ber", "ber_f")),
            ("ber_pd50", cap.bayesian_error_rate(counts, prior=0.5)),
            ("H_p", entropy),
            ("H_cond", (1 - cier) * entropy),
            ("KL_distance", cier * entropy),
            ("KL_check_sklearn_mutual_info", cier * entropy),
            ("CIER", cier),
            ("uncertainty", prevalence * (1 - prevalence)),
            *(
                (key, prevalence**2 * (sizes * (lifts - 1) ** 2).sum())
                for key in ("resolution", "resolution_f")
            ),
        ):
            yield "Basel measures", f"{case['name']} {key}", found, float(Fraction(case[key]))
        value = math.inf if case["IV"] is None else case["IV"]
        yield "Basel measures", f"{case['name']} IV", cap.information_value(counts), value
        curve = cap.cap_curve(counts)
        for place, (q, captured) in enumerate(case["cap_vertices"]):
            name = f"{case['name']} vertex {place}"
            yield "Basel measures", name, curve.x[place], float(Fraction(q))
            yield "Basel measures", name, curve.y[place], float(Fraction(captured))


def graded(name):
    """Count a table of grades."""
    if name == HANLEY:
        return counted(HANLEY, "rating")
    columns = oracle(f"{name}.csv")
    rank = np.arange(1, len(columns["n"]) + 1)
    return cap.ScoreCounts.from_counts(rank, columns["bad"], columns["n"] - columns["bad"])


def partial():
    """Yield the partial AUC of high specificities."""
    found = cap.partial_auc(counted(CANCER, "radius"), 0.1)
    yield "partial AUC", f"{CANCER} radius", found, 0.07367607420326619


GROUPS = (by_score, variances, weighted, intervals, paired, delong_1988, kolmogorov_smirnov)
GROUPS += (working_paper_14, basel, partial)


def every_number():
    """Yield (group, name, found, printed) of all groups."""
    for group in GROUPS:
        yield from group()


def difference(found, printed):
    """Return how far a number is from the printed one, relative to that."""
    if found == printed:
        return 0.0
    return abs(found - printed) / abs(printed) if printed else math.inf
