"""Draw every picture of the installed loans: python examples/gallery.py FOLDER [--width 3.5]."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from capcurve import (
    ScoreCounts,
    count_scores,
    plot_cap,
    plot_captured_response,
    plot_ks,
    plot_lift,
    plot_precision_recall,
    plot_profit,
    plot_risk_coverage,
    plot_roc,
    plot_score_distributions,
)
from capcurve.datasets import path

SQUARE, WIDE = 0.95, 0.65


def pictures() -> dict[str, tuple[float, object]]:
    """Name each picture, with its height over its width and how it is drawn."""
    grade, rate, income = (counted(name) for name in ("grade_rank", "int_rate", "annual_inc"))
    several = {**grade, **rate, **income}
    five = count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    return {
        "cap": (SQUARE, lambda ax: plot_cap(rate, ax=ax, q=[0.1, 0.5])),
        "cap-shaded": (SQUARE, lambda ax: plot_cap(rate, ax=ax, shade=True)),
        "cap-several": (SQUARE, lambda ax: plot_cap(several, ax=ax)),
        "cap-absolute": (SQUARE, lambda ax: plot_cap(grade, ax=ax, absolute=True)),
        "cap-steps": (
            SQUARE,
            lambda ax: plot_cap(five, ax=ax, absolute=True, point_numbers=True, interval=None),
        ),
        "roc": (SQUARE, lambda ax: plot_roc(grade, ax=ax, points=True, best="youden")),
        "roc-several": (SQUARE, lambda ax: plot_roc(several, ax=ax)),
        "lift": (WIDE, lambda ax: plot_lift(several, ax=ax)),
        "lift-local": (WIDE, lambda ax: plot_lift(rate, ax=ax, local=True)),
        "captured-response": (SQUARE, lambda ax: plot_captured_response(rate, ax=ax)),
        "ks": (WIDE, lambda ax: plot_ks(rate, ax=ax)),
        "ks-several": (WIDE, lambda ax: plot_ks(several, ax=ax)),
        "ks-score": (WIDE, lambda ax: plot_ks(rate, ax=ax, axis="score")),
        "scores-rates": (WIDE, lambda ax: plot_score_distributions(rate, ax=ax)),
        "scores-grades": (WIDE, lambda ax: plot_score_distributions(grade, ax=ax)),
        "precision-recall": (WIDE, lambda ax: plot_precision_recall(several, ax=ax)),
        "risk-coverage": (WIDE, lambda ax: plot_risk_coverage(rate, ax=ax, max_risk=0.03)),
        "profit": (WIDE, lambda ax: plot_profit(rate, value=1000, cost=60, ax=ax)),
    }


def counted(score: str) -> dict[str, ScoreCounts]:
    """Count one score of the loans; people with a high income default less often."""
    low_is_bad = score == "annual_inc"
    higher_is = "negative" if low_is_bad else "positive"
    return {score: count_scores("y", score, data=path("loans"), higher_is=higher_is)}


def main() -> None:
    """Draw them all into a folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--width", type=float, default=7.0, help="width in inches (default 7)")
    parser.add_argument("--format", default="png", help="png, svg or pdf (default png)")
    chosen = parser.parse_args()
    mpl.use("Agg")
    chosen.folder.mkdir(parents=True, exist_ok=True)
    for name, (shape, draw) in pictures().items():
        figsize = (chosen.width, chosen.width * shape)
        figure, ax = plt.subplots(figsize=figsize, layout="constrained")
        draw(ax)
        figure.savefig(chosen.folder / f"{name}.{chosen.format}", dpi=200)
        plt.close(figure)


if __name__ == "__main__":
    main()
