"""How names of periods are read in time: all of a column in one notation, or not at all."""

from __future__ import annotations

import re
from datetime import date
from numbers import Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from capcurve.numbers.arguments import told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Grain = Literal["day", "week", "month", "quarter", "half", "year", "financial year"]
Counts = TypeVar("Counts")
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
# Parts of names. Years in digits alone lie from 1900 to 2099, so that 201803 is no day of 1803.
YEAR, SOLID_YEAR, SHORT_YEAR = r"(?P<year>\d{4})", r"(?P<year>(?:19|20)\d\d)", r"(?P<year>\d\d)"
ANY_YEAR = r"(?P<year>\d{4}|\d\d)"
M, D, MM, DD = r"(?P<month>\d\d?)", r"(?P<day>\d\d?)", r"(?P<month>\d\d)", r"(?P<day>\d\d)"
MONTH_WORD = rf"(?P<word>{'|'.join(f'{m[:3]}(?:{m[3:]})?' for m in MONTHS)}|sept)\.?"
QUARTER, HALF_YEAR, WEEK = r"(?P<quarter>[1-4])", r"(?P<half>[12])", r"w(?P<week>\d\d?)"
TIME, ANY_TIME = r"(?:[T ](?P<time>\d\d:\d\d.*))?", r"(?:[T ](?P<time>.*))?"
YEARLESS = "without a year"
ONE_GAP, ANY_GAP = r"[-/. ]?", r"[-/. ,']*"
# Each way to write periods by what it is called. A name that fits two is read by neither, unless
# the other names of its column fit one alone. Month/day is written with slashes or hyphens only,
# and Mar-18 is a month, MAR18 too, as Excel and SAS write it (Excel writes a day as 18-Mar).
NOTATIONS: Mapping[str, tuple[str, ...]] = {
    "year": (SOLID_YEAR,),
    "year-month-day": (rf"{YEAR}([-/. ]){M}\2{D}{ANY_TIME}", SOLID_YEAR + MM + DD),
    "year-month-day with two digits each": (rf"{SHORT_YEAR}([-/.]){MM}\2{DD}",),
    "day/month/year": (
        rf"{D}([-/. ]){M}\2{YEAR}{TIME}",
        rf"{D}([-/.]){M}\2{SHORT_YEAR}{TIME}",
        D + MM + SOLID_YEAR,
    ),
    "month/day/year": (
        rf"{M}([-/]){D}\2{YEAR}{TIME}",
        rf"{M}([-/]){D}\2{SHORT_YEAR}{TIME}",
        M + DD + SOLID_YEAR,
    ),
    "year-month": (rf"{YEAR}[-/. ]{M}", rf"{YEAR}{ONE_GAP}m{M}", SOLID_YEAR + MM),
    "month/year": (rf"{M}[-/. ]{YEAR}", M + SOLID_YEAR),
    "day, month and year": (rf"{D}{ANY_GAP}{MONTH_WORD}{ANY_GAP}{ANY_YEAR}{TIME}",),
    "month, day and year": (rf"{MONTH_WORD}[- ]{D}(?:,? +|-){YEAR}{TIME}",),
    "month and year": (
        rf"{MONTH_WORD}{ANY_GAP}{YEAR}",
        rf"{YEAR}{ONE_GAP}{MONTH_WORD}",
        rf"{MONTH_WORD}(?:[-/.]| ?')?{SHORT_YEAR}",
    ),
    "month and year of two digits": (rf"{MONTH_WORD} {SHORT_YEAR}",),
    "year of two digits and month": (rf"{SHORT_YEAR}{ONE_GAP}{MONTH_WORD}",),
    f"month and day {YEARLESS}": (rf"{MONTH_WORD} {D}",),
    f"day and month {YEARLESS}": (rf"{D}{ONE_GAP}{MONTH_WORD}",),
    f"month {YEARLESS}": (MONTH_WORD,),
    "quarter": (
        rf"{ANY_YEAR}[-/. :]?q{QUARTER}",
        rf"q{QUARTER}{ANY_GAP}{ANY_YEAR}",
        rf"{QUARTER}q{ANY_GAP}{ANY_YEAR}",
    ),
    f"quarter {YEARLESS}": (rf"q{QUARTER}",),
    "half-year": (
        rf"{ANY_YEAR}[-/. :]?h{HALF_YEAR}",
        rf"h{HALF_YEAR}{ANY_GAP}{ANY_YEAR}",
        rf"{HALF_YEAR}h{ANY_GAP}{ANY_YEAR}",
    ),
    "week": (rf"{YEAR}{ONE_GAP}{WEEK}", rf"{WEEK}{ONE_GAP}{YEAR}"),
    "day of a week": (rf"{YEAR}{ONE_GAP}w(?P<week>\d\d)-?(?P<day>[1-7])",),
    "financial year": (rf"{YEAR}/(?P<next>\d{{4}}|\d\d)", rf"{YEAR}-(?P<next>\d{{4}})"),
}
GRAINS: Mapping[str, Grain] = {
    "day": "day",
    "week": "week",
    "month": "month",
    "word": "month",
    "quarter": "quarter",
    "half": "half",
    "next": "financial year",
    "year": "year",
}
# Years of two digits from here on are of 1900, as POSIX has it.
OF_1900 = 69
WRITE = "write them like 2024-03, 2024-Q1 or 2024-03-31"
# Into what periods of each length fit whole; a week may lie in two months, or two years.
FITS_INTO: Mapping[Grain, tuple[str, ...]] = {
    "day": ("day", "week", "month", "quarter", "year"),
    "week": ("week",),
    "month": ("month", "quarter", "year"),
    "quarter": ("quarter", "year"),
    "half": ("year",),
    "year": ("year",),
    "financial year": (),
}


