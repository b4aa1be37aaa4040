"""Every command reads an earlier sample alike: rows, counts, a summary or a number, of one kind."""

import json
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap
from cli_calls import call, done, refused

TIMED = ("--time", "days", "--event", "status", "-s", "s")
PAIR = ("-t", "y", "-s", "s")
GRADES = ("-t", "y", "-s", "g", "--levels")
WEIGHTS = ("--weight", "w", "--weight-kind", "sampling")


def rows(seed, n=400):
    rng = np.random.default_rng(seed)
    score = rng.integers(1, 9, n)
    days = np.ceil(rng.exponential(700 / score)).astype(int)
    ends = rng.integers(90, 900, n)
    return {
        "y": (rng.random(n) < 0.06 * score).astype(int),
        "s": score,
        "r": rng.integers(1, 9, n),
        "g": np.array(list("ABCD"))[(score - 1) // 2],
        "days": np.minimum(days, ends),
        "status": np.where(days <= ends, np.where(rng.random(n) < 0.2, 2, 1), 0),
        "w": rng.integers(1, 4, n) / 2,
        "who": np.arange(n) // 2,
        "month": np.array(["2024-01", "2024-02"])[np.arange(n) % 2],
        "loss": rng.integers(0, 40, n) * score,
    }


NOW, BEFORE = rows(1), rows(2)


def write(name, data):
    lines = [",".join(data), *(",".join(map(str, row)) for row in zip(*data.values(), strict=True))]
    Path(name).write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module", autouse=True)
def samples(tmp_path_factory):
    """Make two samples of rows, and what commands save of the earlier one."""
    folder = tmp_path_factory.mktemp("earlier")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write("now.csv", NOW)
        write("before.csv", BEFORE)
        for name, how in {
            "plain": PAIR,
            "reversed": (*PAIR, "--higher-is", "negative"),
            "grid": (*PAIR, "--resolution", "2"),
            "graded": (*GRADES, "D,C,B,A"),
            "grown": (*GRADES, "E,D,C,B,A"),
            "weighted": (*PAIR, *WEIGHTS),
            "by_id": (*PAIR, "--cluster", "who"),
        }.items():
            for command, suffix in (("counts", "parquet"), ("summary", "json")):
                done(command, "before.csv", *how, "-o", f"{name}.{suffix}")
        for horizon in ("100", "365"):
            done("summary", "before.csv", *TIMED, "--horizon", horizon, "-o", f"h{horizon}.json")
        out = ("--competing", "excluded", "-o", "excluded.json")
        done("summary", "before.csv", *TIMED, "--horizon", "365", *out)
        done("summary", "before.csv", "--amount", "loss", "-s", "s", "-o", "loss.json")
        for suffix in ("csv", "json"):
            done("counts", "before.csv", *TIMED, "-o", f"times.{suffix}")
        yield folder


@pytest.fixture(autouse=True)
def inside(samples, monkeypatch):
    monkeypatch.chdir(samples)


AT_365 = (*TIMED, "--horizon", "365")
WEIGHED = "count both with the same --weight-kind, with weights of 1 if each row counts once"
# What is asked of today's rows, the earlier sample, and what is said after "--baseline FILE".
UNLIKE = [
    (AT_365, "h100.json", "has --horizon 100 and this sample has --horizon 365"),
    (AT_365, "plain.json", "has no horizon and this sample has --horizon 365"),
    (PAIR, "h365.json", "has --horizon 365 and this sample has no horizon"),
    (PAIR, "h100.json", "has --horizon 100 and this sample has no horizon"),
    (AT_365, "excluded.json", "has --competing excluded and this sample has --competing negative"),
    (
        (*AT_365, "--competing", "excluded"),
        "h365.json",
        "has --competing negative and this sample has --competing excluded",
    ),
    *(
        case
        for suffix in ("json", "parquet")
        for case in (
            (PAIR, f"reversed.{suffix}", "has --higher-is negative and this sample has --higher-i"),
            (PAIR, f"grid.{suffix}", "has --resolution 2.0 and this sample has no resolution"),
            (
                (*PAIR, "--resolution", "2"),
                f"plain.{suffix}",
                "has no resolution and this sample has --resolution 2.0",
            ),
            (PAIR, f"graded.{suffix}", "has grades and this sample has numbers"),
            (
                (*GRADES, "D,C,B,A"),
                f"grown.{suffix}",
                "has the grades E, D, C, B, A and this sample has the grades D, C, B, A",
            ),
            (
                (*GRADES, "A,B,C,D"),
                f"graded.{suffix}",
                "ranks grade 'B' before 'A', this sample the other way round; declare --levels in",
            ),
            (
                PAIR,
                f"weighted.{suffix}",
                f"has --weight-kind sampling and this sample has no weights; {WEIGHED}",
            ),
            (
                (*PAIR, *WEIGHTS),
                f"plain.{suffix}",
                "has no weights and this sample has --weight-kind sampling",
            ),
        )
    ),
    (PAIR, "loss.json", "is of amounts by case and this sample is of positives and negatives: the"),
]
UNLIKE = [pytest.param(*case, id=f"{' '.join(case[0])} {case[1]}") for case in UNLIKE]


def other_ways(asked, earlier):
    """Return the other commands that take an earlier sample, which refuse it in the same words."""
    by = () if "--time" in asked else ("--by", "month")
    limits = ("--max-drop", "0.1", *by, "--cluster", "who", "--baseline", earlier)
    found = [("check", *limits), ("validate", "--initial", earlier)]
    if by:
        found += [("report", *by, "--initial", earlier, "-o", "page.json")]
        found += [("check", "--periods", "month", "--baseline", earlier)]
    return found


@pytest.mark.turns(4)
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.merge)])
@pytest.mark.parametrize(("asked", "earlier", "said"), UNLIKE)
def test_an_earlier_sample_that_was_counted_otherwise_is_refused(asked, earlier, said, whole):
    line = refused("check", "now.csv", *asked, "--max-drop", "0.1", "--baseline", earlier)
    assert line.startswith(f"--baseline {earlier} {said}")
    others = other_ways(asked, earlier)
    turn = [case.values for case in UNLIKE].index((asked, earlier, said)) % len(others)
    for command, *limits in others if whole else [others[turn]]:
        told = line.replace("--baseline", "--initial", 1) if "--initial" in limits else line
        assert refused(command, "now.csv", *asked, *limits) == told


