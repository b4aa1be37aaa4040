"""Planning: how likely a real difference is found, and how many cases that takes."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.inference.designs import ClassSizes
from capcurve.inference.differences import Alternative, Question, ask
from capcurve.inference.limits import crossing
from capcurve.inference.ranking import expected_interval
from capcurve.inference.records import Confidence, RankingMetric, factor_of
from capcurve.numbers.arguments import as_number, as_open_share, as_whole, as_word, told
from capcurve.numbers.order import LARGEST_TOTAL
from capcurve.show.format import counted, percent
from capcurve.show.presentation import Figure, Presentation
from capcurve.show.result import OneRow

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.numbers.types import Floats

Design = Literal["one score", "paired", "unpaired"]
POWER = 0.8  # how likely a plan shows what is there, unless it says otherwise
MOST_POSITIVES = 2**50
LARGEST_SPREAD = 1e6  # its square, and one over that, are floats next to which 1 still counts
AUC_TOLERANCE = 1e-9  # an AUC is found to so much
# Of estimates, in normal quantiles: where limits are made, and where they are read off.
NODES, QUANTILE_GRID = np.linspace(-5, 5, 11), np.linspace(-5, 5, 101)
LEAST_WEIGHT, MOST_WEIGHT = 1e-2, 1e6  # weights of a beta law: the least, and where it is normal


@dataclass(frozen=True, slots=True)
class SampleSize(OneRow):
    """How many cases a plan needs.

    Attributes
    ----------
    n1, n0, n
        Positives, negatives and all cases; of each sample when two are compared unpaired.
    power
        What these numbers reach: at least what was asked for.
    """

    n1: int
    n0: int
    n: int
    power: float

    def presentation(self) -> Presentation:
        """Return what the plan shows: the cases of each class, and the power they reach."""
        cases = f"{counted(self.n1, 'positive')} and {counted(self.n0, 'negative')}"
        said = f"{cases}, {counted(self.n, 'case')} in all, reach a power of {percent(self.power)}."
        return Presentation(
            title="Sample size",
            sentences=(said,),
            figures=(
                Figure("n1", "positives", "positives", self.n1, "count"),
                Figure("n0", "negatives", "negatives", self.n0, "count"),
                Figure("n", "cases", "cases", self.n, "count"),
                Figure("power", "power", "power", self.power, "share"),
            ),
            notes=("To compare two separate samples, each needs this many cases.",),
        )


def power(
    value: float,
    n1: int,
    n0: int,
    *,
    versus: float | None = None,
    design: Design = "one score",
    correlation: float | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    metric: RankingMetric = "roc_auc",
    spread: float = 1.0,
) -> float:
    """Return the power of a test: how likely a sample of this size shows a true difference.

    In [0, 1]. Raises `ValueError` for values out of range, or a design without what it needs.

    Parameters
    ----------
    value
        The score's true value, in `metric`.
    n1, n0
        Positives and negatives; in each of the two samples when unpaired.
    versus
        What it is compared with: a known value ("one score"; a random score when left out), or
        the true value of another score.
    design
        "one score" against a known value, two scores "paired" on the same rows, or two
        samples "unpaired".
    correlation
        Of the two estimates, for "paired" only; with similar scores often 0.5 to 0.9. Read it
        off `compare(joint).covariance` of a pilot.
    margin, alternative
        What will be shown, as in `compare`.
    alpha
        Level of the test.
    metric
        "roc_auc" or "accuracy_ratio": what `value`, `versus` and `margin` are measured in.
    spread
        Standard deviation of the positives' scores over that of the negatives'.

    Notes
    -----
    Of one score the normal law, with the variance an AUC has when both classes have normal scores.
    Of two, estimates vary as beta laws with this variance, and each pair of them is tested as
    `compare` ("paired") and `compare_independent` ("unpaired") do, with the limits that samples of
    normal scores with such estimates would have. The widely used exponential variance of Hanley &
    McNeil (1982) depends on which class is larger: at an AUC of 0.85 it asks for 46% more cases
    where one in six is positive. Against 1/2 it is that under drawing lots.

    Examples
    --------
    Fifty of each show an AUC of 0.7 nearly always, and hardly ever that 0.7 is not 0.68.

    >>> round(power(0.7, 50, 50), 2), round(power(0.7, 50, 50, versus=0.68), 2)
    (0.95, 0.07)
    """
    n1, n0 = (as_whole(cases, name, 1, LARGEST_TOTAL) for name, cases in (("n1", n1), ("n0", n0)))
    question = ask(alternative, margin, metric)
    return _plan(value, versus, design, correlation, alpha, question, spread).power(n1, n0)


def sample_size(
    value: float,
    *,
    prevalence: float,
    power: float = POWER,
    versus: float | None = None,
    design: Design = "one score",
    correlation: float | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    metric: RankingMetric = "roc_auc",
    spread: float = 1.0,
) -> SampleSize:
    """Return the sample size: how many cases it takes to show a difference that is really there.

    The smallest number of positives that suffices, with their negatives. Raises `ValueError` as in
    `power`, and when no number of cases suffices: nothing differs, or the margin is not met.

    Parameters
    ----------
    value
        The score's true value, in `metric`.
    prevalence
        Share of cases that are positive.
    power
        How likely the difference shall be shown.
    versus, design, correlation, margin, alternative, alpha, metric, spread
        As in `power`.

    Examples
    --------
    >>> sample_size(0.7, prevalence=0.5).n1
    32
    """
    prevalence = as_open_share(prevalence, "prevalence")
    question = ask(alternative, margin, metric)
    plan = _plan(value, versus, design, correlation, alpha, question, spread)
    power = as_open_share(power, "power")
    if not plan.alpha < power:
        raise ValueError(f"power must be above alpha, got {power} and {plan.alpha}")

    def reached(n1: int) -> float:
        return plan.power(n1, _negatives(n1, prevalence))

    enough = 1
    while reached(enough) < power:
        enough *= 2
        if enough > MOST_POSITIVES:
            raise ValueError(
                f"no number of cases up to {MOST_POSITIVES:,} positives shows this: what is "
                "expected is what is to be refuted, or too near it, or a class is too rare"
            )
    short = enough // 2
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if reached(middle) >= power else (middle, enough)
    n0 = _negatives(enough, prevalence)
    return SampleSize(enough, n0, enough + n0, reached(enough))


def detectable_drop(
    n1: int,
    n0: int,
    versus: float,
    *,
    power: float = POWER,
    alpha: float = 0.05,
    margin: float = 0.0,
    initial: tuple[int, int] | None = None,
    metric: RankingMetric = "accuracy_ratio",
    spread: float = 1.0,
) -> float:
    """Return the detectable drop: how far a score must fall for a sample of this size to show it.

    In units of `metric`. Raises `ValueError` for values out of range, among them a margin below
    which no value lies.

    Parameters
    ----------
    n1, n0
        Positives and negatives of the sample that is checked.
    versus
        The value before, in `metric`.
    power
        How likely the fall shall be shown.
    alpha
        Chance of a false alarm when the fall is `margin` exactly.
    margin
        What the fall must be shown to exceed, as with `capcurve check --max-drop`.
    initial
        Positives and negatives of the sample that `versus` was found on; known without error
        when left out.
    metric, spread
        As in `power`; here in accuracy ratios when left out.

    Notes
    -----
    The fall d with d - margin = (z(1 - alpha) + z(power))·se(versus - d), the standard error
    that normal scores have, as in `power`.

    Examples
    --------
    With 100 defaults among 2,000 loans a fall from 0.60 to below 0.48 is noticed.

    >>> round(detectable_drop(100, 1900, 0.6), 3)
    0.125
    """
    from scipy.special import ndtri

    now = (as_whole(n1, "n1", 1, LARGEST_TOTAL), as_whole(n0, "n0", 1, LARGEST_TOTAL))
    of1, of0 = (as_whole(cases, "initial", 1, LARGEST_TOTAL) for cases in initial or (1, 1))
    question, factor = ask("superior", margin, metric), factor_of(metric)
    before, spread = _as_auc(versus, "versus", factor), _as_spread(spread)
    alpha, power = as_open_share(alpha, "alpha"), as_open_share(power, "power")
    reach = float(ndtri(power) - ndtri(alpha))
    own = binormal_variance(before, of1, of0, spread) if initial else 0.0

    def shown(auc: float) -> bool:
        se = math.sqrt(binormal_variance(auc, *now, spread) + own)
        return before - auc - question.margin / factor >= reach * se

    if not shown(0.0):
        raise ValueError(
            f"a sample of this size shows no fall from {versus:g} to exceed {margin:g}, "
            "however large"
        )
    return factor * (before - crossing(shown, before, AUC_TOLERANCE))


def drop_if_detectable(n1: int, n0: int, versus: float, **asked: Any) -> float | None:
    """Return the `detectable_drop`, None where such a sample shows none, however large."""
    with suppress(ValueError):
        return detectable_drop(n1, n0, versus, **asked)
    return None


def _negatives(n1: int, prevalence: float) -> int:
    return max(1, math.ceil(n1 * (1 - prevalence) / prevalence))


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is expected and how it will be tested, in AUC."""

    auc: float
    versus: float
    design: Design
    correlation: float
    alpha: float
    question: Question
    spread: float

    def power(self, n1: float, n0: float) -> float:
        """Return the chance that the test shows what it is asked to show."""
        if self.design != "one score":
            return self._power_of_two(n1, n0)
        from scipy.special import ndtr

        spread = math.sqrt(binormal_variance(self.auc, n1, n0, self.spread))
        # Against 1/2 the test knows the spread under drawing lots; else it estimates its own.
        lots = self.versus == 0.5  # noqa: PLR2004 - drawing lots
        used = math.sqrt((n1 + n0 + 1) / 12 / n1 / n0) if lots else spread
        difference, reach = self.auc - self.versus, self.quantile * used
        shown = self._shown(
            above=lambda limit: np.array(ndtr(_in_units(difference - reach - limit, spread))),
            below=lambda limit: np.array(ndtr(_in_units(limit - difference - reach, spread))),
        )
        return min(1.0, float(shown))

    @property
    def quantile(self) -> float:
        """How many standard errors the test asks for, by the normal law."""
        from scipy.special import ndtri

        two_sided = self.question.alternative == "two-sided"
        return -float(ndtri(self.alpha / 2 if two_sided else self.alpha))

    def _shown(self, above: Callable[[float], Floats], below: Callable[[float], Floats]) -> Floats:
        """Return how likely it is shown, of how likely limits lie above and below a value."""
        margin = self.question.margin
        chances: dict[Alternative, Callable[[], Floats]] = {
            "two-sided": lambda: above(0.0) + below(0.0),
            "superior": lambda: above(margin),
            "inferior": lambda: below(-margin),
            "non-inferior": lambda: above(-margin),
            "equivalent": lambda: np.maximum(0.0, above(-margin) + below(margin) - 1),
        }
        return chances[self.question.alternative]()

    def _power_of_two(self, n1: float, n0: float) -> float:
        """Return the same of two scores: over pairs of estimates, by the limits that each gives."""
        from scipy.special import ndtr

        if min(n1, n0) < 2:  # noqa: PLR2004 - one case shows no spread
            return 0.0
        one, two = (
            _Sampled.of(auc, ClassSizes(n1, n0), self.spread, self.quantile, self.question)
            for auc in (self.auc, self.versus)
        )
        gap = one.estimates[:, None] - two.estimates
        down, up = np.hypot(one.down[:, None], two.up), np.hypot(one.up[:, None], two.down)
        if self.design == "paired":
            both = 2 * self.correlation * one.se[:, None] * two.se
            squares = np.maximum(one.se[:, None] ** 2 + two.se**2 - both, 0.0)
            law = Confidence.at(self.quantile)
            down = up = law.t(max(min(n1, n0) - 1, 1.0)) * np.sqrt(squares)
        rest, along = math.sqrt(1 - self.correlation**2), self.correlation * QUANTILE_GRID
        shown = self._shown(
            above=lambda limit: np.asarray(ndtr((along - _zero(gap - down - limit)) / rest)),
            below=lambda limit: np.asarray(ndtr((_zero(gap + up - limit) - along) / rest)),
        )
        return min(1.0, float(np.average(shown, weights=np.exp(-(QUANTILE_GRID**2) / 2))))


