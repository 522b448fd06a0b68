"""Transfers that go wrong: distinct sentences, the next source tried, a clean cache."""

import errno
import hashlib
import multiprocessing
import os
import zipfile

import numpy as np
import pytest

from gpbench.data import parse, service
from gpbench.data.dataset import fingerprint
from gpbench.data.fetch import obtain, transfer
from gpbench.data.fetch.copies import Copy, RemoteFile
from gpbench.data.source import Real
from gpbench.errors import DataError, StorageError
from tests.helpers import faulty_server as faults

GOOD = b"".join(b"%d %d %d\n" % (i, i * i % 7, 3 * i) for i in range(40))
M = np.array(GOOD.split(), dtype=float).reshape(-1, 3)
ARRAYS = fingerprint(M[:, :2], M[:, 2])
SHA = hashlib.sha256(GOOD).hexdigest()


def copy(path, url="", sha256=SHA, **more):
    return Copy((RemoteFile(path, sha256, url=url, **more),), parse.last_column, ARRAYS)


def source(*all_copies, shape=(40, 2)):
    kind = type("Small", (Real,), {"copies": all_copies, "shape": shape, "__annotations__": {}, "name": "small"})
    return kind()


@pytest.fixture
def server():
    with faults.FaultyServer() as s:
        yield s


@pytest.fixture
def places(tmp_path):
    return obtain.Places(tmp_path / "cache")


def cached(places):
    """Everything in the cache but the lock files."""
    files = places.data.rglob("*") if places.data.exists() else []
    return sorted(str(p.relative_to(places.data)) for p in files if p.is_file() and ".locks" not in p.parts)


def test_a_good_transfer_is_verified_kept_and_not_repeated(server, places):
    server.answers["/a"] = GOOD
    s = source(copy("s/a.data", f"{server.url}/a"))
    first, second = obtain.obtain(s, places), obtain.obtain(s, places)
    assert (first.place, second.place) == ("https", "cache") and server.asked == ["/a"]
    assert cached(places) == ["s/a.data"] and np.array_equal(second.dataset.y, M[:, 2])
    assert second.dataset.sha256 == ARRAYS


FAULTS = {
    "404": (lambda s: None, r"answered HTTP 404 \(not found\)"),
    "500": (lambda s: lambda h: h.send_error(500), "answered HTTP 500"),
    "web page": (lambda s: faults.web_page, "sent a web page instead of the data"),
    "truncated": (lambda s: faults.truncated(GOOD), r"broke off after \d+ of \d+ bytes"),
    "chunks": (lambda s: faults.broken_chunks, "broke off the transfer"),
    "empty": (lambda s: b"", "sent an empty file"),
    "other bytes": (lambda s: GOOD.replace(b"3", b"4"), "hashes to .*, expected"),
    "too large": (lambda s: b"1 2 3\n" * 1000, "announces 6000 bytes, more than the 4000 allowed"),
    "endless": (lambda s: faults.endless, "sends more than the 4000 bytes allowed"),
    "header drip": (faults.dripping_headers, "is too slow: no answer complete within 0.5 s"),
    "ftp": (lambda s: faults.redirect("ftp://localhost/a"), "ftp://localhost/a: only http and https"),
    "file": (lambda s: faults.redirect("file:///etc/passwd"), "answered HTTP 302"),
    "stalled": (faults.stalling, "did not answer within 0.3 s"),
}


def be_impatient_with(fault, monkeypatch):
    """Only with servers that make one wait: on a busy machine others are slow, too."""
    if fault in ("stalled", "header drip"):
        monkeypatch.setattr(transfer, "TIMEOUT", 0.3)
        monkeypatch.setattr(transfer, "HEADERS", 0.5)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_its_sentence_and_leaves_the_cache_clean(fault, server, places, monkeypatch):
    be_impatient_with(fault, monkeypatch)
    answer, message = FAULTS[fault]
    server.answers["/a"] = answer(server)
    s = source(copy("s/a.data", f"{server.url}/a", limit=4000))
    with pytest.raises(DataError, match=message) as e:
        obtain.obtain(s, places)
    assert "gpbench data fetch small --mirror DIR" in str(e.value) and "\n" not in str(e.value)
    assert cached(places) == [] and e.value.exit_code == 3


@pytest.mark.parametrize("fault", FAULTS)
def test_after_each_fault_the_next_source_is_tried(fault, server, places, monkeypatch):
    be_impatient_with(fault, monkeypatch)
    server.answers |= {"/a": FAULTS[fault][0](server), "/b": GOOD}
    s = source(copy("s/a.data", f"{server.url}/a", limit=4000), copy("s/b.data", f"{server.url}/b"))
    assert obtain.obtain(s, places).paths == (places.data / "s/b.data",)
    assert cached(places) == ["s/b.data"]


