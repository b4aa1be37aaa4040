"""Nouns: the target's own word for positives, such as defaults, put in their place in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

from capcurve.numbers.arguments import refused, told

LONGEST_NOUN = 40
# Not in names, quotes and values of options, nor in terms that are nobody's own.
_POSITIVE = re.compile(
    r"(?<![\w\"'=`.-])(?<!false )(?<!true )(?<!--errors )(?<!--higher-is )"
    r"(a )?(positives?)(?![\w-])",
    re.IGNORECASE,
)
# What other counts are called: a reader would take the one for the other.
_TAKEN = {"negative", "negatives", "case", "cases", "row", "rows"}
_PLURALS = {"ies": "y", "sses": "ss", "shes": "sh", "ches": "ch", "xes": "x", "s": ""}


@dataclass(frozen=True, slots=True)
class Noun:
    """What positives are called, one and several."""

    one: str
    several: str

    @classmethod
    def of(cls, word: Any) -> Self:
        """Return a plural, or "person/people", as a noun; raise ValueError for none.

        >>> Noun.of("defaults").one, Noun.of("bankruptcies").one, Noun.of("person/people").several
        ('default', 'bankruptcy', 'people')
        """
        one, slash, several = word.partition("/") if isinstance(word, str) else ("", "", "")
        one, several = one.strip(), several.strip() if slash else one.strip()
        plain = all(re.fullmatch(r"\w[\w' -]*", part) for part in (one, several))
        if not plain or len(word) > LONGEST_NOUN or {one.lower(), several.lower()} & _TAKEN:
            raise ValueError(
                f"{refused('positive_word')} be a plural such as defaults, or one and several as "
                f"person/people, of at most {LONGEST_NOUN} letters, and no word for other cases; "
                f"got {told(word)}"
            )
        return cls(one if slash else _singular(one), several)

    def said(self, text: str) -> str:
        """Return a text with this noun where it has positives.

        >>> Noun.of("defaults").said("Positives captured: 3, one positive and 2 false positives")
        'Defaults captured: 3, one default and 2 false positives'
        >>> Noun.of("events").said("neither a positive nor --higher-is positive")
        'neither an event nor --higher-is positive'
        """
        return _POSITIVE.sub(self._in_place_of, text)

    def _in_place_of(self, found: re.Match[str]) -> str:
        article, known = found.group(1) or "", found.group(2)
        said = self.several if known[-1] in "sS" else self.one
        if article and said[0] in "aeioAEIO":
            article = f"{article[0]}n "
        return article + (said[0].upper() + said[1:] if known[0] == "P" else said)


def _singular(plural: str) -> str:
    for end, singular in _PLURALS.items():
        if plural.endswith(end) and not plural.endswith("ss") and len(plural) > len(end):
            return plural.removesuffix(end) + singular
    return plural
