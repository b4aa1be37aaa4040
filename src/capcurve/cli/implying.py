"""`capcurve implied`: whether a score ranks as well as the PDs behind it promise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.options import reads_data, refuse_amounts, states_details, states_level
from capcurve.cli.output import Destination, note, waiting, wrapped, writes_tables
from capcurve.cli.reading import called, counted_jointly, counted_to_show
from capcurve.cli.tables import SCHEMA_VERSION, emit_columns, in_columns, tell_always

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.cli.options import Request
    from capcurve.cli.reading import Counted
    from capcurve.inference import Test

    Calibration = Literal["matched", "stated"]
    Parts = list[tuple[dict[str, object], Any, Test]]


@click.command("implied")
@reads_data
@click.option(
    "--pd",
    metavar="COLUMN",
    help="Column of the PDs, from 0 to 1 (default: the score itself).",
)
@click.option(
    "--calibration",
    type=click.Choice(["matched", "stated"]),
    default="matched",
    show_default=True,
    help="Shift the log-odds of the PDs so that they add up to the positives, or take them as "
    "they are.",
)
@click.option(
    "--correlation",
    type=click.FloatRange(0, 1, max_open=True),
    metavar="RHO",
    help="Correlation of the assets behind defaults that one factor moves, which the test then "
    "allows for (default: independent defaults).",
)
@states_level
@writes_tables
@states_details
def implied(
    request: Request,
    to: Destination,
    *,
    pd: str | None,
    calibration: Calibration,
    correlation: float | None,
    level: float,
) -> None:
    """Show the accuracy ratio that the PDs promise.

    A portfolio whose PDs are all alike cannot be ranked well. The implied accuracy ratio is what
    to expect if every PD is right; the test says whether the realised one differs from it by more
    than chance.
    """
    refuse_amounts(request, "PDs are", "name a --target")
    if request.cluster is not None:
        raise click.UsageError(
            "--cluster would change nothing, as the test takes rows as independent; leave it out"
        )
    apart = pd is not None and set(request.score) != {pd}
    if pd is not None and apart:
        _refuse_apart(request)
        found, joint = counted_jointly(replace(request, score=_with(request.score, pd)))
    else:
        found, joint = counted_to_show(request), None
    with waiting("testing the PDs"):
        asked = {"calibration": calibration, "correlation": correlation, "level": level}
        parts = _tested(found, joint, pd, asked)
    _emit(parts, calibration, to)
    _tell(parts)
    tell_always(found)


def _with(scores: tuple[str, ...], pd: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*scores, pd)))


def _refuse_apart(request: Request) -> None:
    """Refuse what PDs from a column of their own do not go with."""
    instead = "make the PDs the --score, or leave it out"
    if not request.score:
        raise click.UsageError("--pd goes with a --score that ranks; name it")
    if request.counts:
        raise click.UsageError(f"--pd needs the rows, and --counts reads counts; {instead}")
    if request.by is not None:
        raise click.UsageError(
            f"--pd from another column uses all rows together, no --by; {instead}"
        )


def _tested(found: Counted, joint: Any, pd: str | None, asked: dict[str, Any]) -> Parts:
    """Return whose each test is, the counts and the test.

    A segment in which PDs promise nothing says why, and stops no other.
    """
    from capcurve.inference import implied_accuracy_ratio
    from capcurve.inference.implied import implied_or_why_not

    if joint is not None:
        several = len(found.whole) > 2  # noqa: PLR2004 - one score and its PDs
        return [
            (
                {"score": name} if several else {},
                counts,
                implied_accuracy_ratio(joint, score=name, pd=pd, **asked),
            )
            for name, counts in found.whole.items()
            if name != pd
        ]
    make: dict[bool, Callable[..., Test]] = {
        True: implied_or_why_not,
        False: implied_accuracy_ratio,
    }
    return [
        (whose, counts, make["segment" in whose](counts, **asked))
        for whose, counts in found.parts()
    ]


def _emit(parts: Parts, calibration: Calibration, to: Destination) -> None:
    sentences = _sentences(parts)
    if to.form == "json":
        from capcurve.show.columns import to_json

        tests = [
            {
                **whose,
                "n": counts.n,
                "positives": counts.n1,
                "test": test.to_dict(),
                "sentence": said,
            }
            for (whose, counts, test), said in zip(parts, sentences, strict=True)
        ]
        body = {"schema_version": SCHEMA_VERSION, "calibration": calibration, "parts": tests}
        to.emit(to_json(body))
    elif to.form in ("csv", "xlsx"):
        emit_columns("implied accuracy ratio", _columns(parts, _in_full), to)
    else:
        if to.to_screen:
            sentences = list(map(wrapped, sentences))
        table = in_columns(_columns(parts, _for_people), to).rstrip("\n")
        to.emit("\n\n".join([table, ("\n\n" if to.form == "md" else "\n").join(sentences)]))


def _columns(
    parts: Parts, difference: Callable[[Test], dict[str, object]]
) -> dict[str, list[object]]:
    """Return a row for each test; empty where there is none."""
    rows = [
        {
            **whose,
            "n": counts.n,
            "positives": counts.n1,
            "expected_positives": test.estimates.get("expected_positives"),
            "accuracy_ratio": test.estimates.get("realised"),
            "implied_accuracy_ratio": test.estimates.get("implied"),
            **difference(test),
        }
        for whose, counts, test in parts
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _in_full(test: Test) -> dict[str, object]:
    p_value = None if test.estimate is None else test.p_value
    return {"difference": test.estimate, "low": test.low, "high": test.high, "p_value": p_value}


def _for_people(test: Test) -> dict[str, object]:
    """Return the difference with its sign, and its limits as a column of their own."""
    from capcurve.show.format import MISSING, number, show, stated_percent

    interval = f"{stated_percent(test.level or 0.95)} interval"
    if test.estimate is None or test.low is None or test.high is None:
        return {"difference": MISSING, interval: MISSING, "p": MISSING}
    around = f"[{number(test.low)}, {number(test.high)}]"
    said = show("implied_p", test.p_value)
    return {"difference": f"{test.estimate:+.3f}", interval: around, "p": said}


def _tell(parts: Parts) -> None:
    """Say what must be known of all tests once, and of some of them with their names."""
    of: dict[str, list[str]] = {}
    for whose, _, test in parts:
        for told in test.notes:
            of.setdefault(told, []).append(called(whose))
    for told, names in of.items():
        note(told if len(names) == len(parts) else f"{', '.join(names)}: {told}")


def _sentences(parts: Parts) -> list[str]:
    from capcurve.results.findings import implied_sentence
    from capcurve.show.format import printable

    return [f"{printable(_name(whose))}{implied_sentence(test)}" for whose, _, test in parts]


def _name(whose: dict[str, object]) -> str:
    """Return whose a sentence is, as it stands before it."""
    return f"{called(whose)}: " if whose else ""
