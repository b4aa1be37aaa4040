"""The validation sheet: all tests of how a score ranks, judged by the limits of its user."""

from capcurve.studies.validation.limits import read_limits
from capcurve.studies.validation.records import Input, Section, SheetTest, TestLimits
from capcurve.studies.validation.sheet import ValidationSheet
from capcurve.studies.validation.validate import validate
from capcurve.studies.validation.written import schema

__all__ = [
    "Input",
    "Section",
    "SheetTest",
    "TestLimits",
    "ValidationSheet",
    "read_limits",
    "schema",
    "validate",
]
