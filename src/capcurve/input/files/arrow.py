"""Plain columns out of DuckDB batch by batch, through the C interface that Arrow defines.

Memory then holds the columns and one batch, in a sixth of the time that arrays fetched whole
take. Only the standard library is needed: the interface is a few C structs.

Source: https://arrow.apache.org/docs/format/CDataInterface.html
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb

    from capcurve.numbers.types import Array, Bools

# What DuckDB calls a type, what Arrow stores of it, and what NumPy calls that; bits unpacked.
PLAIN_TYPES: Mapping[str, type[np.generic]] = {
    "BOOLEAN": np.bool_,
    "TINYINT": np.int8,
    "SMALLINT": np.int16,
    "INTEGER": np.int32,
    "BIGINT": np.int64,
    "UTINYINT": np.uint8,
    "USMALLINT": np.uint16,
    "UINTEGER": np.uint32,
    "UBIGINT": np.uint64,
    "FLOAT": np.float32,
    "DOUBLE": np.float64,
}


class _ArrowArray(ctypes.Structure):
    """struct ArrowArray: one batch, and in its children one column each."""


_ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_ArrowArray))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class _Stream(ctypes.Structure):
    """struct ArrowArrayStream: batches, one after the other."""


_Stream._fields_ = [
    ("get_schema", ctypes.c_void_p),
    (
        "get_next",
        ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_ArrowArray)),
    ),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
_Release = ctypes.CFUNCTYPE(None, ctypes.POINTER(_ArrowArray))


class BrokenStreamError(Exception):
    """DuckDB ended a stream with an error; the text is its own."""


class ArrivingColumn:
    """A column as long as it is announced, filled as its batches arrive."""

    def __init__(self, dtype: np.dtype[Any], rows: int) -> None:
        self.values: Array = np.empty(rows, dtype=dtype)
        self.missing: Bools | None = None

    @classmethod
    def of(cls, part: _ArrowArray, dtype: np.dtype[Any]) -> ArrivingColumn:
        """Return the column of one batch alone."""
        column = cls(dtype, part.length)
        column.put(0, part)
        return column

    def put(self, at: int, part: _ArrowArray) -> None:
        """Copy one batch to its place; where it has no value, a zero stands."""
        size, offset = part.length, part.offset
        into = self.values[at : at + size]
        if self.values.dtype == np.bool_:
            into[:] = _bits(part.buffers[1], offset, size)
        else:
            into[:] = _view(part.buffers[1], self.values.dtype, offset, size)
        if part.null_count and part.buffers[0]:
            absent = ~_bits(part.buffers[0], offset, size)
            if absent.any():
                if self.missing is None:
                    self.missing = np.zeros(len(self.values), dtype=np.bool_)
                self.missing[at : at + size] = absent
                into[absent] = 0


class ArrivingAmounts:
    """A column of mostly zeros: which rows are not 0 or have no value, and what these hold."""

    def __init__(self, dtype: np.dtype[Any], rows: int) -> None:
        self.dtype = dtype
        self.held: Bools = np.zeros(rows, dtype=np.bool_)
        self.parts: list[Array] = [np.zeros(0, dtype=self.dtype)]
        self.gone: list[Bools] = [np.zeros(0, dtype=np.bool_)]

    def put(self, at: int, part: _ArrowArray) -> None:
        """Keep what is not 0 of one batch."""
        batch = ArrivingColumn.of(part, self.dtype)
        held: Bools = batch.values != 0
        if batch.missing is not None:
            held |= batch.missing
        self.held[at : at + part.length] = held
        self.parts.append(batch.values[held])
        gone = np.zeros(len(held), np.bool_) if batch.missing is None else batch.missing
        self.gone.append(gone[held])

    @property
    def values(self) -> Array:
        """What the rows that are held hold."""
        return np.concatenate(self.parts)

    @property
    def missing(self) -> Bools | None:
        """Which of these have no value."""
        gone = np.concatenate(self.gone)
        return gone if gone.any() else None


def fill(
    relation: duckdb.DuckDBPyRelation,
    columns: Sequence[ArrivingColumn | ArrivingAmounts],
    size: int,
) -> int:
    """Fill columns of so many rows with those of a relation; return how many came."""
    rows = 0
    for batch in batches(relation):
        if columns and rows + batch.length > size:
            raise BrokenStreamError("there are more rows than the file declares")
        for place, column in enumerate(columns):
            column.put(rows, batch.children[place].contents)
        rows += batch.length
    return rows


def numbers_of_batch(column: Any, dtype: type[np.generic]) -> Array:
    """Return the numbers of one column of a batch, as a copy that outlives it."""
    return _view(column.buffers[1], np.dtype(dtype), column.offset, column.length).copy()


def batches(relation: Any) -> Iterator[_ArrowArray]:
    """Yield the batches of a relation, each valid until the next is asked for."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    if hasattr(relation, "fetchmany"):
        relation.fetchmany(0)  # DuckDB 1 would hold all rows at once unless it has begun before
    capsule = relation.__arrow_c_stream__()  # it owns the stream and ends it when it goes
    stream = ctypes.cast(pointer(capsule, b"arrow_array_stream"), ctypes.POINTER(_Stream))
    while True:
        batch = _ArrowArray()
        if stream.contents.get_next(stream, ctypes.byref(batch)):
            said = stream.contents.get_last_error(stream)
            raise BrokenStreamError(
                said.decode(errors="replace") if said else "the stream broke off"
            )
        if not batch.release:
            return
        try:
            yield batch
        finally:
            _Release(batch.release)(ctypes.byref(batch))


def _view(address: int | None, dtype: np.dtype[Any], offset: int, size: int) -> Array:
    """Return memory that is not Python's as an array, valid until its batch is released."""
    if not size or address is None:
        return np.zeros(size, dtype=dtype)
    memory: Any = (ctypes.c_char * (size * dtype.itemsize)).from_address(
        address + offset * dtype.itemsize
    )
    return np.ndarray(size, dtype, memory)


def _bits(address: int | None, offset: int, size: int) -> Bools:
    """Return booleans that Arrow packs eight to a byte, the first in the lowest bit."""
    skipped = offset % 8
    packed = _view(address, np.dtype(np.uint8), offset // 8, (skipped + size + 7) // 8)
    bits = np.unpackbits(packed, count=skipped + size, bitorder="little")
    return bits[skipped:].view(np.bool_)
