"""The warm ladder: most of the climb on few rows, and no optimum lost by it."""

import time

import numpy as np
import pytest

from gpbench.experiment.config.config import load_config
from gpbench.experiment.evaluation import problem
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.plan.plan import plan
from gpbench.experiment.run.progress import Lines
from gpbench.gp.inference import exact
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning import full_gp, ladder
from gpbench.gp.learning.learner import HyperparameterSearch, OptimiserOptions
from gpbench.gp.learning.parameters import Layout
from gpbench.gp.learning.sizes import usual_subset


def version(number):
    return OptimiserOptions(learner=HyperparameterSearch(number))


@pytest.mark.parametrize(
    "n, sizes", [(30, [30]), (999, [999]), (1000, [500, 1000]), (1999, [500, 1999]), (4000, [500, 1000, 2000, 4000])]
)
def test_rungs_double_from_500_and_end_with_all_rows(n, sizes):
    assert ladder.rungs(n) == sizes


def planned(tmp_path, text):
    path = tmp_path / "config.yaml"
    path.write_text(f"name: x\n{text}\n")
    return plan(load_config(path)).trials


def subset(trial, rows):
    """Scaled rows in random order and the neutral start."""
    draw = trial_data(trial)
    X, y = draw.scaled(draw.split.train[draw.order[:rows]])
    return X, y, problem.start(trial.kernel, None, X, y)


@pytest.mark.parametrize("data", ["friedman3"])
def test_the_ladder_ends_within_half_a_nat_of_the_long_way_for_fewer_evaluations(tmp_path, data):
    X, y, gp = subset(planned(tmp_path, f"dataset: {{name: {data}, n_train: 1000}}\nmethods: [full-gp]")[0], 1000)
    rows = []

    def counted(gp, X, y):
        rows.append(len(y))
        return exact.evaluate(gp, X, y)

    _, long_way = full_gp.fit_hyperparameters(X, y, gp, version(2), evaluate=counted)
    before = len(rows)
    learned, found = ladder.fit_hyperparameters(X, y, gp, version(3), evaluate=counted)
    assert found["objective"] > long_way["objective"] - 0.5 and found["rungs"] == [500, 1000]
    assert found["objective"] == pytest.approx(exact.evaluate(learned, X, y)[0])
    assert rows[before:].count(1000) < 0.5 * before and len(rows) - before == found["evaluations"]


class Bowl:
    """A concave stand-in for the evidence, its top two nats from the origin in every log parameter."""

    def __init__(self):
        self.rows = []

    def __call__(self, gp, X, y):
        self.rows.append(len(y))
        x = Layout(gp).pack()
        return float(-50 * ((x - 2.0) ** 2).sum()), -100 * (x[:-1] - 2.0), -100 * (x[-1] - 2.0)


def test_starts_that_meet_become_one(monkeypatch):
    monkeypatch.setattr(ladder, "FIRST", 10)
    X, y, rng = np.zeros((20, 2)), np.zeros(20), np.random.default_rng(0)
    optima = []
    maximise = HyperparameterSearch.maximise
    monkeypatch.setattr(
        HyperparameterSearch, "maximise", lambda *a, **k: optima.append(maximise(*a, **k)) or optima[-1]
    )
    gp = GP(ArdSE(np.zeros(3), 2), 1.0)
    learned, _ = ladder.fit_hyperparameters(X, y, gp, OptimiserOptions(restarts=4), rng, Bowl())
    assert len(optima) == 5 + 1  # two starts of the kernel and three random ones on the first rung, one on the last
    assert all(c.message == "met another optimisation" or c.value > -1e-3 for c in optima[:5])
    np.testing.assert_allclose(Layout(learned).pack(), 2.0, atol=1e-2)


def test_a_length_scale_that_few_rows_made_endless_comes_back(monkeypatch):
    """The second input is idle in the first rows and decides the rest; from an endless scale no gradient leads back."""
    monkeypatch.setattr(ladder, "FIRST", 60)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(240, 2))
    y = np.sin(2 * X[:, 0]) + 0.05 * rng.normal(size=240)
    y[60:] += np.sin(2 * X[60:, 1])
    gp = full_gp.neutral_start(ArdSE.create(X), y)
    learned, found = ladder.fit_hyperparameters(X, y, gp)
    monkeypatch.setattr(ladder, "REACH", np.inf)
    _, stuck = ladder.fit_hyperparameters(X, y, gp)
    assert learned.values()["lengthscale"][1] < 5 and found["objective"] > stuck["objective"] - 0.5