ALIKE = {
    "plain": (PAIR, {}),
    "reversed": ((*PAIR, "--higher-is", "negative"), {"higher_is": "negative"}),
    "grid": ((*PAIR, "--resolution", "2"), {"resolution": 2}),
    "graded": ((*GRADES, "D,C,B,A"), {"levels": list("DCBA")}),
    "weighted": ((*PAIR, *WEIGHTS), {"weight": "w", "weight_kind": "sampling"}),
    "by_id": ((*PAIR, "--cluster", "who"), {"cluster": "who"}),
}


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", ALIKE)
def test_rows_counts_and_a_summary_are_one_earlier_sample(kind):
    asked, how = ALIKE[kind]
    score = "g" if kind == "graded" else "s"
    before, now = (cap.count_scores("y", score, data=data, **how) for data in (BEFORE, NOW))
    expected = cap.compare_independent(before, now, level=0.9)
    words = ("check", "now.csv", *asked, "--max-drop", "0.1", "-f", "json", "--baseline")
    for earlier in ("before.csv", f"{kind}.parquet", f"{kind}.json"):
        found = call(*words, earlier)
        (check,) = json.loads(found.stdout)["checks"]
        limits = [check[name] for name in ("estimate", "low", "high")]
        # A summary has limits at another level, and knows nothing of clusters in both samples.
        near = {"rel": 1e-9} if not earlier.endswith(".json") else {"abs": 0.02}
        assert limits == pytest.approx([expected.estimate, expected.low, expected.high], **near)
        assert "is assumed to" not in found.stderr
        months = cap.count_segments("y", score, by="month", data=NOW, **how)
        of_months = json.loads(call(*words, earlier, "--by", "month").stdout)["checks"]
        drops = [
            cap.accuracy_ratio(before) - cap.accuracy_ratio(month) for month in months.values()
        ]
        assert [each["estimate"] for each in of_months] == pytest.approx(drops)


