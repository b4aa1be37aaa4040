"""ValidationSheet: all tests of how a score ranks, in one result that shows and saves itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from capcurve.show import PICTURES
from capcurve.show.columns import defused, to_csv, to_json
from capcurve.show.result import Result
from capcurve.studies.validation.page import render_sheet
from capcurve.studies.validation.records import Sheet
from capcurve.studies.validation.shown import lights_of, presentation_of, tests_in_full, tests_of
from capcurve.studies.validation.written import as_values, write_workbook

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from capcurve.show.presentation import Presentation
    from capcurve.studies.validation.records import Light, SheetTest


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ValidationSheet(Sheet, Result):
    """What a validator signs about how a score ranks: tests, limits, lights and what is left open.

    `save` writes .html (a page to print and sign, all tables behind), .json (as `schema()` has it),
    .xlsx (every table), .csv (the tests), .md and .txt.

    Attributes
    ----------
    subject
        What is validated, as given: model, version, period, definition of a positive, validator.
    inputs
        The counts that the sheet was made from, with their fingerprints.
    sections
        Its sections in order, each with its tests, tables and charts.
    findings
        What a careful reader would notice.
    not_done
        What was left out, and what it needs.
    not_covered
        What the sheet does not speak about.
    settings
        How the tests were made.
    level
        Confidence level of all limits.
    seed
        What random numbers began with; None if there were none.
    limits
        The user's limits by id of the test.
    """

    @property
    def tests(self) -> Mapping[str, SheetTest]:
        """The tests by id, in the order of the sheet."""
        return {test.id: test for test in tests_of(self)}

    @property
    def lights(self) -> Mapping[Light, int]:
        """How many tests are green, amber, red and grey."""
        return lights_of(tests_of(self))

    def presentation(self) -> Presentation:
        """Return what the sheet shows as text, Markdown, picture and notebook card."""
        return presentation_of(self, self.digest())

    def to_dict(self) -> dict[str, Any]:
        """Return the sheet as values that strict JSON can hold, as `schema()` describes them."""
        return as_values(self)

    def to_json(self) -> str:
        """Return the sheet as JSON; equal sheets are equal text."""
        return to_json(self.to_dict())

    def digest(self) -> str:
        """Return the fingerprint of the sheet: the SHA-256 of all its other values."""
        found: str = self.to_dict()["digest"]
        return found

    def to_html(self) -> str:
        """Return the page: one printed page to sign, all tables behind; it loads nothing."""
        return render_sheet(self, self.digest())

    def to_csv(self) -> str:
        """Return the tests as csv, one row each, numbers in full."""
        return to_csv(defused(tests_in_full(self)))

    def _csv(self) -> str:
        return self.to_csv()

    def _writers(self) -> dict[str, Callable[[Path], None]]:
        """Return what writes a file, by its suffix; the page, not a picture, is what is printed."""
        # A class with slots is made anew, and a bare super() knows the first one only.
        usual = super(ValidationSheet, self)._writers()
        kept = {suffix: write for suffix, write in usual.items() if suffix not in PICTURES}
        return kept | {".xlsx": partial(write_workbook, self)}
