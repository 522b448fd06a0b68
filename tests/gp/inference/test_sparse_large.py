"""Row-blocked evaluation at sizes where Kuf would not be kept."""

import resource
import time

import numpy as np
import pytest

from gpbench.data.sources.kin40k_sim import Kin40kSim
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.sparse import APPROXIMATIONS, FITC, build, evaluate
from gpbench.gp.kernels.ard_se import ArdSE


def arm(n, m, memory, approximation=FITC):
    X, y = Kin40kSim(n_train=n, n_test=1).sample(np.random.default_rng(0))
    gp = GP(ArdSE(np.log(np.r_[1.5, np.full(8, 2.0)]), 8), 0.01)
    begin = time.process_time()
    found = evaluate(build(approximation, gp, X[:m] + 0.01, X, y, jitter=1e-8, memory=memory))
    return found, time.process_time() - begin


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_default_memory_limit_keeps_small_problems_and_blocks_give_the_same_numbers(name):
    kept, _ = arm(20_000, 50, 1 << 30, APPROXIMATIONS[name])
    blocked, _ = arm(20_000, 50, 1 << 20, APPROXIMATIONS[name])
    for a, b in zip(vars(kept).values(), vars(blocked).values()):
        np.testing.assert_allclose(b, a, rtol=1e-10, atol=1e-10 * np.abs(a).max())


@pytest.mark.real  # no data needed, but a minute of work
def test_two_hundred_thousand_rows_take_little_memory_and_time_linear_in_n():
    _, half = arm(100_000, 200, 1 << 26)
    found, whole = arm(200_000, 200, 1 << 26)
    assert np.isfinite(found.F) and np.isfinite(found.dtheta).all() and np.isfinite(found.dZ).all()
    assert whole < 3 * half
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20 < 2  # GiB