def test_the_sentences_differ():
    assert len({message for _, message in FAULTS.values()}) == len(FAULTS)


def test_a_server_that_drips_bytes_is_given_up(server, tmp_path):
    server.answers["/a"] = faults.dripping(server)
    with pytest.raises(DataError, match="is too slow"):
        transfer.download(f"{server.url}/a", tmp_path / "a", 10**6, timeout=2, deadline=0.3)
    assert not (tmp_path / "a").exists()


def test_a_closed_port_and_other_schemes_are_refused(server, tmp_path):
    server.__exit__()
    with pytest.raises(DataError, match="could not be reached"):
        transfer.download(f"{server.url}/a", tmp_path / "a", 100)
    for url in ("file:///etc/hostname", "ftp://localhost/a", "http://[bad/a", "https:///a"):
        with pytest.raises(DataError, match=r"only http and https|is not an address"):
            transfer.download(url, tmp_path / "a", 100)


def test_bytes_without_a_recorded_hash_stay_only_if_their_rows_are_right(server, places):
    server.answers |= {"/a": GOOD.replace(b"3", b"4"), "/b": GOOD.replace(b" ", b"  ")}
    s = source(copy("s/a.data", f"{server.url}/a", sha256=""))
    with pytest.raises(DataError, match="the rows hash to"):
        obtain.obtain(s, places)
    assert cached(places) == []
    s = source(copy("s/b.data", f"{server.url}/b", sha256=""))
    assert obtain.obtain(s, places).dataset.sha256 == ARRAYS and cached(places) == ["s/b.data"]
    (places.data / "s/b.data").write_bytes(GOOD[: GOOD[:-1].rindex(b"\n")])  # and a cached one is checked again
    with pytest.raises(DataError, match="expected 40 rows of 2 inputs, got 39"):
        obtain.obtain(s, obtain.Places(places.data, "", True))


@pytest.mark.parametrize(
    "content,message", [(b"1 2 nan\n" * 40, "missing or infinite"), (b"1 2\n" * 40, "2 inputs, got")]
)
def test_bad_values_and_shapes_are_expected_against_got(content, message, server, places):
    server.answers["/a"] = content
    with pytest.raises(DataError, match=message):
        obtain.obtain(source(copy("s/a.data", f"{server.url}/a", sha256="")), places)
    assert cached(places) == []


def test_the_mirror_comes_before_the_public_home_and_may_be_a_folder_or_an_address(server, places, tmp_path):
    mirror = tmp_path / "mirror"
    (mirror / "s").mkdir(parents=True)
    (mirror / "s/a.data").write_bytes(GOOD)
    server.answers |= {"/a": GOOD, "/m/s/a.data": GOOD}
    s = source(copy("s/a.data", f"{server.url}/a"))
    for where in (str(mirror), f"{server.url}/m/"):
        found = obtain.obtain(s, obtain.Places(tmp_path / where.replace("/", "_"), where))
        assert found.place == "mirror" and "/a" not in server.asked
    (mirror / "s/a.data").write_bytes(b"damaged")
    assert obtain.obtain(s, obtain.Places(places.data, str(mirror))).place == "https"


def test_offline_uses_cache_and_mirror_folder_only(server, places, tmp_path):
    server.answers |= {"/a": GOOD, "/m/s/a.data": GOOD}
    s = source(copy("s/a.data", f"{server.url}/a"))
    for mirror in ("", str(tmp_path / "none"), f"{server.url}/m"):
        with pytest.raises(DataError, match=r"this run is offline.*run `gpbench data fetch small`"):
            obtain.obtain(s, obtain.Places(places.data, mirror, True))
    assert server.asked == []
    obtain.obtain(s, places)
    assert obtain.obtain(s, obtain.Places(places.data, "", True)).place == "cache"


def test_a_damaged_cached_file_is_never_used_and_is_replaced(server, places):
    server.answers["/a"] = GOOD
    s = source(copy("s/a.data", f"{server.url}/a"), copy("s/b.data", f"{server.url}/b"))
    obtain.obtain(s, places)
    (places.data / "s/a.data").write_bytes(GOOD[:-1])
    (places.data / "s/b.data").write_bytes(b"junk")
    (places.data / "s/.tmp-123-a.data.part").write_bytes(GOOD[:10])  # a process was killed here
    assert not obtain.at_hand(s, places)
    with pytest.raises(DataError, match=r"cache: s/a.data hashes to"):
        obtain.obtain(s, obtain.Places(places.data, "", True))
    assert obtain.obtain(s, places).place == "https"
    assert cached(places) == ["s/a.data"] and (places.data / "s/a.data").read_bytes() == GOOD


