"""What a column of text holds, judged over every row: whole numbers, numbers, yes/no, text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from capcurve.input.files.engine import FileTable, one_of, select, text
from capcurve.numbers.arguments import arg, of_file
from capcurve.numbers.order import LARGEST_EXACT_IN_FLOAT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capcurve.input.files.sources import Files

TextKind = Literal["empty", "boolean", "integer", "unsigned", "number", "text"]

_SHOWN = 40
ROWS_FOR_A_MARK = 10_000  # which mostly settle what the decimal mark is
_EXPONENT = r"([eE][+-]?[0-9]+)?"
SPECIAL = r"[+-]?([iI][nN][fF]([iI][nN][iI][tT][yY])?|[nN][aA][nN])"
_DIGITS = r"[+-]?[0-9]+"
_POINT = r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)" + _EXPONENT
_COMMA = r"[+-]?([0-9]+,?[0-9]*|,[0-9]+)" + _EXPONENT
POINT_GROUPED = r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+([.][0-9]*)?"  # 1,234.5
DIGIT_GROUPS = r"[+-]?[1-9][0-9]{0,2}([.][0-9]{3})+"  # 1.234
COMMA_GROUPED = DIGIT_GROUPS + "(,[0-9]*)?"  # 1.234,5
ANY_NUMBER = f"({_POINT}|{_COMMA}|{POINT_GROUPED}|{COMMA_GROUPED}|{SPECIAL})"
PERCENT_SIGN = "([ \t]*%)?"
# What can be read in one way only: a digit group has three digits, and none begins with 0.
SURELY_POINT = r"[+-]?(0?[.][0-9]+|[1-9][0-9]{0,2}(,[0-9]{3})+[.][0-9]*)" + _EXPONENT


@dataclass(frozen=True, slots=True)
class Grammar:
    """How numbers are written under one decimal mark."""

    whole: str
    number: str
    tidy: str  # SQL that turns {} into what a cast understands


PLAIN_GRAMMAR = Grammar(_DIGITS, f"({_POINT}|{SPECIAL})", "{}")
GRAMMARS: dict[str | None, Grammar] = {
    None: PLAIN_GRAMMAR,
    ".": Grammar(
        f"({_DIGITS}|[+-]?[1-9][0-9]{{0,2}}(,[0-9]{{3}})+)",
        f"({_POINT}|{POINT_GROUPED}|{SPECIAL})",
        "replace({}, ',', '')",
    ),
    ",": Grammar(
        f"({_DIGITS}|{DIGIT_GROUPS})",
        f"({_COMMA}|{COMMA_GROUPED}|{SPECIAL})",
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


def survey(
    table: FileTable, names: Sequence[str], files: Files, tables: Sequence[FileTable]
) -> dict[str, TextMeaning]:
    """Judge what columns of csv text hold, over every row of the file, which is one of `tables`."""
    places = [table.position(name) for name in names]
    row = table.row([field for i in places for field in _first_look(f"c{i}")])
    looks = [row[i : i + 7] for i in range(0, len(row), 7)]
    meanings = {}
    for name, place, look in zip(names, places, looks, strict=True):
        n, numbers, fits, pointed, strange, grouped, doubtful = look
        raw = f"c{place}"
        plain = 0 < n == numbers and not strange and files.decimal is None
        plain = plain and not (grouped and _mark_of(table, place, files, tables) != ".")
        if plain and (pointed or fits == n):
            meanings[name] = TextMeaning("number" if pointed else "integer", raw, raw)
        else:
            meanings[name] = _look_closer(table, name, files, tables)
            doubtful = True
        if meanings[name].kind == "number" and doubtful:
            refuse_lost_digits(table, name, meanings[name])
    return meanings


def _first_look(raw: str) -> list[str]:
    """Write the counts that settle most columns in one fast pass."""
    # A cast to a whole type would round 0.5, so what is whole is told by its letters; and a cast to
    # double takes two forms that are no numbers elsewhere, 1_000 and +-1.
    pointed = " OR ".join(f"contains({raw}, '{letter}')" for letter in ".eEnN")
    # Where three digits follow every point, these may be digit groups.
    point = f"substr(rtrim({raw}, ' \t'), -4, 1) = '.'"
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
        f"bool_or({point}) AND bool_and({point} OR NOT contains({raw}, '.'))",
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
    whole = f"abs({number}) >= {LARGEST_EXACT_IN_FLOAT} AND {matches(tidy, PLAIN_GRAMMAR.whole)}"
    lost = [
        f"{whole} AND NOT {same}",
        f"isinf({number}) AND NOT {matches(tidy, SPECIAL)}",
        f"{number} = 0 AND {_not_nought(tidy)}",
    ]
    shown = [f"min({meaning.raw}) FILTER ({condition})" for condition in lost]
    refuse_lost(name, table.label, *table.row(shown))


def refuse_lost(
    name: str, label: str, beyond: str | None, large: str | None, small: str | None
) -> None:
    """Refuse words that a float would round, or that become infinity or 0, where there are any."""
    column = f"column {name!r} of {label}"
    if beyond is not None:
        raise ValueError(
            f"{column} mixes fractions with whole numbers beyond 2^53, such as {_cut(beyond)}, "
            f"which a float would round; write them as one type"
        )
    for word, becomes in ((large, "infinity"), (small, "0")):
        if word is not None:
            raise ValueError(lost_range(name, label, word, becomes))


def lost_range(name: str, label: str, word: str, becomes: str) -> str:
    """Say that a column holds a number that no float can stand for."""
    return (
        f"column {name!r} of {label} holds {_cut(word)}, beyond the range of a float: it would "
        f"become {becomes}; correct it"
    )


def _cut(word: str) -> str:
    shown = word.strip()
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def _look_closer(
    table: FileTable, name: str, files: Files, tables: Sequence[FileTable]
) -> TextMeaning:
    """Judge a column that is not plainly numeric: padded nulls, commas, yes/no, text."""
    grammar, stored = GRAMMARS[files.decimal], f"c{table.position(name)}"
    raw = _without_nulls(stored, files)
    column = f"column {name!r} of {table.label}"
    point = f"contains({raw}, '.')"
    n, wholes, numbers, truths, anyhow, grouped, shown, odd = table.row(
        [
            f"count({raw})",
            f"count_if({matches(raw, grammar.whole)})",
            f"count_if({matches(raw, grammar.number)})",
            f"count_if(lower(trim({raw})) IN ('true', 'false'))",
            f"count_if({matches(raw, ANY_NUMBER)})",
            f"bool_or({point}) AND bool_and({matches(raw, COMMA_GROUPED)} OR NOT {point})",
            f"min({raw}) FILTER (regexp_matches({raw}, '[.,]'))",
            f"min({raw}) FILTER (NOT {matches(raw, grammar.number)})",
        ]
    )
    if n in (0, truths):
        return TextMeaning("boolean" if n else "empty", raw, raw)
    if n > anyhow:
        return TextMeaning("text", stored, stored)
    if files.decimal is None and (grouped or numbers < n):
        mark = _mark_of(table, table.position(name), files, tables)
        if mark is None or table.row([f"count_if({matches(raw, GRAMMARS[mark].number)})"]) != (n,):
            raise ValueError(unclear_mark(name, table.label, shown))
        return _look_closer(table, name, replace(files, decimal=mark), tables)
    if numbers < n:
        raise ValueError(wrong_mark(name, table.label, odd, files.decimal))
    tidy = grammar.tidy.format(f"({raw})")
    if n > wholes:
        return TextMeaning("number", raw, tidy)
    fits = [f"count({raw})", *(f"count(TRY_CAST({tidy} AS {t}))" for t in ("BIGINT", "UBIGINT"))]
    return TextMeaning(whole_kind(table.row(fits), column), raw, tidy)


def unclear_mark(name: str, label: str, word: str) -> str:
    """Say that the numbers of a column may be read in two ways."""
    return (
        f"column {name!r} of {label} holds {word!r}, where the decimal mark is not clear; say "
        f"which it is with {of_file(decimal=',')} or {of_file(decimal='.')}"
    )


def wrong_mark(name: str, label: str, word: str, decimal: str | None) -> str:
    """Say that a word is no number under the decimal mark that was said."""
    return (
        f"column {name!r} of {label} holds {word!r}, which is no number with "
        f"{arg(decimal=decimal)}; correct it, or leave {arg('decimal')} out"
    )


def _without_nulls(stored: str, files: Files) -> str:
    return f"CASE WHEN NOT {one_of(f'trim({stored})', files.null_values)} THEN {stored} END"


def _mark_of(table: FileTable, place: int, files: Files, tables: Sequence[FileTable]) -> str | None:
    """Return the decimal mark that a column shows, else its file, else one like it, or None."""
    # A file that separates fields otherwise may write its decimals otherwise, too.
    alike = [each for each in tables if each.kind == "csv" and each.delimiter == table.delimiter]
    looks = [(table, [place]), *((each, range(len(each.names))) for each in (table, *alike))]
    found = (_mark_in(each, places, files) for each, places in looks)
    return next(filter(None, found), None)


def _mark_in(table: FileTable, places: Iterable[int], files: Files) -> str | None:
    """Return the decimal mark that those of some columns show that hold numbers, or None."""
    # A comma that also separates fields shows nothing.
    marks = [mark for mark in ".," if mark != table.delimiter]
    fields = []
    for raw in (_without_nulls(f"c{i}", files) for i in places):
        comma = f"contains({raw}, ',') AND NOT {matches(raw, POINT_GROUPED + PERCENT_SIGN)}"
        shown = {".": matches(raw, SURELY_POINT + PERCENT_SIGN), ",": comma}
        for mark in marks:
            number = matches(raw, GRAMMARS[mark].number + PERCENT_SIGN)
            fields.append(f"coalesce(bool_and({number}) AND bool_or({shown[mark]}), false)")
    for rows in (f"({select(['*'], table.relation, f'LIMIT {ROWS_FOR_A_MARK}')})", table.relation):
        found = replace(table, relation=rows).row(fields)
        sure = [mark for place, mark in enumerate(marks) if any(found[place :: len(marks)])]
        if sure:
            return sure[0] if len(sure) == 1 else None
    return None


def matches(raw: str, pattern: str) -> str:
    """Write the SQL that asks whether a text is of a pattern, whatever blanks are around it."""
    spaced = rf"[ \t]*{pattern}[ \t]*"
    return f"regexp_full_match({raw}, {text(spaced)})"
