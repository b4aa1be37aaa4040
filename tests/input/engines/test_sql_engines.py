"""What `capcurve sql` prints is run in five engines: the counts and digits are the library's."""

import contextlib
import csv
import math

import numpy as np
import pytest

import servers
from capcurve import (
    ScoreCounts,
    accuracy_ratio,
    count_scores,
    count_segments,
    count_times,
    count_uplift,
    count_uplift_values,
    design_grades,
    ks,
)
from capcurve.input import read_times
from capcurve.input.files import Files
from capcurve.input.trials import arms_of_segments
from capcurve.sql import cells_query, numbers_query, times_query, trials_query
from capcurve.sql.dialects import DIALECTS
from capcurve.sql.names import RESERVED, identifier
from cli_calls import done
from sql_engines import (
    KINDS,
    PERIODS,
    REAL,
    ROWS,
    TEXT,
    TRUTH,
    WHOLE,
    Spark,
    by_segment,
    in_duckdb,
    mariadb,
    postgres,
    read_back,
    sqlite,
)

ENGINES = [
    pytest.param("sqlite", marks=pytest.mark.merge),
    "duckdb",
    pytest.param("postgres", marks=pytest.mark.needs("psycopg", "PostgreSQL")),
    pytest.param("mysql", marks=pytest.mark.needs("pymysql", "MariaDB")),
    pytest.param("spark", marks=[pytest.mark.needs("pyspark", "Java"), pytest.mark.merge]),
]


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    if request.param == "spark":
        yield Spark(request.getfixturevalue("spark_classic"))
        return
    if request.param in {"sqlite", "duckdb"}:
        made = sqlite() if request.param == "sqlite" else in_duckdb()
        with contextlib.closing(made.connection):
            yield made
        return
    server, kind = {
        "postgres": (servers.postgres, postgres),
        "mysql": (servers.mariadb, mariadb),
    }[request.param]
    with server() as connection:
        yield kind(connection)


SEGMENTS = ["a", "A", "a ", "b c", "straße", None]
ODD = {'my "bad" flag': WHOLE, "order": REAL, "Größe; in `m`, [x]": TEXT}


def loans(has_nan, n=400):
    """Return rows of label, score and segment, with ties, missing values and long fractions."""
    draw = np.random.default_rng(7)
    scores = [*draw.normal(size=60).tolist(), 0.1 + 0.2, -0.0, 0.0, 1e300, 5e-324]
    rows = []
    for _ in range(n):
        score = scores[draw.integers(len(scores))]
        label = int(draw.random() < 1 / (1 + math.exp(-min(score, 9))))
        rows.append([label, score, SEGMENTS[draw.integers(len(SEGMENTS))]])
    for row in rows[:20]:
        row[1] = math.nan if has_nan and row[0] else None
    for row in rows[20:40]:
        row[0] = None
    return [tuple(row) for row in rows]


def column(rows, place):
    return np.array([row[place] for row in rows], dtype=object)


def expected_numbers(counts, not_counted=0):
    undefined = counts.n1 == 0 or counts.n0 == 0 or not_counted > 0
    both = (None, None) if undefined else (accuracy_ratio(counts), ks(counts).statistic)
    return (counts.n, counts.n1, not_counted, *both)


def numbers_of(found):
    names, rows = found
    assert names[-5:] == ["n", "positives", "not_counted", "accuracy_ratio", "ks"]
    return {row[:-5]: tuple(row[-5:]) for row in rows}


@pytest.mark.turns(3)
def test_counts_and_numbers_by_segment_are_the_librarys(engine, tmp_path):
    rows = loans(engine.has_nan)
    engine.make("odd table", ODD, rows)
    target, score, by = ODD
    asked = {"dialect": engine.dialect, "missing": "drop"}
    expected = count_segments(
        *(column(rows, i) for i in (0, 1)), by=column(rows, 2), missing="drop"
    )
    assert set(expected) == set(SEGMENTS)

    cells = engine.ask(cells_query("odd table", target, score, by=by, **asked))
    assert cells[0] == ["segment", "score", "positives", "negatives"]
    assert all(type(row[2]) is int and type(row[3]) is int for row in cells[1])
    back = read_back(cells, tmp_path / "cells.csv")
    assert {key: part.digest() for key, part in back.items()} == {
        key: part.digest() for key, part in expected.items()
    }

    numbers = numbers_of(engine.ask(numbers_query("odd table", target, score, by=by, **asked)))
    assert numbers == {(key,): expected_numbers(part) for key, part in expected.items()}

    whole = ScoreCounts.merge(expected.values())
    numbers = numbers_of(engine.ask(numbers_query("odd table", target, score, **asked)))
    assert numbers == {(): expected_numbers(whole)}
    low = count_scores(*(column(rows, i) for i in (0, 1)), missing="drop", higher_is="negative")
    query = numbers_query("odd table", target, score, higher_is="negative", **asked)
    assert numbers_of(engine.ask(query)) == {(): expected_numbers(low)}


