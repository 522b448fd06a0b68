"""The tables of a results folder: all results, the printed numbers beside ours, and the papers' own layouts."""

from __future__ import annotations

import pandas as pd

from gpbench.analysis import machines
from gpbench.analysis.numbers import mean_std, seconds
from gpbench.analysis.pareto_front import front_table
from gpbench.analysis.ranking import against_best, groups, marked, metrics_of, said_of_trials
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.series import SERIES
from gpbench.analysis.significance import FEW
from gpbench.analysis.table import Table, TableCell
from gpbench.analysis.traces import last_of
from gpbench.metrics import METRICS
from gpbench.papers import paper_tables
from gpbench.papers.check import compared_items
from gpbench.papers.comparison_tables import beside, verdicts
from gpbench.papers.printed_numbers import COLUMN, of_cell

TIMES = {"learn_seconds": "learn, s", "fit_seconds": "fit, s", "predict_seconds": "predict, s", "cpu_seconds": "CPU, s"}


def tables(results: ResultsTable) -> list[Table]:
    found = [
        *paper_tables.paper_tables(results),
        *beside(results),
        *verdicts(results),
        overall(results),
        front_table(results),
    ]
    return [t for t in found if t.rows]


def notes(results: ResultsTable, frame: pd.DataFrame) -> list[str]:
    """What a reader must know beside every table: trials, data that is not the published one, the test used."""
    trials = sorted(set(frame.groupby(["dataset", "label", "d_max"], dropna=False)["trial"].nunique()))
    counts = f"{trials[0]}" if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    lines = [f"Mean ± standard deviation over {counts} trial{'' if trials == [1] else 's'}."]
    lines += [n + "." for n in results.notes if "simulated" in n or "stand-in" in n or "rounded" in n]
    unknown = [m for m in results.config.get("metrics") or [] if m in frame and m not in METRICS]
    lines += [f"{metric}: a metric of a plug-in that is not loaded; --plugin FILE shows it." for metric in unknown]
    return lines + machines.remark(results, frame) + without_result(results)


def without_result(results: ResultsTable) -> list[str]:
    """Methods that have no row because none of their trials finished."""
    lines = []
    for (dataset, label), part in results.rows.groupby(["dataset", "label"], sort=False):
        if not (part["status"] == "ok").any():
            counts = ", ".join(f"{n} {status}" for status, n in part["status"].value_counts().items())
            lines.append(f"{label} on {dataset}: no result ({counts}; {part['reason'].iloc[0]}).")
    return lines


def test_note(results: ResultsTable) -> str:
    compare = results.config.get("compare") or {}
    test, alpha = compare.get("test", "paired-t"), compare.get("alpha", 0.05)
    holm = ", Holm-corrected" if compare.get("correction") == "holm" else ""
    again = sorted(set(results.ok.loc[results.ok["resplit"], "dataset"])) if test != "corrected-t" else []
    whole = len(again) == results.ok["dataset"].nunique()
    where = "" if whole else f" on {', '.join(again)}"
    because = f"; too optimistic{where}, because trials split the same rows again: corrected-t corrects this"
    overlap = because if again else ""
    few = (
        f" *few: with fewer than {FEW} trials."
        if results.ok.groupby(list(SERIES), dropna=False).size().min() < FEW
        else ""
    )
    return (
        "Bold: the best mean among all methods of the same data set, training rows and d_max. "
        f"*: significantly worse than that one ({test}, {alpha:g}{holm}{overlap}).{few}"
    )


