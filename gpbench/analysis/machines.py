"""Kinds of machines behind a table: numbers may be compared across them, times may not."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from gpbench.system.atomic_files import read_json

from .results_table import ResultsTable


def remark(results: ResultsTable, frame: pd.DataFrame) -> list[str]:
    """A note about the times of a table whose trials ran on machines of several kinds."""
    kinds = {f.stem: _kind(read_json(f)) for f in (results.path / "env").glob("*.json")}
    if len(set(kinds.values())) < 2:
        return []
    files = [results.path / "trials" / f"{id}.json" for id in frame["trial_id"]]
    bodies = [read_json(f) for f in files if f.is_file()]
    counts = Counter(kinds[r["result"]["env"]] for r in bodies if r["result"]["env"] in kinds)
    if len(counts) < 2:
        return []
    shares = "; ".join(f"{kind}: {n}" for kind, n in counts.most_common())
    return [f"Times are of {len(counts)} kinds of machines and do not compare ({shares} trials)."]


def _kind(env: dict) -> str:
    """What makes machines differ in speed and in last bits."""
    blas: dict = next((b for b in env.get("blas") or [] if b.get("user_api") == "blas"), {})
    threads = (env.get("threads") or {}).get("OMP_NUM_THREADS")
    parts = [
        env.get("cpu") or env.get("machine"),
        blas.get("architecture"),
        f"{threads} threads" if threads != "1" else "",
    ]
    return ", ".join(str(p) for p in parts if p)
