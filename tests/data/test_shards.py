"""Rows beyond memory: shards, streamed statistics, models over parts of rows, journals of long fits."""

import numpy as np
import pytest

from gpbench import data
from gpbench.data import shards
from gpbench.data.scaling import Scaler
from gpbench.data.sources.friedman import Friedman2
from gpbench.errors import ConfigError, DataError, NotApplicable, StorageError
from gpbench.experiment.evaluation.checkpoint import Journal
from gpbench.experiment.evaluation.problem import start
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.gp.inference import parts
from gpbench.gp.learning.optimise import maximise
from gpbench.methods.base import Problem, Schedule
from gpbench.methods.fitc import Fitc
from gpbench.methods.plv import Plv
from gpbench.methods.random import Random
from gpbench.methods.vfe import Vfe
from tests.helpers.driver import gpbench, run_here, trial, wait_until, write_job
from tests.helpers.driver import start as start_run

ROWS = 60_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("shards") / "friedman2"
    monkey = pytest.MonkeyPatch()
    monkey.setattr(shards, "SHARD", 25_000)  # three files, the last one shorter
    assert shards.write(home, shards.generate(Friedman2(), ROWS)) == ROWS
    monkey.undo()
    return home


def arrays(folder):
    """All rows, as one would never do it."""
    return tuple(np.concatenate([np.load(f) for f in sorted(folder.glob(f"{name}-*.npy"))]) for name in "Xy")


def test_shards_hold_the_rows_in_order_and_hand_them_out_by_number(folder, rng):
    X, y = arrays(folder)
    inputs = shards.Inputs(str(folder))
    assert len(list(folder.iterdir())) == 6 and inputs.shape == X.shape == (ROWS, 4)
    assert (inputs.targets() == y).all()
    rows = rng.permutation(ROWS)[:500]
    assert isinstance(inputs[rows], np.ndarray) and (inputs[rows] == X[rows]).all()
    chosen = inputs[np.sort(rng.permutation(ROWS)[:55_000])]
    assert isinstance(chosen, shards.Chosen) and (chosen[24_000:24_100] == X[chosen.rows[24_000:24_100]]).all()
    part = chosen.part(10_000, 40_000)
    own, target = part.block(29_000, 30_000)
    assert (own == X[chosen.rows[39_000:40_000]]).all() and (target == y[chosen.rows[39_000:40_000]]).all()


def test_a_longer_draw_begins_with_the_shorter_one():
    (short, _), *_ = shards.generate(Friedman2(), 100, seed=3)
    (long, _), *more = shards.generate(Friedman2(), shards.SHARD + 5, seed=3)
    (other, _), *_ = shards.generate(Friedman2(), 100, seed=4)
    assert (long[:100] == short).all() and len(more[0][0]) == 5 and not (other == short).any()


