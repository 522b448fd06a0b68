"""bank8FM: share of customers who leave a bank because of full queues. Every data row ends with a stray comma."""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import ARFF, one_file

ARRAYS = "e105edcb8630f16dcc7c155b136c79b29249115c56d8d77b65637b214c54c2e9"


class Bank8fm(Real):
    name = "bank8fm"
    title = "bank8FM: rejection rate in simulated bank queues, 8 inputs"
    papers = ("sundararajan", "keerthi")
    citation = (
        "DELVE, Data for Evaluating Learning in Valid Experiments, University of Toronto (1996): the bank family."
    )
    licence = "no licence stated; distributed freely by DELVE and L. Torgo's collection"
    home = "DELVE and L. Torgo's regression data sets"
    shape = (8192, 8)
    copies = (
        one_file(
            "bank8FM/bank8FM.arff",
            "1d5f11ba3e69f537180dc5973bafee8574927041779e3146d487888e3cd3f81e",
            parse.last_column,
            ARRAYS,
            url=f"{ARFF}/regression/bank8FM.arff",
        ),
    )
