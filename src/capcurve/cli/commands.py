"""The commands, in the order in which people meet them."""

from __future__ import annotations

from capcurve.cli.cells import counts
from capcurve.cli.checking import check
from capcurve.cli.comparing import compare
from capcurve.cli.curves import curve
from capcurve.cli.evaluating import report, summary
from capcurve.cli.pictures import plot
from capcurve.cli.tables import gains, steps, thresholds

COMMANDS = [report, summary, compare, check, gains, curve, plot, thresholds, steps, counts]