def test_shared_work_tells_where_it_stands(tmp_path, capsys):
    trial = planned(tmp_path, "dataset: friedman3\nmethods: [sod]\nhyperparameters: {subset: 40, evaluations: 5}")[0]
    heard = []
    problem.shared_fit(trial, heard.append)
    assert heard[0].startswith("full GP on 40 rows, evaluation 1, log evidence ")
    lines = Lines()
    lines.working("too early")
    lines.clock.last -= 60
    lines.working("friedman3 repetition 0: full GP on 40 rows")
    lines.working("too soon again")
    assert capsys.readouterr().err == "friedman3 repetition 0: full GP on 40 rows\n"


def test_the_subset_of_the_full_gp_follows_the_rows(tmp_path):
    data = "dataset: {name: kin40k-sim, n_train: 1500, n_test: 500}\nsplit: {kind: random, n_train: 1200}"
    trial = planned(tmp_path, f"{data}\nmethods: [sod]\nhyperparameters: {{evaluations: 1}}")[0]
    assert trial.hyperparameters["subset"] is None and trial.shared_learner == 3
    assert problem.shared_fit(trial)["rows"] == 1000


def test_many_inputs_and_many_rows_ask_for_a_larger_subset():
    rows = {(n, D): usual_subset(n, D) for n in (300, 6000, 30_000) for D in (2, 8, 12, 60)}
    assert [rows[6000, D] for D in (2, 8, 12, 60)] == [1000, 1000, 1500, 2000]
    assert {rows[300, D] for D in (2, 60)} == {300} and {rows[30_000, D] for D in (2, 60)} == {2000}


def test_a_subset_that_the_config_leaves_open_has_a_version_one_that_it_gives_has_none(tmp_path):
    text = "dataset: friedman3\nmethods: [sod]\n"
    given = planned(tmp_path, text + "hyperparameters: {subset: 100}")[0]
    assert planned(tmp_path, text)[0].versions == given.versions | {"subset": 2}


SPLITS = {
    "kin40k": "{kind: random, n_train: 10000, n_test: 30000}",
    "cpusmall": "{kind: random, n_train: 6000, n_test: 2192}",
    "boston": "default",
    "bank32nh": "{kind: random, n_train: 4500, n_test: 3692}",
}


@pytest.mark.real
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("data", SPLITS)
def test_on_real_data_the_ladder_takes_half_the_cpu_seconds_and_loses_less_than_half_a_nat(tmp_path, mirror, data):
    trial = planned(tmp_path, f"dataset: {data}\nsplit: {SPLITS[data]}\nmethods: [full-gp]")[0]
    X, y, gp = subset(trial, 2000)
    spent, value = {}, {}
    for number, fit in ((1, full_gp.fit_hyperparameters), (3, ladder.fit_hyperparameters)):
        started = time.process_time()
        value[number] = fit(X, y, gp, version(number))[1]["objective"]
        spent[number] = time.process_time() - started
    assert spent[3] < 0.5 * spent[1] and value[3] > value[1] - 0.5


def test_in_few_dimensions_fine_detail_is_found_from_a_start_at_the_spacing_of_the_rows():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 2))
    y = X[:, 0] + 2 * np.sin(9 * X[:, 0]) * np.sin(9 * X[:, 1]) + 0.1 * rng.normal(size=400)
    gp = full_gp.neutral_start(ArdSE.create(X), y)
    _, from_deviations = full_gp.fit_hyperparameters(X, y, gp, version(2))
    learned, found = ladder.fit_hyperparameters(X, y, gp)
    assert max(learned.values()["lengthscale"]) < 0.5
    assert found["objective"] > from_deviations["objective"] + 20
    many = rng.normal(size=(400, 8))
    assert not ladder._short_start(full_gp.neutral_start(ArdSE.create(many), y), many, [np.zeros(10)])
