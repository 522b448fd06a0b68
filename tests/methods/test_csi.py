"""Cholesky with side information: the look-ahead criterion and kernel regression on its pivots."""

from dataclasses import replace

import numpy as np
import pytest

from gpbench.gp.kernels.rows import KernelRows
from gpbench.gp.selection.candidates import Candidates
from gpbench.gp.selection.criteria import csi
from gpbench.methods.csi import Csi
from gpbench.recorder import Recorder
from tests.helpers.problems import curved, kernel_matrix
from tests.oracles import cholqr as oracle


def unexplained(K, y, pivots, trade_off):
    """The criterion from its definition."""
    pivots = list(pivots)
    fit = K[:, pivots] @ np.linalg.lstsq(K[:, pivots], y, rcond=None)[0] if pivots else 0.0
    return trade_off * np.sum((y - fit) ** 2) / (y @ y) + (1 - trade_off) * np.trace(
        K - oracle.nystrom(K, pivots)
    ) / np.trace(K)


class Columns(KernelRows):
    """Rows of a matrix that is there."""

    def __init__(self, K):
        super().__init__(None, K)

    def _evaluate(self, index):
        self.evaluated += len(index)
        return self.X[index].copy()


def select(K, y, size, z, trade_off=0.99):
    """Pivots in order of choice, and the trace."""
    recorder = Recorder()
    path = csi.begin(K.diagonal(), y, Columns(K), size, z, trade_off, recorder).grow(size)
    return path.state.factor.pivots, recorder.trace


@pytest.mark.parametrize("trade_off", [0.0, 0.5, 0.99])
def test_looking_ahead_over_all_points_estimates_the_exact_gain(trade_off):
    K, y, rng = kernel_matrix(0, n=50, length=0.25)
    state = csi.SidedState(K.diagonal(), y, 5, Columns(K), 46)
    for j in rng.permutation(50)[:4]:
        state.append(int(j), K[j])
    others, pivots = np.flatnonzero(state.eligible()), state.factor.pivots
    assert sorted(others) == sorted(set(range(50)) - set(pivots))
    state.lookahead.resample(others)
    before = unexplained(K, y, pivots, trade_off)
    assert csi.measure(state, trade_off) == pytest.approx(before, rel=1e-7)
    exact = [before - unexplained(K, y, [*pivots, j], trade_off) for j in others]
    found = csi.gains(state, Candidates(state, others, None, frozenset()), trade_off)
    np.testing.assert_allclose(found, exact, rtol=1e-7, atol=1e-10)


def test_the_trace_reports_what_the_pivots_leave_unexplained():
    K, y, _ = kernel_matrix(1)
    pivots, trace = select(K, y, 8, z=20)
    assert len(set(pivots)) == 8
    for size in (3, 8):
        assert trace[size - 1]["unexplained_target"] == pytest.approx(unexplained(K, y, pivots[:size], 1.0), rel=1e-7)
        assert trace[size - 1]["unexplained_kernel"] == pytest.approx(unexplained(K, y, pivots[:size], 0.0), rel=1e-7)


def test_side_information_explains_the_targets_better_than_the_kernel_alone():
    K, y, _ = kernel_matrix(2)
    with_y, without = (select(K, y, 12, 40, t)[1][-1] for t in (0.99, 0.0))
    assert with_y["unexplained_target"] < without["unexplained_target"]
    assert without["unexplained_kernel"] < with_y["unexplained_kernel"]


def test_selection_ends_when_the_pivots_determine_every_row():
    K, y, _ = kernel_matrix(3)
    K, y = np.kron(np.eye(3), np.ones((20, 20))), y[:60]
    pivots, _ = select(K, y, 10, z=5)
    assert sorted(pivots // 20) == [0, 1, 2]


def test_kernel_regression_is_ridge_regression_on_the_pivots():
    p = curved(schedule="fixed")
    fitted = Csi(d_max=12, z=20).fit(p, np.random.default_rng(0))
    Kuf, Kuu = p.gp.kernel(p.X[fitted.pivots], p.X), p.gp.kernel(p.X[fitted.pivots])
    weights = np.linalg.solve(p.gp.noise * Kuu + Kuf @ Kuf.T, Kuf @ p.y)
    prediction = fitted.predict(p.X)
    np.testing.assert_allclose(prediction.mean, Kuf.T @ weights, atol=1e-5)
    np.testing.assert_allclose(prediction.var, np.sum((p.y - Kuf.T @ weights) ** 2) / (p.n - 12), rtol=1e-4)


def test_the_grid_is_searched_on_held_out_rows_and_its_best_point_is_kept():
    p = curved(n=150)
    fitted = Csi(d_max=10, z=10, grid=3).fit(p, np.random.default_rng(0))
    assert len(fitted.trace) == 9
    best = int(np.argmin([row["held_out_error"] for row in fitted.trace]))
    scale, noise = (0.5, 1.0, 2.0)[best // 3], (0.25, 1.0, 4.0)[best % 3]
    assert fitted.gp.noise == pytest.approx(0.1 * noise)
    assert fitted.gp.values()["lengthscale"] == pytest.approx([scale, scale])


@pytest.mark.parametrize("n", [1, 2, 30])
@pytest.mark.parametrize("schedule", ["fixed", "joint"])
def test_targets_without_spread_and_single_rows_are_served(n, schedule):
    p = curved(n=n, schedule=schedule)
    fitted = Csi(d_max=5, grid=2).fit(replace(p, y=np.zeros(n)), np.random.default_rng(0))
    assert 1 <= fitted.n_basis <= min(n, 5)
    np.testing.assert_allclose(fitted.predict(p.X).mean, 0.0, atol=1e-12)
