"""What holds for every picture."""

import subprocess
import sys
from itertools import product
from xml.etree import ElementTree as ET

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from reading import head, legend, pairs, sample

from capcurve import ScoreCounts, confidence_interval, count_scores, evaluate
from capcurve.cli.notations import number_in
from capcurve.plots import (
    FOR_SEVERAL as SEVERAL,
    PICTURE_KINDS as ALL,
    plot_cap,
    plot_ks,
    plot_lift,
    plot_score_distributions,
)
from capcurve.plots.models import DrawnSegments
from capcurve.show.canvas import save_picture
from capcurve.show.chart import GREY, STYLE_OF_NEGATIVES, model_style

SAMPLES = ["five", "grades", "reversed_score", "several_maxima", "one_grade", "perfect"]
# Pictures of any score; those of PDs are drawn in test_calibration_curves.py.
OTHERS = {"mean-amount", "calibration", "decision"}  # of amounts and of PDs
KINDS = {kind: draw for kind, draw in ALL.items() if kind not in OTHERS}
FOR_SEVERAL = SEVERAL - {"mean-amount"}
MONEY = {"value": 10.0, "cost": 2.0}
DRAW = {
    **KINDS,
    "profit": lambda counts, **how: KINDS["profit"](counts, **MONEY, **how),
    "ks along the score": lambda counts, **how: plot_ks(counts, axis="score", **how),
    "local lift alone": lambda counts, **how: plot_lift(
        counts, local=True, cumulative=False, **how
    ),
    "local lift": lambda counts, **how: plot_lift(counts, local=True, **how),
}


def test_names_on_the_command_line():
    assert sorted(ALL) == [
        "calibration",
        "cap",
        "captured-response",
        "decision",
        "ks",
        "lift",
        "lorenz",
        "mean-amount",
        "precision-recall",
        "profit",
        "risk-coverage",
        "roc",
        "score-distributions",
    ]
    assert set(ALL) > SEVERAL


@pytest.mark.turns(4)
@pytest.mark.parametrize(("kind", "data"), pairs(DRAW, [*SAMPLES, "continuous"]))
def test_returns_the_axes_given_and_renders(kind, data, ax, request):
    counts = request.getfixturevalue(data)
    before = counts.to_dict() if len(counts) < 100 else None
    assert DRAW[kind](counts, ax=ax) is ax
    ax.figure.canvas.draw()
    assert before is None or counts.to_dict() == before
    assert any(text.startswith("n = ") for text in head(ax))
    assert plt.get_fignums() == [ax.figure.number]


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", DRAW)
def test_makes_one_figure_when_no_axes_are_given(kind, five):
    ax = DRAW[kind](five)
    assert plt.get_fignums() == [ax.figure.number]
    assert ax.get_xlabel()
    assert ax.get_ylabel()


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.merge if place % 3 else [])
        for place, kind in enumerate(DRAW)
    ],
)
def test_draws_twice_into_the_same_axes(kind, five, grades, ax):
    DRAW[kind]({"first": five}, ax=ax)
    DRAW[kind]({"second": grades}, ax=ax)
    ax.figure.canvas.draw()
    assert sample(ax) == ["n = 5, 3 positives (60.0%)", "n = 1,015, 125 positives (12.3%)"]


@pytest.mark.parametrize("kind", DRAW)
def test_a_missing_class_raises_and_leaves_no_figure(kind):
    with pytest.raises(ValueError, match="positives"):
        DRAW[kind](count_scores([0, 0], [1.0, 2.0]))
    assert plt.get_fignums() == []


@pytest.mark.parametrize("kind", sorted(set(DRAW) - FOR_SEVERAL))
def test_pictures_of_one_score_refuse_several(kind, five, grades):
    with pytest.raises(ValueError, match="one score, got 2"):
        DRAW[kind]({"a": five, "b": grades})
    assert plt.get_fignums() == []


