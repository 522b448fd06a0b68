"""The estimators: the runner's numbers, what a fit tells, saved models, threads."""

import json
import subprocess
import sys

import numpy as np
import pytest

import gpbench
from gpbench import SparseGPClassifier, SparseGPRegressor, catalog
from gpbench.errors import BadInput, DataError, StorageError
from gpbench.estimators import model_archive
from gpbench.experiment.config.config import load_config
from gpbench.experiment.evaluation import evaluate
from gpbench.experiment.evaluation.problem import shared_fit
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.plan.full_gp_key import full_gp_key
from gpbench.experiment.plan.plan import plan
from gpbench.system import memory

TRIALS = {  # hyperparameters and method as a config writes them, and the estimator's parameters that mean the same
    "nlgpp": ("{schedule: fixed, subset: 60}", "{method: nlgpp, d_max: 12}", {"n_basis": 12}),
    "automatic": ("{schedule: fixed, subset: 60}", "{method: loo-cve, d_max: 30, stop: auto}", {"n_basis": 30}),
    "fitc": ("{schedule: joint, evaluations: 15}", "{method: fitc, d_max: 10, inducing: kmeans}", {"n_basis": 10}),
    "turns": (
        "{schedule: interleaved, from: full-gp, subset: 50, rounds: 2, evaluations: 5}",
        "{method: gpe, d_max: 8}",
        {"n_basis": 8},
    ),
    "full-gp": ("{schedule: fixed, subset: 60}", "full-gp", {}),
    "vecchia": ("{schedule: joint, evaluations: 10}", "{method: vecchia, neighbours: 8}", {"n_basis": 8}),
    "cholqr": ("{schedule: joint}", "{method: cholqr, d_max: 8, epochs: 3}", {"n_basis": 8}),
    "ep-fic": ("{schedule: joint, evaluations: 5, prior: half-t}", "{method: ep-fic, d_max: 6}", {"n_basis": 6}),
    "ep": ("{schedule: joint, evaluations: 5, prior: half-t}", "ep", {}),
}


def _planned(tmp_path, dataset, hyper, method):
    (tmp_path / "c.yaml").write_text(
        f"name: c\ndataset: {dataset}\nsplit: {{kind: random, n_train: 80, n_test: 40}}\n"
        f"hyperparameters: {hyper}\nmethods: [{method}]\n"
    )
    config = load_config(tmp_path / "c.yaml")
    return config, plan(config).trials[0]


@pytest.mark.parametrize("name", TRIALS)
def test_given_a_trials_rows_and_streams_the_numbers_are_the_runners_bit_for_bit(tmp_path, name):
    hyper, method, parameters = TRIALS[name]
    dataset = "{name: clusters2d, n_train: 200, n_test: 100}" if name.startswith("ep") else "friedman2"
    config, trial = _planned(tmp_path, dataset, hyper, method)
    shared = shared_fit(trial) if full_gp_key(trial) else None
    ((result, arrays),) = evaluate.results([trial], shared, begin=lambda trial: None)
    assert result.status == "ok", result.reason

    draw = trial_data(trial)
    cls = SparseGPClassifier if draw.dataset.task == "classification" else SparseGPRegressor
    settings = config.settings_for(config.datasets[0], config.methods[0])
    usual = catalog.find("method", trial.method)().model_dump(mode="json")
    own = {k: v for k, v in trial.params.items() if v != usual[k] and k not in ("d_max", "neighbours")}
    learn = {k: v for k, v in settings["hyperparameters"].items() if k not in ("subset_of",)}
    model = cls(
        trial.method,
        learn=learn,
        random_state=gpbench.streams(trial),
        options=own,
        kernel=settings["kernel"],
        **parameters,
    )
    train, test = draw.split.train, draw.split.test
    model.fit(draw.dataset.X[train], draw.dataset.y[train])

    assert model.n_basis_ == result.n_basis and model.log_evidence_ == result.log_evidence
    if cls is SparseGPClassifier:
        assert np.array_equal(model.predict_proba(draw.dataset.X[test])[:, 1], arrays["prob"])
    else:
        mean, std = model.predict(draw.dataset.X[test], return_std=True)
        assert np.array_equal(mean, arrays["mean"]) and np.array_equal(std, np.sqrt(arrays["var"]))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2)) * [1, 100] + [0, 50]
    return X, 1000 + 300 * np.sin(X[:, 0]) + X[:, 1] + rng.normal(size=120)


