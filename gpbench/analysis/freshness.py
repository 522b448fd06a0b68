"""Which rows of a folder are stale: results of an earlier version of the code whose successor does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from gpbench.errors import GpbenchError
from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.plan import every_trial


def stale_ids(path: Path, ids: Iterable[str]) -> set[str]:
    """The stale ones of the ids; none if the folder's config cannot be planned (a plug-in is not loaded)."""
    file, ids = path / "config.resolved.yaml", set(ids)
    if not file.is_file():
        return set()
    successors = _successors(file, file.stat().st_mtime_ns)
    return {id for id in ids & successors.keys() if successors[id] not in ids}


@lru_cache(maxsize=64)
def _successors(file: Path, _changed: int) -> dict[str, str]:
    """Ids at every lower version, with the id of the trial that the present code plans in their place."""
    try:
        planned = every_trial(load_config(file))
    except GpbenchError:
        return {}
    return {earlier.id: trial.id for trial in planned if trial.versions for earlier in trial.earlier()}
