"""What a command loads, counted: whoever waits for it waits for nothing else."""

import subprocess
import sys

from cli_calls import done


def loaded_by(*words):
    """Return the names of all modules there are once a command has run."""
    code = (
        "import sys\nfrom capcurve.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit as done:\n    assert not done.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    run = [sys.executable, "-c", code, *map(str, words)]
    found = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60)
    return set(found.stderr.splitlines()[-1].split())


def own(names):
    return {name for name in names if name.partition(".")[0] == "capcurve"}


def test_help_loads_no_command_and_no_numbers():
    loaded = loaded_by("--help")
    assert loaded.isdisjoint({"numpy", "narwhals", "duckdb", "scipy"})
    assert len(own(loaded)) <= 8, sorted(own(loaded))


def test_a_summary_of_one_score_loads_neither_pictures_nor_other_questions(tmp_path):
    path = tmp_path / "small.csv"
    rows = (f"{number % 3 % 2},{number}" for number in range(40))
    path.write_text("\n".join(["y,s", *rows]))
    loaded = loaded_by("summary", path, "-t", "y", "-s", "s", "-o", tmp_path / "found.json")
    unused = (
        "plots.cap plots.charts show.canvas inference.comparing inference.heterogeneity "
        "inference.certified inference.bands results.calibration results.groups results.profits "
        "results.selective results.trials studies.evaluation.payload studies.evaluation.pictures "
        "input.engine_totals input.files.converting input.files.databases"
    )
    assert loaded.isdisjoint(f"capcurve.{name}" for name in unused.split())
    assert "capcurve.results.summarizing" in loaded
    assert len(own(loaded)) <= 170, sorted(own(loaded))


def test_a_summary_of_a_file_opens_one_connection(tmp_path, monkeypatch):
    import duckdb

    opened, connect = [], duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda *a, **k: opened.append(a) or connect(*a, **k))
    path = tmp_path / "small.csv"
    path.write_text("y,s\n1,0.9\n0,0.4\n1,0.5\n0,0.1\n")
    done("summary", path, "-t", "y", "-s", "s")
    assert len(opened) == 1


def test_a_command_looks_for_garbage_in_what_it_makes_and_not_in_what_is_loaded(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("y,s\n1,0.9\n0,0.4\n1,0.5\n0,0.1\n")
    code = (
        "import atexit, gc, sys\nfrom capcurve.__main__ import main\n"
        "atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count(), file=sys.stderr))\n"
        "main()"
    )
    run = [sys.executable, "-c", code, "summary", str(path), "-t", "y", "-s", "s"]
    found = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60)
    enabled, frozen = found.stderr.splitlines()[-1].split()
    assert enabled == "True"
    assert int(frozen) > 10_000
