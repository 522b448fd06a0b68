"""The mode of kernel and likelihood parameters together; parameters that are learned last, within the same budget."""

import numpy as np
import pytest

from gpbench.gp.inference.model import GP
from gpbench.gp.inference.sites_signed import SignedDense
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning import priors
from gpbench.gp.learning.ep_likelihood import Point, find_mode
from gpbench.gp.learning.ep_mode import Rules
from gpbench.gp.learning.learner import OptimiserOptions
from gpbench.gp.learning.parameters import Layout
from gpbench.gp.likelihoods.base import Fixed
from gpbench.gp.likelihoods.student_t import StudentT

rng = np.random.default_rng(1)
X = np.sort(rng.uniform(0, 10, 60))[:, None]
Y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
Y[[5, 20, 44]] += 6.0


class AtOnce(StudentT):
    held = ()


def learned(likelihood, evaluations):
    start = Point(Layout(GP(ArdSE.create(X), 1.0), free_noise=False), Fixed(likelihood, likelihood.start(Y)))
    rules = Rules(OptimiserOptions(evaluations), max_sweeps=500)
    return find_mode(lambda layout: SignedDense(layout.kernel, X), Y, priors.flat, [start], rules)


def test_degrees_of_freedom_do_not_move_before_the_others_are_learned():
    at, first = learned(StudentT(), 20)
    assert first.evaluations <= 20 and len(first.trace) == first.evaluations
    assert at.likelihood.values["dof"] != pytest.approx(4.0, abs=1e-3)
    bounds = at.likelihood.bounds(hold=True)
    assert bounds[1][0] == bounds[1][1] == at.likelihood.pack()[1] and bounds[0][0] < bounds[0][1]


def test_the_mode_is_no_lower_than_that_of_all_at_once():
    (_, later), (_, at_once) = learned(StudentT(), 60), learned(AtOnce(), 60)
    assert later.value > at_once.value - 0.1
