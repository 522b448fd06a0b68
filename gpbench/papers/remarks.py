"""What we say about printed numbers and claims: published/<paper>.yaml, one file per paper.

`labels` set cells apart that no run could contradict (`fixed by the config`) or that a setting was chosen for (`tuned
to the print`). `explanations` say why a verdict came out as it did; each is tied to that verdict, and is left out as
soon as the verdict is another (tests/papers/test_check_report.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources

import yaml

LABELS = ("fixed by the config", "tuned to the print")


@dataclass(frozen=True)
class Label:
    cells: str  # a glob over ids
    label: str
    why: str


@dataclass(frozen=True)
class Explanation:
    paper: str
    about: tuple[str, ...]  # globs over ids of cells or claims
    verdict: str
    why: str
    facts: tuple[dict, ...] = ()  # numbers in `why`: a folder, a query of its rows, and their count or a statistic

    def fits(self, id: str, verdict: str) -> bool:
        return verdict == self.verdict and self.names(id)

    def names(self, id: str) -> bool:
        return any(fnmatchcase(id, glob) for glob in self.about)


@cache
def _read(paper: str) -> dict:
    file = resources.files("gpbench.published").joinpath(f"{paper}.yaml")
    return yaml.safe_load(file.read_text(encoding="utf-8")) or {} if file.is_file() else {}


@cache
def labels(paper: str) -> tuple[Label, ...]:
    return tuple(Label(**entry) for entry in _read(paper).get("labels") or [])


@cache
def explanations(paper: str) -> tuple[Explanation, ...]:
    entries = _read(paper).get("explanations") or []
    return tuple(
        Explanation(paper, tuple(e["about"]), e["verdict"], " ".join(e["why"].split()), tuple(e.get("facts") or ()))
        for e in entries
    )


def label_of(paper: str, id: str) -> str:
    return next((entry.label for entry in labels(paper) if fnmatchcase(id, entry.cells)), "")
