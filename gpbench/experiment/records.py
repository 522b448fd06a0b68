"""A trial (what determines one number) and its result, as they travel between plan, worker, disk and report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from gpbench.text import printable
from gpbench.versions import lower

COLUMNS = (  # of results.csv, in this order
    "trial_id", "dataset", "method", "label", "d_max", "cache", "trial", "seed", "status", "reason", "n_train",
    "n_test", "nmse", "nlpd", "nlpd_latent", "smse", "snlp", "err", "n_basis", "log_evidence", "fit_seconds",
    "select_seconds", "adapt_seconds", "predict_seconds", "kernel_rows", "peak_mb",
)  # fmt: skip
METRICS = ("nmse", "nlpd", "nlpd_latent", "smse", "snlp", "err")
STATUSES = ("ok", "failed", "crashed", "oom", "timeout", "invalid", "nonpsd", "skipped")


def digest(content: Any) -> str:
    """Short stable hash of plain data."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Trial:
    """One cell of the grid. All fields but `label` determine the number and enter the id."""

    dataset: dict  # {"name": ..., options of the source}; a user's file: {"csv": path, "target": ..., "sha256": ...}
    split: dict  # {"kind": "random", "n_train": 481, "n_test": 25}
    scale: dict  # {"inputs": "standardise", "target": "standardise"}
    kernel: dict  # {"name": "ard-se", "bias": False, ...} or {"sum": [...]}, {"product": [...]}
    hyperparameters: dict  # {"schedule": "fixed", "from": "full-gp", "subset": 200}
    method: str
    params: dict  # every parameter of the method, defaults filled in
    scoring: dict  # {"nmse_variance": "dataset"|"test", "target_units": "raw"|"standardised"}
    seed: int
    index: int  # which of the config's trials
    code: str = ""  # hashes of plug-in files involved
    label: str = ""  # how tables call it
    versions: dict = field(default_factory=dict)  # raised ones: {"method": 2, "kernel pp3": 2, "learner": 2}

    @cached_property
    def id(self) -> str:
        return digest(self._content | ({"versions": self.versions} if self.versions else {}))

    @property
    def _content(self) -> dict:
        """What the method computes, whichever version of it: all that random streams may depend on."""
        return {k: v for k, v in asdict(self).items() if k not in ("label", "versions")}

    @cached_property
    def data_key(self) -> str:
        """What paired methods share: split, full-GP subset and start order are drawn from this."""
        return digest([self.dataset, self.split, self.seed, self.index])

    @cached_property
    def path_key(self) -> str:
        """The method's own random stream: everything but d_max and the versions of the code."""
        return digest(self._content | {"params": {k: v for k, v in self.params.items() if k != "d_max"}})

    @property
    def job_key(self) -> tuple:
        """Trials that one nested path can serve."""
        return self.path_key, *sorted(self.versions.items())

    @property
    def learner(self) -> int:
        """Version of the learner of hyperparameters (`hyperparameters: {learner: 1}` in a config)."""
        return self.versions.get("learner", 1)

    @property
    def shared_learner(self) -> int:
        """Of the full GP whose hyperparameters this trial keeps or starts from."""
        return self.versions.get("learner" if self.hyperparameters["schedule"] == "fixed" else "start_learner", 1)

    def earlier(self) -> Iterator[Trial]:
        """The same trial at every lower combination of versions, the latest first."""
        yield from (replace(self, versions=versions) for versions in lower(self.versions))

    @property
    def dataset_name(self) -> str:
        return self.dataset.get("name") or self.dataset["csv"]


@dataclass
class Result:
    """What trials/<id>.json holds (and failures/<id>.json, for a status other than ok or skipped)."""

    trial: Trial
    status: str = "ok"
    reason: str = ""
    n_train: int | None = None
    n_test: int | None = None
    metrics: dict[str, float | None] = field(default_factory=dict)  # keys of METRICS; None where not applicable
    n_basis: int | None = None
    log_evidence: float | None = None
    seconds: dict[str, float] = field(default_factory=dict)  # fit, select, adapt, predict
    kernel_rows: int | None = None
    peak_mb: float | None = None
    theta: dict[str, Any] = field(default_factory=dict)  # natural values, on the scaled data
    trace: list[dict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # jitter used, simulated data, rounded copy, ...
    data_sha256: str = ""
    env: str = ""  # id of env/<id>.json

    def __post_init__(self):
        """Texts of methods and of exceptions are fit for files and terminals, whatever was raised or stored."""
        self.reason, self.notes = printable(self.reason), [printable(str(note)) for note in self.notes]

    def row(self) -> dict[str, Any]:
        """One line of results.csv."""
        t = self.trial
        out = dict.fromkeys(COLUMNS)
        out |= {
            "trial_id": t.id, "dataset": t.dataset_name, "method": t.method, "label": t.label or t.method,
            "d_max": t.params.get("d_max"), "cache": t.params.get("cache"), "trial": t.index, "seed": t.seed,
            "status": self.status, "reason": self.reason, "n_train": self.n_train, "n_test": self.n_test,
            **{m: self.metrics.get(m) for m in METRICS},
            "n_basis": self.n_basis, "log_evidence": self.log_evidence,
            **{f"{k}_seconds": self.seconds.get(k) for k in ("fit", "select", "adapt", "predict")},
            "kernel_rows": self.kernel_rows, "peak_mb": self.peak_mb,
        }  # fmt: skip
        return out
