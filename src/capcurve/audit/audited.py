"""What is known of an audit, as what shows it needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from capcurve.audit.printed import PrintedTable
    from capcurve.audit.records import CellFix, Claim, Range
    from capcurve.inference import Interval
    from capcurve.summary import Finding
    from capcurve.tables import Table

Assumption = Literal["random", "concave"]


class Audited(Protocol):
    """An audit; `Audit` says what each attribute is."""

    @property
    def fits(self) -> bool:
        """Whether the columns can all be true."""

    @property
    def table(self) -> PrintedTable:
        """The table as it was printed."""

    @property
    def assume(self) -> Assumption | None:
        """What is assumed inside bins."""

    @property
    def level(self) -> float:
        """Confidence level of the intervals."""

    @property
    def accuracy_ratio(self) -> Range | None:
        """The range of the accuracy ratio; None where nothing fits."""

    @property
    def roc_auc(self) -> Range | None:
        """The range of the AUC."""

    @property
    def ks(self) -> Range | None:
        """The range of the two-sided KS."""

    @property
    def ks_positive(self) -> Range | None:
        """The range of KS on the side of the positives."""

    @property
    def ks_negative(self) -> Range | None:
        """The range of KS on the side of the negatives."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims, judged."""

    @property
    def conflicts(self) -> tuple[tuple[str, ...], ...]:
        """Sets of columns that contradict each other."""

    @property
    def impossible(self) -> tuple[str, ...]:
        """Columns that are impossible alone."""

    @property
    def cells(self) -> tuple[CellFix, ...]:
        """Cells that alone keep the table from fitting."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a careful reader would notice."""

    @property
    def least(self) -> Table | None:
        """The table with the fewest running positives."""

    @property
    def greatest(self) -> Table | None:
        """The table with the most running positives."""

    @property
    def within_sd(self) -> float | None:
        """How far a random order inside bins moves the accuracy ratio; None without counts."""

    def captured(self, q: float) -> Range:
        """Return the range of the share of positives in the top share q of cases."""

    def lift(self, q: float) -> Range:
        """Return the range of the lift in the top share q of cases."""

    def precision(self, q: float) -> Range:
        """Return the range of the rate in the top share q of cases."""

    def interval(self, metric: str) -> Interval:
        """Return the range with chance."""
