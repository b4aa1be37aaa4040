"""Reading columns in a test, and what must hold of every answer."""

from __future__ import annotations

import numpy as np
import pytest

from capcurve.input.files import Files, read_columns


def read(paths, *names, **options):
    columns = read_columns(Files.of(paths, **options), names)
    assert list(columns) == list(dict.fromkeys(names))
    for name, column in columns.items():
        assert column.name == name
        assert column.values.flags.c_contiguous
        assert type(column.values) is np.ndarray
        assert column.missing is None or column.missing.any()
    found = list(columns.values())
    return found[0] if len(found) == 1 else found


def listed(column):
    values = column.values.tolist()
    if column.missing is None:
        return values
    return [None if m else v for v, m in zip(values, column.missing, strict=True)]


def fails(paths, *names, match, error=ValueError, **options):
    with pytest.raises(error, match=match) as caught:
        read_columns(Files.of(paths, **options), names)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 500
    return message


ROWS = "default,pd\n0,0.1\n1,0.75\n"
