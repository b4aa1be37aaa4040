"""The validation sheet: all tests of how a score ranks, judged by the limits of its user."""

from capcurve._lazy import attach

# Gates, which build servers ask for, need neither the sections of the sheet nor its page.
_OFFERED = {
    "ecb": "EcbTable",
    "ecb_lines": "ecb_lgd",
    "given": "Input",
    "judgement": "SheetTest TestLimits read_limits",
    "sections": "Section",
    "sheet": "ValidationSheet schema",
    "validating": "validate",
}

__getattr__, __dir__, __all__ = attach(__name__, _OFFERED)
