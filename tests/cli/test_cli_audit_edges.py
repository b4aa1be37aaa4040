"""`capcurve audit` on files that nobody hoped for, and what it writes of their text."""

import csv
import io
import json
from pathlib import Path

import pytest

from cli_calls import call, done, refused

PLAIN = "Decile,n,positives\n1,10,5\n2,10,2\n"
HOSTILE = "Decile,n,positives\n<script>alert(1)</script>,10,5\n=cmd|calc,10,2\n"
LOW, HIGH = -11 / 91, 71 / 91  # 100 of the 182 half pairs are open, straight lines have 121


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.csv").write_text(PLAIN)
    (tmp_path / "hostile.csv").write_text(HOSTILE)
    (tmp_path / "folder.csv").mkdir()


def given(content):
    Path("table.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    return "table.csv"


SAME = {
    "bom": "\ufeffn;positives\r\n10;5\r\n\r\n10;2\r\n".encode(),
    "utf-16": "n\tpositives\n10\t5\n10\t2\n".encode("utf-16"),
    "latin-1": "D\xe9cile;Cases;Bads\n1;10;5\n2;10;2\n".encode("latin-1"),
    "per cent": "Cases;Bad rate\n10;50,0%\n10;20,0%\n",
    "totals": "Decile,Cases,Bads\n1,10,5\n2,10,2\nTotal,20,7\n",
    "title and footer": "My table,,\n\nDecile,Cases,Bads\n1,10,5\n2,10,2\nSource: us,,\n",
    "unknown column": "n,positives,colour\n10,5,red\n10,2,blue\n",
    "empty bin": "n,positives\n10,5\n0,0\n10,2\n",
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_table_in_other_clothes(name):
    found = json.loads(done("audit", given(SAME[name]), "-f", "json").stdout)
    assert found["fits"]
    assert found["accuracy_ratio"]["low"] == pytest.approx(LOW)
    assert found["accuracy_ratio"]["high"] == pytest.approx(HIGH)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        (b"\x00\x01\x02" * 300, "is not text"),
        ("n,positives\n", "has headings and no rows"),
        ("foo,bar\n1,2\n", "has a heading that is known"),
        ("n,positives\n10,5,7\n10,1\n", "3 fields under 2 headings"),
        ("n,positives,positives\n10,5,5\n10,1,1\n", "two columns are called 'positives'"),
        ("n,positives\n10,five\n10,1\n", "'five' is not a number"),
        ("n,positives\n10,5\n10,-1\n", "is below 0"),
        ("n,positives\n0,0\n0,0\n", "no bin of the table has a case"),
        ("n,rate\n1000000000000,10.0%\n1000000000000,1.0%\n", "say how many there are"),
    ],
)
def test_unusable_files_are_refused_in_one_line(content, message):
    assert message in refused("audit", given(content))


@pytest.mark.parametrize("file", ["missing.csv", "folder.csv"])
def test_what_is_no_file_is_refused(file):
    assert file in refused("audit", file)


def test_names_of_bins_do_no_harm():
    done("audit", "hostile.csv", "-o", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    for kind in ("csv", "md", "table"):
        said = done("audit", "hostile.csv", "-f", kind).stdout
        rows = list(csv.reader(io.StringIO(said))) if kind == "csv" else []
        assert not any(cell.startswith("=") for row in rows for cell in row)
    json.loads(
        done("audit", "-", "-f", "json", data=HOSTILE).stdout,
        parse_constant=pytest.fail,
    )


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        (["ks=0.33"], 0),
        (["ks=33%"], 0),
        (["ks=0,33"], 0),
        (["ks=.33"], 0),
        (["ks=0.9"], 1),
        (["ar=0.78"], 0),
        (["ar=0.78", "ks=0.33"], 0),  # each is judged by itself
        (["captured@0.5=71%"], 0),
        (["captured@0.5=72%"], 1),
        (["ar=0.1", "ar=0.9"], 1),
    ],
)
def test_the_exit_code_tells_whether_claims_can_be_true(claims, code):
    words = [word for claim in claims for word in ("--claim", claim)]
    assert call("audit", "plain.csv", *words).exit_code == code


@pytest.mark.parametrize(
    "words",
    [
        ["--claim", "foo=1"],
        ["--claim", "captured@2=3"],
        ["--at", "2"],
        ["--positives", "99"],
        ["--order", "ascending", "--assume", "concave"],
        ["--decimals", "foo=2"],
        ["-o", "page.xyz"],
        ["-o", "nowhere/page.html"],
    ],
)
def test_wrong_use_is_refused_in_one_line(words):
    refused("audit", "plain.csv", *words)
