"""How long a plan may take, for the dry run: measured on similar finished trials if there are any, else from flops.

The flop count is rough (within a factor of three either way): a method says how many operations a fit takes
(`Method.operations`), a machine does ten GFLOP/s, and each job takes 0.3 s besides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from gpbench import catalog
from gpbench.experiment.plan.full_gp_key import full_gp_evaluations
from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.gp.learning.sizes import usual_subset
from gpbench.methods.families.exact import SETTLED
from gpbench.system.memory import too_large

from .jobs import jobs_for
from .messages import Job
from .pending import pending_trials

_RATE = 1e10  # flop/s of one thread
OVERHEAD = 0.3  # seconds of a job: start of the process, data, files
_UNKNOWN_ROWS = 1000
_UNKNOWN_BASIS = 500


@dataclass(frozen=True)
class Estimate:
    trials: int
    missing: list[Trial]
    stale: int  # finished trials that an older version computed
    jobs: int
    seconds: float  # with one process; divide by --jobs
    measured: int  # jobs whose time comes from finished trials; the others' comes from the flop count

    @property
    def done(self) -> int:
        return self.trials - len(self.missing)


def estimate(
    trials: list[Trial], store: ResultsFolder, rerun: str = "", predictions: bool = False,
    metrics: tuple[str, ...] = (), taken: frozenset[str] = frozenset(), whole_paths: bool = False,
) -> Estimate:  # fmt: skip
    """How long the missing trials may take, without those `taken`, whose results come from other folders."""
    left = [t for t in trials if t.id not in taken]
    known = store.inventory(left, predictions=predictions, whole_paths=whole_paths)
    missing = pending_trials(left, known, rerun, predictions, metrics)
    times = _known_seconds([*known.stale.values(), *known.results.values()])
    queue = jobs_for(missing, lambda key: store.shared_path(key).exists())
    seconds, measured = 0.0, 0
    for job in (state.job for state in queue.waiting):
        like = None if job.makes_full_gp else times.get(_like(job.trials[-1]))
        measured += like is not None
        seconds += OVERHEAD + (model_seconds(job) if like is None else like)
    stale = len(known.stale.keys() - {t.id for t in missing})
    return Estimate(len(trials), missing, stale, len(queue.waiting), seconds, measured)


def _like(trial: Trial) -> tuple[object, ...]:
    """Equal for trials that are expected to take equally long."""
    return trial.dataset_name, trial.method, trial.params.get("d_max")


def _known_seconds(results: list[TrialResult]) -> dict[tuple[object, ...], float]:
    """Mean seconds of fit and prediction by data set, method and size."""
    times: dict[tuple[object, ...], list[float]] = {}
    for r in results:
        if r.status == "ok":
            times.setdefault(_like(r.trial), []).append((r.seconds.get("fit") or 0) + (r.seconds.get("predict") or 0))
    return {key: sum(values) / len(values) for key, values in times.items()}


def model_seconds(job: Job) -> float:
    """Seconds by the flop count of this module's docstring; a nested path takes as long as its largest size."""
    trial = job.trials[-1]
    n, h = rows(trial), trial.hyperparameters
    if job.makes_full_gp:
        evaluations = min(full_gp_evaluations(h), SETTLED if trial.shared_learner >= 3 else math.inf)
        return float(2.0 * evaluations * min(n, h["subset"] or usual_subset(n)) ** 3 / _RATE)
    evaluations = {"fixed": 0, "joint": h.get("evaluations", 200)}.get(
        h["schedule"], h.get("rounds", 10) * h.get("evaluations", 20)
    )
    m = min(trial.params.get("d_max") or _UNKNOWN_BASIS, n)
    return float(catalog.find("method", trial.method).operations(n, m, evaluations) / _RATE)


def rows(trial: Trial) -> int:
    """Number of training rows, as far as the plan says without loading the data."""
    total = trial.dataset.get("n_train")
    if total is None and (name := trial.dataset.get("name")) and (shape := catalog.find("dataset", name).shape):
        k = trial.split.get("k", 10)
        total = shape[0] * (k - 1) // k if trial.split.get("kind") == "folds" else round(0.9 * shape[0])
    if "csv" in trial.dataset:
        total = round(0.9 * (_lines(trial.dataset["csv"]) - 1))
    return trial.split.get("n_train") or total or _UNKNOWN_ROWS


@cache
def _lines(path: str) -> int:
    """Number of line ends in a file; 0 if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return 0


def memory_warnings(trials: list[Trial]) -> list[str]:
    """One sentence for each method whose matrices of the trials' training rows exceed this machine's memory."""
    dense = {(t.method, rows(t)) for t in trials if catalog.find("method", t.method).dense}
    return [why for method, n in sorted(dense) if (why := too_large(method, n))]
