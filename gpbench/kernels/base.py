"""What every covariance function offers.

A kernel is immutable; its parameters are `theta`, the natural logs of positive quantities, named by `names`.
Gradients are pulled back: given dF/dK the kernel returns dF/dtheta (and dF/dX), so no n x n x p tensor exists.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np


class Kernel(ABC):
    """Covariance function k(x, x'); a new one is a subclass with a `name` in a file of this folder."""

    name: ClassVar[str]
    smooth: ClassVar[bool] = True  # has a gradient with respect to vector inputs

    theta: np.ndarray  # (p,) logs
    names: tuple[str, ...]  # (p,) e.g. ("variance", "lengthscale[0]", ...)

    @classmethod
    @abstractmethod
    def create(cls, X, **options) -> Kernel:
        """A kernel for inputs like X at neutral starting values; `options` are those of the config."""

    @abstractmethod
    def with_theta(self, theta) -> Kernel: ...

    @abstractmethod
    def __call__(self, X, X2=None) -> np.ndarray:
        """Covariances (n, n2); X2=None means X2 = X."""

    @abstractmethod
    def diag(self, X) -> np.ndarray:
        """k(x_i, x_i)   (n,)."""

    @abstractmethod
    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        """(dF/dtheta, dF/dX or None) from dF/dK; `K`, when the caller still has it, saves evaluating it again.

        With X2=None, dK is the full square matrix and dF/dX counts both places where X enters. dK may be overwritten.
        """

    @abstractmethod
    def vjp_diag(self, dk, X) -> np.ndarray:
        """dF/dtheta from dF/d diag(K); every kernel here is stationary in the diagonal, so X gets no gradient."""

    def vjp(self, dK, X, X2=None, K=None) -> np.ndarray:
        return self.pullback(np.array(dK), X, X2, K)[0]

    def vjp_inputs(self, dK, Z, X=None, K=None) -> np.ndarray:
        return self.pullback(np.array(dK), Z, X, K, inputs=True)[1]

    def values(self) -> dict[str, float | list[float]]:
        """Parameters on their natural scale, as the config's `hyperparameters: values` writes them."""
        out: dict[str, float | list[float]] = {}
        for name, value in zip(self.names, np.exp(self.theta)):
            key, vector = name.split("[")[0], "[" in name
            if vector:
                out.setdefault(key, []).append(float(value))
            else:
                out[key] = float(value)
        return out

    def with_values(self, values: dict) -> Kernel:
        """The same kernel at the given natural values; a scalar serves every component of a vector parameter."""
        theta = np.array(self.theta, dtype=float)
        for i, name in enumerate(self.names):
            key, _, index = name.partition("[")
            if key in values:
                given = np.atleast_1d(np.asarray(values[key], dtype=float))
                k = int(index[:-1]) if index else 0
                if given.size not in (1, sum(n.split("[")[0] == key for n in self.names)):
                    raise ValueError(f"{key}: {given.size} values given for the {self.name} kernel's parameters")
                with np.errstate(divide="ignore"):
                    theta[i] = np.log(given[k] if given.size > 1 else given[0])
        return self.with_theta(theta)
