"""`capcurve check`: whether a score keeps what it must, for build servers and monitoring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from capcurve.cli import writing
from capcurve.cli.baselines import baselines_of
from capcurve.cli.parts import by_part, called
from capcurve.cli.reading import counted
from capcurve.cli.request import reads_data, states_details
from capcurve.cli.tables import SCHEMA_VERSION, tell_always
from capcurve.cli.waiting import waiting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.cli.request import Request
    from capcurve.counts import ScoreCounts
    from capcurve.summary.gates import Gate, Outcome

FAILED = 1
SUFFIXES = {".txt": "text", ".json": "json", ".xml": "junit", ".md": "md"}
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
BOUNDS = {"min_ar": (-1, 1), "min_auc": (0, 1), "min_ks": (0, 1), "max_drop": (0, 2)}
CAPTURED = "--min-captured must be SHARE=MINIMUM, such as 0.1=0.25"


@click.command("check")
@reads_data
@click.option("--min-ar", type=float, metavar="AR", help="Minimum accuracy ratio.")
@click.option("--min-auc", type=float, metavar="AUC", help="Minimum AUC.")
@click.option("--min-ks", type=float, metavar="KS", help="Minimum KS statistic.")
@click.option(
    "--min-captured",
    multiple=True,
    metavar="SHARE=MINIMUM",
    help="Minimum share of positives captured in the top SHARE of cases, e.g. 0.1=0.25; "
    "repeat for several.",
)
@click.option(
    "--baseline",
    metavar="PATH",
    help="Earlier accuracy ratio: summary JSON (treated as exact), or counts saved as .csv or "
    ".parquet (their sampling error is included).",
)
@click.option(
    "--max-drop",
    type=float,
    metavar="AR",
    help="Maximum drop of the accuracy ratio since the baseline.",
)
@click.option(
    "--confidence",
    type=SHARE,
    default=0.95,
    show_default=True,
    metavar="LEVEL",
    help="Confidence level of the one-sided limits.",
)
@click.option(
    "--format",
    "-f",
    "form",
    type=click.Choice(list(SUFFIXES.values())),
    help="Output format (default: text, or as the suffix of --output).",
)
@click.option(
    "--output",
    "-o",
    metavar="PATH",
    help=f"Write to this file ({', '.join(SUFFIXES)}) instead of standard output.",
)
@states_details
def check(
    request: Request,
    baseline: str | None,
    max_drop: float | None,
    confidence: float,
    form: str | None,
    output: str | None,
    **least: Any,
) -> int:
    """Pass or fail a score against minimum values.

    A rule passes if the one-sided lower confidence limit of the number, not the number itself,
    reaches the minimum, so that a pass is unlikely to be luck. With --max-drop, the upper limit
    of the drop since --baseline must not exceed it. Prints one line per rule, score and segment
    (--by); segments are compared with the baseline of the whole score. Exit code 0 if all
    pass, 1 if one fails, 2 for wrong use or unusable input.
    """
    inputs = request.file if baseline is None else (*request.file, baseline)
    form = writing.format_of(form, output, inputs, SUFFIXES)
    if (baseline is None) != (max_drop is None):
        raise click.UsageError("--baseline and --max-drop go together; give both or neither")
    _check_bounds(least, max_drop)
    rules = _rules(least, confidence)
    if not rules and max_drop is None:
        raise click.UsageError(
            "no rule was given; name one, such as --min-ar 0.4 (--help lists them)"
        )
    found = counted(request)
    before = {} if baseline is None else baselines_of(baseline, list(found.whole))
    with waiting("checking"):
        outcomes = [
            outcome
            for name, whose, counts in _parts(found)
            for outcome in _judged(counts, whose, rules, before.get(name), max_drop, confidence)
        ]
    with writing.reader_may_leave():
        writing.emit(_as_text(outcomes, form), form, output)
        tell_always(found)
    return 0 if all(outcome.passed for outcome in outcomes) else FAILED


def _parts(found: Any) -> list[tuple[str, str, ScoreCounts]]:
    first = next(iter(found.whole))
    return [(whose.get("score", first), called(whose), c) for whose, c in by_part(found)]


def _judged(
    counts: ScoreCounts,
    part: str,
    rules: Sequence[Gate],
    before: float | ScoreCounts | None,
    max_drop: float | None,
    confidence: float,
) -> list[Outcome]:
    from capcurve.summary.gates import Gate, judged

    gates = list(rules)
    if before is not None and max_drop is not None:
        gates.append(Gate("accuracy_ratio", max_drop, confidence, baseline=before))
    return [judged(counts, gate, part) for gate in gates]


def _check_bounds(least: Mapping[str, Any], max_drop: float | None) -> None:
    """Raise UsageError for a bound that no number can be held against, NaN among them."""
    for option, (low, high) in BOUNDS.items():
        said = max_drop if option == "max_drop" else least[option]
        if said is not None and not low <= said <= high:
            flag = "--" + option.replace("_", "-")
            raise click.UsageError(f"{flag} must be between {low} and {high}, got {said:g}")


def _rules(least: Mapping[str, Any], confidence: float) -> list[Gate]:
    from capcurve.summary.gates import Gate

    names = {"min_ar": "accuracy_ratio", "min_auc": "roc_auc", "min_ks": "ks"}
    rules = [
        Gate(metric, least[option], confidence)
        for option, metric in names.items()
        if least[option] is not None
    ]
    for said in least["min_captured"]:
        q, minimum = _share_and_minimum(said)
        rules.append(Gate("captured_response", minimum, confidence, q))
    return rules


def _share_and_minimum(said: str) -> tuple[float, float]:
    share, _, minimum = said.partition("=")
    try:
        q, bound = float(share), float(minimum)
    except ValueError:
        raise click.UsageError(f"{CAPTURED}; got {said!r}") from None
    if not (0 < q < 1 and 0 <= bound <= 1):
        raise click.UsageError(f"{CAPTURED}, both shares; got {said!r}")
    return q, bound


def _as_text(outcomes: Sequence[Outcome], form: str) -> str:
    from capcurve import text

    if form == "json":
        passed = all(outcome.passed for outcome in outcomes)
        checks = [outcome.to_dict() for outcome in outcomes]
        return text.to_json({"schema_version": SCHEMA_VERSION, "passed": passed, "checks": checks})
    if form == "junit":
        from capcurve.text.junit import to_junit

        return to_junit(outcomes)
    lines = [text.printable(outcome.line) for outcome in outcomes]
    if form == "md":
        results, said = zip(*(line.split(" ", 1) for line in lines), strict=True)
        return text.to_markdown({"result": list(results), "rule": list(said)})
    return "\n".join(lines)
