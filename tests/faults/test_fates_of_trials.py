"""What becomes of trials: every fate has its status, every number is where it belongs, and nobody disturbs another."""

import csv
import json
import time
from dataclasses import replace

import numpy as np
import pytest

from gpbench import data, metrics
from gpbench.errors import ConfigError, DataError
from gpbench.experiment.evaluation import evaluate
from gpbench.experiment.plan import random_streams
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.trial_result import COLUMNS
from gpbench.experiment.run import run
from gpbench.metrics import METRICS
from tests.helpers.driver import FAKES, rows, run_here, trial, unhurried

FATES = {  # behaviour of the fake method -> status and a part of the reason
    "ok": ("ok", ""),
    "chatty": ("ok", ""),
    "infinite-trace": ("ok", ""),
    "latent": ("ok", ""),
    "not-for-me": ("skipped", "no gradient"),
    "raise": ("failed", "ValueError: no such luck"),
    "system-exit": ("failed", "SystemExit"),
    "no-extra": ("failed", "gpbench[molecules]"),
    "exit": ("crashed", "exited with code 3"),
    "segfault": ("crashed", "SIGSEGV"),
    "killed": ("crashed", "SIGKILL"),
    "leak": ("oom", "MemoryError"),
    "hang": ("timeout", "over the time limit of"),
    "nan": ("invalid", "mean is not finite at 1 of 20"),
    "negative": ("invalid", "var <= 0 at 1 of 20"),
    "short": ("invalid", "shape (19,), expected (20,)"),
    "column": ("invalid", "shape (20, 1)"),
    "text": ("invalid", "expected real numbers"),
    "tuple": ("invalid", "not a Prediction"),
    "huge": ("invalid", "not finite"),
}
OTHERS = {
    "duplicate rows": {"method": "full-gp", "dataset": "duplicates"},
    "indefinite kernel": {"method": "full-gp", "kernel": {"name": "indefinite"}},
}
NOISE_FREE = {"schedule": "fixed", "values": {"variance": 1.0, "lengthscale": 1.0, "noise": 0.0}}


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    """Every fate in one run, two processes at a time; (store, results by name, summary)."""
    folder = tmp_path_factory.mktemp("zoo")
    trials = {b: trial(behaviour=b, label=b) for b in FATES}
    trials |= {k: trial(**kw, hyperparameters=NOISE_FREE, label=k) for k, kw in OTHERS.items()}
    summary = run_here(folder, list(trials.values()), jobs=2, timeout=unhurried(2), memory=300, save_predictions=True)
    store = ResultsFolder(folder)
    found = store.results(list(trials.values()))
    return store, {name: found[t.id] for name, t in trials.items()}, summary


@pytest.mark.parametrize("behaviour", FATES)
def test_every_fate_has_its_status_and_reason(zoo, behaviour):
    result = zoo[1][behaviour]
    status, reason = FATES[behaviour]
    assert result.status == status
    assert reason in result.reason


def test_a_summary_counts_fates_and_fails_the_run(zoo):
    _, results, summary = zoo
    good = sum(r.status in ("ok", "skipped") for r in results.values())
    assert (summary.done, summary.failed, summary.left) == (good, len(results) - good, 0)
    assert summary.exit_code == 1


def test_duplicate_rows_without_noise_use_the_jitter_ladder_and_say_so(zoo):
    result = zoo[1]["duplicate rows"]
    assert result.status == "ok"
    assert any("jitter" in note for note in result.notes)


def test_a_latent_variance_that_rounding_made_negative_costs_its_score_only_and_is_noted(zoo):
    result = zoo[1]["latent"]
    assert result.metrics["nlpd_latent"] is None and result.metrics["nlpd"] is not None
    assert any("latent variance <= 0" in note for note in result.notes)


def test_a_matrix_beyond_repair_is_nonpsd(zoo):
    assert zoo[1]["indefinite kernel"].status == "nonpsd"


def test_notes_tell_of_sizes_above_n_and_of_models_that_found_nothing(tmp_path):
    values = {"schedule": "fixed", "values": {"variance": 1e-9, "lengthscale": 1.0, "noise": 1.0}}
    trials = [
        trial(method="fitc", d_max=50),
        trial(method="fitc", d_max=40),
        trial(method="fitc", hyperparameters=values),
    ]
    run_here(tmp_path, trials)
    found = ResultsFolder(tmp_path).results(trials)
    above, whole, flat = (" ".join(found[t.id].notes) for t in trials)
    assert "d_max 50 is more than the 40 training rows" in above
    assert "more than" not in whole and "noise to this model" not in whole
    assert "all is noise to this model" in flat


