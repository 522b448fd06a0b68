"""The kernel by evidence: several are learned up the ladder of subsets together, and the lower ones are left behind.

The first kernel is learned from all its starts. The others begin where it ended on the first rung, with the values of
the parameters that have the same names; while rows are few, from their own starts, too. A kernel goes on to the next
rung if it is among the best KEPT and less than BEHIND nats below the best: differences grow with the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from gpbench.errors import GpbenchError
from gpbench.gp.inference import exact
from gpbench.gp.inference.model import GP
from gpbench.recorder import Recorder
from gpbench.system import deadline

from . import few_rows, ladder, priors
from .ladder import KernelSearch
from .learner import DEFAULT, OptimiserOptions
from .parameters import Layout

KEPT = (3, 2)  # kernels that go on from the first rung, and from the next ones
BEHIND = 50.0  # nats


@dataclass(frozen=True)
class Learned:
    """A kernel with its best values; `rows` are those of its last rung."""

    number: int  # of the kernel, as they were given
    gp: GP
    info: dict
    rows: int

    @property
    def evidence(self) -> float:
        return self.info["objective"]


def learn_each(
    X, y, gps: list[GP], options: OptimiserOptions = DEFAULT, rng=None, evaluate=exact.evaluate,
    recorder: Recorder | None = None,
) -> list[Learned]:  # fmt: skip
    """The kernels that reached the last rung, the highest evidence first; rows in random order."""
    first, *later = _rungs(len(y))
    if few_rows.are_few(X):
        evaluate = priors.with_prior(evaluate, partial(few_rows.log_prior, inputs=X.shape[1]))
    searches: dict[int, KernelSearch] = {}
    reason = None
    for number, gp in enumerate(gps):
        before = list(searches.values())[:1]
        if before and not before[0].fits(first):
            deadline.cut(f"{number} of {len(gps)} kernels were compared")
            break
        points = [] if before and len(y) > ladder.FIRST else ladder.first_points(gp, X, options.restarts, rng)
        points += [_carried(gp, search) for search in before]
        search = KernelSearch(X, y, gp, points, options, evaluate, recorder)
        try:
            search.rung(first, drop=True)
            searches[number] = search
        except GpbenchError as e:
            reason = e
    if not searches:
        raise reason
    for n, most in zip(later, (*KEPT, *[KEPT[-1]] * len(later))):
        searches = _onto(n, searches, most)
    found = [Learned(number, *search.found(), search.learned_on[-1]) for number, search in searches.items()]
    return sorted(found, key=lambda one: -one.evidence)


def _rungs(n: int) -> list[int]:
    """Those of the ladder; the first has FIRST rows at most."""
    found = ladder.rungs(n)
    return found if found[0] <= ladder.FIRST else [ladder.FIRST, *found]


def _onto(n: int, searches: dict[int, KernelSearch], most: int) -> dict[int, KernelSearch]:
    """The searches that go on to the rung of n rows: one where time is short, or those before where none is left."""
    going = _best(searches, most)
    if not all(search.fits(n) for search in going.values()):
        going = _best(searches, 1)
    done: dict[int, KernelSearch] = {}
    for number, search in going.items():
        if not search.fits(n):
            deadline.cut(f"hyperparameters were learned on {search.learned_on[-1]} of {len(search.y)} rows")
            continue
        try:
            search.rung(n, drop=True)
            done[number] = search
        except GpbenchError:
            continue
    return done or going


def _best(searches: dict[int, KernelSearch], most: int) -> dict[int, KernelSearch]:
    """At most so many of the highest, none BEHIND the best."""
    order = sorted(searches, key=lambda number: -searches[number].best.value)[:most]
    top = searches[order[0]].best.value
    return {number: searches[number] for number in order if searches[number].best.value > top - BEHIND}


def _carried(gp: GP, search: KernelSearch) -> np.ndarray:
    """Where another kernel's search ended, as a start of this one."""
    end = search.layout.unpack(search.best.x)[0]
    known = dict(zip(end.kernel.names, end.kernel.theta))
    theta = np.array([known.get(name, value) for name, value in zip(gp.kernel.names, gp.kernel.theta)])
    return Layout(GP(gp.kernel.with_theta(theta), end.noise)).pack()


def evidence_note(names: list[str], found: list[Learned], compared: int, few: bool = False) -> str:
    """Which kernel it is, and why, in a sentence; `names` are those of the kernels found."""
    told = ", ".join(f"{name} {one.evidence:.1f}" for name, one in zip(names, found))
    where = f"a full GP on {found[0].rows} rows"
    prior = ", with a prior because rows are few for so many inputs" if few else ""
    return f"kernel {names[0]}: of {compared} kernels the highest log evidence of {where} ({told}){prior}"
