"""[vanhatalo] Figure 2: length-scale at the mode and density of K against the D inside the kernel, one q per folder."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gpbench.analysis.drawing.axes import finish
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.traces import last_of

from .panel import Panel

LOOK = {"color": "black", "linestyle": "-", "marker": "."}


def panels(results: ResultsTable):
    named = results.ok["label"].str.extract(r"^(?P<kernel>pp\d)-D(?P<D>\d+)(?: mode)?$")
    rows = results.ok.assign(kernel=named["kernel"], D=pd.to_numeric(named["D"])).dropna(subset=["D"])
    for kernel, mine in rows.groupby("kernel"):
        lengths = [last_of(results.curves, f"theta.lengthscale.{i}", mine) for i in range(2)]
        quantities = {
            "length-scale": ("length-scale at the mode", sum(lengths) / 2),
            "fill-k": ("density of K, %", 100 * last_of(results.curves, "fill_K", mine)),
        }
        for name, (axis, values) in quantities.items():
            yield _panel(results, mine, kernel, name, axis, values)


def _panel(results: ResultsTable, rows: pd.DataFrame, kernel: str, name: str, axis: str, values: pd.Series) -> Panel:
    panel = Panel("vanhatalo", f"figure-2-{kernel}-{name}", width=3.8)
    by = rows.assign(value=rows["trial_id"].map(values)).dropna(subset=["value"]).groupby("D")["value"]
    low, high = by.quantile(0.025), by.quantile(0.975)
    x = np.asarray(low.index)
    panel.line(panel.ax, f"k_{kernel}", x, by.median(), LOOK, by.count(), (low, high))
    panel.compare(results, rows.drop(columns="d_max"))
    panel.differs.append("Median and 95 % quantiles across the data sets, 500 training rows each (not stated)")
    if name == "length-scale":
        mode = rows["label"].str.endswith(" mode").all()
        where = (
            "at the posterior mode under the paper's half-t prior"
            if mode
            else "at the maximum of the evidence, no prior"
        )
        panel.differs.append(f"Mean of the two inputs' length-scales {where}")
    finish(panel.ax, f"k_{kernel}", "D", axis, legend=False, scale=False)
    panel.ax.set_ylim(bottom=0)
    return panel
