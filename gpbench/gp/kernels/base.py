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

from .named import Named
from .patterns import OnPatterns


class Kernel(Named, OnPatterns, ABC):
    """Covariance function k(x, x'); a new one is a subclass with a `name` in a file of this folder.

    Examples
    --------
    `gpbench new kernel NAME` writes a subclass with all functions, and its test. Existing ones are made by name:

    >>> import numpy as np
    >>> from gpbench.extend import Kernel
    >>> from gpbench.gp.kernels.build import build_kernel
    >>> X = np.zeros((3, 2))
    >>> kernel = build_kernel({"name": "matern32"}, X)
    >>> isinstance(kernel, Kernel), kernel(X).shape, kernel.diag(X).tolist()
    (True, (3, 3), [1.0, 1.0, 1.0])
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1  # raised when its numbers move (gpbench/versions.py)
    stands_on: ClassVar[tuple] = ()  # modules and classes whose `version` counts here too
    smooth: ClassVar[bool] = True  # has a gradient with respect to vector inputs
    objects: ClassVar[bool] = False  # takes (n,) objects such as molecules, not vectors
    raw_inputs: ClassVar[bool] = False  # vectors mean something only as they are: an estimator does not scale them
    compact: ClassVar[bool] = False  # exactly zero beyond some distance, so that `support` and `sparse` exist

    looked_up: bool = False  # weights of kept matrices are all that theta changes: the whole of K costs little

    @classmethod
    @abstractmethod
    def create(cls, X, **options) -> Kernel:
        """A kernel for inputs like X at neutral starting values; `options` are those of the config."""

    def __repr__(self) -> str:
        """Name and values: ard-se(variance=1, lengthscale=[0.5, 2])."""
        given = [(k, [f"{x:.4g}" for x in np.atleast_1d(v)], np.ndim(v)) for k, v in self.values().items()]
        shown = [f"{k}=[{', '.join(v)}]" if vector else f"{k}={v[0]}" for k, v, vector in given]
        return f"{self.name}({', '.join(shown)})"

    def starts(self, X) -> list[Kernel]:
        """Points from which hyperparameters are learned, this one first."""
        return [self]

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

    def linearised(self, X, X2=None) -> tuple[np.ndarray, Callable]:
        """K and (dK, inputs=False) -> `pullback`, which may use what the evaluation left behind."""
        K = self(X, X2)
        return K, lambda dK, inputs=False: self.pullback(dK, X, X2, K, inputs)

    @abstractmethod
    def vjp_diag(self, dk, X) -> np.ndarray:
        """dF/dtheta from dF/d diag(K); every kernel here is stationary in the diagonal, so X gets no gradient."""

    def embedding(self, X) -> np.ndarray:
        """Vectors (n, e) whose distances order neighbours as their correlations do, nearly so for sums and products."""
        raise NotApplicable(f"kernel {self.name} knows no distance between inputs: use one of vectors, e.g. matern32")
