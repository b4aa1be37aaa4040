"""How far this package is from every number that other tools print: the largest of each group.

python benchmarks/oracles.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "oracles"))

from printed import difference, every_number


def main():
    largest = {}
    for group, name, found, printed in every_number():
        count, *farthest = largest.get(group, (0, -1.0, ""))
        largest[group] = (count + 1, *max(tuple(farthest), (difference(found, printed), name)))
    print(f"{'group':<22}{'numbers':>7}  largest relative difference")
    for group, (count, most, where) in largest.items():
        print(f"{group:<22}{count:>7}  {most:.1e}  {where}")


if __name__ == "__main__":
    main()
