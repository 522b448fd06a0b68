"""Random streams; the key of each holds exactly what its numbers may depend on (docs/reference/results.md, 'Seeds').

Paired methods share the streams of the data, the split and the order of the rows; a method's own stream comes from
everything but d_max, so adding a method, a repetition or a size does not change the numbers of other trials.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np

from gpbench.data.splits import depends_on_index

from .trial import Trial


def stream(purpose: str, *key) -> np.random.Generator:
    text = json.dumps([purpose, *key], sort_keys=True, separators=(",", ":"), allow_nan=False)
    entropy = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))


def data(trial: Trial, per_trial: bool) -> np.random.Generator:
    """For generated data: one set for all repetitions, or a new one for each repetition (Friedman)."""
    return stream("data", trial.data, trial.seed, trial.index if per_trial else None)


def split(trial: Trial) -> np.random.Generator:
    """For splits. Folds of one cross-validation are parts of one permutation, so their stream ignores the index."""
    index = trial.index if depends_on_index(trial.split) else None
    return stream("split", trial.data, trial.split, trial.seed, index)


def order(trial: Trial) -> np.random.Generator:
    """For the shared order of the training rows; full-GP subsets and start sets are its prefixes."""
    return stream("order", trial.data_key)


def shared(key: str) -> np.random.Generator:
    return stream("shared", key)


def method(trial: Trial) -> np.random.Generator:
    return stream("method", trial.path_key)
