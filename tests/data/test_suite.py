"""Sets with several published splits: masks, their limits, fetching, and the repaired variants."""

import gzip
import hashlib

import numpy as np
import pytest

from gpbench import catalog, data
from gpbench.data import splits, suite
from gpbench.data.audit import audit
from gpbench.data.dataset import Dataset, fingerprint
from gpbench.data.fetch import obtain
from gpbench.data.validation import checked
from gpbench.errors import DataError
from gpbench.experiment.verify.export_splits import default_trial, export_trials
from tests.helpers import faulty_server
from tests.helpers.config_files import problems, trials

SETS = {n: c for n, c in catalog.available("dataset").items() if issubclass(c, suite.Suite) and n.startswith("uci-")}
PLAIN = sorted(n for n, c in SETS.items() if not issubclass(c, suite.Repaired))
REPAIRED = sorted(SETS.keys() - set(PLAIN))
CONFIG = "name: t\ndataset: {}\nmethods: [fitc]\n"


def small(rng, leaks=(), n=40):
    """A set with equal rows and a leaking pair, as its two files and its class."""
    X = rng.integers(0, 3, size=(n, 4)).astype(float)
    X[:, 2:] = rng.normal(size=(n, 2)).round(4)
    X[20:30, :2] = X[:10, :2]
    if not leaks:
        X[20:30] = X[:10]
    y = X[:, 2] + X[:, 3] if leaks else rng.normal(size=n).round(4)
    masks = rng.permuted(np.arange(n)[:, None] < np.full(10, n // 10), axis=0)
    files = [
        gzip.compress("\n".join(",".join(map(repr, map(float, row))) for row in np.c_[X, y]).encode(), mtime=0),
        gzip.compress("\n".join(",".join(map(str, row)) for row in masks.astype(int)).encode(), mtime=0),
    ]
    shas = [hashlib.sha256(f).hexdigest() for f in files]
    own = {"name": "uci-small", "subject": "Small", "shape": (n, 4), "__annotations__": {}, "__module__": __name__}
    plain = type("Small", (suite.Suite,), {**own, "rows": shas[0], "masks": shas[1], "arrays": fingerprint(X, y)})
    named = {"name": "uci-small-repaired", "leaks": leaks, "__annotations__": {}, "__module__": __name__}
    return files, plain, type("SmallRepaired", (suite.Repaired, plain), named), masks


def served(files):
    return {f"/uci/small/{name}.csv.gz": f for name, f in zip(("data", "test_mask"), files)}


# ---- fetching ----


def test_both_files_come_from_a_server_and_are_kept(tmp_path, rng):
    files, cls, repaired, masks = small(rng)
    with faulty_server.FaultyServer() as server:
        server.answers |= served(files)
        places = obtain.Places(tmp_path, server.url)
        first, second = obtain.obtain(cls(), places), obtain.obtain(repaired(), places)
        assert (first.place, second.place) == ("mirror", "cache") and server.asked == list(served(files))
    assert np.array_equal(first.dataset.test_masks, masks) and first.dataset.n == 40
    assert obtain.at_hand(cls(), places) and obtain.at_hand(repaired(), places)


@pytest.mark.parametrize("place", [0, 1])
def test_a_damaged_file_is_refused_and_the_cache_stays_clean(tmp_path, rng, place):
    files, cls, *_ = small(rng)
    files[place] = files[place][:-20] + b"0" * 20
    (tmp_path / "m/uci/small").mkdir(parents=True)
    for path, content in served(files).items():
        (tmp_path / f"m{path}").write_bytes(content)
    with pytest.raises(DataError, match=r"hashes to .*, expected"):
        obtain.obtain(cls(), obtain.Places(tmp_path / "cache", str(tmp_path / "m"), offline=True))
    assert not list((tmp_path / "cache").rglob("*.gz"))


@pytest.mark.parametrize("content", [b"", b"0,1\n1,0\n", b"x,y\n", b"\x00\xff" * 50, b"2,0\n" * 40])
def test_masks_that_are_none_are_a_data_error(tmp_path, rng, content):
    files, cls, *_ = small(rng)
    paths = {}
    for f, raw in zip(cls.files, (files[0], content)):
        paths[f.path] = tmp_path / f.path.replace("/", "-")
        paths[f.path].write_bytes(raw)
    with pytest.raises(DataError, match="test_mask"):
        cls().load(paths)


# ---- splits ----


def test_each_trial_takes_its_column_of_the_masks(rng):
    masks = rng.random((30, 4)) < 0.3
    d = Dataset("toy", np.zeros((30, 1)), np.zeros(30), test_masks=masks)
    for rule in ({"kind": "published"}, {}, None):
        parts = [splits.make_split(d, rule, rng, k) for k in range(4)]
        assert all(np.array_equal(p.test, np.flatnonzero(m)) for p, m in zip(parts, masks.T))
        assert all(np.array_equal(p.train, np.flatnonzero(~m)) for p, m in zip(parts, masks.T))
    with pytest.raises(DataError, match="toy has 4 published splits, one a trial: `trials: 5` asks for more"):
        splits.make_split(d, {"kind": "published"}, rng, 4)
    assert len(splits.make_split(d, {"kind": "random", "n_train": 20}, rng, 4).test) == 10


@pytest.mark.parametrize("masks", [np.zeros((29, 2), dtype=bool), np.zeros((30, 2)), np.zeros(30, dtype=bool)])
def test_masks_of_other_rows_are_refused(masks):
    with pytest.raises(DataError, match="dataset toy: expected masks of test rows"):
        checked("toy", Dataset("toy", np.zeros((30, 1)), np.zeros(30), test_masks=masks))


@pytest.mark.parametrize("split", ["", "split: {kind: published}\n"])
def test_more_trials_than_published_splits_are_refused_when_planning(tmp_path, split):
    text = CONFIG.format("uci-yacht") + split
    assert [t.index for t in trials(tmp_path, text + "trials: 10\n")] == list(range(10))
    wanted = "uci-yacht has 10 published splits, one a trial: `trials: 11` asks for more; write at most 10"
    (found,) = problems(tmp_path, text + "trials: 11\n")
    assert wanted in found and found.startswith(f"{4 + bool(split)}:9")
    (found,) = problems(tmp_path, text, "trials=11")
    assert wanted in found
    (found,) = problems(tmp_path, CONFIG.format("{first_of: [boston, uci-yacht], trials: 11}") + split)
    assert wanted in found


def test_other_splits_and_other_data_take_any_number_of_trials(tmp_path):
    random = CONFIG.format("uci-yacht") + "split: {kind: random, n_train: 200}\ntrials: 11\n"
    folds = CONFIG.format("uci-yacht") + "split: {kind: folds, k: 12}\n"
    other = CONFIG.format("snelson-noise") + "trials: 11\n"
    assert [len(trials(tmp_path, text)) for text in (random, folds, other)] == [11, 12, 11]


def test_the_number_of_splits_enters_no_id(tmp_path, monkeypatch):
    before = [t.id for t in trials(tmp_path, CONFIG.format("boston"))]
    assert "splits" not in str(trials(tmp_path, CONFIG.format("uci-yacht"))[0])
    monkeypatch.setattr(catalog.find("dataset", "boston"), "splits", 10)
    assert [t.id for t in trials(tmp_path, CONFIG.format("boston"))] == before


# ---- repaired variants ----


@pytest.mark.parametrize("leaks", [(), (3, 4)])
def test_a_repaired_set_has_no_leaks_and_equal_inputs_on_the_side_of_the_first(tmp_path, rng, leaks):
    files, plain, cls, masks = small(rng, leaks)
    paths = {f.path: tmp_path / str(i) for i, f in enumerate(plain.files)}
    for path, content in zip(paths.values(), files):
        path.write_bytes(content)
    before, after = plain().load(paths), cls().load(paths)
    found = audit(before)
    assert any(count for count, _ in found.shared) or leaks
    assert [leak.columns for leak in found.leaks] == ([(2, 3)] if leaks else [])
    repaired = audit(after)
    assert not repaired.leaks and not any(count for count, _ in repaired.shared)
    assert after.X.shape == cls.shape == (40, 4 - len(leaks)) and np.array_equal(after.y, before.y)
    for i in range(40):
        first = next(j for j in range(40) if (after.X[j] == after.X[i]).all())
        assert np.array_equal(after.test_masks[i], masks[first])
    assert "repaired" in cls.title and "side of the first" in after.notes[0]
    assert checked("x", after) is after and after.name == "uci-small-repaired"


def test_the_test_part_keeps_its_share(rng):
    X = rng.integers(0, 40, size=(20_000, 1)).astype(float) ** 2 * (rng.random((20_000, 1)) < 0.5)
    X += 1e6 * (X == 0) * rng.random((20_000, 1))  # half the rows in 40 groups, half alone
    masks = rng.random((20_000, 300)) < 0.1
    one_sided = suite.one_sided(X, masks)
    assert one_sided.mean() == pytest.approx(0.1, abs=0.005)
    grouped = X[:, 0] <= 39**2
    assert one_sided[grouped].mean() == pytest.approx(one_sided[~grouped].mean(), abs=0.01)


# ---- the sets ----


def test_the_suite_has_its_sets_and_says_how_many_splits():
    assert len(PLAIN) == 22 and {"uci-bike-repaired", "uci-keggdirected-repaired"} <= set(REPAIRED)
    for name in SETS:
        assert SETS[name].splits == 10 and "10 published splits" in SETS[name].title
        assert [f.path.split("/")[0] for f in SETS[name].files] == ["uci", "uci"]
        assert all("treforevans/uci_datasets/f0737523" in f.url for f in SETS[name].files)
    assert SETS["uci-bike-repaired"].shape == (17379, 15) and SETS["uci-bike-repaired"].files == SETS["uci-bike"].files


@pytest.fixture(scope="module")
def load(mirror, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    return lambda name: data.load({"name": name}, None, True, str(mirror), cache)


@pytest.mark.real
@pytest.mark.parametrize("name", PLAIN)
def test_the_masks_are_ten_disjoint_tenths_and_the_repaired_sets_are_those_that_need_it(name, load):
    d = load(name)
    assert d.test_masks.shape == (d.n, 10) and (d.test_masks.sum(1) == 1).all()
    sizes = d.test_masks.sum(0)
    assert sizes.max() - sizes.min() <= 1
    found = audit(d)
    needed = bool(found.leaks) or any(count for count, _ in found.shared)
    assert needed == (f"{name}-repaired" in SETS)


@pytest.mark.real
@pytest.mark.parametrize("name", REPAIRED)
def test_a_repaired_set_is_repaired(name, load):
    found, before = audit(load(name)), audit(load(name.removesuffix("-repaired")))
    assert not found.leaks and not any(count for count, _ in found.shared)
    dropped = tuple(j - 1 for j in SETS[name].leaks)
    assert dropped == tuple(j for leak in before.leaks for j in leak.columns)


@pytest.mark.real
def test_splits_are_exported_as_they_were_published(load, mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("GPBENCH_DATA", str(tmp_path / "cache"))
    (out,) = export_trials([default_trial("uci-yacht", {}, 0, i) for i in (0, 9)], tmp_path / "out")
    for i in (0, 9):
        rows = np.loadtxt(out / f"trial-{i:03d}" / "test_index.csv", skiprows=1, dtype=int)
        assert np.array_equal(rows, np.flatnonzero(load("uci-yacht").test_masks[:, i]))