@pytest.mark.parametrize("kind", DRAW)
@pytest.mark.parametrize(
    ("given", "error", "found"),
    [({}, ValueError, "empty"), ([1, 2], TypeError, "list"), ({"a": 3}, TypeError, "'a'")],
)
def test_what_is_not_counts_is_refused(kind, given, error, found):
    with pytest.raises(error, match=found):
        DRAW[kind](given)
    assert plt.get_fignums() == []


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", sorted(FOR_SEVERAL))
def test_several_models_differ_in_colour_and_in_dashes(kind, grades, ax):
    names = [f"model {i}" for i in range(8)]
    DRAW[kind](dict.fromkeys(names, grades), ax=ax)
    drawn = [found for found in ax.lines if found.get_label().startswith("model")]
    looks = {(found.get_color(), str(found._dash_pattern)) for found in drawn}
    assert len(looks) == len(drawn) == 8
    assert len({str(found._dash_pattern) for found in drawn[:6]}) == 6
    assert {found.get_color() for found in drawn}.isdisjoint({STYLE_OF_NEGATIVES.colour})
    assert len([text for text in legend(ax) if text.startswith("model")]) == 8


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", sorted(FOR_SEVERAL))
def test_of_many_segments_two_are_in_colour_and_named(kind, five, grades, ax):
    months = DrawnSegments({f"2025-{month:02}": grades for month in range(1, 13)})
    DRAW[kind](months, ax=ax)
    named = [text for text in legend(ax) if text.startswith("2025")]
    assert [text[:7] for text in named] == ["2025-01", "2025-12"]
    assert any(text.startswith("10 others  ") for text in legend(ax))
    drawn = [found for found in ax.lines if mpl.colors.to_hex(found.get_color()) == GREY]
    assert len(drawn) == 10
    ax.clear()
    DRAW[kind](DrawnSegments(dict.fromkeys("abcde", five)), ax=ax)
    assert not any("others" in text for text in legend(ax))


def test_of_segments_that_are_no_periods_the_best_and_the_worst_are_named(five, grades, ax):
    parts = {"a": five, "b": grades, "c": five, "d": five, "e": five, "f": five}
    parts["f"] = count_scores([0, 0, 1], [3, 2, 1])
    KINDS["cap"](DrawnSegments(parts), ax=ax)
    assert {text[:1] for text in legend(ax) if "AR" in text and "others" not in text} == {"b", "f"}


@pytest.mark.parametrize("kind", sorted(FOR_SEVERAL))
def test_a_second_drawing_looks_different(kind, five, grades, ax):
    DRAW[kind]({"one": five}, ax=ax)
    DRAW[kind]({"two": grades}, ax=ax)
    looks = {
        found.get_color() for found in ax.lines if found.get_label().startswith(("one", "two"))
    }
    assert len(looks) == 2


def test_more_than_six_models_and_then_one_more_all_look_different(five, ax):
    KINDS["cap"]({f"model {i}": five for i in range(8)}, ax=ax)
    KINDS["cap"]({"model 8": five}, ax=ax)
    drawn = [found for found in ax.lines if found.get_label().startswith("model")]
    assert len({(found.get_color(), str(found._dash_pattern)) for found in drawn}) == 9


@pytest.mark.parametrize(
    "kind", ["captured-response", "score-distributions", "ks along the score", "local lift alone"]
)
def test_negatives_have_one_look_that_no_model_has(kind, continuous, ax):
    DRAW[kind](continuous, ax=ax)
    handles, labels = ax.get_legend_handles_labels()
    (negatives,) = [
        handle for handle, label in zip(handles, labels, strict=True) if "egatives" in label
    ]
    looks = "get_edgecolor" if hasattr(negatives, "get_edgecolor") else "get_color"
    assert mpl.colors.to_hex(getattr(negatives, looks)()).upper() == STYLE_OF_NEGATIVES.colour
    assert STYLE_OF_NEGATIVES not in [model_style(place) for place in range(36)]
    assert len({model_style(place) for place in range(36)}) == 36


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", sorted(FOR_SEVERAL))
def test_a_few_differing_samples_have_a_line_each_and_many_a_range(kind, five, grades, ax):
    DRAW[kind]({"one": five, "two": grades}, ax=ax)
    one, two = "n = 5, 3 positives (60.0%)", "n = 1,015, 125 positives (12.3%)"
    assert sample(ax) == [f"one: {one}", f"two: {two}"]
    ax.clear()
    DRAW[kind]({"one": five, "two": grades, "three": five, "four": five}, ax=ax)
    assert sample(ax) == ["n = 5–1,015, 3–125 positives (12.3%–60.0%)"]


def test_a_picture_says_what_it_shows_and_where_it_came_from(five, tmp_path):
    saved = tmp_path / "x.svg"
    save_picture(KINDS["cap"](five), saved, title="CAP: a_b $x$", source="may.csv · digest 12ab")
    drawn = saved.read_text()
    assert "CAP: a_b $x$</dc:title>" in drawn
    assert "may.csv · digest 12ab</dc:description>" in drawn
    assert "<!-- may.csv · digest 12ab -->" in drawn


NAMES = {
    "_hidden": "_hidden",
    "$x_1$ $": "$x_1$ $",
    "two\nlines": "two lines",
    "": "(empty)",
    "a" * 500: "aaa…aaa",
    "<b>&amp;</b>]]>": "<b>&amp;</b>]]>",
    "%s {0}": "%s {0}",
    "\\$a\\frac": "\\$a\\frac",
    "a\x00\x01\x1b[31m": "a\ufffd\ufffd\ufffd[31m",
    "\ud800\uffff": "\ufffd\ufffd",
    "שלום": "\u200eשלום\u200e",
}


