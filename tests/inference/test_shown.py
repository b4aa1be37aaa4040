"""An interval and a test show and save themselves like every other result."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from capcurve import Interval, Test, confidence_interval, count_scores, discrimination_test

RNG = np.random.default_rng(1)
LABELS = RNG.random(500) < 0.3
COUNTS = count_scores(LABELS, np.round(LABELS + RNG.normal(size=500), 1))


def interval() -> Interval:
    return confidence_interval(COUNTS, "accuracy_ratio")


def a_test() -> Test:
    return replace(discrimination_test(COUNTS), low=0.6, high=0.8, level=0.95)


def test_an_interval_reads_as_its_limits_with_method_and_standard_error() -> None:
    found = interval()
    text = found.to_text()
    low, value, high = (f"{each:.4g}" for each in (found.low, found.estimate, found.high))
    assert f"The estimate is {value} [{low}, {high}] (95% interval)." in text
    assert "standard error" in text
    assert "Method: envelope." in text
    assert "| estimate |" in found.to_markdown()
    assert f"{value}" in found._repr_html_()
    assert "<html" in found.to_html()


def test_a_test_reads_as_its_estimate_and_p_value() -> None:
    found = a_test()
    assert found.to_text().splitlines()[2].startswith(f"AUC = 1/2: {found.estimate:.4g} [0.6, 0.8]")
    assert "p-value" in found.to_text()
    without = replace(found, p_value=np.nan, estimate=None, low=None, high=None)
    assert "AUC = 1/2: undefined" in without.to_text()
    with pytest.raises(ValueError, match="there is nothing to draw"):
        without.plot()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"low": np.nan, "high": np.nan},
            "The estimate is 0.5, and its 95% interval is undefined.",
        ),
        ({"high": np.nan}, "The estimate is 0.5, and its 95% interval is undefined."),
        ({"low": np.nan, "estimate": np.nan, "high": np.nan}, "The estimate is undefined."),
    ],
)
def test_what_is_undefined_has_one_word(changed: dict[str, float], said: str) -> None:
    found = replace(replace(interval(), estimate=0.5), **changed)
    assert found.presentation().sentences == (said,)
    assert "nan" not in found.to_text().lower()
    with pytest.raises(ValueError, match="there is nothing to draw"):
        found.plot()
    tested = replace(a_test(), estimate=np.nan, low=np.nan, high=np.nan, p_value=np.nan)
    assert tested.sentence == "AUC = 1/2: undefined (two-sided)."
    assert "nan" not in tested.to_text().lower()


@pytest.mark.parametrize("result", [interval(), a_test()], ids=["interval", "test"])
def test_the_repr_is_one_line(result: Interval | Test, tmp_path: Path) -> None:
    assert len(repr(result).splitlines()) == 1
    low, high = (f"{each:.4g}" for each in (result.low, result.high))
    assert f"{result.estimate:.4g} [{low}, {high}]" in repr(result)
    assert "schema_version" not in result.to_dict()
    assert json.loads(result.save(tmp_path / "a.json").read_text("utf-8")) == result.to_dict()
    head, row = result.save(tmp_path / "a.csv").read_text("utf-8").splitlines()
    assert dict(zip(head.split(","), row.split(","), strict=True))["estimate"] == str(
        result.estimate
    )


@pytest.mark.parametrize("result", [interval(), a_test()], ids=["interval", "test"])
def test_the_picture_is_the_estimate_between_its_limits(result: Interval | Test) -> None:
    axes = result.plot()
    line, point = axes.get_lines()
    assert line.get_xdata() == pytest.approx([result.low, result.high])
    assert point.get_xdata() == pytest.approx([result.estimate])
    assert axes.get_xlim()[0] < 0 < axes.get_xlim()[1]  # how far it is from 0 is seen
    assert axes.figure.get_figheight() < 2
