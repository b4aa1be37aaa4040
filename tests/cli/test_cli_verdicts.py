"""What every command says of its verdict beside a file, and asks of every score that it ranks."""

import re
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap
from cli_calls import call

OF_PAIR = ("-t", "y", "-s", "s")
TRIAL = ("uplift", "trial.csv", "-t", "y", "--treatment", "arm")


def rows(n, seed, apart=1.2):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    s = np.round(rng.normal(size=n) + apart * y, 1)
    return {
        "y": y,
        "s": s,
        "low": -s,
        "pd": np.round(0.5 / (1 + np.exp(-s + 1)), 2),
        "grade": np.clip(np.round(s), -1, 2).astype(int),
        "month": rng.choice(["2025-01", "2025-02", "2025-03"], n),
    }


def write(path, columns):
    table = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in table)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verdicts")
    now, initial = rows(900, 1), rows(900, 2)
    write(folder / "now.csv", now)
    write(folder / "initial.csv", initial)
    write(folder / "reversed.csv", {**initial, "s": initial["low"]})
    write(folder / "fallen.csv", rows(900, 3, apart=0.0))
    write(folder / "young.csv", {**now, "y": np.where(np.arange(900) % 9, now["y"], "")})
    rng = np.random.default_rng(4)
    arm, pull = rng.integers(0, 2, 4000), np.round(rng.normal(size=4000), 1)
    bought = rng.random(4000) < 0.1 + 0.3 * arm * (pull > 0.5)
    write(folder / "trial.csv", {"y": bought.astype(int), "arm": arm, "pull": pull, "away": -pull})
    (folder / "table.csv").write_text("cases,positives\n100,30\n100,20\n100,10\n")
    (folder / "limits.toml").write_text("[accuracy_ratio]\ngreen = 0.2\nred = 0.1\n")
    return folder


