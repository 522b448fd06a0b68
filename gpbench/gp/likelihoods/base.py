"""What EP and predictions need of a likelihood, and how it follows from `log_density` alone.

A new likelihood is one file in this folder (or a `--plugin` file) with a subclass of `Likelihood` that has a `name`.
Its parameters are learned with the hyperparameters, each on the logarithm of what it is above its lower limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from gpbench.errors import DataError

from .quadrature import Tilted, nodes_of

Values = Mapping[str, float]
STEP = 1e-5  # of the central differences of log p in a parameter
X, W = hermegauss(64)
W = W / W.sum()


class Parameter(NamedTuple):
    """Limits of its natural value; `log`: the optimiser moves log(value - low), otherwise the value itself.

    Examples
    --------
    >>> from gpbench.extend import Parameter
    >>> Parameter(0.0, 10.0).unpacked(0.0)
    1.0
    """

    low: float
    high: float
    log: bool = True

    def packed(self, value: float) -> float:
        return float(np.log(value - self.low)) if self.log else float(value)

    def unpacked(self, x: float) -> float:
        return self.low + float(np.exp(x)) if self.log else float(x)

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the optimiser's variable."""
        return (np.log(1e-6), np.log(self.high - self.low)) if self.log else (self.low, self.high)


class Likelihood:
    """Functions of targets y, latent values f of the same shape, and parameter values p by name.

    Examples
    --------
    >>> import numpy as np
    >>> from gpbench.extend import Likelihood
    >>> class Laplace(Likelihood):
    ...     name = "laplace"
    ...     def log_density(self, y, f, p):
    ...         return -np.abs(y - f) - np.log(2)
    >>> float(np.exp(Laplace().log_density(np.zeros(1), np.zeros(1), {}))[0])
    0.5
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    stands_on: ClassVar[tuple] = ()
    title: ClassVar[str] = ""
    use: ClassVar[str] = ""
    targets: ClassVar[Literal["numbers", "counts", "classes"]] = "numbers"
    parameters: ClassVar[Mapping[str, Parameter]] = {}
    power: ClassVar[float] = 1.0  # of EP: 1, or less for a likelihood that is not log-concave
    held: ClassVar[tuple[str, ...]] = ()  # parameters that stay at their start until the others have been learned

    def start(self, y) -> dict[str, float]:
        """Parameter values where learning begins, for these targets."""
        raise NotImplementedError(f"likelihood {self.name} has no start(y) (docs/reference/extending.md)")

    def log_density(self, y, f, p: Values):
        """log p(y | f), natural log, all constants."""
        raise NotImplementedError(f"likelihood {self.name} has no log_density(y, f, p)")

    def mean(self, f, p: Values):
        """E[y | f]."""
        raise NotImplementedError(f"likelihood {self.name} has no mean(f, p)")

    def variance(self, f, p: Values):
        """Var[y | f]."""
        raise NotImplementedError(f"likelihood {self.name} has no variance(f, p)")

    def cdf(self, y, f, p: Values):
        """P(target <= y | f), for quantiles."""
        raise NotImplementedError(f"likelihood {self.name} has no cdf(y, f, p)")

    def width(self, p: Values) -> float:
        """In f, the narrowest feature of log p that is not log-concave; infinity where log p is concave."""
        return np.inf

    def check(self, y) -> None:
        """DataError if the targets are none of this likelihood."""
        if self.targets == "counts" and not ((y >= 0) & (y == np.round(y))).all():
            i = int(np.argmin((y >= 0) & (y == np.round(y))))
            more = "; write `scale: {target: none}`" if (y < 0).any() else ""
            raise DataError(f"likelihood {self.name} needs counts 0, 1, 2, ...; target {i} is {y[i]:g}{more}")

    # -- what follows -------------------------------------------------------------------------------------------------

    def tilted(self, y, m, v, p: Values) -> Tilted:
        """Moments of p(y | f)^power N(f; m, v) for each target."""
        return nodes_of(lambda f: self.power * self.log_density(y[:, None], f, p), m, v, self.width(p)).moments()

    def log_predictive(self, y, m, v, p: Values) -> np.ndarray:
        """log of the integral of p(y | f) N(f; m, v)   (t,)."""
        return nodes_of(lambda f: self.log_density(y[:, None], f, p), m, v, self.width(p)).log_Z

    def slopes(self, y, m, v, p: Values) -> np.ndarray:
        """For each parameter, on the optimiser's scale, the sum of E[d log p] under the tilted densities."""
        at = nodes_of(lambda f: self.power * self.log_density(y[:, None], f, p), m, v, self.width(p))
        found = []
        for name, parameter in self.parameters.items():
            x = parameter.packed(p[name])
            up, down = ({**p, name: parameter.unpacked(x + sign * STEP)} for sign in (1, -1))
            change = self.log_density(y[:, None], at.f, up) - self.log_density(y[:, None], at.f, down)
            found.append(float((at.weights * change).sum()) / (2 * STEP))
        return np.array(found)

    def moments(self, m, v, p: Values) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the target when f ~ N(m, v)   (t,), (t,)."""
        f = m[:, None] + np.sqrt(v)[:, None] * X
        each = self.mean(f, p)
        mean = each @ W
        return mean, self.variance(f, p) @ W + ((each - mean[:, None]) ** 2) @ W

    def below(self, y, m, v, p: Values) -> np.ndarray:
        """P(target <= y) when f ~ N(m, v)   (t,)."""
        return self.cdf(y[:, None], m[:, None] + np.sqrt(v)[:, None] * X, p) @ W

    def quantiles(self, m, v, p: Values, q: float) -> np.ndarray:
        """Smallest y with P(target <= y) >= q when f ~ N(m, v), by bisection   (t,)."""
        mean, var = self.moments(m, v, p)

        def below(y):
            return self.below(y, m, v, p) < q

        reach = 4 * np.sqrt(var) + 1.0
        low, high = mean - reach, mean + reach
        for _ in range(60):
            if not (more := below(high)).any():
                break
            high = np.where(more, high + (high - mean), high)
        for _ in range(60):
            if not (more := ~below(low)).any() or (self.targets == "counts" and (low < 0).all()):
                break
            low = np.where(more, low - (mean - low), low)
        for _ in range(80):
            middle = 0.5 * (low + high)
            left = below(middle)
            low, high = np.where(left, middle, low), np.where(left, high, middle)
        return np.maximum(np.ceil(low - 1e-9), 0.0) if self.targets == "counts" else high


@dataclass(frozen=True)
class Fixed:
    """A likelihood at values of its parameters."""

    likelihood: Likelihood
    values: dict[str, float]

    @property
    def power(self) -> float:
        return self.likelihood.power

    def below(self, y, m, v) -> tuple[np.ndarray, np.ndarray]:
        """P(target < y) and P(target <= y) when f ~ N(m, v)   (t,), (t,)."""
        high = self.likelihood.below(y, m, v, self.values)
        if self.likelihood.targets != "counts":
            return high, high
        return np.where(y > 0, self.likelihood.below(np.maximum(y - 1, 0), m, v, self.values), 0.0), high

    def pack(self) -> np.ndarray:
        return np.array([q.packed(self.values[name]) for name, q in self.likelihood.parameters.items()])

    def moved(self, x) -> Fixed:
        names = self.likelihood.parameters.items()
        return Fixed(self.likelihood, {name: q.unpacked(v) for (name, q), v in zip(names, x)})

    def bounds(self, hold: bool = False) -> list[tuple[float, float]]:
        """Bounds of the optimiser's variables; with `hold`, parameters that are learned last may not move."""
        kept = self.likelihood.held if hold else ()
        found = zip(self.likelihood.parameters.items(), self.pack())
        return [(x, x) if name in kept else q.bounds for (name, q), x in found]
