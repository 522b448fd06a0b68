"""What we say about printed numbers and claims: published/<paper>.yaml, one file per paper.

`labels` set cells apart that no run could contradict (`fixed by the config`), or whose protocol was chosen by looking
at a printed column (`tuned`). `explanations` say why a verdict came out as it did; each is tied to that verdict, and is
left out as soon as the verdict is another (tests/papers/test_check_report.py). `observations` are about figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources

import yaml

TUNED = "tuned"
LABELS = ("fixed by the config", TUNED)


@dataclass(frozen=True)
class Label:
    cells: tuple[str, ...]  # globs over ids
    label: str
    why: str

    def names(self, id: str) -> bool:
        return any(fnmatchcase(id, glob) for glob in self.cells)


@dataclass(frozen=True)
class Explanation:
    paper: str
    about: tuple[str, ...]  # globs over ids of cells or claims
    verdict: str
    why: str
    facts: tuple[dict, ...] = ()  # numbers in `why`: a folder, a query of its rows, and their count or a statistic
    tested: str = ""  # the experiment that shows the cause
    tried: str = ""  # what was tried where no cause was found

    @property
    def cause(self) -> str:
        return "tested" if self.tested else "none found" if self.tried else ""

    @property
    def text(self) -> str:
        """The reason, with the experiment or what was tried."""
        more = (
            f" Tested: {self.tested}" if self.tested else f" No cause found; tried: {self.tried}" if self.tried else ""
        )
        return self.why + more

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
    return tuple(Label(tuple(e["cells"]), e["label"], e["why"]) for e in _read(paper).get("labels") or [])


@cache
def explanations(paper: str) -> tuple[Explanation, ...]:
    entries = _read(paper).get("explanations") or []
    return tuple(
        Explanation(
            paper,
            tuple(e["about"]),
            e["verdict"],
            _line(e["why"]),
            tuple(e.get("facts") or ()),
            _line(e.get("tested", "")),
            _line(e.get("tried", "")),
        )
        for e in entries
    )


@cache
def observations(paper: str) -> tuple[tuple[str, str], ...]:
    """(what it is about, what was found) of figures, which have no printed numbers."""
    return tuple((e["about"], _line(e["what"])) for e in _read(paper).get("observations") or [])


def _line(text: str) -> str:
    return " ".join(text.split())


def cause_of(paper: str, id: str, verdict: str) -> str:
    """tested, none found, or empty where nothing was tried."""
    return next((e.cause for e in explanations(paper) if e.fits(id, verdict)), "")


def label_of(paper: str, id: str) -> str:
    return next((entry.label for entry in labels(paper) if entry.names(id)), "")