@pytest.fixture(autouse=True)
def _in_the_folder(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for each in folder.iterdir():
        (tmp_path / each.name).symlink_to(each)


# What a second score, or a second sample, is asked; a wrong direction there looks like a triumph.
BESIDE = {
    "the challenger of a sheet": ("validate", "now.csv", *OF_PAIR, "--challenger", "low"),
    "the grade after overrides": ("validate", "now.csv", *OF_PAIR, "--final-grade", "low"),
    "the PDs of a sheet": ("validate", "now.csv", "-t", "y", "-s", "s", "--pd", "odd_pd"),
    "the initial sample of a sheet": (
        *("validate", "now.csv", *OF_PAIR),
        *("--initial", "reversed.csv"),
    ),
    "that of its control chart": (
        *("validate", "now.csv", *OF_PAIR),
        *("--initial", "reversed.csv", "--period", "month"),
    ),
    "the baseline of a check": (
        *("check", "now.csv", *OF_PAIR, "--baseline", "reversed.csv"),
        *("--max-drop", "0.1"),
    ),
    "that of periods": (
        *("check", "now.csv", *OF_PAIR, "--baseline", "reversed.csv"),
        *("--periods", "month"),
    ),
    "the initial sample of a report": (
        *("report", "now.csv", *OF_PAIR, "--by", "month", "--initial", "reversed.csv"),
        *("-o", "page.html"),
    ),
    "one of two": ("compare", "now.csv", *OF_PAIR, "-s", "low"),
    "one of two summaries": ("summary", "now.csv", *OF_PAIR, "-s", "low"),
    "one of two with unknown outcomes": ("bounds", "young.csv", *OF_PAIR, "-s", "low"),
    "one of two of a trial": (*TRIAL, "-s", "pull", "-s", "away"),
    "the earlier of two samples": ("change", "reversed.csv", "now.csv", *OF_PAIR),
}


@pytest.mark.turns(2)
@pytest.mark.parametrize("words", BESIDE.values(), ids=BESIDE)
def test_no_second_score_or_sample_is_ranked_unasked(words):
    columns = rows(900, 1)
    if "odd_pd" in words:
        words = [word.replace("now.csv", "odd.csv") for word in words]
        write(Path("odd.csv"), {**columns, "odd_pd": np.round(0.6 - columns["pd"], 2)})
    told = [line for line in call(*words).stderr.splitlines() if "looks reversed" in line]
    assert len(told) == 1
    straight = [
        {"low": "s", "away": "pull", "odd_pd": "pd"}.get(word, word).replace(
            "reversed.csv", "initial.csv"
        )
        for word in words
    ]
    if len(set(straight)) == len(set(words)):  # else it would be one score twice
        assert "looks reversed" not in call(*straight).stderr


@pytest.mark.parametrize("flag", ["", "low=negative"])
def test_the_advice_about_a_challenger_turns_that_one_alone(flag):
    words = ("validate", "now.csv", *OF_PAIR, "--challenger", "low")
    said = call(*words, *(["--higher-is", flag] if flag else []))
    assert ("pass --higher-is low=negative" in said.stderr) is not bool(flag)
    data = rows(900, 1)
    joint = cap.count_joint("y", ["s", "low"], data=data)
    sheet = cap.validate(cap.count_scores("y", "s", data=data), joint=joint)
    (found,) = (each for each in sheet.findings if each.code == "reversed")
    assert found.severity == "warning"
    assert 'pass higher_is={"low": "negative"}' in found.advice


# A log shows why a step failed, although the result went to a file.
HEADLINES = {
    "check": ("check", "now.csv", *OF_PAIR, "--min-ar", "0.9"),
    "validate": ("validate", "now.csv", *OF_PAIR, "--limits", "limits.toml"),
    "summary": ("summary", "now.csv", *OF_PAIR),
    "compare": ("compare", "now.csv", *OF_PAIR, "-s", "pd"),
    "calibration": ("calibration", "now.csv", "-t", "y", "-s", "pd"),
    "implied": ("implied", "now.csv", "-t", "y", "-s", "pd"),
    "grades": ("grades", "now.csv", *OF_PAIR),
    "change": ("change", "initial.csv", "now.csv", *OF_PAIR),
    "stability": ("stability", "initial.csv", "now.csv", "-s", "s"),
    "bounds": ("bounds", "young.csv", *OF_PAIR),
    "audit": ("audit", "table.csv"),
    "uplift": (*TRIAL, "-s", "pull"),
    "generalised-auc": (
        "generalised-auc",
        "now.csv",
        "-r",
        "grade",
        "-e",
        "s",
        "--classes",
        "values",
    ),
}


@pytest.mark.turns(2)
@pytest.mark.parametrize("words", HEADLINES.values(), ids=HEADLINES)
def test_with_a_file_the_headline_is_on_standard_error(words):
    shown = call(*words)
    for suffix in (".json", ".html"):
        saved = call(*words, "-o", f"out{suffix}")
        assert saved.stdout == ""
        assert saved.exit_code == shown.exit_code
        headline, written = saved.stderr.splitlines()[:2]
        assert re.match(rf"out\{suffix} \(.*\) written$", written)
        if words[0] != "check":
            assert headline in shown.stdout.splitlines()


@pytest.mark.parametrize("suffix", ["csv", "html"])
def test_a_file_of_gains_tables_says_what_the_first_bins_contain(suffix):
    counts = {name: cap.count_scores("y", name, data=rows(900, 1)) for name in ("s", "pd")}
    tables = {name: cap.gains_table(each) for name, each in counts.items()}
    shares = {name: f"{100 * each['captured'][0]:.1f}%" for name, each in tables.items()}
    one = call("gains", "now.csv", *OF_PAIR, "-o", f"one.{suffix}").stderr.splitlines()
    assert one[0].startswith(f"Bin 1 of 10 contains {shares['s']} of all positives (lift ")
    assert one[1].startswith(f"one.{suffix} (")
    two = call("gains", "now.csv", *OF_PAIR, "-s", "pd", "-o", f"two.{suffix}").stderr.splitlines()
    for (name, share), line in zip(shares.items(), two, strict=False):
        assert line.startswith(f"{name}: bin 1 of 10 contains {share} of all positives (lift ")
    assert two[2].startswith(f"two.{suffix} (")


@pytest.mark.parametrize(("name", "noun"), [("thresholds", "cut-off"), ("steps", "step")])
def test_a_file_of_cutoffs_says_how_many_there_are(name, noun):
    scores = set(rows(900, 1)["grade"].tolist())
    said = call(name, "now.csv", "-t", "y", "-s", "grade", "-o", "t.csv").stderr.splitlines()[0]
    ends = f"from {max(scores)} to {min(scores)}".replace("-", "−")
    assert said == f"The table lists {len(scores)} {noun}s, {ends}."


@pytest.mark.parametrize("suffix", ["html", "xml", "json", "md", "txt"])
def test_a_failing_check_names_every_rule_that_is_not_kept(suffix):
    words = ("check", "now.csv", *OF_PAIR, "--by", "month", "--min-ar", "0.9", "--min-ks", "0.1")
    saved = call(*words, "-o", f"out.{suffix}")
    assert saved.exit_code == 1
    lines = saved.stderr.splitlines()
    assert lines[0] == "FAIL: 3 of 6 rules failed."
    assert [line.partition(": ")[0] for line in lines[1:4]] == [
        f"FAIL 2025-0{month}" for month in (1, 2, 3)
    ]
    assert lines[4].startswith(f"out.{suffix} ")


def test_one_rule_that_fails_is_the_headline_and_is_said_once():
    words = ("check", "now.csv", *OF_PAIR, "--min-ar", "0.9", "--min-ks", "0.1")
    lines = call(*words, "-o", "out.xml").stderr.splitlines()
    ratio = cap.confidence_interval(
        cap.count_scores("y", "s", data=rows(900, 1)), "accuracy_ratio", side="lower"
    )
    assert lines[0] == (
        f"FAIL: accuracy ratio {ratio.estimate:.3f}, at least 0.9 asked for "
        f"(lower limit {ratio.low:.3f})."
    )
    assert lines[1].startswith("out.xml ")


CHARTED = ("validate", "fallen.csv", *OF_PAIR, "--initial", "initial.csv", "--period", "month")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (CHARTED, 1),
        ((*CHARTED, "--fail-on", "alarm"), 1),
        ((*CHARTED, "--fail-on", "amber"), 1),
        ((*CHARTED[:-2], "--limits", "limits.toml"), 1),  # a red light, and no chart
        ((*CHARTED[:-2], "--limits", "limits.toml", "--fail-on", "alarm"), 0),
        (("validate", "now.csv", *CHARTED[2:]), 0),
        (("validate", "now.csv", *CHARTED[2:], "--fail-on", "alarm"), 0),
    ],
)
def test_an_alarm_ends_with_code_1_whatever_the_limits(words, code):
    assert call(*words).exit_code == code


