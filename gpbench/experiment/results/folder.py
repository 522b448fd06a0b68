"""A results folder on disk (docs/reference/results.md): each file is complete or absent; reading detects damage."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import os
from pathlib import Path
from typing import Any

from gpbench import __version__
from gpbench.errors import ConfigError, DataError
from gpbench.experiment.plan.trial import Trial, digest
from gpbench.system.atomic_files import TEMPORARY, sweep
from gpbench.text import csv_cell, plain_cell

from . import archive, paths_file, plan_file, provenance
from .checked_files import (
    Damaged,
    make_folder,
    read_checked,
    stems,
    storing,
    unused,
    write_atomic,
    write_checked,
    write_summed,
)
from .inventory import FINAL, Inventory
from .trial_result import COLUMNS, SCHEMA, TrialResult

FOLDERS = ("trials", "failures", "logs", "quarantine", "env", "shared")
_FEW = 100  # trials whose files are looked for one by one
_PROBE = 64 * 1024  # bytes that must be free before a run begins


class ResultsFolder:
    """The directory of one experiment. Reading changes nothing; `repair` does, and needs the lock."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self.plan, self.csv = self.folder / "plan.json", self.folder / "results.csv"
        self.external = self.folder / "external.csv"  # scores of other libraries' predictions
        self.resolved = self.folder / "config.resolved.yaml"

    # -- set-up -------------------------------------------------------------------------------------------------

    def create(self) -> None:
        with storing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)

    def prepare(self) -> None:
        """Make folders, remove files of a killed run, and check now that there is space to write."""
        for name in FOLDERS:
            make_folder(self.folder / name)
        for name in ("", *FOLDERS):
            sweep(self.folder / name)
        probe = self.folder / "trials" / f"{TEMPORARY}probe"
        write_atomic(probe, os.urandom(_PROBE))
        probe.unlink(missing_ok=True)

    def check_owner(self, name: str) -> None:
        """Refuse a folder that holds another experiment. A damaged plan is accepted and will be replaced."""
        try:
            owner = plan_file.read(self.folder).get("name", name)
        except (FileNotFoundError, Damaged):
            return
        if owner != name:
            raise ConfigError(
                f"{self.folder} holds the results of '{owner}', not of '{name}': give another --output folder"
            )

    def repair_plan(self) -> str:
        """Move a damaged plan to quarantine/ and return its name; this run writes its own. Empty if there is none."""
        try:
            plan_file.read(self.folder)
        except FileNotFoundError:
            return ""
        except Damaged:
            path = next(p for p in (self.plan, self.folder / plan_file.BEFORE) if p.exists())
            self.quarantine(path)
            return path.name
        return ""

    def write_plan(self, name: str, trials: list[Trial], resolved: str | None) -> None:
        """`resolved` is the text of config.resolved.yaml; None leaves the one that is there."""
        write_atomic(self.plan, plan_file.content(name, __version__, trials))
        if resolved is not None:
            write_atomic(self.resolved, resolved.encode())

    def made_by(self) -> str | None:
        """Version of gpbench of the plan; if there is none, the latest one in the trials' environments."""
        try:
            return plan_file.read(self.folder).get("gpbench")
        except (FileNotFoundError, Damaged):
            pass
        found: set[str | None] = set()
        for path in (self.folder / "env").glob("*.json"):
            with contextlib.suppress(FileNotFoundError, Damaged):
                found.add((read_checked(path).get("packages") or {}).get("gpbench"))
        return max(filter(None, found), default=None)

    def write_env(self, env: dict[str, Any]) -> str:
        name = digest(env)
        if not (path := self.folder / "env" / f"{name}.json").exists():
            write_checked(path, env)
        return name

    def begun(self) -> set[str]:
        """Names of the data sets that have results here; later runs use the same ones."""
        try:
            return {name for row in _rows(self.csv) if (name := row.get("dataset"))}
        except DataError:
            return set()

    def planned(self) -> tuple[str, list[Trial]]:
        """Name of the experiment and its trials as last planned; Damaged or FileNotFoundError if there is none."""
        body = plan_file.read(self.folder)
        return body["name"], [Trial.read(settings) for settings in plan_file.settings(body).values()]

    # -- trials -------------------------------------------------------------------------------------------------

    def trial_path(self, id: str, suffix: str = ".json") -> Path:
        return self.folder / "trials" / f"{id}{suffix}"

    def failure_path(self, id: str) -> Path:
        return self.folder / "failures" / f"{id}.json"

    def log_path(self, id: str) -> Path:
        return self.folder / "logs" / f"{id}.log"

    def shared_path(self, key: str) -> Path:
        return self.folder / "shared" / f"{key}.json"

    def save_shared(self, key: str, found: dict[str, Any]) -> None:
        write_checked(self.shared_path(key), found)

    def shared(self, key: str) -> dict[str, Any]:
        """Result of a full-GP fit; FileNotFoundError if it has not run, Damaged if the file is damaged."""
        return read_checked(self.shared_path(key))

    def journal_path(self, trial: Trial) -> Path:
        """File that records the optimisation of a long fit; its name depends on the numerical source code."""
        return self.folder / "journals" / f"{digest([trial.path_key, trial.versions, provenance.source()])}.jsonl"

    def save(self, result: TrialResult, predictions: dict[str, Any] | None = None) -> None:
        """Write a result; its arrays first, so that a finished trial always has its predictions."""
        id = result.trial.id
        body: dict[str, Any] = {"result": result.plain()}
        if result.status not in FINAL:
            write_checked(self.failure_path(id), body)
            return
        if predictions is not None:
            content = _npz(predictions)
            write_atomic(self.trial_path(id, ".npz"), content)
            body["predictions_sha256"] = hashlib.sha256(content).hexdigest()
        write_checked(self.trial_path(id), body)
        self.failure_path(id).unlink(missing_ok=True)

    def adopt(self, name: str, content: bytes) -> None:
        """Write a file that comes from a results folder on another machine; the caller has checked its name."""
        write_atomic(path := self.folder / name, content)
        if path.parent.name == "trials" and path.suffix == ".json":
            self.failure_path(path.stem).unlink(missing_ok=True)

    def load(self, trial: Trial) -> TrialResult | None:
        """The stored result, finished or failed; None if there is none; raises Damaged if its file is damaged."""
        for path in (self.trial_path(trial.id), self.failure_path(trial.id)):
            with contextlib.suppress(FileNotFoundError):
                return _result_in(read_checked(path), path, trial)
        return None

    def _has_arrays(self, id: str) -> bool:
        """Whether the arrays of a finished trial are there, undamaged."""
        try:
            content, body = self.trial_path(id, ".npz").read_bytes(), read_checked(self.trial_path(id))
        except (FileNotFoundError, Damaged):
            return False
        return hashlib.sha256(content).hexdigest() == body.get("predictions_sha256")

    def repair_environments(self) -> list[str]:
        """Move damaged env/*.json to quarantine/; this run writes its own again."""
        damaged = []
        for path in sorted((self.folder / "env").glob("*.json")):
            try:
                read_checked(path)
            except (Damaged, FileNotFoundError):
                damaged.append(path.name)
                self.quarantine(path)
        return damaged

    def inventory(
        self, trials: list[Trial], repair: bool = False, predictions: bool = False, whole_paths: bool = False
    ) -> Inventory:
        """What the folder holds of these trials; `repair` as in `results`. The others: look for arrays, paths, too."""
        files = [*stems(self.folder / "trials"), *stems(self.folder / "failures")]
        held = trials if files or archive.ids(self.folder) else []
        results = self.results(held, repair)
        stale = self._stale([t for t in held if t.id not in results])
        arrays = frozenset(filter(self._has_arrays, results)) if predictions else frozenset()
        pathless = paths_file.lacking(self.folder, trials) if whole_paths else frozenset()
        return Inventory(results, stale, arrays, pathless)

    def results(self, trials: list[Trial], repair: bool = False) -> dict[str, TrialResult]:
        """Stored results by id, including those of the archive.

        Damaged results are left out, so they will run again; with `repair` their files move to quarantine/.
        """
        found = archive.read(self.folder, trials)
        for trial in self._with_files(trials):
            try:
                result = self.load(trial)
            except Damaged:
                result = None
                found.pop(trial.id, None)
                if repair:
                    files = (self.trial_path(trial.id), self.trial_path(trial.id, ".npz"), self.failure_path(trial.id))
                    for path in files:
                        self.quarantine(path)
            if result is not None:
                found[trial.id] = result
                if repair and not self._has_arrays(trial.id):  # the numbers are in another file and stay
                    self.quarantine(self.trial_path(trial.id, ".npz"))
        return found

    def _with_files(self, trials: list[Trial]) -> list[Trial]:
        """The trials that have a file; of few trials all of them, since a folder may hold many files."""
        if len(trials) < _FEW:
            return trials
        held = {stem for name in ("trials", "failures") for stem in stems(self.folder / name)}
        return [t for t in trials if t.id in held]

    def _stale(self, trials: list[Trial]) -> dict[str, TrialResult]:
        """Latest finished results of earlier versions, by the id of the trial that will replace them."""
        candidates = {t.id: list(t.earlier()) for t in trials if t.versions}
        found = self.results([e for earlier in candidates.values() for e in earlier]) if candidates else {}
        latest = {id: [found[e.id] for e in earlier if e.id in found] for id, earlier in candidates.items()}
        return {id: these[0] for id, these in latest.items() if these and these[0].status in FINAL}

    def quarantine(self, path: Path) -> None:
        if path.exists():
            target = unused(self.folder / "quarantine" / path.name)
            make_folder(target.parent)
            with storing(target):
                os.replace(path, target)

    # -- tables ---------------------------------------------------------------------------------------------

    def write_archive(self, results: list[TrialResult]) -> None:
        archive.write(self.folder, [r for r in results if r.status in FINAL])

    def write_csv(self, results: list[TrialResult]) -> None:
        """Write results.csv: one row per trial with a result; equal results give equal bytes."""
        rows = sorted((r.row() for r in results), key=_row_order)
        content = _csv(rows)
        if not self.csv.exists() or self.csv.read_bytes() != content:
            write_atomic(self.csv, content)

    def write_external(self, rows: list[dict[str, Any]], label: str, dataset: str) -> None:
        """Write scores of another library's predictions; they replace scores with the same label and data set."""
        results = _rows(self.csv)
        here = [r for r in results if r.get("dataset") == dataset]
        if any(r.get("label") == label for r in results):
            raise ConfigError(f"'{label}' is a method of {self.folder}; choose another --label")
        if not here:
            held = ", ".join(sorted({name for r in results if (name := r.get("dataset"))})) or "none at all"
            raise ConfigError(f"{self.folder} has no results on {dataset}; it holds {held}")
        kept = [r for r in _rows(self.external) if (r.get("label"), r.get("dataset")) != (label, dataset)]
        new = [r | {"seed": here[0].get("seed")} for r in rows]
        write_atomic(self.external, _csv([*kept, *new]))

    def write_condensed(self, tables: dict[str, bytes]) -> None:
        """Write curves.csv and notes.csv: what reports need of traces, which committed folders do not have."""
        for name, content in tables.items():
            write_summed(self.folder / name, content)


