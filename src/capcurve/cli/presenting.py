"""A result with a page of its own, written as text, numbers, page or picture."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from capcurve.cli.output import (
    SUFFIXES,
    Destination,
    bold,
    fitted,
    save,
    tell,
    width_of,
    wrapped,
    writes_text,
)
from capcurve.show import PICTURES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from capcurve.show.presentation import Presentation
    from capcurve.show.result import Result

_TEXTS = {suffix: form for suffix, form in SUFFIXES.items() if form != "xlsx"}
RESULTS = _TEXTS | {".html": "html"} | {suffix: suffix[1:] for suffix in PICTURES}

shows_results = writes_text(
    RESULTS,
    " csv is the table, with ' before text that a spreadsheet would take for a formula.",
)


def emit_result(
    result: Result, shown: Presentation, to: Destination, spare: Sequence[str] = ()
) -> None:
    """Write a result in the format asked for, and say its findings on stderr.

    `shown` is what it shows, with its source; `spare` are the columns of its tables that a narrow
    terminal may do without.
    """
    if to.form in ("table", "json", "csv", "md"):
        to.emit(_text(result, shown, to, spare))
    else:
        save(to.path, partial(_write, shown, to))
    tell({"": shown.findings})


def _text(result: Result, shown: Presentation, to: Destination, spare: Sequence[str]) -> str:
    from capcurve.show.columns import to_json
    from capcurve.show.text import result_markdown, result_text

    if to.form == "json":
        return to_json(result.to_dict())
    if to.form == "csv":
        return to.as_csv(shown.tables[0].values())
    if to.form == "md":
        return result_markdown(shown)
    width = width_of() if to.to_screen else None
    return result_text(
        shown,
        width=width,
        emphasis=bold if to.to_screen else str,
        wrap=wrapped if to.to_screen else str,
        fit=lambda columns: fitted(columns, width, spare),
        findings=False,
    )


def _write(shown: Presentation, to: Destination, path: Path) -> None:
    """Write the page, or the picture in the format that the name of the output says."""
    if to.form == "html":
        from capcurve.show.html import render_result

        path.write_bytes(render_result(shown).encode("utf-8", "backslashreplace"))
        return
    from capcurve.show.canvas import plot_chart, save_picture

    save_picture(plot_chart(shown.charts[0]), path)