def test_a_cache_that_cannot_be_written_stops_a_prefetch_but_not_a_run(server, tmp_path):
    server.answers["/a"] = GOOD
    s = source(copy("s/a.data", f"{server.url}/a"))
    (tmp_path / "file").write_text("")
    blocked = obtain.Places(tmp_path / "file" / "cache")  # a file where a folder should be: no user can write there
    assert obtain.obtain(s, blocked).dataset.n == 40
    with pytest.raises(StorageError, match="GPBENCH_DATA"):
        obtain.obtain(s, blocked, must_cache=True)


def _obtain_elsewhere(url, folder, queue):
    found = obtain.obtain(source(copy("s/a.data", f"{url}/a")), obtain.Places(folder))
    queue.put((found.place, found.dataset.sha256))


def test_two_processes_fetch_once(server, places):
    server.answers["/a"] = lambda h: (server.release.wait(0.5), faults.begin(h, len(GOOD)), h.wfile.write(GOOD))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    workers = [context.Process(target=_obtain_elsewhere, args=(server.url, places.data, queue)) for _ in range(2)]
    for w in workers:
        w.start()
    answers = sorted(queue.get(timeout=30) for _ in workers)
    for w in workers:
        w.join(30)
    assert answers == [("cache", ARRAYS), ("https", ARRAYS)] and server.asked == ["/a"]


def test_places_are_flag_then_environment_then_default(monkeypatch, tmp_path):
    for name in ("GPBENCH_DATA", "GPBENCH_MIRROR", "GPBENCH_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    assert obtain.Places.find() == obtain.Places(obtain.Path("datasets"), "", False)
    monkeypatch.setenv("GPBENCH_DATA", "/d")
    monkeypatch.setenv("GPBENCH_MIRROR", "/m")
    monkeypatch.setenv("GPBENCH_OFFLINE", "1")
    assert obtain.Places.find() == obtain.Places(obtain.Path("/d"), "/m", True)
    assert obtain.Places.find(False, "/x", tmp_path) == obtain.Places(tmp_path, "/x", False)
    monkeypatch.setenv("GPBENCH_OFFLINE", "0")
    assert not obtain.Places.find().offline


def test_verify_names_what_is_damaged_or_absent(tmp_path):
    with pytest.raises(DataError, match=r"boston is not in .*gpbench data fetch boston"):
        service.verify("boston", data_dir=tmp_path)
    (tmp_path / "boston").mkdir()
    (tmp_path / "boston/housing.data").write_text("1 2 3\n")
    with pytest.raises(DataError, match=r"housing.data is damaged"):
        service.verify("boston", data_dir=tmp_path)
    assert "nothing to verify" in str(service.verify("friedman2"))
    assert service.fetch("friedman2").place == "generated"


def test_a_fetch_that_was_killed_leaves_nothing_that_the_next_does_not_clear_up(server, places):
    server.answers["/a"] = GOOD
    left = places.data / ".staging/small/tmpabc"
    left.mkdir(parents=True)
    (left / "a.data").write_bytes(GOOD[:10])
    obtain.obtain(source(copy("s/a.data", f"{server.url}/a")), places)
    assert not (places.data / ".staging").exists() and cached(places) == ["s/a.data"]


@pytest.mark.parametrize("where", ["transfer", "mirror", "unpacking"])
def test_a_full_staging_folder_is_our_disks_fault_and_exit_7(where, server, places, tmp_path, monkeypatch):
    def full(*args, **_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    server.answers["/a"] = GOOD
    (tmp_path / "mirror/s").mkdir(parents=True)
    (tmp_path / "mirror/s/a.data").write_bytes(GOOD)
    if where == "mirror":
        monkeypatch.setattr(obtain.shutil, "copyfile", full)
        places = obtain.Places(places.data, str(tmp_path / "mirror"))
    elif where == "transfer":
        monkeypatch.setattr(transfer, "_save", full)
    else:
        monkeypatch.setattr(obtain.unpacking, "_from_zip", full)
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as z:
            z.writestr("a", GOOD)
        server.answers["/a"] = (tmp_path / "a.zip").read_bytes()
    member = {"member": "a"} if where == "unpacking" else {}
    with pytest.raises(StorageError, match=r"No space left on device.*free some space"):
        obtain.obtain(source(copy("s/a.data", f"{server.url}/a", **member)), places)
