"""[cao] Figure 6: SMSE against learning and testing time; both axes are logarithmic."""

from __future__ import annotations

from gpbench.analysis.results_table import ResultsTable

from .times import figure


def panels(results: ResultsTable):
    return figure(results, 6, "smse", log=True)
