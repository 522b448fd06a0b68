"""A likelihood of a plug-in: a file of at most 60 lines, its hash in the ids of its own trials, EP by log_density."""

import re

import numpy as np
import pytest
from scipy.integrate import quad

from gpbench import SparseGPRegressor, catalog
from gpbench.errors import ConfigError
from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.plan import plan

LINES = 60
BASE = "name: t\ndataset: {name: friedman3, n_train: 20, n_test: 30}\nhyperparameters: {schedule: joint}\n"


@pytest.fixture
def logistic(repo, monkeypatch):
    """Code of the documented example; what it adds to the catalogue is removed after the test."""
    monkeypatch.setattr(catalog, "_plugins", {})
    text = (repo / "docs/reference/extending.md").read_text()
    return re.search(r"```python\n# my_likelihood\.py\n(.*?)```", text, re.S)[1]


def load(path, code):
    catalog._plugins.clear()
    path.write_text(code)
    catalog.load_plugin(str(path))
    return path


def test_the_example_is_short(logistic):
    assert len(logistic.splitlines()) <= LINES


def test_an_edit_changes_the_ids_of_its_own_trials_only(logistic, tmp_path):
    names, found = ("logistic", "student-t", "poisson"), []
    config = tmp_path / "c.yaml"
    methods = ", ".join(f"{{method: ep, label: {name}, likelihood: {name}}}" for name in names)
    config.write_text(f"{BASE}methods: [{methods}, full-gp]\n")
    for k, remark in enumerate(("", "# an edit\n")):
        load(tmp_path / f"p{k}.py", logistic + remark)
        found.append({t.label or t.method: t.id for t in plan(load_config(config)).trials})
    assert {name for name in found[0] if found[0][name] == found[1][name]} == {"student-t", "poisson", "full-gp"}


def test_moments_follow_from_the_log_density(logistic, tmp_path):
    load(tmp_path / "mine.py", logistic)
    likelihood, p = catalog.find("likelihood", "logistic")(), {"scale": 0.3}
    found = likelihood.tilted(np.array([1.2]), np.array([-0.4]), np.array([0.9]), p)

    def moment(k):
        def each(f):
            normal = np.exp(-0.5 * (f + 0.4) ** 2 / 0.9) / np.sqrt(2 * np.pi * 0.9)
            return f**k * normal * np.exp(likelihood.log_density(1.2, f, p))

        return quad(each, -9, 9, points=[1.2], epsabs=0, epsrel=1e-12, limit=500)[0]

    Z, mean = moment(0), moment(1) / moment(0)
    np.testing.assert_allclose(found.log_Z[0], np.log(Z), rtol=1e-8)
    np.testing.assert_allclose(found.mean[0], mean, rtol=1e-8)
    np.testing.assert_allclose(found.var[0], moment(2) / Z - mean**2, rtol=1e-8)


def test_an_estimator_takes_it_and_learns_its_parameter(logistic, tmp_path):
    load(tmp_path / "mine.py", logistic)
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (120, 1))
    y = np.sin(X[:, 0]) + 0.2 * rng.logistic(size=120)
    model = SparseGPRegressor("ep", likelihood="logistic", learn="joint", random_state=0).fit(X, y)
    assert np.sqrt(np.mean((model.predict(X) - np.sin(X[:, 0])) ** 2)) < 0.15
    _, std = model.predict([[0.0]], return_std=True)
    assert std[0] == pytest.approx(0.2 * np.pi / np.sqrt(3), rel=0.25)


def test_a_function_that_is_absent_is_told_with_its_place(logistic, tmp_path):
    load(tmp_path / "mine.py", logistic.replace("def start(", "def begin("))
    with pytest.raises(NotImplementedError, match=r"logistic has no start\(y\) \(docs/reference/extending.md\)"):
        catalog.find("likelihood", "logistic")().start(np.ones(2))
    with pytest.raises(ConfigError, match="unknown likelihood 'logistik'"):
        catalog.find("likelihood", "logistik")
