"""`capcurve audit`: what a table allows, in any format, and exit codes that a build can use."""

import csv
import io
import json

import pytest

import capcurve as cap
from cli_calls import call, done, on_terminal, process, refused

N = (954, 989, 1165, 643, 1207, 793, 1178, 980, 1062, 886)
CAPTURED = ("28.0%", "47.6%", "65.4%", "72.7%", "82.4%", "87.8%", "94.0%", "96.7%", "99.2%", "100%")


def written(captured):
    rows = zip(range(1, 11), N, captured, strict=True)
    return "Decile;Cases;Cum % bads\n" + "".join(f"{d};{n};{c}\n" for d, n, c in rows)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deciles.csv").write_text(written(CAPTURED))
    wrong = [*CAPTURED[:3], "73.7%", *CAPTURED[4:]]
    rates = ("15.2", "10.2", "7.9", "5.9", "4.1", "3.5", "2.7", "1.4", "1.2", "0.5")
    lines = written(wrong).splitlines()
    text = [f"{lines[0]};Bad rate", *(f"{a};{b}%" for a, b in zip(lines[1:], rates, strict=True))]
    (tmp_path / "wrong.csv").write_text("\n".join(text))


def asked(*words, **options):
    return done("audit", "deciles.csv", "--positives", "517", *words, **options)


def test_people_read_the_answer_and_a_table_of_ranges():
    said = asked().stdout
    assert "allows an accuracy ratio between 0.377 and 0.574" in said
    assert "linear interpolation 0.476" in said
    assert "accuracy ratio" in said
    assert "The bins" in said


def test_json_has_every_range_and_the_depths_asked_for():
    found = json.loads(asked("--at", "0.05", "--at", "0.3", "-f", "json").stdout)
    audit = cap.audit_table("deciles.csv", positives=517)
    assert found["schema_version"] == 1
    assert found["fits"] is True
    assert [depth["q"] for depth in found["at"]] == [0.05, 0.3]
    assert found["at"][0]["lift"] == audit.lift(0.05).to_dict()
    assert {**found, "at": None} == {**json.loads(json.dumps(audit.to_dict())), "at": None}
    assert "at" not in json.loads(asked("-f", "json").stdout)


def test_csv_has_the_ranges_and_markdown_all_tables():
    rows = list(csv.DictReader(io.StringIO(asked("--at", "0.05", "-f", "csv").stdout)))
    assert rows[0]["number"] == "accuracy ratio"
    audit = cap.audit_table("deciles.csv", positives=517)
    assert float(rows[0]["lowest"]) == audit.accuracy_ratio.low
    assert "lift at 5%" in [row["number"] for row in rows]
    assert "## The bins" in asked("-f", "md").stdout


@pytest.mark.parametrize(("claim", "code"), [
    ("ks=0.37", 0), ("ks=0.30", 1), ("ar=47.6%", 0), ("gini=0.70", 1), ("auc=0.74", 0),
    ("captured@0.05=0.20", 0), ("captured@0.05=0.40", 1),
])  # fmt: skip
def test_a_claim_is_possible_or_not(claim, code):
    result = call("audit", "deciles.csv", "--positives", "517", "--claim", claim)
    assert result.exit_code == code
    verdict = "impossible (the table" if code else "(the table allows "
    assert verdict in result.stdout


def test_one_impossible_claim_of_several_is_enough():
    words = ("audit", "deciles.csv", "--positives", "517", "--claim", "ks=0.37")
    assert call(*words, "--claim", "ks=0.371").exit_code == 0
    assert call(*words, "--claim", "ar=0.9").exit_code == 1


def test_a_contradiction_is_printed_and_exits_with_1():
    result = call("audit", "wrong.csv", "--positives", "517")
    assert result.exit_code == 1
    assert "73.7%" in result.stdout
    assert "72.7%" in result.stdout
    found = json.loads(call("audit", "wrong.csv", "--positives", "517", "-f", "json").stdout)
    assert found["fits"] is False
    assert call("audit", "wrong.csv", "--positives", "517", "-f", "csv").stdout.startswith(
        "column,"
    )


@pytest.mark.merge
def test_files_of_all_kinds_are_written(tmp_path):
    asked("-o", "audit.html")
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "<script" not in page
    assert "0.377" in page
    for name in ("audit.md", "audit.json", "audit.csv", "audit.txt"):
        asked("-o", name)
        assert (tmp_path / name).stat().st_size > 100
    asked("-o", "audit.png")
    assert (tmp_path / "audit.png").read_bytes().startswith(b"\x89PNG")
    result = call("audit", "wrong.csv", "--positives", "517", "-o", "wrong.png")
    assert result.exit_code == 1
    assert "there is nothing to draw" in result.stderr
    assert not (tmp_path / "wrong.png").exists()


