"""The JSON of commands follows the schemas that come with the package."""

import json
from pathlib import Path

import jsonschema
import pytest

import capcurve as cap
from capcurve.cli.schemas import SCHEMAS
from cli_calls import call, done

LOANS = (cap.datasets.path("loans"), "-t", "y", "-s", "int_rate")
TWO = (*LOANS, "-s", "grade_rank")
# Grades with PDs.
SCALE = ",".join(f"{grade}={0.01 * 1.12 ** (grade - 1):.4f}" for grade in range(1, 36))
PDS = (*LOANS[:3], "-s", "grade_rank", "--grade-pd", SCALE)
CLAIMS = (
    *(cap.datasets.path("claims"), "--amount", "claims", "--exposure", "years"),
    *("-s", "model_a", "-s", "model_b"),
)
ASKED = [
    ("summary", *LOANS),
    ("summary", *TWO, "--prevalence", "0.01"),
    ("summary", *CLAIMS),
    ("summary", *LOANS, "--selective", "--max-risk", "0.04"),
    ("gains", *LOANS, "--bins", "score"),
    ("gains", *LOANS, "--interval", "jeffreys"),
    ("gains", *CLAIMS),
    ("curve", *LOANS),
    ("curve", *TWO, "--kind", "lift"),
    ("compare", *TWO),
    ("compare", *CLAIMS),
    ("compare", *TWO, "--by", "sub_grade", "--metric", "mrr", "--lacking", "0"),
    ("mean", *LOANS, "--by", "sub_grade", "--segments", "fixed"),
    ("mean", *LOANS, "--by", "sub_grade", "--metric", "lift@9"),
    ("mean", *TWO, "--by", "annual_inc"),
    ("check", *LOANS, "--min-ar", "0.4", "--min-ks", "0.9"),
    ("check", *PDS, "--max-oe", "1.1"),
    ("check", *LOANS, "--min-kappa", "0.1", "--cutoff", "15", "--labelled", "at-random"),
    ("calibration", *PDS),
    ("summary", *PDS),
]
TINY = "y,s,g\n1,inf,a\n0,0.2,a\n1,0.8,b\n1,0.9,b\n"


def checker(name):
    schema = json.loads(done("schema", name).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def written(*words):
    return json.loads(call(*words, "-f", "json").stdout)


@pytest.mark.turns(3)
@pytest.mark.parametrize("words", ASKED, ids=lambda words: f"{words[0]} {' '.join(words[2:])}")
def test_what_a_command_writes_follows_its_schema(words):
    checker(words[0]).validate(written(*words))


@pytest.mark.parametrize("more", [(), ("--by", "g")], ids=["whole", "segments"])
def test_numbers_that_are_undefined_or_infinite_follow_the_schema(tmp_path, more):
    path = tmp_path / "tiny.csv"
    path.write_text(TINY)
    found = written("summary", path, "-t", "y", "-s", "s", *more)
    checker("summary").validate(found)
    (score,) = found["scores"]
    assert score["information_value"] is None
    assert score["infinite"] == ["information_value"]


def test_a_test_that_is_infinite_follows_the_schema(tmp_path):
    path = tmp_path / "certain.csv"
    path.write_text("y,pd\n1,0\n0,0.5\n1,0.7\n0,0.2\n0,0.1\n")
    found = written("calibration", path, "-t", "y", "-s", "pd")
    checker("calibration").validate(found)
    assert found["tests"]["hosmer_lemeshow"]["statistic"] == "inf"


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    "words",
    [
        ("-t", "y", "-s", "s", "--value", "3", "--cost", "1"),
        ("-t", "y", "-s", "s", "-s", "r"),
        ("--amount", "x", "-s", "s", "--value", "1", "--cost", "99"),
        ("-t", "y", "-s", "g", "--levels", "a,b", "--value", "9", "--cost", "0"),
        ("-t", "y", "-s", "s", "-s", "r", "--propensity", "0.4"),
    ],
)
def test_what_is_said_of_a_trial_follows_its_schema(tmp_path, words):
    path = tmp_path / "trial.csv"
    rows = ((i * 5 % 7 < 3, i % 4, i % 9, i * 3 % 8, i % 2, "ab"[i % 3 > 0]) for i in range(90))
    lines = (f"{y:d},{x},{s},{r},{t},{g}\n" for y, x, s, r, t, g in rows)
    path.write_text("y,x,s,r,t,g\n" + "".join(lines))
    found = written("uplift", path, "--treatment", "t", *words)
    checker("uplift").validate(found)
    for part, spoiled in (("qini", None), ("treated", "45"), ("best", 1), ("table", None)):
        other = json.loads(json.dumps(found))
        other["scores"][0][part] = spoiled
        assert not checker("uplift").is_valid(other), part
    found["comparison"] = []
    assert not checker("uplift").is_valid(found)


def test_an_evaluation_in_python_and_crossed_segments_follow_the_schema():
    loans = cap.datasets.load_loans()
    loans["half"] = loans.index % 2
    found = cap.evaluate("y", ["int_rate"], loans, by=["half", "y"])
    checker("summary").validate(json.loads(json.dumps(found.to_dict())))


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda found: found.pop("schema_version"),
        lambda found: found.update(schema_version=2),
        lambda found: found["scores"][0].update(information_value="inf"),
        lambda found: found["scores"][0].update(accuracy_ratio="0.5"),
        lambda found: found["scores"][0]["captured"].update({"0.1": "28%"}),
        lambda found: found["scores"][0]["gains"].pop("rows"),
        lambda found: found["scores"][0]["gains"]["rows"][0].pop("captured"),
    ],
)
def test_the_schema_refuses_what_is_no_summary(spoil):
    found = written("summary", *LOANS)
    spoil(found)
    assert not checker("summary").is_valid(found)


def test_a_gains_table_has_one_layout():
    (of_summary,) = written("summary", *LOANS)["scores"]
    (of_gains,) = written("gains", *LOANS)["parts"]
    assert of_summary["gains"] == of_gains


def test_a_schema_that_is_not_there_is_refused():
    result = call("schema", "plot")
    assert result.exit_code == 2
    assert f"there is no schema 'plot'; there is {', '.join(SCHEMAS)}" in result.stderr


FILES = [*Path(cap.__file__).parent.glob("cli/schemas/*.json")]
FILES += Path(cap.__file__).parent.glob("studies/*/*.json")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_schema_has_one_line_for_each_leaf(path):
    text = path.read_text("utf-8")
    assert text == laid_out(json.loads(text)) + "\n"


def laid_out(part, pad=""):
    """Return JSON in which what has no object inside, or is short, takes one line."""
    line = json.dumps(part, ensure_ascii=False)
    inside = part.values() if isinstance(part, dict) else part
    if len(pad + line) < 90 or not any(isinstance(each, dict) for each in inside):
        return line
    names = (
        [f"{json.dumps(name)}: " for name in part] if isinstance(part, dict) else [""] * len(part)
    )
    lines = [
        f"{pad}  {name}{laid_out(each, pad + '  ')}"
        for name, each in zip(names, inside, strict=True)
    ]
    first, last = "{}" if isinstance(part, dict) else "[]"
    return "\n".join([first, ",\n".join(lines), pad + last])
