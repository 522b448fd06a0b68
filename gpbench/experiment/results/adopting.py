"""Copy finished trials from other results folders for trials of a plan with equal ids (`run --from`).

An id covers everything that determines a number, so the number is the same wherever it was computed. Lines of an
archive and files are copied byte for byte, with the descriptions of the machines (env/) that they name.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from gpbench.errors import ConfigError
from gpbench.experiment.plan.trial import Trial

from . import archive
from .checked_files import Damaged, read_checked
from .folder import ResultsFolder
from .inventory import Inventory
from .trial_result import TrialResult

Offers = dict[Path, list[TrialResult]]  # by folder


def offers(
    trials: list[Trial], own: Path, known: Inventory, folders: Iterable[str | Path], predictions: bool = False
) -> Offers:
    """Results in the folders of trials that the folder `own` lacks, each trial once. Writes nothing."""
    found: Offers = {}
    wanted = (t for t in trials if t.id not in known.pathless)  # no path goes along with a finished trial
    lacking = [t for t in wanted if not known.finished(t.id, predictions)]
    for folder in map(Path, folders):
        if folder.resolve() == own.resolve():
            raise ConfigError(f"--from {folder}: it is the folder of the results itself; name another one")
        taken = {r.trial.id for results in found.values() for r in results}
        found[folder] = _of(ResultsFolder(folder), [t for t in lacking if t.id not in taken], predictions)
    return found


def _of(source: ResultsFolder, trials: list[Trial], predictions: bool) -> list[TrialResult]:
    """Undamaged results whose description of the machine is undamaged, too."""
    environments = {file.stem for file in (source.folder / "env").glob("*.json") if _whole(file)}
    known = source.inventory(trials, predictions=predictions)
    ok = {id: r for id, r in known.results.items() if r.status == "ok" and r.env in environments}
    return [r for id, r in ok.items() if known.finished(id, predictions)]


def _whole(file: Path) -> bool:
    with contextlib.suppress(Damaged, FileNotFoundError):
        return bool(read_checked(file))
    return False


def take(store: ResultsFolder, offered: Offers) -> None:
    """Write the offers to the results folder; the caller holds its lock."""
    for folder, results in offered.items():
        source = ResultsFolder(folder)
        for env in sorted({r.env for r in results}):
            store.adopt(f"env/{env}.json", (folder / "env" / f"{env}.json").read_bytes())
        lines = {r.trial.id for r in results if not source.trial_path(r.trial.id).exists()}
        archive.adopt(store.folder, folder, lines)
        for id in (r.trial.id for r in results):
            for suffix in (".npz", ".json"):  # arrays first, as in `ResultsFolder.save`
                if (file := source.trial_path(id, suffix)).exists():
                    store.adopt(f"trials/{file.name}", file.read_bytes())
            store.failure_path(id).unlink(missing_ok=True)
