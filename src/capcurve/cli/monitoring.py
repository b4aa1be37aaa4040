"""`capcurve check --periods`: a control chart of the periods, against the baseline."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from capcurve.cli.errors import Failure
from capcurve.cli.options import OPEN_SHARE, refuse_amounts
from capcurve.cli.output import note, save, tell, waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capcurve.cli.options import Request
    from capcurve.cli.reading import CountsByScore
    from capcurve.results.gates import Baseline, Ruling
    from capcurve.studies.monitoring import ControlChart

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Monitoring:
    """The control chart that is asked for, as typed; without `periods` there is none."""

    periods: str | None = None
    drop: float | None = None
    alarms: float | None = None
    horizon: int | None = None
    limit: str | None = None
    save_limit: str | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        given = [each.name for each in fields(self)[1:] if getattr(self, each.name) is not None]
        if self.periods is None and given:
            flag = "--" + given[0].replace("_", "-")
            raise click.UsageError(f"{flag} goes with --periods; name the column of the periods")
        made = [name for name in ("alarms", "seed", "save_limit") if name in given]
        if self.limit is not None and made:
            flag = "--" + made[0].replace("_", "-")
            raise click.UsageError(
                f"{flag} is for a new limit, and --limit gives one; leave it out"
            )


OPTIONS = (
    click.option(
        "--periods",
        metavar="COLUMN",
        help="Column of the periods, such as months: fail if a control chart shows that the "
        "accuracy ratio is below the baseline.",
    ),
    click.option(
        "--drop",
        type=OPEN_SHARE,
        metavar="AR",
        help="With --periods: fall of the accuracy ratio to look for (default: 0.05).",
    ),
    click.option(
        "--alarms",
        type=OPEN_SHARE,
        metavar="SHARE",
        help="With --periods: how often an unchanged score may raise a false alarm in all "
        "periods together (default: 0.05).",
    ),
    click.option(
        "--horizon",
        type=click.IntRange(min=1),
        metavar="N",
        help="With --periods: number of periods the limit is for, those to come among them "
        "(default: those given).",
    ),
    click.option(
        "--save-limit",
        metavar="PATH",
        help="With --periods: save the limit as JSON, for --limit.",
    ),
    click.option(
        "--limit",
        metavar="PATH",
        help="With --periods: limit saved by --save-limit, so that verdicts on earlier periods "
        "stay.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        help="With --periods: seed of the samples the limit is found by (default: always the "
        "same).",
    ),
)


def states_monitoring(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command the options of a control chart; they come as one `Monitoring`."""

    @functools.wraps(command)
    def call(*given: object, **options: Any) -> Result:
        said = {each.name: options.pop(each.name) for each in fields(Monitoring)}
        return command(*given, monitoring=Monitoring(**said), **options)

    wrapped: Callable[..., Result] = call
    for option in reversed(OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def in_periods(request: Request, monitoring: Monitoring, baseline: str | None) -> Request:
    """Return the request with the periods as segments, if there are any."""
    if monitoring.periods is None:
        return request
    refuse_amounts(request, "--periods is", "leave it out")
    if baseline is None:
        raise click.UsageError("--periods needs --baseline, the initial sample to compare with")
    if request.by is not None:
        raise click.UsageError("--periods and --by do not go together; filter the rows instead")
    if len(set(request.score)) > 1:
        raise click.UsageError("--periods is of one score; pass one --score")
    if request.memory_limit is not None:
        raise click.UsageError("--periods needs all rows in memory; leave out --memory-limit")
    if monitoring.save_limit is not None:
        _check_saved(Path(monitoring.save_limit), [*request.file, baseline])
    return replace(request, by=monitoring.periods)


def _check_saved(path: Path, inputs: list[str]) -> None:
    """Refuse early where no limit can be saved."""
    if path.suffix.lower() != ".json":
        raise click.UsageError(f"--save-limit {path} must end in .json")
    if not path.parent.is_dir():
        raise click.UsageError(f"--save-limit {path}: there is no folder {path.parent}")
    if path.resolve() in [Path(each).resolve() for each in inputs]:
        raise click.UsageError(f"--save-limit {path} would replace an input; give it another name")


def charted(
    found: CountsByScore,
    baselines: Mapping[str, Baseline],
    monitoring: Monitoring,
) -> list[tuple[Ruling, ControlChart]]:
    """Return the ruling of the control chart with the chart, nothing without periods."""
    if monitoring.periods is None:
        return []
    if len(found.whole) > 1:
        raise Failure("--periods is of one score, and there are several; pass one --score")
    name = next(iter(found.whole))
    if name not in found.segments:
        raise Failure(f"there are no periods: no column {monitoring.periods} in the table")
    limit = None if monitoring.limit is None else _read(monitoring.limit)
    with waiting("making the control chart"):
        from capcurve.studies.monitoring import control_chart

        chart = control_chart(
            found.segments[name],
            _initial(baselines[name]),
            drop=monitoring.drop,
            alarms=monitoring.alarms,
            horizon=monitoring.horizon,
            limit=limit,
            seed=monitoring.seed,
        )
    if monitoring.save_limit is not None:
        save(Path(monitoring.save_limit), partial(_write, dict(chart.saved_limit)))
    return [(_ruling(chart), chart)]


def _initial(baseline: Any) -> Any:
    """Return the baseline as a control chart takes it: counts, or what a summary tells."""
    from capcurve.results.gates import Earlier

    if not isinstance(baseline, Earlier):
        return baseline
    if baseline.interval is None or baseline.sizes is None:
        return baseline.value
    return (baseline.value, *baseline.sizes)


def _ruling(chart: ControlChart) -> Ruling:
    from capcurve.results.gates import Ruling
    from capcurve.studies.monitoring.shown import verdict

    said = verdict(chart).removesuffix(".")
    said = said[:1].lower() + said[1:]
    shown = chart.to_dict()
    return Ruling(
        rule=f"control chart of the accuracy ratio, drop {chart.drop:g}",
        result="fail" if chart.alarmed else "pass",
        said=f"control chart: {said}",
        values={
            "metric": "accuracy_ratio",
            "rule": "control_chart",
            "bound": chart.limit,
            "estimate": max(each["cusum"] for each in shown["periods"]),
            "detectable_drop": chart.detectable,
            "chart": shown,
        },
    )


def tell_of(chart: ControlChart) -> None:
    """Say on stderr what a control chart found, and what a single period shows."""
    tell({"": chart.findings})
    for told in chart.notes:
        note(told[:1].lower() + told[1:].removesuffix("."))
    if chart.detectable is not None:
        note(
            f"a single period of mean size shows a true fall of {chart.detectable:.2f} with a "
            "probability of 80%"
        )


def _read(path: str) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise Failure(
            f"--limit {path} is not a limit; write one with capcurve check --save-limit"
        ) from None


def _write(limit: dict[str, Any], path: Path) -> None:
    from capcurve.show.columns import to_json

    path.write_text(to_json(limit).rstrip("\n") + "\n", encoding="utf-8")
