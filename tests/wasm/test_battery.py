"""In WebAssembly, where an index has 32 bits, thousands of numbers are those of this Python."""

import json
import math
import sys

import pytest
from webassembly import HERE, ROOT, ran, run

SCRIPT = HERE / "battery.py"
DIGITS = 1e-9
# Beside data of 1 and more; what is 0 in exact numbers is what rounding leaves, and differs.
NOTHING = 1e-12


def read(text):
    """Return what the battery printed, by name."""
    lines = map(json.loads, text.splitlines())
    return {line["name"]: line["value"] for line in lines}


def same(name, one, other):
    """Say whether two values agree: whole numbers and texts fully, floats to nine digits."""
    if not (isinstance(one, float) and isinstance(other, float)):
        return type(one) is type(other) and one == other
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    # One digit of the statistic is many of a chance of e-256, by as many as its logarithm.
    small = "p_value" in name and 0 < one < 1
    room = DIGITS * max(1.0, -math.log(one)) if small else DIGITS
    return one == other or abs(one - other) <= max(room * max(abs(one), abs(other)), NOTHING)


@pytest.mark.needs("WebAssembly", "node")
@pytest.mark.merge
@pytest.mark.timeout(900)
@pytest.mark.parametrize("size", ["3000", "100000", "400000"])
def test_numbers_in_webassembly_are_those_of_this_python(size):
    expected = read(ran([sys.executable, SCRIPT, size], {"PYTHONPATH": str(ROOT / "src")}))
    found = read(run(SCRIPT, size))
    assert len(expected) > {"3000": 20_000, "100000": 15_000, "400000": 8_000}[size]
    assert found.keys() == expected.keys()
    # A seal is of the text of limits with their last digits, in which versions of scipy differ.
    differ = {
        name: (value, found[name])
        for name, value in expected.items()
        if not name.endswith(".seal") and not same(name, value, found[name])
    }
    assert not differ, f"{len(differ)} of {len(expected)}: {dict([*differ.items()][:20])}"
