"""How the AUCs of several scores of the same rows vary together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.influence import influence_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import JointCounts


def auc_covariance(joint: JointCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the AUCs of several scores of the same rows and how they vary together.

    Parameters
    ----------
    joint
        Several scores, counted together.

    Returns
    -------
    aucs
        The AUC of each score, in the order of `joint.names`, shape (S,).
    covariance
        DeLong's covariance matrix, shape (S, S); with sampling or exposure weights the robust
        infinitesimal jackknife. Scores that rank alike have exactly equal entries.

    Raises
    ------
    ValueError
        With fewer than two cases in a class, or when it is not known what one case is.

    Notes
    -----
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, eq. 5.

    Examples
    --------
    >>> from capcurve import count_joint
    >>> joint = count_joint([1, 0, 1, 0], {"new": [4, 3, 2, 1], "old": [4, 3, 2, 1]})
    >>> auc_covariance(joint)
    (array([0.75, 0.75]), array([[0.125, 0.125],
           [0.125, 0.125]]))
    """
    influence = influence_of(joint)
    parts = zip(influence.masses, influence.deviations, strict=True)
    products = [_products(mass, deviation) for mass, deviation in parts]
    return influence.aucs, products[0] + products[1]


def _products(mass: NDArray[Any], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums of mass x row x row; the same rows give the same sum, to the bit."""
    found = np.zeros((len(rows), len(rows)))
    for i, left in enumerate(rows):
        for j in range(i + 1):
            found[i, j] = found[j, i] = float((mass * (left * rows[j])).sum())
    return found
