"""[cao] Figure 7: SNLP against learning and testing time; the axis of time is logarithmic."""

from __future__ import annotations

from gpbench.analysis.results_table import Results

from .times import figure


def panels(results: Results):
    return figure(results, 7, "snlp", log=False)
