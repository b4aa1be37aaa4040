"""A validation sheet as people see it: its page, its text, its table and its workbook."""

import csv
import io
import re
import zipfile
from dataclasses import replace

import openpyxl
import pytest

import capcurve as cap
from capcurve.show.presentation import Finding
from capcurve.studies.validation.judgement import SheetTest
from capcurve.studies.validation.sections import Section
from capcurve.studies.validation.sheet import urgent_first
from capcurve.studies.validation.validating import _about_tests
from spreadsheets import cells_of
from validation_sheets import NUMBERS, sheet

NASTY = "</title><script>alert(1)</script><img src=x>\x00"


def front_of(page):
    return page.partition("</article>")[0]


def words_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_the_first_page_says_all_that_is_signed():
    words = words_of(front_of(sheet().to_html()))
    for said in (
        "Validation sheet: SME rating 4.2",
        "90 days past due",
        "15 tests without a limit, 3 against the score with p &lt; 0.05 (ECB test: AUC below",
        "Homogeneity within grades, PSI of negatives).",
        "26 tests, not adjusted for their number except where marked; intervals at 95%; p-values",
        "Sample 4,000 cases, 156 positives (3.9%)",
        "Initial sample 6,000 cases, 410 positives (6.8%)",
        "Periods 12: 2025-01 to 2025-12",
        "1. Results",
        "2. Findings",
        "Grade 10 is empty in the initial sample",
        "Not performed: pooled periods; bounds by segment.",
        "Not covered: calibration of PDs; LGD and CCF",
        "Validated by",
        "Signature",
        f"Digest: {sheet().digest()[:16]}.",
    ):
        assert said in words


def test_lights_are_words_and_shapes():
    front = front_of(sheet().to_html())
    lit = [each.light for each in sheet().tests.values() if each.light]
    assert len(set(lit)) == 3
    for light in set(lit):
        shape = f'<svg class="mark-{light}"'
        assert len(re.findall(rf"{shape}[^/]+/?>.*?</svg> {light}", front)) == lit.count(light)
    shapes = set(re.findall(r'class="mark-\w+"[^>]*>(<\w+ [^>]*>)', front))
    assert len(shapes) == 3
    assert "amber <small>inconclusive: could be green</small>" in front
    assert "<small>no limit set</small>" in front


def test_amber_between_limits_is_called_that():
    page = front_of(
        sheet(
            limits={
                "psi": {"green": 0, "red": 0},
                "ks": {"green": 0.4, "red": 0.3, "by": "estimate"},
            }
        ).to_html()
    )
    assert "amber <small>between the limits</small>" in page


def test_without_limits_it_says_so():
    words = words_of(front_of(sheet(limits=None).to_html()))
    assert "No test has a light. Set limits for the tests that must be judged." in words


def test_behind_are_all_tests_with_their_methods():
    page = sheet().to_html()
    behind = page.partition("</article>")[2]
    for test_id in NUMBERS:
        assert f"<code>{test_id}</code>" in behind
    words = words_of(behind)
    assert "statistic 2.50; df 9; p 0.031" in words
    assert "Against: ECB 2019, 2.5.4." in words
    assert "No confidence interval: the light judges the estimate." in words
    assert "Not performed: pooled periods; pass periods." in words
    assert "period 2025-12" in words
    assert words.count("undefined") == 1  # MWB without a move that way


def test_paper_has_a_running_title_and_page_numbers():
    page = sheet(subject={"model": "A'}</style>"}).to_html()
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert "counter(page) ' / ' counter(pages)" in style
    assert "Validation sheet: A\\27 \\7d \\3c \\2f style\\3e  · digest " in style


def test_prose_is_never_cut():
    long = " ".join(f"word{place}" for place in range(50))
    made = sheet(findings=(Finding("x", "warning", "few cases", long),), not_covered=(long,))
    front = words_of(front_of(made.to_html()))
    assert f"Few cases; {long}." in front
    assert f"Not covered: {long}." in front


