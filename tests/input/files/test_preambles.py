"""What stands before, between and around the rows of csv files is passed over, or asked about."""

from __future__ import annotations

import gzip

import pytest
from files_reading import fails, listed, read

import capcurve as cap
from capcurve import write_counts
from capcurve.cli.proposing import list_columns
from capcurve.input.files import Files, read_cells
from cli_calls import call, refused

SUMMARY = ("-t", "y", "-s", "s")


@pytest.mark.turns(3)
@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_line_of_excel_says_what_separates(write, line, end):
    rows = [line, "y;s,t;n", "1;0,9;a", "0;0,1;b", "1;1.234,5;c"]
    path = write("a.csv", end.join(rows) + end)
    assert listed(read(path, "s,t")) == [0.9, 0.1, 1234.5]
    assert [column.name for column in list_columns(Files.of(path))] == ["y", "s,t", "n"]
    marked = write("b.csv", (end.join(rows) + end).encode("utf-16"))
    assert listed(read([path, marked], "n")) == ["a", "b", "c"] * 2
    packed = write("c.csv.gz", gzip.compress(("\ufeff" + end.join(rows)).encode()))
    assert listed(read(packed, "s,t")) == [0.9, 0.1, 1234.5]


def test_a_column_may_be_called_sep(write):
    assert listed(read(write("a.csv", "sep,y\n1,0\n2,1\n"), "sep")) == [1, 2]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("packed", [False, True])
def test_titles_are_passed_over(write, encoding, packed):
    text = 'Größe "3\nmade, by, us; all\n\ny,s,n\n1,0.5,"a\n# b"\n0,0.25,c\n'.encode(encoding)
    path = write("a.csv.gz" if packed else "a.csv", gzip.compress(text) if packed else text)
    how = {"encoding": encoding.removesuffix("-sig")}
    s, n = read(path, "s", "n", skip_lines=2, **how)
    assert listed(s) == [0.5, 0.25]
    assert listed(n) == ["a\n# b", "c"]
    assert listed(read(path, "s", skip_lines=3, **how)) == [0.5, 0.25]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("sign", ["#", "//", "---"])
def test_comments_are_left_out_wherever_they_stand(write, encoding, sign):
    text = (
        f'{sign} größe "3\n{sign}x,y,z\ny,s,n\n{sign},{sign},{sign}\n1,0.5,"a\n{sign} b"\n{sign}\n'
        f"0,-1.25,#{sign}\n"
    )
    path = write("a.csv", text.encode(encoding))
    how = {"encoding": "utf-8" if encoding == "utf-8-sig" else encoding, "comment": sign}
    s, n = read(path, "s", "n", **how)
    assert listed(s) == [0.5, -1.25]
    assert listed(n) == [f"a\n{sign} b", f"#{sign}"]
    assert listed(read([path, write("b.csv", "y,n,s\n1,d,7\n".encode(encoding))], "s", **how)) == [
        0.5, -1.25, 7
    ]  # fmt: skip


def test_any_blanks_separate_fields(write):
    text = '  y   s  "a b"\n 1  0.9   "x  y"\n0\t0.1 z  \n\n1  -0.8 "one\n  two"\n'
    path = write("a.txt", text)
    y, s, name = read(path, "y", "s", "a b", delimiter=" ")
    assert listed(y) == [1, 0, 1]
    assert listed(s) == [0.9, 0.1, -0.8]
    assert listed(name) == ["x  y", "z", "one\n  two"]
    commented = write("b.txt", "title\n# c\n" + text.replace("0\t", "# 0 0\n0\t"))
    assert listed(read(commented, "s", delimiter=" ", comment="#", skip_lines=1)) == listed(s)


def test_damage_is_named_by_the_line_of_the_file(write):
    path = write("a.csv", "title\n# c\ny,s\n1,0.5\n# d\n1\n")
    fails(path, "y", match=r"a\.csv, line 6: 1 field", skip_lines=1, comment="#")
    path = write("b.csv", b"# c\ny,s\n1,0.5\n# d\n1,\xff\n" + b"1,2\n" * 3)
    fails(path, "s", match=r"not utf-8 \(byte 20, line 5\)", comment="#")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# made by x\n# on y\ny,s\n1,0.9\n0,0.1\n", "Files.of(path, comment='#')"),
        ("Report\nof May\n\ny,s\n1,0.9\n0,0.1\n", "Files.of(path, skip_lines=3)"),
        ("Report, May\ny;s;t\n1;0,9;1\n0;0,1;2\n", "Files.of(path, skip_lines=1)"),
        ("y  s\n1  0.9\n0  0.1\n", "Files.of(path, delimiter=' ')"),
        ("y,s\n---,---\n1,0.9\n", "Files.of(path, comment='---')"),
        ("y|s\n----|---\n1|0.9\n", "Files.of(path, comment='---')"),
    ],
)
def test_what_a_file_looks_like_is_asked_about(write, text, said):
    path = write("a.csv", text)
    assert fails(path, "y", match="column").endswith(said)
    if "\n-" not in text and "Report, May" not in text:
        with pytest.raises(ValueError, match=r"has one column, .*Files\.of"):
            list_columns(Files.of(path))


