"""SARCOS: inverse dynamics of a seven-joint arm, 21 inputs, seven torques; the papers use the first.

Only the 4449-row test file could be had; almost all its rows also occur in the original training set, so a split of it
is a fair small stand-in. With both of the user's files in the cache folder (sarcos/) the full 44484/4449 set is used.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field
from scipy.io import loadmat

from gpbench.data.source import Real
from gpbench.errors import DataError

from ..fetch.copies import Copy, RemoteFile

TEST = RemoteFile(
    "sarcos/sarcos_inv_test.mat",
    "161a59b5c3b4f4b404584323f181607b2acbe620eb134dc720760dc3f38f5cec",
    url="https://raw.githubusercontent.com/probml/pmtkdata/1f3ffa3d21a38c8e9e5010dcedb71262b35b446a/sarcos_inv_test.mat",
)


def matrix(path, rows: int) -> np.ndarray:
    try:
        found = [v for k, v in loadmat(path).items() if not k.startswith("__")]
    except Exception as e:  # scipy raises what it likes on a damaged file
        raise DataError(f"{path} is not a MATLAB file ({e})") from e
    if len(found) != 1 or found[0].shape != (rows, 28):
        raise DataError(f"{path}: expected one matrix of {rows} x 28, got {[np.shape(v) for v in found]}")
    return found[0].astype(float)


def read_test(path):
    M = matrix(path, 4449)
    return M[:, :21], M[:, 21:]


def read_both(train, test):
    M = np.concatenate([matrix(train, 44484), matrix(test, 4449)])
    return M[:, :21], M[:, 21:], 44484


class Sarcos(Real):
    name = "sarcos"
    stands_for = ("sarcos", "subset")  # the public test file: 4449 of 48933 rows
    title = "SARCOS: inverse dynamics of a robot arm, 21 inputs"
    papers = ("cao",)
    citation = (
        "S. Vijayakumar, S. Schaal (2000). Locally weighted projection regression. ICML 17; "
        "C. E. Rasmussen, C. K. I. Williams (2006). Gaussian Processes for Machine Learning, MIT Press."
    )
    licence = "no licence stated; distributed freely with the GPML book"
    home = "www.gaussianprocess.org/gpml/data"
    copies = (
        Copy(
            (RemoteFile("sarcos/sarcos_inv.mat"), TEST),
            read_both,
            note="the user's full SARCOS files; their training part has no recorded hash",
            shape=(48933, 21),
            user=True,
        ),
        Copy(
            (TEST,),
            read_test,
            "7e4f88c1653a499875170d7ca670ab0315f65d5c4bd3a2e3ea95879c8c2849e2",
            note="SARCOS: only the 4449 test rows are at hand, not the 44484 training rows",
            shape=(4449, 21),
        ),
    )

    joint: int = Field(1, ge=1, le=7, description="which of the seven torques is the target")

    def target(self, y):
        return y[:, self.joint - 1]