def test_fit_and_predict_are_two_lines_and_the_attributes_are_in_raw_units(rows):
    X, y = rows
    model = SparseGPRegressor(method="nlgpp", random_state=0).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    assert np.sqrt(np.mean((mean - y) ** 2)) < 20 and (std > 0).all()
    _, latent = model.predict(X, return_std="latent")
    assert np.allclose(std**2, latent**2 + model.noise_)
    assert model.basis_.shape == (model.n_basis_, 2) and set(map(tuple, model.basis_)) <= set(map(tuple, X))
    best = model.path_["size"][np.argmin(model.path_["measure"])]
    assert model.n_basis_ == best < model.path_["size"][-1]  # the automatic size is the minimum of the measure


def test_the_same_seed_gives_the_same_model_and_fitting_twice_changes_nothing(rows):
    model = SparseGPRegressor(method="nlml", n_basis=10, random_state=7)
    first = model.fit(*rows).predict(rows[0])
    assert np.array_equal(first, model.fit(*rows).predict(rows[0]))
    assert not np.array_equal(first, SparseGPRegressor("nlml", 10, random_state=8).fit(*rows).predict(rows[0]))


def _similar(A, B):
    return np.exp(-0.5 * (np.subtract.outer(A[:, 0], B[:, 0]) ** 2))


def test_a_function_as_kernel_is_fitted_on_inputs_as_they_are_and_cannot_be_saved(rows, tmp_path):
    X, y = rows
    model = SparseGPRegressor("random", 60, kernel=_similar, random_state=0).fit(X, y)
    assert np.corrcoef(model.predict(X), np.sin(X[:, 0]))[0, 1] > 0.9
    with pytest.raises(BadInput, match="_similar is a Python function"):
        model.save(tmp_path / "m.npz")
    with pytest.raises(ValueError, match=r"gave an array \(3, 3\)"):
        SparseGPRegressor(kernel=lambda A, B: np.eye(3)).fit(X, y)


def _not_finite(A, B):
    return np.full((len(A), len(B)), np.nan)


def _one_sided(A, B):
    return _similar(A, B) + 0.01 * np.sign(np.subtract.outer(A[:, 0], B[:, 0]))


def _negative(A, B):
    return -_similar(A, B)


@pytest.mark.parametrize("method", ["auto", "full-gp", "random"])
@pytest.mark.parametrize(
    "function, message",
    [
        (_not_finite, "kernel _not_finite: gave values that are not finite"),
        (_one_sided, r"kernel _one_sided: is not symmetric: it gave k\(a, b\) = .* and k\(b, a\) = "),
        (_negative, "kernel _negative: is not positive semidefinite: its matrix of .* rows has the eigenvalue -"),
    ],
)
def test_what_is_wrong_with_a_function_as_kernel_is_told(rows, method, function, message):
    with pytest.raises(BadInput, match=message):
        SparseGPRegressor(method, 20, kernel=function, random_state=0).fit(*rows)


def test_other_forms_of_a_kernel(rows):
    from gpbench.gp.kernels.matern import Matern32

    X, y = rows
    specs = ["matern32", {"sum": ["ard-se", {"name": "linear"}]}, {"name": "ard-se", "bias": True}]
    for kernel in [*specs, Matern32.create(X)]:
        model = SparseGPRegressor("sod", 30, kernel=kernel, random_state=0).fit(X, y)
        assert np.isfinite(model.predict(X)).all()


