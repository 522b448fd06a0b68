"""A trial: what determines one number, hashed into the id under which it is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from gpbench.data.dataset import OWN, name_of
from gpbench.text import is_python_file
from gpbench.versions import lower


def digest(content: Any) -> str:
    """Short stable hash of plain data."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


_SHARED = 3  # the last version of the learner that moved the full GP which trials share
_NAMES = (*OWN, "label")  # of a user's file: its path and what tables call it


@dataclass(frozen=True)
class Trial:
    """One cell of the grid. All fields but `label` and the path of a file determine the number and enter the id."""

    dataset: dict  # {"name": ..., options}; a user's file: {"csv": path, "target": ..., "task": ..., "sha256": ...}
    split: dict  # {"kind": "random", "n_train": 481, "n_test": 25}
    scale: dict  # {"inputs": "standardise", "target": "standardise"}
    kernel: dict  # {"name": "ard-se", "bias": False, ...} or {"sum": [...]}, {"product": [...]}
    hyperparameters: dict  # {"schedule": "fixed", "from": "full-gp", "subset": 200}
    method: str
    params: dict  # every parameter of the method, defaults filled in
    scoring: dict  # {"nmse_variance": "dataset"|"test", "target_units": "raw"|"standardised"}
    seed: int
    index: int  # which of the config's trials
    code: str = ""  # hashes of plug-in files involved
    label: str = ""  # how tables call it
    versions: dict = field(default_factory=dict)  # raised ones: {"method": 2, "kernel pp3": 2, "learner": 2}

    @classmethod
    def read(cls, body: dict) -> Trial:
        """From a file; what another version of gpbench has written besides is passed over."""
        return cls(**{f.name: body[f.name] for f in fields(cls) if f.name in body})

    @cached_property
    def id(self) -> str:
        return digest(self._content | ({"versions": self.versions} if self.versions else {}))

    @property
    def _content(self) -> dict:
        """What the method computes, whichever version of it: all that random streams may depend on."""
        given = {k: v for k, v in asdict(self).items() if k not in ("label", "versions")}
        return given | {"dataset": self.data, "params": self._params}

    @property
    def _params(self) -> dict:
        """Of a user's adapter file its name, wherever it lies; `lock` knows its content."""
        external = self.params.get("external")
        return self.params | {"external": Path(str(external)).name} if is_python_file(external) else self.params

    @property
    def data(self) -> dict:
        """What identifies the data: of a user's file its content, target and task, wherever it lies."""
        return (
            {k: v for k, v in self.dataset.items() if k not in _NAMES} if "name" not in self.dataset else self.dataset
        )

    @cached_property
    def data_key(self) -> str:
        """What paired methods share: split, full-GP subset and start order are drawn from this."""
        return digest([self.data, self.split, self.seed, self.index])

    @cached_property
    def path_key(self) -> str:
        """The method's own random stream: everything but d_max and the versions of the code."""
        return digest(self._content | {"params": {k: v for k, v in self._params.items() if k != "d_max"}})

    @property
    def job_key(self) -> tuple:
        """Trials that one nested path can serve."""
        return self.path_key, *sorted(self.versions.items())

    @property
    def learner(self) -> int:
        """Version of the learner of hyperparameters (`hyperparameters: {learner: 1}` in a config)."""
        return self.versions.get("learner", 1)

    @property
    def shared_learner(self) -> int:
        """Of the full GP whose hyperparameters this trial keeps or starts from."""
        fixed = self.hyperparameters["schedule"] == "fixed"
        return min(self.versions.get("learner" if fixed else "start_learner", 1), _SHARED)

    def earlier(self) -> Iterator[Trial]:
        """The same trial at every lower combination of versions, the latest first."""
        yield from (replace(self, versions=versions) for versions in lower(self.versions))

    @property
    def dataset_name(self) -> str:
        return name_of(self.dataset)
