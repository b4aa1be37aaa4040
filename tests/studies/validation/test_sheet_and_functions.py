"""Every number on a sheet is that of the one function it comes from, however odd the samples."""

import json
import math
from functools import partial

import numpy as np
import pytest
from sheet_reading import NUMBERS, cells_of, in_words, known, rows_of

import capcurve as cap
from capcurve.inference import compare, detectable_drop, heterogeneity_test, monotonicity_test
from capcurve.studies.validation.judgement import kind_of

pytestmark = pytest.mark.filterwarnings("ignore:there are .* distinct scores:UserWarning")

GRADES = ["E", "D", "C", "B", "A"]  # the riskiest first
LEVELS = 5

# What is odd about a sample. Each way of one kind meets each way of every other kind once.
OUTCOMES = ("usual", "alike in all grades", "a grade of one class", "one class", "few")
SCORES = ("grades", "an empty grade", "one grade", "numbers", "infinite numbers")
ROWS = ("plain", "clustered", "frequency", "sampling", "weights of unknown kind")
EARLIER = ("nothing", "initial", "initial and periods", "a known ratio", "cases alone")
SEGMENTS = ("none", "two", "alike", "one lacks a class", "one")
FURTHER = ("nothing", "other scores", "unknown", "all unknown", "both")
KINDS = (OUTCOMES, SCORES, ROWS, EARLIER, SEGMENTS, FURTHER)
PAIRWISE = [
    (*(kind[(i + times * j) % LEVELS] for times, kind in enumerate(KINDS[:-1])), FURTHER[j])
    for i in range(LEVELS)
    for j in range(LEVELS)
]


def test_each_way_meets_each_way_of_every_other_kind():
    for one in range(len(KINDS)):
        for other in range(one):
            assert len({(row[one], row[other]) for row in PAIRWISE}) == LEVELS**2


# Samples


