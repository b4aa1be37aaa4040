"""Tied, awkward, small data: scores, amounts of several sizes, and exposures or none."""

from typing import NamedTuple

import numpy as np
from exact_amounts import Exact
from hypothesis import settings, strategies as st

import capcurve as cap

# Exact sums over pairs of rows take their time.
few = settings(max_examples=settings.default.max_examples // 3)

scores = st.one_of(
    st.integers(-3, 3).map(lambda k: k / 4),
    st.sampled_from([0.0, -0.0, 1e-300, 5e-324, -np.inf, np.inf, 0.1, 0.1 + 0.2, 0.3]),
)
directions = st.sampled_from(["positive", "negative"])
# Half of all rows hold nothing, as in most data.
nothing = st.sampled_from([0.0, -0.0])
whole = st.one_of(st.just(0.0), st.integers(0, 6).map(float))
fractional = st.one_of(nothing, st.sampled_from([0.1, 0.2, 0.7, 1 / 3, 12.34, 1e-3, 99.99]))
any_float = st.one_of(nothing, st.floats(1e-6, 1e6))
uneven = st.one_of(nothing, st.sampled_from([1e-300, 3e-300, 1e300, 2.5e300, 1.0, 7.0]))
AMOUNTS = {"whole": whole, "fractional": fractional, "floats": any_float}
signed = st.one_of(st.integers(-6, 6).map(float), st.sampled_from([-0.1, 0.1, -12.34, 99.99]))
EXPOSURES = {
    "cases": None,
    "whole": st.integers(1, 4).map(float),
    "fractional": st.sampled_from([0.1, 0.25, 0.7, 1.0, 1 / 3]),
}


class Rows(NamedTuple):
    """Rows as they are counted; exposure None counts each row one."""

    amount: np.ndarray
    score: np.ndarray
    exposure: np.ndarray | None

    def count(self, **rules):
        return cap.count_values(self.amount, self.score, exposure=self.exposure, **rules)

    def exact(self, higher_is="positive"):
        # Infinite scores have no fraction; their places have.
        places = np.unique(self.score, return_inverse=True)[1]
        return Exact.of(
            self.amount.tolist(),
            places.tolist(),
            None if self.exposure is None else self.exposure.tolist(),
            higher_is=higher_is,
        )

    def take(self, rows):
        exposure = None if self.exposure is None else self.exposure[rows]
        return Rows(self.amount[rows], self.score[rows], exposure)

    def with_amount(self, amount):
        return self._replace(amount=np.asarray(amount, dtype=float))

    @property
    def exposures(self):
        return np.ones(len(self.amount)) if self.exposure is None else self.exposure

    @property
    def rates(self):
        return self.exact().rates


def together(*parts):
    """Return the rows of several parts, one after the other."""
    columns = zip(*parts, strict=True)
    return Rows(*(None if each[0] is None else np.concatenate(each) for each in columns))


def _rows(drawn, exposures):
    columns = list(zip(*drawn, strict=True)) or [(), (), ()]
    amount, score, exposure = (np.array(column, dtype=float) for column in columns)
    return Rows(amount, score, None if exposures is None else exposure)


def _one(amounts, exposures, ranked):
    return st.tuples(amounts, ranked, st.just(1.0) if exposures is None else exposures)


@st.composite
def shards(draw, many=2, amounts=None, exposures=None, max_size=10):
    """Draw parts of one kind, empty ones too: each a list of rows of any amounts."""
    amounts = draw(st.sampled_from(list(AMOUNTS.values()))) if amounts is None else amounts
    exposures = draw(st.sampled_from(list(EXPOSURES.values()))) if exposures is None else exposures
    one = _one(amounts, exposures, scores)
    return [_rows(draw(st.lists(one, max_size=max_size)), exposures) for _ in range(many)]


@st.composite
def rows(
    draw,
    amounts=None,
    exposures="any",
    ranked=scores,
    each=1,
    min_size=2,
    max_size=14,
    *,
    unlike=False,
):
    """Draw rows of which so many hold something and so many do not, so that AR is defined."""
    amounts = draw(st.sampled_from(list(AMOUNTS.values()))) if amounts is None else amounts
    if exposures == "any":
        exposures = draw(st.sampled_from(list(EXPOSURES.values())))
    one = _one(amounts, exposures, ranked)
    drawn = draw(st.lists(one, min_size=max(min_size - 2 * each, 0), max_size=max_size - 2 * each))
    some = amounts.filter(lambda a: a != 0)
    held = draw(st.lists(some, min_size=each, max_size=each, unique=unlike))
    for amount in draw(st.permutations([0.0] * each + held)):
        _, score, exposure = draw(one)
        drawn.insert(draw(st.integers(0, len(drawn))), (amount, score, exposure))
    return _rows(drawn, exposures)


def shares():
    return st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))


inner_shares = st.one_of(st.floats(0.01, 0.99), st.sampled_from([0.1, 0.25, 0.5]))
