"""Columns of weights and known noise variances in a user's csv: read, refused, used by the runner."""

import numpy as np
import pytest

from gpbench import data
from gpbench.errors import DataError
from gpbench.experiment.config.config import load_config
from gpbench.experiment.evaluation.evaluate import results
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.plan.plan import plan

ROWS = 40
rng = np.random.default_rng(0)
X, WEIGHT, VARIANCE = rng.normal(size=(ROWS, 2)), rng.uniform(0.5, 2, ROWS), rng.uniform(0, 3, ROWS)
WEIGHT[4] = 0
y = 5 * np.sin(X[:, 0]) + rng.normal(size=ROWS)


@pytest.fixture
def table(tmp_path):
    lines = ["a,b,w,e,y", *(",".join(map(repr, map(float, row))) for row in np.column_stack([X, WEIGHT, VARIANCE, y]))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    return tmp_path / "t.csv"


def test_columns_of_rows_are_no_inputs_and_weight_zero_leaves_the_row_out(table):
    found = data.load({"csv": str(table), "target": "y", "weight": "w", "noise": "e"})
    kept = np.arange(ROWS) != 4
    np.testing.assert_array_equal(found.X, X[kept])
    np.testing.assert_array_equal(found.weight, WEIGHT[kept])
    np.testing.assert_array_equal(found.noise_variance, VARIANCE[kept])
    assert any("1 rows have the weight 0" in note for note in found.notes)


def test_a_bad_weight_names_row_and_cell(table):
    table.write_text(table.read_text().replace(repr(float(WEIGHT[1])), "-2"))
    with pytest.raises(DataError, match=r"column 'w', row 2: '-2' is no number >= 0"):
        data.load({"csv": str(table), "target": "y", "weight": "w"})
    with pytest.raises(DataError, match=r"weight.*: has no column 'v'"):
        data.load({"csv": str(table), "target": "y", "weight": "v"})


CONFIG = """
name: rows
trials: 1
dataset: {csv: t.csv, target: y, weight: w, noise: e}
split: {kind: random, n_train: 30, n_test: 9}
hyperparameters: {schedule: fixed, values: {lengthscale: 1.0, variance: 1.0, noise: 0.1}}
methods: [full-gp, {method: nlgpp, d_max: 5}]
"""


def test_the_runner_uses_them_for_training_and_test_rows(table, monkeypatch):
    (table.parent / "c.yaml").write_text(CONFIG)
    monkeypatch.chdir(table.parent)
    trial, refused = plan(load_config("c.yaml")).trials
    assert trial.dataset["weight"] == "w"
    ((result, _),) = results([trial], None, lambda t: None)
    draw = trial_data(trial)
    train, test, d = draw.split.train, draw.split.test, draw.dataset
    A, As = draw.scaler.inputs(d.X[train]), draw.scaler.inputs(d.X[test])

    def k(a, b):
        return np.exp(-0.5 * ((a[:, None] - b) ** 2).sum(2))

    factor = draw.scaler.factor
    S = k(A, A) + np.diag(0.1 / d.weight[train] + d.noise_variance[train] / factor**2)
    Ks, b = k(A, As), (d.y[train] - draw.scaler.offset) / factor
    mean = Ks.T @ np.linalg.solve(S, b) * factor + draw.scaler.offset
    var = 1 - np.einsum("ij,ij->j", Ks, np.linalg.solve(S, Ks)) + 0.1 / d.weight[test]
    var = var * factor**2 + d.noise_variance[test]
    expected = np.mean(0.5 * (np.log(2 * np.pi * var) + (d.y[test] - mean) ** 2 / var))
    assert result.metrics["nlpd"] == pytest.approx(expected, rel=1e-8)
    with pytest.raises(Exception, match="nlgpp takes no weights or noise variances of rows"):
        list(results([refused], None, lambda t: None))