def test_tables_that_repeat_others_are_folded():
    gains = sheet().sections[2].tables[0]
    made = sheet(sections=(Section(number=6, title="Grades", folded=(gains,)),))
    assert "<details><summary>Gains</summary>" in made.to_html()
    assert [each["name"] for each in made.to_dict()["tables"]] == [gains.name]
    assert gains.name not in {each.name for each in made.presentation().tables}


def test_the_page_has_no_script_date_or_request():
    page = sheet().to_html()
    assert "<script" not in page
    assert " style=" not in page
    assert "default-src 'none'" in page
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", page)


def test_names_stay_names():
    made = sheet(
        subject={"model": NASTY, NASTY: NASTY},
        findings=(Finding("x", "error", NASTY, NASTY),),
        not_done=((NASTY, NASTY),),
        not_covered=(NASTY,),
        settings={NASTY: {NASTY: NASTY}},
        sections=(
            Section(
                number=9,
                title=NASTY,
                sentences=(NASTY,),
                tests=(SheetTest.of(f"challenger.{NASTY}", method=NASTY, notes=(NASTY,)),),
            ),
        ),
    )
    page = made.to_html()
    assert page.count("<script") == page.count("<img") == 0
    assert "\x00" not in page


def many(count, words=3):
    tests = tuple(
        SheetTest.of(f"challenger.model {place} {'of a long name ' * words}", estimate=0.1)
        for place in range(count)
    )
    return Section(number=9, title="Overrides and challengers", tests=tests)


def test_of_too_many_tests_those_that_are_not_green_are_on_the_first_page():
    made = sheet(sections=(many(40), *sheet().sections))
    front, behind = made.to_html().split("</article>")
    assert front.count("<tr>") == 1 + 28
    assert front.count("<tr class=later>") == 38  # on a screen, not on paper
    assert "<p class='soft on-paper'>38 more tests on the following pages.</p>" in front
    for test in made.tests.values():
        if test.light:
            assert f">{test.name}<" in front
    assert behind.count("<dl class=detail>") == len(made.tests) == 66


def challengers(differences):
    """Return a section of challengers: of each how far the score is ahead, with limits."""
    tests = tuple(
        SheetTest.of(
            f"challenger.m{place}",
            estimate=value,
            low=value - 0.04,
            high=value + 0.04,
            p_value=0.001 if abs(value) > 0.04 else 0.6,
            alternative="two-sided",
        )
        for place, value in enumerate(differences)
    )
    return Section(number=10, title="Overrides and challengers", tests=tests)


@pytest.mark.parametrize("others", [0, 3, 28, 60])
@pytest.mark.parametrize("better", [1, 4, 40])
def test_a_score_that_ranks_better_is_on_the_first_page_however_many_tests(others, better):
    shown = (*(-0.1 - place / 1000 for place in range(better)), *[0.0] * others)
    made = sheet(sections=(*sheet().sections, challengers(shown)), settings={"score": "grade"})
    printed = {test.id for test in urgent_first(made)}
    assert {f"challenger.m{place}" for place in range(better)} <= printed
    assert len(printed) == max(min(28, len(made.tests)), better + 1)  # gbm is better, too
    front = made.to_html().partition("</article>")[0]
    best = f"m{better - 1} ranks better than grade by {0.1 + (better - 1) / 1000:.3f} ["
    for text in (front.partition("1. Results")[0], made.to_text(), made.to_markdown()):
        assert best in text
        assert text.count("ranks better than grade") == min(better + 1, 3)
    # On a screen nothing is left out.
    assert front.count("<th scope=row>") == len(made.tests)