def _csv(rows: list[dict[str, Any]]) -> bytes:
    """Lines with the columns that every folder has, and after them the metrics of plug-ins."""
    more = sorted({name for row in rows for name in row} - set(COLUMNS))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, *more])
    writer.writerows([_cell(row.get(c)) for c in (*COLUMNS, *more)] for row in rows)
    return out.getvalue().encode()


def _rows(file: Path) -> list[dict[str, str]]:
    """Rows of a csv file of this folder; none if it does not exist, DataError if it cannot be read."""
    try:
        with open(file, newline="", encoding="utf-8", errors="replace") as f:
            return [{k: plain_cell(v or "") for k, v in row.items() if k} for row in csv.DictReader(f)]
    except FileNotFoundError:
        return []
    except (OSError, csv.Error) as e:
        raise DataError(f"{file}: not readable ({e})") from e


def _result_in(body: dict[str, Any], path: Path, trial: Trial) -> TrialResult:
    """The result in a file, if it is of this trial; its label is that of the plan."""
    try:
        stored, result = Trial.read(body["result"]["trial"]), TrialResult.read(body["result"], trial)
    except (KeyError, TypeError, Damaged) as e:
        raise Damaged(f"{path.name}: {e}") from e
    if stored.id != trial.id and result.schema <= SCHEMA:  # a later version may hash additional fields
        raise Damaged(f"{path.name}: holds another trial")
    return result


def _row_order(row: dict[str, Any]) -> tuple[Any, ...]:
    size = -1 if row["d_max"] is None else row["d_max"]
    return row["dataset"], row["label"], size, str(row["cache"]), row["trial"], row["trial_id"]


def _cell(value: object) -> str:
    if value is None:
        return ""
    return repr(float(value)) if isinstance(value, float) else csv_cell(str(value))


def _npz(arrays: dict[str, Any]) -> bytes:
    import numpy as np

    out = io.BytesIO()
    np.savez_compressed(out, **{k: np.asarray(v) for k, v in arrays.items()})  # type: ignore[arg-type]
    return out.getvalue()