@pytest.mark.turns(3)
@pytest.mark.parametrize("earlier", ["before.csv", "times.csv", "times.json", "h365.json"])
def test_an_earlier_sample_is_taken_at_the_horizon(earlier):
    before, now = (
        cap.count_times("days", "status", "s", data=data).at(365) for data in (BEFORE, NOW)
    )
    words = ("check", "now.csv", *AT_365, "--max-drop", "0.1", "-f", "json", "--baseline", earlier)
    (check,) = json.loads(call(*words).stdout)["checks"]
    drop = cap.accuracy_ratio(before) - cap.accuracy_ratio(now)
    assert check["estimate"] == pytest.approx(drop)
    both = ("check", "now.csv", "--horizon", "100", *words[2:])
    if earlier != "h365.json":
        found = json.loads(call(*both).stdout)["checks"]
        assert [each["part"] for each in found] == ["s within 100 days", "s within 365 days"]
        assert found[1]["estimate"] == check["estimate"]
    sheet = json.loads(
        done("validate", "now.csv", *AT_365, "--initial", earlier, "-f", "json").stdout
    )
    (fall,) = [test for test in sheet["tests"] if test["id"] == "initial.drop"]
    assert fall["estimate"] == pytest.approx(drop)


@pytest.mark.merge
def test_labels_are_those_of_the_rows_and_not_of_saved_counts():
    ends = {"days": "days", "s": "s"}
    for name, data in {"named": NOW, "named_before": BEFORE}.items():
        status = np.array(["open", "bad", "paid"])[data["status"]]
        write(f"{name}.csv", {each: data[each] for each in ends} | {"status": status})
    labels = ("--event-label", "bad", "--censored-label", "open")
    done("counts", "named_before.csv", *TIMED, *labels, "-o", "named.json")
    words = ("named.csv", *AT_365, *labels, "--max-drop", "0.1", "-f", "json", "--baseline")
    expected = call("check", "now.csv", *AT_365, *words[-5:], "before.csv").stdout
    for earlier in ("named.json", "named_before.csv"):
        assert call("check", *words, earlier).stdout == expected


@pytest.mark.merge
def test_rows_are_a_baseline_of_several_scores_and_of_shares():
    words = ("check", "now.csv", *PAIR, "-s", "r", "--max-drop", "0.1", "-f", "json")
    found = json.loads(call(*words, "--baseline", "before.csv").stdout)["checks"]
    for each, score in zip(found, ("s", "r"), strict=True):
        samples = [cap.count_scores("y", score, data=data) for data in (BEFORE, NOW)]
        assert each["estimate"] == pytest.approx(np.subtract(*map(cap.accuracy_ratio, samples)))
    for earlier in ("plain.parquet", "plain.json", "0.4"):
        line = refused(*words, "--baseline", earlier)
        assert line.startswith(
            f"--baseline {earlier} is for one score, and there are s, r; pass one"
        )
    words = ("check", "now.csv", *PAIR, "--max-psi", "0.1", "-f", "json")
    done("counts", "before.csv", *PAIR, "-o", "cells.json")
    found = [
        json.loads(call(*words, "--baseline", each).stdout)
        for each in ("before.csv", "plain.parquet", "cells.json")
    ]
    assert found[0] == found[1] == found[2]
    line = refused(*words, "--baseline", "plain.json")
    assert line.startswith("--max-psi compares the shares of grades, which a summary or a number")


def test_a_scale_that_has_grown_is_compared_by_shares_alone():
    words = ("check", "now.csv", *GRADES, "E,D,C,B,A", "--baseline", "graded.parquet")
    expected = cap.psi(
        cap.count_scores("y", "g", data=BEFORE, levels=list("DCBA")),
        cap.count_scores("y", "g", data=NOW, levels=list("EDCBA")),
    )
    (check,) = json.loads(call(*words, "--max-psi", "0.1", "-f", "json").stdout)["checks"]
    assert check["estimate"] == expected.psi
    said = (
        "--baseline graded.parquet has the grades D, C, B, A and this sample has the grades E, D, C"
    )
    assert refused(*words, "--max-psi", "0.1", "--max-drop", "0.1").startswith(said)


