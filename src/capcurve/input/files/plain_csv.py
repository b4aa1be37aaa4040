"""A csv file read by Python alone where DuckDB is missing: the same columns, or a refusal."""

from __future__ import annotations

import codecs
import csv
import re
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, compress, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.input.columns import InputColumn
from capcurve.input.files.engine import (
    WRONG_QUOTE,
    NamedColumns,
    mixed_line_ends,
    name_encoding,
    needs_duckdb,
    ragged_row,
)
from capcurve.input.files.formats import CsvHeader, read_header
from capcurve.input.files.textvalues import (
    ANY_NUMBER,
    COMMA_GROUPED,
    PLAIN_GRAMMAR,
    SPECIAL,
    TextKind,
    refuse_lost,
    unclear_mark,
    whole_kind,
)
from capcurve.numbers.order import LARGEST_EXACT_IN_FLOAT

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Sequence,
        Set as AbstractSet,
    )

    from capcurve.input.files.sources import Files, Source
    from capcurve.numbers.types import Array, Bools

_ROWS = 1 << 16  # so many are taken apart at once
_LONGEST = 500_000  # letters of a line; one may have four bytes
_BLANKS = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
_BLANKS += "\u202f\u205f\u3000"  # what SQL trims
# What it casts has blanks of all kinds around it; as a pattern, numbers have only these.
_CAST, _AROUND = r"[ \t\n\r\v\f]*", r"[ \t]*"
_ANY = re.compile(f"{_CAST}{ANY_NUMBER}{_CAST}")
_PLAIN, _WHOLE, _GROUPED, _SPECIAL, _LISTED = (
    re.compile(f"{_AROUND}{pattern}{_AROUND}")
    for pattern in (PLAIN_GRAMMAR.number, PLAIN_GRAMMAR.whole, COMMA_GROUPED, SPECIAL, ANY_NUMBER)
)
_DIGITS, _SIGNS = b"0123456789", frozenset(b"+-.eE")
_MANY = 60  # letters of a number beyond any that is held exactly
_RANGES = ((-(2**63), 2**63), (0, 2**64))
_DTYPES: dict[TextKind, Any] = {"boolean": bool, "integer": np.int64, "unsigned": np.uint64}
_DTYPES |= {"number": np.float64, "empty": np.float64, "text": object}

_VALUES: dict[str, Callable[[str], Any]] = {"text": str, "integer": int, "unsigned": int}
_VALUES["boolean"] = lambda word: word.strip(_BLANKS).lower() == "true"


