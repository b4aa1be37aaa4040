"""From a request to counts: the one way in for every command."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capcurve.cli import naming
from capcurve.cli.failing import Failure
from capcurve.cli.request import STDIN
from capcurve.cli.waiting import waiting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from capcurve.cli.request import Request
    from capcurve.counts import JointCounts, ScoreCounts
    from capcurve.input import Query
    from capcurve.input.arrays import Rules
    from capcurve.input.files import Files


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts by score, with segments also by score and segment, and of all scores together.

    In place of the joint counts there may stand why they were not made.
    """

    whole: Mapping[str, Any]
    segments: Mapping[str, Mapping[Any, ScoreCounts]] = field(default_factory=dict)
    joint: JointCounts | str | None = None


def files_of(request: Request) -> Files:
    """Return the files of a request, with the words that mean no value."""
    from capcurve.input.files import Files
    from capcurve.input.files.sources import NULL_VALUES

    return Files(
        request.file,
        request.delimiter,
        request.decimal,
        request.encoding,
        tuple(dict.fromkeys([*NULL_VALUES, *request.na])),
    )


def counted(request: Request, *, together: bool = False) -> Counted:
    """Count the rows that were asked for, or read counts that are ready.

    With `together` several scores are counted jointly too, as comparing them needs.
    """
    from capcurve.counts.privacy import refuse_small_cells

    found = _counted(request, together=together)
    refuse_small_cells(request.min_cell, found.whole, found.segments)
    return found


def _counted(request: Request, *, together: bool) -> Counted:
    if request.counts:
        with waiting("reading counts"):
            return _ready(request)
    if request.target is None or not request.score:
        from capcurve.cli.proposing import propose_columns

        propose_columns(request, files_of(request))
    with _rereadable(request) as files, waiting("counting"):
        from capcurve import input as counting

        query = _query(request, files)
        found = Counted(
            *(counting.count_together(query) if together else counting.count_each(query))
        )
    if not found.whole:
        raise Failure(_no_rows(request))
    return found


def counted_jointly(request: Request) -> tuple[Counted, JointCounts]:
    """Count several scores together, and each on its own, whatever time it takes."""
    if request.counts:
        raise Failure("a table of counts holds one score; compare needs the rows")
    if request.memory_limit is not None:
        raise Failure("compare needs all rows in memory; leave out --memory-limit")
    if request.target is None or not request.score:
        from capcurve.cli.proposing import propose_columns

        propose_columns(request, files_of(request))
    with _rereadable(request) as files, waiting("counting"):
        from capcurve.input import count_all_together

        joint = count_all_together(_query(request, files))
    from capcurve.counts.privacy import refuse_small_cells

    whole = {name: joint.margin(name) for name in joint.names}
    refuse_small_cells(request.min_cell, whole, {})
    return Counted(whole, joint=joint), joint


def _no_rows(request: Request) -> str:
    where = " and ".join("standard input" if path == STDIN else path for path in request.file)
    return f"there are no rows in {where}, and so no segments"


@contextmanager
def _rereadable(request: Request) -> Iterator[Files]:
    """Keep standard input in a file when its labels or grades have to be looked at first."""
    files = files_of(request)
    if STDIN not in request.file or not (request.pos_label is not None or request.levels):
        yield files
        return
    if sys.stdin is None:
        raise Failure("standard input is closed; name a file")
    with tempfile.TemporaryDirectory(prefix="capcurve-") as scratch:
        copy = Path(scratch, "standard input")
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        paths = tuple(str(copy) if path == STDIN else path for path in files.paths)
        try:
            yield replace(files, paths=paths)
        except (ValueError, TypeError, OSError) as error:
            raise ValueError(str(error).replace(str(copy), "standard input")) from None


def _query(request: Request, files: Files) -> Query:
    from capcurve.input import Query, named_scores

    return Query(
        request.target,
        named_scores(request.score, files),
        _rules(request, files),
        files,
        request.weight,
        request.by,
        request.cluster,
        request.memory_limit,
    )


def _rules(request: Request, files: Files) -> Rules:
    from capcurve.input.arrays import Rules
    from capcurve.input.files import read_columns

    scores = list(dict.fromkeys(request.score))
    label: object = None
    if request.pos_label is not None:
        target = request.target or ""
        label = naming.label_in(read_columns(files, [target])[target], request.pos_label)
    levels = None
    if request.levels:
        from capcurve.input.files.celltables import match_levels

        said = naming.grade_names(request.levels, scores)
        columns = read_columns(files, list(said))
        found = {name: list(naming.labels_of(columns[name])) for name in said}
        levels = {name: match_levels(said[name], found[name]) for name in said}
    return Rules(
        pos_label=label,
        higher_is=naming.directions(request.higher_is, scores),
        levels=levels,
        missing=request.missing or "raise",
        resolution=request.resolution,
        weight_kind=request.weight_kind,
    )


def _ready(request: Request) -> Counted:
    """Read counts from a table; the score is called what its column is called."""
    import click

    from capcurve.counts import ScoreCounts
    from capcurve.input.files import read_cells

    if len(request.score) > 1:
        raise click.UsageError("a table of counts holds one score; pass one --score")
    name = request.score[0] if request.score else "score"
    direction = naming.directions(request.higher_is, [name]).get(name)
    found = read_cells(
        files_of(request),
        score=request.score[0] if request.score else None,
        positives=request.target,
        by=request.by,
        higher_is=direction,  # type: ignore[arg-type]  # one of the two, checked
        levels=naming.grade_names(request.levels, [name]).get(name),
        resolution=request.resolution,
    )
    if isinstance(found, ScoreCounts):
        return Counted({name: found})
    if not found:
        raise Failure(_no_rows(request))
    return Counted({name: ScoreCounts.merge(found.values())}, {name: found})
