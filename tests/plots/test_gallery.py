"""The gallery of the shipped loans."""

import runpy
import sys
from pathlib import Path

import pytest

GALLERY = Path(__file__).parents[2] / "examples" / "gallery.py"


@pytest.mark.merge
def test_the_gallery_draws_every_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(GALLERY), str(tmp_path), "--width", "3.5"])
    runpy.run_path(str(GALLERY), run_name="__main__")
    drawn = sorted(path.stem for path in tmp_path.glob("*.png"))
    assert len(drawn) == 18
    assert {
        "cap",
        "roc",
        "lift",
        "captured-response",
        "ks",
        "precision-recall",
        "profit",
        "risk-coverage",
    } <= set(drawn)
