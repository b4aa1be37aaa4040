"""What the caller asks to be read: which files, and how their text is written."""

from __future__ import annotations

import codecs
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

# One set for every text file, because the writer is rarely known: nothing at all (pandas,
# spreadsheets), "." (SAS), NA (R), NULL (SQL clients), NaN (Python), N/A and #N/A (spreadsheets).
# Words that also name things ("None", "nil", "-", "?") are values.
NULL_VALUES = ("", ".", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "NaN", "nan")


@dataclass(frozen=True, slots=True)
class Files:
    """Which files to read, and how their text is written.

    Attributes
    ----------
    paths
        Files, globs, or "-" for standard input; together they are one set of rows.
    delimiter
        The one character between the fields of a csv file; None finds it in the file.
    decimal
        "." or ","; None reads the mark off the column, and asks where it could be either.
    encoding
        Any codec Python knows; a byte-order mark is obeyed whatever is said here.
    null_values
        Words that mean "no value" in csv and json text, also inside quotes. Parquet has
        nulls of its own, so words are never nulls there.
    """

    paths: tuple[str, ...]
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"
    null_values: tuple[str, ...] = NULL_VALUES

    def __post_init__(self) -> None:
        if not self.paths:
            raise ValueError("no file is named; give a path, a glob, or '-' for standard input")
        if self.paths.count("-") > 1:
            raise ValueError("'-' is named more than once; standard input can be read only once")
        if self.delimiter == r"\t":  # what a shell passes for a quoted "\t"
            object.__setattr__(self, "delimiter", "\t")
        self._check_marks()
        _check_codec(self.encoding)

    @classmethod
    def of(
        cls, paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any
    ) -> Self:
        """Make the request from one path or many.

        Parameters
        ----------
        paths
            A path, a glob, "-", or a sequence of them.
        **options
            The other attributes.

        Returns
        -------
        Files
            The request, its paths as text.

        Examples
        --------
        >>> Files.of("loans.csv", decimal=",").paths
        ('loans.csv',)
        """
        many = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        return cls(tuple(os.fspath(path) for path in many), **options)

    def _check_marks(self) -> None:
        mark, decimal = self.delimiter, self.decimal
        if mark is not None and (len(mark) != 1 or mark in '"\r\n'):
            raise ValueError(f"the delimiter is {mark!r}; it must be one character such as ';'")
        if decimal not in (None, ".", ","):
            raise ValueError(f"the decimal mark is {decimal!r}; it must be '.' or ','")
        if decimal is not None and decimal == mark:
            raise ValueError(f"{mark!r} cannot be both the delimiter and the decimal mark")


def _check_codec(encoding: str) -> None:
    """Refuse an encoding that is unknown, or that does not decode bytes to text."""
    try:
        codecs.getincrementaldecoder(encoding)
        "a".encode(encoding)  # refuses codecs between bytes and bytes, such as base64
    except (LookupError, UnicodeError):
        raise ValueError(
            f"the encoding {encoding!r} is not known; try utf-8, cp1252 or utf-16"
        ) from None
