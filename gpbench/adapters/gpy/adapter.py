"""GPy: FITC and VarDTC (the variational bound), inducing inputs learned with the hyperparameters by L-BFGS."""

import numpy as np

MODELS = ("vfe", "fitc")
KERNELS = {"matern12": "Exponential", "matern32": "Matern32", "matern52": "Matern52"}


class Model:
    def __init__(self, X, y, params):
        import GPy

        dims, m = X.shape[1], min(len(y), params["d_max"] or 300)
        kernel = getattr(GPy.kern, KERNELS.get(params["kernel"], "RBF"))
        kernel = kernel(dims, ARD=True, lengthscale=np.sqrt(dims) * np.ones(dims))
        Z = X[np.random.default_rng(params["seed"]).permutation(len(y))[:m]].copy()
        self.model = GPy.models.SparseGPRegression(X, y[:, None], kernel=kernel, Z=Z)
        if params["model"] == "fitc":
            self.model.inference_method = GPy.inference.latent_function_inference.FITC()
        self.model.likelihood.variance = 0.1
        if not params.get("optimise_inputs", True):
            self.model.inducing_inputs.fix()
        rounds = 2 if params.get("warm_up") else params.get("iterations", 100)
        self.model.optimize("lbfgsb", max_iters=rounds)
        self.n_basis, self.log_evidence = m, float(self.model.log_likelihood())

    def predict(self, X, block=4096):
        parts = [self.model.predict(X[i : i + block]) for i in range(0, len(X), block)]
        return (np.concatenate([p[k].ravel() for p in parts]) for k in (0, 1))


def fit(X, y, params):
    return Model(X, y, params)
