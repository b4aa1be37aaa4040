"""From gathered columns to complete rows, whole or by segment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from capcurve.input.arrays import Lost, Rules, Sample, as_sample, complete, split_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.input.gathering import Rows


def _checked(rows: Rows, rules: Rules) -> tuple[Sample, Lost]:
    sample, lost = as_sample(
        rows.target,
        rows.scores,
        rules,
        rows.weight,
        rows.repeats,
        others=rows.others,
        ids=rows.ids,
        order=rows.order,
    )
    return replace(sample, groups=rows.groups), lost


def complete_sample(rows: Rows, rules: Rules) -> Sample:
    """Return the checked rows that lack nothing, or raise when some do and may not."""
    sample, lost = _checked(rows, rules)
    return replace(complete(sample, lost, rules), owned=rows.owned)


def segments_of(rows: Rows, rules: Rules) -> Iterator[tuple[Any, Sample]]:
    """Yield each segment with its complete rows."""
    sample, lost = _checked(rows, rules)
    by = rows.by
    if by is None or len(by) != len(rows.target):
        found = "nothing" if by is None else f"{len(by)} rows"
        raise ValueError(f"by has {found} and {rows.target.name} has {len(rows.target)} rows")
    for key, picked in split_rows(by):
        part = sample.take(picked, None)
        yield key, complete(part, lost.take(picked), rules)
