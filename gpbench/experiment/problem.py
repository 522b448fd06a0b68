"""From a trial to what its method sees: data, split, scaling, kernel, hyperparameters. Equal for paired methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench import catalog, data
from gpbench.data.dataset import Dataset, Split
from gpbench.data.scaling import Scaler
from gpbench.data.splits import draw
from gpbench.kernels.build import build_kernel
from gpbench.learning.full_gp import fit_hyperparameters, neutral_start
from gpbench.methods.base import GP, Problem, Schedule

from . import seeds
from .jobs import shared_evaluations, shared_key
from .records import Trial


@dataclass(frozen=True)
class Setting:
    """One draw of the data with its scaling; raw data stay at hand for the scores."""

    dataset: Dataset
    split: Split
    scaler: Scaler
    order: np.ndarray  # (n_train,) shared random order of the training rows

    @property
    def X_test(self):
        return self.dataset.X[self.split.test]

    @property
    def y_test(self):
        return self.dataset.y[self.split.test]

    def scaled(self, rows):
        """Inputs and targets of some rows of the data as the method sees them."""
        X, y = self.dataset.X[rows], self.dataset.y[rows]
        return self.scaler.inputs(X), self.scaler.target(y, X)


def setting_of(trial: Trial) -> Setting:
    name = trial.dataset.get("name")
    per_trial = bool(name) and catalog.find("dataset", name).per_trial
    dataset = data.load(trial.dataset, seeds.data(trial, per_trial))
    split = draw(dataset, trial.split, seeds.split(trial), trial.index)
    scaler = Scaler.fit(dataset.X[split.train], dataset.y[split.train], trial.scale, dataset.task)
    return Setting(dataset, split, scaler, seeds.order(trial).permutation(len(split.train)))


def start(kernel_spec: dict, values: dict | None, X, y) -> GP:
    """The kernel's own start with the given natural values in place of some or all of it."""
    gp = neutral_start(build_kernel(kernel_spec, X), y)
    if not values:
        return gp
    known = {n.split("[")[0] for n in gp.kernel.names} | {"noise"}
    if unknown := set(values) - known:
        raise ValueError(f"hyperparameters {sorted(unknown)} are not among {sorted(known)} of this kernel")
    kernel = gp.kernel.with_values({k: v for k, v in values.items() if k != "noise"})
    return GP(kernel, float(values.get("noise", gp.noise)))


def problem_of(trial: Trial, setting: Setting, shared: dict | None) -> Problem:
    """`shared` is what `shared_fit` found for this trial, where it asks for that."""
    X, y = setting.scaled(setting.split.train)
    h = trial.hyperparameters
    gp = start(trial.kernel, h.get("values"), X, y)
    if shared is not None:
        gp = GP(gp.kernel.with_theta(np.array(shared["theta"])), shared["noise"])
    options = {k: h[k] for k in ("evaluations", "rounds", "optimiser", "restarts", "prior") if k in h}
    return Problem(X, y, gp, Schedule(kind=h["schedule"], **options), setting.order, setting.dataset.task)


def shared_fit(trial: Trial) -> dict:
    """Hyperparameters of a full GP on a random subset: work that every paired method of this trial shares."""
    setting, h = setting_of(trial), trial.hyperparameters
    if h.get("subset_of", "train") == "data":
        rows = seeds.stream("subset", trial.data_key).permutation(setting.dataset.n)[: h["subset"]]
    else:
        rows = setting.split.train[setting.order[: h["subset"]]]
    X, y = setting.scaled(rows)
    rng = seeds.shared(shared_key(trial))
    options = (shared_evaluations(h), h.get("optimiser", "lbfgs"), h.get("restarts", 1))
    gp, info = fit_hyperparameters(X, y, start(trial.kernel, None, X, y), *options, rng)
    return {"theta": gp.kernel.theta, "noise": float(gp.noise), "values": gp.values(), "rows": len(rows), "info": info}
