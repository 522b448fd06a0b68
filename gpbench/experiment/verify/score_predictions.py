"""`gpbench score`: metrics of predictions that another library made on splits exported by `gpbench data export`.

A predictions file is a CSV with one row per test case: `mean` and `var` (of the noisy target, raw units), or `prob`
(P(y = +1)) for classes. Cases come in the order of X_test.csv or carry `row`, the row of the data set (test_index.csv).
Several repetitions go into one file with a column `trial`; a file inside trial-003/ belongs to repetition 3.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from gpbench import metrics
from gpbench.data.split_files import ExportedTrial, has_hashes, read
from gpbench.errors import ConfigError, DataError
from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.plan import every_trial
from gpbench.experiment.plan.trial import Trial, digest
from gpbench.experiment.results.checked_files import Damaged
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.trial_result import COLUMNS


def score(
    exported: Path,
    predictions: Path,
    label: str = "external",
    into: Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, float]:
    """Metrics averaged over the repetitions in the file; with `into` each one adds a row to that folder's tables.

    `say` gets a remark if the exported files cannot be verified.
    """
    facts, trials = read(exported)
    if not has_hashes(facts):
        say(f"{exported} was written by an older gpbench, without hashes of its files: they are taken as they are")
    table = _read_predictions(Path(predictions))
    by_trial = {t.index: t for t in trials}
    rows = []
    for index, part in _split_by_trial(table, Path(predictions), by_trial):
        trial = by_trial[index]
        variance = next(t["target_variance"] for t in facts["trials"] if t["index"] == index)
        found = _scores(facts["task"], trial, _in_order(part, trial, predictions), variance)
        rows.append(_row(facts, trial, label, found))
    if into is not None:
        _refuse_another(Path(into), facts, [r["trial"] for r in rows])
        ResultsFolder(into).write_external(rows, label, facts["name"])
    scored = [m for m in metrics.METRICS if rows[0].get(m) is not None]
    return {"trials": len(rows), **{m: float(np.mean([r[m] for r in rows])) for m in scored}}


def _read_predictions(file: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(file)
    except (OSError, ValueError) as e:
        raise DataError(f"{file}: not readable as CSV ({e})") from e
    table.columns = [str(c).strip().lower() for c in table.columns]
    if "prob" not in table and not {"mean", "var"} <= set(table.columns):
        raise DataError(
            f"{file}: needs the columns mean and var, or prob for classes; found {', '.join(table.columns)}"
        )
    for column in table.columns.intersection(["trial", "row", "mean", "var", "prob"]):
        values = pd.to_numeric(table[column], errors="coerce")
        if not np.isfinite(values).all():
            line = int(np.flatnonzero(~np.isfinite(values))[0]) + 2
            raise DataError(f"{file}, line {line}: {column} is not a finite number")
        table[column] = values
    return table


def _split_by_trial(table: pd.DataFrame, file: Path, known: dict[int, ExportedTrial]):
    if "trial" in table:
        parts = [(int(index), part) for index, part in table.groupby("trial")]
    elif found := re.fullmatch(r"trial-(\d+)", file.resolve().parent.name):
        parts = [(int(found[1]), table)]
    elif len(known) == 1:
        parts = [(next(iter(known)), table)]
    else:
        raise DataError(f"{file}: {len(known)} trials were exported; add a column `trial` to say which one a row is of")
    if absent := [index for index, _ in parts if index not in known]:
        raise DataError(f"{file}: trial {absent[0]} was not exported; there are {', '.join(map(str, sorted(known)))}")
    return parts


def _in_order(part: pd.DataFrame, trial: ExportedTrial, file) -> pd.DataFrame:
    """The rows in the order of the test part; an error unless each test case occurs exactly once."""
    test = trial.split.test
    if "row" in part:
        indexed = part.set_index(part["row"].astype(int))
        if not indexed.index.is_unique or set(indexed.index) != set(test):
            raise DataError(f"{file}: `row` must name each of the {len(test)} test cases of trial {trial.index} once")
        return indexed.loc[test]
    if len(part) != len(test):
        raise DataError(f"{file}: {len(part)} predictions for the {len(test)} test cases of trial {trial.index}")
    return part


def _scores(task: str, trial: ExportedTrial, p: pd.DataFrame, variance: float) -> dict[str, float | None]:
    y = trial.y_test
    if task == "classification":
        if "prob" not in p:
            raise DataError("class labels need the column prob, the probability of +1")
        prob = p["prob"].to_numpy()
        if ((prob < 0) | (prob > 1)).any():
            raise DataError("prob must lie between 0 and 1")
        return metrics.scores(task, {"y": y, "prob": prob})
    if "mean" not in p or "var" not in p:
        raise DataError("regression needs the columns mean and var")
    mean, var = p["mean"].to_numpy(), p["var"].to_numpy()
    if (var <= 0).any():
        raise DataError("var must be positive: the variance of the noisy target in raw units")
    return metrics.scores(task, {"y": y, "y_train": trial.y_train, "variance": variance, "mean": mean, "var": var})


def _row(facts: dict, trial: ExportedTrial, label: str, found: dict) -> dict:
    row = dict.fromkeys(COLUMNS)
    key = digest(["external", label, facts["dataset"], facts["split"], trial.index, found])
    return row | {
        "trial_id": key, "dataset": facts["name"], "method": "external", "label": label, "trial": trial.index,
        "status": "ok", "n_train": len(trial.split.train), "n_test": len(trial.split.test), **found,
    }  # fmt: skip


def _refuse_another(folder: Path, facts: dict, indices: list[int]) -> None:
    """Refuse scores that are not comparable with the folder's: other rows or other definitions of metrics."""
    if not (trials := [t for t in _trials_of(folder) if t.dataset_name == facts["name"]]):
        return  # `write_external` says what the folder holds
    scored = {"target_units": "raw", "nmse_variance": "dataset"}
    if other := {k: v for k, v in trials[0].scoring.items() if scored.get(k, v) != v}:
        theirs = ", ".join(f"{k}: {v}" for k, v in other.items())
        ours = ", ".join(f"{k}: {scored[k]}" for k in other)
        raise ConfigError(f"{folder} scores {facts['name']} with {theirs}; predictions of an export have {ours}")
    keys = {t["index"]: t.get("key") for t in facts["trials"]}
    for index in indices:
        here = {t.data_key: t for t in trials if t.index == index}
        if keys[index] is None:
            raise ConfigError("the export does not say of which seed it is: write it again with `gpbench data export`")
        if keys[index] not in here:
            known = next(iter(here.values()), None)
            theirs = f"split {known.split or 'default'}, seed {known.seed}" if known else "no such trial"
            mine = f"split {facts['split']}, seed {facts['seed']}"
            raise ConfigError(
                f"trial {index} of the export ({mine}) is not that of {folder} ({theirs}): export its own splits with "
                f"`gpbench data export -c {folder}/config.resolved.yaml`"
            )


def _trials_of(folder: Path) -> list[Trial]:
    try:
        return ResultsFolder(folder).planned()[1]
    except (FileNotFoundError, Damaged):  # a folder of an earlier version
        return every_trial(load_config(folder / "config.resolved.yaml"))
