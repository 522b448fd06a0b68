"""bank32nh: bank8FM's harder relative with 32 inputs and much noise. Every data row ends with a stray comma."""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import ARFF, one_file

ARRAYS = "275937e4901fd0da9a1458ff8e0283ea73ebcfe94e7d0a22343d0c4ebcb53af8"


class Bank32nh(Real):
    name = "bank32nh"
    title = "bank32nh: rejection rate in simulated bank queues, 32 inputs, noisy"
    papers = ("sundararajan", "keerthi")
    citation = (
        "DELVE, Data for Evaluating Learning in Valid Experiments, University of Toronto (1996): the bank family."
    )
    licence = "no licence stated; distributed freely by DELVE and L. Torgo's collection"
    home = "DELVE and L. Torgo's regression data sets"
    shape = (8192, 32)
    copies = (
        one_file(
            "bank32NH/bank32nh.arff.gz",
            "2a0cda18aff03090e2fb8e348d04be6cb631fbf4351b207e54dc3cf2192c5041",
            parse.last_column,
            ARRAYS,
        ),
        one_file(
            "bank32NH/bank32nh.arff",
            "981ee722b3d562d454ecaba52b0eb2fa5b145f43b8dd986dcc9beefe70f988e0",
            parse.last_column,
            ARRAYS,
            url=f"{ARFF}/regression/bank32nh.arff",
        ),
    )