@pytest.mark.parametrize(("kind", "name"), pairs(DRAW, NAMES))
def test_any_name_is_shown(kind, name, grades, ax):
    DRAW[kind]({name: grades}, ax=ax)
    start, end = NAMES[name].split("…") if "…" in NAMES[name] else (NAMES[name], "")
    written = [*legend(ax), ax.get_xlabel().strip(), ax.get_ylabel()]
    if kind not in {"captured-response", "local lift alone"}:  # which name no score
        (shown,) = {text for text in written if text.replace(r"\$", "$").startswith(start)}
        assert end in shown
    assert all(len(text) < 120 for text in written)


@pytest.mark.parametrize(
    "suffix", ["svg", *(pytest.param(form, marks=pytest.mark.merge) for form in ("pdf", "png"))]
)
def test_names_of_any_kind_are_saved(suffix, five, ax, tmp_path):
    KINDS["cap"](dict.fromkeys(NAMES, five), ax=ax)
    save_picture(ax, tmp_path / f"x.{suffix}")
    assert_whole(tmp_path / f"x.{suffix}")


def assert_whole(path):
    """Say that a file is a picture of its suffix, from its first bytes to its last."""
    first, last = {
        ".svg": (b"<?xml", b"</svg>"),
        ".pdf": (b"%PDF", b"%%EOF"),
        ".png": (b"\x89PNG", b"IEND\xaeB`\x82"),
    }[path.suffix]
    found = path.read_bytes().strip()
    assert found.startswith(first)
    assert found.endswith(last)
    if path.suffix == ".svg":
        ET.fromstring(found)  # noqa: S314 - our own


def test_names_that_are_cut_alike_are_numbered(five, ax):
    names = ["a" * 100, "a" * 50 + "b" + "a" * 49, "x y", "x\ny", "b"]
    KINDS["cap"](dict.fromkeys(names, five), ax=ax, interval=None)
    shown = [text.removesuffix("  AR 0.333") for text in legend(ax)[:5]]
    cut = "a" * 15 + "…" + "a" * 14
    assert shown == [f"{cut} #1", f"{cut} #2", "x y #1", "x y #2", "b"]


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_a_title_that_no_document_can_hold_is_saved(suffix, five, ax, tmp_path):
    KINDS["cap"](five, ax=ax)
    ax.set_title("a\x01b\ud800")
    save_picture(ax, tmp_path / f"x.{suffix}")
    assert_whole(tmp_path / f"x.{suffix}")


def test_a_cut_off_in_a_legend_can_be_typed_back(ax):
    scores = np.array([0.123456789, 0.123456781, 0.12345, -0.3])
    counts = count_scores([1, 0, 0, 0], scores)
    for kind in ("ks", "ks along the score", "profit"):
        ax.clear()
        DRAW[kind](counts, ax=ax)
        (text,) = [text for text in legend(ax) if "≥" in text]
        typed = number_in(text.rsplit("≥", 1)[1].strip())
        assert (scores >= typed).tolist() == [True, False, False, False]
    ax.clear()
    plot_ks(count_scores([0, 0, 0, 1], scores, higher_is="negative"), ax=ax)
    assert number_in(legend(ax)[1].rsplit("≤", 1)[1].strip()) == -0.3


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("kind", "scores"), pairs(DRAW, product([6, 300], ["far", "wide", "infinite"]))
)
def test_any_scores_are_drawn(kind, scores, ax):
    how_many, which = scores
    rng = np.random.default_rng(3)
    target = np.arange(how_many) % 3 == 0
    far = rng.permutation(np.arange(how_many, dtype=np.uint64) + np.uint64(2**63))
    wide = np.where(np.arange(how_many) < 2, [-(2**63)], rng.integers(0, 2**62, how_many))
    wide[-1] = 2**63 - 1
    infinite = rng.normal(size=how_many)
    infinite[:2] = -np.inf, np.inf
    of_kind = {"far": far, "wide": wide.astype(np.int64), "infinite": infinite}
    DRAW[kind](count_scores(target, of_kind[which]), ax=ax)
    ax.figure.canvas.draw()
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", DRAW)
def test_low_scores_may_be_bad_and_rows_may_weigh(kind, ax):
    counts = count_scores(
        [1, 0, 1, 0],
        [1.0, 2.0, 3.0, 4.0],
        weight=[0.5, 1.5, 2.0, 4.0],
        weight_kind="sampling",
        higher_is="negative",
    )
    DRAW[kind](counts, ax=ax)
    assert sample(ax) == ["n = 4, 2 positives (31.2% by weight)"]


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", sorted(set(DRAW) - {"ks along the score", "score-distributions"}))
def test_many_scores_become_few_points(kind, continuous, ax):
    DRAW[kind](continuous, ax=ax)
    assert max(len(found.get_xdata()) for found in ax.lines) < 5000


