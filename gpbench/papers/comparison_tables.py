"""Tables of printed numbers beside ours: in the shape of the printed item, and one line per number with its verdict."""

from __future__ import annotations

from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.table import Table, TableCell

from .check import compared_items
from .verdicts.cells import MISPRINT
from .verdicts.method_order import orders

PRINTED_AS = {"n_basis": "# BV"}
RULE = (
    "replicated: within the margin and the noise of both, sharply or on as many runs; close: a real difference within "
    "the margin; inconclusive: too few runs, or too noisy a print; better, worse, different: beyond margin and noise "
    "(docs/explanations/check.md)."
)


def _by_item(results: ResultsTable) -> dict[str, list]:
    """Pairs (printed, verdict) of each printed item; descriptions of data are left to `check`."""
    found: dict[str, list] = {}
    for cell, v in compared_items(results):
        if not cell.descriptive:
            found.setdefault(f"{cell.paper}: {cell.item}", []).append((cell, v))
    return found


def _name(kind: str, item: str) -> str:
    return f"{kind}-" + "".join(c if c.isalnum() else "-" for c in item.lower()).replace("--", "-")


def beside(results: ResultsTable) -> list[Table]:
    """The printed numbers beside ours, one table per printed item."""
    return [_beside(results, item, pairs) for item, pairs in _by_item(results).items()]


def _beside(results: ResultsTable, item: str, pairs: list) -> Table:
    metrics = list(dict.fromkeys(_column(cell) for cell, _ in pairs))
    sections: dict[str, dict[str, dict]] = {}
    for cell, v in pairs:
        where = ", ".join(filter(None, (cell.dataset, cell.variant, _size(cell, pairs))))
        sections.setdefault(where, {}).setdefault(cell.method, {})[_column(cell)] = _pair(cell, v)
    rows = []
    for where, methods in sections.items():
        rows.append((where, None))
        for method, found in methods.items():
            rows.append((method, [c for m in metrics for c in found.get(m, (TableCell(), TableCell()))]))
    trials = sorted({v.n for _, v in pairs})
    counts = f"{trials[0]}" if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    lines = [f"Ours over {counts} runs, in the printed units.", RULE]
    lines += ["?: suspected misprint, not held against us."] if any(cell.misprint for cell, _ in pairs) else []
    columns = ["", *(["ours", "printed"] * len(metrics))]
    groups_ = [(m, 2) for m in metrics]
    return Table(_name("published", item), f"{results.name}: ours beside {item}", columns, rows, groups_, lines)


def verdicts(results: ResultsTable) -> list[Table]:
    """One line per printed number: ours, printed, d, SE, margin, R0, R1 and the verdict; the order of methods below."""
    return [_verdicts(results, item, pairs) for item, pairs in _by_item(results).items()]


def _verdicts(results: ResultsTable, item: str, pairs: list) -> Table:
    rows, section = [], None
    for cell, v in pairs:
        where = ", ".join(filter(None, (cell.dataset, cell.variant, _size(cell, pairs))))
        if where != section:
            section = where
            rows.append((where, None))
        ours, printed = _pair(cell, v)
        numbers = (
            f"{v.d:+.3g}",
            "?" if v.se is None else f"{v.se:.3g}",
            f"{v.margin:.3g}",
            str(v.r0 or "?"),
            str(v.r1),
        )
        notes = "; ".join(filter(None, (v.label if v.label != MISPRINT else "", v.note)))
        cells = [TableCell(ours.text), printed, *map(TableCell, numbers), TableCell(v.verdict), TableCell(notes)]
        rows.append((f"{cell.method} {_column(cell)}", cells))
    lines = [f"d = ours - printed; R0, R1: runs of the paper and of ours. {RULE}"]
    lines += [f"{o.line().capitalize()}." for o in orders(v for _, v in pairs)]
    columns = ["", "ours", "printed", "d", "SE", "margin", "R0", "R1", "verdict", "remark"]
    return Table(_name("verdicts", item), f"{results.name}: verdicts on {item}", columns, rows, notes=lines)


def _column(cell) -> str:
    return PRINTED_AS.get(cell.metric, cell.metric) + (
        " x 1e-2" if cell.unit == "x1e-2" and cell.metric == "NMSE" else ""
    )


def _size(cell, pairs) -> str:
    """n where one data set is printed at several sizes."""
    sizes = {c.n_train for c, _ in pairs if c.dataset == cell.dataset and c.metric == cell.metric}
    return f"n = {cell.n_train:.0f}" if len(sizes) > 1 else ""


def _pair(cell, v) -> tuple[TableCell, TableCell]:
    decimals = len(cell.text.partition(".")[2])
    ours = f"{v.ours:.{decimals}f}" + (f" ± {v.ours_std:.{decimals}f}" if v.ours_std else "")
    printed = cell.text + (f" ± {cell.std_text}" if cell.std_text else "") + ("?" if cell.misprint else "")
    return TableCell(ours, verdict=v.verdict), TableCell(printed)
