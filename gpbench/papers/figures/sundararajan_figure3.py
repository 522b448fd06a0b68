"""[sundararajan] Figure 3: measure, NMSE and NPDL on cpusmall, cpuact, bank32nh."""

from __future__ import annotations

from gpbench.analysis.results_table import ResultsTable

from .measures import figure

DATASETS = ("cpusmall", "cpuact", "bank32nh")


def panels(results: ResultsTable):
    return figure(results, 3, DATASETS)