# At, beside and between the lines of usual grids, and where floats do not tell these apart
AWKWARD = [0.3, 0.7, -0.3, 0.1 + 0.2, 0.3 - 1e-16, -0.0, 0.0, 1e-9, -1e-9, 1 / 3, -1.0, 1e300]
AWKWARD += [2.0**40 + 0.5, -(2.0**52) - 1, 300 - 6e-14, *(n / 100 for n in range(-150, 150, 7))]
WHOLES = [0, 99, 100, -1, -99, -100, -101, -200, 7, 2**49 - 1, 1 - 2**49, 12345678901]
NARROW = {"mysql": "FLOAT", "duckdb": "REAL", "postgres": "REAL"}
COLUMNS = {
    "double": (REAL, [*AWKWARD, math.inf, -math.inf], np.float64),
    "float": (REAL, [*np.array([s for s in AWKWARD if abs(s) < 1e30], np.float32)], np.float32),
    "whole": (WHOLE, WHOLES, np.int64),
    "decimal": ("NUMERIC(9, 2)", [0.3, -0.3, 0.7, 1.0, 299.99, 300.0, -0.05], np.float64),
}


@pytest.mark.turns(2)
@pytest.mark.parametrize("resolution", [0.1, 0.3, 1e-4, 1 / 3, 2.5, 1.0, 100.0])
@pytest.mark.parametrize("kind", COLUMNS)
def test_cells_of_a_grid_are_the_librarys(engine, tmp_path, kind, resolution):
    declared, scores, dtype = COLUMNS[kind]
    if kind == "float":
        declared = NARROW.get(engine.dialect)
    if declared is None or (kind == "decimal" and engine.dialect in {"spark", "sqlite"}):
        pytest.skip("tables of the tests there have no such columns")
    if engine.dialect == "mysql":
        scores = [score for score in scores if not math.isinf(score)]
    labels = [i * 7 % 5 % 2 for i in range(len(scores))]
    rows = [(label, np.asarray(s).item()) for label, s in zip(labels, scores, strict=True)]
    engine.make("t", {"y": WHOLE, "s": declared}, rows)
    expected = count_scores(labels, np.array(scores, dtype), resolution=resolution)
    asked = {"dialect": engine.dialect, "resolution": resolution}
    found = engine.ask(cells_query("t", "y", "s", **asked))
    back = read_back(found, tmp_path / "cells.csv").at_resolution(resolution)
    assert back == expected
    assert back.digest() == expected.digest()
    shown = {float(score) for score, *_ in found[1] if abs(float(score)) < 2**40 * resolution}
    edges = {float(edge) for edge in expected.thresholds}
    assert shown == {edge for edge in edges if abs(edge) < 2**40 * resolution}
    _, numbers = engine.ask(numbers_query("t", "y", "s", **asked))
    assert numbers == [expected_numbers(expected)]


@pytest.mark.parametrize("resolution", [0.3, 2.01, 3e-7, 1e-15])
def test_cells_as_narrow_as_what_doubles_tell_apart_are_the_librarys(engine, tmp_path, resolution):
    draw = np.random.default_rng(11)
    cells = np.concatenate([draw.uniform(50, 51, 300), draw.uniform(49, 54, 40)])
    scores = np.exp2(cells) * resolution * draw.choice([-1, 1], len(cells))
    labels = draw.integers(0, 2, len(scores))
    engine.make("t", {"y": WHOLE, "s": REAL}, [*zip(labels.tolist(), scores.tolist(), strict=True)])
    expected = count_scores(labels, scores, resolution=resolution)
    asked = {"dialect": engine.dialect, "resolution": resolution}
    found = engine.ask(cells_query("t", "y", "s", **asked))
    back = read_back(found, tmp_path / "cells.csv").at_resolution(resolution)
    assert back.digest() == expected.digest()


def test_a_condition_on_what_no_star_selects_chooses_the_same_rows_on_a_grid(engine):
    own = {"sqlite": "rowid", "duckdb": "rowid", "postgres": "CAST(ctid AS TEXT)"}
    if engine.dialect not in own:
        pytest.skip("tables of the tests there have no such columns")
    rows = [(i * 5 % 7 % 2, float(i * 3 % 17)) for i in range(60)]
    engine.make("t", {"y": WHOLE, "s": REAL}, rows)
    column = own[engine.dialect]
    chosen = {"postgres": f"{column} < '(0,30)'"}.get(engine.dialect, f"{column} % 3 = 0 OR s > 9")
    asked = {"dialect": engine.dialect, "where": chosen}
    (plain,) = engine.ask(numbers_query("t", "y", "s", **asked))[1]
    assert 0 < plain[0] < 60
    assert engine.ask(numbers_query("t", "y", "s", resolution=1, **asked))[1] == [plain]
    by_cell = engine.ask(cells_query("t", "y", "s", resolution=1, **asked))[1]
    by_score = engine.ask(cells_query("t", "y", "s", **asked))[1]
    assert sorted(map(tuple, by_cell)) == sorted(map(tuple, by_score))


