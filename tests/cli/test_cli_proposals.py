"""Files as people have them: what is recognised is said, and what is proposed runs when copied."""

import csv
import pathlib
import shlex

import numpy as np
import pytest

from cli_calls import call, done

RANDOM = np.random.default_rng(5)
N = 200
UNIT = [f"{each:.4f}" for each in RANDOM.random(N)]
WHOLE = RANDOM.integers(100, 160, N).tolist()
RARE = (RANDOM.random(N) < 0.2).astype(int).tolist()
HALVES = [row % 2 for row in range(N)]


def words(values, *names):
    return [names[value] for value in values]


FILES = {
    "hmeq": {"BAD": RARE, "LOAN": WHOLE, "CLAGE": UNIT},
    "scored": {"BAD": RARE, "LOAN": WHOLE, "P_BAD1": UNIT},
    "points": {"Kundennr": range(7, 7 + N), "Punkte": WHOLE, "Ausfall": words(RARE, "nein", "ja")},
    "churn": {"rownames": range(N), "churn": words(RARE, "No", "Yes"), "tenure": ["", *WHOLE[1:]]},
    "coded": {"status": [1 + value for value in RARE], "fico_range_high": WHOLE},
    "claims": {"IDpol": range(N), "Exposure": UNIT, "freq_pred": UNIT, "claims": WHOLE},
    "credit": {"credit_amount": WHOLE, "age": WHOLE, "rownames": range(N)},
    "trial": {
        "group": words(HALVES, "control", "treatment"),
        "bought": words(RARE, "no", "yes"),
        "trans_after": UNIT,
        "uplift_score": UNIT,
    },
    "ab": {"variant": words(HALVES, "test", "control"), "conversion": RARE, "income": WHOLE},
    "lung": {"status": RARE, "time": WHOLE, "karno": WHOLE},
    "relapse": {"group": HALVES, "male": HALVES, "durat": WHOLE, "cens": RARE, "beck": WHOLE},
    "policies": {
        "policy": range(N),
        "exposure": UNIT,
        "claims": [row % 3 for row in range(N)],
        "claim_cost": WHOLE,
        "tariff": UNIT,
    },
    "waiting": {"durat": WHOLE, "endstat": [("open", "died", "moved")[i % 3] for i in range(N)]},
    "classes": {"pd": UNIT, "class": [("paid", "late", "open")[i % 3] for i in range(N)]},
    "dated": {
        "seqn": range(5, 5 + 2 * N, 2),
        "death": RARE,
        "yrdth": ["", 83, "", 84, "", 85, "", ""] * 25,
    }
    | {"sbp": ["", *WHOLE[1:]], "pre_pain": HALVES},
}


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, columns in FILES.items():
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])


def told(*asked):
    """Return all that is said below the list of columns."""
    return call(*asked).stderr.partition("Likely: ")[2]


NO_SCORE = "No column looks like a score; name one, or judge a column of numbers. Then run:"
ONES = f"{sum(RARE) / N:.1%}"


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("command", "name", "said", "flags"),
    [
        (
            "summary",
            "hmeq",
            f"target 'BAD' (0/1, {ONES} ones). {NO_SCORE}",
            ["--target BAD --score LOAN"],
        ),
        (
            "summary",
            "scored",
            f"target 'BAD' (0/1, {ONES} ones); score 'P_BAD1'. Then run:",
            ["--target BAD --score P_BAD1"],
        ),
        (
            "gains",
            "points",
            f"target 'Ausfall' (ja/nein, {ONES} ja); score 'Punkte'. Then run:",
            ["--target Ausfall --score Punkte --pos-label ja"],
        ),
        (
            "curve",
            "churn",
            f"target 'churn' (No/Yes, {ONES} Yes). {NO_SCORE}",
            ["--target churn --score tenure --missing drop --pos-label Yes"],
        ),
        (
            "summary",
            "coded",
            (
                f"target 'status' (1/2, {1 - sum(RARE) / N:.1%} ones); score 'fico_range_high'. "
                "Then run the one whose labels are right:"
            ),
            [
                f"--target status --score fico_range_high --pos-label {label}"
                for label in ("1", "2")
            ],
        ),
        (
            "summary",
            "claims",
            "amount 'claims'; exposure 'Exposure'; score 'freq_pred'. Then run:",
            ["--amount claims --exposure Exposure --score freq_pred"],
        ),
        (
            "uplift",
            "trial",
            (
                f"treatment 'group' (control/treatment, 50.0% treatment); target 'bought' (no/yes, "
                f"{ONES} yes); score 'uplift_score'. Then run:"
            ),
            [
                (
                    "--treatment group --target bought --score uplift_score "
                    "--treated-label treatment --pos-label yes"
                )
            ],
        ),
        (
            "uplift",
            "ab",
            (
                "treatment 'variant' (control/test, 50.0% test); target 'conversion' "
                f"(0/1, {ONES} ones). {NO_SCORE}"
            ),
            ["--treatment variant --target conversion --score income --treated-label test"],
        ),
    ],
)
def test_what_is_recognised_is_said_and_runs_when_it_is_copied(command, name, said, flags):
    lines = told(command, f"{name}.csv").splitlines()
    assert lines[0] == said
    commands = [line.strip() for line in lines if line.startswith("  capcurve ")]
    assert commands == [f"capcurve {command} {name}.csv {each}" for each in flags]
    for each in commands:
        done(*shlex.split(each)[1:])


