"""Plug-ins as docs/reference/extending.md had them before there were recorders: they must go on working."""

from pydantic import Field

from gpbench.extend import Criterion, ExactPosterior, Fitted, Method, WorkingSetMethod


class FirstRows(Method):
    """Exact GP on the first d_max rows of the training part."""

    name = "first-rows"

    d_max: int = Field(100, ge=1, description="rows kept")

    def fit(self, problem, rng):
        rows = slice(0, self.d_max)
        posterior = ExactPosterior.fit(problem.gp, problem.X[rows], problem.y[rows])
        told = {"trace": [{"step": 1}], "notes": ("as before",), "kernel_rows": self.d_max, "seconds": {"select": 0.0}}
        return Fitted(posterior.predict, problem.gp, self.d_max, log_evidence=posterior.log_evidence, **told)


def measure(state) -> float:
    return -state.log_evidence()


def score(state, candidates):
    return (state.y - state.mean)[candidates.index] ** 2


class LargestResidual(WorkingSetMethod):
    """Greedy choice of the worst explained training point."""

    name = "largest-residual"
    criterion = Criterion("largest-residual", score, measure, frozenset({"z"}), exact=False)