@pytest.mark.turns(4)
@pytest.mark.parametrize(("kind", "width"), pairs(DRAW, [3.5, 7]))
def test_text_shrinks_with_the_column(kind, width, five):
    _, ax = plt.subplots(figsize=(width, 3))
    DRAW[kind](five, ax=ax)
    size = ax.get_xticklabels()[0].get_fontsize()
    assert (size < 8) == (width < 4)
    assert size > 6.5


def test_drawing_without_matplotlib_says_what_to_install(five, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'"capcurve\[plot\]", in a clone "\.\[plot\]"'):
        KINDS["cap"](five)


@pytest.mark.merge
def test_importing_needs_no_matplotlib_and_drawing_says_what_to_install():
    script = """
import sys
sys.modules["matplotlib"] = None
sys.modules["matplotlib.pyplot"] = None
import capcurve
from capcurve.plots import plot_cap
try:
    plot_cap(capcurve.count_scores([1, 0], [2, 1]))
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith('pictures need matplotlib: pip install "capcurve[plot]", in')


@pytest.mark.merge
def test_importing_the_pictures_does_not_load_matplotlib():
    script = "import sys, capcurve.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_empty_counts_are_refused():
    empty = ScoreCounts.from_counts([], [], [])
    for draw in DRAW.values():
        with pytest.raises(ValueError, match=r"no (cases|positives)"):
            draw(empty)


@pytest.mark.parametrize(
    "kind", ["captured-response", "ks", "score-distributions", "profit", "ks along the score"]
)
def test_pictures_of_one_score_give_its_ratio_with_limits(kind, grades, ax):
    ax.figure.set_size_inches(7, 5)
    DRAW[kind](grades, ax=ax)
    found = confidence_interval(grades, "accuracy_ratio")
    expected = f"AR {found.estimate:.3f} [{found.low:.3f}, {found.high:.3f}], 95% interval"
    assert expected in head(ax)


TOLD = [
    ({"band": "wide"}, ValueError, "band must be .simultaneous. or .pointwise., got 'wide'"),
    ({"band": 0.95}, TypeError, "band takes what null_band or cap_band return.*got 0.95"),
    ({"band": [0.95]}, TypeError, "band takes what null_band or cap_band return.*got 0.95"),
    ({"band": {"A": 1}}, TypeError, "band takes what null_band or cap_band return.*'A': 1"),
    ({"random": 0.5}, TypeError, "random must be True, False or ScoreCounts, got float"),
    ({"ax": "x"}, TypeError, "ax must be axes of matplotlib, got str"),
    ({"q": "a"}, ValueError, "q must be between 0 and 1, got 'a'"),
    ({"q": [0.1, 1.5]}, ValueError, "q must be between 0 and 1, got 1.5"),
    ({"interval": "x"}, ValueError, "interval must be between 0 and 1, got 'x'"),
    ({"interval": 95}, ValueError, "interval must be between 0 and 1, got 95"),
    ({"colour": "x"}, TypeError, "keyword argument 'colour'; it takes ax, q, .* title, color, "),
]


@pytest.mark.parametrize(("how", "error", "message"), TOLD)
def test_what_a_cap_does_not_take_is_told(five, how, error, message):
    open_before = plt.get_fignums()
    with pytest.raises(error, match=message):
        plot_cap(five, **how)
    assert plt.get_fignums() == open_before


@pytest.mark.parametrize("kind", KINDS)
def test_every_picture_says_which_keywords_it_takes(five, kind):
    with pytest.raises(TypeError, match=r"plot_\w+\(\) got .* 'colour'; it takes .*ax.* color, "):
        DRAW[kind](five, colour="red")


@pytest.mark.merge
def test_gains_are_a_cap(five):
    ax = evaluate(five).plot("gains")
    assert ax.get_xlabel() == evaluate(five).plot("cap").get_xlabel()
    with pytest.raises(TypeError, match=r"'colour'; it takes .* color, label"):
        evaluate(five).plot(colour="red")


@pytest.mark.parametrize(
    ("draw", "how", "message"),
    [
        (plot_lift, {"start": "a"}, "start must be a number, got 'a'"),
        (plot_score_distributions, {"bins": "x"}, "bins must be 1 or more, got x"),
        (plot_score_distributions, {"bins": 2.5}, "bins must be 1 or more, got 2.5"),
    ],
)
def test_numbers_of_pictures_are_numbers(five, draw, how, message):
    with pytest.raises(ValueError, match=message):
        draw(five, **how)
