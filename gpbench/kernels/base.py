"""What every covariance function offers.

A kernel is immutable; its parameters are `theta`, the natural logs of positive quantities, named by `names`.
Gradients are pulled back: given dF/dK the kernel returns dF/dtheta (and dF/dX), so no n x n x p tensor exists.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from gpbench.errors import NotApplicable

NO_SUPPORT = "no compact support: use pp0..pp3, or a product with one of them"


class Kernel(ABC):
    """Covariance function k(x, x'); a new one is a subclass with a `name` in a file of this folder."""

    name: ClassVar[str]
    version: ClassVar[int] = 1  # raised when its numbers move (gpbench/versions.py)
    stands_on: ClassVar[tuple] = ()  # modules and classes whose `version` counts here too
    smooth: ClassVar[bool] = True  # has a gradient with respect to vector inputs
    objects: ClassVar[bool] = False  # takes (n,) objects such as molecules, not vectors
    compact: ClassVar[bool] = False  # exactly zero beyond some distance, so that `support` and `sparse` exist

    looked_up: bool = False  # weights of kept matrices are all that theta changes: the whole of K costs little

    theta: np.ndarray  # (p,) logs
    names: tuple[str, ...]  # (p,) e.g. ("variance", "lengthscale[0]", ...)

    @classmethod
    @abstractmethod
    def create(cls, X, **options) -> Kernel:
        """A kernel for inputs like X at neutral starting values; `options` are those of the config."""

    def starts(self, X) -> list[Kernel]:
        """Points worth climbing from when hyperparameters are learned, this one first."""
        return [self]

    @abstractmethod
    def with_theta(self, theta) -> Kernel: ...

    @abstractmethod
    def __call__(self, X, X2=None) -> np.ndarray:
        """Covariances (n, n2); X2=None means X2 = X."""

    def against(self, X2) -> Callable[[np.ndarray], np.ndarray]:
        """X -> k(X, X2), for many calls with few rows of X each: a kernel may prepare X2 once."""
        return lambda X: self(X, X2)

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

    # -- on a sparse pattern, a boolean csc matrix (n, n2); numbers are given and returned in the order of its entries

    def support(self, X, X2=None):
        """Where a compact kernel may differ from zero; time and memory follow the number of those entries."""
        raise NotApplicable(f"kernel {self.name} has {NO_SUPPORT}")

    def on(self, pattern, X, X2=None) -> np.ndarray:
        """Covariances at the entries of the pattern, column by column."""
        out = np.empty(pattern.nnz)
        for rows, x, at in _columns(pattern, X, X2):
            out[at] = self(rows, x)[:, 0]
        return out

    def pullback_on(self, dk, pattern, X, X2=None) -> np.ndarray:
        """dF/dtheta from dF/dK at the entries of the pattern; F depends on no other entry."""
        return sum((self.vjp(dk[at, None], rows, x) for rows, x, at in _columns(pattern, X, X2)), 0 * self.theta)

    def linearised_on(self, pattern, X, X2=None) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """`on`, and dk -> `pullback_on` that may use what the evaluation left behind."""
        return self.on(pattern, X, X2), lambda dk: self.pullback_on(dk, pattern, X, X2)

    def embedding(self, X) -> np.ndarray:
        """Vectors (n, e) whose distances order neighbours as their correlations do, nearly so for sums and products."""
        raise NotApplicable(f"kernel {self.name} knows no distance between inputs: use one of vectors, e.g. matern32")

    def sparse(self, X, X2=None):
        """K as a scipy csc matrix on its support."""
        pattern = self.support(X, X2)
        return type(pattern)((self.on(pattern, X, X2), pattern.indices, pattern.indptr), shape=pattern.shape)

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


def _columns(pattern, X, X2):
    """(inputs of the column's rows, input of the column, where its numbers are) for every column that has entries."""
    X2 = X if X2 is None else X2
    for j, (begin, end) in enumerate(zip(pattern.indptr[:-1], pattern.indptr[1:])):
        if end > begin:
            yield X[pattern.indices[begin:end]], X2[j : j + 1], slice(begin, end)
