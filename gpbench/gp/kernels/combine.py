"""Sums and products of kernels. A repeated parameter name gets the position of its kernel: `variance`, `variance.1`."""

from __future__ import annotations

from functools import reduce
from itertools import count
from operator import add, mul
from typing import ClassVar

import numpy as np

from .base import Kernel


def _distinct(parts) -> tuple[str, ...]:
    seen, names = set(), []
    for k, part in enumerate(parts):
        own = {n.split("[")[0] for n in part.names}
        given = {key: next(f"{key}.{j}" for j in count(k) if f"{key}.{j}" not in own | seen) for key in own & seen}
        for name in part.names:
            key, bracket, rest = name.partition("[")
            names.append(given.get(key, key) + bracket + rest)
        seen |= own | set(given.values())
    return tuple(names)


class _Combination(Kernel):
    sign: ClassVar[str]

    def __init__(self, parts):
        self.parts = tuple(parts)
        self.theta = np.concatenate([p.theta for p in self.parts])
        self.names = _distinct(self.parts)
        self.smooth = all(p.smooth for p in self.parts)

    @property
    def raw_inputs(self):
        return any(p.raw_inputs for p in self.parts)

    @classmethod
    def create(cls, X, parts):
        return cls(parts)

    def with_theta(self, theta):
        ends = np.cumsum([len(p.theta) for p in self.parts])[:-1]
        return type(self)(p.with_theta(t) for p, t in zip(self.parts, np.split(np.asarray(theta, dtype=float), ends)))

    def starts(self, X):
        each = [p.starts(X) for p in self.parts]
        return [type(self)(s[min(k, len(s) - 1)] for s in each) for k in range(max(map(len, each)))]

    def embedding(self, X):
        """All parts side by side: near means near in each of them."""
        return np.hstack([p.embedding(X) for p in self.parts])

    def __repr__(self) -> str:
        parts = [f"({p})" if isinstance(p, _Combination) else f"{p}" for p in self.parts]
        return f" {self.sign} ".join(parts)

    @staticmethod
    def _together(pulled, inputs):
        """(dF/dtheta, dF/dX or None) from those of the parts."""
        return np.concatenate([dt for dt, _ in pulled]), sum(dX for _, dX in pulled) if inputs else None


class Sum(_Combination):
    """Sum of kernels: {sum: [ard-se, linear]}."""

    name = "sum"
    sign = "+"

    def __call__(self, X, X2=None):
        K = self.parts[0](X, X2)
        for p in self.parts[1:]:
            K += p(X, X2)
        return K

    def diag(self, X):
        return sum(p.diag(X) for p in self.parts)

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        return self._together([p.pullback(dK.copy(), X, X2, None, inputs) for p in self.parts], inputs)

    def linearised(self, X, X2=None):
        Ks, pulls = zip(*(p.linearised(X, X2) for p in self.parts))
        pull = lambda dK, inputs=False: self._together([pull(dK.copy(), inputs) for pull in pulls], inputs)  # noqa: E731
        return reduce(add, Ks), pull

    def vjp_diag(self, dk, X):
        return np.concatenate([p.vjp_diag(dk, X) for p in self.parts])

    @property
    def compact(self):
        return all(p.compact for p in self.parts)

    def support(self, X, X2=None):
        return reduce(add, (p.support(X, X2) for p in self.parts)).sorted_indices()

    def on(self, pattern, X, X2=None):
        return sum(p.on(pattern, X, X2) for p in self.parts)

    def linearised_on(self, pattern, X, X2=None):
        ks, pulls = zip(*(p.linearised_on(pattern, X, X2) for p in self.parts))
        return sum(ks), lambda dk: np.concatenate([pull(dk) for pull in pulls])


class Product(_Combination):
    """Product of kernels: {product: [ard-se, periodic]}."""

    name = "product"
    sign = "*"

    def __call__(self, X, X2=None):
        return reduce(mul, (p(X, X2) for p in self.parts))

    def diag(self, X):
        return reduce(mul, (p.diag(X) for p in self.parts))

    def pullback(self, dK, X, X2=None, K=None, inputs=False):
        return self.linearised(X, X2)[1](dK, inputs)

    def linearised(self, X, X2=None):
        Ks, pulls = zip(*(p.linearised(X, X2) for p in self.parts))

        def pull(dK, inputs=False):
            others = (np.array(reduce(mul, Ks[:k] + Ks[k + 1 :], dK)) for k in range(len(Ks)))
            return self._together([pull(dk, inputs) for pull, dk in zip(pulls, others)], inputs)

        return reduce(mul, Ks), pull

    def vjp_diag(self, dk, X):
        diags = [p.diag(X) for p in self.parts]
        return np.concatenate(
            [p.vjp_diag(reduce(mul, diags[:k] + diags[k + 1 :], dk), X) for k, p in enumerate(self.parts)]
        )

    @property
    def compact(self):
        return any(p.compact for p in self.parts)

    def support(self, X, X2=None):
        supports = [p.support(X, X2) for p in self.parts if p.compact]
        if not supports:
            return super().support(X, X2)
        return reduce(lambda a, b: a.multiply(b).tocsc(), supports).sorted_indices()

    def on(self, pattern, X, X2=None):
        return reduce(mul, (p.on(pattern, X, X2) for p in self.parts))

    def linearised_on(self, pattern, X, X2=None):
        ks, pulls = zip(*(p.linearised_on(pattern, X, X2) for p in self.parts))

        def pull(dk):
            others = (reduce(mul, ks[:k] + ks[k + 1 :], dk) for k in range(len(ks)))
            return np.concatenate([pull(dk) for pull, dk in zip(pulls, others)])

        return reduce(mul, ks), pull
