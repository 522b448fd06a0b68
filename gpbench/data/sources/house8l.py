"""house8L: median house price of places in the 1990 US census, 8 inputs; one row occurs twice."""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import ARFF, one_file

ARRAYS = "2a5729066ad0cc566ea422f5c1fc0b35bff5c782effe2ddf2dce0a09c8f2da5d"


class CensusHouse(Real):
    papers = ("keerthi",)
    citation = "DELVE, Data for Evaluating Learning in Valid Experiments, Toronto (1996): the census-house family."
    licence = "public domain (US census); no licence stated by DELVE and L. Torgo's collection"
    home = "DELVE and L. Torgo's regression data sets"


class House8l(CensusHouse):
    name = "house8l"
    title = "house8L: house prices from census counts, 8 inputs"
    shape = (22784, 8)
    copies = (
        one_file(
            "house_8L/house8L.arff.gz",
            "98069d24a745980c5b6e9fc75fdd2de67af644c6c8f5fb8cc6c9fff32dcc9f63",
            parse.last_column,
            ARRAYS,
        ),
        one_file(
            "house_8L/house8L.arff",
            "7fdd550aee31efd8318eb4a5927a0daa3e0e89c09ff58d8735c96e079439d6cc",
            parse.last_column,
            ARRAYS,
            url=f"{ARFF}/regression/house8L.arff",
        ),
    )
