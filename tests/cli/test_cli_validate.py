"""`capcurve validate`: rows, counts and limits become a sheet, and its exit code."""

import json
import re

import jsonschema
import numpy as np
import pytest

import capcurve as cap
from capcurve.studies.validation.sheet import schema
from capcurve.studies.validation.validating import validate
from cli_calls import call, done, on_terminal, refused

ASK = ("-t", "default", "-s", "grade")
LIMITS = """
[accuracy_ratio]
green = {green}
red = {red}
"""
ALL = (
    *("--by", "product", "--period", "month", "--initial", "initial.csv"),
    *("--start-grade", "g0", "--final-grade", "g1", "--challenger", "gbm"),
)


def rows(n, seed):
    rng = np.random.default_rng(seed)
    grade = rng.integers(1, 7, n)
    default = (rng.random(n) < 0.02 * 1.6**grade).astype(int)
    return {
        "default": default,
        "grade": grade,
        "g0": np.clip(grade + rng.integers(-1, 2, n), 1, 6),
        "g1": np.where(rng.random(n) < 0.1, np.clip(grade + 1, 1, 6), grade),
        "gbm": np.round(grade + rng.normal(size=n), 2),
        "product": rng.choice(["cards", "loans"], n),
        "month": rng.choice(["2025-01", "2025-02", "2025-03"], n),
    }


def written(columns):
    lines = [
        ",".join(columns),
        *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    return "\n".join(lines) + "\n"


NOW, INITIAL = rows(900, 1), rows(1200, 2)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "now.csv").write_text(written(NOW))
    (tmp_path / "initial.csv").write_text(written(INITIAL))
    (tmp_path / "limits.toml").write_text(LIMITS.format(green=0.2, red=0.1))


def sheet_of(*words, **options):
    return json.loads(done("validate", *words, "-f", "json", **options).stdout)


def found_in(*words, **options):
    return {test["id"]: test for test in sheet_of(*words, **options)["tests"]}


def counts(columns=NOW, **options):
    return cap.count_scores("default", "grade", data=columns, **options)


@pytest.mark.merge
def test_all_parts_are_those_of_the_function(tmp_path):
    found = sheet_of("now.csv", *ASK, *ALL, "--limits", "limits.toml", "--subject", "model=SME = 4")
    joint = cap.count_joint("default", ["grade", "g0", "g1", "gbm"], data=NOW)
    expected = validate(
        counts(),
        initial=counts(INITIAL),
        segments=cap.count_segments("default", "grade", data=NOW, by="product"),
        periods=cap.count_segments("default", "grade", data=NOW, by="month"),
        joint=joint,
        start="g0",
        final="g1",
        limits=tmp_path / "limits.toml",
        subject={
            "file": "now.csv",
            "target": "default (positive: 1)",
            "score": "grade",
            "initial file": "initial.csv",
            "model": "SME = 4",
        },
    )
    assert found == json.loads(expected.to_json())
    assert len(found["tests"]) >= 20
    jsonschema.validate(found, schema())


def test_the_page_is_written_and_nothing_is_red(tmp_path):
    result = done("validate", "now.csv", *ASK, "--limits", "limits.toml", "-o", "sheet.html")
    assert "sheet.html" in result.stderr
    page = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    assert "<h1>Validation sheet</h1>" in page
    assert "<b>1</b> green" in page


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("green", "red", "fail_on", "code"),
    [
        (0.2, 0.1, (), 0),
        (0.2, 0.1, ("--fail-on", "amber"), 0),
        (0.6, 0.4, (), 0),
        (0.6, 0.4, ("--fail-on", "red"), 0),
        (0.6, 0.4, ("--fail-on", "amber"), 1),
        (0.9, 0.8, (), 1),
        (0.9, 0.8, ("--fail-on", "amber"), 1),
    ],
)
@pytest.mark.parametrize("form", ["table", "csv"])
def test_exit_codes(tmp_path, green, red, fail_on, code, form):
    (tmp_path / "limits.toml").write_text(LIMITS.format(green=green, red=red))
    words = ("now.csv", *ASK, "--limits", "limits.toml", *fail_on, "-f", form)
    result = call("validate", *words)
    assert result.exit_code == code
    assert "Accuracy ratio" in result.stdout


