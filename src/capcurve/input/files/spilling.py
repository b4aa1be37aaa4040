"""Sorting more scores than memory should hold: sorted runs in a file without a name, then merged.

One pass writes, one reads. The file has no name, so that nothing is left behind however the
program ends.
"""

from __future__ import annotations

import errno
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.cells import narrow
from capcurve.input.arrays import Sample, Score, count_sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

# Of every so many scores of a run one stays in memory, to find one's way.
STEP = 1024
BLOCK = 1 << 18
_NAMES_OF_FULL = ("ENOSPC", "EFBIG", "EDQUOT")  # Windows has no quotas
_FULL = {getattr(errno, name) for name in _NAMES_OF_FULL if hasattr(errno, name)}


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """Ascending distinct scores of one class, in the file from `start`, then how often each."""

    start: int
    length: int
    counts: np.dtype[Any] | None
    landmarks: NDArray[Any]


class Spill:
    """Cells of counts on disk, to be read again in the order of all scores.

    Parameters
    ----------
    rows
        About how many cells to hold in memory at once.
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.runs: tuple[list[_Run], list[_Run]] = ([], [])
        self.dtype: np.dtype[Any] | None = None
        self.end = 0
        self.totals = (0, 0)
        self.file = tempfile.TemporaryFile(prefix="capcurve-", buffering=0)  # noqa: SIM115 - closed by close()

    def close(self) -> None:
        """Give the space back."""
        self.file.close()

    def add(self, counts: ScoreCounts) -> None:
        """Write what was counted in one part of the rows, positives and negatives apart."""
        ascending = slice(None, None, -1 if counts.higher_is == "positive" else 1)
        score = counts.score[ascending]
        self.dtype = score.dtype
        self.totals = (self.totals[0] + int(counts.n1), self.totals[1] + int(counts.n0))
        for runs, sums in zip(self.runs, (counts.positives, counts.negatives), strict=True):
            column = sums[ascending]
            present = column > 0
            if present.any():
                runs.append(self._write(score[present], column[present]))

    def _write(self, score: NDArray[Any], sums: NDArray[Any]) -> _Run:
        start, once = self.end, bool(sums.max() == 1)
        self._append(score)
        if not once:
            sums = narrow(sums)
            self._append(sums)
        return _Run(start, len(score), None if once else sums.dtype, score[::STEP].copy())

    def _append(self, column: NDArray[Any]) -> None:
        data = np.ascontiguousarray(column).data.cast("B")
        done = 0
        try:
            self.file.seek(self.end)
            while done < len(data):
                done += self.file.write(data[done:])
        except OSError as error:
            full = error.errno in _FULL
            why = "is full" if full else (error.strerror or str(error)).lower()
            raise OSError(
                f"the folder for temporary files {tempfile.gettempdir()} {why}; "
                "make room there, or name another in the environment variable TMPDIR"
            ) from None
        self.end += len(data)

    def blocks(self, higher_is: str) -> Iterator[tuple[NDArray[Any], ...]]:
        """Yield score, positives and negatives of all parts, most-likely-positive first."""
        cuts = self._cuts()
        ranges = range(len(cuts) + 1)
        for place in ranges if higher_is == "negative" else reversed(ranges):
            low = cuts[place - 1] if place else None
            high = cuts[place] if place < len(cuts) else None
            counts = self._between(low, high, higher_is)
            for start in range(0, len(counts), BLOCK):
                cells = slice(start, start + BLOCK)
                yield counts.score[cells], counts.positives[cells], counts.negatives[cells]

    def _cuts(self) -> NDArray[Any]:
        """Return scores between which about `rows` cells lie; a score is on one side of all."""
        runs = [*self.runs[0], *self.runs[1]]
        if not runs:
            return np.zeros(0)
        landmarks = np.sort(np.concatenate([run.landmarks for run in runs]))
        return np.unique(landmarks[:: max(1, self.rows // STEP)][1:])

    def _between(self, low: Any, high: Any, higher_is: str) -> ScoreCounts:
        """Count the cells of all runs from one score up to, not including, another."""
        parts = [[self._part(run, low, high) for run in runs] for runs in self.runs]
        scores, times = [], []
        for found in parts:
            empty = np.zeros(0, self.dtype)
            scores.append(np.concatenate([empty, *(score for score, _ in found)]))
            times.append(
                None
                if all(sums is None for _, sums in found)
                else np.concatenate([_times(score, sums) for score, sums in found])
            )
        return _counted(scores, times, higher_is)

    def _part(self, run: _Run, low: Any, high: Any) -> tuple[NDArray[Any], NDArray[Any] | None]:
        first = 0 if low is None else self._position(run, low)
        last = run.length if high is None else self._position(run, high)
        score = self._scores(run, first, last)
        if run.counts is None:
            return score, None
        place = run.start + run.length * score.itemsize + first * run.counts.itemsize
        return score, self._read(place, last - first, run.counts)

    def _position(self, run: _Run, cut: Any) -> int:
        """Return how many scores of a run lie below a cut."""
        after = int(np.searchsorted(run.landmarks, cut))
        start = max(0, after - 1) * STEP
        near = self._scores(run, start, min(run.length, after * STEP))
        return start + int(np.searchsorted(near, cut))

    def _scores(self, run: _Run, first: int, last: int) -> NDArray[Any]:
        dtype = run.landmarks.dtype
        return self._read(run.start + first * dtype.itemsize, last - first, dtype)

    def _read(self, place: int, length: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return a stretch of the file; the system may hand it over in pieces."""
        found = np.empty(length, dtype)
        data, done = found.data.cast("B"), 0
        self.file.seek(place)
        while done < len(data):
            read = self.file.readinto(data[done:])
            if not read:
                raise OSError("the temporary file ended early")
            done += read
        return found


def _times(score: NDArray[Any], sums: NDArray[Any] | None) -> NDArray[np.int64]:
    return np.ones(len(score), np.int64) if sums is None else sums.astype(np.int64)


def _counted(
    scores: list[NDArray[Any]], times: list[NDArray[np.int64] | None], higher_is: Any
) -> ScoreCounts:
    """Count the scores of positives and of negatives, each as often as it is said to occur."""
    if sum(_rows(s, t) for s, t in zip(scores, times, strict=True)) <= 2 * sum(map(len, scores)):
        # Repeating few of them is cheaper than carrying how often each occurs.
        scores = [s if t is None else np.repeat(s, t) for s, t in zip(scores, times, strict=True)]
        repeats = None
    else:
        pairs = zip(scores, times, strict=True)
        repeats = np.concatenate([_times(s, t) for s, t in pairs])
    positive = np.zeros(sum(map(len, scores)), np.bool_)
    positive[: len(scores[0])] = True
    score = Score("score", np.concatenate(scores), higher_is, None, None)
    return count_sample(Sample(positive, (score,), repeats=repeats), score)


def _rows(score: NDArray[Any], times: NDArray[np.int64] | None) -> int:
    return len(score) if times is None else int(times.sum())


def spilled(parts: Iterable[ScoreCounts], rows: int) -> Spill:
    """Write all parts; the caller closes what comes back."""
    spill = Spill(rows)
    try:
        for part in parts:
            spill.add(part)
    except BaseException:
        spill.close()
        raise
    return spill
