"""Spark's own ways, classic and Connect: quoting of names, columns that hold vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SPARK = ("PYSPARK", "PYSPARK_CONNECT")


def is_spark(frame: Any) -> bool:
    """Whether a narwhals frame stands for a Spark DataFrame."""
    return frame.implementation.name in SPARK


def functions_of(native: Any) -> Any:
    """Return the functions that make columns for this kind of Spark DataFrame."""
    if type(native).__module__.startswith("pyspark.sql.connect"):
        from pyspark.sql.connect import functions as connected

        return connected
    from pyspark.sql import functions as classic

    return classic


def narrowed(native: Any, inside: Mapping[str, str]) -> Any:
    """Return the named columns alone, under names that need no quoting."""
    functions = functions_of(native)
    return native.select(*(functions.col(quoted(n)).alias(new) for n, new in inside.items()))


def quoted(name: str) -> str:
    """Return a column name as Spark reads it whole, dots and backticks included."""
    return "`" + name.replace("`", "``") + "`"
