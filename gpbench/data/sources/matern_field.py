"""A Gaussian field on the unit square with a Matern covariance, observed with noise at random places.

Drawn exactly by circulant embedding (Dietrich and Newsam 1997): on a grid the covariance matrix is a part of a block
circulant one, whose eigenvalues are one Fourier transform; if all are non-negative, the transform of white noise with
these variances is a draw. Places are points of the grid, so nothing is interpolated. A long-range field that needs a
larger period than four squares is refused, not approximated.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from gpbench.data.source import Generated
from gpbench.errors import DataError

PROFILES = {
    "1/2": lambda r: np.exp(-r),
    "3/2": lambda r: (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r),
    "5/2": lambda r: (1 + np.sqrt(5) * r + 5 / 3 * r**2) * np.exp(-np.sqrt(5) * r),
}
ROUNDING = 1e-12  # eigenvalues as far below zero as this share of the largest are zero


def spectrum(correlation, grid: int) -> np.ndarray:
    """Eigenvalues of the smallest circulant matrix, of 2 or 4 grids a side, that embeds the covariance."""
    for times in (2, 4):
        period = times * grid
        along = np.minimum(np.arange(period), period - np.arange(period)) / grid
        values = np.fft.fft2(correlation(np.hypot(along[:, None], along))).real
        if values.min() >= -ROUNDING * values.max():
            return np.maximum(values, 0.0)
    raise DataError("matern-field: no exact draw for so long a length-scale; take a smaller one")


class MaternField(Generated):
    name = "matern-field"
    title = "Gaussian field in the plane with a Matern covariance"
    citation = "generated; method: C. R. Dietrich, G. N. Newsam (1997). SIAM J. Sci. Comput. 18, 1088-1107."
    licence = "generated; none needed"
    home = "exact draw on a grid of the unit square by circulant embedding, unit variance, plus white noise"

    n_train: int = Field(20_000, ge=1, description="training rows")
    n_test: int = Field(5_000, ge=1, description="test rows")
    smoothness: Literal["1/2", "3/2", "5/2"] = Field("3/2", description="of the Matern covariance")
    lengthscale: float = Field(0.03, gt=0, description="in units of the square's side")
    noise: float = Field(0.1, ge=0, description="variance of the noise; that of the field is 1")
    grid: int = Field(512, ge=2, description="points of the grid along a side")
    seed: int = Field(0, ge=0, description="which draw")

    def sample(self, rng):
        n = self.n_train + self.n_test
        if n > self.grid**2:
            raise DataError(f"matern-field: {n} rows do not fit on a grid of {self.grid} x {self.grid}")
        values = spectrum(lambda d: PROFILES[self.smoothness](d / self.lengthscale), self.grid)
        white = rng.standard_normal(values.shape) + 1j * rng.standard_normal(values.shape)
        field = np.fft.fft2(np.sqrt(values / values.size) * white).real[: self.grid, : self.grid]
        places = rng.permutation(self.grid**2)[:n]
        X = np.column_stack(np.divmod(places, self.grid)) / self.grid
        return X, field.ravel()[places] + np.sqrt(self.noise) * rng.standard_normal(n)