def test_what_is_undefined_fails_only_with_amber(tmp_path):
    """With a single grade there are no grades that could be reversed."""
    (tmp_path / "one.csv").write_text("default,grade\n0,1\n1,1\n")
    (tmp_path / "limits.toml").write_text("[grades]\nreversed = { green = 0.05, red = 0.01 }\n")
    words = ("validate", "one.csv", *ASK, "--limits", "limits.toml")
    assert "1 grey" in call(*words).stdout
    assert call(*words).exit_code == 0
    assert call(*words, "--fail-on", "amber").exit_code == 1


@pytest.mark.parametrize("suffix", ["csv", pytest.param("parquet", marks=pytest.mark.merge)])
def test_saved_counts_are_as_good_as_rows(suffix):
    named = ("--subject", "initial file=initial")
    asked = ("now.csv", *ASK, *named, "--by", "product")
    expected = sheet_of(*asked, "--initial", "initial.csv")
    done("counts", "initial.csv", *ASK, "-o", f"saved.{suffix}")
    done("counts", "now.csv", *ASK, "--by", "product", "-o", f"counts.{suffix}")
    saved = ("--initial", f"saved.{suffix}")
    assert sheet_of(*asked, *saved) == expected
    found = {each["role"]: each["digest"] for each in expected["inputs"]}
    again = sheet_of(f"counts.{suffix}", "--counts", *saved)
    assert {each["role"]: each["digest"] for each in again["inputs"]} == found


def test_a_number_is_the_initial_accuracy_ratio():
    drop = found_in("now.csv", *ASK, "--initial", "0.6")["initial.drop"]
    ratio = cap.accuracy_ratio(counts())
    assert drop["estimate"] == pytest.approx(0.6 - ratio, abs=1e-12)
    assert found_in("now.csv", *ASK, "--initial", "0")["initial.drop"]["estimate"] == pytest.approx(
        -ratio
    )


@pytest.mark.merge
def test_an_earlier_portfolio_needs_no_outcomes(tmp_path):
    without = {name: column for name, column in INITIAL.items() if name != "default"}
    (tmp_path / "earlier.csv").write_text(written(without))
    expected = cap.population_stability(counts(INITIAL), counts())
    for file in ("earlier.csv", "initial.csv"):
        psi = found_in("now.csv", *ASK, "--before", file)["stability.psi"]
        assert psi["estimate"] == expected.psi
    found = found_in("now.csv", *ASK, "--before", "initial.csv")
    assert "stability.psi_positives" in found
    # What is said of outcomes is not asked of a file without any.
    words = ("--before", "earlier.csv", "--pos-label", "1")
    assert "stability.psi_positives" not in found_in("now.csv", *ASK, *words)
    assert "leave out --memory-limit" in refused(
        "validate", "now.csv", *ASK, *words, "--memory-limit", "1GB"
    )


def with_unknown(label):
    target = NOW["default"].astype(str).astype(object)
    target[::40] = label
    return {**NOW, "default": target}


@pytest.mark.turns(2)
@pytest.mark.parametrize(
    ("label", "words"),
    [("", ("--unknown",)), ("open", ("--unknown-label", "open", "--pos-label", "1"))],
)
def test_unknown_outcomes_are_bounded(tmp_path, label, words):
    (tmp_path / "now.csv").write_text(written(with_unknown(label)))
    found = sheet_of("now.csv", *ASK, *words, *ALL)
    known = {name: np.delete(column, slice(None, None, 40)) for name, column in NOW.items()}
    inputs = {each["role"]: each for each in found["inputs"]}
    assert inputs["now"]["digest"] == counts(known).digest()
    assert (inputs["now"]["n"], inputs["with unknown outcomes"]["n"]) == (877, 900)
    parts = cap.count_segments("default", "grade", data=known, by="product")
    assert inputs["segment cards"]["digest"] == parts["cards"].digest()
    months = cap.count_segments("default", "grade", data=known, by="month")
    assert inputs["period 2025-03"]["digest"] == months["2025-03"].digest()
    tests = {test["id"]: test for test in found["tests"]}
    bounds = cap.unknown_bounds(
        cap.count_partial(
            [*known["default"], *[None] * 23], np.append(known["grade"], NOW["grade"][::40])
        )
    )
    assert tests["unknown.accuracy_ratio"]["estimate"] == bounds.known_only
    assert tests["unknown.accuracy_ratio"]["low"] == bounds.low_limit


