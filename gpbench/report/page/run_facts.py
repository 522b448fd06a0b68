"""What stands around the numbers: facts of the run, failures, environments, how to repeat it."""

from __future__ import annotations

import html
import json
import shlex

import yaml

from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.table import Table, TableCell
from gpbench.data.standins import twin_of
from gpbench.papers import printed_numbers
from gpbench.text import duration

from .html_table import sheet
from .notes import told_once
from .trial_data import TrialBook


def facts(book: TrialBook) -> str:
    """Trials done of planned, failed, stand-ins, time: one line of small cards."""
    results = book.results
    failed, skipped = len(results.failures), results.done - len(results.ok)
    stand_ins = [d for d in dict.fromkeys(results.rows["dataset"]) if twin_of(d)]
    total = book.rows.loc[book.rows["status"] == "ok", "total_seconds"].sum()
    cards = {
        "trials done": f"{results.done} of {results.planned}" + (f" ({skipped} skipped)" if skipped else ""),
        "failed": f"{failed}",
        "stand-ins": ", ".join(f"{d} for {twin_of(d)}" for d in stand_ins) or "none",
        "time of all trials": duration(total),
        "stands for": stands_for(results) or "no paper",
    }
    return "<dl class=\"facts\">" + "".join(
        f"<div{' class=bad' if k == 'failed' and failed else ''}><dt>{k}</dt><dd><bdi>{html.escape(v)}</bdi></dd></div>"
        for k, v in cards.items()
    ) + "</dl>"  # fmt: skip


def stands_for(results: ResultsTable) -> str:
    items: dict[str, list[str]] = {}
    for paper, item in results.published:
        items.setdefault(printed_numbers.TITLES.get(paper, paper), []).append(item)
    return "; ".join(f"{paper}: {', '.join(found)}" for paper, found in items.items())


def remarks(results: ResultsTable) -> str:
    return "".join(f'<p class="note"><bdi>{html.escape(line)}</bdi></p>' for line in told_once(results))


def failures(book: TrialBook) -> str:
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
    if not rows:
        return ""
    table = Table("failed-trials", "Trials without a result", ["method", "data set", "trial", "status", "reason"], rows)
    return sheet(table, book)


def environments(results: ResultsTable) -> str:
    """What all environments share once, then what is special to each; folded."""
    found = [{k: v for k, v in e.items() if k != "checksum"} for e in results.environments]
    if not found:
        return ""
    shared = {k: v for k, v in found[0].items() if all(e.get(k) == v for e in found)}
    special = [{k: v for k, v in e.items() if k not in shared} for e in found]
    parts = [f"<pre>{_json(shared)}</pre>"]
    for i, own in enumerate(dict.fromkeys(_json(s) for s in special if s), 1):
        parts.append(f"<h4>Only environment {i}</h4><pre>{own}</pre>")
    count = f"{len(found)} environment{'' if len(found) == 1 else 's'}"
    return f"<details><summary>{count}: versions, processor, BLAS</summary>{''.join(parts)}</details>"


def _json(content: dict) -> str:
    return html.escape(json.dumps(content, indent=1, ensure_ascii=False))


def again(results: ResultsTable) -> str:
    config = html.escape(yaml.safe_dump(results.config, sort_keys=False, allow_unicode=True))
    folder = shlex.quote(results.path.as_posix())
    lines = f"gpbench run {shlex.quote((results.path / 'config.resolved.yaml').as_posix())} -o {folder}"
    if results.published:
        lines += f"\ngpbench check {folder}"
    return (
        f"<pre>{html.escape(lines)}</pre><details><summary>config.resolved.yaml</summary><pre>{config}</pre></details>"
    )
