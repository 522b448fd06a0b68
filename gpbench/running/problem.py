"""From a trial to the problem its method sees: the draw of the data, the kernel, the hyperparameters."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from gpbench.kernels.build import build_kernel
from gpbench.learning.full_gp import fit_hyperparameters, neutral_start
from gpbench.learning.learner import Learner
from gpbench.methods.base import GP, Problem, Schedule
from gpbench.planning.trial import Trial

from . import seeds
from .draw import Draw, draw_of
from .job import shared_evaluations, shared_stream_key
from .stopwatch import now


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


def problem_of(trial: Trial, draw: Draw, shared: dict | None) -> Problem:
    """`shared` is what `shared_fit` found for this trial, where it asks for that."""
    X, y = draw.scaled(draw.split.train)
    h = trial.hyperparameters
    gp = start(trial.kernel, h.get("values"), X, y)
    if shared is not None:
        gp = GP(gp.kernel.with_theta(np.array(shared["theta"])), shared["noise"])
    options = {k: h[k] for k in ("evaluations", "rounds", "optimiser", "restarts", "prior") if k in h}
    options["learner"] = Learner(trial.learner, h.get("bounds"))
    return Problem(X, y, gp, Schedule(kind=h["schedule"], **options), draw.order, draw.dataset.task)


def shared_fit(trial: Trial) -> dict:
    """Hyperparameters of a full GP on a random subset: work that every paired method of this trial shares."""
    draw, h, started = draw_of(trial), trial.hyperparameters, now()
    if h.get("subset_of", "train") == "data":
        rows = seeds.stream("subset", trial.data_key).permutation(draw.dataset.n)[: h["subset"]]
    else:
        rows = draw.split.train[draw.order[: h["subset"]]]
    X, y = draw.scaled(rows)
    rng = seeds.shared(shared_stream_key(trial))
    options = (shared_evaluations(h), h.get("optimiser", "lbfgs"), h.get("restarts", 1))
    learner = Learner(trial.shared_learner, h.get("bounds"))
    gp, info = fit_hyperparameters(X, y, start(trial.kernel, None, X, y), *options, rng, learner=learner)
    found = {"theta": gp.kernel.theta, "noise": float(gp.noise), "values": gp.values(), "rows": len(rows), "info": info}
    return found | {"seconds": asdict(now() - started)}
