"""GPBoost: Vecchia, FITC and VIF approximations with Matern or Gaussian covariances, learned by its own optimiser.

With another likelihood than the Gaussian one it uses Laplace's approximation and a constant mean of its own.
"""

import numpy as np

MODELS = ("vecchia", "fitc", "vif", "vecchia-classifier")
COVARIANCES = {  # our kernel -> (covariance, shape)
    "ard-se": ("gaussian", None), "matern12": ("matern", 0.5), "matern32": ("matern", 1.5), "matern52": ("matern", 2.5)
}  # fmt: skip
LIKELIHOODS = {"poisson": "poisson", "negative-binomial": "negative_binomial", "student-t": "t"}
REACH, NODES, ROWS = 10.0, 2001, 1000  # of the sum over latent values: deviations, nodes, rows at once


def described(X, params):
    """(arguments of GPModel, size of the basis)."""
    approx, n = params["approx"] or params["model"], len(X)
    name, shape = COVARIANCES.get(params["kernel"], ("matern", 1.5))
    options = {"cov_function": f"{name}_ard" if X.shape[1] > 1 else name, "seed": int(params["seed"])}
    if shape is not None:
        options["cov_fct_shape"] = shape
    if approx == "fitc":
        size = min(n, params["d_max"] or 500)
        return options | {"gp_approx": "fitc", "num_ind_points": size}, size
    if approx == "vif":
        size, near = min(n - 1, params["d_max"] or 200), params.get("neighbours", 30)
        return options | {"gp_approx": "full_scale_vecchia", "num_ind_points": size, "num_neighbors": near}, size
    return options | {"gp_approx": "vecchia", "num_neighbors": params.get("neighbours", 20)}, n


class Fit:
    def __init__(self, X, y, params, likelihood, ones=None):
        import gpboost

        options, self.n_basis = described(X, params)
        self.model = gpboost.GPModel(gp_coords=X, likelihood=likelihood, **options)
        self.model.fit(y=y, X=ones, params={"maxit": 2} if params.get("warm_up") else {})
        self.log_evidence = -float(self.model.get_current_neg_log_likelihood())


class Model(Fit):
    """Gaussian noise; the mean of the targets is subtracted."""

    def __init__(self, X, y, params):
        self.mean = float(y.mean())
        super().__init__(X, y - self.mean, params, "gaussian")

    def predict(self, X):
        found = self.model.predict(gp_coords_pred=X, predict_var=True, predict_response=True)
        return np.asarray(found["mu"]) + self.mean, np.asarray(found["var"])


class Latent(Fit):
    """Another likelihood; its constant mean is learned with the rest."""

    def __init__(self, X, y, params, likelihood):
        super().__init__(X, y, params, likelihood, np.ones((len(y), 1)))

    def found(self, X, response):
        ones = np.ones((len(X), 1))
        p = self.model.predict(gp_coords_pred=X, X_pred=ones, predict_var=True, predict_response=response)
        return np.asarray(p["mu"]), np.asarray(p["var"])


class Numbers(Latent):
    """Counts, or numbers with outliers."""

    def __init__(self, X, y, params):
        super().__init__(X, y, params, LIKELIHOODS[params["likelihood"]])
        aux = self.model.get_aux_pars(format_pandas=False) if params["likelihood"] != "poisson" else ()
        self.aux = [float(value) for value in aux]
        self.log_p = {"poisson": poisson, "negative-binomial": negative_binomial, "student-t": student}[
            params["likelihood"]
        ]

    def predict(self, X):
        return self.found(X, True)

    def log_density(self, X, y):
        """The library gives moments; its density is the sum of p(y | f) N(f) over latent values f."""
        m, v = self.found(X, False)
        parts = (slice(i, i + ROWS) for i in range(0, len(y), ROWS))
        return np.concatenate([self._log_density(y[r, None], m[r, None], np.sqrt(v[r, None])) for r in parts])

    def _log_density(self, y, m, sd):
        z = np.linspace(-REACH, REACH, NODES)
        each = self.log_p(y, m + sd * z, *self.aux) - 0.5 * z**2
        top = each.max(1)
        return top + np.log(np.exp(each - top[:, None]).sum(1) * 2 * REACH / (NODES - 1) / np.sqrt(2 * np.pi))


def poisson(y, f):
    from scipy.special import gammaln

    return y * f - np.exp(f) - gammaln(y + 1)


def negative_binomial(y, f, r):
    from scipy.special import gammaln

    return gammaln(y + r) - gammaln(r) - gammaln(y + 1) + y * (f - np.log(r)) - (y + r) * np.logaddexp(0, f - np.log(r))


def student(y, f, scale, dof):
    from scipy.stats import t

    return t.logpdf((y - f) / scale, dof) - np.log(scale)


class Classifier(Latent):
    """Two classes, probit."""

    def __init__(self, X, y, params):
        if params["classes"] != 2:
            raise ValueError(f"GPBoost's probit is for two classes, the data have {params['classes']}")
        super().__init__(X, y.astype(float), params | {"approx": "vecchia"}, "bernoulli_probit")

    def predict(self, X):
        p, _ = self.found(X, True)
        return np.column_stack([1 - p, p])


def fit(X, y, params):
    if params["model"] == "vecchia-classifier":
        return Classifier(X, y, params)
    return (Numbers if params.get("likelihood") else Model)(X, y, params)
