"""What curves.csv keeps of a trace and of the final hyperparameters (docs/explanations/check.md lists the keys)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

MAX_STEPS, MAX_SIZES = 100, 50  # rows of one trace; of a greedy path, of which there are many
STEP = ("step", "size", "epoch", "evaluation", "round")  # what numbers the rows of a trace, the first that is there
COUNTS = ("bin_rows", "bin_prob", "bin_right", "confusion")  # experiment/evaluation/class_counts.py
UNUSED = (*STEP, "row", "score")  # known from elsewhere, or of no use in a report


def is_path(trace: list[dict]) -> bool:
    """A greedy path: one row per basis vector."""
    return bool(trace) and "size" in trace[0]


def trace_points(trace: list[dict]) -> list[tuple[float, str, float]]:
    """(step, key, value) of a trace, thinned evenly; the lowest `measure`, both ends and keys that few rows have stay.

    Of selection in rounds the last one stays, and of each round the size with the lowest measure (`d_opt`).
    """
    points = []
    if sizes := _sizes_by_round(trace):
        points = [(r, "d_opt", float(size)) for r, (_, size) in sizes.items()]
        trace = [row for row in trace if row.get("round") == max(sizes)]
    most = MAX_SIZES if is_path(trace) else MAX_STEPS
    unused = (*UNUSED, "seconds") if is_path(trace) else UNUSED
    keep = set(range(len(trace)))
    if len(trace) > most:
        keep = set(np.linspace(0, len(trace) - 1, most).round().astype(int).tolist())
        measured = [(row["measure"], i) for i, row in enumerate(trace) if is_number(row.get("measure"))]
        keep |= {min(measured)[1]} if measured else set()
    often = {k for k, count in Counter(k for row in trace for k in row).items() if count > most}
    for i, row in enumerate(trace):
        step = next((row[k] for k in STEP if is_number(row.get(k))), i + 1)
        left_out = unused if i in keep else (*unused, *often)
        points += [(step, k, float(v)) for k, v in row.items() if k not in left_out and is_number(v)]
    return points


def list_points(trace: list[dict]) -> list[tuple[float, str, float]]:
    """Curves that a trace holds whole, as (place in the list, key, value): a fit over one input, all candidates."""
    lists = [(k, v) for row in trace for k, v in row.items() if isinstance(v, list) and k not in COUNTS]
    return [(float(i), k, float(x)) for k, v in lists for i, x in enumerate(v) if is_number(x)]


def count_points(trace: list[dict]) -> list[tuple[float, str, float]]:
    """Counts of class predictions (COUNTS), which are added up over trials, as (place in the list, key, value)."""
    lists = [(k, row[k]) for row in trace for k in COUNTS if k in row]
    return [(float(i), k, float(x)) for k, v in lists for i, x in enumerate(v) if x]


def round_points(trace: list[dict]) -> list[tuple[float, str, float]]:
    """The measure along the selection of every round, thinned, as `measure_of_round_<k>` ([sundararajan] Figure 1)."""
    points = []
    for k in sorted({row["round"] for row in trace if is_number(row.get("round")) and is_path([row])}):
        path = [row for row in trace if row.get("round") == k and is_number(row.get("measure"))]
        keep: Any = np.unique(np.linspace(0, len(path) - 1, MAX_SIZES).round().astype(int)) if path else []
        points += [(path[i]["size"], f"measure_of_round_{k:.0f}", float(path[i]["measure"])) for i in keep]
    return points


def _sizes_by_round(trace: list[dict]) -> dict[float, tuple[float, float]]:
    """round -> (lowest measure, its size)."""
    found: dict[float, tuple[float, float]] = {}
    for row in trace:
        if all(is_number(row.get(k)) for k in ("round", "size", "measure")):
            best = found.get(row["round"])
            found[row["round"]] = min(best, (row["measure"], row["size"])) if best else (row["measure"], row["size"])
    return found


def theta_points(theta: dict) -> list[tuple[str, float]]:
    points = []
    for key, value in theta.items():
        if isinstance(value, list):
            points += [(f"theta.{key}.{i}", float(v)) for i, v in enumerate(value) if is_number(v)]
        elif is_number(value):
            points.append((f"theta.{key}", float(value)))
    return points


def is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value)


def last_of(curves: pd.DataFrame, key: str, rows: pd.DataFrame) -> pd.Series:
    """The last value of a key of curves.csv, by trial_id, of the trials among `rows`."""
    mine = curves[(curves["key"] == key) & curves["trial_id"].isin(rows["trial_id"])]
    return mine.groupby("trial_id")["value"].last()


def along(curves: pd.DataFrame, rows: pd.DataFrame, key: str) -> pd.DataFrame:
    """`key` and `seconds` of the steps that have both, in the order of the steps, for the trials of `rows`."""
    mine = curves[curves["key"].isin(["seconds", key]) & curves["trial_id"].isin(rows["trial_id"])]
    wide = mine.dropna(subset=["step"]).pivot_table(
        index=["trial_id", "step"], columns="key", values="value", aggfunc="last"
    )
    return wide.reindex(columns=["seconds", key]).dropna().reset_index()


def scaled_measures(curves: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Selection measures along the longest paths with dataset, label and `scaled`: each run's range made [0, 1]."""
    curves = curves[curves["key"] == "measure"].dropna(subset=["step"])
    joined = curves.merge(rows[["trial_id", "dataset", "label", "d_max"]], on="trial_id")
    longest = joined.groupby(["dataset", "label"])["d_max"].transform("max")
    joined = joined[joined["d_max"].isna() | (joined["d_max"] == longest)]
    spread = joined.groupby("trial_id")["value"].agg(["min", "max"]).reindex(joined["trial_id"])
    scale = (spread["max"] - spread["min"]).replace(0, 1).to_numpy()
    return joined.assign(scaled=(joined["value"].to_numpy() - spread["min"].to_numpy()) / scale)


def averaged(runs: pd.DataFrame, value: str) -> pd.DataFrame:
    """Mean, std and count over runs at every step that all of them reach; thinned paths are filled in linearly."""
    wide = runs.pivot_table(index="step", columns="trial_id", values=value)
    wide = wide.interpolate(method="index", limit_area="inside").dropna()
    return pd.DataFrame({"mean": wide.mean(axis=1), "std": wide.std(axis=1), "count": wide.notna().sum(axis=1)})


def lists_of(curves: pd.DataFrame, trial_id: str) -> dict[str, np.ndarray]:
    """The curves that a trial's trace holds whole (`list_points`), by key."""
    mine = curves[(curves["trial_id"] == trial_id) & curves["key"].str.contains("_x$|_y$|^fit_|^prior_|_decrease$")]
    return {key: part.sort_values("step")["value"].to_numpy() for key, part in mine.groupby("key")}
