"""GPBoost: Vecchia and FITC approximations with Matern or Gaussian covariances, learned by its own optimiser."""

import numpy as np

MODELS = ("vecchia", "fitc")
COVARIANCES = {  # our kernel -> (covariance, shape)
    "ard-se": ("gaussian", None), "matern12": ("matern", 0.5), "matern32": ("matern", 1.5), "matern52": ("matern", 2.5)
}  # fmt: skip


class Model:
    def __init__(self, X, y, params):
        import gpboost

        approx = params["approx"] or params["model"]
        name, shape = COVARIANCES.get(params["kernel"], ("matern", 1.5))
        options = {"cov_function": f"{name}_ard" if X.shape[1] > 1 else name}
        if shape is not None:
            options["cov_fct_shape"] = shape
        if approx == "vecchia":
            options |= {"gp_approx": "vecchia", "num_neighbors": params.get("neighbours", 20)}
        else:
            options |= {"gp_approx": "fitc", "num_ind_points": min(len(y), params["d_max"] or 500)}
        self.model = gpboost.GPModel(gp_coords=X, likelihood="gaussian", seed=int(params["seed"]), **options)
        self.mean = float(y.mean())
        self.model.fit(y=y - self.mean, params={"maxit": 2} if params.get("warm_up") else {})
        self.n_basis = options.get("num_ind_points", len(y))
        self.log_evidence = -float(self.model.get_current_neg_log_likelihood())

    def predict(self, X):
        found = self.model.predict(gp_coords_pred=X, predict_var=True, predict_response=True)
        return np.asarray(found["mu"]) + self.mean, np.asarray(found["var"])


def fit(X, y, params):
    return Model(X, y, params)
