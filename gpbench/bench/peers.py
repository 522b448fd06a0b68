"""The same objectives in other libraries, where they are installed (extra `peers`): value and all gradients."""

from __future__ import annotations

import importlib
import os

import numpy as np

from .entries import SIZES, N, regression
from .timing import Case

PEERS = {"GPy": "GPy", "gpflow": "GPflow", "gpytorch": "GPyTorch"}


def cases() -> tuple[list[Case], list[str]]:
    """Cases of the libraries at hand, and one line for each that is not."""
    found, absent = [], []
    for module, title in PEERS.items():
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        try:
            library = importlib.import_module(module)
        except ImportError:
            absent.append(f"{title}: not installed, skipped (pip install 'gpbench[peers]')")
            continue
        found += MAKERS[module](library)
    return found, absent


def _cases(title, make) -> list[Case]:
    """`make(kind, X, y, Z)` returns a function that evaluates the objective and its gradient once."""
    out = []
    for kind in ("fitc", "vfe"):
        for m in SIZES:
            gp, X, y = regression(N)
            out.append(Case(f"{title}: {kind}, m={m}", make(kind, gp, X, y, X[:m] + 0.01), (m, N, m)))
    gp, X, y = regression(2000)
    out.append(Case(f"{title}: full GP, n=2000", make("full", gp, X, y, None), (2000, 2000, 2000)))
    return out


def _gpy(GPy) -> list[Case]:
    def make(kind, gp, X, y, Z):
        lengths = np.exp(gp.kernel.theta[1:])
        kernel = GPy.kern.RBF(X.shape[1], 1.0, lengths, ARD=True)
        if kind == "full":
            model = GPy.models.GPRegression(X, y[:, None], kernel, noise_var=gp.noise)
        else:
            model = GPy.models.SparseGPRegression(X, y[:, None], kernel, Z=Z)
            model.likelihood.variance = gp.noise
            if kind == "fitc":
                model.inference_method = GPy.inference.latent_function_inference.FITC()
        return model.parameters_changed

    return _cases("GPy", make)


def _gpflow(gpflow) -> list[Case]:
    import tensorflow as tf

    def make(kind, gp, X, y, Z):
        kernel = gpflow.kernels.SquaredExponential(1.0, lengthscales=np.exp(gp.kernel.theta[1:]))
        data = (X, y[:, None])
        if kind == "full":
            model = gpflow.models.GPR(data, kernel, noise_variance=gp.noise)
        else:
            cls = gpflow.models.GPRFITC if kind == "fitc" else gpflow.models.SGPR
            model = cls(data, kernel, inducing_variable=Z, noise_variance=gp.noise)

        @tf.function
        def run():
            with tf.GradientTape() as tape:
                loss = model.training_loss()
            return loss, tape.gradient(loss, model.trainable_variables)

        return lambda: [g.numpy() for g in run()[1]]

    return _cases("GPflow", make)


def _gpytorch(gpytorch) -> list[Case]:
    import torch

    def make(kind, gp, X, y, Z):
        if kind == "fitc":
            return None
        X, y = torch.as_tensor(X), torch.as_tensor(y)
        likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
        likelihood.noise = gp.noise

        class Model(gpytorch.models.ExactGP):
            def __init__(self):
                super().__init__(X, y, likelihood)
                self.mean_module = gpytorch.means.ZeroMean()
                base = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1])).double()
                base.base_kernel.lengthscale = torch.exp(torch.as_tensor(gp.kernel.theta[1:]))
                base.outputscale = 1.0
                if kind == "vfe":
                    Zt = torch.as_tensor(Z)
                    base = gpytorch.kernels.InducingPointKernel(base, inducing_points=Zt, likelihood=likelihood)
                self.covar_module = base

            def forward(self, x):
                return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

        model = Model().double().train()
        objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)

        def run():
            model.zero_grad()
            with gpytorch.settings.fast_computations(False, False, False):
                (-objective(model(X), y)).backward()

        return run

    return [case for case in _cases("GPyTorch", make) if case.run is not None]


MAKERS = {"GPy": _gpy, "gpflow": _gpflow, "gpytorch": _gpytorch}
