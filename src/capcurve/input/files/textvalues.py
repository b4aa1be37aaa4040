"""What a column of text holds, judged over every row: whole numbers, numbers, yes/no, text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from capcurve.counts.order import LARGEST_EXACT_IN_FLOAT
from capcurve.input.files.engine import FileTable, one_of, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.input.files.sources import Files

TextKind = Literal["empty", "boolean", "integer", "unsigned", "number", "text"]

_SHOWN = 40
_EXPONENT = r"([eE][+-]?[0-9]+)?"
_SPECIAL = r"[+-]?([iI][nN][fF]([iI][nN][iI][tT][yY])?|[nN][aA][nN])"
_DIGITS = r"[+-]?[0-9]+"
_POINT = r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)" + _EXPONENT
_COMMA = r"[+-]?([0-9]+,?[0-9]*|,[0-9]+)" + _EXPONENT
_POINT_GROUPED = r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+([.][0-9]*)?"  # 1,234.5
_COMMA_GROUPED = r"[+-]?[1-9][0-9]{0,2}([.][0-9]{3})+(,[0-9]*)?"  # 1.234,5
ANY_NUMBER = f"({_POINT}|{_COMMA}|{_POINT_GROUPED}|{_COMMA_GROUPED}|{_SPECIAL})"


@dataclass(frozen=True, slots=True)
class Grammar:
    """How numbers are written under one decimal mark."""

    whole: str
    number: str
    tidy: str  # SQL that turns {} into what a cast understands


PLAIN = Grammar(_DIGITS, f"({_POINT}|{_SPECIAL})", "{}")
_COMMAS = Grammar(_DIGITS, f"({_COMMA}|{_SPECIAL})", "replace({}, ',', '.')")
_MARKS = {
    None: PLAIN,
    ".": Grammar(
        f"({_DIGITS}|[+-]?[1-9][0-9]{{0,2}}(,[0-9]{{3}})+)",
        f"({_POINT}|{_POINT_GROUPED}|{_SPECIAL})",
        "replace({}, ',', '')",
    ),
    ",": Grammar(
        f"({_DIGITS}|[+-]?[1-9][0-9]{{0,2}}([.][0-9]{{3}})+)",
        f"({_COMMA}|{_COMMA_GROUPED}|{_SPECIAL})",
        "replace(replace({}, '.', ''), ',', '.')",
    ),
}


@dataclass(frozen=True, slots=True)
class TextMeaning:
    """What one column of one file holds, and the SQL for its text, as a cast takes it."""

    kind: TextKind
    raw: str
    tidy: str

    def cast(self, kind: TextKind) -> str:
        """Write the SQL for the column's values as a kind at least as wide as its own."""
        if {kind, self.kind} == {"integer", "unsigned"}:
            kind = self.kind  # each file in its own width: they are joined exactly later
        if self.kind == "empty":
            return "CAST(NULL AS VARCHAR)" if kind == "text" else "CAST(NULL AS DOUBLE)"
        return {
            "text": self.raw,
            "boolean": f"lower(trim({self.raw})) = 'true'",
            "integer": f"CAST({self.tidy} AS BIGINT)",
            "unsigned": f"CAST({self.tidy} AS UBIGINT)",
            "number": f"CAST({self.tidy} AS DOUBLE)",
        }[kind]


def whole_kind(counts: Sequence[int], column: str) -> TextKind:
    """Choose the 64-bit kind for n whole numbers of which so many fit int64 and uint64."""
    n, signed, unsigned = counts
    if n in (signed, unsigned):
        return "integer" if n == signed else "unsigned"
    raise ValueError(
        f"{column} holds whole numbers beyond 64 bits, or both below zero and above 2^63; "
        f"write them with a decimal point if digits may be lost"
    )


def common_kind(kinds: set[TextKind]) -> TextKind:
    """Choose what several files' text means together, as if they were one file."""
    kinds = kinds - {"empty"}
    if len(kinds) <= 1:
        return next(iter(kinds), "empty")
    if kinds <= {"integer", "unsigned", "number"}:
        return "number" if "number" in kinds else "integer"
    return "text"


def survey(table: FileTable, names: Sequence[str], files: Files) -> dict[str, TextMeaning]:
    """Judge what columns of csv text hold, over every row of the file."""
    places = [table.position(name) for name in names]
    row = table.row([field for i in places for field in _first_look(f"c{i}")])
    looks = [row[i : i + 6] for i in range(0, len(row), 6)]
    meanings = {}
    for name, place, look in zip(names, places, looks, strict=True):
        n, numbers, fits, pointed, strange, doubtful = look
        raw = f"c{place}"
        plain = 0 < n == numbers and not strange and files.decimal is None
        if plain and (pointed or fits == n):
            meanings[name] = TextMeaning("number" if pointed else "integer", raw, raw)
        else:
            meanings[name] = _look_closer(table, name, files)
            doubtful = True
        if meanings[name].kind == "number" and doubtful:
            refuse_lost_digits(table, name, meanings[name])
    return meanings


