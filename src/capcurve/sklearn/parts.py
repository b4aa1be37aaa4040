"""The parts of scikit-learn that are used, imported where they are."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any


def part(path: str) -> Any:
    """Return what scikit-learn has under this path; without it, say what to install.

    Examples
    --------
    >>> part("sklearn.utils.multiclass.type_of_target")([0, 1, 1])
    'binary'
    """
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        raise ImportError(
            'capcurve.sklearn needs scikit-learn: pip install "capcurve[sklearn]"'
        ) from error


def warn_undefined(message: str) -> None:
    """Warn as scikit-learn does of a metric that these labels leave undefined.

    The line named is that which called the metric.
    """
    warnings.warn(message, part("sklearn.exceptions.UndefinedMetricWarning"), stacklevel=4)
