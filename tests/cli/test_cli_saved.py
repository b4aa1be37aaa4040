"""Saved counts at the command line: what says nothing about them is refused, in its own words."""

import pytest

import capcurve as cap
from cli_calls import done, refused

Y, S, G = [1, 0, 1, 0, 0, 1, 0, 0], [4, 3, 2, 1, 4, 3, 2, 1], [*"aabbaabb"]
DAYS, ENDED = [10, 20, 30, 40, 50, 60, 70, 80], [1, 0, 1, 0, 1, 0, 2, 0]
SAVED = {
    "classes": cap.count_scores(Y, S),
    "segments": cap.count_segments(Y, S, by=G),
    "pds": cap.count_scores(Y, [s / 10 for s in S]),
    "grades": cap.count_scores(Y, [*"CBACBACC"], levels=[*"CBA"]),
    "amounts": cap.count_values([0, 5, 1, 0, 2, 0, 3, 1], S),
    "trial": cap.count_uplift(Y, [1, 0] * 4, S),
    "unknown": cap.count_partial([1, 0, None, 1, 0, 1, 0, 0], S),
    "times": cap.count_times(DAYS, ENDED, S),
    "cases": cap.count_scores(Y, S).cases,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("saved")
    for name, counts in SAVED.items():
        cap.write_counts(counts, made / f"{name}.json")
        cap.write_counts(counts, made / f"{name}.parquet")
    return made


@pytest.fixture(autouse=True)
def _within(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.mark.parametrize(("words", "flag"), [
    (("summary", "classes", "--by", "nope"), "--by"),
    (("summary", "classes", "-t", "nope"), "--target"),
    (("summary", "classes", "--amount", "nope"), "--amount"),
    (("summary", "classes", "-s", "nope"), "--score"),
    (("uplift", "trial", "--treatment", "nope"), "--treatment"),
    (("bounds", "unknown", "--unknown", "nope"), "--unknown"),
    (("summary", "times", "--horizon", "35", "-s", "nope"), "--score"),
])  # fmt: skip
@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_saved_counts_refuse_columns_that_they_do_not_have(words, flag, suffix):
    command, name, *others = words
    assert refused(command, name + suffix, "--counts", *others).endswith(f"leave out {flag}")


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_segments_of_saved_counts_are_called_segment(suffix):
    words = ("summary", f"segments{suffix}", "--counts", "--by")
    assert refused(*words, "nope").endswith("pass --by segment or leave it out")
    done(*words, "segment")


@pytest.mark.parametrize(("flag", "value"), [
    ("--sheet", "x"), ("--table", "x"), ("--skip-lines", "3"), ("--na", "0"), ("--decimal", ","),
    ("--delimiter", ";"), ("--comment", "#"), ("--encoding", "cp1252"),
])  # fmt: skip
@pytest.mark.parametrize("words", [("classes.json",), ("times.json", "--horizon", "35")])
def test_counts_saved_as_json_refuse_what_is_said_of_other_files(words, flag, value):
    line = refused("summary", *words, "--counts", flag, value)
    assert line.startswith(f"{flag} ")
    assert line.endswith(f"and {words[0]} is counts saved as JSON; leave it out")


@pytest.mark.parametrize("command", ["implied", "calibration"])
def test_the_pds_of_saved_counts_are_their_scores(command):
    words = (command, "pds.json", "--counts")
    assert done(*words, "--pd", "score").stdout == done(*words).stdout
    assert refused(*words, "--pd", "nope").endswith("leave out --pd")


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
@pytest.mark.parametrize("command", [("counts", "-o", "x.csv"), ("uplift",), ("implied",)])
def test_no_command_advises_a_horizon_that_it_refuses(command, suffix):
    name, *others = command
    line = refused(name, f"times{suffix}", "--counts", *others)
    assert line.endswith(f"these are counts of times, which capcurve {name} does not read")


@pytest.mark.parametrize("words", [("--higher-is", "negative"), ("--resolution", "0.1")])
@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_saved_times_name_the_option_to_leave_out(words, suffix):
    line = refused("summary", f"times{suffix}", "--counts", "--horizon", "35", *words)
    assert line.endswith(f"leave out {words[0]}")


def test_cases_without_outcomes_are_for_stability_alone():
    line = refused("change", "cases.json", "classes.json", "--counts")
    assert line.endswith("these are cases without outcomes, which stability compares")


@pytest.mark.parametrize(("words", "line"), [
    (("implied",), "capcurve implied is for {}; count the rows with --target"),
    (("calibration",), "capcurve calibration is for {}; count the rows with --target"),
    (("validate",), "capcurve validate is for {}; count the rows with --target"),
    (("steps",), "capcurve steps is for {}; use capcurve gains --bins score"),
    (("thresholds",), "capcurve thresholds is for {}; use capcurve gains --bins score"),
    (("curve", "--kind", "roc"), "--kind roc is for {}; choose cap"),
    (("gains", "--interval", "jeffreys"), "--interval is for {}; leave it out"),
    (("summary", "--pd", "score"), "--pd is for {}; leave it out"),
])  # fmt: skip
def test_saved_amounts_are_refused_in_words_of_the_command(words, line):
    command, *others = words
    said = line.format("positives and negatives, and these are amounts")
    assert refused(command, "amounts.json", "--counts", *others) == said


def test_a_picture_of_pds_is_not_of_saved_amounts():
    words = ("plot", "amounts.json", "--counts", "--kind", "calibration", "-o", "x.png")
    assert "is for positives and negatives" in refused(*words)


def test_a_change_is_not_of_saved_amounts():
    line = refused("change", "amounts.json", "amounts.parquet", "--counts")
    assert line.startswith("change explains numbers of positives and negatives, and these are")


@pytest.mark.parametrize("name", ["classes", "segments", "amounts"])
@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_counts_without_times_have_no_horizon(name, suffix):
    line = refused("summary", f"{name}{suffix}", "--counts", "--horizon", "35")
    assert line.endswith("no counts of times; leave out --horizon")


@pytest.mark.parametrize(("words", "line"), [
    (("classes", "--resolution", "0.5"), "saved without --resolution"),
    (("grades", "--levels", "C,A"), "saved with --levels C,B,A, not --levels C,A"),
    (("classes", "--higher-is", "negative"),
     "saved with --higher-is positive, not --higher-is negative"),
])  # fmt: skip
def test_other_settings_than_the_saved_ones_are_told_as_typed(words, line):
    name, *others = words
    assert refused("summary", f"{name}.parquet", "--counts", *others).endswith(line)


@pytest.mark.parametrize(("words", "line"), [
    (("summary", "-s", "s", "--weight-kind", "sampling"),
     "--weight-kind sampling was given without --weight"),
    (("summary", "-s", "g", "--levels", "b,b,a"), "--levels names 'b' twice; name each grade once"),
    (("summary", "-s", "g", "--levels", ""), "--levels is empty; name the grades, most-likely"),
    (("summary", "-s", "g", "--levels", "b,a", "--higher-is", "negative"),
     "--levels already runs most-likely-positive first"),
    (("compare", "-s", "s", "-s", "p", "--metric", "selective-risk"),
     "--metric selective-risk needs --coverage"),
    (("compare", "-s", "s", "-s", "p", "--coverage", "0.5"),
     "--coverage is not used by --metric ar; leave it out"),
    (("compare", "-s", "p", "-s", "q", "--metric", "net-benefit", "--threshold", "2"),
     "--threshold must be a PD, at least 0 and below 1, got 2.0"),
    (("calibration", "-s", "p", "--at", "2"), "--at must be a PD, at least 0 and below 1, got 2"),
    (("bounds", "-s", "s", "--positives", "0.4:0.1"),
     "--positives must be two whole numbers of cases from 0 to 1, such as 0:1, or two shares"),
    (("bounds", "-s", "s", "--odds", "3:1"),
     "--odds must run from the least to the greatest, got 3:1"),
])  # fmt: skip
def test_refusals_of_the_library_are_told_as_typed(tmp_path, words, line):
    path = tmp_path / "rows.csv"
    last = "" if words[0] == "bounds" else "0"
    path.write_text(f"y,s,p,q,g\n1,3,0.5,0.4,b\n0,2,0.1,0.3,a\n1,1,0.2,0.1,b\n{last},4,0.3,0.2,a\n")
    command, *others = words
    assert refused(command, path, "-t", "y", *others).startswith(line)


@pytest.mark.parametrize(("words", "line"), [
    (("--column", "nope=rate"), "--column names 'nope', which is no column"),
    (("--decimals", "0"), "--decimals is 0, and 1.5% has more"),
])  # fmt: skip
def test_refusals_of_an_audit_are_told_as_typed(tmp_path, words, line):
    path = tmp_path / "table.csv"
    path.write_text("Decile,N,Bad rate\n1,200,1.5%\n2,200,0.5%\n")
    assert line in refused("audit", path, *words)