@dataclass(frozen=True, slots=True, eq=False)
class _Sampled:
    """AUCs that samples show, on the `QUANTILE_GRID`: how far limits reach, and the error."""

    estimates: Floats
    down: Floats
    up: Floats
    se: Floats

    @classmethod
    def of(
        cls, auc: float, sizes: ClassSizes, spread: float, quantile: float, about: Question
    ) -> _Sampled:
        """Return what samples of normal scores show, limits read off between some estimates."""
        confidence, rows = Confidence.at(quantile), []
        variance = binormal_variance(auc, *sizes, spread)
        for estimate in _quantiles(auc, variance, NODES).tolist():
            parts = _parts(estimate, *sizes, spread)
            found = expected_interval(estimate, sizes, parts, about.allowance)(confidence)
            rows.append((estimate - found.low, found.high - estimate, math.sqrt(sum(parts))))
        columns = [np.interp(QUANTILE_GRID, NODES, column) for column in zip(*rows, strict=True)]
        return cls(_quantiles(auc, variance, QUANTILE_GRID), *columns)


def _quantiles(auc: float, variance: float, at: Floats) -> Floats:
    """Return estimates with such a mean and variance, at normal quantiles: those of a beta law."""
    from scipy.special import betaincinv, ndtr

    weight = max(auc * (1 - auc) / variance - 1, LEAST_WEIGHT) if variance else math.inf
    if weight > MOST_WEIGHT:
        found = auc + math.sqrt(variance) * at
    else:
        found = betaincinv(auc * weight, (1 - auc) * weight, ndtr(at))
    return np.clip(found, AUC_TOLERANCE, 1 - AUC_TOLERANCE)


