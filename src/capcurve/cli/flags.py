"""How messages of the library name arguments where a command runs: by their flags."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import click

from capcurve.numbers.arguments import ALONE, Wording

if TYPE_CHECKING:
    from collections.abc import Mapping

# What arguments are called that have options of other names.
OPTION_NAMES = {"null_values": "na", "period": "by_period", "columns": "column"}
# Arguments that take a list, whose options are given once for each item.
REPEATED = ("pos_label", "neg_label", "drop_label", "treated_label", "control_label")
# What only Python has, as it is said of a command.
SPOKEN = {
    "attribute_change": "capcurve change",
    "gains_table": "capcurve gains",
    'gains_table(values, bins="score")': "capcurve gains --bins score",
    "estimate_rate(partial)": "--metric prevalence",
    "unknown_bounds(partial)": "capcurve bounds without --labelled",
    "unknown_bounds(times.known_at(horizon))": "capcurve bounds --time",
    "reference=": "BEFORE or --from",
    "`levels`": "--levels",
    "levels names": "--levels names",
    "levels is empty": "--levels is empty",
    "levels already runs": "--levels already runs",
    "columns names": "--column names",
    "decimals is": "--decimals is",
    # A spreadsheet takes text that begins with a minus for a formula.
    "start=": "option --start-grade",
    "end=": "option --end-grade",
    "final=": "option --final-grade",
    "pd=": "option --pd or --grade-pd",
    "initial=": "option --initial",
    "initial_dates=": "option --initial-dates",
    "exposure=": "option --ecb-exposure",
    "outside=": "option --outside",
    "statuses=": "option --outside",
    "levels=master_scale(...)": "option --cuts",
    "without weight": "without --weight",
    "call it 'score'": "name it with --score",
    "call it 'positives'": "name it with --target",
    "call it 'unknown'": "name it with --unknown",
    "leave out the others": "name it with --score, --target",
    "effect_scores": "--propensity",
    "higher_is": "--higher-is",
    "pd has no PD for": "--grade-pd has no PD for",
    "pd has a PD for": "--grade-pd has a PD for",
    ", or pass a PD per score": "",
    " (null or NaN)": "",
    " for a file, or None in a column": "",
    ", or pass levels=master_scale(...) if these are cuts of a score": "",
    "naming the grades most-likely-positive first, an ordered categorical, or numbers": (
        "naming the grades, most likely positive first, or a column of numbers"
    ),
}
_PAIR = re.compile(r"\(([^,()]+), ([^,()]+)\)")  # of numbers, as Python writes two


class Flags(Wording):
    """How the command line names and passes arguments.

    >>> Flags().passed({"higher_is": "negative"}), Flags().passed({"null_values": ALONE})
    ('--higher-is negative', '--na')
    >>> Flags().passed({"pos_label": ["bad", "x y"], "levels": ["A", "B"], "ordered": True})
    "--pos-label bad --pos-label 'x y' --levels A,B --ordered"
    """

    def refused(self, name: str) -> str:
        """Begin a sentence on an argument whose value is refused, if the command has it."""
        context = click.get_current_context(silent=True)
        options = {each.name for each in context.command.params} if context else set()
        return f"{_flag(name) if OPTION_NAMES.get(name, name) in options else name} must"

    def passed(self, arguments: Mapping[str, object]) -> str:
        """Write arguments with their values, as a shell takes them."""
        return " ".join(_with_value(name, value) for name, value in arguments.items())

    def of_file(self, arguments: Mapping[str, object]) -> str:
        """Write arguments about how a file is read."""
        return self.passed(arguments)

    def refused_of_amounts(self, name: str, instead: str) -> str:
        """Refuse counts of amounts by what was typed, as the same is refused of rows."""
        context = click.get_current_context(silent=True)
        typed = {} if context is None else context.params
        what = name if context is None else f"capcurve {context.info_name}"
        advice = "leave it out"
        if typed.get("interval"):
            what = "--interval"
        elif typed.get("kind"):
            what, advice = f"--kind {typed['kind']}", "choose cap"
        elif typed.get("pd"):
            what = "--pd"
        else:
            other = SPOKEN.get(instead, "")
            advice = f"use {other}" if other else "count the rows with --target"
        return f"{what} is for positives and negatives, and these are amounts; {advice}"

    def spoken(self, text: str) -> str:
        """Return what is said of a command in the place of words of Python."""
        least_and_most = _PAIR.fullmatch(text)
        return SPOKEN.get(text, ":".join(least_and_most.groups()) if least_and_most else text)


def _flag(name: str) -> str:
    return "--" + OPTION_NAMES.get(name, name).replace("_", "-")


def _with_value(name: str, value: object) -> str:
    if value is ALONE or value is True or value is ...:
        return _flag(name)
    if isinstance(value, tuple):  # of words among which to choose
        *most, last = value
        before = f"{_flag(name)} {', '.join(most)} or "
        return f"{before}{last}" if most else _with_value(name, last)
    if name == "labelled":
        value = str(value).replace(" ", "-")
    if name == "rest":
        return f"--rest-{value}"
    if isinstance(value, dict):
        return " ".join(_with_value(name, f"{key}={each}") for key, each in value.items())
    if isinstance(value, list) and name in REPEATED:
        return " ".join(_with_value(name, each) for each in value)
    if name == "metric" and isinstance(value, str):
        value = _metric_typed(value)
    if value == "leave_out":
        value = "leave-out"
    items = value if isinstance(value, list) else None
    text = str(value) if items is None else ",".join(in_list(str(each)) for each in items)
    return f"{_flag(name)} {shlex.quote(text)}"


def _metric_typed(name: str) -> str:
    from capcurve.cli.options import metric_words
    from capcurve.metrics import METRICS

    return metric_words(name)[0] if name in METRICS else name


def in_list(word: str) -> str:
    """Return a word as a list with commas takes it."""
    plain = word == word.strip() and "," not in word and not word.startswith('"')
    return word if plain else '"{}"'.format(word.replace('"', '""'))
