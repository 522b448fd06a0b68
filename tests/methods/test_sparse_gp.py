"""Exact regression on the multifrontal factor equals the dense full GP on the same kernel."""

import numpy as np
import pytest

from gpbench.errors import NotApplicable
from gpbench.gp.inference import compact, exact
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.combine import Product
from gpbench.gp.kernels.piecewise_polynomial import PP0, PP2, PP3
from gpbench.methods.base import Problem, Schedule
from gpbench.methods.sparse_gp import SparseGP


@pytest.fixture
def data(rng):
    X = rng.uniform(0, 10, (120, 2))
    return X, np.sin(X[:, 0]) + 0.2 * rng.normal(size=120), rng.uniform(0, 10, (30, 2))


def kernels():
    theta = np.log([1.4, 2.5, 2.0])
    tapered = Product([PP2(np.log([1.0, 3.0, 3.0]), 2), ArdSE(np.log([1.5, 2.0, 4.0]), 2)])
    return [PP0(theta, 2), PP3(theta, 2), PP3(np.log([1.4, 0.01, 0.01]), 2), PP3(np.log([1.0, 40, 40]), 2), tapered]


@pytest.mark.parametrize("kernel", kernels(), ids=["pp0", "pp3", "isolated points", "full matrix", "tapered"])
@pytest.mark.parametrize("ordering", ["amd", "natural"])
def test_value_gradient_and_predictions_equal_the_full_gp(data, kernel, ordering):
    X, y, Xs = data
    gp = GP(kernel, 0.04)
    F, dtheta, dnoise = compact.evaluate(gp, X, y, ordering)
    F_dense, dtheta_dense, dnoise_dense = exact.evaluate(gp, X, y)
    assert F == pytest.approx(F_dense, rel=1e-10)
    np.testing.assert_allclose(np.r_[dtheta, dnoise], np.r_[dtheta_dense, dnoise_dense], rtol=1e-7, atol=1e-8)
    sparse, dense = (
        compact.CompactPosterior.fit(gp, X, y, ordering).predict(Xs),
        exact.ExactPosterior.fit(gp, X, y).predict(Xs),
    )
    np.testing.assert_allclose(sparse.mean, dense.mean, atol=1e-10)
    np.testing.assert_allclose(sparse.var, dense.var, atol=1e-10)


def test_the_method_learns_and_reports_its_fill(data, rng):
    X, y, Xs = data
    problem = Problem(X, y, GP(PP3(np.log([1.0, 3.0, 3.0]), 2), 0.1), Schedule("joint", 60), np.arange(120))
    fitted = SparseGP().fit(problem, rng)
    assert fitted.log_evidence > compact.evaluate(problem.gp, X, y)[0]
    assert 0 < fitted.trace[-1]["fill_K"] <= 1 and fitted.trace[-1]["fill_L"] >= fitted.trace[-1]["fill_K"] / 2
    assert (fitted.predict(Xs).var > 0).all()


def test_a_global_kernel_is_not_applicable(data, rng):
    X, y, _ = data
    problem = Problem(X, y, GP(ArdSE.create(X), 0.1), Schedule(), np.arange(120))
    with pytest.raises(NotApplicable, match="no compact support"):
        SparseGP().fit(problem, rng)
