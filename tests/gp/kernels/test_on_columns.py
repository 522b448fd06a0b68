"""Kernels of some of the inputs equal the same kernels on those inputs alone, in every function, method and config."""

import numpy as np
import pytest

from gpbench import SparseGPRegressor, load
from gpbench.errors import BadParameter, ConfigError
from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.plan import plan
from gpbench.gp.kernels.build import build_kernel, is_compact
from gpbench.gp.kernels.on_columns import OnColumns

pd = pytest.importorskip("pandas")
FEW = {"schedule": "fixed", "from": "full-gp", "subset": 60}
PLACE_AND_TIME = {
    "sum": [{"name": "matern52", "columns": ["lon", "lat"]}, {"name": "ard-se", "columns": ["hour"]}]
}  # fmt: skip


def drawn(n=90):
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, (n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 2] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("name", ["matern32", "pp2", "rational-quadratic"])
def test_numbers_are_those_of_the_part(name, rng):
    X, Z, columns = rng.normal(size=(8, 4)), rng.normal(size=(5, 4)), [3, 1]
    whole = build_kernel({"name": name, "columns": columns}, X)
    part = build_kernel({"name": name}, X[:, columns])
    assert isinstance(whole, OnColumns) and whole.names == part.names
    np.testing.assert_array_equal(whole(X, Z), part(X[:, columns], Z[:, columns]))
    np.testing.assert_array_equal(whole.embedding(X), part.embedding(X[:, columns]))
    dK = rng.normal(size=(8, 5))
    dtheta, dX = whole.pullback(dK.copy(), X, Z, inputs=True)
    expected = part.pullback(dK.copy(), X[:, columns], Z[:, columns], inputs=True)
    np.testing.assert_array_equal(dtheta, expected[0])
    np.testing.assert_array_equal(dX[:, columns], expected[1])
    assert not dX[:, [0, 2]].any()
    if name == "pp2":
        assert whole.compact
        np.testing.assert_allclose(whole.sparse(X).toarray(), whole(X), atol=1e-12)


def test_compactness_is_known_without_inputs():
    assert is_compact({"product": [{"name": "pp3", "columns": [5]}, {"name": "ard-se"}]})
    assert not is_compact({"sum": [{"name": "pp3", "columns": [5]}, {"name": "ard-se"}]})


@pytest.mark.parametrize("method", ["full-gp", "fitc", "vecchia", "vif"])
def test_a_column_that_no_part_looks_at_changes_nothing(method):
    X, y = drawn()
    y = y - X[:, 2]
    spec = {"product": [{"name": "matern52", "columns": [0]}, {"name": "matern52", "columns": [1]}]}
    size = {"full-gp": "auto"}.get(method, 10)
    model = SparseGPRegressor(method, size, spec, FEW, random_state=0, options=_random(method)).fit(X, y)
    moved = X.copy()
    moved[:, 2] += 7.0
    np.testing.assert_allclose(model.predict(moved), model.predict(X), rtol=1e-9, atol=1e-9)


def _random(method):
    return {"inducing": "random"} if method in ("fitc", "vif") else None


def test_columns_by_name_are_those_by_number(tmp_path):
    X, y = drawn()
    frame = pd.DataFrame(X, columns=["lon", "lat", "hour"])
    by_number = {"sum": [{"name": "matern52", "columns": [0, 1]}, {"name": "ard-se", "columns": [2]}]}
    named = SparseGPRegressor("fitc", 20, PLACE_AND_TIME, FEW, random_state=0).fit(frame, y)
    numbered = SparseGPRegressor("fitc", 20, by_number, FEW, random_state=0).fit(X, y)
    np.testing.assert_array_equal(named.predict(frame), numbered.predict(X))
    assert "of inputs 0, 1" in repr(named.kernel_)
    named.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict(frame), named.predict(frame))
    assert dict(named.quality().relevance).keys() == {"lon", "lat", "hour"}


def test_a_category_is_all_its_inputs():
    X, y = drawn()
    city = np.random.default_rng(0).choice(["Berlin", "Paris", "Rome"], len(y))
    frame = pd.DataFrame({"lon": X[:, 0], "city": city})
    spec = {"sum": [{"name": "ard-se", "columns": ["lon"]}, {"name": "linear", "columns": ["city"]}]}
    model = SparseGPRegressor("fitc", 20, spec, FEW, random_state=0).fit(frame, y + (city == "Paris"))
    assert model.kernel_.parts[1].columns == (1, 2, 3)


@pytest.mark.parametrize(
    "columns, word",
    [(["lon"], "there is no input 'lon'"), ([3], "there is no input 3: the last one of 3 is 2"), ([], "a list"),
     ([0, 0], "names an input twice"), ([-1], "expected numbers"), (1, "expected a list")],
)  # fmt: skip
def test_inputs_that_are_not_there(columns, word):
    X, y = drawn()
    with pytest.raises(BadParameter, match=word):
        SparseGPRegressor("fitc", kernel={"name": "matern52", "columns": columns}).fit(X, y)


def config(tmp_path, columns):
    (tmp_path / "c.yaml").write_text(
        "name: c\ndataset: friedman1\ntrials: 1\nd_max: 20\nmethods: [fitc]\n"
        f"hyperparameters: {{schedule: fixed, from: full-gp, subset: 50}}\n"
        f"kernel: {{sum: [{{name: ard-se, columns: {columns}}}, matern52]}}\n"
    )
    return load_config(tmp_path / "c.yaml")


def test_a_config_names_inputs_by_number(tmp_path):
    trial = plan(config(tmp_path, "[0, 2]")).trials[0]
    assert trial.kernel["sum"][0]["columns"] == [0, 2]
    other = plan(config(tmp_path, "[0, 3]")).trials[0]
    assert other.id != trial.id
    with pytest.raises(ConfigError, match="a name needs a table"):
        config(tmp_path, "[lon]")
