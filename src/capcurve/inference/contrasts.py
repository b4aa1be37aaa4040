"""Contrasts: whether several weighted sums of AUCs are all zero, by chi-square."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.exponential import careful_variance
from capcurve.inference.record import Metric, Test, factor_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from capcurve.inference.influence import Influence

# Of correlations: directions with less spread than this are rounding, not spread.
RANK_TOLERANCE = 1e-10
# In standard errors: a difference where there is no spread, beyond rounding.
VISIBLE = 1e-6
ALIKE = "the scores rank all cases identically: nothing differs"
NO_SPREAD = (
    "the sample shows no spread in a direction that differs; variances are those of Hanley & "
    "McNeil half a pair inside, as if on different rows"
)


def contrast_test(influence: Influence, contrast: ArrayLike | None, metric: Metric) -> Test:
    """Return the chi-square test that every row of a contrast is zero.

    Raises
    ------
    ValueError
        For a contrast that does not fit the scores or whose rows do not add up to zero.

    Notes
    -----
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, eq. 5, with the pseudo-inverse and
    its rank as degrees of freedom, so that rows may repeat each other.
    """
    rows = as_contrast(contrast, len(influence.aucs))
    effects, spread = influence.along(rows)
    statistic, rank, seen = quadratic(effects, spread)
    notes: tuple[str, ...] = ()
    if not seen:
        n1, n0 = influence.sizes.positives, influence.sizes.negatives
        careful = [careful_variance(float(auc), n1, n0) for auc in influence.aucs]
        statistic, rank, _ = quadratic(effects, (rows * np.array(careful)) @ rows.T)
        notes = (NO_SPREAD,)
    elif not rank:
        notes = (ALIKE,)
    factor = factor_of(metric)
    return Test(
        name="all scores equal" if contrast is None else "all contrasts zero",
        statistic=statistic,
        p_value=_beyond(statistic, rank),
        method=f"DeLong, same rows, chi-square({rank})",
        df=float(rank),
        metric=metric,
        estimates={f"row {i + 1}": factor * float(e) for i, e in enumerate(effects)},
        notes=notes,
    )


def as_contrast(contrast: ArrayLike | None, scores: int) -> NDArray[np.float64]:
    """Return the rows of a contrast, one column per score; all scores equal when left out."""
    if contrast is None:
        return np.hstack([np.ones((scores - 1, 1)), -np.eye(scores - 1)])
    rows = np.atleast_2d(np.asarray(contrast, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] != scores or not len(rows):  # noqa: PLR2004 - a matrix
        raise ValueError(f"contrast must have {scores} columns, one per score; got {rows.shape}")
    if not np.isfinite(rows).all() or not rows.any(axis=1).all():
        raise ValueError("every row of contrast must hold finite weights, not all zero")
    off = np.abs(rows.sum(axis=1)) > 1e-9 * np.abs(rows).sum(axis=1)
    if off.any():
        raise ValueError(
            f"the weights in row {int(np.flatnonzero(off)[0]) + 1} of contrast add up to "
            f"{rows.sum(axis=1)[off][0]:g}; only weights that add up to 0 compare scores"
        )
    return rows


def quadratic(effects: NDArray[Any], spread: NDArray[Any]) -> tuple[float, int, bool]:
    """Return e'S⁺e, the rank of S, and whether S spreads wherever e is not zero."""
    scale = np.sqrt(np.diag(spread))
    has = scale > 0
    if effects[~has].any():
        return 0.0, 0, False
    if not has.any():
        return 0.0, 0, True
    scale = scale[has]
    values, vectors = np.linalg.eigh(spread[np.ix_(has, has)] / np.outer(scale, scale))
    along = vectors.T @ (effects[has] / scale)
    kept = values > RANK_TOLERANCE * values.max()
    seen = bool((np.abs(along[~kept]) <= VISIBLE * max(1.0, float(np.abs(along).max()))).all())
    return float((along[kept] ** 2 / values[kept]).sum()), int(kept.sum()), seen


def _beyond(statistic: float, rank: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(rank, statistic)) if rank else 1.0
