"""Results folders with rows written by hand, for tests of plots and pages."""

import pandas as pd
import yaml

from gpbench.experiment.results.trial_result import COLUMNS
from tests.helpers.paths import FILES

SMALL = FILES / "results-small"  # a committed folder of real trials
NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    r"$\frac{a}{b}$ \input{x}",
    "‏עברית مرحبا",
    "a'b`c",
)


def folder_of(path, datasets=("kin40k-sim",), sizes=(100, 200, 400), labels=("RAND", "SB"), trials=3, published=None):
    """A folder with nmse = 40 / d (1 + trial / 10), fit_seconds = 1e-6 d^2 and a second of learning."""
    path.mkdir()
    rows = []
    for dataset in datasets:
        for k, label in enumerate(labels):
            for d in sizes:
                for t in range(trials):
                    row = dict.fromkeys(COLUMNS, "") | {
                        "trial_id": f"{dataset}{label}{d}{t}", "dataset": dataset, "method": "random", "label": label,
                        "d_max": d, "trial": t, "seed": 0, "status": "ok", "n_train": 1000, "n_test": 100,
                        "nmse": 40 / d * (1 + t / 10) / (k + 1), "n_basis": d, "fit_seconds": 1e-6 * d**2 * (k + 1),
                        "predict_seconds": 1e-5 * d, "learn_seconds": 1.0,
                    }  # fmt: skip
                    rows.append(row)
    pd.DataFrame(rows).to_csv(path / "results.csv", index=False)
    config = {"name": "made", "metrics": ["nmse"], "methods": [{"method": "random", "label": x} for x in labels]}
    (path / "config.resolved.yaml").write_text(yaml.safe_dump(config | ({"published": published} if published else {})))
    return path


def nasty_folder(path):
    """Labels, name, description, reasons and notes that a page could take for something else."""
    folder = folder_of(path, labels=NASTY, datasets=("kin40k-sim", "<b>bold"))
    rows = pd.read_csv(folder / "results.csv", keep_default_na=False)
    rows.loc[:4, ["status", "reason"]] = ["failed", '<svg onload="alert(1)">']
    rows.to_csv(folder / "results.csv", index=False)
    config = yaml.safe_load((folder / "config.resolved.yaml").read_text())
    config |= {"name": "</title><script>alert(1)</script>", "description": "<!-- <script>alert(2)</script>"}
    (folder / "config.resolved.yaml").write_text(yaml.safe_dump(config))
    note = pd.DataFrame(
        [("kin40k-sim", "</p><script>alert(3)</script> & ‏עברית", 3)], columns=["dataset", "note", "trials"]
    )
    note.to_csv(folder / "notes.csv", index=False)
    return folder
