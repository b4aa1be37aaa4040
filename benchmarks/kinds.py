"""How long files of every kind take to be counted, beside the same rows in csv.

python benchmarks/kinds.py [rows]
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import xlsxwriter
from timing import in_turns, machine

import capcurve as cap

COLUMNS = 6


def generate(rows, folder):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "y": rng.integers(0, 2, rows),
            "score": rng.random(rows).round(6),
            **{f"other {i}": rng.random(rows).round(4) for i in range(COLUMNS - 2)},
        }
    )
    frame.write_csv(folder / "rows.csv")
    frame.write_parquet(folder / "rows.parquet")
    frame.write_ipc(folder / "rows.feather")
    with zipfile.ZipFile(folder / "rows.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(folder / "rows.csv", "rows.csv")
    with xlsxwriter.Workbook(folder / "rows.xlsx", {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate([frame.columns, *frame.rows()]):
            sheet.write_row(place, 0, row)
    connection = sqlite3.connect(folder / "rows.db")
    connection.execute(f"CREATE TABLE rows ({', '.join(map(repr, frame.columns))})")
    connection.executemany(f"INSERT INTO rows VALUES ({','.join('?' * COLUMNS)})", frame.rows())
    connection.commit()
    connection.close()


def main():
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        generate(rows, folder)
        paths = sorted(folder.iterdir())
        found = in_turns(
            {
                path.suffix: lambda path=path: cap.count_scores("y", "score", data=path)
                for path in paths
            }
        )
    print(f"{rows:,} rows of {COLUMNS} columns; {machine()}\n")
    for suffix, seconds in found.items():
        print(f"{suffix:10}{seconds:8.3f} s{seconds / found['.csv']:8.1f}x")


if __name__ == "__main__":
    main()