@pytest.mark.merge
def test_a_chart_and_a_sheet_take_all_forms():
    before = cap.count_scores("y", "s", data=BEFORE)
    months = cap.count_segments("y", "s", by="month", data=NOW)
    ratio = cap.accuracy_ratio(before)
    of_counts = cap.control_chart(months, before).to_dict()
    of_summary = cap.control_chart(months, (ratio, before.n1, before.n0)).to_dict()
    of_number = cap.control_chart(months, ratio).to_dict()
    for earlier, expected in {
        "before.csv": of_counts,
        "plain.parquet": of_counts,
        "plain.json": of_summary,
        repr(ratio): of_number,
    }.items():
        words = ("now.csv", *PAIR, "--baseline", earlier, "--periods", "month", "-f", "json")
        (check,) = json.loads(call("check", *words).stdout)["checks"]
        assert check["chart"] == expected
        done("report", *words[:3], *PAIR[2:], "--by", "month", "--initial", earlier, "-o", "r.json")
        assert json.loads(Path("r.json").read_text())["control_charts"]["s"] == expected
        sheet = json.loads(done("validate", *words[:5], "--initial", earlier, "-f", "json").stdout)
        (fall,) = [test for test in sheet["tests"] if test["id"] == "initial.drop"]
        now = cap.accuracy_ratio(cap.count_scores("y", "s", data=NOW))
        assert fall["estimate"] == pytest.approx(ratio - now)


SPLIT = ("--by", "month", "-f", "json", "-o", "split.json")
CHANGES = {
    "plain": (PAIR, SPLIT, ("--by", "month")),
    "graded": ((*GRADES, "D,C,B,A"), SPLIT, ("--by", "month")),
    "by_id": ((*PAIR, "--cluster", "who"), SPLIT, ("--by", "month")),
    "weighted": ((*PAIR, *WEIGHTS), SPLIT, ("--by", "month")),
    "reversed": ((*PAIR, "--higher-is", "negative"), ("--metric", "lift", "--at", "0.2"), ()),
    "times": (AT_365, ("--metric", "lift", "--at", "0.2"), ()),
}


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_is_the_same_of_rows_and_of_saved_counts_before(kind):
    asked, how, by = CHANGES[kind]
    suffixes = ("json", "parquet")
    timed = [word for word in asked if word not in ("--horizon", "365")]
    words = (*how, "-f", "json", "-o", "why.json")
    done("change", "before.csv", "now.csv", *asked, *words)
    expected = json.loads(Path("why.json").read_text())
    for suffix in suffixes:
        done("counts", "before.csv", *timed, *by, "-o", f"saved.{suffix}")
        done("change", f"saved.{suffix}", "now.csv", *asked, *words)
        found = json.loads(Path("why.json").read_text())
        assert found.pop("labels") == ["saved", "now"]
        assert found == {name: each for name, each in expected.items() if name != "labels"}


def test_a_change_of_direction_is_refused():
    asked, low = ("-t", "y", "-s", "s", "--by", "month"), ("--higher-is", "negative")
    done("counts", "before.csv", *asked, *low, "-o", "low.parquet")
    asked = ("change", "low.parquet", "now.csv", *asked)
    assert refused(*asked) == (
        "BEFORE low.parquet has --higher-is negative and AFTER now.csv has --higher-is positive; "
        "count both with the same --higher-is"
    )
    done(*asked, *low)


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", ["plain", "graded", "grid", "weighted", "by_id"])
@pytest.mark.parametrize("of", ["cases", "positives"])
def test_stability_is_the_same_of_rows_and_of_saved_counts_before(kind, of):
    asked, _ = ALIKE[kind]
    target = asked[2:] if of == "cases" else (*asked, "--of", of)
    words = ("now.csv", *target, "-f", "json")
    expected = json.loads(done("stability", "before.csv", *words).stdout)
    for suffix in ("parquet",):
        found = json.loads(done("stability", f"{kind}.{suffix}", *words).stdout)
        assert found.pop("labels") == [kind, "now"]
        assert found == {name: each for name, each in expected.items() if name != "labels"}


