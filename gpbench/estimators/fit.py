"""One fit on raw arrays: scaled, learned, modelled as the runner does it, on one thread, within the given time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from scipy.special import ndtr

from gpbench import catalog
from gpbench.data.dataset import Kind
from gpbench.data.scaling import Scaler
from gpbench.data.validation import repeated
from gpbench.errors import (
    BadInput,
    BadParameter,
    ConfigError,
    GpbenchError,
    MissingExtra,
    NotApplicable,
    NotPositiveDefinite,
)
from gpbench.experiment.evaluation.prediction import check, predict
from gpbench.experiment.evaluation.problem import full_gp, posed
from gpbench.experiment.plan.trial_id import learners
from gpbench.gp.inference.joint import latent_covariance
from gpbench.gp.kernels.soundness import fault
from gpbench.gp.learning.sizes import usual_subset
from gpbench.methods.base import Fitted, Method, Prediction, RowNoise
from gpbench.metrics import gaussian_loss
from gpbench.system import deadline, memory, threads

from .parameters import KernelChoice
from .random_streams import Streams

MATRICES = 3  # n x n arrays that a dense method holds at once
LEARNING = 0.5  # of the time left: the full GP that gives hyperparameters; the model comes after it
FEW_VALUES = {"schedule": "fixed", "values": {}}  # nothing to learn from: the kernel's own start is kept


@dataclass(frozen=True)
class Training:
    """The scaled rows of a fit and its method: what quality.py needs, and no saved model has."""

    X: np.ndarray
    y: np.ndarray  # (n,)
    method: Method
    noise: RowNoise | None


@dataclass(frozen=True)
class Model:
    """A fitted method with the scaling around it; predictions are in raw units."""

    fitted: Fitted
    scaler: Scaler
    n: int  # training rows
    task: str
    classes: int = 2

    def predict(self, X) -> Prediction:
        with threads.limited():
            p = predict(self.fitted, self.scaler.inputs(X), self.n)
        check(p, len(X), self.task, self.classes)
        if self.task == "classification":
            return p
        mean, var = self.scaler.back(p.mean, p.var, X)
        return Prediction(mean, var, self.scaler.back(p.mean, p.var_latent, X)[1])

    def covariance(self, X, latent: bool) -> np.ndarray:
        """Covariance of new targets at the rows, or (`latent`) of the function, in raw units   (t, t)."""
        if memory.too_large("", len(X), MATRICES):
            raise BadInput(f"the covariances of {len(X)} rows do not fit into memory: give fewer rows at once")
        Xs = self.scaler.inputs(X)
        with threads.limited():
            found = latent_covariance(self.fitted.predict, Xs)
            if not latent:
                p = predict(self.fitted, Xs, self.n)
                found[np.diag_indices_from(found)] += p.var - p.var_latent
        return found * self.scaler.factor**2

    def quantiles(self, X, q: float) -> np.ndarray:
        """Quantiles of the predictive density of a new target, in raw units   (t,)."""
        if hasattr(self.fitted.predict, "quantiles"):
            with threads.limited():
                return self.scaler.back(self.fitted.predict.quantiles(self.scaler.inputs(X), q), None, X)[0]
        p = self.predict(X)
        return p.mean + NormalDist().inv_cdf(q) * np.sqrt(p.var)

    def below(self, X, y) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of a new target below y, and not above it   (t,), (t,)."""
        if hasattr(self.fitted.predict, "below"):
            with threads.limited():
                return self.fitted.predict.below(self.scaler.inputs(X), self.scaler.target(y, X))
        p = self.predict(X)
        found = ndtr((y - p.mean) / np.sqrt(p.var))
        return found, found

    def log_density(self, X, y) -> np.ndarray:
        """Natural log of the predictive density of targets y, in raw units   (t,)."""
        if hasattr(self.fitted.predict, "log_density"):
            with threads.limited():
                found = self.fitted.predict.log_density(self.scaler.inputs(X), self.scaler.target(y, X))
            return found - self.scaler.log_scale
        p = self.predict(X)
        return -gaussian_loss(y, p.mean, p.var)

    def basis(self, X) -> np.ndarray | None:
        """Inputs of the basis vectors in raw units; X are the training rows."""
        if self.fitted.pivots is not None:
            return X[np.asarray(self.fitted.pivots, dtype=int)]
        Z = self.fitted.inducing
        return Z if Z is None or self.scaler.shift is None else Z * self.scaler.stretch + self.scaler.shift