def test_streamed_scaling_is_that_of_the_rows_in_memory(folder, rng):
    X, y = arrays(folder)
    rows = np.sort(rng.permutation(ROWS)[:55_000])
    chosen = shards.Inputs(str(folder))[rows]
    theirs, ours = Scaler.fit(X[rows], y[rows]), Scaler.fit(chosen, y[rows])
    np.testing.assert_allclose(ours.shift, theirs.shift, rtol=1e-12)
    np.testing.assert_allclose(ours.stretch, theirs.stretch, rtol=1e-12)
    assert (ours.offset, ours.factor) == (theirs.offset, theirs.factor)
    block, target = ours.inputs(chosen).block(100, 200)
    np.testing.assert_allclose(block, theirs.inputs(X[rows[100:200]]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(target, theirs.target(y[rows[100:200]], None), rtol=1e-12, atol=1e-14)
    with pytest.raises(ConfigError, match="detrend needs all rows in memory"):
        Scaler.fit(chosen, y[rows], {"target": "detrend"})


def problem(folder, lazy, schedule="joint", evaluations=4):
    X, y = arrays(folder)
    order = np.random.default_rng(5).permutation(ROWS)
    scaler = Scaler.fit(X, y)
    rows = scaler.inputs(shards.Chosen(shards.Inputs(str(folder)), np.arange(ROWS)) if lazy else X)
    target = scaler.target(y, X)
    gp = start({"name": "ard-se"}, None, scaler.inputs(X[:100]), target)
    return Problem(rows, target, gp, Schedule(schedule, evaluations), order)


@pytest.mark.parametrize(
    "method",
    [Random(d_max=12), Plv(d_max=12), Fitc(d_max=12, inducing="random"), Vfe(d_max=12, inducing="random")],
    ids=lambda m: m.name,
)
def test_a_fit_over_parts_is_the_fit_of_all_rows(folder, method, rng):
    whole, large = (method.fit(problem(folder, lazy), np.random.default_rng(1)) for lazy in (False, True))
    assert large.log_evidence == pytest.approx(whole.log_evidence, rel=1e-7)
    assert (large.pivots == whole.pivots).all()
    np.testing.assert_allclose(large.gp.kernel.theta, whole.gp.kernel.theta, rtol=1e-4, atol=1e-5)
    whole_rows, parted = problem(folder, False).X, problem(folder, True).X
    ours, theirs = large.predict(parted), large.predict(whole_rows)  # rows beyond memory are predicted in parts
    np.testing.assert_allclose(ours.mean, theirs.mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(ours.var, theirs.var, rtol=1e-9)
    X = rng.normal(size=(50, 4))
    np.testing.assert_allclose(large.predict(X).mean, whole.predict(X).mean, rtol=1e-3, atol=1e-4)


def test_selection_and_k_means_see_a_random_part_of_the_rows(folder):
    large = problem(folder, True, "fixed")
    few = large.few()
    assert few.n == 20_000 and (few.X == large.X[large.order[:20_000]]).all()
    chosen = Vfe(d_max=8, inducing="rpcholesky").fit(large, np.random.default_rng(2))
    assert np.isin(chosen.pivots, large.order[:20_000]).all()
    assert Vfe(d_max=8, inducing="kmeans").fit(large, np.random.default_rng(2)).inducing.shape == (8, 4)
    with pytest.raises(NotApplicable, match="objective nlgpp holds all rows"):
        Vfe(d_max=8, objective="nlgpp").fit(large, np.random.default_rng(2))


def test_the_number_of_workers_changes_no_digit(folder, monkeypatch):
    distributed = pytest.importorskip("distributed")
    from gpbench.experiment.run.dask.row_map import RowMap
    from gpbench.gp.inference import sparse

    large = problem(folder, True)
    rows = [large.X.part(i, min(i + 16_384, ROWS)) for i in range(0, ROWS, 16_384)]
    Z = large.X[large.order[:12]]

    def evaluation(do):
        return parts.evaluate(parts.build(sparse.FITC, large.gp, Z, rows, 1e-6, do), rows, do=do)

    here = evaluation(parts.in_turn)
    for workers in (1, 2):
        with distributed.LocalCluster(
            workers, processes=False, threads_per_worker=1, dashboard_address=":0"
        ) as cluster:
            crew = RowMap(cluster.scheduler_address)
            there = evaluation(crew)
            crew.close()
        assert there.F == here.F and there.dnoise == here.dnoise
        assert (there.dtheta == here.dtheta).all() and (there.dZ == here.dZ).all()


def test_a_continued_climb_replays_its_journal_and_ends_at_the_same_bits(tmp_path):
    calls = []

    def objective(x):
        calls.append(x.copy())
        if len(calls) == fall:
            raise KeyboardInterrupt
        return -float(np.sum((x - 1) ** 4) + np.sum(x**2)), -4 * (x - 1) ** 3 - 2 * x

    fall = 0
    straight = maximise(objective, np.array([3.0, -2.0]), 30)
    total, path = len(calls), tmp_path / "journals" / "x.jsonl"
    calls.clear()
    fall = 6
    with pytest.raises(KeyboardInterrupt):
        maximise(Journal(path)(objective), np.array([3.0, -2.0]), 30)
    assert len(path.read_text().splitlines()) == 5
    path.write_text(path.read_text() + '{"x": ["0x1')  # the process died while it wrote
    calls.clear()
    fall = 0
    journal = Journal(path)
    again = maximise(journal(objective), np.array([3.0, -2.0]), 30)
    assert len(calls) == total - 5
    assert (again.x == straight.x).all() and again.value == straight.value
    calls.clear()
    maximise(Journal(path)(objective), np.array([3.0, -1.0]), 30)  # another start: nothing of the old is taken
    assert len(calls) == len(path.read_text().splitlines())
    journal.remove()
    assert not path.parent.exists()


def large_trial(folder, method="vfe", evaluations=3, **changes):
    spec = {"npy": str(folder), "label": "friedman2-shards"}
    return trial(
        method, dataset=spec | {"sha256": data.content_hash(spec)}, split={"kind": "random", "n_train": 55_000},
        hyperparameters={"schedule": "joint", "evaluations": evaluations}, d_max=8, **changes,
    )  # fmt: skip


def test_trials_on_shards_run_fail_and_skip_like_any_other(tmp_path, folder):
    ours, no = large_trial(folder), large_trial(folder, "info")
    summary = run_here(tmp_path, [ours, no])
    assert (summary.done, summary.skipped) == (2, 1), summary.failures
    result = ResultsFolder(tmp_path).load(ours)
    assert (result.n_train, result.n_test) == (55_000, 5_000)
    assert not (tmp_path / "journals").exists()
    assert "holds all rows in memory" in ResultsFolder(tmp_path).load(no).reason


FROM_FULL_GP = {"schedule": "fixed", "from": "full-gp", "subset": 200}


def test_a_method_on_square_matrices_is_skipped_on_rows_beyond_memory_before_anything_is_learned(tmp_path, folder):
    changes = {"dataset": large_trial(folder).dataset, "split": {"kind": "random", "n_train": 55_000}}
    no = [trial(m, **changes, hyperparameters=FROM_FULL_GP) for m in ("full-gp", "info")]
    summary = run_here(tmp_path, no)
    assert (summary.done, summary.skipped) == (2, 2), summary.failures
    for t in no:
        found = ResultsFolder(tmp_path).load(t)
        assert found.n_train == 55_000 and found.reason.startswith(f"{t.method} holds all rows in memory")
    assert not list((tmp_path / "shared").iterdir())


def test_matrices_that_no_memory_holds_are_refused_before_anything_is_learned(tmp_path):
    spec = {"name": "friedman1", "n_train": 400_000}
    t = trial("full-gp", dataset=spec, split={"kind": "published"}, hyperparameters=FROM_FULL_GP)
    summary = run_here(tmp_path, [t])
    assert summary.failed == 1 and not list((tmp_path / "shared").iterdir())
    found = ResultsFolder(tmp_path).load(t)
    assert found.status == "oom" and "full-gp keeps 400000 x 400000 matrices" in found.reason


def test_a_killed_fit_goes_on_from_its_journal(tmp_path, folder):
    ours = large_trial(folder, evaluations=25)
    process = start_run(tmp_path / "cut", write_job(tmp_path / "job.json", [ours]))
    journal = ResultsFolder(tmp_path / "cut").journal_path(ours)
    wait_until(lambda: journal.exists() and len(journal.read_text().splitlines()) >= 3)
    process.kill()
    process.communicate()
    assert journal.exists()  # and what it holds is taken: else the climb would not come out with the same bits
    assert run_here(tmp_path / "cut", [ours]).done == 1 and not journal.exists()
    assert run_here(tmp_path / "straight", [ours]).done == 1
    one, two = (ResultsFolder(tmp_path / name).load(ours) for name in ("straight", "cut"))
    assert one.metrics == two.metrics and one.theta == two.theta and one.metrics["nmse"] < 0.5


def test_parquet_files_become_the_same_rows(tmp_path, monkeypatch, rng):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    monkeypatch.setenv("GPBENCH_DATA", str(tmp_path / "cache"))
    X, y = rng.normal(size=(300, 2)), rng.normal(size=300)
    for i, rows in enumerate((slice(0, 200), slice(200, 300))):
        table = pa.table({"a": X[rows, 0], "fare": y[rows], "b": X[rows, 1].astype(np.float32)})
        pq.write_table(table, tmp_path / f"taxi-{i}.parquet")
    spec = {"parquet": str(tmp_path / "taxi-*.parquet"), "target": "fare"}
    spec["sha256"] = data.content_hash(spec)
    found = data.load(spec)
    assert (found.y == y).all() and (found.X[:][:, 0] == X[:, 0]).all()
    assert (data.load(spec).X[np.arange(5)] == found.X[np.arange(5)]).all()  # from the cache
    with pytest.raises(DataError, match="has no column 'tip'; its columns are a, fare, b"):
        data.load({**spec, "target": "tip"})
    pq.write_table(pa.table({"a": ["x"], "fare": [1.0], "b": [2.0]}), tmp_path / "taxi-2.parquet")
    with pytest.raises(DataError, match="has changed since the run was planned"):
        data.load(spec)
    with pytest.raises(DataError, match="column 'a' is string, not numbers"):
        data.load({k: v for k, v in spec.items() if k != "sha256"})


@pytest.mark.parametrize(
    "pattern", ["taxi/*.parquet", "taxi-*.parquet", "a/taxi/year=*/part-*.parquet", "/x/taxi/**/[0-9]*.parquet"]
)
def test_parquet_files_are_called_what_their_pattern_says_and_the_id_does_not_know_it(pattern):
    spec = {"parquet": pattern, "target": "fare", "sha256": "0"}
    assert trial(dataset=spec).dataset_name == "taxi"
    assert trial(dataset=spec).id == trial(dataset=spec | {"parquet": "other.parquet", "label": "mine"}).id


def test_what_is_wrong_with_a_folder_is_one_sentence(tmp_path, folder):
    with pytest.raises(DataError, match="has no files X-"):
        data.content_hash({"npy": str(tmp_path)})
    np.save(tmp_path / "X-0.npy", np.ones((3, 2)))
    with pytest.raises(DataError, match=r"y-0\.npy is missing"):
        data.content_hash({"npy": str(tmp_path)})
    np.save(tmp_path / "y-0.npy", np.ones(4))
    with pytest.raises(DataError, match="does not go with y"):
        data.load({"npy": str(tmp_path)})
    (tmp_path / "y-0.npy").write_bytes(b"not numpy")
    with pytest.raises(DataError, match=r"is not a \.npy file of numbers"):
        data.load({"npy": str(tmp_path)})
    with pytest.raises(StorageError, match="is there already"):
        shards.write(folder, iter([]))


@pytest.mark.parametrize("n_train", [60, shards.AT_ONCE + 1])
@pytest.mark.parametrize(
    "value,what", [(np.nan, "nan, not finite"), (-np.inf, "-inf, not finite"), (1e200, "too large")]
)
def test_a_row_without_a_number_is_found_before_anything_is_learned(tmp_path, n_train, value, what, rng):
    n = n_train + 20
    for i, rows in enumerate((n - 50, 50)):
        np.save(tmp_path / f"X-{i}.npy", rng.normal(size=(rows, 3)))
        np.save(tmp_path / f"y-{i}.npy", rng.normal(size=rows))
    spec = {"npy": str(tmp_path)}
    for row in (25, 45):  # of the second file: one of the training, one of the test part
        X = rng.normal(size=(50, 3))
        X[row, 2] = value
        np.save(tmp_path / "X-1.npy", X)
        t = trial(dataset=spec, split={"kind": "first", "n_train": n_train})
        with pytest.raises(DataError, match=rf"X-1\.npy: row {row}, column 2 \(from 0\) is .*{what}"):
            trial_data(t)
    y = rng.normal(size=50)
    y[30] = value
    np.save(tmp_path / "y-1.npy", y)
    with pytest.raises(DataError, match=rf"y-1\.npy: row 30 \(from 0\) is .*{what}"):
        data.load(spec)


def test_a_run_on_shards_with_a_gap_is_exit_3(tmp_path):
    X = np.ones((80, 2))
    X[7, 1] = np.nan
    (tmp_path / "mine").mkdir()
    np.save(tmp_path / "mine" / "X-0.npy", X)
    np.save(tmp_path / "mine" / "y-0.npy", np.arange(80.0))
    (tmp_path / "c.yaml").write_text("name: t\ndataset: {npy: mine}\nmethods: [random]\nd_max: 5\n")
    done = gpbench("run", "c.yaml", cwd=tmp_path)
    assert done.returncode == 3 and "X-0.npy: row 7, column 1 (from 0) is nan" in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "results").exists()


def test_the_command_line_draws_shards_and_runs_on_them(tmp_path):
    done = gpbench("data", "shards", "kin40k-sim", "-n", "300", "-o", "kin", cwd=tmp_path)
    assert done.returncode == 0 and "300 rows" in done.stdout, done.stderr
    again = gpbench("data", "shards", "kin40k-sim", "-n", "300", "-o", "kin", cwd=tmp_path)
    assert again.returncode == 7 and "is there already" in again.stderr
    real = gpbench("data", "shards", "boston", "-n", "300", "-o", "b", cwd=tmp_path)
    assert real.returncode == 2 and "is no simulator" in real.stderr
    config = tmp_path / "c.yaml"
    config.write_text("name: t\ndataset: {npy: kin}\nmethods: [random]\nd_max: 5\n")
    checked = gpbench("validate", config, cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    config.write_text("name: t\ndataset: {npy: nowhere}\nmethods: [random]\nd_max: 5\n")
    wrong = gpbench("validate", config, cwd=tmp_path)
    assert wrong.returncode in (2, 3) and "has no files X-" in wrong.stderr and "Traceback" not in wrong.stderr
