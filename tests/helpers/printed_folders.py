"""Results folders that hold the papers' own numbers: what `check` must call reproduced, and what claims say of them.

Every printed mean becomes as many trials as the paper has runs, with exactly that mean. A method without a star gets
noise far above its distance from the best, a starred one hardly any: tests find the printed stars and no others.
"""

import csv
import hashlib

import numpy as np
import yaml

from gpbench.experiment.results.trial_result import COLUMNS
from gpbench.papers import printed_numbers

WIGGLE = np.array([-1.0, 1.0, -0.5, 0.5, -0.2, 0.2, -0.8, 0.8, -0.3, 0.3])  # mean 0
OUR_METHOD = {
    "NLPP": "nlpp", "NLML": "nlml", "LOO-CVE": "loo-cve", "NLGPP": "nlgpp", "GPE": "gpe", "FIXED-SB": "sb",
    "ADAPT-INFO": "info", "ADAPT-DMAX": "dmax", "k_se": "ep", "k_pp3": "ep-sparse", "FIC": "ep-fic", "FITC": "fitc",
}  # fmt: skip
KERNEL = {"k_pp3": "pp3"}
COLUMN = {
    "NMSE": "nmse", "NPDL": "nlpd", "NLPD": "nlpd_latent", "n_basis": "n_basis", "err": "err", "nlpd": "nlpd",
    "negative log likelihood": "log_evidence", "optimisation time": "adapt_seconds",
}  # fmt: skip
KEY = {"fill-L": "fill_L", "fill-K": "fill_K", "single EP run time": "ep_seconds"}


def write_all(folder, runs=None):
    """One folder per printed item that has results; returns their paths. `runs`: trials, if not the paper's number."""
    items = dict.fromkeys((c.paper, c.item) for c in printed_numbers.cells() if c.method and c.key != "outaouais")
    return [write_item(folder, paper, item, runs) for paper, item in items]


def wiggles(cell, runs):
    """One number for each trial, of mean 0."""
    n = runs or (10 if np.isnan(cell.runs) else int(cell.runs))
    return np.resize(WIGGLE, n) if n % len(WIGGLE) == 0 else WIGGLE[:n] - WIGGLE[:n].mean()


def write_item(folder, paper, item, runs=None):
    cells = [c for c in printed_numbers.cells(paper) if c.item == item and c.method]
    out = folder / f"{paper}-{item}".replace(" ", "").replace("(", "").replace(")", "")
    out.mkdir()
    rows, curves, methods = {}, [], {}
    for cell in cells:
        label = label_of(cell)
        adapted = "optimised" in cell.variant or "adapted" in cell.variant
        schedule = "interleaved" if adapted else "fixed"
        methods[label] = {
            "method": OUR_METHOD[cell.method], "label": label, "hyperparameters": {"schedule": schedule},
            "kernel": {"name": KERNEL.get(cell.method, "ard-se")},
        }  # fmt: skip
        for t, wiggle in enumerate(wiggles(cell, runs)):
            key = (cell.key, label, cell.n_train, t)
            row = rows.setdefault(key, blank(cell, label, key))
            value = (cell.value + wiggle * noise(cell, cells)) / cell.factor
            if cell.metric in COLUMN:
                row[COLUMN[cell.metric]] = repr(float(value))
            elif cell.metric in KEY:
                curves.append((row["trial_id"], "", KEY[cell.metric], unrounded(cell, cells) / cell.factor))
    write_csv(out / "results.csv", COLUMNS, [[r[c] for c in COLUMNS] for r in rows.values()])
    write_csv(out / "curves.csv", ("trial_id", "step", "key", "value"), curves)
    test = {"test": "wilcoxon-rank-sum", "alpha": 0.01} if paper == "keerthi" else {"test": "paired-t", "alpha": 0.05}
    config = {"name": out.name.lower(), "methods": list(methods.values()), "compare": test}
    (out / "config.resolved.yaml").write_text(yaml.safe_dump(config | {"published": {"paper": paper, "item": item}}))
    return out


def unrounded(cell, cells):
    """The printed ratio fill-L/fill-K is of unrounded percentages: take the fill-K that it asks for."""
    beside = {c.metric: c.value for c in cells if (c.dataset, c.n_train) == (cell.dataset, cell.n_train)}
    if cell.metric == "fill-K" and "fill-L/fill-K" in beside:
        return beside["fill-L"] / beside["fill-L/fill-K"]
    return cell.value


def label_of(cell):
    if cell.paper == "cao":
        return {"m": "FITC-uniform", "p": "FITC-poor"}[cell.variant[0]]
    return cell.method + (" cached" if "with cache" in cell.variant else "")


def blank(cell, label, key):
    identity = hashlib.sha256(repr((cell.paper, cell.item, *key)).encode()).hexdigest()[:16]
    cached = "with cache" in cell.variant
    return dict.fromkeys(COLUMNS, "") | {
        "trial_id": identity, "dataset": cell.key, "method": OUR_METHOD[cell.method], "label": label,
        "d_max": 500 if cell.paper == "keerthi" else 200, "cache": 241 if cached else 0, "trial": key[-1], "seed": 0,
        "status": "ok", "n_train": int(cell.n_train), "n_test": 1000,
    }  # fmt: skip


def noise(cell, cells):
    """Half-width of the trials around the printed mean."""
    if cell.metric not in ("NMSE", "NPDL", "NLPD"):
        return 0.0
    gap = cell.value - min(c.value for c in cells if same_column(c, cell))
    return 0.1 * gap if cell.flag == "significantly worse" else 20 * gap


def same_column(a, b):
    apart = a.paper == "keerthi" or a.variant == b.variant
    return apart and (a.dataset, a.metric, a.n_train) == (b.dataset, b.metric, b.n_train)


def write_csv(file, head, rows):
    with open(file, "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def printed_number(**changes):
    fields = {
        "paper": "sundararajan", "item": "Table 2", "dataset": "Abalone", "method": "NLML", "variant": "",
        "metric": "NMSE", "text": "42.0", "std_text": "", "unit": "x1e-2", "flag": "", "n_train": 3000.0, "runs": 20.0,
        "note": "",
    }  # fmt: skip
    return printed_numbers.Printed(**fields | changes)
