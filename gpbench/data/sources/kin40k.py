"""KIN40K with its 10000/30000 split, as it is passed around: already de-trended and scaled.

Inputs are divided by their training deviation (not centred); targets are residuals of a linear fit on the training rows
divided by their deviation, as in Seeger et al. (2003). A. Schwaighofer's untouched kin40k.mat is not at hand.
"""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import FGP, Copy, RemoteFile

ARRAYS = "088f1803da379729fb4db22b2193efdbd4b5c8771453d0ad4d9811324209c1eb"
FILES = {  # name: sha256 of the plain text, sha256 of the mirror's gzip where it has one
    "train_data": (
        "586beb1ebe6ed0bd8988d86494183b438814ca3ee56b7616b917ff0a8e3cca55",
        "beabbd97b040864f32e53f9ddc3a066c1732f5ce72175a371a52337dd3b1e9fe",
    ),
    "train_labels": ("0a5851bda3dabfb2009aeb0ff7e781c85221db0dad91e6cdc7948bd97173b005", ""),
    "test_data": (
        "75ff1d28e23e5be45fc70094dcf2bba4e93af585fa75dd6790c7f69710224ce0",
        "eff355a1b2749f1b493f193f635b63625edddf68a21a3f52ac37d2b8097c7e09",
    ),
    "test_labels": ("3a6568c4824f9cc83e3e9df900ef146aea11e383d466daabb9eea50949cbffe0", ""),
}


class Kin40k(Real):
    name = "kin40k"
    title = "KIN40K: forward kinematics of an 8-link robot arm, de-trended"
    papers = ("keerthi", "snelson", "cao")
    citation = (
        "A. Schwaighofer, V. Tresp (2003). Transductive and inductive methods for approximate Gaussian process "
        "regression. NIPS 15; pre-processed as M. Seeger, C. Williams, N. Lawrence (2003), AISTATS 9."
    )
    licence = "no licence stated; distributed freely by A. Schwaighofer"
    home = "www.igi.tugraz.at/aschwaig/data.html (gone)"
    shape = (40000, 8)
    copies = (
        Copy(
            tuple(
                RemoteFile(f"kin40k/kin40k_{name}.asc" + (".gz" if zipped else ""), zipped or plain)
                for name, (plain, zipped) in FILES.items()
            ),
            parse.parts,
            ARRAYS,
        ),
        Copy(
            tuple(
                RemoteFile(f"kin40k/kin40k_{name}.asc", plain, url=f"{FGP}/data/kin40k/kin40k_{name}.asc")
                for name, (plain, _) in FILES.items()
            ),
            parse.parts,
            ARRAYS,
        ),
    )
