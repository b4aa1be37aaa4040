"""`capcurve uplift`: the numbers of the library, on a screen and in files, or one line."""

import csv
import json
from pathlib import Path

import numpy as np
import openpyxl
import pytest

import capcurve as cap
from capcurve.results.trials import summarize_trial
from cli_calls import call, done, refused

RNG = np.random.default_rng(21)
N = 600
SCORE = RNG.normal(size=N).round(1)
ARM = RNG.random(N) < 0.5
BOUGHT = (RNG.random(N) < 0.2 + 0.2 * ARM * (SCORE > 0)).astype(int)
OLD = (SCORE + 2 * RNG.normal(size=N)).round(1)
SPENT = BOUGHT * RNG.integers(1, 60, N)
WORDS = ("trial.csv", "-s", "score", "--treatment", "mailed", "--treated-label", "mail")


@pytest.fixture(autouse=True)
def _rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Path("trial.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["bought", "spent", "mailed", "score", "flag", "old"])
        arms = np.where(ARM, "mail", "none")
        writer.writerows(zip(BOUGHT, SPENT, arms, SCORE, ARM.astype(int), OLD, strict=True))


@pytest.mark.merge
def test_it_says_what_the_library_finds():
    trial = cap.count_uplift(BOUGHT, ARM, SCORE)
    written = json.loads(done("uplift", *WORDS, "-t", "bought", "-f", "json").stdout)
    (found,) = written["scores"]
    assert (written["schema_version"], written["comparison"]) == (1, None)
    assert found["qini"]["estimate"] == cap.qini(trial)
    assert found["test"]["p_value"] == cap.qini_test(trial).p_value
    assert found["top"]["low"] == cap.confidence_interval(trial, "uplift", q=0.3).low
    assert found["balance"]["p_value"] == cap.balance_test(trial).p_value
    assert found["best"] is None
    shown = done("uplift", *WORDS, "-t", "bought").stdout
    top, everybody = 100 * cap.uplift(trial, 0.3), 100 * cap.uplift(trial)
    assert f"Treating the top 30% by score gains {top:.1f} extra positives per 100 treated" in shown
    assert f"against {everybody:.1f} for everybody" in shown
    plain = ("trial.csv", "-s", "score", "--treatment", "flag", "-t", "bought")
    assert done("uplift", *plain).stdout == shown


@pytest.mark.merge
def test_amounts_money_and_shares_are_taken():
    trial = cap.count_uplift_values(SPENT, ARM, SCORE)
    words = (*WORDS, "--amount", "spent", "--at", "0.5", "--value", "1", "--cost", "2")
    (found,) = json.loads(done("uplift", *words, "-f", "json").stdout)["scores"]
    assert found["q"] == 0.5
    assert found["top"]["estimate"] == pytest.approx(cap.uplift(trial, 0.5))
    assert found["best"]["estimate"] == cap.best_share(trial, value=1, cost=2).estimate
    shown = " ".join(done("uplift", *words).stdout.split())
    assert "Treating the top 50% by score gains " in shown
    assert "per treated customer [" in shown
    assert "Treating the top " in shown


@pytest.mark.merge
def test_it_is_saved_in_every_format():
    table = cap.uplift_table(cap.count_uplift(BOUGHT, ARM, SCORE))
    done("uplift", *WORDS, "-t", "bought", "-o", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert "Uplift by score" in page
    assert "Uplift curve" in page
    assert "TOC" in page
    done("uplift", *WORDS, "-t", "bought", "-o", "table.csv")
    with Path("table.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["uplift"]) for row in rows] == pytest.approx(table["uplift"].tolist())
    for name in ("picture.png", "table.xlsx", "text.md", "text.tex"):
        done("uplift", *WORDS, "-t", "bought", "-o", name)


@pytest.mark.merge
def test_several_scores_are_compared():
    joint = cap.count_joint_uplift(BOUGHT, ARM, {"score": SCORE, "old": OLD})
    words = (*WORDS, "-s", "old", "-t", "bought")
    found = json.loads(done("uplift", *words, "-f", "json").stdout)
    assert [each["name"] for each in found["scores"]] == ["score", "old"]
    of_old = found["scores"][1]
    assert of_old["qini"]["estimate"] == cap.qini(cap.count_uplift(BOUGHT, ARM, OLD))
    expected = cap.compare(joint, metric="qini")
    assert found["comparison"]["pairs"][0]["p_value"] == expected.p_value
    shown = done("uplift", *words).stdout
    assert " ".join(shown.split()).startswith("Uplift by score and old score ranks better than old")
    assert f"{expected.pairs[0].estimate:.3f} Qini" in shown
    rows = list(csv.DictReader(done("uplift", *words, "-f", "csv").stdout.splitlines()))
    assert [row["score"] for row in rows] == ["score", "old"]
    assert float(rows[1]["autoc"]) == cap.autoc(joint.margin("old"))
    done("uplift", *words, "-o", "both.xlsx")
    book = openpyxl.load_workbook("both.xlsx")
    assert book.sheetnames == ["Scores", "Differences", "Bins of score", "Bins of old"]
    table = cap.uplift_table(joint.margin("old"))
    assert [cell.value for cell in book["Bins of old"]["D"][1:11]] == table["n"].tolist()
    done("uplift", *words, "-o", "both.html")
    assert Path("both.html").read_text("utf-8").count("</svg>") >= 3


def test_treatment_that_follows_the_score_is_told():
    score = np.where(ARM, SCORE + 1, SCORE)
    found = summarize_trial(cap.count_uplift(BOUGHT, ARM, score))
    assert found.findings[0].code == "treatment_follows_score"
    assert found.findings[0].message.startswith("Treated cases rank higher than controls (AUC 0.7")
    few = summarize_trial(cap.count_uplift(BOUGHT[:60], ARM[:60], SCORE[:60]))
    assert "few_in_arm" in [finding.code for finding in few.findings]
    assert json.dumps(few.to_dict())
    with pytest.raises(ValueError, match="go together"):
        summarize_trial(cap.count_uplift(BOUGHT, ARM, SCORE), value=1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*WORDS, "-t", "bought", "--value", "3"), "--value needs --cost"),
        ((*WORDS, "-t", "bought", "--cost", "3"), "--cost needs --value"),
        ((*WORDS[:5], "-t", "bought"), "--treated-label mail or --treated-label none"),
        ((*WORDS[:6], "post", "-t", "bought"), "--treated-label post is not a label of 'mailed'"),
        ((*WORDS, "-t", "sold"), "no column 'sold'"),
        ((*WORDS, "-t", "bought", "--amount", "spent"), "name one of the two"),
        (
            ("trial.csv", "-s", "score", "-t", "flag", "--treatment", "flag"),
            "the treatment and the outcome are the same column, 'flag'; name two",
        ),
        (
            ("trial.csv", "-s", "score", "-s", "flag", "-t", "bought", "--treatment", "flag"),
            "the treatment and the score flag are the same column, 'flag'; name two",
        ),
        (
            (
                "trial.csv",
                "-s",
                "score",
                "-t",
                "flag",
                "--treatment",
                "flag",
                "--propensity",
                "0.5",
            ),
            "the treatment and the outcome are the same column, 'flag'; name two",
        ),
    ],
)
def test_what_does_not_go_is_told_in_one_line(words, said):
    assert said in refused("uplift", *words)