@pytest.mark.parametrize(
    ("words", "whose"),
    [
        ((), "grade has"),
        (("--by", "product"), "grade by segment has"),
        (("--period", "month"), "grade by segment has"),
        (("--challenger", "gbm"), "gbm has"),
    ],
)
def test_small_cells_of_known_outcomes_are_refused(tmp_path, words, whose):
    (tmp_path / "now.csv").write_text(written(with_unknown("")))
    asked = ("now.csv", *ASK, "--unknown", *words)
    least = "200" if not words else "90" if words[0] in ("--by", "--period") else "2"
    said = refused("validate", *asked, "--min-cell", least)
    assert whose in said
    assert f"--min-cell {least} allows no smaller ones" in said
    done("validate", *asked, "--min-cell", "1", "-o", "sheet.json")


def test_small_cells_of_unknown_outcomes_alone_are_refused(tmp_path):
    known = "".join(
        f"{grade},{outcome}\n" for grade in (1, 2) for outcome in (0, 1) for _ in range(9)
    )
    (tmp_path / "few.csv").write_text(f"s,y\n{known}3,\n3,\n")
    said = refused("validate", "few.csv", "-t", "y", "-s", "s", "--unknown", "--min-cell", "5")
    assert "the smallest of 3 cells of s has 2 cases" in said


@pytest.mark.merge
def test_levels_are_those_of_all_grades_and_not_of_challengers(tmp_path):
    names = dict(enumerate("FEDCBA", start=1))
    named = {**NOW, **{g: [names[v] for v in NOW[g].tolist()] for g in ("grade", "g0", "g1")}}
    (tmp_path / "named.csv").write_text(written(named))
    words = ("--start-grade", "g0", "--final-grade", "g1", "--challenger", "gbm")
    found = sheet_of("named.csv", *ASK, *words, "--levels", "A,B,C,D,E,F")
    plain = found_in("now.csv", *ASK, *words)
    assert found["inputs"][0]["levels"] == list("ABCDEF")
    for test in found["tests"]:
        assert test["estimate"] == plain[test["id"]]["estimate"], test["id"]
    again = (
        "--levels",
        "grade=A,B,C,D,E,F",
        "--levels",
        "g0=A,B,C,D,E,F",
        "--levels",
        "g1=A,B,C,D,E,F",
    )
    assert sheet_of("named.csv", *ASK, *words, *again) == found


def test_directions_of_several_scores(tmp_path):
    turned = {**NOW, "gbm": -NOW["gbm"]}
    (tmp_path / "turned.csv").write_text(written(turned))
    words = ("--challenger", "gbm")
    plain = found_in("now.csv", *ASK, *words)["challenger.gbm"]
    found = found_in("turned.csv", *ASK, *words, "--higher-is", "gbm=negative")["challenger.gbm"]
    assert found["estimate"] == pytest.approx(plain["estimate"], abs=1e-12)


@pytest.mark.merge
def test_the_same_seed_gives_the_same_sheet():
    words = ("now.csv", *ASK, "--by", "product")
    found = [sheet_of(*words, "--seed", seed)["digest"] for seed in ("5", "5", "6")]
    assert found[0] == found[1] != found[2]


@pytest.mark.merge
def test_the_limit_of_an_earlier_chart_is_kept(tmp_path):
    words = ("now.csv", *ASK, "--initial", "initial.csv", "--period", "month")
    first = done("validate", *words, "--seed", "5", "-f", "json").stdout
    (tmp_path / "first.json").write_text(first)
    stored = json.loads(first)["settings"]["control_chart"]
    (tmp_path / "limit.json").write_text(json.dumps(stored))
    for file in ("first.json", "limit.json"):
        again = sheet_of(*words, "--seed", "6", "--chart", file)
        assert again["settings"]["control_chart"]["limit"] == stored["limit"]
    assert sheet_of(*words, "--seed", "6")["settings"]["control_chart"]["limit"] != stored["limit"]
    plain = done("validate", "now.csv", *ASK, "-f", "json").stdout
    (tmp_path / "plain.json").write_text(plain)
    said = "is neither the JSON of a sheet with a control chart nor a limit saved by"
    for file in ("plain.json", "now.csv"):
        assert said in refused("validate", *words, "--chart", file)


def test_standard_input_is_enough_for_one_pass():
    named = ("--subject", "file=rows")
    assert sheet_of("-", *ASK, *named, data=written(NOW)) == sheet_of("now.csv", *ASK, *named)
    assert sheet_of("-", *ASK, data=written(NOW))["subject"]["file"] == "standard input"