def test_what_has_no_cell_of_a_grid_is_noticed(engine, tmp_path):
    engine.make("t", {"y": WHOLE, "s": WHOLE}, [(1, 2**49), (0, 3), (1, 5)])
    asked = {"dialect": engine.dialect, "resolution": 100}
    with pytest.raises(ValueError, match=r"score .* missing|has no value"):
        read_back(engine.ask(cells_query("t", "y", "s", **asked)), tmp_path / "cells.csv")
    assert engine.ask(numbers_query("t", "y", "s", **asked))[1] == [(2, 1, 1, None, None)]
    engine.make("t", {"y": WHOLE, "s": REAL}, [(1, None), (0, 3.0), (1, 5.0)])
    found = engine.ask(cells_query("t", "y", "s", missing="drop", **asked))
    assert sorted(map(tuple, found[1])) == [(0, 1, 1)]


def test_times_and_trials_are_floored_too(engine, tmp_path):
    engine.make("t", TIMED, list(followed()))
    asked = {"dialect": engine.dialect, "resolution": 0.5}
    labels = {"event_label": "default", "censored_label": "open"}
    names, found = engine.ask(times_query("t", "days", "how", "pd", **labels, **asked))
    path = tmp_path / "times.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *found])
    data = {name: column(list(followed()), i) for i, name in enumerate(TIMED)}
    expected = count_times("days", "how", "pd", data=data, resolution=0.5, **labels)
    assert read_times(Files.of(path)).at_resolution(0.5).digest() == expected.digest()
    rows = [(i * 5 % 7 % 2, i % 2, i * 3 % 17 / 10) for i in range(100)]
    engine.make("t", {"y": WHOLE, "t": WHOLE, "s": REAL}, rows)
    cells = engine.ask(trials_query("t", "y", "t", "s", **asked))
    trial = arms_of_segments(read_back(cells, tmp_path / "trial.csv")).at_resolution(0.5)
    assert trial.digest() == count_uplift(*np.array(rows).T, resolution=0.5).digest()


SKEWED = {
    "lognormal": lambda draw: draw.lognormal(-8, 4, 300),
    "near 1": lambda draw: 1 - draw.random(300) ** 9,
    "all sizes": lambda draw: draw.normal(size=300) * 10.0 ** draw.integers(-15, 15, 300),
    "one value holds 90%": lambda draw: np.where(draw.random(300) < 0.9, 0.25, draw.random(300)),
    "beside the edges of buckets": lambda draw: draw.choice(
        [np.nextafter(s * 10.0**power, to) for s in (-1, 1) for power in range(-13, 14)
         for to in (-np.inf, s * 10.0**power, np.inf)]
        + [0.5, np.nextafter(0.5, 1), 1 - 1e-12, 1 - 2**-53, 1 + 2**-52, 0.0, -0.0, -1e300], 300
    ),
}  # fmt: skip


@pytest.mark.turns(3)
@pytest.mark.parametrize("scores", SKEWED)
def test_numbers_put_together_from_buckets_are_the_librarys(engine, scores):
    draw = np.random.default_rng(3)
    s, y = SKEWED[scores](draw), draw.integers(0, 2, 300)
    q = np.array(["a", "A", None], dtype=object)[draw.integers(0, 3, 300)]
    columns = {"y": WHOLE, "s": REAL, "q": TEXT}
    engine.make("t", columns, list(zip(y.tolist(), s.tolist(), q.tolist(), strict=True)))
    for direction in ("positive", "negative"):
        asked = {"dialect": engine.dialect, "higher_is": direction}
        expected = count_scores(y, s, higher_is=direction)
        _, found = engine.ask(numbers_query("t", "y", "s", **asked))
        assert found == [expected_numbers(expected)]
        parts = count_segments(y, s, by=q, higher_is=direction)
        found = numbers_of(engine.ask(numbers_query("t", "y", "s", by="q", **asked)))
        assert found == {(key,): expected_numbers(part) for key, part in parts.items()}


@pytest.mark.turns(5)
@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("by", [["q", "day"], ["k", "q", "day"], "day"])
def test_columns_are_crossed_and_dates_cut_as_the_library_does(engine, by, period):
    engine.make("t", KINDS, ROWS)
    asked = {"dialect": engine.dialect, "by": by, "period": period}
    _, rows = engine.ask(cells_query("t", "y", "s", **asked))
    expected = by_segment(period, by)
    assert {row[:2]: row[2:] for row in rows} == expected
    _, numbers = engine.ask(numbers_query("t", "y", "s", **asked))
    assert {row[0] for row in numbers} == {segment for segment, _ in expected}
    assert sum(row[1] for row in numbers) == len(ROWS)


