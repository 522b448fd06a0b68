"""Tables laid out as the papers print them: same rows, columns, units and marks, filled with our numbers."""

from __future__ import annotations

import pandas as pd

from gpbench.analysis.numbers import mean_std
from gpbench.analysis.ranking import against_best, marked, said_of_trials
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.row_settings import parse_items
from gpbench.analysis.table import Table, TableCell

from . import printed_numbers
from .printed_numbers import ALGORITHMS, Printed

COLUMNS = ("NMSE x 1e-2", "NPDL", "# BV")  # of [sundararajan]
PRINTED = ("NMSE", "NPDL", "n_basis")
DECIMALS = {"NMSE": 2, "NPDL": 2, "n_basis": 1, "NLPD": 2, "err": 2, "nlpd": 2}
NO_CACHE, CACHE = "fixed hyperparameters, no cache", "fixed hyperparameters, with cache"
OPTIMISED = "optimised hyperparameters"
HALVES = {"Table 4": [("Boston housing", "bank8FM"), ("Abalone", "cpusmall")], "Table 5": [("Friedman2", "Friedman3")]}


def paper_tables(results: ResultsTable) -> list[Table]:
    """One table per printed table that the config names and that has numbers of ours."""
    found = []
    for paper, text in results.published:
        for item in parse_items(text):
            cells = (
                [c for c in printed_numbers.cells(paper) if c.item == item and c.method]
                if paper in printed_numbers.PAPERS
                else []
            )
            if table := _layout(results, paper, item, cells):
                found.append(table)
    return found


def _layout(results: ResultsTable, paper: str, item: str, cells: list[Printed]) -> Table | None:
    book = _Book(results, cells)
    if paper == "sundararajan" and item in ("Table 2", "Table 3"):
        return _caches(book, item)
    if paper == "sundararajan" and item in HALVES:
        return _halves(book, item)
    if paper == "keerthi" and item == "Table 1":
        return _wide(book, paper, item, ("FIXED-SB", "ADAPT-INFO", "ADAPT-DMAX"), ("NMSE", "NLPD"), sizes=True)
    if paper == "vanhatalo" and item == "Table 2":
        return _wide(book, paper, item, ("k_se", "k_pp3", "FIC"), ("err", "nlpd"))
    return None


class _Book:
    """Our rows behind each printed cell, and marks among the algorithms of one column."""

    def __init__(self, results: ResultsTable, cells: list[Printed]):
        self.results, self.cells = results, cells
        rows = {c.id: printed_numbers.of_cell(results.ok, c) for c in cells}
        self.rows = {(c.dataset, c.variant, c.method, c.metric): rows[c.id] for c in cells}
        self.printed = {(c.dataset, c.variant, c.method, c.metric): c for c in cells}
        self.notes: list[str] = []

    def datasets(self, variants) -> list[str]:
        """In the printed order, those with any row of ours."""
        found = [d for (d, v, _, _), rows in self.rows.items() if v in variants and len(rows)]
        return list(dict.fromkeys(found))

    def column(self, dataset: str, variant: dict[str, str], metric: str) -> dict[str, TableCell]:
        """method -> cell; `variant` gives each method's printed variant."""
        parts = {m: self.rows.get((dataset, v, m, metric)) for m, v in variant.items()}
        parts = {m: p for m, p in parts.items() if p is not None and len(p)}
        if not parts:
            return {}
        name = printed_numbers.COLUMN[metric]
        marks = {}
        if metric != "n_basis":
            together = pd.concat([p.assign(printed=m) for m, p in parts.items()])
            marks = against_best(together, name, self.results.config.get("compare"), by="printed")
            self.notes += said_of_trials(dataset, marks)
            self.notes += [f"{dataset}: {k.note}." for k in marks.values() if k.note]
        cells = {}
        for m, p in parts.items():
            factor = self.printed[(dataset, variant[m], m, metric)].factor
            text = mean_std(p[name], factor, DECIMALS[metric])
            cells[m] = marked(text, marks.get(m), trials=tuple(p["trial_id"]), quantity=name)
        return cells

    def caption(self) -> list[str]:
        compare = self.results.config.get("compare") or {}
        runs = sorted({p["trial"].nunique() for p in self.rows.values() if len(p)})
        counts = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        lines = [f"Mean and standard deviation over {counts} trial{'' if runs == [1] else 's'}."]
        test = f"{compare.get('test', 'paired-t')}, {compare.get('alpha', 0.05):g}"
        lines.append(f"Bold, *: best, significantly worse, among the printed methods of this column only ({test}).")
        if any(key[0] == "Abalone" and len(rows) for key, rows in self.rows.items()):
            lines.append("The NPDL of Abalone is on the standardised target and has the factor 1e-2, too.")
        lines += dict.fromkeys(self.notes)
        return lines + [f"{n}." for n in self.results.notes if "rounded" in n or "simulated" in n]


