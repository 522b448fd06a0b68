"""Every data set from the mirror, with the shapes, means and variances that its MANIFEST.csv gives."""

import csv
import re

import numpy as np
import pytest

from gpbench import catalog, data
from gpbench.data.fetch.obtain import Places, obtain
from gpbench.data.scaling import Scaler
from gpbench.data.sources import kin40k_sim, pumadyn32nm_sim
from gpbench.data.spec import source_of
from tests.oracles.data import detrended

pytestmark = pytest.mark.real

FOLDERS = {  # of the mirror, by our names
    "boston": "boston", "abalone": "abalone", "bank8fm": "bank8FM", "bank32nh": "bank32NH", "cpusmall": "cpu_small",
    "cpuact": "cpu_act", "calhouse": "cal_housing", "house8l": "house_8L", "house16h": "house_16H", "kin40k": "kin40k",
    "kin8nm": "kin8nm", "pumadyn32nm": "pumadyn-32nm", "snelson1d": "snelson1d", "sarcos": "sarcos",
    "thrombin": "thrombin", "australian": "australian", "breast": "breast_wisconsin", "crabs": "crabs",
    "ionosphere": "ionosphere", "pima": "pima", "sonar": "sonar",
}  # fmt: skip
SUITE = {n: n for n in catalog.available("dataset") if n.startswith("uci-") and not n.endswith("-repaired")}
FOLDERS |= SUITE
MOMENTS = {"cpuact": "cpusmall", "house16h": "house8l"}  # "same y as ..."
CLASSES = {"australian": (383, 307), "breast": (444, 239), "crabs": (100, 100), "ionosphere": (126, 225),
           "pima": (500, 268), "sonar": (97, 111)}  # negative, positive  # fmt: skip


