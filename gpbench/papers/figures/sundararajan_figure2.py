"""[sundararajan] Figure 2: measure, NMSE and NPDL on boston, abalone, bank8fm."""

from __future__ import annotations

from gpbench.analysis.results_table import ResultsTable

from .measures import figure

DATASETS = ("boston", "abalone", "bank8fm")


def panels(results: ResultsTable):
    return figure(results, 2, DATASETS)
