"""Orders of many numbers, also of those that are in order already."""

import numpy as np
import pytest

from capcurve.numbers import order


@pytest.mark.parametrize("kind", ["f4", "f8", "i2", "i8", "u8"])
@pytest.mark.parametrize("broken", [None, 0, 1, 131_071, 131_072, 199_998])
def test_numbers_in_order_but_for_one_are_sorted_like_any(kind, broken):
    numbers = (np.arange(200_000) // 7).astype(kind)
    if broken is not None:
        numbers[broken + 1] = numbers[broken]
        numbers[broken] = numbers[broken] + 1
    assert order.is_ascending(numbers) == (broken is None)
    expected = np.argsort(numbers, kind="stable")
    assert np.array_equal(order.order_of(numbers), expected)
    found, starts = order.runs_of(numbers)
    assert np.array_equal(found, expected)
    assert np.array_equal(starts, np.unique(numbers[expected], return_index=True)[1])


def test_zeros_of_either_sign_are_equal():
    numbers = np.repeat([-1.0, 0.0, 2.0], 10_000)
    numbers[10_000:20_000:3] = -0.0
    assert np.array_equal(order.order_of(numbers), np.arange(30_000))
    for few in ([1.0], []):
        assert order.is_ascending(np.array(few))
