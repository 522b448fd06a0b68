"""[snelson] Figure 3: mean square test error against M; circles: SPGP learned jointly, squares: hyperparameters of or
from a full GP, the horizontal line: that full GP."""

from __future__ import annotations

from gpbench.analysis.drawing.axes import data_title, finish
from gpbench.analysis.results_table import ResultsTable

from .method_styles import of_methods
from .panel import Panel

RED = {"color": "#d00000", "marker": "s", "linestyle": "-"}
BLUE = {"color": "#0000c8", "marker": "o", "linestyle": "-"}
LOOKS = {
    "SPGP (fixed)": RED,
    "SPGP-init": RED,
    "SPGP (joint)": BLUE,
    "random": {"color": "#000000", "linestyle": "-", "marker": "."},
    "info-gain": {"color": "#000000", "linestyle": "--", "marker": "x"},
    "smo-bart": {"color": "#000000", "linestyle": ":", "marker": "+"},
}
NAMES = {"kin40k": ("kin40k", "kin40k-sim"), "pumadyn32nm": ("pumadyn32nm", "pumadyn32nm-sim")}


def panels(results: ResultsTable):
    looks = of_methods(results)
    for name, sets in NAMES.items():
        rows = results.ok[results.ok["dataset"].isin(sets)]
        if rows.empty:
            continue
        panel = Panel("snelson", f"figure-3-{name}-mse")
        for label in LOOKS:
            if (mine := rows[rows["label"] == label]).empty:
                continue
            points = {"linestyle": ""} if label.startswith("SPGP") else {}
            panel.means(panel.ax, label, mine, "d_max", "nmse", looks[label] | points)
        full = rows[rows["label"] == "full GP"]
        if len(full):
            level, reach = full["nmse"].mean(), rows.loc[rows["label"] != "full GP", "d_max"].max()
            title = f"full GP on {full['d_max'].iloc[0]:.0f} points"
            panel.keep(panel.ax, title, [full["d_max"].iloc[0]], [level], trials=[len(full)])
            panel.ax.plot([0, reach], [level, level], color="0.4", linewidth=1.0, label=title)
        panel.compare(results, rows)
        panel.differs.append("All methods in one plot; error on targets of unit variance")
        finish(panel.ax, data_title(results, rows["dataset"].iloc[0]), "M", "mean square test error", scale=False)
        panel.ax.set_ylim(bottom=0)
        yield panel
