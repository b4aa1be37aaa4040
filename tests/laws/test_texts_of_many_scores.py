"""What is said of many scores: which may be best, and never a limit against its p-value."""

import functools
import itertools
import re

import numpy as np
import pytest

import capcurve as cap


def leaves_out_0(pair):
    return pair.low > 0 or pair.high < 0


def rows_of(ranks):
    """Return the first and last rank and the tier of each score by its name."""
    values = ranks.values()
    rows = zip(values["rank_from"], values["rank_to"], values["tier"], strict=True)
    return dict(zip(values["score"], rows, strict=True))


def twenty():
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.2
    z = rng.normal(size=3000) + y
    return y, {f"m{k:02d}": z + rng.normal(size=3000) * (0.5 + 0.05 * k) for k in range(20)}


@pytest.fixture(scope="module")
def of_twenty():
    """Return the comparison and the evaluation of 20 scores, and their texts."""
    y, s = twenty()
    found, whole = cap.compare(y, s), cap.evaluate(y, s)
    return found, whole, str(found), str(whole)


NEVER = ("Holm", "significant", "tied for", "statistically the same", "equally good")


@pytest.mark.parametrize("word", NEVER)
def test_texts_do_not_claim_what_is_not_shown(of_twenty, word):
    found, _, compared_text, evaluated_text = of_twenty
    assert word.lower() not in compared_text.lower()
    assert word.lower() not in evaluated_text.lower()
    assert word.lower() not in found.to_markdown().lower()


def test_twenty_scores_have_a_text_of_a_screen(of_twenty):
    found, _, text, _ = of_twenty
    assert len(text.splitlines()) <= 35
    assert " minus " not in text
    assert " minus " not in found.to_markdown()
    may_be_best = [name for name, row in rows_of(found.ranks).items() if row[0] == 1]
    assert f"{len(may_be_best)} of 20 may be best" in text
    assert "190 pairs" in text
    for name, (first, last, tier) in rows_of(found.ranks).items():
        row = [line for line in text.splitlines() if line.startswith(f"{name} ")][-1]
        rank = f"{first}–{last}" if first < last else f"{first}"
        assert re.search(rf"\s{rank}\s+{tier}$", row)


def test_an_evaluation_of_twenty_scores_shows_ranks_and_no_pairs(of_twenty):
    _, _, _, text = of_twenty
    assert len(text.splitlines()) <= 80
    assert " minus " not in text
    heading = next(line for line in text.splitlines() if line.startswith("score"))
    assert {"rank", "tier"} <= set(heading.split())
    assert text.count("The top 10% of cases contain") == 0


def test_an_evaluation_has_the_comparison_of_its_scores(of_twenty):
    found, whole, _, _ = of_twenty
    assert whole.comparison.pair_level == pytest.approx(found.pair_level, rel=1e-9)
    for one, other in zip(whole.comparison.pairs, found.pairs, strict=True):
        assert one.name == other.name
        assert (one.low, one.high, one.p_adjusted) == pytest.approx(
            (other.low, other.high, other.p_adjusted), rel=1e-9
        )
    assert rows_of(whole.comparison.ranks) == rows_of(found.ranks)


INTERVAL = re.compile(r"\[([−+-]?[\d.]+), ([−+-]?[\d.]+)\]")


def printed(number):
    return float(number.replace("−", "-").replace("+", ""))


def test_the_nearest_shown_to_rank_below_is_printed_without_0(of_twenty):
    found, _, text, _ = of_twenty
    sentence = next(line for line in text.splitlines() if "nearest shown" in line)
    (low, high), p = (map(printed, INTERVAL.search(sentence).groups())), sentence.split("p = ")
    assert 0 < low < high
    assert printed(re.match(r"[\d.]+", p[1]).group().rstrip(".")) < 0.05
    leader = next(iter(rows_of(found.ranks)))
    shown = {}
    for pair in found.pairs:
        if leader in pair.name.split(" minus ") and pair.p_adjusted <= 0.05:
            shown[pair.name.replace(leader, "").replace(" minus ", "")] = abs(pair.estimate)
    assert sentence.startswith(f"{min(shown, key=shown.get)} ")