# More names than days in a century are no periods that anybody reads one by one.
MOST_IN_TIME = 36_525


class Moment(NamedTuple):
    """When a period begins, and how long it is."""

    day: date
    time: str
    grain: Grain


def readings(names: Sequence[object]) -> dict[str, list[Moment]]:
    """Return when periods of such names begin, by each notation that fits all of them.

    >>> readings(["03/04/2018", "31/03/2018"])["day/month/year"][1].day.isoformat()
    '2018-03-31'
    >>> list(readings(["03/04/2018", "04/03/2018"])), readings(["north", "2018"])
    (['day/month/year', 'month/day/year'], {})
    """
    found = {}
    for notation, patterns in NOTATIONS.items() if names else ():
        moments = []
        for name in names:
            if (moment := _moment(_text(name), patterns)) is None:
                break
            moments.append(moment)
        else:
            found[notation] = moments
    return found


def in_time(names: Sequence[Any]) -> list[Any] | None:
    """Return names in order of time, those without a year as in one; None where that is not sure.

    >>> in_time(["Apr-2018", "Mar-2018"]), in_time(["Apr", "Mar"]), in_time(["Apr", "north"])
    (['Mar-2018', 'Apr-2018'], ['Mar', 'Apr'], None)
    """
    found = list(readings(names).values())
    if len(found) != 1:
        return None
    return [name for _, name in sorted(zip(found[0], names, strict=True), key=itemgetter(0))]


def in_order(names: Sequence[Any]) -> list[Any]:
    """Return different names as they sort, those of periods in order of time.

    >>> in_order(["Mar-2018", "Apr-2018"]), in_order([3, 1]), in_order(["b", 1])
    (['Mar-2018', 'Apr-2018'], [1, 3], [1, 'b'])
    """
    try:
        found = sorted(names)
    except TypeError:
        found = sorted(names, key=lambda name: (type(name).__name__, str(name)))
    return (len(found) <= MOST_IN_TIME and in_time(found)) or found


