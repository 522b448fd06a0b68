"""One line style, marker and colour per method in all figures of a folder; the paper's own where it names them."""

from __future__ import annotations

from . import figures
from .frame import Results, told_apart
from .style import looks


def of_methods(results: Results) -> dict[str, dict]:
    """label -> look, in the order of the config; what LOOKS of a paper's figure says of a label comes first."""
    entries = results.config.get("methods") or []
    listed = [m if isinstance(m, str) else m.get("label") or m.get("method") for m in entries]
    found = looks(dict.fromkeys([*listed, *told_apart(results.rows)["label"]]))
    for module in figures.modules(results):
        for label, look in getattr(module, "LOOKS", {}).items():
            found[label] = found.get(label, {}) | look
    return found