def _zero(rising: Floats) -> Floats:
    """Return at which of `QUANTILE_GRID` each column passes zero, straight lines between them."""
    last = np.clip((rising <= 0).sum(axis=0), 1, len(QUANTILE_GRID) - 1)
    columns = np.arange(rising.shape[1])
    below, above = rising[last - 1, columns], rising[last, columns]
    slope = (above - below) / (QUANTILE_GRID[1] - QUANTILE_GRID[0])
    return np.asarray(QUANTILE_GRID[last - 1] - below / np.maximum(slope, AUC_TOLERANCE**3))


def _in_units(distance: float, spread: float) -> float:
    """Return a distance in standard errors; without any error it is infinitely many."""
    return distance / spread if spread > 0 else math.copysign(math.inf, distance)


def _as_auc(given: float, name: str, factor: int) -> float:
    if factor == 1:
        return as_open_share(given, name)
    ratio = as_number(given, name)
    if not -1 < ratio < 1:
        raise ValueError(f"{name} must be between -1 and 1, got {told(given)}")
    return (1 + ratio) / 2


def _as_spread(given: float) -> float:
    spread = as_number(given, "spread")
    if not 1 / LARGEST_SPREAD <= spread <= LARGEST_SPREAD:
        raise ValueError(
            f"spread must be from {1 / LARGEST_SPREAD:g} to {LARGEST_SPREAD:g}, got {spread:g}"
        )
    return spread


