"""The JSON of a validation sheet: its schema, its digest, and the same bytes for equal sheets."""

import copy
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import capcurve as cap
from capcurve.studies.validation.judgement import SheetTest
from capcurve.studies.validation.sections import Section
from capcurve.studies.validation.sheet import schema
from validation_sheets import NUMBERS, sheet

ROOT = Path(__file__).parents[3]


def read(made):
    return json.loads(made.to_json())


@pytest.fixture(scope="module")
def valid():
    """Return what raises unless values follow the schema."""
    checker = jsonschema.Draft202012Validator
    checker.check_schema(schema())
    return checker(schema())


def test_it_follows_the_schema(valid):
    valid.validate(read(sheet()))
    valid.validate(read(sheet(limits=None)))
    valid.validate(read(sheet(sections=(), inputs=(), findings=(), seed=None, subject={})))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda values: values.pop("digest"),
        lambda values: values.update(more=1),
        lambda values: values.update(schema="other"),
        lambda values: values["tests"][0].pop("light"),
        lambda values: values["tests"][0].update(light="yellow"),
        lambda values: values["tests"][0].update(estimate="0.5"),
        lambda values: values["tests"][0]["limits"].update(by="luck"),
        lambda values: values["tables"][0].update(columns={}),
        lambda values: values["inputs"][0].update(n=-1),
        lambda values: values["not_done"].append("this"),
    ],
)
def test_the_schema_refuses_what_is_no_sheet(valid, spoil):
    values = read(sheet())
    spoil(values)
    assert not valid.is_valid(values)


def test_it_says_what_the_sheet_says():
    made = sheet()
    values = read(made)
    assert [test["id"] for test in values["tests"]] == list(made.tests) == list(NUMBERS)
    first = values["tests"][0]
    assert (first["estimate"], first["low"], first["high"]) == (0.486, 0.451, 0.521)
    assert first["limits"] == {"green": 0.45, "red": 0.35, "by": "limit"}
    assert (first["light"], first["section"], first["better"]) == ("green", 4, "higher")
    psi = values["tests"][list(NUMBERS).index("stability.psi")]
    assert psi["estimate"] == "inf"
    assert values["tests"][list(NUMBERS).index("migration.lower")]["estimate"] is None
    assert values["subject"]["model"] == "SME rating 4.2"
    assert values["settings"]["seed"] == 1
    assert values["settings"]["limits"]["stability.psi"]["red"] == 0.25
    assert values["inputs"][0]["levels"] == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert values["inputs"][1]["digest"] == "ab" * 32
    assert values["not_done"][0] == {"what": "pooled periods", "why": "pass periods"}
    assert values["version"] == cap.__version__


def test_tables_keep_the_order_of_their_columns():
    table = read(sheet())["tables"][0]
    assert table["section"] == 6
    assert [column["name"] for column in table["columns"]][:3] == ["bin", "score_from", "score_to"]
    assert table["columns"][3]["values"][:2] == [401, 381]


def test_the_digest_is_of_all_the_rest():
    values = read(sheet())
    digest = values.pop("digest")
    text = json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == digest == sheet().digest()


def test_whatever_changes_changes_the_digest():
    made = sheet()
    lit_otherwise = copy.deepcopy(made.limits) | {"stability.psi": made.limits["initial.drop"]}
    others = [
        sheet(seed=2),
        sheet(level=0.9),
        sheet(subject={"model": "other"}),
        sheet(limits=None),
        sheet(findings=()),
        sheet(limits=lit_otherwise),
        sheet(not_covered=()),
    ]
    assert len({each.digest() for each in [made, *others]}) == 1 + len(others)


def test_keys_are_sorted_everywhere():
    def check(value):
        if isinstance(value, dict):
            assert list(value) == sorted(value)
            for each in value.values():
                check(each)
        elif isinstance(value, list):
            for each in value:
                check(each)

    check(read(sheet()))


def test_equal_sheets_are_equal_bytes(tmp_path):
    suffixes = (".json", ".html", ".csv", ".md", ".txt", ".xlsx")
    for suffix in suffixes:
        one = sheet().save(tmp_path / f"one{suffix}").read_bytes()
        two = sheet().save(tmp_path / f"two{suffix}").read_bytes()
        assert one == two, suffix


@pytest.mark.merge
def test_another_process_writes_the_same_bytes():
    code = "from validation_sheets import sheet; print(sheet().digest())"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests'}", "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {sheet().digest()}


def test_numbers_no_double_holds_and_odd_names_are_text():
    test = SheetTest.of("stability.psi", estimate=float("-inf"), df=float("nan"))
    made = sheet(
        sections=(Section(number=8, title="\ud800", tests=(test,)),),
        settings={"n": 2**60},
        subject={"model": 'a "b" \udcff é'},
    )
    values = json.loads(made.to_json().encode("utf-8", "backslashreplace"), strict=False)
    assert values["tests"][0]["estimate"] == "-inf"
    assert values["tests"][0]["df"] is None
    assert values["settings"]["n"] == str(2**60)


def test_lights_are_counted():
    made = sheet()
    assert made.lights == {"green": 6, "amber": 3, "red": 2, "grey": 0}
    assert sheet(limits=None).lights == {"green": 0, "amber": 0, "red": 0, "grey": 0}
    assert made.tests["overrides.rate"].light == "green"


def test_the_schema_is_a_copy():
    schema()["properties"].clear()
    assert schema()["properties"]
