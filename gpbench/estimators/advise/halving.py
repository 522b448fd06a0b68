"""Successive halving over methods and sizes, on the runner: rungs of more and more rows, then split after split.

Every candidate begins on few rows, which tells what it costs. Each rung then takes as many rows as half of the time
that is left affords; on all rows the rungs are further splits. Trials are the runner's: each in a process of its own,
with the time that is left as its limit, and kept, so the same command continues.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import yaml

from gpbench import catalog
from gpbench.errors import DataError
from gpbench.experiment.config.config import load_config
from gpbench.experiment.config.resolved import resolved_yaml
from gpbench.experiment.plan.plan import plan
from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.results.checked_files import write_atomic
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.experiment.run.run import Options, run
from gpbench.metrics import loss
from gpbench.text import counted

from . import candidates as listed
from . import cost
from .candidates import Candidate
from .choose import promoted

PILOT = 400  # training rows of the first rung
TEST_SHARE = 0.2
MOST_TEST = 5000  # rows a split is tested on: enough to tell candidates apart
SPLITS = 5  # on all rows, at most
SHARE = 0.5  # of the time left that a rung may plan with
DEAR = 0.4  # of the time left: a candidate that takes more would leave nothing to compare it with
ONE = 0.6  # of the time left, after which one trial of several is stopped: the others are to be done
LAST = 0.8  # the same where nothing would be left for another
START, AROUND = 2.0, 0.3  # seconds until a rung's first process, and of the process around a fit, on an idle machine
READS = 3  # of the file, for each rung: its config, its plan, and the runner before its first process
TELLING, MOST_TELLING = 1.5, 0.2  # seconds of table and plot on an idle machine; of the budget, at most
IDLE = 0.15  # of the budget: while more is left, further rows or splits are tried
WORTHWHILE = 1.5  # times the rows of the rung before: less tells nothing new
REST = 4  # candidates that go on to more rows than all can be tried on
FEWEST_ROWS = 20


class Stopped(Exception):
    """A signal ended a rung; what its trials had finished is on disk."""

    def __init__(self, exit_code: int):
        self.exit_code = exit_code


def refuse(path: str, target: str, y: np.ndarray) -> None:
    """Refuse targets on which all candidates have equal scores."""
    if len(y) < FEWEST_ROWS:
        rows = "1 row is" if len(y) == 1 else f"{len(y)} rows are"
        raise DataError(f"{path}: {rows} too few to hold some out; {FEWEST_ROWS} at least")
    if not np.ptp(y):
        raise DataError(f"{path}: column '{target}' is constant ({y[0]:g}): every candidate predicts that")


@dataclass
class Search:
    """What is asked, and all that has been found so far."""

    source: dict  # the csv as a config's `dataset`
    task: str
    n: int  # rows of the file
    metric: str
    budget: float  # seconds
    folder: Path
    every: list[Candidate]
    jobs: int = 1
    seed: int = 0
    say: Callable[[str], None] = lambda text: None
    results: dict[tuple[Candidate, int, int], TrialResult] = field(default_factory=dict)  # by rows and split
    planned: list[Trial] = field(default_factory=list)
    dropped: dict[Candidate, str] = field(default_factory=dict)  # what did not go on, and the last reason why
    begin: float = field(default_factory=time.monotonic)
    reading: float = 0.0  # seconds that the file took to be read once
    pace: float = 1.0  # how many times START and AROUND the last rung took: machines are slow, or busy

    @property
    def full(self) -> int:
        """Training rows of a split of all rows."""
        return self.n - self.test

    @property
    def test(self) -> int:
        return min(MOST_TEST, max(1, round(TEST_SHARE * self.n)))

    @property
    def left(self) -> float:
        """Seconds for trials: the table and the plot come after them."""
        telling = min(self.pace * TELLING, MOST_TELLING * self.budget)
        return self.budget - telling - (time.monotonic() - self.begin)

    # -- one rung -----------------------------------------------------------------------------------------------

    def config(self, live: list[Candidate], rows: int, name: str = "advice") -> dict:
        return {
            "name": name,
            "dataset": self.source,
            "split": {"kind": "random", "n_train": rows, "n_test": self.test},
            "trials": SPLITS,
            "seed": self.seed,
            **listed.settings(self.task),
            "methods": [c.entry() for c in live],
            "metrics": [self.metric],
        }

    def rung(self, live: list[Candidate], rows: int, split: int) -> None:
        """One split at so many training rows; what is not done when the time is over is left out."""
        started = time.monotonic()
        live = self.ordered([c for c in live if c.size <= rows])
        path = self.folder / "rung.yaml"
        ResultsFolder(self.folder).create()
        write_atomic(path, yaml.safe_dump(self.config(live, rows), sort_keys=False).encode())
        config = load_config(path)
        trials = plan(config, trials=str(split)).trials
        self.planned += [t for t in trials if t.id not in {p.id for p in self.planned}]
        tried = f"{counted(len(live), 'candidate')} on {counted(rows, 'row')}"
        self.say(f"{tried}, split {split + 1}; {max(self.left, 0):.0f} s left")
        limit = max(self.left, 0.1)
        each = limit if len(live) == 1 or rows <= PILOT else ONE * limit
        options = Options(jobs=self.jobs, seconds=limit, timeout=each, plugins=catalog.plugin_paths())
        summary = run(config.name, resolved_yaml(config), trials, self.folder, options, planned=self.planned)
        if summary.signal is not None:  # the runner has listened to it in our stead
            raise Stopped(summary.exit_code)
        spent = time.monotonic() - started
        found, names = ResultsFolder(self.folder).results(trials), {c.name: c for c in live}
        for result in found.values():
            self.results[names[result.trial.label], rows, split] = result
        self.pace = self.pace_of(spent, list(found.values()))

    def ordered(self, live: list[Candidate]) -> list[Candidate]:
        """Methods that were good so far first: when the time is over, it is the others that were not done."""
        best: dict[str, tuple[int, float]] = {}  # on as many rows as a method has seen
        for (c, n, _), r in self.results.items():
            best[c.method] = min(best.get(c.method, (0, np.inf)), (-n, self.score(r)))
        return sorted(live, key=lambda c: best.get(c.method, (0, np.inf))[1])

    def scores(self, rows: int, split: int) -> dict[Candidate, float]:
        return {c: self.score(r) for (c, n, k), r in self.results.items() if (n, k) == (rows, split)}

    def score(self, result: TrialResult) -> float:
        value = result.metrics.get(self.metric) if result.status == "ok" else None
        return float("inf") if value is None else float(loss(self.metric, value))

    # -- what it costs ------------------------------------------------------------------------------------------

    def seconds(self, live: list[Candidate], rows: int) -> float:
        """Seconds that a rung takes: what is done once, and each candidate.

        The full GP that gives hyperparameters is done once per split (auto has its own kernel), and grows with the cube
        of its rows.
        """
        each = [(c.method == "auto", *self._work(c, rows)) for c in live]
        once = sum(max((learn for own, _, learn in each if own is of), default=0.0) for of in (True, False))
        return (sum(fit for _, fit, _ in each) + once) / self.jobs + self.pace * self._around(len(live))

    def _around(self, count: int) -> float:
        """Seconds of so many processes besides their fits, on an idle machine."""
        return START + READS * self.reading + (AROUND + self.reading) * count / self.jobs

    def _work(self, c: Candidate, rows: int) -> tuple[float, float]:
        return cost.work(c, rows, self.results, self.pace)

    def pace_of(self, spent: float, done: list[TrialResult]) -> float:
        """Pace of the machine: seconds of a rung, compared with the recorded seconds of its fits."""
        learn = max((r.seconds.get("learn") or 0.0 for r in done), default=0.0)
        return max(1.0, (spent - (sum(map(cost.took, done)) + learn) / self.jobs) / self._around(len(done)))

    def pays(self, chosen: list[Candidate], c: Candidate, share: float) -> bool:
        """Whether such a share of the time left pays for one more on all rows, and it alone is not too dear."""
        alone = self._work(c, self.full)[0] <= DEAR * self.left
        return alone and self.seconds([*chosen, c], self.full) <= share * self.left

    def affordable(self, live: list[Candidate], share: float = SHARE) -> int:
        """Training rows that such a share of the time left pays for."""
        rows, step = self.full, 0.8
        while rows > PILOT and self.seconds(live, rows) > share * self.left:
            rows = int(step * rows)
        return rows

    # -- the whole ----------------------------------------------------------------------------------------------

    def go(self) -> list[Candidate]:
        """Run rungs until the time is over or enough is known; the candidates that were left at the end."""
        live, rows = self.every, min(PILOT, self.full)
        if READS * self.reading > self.left:  # it would be over before the first process
            return []
        self.rung(live, rows, 0)
        live = self._without_failures(live, rows)
        split = 1 if rows == self.full else 0
        while self.left > 0 and split < SPLITS and live:
            if self.seconds(live, self.full) > SHARE * self.left:
                between = self.affordable(live)
                if split == 0 and WORTHWHILE * rows <= between < self.full:
                    rows = between
                    self.rung(live, rows, 0)
                    live = promoted(self.scores(rows, 0), self._without_failures(live, rows), biased=True)
                    continue
                few = self._few(live, rows, split)
                if len(few) < min(2, len(live)):  # alone it would not be compared
                    break
                if split:
                    self.dropped |= {c: "no time for another split" for c in live if c not in few}
                live = few
            rows = self.full
            self.rung(live, rows, split)
            while split == 0 and self.left > 0 and (more := self.larger()):
                self.rung(more, rows, 0)
                live = [*live, *more]
            if self.left <= 0:  # the split was cut off: what it lacks does not count
                break
            live, split = self._without_failures(live, rows, split), split + 1
            live = promoted(self._means(live, split), live, biased=False)
        self._use_the_rest()
        return live

    def _use_the_rest(self) -> None:
        """More rows for the best candidates, else another split of the same rows, while time is left for them."""
        while self.results and self.left > IDLE * self.budget:
            rows, found = self.reached()
            ranked = sorted(found, key=lambda c: found[c])
            few = [c for c in ranked if np.isfinite(found[c])][:REST]
            more = max([self.affordable(few[:k], LAST) for k in (len(few), 2)], default=0) if few else 0
            if rows < self.full and more >= WORTHWHILE * rows:
                before = len(self.results)
                self.rung(self._paid(few, more), more, 0)
                if len(self.results) == before:
                    return
                continue
            split = max(k for _, n, k in self.results if n == rows) + 1
            if split < SPLITS and (chosen := self._paid(few, rows)) and self.seconds(chosen, rows) <= self.left:
                self.rung(chosen, rows, split)
            elif not (others := self._untried(rows)):
                return
            else:
                self.rung(others[:1], rows, 0)

    def _untried(self, rows: int) -> list[Candidate]:
        """Candidates without a result on so many rows, those that the time left pays for first, then by their score."""
        tried = {c for c, n, k in self.results if (n, k) == (rows, 0)}
        first = self.scores(min(n for _, n, _ in self.results), 0)
        others = [c for c in first if c not in tried and np.isfinite(first[c])]
        return sorted(others, key=lambda c: (self.seconds([c], rows) > self.left, first[c]))

    def _paid(self, ranked: list[Candidate], rows: int) -> list[Candidate]:
        """The best ones that the time left pays for, and two in any case: alone one is compared with nothing."""
        count = len(ranked)
        while count > 2 and self.seconds(ranked[:count], rows) > LAST * self.left:
            count -= 1
        return ranked[:count]

    def reached(self) -> tuple[int, dict[Candidate, float]]:
        """The most training rows on which two candidates have a score, and the scores of the first split there."""
        sizes = sorted({n for (_, n, k), r in self.results.items() if k == 0 and r.status == "ok"}, reverse=True)
        for rows in sizes:
            scores = {c: v for c, v in self.scores(rows, 0).items() if np.isfinite(v)}
            if len(scores) > 1 or rows == sizes[-1]:
                return rows, scores
        return 0, {}

    def larger(self) -> list[Candidate]:
        """Sizes that there were never rows enough for, next to one of the better half on all rows; as time allows."""
        tried = {c for c, _, _ in self.results}
        wanted = [c for c in promoted(self.scores(self.full, 0), self.every, biased=True) if c not in tried]
        more: list[Candidate] = []
        for c in self.ordered(wanted):
            if self.pays(more, c, SHARE):
                more.append(c)
        return more

    def _few(self, live: list[Candidate], rows: int, splits: int) -> list[Candidate]:
        """The best, as far as the time left pays for them on all rows; cheaper ones may replace a dear one."""
        scores = self._means(live, splits) if splits else self.scores(rows, 0)
        ranked = sorted((c for c in live if c in scores), key=lambda c: scores[c])
        if not splits:  # a larger size may come out ahead on more rows
            ranked = list(dict.fromkeys(c for best in ranked for c in promoted({best: 0.0}, live, biased=True)))
        few: list[Candidate] = []
        for c in ranked:
            if self.pays(few, c, LAST):
                few.append(c)
            elif not splits:
                self.dropped[c] = "no time for it on all rows"
        return few

    def _without_failures(self, live: list[Candidate], rows: int, split: int = 0) -> list[Candidate]:
        scores = self.scores(rows, split)
        for c, value in scores.items():
            if not np.isfinite(value):
                self.dropped[c] = self.results[c, rows, split].reason or "no score"
        return [c for c in live if np.isfinite(scores.get(c, 0.0 if c.size > rows else np.inf))]

    def _means(self, live: list[Candidate], splits: int) -> dict[Candidate, float]:
        found = {c: [self.results.get((c, self.full, k)) for k in range(splits)] for c in live}
        return {c: float(np.mean([self.score(r) for r in rs])) for c, rs in found.items() if None not in rs}

    def left_out(self, found: Collection[Candidate]) -> list[str]:
        """The candidates that were given up, by reason, except those that the table has."""
        by_reason: dict[str, list[str]] = {}
        for c, why in self.dropped.items():
            if c not in found:
                by_reason.setdefault(why, []).append(c.name)
        return [f"{', '.join(names)}: {why}" for why, names in by_reason.items()]

    def failure(self) -> str:
        """The first reason for which a candidate could not be fitted, other than the time."""
        found = (r for r in self.results.values() if r.status not in ("ok", "timeout"))
        return next((r.reason for r in found if "timeout: " not in r.reason), "")  # of the full GP before it

    def nothing(self) -> str:
        """Why no candidate has a score."""
        if reason := self.failure():
            return f"no candidate could be fitted; the first one: {reason}"
        return f"the budget of {self.budget:g} s is too small: no candidate was fitted within it; give more (--budget)"

    def table(self, live: list[Candidate]) -> tuple[int, dict[Candidate, list[TrialResult]]]:
        """Training rows of the last rung, and the results there of all candidates over the splits that they share.

        As many splits as half of the `live` candidates have done: the last one may have been cut off.
        """
        ok = {key for key, r in self.results.items() if r.status == "ok"}
        if not ok:
            return 0, {}
        rows = self.reached()[0]
        done = {c: sorted(k for o, n, k in ok if o == c and n == rows) for c in self.every}
        counts = sorted(
            (len(done[c]) for c in (live if any(done[c] for c in live) else self.every) if done[c]), reverse=True
        )
        splits = counts[(len(counts) - 1) // 2] if counts else 1
        return rows, {c: [self.results[c, rows, k] for k in ks[:splits]] for c, ks in done.items() if len(ks) >= splits}