def _plan(
    value: float,
    versus: float | None,
    design: Design,
    correlation: float | None,
    alpha: float,
    question: Question,
    spread: float,
) -> _Plan:
    """Return a plan in AUC, or raise ValueError when its parts do not fit together."""
    as_word(design, "design", ("one score", "paired", "unpaired"), either=True)
    if versus is None and design != "one score":
        raise ValueError(f'design="{design}" needs versus=, the value of the other score')
    if (correlation is not None) != (design == "paired"):
        raise ValueError('correlation= belongs to design="paired", which needs it')
    correlation = None if correlation is None else as_number(correlation, "correlation")
    if correlation is not None and not -1 < correlation < 1:
        raise ValueError(f"correlation must be between -1 and 1, got {correlation}")
    two, alpha = design != "one score", as_open_share(alpha, "alpha")
    if two and question.alternative != "two-sided" and alpha >= 0.5:  # noqa: PLR2004 - the median
        raise ValueError(f"alpha must be below 1/2 in a one-sided test of two scores, got {alpha}")
    spread = _as_spread(spread)
    factor = factor_of(question.metric)
    return _Plan(
        _as_auc(value, "value", factor),
        0.5 if versus is None else _as_auc(versus, "versus", factor),
        design,
        correlation or 0.0,
        alpha,
        replace(question, margin=question.margin / factor),
        spread,
    )


def binormal_variance(auc: float, n1: float, n0: float, spread: float = 1.0) -> float:
    """Return the variance of an AUC whose classes have normal scores: exact, without ties."""
    # `spread` is the standard deviation of the positives' scores over that of the negatives'. Two
    # positives both outrank a negative when two normal differences of correlation 1/(1 + spread²)
    # are below the same limit: Owen (1956), Annals of Mathematical Statistics 27.
    two_positives, two_negatives = map(float, normal_spreads(auc, spread))
    apart = (n1 - 1) * two_positives + (n0 - 1) * two_negatives
    return max((auc * (1 - auc) + apart) / n1 / n0, 0.0)


def _parts(auc: float, n1: float, n0: float, spread: float) -> tuple[float, float]:
    """Return what drawing the positives, the negatives adds to the variance."""
    two_positives, two_negatives = map(float, normal_spreads(auc, spread))
    parts = max(two_negatives, AUC_TOLERANCE**2) / n1, max(two_positives, AUC_TOLERANCE**2) / n0
    scale = binormal_variance(auc, n1, n0, spread) / sum(parts)
    return scale * parts[0], scale * parts[1]


def normal_spreads(auc: Any, spread: float = 1.0) -> tuple[Any, Any]:
    """Return the variances of placements of negatives and of positives whose scores are normal.

    They are how much more often than auc² two positives outrank a negative, and one two negatives:
    how often two normal numbers so correlated are both below their `auc` quantile. At 1/2
    placements are uniform, with a variance of 1/12.

    >>> [round(float(each) * 12, 12) for each in normal_spreads(0.5)]
    [1.0, 1.0]
    """
    from scipy.special import ndtri, owens_t

    correlations = 1 / (1 + spread**2), spread**2 / (1 + spread**2)
    one, other = (
        auc - 2 * owens_t(ndtri(auc), math.sqrt((1 - each) / (1 + each))) - auc**2
        for each in correlations
    )
    return one, other
