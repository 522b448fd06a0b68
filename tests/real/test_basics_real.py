"""The first published anchors, on the real rows, through the command line a user would type."""

import pandas as pd
import pytest

from tests.helpers.real_runs import run

pytestmark = [pytest.mark.real, pytest.mark.timeout(1500)]

BOSTON = """
name: boston-full
dataset: boston
split: {kind: random, n_train: 481, n_test: 25}
trials: 20
hyperparameters: {schedule: fixed, from: full-gp, subset: 200}
methods: [full-gp]
"""
KIN40K = """
name: kin40k-random
dataset: kin40k
split: {kind: random, n_train: 10000, n_test: 30000}
trials: 3
hyperparameters: {schedule: fixed, from: full-gp, subset: 2000}
kernel: {name: ard-se, bias: true}
d_max: [100, 200, 400, 600]
methods: [random]
"""


def test_full_gp_on_boston_lies_where_the_paper_lies(tmp_path, mirror):
    """Three times 20 splits: two splits of seed 0 have test cases that cost 5 nats, a fifth of their mean's 2.95."""
    rows = pd.concat([run(tmp_path / str(seed), BOSTON, "--set", f"seed={seed}") for seed in _folders(tmp_path, 3)])
    assert len(rows) == 60 and (rows.status == "ok").all()
    assert 0.09 <= rows.nmse.mean() <= 0.17
    assert 2.3 <= rows.nlpd.mean() <= 2.95


def _folders(tmp_path, count):
    for k in range(count):
        (tmp_path / str(k)).mkdir()
        yield k


def test_random_basis_on_kin40k_gives_the_known_curve(tmp_path, mirror):
    nmse = run(tmp_path, KIN40K).groupby("d_max").nmse.mean()
    for d_max, known in ((100, 0.36), (200, 0.21), (400, 0.12), (600, 0.08)):
        assert nmse[d_max] == pytest.approx(known, rel=0.15)
