"""[vanhatalo] Figure 3: time of one EP run and classification error against n; k_se dashed, k_pp3 solid, FIC dotted."""

from __future__ import annotations

from gpbench.analysis.drawing.axes import data_title, finish, ticks
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.traces import last_of

from .method_styles import of_methods
from .panel import Panel

LOOKS = {
    "k_se": {"linestyle": "--", "color": "#0072b2", "marker": "s"},
    "k_pp3": {"linestyle": "-", "color": "#000000", "marker": "o"},
    "FIC": {"linestyle": ":", "color": "#b23b00", "marker": "^"},
}


def panels(results: ResultsTable):
    rows, looks = results.ok[results.ok["label"].isin(LOOKS)], of_methods(results)
    rows = rows.assign(ep_seconds=rows["trial_id"].map(last_of(results.curves, "ep_seconds", rows)))
    for dataset, mine in rows.groupby("dataset", sort=False):
        for column, name, axis in (
            ("ep_seconds", "ep-time", "time of one EP run, seconds"),
            ("err", "err", "classification error"),
        ):
            panel = Panel("vanhatalo", f"figure-3-{dataset}-{name}")
            for label in LOOKS:
                panel.means(panel.ax, label, mine[mine["label"] == label], "n_train", column, looks[label])
            panel.ax.set_xscale("log")
            if column == "ep_seconds":
                panel.ax.set_yscale("log")
            ticks(panel.ax, mine["n_train"])
            panel.compare(results, mine)
            if left := _not_run(mine):
                panel.differs.append(f"Not run: {left}")
            panel.differs.append("The text does not state the scales of the axes")
            finish(panel.ax, data_title(results, dataset), "number of training rows, n", axis, scale=False)
            yield panel


def _not_run(rows) -> str:
    """Training sizes that some method lacks."""
    sizes = {label: sorted(set(rows["n_train"]) - set(rows.loc[rows["label"] == label, "n_train"])) for label in LOOKS}
    return "; ".join(f"{label} at n = {', '.join(f'{n:.0f}' for n in left)}" for label, left in sizes.items() if left)