@pytest.mark.turns(3)
def test_what_cannot_be_ranked_is_noticed(engine, tmp_path):
    columns = {"y": WHOLE, "s": REAL}
    nothing = math.nan if engine.has_nan else None
    rows = [(1, 3.0), (0, 2.0), (1, 1.0), (0, 1.0)]
    asked = {"dialect": engine.dialect}
    for bad in [(1, None), (0, nothing), (None, 2.0), (2, 2.0), (-1, 1.0)]:
        engine.make("loans", columns, [*rows, bad])
        numbers = engine.ask(numbers_query("loans", "y", "s", **asked))
        assert numbers[1] == [((5 - 1), 2, 1, None, None)]
        found = engine.ask(cells_query("loans", "y", "s", **asked))
        with pytest.raises(ValueError, match="has no value in 1 row"):
            read_back(found, tmp_path / "cells.csv")
    engine.make("loans", columns, [*rows, (2, 2.0), (None, None)])
    found = engine.ask(numbers_query("loans", "y", "s", missing="drop", **asked))
    assert found[1] == [(4, 2, 1, None, None)]
    engine.make("loans", columns, rows)
    found = engine.ask(numbers_query("loans", "y", "s", **asked))
    assert found[1] == [(4, 2, 0, 1 / 4, 1 / 2)]


def test_one_class_and_no_rows_have_no_ratio(engine):
    asked = {"dialect": engine.dialect}
    engine.make("loans", {"y": WHOLE, "s": REAL}, [(1, 3.0), (1, 2.0)])
    assert engine.ask(numbers_query("loans", "y", "s", **asked))[1] == [(2, 2, 0, None, None)]
    engine.make("loans", {"y": WHOLE, "s": REAL}, [])
    assert engine.ask(numbers_query("loans", "y", "s", **asked))[1] == [(0, 0, 0, None, None)]
    assert engine.ask(cells_query("loans", "y", "s", **asked))[1] == []


def test_labels_are_compared_by_their_letters(engine, tmp_path):
    rows = [("Bad", 3), ("gut's \\ Ä", 2), ("Bad", 1), ("gut's \\ Ä", 1)]
    labels = {"pos_label": "Bad", "neg_label": "gut's \\ Ä", "dialect": engine.dialect}
    engine.make("loans", {"y": TEXT, "s": WHOLE}, rows)
    found = read_back(engine.ask(cells_query("loans", "y", "s", **labels)), tmp_path / "a.csv")
    assert found == ScoreCounts.from_counts([3, 2, 1], [1, 0, 1], [0, 1, 1])
    for other in ("bad", "BAD", "good", "Bad "):
        engine.make("loans", {"y": TEXT, "s": WHOLE}, [*rows, (other, 2)])
        found = engine.ask(numbers_query("loans", "y", "s", **labels))
        assert found[1] == [(4, 2, 1, None, None)]


def test_words_are_never_taken_for_the_label_zero(engine):
    engine.make("loans", {"y": TEXT, "s": WHOLE}, [("1", 3), ("bad", 2), ("0", 1)])
    query = numbers_query("loans", "y", "s", dialect=engine.dialect)
    refusals = {"duckdb": "Could not convert", "postgres": "operator", "spark": "CAST_INVALID"}
    if engine.dialect in refusals:
        with pytest.raises(Exception, match=refusals[engine.dialect]):
            engine.ask(query)
    else:
        assert engine.ask(query)[1] == [(2, 1, 1, None, None)]


def test_truth_values_are_labels(engine):
    engine.make("loans", {"y": TRUTH, "s": WHOLE}, [(True, 3), (False, 2), (True, 1)])
    query = numbers_query(
        "loans", "y", "s", dialect=engine.dialect, pos_label=True, neg_label=False
    )
    assert engine.ask(query)[1] == [(3, 2, 0, 0.0, 1 / 2)]


def test_whole_numbers_keep_all_digits(engine, tmp_path):
    scores = [2**53 + 1, 2**53, 2**63 - 1, 2**63 - 2, -(2**63), -(2**53) - 1]
    rows = [(1, scores[0]), (0, scores[1]), (1, scores[2]), (0, scores[3]), (1, scores[4])]
    engine.make("loans", {"y": WHOLE, "s": WHOLE}, [*rows, (0, scores[5])])
    expected = count_scores([1, 0, 1, 0, 1, 0], np.array(scores))
    asked = {"dialect": engine.dialect}
    found = read_back(engine.ask(cells_query("loans", "y", "s", **asked)), tmp_path / "a.csv")
    assert found.digest() == expected.digest()
    found = engine.ask(numbers_query("loans", "y", "s", **asked))
    assert found[1] == [expected_numbers(expected)]


def test_grades_are_ranked_as_said(engine, tmp_path):
    levels = ["D", "c", "C", "it's"]
    grades = ["D", "D", "c", "C", "C", "C", "it's", "it's"]
    labels = [1, 1, 1, 0, 1, 0, 0, 0]
    asked = {"dialect": engine.dialect}
    engine.make("loans", {"y": WHOLE, "grade": TEXT}, list(zip(labels, grades, strict=True)))
    expected = count_scores(labels, grades, levels=levels)
    found = engine.ask(cells_query("loans", "y", "grade", **asked))
    assert read_back(found, tmp_path / "a.csv", levels=levels) == expected
    found = engine.ask(numbers_query("loans", "y", "grade", levels=levels, **asked))
    assert found[1] == [expected_numbers(expected)]
    found = engine.ask(numbers_query("loans", "y", "grade", levels=levels[:3], **asked))
    assert found[1] == [(6, 4, 2, None, None)]


