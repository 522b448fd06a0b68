"""The bar of a long computation: what is done, after two seconds, only where it is asked for."""

import time

import numpy as np

from gpbench import SparseGPRegressor
from gpbench.system import progress


def test_nothing_is_drawn_before_the_silent_seconds_or_off_a_terminal(capfd, monkeypatch):
    with progress.shown():
        progress.step("fitting", 1, 2)
        assert progress._current is None  # stderr is no terminal here
    monkeypatch.setattr(progress, "SILENT", 5.0)
    with progress.shown(always=True):
        progress.step("fitting", 1, 2)
    assert capfd.readouterr().err == ""


def test_the_bar_shows_what_is_done_how_far_and_the_seconds_left(capfd, monkeypatch):
    monkeypatch.setattr(progress, "SILENT", 0.05)
    monkeypatch.setattr(progress, "PAUSE", 0.05)
    with progress.shown(limit=60.0, always=True):
        progress.step("learning", 3, 7)
        time.sleep(0.4)
        progress.step("selecting", 1)
        time.sleep(0.4)
    drawn = capfd.readouterr().err
    assert "learning: 3/7" in drawn and "selecting: 1" in drawn and "s left" in drawn
    assert progress._current is None


def test_a_verbose_fit_tells_its_steps(monkeypatch):
    told = []
    monkeypatch.setattr(progress, "step", lambda what, done=0, of=0: told.append(what))
    X = np.random.default_rng(0).normal(size=(300, 2))
    SparseGPRegressor("nlgpp", 20, random_state=0, verbose=True).fit(X, np.sin(X[:, 0]))
    assert {"learning hyperparameters", "selecting basis vectors"} <= set(told)
