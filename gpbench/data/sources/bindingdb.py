"""BindingDB thrombin: the 3852 molecules of [cao] were not found. The user's file is accepted; see `thrombin`."""

from __future__ import annotations

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import Copy, RemoteFile


class Bindingdb(Real):
    name = "bindingdb"
    title = "BindingDB: thrombin affinity of molecules (your own file)"
    papers = ("cao",)
    citation = (
        "T. Liu, Y. Lin, X. Wen, R. N. Jorissen, M. K. Gilson (2007). BindingDB: a web-accessible database of "
        "experimentally determined protein-ligand binding affinities. Nucleic Acids Research 35, D198-D201."
    )
    licence = "CC BY 3.0 (BindingDB)"
    home = "www.bindingdb.org; the selection of the paper was not published"
    missing = (
        "the paper's selection of 3852 molecules was not published; put molecules.csv with columns smiles and y "
        "(affinity) into the folder bindingdb of GPBENCH_DATA (docs/reference/data.md), or use the stand-in thrombin"
    )
    copies = (
        Copy(
            (RemoteFile("bindingdb/molecules.csv"),),
            parse.molecules,
            note="bindingdb: the user's own file, without a recorded hash",
            user=True,
        ),
    )