@pytest.mark.parametrize(("mark", "typed"), [(",", "','"), ("\t", r"'\\t'"), ("|", "'|'")])
def test_a_wrong_delimiter_is_told_by_the_one_that_fits(write, mark, typed):
    path = write("a.csv", f"y{mark}s\n1{mark}2\n0{mark}1\n")
    line = fails(path, "y", match="one column|no column", delimiter=";")
    assert line.endswith(f"separate its fields, pass Files.of(path, delimiter={typed})")


@pytest.mark.parametrize(
    "text", ["note,y\n--,1\n-,0\n", "y\n1\n0\n", "#y,s\n1,2\n", "y,s\n1,2\n3,4\n"]
)
def test_ordinary_files_are_not_asked_about(write, text):
    path = write("a.csv", text)
    assert [column.name for column in list_columns(Files.of(path))] == text.split("\n")[0].split(
        ","
    )


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"skip_lines": -1}, "skip_lines must be"),
        ({"skip_lines": 1.5}, "skip_lines must be"),
        ({"comment": ""}, "comment is ''"),
        ({"comment": '"'}, "comment is '\"'"),
    ],
)
def test_options_that_make_no_sense(option, said):
    with pytest.raises(ValueError, match=said):
        Files.of("a.csv", **option)


def test_what_is_said_of_csv_is_refused_for_other_files(stored):
    path = stored("a.parquet", "SELECT 1 AS y")
    fails(path, "y", match="skip_lines= says how csv is written, and .* is parquet", skip_lines=1)
    fails(path, "y", match="comment= says how csv is written, and .* is parquet", comment="#")


def test_saved_counts_and_parts_within_a_memory_limit_take_the_same_options(tmp_path):
    counts = cap.count_scores([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.3])
    write_counts(counts, tmp_path / "counts.csv")
    kept = (tmp_path / "counts.csv").read_text()
    (tmp_path / "counts.csv").write_text("title\n# c\n" + kept)
    assert read_cells(Files.of(tmp_path / "counts.csv", skip_lines=1, comment="#")) == counts
    rows = "title\ny,s\n# c\n1,0.9\n0,0.1\n1,0.8\n# d\n0,0.3\n"
    (tmp_path / "rows.csv").write_text(rows)
    files = Files.of(tmp_path / "rows.csv", skip_lines=1, comment="#")
    assert cap.count_scores("y", "s", data=files, memory_limit="300MB") == cap.count_scores(
        [1, 0, 1, 0], [0.9, 0.1, 0.8, 0.3]
    )


def test_the_command_line_names_and_takes_the_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "# made by x\n# on y\ny,s\n1,0.9\n0,0.1\n# late\n1,none\n0,0.3\n"
    (tmp_path / "rows.csv").write_text(text)
    said = refused("summary", "rows.csv", *SUMMARY)
    assert said.rstrip().endswith("if lines with # are comments, pass --comment '#'")
    said = refused("summary", "rows.csv", *SUMMARY, "--comment", "#")
    assert "s holds 'none' in line 7, which is no number" in said
    said = refused("summary", "rows.csv", *SUMMARY, "--skip-lines", "2", "--comment", "#")
    assert "s holds 'none' in line 7, which is no number" in said
    how = ("--comment", "#", "--na", "none", "--missing", "drop")
    for command in ("summary", "gains", "curve"):
        assert call(command, "rows.csv", *SUMMARY, *how).exit_code == 0
    piped = call("summary", "-", *SUMMARY, *how, data=text)
    assert piped.exit_code == 0
    (tmp_path / "blanks.txt").write_text("y  s\n1  0.9\n0  0.1\n1  0.8\n0  0.3\n")
    assert "pass --delimiter ' '" in refused("summary", "blanks.txt", *SUMMARY)
    assert call("summary", "blanks.txt", *SUMMARY, "--delimiter", " ").exit_code == 0


def test_labels_that_differ_in_blanks_are_shown_and_explained(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("y,s\nYes,9\nNo,1\nYes ,8\nNo,3\n")
    for words in ((), ("--pos-label", "Yes")):
        said = refused("summary", "rows.csv", *SUMMARY, *words)
        assert "'Yes' and 'Yes ' differ in blanks alone: take these out" in said
