"""A finished picture becomes a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.tables.shown import writable

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

DOTS_PER_INCH = 200
# Without dates in them, equal pictures are equal files.
NO_DATE = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}


def save_picture(axes: Axes, path: Path) -> None:
    """Write the figure of the axes as its suffix says, and let go of it.

    Raises
    ------
    ValueError
        When the suffix is not .png, .svg or .pdf.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from matplotlib.text import Text

    suffix = path.suffix.lower()
    if suffix not in NO_DATE:
        raise ValueError(f"{path.name}: a picture is written as {', '.join(NO_DATE)}")
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("these axes belong to no figure")
    try:
        for text in figure.findobj(Text):
            text.set_text(writable(text.get_text()))
        with mpl.rc_context({"svg.hashsalt": "capcurve"}):  # else names inside are random
            figure.savefig(path, dpi=DOTS_PER_INCH, bbox_inches="tight", metadata=NO_DATE[suffix])
    finally:
        plt.close(figure)
