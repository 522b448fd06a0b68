"""`gpbench verify`: run archived trials again in a temporary folder and compare their numbers with the archive."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from gpbench import catalog
from gpbench.errors import GpbenchError
from gpbench.experiment.plan.trial import Trial, digest
from gpbench.experiment.results import provenance
from gpbench.experiment.results.checked_files import Damaged, read_checked
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.experiment.run.progress import Silent, describe
from gpbench.experiment.run.run import check_data, run
from gpbench.experiment.run.session import Options

from . import platforms, sample
from .sample import ArchivedTrial

TOLERANCE = 1e-6  # relative


@dataclass(frozen=True)
class Rerun:
    """An archived trial compared with its new run."""

    folder: str
    trial: str
    what: str
    differs: dict[str, tuple]  # field -> (then, now)
    platform: list[str]  # differences between the platforms
    unstable: bool = False  # a second run gave the archived numbers: a near tie was decided differently

    @property
    def drifted(self) -> bool:
        return bool(self.differs) and not self.platform and not self.unstable

    def __str__(self) -> str:
        if not self.differs:
            return f"equal {self.folder} {self.trial} {self.what}"
        values = "; ".join(f"{k} {_shown(a)} then, {_shown(b)} now" for k, (a, b) in self.differs.items())
        where = f" (another platform: {'; '.join(self.platform)})" if self.platform else ""
        where += " (as recorded when run once more)" if self.unstable else ""
        return f"{'drifted' if self.drifted else 'differs'} {self.folder} {self.trial} {self.what}: {values}{where}"


@dataclass
class Verification:
    outcomes: list[Rerun] = field(default_factory=list)
    archived: int = 0  # at the versions of the present code
    stale: int = 0
    unknown: int = 0  # archived under ids that the config does not plan
    no_data: dict[str, str] = field(default_factory=dict)  # data set -> why it cannot be obtained
    left: int = 0  # trials of the sample that were not run in time
    signal: int | None = None

    @property
    def drifted(self) -> list[Rerun]:
        return [o for o in self.outcomes if o.drifted]

    @property
    def exit_code(self) -> int:
        if self.signal is not None:
            return 128 + self.signal
        return 4 if self.drifted or not self.outcomes else 0

    @property
    def message(self) -> str:
        equal = sum(not o.differs for o in self.outcomes)
        unstable = sum(o.unstable for o in self.outcomes)
        elsewhere = len(self.outcomes) - equal - len(self.drifted) - unstable
        parts = [
            f"{len(self.outcomes)} of {self.archived} trials run again: {equal} equal, {len(self.drifted)} drifted"
        ]
        parts += [f"{unstable} only as recorded when run twice"] if unstable else []
        parts += [f"{elsewhere} differ from another platform's"] if elsewhere else []
        parts += [f"{self.left} not reached"] if self.left else []
        parts += [f"{self.stale} stale ones left out"] if self.stale else []
        parts += [f"{self.unknown} that their config does not plan"] if self.unknown else []
        parts += [f"no data: {', '.join(sorted(self.no_data))}"] if self.no_data else []
        return ", ".join(parts)

    def to_json(self) -> dict:
        kept = ("archived", "stale", "unknown", "no_data", "left", "message")
        return {k: getattr(self, k) for k in kept} | {
            "outcomes": [asdict(o) | {"drifted": o.drifted} for o in self.outcomes]
        }


def verify(
    folders: list[Path],
    number: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Silent | None = None,
) -> Verification:
    """Run a stratified sample again: `number` trials, or as many as fit into `seconds`."""
    progress = progress or Silent()
    read = [sample.read(folder) for folder in folders]
    found = Verification(
        archived=sum(len(f.kept) for f in read), stale=sum(f.stale for f in read), unknown=sum(f.unknown for f in read)
    )
    everything = [k for f in read for k in f.kept if catalog.find("method", k.trial.method).ready(k.trial.params)]
    chosen = sample.within(everything, seconds * jobs, seed) if seconds else sample.order(everything, seed)[:number]
    chosen = _with_data(chosen, found)
    began = time.monotonic()  # the time limit does not include reading the archives
    for settings, part in _by_platform(chosen):
        left = seconds and seconds - (time.monotonic() - began)
        if found.signal is None and (left is None or left > 0):
            _again(part, settings, Options(jobs=jobs, seconds=left), found, progress)
    found.left = len(chosen) - len(found.outcomes)
    return found


def _with_data(chosen: list[ArchivedTrial], found: Verification) -> list[ArchivedTrial]:
    """Trials whose data can be obtained; the other data sets are noted in `no_data`."""
    troubles: dict[str, str] = {}
    for key, k in {_data_of(k.trial): k for k in chosen}.items():
        try:
            check_data([k.trial])
        except GpbenchError as e:
            troubles[key] = found.no_data[k.trial.dataset_name] = str(e)
    return [k for k in chosen if _data_of(k.trial) not in troubles]


def _data_of(trial: Trial) -> str:
    return digest([trial.data, trial.split, trial.scale])


def _by_platform(chosen: list[ArchivedTrial]) -> Iterator[tuple[dict[str, str], list[ArchivedTrial]]]:
    """Settings that select the loops of the recorded machine, and the trials recorded on it."""
    now = provenance.environment()
    groups: dict[str, tuple[dict, list[ArchivedTrial]]] = {}
    for k in chosen:
        settings = {n: v for n, v in platforms.lent(_environment(k), now).items() if n not in os.environ}
        groups.setdefault(digest(settings), (settings, []))[1].append(k)
    yield from groups.values()


def _again(part: list[ArchivedTrial], settings: dict, options: Options, found: Verification, progress: Silent) -> None:
    """Run the trials, and those that differ once more: last bits depend on addresses of arrays and can decide a tie."""
    found.signal, outcomes = _run(part, settings, options, progress)
    doubtful = [k for k in part if (o := outcomes.get((k.folder, k.trial.id))) is not None and o.drifted]
    if doubtful and found.signal is None:
        found.signal, second = _run(doubtful, settings, replace(options, seconds=None), progress)
        for key, outcome in second.items():
            if not outcome.differs:
                outcomes[key] = replace(outcomes[key], unstable=True)
    found.outcomes += outcomes.values()


def _run(part: list[ArchivedTrial], settings: dict, options: Options, progress: Silent) -> tuple[int | None, dict]:
    """The signal that ended the runs, if any, and the result of every trial, by folder and id."""
    trials = list({k.trial.id: k.trial for k in part}.values())
    os.environ |= settings
    try:
        with tempfile.TemporaryDirectory(prefix="gpbench-verify-") as place:
            summary = run("verify", "", trials, place, options, progress=progress)
            store = ResultsFolder(place)
            results = store.results(trials)
            environments = {path.stem: read_checked(path) for path in (store.folder / "env").glob("*.json")}
    finally:
        for name in settings:
            del os.environ[name]
    there = [(k, results[k.trial.id]) for k in part if results.get(k.trial.id) is not None]
    return summary.signal, {
        (k.folder, k.trial.id): _compared(k, now, environments.get(now.env, {})) for k, now in there
    }


def _compared(kept: ArchivedTrial, now: TrialResult, environment: dict) -> Rerun:
    differs: dict[str, tuple] = {}
    then, elsewhere = kept.result, platforms.differences(_environment(kept), environment)
    if now.status != then.status:
        differs["status"] = then.status, f"{now.status}: {now.reason}"
    else:
        before, after = numbers(then), numbers(now)
        differs = {k: (v, after.get(k)) for k, v in before.items() if not _equal(v, after.get(k))}
        if then.data_sha256 != now.data_sha256:
            copies = then.data_sha256[:16], now.data_sha256[:16]
            if _is_fetched(kept.trial):  # sources may hold copies of a data set that differ in the last digits
                elsewhere = [*elsewhere, "another copy of the data: {} then, {} now".format(*copies)]
            else:
                differs["data_sha256"] = copies
    what = describe(now).partition(" ")[2] if now.status == "ok" else f"{kept.trial.dataset_name} {kept.trial.label}"
    return Rerun(str(kept.folder), kept.trial.id, what, differs, elsewhere)


def _is_fetched(trial: Trial) -> bool:
    """Whether the rows of its data set are downloaded, rather than generated or the user's own."""
    return "name" in trial.dataset and not catalog.find("dataset", trial.dataset["name"]).generated


def numbers(result: TrialResult) -> dict[str, float | None]:
    """The compared numbers: every score, the size of the basis and the evidence."""
    return {**result.metrics, "n_basis": result.n_basis, "log_evidence": result.log_evidence}


def _equal(a, b) -> bool:
    if a is None or b is None:
        return a is b
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def _environment(kept: ArchivedTrial) -> dict:
    try:
        return read_checked(kept.folder / "env" / f"{kept.result.env}.json") if kept.result.env else {}
    except (OSError, Damaged):
        return {}


def _shown(value) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)
