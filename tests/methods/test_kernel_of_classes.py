"""`auto` with two classes: the kernel with the highest evidence, one length-scale unless one for each input pays."""

from dataclasses import replace

import numpy as np
import pytest

from gpbench import SparseGPClassifier
from gpbench.errors import GpbenchError, NotPositiveDefinite
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.matern import Matern12, Matern32
from gpbench.gp.kernels.rational_quadratic import RationalQuadratic
from gpbench.methods.auto import Auto
from gpbench.methods.base import Problem, Schedule
from gpbench.methods.ep import EP
from gpbench.methods.families import kernel_of_classes
from gpbench.methods.families.kernel_of_classes import by_evidence

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 2))
ROUND = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 > 1.2, 1.0, -1.0)
ONE_INPUT = np.where(np.sin(4 * X[:, 0]) > 0, 1.0, -1.0)
LEARNED = Schedule("joint", evaluations=40, prior="half-t")


def problem(y, *kernels):
    first, *others = (GP(kernel.create(X), 1.0) for kernel in kernels)
    return replace(Problem.of(X, y, first, LEARNED, task="classification"), others=tuple(others))


@pytest.mark.parametrize("cls", [ArdSE, Matern32, RationalQuadratic])
def test_one_length_scale_is_the_kernel_with_equal_ones(cls):
    each = cls.create(X).with_values({"lengthscale": [1.3, 1.3]})
    one = each.with_ard(False)
    np.testing.assert_allclose(one(X), each(X), rtol=1e-12)
    np.testing.assert_allclose(one.with_ard(True).theta, each.theta, rtol=1e-15)
    assert len(one.theta) == len(each.theta) - 1 and len(one.names) == len(one.theta) and each.ard
    uneven = each.with_values({"lengthscale": [1.0, 4.0]})
    assert uneven.with_ard(False).values()["lengthscale"] == pytest.approx(2.0)


def test_the_fit_is_that_of_the_kernel_with_the_highest_evidence():
    found = by_evidence(EP(), problem(ROUND, Matern12, ArdSE), np.random.default_rng(0))
    alone = EP().fit(problem(ROUND, ArdSE), np.random.default_rng(0))
    assert found.gp.kernel.name == "ard-se" and not found.gp.kernel.ard
    one = replace(problem(ROUND, ArdSE), gp=GP(ArdSE.create(X, ard=False), 1.0))
    alike = EP().fit(one, np.random.default_rng(0)).predict(X).prob
    np.testing.assert_allclose(found.predict(X).prob, alike, atol=1e-4)  # starts differ by the spreads of the inputs
    assert (
        found.log_evidence > alone.log_evidence - 2
    )  # a nat for the further length-scale, and the optimiser's precision
    assert "of 3 kernels the highest log evidence less parameters (matern12, one length-scale" in found.notes[0]


def test_each_input_gets_a_length_scale_where_that_pays():
    found = by_evidence(EP(), problem(ONE_INPUT, ArdSE, Matern32), np.random.default_rng(0))
    first, second = found.gp.kernel.values()["lengthscale"]
    assert found.gp.kernel.ard and second > 3 * first


def test_of_many_rows_some_choose_and_all_are_fitted(monkeypatch):
    monkeypatch.setattr(kernel_of_classes, "MOST", 60)
    found = by_evidence(EP(), problem(ROUND, Matern12, ArdSE), np.random.default_rng(0))
    assert found.n_basis == 120 and "on 60 rows" in found.notes[0]
    assert ((found.predict(X).prob > 0.5) == (ROUND > 0)).mean() > 0.9


def test_a_kernel_that_is_named_is_kept():
    posed = problem(ROUND, Matern12)
    found = Auto().fit(posed, np.random.default_rng(0))
    assert found.gp.kernel.name == "matern12" and found.gp.kernel.ard and found.method == "ep"


def test_a_kernel_that_cannot_be_fitted_is_passed_over_and_an_error_if_none_can():
    class Fails(EP):
        def fit(self, problem, rng):
            if problem.gp.kernel.name == "ard-se":
                raise NotPositiveDefinite("not this one")
            return super().fit(problem, rng)

    found = by_evidence(Fails(), problem(ROUND, ArdSE, Matern32), np.random.default_rng(0))
    assert found.gp.kernel.name == "matern32"
    with pytest.raises(GpbenchError, match="not this one"):
        by_evidence(Fails(), problem(ROUND, ArdSE, ArdSE), np.random.default_rng(0))


def test_the_estimator_says_which_kernel_and_why():
    model = SparseGPClassifier(random_state=0).fit(X, ROUND)
    assert any(note.startswith("kernel ") and "highest log evidence" in note for note in model.notes_)
    assert (model.predict(X) == ROUND).mean() > 0.9
