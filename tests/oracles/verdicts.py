"""The verdict on a printed number from the definition: plain files, plain arithmetic, nothing of gpbench.report."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import yaml
from scipy import stats

CACHE = {"fixed hyperparameters, no cache": "0", "fixed hyperparameters, with cache": "241"}
COLUMN = {"NMSE": "nmse", "NPDL": "nlpd", "NLPD": "nlpd_latent", "n_basis": "n_basis", "err": "err", "nlpd": "nlpd"}
DATASET = {"Boston housing": "boston", "2D simulated": "clusters2d", "5D simulated": "clusters5d"}


def printed_rows(folder: Path, paper: str):
    with open(folder / f"{paper}.csv", encoding="utf-8", newline="") as f:
        return [r for r in csv.DictReader(f) if r["value"] and r["method"]]


def our_values(results: Path, printed: dict) -> list[float]:
    """The numbers of one printed cell, straight from results.csv, in the printed unit; [] if it is no plain column."""
    item = printed["table_or_figure"].lower().replace(" ", "")
    file = results / f"{printed['paper']}-{item}" / "results.csv"
    column = COLUMN.get(printed["metric"])
    if column is None or not file.is_file():
        return []
    published = yaml.safe_load((file.parent / "config.resolved.yaml").read_text())["published"]
    given = (published[0] if isinstance(published, list) else published).get(
        "spent", 0
    )  # trials that chose the protocol
    name = DATASET.get(printed["dataset"], printed["dataset"].lower())
    factor = 100 if printed["unit_scale"] in ("x1e-2", "percent") else 1
    found = []
    with open(file, encoding="utf-8", newline="") as f:
        for r in csv.DictReader(f):
            if r["status"] != "ok" or r["dataset"] != name or r["label"] != printed["method"]:
                continue
            cache = CACHE.get(printed["variant"])
            if cache is not None and (float(r["cache"] or 0) > 0) != (cache != "0"):
                continue
            spent = max(given.get(name, 0), given.get(r["label"], 0)) if isinstance(given, dict) else given
            if int(r["trial"]) < spent:
                continue
            found.append(float(r[column]) * factor)
    return found


def verdict(printed: dict, ours: list[float]) -> str:
    """The table of docs/explanations/check.md, line by line."""
    text = printed["value"]
    value, unit = float(text), 10.0 ** -len(text.partition(".")[2])
    metric, R1 = printed["metric"], len(ours)
    D = {
        "NPDL": 5.0 if printed["unit_scale"] == "x1e-2" else 0.05,
        "nlpd": 0.05,
        "NLPD": 0.25,
    }.get(metric, 0.1 * abs(value))
    D = max(D, unit / 2)
    mean = sum(ours) / R1
    d = mean - value
    s1 = math.sqrt(sum((x - mean) ** 2 for x in ours) / (R1 - 1)) if R1 > 1 else None
    if printed["std"]:
        s0, R0 = float(printed["std"]), float(printed["runs"])
        s1 = s0 if s1 is None else s1
        a, b = s0 * s0 / R0, s1 * s1 / R1
        SE = math.sqrt(a + b + unit * unit / 12)
        bottom = a * a / (R0 - 1) + (b * b / (R1 - 1) if R1 > 1 else 0)
        t = stats.t.ppf(0.975, SE**4 / bottom) if bottom > 0 else 1.96
        if abs(d) <= D and abs(d) <= t * SE and (t * SE <= D or R1 >= R0):
            return "replicated"
        if abs(d) <= D and abs(d) > t * SE:
            return "close"
        if abs(d) <= t * SE:
            return "inconclusive"
    else:
        s1 = s1 or 0.0
        SE = math.sqrt(s1 * s1 * (1 + 1 / R1) + unit * unit / 12)
        t = stats.t.ppf(0.975, R1 - 1) if s1 > 0 else 1.96
        if abs(d) <= D:
            return "close"
        if abs(d) <= t * SE:
            return "inconclusive"
    if metric == "n_basis":
        return "different"
    return "better" if d < 0 else "worse"
