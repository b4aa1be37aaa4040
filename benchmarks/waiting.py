"""How long calls take that people wait for, each in a process of its own, beside a peer.

python benchmarks/waiting.py [--beside SRC] [--only TEXT] [--turns 3] [--scale 1]

`--beside` is the src folder of another version, measured in turns with this one. Seconds are those
elapsed and of processors, the least of three and more calls after a first one; a ratio is to the
sort, or other unit, that is timed in the same process. `--scale 0.1` takes a tenth of the rows.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import machine

HERE = Path(__file__).resolve()
OWN = HERE.parents[1] / "src"
LONG = 3.0  # seconds: what takes longer is done once


def of_scores(rows):
    rng = np.random.default_rng(40)
    score = rng.standard_normal(rows)
    return rng, rng.random(rows) < 0.1, score


def sorts(score):
    return "np.sort", lambda: np.sort(score)


def argsorts(score):
    return "np.argsort", lambda: np.argsort(score)


def plain(cap, rows):
    _, target, score = of_scores(rows)
    return lambda: answer(cap, cap.count_scores(target, score)), sorts(score)


def single(cap, rows):
    _, target, score = of_scores(rows)
    score = score.astype(np.float32)
    return lambda: answer(cap, cap.count_scores(target, score)), sorts(score)


def answer(cap, counts):
    return cap.ks(counts), cap.confidence_interval(counts, "accuracy_ratio")


def by_column(cap, rows):
    rng, target, _ = of_scores(rows)
    columns = [target / 2 + rng.standard_normal(rows) for _ in range(10)]

    def work():
        return [
            cap.confidence_interval(cap.count_scores(target, each), "accuracy_ratio")
            for each in columns
        ]

    return work, ("sorts", lambda: [np.sort(each) for each in columns])


def weighted(cap, rows):
    rng, target, score = of_scores(rows)
    words = {"weight": rng.random(rows) + 0.5, "weight_kind": "sampling"}
    return lambda: answer(cap, cap.count_scores(target, score, **words)), argsorts(score)


def clustered(cap, rows):
    rng, target, score = of_scores(rows)
    ids = rng.integers(0, rows // 10, rows)
    return lambda: answer(cap, cap.count_scores(target, score, cluster=ids)), argsorts(score)


def amounts_in(share):
    def made(cap, rows):
        rng, _, score = of_scores(rows)
        amount = np.where(rng.random(rows) < share, rng.lognormal(size=rows), 0.0)
        ratio = "accuracy_ratio"
        return lambda: cap.confidence_interval(cap.count_values(amount, score), ratio), argsorts(
            score
        )

    return made


def counts_of_amounts(cap, rows):
    rng, _, score = of_scores(rows)
    amount = np.where(rng.random(rows) < 0.01, rng.lognormal(size=rows), 0.0)
    return lambda: cap.count_values(amount, score), argsorts(score)


def uplift(cap, rows):
    rng, target, score = of_scores(rows)
    arm = rng.integers(0, 2, rows)
    return (
        lambda: cap.confidence_interval(cap.count_uplift(target, arm, score), "qini"),
        argsorts(score),
    )


def horizon(cap, rows):
    rng, _, score = of_scores(rows)
    time_of = np.minimum(np.ceil(rng.exponential(900 * np.exp(-score / 2))), 1000.0)
    event = (time_of < 1000) & (rng.random(rows) < 0.6)

    def work():
        counts = cap.count_times(time_of, event, score, until=1000).at(365)
        return cap.confidence_interval(counts, "accuracy_ratio")

    return work, argsorts(score)


def of_pds(rows):
    rng = np.random.default_rng(5)
    chance = 1 / (1 + np.exp(2.5 - rng.standard_normal(rows)))
    return rng, (rng.random(rows) < chance).astype(np.int8), chance


def called(call):
    def made(cap, rows):
        _, target, chance = of_pds(rows)
        counts = cap.count_scores(target, chance)
        return lambda: call(cap, counts), argsorts(chance)

    return made


def summary(cap, rows):
    _, target, chance = of_pds(rows)
    return lambda: cap.summarize(cap.count_scores(target, chance)), argsorts(chance)


def heterogeneity(cap, rows):
    rng, target, chance = of_pds(rows)
    months = cap.count_segments(target, chance, by=rng.integers(0, 24, rows))
    return lambda: cap.heterogeneity_test(months), argsorts(chance)


def compared(scores, metric="accuracy_ratio", **words):
    def made(cap, rows):
        rng, target, _ = of_scores(rows)
        columns = {f"s{i}": target + 1.5 * rng.standard_normal(rows) for i in range(scores)}
        if metric == "net_benefit":
            columns = {name: 1 / (1 + np.exp(2.5 - each)) for name, each in columns.items()}

        def work():
            return cap.compare(cap.count_joint(target, columns), metric=metric, **words)

        return work, ("argsorts", lambda: [np.argsort(each) for each in columns.values()])

    return made


def evaluated(scores):
    def made(cap, rows):
        rng, target, _ = of_scores(rows)
        columns = {f"s{i}": target + 1.5 * rng.standard_normal(rows) for i in range(scores)}
        first = columns["s0"]
        return lambda: cap.evaluate(target, columns), (
            "evaluate of one",
            lambda: cap.evaluate(target, first),
        )

    return made


def by_segment(segments, rows):
    rng, target, score = of_scores(rows)
    return target, score + 0.8 * target, rng.integers(0, segments, rows)


def evaluated_by(cap, rows):
    target, score, by = by_segment(1000, rows)
    work = lambda: cap.evaluate(target, score, by=by, all_segments=True)  # noqa: E731 - timed
    return work, argsorts(score)


def rows_by(cap, rows):
    target, score, by = by_segment(1000, rows)
    work = lambda: cap.evaluate(target, score, by=by, all_segments=True).to_frame("polars")  # noqa: E731 - timed
    return work, argsorts(score)


def table_by(cap, rows):
    target, score, by = by_segment(20_000, rows)

    def work():
        if hasattr(cap, "segment_table"):
            return cap.segment_table(target, score, by=by)
        counts = cap.count_segments(target, score, by=by)
        some = (each for each in counts.values() if each.n1 and each.n0)
        return [answer(cap, each) for each in some]

    return work, argsorts(score)


def peer(name):
    def made(_, rows):
        _, target, score = of_scores(rows)
        return PEERS[name](target, score), sorts(score)

    return made


def of_sklearn(target, score):
    from sklearn.metrics import roc_auc_score

    return lambda: roc_auc_score(target, score)


def of_scipy(target, score):
    from scipy.stats import mannwhitneyu

    return lambda: mannwhitneyu(score[target], score[~target])


def of_polars(target, score):
    import polars as pl
    from kernel import by_expressions

    frame = pl.DataFrame({"y": target, "s": score})
    return lambda: by_expressions(frame)


def of_duckdb(target, score):
    import duckdb

    held = duckdb.connect()
    held.register("held", {"y": target, "s": score})
    held.execute("CREATE TABLE scored AS SELECT * FROM held")
    return lambda: held.execute("SELECT s, sum(y), count(*) FROM scored GROUP BY s").fetchnumpy()


def of_polars_by_segment(_, rows):
    import polars as pl

    target, score, by = by_segment(20_000, rows)
    frame = pl.DataFrame({"y": target, "s": score, "g": by})
    n1, n0 = pl.col("y").sum(), (~pl.col("y")).sum()
    ranks = pl.col("s").rank("average").filter(pl.col("y")).sum()
    auc = (ranks - n1 * (n1 + 1) / 2) / (n1 * n0)
    return lambda: frame.group_by("g").agg(auc), argsorts(score)


PEERS = {
    "scikit-learn roc_auc_score": of_sklearn,
    "SciPy mannwhitneyu": of_scipy,
    "Polars AUC as expressions": of_polars,
    "DuckDB GROUP BY alone": of_duckdb,
}
MILLION = 1_000_000
CALLS = {
    "float64: AR, KS, interval": (plain, 10 * MILLION, "1.6"),
    **{name: (peer(name), 10 * MILLION, "") for name in PEERS},
    "float32: AR, KS, interval": (single, 10 * MILLION, "2.5"),
    "ten columns: AR, interval of each": (by_column, MILLION, "1.5"),
    "sampling weights: AR, KS, interval": (weighted, 10 * MILLION, "2"),
    "clusters of ten rows: AR, KS, interval": (clustered, 10 * MILLION, ""),
    "amounts in 5%: AR, interval": (amounts_in(0.05), 10 * MILLION, "2"),
    "amounts in all: AR, interval": (amounts_in(1.0), 10 * MILLION, "3"),
    "uplift: Qini, interval": (uplift, 4 * MILLION, "6"),
    "horizon: AR, interval": (horizon, 4 * MILLION, "6"),
    "amounts in 1%: counts": (counts_of_amounts, 100 * MILLION, ""),
    "amounts in 1%: AR, interval": (amounts_in(0.01), 100 * MILLION, "4 GB"),
    "summarize": (summary, 1000, "15 ms"),
    "summarize of more": (summary, MILLION, ""),
    "design_grades": (called(lambda cap, c: cap.design_grades(c, grades=7)), MILLION, "3 s"),
    "bootstrap of captured response": (
        called(
            lambda cap, c: cap.confidence_interval(
                c, "captured_response", q=0.1, method="bootstrap"
            )
        ),
        MILLION,
        "3 s",
    ),
    "bootstrap of KS": (
        called(lambda cap, c: cap.confidence_interval(c, "ks", method="bootstrap")),
        MILLION,
        "3 s",
    ),
    "rate_table": (called(lambda cap, c: cap.rate_table(c)), MILLION, "3 s"),
    "heterogeneity_test, 24 months": (heterogeneity, MILLION, "3 s"),
    "compare 3 scores, net benefit": (compared(3, "net_benefit", threshold=0.2), MILLION, "3 s"),
    "compare 20 scores": (compared(20), MILLION, "3 s"),
    "compare 100 scores": (compared(100), MILLION // 10, "2 s"),
    "evaluate one score": (evaluated(1), MILLION, ""),
    "evaluate two scores": (evaluated(2), MILLION, "4"),
    "evaluate 1,000 segments": (evaluated_by, MILLION, "2 s"),
    "the same, and their rows": (rows_by, MILLION, ""),
    "20,000 segments: AR, KS, limits": (table_by, MILLION, "0.5 s"),
    "Polars, AUC of 20,000 segments": (of_polars_by_segment, MILLION, ""),
}
COMMANDS = {
    "capcurve --version": (["--version"], ""),
    "capcurve --help": (["--help"], "80 ms"),
    "capcurve summary": (["summary", "{}", "-t", "y", "-s", "s"], "370 ms"),
}


def least(work):
    """Return the least seconds elapsed, and of processors, of three and more calls."""
    found, ended = [], time.perf_counter() + LONG
    while len(found) < 3 or time.perf_counter() < min(ended, ended - LONG + 0.3):
        start, used = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - start, time.process_time() - used))
        if found[-1][0] > LONG:
            break
    return [min(column) for column in zip(*found, strict=True)]


def scaled(rows, scale):
    return max(int(rows * scale), 1000)


def timed_here(name, scale):
    """Time one call in this process, and print what it took."""
    import capcurve as cap

    made, rows, _ = CALLS[name]
    made(cap, 20_000)[0]()
    work, (unit, measured) = made(cap, scaled(rows, scale))
    took = least(work)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps([took, peak, unit, least(measured)]))


def process_of(source, *words):
    """Run this file in a process that imports a version, and return what it printed."""
    found = {**os.environ, "PYTHONPATH": str(source)}
    words = [sys.executable, str(HERE), *words]
    done = subprocess.run(words, env=found, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr)
        return None
    return json.loads(done.stdout)


def command_of(source, words, turns=8):
    """Return the least seconds of a command's whole process, elapsed and of processors."""
    found = {**os.environ, "PYTHONPATH": str(source)}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    took = []
    for _ in range(turns + 1):
        start = time.perf_counter()
        words_of = [sys.executable, "-m", "capcurve", *words]
        with subprocess.Popen(words_of, env=found, stdout=subprocess.DEVNULL) as running:
            _, status, usage = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode:
            sys.exit(f"{' '.join(words)} ended with {running.returncode}")
        took.append((time.perf_counter() - start, usage.ru_utime + usage.ru_stime))
    return [min(column) for column in zip(*took[1:], strict=True)]


