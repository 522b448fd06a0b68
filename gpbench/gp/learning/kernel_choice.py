"""The kernel by evidence: several kernels climb the ladder of subsets together, and the lower ones are left behind.

The first kernel climbs from all its starts. The others begin where it ended on the first rung, with the values of the
parameters that have the same names; while rows are few, from their own starts, too. A kernel goes on to the next rung
if it is among the best KEPT and less than BEHIND nats below the best: differences grow with the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench.errors import GpbenchError
from gpbench.gp.inference import exact
from gpbench.gp.inference.model import GP
from gpbench.recorder import Recorder
from gpbench.system import deadline

from . import ladder
from .ladder import KernelClimb
from .learner import LEARNER, HyperparameterSearch
from .parameters import Layout

KEPT = (3, 2)  # kernels that go on from the first rung, and from the next ones
BEHIND = 50.0  # nats


@dataclass(frozen=True)
class Learned:
    """A kernel with its best values; `rows` are those of the last rung that it climbed."""

    number: int  # of the kernel, as they were given
    gp: GP
    info: dict
    rows: int

    @property
    def evidence(self) -> float:
        return self.info["objective"]


def learn_each(
    X, y, gps: list[GP], evaluations: int = 200, optimiser: str = "lbfgs", restarts: int = 1, rng=None,
    evaluate=exact.evaluate, learner: HyperparameterSearch = LEARNER, recorder: Recorder | None = None,
) -> list[Learned]:  # fmt: skip
    """The kernels that reached the last rung, the highest evidence first; rows in random order."""
    first, *later = _rungs(len(y))
    climbs: dict[int, KernelClimb] = {}
    reason = None
    for number, gp in enumerate(gps):
        points = [] if climbs and len(y) > ladder.FIRST else ladder.first_points(gp, X, restarts, rng)
        points += [_carried(gp, climb) for climb in list(climbs.values())[:1]]
        climb = KernelClimb(
            X, y, gp, points, (evaluations, optimiser, Layout(gp).bounds(learner)), evaluate, learner, recorder
        )
        if climbs and not next(iter(climbs.values())).fits(first):
            deadline.cut(f"{number} of {len(gps)} kernels were compared")
            break
        try:
            climb.rung(first, drop=True)
            climbs[number] = climb
        except GpbenchError as e:
            reason = e
    if not climbs:
        raise reason
    for i, n in enumerate(later):
        climbs = _best(climbs, KEPT[min(i, len(KEPT) - 1)])
        if not all(climb.fits(n) for climb in climbs.values()):
            climbs = _best(climbs, 1)
        if not next(iter(climbs.values())).fits(n):
            deadline.cut(f"hyperparameters were learned on {first if not i else later[i - 1]} of {len(y)} rows")
            break
        for climb in climbs.values():
            climb.rung(n, drop=True)
    found = [Learned(number, *climb.found(), climb.climbed[-1]) for number, climb in climbs.items()]
    return sorted(found, key=lambda one: -one.evidence)


def _rungs(n: int) -> list[int]:
    """Those of the ladder; the first has FIRST rows at most."""
    found = ladder.rungs(n)
    return found if found[0] <= ladder.FIRST else [ladder.FIRST, *found]


def _best(climbs: dict[int, KernelClimb], most: int) -> dict[int, KernelClimb]:
    """At most so many of the highest, none BEHIND the best."""
    order = sorted(climbs, key=lambda number: -climbs[number].best.value)[:most]
    top = climbs[order[0]].best.value
    return {number: climbs[number] for number in order if climbs[number].best.value > top - BEHIND}


def _carried(gp: GP, climb: KernelClimb) -> np.ndarray:
    """Where another kernel's climb ended, as a start of this one."""
    end = climb.layout.unpack(climb.best.x)[0]
    known = dict(zip(end.kernel.names, end.kernel.theta))
    theta = np.array([known.get(name, value) for name, value in zip(gp.kernel.names, gp.kernel.theta)])
    return Layout(GP(gp.kernel.with_theta(theta), end.noise)).pack()


def evidence_note(names: list[str], found: list[Learned], compared: int) -> str:
    """Which kernel it is, and why, in a sentence; `names` are those of the kernels found."""
    told = ", ".join(f"{name} {one.evidence:.1f}" for name, one in zip(names, found))
    where = f"a full GP on {found[0].rows} rows"
    return f"kernel {names[0]}: of {compared} kernels the highest log evidence of {where} ({told})"
