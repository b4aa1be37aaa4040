"""Columns know their form: of two tables with a name in common each is written in its own."""

import copy
import html
import json
import pickle
import re
from dataclasses import replace

import numpy as np
import openpyxl
import pytest

import capcurve as cap
from capcurve.metrics import METRICS
from capcurve.show.columns import USUAL_COLUMNS, ColumnName, form_of, formed, heading, show
from capcurve.show.format import FORMS
from capcurve.show.table import Table
from capcurve.show.text import defused, to_csv, to_text
from capcurve.show.workbook import write_table

COLUMNS = {"rate": np.array([0.25, 0.5]), "low": np.array([0.1, np.nan])}
USUAL_TABLE = Table("usual", COLUMNS)
OWN_TABLE = Table("own", formed(COLUMNS, {"rate": "mean"}, fine="rate", signed="low"))
SHOWN = {USUAL_TABLE: ["rate", "25.0%", "50.0%"], OWN_TABLE: ["mean", "0.2500", "0.5000"]}


@pytest.mark.parametrize("table", SHOWN, ids=lambda table: table.name)
def test_one_name_has_the_form_of_its_table_wherever_this_is_written(table, tmp_path):
    head, first, second = SHOWN[table]
    text = to_text(table.values()).splitlines()
    assert [line.split()[0] for line in text] == [head, first, second]
    assert table.to_markdown().splitlines()[2].split(" | ")[0] == f"| {first}"
    assert f">{first}</td>" in table.to_html()
    assert f">{head}</th>" in table.to_html()
    assert first.replace("%", r"\%") in table.to_latex()
    write_table("t", table.values(), tmp_path / "t.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert [sheet["A1"].value, sheet["A4"].value] == ["t", head]
    assert sheet["A5"].number_format == ("0.0%" if "%" in first else "0.0000")


@pytest.mark.parametrize(
    "again",
    [
        copy.copy,
        copy.deepcopy,
        lambda table: pickle.loads(pickle.dumps(table)),  # noqa: S301 - ours
        lambda table: replace(table, name="other"),
        lambda table: replace(table, columns={n: c[:1] for n, c in table.columns.items()}),
        lambda table: replace(table, columns={**table.columns, "rate": table["rate"][::-1]}),
    ],
)
def test_a_copy_of_a_table_is_written_as_the_table(again):
    for table, shown in SHOWN.items():
        made = again(table)
        assert [(form_of(n), heading(n)) for n in made.columns] == [
            (form_of(n), heading(n)) for n in table.columns
        ]
        first = made.to_markdown().splitlines()[2].split()[1]
        assert first in shown


def test_machines_read_names_without_forms():
    assert OWN_TABLE.to_dict()["columns"] == {"rate": [0.25, 0.5], "low": [0.1, None]}
    assert json.loads(json.dumps(list(OWN_TABLE.rows()))) == [
        {"rate": 0.25, "low": 0.1},
        {"rate": 0.5, "low": None},
    ]
    for backend in ("pandas", "polars", "pyarrow"):
        frame = OWN_TABLE.to_frame(backend)
        names = frame.column_names if backend == "pyarrow" else list(frame.columns)
        assert [(name, type(name)) for name in names] == [("rate", str), ("low", str)]
    assert OWN_TABLE["rate"][0] == 0.25


def test_a_score_is_typed_back_by_its_form_and_not_by_its_name():
    columns = {"cut": [600.0, 0.1]}
    assert to_csv(columns) == "cut\n600.0\n0.1\n"
    known = formed(columns, score="cut")
    assert to_csv(known) == to_csv(defused(known)) == "cut\n600\n0.1\n"
    scores = Table("s", formed({"cut": np.array([3.0, np.nan])}, score="cut"))
    assert scores.values() == {"cut": [3, None]}


def test_every_form_of_a_column_is_one_that_is_written():
    with pytest.raises(KeyError):
        show(ColumnName("a", "percents"), 0.5)
    assert {form_of(name) for name in USUAL_COLUMNS} <= set(FORMS)


def test_usual_columns_that_are_metrics_have_the_form_of_the_registry():
    assert {name for name in USUAL_COLUMNS if name in METRICS} >= {
        "accuracy_ratio",
        "roc_auc",
        "ks",
    }
    for name in USUAL_COLUMNS:
        if name in METRICS:
            assert form_of(name) == METRICS[name].form, name


def test_limits_are_written_with_the_digits_of_their_number():
    counts = cap.ScoreCounts.from_counts([0.5, 0.1], [60, 15], [40, 85])
    tables = {
        cap.decision_curve(counts): ("net_benefit", "low", "high"),
        cap.null_band((50, 20)).presentation().tables[0]: ("estimate", "low", "high"),
    }
    for table, names in tables.items():
        forms = {str(name): form_of(name) for name in table.columns}
        assert len({forms[name] for name in names}) == 1


def test_a_metric_in_a_table_of_scores_is_written_as_the_registry_says():
    found = cap.evaluate([1, 0, 1, 0, 0, 1], {"a": [6, 5, 4, 3, 2, 1], "b": [6, 4, 5, 1, 2, 3]})
    table = found.presentation().brief
    known = {str(name): name for name in table.columns}
    assert (form_of(known["AP"]), heading(known["AP"])) == ("ratio", "AP")
    assert (form_of(known["captured_10"]), heading(known["captured_10"])) == (
        "share",
        "captured at 10%",
    )
    assert form_of(known["lift_10"]) == METRICS["lift"].form


@pytest.mark.parametrize("kind", ["classes", "amounts"])
def test_the_page_is_given_the_form_and_the_heading_of_each_column_that_it_shows(kind):
    scores = {"a": [6, 5, 4, 3, 2, 1]}
    found = cap.evaluate([1, 0, 1, 0, 0, 1], scores)
    if kind == "amounts":
        found = cap.evaluate(cap.count_values([9.5, 0, 3, 1, 0, 2], scores["a"]))
    data = re.search(
        r'<script type="application/json"[^>]*>(.*?)</script>', found.to_html(), re.DOTALL
    )
    given = json.loads(html.unescape(data[1]))
    forms = {name: form for name, (form, _) in given["columns"].items()}
    (model,) = given["models"]
    assert set(model["gains"]["columns"]) <= set(forms)
    gains = found.gains().columns
    assert {name: forms[name] for name in gains} == {str(name): form_of(name) for name in gains}
    named = {"classes": ("rate", "positive rate"), "amounts": ("q", "selected")}[kind]
    assert given["columns"][named[0]][1] == named[1]
    assert forms["score"] == "score"