def told(found):
    if found is None:
        return "failed"
    (elapsed, used), peak, unit, (of_unit, _) = found
    return f"{elapsed:9.4f} s {used:9.4f} s {peak:6.2f} GB {elapsed / of_unit:7.2f} x {unit}"


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--beside")
    asked.add_argument("--only", default="")
    asked.add_argument("--scale", type=float, default=1.0)
    asked.add_argument("--here")
    given = asked.parse_args()
    if given.here:
        timed_here(given.here, given.scale)
        return
    if given.beside and not Path(given.beside, "capcurve").is_dir():
        asked.error(f"{given.beside} holds no folder capcurve")
    print(f"{machine()}\nelapsed, of processors, largest memory, elapsed in units\n", flush=True)
    versions = {"": OWN} | ({"beside": given.beside} if given.beside else {})
    for name, (_, rows, target) in CALLS.items():
        if given.only not in name:
            continue
        print(
            f"{name}, {scaled(rows, given.scale):,} rows"
            + (f" (target {target})" if target else "")
        )
        for version, source in versions.items():
            words = ["--here", name, "--scale", str(given.scale)]
            print(f"  {version:8}{told(process_of(source, *words))}", flush=True)
    rng = np.random.default_rng(3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.csv")
        rows = zip(rng.integers(0, 2, 1000), rng.random(1000).round(4), strict=True)
        path.write_text("y,s\n" + "".join(f"{y},{s}\n" for y, s in rows))
        for name, (words, target) in COMMANDS.items():
            if given.only not in name:
                continue
            print(name + (f" (target {target})" if target else ""))
            for version, source in versions.items():
                elapsed, used = command_of(source, [each.format(path) for each in words])
                print(f"  {version:8}{elapsed:9.4f} s {used:9.4f} s", flush=True)
    print(f"\nload at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
