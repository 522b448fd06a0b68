"""Every data set's file: the contract, the parsers' quirks, and what cannot be downloaded."""

import gzip
import re

import numpy as np
import pytest
from scipy.io import savemat

from gpbench import catalog, data
from gpbench.data import parse, service
from gpbench.data.source import Generated, Real
from gpbench.errors import ConfigError, DataError

SOURCES = catalog.available("dataset")
SUITE = {n for n in SOURCES if n.startswith("uci-")}
NAMES = {
    "boston", "abalone", "bank8fm", "bank32nh", "cpusmall", "cpuact", "calhouse", "house8l", "house16h", "kin40k",
    "kin8nm", "pumadyn32nm", "snelson1d", "sarcos", "thrombin", "australian", "breast", "crabs", "ionosphere", "pima",
    "sonar", "chem", "outaouais", "bindingdb", "hog", "friedman1", "friedman2", "friedman3", "kin40k-sim",
    "pumadyn32nm-sim", "clusters2d", "clusters5d", "pp-regression", "snelson-noise", "synth2", "synth8",
    "matern-field", "bike-counts", "boston-outliers", *SUITE,
}  # fmt: skip


def test_all_data_sets_of_the_papers_are_there():
    assert set(SOURCES) >= NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_data_set_says_what_it_is_and_where_it_comes_from(name):
    cls = SOURCES[name]
    assert issubclass(cls, (Generated, Real)) and cls.generated == issubclass(cls, Generated)
    for field in ("title", "citation", "licence", "home"):
        assert len(getattr(cls, field)) > 5, field
    assert cls.task in ("regression", "classification")
    assert set(cls.papers) <= {"sundararajan", "vanhatalo", "keerthi", "cao", "snelson"}
    assert re.fullmatch(r"[a-z0-9_.-]+", cls.name)
    assert cls.citation in service.cite(name) and cls.licence in service.cite(name)
    assert all(option.description for option in cls.model_fields.values())


@pytest.mark.parametrize("name", sorted(n for n in NAMES if not SOURCES[n].generated))
def test_every_copy_can_be_verified(name):
    cls = SOURCES[name]
    assert cls.copies and cls.files
    for copy in cls.copies:
        for f in copy.files:
            assert re.fullmatch(r"[0-9a-f]{64}|", f.sha256) and (not f.url or f.url.startswith("https://"))
            assert not f.path.startswith("/") and ".." not in f.path
            assert not f.package or (f.member and f.sha256), "bytes of a package are pinned"
        if copy.user:
            assert copy.note and (cls.missing or any(not c.user for c in cls.copies))
        else:
            assert re.fullmatch(r"[0-9a-f]{64}", copy.arrays), "whatever comes from outside is checked as arrays"
            assert cls.shape or copy.shape
    exact = next(c.arrays for c in cls.copies)
    assert all(c.note for c in cls.copies if c.arrays != exact), "a copy with other values must be labelled"


def test_keels_australian_is_never_used():
    assert not any("keel" in f.path or "keel" in f.package for f in SOURCES["australian"].files)


@pytest.mark.parametrize("name", sorted(n for n in NAMES if SOURCES[n].generated and not n.startswith("synth")))
def test_generated_sets_are_at_hand_and_have_a_published_split(name, rng):
    assert data.at_hand({"name": name})
    d = data.load({"name": name, "n_train": 30, "n_test": 20}, rng)
    train, test = d.published_split
    assert (len(train), len(test)) == (30, 20) and not set(train) & set(test)
    assert np.isfinite(d.X).all() and np.isfinite(d.y).all() and d.y.shape == (len(d.X),)
    assert d.simulated == name.endswith("-sim") and (not d.simulated or "simulated" in d.notes[0])


def test_an_unknown_name_or_option_is_a_config_error():
    with pytest.raises(ConfigError, match="did you mean boston"):
        data.load({"name": "bosten"})
    with pytest.raises(ConfigError, match="friedman2: n_trian"):
        data.load({"name": "friedman2", "n_trian": 3})
    with pytest.raises(ConfigError, match="sarcos: joint"):
        data.at_hand({"name": "sarcos", "joint": 8})


# ---- quirks of raw files ----


def test_arff_with_comments_crlf_quotes_and_stray_commas(tmp_path):
    f = tmp_path / "a.arff"
    f.write_bytes(b"% a, b\r\n@relation x\r\n@attribute a real\r\n@DATA\r\n1,2,\r\n% no\r\n\r\n3,'4',\r\n")
    X, y = parse.last_column(f)
    assert np.array_equal(X, [[1], [3]]) and np.array_equal(y, [2, 4])


