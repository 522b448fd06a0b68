"""Abalone: age (rings) of shells; sex is coded 1-of-3, which makes 10 inputs as in [sundararajan]."""

from __future__ import annotations

import numpy as np

from gpbench.data import parse
from gpbench.data.source import Uci

from ..fetch.copies import ARFF, DELVE, UCI, one_file

ARRAYS = "fb8bb046b6ad93a60aac69f8386eaf35f3cf9f140e7aa44f9735d3242f92e8f0"


def read(path):
    """Sex M/F/I as three 0/1 inputs in this order, then the seven measurements; the target is rings."""
    rows = parse.cells(path)
    M = parse.numbers(path, [r[1:] for r in rows])
    return np.c_[parse.one_of([r[0] for r in rows], "MFI"), M[:, :-1]], M[:, -1]


class Abalone(Uci):
    name = "abalone"
    title = "Abalone: age of shells from physical measurements"
    papers = ("sundararajan",)
    citation = (
        "W. J. Nash, T. L. Sellers, S. R. Talbot, A. J. Cawthorn, W. B. Ford (1994). The Population Biology "
        "of Abalone. Sea Fisheries Division, Technical Report 48. UCI Machine Learning Repository."
    )
    uci = 1
    shape = (4177, 10)  # two rows have height 0: recording errors that all copies keep
    copies = (
        one_file(
            "abalone/Prototask.data",
            "d75c302aedf49440232a6e6dcfe2036ef363d2590d06afd425c1d64b8b20b198",
            read,
            ARRAYS,
            url=f"{DELVE}/abalone/Prototask.data",
        ),
        one_file(
            "abalone/abalone.arff",
            "3f955702660d3a6c022baf88b69f314534a625ac3fdebb761878ddff5960a560",
            read,
            ARRAYS,
            url=f"{ARFF}/regression/abalone.arff",
        ),
        one_file("abalone/abalone.data", "", read, ARRAYS, url=f"{UCI}/abalone/abalone.data"),
    )