def test_a_trial_of_a_method_on_square_matrices_that_no_memory_holds_ends_at_once(tmp_path, monkeypatch):
    _, trial = _planned(tmp_path, "friedman2", "{schedule: joint, evaluations: 15}", "full-gp")
    monkeypatch.setattr(memory.os, "sysconf", lambda name: 200)  # 40 000 bytes; one matrix of 80 rows takes 51 200
    with pytest.raises(MemoryError, match="full-gp keeps 80 x 80 matrices") as e:
        next(evaluate.results([trial], None, begin=lambda trial: None))
    assert evaluate.status_of(e.value) == "oom"


# -- saving ------------------------------------------------------------------------------------------------------------

KEPT = ["fitc", "nlgpp", "full-gp", "local", "vecchia", "csi", "hybrid", "sparse-gp", "ep", "ep-fic", "ep-sparse"]


@pytest.mark.parametrize("method, solver", [("ep", "rank-one"), ("ep-sparse", "rows"), ("ep-sparse", "parallel")])
def test_a_saved_model_of_every_solver_predicts_the_same(method, solver, rows, tmp_path):
    X, y = rows[0], np.where(rows[1] > 1050, "high", "low")
    learn = {"schedule": "joint", "evaluations": 3}
    model = SparseGPClassifier(method, learn=learn, random_state=0, options={"solver": solver}).fit(X, y)
    model.save(tmp_path / "model.npz")
    assert np.array_equal(model.predict_proba(X), gpbench.load(tmp_path / "model.npz").predict_proba(X))


@pytest.mark.parametrize("method", KEPT)
def test_a_saved_model_predicts_the_same(method, rows, tmp_path):
    X, y = rows
    learn = {"schedule": "joint", "evaluations": 3}
    if method.startswith("ep"):
        cls, y = SparseGPClassifier, np.where(y > 1050, "high", "low")
    else:
        cls = SparseGPRegressor
    model = cls(method, n_basis=10, learn=learn, random_state=0).fit(X, y)
    model.save(tmp_path / "model.npz")
    again = gpbench.load(tmp_path / "model.npz")
    ask = "predict_proba" if method.startswith("ep") else "predict"
    assert np.array_equal(getattr(model, ask)(X), getattr(again, ask)(X))
    assert np.array_equal(model.predict(X[:3]), again.predict(X[:3]))
    assert (again.n_basis_, again.notes_, again.method_) == (model.n_basis_, model.notes_, method)


def test_a_kernel_class_that_is_no_plug_in_is_told_in_a_true_sentence(rows, tmp_path):
    from gpbench.gp.kernels.matern import Matern32

    class Mine(Matern32):
        name = "mine"

    model = SparseGPRegressor("sod", 10, kernel=Mine.create(rows[0]), random_state=0).fit(*rows)
    with pytest.raises(BadInput, match=r"kernel mine is a class of your own.* or load it as a plug-in") as e:
        model.save(tmp_path / "m.npz")
    assert "test_estimators" not in str(e.value) and not (tmp_path / "m.npz").exists()


def test_a_place_that_cannot_be_written_is_told_in_a_sentence(rows, tmp_path):
    model = SparseGPRegressor("sod", 10, random_state=0).fit(*rows)
    with pytest.raises(StorageError, match=r"cannot write .*: there is no folder .*nodir; name another file"):
        model.save(tmp_path / "nodir" / "m.npz")
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(StorageError, match=r"cannot write .*folder.npz: Is a directory"):
        model.save(tmp_path / "folder.npz")


