"""[cao] Figure 3: (a) training time and (b) objective against m; (c), (f) SMSE and training time of every method at
m = 32; (d), (e) test scores along one training."""

from __future__ import annotations

from gpbench.analysis.drawing.axes import axis_title, data_title, doubling, finish
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.traces import along, last_of

from .against import order_of
from .cao_figure2 import LOOKS, NAMES
from .method_styles import of_methods
from .panel import Panel

__all__ = ["LOOKS", "panels"]  # the colours of Figure 2
SIZE = "number of inducing points, m"
BASELINES = ("CSI", "Random", "IVM", "Titsias-16", "Titsias-512")


def panels(results: ResultsTable):
    items = {item for paper, item in results.published if paper == "cao"}
    for name, sets in NAMES.items():
        rows = results.ok[results.ok["dataset"].isin(sets)]
        if rows.empty:
            continue
        if {"Fig. 3a", "Fig. 3b"} & items and name == "bindingdb" and rows["d_max"].nunique() > 1:
            yield _training_time(results, rows)
            yield _objective(results, rows)
        at32 = rows[rows["d_max"] == 32]
        if "Fig. 3d,3e" in items and len(at32):
            yield _along(results, at32, name)
        if {"Fig. 3c", "Fig. 3f"} & items and name == "hog" and len(at32):
            yield _trade_off(results, at32, "figure-3-hog-smse-and-time", cholqr_only=False)
            yield _trade_off(results, at32, "figure-3-hog-smse-and-time-cholqr", cholqr_only=True)


def _training_time(results: ResultsTable, rows) -> Panel:
    panel, looks = Panel("cao", "figure-3-bindingdb-training-time"), of_methods(results)
    for label in order_of(panel, rows):
        t = rows[rows["label"] == label].groupby("d_max")["fit_seconds"].agg(["mean", "count"])
        panel.line(panel.ax, label, t.index, t["mean"], looks[label], trials=t["count"])
    panel.ax.set_yscale("log")
    doubling(panel.ax, rows["d_max"])
    panel.compare(results, rows)
    panel.differs.append("Seconds of our machine")
    finish(
        panel.ax,
        f"(a) {data_title(results, rows['dataset'].iloc[0])}",
        SIZE,
        "mean training time, seconds",
        scale=False,
    )
    return panel


def _objective(results: ResultsTable, rows) -> Panel:
    panel, looks = Panel("cao", "figure-3-bindingdb-objective"), of_methods(results)
    rows = rows.assign(F=-rows["log_evidence"])
    found = last_of(results.curves, "objective", rows)  # an epoch's F; methods without epochs give their bound
    rows["F"] = rows["trial_id"].map(found.abs()).where(rows["F"].isna(), rows["F"])
    for label in order_of(panel, rows):
        panel.means(panel.ax, label, rows[rows["label"] == label], "d_max", "F", looks[label])
    doubling(panel.ax, rows["d_max"])
    panel.compare(results, rows)
    panel.differs.append("F is minus the variational bound on the standardised targets, all constants in it")
    finish(
        panel.ax, f"(b) {data_title(results, rows['dataset'].iloc[0])}", SIZE, "objective F at convergence", scale=False
    )
    return panel


def _along(results: ResultsTable, rows, name: str) -> Panel:
    panel = Panel("cao", f"figure-3-{name}-score-along-training", columns=2, width=8.4)
    looks, first = of_methods(results), rows[rows["trial"] == rows["trial"].min()]
    for ax, letter, metric in zip(panel.axes[0], "de", ("smse", "snlp")):
        ax.set_title(f"({letter})", loc="left")
        for label in ("CholQR-z16", "Titsias-16", "Titsias-512", "IVM"):
            path = along(results.curves, first[first["label"] == label], f"test_{metric}")
            if len(path):
                panel.line(ax, label, path["seconds"], path[f"test_{metric}"], looks[label] | {"markevery": [-1]})
        ax.set_xscale("log")
        finish(
            ax,
            data_title(results, first["dataset"].iloc[0]),
            "training time, seconds",
            axis_title(metric),
            metric == "snlp",
            scale=False,
        )
    panel.compare(results, first)
    panel.differs.append("The caption does not name the data set, so both are drawn; seconds of our machine")
    return panel


def _trade_off(results: ResultsTable, rows, name: str, cholqr_only: bool) -> Panel:
    panel, looks = Panel("cao", name, width=6.0), of_methods(results)
    cholqr = [label for label in rows["label"].unique() if label.startswith("CholQR")]
    shown = cholqr if cholqr_only else [*cholqr, *(b for b in BASELINES if (rows["label"] == b).any())]
    for label in shown:
        mine = rows[rows["label"] == label]
        x, y = mine["fit_seconds"].median(), mine["smse"].mean()
        panel.line(panel.ax, label, [x], [y], looks[label] | {"linestyle": "", "markersize": 6}, trials=[len(mine)])
    panel.ax.set_xscale("log")
    panel.compare(results, rows[rows["label"].isin(shown)])
    panel.differs.append("Median seconds of our machine")
    finish(panel.ax, f"({'f' if cholqr_only else 'c'}) {data_title(results, rows['dataset'].iloc[0])}, m = 32",
           "training time, seconds", axis_title("smse"), scale=False)  # fmt: skip
    return panel