def test_a_short_prediction_is_timed_three_times_and_a_long_one_once(monkeypatch):
    draw = evaluate.trial_data(trial())
    for seconds, calls in ((0.0, 3), (2 * evaluate.SHORT, 1)):
        asked = []
        monkeypatch.setattr(evaluate, "predict", lambda *_: (asked.append(1), time.sleep(seconds)))  # noqa: B023
        evaluate._timed_prediction(None, draw)
        assert len(asked) == calls


def test_no_file_holds_nan_or_infinity(zoo):
    def refuse(constant):
        raise AssertionError(constant)

    files = [*zoo[0].folder.glob("trials/*.json"), *zoo[0].folder.glob("failures/*.json")]
    assert len(files) == len(FATES) + len(OTHERS)
    for file in files:
        json.loads(file.read_text(), parse_constant=refuse)
    assert zoo[1]["infinite-trace"].trace == [{"step": 1, "gain": None}]


def test_what_a_method_prints_and_where_it_crashed_is_in_its_log(zoo):
    store, results, _ = zoo
    log = lambda name: store.log_path(results[name].trial.id).read_text()  # noqa: E731
    assert log("chatty") == "hello from the method\n"
    assert "Traceback" in log("raise") and "no such luck" in log("raise")
    assert "Segmentation fault" in log("segfault") and "fakes.py" in log("segfault")
    assert not store.log_path(results["ok"].trial.id).exists()


def test_results_csv_has_the_columns_and_a_row_for_every_trial(zoo):
    lines = zoo[0].csv.read_text().splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert len(lines) == 1 + len(FATES) + len(OTHERS)
    for line in csv.DictReader(lines):
        assert all(line[m] == "" or np.isfinite(float(line[m])) for m in METRICS)
        assert (line["status"] == "ok") == (line["nmse"] != "")


def test_scores_are_those_of_the_saved_predictions(zoo):
    store, results, _ = zoo
    r = results["ok"]
    saved = np.load(store.trial_path(r.trial.id, ".npz"), allow_pickle=False)
    y = data.load(r.trial.dataset, random_streams.data(r.trial, per_trial=False)).y
    test, train = y[saved["test_index"]], y[saved["train_index"]]
    assert set(saved["train_index"]).isdisjoint(saved["test_index"])
    assert r.metrics["nmse"] == pytest.approx(np.mean((test - saved["mean"]) ** 2) / np.var(y))
    assert r.metrics["smse"] == pytest.approx(np.mean((test - saved["mean"]) ** 2) / np.var(test))
    assert r.metrics["nlpd"] == pytest.approx(metrics.nlpd(test, saved["mean"], saved["var"]))
    assert r.metrics["nlpd_latent"] == pytest.approx(metrics.nlpd(test, saved["mean"], saved["var_latent"]))
    trivial = metrics.nlpd(test, train.mean(), train.var())
    assert r.metrics["snlp"] == pytest.approx(r.metrics["nlpd"] - trivial)
    assert r.metrics.get("err") is None
    assert list(saved["pivots"]) == [i for i in saved["pivots"] if i in set(saved["train_index"])] != []


def test_environment_is_recorded_without_names_or_paths(zoo):
    store, results, _ = zoo
    env = json.loads((store.folder / "env" / f"{results['ok'].env}.json").read_text())
    assert env["packages"]["numpy"] == np.__version__
    assert all(pool["num_threads"] == 1 for pool in env["blas"])
    assert "/" not in json.dumps({k: v for k, v in env.items() if k not in ("cpu", "system")})


def test_the_same_command_runs_nothing_again_and_failures_only_on_request(zoo):
    store, results, _ = zoo
    trials = [r.trial for r in results.values() if r.status in ("ok", "skipped", "invalid", "failed")]
    assert run_here(store.folder, trials).ran == 0
    again = run_here(store.folder, trials, rerun="failed")
    assert again.ran == again.failed == sum(r.status in ("invalid", "failed") for r in results.values())
    assert status_counts(store.folder)["planned"] == len(trials)


def status_counts(folder):
    found = run.status(folder)
    return {k: found[k] for k in ("planned", "done", "failed", "left")}


def test_status_of_a_folder_without_results_is_a_clear_refusal(tmp_path):
    with pytest.raises(ConfigError, match=r"no plan\.json"):
        run.status(tmp_path)


# -- pairing and independence -------------------------------------------------------------------------------------


