"""Exported splits read back as the same numbers; the choice among `first_of` says what it did."""

import csv
import json

import numpy as np
import pytest

from gpbench import data
from gpbench.data import split_files, splits
from gpbench.errors import DataError, StorageError


def rngs(index):
    return np.random.default_rng([1, index]), np.random.default_rng([2, index])


def table(path):
    with open(path, newline="") as f:
        return list(csv.reader(f))


def test_exported_files_are_the_split_to_the_last_bit(tmp_path):
    spec = {"name": "friedman3", "n_train": 20, "n_test": 7}
    out = split_files.export(spec, None, tmp_path / "out", [0, 2], rngs)
    facts, trials = split_files.read(out)
    assert [t.index for t in trials] == [0, 2] and facts["dataset"] == spec and facts["task"] == "regression"
    for t, told in zip(trials, facts["trials"]):
        d = data.load(spec, rngs(t.index)[0])
        s = splits.make_split(d, None, rngs(t.index)[1], t.index)
        assert told["sha256"] == d.sha256 and np.array_equal(t.split.train, s.train)
        assert np.array_equal(t.y_test, d.y[s.test]) and np.array_equal(t.y_train, d.y[s.train])
        X = table(out / split_files.folder_name(t.index) / "X_test.csv")
        assert X[0] == ["x1", "x2", "x3", "x4"]
        assert np.array_equal(np.array(X[1:], dtype=float), d.X[s.test])


def test_folds_and_molecules_can_be_exported(tmp_path):
    folder = tmp_path / "data" / "bindingdb"
    folder.mkdir(parents=True)
    (folder / "molecules.csv").write_text("smiles,y\n" + "".join(f"{'C' * i},{i}\n" for i in range(1, 10)))
    same = lambda index: rngs(0)  # noqa: E731
    split = {"kind": "folds", "k": 3}
    out = split_files.export({"name": "bindingdb"}, split, tmp_path / "out", range(3), same, data_dir=tmp_path / "data")
    _, trials = split_files.read(out)
    assert sorted(np.concatenate([t.split.test for t in trials])) == list(range(9))
    rows = table(out / "trial-001" / "X_test.csv")
    assert rows[0] == ["input"] and [len(r[0]) for r in rows[1:]] == list(trials[1].y_test)


def test_other_folders_and_unwritable_ones_are_named(tmp_path):
    with pytest.raises(DataError, match="not a folder written by"):
        split_files.read(tmp_path)
    (tmp_path / "export.json").write_text(json.dumps({"trials": [{"index": 0}]}))
    with pytest.raises(DataError, match="not a folder written by"):
        split_files.read(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot write"):
        split_files.export({"name": "friedman3"}, None, tmp_path / "file" / "out", [0], rngs)


def test_first_of_takes_the_simulator_with_a_notice_where_the_rows_cannot_be_had(tmp_path):
    specs = [{"name": "kin40k"}, {"name": "kin40k-sim", "n_train": 50, "n_test": 10}]
    spec, notice = data.resolve_first_of(specs, offline=True, mirror=tmp_path / "none", data_dir=tmp_path)
    assert spec is specs[1]
    assert (
        notice.startswith("using kin40k-sim instead of kin40k: kin40k is not at hand")
        and "gpbench data fetch" in notice
    )
    assert data.resolve_first_of(specs[::-1], offline=True, data_dir=tmp_path) == (specs[1], "")
    with pytest.raises(DataError, match="none of the data sets of first_of"):
        data.resolve_first_of(specs[:1], offline=True, mirror=tmp_path / "none", data_dir=tmp_path)


@pytest.mark.real
def test_first_of_takes_the_published_rows_where_they_are(mirror, tmp_path):
    specs = [{"name": "kin40k"}, {"name": "kin40k-sim"}]
    assert data.resolve_first_of(specs, offline=True, mirror=mirror, data_dir=tmp_path) == (specs[0], "")
