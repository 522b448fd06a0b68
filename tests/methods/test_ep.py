"""ep, ep-fic and ep-sparse as methods: prior, mode, labels, records, notes."""

import dataclasses
import re

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student_t

from gpbench.errors import DataError, InvalidPrediction, NotApplicable
from gpbench.experiment.config.config import load_config
from gpbench.experiment.evaluation import evaluate, probes
from gpbench.gp.inference import ep
from gpbench.gp.inference.likelihoods import Probit
from gpbench.gp.inference.sites_dense import Panels
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.learning import priors
from gpbench.gp.learning.ep_mode import Rules, find_mode
from gpbench.gp.learning.learner import OptimiserOptions
from gpbench.gp.learning.parameters import Layout
from gpbench.methods.base import GP, Prediction, Problem, Schedule
from gpbench.methods.ep import EP
from gpbench.methods.ep_fic import EPFic
from gpbench.methods.ep_sparse import EPSparse
from tests.oracles.exact import finite_difference

SE = {"name": "ard-se", "form": "plain", "ard": False}
PP3 = {"name": "pp3", "ard": False}


def problem(rng, spec, n=60, kind="joint", evaluations=30, restarts=1):
    X = rng.uniform(-2, 2, size=(n, 2))
    y = np.where(X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=n) > 1, 1.0, -1.0)
    schedule = Schedule(kind, evaluations, restarts=restarts, prior="half-t")
    return Problem(X, y, GP(build_kernel(spec, X), 1.0), schedule, rng.permutation(n), "classification")


METHODS = [
    (EP(), SE),
    (EP(solver="rank-one"), PP3),
    (EPFic(d_max=8), SE),
    (EPSparse(), PP3),
    (EPSparse(solver="rows"), PP3),
    (EPSparse(solver="parallel"), PP3),
]


@pytest.mark.parametrize(
    ("method", "spec"), METHODS, ids=lambda v: getattr(v, "name", "") + str(getattr(v, "solver", ""))
)
def test_methods_learn_and_classify(method, spec, rng):
    p = problem(rng, spec)
    fitted = method.fit(p, rng)
    Xs = rng.uniform(-2, 2, size=(200, 2))
    truth = np.where(Xs[:, 0] ** 2 + Xs[:, 1] > 1, 1.0, -1.0)
    prediction = fitted.predict(Xs)
    assert ((prediction.prob > 0.5) == (truth > 0)).mean() > 0.85
    assert ((prediction.prob >= 0) & (prediction.prob <= 1)).all() and (prediction.var >= 1 - 1e-9).all()
    at_start = method.fit(dataclasses.replace(p, schedule=Schedule("fixed")), rng)
    assert fitted.log_evidence > at_start.log_evidence
    last = fitted.trace[-1]
    assert last["converged"] == 1.0 and last["ep_seconds"] > 0 and 1 < last["optimisation_steps"] <= 30
    assert all(isinstance(v, (int, float)) for row in fitted.trace for v in row.values())


def test_a_first_sweep_from_given_sites_is_timed_beside_the_model_not_in_it(rng):
    """[vanhatalo] section 5.4, claim V22: measured by a probe, which the clock of the fit does not see."""
    p, method = problem(rng, PP3, kind="fixed"), EPSparse(solver="rows")
    fitted, Xs = method.fit(p, rng), rng.uniform(-2, 2, size=(20, 2))
    before = fitted.predict(Xs).prob
    found = probes.after(probes.FinishedFit(method, p, fitted, rng))
    assert {k.removeprefix("first_sweep_seconds_") for k in found} == {"zero", "nonzero", "given"}
    assert min(found.values()) > 0
    np.testing.assert_array_equal(fitted.predict(Xs).prob, before)
    assert probes.after(probes.FinishedFit(EPSparse(), p, fitted, rng)) == {}


@pytest.mark.parametrize("solver", ["fronts", "rows"])
def test_sparse_and_dense_find_the_same_mode(solver, rng):
    p = problem(rng, PP3, evaluations=60)
    dense, sparse = EP().fit(p, rng), EPSparse(solver=solver).fit(p, rng)
    np.testing.assert_allclose(sparse.log_evidence, dense.log_evidence, rtol=1e-5)
    Xs = rng.uniform(-2, 2, size=(50, 2))
    np.testing.assert_allclose(sparse.predict(Xs).prob, dense.predict(Xs).prob, atol=2e-3)
    assert {"fill_K", "fill_L", "sweeps", "ep_seconds", "factor_mb"} <= sparse.trace[-1].keys()


@pytest.mark.parametrize("quantities", priors.ON)
def test_half_t_prior_is_the_student_density_of_the_named_quantities(quantities, rng):
    X = rng.normal(size=(5, 2))
    kernel = build_kernel({"sum": [{"name": "pp3"}, {"name": "ard-se", "ard": False}]}, X)
    kernel = kernel.with_theta(rng.normal(size=len(kernel.theta)) + 1)
    prior = priors.HalfStudentT(quantities)
    values = kernel.values()
    covered = [*values["lengthscale"], values["lengthscale.1"]] if "lengthscale" in quantities else []
    variances = np.array([values["variance"], values["variance.1"]])
    covered += list(np.sqrt(variances)) if "sd" in quantities else list(variances) if "variance" in quantities else []
    np.testing.assert_allclose(prior(kernel)[0], (np.log(2) + student_t.logpdf(covered, 4, scale=6)).sum(), rtol=1e-12)
    fd = finite_difference(lambda theta: prior(kernel.with_theta(theta))[0], kernel.theta)
    np.testing.assert_allclose(prior(kernel)[1], fd, rtol=1e-6, atol=1e-9)


