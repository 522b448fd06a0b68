"""A prior where rows are few for the number of inputs: there the evidence alone finds values that explain everything.

log length-scale ~ N(FAR + log(D) / 2, WIDE^2) keeps distances, which grow as sqrt(D), of one size whatever D is
(Hvarfner, Hellsten and Nardi 2024, for inputs of deviation 1); log noise ~ N(log NOISE, NOISE_WIDE^2), for targets of
variance 1.
"""

from __future__ import annotations

import numpy as np

from gpbench.gp.inference.model import GP

ROWS = 5  # for each input: with as many the intervals of the evidence alone hold
FAR, WIDE = 1.0, 0.7
NOISE, NOISE_WIDE = 0.2, 0.8


def are_few(X) -> bool:
    """Whether the rows are too few for the evidence alone."""
    return X.ndim == 2 and len(X) < ROWS * X.shape[1]


def log_prior(gp: GP, inputs: int) -> tuple[float, np.ndarray, float]:
    """(log density but for a constant, its slopes in theta and in the log noise)."""
    scales = np.array([name.startswith("lengthscale") for name in gp.kernel.names])
    z = np.where(scales, (gp.kernel.theta - FAR - 0.5 * np.log(inputs)) / WIDE, 0.0)
    of_noise = (np.log(gp.noise) - np.log(NOISE)) / NOISE_WIDE
    return -0.5 * float(z @ z) - 0.5 * of_noise**2, -z / WIDE, -of_noise / NOISE_WIDE
