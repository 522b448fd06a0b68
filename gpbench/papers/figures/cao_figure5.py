"""[cao] Figure 5: SMSE and SNLP on KIN40K against the number of inducing points."""

from __future__ import annotations

from gpbench.analysis.drawing.axes import data_title
from gpbench.analysis.results_table import ResultsTable

from .against import against_size
from .panel import Panel


def panels(results: ResultsTable):
    rows = results.ok[results.ok["dataset"].isin(["kin40k", "kin40k-sim"])]
    for metric in ("smse", "snlp") if len(rows) else ():
        panel = Panel("cao", f"figure-5-kin40k-{metric}")
        title = data_title(results, rows["dataset"].iloc[0])
        against_size(panel, results, rows, metric, title, "number of inducing points, m")
        yield panel