def rows(rng, outcome, score):
    """Draw rows: outcome, score, grades before and after, challengers, segment, cluster, weight."""
    n = int(rng.integers(6, 9)) if outcome == "few" else int(rng.integers(40, 70))
    grades = {"one grade": 1, "an empty grade": 4}.get(score, 5)
    place = rng.integers(0, grades, n)
    rates = rng.uniform(0.05, 0.6, 5)
    if outcome == "alike in all grades":
        # As many cases and positives in each: all p-values of pairs are one.
        place, rates = np.arange(40) % grades, np.full(5, 0.5)
        n, y = 40, (np.arange(40) // grades) % 2
    elif outcome == "a grade of one class":
        y = (rng.random(n) < np.where(np.arange(5) == 0, 1.0, rates)[place]).astype(int)
    elif outcome == "one class":
        y = np.zeros(n, dtype=int)
    else:
        y = (rng.random(n) < rates[place]).astype(int)
        y[:2] = 0, 1
    held = np.array(GRADES)[place]
    if score in {"numbers", "infinite numbers"}:
        held = -place + rng.normal(size=n)
    if score == "infinite numbers":
        held[:2] = np.inf, -np.inf
    moved = np.clip(place + rng.choice([-1, 0, 1], n, p=[0.2, 0.6, 0.2]), 0, 4)
    begun = np.clip(place + rng.choice([-1, 0, 1], n, p=[0.1, 0.8, 0.1]), 0, 4)
    return {
        "y": y,
        "score": held,
        "final": np.array(GRADES)[moved],
        "start": np.array(GRADES)[begun],
        "gbm": -place + rng.integers(0, 4, n),
        "rate": rng.normal(size=n).round(1),
        "segment": rng.choice(["retail", "corporate"], n),
        "month": np.sort(rng.integers(1, 4, n)),
        "client": rng.integers(0, n // 2, n),
        "weight": rng.integers(1, 4, n),
        "share": rng.uniform(0.5, 2, n),
    }


def counting(kind):
    """Return how rows of a kind are counted."""
    return {
        "plain": {},
        "clustered": {"cluster": "client"},
        "frequency": {"weight": "weight", "weight_kind": "frequency"},
        "sampling": {"weight": "share", "weight_kind": "sampling"},
        "weights of unknown kind": {"weight": "share"},
    }[kind]


def as_they_come(data):
    return data


def asked(rng, outcome, score, kind, earlier, segments, further, turn=as_they_come):
    """Return the samples of a sheet, and what `validate` is asked beside them."""
    data, first = rows(rng, outcome, score), rows(rng, "usual", score)
    if segments != "none":
        data["part"] = part_of(data, segments)
    data["outcome"] = data["y"].astype(object)
    data["outcome"][:: 1 if further == "all unknown" else 7] = None
    data, first, how = turn(data), turn(first), counting(kind)
    graded = score not in {"numbers", "infinite numbers"}
    scale = {"levels": GRADES} if graded else {}
    given = {"level": float(rng.choice([0.9, 0.95])), "seed": int(rng.integers(1, 9))}
    given |= before(rng, first, data, earlier, {**scale, **how})
    if segments != "none":
        given["segments"] = cap.count_segments("y", "score", data=data, by="part", **scale, **how)
    if further in {"other scores", "both"}:
        given |= others(data, how, graded=graded)
    if further in {"unknown", "all unknown", "both"}:
        options = {**scale, **{name: value for name, value in how.items() if name != "cluster"}}
        given["partial"] = cap.count_partial("outcome", "score", data=data, **options)
    return data, cap.count_scores("y", "score", data=data, **scale, **how), given


def before(rng, first, data, earlier, options):
    """Return what is known of the first validation, and of periods since."""
    given = {}
    if earlier.startswith("initial"):
        given["initial"] = cap.count_scores("y", "score", data=first, **options)
    if earlier == "initial and periods":
        periods = cap.count_segments("y", "score", data=data, by="month", **options)
        given |= {"periods": periods, "chart": 1.5}
    if earlier == "a known ratio":
        given["initial"] = float(rng.choice([1.0, 0.5, -0.25]))
    if earlier == "cases alone":
        levels = options.get("levels")
        given["before"] = cap.count_cases("score", data=first, levels=levels)
    return given


def part_of(data, segments):
    """Return the segment of each row."""
    part, n = data["segment"], len(data["segment"])
    return {
        "two": part,
        "alike": np.where(np.arange(n) % 2, "retail", "corporate"),
        "one lacks a class": np.where((part == "retail") & (data["y"] == 0), "retail", "corporate"),
        "one": np.full(n, "retail"),
    }[segments]


def others(data, how, *, graded):
    """Return the other scores and grades of the same rows."""
    names = ["score", *(["start", "final"] if graded else []), "gbm", "rate"]
    levels = dict.fromkeys(names[:3], GRADES) if graded else None
    joint = cap.count_joint("y", names, data=data, levels=levels, **how)
    return {"joint": joint, **({"start": "start", "final": "final"} if graded else {})}


# What the functions give


def of(found):
    return {name: getattr(found, name, None) for name in NUMBERS}


def no_numbers():
    raise ValueError("there are none")


def headline(now, metric, level):
    cap.roc_auc(now)  # the sheet has no numbers of one class alone
    value = getattr(cap, metric)(now)
    estimate = value.statistic if metric == "ks" else value
    try:
        found = cap.confidence_interval(now, metric, level=level)
    except ValueError:
        return {"estimate": estimate}
    return of(found)


def fall(now, initial, level):
    test = of(cap.test_against_initial(now, initial, metric="accuracy_ratio"))
    if isinstance(initial, float):
        current = cap.confidence_interval(now, "accuracy_ratio", level=level)
        return test | {"low": initial - current.high, "high": initial - current.low}
    both = cap.compare_independent(initial, now, level=level)
    return test | {"low": both.low, "high": both.high}


def chart_of(periods, initial, chart, level):
    found = cap.control_chart(periods, initial, limit=chart, level=level)
    highest = max(found.table["cusum"])
    return {"estimate": highest / chart, "statistic": highest}


def neighbours(now, level, column, end, adjusted=None):
    cap.rate_table(now, level=2 * level - 1)
    table = cap.adjacent_grades(now, level=level)
    found = {"p_value": end(table[column])}
    return found | ({} if adjusted is None else {"p_adjusted": end(table[adjusted])})


def segments_alike(parts, seed):
    if all(part.groups is not None for part in parts.values()):
        return of(heterogeneity_test(parts, metric="accuracy_ratio"))
    if any(part.weights is not None for part in parts.values()):
        return of(heterogeneity_test(parts, metric="accuracy_ratio", method="chi2"))
    return of(heterogeneity_test(parts, metric="accuracy_ratio", seed=seed))


def stability(before, now, whose, level):
    found = cap.population_stability(before, now, of=whose, level=level)
    bins, least = len(found.table), min(found.n_before, found.n_after)
    sparse = bins > 1 and least < 5 * bins and found.low is not None
    numbers = {"estimate": found.psi, "low": found.low, "high": None if sparse else found.high}
    return numbers | {"statistic": found.chi2, "df": found.df, "p_value": found.p_value}


def moved(joint, start, score):
    found = cap.migration_table(joint, start, score)
    limits = (
        {} if found.moved is None else {"low": 1 - found.moved.high, "high": 1 - found.moved.low}
    )
    yield "migration.upper", {"estimate": found.mwb_upper}
    yield "migration.lower", {"estimate": found.mwb_lower}
    yield "migration.unchanged", {"estimate": found.unchanged, **limits}


def overridden(joint):
    found = cap.migration_table(joint, "score", "final")
    shares = (("rate", "moved", 1 - found.unchanged), ("up", "up", found.upgraded))
    for name, attribute, share in (*shares, ("down", "down", found.downgraded)):
        interval = getattr(found, attribute)
        yield f"overrides.{name}", {"estimate": share} if interval is None else of(interval)


def paired(data, how, names, level, **asked):
    levels = {name: GRADES for name in names if data[name].dtype.kind == "U"}
    joint = cap.count_joint("y", [*names], data=data, levels=levels or None, **how)
    return compare(joint, level=level, **asked)


def compared(data, how, first, second, level):
    return of(paired(data, how, (first, second), level).pairs[0])


def bounded(partial, level):
    found = cap.unknown_bounds(partial, level=level)
    return {"estimate": found.known_only, "low": found.low_limit, "high": found.high_limit}


def detectable(now, initial, level):
    if now.weights is not None:
        return no_numbers()
    versus, sizes = (initial, None) if isinstance(initial, float) else (None, None)
    if versus is None:
        versus = cap.accuracy_ratio(now if initial is None else initial)
        sizes = None if initial is None else (initial.n1, initial.n0)
    alpha = 1 - level
    found = detectable_drop(now.n1, now.n0, versus, power=0.8, alpha=alpha, initial=sizes)
    return {"estimate": found}


def expected(data, how, now, given):
    """Return of each test what gives its numbers, or raises ValueError where there are none."""
    level, initial = given["level"], given.get("initial")
    earlier = given.get("before", None if isinstance(initial, float) else initial)
    graded = len(now) <= 50
    found = {
        f"discrimination.{metric}": partial(headline, now, metric, level)
        for metric in ("accuracy_ratio", "roc_auc", "ks", "average_precision")
    }
    if initial is not None:
        found |= since(now, given, initial, level)
    if graded:
        found |= of_grades(now, earlier, level)
    if "segments" in given:
        homogeneous = partial(of_call, cap.grade_homogeneity_test, given["segments"])
        found["homogeneity.grades"] = homogeneous if graded else no_numbers
        found["segments.accuracy_ratio"] = partial(segments_alike, given["segments"], given["seed"])
    if earlier is not None:
        whose = {"psi": "cases", "psi_positives": "positives", "psi_negatives": "negatives"}
        for name, each in whose.items():
            if name == "psi" or hasattr(earlier, "positives"):
                found[f"stability.{name}"] = partial(stability, earlier, now, each, level)
    if "start" in given:
        numbers = (*moved(given["joint"], "start", "score"), *overridden(given["joint"]))
        found |= {test_id: partial(dict, each) for test_id, each in numbers}
        found["overrides.ranking"] = partial(compared, data, how, "final", "score", level)
    if "joint" in given:
        found |= challengers(data, how, level)
    found["power.detectable_drop"] = partial(detectable, now, initial, level)
    if "partial" in given:
        found["unknown.accuracy_ratio"] = partial(bounded, given["partial"], level)
    return found


def of_call(function, *words, **options):
    return of(function(*words, **options))


def since(now, given, initial, level):
    """Return the tests against the first validation."""

    def ecb():
        fall(now, initial, level)
        value = (1 + initial) / 2 if isinstance(initial, float) else cap.roc_auc(initial)
        return of(cap.test_against_initial(now, value))

    found = {"initial.drop": partial(fall, now, initial, level), "initial.ecb": ecb}
    if "periods" in given:
        asked_for = (given["periods"], initial, given["chart"], level)
        found["monitoring.chart"] = partial(chart_of, *asked_for)
    return found


def of_grades(now, earlier, level):
    """Return the tests of grades, and of how the cases are spread over them."""
    kept = cap.grade_concentration(now, earlier, level=level)
    ends = {"low": kept.effective_low, "high": kept.effective_high}
    effective = {"estimate": kept.effective_grades, **ends}
    change = {"statistic": kept.statistic, "p_value": kept.p_value}
    adjusted = "p_reversed_adjusted"
    return {
        "grades.neighbours": partial(neighbours, now, level, "p_value", max),
        "grades.reversed": partial(neighbours, now, level, "p_reversed", min, adjusted),
        "grades.monotone": partial(of_call, monotonicity_test, now),
        "concentration.effective_grades": partial(dict, effective),
        **({} if kept.p_value is None else {"concentration.change": partial(dict, change)}),
    }


def challengers(data, how, level):
    """Return the score less each challenger: the others less the score, turned."""

    def one_of_two(name):
        found = paired(data, how, ("score", "gbm", "rate"), level, against="score")
        pair = next(of(each) for each in found.pairs if each.name == f"{name} minus score")
        turned = {each: -pair[each] for each in ("estimate", "statistic") if each in pair}
        return pair | turned | {"low": -pair["high"], "high": -pair["low"]}

    return {f"challenger.{name}": partial(one_of_two, name) for name in ("gbm", "rate")}


# What the sheet says


def same(one, other):
    if not known(one) or not known(other):
        return known(one) == known(other)
    return one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def lights_asked(rng, sheet):
    """Draw limits that the numbers meet exactly, or not at all, of each test that has one."""
    found = {}
    for test_id, test in sheet.tests.items():
        kind = kind_of(test_id)
        least, most = (0.0, 1.0) if kind.by_p else kind.ends
        near = (
            [test.p_value, test.p_adjusted] if kind.by_p else [test.low, test.high, test.estimate]
        )
        held = [each for each in near if known(each) and least <= each <= min(most, 1e9)]
        held += [
            least,
            float(rng.uniform(max(least, -1), min(most, 1)) if most <= 1 else least + 1),
        ]
        green, red = sorted((float(each) for each in rng.choice(held, 2)), reverse=True)
        if kind.better == "lower":
            green, red = red, green
        by = {} if kind.by_p else {"by": str(rng.choice(["limit", "estimate"]))}
        found[test_id] = {"green": green, "red": red, **by}
    return found


def light_of(test, own):
    """Return the light by its definition."""
    higher, by = test.better == "higher", own.get("by", "p_value")
    judged = test.estimate
    if by == "p_value":
        judged = test.p_adjusted if known(test.p_adjusted) else test.p_value
    worst = best = judged
    if by == "limit" and (known(test.low) or known(test.high)):
        low = test.low if known(test.low) else -math.inf
        high = test.high if known(test.high) else math.inf
        worst, best = (low, high) if higher else (high, low)
    if not known(worst):
        return "grey"
    if worst >= own["green"] if higher else worst <= own["green"]:
        return "green"
    return "red" if (best < own["red"] if higher else best > own["red"]) else "amber"


def check(rng, *ways):
    """Compare one sheet with the functions, and its JSON, page and Markdown with the sheet."""
    data, now, given = asked(rng, *ways)
    how = counting(ways[2])
    sheet = cap.validate(now, **given)
    wanted = expected(data, how, now, given)
    assert sorted(wanted) == sorted(sheet.tests)
    for test_id, ask in wanted.items():
        test = sheet.tests[test_id]
        try:
            numbers = ask()
        except ValueError:
            numbers = {}
        for name in NUMBERS:
            one, other = getattr(test, name), numbers.get(name)
            assert same(one, other), (test_id, name, one, other)
        assert (test.alternative is None) == (test.p_value is None), test_id
    assert_written_alike(sheet)
    assert_named(sheet, now, given["level"])
    limits = lights_asked(rng, sheet)
    lit = cap.validate(now, **given, limits=limits)
    for test_id, own in limits.items():
        assert lit.tests[test_id].light == light_of(lit.tests[test_id], own), (test_id, own)


def assert_written_alike(sheet):
    """Say the same numbers in JSON, on the page and in Markdown."""
    tests = {test["id"]: test for test in json.loads(sheet.to_json())["tests"]}
    page, lines = cells_of(sheet.to_html()), rows_of(sheet.to_markdown())
    assert [line["test"] for line in lines] == [test.name for test in sheet.tests.values()]
    interval = f"{100 * sheet.level:g}% interval"
    for (test_id, test), line in zip(sheet.tests.items(), lines, strict=True):
        told = tests[test_id]
        for name in (*NUMBERS, "alternative"):
            value = told[name]
            if name != "alternative" and value is not None:
                value = float(value)
            own = getattr(test, name)
            assert value == (own if known(own) else None), (test_id, name)
        words = in_words(test_id, told)
        if test.shown:  # what is not the estimate as it is rounded
            assert test_id in {"initial.drop", "calibration.portfolio"}
            words = (test.shown, *words[1:])
        assert page[test.name] == words, test_id
        assert (line["value"], line.get(interval, ""), line.get("p", "")) == words


def assert_named(sheet, now, level):
    """Name every pair whose p-value is the largest or the smallest."""
    test_ids = {"grades.neighbours": ("p_value", max), "grades.reversed": ("p_reversed", min)}
    for test_id, (column, end) in test_ids.items():
        test = sheet.tests.get(test_id)
        if test is None or test.p_value is None:
            continue
        table = cap.adjacent_grades(now, level=level)
        sought = end(table[column])
        pairs = [
            f"{row['riskier']} and {row['safer']}"
            for row in table.rows()
            if math.isclose(row[column], sought, rel_tol=1e-12)
        ]
        said = ", ".join(pairs[:5]) + (", ..." if len(pairs) > 5 else "")
        assert test.method.endswith(f" is that of {said}"), test.method


@pytest.mark.merge
@pytest.mark.parametrize("ways", PAIRWISE, ids=", ".join)
def test_odd_samples_in_pairs(ways):
    check(np.random.default_rng(PAIRWISE.index(ways)), *ways)


def shuffled(data):
    order = np.random.default_rng(9).permutation(len(data["y"]))
    return {name: column[order] for name, column in data.items()}


@pytest.mark.turns(3)
@pytest.mark.parametrize("ways", PAIRWISE[::6], ids=", ".join)
def test_no_order_of_rows_or_segments_changes_a_byte(ways):
    sheets = []
    for turn in (as_they_come, shuffled):
        _, now, given = asked(np.random.default_rng(5), *ways, turn=turn)
        if turn is shuffled and "segments" in given:
            given["segments"] = dict(reversed(given["segments"].items()))
        sheets.append(cap.validate(now, **given).to_json())
    assert sheets[0] == sheets[1]


@pytest.mark.merge
@pytest.mark.parametrize("seed", range(20))
def test_odd_samples_at_random(seed):
    rng = np.random.default_rng(1000 + seed)
    check(rng, *(str(rng.choice(kind)) for kind in KINDS))
