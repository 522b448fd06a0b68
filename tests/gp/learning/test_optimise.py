"""The one optimiser call: climbs, keeps its budget and the best point, survives points that cannot be evaluated."""

import numpy as np
import pytest

from gpbench.errors import NotPositiveDefinite
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning.optimise import best_of, maximise
from gpbench.gp.learning.parameters import Layout, input_units

CENTRE = np.array([1.0, -2.0, 0.5])


def bowl(x):
    return -0.5 * ((x - CENTRE) ** 2).sum(), CENTRE - x


@pytest.mark.parametrize("optimiser", ["lbfgs", "cg"])
def test_finds_the_maximum(optimiser):
    found = maximise(bowl, np.zeros(3), optimiser=optimiser)
    np.testing.assert_allclose(found.x, CENTRE, atol=1e-4)
    assert found.converged


@pytest.mark.parametrize("optimiser", ["lbfgs", "cg"])
def test_the_budget_is_hard_and_the_best_point_is_kept(optimiser):
    seen = []

    def watched(x):
        F, dF = bowl(x * np.array([1.0, 5.0, 25.0]))
        seen.append(F)
        return F, dF * np.array([1.0, 5.0, 25.0])

    found = maximise(watched, np.zeros(3), evaluations=4, optimiser=optimiser)
    assert len(seen) == found.evaluations == 4 and found.value == max(seen)
    assert [t["objective"] for t in found.trace] == list(np.maximum.accumulate(seen))


def test_points_that_cannot_be_evaluated_are_backed_away_from():
    def fragile(x):
        if x[0] > 0.9:
            raise NotPositiveDefinite("too far")
        return bowl(x)

    found = maximise(fragile, np.zeros(3))
    assert found.value > bowl(np.zeros(3))[0] and found.x[0] <= 0.9


def test_an_objective_that_never_works_is_an_error():
    def broken(x):
        return np.nan, x

    with pytest.raises(NotPositiveDefinite, match="any point"):
        maximise(broken, np.zeros(2))

    def refused(x):
        raise NotPositiveDefinite("the kernel is odd")

    with pytest.raises(NotPositiveDefinite, match="any point the optimiser tried: the kernel is odd"):
        maximise(refused, np.zeros(2))


@pytest.mark.parametrize("optimiser", ["lbfgs", "cg"])
def test_bounds_hold(optimiser):
    found = maximise(bowl, np.zeros(3), optimiser=optimiser, bounds=[(0, 0.5), (-1, None), (None, None)])
    np.testing.assert_allclose(found.x, [0.5, -1.0, 0.5], atol=1e-4)


def test_best_of_passes_over_starts_that_fail():
    def climb(start):
        if start < 0:
            raise NotPositiveDefinite("bad start")
        return maximise(bowl, np.full(3, start), evaluations=1)

    assert best_of([-1, 3.0, 0.0], climb).value == bowl(np.zeros(3))[0]
    with pytest.raises(NotPositiveDefinite, match="bad start"):
        best_of([-1, -2], climb)


@pytest.mark.parametrize("free_gp, free_inputs", [(True, False), (False, True), (True, True), (False, False)])
def test_layout_round_trips(rng, free_gp, free_inputs):
    gp, Z = GP(ArdSE(rng.normal(size=3), 2), 0.3), rng.normal(size=(4, 2))
    layout = Layout(gp, Z, free_gp, free_inputs)
    x = layout.pack()
    assert len(x) == 4 * free_gp + 8 * free_inputs == len(layout.bounds())
    gp2, Z2 = layout.unpack(x)
    np.testing.assert_allclose(gp2.kernel.theta, gp.kernel.theta)
    np.testing.assert_allclose(Z2, Z)
    assert gp2.noise == pytest.approx(0.3)
    assert len(layout.gradient(np.zeros(3), 0.0, Z)) == len(x)


def test_inputs_in_units_round_trip_and_their_gradient_is_the_chain_rule(rng):
    gp, Z, units = GP(ArdSE(rng.normal(size=3), 2), 0.3), rng.normal(size=(4, 2)), np.array([0.5, 20.0])
    layout = Layout(gp, Z, True, True, units=units)
    np.testing.assert_allclose(layout.unpack(layout.pack())[1], Z, rtol=1e-14)

    def F(x):  # of the inputs alone
        return float(np.sin(layout.unpack(x)[1]).sum())

    x, step = layout.pack(), 1e-6
    slopes = [(F(x + step * e) - F(x - step * e)) / (2 * step) for e in np.eye(len(x))]
    np.testing.assert_allclose(layout.gradient(np.zeros(3), 0.0, np.cos(Z)), slopes, atol=1e-6)


def test_units_of_inputs_are_length_scales_between_the_spread_and_a_neutral_one(rng):
    Z = rng.normal(size=(200, 4)) * [1.0, 10.0, 1.0, 0.0]
    spread = Z.std(0)
    units = input_units(GP(ArdSE(np.log([1.0, 1.5, 0.1, 1e4, 3.0]), 4), 0.1), Z)
    np.testing.assert_allclose(units, [1.5, spread[1], 2 * spread[2], 1.0])
