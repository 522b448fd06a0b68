"""The key of a full-GP fit whose hyperparameters several trials use, and the key of its random stream."""

from __future__ import annotations

from gpbench import catalog
from gpbench.versions import raised

from .trial import Trial, digest
from .trial_id import shared_plugin_code

_FIRST_KEYS = (  # of `hyperparameters`; later keys enter the key only if they differ from their default
    "schedule", "from", "subset", "subset_of", "values", "rounds", "evaluations", "start_evaluations", "optimiser",
    "restarts", "prior",
)  # fmt: skip


def full_gp_key(trial: Trial) -> str | None:
    """Key of the full-GP fit that this trial starts from or keeps; None if it needs none."""
    if trial.hyperparameters.get("from") != "full-gp" or catalog.find("method", trial.method).learns_itself:
        return None
    versions = {k: v for k, v in trial.versions.items() if k not in ("method", "learner", "start_learner")}
    versions |= raised({"learner": trial.shared_learner})
    return digest([full_gp_stream_key(trial), versions]) if versions else full_gp_stream_key(trial)


def full_gp_stream_key(trial: Trial) -> str:
    """Key of the random stream of the full-GP fit; it does not depend on versions of the code."""
    h = trial.hyperparameters
    settings = [h["subset"], h.get("subset_of", "train"), full_gp_evaluations(h)]
    settings += [h.get(k) for k in ("optimiser", "restarts", "prior")]
    if added := {k: v for k, v in h.items() if k not in _FIRST_KEYS}:  # present only if they differ from the default
        settings.append(added)
    code = shared_plugin_code(trial.dataset, trial.kernel)  # the full-GP fit does not depend on the method's code
    return digest([trial.data_key, trial.scale, trial.kernel, settings, code])


def full_gp_evaluations(h: dict) -> int:
    """Evaluations of the full-GP fit; with a schedule other than `fixed`, `evaluations` belongs to the method."""
    return h.get("evaluations" if h["schedule"] == "fixed" else "start_evaluations", 200)