def monthly(n, apart):
    rng = np.random.default_rng(8)
    y = np.tile(np.repeat([1, 0], [n, 9 * n]), 6)
    month = np.repeat([f"2025-0{place}" for place in range(1, 7)], 10 * n)
    return {"y": y, "s": np.round(rng.normal(size=60 * n) + apart * y, 1), "month": month}


@pytest.mark.parametrize(
    ("n", "apart", "told"), [(16, 1.2, True), (16, 0.3, False), (150, 1.2, False)]
)
def test_months_too_small_for_a_minimum_say_how_many_positives_it_takes(n, apart, told):
    write(Path("months.csv"), monthly(n, apart))
    shown = call("check", "months.csv", *OF_PAIR, "--by", "month", "--min-ar", "0.45").stdout
    last = shown.splitlines()[-1]
    assert ("To test all periods together, use --periods." in last) is told
    if told:
        needed = int(
            re.search(r"takes about (\d+) positives, and these parts have 16 to 16", last)[1]
        )
        # The same months with so many positives mostly pass, and with half as many they do not.
        assert (
            passing(n, apart, times=1.4 * needed / n) > 3 > passing(n, apart, times=needed / n / 2)
        )


def passing(n, apart, times):
    """Return how many months would reach the minimum if all their cases were there so often."""
    data = monthly(n, apart)
    months = cap.count_segments("y", "s", by="month", data=data)
    lows = []
    for each in months.values():
        cells = (np.round(times * side).astype(int) for side in (each.positives, each.negatives))
        more = cap.ScoreCounts.from_counts(each.score, *cells)
        lows.append(cap.confidence_interval(more, "accuracy_ratio", side="lower").low)
    return sum(low >= 0.45 for low in lows)


def test_rules_that_fail_come_before_those_that_pass():
    words = ("check", "now.csv", *OF_PAIR, "--min-ar", "0.1", "--min-ks", "0.9", "--min-auc", "0.6")
    lines = call(*words).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["FAIL", "PASS", "PASS", "1"]
    call(*words, "-o", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert (
        page.index("FAIL: KS ")
        < page.index("<td class=left>FAIL")
        < page.index("<td class=left>PASS")
    )