@dataclass(frozen=True, slots=True)
class PlainCsv(NamedColumns):
    """One csv file in UTF-8, its columns known by their places."""

    label: str
    names: tuple[str, ...]
    advice: str
    source: Source
    header: CsvHeader
    files: Files
    kind: str = "csv"
    elsewhere: str = ""
    unusable: Sequence[str] = ()

    @classmethod
    def of(cls, source: Source, files: Files) -> PlainCsv:
        """Look at the names of a file."""
        header = read_header(source, files)
        return cls(source.label, header.names, header.advice, source, header, files)

    def columns(self, names: Iterable[str], as_text: Collection[str]) -> dict[str, InputColumn]:
        """Read columns by their exact names, some of them as text without asking."""
        places = {name: self.position(name) for name in names}
        found = self._words([*places.values()])
        return {name: self._column(name, next(found), name in as_text) for name in places}

    def listed(self, places: Sequence[int], most: int) -> Iterator[list[str | None]]:
        """Yield the first words of each column, None where a word is for no value."""
        for words in self._words(places, most):
            yield [None if self._is_null(word) else word for word in words]

    def _is_null(self, word: str) -> bool:
        return word in self.files.null_values or word.strip(_BLANKS) in self.files.null_values

    def _words(self, places: Sequence[int], most: int | None = None) -> Iterator[list[str]]:
        """Yield the words of each column."""
        found: list[list[str]] = [[] for _ in places]
        for fields in self._fields(most):
            for words, place in zip(found, places, strict=True):
                words.extend(fields[place :: len(self.names)])
        while found:
            yield found.pop(0)

    def _fields(self, most: int | None) -> Iterator[list[str]]:
        """Yield the fields of the rows below the names, of some rows at a time, end to end."""
        line, wide = self.header.skip + 1, len(self.names)
        text = self._text()
        names = 1
        for widths, fields in (self._quoted if '"' in text else self._unquoted)(text):
            if not {wide, 0}.issuperset(widths):
                place, found = next((i, n) for i, n in enumerate(widths) if n not in (wide, 0))
                raise self._fault(line + place, ragged_row(wide, found))
            line += len(widths)
            full = fields[names * wide :][: None if most is None else most * wide]
            names, most = 0, None if most is None else most - len(full) // wide
            yield full
            if most == 0:
                return

    def _unquoted(self, text: str) -> Iterator[tuple[list[int], list[str]]]:
        """Yield how wide lines are, and their fields; a list for each line would take thrice."""
        lines, mark = text.split(self.header.line_end), self.header.delimiter
        for start in range(0, len(lines), _ROWS):
            part = lines[start : start + _ROWS]
            widths = [each.count(mark) + 1 if each else 0 for each in part]
            yield widths, mark.join(filter(None, part)).split(mark) if any(widths) else []

    def _quoted(self, text: str) -> Iterator[tuple[list[int], list[str]]]:
        end, done = self.header.line_end, self.header.skip + 1
        lines = (f"{each}{end}" for each in text.removesuffix(end).split(end))
        reader = csv.reader(lines, delimiter=self.header.delimiter, strict=True)
        rows: list[list[str]] = [[]]
        while rows:
            rows = []
            try:
                rows.extend(islice(reader, _ROWS))
            except csv.Error:
                found = f"{self.label}, line {done + len(rows)}, has a very long field"
                raise needs_duckdb(f"{found}, and such files are read") from None
            done += len(rows)
            yield [*map(len, rows)], [*chain.from_iterable(rows)]

    def _text(self) -> str:
        """Return what stands from the names on, refusing what is no text or not regular."""
        end, skip = self.header.line_end, self.header.skip
        with self.source.open() as file:
            data = file.read().removeprefix(codecs.BOM_UTF8)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            line = data.count(end.encode(), 0, error.start) + 1
            raise self._fault(line, f"not utf-8; {name_encoding()}") from None
        *before, text = text.split(end, skip)
        if len(before) < skip or any("\r" in line or "\n" in line for line in before):
            raise ValueError(mixed_line_ends(self.label))
        bare, edge = text, rf"[{re.escape(self.header.delimiter)}\r\n]"
        if '"' in text:
            bare = re.sub(rf'(^|{edge})"(?:[^"]++|"")*+"(?=$|{edge})', r"\1", text)
        regular, quote, _ = bare.partition('"')
        if quote:
            raise self._fault(regular.count(end) + skip + 1, WRONG_QUOTE)
        rest = bare.replace(end, "")
        if "\r" in rest or "\n" in rest:
            raise ValueError(mixed_line_ends(self.label))
        if "\0" in text or (len(text) > _LONGEST and max(map(len, text.split(end))) > _LONGEST):
            found = f"{self.label} has zero bytes or lines above {_LONGEST:,} letters"
            raise needs_duckdb(f"{found}, and such files are read")
        return text

    def _fault(self, line: int, what: str) -> ValueError:
        return ValueError(f"{self.label}, line {line}: {what}")

    def _column(self, name: str, words: Sequence[str], is_text: bool) -> InputColumn:
        if words and not is_text and (numbers := self._numbers(words)) is not None:
            return InputColumn(name, numbers)
        distinct = set(words)
        kind, null = self._judge(name, distinct, is_text)
        value = _VALUES.get(kind, float)
        values = {word: value(word) for word in distinct - null}
        values |= dict.fromkeys(null, None if kind == "text" else 0)
        stored = np.fromiter(map(values.__getitem__, words), _DTYPES[kind], len(words))
        missing = np.fromiter(map(null.__contains__, words), bool, len(words))
        return InputColumn(name, stored, missing if null else None)

    def _numbers(self, words: Sequence[str]) -> Array | None:
        """Read a column in which all is plain, and present, in a fraction of the time."""
        if any(letter.isdigit() for word in self.files.null_values for letter in word):
            return None  # a number may be no value
        signs = _signs_of(words)
        with suppress(ValueError, OverflowError):
            if signs.issubset(b"+-"):
                return np.fromiter(map(int, words), np.int64, len(words))
            clear = self.files.decimal != "," and not self._may_be_grouped(words)
            if signs.issubset(_SIGNS) and clear:
                found = np.fromiter(map(float, words), np.float64, len(words))
                return None if _doubtful(found).any() else found
        return None

    def _may_be_grouped(self, words: Collection[str]) -> bool:
        """Whether what looks like thousands in all numbers may be that."""
        pointed = (word for word in words if "." in word)
        some = any("." in word for word in words)
        return self.files.decimal != "." and some and all(map(_GROUPED.fullmatch, pointed))

    def _judge(
        self, name: str, words: AbstractSet[str], is_text: bool
    ) -> tuple[TextKind, AbstractSet[str]]:
        """Say what words are, as `survey` says it, and which of them are none."""
        exact = words & {*self.files.null_values}
        null = {word for word in words if self._is_null(word)}
        present = words - null
        if not is_text and present and all(map(_is_truth, present)):
            return "boolean", null
        if is_text or not (_are_plain(present) or all(map(_ANY.fullmatch, present))):
            return "text", exact
        self._refuse_unclear(name, present, null - exact)
        if not present:
            return "empty", null
        if all(map(_WHOLE.fullmatch, present)):
            found = [int(word) if len(word) < _MANY else 2**64 for word in present]
            fits = [sum(a <= each < b for each in found) for a, b in _RANGES]
            return whole_kind((len(found), *fits), f"column {name!r} of {self.label}"), null
        _refuse_lost_digits(name, self.label, [*present])
        return "number", null

    def _refuse_unclear(
        self, name: str, present: AbstractSet[str], padded: AbstractSet[str]
    ) -> None:
        """Refuse numbers that Python would read in another way, or not at all."""
        marked = [word for word in present if "." in word or "," in word]
        odd = [word for word in padded if _ANY.fullmatch(word)]
        if odd or not (_are_plain(present) or all(map(_PLAIN.fullmatch, present))):
            odd += [word for word in present if not _PLAIN.fullmatch(word)]
        elif self.files.decimal == ",":
            odd = marked
        elif self._may_be_grouped(present):
            raise ValueError(unclear_mark(name, self.label, min(marked)))
        if odd:
            found = f"column {name!r} of {self.label} holds {min(odd)!r}"
            raise needs_duckdb(f"{found}; decimal commas and digit groups are read")