def grid(count=4):
    fake = [trial(index=i, d_max=d) for i in range(count) for d in (5, 10)]
    path = [trial("fake-path", index=i, d_max=d) for i in range(count) for d in (3, 7, 12)]
    return [*fake, *path]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    assert run_here(folder, grid(), jobs=1, save_predictions=True).exit_code == 0
    return folder


def test_jobs_and_order_leave_every_byte_alone(reference, tmp_path):
    shuffled = [grid()[i] for i in np.random.default_rng(1).permutation(len(grid()))]
    run_here(tmp_path, shuffled, jobs=4)
    assert rows(tmp_path) == rows(reference)


def test_a_method_or_a_size_added_moves_nobody(reference, tmp_path):
    some = [t for t in grid() if t.params["d_max"] in (10, 7)]
    run_here(tmp_path, [*some, trial(tag="new")])
    lines = set(rows(tmp_path).splitlines())
    kept = [line for line in rows(reference).splitlines() if any(t.id in line for t in some)]
    assert len(kept) == len(some) and lines.issuperset(kept)


def test_paired_methods_see_the_same_split_and_other_trials_another(reference):
    split = lambda t: np.load(ResultsFolder(reference).trial_path(t.id, ".npz"))["train_index"]  # noqa: E731
    one, other = trial(index=1, d_max=5), trial("fake-path", index=1, d_max=7)
    assert (split(one) == split(other)).all()
    assert (split(one) != split(trial(index=2, d_max=5))).any()


def test_one_nested_path_serves_all_sizes_and_a_missing_one_gives_the_same_number(tmp_path):
    count = tmp_path / "count"
    sizes = [trial("fake-path", d_max=d, count=str(count)) for d in (3, 7, 12)]
    run_here(tmp_path / "all", sizes)
    assert count.read_text() == "started\n"
    run_here(tmp_path / "last", sizes[1:])
    whole, part = (ResultsFolder(tmp_path / name).results(sizes) for name in ("all", "last"))
    assert [part[t.id].metrics for t in sizes[1:]] == [whole[t.id].metrics for t in sizes[1:]]


def test_times_along_a_path_add_up_and_trouble_spares_the_sizes_before(tmp_path):
    slow = [trial("fake-path", d_max=d, seconds=0.1, fail_at=10, nan_at=3) for d in (3, 7, 12)]
    run_here(tmp_path, slow)
    found = ResultsFolder(tmp_path).results(slow)
    assert [found[t.id].status for t in slow] == ["invalid", "ok", "crashed"]
    assert 0.2 <= found[slow[1].id].seconds["fit"] < 0.5


def test_fail_fast_stops_and_the_rest_can_be_run_later(tmp_path):
    trials = [trial(behaviour="raise"), *(trial(index=i, seconds=0.2) for i in range(4))]
    stopped = run_here(tmp_path, trials, fail_fast=True)
    assert stopped.failed == 1 and stopped.left >= 2 and stopped.exit_code == 1
    assert run_here(tmp_path, trials).done == 4


def test_a_selection_is_complete_by_itself_and_the_plan_stays_whole(tmp_path):
    trials = [trial(index=i) for i in range(3)]
    summary = run.run("test", "", trials[:1], tmp_path, run.Options(plugins=[FAKES]), planned=trials)
    assert (summary.exit_code, summary.left) == (0, 0)
    assert status_counts(tmp_path) == {"planned": 3, "done": 1, "failed": 0, "left": 2}


def test_a_label_may_change_without_running_again(tmp_path):
    run_here(tmp_path, [trial()])
    summary = run_here(tmp_path, [replace(trial(), label="renamed")])
    assert summary.ran == 0
    assert ",renamed," in (tmp_path / "results.csv").read_text()


def test_data_that_cannot_be_split_as_asked_are_an_error_before_anything_runs(tmp_path):
    with pytest.raises(DataError, match="60 rows"):
        run_here(tmp_path / "out", [trial(), trial(split={"kind": "random", "n_train": 61, "n_test": 5})])
    assert not (tmp_path / "out").exists()


def test_a_users_data_set_that_breaks_fails_its_trials_only(tmp_path):
    summary = run_here(tmp_path, [trial(dataset="broken"), trial()])
    assert (summary.done, summary.failed) == (1, 1)
    assert "ZeroDivisionError" in summary.failures[0].reason


def test_only_an_optional_package_in_the_way_is_exit_5(tmp_path):
    trials = [trial(behaviour="no-extra"), trial()]
    assert run_here(tmp_path, trials).exit_code == 5
    assert run_here(tmp_path, trials).exit_code == 5
