"""[cao] Figure 2: SMSE and SNLP against the number of inducing points, molecules on top, HoG below."""

from __future__ import annotations

from gpbench.analysis.drawing.axes import data_title
from gpbench.analysis.results_table import ResultsTable

from .against import against_size
from .panel import Panel

# the paper's set -> data that may stand for it
NAMES = {
    "bindingdb": ("bindingdb", "thrombin"),
    "hog": ("hog", "hog-sim"),
}
LOOKS = {  # the same in Figures 2 and 3, whatever else a folder holds
    "CholQR-z16": {"color": "#000000", "marker": "o", "linestyle": "-"},
    "Random": {"color": "#7f7f7f", "marker": "x", "linestyle": "--"},
    "Titsias-16": {"color": "#0072b2", "marker": "s", "linestyle": "-."},
    "Titsias-512": {"color": "#007a5a", "marker": "D", "linestyle": ":"},
    "IVM": {"color": "#b23b00", "marker": "^", "linestyle": (0, (5, 1))},
}


def panels(results: ResultsTable):
    for name, sets in NAMES.items():
        rows = results.ok[results.ok["dataset"].isin(sets)]
        if rows["d_max"].nunique() < 2:
            continue
        for metric in ("smse", "snlp"):
            panel = Panel("cao", f"figure-2-{name}-{metric}")
            title = data_title(results, rows["dataset"].iloc[0])
            against_size(panel, results, rows, metric, title, "number of inducing points, m")
            yield panel
