"""`capcurve stability`: how far a portfolio moved between two files, and whether by chance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli.options import reads_scores, states_details_of_scores, states_level
from capcurve.cli.output import reader_may_leave, waiting
from capcurve.cli.presenting import emit_result, shows_results
from capcurve.cli.reading import Counted, counted, counted_cases
from capcurve.cli.tables import bins_in, tell_always

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.cli.options import Request
    from capcurve.cli.output import Destination
    from capcurve.counts import CaseCounts, ScoreCounts
    from capcurve.studies.grades.stability import Of

TWO = 2


@click.command("stability")
@reads_scores
@click.option(
    "--of",
    type=click.Choice(["cases", "positives", "negatives"]),
    default="cases",
    show_default=True,
    help="Whose shares are compared: those of one class tell whether the ranking moved, and need "
    "--target.",
)
@click.option(
    "--bins",
    metavar="N|score|CUTS",
    help="Number of bins of about equal size in the first file; score for one bin per distinct "
    "score; or the scores at which bins end, e.g. 0.1,0.2 (default: every grade of --levels, else "
    "10).",
)
@states_level
@shows_results
@click.option(
    "--counts",
    is_flag=True,
    help="FILE holds counts: score and n, or score, positives and negatives. --score and --target "
    "name these columns if they are called something else.",
)
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    help="Stop at rows with a missing value (the default), or drop them and say how many.",
)
@states_details_of_scores
def stability(request: Request, to: Destination, *, of: Of, bins: str | None, level: float) -> None:
    """Show how far a portfolio moved between two files, BEFORE and AFTER.

    The population stability index (PSI) with its limits, what to expect if nothing had changed,
    and a test; then the shares of each grade or bin. It needs no outcomes.
    """
    _check(request, of)
    before, after = _alike([_counted(replace(request, file=(file,)), of) for file in request.file])
    with waiting("comparing"):
        from capcurve.studies.grades import population_stability

        found = population_stability(
            before,
            after,
            bins=None if bins is None else bins_in(bins, _held(before)),
            of=of,
            level=level,
            labels=request.before_and_after,
        )
    with reader_may_leave():
        emit_result(found, replace(found.presentation(), source=request.source), to)
        tell_always(Counted(dict(zip(found.labels, map(_held, (before, after)), strict=True))))


def _check(request: Request, of: Of) -> None:
    """Refuse what does not go together before anything is read."""
    if len(request.file) != TWO:
        raise click.UsageError(
            f"stability compares two files, BEFORE and AFTER, and got {len(request.file)}"
        )
    if len(set(request.score)) > 1:
        raise click.UsageError("stability is of one score; pass one --score")
    if request.counts:
        return
    if not request.score:
        raise click.UsageError("name the score column with --score")
    if of != "cases" and request.target is None:
        raise click.UsageError(f"--of {of} needs outcomes; name their column with --target")
    if of == "cases" and request.pos_label is not None:
        raise click.UsageError("--pos-label is of outcomes; add --of positives or --of negatives")
    if of == "cases" and request.target is not None:
        raise click.UsageError(
            "the shares of all cases need no --target; leave it out, or add --of positives or "
            "--of negatives"
        )


def _counted(request: Request, of: Of) -> ScoreCounts | CaseCounts:
    """Count the rows of one file, or read its counts."""
    if of == "cases":
        return counted_cases(request)
    ((_, found),) = counted(request).whole.items()
    return found  # type: ignore[no-any-return]  # counts of classes, as there is no --amount


def _held(counts: ScoreCounts | CaseCounts) -> ScoreCounts:
    """Return counts of cases, or those behind cases without outcome."""
    from capcurve.counts import CaseCounts

    return counts.held if isinstance(counts, CaseCounts) else counts


def _alike(samples: Sequence[ScoreCounts | CaseCounts]) -> list[ScoreCounts | CaseCounts]:
    """Return counts whose grades are of one type: the text "3" of one file is 3 in the other."""
    from capcurve.counts import CaseCounts
    from capcurve.show.format import cutoff_text

    held = [_held(sample) for sample in samples]
    grades = [grade for each in held for grade in each.levels or () if not isinstance(grade, str)]
    known = {cutoff_text(grade): grade for grade in grades}
    same: list[Any] = [
        each
        if each.levels is None
        else replace(each, levels=tuple(known.get(str(grade), grade) for grade in each.levels))
        for each in held
    ]
    return [
        CaseCounts(each) if isinstance(sample, CaseCounts) else each
        for each, sample in zip(same, samples, strict=True)
    ]
