"""[snelson] Figure 1: mean and two standard deviations of (a) the full GP, (b) SPGP and (c) SPGP trained on the PLV
likelihood; initial pseudo-inputs are red crosses at the top, final ones blue crosses at the bottom."""

from __future__ import annotations

from gpbench.analysis.drawing import fit_plot
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.traces import lists_of

from .panel import Panel
from .trials import drawn, fit, shared_legend

COLOURS = {"mean": "black", "sd": "black", "start_x": "#d00000", "inducing_x": "#0000c8", "marker": "x"}
SHOWN = (("(a) full GP", "full GP"), ("(b) SPGP", "SPGP-left"), ("(c) PLV likelihood", "PLV-left"))


def panels(results: ResultsTable):
    trials = [(title, drawn(results, label)) for title, label in SHOWN]
    if any(row is None for _, row in trials):
        return
    panel = Panel("snelson", "figure-1-snelson1d-prediction", columns=3, width=10.0, height=3.2)
    for ax, (title, row) in zip(panel.axes.flat, trials):
        ax.set_title(title, loc="left")
        fit(panel, ax, results, row["trial_id"], 2, COLOURS)
    shared_legend(panel)
    panel.compare(results, results.ok[results.ok["trial_id"].isin([row["trial_id"] for _, row in trials])])
    panel.differs += [
        "The authors' 200 points, one kept for testing; hyperparameters at the full GP's optimum, not at unknown truth",
        _outside(results, trials),
        f"{trials[1][1]['d_max']:.0f} pseudo-inputs and conjugate gradients, neither of which the paper states",
    ]
    yield panel


def _outside(results: ResultsTable, trials: list) -> str:
    """How many final pseudo-inputs lie outside the axes, panel by panel."""
    counts = {title[:3]: fit_plot.outside(lists_of(results.curves, row["trial_id"])) for title, row in trials}
    told = ", ".join(f"{title} {out} of {all_}" for title, (out, all_) in counts.items() if all_)
    return f"Final pseudo-inputs outside the axes are arrows at the border, with their number: {told}"
