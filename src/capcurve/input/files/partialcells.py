"""Tables that somebody counted in which some cases, or all, have no outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.counts import CaseCounts, PartialCounts
from capcurve.input.files.cells import (
    CASES,
    NEGATIVES,
    POSITIVES,
    SCORES,
    SETTINGS,
    match_levels,
    must,
    parquet_settings,
    perhaps,
    read_cells,
    refuse_missing,
)
from capcurve.input.files.engine import listed
from capcurve.input.files.reading import open_files, read_each, read_opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.counts import Direction
    from capcurve.input.files.sources import Files

UNKNOWN = ("unknown", "unknowns", "indeterminate", "indeterminates", "rejected", "rejects")


def read_partial_cells(
    files: Files,
    *,
    score: str | None = None,
    positives: str | None = None,
    unknown: str | None = None,
    higher_is: Direction | None = None,
    levels: Iterable[object] | None = None,
    resolution: float | None = None,
) -> PartialCounts:
    r"""Take partial counts from tables with the columns score, positives, negatives and unknown.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from capcurve.input.files import Files
    >>> with tempfile.TemporaryDirectory() as place:
    ...     path = pathlib.Path(place, "grades.csv")
    ...     _ = path.write_text("score,bad,good,unknown\n3,4,1,2\n2,1,9,0\n")
    ...     read_partial_cells(Files.of(path))
    PartialCounts(known=15, positives=5, unknown=2, distinct scores=2)
    """
    grades = None if levels is None else tuple(levels)
    said = {"higher_is": higher_is, "levels": grades, "resolution": resolution}
    asked = {name: value for name, value in said.items() if value is not None}
    names = {"score": score, "positives": positives, "unknown": unknown}
    return PartialCounts.merge(
        read_each(files, lambda one, parquet: _partial_in(one, names, asked, parquet=parquet))
    )


def _partial_in(
    files: Files, names: Mapping[str, str | None], asked: Mapping[str, Any], *, parquet: bool
) -> PartialCounts:
    with open_files(files) as tables:
        found = tables[0].names
        wanted = _columns_of(found, names)
        if SETTINGS in found or (parquet and parquet_settings(tables, files) is not None):
            raise ValueError(
                "the table has settings of saved counts, which say nothing of unknown outcomes; "
                "leave them out (the last column of a csv, the metadata of a parquet file), and "
                "say higher_is= and levels= where they matter"
            )
        columns = read_opened(tables, files, wanted)
    for name in wanted:
        refuse_missing(columns[name])
    score, *cases = (columns[name].values for name in wanted)
    if "levels" in asked:
        asked = {**asked, "levels": match_levels(asked["levels"], score.tolist())}
    return PartialCounts.from_counts(score, *cases, **asked)


def _columns_of(found: Sequence[str], names: Mapping[str, str | None]) -> list[str]:
    """Return the columns of the score, the positives, the negatives and the unknown."""
    score = names["score"] or must(found, SCORES, "the score", "--score")
    positives = names["positives"] or must(found, POSITIVES, "the positives", "--target")
    rest = [name for name in found if name not in (score, positives)]
    unknown = names["unknown"] or must(rest, UNKNOWN, "the unknown outcomes", "--unknown")
    negatives = perhaps([name for name in rest if name != unknown], NEGATIVES)
    if negatives is None:
        cases = perhaps(rest, CASES)
        unclear = "" if cases is None else f", as {cases!r} may count the unknown or not"
        raise ValueError(
            f"beside {positives!r} and {unknown!r} there must be a column negatives{unclear}; the "
            f"columns are {listed(found)}"
        )
    return [score, positives, negatives, unknown]


def read_case_cells(
    files: Files,
    *,
    score: str | None = None,
    positives: str | None = None,
    higher_is: Direction | None = None,
    levels: Iterable[object] | None = None,
    resolution: float | None = None,
) -> CaseCounts:
    r"""Take cases by score from tables with the columns score and n, or saved counts of classes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from capcurve.input.files import Files
    >>> with tempfile.TemporaryDirectory() as place:
    ...     path = pathlib.Path(place, "grades.csv")
    ...     _ = path.write_text("score,n\n3,4\n2,1\n")
    ...     read_case_cells(Files.of(path))
    CaseCounts(n=5, distinct scores=2, higher_is='positive')
    """
    grades = None if levels is None else tuple(levels)
    said = {"higher_is": higher_is, "levels": grades, "resolution": resolution}
    asked = {name: value for name, value in said.items() if value is not None}
    names = {"score": score, "positives": positives}
    return CaseCounts.merge(
        read_each(files, lambda one, parquet: _cases_in(one, names, asked, parquet=parquet))
    )


def _cases_in(
    files: Files, names: Mapping[str, str | None], asked: Mapping[str, Any], *, parquet: bool
) -> CaseCounts:
    with open_files(files) as tables:
        found = tables[0].names
        saved = SETTINGS in found or (parquet and parquet_settings(tables, files) is not None)
        classes = names["positives"] or perhaps(
            [name for name in found if name != names["score"]], POSITIVES
        )
        if saved or classes is not None:
            return _of_classes(files, names, asked)
        score = names["score"] or must(found, SCORES, "the score", "--score")
        cases = must([name for name in found if name != score], CASES, "the cases", "the header n")
        columns = read_opened(tables, files, [score, cases])
    for name in (score, cases):
        refuse_missing(columns[name])
    scores, tallies = (columns[name].values for name in (score, cases))
    if "levels" in asked:
        asked = {**asked, "levels": match_levels(asked["levels"], scores.tolist())}
    return CaseCounts.from_counts(scores, tallies, **asked)


def _of_classes(
    files: Files, names: Mapping[str, str | None], asked: Mapping[str, Any]
) -> CaseCounts:
    """Return the cases of both classes, of all segments."""
    found = read_cells(files, score=names["score"], positives=names["positives"], **asked)
    parts = list(found.values()) if isinstance(found, dict) else [found]
    cases = [getattr(part, "cases", None) for part in parts]
    if not all(isinstance(each, CaseCounts) for each in cases):
        raise ValueError(f"{files.paths[0]} holds amounts, and shares of cases need cases")
    return CaseCounts.merge(cases)  # type: ignore[arg-type]  # checked in the lines above
