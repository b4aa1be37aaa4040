"""The same work on several items at once: numpy lets other threads run while it counts."""

from __future__ import annotations

import os
import sys
from collections import deque
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import current_thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from concurrent.futures import Future, ThreadPoolExecutor

Item = TypeVar("Item")
Made = TypeVar("Made")

OURS = "capcurve"  # how threads are called that already keep a processor busy
# Fewer numbers an item are mostly Python's work, which threads do one after the other.
FEWEST_AN_ITEM = 1 << 15
# So many numbers are under way at most, which bounds what is needed of memory.
MOST_UNDER_WAY = 1 << 25
MOST_THREADS = 8  # more would wait for each other
# Below this many numbers a second thread costs more than it saves, measured with AR and its
# interval: to begin and end two threads takes half a millisecond, and longer where others are busy.
WORTH_A_THREAD = 1 << 19

# The threads that the steps of one call share, by how many there are.
_KEPT: ContextVar[dict[int, ThreadPoolExecutor] | None] = ContextVar("_KEPT", default=None)


@contextmanager
def shared_threads() -> Iterator[None]:
    """Let the steps of a call share their threads, which end with it."""
    if _KEPT.get() is not None:
        yield
        return
    kept: dict[int, ThreadPoolExecutor] = {}
    token = _KEPT.set(kept)
    try:
        yield
    finally:
        _KEPT.reset(token)
        for pool in kept.values():
            pool.shutdown()


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Give so many threads: those of the call, or others that end at once."""
    from concurrent.futures import ThreadPoolExecutor  # costs what only many scores should pay

    kept = _KEPT.get()
    if kept is None:
        with ThreadPoolExecutor(threads, thread_name_prefix=OURS) as pool:
            yield pool
        return
    if threads not in kept:
        kept[threads] = ThreadPoolExecutor(threads, thread_name_prefix=OURS)
    yield kept[threads]


def may_start_threads() -> bool:
    """Return whether this Python can start threads: most of WebAssembly cannot."""
    built: Any = getattr(sys, "_emscripten_info", None)
    return sys.platform != "wasi" and (built is None or built.pthreads)


def processors() -> int:
    """Return how many processors this thread may use: one where others of ours are at work."""
    if current_thread().name.startswith(OURS) or not may_start_threads():
        return 1
    own = getattr(os, "sched_getaffinity", None)
    return len(own(0)) if own else os.cpu_count() or 1


def parts_for_threads(size: int, block: int) -> list[slice]:
    """Return whole blocks of so many numbers for each processor; few numbers stay together."""
    several = min(processors(), MOST_THREADS) if size >= WORTH_A_THREAD else 1
    each = max(-(-size // (several * block)), 1) * block
    return [slice(start, min(start + each, size)) for start in range(0, size, each)]


def at_once(
    work: Callable[[Item], Made], parts: Collection[Item], size: int = WORTH_A_THREAD
) -> list[Made]:
    """Return what comes of each part of one table, or of each column of so many numbers."""
    return list(each_at_once(work, parts, FEWEST_AN_ITEM if size >= WORTH_A_THREAD else 0))


def each_at_once(
    work: Callable[[Item], Made],
    items: Collection[Item],
    size: int,
    through: Callable[[Iterable[Item]], Iterable[Item]] = iter,
) -> Iterator[Made]:
    """Yield what comes of each item, in their order; `size` is how many numbers an item has."""
    # What one raises is raised here, of several that of the first, as without threads.
    threads = min(processors(), len(items), MOST_THREADS, MOST_UNDER_WAY // max(size, 1))
    if threads < 2 or size < FEWEST_AN_ITEM:  # noqa: PLR2004 - one besides another
        yield from map(work, through(items))
        return
    begun: deque[Future[Made]] = deque()
    with _pool(threads) as pool:
        try:
            for item in through(items):
                begun.append(pool.submit(copy_context().run, work, item))
                if len(begun) > threads:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for each in begun:
                each.cancel()
            for each in begun:  # those under way end before the call goes on
                if not each.cancelled():
                    each.exception()
