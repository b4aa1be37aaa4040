"""How a change and a decomposition are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.view.presentation import Presentation

if TYPE_CHECKING:
    from capcurve.change.records import Decomposed, Explained


def presentation_of(why: Explained) -> Presentation:
    """Return what a change shows."""
    return Presentation(title="Change", sentences=(why.metric,))


def presentation_of_decomposition(found: Decomposed) -> Presentation:
    """Return what a decomposition shows."""
    return Presentation(title="Decomposition", sentences=(found.metric,))
