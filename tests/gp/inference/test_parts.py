"""A model as sums over parts of its rows is the model of the rows, and the parts may be done by anybody."""

import numpy as np
import pytest

from gpbench.gp.inference import parts, sparse
from gpbench.gp.inference.model import GP
from gpbench.gp.inference.sparse_predict import SparsePosterior
from gpbench.gp.kernels.ard_se import ArdSE


class Arrays:
    """Rows that are at hand."""

    def __init__(self, X, y):
        self.X, self.y = X, y

    def __len__(self):
        return len(self.y)

    def block(self, start, stop):
        return self.X[start:stop], self.y[start:stop]

    def part(self, start, stop):
        return Arrays(self.X[start:stop], self.y[start:stop])


@pytest.fixture
def small(monkeypatch, rng):
    """Three parts of a few chunks each, the last ones short."""
    monkeypatch.setattr(parts, "CHUNK", 37)
    monkeypatch.setattr(parts, "PART", 3 * 37)
    X = rng.normal(size=(290, 3))
    y = np.sin(X.sum(1)) + 0.1 * rng.normal(size=290)
    return GP(ArdSE(np.log([1.3, 0.9, 1.1, 2.0]), 3), 0.05), X[:20] + 0.01, X, y


@pytest.mark.parametrize("approximation", sparse.APPROXIMATIONS.values(), ids=lambda a: a.name)
def test_value_gradient_and_prediction_are_those_of_one_walk(small, approximation):
    gp, Z, X, y = small
    whole = sparse.build(approximation, gp, Z, X, y, jitter=1e-6)
    expected = sparse.evaluate(whole)
    pieces = parts.split(Arrays(X, y))
    model = parts.build(approximation, gp, Z, pieces, jitter=1e-6)
    found = parts.evaluate(model, pieces)
    assert len(pieces) == 3
    assert found.F == pytest.approx(expected.F, rel=1e-11)
    assert found.dnoise == pytest.approx(expected.dnoise, rel=1e-9)
    np.testing.assert_allclose(found.dtheta, expected.dtheta, rtol=1e-8, atol=1e-8 * np.abs(expected.dtheta).max())
    np.testing.assert_allclose(found.dZ, expected.dZ, rtol=1e-7, atol=1e-8 * np.abs(expected.dZ).max())
    assert parts.evaluate(model, pieces, gradient=False).F == found.F
    assert model.jitters == whole.jitters
    ours, theirs = model.posterior().predict(X[:50] + 0.3), SparsePosterior.of(whole).predict(X[:50] + 0.3)
    np.testing.assert_allclose(ours.mean, theirs.mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(ours.var, theirs.var, rtol=1e-9)


def test_the_order_in_which_parts_are_done_changes_no_digit(small):
    gp, Z, X, y = small
    pieces = parts.split(Arrays(X, y))

    def backwards(function, given, shared):
        return [function(p, *shared) for p in reversed(given)][::-1]

    one = parts.evaluate(parts.build(sparse.VFE, gp, Z, pieces), pieces)
    other = parts.evaluate(parts.build(sparse.VFE, gp, Z, pieces, do=backwards), pieces, do=backwards)
    assert one.F == other.F and one.dnoise == other.dnoise
    assert (one.dtheta == other.dtheta).all() and (one.dZ == other.dZ).all()


def test_a_tree_sum_adds_neighbours(monkeypatch):
    order = []
    monkeypatch.setattr(parts, "_add", lambda a, b: order.append(a + b) or a + b)
    assert parts.tree_sum(["a", "b", "c", "d", "e"]) == "abcde"
    assert order == ["ab", "cd", "abcd", "abcde"]
