"""Running what is missing of a plan: each job in its own process, every result on disk the moment it exists."""

from __future__ import annotations

import contextlib
import logging
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from socket import gethostname
from typing import Any

from gpbench import __version__, catalog
from gpbench.adapters import environment
from gpbench.adapters.client import FILES
from gpbench.errors import ConfigError, GpbenchError, StorageError
from gpbench.experiment.plan.trial import Trial, digest
from gpbench.experiment.results import adopting, archive
from gpbench.experiment.results.checked_files import Damaged
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.lock import Lock, alive, holder
from gpbench.experiment.results.summary import Summary, summarise
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.text import counted

from .local.forked_call import complaint_of
from .pending import pending_trials
from .progress import Silent, describe
from .session import Options, Session

log = logging.getLogger(__name__)

__all__ = ["Options", "Summary", "run", "status"]


def run(
    name: str,
    resolved: str | None,
    trials: list[Trial],
    folder: str | Path,
    options: Options | None = None,
    planned: list[Trial] | None = None,
    progress: Silent | None = None,
    at_end: Callable[[], None] = lambda: None,
) -> Summary:
    """Run what is missing of `trials` and keep everything in `folder`; the same call continues where it stopped.

    `planned` are all trials of the config when `trials` is a selection of them; `resolved` is the text of
    config.resolved.yaml, None where the old one stays; `at_end` is called while the folder is still locked, unless a
    signal ended the run. Raises DataError, ConfigError, FolderInUse or StorageError; what trials do is in the summary.
    """
    begin = time.monotonic()  # reading the data counts, too, where the whole run is limited
    options, progress, store = options or Options(), progress or Silent(), ResultsFolder(folder)
    planned = _union(planned or trials, trials)
    known = store.inventory(trials, predictions=options.save_predictions, whole_paths=options.whole_paths)
    offered = adopting.offers(trials, store.folder, known, options.sources, options.save_predictions)
    taken = {r.trial.id for results in offered.values() for r in results}
    left = [t for t in trials if t.id not in taken]
    missing = pending_trials(left, known, options.rerun, options.save_predictions, options.metrics)
    check_data(missing)
    if missing:
        check_scheduler(options, progress)
        install_libraries(missing, options, progress)
    store.create()
    lock = Lock(store.folder)
    session = Session(store, options, planned, lock, progress, begin)
    with _signals(session), lock:
        store.check_owner(name)
        store.prepare()
        if (maker := store.made_by()) not in (None, __version__):
            progress.say(f"{store.folder} was made by gpbench {maker}; numbers of changed methods are stale")
        if damaged := store.repair_plan():
            progress.say(f"{damaged} was damaged and is now in quarantine/; written again from the config")
        store.write_plan(name, planned, resolved)
        adopting.take(store, offered)
        for source, results in offered.items():
            progress.say(f"{counted(len(results), 'finished trial')} taken from {source}")
        session.run(trials)
        take_away_arrays()
        if session.signal is None:
            at_end()
    return session.summary(trials)


def check_data(trials: list[Trial]) -> None:
    """Fetch and split each data set once, before anything runs: a DataError ends the run (exit 3).

    Any other exception or crash, for example in a plug-in's data set, is left to the trials that use the data.
    """
    from gpbench.experiment.evaluation.trial_data import trial_data

    distinct = {digest([t.dataset, t.split, t.scale]): t for t in reversed(trials)}
    for trial in distinct.values():
        name = trial.dataset.get("name")
        if name and catalog.source_hash(catalog.find("dataset", name)):
            if complaint := complaint_of(partial(trial_data, trial)):
                raise complaint
            continue
        try:
            trial_data(trial)
        except GpbenchError:
            raise
        except Exception as e:
            log.debug("%s: %s", trial.dataset_name, e)


def check_scheduler(options: Options, progress: Silent) -> None:
    """ConfigError if the scheduler that this machine connects to does not answer; workers may reach others."""
    from .dask.connect import await_answer

    address = options.rows_on if options.on in ("local", "dask") else options.on
    if address not in ("local", "dask"):
        await_answer(address, progress.say)


def install_libraries(trials: list[Trial], options: Options, progress: Silent) -> None:
    """Install the environments that this machine lacks, before trials are timed; trials report a failure."""
    names = dict.fromkeys(t.params["external"] for t in trials if "external" in t.params)
    if options.offline or options.on not in ("local", "dask"):
        return
    for name in names:
        with contextlib.suppress(GpbenchError):
            adapter = environment.find(name)
            if not environment.installed(adapter):
                progress.say(f"installing {adapter.library} for its first use")
                environment.install(adapter)


def take_away_arrays() -> None:
    """Remove the arrays of trials that were killed together with their library."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FILES}*"):
        owner = folder.name.removeprefix(FILES).partition("-")[0]
        if owner.isdecimal() and not alive(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _union(first: list[Trial], second: list[Trial]) -> list[Trial]:
    return list({t.id: t for t in [*first, *second]}.values())


def status(folder: str | Path) -> dict[str, Any]:
    """Counts and last errors of a results folder, also while a run is at work in it."""
    store = ResultsFolder(folder)
    try:
        name, trials = store.planned()
    except FileNotFoundError as e:
        raise ConfigError(
            f"{store.folder} has no plan.json: no run was here, or it is a committed folder of an earlier version, "
            "whose trials `gpbench run CONFIG -n` counts"
        ) from e
    except Damaged as e:
        raise StorageError(f"{store.plan} is damaged ({e}); the run command writes it again") from e
    known = store.inventory(trials)
    summary = summarise(trials, known)
    pid, host = holder(store.folder) or (None, None)
    return {
        "name": name,
        "planned": len(trials),
        "done": summary.done,
        "skipped": summary.skipped,
        "stale": summary.stale,
        "failed": summary.failed,
        "left": summary.left,
        "damaged": archive.damaged(store.folder),
        "running": {"pid": pid, "host": host} if pid and host == gethostname() and alive(pid) else None,
        "failures": [_brief(r) for r in summary.failures],
    }


def _brief(result: TrialResult) -> dict[str, str]:
    id, what = result.trial.id, describe(result)
    return {"trial": id, "status": result.status, "reason": result.reason, "what": what, "log": f"logs/{id}.log"}


@contextlib.contextmanager
def _signals(session: Session) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the session at its next look; only the main thread can set signal handlers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old = {s: signal.signal(s, session.stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