def _caches(book: _Book, item: str) -> Table | None:
    """Tables 2-3: without cache on the left, with cache on the right; a half that was not run is left out."""
    sides = [(title, v) for title, v in (("Without cache", NO_CACHE), ("With cache", CACHE)) if book.datasets([v])]
    rows = []
    for dataset in book.datasets([NO_CACHE, CACHE]):
        rows.append((dataset, None))
        columns = [book.column(dataset, dict.fromkeys(ALGORITHMS, v), m) for _, v in sides for m in PRINTED]
        rows += [(a, [c.get(a, TableCell()) for c in columns]) for a in ALGORITHMS if any(a in c for c in columns)]
    if not rows:
        return None
    heads = ["ALGORITHM", *(COLUMNS * len(sides))]
    title = f"As {item} of Sundararajan et al.: fixed hyperparameters"
    return Table(_name(item), title, heads, rows, [(t, 3) for t, _ in sides], book.caption())


def _halves(book: _Book, item: str) -> Table | None:
    """Tables 4-5: two data sets side by side."""
    have, rows = book.datasets([OPTIMISED]), []
    pairs = [[d for d in pair if d in have] for pair in HALVES[item]]
    width = max((len(p) for p in pairs), default=0)
    for pair in filter(None, pairs):
        rows.append((" | ".join(pair), None))
        columns = [book.column(d, dict.fromkeys(ALGORITHMS, OPTIMISED), m) for d in pair for m in PRINTED]
        columns += [{}] * (3 * width - len(columns))
        rows += [(a, [c.get(a, TableCell()) for c in columns]) for a in ALGORITHMS if any(a in c for c in columns)]
    if not rows:
        return None
    groups = [("left", 3), ("right", 3)] if width == 2 else []
    title = f"As {item} of Sundararajan et al.: with hyperparameter optimisation"
    return Table(_name(item), title, ["ALGORITHM", *(COLUMNS * width)], rows, groups, book.caption())


def _wide(book: _Book, paper: str, item: str, methods, metrics, sizes: bool = False) -> Table | None:
    """Data sets down, methods across, once for each metric."""
    variant = {m: next((c.variant for c in book.cells if c.method == m), "") for m in methods}
    rows = []
    for dataset in book.datasets(list(variant.values())):
        columns = {metric: book.column(dataset, variant, metric) for metric in metrics}
        cells = [columns[metric].get(m, TableCell()) for metric in metrics for m in methods]
        one = next(r for (d, *_), r in book.rows.items() if d == dataset and len(r)).iloc[0]
        extra = [TableCell(f"{one[c]:.0f}") for c in ("n_train", "n_test")] if sizes else []
        rows.append((dataset, [*extra, *cells]))
    if not rows:
        return None
    head = [*(["n train", "n test"] if sizes else []), *(list(methods) * len(metrics))]
    groups = [("", 2)] if sizes else []
    groups += [(f"{m} x 1e-2" if m == "NMSE" else m, len(methods)) for m in metrics]
    notes = book.caption()
    if paper == "keerthi":
        notes.append("NLPD: variance of the latent function where a method reports it, else of the noisy target.")
    return Table(_name(item), f"As {item} of {printed_numbers.TITLES[paper]}", ["DATASET", *head], rows, groups, notes)


def _name(item: str) -> str:
    return item.lower().replace(" ", "-")