def _is_truth(word: str) -> bool:
    return word.strip(_BLANKS).lower() in ("true", "false")


def _are_plain(words: AbstractSet[str]) -> bool:
    """Whether Python's float tells at once that all words are numbers."""
    if _signs_of(words).issubset(_SIGNS):
        with suppress(ValueError):
            deque(map(float, words), 0)
            return True
    return False


def _signs_of(words: Iterable[str]) -> set[int]:
    """Return which bytes there are beside digits."""
    return set("".join(words).encode().translate(None, _DIGITS))


def _doubtful(numbers: Array) -> Bools:
    """Return which floats may stand for other numbers than were written."""
    sizes = np.abs(numbers)
    found: Bools = (sizes >= LARGEST_EXACT_IN_FLOAT) | (sizes == 0)
    return found


def _refuse_lost_digits(name: str, label: str, words: Sequence[str]) -> None:
    """Refuse numbers that float64 does not tell apart from others."""
    numbers = np.fromiter(map(float, words), np.float64, len(words))
    doubtful = [*compress(words, _doubtful(numbers))]
    whole = [word for word in doubtful if _WHOLE.fullmatch(word) and float(word)]
    beyond = [w for w in whole if len(w) >= _MANY or not int(w) == float(w) < 2.0**127]
    large = [w for w in doubtful if np.isinf(float(w)) and not _SPECIAL.fullmatch(w)]
    small = [w for w in doubtful if not float(w) and re.search("[1-9]", re.split("[eE]", w)[0])]
    refuse_lost(name, label, *(min(each, default=None) for each in (beyond, large, small)))


def looks(words: AbstractSet[str]) -> tuple[bool, bool, bool, bool]:
    """Whether all words look like whole numbers, numbers, true/false, and moments in time."""
    numbers = all(map(_LISTED.fullmatch, words))
    return (
        all(map(_WHOLE.fullmatch, words)),
        numbers,
        all(map(_is_truth, words)),
        not numbers and all(map(_is_moment, words)),
    )


def _is_moment(word: str) -> bool:
    with suppress(ValueError):
        return datetime.fromisoformat(word) is not None
    return False