@pytest.mark.parametrize(
    ("words", "asked", "proposed"),
    [
        (
            (),
            "target, score and treatment columns",
            "--treatment mailed --target bought --score score --treated-label mail",
        ),
        (WORDS[1:], "target column", "--target bought"),
        (
            ("-t", "bought", "-s", "score"),
            "treatment column",
            "--treatment mailed --treated-label mail",
        ),
        (
            ("--amount", "spent"),
            "score and treatment columns",
            "--treatment mailed --score score --treated-label mail",
        ),
    ],
)
def test_columns_are_listed_where_one_is_not_named(words, asked, proposed):
    told = call("uplift", "trial.csv", *words)
    assert told.exit_code == 2
    said = told.stderr.replace("error: ", "", 1)  # it is one where some columns are named
    assert f"capcurve: name the {asked} with --" in said
    assert "The columns of trial.csv:" in told.stderr
    assert f"  capcurve uplift {' '.join(('trial.csv', *words))} {proposed}\n" in told.stderr
    done("uplift", "trial.csv", *words, *proposed.split())


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("asked", "suffix"),
    [
        (("-t", "bought"), "csv"),
        (("--amount", "spent", "--higher-is", "negative"), "json"),
        (("-t", "bought", "--resolution", "0.5"), "parquet"),
        (("-t", "bought", "--cluster", "old"), "parquet"),
    ],
)
def test_saved_counts_say_the_same(asked, suffix):
    done("counts", *WORDS, *asked, "-o", f"saved.{suffix}")
    read = json.loads(done("uplift", f"saved.{suffix}", "--counts", "-f", "json").stdout)
    direct = json.loads(done("uplift", *WORDS, *asked, "-f", "json").stdout)
    assert (read.pop("source"), direct.pop("source")) == (f"saved.{suffix}", "trial.csv")
    assert read == direct
    if suffix == "csv":
        done("counts", "saved.csv", "--counts", "--treatment", "treatment", "-o", "again.csv")
        assert Path("again.csv").read_bytes() == Path("saved.csv").read_bytes()


