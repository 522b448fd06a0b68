"""An optimisation over kernel parameters and noise at fixed inducing points."""

from __future__ import annotations

from gpbench.gp.inference import sparse
from gpbench.gp.inference.model import GP
from gpbench.gp.objectives.evidence import evidence
from gpbench.recorder import Recorder

from .learner import Bounds, OptimiserOptions
from .optimise import Optimum
from .parameters import Layout


def adapt(
    approximation, gp: GP, Z, X, y, options: OptimiserOptions, bounds: Bounds, jitter: float = 0.0, objective=evidence,
    recorder: Recorder | None = None,
) -> tuple[GP, Optimum]:  # fmt: skip
    """The best hyperparameters found from `gp`, and the optimum; inputs need no gradient."""
    layout, approximation = Layout(gp), approximation.plain()  # what is selected next may hang on a last bit

    def evaluate(x):
        at, _ = layout.unpack(x)
        found = sparse.evaluate(sparse.build(approximation, at, Z, X, y, jitter), objective, inputs=False)
        return found.F, layout.gradient(found.dtheta, at.noise * found.dnoise)

    found = options.maximise(evaluate, layout.pack(), bounds, recorder=recorder)
    return layout.unpack(found.x)[0], found
