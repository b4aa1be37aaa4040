"""`capcurve change` and `capcurve implied` at their edges: odd names, inputs and outputs."""

import csv
import datetime as dt
import io
import json
from pathlib import Path

import numpy as np
import pytest

from cli_calls import done, refused, small_files

ASK = ("-t", "y", "-s", "s", "--by", "product")
EVIL = ("<script>alert(1)</script>", "=1+1", "@SUM(A1)", "a|b", "two\nlines", "שלום", "x" * 300)


def rows_of(products, seed, size=240):
    random = np.random.default_rng(seed)
    outcome = (random.random(size) < 0.3).astype(int)
    score = np.round(random.normal(size=size) + outcome, 2)
    chosen = random.integers(0, len(products), size)
    return [
        {"product": products[index], "s": float(s), "y": int(y)}
        for index, s, y in zip(chosen, score, outcome, strict=True)
    ]


def write(name, rows):
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("before.csv", rows_of(("car", "home"), 1))
    write("after.csv", rows_of(("car", "home", "boat"), 2))


def segments_of(*words, **options):
    text = done("change", *words, *ASK, "-f", "csv", **options).stdout
    return {row["segment"]: row for row in csv.DictReader(io.StringIO(text))}


def test_no_name_becomes_a_formula_or_loads_anything():
    write("one.csv", rows_of(EVIL, 3))
    write("two.csv", rows_of(EVIL, 4))
    assert {"'=1+1", "'@SUM(A1)"} < set(segments_of("one.csv", "two.csv"))
    done("change", "one.csv", "two.csv", *ASK, "-o", "why.html")
    page = Path("why.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")
    markdown = done("change", "one.csv", "two.csv", *ASK, "-f", "md").stdout
    table = [line for line in markdown.splitlines() if line.startswith("| a\\|b |")]
    assert len(table) == 1
    assert "\n| \\<script>alert(1)\\</script> |" in markdown
    assert any(line.startswith("| two\\nlines |") for line in markdown.splitlines())


@pytest.mark.parametrize("words", [(), ("--metric", "lift", "--at", "0.1")])
def test_json_is_strict(words):
    asked = ASK[:4] if words else ASK
    text = done("change", "before.csv", "after.csv", *asked, *words, "-f", "json").stdout

    def refuse(constant):
        raise AssertionError(constant)

    found = json.loads(text, parse_constant=refuse)
    assert found["sentence"].startswith("Lift" if words else "The accuracy ratio fell")


def test_standard_input_is_either_sample():
    text = Path("before.csv").read_text(encoding="utf-8")
    assert segments_of("before.csv", "after.csv") == segments_of("-", "after.csv", data=text)
    swapped = segments_of("after.csv", "-", data=text)
    there = segments_of("before.csv", "after.csv")
    for name, row in there.items():
        assert float(swapped[name]["total"]) == pytest.approx(-float(row["total"]), abs=1e-15)


def test_a_decimal_comma_is_that_of_spreadsheets():
    text = done("change", "before.csv", "after.csv", *ASK, "-f", "csv", "--csv-decimal", ",").stdout
    with_comma = {row["segment"]: row for row in csv.DictReader(io.StringIO(text), delimiter=";")}
    for name, row in segments_of("before.csv", "after.csv").items():
        assert with_comma[name]["total"].replace(",", ".") == row["total"]


@pytest.mark.parametrize("kind", ["date", "timestamp", "number", "truth"])
def test_segments_of_csv_and_parquet_are_the_same(kind):
    import pyarrow as pa
    from pyarrow import parquet

    texts, values = {
        "date": (("2024-01-01", "2024-02-01"), (dt.date(2024, 1, 1), dt.date(2024, 2, 1))),
        "timestamp": (
            ("2024-01-01", "2024-02-01"),
            (dt.datetime(2024, 1, 1), dt.datetime(2024, 2, 1)),  # noqa: DTZ001 - has no zone
        ),
        "number": (("1", "2"), (1.0, 2.0)),
        "truth": (("true", "false"), (True, False)),
    }[kind]
    write("text.csv", rows_of(texts, 5))
    write("same.csv", rows_of(texts, 6))
    rows = rows_of(values, 6)
    table = pa.table({name: [row[name] for row in rows] for name in rows[0]})
    parquet.write_table(table, "same.parquet")
    mixed, alike = segments_of("text.csv", "same.parquet"), segments_of("text.csv", "same.csv")
    assert list(mixed.values()) == list(alike.values())
    assert len(mixed) == 2


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("folder.html", "--output folder.html is a folder; name a file"),
        ("none/why.html", "--output none/why.html: there is no folder none"),
        ("before.csv", "--output before.csv is also an input; it would be overwritten"),
    ],
)
def test_outputs_that_cannot_be_are_refused(output, said, tmp_path):
    (tmp_path / "folder.html").mkdir()
    kept = (tmp_path / "before.csv").read_bytes()
    assert refused("change", "before.csv", "after.csv", *ASK, "-o", output).startswith(said)
    assert (tmp_path / "before.csv").read_bytes() == kept


