"""The key of the full-GP fit whose hyperparameters several trials use, and what that fit draws from."""

from __future__ import annotations

from gpbench import catalog
from gpbench.versions import raised

from .trial import Trial, digest
from .trial_id import shared_plugin_code

_FIRST_KEYS = (  # of `hyperparameters`; those that came later enter the key of shared work by themselves
    "schedule", "from", "subset", "subset_of", "values", "rounds", "evaluations", "start_evaluations", "optimiser",
    "restarts", "prior",
)  # fmt: skip


def full_gp_key(trial: Trial) -> str | None:
    """Names the full-GP fit that this trial starts from or keeps; None when it needs none."""
    if trial.hyperparameters.get("from") != "full-gp" or catalog.find("method", trial.method).learns_itself:
        return None
    versions = {k: v for k, v in trial.versions.items() if k not in ("method", "learner", "start_learner")}
    versions |= raised({"learner": trial.shared_learner})
    return digest([full_gp_stream_key(trial), versions]) if versions else full_gp_stream_key(trial)


def full_gp_stream_key(trial: Trial) -> str:
    """What the shared fit draws from: the versions of the code play no part."""
    h = trial.hyperparameters
    settings = [h["subset"], h.get("subset_of", "train"), full_gp_evaluations(h)]
    settings += [h.get(k) for k in ("optimiser", "restarts", "prior")]
    if added := {k: v for k, v in h.items() if k not in _FIRST_KEYS}:  # there only where they differ from the default
        settings.append(added)
    code = shared_plugin_code(trial.dataset, trial.kernel)  # edits of a method leave shared work as it is
    return digest([trial.data_key, trial.scale, trial.kernel, settings, code])


def full_gp_evaluations(h: dict) -> int:
    """Of the full GP's evidence; `evaluations` itself belongs to the method when the schedule is not `fixed`."""
    return h.get("evaluations" if h["schedule"] == "fixed" else "start_evaluations", 200)