def test_a_saved_model_predicts_the_same_in_another_python_without_pickle(rows, tmp_path):
    X, y = rows
    model = SparseGPRegressor("fitc", 20, random_state=0).fit(X, y)
    model.save(tmp_path / "m.npz")
    np.save(tmp_path / "X.npy", X)
    code = (
        "import sys, numpy as np, gpbench, pickle\n"
        "pickle.loads = pickle.load = pickle.Unpickler = None\n"
        "m = gpbench.load(sys.argv[1] + '/m.npz')\n"
        "np.save(sys.argv[1] + '/mean.npy', m.predict(np.load(sys.argv[1] + '/X.npy')))\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert np.array_equal(np.load(tmp_path / "mean.npy"), model.predict(X))


def test_a_file_that_is_no_model_is_told_in_a_sentence_and_runs_nothing(rows, tmp_path):
    (tmp_path / "text.npz").write_text("no model")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    for name in ("text.npz", "other.npz", "missing.npz"):
        with pytest.raises(DataError, match=name):
            gpbench.load(tmp_path / name)
    SparseGPRegressor("fitc", 5, random_state=0).fit(*rows).save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as kept:
        arrays = dict(kept)
    text = arrays["description"].tobytes().decode()
    for evil in ("os:system", "gpbench.cli:main", "gpbench.data.fetch.obtain:os"):
        changed = text.replace("gpbench.gp.inference.sparse_predict:SparsePosterior", evil)
        assert changed != text
        arrays["description"] = np.frombuffer(changed.encode(), dtype=np.uint8)
        np.savez(tmp_path / "evil.npz", **arrays)
        with pytest.raises(DataError, match="its checksum does not fit"):
            gpbench.load(tmp_path / "evil.npz")
        content = json.loads(changed)
        with open(tmp_path / "evil.npz", "wb") as stream:
            model_archive.write(
                stream, content, {k: a for k, a in arrays.items() if k not in ("description", "checksum")}
            )
        with pytest.raises(DataError, match="does not have"):
            gpbench.load(tmp_path / "evil.npz")


# -- what surrounds a fit ----------------------------------------------------------------------------------------------


def test_every_fit_limits_the_thread_pools_itself(rows):
    from threadpoolctl import threadpool_info, threadpool_limits

    seen = []

    def watched(A, B):
        seen.append({pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"})
        return _similar(A, B)

    with threadpool_limits(2):
        model = SparseGPRegressor("random", 10, kernel=watched, random_state=0).fit(*rows)
        fitting = len(seen)
        model.predict(rows[0])
    assert fitting and len(seen) > fitting and all(found == {1} for found in seen)


def test_max_seconds_ends_learning_early_and_says_so(rows):
    slow = SparseGPRegressor("full-gp", learn={"schedule": "joint", "evaluations": 10_000}, random_state=0)
    assert not any("max_seconds" in note for note in slow.fit(*rows).notes_)
    model = slow.set_params(max_seconds=1e-6).fit(*rows)
    assert any("max_seconds" in note for note in model.notes_) and np.isfinite(model.predict(rows[0])).all()


def test_the_first_fit_takes_less_than_five_seconds_once_everything_is_compiled():
    """In processor time, which does not depend on what else the machine is doing."""
    code = (
        "import time, numpy as np\n"
        "from gpbench import SparseGPRegressor\n"
        "X = np.random.default_rng(0).normal(size=(2000, 8)); y = np.sin(X[:, 0]) + X[:, 1] ** 2\n"
        "begin = time.process_time(); SparseGPRegressor(random_state=0).fit(X, y); print(time.process_time() - begin)"
    )
    taken = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(2)]
    assert min(map(float, taken)) < 5


def test_importing_gpbench_is_quick_and_loads_nothing():
    code = (
        "import sys, time; t = time.process_time(); import gpbench; took = time.process_time() - t\n"
        "print(took < 0.05, sorted({'numpy', 'sklearn', 'scipy', 'pydantic'} & set(sys.modules)), dir(gpbench)[:2])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "True [] ['SparseGPClassifier', 'SparseGPRegressor']"


def test_the_estimators_work_without_scikit_learn(rows):
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import numpy as np\n"
        "from gpbench import SparseGPRegressor\n"
        "X = np.linspace(0, 6, 60)[:, None]\n"
        "model = SparseGPRegressor('nlml', random_state=0).fit(X, np.sin(X[:, 0]))\n"
        "print(abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.05, model)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "True SparseGPRegressor(method='nlml', random_state=0)"
