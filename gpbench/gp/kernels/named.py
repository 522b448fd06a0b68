"""Parameters by name: logs of positive quantities in one vector, and their values as a config writes them."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np


class Named(ABC):
    theta: np.ndarray  # (p,) logs
    names: tuple[str, ...]  # (p,) e.g. ("variance", "lengthscale[0]", ...)
    name: str

    @abstractmethod
    def with_theta(self, theta) -> Named: ...

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

    def with_values(self, values: dict) -> Named:
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
