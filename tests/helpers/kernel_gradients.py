"""Gradients of a kernel against finite differences, and a kernel's pull-back without its arguments' fate."""

import numpy as np

from tests.oracles.exact import finite_difference


def vjp(kernel, dK, X, X2=None, K=None):
    """dF/dtheta; dK is left as it is."""
    return kernel.pullback(np.array(dK), X, X2, K)[0]


def vjp_inputs(kernel, dK, Z, X=None):
    """dF/dZ; dK is left as it is."""
    return kernel.pullback(np.array(dK), Z, X, inputs=True)[1]


def check_parameters(kernel, Z, X, rng, rtol=1e-6, atol=1e-7):
    """dF/dtheta through K(Z, X), through K(Z) and through diag K(X)."""
    dK, dS, dk = rng.normal(size=(len(Z), len(X))), rng.normal(size=(len(Z), len(Z))), rng.normal(size=len(X))
    fd = finite_difference(lambda t: (kernel.with_theta(t)(Z, X) * dK).sum(), kernel.theta)
    np.testing.assert_allclose(vjp(kernel, dK, Z, X), fd, rtol=rtol, atol=atol)
    fd = finite_difference(lambda t: (kernel.with_theta(t)(Z) * dS).sum(), kernel.theta)
    np.testing.assert_allclose(vjp(kernel, dS, Z), fd, rtol=rtol, atol=atol)
    fd = finite_difference(lambda t: kernel.with_theta(t).diag(X) @ dk, kernel.theta)
    np.testing.assert_allclose(kernel.vjp_diag(dk, X), fd, rtol=rtol, atol=atol)


def check_inputs(kernel, Z, X, rng, rtol=1e-6, atol=1e-7):
    """dF/dZ through K(Z, X) and through K(Z)."""
    dK, dS = rng.normal(size=(len(Z), len(X))), rng.normal(size=(len(Z), len(Z)))
    fd = finite_difference(lambda P: (kernel(P, X) * dK).sum(), Z)
    np.testing.assert_allclose(vjp_inputs(kernel, dK, Z, X), fd, rtol=rtol, atol=atol)
    fd = finite_difference(lambda P: (kernel(P) * dS).sum(), Z)
    np.testing.assert_allclose(vjp_inputs(kernel, dS, Z), fd, rtol=rtol, atol=atol)
