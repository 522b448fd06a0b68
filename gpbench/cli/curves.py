"""curves.csv and notes.csv of a results folder, written when a run has ended."""

from __future__ import annotations

from pathlib import Path


def write_curves(out: Path, sources: tuple[str, ...] = ()) -> list[str]:
    """Condense the traces of a folder; names of files that were damaged and are in quarantine/ now.

    What `sources` keep of trials that the folder has from them is copied.
    """
    from gpbench.analysis import condense
    from gpbench.experiment.results.folder import ResultsFolder

    store = ResultsFolder(out)
    for name in (found := condense.damaged(store.folder)):
        store.quarantine(store.folder / name)
    store.write_condensed(condense.condensed(store.folder))
    for source in sources:
        store.write_condensed(condense.adopted(store.folder, source))
    return found
