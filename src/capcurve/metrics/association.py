"""Association of score and target: over pairs of cases, and in terms of information."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from capcurve.counts.ordinal import OrdinalTable, is_table, table_of
from capcurve.counts.table import total
from capcurve.curves.shares import LEAST_SHARE_OF_CLASS, bin_ends, require
from capcurve.gate.given import as_ranking
from capcurve.gate.taking import about_classes, takes_counts, taking_columns
from capcurve.metrics.ranking import accuracy_ratio, count_pairs, share
from capcurve.metrics.registry import Metric
from capcurve.numbers.arguments import as_name
from capcurve.numbers.exact import LARGEST_INT64, cumulated
from capcurve.numbers.meeting import selected_at
from capcurve.numbers.totals import divergence, entropy

if TYPE_CHECKING:
    from capcurve.counts import Ranking
    from capcurve.numbers.types import Array, Floats, Ints

Conditioning = Literal["estimate", "target"]
OTHER_NAMES = {"score": "estimate", "estimated": "estimate", "realised": "target"}
ONE_CLASS_ALONE = {
    "estimate": "all estimates are in one class, so no pair of cases differs in the estimate",
    "target": "all outcomes are in one class, so no pair of cases differs in the outcome",
}


@dataclass(frozen=True, slots=True)
class OrdinalPairs:
    """Ordered pairs of cases of a table: each unordered pair is in every sum twice."""

    concordant: int  # concordant, discordant: pairs in order (P), and out of order (Q)
    discordant: int
    differing: int  # pairs that differ in what is given (w)
    cases: int  # all cases (F)
    # Spread, fourth: the sums over cells of a·ψ² and a·ψ⁴, ψ = w·(A - D) - (P - Q)·(F - m), with a
    # the cases of a cell, A and D those in and out of order with it, and m those of its class of
    # what is given. ψ/w² is how far one case of the cell moves `won`, times F.
    spread: int
    fourth: int

    @property
    def somers_d(self) -> float:
        """Somers' D: (P - Q)/w, rounded once."""
        return (self.concordant - self.discordant) / self.differing

    @property
    def won(self) -> float:
        """(D + 1)/2: pairs in order and half of those that tie, rounded once."""
        return (self.differing + self.concordant - self.discordant) / (2 * self.differing)

    @property
    def lost(self) -> float:
        """What `won` lacks to 1, rounded once too."""
        return (self.differing - self.concordant + self.discordant) / (2 * self.differing)

    @property
    def se(self) -> float:
        """The standard error of `won`, by the delta method."""
        return math.sqrt(self.spread / self.differing**4)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of `se`: those of a variance estimated from such influences."""
        most = max(self.cases - 1, 1)
        excess = self.fourth / self.spread**2 - 1 / self.cases if self.spread else 0.0
        return max(1.0, 2 / excess) if excess > 2 / most else float(most)


def check_given(given: object) -> Conditioning:
    """Return what a pair has to differ in, else raise ValueError."""
    return as_name(given, "given", ("estimate", "target"), OTHER_NAMES)  # type: ignore[return-value]  # one of the two


def ordinal_pairs(table: Ints, given: Conditioning) -> OrdinalPairs:
    """Return the pairs of a table, rows ascending in the estimate and columns in the outcome.

    Goodman & Kruskal (1963), JASA 58; ECB (2019), annex 3.2, which writes a for the table, A and D
    for `in_order` and `out_of_order`, and r for the totals of rows.

    >>> found = ordinal_pairs(np.array([[80, 5], [10, 5]]), "estimate")
    >>> found.concordant, found.discordant, found.differing, found.cases
    (800, 100, 2550, 100)
    """
    cases = int(table.sum())
    if not cases:
        raise ValueError("the table holds no cases")
    # Python's integers where a sum of products might not fit into 64 bits.
    whole = table if cases**2 <= LARGEST_INT64 else table.astype(object)
    in_order, out_of_order = neighbours(whole)
    p, q = (int((whole * found).sum()) for found in (in_order, out_of_order))
    totals = whole.sum(axis=1, keepdims=True) if given == "estimate" else whole.sum(axis=0)[None]
    w = cases**2 - sum(int(total) ** 2 for total in totals.ravel())
    if not w:
        raise ValueError(ONE_CLASS_ALONE[given])
    held = np.nonzero(table)
    a, ahead = _objects(whole[held]), _objects((in_order - out_of_order)[held])
    rest = cases - _objects(np.broadcast_to(totals, whole.shape)[held])
    squares = (w * ahead - (p - q) * rest) ** 2
    return OrdinalPairs(p, q, w, cases, int((a * squares).sum()), int((a * squares**2).sum()))


def neighbours(table: Array) -> tuple[Array, Array]:
    """Return for each cell how many cases are in order with its own, and how many out of it."""
    upto = np.zeros((table.shape[0] + 1, table.shape[1] + 1), dtype=table.dtype)
    upto[1:, 1:] = table.cumsum(axis=0).cumsum(axis=1)
    rows, columns = upto[:, -1:], upto[-1:, :]
    lower_both = upto[:-1, :-1]
    higher_both = upto[-1, -1] - rows[1:] - columns[:, 1:] + upto[1:, 1:]
    higher_row = columns[:, :-1] - upto[1:, :-1]
    lower_row = rows[:-1] - upto[:-1, 1:]
    return lower_both + higher_both, higher_row + lower_row


def _objects(whole: Any) -> Array:
    return np.asarray(whole).astype(object)


ROOT_BITS = 80
# Of pairs of weighted cases, below which their inverse has no float.
LEAST_PAIRS = Fraction(1, 10**300)


def _ranking_or_table(given: Any, name: str, needed: str = "") -> Any:
    """Return counts, or the table where outcomes have several classes."""
    if is_table(given):
        return table_of(given)
    return as_ranking(given, name, needed, instead="accuracy_ratio")


@taking_columns(_ranking_or_table)
def somers_d(
    counts: Ranking | OrdinalTable, *, given: Literal["target", "score"] = "target"
) -> float:
    """Return Somers' D: pairs in order minus pairs out of order, among pairs that differ.

    In [-1, 1]. Raises `ValueError` when a class is missing, or, given the score, when all scores
    are equal.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`. For outcomes of several ordered
        classes, such as losses: result of `count_classes`, or a table of counts whose rows are
        the estimated and whose columns are the realised classes, both ascending.
    given
        Which side must differ in a pair: "target" (Basel WP14; the accuracy ratio) or
        "score" (the form of the ECB's generalised AUC).

    Notes
    -----
    Somers (1962), "A new asymmetric measure of association for ordinal variables".
    `scipy.stats.somersd(table)` is given the rows: `given="score"` here.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> somers_d(count_scores([1, 0, 1, 0], [2, 2, 3, 1]))
    0.75

    80·5 pairs in order less 10·5 out of order, over 90·10 that differ in the outcome.

    >>> round(somers_d([[80, 5], [10, 5]]), 6)
    0.388889
    """
    if isinstance(counts, np.ndarray):
        return ordinal_pairs(counts, check_given(given)).somers_d
    return _of_two_classes(cast("Ranking", counts), given)


def _of_two_classes(counts: Ranking, given: object) -> float:
    if given == "target":
        return accuracy_ratio(counts)
    if given != "score":
        raise ValueError(f'given must be "target" or "score", got {given!r}')
    pairs = count_pairs(counts)
    if counts.is_whole:
        return share(pairs.won - pairs.lost, _pairs_of_scores(counts))
    # Normalised by class, pairs of scores need the classes' true proportion.
    return float(accuracy_ratio(counts) * _class_pairs_share(counts))


@about_classes("accuracy_ratio")
def kendall_tau_b(counts: Ranking) -> float:
    """Return Kendall's tau-b between score and target.

    Pairs in order minus pairs out of order, over the root of pairs that differ in the target times
    pairs that differ in the score. In [-1, 1]. Raises `ValueError` when a class is missing or all
    scores are equal.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Notes
    -----
    Kendall (1945), "The treatment of ties in ranking problems".

    Examples
    --------
    >>> from capcurve import count_scores
    >>> round(kendall_tau_b(count_scores([1, 0, 1, 0], [2, 2, 3, 1])), 12)
    0.67082039325
    """
    if not counts.is_whole:
        return float(accuracy_ratio(counts) * np.sqrt(_class_pairs_share(counts)))
    pairs = count_pairs(counts)
    balance = pairs.won - pairs.lost
    # The root in whole numbers, with so many digits that one rounding is all there is.
    size = math.isqrt(pairs.total * _pairs_of_scores(counts) << 2 * ROOT_BITS)
    return float((balance << ROOT_BITS) / size)


def _pairs_of_scores(counts: Ranking) -> int:
    """Return how many pairs of cases differ in score: (n^2 - Σ n_k^2) / 2."""
    found = (counts.n**2 - _case_squares(counts)) // 2
    if not found:
        raise ValueError("all scores are equal, so no pair of cases differs in score")
    return int(found)


def _case_squares(counts: Ranking) -> int:
    found = counts.totals().case_squares
    return _case_squares(counts.every_score()) if found is None else found


def _class_pairs_share(counts: Ranking) -> float:
    """Return pairs that differ in target over pairs that differ in score, for weights."""
    # Pairs that differ in score are summed by class, each class over its own total: one may weigh
    # 1e300 and the other 1e-300.
    require(counts, "positives", "negatives")
    counts = counts.every_score()
    if len(counts) == 1:
        raise ValueError("all scores are equal, so no pair of cases differs in score")
    (p, before_p), (n, before_n) = map(_upto, (counts.positives, counts.negatives))
    mixed = (p * before_n).sum() + (n * before_p).sum()
    odds = Fraction(counts.n1) / Fraction(counts.n0)
    alike = Fraction((p * before_p).sum()) * odds + Fraction((n * before_n).sum()) / odds
    found = Fraction(mixed) + alike
    if found < LEAST_PAIRS:
        raise ValueError("one score weighs so much that pairs of others have no float beside it")
    return float(1 / found)


def _upto(column: Array) -> tuple[Floats, Floats]:
    """Return the share of a class at each score, and that above it."""
    sums = cumulated(column.astype(np.float64))
    return column / sums[-1], sums[:-1] / sums[-1]


@takes_counts
def kappa(counts: Ranking, *, threshold: Any) -> float:
    """Return Cohen's kappa at a cut-off: how much more judge and label agree than by chance.

    "Positive" for the judge is a score at the cut-off or better. In [-1, 1]; 1 is full agreement, 0
    that of chance. It moves with the share of positives, so quote the share that agrees beside it.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    threshold
        A score or grade name; the cases on its side are judged positive.

    Raises
    ------
    ValueError
        Where all cases are judged and labelled alike, so that chance alone agrees fully.

    Notes
    -----
    (po - pe)/(1 - pe), with po the share that agrees and pe what independent judge and label would:
    Cohen (1960), Educ. Psychol. Meas. 20.

    Examples
    --------
    Three of four agree, and by chance two would: (3/4 - 1/2)/(1 - 1/2).

    >>> from capcurve import count_scores
    >>> kappa(count_scores([1, 1, 0, 0], [5, 4, 3, 1]), threshold=3)
    0.5
    """
    judged = judged_at(counts, threshold)
    # As shares of weights, whose products may be no floats.
    unit = 1 if counts.is_whole else counts.n
    return float(kappa_of(*(each if unit == 1 else each / unit for each in judged)))


def judged_at(counts: Ranking, threshold: Any) -> tuple[Any, Any, Any, Any]:
    """Return the cases judged positive and negative of the positives, and of the negatives."""
    cells = counts.every_score()
    place = selected_at(cells, threshold)
    hits, false = total(cells.positives[:place]), total(cells.negatives[:place])
    return hits, total(cells.positives[place:]), false, total(cells.negatives[place:])


def kappa_of(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
    """Return kappa of numbers or shares of cases, or of many at once."""
    chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    if not np.ndim(chance) and not chance > 0:
        raise ValueError(
            "all cases are judged and labelled alike, so chance alone agrees fully and kappa is "
            "undefined; move the cut-off, or quote the share that agrees"
        )
    return 2 * (tp * tn - fp * fn) / chance


@takes_counts
def conditional_information_entropy_ratio(counts: Ranking) -> float:
    """Return the CIER: the share of the target's uncertainty that knowing the score removes.

    With H(p) the entropy of the prevalence and H_S the mean entropy of the grades, it is (H(p) -
    H_S) / H(p). Meant for grades: with a continuous score it tends to 1. In [0, 1]. Raises
    `ValueError` when a class is missing.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> conditional_information_entropy_ratio(ScoreCounts.from_counts([2, 1], [5, 0], [0, 5]))
    1.0
    """
    require(counts, "positives", "negatives")
    if not counts.is_whole:
        cells = counts.every_score()
        # Scaled together, so that nothing overflows.
        largest = float(max(cells.positives.max(), cells.negatives.max()))
        p, n = cells.positives / largest, cells.negatives / largest
        within, n1, n0 = ((p + n) * entropy(p, n)).sum(), p.sum(), n.sum()
        return _removed(entropy(n1, n0), within / (n1 + n0))
    mean = counts.totals().entropy
    if mean is None:
        mean = counts.every_score().totals().entropy
    return _removed(entropy(counts.n1, counts.n0), mean)


def _removed(whole: Any, within: Any) -> float:
    """Return the share of the whole entropy that knowing the score removes, rounding aside."""
    if not whole > 0:
        raise ValueError("one class weighs next to nothing beside the other: there is no entropy")
    return float(min(max((whole - within) / whole, 0.0), 1.0))


@takes_counts
def information_value(counts: Ranking, *, bins: int | None = None) -> float:
    """Return the information value: the symmetric divergence between the classes' scores.

    The sum over grades of (c - d)·ln(c/d), with c and d the shares of positives and of negatives in
    a grade. It is infinite when a grade holds one class only; no grade is left out and nothing is
    smoothed. Zero or more, in nats; `math.inf` when it is infinite. Raises `ValueError` when a
    class is missing.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    bins
        Take it over this many bins of a gains table instead of the distinct scores.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> information_value(ScoreCounts.from_counts([2, 1], [5, 0], [1, 4]))
    inf
    """
    require(counts, "positives", "negatives")
    if bins is None and counts.is_whole:
        found = counts.totals().information_value
        return information_value(counts.every_score()) if found is None else found
    cells = counts.every_score() if bins is None else counts.vertices
    p, n = (column.astype(np.float64) for column in (cells.positives, cells.negatives))
    if bins is not None:
        starts = np.concatenate([[0], bin_ends(counts, bins)[:-1]])
        p, n = np.add.reduceat(p, starts), np.add.reduceat(n, starts)
    if not ((p > 0).all() and (n > 0).all()):
        return math.inf
    c, d = p / p.sum(), n / n.sum()
    small = np.minimum(c, d) < LEAST_SHARE_OF_CLASS  # which has no quotient, but logarithms
    logs = np.log(p[small]) - np.log(n[small]) - np.log(p.sum()) + np.log(n.sum())
    return divergence(c[~small], d[~small]) + float(((c - d)[small] * logs).sum())


ASSOCIATION_METRICS = (
    Metric(function=somers_d, label="Somers' D", ends=(-1.0, 1.0)),
    Metric(function=kendall_tau_b, label="Kendall's tau-b", short="tau-b", ends=(-1.0, 1.0)),
    Metric(
        function=conditional_information_entropy_ratio,
        label="conditional information entropy ratio",
        short="CIER",
    ),
    Metric(function=information_value, label="information value", short="IV", ends=(0.0, math.inf)),
    Metric(function=kappa, label="kappa", needs=("threshold",), ends=(-1.0, 1.0), requires=()),
)