def test_gzip_is_read_like_plain_text_and_a_damaged_one_is_named(tmp_path):
    f = tmp_path / "a.data.gz"
    f.write_bytes(gzip.compress(b"1 2 3\n4  5\t6\n"))
    assert np.array_equal(parse.last_column(f)[1], [3, 6])
    f.write_bytes(f.read_bytes()[:-9])
    with pytest.raises(DataError, match=r"a\.data\.gz cannot be read"):
        parse.last_column(f)


def test_a_gzip_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(parse, "LIMIT", 1000)
    f = tmp_path / "a.gz"
    f.write_bytes(gzip.compress(b"0 " * 5000))
    with pytest.raises(DataError, match="more than 1000 bytes"):
        parse.text(f)


def test_rows_with_a_missing_value_and_dropped_columns_are_left_out(tmp_path):
    f = tmp_path / "w.data"
    f.write_text("9,1,2,4\n9,?,5,2\n9,3,4,2\n")
    X, y = parse.two_classes(f, positive="4", drop=(0,))
    assert np.array_equal(X, [[1, 2], [3, 4]]) and np.array_equal(y, [1, -1])
    f.write_text("1,2,4\n1,2,2\n1,2,3\n")
    with pytest.raises(DataError, match="expected two classes"):
        parse.two_classes(f, positive="4")


@pytest.mark.parametrize("content,message", [("1 2\n1 2 3\n", "row 2 has 3 fields"), ("1 2\n1 x\n", "'x' is text")])
def test_a_damaged_table_is_named_by_row(tmp_path, content, message):
    f = tmp_path / "t.data"
    f.write_text(content)
    with pytest.raises(DataError, match=message):
        parse.last_column(f)


def test_statlibs_boston_wraps_each_case_over_two_lines(tmp_path):
    f = tmp_path / "boston"
    cases = np.arange(28.0).reshape(2, 14)
    lines = [part for c in cases for part in (" ".join(map(str, c[:11])), " " + " ".join(map(str, c[11:])))]
    f.write_text("\n".join(["about the data"] * 22 + lines) + "\n")
    from gpbench.data.sources.boston import read_statlib

    X, y = read_statlib(f)
    assert np.array_equal(np.c_[X, y], cases)


def test_abalones_sex_is_coded_one_of_three(tmp_path):
    from gpbench.data.sources.abalone import read

    f = tmp_path / "abalone.data"
    f.write_text("M,.1,.2,.3,.4,.5,.6,.7,15\nI,1,1,1,1,1,1,1,7\nF,2,2,2,2,2,2,2,9\n")
    X, y = read(f)
    assert X.shape == (3, 10) and np.array_equal(X[:, :3], [[1, 0, 0], [0, 0, 1], [0, 1, 0]])
    assert np.array_equal(y, [15, 7, 9])


def test_housing_totals_are_recovered_from_averages(tmp_path):
    from gpbench.data.sources.calhouse import read_averages

    f = tmp_path / "housing.csv"
    households, rooms, bedrooms, people = 126, 880, 129, 322
    f.write_text(
        "MedInc,HouseAge,AveRooms,AveBedrms,Population,AveOccup,Latitude,Longitude,target\n"
        f"8.3252,41,{rooms / households},{bedrooms / households},{people},{people / households},37.88,-122.23,4.526\n"
    )
    X, y = read_averages(f)
    assert np.array_equal(X[0], [-122.23, 37.88, 41, 880, 129, 322, 126, 8.3252]) and y[0] == 452600


@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff" * 50, b"hello\nworld\n", b"1 2 3\n4 5 6\n", b"a,b\n1,x\n", b"@data\n"]
)
@pytest.mark.parametrize("name", sorted(n for n in NAMES if not SOURCES[n].generated))
def test_whatever_a_server_sends_instead_is_a_data_error(name, content, tmp_path):
    file = tmp_path / "raw"
    file.write_bytes(content)
    for copy in SOURCES[name].copies:
        with pytest.raises(DataError):
            SOURCES[name]().load({f.path: file for f in copy.files})


# ---- data that only the user can have ----


def test_unobtainable_sets_say_what_is_missing_and_what_to_put_where(tmp_path):
    for name in ("chem", "outaouais", "bindingdb", "hog"):
        assert not data.at_hand({"name": name}, data_dir=tmp_path)
        with pytest.raises(DataError) as e:
            data.load({"name": name}, data_dir=tmp_path)
        assert f"{name} cannot be downloaded" in str(e.value) and f"folder {name}" in str(e.value)


