"""Priors on hyperparameters, as functions of their logs: what is added to the log evidence, and its gradient.

[vanhatalo] (section 6.1) puts a half Student-t with 4 degrees of freedom and scale 6 on the hyperparameters, without
saying on which form of the magnitude; `quantities` says. Densities are those of the quantity itself, so the mode is
that of p(theta | data), not of its log.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

SHAPES = ("alpha", "period")  # neither a length-scale nor a magnitude: the paper's prior says nothing of them
ON = ("lengthscale+sd", "lengthscale+variance", "lengthscale", "sd", "variance")


@dataclass(frozen=True)
class HalfStudentT:
    """p(x) = 2 t(x; dof, scale) for x > 0."""

    quantities: str = "lengthscale+sd"  # of ON: length-scales, and standard deviation or variance of every kernel
    dof: float = 4.0
    scale: float = 6.0

    def __call__(self, kernel) -> tuple[float, np.ndarray]:
        """(log density, gradient in kernel.theta)."""
        wanted = self.quantities.split("+")
        F, dF = 0.0, np.zeros(len(kernel.theta))
        for i, name in enumerate(kernel.names):
            power = self._power(name.split("[")[0].split(".")[0], wanted)
            if power:
                log_x = power * kernel.theta[i]
                u = np.exp(2 * log_x) / (self.dof * self.scale**2)
                F += self._log_constant() - 0.5 * (self.dof + 1) * np.log1p(u)
                dF[i] = -power * (self.dof + 1) * u / (1 + u)
        return float(F), dF

    @staticmethod
    def _power(parameter: str, wanted: list[str]) -> float:
        """The quantity is exp(power * theta); 0 when the prior does not cover it."""
        if parameter == "lengthscale":
            return 1.0 if "lengthscale" in wanted else 0.0
        if parameter in SHAPES:
            return 0.0
        return 0.5 if "sd" in wanted else 1.0 if "variance" in wanted else 0.0

    def _log_constant(self) -> float:
        a = self.dof
        half = gammaln((a + 1) / 2) - gammaln(a / 2) - 0.5 * np.log(a * np.pi)
        return float(np.log(2) + half - np.log(self.scale))


def flat(kernel) -> tuple[float, np.ndarray]:
    """No prior: the mode is the maximum of the evidence."""
    return 0.0, np.zeros(len(kernel.theta))


def with_prior(evaluate: Callable, prior: Callable) -> Callable:
    """The objective with a log density added: its maximum is the posterior mode.

    `prior` gives, for a GP, the log density and its slopes in theta and in the log noise.
    """

    def objective(gp, X, y):
        F, dtheta, dlog_noise = evaluate(gp, X, y)
        log_prior, slope, noise_slope = prior(gp)
        return F + log_prior, dtheta + slope, dlog_noise + noise_slope

    return objective


def of_kernel(prior: Callable) -> Callable:
    """A prior on the kernel's parameters alone, as `with_prior` takes it."""
    return lambda gp: (*prior(gp.kernel), 0.0)


def find(name: str, quantities: str = "lengthscale+sd"):
    return {"none": flat, "half-t": HalfStudentT(quantities)}[name]
