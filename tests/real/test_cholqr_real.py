"""[cao] and [snelson] on the real one-dimensional data and KIN40K: what can be checked in a minute."""

import numpy as np
import pandas as pd
import pytest

from tests.helpers.real_runs import run

pytestmark = [pytest.mark.real, pytest.mark.timeout(900)]

LINE = """
name: line
dataset: snelson1d
split: {kind: first, n_train: 199, n_test: 1}
scale: {inputs: none, target: centre}
hyperparameters: {schedule: joint, evaluations: 300}
methods:
  - {method: full-gp, label: full GP}
  - {method: cholqr, label: ranked, z: 10, d_max: 10, epochs: 2, exact_ranking: true}
  - {method: cholqr, label: VAR, objective: var, d_max: 15, inducing: left, epochs: 40}
  - {method: cholqr, label: MLE, objective: mle, d_max: 15, inducing: left, epochs: 40}
"""
KIN40K = """
name: kin40k
dataset: kin40k
split: {kind: published}
hyperparameters: {schedule: joint, values: {variance: 1.0, lengthscale: 4.5, noise: 0.3}}
d_max: 64
metrics: [smse, snlp]
methods:
  - {method: vfe, label: random}
  - {method: cholqr, z: 64, epochs: 5, label: exchanged}
"""


def last(folder, key):
    """Last value of a trace's key, by label."""
    points = pd.read_csv(folder / "curves.csv")
    labels = pd.read_csv(folder / "results.csv").set_index("trial_id")["label"]
    points = points[points["key"] == key].sort_values("step", na_position="first")
    return points.groupby(points["trial_id"].map(labels))["value"].last()


def test_a_poor_start_on_the_line_is_overcome_and_ten_information_pivots_rank_well(tmp_path, mirror):
    run(tmp_path, LINE)
    out = tmp_path / "out"
    assert last(out, "rank_correlation")["ranked"] > 0.8
    assert last(out, "rank_of_proposal")["ranked"] <= 5
    noise_sd = np.sqrt(last(out, "theta.noise")["full GP"])
    assert (last(out, "full_gp_gap_max")[["VAR", "MLE"]] < noise_sd).all()


def test_exchanging_inducing_points_beats_random_ones_on_kin40k(tmp_path, mirror):
    rows = run(tmp_path, KIN40K).set_index("label")
    assert rows.loc["exchanged", "log_evidence"] > rows.loc["random", "log_evidence"]
    assert rows.loc["exchanged", "smse"] < rows.loc["random", "smse"]
