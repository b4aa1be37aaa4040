"""What the page's script writes is what Python writes: the golden numbers of its own tests."""

import json
from pathlib import Path

import numpy as np

from capcurve.plots.charts import first_share
from capcurve.show.format import (
    amount,
    cutoff_text,
    limits,
    money,
    number,
    percent,
    points,
    quantity,
    shortened,
    tick_text,
)

GOLDEN = Path(__file__).parents[2] / "report" / "test" / "golden.json"


def plain(value):
    """Tell whether a number has all its digits, in both languages."""
    return value == 0 or 1e-300 < abs(value) < 2**53


def golden():
    """Return numbers of every size beside their text.

    Powers are read, not computed, as their last digit would depend on the processor.
    """
    rng = np.random.default_rng(12)
    power = {size: float(f"1e{size}") for size in range(-12, 22)}

    def of_sizes(low, high, count):
        sizes, parts = rng.integers(low, high, count).tolist(), rng.random(count).tolist()
        return [part * power[each] for part, each in zip(parts, sizes, strict=True)]

    scores = [0.0, 0.1, 0.12346, -2.5, 600.0, 1 / 3, 1e-5, 1.5e-7, 0.0001, 0.00001234, 1e15, 1e16]
    scores += [2.0**53, 1e21, 5e-324, 1.7976931348623157e308, -1e22, 123456789012345680.0]
    scores += [*power.values(), *of_sizes(-9, 19, 40), *(-each for each in of_sizes(-9, 19, 20))]
    shares = [0.0, 1.0, 0.4, 2 / 3, 0.00021, 0.99999, 1e-6, 1e-9, 1e-13, 1 - 1e-9, 0.0225, 0.125]
    shares += [1 - 2**-53, 1 - 1e-15, 0.9995, 0.99949999, 0.5, 0.5625, 0.50025, 1e-18, -1e-9, -0.6]
    shares += [*rng.random(60).tolist(), *of_sizes(-8, 1, 40)]
    sums = [0.0, 1.0, 2.5, 12.25, 0.00001234, 99.995, 999.95, 1000.25, 1234.5, 1234567.891, -3.0]
    sums += [-2.5, 1e15, 123456789.0, *of_sizes(-5, 13, 60)]
    ratios = [0.0, 0.125, -0.4837, 0.0005, 0.9995, 1.0, 2.345, *rng.standard_normal(40).tolist()]
    pairs = [(value, sorted([value, value - 0.07])) for value in ratios]
    names = ["pd", "probability_of_default_within_a_year", "🙂" * 30, "x" * 27]
    return {
        "scores": [[score, cutoff_text(score)] for score in scores],
        "shares": [[share, percent(share)] for share in shares],
        "amounts": [[cases, amount(cases)] for cases in sums],
        "money": [[each, money(each)] for each in sums],
        "quantities": [[each, quantity(each)] for each in [*sums, *scores] if plain(each)],
        "three": [[ratio, number(ratio)] for ratio in ratios],
        "two": [[ratio, number(ratio, 2)] for ratio in ratios],
        "points": [[share, points(share)] for share in [*shares, *(-each for each in shares)]],
        "ticks": [[score, tick_text(score)] for score in scores],
        "limits": [
            [[value, *both], f"{number(value)} {limits('ratio', *both)}"] for value, both in pairs
        ],
        "starts": [[cases, first_share(cases)] for cases in (1, 5, 100, 999, 2000, 10_000, 1e6)],
        "names": [[[name, most], shortened(name, most)] for name in names for most in (9, 26)],
    }


def test_the_script_is_tested_against_what_python_writes():
    expected = golden()
    assert json.loads(GOLDEN.read_text(encoding="utf-8")) == expected, (
        "write them again: python tests/page/test_page_numbers.py, then make bundle"
    )


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(golden(), indent=0) + "\n", encoding="utf-8")
