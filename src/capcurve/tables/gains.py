"""Tables along the CAP: bins from the most likely positive down, and each step that draws it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.settings import CLASSES, Words
from capcurve.counts.sums import ValueSums, add_sums
from capcurve.counts.table import wide
from capcurve.curves.kinds import means
from capcurve.curves.shares import (
    RunningSums,
    bin_ends,
    refuse_prevalence,
    require,
    require_amount,
    sample_rate,
    shares,
)
from capcurve.gate.given import is_amounts
from capcurve.gate.taking import about_classes, takes_rankings
from capcurve.numbers.arguments import as_finite, refused, told
from capcurve.numbers.exact import cumulated, lift_of, quotient
from capcurve.numbers.meeting import selected_at
from capcurve.show.chart import (
    BLUE,
    Axis,
    Bars,
    Chart,
    Line,
    Marker,
    ScoreTicks,
    Style,
    across_periods,
    model_style,
)
from capcurve.show.columns import show
from capcurve.show.format import counted, percent, plain_names, quantity, stated_percent
from capcurve.show.presentation import Presentation
from capcurve.show.table import Table, score_column
from capcurve.tables.thresholds import each_score, with_cutoffs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.counts import Amounts, Ranking, ScoreCounts
    from capcurve.numbers.types import Array, Floats

# So many tables are drawn, and each has a sentence.
FEW_TABLES = 6
MOST_TICKS, MOST_BIN_BARS = 20, 200
# Bins of exposure that differ by less are not called uneven.
NEARLY_EVEN = 0.05


@takes_rankings
def gains_table(
    counts: Ranking | Amounts,
    *,
    bins: int | str | Sequence[Any] = 10,
    prevalence: float | None = None,
) -> Table:
    """Return the gains table: cases, positives or amounts, captured share and lift by bin.

    Raises `ValueError` when a class is missing, when there is no amount, or when `bins` makes no
    sense.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    bins
        How many bins of about equal size; "score" for one per distinct score; or cut points:
        scores that each start a new bin below them, the score itself still above.
    prevalence
        Re-weight the classes to a population in which this share is positive: rate and lift
        move, counted cases stay. Not for amounts.

    Returns
    -------
    Table
        Columns bin, score_from, score_to, n, positives, rate, cum_n, cum_positives,
        captured, lift, cum_lift, ks; at a horizon also rows, before n which they stand for. Of
        amounts bin, score_from, score_to, n, exposure (if one was given), amount, mean_amount (per
        unit of exposure), cum_amount, selected (share of the exposure down to here), captured,
        lift, cum_lift, cum_mean_amount; where amounts below 0 leave shares undefined, these are
        NaN. Ties are never split between bins, so sizes may be uneven, which the note says.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> table = gains_table(count_scores([1, 1, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1]), bins=3)
    >>> table["cum_lift"]
    array([2., 1., 1.])
    """
    if is_amounts(counts):
        refuse_prevalence(prevalence)
        return _of_amounts(counts, bins)
    require(counts, "positives", "negatives")
    ends, asked = ends_of_bins(counts, bins)
    whole, counts = counts, counts.vertices
    sums = shares(counts, prevalence)
    starts = np.concatenate([[0], ends[:-1]])
    p, n, classes = sums.positives, sums.negatives, (counts.positives, counts.negatives)
    here_p, negatives = (sum_of_each(column, starts, ends) for column in classes)
    here_n = here_p + negatives
    hit, missed = here_p, negatives
    if prevalence is not None:
        pi = sample_rate(counts, prevalence)
        hit, missed = pi * (here_p / p.total), (1 - pi) * (negatives / n.total)
    found = _captured(ends, p, sums.cases, here_p, hit + missed)
    columns = {
        **_bins(counts, starts, ends),
        **_rows(whole, starts, ends),
        "n": here_n,
        "positives": here_p,
        "rate": quotient(hit, hit + missed, np.nan),
        "cum_n": p.sums[ends] + n.sums[ends],
        "cum_positives": p.sums[ends],
        **found,
        "ks": found["captured"] - n.sums[ends] / n.total,
    }
    return with_cutoffs(Table("gains", columns, _note(here_n, asked)), whole)


def gains_presentation(tables: Mapping[str, Table]) -> Presentation:
    """Return what the gains tables of scores or segments show, by their names.

    >>> from capcurve import count_scores
    >>> table = gains_table(count_scores([1, 1, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1]), bins=3)
    >>> print(gains_presentation({"": table}).sentences[0])
    Bin 1 of 3 contains 66.7% of all positives (lift 2.00).
    """
    few = dict(list(tables.items())[:FEW_TABLES])
    said = [sentence for each in few.values() for sentence in _said(each)]
    if len(tables) > 1:
        every = ((name, " ".join(_said(each))) for name, each in few.items())
        said = [f"{name}: {text[0].lower()}{text[1:]}" for name, text in every]
    drawn = max(map(len, few.values())) <= MOST_BIN_BARS
    titles = {name: f"Gains table{f' of {name}' if len(tables) > 1 else ''}" for name in tables}
    note = f"The picture and the sentences show the first {FEW_TABLES} tables."
    return Presentation(
        title="Gains table",
        sentences=tuple(said),
        charts=(_rates(few, said),) if drawn else (),
        tables=tuple(replace(each, name=titles[name]) for name, each in tables.items()),
        notes=(note,) if len(tables) > len(few) else (),
    )


def _said(table: Table) -> list[str]:
    """Return what the first bin contains, and how it differs from the last."""
    name, what, of = "rate", "rate of positives", "all positives"
    if name not in table.columns:
        name, what, of = "mean_amount", "mean amount", "the amount"
    full = np.flatnonzero(~np.isnan(table[name]))
    first, last = int(full[0]), int(full[-1])
    begin, end = (show(name, table[name][place]) for place in (first, last))
    bins, captured = table["bin"], table["captured"][first]
    ends = f"{begin} in bin {bins[first]}"
    ends += f" and {end} in bin {bins[last]}" if last > first else ""
    rates = f"The {what} is {ends}."
    if np.isnan(captured):
        return [rates]
    share, lift = percent(captured), show("lift", table["lift"][first])
    return [f"Bin {bins[first]} of {len(table)} contains {share} of {of} (lift {lift}).", rates]


def _rates(tables: Mapping[str, Table], said: Sequence[str]) -> Chart:
    """Return the rate, or the mean amount, in each bin: bars of one table, lines of several."""
    first = next(iter(tables.values()))
    of_rates = "rate" in first.columns
    column, name = ("rate", "Rate of positives") if of_rates else ("mean_amount", "Mean amount")
    top = "most likely positives" if of_rates else "highest amounts expected"
    most = np.arange(max(map(len, tables.values())), dtype=np.float64)
    bars: list[Bars] = []
    if len(tables) == 1:
        low, high = (first.columns.get(f"rate_{end}") for end in ("low", "high"))
        heights, mean = np.nan_to_num(first[column]), _mean(first)
        bars = [Bars(heights, "", Style(BLUE), at=most, width=0.8, low=low, high=high)]
        lines = [across_periods(len(most), mean, f"All cases  {show(column, mean)}")]
    else:
        full = [np.flatnonzero(~np.isnan(each[column])) for each in tables.values()]
        lines = [
            Line(most[at], each[column][at], called, model_style(place), marker=Marker())
            for place, (at, each, called) in enumerate(
                zip(full, tables.values(), plain_names([*tables]), strict=True)
            )
        ]
    step = -(-len(most) // MOST_TICKS)
    return Chart(
        title=f"{name} by bin",
        x=Axis(f"Bin, {top} first", "score", ends=(-0.6, len(most) - 0.4)),
        y=Axis(name, "share" if of_rates else "money", from_zero=True),
        bars=bars,
        lines=lines,
        scores=ScoreTicks(most[::step], [str(int(at) + 1) for at in most[::step]]),
        description=" ".join(said),
    )


def _mean(table: Table) -> float:
    if "rate" not in table.columns:
        return float(table["cum_mean_amount"][-1])
    highest = int(np.nanargmax(table["rate"]))
    return float(table["rate"][highest] / table["lift"][highest])


def _of_amounts(values: Amounts, bins: int | str | Sequence[Any]) -> Table:
    """Return amounts, means, captured share and lift in bins from the top down."""
    require_amount(values, absolute=values.signed)
    ends, asked = ends_of_bins(values, bins)
    found = values.by_score()
    starts = np.concatenate([[0], ends[:-1]])
    columns_of_scores = (found.rows, found.exposures, found.amounts)
    n, e, a = (sum_of_each(column, starts, ends) for column in columns_of_scores)
    exposure, amount = (
        RunningSums(sums, sums[-1].item()) for sums in map(cumulated, columns_of_scores[1:])
    )
    columns = {
        **_bins(found, starts, ends),
        "n": n,
        **({"exposure": e} if values.has_exposure else {}),
        "amount": a,
        "mean_amount": means(a, e),
        "cum_amount": amount.sums[ends],
        "selected": exposure.sums[ends] / exposure.total,
        **_captured(ends, amount, exposure, a, e, defined=not values.signed),
        "cum_mean_amount": means(amount.sums[ends], exposure.sums[ends]),
    }
    table = Table("gains", columns, _note(e, asked, exposure.total / len(ends)))
    return with_cutoffs(table, values)


def sum_of_each(column: Array, starts: Array, ends: Array) -> Array:
    """Return the sum of each bin, rounded once and not a difference of rounded sums."""
    full = ends > starts
    sums = wide(np.zeros(len(ends), column.dtype))
    sums[full] = add_sums(column, starts[full])
    return sums


def _bins(counts: ScoreCounts | ValueSums, starts: Array, ends: Array) -> dict[str, Array]:
    """Return the number of each bin, and the scores from which to which it goes."""
    return {
        "bin": np.arange(1, len(ends) + 1),
        "score_from": _score_at(counts, starts, ends, starts),
        "score_to": _score_at(counts, starts, ends, ends - 1),
    }


def _rows(counts: Ranking, starts: Array, ends: Array) -> dict[str, Array]:
    """Return how many rows stand in each bin at a horizon, the censored ones too."""
    if (held := counts.times) is None:
        return {}
    counts, down = counts.every_score(), counts.higher_is == "positive"
    best_first, score = (-each if down else each for each in (counts.score * 1.0, held.score * 1.0))
    # Scores of which no row is known stand in the bin of the next one down, if there is any.
    place = np.minimum(np.searchsorted(best_first, score), len(counts) - 1)
    rows = np.bincount(place, held.cases, len(counts)).astype(np.int64)
    return {"rows": sum_of_each(rows, starts, ends)}


def _captured(
    ends: Array,
    found: RunningSums,
    selected: RunningSums,
    found_here: Array,
    selected_here: Array,
    *,
    defined: bool = True,
) -> dict[str, Floats]:
    """Return what is captured down to each bin, its lift and that of all down to it."""
    if not defined:
        return dict.fromkeys(("captured", "lift", "cum_lift"), np.full(len(ends), np.nan))
    sums, cases = found.sums[ends], selected.sums[ends]
    return {
        "captured": sums / found.total,
        "lift": _lifts(found_here, found.total, selected_here, selected.total),
        "cum_lift": _lifts(sums, found.total, cases, selected.total),
    }


def _lifts(found: Array, total: Any, selected: Array, whole: Any) -> Floats:
    """Return the lift of each bin, to the last digit that of `lift`; NaN of a bin without cases."""
    full = selected > 0
    lift = np.full(len(full), np.nan)
    lift[full] = lift_of(found[full], total, selected[full], whole).high
    return lift


def ends_of_bins(
    counts: Ranking | Amounts, bins: int | str | Sequence[Any]
) -> tuple[Array, int | None]:
    """Return how many distinct scores each bin and those before it hold, and the bins asked for."""
    if isinstance(bins, str):
        if bins != "score":
            raise ValueError(f'{refused("bins")} be a number, "score" or cut points, got {bins!r}')
        return np.arange(1, len(each_score(counts)) + 1), None
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        return bin_ends(counts, int(bins)), int(bins)
    if isinstance(bins, bool | float) or not np.iterable(bins):
        raise ValueError(
            f'{refused("bins")} be a whole number, "score" or cut points, got {told(bins)}'
        )
    scores, cuts = each_score(counts), list(bins)
    places = [selected_at(scores, cut, "cut point") for cut in cuts]
    if len(set(cuts)) < len(cuts):
        raise ValueError("a cut point is given twice; give each once")
    return np.array([*sorted(places), len(scores)]), None


def _score_at(counts: ScoreCounts | ValueSums, starts: Array, ends: Array, places: Array) -> Array:
    full = ends > starts
    return score_column(counts.thresholds[places[full]], full)


def _note(sizes: Array, asked: int | None, even: float | None = None) -> str | None:
    """Say that ties make bins fewer or uneven; exposures need not add up to `even` bins."""
    if asked is None:
        return None
    if len(sizes) < asked:
        return f"{counted(len(sizes), 'bin')} instead of {asked}: ties are never split between bins"
    alike = even and (np.abs(sizes - even) <= NEARLY_EVEN * even).all()
    uneven = sizes.max() - sizes.min() > 1 and not alike
    return "bins differ in size: ties are never split between bins" if uneven else None


@about_classes('gains_table(values, bins="score")')
def step_table(counts: ScoreCounts, *, ideal: bool = False) -> Table:
    """Return the CAP step by step: sort, number the cases, add up the target.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    ideal
        Order all positives before all negatives, as a perfect score would.

    Returns
    -------
    Table
        One row per distinct score (per class and score when ideal), after a row for no case
        at all: rank (cases so far), score, target (1 for a positive and 0 for a negative; of
        tied cases, how many are positive), positives (so far), q, captured.

    Raises
    ------
    ValueError
        When there are no positives.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> step_table(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]))
    rank  score  target  positives    q  captured
       0      -       0          0    0         0
       1    0.8       1          1  0.2    0.3333
       2    0.7       1          2  0.4    0.6667
       3    0.6       0          2  0.6    0.6667
       4    0.4       0          2  0.8    0.6667
       5    0.2       1          3    1         1
    """
    require(counts, "positives")
    found, rows_p, rows_n = counts.thresholds, counts.positives, counts.negatives
    if ideal:
        first, second = counts.positives > 0, counts.negatives > 0
        found = np.concatenate([found[first], found[second]])
        rows_p = np.concatenate([rows_p[first], np.zeros_like(rows_p[second])])
        rows_n = np.concatenate([np.zeros_like(rows_n[first]), rows_n[second]])
    positives, negatives = (np.append(0, np.cumsum(wide(rows))) for rows in (rows_p, rows_n))
    rank = positives + negatives
    columns = {
        "rank": rank,
        "score": score_column(found, np.arange(len(rank)) > 0),
        "target": np.concatenate([np.zeros_like(positives[:1]), rows_p.astype(positives.dtype)]),
        "positives": positives,
        "q": rank / rank[-1],
        "captured": positives / positives[-1],
    }
    name = "steps of the perfect ordering" if ideal else "steps"
    return with_cutoffs(Table(name, columns), counts)


def reading(point: Any, words: Words | None = None, *, absolute: bool = False) -> str:
    """Return a point of the CAP as a sentence.

    It has no full stop. Raises `ValueError` for a point without numbers of cases when `absolute`,
    and `TypeError` for what is no point.

    Parameters
    ----------
    point
        Anything with `q` and `captured`, such as an `OperatingPoint` or a `ValuePoint`, or a row
        of `step_table`, or the pair (q, captured).
    words
        What is selected and captured, as `counts.words` of amounts says; left out, what the point
        says itself, and else cases and positives.
    absolute
        Numbers of cases and positives in place of shares: of a row of `step_table`, an
        `OperatingPoint` or a `ValuePoint`.

    Examples
    --------
    >>> reading((0.4, 2 / 3))
    'the top 40% of cases contain 66.7% of all positives'
    >>> reading((0.1, 0.38), words=Words("policies", "claim cost"))
    'the top 10% of policies contain 38.0% of all claim cost'
    >>> from capcurve import count_scores
    >>> steps = step_table(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]))
    >>> for row in list(steps.rows())[1:]:
    ...     print(reading(row, absolute=True))
    the top 1 case contains 1 positive
    the top 2 cases contain 2 positives
    the top 3 cases contain 2 positives
    the top 4 cases contain 2 positives
    the top 5 cases contain 3 positives
    """
    said = getattr(point, "words", CLASSES) if words is None else words
    if not isinstance(said, Words):
        found = f"got {told(said)} as words"
        raise TypeError(f"reading takes one point, and words such as counts.words; {found}")
    if absolute:
        return _in_numbers(*_numbers_of(point), said)
    q, captured = _shares_of(point)
    first = f"the top {stated_percent(q)} of {said.selected} {said.contain}"
    return f"{first} {percent(captured)} of {said.all_captured}"


def _shares_of(point: Any) -> tuple[float, float]:
    """Return what shares a point selects and captures, or raise TypeError."""
    if hasattr(point, "captured"):
        return point.q, point.captured
    pair = [point.get("q"), point.get("captured")] if isinstance(point, dict) else point
    if isinstance(pair, tuple | list) and len(pair) == 2:  # noqa: PLR2004 - a pair
        try:
            return as_finite(pair[0], "q"), as_finite(pair[1], "captured")
        except ValueError:
            pass
    raise TypeError(
        "reading takes one point of the CAP: a row of step_table, operating_point(y, p, q=0.1) or "
        f"the pair (q, captured); got {told(point)}"
    )


def _numbers_of(point: Any) -> tuple[float, float]:
    """Return how much a point selects and captures, or raise ValueError."""
    if isinstance(point, dict) and {"rank", "positives"} <= point.keys():
        return point["rank"], point["positives"]
    if hasattr(point, "tp"):
        return point.tp + point.fp, point.tp
    if hasattr(point, "exposure"):
        return point.exposure, point.amount
    raise ValueError(
        "absolute=True takes a row of step_table, an OperatingPoint or a ValuePoint, "
        f"got {told(point)}, which has no numbers of cases"
    )


def _in_numbers(selected: float, captured: float, words: Words) -> str:
    """Return the sentence in numbers of cases and positives, or in units and amount."""
    if words != CLASSES:
        top = f"the top {quantity(selected)} {words.selected} {words.contain}"
        return f"{top} {quantity(captured)} of {words.all_captured}"
    contain = "contains" if selected == 1 else "contain"
    return f"the top {counted(selected, 'case')} {contain} {counted(captured, 'positive')}"
