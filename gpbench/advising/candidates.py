"""What is tried: methods with their sizes, and the settings they share. configs/advice has the same as a plain grid."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from gpbench.errors import ConfigError

SIZES = (100, 200, 500, 1000)
DENSE_ROWS = 2000  # up to here EP with the full matrix is tried


@dataclass(frozen=True)
class Candidate:
    """A method at one size; `params` are its parameters in a config, the size among them."""

    method: str
    size: int
    params: dict = field(hash=False)
    kernel: str | None = None

    @property
    def name(self) -> str:
        return f"{self.method} {self.size}" if self.size else self.method

    def entry(self) -> dict:
        """As a config's `methods` lists it."""
        kernel = {"kernel": self.kernel} if self.kernel else {}
        return {"method": self.method, "label": self.name, **self.params, **kernel}


def _sized(method: str, sizes, key: str = "d_max", **params) -> list[Candidate]:
    return [Candidate(method, m, {**params, key: m}) for m in sizes]


def candidates(task: str, n: int, most: int = SIZES[-1], methods: tuple[str, ...] = ()) -> list[Candidate]:
    """For n training rows and up to `most` basis vectors; `methods` are globs that leave some of them."""
    if task == "classification":
        found = _sized("ep-fic", (10, 25, 50, 100), inducing="kmeans", optimise_inputs=False)
        found.append(Candidate("ep-sparse", 0, {}, "pp3"))
        found += [Candidate("ep", 0, {})] if n <= DENSE_ROWS else []
    else:
        found = [c for method in ("fitc", "vfe") for c in _sized(method, SIZES, inducing="kmeans")]
        found += _sized("info", SIZES) + _sized("sod", SIZES[1:]) + _sized("local", SIZES[1:])
        found += _sized("vecchia", (10, 20, 40), key="neighbours")
    found = [c for c in found if c.size <= min(most, n) and any(fnmatchcase(c.method, g) for g in methods or ("*",))]
    if not found:
        raise ConfigError(f"nothing to try: --method {' '.join(methods)} and --most {most} leave no candidate")
    return found


def settings(task: str) -> dict:
    """Keys of a config that all candidates share."""
    if task == "classification":
        return {"hyperparameters": {"schedule": "joint", "evaluations": 30, "prior": "half-t"}}
    return {"hyperparameters": {"schedule": "fixed", "from": "full-gp", "subset": 1000}}
