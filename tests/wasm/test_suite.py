"""In WebAssembly the laws of counts, curves, metrics and limits hold, too."""

import importlib.metadata
import shutil

import pytest
from webassembly import HERE, ROOT, run

# Pure Python that tests are run with; hypothesis has a compiled part, for which `suite.py` stands.
RUNNERS = "pytest", "hypothesis", "pluggy", "iniconfig", "packaging", "sortedcontainers", "pygments"
# What computes most with counts. Each group is one process: many files in one have run out of
# stack, and each process takes seconds to begin.
GROUPS = {
    "numbers": "numbers/test_exactness numbers/test_order curves/test_curves",
    "counts": "counts/test_cases counts/test_counts counts/test_rank_totals",
    "metrics": "metrics/test_between metrics/test_registry",
    "weights": "metrics/test_extreme_weights laws/test_weight_laws laws/test_algebra_laws",
    "laws of counts": """
        laws/test_laws_of_counts laws/test_curve_laws laws/test_ks_laws laws/test_table_laws
        laws/test_basel_laws laws/test_finding_laws laws/test_horizon_laws
    """,
    "laws of groups": "laws/test_laws_of_groups laws/test_laws_of_limits",
    "laws of pairs": "laws/test_laws_of_pairs laws/test_laws_of_saved_forms",
    "amounts": """
        amounts/test_amount_algebra amounts/test_amount_numbers amounts/test_amounts_of_0_and_1
        amounts/test_amount_edges
    """,
}
# What cannot be asked there, and why. Whole files are left out that begin with an import of pandas,
# polars, DuckDB or matplotlib, or that start a process or a thread; and laws of means and the tests
# of limits, which take more minutes than these together.
ELSEWHERE = {
    "needs polars": """
        counts/test_counts.py::test_roots_of_repeated_rows_are_those_of_the_rows
        laws/test_laws_of_groups.py::test_many_groups_are_shown_by_their_largest_gaps
        laws/test_laws_of_pairs.py::test_json_has_pairs_and_ranks
    """,
    "repeats rows by int64 of its own": """
        laws/test_laws_of_groups.py::test_frequency_weights_are_rows_repeated
        amounts/test_amount_algebra.py::test_cells_are_in_canonical_order_and_count_again
        amounts/test_amounts_of_0_and_1.py::test_comparisons_are_the_yes_no_comparisons
    """,
    "reads our pages, which are not seen from there": """
        metrics/test_registry.py::test_the_glossary_explains_every_metric
        metrics/test_registry.py::test_the_page_of_numbers_says_range_and_direction_as_the_registry_does
    """,
}


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """Return a folder with what tests are run with, as it is installed here."""
    folder = tmp_path_factory.mktemp("packages")
    for name in RUNNERS:
        found = importlib.metadata.distribution(name)
        for file in found.files or ():
            if ".." not in file.parts and file.suffix not in {".pyc", ".so", ".pyd"}:
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(found.locate_file(file), folder / file)
    return folder


@pytest.mark.needs("WebAssembly", "node")
@pytest.mark.merge
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", GROUPS)
def test_tests_pass_in_webassembly(name, packages):
    files = [f"{file}.py" for file in GROUPS[name].split()]
    assert all((ROOT / "tests" / file).exists() for file in files)
    left = [f"--deselect={test}" for tests in ELSEWHERE.values() for test in tests.split()]
    assert " passed" in run(HERE / "suite.py", *files, *left, packages=[packages])
