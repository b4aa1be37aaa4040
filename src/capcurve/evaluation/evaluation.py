"""Evaluation: what was judged, as a card, a page, a picture and all the numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capcurve.counts.plain import plain
from capcurve.input.files.atomic import write_whole
from capcurve.report import render_card, render_page
from capcurve.report.content import Content, Money
from capcurve.report.showing import show_page
from capcurve.summary import SCHEMA_VERSION, Finding, Summary
from capcurve.summary.findings import undefined_segments

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from capcurve.counts import JointCounts, ScoreCounts
    from capcurve.inference import Comparison

PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """How well one or several scores rank, ready to be looked at, saved and quoted.

    In a notebook it shows as a card without script; `show()` opens the page, `save()` writes
    it.

    Attributes
    ----------
    counts
        `ScoreCounts` by score.
    segments
        `ScoreCounts` by score and segment; empty without `by`.
    summaries
        `Summary` by score.
    segment_summaries
        `Summary` by score and segment.
    comparison
        The paired tests of several scores of the same rows; None for one score, and where
        `not_compared` says why.
    not_compared
        The finding that says why several scores are not compared; else none.
    title, source, by, prevalence
        What it is called, where the data came from, what the segments are, and the stated
        prevalence.
    about_rows
        Findings about the rows that were counted: ids that repeat.
    money
        What a captured positive brings and selecting a case costs, or None.
    joint
        Several scores counted together, or None.
    """

    counts: Mapping[str, ScoreCounts]
    segments: Mapping[str, Mapping[Any, ScoreCounts]] = field(default_factory=dict)
    summaries: Mapping[str, Summary] = field(default_factory=dict)
    segment_summaries: Mapping[str, Mapping[Any, Summary]] = field(default_factory=dict)
    comparison: Comparison | None = None
    not_compared: tuple[Finding, ...] = ()
    title: str = "How well the score ranks"
    source: str | None = None
    by: str | None = None
    prevalence: float | None = None
    about_rows: tuple[Finding, ...] = ()
    money: Money | None = None
    joint: JointCounts | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to know about the scores and the segments."""
        own = tuple(f for summary in self.summaries.values() for f in summary.findings)
        return (*self._about_segments(), *own)

    def _about_segments(self) -> tuple[Finding, ...]:
        first = next(iter(self.segments.values()), {})
        return (*self.about_rows, *self.not_compared, *undefined_segments(dict(first)))

    def _content(self) -> Content:
        return Content(
            title=self.title,
            source=self.source,
            # Totals are drawn through the cut-offs that they hold.
            counts={name: counts.vertices for name, counts in self.counts.items()},
            summaries=self.summaries,
            segments=self.segment_summaries,
            by=self.by,
            findings=self._about_segments(),
            prevalence=self.prevalence,
            segment_counts=self.segments,
            money=self.money,
            comparison=self.comparison,
            joint=self.joint,
        )

    def to_html(self) -> str:
        """Return the page: one HTML document that loads nothing."""
        return render_page(self._content())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that strict JSON can hold."""
        segments = {
            name: [
                {"segment": key, **summary.to_row(), "undefined": summary.undefined}
                for key, summary in parts.items()
            ]
            for name, parts in self.segment_summaries.items()
        }
        written: dict[str, Any] = plain(
            {
                "schema_version": SCHEMA_VERSION,
                "title": self.title,
                "source": self.source,
                "by": self.by,
                "findings": [finding.to_dict() for finding in self._about_segments()],
                "scores": [summary.to_dict() for summary in self.summaries.values()],
                "segments": segments,
                "comparison": None if self.comparison is None else self.comparison.to_dict(),
            }
        )
        return written

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the evaluation to a file; its suffix says as what.

        Parameters
        ----------
        path
            Ends in .html (the page), .json (the numbers), or .png, .svg, .pdf (the CAP).

        Returns
        -------
        Path
            The file written; it is complete, or not there at all.

        Raises
        ------
        ValueError
            For another suffix.
        """
        target = Path(path)
        writers: dict[str, Callable[[Path], None]] = {
            ".html": self._write_html,
            ".json": self._write_json,
            **dict.fromkeys(PICTURES, self._write_picture),
        }
        writer = writers.get(target.suffix.lower())
        if writer is None:
            raise ValueError(f"{target.name}: the name must end in {', '.join(writers)}")
        write_whole(target, writer)
        return target

    def _write_html(self, path: Path) -> None:
        path.write_text(self.to_html(), encoding="utf-8")

    def _write_json(self, path: Path) -> None:
        import json

        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        # A lone surrogate in a name becomes \ud800, which JSON reads back as that.
        path.write_bytes((text + "\n").encode("utf-8", "backslashreplace"))

    def _write_picture(self, path: Path) -> None:
        from capcurve.plots import plot_cap, save_picture

        save_picture(plot_cap(self.counts, prevalence=self.prevalence), path)

    def show(self) -> None:
        """Open the page: in the notebook (Jupyter, marimo), or in the browser."""
        show_page(self.to_html(), self.title)

    def _repr_html_(self) -> str:
        return render_card(self._content())

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {summary.sentence}" for name, summary in self.summaries.items())
