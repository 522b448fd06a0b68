"""One line style, marker and colour per method in all figures of a folder; the paper's own where it names them."""

from __future__ import annotations

from gpbench.analysis.drawing.style import looks
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.series import told_apart

from .. import figures


def of_methods(results: ResultsTable) -> dict[str, dict]:
    """label -> look; those that a paper's figure gives (its LOOKS) to its own methods are not used for others."""
    own = {k: v for module in figures.modules(results) for k, v in getattr(module, "LOOKS", {}).items()}
    entries = results.config.get("methods") or []
    listed = [m if isinstance(m, str) else m.get("label") or m.get("method") for m in entries]
    others = [x for x in dict.fromkeys([*listed, *told_apart(results.rows)["label"]]) if x not in own]
    colours, marks = {v["color"] for v in own.values()}, {(v["color"], v["marker"]) for v in own.values()}
    free = looks(range(len(others) + 10 * len(own))).values()
    free = sorted((v for v in free if (v["color"], v["marker"]) not in marks), key=lambda v: v["color"] in colours)
    return dict(zip(others, free)) | own
