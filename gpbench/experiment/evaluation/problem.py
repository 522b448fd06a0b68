"""Build the problem that a trial's method gets: data, kernel and hyperparameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from itertools import count

import numpy as np

from gpbench.data.dataset import REGRESSION, Kind
from gpbench.data.readonly import read_only
from gpbench.data.scaling import large
from gpbench.experiment.plan import random_streams
from gpbench.experiment.plan.full_gp_key import full_gp_evaluations, full_gp_stream_key
from gpbench.experiment.plan.trial import Trial
from gpbench.gp.inference import exact
from gpbench.gp.inference.row_noise import RowNoise
from gpbench.gp.kernels.base import Kernel
from gpbench.gp.kernels.build import alternatives, build_kernel, names_in
from gpbench.gp.learning import ladder
from gpbench.gp.learning.few_rows import are_few
from gpbench.gp.learning.full_gp import fit_hyperparameters, neutral_start
from gpbench.gp.learning.kernel_choice import evidence_note, learn_each
from gpbench.gp.learning.learner import HyperparameterSearch, OptimiserOptions
from gpbench.gp.learning.sizes import usual_subset
from gpbench.methods.base import GP, Problem, Schedule
from gpbench.recorder import Recorder

from .timing import now, wall
from .trial_data import TrialData, trial_data

STARTED_ON = 10_000  # rows, of data beyond memory, from which a kernel computes its start
Tell = Callable[[str], object]


def start(kernel: dict | Kernel, values: dict | None, X, y) -> GP:
    """The kernel's own start, with the given natural values in place of some or all of its parameters."""
    gp = neutral_start(kernel if isinstance(kernel, Kernel) else build_kernel(kernel, X), y)
    if not values:
        return gp
    known = {n.split("[")[0] for n in gp.kernel.names} | {"noise"}
    if unknown := set(values) - known:
        raise ValueError(f"hyperparameters {sorted(unknown)} are not among {sorted(known)} of this kernel")
    kernel = gp.kernel.with_values({k: v for k, v in values.items() if k != "noise"})
    return GP(kernel, float(values.get("noise", gp.noise)))


def _settled(kernel: Kernel) -> Kernel:
    """The same kernel with read-only copies of its parameter vector and of those of its parts."""
    found = kernel.with_theta(np.array(kernel.theta, dtype=float))
    _freeze(found)
    return found


def _freeze(kernel: Kernel) -> None:
    kernel.theta.setflags(write=False)
    for part in getattr(kernel, "parts", ()):
        _freeze(part)


def problem_of(trial: Trial, data: TrialData, shared: dict | None) -> Problem:
    """The problem of a trial; `shared` is the result of `shared_fit`, if the trial needs one."""
    X, y = data.scaled(data.split.train)
    rules = trial.kernel, trial.hyperparameters, trial.learner
    return posed(X, y, data.order, *rules, shared, data.dataset.kind, data.row_noise(data.split.train))


def _telling(tell: Tell | None, rows: RowNoise | None):
    """The exact evidence; `tell` gets a message about each evaluation."""
    if tell is None:
        return exact.evaluate if rows is None else partial(exact.evaluate, rows=rows)
    done = count(1)

    def evaluate(gp, X, y):
        found = exact.evaluate(gp, X, y, rows=rows)
        tell(f"full GP on {len(y)} rows, evaluation {next(done)}, log evidence {found[0]:.1f}")
        return found

    return evaluate


def posed(
    X, y, order, kernel: dict | Kernel, h: dict, learner: int, shared: dict | None, kind: Kind = REGRESSION,
    rows: RowNoise | None = None,
) -> Problem:  # fmt: skip
    """The problem of scaled rows; `h`: the trial's `hyperparameters`, `learner`: version of the search.

    Its arrays are read-only: the method may be a plug-in.
    """
    X, y, order = read_only(X), read_only(y), read_only(order)
    few = X[order[:STARTED_ON]] if large(X) else X
    given = shared or {}
    learned = given.get("kernels") or [{"kernel": kernel, **given}]
    starts = learned if shared else [{"kernel": k} for k in kernels_of(kernel)]
    gp, *others = [_start_at(one, h.get("values"), few, y) for one in starts]
    options = {k: h[k] for k in ("evaluations", "rounds", "guard", "optimiser", "restarts", "prior") if k in h}
    options["learner"] = HyperparameterSearch(learner, h.get("bounds"))
    schedule = Schedule(kind=h["schedule"], **options)
    more = {"learned_on": given.get("rows"), "others": tuple(others), "rows": rows, "classes": kind.classes}
    return Problem.of(X, y, gp, schedule, order, kind.task, **more)


def _start_at(found: dict, values: dict | None, X, y) -> GP:
    """The kernel's start, or the values that a full GP found."""
    gp = start(found["kernel"], values, X, y)
    if "theta" in found:
        gp = GP(gp.kernel.with_theta(np.array(found["theta"])), found["noise"])
    return GP(_settled(gp.kernel), gp.noise)


def kernels_of(kernel: dict | Kernel) -> list[dict | Kernel]:
    """The kernel, or those that `auto` chooses among."""
    return [kernel] if isinstance(kernel, Kernel) else alternatives(kernel)


def shared_fit(trial: Trial, tell: Tell | None = None, data: TrialData | None = None) -> dict:
    """Fit the full GP on a random subset whose hyperparameters all paired methods of this trial use.

    `tell` gets a message after every evaluation; `data` are the trial's data, if they are loaded already.
    """
    data, h, started = data or trial_data(trial), trial.hyperparameters, now()
    if h.get("subset_of", "train") == "data":
        rows = random_streams.stream("subset", trial.data_key).permutation(data.dataset.n)
    else:
        rows = data.split.train[data.order]
    rows = rows[: h["subset"] or usual_subset(len(rows), *data.dataset.X.shape[1:])]
    rng = random_streams.shared(full_gp_stream_key(trial))
    found = full_gp(*data.scaled(rows), trial.kernel, h, trial.shared_learner, rng, tell, data.row_noise(rows))
    return found | {"seconds": asdict(now() - started)}


def full_gp(
    X, y, kernel: dict | Kernel, h: dict, learner: int, rng, tell: Tell | None = None, rows: RowNoise | None = None
) -> dict:  # fmt: skip
    """Hyperparameters of a full GP on these scaled rows; of `kernel: auto` those of each kernel, the best first."""
    X, y = read_only(X), read_only(y)  # the kernel may be a plug-in
    search = HyperparameterSearch(learner, h.get("bounds"))
    options = OptimiserOptions(full_gp_evaluations(h), h.get("optimiser", "lbfgs"), h.get("restarts", 1), search)
    by_ladder = search.version >= 3 and options.optimiser == "lbfgs"
    fit = ladder.fit_hyperparameters if by_ladder else fit_hyperparameters

    def plain(gp, info) -> dict:
        return {"theta": gp.kernel.theta, "noise": float(gp.noise), "values": gp.values(), "rows": len(y), "info": info}

    kernels = kernels_of(kernel)
    starts = [start(one, None, X, y) for one in kernels]
    more = options, rng, _telling(tell, rows), Recorder(wall)
    if len(kernels) == 1:
        return plain(*fit(X, y, starts[0], *more))
    found = learn_each(X, y, starts, *more)
    listed = [
        {"kernel": kernels[one.number], "theta": one.gp.kernel.theta, "noise": float(one.gp.noise)} for one in found
    ]
    note = evidence_note([" with ".join(names_in(one["kernel"])) for one in listed], found, len(kernels), are_few(X))
    return plain(found[0].gp, found[0].info) | {"kernels": listed, "notes": [note]}