def by_time(periods: Mapping[Any, Counts], where: str = "the periods") -> dict[Any, Counts]:
    """Return counts by period in order of time, or raise ValueError; rows without one are last."""
    # Whole numbers that are no dates, such as 1, 2 and 3, stay in the order that they have.
    names = [name for name in periods if name is not None]
    numbers = not readings(names) and all(_text(name).isdecimal() for name in names)
    if len(names) > 1 and not numbers and (why := unread(names)):
        raise ValueError(f"{where} do not sort in time: {' '.join(why)}; {WRITE}")
    order = in_time(names) or names
    return {name: periods[name] for name in [*order, *([None] if None in periods else [])]}


def first_days(names: Sequence[object], period: str) -> list[date] | None:
    """Return the first days of names that each lie within one such period, as a month; else None.

    >>> [day.isoformat() for day in first_days(["2018Q1", "Q2 2018"], "year")]
    ['2018-01-01', '2018-04-01']
    """
    if not names or unread(names, period):
        return None
    return [moment.day for moment in next(iter(readings(names).values()))]


def unread(names: Sequence[object], period: str | None = None) -> tuple[str, str] | None:
    """Return which names are not in time, or in no one period, and why; None where all are."""
    found = readings(names)
    if not found:
        return _unlike(names)
    (notation, moments), *others = found.items()
    if others:
        return told(names[0]), f"may be {' or '.join(found)}"
    if notation.endswith(YEARLESS):
        return told(names[0]), "has no year"
    if period is not None and period not in FITS_INTO[moments[0].grain]:
        return told(names[0]), f"does not lie within one {period}"
    first: dict[Moment, object] = {}
    for name, moment in zip(names, moments, strict=True):
        if first.setdefault(moment, name) != name and period is None:
            return f"{told(first[moment])} and {told(name)}", "are one period"
    return None


def _unlike(names: Sequence[object]) -> tuple[str, str]:
    """Say which name is no period, else which two are not written alike."""
    for place, name in enumerate(names):
        if not readings([name]):
            return told(name), "is not read as a period"
        if not readings(names[: place + 1]):
            other = next((each for each in names if not readings([each, name])), names[0])
            return f"{told(other)} and {told(name)}", "are not written alike"
    raise ValueError("there are no names")


def _text(name: object) -> str:
    """Return a name as text: whole numbers by their digits, the parts of a crossed one joined."""
    if isinstance(name, tuple):
        return "-".join(map(_text, name))
    if isinstance(name, date):
        return name.isoformat()
    if isinstance(name, bool) or not isinstance(name, Real):
        return str(name).strip()
    number = float(name)  # 2018.1 may be January or October
    return str(int(number)) if number.is_integer() else "a fraction"


def _moment(name: str, patterns: Sequence[str]) -> Moment | None:
    """Return when a period begins, or None for a name that is not written so."""
    for pattern in patterns:
        if found := re.fullmatch(pattern, name, re.IGNORECASE | re.ASCII):
            part = {key: value for key, value in found.groupdict().items() if value}
            day = _first_day(part)
            grain = next(grain for key, grain in GRAINS.items() if key in part)
            return None if day is None else Moment(day, part.get("time", ""), grain)
    return None


def _first_day(part: Mapping[str, str]) -> date | None:
    """Return the first day of a period, in a leap year where it names none; None for no day."""
    word = part.get("year", "2000")
    century = 0 if len(word) > len("18") else 1900 if int(word) >= OF_1900 else 2000
    year, day = century + int(word), int(part.get("day", "1"))
    if "next" in part and not str(year + 1).endswith(part["next"]):
        return None
    month = int(part.get("month", "1"))
    if "word" in part:
        month = [name[:3] for name in MONTHS].index(part["word"][:3].lower()) + 1
    month += 3 * (int(part.get("quarter", "1")) - 1) + 6 * (int(part.get("half", "1")) - 1)
    try:
        if "week" in part:
            return date.fromisocalendar(year, int(part["week"]), day)
        return date(year, month, day)
    except ValueError:
        return None
