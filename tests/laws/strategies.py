"""Tied, awkward, small data with both classes present."""

import numpy as np
from hypothesis import strategies as st

grid = st.integers(-3, 3).map(lambda k: k / 4)
finite = st.one_of(grid, st.floats(allow_nan=False, allow_infinity=False))
anything = st.one_of(grid, st.floats(allow_nan=False), st.sampled_from([0.0, -0.0]))
shares = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), st.fractions(0, 1).map(float)
)
inner_shares = st.floats(0.01, 0.99)


@st.composite
def rows(draw, scores=anything, max_size=25):
    """Draw (labels 0/1, scores), at least one case of each class, in any order."""
    pairs = draw(st.lists(st.tuples(st.integers(0, 1), scores), max_size=max_size))
    for label in draw(st.permutations([0, 1])):
        pairs.insert(draw(st.integers(0, len(pairs))), (label, draw(scores)))
    return np.array([y for y, _ in pairs]), np.array([s for _, s in pairs], dtype=float)


@st.composite
def shards(draw, scores=anything, max_size=12):
    """Draw (labels, scores) of any kind: empty and of one class too."""
    pairs = draw(st.lists(st.tuples(st.integers(0, 1), scores), max_size=max_size))
    labels = np.array([y for y, _ in pairs], dtype=int)
    return labels, np.array([s for _, s in pairs], dtype=float)


@st.composite
def grade_tables(draw, largest=30, max_size=8):
    """Draw (positives, negatives) per grade, most likely positive first, no grade empty."""
    cell = st.tuples(st.integers(0, largest), st.integers(0, largest)).filter(any)
    table = draw(st.lists(cell, max_size=max_size))
    table.insert(draw(st.integers(0, len(table))), (draw(st.integers(1, largest)), 0))
    table.insert(draw(st.integers(0, len(table))), (draw(st.integers(0, largest)), 1))
    return np.array([p for p, _ in table]), np.array([n for _, n in table])


@st.composite
def weighted_rows(draw, weights, scores=anything, max_size=25):
    """Draw (labels, scores, weights), the weight of each class above zero."""
    y, s = draw(rows(scores, max_size))
    w = np.array([draw(weights) for _ in y])
    for label in (0, 1):
        if not w[y == label].sum() > 0:
            w[np.flatnonzero(y == label)[0]] = 1
    return y, s, w


fractional = st.floats(0.001, 1000)
whole = st.integers(0, 6)
