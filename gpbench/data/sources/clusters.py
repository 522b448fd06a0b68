"""Two classes in a hypercube, every point of its nearest centre's class: [vanhatalo] section 6.1, Table 1, Figure 3."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from scipy.spatial import cKDTree

from gpbench.data.source import Generated


class Clusters(Generated):
    """10000 training candidates and 5000 test points are always drawn; `n_train` takes the first of them."""

    task: ClassVar[str] = "classification"
    papers: ClassVar[tuple[str, ...]] = ("vanhatalo",)
    citation: ClassVar[str] = (
        "J. Vanhatalo, A. Vehtari (2010). Speeding up the binary Gaussian process classification. UAI 26."
    )
    licence: ClassVar[str] = "generated; none needed"
    home: ClassVar[str] = "inputs and centres uniform in [0, 10]^D, centres of random class, nearest centre decides"
    dimensions: ClassVar[int]

    n_train: int = Field(10000, ge=1, le=10000, description="training rows, the first of 10000")
    n_test: int = Field(5000, ge=1, le=5000, description="test rows, the last of 5000")
    seed: int = Field(0, ge=0, description="which draw")

    def sample(self, rng):
        X = rng.uniform(0, 10, (15000, self.dimensions))
        centres = rng.uniform(0, 10, (self.centres, self.dimensions))
        classes = rng.choice([-1.0, 1.0], self.centres)
        return X, classes[cKDTree(centres).query(X)[1]]


class Clusters2d(Clusters):
    name = "clusters2d"
    title = "Two classes around random centres in two dimensions"
    shape = (15000, 2)
    dimensions = 2

    centres: int = Field(200, ge=1, description="random centres; the paper's fill-L fits about 400")


class Clusters5d(Clusters):
    name = "clusters5d"
    title = "Two classes around random centres in five dimensions"
    shape = (15000, 5)
    dimensions = 5

    centres: int = Field(1000, ge=1, description="random centres")