def test_tables_of_others_are_counts_beside_rows():
    score, n = np.unique(BEFORE["s"], return_counts=True)
    write("cases.csv", {"s": score, "accounts": n})
    words = ("now.csv", "-s", "s", "-f", "json")
    expected = json.loads(done("stability", "before.csv", *words).stdout)
    found = json.loads(done("stability", "cases.csv", *words).stdout)
    assert found == {**expected, "labels": ["cases", "now"]}
    # Rows that are called so are rows where those of AFTER are.
    write("rows_now.csv", {"s": NOW["s"], "accounts": NOW["w"]})
    write("rows_before.csv", {"s": BEFORE["s"], "accounts": BEFORE["w"]})
    found = json.loads(done("stability", "rows_before.csv", "rows_now.csv", *words[1:]).stdout)
    assert found == {**expected, "labels": ["rows_before", "rows_now"]}


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        (("stability",), ("-s", "s")),
        (("change",), (*PAIR, "--by", "month")),
        (("change",), (*AT_365, "--metric", "lift", "--at", "0.2")),
    ],
)
@pytest.mark.parametrize("earlier", ["plain.json", "0.45"])
def test_what_needs_cells_takes_no_summary_and_no_number(command, asked, earlier):
    assert refused(*command, earlier, "now.csv", *asked) == (
        f"BEFORE {earlier} does not give the cases at each score; give rows, or counts saved "
        "by capcurve counts"
    )


def test_a_change_by_segments_needs_counts_by_segment():
    assert refused("change", "plain.parquet", "now.csv", *PAIR, "--by", "month") == (
        "BEFORE plain.parquet holds counts without segments; save them with capcurve counts "
        "--by month"
    )


@pytest.mark.merge
def test_what_is_said_of_a_file_is_of_tables_of_others_and_of_no_saved_one():
    lines = [",".join(NOW), *(",".join(map(str, row)) for row in zip(*NOW.values(), strict=True))]
    text = "\n".join(["Portfolio of January", *lines]).replace(".", "_").replace(",", ";")
    Path("foreign.csv").write_text(text.replace("_", ",") + "\n", encoding="utf-16")
    told = ("--delimiter", ";", "--decimal", ",", "--skip-lines", "1", "--encoding", "utf-16")
    told = (*told, "--na", "none", "--comment", "#")
    words = (*PAIR, "--resolution", "0.5", "--max-drop", "0.1", "-f", "json", "--baseline")
    for suffix in ("json", "parquet"):
        done("counts", "before.csv", *PAIR, "--resolution", "0.5", "-o", f"halves.{suffix}")
    expected = call("check", "now.csv", *words, "halves.parquet").stdout
    assert "accuracy_ratio" in expected
    score, n = np.unique(BEFORE["s"], return_counts=True)
    bad = [int(BEFORE["y"][BEFORE["s"] == each].sum()) for each in score]
    cells = [f"{each},0;{b};{all_ - b}" for each, b, all_ in zip(score, bad, n, strict=True)]
    table = ["Cells of January", "s;bads;goods", "# comment", *cells]
    Path("cells.csv").write_text("\n".join(table) + "\n", encoding="utf-16")
    for earlier in ("halves.json", "halves.parquet", "cells.csv"):
        assert call("check", "foreign.csv", *told, *words, earlier).stdout == expected


def test_what_a_table_of_counts_is_asked_for_can_be_typed():
    Path("asked.csv").write_text("s;bads;goods\n1,125;30;120\n3,250;60;90\n")
    words = ("check", "now.csv", *PAIR, "--max-drop", "0.9", "-f", "json", "--baseline")
    assert refused(*words, "asked.csv") == (
        "--baseline asked.csv: column 's' of asked.csv holds '1,125', where the decimal mark is "
        "not clear; say which it is with --decimal , or --decimal ."
    )
    (check,) = json.loads(call(*words, "asked.csv", "--decimal", ",").stdout)["checks"]
    before = cap.ScoreCounts.from_counts([3.25, 1.125], [60, 30], [90, 120])
    drop = cap.accuracy_ratio(before) - cap.accuracy_ratio(cap.count_scores("y", "s", data=NOW))
    assert check["estimate"] == pytest.approx(drop)


