"""[cao] Figure 7: SNLP against learning and testing time; the axis of time is logarithmic."""

from __future__ import annotations

from gpbench.analysis.results_table import ResultsTable

from .times import figure


def panels(results: ResultsTable):
    return figure(results, 7, "snlp", log=False)
