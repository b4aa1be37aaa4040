"""Small files that are installed with the library, on which all examples run."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from capcurve.numbers.arguments import as_name

__all__ = ["load_claims", "load_loans", "path"]

DatasetName: TypeAlias = Literal[
    "loans", "claims", "visits", "lgd", "applicants", "deciles", "followup", "judge"
]


def path(name: str) -> Path:
    """Return where the csv file of a data set is, to be read by this library or by any other.

    "loans" are 9,857 real loans with outcome and grade, "claims" 400 simulated motor policies with
    two scores, "visits" 3,000 people and their visits to a doctor, "lgd" 150 simulated losses given
    default, "applicants" the loans counted by grade with some outcomes hidden, "deciles" a printed
    decile table of the loans, "followup" 600 simulated loans, some of them censored, and "judge"
    780 simulated answers with the ratings of two language models and labels on some. NOTICE.md
    beside the files names their sources and licences.

    Parameters
    ----------
    name
        Name of the data set, one of those above.

    Returns
    -------
    pathlib.Path
        The file. To have a copy of it in your own folder, run `capcurve example NAME`.

    Raises
    ------
    ValueError
        For another name.

    Examples
    --------
    >>> loans = path("loans")
    >>> loans.name
    'loans.csv'
    >>> import capcurve as cap
    >>> round(cap.accuracy_ratio(cap.count_scores("y", "grade_rank", data=loans)), 3)
    0.486
    """
    known = as_name(name, "name", get_args(DatasetName), {})
    return Path(__file__).with_name(f"{known}.csv")


def load_loans() -> Any:
    """Return 9,857 real loans, of which 517 went bad, to try a credit score on.

    The columns are `y` (1 = bad), `sub_grade` (A1 to G5), `grade_rank` (the same as 1 to 35, higher
    is riskier), `int_rate` (per cent), `funded_amnt` and `annual_inc` (dollars). They are loans of
    Lending Club, from the R package modeldata, under the MIT licence.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or dict
        A pandas frame; where pandas is not installed a Polars frame; without either a dict with a
        numpy array for each column. For anything else, read `path("loans")`.

    Examples
    --------
    >>> loans = load_loans()
    >>> len(loans["y"]), int(loans["y"].sum())
    (9857, 517)
    """
    return _loaded("loans")


def load_claims() -> Any:
    """Return 400 simulated motor policies with their claims, to try a tariff on.

    The columns are `model_a` and `model_b` (two scores, higher expects more claims), `years`
    insured and `claims` (their cost). CC0: do with them what you like.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or dict
        As of `load_loans`.

    Examples
    --------
    >>> claims = load_claims()
    >>> len(claims["claims"]), int((claims["claims"] > 0).sum())
    (400, 69)
    """
    return _loaded("claims")


def _loaded(name: str) -> Any:
    """Return a data set as the first kind of frame that is installed."""
    file = path(name)
    for library in ("pandas", "polars"):
        if find_spec(library) is not None:
            return import_module(library).read_csv(file)
    if find_spec("duckdb") is None:
        raise ModuleNotFoundError("data sets are loaded as a data frame: pip install pandas")
    import duckdb

    return duckdb.read_csv(str(file)).fetchnumpy()
