"""[snelson] Figure 2: data drawn from the marginal likelihood of (a) a full GP, (b) SPGP, (c) PLV; blue crosses are the
ten pseudo-inputs."""

from __future__ import annotations

import numpy as np

from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.traces import lists_of

from .panel import Panel

SHOWN = (("(a) full GP", "full GP"), ("(b) SPGP", "SPGP"), ("(c) PLV", "PLV"))


def panels(results: ResultsTable):
    rows = [(title, results.ok[results.ok["label"] == label]) for title, label in SHOWN]
    found = [lists_of(results.curves, part["trial_id"].iloc[0]) if len(part) else {} for _, part in rows]
    if not all("prior_x" in curves for curves in found):
        return
    panel = Panel("snelson", "figure-2-prior-samples", columns=3, width=10.0, height=3.0)
    reach = 1.05 * max(max(np.abs(c["prior_y"]).max(), 2 * c["prior_sd"].max()) for c in found)
    for ax, (title, _), curves in zip(panel.axes.flat, rows, found):
        ax.set_title(title, loc="left")
        x, sd = curves["prior_x"], curves["prior_sd"]
        panel.keep(ax, "sample, with ± 2 standard deviations", x, curves["prior_y"], -2 * sd, 2 * sd)
        ax.plot(x, curves["prior_y"], ".", color="black", markersize=3)
        for line in (-2 * sd, 2 * sd):
            ax.plot(x, line, color="0.6", linewidth=0.8)
        if "prior_z" in curves:
            z = curves["prior_z"]
            panel.keep(ax, "pseudo-inputs", z, np.zeros(len(z)))
            ax.plot(z, np.full(len(z), 0.04), "x", color="#0000c8", markersize=5, transform=ax.get_xaxis_transform())
        ax.set(xlabel="x", ylabel="y", ylim=(-reach, reach))
    panel.differs += [
        "One draw each; hyperparameters of a full GP on the 1D data, pseudo-inputs at ten random rows (not stated)",
        "Drawn to six length-scales beyond the rows, so that there are places away from the pseudo-inputs",
        "Grey lines: ± 2 standard deviations of the sampled targets, which the paper does not draw",
    ]
    yield panel
