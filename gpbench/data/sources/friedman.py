"""Friedman's three test functions. 2 and 3 describe an alternating-current circuit: [sundararajan] Tables 3 and 5.

The capacitance is in microfarad, the training noise one third of the response's deviation and test targets are free of
noise: only so do the paper's tables come out (the generators of common libraries leave out the factor 1e-6).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from gpbench.data.source import Generated


class Friedman(Generated):
    """Inputs by `inputs`, noise-free response by `response`; the class says the response's deviation `sd`."""

    per_trial: ClassVar[bool] = True
    citation: ClassVar[str] = (
        "J. H. Friedman (1991). Multivariate adaptive regression splines. Annals of Statistics 19, 1-67."
    )
    licence: ClassVar[str] = "generated; none needed"
    sd: ClassVar[float]

    n_train: int = Field(200, ge=1, description="training rows")
    n_test: int = Field(5000, ge=1, description="test rows")
    noise_ratio: float = Field(3.0, gt=0, description="deviation of the response over that of the noise")
    noise: float | None = Field(None, ge=0, description="standard deviation of the noise, instead of noise_ratio")
    noisy_test: bool = Field(False, description="add the noise to the test targets too")

    def noise_sd(self) -> float:
        return self.sd / self.noise_ratio if self.noise is None else self.noise

    def rows(self, n, rng):
        """All with noise: who splits them later decides which are tested on."""
        X = self.inputs(n, rng)
        return X, self.response(X) + self.noise_sd() * rng.standard_normal(n)

    def sample(self, rng):
        X = self.inputs(self.n_train + self.n_test, rng)
        y = self.response(X)
        noisy = len(y) if self.noisy_test else self.n_train
        y[:noisy] += self.noise_sd() * rng.standard_normal(noisy)
        return X, y


class Friedman1(Friedman):
    name = "friedman1"
    title = "Friedman 1: ten uniform inputs, five of them relevant"
    home = "10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5, inputs uniform in [0, 1]^10, unit noise"
    sd = 4.8812  # of the response, by quadrature; so below

    noise: float | None = Field(1.0, ge=0, description="standard deviation of the noise; null: use noise_ratio")

    def inputs(self, n, rng):
        return rng.uniform(size=(n, 10))

    def response(self, X):
        return 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]


class Circuit(Friedman):
    """R in [0, 100] ohm, omega = 2 pi f with f in [20, 280] Hz, L in [0, 1] henry, C in [1, 11] microfarad."""

    papers: ClassVar[tuple[str, ...]] = ("sundararajan",)

    def inputs(self, n, rng):
        low, high = np.array([0, 40 * np.pi, 0, 1]), np.array([100, 560 * np.pi, 1, 11])
        return rng.uniform(low, high, (n, 4))

    def reactance(self, X):
        _, omega, L, C = X.T
        return omega * L - 1 / (omega * C * 1e-6)


class Friedman2(Circuit):
    name = "friedman2"
    title = "Friedman 2: impedance of an alternating-current circuit"
    home = "sqrt(R^2 + (omega L - 1/(omega C))^2), C in microfarad, noise sd(f)/3, noise-free test targets"
    sd = 523.02

    def response(self, X):
        return np.hypot(X[:, 0], self.reactance(X))


class Friedman3(Circuit):
    name = "friedman3"
    title = "Friedman 3: phase angle of an alternating-current circuit"
    home = "arctan((omega L - 1/(omega C)) / R), C in microfarad, noise sd(f)/3, noise-free test targets"
    sd = 1.3327

    def response(self, X):
        return np.arctan2(self.reactance(X), X[:, 0])
