"""A result with a page of its own: on the screen, and as the page, picture or table saved."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli.output import (
    SUFFIXES,
    Destination,
    bold,
    save,
    tell,
    width_of,
    wrapped,
    writes_text,
)
from capcurve.view import PICTURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.view.presentation import Presentation

PAGE = {".html": "html"}
DRAWN = {suffix: suffix.removeprefix(".") for suffix in PICTURES}
TEXTS = {suffix: form for suffix, form in SUFFIXES.items() if form != "xlsx"}

writes_results = writes_text(
    {**TEXTS, **PAGE, **DRAWN},
    " csv has the first table, a picture the first one of the page.",
)


def emit_result(shown: Presentation, body: Mapping[str, Any], to: Destination) -> None:
    """Write what a result shows in the format asked for; `body` is what JSON has of it.

    Findings go to standard error.
    """
    if to.form in DRAWN.values():
        if to.output is None:
            raise click.UsageError(f"--format {to.form} is a file; name one with --output")
        save(Path(to.output), partial(_draw, shown))
    else:
        to.emit(_written(shown, body, to))
    tell({"": shown.findings})


def _draw(shown: Presentation, path: Path) -> None:
    from capcurve.plots import plot_chart, save_picture

    if not shown.charts:
        raise click.UsageError(f"there is nothing to draw: {shown.sentences[0]}")
    save_picture(plot_chart(shown.charts[0]), path)


def _written(shown: Presentation, body: Mapping[str, Any], to: Destination) -> str:
    from capcurve import text

    if to.form == "json":
        return text.to_json(body)
    if to.form == "html":
        from capcurve.report import render_result

        return render_result(shown)
    if to.form == "md":
        return text.result_markdown(shown)
    if to.form == "csv":
        return to.as_csv(shown.tables[0].values())
    if not to.to_screen:
        return text.result_text(shown, findings=False)
    return text.result_text(shown, width=width_of(), emphasis=bold, wrap=wrapped, findings=False)
