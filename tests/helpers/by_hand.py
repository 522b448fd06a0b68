"""Each library as its own documentation calls it, on a split that `gpbench data export` wrote; nothing of gpbench.

python by_hand.py MODEL FOLDER OUT.npz, under the Python of the library's environment: 20 inducing inputs from the rows
that seed 7 draws, five iterations or epochs, a start of unit variance, lengthscales sqrt(D) and noise .1.
"""

import sys
from pathlib import Path

import numpy as np

SEED, M, ROUNDS = 7, 20, 5


def drawn(X, m=M):
    return X[np.random.default_rng(SEED).permutation(len(X))[:m]]


def gpboost(model, X, y, Xs):
    import gpboost as gpb

    how = {
        "vecchia": {"gp_approx": "vecchia", "num_neighbors": 20},
        "fitc": {"gp_approx": "fitc", "num_ind_points": M},
        "vif": {"gp_approx": "full_scale_vecchia", "num_ind_points": M, "num_neighbors": 30},
    }[model]
    gp = gpb.GPModel(gp_coords=X, cov_function="gaussian_ard", likelihood="gaussian", seed=SEED, **how)
    gp.fit(y=y - y.mean())
    found = gp.predict(gp_coords_pred=Xs, predict_var=True)
    return found["mu"] + y.mean(), found["var"]


def gpy(model, X, y, Xs):
    import GPy

    kernel = GPy.kern.RBF(X.shape[1], 1.0, np.full(X.shape[1], np.sqrt(X.shape[1])), ARD=True)
    gp = GPy.models.SparseGPRegression(X, y[:, None], kernel, Z=drawn(X))
    if model == "fitc":
        gp.inference_method = GPy.inference.latent_function_inference.FITC()
    gp.Gaussian_noise.variance = 0.1
    gp.optimize("lbfgsb", max_iters=ROUNDS)
    return gp.predict(Xs)


def gpflow(model, X, y, Xs):
    import gpflow as gpf
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.random.set_seed(SEED)
    kernel = gpf.kernels.RBF(lengthscales=np.full(X.shape[1], np.sqrt(X.shape[1])))
    if model == "sgpr":
        gp = gpf.models.SGPR((X, y[:, None]), kernel, drawn(X), noise_variance=0.1)
        gpf.optimizers.Scipy().minimize(gp.training_loss, gp.trainable_variables, options={"maxiter": ROUNDS})
    elif model == "vgp":
        gp = gpf.models.VGP((X, y[:, None]), kernel, gpf.likelihoods.Gaussian(0.1))
        gpf.optimizers.Scipy().minimize(gp.training_loss, gp.trainable_variables, options={"maxiter": ROUNDS})
    else:  # one batch holds every row, so an epoch is a step
        gp = gpf.models.SVGP(kernel, gpf.likelihoods.Gaussian(0.1), drawn(X), num_data=len(y))
        adam = tf.keras.optimizers.Adam(0.01)
        for _ in range(ROUNDS):
            with tf.GradientTape() as tape:
                loss = gp.training_loss((X, y[:, None]))
            adam.apply_gradients(zip(tape.gradient(loss, gp.trainable_variables), gp.trainable_variables))
    return gp.predict_y(Xs)


def gpytorch(model, X, y, Xs):
    import gpytorch as gpt
    import torch

    torch.manual_seed(SEED)
    torch.set_default_dtype(torch.float64)
    X, y, Xs, Z = (torch.tensor(a) for a in (X, y, Xs, drawn(X)))
    kernel = gpt.kernels.ScaleKernel(gpt.kernels.RBFKernel(ard_num_dims=X.shape[1]))
    kernel.base_kernel.lengthscale = X.shape[1] ** 0.5
    likelihood = gpt.likelihoods.GaussianLikelihood()
    likelihood.noise = 0.1
    exact = model in ("sgpr", "exact")
    parent = gpt.models.ExactGP if exact else gpt.models.ApproximateGP

    class Model(parent):
        def __init__(self):
            super().__init__(*((X, y, likelihood) if exact else (self.strategy(),)))
            self.mean_module = gpt.means.ConstantMean()
            self.covar_module = gpt.kernels.InducingPointKernel(kernel, Z, likelihood) if model == "sgpr" else kernel

        def strategy(self):
            if model == "svgp":
                return gpt.variational.VariationalStrategy(
                    self, Z, gpt.variational.CholeskyVariationalDistribution(M), learn_inducing_locations=True
                )
            q = gpt.variational.MeanFieldVariationalDistribution(len(X))
            return gpt.variational.NNVariationalStrategy(self, X, q, k=32, training_batch_size=len(X))

        def forward(self, x):
            return gpt.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    gp = Model()
    gp.train(), likelihood.train()
    if exact:
        bound, weights = gpt.mlls.ExactMarginalLogLikelihood(likelihood, gp), gp.parameters()
        rate = 0.05 if model == "sgpr" else 0.1
    else:
        bound = gpt.mlls.VariationalELBO(likelihood, gp, num_data=len(y))
        weights, rate = [*gp.parameters(), *likelihood.parameters()], 0.01
    adam = torch.optim.Adam(weights, lr=rate)
    for _ in range(ROUNDS):
        adam.zero_grad()
        if model == "vnngp":  # it draws the rows of a step itself
            out = gp(None)
            loss = -bound(out, y[gp.variational_strategy.current_training_indices])
        else:
            loss = -bound(gp(X), y)
        loss.backward()
        adam.step()
    gp.eval(), likelihood.eval()
    with torch.no_grad():
        found = likelihood(gp(Xs))
        return found.mean.numpy(), found.variance.numpy()


def sklearn(model, X, y, Xs):
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.gaussian_process import GaussianProcessRegressor, kernels
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    order = np.random.default_rng(SEED).permutation(len(y))
    if model == "exact":
        kernel = kernels.ConstantKernel() * kernels.RBF(np.full(X.shape[1], np.sqrt(X.shape[1])), (1e-3, 1e5))
        gp = GaussianProcessRegressor(kernel + kernels.WhiteKernel(0.1, (1e-8, 1e2))).fit(X[order[:M]], y[order[:M]])
        mean, std = gp.predict(Xs, return_std=True)
        return mean, std**2
    if model == "nystroem":
        steps = make_pipeline(Nystroem(n_components=M, random_state=SEED), RidgeCV(10.0 ** np.arange(-8, 2)))
        regressor = GridSearchCV(steps, {"nystroem__gamma": np.array([0.1, 0.3, 1]) / X.shape[1]}, cv=3)
    else:
        regressor = HistGradientBoostingRegressor(max_iter=500, random_state=SEED)
    out, rest = np.split(order, [len(y) // 10])
    errors = y[out] - regressor.fit(X[rest], y[rest]).predict(X[out])
    return regressor.fit(X, y).predict(Xs), np.full(len(Xs), np.mean(errors**2))


def main(name, folder, target):
    library, model = name.split("-")
    X, y, Xs = (
        np.loadtxt(Path(folder) / f"{part}.csv", delimiter=",", skiprows=1) for part in ("X_train", "y_train", "X_test")
    )
    at, scale, centre, spread = X.mean(0), X.std(0), y.mean(), y.std()
    mean, var = globals()[library](model, (X - at) / scale, (y - centre) / spread, (Xs - at) / scale)
    np.savez(target, mean=np.ravel(mean) * spread + centre, var=np.ravel(var) * spread**2)


if __name__ == "__main__":
    main(*sys.argv[1:])
