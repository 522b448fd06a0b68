"""dirichlet and one-vs-rest: every regression, limits, two classes, refusals; classes of data sets and configs."""

import numpy as np
import pytest

from gpbench.errors import ConfigError, DataError, NotApplicable
from gpbench.experiment.config.config import load_config
from gpbench.experiment.evaluation.evaluate import results
from gpbench.extend import Problem
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.methods.base import Schedule
from gpbench.methods.dirichlet import Dirichlet
from gpbench.methods.ep import EP
from gpbench.methods.one_vs_rest import OneVsRest
from tests.helpers.driver import trial

rng = np.random.default_rng(8)
X, XS = rng.uniform(-2, 2, (60, 2)), rng.uniform(-2, 2, (9, 2))
CLASS = np.digitize(X[:, 0] + 0.4 * X[:, 1], [-0.7, 0.7])
KERNEL = ArdSE.create(X).with_values({"lengthscale": [1.0, 1.5], "variance": 6.0})
LEARNED = Schedule("joint", evaluations=8)


def problem(y=CLASS, classes=3, schedule="fixed"):
    gp = GP(KERNEL, 1.0)
    return Problem.of(X, np.asarray(y, dtype=float), gp, schedule, task="classification", classes=classes)


def fit(method, posed):
    return method.fit(posed, np.random.default_rng(0))


EVERY = {"fitc": {"d_max": 60}, "vfe": {"d_max": 60}, "vecchia": {"options": {"neighbours": 59}},
         "vif": {"d_max": 59, "options": {"neighbours": 59}}}  # fmt: skip


@pytest.mark.parametrize("name", EVERY)
def test_every_regression_is_the_full_one_in_its_limit(name):
    options = EVERY[name] | ({"options": {"inducing": "random"}} if name in ("fitc", "vfe") else {})
    exact = fit(Dirichlet(alpha=1e-3), problem()).predict(XS)
    found = fit(Dirichlet(regression=name, alpha=1e-3, **options), problem()).predict(XS)
    np.testing.assert_allclose(found.prob, exact.prob, atol=2e-4)
    np.testing.assert_allclose(exact.prob.sum(1), 1, atol=1e-12)
    np.testing.assert_allclose(np.exp(exact.log_prob), exact.prob)


def test_learning_finds_the_classes_and_tells_alpha():
    fitted = fit(Dirichlet(), problem(schedule=LEARNED))
    truth = np.digitize(XS[:, 0] + 0.4 * XS[:, 1], [-0.7, 0.7])
    assert (fitted.predict(XS).prob.argmax(1) == truth).mean() > 0.8
    tried = [row for row in fitted.trace if "alpha" in row]
    assert len(tried) > 1 and fitted.notes[-1].startswith("alpha 1e-")
    assert Dirichlet(rows=30).fit(problem(schedule=LEARNED), np.random.default_rng(0)).n_basis == 60


def test_a_class_without_rows_gets_little_probability():
    posed = problem(np.where(CLASS == 1, 0, CLASS))
    assert fit(Dirichlet(alpha=1e-3), posed).predict(X).prob[:, 1].max() < 0.2


def test_two_classes_have_the_format_of_ep():
    y = np.where(CLASS > 0, 1.0, -1.0)
    two = problem(y, classes=2)
    p, q = fit(Dirichlet(alpha=1e-3), two).predict(X), fit(EP(), two).predict(X)
    assert p.prob.shape == q.prob.shape and p.log_prob.shape == q.log_prob.shape
    assert ((p.prob > 0.5) == (y > 0)).mean() > 0.9
    np.testing.assert_allclose(np.exp(p.log_prob[:, 1]), p.prob)


def test_one_vs_rest_of_two_classes_is_ep():
    two = problem(np.where(CLASS > 0, 1.0, -1.0), classes=2)
    np.testing.assert_array_equal(fit(OneVsRest(), two).predict(XS).prob, fit(EP(), two).predict(XS).prob)


def test_one_vs_rest_is_each_class_against_the_others_normalised():
    found = fit(OneVsRest(), problem()).predict(XS).prob
    each = [fit(EP(), problem(np.where(CLASS == k, 1.0, -1.0), classes=2)).predict(XS).prob for k in range(3)]
    expected = np.column_stack(each)
    np.testing.assert_allclose(found, expected / expected.sum(1, keepdims=True), rtol=1e-12)


def test_what_does_not_fit_is_told():
    with pytest.raises(ValueError, match="local takes no noise variances of rows; take full-gp, fitc"):
        Dirichlet(regression="local")
    with pytest.raises(ValueError, match="fitc is no method for two classes; take ep"):
        OneVsRest(binary="fitc")
    with pytest.raises(DataError, match="rows of one class only"):
        fit(Dirichlet(), problem(np.zeros(60)))


def test_a_trial_of_three_classes_has_their_scores_and_counts():
    pytest.importorskip("sklearn")  # whose package data hold the set
    learned = {"schedule": "joint", "evaluations": 5, "optimiser": "lbfgs", "restarts": 1}
    folds = {"kind": "folds", "k": 3}
    one = trial("dirichlet", dataset={"name": "iris"}, hyperparameters=learned, split=folds, d_max=None)
    ((result, arrays),) = results([one], None, lambda t: None)
    assert result.metrics["err"] < 0.2 and result.metrics["log_loss"] == result.metrics["nlpd"] < 0.5
    assert arrays["prob"].shape == (50, 3) and arrays["classes"].tolist() == ["setosa", "versicolor", "virginica"]
    counts = np.array(result.trace[-1]["confusion"]).reshape(3, 3)
    assert counts.sum() == 50 and np.trace(counts) == round(50 * (1 - result.metrics["err"]))
    assert sum(result.trace[-1]["bin_rows"]) == 50 and "classes: setosa | versicolor | virginica" in result.notes


def test_a_method_for_two_classes_is_refused_with_three(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("name: a\ndataset: iris\nmethods: [ep]\nhyperparameters: {schedule: joint}\n")
    with pytest.raises(ConfigError, match="ep is for two classes, iris has 3; take dirichlet or one-vs-rest"):
        load_config(path)
    path.write_text("name: a\ndataset: iris\n")
    assert [m.method for m in load_config(path).methods] == ["auto"]
    with pytest.raises(NotApplicable, match="write `schedule: joint`"):
        posed = problem()
        fit(Dirichlet(), Problem(**{**vars(posed), "learned_on": 40}))
