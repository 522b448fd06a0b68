"""[keerthi] Figure 1: NMSE and NLPD as groups of boxes at every d_max, CPU time of training on log-log axes."""

from __future__ import annotations

from gpbench.analysis.drawing.axes import axis_title, data_title, finish
from gpbench.analysis.drawing.box_plot import FEWEST, groups
from gpbench.analysis.results_table import ResultsTable

from .method_styles import of_methods
from .panel import Panel

LOOKS = {  # the colours of the caption; "from left to right"
    "RAND": {"color": "#0000c8", "marker": "o", "linestyle": "-"},
    "INFO": {"color": "#d00000", "marker": "s", "linestyle": "--"},
    "KAPPA": {"color": "#008000", "marker": "^", "linestyle": "-."},
    "DMAX": {"color": "#000000", "marker": "D", "linestyle": ":"},
    "SB": {"color": "#c000c0", "marker": "v", "linestyle": (0, (5, 1))},
}


def panels(results: ResultsTable):
    rows = results.ok.dropna(subset=["d_max"])
    rows = rows[rows["label"].isin(LOOKS)]
    if rows.empty:
        return
    title, looks = data_title(results, rows["dataset"].iloc[0]), of_methods(results)
    latent = "nlpd_latent" if rows["nlpd_latent"].notna().any() else "nlpd"
    for name, metric in (("nmse", "nmse"), ("nlpd", latent)):
        panel = Panel("keerthi", f"figure-1-kin40k-{name}", width=7.2)
        groups(panel.ax, rows, metric, list(LOOKS), looks, keep=panel.keep)
        panel.compare(results, rows)
        if rows.groupby(["label", "d_max"])["trial"].nunique().max() < FEWEST:
            panel.differs.append("Points instead of boxes, because runs are few")
        finish(panel.ax, title, "d_max", axis_title(metric), scale=False)
        yield panel
    panel = Panel("keerthi", "figure-1-kin40k-training-time")
    for label in LOOKS:
        t = rows[rows["label"] == label].groupby("d_max")["fit_seconds"].agg(["median", "count"])
        panel.line(panel.ax, label, t.index, t["median"], looks[label], trials=t["count"])
    panel.ax.set(xscale="log", yscale="log")
    panel.compare(results, rows)
    panel.differs.append("Wall time on one core of our machine, median")
    finish(panel.ax, title, "d_max", "training time, seconds", scale=False)
    yield panel
