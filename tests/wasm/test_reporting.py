"""What the page in the browser makes of a file is what the command makes of it here."""

import json
import re
import subprocess
import sys

import pytest
from webassembly import ROOT, run

pytestmark = [
    pytest.mark.needs("WebAssembly", "node"),
    pytest.mark.merge,
    pytest.mark.timeout(900),
]

FEW = [(y, s) for s in range(40) for y in (0, s % 3 == 0 or s > 30)]
WHOLE = "bad,points\n" + "".join(f"{y:d},{s}\n" for y, s in FEW)
SHARES = "bad,pd\r\n" + "".join(f'{y:d},"{s / 41:.4f}"\r\n' for y, s in FEW)
WORDS = "end,grade\n" + "".join(f"{('paid', 'lost')[y]},{'ABCDE'[s // 8]}\n" for y, s in FEW)
GAPS = "bad,points\n" + "".join(f"{y:d},{s if s % 9 else 'NA'}\n" for y, s in FEW)
# Name, what is in the file, outcome and score, and what else is said, in words of the command.
FILES = [
    ("whole.csv", WHOLE, "bad", "points"),
    ("semicolons.csv", WHOLE.replace(",", ";"), "bad", "points"),
    ("tabs.tsv", WHOLE.replace(",", "\t"), "bad", "points"),
    ("marked.csv", "\ufeff" + WHOLE, "bad", "points"),
    ("quoted.csv", SHARES, "bad", "pd"),
    ("blank lines.csv", WHOLE.replace("\n", "\n\n"), "bad", "points"),
    ("<img src=x onerror=alert(1)>.csv", WHOLE, "bad", "points"),
    ("words.csv", WORDS, "end", "grade"),
    ("words.csv", WORDS, "end", "grade", "--pos-label", "lost"),
    ("words.csv", WORDS, "end", "grade", "--pos-label", "lost", "--levels", "E,D,C,B,A"),
    ("gaps.csv", GAPS, "bad", "points"),
    ("gaps.csv", GAPS, "bad", "points", "--missing", "drop"),
    ("names.csv", WHOLE, "bad", "point"),
    ("ragged.csv", WHOLE + "1,2,3\n", "bad", "points"),
    ("open.csv", WHOLE + '1,"2\n', "bad", "points"),
    ("latin.csv", "bad,größe\n".encode("latin-1") + WHOLE[11:].encode(), "bad", "größe"),
    ("beyond.csv", WHOLE + "1,99999999999999999999\n", "bad", "points"),
    ("empty.csv", "", "bad", "points"),
    ("noise.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 30, "bad", "points"),
]
CALLS = """
prepared()
for name, data, target, score, *more in json.loads(sys.argv[1]):
    Path(name).write_bytes(data.encode("latin-1"))
    found = json.loads(asked("report", json.dumps([name, target, [score], more])))
    if "path" in found:
        found = {"page": Path(found["path"]).read_text(encoding="utf-8")}
    print(json.dumps(found))
"""


def told(page):
    """Return what a report says of its counts, and in its tiles."""
    return re.search(r"digest ([0-9a-f]+)", page)[1], re.findall("<dt>.*?</dd>", page)


def by_command(folder, name, target, score, *more):
    words = ["report", "-t", target, "-s", score, *more, "-o", "native.html", "--", name]
    command = [sys.executable, "-m", "capcurve", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": done.stderr.removeprefix("capcurve: error: ").strip()}
    return {"page": (folder / "native.html").read_text("utf-8")}


def without_command(said):
    """Leave out the whole commands that an error suggests: they repeat what was typed."""
    return re.sub(r"capcurve report .*?(?=,|;|$)", "", said)


def test_files_give_the_report_or_the_line_of_the_command(tmp_path):
    files = [(name, d if isinstance(d, bytes) else d.encode(), *more) for name, d, *more in FILES]
    script = tmp_path / "reporting.py"
    source = (ROOT / "extras" / "try" / "reporting.py").read_text(encoding="utf-8")
    script.write_text(source + CALLS, encoding="utf-8")
    given = json.dumps([(name, data.decode("latin-1"), *more) for name, data, *more in files])
    lines = run(script, given).splitlines()
    for (name, data, *asked), line in zip(files, lines, strict=True):
        (tmp_path / name).write_bytes(data)
        found, native = json.loads(line), by_command(tmp_path, name, *asked)
        if "page" in native:
            assert told(found["page"]) == told(native["page"]), (name, *asked)
        else:
            assert without_command(found["error"]) == without_command(native["error"]), name