def test_a_score_that_ranks_better_is_told_in_json_and_workbooks(tmp_path):
    scores = [4, 3, 2, 1] * 100
    y = [1, 1, 0, 0] * 90 + [0, 1, 0, 1] * 10
    worse = [a if place % 3 else 5 - a for place, a in enumerate(scores)]
    joint = cap.count_joint(y, {"mine": worse, "gbm": scores})
    made = cap.validate(cap.count_scores(y, worse), joint=joint)
    test = made.tests["challenger.gbm"]
    said = (
        f"gbm ranks better than mine by {-test.estimate:.3f} [{-test.high:.3f}, {-test.low:.3f}]."
    )
    assert made.presentation().sentences[1] == said
    assert [each for part in made.to_dict()["sections"] for each in part["sentences"]].count(
        said
    ) == 1
    cells = cells_of(made.save(tmp_path / "sheet.xlsx"))
    assert said in [value for (tab, _), value in cells.items() if tab == "Results"]


def test_after_lights_come_tests_against_the_score_and_then_challengers():
    names = [f"stability.psi_{which}" for which in ("positives", "negatives")]
    low, high = (
        SheetTest.of(name, estimate=0.1, p_value=p, alternative="two-sided")
        for name, p in zip(names, (0.001, 0.9), strict=True)
    )
    rest = Section(number=3, title="x", tests=(high,) * 30)
    ahead = challengers([0.0])
    printed = urgent_first(
        sheet(sections=(rest, Section(number=9, title="y", tests=(low,)), ahead))
    )
    assert [test.id for test in printed[-2:]] == [low.id, "challenger.m0"]


def test_the_tally_says_which_way_low_p_values_speak():
    tests = sheet(limits=None).tests.values()
    others = sheet(limits=None).sections
    made = sheet(sections=(*others, challengers([0.1, 0.2, -0.3])), limits=None)
    (said,) = (each for each in made.presentation().sentences if "without a limit" in each)
    against, beside = re.search(r"(\d+) against the score .*?, (\d+) for the score", said).groups()
    assert beside == "2"
    assert said.endswith("for the score with p < 0.05 (AR minus that of m0, AR minus that of m1).")
    assert "AR minus that of m2" in said.partition(" for the score")[0]
    low = [each for each in tests if (each.p_adjusted or each.p_value or 1) < 0.05]
    assert int(against) == 1 + len(low)
    assert "grades.neighbours" not in {each.id for each in low}


def test_of_advice_about_commands_only_the_finding_is_signed():
    advice = ("pass --higher-is points=negative", 'pass higher_is="negative"', "see `compare`")
    found = tuple(
        Finding("x", "warning", f"score {place} looks odd", each)
        for place, each in enumerate((*advice, "look at the months"))
    )
    words = words_of(sheet(findings=found).to_html())
    assert "Score 0 looks odd. Score 1 looks odd. Score 2 looks odd." in words
    assert "Score 3 looks odd; look at the months." in words
    assert all(each.replace("`", "") not in words for each in advice)


def test_sentences_are_on_the_first_page_while_there_is_room():
    front = words_of(front_of(sheet().to_html()))
    assert "What there is to say about discrimination." in front
    assert "say about against" not in front  # 26 tests leave room for one
    assert "to say about" not in words_of(
        front_of(sheet(sections=(many(4), *sheet().sections)).to_html())
    )


def test_of_many_findings_the_gravest_are_on_the_first_page():
    found = tuple(Finding("x", "info", f"note {n}, {'long ' * 99}", "read") for n in range(9))
    grave = Finding("y", "error", "the gravest", "stop")
    front, behind = sheet(findings=(*found, grave)).to_html().split("</article>")
    assert "The gravest; stop." in front
    assert "7 more on the following pages." in front
    assert front.count("<li>Note") == 2
    assert behind.count("<li>Note ") == 9


def test_text_and_markdown_say_the_same():
    made = sheet()
    for text in (made.to_text(), made.to_markdown()):
        assert "11 tests with limits: 6 green, 3 amber (3 inconclusive), 2 red." in text
        assert "amber (inconclusive: could be " in text
        assert f"Digest of the sheet: {made.digest()[:16]}." in text
    line = next(line for line in made.to_text().splitlines() if line.startswith("Overrides  "))
    assert re.split(r"\s{2,}", line) == [
        "Overrides",
        "4.1%",
        "[3.7%, 4.5%]",
        "green ≤ 5%, red > 10%",
        "green",
    ]


