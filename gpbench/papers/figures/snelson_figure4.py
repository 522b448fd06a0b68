"""[snelson] Figure 4: input-dependent noise, the standard GP on the left, SPGP on the right; mean and two standard
deviations, crosses at the final pseudo-inputs. Of five starts the one with the highest likelihood."""

from __future__ import annotations

from gpbench.analysis.drawing.axes import plain_number
from gpbench.analysis.results_table import ResultsTable

from .panel import Panel
from .trials import beyond, drawn, fit

COLOURS = {"mean": "black", "sd": "black", "start_x": "none", "inducing_x": "black", "marker": "x"}


def panels(results: ResultsTable):
    trials = [("standard GP", drawn(results, "full GP")), ("SPGP", drawn(results, "SPGP", best=True))]
    if any(row is None for _, row in trials):
        return
    panel = Panel("snelson", "figure-4-snelson-noise-prediction", columns=2, width=8.0, height=3.4)
    for ax, (title, row) in zip(panel.axes.flat, trials):
        ax.set_title(f"{title}: log likelihood {plain_number(round(row['log_evidence'], 1))}", loc="left")
        fit(panel, ax, results, row["trial_id"], 2, COLOURS)
    rows = results.ok[results.ok["label"].isin(["full GP", "SPGP"])]
    panel.compare(results, rows)
    spgp = rows[rows["label"] == "SPGP"]
    logs = [plain_number(round(v, 1)) for v in spgp["log_evidence"]]
    outside, m = beyond(results, trials[1][1]["trial_id"]), trials[1][1]["d_max"]
    panel.differs += [
        f"The log likelihoods of the {len(spgp)} starts: {', '.join(logs)}",
        f"{outside} of the {m:.0f} pseudo-inputs lie outside the data; the paper has almost all of them there",
    ]
    yield panel
