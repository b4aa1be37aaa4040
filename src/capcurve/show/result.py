"""What every result with a page of its own can do: show itself, and be saved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from capcurve.numbers.frame import Backend, data_frame
from capcurve.numbers.nouns import Noun
from capcurve.numbers.plain import plain
from capcurve.numbers.types import ByValue
from capcurve.numbers.whole import write_whole
from capcurve.show import PICTURES
from capcurve.show.table import Speaks, Table
from capcurve.show.wording import in_words

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from capcurve.show.presentation import Presentation


class Record:
    """A frozen dataclass that becomes plain values: its fields, and what else it names."""

    __slots__ = ()

    _schema_version: ClassVar[int | None] = None  # stands first; None for a part of another record
    _left_out: ClassVar[frozenset[str]] = frozenset()  # fields that are not written
    _added: ClassVar[tuple[str, ...]] = ()  # properties that are
    _as_rows: ClassVar[frozenset[str]] = frozenset()  # tables written row by row, others by column
    _renamed: ClassVar[tuple[tuple[str, str], ...]] = ()  # names that are written as other keys

    def to_dict(self) -> dict[str, Any]:
        """Return the result as values that strict JSON can hold."""
        every = (each.name for each in fields(self))  # type: ignore[arg-type]  # of dataclasses
        left_out = {*self._left_out, "speaks"}  # programs read the names that they know
        names = [name for name in (*every, *self._added) if name not in left_out]
        keys = dict(self._renamed)
        version = {} if self._schema_version is None else {"schema_version": self._schema_version}
        return {**version, **{keys.get(name, name): self._plain(name) for name in names}}

    def _plain(self, name: str) -> Any:
        value = getattr(self, name)
        by_row = name in self._as_rows and isinstance(value, Table)
        return plain(list(value.rows()) if by_row else value)


@dataclass(frozen=True, eq=False, repr=False)
class Result(ByValue, Record, ABC):
    """A result that shows itself as text, picture, page and notebook card.

    Each kind of result is a frozen dataclass with `repr=False` that says what it shows.
    """

    __slots__ = ()  # each kind of result has the field in its own

    # In which words people read it: the target's own for positives, those of the command line.
    speaks: Speaks | None = field(default=None, kw_only=True, compare=False, repr=False)

    _schema_version: ClassVar[int | None] = 1
    _added: ClassVar[tuple[str, ...]] = ("sentence",)

    @abstractmethod
    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""

    def in_words(self, positive_word: str) -> Self:
        """Return the same result, which calls positives by another word where people read it.

        Names in JSON, csv and data frames stay. Raises `ValueError` for what is no noun.

        Parameters
        ----------
        positive_word
            A plural such as "defaults"; one and several as "person/people".

        Examples
        --------
        >>> from capcurve import count_scores, summarize
        >>> found = summarize(count_scores([1, 0, 0], [3, 2, 1])).in_words("defaults")
        >>> "only 1 default" in found.to_text()
        True
        """
        return replace(self, speaks=Noun.of(positive_word))

    def _presented(self) -> Presentation:
        """Return what the result shows, in its own words."""
        return in_words(self.presentation(), self.speaks)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return self._presented().sentences[0]

    def to_html(self) -> str:
        """Return the page: one HTML document without script that loads nothing."""
        from capcurve.show.html import render_result

        return render_result(self._presented())

    def to_markdown(self) -> str:
        """Return the result in Markdown: sentences, numbers, findings, tables and notes."""
        return self._in_markup("md")

    def to_latex(self) -> str:
        r"""Return the result as sections that a LaTeX document takes in by `\input`.

        Sentences, numbers, findings, tables and notes, for which no package is needed.
        """
        return self._in_markup("tex")

    def _in_markup(self, form: str) -> str:
        """Return the result in one of the formats of other documents."""
        from capcurve.show.text import MARKUPS

        return MARKUPS[form].result(self._presented())

    def to_text(self) -> str:
        """Return the result as text for a screen."""
        from capcurve.show.text import result_text

        return result_text(self._presented())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the picture of the result, on a new figure unless `ax` is given.

        Raises `ValueError` when there is nothing to draw.
        """
        from capcurve.show.canvas import plot_chart

        shown = self._presented()
        if not shown.charts:
            raise ValueError(f"there is nothing to draw: {shown.sentences[0]}")
        return plot_chart(shown.charts[0], ax)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the result to a file; its suffix says as what.

        The file is complete, or not there at all. Raises `ValueError` for another suffix, and where
        there is no table or nothing to draw.

        Parameters
        ----------
        path
            Ends in .html (the page), .json (the numbers), .md, .tex or .txt (the text),
            .csv (the first table, or a few numbers in one row), or .png, .svg, .pdf (the picture).
        """
        target = Path(path)
        writers = self._writers()
        writer = writers.get(target.suffix.lower())
        if writer is None:
            raise ValueError(f"{target.name}: the name must end in {', '.join(writers)}")
        write_whole(target, writer)
        return target

    def _writers(self) -> dict[str, Callable[[Path], None]]:
        """Return what writes a file, by its suffix."""
        from capcurve.show.text import MARKUPS, defused, to_csv, to_json, write_text

        def in_markup(file: Path) -> None:
            write_text(file, self._in_markup(file.suffix.lower()[1:]))

        return {
            ".html": lambda file: write_text(file, self.to_html()),
            ".json": lambda file: write_text(file, to_json(self.to_dict())),
            **{f".{form}": in_markup for form in MARKUPS},
            ".txt": lambda file: write_text(file, self.to_text()),
            ".csv": lambda file: write_text(file, to_csv(defused(self._columns()))),
            **dict.fromkeys(PICTURES, self._write_picture),
        }

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with the rows that a file of csv has, numbers in full.

        Raises `ValueError` where there is no table.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; when left out the kind that the rows came in where the
            result knows it, else the first of these that is installed.
        """
        return data_frame(self._columns(), backend)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the columns of csv and data frames: those of the first table."""
        tables = self._presented().tables
        if not tables:
            raise ValueError("this result has no table, but a few numbers; write .json")
        return tables[0].values()

    def _write_picture(self, path: Path) -> None:
        from capcurve.show.canvas import save_picture

        save_picture(self.plot(), path)

    def show(self) -> None:
        """Open the page: in the notebook (Jupyter, marimo), or in the browser."""
        from capcurve.show.html import show_page

        show_page(self.to_html(), self._presented().title)

    def _repr_html_(self) -> str:
        from capcurve.show.html import render_result_card

        return render_result_card(self._presented())

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.sentence


@dataclass(frozen=True, eq=False, repr=False)
class OneRow(Result):
    """A result of a few numbers, which are one row of a file of csv."""

    __slots__ = ()

    _schema_version = None
    _added: ClassVar[tuple[str, ...]] = ()

    def _row(self) -> dict[str, Any]:
        return {n: v for n, v in self.to_dict().items() if not isinstance(v, dict | list)}

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return {name: [value] for name, value in self._row().items()}
