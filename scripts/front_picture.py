"""The picture of README and of the front page: quality against time on KIN40K, from the committed results.

python -m scripts.front_picture          writes docs/_static/kin40k.svg
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
FRONT = ROOT / "results" / "field-kin40k" / "stats" / "front.csv"
OUT = ROOT / "docs" / "_static" / "kin40k.svg"
OURS = {  # series of the results -> (label, where it stands beside its point)
    "default": ("default (fitc)", (-6, 7, "right")), "local 500": ("local 500", (7, 5, "left")),
    "local 1000": ("local 1000", (-7, -10, "right")), "vfe 200 free": ("vfe 200", (7, 4, "left")),
    "fitc 100 free": ("fitc 100", (-7, -8, "right")), "random": ("random 500", (-1, -13, "left")),
    "vecchia matern32": ("vecchia", (-2, -13, "left")),
    "vecchia matern52 100": ("vecchia, 100 neighbours", (-7, -11, "right")), "sod 4000": ("sod 4000", (7, -3, "left")),
}  # fmt: skip
OTHERS = {
    "gpy fitc 100": ("GPy FITC", (7, 1, "left")), "gpy vfe 100": ("GPy VFE", (7, -5, "left")),
    "gpflow sgpr 200": ("GPflow SGPR", (-6, -11, "left")), "gpflow svgp 300": ("GPflow SVGP", (8, 3, "left")),
    "gpytorch sgpr 200": ("GPyTorch SGPR", (7, 3, "left")), "gpytorch svgp 300": ("GPyTorch SVGP", (-8, -1, "right")),
    "gpboost vecchia": ("GPBoost Vecchia", (-8, 3, "right")),
    "sklearn exact 1000": ("scikit-learn, 1000 rows", (-4, 8, "right")),
    "sklearn nystroem 500": ("scikit-learn Nystroem", (7, 1, "left")),
}  # fmt: skip


def points() -> dict[str, tuple[float, float]]:
    """CPU seconds and NMSE of each series."""
    with FRONT.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"] == "nmse"]
    return {row["series"]: (float(row["cpu_seconds"]), float(row["mean"])) for row in rows}


def draw(out: Path) -> None:
    """Write the picture; the same results and the same matplotlib give the same bytes."""
    found = points()
    style = {"svg.fonttype": "none", "svg.hashsalt": "gpbench", "font.family": "sans-serif", "font.size": 9}
    with plt.rc_context(style):
        figure, axes = plt.subplots(figsize=(8, 4.4), constrained_layout=True)
        for series, colour, marker, name in (
            (OURS, "#0b5d8c", "o", "gpbench"),
            (OTHERS, "#b3541e", "s", "other libraries"),
        ):
            x, y = zip(*(found[key] for key in series), strict=True)
            axes.plot(x, y, marker, color=colour, markersize=6, label=name)
            for key, (label, (dx, dy, align)) in series.items():
                axes.annotate(label, found[key], (dx, dy), textcoords="offset points", ha=align, color=colour)
        axes.set(xscale="log", yscale="log", xlim=(0.75, 130), ylim=(0.025, 0.21))
        axes.set(xlabel="CPU seconds: hyperparameters, fit, 30 000 predictions", ylabel="mean squared error / variance")
        ticks, sizes = [1, 2, 5, 10, 20, 50, 100], [0.03, 0.05, 0.1, 0.2]
        axes.set_xticks(ticks, [str(t) for t in ticks])
        axes.set_yticks(sizes, [str(s) for s in sizes])
        axes.minorticks_off()
        axes.grid(alpha=0.25, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_title("KIN40K: 10 000 training rows, mean of three splits. Lower left is better.", fontsize=10)
        axes.legend(loc="upper right", frameon=False)
        figure.savefig(out, metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT)
