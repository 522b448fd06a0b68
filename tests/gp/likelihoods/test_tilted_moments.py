"""Every likelihood: tilted moments against adaptive quadrature, limits, predictions against sums and integrals."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from gpbench.errors import DataError
from gpbench.gp.likelihoods.negative_binomial import NegativeBinomial
from gpbench.gp.likelihoods.poisson import Poisson
from gpbench.gp.likelihoods.probit import Probit
from gpbench.gp.likelihoods.student_t import StudentT

COUNTS = st.one_of(st.integers(0, 5), st.integers(0, 1000))
CASES = {
    "poisson": (Poisson(), COUNTS, st.fixed_dictionaries({"offset": st.floats(-2, 5)})),
    "negative-binomial": (
        NegativeBinomial(),
        COUNTS,
        st.fixed_dictionaries({"dispersion": st.floats(1e-3, 5), "offset": st.floats(-2, 5)}),
    ),
    "student-t": (
        StudentT(), st.floats(-8, 8), st.fixed_dictionaries({"scale": st.floats(0.05, 2), "dof": st.floats(2.1, 50)})
    ),
    "probit": (Probit(), st.sampled_from([-1.0, 1.0]), st.just({})),
}  # fmt: skip


def by_quad(log_t, m, v):
    """(log Z, mean, variance) by scipy's adaptive quadrature, in parts around where the density is large."""

    def log_g(f):
        return log_t(f) - 0.5 * (f - m) ** 2 / v - 0.5 * np.log(2 * np.pi * v)

    grid = np.unique(np.concatenate([m + np.sqrt(v) * np.linspace(-60, 60, 120_001), np.linspace(-15, 15, 30_001)]))
    g = log_g(grid)
    top, near = g.max(), grid[g > g.max() - 50]
    ends = np.linspace(near[0] - 1e-3, near[-1] + 1e-3, 41)

    def moment(k, centre=0.0):
        def h(f):
            return (f - centre) ** k * np.exp(log_g(f) - top)

        return sum(quad(h, a, b, epsabs=0, epsrel=1e-11, limit=200)[0] for a, b in pairwise(ends))

    Z = moment(0)
    mean = moment(1) / Z
    return top + np.log(Z), mean, moment(2, mean) / Z


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("name", CASES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_tilted_moments_equal_adaptive_quadrature(name, data):
    likelihood, targets, parameters = CASES[name]
    y, p = float(data.draw(targets)), data.draw(parameters)
    m, v = data.draw(st.floats(-3, 3)), data.draw(st.floats(0.01, 9))
    found = likelihood.tilted(np.array([y]), np.array([m]), np.array([v]), p)
    log_Z, mean, var = by_quad(lambda f: likelihood.power * likelihood.log_density(y, f, p), m, v)
    assert found.log_Z[0] == pytest.approx(log_Z, rel=1e-8, abs=1e-8)
    assert found.mean[0] == pytest.approx(mean, rel=1e-8, abs=1e-8)
    assert found.var[0] == pytest.approx(var, rel=1e-8)


def test_densities_are_those_of_scipy():
    f, p = np.array([-1.0, 0.3, 2.0]), {"dispersion": 0.4, "offset": 0.5, "scale": 0.7, "dof": 4.0}
    mu = np.exp(f + 0.5)
    y = np.array([0.0, 3.0, 20.0])
    np.testing.assert_allclose(Poisson().log_density(y, f, p), stats.poisson.logpmf(y, mu), rtol=1e-12)
    nb = stats.nbinom(2.5, 2.5 / (2.5 + mu))
    np.testing.assert_allclose(NegativeBinomial().log_density(y, f, p), nb.logpmf(y), rtol=1e-12)
    np.testing.assert_allclose(NegativeBinomial().cdf(y, f, p), nb.cdf(y), rtol=1e-12)
    t = stats.t(4.0, f, 0.7)
    np.testing.assert_allclose(StudentT().log_density(y, f, p), t.logpdf(y), rtol=1e-12)
    np.testing.assert_allclose(StudentT().cdf(y, f, p), t.cdf(y), rtol=1e-12)
    np.testing.assert_allclose(StudentT().variance(f, p), t.var(), rtol=1e-12)


@pytest.mark.parametrize("dispersion", [1e-5, 1e-9])
def test_negative_binomial_of_little_dispersion_is_poisson(dispersion):
    y, f, p = np.arange(0.0, 40.0, 3), np.linspace(-1, 3, 14), {"dispersion": dispersion, "offset": 0.2}
    expected = Poisson().log_density(y, f, p)
    np.testing.assert_allclose(NegativeBinomial().log_density(y, f, p), expected, rtol=0, atol=2e3 * dispersion + 1e-9)


def test_student_t_of_many_degrees_of_freedom_is_gaussian():
    y, f = np.linspace(-3, 3, 9), np.linspace(1, -1, 9)
    found = StudentT().log_density(y, f, {"scale": 0.8, "dof": 1e9})
    np.testing.assert_allclose(found, stats.norm.logpdf(y, f, 0.8), atol=1e-7)


@pytest.mark.parametrize(("likelihood", "p"), [
    (Poisson(), {"offset": 0.7}), (NegativeBinomial(), {"dispersion": 0.3, "offset": 0.7}),
])  # fmt: skip
def test_predictions_of_counts_agree_with_sums_over_counts(likelihood, p):
    m, v = np.array([-0.5, 0.4, 1.0]), np.array([0.05, 0.5, 0.3])
    counts = np.arange(0.0, 3000.0)
    mass = np.array([np.exp(likelihood.log_predictive(counts, np.full(3000, a), np.full(3000, b), p))
                     for a, b in zip(m, v)])  # fmt: skip
    np.testing.assert_allclose(mass.sum(1), 1, rtol=1e-6)
    mean, var = likelihood.moments(m, v, p)
    np.testing.assert_allclose(mean, mass @ counts, rtol=1e-4)
    np.testing.assert_allclose(var, mass @ counts**2 - (mass @ counts) ** 2, rtol=1e-2)
    for q in (0.025, 0.5, 0.975):
        np.testing.assert_array_equal(likelihood.quantiles(m, v, p, q), (mass.cumsum(1) < q).sum(1))


def test_predictions_of_student_t_agree_with_integrals():
    p, m, v = {"scale": 0.5, "dof": 5.0}, np.array([0.3]), np.array([0.4])
    likelihood = StudentT()
    for q in (0.025, 0.5, 0.975):
        y = likelihood.quantiles(m, v, p, q)[0]
        below = quad(lambda f, y=y: stats.t.cdf(y, 5, f, 0.5) * stats.norm.pdf(f, 0.3, 0.4**0.5), -4, 5)[0]
        assert below == pytest.approx(q, abs=1e-6)
    density = quad(lambda f: stats.t.pdf(1.4, 5, f, 0.5) * stats.norm.pdf(f, 0.3, 0.4**0.5), -4, 5)[0]
    assert likelihood.log_predictive(np.array([1.4]), m, v, p)[0] == pytest.approx(np.log(density), abs=1e-8)


def test_targets_that_are_no_counts_are_refused():
    with pytest.raises(DataError, match=r"poisson needs counts 0, 1, 2, ...; target 1 is 0.5"):
        Poisson().check(np.array([1.0, 0.5]))
    with pytest.raises(DataError, match=r"target 0 is -1; write `scale: \{target: none\}`"):
        Poisson().check(np.array([-1.0, 0.5]))


@pytest.mark.parametrize("q", [1e-7, 1e-5, 0.5, 1 - 1e-5])
def test_quantiles_far_in_heavy_tails_have_their_probability_below(q):
    """The first bracket, four deviations wide, holds none of the outer ones: it is widened on both sides."""
    m, v, p = np.array([0.0, 3.0]), np.array([0.01, 0.5]), {"scale": 1.0, "dof": 3.0}
    found = StudentT().quantiles(m, v, p, q)
    assert StudentT().below(found, m, v, p) == pytest.approx(q, rel=1e-4)
