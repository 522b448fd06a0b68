"""What the plan or the config knows of each row of results.csv: settings, kernel, schedule, folds, paper and items."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from gpbench.data.standins import kind_of, shares_rows
from gpbench.experiment.config.settings import written

PARAMETERS = (  # of methods that have a column of their own
    "z", "variant", "objective", "approximation", "inducing", "optimise_inputs", "candidates", "cost_model", "stop",
)  # fmt: skip
LEARNING = ("rounds", "evaluations")  # of `hyperparameters`, numbers


@cache
def parse_items(text: str) -> tuple[str, ...]:
    """'Tables 2-3; Fig. 1' -> ('Table 2', 'Table 3', 'Figure 1'); 'section 5.4' stays what it is."""
    found = re.findall(r"^section [\d.]*\d", text)
    for kind, numbers in re.findall(r"(tab|fig)[a-z.]*\s*([\d][\d\s,a-z–-]*)", text, flags=re.IGNORECASE):
        name = "Table" if kind.lower() == "tab" else "Figure"
        for first, last in re.findall(r"(\d+)[a-z]?(?:\s*[-–]\s*(\d+))?", numbers):
            found += [f"{name} {k}" for k in range(int(first), int(last or first) + 1)]
    return tuple(dict.fromkeys(found))


def published_of(config: dict) -> list[tuple[str, str]]:
    """(paper, item) whose printed numbers the folder stands for."""
    return [_named(e) for e in _entries(config) if not e.get("open")]


def open_of(config: dict) -> list[tuple[str, str]]:
    """(paper, item) for which the folder tries other protocols that the paper allows (`open: true`)."""
    return [_named(e) for e in _entries(config) if e.get("open")]


def _named(entry: dict) -> tuple[str, str]:
    return str(entry.get("paper", "")), str(entry.get("item") or "")


def _entries(config: dict) -> list[dict]:
    entries = config.get("published") or []
    return [e for e in (entries if isinstance(entries, list) else [entries]) if isinstance(e, dict)]


def _settings_of(row: dict, planned: dict, config: dict) -> dict:
    """Kernel, hyperparameters and parameters of a row: from the plan, else as the config has them."""
    if trial := planned.get(row["trial_id"]):
        return {
            **trial.get("params", {}),
            "kernel": trial.get("kernel"),
            "hyperparameters": trial.get("hyperparameters"),
        }
    return written(config, row["dataset"], row["n_train"], row["label"])


def with_settings(rows: pd.DataFrame, config: dict, planned: dict[str, dict], path: Path) -> pd.DataFrame:
    settings = [
        _settings_of(row, planned, config)
        for row in rows[["trial_id", "label", "dataset", "n_train"]].to_dict("records")
    ]
    rows = rows.copy()
    rows["folder"] = str(path)
    rows["total_seconds"] = rows[["fit_seconds", "predict_seconds"]].sum(axis=1, min_count=2)
    rows["total_seconds"] += rows["learn_seconds"].fillna(0)
    rows["adapted"] = [(s.get("hyperparameters") or {}).get("schedule", "fixed") != "fixed" for s in settings]
    rows["cached"] = rows["cache"].fillna(0) > 0
    rows["kernel"] = [_kernel_name(s.get("kernel")) for s in settings]
    learned = [s.get("hyperparameters") or {} for s in settings]
    for key in LEARNING:
        rows[key] = [h.get(key, np.nan) for h in learned]
    own = [s.get("restarts") for s in settings]  # of the method, over those of its schedule
    rows["restarts"] = [float(k or h.get("restarts") or 1) for k, h in zip(own, learned)]
    for key in PARAMETERS:
        rows[key] = [_plain(s.get(key)) for s in settings]
    for name, entries in (("sources", published_of(config)), ("open", open_of(config))):
        rows[name] = [tuple((p, i) for p, text in entries for i in parse_items(text) or ("",))] * len(rows)
    splits = [_split(row, config) for row in rows[["dataset", "n_train"]].to_dict("records")]
    rows["folds"] = [float(s.get("k", 10)) if s.get("kind") == "folds" else np.nan for s in splits]
    by_default = rows["n_train"] == (0.9 * rows["n_total"]).round()  # where no split is given or published
    random = np.array([s.get("kind") == "random" if s else d for s, d in zip(splits, by_default)], dtype=bool)
    rows["resplit"] = random & rows["dataset"].map(shares_rows).to_numpy(dtype=bool)  # training parts overlap
    spent = [_spent(row, config) for row in rows[["dataset", "label"]].to_dict("records")]
    rows["first_judged"] = np.array(spent, dtype=int)  # trials before it chose the protocol
    rows["spent"] = rows["trial"] < rows["first_judged"]
    rows["stands_for"] = rows["dataset"].map(kind_of)
    return rows


def _spent(row: dict, config: dict) -> int:
    """How many first trials of this row's method on its data set chose the protocol."""
    given = [e.get("spent") or 0 for e in _entries(config)]
    return max(
        (max(g.get(row["dataset"], 0), g.get(row["label"], 0)) if isinstance(g, dict) else g for g in given), default=0
    )


def _split(row: dict, config: dict) -> dict:
    """The rule that splits this row's data set; {} where the config leaves it to the data set."""
    split = written(config, row["dataset"], row["n_train"]).get("split")
    return split if isinstance(split, dict) else {}


def _kernel_name(kernel) -> str:
    if isinstance(kernel, dict):
        return str(kernel.get("name") or next(iter(kernel), ""))
    return str(kernel or "")


def _plain(value):
    return json.dumps(value, sort_keys=True) if isinstance(value, (dict, list)) else value