def fit(
    X, y, kind: Kind, method: Method, kernel: KernelChoice, h: dict, streams: Streams,
    max_seconds: float | None = None, rows: RowNoise | None = None,
) -> tuple[Model, Training, list[str]]:  # fmt: skip
    """A model of raw rows, the rows as it used them, and notes for the user."""
    refuse_too_large(method, len(y))
    task = kind.task
    scale = {"inputs": "none" if kernel.objects or kernel.raw_inputs else "standardise"}
    if (named := getattr(method, "likelihood", None)) and catalog.find("likelihood", named).targets == "counts":
        scale["target"] = "none"
    scaler = Scaler.fit(X, y, scale, task)
    Xs, ys = scaler.inputs(X), scaler.target(y, X)
    notes = remarks(X, y, task)
    if rows is not None:
        rows = RowNoise(rows.factor, rows.added / scaler.factor**2)
    if kernel.raw_inputs:
        notes.append("the inputs are not scaled: the kernel needs them as they are")
    if task == "regression" and not np.ptp(y):
        h = FEW_VALUES
    with threads.limited(), memory.counts(), deadline.cuts() as cut, deadline.within(max_seconds):
        try:
            problem, learned = _problem(Xs, ys, method, kernel, h, streams, kind, rows)
            fitted = method.checked(method.fit(problem, streams.method()), len(y))
        except MissingExtra:
            raise
        except (ConfigError, NotApplicable) as e:
            raise BadParameter(f"{method.name}: {e}") from e
        except MemoryError as e:
            raise BadInput(f"{method.name}: {e or 'out of memory: take a sparse method, or fewer rows'}") from e
        except GpbenchError as e:
            why = fault(kernel.build(Xs), Xs) if isinstance(e, NotPositiveDefinite) else ""
            raise BadInput(f"{method.name}: {why or e}") from e
    if cut:
        limit = "the limit outside" if max_seconds is None else f"{max_seconds:g} s"
        notes.append(f"max_seconds: cut to end within {limit}: {'; '.join(cut)}")
    kept = replace(fitted, models=(), shown={})
    return Model(kept, scaler, len(y), *kind), Training(Xs, ys, method, rows), [*notes, *learned, *fitted.notes]


def _problem(X, y, method: Method, kernel: KernelChoice, h: dict, streams: Streams, kind: Kind, noise):
    """The problem, and what is to be told of the full GP that learned its values."""
    order = streams.order(len(y))
    versions = learners(h, method.model_dump(mode="json"), type(method)) if h is not FEW_VALUES else {}
    shared = None
    if h.get("from") == "full-gp" and not method.learns_itself:
        rows = order[: h["subset"] or usual_subset(*X.shape)]
        learner = versions.get("start_learner" if "start_learner" in versions else "learner", 1)
        of_subset = None if noise is None else noise[rows]
        with deadline.share(LEARNING):
            shared = full_gp(X[rows], y[rows], kernel.given, h, learner, streams.shared(), rows=of_subset)
    problem = posed(X, y, order, kernel.given, h, versions.get("learner", 1), shared, kind, noise)
    return problem, (shared or {}).get("notes", ())


def remarks(X, y, task: str) -> list[str]:
    """What is odd about the rows, though a model can be fitted to them."""
    notes = []
    if len(y) == 1:
        notes.append("there is one row only: the model knows its target and nothing else")
    elif task == "regression" and not np.ptp(y):
        notes.append(
            f"the target is constant ({y[0]:g}): nothing is learned; that value is predicted, with the "
            "std of a kernel of variance 1, which says nothing of these rows"
        )
    if X.dtype != object:
        if len(again := repeated(X)):
            rows = "1 row has" if len(again) == 1 else f"{len(again)} rows have"
            notes.append(f"{rows} the inputs of another row; the first is row {again[0]}, counted from 0")
        if len(constant := np.flatnonzero(X.max(0) == X.min(0))) and len(y) > 1:
            notes.append(f"constant columns say nothing: {', '.join(map(str, constant[:5]))}")
    return notes


def refuse_too_large(method: Method, n: int) -> None:
    """Refuse a method on n x n matrices that need more memory than the machine has."""
    if method.dense and (why := memory.too_large(method.name, n, MATRICES)):
        raise BadInput(why)