def test_counts_of_a_trial_add_up():
    head, *rows = Path("trial.csv").read_text().splitlines()
    for name, some in (("one", rows[:200]), ("two", rows[200:])):
        Path(f"{name}.csv").write_text("\n".join([head, *some, ""]))
        done("counts", f"{name}.csv", *WORDS[1:], "-t", "bought", "-o", f"{name}.parquet")
    found = done("uplift", "one.parquet", "two.parquet", "--counts", "-f", "json").stdout
    (score,) = json.loads(found)["scores"]
    assert score["qini"]["estimate"] == cap.qini(cap.count_uplift(BOUGHT, ARM, SCORE))


def test_rows_left_out_of_saved_counts_are_told():
    Path("gaps.csv").write_text("y,t,s\n1,1,3\n0,,2\n1,0,2\n0,1,\n")
    words = ("gaps.csv", "-t", "y", "-s", "s", "--treatment", "t", "-o", "gaps.parquet")
    assert "t is missing in 1 of 4 rows" in refused("counts", *words)
    said = "2 rows without a value were left out (s in 1, t in 1)"
    assert said in done("counts", *words, "--missing", "drop").stderr
    assert said in done("uplift", "gaps.parquet", "--counts").stderr


CHANCE = np.where(SCORE > 0, 0.7, 0.4)


def write_known(name="known.csv", **spoiled):
    columns = {"y": BOUGHT, "x": SPENT, "t": np.where(ARM, "mail", "none"), "s": SCORE}
    columns |= {"r": OLD, "e": CHANCE, "word": np.where(BOUGHT, "yes", "no"), **spoiled}
    rows = zip(*columns.values(), strict=True)
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])


KNOWN = ("known.csv", "--treatment", "t", "--treated-label", "mail", "-s", "s")


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("words", "outcome", "chance"),
    [
        (("-t", "y", "--propensity", "e"), BOUGHT, CHANCE),
        (("-t", "word", "--pos-label", "yes", "--propensity", "e"), BOUGHT, CHANCE),
        (("--amount", "x", "--propensity", "0.45"), SPENT, 0.45),
    ],
)
def test_known_propensities_are_taken(words, outcome, chance):
    write_known()
    counts = cap.count_values(cap.effect_scores(outcome, ARM, chance), SCORE)
    asked = (*KNOWN, *words, "--value", "3", "--cost", "0.2")
    (found,) = json.loads(done("uplift", *asked, "-f", "json").stdout)["scores"]
    expected = cap.confidence_interval(counts, "uplift", q=0.3)
    assert [found["top"][name] for name in ("low", "estimate", "high")] == [
        expected.low,
        expected.estimate,
        expected.high,
    ]
    assert found["qini"]["low"] == cap.confidence_interval(counts, "qini").low
    assert found["test"]["p_value"] == cap.qini_test(counts).p_value
    assert found["best"]["estimate"] == cap.best_share(counts, value=3, cost=0.2).estimate
    assert (found["treated"], found["control"]) == (ARM.sum(), N - ARM.sum())
    assert (found["balance"], found["yes_no"]) == (None, "x" not in words)
    column = found["table"]["columns"]["cum_uplift"]
    assert column == pytest.approx([cap.uplift(counts, k / 10) for k in range(1, 11)])
    shown = done("uplift", *asked).stdout
    assert "control customers of known propensities." in shown
    assert "balance" not in shown


