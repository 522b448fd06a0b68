"""SparseGPClassifier on labels of any kind and number; csv tables with one probability column for each class."""

import numpy as np
import pytest

import gpbench
from gpbench import SparseGPClassifier
from gpbench.errors import BadInput, BadParameter
from tests.helpers.driver import gpbench as command

rng = np.random.default_rng(5)
X = rng.uniform(-2, 2, (70, 2))
PLACE = np.digitize(X[:, 0], [-0.6, 0.7])
SHORT = {"schedule": "joint", "evaluations": 10}
KINDS = {
    "text": np.array(["low", "middle", "up"])[PLACE], "objects": np.array(["c", "b", "a"], dtype=object)[PLACE],
    "numbers": np.array([10, 3, -7])[PLACE], "whole doubles": np.array([0.0, 1.0, 5.0])[PLACE],
    "booleans": PLACE > 0,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_any_kind_come_back(kind):
    y = KINDS[kind]
    model = SparseGPClassifier(learn=SHORT, random_state=0).fit(X, y)
    assert model.method_ in (("ep", "dirichlet") if kind == "booleans" else ("dirichlet",))  # of two by rows left out
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    p = model.predict_proba(X)
    assert p.shape == (70, len(model.classes_)) and model.predict(X).dtype == model.classes_.dtype
    np.testing.assert_allclose(p.sum(1), 1, atol=1e-9)
    assert (model.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize(("method", "options"), [
    ("dirichlet", {"regression": "vfe"}), ("dirichlet", {"regression": "vecchia"}),
    ("dirichlet", {"regression": "vif"}),
    ("one-vs-rest", {}), ("one-vs-rest", {"binary": "ep-fic", "options": {"inducing": "kmeans"}}),
])  # fmt: skip
def test_models_of_many_classes_are_kept(method, options, tmp_path):
    model = SparseGPClassifier(method, 12, learn=SHORT, random_state=0, options=options).fit(X, KINDS["text"])
    model.save(tmp_path / "m.npz")
    again = gpbench.load(tmp_path / "m.npz")
    np.testing.assert_array_equal(again.predict_proba(X[:9]), model.predict_proba(X[:9]))
    np.testing.assert_array_equal(again.predict(X[:9]), model.predict(X[:9]))


def test_what_is_no_class_is_told():
    with pytest.raises(BadParameter, match="ep is for two classes, y has 3; take dirichlet or one-vs-rest"):
        SparseGPClassifier("ep").fit(X, KINDS["text"])
    with pytest.raises(BadInput, match=r"Input y has one class only \(a\)"):
        SparseGPClassifier().fit(X, ["a"] * 70)
    with pytest.raises(BadInput, match="Unknown label type: continuous targets"):
        SparseGPClassifier().fit(X, X[:, 0])


def test_fit_and_predict_of_a_csv_have_one_column_for_each_class(tmp_path):
    rows = [f"{a},{b},{c}" for (a, b), c in zip(X.tolist(), KINDS["text"])]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,kind", *rows]) + "\n")
    done = command("fit", "t.csv", "--target", "kind", "--task", "classification", "-o", "m.npz", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = command("predict", "m.npz", "t.csv", cwd=tmp_path)
    header, *lines = done.stdout.splitlines()
    assert header == "class,prob,prob low,prob middle,prob up" and len(lines) == 70
    cells = [line.split(",") for line in lines]
    assert np.mean([c[0] == k for c, k in zip(cells, KINDS["text"])]) > 0.9
    np.testing.assert_allclose(np.array([c[2:] for c in cells], dtype=float).sum(1), 1, atol=1e-9)
