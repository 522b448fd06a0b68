"""What stands around the numbers: facts of the run, failures, environments, how to repeat it."""

from __future__ import annotations

import json
import shlex

import yaml

from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.table import Table, TableCell
from gpbench.data.standins import twin_of
from gpbench.papers import printed_numbers
from gpbench.text import duration

from .trial_data import TrialBook


def facts(book: TrialBook) -> dict[str, str]:
    """Trials done of planned, failed, stand-ins, time: one line of small cards."""
    results = book.results
    failed, skipped = len(results.failures), results.done - len(results.ok)
    stand_ins = [d for d in dict.fromkeys(results.rows["dataset"]) if twin_of(d)]
    total = book.rows.loc[book.rows["status"] == "ok", "total_seconds"].sum()
    return {
        "trials done": f"{results.done} of {results.planned}" + (f" ({skipped} skipped)" if skipped else ""),
        "failed": f"{failed}",
        "stand-ins": ", ".join(f"{d} for {twin_of(d)}" for d in stand_ins) or "none",
        "time of all trials": duration(total),
        "stands for": stands_for(results) or "no paper",
    }


def stands_for(results: ResultsTable) -> str:
    items: dict[str, list[str]] = {}
    for paper, item in results.published:
        items.setdefault(printed_numbers.TITLES.get(paper, paper), []).append(item)
    return "; ".join(f"{paper}: {', '.join(found)}" for paper, found in items.items())


def failures(book: TrialBook) -> Table:
    rows = [
        (
            r["label"],
            [
                TableCell(r["dataset"]),
                TableCell(f"{r['trial']:.0f}", trials=(r["trial_id"],)),
                TableCell(r["status"]),
                TableCell(r["reason"]),
            ],
        )
        for r in book.results.failures.to_dict("records")
    ]
    columns = ["method", "data set", "trial", "status", "reason"]
    return Table("failed-trials", "Trials without a result", columns, rows, below=("reason",))


def environments(results: ResultsTable) -> list[tuple[str, str]]:
    """(title, JSON): what all environments share once, then what is special to each."""
    found = [{k: v for k, v in e.items() if k != "checksum"} for e in results.environments]
    if not found:
        return []
    shared = {k: v for k, v in found[0].items() if all(e.get(k) == v for e in found)}
    special = [{k: v for k, v in e.items() if k not in shared} for e in found]
    own = dict.fromkeys(_json(s) for s in special if s)
    return [("", _json(shared)), *((f"Only environment {i}", text) for i, text in enumerate(own, 1))]


def _json(content: dict) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False)


def again(results: ResultsTable) -> tuple[str, str]:
    """The commands that repeat the run, and its config."""
    folder = shlex.quote(results.path.as_posix())
    lines = f"gpbench run {shlex.quote((results.path / 'config.resolved.yaml').as_posix())} -o {folder}"
    if results.published:
        lines += f"\ngpbench check {folder}"
    return lines, yaml.safe_dump(results.config, sort_keys=False, allow_unicode=True)
