"""[cao] Figures 6 and 7: a score against learning time (left) and testing time (right) on the large data sets."""

from __future__ import annotations

from gpbench.analysis.drawing.axes import data_title
from gpbench.analysis.results_table import ResultsTable

from .against import against_seconds
from .panel import Panel

DATASETS = ("synth2", "synth8", "chem", "sarcos")
SIDES = {"learning": "learning_seconds", "testing": "predict_seconds"}


def figure(results: ResultsTable, number: int, metric: str, log: bool):
    """`log`: of the score's axis; times are on logarithmic axes in both figures."""
    for dataset in DATASETS:
        rows = results.ok[results.ok["dataset"] == dataset]
        rows = rows.assign(learning_seconds=rows["fit_seconds"] + rows["learn_seconds"].fillna(0))
        for side, column in SIDES.items() if len(rows) else ():
            panel = Panel("cao", f"figure-{number}-{dataset}-{metric}-{side}-time")
            if log:
                panel.ax.set_yscale("log")
            name = "hyperparameter learning time" if side == "learning" else "testing time"
            against_seconds(panel, results, rows, metric, column, data_title(results, dataset), f"{name}, seconds")
            panel.differs.append("Median seconds of our machine; a point is one size, joined in order")
            if side == "learning":
                panel.differs.append("Learning time is all of training, with what trials share")
            yield panel
