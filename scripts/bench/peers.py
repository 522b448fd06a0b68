"""The same objectives in other libraries, where they are installed (extra `peers`): value and all gradients.

Each library gets the same data, parameters and jitter, and is timed only if its value and its gradient in the inducing
inputs are ours: otherwise the times would be those of different work.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable, Iterator

import numpy as np

from gpbench.gp.inference import exact, sparse

from .entries import SIZES, N, regression
from .timing import Case

FULL_N, JITTER, TOLERANCE = 2000, 1e-8, 1e-3
# kind, number of points, number of inducing inputs (none in the full GP)
SETTINGS = (*((kind, N, m) for kind in ("fitc", "vfe") for m in SIZES), ("full", FULL_N, 0))


def cases(only: str = "", settings=SETTINGS) -> Iterator[Case | str]:
    """Cases whose name contains `only`, and one line for each library or case that is skipped, with the reason."""
    for module, (title, kinds, open_library) in PEERS.items():
        named = {name(title, *s): s for s in settings if s[0] in kinds and only in name(title, *s)}
        if not named:
            continue
        try:
            os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
            make = open_library(importlib.import_module(module))
        except ModuleNotFoundError as error:
            missing = "" if error.name == module else f" ({error.name} is missing)"
            yield f"{title}: not installed{missing}, skipped (pip install -e '.[peers]')"
        except Exception as error:  # whatever a foreign library does must not end the bench
            yield f"{title}: cannot be loaded, skipped ({reason(error)})"
        else:
            for text, setting in named.items():
                yield checked(text, make, setting)


def name(title: str, kind: str, n: int, m: int) -> str:
    return f"{title}: {kind}, m={m}" if m else f"{title}: {kind} GP, n={n}"


def checked(text: str, make, setting) -> Case | str:
    """The case, if the library's value and dF/dZ agree with ours."""
    kind, n, m = setting
    gp, X, y = regression(n)
    try:
        run = make(kind, gp, X, y, X[:m] + 0.01)
        apart = [distance(theirs, ours) for theirs, ours in zip(run(), reference(*setting)) if ours is not None]
    except Exception as error:
        return f"{text}: fails, skipped ({reason(error)})"
    if not max(apart) < TOLERANCE:
        return f"{text}: not the same objective, skipped (off by {', '.join(f'{a:.0e}' for a in apart)} in F, dF/dZ)"
    return Case(f"{text} (equal to {max(apart):.0e})", run, (m, n, m) if m else (n, n, n))


@functools.cache
def reference(kind: str, n: int, m: int) -> tuple[float, np.ndarray | None]:
    """Our log evidence or bound, and its gradient in Z."""
    gp, X, y = regression(n)
    if kind == "full":
        return exact.evaluate(gp, X, y)[0], None
    ours = sparse.evaluate(sparse.build(sparse.APPROXIMATIONS[kind], gp, X[:m] + 0.01, X, y, jitter=JITTER))
    return ours.F, ours.dZ


def distance(theirs, ours) -> float:
    return float(np.linalg.norm(np.subtract(theirs, ours)) / np.linalg.norm(ours))


def reason(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip() or 'no message'}".splitlines()[0][:120]


# Each opens a library: a function (kind, gp, X, y, Z) -> run, and run() -> (F, dF/dZ) with every gradient evaluated.
def _gpy(GPy) -> Callable:
    def make(kind, gp, X, y, Z):
        kernel = GPy.kern.RBF(X.shape[1], np.exp(gp.kernel.theta[0]), np.exp(gp.kernel.theta[1:]), ARD=True)
        if kind == "full":
            model = GPy.models.GPRegression(X, y[:, None], kernel, noise_var=gp.noise)
        else:
            model = GPy.models.SparseGPRegression(X, y[:, None], kernel, Z=Z)
            if kind == "fitc":
                model.inference_method = GPy.inference.latent_function_inference.FITC()
            model.inference_method.const_jitter = JITTER
            model.likelihood.variance = gp.noise
        at = model.optimizer_array.copy()

        def run():
            model.optimizer_array = at  # as an optimiser does: empties the caches of kernel matrices, evaluates anew
            return model.log_likelihood(), None if kind == "full" else model.Z.gradient.copy()

        return run

    return make


def _gpflow(gpflow) -> Callable:
    import tensorflow as tf

    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    gpflow.config.set_default_jitter(JITTER)

    def make(kind, gp, X, y, Z):
        amplitude, lengths = np.exp(gp.kernel.theta[0]), np.exp(gp.kernel.theta[1:])
        kernel, data = gpflow.kernels.SquaredExponential(amplitude, lengthscales=lengths), (X, y[:, None])
        if kind == "full":
            model = gpflow.models.GPR(data, kernel, noise_variance=gp.noise)
        else:
            method = gpflow.models.GPRFITC if kind == "fitc" else gpflow.models.SGPR
            model = method(data, kernel, inducing_variable=Z, noise_variance=gp.noise)
        inputs = [] if kind == "full" else [model.inducing_variable.Z.unconstrained_variable]

        @tf.function
        def evaluate():
            with tf.GradientTape() as tape:
                loss = model.training_loss()
            return loss, *tape.gradient(loss, (inputs, model.trainable_variables))

        def run():
            loss, dZ, _ = evaluate()
            return -float(loss), -dZ[0].numpy() if dZ else None

        return run

    return make


def _gpytorch(gpytorch) -> Callable:
    import torch

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))

    class Model(gpytorch.models.ExactGP):
        def __init__(self, X, y, likelihood, covariance):
            super().__init__(X, y, likelihood)
            self.mean_module, self.covar_module = gpytorch.means.ZeroMean(), covariance

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def make(kind, gp, X, y, Z):
        X, y, theta = torch.as_tensor(X), torch.as_tensor(y), torch.as_tensor(gp.kernel.theta)
        likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
        kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1])).double()
        likelihood.noise, kernel.outputscale, kernel.base_kernel.lengthscale = gp.noise, theta[0].exp(), theta[1:].exp()
        if kind == "vfe":
            kernel = gpytorch.kernels.InducingPointKernel(kernel, torch.as_tensor(Z), likelihood)
        model = Model(X, y, likelihood, kernel).double().train()
        per_point = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        # the full GP by Cholesky, not by conjugate gradients; the sparse one by Woodbury, never as an n x n matrix
        largest_dense = len(y) if kind == "full" else 0

        def run():
            model.zero_grad()
            with gpytorch.settings.max_cholesky_size(largest_dense):
                F = per_point(model(X), y) * len(y)
                F.backward()
            return F.item(), kernel.inducing_points.grad.numpy() if kind == "vfe" else None

        return run

    return make


PEERS = {
    "GPy": ("GPy", ("fitc", "vfe", "full"), _gpy),
    "gpflow": ("GPflow", ("fitc", "vfe", "full"), _gpflow),
    "gpytorch": ("GPyTorch", ("vfe", "full"), _gpytorch),  # has no FITC
}
