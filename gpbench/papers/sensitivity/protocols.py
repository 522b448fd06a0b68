"""Our numbers at each admissible protocol: protocol -> rows of results.csv, as cells are judged on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from gpbench.experiment.results import paths_file
from gpbench.methods.families.stopping import READINGS, size_of

from ..claims.evidence import Evidence
from ..printed_numbers import Printed, of_cell
from .items import Item, reading_name


def protocols(item: Item, evidence: Evidence) -> dict[str, pd.DataFrame]:
    """The rows of each protocol that was run, in the order of the item."""
    rows = evidence.open if evidence.open is not None else evidence.rows.iloc[:0]
    if len(rows):
        tried = [any(paper == item.paper for paper, _ in sources) for sources in rows["open"]]
        rows = rows[np.array(tried, dtype=bool)]
    rows = rows.assign(sources=rows.get("open"))
    if item.read == "paths":
        return _read_off(rows)
    if item.read == "labels":
        return _by_label(item, rows)
    if item.read == "sizes":
        return _by_size(item, evidence.rows)
    return {}


def rows_of(cell: Printed, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of one protocol that stand for a printed number; a trial that two folders hold counts once."""
    variant_says = rows if cell.paper != "cao" else rows[rows["variant_of"] == cell.variant.split()[0]]
    if cell.paper == "cao":
        return variant_says.drop_duplicates("trial_id")
    return of_cell(rows, cell).drop_duplicates("trial_id")


def _by_label(item: Item, rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Labels are 'METHOD, protocol'; a method is found by its settings, so that the label may be longer."""
    names = rows["label"].str.partition(", ")[2] if len(rows) else pd.Series(dtype=str)
    found = {}
    for name in item.sets:
        if len(mine := rows[(names == name).to_numpy(dtype=bool)]):
            found[name] = mine.assign(label=mine["label"].str.partition(", ")[0])
    return found


def _by_size(item: Item, rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Labels and sizes of one folder, where every setting was run beforehand."""
    if rows.empty:
        return {}
    mine = rows[np.array([Path(f).name == item.folder for f in rows["folder"]], dtype=bool)]
    parts = []
    for variant, labels in item.labels.items():
        part = mine[mine["label"].isin(list(labels))]
        named = [f"{labels[label]} {m:.0f}" for label, m in zip(part["label"], part["d_max"])]
        parts.append(part.assign(variant_of=variant, protocol=named))
    whole = pd.concat(parts) if parts else mine
    return {name: whole[whole["protocol"] == name] for name in item.sets if (whole["protocol"] == name).any()}


def _read_off(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Size and scores that each reading of the stop rule keeps of the whole paths, in the place of the trial's own."""
    if rows.empty:
        return {}
    paths = {id: path for folder in rows["folder"].unique() for id, path in _paths(Path(folder)).items()}
    rows = rows[rows["trial_id"].isin(list(paths))].drop_duplicates("trial_id")
    found = {}
    for rule in READINGS if len(rows) else ():
        sizes = {id: size_of(rule, paths[id]["measure"].to_numpy()) for id in rows["trial_id"]}
        at = [paths[id].iloc[sizes[id] - 1] for id in rows["trial_id"]]
        read = {name: np.array([row[name] for row in at]) for name in paths_file.SCORES}
        found[reading_name(rule)] = rows.assign(n_basis=[float(sizes[id]) for id in rows["trial_id"]], **read)
    return found


def _paths(folder: Path) -> Mapping[str, pd.DataFrame]:
    rows: Iterable[dict] = paths_file.read(folder)
    if not rows:
        return {}
    table = pd.DataFrame(rows)
    numbers = {c: pd.to_numeric(table[c]) for c in table if c != "trial_id"}
    return dict(list(table.assign(**numbers).groupby("trial_id", sort=False)))
