"""pumadyn-32nm in DELVE's raw units and order; [snelson] trains on the first 7168 rows.

`scale: {target: detrend}` is that paper's pre-processing.
"""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import DELVE, one_file

ARRAYS = "9719a436841b9b6631941051ad08238fe371975d1f81644ca7098fa526e3f9e9"


class Pumadyn32nm(Real):
    name = "pumadyn32nm"
    title = "pumadyn-32nm: angular acceleration of a simulated Puma 560 arm, 32 inputs"
    papers = ("snelson",)
    citation = (
        "DELVE, Data for Evaluating Learning in Valid Experiments, University of Toronto (1996): the pumadyn family."
    )
    licence = "no licence stated; distributed freely by DELVE"
    home = "DELVE, www.cs.toronto.edu/~delve/data/pumadyn/desc.html"
    shape = (8192, 32)
    published_train = 7168
    copies = (
        one_file(
            "pumadyn-32nm/Prototask.data.gz",
            "ce2fdae0ab9653df0f1640d0bbc52b6f1922fc94a45c670e32ac8b008e3648e0",
            parse.last_column,
            ARRAYS,
        ),
        one_file(
            "pumadyn-32nm/Prototask.data",
            "34072eabc8c8ec240982a5c185c98f4115e954595cbbd83a11396df7420cfc0a",
            parse.last_column,
            ARRAYS,
            url=f"{DELVE}/pumadyn-32nm/Prototask.data",
        ),
    )
