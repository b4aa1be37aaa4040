"""The queries themselves: rows, counts by score, running sums, and one division at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from capcurve.counts.settings import check_levels, check_resolution
from capcurve.counts.table import BOTH_CLASSES
from capcurve.numbers.arguments import arg, as_name, refused, told, word
from capcurve.numbers.rankable import refuse_turned_levels
from capcurve.sql.dialects import ANY_ENGINE, Dialect, dialect_of
from capcurve.sql.grids import START_OF_CELL, table_on_grid
from capcurve.sql.names import about, identifier, table_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ONE, NO_CASE = "CAST(1 AS BIGINT)", "CAST(0 AS BIGINT)"  # sums of 32 bits overflow in T-SQL
NO_SEGMENT = "(none)"
# Periods by what they are called, as `count_segments` calls them; weeks have no words in most
# dialects.
PERIODS = {"day": "%Y-%m-%d", "month": "%Y-%m", "quarter": "%Y", "year": "%Y"}
UP_TO_HERE = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
# Scores are put into buckets by their distance from 0 or 1, the nearer, to a part in a hundred to a
# part in ten thousand of it: skewed and saturated scores have many.
DISTANCE, BUCKET = "capcurve_distance", "capcurve_bucket"
SMALLEST_POWER_OF_TEN, LARGEST_POWER_OF_TEN = -12, 12  # distances between are told apart
BUCKETS_OF_TWO_POWERS, BUCKETS_ON_A_SIDE = 9_900, 200_000
SUMMED_COLUMNS = (
    "COALESCE(SUM(capcurve_positives + capcurve_negatives), 0) AS n",
    "COALESCE(SUM(capcurve_positives), 0) AS positives",
    "COALESCE(SUM(capcurve_others), 0) AS not_counted",
)


@dataclass(frozen=True, slots=True)
class QueryLabels:
    """The labels of positives, of negatives, where None is all others, and of rows left out."""

    positive: tuple[Any, ...]
    negative: tuple[Any, ...] | None
    dropped: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class CountsQuery:
    """What is to be counted, in the expressions of one dialect."""

    dialect: Dialect
    table: exp.Expression
    target: exp.Expression
    given: exp.Column  # the score as it stands in the table
    score: exp.Column  # and as it is counted
    by: exp.Expression | None
    labels: QueryLabels
    where: exp.Expression | None
    drops: bool

    @property
    def segment(self) -> list[str]:
        """The column of the segments, if there are any."""
        return [] if self.by is None else ["capcurve_segment"]

    def keys(self, *names: str) -> list[exp.Expression]:
        """Return what rows of one segment or score share, and no others: A is not a."""
        columns = [exp.column(name) for name in names]
        key = self.dialect.key
        own = [] if key is None else [about(key, column, self.dialect) for column in columns]
        return [*columns, *own]


def asked(
    table: object,
    target: object,
    score: object,
    dialect: object,
    by: object,
    period: object,
    labels: QueryLabels,
    where: str | None,
    missing: object,
    resolution: object,
) -> CountsQuery:
    """Return what is asked for, or raise in one line what is wrong with it."""
    known = dialect_of(dialect)
    found: exp.Expression = table_named(table, known)
    crossed = [] if by is None else _items(by)
    given, step = _column(score, "score", known, found), check_resolution(resolution)
    chosen = None if where is None else _condition(where, known)
    if step is not None:
        found, chosen = table_on_grid(found, chosen, given, step, known), None
    return CountsQuery(
        known,
        found,
        _column(target, "target", known, found),
        given,
        given if step is None else exp.column(START_OF_CELL, table=given.args["table"].copy()),
        _segment([_column(each, "by", known, found) for each in crossed], period, known),
        labels,
        chosen,
        as_name(missing, "missing", ("raise", "drop"), {}) == "drop",
    )


def _column(word: object, what: str, dialect: Dialect, table: exp.Expression) -> exp.Column:
    return exp.column(identifier(word, what, dialect), table=table.args["alias"].this.copy())


def _segment(
    columns: Sequence[exp.Expression], period: object, dialect: Dialect
) -> exp.Expression | None:
    """Return the segment: its period, where dates are there, and columns joined as `Crossing`."""
    if not columns:
        if period is not None:
            raise ValueError("period= goes with by=; name the column of the dates")
        return None
    *others, last = columns
    parts = [*others, last if period is None else _in_period(last, period)]
    if not others:
        return parts[0]
    none = exp.Literal.string(NO_SEGMENT)
    found: exp.Expression | None = None
    for part in parts:
        word = exp.Coalesce(this=exp.cast(part, dialect.text), expressions=[none.copy()])
        before = None if found is None else _joined(found, exp.Literal.string(", "))
        found = word if before is None else _joined(before, word)
    return found


def _in_period(column: exp.Expression, period: object) -> exp.Expression:
    """Return the period of a date, as the names of segments have it."""
    name = as_name(period, "period", PERIODS, {})

    def written(form: str) -> exp.Expression:
        day = exp.cast(column.copy(), "DATE")
        return exp.TimeToStr(this=day, format=exp.Literal.string(form))

    if name != "quarter":
        return written(PERIODS[name])
    # Only some dialects have words for quarters, and all tell months apart.
    quarter = exp.case()
    for number in range(4):
        months = [exp.Literal.string(f"{3 * number + month:02}") for month in (1, 2, 3)]
        ending = exp.Literal.string(f"-Q{number + 1}")
        quarter = quarter.when(exp.In(this=written("%m"), expressions=months), ending)
    return _joined(written("%Y"), quarter)


def _joined(first: exp.Expression, second: exp.Expression) -> exp.Expression:
    """Return two texts as one, or NULL where one is."""
    return exp.Concat(expressions=[first, second], safe=False, coalesce=False)


def cells(query: CountsQuery, segment: str = "segment") -> str:
    """Return the query of positives and negatives at each score, by a column of such a name."""
    counted = "CASE WHEN SUM(1 - capcurve_positive - capcurve_negative) = 0 THEN {} END"
    positives, negatives = (
        counted.format(f"CAST(SUM(capcurve_{each}) AS BIGINT)") for each in ("positive", "negative")
    )
    found = (
        exp.select(
            *_shown(query, segment),
            "capcurve_score AS score",
            f"{positives} AS positives",
            f"{negatives} AS negatives",
        )
        .from_("capcurve_rows")
        .group_by(*query.keys(*query.segment, "capcurve_score"))
        .with_("capcurve_rows", as_=_rows(query, query.score.copy()))
    )
    return _text(found, query.dialect)


def times(query: CountsQuery, others: Mapping[str, object], *, labelled: bool) -> str:
    """Return the query of how many rows there are at each score, time and status."""
    # `others` are the columns of the time and, if wanted, of the stratum and the cluster.
    event, labels = query.target, query.labels
    if labelled:
        event = exp.case().when(exp.or_(*_lacking(event, query.dialect)), exp.null())
        for named, status in ((labels.positive, "1"), (labels.negative or (), "0")):
            event = event.when(_among(query.target, named, query.dialect), status)
        event = event.else_("2")
    given = {role: word for role, word in others.items() if word is not None}
    more = {r: _column(word, r, query.dialect, query.table) for r, word in given.items()}
    columns = {"score": query.score, "time": more.pop("time"), "event": event, **more}
    needed = {**columns, "score": query.given, "event": query.target}
    return _repeated(query, columns, needed.values())


def trials(query: CountsQuery, treated: object, *, amounts: bool) -> str:
    """Return the query of the cells of both arms of a trial, whose segment is the treatment."""
    treatment = _column(treated, "treatment", query.dialect, query.table)
    query = replace(query, by=treatment)
    if query.drops:
        there = (each.not_() for each in _lacking(treatment, query.dialect))
        where: Any = exp.and_(query.where, *there)
        query = replace(query, where=where)
    if not amounts:
        return cells(query, "treatment")
    columns = {"treatment": treatment, "score": query.score, "amount": query.target}
    return _repeated(query, columns, (query.given, query.target))


def _repeated(
    query: CountsQuery, columns: Mapping[str, exp.Expression], needed: Iterable[exp.Expression]
) -> str:
    """Return the query of all different rows of some columns, with how often each occurs."""
    names = [f"capcurve_{role}" for role in columns]
    rows = _chosen(query, [*columns.values()], names, needed)
    found = (
        exp.select(*(f"capcurve_{role} AS {role}" for role in columns), f"SUM({ONE}) AS n")
        .from_("capcurve_rows")
        .group_by(*query.keys(*names))
        .with_("capcurve_rows", as_=rows)
    )
    return _text(found, query.dialect)


def numbers(query: CountsQuery, higher_is: str, levels: Iterable[object] | None) -> str:
    """Return the query of cases, positives, accuracy ratio and KS of each segment."""
    grades = check_levels(levels)
    for grade in grades or ():
        if not _is_plain(grade):
            raise ValueError(f"levels holds {told(grade)}; name grades by text or numbers")
    if grades is None:
        score = _ranked(query)
    else:
        refuse_turned_levels(higher_is)
        if query.score is not query.given:
            raise ValueError("grades have no resolution; it floors numeric scores")
        # The place of a grade, larger for the more likely positive; NULL for no grade
        score = exp.case()
        for place, grade in enumerate(reversed(grades)):
            score = score.when(_equals(query.score, grade, query.dialect), str(place))
    order = "DESC" if higher_is == "positive" else "ASC"
    found = (
        exp.select(*_shown(query), *SUMMED_COLUMNS, *_quotients(query.dialect.product))
        .from_("capcurve_running")
        .with_("capcurve_rows", as_=_rows(query, score))
        .with_("capcurve_distances", as_=_by_score(query))
        .with_("capcurve_cells", as_=_in_buckets(query))
        .with_("capcurve_sums", as_=_by_bucket(query, order))
        .with_("capcurve_placed", as_=_placed(query))
        .with_("capcurve_running", as_=_running(query, order))
    )
    return _text(found.group_by(*query.keys(*query.segment)), query.dialect)


def _shown(query: CountsQuery, called: str = "segment") -> list[str]:
    return [f"{name} AS {called}" for name in query.segment]


# The rows: their segment, their score, and whether they are positives or negatives


def _rows(query: CountsQuery, score: exp.Expression) -> exp.Select:
    target, dialect, labels = query.target, query.dialect, query.labels
    positive = exp.case().when(_among(target, labels.positive, dialect), ONE).else_(NO_CASE)
    if labels.negative is None:
        others = exp.or_(*_lacking(target, dialect), _among(target, labels.positive, dialect))
        negative = exp.case().when(others, NO_CASE).else_(ONE)
    else:
        negative = exp.case().when(_among(target, labels.negative, dialect), ONE).else_(NO_CASE)
    segment = [] if query.by is None else [query.by.copy()]
    names = [*query.segment, "capcurve_score", "capcurve_positive", "capcurve_negative"]
    columns = [*segment, score, positive, negative]
    return _chosen(query, columns, names, (query.target, query.given))


def _chosen(
    query: CountsQuery,
    columns: Sequence[exp.Expression],
    names: Sequence[str],
    needed: Iterable[exp.Expression],
) -> exp.Select:
    """Return columns of the rows that are counted; those that may have to be there are `needed`."""
    conditions = [] if query.where is None else [query.where.copy()]
    if query.drops:
        lacking = (each for column in needed for each in _lacking(column, query.dialect))
        conditions += [each.not_() for each in lacking]
    if query.labels.dropped:  # NULL is none of them
        dropped = _among(query.target, query.labels.dropped, query.dialect)
        conditions.append(exp.case().when(dropped, "0").else_("1").eq(exp.Literal.number(1)))
    return (
        exp.select(*(exp.alias_(each, name) for each, name in zip(columns, names, strict=True)))
        .from_(query.table.copy())
        .where(*conditions)
    )


def _lacking(column: exp.Expression, dialect: Dialect) -> list[exp.Expression]:
    """Return the conditions under which a column has no value: NULL, or NaN of numbers."""
    nan = dialect.reads_nan
    return [column.copy().is_(exp.null()), *([] if nan is None else [about(nan, column, dialect)])]


def _ranked(query: CountsQuery) -> exp.Expression:
    """Return the score, or NULL where it is no number and has no rank."""
    dialect, found = query.dialect, exp.case()
    conditions = [each for each in (dialect.is_text, dialect.is_nan) if each is not None]
    for condition in conditions:
        found = found.when(about(condition, query.score, dialect), exp.null())
    return found.else_(query.score.copy()) if conditions else query.score.copy()


def _equals(column: exp.Expression, value: Any, dialect: Dialect) -> exp.Expression:
    """Return the condition that a column holds a label or grade: this one and no other."""
    if isinstance(value, str):
        national = dialect.name == "tsql" and not value.isascii()
        text = exp.National(this=value) if national else exp.Literal.string(value)
        exact = column.copy() if dialect.exact is None else about(dialect.exact, column, dialect)
        return exp.EQ(this=exact, expression=text)
    number = exp.convert(value)
    if dialect.quotes_numbers:
        number = exp.Literal.string(str(int(value) if isinstance(value, bool) else value))
    return exp.EQ(this=column.copy(), expression=number)


def _among(column: exp.Expression, labels: Sequence[Any], dialect: Dialect) -> exp.Expression:
    """Return the condition that a column holds one of some labels or grades."""
    sides: dict[str, list[exp.Expression]] = {}  # text is compared in another way than numbers
    for each in (_equals(column, label, dialect) for label in labels):
        sides.setdefault(each.this.sql(), []).append(each)
    found = [
        one[0]
        if len(one) == 1
        else exp.In(this=one[0].this, expressions=[e.expression for e in one])
        for one in sides.values()
    ]
    either: exp.Expression = cast("Any", exp.or_(*found))
    return either


# Counts by score, and sums over them


def _by_score(query: CountsQuery) -> exp.Select:
    """Return the counts at each score, and apart from them those of rows without a rank."""
    ranked = "SUM(CASE WHEN capcurve_score IS NULL THEN 0 ELSE {} END) AS {}"
    other = (
        "SUM(CASE WHEN capcurve_score IS NULL THEN 1 "
        "ELSE 1 - capcurve_positive - capcurve_negative END) AS capcurve_others"
    )
    nearer = exp.case().when("capcurve_score > 5E-1", "1").else_("0")
    distance = about(query.dialect.double, exp.column("capcurve_score"), query.dialect) - nearer
    return (
        exp.select(
            *query.segment,
            "capcurve_score",
            ranked.format("capcurve_positive", "capcurve_positives"),
            ranked.format("capcurve_negative", "capcurve_negatives"),
            other,
            exp.alias_(distance, DISTANCE),
        )
        .from_("capcurve_rows")
        .group_by(*query.keys(*query.segment), "capcurve_score")
    )


def _in_buckets(query: CountsQuery) -> exp.Select:
    """Return the counts at each score with its bucket, which ascends with the score."""
    names = [*query.segment, *(f"capcurve_{each}" for each in ("score", *BOTH_CLASSES, "others"))]
    # Only rounding and comparing decide on it, and neither ever turns two scores round.
    size = exp.case()
    for power in range(LARGEST_POWER_OF_TEN, SMALLEST_POWER_OF_TEN - 1, -2):
        before = BUCKETS_OF_TWO_POWERS * (power - SMALLEST_POWER_OF_TEN) // 2
        place = "1" if power == LARGEST_POWER_OF_TEN else f"(ABS({DISTANCE}) / 1E{power})"
        size = size.when(f"ABS({DISTANCE}) >= 1E{power}", f"{before} + 1E2 * {place}")
    whole = exp.cast(size.else_("0"), "BIGINT").sql()
    side = f"CASE WHEN {DISTANCE} < 0 THEN -1 ELSE 1 END"
    start = f"CASE WHEN capcurve_score > 5E-1 THEN {2 * BUCKETS_ON_A_SIDE} ELSE 0 END"
    return exp.select(*names, f"{side} * {whole} + {start} AS {BUCKET}").from_("capcurve_distances")


def _by_bucket(query: CountsQuery, order: str) -> exp.Select:
    """Return what is above each bucket and in all of them, which are few."""
    sums = []
    for each in BOTH_CLASSES:
        own = f"SUM(SUM(capcurve_{each}))"
        above = f"{own} OVER (ORDER BY {BUCKET} {order} {UP_TO_HERE}) - SUM(capcurve_{each})"
        sums += [f"{above} AS capcurve_above_{each}", f"{own} OVER () AS capcurve_all_{each}"]
    found = (
        exp.select(*query.segment, BUCKET, "MIN(capcurve_score) AS capcurve_score", *sums)
        .from_("capcurve_cells")
        .group_by(*query.keys(*query.segment), BUCKET)
    )
    return _partitioned(found, query.keys(*query.segment))


def _placed(query: CountsQuery) -> exp.Union:
    """Return the counts at each score, and before those of a bucket a row of all that is above."""
    # No join: segments may be NULL, which equals nothing, and may be told apart by their case only.
    names = [*query.segment, BUCKET, "capcurve_score"]
    own = [f"capcurve_{each}" for each in (*BOTH_CLASSES, "others")]
    above, every = ([f"capcurve_{n}_{each}" for each in BOTH_CLASSES] for n in ("above", "all"))
    scores = [*own, *(f"{one} AS {other}" for one, other in zip(own, above, strict=False))]
    scores += [f"0 AS {each}" for each in every]
    buckets = [*(f"0 AS {each}" for each in own), *above, *every]
    return exp.union(
        exp.select(*names, "1 AS capcurve_place", *scores).from_("capcurve_cells"),
        exp.select(*names, "0 AS capcurve_place", *buckets).from_("capcurve_sums"),
        distinct=False,
    )


def _running(query: CountsQuery, order: str) -> exp.Select:
    """Return the sums up to each score, most likely positive first, and those of all scores."""
    up_to_here = f"ORDER BY capcurve_place, capcurve_score {order} {UP_TO_HERE}"
    sums = []
    for each in BOTH_CLASSES:
        sums += [
            f"SUM(capcurve_above_{each}) OVER ({up_to_here}) AS capcurve_selected_{each}",
            f"MAX(capcurve_all_{each}) OVER () AS capcurve_all_{each}",
        ]
    own = [*query.segment, *(f"capcurve_{each}" for each in (*BOTH_CLASSES, "others"))]
    found = exp.select(*own, *sums).from_("capcurve_placed")
    return _partitioned(found, [*query.keys(*query.segment), exp.column(BUCKET)])


def _partitioned(found: exp.Select, keys: Sequence[exp.Expression]) -> exp.Select:
    for window in found.find_all(exp.Window):
        window.set("partition_by", [key.copy() for key in keys])
    return found


def _quotients(product: str) -> list[str]:
    """Return the two numbers: products of whole counts, divided once."""
    # A positive wins against the negatives below it and loses against those above it.

    def whole(words: str) -> str:
        return f"CAST({words} AS {product})"

    below_less_above = (
        "capcurve_all_negatives - 2 * capcurve_selected_negatives + capcurve_negatives"
    )
    won_less_lost = f"SUM({whole('capcurve_positives')} * {whole(below_less_above)})"
    gap = " - ".join(
        f"{whole('capcurve_selected_' + one)} * {whole('capcurve_all_' + other)}"
        for one, other in (("positives", "negatives"), ("negatives", "positives"))
    )
    pairs = f"{whole('SUM(capcurve_positives)')} * {whole('SUM(capcurve_negatives)')}"
    share = (
        "CASE WHEN SUM(capcurve_others) = 0 "
        f"THEN CAST({{}} AS DOUBLE) / CAST(NULLIF({pairs}, 0) AS DOUBLE) END AS {{}}"
    )
    return [share.format(won_less_lost, "accuracy_ratio"), share.format(f"MAX(ABS({gap}))", "ks")]


# What was said


def query_labels(
    positive: object, negative: object, rest: object = "raise", dropped: object = None
) -> QueryLabels:
    """Return which labels are which, or raise in one line what is wrong with them."""
    others = as_name(rest, "rest", ("raise", "negative"), {}) == "negative"
    if others and negative != 0:
        raise ValueError(
            f"{word(rest='negative')} takes all other labels; leave it out, or {arg('neg_label')}"
        )
    named = {"pos_label": _items(positive), "neg_label": [] if others else _items(negative)}
    named["drop_label"] = [] if dropped is None else _items(dropped)
    if not named["pos_label"] or not (others or named["neg_label"]):
        raise ValueError(f"{arg('pos_label')} and {arg('neg_label')} name a label each, or several")
    found: dict[str, tuple[str, object]] = {}
    for name, value in ((name, each) for name, given in named.items() for each in given):
        if not _is_plain(value):
            raise ValueError(
                f"{refused(name)} be text, a number or a truth value, got {told(value)}"
            )
        # Some engines take 1 for true and '1', and compare words without the blanks at their ends.
        text = str(value).rstrip()
        for key in (text, text if isinstance(value, str) else str(float(value))):
            other, label = found.setdefault(key, (name, value))
            if other != name:
                raise ValueError(
                    f"{arg(**{other: label})} and {arg(**{name: value})} are one label; name two"
                )
    positives, negatives, left_out = map(tuple, named.values())
    return QueryLabels(positives, None if others else negatives, left_out)


def _items(given: object) -> Sequence[Any]:
    return given if isinstance(given, list | tuple) else [given]


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _condition(where: str, dialect: Dialect) -> exp.Expression:
    """Return one condition of the dialect, or raise; nothing else gets into the query."""
    try:
        found = sqlglot.parse(where, read=dialect.name)
    except SqlglotError:
        found = []
    if (
        len(found) != 1
        or not isinstance(found[0], exp.Condition)
        or isinstance(found[0], exp.Query)
    ):
        raise ValueError(
            f"{arg(where=where)} is no condition of {dialect.name} such as month >= 202401 AND pd "
            "> 0"
        )
    return exp.paren(found[0])


def _text(query: exp.Expression, dialect: Dialect) -> str:
    return query.sql(dialect=dialect.name, pretty=True, unsupported_level=ErrorLevel.RAISE)


# The grade of a score


def case_of_grades(
    score: str,
    labels: Sequence[str],
    above: Sequence[str | Sequence[Any]],
    sign: str,
    dialect: str | None,
) -> str:
    """Return the label of each grade by its cut-off, as text, or by its levels; the last one else.

    >>> case_of_grades("pd", ["B", "A"], ["0.05"], ">=", "mysql")
    "CASE WHEN pd IS NULL THEN NULL WHEN pd >= 0.05 THEN 'B' ELSE 'A' END"
    """
    known = ANY_ENGINE if dialect is None else dialect_of(dialect)
    column = exp.column(identifier(score, "score", known))
    found = exp.case().when(column.copy().is_(exp.null()), exp.null())
    of_numbers = all(isinstance(each, str) for each in above)
    if of_numbers and known.is_nan is not None:
        found = found.when(about(known.is_nan, column, known), exp.null())
    named = [exp.Literal.string(label) for label in labels]
    for label, cut in zip(named, above, strict=False):
        if isinstance(cut, str):
            condition: Any = _reaches(column, cut, sign, known)
        else:
            condition = _among(column, cut, known)
        found = found.when(condition, label)
    if of_numbers:
        found = found.else_(named[-1])
    return found.sql(known.name or None)


def _reaches(column: exp.Expression, cut: str, sign: str, dialect: Dialect) -> exp.Binary:
    """Return the condition that a score reaches a cut-off, of infinity that it is not finite."""
    kinds = {">=": exp.GTE, "<=": exp.LTE}
    if math.isinf(float(cut)):
        kinds, cut = {">=": exp.GT, "<=": exp.LT}, cut[: cut.startswith("-")] + dialect.largest
    return kinds[sign](this=column.copy(), expression=exp.Literal.number(cut))
