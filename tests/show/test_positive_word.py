"""Every result says the target's own noun in each sentence, table and picture."""

import copy
import re
import zipfile

import numpy as np
import pytest
from matplotlib.text import Text

import capcurve
from capcurve.numbers.nouns import Noun
from results_shown import EXAMPLES, POSITIVE, SCORES

# What stays: terms with a name of their own, and values that programs know.
KEPT = re.compile(r"(false|true) positives?|higher_is=.\w+.|errors=.\w+.", re.IGNORECASE)
WORD = re.compile(r"(?<![\w-])positives?(?![\w-])", re.IGNORECASE)


def left_in(text):
    return [text[max(m.start() - 40, 0) : m.end() + 20] for m in WORD.finditer(KEPT.sub("", text))]


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_every_result_says_defaults_in_text_documents_and_pages(name):
    found = EXAMPLES[name]().in_words("defaults")
    page = re.sub(
        r"<script.*?</script>|<style.*?</style>|<[^>]*>", " ", found.to_html(), flags=re.DOTALL
    )
    for text in (found.to_text(), found.to_markdown(), found.to_latex(), page):
        assert not left_in(text)
    assert found == EXAMPLES[name]()  # the numbers are the same


@pytest.mark.parametrize(
    ("word", "one", "several"),
    [
        ("defaults", "default", "defaults"),
        ("bankruptcies", "bankruptcy", "bankruptcies"),
        ("losses", "loss", "losses"),
        ("crashes", "crash", "crashes"),
        ("bad loans", "bad loan", "bad loans"),
        ("fraud", "fraud", "fraud"),
        ("person/people", "person", "people"),
    ],
)
def test_the_singular_is_that_of_english_or_what_is_said(word, one, several):
    noun = Noun.of(word)
    assert (noun.one, noun.several) == (one, several)
    assert noun.said("1 positive, 2 positives") == f"1 {one}, 2 {several}"


@pytest.mark.parametrize(
    "word", ["", " ", "a/b/c", "x/", "two\nlines", "x" * 41, 3, None, "Negatives", "case/cases"]
)
def test_what_is_no_noun_is_refused_before_anything_is_counted(word):
    found = capcurve.summarize(POSITIVE, SCORES["new"])
    with pytest.raises(ValueError, match="positive_word must be a plural such as defaults"):
        found.in_words(word)


def test_articles_capitals_and_terms_follow():
    said = Noun.of("events").said
    assert said("a positive, A positive, Positives") == "an event, An event, Events"
    assert (
        said("true positives and false positive rates") == "true positives and false positive rates"
    )
    assert said('pass higher_is="positive" or --positives 0:1') == (
        'pass higher_is="positive" or --positives 0:1'
    )


def test_every_function_of_columns_takes_the_word_and_numbers_refuse_it():
    table = capcurve.gains_table(POSITIVE, SCORES["new"], positive_word="claims")
    assert "claims" in table.to_html()
    assert list(table.columns)[4] == "positives"  # programs read the names that they know
    whole = capcurve.evaluate(POSITIVE, SCORES, positive_word="claims")
    assert "claims" in whole.sentence + whole.to_text()
    assert not left_in(repr(whole))
    with pytest.raises(TypeError, match="roc_auc returns nothing with words"):
        capcurve.roc_auc(POSITIVE, SCORES["new"], positive_word="claims")


AMOUNTS = capcurve.count_values([20, 0, 50, 30, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
OF_ROWS = {"amount": [20, 0, 50, 30], "score": [4, 3, 2, 1]}
JOINT = capcurve.count_joint_values([20, 0, 50], {"a": [1, 2, 3], "b": [3, 1, 2]})


@pytest.mark.parametrize(
    "ask",
    [
        lambda word: capcurve.evaluate(**OF_ROWS, **word),
        lambda word: capcurve.evaluate(AMOUNTS, **word),
        lambda word: capcurve.evaluate({"a": AMOUNTS, "b": AMOUNTS}, **word),
        lambda word: capcurve.evaluate(JOINT, **word),
        lambda word: capcurve.evaluate(**OF_ROWS, treatment=[1, 0, 1, 0], **word),
        lambda word: capcurve.evaluate(capcurve.UpliftCounts(AMOUNTS, AMOUNTS), **word),
        lambda word: capcurve.summarize(AMOUNTS, **word),
        lambda word: capcurve.summarize([20, 0, 50], [1, 2, 3], exposure=[1, 1, 1], **word),
        lambda word: capcurve.gains_table(capcurve.evaluate(AMOUNTS), **word),
        lambda word: capcurve.compare(JOINT, **word),
        lambda word: capcurve.plot_cap({"a": AMOUNTS}, **word),
        lambda word: capcurve.plot_qini(capcurve.UpliftCounts(AMOUNTS, AMOUNTS), **word),
    ],
)
def test_amounts_have_no_positives_that_a_word_could_name(ask):
    ask({})
    with pytest.raises(ValueError, match="positive_word= is for positives, and amounts are called"):
        ask({"positive_word": "claims"})


def test_a_picture_has_the_word_on_its_axes_and_in_its_legend():
    axes = capcurve.plot_cap(POSITIVE, SCORES["new"], positive_word="claims")
    words = [each.get_text() for each in axes.findobj(Text)]
    assert any("claims" in each for each in words)
    assert not any(map(left_in, words))


def test_what_is_read_out_in_place_of_a_chart_in_a_workbook_has_the_word(tmp_path):
    found = capcurve.evaluate(POSITIVE, SCORES["new"]).in_words("claims")
    found.save(tmp_path / "x.xlsx")
    with zipfile.ZipFile(tmp_path / "x.xlsx") as book:
        drawn = [book.read(each).decode() for each in book.namelist() if "/drawing" in each]
    said = re.findall(r'descr="([^"]*)"', "".join(drawn))
    assert "Rate of claims by bin, a column for each." in said
    assert not any(map(left_in, said))


def test_json_and_frames_keep_the_names_that_programs_know_and_copies_keep_the_word():
    found = capcurve.summarize(POSITIVE, SCORES["new"])
    worded = found.in_words("claims")
    assert worded.to_dict() == found.to_dict()
    assert list(worded.to_frame("polars").columns) == list(found.to_frame("polars").columns)
    assert copy.deepcopy(worded).to_text() == worded.to_text()


def test_a_trial_says_the_word_too():
    bought, mailed = POSITIVE, np.arange(300) % 2
    found = capcurve.evaluate(bought, SCORES["new"], treatment=mailed, positive_word="sales")
    assert "sales per 100" in found.to_text()
    assert not left_in(found.to_text())
