"""A trial: everything that determines one result, hashed into its id."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from gpbench.data.dataset import OWN, name_of
from gpbench.text import is_python_file
from gpbench.versions import lower


def digest(content: Any) -> str:
    """Short stable hash of plain data."""
    return _hash(_text(content))


def _text(content: Any) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


_SHARED = 3  # the last version of the learner that changed the full-GP fit
_NAMES = (*OWN, "label")  # of a user's file: its path and its name in tables


@dataclass(frozen=True)
class Trial:
    """One computation. All fields but `label` and the path of a file determine its numbers and enter the id."""

    dataset: dict  # {"name": ..., options}; a user's file: {"csv": path, "target": ..., "task": ..., "sha256": ...}
    split: dict  # {"kind": "random", "n_train": 481, "n_test": 25}
    scale: dict  # {"inputs": "standardise", "target": "standardise"}
    kernel: dict  # {"name": "ard-se", "bias": False, ...} or {"sum": [...]}, {"product": [...]}
    hyperparameters: dict  # {"schedule": "fixed", "from": "full-gp", "subset": 200}
    method: str
    params: dict  # every parameter of the method, defaults filled in
    scoring: dict  # {"nmse_variance": "dataset"|"test", "target_units": "raw"|"standardised"}
    seed: int
    index: int  # number of the repetition, 0..k-1
    code: str = ""  # hashes of plug-in files involved
    label: str = ""  # name in tables
    versions: dict = field(default_factory=dict)  # raised ones: {"method": 2, "kernel pp3": 2, "learner": 2}

    @classmethod
    def read(cls, body: dict) -> Trial:
        """Read from a file; fields of another version of gpbench are ignored."""
        return cls(**{f.name: body[f.name] for f in fields(cls) if f.name in body})

    @cached_property
    def id(self) -> str:
        """Hash of the content and the raised versions, whose key is the last one in alphabetical order."""
        return _hash(f'{self._content_text[:-1]},"versions":{_text(self.versions)}}}' if self.versions
                     else self._content_text)  # fmt: skip

    @cached_property
    def _content_text(self) -> str:
        return _text(self._content)

    @property
    def _content(self) -> dict:
        """What the method computes, without versions of the code; random streams may depend on this only."""
        given = {name: getattr(self, name) for name in _CONTENT}  # `asdict` copies, which takes most of a plan's time
        return given | {"dataset": self.data, "params": self._params}

    @property
    def _params(self) -> dict:
        """Parameters; a user's adapter file counts by its name only, since `lock` holds its content."""
        external = self.params.get("external")
        return self.params | {"external": Path(str(external)).name} if is_python_file(external) else self.params

    @property
    def data(self) -> dict:
        """What identifies the data; a user's file counts by content, target and task, not by its path."""
        return (
            {k: v for k, v in self.dataset.items() if k not in _NAMES} if "name" not in self.dataset else self.dataset
        )

    @cached_property
    def data_key(self) -> str:
        """Key of what paired methods share: split, full-GP subset and start order."""
        return digest([self.data, self.split, self.seed, self.index])

    @cached_property
    def path_key(self) -> str:
        """Key of the method's own random stream: everything but d_max and the versions of the code."""
        return digest(self._content | {"params": {k: v for k, v in self._params.items() if k != "d_max"}})

    @property
    def job_key(self) -> tuple:
        """Equal for trials that one nested path can compute."""
        return self.path_key, *sorted(self.versions.items())

    @property
    def learner(self) -> int:
        """Version of the learner of hyperparameters (`hyperparameters: {learner: 1}` in a config)."""
        return self.versions.get("learner", 1)

    @property
    def shared_learner(self) -> int:
        """Version of the learner of the full-GP fit that this trial keeps or starts from."""
        fixed = self.hyperparameters["schedule"] == "fixed"
        return min(self.versions.get("learner" if fixed else "start_learner", 1), _SHARED)

    def earlier(self) -> Iterator[Trial]:
        """The same trial at every lower combination of versions, highest first."""
        for versions in lower(self.versions):
            earlier = replace(self, versions=versions)
            earlier.__dict__["_content_text"] = self._content_text  # it does not depend on versions
            yield earlier

    @property
    def dataset_name(self) -> str:
        return name_of(self.dataset)


_CONTENT = tuple(f.name for f in fields(Trial) if f.name not in ("label", "versions"))
