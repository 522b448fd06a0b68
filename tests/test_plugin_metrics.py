"""A plug-in's metric goes from a config to results.csv, ranks and tables; a bad one is one sentence."""

import numpy as np
import pandas as pd
import pytest

from gpbench import catalog, metrics
from gpbench.errors import ConfigError, InvalidPrediction
from gpbench.experiment.results.trial_result import COLUMNS
from gpbench.extend import Metric
from tests.helpers.driver import gpbench

PLUGIN = '''
import numpy as np
from gpbench.extend import Metric

def within(y, mean):
    """Share of test targets within half a unit of the mean."""
    return np.mean(np.abs(y - mean) < 0.5)

score = Metric("within_half", "within .5", regression=within, better="higher")
'''
CONFIG = """
name: small
dataset: {name: friedman3, split: {kind: random, n_train: 60, n_test: 20}}
trials: 3
kernel: ard-se
hyperparameters: {schedule: fixed, values: {variance: 1, lengthscale: 1, noise: 0.1}}
methods: [{method: sod, d_max: 30}, {method: sod, d_max: 3, label: tiny}]
metrics: [nmse, within_half]
"""


@pytest.fixture
def loaded(monkeypatch, tmp_path):
    """A function that loads a plug-in's text; its metrics are removed again after the test."""
    monkeypatch.setattr(catalog, "_plugins", {})
    monkeypatch.setattr(metrics, "METRICS", metrics.METRICS)
    before = dict(metrics.METRICS)

    def load(text):
        (tmp_path / "mine.py").write_text(text)
        catalog.load_plugin(str(tmp_path / "mine.py"))

    yield load
    for name in metrics.METRICS.keys() - before.keys():
        del metrics.METRICS[name]


def test_a_run_scores_ranks_and_shows_a_metric_that_is_better_when_higher(tmp_path):
    (tmp_path / "mine.py").write_text(PLUGIN)
    (tmp_path / "small.yaml").write_text(CONFIG)
    done = gpbench("-q", "run", "small.yaml", "--plugin", "mine.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = pd.read_csv(tmp_path / "results/small/results.csv")
    assert [*rows][: len(COLUMNS)] == [*COLUMNS] and [*rows][len(COLUMNS) :] == ["within_half"]
    means = rows.groupby("label")["within_half"].mean()
    assert means["sod"] > means["tiny"]
    table = (tmp_path / "results/small/tables/results.md").read_text()
    assert "within .5" in table
    assert gpbench("tables", "results/small", "--plugin", "mine.py", cwd=tmp_path).returncode == 0
    assert (tmp_path / "results/small/tables/results.md").read_text() == table
    best = next(line for line in table.splitlines() if line.startswith("| sod"))
    assert f"**{means['sod']:.2g}"[:5] in best  # bold: the higher value is the better one
    assert gpbench("tables", "results/small", cwd=tmp_path).returncode == 0
    assert "half: a metric of a plug-in" in (tmp_path / "results/small/tables/results.md").read_text()


@pytest.mark.parametrize(
    "made, message",
    [
        ('Metric("status", "x", lambda y: 0)', "is no other column"),
        ('Metric("Bad Name", "x", lambda y: 0)', "a name has a-z"),
        ('Metric("odd", "x", lambda y, weight: 0)', "asks for 'weight'; it may ask for y, "),
        ('Metric("odd", "x")', "has no function"),
        ('Metric("odd", "x", lambda y: 0, better="up")', "better is 'lower'"),
        ('Metric("nmse", "x", lambda y: 0)', "there is a metric 'nmse' already"),
    ],
)
def test_a_bad_metric_is_one_sentence(loaded, made, message):
    with pytest.raises(ConfigError, match=message):
        loaded(f"from gpbench.extend import Metric\nscore = {made}\n")


def test_reserved_names_are_the_other_columns_of_results():
    others = {c for c in COLUMNS if c not in metrics.METRICS and not c.endswith("_seconds")}
    assert set(metrics.RESERVED) == others


def test_a_metric_is_absent_where_what_it_needs_is_absent_and_an_error_in_it_is_an_invalid_trial():
    latent = Metric("x", "x", regression=lambda var_latent: float(np.sum(var_latent)))
    assert latent.score("regression", {"y": np.ones(2)}) is None
    assert latent.score("regression", {"var_latent": np.ones(2)}) == 2.0
    with pytest.raises(InvalidPrediction, match="metric x: ZeroDivisionError"):
        Metric("x", "x", regression=lambda y: 1 / 0).score("regression", {"y": np.ones(1)})


def test_loss_turns_every_direction_into_lower_is_better():
    high, near = (Metric("x", "x", lambda y: 0.0, better=b) for b in ("higher", 0.5))
    assert high.loss(3.0) == -3.0 and high.best == "higher" and "negative x" in high.loss_name
    assert near.loss(0.2) == pytest.approx(near.loss(0.8)) and near.best == "nearer to 0.5"
