"""[cao] Figure 4: Snelson's 1D data from a poor start. Mean red, one standard deviation green, the initial inducing
points black at the top, the learned ones cyan at the bottom, and for CholQR also on the data."""

from __future__ import annotations

from gpbench.analysis.results_table import ResultsTable

from .panel import Panel
from .trials import drawn, fit, shared_legend

COLOURS = {"mean": "#d00000", "sd": "#008000", "start_x": "black", "inducing_x": "#00a0c0", "marker": "."}
ALL = (("(a) CholQR-MLE", "CholQR-MLE"), ("(d) CholQR-VAR", "CholQR-VAR"))
TENTH = (
    ("(b) CholQR-MLE", "CholQR-MLE"),
    ("(c) FITC", "FITC-poor"),
    ("(e) CholQR-VAR", "CholQR-VAR"),
    ("(f) FITC, uniform start", "FITC-uniform"),
)


def panels(results: ResultsTable):
    for name, shown, rows, columns in (
        ("figure-4-snelson1d-prediction", ALL, 2, 1),
        ("figure-4-snelson1d-every10-prediction", TENTH, 2, 2),
    ):
        trials = [(title, drawn(results, label)) for title, label in shown]
        if all(row is not None for _, row in trials) and (results.ok["n_train"].max() > 100) == (shown is ALL):
            yield _panel(results, name, trials, rows, columns)


def _panel(results: ResultsTable, name: str, trials: list, rows: int, columns: int) -> Panel:
    panel = Panel("cao", name, rows, columns, width=4.4 * columns + 0.6, height=5.2)
    for ax, (title, row) in zip(panel.axes.flat, trials):
        told = f": −log likelihood {-row['log_evidence']:.2f}" if "FITC" in title else ""
        ax.set_title(title + told, loc="left")
        fit(panel, ax, results, row["trial_id"], 1, COLOURS, overlaid="CholQR" in title)
    shared_legend(panel)
    panel.compare(results, results.ok[results.ok["trial_id"].isin([row["trial_id"] for _, row in trials])])
    panel.differs.append(f"{trials[0][1]['d_max']:.0f} inducing points, a number that the paper does not state")
    if columns == 2:
        panel.differs.append("The paper prints 14.54 for (c) and 11.34 for (f)")
    else:
        panel.differs.append("Which letter is which objective is not stated")
    return panel
