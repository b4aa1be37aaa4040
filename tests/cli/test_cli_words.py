"""What a command prints and writes speaks the command line, with the target's own noun."""

import re
import shlex
import zipfile

import pytest

from capcurve.cli.examples import EXAMPLES
from cli_calls import call, done, with_examples

LOANS = "y,pd,points,old\n" + "".join(
    f"{int(n % 7 == 0 or n > 420)},{n / 500},{700 - n},{(n * 13) % 97}\n" for n in range(500)
)
SPEAKS = [name for name in EXAMPLES if name not in ("counts", "sql", "schema", "example")]
# What stays: terms with a name of their own, what a command takes, and what it would print anyway.
KEPT = re.compile(
    r"(false|true) positives?|--(higher-is|errors|positives)\S* [\w.:=]+|[\w/]*positives?[=_]\S*|"
    r'"?(pos|neg)[- ]label"?',
    re.IGNORECASE,
)


def left_in(text):
    plain = re.sub(r"<script.*?</script>|<style.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL)
    words = re.finditer(r"(?<![\w-])positives?(?![\w-])", KEPT.sub("", plain), re.IGNORECASE)
    return [plain[max(each.start() - 60, 0) : each.end() + 20] for each in words]


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    return with_examples(tmp_path_factory.mktemp("words"))


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", SPEAKS)
def test_every_command_says_the_noun_on_the_screen_in_documents_and_on_pages(
    name, examples, monkeypatch
):
    monkeypatch.chdir(examples)
    for line in EXAMPLES[name]:
        words = shlex.split(line)[1:]
        if "--amount" in words:
            continue
        if "-o" in words:
            del words[words.index("-o") : words.index("-o") + 2]
        forms = call(name, "--help").stdout
        asked = [*words, "--positive-word", "defaults"]
        outputs = [] if name in ("plot", "report") else [[]]
        outputs += [["-o", f"x{end}"] for end in (".html", ".md") if end in forms]
        for output in outputs:
            result = call(*asked, *output)
            assert result.exit_code in (0, 1), result.stderr
            written = examples.joinpath(output[1]).read_text() if output else result.stdout
            assert not left_in(written + result.stderr)


def test_advice_on_one_of_several_scores_turns_that_one_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loans.csv").write_text(LOANS)
    asked = ("loans.csv", "-t", "y", "-s", "pd", "-s", "points", "-s", "old")
    told = done("report", *asked).stderr
    page = (tmp_path / "report.html").read_text()
    (advice,) = set(re.findall(r"pass (--higher-is \S+)", told))
    assert advice == "--higher-is points=negative"
    assert f"pass {advice} (" in page
    assert "higher_is" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    turned = done("summary", *asked, *advice.split(), "-f", "csv").stdout
    ratios = [float(line.split(",")[4]) for line in turned.splitlines()[1:]]
    assert ratios[0] == ratios[1] > 0.3  # pd as it was, points the other way round
    assert "looks reversed" not in done("summary", *asked, *advice.split()).stderr


@pytest.mark.parametrize("word", ["", "a/b/c", "x" * 60, "negatives"])
def test_what_is_no_noun_is_refused_before_a_file_is_read(word):
    result = call("summary", "none.csv", "-t", "y", "-s", "s", "--positive-word", word)
    assert result.exit_code == 2
    assert "must be a plural such as defaults" in result.stderr


def test_amounts_have_no_positives_to_name(examples, monkeypatch):
    monkeypatch.chdir(examples)
    claims = ("claims.csv", "--amount", "claims", "-s", "model_a")
    for name in ("summary", "report", "plot", "gains", "curve", "grades", "uplift"):
        result = call(name, *claims, "-o", "x.html", "--positive-word", "claims")
        assert result.exit_code == 2
        said = "--positive-word is for positives and negatives, not for --amount; leave it out"
        assert said in result.stderr
    done("counts", *claims, "-o", "saved.parquet")
    result = call("summary", "saved.parquet", "--counts", "--positive-word", "claims")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "capcurve: error: --positive-word is for positives, and amounts are called by their "
        "column; leave it out"
    )
    done("summary", "saved.parquet", "--counts")


def test_the_workbook_of_a_sheet_says_the_noun_and_keeps_the_names_of_tests(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loans.csv").write_text(LOANS)
    asked = ("loans.csv", "-t", "y", "-s", "pd", "--initial", "loans.csv", "--pd", "pd")
    done("validate", *asked, "--positive-word", "defaults", "-o", "sheet.xlsx")
    with zipfile.ZipFile("sheet.xlsx") as book:
        text = " ".join(book.read(each).decode() for each in book.namelist() if "xml" in each)
    assert "PSI of defaults" in text
    assert not left_in(text.replace("psi.positives", ""))
