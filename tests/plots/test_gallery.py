"""The gallery of the shipped loans."""

import subprocess
import sys
from pathlib import Path

GALLERY = Path(__file__).parents[2] / "examples" / "gallery.py"


def test_the_gallery_draws_every_picture(tmp_path):
    command = [sys.executable, "-W", "error", str(GALLERY), str(tmp_path), "--width", "3.5"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    drawn = sorted(path.stem for path in tmp_path.glob("*.png"))
    assert len(drawn) == 17
    assert {"cap", "roc", "lift", "captured-response", "ks", "precision-recall", "profit"} <= set(
        drawn
    )
