"""CHEM: energies from molecular-dynamics simulations, 15 inputs. Not public: the user's files are accepted."""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import Copy, RemoteFile


class Chem(Real):
    name = "chem"
    title = "CHEM: potential energy of a molecule, 15 inputs (your own files)"
    papers = ("cao",)
    citation = (
        "K. Chalupka, C. K. I. Williams, I. Murray (2013). A framework for evaluating approximation methods for "
        "Gaussian process regression. JMLR 14, 333-350."
    )
    licence = "not public"
    home = "distributed by the authors of the framework on request"
    missing = (
        "its authors do not publish it; put train.csv (31535 rows) and test.csv, each 15 inputs and a column y under a "
        "header line, into the folder chem of GPBENCH_DATA (docs/reference/data.md)"
    )
    copies = (
        Copy(
            (RemoteFile("chem/train.csv"), RemoteFile("chem/test.csv")),
            parse.user_parts,
            note="chem: the user's own files, without a recorded hash",
            user=True,
        ),
    )
