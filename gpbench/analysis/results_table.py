"""A results folder as data frames.

Committed folders hold results.csv, config.resolved.yaml and curves.csv only; `trials/` may be gone. Whatever tables and
claims need from a trial's trace, its final hyperparameters and its notes is therefore written to `curves.csv` and
`notes.csv` at the end of a run (condense.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import pandas as pd

from gpbench.data.standins import twin_of
from gpbench.errors import ConfigError, DataError, GpbenchError
from gpbench.experiment.config.resolved import read_resolved
from gpbench.experiment.results import plan_file
from gpbench.experiment.results.checked_files import Damaged, as_summed
from gpbench.experiment.results.trial_result import COLUMNS, FIRST_COLUMNS
from gpbench.html import notebook
from gpbench.system.atomic_files import read_json
from gpbench.text import plain_cell

from .freshness import stale_ids
from .row_settings import published_of, with_settings

TEXT = ("trial_id", "dataset", "method", "label", "status", "reason")
_REBUILD = "the run command moves it to quarantine/ and condenses the trials again"


@dataclass(frozen=True)
class ResultsTable:
    """One folder. `rows` is results.csv plus what the plan knows of each trial (schedule, kernel, paper and items)."""

    path: Path
    config: dict
    planned_settings: dict[str, dict]  # of each planned trial, by id; empty in folders without plan.json
    rows: pd.DataFrame

    @property
    def name(self) -> str:
        return str(self.config.get("name") or self.path.resolve().name)

    @cached_property
    def labels(self) -> dict[str, str]:
        """Labels of data sets in figures and tables (`label:` of a data set in the config), by name."""
        entries = self.config.get("datasets") or [self.config.get("dataset")]
        found = {}
        for entry in (e for e in entries if isinstance(e, dict) and e.get("label")):
            for one in entry.get("first_of", [entry]):
                name = one if isinstance(one, str) else one.get("name") or one.get("csv")
                found[str(name)] = str(entry["label"])
        return found

    def _repr_html_(self) -> str:
        """In a notebook: mean and standard error of each metric over the repetitions."""
        metrics = [m for m in self.config.get("metrics") or () if m in self.rows]
        keys = [k for k in ("dataset", "label", "d_max") if self.rows[k].notna().any()]
        means = self.ok.groupby(keys, dropna=False, sort=False)[metrics].agg(["mean", "sem", "count"])
        rows = []
        for place, line in means.iterrows():
            names = place if isinstance(place, tuple) else (place,)
            cells = [self._score(line[m]) for m in metrics]
            told = [f"{v:.0f}" if isinstance(v, float) and v == v else str(v) for v in names]
            rows.append([told[0], *("" if v == "nan" else v for v in told[1:]), *cells])
        notes = [f"{self.done} of {self.planned} trials are done, {len(self.failures)} without a score"]
        return notebook.table(self.name, [*keys, *metrics], rows, notes)

    @staticmethod
    def _score(of: pd.Series) -> str:
        error = f" ± {of['sem']:.2g}" if of["count"] > 1 else ""
        return f"{of['mean']:.4g}{error}" if of["count"] else ""

    @property
    def ok(self) -> pd.DataFrame:
        return self.rows[self.rows["status"] == "ok"]

    @cached_property
    def curves(self) -> pd.DataFrame:
        """trial_id, step (empty: a number of the whole trial), key, value."""
        kept = kept_curves(self.path)
        if kept is None:
            from .condense import curves_of

            return curves_of(self)
        return kept[kept["trial_id"].isna() | kept["trial_id"].isin(self.rows["trial_id"])]

    @cached_property
    def notes(self) -> list[str]:
        """Remarks that belong beside the numbers: simulated data, a rounded copy, jitter."""
        if (table := kept_notes(self.path)) is None:
            from .condense import notes_of

            table = notes_of(self)
        lines = [f"{d}: {n}" for d, n in zip(table["dataset"], table["note"])]
        named = set(table["dataset"][table["note"].str.contains("simulated")]) if len(table) else set()
        for dataset in sorted(set(self.rows["dataset"])):
            if twin_of(dataset) and dataset not in named:
                lines.append(f"{dataset}: a stand-in for {twin_of(dataset)}, not the published rows")
        return list(dict.fromkeys(lines))

    @cached_property
    def planned(self) -> int:
        """Number of trials of the whole config, by plan.json or, if there is none, by config.resolved.yaml."""
        if self.planned_settings:
            return len(self.planned_settings)
        from gpbench.experiment.config.config import load_config
        from gpbench.experiment.plan.plan import number_of_trials

        try:
            return max(number_of_trials(load_config(self.path / "config.resolved.yaml")), len(self.rows))
        except GpbenchError:  # made with a plug-in that is not at hand, or no config at all
            return len(self.rows)

    @property
    def done(self) -> int:
        """Trials that need no other run: with a result, or skipped, as the run and `status` count them."""
        return len(self.rows) - len(self.failures)

    @property
    def failures(self) -> pd.DataFrame:
        return self.rows[~self.rows["status"].isin(["ok", "skipped"])]

    @cached_property
    def environments(self) -> list[dict]:
        return [read_json(f) for f in sorted((self.path / "env").glob("*.json"))]

    @property
    def published(self) -> list[tuple[str, str]]:
        """(paper, item) pairs the config claims to reproduce."""
        return published_of(self.config)


def _planned(path: Path) -> dict[str, dict]:
    try:
        return plan_file.settings(plan_file.read(path))
    except FileNotFoundError:
        return {}
    except (Damaged, KeyError) as e:
        raise DataError(f"{path}: the plan is damaged ({e}); the run command writes it again") from e


def load(path: str | Path) -> ResultsTable:
    """The folder's rows in the order of results.csv; an empty or damaged folder is an error in one sentence."""
    path = Path(path)
    file, external = path / "results.csv", path / "external.csv"
    if not file.is_file():
        raise ConfigError(f"{path}: no results.csv here; give a folder that `gpbench run` has filled")
    rows = _read_rows(file)
    if external.is_file():  # predictions of other libraries (`gpbench score --into`)
        rows = pd.concat([rows, _read_rows(external)], ignore_index=True)
    config, planned = read_resolved(path), _planned(path)
    rows = _in_config_order(_folds_as_one(rows), config)
    rows["stale"] = rows["trial_id"].isin(stale_ids(path, rows["trial_id"]))
    return ResultsTable(path, config, planned, with_settings(rows, config, planned, path))