def test_text_is_never_ranked_by_the_alphabet(engine):
    engine.make("loans", {"y": WHOLE, "s": TEXT}, [(1, "10"), (0, "9"), (1, "8")])
    query = numbers_query("loans", "y", "s", dialect=engine.dialect)
    if engine.dialect in {"duckdb", "postgres"}:
        with pytest.raises(Exception, match="floor"):
            engine.ask(query)
    else:
        assert engine.ask(query)[1] == [(0, 0, 3, None, None)]


def test_numbers_as_labels_and_grades(engine):
    rows = [(2, 3), (1, 2), (2, 1), (1, 1)]
    engine.make("loans", {"y": WHOLE, "s": WHOLE}, rows)
    asked = {"dialect": engine.dialect, "pos_label": 2, "neg_label": 1}
    expected = count_scores([1, 0, 1, 0], [3, 2, 1, 1])
    found = engine.ask(numbers_query("loans", "y", "s", **asked))
    assert found[1] == [expected_numbers(expected)]
    found = engine.ask(numbers_query("loans", "y", "s", levels=[1, 2, 3], **asked))
    reversed_ratio, statistic = -accuracy_ratio(expected), ks(expected).statistic
    assert found[1] == [(4, 2, 0, reversed_ratio, statistic)]


def test_products_of_large_counts_neither_overflow_nor_lose_digits(engine):
    """Each row is made to count three billion times: products reach 10^20, beyond 64 bits."""
    rows = [(1, 5.0), (0, 5.0), (1, 4.0), (1, 3.0), (0, 3.0), (0, 2.0), (1, 1.0), (0, 0.0)]
    engine.make("loans", {"y": WHOLE, "s": REAL}, rows)
    query = numbers_query("loans", "y", "s", dialect=engine.dialect)
    many = query.replace("CAST(1 AS", "CAST(3000000000 AS").replace("ELSE 1 -", "ELSE 3000000000 -")
    (found,) = engine.ask(many)[1]
    counts = count_scores(*(np.array([row[i] for row in rows]) for i in (0, 1)))
    assert found[:3] == (24 * 10**9, 12 * 10**9, 0)
    exact = (accuracy_ratio(counts), ks(counts).statistic)
    assert found[3:] == pytest.approx(exact, rel=1e-15)


def test_conditions_choose_rows(engine):
    engine.make("loans", {"y": WHOLE, "s": WHOLE}, [(1, 3), (0, 2), (1, 1), (0, 0)])
    query = numbers_query("loans", "y", "s", dialect=engine.dialect, where="loans.s = 3 OR s = 2")
    assert engine.ask(query)[1] == [(2, 1, 0, 1.0, 1.0)]


def test_the_table_goes_back_into_the_command(engine, tmp_path):
    rows = [
        ("bad", 3.5, "x"),
        ("ok", 2.5, "x"),
        ("ok", 3.5, "y"),
        ("bad", 1.0, "y"),
        ("ok", 0.5, "y"),
    ]
    engine.make("loans", {"y": TEXT, "s": REAL, "q": TEXT}, rows)
    words = ["--dialect", engine.dialect, "--table", "loans", "-t", "y", "-s", "s", "--by", "q"]
    query = done("sql", *words, "--pos-label", "bad", "--neg-label", "ok").stdout
    read_back(engine.ask(query), tmp_path / "cells.csv")
    found = done("summary", tmp_path / "cells.csv", "--counts", "--format", "csv").stdout
    by_segment = {row["segment"]: row for row in csv.DictReader(found.splitlines())}
    assert (by_segment["x"]["n"], by_segment["y"]["n"]) == ("2", "3")
    assert float(by_segment["x"]["accuracy_ratio"]) == 1.0
    assert float(by_segment["y"]["accuracy_ratio"]) == 0.0


KEYWORDS = {
    "duckdb": "SELECT keyword_name FROM duckdb_keywords()",
    "postgres": "SELECT word FROM pg_get_keywords()",
    "mysql": "SELECT lower(word) FROM information_schema.KEYWORDS",
    "spark": "SELECT lower(keyword) FROM sql_keywords()",
}


def test_every_word_can_be_a_column_and_a_table(engine):
    own = engine.ask(KEYWORDS[engine.dialect])[1] if engine.dialect in KEYWORDS else []
    words = sorted({word for (word,) in own if word.isidentifier()} | RESERVED)
    assert len(words) > 500
    dialect = DIALECTS[engine.dialect]
    names = [identifier(word, "score", dialect).sql(engine.dialect) for word in words]
    asked = names if engine.dialect != "spark" else names[::25]
    for start in range(0, len(asked), 50):
        some = asked[start : start + 50]
        tables = ", ".join(f"{name} AS (SELECT 1 AS x)" for name in some)
        rows = " UNION ALL ".join(f"SELECT {name}.x FROM {name} AS {name}" for name in some)  # noqa: S608 - our own
        assert engine.ask(f"WITH {tables} {rows}")[1] == [(1,)] * len(some), some
    engine.make("t", dict.fromkeys(words, WHOLE), [(1,) * len(words)])
    every = ", ".join(f"t.{name}" for name in names)
    query = f"SELECT {every} FROM t"  # noqa: S608 - as above
    assert engine.ask(query)[1] == [(1,) * len(words)]


