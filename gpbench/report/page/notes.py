"""Notes by trial; a note of many trials is written once."""

from __future__ import annotations

import re

import pandas as pd

from gpbench.analysis.results_table import ResultsTable, kept_notes
from gpbench.data.standins import twin_of
from gpbench.experiment.results import archive
from gpbench.system.atomic_files import read_json

NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def by_trial(results: ResultsTable) -> dict[str, list[str]]:
    """Notes of the archived trials, by id; from the files in trials/ if there is no archive."""
    if found := archive.notes(results.path):
        return found
    files = sorted((results.path / "trials").glob("*.json"))
    bodies = ((f.stem, read_json(f)) for f in files)
    notes = ((id, body.get("result", body).get("notes")) for id, body in bodies)
    return {id: [str(n) for n in found] for id, found in notes if found}


def told_once(results: ResultsTable) -> list[str]:
    """One line for each kind of note, whatever numbers it holds, with its data sets and the number of trials."""
    table, kinds = kept_notes(results.path), {}
    table = _counted(results) if table is None else table
    for row in table.to_dict("records"):
        kind = kinds.setdefault(NUMBER.sub("#", str(row["note"])), {"notes": [], "data": [], "trials": 0})
        kind["notes"].append(str(row["note"]))
        kind["data"].append(str(row["dataset"]))
        kind["trials"] += int(row["trials"])
    lines = [_line(kind, len(set(results.rows["dataset"]))) for kind in kinds.values()]
    said = {d for kind in kinds.values() if "simulated" in kind["notes"][0] for d in kind["data"]}
    for dataset in sorted(set(results.rows["dataset"]) - said):
        if twin_of(dataset):
            lines.append(f"{dataset} stands in for {twin_of(dataset)}: not the published rows.")
    return lines


def _line(kind: dict, datasets: int) -> str:
    notes, data = list(dict.fromkeys(kind["notes"])), list(dict.fromkeys(kind["data"]))
    where = f"{', '.join(data)}: " if datasets > 1 or len(data) > 1 else ""
    trials = f"{kind['trials']} trial{'' if kind['trials'] == 1 else 's'}"
    return f"{where}{notes[0]} ({trials}{f'; {len(notes)} such notes, with other numbers' if len(notes) > 1 else ''})"


def _counted(results: ResultsTable) -> pd.DataFrame:
    data = dict(zip(results.rows["trial_id"], results.rows["dataset"]))
    pairs = [(data[i], n, 1) for i, notes in by_trial(results).items() if i in data for n in notes]
    table = pd.DataFrame(pairs, columns=["dataset", "note", "trials"])
    return table.groupby(["dataset", "note"], as_index=False)["trials"].sum()