@pytest.mark.merge
def test_scores_are_compared_where_propensities_are_known():
    write_known()
    effects = cap.effect_scores(BOUGHT, ARM, CHANCE)
    joint = cap.count_joint_values(effects, {"s": SCORE, "r": OLD})
    words = (*KNOWN, "-s", "r", "-t", "y", "--propensity", "e")
    found = json.loads(done("uplift", *words, "-f", "json").stdout)
    assert found["comparison"]["pairs"][0]["p_value"] == cap.compare(joint, metric="qini").p_value
    for name in ("known.html", "known.xlsx", "known.png", "known.md"):
        done("uplift", *words, "-o", name)
    assert openpyxl.load_workbook("known.xlsx").sheetnames[:2] == ["Scores", "Differences"]


@pytest.mark.merge
def test_extreme_propensities_are_told_and_impossible_ones_refused():
    words = (*KNOWN, "-t", "y", "--propensity")
    write_known(e=np.where(np.arange(N) == 4, 0.995, CHANCE))
    said = "propensity is below 0.01 or above 0.99 in 1 of 600 rows, first in line 6"
    assert said in done("uplift", *words, "e").stderr
    one_arm = "a case that can only be in one arm does not show the effect; leave such rows out"
    percentage = "it must be between 0 and 1; divide percentages by 100"
    for wrong, said in ((0.0, one_arm), (1.0, one_arm), (-0.5, percentage), (50.0, percentage)):
        write_known(e=np.where(np.arange(N) == 4, wrong, CHANCE))
        assert refused("uplift", *words, "e") == (
            f"propensity is {wrong:g} in 1 of 600 rows, first in line 6; {said}"
        )
    assert "propensity is 1 in 600 of 600 rows" in refused("uplift", *words, "1")
    assert "known.csv has no column 'f'" in refused("uplift", *words, "f")
    assert "propensity holds text such as" in refused("uplift", *words, "word")
    for name, called in {"y": "outcome", "t": "treatment", "s": "s", "e": "propensity"}.items():
        column = {"y": BOUGHT, "t": np.where(ARM, "mail", "none"), "s": SCORE, "e": CHANCE}[name]
        write_known(**{name: ["" if row == 4 else each for row, each in enumerate(column)]})
        said = f"{called} is missing in 1 of 600 rows, first in line 6; leave "
        assert refused("uplift", *words, "e").startswith(said)


CLASSES = "treatment,score,positives,negatives\n"


@pytest.mark.parametrize(
    ("table", "words", "said"),
    [
        (
            CLASSES + "mail,2,9,3\nnone,1,3,4\n",
            (),
            (
                "treatment holds 'mail' (12), 'none' (7); say which one was treated with "
                "--treated-label mail or --treated-label none"
            ),
        ),
        (
            CLASSES + "mail,2,9,3\nnone,1,3,4\n",
            ("--treated-label", "post"),
            (
                "--treated-label post is not a label of 'treatment', which holds 'mail' (12), "
                "'none' (7)"
            ),
        ),
        (
            "score,positives,negatives\n2,9,3\n1,3,4\n",
            (),
            (
                "counts.csv does not say which cases were treated; count the rows again with "
                "capcurve counts --treatment, or name the column of a table with --treatment"
            ),
        ),
        (
            CLASSES + "1,2,9,3\n1,1,3,4\n",
            (),
            "no control cases: the effect is undefined",
        ),
        (
            CLASSES + "1,2,9,3\n,1,3,4\n0,1,3,4\n",
            (),
            "treatment is missing in some rows of the table; leave them out of it",
        ),
        (
            CLASSES + "1,2,9,3\n2,1,3,4\n0,1,3,4\n",
            (),
            (
                "treatment must have two values, 0/1, -1/1 or True/False, but holds 0 (7), 1 (12), "
                "2 (7); keep two, or name them with --treated-label and --control-label"
            ),
        ),
        (
            CLASSES + "1,2,9,3\n0,1,3,4\n",
            ("--treatment", "mailed"),
            (
                "counts.csv has no column 'mailed'; its columns are 'treatment', 'score', "
                "'positives', 'negatives'"
            ),
        ),
    ],
)
def test_a_table_that_holds_no_trial_is_told_in_one_line(table, words, said):
    Path("counts.csv").write_text(table)
    assert refused("uplift", "counts.csv", "--counts", *words) == said
