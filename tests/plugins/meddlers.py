"""Methods that change what they were given, or that tell impossible things of themselves (`--plugin` file)."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from gpbench.data.source import Source
from gpbench.methods.base import GP, Fitted, Method, Prediction

KEPT = {}  # the arrays that the source below gave and did not let go of


class Hoard(Source):
    """A data set whose arrays stay within reach of the methods of this file."""

    name = "hoard"
    generated = True

    def load(self, paths, rng):
        X = rng.normal(size=(60, 2))
        KEPT["X"], KEPT["y"] = X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
        return self.dataset(KEPT["X"], KEPT["y"])


class Line:
    """A least-squares line; the model that each method here would have if it behaved."""

    def __init__(self, problem):
        self.X, self.y = np.array(problem.X), np.array(problem.y)
        self.w = np.linalg.lstsq(self.X, self.y, rcond=None)[0]

    def __call__(self, X):
        return Prediction(X @ self.w, np.full(len(X), 0.5))


def force(array):
    array.setflags(write=True)
    array[:] = 0.0


def zero(array):
    array[:] = 0


# What a fit does with its problem.
IN_FIT = {
    "fit-X": lambda p: np.multiply(p.X, 2.0, out=p.X),
    "fit-y": lambda p: zero(p.y),
    "fit-order": lambda p: p.order.sort(),
    "fit-theta": lambda p: zero(p.gp.kernel.theta),
    "fit-force": lambda p: [force(a) for a in (p.X, p.y)],
    "fit-dataset": lambda p: [zero(a) for a in KEPT.values()],
}


class InPlace:
    """Changes the inputs of a prediction before it looks at them."""

    def __init__(self, line):
        self.line = line

    def __call__(self, X):
        X *= 2.0
        return self.line(X)


class Forced(InPlace):
    """Changes them by force, once the prediction is made."""

    def __call__(self, X):
        found = self.line(X)
        force(X)
        return found


class Drifting(InPlace):
    """Adds one to the mean at each further call, in the very array that it gave before."""

    mean = None

    def __call__(self, X):
        found = self.line(X)
        if self.mean is None or len(self.mean) != len(X):
            self.mean = found.mean
        else:
            self.mean += 1.0
        return replace(found, mean=self.mean)


class Noisy(InPlace):
    """Draws anew at each call."""

    def __init__(self, line, rng):
        self.line, self.rng = line, rng

    def __call__(self, X):
        found = self.line(X)
        return replace(found, mean=found.mean + 0.1 * self.rng.normal(size=len(X)))


class Rewriting(InPlace):
    """Changes what the fit had told: parameters, rows, inducing inputs, seconds, trace."""

    fitted = None

    def __call__(self, X):
        zero(self.fitted.gp.kernel.theta)
        zero(self.fitted.pivots)
        zero(self.fitted.inducing)
        return self.line(X)


class Slice(InPlace):
    """Gives views of its inputs."""

    def __call__(self, X):
        return Prediction(X[:, 0], np.broadcast_to(0.5, len(X)))


def rewriting(problem, line):
    kernel = problem.gp.kernel
    predict = Rewriting(line)
    predict.fitted = Fitted(
        predict, GP(kernel.with_theta(np.array(kernel.theta)), problem.gp.noise), 5,
        pivots=np.array(problem.order[:5]), inducing=np.array(problem.X[:5]),
    )  # fmt: skip
    return predict.fitted


IN_PREDICT = {
    "predict-X": InPlace, "predict-force": Forced, "predict-drifts": Drifting, "predict-view": Slice,
}  # fmt: skip


class Meddler(Method):
    name = "meddler"
    behaviour: str = "none"

    def fit(self, problem, rng):
        line = Line(problem)
        if self.behaviour in IN_FIT:
            IN_FIT[self.behaviour](problem)
        if self.behaviour == "predict-noise":
            return Fitted(Noisy(line, rng))
        if self.behaviour == "predict-rewrites":
            return rewriting(problem, line)
        return Fitted(IN_PREDICT.get(self.behaviour, lambda line: line)(line))


class MeddlerPath(Method):
    """One path for several sizes, whose predictions draw from the generator that the path goes on with."""

    name = "meddler-path"
    nested: ClassVar[bool] = True
    d_max: int = Field(10, ge=1)
    changes_from: int = 10**6

    def path(self, problem, rng, sizes):
        line = Line(problem)
        for size in sizes:
            if size >= self.changes_from:
                zero(problem.X)
            line.w = line.w + rng.normal()
            yield Fitted(Noisy(line, rng), n_basis=size)


def masked(name, shape=lambda n: n):
    def predict(line):
        def answer(X):
            values = np.ma.masked_array(np.full(shape(len(X)), 0.5), np.arange(len(X)) == 3)
            return replace(line(X), **{name: values})

        return answer

    return lambda p, line: Fitted(predict(line))


def objects(p, line):
    return Fitted(lambda X: replace(line(X), mean=line(X).mean.astype(object)))


def told(**figures):
    return lambda p, line: Fitted(line, **figures)


def with_theta(value):
    def fitted(p, line):
        return Fitted(line, GP(p.gp.kernel.with_theta(np.full(len(p.gp.kernel.theta), value)), p.gp.noise))

    return fitted


IMPOSSIBLE = {  # what is told -> how, and the reason
    "masked mean": (masked("mean"), "mean is masked at 1 of 20"),
    "masked var": (masked("var"), "var is masked at 1 of 20"),
    "masked var_latent": (masked("var_latent"), "var_latent is masked at 1 of 20"),
    "masked prob": (masked("prob"), "prob is masked at 1 of 20"),
    "objects as mean": (objects, "mean has type object, expected real numbers"),
    "n_basis negative": (told(n_basis=-5), "n_basis is -5, expected a number from 0"),
    "n_basis not whole": (told(n_basis=2.5), "n_basis is 2.5, expected a whole number"),
    "n_basis nan": (told(n_basis=float("nan")), "n_basis is nan, expected a finite number"),
    "n_basis a text": (told(n_basis="5"), "n_basis is a str, expected a number"),
    "n_basis huge": (told(n_basis=10**400), "n_basis is 1000000000"),
    "n_basis of more rows than there are": (told(n_basis=41, pivots=np.arange(40)), "n_basis is 41, expected"),
    "log_evidence nan": (told(log_evidence=np.nan), "log_evidence is nan, expected a finite number"),
    "log_evidence infinite": (told(log_evidence=-np.inf), "log_evidence is -inf, expected a finite number"),
    "log_evidence complex": (told(log_evidence=1j), "log_evidence is a complex, expected a number"),
    "log_evidence masked": (told(log_evidence=np.ma.masked), "log_evidence is masked at 1 of 1"),
    "seconds negative": (told(seconds={"select": -1.0}), "seconds of select is -1.0, expected at least 0"),
    "seconds nan": (told(seconds={"adapt": np.nan}), "seconds of adapt is nan, expected a finite number"),
    "seconds none": (told(seconds={"adapt": None}), "seconds of adapt is a NoneType, expected a number"),
    "seconds no mapping": (told(seconds=3.0), "seconds is a float, expected a mapping"),
    "kernel_rows negative": (told(kernel_rows=-1), "kernel_rows is -1, expected a number from 0"),
    "pivots beyond the rows": (told(pivots=[3, 40]), "pivots has row numbers from 3 to 40, expected 0 to 39"),
    "pivots negative": (told(pivots=np.array([-1])), "pivots has row numbers from -1"),
    "pivots as texts": (told(pivots=["a"]), "pivots has shape (1,)"),
    "inducing nan": (told(inducing=np.array([[np.nan, 1.0]])), "inducing is not finite at 1 of 1"),
    "inducing one-dimensional": (told(inducing=np.zeros(3)), "inducing has shape (3,)"),
    "theta nan": (with_theta(np.nan), "hyperparameter variance is nan, expected a finite number"),
    "theta too large": (with_theta(1e4), "hyperparameter variance is inf, expected a finite number"),
    "trace of no rows": (told(trace=[3]), "row 0 of the trace is a int, expected a mapping"),
    "trace with an object": (told(trace=[{}, {"gain": {1, 2}}]), "row 1 of the trace: gain holds a set"),
    "trace with a complex number": (told(trace=[{"gain": [0.0, 1j]}]), "gain holds a complex"),
    "trace with masked entries": (told(trace=[{"gain": np.ma.masked_equal([1, 2], 2)}]), "gain holds masked entries"),
}  # fmt: skip


class Teller(Method):
    name = "teller"
    what: str

    def fit(self, problem, rng):
        return IMPOSSIBLE[self.what][0](problem, Line(problem))
