"""The 200 points on a line that are distributed with the SPGP code: [snelson] Figure 1, [cao] Figures 1 and 4.

With `every: 10` the published split trains on each tenth row of the file ([cao]'s thinned 20) and tests on the rest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from pydantic import Field

from gpbench.data import parse
from gpbench.data.source import Real

from ..fetch.copies import FGP, Copy, RemoteFile


def read(inputs, outputs):
    return parse.numbers(inputs, parse.cells(inputs)), parse.numbers(outputs, parse.cells(outputs))[:, 0]


class Snelson1d(Real):
    name = "snelson1d"
    title = "Snelson's one-dimensional toy data"
    papers = ("snelson", "cao")
    citation = "E. Snelson, Z. Ghahramani (2006). Sparse Gaussian processes using pseudo-inputs. NIPS 18."
    licence = "distributed with the authors' code; no licence stated"
    home = "www.gatsby.ucl.ac.uk/~snelson/SPGP_dist.zip"
    shape = (200, 1)
    copies = (
        Copy(
            (
                RemoteFile(
                    "snelson1d/train_inputs",
                    "fd745fae3686ee6b1e03feef7bf4be1b577231ec7406e0e84715fcb37731e44c",
                    url=f"{FGP}/libs/SPGP_dist/train_inputs",
                ),
                RemoteFile(
                    "snelson1d/train_outputs",
                    "5f8752c19dbd536ad6435eed26d3e96b0d8101fa194ca31f05d10ab2a5bd9205",
                    url=f"{FGP}/libs/SPGP_dist/train_outputs",
                ),
            ),
            read,
            "46a4c364268ea259d091751318a242598f22925f2169e95fb5eeb5df8a35945a",
        ),
    )

    every: int = Field(1, ge=1, le=100, description="train on every k-th row, test on the others; 1: no split")

    def load(self, paths, rng=None):
        d = super().load(paths, rng)
        train = np.arange(0, d.n, self.every)
        return replace(d, published_split=None if self.every == 1 else (train, np.setdiff1d(np.arange(d.n), train)))