def _read_rows(file: Path) -> pd.DataFrame:
    numeric = [c for c in COLUMNS if c not in TEXT]
    empty = {c: [""] for c in numeric}
    try:
        rows = pd.read_csv(file, dtype=dict.fromkeys(TEXT, str), keep_default_na=False, na_values=empty)
    except (ValueError, OSError) as e:
        raise DataError(f"{file}: not readable ({e})") from e
    if absent := [c for c in FIRST_COLUMNS if c not in rows]:
        raise DataError(f"{file}: columns missing: {', '.join(absent)}")
    rows = rows.assign(**{name: rows[name].map(plain_cell) for name in TEXT})
    rows = rows.reindex(columns=[*COLUMNS, *(c for c in rows if c not in COLUMNS)])  # of later columns, empty ones
    for column in numeric:
        try:
            rows[column] = pd.to_numeric(rows[column]).astype(float)
        except (ValueError, TypeError) as e:
            raise DataError(f"{file}: column {column} holds something that is not a number ({e})") from e
    return rows


def _folds_as_one(rows: pd.DataFrame) -> pd.DataFrame:
    """Folds of one cross-validation may differ by a row; their `n_train` is made equal, to average them together."""
    rows["n_total"] = rows["n_train"] + rows["n_test"]
    for _, part in rows.groupby("dataset"):
        sizes = sorted(part["n_train"].dropna().unique(), reverse=True)
        for larger, smaller in pairwise(sizes):
            if larger - smaller == 1:
                rows.loc[part.index[part["n_train"] == smaller], "n_train"] = larger
    return rows


def _in_config_order(rows: pd.DataFrame, config: dict) -> pd.DataFrame:
    """Within each data set, methods in the order of the config rather than of the alphabet."""
    labels = [m if isinstance(m, str) else m.get("label") or m.get("method") for m in config.get("methods") or []]
    place = {label: i for i, label in enumerate(labels)}
    order = rows["label"].map(lambda label: place.get(label, len(place))).rename("order")
    return (
        rows.assign(order=order)
        .sort_values(["dataset", "order"], kind="stable", ignore_index=True)
        .drop(columns="order")
    )


def kept_curves(path: Path) -> pd.DataFrame | None:
    return _kept(path / "curves.csv", {"trial_id": str, "step": float, "key": str, "value": float})


def kept_notes(path: Path) -> pd.DataFrame | None:
    return _kept(path / "notes.csv", {"dataset": str, "note": str, "trials": float})


def _kept(file: Path, columns: dict) -> pd.DataFrame | None:
    """A file of condense.py; DataError when it is not what was written."""
    if not file.is_file():
        return None
    texts = [name for name, kind in columns.items() if kind is str]
    try:
        gaps = {name: [""] for name in columns if name not in ("key", "note", "dataset")}
        table = pd.read_csv(file, dtype=columns, keep_default_na=False, na_values=gaps)
        whole = [*columns] == [*table] and as_summed(file) and file.read_bytes()[-1:] == b"\n"
    except (ValueError, OSError, KeyError) as e:
        raise DataError(f"{file}: damaged ({type(e).__name__}); {_REBUILD}") from e
    if not whole:
        raise DataError(f"{file}: damaged (not what was written); {_REBUILD}")
    return table.assign(**{name: table[name].map(plain_cell, na_action="ignore") for name in texts})