def test_the_mode_is_stationary_and_the_prior_pulls_it(rng):
    p = problem(rng, SE)

    def run(kernel):
        return ep.run(Panels(kernel, p.X), p.y, Probit(), tolerance=1e-9)

    found = {}
    for name in ("none", "half-t"):
        prior = priors.find(name)
        starts = [Layout(p.gp, free_noise=False)]
        at, _ = find_mode(
            lambda at: Panels(at.kernel, p.X), p.y, Probit(), prior, starts, Rules(OptimiserOptions(100), 1e-6)
        )
        slope = run(at.kernel).posterior.gradient()[0] + prior(at.kernel)[1]
        assert np.abs(slope).max() < 0.05
        found[name] = at.kernel
    assert found["half-t"].values()["variance"] < found["none"].values()["variance"]


def test_several_starts_are_never_worse_than_the_first(rng):
    p = problem(rng, PP3)
    one = EP().fit(p, np.random.default_rng(1)).trace
    three = (
        EP()
        .fit(dataclasses.replace(p, schedule=dataclasses.replace(p.schedule, restarts=3)), np.random.default_rng(1))
        .trace
    )
    assert three[-2]["objective"] >= one[-2]["objective"]


def test_inducing_inputs_move_only_when_asked(rng):
    p = problem(rng, SE)
    kept, moved = (EPFic(d_max=5, optimise_inputs=wish).fit(p, np.random.default_rng(0)) for wish in (False, True))
    np.testing.assert_array_equal(kept.inducing, p.X[p.order[:5]])
    assert np.abs(moved.inducing - kept.inducing).max() > 0.01
    assert kept.n_basis == moved.n_basis == 5


@pytest.mark.parametrize("q", range(4))
def test_recorded_profiles_fall_faster_with_the_dimension(q, rng):
    falls = []
    for D in (1, 5, 10):
        p = problem(rng, {"name": f"pp{q}", "ard": False, "dimension": D}, n=10, kind="fixed")
        method = EPSparse(profile=9)
        rows = probes.before(probes.FinishedFit(method, p, method.fit(p, rng), rng))
        falls.append([row[f"k_pp{q}_D{D}"] for row in rows])
        assert [row["step"] for row in rows] == pytest.approx(np.linspace(0.1, 0.9, 9))
    assert (np.diff(falls, axis=0) < 0).all() and (np.diff(falls, axis=1) < 0).all()


def test_the_example_of_the_documentation_is_a_valid_config(repo, tmp_path):
    text = (repo / "docs/explanations/classification.md").read_text(encoding="utf-8")
    example = next(block for block in re.findall(r"```yaml\n(.*?)```", text, re.S) if "ep-sparse" in block)
    (tmp_path / "example.yaml").write_text(example)
    config = load_config(tmp_path / "example.yaml")
    assert [m.method for m in config.methods] == ["ep-sparse", "ep", "ep-fic"]


def test_labels_other_than_two_classes_are_refused(rng):
    p = problem(rng, SE)
    with pytest.raises(DataError, match="two classes"):
        EP().fit(dataclasses.replace(p, y=np.arange(60.0)), rng)


def test_a_global_kernel_is_refused_by_the_sparse_method(rng):
    with pytest.raises(NotApplicable, match="compact support"):
        EPSparse().fit(problem(rng, SE), rng)


def test_a_run_that_does_not_converge_says_so(rng):
    p = problem(rng, PP3, kind="fixed")
    assert any("not converged" in note for note in EPSparse(max_sweeps=2).fit(p, rng).notes)
    undamped = problem(rng, {"name": "pp3", "ard": False}, kind="fixed")
    undamped = dataclasses.replace(undamped, gp=GP(undamped.gp.kernel.with_values({"variance": 1e4}), 1.0))
    assert any("not converged" in n for n in EPSparse(solver="parallel", damping=1.0).fit(undamped, rng).notes)


@pytest.mark.parametrize("cls, spec", [(EP, SE), (EPFic, SE), (EPSparse, PP3)])
def test_predictions_carry_log_p_of_both_classes_to_full_precision(rng, cls, spec):
    p = problem(rng, spec, kind="fixed")
    found = cls().fit(p, rng).predict(p.X)
    np.testing.assert_allclose(np.exp(found.log_prob[:, 1]), found.prob, rtol=1e-12)
    np.testing.assert_allclose(found.log_prob[:, 0], norm.logsf(found.mean / np.sqrt(found.var)), rtol=1e-10)


def test_a_log_probability_that_is_not_of_the_probability_is_invalid():
    prob = np.array([0.2, 0.9])
    good = Prediction(prob, np.ones(2), None, prob, np.log(np.column_stack([1 - prob, prob])))
    evaluate.check(good, 2, "classification")
    for wrong in (good.log_prob[:, ::-1], good.log_prob[:, 0]):
        with pytest.raises(InvalidPrediction, match="log_prob"):
            evaluate.check(dataclasses.replace(good, log_prob=wrong), 2, "classification")
