"""cholqr, hybrid and the one-dimensional starts as methods: what a fit promises."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from pydantic import ValidationError

from gpbench.experiment.evaluation import probes
from gpbench.experiment.evaluation.probes import pivot_rule
from gpbench.gp.inference import sparse
from gpbench.gp.inference.exact import ExactPosterior
from gpbench.gp.kernels.base import Kernel
from gpbench.gp.selection.swap import Swap
from gpbench.methods import cholqr as method_module
from gpbench.methods.base import GP, Schedule
from gpbench.methods.cholqr import CholQR
from gpbench.methods.fitc import Fitc
from gpbench.methods.hybrid import Hybrid
from gpbench.methods.plv import Plv
from gpbench.methods.sod import SubsetOfData
from tests.helpers import driver
from tests.helpers.problems import curved
from tests.oracles import cholqr as oracle


def probed(method, p):
    """The fit, and what probes see of it when it is done."""
    rng = np.random.default_rng(0)
    fitted = method.fit(p, rng)
    return fitted, probes.after(probes.FinishedFit(method, p, fitted, rng))


@pytest.mark.parametrize("objective", ["var", "mle"])
@pytest.mark.parametrize("variant", ["random", "oi", "aa"])
def test_the_objective_never_rises_and_is_that_of_the_model_returned(variant, objective):
    p = curved()
    method = CholQR(d_max=15, objective=objective, variant=variant, epochs=5, tolerance=0)
    fitted = method.fit(replace(p, recorder=probes.recorder_for(method)), np.random.default_rng(1))
    path = [row["objective"] for row in fitted.trace]
    assert len(path) == 5 and np.all(np.diff(path) <= 0) and path[-1] < path[0]
    K = fitted.gp.kernel(p.X)
    jitter = 1e-8 * fitted.gp.kernel.diag(p.X).mean()
    terms = oracle.terms(K, fitted.pivots, p.y, fitted.gp.noise, jitter)
    value = 0.5 * (sum(terms if objective == "var" else terms[:2]) + p.n * np.log(2 * np.pi))
    assert fitted.log_evidence == pytest.approx(-value, rel=1e-6)
    assert path[-1] == -fitted.log_evidence
    assert all(row["worst_accepted"] <= 0 and row["worst_rejected"] < 1e-8 for row in fitted.trace)
    assert all(row["proposed"] == 15 and 15 <= row["evaluations"] <= 20 for row in fitted.trace)


def test_with_fixed_hyperparameters_only_inducing_points_change():
    p = curved(schedule="fixed")
    fitted = CholQR(d_max=10, epochs=4).fit(p, np.random.default_rng(1))
    assert fitted.gp is p.gp
    assert {row["evaluations"] for row in fitted.trace} == {0}
    start = sparse.evaluate(sparse.build(sparse.VFE, p.gp, p.X[p.order[:10]], p.X, p.y), gradient=False).F
    assert fitted.log_evidence > start


def test_an_epoch_tries_sixty_points_at_most_and_stops_when_nothing_is_gained():
    p = curved(schedule="fixed")
    fitted = CholQR(d_max=70, epochs=30).fit(p, np.random.default_rng(1))
    assert fitted.trace[0]["proposed"] == 60
    assert fitted.trace[-1]["epochs"] == len(fitted.trace) < 30


@pytest.mark.parametrize("variant", ["random", "oi", "aa"])
def test_with_every_row_an_inducing_point_there_is_nothing_to_exchange(variant):
    p = curved(n=30, schedule="fixed")
    fitted = CholQR(d_max=50, variant=variant, epochs=2).fit(p, np.random.default_rng(1))
    assert fitted.trace[0]["rejected"] == fitted.trace[0]["proposed"] == 30
    assert fitted.log_evidence == pytest.approx(ExactPosterior.fit(p.gp, p.X, p.y).log_evidence, abs=1e-4)


def test_snapshots_give_one_model_per_epoch_and_the_last_is_the_one_returned():
    p = curved()
    fitted = CholQR(d_max=8, epochs=3, tolerance=0, snapshots=True).fit(p, np.random.default_rng(1))
    along = [(at, predict(p.X[:20])) for at, predict in fitted.models]
    assert [at["epoch"] for at, _ in along] == [1, 2, 3]
    assert np.all(np.diff([at["seconds"] for at, _ in along]) > 0)
    np.testing.assert_array_equal(along[-1][1].mean, fitted.predict(p.X[:20]).mean)


def test_the_runner_scores_snapshots_on_the_test_part(tmp_path):
    joint = {"schedule": "joint", "values": {"variance": 1.0, "lengthscale": 1.0, "noise": 0.1}}
    options = {"d_max": 5, "epochs": 3, "tolerance": 0, "snapshots": True}
    done = driver.trial("cholqr", hyperparameters=joint, **options)
    driver.run_here(tmp_path, [done])
    result = json.loads(next((tmp_path / "trials").glob("*.json")).read_text())["result"]
    assert [row["epoch"] for row in result["trace"]] == [1, 2, 3]
    assert all(row["test_smse"] > 0 and np.isfinite(row["test_snlp"]) for row in result["trace"])
    assert result["trace"][-1]["test_smse"] == result["metrics"]["smse"]


class GramOnly(Kernel):
    """A kernel that knows its inputs by number only, as graph kernels do."""

    name, smooth = "gram-only", False

    def __init__(self, gram, theta=(0.0,)):
        self.gram, self.theta, self.names = gram, np.asarray(theta, dtype=float), ("variance",)

    @classmethod
    def create(cls, X, **options):
        return cls(**options)

    def with_theta(self, theta):
        return GramOnly(self.gram, theta)

    def __call__(self, X, X2=None):
        i, j = X[:, 0].astype(int), (X if X2 is None else X2)[:, 0].astype(int)
        return np.exp(self.theta[0]) * self.gram[np.ix_(i, j)]

    def diag(self, X):
        i = X[:, 0].astype(int)
        return np.exp(self.theta[0]) * self.gram[i, i]

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        return np.array([np.sum(dK * (self(X, X2) if K is None else K))]), None

    def vjp_diag(self, dk, X):
        return np.array([np.sum(dk * self.diag(X))])


def test_a_kernel_that_only_has_a_gram_matrix_gives_the_same_as_the_formula():
    p = curved(n=120)
    gram = GramOnly(p.gp.kernel(p.X))
    numbered = replace(p, X=np.arange(120.0)[:, None], gp=GP(gram, p.gp.noise))
    method = CholQR(d_max=9, epochs=2, tolerance=0)
    fixed = {q: replace(q_, schedule=Schedule("fixed")) for q, q_ in (("formula", p), ("gram", numbered))}
    one, two = (method.fit(fixed[q], np.random.default_rng(3)) for q in ("formula", "gram"))
    np.testing.assert_array_equal(one.pivots, two.pivots)
    learned = method.fit(numbered, np.random.default_rng(3))  # needs no gradient in the inputs
    assert learned.trace[-1]["objective"] < two.trace[-1]["objective"]


def test_the_start_may_be_chosen_by_another_method_or_lie_at_the_left():
    p = curved(schedule="fixed", d=1)
    left = CholQR(d_max=6, inducing="left", epochs=1, swaps=0).fit(p, np.random.default_rng(0))
    assert set(left.pivots) == set(np.argsort(p.X[:, 0])[:6])
    for name in ("csi", "ivm", "titsias"):
        assert CholQR(d_max=6, inducing=name, epochs=1).fit(p, np.random.default_rng(0)).n_basis == 6
    with pytest.raises(ValidationError, match="training rows"):
        CholQR(inducing="kmeans")


def test_from_a_poor_start_on_a_line_cholqr_covers_the_data_and_its_facts_say_so():
    p = curved(n=120, schedule="fixed", d=1)
    fitted, facts = probed(CholQR(d_max=9, inducing="left", epochs=10), p)
    Z = p.X[fitted.pivots, 0]
    assert facts["inducing_span"] == pytest.approx(np.ptp(Z) / np.ptp(p.X)) and facts["inducing_span"] > 0.8
    assert facts["inducing_outside"] == 0
    grid = np.linspace(p.X.min(), p.X.max(), 200)[:, None]
    gap = np.abs(fitted.predict(grid).mean - ExactPosterior.fit(p.gp, p.X, p.y).predict(grid).mean)
    assert facts["full_gp_gap_max"] == pytest.approx(gap.max()) and gap.max() < np.sqrt(p.gp.noise)
    full = ExactPosterior.fit(p.gp, p.X, p.y).predict(grid).var
    assert facts["full_gp_gap_variance"] == pytest.approx(np.abs(fitted.predict(grid).var - full).max())
    length = float(np.atleast_1d(p.gp.kernel.values()["lengthscale"])[0])
    assert facts["inducing_cover"] == np.mean([min(abs(x - z) for z in Z) <= length for x in grid[:, 0]]) > 0.8
    assert facts["inducing_farthest"] == 0  # its inducing inputs are rows of the data


@pytest.mark.parametrize("method", [CholQR(d_max=3, epochs=1), Fitc(d_max=3)])
def test_one_input_that_never_changes_has_no_line_to_speak_of(method):
    p = curved(n=20, schedule="fixed", d=1)
    assert probed(method, replace(p, X=np.ones((20, 1))))[1] == {}


@pytest.mark.parametrize("optimiser", ["cg", "lbfgs"])
def test_adversarial_pseudo_inputs_spread_under_fitc_with_either_optimiser(optimiser):
    p = curved(n=100, schedule="fixed", d=1, evaluations=300, optimiser=optimiser)
    fitted, facts = probed(Fitc(d_max=10, inducing="left", optimise_inputs=True), p)
    start, before = probed(Fitc(d_max=10, inducing="left"), p)
    assert fitted.log_evidence > start.log_evidence
    assert facts["inducing_span"] > before["inducing_span"]
    assert [row["evaluation"] for row in fitted.trace] == sorted(row["evaluation"] for row in fitted.trace)


def test_pseudo_inputs_at_all_training_inputs_make_spgp_and_plv_the_full_gp():
    p = curved(n=60, schedule="fixed")
    full, Xs = ExactPosterior.fit(p.gp, p.X, p.y), np.random.default_rng(9).uniform(-2, 2, size=(25, 2))
    for method in (Fitc, Plv):
        fitted = method(d_max=60).fit(p, np.random.default_rng(0))
        assert fitted.log_evidence == pytest.approx(full.log_evidence, abs=1e-6 * 60)
        ours, theirs = fitted.predict(Xs), full.predict(Xs)
        np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-5)
        np.testing.assert_allclose(ours.var, theirs.var, atol=1e-5)


def test_hybrid_predicts_by_fitc_at_the_hyperparameters_of_the_subset():
    p = curved()
    hybrid, sod = (m(d_max=40).fit(p, np.random.default_rng(0)) for m in (Hybrid, SubsetOfData))
    assert hybrid.gp.values() == sod.gp.values()
    same = replace(p, gp=sod.gp, schedule=Schedule("fixed"))
    fitc = Fitc(d_max=40, inducing="random").fit(same, np.random.default_rng(0))
    np.testing.assert_allclose(hybrid.predict(p.X).mean, fitc.predict(p.X).mean)
    np.testing.assert_allclose(hybrid.predict(p.X).var, fitc.predict(p.X).var)


def test_aa_begins_an_epoch_with_the_information_pivots_that_the_last_one_ended_with(monkeypatch):
    seen = []
    real = method_module.swaps

    def watched(*args, **options):
        for swap in real(*args, **options):
            seen[-1].append(swap)
            yield swap

    def one_epoch(*args, **options):
        seen.append([])
        return watched(*args, **options)

    monkeypatch.setattr(method_module, "swaps", one_epoch)
    CholQR(d_max=15, variant="aa", z=40, epochs=3, tolerance=0).fit(curved(), np.random.default_rng(1))
    for before, after in pairwise(seen):
        assert after[0].pivots == before[-1].next_pivots
    assert any(epoch[0].pivots != 4 for epoch in seen[1:])  # four is where it starts


def test_aa_is_seen_to_keep_its_rule_for_information_pivots_and_to_break_it():
    method, p = CholQR(d_max=8, epochs=2, variant="aa", tolerance=0), curved(n=60, schedule="fixed")
    watched = replace(p, recorder=probes.recorder_for(method))
    assert [row["pivot_rule_violations"] for row in method.fit(watched, np.random.default_rng(1)).trace] == [0, 0]
    kept, broken = (Swap(1.0, 0.5, True, pivots=4, next_pivots=k) for k in (3, 4))
    assert pivot_rule.grows_and_shrinks(kept, 16) and not pivot_rule.grows_and_shrinks(broken, 16)
    assert "pivot_rule_violations" not in method.fit(p, np.random.default_rng(1)).trace[0]