@functools.cache
def beside_the_bound():
    """Return data of three scores whose largest adjusted p-value is just below .05 and above it."""
    rng = np.random.default_rng(12)
    n = 800
    y = (rng.random(n) < 0.3).astype(int)
    z, noise = rng.normal(size=n) + y, rng.normal(size=n)
    others = {"b": z + 0.8 * rng.normal(size=n), "c": z + 2.5 * rng.normal(size=n)}

    def given_(width):
        return y, {"a": z + width * noise, **others}

    def p_of(width):
        return cap.compare(*given_(width)).pairs[0].p_adjusted

    shown, hidden = next(
        (low, high)
        for low, high in itertools.pairwise(np.linspace(0, 3, 16))
        if (p_of(low) <= 0.05) != (p_of(high) <= 0.05)
    )
    if p_of(shown) > 0.05:
        shown, hidden = hidden, shown
    for _ in range(16):
        middle = (shown + hidden) / 2
        shown, hidden = (middle, hidden) if p_of(middle) <= 0.05 else (shown, middle)
    return given_(shown), given_(hidden)


@pytest.mark.parametrize("side", ["shown", "not shown"])
@pytest.mark.parametrize("asked", [cap.compare, cap.evaluate], ids=["compare", "evaluate"])
def test_no_digit_contradicts_what_is_shown(side, asked):
    """Where a limit or p-value would round onto its bound, it is printed with more digits."""
    y, s = beside_the_bound()[side == "not shown"]
    pair = cap.compare(y, s).pairs[0]
    assert 0.0495 < pair.p_adjusted < 0.0505
    assert (pair.p_adjusted <= 0.05) == (side == "shown") == leaves_out_0(pair)
    found = asked(y, s)
    for text in (found.to_text(), found.to_markdown()):
        row = next(line for line in text.splitlines() if "a minus b" in line)
        low, high = map(printed, INTERVAL.search(row).groups())
        p = printed(re.findall(r"\d\.\d+", row)[-1])
        assert (low > 0 or high < 0) == (side == "shown")
        assert (p < 0.05) == (side == "shown")
        assert p != 0.05


def worst_first():
    """Return seven scores of which the last ranks best."""
    rng = np.random.default_rng(5)
    y = (rng.random(300) < 0.4).astype(int)
    z = rng.normal(size=300) + y
    return y, {f"m{k}": np.round(z + rng.normal(size=300) * (0.2 + k), 1) for k in range(7)[::-1]}


ALTERNATIVES = {
    "superior": None,
    "inferior": None,
    "non-inferior": 0.1,
    "equivalent": 0.1,
}


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_score_shown_to_rank_below_is_never_beside_a_large_p_value(alternative):
    """Ranks and limits have two sides; the p-value of another question does not go with them."""
    y, s = worst_first()
    found = cap.compare(y, s, alternative=alternative, margin=ALTERNATIVES[alternative])
    assert rows_of(found.ranks) == rows_of(cap.compare(y, s).ranks)
    text = found.to_text()
    sentence = next(line for line in text.splitlines() if "shown to rank below" in line)
    assert all(float(p) <= 0.05 for p in re.findall(r"p [=<] (\d\.\d+)", sentence))


def test_names_are_written_as_they_are():
    y, s = worst_first()
    text = cap.compare(y, {**s, "m5 again": s["m5"]}).to_text()
    assert "identically" in text
    assert "M5" not in text


def test_scores_that_differ_together_and_in_no_pair_are_said_to():
    rng = np.random.default_rng(0)
    y = (rng.random(200) < 0.4).astype(int)
    z = rng.normal(size=200) + y
    one, other = rng.normal(size=(2, 200)) * 1.2
    worse = z - 0.12 * y
    scores = {"a": z + one, "b": z - one, "c": worse + other, "d": worse - other}
    found = cap.compare(y, {name: np.round(score, 1) for name, score in scores.items()})
    assert found.overall.p_value < 0.05 < min(pair.p_adjusted for pair in found.pairs)
    text = found.to_text()
    assert "ogether the scores differ; no single pair is shown to" in text
    assert "none is shown to rank below another" in text


@pytest.mark.parametrize("count", [3, 5, 6])
def test_pairs_are_shown_of_up_to_five_scores(count):
    y, s = worst_first()
    few = dict(list(s.items())[-count:])
    for found in (cap.compare(y, few), cap.evaluate(y, few)):
        assert (" minus " in found.to_text()) == (count <= 5)
        assert (" minus " in found.to_markdown()) == (count <= 5)