def test_what_a_summary_does_not_say_is_told():
    saved = json.loads(Path("plain.json").read_text())
    words = ("check", "now.csv", *PAIR, "--max-drop", "0.1", "--baseline", "hand.json")
    (score,) = saved["scores"]
    for kept, said in (
        (("name", "accuracy_ratio"), "every setting, as it gives only an accuracy ratio"),
        (
            ("name", "accuracy_ratio", "n1", "n0", "n", "higher_is", "levels"),
            "its horizon, resolution and weights, which it does not state",
        ),
    ):
        hand = {"scores": [{name: score[name] for name in kept}]}
        Path("hand.json").write_text(json.dumps(hand))
        found = call(*words).stderr
        note = f"--baseline hand.json is assumed to match this sample in {said}"
        assert note in found
    number = call(*words[:-1], "0.4").stderr
    assert "--baseline 0.4 is assumed to match this sample in every setting, as it" in number


DAMAGE = {
    "an accuracy ratio outside its interval": {"accuracy_ratio": 0.99},
    "1.5 as the accuracy ratio": {"accuracy_ratio": 1.5},
    "that its AUC contradicts": {"roc_auc": 0.9},
    "that its Somers' D contradicts": {"somers_d": 0.1},
    "that its lower limit contradicts": {"accuracy_ratio_low": 0.0},
    "that its upper limit contradicts": {"accuracy_ratio_high": 1.0},
    "7 positives and ": {"n1": 7},
}


@pytest.mark.parametrize("said", DAMAGE)
def test_a_summary_that_contradicts_itself_is_refused(said):
    saved = json.loads(Path("plain.json").read_text())
    saved["scores"][0] |= DAMAGE[said]
    Path("damaged.json").write_text(json.dumps(saved))
    words = ("now.csv", *PAIR, "--max-drop", "0.1", "--baseline", "damaged.json")
    assert refused("check", *words) == (
        "--baseline damaged.json was changed after it was written; write it again with capcurve "
        "summary --format json"
    )
    del saved["seal"]  # as in one that is written by hand
    Path("damaged.json").write_text(json.dumps(saved))
    line = refused("check", *words)
    assert line.startswith("--baseline damaged.json gives s ")
    assert said in line
    line = line.replace("--baseline", "--initial")
    assert refused("validate", "now.csv", *PAIR, "--initial", "damaged.json") == line


@pytest.mark.parametrize(
    ("earlier", "said"),
    [
        ("2", "--baseline must be a file or an accuracy ratio in [-1, 1], got 2.0"),
        ("nan", "--baseline must be a file or an accuracy ratio in [-1, 1], got nan"),
        (
            "times.json",
            "--baseline times.json holds counts of times, which are read with --horizon, such as",
        ),
        ("none.csv", "none.csv: no such file"),
        ("none.json", "none.json: no such file"),
    ],
)
def test_what_is_no_earlier_sample_is_refused(earlier, said):
    line = refused("check", "now.csv", *PAIR, "--max-drop", "0.1", "--baseline", earlier)
    assert line.startswith(said)


def test_rows_that_cannot_be_counted_name_their_file():
    write("gap.csv", {**BEFORE, "s": np.where(BEFORE["s"] == 3, "", BEFORE["s"].astype(str))})
    line = refused("check", "now.csv", *PAIR, "--max-drop", "0.1", "--baseline", "gap.csv")
    assert line.startswith("--baseline gap.csv: s is missing")
    line = refused("check", "now.csv", *PAIR, "-s", "z", "--max-drop", "0.1", "--baseline", "0.5")
    assert "no column 'z'" in line


def test_a_summary_says_by_which_horizon_and_rule(samples):
    found = json.loads((samples / "excluded.json").read_text())["scores"][0]
    assert (found["horizon"], found["competing"]) == (365.0, "excluded")
    found = json.loads((samples / "plain.json").read_text())["scores"][0]
    assert (found["horizon"], found["competing"]) == (None, None)
