"""Every trial of a folder as the page's script reads it: columns of equal length, one series after the other.

A number of a table names its trials by their places here ("120-219"), so it opens them without holding them.
"""

from __future__ import annotations

import glob
import json
import shlex
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

import numpy as np
import pandas as pd

from gpbench.analysis.ranking import Group, Mark, against_best, groups, metrics_of
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.series import SERIES
from gpbench.metrics import titles

from ..tables import TIMES
from .notes import by_trial

OTHERS = ("n_basis", *TIMES, "total_seconds")
DIGITS = dict.fromkeys([*TIMES, "total_seconds"], 3)
LOG_TAIL, ALL_LOGS = 2_000, 100_000  # characters of one log, of all logs together


@dataclass(frozen=True)
class TrialBook:
    """The rows of a folder in the page's order, and the position of each trial."""

    results: ResultsTable
    rows: pd.DataFrame  # every row, also failures; the trials of a series side by side
    extra: dict[str, dict[int, float]] = field(default_factory=dict)  # quantities that are not in results.csv

    @classmethod
    def of(cls, results: ResultsTable) -> TrialBook:
        keys = [c for c in SERIES if c != "d_max"]
        place = results.rows.groupby([*keys, "d_max"], sort=False, dropna=False).ngroup()
        rows = results.rows.assign(place=place).sort_values(["place", "trial"], kind="stable", ignore_index=True)
        return cls(results, rows)

    @cached_property
    def place(self) -> dict[str, int]:
        return {trial_id: i for i, trial_id in enumerate(self.rows["trial_id"])}

    def ranges(self, trial_ids) -> str:
        """'3-5,9': the places of these trials."""
        places = sorted(self.place[i] for i in trial_ids if i in self.place)
        runs = [[p for _, p in run] for _, run in groupby(enumerate(places), lambda pair: pair[1] - pair[0])]
        return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)

    def shared(self, cells) -> str:
        """The places of the trials that every number of a row is of; '' where they differ."""
        found = {c.trials for c in cells if c.trials}
        return self.ranges(found.pop()) if len(found) == 1 else ""

    def remember(self, quantity: str, values: pd.Series) -> None:
        """Values by trial id of a quantity that a table shows, so that its numbers can be opened, too."""
        kept = self.extra.setdefault(quantity, {})
        kept.update({self.place[i]: _short(v) for i, v in values.items() if i in self.place})

    @cached_property
    def metrics(self) -> list[str]:
        return metrics_of(self.results)

    @cached_property
    def groups(self) -> list[tuple[Group, dict[str, dict[str, Mark]]]]:
        """Series that compete, each with its marks by metric."""
        compare = self.results.config.get("compare")
        return [(g, {m: against_best(g.rows, m, compare) for m in self.metrics}) for g in groups(self.results)]

    def series(self) -> list[dict]:
        """One entry per line of the results: what its trials have in common, and how many there are."""
        found = []
        for _, part in self.rows.groupby("place", sort=True):
            first = part.iloc[0]
            known = {"n": first["n_train"], "d": first["d_max"], "cache": first["cache"]}
            entry = {"data": first["dataset"], "method": first["label"], "count": len(part)}
            found.append(entry | {k: float(v) for k, v in known.items() if pd.notna(v)})
        return found

    def to_json(self) -> str:
        """Fit for a <script> element: no `<` in it. What only few trials have is kept by place."""
        rows, notes = self.rows, by_trial(self.results)
        texts = sorted({n for found in notes.values() for n in found})
        number = {n: k for k, n in enumerate(texts)}
        shown = [c for c in (*self.metrics, *OTHERS) if rows[c].notna().any()]
        odd = rows.loc[rows["status"] != "ok", ["status", "reason"]]
        content = {
            "command": _command(self.results),
            "series": [s | {"again": _selection(s)} for s in self.series()],
            "metrics": self.metrics,
            "names": titles() | TIMES | {"total_seconds": "total, s", "n_basis": "# BV"},
            "id": rows["trial_id"].tolist(),
            "trial": _once([_short(v) for v in rows["trial"]]),
            "seed": _once([_short(v) for v in rows["seed"]]),
            "values": {c: _once([_short(v, DIGITS.get(c, 5)) for v in rows[c]]) for c in shown},
            "extra": {q: v for q, v in self.extra.items() if q not in shown},
            "texts": texts,
            "notes": {self.place[i]: [number[n] for n in found] for i, found in notes.items() if i in self.place},
            "odd": {i: [r["status"], r["reason"]] for i, r in odd.iterrows()},
            "logs": self._logs(),
        }
        return json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")

    def _logs(self) -> dict[int, str]:
        """The ends of the logs that are there; those of failed trials first, up to a total size."""
        folder, left, found = self.results.path / "logs", ALL_LOGS, {}
        if not folder.is_dir():
            return found
        ok = (self.rows["status"] == "ok").to_numpy()
        for i in np.argsort(ok, kind="stable"):
            file = folder / f"{self.rows['trial_id'].iloc[i]}.log"
            if file.is_file() and not file.is_symlink() and left > 0:
                with open(file, "rb") as f:
                    f.seek(max(0, file.stat().st_size - LOG_TAIL))
                    found[int(i)] = f.read().decode("utf-8", "replace")
                left -= len(found[int(i)])
        return found


def _once(column: list) -> list:
    """A column of one value is stored as that value."""
    return column if len(set(column)) > 1 else column[:1]


def _short(value: float, digits: int = 5) -> float | int | None:
    """Enough to read, and a third of the bytes of sixteen digits."""
    if pd.isna(value) or not np.isfinite(value):
        return None
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(f"{value:.{digits}g}")


def _command(results: ResultsTable) -> str:
    return f"gpbench run {shlex.quote((results.path / 'config.resolved.yaml').as_posix())}"


def _selection(series: dict) -> str:
    """Options of `gpbench run` that pick a series."""
    return f"-d {shlex.quote(glob.escape(series['data']))} -m {label_option(series['method'])}"


def label_option(label: str) -> str:
    """What follows `-m` to pick a method; a grid's `label key=value` is chosen by its label."""
    words = label.split(" ")
    return shlex.quote(glob.escape(" ".join(w for i, w in enumerate(words) if i == 0 or "=" not in w)))
