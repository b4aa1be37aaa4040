"""Certified cut-offs: what they promise holds, although they are chosen from the same cases."""

import json

import numpy as np
import pytest

import capcurve as cap

RIGHT = [0] * 100 + [1] * 50


def test_what_a_certificate_says():
    found = cap.certified_cutoff(RIGHT, list(range(150)), 0.05)
    assert (found.n, found.errors, found.risk) == (100, 0, 0)
    assert (found.threshold, found.next_score) == (99, 100)
    assert found.upper == pytest.approx(1 - 0.05 ** (1 / 100))
    assert found.starts == (59,)  # the fewest that pass without an error: 0.95^59 < 0.05
    assert found.sentence == (
        "At 95% confidence, the surest 66.7% of cases contain at most 5.0% errors (the guarantee "
        "allows for choosing the cut-off on the same data)."
    )
    assert found.tested.columns["n"].tolist()[-1] <= 103
    assert found.tested.columns["upper"][-1] > 0.05 >= found.tested.columns["upper"][-2]
    assert json.loads(json.dumps(found.to_dict()))["sentence"] == found.sentence
    assert "66.7%" in found.to_html()


def test_without_a_certificate_it_says_how_many_cases_would_do():
    few = cap.certified_cutoff([0] * 20 + [1] * 20, range(40), 0.1)
    assert (few.coverage, few.n, few.threshold, few.upper) == (0, 0, None, None)
    # 29 of the surest half without an error, so 58 in all, pass at 10%.
    assert few.needed == 58
    assert few.sentence.endswith("about 58 cases like these would be enough.")
    hopeless = cap.certified_cutoff([1, 0] * 50, range(100), 0.1)
    assert hopeless.needed is None
    assert "not even the surest cases contain fewer errors" in hopeless.sentence


def test_the_level_is_split_over_several_starts():
    y, s = RIGHT, list(range(150))
    one, two = (cap.certified_cutoff(y, s, 0.1, start=start) for start in (0.4, [0.4, 0.6]))
    assert one.starts == (60,)
    assert two.starts == (60, 90)
    first = [table.columns["upper"][0] for table in (one.tested, two.tested)]
    assert first == pytest.approx([1 - 0.05 ** (1 / 60), 1 - 0.025 ** (1 / 60)])


def test_what_is_refused_in_one_line():
    with pytest.raises(ValueError, match="independent rows; count without weight= and cluster="):
        cap.certified_cutoff(RIGHT, range(150), 0.1, cluster=list(range(75)) * 2)
    with pytest.raises(ValueError, match="max_risk must be between 0 and 1"):
        cap.certified_cutoff(RIGHT, range(150), 1.5)
    with pytest.raises(ValueError, match="start must be in"):
        cap.certified_cutoff(RIGHT, range(150), 0.1, start=0)
    with pytest.raises(ValueError, match="there are no cases"):
        cap.certified_cutoff([], [], 0.1)


# The error rate along the coverage: rising, flat just above what is asked, worst at the surest,
# steps, and a zigzag about it.
RISKS = {
    "rising": lambda c: 0.02 + 0.3 * c**2,
    "flat": lambda c: np.full_like(c, 0.1001),
    "overconfident": lambda c: np.where(c < 0.1, 0.3, 0.04 + 0.2 * c**3),
    "steps": lambda c: np.select([c < 0.3, c < 0.6], [0.03, 0.12], 0.3),
    "zigzag": lambda c: 0.1 + 0.08 * np.sin(40 * c) + 0.05 * (c > 0.5),
}


@pytest.mark.merge
@pytest.mark.parametrize("design", RISKS)
@pytest.mark.parametrize("grades", [pytest.param(None, marks=pytest.mark.merge), 7])
def test_the_risk_is_above_what_was_asked_in_few_samples(design, grades):
    # Of 400 samples 5% are 20; 31 or more would be a chance of 1%.
    rng, risk_at = np.random.default_rng(20261124), RISKS[design]
    grid = (np.arange(20_000) + 0.5) / 20_000
    true = np.cumsum(risk_at(grid)) / np.arange(1, 20_001)
    above = 0
    for _ in range(400):
        cover = rng.random(600)
        wrong = rng.random(600) < risk_at(cover)
        score = cover if grades is None else np.ceil(cover * grades) / grades
        found = cap.certified_cutoff(cap.count_scores(wrong, score), 0.1)
        if found.threshold is not None:
            last = min(int(found.threshold * 20_000), 20_000) - 1
            above += true[last] > 0.1
    assert above <= 30
