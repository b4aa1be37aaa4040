"""`capcurve check`: whether a score reaches what it must, for build servers and monitoring."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import click

from capcurve.cli.errors import Failure, in_flags
from capcurve.cli.monitoring import charted, in_periods, states_monitoring, tell_of
from capcurve.cli.options import OPEN_SHARE, reads_data, states_details
from capcurve.cli.output import (
    SCHEMA_VERSION,
    Destination,
    note,
    reader_may_leave,
    waiting,
    writes_text,
)
from capcurve.cli.reading import called, counted, counted_to_show, saved_counts
from capcurve.cli.tables import tell_always
from capcurve.counts.arguments import as_finite, as_number, as_open_share
from capcurve.counts.given import is_amounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.cli.monitoring import Monitoring
    from capcurve.cli.options import Request
    from capcurve.cli.reading import CountsByScore
    from capcurve.counts import Amounts, ScoreCounts
    from capcurve.results.gates import Baseline, Earlier, Gate, Outcome, Ruling

FAILED = 1
WORST_FIRST = ("fail", "inconclusive", "pass")
SUFFIXES = {".txt": "text", ".json": "json", ".xml": "junit", ".md": "md"}
BOUNDS: dict[str, tuple[float, float]] = {
    "min_ar": (-1, 1),
    "min_auc": (0, 1),
    "min_ks": (0, 1),
    "max_drop": (0, 2),
}
BOUNDS |= {"min_index": (-1, 1), "max_psi": (0, math.inf)}
COUNTS = (".csv", ".parquet")
# Of the top share: the metric, an example, and the largest minimum there can be.
OF_THE_TOP = {
    "min_captured": ("captured_response", "0.1=0.25", 1.0),
    "min_lift": ("lift", "0.1=2", math.inf),
    "min_mean": ("mean_amount", "0.1=500", math.inf),
}
AMOUNTS_ONLY = {"min_index": "--min-ar", "min_mean": "--min-lift"}
CLASSES = "positives and negatives"
CLASSES_ONLY = {"min_auc": "--min-ar", "min_ks": "--min-ar"}


class Minima(TypedDict):
    """The least that numbers of a score must reach, as typed."""

    min_ar: float | None
    min_auc: float | None
    min_ks: float | None
    min_index: float | None
    min_captured: tuple[str, ...]
    min_lift: tuple[str, ...]
    min_mean: tuple[str, ...]


@click.command("check")
@reads_data
@click.option("--min-ar", type=float, metavar="AR", help="Minimum accuracy ratio.")
@click.option("--min-auc", type=float, metavar="AUC", help="Minimum AUC.")
@click.option("--min-ks", type=float, metavar="KS", help="Minimum KS statistic.")
@click.option(
    "--min-index", type=float, metavar="G", help="Minimum concentration index, with --amount."
)
@click.option(
    "--min-captured",
    multiple=True,
    metavar="SHARE=MINIMUM",
    help="Minimum share of positives, or of the amount, captured in the top SHARE of cases, e.g. "
    "0.1=0.25; repeat for several.",
)
@click.option(
    "--min-lift",
    multiple=True,
    metavar="SHARE=MINIMUM",
    help="Minimum lift in the top SHARE of cases, e.g. 0.1=2; repeat for several.",
)
@click.option(
    "--min-mean",
    multiple=True,
    metavar="SHARE=MINIMUM",
    help="With --amount, minimum mean amount (per unit of exposure) in the top SHARE, e.g. "
    "0.1=500; repeat for several.",
)
@click.option(
    "--baseline",
    metavar="PATH",
    help="Earlier sample: summary JSON with its interval, or counts saved as .csv or .parquet. "
    "Its sampling error is included.",
)
@click.option(
    "--max-drop",
    type=float,
    metavar="AR",
    help="Maximum drop of the accuracy ratio since the baseline.",
)
@click.option(
    "--max-psi",
    type=float,
    metavar="PSI",
    help="Maximum population stability index since the baseline, whose counts it needs: over the "
    "grades, or ten bins of the baseline.",
)
@click.option(
    "--inconclusive",
    type=click.Choice(["warn", "fail"]),
    default="warn",
    show_default=True,
    help="What to do where the sample neither shows nor excludes that --max-drop or --max-psi is "
    "exceeded.",
)
@click.option(
    "--confidence",
    type=OPEN_SHARE,
    default=0.95,
    show_default=True,
    metavar="LEVEL",
    help="Confidence level of the one-sided limits.",
)
@states_monitoring
@writes_text(SUFFIXES)
@states_details
def check(
    request: Request,
    to: Destination,
    *,
    baseline: str | None,
    max_drop: float | None,
    max_psi: float | None,
    inconclusive: Literal["warn", "fail"],
    confidence: float,
    monitoring: Monitoring,
    **least: Unpack[Minima],
) -> int:
    """Hold a score against minimum values, or against an earlier sample.

    --min-ar and its kin pass if the one-sided lower confidence limit of the number, not the
    number itself, reaches the minimum, so that a pass is unlikely to be luck.

    --max-drop has three outcomes. FAIL: the drop since --baseline is shown to exceed it, as its
    lower limit does. PASS: its upper limit does not exceed it. INCONCLUSIVE: neither; a warning
    says how large a drop the sample could show. A sample without one of the classes is
    inconclusive, too; a minimum fails there.

    How large that is depends on the number of positives. With an accuracy ratio of 0.60 before,
    well known, and 5% positives, --max-drop 0 fails in 80% of samples if the true drop is 0.25
    with 30 positives, 0.13 with 100, 0.09 with 200, 0.05 with 500, 0.04 with 1000; add the value
    of --max-drop to these. (detectable_drop in Python computes it.) For amounts it depends on
    how unequal they are, and is not computed.

    --max-psi has the same three outcomes, for the population stability index since --baseline.

    --periods makes a control chart: it adds up how far the accuracy ratio of each period is below
    the baseline, and fails once the sum is above a limit that an unchanged score goes above in 5%
    of series of periods. Save the limit at the start with --horizon 24 --save-limit limit.json,
    and pass it with --limit in later months. Other rules are then held against all rows together.

    Prints one line per rule, score and segment (--by); segments are compared with the baseline of
    the whole score. Exit code 0 if no rule fails, 1 if one does, 2 for wrong use or unusable
    input.
    """
    if not request.counts:
        _refuse_others(least, amounts=request.amount is not None)
    _check_stability(request, baseline, max_psi)
    request = in_periods(request, monitoring, baseline)
    compared = max_drop is not None or max_psi is not None or monitoring.periods is not None
    if (baseline is not None) != compared:
        said = "--max-drop" if max_psi is None else "--max-psi"
        raise click.UsageError(f"--baseline and {said} go together; give both or neither")
    _check_bounds({**least, "max_drop": max_drop, "max_psi": max_psi})
    rules = _rules(least, confidence)
    if not rules and not compared:
        raise click.UsageError(
            "no rule was given; name one, such as --min-ar 0.4 (--help lists them)"
        )
    found = (counted_to_show if monitoring.periods is None else counted)(request)
    if not all(counts.n for counts in found.whole.values()):
        raise Failure("there are no cases; check what was selected")
    if request.counts:
        _refuse_others(least, amounts=any(map(is_amounts, found.whole.values())))
    baselines = {} if baseline is None else _baselines(baseline, found.whole)
    largest = {"accuracy_ratio": max_drop, "psi": max_psi}
    gates = {
        name: [*rules, *_against(before, largest, confidence, strict=inconclusive == "fail")]
        for name, before in (baselines or dict.fromkeys(found.whole)).items()
    }
    with waiting("checking"):
        outcomes = _judged(_judged_parts(found, monitoring), gates)
    charts = charted(found, baselines, monitoring)
    outcomes += [ruling for ruling, _ in charts]
    with reader_may_leave():
        to.emit(_as_text(outcomes, to.form))
        _warn(outcomes, baselines)
        for _, chart in charts:
            tell_of(chart)
        tell_always(found)
    return FAILED if any(outcome.result == "fail" for outcome in outcomes) else 0


def _judged_parts(
    found: CountsByScore, monitoring: Monitoring
) -> Iterable[tuple[dict[str, Any], Any]]:
    """Return what rules are held against: segments, but with periods all rows together."""
    if monitoring.periods is None:
        return found.parts()
    return (({}, counts) for counts in found.whole.values())


def _judged(
    parts: Iterable[tuple[dict[str, Any], Any]], gates: Mapping[str, Sequence[Gate]]
) -> list[Outcome | Ruling]:
    """Return the outcome of each rule, for every part of the score that the rule is about."""
    from capcurve.results.gates import judged

    outcomes: list[Outcome | Ruling] = []
    for whose, counts in parts:
        name = str(whose.get("score", next(iter(gates))))
        outcomes += [_in_flags(judged(counts, gate, called(whose))) for gate in gates[name]]
    return outcomes


def _in_flags(outcome: Outcome) -> Outcome:
    """Return an outcome whose reason is in the words of the command line."""
    return outcome if outcome.reason is None else replace(outcome, reason=in_flags(outcome.reason))


def _warn(outcomes: Sequence[Outcome | Ruling], baselines: Mapping[str, Baseline]) -> None:
    """Say which drops are inconclusive, and which baselines are taken as exact."""
    from capcurve.results.gates import Earlier

    for name, baseline in baselines.items():
        if isinstance(baseline, Earlier) and baseline.interval is None:
            note(f"the baseline of {name} has no interval; its accuracy ratio is taken as exact")
    for outcome in outcomes:
        if outcome.warning:
            note(f"inconclusive: {outcome.warning}", "warning")


def _refuse_others(least: Minima, *, amounts: bool) -> None:
    """Refuse minima of numbers that amounts, or positives and negatives, do not have."""
    others, kind = (CLASSES_ONLY, CLASSES) if amounts else (AMOUNTS_ONLY, "amounts")
    for name, instead in others.items():
        if least[name] not in (None, ()):  # type: ignore[literal-required]  # one of its keys
            flag = "--" + name.replace("_", "-")
            given = "amounts" if amounts else CLASSES
            raise click.UsageError(f"{flag} is of {kind}, and this is of {given}; give {instead}")


def _check_bounds(given: Mapping[str, object]) -> None:
    """Raise UsageError for a bound that no number can be held against, NaN among them."""
    for option, (low, high) in BOUNDS.items():
        said = given[option]
        if isinstance(said, float) and not low <= said <= high:
            flag = "--" + option.replace("_", "-")
            raise click.UsageError(f"{flag} must be between {low} and {high}, got {said:g}")


def _rules(least: Minima, confidence: float) -> list[Gate]:
    from capcurve.results.gates import Gate

    given = {"accuracy_ratio": least["min_ar"], "roc_auc": least["min_auc"], "ks": least["min_ks"]}
    given["concentration_index"] = least["min_index"]
    rules = [Gate(name, bound, confidence) for name, bound in given.items() if bound is not None]
    for option, (metric, _, _) in OF_THE_TOP.items():
        for said in least[option]:  # type: ignore[literal-required]  # one of its keys
            q, minimum = _share_and_minimum(option, said)
            rules.append(Gate(metric, minimum, confidence, q))
    return rules


def _against(
    baseline: Baseline | None,
    largest: Mapping[str, float | None],
    confidence: float,
    *,
    strict: bool,
) -> list[Gate]:
    """Return the rules about what changed since the baseline."""
    from capcurve.results.gates import Gate

    asked = {metric: bound for metric, bound in largest.items() if bound is not None}
    if "psi" in asked and is_amounts(baseline):
        raise Failure(f"--max-psi is of {CLASSES}, and this is of amounts; leave it out")
    return [
        Gate(metric, bound, confidence, baseline=baseline, strict=strict)
        for metric, bound in asked.items()
    ]


def _check_stability(request: Request, baseline: str | None, max_psi: float | None) -> None:
    """Refuse to compare portfolios without the counts of both."""
    if max_psi is None:
        return
    if baseline is not None and Path(baseline).suffix.lower() not in COUNTS:
        raise click.UsageError(
            "--max-psi compares the shares of grades, which a summary does not hold; give "
            f"--baseline counts saved as {' or '.join(COUNTS)}"
        )
    if request.by is not None:
        raise click.UsageError("--max-psi compares whole portfolios; leave out --by")


def _share_and_minimum(option: str, said: str) -> tuple[float, float]:
    _, example, most = OF_THE_TOP[option]
    form = f"--{option.replace('_', '-')} must be SHARE=MINIMUM, such as {example}"
    share, _, minimum = said.partition("=")
    try:
        q, bound = float(share), float(minimum)
    except ValueError:
        raise click.UsageError(f"{form}; got {said!r}") from None
    if not (0 < q < 1 and 0 <= bound <= most and bound < math.inf):
        both = "both shares" if most == 1 else "the first a share"
        raise click.UsageError(f"{form}, {both}; got {said!r}")
    return q, bound


def _as_text(outcomes: Sequence[Outcome | Ruling], form: str) -> str:
    from capcurve.show.columns import to_json
    from capcurve.show.format import printable
    from capcurve.show.markup import to_markdown

    if form == "json":
        results = {outcome.result for outcome in outcomes}
        return to_json(
            {
                "schema_version": SCHEMA_VERSION,
                "result": next(each for each in WORST_FIRST if each in results),
                "checks": [outcome.to_dict() for outcome in outcomes],
            }
        )
    if form == "junit":
        from capcurve.results.junit import to_junit

        return to_junit(outcomes)
    lines = [printable(outcome.line) for outcome in outcomes]
    if form == "md":
        words, said = zip(*(line.split(" ", 1) for line in lines), strict=True)
        return to_markdown({"result": list(words), "rule": list(said)})
    return "\n".join(lines)


def _baselines(path: str, whole: Mapping[str, ScoreCounts | Amounts]) -> dict[str, Baseline]:
    """Return the baseline of each score; a single one serves a single score of any name."""
    suffix, scores = Path(path).suffix.lower(), list(whole)
    kind = _kind_of(whole[scores[0]])
    if suffix == ".json":
        found: Mapping[str, Baseline] = _of_summaries(path, kind)
    elif suffix in COUNTS:
        found = {scores[0]: _of_counts(path, kind)}
    else:
        raise Failure(f"--baseline {path} must end in .json, {', '.join(COUNTS)}")
    if len(found) == 1 and len(scores) == 1:
        return dict(zip(scores, found.values(), strict=True))
    for name in scores:
        if name not in found:
            raise Failure(f"--baseline {path} has {', '.join(found)}, but not {name}")
    return {name: found[name] for name in scores}


def _kind(*, amounts: bool, exposure: bool) -> str:
    """Say what an accuracy ratio is of."""
    return f"amounts by {'exposure' if exposure else 'case'}" if amounts else CLASSES


def _kind_of(counts: ScoreCounts | Amounts) -> str:
    exposure = is_amounts(counts) and counts.has_exposure
    return _kind(amounts=is_amounts(counts), exposure=exposure)


def _refuse_another_kind(path: str, found: str, wanted: str) -> None:
    """Raise Failure where a baseline has an accuracy ratio of something else."""
    if found != wanted:
        raise Failure(
            f"--baseline {path} is of {found}, and this is of {wanted}: their accuracy ratios "
            "are not alike"
        )


def _of_summaries(path: str, kind: str) -> dict[str, Earlier]:
    try:
        read = json.loads(Path(path).read_text(encoding="utf-8"))
        several = [(each["name"], each) for each in read["scores"]]
        for name, each in several:
            _require_one_ratio(path, name, each, several)
        found = {name: _earlier(each) for name, each in several}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Failure(
            f"--baseline {path} is not a summary; write one with capcurve summary --format json"
        ) from None
    if not found:
        raise Failure(f"--baseline {path} has no scores")
    for _, each in several:
        amounts, exposure = each.get("kind") == "amounts", bool(each.get("has_exposure"))
        _refuse_another_kind(path, _kind(amounts=amounts, exposure=exposure), kind)
    for name, earlier in found.items():
        value, interval = earlier.value, earlier.interval
        if not -1 <= value <= 1:
            raise Failure(f"--baseline {path} gives {value!r} as the accuracy ratio of {name}")
        if interval is not None and not interval.low <= value <= interval.high:
            raise Failure(f"--baseline {path} gives {name} an accuracy ratio outside its interval")
    return found


def _require_one_ratio(
    path: str, name: str, read: Mapping[str, Any], several: Sequence[Any]
) -> None:
    """Raise Failure where a summary has no accuracy ratio, or two of a name."""
    if read["accuracy_ratio"] is None:
        why = read.get("undefined") or "nothing says why"
        raise Failure(f"--baseline {path}: the accuracy ratio of {name} is undefined: {why}")
    if sum(other == name for other, _ in several) > 1:
        raise Failure(f"--baseline {path} has two scores called {name}")


def _earlier(read: Mapping[str, Any]) -> Earlier:
    """Return what the summary of one score says of its accuracy ratio."""
    from capcurve.inference import Interval
    from capcurve.results.gates import Earlier

    value, limits = as_number(read["accuracy_ratio"], "accuracy_ratio"), None
    if read.get("intervals"):
        said = read["intervals"]["accuracy_ratio"]
        low, high, level = (as_number(said[key], key) for key in ("low", "high", "level"))
        limits = Interval(
            low, value, high, as_open_share(level, "level"), said["method"], said["se"]
        )
    sizes = None
    if "n1" in read and "n0" in read:
        n1, n0 = (max(round(as_finite(read[name], name)), 1) for name in ("n1", "n0"))
        sizes = n1, n0
    return Earlier(value, limits, read.get("digest"), sizes)


def _of_counts(path: str, kind: str) -> ScoreCounts | Amounts:
    found = saved_counts(path, "--baseline")
    _refuse_another_kind(path, _kind_of(found), kind)
    if is_amounts(found):
        return found
    if not (found.n1 > 0 and found.n0 > 0):
        raise Failure(f"--baseline {path} has no positives or no negatives")
    return found
