"""How the two axes of a ranking are called: what is selected, and what is captured by it."""

from __future__ import annotations

from dataclasses import dataclass

# Nouns that are no plural: "all positives", but "the amount".
SINGULAR = ("amount", "exposure")


@dataclass(frozen=True, slots=True)
class Words:
    """What is selected and what is captured, as sentences and axes name them.

    Examples
    --------
    >>> Words("years", "claims").share_captured
    'share of all claims captured'
    >>> Words("cases", "amount").share_captured
    'share of the amount captured'
    """

    # What a share is selected of: "cases", or the exposure by its name, such as "years".
    selected: str = "cases"
    # What is captured: "positives", or the amount by its name, such as "claims".
    captured: str = "positives"

    @property
    def all_selected(self) -> str:
        """All of what is selected from: "all cases"."""
        return _all(self.selected)

    @property
    def all_captured(self) -> str:
        """All of what can be captured: "all positives"."""
        return _all(self.captured)

    @property
    def share_selected(self) -> str:
        """The label of the axis of what is selected, as a share."""
        return f"share of {self.all_selected} selected"

    @property
    def share_captured(self) -> str:
        """The label of the axis of what is captured, as a share."""
        return f"share of {self.all_captured} captured"

    @property
    def hold(self) -> str:
        """The verb of what is selected: cases hold, exposure holds."""
        plural = self.selected.endswith("s") and not self.selected.endswith("ss")
        return "hold" if plural else "holds"

    @property
    def a_captured(self) -> str:
        """What one case has of it: "an amount", or the amount by its name."""
        return "an amount" if self.captured == "amount" else self.captured


def _all(noun: str) -> str:
    return f"the {noun}" if noun in SINGULAR else f"all {noun}"


CLASSES = Words()
AMOUNTS = Words("cases", "amount")
OF_EXPOSURE = Words("exposure", "amount")
