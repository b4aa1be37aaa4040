"""`capcurve check`: whether a score reaches what it must, for build servers and monitoring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from capcurve.cli.errors import Failure
from capcurve.cli.options import reads_data, states_details
from capcurve.cli.output import Destination, reader_may_leave, waiting, writes_text
from capcurve.cli.reading import called, counted
from capcurve.cli.tables import SCHEMA_VERSION, tell_always

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.cli.options import Request
    from capcurve.counts import ScoreCounts
    from capcurve.summary.gates import Gate, Outcome

FAILED = 1
SUFFIXES = {".txt": "text", ".json": "json", ".xml": "junit", ".md": "md"}
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
BOUNDS = {"min_ar": (-1, 1), "min_auc": (0, 1), "min_ks": (0, 1), "max_drop": (0, 2)}
COUNTS = (".csv", ".parquet")
CAPTURED = "--min-captured must be SHARE=MINIMUM, such as 0.1=0.25"


class Minima(TypedDict):
    """The least that numbers of a score must reach, as typed."""

    min_ar: float | None
    min_auc: float | None
    min_ks: float | None
    min_captured: tuple[str, ...]


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
@writes_text(SUFFIXES)
@states_details
def check(
    request: Request,
    to: Destination,
    *,
    baseline: str | None,
    max_drop: float | None,
    confidence: float,
    **least: Unpack[Minima],
) -> int:
    """Pass or fail a score against minimum values.

    A rule passes if the one-sided lower confidence limit of the number, not the number itself,
    reaches the minimum, so that a pass is unlikely to be luck. With --max-drop, the upper limit
    of the drop since --baseline must not exceed it. Prints one line per rule, score and segment
    (--by); segments are compared with the baseline of the whole score. Exit code 0 if all
    pass, 1 if one fails, 2 for wrong use or unusable input.
    """
    if (baseline is None) != (max_drop is None):
        raise click.UsageError("--baseline and --max-drop go together; give both or neither")
    _check_bounds({**least, "max_drop": max_drop})
    rules = _rules(least, confidence)
    if not rules and max_drop is None:
        raise click.UsageError(
            "no rule was given; name one, such as --min-ar 0.4 (--help lists them)"
        )
    from capcurve.summary.gates import judged

    found = counted(request)
    before = {} if baseline is None else _baselines(baseline, list(found.whole))
    with waiting("checking"):
        outcomes = []
        for whose, counts in found.parts():
            name = str(whose.get("score", next(iter(found.whole))))
            gates = [*rules, *_drop(before.get(name), max_drop, confidence)]
            outcomes += [judged(counts, gate, called(whose)) for gate in gates]
    with reader_may_leave():
        to.emit(_as_text(outcomes, to.form))
        tell_always(found)
    return 0 if all(outcome.passed for outcome in outcomes) else FAILED


def _check_bounds(given: Mapping[str, object]) -> None:
    """Raise UsageError for a bound that no number can be held against, NaN among them."""
    for option, (low, high) in BOUNDS.items():
        said = given[option]
        if isinstance(said, float) and not low <= said <= high:
            flag = "--" + option.replace("_", "-")
            raise click.UsageError(f"{flag} must be between {low} and {high}, got {said:g}")


def _rules(least: Minima, confidence: float) -> list[Gate]:
    from capcurve.summary.gates import Gate

    given = {"accuracy_ratio": least["min_ar"], "roc_auc": least["min_auc"], "ks": least["min_ks"]}
    rules = [Gate(name, bound, confidence) for name, bound in given.items() if bound is not None]
    for said in least["min_captured"]:
        q, minimum = _share_and_minimum(said)
        rules.append(Gate("captured_response", minimum, confidence, q))
    return rules


def _drop(
    before: float | ScoreCounts | None, max_drop: float | None, confidence: float
) -> list[Gate]:
    from capcurve.summary.gates import Gate

    if before is None or max_drop is None:
        return []
    return [Gate("accuracy_ratio", max_drop, confidence, baseline=before)]


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


def _baselines(path: str, scores: Sequence[str]) -> dict[str, float | ScoreCounts]:
    """Return the baseline of each score; a single one serves a single score of any name."""
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        found: Mapping[str, float | ScoreCounts] = _of_summaries(path)
    elif suffix in COUNTS:
        found = {scores[0]: _of_counts(path)}
    else:
        raise Failure(f"--baseline {path} must end in .json, {', '.join(COUNTS)}")
    if len(found) == 1 and len(scores) == 1:
        return dict(zip(scores, found.values(), strict=True))
    for name in scores:
        if name not in found:
            raise Failure(f"--baseline {path} has {', '.join(found)}, but not {name}")
    return {name: found[name] for name in scores}


def _of_summaries(path: str) -> dict[str, float]:
    try:
        read = json.loads(Path(path).read_text(encoding="utf-8"))
        ratios = {each["name"]: each["accuracy_ratio"] for each in read["scores"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Failure(
            f"--baseline {path} is not a summary; write one with capcurve summary --format json"
        ) from None
    for name, ratio in ratios.items():
        if not isinstance(ratio, int | float) or isinstance(ratio, bool) or not -1 <= ratio <= 1:
            raise Failure(f"--baseline {path} gives {ratio!r} as the accuracy ratio of {name}")
    if not ratios:
        raise Failure(f"--baseline {path} has no scores")
    return {name: float(ratio) for name, ratio in ratios.items()}


def _of_counts(path: str) -> ScoreCounts:
    from capcurve.counts import ScoreCounts
    from capcurve.input.files import Files, read_cells

    try:
        found = read_cells(Files.of(path))
    except (ValueError, TypeError) as error:
        why = str(error).removeprefix(f"{path}: ").removeprefix(path).strip()
        raise Failure(f"--baseline {path} is not a table saved by capcurve counts: {why}") from None
    counts = found if isinstance(found, ScoreCounts) else ScoreCounts.merge(found.values())
    if not (counts.n1 > 0 and counts.n0 > 0):
        raise Failure(f"--baseline {path} has no positives or no negatives")
    return counts
