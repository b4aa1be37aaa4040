"""Curve: a broken line, or a ratio of two, kept as the running sums it was made from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from capcurve.counts.settings import CLASSES, Words
from capcurve.counts.table import wide
from capcurve.curves.simplify import kept_points, kept_steps
from capcurve.numbers.arguments import arg, as_number, refused, told
from capcurve.numbers.exact import DoubleDouble, exact_dot, exact_share, refuse_beyond
from capcurve.numbers.frame import Backend, data_frame
from capcurve.numbers.meeting import as_written
from capcurve.numbers.plain import plain
from capcurve.numbers.types import Array, Floats, FrozenRecord, Places

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from capcurve.curves.shares import RunningSums

SERIES_BELOW = 1e-4
TOO_UNEVEN = "amounts, exposures or weights are too large or differ by too much"
SHARE_SELECTED = CLASSES.share_selected
SHARE_CAPTURED = CLASSES.share_captured


def under_line(x_sums: Array, x_total: Any, y_sums: Array, y_total: Any) -> float:
    """Return the area under a broken line; whole sums give a result rounded once."""
    whole = x_sums.dtype.kind != "f" and y_sums.dtype.kind != "f"
    if whole and y_sums.min(initial=0) >= 0:
        width = np.diff(x_sums)
        twice = exact_dot(width, y_sums[1:]) + exact_dot(width, y_sums[:-1])
        return float(twice / (2 * int(x_total) * int(y_total)))
    width, height = np.diff(x_sums) / x_total, y_sums / y_total
    return float((width * (height[1:] + height[:-1])).sum() / 2)


def under_ratio(x: Floats, numerator: Floats, denominator: Floats) -> float:
    """Return the area under the ratio of two broken lines."""
    # On a segment of width h with numerator n + t*dn and denominator d + t*dd, t in [0, 1]: h *
    # (dn/dd + (n*dd - d*dn)/dd^2 * ln(1 + dd/d)).
    h = np.diff(x)
    n, dn = numerator[:-1], np.diff(numerator)
    d, dd = denominator[:-1], np.diff(denominator)
    origin = d == 0
    safe = np.where(origin, 1.0, d)
    u = dd / safe
    small = np.abs(u) < SERIES_BELOW
    steady = np.where(small, 1.0, u)
    # With u = dd/d the mean of 1/(1 + t*u) is ln(1+u)/u, and of t/(1 + t*u) is (1 - that)/u.
    log_mean = np.where(small, 1 - u / 2 + u**2 / 3 - u**3 / 4, np.log1p(steady) / steady)
    t_mean = np.where(small, 0.5 - u / 3 + u**2 / 4 - u**3 / 5, (1 - log_mean) / steady)
    mean = (n * log_mean + dn * t_mean) / safe
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(dd != 0, dn / dd, 0.0)
    return float((h * np.where(origin, first, mean)).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Curve(FrozenRecord):
    """A curve through one point per distinct score, straight in between.

    Sums and totals are kept apart, so that whole counts stay whole and ratios such as lift
    are exact at every x, not only at the points.

    Attributes
    ----------
    name
        Which curve this is, for instance "cap".
    x_sums, x_total
        x is their ratio, shape (points,).
    y_sums, y_total
        y is their ratio, shape (points,), divided by that of `over_sums` where given.
    over_sums, over_total
        What y is divided by: the share selected for a lift; None for 1.
    thresholds
        The score at which each segment ends, one fewer than points; None without scores.
    step
        Whether y holds one value over each segment (that of the segment's end) instead of
        a straight line.
    x_label, y_label
        What the axes show.
    """

    name: str
    x_sums: Array
    x_total: Any
    y_sums: Array
    y_total: Any
    over_sums: Array | None = None
    over_total: Any = 1
    thresholds: Array | None = None
    step: bool = False
    x_label: str = "x"
    y_label: str = "y"

    @property
    def x(self) -> Floats:
        """Points along x, ascending, shape (points,)."""
        return np.asarray(self.x_sums / self.x_total, dtype=np.float64)

    @property
    def y(self) -> Floats:
        """Values at the points, shape (points,); 0/0 at the origin is the limit there."""
        if self.over_sums is None:
            return self._lines()[0]
        ratio = _ratio(self.y_sums, self.y_total, self.over_sums, self.over_total)
        refuse_beyond(ratio, f"the {self.y_label}", TOO_UNEVEN)
        return ratio

    def _lines(self) -> tuple[Floats, Floats | None]:
        """Return the broken line of y, and the one it is divided by, if any."""
        numerator = np.asarray(self.y_sums / self.y_total, dtype=np.float64)
        if self.over_sums is None:
            return numerator, None
        return numerator, np.asarray(self.over_sums / self.over_total, dtype=np.float64)

    @overload
    def at(self, x: float) -> float: ...
    @overload
    def at(self, x: ArrayLike) -> Floats | float: ...
    def at(self, x: Any) -> Any:
        """Return the value at x, exact inside a grade too.

        Where the curve is vertical, the top; where it steps, the value of the segment that ends at
        x. Raises `ValueError` when x is NaN or outside the curve.

        Parameters
        ----------
        x
            A number or an array of them, within the curve.

        Examples
        --------
        >>> line = Curve("demo", np.array([0, 4]), 4, np.array([0, 3]), 3)
        >>> line.at(0.5)
        0.5
        """
        try:
            wanted = np.asarray(x, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"x must be a number or an array of them, got {told(x)}") from None
        points = self.x
        outside = ~((wanted >= points[0]) & (wanted <= points[-1]))
        if outside.any():
            bad = float(wanted[outside].flat[0]) if wanted.ndim else float(wanted)
            raise ValueError(f"{bad} is outside the curve, from {points[0]:g} to {points[-1]:g}")
        found = self._heights(points, np.atleast_1d(wanted))
        return float(found[0]) if wanted.ndim == 0 else found

    def _heights(self, points: Floats, wanted: Floats) -> Floats:
        before = np.searchsorted(points, wanted, side="left")
        if self.step:
            return self.y[np.maximum(before, 1)]
        after = np.searchsorted(points, wanted, side="right") - 1
        heights = self._between(points, wanted, np.minimum(after, len(points) - 2))
        vertical = before < after  # more than one point stands at this x
        if vertical.any():
            low, high = self.y[before[vertical]], self.y[after[vertical]]
            heights[vertical] = np.maximum(low, high)
        return heights

    def _between(self, points: Floats, wanted: Floats, left: Places) -> Floats:
        # In double-double, so that rounding once at the end is all the rounding there is.
        along = exact_share(self.x_sums[left], self.x_total)
        width = exact_share(self.x_sums[left + 1], self.x_total) - along
        with np.errstate(invalid="ignore", divide="ignore"):  # vertical segments have no width
            part = (DoubleDouble.of(wanted) - along) / width
        before = (part.high <= 0) | (wanted == points[left])
        after = (width.high <= 0) | (part.high >= 1) | (wanted == points[left + 1])
        part = part.where(~before, 0.0).where(~after, 1.0)
        numerator = _along(self.y_sums, self.y_total, left, part)
        if self.over_sums is None:
            return np.asarray(numerator.high)
        denominator = _along(self.over_sums, self.over_total, left, part)
        off_origin = denominator.high != 0
        with np.errstate(over="ignore"):
            ratio: Floats = np.asarray((numerator / denominator.where(off_origin, 1.0)).high)
        refuse_beyond(ratio, f"the {self.y_label}", TOO_UNEVEN)
        return ratio if off_origin.all() else np.where(off_origin, ratio, self.y[left])

    @property
    def area(self) -> float:
        """Area under the curve: exact before it is rounded once, for whole counts."""
        with np.errstate(over="ignore", invalid="ignore"):
            area = self._area()
        if not np.isfinite(area):
            raise ValueError(f"the area under the {self.name} curve has no float; {TOO_UNEVEN}")
        return area

    def _area(self) -> float:
        if self.step:
            return float((np.diff(self.x) * self.y[1:]).sum())
        numerator, denominator = self._lines()
        if denominator is None:
            return under_line(self.x_sums, self.x_total, self.y_sums, self.y_total)
        return under_ratio(self.x, numerator, denominator)

    def simplify(self, tolerance: float) -> Curve:
        """Return a curve with fewer points that is nowhere further away than `tolerance`.

        Parameters
        ----------
        tolerance
            Largest vertical distance allowed, in units of y; 0 drops what changes nothing.
        """
        tolerance = as_number(tolerance, "tolerance")
        if tolerance < 0:
            raise ValueError(f"{refused('tolerance')} be zero or more, got {tolerance}")
        if self.step:
            keep = kept_steps(self.y, tolerance)
        else:
            keep = kept_points(self.x, self.y, *self._lines(), tolerance)
        over = None if self.over_sums is None else self.over_sums[keep]
        ends = None if self.thresholds is None else self.thresholds[keep[1:] - 1]
        x, y = self.x_sums[keep], self.y_sums[keep]
        return replace(self, x_sums=x, y_sums=y, over_sums=over, thresholds=ends)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with a row for each point: x, y and the score where it stands.

        Nobody is selected at the first point, which has no score.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; the first of these that is installed when left out.

        Examples
        --------
        >>> from capcurve import cap_curve, count_scores
        >>> cap_curve(count_scores([1, 0], [0.9, 0.2])).to_frame("polars").rows()
        [(0.0, 0.0, None), (0.5, 1.0, 0.9), (1.0, 1.0, 0.2)]
        """
        columns = {"x": self.x.tolist(), "y": self.y.tolist()}
        if self.thresholds is not None:
            columns["threshold"] = [None, *as_written(self.thresholds).tolist()]
        return data_frame(columns, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the points as values that strict JSON can hold."""
        ends = None if self.thresholds is None else [None, *plain(as_written(self.thresholds))]
        written: dict[str, Any] = plain({"name": self.name, "x": self.x, "y": self.y})
        looks = {name: getattr(self, name) for name in ("step", "x_label", "y_label")}
        return {**written, "threshold": ends, **looks}

    def __len__(self) -> int:
        return len(self.x_sums)

    def __repr__(self) -> str:
        return f"Curve({self.name}, {len(self)} points: {self.y_label} along {self.x_label})"


def _along(sums: Array, total: Any, left: Places, part: DoubleDouble) -> DoubleDouble:
    start, end = (exact_share(sums[at], total) for at in (left, left + 1))
    # At the far end the share itself, which start + (end - start) need not be.
    return (start + (end - start) * part).where(part.high < 1, end)


def _ratio(sums: Array, total: Any, over: Array, whole: Any) -> Floats:
    """Divide shares; at an origin of 0/0 the ratio is that of the first segment, constant along it.

    Powers of two are set aside, so that shares too small for a float have a ratio.
    """
    zero = over == 0
    (a, i), (b, j), (c, k), (d, m) = (np.frexp(part) for part in (sums, total, over, whole))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio: Floats = np.ldexp((a / b) / (c / d), i - j - k + m)
    ratio[zero] = ratio[min(int(zero.sum()), len(ratio) - 1)]
    return ratio


def check_absolute(absolute: bool, prevalence: float | None) -> None:
    """Raise ValueError when counts are asked for and a rate is stated as well."""
    if absolute and prevalence is not None:
        raise ValueError(f"{arg(absolute=True)} counts the cases there are; leave out prevalence")


def line(
    name: str,
    thresholds: Array | None,
    words: Words,
    selected: RunningSums,
    captured: RunningSums,
    *,
    absolute: bool,
) -> Curve:
    """Return what is captured along what is selected, as shares or in its own units."""
    if absolute:
        labels = (f"{words.selected} selected", f"{words.captured} captured")
        return curve_of(name, thresholds, selected.in_units, captured.in_units, labels)
    labels = (words.share_selected, words.share_captured)
    return curve_of(name, thresholds, selected, captured, labels)


def curve_of(
    name: str,
    thresholds: Array | None,
    x: RunningSums,
    y: RunningSums,
    labels: tuple[str, str],
    over: RunningSums | None = None,
    *,
    step: bool = False,
) -> Curve:
    """Return y along x, divided by `over` where given, with the scores where segments end."""
    below: tuple[Any, Any] = (None, 1) if over is None else (over.sums, over.total)
    return Curve(name, x.sums, x.total, y.sums, y.total, *below, thresholds, step, *labels)


def at_points(column: Array) -> Array:
    """Return what each score holds; the first point takes the value of the first segment."""
    each = wide(column)
    return np.concatenate([each[:1], each])
