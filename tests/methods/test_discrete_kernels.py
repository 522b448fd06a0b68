"""Methods on kernels without input gradients: what chooses training rows works, what moves inputs is skipped."""

from dataclasses import replace

import numpy as np
import pytest

from gpbench import catalog
from gpbench.errors import NotApplicable
from gpbench.experiment.evaluation import probes
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.learning.full_gp import neutral_start
from gpbench.methods.base import Problem, Schedule
from gpbench.methods.cholqr import CholQR
from tests.oracles.graphs import random_molecule

CHOOSING = [
    ("random", {}), ("vfe", {"inducing": "random"}), ("ivm", {"objective": "free-energy"}),
    ("titsias", {"candidates": 16}),
    ("titsias", {"candidates": 16, "cost_model": "one-by-one"}), ("cholqr", {"z": 8, "epochs": 3}),
    ("cholqr", {"z": 16, "variant": "oi", "epochs": 3}), ("cholqr", {"z": 16, "variant": "aa", "epochs": 3}),
    ("csi", {"z": 5}),
]  # fmt: skip


@pytest.fixture(scope="module", params=["graph", "histogram-intersection"])
def problem(request):
    """Sixty inputs whose target is a function of them: how many oxygens, or how much of the mass is in one bin."""
    rng = np.random.default_rng(4)
    if request.param == "graph":
        X = np.empty(60, dtype=object)
        X[:] = [random_molecule(rng, int(n)) for n in rng.integers(4, 12, 60)]
        y, spec = np.array([float((g.labels == 8).sum()) for g in X]), {"name": "graph"}
    else:
        X, spec = rng.gamma(0.5, size=(60, 12)), {"name": "histogram-intersection", "groups": 3}
        y = X[:, 3] / X.sum(1)
    y = (y - y.mean()) / y.std()
    schedule = Schedule("interleaved", evaluations=15, rounds=2, optimiser="cg")
    return Problem(X, y, neutral_start(build_kernel(spec, X), y), schedule, rng.permutation(60))


def fit(name, problem, **parameters):
    method = catalog.find("method", name)(d_max=12, **parameters)
    return method.fit(problem, np.random.default_rng(0))


@pytest.mark.parametrize("name, parameters", CHOOSING, ids=str)
def test_methods_that_choose_rows_learn_on_discrete_inputs(problem, name, parameters):
    fitted = fit(name, problem, **parameters)
    prediction = fitted.predict(problem.X)
    assert len(np.unique(fitted.pivots)) == fitted.n_basis == 12
    assert np.isfinite(prediction.mean).all() and (prediction.var > 0).all()
    assert np.mean((prediction.mean - problem.y) ** 2) < 0.8  # the targets have variance one


@pytest.mark.parametrize("name", ["plv", "fitc", "vfe"])
def test_methods_that_move_inputs_say_that_they_cannot(problem, name):
    with pytest.raises(NotApplicable, match="kernel has no input gradient"):
        fit(name, problem, optimise_inputs=True)


@pytest.mark.parametrize("start", ["kmeans", "left", "uniform"])
def test_starts_that_need_vectors_say_so_on_graphs(problem, start):
    if problem.X.ndim == 2:
        assert fit("vfe", problem, inducing=start).n_basis == 12
    else:
        with pytest.raises(NotApplicable, match="needs inputs that are vectors"):
            fit("vfe", problem, inducing=start)


@pytest.mark.parametrize("name, parameters", [("ivm", {"objective": "free-energy"}), ("titsias", {}), ("cholqr", {})])
def test_snapshots_trace_every_epoch_and_end_at_the_fitted_model(problem, name, parameters):
    fitted = fit(name, problem, snapshots=True, **parameters)
    assert fitted.trace[-1]["epochs"] == len(fitted.trace)
    assert [row["epoch"] for row in fitted.trace] == list(range(1, len(fitted.trace) + 1))
    assert all(np.isfinite(row["objective"]) for row in fitted.trace)
    along = [(at, predict(problem.X)) for at, predict in fitted.models]
    assert [at["epoch"] for at, _ in along] == [row["epoch"] for row in fitted.trace]
    np.testing.assert_allclose(along[-1][1].mean, fitted.predict(problem.X).mean, atol=1e-8)


def test_the_trace_has_the_shares_of_the_redundant_kernels(problem):
    watched = replace(problem, recorder=probes.recorder_for(CholQR()))
    row = fit("cholqr", watched, epochs=1).trace[-1]
    shares = {k: v for k, v in row.items() if k.startswith("weight_share")}
    if problem.gp.kernel.name != "graph":
        assert not shares
    else:
        assert set(shares) == {"weight_share_sum", "weight_share_identity"}
        assert all(0 <= v <= 1 for v in shares.values())
