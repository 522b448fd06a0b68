"""Thrombin binding affinities (pKi) of 2754 molecules from ChEMBL: a stand-in for [cao]'s BindingDB set.

Inputs are SMILES strings, for kernels on graphs; pKi = 9 - log10(Ki in nM).
"""

from __future__ import annotations

from functools import partial

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import one_file

ARRAYS = "ae9bab4cfff3d4d9e6aff70bce4758a8ed3fdf4de2367585c8c38a1d40c5fa27"
COMMIT = "7e6de0bd2968c56589c580f2a397f01c531ede26"


class Thrombin(Real):
    name = "thrombin"
    stands_for = ("bindingdb", "own recipe")  # other molecules of the same target
    title = "Thrombin inhibitors: binding affinity of molecules (stand-in for bindingdb)"
    papers = ("cao",)
    citation = (
        "D. van Tilborg, A. Alenicheva, F. Grisoni (2022). Exposing the limitations of molecular machine learning with "
        "activity cliffs. J. Chem. Inf. Model. 62, 5938-5951. ChEMBL target CHEMBL204."
    )
    licence = "MIT (MoleculeACE); ChEMBL data CC BY-SA 3.0"
    home = "MoleculeACE benchmark data, CHEMBL204_Ki.csv"
    shape = (2754, 1)
    notes = ("thrombin: 2754 molecules of ChEMBL, not [cao]'s 3852 of BindingDB",)
    copies = (
        one_file(
            "thrombin/CHEMBL204_Ki.csv",
            "54da2410087fb6a7d39e327e06af9b63044121bffbae9e3a8b61589217544e05",
            partial(parse.molecules, target="y [pEC50/pKi]"),
            ARRAYS,
            url=f"https://raw.githubusercontent.com/molML/MoleculeACE/{COMMIT}/MoleculeACE/Data/benchmark_data/CHEMBL204_Ki.csv",
        ),
        one_file(
            "thrombin/MoleculeACE/CHEMBL204_Ki.csv",
            "6ccf17a5f1aa6322f2d68f24b923f2efb5779ff73d33035bb889bb922b18dba5",
            partial(parse.molecules, shift=9.0),  # its y is -log10(nM)
            ARRAYS,
            package="MoleculeACE==3.0.0",
            package_sha256="c2028c9a75281eab53d3b3e7dc11cbc8ac970d008bac4a0d3927f11ac2024bdc",
            member="MoleculeACE/Data/benchmark_data/CHEMBL204_Ki.csv",
        ),
    )
