"""A results folder is whole or tells what is not: atomic files, checksums, quarantine, stable bytes."""

import json
import os

import numpy as np
import pytest

from gpbench.errors import ConfigError, StorageError
from gpbench.experiment.results.checked_files import Damaged, read_checked, write_atomic, write_checked
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.system import atomic_files
from tests.helpers.driver import trial


@pytest.fixture
def store(tmp_path):
    store = ResultsFolder(tmp_path)
    store.create()
    store.prepare()
    return store


def result(index=0, **fields):
    return TrialResult(trial(index=index), metrics={"nmse": 0.1 + index / 3, "nlpd": None}, **fields)


def test_what_is_saved_is_what_is_loaded(store):
    saved = result(trace=[{"step": 1, "gain": 1 / 3}], notes=["jitter"], theta={"lengthscale": [0.1, 2e-17]})
    store.save(saved)
    assert store.load(saved.trial) == saved


DAMAGE = {
    "truncated": lambda b: b[: len(b) // 2],
    "empty": lambda b: b"",
    "edited number": lambda b: b.replace(b"0.1", b"0.2"),
    "edited status": lambda b: b.replace(b'"ok"', b'"skipped"'),
    "without checksum": lambda b: json.dumps({"result": json.loads(b)["result"]}).encode(),
    "zeros": lambda b: bytes(len(b)),
    "another type": lambda b: b"[1, 2]",
    "deep": lambda b: b"[" * 100_000,
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_trial_is_never_used_and_moves_to_quarantine(store, how):
    good, bad = result(0), result(1)
    store.save(good)
    store.save(bad)
    path = store.trial_path(bad.trial.id)
    path.write_bytes(DAMAGE[how](path.read_bytes()))
    with pytest.raises(Damaged):
        store.load(bad.trial)
    trials = [good.trial, bad.trial]
    assert list(store.results(trials)) == [good.trial.id]
    assert path.exists()  # reading alone changes nothing
    assert list(store.results(trials, repair=True)) == [good.trial.id]
    assert not path.exists() and len(list((store.folder / "quarantine").iterdir())) == 1


def test_a_file_under_the_name_of_another_trial_is_not_believed(store):
    store.save(result(0))
    os.rename(store.trial_path(result(0).trial.id), store.trial_path(result(1).trial.id))
    with pytest.raises(Damaged):
        store.load(result(1).trial)


def rewritten(store, saved, change):
    """The stored record with its content changed and its checksum made good, as another version would write it."""
    path = store.trial_path(saved.trial.id)
    body = read_checked(path)
    change(body["result"])
    write_checked(path, body)


def test_fields_of_another_version_are_read_where_possible_and_never_dropped(store):
    saved = result(0, n_basis=7)
    store.save(saved)

    def another(body):
        body["schema"], body["flavour"], body["trial"]["mood"] = 99, {"a": [1]}, "good"
        del body["kernel_rows"]

    rewritten(store, saved, another)
    found = store.load(saved.trial)
    assert (found.schema, found.n_basis, found.kernel_rows) == (99, 7, None)
    assert found.unknown == {"flavour": {"a": [1]}}
    store.save(found)
    assert read_checked(store.trial_path(saved.trial.id))["result"]["flavour"] == {"a": [1]}
    assert store.load(saved.trial) == found


def test_a_record_without_schema_is_of_the_first_version(store):
    saved = result(0)
    store.save(saved)
    rewritten(store, saved, lambda body: (body.pop("schema"), body.pop("source")))
    assert store.load(saved.trial).schema == 1


@pytest.mark.parametrize("part", ["metrics", "status", "trial"])
def test_a_record_without_its_metrics_status_or_trial_is_damaged(store, part):
    saved = result(0)
    store.save(saved)
    rewritten(store, saved, lambda body: body.pop(part))
    with pytest.raises(Damaged):
        store.load(saved.trial)


def test_damaged_predictions_count_when_predictions_are_asked_for(store):
    r = result()
    store.save(r, {"mean": np.arange(3.0)})
    assert store.inventory([r.trial], predictions=True).finished(r.trial.id, predictions=True)
    store.trial_path(r.trial.id, ".npz").write_bytes(b"PK")
    assert store.load(r.trial) == r
    known = store.inventory([r.trial], repair=True, predictions=True)
    assert known.results == {r.trial.id: r} and not known.finished(r.trial.id, predictions=True)
    assert [f.suffix for f in (store.folder / "quarantine").iterdir()] == [".0"]


def test_a_trial_without_its_predictions_is_run_again_when_they_are_asked_for(store):
    store.save(result())
    known = store.inventory([result().trial], predictions=True)
    assert known.finished(result().trial.id) and not known.finished(result().trial.id, predictions=True)


def test_success_removes_the_failure_it_follows(store):
    store.save(result(status="failed", reason="ValueError"))
    assert store.load(result().trial).status == "failed"
    store.save(result())
    assert store.load(result().trial).status == "ok"
    assert not store.failure_path(result().trial.id).exists()


def test_an_interrupted_write_leaves_the_old_content_and_its_remains_are_swept(store, monkeypatch):
    path = store.folder / "results.csv"
    write_atomic(path, b"old")

    def power_cut(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic_files.os, "replace", power_cut)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    (store.folder / "trials" / ".tmp-99-x.json").write_bytes(b"half")
    store.prepare()
    assert not list(store.folder.rglob(".tmp-*"))


def test_json_never_holds_nan(tmp_path):
    body = {"a": float("nan"), "b": [np.float64("inf"), np.int64(3)], "c": {"d": np.array([1.0, np.nan])}}
    write_checked(tmp_path / "x.json", body)
    assert read_checked(tmp_path / "x.json") == {"a": None, "b": [None, 3], "c": {"d": [1.0, None]}}


def test_the_table_does_not_depend_on_the_order_of_results(store):
    results = [result(i, reason='comma, "quote"\nline') for i in range(5)]
    store.write_csv(results)
    first = store.csv.read_bytes()
    store.write_csv(results[::-1])
    assert store.csv.read_bytes() == first
    assert repr(0.1 + 1 / 3).encode() in first  # every digit


def test_a_folder_of_another_experiment_is_refused(store):
    store.write_plan("kin40k", [], "")
    store.check_owner("kin40k")
    with pytest.raises(ConfigError, match="holds the results of 'kin40k', not of 'boston'"):
        store.check_owner("boston")


def test_a_file_where_the_folder_should_be_is_a_storage_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot write"):
        ResultsFolder(tmp_path / "file").create()
