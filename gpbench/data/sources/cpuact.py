"""cpuact: share of time a Sun's processor runs in user mode, from 21 activity counts."""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import ARFF, one_file

ARRAYS = "7f38c610cfcf1a9a0ca8d99b00fd9e0d323e9e17a996384ba7272227886a07ab"


class Cpuact(Real):
    name = "cpuact"
    title = "cpuact: processor time in user mode, 21 inputs"
    papers = ("sundararajan", "keerthi")
    citation = (
        "DELVE, Data for Evaluating Learning in Valid Experiments, University of Toronto (1996): the comp-activ family."
    )
    licence = "no licence stated; distributed freely by DELVE and L. Torgo's collection"
    home = "DELVE and L. Torgo's regression data sets"
    shape = (8192, 21)
    copies = (
        one_file(
            "cpu_act/cpu.act.arff.gz",
            "28eebe8c7caa207cd87368af1145603e331c75ce68aed139b6cf88d8504932c4",
            parse.last_column,
            ARRAYS,
        ),
        one_file(
            "cpu_act/cpu.act.arff",
            "bd0f33e9bbdb02b8124d69b7f67bcea21b998d02dba0a306b3a95fdad9188918",
            parse.last_column,
            ARRAYS,
            url=f"{ARFF}/regression/cpu.act.arff",
        ),
    )