@pytest.fixture(scope="module")
def load(mirror, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    return lambda name, **options: data.load({"name": name, **options}, None, True, str(mirror), cache)


@pytest.fixture(scope="module")
def manifest(mirror):
    with open(mirror / "MANIFEST.csv", newline="") as f:
        return list(csv.DictReader(f))


def test_every_folder_of_the_mirror_has_a_data_set(manifest):
    assert {row["dataset"] for row in manifest} == set(FOLDERS.values())


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_recorded_hashes_are_the_manifests(name, manifest):
    theirs = {row["file"]: row["sha256"] for row in manifest}
    ours = {f.path: f.sha256 for f in catalog.find("dataset", name).files}
    assert any(path in theirs for path in ours)
    assert all(ours[path] == theirs[path] for path in ours.keys() & theirs.keys())


@pytest.mark.parametrize("name", sorted(set(FOLDERS) - set(SUITE) - set(CLASSES) - {"kin40k", "thrombin", "kin8nm"}))
def test_regression_sets_have_the_manifests_rows_and_moments(name, load, manifest):
    d = load(name)
    rows = [r for r in manifest if r["dataset"] == FOLDERS[name] and r["rows"]]
    assert d.n == int(rows[0]["rows"])
    inputs = 10 if name == "abalone" else int(rows[0]["inputs"])  # sex takes three columns
    assert d.X.shape == (d.n, inputs) and np.isfinite(d.X).all()
    told = next(r["notes"] for r in manifest if r["dataset"] == FOLDERS[MOMENTS.get(name, name)])
    mean, var = map(float, re.search(r"mean (-?[\d.e]+?) var ([\d.e]+)", told.replace("; ", " ; ")).groups())
    half_digit = 0.6 * 10.0 ** -len(re.search(r"mean -?\d+\.(\d+)", told).group(1))
    assert d.y.mean() == pytest.approx(mean, abs=half_digit)
    assert d.y.var(ddof=1) == pytest.approx(var, rel=2e-4)


@pytest.mark.parametrize("name", sorted(SUITE))
def test_sets_of_the_suite_have_the_manifests_rows_and_inputs(name, load, manifest):
    row = next(r for r in manifest if r["dataset"] == name)
    assert load(name).X.shape == (int(row["rows"]), int(row["inputs"]))


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_classification_sets_have_the_manifests_rows_and_classes(name, load):
    d = load(name)
    assert d.task == "classification" and ((d.y < 0).sum(), (d.y > 0).sum()) == CLASSES[name]
    assert d.X.shape == catalog.find("dataset", name).shape and set(d.y) == {-1, 1}


def test_kin40k_has_its_published_split_and_is_detrended(load):
    d = load("kin40k")
    train, test = d.published_split
    assert (len(train), len(test), d.X.shape) == (10000, 30000, (40000, 8))
    y, ys = d.y[train], d.y[test]
    assert abs(y.mean()) < 1e-6 and y.var(ddof=1) == pytest.approx(1, abs=1e-6)
    assert ys.mean() == pytest.approx(0.0205, abs=6e-5) and ys.var(ddof=1) == pytest.approx(0.9919, abs=6e-5)
    assert np.allclose(d.X[train].std(0, ddof=1), 1, atol=1e-6)
    assert np.allclose(detrended(d.X, d.y, 10000), d.y, atol=1e-5)  # already: doing it again changes nothing


def test_the_kin_simulator_leaves_only_noise_on_the_published_rows(load):
    """kin8nm: noise share .0441 of the variance; KIN40K, put back on its raw scale: 4.8e-5 of the target's."""
    d = load("kin8nm")
    assert d.y.mean() == pytest.approx(0.7143, abs=1e-3) and d.y.var() == pytest.approx(0.0695, abs=1e-4)
    assert np.var(d.y - kin40k_sim.distance(d.X)) / d.y.var() == pytest.approx(0.0441, abs=0.0005)
    k = load("kin40k")
    s = np.array([0.91117, 0.90928, 0.90940, 0.90960, 0.91523, 0.91102, 0.91628, 0.90039])
    theta = k.X * s
    f = detrended(theta, kin40k_sim.distance(theta), 10000)
    assert np.var(f - k.y) / k.y.var() == pytest.approx(4.8e-5, rel=0.1)


def test_the_puma_simulator_leaves_only_noise_on_the_published_rows(load):
    d = load("pumadyn32nm")
    residual = d.y - pumadyn32nm_sim.acceleration6(d.X)
    assert 1 - np.var(residual) / d.y.var() == pytest.approx(0.97256, abs=2e-5)
    assert residual.std() == pytest.approx(0.00501, abs=1e-5)
    assert [len(p) for p in d.published_split] == [7168, 1024]
    s = Scaler.fit(d.X[:7168], d.y[:7168], {"target": "detrend"})
    assert s.factor == pytest.approx(0.02675, abs=1e-5)
    assert s.target(d.y[7168:], d.X[7168:]).var() == pytest.approx(0.959, abs=1e-3)


def test_sarcos_says_that_only_the_small_file_is_at_hand(load):
    d = load("sarcos")
    assert d.X.shape == (4449, 21) and "only the 4449 test rows" in d.notes[0] and d.published_split is None
    assert d.y.mean() == pytest.approx(13.692, abs=1e-3) and load("sarcos", joint=2).y.mean() < 0


def test_snelson1d_can_be_thinned_to_twenty_points(load):
    train, test = load("snelson1d", every=10).published_split
    assert list(train) == list(range(0, 200, 10)) and len(test) == 180 and not set(train) & set(test)
    d = load("snelson1d")
    assert d.published_split is None and d.X.min() == pytest.approx(0.059, abs=5e-4)
    assert d.X.max() == pytest.approx(5.966, abs=5e-4)


def test_thrombin_is_smiles_and_pki(load):
    d = load("thrombin")
    assert d.X.shape == (2754,) and d.X.dtype == object and len(set(d.X)) == 2754 and d.X[0].startswith("CC(=N)N1")
    assert d.y.mean() == pytest.approx(6.896, abs=6e-4) and d.y.std() == pytest.approx(1.509, abs=6e-4)
    assert "not [cao]'s 3852" in d.notes[0]


def test_quirks_of_the_real_files(load, mirror):
    assert load("bank8fm").X.shape[1] == 8 and b",\r\n" in (mirror / "bank8FM/bank8FM.arff").read_bytes()
    abalone = load("abalone")
    assert list(abalone.X[:, :3].sum(0)) == [1528, 1307, 1342] and (abalone.X[:, 5] == 0).sum() == 2  # height 0
    pima = load("pima").X
    assert [(pima[:, j] == 0).sum() for j in (1, 2, 3, 4, 5)] == [5, 35, 227, 374, 11]
    ionosphere = load("ionosphere").X
    assert (ionosphere.max(0) > ionosphere.min(0)).all()  # the constant column is gone
    crabs = load("crabs").X
    assert set(crabs[:, 0]) == {0, 1} and crabs[:, 0].sum() == 100
    species = load("crabs", predict="species")  # the two classes change places, the measurements stay
    assert np.array_equal(species.y > 0, crabs[:, 0] > 0) and np.array_equal(species.X[:, 1:], crabs[:, 1:])
    assert np.array_equal(species.X[:, 0] > 0, load("crabs").y > 0) and species.sha256 != load("crabs").sha256
    small, act = load("cpusmall"), load("cpuact")
    assert np.array_equal(small.y, act.y)
    assert np.array_equal(load("house8l").y, load("house16h").y)
    assert load("calhouse").X[:, 3].max() > 30000  # totals, not averages per household


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_all_copies_in_the_mirror_give_the_same_rows(name, mirror, tmp_path, load):
    """Alternate raw forms (arff and text, KEEL's shuffled files) in canonical order; a rounded one is labelled."""
    exact, source = load(name), source_of({"name": name})
    for i, copy in enumerate(source.copies):
        if not all((mirror / f.path).is_file() for f in copy.files):
            continue
        alone = type(source)
        one = type("One", (alone,), {"copies": (copy,), "name": name, "__annotations__": {}})()
        d = obtain(one, Places(tmp_path / str(i), str(mirror), True)).dataset
        assert d.sha256 == exact.sha256 or "rounded" in d.notes[-1]
        assert np.array_equal(d.y, exact.y)
