"""kin8nm: the arm of KIN40K in raw units with more noise. No paper here uses it; it is the simulator's check."""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import ARFF, OPENML, one_file

ARRAYS = "8efe61ebe0843a38784981c0df23ee1241d91248f0d56d7f728e48b5a1a71c00"


class Kin8nm(Real):
    name = "kin8nm"
    title = "kin8nm: distance of a robot arm from a target, raw units, medium noise"
    papers = ()
    citation = "DELVE, Data for Evaluating Learning in Valid Experiments, University of Toronto (1996): the kin family."
    licence = "no licence stated; distributed freely by DELVE and L. Torgo's collection"
    home = "DELVE and L. Torgo's regression data sets"
    shape = (8192, 8)
    copies = (
        one_file(
            "kin8nm/kin8nm.arff.gz",
            "2de3af3bfaf7c89f04dc68beffef30f0fe4a249f7e25fd10f71e2bb8feffd294",
            parse.last_column,
            ARRAYS,
        ),
        one_file(
            "kin8nm/kin8nm.arff",
            "64a4d839e3ce2fd57f57a21d612392170a57f9612fdd56a8fc35b4e7a5d59881",
            parse.last_column,
            ARRAYS,
            url=f"{ARFF}/regression/kin8nm.arff",
        ),
        one_file("kin8nm/openml.arff", "", parse.last_column, ARRAYS, url=f"{OPENML}/3626/kin8nm.arff"),
    )
