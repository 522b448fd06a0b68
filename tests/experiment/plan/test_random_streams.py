"""Numbers depend on what they should depend on, and on nothing else."""

import numpy as np
import pytest

from gpbench.experiment.evaluation import evaluate
from gpbench.experiment.evaluation.problem import problem_of, shared_fit
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.plan import random_streams
from gpbench.experiment.plan.full_gp_key import full_gp_key
from tests.helpers.driver import trial

FOLDS = {"kind": "folds", "k": 5}


def test_folds_of_one_cross_validation_are_a_partition():
    tests = [trial_data(trial(index=i, split=FOLDS)).split.test for i in range(5)]
    assert sorted(np.concatenate(tests)) == list(range(60))


def test_one_data_set_is_the_same_for_every_trial_and_split():
    one = trial_data(trial(index=0)).dataset
    other = trial_data(trial(index=3, split=FOLDS)).dataset
    assert (one.X == other.X).all() and (one.y == other.y).all()


def test_data_drawn_per_trial_are_fresh_for_each_index_and_shared_by_methods():
    first, second = (trial_data(trial(index=i, dataset="fresh-toy")).dataset for i in (0, 1))
    paired = trial_data(trial("fake-path", index=0, dataset="fresh-toy")).dataset
    assert (first.X == paired.X).all() and (first.X != second.X).any()


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"index": 1}, {"split": {"kind": "random", "n_train": 40, "n_test": 19}}]
)
def test_split_and_order_follow_data_split_seed_and_index(change):
    one, other = trial_data(trial()), trial_data(trial(**change))
    assert (one.split.train != other.split.train).any()
    assert (one.order != other.order).any()


def test_methods_scaling_and_hyperparameters_leave_split_and_order_alone():
    hyper = {"schedule": "fixed", "values": {"noise": 0.5}}
    one = trial_data(trial())
    other = trial_data(trial("fake-path", scale={"inputs": "none", "target": "none"}, hyperparameters=hyper))
    assert (one.split.train == other.split.train).all() and (one.order == other.order).all()


def test_a_methods_own_stream_ignores_d_max_only():
    draw = lambda t: random_streams.method(t).normal()  # noqa: E731
    assert draw(trial(d_max=5)) == draw(trial(d_max=50))
    others = [trial(tag="x"), trial(index=1), trial("fake-path"), trial(seed=1)]
    assert len({draw(t) for t in [trial(), *others]}) == 5


def test_scaling_never_sees_test_rows():
    draw = trial_data(trial())
    X, y = draw.scaled(draw.split.train)
    assert np.allclose(X.mean(0), 0) and np.allclose(X.std(0), 1) and np.isclose(y.std(), 1)
    X, _ = draw.scaled(draw.split.test)
    assert not np.allclose(X.mean(0), 0)


# -- work that trials share ---------------------------------------------------------------------------------------

FULL_GP = {"schedule": "fixed", "from": "full-gp", "subset": 15, "evaluations": 5, "restarts": 2}


def test_the_full_gp_fit_is_shared_by_methods_and_not_by_trials():
    one, other = trial(hyperparameters=FULL_GP), trial("fake-path", hyperparameters=FULL_GP)
    assert full_gp_key(one) == full_gp_key(other) != full_gp_key(trial(index=1, hyperparameters=FULL_GP))
    assert full_gp_key(one) != full_gp_key(trial(hyperparameters={**FULL_GP, "subset": 16}))
    assert full_gp_key(trial()) is None
    assert shared_fit(one)["values"] == shared_fit(other)["values"]


def test_the_shared_fit_is_what_the_method_gets():
    t = trial(hyperparameters=FULL_GP)
    shared = shared_fit(t)
    assert shared["rows"] == 15
    gp = problem_of(t, trial_data(t), shared).gp
    assert gp.values() == shared["values"]
    assert gp.noise != 0.1  # it has learned


def test_a_subset_of_all_data_may_reach_beyond_the_training_part():
    whole = {**FULL_GP, "subset": 60, "subset_of": "data"}
    assert shared_fit(trial(hyperparameters=whole))["rows"] == 60
    assert shared_fit(trial(hyperparameters={**FULL_GP, "subset": 60}))["rows"] == 40


def test_fixed_values_reach_the_method_and_unknown_ones_are_refused():
    values = {"variance": 2.0, "lengthscale": [0.5, 3.0], "noise": 0.25}
    t = trial(hyperparameters={"schedule": "fixed", "values": values})
    gp = problem_of(t, trial_data(t), None).gp
    assert np.exp(gp.kernel.theta) == pytest.approx([2.0, 0.5, 3.0]) and gp.noise == 0.25
    t = trial(hyperparameters={"schedule": "fixed", "values": {"lenght": 1.0}})
    with pytest.raises(ValueError, match="lenght"):
        problem_of(t, trial_data(t), None)


def test_scores_in_raw_and_scaled_units_differ_as_theory_says():
    """nlpd shifts by the log of the target's scale; nmse and snlp do not care."""
    scores = {}
    for u in ("raw", "standardised"):
        t = trial("full-gp", scoring={"nmse_variance": "test", "target_units": u})
        ((result, _),) = evaluate.results([t], None, lambda t: None)
        scores[u] = result.metrics
    factor = trial_data(trial()).scaler.factor
    assert scores["raw"]["nlpd"] - scores["standardised"]["nlpd"] == pytest.approx(np.log(factor))
    for name in ("nmse", "smse", "snlp"):
        assert scores["raw"][name] == pytest.approx(scores["standardised"][name])
    assert scores["raw"]["nmse"] == pytest.approx(scores["raw"]["smse"])


def test_prediction_in_blocks_equals_prediction_at_once():
    t = trial("full-gp")
    draw = trial_data(t)
    fitted = evaluate.method_of(t).fit(problem_of(t, draw, None), np.random.default_rng(0))
    X = np.random.default_rng(1).normal(size=(1000, 2))
    whole, parts = fitted.predict(X), evaluate.predict(fitted, X, n_train=10**6)
    assert np.allclose(whole.mean, parts.mean, rtol=1e-12) and np.allclose(whole.var, parts.var, rtol=1e-12)
