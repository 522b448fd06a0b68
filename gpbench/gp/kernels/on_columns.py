"""A kernel of some of the inputs: {name: matern52, columns: [0, 3]}, for sums and products of parts of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpbench.errors import ConfigError

from .base import Kernel


class OnColumns(Kernel):
    """k(x, x') = part(x[columns], x'[columns]); parameters and their names are those of the part."""

    def __init__(self, part: Kernel, columns: Sequence[int]):
        self.part, self.columns = part, tuple(int(c) for c in columns)
        self.theta, self.names, self.smooth = part.theta, part.names, part.smooth
        self.name = part.name  # of the object alone: the catalogue lists classes

    @classmethod
    def create(cls, X, part, columns):
        return cls(part, columns)

    @property
    def raw_inputs(self):
        return self.part.raw_inputs

    @property
    def compact(self):
        return self.part.compact

    @property
    def looked_up(self):
        return self.part.looked_up

    def __repr__(self) -> str:
        return f"{self.part} of inputs {', '.join(map(str, self.columns))}"

    def with_theta(self, theta):
        return type(self)(self.part.with_theta(theta), self.columns)

    def starts(self, X):
        return [type(self)(start, self.columns) for start in self.part.starts(self._own(X))]

    def _own(self, X):
        return None if X is None else np.ascontiguousarray(X[:, self.columns])

    def _spread(self, dX, X):
        """dF/dX with zeros at the inputs that play no part."""
        if dX is None:
            return None
        whole = np.zeros(X.shape)
        whole[:, self.columns] = dX
        return whole

    def __call__(self, X, X2=None):
        return self.part(self._own(X), self._own(X2))

    def against(self, X2):
        prepared = self.part.against(self._own(X2))
        return lambda X: prepared(self._own(X))

    def diag(self, X):
        return self.part.diag(self._own(X))

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        dtheta, dX = self.part.pullback(dK, self._own(X), self._own(X2), K, inputs)
        return dtheta, self._spread(dX, X)

    def linearised(self, X, X2=None):
        K, pull = self.part.linearised(self._own(X), self._own(X2))

        def spread(dK, inputs=False):
            dtheta, dX = pull(dK, inputs)
            return dtheta, self._spread(dX, X)

        return K, spread

    def vjp_diag(self, dk, X):
        return self.part.vjp_diag(dk, self._own(X))

    def embedding(self, X):
        return self.part.embedding(self._own(X))

    def support(self, X, X2=None):
        return self.part.support(self._own(X), self._own(X2))

    def on(self, pattern, X, X2=None):
        return self.part.on(pattern, self._own(X), self._own(X2))

    def linearised_on(self, pattern, X, X2=None):
        return self.part.linearised_on(pattern, self._own(X), self._own(X2))


def fault(columns, inputs: int | None = None) -> str:
    """Why this is no list of inputs; empty if it is one."""
    if not isinstance(columns, (list, tuple)) or not columns:
        return f"columns: expected a list of inputs, such as [0, 3], got {columns!r}"
    for c in columns:
        if isinstance(c, str):
            return f"columns: there is no input '{c}'; a name needs a table, otherwise give the number, from 0 on"
        if isinstance(c, bool) or not isinstance(c, (int, np.integer)) or c < 0:
            return f"columns: expected numbers of inputs, from 0 on, got {c!r}"
        if inputs is not None and c >= inputs:
            return f"columns: there is no input {c}: the last one of {inputs} is {inputs - 1}"
    if len(set(columns)) < len(columns):
        return f"columns: {columns!r} names an input twice"
    return ""


def checked(columns, inputs: int) -> tuple[int, ...]:
    if why := fault(columns, inputs):
        raise ConfigError(f"kernel: {why}")
    return tuple(columns)