def _first_look(raw: str) -> list[str]:
    """Write the counts that settle most columns in one fast pass."""
    # A cast to a whole type would round 0.5, so what is whole is told by its letters; and a cast to
    # double takes two forms that are no numbers elsewhere, 1_000 and +-1.
    pointed = " OR ".join(f"contains({raw}, '{letter}')" for letter in ".eEnN")
    size = f"abs(TRY_CAST({raw} AS DOUBLE))"
    doubtful = (
        f"CASE WHEN {size} BETWEEN 1e-300 AND 9e15 OR {raw} IN ('0', '0.0') THEN false "
        f"ELSE {size} > 0 OR {_not_nought(raw)} END"
    )
    return [
        f"count({raw})",
        f"count(TRY_CAST({raw} AS DOUBLE))",
        f"count(TRY_CAST({raw} AS BIGINT))",
        f"count_if({pointed})",
        f"count_if(contains({raw}, '_') OR contains({raw}, '+-'))",
        f"count_if({doubtful})",
    ]


def _not_nought(raw: str) -> str:
    """Write the SQL that asks whether the first digit that counts is not 0."""
    return f"ltrim({raw}, '+-0., \t') BETWEEN '1' AND '9~'"


def refuse_lost_digits(table: FileTable, name: str, meaning: TextMeaning) -> None:
    """Refuse numbers that float64 does not tell apart from others, before they are cast."""
    # A fraction is read as Python reads it, rounded to the nearest float. A whole number is an
    # exact value, and one beyond 2^53 is not rounded behind its writer's back.
    number, tidy = f"CAST({meaning.tidy} AS DOUBLE)", meaning.tidy
    same = f"coalesce(TRY_CAST({tidy} AS HUGEINT) = TRY_CAST({number} AS HUGEINT), false)"
    whole = f"abs({number}) >= {LARGEST_EXACT_IN_FLOAT} AND {matches(tidy, PLAIN.whole)}"
    lost = [
        f"{whole} AND NOT {same}",
        f"isinf({number}) AND NOT {matches(tidy, _SPECIAL)}",
        f"{number} = 0 AND {_not_nought(tidy)}",
    ]
    shown = [f"min({meaning.raw}) FILTER ({condition})" for condition in lost]
    beyond, large, small = table.row(shown)
    column = f"column {name!r} of {table.label}"
    if beyond is not None:
        raise ValueError(
            f"{column} mixes fractions with whole numbers beyond 2^53, such as {_cut(beyond)}, "
            f"which a float would round; write them as one type"
        )
    if large is not None or small is not None:
        found, becomes = (small, "0") if large is None else (large, "infinity")
        raise ValueError(lost_range(name, table.label, found, becomes))


def lost_range(name: str, label: str, word: str, becomes: str) -> str:
    """Say that a column holds a number that no float can stand for."""
    return (
        f"column {name!r} of {label} holds {_cut(word)}, beyond the range of a float: it would "
        f"become {becomes}; mend it"
    )


def _cut(word: str) -> str:
    shown = word.strip()
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def _look_closer(table: FileTable, name: str, files: Files) -> TextMeaning:
    """Judge a column that is not plainly numeric: padded nulls, commas, yes/no, text."""
    grammar, stored = _MARKS[files.decimal], f"c{table.position(name)}"
    raw = f"CASE WHEN NOT {one_of(f'trim({stored})', files.null_values)} THEN {stored} END"
    column = f"column {name!r} of {table.label}"
    n, wholes, numbers, truths, anyhow = table.row(
        [
            f"count({raw})",
            f"count_if({matches(raw, grammar.whole)})",
            f"count_if({matches(raw, grammar.number)})",
            f"count_if(lower(trim({raw})) IN ('true', 'false'))",
            f"count_if({matches(raw, ANY_NUMBER)})",
        ]
    )
    if n in (0, truths):
        return TextMeaning("boolean" if n else "empty", raw, raw)
    tidy = grammar.tidy.format(f"({raw})")
    if n == wholes:
        fits = [
            f"count({raw})",
            *(f"count(TRY_CAST({tidy} AS {t}))" for t in ("BIGINT", "UBIGINT")),
        ]
        return TextMeaning(whole_kind(table.row(fits), column), raw, tidy)
    if n == numbers:
        return TextMeaning("number", raw, tidy)
    if n == anyhow:
        _settle_marks(table, raw, column, files)
        return TextMeaning("number", raw, _COMMAS.tidy.format(f"({raw})"))
    return TextMeaning("text", stored, stored)


def _settle_marks(table: FileTable, raw: str, column: str, files: Files) -> None:
    """Make sure that every comma is a decimal comma, or say what was found."""
    marked = f"min({raw}) FILTER (contains({raw}, ','))"
    odd = f"min({raw}) FILTER (NOT {matches(raw, _MARKS[files.decimal].number)})"
    proof = f"count_if(contains({raw}, ',') AND NOT {matches(raw, _POINT_GROUPED)})"
    commas = f"count_if({matches(raw, _COMMAS.number)})"
    shown, strange, proofs, n, fit = table.row([marked, odd, proof, f"count({raw})", commas])
    if files.decimal is not None:
        raise ValueError(
            f"{column} holds {strange!r}, which is no number with decimal={files.decimal!r}; "
            f"mend it, or leave decimal= out"
        )
    if fit < n or not proofs or table.delimiter == ",":
        raise ValueError(
            f"{column} holds {shown or strange!r}, where the decimal mark is not clear; "
            f"say which it is with Files.of(path, decimal=',') or Files.of(path, decimal='.')"
        )


def matches(raw: str, pattern: str) -> str:
    """Write the SQL that asks whether a text is of a pattern, whatever blanks are around it."""
    spaced = rf"[ \t]*{pattern}[ \t]*"
    return f"regexp_full_match({raw}, {text(spaced)})"
