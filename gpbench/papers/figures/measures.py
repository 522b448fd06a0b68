"""[sundararajan] Figures 2-4: normalised measure, NMSE and NPDL against the number of basis vectors, per data set."""

from __future__ import annotations

from gpbench.analysis.drawing.axes import finish
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.traces import averaged, scaled_measures

from .method_styles import of_methods
from .panel import Panel

SERIES = ("NLPP", "NLML", "LOO-CVE", "NLGPP", "GPE")
BASIS = "number of basis vectors"


def figure(results: ResultsTable, number: int, datasets: tuple[str, ...]):
    """The panels of one figure, data set by data set, as far as the folder has them."""
    looks, measures = of_methods(results), scaled_measures(results.curves, results.ok)
    for dataset in datasets:
        rows = results.ok[(results.ok["dataset"] == dataset) & results.ok["label"].isin(SERIES)]
        if rows.empty:
            continue
        panel = Panel("sundararajan", f"figure-{number}-{dataset}-measure")
        for label in SERIES:
            mine = (measures["dataset"] == dataset) & (measures["label"] == label)
            found = averaged(measures[mine], "scaled")
            look = looks[label] | {"marker": ""}
            panel.line(panel.ax, label, found.index, found["mean"], look, trials=found["count"])
        panel.compare(results, rows)
        panel.differs.append("Each run's measure is scaled to [0, 1] before runs are averaged")
        finish(panel.ax, dataset, BASIS, "normalised measure", scale=False)
        yield panel
        for metric, name in (("nmse", "nmse"), ("nlpd", "npdl")):
            panel = Panel("sundararajan", f"figure-{number}-{dataset}-{name}")
            for label in SERIES:
                panel.means(panel.ax, label, rows[rows["label"] == label], "d_max", metric, looks[label])
            panel.compare(results, rows)
            if dataset == "abalone" and metric == "nlpd":
                panel.differs.append("On the standardised target, as the paper's tables have it")
            finish(
                panel.ax, dataset, BASIS, f"test {name.upper()}" + (", nats" if metric == "nlpd" else ""), scale=False
            )
            yield panel