def overall(results: ResultsTable) -> Table:
    """Every series of every data set: metrics, what the config's `also` asks for, number of basis vectors, seconds.

    Learning that trials share is told with each of them, as if it were alone; CPU seconds are of all three parts.
    """
    frame, metrics, also = results.ok, metrics_of(results), results.config.get("also") or []
    curves = results.curves if also else None
    sized, rows, remarks = frame["n_basis"].notna().any(), [], []
    for group in groups(results):
        rows.append((_title(group, frame), None))
        marks = {m: against_best(group.rows, m, results.config.get("compare")) for m in metrics}
        for series, part in group.rows.groupby("series", sort=False):
            cells = [marked(mean_std(part[m]), marks[m].get(series)) for m in metrics]
            cells += [TableCell(mean_std(last_of(curves, key, part))) for key in also]
            cells += [TableCell(mean_std(part["n_basis"], decimals=1))] if sized else []
            rows.append((series, [*cells, *(TableCell(seconds(part[c])) for c in timed(frame))]))
        remarks += remarks_of(group, marks)
    columns = ["method", *(METRICS[m].title for m in metrics), *also, *(["# BV"] if sized else [])]
    columns += [TIMES[c] for c in timed(frame)]
    remarks += [f"{key}: no trace has this key." for key in also if not (curves["key"] == key).any()]
    lines = [*notes(results, frame), test_note(results), *dict.fromkeys(remarks)] if rows else []
    return Table("results", f"{results.name}: all results", columns, rows, notes=lines)


def timed(frame) -> list[str]:
    """The times that are known; the fit's always has its column."""
    return [c for c in TIMES if c == "fit_seconds" or frame[c].notna().any()]


def _title(group, frame) -> str:
    sizes = frame.loc[frame["dataset"] == group.dataset, "n_train"].nunique()
    return group.title + (f", n = {group.n_train:.0f}" if sizes > 1 and pd.notna(group.n_train) else "")


def remarks_of(group, marks) -> list[str]:
    """Shared trials where some are missing, and what limits the tests."""
    lines = []
    for found in marks.values():
        lines += said_of_trials(group.title, found)
        lines += [f"{group.dataset}: {mark.note}." for mark in found.values() if mark.note]
    return lines


# ---- on the terminal -------------------------------------------------------------------------------------------


def console(results: ResultsTable) -> Table:
    """The overall table, narrowed: printed numbers stand in brackets behind ours where a folder has them."""
    printed, frame, scored, rows = _printed_by_trials(results), results.ok, metrics_of(results), []
    metrics, more, spent, short = scored[:3], scored[3:], timed(frame)[:3], []
    for group in groups(results):
        rows.append((_title(group, frame), None))
        marks = {m: against_best(group.rows, m, results.config.get("compare")) for m in metrics}
        for series, part in group.rows.groupby("series", sort=False):
            cells = []
            for m in metrics:
                theirs = printed.get((frozenset(part["trial_id"]), m))
                text = mean_std(part[m], plus_minus=" +- ") + (f" [{theirs:.4g}]" if theirs is not None else "")
                cells.append(marked(text, marks[m].get(series)))
            size = mean_std(part["n_basis"], decimals=0, plus_minus=" +- ")
            rows.append((series, [*cells, TableCell(size), *(TableCell(seconds(part[c])) for c in spent)]))
        short += [
            f"{group.title}: {k.series} has {k.few}." for found in marks.values() for k in found.values() if k.few
        ]
    bracket = "[x]: the printed number. " if printed else ""
    said = [line.replace("±", "+-") for line in notes(results, frame)] if len(frame) else []
    few = any(c.few for _, cells in rows for c in cells or ())
    star = "*: significantly worse." + f" *few: with fewer than {FEW} trials." * few
    lines = [*said[:1], f"{bracket}<: best mean. {star}", *said[1:], *dict.fromkeys(short)]
    if more:
        lines.append(f"{', '.join(METRICS[m].title for m in more)}: in tables/results.md.")
    columns = ["method", *(METRICS[m].title for m in metrics), "# BV", *(TIMES[c] for c in spent)]
    return Table("console", results.name, columns, rows, notes=lines)


def _printed_by_trials(results: ResultsTable) -> dict:
    """(the trials behind it, our column) -> printed value in our unit."""
    found = {}
    for cell, _ in compared_items(results):
        if not cell.descriptive:
            ids = frozenset(of_cell(results.ok, cell)["trial_id"])
            found[ids, COLUMN[cell.metric]] = cell.value / cell.factor
    return found
