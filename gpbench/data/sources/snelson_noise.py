"""One-dimensional regression with input-dependent noise: [snelson] Figure 4. The paper's data were not distributed.

Our recipe: x uniform in [0, 6], f = sin(2 x) + cos(x) / 2, noise deviation growing from 0.05 to 0.8 as (x / 6)^2.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from gpbench.data.source import Generated


def response(x):
    return np.sin(2 * x) + 0.5 * np.cos(x)


def noise_sd(x):
    return 0.05 + 0.75 * (x / 6) ** 2


class SnelsonNoise(Generated):
    name = "snelson-noise"
    stands_for = ("snelson-noise", "own recipe")
    title = "One-dimensional data with input-dependent noise"
    papers = ("snelson",)
    citation = "E. Snelson, Z. Ghahramani (2006). Sparse Gaussian processes using pseudo-inputs. NIPS 18 (Figure 4)."
    licence = "generated; none needed"
    home = "our recipe: sin(2x) + cos(x)/2 with noise deviation 0.05 + 0.75 (x/6)^2; the paper's data are not published"
    notes = ("snelson-noise: our own recipe; the data of the paper's Figure 4 are not published",)

    n_train: int = Field(200, ge=1, description="training rows")
    n_test: int = Field(1000, ge=1, description="test rows")
    seed: int = Field(0, ge=0, description="which draw")

    def sample(self, rng):
        x = rng.uniform(0, 6, self.n_train + self.n_test)
        return x[:, None], response(x) + noise_sd(x) * rng.standard_normal(len(x))
