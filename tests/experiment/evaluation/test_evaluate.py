"""A trial has the metrics that its config lists; what lacks one is missing, `nlpd_latent` is computed on request."""

import json

import numpy as np

from gpbench.experiment.config.config import load_config
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.gp.inference import sparse
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.methods.random import Random
from gpbench.metrics import lacking
from tests.helpers.driver import run_here, trial


def test_a_metric_that_does_not_apply_is_not_missed():
    assert lacking(["nmse", "nlpd", "smse"], ["nmse", "rmse", "err"]) == ["rmse"]
    assert lacking(["err", "nlpd"], ["err", "nlpd", "nmse", "rmse"]) == []


def test_the_latent_score_is_there_when_it_is_listed_and_a_trial_without_it_runs_again(tmp_path):
    trials = [trial("random", d_max=5), trial("nlml", d_max=5), trial("full-gp")]

    def ran(*metrics):
        summary = run_here(tmp_path, trials, metrics=metrics)
        return summary.ran, [ResultsFolder(tmp_path).results(trials)[t.id].metrics for t in trials]

    count, plain = ran("nmse", "nlpd")
    assert count == 3 and not any("nlpd_latent" in scores for scores in plain)
    count, with_latent = ran("nmse", "nlpd", "nlpd_latent")
    assert count == 3 and all(scores["nlpd_latent"] is not None for scores in with_latent)
    assert [s | {"nlpd_latent": 0} for s in plain] == [s | {"nlpd_latent": 0} for s in with_latent]
    assert ran("nmse", "nlpd_latent", "crps")[0] == ran("nlpd")[0] == 0


def test_without_the_latent_variance_no_factor_with_the_nugget_is_made(rng):
    from dataclasses import replace

    from gpbench.gp.kernels.ard_se import ArdSE
    from gpbench.methods.base import GP, Problem, Schedule

    X, gp = rng.normal(size=(30, 2)), GP(ArdSE(np.zeros(3), 2), 0.1)
    model = sparse.build(sparse.DTC, gp, X[:6], X, X[:, 0])
    with_latent, without = (SparsePosterior.of(model, 0.01, latent) for latent in (True, False))
    both = with_latent.predict(X), without.predict(X)
    np.testing.assert_array_equal(both[0].var, both[1].var)
    assert both[0].var_latent is not None and both[1].var_latent is None
    assert "_with_nugget" in vars(with_latent) and "_with_nugget" not in vars(without)
    problem = Problem(X, X[:, 0], gp, Schedule(), np.arange(30))
    asked, not_asked = (Random(d_max=6).fit(replace(problem, latent=x), rng).predict(X) for x in (True, False))
    assert asked.var_latent is not None and not_asked.var_latent is None


def test_no_committed_trial_lacks_a_metric_of_its_config(repo):
    seen = 0
    for path in sorted((repo / "configs").rglob("*.yaml")):
        config = load_config(path)
        archive = repo / "results" / config.name / "archive.jsonl"
        for line in archive.read_text().splitlines() if archive.is_file() else ():
            body = json.loads(line)
            assert body["status"] != "ok" or not lacking(body["metrics"], config.metrics), (config.name, body["id"])
            seen += 1
    assert seen > 10_000
