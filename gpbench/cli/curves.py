"""curves.csv, notes.csv and paths.csv.gz of a results folder, written when a run has ended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpbench.analysis.results_table import ResultsTable


def write_curves(out: Path, sources: tuple[str, ...] = ()) -> tuple[ResultsTable, list[str]]:
    """Condense the traces of a folder. Returns its table, and names of damaged files that are in quarantine/ now.

    What `sources` keep of trials that the folder has from them is copied.
    """
    from gpbench.analysis import condense, results_table
    from gpbench.experiment.results import paths_file
    from gpbench.experiment.results.folder import ResultsFolder

    store, results = ResultsFolder(out), results_table.load(out)
    for name in (found := condense.damaged(store.folder)):
        store.quarantine(store.folder / name)
    store.write_condensed(condense.condensed(results))
    paths_file.keep(store.folder)
    for source in sources:
        store.write_condensed(condense.adopted(results, source))
    return results, found