TIMED = {"days": WHOLE, "how": TEXT, "pd": REAL, "vintage": TEXT, "loan": WHOLE}
HOW = ["default", "open", "repaid", "Default"]


def followed():
    for i in range(200):
        yield 10 * (i * 7 % 11), HOW[i * 5 % 4], (i * 3 % 17) / 10, "ab"[i % 2], i // 3


@pytest.mark.turns(3)
@pytest.mark.parametrize("more", [{}, {"stratum": "vintage"}, {"cluster": "loan"}])
def test_rows_are_counted_by_score_time_and_status(engine, tmp_path, more):
    rows = [*followed(), (None, "open", 0.3, "a", 1), (5, None, 0.3, "a", 1)]
    engine.make("odd table", TIMED, rows)
    labels = {"event_label": "default", "censored_label": "open"}
    asked = {**labels, **more, "missing": "drop"}
    text = times_query("odd table", "days", "how", "pd", dialect=engine.dialect, **asked)
    names, found = engine.ask(text)
    assert names == ["score", "time", "event", *more, "n"]
    path = tmp_path / "times.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *found])
    back = read_times(Files.of(path))
    data = dict(zip(TIMED, zip(*rows, strict=True), strict=True))
    expected = count_times("days", "how", "pd", data=data, **asked)
    assert expected.n == 200
    assert back.digest() == expected.digest()
    for part, whole in zip(back.groups or (), expected.groups or (), strict=True):
        assert part.digest() == whole.digest()


OF_NUMBERS = dict.fromkeys(("days", "status", "pd", "vintage", "loan"), REAL)


@pytest.mark.turns(5)
@pytest.mark.parametrize("labels", [{}, {"event_label": 1, "censored_label": 0}])
@pytest.mark.parametrize("role", OF_NUMBERS)
def test_rows_of_times_that_lack_a_value_are_left_out_or_noticed(engine, tmp_path, role, labels):
    rows = [(5.0, 1.0, 0.3, 1.0, 7.0), (6.0, 0.0, 0.2, 1.0, 8.0), (7.0, 2.0, 0.1, 2.0, 9.0)]
    lacking = [None, *([math.nan] if engine.has_nan else ())]
    place = [*OF_NUMBERS].index(role)
    bad = [(*rows[0][:place], nothing, *rows[0][place + 1 :]) for nothing in lacking]
    engine.make("t", OF_NUMBERS, [*rows, *bad])
    names, more = ("days", "status", "pd"), {"stratum": "vintage", "cluster": "loan", **labels}
    read = []
    for missing in ("drop", "raise"):
        asked = {**more, "missing": missing, "dialect": engine.dialect}
        found, cells = engine.ask(times_query("t", *names, **asked))
        path = tmp_path / f"{missing}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([found, *cells])
        read.append(path)
    data = dict(zip(OF_NUMBERS, map(list, zip(*rows, strict=True)), strict=True))
    expected = count_times(*names, data=data, **more)
    assert read_times(Files.of(read[0])).digest() == expected.digest()
    with pytest.raises(ValueError, match=r"has no value in|is missing"):
        read_times(Files.of(read[1]))


@pytest.mark.turns(4)
@pytest.mark.parametrize("role", ["y", "t", "s"])
@pytest.mark.parametrize("amounts", [False, True])
def test_rows_of_a_trial_that_lack_a_value_are_left_out_or_noticed(engine, tmp_path, role, amounts):
    columns = {"y": REAL, "t": REAL, "s": REAL}
    rows = [(1.0, 1.0, 3.0), (0.0, 0.0, 2.0), (1.0, 0.0, 1.0), (0.0, 1.0, 1.0)]
    lacking, place = [None, *([math.nan] if engine.has_nan else ())], [*columns].index(role)
    bad = [(*rows[0][:place], nothing, *rows[0][place + 1 :]) for nothing in lacking]
    engine.make("t", columns, [*rows, *bad])
    asked = {"dialect": engine.dialect, "amounts": amounts}
    found = engine.ask(trials_query("t", "y", "t", "s", missing="drop", **asked))
    counted = arms_of_segments(read_back(found, tmp_path / "trial.csv"))
    count = count_uplift_values if amounts else count_uplift
    assert counted.digest() == count(*np.array(rows).T[[0, 1, 2]]).digest()
    found = engine.ask(trials_query("t", "y", "t", "s", **asked))
    with pytest.raises(ValueError, match=r"has no value in|is missing"):
        arms_of_segments(read_back(found, tmp_path / "trial.csv"))


