"""What a results folder holds of the trials of a plan."""

from __future__ import annotations

from dataclasses import dataclass, field

from .trial_result import TrialResult

FINAL = ("ok", "skipped")  # kept in trials/; every other status is kept in failures/


@dataclass
class Inventory:
    """One reading of the archive, of trials/ and of failures/ (`ResultsFolder.inventory`)."""

    results: dict[str, TrialResult] = field(default_factory=dict)  # finished or failed, by id
    stale: dict[str, TrialResult] = field(default_factory=dict)  # of an earlier version, by the id of the successor
    arrays: frozenset[str] = frozenset()  # ids with undamaged saved arrays; empty unless they were asked for
    pathless: frozenset[str] = frozenset()  # ids that lack a whole path; empty unless whole paths were asked for

    def finished(self, id: str, predictions: bool = False) -> bool:
        """Whether a trial needs no other run; with `predictions` its arrays must be there, too."""
        if (result := self.results.get(id)) is None or result.status not in FINAL:
            return False
        if result.status == "ok" and id in self.pathless:
            return False
        return not predictions or result.status != "ok" or id in self.arrays
