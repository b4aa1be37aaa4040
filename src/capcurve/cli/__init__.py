"""The command line: arguments become calls of the library, and nothing is computed here."""

from capcurve.cli.program import main

__all__ = ["main"]
