"""Fixtures that several test modules share."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.paths import REPO

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(pool, "1")


@pytest.fixture
def rng():
    return np.random.default_rng(20061)


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The real data. Named but absent is a failure, not named is a skip."""
    where = os.environ.get("GPBENCH_MIRROR")
    if not where:
        pytest.skip("real data: set GPBENCH_MIRROR to a folder laid out like its MANIFEST.csv")
    assert (Path(where) / "MANIFEST.csv").is_file(), f"GPBENCH_MIRROR={where} has no MANIFEST.csv"
    return Path(where)


@pytest.fixture(scope="session")
def repo() -> Path:
    return REPO


@pytest.fixture(scope="session")
def small_site(tmp_path_factory) -> Path:
    """The site over tests/files/results-small, whose check takes seconds: made once for all that read it."""
    from gpbench.report.site import build

    out = tmp_path_factory.mktemp("small-site") / "deep" / "down"
    readme = out.parent.parent / "README.md"
    readme.write_text("# x\n<!-- state: written by `make site` -->\n<!-- end of state -->\n")
    build([REPO / "tests" / "files" / "results-small"], out, readme)
    return out
