"""Spark's own ways, classic and Connect: names, vectors, sizes, and its errors as one line."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    """Return columns, by what they are to be called, alone; names that need no quoting.

    They are found by their places: Spark does not tell names apart that differ in case only.
    """
    names = list(native.columns)
    types = {field.name: field.dataType.typeName() for field in native.schema.fields}
    for name in inside.values():
        if types[name] in {"vectorudt", "vector", "udt"}:
            raise ValueError(
                f"{name} holds a vector in each row; add the positive class's entry as a column, "
                f'with pyspark.ml.functions: df.withColumn("p", vector_to_array("{name}")[1])'
            )
        if names.count(name) > 1:
            raise ValueError(f"the data has {names.count(name)} columns named {name!r}; rename one")
    placed = native.toDF(*(f"c{place}" for place in range(len(names))))
    return placed.selectExpr(*(f"c{names.index(name)} AS {new}" for new, name in inside.items()))


@contextmanager
def one_line() -> Iterator[None]:
    """Turn what Spark raises about the data or a task into one line."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        raise ValueError(f"Spark could not count: {reason(str(error))}") from None


def reason(message: str) -> str:
    r"""Return the line of a Spark message that says what happened, without its stack.

    >>> reason("Job aborted\n  File x\nValueError: no model\n\tat org.apache.spark")
    'ValueError: no model'
    >>> reason("[DIVIDE_BY_ZERO] Division by zero.\n== SQL ==\ny/0")
    '[DIVIDE_BY_ZERO] Division by zero.'
    """
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    raised = [line for line in lines if _RAISED.match(line)]
    coded = [line for line in lines if line.startswith("[")]
    return (raised[-1:] or coded or lines or ["no reason was given"])[0]


_RAISED = re.compile(r"[A-Za-z]\w*(Error|Exception)(: |$)")
