"""Names that other libraries and papers use for gpbench's kernels and methods, for messages about unknown names."""

from __future__ import annotations

import re

_NAMES = {  # kind -> our name -> theirs, in small letters and digits
    "kernel": {
        "ard-se": "rbf se sqexp squaredexponential expquad exponentiatedquadratic gaussian ardrbf seard",
        "matern12": "exponential ornsteinuhlenbeck ou laplacian",
        "matern32": "matern3",
        "matern52": "matern matern5",
        "rational-quadratic": "rq ratquad",
        "periodic": "expsinesquared stdperiodic",
        "linear": "dotproduct polynomial1",
        "bias": "constant",
        "pp3": "wendland piecewisepolynomial ppcs3",
    },
    "method": {
        "full-gp": "gp gpr exact exactgp gaussianprocessregressor",
        "vfe": "sgpr svgp vsgp variational sparsegpregression",
        "fitc": "fic spgp gpfitc",
        "plv": "dtc sor pp projectedprocess",
        "sod": "subsetofdata",
        "ep": "gpc gaussianprocessclassifier epgpc",
        "vecchia": "nngp nearestneighbors nearestneighbours",
        "vif": "fullscale fsa fullscaleapproximation",
        "random": "nystroem nystrom",
        "rpcholesky": "randomlypivotedcholesky",
        "kmeans": "kmeansplusplus",
        "nlml": "greedyevidence",
    },
}
_OURS = {kind: {word: ours for ours, text in names.items() for word in text.split()} for kind, names in _NAMES.items()}


def our_name(kind: str, name: str) -> str | None:
    """What gpbench calls a kernel or method of another library; None if the name is not known."""
    return _OURS.get(kind, {}).get(re.sub("[^a-z0-9]|kernel$", "", name.lower()))
