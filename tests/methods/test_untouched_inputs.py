"""No method, estimator or library changes what it is given: bit by bit the same after fit, path and predict."""

import numpy as np
import pytest

from gpbench import SparseGPClassifier, SparseGPRegressor, catalog
from gpbench.adapters import environment
from gpbench.data.readonly import read_only
from gpbench.data.scaling import Scaler
from gpbench.data.shards import Chosen, Inputs, write
from gpbench.experiment.evaluation.evaluate import method_of
from gpbench.experiment.evaluation.problem import posed, problem_of
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.gp.kernels.build import build_kernel
from gpbench.methods.base import GP, Problem, Schedule
from tests.helpers.driver import trial

METHODS = sorted(catalog.own_names("method") - {"external"})
ROWS = 60


def rows(task):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(ROWS, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=ROWS)
    return X, y if task == "regression" else np.where(y > 0, 1.0, -1.0)


def small(cls):
    return {"d_max": 8} if "d_max" in cls.model_fields else {}


def fitted_to(cls, problem):
    method = cls(**small(cls))
    if cls.nested:
        return next(method.path(problem, np.random.default_rng(1), [8]))
    return method.fit(problem, np.random.default_rng(1))


@pytest.mark.parametrize("kind", ["fixed", "joint", "interleaved"])
@pytest.mark.parametrize("name", METHODS)
def test_a_method_leaves_arrays_that_it_could_change_as_they_were(name, kind):
    cls = catalog.find("method", name)
    X, y = rows(cls.task)
    kernel = build_kernel({"name": "pp2" if cls.compact else "ard-se"}, X)
    order, Xs = np.random.default_rng(2).permutation(ROWS), np.linspace(-1, 1, 20).reshape(10, 2)
    given = (X, y, order, kernel.theta, Xs)
    before = [array.copy() for array in given]
    problem = Problem.of(X, y, GP(kernel, 0.1), Schedule(kind, evaluations=3, rounds=1), order, cls.task)
    assert problem.X is X and X.flags.writeable
    fitted = fitted_to(cls, problem)
    for predict in (fitted.predict, *(predict for _, predict in fitted.models)):
        predict(Xs)
    assert all(np.array_equal(now, then) for now, then in zip(given, before, strict=True))


@pytest.mark.parametrize("name", METHODS)
def test_an_estimator_leaves_its_users_arrays_as_they_were(name):
    cls = catalog.find("method", name)
    (X, y), kernel = rows(cls.task), "pp2" if cls.compact else "auto"
    before, Xs = (X.copy(), y.copy()), np.linspace(-1, 1, 20).reshape(10, 2)
    estimator = SparseGPRegressor if cls.task == "regression" else SparseGPClassifier
    size = {"n_basis": 8} if "d_max" in cls.model_fields else {}
    learn = "joint" if name == "dirichlet" else "fixed"  # a full GP learns nothing from class numbers
    estimator(method=name, learn=learn, kernel=kernel, **size).fit(X, y).predict(Xs)
    assert np.array_equal(X, before[0]) and np.array_equal(y, before[1])
    assert np.array_equal(Xs, np.linspace(-1, 1, 20).reshape(10, 2))
    assert X.flags.writeable and y.flags.writeable and Xs.flags.writeable


def test_a_kernel_and_rows_that_no_scaling_copies_stay_their_users():
    X = np.abs(rows("regression")[0])
    kernel = build_kernel({"name": "histogram-intersection"}, X)
    model = SparseGPRegressor(method="sod", n_basis=8, learn="fixed", kernel=kernel).fit(X, X[:, 0])
    assert kernel.raw_inputs and model.predict(X).shape == (ROWS,)
    assert X.flags.writeable and kernel.theta.flags.writeable


LIBRARIES = sorted(path.name for path in environment.HOME.iterdir() if (path / "adapter.py").is_file())


@pytest.mark.parametrize("library", ["ridge", *LIBRARIES])
def test_a_library_leaves_what_its_client_sends_as_it_was(library, repo):
    name = str(repo / "tests/plugins/ridge.py") if library == "ridge" else library
    if not environment.installed(environment.find(name)):
        pytest.skip(f"{library} is not installed here")
    method = catalog.find("method", "external")(external=name)
    X, y = rows("regression")
    before = X.copy(), y.copy()
    problem, Xs = Problem.of(X, y), np.linspace(-1, 1, 20).reshape(10, 2)
    again = Xs.copy()
    method.fit(problem, np.random.default_rng(1)).predict(Xs)
    found = (X, y, Xs)
    assert all(np.array_equal(now, then) for now, then in zip(found, (*before, again), strict=True))


# -- what is handed out -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [{"name": "ard-se"}, {"sum": [{"name": "ard-se"}, {"name": "linear"}]}])
def test_a_problem_is_read_only_and_copies_nothing(kernel):
    X, y = rows("regression")
    order = np.arange(ROWS)
    h = {"schedule": "fixed", "values": {"noise": 0.1}}
    problem = posed(X, y, order, kernel, h, 1, None)
    for ours, theirs in ((X, problem.X), (y, problem.y), (order, problem.order)):
        assert ours.flags.writeable and not theirs.flags.writeable
        assert ours.ctypes.data == theirs.ctypes.data
    for part in (problem.gp.kernel, *getattr(problem.gp.kernel, "parts", ())):
        with pytest.raises(ValueError, match="read-only"):
            part.theta[0] = 1.0


def test_rows_beyond_memory_are_read_only_too(tmp_path, rng):
    write(tmp_path / "rows", iter([(rng.normal(size=(30, 2)), rng.normal(size=30))]))
    inputs = Inputs(str(tmp_path / "rows"))
    chosen = Chosen(inputs, np.arange(20))
    scaler = Scaler.fit(chosen, inputs.targets()[:20])
    given = read_only(scaler.inputs(chosen))
    assert np.array_equal(given[:5], scaler.inputs(chosen)[:5])
    for array in (given.rows, given.shift, given.stretch, inputs.maps[0][0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_compiled_loops_are_compiled_for_one_kind_of_array():
    from gpbench.gp.inference.ep import update_block

    one = trial("ep", split={"kind": "random", "n_train": 40, "n_test": 20})
    problem = problem_of(one, trial_data(one), None)
    labels = np.where(problem.y > 0, 1.0, -1.0)
    for y in (labels, read_only(labels)):
        method_of(one).fit(Problem.of(problem.X, y, problem.gp, task="classification"), np.random.default_rng(0))
    assert not [s for s in update_block.signatures if not s[4].mutable]
