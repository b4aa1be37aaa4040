"""Results as LaTeX: braces and environments close, and nothing acts that is text."""

import re
from pathlib import Path

import pytest

import capcurve as cap
from capcurve.show.result import Result
from cli_calls import call

HOSTILE = r"50% & $x_1 #{\rm}^~<|> ≥"
COUNTS = cap.ScoreCounts.from_counts([3, 2, 1], [7, 4, 2], [1, 3, 9])


def check(text):
    """Raise AssertionError for what LaTeX would stop at."""
    depth, opened = 0, []
    for token in re.findall(r"\\begin\{(\w+)\}|\\end\{(\w+)\}|(\\.|[{}])", text, re.DOTALL):
        begun, ended, sign = token
        if begun:
            opened.append(begun)
        elif ended:
            assert opened.pop() == ended
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert (depth, opened) == (0, [])
    plain = re.sub(r"\\.", "", text)
    for part in re.findall(r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", text, re.DOTALL):
        sides, rows = part[0], part[1].split(r"\\")[:-1]
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == len(sides) - 1
    outside = re.sub(r"\\begin\{tabular\}.*?\\end\{tabular\}", "", text, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)[&%$#_~^]", re.sub(r"\\ensuremath\{[^}]*\}", "", outside))
    assert not re.search(r"[%$#^~<>|]", re.sub(r"ensuremath\{[^}]*\}", "", plain))


def test_a_result_is_written(tmp_path):
    for found in (
        cap.evaluate({HOSTILE: COUNTS}),
        cap.validate(COUNTS, subject={"model": HOSTILE}),
        cap.population_stability(COUNTS, cap.ScoreCounts.from_counts([3, 2, 1], [5] * 3, [9] * 3)),
    ):
        text = found.to_latex()
        check(text)
        assert r"\hline" in text
        assert found.save(tmp_path / "x.tex").read_text("utf-8") == text.rstrip("\n") + "\n"


def test_text_does_not_act():
    text = cap.validate(COUNTS, subject={"model": HOSTILE}).to_latex()
    assert r"50\% \& \$x\_1 \#\{\textbackslash{}rm\}" in text
    assert r"\ensuremath{\geq}" in text


def test_signs_that_latex_does_not_read_are_commands():
    signs = "∞→≥≤−≠≈±×·÷√∑∈↔αβχπρσΣΦΔ"
    name = "a" + "".join(f"{sign}b" for sign in signs)
    for found in (
        cap.evaluate({name: COUNTS, "other": COUNTS}),
        cap.validate(COUNTS, subject={"model": name}),
    ):
        text = found.to_latex()
        assert not {*signs} & {*text}
        assert re.search(r"a(\\ensuremath\{[^}]+\}b){24}", text)


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,s,t\n" + "1,3,2\n0,2,3\n1,2,1\n0,1,1\n" * 9)
    return [str(path), "-t", "y", "-s", "s"]


@pytest.mark.parametrize(
    "words",
    [["summary"], ["check", "--min-ar", "0.1"], ["gains"], ["validate"]],
    ids=lambda w: w[0],
)
def test_the_command_line_writes_it(words, rows):
    found = call(words[0], *rows, *words[1:], "-f", "tex")
    check(found.stdout)
    assert r"\begin{tabular}" in found.stdout


def test_two_scores_are_compared(rows):
    found = call("compare", *rows, "-s", "t", "-f", "tex")
    check(found.stdout)


def table_of_suffixes():
    """Return which result is saved as what, as a table in Markdown."""
    kinds = sorted(
        {
            kind.__name__: kind
            for kind in (getattr(cap, name) for name in cap.__all__)
            if isinstance(kind, type) and issubclass(kind, Result)
        }.items()
    )
    rows = [(name, kind._writers(object.__new__(kind))) for name, kind in kinds]
    suffixes = sorted({suffix for _, writers in rows for suffix in writers})
    lines = ["| result | " + " | ".join(suffixes) + " |", "|---" * (len(suffixes) + 1) + "|"]
    for name, writers in rows:
        marks = ["yes" if suffix in writers else "" for suffix in suffixes]
        lines.append(f"| `{name}` | " + " | ".join(marks) + " |")
    return "\n".join(lines)


def test_the_documentation_says_which_result_is_saved_as_what():
    index = Path(__file__).parents[2] / "docs" / "reference" / "index.md"
    assert table_of_suffixes() in index.read_text("utf-8")


@pytest.mark.parametrize("name", ["[0, 1)", "*x"])
def test_a_row_never_begins_with_what_looks_like_an_option(name):
    text = cap.evaluate({name: COUNTS, "other": COUNTS}).to_latex()
    assert f"{{{name[0]}}}{name[1:]} &" in text
    rows = [line for line in text.splitlines() if " & " in line]
    assert not [row for row in rows if row.startswith(name[0])]