@pytest.mark.turns(3)
@pytest.mark.parametrize("role", ["y", "s"])
def test_rows_that_lack_a_value_are_left_out_or_noticed(engine, tmp_path, role):
    rows = [(1.0, 3.0), (0.0, 2.0), (1.0, 1.0), (0.0, 1.0)]
    lacking = [None, *([math.nan] if engine.has_nan else ())]
    bad = [(1.0, nothing) if role == "s" else (nothing, 1.0) for nothing in lacking]
    engine.make("t", {"y": REAL, "s": REAL}, [*rows, *bad])
    asked = {"dialect": engine.dialect}
    expected = count_scores(*np.array(rows).T)
    found = engine.ask(cells_query("t", "y", "s", missing="drop", **asked))
    assert read_back(found, tmp_path / "cells.csv").digest() == expected.digest()
    _, found = engine.ask(numbers_query("t", "y", "s", missing="drop", **asked))
    assert found == [expected_numbers(expected)]
    with pytest.raises(ValueError, match="has no value in"):
        read_back(engine.ask(cells_query("t", "y", "s", **asked)), tmp_path / "cells.csv")
    _, found = engine.ask(numbers_query("t", "y", "s", **asked))
    assert found == [expected_numbers(expected, len(bad))]


def test_what_no_row_is_called_is_noticed_where_the_result_is_read(engine, tmp_path):
    engine.make("t", TIMED, list(followed()))
    labels = {"event_label": "default", "censored_label": "opn"}
    names, found = engine.ask(
        times_query("t", "days", "how", "pd", dialect=engine.dialect, **labels)
    )
    path = tmp_path / "times.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *found])
    with pytest.raises(
        ValueError, match=r"event holds 1 \(50\), 2 \(150\) and no 0 for a censored"
    ):
        read_times(Files.of(path))


def test_statuses_that_speak_for_themselves_are_handed_over(engine):
    rows = [(days, HOW.index(how), pd) for days, how, pd, *_ in followed()]
    engine.make("t", {"days": WHOLE, "status": WHOLE, "pd": REAL}, rows)
    _, found = engine.ask(times_query("t", "days", "status", "pd", dialect=engine.dialect))
    held = dict.fromkeys(rows, 0)
    for row in rows:
        held[row] += 1
    assert {(days, status, pd): n for pd, days, status, n in found} == held


TRIAL = {"bought": TEXT, "spent": REAL, "who was mailed": TEXT, "pd": REAL}


def cases_of_a_trial(has_nan):
    for i in range(240):
        bought = i * 5 % 7 < 3
        yield (
            ("yes" if bought else "no", (i % 9) / 8 if bought else 0.0),
            "Aa"[i % 2],
            float(i * 3 % 17),
        )
    nothing = math.nan if has_nan else None
    for row in [(None, 0.5), "A", 1.0], [("yes", 0.5), None, 1.0], [("no", nothing), "a", 1.0]:
        yield tuple(row)
    yield ("yes", 1.0), "a", nothing


@pytest.mark.turns(3)
@pytest.mark.parametrize("amounts", [False, True])
def test_both_arms_of_a_trial_are_counted(engine, tmp_path, amounts):
    rows = [(*of, arm, score) for of, arm, score in cases_of_a_trial(engine.has_nan)]
    if not amounts:  # rows without an amount, which a query of classes does not ask for
        rows = [row for row in rows if row[1] is not None and not math.isnan(row[1])]
    engine.make("odd table", TRIAL, rows)
    data = {name: column(rows, i) for i, name in enumerate(TRIAL)}
    named = {"dialect": engine.dialect, "missing": "drop"}
    if amounts:
        asked, count, more = ("spent", "who was mailed", "pd"), count_uplift_values, {}
        names = ["treatment", "score", "amount", "n"]
    else:
        asked, count, more = ("bought", "who was mailed", "pd"), count_uplift, {"pos_label": "yes"}
        named |= {**more, "neg_label": "no"}
        names = ["treatment", "score", "positives", "negatives"]
    found = engine.ask(trials_query("odd table", *asked, amounts=amounts, **named))
    assert found[0] == names
    parts = read_back(found, tmp_path / "trial.csv")
    expected = count(*asked, data=data, treated_label="A", missing="drop", **more)
    assert (expected.treated.n, expected.control.n) == ((121, 120) if amounts else (120, 120))
    assert arms_of_segments(parts, "A").digest() == expected.digest()
    assert arms_of_segments(parts, "a").digest() != expected.digest()


