"""synth2 and synth8: long draws from a GP with a squared exponential kernel, after the sets that [cao] took from the
framework of Chalupka et al.; 30543 training points. An exact draw would need a 35000 x 35000 Cholesky factor.

Our recipe: inputs standard normal; f(x) = sqrt(2/F) sum_k a_k cos(w_k'x + b_k) with F = 2048 random Fourier features
(w ~ N(0, I/l^2), b uniform, a ~ N(0, 1)), which has the kernel exp(-|x - x'|^2 / (2 l^2)) up to F^-1/2; noise variance
0.01. l = 0.5 for synth2 and 2 for synth8: both are learnable and neither is solved by a few dozen basis vectors.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from gpbench.data.source import Generated

FEATURES = 2048
BLOCK = 4096  # rows at a time: 64 MB instead of all features of all rows


def function_values(X, lengthscale: float, rng):
    """f(X) of one draw of f   (n,)."""
    W = rng.standard_normal((X.shape[1], FEATURES)) / lengthscale
    b, a = rng.uniform(0, 2 * np.pi, FEATURES), rng.standard_normal(FEATURES)
    sums = [np.cos(X[i : i + BLOCK] @ W + b) @ a for i in range(0, len(X), BLOCK)]
    return np.sqrt(2 / FEATURES) * np.concatenate(sums)


class Synth(Generated):
    papers: ClassVar[tuple[str, ...]] = ("cao",)
    citation: ClassVar[str] = (
        "After K. Chalupka, C. K. I. Williams, I. Murray (2013). A framework for evaluating approximation methods for "
        "Gaussian process regression. JMLR 14, 333-350."
    )
    licence: ClassVar[str] = "generated; none needed"
    home: ClassVar[str] = "our recipe: random Fourier features of a squared exponential kernel, noise variance 0.01"
    notes: ClassVar[tuple[str, ...]] = ("synth2/synth8: our own recipe; the paper's draws are not published",)
    dimensions: ClassVar[int]

    n_train: int = Field(30543, ge=1, description="training rows")
    n_test: int = Field(5000, ge=1, description="test rows; our choice, the paper gives none")
    noise: float = Field(0.01, ge=0, description="variance of the noise")
    seed: int = Field(0, ge=0, description="which draw")

    def sample(self, rng):
        X = rng.standard_normal((self.n_train + self.n_test, self.dimensions))
        return X, function_values(X, self.lengthscale, rng) + np.sqrt(self.noise) * rng.standard_normal(len(X))


class Synth2(Synth):
    name = "synth2"
    stands_for = ("synth2", "own recipe")
    title = "Long GP draw on two inputs"
    dimensions = 2

    lengthscale: float = Field(0.5, gt=0, description="of the kernel, in units of the inputs' deviation")


class Synth8(Synth):
    name = "synth8"
    stands_for = ("synth8", "own recipe")
    title = "Long GP draw on eight inputs"
    dimensions = 8

    lengthscale: float = Field(2.0, gt=0, description="of the kernel, in units of the inputs' deviation")
