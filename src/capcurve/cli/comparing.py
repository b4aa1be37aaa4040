"""`capcurve compare`: whether scores of the same rows differ significantly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from capcurve.cli import writing
from capcurve.cli.reading import counted_jointly
from capcurve.cli.request import reads_data, states_details, states_level
from capcurve.cli.tables import SCHEMA_VERSION, in_columns, tell_always
from capcurve.cli.waiting import waiting

if TYPE_CHECKING:
    from capcurve.cli.request import Request
    from capcurve.inference import Comparison

ALTERNATIVES = ("two-sided", "superior", "inferior", "non-inferior", "equivalent")
METRICS = {"ar": "accuracy_ratio", "auc": "roc_auc"}


@click.command("compare")
@reads_data
@click.option(
    "--alternative",
    type=click.Choice(ALTERNATIVES),
    metavar="HYPOTHESIS",
    default="two-sided",
    show_default=True,
    help="Alternative hypothesis on the first score of a pair against the second: "
    + ", ".join(ALTERNATIVES)
    + ".",
)
@click.option(
    "--margin",
    type=click.FloatRange(min=0),
    metavar="DIFFERENCE",
    help="Margin, in units of the metric; required for non-inferior and equivalent.",
)
@click.option(
    "--metric",
    type=click.Choice(list(METRICS)),
    default="ar",
    show_default=True,
    help="Metric of the differences and the margin.",
)
@states_level
@writing.writes_text
@states_details
def compare(
    request: Request,
    alternative: Any,
    margin: float | None,
    metric: str,
    level: float,
    form: str | None,
    output: str | None,
) -> None:
    """Test whether scores of the same rows differ.

    For every pair of scores, first minus second: difference, interval and p-value, with Holm's
    adjustment for more than two scores. Scores that rank all cases identically get p = 1.
    """
    form = writing.format_of(form, output, request.file)
    if len(set(request.score)) < 2:  # noqa: PLR2004 - a pair
        raise click.UsageError("compare needs at least two scores; name each with --score")
    if request.by is not None:
        raise click.UsageError("compare uses all rows together; leave out --by")
    found, joint = counted_jointly(request)
    with waiting("comparing"):
        from capcurve import inference

        tests = inference.compare(
            joint,
            metric=METRICS[metric],  # type: ignore[arg-type]  # one of the two
            level=level,
            margin=margin,
            alternative=alternative,
        )
    writing.emit(_as_text(tests, margin, form, to_screen=output is None), form, output)
    for told in dict.fromkeys(note for test in tests.pairs for note in test.notes):
        writing.note(told)
    tell_always(found)


def _as_text(tests: Comparison, margin: float | None, form: str, *, to_screen: bool) -> str:
    from capcurve import text
    from capcurve.summary.comparing import difference_columns, difference_sentence

    sentences = [text.printable(difference_sentence(test, margin)) + "." for test in tests.pairs]
    if form == "json":
        return text.to_json(
            {
                "schema_version": SCHEMA_VERSION,
                "margin": margin,
                **tests.to_dict(),
                "sentences": sentences,
            }
        )
    if form == "csv":
        return text.to_csv(text.defused({k: list(v) for k, v in tests.table.columns.items()}))
    estimates: dict[str, list[Any]] = {
        "score": list(tests.names),
        tests.metric: list(tests.estimates),
    }
    tables = [
        in_columns(columns, form, to_screen=to_screen)
        for columns in (estimates, difference_columns(tests))
    ]
    if to_screen:
        sentences = [writing.wrapped(sentence) for sentence in sentences]
    overall = [f"All equal: {_overall(tests)}."] if len(tests.pairs) > 1 else []
    between = "\n\n" if form == "md" else "\n"
    return "\n\n".join([*tables, between.join([*sentences, *overall])])


def _overall(tests: Comparison) -> str:
    from capcurve.view.format import chance_text

    return f"{chance_text(tests.p_value)}, {tests.overall.method}"
