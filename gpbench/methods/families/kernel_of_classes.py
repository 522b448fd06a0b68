"""What `auto` does with `kernel: auto` and two classes: the kernel with the highest EP evidence.

Classes say little of each row, so that a length-scale for each input is easily learned too well. Kernels are compared
with one length-scale for all inputs; then the best of them gets one for each, from where it is. That is kept if the log
evidence gains more than a nat for each further parameter (Akaike's price). Of many rows the first MOST of the shared
order choose; all rows are then fitted from the values learned there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gpbench.errors import GpbenchError
from gpbench.gp.inference.model import GP
from gpbench.gp.kernels.base import Kernel
from gpbench.gp.kernels.stationary import Stationary
from gpbench.methods.base import Fitted, Method, Problem

MOST = 1500  # rows that choose


@dataclass(frozen=True)
class Tried:
    name: str
    fitted: Fitted

    @property
    def evidence(self) -> float:
        """Less a nat for each parameter."""
        return self.fitted.log_evidence - len(self.fitted.gp.kernel.theta)


def by_evidence(method: Method, problem: Problem, rng) -> Fitted:
    """The method's fit with the best of the kernels that `auto` chooses among; with the given one if it chose none."""
    if not problem.others or problem.schedule.kind == "fixed":
        return method.fit(problem, rng)
    part = problem if problem.n <= MOST else problem.first(MOST)
    given = [problem.gp.kernel, *(gp.kernel for gp in problem.others)]
    seed = int(rng.integers(2**31 - 1))
    tried = _each(method, part, [_with_ard(kernel, False) for kernel in given], seed)
    best = max(tried, key=lambda one: one.evidence)
    if isinstance(best.fitted.gp.kernel, Stationary) and problem.X.shape[1] > 1:
        tried += _each(method, part, [_with_ard(best.fitted.gp.kernel, True)], seed, quiet=True)
        best = max(tried, key=lambda one: one.evidence)
    told = ", ".join(f"{one.name} {one.fitted.log_evidence:.1f}" for one in tried)
    note = f"kernel {best.name}: of {len(tried)} kernels the highest log evidence less parameters ({told})"
    fitted, rows = best.fitted, sum(one.fitted.kernel_rows or 0 for one in tried)
    if part is not problem:
        kernel = fitted.gp.kernel
        fitted = method.fit(replace(problem, gp=GP(kernel, problem.gp.noise), others=()), np.random.default_rng(seed))
        rows, note = rows + (fitted.kernel_rows or 0), f"{note} on {MOST} rows"
    return replace(fitted, kernel_rows=rows, notes=(note, *fitted.notes))


def _each(method: Method, problem: Problem, kernels: Iterable[Kernel], seed: int, quiet: bool = False) -> list[Tried]:
    """The fits that succeed; an error if none does, unless `quiet`."""
    found, reason = [], None
    for kernel in kernels:
        posed = replace(problem, gp=GP(kernel, problem.gp.noise), others=())
        try:
            fitted = method.fit(posed, np.random.default_rng(seed))
        except GpbenchError as e:
            reason = e
            continue
        found.append(Tried(_name(kernel), fitted))
    if not found and not quiet:
        raise reason
    return found


def _with_ard(kernel: Kernel, ard: bool) -> Kernel:
    return kernel.with_ard(ard) if isinstance(kernel, Stationary) else kernel


def _name(kernel: Kernel) -> str:
    if not isinstance(kernel, Stationary):
        return str(kernel)
    return f"{kernel.name}, {'a length-scale for each input' if kernel.ard else 'one length-scale'}"
