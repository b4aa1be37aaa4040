"""Every number that other tools print on the shipped data, to ten digits."""

import printed
import pytest

CLOSE = 1e-10


@pytest.mark.parametrize("group", printed.GROUPS, ids=lambda group: group.__name__)
def test_every_printed_number_to_ten_digits(group):
    lines = list(group())
    far = [line for line in lines if not printed.difference(*line[2:]) <= CLOSE]
    assert far == []
    assert lines


def test_how_many_numbers_that_are():
    groups = [line[0] for line in printed.every_number()]
    assert len(groups) > 450
    assert groups.count("WP14 table 2") == 40
    assert groups.count("DeLong 1988") == 16


def test_a_wrong_number_would_be_seen():
    assert printed.difference(1 + 1e-9, 1.0) > CLOSE
    assert not printed.difference(float("nan"), 1.0) <= CLOSE
