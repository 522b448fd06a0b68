"""A user's function k(A, B) as a kernel: known by its Gram matrices alone, times a variance that is learned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpbench.errors import BadInput, NotApplicable

from .base import Kernel
from .soundness import asymmetry

KEPT = 4  # Gram matrices that are remembered: learning asks for the same one all the time


class _Grams:
    """Matrices of the function between arrays, recognised by their memory; inputs must not be changed later."""

    def __init__(self, function: Callable):
        self.function, self._seen = function, []

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "function")

    def __getstate__(self):
        return {"function": self.function, "_seen": []}

    def __call__(self, X, X2) -> np.ndarray:
        place = [(A.ctypes.data, A.shape, A.strides, A.dtype) for A in (X, X2)]
        for known, _, K in self._seen:
            if known == place:
                return K
        K = self._checked(X, X2)
        if X is X2 and (why := asymmetry(self.name, K)):
            raise BadInput(why)
        self._seen = [(place, (X, X2), K), *self._seen[: KEPT - 1]]
        return K

    def diag(self, X) -> np.ndarray:
        """One call per input, unless the function has a `diag` of its own."""
        own = getattr(self.function, "diag", None)
        if own is not None:
            return np.asarray(own(X), dtype=float)
        return np.array([self._checked(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(len(X))])

    def _checked(self, X, X2) -> np.ndarray:
        K = np.asarray(self.function(X, X2), dtype=float)
        if K.shape != (len(X), len(X2)):
            raise BadInput(f"kernel {self.name}: gave an array {K.shape} for {len(X)} and {len(X2)} inputs")
        if not np.isfinite(K).all():
            raise BadInput(f"kernel {self.name}: gave values that are not finite")
        return K


class FunctionKernel(Kernel):
    """variance * k(A, B); the function gets two arrays of inputs and gives their covariances."""

    smooth = False
    names = ("variance",)

    def __init__(self, theta, grams: _Grams):
        self.theta, self.grams, self.name = np.asarray(theta, dtype=float), grams, grams.name

    @classmethod
    def create(cls, X, function: Callable):
        return cls(np.zeros(1), _Grams(function))

    def with_theta(self, theta):
        return FunctionKernel(theta, self.grams)

    def __call__(self, X, X2=None):
        return np.exp(self.theta[0]) * self.grams(X, X if X2 is None else X2)

    def diag(self, X):
        return np.exp(self.theta[0]) * self.grams.diag(X)

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        if inputs:
            raise NotApplicable(f"kernel {self.name} is a function of the user's: it has no input gradient")
        return np.array([np.vdot(dK, self(X, X2) if K is None else K)]), None

    def vjp_diag(self, dk, X):
        return np.array([dk @ self.diag(X)])
