"""Read the shipped oracle data, each file once."""

import csv
import functools
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data"


@functools.cache
def oracle(name):
    """Return the columns of a file by name, whole numbers as integers."""
    with (DATA / name).open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {column: _numbers([row[column] for row in rows]) for column in rows[0]}


def _numbers(texts):
    for dtype in (np.int64, np.float64):
        try:
            return np.array(texts, dtype=dtype)
        except ValueError:
            continue
    return np.array(texts)
