"""Where one stands, what is at hand and what is asked for today change no id, no number and no finished row."""

import os
import shutil

import numpy as np
import pandas as pd
import pytest

from gpbench.data import shards
from gpbench.experiment.config.config import load_config
from gpbench.experiment.config.resolved import resolved_yaml
from gpbench.experiment.plan.plan import plan
from tests.helpers.driver import gpbench, rows

CONFIG = """
name: mine
dataset: {csv: my.csv, target: y}
trials: 3
hyperparameters: {schedule: fixed, values: {variance: 1.0, lengthscale: 1.5, noise: 0.1}}
d_max: 8
methods: [sod, nlml]
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """One file in two places, with a config beside it; each run from another folder."""
    here = tmp_path_factory.mktemp("circumstance")
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    table["y"] = np.sin(table.a) + 0.1 * rng.normal(size=40)
    for name in ("one", "two/deeper"):
        (here / name).mkdir(parents=True)
        table.to_csv(here / name / "my.csv", index=False)
        (here / name / "mine.yaml").write_text(CONFIG)
    (here / "my.csv").write_text("a,b,y\n1,2,3\n")  # another file of that name, where the second run starts
    check(gpbench("run", "mine.yaml", "-o", "out", cwd=here / "one"))
    check(gpbench("run", "two/deeper/mine.yaml", "-o", "two/out", cwd=here))
    return here


def check(done, code=0):
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr


def ids(folder):
    return sorted(os.listdir(folder / "trials"))


def test_the_same_csv_in_two_folders_gives_the_same_ids_and_numbers(ran):
    assert ids(ran / "one/out") == ids(ran / "two/out") and len(ids(ran / "two/out")) == 6
    assert rows(ran / "one/out") == rows(ran / "two/out")
    assert set(pd.read_csv(ran / "one/out/results.csv").dataset) == {"my.csv"}


@pytest.mark.parametrize("place", [".", "two/deeper"])
def test_the_resolved_config_gives_the_same_trials_from_any_folder(ran, place):
    config, out = (os.path.relpath(ran / p, ran / place) for p in ("one/out/config.resolved.yaml", "one/out"))
    done = gpbench("run", config, "-o", out, "-n", cwd=ran / place)
    check(done)
    assert "6 trials, 6 done; nothing left" in done.stdout


@pytest.mark.parametrize(
    "circumstance, committed",
    [(["--set", "trials=1"], False), (["--set", "d_max=5"], True), (["-m", "sod", "--offline"], True)],
)
def test_the_rest_of_the_results_is_left_alone(ran, tmp_path, circumstance, committed):
    shutil.copytree(ran / "one", tmp_path / "one")
    out = tmp_path / "one/out"
    before = pd.read_csv(out / "results.csv").set_index("trial_id")
    if committed:
        shutil.rmtree(out / "trials")
        (out / "plan.json").unlink()
    resolved = (out / "config.resolved.yaml").read_bytes()
    check(gpbench("run", "mine.yaml", "-o", "out", *circumstance, cwd=tmp_path / "one"))
    after = pd.read_csv(out / "results.csv").set_index("trial_id")
    pd.testing.assert_frame_equal(after.loc[before.index], before)
    assert len(after) == (12 if "d_max=5" in circumstance else 6)
    assert (out / "config.resolved.yaml").read_bytes() == resolved


@pytest.mark.parametrize("kind", ["npy", "parquet"])
def test_rows_beyond_memory_are_those_beside_the_config_and_the_resolved_config_finds_them_from_any_folder(
    kind, tmp_path, monkeypatch
):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    for place, seed in (("one", 1), ("elsewhere", 2)):  # another of that name where one stands
        rng, folder = np.random.default_rng(seed), tmp_path / place
        folder.mkdir()
        if kind == "npy":
            shards.write(folder / "rows", [(rng.normal(size=(30, 2)), rng.normal(size=30))])
        else:
            pd.DataFrame(rng.normal(size=(30, 3)), columns=["a", "b", "y"]).to_parquet(folder / "rows-0.parquet")
    spec = "{npy: rows}" if kind == "npy" else "{parquet: rows-*.parquet, target: y}"
    split = "split: {kind: random, n_train: 20, n_test: 10}\n"
    (tmp_path / "one/c.yaml").write_text(f"name: c\ndataset: {spec}\nmethods: [vfe]\n{split}")
    monkeypatch.chdir(tmp_path / "one")
    ids = [t.id for t in plan(load_config("c.yaml")).trials]
    monkeypatch.chdir(tmp_path / "elsewhere")
    config = load_config("../one/c.yaml")
    assert [t.id for t in plan(config).trials] == ids
    (tmp_path / "out").mkdir()
    (tmp_path / "out/config.resolved.yaml").write_text(resolved_yaml(config, "../out"))
    monkeypatch.chdir(tmp_path)
    assert [t.id for t in plan(load_config("out/config.resolved.yaml")).trials] == ids


STANDIN = """
name: t
dataset: {first_of: [kin40k, {name: friedman3, n_train: 30, n_test: 20}]}
hyperparameters: {schedule: fixed, values: {variance: 1.0, lengthscale: 1.5, noise: 0.1}}
methods: [{method: sod, d_max: 5}]
"""


def test_a_folder_keeps_to_the_data_set_it_began_with_and_other_configs_go_on(tmp_path):
    (tmp_path / "b.yaml").write_text(STANDIN)
    (tmp_path / "c.yaml").write_text(STANDIN.replace("name: t", "name: c"))
    run = ("run", "b.yaml", "c.yaml", "--offline", "-o", "out")
    assert "using friedman3 instead of kin40k" in check(gpbench(*run, "-d", "friedman3", cwd=tmp_path))
    table = tmp_path / "out/t/results.csv"
    table.write_text(table.read_text().replace("friedman3", "kin40k"))  # as if the published rows had been at hand
    before, other = table.read_bytes(), (tmp_path / "out/c/plan.json").stat().st_mtime_ns
    said = check(gpbench(*run, cwd=tmp_path), 3)
    assert "out/t has begun with kin40k and keeps to it: a stand-in needs another --output folder" in said
    assert table.read_bytes() == before
    assert (tmp_path / "out/c/plan.json").stat().st_mtime_ns > other, "c was run, though b's data cannot be had"


def test_a_dry_run_heeds_what_is_to_be_saved(ran):
    done = gpbench("run", "mine.yaml", "-o", "out", "-n", "--save-predictions", cwd=ran / "one")
    assert "6 trials, 0 done" in done.stdout
