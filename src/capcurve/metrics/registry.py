"""What is known of every metric: its function, names, form and range, and how its limits arise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from capcurve.numbers.types import Floats, MovesAtScores

Of = Literal["classes", "amounts", "trials"]
MetricForm = Literal["ratio", "share", "lift", "fine", "quantity"]
OF_AMOUNTS: tuple[Of, ...] = ("amounts",)
OF_TRIALS: tuple[Of, ...] = ("trials",)
OF_BOTH: tuple[Of, ...] = ("classes", "amounts")
# What of a metric is told its options.
GIVEN_OPTIONS = ("function", "of_segments", "influence", "cautious", "frame", "looks_at", "about")


class MetricFrame(NamedTuple):
    """What a random and a perfect order have of some counts, where that depends on them."""

    worthless: float
    perfect: float
    ends: tuple[float, float] | None = None  # between which values these counts leave it


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A number that is read off counts; each is declared in the file of its function."""

    function: Callable[..., Any]  # takes counts, and what the metric needs
    label: str  # what it is called, as in "accuracy ratio"
    short: str = ""  # the same where there is little room, as in "AR"
    headline: str = ""  # the same in a list of headline numbers
    name: str = ""  # how it is named in calls and files: that of the function
    flag: str = ""  # how options of the command line call it, as in --min-ar
    aliases: tuple[str, ...] = ()  # what else it may be called
    of: tuple[Of, ...] = ("classes",)  # what it can be read off
    form: MetricForm = "ratio"  # how it is written
    needs: tuple[str, ...] = ()  # what the function cannot do without, such as q
    options: tuple[str, ...] = ()  # what limits of it may be told besides, as the function is
    # The classes without which it is not defined; none of metrics of amounts, trials or PDs.
    requires: tuple[str, ...] = ("positives", "negatives")
    # The number of each segment, shape (G,), of `SegmentCounts` of whole `ScoreCounts`, told what
    # it needs and its options; NaN where a segment lacks a class that is required.
    of_segments: Callable[..., Floats] | None = None
    ends: tuple[float, float] = (0.0, 1.0)  # between which values it lies
    # Between which values its limits are symmetric, in log odds or the logarithm: its ends.
    scale: tuple[float, float] | None = None
    prevalence: float | None = None  # what share of cases the classes are re-weighted to
    worthless: float | None = 0.0  # its value for a random order; None where it depends on counts
    perfect: float | None = None  # that for a perfect order, where it is not the upper end
    # Whether it is a headline number: of summaries, pages, workbooks, gates and validation sheets.
    in_summary: bool = False
    number: Callable[[Any], float] = float  # the number in what the function returns
    # How far each positive and each negative of each of the K cells moves the number: two arrays of
    # shape (K,), each 0 on average over the cases of its class, or both together over all cases
    # where the prevalence moves the number too. With p and n of them in a sample,
    # drawn from these cases, the number moves by about Σp·first / Σp + Σn·second / Σn. None where
    # limits are found otherwise.
    influence: Callable[..., tuple[MovesAtScores, MovesAtScores]] | None = None
    # At what scores of the same rows are compared, where no influence says how: one of its needs.
    compared_at: Literal["", "q", "coverage", "threshold", "trial"] = ""
    moved_by_prevalence: bool = False  # whether it varies with how many positives a sample holds
    # A second estimate, which few cases do not make too high: lower limits are around it too.
    cautious: Callable[..., float] | None = None
    of_pds: bool = False  # whether scores are taken for the chances of a positive
    # Its worthless value, its perfect one where that is not the upper end, and its ends, where they
    # depend on the counts.
    frame: Callable[..., MetricFrame] | None = None
    about: Callable[..., tuple[str, ...]] | None = None  # what there is to say of these counts
    # Which share of all cases it is about, as if these counted alike; takes what it is told.
    looks_at: Callable[..., float] | None = None
    # Whether its part of the perfect value is like a rate of cases won.
    as_rate: bool = True
    # What limits allow a kind of cases of which a sample has none: to rank at random, or worst.
    unseen: Literal["random", "worst"] = "random"

    def __post_init__(self) -> None:
        name = self.name or self.function.__name__
        short = self.short or self.label
        usual = {"name": name, "short": short, "flag": name.replace("_", "-")}
        for field, value in (usual | {"headline": self.label}).items():
            object.__setattr__(self, field, getattr(self, field) or value)

    @property
    def direction(self) -> int:
        """1 where a higher number is better, -1 where a lower one is."""
        return -1 if self.perfect == self.ends[0] else 1

    @property
    def width(self) -> float:
        """How far two values lie apart at most, on the scale of its limits."""
        low, high = self.scale or self.ends
        return high - low

    def value(self, counts: Any, **needed: Any) -> float:
        """Return the number itself."""
        return self.number(self.function(counts, **needed))

    def given(self, **options: Any) -> Metric:
        """Return the metric with such options; those that are None are left out."""
        known = {name: each for name, each in options.items() if each is not None}
        functions: dict[str, Any] = {
            field: partial(function, **known)
            for field in GIVEN_OPTIONS
            if (function := getattr(self, field)) is not None
        }
        # Samples cannot move a stated prevalence.
        stated: dict[str, Any] = {}
        if "prevalence" in known:
            stated = {"prevalence": known["prevalence"], "moved_by_prevalence": False}
        return replace(self, **functions, **stated) if known else self


class Metrics(Mapping[str, Metric]):
    """Metrics by name, in the order in which they are shown."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = {metric.name: metric for metric in metrics}

    def __getitem__(self, name: str) -> Metric:
        return self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    @property
    def aliases(self) -> dict[str, str]:
        """What metrics are also called, with their names."""
        return {alias: metric.name for metric in self.values() for alias in metric.aliases}

    def some(self, names: Iterable[str]) -> Metrics:
        """Return the metrics of these names, in the order of the names."""
        return Metrics(self[name] for name in names)

    def compared(self, *places: str) -> tuple[str, ...]:
        """Return the names of those whose scores are compared at one of these places."""
        return tuple(m.name for m in self.values() if m.compared_at in places)

    def headlines(self, kind: Of = "classes") -> tuple[Metric, ...]:
        """Return the headline numbers of positives and negatives, or of amounts."""
        return tuple(m for m in self.values() if m.in_summary and kind in m.of)

    def name_of(self, function: object) -> object:
        """Return the name of a metric that was given as its function; all else as it is."""
        return next((m.name for m in self.values() if m.function is function), function)