def test_csv_has_every_test_in_full(tmp_path):
    path = sheet().save(tmp_path / "sheet.csv")
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    assert [row["id"] for row in rows] == list(NUMBERS)
    psi = next(row for row in rows if row["id"] == "stability.psi")
    assert (psi["estimate"], psi["green"], psi["red"], psi["light"]) == (
        "inf",
        "0.1",
        "0.25",
        "amber",
    )
    assert rows[0]["estimate"] == "0.486"
    assert rows[1]["light"] == rows[1]["green"] == ""


def test_a_workbook_has_a_sheet_for_everything(tmp_path):
    gains = sheet().sections[2].tables[0]
    twice = Section(number=6, title="Grades", tables=(gains, gains))
    path = sheet(sections=(*sheet().sections, twice)).save(tmp_path / "sheet.xlsx")
    with zipfile.ZipFile(path) as book:
        names = re.findall(r'<sheet name="([^"]+)"', book.read("xl/workbook.xml").decode())
        words = book.read("xl/sharedStrings.xml").decode()
    assert names == [
        *("Results", "Tests", "Findings", "Inputs", "Settings"),
        *("6 Gains", "6 Gains 2", "6 Gains 3", "CAP data"),
    ]
    first = [value for (tab, _), value in cells_of(path).items() if tab == "Results"]
    tally = "11 tests with limits: 6 green, 3 amber (3 inconclusive), 2 red."
    assert first[:2] == ["Validation sheet: SME rating 4.2", f"■ {tally}"]
    assert {"▲ amber (inconclusive: could be green)", "● green", "no limit set"} <= set(first)
    with zipfile.ZipFile(path) as book:
        assert "<c:scatterChart>" in book.read("xl/charts/chart1.xml").decode()
        assert "&lt;0.001" in book.read("xl/styles.xml").decode()
    assert "discrimination.accuracy_ratio" in words
    assert "Grade 10 is empty in the initial sample" in words
    findings = openpyxl.load_workbook(path)["Findings"]
    assert [cell.value for cell in findings["A"]][1:3] == ["Warning", "Note"]
    assert all(cell.alignment.wrap_text for cell in findings["B"] if len(str(cell.value)) > 44)


@pytest.mark.parametrize("name", ["sheet.docx", "sheet", "sheet.pdf", "sheet.png"])
def test_other_suffixes_are_refused(tmp_path, name):
    with pytest.raises(
        ValueError, match=r"must end in \.html, \.json, \.md, \.tex, \.txt, \.csv, \.xlsx$"
    ):
        sheet().save(tmp_path / name)


def test_the_picture_is_the_cap():
    assert sheet().plot().get_xlabel() == "Share of cases selected"


def test_an_empty_sheet_is_a_sheet():
    made = sheet(sections=(), inputs=(), findings=(), not_done=(), not_covered=(), subject={})
    words = words_of(front_of(made.to_html()))
    assert "0 tests, not adjusted for their number;" in words
    assert "2. Findings None." in words
    assert "Sample" not in words
    assert "Validation sheet" in made.to_text()
    assert made.to_csv().startswith("id,section,name")


@pytest.mark.parametrize(
    ("low", "said"),
    [
        (5, "chance alone puts one below 0.05 in up to 25% of sheets"),
        (40, "about 2 will be below 0.05 by chance alone"),
    ],
)
def test_how_many_p_values_are_low_by_chance_is_a_number_or_a_share_of_sheets(low, said):
    tests = [replace(sheet().sections[0].tests[0], p_value=0.5)] * low
    (found,) = _about_tests(tests, ())
    assert found.message == f"with {low} p-values, {said}"
