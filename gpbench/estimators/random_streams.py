"""The random streams of a fit: from a seed, or those of a trial, so that an estimator repeats the runner's numbers."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import numpy as np

from gpbench.errors import BadParameter
from gpbench.experiment.plan import random_streams
from gpbench.experiment.plan.full_gp_key import full_gp_stream_key
from gpbench.experiment.plan.trial import Trial


@dataclass(frozen=True)
class Streams:
    """Keys only: every fit begins its streams anew, so fitting twice gives the same model."""

    data: str  # of the order of the rows, which paired methods share
    full_gp: str  # of the full GP that gives hyperparameters
    path: str  # of the method itself

    def order(self, n: int) -> np.ndarray:
        return random_streams.stream("order", self.data).permutation(n)

    def shared(self) -> np.random.Generator:
        return random_streams.shared(self.full_gp)

    def method(self) -> np.random.Generator:
        return random_streams.stream("method", self.path)


def of_trial(trial: Trial) -> Streams:
    """Random streams of a trial: with them as `random_state`, an estimator repeats the fit of the trial.

    Parameters
    ----------
    trial : Trial
        A trial of a plan. The estimator needs the trial's training rows and settings, too.

    Returns
    -------
    Streams
        The value for `random_state`.

    Examples
    --------
    >>> import gpbench
    >>> from gpbench.experiment.config.config import load_config
    >>> from gpbench.experiment.config.packaged import FOLDER
    >>> from gpbench.experiment.plan.plan import plan
    >>> trial = plan(load_config(FOLDER / "smoke" / "tiny.yaml")).trials[0]
    >>> gpbench.streams(trial).order(3).tolist() == gpbench.streams(trial).order(3).tolist()
    True
    """
    h = trial.hyperparameters
    return Streams(trial.data_key, full_gp_stream_key(trial) if h.get("from") else "", trial.path_key)


def of_state(random_state) -> Streams:
    """From what scikit-learn allows as `random_state`, or streams."""
    if isinstance(random_state, Streams):
        return random_state
    if random_state is None:
        return _of_seed(secrets.randbits(64))
    if isinstance(random_state, np.random.Generator):
        return _of_seed(int(random_state.integers(2**63)))
    if isinstance(random_state, np.random.RandomState):
        return _of_seed(int(random_state.randint(2**31 - 1)))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool) and random_state >= 0:
        return _of_seed(int(random_state))
    expected = "a whole number from 0 on, None or a numpy generator"
    raise BadParameter(f"random_state: expected {expected}, got {random_state!r}")


def _of_seed(seed: int) -> Streams:
    key = f"seed {seed}"
    return Streams(key, key, key)