def test_what_has_no_place_in_a_trial_is_noticed(engine, tmp_path):
    columns = {"y": WHOLE, "t": WHOLE, "s": REAL}
    rows = [(1, 1, 3.0), (0, 0, 2.0), (1, 0, 1.0), (0, 1, 1.0)]
    for bad, said in [
        ((2, 1, 1.0), "has no value in 1 row"),
        ((None, 1, 1.0), "has no value in 1 row"),
        ((1, None, 1.0), "treatment is missing"),
        ((1, 2, 1.0), "must have two values"),
    ]:
        engine.make("t", columns, [*rows, bad])
        found = engine.ask(trials_query("t", "y", "t", "s", dialect=engine.dialect))
        with pytest.raises(ValueError, match=said):
            arms_of_segments(read_back(found, tmp_path / "trial.csv"))


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_grades_of_infinite_and_missing_scores_are_the_librarys(engine, higher_is):
    scores = [math.inf, 3.0, 2.0, 1.0, -math.inf]
    tables = [9, 5, 3, 2, 0], [1, 3, 5, 7, 9]
    way = 1 if higher_is == "positive" else -1
    counts = ScoreCounts.from_counts(scores[::way], *tables, higher_is=higher_is)
    infinite = design_grades(counts, 3, fixed=[way * math.inf], splits=0)
    assert math.isinf(infinite.cutoffs[0])
    values = [3.0, 2.5, 1.0, 0.0, -7.0, 1e308, -1e308, None]
    if engine.dialect != "mysql":
        values += [math.inf, -math.inf]
    if engine.has_nan:
        values += [math.nan]
    engine.make("scored", {"n": WHOLE, "s": REAL}, [*enumerate(values)])
    for scale in (infinite, design_grades(counts, 2, splits=0)):
        for dialect in (None, engine.dialect):
            query = f"SELECT {scale.sql('s', dialect)} AS grade FROM scored ORDER BY n"  # noqa: S608 - the scale's own text
            _, found = engine.ask(query)
            assert [grade for (grade,) in found] == scale.apply(values).tolist()


@pytest.mark.parametrize("kind", ["SMALLINT", "INTEGER", "BIGINT", "NUMERIC(9, 2)", "REAL"])
def test_grades_of_every_type_of_number_need_no_dialect(engine, kind):
    if isinstance(engine, Spark):
        pytest.skip("tables of the tests there have no such types")
    scale = design_grades(ScoreCounts.from_counts([3, 2, 1], [9, 5, 1], [1, 5, 9]), 3, splits=0)
    values = [3, 2, 1, 0, 32767, -32768, None]
    engine.make("typed", {"n": WHOLE, "s": kind}, [*enumerate(values)])
    _, found = engine.ask(f"SELECT {scale.sql('s')} AS grade FROM typed ORDER BY n")  # noqa: S608 - the scale's own text
    assert [grade for (grade,) in found] == scale.apply(values).tolist()


@pytest.mark.merge
def test_several_labels_and_labels_that_are_neither(engine, tmp_path):
    states = ["paid", "open", "Default", "late", "Late", "default"]
    rows = [(states[i * 5 % 13 % 6], float(i * 5 % 17)) for i in range(200)]
    rows += [("open", None), ("open", 3.0)]
    engine.make("t", {"y": TEXT, "s": REAL}, rows)
    data = {"y": column(rows, 0), "s": column(rows, 1)}
    named = {"pos_label": ["Default", "late"], "drop_label": ["open", "Late"]}
    for more in ({"neg_label": ["paid", "default", "never"]}, {"rest": "negative"}):
        query = cells_query("t", "y", "s", dialect=engine.dialect, **named, **more)
        found = read_back(engine.ask(query), tmp_path / "cells.csv")
        expected = count_scores("y", "s", data=data, **named, **more)
        assert found == expected
        assert expected.n1 == sum(state in ("Default", "late") for state, _ in rows)
        query = numbers_query("t", "y", "s", dialect=engine.dialect, **named, **more)
        _, ((n, positives, others, ratio, gap),) = engine.ask(query)
        assert (int(n), int(positives), int(others)) == (expected.n, expected.n1, 0)
        assert float(ratio) == accuracy_ratio(expected)
        assert float(gap) == ks(expected).statistic
    # Who is neither named nor left out stands in the way, and so does a missing label.
    engine.make("t", {"y": TEXT, "s": REAL}, [*rows, ("lost", 1.0)])
    found = engine.ask(
        cells_query("t", "y", "s", dialect=engine.dialect, **named, neg_label=["paid", "default"])
    )
    with pytest.raises(ValueError, match="has no value"):
        read_back(found, tmp_path / "cells.csv")
    engine.make("t", {"y": TEXT, "s": REAL}, [*rows, (None, 1.0)])
    found = engine.ask(cells_query("t", "y", "s", dialect=engine.dialect, **named, rest="negative"))
    with pytest.raises(ValueError, match="has no value"):
        read_back(found, tmp_path / "cells.csv")


@pytest.mark.turns(3)
def test_numbers_as_several_labels(engine, tmp_path):
    rows = [(i * i % 11 % 5, float(i * 7 % 13)) for i in range(120)]
    engine.make("t", {"y": WHOLE, "s": REAL}, rows)
    data = {"y": column(rows, 0), "s": column(rows, 1)}
    for said in (
        {"pos_label": [1, 4], "neg_label": [0, 3]},
        {"pos_label": [1, 4], "rest": "negative", "drop_label": 3},
        {"pos_label": 1, "rest": "negative"},
    ):
        query = cells_query("t", "y", "s", dialect=engine.dialect, **said)
        assert read_back(engine.ask(query), tmp_path / "cells.csv") == count_scores(
            "y", "s", data=data, **said
        )
