"""scikit-learn: an exact GP on a subset of the rows, Nystroem features with ridge regression, gradient boosting.

Classes: a GP for each class against the rest (Laplace), logistic regression, gradient boosting.
"""

import numpy as np

MODELS = ("exact", "nystroem", "boosting", "gp-classifier", "logistic", "boosting-classifier")
HELD_OUT = 0.1  # share of the rows that tells the variance where a model gives none


class Scored:
    """A model without a predictive variance: that of its errors on held-out rows."""

    def __init__(self, model, X, y, seed, refit=True):
        rows = np.random.default_rng(seed).permutation(len(y))
        out = rows[: max(1, int(HELD_OUT * len(y)))]
        rest = rows[len(out) :]
        model.fit(X[rest], y[rest])
        self.var = float(np.mean((y[out] - model.predict(X[out])) ** 2))
        self.model = model.fit(X, y) if refit else model
        self.notes = [f"no variance of its own: that of {len(out)} held-out rows"]

    def predict(self, X):
        return self.model.predict(X), np.full(len(X), max(self.var, 1e-12))


class Exact:
    def __init__(self, X, y, params):
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

        size = min(len(y), params["d_max"] or 1000)
        rows = np.random.default_rng(params["seed"]).permutation(len(y))[:size]
        dims = X.shape[1]
        kernel = ConstantKernel(1.0, (1e-5, 1e5)) * RBF(np.sqrt(dims) * np.ones(dims), (1e-3, 1e5))
        optimiser = None if params.get("warm_up") else "fmin_l_bfgs_b"
        self.model = GaussianProcessRegressor(kernel + WhiteKernel(0.1, (1e-8, 1e2)), optimizer=optimiser)
        self.model.fit(X[rows], y[rows])
        self.n_basis, self.log_evidence = size, self.model.log_marginal_likelihood_value_

    def predict(self, X):
        mean, std = self.model.predict(X, return_std=True)
        return mean, std**2


def nystroem(X, y, params):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    m = min(len(y), params["d_max"] or 500)
    steps = make_pipeline(Nystroem(n_components=m, random_state=params["seed"]), RidgeCV(np.logspace(-8, 1, 10)))
    widths = np.array([0.1, 0.3, 1.0]) / X.shape[1]  # gamma around the usual 1 / D
    search = GridSearchCV(steps, {"nystroem__gamma": widths[:1] if params.get("warm_up") else widths}, cv=3)
    model = Scored(search, X, y, params["seed"])
    model.n_basis = m
    return model


def boosting(X, y, params):
    from sklearn.ensemble import HistGradientBoostingRegressor

    rounds = 5 if params.get("warm_up") else 500
    model = HistGradientBoostingRegressor(max_iter=rounds, learning_rate=0.1, random_state=params["seed"])
    return Scored(model, X, y, params["seed"])


class Classes:
    """A classifier; a class without a row in training has probability zero."""

    def __init__(self, model, X, y, params):
        self.model, self.classes = model.fit(X, y.astype(int)), params["classes"]

    def predict(self, X):
        prob = np.zeros((len(X), self.classes))
        prob[:, self.model.classes_] = self.model.predict_proba(X)
        return prob


def gp_classifier(X, y, params):
    """On `d_max` rows, or on all of them."""
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF

    size = min(len(y), params["d_max"] or len(y))
    rows = np.random.default_rng(params["seed"]).permutation(len(y))[:size]
    optimiser = None if params.get("warm_up") else "fmin_l_bfgs_b"
    kernel = 1.0 * RBF(np.ones(X.shape[1]) if params["ard"] else 1.0)
    seed = int(params["seed"])
    model = Classes(GaussianProcessClassifier(kernel, optimizer=optimiser, random_state=seed), X[rows], y[rows], params)
    model.n_basis, model.log_evidence = size, model.model.log_marginal_likelihood_value_
    return model


def logistic(X, y, params):
    from sklearn.linear_model import LogisticRegression

    return Classes(LogisticRegression(max_iter=1000), X, y, params)


def boosting_classifier(X, y, params):
    from sklearn.ensemble import HistGradientBoostingClassifier

    rounds = 5 if params.get("warm_up") else 100
    model = HistGradientBoostingClassifier(max_iter=rounds, random_state=int(params["seed"]))
    return Classes(model, X, y, params)


def fit(X, y, params):
    found = {
        "exact": Exact, "nystroem": nystroem, "boosting": boosting, "gp-classifier": gp_classifier,
        "logistic": logistic, "boosting-classifier": boosting_classifier,
    }  # fmt: skip
    return found[params["model"]](X, y, params)
