"""[sundararajan] Figure 4: measure, NMSE and NPDL on friedman2, friedman3."""

from __future__ import annotations

from gpbench.analysis.results_table import ResultsTable

from .measures import figure

DATASETS = ("friedman2", "friedman3")


def panels(results: ResultsTable):
    return figure(results, 4, DATASETS)
