"""What a careful reader would notice about a change between two samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capcurve.change.records import Explained
    from capcurve.summary import Finding


def findings_of(why: Explained) -> tuple[Finding, ...]:  # noqa: ARG001 - to come
    """Return what there is to know about a change, the gravest first."""
    return ()
