"""Posterior mode of kernel parameters, inducing inputs and likelihood parameters together: log Z_EP + log prior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpbench.errors import NotConverged, NotPositiveDefinite
from gpbench.gp.inference import ep, ep_parallel
from gpbench.gp.likelihoods.base import Fixed
from gpbench.recorder import Recorder

from .ep_mode import PRECISION, Rules
from .learner import HyperparameterSearch
from .optimise import Nowhere, Optimum, best_of
from .parameters import Layout


@dataclass(frozen=True)
class Point:
    """Kernel (and inducing inputs) with a likelihood at values of its parameters: what is learned, as one vector."""

    layout: Layout
    likelihood: Fixed

    def pack(self) -> np.ndarray:
        return np.concatenate([self.layout.pack(), self.likelihood.pack()])

    def moved(self, x) -> Point:
        count = len(x) - len(self.likelihood.pack())
        return Point(self.layout.moved(x[:count]), self.likelihood.moved(x[count:]))

    def bounds(self, learner: HyperparameterSearch, hold: bool = False) -> list:
        return [*self.layout.bounds(learner), *self.likelihood.bounds(hold)]


def find_mode(
    posterior: Callable[[Layout], ep.SitePosterior], y, prior, starts: list[Point], rules: Rules,
    recorder: Recorder | None = None,
) -> tuple[Point, Optimum]:  # fmt: skip
    """The best mode over the starts; a point where EP does not converge counts as very bad."""
    searches = []

    def search(start: Point) -> Optimum:
        warm: list[ep.Sites | None] = [None]

        def objective(x):
            at = start.moved(x)
            found = _run(posterior, y, at, warm, rules)
            log_prior, dprior = prior(at.layout.kernel)
            dtheta, dZ = found.posterior.gradient()
            slope = at.layout.gradient(dtheta + dprior, dZ=dZ)
            return found.log_Z + log_prior, np.concatenate([slope, ep_parallel.slopes(found, y, at.likelihood)])

        options, x, first = rules.options, start.pack(), None
        if start.likelihood.likelihood.held and options.evaluations > 1:
            half = options.within(options.evaluations // 2)
            limits = start.bounds(options.learner, hold=True)
            first = half.maximise(objective, x, limits, PRECISION, recorder=recorder)
            options, x = options.within(options.evaluations - first.evaluations), first.x
        found = options.maximise(objective, x, start.bounds(options.learner), PRECISION, recorder=recorder)
        found = found if first is None else first.then(found)
        searches.append((found, start.moved(found.x)))
        return found

    try:
        best = best_of(starts, search)
    except Nowhere as e:
        raise NotConverged(str(e)) from e
    return next(at for found, at in searches if found.x is best.x), best


def _run(posterior, y, at: Point, warm: list, rules: Rules) -> ep.EPResult:
    """EP from the sites of the last point, or from nothing where those are no start for this one."""
    for sites in (warm[0], None) if warm[0] is not None else (None,):
        try:
            built = posterior(at.layout)
            found = ep_parallel.run(built, y, at.likelihood, sites, rules.tolerance, rules.max_sweeps)
            warm[0] = found.sites
            return found
        except (NotConverged, NotPositiveDefinite) as e:
            reason = e
    raise NotPositiveDefinite(str(reason))
