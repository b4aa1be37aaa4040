"""Which rows are positives: labels compared by value, never guessed beyond 0/1 and -1/1."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.input.arrays.keys import distinct_codes
from capcurve.input.columns import InputColumn, absent_rows, python_values
from capcurve.numbers.arguments import (
    Word,
    arg,
    as_typed,
    as_word,
    check_one_dimension,
    renamed,
    told,
    word,
)
from capcurve.numbers.censoring import CENSORED, EVENT, is_called_censoring
from capcurve.numbers.rankable import PERCENTAGE, from_percentages

if TYPE_CHECKING:
    from capcurve.numbers.types import Array, Bools, Floats, Ints, Places

MOST_LABELS_SHOWN, FIRST_LABELS = 12, 3  # up to so many labels are all shown, and of more the first
# What the positive class is called in many tables, and what the other one is.
EVENTS = frozenset({
    "1", "1.0", "y", "yes", "true", "t", "wahr", "vrai", "ja", "j", "oui", "si", "sí", "sim",
    "tak", "event", "positive", "pos", "bad", "schlecht", "default", "defaulted", "charged_off",
    "in_default", "non_performing", "npl", "delinquent", "late", "fraud", "churn",
    "churned", "attrition", "lost", "responded", "response", "converted", "conversion", "purchased",
    "bought", "clicked", "claim", "died", "dead", "failed", "failure", "malignant",
})  # fmt: skip
OTHERS = frozenset({
    "0", "0.0", "-1", "-1.0", "n", "no", "false", "f", "falsch", "faux", "nein", "non", "nao",
    "não", "nie", "negative", "neg", "good", "gut", "paid", "fully_paid", "current", "performing",
    "legit", "retained", "stayed", "active", "survived", "alive", "passed", "benign",
    "none",
})  # fmt: skip
# How to tell which of two labels is the positive class, where the function takes pos_label=.
WHICH_POSITIVE = "; say which one is the positive class with "
TWO = 2
KEEP_TWO = "; keep two, or make a column that is true for the positive class"
CHOOSE = "; choose "
# What a control is called in many trials; the last ones are also labels of outcomes.
CONTROLS = frozenset({
    "control", "ctrl", "placebo", "untreated", "obs", "observation", "kontrolle", "holdout",
})  # fmt: skip
NO_TREATMENT = frozenset({"no", "none", "nothing"})
# The keywords that name labels, and what their rows are.
LABEL_KINDS = {"neg_label": 0, "pos_label": 1, "drop_label": 2}
DROPPED = LABEL_KINDS["drop_label"]
Rest = Literal["raise", "negative"]
COMPETING = 2  # the status of all events but the one asked about, if they have labels
# In a column without labels, statuses up to this are told apart.
LARGEST_STATUS = 255


def list_them() -> str:
    """Say how to tell which labels stand for an unknown outcome."""
    return f"; list labels that stand for an unknown outcome with {arg('unknown_label')}"


def name_them() -> str:
    """Say how to tell what more than two labels are, where the function takes these keywords."""
    positives, others = arg("pos_label"), f"{arg('neg_label')} or {word(rest='negative')}"
    return f"; keep two, or name those of positives with {positives}, and the others with {others}"


def _name_both() -> str:
    both = f"{arg('event_label')} and {arg('censored_label')}"
    return f"say which is the event and which is a censored row with {both}"


@dataclass(frozen=True, slots=True)
class ClassLabels:
    """Which labels are positives, which are negatives, and which are neither."""

    pos_label: object = None  # one label or several, as the others
    neg_label: object = None
    drop_label: object = None
    rest: Rest | Literal["drop"] = "raise"  # what rows of a label are that is not named

    def __post_init__(self) -> None:
        as_word(self.rest, "rest", ("raise", "negative", "drop"), either=True)
        named = self.named
        for keyword, label in self._pairs:
            if (other := named[by_value(label)][0]) != keyword:
                both = f"{arg(keyword)} and {arg(other)}"
                raise ValueError(f"{both} both name {label!r}; name it once")
        if self.rest == "negative" and self.neg_label is not None:
            raise ValueError(
                f"{word(rest='negative')} takes all other labels; leave it out, or "
                f"{arg('neg_label')}"
            )
        for keyword, usual in (("neg_label", None), ("rest", "raise")):
            if self.pos_label is None and getattr(self, keyword) not in (usual, "drop"):
                raise ValueError(
                    f"{arg(keyword)} goes with {arg('pos_label')}, which names the positives"
                )

    @property
    def _pairs(self) -> list[tuple[str, object]]:
        return [
            (name, label) for name in LABEL_KINDS for label in _items(getattr(self, name), name)
        ]

    @property
    def named(self) -> dict[object, tuple[str, object]]:
        """The keyword and the label of what equal labels share."""
        return {by_value(label): (keyword, label) for keyword, label in self._pairs}

    @property
    def is_plain(self) -> bool:
        """Whether nothing is said, so that labels speak for themselves."""
        return self == ClassLabels()


def positive_rows(
    target: InputColumn,
    said: ClassLabels,
    absent: Bools | None,
    repeats: Ints | None = None,
    advice: Callable[[], str] = str,
) -> tuple[Bools, dict[str, Bools]]:
    """Return which rows are positives, and which are left out by the label that says so."""
    # Booleans, {0, 1}, {-1, 1} and 0 % with 100 % speak for themselves; other labels are named.
    # What is refused is listed, each label with its count; `advice` says what else to do with a
    # third one. Rows marked absent are in neither.
    values = target.stored
    check_one_dimension(values, target.name)
    if said.is_plain and target.categories is None:
        quick = _plain_binary(values)
        if quick is not None:
            return (quick if absent is None else quick & ~absent), {}
        if absent is not None and (quick := _plain_binary(values[~absent])) is not None:
            positive = np.zeros(len(values), dtype=np.bool_)
            positive[~absent] = quick
            return positive, {}
    present = np.ones(len(values), dtype=np.bool_) if absent is None else ~absent
    labels, codes = found_labels(target, present)
    times = None if repeats is None else repeats[present]
    counts = np.bincount(codes, times, len(labels)).astype(np.int64).tolist()
    kinds = _kinds(target.name, labels, counts, said, advice)

    def rows_of(picked: Sequence[bool]) -> Bools:
        found = np.zeros(len(values), dtype=np.bool_)
        found[present] = np.array(picked, dtype=np.bool_)[codes]
        return found

    neither = [label for label, kind in zip(labels, kinds, strict=True) if kind == DROPPED]
    left_out = {
        f"{target.name} is {label!r}": rows_of([each is label for each in labels])
        for label in sorted(neither, key=label_order)
    }
    return rows_of([kind == 1 for kind in kinds]), left_out


@contextmanager
def as_treatment() -> Iterator[None]:
    """Say what is wrong with labels of a treatment in its own words."""
    with renamed(pos_label="treated_label", neg_label="control_label"):
        both = f"{arg('pos_label')} and {arg('neg_label')}"
        words = {
            WHICH_POSITIVE: "; say which one was treated with ",
            name_them(): f"; keep two, or name them with {both}",
            "classes": "values",
            "the positives": "who was treated",
        }
        try:
            yield
        except ValueError as error:
            said = str(error)
            for of_classes, of_arms in words.items():
                said = said.replace(of_classes, of_arms)
            raise _choosing(said, ways_out(error)) from None


def ways_out(error: Exception) -> tuple[str, ...]:
    """Return the keywords among which to choose that an error about labels names."""
    return tuple(getattr(error, "ways", ()))


def _choosing(said: str, ways: Iterable[str]) -> ValueError:
    """Return an error that knows among which keywords it asks to choose."""
    error = ValueError(said)
    error.__dict__["ways"] = tuple(ways)  # a class of its own would be what readers see first
    return error


def all_or_nothing(labels: Sequence[object]) -> Floats | None:
    """Return 0 and 1 for labels of text that are all 0 % or 100 %, or None for others."""
    texts = [label for label in labels if isinstance(label, str) and PERCENTAGE.fullmatch(label)]
    if not labels or len(texts) < len(labels):
        return None
    try:
        shares = from_percentages(texts, "labels")
    except TypeError:  # the decimal mark is not clear, so that some are neither
        return None
    return shares if set(shares.tolist()) <= {0, 1} else None


def unknown_rows(target: InputColumn, unknown_label: object, said: ClassLabels) -> Bools:
    """Return True where the outcome is not known: nulls, NaN, and labels that say so."""
    # `unknown_label` is one label or several, compared by value as `pos_label` is.
    check_one_dimension(target.stored, target.name)
    absent = absent_rows(target, target.stored)
    unknown = np.zeros(len(target.stored), np.bool_) if absent is None else absent.copy()
    listed = listed_labels(unknown_label, "unknown_label")
    for own, (keyword, label) in said.named.items():
        if own in listed:
            raise ValueError(
                f"{arg(**{keyword: label})} is among the unknown labels too; leave one out"
            )
    if listed:
        present = ~unknown
        labels, codes = found_labels(target, present)
        says_so = np.array([by_value(label) in listed for label in labels], dtype=np.bool_)
        unknown[present] = says_so[codes]
    return unknown


def listed_labels(given: Any, name: str) -> set[object]:
    """Return one label or several as what equal ones share."""
    return {by_value(item) for item in _several(given, name) if item is not None}


def _several(given: Any, name: str) -> list[object]:
    several = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    try:
        items = [] if given is None else list(given) if several else [given]
        set(items)
    except TypeError:
        raise TypeError(f"{name} takes one label or a list of labels, got {told(given)}") from None
    return items


def _items(given: object, keyword: str) -> list[object]:
    """Return one label or several of a keyword that says what their rows are."""
    items = _several(given, keyword)
    if given is not None and (not items or None in items):
        raise ValueError(
            f"{as_typed(**{keyword: told(given)})} names no label; a missing value is none"
        )
    return items


def label_values(target: InputColumn) -> list[object]:
    """Return the distinct labels of a column, in an order that no order of rows changes."""
    check_one_dimension(target.stored, target.name)
    absent = absent_rows(target, target.stored)
    present = slice(None) if absent is None else ~absent
    return sorted(found_labels(target, present)[0], key=label_order)


def label_order(label: object) -> tuple[float, str, str]:
    """Return a key that sorts labels of any type: numbers before text."""
    is_number = isinstance(label, int | float | Decimal) and math.isfinite(label)
    return float(label) if is_number else math.inf, type(label).__name__, str(label)  # type: ignore[arg-type]  # a number


def likely_event(label: object) -> int:
    """Return 0 for what the positive class is often called, 2 for its opposite, 1 for the rest.

    >>> [likely_event(label) for label in ("Charged Off", "b", 2, "Fully Paid", "not churned")]
    [0, 1, 1, 2, 2]
    """
    word = re.sub(r"(?<=\w)[\s_-]+(?=\w)", "_", str(label).strip().casefold())
    denied = word in OTHERS or word.startswith(("no_", "not_", "non_", "nicht_"))
    return 0 if word in EVENTS else 2 if denied else 1


def positive_choices(labels: Iterable[object]) -> str:
    """Return the keyword for each label that could be the positive class, the likely one first."""
    ordered = sorted(sorted(labels, key=label_order), key=likely_event)
    return " or ".join(arg(pos_label=label) for label in ordered)


def _plain_binary(values: Array) -> Bools | None:
    if values.dtype.kind == "b":
        return values
    if values.dtype.kind not in "iuf":
        return None
    one: Bools = values == 1
    others = len(values) - int(np.count_nonzero(one))
    lows = (0,) if values.dtype.kind == "u" else (0, -1)
    return one if any(np.count_nonzero(values == low) == others for low in lows) else None


def found_labels(target: InputColumn, present: Any) -> tuple[list[object], Places]:
    """Return the distinct labels of the rows that have one, and which of them each row has."""
    values = target.stored[present]
    if values.dtype.kind == "c":
        raise TypeError(f"{target.name} is complex ({values.dtype}); labels are two plain values")
    if values.dtype.kind == "O":
        return _found_objects(target.name, values)
    distinct, codes = distinct_codes(values)
    if target.categories is not None:
        return [target.categories[code] for code in distinct.tolist()], codes
    return python_values(distinct), codes


def _found_objects(name: str, values: Array) -> tuple[list[object], Places]:
    place: dict[object, int] = {}
    try:
        places = (place.setdefault(item, len(place)) for item in values)
        codes = np.fromiter(places, np.intp, len(values))
    except TypeError:
        raise TypeError(f"{name} must hold one label per row, got {values[0]!r}") from None
    labels = [item.item() if isinstance(item, np.generic) else item for item in place]
    return labels, codes


def _kinds(
    name: str, labels: list[object], counts: list[int], said: ClassLabels, advice: Callable[[], str]
) -> list[int]:
    """Return what each label is: 1 of positives, 0 of negatives, `DROPPED` of neither."""
    named, held = said.named, list(map(by_value, labels))
    unnamed = [label for label, own in zip(labels, held, strict=True) if own not in named]
    if labels and (problem := _misnamed(held, named, said, len(unnamed))):
        found = _listing(labels, counts)
        raise ValueError(f"{name} holds {found}, and {problem}{_blanks_apart(labels)}")
    others = _speaking(unnamed) if said.pos_label is None else _rest(unnamed, said)
    if others is None:
        raise _undecided(name, labels, counts, unnamed, said, advice)
    return [
        LABEL_KINDS[named[own][0]] if own in named else others[label]
        for label, own in zip(labels, held, strict=True)
    ]


def _speaking(labels: Sequence[object]) -> dict[object, int] | None:
    """Return what labels are that speak for themselves, or None for others."""
    if (shares := all_or_nothing(labels)) is not None:
        return dict(zip(labels, (shares == 1).astype(int).tolist(), strict=True))
    if len(labels) <= TWO and (set(labels) <= {0, 1} or set(labels) <= {-1, 1}):
        return {label: int(label == 1) for label in labels}
    return None


def _rest(unnamed: Sequence[object], said: ClassLabels) -> dict[object, int] | None:
    """Return what the labels are that nobody named, or None where that was not said."""
    kind: int | None = 0 if said.rest == "negative" else None
    if said.neg_label is not None:
        kind = DROPPED if said.rest == "drop" else None
    elif len(unnamed) == 1 and len(_items(said.pos_label, "pos_label")) == 1:
        kind = 0
    return None if unnamed and kind is None else dict.fromkeys(unnamed, kind or 0)


def _misnamed(
    held: Sequence[object],
    named: Mapping[object, tuple[str, object]],
    said: ClassLabels,
    unnamed: int,
) -> str:
    """Say which named label no row has, where the label of other rows may be meant, or nothing."""
    kinds = set(map(_sort_of, held))
    absent = {own: arg(**{keyword: each}) for own, (keyword, each) in named.items()}
    absent = {own: words for own, words in absent.items() if own not in held}
    if strange := [words for own, words in absent.items() if _sort_of(own) not in kinds]:
        return f"{strange[0]} is of another type"
    # Where every label is named, or one alone is left, none is a misspelt one of the rows.
    open_ended = said.rest != "raise" or (said.neg_label is None and unnamed > 1)
    if absent and open_ended and (said.pos_label is not None or unnamed > TWO):
        return f"{next(iter(absent.values()))} is not among them"
    return ""


def _undecided(
    name: str,
    labels: Sequence[object],
    counts: Sequence[int],
    unnamed: Sequence[object],
    said: ClassLabels,
    advice: Callable[[], str],
) -> ValueError:
    """Return what is said of labels where it is not clear what they are."""
    found, left = _listing(labels, counts), sorted(unnamed, key=label_order)
    apart = _blanks_apart(labels)
    if said.pos_label is None and len(left) <= TWO:
        return ValueError(f"{name} holds {found}{WHICH_POSITIVE}{positive_choices(left)}")
    if said.pos_label is None:
        start = f"{name} must have two classes, 0/1, -1/1 or True/False, but holds {found}"
    elif said.neg_label is not None:
        which = ", ".join(map(repr, left[:MOST_LABELS_SHOWN]))
        more = " and others" if len(left) > MOST_LABELS_SHOWN else ""
        add = f"add to {arg('neg_label')} or {arg('drop_label')} what is not named"
        return ValueError(f"{name} holds {found}; {add}: {which}{more}")
    else:
        start = f"{name} holds more than two classes: {found}"
    ways = _ways(left, said) if len(labels) <= MOST_LABELS_SHOWN and not apart else []
    if not ways:
        return ValueError(f"{start}{apart or name_them()}{advice()}")
    neither = (
        "" if said.rest == "drop" else f"; {arg('drop_label')} leaves out labels that are neither"
    )
    return _choosing(f"{start}{CHOOSE}{', or '.join(ways)}{neither}{advice()}", ways)


def _ways(labels: Sequence[object], said: ClassLabels) -> list[str]:
    """Return the keywords among which to choose, the likely labels first; none is taken."""
    if said.rest == "drop":
        controls = [label for label in labels if is_called_control(label)]
        if said.pos_label is not None:
            ordered = [*controls, *(label for label in labels if label not in controls)]
            return [arg(neg_label=label) for label in ordered]
        arms = [label for label in labels if label not in controls]
        chosen = [*arms, arms] if len(controls) == 1 and len(arms) > 1 else []
        return [arg(pos_label=each, neg_label=controls[0]) for each in chosen]
    events = [label for label in labels if likely_event(label) == 0]
    first: dict[str, Any] = {}
    if said.pos_label is None:
        if not events:
            return []
        first = {"pos_label": events[0] if len(events) == 1 else events}
        labels = [label for label in labels if label not in events]
    return [arg(**first, rest=Word("negative")), arg(**first, neg_label=labels)]


def is_called_control(label: object) -> bool:
    """Whether a label of a treatment is called as the arm that is left alone.

    >>> [label for label in ("Mens E-Mail", "No E-Mail", "placebo") if is_called_control(label)]
    ['No E-Mail', 'placebo']
    """
    words = re.findall(r"[^\W_]+", str(label).casefold())
    return bool(words) and (words[0] in NO_TREATMENT or not CONTROLS.isdisjoint(words))


def _blanks_apart(labels: Sequence[object]) -> str:
    """Say which two labels differ in blanks alone, or nothing."""
    seen: dict[str, str] = {}
    for label in labels:
        if isinstance(label, str):
            other = seen.setdefault(label.strip(), label)
            if other != label:
                return f"; {other!r} and {label!r} differ in blanks alone: take these out"
    return ""


def _sort_of(value: object) -> type:
    """Return what kind of label this is, as `by_value` has it: all numbers are of one."""
    return float if isinstance(value, int | float | Decimal) else type(value)


def by_value(label: object) -> object:
    """Return what equal labels share: a day is its midnight, a decimal the float that it spells."""
    if isinstance(label, np.datetime64):
        moment = label.astype("datetime64[us]")
        rest = 0 if moment == label else int((label - moment) / np.timedelta64(1, "ns"))
        return ("moment", int(moment.astype(np.int64)) * 1000 + rest)
    if isinstance(label, np.generic):
        return label.item()
    if isinstance(label, date):
        # As everywhere, a time with a zone is what the clock showed there.
        day = datetime(label.year, label.month, label.day)  # noqa: DTZ001
        naive = label.replace(tzinfo=None) if isinstance(label, datetime) else day
        since = (naive - datetime(1970, 1, 1)) // timedelta(microseconds=1)  # noqa: DTZ001
        return ("moment", since * 1000 + getattr(label, "nanosecond", 0))
    if isinstance(label, Decimal) and label.is_finite() and Decimal(repr(float(label))) == label:
        return float(label)
    return label


def same_label(one: object, other: object) -> bool:
    """Return whether two labels are equal by value."""
    return by_value(one) == by_value(other)


def _listing(labels: Sequence[object], counts: Sequence[int]) -> str:
    found = sorted(zip(labels, counts, strict=True), key=lambda pair: label_order(pair[0]))
    if len(labels) == TWO:  # what the positive class is often called comes first
        found.sort(key=lambda pair: likely_event(pair[0]))
    pairs = [f"{label!r} ({count:,})" for label, count in found]
    if len(pairs) <= MOST_LABELS_SHOWN:
        return ", ".join(pairs)
    return f"{', '.join(pairs[:FIRST_LABELS])}, and {len(pairs) - FIRST_LABELS:,} more labels"


def statuses(
    event: InputColumn,
    absent: Bools | None,
    repeats: Ints | None,
    event_label: object,
    censored_label: object,
    competing_labels: object,
) -> tuple[Array, Places, tuple[str, ...]]:
    """Return the status of each row, which label it has that competes, and these labels."""
    # Numbers speak for themselves, unless labels are named, or the column is by what may be either;
    # the first label is that of the others.
    present = np.ones(len(event), dtype=np.bool_) if absent is None else ~absent
    times = None if repeats is None else repeats[present]
    label = np.zeros(len(event), dtype=np.intp)
    either = is_called_censoring(event.name)
    if event_label is None and event.categories is None and not either:
        plain = _plain_statuses(event, present)
        if plain is not None:
            _refuse_uncensored(event.name, plain[present], times)
            return plain, label, ("",)
    labels, codes = found_labels(event, present)
    found = _listing(labels, np.bincount(codes, times, len(labels)).astype(np.int64).tolist())
    named = {"censored_label": censored_label, "event_label": event_label}  # as their statuses
    if labels and event_label is None:
        which = _either_way(labels) if either and len(labels) == TWO else _name_both()
        raise ValueError(f"{event.name} holds {found}; {which}")
    if labels and (problem := _mismatch(labels, named, competing_labels)):
        raise ValueError(f"{event.name} holds {found}, and {problem}")
    ends = list(map(by_value, named.values()))
    places = [ends.index(own) if (own := by_value(each)) in ends else COMPETING for each in labels]
    kinds = np.array(places, dtype=np.uint8)
    competing = np.flatnonzero(kinds == COMPETING)
    status = np.zeros(len(event), dtype=np.uint8)
    status[present] = kinds[codes]
    number = np.zeros(len(kinds), dtype=np.intp)
    number[competing] = np.arange(len(competing)) + 1
    label[present] = number[codes]
    return status, label, ("", *(str(labels[code]) for code in competing.tolist()))


def _either_way(labels: Sequence[object]) -> str:
    """Say what to pass where a column is named after censoring, and 1 may be either."""
    low, high = sorted(labels, key=label_order)
    as_event = arg(event_label=high, censored_label=low)
    as_censored = arg(event_label=low, censored_label=high)
    censored = f"if {high!r} is a censored row, pass {as_censored}"
    return f"if {high!r} is the event, pass {as_event}; {censored}"


def _mismatch(
    labels: Sequence[object], named: Mapping[str, object], competing_labels: object
) -> str:
    """Return which named label no row has, or which label of rows is not named, or nothing."""
    wanted = {by_value(label): arg(**{name: label}) for name, label in named.items()}
    held = {by_value(label): label for label in labels}
    others = sorted((held[own] for own in held.keys() - wanted.keys()), key=label_order)
    kinds, missing = set(map(_sort_of, held)), [own for own in wanted if own not in held]
    if strange := [wanted[own] for own in missing if _sort_of(own) not in kinds]:
        return f"{strange[0]} is of another type"
    if competing_labels is not None:  # all are named, so that none is a misspelt one of the rows
        listed = listed_labels(competing_labels, "competing_labels")
        unlisted = [label for label in others if by_value(label) not in listed]
        return f"{unlisted[0]!r} is not among {arg('competing_labels')}; add it" if unlisted else ""
    if len(missing) == len(wanted):
        censored, event = wanted.values()
        return f"neither {event} nor {censored} is among them"
    return "".join(
        f"{wanted[own]} is not among them; if that is right, list the labels of all other rows "
        f"with {arg(competing_labels=others)}"
        for own in missing
    )


def _refuse_uncensored(name: str, status: Array, times: Ints | None) -> None:
    """Raise ValueError for statuses that compete where none is censored: they may be codes."""
    # R has 1 for a censored row and 2 for the event.
    if (status == CENSORED).any() or (status == EVENT).all():
        return
    counts = np.bincount(status, times).astype(np.int64)
    held = np.flatnonzero(counts).tolist()
    as_in_r = arg(event_label=2, censored_label=1)
    which = f"if 1 is censored and 2 the event, as in R, pass {as_in_r}"
    raise ValueError(
        f"{name} holds {_listing(held, counts[held].tolist())} and no 0 for a censored row; "
        f"{which if held == [EVENT, COMPETING] else _name_both()}; if no row is censored, pass "
        f"{arg(event_label=1, censored_label=0, competing_labels=[x for x in held if x != EVENT])}"
    )


def _plain_statuses(column: InputColumn, present: Bools) -> Array | None:
    """Return statuses that speak for themselves, or None for labels."""
    values = column.stored
    if values.dtype.kind not in "biuf":
        return None
    held = np.where(present, values, 0)
    wrong = (held < 0) | (held > LARGEST_STATUS) | (held != np.floor(held))
    if wrong.any():
        raise ValueError(
            f"{column.name} holds {held[wrong][0]:g}; a status is 0 for censored, 1 for the event, "
            f"2 or more, up to {LARGEST_STATUS}, for a competing event"
        )
    return held.astype(np.uint8)
