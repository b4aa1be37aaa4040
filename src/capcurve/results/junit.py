"""Outcomes of checks as JUnit XML, which build servers read."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from capcurve.show.format import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.results.gates import Outcome, Ruling

SUITE = "capcurve check"


def to_junit(outcomes: Sequence[Outcome | Ruling]) -> str:
    """Return one test case per outcome, the part its class, the rule its name.

    JUnit has no third outcome; what is inconclusive counts as skipped.
    """
    results = [outcome.result for outcome in outcomes]
    size = {"tests": str(len(outcomes)), "failures": str(results.count("fail")), "errors": "0"}
    size["skipped"] = str(results.count("inconclusive"))
    root = ET.Element("testsuites", {"name": SUITE, **size})
    suite = ET.SubElement(root, "testsuite", {"name": SUITE, **size, "time": "0"})
    for outcome in outcomes:
        case = ET.SubElement(
            suite,
            "testcase",
            {
                "classname": printable(outcome.part) or "all",
                "name": printable(outcome.rule),
                "time": "0",
            },
        )
        line = printable(outcome.line)
        if outcome.result == "pass":
            ET.SubElement(case, "system-out").text = line
        elif outcome.result == "inconclusive":
            ET.SubElement(case, "skipped", {"message": line})
        else:
            ET.SubElement(case, "failure", {"message": line, "type": "check"}).text = line
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")
