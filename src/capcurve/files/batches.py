"""Query results batch by batch as NumPy arrays, through the Arrow C interface and no package."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.files.engine import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    from numpy.typing import NDArray

# Formats of the Arrow C data interface: https://arrow.apache.org/docs/format/CDataInterface.html
_DTYPES = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8"}
_DTYPES |= {"f": "f4", "g": "f8"}
_VALUES = 1  # the buffer after that of nulls


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ("private_data", ctypes.c_void_p),
]


def fetch_batches(
    connection: duckdb.DuckDBPyConnection, sql: str, label: str
) -> Iterator[list[NDArray[Any]]]:
    """Run one statement and bring its numbers home batch by batch, as copies.

    Parameters
    ----------
    connection
        Where to run it.
    sql
        The statement; its columns are numbers without nulls.
    label
        What to call the file.

    Yields
    ------
    list of ndarray
        One array per column.

    Raises
    ------
    ValueError
        When DuckDB cannot read the file: one line that says why.
    """
    import duckdb

    with one_line(label):
        capsule = connection.sql(sql).__arrow_c_stream__()
    with _opened(capsule) as (stream, address):

        def check(status: int) -> None:
            if status:
                told = stream.get_last_error(address)
                if told and b"nterrupt" in told:
                    raise KeyboardInterrupt
                with one_line(label):
                    raise duckdb.Error((told or b"the stream broke off").decode("utf-8", "replace"))

        schema = _Schema()
        check(stream.get_schema(address, ctypes.byref(schema)))
        dtypes = [_dtype(schema.children[place].contents) for place in range(schema.n_children)]
        schema.release(ctypes.byref(schema))
        while True:
            batch = _Array()
            check(stream.get_next(address, ctypes.byref(batch)))
            if not batch.release:
                return
            try:
                arrays = [
                    _values(batch.children[place].contents, dtype, label)
                    for place, dtype in enumerate(dtypes)
                ]
            finally:
                batch.release(ctypes.byref(batch))
            yield arrays


@contextmanager
def _opened(capsule: Any) -> Iterator[tuple[Any, int]]:
    """Open the stream in a capsule, and release it when the block ends."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = pointer_of(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    try:
        yield stream, address
    finally:
        if stream.release:
            stream.release(address)


def _dtype(schema: Any) -> np.dtype[Any]:
    return np.dtype(_DTYPES[schema.format.decode()])


def _values(column: Any, dtype: np.dtype[Any], label: str) -> NDArray[Any]:
    if column.null_count > 0:
        raise ValueError(f"{label} changed while it was read: a value is missing that was there")
    if not column.length:
        return np.zeros(0, dtype)
    start = column.buffers[_VALUES] + column.offset * dtype.itemsize
    raw = (ctypes.c_char * (column.length * dtype.itemsize)).from_address(start)
    return np.frombuffer(raw, dtype).copy()