def test_the_schema_needs_no_file():
    assert json.loads(done("validate", "--schema").stdout) == schema()


@pytest.mark.parametrize("more", [("-o", "x.json"), ("now.csv",), ("-f", "json")])
def test_what_the_schema_would_ignore_is_refused(tmp_path, more):
    for words in ((*more, "--schema"), ("--schema", *more)):
        assert refused("validate", *words).startswith("--schema stands alone and prints to")
    assert not (tmp_path / "x.json").exists()


@pytest.mark.turns(3)
@pytest.mark.parametrize("suffix", ["html", "json", "csv", "md", "txt", "xlsx"])
def test_every_format_is_what_the_sheet_saves(tmp_path, suffix):
    done("validate", "now.csv", *ASK, "-o", f"sheet.{suffix}")
    subject = {"file": "now.csv", "target": "default (positive: 1)", "score": "grade"}
    expected = (
        validate(counts(), subject=subject).save(tmp_path / f"expected.{suffix}").read_bytes()
    )
    found = (tmp_path / f"sheet.{suffix}").read_bytes()
    # What findings say is on stderr of a command, and not in its text.
    assert found == expected if suffix != "txt" else found.startswith(expected[:200])


def test_on_a_screen_there_is_the_first_page_alone():
    shown = done("validate", "now.csv", *ASK).stdout
    assert "Rates fall with better grades" in shown
    assert "cum lift" not in shown


@pytest.mark.merge
def test_on_a_terminal_it_fits():
    shown, _ = on_terminal("validate", "now.csv", *ASK, *ALL, columns=80, env={"NO_COLOR": "1"})
    table = shown.decode().split("Tests")[1].split("Not performed")[0].splitlines()
    assert max(map(len, table)) <= 80
    line = next(line for line in table if line.startswith("Rates fall with better grades"))
    assert re.fullmatch(r"\d\.\d{3}\*", line.split()[-1])  # the one-sided p-value alone


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("now.csv", *ASK, "--subject", "=4"), "--subject must be KEY=VALUE"),
        (("now.csv", *ASK, "--limits", "none.toml"), "none.toml: no such file"),
        (("now.csv", *ASK, "--limits", "now.csv"), "now.csv is not a TOML file"),
        (("now.csv", *ASK, "--initial", "none.csv"), "none.csv: no such file"),
        (("now.csv", *ASK, "--initial", "2"), "accuracy ratio in [-1, 1], got 2.0"),
        (("now.csv", *ASK, "--initial", "limits.toml"), "--initial limits.toml has neither the"),
        (("now.csv", *ASK, "--period", "product"), "the periods in 'product' do not sort in time"),
        (
            ("now.csv", *ASK, "--unknown-label", "open"),
            "--unknown-label open is not a label of 'de",
        ),
        (("now.csv", *ASK, "--initial", "initial.csv", "-o", "initial.csv"), "is also an input"),
        (("now.csv", *ASK, "--before", "x.csv", "-o", "none/x.html"), "there is no folder none"),
        (("now.csv", "-t", "default", "-s", "score"), "no column 'score'"),
    ],
)
def test_refusals_take_one_line(words, said):
    assert said in refused("validate", *words)


def test_rows_without_a_target_are_no_initial_sample(tmp_path):
    without = {name: column for name, column in INITIAL.items() if name != "default"}
    (tmp_path / "without.csv").write_text(written(without))
    said = refused("validate", "now.csv", *ASK, "--initial", "without.csv")
    assert said.startswith("--initial without.csv has no column 'default'")


def test_errors_in_limits_come_before_rows_are_read(tmp_path):
    (tmp_path / "limits.toml").write_text("[psi]\ngreen = 0.3\nred = 0.1\n")
    said = refused("validate", "none.csv", *ASK, "--limits", "limits.toml")
    assert said.startswith("limits.toml: [psi]: green 0.3 must not be above red 0.1")


def test_rows_without_a_period_are_left_out(tmp_path):
    gaps = {**NOW, "month": np.where(np.arange(900) % 9 == 0, "", NOW["month"])}
    (tmp_path / "gaps.csv").write_text(written(gaps))
    result = call("validate", "gaps.csv", *ASK, "--initial", "initial.csv", "--period", "month")
    assert "note: left out for lack of a month: 100 rows" in result.stderr
    assert result.exit_code == 0
