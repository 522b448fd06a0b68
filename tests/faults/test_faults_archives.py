"""Archives that nobody vouches for: refused before any write, bytes counted while streaming."""

import io
import struct
import tarfile
import zipfile

import pytest

from gpbench.data.fetch import unpacking
from gpbench.errors import DataError

LIMIT = 10_000


def make_zip(path, members, links=()):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in members.items():
            z.writestr(name, content)
        for name in links:
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o120777 << 16
            z.writestr(info, "/etc/hostname")
    return path


def make_tar(path, members, kind=None, mode="w:gz"):
    with tarfile.open(path, mode) as t:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if kind and name == "evil":
                info.type, info.linkname, info.size = kind, "/etc/hostname", 0
            t.addfile(info, io.BytesIO(content if info.size else b""))
    return path


def everything_below(folder):
    return sorted(p.name for p in folder.rglob("*"))


@pytest.fixture
def room(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_the_wanted_member_alone_is_written(make, room):
    archive = make(room / "a", {"p/data.csv": b"1,2\n", "p/other.py": b"import os"})
    unpacking.extract(archive, "p/data.csv", room / "out/mine", LIMIT)
    assert (room / "out/mine").read_bytes() == b"1,2\n" and everything_below(room / "out") == ["mine"]


def test_an_archive_inside_an_archive_is_opened(room):
    inner = make_tar(room / "inner.tar.gz", {"r/crabs.csv": b"sp,sex\n"})
    outer = make_zip(room / "outer.zip", {"pkg/inner.tar.gz": inner.read_bytes()})
    unpacking.extract(outer, "pkg/inner.tar.gz!r/crabs.csv", room / "out/crabs.csv", LIMIT)
    assert (room / "out/crabs.csv").read_bytes() == b"sp,sex\n"
    assert everything_below(room / "out") == ["crabs.csv"]


@pytest.mark.parametrize("make", [make_zip, make_tar])
@pytest.mark.parametrize("evil", ["../evil", "a/../../evil", "/evil", "..\\evil", "C:\\evil"])
def test_a_path_that_leads_outside_refuses_the_whole_archive(make, evil, room):
    archive = make(room / "a", {"data.csv": b"1", evil: b"x"})
    with pytest.raises(DataError, match="leads outside"):
        unpacking.extract(archive, "data.csv", room / "out/data.csv", LIMIT)
    assert everything_below(room / "out") == [] and not (room.parent / "evil").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_refuse_a_tar(kind, room):
    archive = make_tar(room / "a", {"data.csv": b"1", "evil": b""}, kind)
    with pytest.raises(DataError, match="is a link or a device"):
        unpacking.extract(archive, "data.csv", room / "out/data.csv", LIMIT)
    assert everything_below(room / "out") == []


def test_links_refuse_a_zip(room):
    archive = make_zip(room / "a", {"data.csv": b"1"}, links=["evil"])
    with pytest.raises(DataError, match="is a link"):
        unpacking.extract(archive, "data.csv", room / "out/data.csv", LIMIT)
    assert everything_below(room / "out") == []


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_a_bomb_is_refused_before_any_write(make, room):
    archive = make(room / "a", {"data.csv": bytes(10**6)})
    assert archive.stat().st_size < LIMIT  # small on disk, large unpacked
    with pytest.raises(DataError, match="unpacks to 1000000 bytes, more than the 10000 allowed"):
        unpacking.extract(archive, "data.csv", room / "out/data.csv", LIMIT)
    assert everything_below(room / "out") == []


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_members_together_must_not_be_too_much(make, room, monkeypatch):
    monkeypatch.setattr(unpacking, "TOTAL", 50_000)
    archive = make(room / "a", {f"{i}.csv": bytes(9_000) for i in range(6)})
    with pytest.raises(DataError, match="unpacks to more than 50000 bytes"):
        unpacking.extract(archive, "0.csv", room / "out/data.csv", LIMIT)
    assert everything_below(room / "out") == []


def test_a_zip_that_lies_about_its_size_is_caught_while_streaming(room):
    """The header says 100 bytes, the stream has a million."""
    archive = make_zip(room / "a", {"data.csv": bytes(10**6)})
    raw = archive.read_bytes()
    archive.write_bytes(raw.replace(struct.pack("<I", 10**6), struct.pack("<I", 100)))
    with pytest.raises(DataError):
        unpacking.extract(archive, "data.csv", room / "out/data.csv", LIMIT)
    assert everything_below(room / "out") == []


def test_streaming_counts_bytes_whatever_the_header_said(room):
    with pytest.raises(DataError, match="more than the 10000 allowed"):
        unpacking._copy(room / "a", "data.csv", io.BytesIO(bytes(20_000)), room / "out/data.csv", LIMIT)
    assert everything_below(room / "out") == []


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_a_missing_member_and_a_damaged_archive_are_named(make, room):
    archive = make(room / "a", {"data.csv": bytes(range(256)) * 20})
    with pytest.raises(DataError, match=r"a has no member other\.csv"):
        unpacking.extract(archive, "other.csv", room / "out/x", LIMIT)
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(DataError, match=r"damaged archive|neither a zip nor a tar"):
        unpacking.extract(archive, "data.csv", room / "out/x", LIMIT)
    archive.write_bytes(b"hello")
    with pytest.raises(DataError, match="neither a zip nor a tar"):
        unpacking.extract(archive, "data.csv", room / "out/x", LIMIT)
    assert everything_below(room / "out") == []
