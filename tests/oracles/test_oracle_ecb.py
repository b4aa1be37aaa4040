"""The ECB's table of a made-up book: each line as NumPy and SciPy have it from the ECB's text."""

import math

import numpy as np
import pytest

import capcurve as cap
from ecb_samples import (
    DATES,
    EXPECTED,
    GRADES,
    PDS,
    STATUSES,
    book,
    counts,
    ecb,
    expected,
    exposure,
    initial_rows,
    jointly,
    keys_of,
    lgd,
    lines,
    numbers,
    values,
)


def plain_table():
    """Return the table of what the oracle was computed from, and of nothing beside it."""
    sheet = cap.validate(
        counts(),
        initial=counts(initial_rows()),
        joint=jointly(names=("grade", "end")),
        end="end",
        outside=list(STATUSES),
        pd=PDS,
    )
    return sheet.ecb(exposure=exposure(), statuses=STATUSES)


PLAIN, WHOLE, LGD = plain_table(), ecb(), lgd()


@pytest.mark.parametrize("found", [PLAIN, WHOLE], ids=["as the oracle", "with all there is"])
def test_every_line_of_a_pd_model(found):
    rows, oracle = lines(found), expected("pd")
    assert len(oracle) == 215
    assert set(oracle) <= set(rows)
    for key, value in oracle.items():
        row = rows[key]
        assert row["value"] == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True), key
        assert row["missing"] == "", key
        assert (row["text"] == "not well defined") is math.isnan(value), key


def test_what_is_no_line_of_the_oracle_is_missing():
    assert set(lines(PLAIN)) == keys_of(GRADES)
    left = {key for key, row in lines(PLAIN).items() if row["missing"]}
    assert left == keys_of(GRADES) - set(expected("pd"))
    assert (PLAIN.filled, PLAIN.missing, len(PLAIN.table)) == (215, 16, 231)
    # The four dates and the overrides; the sample holds no more.
    assert (WHOLE.filled, WHOLE.missing) == (220, 11)


def test_shares_are_of_all_customers_of_the_grade_whatever_became_of_them():
    assert "adds to 1 over K + 3 columns" in EXPECTED["n_rule"]
    data, found = book(), values(PLAIN)
    start, end = (np.array(data[name]) for name in ("grade", "end"))
    for grade in GRADES:
        customers = (start == grade).sum()
        for label in (*GRADES, *STATUSES):
            share = ((start == grade) & (end == label)).sum() / customers
            key = ("2.5.5.2", "share", grade, STATUSES.get(label, label))
            assert found[key] == pytest.approx(share, abs=1e-15)
        row = [found[key] for key in keys_of(GRADES) if key[1:3] == ("share", grade)]
        assert len(row) == len(GRADES) + 3
        assert math.fsum(row) == pytest.approx(1, abs=1e-12)


def test_the_example_of_matlab():
    example = EXPECTED["matlab_mwb"]
    names = list("ABCDE")
    begun, ended = [], []
    for start, row in zip(names, example["matrix"], strict=True):
        for end, cases in zip(names, row, strict=True):
            begun += [start] * cases
            ended += [end] * cases
    target = [1, 1, *[0] * (len(begun) - 2)]
    joint = cap.count_joint(target, {"begun": begun, "ended": ended}, levels=names)
    found = cap.migration_table(joint, "begun", "ended")
    assert found.matrix.tolist() == example["matrix"]
    rounded = (round(found.mwb_lower, 4), round(found.mwb_upper, 4))
    assert rounded == (example["lower"], example["upper"])
    table = cap.validate(joint.margin("begun"), joint=joint, end="ended").ecb()
    assert values(table)["2.5.5.1", "mwb_upper", "", ""] == found.mwb_upper
    turned = values(
        cap.validate(joint.margin("begun"), joint=joint, end="ended").ecb(best_first=True)
    )
    assert turned["2.5.5.1", "mwb_upper", "", ""] == found.mwb_lower


def test_every_line_of_an_lgd_model():
    rows, oracle = lines(LGD), expected("lgd")
    assert len(oracle) == 140
    assert set(oracle) <= set(rows)
    for key, value in oracle.items():
        assert rows[key]["value"] == pytest.approx(value, rel=1e-12, abs=1e-12), key
        assert rows[key]["missing"] == "", key


def test_what_is_no_line_of_the_lgd_oracle_is_missing_or_a_date():
    rows = lines(LGD)
    dates = {("2.6.3.1", item, "", "") for item in ("initial_start", "initial_end")}
    filled = {key for key, row in rows.items() if not row["missing"]}
    assert filled == {*expected("lgd"), *dates}
    assert (LGD.filled, LGD.filled + LGD.missing) == (142, len(rows))
    assert tuple(rows[key]["text"] for key in sorted(dates, reverse=True)) == DATES
    for section, item in (
        *(("2.6.4.1", item) for item in ("m", "m_miss")),
        *(("2.6.4.2", item) for item in ("original_exposure", "collateralisation")),
    ):
        own = [row for key, row in rows.items() if key[:2] == (section, item)]
        assert own, item
        assert all("yours to add" in row["missing"] for row in own)
    later = {key[1] for key in rows if key[0] in ("2.6.4.3", "2.6.4.4")}
    assert later == {"rwea", "elbe", "time_in_default", "duration"}


def test_the_generalised_auc_is_that_of_its_function():
    now, before = (cap.generalised_auc(_classes(name)) for name in ("lgd", "lgd_initial"))
    found, test = values(LGD), now.test(before.estimate)
    assert found["2.6.3.1", "gauc_current", "", ""] == now.estimate
    assert found["2.6.3.1", "gauc_initial", "", ""] == before.estimate
    assert found["2.6.3.1", "statistic", "", ""] == test.statistic
    assert found["2.6.3.1", "p_value", "", ""] == test.p_value
    assert found["2.6.3.1", "variance", "", ""] == pytest.approx(now.se**2, rel=1e-14)


def _classes(name):
    data = numbers(name)
    return cap.count_classes(data["realised"], data["estimated"])
