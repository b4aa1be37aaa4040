"""Audit of a binned table: what it allows, whether it can be true, and whether claims fit it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from capcurve.audit import chance
from capcurve.audit.assumptions import allowed_under, check_assumption
from capcurve.audit.bins import accuracy_ratio, extreme
from capcurve.audit.claims import judged
from capcurve.audit.conflicts import minimal_conflicts
from capcurve.audit.findings import (
    of_claims,
    of_contradiction,
    of_ks,
    of_population,
    of_precision,
    of_rates,
    sorted_by_gravity,
)
from capcurve.audit.misprints import misprints
from capcurve.audit.problems import problem_of
from capcurve.audit.ranges import Allowed, Assumption, halved
from capcurve.audit.reading import read_table
from capcurve.audit.shown_tables import end_tables
from capcurve.audit.stated import stated
from capcurve.audit.windows import check_rounding
from capcurve.counts.arguments import as_name, as_open_share, as_share
from capcurve.counts.plain import plain
from capcurve.inference.records import Confidence, Interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.audit.printed import PrintedTable
    from capcurve.audit.problems import Asked
    from capcurve.audit.records import CellFix, Claim, Range
    from capcurve.audit.stated import Stated
    from capcurve.audit.windows import Rounding
    from capcurve.summary import Finding
    from capcurve.tables import Table
