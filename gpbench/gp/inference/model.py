"""What every inference routine speaks in: a GP prior with noise, a prediction, and what predicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.gp.kernels.base import Kernel


@dataclass(frozen=True)
class GP:
    """Prior and noise: hyperparameters to keep (`schedule: fixed`) or to start from."""

    kernel: Kernel
    noise: float  # variance

    def values(self) -> dict:
        return {**self.kernel.values(), "noise": float(self.noise)}


@dataclass(frozen=True)
class Prediction:
    """Mean and variance of a new target at each row; for classes, probabilities.

    Of two classes (y is -1 or +1) `prob` is P(y = +1); of K > 2 (y is 0 to K-1) its columns are the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from gpbench.extend import Prediction
    >>> Prediction(mean=np.zeros(3), var=np.ones(3)).mean.shape
    (3,)
    """

    mean: np.ndarray  # (t,)
    var: np.ndarray  # (t,) of the noisy target
    var_latent: np.ndarray | None = None  # (t,) of the function itself, where the method reports it
    prob: np.ndarray | None = None  # classes only: (t,) P(y = +1) of two, (t, K) of more
    log_prob: np.ndarray | None = None  # (t, K) of every class, where log(prob) or log(1 - prob) would lose digits


class Predictor:
    """A fitted model: a call returns the prediction at inputs (t, D). Its state is plain, so that it pickles."""

    def predict(self, Xs) -> Prediction:
        raise NotImplementedError

    def __call__(self, Xs) -> Prediction:
        return self.predict(Xs)

    def clock(self) -> dict[str, dict[str, float]]:
        """{"fit": {"wall": s, "cpu": s}, "predict": ...} of work in another process, in place of what was measured."""
        return {}

    def memory(self) -> float:
        """Megabytes at most in that process."""
        return 0.0
