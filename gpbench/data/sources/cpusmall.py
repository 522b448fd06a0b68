"""cpusmall: share of time a Sun's processor runs in user mode; 12 of cpuact's 21 inputs, same rows."""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import ARFF, one_file

ARRAYS = "962fd049e0f1c1a9c9dbd9c89a80744a3a33047a5da16834f385ed172519ede2"


class Cpusmall(Real):
    name = "cpusmall"
    title = "cpusmall: processor time in user mode, 12 inputs"
    papers = ("sundararajan", "keerthi")
    citation = (
        "DELVE, Data for Evaluating Learning in Valid Experiments, University of Toronto (1996): the comp-activ family."
    )
    licence = "no licence stated; distributed freely by DELVE and L. Torgo's collection"
    home = "DELVE and L. Torgo's regression data sets"
    shape = (8192, 12)
    copies = (
        one_file(
            "cpu_small/cpu.small.arff",
            "be6a626bd91804c81cc2f26d015f8df23afcce7af952c522c8dfe06bc187203c",
            parse.last_column,
            ARRAYS,
            url=f"{ARFF}/regression/cpu.small.arff",
        ),
    )
