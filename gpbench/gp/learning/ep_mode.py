"""Posterior mode of the hyperparameters of an EP classifier: log Z_EP + log prior, sites warm-started on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpbench.errors import NotPositiveDefinite
from gpbench.gp.inference import ep
from gpbench.recorder import Recorder

from .learner import DEFAULT, OptimiserOptions
from .optimise import Optimum, best_of
from .parameters import Layout

PRECISION = 1e-3  # of the optimiser: the objective itself is only known to the sites' loose tolerance


@dataclass(frozen=True)
class Rules:
    """How EP and the optimiser work during learning."""

    options: OptimiserOptions = DEFAULT
    tolerance: float = 1e-3
    max_sweeps: int = 100


def find_mode(
    posterior: Callable[[Layout], ep.SitePosterior], y, likelihood, prior, starts: list[Layout], rules: Rules,
    recorder: Recorder | None = None,
) -> tuple[Layout, Optimum]:  # fmt: skip
    """The best mode over the starts; `posterior` builds the EP posterior of a point (its kernel and Z)."""
    searches, options = [], rules.options

    def search(start: Layout) -> Optimum:
        warm: list[ep.Sites] = []

        def run(at: Layout) -> ep.EPResult:
            if warm:
                try:
                    return ep.run(posterior(at), y, likelihood, warm[-1], rules.tolerance, rules.max_sweeps)
                except NotPositiveDefinite:
                    warm.clear()  # sites of a distant theta may be no start for this one
            return ep.run(posterior(at), y, likelihood, None, rules.tolerance, rules.max_sweeps)

        def objective(x):
            at = start.moved(x)
            found = run(at)
            warm[:] = [found.sites]
            log_prior, dprior = prior(at.kernel)
            dtheta, dZ = found.posterior.gradient()
            return found.log_Z + log_prior, at.gradient(dtheta + dprior, dZ=dZ)

        bounds = start.bounds(options.learner)
        found = options.maximise(objective, start.pack(), bounds, PRECISION, recorder=recorder)
        searches.append((found, start.moved(found.x)))
        return found

    best = best_of(starts, search)
    return next(at for found, at in searches if found.x is best.x), best
