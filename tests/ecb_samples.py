"""The made-up book of the ECB's table: its samples, its sheet, and the lines of a table by key."""

import csv
import json
import math
from functools import cache
from itertools import product

import numpy as np

import capcurve as cap
from oracles.oracle_files import DATA

EXPECTED = json.loads((DATA / "ecb_expected.json").read_text(encoding="utf-8"))
GRADES = EXPECTED["grades_riskiest_first"]
PDS = json.loads((DATA / "ecb_grade_pds.json").read_text(encoding="utf-8"))
STATUSES = {"default": "default", "other": "other model", "left": "terminated"}
DATES = ("2019-01-01", "2019-12-31")
COLUMNS = (
    *("section", "item", "level", "grade", "to"),
    *("value", "unit", "source", "missing", "what", "text"),
)
NO_SAMPLE_HOLDS = {
    "2.4.3": (
        *("rwea_begin", "rwea_end", "ead_begin", "ead_end"),
        *("exposure_defaulted_begin", "exposure_defaulted_end"),
    ),
    "2.5.2.1": ("m", "excluded_outdated", "excluded_transferred", "excluded_process"),
    "2.5.2.3": ("technical_defaults",),
}
OF_PORTFOLIO = {
    "2.4.3": ("n", "grades", "defaults", *NO_SAMPLE_HOLDS["2.4.3"]),
    "2.5.2.1": NO_SAMPLE_HOLDS["2.5.2.1"],
    "2.5.2.2": ("overrides",),
    "2.5.2.3": NO_SAMPLE_HOLDS["2.5.2.3"],
    "2.5.3.1": ("pd", "n", "defaults", "p_value", "original_exposure"),
    "2.5.4.1": (
        *("auc_initial", "auc_current", "variance", "statistic", "p_value", "periods"),
        *("initial_start", "initial_end", "initial_n", "initial_variance"),
    ),
    "2.5.5.1": ("mwb_upper", "mwb_lower"),
    "2.5.5.3": (
        *("cv_current", "cv_initial", "hi_current", "hi_initial", "p_value", "hi_exposure"),
        *("initial_start", "initial_end", "initial_n", "initial_grades"),
    ),
}
DATE_ITEMS = ("initial_start", "initial_end")


def keys_of(grades=GRADES):
    """Return the keys of all lines of a PD model: section, item, grade and to."""
    found = {(section, item, "", "") for section, each in OF_PORTFOLIO.items() for item in each}
    found |= {("2.5.3.1", item, grade, "") for item in OF_PORTFOLIO["2.5.3.1"] for grade in grades}
    ends = (*grades, *STATUSES.values())
    found |= {("2.5.5.2", "share", *cell) for cell in product(grades, ends)}
    moves = [cell for cell in product(grades, grades) if cell[0] != cell[1]]
    return found | {("2.5.5.2", item, *cell) for item in ("z", "p_value") for cell in moves}


def expected(name):
    """Return the values of the oracle by key; NaN where it has none."""
    return {
        (section, item, grade or "", to or ""): math.nan if value is None else value
        for section, item, grade, to, value in EXPECTED[name]
    }


def lines(found):
    """Return the rows of a table by section, item, grade and to, which tell each line apart."""
    table = found.table
    assert tuple(table.columns) == COLUMNS
    rows = [
        dict(zip(COLUMNS, row, strict=True))
        for row in zip(*(table[name].tolist() for name in COLUMNS), strict=True)
    ]
    by_key = {tuple(row[name] for name in ("section", "item", "grade", "to")): row for row in rows}
    assert len(by_key) == len(rows)
    return by_key


def values(found):
    return {key: row["value"] for key, row in lines(found).items()}


def written(found, but=()):
    """Return every line with all bits of its value, so that equal tables are equal lists."""
    return [
        tuple(
            None if isinstance(row[name], float) and math.isnan(row[name]) else row[name]
            for name in COLUMNS
            if name not in but
        )
        for row in lines(found).values()
    ]


def missing(found, of=""):
    """Return the keys of the lines without a value whose reason holds some words."""
    return {key for key, row in lines(found).items() if row["missing"] and of in row["missing"]}


def why(row):
    return f"{row['missing']} {row['text']}"


@cache
def _columns(name):
    with (DATA / f"ecb_{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {column: [row[column] for row in rows] for column in rows[0]}


def book():
    """Return the portfolio, and as `final` the grade after overrides of every twentieth."""
    found = dict(_columns("portfolio"))
    best = len(GRADES) - 1
    places = [GRADES.index(grade) for grade in found["grade"]]
    final = [min(at + 1, best) if row % 20 == 0 else at for row, at in enumerate(places)]
    return {
        **found,
        "default": [int(each) for each in found["default"]],
        "exposure": [float(each) for each in found["exposure"]],
        "final": [GRADES[at] for at in final],
    }


def initial_rows():
    found = _columns("initial")
    return {"grade": found["grade"], "default": [int(each) for each in found["default"]]}


def numbers(name):
    return {column: np.array(each, dtype=float) for column, each in _columns(name).items()}


def counts(data=None, **options):
    data = book() if data is None else data
    return cap.count_scores("default", "grade", data=data, **{"levels": GRADES} | options)


def jointly(data=None, names=("grade", "end", "final"), **options):
    own = {"grade": GRADES, "end": [*GRADES, *STATUSES], "final": GRADES}
    levels = {name: own[name] for name in names if name in own}
    data = book() if data is None else data
    return cap.count_joint("default", list(names), data=data, **{"levels": levels} | options)


def exposure(data=None):
    data = book() if data is None else data
    found = {grade: [] for grade in GRADES}
    for grade, amount in zip(data["grade"], data["exposure"], strict=True):
        found[grade].append(amount)
    return {grade: math.fsum(amounts) for grade, amounts in found.items()}


def sheet(now=None, **changes):
    """Return the sheet of all that the table asks for; `changes` are arguments that differ."""
    given = {
        "initial": counts(initial_rows()),
        "joint": jointly(),
        "end": "end",
        "outside": list(STATUSES),
        "final": "final",
        "pd": PDS,
    }
    asked = {name: each for name, each in (given | changes).items() if each is not None}
    return cap.validate(counts() if now is None else now, **asked)


@cache
def whole_sheet():
    return sheet()


def ecb(of=None, **changes):
    """Return the table of a sheet with all that it asks for; `changes` are what differs."""
    asked = {"exposure": exposure(), "statuses": STATUSES, "initial_dates": DATES} | changes
    return (whole_sheet() if of is None else of).ecb(**asked)


def initial_classes():
    data = numbers("lgd_initial")
    return cap.count_classes(data["realised"], data["estimated"])


def lgd(**changes):
    """Return the table of the LGD book with all that it asks for; `changes` are what differs."""
    data = numbers("lgd")
    given = {
        "realised": data["realised"],
        "estimated": data["estimated"],
        "initial": initial_classes(),
        "initial_dates": DATES,
        "begin": numbers("lgd_begin")["estimated"],
        "end": numbers("lgd_end")["estimated"],
    }
    asked = {name: each for name, each in (given | changes).items() if each is not None}
    return cap.ecb_lgd(asked.pop("realised"), asked.pop("estimated"), **asked)
