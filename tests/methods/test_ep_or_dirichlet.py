"""`auto` with two classes: EP or Dirichlet regression, by the log loss of rows left out."""

from dataclasses import replace

import numpy as np
import pytest

from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.matern import Matern32
from gpbench.methods.base import Problem, Schedule
from gpbench.methods.ep import EP
from gpbench.methods.families import ep_or_dirichlet
from gpbench.methods.families.ep_or_dirichlet import chosen, left_out_loss

rng = np.random.default_rng(3)
X = rng.normal(size=(40, 2))
Y = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, 1.0, -1.0)
KERNEL = ArdSE.create(X, ard=False).with_values({"lengthscale": 1.5, "variance": 4.0})
LEARNED = Schedule("joint", evaluations=20, prior="half-t")


def posed(rows, schedule=Schedule("fixed")):  # noqa: B008
    return Problem.of(X[rows], Y[rows], GP(KERNEL, 1.0), schedule, task="classification")


def test_the_loss_of_rows_left_out_is_that_of_fits_without_them():
    whole = EP().fit(posed(np.arange(40)), np.random.default_rng(0))
    losses = []
    for i in range(40):
        part = EP().fit(posed(np.delete(np.arange(40), i)), np.random.default_rng(0))
        losses.append(-part.predict(X[[i]]).log_prob[0, int(Y[i] > 0)])
    assert left_out_loss(whole, Y) == pytest.approx(np.mean(losses), abs=5e-3)


@pytest.mark.parametrize(("loss", "name"), [(0.0, "ep"), (9.0, "dirichlet")])
def test_the_lower_loss_decides_and_is_told(loss, name, monkeypatch):
    monkeypatch.setattr(ep_or_dirichlet, "left_out_loss", lambda fitted, y: loss)
    problem = replace(posed(np.arange(40), LEARNED), others=(GP(Matern32.create(X), 1.0),))
    found = chosen(problem, np.random.default_rng(0), "few rows")
    assert found.method == name and f"log loss of rows left out: ep {loss:.3f}, dirichlet 0." in found.notes[0]
    assert found.predict(X).prob.shape == (40,)
