"""Whole paths: stop rules read off a path's measures, and paths that go on past their stop."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpbench import catalog
from gpbench.methods.families.stopping import READINGS, Patience, size_of
from tests.helpers.problems import curved

_CURVED = curved(150, "fixed", d=2)
PROBLEM = replace(_CURVED, y=_CURVED.y + np.random.default_rng(1).normal(size=150))  # so noisy that paths stop early


def by_definition(rule, measures):
    """The size that a loop over the inclusions, as the rule words it, keeps."""
    for size in range(1, len(measures) + 1):
        so_far = measures[:size]
        if isinstance(rule, Patience):
            ended = size - (so_far.index(min(so_far)) + 1) >= rule.patience
        else:
            ended = size > rule.inclusions and (
                so_far[-1 - rule.inclusions] - so_far[-1] < rule.share * abs(so_far[-1])
            )
        if ended:
            break
    return so_far.index(min(so_far)) + 1 if rule.evaluate == "minimum" else size


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=60), st.sampled_from(READINGS))
def test_a_rule_read_off_a_path_equals_the_loop_of_its_definition(measures, rule):
    assert size_of(rule, measures) == by_definition(rule, [float(m) for m in measures])


def fitted(name, whole_path, stop):
    method = catalog.find("method", name)(d_max=45, stop=stop, working_set=30)
    return method.fit(replace(PROBLEM, whole_path=whole_path), np.random.default_rng(3))


@pytest.mark.parametrize("name", ["nlml", "loo-cve", "nlgpp", "gpe"])
@pytest.mark.parametrize("evaluate", ["termination", "minimum"])
def test_a_whole_path_leaves_the_result_as_it_is_and_holds_the_model_of_its_own_rule(name, evaluate):
    stop = Patience(patience=5, evaluate=evaluate)
    alone, whole = (fitted(name, w, stop) for w in (False, True))
    assert alone.n_basis == whole.n_basis < 45 and np.array_equal(alone.pivots, whole.pivots)
    assert alone.log_evidence == whole.log_evidence and alone.models == ()
    assert [r["size"] for r in whole.trace] == list(range(1, 46))
    measures = [r["measure"] for r in whole.trace]
    assert size_of(stop, measures) == alone.n_basis
    X = PROBLEM.X
    models = {at["size"]: model for at, model in whole.models}
    assert set(models) == {size_of(rule, measures) for rule in READINGS}
    got, expected = models[alone.n_basis](X), alone.predict(X)
    np.testing.assert_allclose(got.mean, expected.mean, rtol=1e-9)
    np.testing.assert_allclose(got.var, expected.var, rtol=1e-9)


def test_a_model_of_another_rule_equals_the_fit_with_that_rule():
    whole = fitted("nlml", True, Patience(patience=5))
    models = {at["size"]: model for at, model in whole.models}
    measures = [r["measure"] for r in whole.trace]
    for rule in (r for r in READINGS if isinstance(r, Patience)):
        other = fitted("nlml", False, rule)
        assert other.n_basis == size_of(rule, measures)
        np.testing.assert_allclose(models[other.n_basis](PROBLEM.X).mean, other.predict(PROBLEM.X).mean, rtol=1e-9)


def test_no_path_goes_on_where_there_is_no_stop_rule():
    assert fitted("nlml", True, "d_max").models == ()
