"""What is tried: methods with their sizes, and the settings they share. configs/advice has the same as a plain grid."""

from __future__ import annotations

from collections.abc import Mapping
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


def _sized(method: str, sizes, top: int, key: str = "d_max", **params) -> list[Candidate]:
    """One for each size up to `top`; that one itself where all are larger."""
    return [Candidate(method, m, {**params, key: m}) for m in [m for m in sizes if m <= top] or [top]]


def _asks(cls: type) -> bool:
    return any(field.is_required() for key, field in cls.model_fields.items() if key != "d_max")


def candidates(
    task: str, n: int, most: int = SIZES[-1], methods: tuple[str, ...] = (), own: Mapping[str, type] | None = None
) -> list[Candidate]:
    """For n training rows and up to `most` basis vectors; `methods` are globs that leave some of them.

    The first one is `auto`, which chooses kernel and size itself.

    Inducing inputs start where the methods' own default is (`covering`). `own` are methods of plug-ins, which join; one
    with a parameter that only its user can give does so when it is named, and the config's error then names the key.
    """
    top = min(most, n)
    found = [Candidate("auto", 0, {})]
    if task == "classification":
        found += _sized("ep-fic", (10, 25, 50, 100), top, inducing="kmeans", optimise_inputs=False)
        found.append(Candidate("ep-sparse", 0, {}, "pp3"))
        found += [Candidate("ep", 0, {})] if n <= DENSE_ROWS else []
    else:
        found += [c for method in ("fitc", "vfe", "info") for c in _sized(method, SIZES, top)]
        found += [c for method in ("sod", "local") for c in _sized(method, SIZES[1:], top)]
        found += _sized("vecchia", (10, 20, 40), top, key="neighbours")
    for name, cls in (own or {}).items():
        if cls.task == task and (name in methods or not _asks(cls)):
            found += _sized(name, SIZES, top) if "d_max" in cls.model_fields else [Candidate(name, 0, {})]
    left = [c for c in found if any(fnmatchcase(c.method, g) for g in methods or ("*",))]
    if not left:
        names = ", ".join(dict.fromkeys(c.method for c in found))
        raise ConfigError(f"--method {' '.join(methods)}: nothing to try is called that; for {task} there are {names}")
    return left


def settings(task: str) -> dict:
    """Keys of a config that all candidates share."""
    if task == "classification":
        return {"hyperparameters": {"schedule": "joint", "evaluations": 30, "prior": "half-t"}}
    return {"hyperparameters": {"schedule": "fixed", "from": "full-gp", "subset": 1000}}
