"""scikit-learn's own checks, and the company its estimators keep."""

import pickle

import numpy as np
import pytest

from gpbench import SparseGPClassifier, SparseGPRegressor, catalog

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import check_estimator

_LEARNED = "a weight is a repetition at fixed values only: noise, scaling and inducing inputs are learned from the rows"
EXPECTED_TO_FAIL = {  # check -> reason; the one place for exceptions
    "check_sample_weight_equivalence_on_dense_data": _LEARNED,
    "check_sample_weight_equivalence_on_sparse_data": _LEARNED,
}
NO_WEIGHTS = dict.fromkeys(
    ("check_sample_weights_list", "check_sample_weights_not_overwritten"), "the method refuses weights"
)
NOT_ESTIMATORS = {"external": "its model lives in another library's environment"}
SHORT = {"schedule": "joint", "evaluations": 8}  # what is checked is manners, not fits
FAMILIES = ["auto", "nlgpp", "full-gp", "vecchia", "ep"]  # inducing inputs, greedy, exact, neighbours, EP


def _checked(method, learn="auto"):
    found_method = None if method == "auto" else catalog.find("method", method)
    cls = SparseGPClassifier if found_method and found_method.task != "regression" else SparseGPRegressor
    expected = EXPECTED_TO_FAIL if not found_method or found_method.row_noise else EXPECTED_TO_FAIL | NO_WEIGHTS
    found = check_estimator(
        cls(method, learn=learn, random_state=0), expected_failed_checks=expected, on_skip=None, on_fail=None
    )
    assert len(found) > 40
    return {r["check_name"]: str(r["exception"]) for r in found if r["status"] == "failed"}


@pytest.mark.parametrize("method", FAMILIES)
def test_check_estimator_passes_for_one_method_of_each_family(method):
    assert _checked(method, "auto" if method == "auto" else SHORT) == {}


@pytest.mark.real  # minutes for some, though it needs no data
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("method", sorted(catalog.own_names("method") - NOT_ESTIMATORS.keys()))
def test_check_estimator_passes(method):
    assert _checked(method) == {}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    X = rng.uniform(-3, 3, (90, 2))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=90)


def test_clone_and_pickle(rows):
    X, y = rows
    model = SparseGPRegressor("fitc", n_basis=15, options={"inducing": "kmeans"}, random_state=0)
    assert clone(model).get_params() == model.get_params()
    model.fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert not hasattr(clone(model), "model_")


def test_a_grid_search_over_methods_in_two_processes(rows):
    X, y = rows
    search = GridSearchCV(
        SparseGPRegressor(random_state=0), {"method": ["sod", "vfe", "nlml"], "n_basis": [3, 20]}, cv=2, n_jobs=2
    ).fit(X, y)
    assert search.best_params_["n_basis"] == 20 and search.best_score_ > 0.8


def test_a_pipeline_with_text_columns_and_data_frames(rows):
    import pandas as pd

    X, y = rows
    colour = np.where(np.arange(90) % 2, "red", "blue")
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "colour": colour})
    target = pd.Series(y + 2 * (colour == "red"))
    encode = ColumnTransformer([("text", OneHotEncoder(handle_unknown="ignore"), ["colour"])], remainder="passthrough")
    model = make_pipeline(encode, SparseGPRegressor(random_state=0)).fit(frame, target)
    assert model.score(frame, target) > 0.95
    plain = SparseGPRegressor("vfe", 20, random_state=0).fit(frame[["a", "b"]], target)
    assert list(plain.feature_names_in_) == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        plain.predict(frame[["b", "a"]])


def test_labels_of_any_kind_come_back(rows):
    X, y = rows
    labels = np.where(y > 0, "up", "down")
    model = SparseGPClassifier(random_state=0).fit(X, labels)
    assert list(model.classes_) == ["down", "up"] and model.score(X, labels) > 0.9
    assert np.allclose(model.predict_proba(X).sum(1), 1)
