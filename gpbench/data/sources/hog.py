"""HoG: height of a joint from image histograms of three cameras. Not found: the user's files are accepted."""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import Copy, RemoteFile


class Hog(Real):
    name = "hog"
    title = "HoG histograms of three cameras, height of the left wrist (your own files)"
    papers = ("cao",)
    citation = (
        "L. Bo, C. Sminchisescu (2010). Twin Gaussian processes for structured prediction. Int. J. Computer Vision 87, "
        "28-52 (features of the HumanEva-I sequences)."
    )
    licence = "not public; HumanEva-I has its own terms"
    home = "distributed with the Twin Gaussian Processes code (not found)"
    missing = (
        "the features are not public; put train.csv (4819 rows) and test.csv (4811), the histograms of the three "
        "cameras side by side and a column y under a header line, into the folder hog of GPBENCH_DATA "
        "(docs/reference/data.md)"
    )
    copies = (
        Copy(
            (RemoteFile("hog/train.csv"), RemoteFile("hog/test.csv")),
            parse.user_parts,
            note="hog: the user's own files, without a recorded hash",
            user=True,
        ),
    )