@pytest.mark.parametrize("name", ["chem", "outaouais", "hog"])
def test_the_users_own_parts_are_accepted(name, tmp_path):
    (tmp_path / name).mkdir()
    (tmp_path / name / "train.csv").write_text("a,b,y\n1,2,3\n4,5,6\n")
    (tmp_path / name / "test.csv").write_text("a,b,y\n7,8,9\n")
    assert data.at_hand({"name": name}, data_dir=tmp_path)
    d = data.load({"name": name}, data_dir=tmp_path)
    assert np.array_equal(d.y, [3, 6, 9]) and [len(p) for p in d.published_split] == [2, 1]
    assert "user's own" in d.notes[-1]
    (tmp_path / name / "test.csv").write_text("a,y\n7,9\n")
    with pytest.raises(DataError, match="2 inputs"):
        data.load({"name": name}, data_dir=tmp_path)


def test_the_users_own_molecules_are_accepted(tmp_path):
    (tmp_path / "bindingdb").mkdir()
    (tmp_path / "bindingdb" / "molecules.csv").write_text("smiles,y\nCCO,5.5\nC1CC1,6\n")
    d = data.load({"name": "bindingdb"}, data_dir=tmp_path)
    assert list(d.X) == ["CCO", "C1CC1"] and d.X.dtype == object and np.array_equal(d.y, [5.5, 6])


def test_the_users_full_sarcos_files_must_have_their_shape(tmp_path, monkeypatch):
    from gpbench.data.sources import sarcos

    train, test = tmp_path / "sarcos_inv.mat", tmp_path / "sarcos_inv_test.mat"
    savemat(train, {"sarcos_inv": np.arange(44484 * 28.0).reshape(-1, 28)})
    savemat(test, {"sarcos_inv_test": np.ones((4449, 28))})
    X, y, n_train = sarcos.read_both(train, test)
    assert X.shape == (48933, 21) and y.shape == (48933, 7) and n_train == 44484
    assert np.array_equal(sarcos.Sarcos(joint=3).target(y), y[:, 2])
    with pytest.raises(DataError, match="expected one matrix of 44484 x 28"):
        sarcos.read_both(test, test)
    train.write_bytes(b"not a mat file")
    with pytest.raises(DataError, match="is not a MATLAB file"):
        sarcos.read_test(train)


def test_the_documentation_lists_every_data_set(repo):
    text = (repo / "docs/reference/data.md").read_text()
    listed = {n.strip() for row in re.findall(r"^\| ([a-z0-9, -]+) \|", text, re.M) for n in row.split(",")}
    assert listed >= NAMES
    for name in NAMES:
        files = SOURCES[name].files
        assert not files or files[0].path.split("/")[-1] in text or files[-1].path in text


# ---- sets made from others ----


@pytest.mark.real
def test_bike_counts_are_the_counts_whose_logarithm_uci_bike_has(mirror, tmp_path):
    counts, logs = (data.load({"name": n}, None, True, str(mirror), tmp_path) for n in ("bike-counts", "uci-bike"))
    assert (counts.y == np.round(counts.y)).all() and (counts.y.min(), counts.y.max()) == (1, 977)
    np.testing.assert_allclose(np.log(counts.y), logs.y - logs.y.min(), atol=1e-4)
    assert counts.X.shape == (17379, 15) and np.array_equal(counts.X, logs.X[:, :15])


@pytest.mark.real
def test_moved_targets_are_a_twentieth_of_the_training_rows_of_every_split(mirror, tmp_path):
    moved, plain, again = (
        data.load({"name": "boston-outliers", **more}, None, True, str(mirror), tmp_path)
        for more in ({}, {"moved": False}, {"seed": 1})
    )
    wrong = moved.y != plain.y
    assert wrong.sum() == 23 and np.array_equal(moved.test_masks, plain.test_masks) and not plain.notes
    np.testing.assert_allclose(abs(moved.y - plain.y)[wrong], 10 * plain.y.std())
    assert not moved.test_masks[wrong].any() and (moved.test_masks.sum(0) == 51).all()
    assert (again.y != plain.y).sum() == 23 and not np.array_equal(again.y, moved.y)
    boston = data.load({"name": "boston"}, None, True, str(mirror), tmp_path)
    assert np.array_equal(plain.y, boston.y) and plain.sha256 == boston.sha256
