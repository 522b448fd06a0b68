"""The result of one trial: status, metrics, times and trace."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from gpbench.experiment.plan.trial import Trial
from gpbench.text import printable

from .checked_files import Damaged

SCHEMA = 2  # of this format; version 1 has no `schema` and no `source`

COLUMNS = (  # of results.csv, in this order
    "trial_id", "dataset", "method", "label", "d_max", "cache", "trial", "seed", "status", "reason", "n_train",
    "n_test", "nmse", "nlpd", "nlpd_latent", "smse", "snlp", "err", "n_basis", "log_evidence", "fit_seconds",
    "select_seconds", "adapt_seconds", "predict_seconds", "kernel_rows", "peak_mb", "learn_seconds", "cpu_seconds",
    "rmse", "mae", "crps", "coverage", "log_loss", "brier", "ece", "deviance",
)  # fmt: skip
FIRST_COLUMNS = COLUMNS[: COLUMNS.index("learn_seconds")]  # what every folder has; the others came later
Status = Literal["ok", "failed", "crashed", "oom", "timeout", "invalid", "nonpsd", "skipped", "lost"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass
class TrialResult:
    """Content of trials/<id>.json (status ok or skipped) or failures/<id>.json (any other status)."""

    trial: Trial
    status: str = "ok"
    reason: str = ""
    n_train: int | None = None
    n_test: int | None = None
    metrics: dict[str, float | None] = field(default_factory=dict)  # by name; None where not applicable
    n_basis: int | None = None
    log_evidence: float | None = None
    # wall: learn (shared), fit, of it select and adapt, predict; cpu: of learn, fit and predict together
    seconds: dict[str, float] = field(default_factory=dict)
    kernel_rows: int | None = None
    peak_mb: float | None = None
    theta: dict[str, Any] = field(default_factory=dict)  # natural values, on the scaled data
    trace: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # jitter used, simulated data, rounded copy, ...
    data_sha256: str = ""
    env: str = ""  # id of env/<id>.json
    source: str = ""  # hash of the numerical source code, for information
    schema: int = SCHEMA
    unknown: dict[str, Any] = field(default_factory=dict)  # fields of another version, written back unchanged

    def __post_init__(self) -> None:
        """Make texts of methods and exceptions safe for files and terminals."""
        self.reason, self.notes = printable(self.reason), [printable(str(note)) for note in self.notes]

    @classmethod
    def read(cls, body: Any, trial: Trial) -> TrialResult:
        """From the output of `plain`, of this or another version of gpbench; Damaged if it is not a result."""
        if not isinstance(body, dict) or not isinstance(body.get("status"), str):
            raise Damaged("holds no status")
        if body["status"] == "ok" and not (isinstance(body.get("metrics"), dict) and body["metrics"]):
            raise Damaged("holds no metrics")
        known = {f.name for f in fields(cls)} - {"trial", "unknown"}
        unknown = {k: v for k, v in body.items() if k not in known and k != "trial"}
        return cls(trial, **{"schema": 1} | {k: v for k, v in body.items() if k in known}, unknown=unknown)

    def plain(self) -> dict[str, Any]:
        body = asdict(self)
        return dict(body.pop("unknown") | body)

    def row(self) -> dict[str, Any]:
        """One line of results.csv."""
        t = self.trial
        out = dict.fromkeys(COLUMNS)
        out |= {
            "trial_id": t.id, "dataset": t.dataset_name, "method": t.method, "label": t.label or t.method,
            "d_max": t.params.get("d_max"), "cache": t.params.get("cache"), "trial": t.index, "seed": t.seed,
            "status": self.status, "reason": self.reason, "n_train": self.n_train, "n_test": self.n_test,
            **self.metrics,
            "n_basis": self.n_basis, "log_evidence": self.log_evidence,
            **{f"{k}_seconds": self.seconds.get(k) for k in ("fit", "select", "adapt", "predict", "learn", "cpu")},
            "kernel_rows": self.kernel_rows, "peak_mb": self.peak_mb,
        }  # fmt: skip
        return out