def test_options_reach_the_audit():
    def ratio(*words):
        return json.loads(asked("-f", "json", *words).stdout)["accuracy_ratio"]

    plain = ratio()
    assert ratio("--assume", "concave")["high"] == pytest.approx(0.4909, abs=5e-5)
    assert ratio("--assume", "random")["low"] == plain["table"]
    assert ratio("--rounding", "any")["low"] <= plain["low"]
    assert ratio("--decimals", "1") == plain
    assert ratio("--decimals", "Cum % bads=1", "--cases", "9857") == plain


def test_standard_input_is_read():
    result = done("audit", "-", "--positives", "517", data=written(CAPTURED))
    assert result.stdout.startswith("Audit of standard input")
    assert "0.377 and 0.574" in result.stdout
    assert "<stdin>" not in result.stdout


@pytest.mark.merge
def test_real_standard_input_is_read():
    real = process("audit", "-", "--positives", "517", input=written(CAPTURED).encode())
    assert real.returncode == 0
    assert b"0.377 and 0.574" in real.stdout
    assert b"<stdin>" not in real.stdout


def test_an_ascending_table_is_turned():
    turned = written(CAPTURED).splitlines()
    shares = {line.split(";")[0]: line for line in turned[1:]}
    text = "\n".join([turned[0], *(shares[str(d)] for d in range(10, 0, -1))])
    result = done("audit", "-", "--positives", "517", "--order", "ascending", data=text)
    assert "between 0.377 and 0.574" in result.stdout


@pytest.mark.merge
def test_a_prevalence_makes_do_without_cases():
    text = "selected,captured\n" + "".join(
        f"{s},{c}\n" for s, c in (("10%", "28%"), ("50%", "82%"), ("100%", "100%"))
    )
    assert "accuracy ratio" in done("audit", "-", "--prevalence", "5.2%", data=text).stdout


SHARES = "Bin;Cases;% bads\na;100;60%\nb;300;40%\n"


def test_a_heading_that_is_not_known_is_named_on_the_command_line():
    """60% and 40% of 100 and 300 cases are 180 positives, of 5 positives 3 and 2."""
    assert refused("audit", "-", data=SHARES).endswith("as --column '% bads=share_of_positives'")
    for name, positives, found in (("rate", "180", [60, 120]), ("share_of_positives", "5", [3, 2])):
        words = ("--column", f"% bads={name}", "--positives", positives, "-f", "json")
        json_ = json.loads(done("audit", "-", *words, data=SHARES).stdout)
        assert json_["least"]["columns"]["positives"] == found
    both = ("--column", "x=n", "--column", "a=b=positives")
    assert "accuracy ratio" in done("audit", "-", *both, data="x,a=b\n3,2\n3,1\n").stdout


@pytest.mark.parametrize("said", ["Bads", "=rate", "Cases="])
def test_a_column_is_named_with_its_heading_and_its_name(said):
    assert refused("audit", "-", "--column", said, data=SHARES) == (
        f"--column must be HEADING=NAME, such as 'Bad %=rate'; got {said!r}"
    )


@pytest.mark.parametrize(("words", "part"), [
    (["--claim", "xx=0.3"], "xx"),
    (["--column", "Bads=rate"], "--column names 'Bads', which is no column; there are 'Decile'"),
    (["--column", "Cases=size"], "the name of column 'Cases' must be one of"),
    (["--decimals", "lift=1"], "decimals names 'lift', which is no column"),
    (["--at", "2"], "--at"),
    (["--prevalence", "lots"], "--prevalence must be a share of positives"),
    (["--cases", "500"], "517 positives among 500 cases"),
    (["--format", "xlsx"], "xlsx"),
    (["-o", "deciles.csv"], "is also an input"),
])  # fmt: skip
def test_mistakes_are_answered_in_one_line(words, part):
    assert part in refused("audit", "deciles.csv", "--positives", "517", *words)


def test_files_that_cannot_be_read_are_answered_in_one_line(tmp_path):
    assert refused("audit", "nothing.csv") == "nothing.csv: no such file"
    (tmp_path / "loans.csv").write_text("a,b\n1,2\n")
    assert "no line of loans.csv has a heading that is known" in refused("audit", "loans.csv")


def test_it_fits_a_narrow_terminal():
    shown, _ = on_terminal("audit", "deciles.csv", "--positives", "517", columns=60)
    lines = shown.decode().splitlines()
    assert "0.377 and 0.574" in " ".join(shown.decode().split())
    assert max(map(len, lines)) < 140