def test_what_is_typed_stays_and_its_labels_and_gaps_are_minded():
    asked = ("uplift", "trial.csv", "-t", "bought", "--treatment", "group")
    commands = [line for line in told(*asked).splitlines() if line.startswith("  capcurve ")]
    assert commands == [
        (
            f"  capcurve {shlex.join(asked)} --score uplift_score --treated-label treatment "
            "--pos-label yes"
        )
    ]
    done(*shlex.split(commands[0])[1:])
    asked = ("summary", "churn.csv", "-s", "tenure")
    assert f"{shlex.join(asked)} --target churn --missing drop --pos-label Yes\n" in told(*asked)
    asked = (*asked, "--missing", "drop", "--pos-label", "No")
    assert f"{shlex.join(asked)} --target churn\n" in told(*asked)


def test_nothing_is_made_of_a_loan_an_age_and_a_row_number():
    said = call("summary", "credit.csv").stderr
    assert "No column looks like a target or a score; name them.\n" in said
    assert said.endswith("Columns of numbers: -s credit_amount -s age\n")
    assert "capcurve summary" not in said


def test_times_until_an_event_lead_to_a_horizon():
    assert told("summary", "lung.csv").endswith(
        "Columns of numbers: -s karno\nIf time is how long each row was followed, take it into "
        "account with --time time --event status --horizon TIME in place of --target\n"
    )
    assert "--time" not in told("uplift", "lung.csv", "--treatment", "status")
    assert "--time" not in told("implied", "lung.csv")


def test_what_only_times_speak_of_is_no_target():
    said = call("summary", "relapse.csv").stderr
    assert "Likely" not in said
    assert said.endswith(
        "If durat is how long each row was followed, take it into account with --time durat "
        "--event cens --horizon TIME in place of --target\n"
    )
    assert "class has more than two values; for a target keep two" in told("summary", "classes.csv")
    assert call("summary", "waiting.csv").stderr.endswith(
        "No column looks like a target or a score; name them.\n\nColumns of numbers: -s durat\n"
        "If durat is how long each row was followed, take it into account with --time durat "
        "--event endstat --horizon TIME in place of --target\n"
    )


def test_an_amount_is_proposed_only_where_it_can_be_taken():
    assert "--amount claims" in told("gains", "claims.csv")
    assert "--amount" not in told("calibration", "claims.csv")
    assert "--amount" not in told("stability", "claims.csv", "claims.csv")


@pytest.mark.merge
def test_columns_that_most_rows_lack_are_the_last_to_judge():
    said = told("summary", "dated.csv")
    (command,) = (line for line in said.splitlines() if line.startswith("  capcurve "))
    assert command == "  capcurve summary dated.csv --target death --score sbp --missing drop"
    done(*shlex.split(command)[1:])
    assert said.endswith("Columns of numbers: -s sbp -s yrdth\n")


@pytest.mark.parametrize("asked", [["churn.csv"], ["c*n.csv"], ["churn.csv", "more.csv"], ["-"]])
def test_a_file_without_a_command_is_one_to_report_on(asked):
    data = pathlib.Path("churn.csv").read_text("utf-8")
    pathlib.Path("more.csv").write_text(data, "utf-8")
    alone, named = call(*asked, data=data), call("report", *asked, data=data)
    assert (alone.exit_code, alone.stderr) == (named.exit_code, named.stderr)
    assert f"capcurve report {shlex.join(asked)} --target churn " in alone.stderr


def test_a_file_with_columns_is_reported_on():
    done("scored.csv", "-t", "BAD", "-s", "P_BAD1", "-o", "scored.html")
    assert "<html" in pathlib.Path("scored.html").read_text("utf-8")


def test_a_file_called_like_a_command_is_read_by_its_path():
    data = pathlib.Path("churn.csv").read_text("utf-8")
    for name in ("summary", "reprot"):
        pathlib.Path(name).write_text(data, "utf-8")
    assert "The columns of" not in call("summary").stderr
    for path in ("./summary", "reprot"):
        assert f"The columns of {path}:" in call(path).stderr


def test_of_a_portfolio_without_a_target_amounts_are_offered_and_no_running_number():
    said = call("policies.csv").stderr
    assert said.endswith(
        "No column looks like a target or a score; name them.\n\n"
        "Columns of numbers: -s tariff\n"
        "To rank an amount in place of a target: --amount claims or --amount claim_cost, perhaps "
        "with --exposure exposure\n"
    )
