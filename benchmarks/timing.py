"""Timings that can be compared on a busy machine: work done in turns, and medians of the turns."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import time

import numpy as np

TURNS = 5
# Work that takes longer than this is done once, and not again in every turn.
LONG = 8.0


def in_turns(work, turns=TURNS):
    """Do each piece of work once in every turn; return the median seconds of each."""
    seconds = {name: [] for name in work}
    for _ in range(turns):
        for name, todo in work.items():
            if seconds[name] and seconds[name][0] > LONG:
                continue
            start = time.perf_counter()
            todo()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(found) for name, found in seconds.items()}


def process(command):
    """Run a process to its end; return its seconds, those of processors, and its most MB."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise RuntimeError(f"{command} failed")
    busy = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - start, busy, usage.ru_maxrss / 1024


def machine():
    """Describe where this runs, in one line."""
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; "
        f"Python {platform.python_version()}, numpy {np.__version__}"
    )
