"""What every method records of its work means the same: jitter that was needed, kernel rows, evaluations, traces."""

import numpy as np
import pytest

from gpbench.gp.inference import ep, exact
from gpbench.gp.inference.likelihoods import Probit
from gpbench.gp.inference.sites_dense import Panels
from gpbench.gp.inference.sites_fic import Fic
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.learning import full_gp
from gpbench.gp.learning.full_gp import fit_hyperparameters
from gpbench.gp.learning.learner import OptimiserOptions
from gpbench.gp.linalg import cholesky
from gpbench.methods.base import GP, Problem, Schedule
from gpbench.methods.cholqr import CholQR
from gpbench.methods.csi import Csi
from gpbench.methods.ep import EP
from gpbench.methods.ep_fic import EPFic
from gpbench.methods.fitc import Fitc
from gpbench.methods.full_gp import FullGP
from gpbench.methods.hybrid import Hybrid
from gpbench.methods.local import Local
from gpbench.methods.nlml import Nlml
from gpbench.methods.sod import SubsetOfData


def problem(kernel=None, labels=False, **schedule):
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, (60, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=60)
    y, task = (np.where(y > 0, 1.0, -1.0), "classification") if labels else (y, "regression")
    gp = GP(kernel or ArdSE(np.zeros(3), 2), 0.1)
    return Problem(X, y, gp, Schedule(**schedule), rng.permutation(60), task)


FITS = {
    "fitc": (Fitc(d_max=8), "Kuu"), "hybrid": (Hybrid(d_max=8), "Kuu"), "csi": (Csi(d_max=8), "Kuu"),
    "cholqr": (CholQR(d_max=8, epochs=2), "Kuu"), "nlml": (Nlml(d_max=8, approximation="fitc"), "B"),
    "full-gp": (FullGP(), "K"), "local": (Local(d_max=20), "K"), "ep": (EP(), "B"), "ep-fic": (EPFic(d_max=8), "Kuu"),
}  # fmt: skip


@pytest.mark.parametrize("name", FITS)
def test_jitter_is_noted_where_it_was_needed_and_not_for_the_constant_of_the_method(name, monkeypatch):
    method, where = FITS[name]
    p = problem(labels=method.task == "classification")
    assert not [n for n in method.fit(p, np.random.default_rng(0)).notes if "jitter" in n]
    monkeypatch.setattr(cholesky, "LADDER", (1e-6, 1e-5, 1e-4))  # as if nothing less had helped
    notes = [n for n in method.fit(p, np.random.default_rng(0)).notes if "jitter" in n]
    assert any(n.endswith(f"on {where}") for n in notes), notes


def test_ep_notes_the_largest_jitter_of_a_run_not_the_last(monkeypatch):
    p = problem(labels=True)
    for posterior in (Panels(p.gp.kernel, p.X), Fic(p.gp.kernel, p.X, p.X[:8], jitter=1e-8)):
        with monkeypatch.context() as patch:
            patch.setattr(cholesky, "LADDER", (1e-6,))
            posterior.refresh(ep.Sites(np.ones(60), p.y))
        ep.run(posterior, p.y, Probit())
        assert any("jitter" in note for note in posterior.notes)


class Counting(ArdSE):
    """Counts entries of kernel matrices with a row of the training part on one side."""

    entries = 0

    def __call__(self, X, X2=None):
        if not (X2 is None and len(X) < 60):  # of Kuu nothing is counted
            Counting.entries += len(X) * len(X if X2 is None else X2)
        return super().__call__(X, X2)

    def against(self, X2):
        def rows(X):
            Counting.entries += len(X) * len(X2)
            return given(X)

        given = super().against(X2)
        return rows


LEARNING = {
    "full-gp": FullGP(), "fitc": Fitc(d_max=8), "vfe restarts": Fitc(d_max=8, restarts=3),
    "chosen starts": Fitc(d_max=8, restarts=2, inducing="nlml"), "cholqr": CholQR(d_max=8, epochs=2),
    "cholqr chosen": CholQR(d_max=8, epochs=2, inducing="info"), "csi": Csi(d_max=8, grid=2), "nlml": Nlml(d_max=8),
    "ep": EP(), "ep-fic": EPFic(d_max=8, optimise_inputs=False),
}  # fmt: skip


@pytest.mark.parametrize("name", LEARNING)
def test_kernel_rows_are_the_rows_that_a_fit_evaluated_losing_restarts_included(name):
    method = LEARNING[name]
    kind = "fixed" if name == "csi" else "joint"  # while it learns, csi's rows are those of a part
    p = problem(Counting(np.zeros(3), 2), method.task == "classification", kind=kind, evaluations=5, restarts=2)
    Counting.entries = 0
    fitted = method.fit(p, np.random.default_rng(0))
    small = 3 * 3 + 3 * 8  # EP loads its compiled loops on three rows
    assert fitted.kernel_rows == pytest.approx(Counting.entries / p.n, abs=2 * small / p.n)


def test_the_trace_of_a_full_gp_goes_on_where_the_best_start_was_left(monkeypatch):
    """Several starts are climbed for a while, and the best goes on."""
    monkeypatch.setattr(full_gp, "SCREEN", 4)
    p, calls = problem(), []

    def counted(*args):
        calls.append(1)
        return exact.evaluate(*args)

    _, info = fit_hyperparameters(p.X, p.y, p.gp, OptimiserOptions(12, restarts=3), np.random.default_rng(0), counted)
    trace = info["trace"]
    assert [row["evaluation"] for row in trace] == list(range(1, len(trace) + 1)) and len(trace) > 4
    assert np.all(np.diff([row["seconds"] for row in trace]) >= 0)
    assert np.all(np.diff([row["objective"] for row in trace]) >= 0)
    assert info["evaluations"] == len(calls)


def test_evaluations_of_all_starts_are_counted_in_a_subset_of_data():
    p = problem(kind="joint", evaluations=45, restarts=2)
    one = problem(kind="joint", evaluations=45)
    method, rng = SubsetOfData(d_max=30), np.random.default_rng(0)
    assert method.fit(p, rng).kernel_rows > method.fit(one, rng).kernel_rows
