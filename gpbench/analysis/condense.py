"""What a run leaves behind for folders without trials/: curves.csv and notes.csv, condensed from the traces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from gpbench.errors import DataError
from gpbench.experiment.results import archive
from gpbench.system.atomic_files import read_json

from .results_table import ResultsTable, kept_curves, kept_notes
from .series import SERIES
from .table import frame_csv
from .traces import count_points, is_path, list_points, round_points, theta_points, trace_points

PATHS, PATHS_OF_TABLES = 20, 5  # greedy paths of one series that curves.csv keeps: for figures, for tables


def condensed(results: ResultsTable) -> dict[str, bytes]:
    """curves.csv and notes.csv as they should be: rows of trials/*.json, and the rows that they hold now.

    The latter may be of trials whose file is gone, or of trials that this run did not plan and another will.
    """
    present = {file.stem for file in (results.path / "trials").glob("*.json")}
    if not present:
        return {}
    curves, notes = curves_of(results), notes_of(results)
    if (old := kept_curves(results.path)) is not None:
        others = ~old.trial_id.isin(present & set(results.ok.trial_id))
        curves = pd.concat([curves, old.loc[others, curves.columns]])
    if (results.path / "notes.csv").is_file() and not set(results.ok.trial_id) <= present:
        old = kept_notes(results.path)
        notes = pd.concat([notes, old]).drop_duplicates(["dataset", "note"]).sort_values(["dataset", "note"])
    return _contents(curves, notes)


def adopted(results: ResultsTable, source: str | Path) -> dict[str, bytes]:
    """curves.csv and notes.csv with what another folder keeps of the trials that this one has from it."""
    source = Path(source)
    ids = archive.common(results.path, source) & set(results.ok.trial_id)
    said = {note for id, notes in archive.notes(source).items() if id in ids for note in notes}
    curves, notes = kept_curves(results.path), kept_notes(results.path)
    if not ids or (new_curves := kept_curves(source)) is None or (new_notes := kept_notes(source)) is None:
        return {}
    if curves is not None:
        ids -= set(curves.trial_id)
    datasets = set(results.ok.dataset[results.ok.trial_id.isin(ids)])
    new_curves = new_curves[new_curves.trial_id.isin(ids)]
    new_notes = new_notes[new_notes.dataset.isin(datasets) & new_notes.note.isin(said)]
    notes = pd.concat([notes, new_notes]).drop_duplicates(["dataset", "note"]).sort_values(["dataset", "note"])
    return _contents(pd.concat([curves, new_curves]), notes)


def _contents(curves: pd.DataFrame, notes: pd.DataFrame) -> dict[str, bytes]:
    tables = {"curves.csv": curves, "notes.csv": notes}
    return {name: frame_csv(table).encode("utf-8", "backslashreplace") for name, table in tables.items()}


def damaged(folder: Path) -> list[str]:
    """Which of curves.csv and notes.csv are not what was written."""
    found = []
    for name, read in (("curves.csv", kept_curves), ("notes.csv", kept_notes)):
        try:
            read(folder)
        except DataError:
            found.append(name)
    return found


def _trials(results: ResultsTable):
    """(row, content of its file) of the finished trials whose file is there."""
    for row in results.ok.to_dict("records"):
        file = results.path / "trials" / f"{row['trial_id']}.json"
        if file.is_file():
            yield row, read_json(file)


def curves_of(results: ResultsTable) -> pd.DataFrame:
    """Every trace but greedy paths: of those a few, at the largest d_max, which holds the smaller ones."""
    out: list[tuple] = []
    seen: dict = {}
    most = PATHS if any("fig" in item.lower() for _, item in results.published) else PATHS_OF_TABLES
    largest = results.ok.groupby(["dataset", "n_train", "label"])["d_max"].max().to_dict()
    shown = _shown(results.ok)
    for row, body in _trials(results):
        body = body.get("result", body)
        trace, theta = body.get("trace") or [], body.get("theta") or {}
        series = tuple(str(row[k]) for k in SERIES)
        seen[series] = seen.get(series, 0) + 1
        top = row["d_max"] == largest.get((row["dataset"], row["n_train"], row["label"]))
        if not is_path(trace) or (seen[series] <= most and top):
            out += [(row["trial_id"], *point) for point in trace_points(trace)]
        out += [(row["trial_id"], *point) for point in count_points(trace)]
        if row["trial_id"] in shown:
            whole = [*list_points(trace), *(round_points(trace) if most == PATHS else [])]
            out += [(row["trial_id"], *point) for point in whole]
        if not is_path(trace) or seen[series] <= most:
            out += [(row["trial_id"], np.nan, key, value) for key, value in theta_points(theta)]
    table = pd.DataFrame(out, columns=["trial_id", "step", "key", "value"])
    return table.astype({"trial_id": str, "step": float, "key": str, "value": float})


def _shown(ok: pd.DataFrame) -> set[str]:
    """Trials whose curves are kept whole: the first of every series, and the one with the best evidence."""
    keys = list(SERIES)
    best = ok.dropna(subset=["log_evidence"]).sort_values("log_evidence", kind="stable", ascending=False)
    return {*ok.drop_duplicates(keys)["trial_id"], *best.drop_duplicates(keys)["trial_id"]}


def notes_of(results: ResultsTable) -> pd.DataFrame:
    pairs = [(r["dataset"], n) for r, body in _trials(results) for n in body.get("result", body).get("notes") or []]
    counts = pd.Series(pairs, dtype=object).value_counts()
    rows = sorted((d, n, int(c)) for (d, n), c in counts.items())
    return pd.DataFrame(rows, columns=["dataset", "note", "trials"])
