"""Outaouais: data of a challenge whose test targets were never published. The user's files are accepted."""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import Copy, RemoteFile


class Outaouais(Real):
    name = "outaouais"
    title = "Outaouais: Evaluating Predictive Uncertainty Challenge (your own files)"
    papers = ("keerthi",)
    citation = (
        "J. Quinonero-Candela, C. E. Rasmussen, F. Sinz, O. Bousquet, B. Schoelkopf (2006). Evaluating predictive "
        "uncertainty challenge. MLCW 2005, LNAI 3944, 1-27."
    )
    licence = "not public"
    home = "Evaluating Predictive Uncertainty Challenge, 2005 (gone)"
    missing = (
        "the challenge kept its 20000 test targets and its site is gone; put train.csv (29000 rows) and test.csv, "
        "inputs and a column y under a header line, into the folder outaouais of GPBENCH_DATA (docs/reference/data.md)"
    )
    copies = (
        Copy(
            (RemoteFile("outaouais/train.csv"), RemoteFile("outaouais/test.csv")),
            parse.user_parts,
            note="outaouais: the user's own files, without a recorded hash",
            user=True,
        ),
    )
