"""The validation sheet: all tests of how a score ranks, judged by the limits of its user."""

from capcurve.validation.limits import read_limits
from capcurve.validation.records import Input, Section, SheetTest, TestLimits
from capcurve.validation.sheet import ValidationSheet
from capcurve.validation.validate import validate
from capcurve.validation.written import schema

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