def test_what_cannot_be_written_whole_leaves_the_old_file(tmp_path):
    (tmp_path / "why.html").write_text("old")
    with small_files(4096):
        line = refused("change", "before.csv", "after.csv", *ASK, "-o", "why.html")
    assert line == "why.html: file too large"
    assert (tmp_path / "why.html").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "after.csv", "before.csv", "why.html"
    ]  # fmt: skip


def test_pds_of_one_scale_and_of_none():
    rows = rows_of(("car", "home"), 7)
    write("pds.csv", [{**row, "s": 1 / (1 + np.exp(-row["s"]))} for row in rows])
    found = json.loads(done("implied", "pds.csv", "-t", "y", "-s", "s", "-f", "json").stdout)
    assert "NaN" not in json.dumps(found)
    assert refused("implied", "before.csv", "-t", "y", "-s", "s").startswith("a PD is in [0, 1]")
    write("none.csv", [{**row, "y": 0} for row in rows])
    assert "no positives" in refused("change", "before.csv", "none.csv", *ASK)


def test_codes_with_leading_zeros_are_the_same_in_both_files():
    write("one.csv", rows_of(("01", "02"), 3))
    write("two.csv", rows_of(("01", "02", "A1"), 4))
    found = segments_of("one.csv", "two.csv")
    assert list(found) == ["01", "02", "A1"]
    assert all(int(found[key]["n_before"]) for key in ("01", "02"))
    write("ten.csv", rows_of(("10", "9", "1"), 5))
    assert list(segments_of("ten.csv", "ten.csv")) == ["1", "9", "10"]


def in_periods(periods):
    rows = []
    for seed, when in enumerate(reversed(periods)):
        rows += [{**row, "when": when} for row in rows_of(("a", "b"), seed)]
    write("both.csv", rows)


@pytest.mark.parametrize("periods", [("01/02/2024", "02/01/2024"), ("old", "new"), ("Feb", "Mar")])
def test_periods_that_do_not_sort_in_time_are_not_guessed(periods):
    in_periods(periods)
    told = refused("change", "both.csv", *ASK, "--period", "when")
    assert told.startswith(f"the periods in 'when' do not sort in time: {min(periods)!r} ")
    assert told.endswith(" or 2024-03-31, or name them with --from and --to")
    named = ("--from", periods[0], "--to", periods[1])
    assert periods[0] in done("change", "both.csv", *ASK, "--period", "when", *named).stdout


@pytest.mark.parametrize(
    "periods",
    [
        ("2023", "2024"),
        ("2023-12", "2024-01"),
        ("2023Q4", "2024Q1"),
        ("2024-W09", "2024-W10"),
        ("31.12.2023", "30.06.2024"),
        ("Q4 2023", "Q2 2024"),
        ("Dec-2023", "Apr-2024"),
    ],
)
def test_periods_that_sort_in_time_are_first_and_last(periods):
    in_periods(periods)
    found = done("change", "both.csv", *ASK, "--period", "when", "-f", "json").stdout
    assert json.loads(found)["labels"] == list(periods)


def test_segments_put_together_and_shared_by_none_are_warned_of():
    write("one.csv", rows_of(("home", "car"), 3))
    write("two.csv", rows_of(("Home", "Car"), 4))
    assert "no segment is in both samples" in done("change", "one.csv", "two.csv", *ASK).stderr
    found = done("change", "before.csv", "after.csv", *ASK, "--least", "1000")
    assert "all 3 segments are small and were put together" in found.stderr
    assert "All of the change is ranking, since small segments are put together." in found.stdout
